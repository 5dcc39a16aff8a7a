--
-- Joins, grouping, sets and hash indexes: the hash functions, and operators
-- marked HASHES and MERGES
--
\a \t on

-- 6,000 distinct ids, some of them twice; the other table has half of them.
CREATE TABLE join_a (id objectid, b bytea);
CREATE TABLE join_b (id objectid, b bytea);
INSERT INTO join_a
SELECT b::objectid, b
  FROM (SELECT substr(decode(md5((i % 6000)::text), 'hex'), 1, 12) AS b FROM generate_series(1, 10000) AS i) AS s;
INSERT INTO join_b
SELECT b::objectid, b
  FROM (SELECT substr(decode(md5((i * 2)::text), 'hex'), 1, 12) AS b FROM generate_series(1, 6000) AS i) AS s;
INSERT INTO join_a VALUES (NULL, NULL), ('000000000000000000000000', '\x000000000000000000000000');
INSERT INTO join_b VALUES (NULL, NULL), ('000000000000000000000000', '\x000000000000000000000000');
ANALYZE join_a, join_b;

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

-- The expected result of the joins
SET enable_nestloop = off;
SELECT count(*) AS rows, count(DISTINCT b) AS ids FROM join_a JOIN join_b USING (b);
SELECT count(*) AS rows, count(join_a.b) AS a, count(join_b.b) AS b
  FROM join_a FULL JOIN join_b ON join_a.b = join_b.b;

-- Hash join
SET enable_mergejoin = off;
SELECT pg_temp.plan_has('SELECT FROM join_a JOIN join_b USING (id)', 'Hash Join') AS hash_join,
       pg_temp.plan_has('SELECT FROM join_a FULL JOIN join_b USING (id)', 'Hash Full Join') AS hash_full_join;
SELECT count(*) AS rows, count(DISTINCT join_a.b) AS ids, count(*) FILTER (WHERE join_a.b <> join_b.b) AS wrong
  FROM join_a JOIN join_b USING (id);
SELECT count(*) AS rows, count(join_a.b) AS a, count(join_b.b) AS b
  FROM join_a FULL JOIN join_b ON join_a.id = join_b.id;
-- in several batches, on disk
SET work_mem = '64kB';
SELECT count(*) AS rows, count(DISTINCT join_a.b) AS ids, count(*) FILTER (WHERE join_a.b <> join_b.b) AS wrong
  FROM join_a JOIN join_b USING (id);
RESET work_mem;
RESET enable_mergejoin;

-- Merge join
SET enable_hashjoin = off;
SELECT pg_temp.plan_has('SELECT FROM join_a JOIN join_b USING (id)', 'Merge Join') AS merge_join,
       pg_temp.plan_has('SELECT FROM join_a FULL JOIN join_b USING (id)', 'Merge Full Join') AS merge_full_join;
SELECT count(*) AS rows, count(DISTINCT join_a.b) AS ids, count(*) FILTER (WHERE join_a.b <> join_b.b) AS wrong
  FROM join_a JOIN join_b USING (id);
SELECT count(*) AS rows, count(join_a.b) AS a, count(join_b.b) AS b
  FROM join_a FULL JOIN join_b ON join_a.id = join_b.id;
RESET enable_hashjoin;
RESET enable_nestloop;

-- Grouping and sets by hash, then by sort
SET enable_sort = off;
SELECT pg_temp.plan_has('SELECT id FROM join_a GROUP BY id', 'HashAggregate') AS hash_aggregate,
       pg_temp.plan_has('SELECT id FROM join_a EXCEPT SELECT id FROM join_b', 'HashSetOp') AS hash_set;
SELECT count(*) AS groups, sum(n) AS rows, count(*) FILTER (WHERE n <> nb OR lowest <> highest) AS wrong
  FROM (SELECT count(id) AS n, count(b) AS nb, min(b::text) AS lowest, max(b::text) AS highest FROM join_a GROUP BY id) AS s;
SELECT count(*) FROM (SELECT id FROM join_a EXCEPT SELECT id FROM join_b) AS s;
SELECT count(*) FROM (SELECT id FROM join_a INTERSECT SELECT id FROM join_b) AS s;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.plan_has('SELECT id FROM join_a GROUP BY id', 'HashAggregate') AS hash_aggregate;
SELECT count(*) AS groups, sum(n) AS rows, count(*) FILTER (WHERE n <> nb OR lowest <> highest) AS wrong
  FROM (SELECT count(id) AS n, count(b) AS nb, min(b::text) AS lowest, max(b::text) AS highest FROM join_a GROUP BY id) AS s;
SELECT count(*) FROM (SELECT id FROM join_a EXCEPT SELECT id FROM join_b) AS s;
SELECT count(*) FROM (SELECT id FROM join_a INTERSECT SELECT id FROM join_b) AS s;
RESET enable_hashagg;

-- Semi and anti joins, a hashed subplan, a hashed list
SELECT count(*) FROM join_a WHERE id IN (SELECT id FROM join_b);
SELECT count(*) FROM join_a WHERE NOT EXISTS (SELECT FROM join_b WHERE join_b.id = join_a.id);
SELECT pg_temp.plan_has('SELECT FROM join_a WHERE id NOT IN (SELECT id FROM join_b WHERE id IS NOT NULL)', 'hashed SubPlan') AS hashed_subplan;
SELECT pg_temp.plan_has('SELECT FROM join_a WHERE id::text NOT IN (SELECT id FROM join_b WHERE id IS NOT NULL)', 'hashed SubPlan') AS of_text;
SELECT count(*) FROM join_a WHERE id NOT IN (SELECT id FROM join_b WHERE id IS NOT NULL);
SELECT count(*) AS listed
  FROM join_a WHERE id = ANY (ARRAY(SELECT b::objectid FROM join_b WHERE b IS NOT NULL ORDER BY b LIMIT 100));
