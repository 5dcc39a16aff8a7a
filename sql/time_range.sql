--
-- Predicates on the time in an id: the same result in every plan
--

SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT setseed(0.4);

-- A volatile function prevents the rewriting.  It is generic, for instants and
-- ranges.
CREATE FUNCTION pg_temp.as_it_is(anyelement) RETURNS anyelement
LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN $1; END $$;

--
-- Instants
--

-- Corner cases: both ends of the type, the sign bit of the seconds, the first and
-- the last id of a second
CREATE TABLE range_id (n int GENERATED ALWAYS AS IDENTITY, id objectid);
INSERT INTO range_id (id)
SELECT (second || suffix)::objectid
FROM unnest('{00000000,00000001,6955b8ff,6955b900,6955b901,7fffffff,80000000,fffffffe,ffffffff}'::text[]) AS second,
     unnest('{0000000000000000,0000000000000001,7fffffffffffffff,fffffffffffffffe,ffffffffffffffff}'::text[]) AS suffix;
INSERT INTO range_id (id) VALUES (NULL);

-- Around each second of those ids, and far away
CREATE TABLE range_instant (t timestamptz);
INSERT INTO range_instant
SELECT DISTINCT objectid_timestamp(id) + fraction
FROM range_id,
     unnest('{-1 s,-0.999999 s,-0.5 s,-0.000001 s,0,0.000001 s,0.5 s,0.999999 s,1 s}'::interval[]) AS fraction
WHERE id IS NOT NULL;
INSERT INTO range_instant VALUES
    ('-infinity'), ('4713-01-01 00:00:00+00 BC'), ('1901-12-13 20:45:52+00'),
    ('2000-01-01 00:00:00+00'), ('2106-02-07 06:28:16.000001+00'), ('2242-03-16 12:56:32+00'),
    ('294276-12-31 23:59:59.999999+00'), ('infinity'), (NULL);

-- Pairs: all corner cases with each other, and 100,000 random ones, of which one
-- half is unrelated, and the other half is within two seconds
CREATE TABLE range_pair (id objectid, t timestamptz);
INSERT INTO range_pair SELECT id, t FROM range_id, range_instant;
SELECT count(*) AS corners FROM range_pair;
INSERT INTO range_pair
SELECT id, CASE WHEN i % 2 = 0 THEN timestamptz '1930-01-01 00:00:00+00' + random() * interval '80000 days'
                ELSE objectid_timestamp(id) + round((random() * 4 - 2)::numeric, i % 7) * interval '1 s' END
FROM (SELECT i, (lpad(to_hex((random() * 4294967295)::bigint), 8, '0') || left(md5(random()::text), 16))::objectid AS id
      FROM generate_series(1, 100000) AS i) AS s;

-- The expected result: the comparison of the time, by core's operators.  Only the
-- all-ones id counts as later than any time from its own second on, because no id
-- is above it; such a pair is "late".
ALTER TABLE range_pair ADD late boolean GENERATED ALWAYS AS (id = 'ffffffffffffffffffffffff' AND t >= '2106-02-07 06:28:15+00') STORED,
    ADD lt boolean, ADD le boolean, ADD ge boolean, ADD gt boolean;
UPDATE range_pair
SET lt = objectid_timestamp(id) < t AND NOT late, le = objectid_timestamp(id) <= t AND NOT late,
    ge = objectid_timestamp(id) >= t OR late, gt = objectid_timestamp(id) > t OR late;
SELECT count(*) AS pairs, count(lt) AS known, count(*) FILTER (WHERE lt) > 20000 AS many_earlier,
       count(*) FILTER (WHERE ge AND le) > 1000 AS many_equal, count(*) FILTER (WHERE gt) > 20000 AS many_later,
       count(*) FILTER (WHERE late) AS late
FROM range_pair;

-- Mismatches, one column an operator: rewritten ...
CREATE VIEW range_rewritten AS
SELECT lt, le, ge, gt,
       id < t AS a, id <= t AS b, id >= t AS c, id > t AS d, t > id AS e, t >= id AS f, t <= id AS g, t < id AS h
