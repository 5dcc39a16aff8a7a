--
-- BRIN: minmax, minmax-multi and Bloom filters find the right rows and skip
-- blocks
--
\a \t on

SET timezone = 'UTC';

-- 40,000 ids in the order of their time, one minute apart, as in a table of
-- generated ids; the rest of the id is random.  The second column makes rows so
-- wide that a block has about 10.
CREATE TABLE brin_ids (n int, id objectid, scattered objectid, mixed objectid, filler text);
ALTER TABLE brin_ids ALTER filler SET STORAGE plain;
INSERT INTO brin_ids
SELECT i, (left(floor::text, 8) || left(md5(i::text), 16))::objectid,
       left(md5((-i)::text), 24)::objectid,
       -- every second row has an old id, as after a backfill
       (CASE WHEN i % 2 = 0 THEN left(floor::text, 8) ELSE left(long_ago::text, 8) END || left(md5(i::text), 16))::objectid,
       repeat('x', 600)
  FROM (SELECT i, objectid_floor(timestamptz '2026-01-01 00:00:00+00' + i * interval '1 minute') AS floor,
               objectid_floor(timestamptz '2001-01-01 00:00:00+00' + i * interval '1 minute') AS long_ago
          FROM generate_series(1, 40000) AS i) AS s;
INSERT INTO brin_ids VALUES (0, NULL, NULL, NULL, 'x');
ANALYZE brin_ids;
SELECT pg_relation_size('brin_ids') / current_setting('block_size')::int > 2000 AS many_blocks;

-- Run a query with an index and without.  Return the plan, whether the answers
-- are the same, the number of rows, and whether less than a tenth of the blocks
-- was read.
CREATE FUNCTION pg_temp.brin_check(index text, condition text,
    OUT used boolean, OUT same boolean, OUT rows bigint, OUT few_blocks boolean)
LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
    by_index int[];
    by_scan int[];
    query text := 'SELECT n FROM brin_ids WHERE ' || condition;
BEGIN
    PERFORM set_config('enable_bitmapscan', 'off', true);
    EXECUTE 'SELECT array_agg(n ORDER BY n) FROM (' || query || ') AS s' INTO by_scan;
    PERFORM set_config('enable_bitmapscan', 'on', true);
    PERFORM set_config('enable_seqscan', 'off', true);
    EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
    EXECUTE 'SELECT array_agg(n ORDER BY n) FROM (' || query || ') AS s' INTO by_index;
    PERFORM set_config('enable_seqscan', 'on', true);
    plan := plan -> 0 -> 'Plan';
    used := plan ->> 'Node Type' = 'Bitmap Heap Scan' AND plan -> 'Plans' -> 0 ->> 'Index Name' = index;
    same := by_index IS NOT DISTINCT FROM by_scan;
    rows := coalesce(cardinality(by_scan), 0);
    few_blocks := (plan ->> 'Lossy Heap Blocks')::int < pg_relation_size('brin_ids') / current_setting('block_size')::int / 10;
END $$;

-- A day, one id, ids at either end, null
CREATE TEMP TABLE brin_condition (no int, condition text);
INSERT INTO brin_condition VALUES
    (1, '%1$I >= objectid_floor(''2026-01-10 00:00:00+00'') AND %1$I < objectid_floor(''2026-01-11 00:00:00+00'')'),
    (2, '%1$I = %2$L'),
    (3, '%1$I <= objectid_ceiling(''2026-01-01 01:00:00+00'')'),
    (4, '%1$I > objectid_ceiling(''2026-01-28 10:00:00+00'')'),
    (5, '%1$I IS NULL');

CREATE FUNCTION pg_temp.brin_checks(index text, attribute text,
    OUT no int, OUT used boolean, OUT same boolean, OUT rows bigint, OUT few_blocks boolean) RETURNS SETOF record
LANGUAGE plpgsql AS $$
DECLARE
    one objectid;
