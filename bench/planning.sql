-- The planning of a range of a thousandth of a table, and its estimate, for five
-- distributions of the ids over time.  bench/run sets :rows and :runs.

CREATE TABLE moment (distribution text, created timestamptz);
SELECT setseed(0.5);
INSERT INTO moment
SELECT 'even', timestamptz '2024-01-01 00:00:00+00' + random() * interval '730 days' FROM generate_series(1, :rows);
-- a thousand bursts of ten minutes in two years
INSERT INTO moment
SELECT 'bursts', start + random() * interval '10 minutes'
FROM (SELECT timestamptz '2024-01-01 00:00:00+00' + random() * interval '730 days' AS start FROM generate_series(1, 1000)) AS b,
     generate_series(1, :rows / 1000);
-- nine in ten from 8 to 18 o'clock, Monday to Friday
INSERT INTO moment
SELECT 'nights and weekends',
       CASE WHEN random() < 0.9
            THEN timestamptz '2024-01-01 08:00:00+00' + floor(random() * 104) * interval '7 days' + floor(random() * 5) * interval '1 day'
                 + random() * interval '10 hours'
            ELSE timestamptz '2024-01-01 00:00:00+00' + random() * interval '728 days' END
FROM generate_series(1, :rows);
INSERT INTO moment
SELECT 'one old half',
       CASE WHEN i % 2 = 0 THEN timestamptz '2011-01-01 00:00:00+00' + random() * interval '3650 days'
            ELSE timestamptz '2025-11-01 00:00:00+00' + random() * interval '60 days' END
FROM generate_series(1, :rows) AS i;
INSERT INTO moment
SELECT 'imported in one go', timestamptz '2025-11-01 00:00:00+00' + i * interval '4 us' FROM generate_series(1, :rows) AS i;

-- Eight processes generate the ids, or one that imports.
CREATE TABLE planned AS
SELECT distribution, n,
       (left(objectid_floor(date_trunc('second', created))::text, 8) || left(md5(process::text), 10) || lpad(to_hex(n), 6, '0'))::objectid AS objectid,
       bench_uuidv7_at((extract(epoch FROM created) * 1000000)::bigint) AS uuid,
       make_snowflake(created, 1, (n % 4096)::int, 'twitter') AS bigint
FROM (SELECT *, row_number() OVER (PARTITION BY distribution ORDER BY created) AS n FROM moment) AS m,
     LATERAL (SELECT CASE distribution WHEN 'imported in one go' THEN 0 ELSE n % 8 END) AS p (process);

CREATE TABLE plan (n serial, distribution text, name text, range int, statement text);

-- Make a table of a distribution, and 200 ranges of a thousandth of it for each type.
CREATE PROCEDURE prepare_plans(what text, rows int)
LANGUAGE plpgsql AS $$
DECLARE
    type text;
BEGIN
    EXECUTE format('CREATE TABLE %I AS SELECT objectid, uuid, bigint FROM planned WHERE distribution = %1$L', what);
    EXECUTE format('CREATE INDEX ON %I (objectid); CREATE INDEX ON %1$I (uuid); CREATE INDEX ON %1$I (bigint); ANALYZE %1$I', what);
    FOREACH type IN ARRAY ARRAY['objectid', 'uuid', 'bigint'] LOOP
        EXECUTE format(
            'INSERT INTO plan (distribution, name, range, statement)
             SELECT %L, %2$L, row_number() OVER (ORDER BY lower),
                    format(''EXPLAIN (FORMAT json) SELECT FROM %%I WHERE %%I >= %%L AND %%2$I < %%4$L'', %1$L, %2$L, lower, upper)
             FROM (SELECT row_number() OVER w AS n, %2$I AS lower, lead(%2$I, %3$s) OVER w AS upper
                   FROM %1$I WINDOW w AS (ORDER BY %2$I)) AS s
             WHERE n %% %4$s = 1 AND upper IS NOT NULL', what, type, rows / 1000, rows / 200);
    END LOOP;
END;
$$;
CALL prepare_plans('even', :rows);
CALL prepare_plans('bursts', :rows);
CALL prepare_plans('nights and weekends', :rows);
CALL prepare_plans('one old half', :rows);
CALL prepare_plans('imported in one go', :rows);

CREATE FUNCTION estimated_rows(statement text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE statement INTO plan;
    RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END;
$$;

INSERT INTO figure (subject, metric, name, round, value)
SELECT 'planning, ' || distribution, 'estimates within a factor of two', name, 0,
       count(*) FILTER (WHERE estimated_rows(statement) BETWEEN :rows / 2000 AND :rows / 500)
FROM plan GROUP BY distribution, name ORDER BY min(n);
INSERT INTO figure (subject, metric, name, round, value)
SELECT 'planning, ' || distribution, 'estimates within a factor of two', 'ranges', 0, count(*)
FROM plan WHERE name = 'objectid' GROUP BY distribution;

-- Plan ten of the ranges again and again.
CREATE FUNCTION plan_ranges(what text, type text, times int) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    statements text[] := ARRAY(SELECT replace(statement, ' (FORMAT json)', '') FROM plan WHERE distribution = what AND name = type AND range % 20 = 7);
    statement text;
BEGIN
    FOR i IN 1 .. times LOOP
        FOREACH statement IN ARRAY statements LOOP
            EXECUTE statement;
        END LOOP;
    END LOOP;
END;
$$;
INSERT INTO contestant (subject, name, statement)
SELECT 'planning, ' || distribution, name, format('SELECT plan_ranges(%L, %L, 100)', distribution, name)
FROM plan GROUP BY distribution, name ORDER BY min(n);
CALL measure('planning, even', 0, 2 * :runs);
CALL measure('planning, bursts', 0, 2 * :runs);
CALL measure('planning, nights and weekends', 0, 2 * :runs);
CALL measure('planning, one old half', 0, 2 * :runs);
CALL measure('planning, imported in one go', 0, 2 * :runs);

INSERT INTO figure (subject, metric, name, round, value)
SELECT subject, metric, name, round, value
FROM measurement JOIN contestant USING (subject, name),
     LATERAL (VALUES (1, 'processor time of an EXPLAIN, us', processor), (2, 'elapsed time of an EXPLAIN, us', elapsed)) AS m (i, metric, value)
WHERE subject LIKE 'planning, %' ORDER BY i, n, round;

INSERT INTO target (subject, metric, a, relation, bound, b)
SELECT 'planning, ' || distribution, metric, 'objectid', relation, bound, b
FROM (SELECT distribution, min(n) AS n FROM plan GROUP BY distribution) AS d,
     (VALUES (1, 'processor time of an EXPLAIN, us', '<=', 1.1, 'uuid'), (2, 'estimates within a factor of two', '>=', 0.95, 'ranges')) AS m (i, metric, relation, bound, b)
-- The histogram does not resolve ranges within a second, which are no ranges of time.
WHERE NOT (distribution = 'imported in one go' AND i = 2)
ORDER BY i, d.n;
