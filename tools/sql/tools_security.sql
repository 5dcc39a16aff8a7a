--
-- Other users can create objects in the extension's schema, before or after it is
-- installed.  They are never called in place of ours.
--

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
-- Before: a trap for every operator that core only has with a conversion
--
SET SESSION AUTHORIZATION regress_objectid_attacker;
DO $$
DECLARE
    types text[] := '{oid,regclass,regtype,name,text,varchar,bpchar,"\"char\"",int2,int4,int8,int2[],oid[],text[],timestamptz,interval,pg_node_tree}';
    symbol text;
    l text;
    r text;
BEGIN
    FOR l, r IN SELECT a, b FROM unnest(types) a, unnest(types) b LOOP
        EXECUTE format('CREATE FUNCTION ids.trap(l %s, r %s) RETURNS boolean LANGUAGE plpgsql AS
                        ''BEGIN RAISE EXCEPTION ''''trap of operator: %%, %%'''', pg_typeof(l), pg_typeof(r); END''', l, r);
        FOREACH symbol IN ARRAY '{=,<>,<,>,<=,>=,||,~,*}'::text[] LOOP
            EXECUTE format('CREATE OPERATOR ids.%s (FUNCTION = ids.trap, LEFTARG = %s, RIGHTARG = %s)', symbol, l, r);
        END LOOP;
    END LOOP;
END $$;

-- And for functions of core and ours: closer matches, and ours with fewer
-- arguments, if ours have defaults
CREATE FUNCTION ids.trap() RETURNS boolean LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''trap of function''; END';
DO $$
DECLARE
    signature text;
BEGIN
    FOREACH signature IN ARRAY ARRAY[
        'is_objectid(varchar)', 'is_objectid(bpchar)', 'is_objectid(name)',
        '_conversion_obstacles(regclass, name, text)', '_change_column_types(regclass, name, text)',
        '_referring_columns(regclass, text)', '_referring_columns(oid, name)', 'snowflake_ceiling(timestamptz)',
        'format(text, name)', 'format(text, regclass)', 'format(text, regclass, name)', 'format(text, regclass, name, regclass)',
        'pg_get_expr(pg_node_tree, regclass)', 'quote_ident(name)', 'obj_description(regclass, text)', 'obj_description(oid, text)',
        'left(name, int4)', 'concat(pg_node_tree, pg_node_tree)', 'octet_length(name)', 'regexp_match(text, varchar)', 'unnest(int2[], oid[], oid[])']
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
CREATE EXTENSION objectid_ext_tools;

-- No object of the extensions depends on objects of others.
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
CREATE FUNCTION ids._partition_bound(text, timestamptz, ids.snowflake_layout) RETURNS text LANGUAGE sql AS 'SELECT ids.trap()::text';
CREATE FUNCTION ids.next_snowflake(text, int, ids.snowflake_layout) RETURNS bigint LANGUAGE sql AS 'SELECT ids.trap()::int::bigint';
CREATE FUNCTION ids.objectid_floor(timestamp) RETURNS ids.objectid LANGUAGE sql AS 'SELECT ids.trap()::text::ids.objectid';
CREATE FUNCTION ids.trap(l ids.objectid, r varchar) RETURNS boolean LANGUAGE sql AS 'SELECT ids.trap()';
CREATE OPERATOR ids.= (FUNCTION = ids.trap, LEFTARG = ids.objectid, RIGHTARG = varchar);
RESET SESSION AUTHORIZATION;

-- A victim with an unsafe search_path: the attacker's schema, and temporary
-- objects, come before the catalog.
SET SESSION AUTHORIZATION regress_objectid_victim;
CREATE SCHEMA victim;
CREATE TABLE victim.numbered (id serial PRIMARY KEY, n int);
CREATE TABLE victim.identified (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int);
CREATE TABLE victim.refers (id int REFERENCES victim.numbered);
INSERT INTO victim.numbered (n) VALUES (1), (2);
INSERT INTO victim.identified (n) VALUES (1), (2);
INSERT INTO victim.refers VALUES (1), (2);
CREATE TABLE victim.document (id varchar(24) PRIMARY KEY, c char(24), b bytea, j jsonb);
CREATE TABLE victim.part_of (id text DEFAULT '507f1f77bcf86cd799439011' REFERENCES victim.document);
INSERT INTO victim.document VALUES ('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011', '{"$oid":"507f1f77bcf86cd799439011"}');
INSERT INTO victim.part_of DEFAULT VALUES;
CREATE TABLE victim.live (id serial PRIMARY KEY, parent int REFERENCES victim.live, CHECK (id + 1 > 0));
CREATE INDEX ON victim.live ((id % 10)) WHERE id > 0;
CREATE TABLE victim.live_past (id serial PRIMARY KEY, parent int REFERENCES victim.live_past, created date);
CREATE TABLE victim.live_text (id text PRIMARY KEY, c char(24), b bytea UNIQUE);
INSERT INTO victim.live (parent) VALUES (NULL), (1);
INSERT INTO victim.live_past (parent, created) VALUES (NULL, '2026-01-02'), (1, '2026-01-01');
INSERT INTO victim.live_text VALUES ('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011');
CREATE TABLE victim.by_time (id ids.objectid) PARTITION BY RANGE (id);
CREATE TABLE victim.by_number (id bigint) PARTITION BY RANGE (id);
CREATE TABLE victim.by_uuid (id uuid) PARTITION BY RANGE (id);
CREATE TEMP TABLE pg_extension AS SELECT 'objectid_ext'::name AS extname, 'pg_catalog'::regnamespace::oid AS extnamespace;
CREATE TEMP TABLE pg_class (oid oid);
CREATE TEMP TABLE pg_attribute (attrelid oid);
CREATE DOMAIN pg_temp.regtype AS text CHECK (false);
CREATE DOMAIN pg_temp.objectid AS text CHECK (false);
CREATE SEQUENCE victim.clock;
CREATE TABLE victim.clocked (id bigint DEFAULT ids.next_snowflake('victim.clock'::regclass, 1, 'twitter'));
SET search_path = pg_temp, ids, pg_catalog;
SET timezone = 'UTC';

