--
-- The time in a version-7 UUID: bounds, and time ranges in every plan
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT setseed(0.7);

-- The example of RFC 9562, appendix A.6: Tuesday, February 22, 2022 2:22:22.00
-- PM GMT-05:00
SELECT uuidv7_timestamp('017F22E2-79B0-7CC3-98C4-DC0C0C07398F');

-- Version and variant are set, all other bits are zeros or ones; a fraction of a
-- millisecond is rounded up for the floor and down for the ceiling.
SELECT t, uuidv7_floor(t), uuidv7_ceiling(t)
FROM (VALUES ('-infinity'::timestamptz), ('4713-01-01 00:00:00+00 BC'), ('1969-12-31 23:59:59.999+00'), ('1969-12-31 23:59:59.9999+00'),
             ('1970-01-01 00:00:00+00'), ('1970-01-01 00:00:00.000001+00'), ('1970-01-01 00:00:00.001+00'),
             ('2022-02-22 19:22:22+00'), ('2022-02-22 19:22:22.0005+00'), ('2038-01-19 03:14:08+00'),
             ('10889-08-02 05:31:50.655+00'), ('10889-08-02 05:31:50.655001+00'), ('10889-08-02 05:31:50.656+00'),
             ('294276-12-31 23:59:59.999999+00'), ('infinity'), (NULL)) AS v (t);
SELECT uuidv7_timestamp('ffffffff-ffff-7fff-bfff-ffffffffffff'), uuidv7_timestamp('00000000-0000-0000-0000-000000000000');
-- The version is not checked.
SELECT uuidv7_timestamp('017f22e2-79b0-4cc3-18c4-dc0c0c07398f');

-- Round trip, for all magnitudes of times
SELECT count(*) AS times,
       count(*) FILTER (WHERE uuidv7_timestamp(uuidv7_floor(t)) <> t OR uuidv7_timestamp(uuidv7_ceiling(t)) <> t) AS wrong,
       count(*) FILTER (WHERE uuidv7_floor(t) >= uuidv7_ceiling(t)) AS reversed,
       count(*) FILTER (WHERE uuidv7_timestamp(uuidv7_floor(t + '0.3 ms')) <> t + '1 ms' OR uuidv7_timestamp(uuidv7_ceiling(t + '0.999 ms')) <> t) AS wrong_between,
       count(*) FILTER (WHERE substr(uuidv7_floor(t)::text, 15, 1) <> '7' OR substr(uuidv7_ceiling(t)::text, 15, 6) <> '7fff-b') AS not_version_7
FROM (SELECT date_trunc('milliseconds', timestamptz '1970-01-01 00:00:00+00' + random() * 10 ^ (i % 15) * interval '1 ms') AS t FROM generate_series(1, 10000) AS i) AS s;

-- Same results as core's functions, if the server has them
DO $$
DECLARE
    wrong bigint := 0;
BEGIN
    IF to_regprocedure('uuidv7()') IS NOT NULL THEN
        EXECUTE 'SELECT count(*) FROM (SELECT uuidv7() AS id FROM generate_series(1, 1000) OFFSET 0) AS s
                 WHERE uuidv7_timestamp(id) <> date_trunc(''milliseconds'', uuid_extract_timestamp(id))
                    OR NOT id BETWEEN uuidv7_floor(uuidv7_timestamp(id)) AND uuidv7_ceiling(uuidv7_timestamp(id))
                    OR NOT uuidv7_within(id, tstzrange(clock_timestamp() - interval ''1 minute'', clock_timestamp() + interval ''1 minute''))' INTO wrong;
    END IF;
    RAISE NOTICE '% of core''s differ', wrong;
END $$;

--
-- uuidv7_within(id, r) is uuidv7_timestamp(id) <@ r
--
CREATE FUNCTION pg_temp.as_it_is(anyelement) RETURNS anyelement
LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN $1; END $$;

CREATE TABLE uuidv7_id (n int GENERATED ALWAYS AS IDENTITY, id uuid);
-- the first and the last UUID of the first, the last and some other milliseconds
INSERT INTO uuidv7_id (id)
SELECT unnest(ARRAY[uuidv7_floor(t), uuidv7_ceiling(t)])
FROM unnest('{1970-01-01 00:00:00+00,1970-01-01 00:00:00.001+00,2025-12-31 23:59:59.999+00,2026-01-01 00:00:00+00,2026-01-01 00:00:00.001+00,2026-01-01 00:00:00.002+00,10889-08-02 05:31:50.654+00,10889-08-02 05:31:50.655+00}'::timestamptz[]) AS t;
INSERT INTO uuidv7_id (id) VALUES (NULL);
CREATE TABLE uuidv7_range AS
SELECT DISTINCT tstzrange(l, u, brackets) AS r
FROM unnest('{NULL,-infinity,1969-12-31 23:59:59.9995+00,1970-01-01 00:00:00+00,2026-01-01 00:00:00+00,2026-01-01 00:00:00.0004+00,2026-01-01 00:00:00.0006+00,2026-01-01 00:00:00.001+00,2026-01-01 00:00:00.001001+00,10889-08-02 05:31:50.655+00,10889-08-02 05:31:50.6555+00,10889-08-02 05:31:50.656+00,infinity}'::timestamptz[]) AS l,
     unnest('{NULL,-infinity,1969-12-31 23:59:59.9995+00,1970-01-01 00:00:00+00,2026-01-01 00:00:00+00,2026-01-01 00:00:00.0004+00,2026-01-01 00:00:00.0006+00,2026-01-01 00:00:00.001+00,2026-01-01 00:00:00.001001+00,10889-08-02 05:31:50.655+00,10889-08-02 05:31:50.6555+00,10889-08-02 05:31:50.656+00,infinity}'::timestamptz[]) AS u,
     unnest('{[],[),(],()}'::text[]) AS brackets
