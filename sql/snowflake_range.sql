--
-- snowflake_within: the same result in every plan
--

SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT setseed(0.4);
-- A volatile function prevents the rewriting.  It is generic, for instants and
-- ranges.
CREATE FUNCTION pg_temp.as_it_is(anyelement) RETURNS anyelement
LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN $1; END $$;

-- All presets and some other layouts: long ticks and few bits; ticks of a
-- microsecond up to the sign bit; up to the year 9999; all 64 bits
CREATE TABLE range_layout (layout snowflake_layout);
INSERT INTO range_layout SELECT layout FROM snowflake_layouts();
INSERT INTO range_layout VALUES
    ('time:5,node:3,seq:2;tick=3600s;epoch=2026-01-01T00:00:00Z'), ('time:63;tick=1us;epoch=2000-01-01T00:00:00Z'),
    ('time:40,seq:4,node:20;tick=1us;epoch=1970-01-01T00:00:00Z'), ('time:1;tick=1s;epoch=2026-01-01T00:00:00Z');
-- ids of a layout: at its ends, around its middle, random; and ids that are not of
-- the layout
CREATE TABLE range_snowflake AS
SELECT layout, id, CASE WHEN id BETWEEN 0 AND highest THEN snowflake_timestamp(id, layout) END AS created
FROM (SELECT layout, snowflake_ceiling('infinity', layout) AS highest FROM range_layout) AS l,
     LATERAL (SELECT DISTINCT unnest(ARRAY[0, 1, highest, highest - 1, highest / 2, highest / 2 + 1, -1, -highest, (-9223372036854775808)::bigint, 9223372036854775807, least(highest, 9223372036854775806) + 1,
                                           snowflake_floor('2026-01-01 12:00:00+00', layout), snowflake_ceiling('2026-01-01 12:00:00+00', layout)])
              UNION ALL SELECT (random() * highest / 1.0001)::bigint FROM generate_series(1, 40)
              UNION ALL SELECT NULL) AS i (id);
SELECT count(*) AS ids, count(created) AS of_layout, count(DISTINCT layout::text) AS layouts FROM range_snowflake;
-- ranges around the times of those ids
CREATE TABLE range_pair AS
SELECT id, layout, created, tstzrange(least(a, b), greatest(a, b), (ARRAY['[]', '[)', '(]', '()'])[1 + i % 4]) AS r
FROM (SELECT i, id, layout, created,
             CASE WHEN i % 9 = 8 THEN '-infinity' WHEN i % 9 = 7 THEN NULL ELSE around + (i % 5 - 2) * step - (i / 5 % 3) * interval '1 us' END AS a,
             CASE WHEN i % 7 = 6 THEN 'infinity' WHEN i % 7 = 5 THEN NULL WHEN i % 7 = 4 THEN around ELSE around + (i % 5 - 1) * step + (i / 3 % 3 - 1) * interval '1 us' END AS b
      FROM (SELECT *, coalesce(created, timestamptz '2026-01-01 12:00:00+00') AS around, (ARRAY[interval '1 ms', '10 ms', '1 s', '1 h', '1 us'])[1 + i / 7 % 5] AS step
            FROM range_snowflake, generate_series(1, 180) AS i) AS s
      WHERE around < '294000-01-01') AS s;
INSERT INTO range_pair SELECT id, layout, created, r FROM range_snowflake, (VALUES (NULL), ('empty'), ('(,)'), (tstzrange('-infinity', 'infinity', '[]')), (tstzrange('-infinity', 'infinity', '()')),
    (tstzrange('infinity', 'infinity', '[]')), (tstzrange('-infinity', '-infinity', '[]')), (tstzrange('infinity', NULL, '()')), (tstzrange(NULL, '-infinity', '()'))) AS v (r);
INSERT INTO range_pair SELECT id, NULL, NULL, '(,)' FROM range_snowflake LIMIT 10;
-- an id that is not of the layout is in no range
ALTER TABLE range_pair ADD within boolean;
UPDATE range_pair SET within = CASE WHEN id IS NULL OR r IS NULL OR layout IS NULL THEN NULL WHEN created IS NULL THEN false ELSE created <@ r END;
SELECT layout, count(*) FILTER (WHERE within) > 1000 AS many_within, count(*) FILTER (WHERE NOT within) > 1000 AS many_not,
       count(*) FILTER (WHERE snowflake_within(id, r, layout) IS DISTINCT FROM within) AS rewritten,
       count(*) FILTER (WHERE snowflake_within(id, pg_temp.as_it_is(r), layout) IS DISTINCT FROM within) AS left_alone,
       count(*) FILTER (WHERE (NOT snowflake_within(id, r, layout)) IS DISTINCT FROM (NOT within)) AS "not",
       count(*) FILTER (WHERE CASE WHEN snowflake_within(id, r, layout) THEN 1 WHEN NOT snowflake_within(id, r, layout) THEN 2 ELSE 3 END
                           <> CASE WHEN within THEN 1 WHEN NOT within THEN 2 ELSE 3 END) AS "case",
       count(*) FILTER (WHERE (snowflake_within(id, r, layout) IS NOT TRUE) <> (within IS NOT TRUE)) AS "is"
