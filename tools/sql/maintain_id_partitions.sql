--
-- maintain_id_partitions(): what it creates, drops and reports
--
\a \t on

CREATE SCHEMA kept;
SET search_path = kept, public, objectid_ext_tools;
SET timezone = 'UTC';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_kept_owner, regress_kept_other;
RESET client_min_messages;
CREATE ROLE regress_kept_owner;
CREATE ROLE regress_kept_other;
-- Months and days from this one, because the clock is that of the server; and not over its end
DO $$ BEGIN PERFORM pg_sleep_until(date_trunc('month', now() + interval '2 min')); END $$;
CREATE FUNCTION month(n int) RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT date_trunc('month', now()) + n * interval '1 month' $$;
CREATE FUNCTION label(t timestamptz) RETURNS text LANGUAGE sql STABLE AS
    $$ SELECT coalesce((SELECT 'month ' || n FROM generate_series(-20, 20) AS n WHERE month(n) = t), CASE WHEN isfinite(t) THEN 'another time' ELSE t::text END) $$;
CREATE FUNCTION maintained(parent regclass, keep interval DEFAULT NULL, every interval DEFAULT '1 month', OUT done text, OUT lower text, OUT upper text, OUT problem text) RETURNS SETOF record LANGUAGE sql AS
    $$ SELECT m.done, label(m.lower), label(m.upper), regexp_replace(m.problem, '\d{4}-\d\d-\d\d [\d:]+\+00', '...', 'g')
       FROM maintain_id_partitions(parent, every, month(1) - now(), keep) AS m $$;
CREATE FUNCTION listed(parent regclass, OUT partition text, OUT lower text, OUT upper text) RETURNS SETOF record LANGUAGE sql AS
    $$ SELECT regexp_replace(p.partition::text, '\d{8}', '...'), label(p.lower), label(p.upper) FROM id_partitions(parent) AS p $$;

--
-- An empty table: from the beginning of the present interval
--
CREATE TABLE by_hour (id uuid) PARTITION BY RANGE (id);
CREATE TABLE by_day (id uuid) PARTITION BY RANGE (id);
CREATE TABLE by_week (id uuid) PARTITION BY RANGE (id);
CREATE TABLE by_year (id uuid) PARTITION BY RANGE (id);
SELECT unit, min(lower) IN (date_trunc(unit, now()), date_trunc(unit, clock_timestamp())) AS as_expected, bool_and(lower + ('1 ' || unit)::interval = upper) AS full, max(upper) > now() + interval '3 days' AS enough, count(problem) AS problems
FROM unnest('{hour,day,week,year}'::text[]) AS unit, LATERAL maintain_id_partitions(('by_' || unit)::regclass, ('1 ' || unit)::interval, '3 days') GROUP BY unit ORDER BY unit;
-- one call fails before it would use up the memory for locks
CREATE TABLE by_minute (id uuid) PARTITION BY RANGE (id);
SELECT * FROM maintain_id_partitions('by_minute', '1 minute', '1 week');
CREATE TABLE event (id objectid PRIMARY KEY DEFAULT gen_objectid()) PARTITION BY RANGE (id);
SELECT * FROM maintained('event');
SELECT * FROM maintained('event');
INSERT INTO event DEFAULT VALUES;

