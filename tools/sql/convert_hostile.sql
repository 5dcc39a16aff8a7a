--
-- Conversions by a role with more rights: what another role has made near the tables
-- does not run with these rights, and is not believed
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_hostile, "regress_Hostile-Owner";
CREATE ROLE regress_hostile;
CREATE ROLE "regress_Hostile-Owner";
CREATE SCHEMA shop;
GRANT USAGE ON SCHEMA shop TO PUBLIC;
CREATE SCHEMA lair AUTHORIZATION regress_hostile;
CREATE TABLE shop.account (id serial PRIMARY KEY, name text);
INSERT INTO shop.account (name) VALUES ('Ada'), ('Grace');
GRANT REFERENCES ON shop.account TO regress_hostile;

SET ROLE regress_hostile;
-- tells whose rights it has, if these are not its owner's
CREATE FUNCTION lair.trap(bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
    AS 'BEGIN IF current_user <> ''regress_hostile'' THEN RAISE WARNING ''the trap is sprung''; END IF; RETURN true; END';

-- A view, which reads what its owner must not
CREATE VIEW lair.spy AS SELECT account.id, rolpassword FROM shop.account, pg_authid;
GRANT SELECT ON lair.spy TO PUBLIC;
RESET ROLE;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('shop.account', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT relowner::regrole FROM pg_class WHERE oid = 'lair.spy'::regclass;
CALL objectid_ext_tools.undo_conversion('shop.account', 'id');
DROP VIEW lair.spy;

-- A function that says which conversions there are, and which constraints must be validated
SET ROLE regress_hostile;
CREATE TABLE lair.bait (n int);
INSERT INTO lair.bait VALUES (1);
ALTER TABLE lair.bait ADD CONSTRAINT trap CHECK (lair.trap(n)) NOT VALID;
CREATE FUNCTION lair._objectid_ext_1() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
DO $$ BEGIN EXECUTE format('COMMENT ON FUNCTION lair._objectid_ext_1() IS %L', format('conversion of %1$s.1, table %1$s, [["%2$s","trap"]]', 'shop.account'::regclass::oid, 'lair.bait'::regclass::oid)); END $$;
CREATE FUNCTION lair._objectid_ext_2() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
COMMENT ON FUNCTION lair._objectid_ext_2() IS 'conversion of 99999999999.1, table 99999999999, {}';
RESET ROLE;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('shop.account', 'id', 5, 'twitter') WHERE statement LIKE 'ALTER%';
SELECT * FROM objectid_ext_tools.conversion_progress;
CALL objectid_ext_tools.undo_conversion('shop.account', 'id');
DROP TABLE lair.bait;

-- A table that refers to the key, and a view instead of a table
SET ROLE regress_hostile;
CREATE SEQUENCE lair.number;
CREATE TABLE lair.bait (n int REFERENCES shop.account, CHECK (lair.trap(n)), CHECK (lair.trap(7)));
CREATE INDEX ON lair.bait ((n + lair.trap(8)::int));
INSERT INTO lair.bait VALUES (1);
CREATE TABLE lair.numbers AS SELECT 1 AS id;
CREATE VIEW lair.fake AS SELECT id FROM lair.numbers WHERE lair.trap(id);
ALTER VIEW lair.fake ALTER id SET DEFAULT nextval('lair.number');
RESET ROLE;
SELECT detail FROM objectid_ext_tools.conversion_plan('shop.account', 'id') WHERE item LIKE 'refused%';
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('shop.account', 'id', 5, 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('shop.account', 'id', 5, 'twitter');
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('lair.fake', 'id', 5, 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('lair.fake', 'id', 5, 'twitter');
DROP TABLE lair.bait;

-- A better match for a function of a view, in a schema in which others may create it
CREATE TABLE shop.book (_id text PRIMARY KEY);
CREATE FUNCTION shop.label(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE VIEW shop.labels AS SELECT shop.label(_id) FROM shop.book;
GRANT CREATE ON SCHEMA shop TO regress_hostile;
SET ROLE regress_hostile;
CREATE FUNCTION shop.label(public.objectid) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT lair.trap(9)::text';
RESET ROLE;
SELECT detail FROM objectid_ext_tools.conversion_plan('shop.book', '_id') WHERE item LIKE 'refused%';
SELECT objectid_ext_tools.convert_to_objectid('shop.book', '_id');
DROP TABLE shop.book CASCADE;
DROP FUNCTION shop.label(text), shop.label(public.objectid);
REVOKE CREATE ON SCHEMA shop FROM regress_hostile;

-- The owner of a schema can put another table in the place of one.
CREATE TABLE lair.guest (id serial PRIMARY KEY);
SELECT detail FROM objectid_ext_tools.conversion_plan('lair.guest', 'id') WHERE item LIKE 'refused%';
DROP TABLE lair.guest;

-- What the owner of a table cannot lock in the last step is told before.
SET ROLE regress_hostile;
CREATE SEQUENCE lair.other_number;
CREATE TABLE lair.person (id int PRIMARY KEY);
GRANT ALL ON SEQUENCE lair.other_number TO PUBLIC;
GRANT ALL ON lair.person TO PUBLIC;
GRANT USAGE ON SCHEMA lair TO PUBLIC;
RESET ROLE;
CREATE TABLE shop.customer (id int PRIMARY KEY DEFAULT nextval('lair.other_number') REFERENCES lair.person);
SELECT detail FROM objectid_ext_tools.conversion_plan('shop.customer', 'id') WHERE item LIKE 'refused%';
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('shop.customer', 'id', 5, 'twitter');
DROP TABLE shop.customer;

-- Default privileges are not those of a view that is created again.
ALTER DEFAULT PRIVILEGES IN SCHEMA shop GRANT SELECT ON TABLES TO regress_hostile, PUBLIC;
CREATE VIEW shop.secret AS SELECT id, name FROM shop.account;
REVOKE ALL ON shop.secret FROM PUBLIC, regress_hostile;
GRANT SELECT (id) ON shop.secret TO regress_hostile;
CREATE DOMAIN lair.tid AS pg_catalog.tid CHECK (lair.trap(9));
CREATE DOMAIN lair.regclass AS pg_catalog.regclass CHECK (lair.trap(10));
CREATE DOMAIN lair.text AS pg_catalog.text CHECK (lair.trap(11));
CREATE DOMAIN lair.float8 AS pg_catalog.float8 CHECK (lair.trap(12));
SET search_path = lair, pg_catalog;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('shop.account', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT has_table_privilege('regress_hostile', 'shop.secret', 'SELECT') AS may_read, has_column_privilege('regress_hostile', 'shop.secret', 'id', 'SELECT') AS may_read_id;
RESET search_path;
ALTER DEFAULT PRIVILEGES IN SCHEMA shop REVOKE SELECT ON TABLES FROM regress_hostile, PUBLIC;

-- A role whose name must be quoted
ALTER SCHEMA lair OWNER TO "regress_Hostile-Owner";
SET ROLE "regress_Hostile-Owner";
CREATE TABLE lair.one (id serial PRIMARY KEY);
CREATE TABLE lair.two (id serial PRIMARY KEY);
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('lair.one', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT objectid_ext_tools.convert_to_snowflake('lair.two', 'id', 5, 'twitter');
SELECT attrelid::regclass FROM pg_attribute WHERE attrelid IN ('lair.one'::regclass, 'lair.two'::regclass) AND attnum > 0 AND atttypid = 'bigint'::regtype AND NOT attisdropped ORDER BY 1;
RESET ROLE;

DROP SCHEMA shop, lair CASCADE;
DROP ROLE regress_hostile, "regress_Hostile-Owner";