WHERE l <= u OR l IS NULL OR u IS NULL;
INSERT INTO uuidv7_range VALUES (NULL);
SELECT count(*) AS ranges, count(*) FILTER (WHERE isempty(r)) AS empty, count(*) FILTER (WHERE lower(r) = upper(r)) AS points FROM uuidv7_range;

CREATE TABLE uuidv7_pair AS SELECT id, r FROM uuidv7_id, uuidv7_range;
SELECT count(*) AS corners FROM uuidv7_pair;
INSERT INTO uuidv7_pair
SELECT id, tstzrange(least(a, b), greatest(a, b), (ARRAY['[]', '[)', '(]', '()'])[1 + i % 4])
FROM (SELECT i, id, created + round((random() * 4 - 2)::numeric, i % 4) * interval '1 ms' AS a,
             CASE WHEN i % 3 < 2 THEN created + round((random() * 4 - 2)::numeric, i % 4) * interval '1 ms'
                  WHEN i % 11 > 0 THEN timestamptz '1930-01-01 00:00:00+00' + random() * interval '80000 days' END AS b
      FROM (SELECT i, id, uuidv7_timestamp(id) AS created
            FROM (SELECT i, overlay(overlay(left(lpad(to_hex((random() * 281474976710655)::bigint), 12, '0') || md5(random()::text), 32) PLACING '7' FROM 13) PLACING '9' FROM 17)::uuid AS id
                  FROM generate_series(1, 100000) AS i) AS s) AS s) AS s;
ALTER TABLE uuidv7_pair ADD within boolean;
UPDATE uuidv7_pair SET within = uuidv7_timestamp(id) <@ r;
SELECT count(*) AS pairs, count(*) FILTER (WHERE within) > 20000 AS many_within, count(*) FILTER (WHERE NOT within) > 20000 AS many_not, count(*) FILTER (WHERE within IS NULL) AS unknown,
       count(*) FILTER (WHERE uuidv7_within(id, r) IS DISTINCT FROM within) AS rewritten,
       count(*) FILTER (WHERE uuidv7_within(id, pg_temp.as_it_is(r)) IS DISTINCT FROM within) AS left_alone,
       count(*) FILTER (WHERE (NOT uuidv7_within(id, r)) IS DISTINCT FROM (NOT within)) AS "not",
       count(*) FILTER (WHERE CASE WHEN uuidv7_within(id, r) THEN 1 WHEN NOT uuidv7_within(id, r) THEN 2 ELSE 3 END <> CASE WHEN within THEN 1 WHEN NOT within THEN 2 ELSE 3 END) AS "case",
       count(*) FILTER (WHERE (uuidv7_within(id, r) OR id IS NULL) IS DISTINCT FROM (within OR id IS NULL)) AS "or",
       count(*) FILTER (WHERE (uuidv7_within(id, r) IS NOT TRUE) <> (within IS NOT TRUE)) AS "is"
FROM uuidv7_pair \gx

-- The bounds are in the range; there are none if and only if no UUID is in it.
SELECT count(*) AS ranges, count(*) FILTER (WHERE uuidv7_lower(r) <= uuidv7_upper(r)) AS with_ids,
       count(*) FILTER (WHERE uuidv7_lower(r) <= uuidv7_upper(r) AND NOT (uuidv7_timestamp(uuidv7_lower(r)) <@ r AND uuidv7_timestamp(uuidv7_upper(r)) <@ r)) AS outside,
       count(*) FILTER (WHERE uuidv7_lower(r) > uuidv7_upper(r)
                          AND (uuidv7_lower(r), uuidv7_upper(r)) <> ('ffffffff-ffff-7fff-bfff-ffffffffffff', '00000000-0000-7000-8000-000000000000')) AS none_otherwise,
       count(*) FILTER (WHERE uuidv7_lower(r) > uuidv7_upper(r) AND r IN (SELECT r FROM uuidv7_pair WHERE within)) AS wrongly_none
FROM uuidv7_range;