-- It continues the intervals that there are, and fills gaps since the last of the past.
DO $$ BEGIN EXECUTE format('DROP TABLE %s', (SELECT partition FROM id_partitions('event') WHERE lower = month(0))); END $$;
SELECT * FROM maintained('event');
DO $$ DECLARE p regclass; BEGIN FOR p IN SELECT partition FROM id_partitions('event') LOOP EXECUTE format('DROP TABLE %s', p); END LOOP; END $$;
SELECT count(*) FROM create_id_partitions('event', '1 month', month(-6), month(-3));
SELECT count(*) FROM create_id_partitions('event', '1 month', month(1), month(2));
SELECT * FROM maintained('event');
-- older ones are dropped, and no others: a month's partition has ids of its last moment
SELECT * FROM maintained('event', now() - month(-4) - interval '1 ms');
SELECT * FROM maintained('event', now() - month(-3) + interval '1 hour');
SELECT * FROM maintained('event', '0 s');
SELECT * FROM listed('event');
-- not what would be dropped at once
DO $$ DECLARE p regclass; BEGIN FOR p IN SELECT partition FROM id_partitions('event') LOOP EXECUTE format('DROP TABLE %s', p); END LOOP; END $$;
SELECT count(*) FROM create_id_partitions('event', '1 month', month(-9), month(-8));
SELECT * FROM maintained('event', now() - month(-1));
-- not more than the memory for locks holds
CREATE TABLE long_ago (id uuid) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('long_ago', '1 day', '2020-01-01Z', '2020-01-01Z'::timestamptz + interval '105 days');
SELECT done, count(*), min(problem) FROM maintain_id_partitions('long_ago', '1 day', '1 day', '3 days') WHERE done IS DISTINCT FROM 'created' GROUP BY done ORDER BY done;
SELECT done, count(*), min(problem) FROM maintain_id_partitions('long_ago', '1 day', '1 day', '3 days') WHERE done IS DISTINCT FROM 'created' GROUP BY done ORDER BY done;
DROP TABLE long_ago;
-- an interval that fits in between, to where the next begins
CREATE TABLE tens (id uuid) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('tens', '1 day', month(-1), month(-1) + interval '1 day');
SELECT count(*) FROM create_id_partitions('tens', '1 month', month(1), month(2));
SELECT count(*) BETWEEN 3 AND 8 AS several, count(problem) AS problems FROM maintain_id_partitions('tens', '10 days', '0 s');
SELECT count(*) AS gaps FROM (SELECT upper, lead(lower) OVER (ORDER BY lower) AS next, month(1) AS last FROM id_partitions('tens')) AS p WHERE upper <> next AND upper < now();