SELECT count(*) = (SELECT count(*) FROM join_a WHERE b IN (SELECT b FROM join_b WHERE b IS NOT NULL ORDER BY b LIMIT 100)) AS as_bytes
  FROM join_a WHERE id = ANY (ARRAY(SELECT b::objectid FROM join_b WHERE b IS NOT NULL ORDER BY b LIMIT 100));

-- Hash index
CREATE INDEX join_b_hash ON join_b USING hash (id);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT pg_temp.plan_has('SELECT FROM join_b WHERE id = ''000000000000000000000000''', 'Index Scan using join_b_hash') AS hash_index;
SELECT * FROM join_b WHERE id = '000000000000000000000000';
SELECT * FROM join_b WHERE id = '000000000000000000000001';
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT pg_temp.plan_has('SELECT FROM join_a JOIN join_b USING (id)', 'Index Scan using join_b_hash') AS nested_loop;
SELECT count(*) AS rows, count(DISTINCT join_a.b) AS ids, count(*) FILTER (WHERE join_a.b <> join_b.b) AS wrong
  FROM join_a JOIN join_b USING (id);
RESET ALL;

-- The hash depends on all 12 bytes.
SELECT pos, count(DISTINCT objectid_hash(id)) AS hashes, count(DISTINCT objectid_hash_extended(id, 1)) AS extended
  FROM (SELECT pos, set_byte('\x507f1f77bcf86cd799439011'::bytea, pos, value)::objectid AS id
          FROM generate_series(0, 11) AS pos, generate_series(0, 255) AS value) AS s
 GROUP BY pos ORDER BY pos;

-- Equal ids have equal hashes, few others do, and the low half of the extended
-- hash with seed 0 is the hash, as hash partitioning requires.
SELECT count(*) AS ids,
       count(*) FILTER (WHERE objectid_hash(id) <> objectid_hash(b::objectid)) AS wrong,
       count(*) FILTER (WHERE objectid_hash(id) <> (objectid_hash_extended(id, 0)::bit(64) << 32)::bit(32)::int) AS low_half,
       count(*) FILTER (WHERE objectid_hash_extended(id, 0) = objectid_hash_extended(id, 1)) AS same_with_seed,
       count(DISTINCT objectid_hash(id)) > 5990 AS spread
  FROM join_a WHERE id IS NOT NULL;

-- Each bit of an id changes each bit of the hash, but not always.
SELECT count(*) AS bits, count(*) FILTER (WHERE changed <> -1) AS never, count(*) FILTER (WHERE always <> 0) AS always
  FROM (SELECT bit, bit_or(hash # other) AS changed, bit_and(hash # other) AS always
          FROM (SELECT bit, objectid_hash_extended(bytes::objectid, 0) AS hash,
                       objectid_hash_extended(set_bit(bytes, bit, 1 - get_bit(bytes, bit))::objectid, 0) AS other
                  FROM generate_series(0, 95) AS bit, generate_series(1, 100) AS i,
                       LATERAL (SELECT decode('69567c50b8cf86cd79' || lpad(to_hex(i), 6, '0'), 'hex') AS bytes) AS b) AS pair
         GROUP BY bit) AS s;

-- Ids of one session, of one second, of processes on one host and of times are spread
-- as evenly as random numbers: over the buckets of a hash table, by low and by high bits,
-- and over partitions, whose number can be one that is no power of two.
SELECT ids, hash, buckets, round(chi) AS chi_squared
  FROM (SELECT ids, hash, buckets, sum((n - 10000.0 / buckets) ^ 2) / (10000.0 / buckets) + (buckets - count(*)) * 10000 / buckets AS chi
          FROM (SELECT ids, hash, buckets, bucket, count(*) AS n
                  FROM (SELECT 'session' AS ids, '69567c50' || 'b8cf86cd79' || lpad(to_hex(i), 6, '0') AS hex FROM generate_series(1, 10000) AS i
                        UNION ALL SELECT 'second', '69567c50' || left(md5(i::text), 16) FROM generate_series(1, 10000) AS i
                        UNION ALL SELECT 'host', '69567c50' || '123456' || lpad(to_hex(i % 1000), 4, '0') || lpad(to_hex(i / 1000), 6, '0') FROM generate_series(1, 10000) AS i
                        UNION ALL SELECT 'floor', to_hex(1767225600 + i * 60) || '0000000000000000' FROM generate_series(1, 10000) AS i) AS s,
                       LATERAL (SELECT objectid_hash(hex::objectid)::bit(32) AS h, objectid_hash_extended(hex::objectid, 8816678312871386365) AS x) AS h,
                       LATERAL (VALUES ('low', 4096, (h << 20 >> 20)::int), ('high', 4096, (h >> 20)::int),
                                       ('partition', 2, x & 1), ('partition', 1000, x & ~(1::bigint << 63)), ('partition', 4096, x & 4095)) AS b (hash, buckets, value),
                       LATERAL (SELECT value % buckets AS bucket) AS m
                 GROUP BY ids, hash, buckets, bucket) AS s
         GROUP BY ids, hash, buckets) AS s
 WHERE abs(chi - buckets) > 5 * sqrt(2 * buckets);

-- The hashes must never change, because they place rows in partitions and shards, and
-- are the same on machines of either byte order.
SELECT id, objectid_hash(id) AS hash, objectid_hash_extended(id, 0) AS extended, objectid_hash_extended(id, 8816678312871386365) AS seeded
  FROM (VALUES ('000000000000000000000000'::objectid), ('507f1f77bcf86cd799439011'), ('6162636465666768696a6b6c'), ('ffffffffffffffffffffffff')) AS v (id);

DROP TABLE join_a, join_b;
