--
-- Foreign keys of tables that are converted while they are in use.  There is one of each
-- at any time: two beside each other would act in the order of their OIDs, and the
-- second would find what the first has changed.
--

CREATE SCHEMA keys_test;
SET search_path = keys_test, objectid_ext_tools, public;
SET client_min_messages = warning;
\set SHOW_CONTEXT never

-- The steps, and after each of them what users do.  The foreign keys are made anew
-- before the last one, so that they have higher OIDs than all that the conversion made.
CREATE TABLE parent (tenant int, id serial PRIMARY KEY, created_at timestamptz DEFAULT '2020-01-01 00:00:00Z', UNIQUE (tenant, id));
CREATE TABLE child (n int, kind text, tenant int, parent int DEFAULT 1, updated int DEFAULT 0,
                    CONSTRAINT child_parent FOREIGN KEY (tenant, parent) REFERENCES parent (tenant, id));
CREATE FUNCTION count_updates() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.updated := OLD.updated + 1; RETURN NEW; END';
CREATE TRIGGER count_updates BEFORE UPDATE ON child FOR EACH ROW EXECUTE FUNCTION count_updates();
INSERT INTO parent (tenant) SELECT 7 FROM generate_series(1, 6);
INSERT INTO child (n, tenant, parent) SELECT i, 7, i FROM generate_series(1, 6) AS i;
CREATE TABLE step AS SELECT * FROM snowflake_conversion_steps('parent', 'id', 5, 'twitter');
\t on
SELECT statement FROM step WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
ALTER TABLE child DROP CONSTRAINT child_parent, ADD CONSTRAINT child_parent FOREIGN KEY (tenant, parent) REFERENCES parent (tenant, id) ON DELETE SET NULL ON UPDATE CASCADE;
DELETE FROM parent WHERE id = 2;
UPDATE parent SET tenant = 8, id = 30 WHERE id = 3;
ALTER TABLE child DROP CONSTRAINT child_parent, ADD CONSTRAINT child_parent FOREIGN KEY (tenant, parent) REFERENCES parent (tenant, id) ON DELETE SET DEFAULT (parent) DEFERRABLE;
DELETE FROM parent WHERE id = 4;
COMMENT ON CONSTRAINT child_parent ON child IS 'a comment';
-- no trigger waits for the end of a transaction
BEGIN;
INSERT INTO child (n, tenant, parent) VALUES (0, 7, 1);
CREATE INDEX ON child (n);
ALTER TABLE child ADD more int;
TRUNCATE child;
ROLLBACK;
SELECT count(*) AS shadow_foreign_keys FROM pg_constraint WHERE contype = 'f' AND conname LIKE E'\\_objectid\\_ext\\_%';
SELECT statement FROM step WHERE statement LIKE '%finish%' \gexec
SELECT n, tenant, parent, updated FROM child ORDER BY n;
SELECT pg_get_constraintdef(oid), convalidated, obj_description(oid) FROM pg_constraint WHERE conname = 'child_parent';
DELETE FROM parent WHERE id = 5;
SELECT n, tenant, parent, updated FROM child WHERE n > 3 ORDER BY n;

-- The same with new ids of the past
CREATE TABLE event (tenant int, id serial PRIMARY KEY, created_at timestamptz DEFAULT '2020-01-01 00:00:00Z', UNIQUE (tenant, id));
CREATE TABLE guest (n int, tenant int, event int, CONSTRAINT guest_event FOREIGN KEY (tenant, event) REFERENCES event (tenant, id));
INSERT INTO event (tenant) SELECT 7 FROM generate_series(1, 3);
INSERT INTO guest (n, tenant, event) SELECT i, 7, i FROM generate_series(1, 3) AS i;
TRUNCATE step;
INSERT INTO step SELECT * FROM snowflake_conversion_steps('event', 'id', 5, 'twitter', created_at => 'created_at');
\t on
SELECT statement FROM step WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
ALTER TABLE guest DROP CONSTRAINT guest_event, ADD CONSTRAINT guest_event FOREIGN KEY (tenant, event) REFERENCES event (tenant, id) ON DELETE SET NULL ON UPDATE CASCADE;
DELETE FROM event WHERE id = 1;
UPDATE event SET tenant = 8, id = 20 WHERE id = 2;
UPDATE event SET tenant = 9 WHERE id = 3;
SELECT statement FROM step WHERE statement LIKE '%finish%' \gexec
SELECT n, guest.tenant, guest.event = e.id AS same, snowflake_timestamp(e.id, 'twitter') < now() - interval '1 year' AS past
FROM guest LEFT JOIN event AS e ON e.id = guest.event ORDER BY n;