--
-- Rows in the default partition
--
CREATE TABLE visit (id objectid PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE visit_default PARTITION OF visit DEFAULT;
INSERT INTO visit SELECT objectid_floor(t) FROM unnest(ARRAY[month(-13), month(-12), month(0), month(1), month(9)]) AS t;
SELECT * FROM maintained('visit', now() - month(-11));
SELECT * FROM listed('visit');
-- moved by hand
CREATE TABLE visit_new (LIKE visit INCLUDING ALL);
WITH moved AS (DELETE FROM visit_default WHERE id >= month(0) AND id < month(1) RETURNING *) INSERT INTO visit_new SELECT * FROM moved;
DELETE FROM visit_default WHERE id < now() - interval '1 year';
SELECT objectid_floor(month(0)) AS lower, objectid_floor(month(1)) AS upper \gset
ALTER TABLE visit ATTACH PARTITION visit_new FOR VALUES FROM (:'lower') TO (:'upper');
SELECT * FROM maintained('visit', '1 year');
SELECT count(*) FROM visit;
DROP TABLE visit;

--
-- What cannot be dropped is named, and the rest goes on.
--
CREATE TABLE visit (id objectid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('visit', '1 month', month(-8), month(-2));
DO $$ BEGIN EXECUTE format('CREATE VIEW seen AS SELECT FROM %s', (SELECT partition FROM id_partitions('visit') WHERE lower = month(-8))); END $$;
CREATE TABLE page (visit objectid REFERENCES visit);
INSERT INTO visit SELECT objectid_floor(month(-7)) UNION ALL SELECT objectid_floor(month(-6));
INSERT INTO page SELECT objectid_floor(month(-7));
DO $$ BEGIN EXECUTE format('ALTER TABLE visit DETACH PARTITION %s', (SELECT partition FROM id_partitions('visit') WHERE lower = month(-5))); END $$;
CREATE TABLE visit_divided (LIKE visit INCLUDING ALL) PARTITION BY HASH (id);
SELECT objectid_floor(month(-5)) AS lower, objectid_floor(month(-4)) AS upper, left(objectid_floor(month(-12))::text, 23) || '1' AS odd, objectid_floor(month(-8)) AS first \gset
ALTER TABLE visit ATTACH PARTITION visit_divided FOR VALUES FROM (:'lower') TO (:'upper');
CREATE TABLE visit_first PARTITION OF visit FOR VALUES FROM (MINVALUE) TO (:'odd');
CREATE TABLE visit_second PARTITION OF visit FOR VALUES FROM (:'odd') TO (:'first');
SELECT done, lower, upper, regexp_replace(problem, '\d{8}|[0-9a-f]{24}|fkey_?2', '...', 'g') AS problem FROM maintained('visit', now() - month(-2));
SELECT * FROM listed('visit');

-- Numbers of a serial column are no ids, although the layout begins long ago.
CREATE SEQUENCE order_id;
CREATE TABLE orders (id bigint PRIMARY KEY, item text) PARTITION BY RANGE (id);
CREATE TABLE orders_old PARTITION OF orders FOR VALUES FROM (0) TO (4194304000);
SELECT * FROM id_partitions('orders', 'discord');
SELECT done, regexp_replace(partition, '\d{8}', '...') AS partition, label(lower), problem FROM maintain_id_partitions('orders', '1 month', '0 s', '1 year', 'discord') WHERE done IS NULL OR lower < now();
SELECT done FROM maintain_id_partitions('orders', '1 month', '0 s', layout => 'twitter');
-- A partition that ends between two ids: the next begins there.
DROP TABLE orders;
CREATE TABLE orders (id bigint DEFAULT next_snowflake('order_id', 1, 'twitter')) PARTITION BY RANGE (id);
SELECT snowflake_floor(now() - interval '1 s', 'twitter') + 5 AS upper \gset
CREATE TABLE orders_old PARTITION OF orders FOR VALUES FROM (MINVALUE) TO (:upper);
SELECT done, problem FROM maintain_id_partitions('orders', '1 year', '0 s');
INSERT INTO orders DEFAULT VALUES;
SELECT count(*) FROM orders, pg_class AS c WHERE c.oid = orders.tableoid AND pg_get_expr(relpartbound, 0) LIKE '%FROM (''' || :upper || ''')%';
-- nor is anything dropped by another layout
CREATE TABLE message (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('message', '1 day', '2026-01-01Z', '2026-01-11Z', 'twitter');
SELECT format('COMMENT ON TABLE %s IS NULL', partition) FROM id_partitions('message') \gexec
SELECT count(*) FILTER (WHERE done = 'dropped') AS dropped, count(*) FILTER (WHERE problem ~ 'bounds') AS named FROM maintain_id_partitions('message', '1 year', '0 s', '1 hour', 'instagram');
DO $$ DECLARE p regclass; BEGIN FOR p IN SELECT partition FROM id_partitions('message', 'instagram') WHERE upper > now() LOOP EXECUTE format('DROP TABLE %s', p); END LOOP; END $$;
SELECT count(*) FROM id_partitions('message', 'twitter');

--
-- Whose table, and arguments
--
GRANT USAGE, CREATE ON SCHEMA kept TO regress_kept_owner, regress_kept_other;
CREATE TABLE owned (id uuid) PARTITION BY RANGE (id);
ALTER TABLE owned OWNER TO regress_kept_owner;
SELECT maintain_id_partitions('owned', '1 month', '0 s');
SET ROLE regress_kept_other;
SELECT create_id_partitions('owned', '1 month', '2026-01-01Z', '2026-02-01Z');
SELECT count(*) FROM id_partitions('owned');
SET ROLE regress_kept_owner;
SELECT * FROM maintained('owned');
-- a default partition of another role
RESET ROLE;
CREATE TABLE owned_default PARTITION OF owned DEFAULT;
SET ROLE regress_kept_owner;
SELECT done, problem FROM maintain_id_partitions('owned', '1 month', '1 year') WHERE done IS NULL LIMIT 1;
RESET ROLE;
SELECT maintain_id_partitions('visit', '1 month', '-1 day');
SELECT maintain_id_partitions('visit', '1 month', '1 day', '-1 year');
SELECT maintain_id_partitions('visit', '1 month', NULL);
SELECT maintain_id_partitions('visit', '0 days', '1 day');
SELECT maintain_id_partitions('page', '1 day', '1 day');

SET client_min_messages = warning;
DROP SCHEMA kept CASCADE;
DROP ROLE regress_kept_owner, regress_kept_other;
