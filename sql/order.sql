--
-- Order: unsigned byte order, in all ways in which the server sorts
--
\a \t on

-- 10,000 random ids (bytes of a hash, so the same in each run) and corner cases:
-- all zeros, all ones, and each of these with 0x7f or 0x80 in one byte.  Column b
-- is the reference; the planner knows nothing about column nil.
CREATE TABLE order_ids (id objectid, b bytea, corner boolean, nil int);
INSERT INTO order_ids (b, corner, nil)
SELECT substr(decode(md5(i::text), 'hex'), 1, 12), false, 0 FROM generate_series(1, 10000) AS i;
INSERT INTO order_ids (b, corner, nil)
SELECT DISTINCT set_byte(decode(repeat(base, 12), 'hex'), pos, value), true, 0
  FROM unnest(ARRAY['00', 'ff']) AS base, generate_series(0, 11) AS pos,
       unnest(ARRAY[0, 127, 128, 255]) AS value;
UPDATE order_ids SET id = encode(b, 'hex')::objectid;
SELECT count(*) FILTER (WHERE NOT corner) AS random, count(*) FILTER (WHERE corner) AS corners,
       count(*) = count(DISTINCT b) AS distinct
  FROM order_ids;

-- Does the plan of a query contain a node?
CREATE FUNCTION pg_temp.plan_has(query text, node text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF strpos(line, node) > 0 THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END $$;

-- Operators and support functions: corner cases against all ids, and random ids
-- against random ids
CREATE TEMP VIEW order_pairs AS
SELECT x.id AS x, y.id AS y, x.b AS bx, y.b AS by
  FROM order_ids AS x, order_ids AS y WHERE x.corner
UNION ALL
SELECT x.id, y.id, x.b, y.b
  FROM order_ids AS x
  JOIN order_ids AS y ON get_byte(y.b, 11) = get_byte(x.b, 0) AND get_byte(y.b, 10) % 16 = get_byte(x.b, 1) % 16;
SELECT count(*) > 750000 AS pairs,
       count(*) FILTER (WHERE bx = by) > 0 AS equal_ones,
       count(*) FILTER (WHERE (x < y) <> (bx < by)) AS lt,
       count(*) FILTER (WHERE (x <= y) <> (bx <= by)) AS le,
       count(*) FILTER (WHERE (x = y) <> (bx = by)) AS eq,
       count(*) FILTER (WHERE (x <> y) <> (bx <> by)) AS ne,
       count(*) FILTER (WHERE (x >= y) <> (bx >= by)) AS ge,
       count(*) FILTER (WHERE (x > y) <> (bx > by)) AS gt,
       count(*) FILTER (WHERE sign(objectid_cmp(x, y)) <> sign(byteacmp(bx, by))) AS cmp,
       count(*) FILTER (WHERE objectid_smaller(x, y)::bytea <> CASE WHEN bx < by THEN bx ELSE by END) AS smaller,
       count(*) FILTER (WHERE objectid_larger(x, y)::bytea <> CASE WHEN bx > by THEN bx ELSE by END) AS larger
  FROM order_pairs;

-- Two ids that differ in only one byte: each of the 12, with every value
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE objectid_cmp(x, y) <> sign(n - m)
                           OR (x < y) <> (n < m) OR (x <= y) <> (n <= m) OR (x = y) <> (n = m)
                           OR (x <> y) <> (n <> m) OR (x >= y) <> (n >= m) OR (x > y) <> (n > m)) AS wrong
  FROM (SELECT n, m,
               encode(set_byte('\x507f1f77bcf86cd799439011', pos, n), 'hex')::objectid AS x,
               encode(set_byte('\x507f1f77bcf86cd799439011', pos, m), 'hex')::objectid AS y
          FROM generate_series(0, 11) AS pos, generate_series(0, 255, 5) AS n, generate_series(0, 255, 3) AS m) AS s;

-- A matrix of samples, for reading
WITH sample (id) AS (
    VALUES ('000000000000000000000000'::objectid), ('00000000000000000000007f'),
           ('000000000000000000000080'), ('7fffffffffffffffffffffff'),
           ('800000000000000000000000'), ('ffffffffffffffffffffffff'))
SELECT x.id AS x, y.id AS y, x.id < y.id AS lt, x.id <= y.id AS le, x.id = y.id AS eq,
       x.id <> y.id AS ne, x.id >= y.id AS ge, x.id > y.id AS gt, objectid_cmp(x.id, y.id) AS cmp,
       objectid_hash(x.id) = objectid_hash(y.id) AS same_hash
  FROM sample AS x, sample AS y ORDER BY x.id::bytea, y.id::bytea;

