--
-- The time in an id and a range: the same result in every plan
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT setseed(0.4) \g /dev/null
\getenv abs_srcdir PG_ABS_SRCDIR
\set plans :abs_srcdir '/sql/include/range_plans.sql'
\set ECHO none
\i :plans
\set ECHO all

-- Every bound with every other and every pair of brackets.  If the lower one is
-- not below the upper one, these are single points and empty ranges.  Some bounds
-- are between two seconds.
CREATE TABLE range_bound (b timestamptz);
INSERT INTO range_bound VALUES
    (NULL), ('-infinity'), ('4713-01-01 00:00:00+00 BC'), ('1969-12-31 23:59:59.5+00'), ('1970-01-01 00:00:00+00'),
    ('1970-01-01 00:00:00.000001+00'), ('2026-01-01 00:00:00+00'), ('2026-01-01 00:00:00.000001+00'), ('2026-01-01 00:00:00.4+00'),
    ('2026-01-01 00:00:00.999999+00'), ('2026-01-01 00:00:01+00'), ('2038-01-19 03:14:08+00'), ('2106-02-07 06:28:15+00'),
    ('2106-02-07 06:28:15.5+00'), ('2106-02-07 06:28:16+00'), ('294276-12-31 23:59:59.999999+00'), ('infinity');
CREATE TABLE range_range AS
SELECT DISTINCT tstzrange(l.b, u.b, brackets) AS r FROM range_bound AS l, range_bound AS u, unnest('{[],[),(],()}'::text[]) AS brackets
WHERE l.b <= u.b OR l.b IS NULL OR u.b IS NULL;
INSERT INTO range_range VALUES (NULL);
SELECT count(*) AS ranges, count(*) FILTER (WHERE isempty(r)) AS empty,
       count(*) FILTER (WHERE lower(r) = upper(r)) AS points,
       count(*) FILTER (WHERE lower_inf(r) OR upper_inf(r)) > 50 AS unbounded,
       count(*) FILTER (WHERE 'infinity' IN (lower(r), upper(r))) > 50 AS infinite
FROM range_range;

CREATE TABLE range_within AS
SELECT id, r FROM range_id, range_range;
SELECT count(*) AS corners FROM range_within;
-- near the id, or random
INSERT INTO range_within
SELECT id, tstzrange(least(a, b), greatest(a, b), (ARRAY['[]', '[)', '(]', '()'])[1 + i % 4])
FROM (SELECT i, id, CASE WHEN i % 5 < 3 THEN objectid_timestamp(id) + round((random() * 4 - 2)::numeric, i % 7) * interval '1 s'
                         WHEN i % 5 = 3 THEN objectid_timestamp(id) ELSE timestamptz '1930-01-01 00:00:00+00' + random() * interval '80000 days' END AS a,
                    CASE WHEN i % 3 < 2 THEN objectid_timestamp(id) + round((random() * 4 - 2)::numeric, i % 7) * interval '1 s'
                         WHEN i % 11 > 0 THEN timestamptz '1930-01-01 00:00:00+00' + random() * interval '80000 days' END AS b
      FROM (SELECT i, (lpad(to_hex((random() * 4294967295)::bigint), 8, '0') || left(md5(random()::text), 16))::objectid AS id
            FROM generate_series(1, 100000) AS i) AS s) AS s;
-- Here the all-ones id is no exception.
ALTER TABLE range_within ADD within boolean;
UPDATE range_within SET within = objectid_timestamp(id) <@ r;
SELECT count(*) AS pairs, count(*) FILTER (WHERE within) > 30000 AS many_within, count(*) FILTER (WHERE NOT within) > 30000 AS many_not, count(*) FILTER (WHERE within IS NULL) AS unknown,
       count(*) FILTER (WHERE (id <@ r) IS DISTINCT FROM within) AS "id <@ r",
       count(*) FILTER (WHERE (r @> id) IS DISTINCT FROM within) AS "r @> id",
       count(*) FILTER (WHERE (id <@ pg_temp.as_it_is(r)) IS DISTINCT FROM within) AS "volatile <@",
       count(*) FILTER (WHERE (pg_temp.as_it_is(r) @> id) IS DISTINCT FROM within) AS "volatile @>",
       count(*) FILTER (WHERE (id <@ ANY (ARRAY[r])) IS DISTINCT FROM within) AS "any <@",
       count(*) FILTER (WHERE (r @> ALL (ARRAY[id])) IS DISTINCT FROM within) AS "all @>",
       count(*) FILTER (WHERE (NOT id <@ r) IS DISTINCT FROM (NOT within)) AS "not",
       count(*) FILTER (WHERE CASE WHEN r @> id THEN 1 WHEN NOT r @> id THEN 2 ELSE 3 END <> CASE WHEN within THEN 1 WHEN NOT within THEN 2 ELSE 3 END) AS "case",
       count(*) FILTER (WHERE (id <@ r OR id IS NULL) IS DISTINCT FROM (within OR id IS NULL)) AS "or",
       count(*) FILTER (WHERE ((id <@ r) IS NULL) <> (within IS NULL) OR ((id <@ r) IS NOT TRUE) <> (within IS NOT TRUE)) AS "is"