SELECT column_name, generator, sequence, layout, node, problem FROM objectid_ext_tools.clock_sequences;

SELECT objectid_ext_tools.create_id_partitions('victim.by_time', '1 day', '2026-01-01', '2026-01-02');
SELECT objectid_ext_tools.create_id_partitions('victim.by_number', '1 day', '2026-01-01', '2026-01-02', 'twitter');
SELECT objectid_ext_tools.create_id_partitions('victim.by_uuid', '1 day', '2026-01-01', '2026-01-02');
SELECT * FROM objectid_ext_tools.id_partitions('victim.by_time');
SELECT * FROM objectid_ext_tools.id_partitions('victim.by_number', 'twitter');
SELECT * FROM objectid_ext_tools.id_partitions('victim.by_uuid');
SELECT objectid_ext_tools.convert_to_snowflake('victim.numbered', 'id', 1, 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('victim.identified', 'id', 1, 'twitter');
SELECT objectid_ext_tools.convert_to_objectid('victim.document', 'id');
SELECT objectid_ext_tools.convert_to_objectid('victim.document', 'c');
SELECT objectid_ext_tools.convert_to_objectid('victim.document', 'b');
SELECT objectid_ext_tools.convert_to_objectid('victim.document', 'j');
SELECT item, relation FROM objectid_ext_tools.conversion_plan('victim.live', 'id');
SELECT item, relation FROM objectid_ext_tools.conversion_plan('victim.live_text', 'id');
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('victim.live', 'id', 1, 'twitter') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
SET search_path = pg_temp, ids, pg_catalog;
SELECT relation, percent FROM objectid_ext_tools.conversion_progress;
CALL objectid_ext_tools.undo_conversion('victim.live', 'id');
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('victim.live', 'id', 1, 'twitter') ORDER BY step \gexec
SET search_path = pg_temp, ids, pg_catalog;
INSERT INTO victim.live (parent) VALUES (1);
SELECT item, relation FROM objectid_ext_tools.conversion_plan('victim.live_past', 'id', 'created');
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('victim.live_past', 'id', 1, 'twitter', created_at => 'created') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
INSERT INTO victim.live_past (parent) VALUES (1);
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('victim.live_past', 'id', 1, 'twitter', created_at => 'created') ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('victim.live_text', 'id') ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('victim.live_text', 'c') ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('victim.live_text', 'b') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
UPDATE victim.live_text SET b = '\x507f1f77bcf86cd799439012';
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('victim.live_text', 'b') ORDER BY step \gexec
\t off
SET search_path = pg_catalog;
INSERT INTO victim.numbered (n) VALUES (3);
INSERT INTO victim.identified (n) VALUES (3);
INSERT INTO victim.part_of DEFAULT VALUES;
SELECT pg_catalog.format_type(atttypid, NULL) AS type, count(*)
  FROM pg_catalog.pg_attribute WHERE attname IN ('id', 'c', 'b', 'j') AND attrelid IN (SELECT oid FROM pg_catalog.pg_class WHERE relkind = 'r' AND relnamespace = 'victim'::regnamespace)
 GROUP BY 1 ORDER BY 1;
SELECT n, id > 2 AS snowflake FROM victim.numbered ORDER BY n;
SELECT n, id > 2 AS snowflake FROM victim.identified ORDER BY n;
SELECT * FROM victim.document;
SELECT count(*) FROM victim.part_of;

-- A range of another type is an error of ours, and calls no function of others.
SELECT count(*) FROM victim.document WHERE id OPERATOR(ids.<@) int4range(1, length(c::text));
SELECT count(*) FROM victim.document WHERE id OPERATOR(ids.<@) tstzrange(NULL, now());
SELECT count(*) FROM victim.document WHERE id OPERATOR(ids.<) now();
RESET search_path;
RESET SESSION AUTHORIZATION;

--
-- Privileges: the extension's owner cannot change its functions, which are in C
-- and belong to the superuser
--
SET SESSION AUTHORIZATION regress_objectid_installer;
CREATE OR REPLACE FUNCTION ids.objectid_floor(timestamptz) RETURNS ids.objectid LANGUAGE sql AS 'SELECT NULL::ids.objectid';
DROP FUNCTION ids.objectid_floor(timestamptz);
ALTER EXTENSION objectid_ext DROP FUNCTION ids.objectid_floor(timestamptz);
ALTER FUNCTION ids.objectid_floor(timestamptz) RENAME TO objectid_floor_no_more;
CREATE FUNCTION ids.supported(int) RETURNS boolean LANGUAGE sql SUPPORT ids.time_range_support AS 'SELECT true';
CREATE CAST (int AS ids.objectid) WITH INOUT;
ALTER TYPE ids.objectid SET (ANALYZE = NONE);
RESET SESSION AUTHORIZATION;

-- Generators require the privileges of nextval(), even if another role of the
-- session has left ids in a block; conversions require the table's owner.
GRANT USAGE ON SCHEMA victim TO regress_objectid_attacker;
ALTER SEQUENCE victim.numbered_id_seq CACHE 1000;
SELECT count(DISTINCT ids.next_snowflake('victim.numbered_id_seq'::pg_catalog.regclass, 1, 'twitter'::ids.snowflake_layout)) FROM generate_series(1, 2);
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT ids.next_snowflake('victim.numbered_id_seq'::pg_catalog.regclass, 1, 'twitter'::ids.snowflake_layout);
SELECT first FROM ids.nextval_range('victim.numbered_id_seq', 1);
SELECT ids.nextval_any('{victim.numbered_id_seq}');
SELECT objectid_ext_tools.convert_to_snowflake('victim.numbered', 'id', 1, 'twitter');
SELECT objectid_ext_tools.convert_to_objectid('victim.document', 'c');
SELECT objectid_ext_tools._change_column_types('victim.numbered', 'n', 'bigint'::pg_catalog.regtype);
SELECT objectid_ext_tools._replace_identity('victim.numbered', 'id', 'victim.numbered_id_seq');
SELECT objectid_ext_tools.create_id_partitions('victim.by_number', '1 day', '2026-01-02', '2026-01-03');
SET objectid_ext.max_clock_lead = '1h';
RESET SESSION AUTHORIZATION;

-- New ids are written with the rights of the owner of the tables.  The owner of the
-- schema could put another table in the place of that with the new ids.
GRANT CREATE ON SCHEMA ids TO regress_objectid_victim;
SET SESSION AUTHORIZATION regress_objectid_victim;
CREATE TABLE ids.shared (id serial PRIMARY KEY, created_at timestamptz);
SELECT item, detail FROM objectid_ext_tools.conversion_plan('ids.shared', 'id', 'created_at') WHERE item LIKE 'obstacle%';
SELECT count(*) FROM objectid_ext_tools.conversion_plan('ids.shared', 'id') WHERE item LIKE 'obstacle%';
CALL objectid_ext_tools._backfill_ids('ids.shared', 'id', '1 s', node => 1, layout => 'twitter', created_at => 'created_at', time_zone => NULL);
RESET SESSION AUTHORIZATION;
ALTER SCHEMA ids OWNER TO pg_database_owner;
ALTER DATABASE regress_objectid_security OWNER TO regress_objectid_installer;
SET SESSION AUTHORIZATION regress_objectid_victim;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.shared', 'id', 1, 'twitter', created_at => 'created_at');
RESET SESSION AUTHORIZATION;
GRANT regress_objectid_victim TO regress_objectid_installer;
SET SESSION AUTHORIZATION regress_objectid_victim;
SELECT count(*) FROM objectid_ext_tools.conversion_plan('ids.shared', 'id', 'created_at') WHERE item LIKE 'obstacle%';
RESET SESSION AUTHORIZATION;
REVOKE regress_objectid_victim FROM regress_objectid_installer;
ALTER DATABASE regress_objectid_security OWNER TO CURRENT_USER;
ALTER SCHEMA ids OWNER TO CURRENT_USER;
GRANT CREATE, USAGE ON SCHEMA ids TO regress_objectid_installer;
SET SESSION AUTHORIZATION regress_objectid_victim;
SELECT count(*) FROM objectid_ext_tools.conversion_plan('ids.shared', 'id', 'created_at') WHERE item LIKE 'obstacle%';
RESET SESSION AUTHORIZATION;
REVOKE CREATE ON SCHEMA ids FROM regress_objectid_victim;
DROP TABLE ids.shared;

-- A conversion does not take over a function that another role has created
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT format('CREATE FUNCTION ids.%I() RETURNS trigger LANGUAGE plpgsql AS %L', objectid_ext_tools._live_name('owned'), 'BEGIN RETURN NEW; END') \gexec
RESET SESSION AUTHORIZATION;
CREATE TABLE ids.owned (id serial PRIMARY KEY, created_at timestamptz);
CALL objectid_ext_tools._convert_live('begin', 'ids.owned', 'id', 'bigint', '1 s');
CALL objectid_ext_tools.undo_conversion('ids.owned', 'id');
CALL objectid_ext_tools._backfill_ids('ids.owned', 'id', '1 s', node => 1, layout => 'twitter', created_at => 'created_at', time_zone => NULL);
CALL objectid_ext_tools.undo_conversion('ids.owned', 'id');
SELECT format('DROP FUNCTION ids.%I()', objectid_ext_tools._live_name('owned')) \gexec

-- nor a table or view with the name of one of its own
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT format('CREATE TABLE ids.%I (relation regclass)', objectid_ext_tools._live_name('owned.id')) \gexec
RESET SESSION AUTHORIZATION;
SELECT item, split_part(detail, E'\n', 1) AS detail FROM objectid_ext_tools.conversion_plan('ids.owned', 'id') WHERE item LIKE 'obstacle%';
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
CALL objectid_ext_tools._convert_live('begin', 'ids.owned', 'id', 'bigint', '1 s');
CALL objectid_ext_tools.undo_conversion('ids.owned', 'id');
SELECT format('DROP TABLE ids.%I', objectid_ext_tools._live_name('owned.id')) \gexec
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT format('CREATE VIEW ids.%I AS SELECT ids.trap()', objectid_ext_tools._live_name('owned.id') || suffix) FROM unnest('{"",_past,_recent}'::text[]) AS suffix \gexec
SELECT format('CREATE TABLE ids.%I (relation regclass, name name, definition text, comment text)', objectid_ext_tools._live_name('owned.id late')) \gexec
RESET SESSION AUTHORIZATION;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter', created_at => 'created_at');
SELECT format('DROP VIEW ids.%I', objectid_ext_tools._live_name('owned.id')) \gexec
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
SELECT format('DROP VIEW ids.%I', objectid_ext_tools._live_name('owned.id') || '_past') \gexec
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
SELECT format('DROP VIEW ids.%I', objectid_ext_tools._live_name('owned.id') || '_recent') \gexec
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
SELECT format('DROP TABLE ids.%I', objectid_ext_tools._live_name('owned.id late')) \gexec
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
-- nor a type, unless it is one of an array, which PostgreSQL renames
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT format('CREATE TABLE ids.%I ()', substr(objectid_ext_tools._live_name('owned.id'), 2)) \gexec
SELECT format('CREATE DOMAIN ids.%I AS integer', objectid_ext_tools._live_name('owned.id') || '_past') \gexec
RESET SESSION AUTHORIZATION;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
SELECT format('DROP DOMAIN ids.%I', objectid_ext_tools._live_name('owned.id') || '_past') \gexec
CALL objectid_ext_tools._convert_live('begin', 'ids.owned', 'id', 'bigint', '1 s');
CALL objectid_ext_tools.undo_conversion('ids.owned', 'id');
-- nor a trigger, of which undo_conversion() would drop the function
CREATE FUNCTION ids.noted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
GRANT TRIGGER ON ids.owned TO regress_objectid_attacker;
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE TRIGGER "~objectid_ext_conversion" AFTER INSERT ON ids.owned FOR EACH ROW EXECUTE FUNCTION ids.noted();
RESET SESSION AUTHORIZATION;
SELECT detail FROM objectid_ext_tools.conversion_plan('ids.owned', 'id') WHERE item LIKE 'obstacle%';
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
SELECT objectid_ext_tools._live_check_apart('{ids.owned}', 'state');
CALL objectid_ext_tools.undo_conversion('ids.owned', 'id');
DROP TRIGGER "~objectid_ext_conversion" ON ids.owned;
DROP FUNCTION ids.noted;
DROP TABLE ids.owned;
-- A foreign key of another role to the new column does not prevent the rest
CREATE TABLE ids.owned (id serial, part integer, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE ids.owned_1 PARTITION OF ids.owned FOR VALUES IN (1);
CREATE TABLE ids.refers (id integer, part integer, FOREIGN KEY (id, part) REFERENCES ids.owned);
GRANT REFERENCES ON ids.owned TO regress_objectid_attacker;
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter') WHERE statement NOT LIKE '%finish%' \gexec
\t off
DO $$
BEGIN
    FOR n IN 1 .. 9 LOOP
        PERFORM objectid_ext_tools._live_step('finish', 'ids.owned', 'id', 'bigint', '1 s', NULL, 1, 'twitter');
        EXIT WHEN to_regclass(objectid_ext_tools._live_late('ids.owned', 'id')) IS NOT NULL;
    END LOOP;
END $$;
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE TABLE ids.refers_too (id integer, part integer, FOREIGN KEY (id, part) REFERENCES ids.owned);
RESET SESSION AUTHORIZATION;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter') \gexec
SELECT count(*) FROM objectid_ext_tools.snowflake_conversion_steps('ids.owned', 'id', 1, 'twitter');
SELECT convalidated, count(*) FROM pg_constraint WHERE conrelid = 'ids.refers'::regclass AND conparentid = 0 GROUP BY 1;
DROP TABLE ids.owned, ids.refers, ids.refers_too;

-- Nothing of the owner of a table runs with the rights of who plans a conversion or
-- tries to go on with it.
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE FUNCTION ids.spring(n bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF current_user <> 'regress_objectid_attacker' THEN RAISE WARNING 'sprung, as %', current_user; END IF;
    RETURN n > 0;
END $$;
CREATE TABLE ids.bait (id serial PRIMARY KEY CHECK (ids.spring(id)), created_at timestamptz DEFAULT '2026-01-01', text_id text UNIQUE);
CREATE INDEX ON ids.bait (id) WHERE ids.spring(1) AND id > 0;
CREATE UNIQUE INDEX ON ids.bait (text_id) WHERE ids.spring(2);
INSERT INTO ids.bait (text_id) VALUES ('507f1f77bcf86cd799439011'), ('507f1f77bcf86cd799439012');
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.bait', 'id', 1, 'twitter', created_at => 'created_at') WHERE step = 1 \gexec
CALL objectid_ext_tools.undo_conversion('ids.bait', 'id');
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.bait', 'id', 1, 'twitter') WHERE step = 1 \gexec
\t off
SELECT format('CREATE OR REPLACE FUNCTION ids.%I() RETURNS trigger LANGUAGE plpgsql AS %L', objectid_ext_tools._live_name('bait'), 'BEGIN PERFORM ids.spring(3); NEW := NULL; RETURN NEW; END') \gexec
RESET SESSION AUTHORIZATION;
SELECT item, detail FROM objectid_ext_tools.conversion_plan('ids.bait', 'id');
SELECT item, detail FROM objectid_ext_tools.conversion_plan('ids.bait', 'id', 'created_at') WHERE item LIKE 'obstacle%';
SELECT item, detail FROM objectid_ext_tools.conversion_plan('ids.bait', 'text_id') WHERE item LIKE 'obstacle%';
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('ids.bait', 'id', 1, 'twitter');
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('ids.bait', 'id', 1, 'twitter', created_at => 'created_at');
SELECT * FROM objectid_ext_tools.objectid_conversion_steps('ids.bait', 'text_id');
CALL objectid_ext_tools._convert_live('fill', 'ids.bait', 'id', 'bigint', '1 s');
CALL objectid_ext_tools._convert_live('finish', 'ids.bait', 'id', 'bigint', '1 s', NULL, 1, 'twitter');
CALL objectid_ext_tools._backfill_ids('ids.bait', 'id', '1 s', 1, 'twitter', 'created_at', NULL);
CALL objectid_ext_tools.undo_conversion('ids.bait', 'id');
-- nor that of a table that refers to one's own
CREATE TABLE ids.mine (id serial PRIMARY KEY);
GRANT REFERENCES ON ids.mine TO regress_objectid_attacker;
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE TABLE ids.refers (mine int REFERENCES ids.mine CHECK (ids.spring(4)));
RESET SESSION AUTHORIZATION;
SELECT item, detail FROM objectid_ext_tools.conversion_plan('ids.mine', 'id') WHERE item LIKE 'obstacle%';
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('ids.mine', 'id', 1, 'twitter');
DROP TABLE ids.refers;
-- nor that of a child of a table that refers to it, or of one that is created before the
-- last step compares all rows
CREATE TABLE ids.keys (id bigserial PRIMARY KEY, created_at timestamptz DEFAULT '2026-01-01');
CREATE TABLE ids.refers (keys bigint REFERENCES ids.keys CHECK (keys > 0));
CREATE TABLE ids.child () INHERITS (ids.refers);
INSERT INTO ids.keys DEFAULT VALUES;
INSERT INTO ids.refers VALUES (1);
ALTER TABLE ids.child OWNER TO regress_objectid_attacker;
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE INDEX ON ids.child ((ids.spring(6)));
RESET SESSION AUTHORIZATION;
SELECT item, detail FROM objectid_ext_tools.conversion_plan('ids.keys', 'id') WHERE item LIKE 'obstacle%';
DROP TABLE ids.refers CASCADE;
SET client_min_messages = error;
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.keys', 'id', 1, 'twitter', created_at => 'created_at') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
RESET client_min_messages;
GRANT REFERENCES ON ids.keys TO regress_objectid_attacker;
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT format('CREATE TABLE ids.refers (keys bigint REFERENCES ids.keys, %I bigint)', objectid_ext_tools._live_name('keys')) \gexec
CREATE INDEX ON ids.refers ((ids.spring(7)));
RESET SESSION AUTHORIZATION;
SELECT objectid_ext_tools._backfill_verify('ids.keys', 'id', ARRAY['ids.keys'::regclass]);
DROP TABLE ids.refers;
-- A trigger on the table of new ids would run as the owner.
GRANT ALL ON ALL TABLES IN SCHEMA ids TO regress_objectid_attacker;
GRANT USAGE ON SEQUENCE ids.keys_id_seq TO regress_objectid_attacker;
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE FUNCTION ids.spring_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM ids.spring(8); RETURN NEW; END $$;
SELECT format('CREATE TRIGGER t BEFORE INSERT ON ids.%I FOR EACH ROW EXECUTE FUNCTION ids.spring_trigger()', objectid_ext_tools._live_name('keys.id') || '_recent') \gexec
\set VERBOSITY terse
INSERT INTO ids.keys DEFAULT VALUES;
\set VERBOSITY default
RESET SESSION AUTHORIZATION;
CALL objectid_ext_tools.undo_conversion('ids.keys', 'id');
DROP TABLE ids.keys;
REVOKE ALL ON ALL TABLES IN SCHEMA ids FROM regress_objectid_attacker;
-- Nobody gets privileges on a sequence by a view of a table that he may not write; and
-- what the grantee of a column has granted does not stop a conversion.
CREATE TABLE ids.granted (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int);
GRANT SELECT (id) ON ids.granted TO regress_objectid_victim WITH GRANT OPTION;
CALL objectid_ext_tools._convert_live('begin', 'ids.granted', 'id', 'bigint', '1 s');
SET SESSION AUTHORIZATION regress_objectid_victim;
SELECT format('GRANT SELECT (%I) ON ids.granted TO regress_objectid_attacker', objectid_ext_tools._live_name('id')) \gexec
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE VIEW ids.fake AS SELECT n FROM ids.granted;
GRANT INSERT ON ids.fake TO PUBLIC;
RESET SESSION AUTHORIZATION;
CREATE VIEW ids.front AS SELECT n FROM ids.granted;
GRANT INSERT ON ids.front TO regress_objectid_victim;
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.granted', 'id', 1, 'twitter') ORDER BY step \gexec
\t off
SELECT grantee::regrole, privilege_type FROM pg_catalog.pg_class, aclexplode(relacl) WHERE oid = 'ids.granted_id_seq'::regclass AND grantee <> relowner;
DROP VIEW ids.fake;
DROP TABLE ids.granted CASCADE;
-- nor does anything of a child of a table that refers to a partitioned one run
CREATE TABLE ids.event (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE ids.event_default PARTITION OF ids.event DEFAULT;
-- of 2026-01-01
INSERT INTO ids.event VALUES (478390625343 * 4194304);
CREATE TABLE ids.refers (event bigint);
CREATE TABLE ids.child () INHERITS (ids.refers);
INSERT INTO ids.child SELECT id FROM ids.event;
ALTER TABLE ids.refers ADD FOREIGN KEY (event) REFERENCES ids.event;
ALTER TABLE ids.child OWNER TO regress_objectid_attacker;
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE INDEX ON ids.child ((ids.spring(9)));
RESET SESSION AUTHORIZATION;
SELECT objectid_ext_tools.create_id_partitions('ids.event', '1 day', '2026-01-01Z', '2026-01-02Z', 'twitter');
DROP TABLE ids.refers, ids.event CASCADE;
-- A foreign key of theirs does not prevent that a conversion is undone.
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.mine', 'id', 1, 'twitter') WHERE step OPERATOR(pg_catalog.=) 1 \gexec
\t off
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE TABLE ids.refers (mine int CONSTRAINT _objectid_ext_x REFERENCES ids.mine);
RESET SESSION AUTHORIZATION;
CALL objectid_ext_tools.undo_conversion('ids.mine', 'id');
SELECT count(*) AS columns FROM pg_catalog.pg_attribute WHERE attrelid = 'ids.mine'::regclass AND attnum > 0 AND NOT attisdropped;
SELECT conname FROM pg_constraint WHERE conrelid = 'ids.refers'::regclass AND contype = 'f';
DROP TABLE ids.refers, ids.mine;
-- and no view in the place of the sequence of new ids
SET SESSION AUTHORIZATION regress_objectid_installer;
CREATE TABLE ids.past (id serial PRIMARY KEY, created_at timestamptz);
SET client_min_messages = error;
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.past', 'id', 1, 'twitter', created_at => 'created_at') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
SELECT format('DROP SEQUENCE ids.%I CASCADE', objectid_ext_tools._live_name('past.id') || '_ids') \gexec
RESET client_min_messages;
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT format('CREATE VIEW ids.%I AS SELECT 1::bigint AS last_value WHERE ids.spring(5)', objectid_ext_tools._live_name('past.id') || '_ids') \gexec
SELECT format('GRANT SELECT ON ids.%I TO PUBLIC', objectid_ext_tools._live_name('past.id') || '_ids') \gexec
SET SESSION AUTHORIZATION regress_objectid_installer;
CALL objectid_ext_tools._convert_live('finish', 'ids.past', 'id', 'objectid_ext_tools._backfilled', '1 s', NULL, 1, 'twitter');
RESET SESSION AUTHORIZATION;

-- Default privileges give others no rights on what a conversion creates.
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO regress_objectid_attacker, PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA ids GRANT ALL ON SEQUENCES TO regress_objectid_attacker WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO regress_objectid_attacker;
CREATE TABLE ids.private (id serial PRIMARY KEY, created_at timestamptz DEFAULT '2026-01-01');
INSERT INTO ids.private DEFAULT VALUES;
CREATE TABLE ids.parted (id serial, n int, PRIMARY KEY (n, id)) PARTITION BY LIST (n);
CREATE INDEX ON ids.parted (id);
CREATE TABLE ids.part PARTITION OF ids.parted FOR VALUES IN (1);
CREATE TABLE ids.refers (n int, parted int, FOREIGN KEY (n, parted) REFERENCES ids.parted (n, id));
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.private', 'id', 1, 'twitter', created_at => 'created_at') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.parted', 'id', 1, 'twitter') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
SELECT objectid_ext_tools._live_step('finish', 'ids.parted', 'id', 'bigint', '1 s', NULL, 1, 'twitter');
\t off
SELECT count(DISTINCT o.oid) AS objects, array_agg(DISTINCT grantee::regrole) FILTER (WHERE grantee <> owner) AS others, array_agg(DISTINCT privilege_type) FILTER (WHERE grantee <> owner) AS privileges
FROM (SELECT oid, relowner, relacl FROM pg_catalog.pg_class WHERE relkind IN ('r', 'S') AND relname ~ ('^(' || objectid_ext_tools._live_name('private.id') || '|' || objectid_ext_tools._live_name('parted.id late') || ')')
      UNION ALL SELECT oid, proowner, coalesce(proacl, acldefault('f', proowner)) FROM pg_catalog.pg_proc WHERE proname = objectid_ext_tools._live_name('private')) AS o (oid, owner, acl), aclexplode(acl)
WHERE pg_get_userbyid(owner) = current_user;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM regress_objectid_attacker, PUBLIC;
ALTER DEFAULT PRIVILEGES IN SCHEMA ids REVOKE ALL ON SEQUENCES FROM regress_objectid_attacker;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM regress_objectid_attacker;
\t on
CALL objectid_ext_tools.undo_conversion('ids.private', 'id');
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.parted', 'id', 1, 'twitter') ORDER BY step \gexec
\t off
DROP TABLE ids.private, ids.parted, ids.refers;

-- Names that others have taken for the indexes of what a conversion creates do not
-- disturb it.
SELECT format('CREATE INDEX %I ON ids.bait (id)', objectid_ext_tools._live_name('taken.id') || '_past_key') \gexec
SELECT format('CREATE INDEX %I ON ids.bait (id)', objectid_ext_tools._live_name('taken.id') || '_pkey') \gexec
CREATE TABLE ids.taken (id serial PRIMARY KEY, created_at timestamptz);
INSERT INTO ids.taken (created_at) VALUES ('2026-01-01 00:00:00+00');
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.taken', 'id', 1, 'twitter', created_at => 'created_at') ORDER BY step \gexec
SELECT ids.snowflake_timestamp(id, 'twitter') = created_at AS kept FROM ids.taken;
-- Whoever drops what is stored of a conversion does not prevent that it is undone.
CREATE TABLE ids.lost (id serial PRIMARY KEY, parent int REFERENCES ids.lost);
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.lost', 'id', 1, 'twitter') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
SELECT format('DROP TABLE ids.%I', objectid_ext_tools._live_name('lost.id')) \gexec
CALL objectid_ext_tools.undo_conversion('ids.lost', 'id');
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = 'ids.lost'::regclass AND NOT tgisinternal;
SELECT string_agg(attname, ', ' ORDER BY attnum) AS columns FROM pg_catalog.pg_attribute WHERE attrelid = 'ids.lost'::regclass AND attnum > 0 AND NOT attisdropped;
CALL objectid_ext_tools.undo_conversion('ids.lost', 'id');
CALL objectid_ext_tools.undo_conversion('ids.lost', 'id', NULL);
CALL objectid_ext_tools.undo_conversion(NULL, NULL, '0');
CALL objectid_ext_tools.undo_conversion(NULL, NULL, '-1 s');
-- Functions of others, or that belong to an extension, stay.
CREATE FUNCTION ids._objectid_ext_unused() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE FUNCTION ids._objectid_ext_needed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE FUNCTION ids._objectid_ext_other() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
COMMENT ON FUNCTION ids._objectid_ext_unused() IS 'keeps columns during a conversion by objectid_ext_tools';
COMMENT ON FUNCTION ids._objectid_ext_needed() IS 'keeps columns during a conversion by objectid_ext_tools';
COMMENT ON FUNCTION ids._objectid_ext_other() IS 'keeps columns during a conversion by objectid_ext_tools';
ALTER FUNCTION ids._objectid_ext_other() OWNER TO regress_objectid_attacker;
ALTER EXTENSION objectid_ext_tools ADD FUNCTION ids._objectid_ext_needed();
CALL objectid_ext_tools.undo_conversion(NULL, NULL);
SELECT proname FROM pg_catalog.pg_proc WHERE proname IN ('_objectid_ext_unused', '_objectid_ext_needed', '_objectid_ext_other') ORDER BY 1;
ALTER EXTENSION objectid_ext_tools DROP FUNCTION ids._objectid_ext_needed();
DROP FUNCTION ids._objectid_ext_needed(), ids._objectid_ext_other();
-- One that cannot be dropped does not prevent that a conversion is undone.
CREATE TABLE ids.used (id serial PRIMARY KEY);
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.used', 'id', 1, 'twitter') WHERE step OPERATOR(pg_catalog.=) 1 \gexec
SELECT format('CREATE TRIGGER uses BEFORE DELETE ON ids.lost FOR EACH ROW EXECUTE FUNCTION ids.%I()', objectid_ext_tools._live_name('used')) \gexec
CALL objectid_ext_tools.undo_conversion('ids.used', 'id');
SELECT count(*) AS columns FROM pg_catalog.pg_attribute WHERE attrelid = 'ids.used'::regclass AND attnum > 0 AND NOT attisdropped;
DROP TRIGGER uses ON ids.lost;
DROP TABLE ids.used;
CALL objectid_ext_tools.undo_conversion(NULL, NULL);
SELECT count(*) AS functions FROM pg_catalog.pg_proc WHERE proname OPERATOR(pg_catalog.=) objectid_ext_tools._live_name('used');
-- The view shows only what can be believed.
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE TABLE ids._objectid_ext_false (relation regclass, filenode oid, pages bigint, page bigint, "rows" bigint, batch int, started timestamptz, seconds float8, wait oid, root regclass, attribute name);
INSERT INTO ids._objectid_ext_false VALUES ('ids.lost', 1, 2, 1, 1, 8, now(), 1, 0, 'ids.lost', 'id'), ('ids.taken', 1, 2, 1, 1, 8, now(), 1, 0, NULL, NULL);
CREATE TABLE ids._objectid_ext_odd (a regclass, b oid, c bigint, d bigint, e bigint, f int, g timestamptz, h float8, i oid, j regclass, k name);
CREATE TABLE ids._objectid_ext_wild (LIKE ids._objectid_ext_false);
INSERT INTO ids._objectid_ext_wild VALUES ('ids.bait', 1, 9000000000000000000, 1, 1, 8, now(), 1e300, 0, 'ids.bait', 'id');
COMMENT ON TABLE ids._objectid_ext_false IS 'objectid_ext_tools: conversion of x';
COMMENT ON TABLE ids._objectid_ext_odd IS 'objectid_ext_tools: conversion of x';
COMMENT ON TABLE ids._objectid_ext_wild IS 'objectid_ext_tools: conversion of x';
GRANT SELECT ON ids._objectid_ext_false, ids._objectid_ext_odd, ids._objectid_ext_wild TO PUBLIC;
RESET SESSION AUTHORIZATION;
SELECT conversion FROM objectid_ext_tools.conversion_progress WHERE conversion NOT LIKE '%bait%' AND conversion NOT LIKE '%past';
\t off
DROP TABLE ids._objectid_ext_false, ids._objectid_ext_odd, ids._objectid_ext_wild;
-- whatever is quoted
SET quote_all_identifiers = on;
CREATE TABLE ids.quoted (id serial PRIMARY KEY, created_at timestamptz);
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('ids.quoted', 'id', 1, 'twitter', created_at => 'created_at') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
SELECT item FROM objectid_ext_tools.conversion_plan('ids.quoted', 'id', 'created_at') WHERE item LIKE 'obstacle%';
CALL objectid_ext_tools.undo_conversion('ids.quoted', 'id');
\t off
RESET quote_all_identifiers;
SELECT relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_attribute ON attrelid = c.oid AND attname LIKE '\_objectid%' WHERE relname IN ('quoted', 'lost');
DROP TABLE ids.taken, ids.lost, ids.quoted;

-- A role to which a table is given does not get the rights of the one that began to
-- convert it, whatever it makes of the table.
SET SESSION AUTHORIZATION regress_objectid_victim;
CREATE SCHEMA given;
GRANT USAGE, CREATE ON SCHEMA given TO regress_objectid_attacker;
CREATE TABLE given.early (id serial PRIMARY KEY, created_at timestamptz DEFAULT '2026-01-01');
CREATE TABLE given.late (id serial PRIMARY KEY, created_at timestamptz DEFAULT '2026-01-01');
CREATE TABLE given.whole (id serial PRIMARY KEY, created_at timestamptz DEFAULT '2026-01-01');
INSERT INTO given.late DEFAULT VALUES;
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('given.early', 'id', 1, 'twitter', created_at => 'created_at') WHERE step = 1 \gexec
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('given.late', 'id', 1, 'twitter', created_at => 'created_at') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('given.whole', 'id', 1, 'twitter', created_at => 'created_at') WHERE step = 1 \gexec
\t off
RESET SESSION AUTHORIZATION;
ALTER TABLE given.early OWNER TO regress_objectid_attacker;
ALTER TABLE given.late OWNER TO regress_objectid_attacker;
SELECT format('ALTER TABLE %s OWNER TO regress_objectid_attacker', oid::regclass) FROM pg_catalog.pg_class
 WHERE oid = 'given.whole'::regclass OR starts_with(relname, objectid_ext_tools._live_name('whole.id')) AND relkind = 'r' ORDER BY relname \gexec
SET SESSION AUTHORIZATION regress_objectid_attacker;
-- Statements that worked still do.
INSERT INTO given.early DEFAULT VALUES;
INSERT INTO given.late DEFAULT VALUES;
UPDATE given.late SET created_at = '2026-01-02';
SELECT count(*) AS kept FROM given.late AS t WHERE to_jsonb(t) ->> objectid_ext_tools._live_name('id') IS NOT NULL;
-- a type with a cast, a domain, and a trigger
CREATE TYPE given.wrapped AS (n int);
CREATE FUNCTION given.unwrap(given.wrapped) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN PERFORM ids.spring(6); RETURN 1; END';
CREATE CAST (given.wrapped AS bigint) WITH FUNCTION given.unwrap(given.wrapped) AS ASSIGNMENT;
CREATE DOMAIN given.checked AS bigint CHECK (ids.spring(coalesce(VALUE, 7)));
CREATE FUNCTION given.fire() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM ids.spring(8); RETURN NEW; END';
ALTER TABLE given.early RENAME id TO former;
ALTER TABLE given.early ADD id given.wrapped;
SELECT format('ALTER TABLE given.late ALTER COLUMN %I TYPE given.checked', objectid_ext_tools._live_name('id')) \gexec
-- in a session that has not compiled the functions
\c
\set SHOW_CONTEXT never
SET SESSION AUTHORIZATION regress_objectid_attacker;
INSERT INTO given.early (id) VALUES (ROW(1));
UPDATE given.early SET id = ROW(2) WHERE former = 1;
INSERT INTO given.late DEFAULT VALUES;
UPDATE given.late SET id = id + 10;
SELECT format('CREATE TRIGGER fire BEFORE INSERT ON given.%I FOR EACH ROW EXECUTE FUNCTION given.fire()', objectid_ext_tools._live_name('whole.id') || '_recent') \gexec
SELECT format('GRANT ALL ON given.%I TO regress_objectid_victim', objectid_ext_tools._live_name('whole.id') || '_recent') \gexec
INSERT INTO given.whole DEFAULT VALUES;
-- It cannot go on, and can undo what has been given to it.
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('given.late', 'id', 1, 'twitter', created_at => 'created_at');
CALL objectid_ext_tools.undo_conversion('given.late', 'id');
SELECT * FROM objectid_ext_tools.snowflake_conversion_steps('given.whole', 'id', 1, 'twitter', created_at => 'created_at');
CALL objectid_ext_tools.undo_conversion('given.whole', 'id');
INSERT INTO given.whole DEFAULT VALUES;
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = 'given.whole'::regclass;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_objectid_victim;
CALL objectid_ext_tools.undo_conversion('given.late', 'id');
CALL objectid_ext_tools.undo_conversion(NULL, NULL);
RESET SESSION AUTHORIZATION;
SET client_min_messages = warning;
DROP SCHEMA given CASCADE;
RESET client_min_messages;

-- The former owner of the database has lost its privileges.
GRANT USAGE ON SEQUENCE victim.numbered_id_seq TO pg_database_owner;
ALTER DATABASE regress_objectid_security OWNER TO regress_objectid_attacker;
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT ids.next_snowflake('victim.numbered_id_seq'::pg_catalog.regclass, 1, 'twitter'::ids.snowflake_layout) > 2 AS owner;
RESET SESSION AUTHORIZATION;
ALTER DATABASE regress_objectid_security OWNER TO regress_objectid_victim;
SET SESSION AUTHORIZATION regress_objectid_attacker;
SELECT ids.next_snowflake('victim.numbered_id_seq'::pg_catalog.regclass, 1, 'twitter'::ids.snowflake_layout) > 2 AS owner;
RESET SESSION AUTHORIZATION;

-- The worst remaining case: an ambiguous call is an error.
SET SESSION AUTHORIZATION regress_objectid_attacker;
CREATE FUNCTION ids.snowflake_ceiling(timestamptz, ids.snowflake_layout, int DEFAULT 0) RETURNS bigint LANGUAGE sql AS 'SELECT ids.trap()::int::bigint';
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_objectid_victim;
CREATE TABLE victim.more (id serial);
\set VERBOSITY sqlstate
SELECT objectid_ext_tools.convert_to_snowflake('victim.more', 'id', 1, 'twitter');
\set VERBOSITY default
RESET SESSION AUTHORIZATION;

\c :original
DROP DATABASE regress_objectid_security;
DROP ROLE regress_objectid_attacker, regress_objectid_installer, regress_objectid_victim;
