--
-- Whoever may create in the schema of objectid_ext sets a trap for every
-- function and operator that a body of ours calls: a function of the same name
-- with arguments that fit the call as well or better.  None is bound, and none
-- is run.  What the bodies call is found by itself, in their text.
--

\set original :DBNAME
-- of a run that was cut short
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_capture;
DROP ROLE IF EXISTS regress_capture_attacker, regress_capture_dba;
RESET client_min_messages;

--
-- What is called
--
CREATE TEMP VIEW body AS
SELECT p.oid, coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) AS text
  FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
  JOIN pg_extension AS e ON e.oid = d.refobjid JOIN pg_language AS l ON l.oid = p.prolang
 WHERE extname LIKE 'objectid\_ext%' AND lanname IN ('sql', 'plpgsql');
SELECT count(*) > 10 AS bodies, count(*) FILTER (WHERE text <> '') = count(*) AS with_text FROM body;

-- Names before a parenthesis, and what some syntax stands for.
CREATE TEMP VIEW called AS
SELECT DISTINCT name FROM (SELECT (regexp_matches(text, '([[:alpha:]_]\w*)\s*\(', 'g'))[1] FROM body
                           UNION ALL VALUES ('btrim'), ('timezone'), ('date_part'), ('generate_series'), ('array_agg')) AS n (name)
 WHERE name IN (SELECT proname FROM pg_proc);
SELECT array_agg(name) AS names, count(*) > 30 AS many_names, array_agg(name) @> '{unnest,format,quote_ident,snowflake_floor,_partition_bound}' AS as_we_know FROM called \gset
SELECT :'many_names' AS many_names, :'as_we_know' AS as_we_know;
-- Symbols, and the operators that IN, BETWEEN, LIKE and CASE look up
SELECT array_agg(DISTINCT symbol) AS symbols, count(DISTINCT symbol) >= 12 AS many_symbols
  FROM (SELECT (regexp_matches(text, '[-+*/<>=~!@#%^&|`?]+', 'g'))[1] FROM body
        UNION ALL SELECT unnest('{=,<>,<,<=,>,>=,~~,!~~,||,~,+,-,*}'::text[])) AS s (symbol)
 WHERE symbol IN (SELECT oprname FROM pg_operator) \gset
SELECT :'many_symbols' AS many_symbols;
DROP VIEW called, body;

--
-- The traps
--
CREATE ROLE regress_capture_attacker;
CREATE ROLE regress_capture_dba;
CREATE DATABASE regress_objectid_capture;
GRANT CREATE ON DATABASE regress_objectid_capture TO regress_capture_dba;
\c regress_objectid_capture
\set SHOW_CONTEXT never
SET SESSION AUTHORIZATION regress_capture_dba;
CREATE SCHEMA ids;
GRANT USAGE, CREATE ON SCHEMA ids TO PUBLIC;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_capture_attacker;
-- keeps its value when what sprang the trap is rolled back
CREATE SEQUENCE ids.sprung;
GRANT ALL ON SEQUENCE ids.sprung TO PUBLIC;

-- The types that expressions of ours can have
CREATE TABLE ids.type AS
SELECT t::regtype::oid AS oid
  FROM unnest('{bool,"\"char\"",int2,int4,int8,oid,regclass,regtype,regproc,name,text,varchar,bpchar,date,timestamp,timestamptz,interval,uuid,pg_node_tree,int2vector,oidvector}'::text[]) AS t;
INSERT INTO ids.type SELECT typarray FROM pg_type AS t JOIN ids.type USING (oid) WHERE typarray <> 0 AND typname <> 'pg_node_tree';