-- Rows that refer to nothing: the foreign key is in force, but not valid, until they are
-- mended.
CREATE TABLE loaded (id serial PRIMARY KEY);
CREATE TABLE refers (loaded int, CONSTRAINT refers_loaded FOREIGN KEY (loaded) REFERENCES loaded);
INSERT INTO loaded DEFAULT VALUES;
SET session_replication_role = replica;
INSERT INTO refers VALUES (1), (999);
RESET session_replication_role;
\t on
SELECT statement FROM snowflake_conversion_steps('loaded', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'refers_loaded';
SELECT detail FROM conversion_plan('loaded', 'id');
INSERT INTO refers VALUES (998);
DELETE FROM refers WHERE loaded = 999;
SELECT statement FROM snowflake_conversion_steps('loaded', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'refers_loaded';
\t off

-- They act in the same order as before, also those of tables that were created later.
CREATE TABLE root (id serial PRIMARY KEY);
CREATE TABLE leaf (root int);
CREATE TABLE middle (root int);
ALTER TABLE middle ADD FOREIGN KEY (root) REFERENCES root ON DELETE CASCADE;
ALTER TABLE leaf ADD FOREIGN KEY (root) REFERENCES root ON DELETE RESTRICT;
CREATE FUNCTION delete_leaf() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM leaf WHERE root = OLD.root; RETURN OLD; END';
CREATE TRIGGER delete_leaf BEFORE DELETE ON middle FOR EACH ROW EXECUTE FUNCTION delete_leaf();
INSERT INTO root SELECT generate_series(1, 2);
INSERT INTO middle SELECT id FROM root;
INSERT INTO leaf SELECT id FROM root;
DELETE FROM root WHERE id = 1;
\t on
SELECT statement FROM snowflake_conversion_steps('root', 'id', 5, 'twitter') ORDER BY step \gexec
\t off
DELETE FROM root WHERE id = 2;
SELECT count(*) FROM leaf;

-- A column that is dropped before its foreign key is validated
CREATE TABLE referred (id serial PRIMARY KEY);
CREATE TABLE divided (n int, referred int CONSTRAINT divided_referred REFERENCES referred) PARTITION BY LIST (n);
CREATE TABLE divided_1 PARTITION OF divided FOR VALUES IN (1);
CREATE TABLE other (referred int CONSTRAINT other_referred REFERENCES referred);
INSERT INTO referred DEFAULT VALUES;
INSERT INTO other VALUES (1);
SET session_replication_role = replica;
INSERT INTO divided VALUES (1, 999);
RESET session_replication_role;
\t on
SELECT statement FROM snowflake_conversion_steps('referred', 'id', 5, 'twitter') ORDER BY step \gexec
ALTER TABLE divided DROP COLUMN referred;
SELECT statement FROM snowflake_conversion_steps('referred', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT conname, convalidated FROM pg_constraint WHERE conname IN ('divided_referred', 'other_referred');
\t off

-- The converted column is renamed, and then dropped, before foreign keys between other
-- tables are validated.
CREATE TABLE tenant (id serial PRIMARY KEY, no serial);
CREATE INDEX ON tenant (no);
CREATE TABLE landlord (id int PRIMARY KEY REFERENCES tenant);
CREATE TABLE house (landlord int CONSTRAINT house_landlord REFERENCES landlord);
SET session_replication_role = replica;
INSERT INTO house VALUES (999);
RESET session_replication_role;
\t on
SELECT statement FROM snowflake_conversion_steps('tenant', 'id', 5, 'twitter') ORDER BY step \gexec
ALTER TABLE tenant RENAME id TO number;
ALTER TABLE tenant ADD id int;
-- another column is converted by itself
SELECT statement FROM snowflake_conversion_steps('tenant', 'no', 5, 'twitter') ORDER BY step \gexec
SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'tenant'::regclass AND attname = 'no';
-- the name is that of another column by now
SELECT * FROM snowflake_conversion_steps('tenant', 'id', 5, 'twitter');
SELECT step, left(statement, 51) FROM snowflake_conversion_steps('tenant', 'number', 5, 'twitter');
CALL undo_conversion('tenant', 'number');
ALTER TABLE tenant DROP COLUMN number CASCADE;
CALL undo_conversion('tenant', 'no');
CALL undo_conversion(NULL, NULL);
DELETE FROM house;
CALL undo_conversion(NULL, NULL);
SELECT conname, convalidated FROM pg_constraint WHERE conname IN ('house_landlord', 'landlord_id_fkey');
\t off

SELECT relname FROM pg_class WHERE relname LIKE E'\\_objectid\\_ext\\_%';
DROP SCHEMA keys_test CASCADE;
