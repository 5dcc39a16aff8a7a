--
-- Partitions by hash, range and list: rows are in the right partition, and a
-- query only reads the partitions that it needs
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';

-- The tables in a plan
CREATE FUNCTION pg_temp.scanned(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    result text;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") INTO result
      FROM (SELECT DISTINCT m[1] AS name
              FROM regexp_matches(plan::text, '"Relation Name": "([^"]*)"', 'g') AS m) AS s;
    RETURN coalesce(result, 'none');
END $$;

--
-- Hash
--
CREATE TABLE partition_hash (id objectid, n int) PARTITION BY HASH (id);
CREATE TABLE partition_hash_0 PARTITION OF partition_hash FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE partition_hash_1 PARTITION OF partition_hash FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE partition_hash_2 PARTITION OF partition_hash FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE partition_hash_3 PARTITION OF partition_hash FOR VALUES WITH (MODULUS 4, REMAINDER 3);
INSERT INTO partition_hash
SELECT left(md5(i::text), 24)::objectid, i FROM generate_series(1, 4000) AS i;
INSERT INTO partition_hash VALUES ('507f1f77bcf86cd799439011', 0), (NULL, -1);

SELECT count(*) AS rows,
       count(*) FILTER (WHERE NOT satisfies_hash_partition('partition_hash'::regclass, 4, right(tableoid::regclass::text, 1)::int, id)) AS misplaced,
       min(count(*)) OVER () > 900 AND max(count(*)) OVER () < 1100 AS even
  FROM partition_hash GROUP BY tableoid ORDER BY tableoid::regclass::text COLLATE "C";

-- One partition for one id, by a constant and by a parameter, and the row is in it
SELECT count(*) AS ids,
       count(*) FILTER (WHERE pg_temp.scanned(format('SELECT FROM partition_hash WHERE id = %L', id)) <> tableoid::regclass::text) AS pruned_wrongly
  FROM partition_hash WHERE n BETWEEN 1 AND 50;
SET plan_cache_mode = force_generic_plan;
PREPARE partition_hash_one(objectid) AS SELECT n FROM partition_hash WHERE id = $1;
EXECUTE partition_hash_one('507f1f77bcf86cd799439011');
EXECUTE partition_hash_one('ObjectId("507f1f77bcf86cd799439011")');
EXECUTE partition_hash_one('507f1f77bcf86cd799439012');
RESET plan_cache_mode;
SELECT pg_temp.scanned('SELECT FROM partition_hash WHERE id < ''507f1f77bcf86cd799439011''') AS range;

-- Partitionwise join
CREATE TABLE partition_other (id objectid, n int) PARTITION BY HASH (id);
CREATE TABLE partition_other_0 PARTITION OF partition_other FOR VALUES WITH (MODULUS 4, REMAINDER 0);
CREATE TABLE partition_other_1 PARTITION OF partition_other FOR VALUES WITH (MODULUS 4, REMAINDER 1);
CREATE TABLE partition_other_2 PARTITION OF partition_other FOR VALUES WITH (MODULUS 4, REMAINDER 2);
CREATE TABLE partition_other_3 PARTITION OF partition_other FOR VALUES WITH (MODULUS 4, REMAINDER 3);
INSERT INTO partition_other SELECT id, n FROM partition_hash;
SET enable_partitionwise_join = on;
SET enable_partitionwise_aggregate = on;
SELECT count(*) AS rows, count(*) FILTER (WHERE a.n <> b.n) AS wrong FROM partition_hash AS a JOIN partition_other AS b USING (id);
SELECT count(*) AS groups, max(c) AS largest FROM (SELECT id, count(*) AS c FROM partition_hash GROUP BY id) AS s;
RESET enable_partitionwise_join;
RESET enable_partitionwise_aggregate;

--
-- Range, by month; the bounds are given as times
--
CREATE TABLE partition_range (id objectid PRIMARY KEY, note text) PARTITION BY RANGE (id);
CREATE TABLE partition_range_before PARTITION OF partition_range
    FOR VALUES FROM (MINVALUE) TO (objectid_floor('2026-01-01 00:00:00+00'));
CREATE TABLE partition_range_01 PARTITION OF partition_range
    FOR VALUES FROM (objectid_floor('2026-01-01 00:00:00+00')) TO (objectid_floor('2026-02-01 00:00:00+00'));
CREATE TABLE partition_range_02 PARTITION OF partition_range
    FOR VALUES FROM (objectid_floor('2026-02-01 00:00:00+00')) TO (objectid_floor('2026-03-01 00:00:00+00'));
CREATE TABLE partition_range_2040 PARTITION OF partition_range
    FOR VALUES FROM ('80000000ffffffffffffffff') TO (MAXVALUE);
CREATE TABLE partition_range_default PARTITION OF partition_range DEFAULT;
CREATE TABLE partition_range_overlap PARTITION OF partition_range
    FOR VALUES FROM (objectid_floor('2026-01-31 23:59:59+00')) TO (objectid_floor('2026-02-01 00:00:00+00'));
SELECT relid AS partition, pg_get_expr(relpartbound, relid) AS bounds
  FROM pg_partition_tree('partition_range') JOIN pg_class ON oid = relid WHERE level = 1 ORDER BY relid::text COLLATE "C";

INSERT INTO partition_range VALUES
    ('000000000000000000000000', 'lowest'),
    (objectid_ceiling('2025-12-31 23:59:59+00'), 'last of 2025'),
    (objectid_floor('2026-01-01 00:00:00+00'), 'first of January'),
    (objectid_ceiling('2026-01-31 23:59:59.999+00'), 'last of January'),
    (objectid_floor('2026-01-31 23:59:59.001+00'), 'first of February'),
    (objectid_ceiling('2026-02-28 23:59:59+00'), 'last of February'),
    (objectid_floor('2026-03-01 00:00:00+00'), 'first of March'),
    ('7fffffffffffffffffffffff', 'below'),
    ('800000000000000000000000', 'above'),
    ('80000000fffffffffffffffe', 'last of default'),
    ('80000000ffffffffffffffff', 'first of 2040'),
    ('ffffffffffffffffffffffff', 'highest');
SELECT tableoid::regclass AS partition, id, objectid_timestamp(id) AT TIME ZONE 'UTC' AS time, note FROM partition_range ORDER BY id;

-- Pruned by the planner
SELECT pg_temp.scanned('SELECT FROM partition_range WHERE id >= objectid_floor(''2026-01-10 00:00:00+00'') AND id < objectid_floor(''2026-01-11 00:00:00+00'')') AS day,
       pg_temp.scanned('SELECT FROM partition_range WHERE id <= objectid_ceiling(''2025-12-31 23:59:59.9+00'')') AS before,
       pg_temp.scanned('SELECT FROM partition_range WHERE id > ''80000000ffffffffffffffff''') AS above,
       pg_temp.scanned('SELECT FROM partition_range WHERE id = ''80000000fffffffffffffffe''') AS one,
       pg_temp.scanned('SELECT FROM partition_range WHERE id = objectid_ceiling(''2026-02-28 23:59:59+00'')') AS edge,
       pg_temp.scanned('SELECT FROM partition_range WHERE id BETWEEN objectid_floor(''2026-01-31 00:00:00+00'') AND objectid_floor(''2026-02-01 00:00:00+00'')') AS two,
       pg_temp.scanned('SELECT FROM partition_range WHERE id < ''000000000000000000000000''') AS lowest \gx

-- Pruned by the executor: the answer must be the same.
SET plan_cache_mode = force_generic_plan;
PREPARE partition_range_some(objectid, objectid) AS
SELECT note FROM partition_range WHERE id >= $1 AND id < $2 ORDER BY id;
EXECUTE partition_range_some(objectid_floor('2026-01-01 00:00:00+00'), objectid_floor('2026-02-01 00:00:00+00'));
EXECUTE partition_range_some('800000000000000000000000', 'ffffffffffffffffffffffff');
-- parameters, and now(), are not known to the planner
CREATE FUNCTION pg_temp.executed(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
    result text;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, TIMING off, SUMMARY off, COSTS off, FORMAT json) ' || query INTO plan;
    SELECT string_agg(name, ' ' ORDER BY name COLLATE "C") INTO result
      FROM (SELECT DISTINCT m[1] AS name
              FROM regexp_matches(plan::text, '"Relation Name": "([^"]*)"', 'g') AS m) AS s;
    RETURN coalesce(result, 'none');
END $$;
SELECT pg_temp.executed('EXECUTE partition_range_some(objectid_floor(''2026-01-10 00:00:00+00''), objectid_floor(''2026-01-11 00:00:00+00''))') AS day;
SELECT pg_temp.executed('SELECT FROM partition_range WHERE id < objectid_floor(now() - interval ''1000 years'')') AS long_ago;
RESET plan_cache_mode;

-- In order without a sort, over all partitions; and the least and greatest
SET enable_seqscan = off;
SET enable_sort = off;
SELECT note FROM (SELECT note FROM partition_range ORDER BY id OFFSET 0) AS s;
SELECT min(id), max(id) FROM partition_range;
RESET enable_seqscan;
RESET enable_sort;

-- An update of the id moves the row.
UPDATE partition_range SET id = objectid_floor('2026-01-15 00:00:00+00') WHERE note = 'highest' RETURNING tableoid::regclass;
DELETE FROM partition_range WHERE note <> 'highest';
SELECT tableoid::regclass, id FROM partition_range;

--
-- List
--
CREATE TABLE partition_list (id objectid) PARTITION BY LIST (id);
CREATE TABLE partition_list_a PARTITION OF partition_list
    FOR VALUES IN ('507f1f77bcf86cd799439011', 'ObjectId("ffffffffffffffffffffffff")');
CREATE TABLE partition_list_b PARTITION OF partition_list FOR VALUES IN ('507f1f77bcf86cd799439012', NULL);
INSERT INTO partition_list VALUES ('507f1f77bcf86cd799439012'), ('507F1F77BCF86CD799439011'), ('ffffffffffffffffffffffff'), (NULL);
SELECT tableoid::regclass, id FROM partition_list ORDER BY id;
INSERT INTO partition_list VALUES ('507f1f77bcf86cd799439013');
SELECT pg_temp.scanned('SELECT FROM partition_list WHERE id = ''507f1f77bcf86cd799439012''') AS one,
       pg_temp.scanned('SELECT FROM partition_list WHERE id > ''507f1f77bcf86cd799439012''') AS above;

DROP TABLE partition_hash, partition_other, partition_range, partition_list;