-- Those that fit an argument: of its type, or converted to it without a cast
CREATE FUNCTION ids.fitting(argument oid) RETURNS oid[] LANGUAGE sql AS $$
    SELECT array_agg(t.oid)
    FROM ids.type AS t JOIN pg_type AS p USING (oid) JOIN pg_type AS a ON a.oid = argument
    WHERE t.oid = argument
       OR EXISTS (SELECT FROM pg_cast WHERE castsource = t.oid AND casttarget = argument AND castcontext = 'i')
       OR a.typname IN ('any', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray')
       OR a.typname IN ('anyarray', 'anycompatiblearray') AND p.typcategory = 'A'
$$;

-- All combinations, of one fitting type for each argument; an empty one for none
CREATE FUNCTION ids.combinations(arguments oid[]) RETURNS SETOF oid[] LANGUAGE sql AS $$
    WITH RECURSIVE c (n, types) AS (
        SELECT 0, '{}'::oid[]
        UNION ALL
        SELECT n + 1, types || t FROM c, unnest(ids.fitting(arguments[n + 1])) AS t WHERE n < cardinality(arguments)
    )
    SELECT types FROM c WHERE n = cardinality(arguments)
$$;

-- The traps for functions of these names in a schema: whatever fits, and for a
-- variadic one up to three more.  They return what the function returns, so that
-- a body which they capture can be created.
CREATE FUNCTION ids.traps(names name[], of_schema regnamespace) RETURNS TABLE (name name, types oid[], result text) LANGUAGE sql AS $$
    WITH few (type) AS (SELECT unnest('{text,name,regclass,oid,int8}'::regtype[])::oid),
    more (types) AS (
        SELECT ARRAY[a.type] FROM few a UNION ALL SELECT ARRAY[a.type, b.type] FROM few a, few b
        UNION ALL SELECT ARRAY[a.type, b.type, c.type] FROM few a, few b, few c),
    f AS (SELECT proname, proretset, provariadic, prorettype, ARRAY(SELECT unnest(proargtypes)) AS arguments
            FROM pg_proc
           WHERE proname = ANY (names) AND pronamespace = of_schema AND pronargs BETWEEN 1 AND 4
             AND prokind <> 'p' AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')
             AND NOT 'internal'::regtype = ANY (proargtypes))
    SELECT DISTINCT ON (proname, t.types) proname, t.types,
           CASE WHEN proretset THEN 'SETOF ' ELSE '' END ||
           CASE WHEN r.typtype <> 'p' THEN format_type(r.oid, NULL)
                WHEN r.typname = 'record' THEN 'record'
                ELSE format_type(coalesce((SELECT nullif(typelem, 0) FROM pg_type WHERE oid = t.types[1]), t.types[1], 'text'::regtype), NULL) END
    FROM f JOIN pg_type AS r ON r.oid = f.prorettype,
         LATERAL (SELECT ids.combinations(arguments) WHERE provariadic = 0
                  UNION ALL
                  SELECT fixed || more.types FROM ids.combinations(arguments[1 : cardinality(arguments) - 1]) AS fixed, more
                   WHERE provariadic <> 0) AS t (types)
    ORDER BY proname, t.types
$$;
CREATE FUNCTION ids.set_traps(names name[], of_schema regnamespace) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    trap record;
    n bigint := 0;
BEGIN
    FOR trap IN SELECT * FROM ids.traps(names, of_schema) t
                WHERE NOT EXISTS (SELECT FROM pg_proc WHERE proname = t.name AND pronamespace = 'ids'::regnamespace
                                  AND ARRAY(SELECT unnest(proargtypes)) = t.types) LOOP
        EXECUTE format('CREATE FUNCTION ids.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', trap.name,
                       (SELECT string_agg(format_type(t, NULL), ', ' ORDER BY o) FROM unnest(trap.types) WITH ORDINALITY AS u (t, o)), trap.result,
                       format('BEGIN PERFORM pg_catalog.nextval(''ids.sprung''); RAISE EXCEPTION ''trap %I''; END', trap.name));
        n := n + 1;
    END LOOP;
    RETURN n;
END $$;

-- Traps for operators, of all pairs of types
CREATE FUNCTION ids.set_operator_traps(symbols text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    l text;
    r text;
    symbol text;
    pairs bigint := 0;
BEGIN
    FOR l, r IN SELECT a.oid::regtype, b.oid::regtype FROM ids.type AS a, ids.type AS b
                WHERE 'A' NOT IN (SELECT typcategory FROM pg_type WHERE oid IN (a.oid, b.oid)) OR a.oid = b.oid LOOP
        -- each of a name of its own, for the server reads all of one name for
        -- each operator
        pairs := pairs + 1;
        EXECUTE format('CREATE FUNCTION ids.operator_trap_%s(l %s, r %s) RETURNS boolean LANGUAGE plpgsql AS %L', pairs, l, r,
                       'BEGIN PERFORM pg_catalog.nextval(''ids.sprung''); RAISE EXCEPTION ''trap of an operator''; END');
        FOREACH symbol IN ARRAY symbols LOOP
            EXECUTE format('CREATE OPERATOR ids.%s (FUNCTION = ids.operator_trap_%s, LEFTARG = %s, RIGHTARG = %s)', symbol, pairs, l, r);
        END LOOP;
    END LOOP;
    RETURN pairs;
END $$;

SET client_min_messages = warning;
SELECT ids.set_traps(:'names', 'pg_catalog') > 1000 AS function_traps;
SELECT ids.set_operator_traps(:'symbols') > 100 AS operator_traps;
RESET client_min_messages;
SELECT to_regprocedure('ids.unnest(text[])') IS NOT NULL AS for_exact_types, to_regprocedure('ids.quote_ident(name)') IS NOT NULL AS for_closer_types;
RESET SESSION AUTHORIZATION;

-- objectid_ext is there, then traps for what the tools call of it, then these.
SET SESSION AUTHORIZATION regress_capture_dba;
CREATE EXTENSION objectid_ext SCHEMA ids;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_capture_attacker;
INSERT INTO ids.type SELECT unnest('{ids.objectid,ids.snowflake_layout}'::regtype[]);
SELECT ids.set_traps(:'names', 'ids') > 10 AS traps_for_ours;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_capture_dba;
CREATE EXTENSION objectid_ext_tools;
RESET SESSION AUTHORIZATION;

-- Nothing that belongs to the extensions is bound to what does not.
SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0) AS bound, pg_describe_object(d.refclassid, d.refobjid, 0) AS "to"
  FROM pg_depend AS d JOIN pg_depend AS ours USING (classid, objid)
 WHERE ours.refclassid = 'pg_extension'::regclass AND ours.deptype = 'e'
   AND d.deptype = 'n' AND d.refobjid >= 16384 AND d.refclassid <> 'pg_namespace'::regclass
   AND NOT EXISTS (SELECT FROM pg_depend AS e
                    WHERE e.classid = d.refclassid AND e.objid = d.refobjid AND e.deptype IN ('e', 'i'));

--
-- A superuser whose path begins with the traps calls everything
--
CREATE SCHEMA app;
CREATE TABLE app.numbered (id serial PRIMARY KEY, n int);
CREATE TABLE app.identified (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int);
CREATE TABLE app.refers (id int REFERENCES app.numbered, document text);
CREATE TABLE app.document (id varchar(24) PRIMARY KEY, c char(24), b bytea, j jsonb);
CREATE TABLE app.part_of (id text DEFAULT '507f1f77bcf86cd799439011' REFERENCES app.document);
CREATE TABLE app.wrong (id text);
CREATE TABLE app.live (id serial PRIMARY KEY, parent int REFERENCES app.live, CHECK (id + 1 > 0));
CREATE INDEX ON app.live ((id % 10)) WHERE id > 0;
CREATE TABLE app.live_past (id serial PRIMARY KEY, parent int REFERENCES app.live_past, created date);
CREATE TABLE app.live_text (id text PRIMARY KEY, c char(24), b bytea UNIQUE);
INSERT INTO app.live (parent) VALUES (NULL), (1);
INSERT INTO app.live_past (parent, created) VALUES (NULL, '2026-01-02'), (1, '2026-01-01');
INSERT INTO app.live_text VALUES ('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011');
CREATE TABLE app.by_time (id ids.objectid) PARTITION BY RANGE (id);
CREATE TABLE app.by_number (id bigint) PARTITION BY RANGE (id);
CREATE TABLE app.by_uuid (id uuid) PARTITION BY RANGE (id);
CREATE SEQUENCE app.clock;
CREATE TABLE app.clocked (id bigint DEFAULT ids.next_snowflake('app.clock'::regclass, 1, 'twitter'::ids.snowflake_layout), n bigint DEFAULT ids.next_shard_id(1, nextval('app.clock')));
INSERT INTO app.clocked DEFAULT VALUES;
INSERT INTO app.numbered DEFAULT VALUES;
INSERT INTO app.document VALUES ('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011', '{"$oid":"507f1f77bcf86cd799439011"}');
INSERT INTO app.part_of DEFAULT VALUES;
INSERT INTO app.wrong VALUES ('wrong');
SET search_path = ids, pg_catalog;
SET timezone = 'UTC';
SELECT problem FROM objectid_ext_tools.check_node_ids('{host=/nonexistent}');
SELECT column_name, generator, sequence, layout, node, last_time IS NOT NULL AS has_time, problem FROM objectid_ext_tools.clock_sequences;
SELECT objectid_ext_tools.create_id_partitions('app.by_time', '1 day', '2026-01-01', '2026-01-02');
SELECT objectid_ext_tools.create_id_partitions('app.by_number', '1 day', '2026-01-01', '2026-01-02', 'twitter');
SELECT objectid_ext_tools.create_id_partitions('app.by_uuid', '1 day', '2026-01-01', '2026-01-02');
SELECT * FROM objectid_ext_tools.id_partitions('app.by_time');
CREATE TABLE app.by_time_rest PARTITION OF app.by_time DEFAULT;
INSERT INTO app.by_time SELECT ids.objectid_floor('2026-01-02 12:00:00+00');
SELECT objectid_ext_tools.create_id_partitions('app.by_time', '1 day', '2026-01-02', '2026-01-03');
SELECT tableoid::regclass, count(*) FROM app.by_time GROUP BY 1;
SELECT partition, statement, problem FROM objectid_ext_tools.drop_id_partitions('app.by_time', '2026-01-02', 'detach');
CREATE TABLE app.kept (id ids.objectid) PARTITION BY RANGE (id);
CREATE TABLE app.kept_rest PARTITION OF app.kept DEFAULT;
INSERT INTO app.kept SELECT ids.gen_objectid();
SELECT done, moved, problem FROM objectid_ext_tools.maintain_id_partitions('app.kept', '1 month', '0', '1 year');
SELECT done, moved, problem FROM objectid_ext_tools.maintain_id_partitions('app.kept', '1 month', '0', '1 year');
SELECT * FROM objectid_ext_tools.id_partitions('app.by_number', 'twitter');
SELECT * FROM objectid_ext_tools.id_partitions('app.by_uuid');
SELECT objectid_ext_tools.convert_to_snowflake('app.numbered', 'id', 1, 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('app.identified', 'id', node => NULL, layout => 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('app.wrong', 'id', node => NULL, layout => 'twitter');
SELECT objectid_ext_tools.convert_to_objectid('app.document', 'id');
SELECT objectid_ext_tools.convert_to_objectid('app.document', 'c');
SELECT objectid_ext_tools.convert_to_objectid('app.document', 'b');
SELECT objectid_ext_tools.convert_to_objectid('app.document', 'j');
SELECT objectid_ext_tools.convert_to_objectid('app.refers', 'document');
SELECT objectid_ext_tools.convert_to_objectid('app.refers', 'id');
SELECT objectid_ext_tools.convert_to_objectid('app.wrong', 'id');
SELECT item, relation FROM objectid_ext_tools.conversion_plan('app.live', 'id');
SELECT item, relation FROM objectid_ext_tools.conversion_plan('app.live_text', 'id');
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('app.live', 'id', 1, 'twitter') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
SET search_path = ids, pg_catalog;
SELECT relation, percent FROM objectid_ext_tools.conversion_progress;
CALL objectid_ext_tools.undo_conversion('app.live', 'id');
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('app.live', 'id', 1, 'twitter') ORDER BY step \gexec
SET search_path = ids, pg_catalog;
INSERT INTO app.live (parent) VALUES (1);
SELECT item, relation FROM objectid_ext_tools.conversion_plan('app.live_past', 'id', 'created');
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('app.live_past', 'id', 1, 'twitter', created_at => 'created') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
INSERT INTO app.live_past (parent) VALUES (1);
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('app.live_past', 'id', 1, 'twitter', created_at => 'created') ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('app.live_text', 'id') ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('app.live_text', 'c') ORDER BY step \gexec
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('app.live_text', 'b') WHERE statement OPERATOR(pg_catalog.!~~) '%finish%' ORDER BY step \gexec
UPDATE app.live_text SET b = '\x507f1f77bcf86cd799439012';
SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('app.live_text', 'b') ORDER BY step \gexec
\t off
RESET search_path;

-- No trap was sprung; and they do spring.
SELECT is_called AS sprung FROM ids.sprung;
SELECT * FROM ids.unnest('{x}'::text[]);
SELECT 'x'::name OPERATOR(ids.=) 'x'::text;
SELECT is_called, last_value FROM ids.sprung;

\c :original
DROP DATABASE regress_objectid_capture;
DROP ROLE regress_capture_attacker, regress_capture_dba;
