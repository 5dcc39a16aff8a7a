--
-- Queries that postgres_fdw sends to another server, with the example from the
-- documentation
--
\a \t on

-- Skip the test if the foreign data wrapper is not installed.
\getenv abs_srcdir PG_ABS_SRCDIR
\set example :abs_srcdir '/examples/postgres_fdw.sql'
\i :example

CREATE FUNCTION pg_temp.sent(condition text, foreign_table text DEFAULT 'events') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (VERBOSE, COSTS OFF) SELECT note FROM %I WHERE %s', foreign_table, condition) LOOP
        IF line ~ 'Remote SQL' THEN
            RETURN coalesce(substring(line FROM 'WHERE .*'), 'every row');
        END IF;
    END LOOP;
END $$;

-- Constants, by function, operator and range; expressions that can differ
-- between the servers; and these in a subquery
CREATE TEMP TABLE condition (n int GENERATED ALWAYS AS IDENTITY, condition text);
INSERT INTO condition (condition) VALUES
    ('id >= objectid_floor(''2020-01-01 00:00:00+00'')'),
    ('id >= timestamptz ''2020-01-01 00:00:00+00'''),
    ('timestamptz ''2020-01-01 00:00:00+00'' > id'),
    ('id <@ tstzrange(''2020-01-01 00:00:00+00'', ''2021-01-01 00:00:00+00'')'),
    ('NOT id <@ tstzrange(''2020-01-01 00:00:00+00'', ''2021-01-01 00:00:00+00'')'),
    ('id >= objectid_floor(now() - interval ''1 day'')'),
    ('id >= now() - interval ''1 day'''),
    ('id <@ tstzrange(now() - interval ''1 day'', NULL)'),
    ('id >= clock_timestamp() - interval ''1 day'''),
    ('id >= (SELECT objectid_floor(now() - interval ''1 day''))'),
    ('id >= (SELECT now() - interval ''1 day'')'),
    ('id <@ (SELECT tstzrange(now() - interval ''1 day'', NULL))'),
    -- text, also if it is not known to the planner
    ('id = text ''507f1f77bcf86cd799439011'''),
    ('id <> (SELECT text ''507f1f77bcf86cd799439011'')'),
    ('(SELECT varchar ''507f1f77bcf86cd799439011'') = id'),
    -- a cast that depends on TimeZone; and the time of the id
    ('id >= date ''2020-01-01'''),
    ('objectid_timestamp(id) >= timestamptz ''2020-01-01 00:00:00+00'''),
    -- instead of IS DISTINCT FROM and CASE id WHEN
    ('id <> ''507f1f77bcf86cd799439011'''),
    ('CASE WHEN id = ''507f1f77bcf86cd799439011'' THEN 1 ELSE 2 END = 2');
SELECT condition, pg_temp.sent(condition) AS sent FROM condition ORDER BY n;

-- A parameter of a generic plan
SET plan_cache_mode = force_generic_plan;
PREPARE since(timestamptz) AS SELECT count(*) FROM events WHERE id >= $1;
EXECUTE since('2020-01-01 00:00:00+00');
EXECUTE since('infinity');
RESET plan_cache_mode;
DEALLOCATE ALL;

-- The results are the same as on the table itself.
CREATE FUNCTION pg_temp.number(condition text, foreign_table text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    result bigint;
BEGIN
    EXECUTE format('SELECT count(*) FROM %s WHERE %s', foreign_table, condition) INTO result;
    RETURN result;
END $$;
SELECT count(*) AS conditions, count(*) FILTER (WHERE pg_temp.number(condition, 'events') IS DISTINCT FROM pg_temp.number(condition, 'far.events')) AS mismatches FROM condition;

-- What postgres_fdw sends without the schema of the operator, for it cannot be written
SELECT condition, pg_temp.sent(condition) AS sent
FROM (VALUES ('id IS DISTINCT FROM (SELECT objectid ''507f1f77bcf86cd799439011'')'), ('CASE id WHEN ''507f1f77bcf86cd799439011'' THEN 1 ELSE 2 END = 2')) AS c (condition);
\set VERBOSITY terse
SELECT count(*) FROM events WHERE id IS DISTINCT FROM (SELECT objectid '507f1f77bcf86cd799439011');
SELECT count(*) FROM events WHERE CASE id WHEN '507f1f77bcf86cd799439011' THEN 1 ELSE 2 END = 2;
\set VERBOSITY default

-- UPDATE and DELETE are sent, too.
BEGIN;
UPDATE events SET note = 'changed' WHERE id >= timestamptz '2020-01-01 00:00:00+00' AND note = 'event 1';
SELECT count(*) FROM events WHERE note = 'changed';
DELETE FROM events WHERE id >= (SELECT now() - interval '1 day');
SELECT count(*) FROM events WHERE id >= (SELECT now() - interval '1 day');
ROLLBACK;

-- Without the option
ALTER SERVER far OPTIONS (DROP extensions);
SELECT condition, pg_temp.sent(condition) AS sent FROM condition WHERE n IN (1, 2, 10, 11) ORDER BY n;
SELECT count(*) FROM events WHERE id >= (SELECT now() - interval '1 day');

SET client_min_messages = warning;
DROP SCHEMA far CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
