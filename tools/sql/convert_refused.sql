--
-- Conversions while the tables are in use: what is refused, what is told before, and
-- whose tables
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_live_owner, regress_live_other;
RESET client_min_messages;
CREATE ROLE regress_live_owner;
CREATE ROLE regress_live_other;
CREATE SCHEMA refused AUTHORIZATION regress_live_owner;
SET ROLE regress_live_owner;
SET search_path = refused, public, objectid_ext_tools;

CREATE FUNCTION reasons("table" regclass) RETURNS TABLE (item text, relation regclass, detail text) LANGUAGE sql AS $$
    SELECT p.* FROM conversion_plan("table", (SELECT attname FROM pg_attribute WHERE attrelid = "table" AND attnum = 1)) AS p WHERE p.item LIKE 'refused%' OR p.item LIKE 'may%'
$$;

--
-- What the catalog tells
--
CREATE TABLE divided (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE base (id serial PRIMARY KEY);
CREATE TABLE heir () INHERITS (base);
CREATE TABLE kinds (id serial PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED, during int4range);
CREATE TABLE of_kinds (kinds int REFERENCES kinds, during int4range, UNIQUE (kinds) DEFERRABLE, EXCLUDE USING gist (int4range(kinds, kinds + 1) WITH &&));
CREATE STATISTICS two ON kinds, during FROM of_kinds;
ALTER TABLE of_kinds FORCE ROW LEVEL SECURITY;
CREATE POLICY odd ON of_kinds USING (kinds % 2 = 1);
CREATE RULE quiet AS ON DELETE TO kinds DO INSTEAD NOTHING;
CREATE TABLE bare (id serial);
CREATE TABLE far (id int GENERATED ALWAYS AS IDENTITY, bare int);
CREATE TABLE wide (id bigserial PRIMARY KEY);
CREATE TABLE narrow (id int GENERATED ALWAYS AS IDENTITY REFERENCES wide);
CREATE MATERIALIZED VIEW numbers AS SELECT id FROM narrow;
CREATE INDEX ON numbers (id);
CREATE VIEW few AS SELECT id FROM numbers;
SELECT * FROM reasons('divided');
SELECT * FROM reasons('base');
SELECT * FROM reasons('kinds');
SELECT * FROM reasons('bare');
SELECT * FROM reasons('wide');
SELECT * FROM snowflake_conversion_steps('kinds', 'id', 5, 'twitter');
DROP VIEW few;
DROP MATERIALIZED VIEW numbers;
DROP TABLE divided, base, heir, of_kinds, kinds, bare, far, narrow, wide;

-- A foreign key of a partitioned table can be NOT VALID from PostgreSQL 18 on.
CREATE TABLE small (id serial PRIMARY KEY);
CREATE TABLE parts (small bigint REFERENCES small) PARTITION BY RANGE (small);
SELECT string_agg(detail, E'\n') IS NOT DISTINCT FROM
           CASE WHEN current_setting('server_version_num')::int < 180000
                THEN 'it is partitioned, and has foreign key "parts_small_fkey". Drop the foreign key before, and create it again afterwards.' END AS told
FROM reasons('small');
DROP TABLE parts, small;

-- Triggers on UPDATE need a right; those on other columns, and disabled ones, do not fire.
CREATE TABLE item (id serial PRIMARY KEY, n int, changed timestamptz);
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.changed := now(); RETURN NEW; END';
CREATE TRIGGER of_n BEFORE UPDATE OF n ON item FOR EACH ROW EXECUTE FUNCTION touch();
SELECT * FROM reasons('item');
CREATE TRIGGER touch BEFORE UPDATE ON item FOR EACH ROW EXECUTE FUNCTION touch();
CREATE TRIGGER "~~" BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION touch();
SELECT * FROM reasons('item');
RESET ROLE;
GRANT SET ON PARAMETER session_replication_role TO regress_live_owner;
SET ROLE regress_live_owner;
ALTER TRIGGER "~~" ON item RENAME TO a;
SELECT * FROM reasons('item');
INSERT INTO item (n) SELECT g FROM generate_series(1, 100) AS g;
SELECT statement FROM snowflake_conversion_steps('item', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT count(*), count(DISTINCT changed) FROM item;
RESET ROLE;
REVOKE SET ON PARAMETER session_replication_role FROM regress_live_owner;

-- Names that a conversion needs; the table may have them from one that another role began
SET ROLE regress_live_owner;
CREATE TABLE taken (id serial PRIMARY KEY, CONSTRAINT _objectid_ext CHECK (id > 0));
SELECT * FROM reasons('taken');
ALTER TABLE taken DROP CONSTRAINT _objectid_ext, ADD COLUMN _objectid_ext_1 int;
SELECT * FROM reasons('taken');
ALTER TABLE taken DROP COLUMN _objectid_ext_1;
SELECT * FROM reasons('taken');
SELECT statement FROM snowflake_conversion_steps('taken', 'id', 5, 'twitter') ORDER BY step LIMIT 1 \gexec
RESET ROLE;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION %s OWNER TO regress_live_other', (SELECT tgfoid::regprocedure FROM pg_trigger WHERE tgrelid = 'taken'::regclass)); END $$;
SET ROLE regress_live_owner;
SELECT * FROM snowflake_conversion_steps('taken', 'id', 5, 'twitter');
RESET ROLE;
DO $$ BEGIN EXECUTE format('ALTER FUNCTION %s OWNER TO regress_live_owner', (SELECT tgfoid::regprocedure FROM pg_trigger WHERE tgrelid = 'taken'::regclass)); END $$;
SET ROLE regress_live_owner;
SELECT * FROM reasons('taken');
CALL undo_conversion('taken', 'id');
DROP TABLE taken;
RESET ROLE;

-- Only the owner of all tables, in a schema where nobody else creates objects
SET ROLE regress_live_owner;
CREATE TABLE mine (id serial PRIMARY KEY);
RESET ROLE;
SELECT * FROM snowflake_conversion_steps('mine', 'id', 5, 'twitter');
SET ROLE regress_live_owner;
GRANT REFERENCES ON mine TO regress_live_other;
GRANT ALL ON SCHEMA refused TO regress_live_other;
SET ROLE regress_live_other;
CREATE TABLE refused.theirs (mine int REFERENCES refused.mine);
CREATE VIEW refused.seen AS SELECT id FROM refused.mine;
SET ROLE regress_live_owner;
SELECT * FROM reasons('mine');
SELECT * FROM snowflake_conversion_steps('mine', 'id', 5, 'twitter');
RESET ROLE;
DROP TABLE theirs;
DROP VIEW seen;
SET ROLE regress_live_owner;
REVOKE ALL ON SCHEMA refused FROM regress_live_other;

--
-- What refers to a key without a foreign key
--
CREATE TABLE log_entry (mine_id int, mine_ids int[], other int, "created_by_mine" int, mined int, number bigint);
CREATE FUNCTION of_mine(id int) RETURNS int LANGUAGE sql AS 'SELECT 1 FROM mine';
CREATE FUNCTION by_name(mine_id int) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION unrelated(id int) RETURNS int LANGUAGE sql AS 'SELECT 1';
SELECT * FROM reasons('mine');

--
-- What the new type does not do
--
CREATE TABLE document (_id text PRIMARY KEY CHECK (length(_id) = 24));
CREATE TABLE page (_id text PRIMARY KEY, document text);
CREATE INDEX lower ON page (lower(_id));
CREATE TABLE raw (_id bytea PRIMARY KEY);
CREATE TABLE parsed (_id jsonb PRIMARY KEY);
CREATE TABLE divided (_id text, day date, PRIMARY KEY (_id, day)) PARTITION BY RANGE (day);
SELECT * FROM reasons('document');
SELECT * FROM reasons('page');
SELECT * FROM objectid_conversion_steps('page', '_id');
SELECT * FROM objectid_conversion_steps('raw', '_id');
SELECT * FROM snowflake_conversion_steps('raw', '_id', 5, 'twitter');

-- what is converted under a lock only, is no error in the values
INSERT INTO raw VALUES ('\x507f1f77bcf86cd799439011'), ('\x507f1f77bcf86cd799439012');
INSERT INTO parsed VALUES ('{"$oid": "507f1f77bcf86cd799439011"}'), ('"507f1f77bcf86cd799439012"');
SELECT * FROM reasons('raw');
SELECT * FROM reasons('parsed');
SELECT * FROM reasons('divided');
INSERT INTO raw VALUES ('\x50');
INSERT INTO parsed VALUES ('"507F1F77BCF86CD799439011"');
SELECT * FROM reasons('raw');
SELECT * FROM reasons('parsed');
DROP TABLE divided;

-- nor does the text of a view
CREATE VIEW recent AS SELECT _id FROM page WHERE _id LIKE '6%';
SELECT * FROM conversion_plan('page', '_id') WHERE item = 'view';
DROP VIEW recent;

DROP INDEX lower;
INSERT INTO page VALUES ('507f1f77bcf86cd799439011'), ('507F1F77BCF86CD799439011'), ('ObjectId("507f1f77bcf86cd799439011")'), ('507f1f77bcf86cd799439012');
SELECT * FROM reasons('page');
INSERT INTO page VALUES ('none'), ('');
SELECT * FROM reasons('page');
SELECT * FROM objectid_conversion_steps('page', '_id');
SELECT count(*) AS begun FROM pg_trigger WHERE tgname = '~objectid_ext_conversion';

-- two spellings in a key of two columns; NULL is not a spelling
CREATE TABLE version (n int, _id text, PRIMARY KEY (n, _id));
INSERT INTO version VALUES (1, '507f1f77bcf86cd799439011'), (2, '507F1F77BCF86CD799439011'), (2, '507f1f77bcf86cd799439011');
SELECT item, detail FROM conversion_plan('version', '_id') WHERE item = 'refused';
CREATE TABLE topic (_id text PRIMARY KEY);
CREATE TABLE pinned (topic text UNIQUE REFERENCES topic);
INSERT INTO topic VALUES ('507f1f77bcf86cd799439011');
INSERT INTO pinned VALUES ('507f1f77bcf86cd799439011'), (NULL), (NULL);
SELECT * FROM reasons('topic');

-- a published table of which no row can be updated
CREATE TABLE shelf (id serial PRIMARY KEY);
CREATE TABLE reading (shelf int REFERENCES shelf);
RESET ROLE;
SET client_min_messages = error;
CREATE PUBLICATION regress_reading FOR TABLE refused.reading;
RESET client_min_messages;
SET ROLE regress_live_owner;
SELECT * FROM reasons('shelf');
ALTER TABLE reading REPLICA IDENTITY FULL;
SELECT * FROM reasons('shelf');
RESET ROLE;
DROP PUBLICATION regress_reading;
SET ROLE regress_live_owner;
DROP TABLE version, pinned, topic, reading, shelf;

-- what would be lost: the column in rows that are stored as values, what hides it from others
CREATE TABLE coin (id serial PRIMARY KEY, name text);
CREATE VIEW seen_coin AS SELECT id, coin AS whole FROM coin;
SELECT * FROM reasons('coin');
CREATE TABLE hoard (coins coin[]);
SELECT * FROM reasons('coin');
DROP TABLE hoard;
CREATE DOMAIN checked_coin AS coin;
SELECT * FROM reasons('coin');
DROP DOMAIN checked_coin;
CREATE FUNCTION of_coins(seen_coin[]) RETURNS int LANGUAGE sql AS 'SELECT 1';
SELECT * FROM reasons('coin');
DROP FUNCTION of_coins;
RESET ROLE;
SET allow_system_table_mods = on;
INSERT INTO pg_seclabel VALUES ('coin'::regclass, 'pg_class'::regclass, 1, 'none', 'masked'), ('seen_coin'::regclass, 'pg_class'::regclass, 0, 'none', 'masked');
SET ROLE regress_live_owner;
SELECT * FROM reasons('coin');
SELECT convert_to_snowflake('coin', 'id', 5, 'twitter');
RESET ROLE;
DELETE FROM pg_seclabel WHERE provider = 'none';
RESET allow_system_table_mods;
SET ROLE regress_live_owner;

-- rows that cannot be updated
INSERT INTO coin (name) VALUES ('penny'), ('groat');
ALTER TABLE coin ADD CONSTRAINT no_groat CHECK (name <> 'groat') NOT VALID;
SELECT * FROM reasons('coin');
SELECT * FROM snowflake_conversion_steps('coin', 'id', 5, 'twitter');
DELETE FROM coin WHERE name = 'groat';
SELECT * FROM reasons('coin');
DROP TABLE coin CASCADE;

-- a foreign key of which only one side would become objectid
CREATE TABLE person (_id text PRIMARY KEY);
CREATE TABLE member (_id text PRIMARY KEY REFERENCES person);
SELECT * FROM reasons('member');
SELECT * FROM objectid_conversion_steps('member', '_id');
SELECT convert_to_objectid('member', '_id');
SELECT * FROM reasons('person');
DROP TABLE person, member;

--
-- What changes while a conversion is not complete
--
CREATE TABLE account (id serial PRIMARY KEY, name text);
CREATE TABLE invoice (account int REFERENCES account, n int);
CREATE INDEX ON invoice (account);
SELECT statement FROM snowflake_conversion_steps('account', 'id', 5, 'twitter') ORDER BY step LIMIT 4 \gexec
SELECT count(*) AS remaining FROM snowflake_conversion_steps('account', 'id', 5, 'twitter');
-- these do not matter
ANALYZE account;
REINDEX TABLE CONCURRENTLY invoice;
COMMENT ON COLUMN account.id IS 'key';
GRANT SELECT ON account TO PUBLIC;
ALTER TABLE account ALTER id SET STATISTICS 7;
SELECT count(*) AS remaining FROM snowflake_conversion_steps('account', 'id', 5, 'twitter');
BEGIN; ALTER TABLE invoice ADD COLUMN m int; SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'twitter'); ROLLBACK;
BEGIN; ALTER TABLE account RENAME TO accounts; SELECT * FROM snowflake_conversion_steps('accounts', 'id', 5, 'twitter'); ROLLBACK;
BEGIN; CREATE INDEX ON invoice (n); SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'twitter'); ROLLBACK;
BEGIN; CREATE TABLE receipt (account int REFERENCES account); SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'twitter'); ROLLBACK;
BEGIN; ALTER TABLE invoice DROP CONSTRAINT invoice_account_fkey; SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'twitter'); ROLLBACK;
BEGIN; CREATE TRIGGER touch AFTER UPDATE ON invoice EXECUTE FUNCTION touch(); CALL _conversion_exchange('account', 'id', 'bigint', '1 s', 5, 'twitter'); ROLLBACK;
-- another column of these tables
ALTER TABLE invoice ADD COLUMN id serial PRIMARY KEY;
SELECT * FROM snowflake_conversion_steps('invoice', 'id', 5, 'twitter');
-- the last step without those before
ALTER TABLE invoice DROP COLUMN id;
CALL _conversion_exchange('account', 'id', 'bigint', '1 s', 5, 'twitter');
-- a table that is gone
DROP TABLE invoice;
CALL undo_conversion('account', 'id');
SELECT attname FROM pg_attribute WHERE attrelid = 'account'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
SELECT count(*) AS begun FROM pg_proc WHERE proname LIKE '\_objectid\_ext\_%';

--
-- Arguments
--
SELECT * FROM snowflake_conversion_steps('account', 'none', 5, 'twitter');
SELECT * FROM snowflake_conversion_steps('account', 'name', 5, 'twitter');
SELECT * FROM snowflake_conversion_steps('account', NULL, 5, 'twitter');
SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'twitter', max_wait => '1 ms');
SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'twitter', rows_per_second => 0);
SELECT * FROM objectid_conversion_steps(NULL, 'id');
SELECT * FROM objectid_conversion_steps('account', 'id');
SELECT * FROM conversion_plan('account', 'none');
CALL undo_conversion('account', 'id');
CALL undo_conversion('account', NULL);
BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'twitter'); ROLLBACK;
ALTER SEQUENCE account_id_seq INCREMENT 500;
SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'js53');
ALTER SEQUENCE account_id_seq INCREMENT 1;
SELECT setval('account_id_seq', 2000000000);
SELECT * FROM snowflake_conversion_steps('account', 'id', 5, 'time:31,node:10,seq:8;tick=1s;epoch=2026-01-01T00:00:00Z');

RESET ROLE;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA refused CASCADE;
DROP ROLE regress_live_owner, regress_live_other;
