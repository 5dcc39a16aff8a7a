--
-- Conversions under load, in steps: what happens to the tables between the steps.
-- They are renamed, moved, dropped; so are their columns, foreign keys and partitions.
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_meanwhile_writer;
RESET client_min_messages;
CREATE ROLE regress_meanwhile_writer;
CREATE SCHEMA meanwhile_test;
CREATE SCHEMA "Other ""1""";
SET search_path = meanwhile_test, public, objectid_ext_tools;

-- Names of what stands beside an object, shortened
CREATE FUNCTION short(statement text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(statement, '_objectid_ext_[0-9a-f]{16}', '_X', 'g')
$$;
-- What a conversion has added and not removed
CREATE VIEW remains AS
SELECT kind, relation, short(name) AS name FROM (
    SELECT 'relation', NULL, relname::text FROM pg_class WHERE relkind NOT IN ('i', 'I', 't')
    UNION ALL SELECT 'column', attrelid::regclass::text, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE NOT attisdropped AND relkind IN ('r', 'p')
    UNION ALL SELECT 'constraint', conrelid::regclass::text, conname FROM pg_constraint
    UNION ALL SELECT 'index', indrelid::regclass::text, relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid
    UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgname = '~objectid_ext_conversion'
    UNION ALL SELECT 'function', NULL, proname FROM pg_proc) AS r (kind, relation, name)
WHERE name LIKE '\_objectid\_ext\_%' OR kind = 'trigger' ORDER BY 1, 2, 3;
CREATE PROCEDURE create_tables() LANGUAGE plpgsql AS $$
BEGIN
    CREATE TABLE customer (id serial PRIMARY KEY, parent int REFERENCES customer, n int CHECK (n >= 0));
    CREATE TABLE orders (customer int NOT NULL REFERENCES customer, other int REFERENCES customer, CHECK (other > 0), CHECK (other <> customer));
    CREATE INDEX ON orders (other DESC) WHERE other > 7;
    INSERT INTO customer (parent, n) SELECT nullif(g / 2, 0), g FROM generate_series(1, 500) AS g;
    INSERT INTO orders SELECT id, id + 1 FROM customer WHERE id < 500;
END $$;
-- Tables with their columns, constraints, indexes and triggers
CREATE VIEW facts AS
SELECT fact FROM (
    SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attacl)
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
    WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND relnamespace IN ('meanwhile_test'::regnamespace, '"Other ""1"""'::regnamespace)
    UNION ALL
    SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid), CASE WHEN conparentid = 0 THEN convalidated END) FROM pg_constraint
    WHERE contype <> 'n' AND connamespace IN ('meanwhile_test'::regnamespace, '"Other ""1"""'::regnamespace)
    UNION ALL
    SELECT concat_ws(' ', tgrelid::regclass, tgname) FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
    WHERE NOT tgisinternal AND relnamespace IN ('meanwhile_test'::regnamespace, '"Other ""1"""'::regnamespace)
    UNION ALL
    SELECT pg_get_indexdef(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE relnamespace IN ('meanwhile_test'::regnamespace, '"Other ""1"""'::regnamespace)
) AS f (fact);