-- UUIDs of other versions have the same result in every plan, too: whether they
-- are between the lowest and the highest of the range.
SELECT count(*) AS others,
       count(*) FILTER (WHERE uuidv7_within(id, r) <> uuidv7_within(id, pg_temp.as_it_is(r))) AS mismatches,
       count(*) FILTER (WHERE uuidv7_within(id, r) <> (id BETWEEN uuidv7_lower(r) AND uuidv7_upper(r))) AS otherwise
FROM (SELECT (left(id::text, 14) || digit || right(id::text, 21))::uuid AS id, r FROM uuidv7_pair, unnest('{0,4,6,8,f}'::text[]) AS digit WHERE id IS NOT NULL LIMIT 50000) AS s WHERE r IS NOT NULL;
SELECT uuidv7_within('00000000-0000-0000-0000-000000000000', '(,)') AS nil, uuidv7_within('ffffffff-ffff-ffff-ffff-ffffffffffff', '(,)') AS max;

--
-- Each plan
--
INSERT INTO uuidv7_id (id) SELECT id FROM uuidv7_pair WHERE id IS NOT NULL ORDER BY md5(id::text) LIMIT 500;
CREATE INDEX uuidv7_id_index ON uuidv7_id (id);
VACUUM ANALYZE uuidv7_id;
CREATE FUNCTION pg_temp.query_with(plan text, r tstzrange) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('enable_seqscan', (plan LIKE '%seqscan')::text, true), set_config('enable_bitmapscan', 'off', true),
            set_config('enable_indexscan', (plan LIKE '%index')::text, true);
    IF plan LIKE 'generic%' THEN
        RETURN format('EXECUTE %I(%L)', 'uuidv7 ' || plan, r);
    END IF;
    RETURN format('SELECT ARRAY(SELECT n FROM uuidv7_id WHERE uuidv7_within(id, %s) ORDER BY n)',
                  CASE WHEN plan LIKE 'volatile%' THEN format('pg_temp.as_it_is(%L::tstzrange)', r) ELSE coalesce(quote_literal(r), 'NULL') END);
END $$;
CREATE FUNCTION pg_temp.rows_with(plan text, r tstzrange) RETURNS int[]
LANGUAGE plpgsql AS $$
DECLARE
    result int[];
BEGIN
    EXECUTE pg_temp.query_with(plan, r) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION pg_temp.scan_with(plan text, r tstzrange) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || pg_temp.query_with(plan, r) INTO result;
    RETURN (SELECT string_agg(DISTINCT m[1], ', ') FROM regexp_matches(result::text, '"Node Type": "([^"]*Scan)"', 'g') AS m)
        || CASE WHEN result::text ~ 'Filter' THEN ', filter' ELSE '' END
        || CASE WHEN result::text ~ 'uuidv7_(lower|upper)' THEN ', expression' ELSE '' END;
END $$;
SET plan_cache_mode = force_generic_plan;
PREPARE "uuidv7 generic, index" (tstzrange) AS SELECT ARRAY(SELECT n FROM uuidv7_id WHERE uuidv7_within(id, $1) ORDER BY n);
PREPARE "uuidv7 generic, seqscan" (tstzrange) AS SELECT ARRAY(SELECT n FROM uuidv7_id WHERE uuidv7_within(id, $1) ORDER BY n);
SELECT plan, count(*) AS compared, sum(cardinality(rows)) > 1000 AS some_full,
       count(*) FILTER (WHERE rows IS DISTINCT FROM ARRAY(SELECT n FROM uuidv7_id WHERE uuidv7_timestamp(id) <@ r ORDER BY n)) AS mismatches
FROM unnest('{"constant, index","constant, seqscan","generic, index","generic, seqscan","volatile, seqscan"}'::text[]) AS plan,
     (SELECT r FROM uuidv7_range UNION ALL (SELECT r FROM uuidv7_pair OFFSET 5000 LIMIT 100)) AS s, LATERAL (SELECT pg_temp.rows_with(plan, r)) AS q (rows)
GROUP BY plan ORDER BY plan;
SELECT plan, pg_temp.scan_with(plan, '[2026-01-01,2027-01-01)') AS scan
FROM unnest('{"constant, index","constant, seqscan","generic, index","generic, seqscan","volatile, seqscan"}'::text[]) AS plan ORDER BY plan;
RESET plan_cache_mode;
DEALLOCATE ALL;

-- Joins
SELECT count(*) AS mismatches
FROM (SELECT n, r FROM uuidv7_id LEFT JOIN uuidv7_range ON uuidv7_within(id, r) EXCEPT ALL SELECT n, r FROM uuidv7_id LEFT JOIN uuidv7_range ON uuidv7_timestamp(id) <@ r) AS s;
SELECT count(*) AS mismatches
FROM (SELECT n, r FROM uuidv7_range LEFT JOIN uuidv7_id ON uuidv7_within(id, r) EXCEPT ALL SELECT n, r FROM uuidv7_range LEFT JOIN uuidv7_id ON uuidv7_timestamp(id) <@ r) AS s;

DROP TABLE uuidv7_id, uuidv7_range, uuidv7_pair;
