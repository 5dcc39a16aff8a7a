--
-- Predicates on the time in an id: plans with BRIN, partial indexes, partitions,
-- CHECK constraints and an index on the predicate
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';
\getenv abs_srcdir PG_ABS_SRCDIR
\set plan_event :abs_srcdir '/sql/include/plan_event.sql'
\set ECHO none
\i :plan_event
\set ECHO all

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

DROP TABLE plan_event;
