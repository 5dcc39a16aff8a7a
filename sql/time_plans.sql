--
-- Predicates on the time in an id: plans
--

SET timezone = 'UTC';
SET datestyle = 'ISO';
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_plans;
DROP ROLE IF EXISTS regress_plan_reader;
RESET client_min_messages;

-- Two years of ids, one per hour
CREATE TABLE plan_event (id objectid PRIMARY KEY, n int);
INSERT INTO plan_event
SELECT (left(objectid_floor(timestamptz '2025-01-01 00:00:00+00' + i * interval '1 hour')::text, 8) || left(md5(i::text), 16))::objectid, i
FROM generate_series(0, 17519) AS i;
VACUUM ANALYZE plan_event;
-- The test checks index conditions, not costs, because the cost for now() depends
-- on the day of the test.
SET enable_bitmapscan = off;
SET enable_seqscan = off;

-- A constant becomes an id, on either side.
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id < timestamptz '2025-01-02 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id <= timestamptz '2025-01-02 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= timestamptz '2026-12-31 00:00:00.5+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id > timestamptz '2026-12-31 00:00:00.5+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE timestamptz '2025-01-02 00:00:00+00' > id;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE timestamptz '2025-01-02 00:00:00+00' >= id;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE timestamptz '2026-12-31 00:00:00+00' <= id;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE timestamptz '2026-12-31 00:00:00+00' < id;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id BETWEEN timestamptz '2025-06-01 00:00:00+00' AND timestamptz '2025-06-02 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id <@ tstzrange('2025-06-01', '2025-06-02');
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE tstzrange('2025-06-01', '2025-06-02', '(]') @> id;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE objectid_within(id, '[2025-06-01,2025-06-02)'::tstzrange);
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE NOT id >= timestamptz '2025-01-02 00:00:00+00';
-- an impossible condition becomes an empty range; with null, nothing is read
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id <@ tstzrange('2025-06-01 00:00:00.1', '2025-06-01 00:00:00.9');
-- Some lines of a plan, because the others differ between server versions
CREATE FUNCTION pg_temp.plan_lines(query text, pattern text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        IF line ~ pattern THEN
            -- 17 calls it (InitPlan 1).col1, 19 (InitPlan expr_1).col1; and they know that a key is not null
            line := regexp_replace(trim(line), '\(InitPlan \w+\)\.col1', '$0');
            RETURN NEXT regexp_replace(line, '\(\(id IS NOT NULL\) AND (.*)\)$', '\1');
        END IF;
    END LOOP;
END $$;
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_event WHERE id >= NULL::timestamptz', 'Scan using|Filter');
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_event WHERE id <@ NULL::tstzrange', 'Scan using|Filter');

-- The estimate for a day is that for the two ids: 24 rows, within a factor of 2.
CREATE FUNCTION pg_temp.estimate(query text) RETURNS float
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT pg_temp.estimate('SELECT FROM plan_event WHERE id >= timestamptz ''2025-06-01 00:00:00+00'' AND id < timestamptz ''2025-06-02 00:00:00+00''') BETWEEN 12 AND 48 AS operators,
       pg_temp.estimate('SELECT FROM plan_event WHERE id <@ tstzrange(''2025-06-01 00:00:00+00'', ''2025-06-02 00:00:00+00'')') BETWEEN 12 AND 48 AS range;

-- A stable expression stays an expression, evaluated once.
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= now() - interval '1 day';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id <@ tstzrange(now() - interval '1 day', now());
-- a date or a timestamp, whose time depends on the session's TimeZone, is cast
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= date '2026-12-31';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id < timestamp '2025-01-02 00:00:00';
SET timezone = 'Asia/Kathmandu';
SELECT count(*) FROM plan_event WHERE id >= date '2026-12-31';
SELECT count(*) FROM plan_event WHERE id < timestamp '2025-01-02 00:00:00';
SET timezone = 'UTC';
SELECT count(*) FROM plan_event WHERE id >= date '2026-12-31';
-- a volatile expression is not rewritten
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= clock_timestamp() - interval '1 day';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id <@ tstzrange(clock_timestamp(), NULL);
EXPLAIN (COSTS OFF) SELECT count(*) FROM generate_series(1, 3) WHERE gen_objectid() >= now();

SET enable_seqscan = off;

-- Parameters of a generic plan, and of a custom plan
PREPARE plan_since(timestamptz) AS SELECT * FROM plan_event WHERE id >= $1;
PREPARE plan_within(tstzrange) AS SELECT * FROM plan_event WHERE $1 @> id;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE plan_since('2026-12-31 00:00:00+00');
EXPLAIN (COSTS OFF) EXECUTE plan_within('[2026-12-31 00:00:00+00,)');
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE plan_since('2026-12-31 00:00:00+00');
EXPLAIN (COSTS OFF) EXECUTE plan_within('[2026-12-31 00:00:00+00,)');
RESET plan_cache_mode;
DEALLOCATE ALL;

-- A column of another table: an index range for each of its rows
RESET enable_seqscan;
CREATE TABLE plan_shift (begins timestamptz, ends timestamptz);
INSERT INTO plan_shift VALUES ('2025-03-01 08:00:00+00', '2025-03-01 16:00:00+00'), ('2026-03-01 08:00:00+00', '2026-03-01 16:00:00+00'), ('2030-01-01 00:00:00+00', NULL);
ANALYZE plan_shift;
EXPLAIN (COSTS OFF) SELECT * FROM plan_shift, LATERAL (SELECT count(*) FROM plan_event WHERE id >= begins AND id < ends) AS s;
SELECT * FROM plan_shift, LATERAL (SELECT count(*) FROM plan_event WHERE id >= begins AND id < ends) AS s;
EXPLAIN (COSTS OFF) SELECT * FROM plan_shift LEFT JOIN plan_event ON id <@ tstzrange(begins, ends);
SELECT begins, count(id) FROM plan_shift LEFT JOIN plan_event ON id <@ tstzrange(begins, ends) GROUP BY begins ORDER BY begins;
-- the result of a subquery
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_event WHERE id >= (SELECT max(begins) FROM plan_shift)', 'Cond|Filter|Index');

SET enable_seqscan = off;

-- Multicolumn indexes: the range is used after a column with equality, and as the
-- first column.
CREATE INDEX plan_event_n_id ON plan_event ((n % 10), id, n);
ANALYZE plan_event;
EXPLAIN (COSTS OFF) SELECT n FROM plan_event WHERE n % 10 = 3 AND id >= timestamptz '2026-12-01 00:00:00+00' AND n > 5;
DROP INDEX plan_event_n_id;

-- Index-only scans
EXPLAIN (COSTS OFF) SELECT id FROM plan_event WHERE id >= timestamptz '2026-12-31 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT count(*) FROM plan_event WHERE id <@ tstzrange('2026-12-31 00:00:00+00', NULL);
-- in index order, from either end
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= timestamptz '2026-12-01 00:00:00+00' ORDER BY id DESC LIMIT 10;
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT min(id), max(id) FROM plan_event WHERE id < timestamptz ''2025-06-01 00:00:00+00''', 'Index|Limit|Scan');
-- with a window function, too
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT count(*) OVER (ORDER BY id RANGE BETWEEN ''1 day'' PRECEDING AND CURRENT ROW) FROM plan_event WHERE id < timestamptz ''2025-01-02 00:00:00+00''', 'Index|Scan|WindowAgg|Sort');

