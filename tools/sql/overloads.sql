--
-- Definitions of tables are printed and read again.  Another role, who can create
-- functions in a schema that they use, makes functions that fit better.  None runs with
-- the rights of the owner, and none gets into a definition.
--

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_overloads;
DROP ROLE IF EXISTS regress_overloads_owner, regress_overloads_other;
CREATE ROLE regress_overloads_owner;
CREATE ROLE regress_overloads_other;
CREATE DATABASE regress_objectid_overloads;
\c regress_objectid_overloads
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA ids;
CREATE EXTENSION objectid_ext SCHEMA ids;
CREATE EXTENSION objectid_ext_tools;
CREATE SCHEMA app AUTHORIZATION regress_overloads_owner;
CREATE SCHEMA common;
GRANT USAGE, CREATE ON SCHEMA common TO PUBLIC;
GRANT USAGE ON SCHEMA ids, app TO PUBLIC;
RESET client_min_messages;
SET search_path = ids, app, common;

SET SESSION AUTHORIZATION regress_overloads_owner;
CREATE FUNCTION common.bucket(anyelement) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT length($1::text)';
CREATE FUNCTION common.fine(anyelement) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT $1 IS NOT NULL';
CREATE OPERATOR common.@@@ (FUNCTION = pg_catalog.int4pl, LEFTARG = integer, RIGHTARG = integer);
CREATE TABLE app.indexed (id serial PRIMARY KEY, name text DEFAULT 'a');
CREATE INDEX ON app.indexed (common.bucket(id));
CREATE FUNCTION common.norm(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT lower($1)';
CREATE INDEX ON app.indexed (id, common.norm(name)) WHERE id OPERATOR(common.@@@) 1 > 0;
CREATE OPERATOR common.@@@ (FUNCTION = pg_catalog.int84pl, LEFTARG = bigint, RIGHTARG = integer);
CREATE TABLE app.checked (id serial PRIMARY KEY, CHECK (id OPERATOR(common.@@@) 1 > 1));
CREATE TABLE app.fine (id serial PRIMARY KEY, name text DEFAULT 'a');
INSERT INTO app.fine DEFAULT VALUES;
ALTER TABLE app.fine ADD CHECK (common.fine(name)) NOT VALID;
CREATE TABLE app.referred (id serial PRIMARY KEY);
CREATE TABLE app.referring (id integer DEFAULT common.bucket(1) REFERENCES app.referred, n integer);
CREATE TABLE app.divided (id objectid DEFAULT gen_objectid(), region integer) PARTITION BY RANGE (id);
CREATE TABLE app.divided_first PARTITION OF app.divided FOR VALUES FROM (objectid_floor('2026-01-01Z')) TO (objectid_floor('2026-02-01Z')) PARTITION BY LIST (common.bucket(region));
CREATE TABLE app.divided_first_1 PARTITION OF app.divided_first DEFAULT;
INSERT INTO app.indexed DEFAULT VALUES;
INSERT INTO app.checked DEFAULT VALUES;
INSERT INTO app.referred DEFAULT VALUES;
INSERT INTO app.referring (n) VALUES (1);
CREATE TEMP TABLE step AS SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('app.indexed', 'id', 5, 'twitter');
-- functions are named with their schemas, so one in another schema of the path is none
SELECT step, statement FROM step WHERE statement LIKE '%common%' OR statement LIKE '%check%' ORDER BY step;

-- The steps that come before those of this index
SELECT statement FROM step WHERE step < (SELECT min(step) FROM step WHERE statement LIKE '%check%') ORDER BY step \gexec

RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_overloads_other;
CREATE FUNCTION common.trap() RETURNS boolean LANGUAGE plpgsql AS $$BEGIN RAISE NOTICE 'code of another role runs as %', current_user; RETURN true; END$$;
CREATE FUNCTION common.bucket(integer) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT common.trap()::integer';
CREATE FUNCTION common.bucket(bigint) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT common.trap()::integer';
CREATE DOMAIN common.fine AS text CHECK (common.trap());
CREATE FUNCTION common.plus(bigint, bigint) RETURNS bigint IMMUTABLE LANGUAGE sql AS 'SELECT common.trap()::integer::bigint';
CREATE OPERATOR common.@@@ (FUNCTION = common.plus, LEFTARG = bigint, RIGHTARG = bigint);
RESET SESSION AUTHORIZATION;

SET SESSION AUTHORIZATION regress_overloads_owner;
-- while the tables are in use: before the index is created, and at the end
SELECT statement FROM step WHERE statement LIKE '%check%' LIMIT 1 \gexec
SELECT statement FROM step WHERE statement LIKE '%finish%' \gexec
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('app.indexed', 'id', 5, 'twitter');
CALL objectid_ext_tools.undo_conversion('app.indexed', 'id');
-- before
SELECT item, detail FROM unnest('{app.indexed,app.checked,app.fine,app.referred}'::regclass[]) AS t, objectid_ext_tools.conversion_plan(t, 'id') WHERE item LIKE 'obstacle%';
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('app.fine', 'id', 5, 'twitter');
-- under a lock
SELECT objectid_ext_tools.convert_to_snowflake('app.checked', 'id', 5, 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('app.referred', 'id', 5, 'twitter');
-- sub-partitions
SELECT DISTINCT problem FROM objectid_ext_tools.maintain_id_partitions('app.divided', '1 month', '20 days');

-- Those of roles that are trusted anyway, and in other schemas, do not matter.
RESET SESSION AUTHORIZATION;
ALTER FUNCTION common.bucket(integer) OWNER TO regress_overloads_owner;
ALTER FUNCTION common.bucket(bigint) SET SCHEMA app;
ALTER FUNCTION app.bucket(bigint) RENAME TO buckets;
ALTER OPERATOR common.@@@ (bigint, bigint) OWNER TO regress_overloads_owner;
CREATE FUNCTION common.bucket(name) RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
SET SESSION AUTHORIZATION regress_overloads_owner;
SELECT objectid_ext_tools.convert_to_snowflake('app.indexed', 'id', 5, 'twitter');
SELECT indexdef FROM pg_indexes WHERE tablename = 'indexed' ORDER BY indexdef COLLATE "C";
RESET SESSION AUTHORIZATION;

\c :original
DROP DATABASE regress_objectid_overloads;
DROP ROLE regress_overloads_owner, regress_overloads_other;