FROM range_within \gx

-- The bounds are in the range, and no id in the range is beyond them.  There are
-- no bounds if and only if no id is in the range.
SELECT count(*) AS ranges,
       count(*) FILTER (WHERE objectid_lower(r) <= objectid_upper(r)) AS with_ids,
       count(*) FILTER (WHERE objectid_lower(r) <= objectid_upper(r)
                          AND NOT (objectid_timestamp(objectid_lower(r)) <@ r AND objectid_timestamp(objectid_upper(r)) <@ r)) AS outside,
       count(*) FILTER (WHERE objectid_lower(r) > objectid_upper(r)
                          AND (objectid_lower(r), objectid_upper(r)) <> ('ffffffffffffffffffffffff', '000000000000000000000000')) AS none_otherwise,
       count(*) FILTER (WHERE objectid_lower(r) > objectid_upper(r) AND r IN (SELECT r FROM range_within WHERE within)) AS wrongly_none
FROM range_range;

-- More ids, so that an index is used
INSERT INTO range_id (id)
SELECT (lpad(to_hex((random() * 4294967295)::bigint), 8, '0') || left(md5(random()::text), 16))::objectid
FROM generate_series(1, 500);
CREATE INDEX range_id_index ON range_id (id);
VACUUM ANALYZE range_id;

-- Each plan with each range.  The parameter of the generic plan is the range.
INSERT INTO range_condition VALUES ('id <@ $1', 'within'), ('$1 @> id', 'within'), ('NOT id <@ $1', 'not within'), ('($1 @> id) IS NULL', 'unknown');
SET plan_cache_mode = force_generic_plan;
CALL pg_temp.prepare_conditions('tstzrange');
SELECT plan, reference, count(*) AS compared, sum(cardinality(rows)) > 1000 AS some_full,
       count(*) FILTER (WHERE rows IS DISTINCT FROM
                        ARRAY(SELECT n FROM range_id WHERE CASE reference WHEN 'within' THEN objectid_timestamp(id) <@ r WHEN 'not within' THEN NOT objectid_timestamp(id) <@ r ELSE (objectid_timestamp(id) <@ r) IS NULL END ORDER BY n)) AS mismatches
FROM range_plan, range_condition, (SELECT r FROM range_range ORDER BY md5(r::text) LIMIT 150) AS s, LATERAL (SELECT pg_temp.rows_with(condition, plan, r)) AS q (rows)
-- an index cannot be used for NOT and IS UNKNOWN
WHERE plan LIKE '%seqscan' OR plan LIKE '%index' AND reference = 'within'
GROUP BY plan, reference ORDER BY plan, reference;
SELECT plan, string_agg(DISTINCT pg_temp.scan_with(condition, plan, tstzrange('2026-01-01 00:00:00+00', '2027-01-01 00:00:00+00')), '; ') AS scans
FROM range_plan, range_condition WHERE reference = 'within' GROUP BY plan ORDER BY plan;
RESET plan_cache_mode;
DEALLOCATE ALL;

-- Joined by range, including empty ones
SELECT count(*) AS mismatches
FROM (SELECT n, r FROM range_id LEFT JOIN range_range ON id <@ r EXCEPT ALL SELECT n, r FROM range_id LEFT JOIN range_range ON objectid_timestamp(id) <@ r) AS s;
SELECT count(*) AS mismatches
FROM (SELECT n, r FROM range_range LEFT JOIN range_id ON r @> id EXCEPT ALL SELECT n, r FROM range_range LEFT JOIN range_id ON r @> objectid_timestamp(id)) AS s;

-- A range in a range in a range: two comparisons for each would double the plan with
-- each level, and exhaust the memory of the server.
CREATE FUNCTION pg_temp.nested(condition text, OUT plan_length int, OUT rows bigint)
LANGUAGE plpgsql AS $$
DECLARE
    nested text := 'r';
    plan json;
BEGIN
    FOR i IN 1 .. 6 LOOP
        nested := format('CASE WHEN ' || condition || ' THEN r END', nested);
    END LOOP;
    EXECUTE format('EXPLAIN (FORMAT json) SELECT FROM range_id, range_range WHERE ' || condition, nested) INTO plan;
    EXECUTE format('SELECT count(*) FROM range_id, range_range WHERE ' || condition, nested) INTO rows;
    plan_length := length(plan::text);
END;
$$;
SELECT condition, plan_length < 10000 AS short, rows = (SELECT count(*) FROM range_id, range_range WHERE objectid_timestamp(id) <@ r) AS all_rows
FROM unnest('{id <@ (%s),(%s) @> id}'::text[]) AS condition, pg_temp.nested(condition);

DROP TABLE range_id, range_plan, range_condition, range_bound, range_range, range_within;