-- Sorts of rows.  Core abbreviates the leading key if there is no LIMIT.  A
-- second key is never abbreviated, so all of its comparisons are full ones.
CREATE TEMP VIEW order_rank AS
SELECT row_number() OVER (ORDER BY b) AS by_bytes,
       row_number() OVER (ORDER BY id) AS by_first_key,
       row_number() OVER (ORDER BY id DESC) AS descending,
       row_number() OVER (ORDER BY nil, id) AS by_second_key
  FROM order_ids;
SELECT count(*) AS rows,
       count(*) FILTER (WHERE by_first_key <> by_bytes) AS abbreviated,
       count(*) FILTER (WHERE descending <> (SELECT count(*) FROM order_ids) - by_bytes + 1) AS descending,
       count(*) FILTER (WHERE by_second_key <> by_bytes) AS not_abbreviated
  FROM order_rank;

-- The same in a sort on disk, where only the runs are abbreviated
SET work_mem = '64kB';
SELECT count(*) FILTER (WHERE by_first_key <> by_bytes) AS abbreviated,
       count(*) FILTER (WHERE by_second_key <> by_bytes) AS not_abbreviated
  FROM order_rank;
RESET work_mem;

-- A sort of single values, also abbreviated
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id)::bytea
       = percentile_disc(0.5) WITHIN GROUP (ORDER BY b) AS median,
       array_agg(id ORDER BY id) = array_agg(encode(b, 'hex')::objectid ORDER BY b) AS sorted,
       count(DISTINCT id) = count(DISTINCT b) AS distinct
  FROM order_ids;

-- A top-N sort (no abbreviation)
SELECT (SELECT array_agg(id::bytea) FROM (SELECT id FROM order_ids ORDER BY id LIMIT 100) AS s)
       = (SELECT array_agg(b) FROM (SELECT b FROM order_ids ORDER BY b LIMIT 100) AS s) AS first,
       (SELECT array_agg(id::bytea) FROM (SELECT id FROM order_ids ORDER BY id DESC LIMIT 100) AS s)
       = (SELECT array_agg(b) FROM (SELECT b FROM order_ids ORDER BY b DESC LIMIT 100) AS s) AS last;

-- NULLS FIRST and NULLS LAST
SELECT id FROM (VALUES ('ffffffffffffffffffffffff'::objectid), (NULL), ('000000000000000000000000')) AS v (id)
 ORDER BY id;
SELECT id FROM (VALUES ('ffffffffffffffffffffffff'::objectid), (NULL), ('000000000000000000000000')) AS v (id)
 ORDER BY id DESC NULLS LAST;

-- Abbreviation is aborted when 40,000 rows share a few keys: three prefixes of 8
-- bytes, with another identity than the first row ...
CREATE TABLE order_few (id objectid, b bytea);
INSERT INTO order_few
SELECT encode(b, 'hex')::objectid, b
  FROM (SELECT decode((ARRAY['7fffffffaaaaaaaa', '80000000aaaaaaaa', '80000000aaaaaaab'])[1 + i % 3]
                      || CASE i WHEN 1 THEN '00000000' ELSE 'ff' || left(md5(i::text), 6) END, 'hex') AS b
          FROM generate_series(1, 40000) AS i) AS s;
SELECT count(*) AS rows, count(DISTINCT substr(b, 1, 8)) AS prefixes, count(*) FILTER (WHERE b < before) AS out_of_order
  FROM (SELECT b, lag(b) OVER (ORDER BY id) AS before FROM order_few) AS s;
-- ... also in a sort of single values ...
SELECT array_agg(id ORDER BY id) = array_agg(encode(b, 'hex')::objectid ORDER BY b) AS sorted FROM order_few;
-- ... and in the build of an index.
CREATE INDEX order_few_idx ON order_few (id);
SET enable_seqscan = off;
SET enable_sort = off;
SELECT pg_temp.plan_has('SELECT b FROM order_few ORDER BY id', 'Index Scan using order_few_idx') AS uses_index;
SELECT count(*) FILTER (WHERE b < before) AS out_of_order
  FROM (SELECT b, lag(b) OVER () AS before FROM (SELECT b FROM order_few ORDER BY id OFFSET 0) AS s) AS s;
RESET enable_seqscan;
RESET enable_sort;

-- So many distinct prefixes that the sort stops counting them
SET work_mem = '64MB';
SELECT count(*) AS rows, count(*) FILTER (WHERE b < before) AS out_of_order
  FROM (SELECT b, lag(b) OVER (ORDER BY id) AS before
          FROM (SELECT b::objectid AS id, b
                  FROM (SELECT substr(decode(md5(i::text), 'hex'), 1, 12) AS b FROM generate_series(1, 180000) AS i) AS s) AS s) AS s;
RESET work_mem;