-- BRIN
CREATE TABLE plan_brin (id objectid, filler text);
INSERT INTO plan_brin SELECT id, repeat('x', 200) FROM plan_event ORDER BY id;
CREATE INDEX plan_brin_index ON plan_brin USING brin (id) WITH (pages_per_range = 4);
ANALYZE plan_brin;
SET enable_bitmapscan = on;
EXPLAIN (COSTS OFF) SELECT * FROM plan_brin WHERE id >= timestamptz '2026-12-01 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_brin WHERE id <@ tstzrange(now() - interval '1 day', now());
SELECT count(*) FROM plan_brin WHERE id <@ tstzrange('2026-12-01 00:00:00+00', '2026-12-02 00:00:00+00');
SET enable_bitmapscan = off;
DROP TABLE plan_brin;

-- A partial index: its condition is rewritten, too, and implied by a narrower
-- one.
CREATE INDEX plan_event_recent ON plan_event (n) WHERE id >= timestamptz '2026-12-01 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= timestamptz '2026-12-24 00:00:00+00' AND n < 100;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id <@ tstzrange('2026-12-24 00:00:00+00', '2026-12-25 00:00:00+00') AND n = 17330;
SELECT * FROM plan_event WHERE id <@ tstzrange('2026-12-24 00:00:00+00', '2026-12-25 00:00:00+00') AND n = 17330;
-- but not by a wider one
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= timestamptz '2026-11-30 00:00:00+00' AND n = 17330;
DROP INDEX plan_event_recent;

