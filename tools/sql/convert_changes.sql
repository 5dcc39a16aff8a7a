--
-- Conversions under load, in steps: what changes between the steps in ways that the
-- catalog does not show at once: copied columns, types and names that sessions and
-- indexes have kept, a conversion that has only just begun.
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA changes_test;
SET search_path = changes_test, public, objectid_ext_tools;
-- what went on for ever must not hang the tests
SET statement_timeout = '2min';

CREATE FUNCTION short(statement text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(statement, '_objectid_ext_[0-9a-f]{16}', '_X', 'g')
$$;
CREATE VIEW remains AS
SELECT relname::text AS name FROM pg_class WHERE relname LIKE '\_objectid\_ext\_%'
UNION ALL SELECT attname FROM pg_attribute WHERE attname LIKE '\_objectid\_ext\_%' AND NOT attisdropped
UNION ALL SELECT conname FROM pg_constraint WHERE conname LIKE '\_objectid\_ext\_%'
UNION ALL SELECT proname FROM pg_proc WHERE proname LIKE '\_objectid\_ext\_%';
-- Steps without a table of results
CREATE PROCEDURE step(phase text, of_table regclass, of_column name, to_type regtype DEFAULT 'bigint') LANGUAGE plpgsql AS $$
BEGIN
    PERFORM objectid_ext_tools._live_step(phase, of_table, of_column, to_type, '1 s', NULL, NULL, NULL);
END $$;

--
-- A table was made from one that is being converted, and has its shadow column, but
-- not the check that tells what it contains
--
CREATE TABLE item (id serial PRIMARY KEY);
INSERT INTO item SELECT FROM generate_series(1, 100);
CALL _convert_live('begin', 'item', 'id', 'bigint', '1 s');
CREATE TABLE copy AS SELECT * FROM item;
ALTER TABLE copy ADD PRIMARY KEY (id), ALTER id SET DEFAULT nextval('item_id_seq');
CREATE SEQUENCE copy_id_seq OWNED BY copy.id;
ALTER TABLE copy ALTER id SET DEFAULT nextval('copy_id_seq');
SELECT setval('copy_id_seq', 100);
\set VERBOSITY terse
SELECT short(detail) AS obstacle FROM conversion_plan('copy', 'id') WHERE item LIKE 'obstacle%';
DO $$ BEGIN CALL step('begin', 'copy', 'id'); EXCEPTION WHEN object_not_in_prerequisite_state THEN RAISE WARNING '%', short(sqlerrm); END $$;
SELECT format('ALTER TABLE copy DROP COLUMN %I', _live_name('id')) \gexec
\t on
SELECT statement FROM snowflake_conversion_steps('copy', 'id', 5, 'twitter') ORDER BY step \gexec
\t off
-- the check was dropped
SELECT format('ALTER TABLE item DROP CONSTRAINT %I', _live_name('= ' || _live_name('id'))) \gexec
CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 1 .. 10 LOOP
        CALL step('fill', 'item', 'id');
    END LOOP;
EXCEPTION WHEN object_not_in_prerequisite_state THEN
    RAISE WARNING '%', short(sqlerrm);
END $$;
CALL fill();
CALL undo_conversion('item', 'id');
SELECT * FROM remains;
DROP TABLE item, copy;

--
-- A table that was made like one that is being converted is left alone, unless it can
-- have been a partition
--
CREATE TABLE item (key serial PRIMARY KEY);
CREATE TABLE part (id serial, day int, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CALL _convert_live('begin', 'item', 'key', 'bigint', '1 s');
CALL _convert_live('begin', 'part', 'id', 'bigint', '1 s');
CREATE TABLE like_item (LIKE item INCLUDING CONSTRAINTS);
CREATE TABLE like_part (LIKE part INCLUDING CONSTRAINTS);
CREATE TEMP TABLE staging (LIKE part INCLUDING CONSTRAINTS);
CALL _convert_live('fill', 'item', 'key', 'bigint', '1 s');
CALL _convert_live('fill', 'part', 'id', 'bigint', '1 s');
CALL undo_conversion('item', 'key');
CALL undo_conversion('part', 'id');
SELECT attrelid::regclass AS relation FROM pg_attribute WHERE attname LIKE '\_objectid\_ext\_%' AND NOT attisdropped ORDER BY attrelid::regclass::text;
DROP TABLE item, part, like_item, like_part, staging;

--
-- The key has another name since the first step
--
CREATE TABLE keyed (id serial PRIMARY KEY);
CALL _convert_live('begin', 'keyed', 'id', 'bigint', '1 s');
ALTER TABLE keyed RENAME id TO key;
\set VERBOSITY default
SELECT short(statement) FROM snowflake_conversion_steps('keyed', 'id', 5, 'twitter');
CALL undo_conversion('keyed', 'id');
SELECT count(*) > 0 AS steps FROM snowflake_conversion_steps('keyed', 'key', 5, 'twitter');
CALL undo_conversion('keyed', 'key');
\set VERBOSITY terse
DROP TABLE keyed;

--
-- Ids from the past: the key is renamed before it has a shadow column, and then the
-- column of the times, which are not needed any more
--
CREATE TABLE member (id serial PRIMARY KEY, born date NOT NULL DEFAULT '2026-01-01');
CREATE TABLE message (author int REFERENCES member);
INSERT INTO member SELECT FROM generate_series(1, 100);
INSERT INTO message SELECT id FROM member;
SELECT _backfill_step('member', 'id', '1 s', 5, 'twitter', 'born', 'GMT') FROM generate_series(1, 2);
SET TimeZone = 'GMT';
ALTER TABLE member RENAME id TO key;
CALL undo_conversion('member', 'key');
SELECT * FROM remains;
SELECT _backfill_step('member', 'key', '1 s', 5, 'twitter', 'born', 'GMT') FROM generate_series(1, 2);
ALTER TABLE member RENAME key TO number;
\t on
SELECT statement FROM snowflake_conversion_steps('member', 'number', 5, 'twitter', created_at => 'born') WHERE step <= 2 ORDER BY step \gexec
ALTER TABLE member RENAME number TO id;
-- the trigger uses the old name until the next step
INSERT INTO member DEFAULT VALUES;
ALTER TABLE member RENAME born TO created;
ALTER TABLE member ALTER created TYPE timestamptz;
SELECT statement FROM snowflake_conversion_steps('member', 'id', 5, created_at => 'created', layout => 'js53');
SELECT statement FROM snowflake_conversion_steps('member', 'id', 5, 'twitter', created_at => 'created') WHERE statement LIKE '%begin%' \gexec
INSERT INTO member DEFAULT VALUES;
-- a session has compiled the function of the trigger
INSERT INTO message SELECT min(id) FROM member;
ALTER TABLE message ALTER author TYPE bigint;
DO $$ BEGIN INSERT INTO message SELECT min(id) FROM member; EXCEPTION WHEN datatype_mismatch THEN RAISE WARNING 'datatype mismatch'; END $$;
SELECT statement FROM snowflake_conversion_steps('member', 'id', 5, 'twitter', created_at => 'created') WHERE statement LIKE '%begin%' \gexec
INSERT INTO message SELECT min(id) FROM member;
SELECT statement FROM snowflake_conversion_steps('member', 'id', 5, 'twitter', created_at => 'created') ORDER BY step \gexec
\t off
SELECT count(*), count(*) FILTER (WHERE snowflake_timestamp(author, 'twitter') < '2026-01-02') AS past FROM message JOIN member ON id = author;
SELECT * FROM remains;
DROP TABLE message, member;

--
-- ... the schema is renamed, and another role takes the names that triggers use
--
DROP ROLE IF EXISTS regress_changes_other;
CREATE ROLE regress_changes_other;
GRANT CREATE ON DATABASE :"DBNAME" TO regress_changes_other;
CREATE SCHEMA past_test;
CREATE TABLE past_test.member (id serial PRIMARY KEY, born date NOT NULL DEFAULT '2026-01-01');
INSERT INTO past_test.member SELECT FROM generate_series(1, 3);
\t on
SELECT statement FROM snowflake_conversion_steps('past_test.member', 'id', 5, 'twitter', created_at => 'born') WHERE statement ~ 'INDEX CONCURRENTLY ON|_backfill_ids|begin' ORDER BY step \gexec
\t off
SELECT max(relname) FILTER (WHERE relname ~ 'past') AS past, max(relname) FILTER (WHERE relname ~ 'recent') AS recent
FROM pg_class WHERE relname LIKE '\_objectid\_ext\_%' AND relkind = 'r' \gset
ALTER SCHEMA past_test RENAME TO past_renamed;
SET ROLE regress_changes_other;
CREATE SCHEMA past_test;
CREATE TABLE past_test.:past (old_id bigint PRIMARY KEY, new_id bigint);
CREATE TABLE past_test.:recent (old_id bigint PRIMARY KEY, new_id bigint DEFAULT 1);
CREATE FUNCTION past_test.caught() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'caught'; RETURN NEW; END $$;
CREATE TRIGGER caught BEFORE INSERT ON past_test.:recent FOR EACH ROW EXECUTE FUNCTION past_test.caught();
GRANT USAGE ON SCHEMA past_test TO PUBLIC;
GRANT ALL ON ALL TABLES IN SCHEMA past_test TO PUBLIC;
RESET ROLE;
DISCARD PLANS;
INSERT INTO past_renamed.member DEFAULT VALUES;
-- nor can another role, to which the schema is given, put any there
DROP SCHEMA past_test CASCADE;
ALTER SCHEMA past_renamed RENAME TO past_test;
ALTER SCHEMA past_test OWNER TO regress_changes_other;
INSERT INTO past_test.member DEFAULT VALUES;
ALTER SCHEMA past_test OWNER TO SESSION_USER;
-- as after a dump was restored
CREATE TABLE past_test.copy AS TABLE past_test.:recent;
SELECT format('ALTER TABLE past_test.%1$I RENAME TO away; CREATE TABLE past_test.%1$I (LIKE past_test.away INCLUDING ALL); INSERT INTO past_test.%1$I TABLE past_test.copy', :'recent') \gexec
DISCARD PLANS;
INSERT INTO past_test.member DEFAULT VALUES;
SELECT count(*) FROM past_test.:recent;
DROP SCHEMA past_test CASCADE;
CALL undo_conversion(NULL, NULL);
SELECT * FROM remains;
REVOKE CREATE ON DATABASE :"DBNAME" FROM regress_changes_other;
DROP ROLE regress_changes_other;

--
-- Columns exchanged their names before: those of the index have kept theirs
--
CREATE TABLE person (id serial PRIMARY KEY);
CREATE TABLE account (person int REFERENCES person, number int, PRIMARY KEY (person, number));
ALTER TABLE account RENAME person TO tmp;
ALTER TABLE account RENAME number TO person;
ALTER TABLE account RENAME tmp TO number;
INSERT INTO person DEFAULT VALUES;
INSERT INTO account (person, number) VALUES (7, 1);
\t on
SELECT statement FROM snowflake_conversion_steps('person', 'id', 5, 'twitter') ORDER BY step \gexec
\t off
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'account_pkey'::regclass ORDER BY attnum;
SELECT pg_get_indexdef('account_pkey'::regclass);
SELECT * FROM remains;
DROP TABLE account, person;

--
-- Triggers of users, whose functions sessions have compiled
--
CREATE TABLE item (id serial PRIMARY KEY);
CREATE TABLE noted (id bigint);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql COST 7 AS $$
BEGIN
    IF NEW.id > 0 THEN
        INSERT INTO changes_test.noted VALUES (NEW.id);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT ON item FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO item DEFAULT VALUES;
\t on
SELECT statement FROM snowflake_conversion_steps('item', 'id', 5, 'twitter') ORDER BY step \gexec
\t off
INSERT INTO item DEFAULT VALUES;
SELECT count(*), count(*) FILTER (WHERE noted.id > 2147483647) AS snowflakes FROM noted JOIN item USING (id);
SELECT procost FROM pg_proc WHERE oid = 'note'::regproc;
-- under a lock
CREATE TABLE other (id serial PRIMARY KEY);
CREATE TRIGGER note AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION note();
INSERT INTO other DEFAULT VALUES;
SELECT convert_to_snowflake('other', 'id', 5, 'twitter');
INSERT INTO other DEFAULT VALUES;
SELECT count(*) FROM noted JOIN other USING (id);
DROP TABLE item, other, noted;

--
-- A conversion in steps has begun, but has changed no table yet
--
CREATE TABLE person (id serial PRIMARY KEY);
CREATE TABLE account (person int REFERENCES person, number serial);
CALL step('begin', 'person', 'id');
\set VERBOSITY default
SELECT convert_to_snowflake('person', 'id', 5, 'twitter');
CALL undo_conversion('person', 'id');
SELECT convert_to_snowflake('person', 'id', 5, 'twitter');
SELECT * FROM remains;

DROP TABLE account, person;

--
-- A referring column is dropped, and then the converted one
--
CREATE TABLE person (id serial PRIMARY KEY);
CREATE TABLE account (person int REFERENCES person, other int REFERENCES person);
INSERT INTO person DEFAULT VALUES;
INSERT INTO account VALUES (1, 1);
\t on
SELECT statement FROM snowflake_conversion_steps('person', 'id', 5, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
ALTER TABLE account DROP other;
\set VERBOSITY terse
INSERT INTO account VALUES (1);
SELECT statement FROM snowflake_conversion_steps('person', 'id', 5, 'twitter') WHERE statement LIKE '%begin%' ORDER BY step \gexec
\t off
INSERT INTO account VALUES (1);
ALTER TABLE person DROP id CASCADE;
SELECT conversion, relation FROM conversion_progress;
CALL undo_conversion(NULL, NULL);
SELECT * FROM remains;
INSERT INTO account VALUES (2);
INSERT INTO person DEFAULT VALUES;

DROP SCHEMA changes_test CASCADE;
