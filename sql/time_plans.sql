--
-- Predicates on the time in an id: plans
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';
\getenv abs_srcdir PG_ABS_SRCDIR
\set plan_event :abs_srcdir '/sql/include/plan_event.sql'
\set ECHO none
\i :plan_event
\set ECHO all

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
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_event WHERE id >= NULL::timestamptz', 'Scan using|Filter');
SELECT pg_temp.plan_lines('(COSTS OFF) SELECT * FROM plan_event WHERE id <@ NULL::tstzrange', 'Scan using|Filter');

-- Without our function that makes the bound, or with another's of another type, the
-- comparison stays as it is.
BEGIN;
SET LOCAL enable_seqscan = on;
ALTER FUNCTION objectid_floor(timestamptz) RENAME TO other_floor;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id < timestamptz '2025-01-02 00:00:00+00';
CREATE FUNCTION objectid_floor(timestamptz) RETURNS text IMMUTABLE STRICT RETURN 'other';
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id < timestamptz '2025-01-02 00:00:00+00';
ROLLBACK;

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

-- UPDATE and DELETE
EXPLAIN (COSTS OFF) UPDATE plan_event SET n = n + 1 WHERE id >= timestamptz '2026-12-31 00:00:00+00';
EXPLAIN (COSTS OFF) DELETE FROM plan_event WHERE id < now() - interval '90 days';
EXPLAIN (COSTS OFF) DELETE FROM plan_event WHERE id <@ tstzrange('2025-02-01 00:00:00+00', '2025-02-02 00:00:00+00');
BEGIN;
DELETE FROM plan_event WHERE id <@ tstzrange('2025-02-01 00:00:00+00', '2025-02-01 02:00:00+00', '[]') RETURNING n;
ROLLBACK;

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