-- UPDATE and DELETE
EXPLAIN (COSTS OFF) UPDATE plan_event SET n = n + 1 WHERE id >= timestamptz '2026-12-31 00:00:00+00';
EXPLAIN (COSTS OFF) DELETE FROM plan_event WHERE id < now() - interval '90 days';
EXPLAIN (COSTS OFF) DELETE FROM plan_event WHERE id <@ tstzrange('2025-02-01 00:00:00+00', '2025-02-02 00:00:00+00');
BEGIN;
DELETE FROM plan_event WHERE id <@ tstzrange('2025-02-01 00:00:00+00', '2025-02-01 02:00:00+00', '[]') RETURNING n;
ROLLBACK;

-- A view
CREATE VIEW plan_recent AS SELECT id, n FROM plan_event WHERE id >= timestamptz '2026-12-01 00:00:00+00';
-- its definition is not rewritten
SELECT pg_get_viewdef('plan_recent') LIKE '%id >= ''2026-12-01 00:00:00+00''::timestamp with time zone%' AS viewdef;
EXPLAIN (COSTS OFF) SELECT * FROM plan_recent WHERE id < timestamptz '2026-12-02 00:00:00+00';
DROP VIEW plan_recent;

-- A security-barrier view with a leaking function above it: the condition on the
-- id is an index condition inside the view, and the function runs after the
-- view's condition.  (The function reports rows that it must not see.)
CREATE FUNCTION plan_leak(int) RETURNS boolean
LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN IF $1 % 2 = 1 THEN RAISE NOTICE 'leaked %', $1; END IF; RETURN true; END $$;
CREATE VIEW plan_even WITH (security_barrier) AS SELECT id, n FROM plan_event WHERE n % 2 = 0;
EXPLAIN (COSTS OFF) SELECT * FROM plan_even WHERE plan_leak(n) AND id >= timestamptz '2026-12-31 20:00:00+00';
SELECT n FROM plan_even WHERE plan_leak(n) AND id >= timestamptz '2026-12-31 20:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_even WHERE plan_leak(n) AND id <@ tstzrange(now() - interval '1 day', now());
DROP VIEW plan_even;