BEGIN
    EXECUTE format('SELECT %I FROM brin_ids WHERE n = 20000', attribute) INTO one;
    RETURN QUERY SELECT c.no, s.* FROM brin_condition AS c, pg_temp.brin_check(index, format(condition, attribute, one)) AS s ORDER BY c.no;
END $$;

-- minmax, the default
CREATE INDEX brin_minmax ON brin_ids USING brin (id) WITH (pages_per_range = 4);
SELECT * FROM pg_temp.brin_checks('brin_minmax', 'id');
-- new rows, summarized and not
INSERT INTO brin_ids (n, id) VALUES (-1, '000000000000000000000000'), (-2, 'ffffffffffffffffffffffff');
SELECT brin_summarize_new_values('brin_minmax') >= 0 AS summarized;
SELECT s.* FROM pg_temp.brin_check('brin_minmax', 'id < ''000000000000000000000001''') AS s;
SELECT s.* FROM pg_temp.brin_check('brin_minmax', 'id > ''fffffffffffffffffffffffe''') AS s;
DROP INDEX brin_minmax;
DELETE FROM brin_ids WHERE n < 0;

-- minmax-multi, in ordered ids ...
CREATE INDEX brin_multi ON brin_ids USING brin (id objectid_minmax_multi_ops) WITH (pages_per_range = 4);
SELECT * FROM pg_temp.brin_checks('brin_multi', 'id');
DROP INDEX brin_multi;
-- ... and if each block range has ids of two times: minmax must read everything
-- between them, minmax-multi nothing.
CREATE INDEX brin_mixed_minmax ON brin_ids USING brin (mixed) WITH (pages_per_range = 8);
SELECT s.* FROM pg_temp.brin_check('brin_mixed_minmax', 'mixed >= objectid_floor(''2010-01-01 00:00:00+00'') AND mixed < objectid_floor(''2011-01-01 00:00:00+00'')') AS s;
DROP INDEX brin_mixed_minmax;
CREATE INDEX brin_mixed ON brin_ids USING brin (mixed objectid_minmax_multi_ops (values_per_range = 8)) WITH (pages_per_range = 8);
SELECT s.* FROM pg_temp.brin_check('brin_mixed', 'mixed >= objectid_floor(''2010-01-01 00:00:00+00'') AND mixed < objectid_floor(''2011-01-01 00:00:00+00'')') AS s;
SELECT * FROM pg_temp.brin_checks('brin_mixed', 'mixed') WHERE no <> 3;
SELECT s.* FROM pg_temp.brin_check('brin_mixed', 'mixed BETWEEN objectid_floor(''2001-01-10 00:00:00+00'') AND objectid_ceiling(''2001-01-11 00:00:00+00'')') AS s;
DROP INDEX brin_mixed;

-- Bloom, with ids in random order, for equality only
CREATE INDEX brin_bloom ON brin_ids USING brin (scattered objectid_bloom_ops) WITH (pages_per_range = 8);
SELECT i, s.*
  FROM generate_series(1, 40000, 8000) AS i,
       pg_temp.brin_check('brin_bloom', format('scattered = %L', (SELECT scattered FROM brin_ids WHERE n = i))) AS s;
SELECT s.* FROM pg_temp.brin_check('brin_bloom', 'scattered = ''507f1f77bcf86cd799439011''') AS s;

-- One index with all three operator classes
CREATE INDEX brin_all ON brin_ids USING brin (id, mixed objectid_minmax_multi_ops, scattered objectid_bloom_ops) WITH (pages_per_range = 8);
DROP INDEX brin_bloom;
SELECT * FROM pg_temp.brin_checks('brin_all', 'id') WHERE no < 3;
SELECT s.* FROM pg_temp.brin_check('brin_all', format('scattered = %L', (SELECT scattered FROM brin_ids WHERE n = 33333))) AS s;

DROP TABLE brin_ids;
