--
-- Predicates on the time in an id: plans of views, with row-level security, and with
-- the extension in another schema
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_plans;
DROP ROLE IF EXISTS regress_plan_reader;
RESET client_min_messages;

\getenv abs_srcdir PG_ABS_SRCDIR
\set plan_event :abs_srcdir '/sql/include/plan_event.sql'
\set ECHO none
\i :plan_event
\set ECHO all

-- A view
CREATE VIEW plan_recent AS SELECT id, n FROM plan_event WHERE id >= timestamptz '2026-12-01 00:00:00+00';
-- its definition is not rewritten
SELECT pg_get_viewdef('plan_recent') LIKE '%id >= ''2026-12-01 00:00:00+00''::timestamp with time zone%' AS viewdef;
EXPLAIN (COSTS OFF) SELECT * FROM plan_recent WHERE id < timestamptz '2026-12-02 00:00:00+00';
DROP VIEW plan_recent;

-- A security-barrier view with a leaking function above it: the condition on the
-- id is an index condition inside the view, and the function runs after the
-- view's condition.  (The function reports rows that it must not see.)
CREATE FUNCTION plan_leak(int) RETURNS boolean
LANGUAGE plpgsql COST 0.0000001 AS $$ BEGIN IF $1 % 2 = 1 THEN RAISE NOTICE 'leaked %', $1; END IF; RETURN true; END $$;
CREATE VIEW plan_even WITH (security_barrier) AS SELECT id, n FROM plan_event WHERE n % 2 = 0;
EXPLAIN (COSTS OFF) SELECT * FROM plan_even WHERE plan_leak(n) AND id >= timestamptz '2026-12-31 20:00:00+00';
SELECT n FROM plan_even WHERE plan_leak(n) AND id >= timestamptz '2026-12-31 20:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM plan_even WHERE plan_leak(n) AND id <@ tstzrange(now() - interval '1 day', now());
DROP VIEW plan_even;

-- Row-level security: for a role that is not the owner, both the policy and the
-- query become index conditions.
CREATE ROLE regress_plan_reader;
GRANT SELECT ON plan_event TO regress_plan_reader;
GRANT EXECUTE ON FUNCTION plan_leak(int) TO regress_plan_reader;
CREATE POLICY plan_policy ON plan_event TO regress_plan_reader USING (id >= timestamptz '2026-12-31 22:00:00+00');
ALTER TABLE plan_event ENABLE ROW LEVEL SECURITY;
SET ROLE regress_plan_reader;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id < now() AND plan_leak(n);
SELECT n FROM plan_event;
SELECT count(*) FROM plan_event WHERE id < timestamptz '2026-12-31 23:00:00+00';
RESET ROLE;
ALTER TABLE plan_event DISABLE ROW LEVEL SECURITY;
DROP POLICY plan_policy ON plan_event;
CREATE POLICY plan_policy ON plan_event TO regress_plan_reader USING (n % 2 = 0);
ALTER TABLE plan_event ENABLE ROW LEVEL SECURITY;
SET ROLE regress_plan_reader;
EXPLAIN (COSTS OFF) SELECT * FROM plan_event WHERE id >= timestamptz '2026-12-31 22:00:00+00' AND plan_leak(n);
SELECT n FROM plan_event WHERE id >= timestamptz '2026-12-31 20:00:00+00' AND plan_leak(n);
RESET ROLE;
ALTER TABLE plan_event DISABLE ROW LEVEL SECURITY;
DROP POLICY plan_policy ON plan_event;
REVOKE ALL ON plan_event FROM regress_plan_reader;
DROP FUNCTION plan_leak(int);

DROP TABLE plan_event;

--
-- The extension in a separate schema, in a separate database
--
\set original :DBNAME
CREATE DATABASE regress_objectid_plans;
\c regress_objectid_plans
SET timezone = 'UTC';
CREATE SCHEMA ids;
CREATE EXTENSION objectid_ext SCHEMA ids;
CREATE SCHEMA app;
CREATE TABLE app.event (id ids.objectid PRIMARY KEY);
INSERT INTO app.event SELECT ids.objectid_floor(timestamptz '2026-01-01 00:00:00+00' + i * interval '1 hour') FROM generate_series(0, 8759) AS i;
VACUUM ANALYZE app.event;
SET enable_bitmapscan = off;
SET enable_seqscan = off;
-- functions with the same names, earlier in the search_path
CREATE FUNCTION public.objectid_floor(timestamptz) RETURNS ids.objectid LANGUAGE sql IMMUTABLE AS $$ SELECT ids.objectid_floor('infinity') $$;
CREATE FUNCTION public.objectid_lower(tstzrange) RETURNS ids.objectid LANGUAGE sql IMMUTABLE AS $$ SELECT ids.objectid_floor('infinity') $$;
EXPLAIN (COSTS OFF) SELECT * FROM app.event WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
EXPLAIN (COSTS OFF) SELECT * FROM app.event WHERE id OPERATOR(ids.<@) tstzrange(now() - interval '1 day', now());
SELECT count(*) FROM app.event WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
-- not found without its schema
\set VERBOSITY terse
SELECT count(*) FROM app.event WHERE id >= timestamptz '2026-12-31 00:00:00+00';
\set VERBOSITY default
SET search_path = '';
EXPLAIN (COSTS OFF) SELECT * FROM app.event WHERE id OPERATOR(ids.>=) pg_catalog.now();
RESET search_path;

-- A view of another user, for a role without USAGE on the schema: it is planned
-- and executed with the extension's functions
CREATE VIEW app.recent AS SELECT id FROM app.event WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
CREATE VIEW app.last_day AS SELECT id FROM app.event WHERE id OPERATOR(ids.<@) tstzrange(now() - interval '1 day', now());
GRANT USAGE ON SCHEMA app TO regress_plan_reader;
GRANT SELECT ON app.recent, app.last_day TO regress_plan_reader;
SET ROLE regress_plan_reader;
SELECT has_schema_privilege('ids', 'USAGE') AS usage;
EXPLAIN (COSTS OFF) SELECT * FROM app.recent;
SELECT count(*) FROM app.recent;
EXPLAIN (COSTS OFF) SELECT * FROM app.last_day;
SELECT count(*) >= 0 AS works FROM app.last_day;
-- the role itself has no access
SELECT count(*) FROM app.recent WHERE id OPERATOR(ids.>=) timestamptz '2026-12-31 00:00:00+00';
RESET ROLE;

-- The extension is moved, and plans follow.
CREATE SCHEMA moved;
ALTER EXTENSION objectid_ext SET SCHEMA moved;
EXPLAIN (COSTS OFF) SELECT * FROM app.last_day;
SELECT count(*) FROM app.recent;

\c :original
DROP DATABASE regress_objectid_plans;
DROP ROLE regress_plan_reader;
