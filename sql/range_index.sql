--
-- Indexes on ranges: of time, and of objectid
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';
SET enable_seqscan = off;
-- On 32-bit machines, bitmap scans of such small tables are cheaper.
SET enable_bitmapscan = off;

-- Ranges of time that contain the time of one id
CREATE TABLE period (n int, p tstzrange);
INSERT INTO period
SELECT i, tstzrange(t, t + interval '90 minutes')
FROM generate_series(0, 999) AS i, LATERAL (SELECT timestamptz '2026-01-01 00:00:00+00' + i * interval '1 hour') AS x (t);
CREATE INDEX ON period USING gist (p);
VACUUM ANALYZE period;
EXPLAIN (COSTS OFF) SELECT n FROM period WHERE p @> objectid_floor('2026-01-02 00:15:00+00');
SELECT n FROM period WHERE p @> objectid_floor('2026-01-02 00:15:00+00') ORDER BY n;
SELECT n FROM period WHERE p @> objectid_timestamp(objectid_floor('2026-01-02 00:15:00+00')) ORDER BY n;
EXPLAIN (COSTS OFF) SELECT n FROM period WHERE objectid_floor('2026-01-02 00:15:00+00') <@ p;
SELECT n FROM period WHERE objectid_floor('2026-01-02 00:15:00+00') <@ p ORDER BY n;
PREPARE periods_of(objectid) AS SELECT n FROM period WHERE p @> $1 ORDER BY n;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE periods_of(objectid_floor('2026-01-02 00:15:00+00'));
EXECUTE periods_of(objectid_floor('2026-01-02 00:15:00+00'));
RESET plan_cache_mode;
-- there is no function of ours that decodes the time
BEGIN;
SET LOCAL enable_seqscan = on;
ALTER FUNCTION objectid_timestamp(objectid) RENAME TO other_timestamp;
EXPLAIN (COSTS OFF) SELECT n FROM period WHERE p @> objectid_floor('2026-01-02 00:15:00+00');
ROLLBACK;
-- the id comes from a sub-select, which runs once
SELECT n FROM period WHERE p @> (SELECT objectid_floor('2026-01-02 00:15:00+00')) ORDER BY n;
-- a join uses the index on the ids
CREATE TABLE period_event (id objectid PRIMARY KEY);
INSERT INTO period_event SELECT objectid_floor(timestamptz '2026-01-01 00:00:00+00' + i * interval '30 minutes') FROM generate_series(1, 1000) AS i;
VACUUM ANALYZE period_event;
-- The one table without a fitting index is read whole.
RESET enable_seqscan;
EXPLAIN (COSTS OFF) SELECT count(*) FROM period JOIN period_event ON id <@ p WHERE n < 10;
SET enable_seqscan = off;
SELECT count(*), (SELECT count(*) FROM period, period_event WHERE objectid_timestamp(id) <@ p) AS reference
FROM period JOIN period_event ON id <@ p;

-- Ranges of objectid keep core's meaning and core's indexes
CREATE TYPE idrange AS RANGE (subtype = objectid);
CREATE TABLE batch (n int, r idrange);
INSERT INTO batch
SELECT i, idrange(objectid_floor(t), objectid_floor(t + interval '90 minutes'))
FROM generate_series(0, 999) AS i, LATERAL (SELECT timestamptz '2026-01-01 00:00:00+00' + i * interval '1 hour') AS x (t);
CREATE INDEX ON batch USING gist (r);
VACUUM ANALYZE batch;
EXPLAIN (COSTS OFF) SELECT n FROM batch WHERE r @> objectid_floor('2026-01-02 00:15:00+00');
EXPLAIN (COSTS OFF) SELECT n FROM batch WHERE r OPERATOR(pg_catalog.@>) objectid_floor('2026-01-02 00:15:00+00');
SELECT n FROM batch WHERE r @> objectid_floor('2026-01-02 00:15:00+00') ORDER BY n;
EXPLAIN (COSTS OFF) SELECT n FROM batch WHERE objectid_floor('2026-01-02 00:15:00+00') <@ r;
SELECT n FROM batch WHERE objectid_floor('2026-01-02 00:15:00+00') <@ r ORDER BY n;
SELECT n FROM batch, period_event WHERE id <@ r AND id = objectid_floor('2026-01-02 00:30:00+00') ORDER BY n;
SELECT objectid_floor('2026-01-02 00:15:00+00') <@ idrange(NULL, NULL) AS unbounded, objectid_floor('2026-01-02 00:15:00+00') <@ 'empty'::idrange AS nothing;

-- A range of time that a user made, in which later is lower
CREATE FUNCTION timestamptz_reverse_cmp(timestamptz, timestamptz) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN timestamptz_cmp($2, $1);
CREATE OPERATOR CLASS timestamptz_reverse_ops FOR TYPE timestamptz USING btree AS
    OPERATOR 1 >, OPERATOR 2 >=, OPERATOR 3 =, OPERATOR 4 <=, OPERATOR 5 <,
    FUNCTION 1 timestamptz_reverse_cmp(timestamptz, timestamptz);
CREATE TYPE reverse_range AS RANGE (subtype = timestamptz, subtype_opclass = timestamptz_reverse_ops);
SELECT count(*) FILTER (WHERE id <@ reverse_range('2026-01-02', '2026-01-01')) AS ids,
       count(*) FILTER (WHERE objectid_timestamp(id) <@ reverse_range('2026-01-02', '2026-01-01')) AS reference
FROM period_event;

-- Any other range is an error, in every plan
SELECT n FROM period WHERE tsrange('2026-01-01', '2026-02-01') @> objectid_floor('2026-01-02 00:15:00+00');
SELECT id FROM period_event WHERE id <@ int4range(1, 2);

DROP TABLE period, period_event, batch;
DROP TYPE idrange, reverse_range;
DROP OPERATOR CLASS timestamptz_reverse_ops USING btree;
DROP OPERATOR FAMILY timestamptz_reverse_ops USING btree;
DROP FUNCTION timestamptz_reverse_cmp(timestamptz, timestamptz);
