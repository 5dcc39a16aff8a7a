--
-- Parallel plans: scans, aggregates, joins and index builds give the same results
-- as serial ones
--
\a \t on

CREATE TABLE parallel_ids (id objectid, b bytea);
INSERT INTO parallel_ids
SELECT b::objectid, b
  FROM (SELECT substr(decode(md5(i::text), 'hex'), 1, 12) AS b FROM generate_series(1, 20000) AS i) AS s;
ALTER TABLE parallel_ids SET (parallel_workers = 2);
ANALYZE parallel_ids;

CREATE FUNCTION pg_temp.plan_has(query text, VARIADIC nodes text[]) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    line text;
    found boolean[] := array_fill(false, ARRAY[cardinality(nodes)]);
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        FOR i IN 1 .. cardinality(nodes) LOOP
            found[i] := found[i] OR strpos(line, nodes[i]) > 0;
        END LOOP;
    END LOOP;
    RETURN true = ALL (found);
END $$;

CREATE TEMP TABLE parallel_serial AS
SELECT count(*) AS count, count(DISTINCT b) AS ids, min(encode(b, 'hex') COLLATE "C") AS min,
       max(encode(b, 'hex') COLLATE "C") AS max,
       count(*) FILTER (WHERE b < '\x80') AS low
  FROM parallel_ids;

SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SET max_parallel_workers_per_gather = 2;

-- Sequential scan with a condition
SELECT pg_temp.plan_has('SELECT id FROM parallel_ids WHERE id < ''800000000000000000000000''', 'Gather', 'Parallel Seq Scan') AS parallel_scan;
SELECT count(*) = (SELECT low FROM parallel_serial) AS count
  FROM (SELECT id FROM parallel_ids WHERE id < '800000000000000000000000' OFFSET 0) AS s;

-- Aggregates, combined
SELECT pg_temp.plan_has('SELECT min(id), max(id), count(id) FROM parallel_ids',
                        'Finalize Aggregate', 'Gather', 'Partial Aggregate', 'Parallel Seq Scan') AS parallel_aggregate;
SELECT min(id)::text = (SELECT min FROM parallel_serial) AS min,
       max(id)::text = (SELECT max FROM parallel_serial) AS max,
       count(id) = (SELECT count FROM parallel_serial) AS count
  FROM parallel_ids;
SELECT min(id), max(id), count(id) FROM parallel_ids WHERE id::text < '';
-- groups, combined by hash
SELECT pg_temp.plan_has('SELECT id, count(*) FROM parallel_ids GROUP BY id', 'Gather', 'Parallel Seq Scan') AS parallel_groups;
SELECT count(*) = (SELECT ids FROM parallel_serial) AS groups
  FROM (SELECT id, count(*) FROM parallel_ids GROUP BY id OFFSET 0) AS s;

-- The leader only gathers.
SET parallel_leader_participation = off;
SELECT min(id)::text = (SELECT min FROM parallel_serial) AS min,
       max(id)::text = (SELECT max FROM parallel_serial) AS max,
       count(id) = (SELECT count FROM parallel_serial) AS count
  FROM parallel_ids;
RESET parallel_leader_participation;

-- Sorted in the workers, merged in the leader
SET enable_hashagg = off;
SELECT pg_temp.plan_has('SELECT b FROM parallel_ids ORDER BY id', 'Gather Merge', 'Sort Key: id') AS gather_merge;
SELECT count(*) = (SELECT count FROM parallel_serial) AS count, count(*) FILTER (WHERE b < before) AS out_of_order
  FROM (SELECT b, lag(b) OVER () AS before FROM (SELECT b FROM parallel_ids ORDER BY id OFFSET 0) AS s) AS s;
RESET enable_hashagg;

-- Hash join with a shared hash table
SET enable_mergejoin = off;
SET enable_nestloop = off;
SELECT pg_temp.plan_has('SELECT count(*) FROM parallel_ids AS x JOIN parallel_ids AS y USING (id)', 'Gather', 'Parallel Hash Join') AS parallel_hash_join;
SELECT count(*) = (SELECT count FROM parallel_serial) AS count, count(*) FILTER (WHERE x.b <> y.b) AS wrong
  FROM parallel_ids AS x JOIN parallel_ids AS y USING (id);
RESET enable_mergejoin;
RESET enable_nestloop;

-- Parallel build and scan of a btree
SET max_parallel_maintenance_workers = 2;
CREATE INDEX parallel_ids_idx ON parallel_ids (id);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT pg_temp.plan_has('SELECT count(b) FROM parallel_ids WHERE id < ''800000000000000000000000''',
                        'Gather', 'Parallel Index Scan using parallel_ids_idx') AS parallel_index_scan;
SELECT count(b) = (SELECT low FROM parallel_serial) AS count
  FROM parallel_ids WHERE id < '800000000000000000000000';
RESET enable_seqscan;
RESET enable_bitmapscan;

-- The decoders run in workers, too.
SELECT pg_temp.plan_has('SELECT max(objectid_timestamp(id)), max((objectid_parts(id)).counter) FROM parallel_ids
                          WHERE id >= objectid_floor(''2000-01-01 00:00:00+00'') AND objectid_extjson(id) IS NOT NULL',
                        'Gather', 'Partial Aggregate') AS parallel_decoders;

-- Workers generate distinct ids.
SELECT pg_temp.plan_has('CREATE TABLE parallel_generated AS SELECT id AS old, gen_objectid() AS id FROM parallel_ids',
                        'Gather', 'Parallel Seq Scan') AS parallel_generation;
CREATE TABLE parallel_generated AS
SELECT id AS old, gen_objectid() AS id FROM parallel_ids;
SELECT count(*) = count(DISTINCT id) AS distinct, count(*) = (SELECT count FROM parallel_serial) AS count FROM parallel_generated;

DROP TABLE parallel_ids, parallel_generated;
