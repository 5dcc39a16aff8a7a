--
-- Every function with all kinds of arguments, including extreme ones and NULLs:
-- no internal error and no crash
--
\a \t on

SET client_min_messages = error;
-- as the views that call internal functions run them; compiling takes seconds a call
SET jit = off;
SELECT setseed(0.20261120) IS NULL AS seeded;

CREATE SCHEMA fuzz;
SET search_path = fuzz, public;
CREATE SEQUENCE plain;
CREATE SEQUENCE clock CACHE 64;
CREATE SEQUENCE downward INCREMENT -3;
CREATE SEQUENCE small AS smallint CYCLE;
CREATE SEQUENCE wide MINVALUE -9223372036854775808 START -9223372036854775808 INCREMENT 9223372036854775807;
CREATE UNLOGGED SEQUENCE forgetful;
CREATE TABLE item (id serial PRIMARY KEY, _id text, parent int REFERENCES item);
INSERT INTO item (_id) VALUES ('507f1f77bcf86cd799439011'), (NULL);
CREATE VIEW items AS SELECT * FROM item;
CREATE TABLE part (id objectid) PARTITION BY RANGE (id);

-- Values for each type of argument
CREATE TABLE sample (type regtype, value text);
INSERT INTO sample
SELECT 'integer'::regtype, v FROM unnest('{-2147483648,-1,0,1,7,18,19,31,1023,1024,8191,2147483647}'::text[]) v
UNION ALL SELECT 'bigint'::regtype, v FROM unnest('{-9223372036854775808,-1,0,1,999999999999999999,1000000000000000000,4034551168079233023,9223372036854775807}'::text[]) v
UNION ALL SELECT 'timestamptz'::regtype, v FROM unnest('{-infinity,infinity,4713-11-24 00:00:00+00 BC,294276-12-31 23:59:59.999999+00,1970-01-01 00:00:00+00,1969-12-31 23:59:59.999999+00,2106-02-07 06:28:15+00,2106-02-07 06:28:15.000001+00,2026-11-20 12:00:00.5+00,9999-12-31 23:59:59.999999+00}'::text[]) v
UNION ALL SELECT 'timestamptz[]'::regtype, v FROM unnest(ARRAY['{}', '{NULL}', '{2026-11-20 12:00:00.5+00,infinity}', '{{-infinity,1970-01-01 00:00:00+00},{NULL,294276-12-31 23:59:59.999999+00}}']) v
UNION ALL SELECT 'tstzrange'::regtype, v FROM unnest(ARRAY['empty', '(,)', '[-infinity,infinity]', '(-infinity,infinity)', '[infinity,)', '(infinity,)', '(,-infinity)', '[2026-01-01,2026-01-01]', '(2026-01-01 00:00:00.2,2026-01-01 00:00:00.4)', '[1969-01-01,2200-01-01)', '[294276-12-31 23:59:59.999999+00,)']) v
UNION ALL SELECT 'objectid'::regtype, v FROM unnest('{000000000000000000000000,ffffffffffffffffffffffff,7fffffffffffffffffffffff,800000000000000000000000,507f1f77bcf86cd799439011}'::text[]) v
UNION ALL SELECT 'uuid'::regtype, v FROM unnest('{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff,017f22e2-79b0-7cc3-98c4-dc0c0c07398f}'::text[]) v
UNION ALL SELECT 'snowflake_layout'::regtype, layout::text FROM snowflake_layouts()
UNION ALL SELECT 'snowflake_layout'::regtype, v FROM unnest(ARRAY['time:64;tick=1us;epoch=0001-01-01T00:00:00Z', 'time:1,node:31,seq:31;tick=3600s;epoch=9999-12-31T23:59:59.999999Z', 'time:33,seq:31;tick=1us;epoch=2026-01-01T00:00:00Z', 'time:63,seq:1;tick=1us;epoch=1970-01-01T00:00:00Z', 'time:41,node:22;tick=1ms;epoch=2020-01-01T00:00:00Z']) v
UNION ALL SELECT 'regclass'::regtype, v FROM unnest('{plain,clock,downward,small,wide,forgetful,item,item_pkey,items,part,0,4294967295}'::text[]) v
UNION ALL SELECT 'oid'::regtype, v FROM unnest(ARRAY['plain'::regclass::oid::text, 'item'::regclass::oid::text, '1259', '0', '4294967295']) v
UNION ALL SELECT 'regclass[]'::regtype, v FROM unnest(ARRAY['{}', '{plain,small}', '{wide}', '{NULL,plain}', '{{plain,downward},{small,wide}}', '{item}', '{4294967295}']) v
UNION ALL SELECT 'oid[]'::regtype, v FROM unnest(ARRAY['{}', '{NULL,0}', '{1259,4294967295}']) v
UNION ALL SELECT 'bigint[]'::regtype, v FROM unnest(ARRAY['{}', '{NULL,0}', '{-9223372036854775808,9223372036854775807}']) v
UNION ALL SELECT 'integer[]'::regtype, v FROM unnest(ARRAY['{}', '{NULL,0}', '{-1,2147483647}']) v
UNION ALL SELECT 'interval'::regtype, v FROM unnest(ARRAY['0', '-1 day', '1 us', '30 days', '1 mon -29 days', '366 days', '178000000 years']) v
UNION ALL SELECT 'text'::regtype, v FROM unnest(ARRAY['', 'x', '507f1f77bcf86cd799439011', '{"$oid":"507f1f77bcf86cd799439011"}', 'ObjectId(', '{"$oid"', repeat('f', 10000), 'MINVALUE', '''5''']) v
UNION ALL SELECT 'text[]'::regtype, v FROM unnest(ARRAY['{}', '{NULL}', '{x,host=/nonexistent}', '{{x},{y}}']) v
UNION ALL SELECT 'bytea'::regtype, v FROM unnest(ARRAY['', '\x00', '\x507f1f77bcf86cd799439011', '\x' || repeat('00', 10000)]) v
UNION ALL SELECT 'jsonb'::regtype, v FROM unnest(ARRAY['null', '1', 'true', '""', '[]', '{}', '{"$oid":null}', '{"$oid":{"$oid":"507f1f77bcf86cd799439011"}}', '{"$oid":"507f1f77bcf86cd799439011"}', '"507f1f77bcf86cd799439011"']) v
UNION ALL SELECT 'json'::regtype, v FROM unnest(ARRAY['null', '1', '""', '{"$oid":null}', '{"$oid":"507f1f77bcf86cd799439011"}', '"507f1f77bcf86cd799439011"']) v
UNION ALL SELECT 'character'::regtype, v FROM unnest(ARRAY['', ' ', '507f1f77bcf86cd799439011   ']) v
UNION ALL SELECT 'name'::regtype, v FROM unnest('{id,_id,parent,nothing,ctid,""}'::text[]) v
UNION ALL SELECT 'name[]'::regtype, v FROM unnest(ARRAY['{}', '{NULL}', '{id}', '{_id,nothing}', '{{id},{""}}']) v
UNION ALL SELECT 'smallint'::regtype, v FROM unnest('{-32768,0,1,2,32767}'::text[]) v
UNION ALL SELECT 'smallint[]'::regtype, v FROM unnest(ARRAY['{}', '{NULL}', '{1}', '{2,1,32767}', '{{0},{-1}}']) v
UNION ALL SELECT '"char"'::regtype, v FROM unnest(ARRAY['', 'f', 'b', 'v', 'x']) v
UNION ALL SELECT 'boolean'::regtype, v FROM unnest('{t,f}'::text[]) v
UNION ALL SELECT 'regtype'::regtype, v FROM unnest('{bigint,uuid,objectid,text,0,4294967295}'::text[]) v
UNION ALL SELECT 'anyrange'::regtype, v FROM unnest(ARRAY['tstzrange(NULL, NULL)', 'int4range(1, 2)', 'tstzrange(now(), NULL)', '''empty''::tstzrange']) v;

-- All functions that can be called from SQL
CREATE TABLE callable AS
SELECT row_number() OVER (ORDER BY p.oid::regprocedure::text COLLATE "C") AS n, p.oid::regprocedure AS function, p.proname, p.proargtypes::regtype[] AS types
FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
     JOIN pg_extension e ON e.oid = d.refobjid
WHERE e.extname = 'objectid_ext' AND p.prokind = 'f'
  AND NOT p.proargtypes::regtype[] && '{internal,cstring,pg_node_tree}' AND p.prorettype <> 'internal'::regtype;
SELECT string_agg(DISTINCT t::text, ', ') AS types_without_samples
FROM callable, unnest(types) t WHERE t NOT IN (SELECT type FROM sample);

-- Make one call, roll it back, and return its SQLSTATE.
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE call;
    RAISE EXCEPTION USING ERRCODE = '00001';
EXCEPTION
    WHEN query_canceled THEN RETURN '57014';
    WHEN others THEN RETURN sqlstate;
END;
$$;

CREATE FUNCTION random_argument(t regtype) RETURNS text LANGUAGE sql AS $$
    SELECT CASE WHEN random() < 0.04 THEN format('NULL::%s', CASE t WHEN 'anyrange'::regtype THEN 'tstzrange' ELSE t::text END)
                WHEN t = 'anyrange'::regtype THEN value
                ELSE format('%L::%s', value, t) END
    FROM sample WHERE type = t ORDER BY random() LIMIT 1
$$;

-- The environment variable FUZZ_CALLS sets the number of calls.
\set calls 15000
\getenv calls FUZZ_CALLS
SET fuzz.calls = :calls;

CREATE TABLE result (call text, state text);
DO $$
DECLARE
    f callable;
    call text;
BEGIN
    FOR round IN 1 .. ceil(current_setting('fuzz.calls')::numeric / (SELECT count(*) FROM callable)) LOOP
        FOR f IN SELECT * FROM callable LOOP
            SELECT format('SELECT %s(%s)', f.function::regproc, coalesce(string_agg(random_argument(t), ', ' ORDER BY n), ''))
            INTO call FROM unnest(f.types) WITH ORDINALITY u(t, n);
            INSERT INTO result VALUES (call, outcome(call));
        END LOOP;
    END LOOP;
END;
$$;
SELECT count(*) >= current_setting('fuzz.calls')::int AS many,
       count(*) FILTER (WHERE state = '00001') > count(*) / 5 AS some_succeed,
       count(DISTINCT state) > 5 AS several_errors FROM result;
SELECT call, state FROM result WHERE state LIKE 'XX%' OR state LIKE '57P%' ORDER BY 1 LIMIT 20;
-- nor SQL that does not parse, but from internal functions, which check nothing themselves
SELECT call, state FROM result
WHERE state = '42601' ORDER BY 1 LIMIT 20;

DROP SCHEMA fuzz CASCADE;