FROM range_pair;
-- ... with a volatile argument, which is not rewritten ...
CREATE FUNCTION range_volatile(timestamptz) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN $1; END $$;
CREATE VIEW range_left_alone AS
SELECT lt, le, ge, gt,
       id < range_volatile(t) AS a, id <= range_volatile(t) AS b, id >= range_volatile(t) AS c, id > range_volatile(t) AS d,
       range_volatile(t) > id AS e, range_volatile(t) >= id AS f, range_volatile(t) <= id AS g, range_volatile(t) < id AS h
FROM range_pair;
-- ... and with an array, for which the planner does not call the support function.
CREATE VIEW range_any AS
SELECT lt, le, ge, gt,
       id < ANY (ARRAY[t]) AS a, id <= ALL (ARRAY[t, t]) AS b, id >= ANY (ARRAY[t]) AS c, id > ALL (ARRAY[t]) AS d,
       t > ANY (ARRAY[id]) AS e, t >= ALL (ARRAY[id]) AS f, t <= ANY (ARRAY[id, id]) AS g, t < ALL (ARRAY[id]) AS h
FROM range_pair;

CREATE FUNCTION pg_temp.calls(query text, function text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    line text;
    result bigint := 0;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
        result := result + (length(line) - length(replace(line, function || '(', ''))) / (length(function) + 1);
    END LOOP;
    RETURN result;
END $$;
SELECT view, pg_temp.calls('SELECT * FROM ' || view, 'objectid_floor') AS floor,
       pg_temp.calls('SELECT * FROM ' || view, 'objectid_after') AS after
FROM unnest('{range_rewritten,range_left_alone,range_any}'::text[]) AS view;

CREATE FUNCTION pg_temp.mismatches(view regclass,
    OUT "id < t" bigint, OUT "id <= t" bigint, OUT "id >= t" bigint, OUT "id > t" bigint,
    OUT "t > id" bigint, OUT "t >= id" bigint, OUT "t <= id" bigint, OUT "t < id" bigint)
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('SELECT count(*) FILTER (WHERE a IS DISTINCT FROM lt), count(*) FILTER (WHERE b IS DISTINCT FROM le),
                           count(*) FILTER (WHERE c IS DISTINCT FROM ge), count(*) FILTER (WHERE d IS DISTINCT FROM gt),
                           count(*) FILTER (WHERE e IS DISTINCT FROM lt), count(*) FILTER (WHERE f IS DISTINCT FROM le),
                           count(*) FILTER (WHERE g IS DISTINCT FROM ge), count(*) FILTER (WHERE h IS DISTINCT FROM gt) FROM %s', view)
    INTO "id < t", "id <= t", "id >= t", "id > t", "t > id", "t >= id", "t <= id", "t < id";
END $$;
SELECT view, m.* FROM unnest('{range_rewritten,range_left_alone,range_any}'::regclass[]) AS view, pg_temp.mismatches(view) AS m;
DROP VIEW range_rewritten, range_left_alone, range_any;
DROP FUNCTION range_volatile;

-- Negated, in CASE, with OR, and with NULL
SELECT count(*) AS pairs,
       count(*) FILTER (WHERE (NOT (id < t)) IS DISTINCT FROM (NOT lt) OR (NOT (id <= t)) IS DISTINCT FROM (NOT le)
                           OR (NOT (t <= id)) IS DISTINCT FROM (NOT ge) OR (NOT (t < id)) IS DISTINCT FROM (NOT gt)) AS "not",
       count(*) FILTER (WHERE CASE WHEN id >= t THEN 1 WHEN NOT id >= t THEN 2 ELSE 3 END
                           <> CASE WHEN ge THEN 1 WHEN NOT ge THEN 2 ELSE 3 END) AS "case",
       count(*) FILTER (WHERE (id < t OR t <= id) IS DISTINCT FROM (lt OR ge)
                           OR (id < t OR id > t OR NULL) IS DISTINCT FROM (lt OR gt OR NULL)) AS "or",
       count(*) FILTER (WHERE ((id > t) IS NULL) <> (gt IS NULL) OR ((id > t) IS NOT TRUE) <> (gt IS NOT TRUE)
                           OR ((t > id) IS NOT FALSE) <> (lt IS NOT FALSE) OR (id <= t IS UNKNOWN) <> (le IS UNKNOWN)) AS "is",
       count(*) FILTER (WHERE (id BETWEEN t AND '2050-01-01 00:00:00+00'::timestamptz) IS DISTINCT FROM (ge AND objectid_timestamp(id) <= '2050-01-01 00:00:00+00')
                           OR (id NOT BETWEEN SYMMETRIC t AND t) IS DISTINCT FROM (lt OR gt)
                           OR coalesce(id >= t, false) <> coalesce(ge, false)) AS "between, coalesce"
FROM range_pair;

-- The same as conditions of a scan: the number of rows is the same in any plan
SELECT (SELECT count(*) FROM range_pair WHERE NOT (id >= t)) = (SELECT count(*) FROM range_pair WHERE NOT ge) AS "not",
       (SELECT count(*) FROM range_pair WHERE NOT (id >= pg_temp.as_it_is(t))) = (SELECT count(*) FROM range_pair WHERE NOT ge) AS "volatile",
       (SELECT count(*) FROM range_pair WHERE (id >= t) IS NULL) = (SELECT count(*) FROM range_pair WHERE ge IS NULL) AS "null",
       (SELECT count(*) FROM range_pair WHERE (id >= t) IS NOT TRUE) = (SELECT count(*) FROM range_pair WHERE ge IS NOT TRUE) AS "not true",
       (SELECT count(*) FROM range_pair WHERE CASE WHEN id < t THEN t <= id ELSE id >= t END) = (SELECT count(*) FROM range_pair WHERE ge) AS "case";

--
-- Each plan with each instant
--

-- More ids, so that an index is used
INSERT INTO range_id (id)
SELECT (lpad(to_hex((random() * 4294967295)::bigint), 8, '0') || left(md5(random()::text), 16))::objectid
FROM generate_series(1, 500);
CREATE INDEX range_id_index ON range_id (id);
VACUUM ANALYZE range_id;
INSERT INTO range_instant
SELECT DISTINCT objectid_timestamp(id) + (n % 3 - 1) * interval '0.7 s' FROM range_id WHERE n > 100 AND n % 10 = 0
EXCEPT SELECT t FROM range_instant;
SELECT count(*) AS ids, (SELECT count(*) FROM range_instant) AS instants FROM range_id;

-- The rows for a condition with $1 in it: as a constant, as the parameter of a
-- generic plan, and as an argument that must not be rewritten
CREATE FUNCTION pg_temp.query_with(condition text, plan text, t anyelement) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('enable_seqscan', (plan LIKE '%seqscan')::text, true),
            set_config('enable_indexscan', (plan LIKE '%index')::text, true),
            set_config('enable_indexonlyscan', (plan LIKE '%index')::text, true),
            set_config('enable_bitmapscan', (plan LIKE '%bitmap')::text, true);
    IF plan LIKE 'generic%' THEN
        RETURN format('EXECUTE %I(%L)', 'range ' || plan || ': ' || condition, t);
    END IF;
    RETURN 'SELECT ARRAY(SELECT n FROM range_id WHERE '
        || replace(condition, '$1', format(CASE plan WHEN 'volatile, seqscan' THEN 'pg_temp.as_it_is(%L::%s)' ELSE '%L::%s' END, t, pg_typeof(t)))
        || ' ORDER BY n)';
END $$;
CREATE FUNCTION pg_temp.rows_with(condition text, plan text, t anyelement) RETURNS int[]
LANGUAGE plpgsql AS $$
DECLARE
    result int[];
BEGIN
    EXECUTE pg_temp.query_with(condition, plan, t) INTO result;
    RETURN result;
END $$;
-- The plan, to check that it is of the intended kind
CREATE FUNCTION pg_temp.scan_with(condition text, plan text, t anyelement) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || pg_temp.query_with(condition, plan, t) INTO result;
    RETURN (SELECT string_agg(DISTINCT m[1], ', ') FROM regexp_matches(result::text, '"Node Type": "([^"]*Scan)"', 'g') AS m)
        || CASE WHEN result::text ~ 'Filter' THEN ', filter' ELSE '' END
        || CASE WHEN result::text ~ 'objectid_(floor|after|lower|upper)' THEN ', expression' ELSE '' END;
END $$;
CREATE TABLE range_plan (plan text);
INSERT INTO range_plan VALUES
    ('constant, index'), ('constant, bitmap'), ('constant, seqscan'), ('generic, index'), ('generic, bitmap'), ('generic, seqscan'), ('volatile, seqscan');

CREATE TABLE range_condition (condition text, reference text);
INSERT INTO range_condition VALUES
    ('id < $1', 'lt'), ('id <= $1', 'le'), ('id >= $1', 'ge'), ('id > $1', 'gt'),
    ('$1 > id', 'lt'), ('$1 >= id', 'le'), ('$1 <= id', 'ge'), ('$1 < id', 'gt');
SET plan_cache_mode = force_generic_plan;
DO $$
DECLARE
    command text;
BEGIN
    FOR command IN SELECT format('PREPARE %I(timestamptz) AS SELECT ARRAY(SELECT n FROM range_id WHERE %s ORDER BY n)', 'range ' || plan || ': ' || condition, condition)
                   FROM range_plan, range_condition WHERE plan LIKE 'generic%' LOOP
        EXECUTE command;
    END LOOP;
END $$;

CREATE TABLE range_right (t timestamptz, lt int[], le int[], ge int[], gt int[]);
INSERT INTO range_right
SELECT t, coalesce(array_agg(n ORDER BY n) FILTER (WHERE created < t AND NOT late), '{}'), coalesce(array_agg(n ORDER BY n) FILTER (WHERE created <= t AND NOT late), '{}'),
       coalesce(array_agg(n ORDER BY n) FILTER (WHERE created >= t OR late), '{}'), coalesce(array_agg(n ORDER BY n) FILTER (WHERE created > t OR late), '{}')
FROM range_instant, range_id, LATERAL (SELECT objectid_timestamp(id), id = 'ffffffffffffffffffffffff' AND t >= '2106-02-07 06:28:15+00') AS s (created, late)
GROUP BY t;
SELECT plan, count(*) AS compared, count(*) FILTER (WHERE rows = '{}') > 0 AS some_empty, count(*) FILTER (WHERE cardinality(rows) > 100) > 0 AS some_full,
       count(*) FILTER (WHERE rows IS DISTINCT FROM CASE reference WHEN 'lt' THEN lt WHEN 'le' THEN le WHEN 'ge' THEN ge ELSE gt END) AS mismatches
FROM range_plan, range_condition, range_right, LATERAL (SELECT pg_temp.rows_with(condition, plan, t)) AS s (rows)
GROUP BY plan ORDER BY plan;
-- The plans are of the intended kinds.
SELECT plan, string_agg(DISTINCT pg_temp.scan_with(condition, plan, timestamptz '2026-01-01 00:00:00+00'), '; ') AS scans
FROM range_plan, range_condition GROUP BY plan ORDER BY plan;
RESET plan_cache_mode;
DEALLOCATE ALL;

--
-- Joins: the condition of an outer join decides which rows are null-extended
--
CREATE TABLE range_time AS SELECT row_number() OVER (ORDER BY t) AS k, t FROM (SELECT DISTINCT t FROM range_instant) AS s WHERE t IS NULL OR extract(second FROM t) IN (0, 16);
INSERT INTO range_time VALUES (1000, NULL), (1001, 'infinity');
CREATE FUNCTION pg_temp.join_mismatches(kind text, condition text, reference text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    result bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM (SELECT i.n, i.id, j.k, j.t FROM range_id AS i %1$s JOIN range_time AS j ON %2$s
                                          EXCEPT ALL SELECT i.n, i.id, j.k, j.t FROM range_id AS i %1$s JOIN range_time AS j ON %3$s) AS s', kind, condition, reference) INTO result;
    RETURN result;
END $$;
-- without the all-ones id, because these compare with the time
DELETE FROM range_id WHERE id = 'ffffffffffffffffffffffff';
SELECT kind, condition,
       pg_temp.join_mismatches(kind, condition, reference) + pg_temp.join_mismatches(kind, reference, condition) AS mismatches
FROM unnest('{INNER,LEFT,RIGHT,FULL}'::text[]) AS kind,
     (VALUES ('i.id >= j.t', 'objectid_timestamp(i.id) >= j.t'), ('j.t > i.id AND i.n % 7 = j.k % 7', 'j.t > objectid_timestamp(i.id) AND i.n % 7 = j.k % 7'),
             ('i.n % 7 = j.k % 7 AND NOT i.id <= j.t', 'i.n % 7 = j.k % 7 AND NOT objectid_timestamp(i.id) <= j.t'),
             ('i.n % 7 = j.k % 7 AND (i.id < j.t) IS NOT TRUE', 'i.n % 7 = j.k % 7 AND (objectid_timestamp(i.id) < j.t) IS NOT TRUE')) AS v (condition, reference)
-- core supports full joins only with equality
WHERE kind <> 'FULL' OR condition LIKE '%=%7%'
ORDER BY condition, kind;
SELECT (SELECT count(*) FROM range_id WHERE NOT EXISTS (SELECT FROM range_time WHERE id < t AND t < 'infinity'))
     = (SELECT count(*) FROM range_id WHERE NOT EXISTS (SELECT FROM range_time WHERE objectid_timestamp(id) < t AND t < 'infinity')) AS anti,
       (SELECT count(*) FROM range_id WHERE EXISTS (SELECT FROM range_time WHERE id <= t AND t < '1970-01-02'))
     = (SELECT count(*) FROM range_id WHERE EXISTS (SELECT FROM range_time WHERE objectid_timestamp(id) <= t AND t < '1970-01-02')) AS semi;
-- null-extended by the join, and then tested
SELECT count(*) AS null_ids, count(id >= now()) AS known FROM range_time LEFT JOIN range_id ON false;
SELECT count(*) = (SELECT count(*) FROM range_time) AS not_known FROM range_time LEFT JOIN range_id ON false WHERE (id >= t) IS NULL AND (NOT id >= t) IS NULL;

--
-- Ranges
--

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
SELECT id, r FROM (SELECT id FROM range_id WHERE n <= 46 UNION ALL VALUES (objectid 'ffffffffffffffffffffffff')) AS s, range_range;
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

-- Each plan with each range.  The parameter of the generic plan is the range.
DELETE FROM range_condition;
INSERT INTO range_condition VALUES ('id <@ $1', 'within'), ('$1 @> id', 'within'), ('NOT id <@ $1', 'not within'), ('($1 @> id) IS NULL', 'unknown');
SET plan_cache_mode = force_generic_plan;
DO $$
DECLARE
    command text;
BEGIN
    FOR command IN SELECT format('PREPARE %I(tstzrange) AS SELECT ARRAY(SELECT n FROM range_id WHERE %s ORDER BY n)', 'range ' || plan || ': ' || condition, condition)
                   FROM range_plan, range_condition WHERE plan LIKE 'generic%' LOOP
        EXECUTE command;
    END LOOP;
END $$;
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

-- A domain over tstzrange works like it, and so does another range type over
-- timestamptz.  Core handles a range of ids.  Any other range type is an error,
-- and so is an untyped literal.
CREATE DOMAIN range_domain AS tstzrange CHECK (NOT isempty(VALUE));
CREATE TYPE range_other AS RANGE (SUBTYPE = timestamptz);
CREATE TYPE range_of_ids AS RANGE (SUBTYPE = objectid);
SELECT count(*) FILTER (WHERE id <@ range_domain(tstzrange('2026-01-01', '2100-01-01')) <> (objectid_timestamp(id) <@ tstzrange('2026-01-01', '2100-01-01'))) AS domain,
       count(*) FILTER (WHERE id <@ range_other('2026-01-01', '2100-01-01') <> (objectid_timestamp(id) <@ tstzrange('2026-01-01', '2100-01-01'))
                           OR range_other('2026-01-01', '2100-01-01', '(]') @> id <> (tstzrange('2026-01-01', '2100-01-01', '(]') @> objectid_timestamp(id))) AS other,
       count(*) FILTER (WHERE id <@ range_of_ids('6955b9000000000000000000', '80000000ffffffffffffffff', '(]') <> (id > '6955b9000000000000000000' AND id <= '80000000ffffffffffffffff')
                           OR range_of_ids(NULL, '80000000ffffffffffffffff') @> id <> (id < '80000000ffffffffffffffff')
                           OR id <@ range_of_ids 'empty') AS of_ids
FROM (SELECT id FROM range_id WHERE id IS NOT NULL) AS s;
SELECT objectid '507f1f77bcf86cd799439011' <@ range_of_ids(NULL, NULL) AS unbounded,
       objectid '507f1f77bcf86cd799439011' <@ range_of_ids('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '[]')::range_of_ids AS point,
       objectid '507f1f77bcf86cd799439011' <@ NULL::range_of_ids AS "null";
DROP TYPE range_other, range_of_ids;
DROP DOMAIN range_domain;
\set VERBOSITY sqlstate
SELECT objectid '507f1f77bcf86cd799439011' <@ tsrange('2012-01-01', '2013-01-01');
SELECT int8range(1, 2) @> objectid '507f1f77bcf86cd799439011';
\set VERBOSITY default
SELECT objectid '507f1f77bcf86cd799439011' <@ tsrange('2012-01-01', '2013-01-01');
SELECT int8range(1, 2) @> objectid '507f1f77bcf86cd799439011';
SELECT n FROM range_id WHERE id <@ daterange('2012-01-01', '2013-01-01');
SELECT objectid '507f1f77bcf86cd799439011' <@ '[2012-01-01,2013-01-01)';
-- the hint is core's, and differs between versions
\set VERBOSITY terse
SELECT objectid '507f1f77bcf86cd799439011' <@ tstzmultirange(tstzrange('2012-01-01', '2013-01-01'));
\set VERBOSITY default

DROP TABLE range_id, range_instant, range_pair, range_plan, range_condition, range_right, range_time, range_bound, range_range, range_within;

--
-- Predicates in all places of a query, where possible beside the comparison of
-- the time
--
CREATE TABLE range_id (id objectid PRIMARY KEY, n int);
INSERT INTO range_id SELECT objectid_floor(timestamptz '2026-01-01 00:00:00+00' + i * interval '1 hour'), i FROM generate_series(0, 99) AS i;
CREATE TABLE range_range (r tstzrange, t timestamptz);
INSERT INTO range_range VALUES
    ('[2026-01-01 03:00:00+00,2026-01-01 05:00:00+00)', '2026-01-01 03:00:00+00'), ('[2026-01-02 03:00:00+00,2026-01-02 05:00:00+00)', '2026-01-02 03:00:00+00'),
    ('empty', 'infinity'), (NULL, NULL);

-- Set-returning functions: a rewritten range is evaluated twice, in step.
SELECT unnest(ids) <@ tstzrange('2026-01-01 00:00:00+00', '2027-01-01 00:00:00+00') AS ids, objectid_timestamp(unnest(ids)) <@ tstzrange('2026-01-01 00:00:00+00', '2027-01-01 00:00:00+00') AS times
FROM (VALUES ('{6955b9000000000000000000,000000000000000000000000,NULL,6955b9010000000000000000}'::objectid[])) AS v (ids);
SELECT n, id <@ unnest(ARRAY[tstzrange('2026-01-01 00:00:00+00', '2026-01-01 00:30:00+00'), 'empty', NULL, '(,)']) AS "in" FROM range_id WHERE n < 2;
SELECT snowflake_within(generate_series(-1, 2::bigint), '(,)', 'twitter'), uuidv7_within(unnest('{019b76da-a800-7000-8000-000000000000,019b76da-a800-0000-8000-000000000000}'::uuid[]), '(,)');

-- Subqueries: one value, ANY, ALL, correlated
SELECT count(*) FILTER (WHERE id <@ ANY (SELECT r FROM range_range)) AS "any", count(*) FILTER (WHERE NOT id <@ ALL (SELECT r FROM range_range WHERE r IS NOT NULL)) AS "not all",
       count(*) FILTER (WHERE (id <@ ANY (SELECT r FROM range_range)) IS NULL) AS "null", count(*) FILTER (WHERE id >= ALL (SELECT t FROM range_range WHERE isfinite(t))) AS "all", count(*) FILTER (WHERE id >= ANY (SELECT t FROM range_range)) AS "any time" FROM range_id
UNION ALL
SELECT count(*) FILTER (WHERE objectid_timestamp(id) <@ ANY (SELECT r FROM range_range)), count(*) FILTER (WHERE NOT objectid_timestamp(id) <@ ALL (SELECT r FROM range_range WHERE r IS NOT NULL)),
       count(*) FILTER (WHERE (objectid_timestamp(id) <@ ANY (SELECT r FROM range_range)) IS NULL), count(*) FILTER (WHERE objectid_timestamp(id) >= ALL (SELECT t FROM range_range WHERE isfinite(t))), count(*) FILTER (WHERE objectid_timestamp(id) >= ANY (SELECT t FROM range_range)) FROM range_id;
SELECT count(*) FROM range_id WHERE id <@ ANY (SELECT r FROM range_range);
SELECT count(*) FROM range_id AS a WHERE (SELECT id FROM range_id AS b WHERE b.n = a.n + 1) <@ (SELECT r FROM range_range WHERE t < '2026-01-02 00:00:00+00' AND a.n % 2 = 0);

-- Aggregates and windows
SELECT n / 10 AS ten, max(id) <@ tstzrange('2026-01-01 00:00:00+00', '2026-01-02 12:00:00+00') AS "in" FROM range_id GROUP BY ten
HAVING max(id) <@ tstzrange('2026-01-01 00:00:00+00', '2026-01-02 12:00:00+00') AND min(id) >= timestamptz '2026-01-01 05:00:00+00' ORDER BY ten;
SELECT max(id) OVER (ORDER BY n ROWS 1 PRECEDING) <@ tstzrange('2026-01-01 00:00:00+00', '2026-01-01 01:00:00+00') AS "in", count(*) OVER (PARTITION BY id <@ tstzrange('2026-01-01 00:00:00+00', '2026-01-01 01:00:00+00')) FROM range_id ORDER BY n LIMIT 3;
SELECT id >= timestamptz '2026-01-02 00:00:00+00' AS later, id <@ tstzrange('2026-01-01 00:00:00+00', '2026-01-01 05:00:00+00') AS "in", count(*) FROM range_id GROUP BY ROLLUP (1, 2) ORDER BY 1, 2;

-- Generated columns, the condition of ON CONFLICT, MERGE
CREATE TABLE range_generated (id objectid, later boolean GENERATED ALWAYS AS (id >= timestamptz '2026-01-01 00:00:00+00') STORED,
                              "in" boolean GENERATED ALWAYS AS ('[2026-01-01 00:00:00+00,2027-01-01 00:00:00+00)'::tstzrange @> id) STORED);
INSERT INTO range_generated VALUES ('6955b9000000000000000000'), ('000000000000000000000000'), ('ffffffffffffffffffffffff'), (NULL);
SELECT * FROM range_generated ORDER BY id;
CREATE UNIQUE INDEX ON range_generated (id) WHERE id >= timestamptz '2026-01-01 00:00:00+00';
INSERT INTO range_generated VALUES ('6955b9000000000000000000') ON CONFLICT (id) WHERE id >= timestamptz '2026-01-01 00:00:00+00' DO NOTHING;
SELECT count(*) FROM range_generated;
BEGIN;
MERGE INTO range_id USING range_range ON id <@ r WHEN MATCHED AND id > t THEN UPDATE SET n = -1 WHEN NOT MATCHED THEN INSERT VALUES (objectid_floor(coalesce(t, '-infinity')), -2);
SELECT id, n FROM range_id WHERE n < 0 ORDER BY id;
ROLLBACK;

-- PL/pgSQL, and functions that are inlined
CREATE FUNCTION pg_temp.place(id objectid, t timestamptz, r tstzrange) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    IF id >= t THEN RETURN 'not before'; ELSIF id <@ r THEN RETURN 'in'; ELSIF NOT id <@ r THEN RETURN 'not in'; END IF;
    RETURN 'unknown';
END $$;
SELECT id, r, t, pg_temp.place(id, t, r) FROM (VALUES (objectid '6955e3300000000000000000'), ('6955b9000000000000000000'), (NULL)) AS v (id), range_range ORDER BY id, r, t;
CREATE FUNCTION range_inlined(objectid, anyrange) RETURNS boolean LANGUAGE sql AS 'SELECT $1 <@ $2';
SELECT pg_temp.calls('SELECT FROM range_id WHERE range_inlined(id, tstzrange(now(), NULL))', 'objectid_lower') > 0 AS rewritten;
SELECT count(*) FROM range_id WHERE range_inlined(id, tstzrange('2026-01-01 00:00:00+00', '2026-01-01 05:00:00+00'));
SELECT count(*) FROM range_id WHERE range_inlined(id, int4range(1, 2));
DROP FUNCTION range_inlined;
DROP TABLE range_id, range_range, range_generated;

--
-- 64-bit ids
--

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

-- The layout is Twitter's unless another is named.
SELECT snowflake_within(541815603606036480, '[2014-12-08,2014-12-09)', 'twitter') AS twitter,
       snowflake_within(541815603606036480, '[2014-12-08,2014-12-09)', 'instagram') AS instagram,
       snowflake_within(id => 541815603606036480, "range" => '[2014-12-08,2014-12-09)', layout => 'discord') AS discord;

DROP TABLE range_layout, range_snowflake, range_pair;

--
-- Operators that do not exist
--
\set VERBOSITY terse
SELECT objectid '507f1f77bcf86cd799439011' = timestamptz '2012-10-17 21:13:27+00';
SELECT timestamptz '2012-10-17 21:13:27+00' = objectid '507f1f77bcf86cd799439011';
SELECT objectid '507f1f77bcf86cd799439011' <> now();
SELECT objectid '507f1f77bcf86cd799439011' IN (now());
\set VERBOSITY default
SELECT (objectid '507f1f77bcf86cd799439011', 1) >= (now(), 1);
-- a literal without a type is read as an objectid
SELECT objectid '507f1f77bcf86cd799439011' >= '2026-01-01';
SELECT '2026-01-01 00:00:00+00' > objectid '507f1f77bcf86cd799439011';
-- the operators are not members of an operator family, nor marked HASHES or MERGES
SELECT count(*) FILTER (WHERE amopopr IS NOT NULL) AS in_families, bool_or(oprcanhash OR oprcanmerge) AS hash_or_merge, count(*) AS operators
FROM pg_operator LEFT JOIN pg_amop ON amopopr = pg_operator.oid
WHERE (oprleft, oprright) IN (('objectid'::regtype, 'timestamptz'::regtype), ('timestamptz'::regtype, 'objectid'::regtype));
