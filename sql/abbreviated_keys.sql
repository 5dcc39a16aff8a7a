--
-- Abbreviated sort keys: the order is that of the bytes, for any identities in
-- any order
--
\a \t on

-- Seconds next to each other and far apart; identities at the edges of the 85
-- regions into which a key divides them, close together, and random; counters
-- of all sizes.  Column b is the reference.
CREATE TABLE abbreviated_ids AS
SELECT encode(b, 'hex')::objectid AS id, b, get_byte(b, 3) % 3 AS g
  FROM (SELECT DISTINCT decode(second || identity || counter, 'hex') AS b
          FROM unnest(ARRAY['00000000', '00000001', '7fffffff', '80000000', 'ffffffff']) AS second,
               (SELECT lpad(to_hex(least(greatest((k * 1099511627776 + 84) / 85 + d, 0), 1099511627775)), 10, '0')
                  FROM generate_series(0, 85) AS k, generate_series(-1, 1) AS d
                UNION ALL
                SELECT '8040c0e0' || lpad(to_hex(i), 2, '0') FROM generate_series(0, 255, 15) AS i
                UNION ALL
                SELECT left(md5(i::text), 10) FROM generate_series(1, 30) AS i) AS i (identity),
               unnest(ARRAY['000000', '000001', '7fffff', '800000', 'ffffff']) AS counter) AS s;
SELECT count(*), count(DISTINCT substr(b, 5, 5)) AS identities FROM abbreviated_ids;

-- Sorts of the same rows that come in 30 different orders
CREATE FUNCTION pg_temp.out_of_order(seed int, OUT ascending bigint, OUT descending bigint)
LANGUAGE sql AS $$
    WITH shuffled AS MATERIALIZED (SELECT id, b FROM abbreviated_ids ORDER BY md5(b::text || seed))
    SELECT (SELECT count(*) FROM (SELECT b, lag(b) OVER (ORDER BY id) AS before FROM shuffled) AS s WHERE b < before),
           (SELECT count(*) FROM (SELECT b, lag(b) OVER (ORDER BY id DESC) AS before FROM shuffled) AS s WHERE b > before)
$$;
SELECT count(*) AS sorts, sum(ascending) AS ascending, sum(descending) AS descending
  FROM generate_series(1, 30) AS seed, pg_temp.out_of_order(seed);

-- With nulls
SELECT array_agg(id ORDER BY id NULLS FIRST) = array_fill(NULL::objectid, ARRAY[100]) || (SELECT array_agg(id ORDER BY b) FROM abbreviated_ids)
       AS nulls_first
  FROM (SELECT id FROM abbreviated_ids UNION ALL SELECT NULL FROM generate_series(1, 100) ORDER BY 1 DESC OFFSET 0) AS s;

-- A sort on disk: keys of different runs are not compared with each other.
SET work_mem = '64kB';
SELECT sum(ascending) AS ascending, sum(descending) AS descending
  FROM generate_series(1, 3) AS seed, pg_temp.out_of_order(seed);
RESET work_mem;

-- An incremental sort, which reuses its state for each group
CREATE INDEX abbreviated_g ON abbreviated_ids (g);
ANALYZE abbreviated_ids;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT b FROM abbreviated_ids ORDER BY g, id;
SELECT count(*) FILTER (WHERE b < before) AS out_of_order
  FROM (SELECT b, lag(b) OVER (PARTITION BY g) AS before
          FROM (SELECT g, b FROM abbreviated_ids ORDER BY g, id OFFSET 0) AS s) AS s;
DROP INDEX abbreviated_g;

-- A parallel index build: each process sorts with separate state.
SET max_parallel_maintenance_workers = 2;
SET min_parallel_table_scan_size = 0;
ALTER TABLE abbreviated_ids SET (parallel_workers = 2);
CREATE INDEX abbreviated_id ON abbreviated_ids (id);
EXPLAIN (COSTS OFF) SELECT b FROM abbreviated_ids ORDER BY id;
SELECT count(*) FILTER (WHERE b < before) AS out_of_order
  FROM (SELECT b, lag(b) OVER () AS before FROM (SELECT b FROM abbreviated_ids ORDER BY id OFFSET 0) AS s) AS s;

DROP TABLE abbreviated_ids;