FROM range_pair GROUP BY layout ORDER BY layout::text COLLATE "C";
SELECT count(*) > 100000 AS pairs FROM range_pair;

-- Each plan, of each layout as a constant
CREATE INDEX range_snowflake_index ON range_snowflake (id);
VACUUM ANALYZE range_snowflake;
CREATE FUNCTION pg_temp.snowflake_query(l snowflake_layout, plan text, r tstzrange) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('enable_seqscan', (plan LIKE '%seqscan')::text, true), set_config('enable_bitmapscan', 'off', true),
            set_config('enable_indexscan', (plan LIKE '%index')::text, true), set_config('enable_indexonlyscan', (plan LIKE '%index')::text, true);
    IF plan LIKE 'generic%' THEN
        RETURN format('EXECUTE %I(%L, %L)', 'range ' || plan, r, l);
    END IF;
    RETURN format('SELECT ARRAY(SELECT DISTINCT id FROM range_snowflake WHERE snowflake_within(id, %s, %L) ORDER BY id)',
                  CASE WHEN plan LIKE 'volatile%' THEN format('pg_temp.as_it_is(%L::tstzrange)', r) ELSE quote_literal(r) END, l);
END $$;
CREATE FUNCTION pg_temp.snowflake_rows(l snowflake_layout, plan text, r tstzrange) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    result bigint[];
BEGIN
    EXECUTE pg_temp.snowflake_query(l, plan, r) INTO result;
    RETURN result;
END $$;
CREATE FUNCTION pg_temp.snowflake_scan(l snowflake_layout, plan text, r tstzrange) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || pg_temp.snowflake_query(l, plan, r) INTO result;
    RETURN (SELECT string_agg(DISTINCT m[1], ', ') FROM regexp_matches(result::text, '"Node Type": "([^"]*Scan)"', 'g') AS m)
        || CASE WHEN result::text ~ 'Filter' THEN ', filter' ELSE '' END
        || CASE WHEN result::text ~ 'snowflake_(lower|upper)' THEN ', expression' ELSE '' END;
END $$;
SET plan_cache_mode = force_generic_plan;
PREPARE "range generic, index" (tstzrange, snowflake_layout) AS SELECT ARRAY(SELECT DISTINCT id FROM range_snowflake WHERE snowflake_within(id, $1, $2) ORDER BY id);
PREPARE "range generic, seqscan" (tstzrange, snowflake_layout) AS SELECT ARRAY(SELECT DISTINCT id FROM range_snowflake WHERE snowflake_within(id, $1, $2) ORDER BY id);
SELECT plan, count(*) AS compared, sum(cardinality(rows)) > 1000 AS some_full,
       count(*) FILTER (WHERE rows IS DISTINCT FROM
                        ARRAY(SELECT DISTINCT id FROM range_snowflake, LATERAL (SELECT CASE WHEN id BETWEEN 0 AND snowflake_ceiling('infinity', s.layout) THEN snowflake_timestamp(id, s.layout) END) AS t (time)
                              WHERE time <@ r ORDER BY id)) AS mismatches
FROM unnest('{"constant, index","constant, seqscan","generic, index","generic, seqscan","volatile, seqscan"}'::text[]) AS plan,
     (SELECT layout, r FROM (SELECT layout, r, row_number() OVER (PARTITION BY layout::text ORDER BY md5(r::text)) FROM range_pair WHERE r IS NOT NULL AND layout IS NOT NULL) AS s WHERE row_number <= 8) AS s,
     LATERAL (SELECT pg_temp.snowflake_rows(layout, plan, r)) AS q (rows)
GROUP BY plan ORDER BY plan;
SELECT plan, pg_temp.snowflake_scan('twitter', plan, '[2026-01-01,2027-01-01)') AS scan
FROM unnest('{"constant, index","constant, seqscan","generic, index","generic, seqscan","volatile, seqscan"}'::text[]) AS plan ORDER BY plan;
RESET plan_cache_mode;
DEALLOCATE ALL;

-- The same bits in three layouts
SELECT snowflake_within(541815603606036480, '[2014-12-08,2014-12-09)', 'twitter') AS twitter,
       snowflake_within(541815603606036480, '[2014-12-08,2014-12-09)', 'instagram') AS instagram,
       snowflake_within(id => 541815603606036480, "range" => '[2014-12-08,2014-12-09)', layout => 'discord') AS discord;

DROP TABLE range_layout, range_snowflake, range_pair;