--
-- Columns are renamed, two of them exchange their names, a table is renamed and moved
--
CALL create_tables();
CREATE TABLE before AS SELECT * FROM facts;
CALL _convert_live('begin', 'customer', 'id', 'bigint', '1 s');
CALL _convert_live('fill', 'customer', 'id', 'bigint', '1 s');
ALTER TABLE customer RENAME id TO key;
ALTER TABLE orders RENAME customer TO tmp;
ALTER TABLE orders RENAME other TO customer;
ALTER TABLE orders RENAME tmp TO other;
ALTER TABLE customer RENAME TO person;
ALTER TABLE person SET SCHEMA "Other ""1""";
-- the trigger uses the old names until the next step
INSERT INTO "Other ""1""".person (n) VALUES (1);
SELECT short(statement) FROM snowflake_conversion_steps('"Other ""1""".person', 'key', 5, 'twitter') WHERE statement LIKE 'CALL%' ORDER BY step;
SELECT * FROM snowflake_conversion_steps('"Other ""1""".person', 'parent', 5, 'twitter');
CALL undo_conversion('"Other ""1""".person', 'id');
CALL _convert_live('begin', '"Other ""1""".person', 'key', 'bigint', '1 s');
SELECT * FROM remains WHERE kind NOT IN ('constraint', 'index');
INSERT INTO "Other ""1""".person (n) VALUES (1);
INSERT INTO orders (customer, other) VALUES (2, 3);
UPDATE orders SET customer = 499 WHERE other = 3;
SELECT conversion, relation, percent FROM conversion_progress;
\t on
SELECT statement FROM snowflake_conversion_steps('"Other ""1""".person', 'key', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
-- renamed again, and undone
ALTER TABLE "Other ""1""".person RENAME key TO id;
ALTER TABLE "Other ""1""".person SET SCHEMA meanwhile_test;
ALTER TABLE person RENAME TO customer;
ALTER TABLE orders RENAME customer TO tmp;
ALTER TABLE orders RENAME other TO customer;
ALTER TABLE orders RENAME tmp TO other;
CALL undo_conversion('customer', 'id');
CALL _convert_live('fill', 'customer', 'id', 'bigint', '1 s');
SELECT * FROM remains;
(SELECT '+' AS side, fact FROM facts WHERE fact NOT LIKE 'before%' EXCEPT SELECT '+', fact FROM before) UNION ALL (SELECT '-', fact FROM before EXCEPT SELECT '-', fact FROM facts) ORDER BY 1, 2;
-- and to the end
\t on
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
ALTER TABLE customer RENAME TO person;
ALTER TABLE person RENAME id TO key;
ALTER TABLE orders RENAME customer TO person;
-- another table of the old name
CREATE TABLE customer (id serial PRIMARY KEY);
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter');
CALL undo_conversion('customer', 'id');
SELECT statement FROM snowflake_conversion_steps('person', 'key', 5, 'twitter') ORDER BY step \gexec
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') ORDER BY step \gexec
\t off
SELECT * FROM remains;
SELECT fact FROM facts WHERE fact ~ '^(orders|person|CREATE INDEX)' ORDER BY fact COLLATE "C";
DROP TABLE orders, person, customer, before;

--
-- Steps that are called without those before them find renamed columns, too
--
CALL create_tables();
CREATE TEMPORARY TABLE steps AS SELECT * FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter');
\t on
SELECT statement FROM steps WHERE statement LIKE '%begin%' \gexec
ALTER TABLE orders RENAME other TO other2;
ALTER TABLE orders ALTER COLUMN customer DROP NOT NULL;
SELECT statement FROM steps WHERE statement LIKE '%fill%' \gexec
INSERT INTO orders (customer, other2) VALUES (2, 3);
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') WHERE statement LIKE 'CREATE%' ORDER BY step \gexec
ALTER TABLE orders RENAME customer TO customer2;
ALTER TABLE orders ALTER COLUMN customer2 SET NOT NULL;
SELECT statement FROM steps WHERE statement LIKE '%validate%' \gexec
INSERT INTO orders (customer2, other2) VALUES (3, 4);
-- a table that has to be filled
CREATE TABLE later (customer int REFERENCES customer);
SELECT statement FROM steps WHERE statement LIKE '%validate%' \gexec
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') ORDER BY step \gexec
\t off
SELECT * FROM remains;
SELECT fact FROM facts WHERE fact ~ '^(orders|later|CREATE INDEX)' ORDER BY fact COLLATE "C";
DROP TABLE later, orders, customer, steps;

--
-- A foreign key is dropped, and tables with it: their shadow columns go, too
--
CALL create_tables();
CREATE TABLE invoice (other int REFERENCES customer);
\t on
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
ALTER TABLE orders DROP CONSTRAINT orders_other_fkey;
ALTER TABLE customer DROP CONSTRAINT customer_parent_fkey;
DROP TABLE invoice;
INSERT INTO orders (customer, other) VALUES (1, 1000);
CALL _convert_live('finish', 'customer', 'id', 'bigint', '1 s', node => 5, layout => 'twitter');
SELECT short(statement) FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') ORDER BY step;
\t on
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
SELECT * FROM remains WHERE kind IN ('column', 'function');
INSERT INTO orders (customer, other) VALUES (1, 1000);
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT * FROM remains;
SELECT fact FROM facts WHERE fact ~ '^(orders|customer)' ORDER BY fact COLLATE "C";
DROP TABLE orders, customer;
-- the only one
CREATE TABLE big (id bigserial PRIMARY KEY);
CREATE TABLE small (big int REFERENCES big);
\t on
SELECT statement FROM snowflake_conversion_steps('big', 'id', 5, 'twitter') WHERE statement LIKE '%begin%' \gexec
ALTER TABLE small DROP CONSTRAINT small_big_fkey;
SELECT statement FROM snowflake_conversion_steps('big', 'id', 5, 'twitter') \gexec
\t off
SELECT * FROM remains;
DROP TABLE small, big;

--
-- An index that foreign keys use is renamed or changed: the one beside it is created
-- again, and so are the foreign keys beside those
--
CALL create_tables();
\t on
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
ALTER INDEX customer_pkey RENAME TO customer_key;
SELECT short(statement) FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') ORDER BY step;
-- the step that was called for, without those before it
CALL _convert_live('validate', 'customer', 'id', 'bigint', '1 s');
CALL _convert_live('finish', 'customer', 'id', 'bigint', '1 s', node => 5, layout => 'twitter');
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
ALTER INDEX customer_key SET (fillfactor = 80);
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') ORDER BY step \gexec
\t off
SELECT * FROM remains;
SELECT fact FROM facts WHERE fact ~ '(KEY|INDEX)' ORDER BY fact COLLATE "C";
DROP TABLE orders, customer;

--
-- The converted table is dropped
--
CALL create_tables();
CREATE TABLE before AS SELECT * FROM facts WHERE fact LIKE 'orders%' AND fact NOT LIKE '%fkey%';
\t on
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
DROP TABLE customer CASCADE;
SELECT conversion, relation FROM conversion_progress;
CALL undo_conversion(NULL, NULL);
SELECT * FROM remains;
(SELECT '+' AS side, fact FROM facts WHERE fact LIKE 'orders%' EXCEPT SELECT '+', fact FROM before) UNION ALL (SELECT '-', fact FROM before EXCEPT SELECT '-', fact FROM facts) ORDER BY 1, 2;
CALL undo_conversion(NULL, NULL);
CALL undo_conversion('orders', NULL);
DROP TABLE orders, before;
-- the only one
CREATE TABLE alone (id serial PRIMARY KEY, created_at timestamptz);
INSERT INTO alone (created_at) VALUES ('2026-01-01');
\t on
SELECT statement FROM snowflake_conversion_steps('alone', 'id', 5, 'twitter', created_at => 'created_at') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
DROP TABLE alone;
SELECT conversion, relation FROM conversion_progress;
CALL undo_conversion(NULL, NULL);
SELECT * FROM remains;

--
-- The way under a lock has to wait for the end of the steps
--
CALL create_tables();
CREATE TABLE document (d text PRIMARY KEY);
CALL _convert_live('begin', 'customer', 'id', 'bigint', '1 s');
SELECT statement FROM objectid_conversion_steps('document', 'd') WHERE statement LIKE '%begin%' \gexec
SELECT convert_to_snowflake('customer', 'id', 5, 'twitter');
SELECT convert_to_objectid('document', 'd');
CALL undo_conversion('customer', 'id');
CALL undo_conversion('document', 'd');
SELECT convert_to_snowflake('customer', 'id', 5, 'twitter');
SELECT convert_to_objectid('document', 'd');
DROP TABLE orders, customer, document;

--
-- objectid_ext is moved to another schema, in which those who write have no privileges
--
CREATE TABLE document (t text, c char(24), v varchar, b bytea, j jsonb);
INSERT INTO document SELECT x, x, x, decode(x, 'hex'), to_jsonb(x) FROM (SELECT objectid_floor('2026-01-01 00:00:00+00')::text) AS o (x);
CREATE SCHEMA "ids 2";
GRANT USAGE ON SCHEMA meanwhile_test TO regress_meanwhile_writer;
GRANT SELECT, INSERT, UPDATE ON document TO regress_meanwhile_writer;
CREATE FUNCTION first_step(attribute name) RETURNS text LANGUAGE sql AS $$
    SELECT format('CALL objectid_ext_tools._convert_live(%L, %L, %L, %L, %L)', 'begin', 'document', attribute, objectid_ext_tools._ids_schema() || '.objectid', '1 s')
$$;
CREATE PROCEDURE write() LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL ROLE regress_meanwhile_writer;
    INSERT INTO document (t, c, v, b, j) SELECT '{ "$oid": "' || x || '" }', x, 'ObjectId("' || x || '")', decode(x, 'hex'), jsonb_build_object('$oid', x) FROM (SELECT repeat('a', 24)) AS o (x);
    UPDATE document SET t = v, c = v, v = c, b = b, j = to_jsonb(v) WHERE v LIKE '6%';
END $$;
SELECT first_step('t') \gexec
CALL write();
ALTER EXTENSION objectid_ext SET SCHEMA "ids 2";
CALL write();
SELECT short(statement) FROM objectid_conversion_steps('document', 't') ORDER BY step;
SELECT statement FROM objectid_conversion_steps('document', 't') ORDER BY step \gexec
SELECT first_step('c') \gexec
CALL write();
CALL undo_conversion('document', 'c');
SELECT first_step('v') \gexec
CALL write();
CALL undo_conversion('document', 'v');
SELECT first_step('b') \gexec
CALL write();
CALL undo_conversion('document', 'b');
SELECT first_step('j') \gexec
CALL write();
INSERT INTO document (j) VALUES ('"x"');
INSERT INTO document (j) VALUES ('null'), (NULL);
ALTER EXTENSION objectid_ext SET SCHEMA public;
CALL undo_conversion('document', 'j');
SELECT * FROM remains;
SELECT t, c, v, b, j FROM document ORDER BY c LIMIT 2;
DROP TABLE document;
DROP SCHEMA "ids 2";

--
-- Ids from the past: the key table and its schema are renamed
--
CREATE SCHEMA past;
CREATE TABLE past.member (id serial PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE TABLE past.message (author int REFERENCES past.member);
INSERT INTO past.member (created_at) SELECT '2026-01-01 00:00:00+00'::timestamptz + g * interval '1 s' FROM generate_series(1, 100) AS g;
INSERT INTO past.message SELECT id FROM past.member;
SELECT _backfill_step('past.member', 'id', '1 s', 5, 'twitter', 'created_at', NULL) FROM generate_series(1, 2);
ALTER TABLE past.member RENAME TO person;
INSERT INTO past.person (created_at) VALUES (now());
\t on
SELECT statement FROM snowflake_conversion_steps('past.person', 'id', 5, 'twitter', created_at => 'created_at') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
INSERT INTO past.person (created_at) VALUES (now());
ALTER TABLE past.person RENAME id TO key;
ALTER SCHEMA past RENAME TO "Past ""1""";
SELECT statement FROM snowflake_conversion_steps('"Past ""1""".person', 'key', 5, 'twitter', created_at => 'created_at') WHERE statement LIKE '%begin%' \gexec
INSERT INTO "Past ""1""".person (created_at) VALUES (now());
CALL undo_conversion('"Past ""1""".person', 'key');
SELECT * FROM remains;
SELECT statement FROM snowflake_conversion_steps('"Past ""1""".person', 'key', 5, 'twitter', created_at => 'created_at') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
ALTER SCHEMA "Past ""1""" RENAME TO past;
ALTER TABLE past.person RENAME TO member;
SELECT statement FROM snowflake_conversion_steps('past.member', 'key', 5, 'twitter', created_at => 'created_at') ORDER BY step \gexec
\t off
SELECT count(*), count(*) FILTER (WHERE snowflake_timestamp(key, 'twitter') = created_at) AS past FROM past.member JOIN past.message ON author = key;
SELECT * FROM remains;
DROP TABLE past.message, past.member;
DROP SCHEMA past;

--
-- Partitions that were made and detached between two steps
--
CREATE TABLE event (id serial, day int, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE TABLE e1 PARTITION OF event FOR VALUES IN (1);
CREATE TABLE detail (event int NOT NULL, day int, FOREIGN KEY (event, day) REFERENCES event) PARTITION BY LIST (day);
CREATE TABLE d1 PARTITION OF detail FOR VALUES IN (1);
INSERT INTO event (day) SELECT 1 FROM generate_series(1, 100);
INSERT INTO detail SELECT id, day FROM event;
-- of another owner
CREATE TABLE foreign_owner (id int);
ALTER TABLE foreign_owner OWNER TO regress_meanwhile_writer;
SELECT format('ALTER TABLE foreign_owner ADD %I int, ADD CONSTRAINT %I CHECK (%1$I > id)', _live_name('id'), _live_name('= ' || _live_name('id'))) \gexec
CALL _convert_live('begin', 'event', 'id', 'bigint', '1 s');
CREATE TABLE e2 PARTITION OF event FOR VALUES IN (2);
ALTER TABLE event DETACH PARTITION e2;
SELECT * FROM remains WHERE relation = 'e2';
CALL _convert_live('fill', 'event', 'id', 'bigint', '1 s');
SELECT * FROM remains WHERE relation = 'e2';
CREATE TABLE e3 PARTITION OF event FOR VALUES IN (3);
ALTER TABLE event DETACH PARTITION e3;
-- DETACH PARTITION CONCURRENTLY that has not ended
CREATE TABLE e4 PARTITION OF event FOR VALUES IN (4);
UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 'e4'::regclass;
CALL undo_conversion('event', 'id');
ALTER TABLE event DETACH PARTITION e4 FINALIZE;
CALL undo_conversion('event', 'id');
SELECT * FROM remains;
DROP TABLE foreign_owner, e2, e3, e4;
-- of a column that does not take part any more
CREATE TABLE extra (event int, day int) PARTITION BY LIST (day);
CREATE TABLE x1 PARTITION OF extra FOR VALUES IN (1);
ALTER TABLE extra ADD CONSTRAINT extra_fk FOREIGN KEY (event, day) REFERENCES event;
CALL _convert_live('begin', 'event', 'id', 'bigint', '1 s');
ALTER TABLE extra DROP CONSTRAINT extra_fk;
UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 'x1'::regclass;
CALL _convert_live('fill', 'event', 'id', 'bigint', '1 s');
ALTER TABLE extra DETACH PARTITION x1 FINALIZE;
CALL _convert_live('begin', 'event', 'id', 'bigint', '1 s');
CALL _convert_live('fill', 'event', 'id', 'bigint', '1 s');
SELECT * FROM remains WHERE relation IN ('extra', 'x1');
CALL undo_conversion('event', 'id');
DROP TABLE extra, x1;
-- one that is detached while others are filled accepts rows after the next batch
CREATE TABLE e5 PARTITION OF event FOR VALUES IN (5);
CALL _convert_live('begin', 'event', 'id', 'bigint', '1 s');
ALTER TABLE event DETACH PARTITION e5;
SELECT _live_fill('event', 'id', 'bigint', '1 s', NULL);
INSERT INTO e5 VALUES (1, 5);
CALL undo_conversion('event', 'id');
DROP TABLE e5;

--
-- NOT NULL is set and dropped
--
CREATE TABLE e2 PARTITION OF event FOR VALUES IN (2);
INSERT INTO event VALUES (1, 2);
CREATE TABLE x1 (event int, day int, other int NOT NULL);
CREATE TABLE x2 (event int NOT NULL, day int, other int);
CREATE TABLE extra (LIKE x1) PARTITION BY LIST (day);
ALTER TABLE extra ALTER other DROP NOT NULL;
ALTER TABLE extra ATTACH PARTITION x1 FOR VALUES IN (1);
ALTER TABLE extra ATTACH PARTITION x2 FOR VALUES IN (2);
ALTER TABLE extra ADD CONSTRAINT extra_event FOREIGN KEY (event, day) REFERENCES event, ADD CONSTRAINT extra_other FOREIGN KEY (other, day) REFERENCES event;
\t on
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
ALTER TABLE detail ALTER event DROP NOT NULL;
ALTER TABLE extra ALTER other SET NOT NULL;
ALTER TABLE x2 ALTER event DROP NOT NULL;
ALTER TABLE x1 ALTER event SET NOT NULL;
CALL _convert_live('finish', 'event', 'id', 'bigint', '1 s', node => 5, layout => 'twitter');
CALL _convert_live('begin', 'event', 'id', 'bigint', '1 s');
\t off
INSERT INTO detail VALUES (NULL, 1);
INSERT INTO extra VALUES (NULL, 2, 1);
SELECT conrelid::regclass, convalidated, short(pg_get_constraintdef(oid)) FROM pg_constraint
WHERE contype = 'c' AND conname LIKE '\_objectid%' AND conrelid IN ('detail'::regclass, 'extra'::regclass, 'x1'::regclass, 'x2'::regclass)
ORDER BY conrelid::regclass::text COLLATE "C", pg_get_constraintdef(oid) COLLATE "C";
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
SELECT * FROM _live_remaining('event', 'id', 'bigint');
CALL undo_conversion('event', 'id');
SELECT * FROM remains;
DROP TABLE extra;
ALTER TABLE event DETACH PARTITION e2;
DROP TABLE e2;
DELETE FROM detail WHERE event IS NULL;

--
-- Renamed, and new partitions, between the exchange of the columns and the end
--
CREATE PROCEDURE exchange() LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        COMMIT;
        PERFORM objectid_ext_tools._live_finish('event', 'id', 'bigint', '1 s', 5, 'twitter');
        EXIT WHEN to_regclass(objectid_ext_tools._live_late('event', 'id')) IS NOT NULL;
    END LOOP;
END $$;
CREATE TABLE empty (event int, day int, CONSTRAINT empty_fk FOREIGN KEY (day, event) REFERENCES event (day, id)) PARTITION BY LIST (day);
CREATE TABLE plain (event int, day int, CONSTRAINT plain_fk FOREIGN KEY (event, day) REFERENCES event ON DELETE CASCADE);
CREATE TABLE kept (event int, day int, CONSTRAINT kept_fk FOREIGN KEY (event, day) REFERENCES event) PARTITION BY LIST (day);
CREATE TABLE kept1 PARTITION OF kept FOR VALUES IN (1);
CREATE TABLE kept2 PARTITION OF kept FOR VALUES IN (2);
CREATE TABLE freed (event int, day int) PARTITION BY LIST (day);
CREATE TABLE freed1 PARTITION OF freed FOR VALUES IN (1);
ALTER TABLE freed ADD CONSTRAINT freed_fk FOREIGN KEY (event, day) REFERENCES event;
\t on
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
CALL exchange();
CREATE TABLE d2 PARTITION OF detail FOR VALUES IN (2);
ALTER TABLE d1 RENAME CONSTRAINT detail_event_day_fkey TO d1_event;
ALTER TABLE plain RENAME CONSTRAINT plain_fk TO plain_event;
-- ... also without the partition that has it; that of a detached one does not count
ALTER TABLE kept DETACH PARTITION kept1;
ALTER TABLE kept1 DROP CONSTRAINT kept_fk;
DROP TABLE kept2;
CREATE TABLE kept3 PARTITION OF kept FOR VALUES IN (3);
-- before PostgreSQL 18, the key of a partitioned table is that of its partitions meanwhile
DO $$ BEGIN EXECUTE (SELECT format('ALTER TABLE %s DROP CONSTRAINT freed_fk', conrelid::regclass) FROM pg_constraint
                     WHERE conname = 'freed_fk' AND conrelid IN ('freed'::regclass, 'freed1'::regclass) AND conparentid = 0 LIMIT 1); END $$;
CREATE SCHEMA moved;
ALTER TABLE event SET SCHEMA moved;
ALTER TABLE moved.event RENAME TO happening;
ALTER TABLE moved.happening RENAME id TO key;
ALTER TABLE detail RENAME event TO happening;
SELECT short(statement) FROM snowflake_conversion_steps('moved.happening', 'key', 5, 'twitter');
-- another table of the old name
CREATE TABLE event (id serial PRIMARY KEY, day int UNIQUE);
SELECT * FROM snowflake_conversion_steps('event', 'id', 5, 'twitter');
SELECT item, detail FROM conversion_plan('event', 'id') WHERE item LIKE 'obstacle%';
SELECT statement FROM snowflake_conversion_steps('moved.happening', 'key', 5, 'twitter') \gexec
SELECT conrelid::regclass, conname, convalidated, conparentid <> 0 AS inherited, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND conrelid IN ('detail'::regclass, 'd1'::regclass, 'd2'::regclass) AND confrelid = 'moved.happening'::regclass ORDER BY 1;
SELECT conrelid::regclass, conname, convalidated, conparentid <> 0 AS inherited, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND conrelid IN ('empty'::regclass, 'plain'::regclass, 'freed'::regclass, 'freed1'::regclass, 'kept'::regclass, 'kept3'::regclass) AND confrelid = 'moved.happening'::regclass ORDER BY 1;
SELECT * FROM snowflake_conversion_steps('moved.happening', 'key', 5, 'twitter');
SELECT * FROM remains;
DROP TABLE detail, empty, plain, freed, kept, kept1, event, moved.happening;

--
-- Publications of all tables, and of all of a schema, contain what a conversion creates
--
CREATE TABLE event (id serial PRIMARY KEY, created timestamptz NOT NULL DEFAULT '2026-01-01');
CREATE TABLE detail (event int REFERENCES event, day int, PRIMARY KEY (day, event)) PARTITION BY LIST (day);
CREATE TABLE d1 PARTITION OF detail FOR VALUES IN (1);
CREATE TABLE past (id serial PRIMARY KEY, past int REFERENCES past, created timestamptz NOT NULL DEFAULT '2026-01-01');
INSERT INTO event SELECT FROM generate_series(1, 5);
INSERT INTO detail SELECT id, 1 FROM event;
INSERT INTO past (past) VALUES (NULL), (1);
SET client_min_messages = error;
CREATE PUBLICATION regress_meanwhile FOR ALL TABLES;
CREATE PUBLICATION regress_meanwhile_schema FOR TABLES IN SCHEMA meanwhile_test;
RESET client_min_messages;
\t on
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT statement FROM snowflake_conversion_steps('past', 'id', 5, 'twitter', created_at => 'created') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
INSERT INTO past (past) VALUES (2);
SELECT statement FROM snowflake_conversion_steps('past', 'id', 5, 'twitter', created_at => 'created') ORDER BY step \gexec
\t off
SELECT conrelid::regclass, convalidated FROM pg_constraint WHERE contype = 'f' AND conrelid IN ('detail'::regclass, 'd1'::regclass, 'past'::regclass) ORDER BY 1;
SELECT * FROM remains;
DROP PUBLICATION regress_meanwhile, regress_meanwhile_schema;
DROP TABLE detail, event, past;

--
-- An event trigger enables row-level security of all tables, which does not apply to
-- the owner
--
CREATE FUNCTION secure() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT object_identity FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
    END LOOP;
END $$;
GRANT CREATE, USAGE ON SCHEMA meanwhile_test TO regress_meanwhile_writer;
CREATE EVENT TRIGGER regress_meanwhile ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION secure();
SET ROLE regress_meanwhile_writer;
CREATE TABLE secured (id serial PRIMARY KEY, secured int REFERENCES secured, created timestamptz NOT NULL DEFAULT '2026-01-01');
INSERT INTO secured (secured) VALUES (NULL), (1);
\t on
SELECT statement FROM snowflake_conversion_steps('secured', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
SELECT conversion, "rows", percent FROM conversion_progress;
SELECT count(*) FROM pg_class WHERE relname LIKE '\_objectid\_ext\_%' AND relrowsecurity;
CALL undo_conversion('secured', 'id');
\t on
SELECT statement FROM snowflake_conversion_steps('secured', 'id', 5, 'twitter', created_at => 'created') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
INSERT INTO secured (secured) VALUES (2);
-- it can also apply to the owner, who then does not see what is stored
SELECT format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', oid::regclass) FROM pg_class WHERE relname LIKE '\_objectid\_ext\_%' AND relkind = 'r' ORDER BY relname DESC LIMIT 1 \gexec
SELECT * FROM snowflake_conversion_steps('secured', 'id', 5, 'twitter', created_at => 'created');
CALL undo_conversion('secured', 'id');
SELECT format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', oid::regclass) FROM pg_class WHERE relname LIKE '\_objectid\_ext\_%' AND relforcerowsecurity \gexec
\t on
SELECT statement FROM snowflake_conversion_steps('secured', 'id', 5, 'twitter', created_at => 'created') ORDER BY step \gexec
\t off
SELECT count(*), count(*) FILTER (WHERE snowflake_timestamp(id, 'twitter') < '2026-01-02') AS past FROM secured;
RESET ROLE;
SELECT * FROM remains;
DROP EVENT TRIGGER regress_meanwhile;
DROP TABLE secured;
REVOKE ALL ON SCHEMA meanwhile_test FROM regress_meanwhile_writer;

SET client_min_messages = warning;
DROP SCHEMA meanwhile_test, moved, "Other ""1""" CASCADE;
DROP ROLE regress_meanwhile_writer;
