--
-- The tools run as whoever calls them, and call only functions of core and of both
-- extensions: other roles may create functions in the schema of objectid_ext
--
\a \t on

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_security;
DROP ROLE IF EXISTS regress_tools_dba, regress_tools_user;
RESET client_min_messages;
CREATE ROLE regress_tools_dba;
CREATE ROLE regress_tools_user;
CREATE DATABASE regress_objectid_security;
GRANT CREATE ON DATABASE regress_objectid_security TO regress_tools_dba, regress_tools_user;
\c regress_objectid_security
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';

-- A schema of that name is not used, whoever owns it.
SET SESSION AUTHORIZATION regress_tools_user;
CREATE SCHEMA objectid_ext_tools;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_tools_dba;
CREATE SCHEMA ids;
GRANT ALL ON SCHEMA ids TO PUBLIC;
CREATE EXTENSION objectid_ext SCHEMA ids;
CREATE EXTENSION objectid_ext_tools;
SET SESSION AUTHORIZATION regress_tools_user;
DROP SCHEMA objectid_ext_tools;

-- Traps in the schema of objectid_ext: better matches for what the functions call
CREATE SEQUENCE ids.sprung;
GRANT USAGE ON SEQUENCE ids.sprung TO PUBLIC;
CREATE FUNCTION ids.trap() RETURNS int LANGUAGE sql AS 'SELECT nextval(''ids.sprung'')::int';
CREATE FUNCTION ids.format(text, text) RETURNS text LANGUAGE sql AS 'SELECT ids.trap()::text';
CREATE FUNCTION ids.format(text, regclass) RETURNS text LANGUAGE sql AS 'SELECT ids.trap()::text';
CREATE FUNCTION ids.format(text, regclass, text) RETURNS text LANGUAGE sql AS 'SELECT ids.trap()::text';
CREATE FUNCTION ids.unnest(objectid_ext_tools text[]) RETURNS SETOF text LANGUAGE sql AS 'SELECT ids.trap()::text';
CREATE FUNCTION ids.concat_ws(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT ids.trap()::text';
CREATE FUNCTION ids._layout(text) RETURNS ids.snowflake_layout LANGUAGE sql AS 'SELECT ids.trap()::text::ids.snowflake_layout';
CREATE FUNCTION ids.now() RETURNS timestamptz LANGUAGE sql AS 'SELECT to_timestamp(ids.trap())';
CREATE FUNCTION ids.differ(name, name) RETURNS boolean LANGUAGE sql AS 'SELECT ids.trap() > 0';
CREATE OPERATOR ids.<> (FUNCTION = ids.differ, LEFTARG = name, RIGHTARG = name);
CREATE FUNCTION ids.below(oid, regtype) RETURNS boolean LANGUAGE sql AS 'SELECT ids.trap() > 0';
CREATE OPERATOR ids.= (FUNCTION = ids.below, LEFTARG = oid, RIGHTARG = regtype);

-- An ordinary role that may create schemas can install it, everybody can use it, and
-- nobody else can create objects in its schema.
SET SESSION AUTHORIZATION regress_tools_dba;
CREATE EXTENSION objectid_ext_tools;
SET SESSION AUTHORIZATION regress_tools_user;
CREATE FUNCTION objectid_ext_tools.f() RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE SCHEMA app;
GRANT USAGE ON SCHEMA app TO PUBLIC;
SET search_path = ids, app;
CREATE SEQUENCE event_id;
CREATE TABLE app.event (id bigint DEFAULT next_snowflake('event_id', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE app.event_default PARTITION OF app.event DEFAULT;
CREATE TABLE app.visit (id objectid) PARTITION BY RANGE (id);
SELECT objectid_ext_tools.create_id_partitions('app.event', '1 day', '2026-01-01Z', '2026-01-03Z');
SELECT done, problem FROM objectid_ext_tools.maintain_id_partitions('app.event', '1 day', '0 s', '1 month') WHERE done = 'dropped' OR problem IS NOT NULL;
SELECT count(*) FROM objectid_ext_tools.create_id_partitions('app.visit', '1 day', '2026-01-01Z', '2026-01-03Z');
SELECT * FROM objectid_ext_tools.id_partitions('app.visit');
SELECT table_name, sequence, node, problem FROM objectid_ext_tools.clock_sequences;
SELECT is_called AS sprung FROM ids.sprung;
-- as the caller, who must be the owner of the table
SET SESSION AUTHORIZATION regress_tools_dba;
SELECT objectid_ext_tools.create_id_partitions('app.event', '1 day', '2026-01-01Z', '2026-01-04Z');
SELECT proname FROM pg_proc WHERE pronamespace = 'objectid_ext_tools'::regnamespace AND prosecdef;
-- while locks are held, queries are not compiled, which takes seconds
SELECT count(*) FILTER (WHERE 'jit=off' = ANY (proconfig)) AS "jit=off", count(*) FROM pg_proc WHERE pronamespace = 'objectid_ext_tools'::regnamespace AND proname IN ('_conversion_begin', '_conversion_exchange', 'undo_conversion');

-- Nothing depends on it; without it, and in another schema, everything works.
SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS depends_on_the_tools
  FROM pg_depend AS d JOIN pg_depend AS tools ON tools.classid = d.refclassid AND tools.objid = d.refobjid
  JOIN pg_extension AS e ON tools.refclassid = 'pg_extension'::regclass AND tools.refobjid = e.oid
 WHERE e.extname = 'objectid_ext_tools' AND tools.deptype = 'e' AND d.deptype = 'n'
   AND NOT EXISTS (SELECT FROM pg_depend AS member WHERE member.classid = d.classid AND member.objid = d.objid AND member.deptype = 'e')
   AND NOT EXISTS (SELECT FROM pg_class AS row JOIN pg_depend AS member ON member.objid = row.reltype WHERE d.classid = 'pg_class'::regclass AND row.oid = d.objid AND member.classid = 'pg_type'::regclass AND member.deptype = 'e')
   AND d.classid <> 'pg_rewrite'::regclass;
DROP EXTENSION objectid_ext_tools;
RESET SESSION AUTHORIZATION;
INSERT INTO app.event DEFAULT VALUES;
CREATE SCHEMA moved;
ALTER EXTENSION objectid_ext SET SCHEMA moved;
CREATE EXTENSION objectid_ext_tools;
SELECT count(*) FROM objectid_ext_tools.id_partitions('app.visit');
ALTER EXTENSION objectid_ext SET SCHEMA public;
SELECT count(*) FROM objectid_ext_tools.id_partitions('app.visit');
SELECT table_name, sequence, layout FROM objectid_ext_tools.clock_sequences;

\c :original
DROP DATABASE regress_objectid_security;
DROP ROLE regress_tools_dba, regress_tools_user;