-- Row-level security: for a role that is not the owner, both the policy and the
-- query become index conditions.
CREATE ROLE regress_plan_reader;
GRANT SELECT ON plan_event TO regress_plan_reader;
GRANT EXECUTE ON FUNCTION plan_leak(int) TO regress_plan_reader;
CREATE POLICY plan_policy ON plan_event TO regress_plan_reader USING (id >= timestamptz '2026-12-31 22:00:00+00');
ALTER TABLE plan_event ENABLE ROW LEVEL SECURITY;
SET ROLE regress_plan_reader;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id < now() AND plan_leak(n);
SELECT n FROM plan_event;
SELECT count(*) FROM plan_event WHERE id < timestamptz '2026-12-31 23:00:00+00';
RESET ROLE;
ALTER TABLE plan_event DISABLE ROW LEVEL SECURITY;
DROP POLICY plan_policy ON plan_event;
CREATE POLICY plan_policy ON plan_event TO regress_plan_reader USING (n % 2 = 0);
ALTER TABLE plan_event ENABLE ROW LEVEL SECURITY;
SET ROLE regress_plan_reader;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= timestamptz '2026-12-31 22:00:00+00' AND plan_leak(n);
SELECT n FROM plan_event WHERE id >= timestamptz '2026-12-31 20:00:00+00' AND plan_leak(n);
RESET ROLE;
ALTER TABLE plan_event DISABLE ROW LEVEL SECURITY;
DROP POLICY plan_policy ON plan_event;
REVOKE ALL ON plan_event FROM regress_plan_reader;
DROP FUNCTION plan_leak(int);

