--
-- Statistics and row estimates
--
\a \t on

-- The days are the same in each run.  ANALYZE draws a random sample, so the test
-- prints whether its results are within generous bounds.
SET timezone = 'UTC';
SET max_parallel_workers_per_gather = 0;

-- 500,000 ids spread over three years.  The interval is in seconds, because
-- multiplication of an interval of years assumes months of 30 days.
CREATE UNLOGGED TABLE statistics_ids (id objectid) WITH (autovacuum_enabled = off);
SELECT setseed(0.5);
INSERT INTO statistics_ids
SELECT objectid_floor(to_timestamp(1672531200 + floor(random() * 94608000))) FROM generate_series(1, 500000);
ANALYZE statistics_ids;

-- The number of rows that the planner estimates for a query
CREATE FUNCTION pg_temp.estimate(query text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::bigint;
END $$;

-- 200 random days, each a thousandth of the table: 19 of 20 must be estimated
-- within a factor of two
CREATE TEMP TABLE statistics_day AS
SELECT n, timestamptz '2023-01-01 00:00:00+00' + floor(random() * 94521600) * interval '1 second' AS a FROM generate_series(1, 200) AS n;
CREATE TEMP TABLE statistics_second AS
SELECT objectid_timestamp(id) AS t, count(*) AS ids FROM statistics_ids GROUP BY id;
CREATE INDEX ON statistics_second (t);
ANALYZE statistics_second;
CREATE TEMP TABLE statistics_result AS
SELECT n, (SELECT sum(ids) FROM statistics_second WHERE t >= a AND t < a + interval '1 day') AS actual,
       pg_temp.estimate(format('SELECT FROM statistics_ids WHERE id >= objectid_floor(%L) AND id < objectid_floor(%L)', a, a + interval '1 day')) AS by_two,
       pg_temp.estimate(format('SELECT FROM statistics_ids WHERE id BETWEEN objectid_floor(%L) AND objectid_ceiling(%L)', a, a + interval '86399 seconds')) AS by_between
  FROM statistics_day;
SELECT count(*) AS days, min(actual) > 350 AND max(actual) < 570 AS a_thousandth,
       count(*) FILTER (WHERE by_two BETWEEN actual / 2 AND actual * 2) >= 190 AS within_factor_two,
       count(*) FILTER (WHERE by_between BETWEEN actual / 2 AND actual * 2) >= 190 AS between_too
  FROM statistics_result;
-- Wider ranges are estimated as well, and ranges outside of the table as empty.
SELECT pg_temp.estimate('SELECT FROM statistics_ids WHERE id >= objectid_floor(''2024-01-01 00:00:00+00'') AND id < objectid_floor(''2025-01-01 00:00:00+00'')')
           BETWEEN 150000 AND 184000 AS year,
       pg_temp.estimate('SELECT FROM statistics_ids WHERE id < objectid_floor(''2024-07-01 00:00:00+00'')') BETWEEN 237000 AND 263000 AS half,
       pg_temp.estimate('SELECT FROM statistics_ids WHERE id < objectid_floor(''2022-01-01 00:00:00+00'')') < 500 AS before,
       pg_temp.estimate('SELECT FROM statistics_ids WHERE id >= objectid_floor(''2027-01-01 00:00:00+00'')') < 500 AS after,
       pg_temp.estimate('SELECT FROM statistics_ids WHERE id = objectid_floor(''2024-07-01 00:00:00+00'')') < 10 AS one;

-- The stored statistics: those of core, and a finer histogram in a slot of our
-- own.  Elements of anyarray are counted in its text form.
CREATE TEMP VIEW statistics_stored AS
SELECT tablename, attname, null_frac, avg_width, n_distinct,
       cardinality(most_common_vals::text::objectid[]) AS common, cardinality(most_common_freqs) AS common_freqs,
       cardinality(histogram_bounds::text::objectid[]) AS bounds, histogram_bounds::text::objectid[] AS histogram,
       most_common_vals::text::objectid[] AS common_ids, correlation,
       cardinality(values::int[]) AS fine, size AS fine_size
  FROM pg_stats AS c
       LEFT JOIN (SELECT starelid, staattnum, stainherit, kind, values, size
                    FROM pg_statistic,
                         LATERAL (VALUES (stakind1, stavalues1::text, pg_column_size(stavalues1)), (stakind2, stavalues2::text, pg_column_size(stavalues2)),
                                         (stakind3, stavalues3::text, pg_column_size(stavalues3)), (stakind4, stavalues4::text, pg_column_size(stavalues4)),
                                         (stakind5, stavalues5::text, pg_column_size(stavalues5))) AS s (kind, values, size)
                   WHERE kind = 20812) AS o
       ON starelid = tablename::regclass AND stainherit = inherited
          AND staattnum = (SELECT attnum FROM pg_attribute AS a WHERE attrelid = tablename::regclass AND a.attname = c.attname)
 WHERE schemaname = current_schema AND tablename LIKE 'statistics%';
SELECT null_frac, avg_width, n_distinct < -0.5 OR n_distinct > 125000 AS nearly_unique,
       coalesce(common, 0) <= 100 AS common, bounds <= 101 AS bounds,
       fine, fine_size < 8100 AS small, abs(correlation) < 0.1 AS correlation
  FROM statistics_stored WHERE tablename = 'statistics_ids';
-- Even if all rows came within seconds, it is not compressed: to unpack it for each
-- comparison takes longer than the rest of planning.
CREATE TABLE statistics_bulk (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO statistics_bulk SELECT (to_hex(1767225600 + i / 400) || lpad(to_hex(i), 16, '0'))::objectid FROM generate_series(1, 60000) AS i;
ANALYZE statistics_bulk;
SELECT fine, fine_size > 4 * fine AS not_compressed FROM statistics_stored WHERE tablename = 'statistics_bulk';
-- With a higher target, there are not more bounds than core has.
ALTER TABLE statistics_bulk ALTER id SET STATISTICS 3000;
ANALYZE statistics_bulk;
SELECT bounds, fine FROM statistics_stored WHERE tablename = 'statistics_bulk';
DROP TABLE statistics_bulk;
-- With a lower target there are fewer bounds.
ALTER TABLE statistics_ids ALTER id SET STATISTICS 10;
ANALYZE statistics_ids;
SELECT bounds <= 11 AS bounds, fine FROM statistics_stored WHERE tablename = 'statistics_ids';
DROP TABLE statistics_ids;

--
-- A skewed column: a few ids in half of the rows, nulls in a tenth
--
CREATE TABLE statistics_skewed (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO statistics_skewed
SELECT CASE WHEN i % 10 = 0 THEN NULL
            WHEN i % 2 = 0 THEN (left(md5((i % 8)::text), 24))::objectid
            ELSE (left(md5(i::text), 24))::objectid END
  FROM generate_series(1, 30000) AS i;
ANALYZE statistics_skewed;
SELECT null_frac, avg_width, common BETWEEN 4 AND 100 AS common, common = common_freqs AS with_frequencies,
       bounds <= 101 AS bounds, fine
  FROM statistics_stored WHERE tablename = 'statistics_skewed';
-- The sample is the whole table: from end to end, the estimates are exact but for
-- what is in two buckets of the finer histogram.
SELECT count(*) AS ids, max(abs(pg_temp.estimate(format('SELECT FROM statistics_skewed WHERE id < %L', id)) - below)) <= 27 AS below,
       max(abs(pg_temp.estimate(format('SELECT FROM statistics_skewed WHERE id >= %L', id)) - 27000 + below)) <= 27 AS from_there
  FROM (SELECT id, rank() OVER (ORDER BY id) - 1 AS below, row_number() OVER (ORDER BY id) AS n
          FROM statistics_skewed WHERE id IS NOT NULL) AS s
 WHERE n % 100 = 50;
SELECT count(*) AS common, count(*) FILTER (WHERE estimate BETWEEN actual * 0.9 AND actual * 1.1) AS estimated
  FROM (SELECT count(*) AS actual, pg_temp.estimate(format('SELECT FROM statistics_skewed WHERE id = %L', id)) AS estimate
          FROM statistics_skewed WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1000) AS s;
SELECT pg_temp.estimate('SELECT FROM statistics_skewed WHERE id IS NULL') AS nulls,
       pg_temp.estimate('SELECT FROM statistics_skewed WHERE id < ''800000000000000000000000''')
           BETWEEN 0.9 * count(*) AND 1.1 * count(*) AS half
  FROM statistics_skewed WHERE id < '800000000000000000000000';
-- More bounds with SET STATISTICS, up to the maximum
ALTER TABLE statistics_skewed ALTER id SET STATISTICS 500;
ANALYZE statistics_skewed;
SELECT common BETWEEN 4 AND 500 AS common, bounds, fine FROM statistics_stored WHERE tablename = 'statistics_skewed';
-- SET STATISTICS 0: the statistics do not change.
ALTER TABLE statistics_skewed ALTER id SET STATISTICS 0;
ANALYZE statistics_skewed;
SELECT bounds, fine FROM statistics_stored WHERE tablename = 'statistics_skewed';

--
-- Ids in a hundred rows each, such as those of a foreign key: none is common
--
CREATE TABLE statistics_hundreds (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO statistics_hundreds SELECT left(md5((i % 300)::text), 24)::objectid FROM generate_series(1, 30000) AS i;
ANALYZE statistics_hundreds;
SELECT count(*) AS ids, min(pg_temp.estimate(format('SELECT FROM statistics_hundreds WHERE id BETWEEN %L AND %1$L', id))) >= 70 AS not_less,
       max(pg_temp.estimate(format('SELECT FROM statistics_hundreds WHERE id BETWEEN %L AND %1$L', id))) <= 120 AS not_more,
       max(pg_temp.estimate(format('SELECT FROM statistics_hundreds WHERE id > %L AND id < %1$L', id))) AS none
  FROM (SELECT DISTINCT id FROM statistics_hundreds) AS s WHERE id > ALL (SELECT min(id) FROM statistics_hundreds) AND id < ALL (SELECT max(id) FROM statistics_hundreds);

--
-- Columns with few values
--
CREATE TABLE statistics_empty (id objectid) WITH (autovacuum_enabled = off);
CREATE TABLE statistics_null (id objectid) WITH (autovacuum_enabled = off);
CREATE TABLE statistics_one (id objectid) WITH (autovacuum_enabled = off);
CREATE TABLE statistics_two (id objectid) WITH (autovacuum_enabled = off);
CREATE TABLE statistics_three (id objectid) WITH (autovacuum_enabled = off);
CREATE TABLE statistics_equal (id objectid) WITH (autovacuum_enabled = off);
CREATE TABLE statistics_corner (id objectid) WITH (autovacuum_enabled = off);
INSERT INTO statistics_null SELECT NULL FROM generate_series(1, 1000);
INSERT INTO statistics_one VALUES ('507f1f77bcf86cd799439011');
INSERT INTO statistics_two VALUES ('507f1f77bcf86cd799439012'), ('507f1f77bcf86cd799439011');
INSERT INTO statistics_three VALUES ('ffffffffffffffffffffffff'), ('000000000000000000000000'), (NULL), ('800000000000000000000000');
INSERT INTO statistics_equal SELECT '507f1f77bcf86cd799439011' FROM generate_series(1, 1000);
INSERT INTO statistics_corner
SELECT set_byte(decode(repeat(base, 12), 'hex'), pos, value)::objectid
  FROM unnest(ARRAY['00', 'ff']) AS base, generate_series(0, 11) AS pos, generate_series(1, 254) AS value;
ANALYZE statistics_empty, statistics_null, statistics_one, statistics_two, statistics_three, statistics_equal, statistics_corner;
SELECT tablename, null_frac, avg_width, n_distinct, common, bounds, fine FROM statistics_stored
 WHERE tablename IN ('statistics_empty', 'statistics_null', 'statistics_one', 'statistics_two', 'statistics_three', 'statistics_equal', 'statistics_corner')
 ORDER BY tablename COLLATE "C";
SELECT histogram FROM statistics_stored WHERE tablename = 'statistics_three';
SELECT pg_temp.estimate('SELECT FROM statistics_null WHERE id = ''507f1f77bcf86cd799439011''') AS null_equal,
       pg_temp.estimate('SELECT FROM statistics_null WHERE id IS NULL') AS null_null,
       pg_temp.estimate('SELECT FROM statistics_one WHERE id = ''507f1f77bcf86cd799439011''') AS one_equal,
       pg_temp.estimate('SELECT FROM statistics_two WHERE id <= ''507f1f77bcf86cd799439012''') AS two_both,
       pg_temp.estimate('SELECT FROM statistics_equal WHERE id = ''507f1f77bcf86cd799439011''') AS equal_equal,
       pg_temp.estimate('SELECT FROM statistics_equal WHERE id >= ''507f1f77bcf86cd799439011''') AS equal_from,
       pg_temp.estimate('SELECT FROM statistics_equal WHERE id < ''507f1f77bcf86cd799439011''') AS equal_below,
       pg_temp.estimate('SELECT FROM statistics_corner WHERE id < ''800000000000000000000000''') BETWEEN 2800 AND 3600 AS corner_half \gx

-- Expression indexes and inheritance parents are analyzed, too.
CREATE TABLE statistics_doc (doc jsonb) WITH (autovacuum_enabled = off);
CREATE INDEX statistics_doc_id ON statistics_doc (((doc -> '_id')::objectid));
INSERT INTO statistics_doc SELECT jsonb_build_object('_id', left(md5(i::text), 24)) FROM generate_series(1, 1000) AS i;
CREATE TABLE statistics_parent (id objectid) PARTITION BY HASH (id);
CREATE TABLE statistics_child_0 PARTITION OF statistics_parent FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE statistics_child_1 PARTITION OF statistics_parent FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO statistics_parent SELECT left(md5(i::text), 24)::objectid FROM generate_series(1, 1000) AS i;
ANALYZE statistics_doc, statistics_parent;
SELECT tablename, avg_width, n_distinct, bounds, fine FROM statistics_stored
 WHERE tablename IN ('statistics_doc_id', 'statistics_parent') ORDER BY tablename COLLATE "C";
SELECT pg_temp.estimate('SELECT FROM statistics_doc WHERE (doc -> ''_id'')::objectid < ''400000000000000000000000''')
           BETWEEN 200 AND 300 AS quarter,
       pg_temp.estimate('SELECT FROM statistics_parent WHERE id < ''400000000000000000000000''') BETWEEN 200 AND 300 AS quarter_of_parent;

-- Join estimates use the most common values.
SELECT pg_temp.estimate('SELECT FROM statistics_equal AS a JOIN statistics_equal AS b USING (id)') AS all_pairs;

DROP VIEW statistics_stored;
DROP TABLE statistics_skewed, statistics_hundreds, statistics_empty, statistics_null, statistics_one, statistics_two, statistics_three,
    statistics_equal, statistics_corner, statistics_doc, statistics_parent;
