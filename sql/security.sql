--
-- Other users can create objects in the extension's schema, before or after it is
-- installed.  They are never called in place of ours.
--
\a \t on

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_security;
DROP ROLE IF EXISTS regress_objectid_attacker, regress_objectid_installer, regress_objectid_victim;
RESET client_min_messages;

CREATE ROLE regress_objectid_attacker;
CREATE ROLE regress_objectid_installer;
CREATE ROLE regress_objectid_victim;
CREATE DATABASE regress_objectid_security;
GRANT CREATE ON DATABASE regress_objectid_security TO regress_objectid_installer, regress_objectid_victim;
\c regress_objectid_security
\set SHOW_CONTEXT never
SET SESSION AUTHORIZATION regress_objectid_installer;
CREATE SCHEMA ids;
GRANT USAGE, CREATE ON SCHEMA ids TO regress_objectid_attacker;
GRANT USAGE ON SCHEMA ids TO PUBLIC;
RESET SESSION AUTHORIZATION;

--
-- Before: a trap for every operator that core only has with a conversion, and
-- functions that match the script's calls more closely than core's
--
SET SESSION AUTHORIZATION regress_objectid_attacker;
DO $$
DECLARE
    types text[] := '{oid,regclass,name,text,varchar,"\"char\"",int4,int8,float8,oid[],timestamptz,interval}';
    symbol text;
    l text;
    r text;
BEGIN
    FOR l, r IN SELECT a, b FROM unnest(types) a, unnest(types) b LOOP
        EXECUTE format('CREATE FUNCTION ids.trap(l %s, r %s) RETURNS boolean LANGUAGE plpgsql AS
                        ''BEGIN RAISE EXCEPTION ''''trap of operator: %%, %%'''', pg_typeof(l), pg_typeof(r); END''', l, r);
        FOREACH symbol IN ARRAY '{=,<>,<,>,<=,>=,||,~,*,+,-}'::text[] LOOP
            EXECUTE format('CREATE OPERATOR ids.%s (FUNCTION = ids.trap, LEFTARG = %s, RIGHTARG = %s)', symbol, l, r);
        END LOOP;
    END LOOP;
END $$;
CREATE FUNCTION ids.trap() RETURNS boolean LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''trap of function''; END';
DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'is_objectid(varchar)', 'is_objectid(bpchar)', 'is_objectid(name)', 'snowflake_ceiling(timestamptz)',
        'setval(text, int8)', 'setval(regclass, float8)', 'setval(text, float8)', 'pg_extension_config_dump(text, text)',
        'date_part(varchar, timestamptz)', 'format(text, regclass)', 'format(text, name)',
        'octet_length(anyelement)', 'get_byte(anyelement, int)', 'substr(anyelement, int, int)', 'hashtext(anyelement)']
    LOOP
        EXECUTE format('CREATE FUNCTION ids.%s RETURNS boolean LANGUAGE sql AS ''SELECT ids.trap()''', signature);
    END LOOP;
END $$;

-- Our planner support looks these up by name and arguments, and would use any
-- result as an objectid.
CREATE FUNCTION ids.objectid_lower(int4range) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 1; END';
CREATE FUNCTION ids.objectid_upper(int4range) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN 1; END';

-- Existing objects with our names make CREATE EXTENSION fail.
CREATE FUNCTION ids.uuidv7_floor(timestamptz) RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid';
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_objectid_installer;
\set VERBOSITY sqlstate
CREATE EXTENSION objectid_ext SCHEMA ids;
DROP FUNCTION ids.uuidv7_floor(timestamptz);
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE DOMAIN ids.objectid AS text;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_objectid_installer;
CREATE EXTENSION objectid_ext SCHEMA ids;
\set VERBOSITY default
DROP DOMAIN ids.objectid;
CREATE EXTENSION objectid_ext SCHEMA ids;

-- No object of the extension depends on objects of others.
SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0) AS bound, pg_describe_object(d.refclassid, d.refobjid, 0) AS "to"
  FROM pg_depend AS d JOIN pg_depend AS ours USING (classid, objid)
 WHERE ours.refclassid::oid = 'pg_extension'::regclass::oid AND ours.deptype = 'e'
   AND d.deptype = 'n' AND d.refobjid >= 16384 AND d.refclassid::oid <> 'pg_namespace'::regclass::oid
   AND NOT EXISTS (SELECT FROM pg_depend AS e
                    WHERE e.classid = d.refclassid AND e.objid = d.refobjid AND e.deptype IN ('e', 'i'));
RESET SESSION AUTHORIZATION;

--
-- After: closer matches for arguments of the extension's own types
--
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE FUNCTION ids.next_snowflake(text, int, ids.snowflake_layout) RETURNS bigint LANGUAGE sql AS 'SELECT ids.trap()::int::bigint';
CREATE FUNCTION ids.objectid_floor(timestamp) RETURNS ids.objectid LANGUAGE sql AS 'SELECT ids.trap()::text::ids.objectid';
CREATE FUNCTION ids.trap(l ids.objectid, r varchar) RETURNS boolean LANGUAGE sql AS 'SELECT ids.trap()';
CREATE OPERATOR ids.= (FUNCTION = ids.trap, LEFTARG = ids.objectid, RIGHTARG = varchar);
RESET SESSION AUTHORIZATION;

-- A victim with an unsafe search_path: temporary objects, and the attacker's
-- schema, come before the catalog.  What the planner rewrites has our functions.
SET SESSION AUTHORIZATION regress_objectid_victim;
CREATE SCHEMA victim;
CREATE TABLE victim.document (id ids.objectid PRIMARY KEY DEFAULT ids.gen_objectid(), n bigint DEFAULT ids.next_shard_id(5, 1));
INSERT INTO victim.document VALUES ('507f1f77bcf86cd799439011', 7);
INSERT INTO victim.document DEFAULT VALUES;
CREATE TEMP TABLE pg_class (oid oid);
CREATE DOMAIN pg_temp.objectid AS text CHECK (false);
SET search_path = pg_temp, ids, pg_catalog;
SET timezone = 'UTC';
SELECT id FROM victim.document WHERE id OPERATOR(ids.<) timestamptz '2013-01-01';
SELECT id FROM victim.document WHERE id OPERATOR(ids.<@) tstzrange('2012-01-01', '2013-01-01');
SELECT id FROM victim.document WHERE id OPERATOR(ids.=) '507f1f77bcf86cd799439011'::text;
SELECT n FROM victim.document WHERE ids.snowflake_within(n, tstzrange('2011-08-24', '2011-08-25'), 'instagram');
RESET SESSION AUTHORIZATION;

\c :original
DROP DATABASE regress_objectid_security;
DROP ROLE regress_objectid_attacker, regress_objectid_installer, regress_objectid_victim;