-- Partitions, pruned by the planner ...
CREATE TABLE plan_part (id objectid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT format('CREATE TABLE plan_part_%s PARTITION OF plan_part FOR VALUES FROM (%L) TO (%L)', to_char(month, 'YYYYMMDD'), objectid_floor(month), objectid_floor(month + interval '1 month'))
FROM generate_series(timestamptz '2026-01-01 00:00:00+00', '2026-06-01 00:00:00+00', '1 month') AS month \gexec
INSERT INTO plan_part SELECT id FROM plan_event WHERE id <@ tstzrange('2026-01-01 00:00:00+00', '2026-07-01 00:00:00+00');
ANALYZE plan_part;
RESET enable_seqscan;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM plan_part WHERE id >= timestamptz '2026-05-31 12:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_part WHERE id <= timestamptz '2026-01-31 23:59:59.999999+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_part WHERE id <@ tstzrange('2026-02-10 00:00:00+00', '2026-03-01 00:00:00+00');
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_part WHERE id > timestamptz ''2026-07-01 00:00:00+00''', 'Scan using|Filter');
-- ... and by the executor: subplans removed, and never executed
SET plan_cache_mode = force_generic_plan;
PREPARE plan_since(timestamptz) AS SELECT * FROM plan_part WHERE id >= $1;
PREPARE plan_within(tstzrange) AS SELECT * FROM plan_part WHERE id <@ $1;
SELECT pg_temp.plan_lines('(COSTS OFF) EXECUTE plan_since(''2026-05-31 12:00:00+00'')', 'Scan on|Removed');
SELECT pg_temp.plan_lines('(COSTS OFF) EXECUTE plan_within(''[2026-02-10 00:00:00+00,2026-03-01 00:00:00+00)'')', 'Scan on|Removed');
SELECT count(*) FROM plan_part WHERE id <@ tstzrange('2026-02-10 00:00:00+00', '2026-03-01 00:00:00+00');
RESET plan_cache_mode;
DEALLOCATE ALL;
-- now, within 500 years
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_part WHERE id >= now() - interval ''500 years''', 'Scan on|Removed');
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_part WHERE id <@ tstzrange(NULL, now() - interval ''500 years'')', 'Scan on|Removed');
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_part WHERE id < now() - interval ''500 years''', 'Scan on|Removed');
-- for each row of another table
SELECT pg_temp.plan_lines('(ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM (VALUES (timestamptz ''2026-06-30 23:00:00+00''), (''2026-06-30 22:00:00+00'')) AS v (t), LATERAL (SELECT count(*) FROM plan_part WHERE id >= t) AS s', 'never executed');
RESET enable_indexscan;
RESET enable_indexonlyscan;
DROP TABLE plan_part;


-- A CHECK constraint excludes a table.
CREATE TABLE plan_check (id objectid CHECK (id >= timestamptz '2026-01-01 00:00:00+00'));
SET constraint_exclusion = on;
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_check WHERE id < timestamptz ''2026-01-01 00:00:00+00''', 'Scan using|Filter');
EXPLAIN (COSTS OFF) SELECT * FROM plan_check WHERE id < timestamptz '2026-01-01 00:00:00.1+00';
INSERT INTO plan_check VALUES (objectid_floor('2026-01-01 00:00:00+00'));
INSERT INTO plan_check VALUES (objectid_ceiling('2025-12-31 23:59:59+00'));
RESET constraint_exclusion;
DROP TABLE plan_check;
-- and allows ATTACH PARTITION to skip the scan
CREATE TABLE plan_part (id objectid NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE plan_january (id objectid NOT NULL, CHECK (id >= timestamptz '2026-01-01 00:00:00+00' AND id < timestamptz '2026-02-01 00:00:00+00'));
CREATE TABLE plan_february (id objectid NOT NULL, CHECK (id <@ '[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'::tstzrange));
SET client_min_messages = debug1;
ALTER TABLE plan_part ATTACH PARTITION plan_january FOR VALUES FROM (objectid_floor('2026-01-01 00:00:00+00')) TO (objectid_floor('2026-02-01 00:00:00+00'));
ALTER TABLE plan_part ATTACH PARTITION plan_february FOR VALUES FROM (objectid_floor('2026-02-01 00:00:00+00')) TO (objectid_floor('2026-03-01 00:00:00+00'));
RESET client_min_messages;
DROP TABLE plan_part;

-- An expression index on the predicate is used.
CREATE INDEX plan_event_within ON plan_event ((id <@ '[2026-01-01 00:00:00+00,2026-01-01 05:00:00+00)'::tstzrange), n);
ANALYZE plan_event;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE (id <@ '[2026-01-01 00:00:00+00,2026-01-01 05:00:00+00)'::tstzrange) IS TRUE AND n > 0;
RESET enable_seqscan;
DROP INDEX plan_event_within;

-- A domain over objectid
SET enable_seqscan = off;
CREATE DOMAIN plan_domain AS objectid CHECK (VALUE >= timestamptz '2025-01-01 00:00:00+00');
CREATE TABLE plan_key (id plan_domain PRIMARY KEY);
INSERT INTO plan_key SELECT id FROM plan_event;
INSERT INTO plan_key VALUES ('000000000000000000000000');
VACUUM ANALYZE plan_key;
EXPLAIN (COSTS OFF) SELECT * FROM plan_key WHERE id >= timestamptz '2026-12-31 22:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_key WHERE tstzrange('2026-12-31 22:00:00+00', NULL) @> id;
SELECT count(*) FROM plan_key WHERE id > timestamptz '2026-12-31 22:00:00+00';
DROP TABLE plan_key;
DROP DOMAIN plan_domain;

-- The same for 64-bit ids and UUIDs
CREATE TABLE plan_snowflake (id bigint PRIMARY KEY);
INSERT INTO plan_snowflake SELECT make_snowflake(objectid_timestamp(id), 1, 0, 'twitter') FROM plan_event;
VACUUM ANALYZE plan_snowflake;
EXPLAIN (COSTS OFF) SELECT * FROM plan_snowflake WHERE snowflake_within(id, '[2026-12-31 00:00:00+00,2027-01-01 00:00:00+00)', 'twitter');
EXPLAIN (COSTS OFF) SELECT * FROM plan_snowflake WHERE snowflake_within(id, tstzrange(now() - interval '1 day', now()), 'twitter');
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT * FROM plan_snowflake WHERE snowflake_within(id, tstzrange(clock_timestamp(), NULL), 'twitter');
SET enable_seqscan = off;
SELECT count(*) FROM plan_snowflake WHERE snowflake_within(id, '[2026-12-31 00:00:00+00,2027-01-01 00:00:00+00)', 'twitter');
CREATE TABLE plan_uuid (id uuid PRIMARY KEY);
INSERT INTO plan_uuid SELECT uuidv7_floor(objectid_timestamp(id)) FROM plan_event;
VACUUM ANALYZE plan_uuid;
EXPLAIN (COSTS OFF) SELECT * FROM plan_uuid WHERE uuidv7_within(id, '[2026-12-31 00:00:00+00,2027-01-01 00:00:00+00)');
EXPLAIN (COSTS OFF) SELECT * FROM plan_uuid WHERE uuidv7_within(id, tstzrange(now() - interval '1 day', now()));
SELECT count(*) FROM plan_uuid WHERE uuidv7_within(id, '[2026-12-31 00:00:00+00,2027-01-01 00:00:00+00)');
DROP TABLE plan_snowflake, plan_uuid;
DROP TABLE plan_event, plan_shift;

--
-- The extension in a separate schema, in a separate database
--
\set original :DBNAME
CREATE DATABASE regress_objectid_plans;
\c regress_objectid_plans
SET timezone = 'UTC';
CREATE SCHEMA ids;
CREATE EXTENSION objectid_ext SCHEMA ids;
CREATE SCHEMA app;
CREATE TABLE app.event (id ids.objectid PRIMARY KEY);
INSERT INTO app.event SELECT ids.objectid_floor(timestamptz '2026-01-01 00:00:00+00' + i * interval '1 hour') FROM generate_series(0, 8759) AS i;
VACUUM ANALYZE app.event;
SET enable_bitmapscan = off;
SET enable_seqscan = off;
-- functions with the same names, earlier in the search_path
CREATE FUNCTION public.objectid_floor(timestamptz) RETURNS ids.objectid LANGUAGE sql IMMUTABLE AS $$ SELECT ids.objectid_floor('infinity') $$;
CREATE FUNCTION public.objectid_lower(tstzrange) RETURNS ids.objectid LANGUAGE sql IMMUTABLE AS $$ SELECT ids.objectid_floor('infinity') $$;
EXPLAIN (COSTS OFF) SELECT * FROM app.event WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM app.event WHERE id OPERATOR(ids.<@) tstzrange(now() - interval '1 day', now());
SELECT count(*) FROM app.event WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
-- not found without its schema
\set VERBOSITY terse
SELECT count(*) FROM app.event WHERE id >= timestamptz '2026-12-31 00:00:00+00';
\set VERBOSITY default
SET search_path = '';
EXPLAIN (COSTS OFF) SELECT * FROM app.event WHERE id OPERATOR(ids.>=) pg_catalog.now();
RESET search_path;

-- A view of another user, for a role without USAGE on the schema: it is planned
-- and executed with the extension's functions
CREATE VIEW app.recent AS SELECT id FROM app.event WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
CREATE VIEW app.last_day AS SELECT id FROM app.event WHERE id OPERATOR(ids.<@) tstzrange(now() - interval '1 day', now());
GRANT USAGE ON SCHEMA app TO regress_plan_reader;
GRANT SELECT ON app.recent, app.last_day TO regress_plan_reader;
SET ROLE regress_plan_reader;
SELECT has_schema_privilege('ids', 'USAGE') AS usage;
EXPLAIN (COSTS OFF) SELECT * FROM app.recent;
SELECT count(*) FROM app.recent;
EXPLAIN (COSTS OFF) SELECT * FROM app.last_day;
SELECT count(*) >= 0 AS works FROM app.last_day;
-- the role itself has no access
SELECT count(*) FROM app.recent WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
RESET ROLE;

-- The extension is moved, and plans follow.
CREATE SCHEMA moved;
ALTER EXTENSION objectid_ext SET SCHEMA moved;
EXPLAIN (COSTS OFF) SELECT * FROM app.last_day;
SELECT count(*) FROM app.recent;

\c :original
DROP DATABASE regress_objectid_plans;
DROP ROLE regress_plan_reader;
