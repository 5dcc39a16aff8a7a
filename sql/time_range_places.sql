--
-- Predicates on the time in an id, in all places of a query, where possible beside
-- the comparison of the time; with other types of ranges; and what there is not
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';

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
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT FROM range_id WHERE range_inlined(id, tstzrange(now(), NULL));
RESET enable_seqscan;
RESET enable_bitmapscan;
SELECT count(*) FROM range_id WHERE range_inlined(id, tstzrange('2026-01-01 00:00:00+00', '2026-01-01 05:00:00+00'));
SELECT count(*) FROM range_id WHERE range_inlined(id, int4range(1, 2));
DROP FUNCTION range_inlined;
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

DROP TABLE range_id, range_range, range_generated;

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
