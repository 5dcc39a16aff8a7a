--
-- Row estimates of ranges of ids
--
-- The estimator of objectid must treat two bounds as a range, as core does with
-- its own estimators.
\a \t on
SET timezone = 'UTC';
SET max_parallel_workers_per_gather = 0;
SET jit = off;

CREATE FUNCTION pg_temp.estimate(query text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
END $$;

-- An id a second
CREATE FUNCTION pg_temp.id_of(row_number int) RETURNS objectid
LANGUAGE sql AS $$
    SELECT (left(objectid_floor(timestamptz '2026-01-01 00:00:00+00' + row_number * interval '1 second')::text, 8)
            || '0102030405' || lpad(to_hex(row_number), 6, '0'))::objectid
$$;
CREATE TABLE range_ids (id objectid, other int) WITH (autovacuum_enabled = off);
INSERT INTO range_ids SELECT pg_temp.id_of(i), i % 10 FROM generate_series(0, 99999) AS i;
CREATE INDEX ON range_ids (id);
CREATE TABLE range_parted (id objectid) PARTITION BY RANGE (id);
CREATE TABLE range_parted_1 PARTITION OF range_parted FOR VALUES FROM (MINVALUE) TO ('69567c500000000000000000');
CREATE TABLE range_parted_2 PARTITION OF range_parted FOR VALUES FROM ('69567c500000000000000000') TO (MAXVALUE);
INSERT INTO range_parted SELECT id FROM range_ids;
CREATE TABLE range_new (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO range_new SELECT id FROM range_ids;
-- The sample is the whole table, so the estimates are nearly exact.
ALTER TABLE range_ids ALTER id SET STATISTICS 400;
ALTER TABLE range_parted ALTER id SET STATISTICS 400;
ALTER TABLE range_parted_1 ALTER id SET STATISTICS 400;
ALTER TABLE range_parted_2 ALTER id SET STATISTICS 400;
ANALYZE range_ids, range_parted;
VACUUM range_new;

-- The estimates of conditions on the rows 10000, 11000, 30000 and 34000.  They
-- are printed if they differ by more than 3 % from the expected number.
CREATE TEMP TABLE range_case (no serial, expected bigint, query text);
INSERT INTO range_case (expected, query) VALUES
    -- two bounds in any order and form, among others, and more of them
    (1000, 'FROM range_ids WHERE id >= %1$L AND id < %2$L'),
    (1000, 'FROM range_ids WHERE id < %2$L AND id >= %1$L'),
    (1000, 'FROM range_ids WHERE %2$L > id AND %1$L <= id'),
    (1000, 'FROM range_ids WHERE id BETWEEN %1$L AND %2$L'),
    (500, 'FROM range_ids WHERE id > %1$L AND other < 5 AND id <= %2$L'),
    (4000, 'FROM range_ids WHERE id >= %1$L AND id >= %3$L AND id < %4$L'),
    (4000, 'FROM range_ids WHERE id >= %3$L AND id < %4$L AND id >= %1$L AND id < %4$L'),
    (11000, 'FROM range_ids WHERE id < %2$L'),
    (70000, 'FROM range_ids WHERE id >= %3$L'),
    (70000, 'FROM range_ids WHERE NOT id < %3$L'),
    (1, 'FROM range_ids WHERE id >= %3$L AND id < %1$L'),
    -- among many conditions on other columns
    (1000, 'FROM range_ids WHERE id >= %1$L AND id < %2$L' || (SELECT string_agg(' AND other <> -' || i, '') FROM generate_series(1, 16) AS i)),
    -- half of one bucket of the histogram
    (5, 'FROM range_ids WHERE id >= %1$L AND id < %5$L'),
    -- and of the last one
    (24, 'FROM range_ids WHERE id >= %6$L'),
    -- inside of OR and NOT
    (5000, 'FROM range_ids WHERE (id >= %1$L AND id < %2$L) OR (id >= %3$L AND id < %4$L)'),
    (500, 'FROM range_ids WHERE other = 1 AND (id >= %1$L AND id < %2$L OR id < %4$L AND id >= %3$L)'),
    (1000, 'FROM range_ids WHERE NOT (id < %1$L OR id >= %2$L)'),
    (1000, 'FROM range_ids WHERE (id >= %1$L AND id < %2$L) IS TRUE'),
    (300, 'FROM range_ids WHERE (other = 1 AND (id >= %1$L AND id < %2$L OR other < 0)) OR (other = 2 AND (other < 0 OR id >= %3$L AND id < %4$L) AND other < 5)'),
    (73000, 'FROM range_ids WHERE id < %1$L OR id >= %3$L'),
    -- predicates on time
    (1000, 'FROM range_ids WHERE id <@ tstzrange(''2026-01-01 02:46:40+00'', ''2026-01-01 03:03:20+00'')'),
    (1000, 'FROM range_ids WHERE id >= timestamptz ''2026-01-01 02:46:40+00'' AND id < timestamptz ''2026-01-01 03:03:20+00'''),
    -- values that are not known when planning: core's defaults
    (33333, 'FROM range_ids WHERE id >= (SELECT %1$L::objectid)'),
    (500, 'FROM range_ids WHERE id >= (SELECT %1$L::objectid) AND id < (SELECT %2$L::objectid)'),
    (500, 'FROM range_ids WHERE id >= %1$L AND id < (SELECT %2$L::objectid)'),
    (33333, 'FROM range_ids WHERE (id, other) > ((SELECT %1$L::objectid), 0)'),
    (33333, 'FROM range_ids WHERE id > ANY (ARRAY[(SELECT %1$L::objectid)])'),
    (40000, 'FROM range_ids WHERE id > (SELECT %1$L::objectid) OR other = 3'),
    (5, 'FROM range_ids WHERE id >= %1$L AND id < %5$L AND id < (SELECT %5$L::objectid)'),
    -- other callers of the estimator
    (97000, 'FROM range_ids WHERE id >= ANY (ARRAY[%1$L, %3$L]::objectid[])'),
    (70000, 'FROM range_ids WHERE (id, other) >= (%3$L, 0)'),
    (1000, 'FROM (SELECT * FROM range_ids OFFSET 0) AS s WHERE id >= %1$L AND id < %2$L'),
    (1000, 'FROM range_ids AS a LEFT JOIN range_ids AS b USING (id) WHERE a.id >= %1$L AND a.id < %2$L'),
    (1000, 'FROM (VALUES (1)) AS a LEFT JOIN range_ids AS b ON id >= %1$L AND id < %2$L'),
    (1000, 'FROM range_ids AS a LEFT JOIN range_ids AS b USING (id) WHERE (b.id >= %1$L AND b.id < %2$L) OR b.id IS NULL'),
    (1000, 'FROM range_parted WHERE id >= %1$L AND id < %2$L'),
    (70000, 'FROM range_parted WHERE id >= %3$L'),
    -- without statistics: core's defaults
    (500, 'FROM range_new WHERE id >= %1$L AND id < %2$L'),
    (33333, 'FROM range_new WHERE id >= %1$L');
CREATE TEMP VIEW range_estimate AS
SELECT no, expected, query,
       pg_temp.estimate('SELECT ' || format(query, pg_temp.id_of(10000), pg_temp.id_of(11000), pg_temp.id_of(30000), pg_temp.id_of(34000), pg_temp.id_of(10005), pg_temp.id_of(99975))) AS estimate
  FROM range_case;
SELECT query, expected, estimate FROM range_estimate WHERE estimate NOT BETWEEN 0.97 * expected AND 1.03 * expected ORDER BY no;

-- The conditions that only an index scan has are estimated as a range, too: it
-- costs far less than to read all of the table or a ninth of it.
CREATE FUNCTION pg_temp.cost(query text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Total Cost';
END $$;
SELECT pg_temp.cost('SELECT id FROM range_ids WHERE id <@ (SELECT tstzrange(''2026-01-01 02:46:40+00'', ''2026-01-01 03:03:20+00''))')
           < 0.05 * pg_temp.cost('SELECT id FROM range_ids') AS cheap;

-- The predicate of a partial index is estimated as a range, too.
CREATE INDEX range_part ON range_parted_1 (objectid_timestamp(id)) WHERE id <@ tstzrange('2026-01-01 02:46:40+00', '2026-01-01 03:03:20+00');
SET enable_seqscan = off;
SET enable_indexscan = off;
CREATE FUNCTION pg_temp.index_rows(query text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN plan #>> '{0,Plan,Plans,0,Plan Rows}';
END $$;
SELECT pg_temp.index_rows('SELECT FROM range_parted_1 WHERE id <@ tstzrange(''2026-01-01 02:46:40+00'', ''2026-01-01 03:03:20+00'')') BETWEEN 970 AND 1030 AS part;
RESET enable_seqscan;
RESET enable_indexscan;
DROP INDEX range_part;

-- A generic plan knows no bound.
PREPARE range_generic (objectid, objectid) AS SELECT FROM range_ids WHERE id >= $1 AND id < $2;
SET plan_cache_mode = force_generic_plan;
SELECT pg_temp.estimate('EXECUTE range_generic (''000000000000000000000000'', ''ffffffffffffffffffffffff'')') AS generic;
RESET plan_cache_mode;
DEALLOCATE range_generic;

-- Ids after those that ANALYZE has seen, in a table that has not grown
SELECT pg_temp.estimate('SELECT FROM range_ids WHERE id > ''ff0000000000000000000000''') AS later;
-- A hundredth of a bucket may be beyond either end: of 20 buckets, 50 rows.
ALTER TABLE range_new ALTER id SET STATISTICS 1;
ANALYZE range_new;
SELECT pg_temp.estimate('SELECT FROM range_new WHERE id < ''000000000000000000000001''') BETWEEN 45 AND 55 AS earlier,
       pg_temp.estimate('SELECT FROM range_new WHERE id > ''ff0000000000000000000000''') BETWEEN 45 AND 55 AS later;

-- Rows that were added since ANALYZE: an id a second, a tenth of them in the last
-- 10,000 s
SELECT now() \gset
CREATE TABLE range_recent (id objectid) WITH (autovacuum_enabled = off);
ALTER TABLE range_recent ALTER id SET STATISTICS 400;
INSERT INTO range_recent SELECT objectid_floor(:'now'::timestamptz - i * interval '1 s') FROM generate_series(100000, 10001, -1) AS i;
ANALYZE range_recent;
INSERT INTO range_recent SELECT objectid_floor(:'now'::timestamptz - i * interval '1 s') FROM generate_series(10000, 1, -1) AS i;
SELECT rows, past, estimate
FROM (VALUES (100, 0), (1000, 0), (5000, 0), (15000, 0), (1000, 50000), (20000, 5000)) AS span (rows, past),
     LATERAL pg_temp.estimate(format('SELECT FROM range_recent WHERE id >= %L AND id < %L', objectid_floor(:'now'::timestamptz - (past + rows) * interval '1 s'),
                                     objectid_floor(:'now'::timestamptz - (past - 10) * interval '1 s'))) AS estimate
WHERE estimate NOT BETWEEN 0.8 * rows AND 1.25 * rows;
SELECT pg_temp.estimate(format('SELECT FROM range_recent WHERE id > %L', objectid_floor(:'now'::timestamptz + interval '1 h'))) < 10 AS later;
-- Since then, ids have come more slowly: there are as many as the table has grown.
TRUNCATE range_recent;
INSERT INTO range_recent SELECT objectid_floor(:'now'::timestamptz - i * interval '1 s') FROM generate_series(200000, 100001, -1) AS i;
ANALYZE range_recent;
INSERT INTO range_recent SELECT objectid_floor(:'now'::timestamptz - i * interval '50 s') FROM generate_series(2000, 1, -1) AS i;
SELECT pg_temp.estimate(format('SELECT FROM range_recent WHERE id >= %L', objectid_floor(:'now'::timestamptz - interval '50000 s'))) BETWEEN 500 AND 2000 AS slower;
-- A table of two rows that has grown to a thousand times as many
CREATE TABLE range_two (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO range_two SELECT objectid_floor(:'now'::timestamptz - i * interval '10 h') FROM generate_series(2, 1, -1) AS i;
ANALYZE range_two;
INSERT INTO range_two SELECT objectid_floor(:'now'::timestamptz - i * interval '0.36 s') FROM generate_series(100000, 1, -1) AS i;
SELECT pg_temp.estimate(format('SELECT FROM range_two WHERE id >= %L', objectid_floor(:'now'::timestamptz - interval '5 h'))) BETWEEN 35 AND 75 AS half_of_a_tenth;
DROP TABLE range_two;
-- A table that has grown because all rows were updated
TRUNCATE range_recent;
INSERT INTO range_recent SELECT objectid_floor(:'now'::timestamptz - i * interval '1 min') FROM generate_series(50000, 1, -1) AS i;
ANALYZE range_recent;
UPDATE range_recent SET id = id;
SELECT pg_temp.estimate(format('SELECT FROM range_recent WHERE id >= %L', objectid_floor(:'now'::timestamptz - interval '1 h'))) BETWEEN 30 AND 200 AS recent;
DROP TABLE range_recent;

-- Without our histogram, for example after pg_upgrade, which keeps core's: core's defaults
UPDATE pg_statistic SET stakind3 = 0, stavalues3 = NULL WHERE starelid = 'range_ids'::regclass AND staattnum = 1 AND stakind3 = 20812;
SELECT query, estimate FROM range_estimate WHERE no IN (1, 8) ORDER BY no;

--
-- Bursts: a thousand ids in ten minutes, 300 times in a year
--
CREATE TABLE range_bursts (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO range_bursts
SELECT (left(objectid_floor(timestamptz '2026-01-01 00:00:00+00' + burst * interval '29 hours' + i * interval '0.6 s')::text, 8)
        || '0102030405' || lpad(to_hex(burst * 1000 + i), 6, '0'))::objectid
  FROM generate_series(0, 299) AS burst, generate_series(0, 999) AS i;
ANALYZE range_bursts;
-- Ranges of 300 rows, a thousandth of the table
SELECT count(*) AS ranges,
       count(*) FILTER (WHERE pg_temp.estimate(format('SELECT FROM range_bursts WHERE id >= %L AND id < %L', id, until)) BETWEEN 150 AND 600) >= 187 AS within_factor_two
  FROM (SELECT id, lead(id, 300) OVER (ORDER BY id) AS until, row_number() OVER (ORDER BY id) AS n FROM range_bursts) AS s
 WHERE n % 1487 = 1 AND n < 297401;

-- Working hours: 600 ids in each of 500 days, from 8 to 18 o'clock, Monday to Friday
CREATE TABLE range_hours (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO range_hours
SELECT objectid_floor(timestamptz '2024-01-01 08:00:00+00' + (day + day / 5 * 2) * interval '1 day' + i * interval '1 min')
  FROM generate_series(0, 499) AS day, generate_series(0, 599) AS i;
ANALYZE range_hours;
SELECT count(*) AS ranges,
       count(*) FILTER (WHERE pg_temp.estimate(format('SELECT FROM range_hours WHERE id >= %L AND id < %L', id, until)) BETWEEN 150 AND 600) >= 187 AS within_factor_two
  FROM (SELECT id, lead(id, 300) OVER (ORDER BY id) AS until, row_number() OVER (ORDER BY id) AS n FROM range_hours) AS s
 WHERE n % 1487 = 1 AND n < 297401;

-- A table that was filled within a second: inside of it, ids are as evenly spread as the
-- identities of processes, and a batch of the ids of one process is not all of them.
CREATE TABLE range_second (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO range_second SELECT ('69567c50' || left(md5(i::text), 16))::objectid FROM generate_series(1, 10000) AS i;
ANALYZE range_second;
SELECT pg_temp.estimate('SELECT FROM range_second WHERE id > ''69567c504000000000000000''') BETWEEN 7000 AND 8000 AS after_a_quarter,
       pg_temp.estimate('SELECT FROM range_second WHERE id <= ''69567c508000000000000000''') BETWEEN 4500 AND 5500 AS half,
       pg_temp.estimate('SELECT FROM range_second WHERE id BETWEEN ''69567c508000000000000000'' AND ''69567c508000000000ffffff''') < 100 AS batch,
       pg_temp.estimate('SELECT FROM range_second WHERE id BETWEEN ''69567c500000000000000000'' AND ''69567c50ffffffffffffffff''') > 9000 AS second;
-- The statistics count distinct ids as a fraction of all rows, including those without an id.
INSERT INTO range_second SELECT NULL FROM generate_series(1, 5000);
ANALYZE range_second;
SELECT pg_temp.estimate('SELECT FROM range_second WHERE id > ''69567c504000000000000000''') BETWEEN 7000 AND 8000 AS beside_nulls;
DELETE FROM range_second WHERE id IS NOT NULL;
ANALYZE range_second;
SELECT pg_temp.estimate('SELECT FROM range_second WHERE id > ''69567c504000000000000000''') AS only_nulls;
DROP TABLE range_second;

-- To plan many comparisons or ranges takes about as long as for uuid, and not longer by
-- their square.  Each is timed until a run is not interrupted: machines that build packages
-- are busy.
CREATE TABLE range_uuid (id uuid);
INSERT INTO range_uuid SELECT md5(i::text)::uuid FROM generate_series(1, 1000) AS i;
ANALYZE range_bursts, range_uuid;
CREATE FUNCTION pg_temp.planning(name text, condition text, connective text, number int) RETURNS interval
LANGUAGE plpgsql AS $$
DECLARE
    query text := (SELECT 'EXPLAIN SELECT FROM ' || name || ' WHERE '
                          || string_agg(format(condition, lpad(to_hex(1767225600 + i), 8, '0')), connective) FROM generate_series(1, number) AS i);
    start timestamptz := clock_timestamp();
BEGIN
    EXECUTE query;
    RETURN clock_timestamp() - start;
END $$;
CREATE PROCEDURE pg_temp.compare_planning(objectids text, uuids text, connective text, number int)
LANGUAGE plpgsql AS $$
DECLARE
    ours interval;
    others interval;
BEGIN
    FOR i IN 1 .. 50 LOOP
        ours := least(ours, pg_temp.planning('range_bursts', objectids, connective, number));
        others := least(others, pg_temp.planning('range_uuid', uuids, connective, number));
        EXIT WHEN i >= 3 AND ours < 4 * others;
    END LOOP;
    IF ours >= 4 * others THEN
        RAISE '% for objectid, % for uuid', ours, others;
    END IF;
END $$;
CALL pg_temp.compare_planning('id >= ''%s0000000000000000''', 'id >= ''%s-0000-0000-0000-000000000000''', ' AND ', 400);
CALL pg_temp.compare_planning('id >= ''%1$s0000000000000000'' AND id < ''%1$s8000000000000000''',
                              'id >= ''%1$s-0000-0000-0000-000000000000'' AND id < ''%1$s-8000-0000-0000-000000000000''', ' OR ', 5000);

DROP TABLE range_ids, range_parted, range_new, range_bursts, range_hours, range_uuid;