-- Index: the order in both directions, and the count on each side of each corner
-- case
CREATE INDEX order_ids_idx ON order_ids (id);
ANALYZE order_ids;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_sort = off;
SELECT pg_temp.plan_has('SELECT b FROM order_ids ORDER BY id', 'Index Scan using order_ids_idx') AS forward,
       pg_temp.plan_has('SELECT b FROM order_ids ORDER BY id DESC', 'Index Scan Backward using order_ids_idx') AS backward,
       pg_temp.plan_has('SELECT b FROM order_ids WHERE id < ''800000000000000000000000''', 'using order_ids_idx') AS range;
SELECT (SELECT array_agg(b) FROM (SELECT b FROM order_ids ORDER BY id OFFSET 0) AS s)
       = (SELECT array_agg(b ORDER BY b) FROM order_ids) AS forward,
       (SELECT array_agg(b) FROM (SELECT b FROM order_ids ORDER BY id DESC OFFSET 0) AS s)
       = (SELECT array_agg(b ORDER BY b DESC) FROM order_ids) AS backward;

CREATE FUNCTION pg_temp.count_where(condition text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    result bigint;
BEGIN
    EXECUTE 'SELECT count(*) FROM order_ids WHERE ' || condition INTO result;
    RETURN result;
END $$;
SELECT count(*) AS corners,
       count(*) FILTER (WHERE pg_temp.plan_has(format('SELECT FROM order_ids WHERE id < %L', id), 'order_ids_idx')) AS indexed,
       count(*) FILTER (WHERE pg_temp.count_where(format('id < %L', id)) <> rank - 1) AS lt,
       count(*) FILTER (WHERE pg_temp.count_where(format('id <= %L', id)) <> rank) AS le,
       count(*) FILTER (WHERE pg_temp.count_where(format('id = %L', id)) <> 1) AS eq,
       count(*) FILTER (WHERE pg_temp.count_where(format('id >= %L', id)) <> total - rank + 1) AS ge,
       count(*) FILTER (WHERE pg_temp.count_where(format('id > %L', id)) <> total - rank) AS gt,
       count(*) FILTER (WHERE pg_temp.count_where(format('id BETWEEN %L AND ''c00000000000000000000000''', id))
                              <> greatest(middle - rank + 1, 0)) AS between
  FROM (SELECT id, corner, row_number() OVER (ORDER BY b) AS rank, count(*) OVER () AS total,
               count(*) FILTER (WHERE b <= '\xc00000000000000000000000') OVER () AS middle
          FROM order_ids) AS s
 WHERE corner;

-- min and max: by the index, by the aggregate, of no rows
SELECT pg_temp.plan_has('SELECT min(id) FROM order_ids', 'Index Only Scan using order_ids_idx')
       AND pg_temp.plan_has('SELECT min(id) FROM order_ids', 'Limit') AS min_by_index,
       pg_temp.plan_has('SELECT max(id) FROM order_ids', 'Index Only Scan Backward using order_ids_idx')
       AND pg_temp.plan_has('SELECT max(id) FROM order_ids', 'Limit') AS max_by_index;
SELECT min(id), max(id) FROM order_ids;
SELECT min(id)::bytea = (SELECT min(encode(b, 'hex')) FROM order_ids WHERE NOT corner)::objectid::bytea AS min,
       max(id)::bytea = (SELECT max(encode(b, 'hex')) FROM order_ids WHERE NOT corner)::objectid::bytea AS max
  FROM order_ids WHERE NOT corner;
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET enable_sort;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT min(id), max(id) FROM order_ids;
SELECT min(id), max(id) FROM order_ids WHERE id IS NULL;
SELECT min(id), max(id) FROM (VALUES ('507f1f77bcf86cd799439011'::objectid), (NULL)) AS v (id);
RESET enable_indexscan;
RESET enable_indexonlyscan;

-- greatest, least, IN, row comparison, primary key, uniqueness
SELECT greatest('7fffffffffffffffffffffff'::objectid, '800000000000000000000000') AS greatest,
       least('7fffffffffffffffffffffff'::objectid, '800000000000000000000000') AS least,
       '507f1f77bcf86cd799439011'::objectid IN ('507f1f77bcf86cd799439012', '507F1F77BCF86CD799439011') AS among,
       (1, '507f1f77bcf86cd799439011'::objectid) < (1, '507f1f77bcf86cd799439012'::objectid) AS rows;
CREATE TABLE order_key (id objectid PRIMARY KEY);
INSERT INTO order_key VALUES ('507f1f77bcf86cd799439011');
INSERT INTO order_key VALUES ('507F1F77BCF86CD799439011');
INSERT INTO order_key VALUES ('507f1f77bcf86cd799439011') ON CONFLICT DO NOTHING;
INSERT INTO order_key VALUES ('507f1f77bcf86cd799439012');
SELECT count(*) FROM order_key;

DROP VIEW order_pairs, order_rank;
DROP TABLE order_ids, order_few, order_key;
