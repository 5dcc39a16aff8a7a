--
-- Comparisons of the time in an id with an instant: the same result in every plan
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

--
-- Instants
--

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
FROM unnest('{range_rewritten,range_left_alone}'::text[]) AS view;

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
SELECT view, m.* FROM unnest('{range_rewritten,range_left_alone}'::regclass[]) AS view, pg_temp.mismatches(view) AS m;
DROP VIEW range_rewritten, range_left_alone;

-- A comparison with each of an array is not rewritten, so it is an error, unless all is
-- constant.  A range is compared with each row.
CREATE FUNCTION pg_temp.array_refused(condition text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'EXPLAIN SELECT FROM range_pair WHERE ' || condition;
    RETURN 'accepted';
EXCEPTION WHEN undefined_function THEN
    RETURN SQLERRM;
END $$;
SELECT pg_temp.array_refused(condition) AS result, array_agg(condition ORDER BY condition COLLATE "C") AS conditions
  FROM unnest(ARRAY['id < ANY (ARRAY[t, now()])', 'id <= ALL (ARRAY[now(), t])', 'id >= ANY (ARRAY[now(), ''yesterday''])',
                    'id > ALL (''{2026-01-01 00:00:00+00,infinity}''::timestamptz[])',
                    't > ANY (ARRAY[id, id])', 't >= ALL (ARRAY[id, id])', 't <= ANY (ARRAY[id, id])', 't < ALL (ARRAY[id, id])',
                    'id <@ ANY (ARRAY[tstzrange(t, t)])', 'tstzrange(t, t) @> ANY (ARRAY[id])', 'id >= ANY (SELECT t)']) AS condition
 GROUP BY 1 ORDER BY 1;
SELECT FROM range_pair WHERE id >= ANY (ARRAY[now(), 'yesterday']);
SELECT objectid '507f1f77bcf86cd799439011' >= ANY (ARRAY[timestamptz '2012-01-01 00:00:00+00', '2038-01-01 00:00:00+00']) AS constant;
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

INSERT INTO range_condition VALUES
    ('id < $1', 'lt'), ('id <= $1', 'le'), ('id >= $1', 'ge'), ('id > $1', 'gt'),
    ('$1 > id', 'lt'), ('$1 >= id', 'le'), ('$1 <= id', 'ge'), ('$1 < id', 'gt');
SET plan_cache_mode = force_generic_plan;
CALL pg_temp.prepare_conditions('timestamptz');
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

DROP TABLE range_id, range_instant, range_pair, range_plan, range_condition, range_right, range_time;
