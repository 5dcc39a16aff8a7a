--
-- Partitions that keep themselves: rows leave the default partition, old partitions
-- are dropped, maintain_id_partitions
--

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_upkeep;
DROP ROLE IF EXISTS regress_upkeep_owner, regress_upkeep_other;
RESET client_min_messages;
CREATE ROLE regress_upkeep_owner;
CREATE ROLE regress_upkeep_other;
CREATE DATABASE regress_objectid_upkeep;
\c regress_objectid_upkeep
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET intervalstyle = 'postgres';
CREATE SCHEMA "Ids";
CREATE EXTENSION objectid_ext SCHEMA "Ids";
CREATE EXTENSION objectid_ext_tools;
SET search_path = public, "Ids", objectid_ext_tools;
CREATE SEQUENCE ids;

--
-- Rows that fell into the default partition move out when theirs is made
--
CREATE TABLE log (entry text);
CREATE FUNCTION log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (TG_OP || ' ' || TG_TABLE_NAME); RETURN coalesce(NEW, OLD); END $$;
CREATE TABLE "Default's" ("gone too" int, "The ""id" objectid NOT NULL, gone int, n int GENERATED ALWAYS AS IDENTITY, double int GENERATED ALWAYS AS (length(body) * 2) STORED, body text CONSTRAINT not_empty CHECK (body <> ''))
    PARTITION BY RANGE ("The ""id");
CREATE TABLE rest (body text, more int, double int GENERATED ALWAYS AS (length(body) * 2) STORED, n int NOT NULL, gone int, "gone too" int, "The ""id" objectid NOT NULL, CONSTRAINT not_empty CHECK (body <> ''));
ALTER TABLE rest DROP more;
ALTER TABLE "Default's" ATTACH PARTITION rest DEFAULT;
ALTER TABLE "Default's" DROP gone, DROP "gone too";
CREATE TRIGGER row_trigger AFTER INSERT OR DELETE ON "Default's" FOR EACH ROW EXECUTE FUNCTION log();
CREATE TRIGGER refuse BEFORE DELETE ON rest FOR EACH STATEMENT EXECUTE FUNCTION log();
ALTER TABLE rest ENABLE ALWAYS TRIGGER refuse;
INSERT INTO "Default's" ("The ""id", body) SELECT objectid_floor(timestamptz '2026-01-01Z' + i * interval '12 h'), 'row ' || i FROM generate_series(0, 9) AS i;
CREATE TEMP TABLE before AS TABLE "Default's";
TRUNCATE log;
SELECT create_id_partitions('"Default''s"', '1 day', '2026-01-02Z', '2026-01-04Z');
SELECT tableoid::regclass, count(*) FROM "Default's" GROUP BY 1 ORDER BY 1;
SELECT count(*) AS changed FROM (TABLE before EXCEPT TABLE "Default's") AS c;
-- a move is no change: no trigger fires, and all are as before
SELECT * FROM log;
SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2;
INSERT INTO "Default's" ("The ""id", body) SELECT objectid_floor('2026-01-02Z'), 'new' RETURNING n;
DELETE FROM "Default's" WHERE body IN ('new', 'row 0');
SELECT * FROM log;
-- an error leaves all rows where they were
SELECT create_id_partitions('"Default''s"', '2 days', '2026-01-03Z', '2026-01-05Z');
SELECT tableoid::regclass, count(*) FROM "Default's" GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM pg_class WHERE relname ~ 'moved' AND relkind = 'r';
DROP TABLE "Default's";
-- deferred constraints are checked before a trigger is enabled again, and deferred as before
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE deferred (id bigint DEFAULT next_snowflake('ids', 1, 'twitter'), other int REFERENCES other DEFERRABLE INITIALLY DEFERRED, UNIQUE (id, other) DEFERRABLE) PARTITION BY RANGE (id);
CREATE TABLE deferred_default PARTITION OF deferred DEFAULT;
CREATE TRIGGER t AFTER INSERT ON deferred FOR EACH ROW EXECUTE FUNCTION log();
INSERT INTO other VALUES (1);
INSERT INTO deferred SELECT snowflake_floor('2026-01-10Z', 'twitter') + g, 1 FROM generate_series(1, 3) g;
TRUNCATE log;
BEGIN;
SELECT create_id_partitions('deferred', '1 month', '2026-01-01Z', '2026-02-01Z');
INSERT INTO deferred VALUES (1, 2);
INSERT INTO other VALUES (2);
COMMIT;
SELECT * FROM log;
-- not if another has its name and cannot be deferred
CREATE TABLE same_name (id int CONSTRAINT deferred_other_fkey REFERENCES other);
INSERT INTO deferred SELECT snowflake_floor('2026-02-10Z', 'twitter'), 1;
SELECT create_id_partitions('deferred', '1 month', '2026-02-01Z', '2026-03-01Z');
SELECT tableoid::regclass, count(*) FROM deferred GROUP BY 1 ORDER BY 1;
DROP TABLE deferred, same_name, other;

-- bigint and uuid; a default partition with partitions; an id of each bound
CREATE TABLE part_big (id bigint) PARTITION BY RANGE (id);
CREATE TABLE part_big_rest PARTITION OF part_big DEFAULT PARTITION BY HASH (id);
CREATE TABLE part_big_rest_0 PARTITION OF part_big_rest FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_big_rest_1 PARTITION OF part_big_rest FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE part_uuid (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part_uuid_rest PARTITION OF part_uuid DEFAULT;
INSERT INTO part_big SELECT unnest(ARRAY[snowflake_floor('2026-01-01Z', 'js53') - 1, snowflake_floor('2026-01-01Z', 'js53'), snowflake_floor('2026-02-01Z', 'js53') - 1, snowflake_floor('2026-02-01Z', 'js53'), NULL]);
INSERT INTO part_uuid SELECT unnest(ARRAY[uuidv7_ceiling('2025-12-31 23:59:59.999Z'), uuidv7_floor('2026-01-01Z'), uuidv7_ceiling('2026-01-31 23:59:59.999Z'), uuidv7_floor('2026-02-01Z')]);
SELECT create_id_partitions('part_big', '1 month', '2026-01-01Z', '2026-02-01Z', 'js53');
SELECT create_id_partitions('part_uuid', '1 month', '2026-01-01Z', '2026-02-01Z');
SELECT tableoid::regclass, count(*) FROM part_big GROUP BY 1 ORDER BY 1;
SELECT tableoid::regclass, count(*) FROM part_uuid GROUP BY 1 ORDER BY 1;
DROP TABLE part_big, part_uuid;

-- Rows that foreign keys refer to stay, and nothing is deleted with them.
CREATE TABLE referred (id bigint DEFAULT next_snowflake('ids', 1, 'twitter'), part int, PRIMARY KEY (id, part)) PARTITION BY RANGE (id);
CREATE TABLE referred_rest PARTITION OF referred DEFAULT;
CREATE TABLE referring (part int, id bigint, FOREIGN KEY (id, part) REFERENCES referred ON DELETE CASCADE);
INSERT INTO referred SELECT snowflake_floor(timestamptz '2026-01-01Z' + i * interval '1 day', 'twitter'), 1 FROM generate_series(0, 2) AS i;
INSERT INTO referring SELECT part, id FROM referred WHERE id < snowflake_floor('2026-01-02Z', 'twitter');
\set VERBOSITY terse
SELECT create_id_partitions('referred', '1 day', '2026-01-01Z', '2026-01-03Z');
\set VERBOSITY default
SELECT (SELECT count(*) FROM referred_rest) AS referred, (SELECT count(*) FROM referring) AS referring;
SELECT create_id_partitions('referred', '1 day', '2026-01-02Z', '2026-01-04Z');
SELECT (SELECT count(*) FROM referred_rest) AS referred_rest, (SELECT count(*) FROM referred) AS referred, (SELECT count(*) FROM referring) AS referring;

--
-- drop_id_partitions: what foreign keys refer to stays
--
TRUNCATE referred, referring;
SELECT count(*) FROM create_id_partitions('referred', '1 day', '2026-01-01Z', '2026-01-04Z');
INSERT INTO referred SELECT snowflake_floor(timestamptz '2026-01-01Z' + i * interval '1 day', 'twitter'), 1 FROM generate_series(0, 2) AS i;
INSERT INTO referring SELECT part, id FROM referred WHERE id = snowflake_floor('2026-01-02Z', 'twitter');
SELECT partition, lower, upper, statement, regexp_replace(problem, 'fkey[_\d]*', 'fkey') AS problem FROM drop_id_partitions('referred', '2026-01-04Z') \gx
SELECT * FROM id_partitions('referred');
TRUNCATE referring;
SELECT partition, problem FROM drop_id_partitions('referred', '2026-01-04Z', 'detach');
SELECT to_regclass('referred_20260102') IS NOT NULL AS detached, (SELECT count(*) FROM id_partitions('referred')) AS partitions;
DROP TABLE referring, referred, referred_20260102;

-- Serial numbers would be ids of the first day of a layout.
CREATE TABLE early (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('early', '1 day', '2026-01-01Z', '2026-01-04Z', 'time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z');
SELECT partition, problem FROM drop_id_partitions('early', '2026-01-04Z', 'drop', 'time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z');
DROP TABLE early;

-- The actions; a view that depends on a partition; no partition twice
CREATE TABLE p (id objectid PRIMARY KEY, n int) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('p', '1 month', '2025-11-01Z', '2026-06-01Z');
CREATE VIEW on_november AS SELECT * FROM p_20251101;
SELECT * FROM drop_id_partitions('p', '2026-01-31 23:59:59Z');
DROP VIEW on_november;
SELECT * FROM drop_id_partitions('p', '2026-02-01Z', action => 'detach');
SELECT * FROM drop_id_partitions('p', '2026-02-01Z');
SELECT statement FROM drop_id_partitions('p', '2026-04-01Z', 'detach concurrently') \gexec
SELECT partition FROM id_partitions('p');
-- one that an interrupted DETACH CONCURRENTLY has left
SET allow_system_table_mods = on;
UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 'p_20260501'::regclass;
-- no other can be detached before it
SELECT statement FROM drop_id_partitions('p', '2026-06-01Z', 'detach concurrently');
UPDATE pg_inherits SET inhdetachpending = inhrelid = 'p_20260401'::regclass WHERE inhparent = 'p'::regclass;
RESET allow_system_table_mods;
SELECT statement FROM drop_id_partitions('p', '2026-05-01Z', 'detach concurrently');
SELECT partition, statement, problem FROM drop_id_partitions('p', '2026-05-01Z', 'detach');
SELECT partition FROM id_partitions('p');
CREATE TABLE p_default PARTITION OF p DEFAULT;
SELECT * FROM drop_id_partitions('p', '2026-07-01Z', 'detach concurrently');
SELECT * FROM drop_id_partitions('p', '2026-07-01Z', 'truncate');
SELECT * FROM drop_id_partitions('p', 'infinity');
SELECT * FROM drop_id_partitions('p', NULL);
SELECT * FROM drop_id_partitions('p_default', '2026-07-01Z');
-- the default partition stays
SELECT partition, problem FROM drop_id_partitions('p', '2026-07-01Z');
SELECT * FROM id_partitions('p');
-- without the right to
GRANT USAGE ON SCHEMA "Ids" TO regress_upkeep_other;
SET ROLE regress_upkeep_other;
SELECT * FROM objectid_ext_tools.drop_id_partitions('public.p', '2027-01-01Z');
SELECT * FROM objectid_ext_tools.maintain_id_partitions('public.p', '1 month', '1 month');
RESET ROLE;
DROP TABLE p;
DROP TABLE p_20260101, p_20260201, p_20260301, p_20260401;

-- What has no time stays: unbounded partitions, serial numbers, bounds that are not
-- those of instants, foreign tables.
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER archive FOREIGN DATA WRAPPER nothing;
CREATE TABLE mixed (id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE mixed_negative PARTITION OF mixed FOR VALUES FROM (-1000) TO (0);
CREATE TABLE mixed_serial PARTITION OF mixed FOR VALUES FROM (0) TO (1000000000000);
CREATE TABLE mixed_old PARTITION OF mixed FOR VALUES FROM (1000000000000) TO (snowflake_floor('2020-01-01Z', 'twitter'));
CREATE TABLE mixed_odd PARTITION OF mixed FOR VALUES FROM (snowflake_floor('2020-01-01Z', 'twitter')) TO (snowflake_floor('2021-01-01Z', 'twitter') + 1);
CREATE FOREIGN TABLE mixed_far PARTITION OF mixed FOR VALUES FROM (snowflake_floor('2022-01-01Z', 'twitter')) TO (snowflake_floor('2023-01-01Z', 'twitter')) SERVER archive;
CREATE TABLE mixed_sub PARTITION OF mixed FOR VALUES FROM (snowflake_floor('2023-01-01Z', 'twitter')) TO (snowflake_floor('2024-01-01Z', 'twitter')) PARTITION BY HASH (id);
CREATE TABLE mixed_sub_0 PARTITION OF mixed_sub FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE mixed_half PARTITION OF mixed FOR VALUES FROM (snowflake_floor('2024-01-01Z', 'twitter')) TO (snowflake_floor('2025-01-01Z', 'twitter')) PARTITION BY HASH (id);
CREATE FOREIGN TABLE mixed_half_0 PARTITION OF mixed_half FOR VALUES WITH (MODULUS 1, REMAINDER 0) SERVER archive;
SELECT partition, lower, upper FROM drop_id_partitions('mixed', '2026-01-01Z');
SELECT partition FROM id_partitions('mixed');
DROP TABLE mixed;
CREATE TABLE mixed (id objectid) PARTITION BY RANGE (id);
CREATE TABLE mixed_old PARTITION OF mixed FOR VALUES FROM (MINVALUE) TO (objectid_floor('2020-01-01Z'));
CREATE TABLE mixed_zero PARTITION OF mixed FOR VALUES FROM (objectid_floor('2020-01-01Z')) TO ('5fee66000000000000000001');
SELECT * FROM drop_id_partitions('mixed', '2026-01-01Z');
DROP TABLE mixed;
DROP FOREIGN DATA WRAPPER nothing CASCADE;

--
-- maintain_id_partitions: of the present, so the times in it are relative
--
CREATE FUNCTION month(n int) RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT date_trunc('month', now()) + n * interval '1 month' $$;
-- instants of this test, relative to this month
CREATE FUNCTION relative(t timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN isfinite(t) THEN 'month ' || (extract(year FROM t) - extract(year FROM now())) * 12 + extract(month FROM t) - extract(month FROM now())
           || coalesce(' + ' || nullif(CASE WHEN isfinite(t) THEN t - date_trunc('month', t) END, '0')::text, '') ELSE t::text END $$;
CREATE FUNCTION named(name text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(regexp_replace(name, '\d{8}', relative(to_timestamp(substring(name FROM '\d{8}'), 'YYYYMMDD'))), name) $$;
CREATE FUNCTION maintained(parent regclass, every interval, ahead interval, keep interval DEFAULT NULL, action text DEFAULT 'drop', OUT done text, OUT partition text, OUT lower text, OUT upper text, OUT moved bigint, OUT problem text)
RETURNS SETOF record LANGUAGE sql AS $$
    SELECT m.done, named(m.partition), relative(m.lower), relative(m.upper), m.moved, m.problem
    FROM objectid_ext_tools.maintain_id_partitions(parent, every, ahead, keep, action) AS m $$;
CREATE FUNCTION listed(parent regclass, OUT partition text, OUT lower text, OUT upper text) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT named(p.partition::text), relative(p.lower), relative(p.upper) FROM objectid_ext_tools.id_partitions(parent) AS p $$;

-- At first; a second call finds nothing to do.
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, n int) PARTITION BY RANGE (id);
SELECT * FROM maintained('m', '1 month', month(2) - now());
SELECT * FROM maintained('m', '1 month', month(2) - now());
SELECT * FROM maintained('m', '1 month', month(2) - now(), '1 year');
-- now has a partition at once, and the time ahead of it
SELECT bool_and(EXISTS (SELECT FROM id_partitions('m') WHERE lower <= t AND t < upper)) AS covered FROM unnest(ARRAY[now(), clock_timestamp() + interval '1 hour', month(2)]) AS t;
DROP TABLE m;

-- After a time without maintenance: the partitions that are missing, and their
-- rows; not those that would be dropped at once
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, n int) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
SELECT count(*) FROM create_id_partitions('m', '1 month', month(-9), month(-6));
INSERT INTO m SELECT snowflake_floor(month(-n) + interval '1 day', 'twitter'), n FROM generate_series(-1, 9) AS n;
SELECT * FROM maintained('m', '1 month', '0', now() - month(-3));
SELECT count(*) FROM m_default;
SELECT named(tableoid::regclass::text) AS partition, n FROM m ORDER BY n;
SELECT * FROM maintained('m', '1 month', '0');
SELECT * FROM maintained('m', '1 month', month(1) - now(), now() - month(0), 'detach');
SELECT * FROM listed('m');
SELECT count(*) AS detached FROM pg_class WHERE relname LIKE 'm\_%' AND relkind = 'r' AND NOT relispartition;
DROP TABLE m;
DO $$ BEGIN EXECUTE (SELECT 'DROP TABLE ' || string_agg(oid::regclass::text, ', ') FROM pg_class WHERE relname LIKE 'm\_%' AND relkind = 'r'); END $$;
-- a name that is taken
DO $$ BEGIN EXECUTE format('CREATE TABLE m_%s (); CREATE TYPE m_%1$s_2 AS (n int)', to_char(month(0), 'YYYYMMDD')); END $$;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
SELECT * FROM maintained('m', '1 month', '0');
DROP TABLE m;
DO $$ BEGIN EXECUTE format('DROP TABLE m_%s; DROP TYPE m_%1$s_2', to_char(month(0), 'YYYYMMDD')); END $$;

-- The intervals of the existing partitions, up to the next one; unbounded ends
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO (snowflake_floor(month(-1), 'twitter'));
CREATE TABLE m_future PARTITION OF m FOR VALUES FROM (snowflake_floor(month(1) + interval '36 h', 'twitter')) TO (snowflake_floor(month(4), 'twitter'));
CREATE TABLE m_end PARTITION OF m FOR VALUES FROM (snowflake_floor(month(5), 'twitter')) TO (MAXVALUE);
SELECT * FROM maintained('m', '2 months', month(12) - now(), '1 day');
SELECT * FROM listed('m');
DROP TABLE m;
-- Bounds that are not the lowest id of an instant: an id and one, as for a table that
-- becomes the first partition.  New partitions leave no gap, and are dropped in turn.
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO (snowflake_floor(month(-1) + interval '36 h', 'twitter') + 12345);
CREATE TABLE m_odd PARTITION OF m FOR VALUES FROM (snowflake_floor(month(3) + interval '36 h', 'twitter') + 12345) TO (snowflake_floor(month(5), 'twitter') + 1);
INSERT INTO m SELECT snowflake_floor(t + interval '36 h', 'twitter') + n FROM unnest(ARRAY[month(-1), month(3)]) AS t, unnest(ARRAY[12344, 12345]) AS n;
SELECT tableoid::regclass, count(*) FROM m GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM create_id_partitions('m', '1 day', month(-1) + interval '36 h', month(-1) + interval '60 h');
SELECT count(*) FROM create_id_partitions('m', '1 day', month(-1) + interval '36 h', month(-1) + interval '60 h');
SELECT done, lower, upper, moved, problem FROM maintained('m', '1 month', month(6) - now());
SELECT done, lower, upper, moved, problem FROM maintained('m', '1 month', month(6) - now());
SELECT count(*) FROM m_default;
SELECT done, lower, upper, problem FROM maintained('m', '1 month', '0', now() - month(0));
DROP TABLE m;
CREATE TABLE m (id objectid NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO ('6a9500000000000000000001');
SELECT count(*) FROM create_id_partitions('m', '1 day', objectid_timestamp('6a9500000000000000000001'), objectid_timestamp('6a9500000000000000000001') + interval '1 day');
SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname LIKE 'm\_%' AND relname <> 'm_old';
DROP TABLE m;
CREATE TABLE m (id uuid NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO ('019a0000-0000-7000-8000-000000000001');
SELECT count(*) FROM create_id_partitions('m', '1 day', uuidv7_timestamp('019a0000-0000-7000-8000-000000000001'), uuidv7_timestamp('019a0000-0000-7000-8000-000000000001') + interval '1 day');
SELECT split_part(pg_get_expr(relpartbound, oid), ' TO ', 1) FROM pg_class WHERE relname LIKE 'm\_%' AND relname <> 'm_old';
DROP TABLE m;
-- several in one tick, in any order
CREATE TABLE m (id bigint NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_second PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter') + 15) TO (snowflake_floor(month(-1), 'twitter') + 150);
CREATE TABLE m_first PARTITION OF m FOR VALUES FROM (MINVALUE) TO (snowflake_floor(month(-1), 'twitter') + 15);
CREATE TABLE m_fourth PARTITION OF m FOR VALUES FROM (snowflake_floor(month(1), 'twitter') + 150) TO (MAXVALUE);
CREATE TABLE m_third PARTITION OF m FOR VALUES FROM (snowflake_floor(month(1), 'twitter') + 15) TO (snowflake_floor(month(1), 'twitter') + 150);
SELECT done, relative(lower), relative(upper), problem FROM maintain_id_partitions('m', '1 month', '0', layout => 'twitter');
INSERT INTO m SELECT snowflake_floor(month(n), 'twitter') + extra FROM unnest(ARRAY[-1, 1]) AS n, unnest(ARRAY[0, 14, 15, 149]) AS extra;
DROP TABLE m;
-- the first of which is that of the instant
CREATE TABLE m (id bigint NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_first PARTITION OF m FOR VALUES FROM (snowflake_floor(month(1), 'twitter')) TO (snowflake_floor(month(1), 'twitter') + 8);
CREATE TABLE m_second PARTITION OF m FOR VALUES FROM (snowflake_floor(month(1), 'twitter') + 20) TO (snowflake_floor(month(1), 'twitter') + 30);
SELECT done, relative(lower), relative(upper), problem FROM maintain_id_partitions('m', '1 month', '0', layout => 'twitter');
DROP TABLE m;
-- the rows since the highest id of such a table leave the default partition
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO (snowflake_floor(month(-2) + interval '36 h', 'twitter') + 12345);
INSERT INTO m SELECT snowflake_floor(month(n) + interval '48 h', 'twitter') FROM generate_series(-2, 0) AS n;
SELECT done, lower, upper, moved, problem FROM maintained('m', '1 month', '0', '1 year');
SELECT count(*) FROM m_default;
DROP TABLE m;
-- numbers of a serial column have no time: partitions begin with the first row that has
-- one, or with the present
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO (10000000000000000);
SELECT * FROM maintained('m', '1 month', '0');
DROP TABLE m;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO (10000000000000000);
CREATE TABLE m_default PARTITION OF m DEFAULT;
INSERT INTO m SELECT snowflake_floor(month(5), 'twitter');
SELECT * FROM maintained('m', '1 month', '0');
DROP TABLE m;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (MINVALUE) TO (1000);
CREATE TABLE m_default PARTITION OF m DEFAULT;
INSERT INTO m SELECT unnest(ARRAY[1000, 1001, snowflake_floor(month(-1) + interval '36 h', 'twitter'), snowflake_floor(month(0), 'twitter')]);
SELECT * FROM maintained('m', '1 month', '0');
SELECT id FROM m_default;
DROP TABLE m;
-- a week begins on a Monday, a quarter in January
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
SELECT done, extract(isodow FROM lower) AS day, lower = date_trunc('day', lower) AS midnight, upper - lower AS every, lower <= now() AND upper > now() AS present
FROM maintain_id_partitions('m', '1 week', '0');
DROP TABLE m;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
SELECT done, extract(month FROM lower) IN (1, 4, 7, 10) AS quarter, lower = date_trunc('quarter', lower) AS first_day, upper = lower + interval '3 months' AS every, lower <= now() AND upper > now() AS present
FROM maintain_id_partitions('m', '3 months', '0');
DROP TABLE m;
CREATE TABLE m (id uuid NOT NULL) PARTITION BY RANGE (id);
SELECT count(*) BETWEEN 5 AND 6 AS hours, bool_and(upper - lower = '15 min') AS quarters, min(lower) <= now() AND max(upper) >= now() + interval '1 h' AS present
FROM maintain_id_partitions('m', '15 min', '1 h');
DROP TABLE m;

-- Months, quarters and years that begin on the last days of a month keep the day.  The
-- dates are past, so partitions up to the present follow.
CREATE TABLE m (id objectid) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 month', '2023-12-31Z', '2024-02-29Z');
SELECT count(*) > 20 AS created FROM maintain_id_partitions('m', '1 month', '0');
SELECT lower::date FROM id_partitions('m') LIMIT 15;
SELECT create_id_partitions('m', '1 month', '2023-12-31Z', '2025-01-31Z');
DROP TABLE m;
-- also if those that tell it are dropped at once
CREATE TABLE m (id objectid) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 month', '2023-12-31Z', '2024-02-29Z');
SELECT count(*) FROM maintain_id_partitions('m', '1 month', '0', '0');
SELECT count(*), bool_and(extract(month FROM lower + interval '1 day') <> extract(month FROM lower)) AS last_day FROM id_partitions('m');
DROP TABLE m;
CREATE TABLE m (id objectid) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '3 months', '2022-11-30Z', '2023-02-28Z');
SELECT count(*) > 10 AS created FROM maintain_id_partitions('m', '3 months', '0');
SELECT lower::date FROM id_partitions('m') LIMIT 6;
DROP TABLE m;
CREATE TABLE m (id objectid) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 year', '2016-02-29Z', '2019-02-28Z');
SELECT count(*) > 4 AS created FROM maintain_id_partitions('m', '1 year', '0');
SELECT lower::date FROM id_partitions('m') LIMIT 9;
DROP TABLE m;
-- others continue from the last bound
CREATE TABLE m (id objectid) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 month', '2024-01-31Z', '2024-02-29Z') UNION ALL SELECT count(*) FROM create_id_partitions('m', '1 day', '2024-02-29Z', '2024-03-04Z');
SELECT count(*) > 20 AS created FROM maintain_id_partitions('m', '1 month', '0');
SELECT lower::date FROM id_partitions('m') LIMIT 8;
DROP TABLE m;

-- A row with an old id does not make a partition for each interval since then, neither
-- does its own partition.  One that comes later stays in the default partition.
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_serial PARTITION OF m FOR VALUES FROM (MINVALUE) TO (1000);
CREATE TABLE m_default PARTITION OF m DEFAULT;
INSERT INTO m SELECT snowflake_floor(t, 'twitter') FROM unnest(ARRAY['2011-02-03 04:05Z', now() - interval '2 hours', now()]) AS t;
SELECT count(*) BETWEEN 4 AND 5 AS created, min(lower) AS first, count(*) FILTER (WHERE upper < now() - interval '3 hours') AS old, sum(moved) AS moved FROM maintain_id_partitions('m', '1 hour', '0');
SELECT count(*) < 2 AS again FROM maintain_id_partitions('m', '1 hour', '0');
INSERT INTO m SELECT snowflake_floor('2012-02-03 04:05Z', 'twitter');
SELECT done, lower, moved FROM maintain_id_partitions('m', '1 hour', '0') WHERE moved > 0;
SELECT (SELECT count(*) FROM m) AS rows, (SELECT count(*) FROM m_default) AS in_default;
-- after a time without maintenance
DROP TABLE m;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
SELECT count(*) FROM create_id_partitions('m', '1 hour', '2011-02-03Z', '2011-02-03 01:00Z');
INSERT INTO m SELECT snowflake_floor(t, 'twitter') FROM unnest(ARRAY['2011-02-03 04:05Z', now()]) AS t;
SELECT count(*) BETWEEN 2 AND 3 AS created, min(lower) AS first, sum(moved) AS moved FROM maintain_id_partitions('m', '1 hour', '0');
SELECT count(*) < 2 AS again FROM maintain_id_partitions('m', '1 hour', '0');
-- without a default partition, the message says how to begin with the present
DROP TABLE m;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 hour', '2011-02-03Z', '2011-02-03 01:00Z');
CREATE FUNCTION error_of(query text, OUT message text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE query;
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    message := sqlerrm;
END $$;
SELECT message, regexp_replace(hint, '\d{4}-\d\d-\d\d \d\d:', '...:', 'g') AS hint, substring(hint, 'create_id.*[)]') AS call FROM error_of($$SELECT maintain_id_partitions('m', '1 hour', '0')$$) \gset
\echo :message: :hint
SELECT count(*) FROM :call;
SELECT count(*) BETWEEN 1 AND 2 AS present FROM maintain_id_partitions('m', '1 hour', '0');
DROP FUNCTION error_of(text);
DROP TABLE m;

-- Sub-partitions: new ones are divided like the latest, except by the same column
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, kind text NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY LIST (kind);
CREATE TABLE m_latest_a PARTITION OF m_latest FOR VALUES IN ('a', 'A') PARTITION BY HASH (id);
CREATE TABLE m_latest_a0 PARTITION OF m_latest_a FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE m_latest_a1 PARTITION OF m_latest_a FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE m_latest_rest PARTITION OF m_latest DEFAULT;
CREATE TABLE m_default PARTITION OF m DEFAULT;
CREATE INDEX ON m (kind);
INSERT INTO m SELECT snowflake_floor(month(0), 'twitter') + i, CASE WHEN i % 3 = 0 THEN 'b' ELSE 'a' END FROM generate_series(1, 30) AS i;
ALTER ROLE regress_upkeep_owner SUPERUSER;
ALTER TABLE m OWNER TO regress_upkeep_owner;
SELECT * FROM maintained('m', '1 month', '0');
SELECT named(relid::regclass::text) AS partition, named(parentrelid::regclass::text) AS parent, pg_get_partkeydef(relid) AS key, nullif(pg_get_userbyid(relowner), current_user) AS owner,
       CASE WHEN level > 1 THEN pg_get_expr(relpartbound, relid) END AS bound, (SELECT count(*) FROM pg_index WHERE indrelid = relid) AS indexes
FROM pg_partition_tree('m') JOIN pg_class ON oid = relid ORDER BY named(relid::regclass::text) COLLATE "C";
SELECT named(tableoid::regclass::text) AS partition, kind, count(*) > 0 AS rows FROM m GROUP BY 1, 2 ORDER BY 1, 2;
SELECT * FROM maintained('m', '1 month', month(1) - now(), now() - month(0));
SELECT count(*) FROM m;
DROP TABLE m;
ALTER ROLE regress_upkeep_owner NOSUPERUSER;
-- bounds as they are, whatever the session prints
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter'), size float8) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY RANGE (size);
CREATE TABLE m_latest_1 PARTITION OF m_latest FOR VALUES FROM (1) TO (1.0000000000000002);
SET extra_float_digits = 0;
SELECT done, problem FROM maintained('m', '1 month', '0');
RESET extra_float_digits;
SELECT DISTINCT pg_get_expr(relpartbound, oid) FROM pg_class WHERE oid IN (SELECT relid FROM pg_partition_tree('m') WHERE level = 2);
DROP TABLE m;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY RANGE (id);
SELECT * FROM maintained('m', '1 month', '0');
SELECT count(*) FROM pg_partition_tree('m') WHERE NOT isleaf;
DROP TABLE m;
-- nor by an expression, which can be one of the same column
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, n int) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY RANGE ((id >> 22));
CREATE TABLE m_latest_1 PARTITION OF m_latest FOR VALUES FROM (snowflake_floor(month(-1), 'twitter') >> 22) TO (snowflake_floor(month(0), 'twitter') >> 22);
SELECT done FROM maintained('m', '1 month', '0');
INSERT INTO m SELECT snowflake_floor(now(), 'twitter');
DROP TABLE m;
-- nor by a list of one, nor at a lower level
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, n int) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY LIST ((id >> 60));
CREATE TABLE m_latest_1 PARTITION OF m_latest FOR VALUES IN (-1);
SELECT done FROM maintained('m', '1 month', '0');
INSERT INTO m SELECT snowflake_floor(now(), 'twitter');
DROP TABLE m;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, n int) PARTITION BY RANGE (id);
CREATE TABLE m_latest (n int, id bigint NOT NULL) PARTITION BY LIST (n);
CREATE TABLE m_latest_0 PARTITION OF m_latest DEFAULT PARTITION BY RANGE (id);
CREATE TABLE m_latest_0_1 PARTITION OF m_latest_0 FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter'));
ALTER TABLE m ATTACH PARTITION m_latest FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter'));
SELECT done FROM maintained('m', '1 month', '0');
INSERT INTO m SELECT snowflake_floor(now(), 'twitter'), 1;
DROP TABLE m;
-- nor if it is divided by a date, whose ranges are those of its own rows
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, made date) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY RANGE (date_trunc('day', made::timestamp));
CREATE TABLE m_latest_1 PARTITION OF m_latest FOR VALUES FROM ('2020-01-01') TO ('2020-01-02');
SELECT done FROM maintained('m', '1 month', '0');
INSERT INTO m SELECT snowflake_floor(now(), 'twitter'), now();
DROP TABLE m;
-- but by an expression of another column
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, n int) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY RANGE (abs(n));
CREATE TABLE m_latest_1 PARTITION OF m_latest FOR VALUES FROM (0) TO (10);
SELECT done FROM maintained('m', '1 month', '0');
SELECT count(*) FROM pg_partition_tree('m') WHERE level = 2;
DROP TABLE m;
-- also if all of these are dropped
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') NOT NULL, kind text NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE m_latest PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-2), 'twitter')) TO (snowflake_floor(month(-1), 'twitter')) PARTITION BY LIST (kind);
CREATE TABLE m_latest_a PARTITION OF m_latest FOR VALUES IN ('a');
SELECT * FROM maintained('m', '1 month', '0', now() - month(0));
SELECT named(relid::regclass::text) AS partition, pg_get_partkeydef(relid) AS key FROM pg_partition_tree('m');
SELECT count(*) FROM pg_class WHERE relname LIKE 'm\_template%';
DROP TABLE m;

-- What cannot be done is reported, and does not prevent the rest.
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
CREATE TABLE referring (id bigint REFERENCES m);
SELECT count(*) FROM create_id_partitions('m', '1 month', month(-4), month(-2));
INSERT INTO m SELECT snowflake_floor(month(-n), 'twitter') FROM generate_series(0, 4) AS n;
INSERT INTO referring SELECT id FROM m WHERE id IN (snowflake_floor(month(-4), 'twitter'), snowflake_floor(month(-1), 'twitter'));
SELECT done, partition, lower, upper, moved, regexp_replace(regexp_replace(problem, 'fkey[_\d]*', 'fkey'), '_?\d{8,}', '...', 'g') AS problem FROM maintained('m', '1 month', '0', now() - month(-2));
SELECT * FROM listed('m');
SELECT count(*) FROM m_default;
DROP TABLE m, referring;

-- Any error is that of one partition: an old row that a constraint forbids
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter'), n int) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
INSERT INTO m SELECT snowflake_floor(month(0), 'twitter'), 0;
ALTER TABLE m ADD CHECK (n > 0) NOT VALID;
SELECT done, lower, upper, moved, regexp_replace(problem, '\d{8}.*', '...') AS problem FROM maintained('m', '1 month', month(1) - now());
SELECT count(*) FROM m_default;
DROP TABLE m;
-- another partition lies within one tick
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE m_tick PARTITION OF m FOR VALUES FROM (snowflake_floor(month(1), 'twitter') + 5) TO (snowflake_floor(month(1), 'twitter') + 9);
SELECT * FROM maintained('m', '1 month', month(1) - now());
INSERT INTO m SELECT snowflake_floor(month(1), 'twitter') + n FROM generate_series(0, 9) AS n;
DROP TABLE m;
-- the layout ends meanwhile
CREATE TABLE m (id bigint) PARTITION BY RANGE (id);
SELECT done, count(*) > 1 AS several, max(upper) AS upto, problem ~ 'no id of table public.m has a time' AS at_end
FROM maintain_id_partitions('m', '1 year', '2095-07-01Z' - now(), layout => 'pgedge') GROUP BY done, problem ORDER BY 3;
DROP TABLE m;

-- A partition of a table with all that a table can have: as PARTITION OF makes it
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE m (id bigint PRIMARY KEY DEFAULT 5, n int NOT NULL DEFAULT 7, CHECK (n > 0), other int REFERENCES other, body text, d int GENERATED ALWAYS AS (n + 1) STORED) PARTITION BY RANGE (id);
ALTER TABLE m ALTER body SET STORAGE EXTERNAL;
CREATE INDEX ON m (body);
CREATE TRIGGER row_trigger AFTER INSERT ON m FOR EACH ROW EXECUTE FUNCTION log();
CREATE STATISTICS m_stat ON n, other FROM m;
CREATE TABLE m_like PARTITION OF m FOR VALUES FROM (0) TO (1);
SELECT partition AS made FROM maintain_id_partitions('m', '1 month', '0', layout => 'twitter') \gset
CREATE FUNCTION described(t regclass) RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws(' ', attname, atttypid::regtype, attnotnull, attidentity, attgenerated, attstorage, attcompression, attislocal, attinhcount, pg_get_expr(adbin, adrelid))
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attrelid = t AND attnum > 0
    UNION ALL SELECT concat_ws(' ', contype, pg_get_constraintdef(oid), conislocal, coninhcount, convalidated) FROM pg_constraint WHERE conrelid = t AND contype <> 'n'
    UNION ALL SELECT concat_ws(' ', 'index', indisprimary, indisunique, indkey, relispartition) FROM pg_index JOIN pg_class ON oid = indexrelid WHERE indrelid = t
    UNION ALL SELECT concat_ws(' ', 'trigger', tgenabled, tgtype, tgfoid::regproc, tgparentid <> 0) FROM pg_trigger WHERE tgrelid = t
    UNION ALL SELECT concat_ws(' ', relkind, relpersistence, relam, reltablespace, relowner, relreplident) FROM pg_class WHERE oid = t $$;
SELECT count(*) > 10 AS facts FROM described('m_like');
(SELECT * FROM described('m_like') EXCEPT ALL SELECT * FROM described(:'made'))
UNION ALL (SELECT * FROM described(:'made') EXCEPT ALL SELECT * FROM described('m_like'));
DROP TABLE m, other;

-- A partition of the present for which DETACH PARTITION CONCURRENTLY was interrupted
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
SELECT done FROM maintain_id_partitions('m', '1 day', '0');
UPDATE pg_inherits SET inhdetachpending = true WHERE inhparent = 'm'::regclass;
\set VERBOSITY terse
INSERT INTO m SELECT snowflake_floor(now(), 'twitter');
\set VERBOSITY default
SELECT done, lower <= now() AND upper > now() AS present, moved, problem FROM maintain_id_partitions('m', '1 day', '0', '1 month');
DROP TABLE m;

-- Only the owner: a table's rules, constraints, indexes and partition keys call
-- functions of its owner.  None of them runs as the superuser who is refused.
GRANT CREATE ON SCHEMA public TO regress_upkeep_owner;
GRANT USAGE ON SCHEMA "Ids" TO regress_upkeep_owner;
CREATE SEQUENCE ran_as_superuser;
SET ROLE regress_upkeep_owner;
CREATE FUNCTION spy(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        PERFORM nextval('public.ran_as_superuser');
    END IF;
    RETURN n;
END $$;
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter'), n int CHECK (n <> spy(1) + 5)) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
CREATE INDEX ON m ((n + spy(1))) WHERE n > spy(2);
CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter')) PARTITION BY LIST ((n + spy(1)));
CREATE RULE ruled AS ON DELETE TO m_default DO ALSO SELECT spy(1);
INSERT INTO m SELECT snowflake_floor(now(), 'twitter');
RESET ROLE;
SELECT done, moved, problem FROM maintain_id_partitions('m', '1 month', '0');
SELECT create_id_partitions('m', '1 month', month(0), month(1));
SELECT * FROM drop_id_partitions('m', now());
SELECT count(*) FROM pg_partition_tree('m') WHERE relid <> 'm'::regclass;
SELECT is_called FROM ran_as_superuser;
-- parts of the table belong to the other role
ALTER TABLE m OWNER TO :"USER";
\set VERBOSITY terse
SELECT create_id_partitions('m', '1 month', month(0), month(1));
\set VERBOSITY default
SELECT done, partition, moved, problem FROM maintain_id_partitions('m', '1 month', '0', '0');
ALTER TABLE m_old OWNER TO :"USER";
SELECT done, partition, moved, problem FROM maintain_id_partitions('m', '1 month', '0');
-- the owner can, except for the rule
ALTER TABLE m_default OWNER TO :"USER";
ALTER TABLE m OWNER TO regress_upkeep_owner;
ALTER TABLE m_old OWNER TO regress_upkeep_owner;
ALTER TABLE m_default OWNER TO regress_upkeep_owner;
SET ROLE regress_upkeep_owner;
SELECT done, moved, problem FROM maintain_id_partitions('m', '1 month', '0');
DROP RULE ruled ON m_default;
DROP TABLE m_old;
SELECT done, moved, problem FROM maintain_id_partitions('m', '1 month', '0');
RESET ROLE;
-- an ancestor's owner
CREATE TABLE branch (id bigint DEFAULT next_snowflake('ids', 1, 'twitter'), n int) PARTITION BY RANGE (id);
CREATE TABLE root (id bigint, n int) PARTITION BY LIST ((n + spy(1)));
ALTER TABLE root ATTACH PARTITION branch FOR VALUES IN (2);
ALTER TABLE root OWNER TO regress_upkeep_owner;
\set VERBOSITY terse
SELECT maintain_id_partitions('branch', '1 month', '0');
\set VERBOSITY default
DROP TABLE m, root;
-- a table of another role that refers to the rows
ALTER SEQUENCE ran_as_superuser RESTART;
CREATE TABLE keyed (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE keyed_default PARTITION OF keyed DEFAULT;
INSERT INTO keyed SELECT snowflake_floor(month(0), 'twitter');
GRANT REFERENCES ON keyed TO regress_upkeep_owner;
SET ROLE regress_upkeep_owner;
CREATE TABLE refers (id bigint REFERENCES keyed, n int);
CREATE INDEX ON refers (n) WHERE n > spy(2);
RESET ROLE;
SELECT done, moved, problem FROM maintain_id_partitions('keyed', '1 month', '0');
CREATE TABLE kept (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('kept', '1 month', month(-1), month(0));
GRANT REFERENCES ON kept TO regress_upkeep_owner;
SET ROLE regress_upkeep_owner;
CREATE TABLE refers_to_kept (id bigint REFERENCES kept, n int);
CREATE INDEX ON refers_to_kept (n) WHERE n > spy(2);
RESET ROLE;
SELECT done, problem FROM maintain_id_partitions('kept', '1 month', '0', '0', 'detach');
SELECT statement, problem FROM drop_id_partitions('kept', now(), 'detach concurrently');
DROP TABLE kept, refers_to_kept;
SELECT is_called FROM ran_as_superuser;
-- and one that the table refers to: a new partition has the foreign key, unvalidated
SET ROLE regress_upkeep_owner;
CREATE TABLE referred (id int PRIMARY KEY, n int);
GRANT REFERENCES ON referred TO :"USER";
RESET ROLE;
CREATE TABLE refers_too (id bigint DEFAULT next_snowflake('ids', 1, 'twitter') PRIMARY KEY, n int, o int, previous bigint REFERENCES refers_too,
    CONSTRAINT keys FOREIGN KEY (o) REFERENCES referred ON DELETE SET NULL DEFERRABLE) PARTITION BY RANGE (id);
CREATE TABLE refers_too_latest PARTITION OF refers_too FOR VALUES FROM (0) TO (100) PARTITION BY HASH (id);
CREATE TABLE refers_too_one PARTITION OF refers_too_latest FOR VALUES WITH (MODULUS 1, REMAINDER 0);
SET ROLE regress_upkeep_owner;
CREATE INDEX ON referred (n) WHERE n > spy(3);
INSERT INTO referred VALUES (1, 1);
RESET ROLE;
SELECT done, moved, problem FROM maintain_id_partitions('refers_too', '1 month', '0');
SELECT is_called FROM ran_as_superuser;
SELECT named(conrelid::regclass::text) AS partition, named(conname) AS name, conparentid <> 0 AS inherited, coninhcount, convalidated, count(DISTINCT tgtype) AS triggers
FROM pg_constraint c JOIN pg_trigger ON tgconstraint = c.oid AND tgrelid = conrelid
WHERE contype = 'f' AND confrelid IN ('referred'::regclass, 'refers_too'::regclass) GROUP BY c.oid ORDER BY 1, 2;
SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND confrelid IN ('referred'::regclass, 'refers_too'::regclass);
-- the copy of a partition that is to be dropped has none: who reads the other table would
-- keep it from being dropped
BEGIN;
SELECT _copy_template('refers_too', 'refers_too_latest') AS copy \gset
SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = :'copy'::regclass;
SELECT relid, pg_get_partkeydef(relid) AS key FROM pg_partition_tree(:'copy');
ROLLBACK;
DROP TABLE refers_too, referred;
-- nor a table of a superuser, even as a member
DROP TABLE refers;
GRANT :"USER" TO regress_upkeep_owner;
SET ROLE regress_upkeep_owner;
\set VERBOSITY terse
SELECT maintain_id_partitions('keyed', '1 month', '0');
\set VERBOSITY default
RESET ROLE;
REVOKE :"USER" FROM regress_upkeep_owner;
ALTER TABLE keyed OWNER TO regress_upkeep_owner;
GRANT ALL ON keyed_default TO regress_upkeep_owner;
SET ROLE regress_upkeep_owner;
SELECT done, split_part(problem, ':', 1) AS problem FROM maintain_id_partitions('keyed', '1 month', '0');
RESET ROLE;
ALTER TABLE keyed_default OWNER TO regress_upkeep_owner;
SET ROLE regress_upkeep_owner;
SELECT done, moved, problem FROM maintain_id_partitions('keyed', '1 month', '0');
RESET ROLE;
DROP TABLE keyed;
DROP FUNCTION spy(int);
DROP SEQUENCE ran_as_superuser;
-- An owner can lock his table if he may write to it.
SET ROLE regress_upkeep_owner;
CREATE TABLE frozen (id objectid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT * FROM create_id_partitions('frozen', '1 day', '2026-01-01Z', '2026-01-03Z');
REVOKE ALL ON frozen, frozen_20260101 FROM regress_upkeep_owner;
GRANT SELECT, INSERT ON frozen TO regress_upkeep_owner;
SELECT create_id_partitions('frozen', '1 day', '2026-01-03Z', '2026-01-04Z');
GRANT TRUNCATE ON frozen TO regress_upkeep_owner;
SELECT create_id_partitions('frozen', '1 day', '2026-01-03Z', '2026-01-04Z');
SELECT partition, problem FROM drop_id_partitions('frozen', '2026-01-03Z');
DROP TABLE frozen;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM regress_upkeep_owner;
REVOKE USAGE ON SCHEMA "Ids" FROM regress_upkeep_owner;

-- A rule on DELETE would run for rows that do not change.  They stay, and so do those
-- that it would delete.  A rule of a partition counts, and one that is disabled does not.
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT PARTITION BY RANGE (id);
CREATE TABLE m_rest PARTITION OF m_default DEFAULT;
CREATE TABLE detail (id bigint);
INSERT INTO m SELECT snowflake_floor(month(0), 'twitter');
INSERT INTO detail SELECT id FROM m;
CREATE RULE all_details AS ON DELETE TO m_default DO ALSO DELETE FROM detail WHERE detail.id = old.id;
SELECT done, moved, problem FROM maintained('m', '1 month', '0');
DROP RULE all_details ON m_default;
CREATE RULE keep AS ON DELETE TO m_rest DO INSTEAD NOTHING;
SELECT done, moved, problem FROM maintained('m', '1 month', '0');
SELECT (SELECT count(*) FROM m_default) AS rows, (SELECT count(*) FROM detail) AS details;
-- without rows to move, the partition is created
SELECT count(*) FROM create_id_partitions('m', '1 month', month(1), month(2));
ALTER TABLE m_rest DISABLE RULE keep;
SELECT done, moved, problem FROM maintained('m', '1 month', '0');
SELECT (SELECT count(*) FROM m_default) AS rows, (SELECT count(*) FROM detail) AS details;
DROP TABLE m, detail;

-- A temporary table; a name that must be quoted
CREATE TEMP TABLE m (id objectid) PARTITION BY RANGE (id);
SELECT partition AS made FROM maintain_id_partitions('m', '1 day', '0') \gset
SELECT relname ~ '^m_\d{8}$' AS named, relpersistence FROM pg_class WHERE oid = :'made'::regclass;
DROP TABLE m;
CREATE TABLE "M ""x'%s" (id objectid) PARTITION BY RANGE (id);
SELECT done, regexp_replace(partition, '\d{8}', '...') AS partition FROM maintain_id_partitions('"M ""x''%s"', '1 day', '0');
SELECT done, partition ~ '^public."M ""x''%s_\d{8}"$' AS partition FROM maintain_id_partitions('"M ""x''%s"', '1 day', '2 days', '0');
DROP TABLE "M ""x'%s";

-- The layout is that of the default.  Another one, or one that nothing tells, is an
-- error: it would make the present old.
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'discord;start=random')) PARTITION BY RANGE (id);
SELECT create_id_partitions('m', '1 month', month(-1), month(1), 'twitter');
SELECT count(*) FROM create_id_partitions('m', '1 month', month(-1), month(1));
SELECT count(*) FROM create_id_partitions('m', '1 month', month(-1), month(1), 'discord');
SELECT count(*), min(lower) = month(-1) AS lower FROM id_partitions('m');
SELECT drop_id_partitions('m', now() - interval '1 year', layout => 'twitter');
SELECT drop_id_partitions('m', now() - interval '1 year');
SELECT maintain_id_partitions('m', '1 month', '0', '1 year', layout => 'mastodon');
SELECT * FROM maintain_id_partitions('m', '1 month', '0', '1 year');
-- not known
ALTER TABLE m ALTER id SET DEFAULT next_snowflake('ids', 1, current_setting('app.layout')::snowflake_layout);
SELECT maintain_id_partitions('m', '1 month', '0', '1 year');
ALTER TABLE m ALTER id SET DEFAULT CASE WHEN now() > '2026-01-01Z' THEN next_snowflake('ids', 1, 'twitter') ELSE next_shard_id(1, nextval('ids')) END;
SELECT create_id_partitions('m', '1 month', month(1), month(2));
ALTER TABLE m ALTER id DROP DEFAULT;
SELECT drop_id_partitions('m', '2025-06-01Z');
SELECT * FROM id_partitions('m');
SELECT * FROM drop_id_partitions('m', '2025-06-01Z', layout => 'discord');
DROP TABLE m;
-- that of the last bound is another one, whatever the default tells
CREATE TABLE m (id bigint) PARTITION BY RANGE (id);
CREATE TABLE m_present PARTITION OF m FOR VALUES FROM (snowflake_floor(month(0), 'discord')) TO (snowflake_floor(month(1), 'discord'));
SELECT drop_id_partitions('m', '2025-06-01Z', layout => 'twitter');
ALTER TABLE m ALTER id SET DEFAULT next_snowflake('ids', 1, 'twitter');
SELECT maintain_id_partitions('m', '1 month', '0', '1 year');
DROP TABLE m;
CREATE TABLE m (n int, id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
SELECT maintain_id_partitions('m', '1 month', '0', '1 year', layout => 'pgedge');
SELECT done FROM maintain_id_partitions('m', '1 month', '0', '1 year', layout => 'twitter;start=random');
DROP TABLE m;
-- bounds at no whole second are those of this layout, if of no other
CREATE TABLE m (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 day', '2026-01-01 00:00:00.123Z', '2026-01-02 00:00:00.123Z', 'twitter');
SELECT partition FROM drop_id_partitions('m', now(), layout => 'twitter');
DROP TABLE m;

-- The comment of create_id_partitions() tells it, too, if no default does.
CREATE TABLE m (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '10 minutes', '2026-01-01Z', '2026-01-01 00:30Z', 'mastodon');
COMMENT ON TABLE m_20260101_0010 IS 'ids of Mastodon';
SELECT obj_description(partition) AS comment, lower FROM id_partitions('m', 'mastodon');
\set VERBOSITY terse
SELECT id_partitions('m', 'discord');
SELECT drop_id_partitions('m', now() - interval '5 years', layout => 'twitter');
SELECT maintain_id_partitions('m', '1 year', '0', '5 years', layout => 'pgedge');
SELECT create_id_partitions('m', '10 minutes', '2026-01-01Z', '2026-01-01 00:30Z', 'time:40,node:10,seq:13;tick=1ms;epoch=2024-03-05T07:08:09.123Z');
\set VERBOSITY default
ALTER TABLE m ALTER id SET DEFAULT next_snowflake('ids', 1, 'discord');
SELECT drop_id_partitions('m', now() - interval '5 years');
ALTER TABLE m ALTER id DROP DEFAULT;
SELECT maintain_id_partitions('m', '1 year', '0', '5 years', layout => 'sonyflake');
-- a comment of its form that is not of the owner, or does not have its form
ALTER TABLE m_20260101_0000 OWNER TO regress_upkeep_owner;
COMMENT ON TABLE m_20260101_0020 IS 'snowflake ids of layout "twitter", from yesterday to tomorrow';
SELECT count(*) FROM id_partitions('m', 'discord');
-- other bounds, of the same layout; other names of the same times
ALTER TABLE m_20260101_0000 OWNER TO :"USER";
ALTER TABLE m DETACH PARTITION m_20260101_0000;
DROP TABLE m_20260101_0010;
ALTER TABLE m ATTACH PARTITION m_20260101_0000 FOR VALUES FROM (snowflake_floor('2026-01-01Z', 'mastodon')) TO (snowflake_floor('2026-01-01 00:20Z', 'mastodon'));
SELECT count(*) FROM id_partitions('m', 'mastodon');
DROP TABLE m;
CREATE TABLE m (id bigint) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 month', '2026-01-01Z', '2026-02-01Z', 'twitter;start=random');
SELECT count(*) FROM id_partitions('m', 'time:41,node:12,seq:10;tick=1ms;epoch=2010-11-04T01:42:54.657Z');
SELECT count(*) FROM create_id_partitions('m', '1 month', '2026-01-01Z', '2026-03-01Z', 'twitter');
SELECT obj_description(partition) AS comment FROM id_partitions('m', 'twitter');
DROP TABLE m;

-- A table that refers to itself: only rows that others refer to keep their partition
CREATE TABLE m (id bigint PRIMARY KEY, other bigint REFERENCES m) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('m', '1 day', '2026-01-01Z', '2026-01-05Z', 'twitter');
INSERT INTO m VALUES (snowflake_floor('2026-01-02Z', 'twitter'), NULL), (snowflake_floor('2026-01-04Z', 'twitter'), snowflake_floor('2026-01-02Z', 'twitter'));
SELECT partition, regexp_replace(problem, 'fkey[_\d]*', 'fkey', 'g') AS problem FROM drop_id_partitions('m', '2026-01-04Z', layout => 'twitter');
DELETE FROM m WHERE id = snowflake_floor('2026-01-04Z', 'twitter');
SELECT partition, problem FROM drop_id_partitions('m', '2026-01-10Z', layout => 'twitter');
DROP TABLE m;

-- A partition of the future that begins while its call waits for locks
CREATE TABLE m (id bigint PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
SELECT _lock_default_rows('m', 'm_default', 'false', now(), '-1 h');
SELECT _lock_default_rows('m', 'm_default', 'false', now() + interval '1 h', '1 min');
DROP TABLE m;

-- The replica identity of the parent is that of new partitions: without one, updates of
-- a published table fail.
CREATE TABLE m (id objectid NOT NULL, n int NOT NULL) PARTITION BY RANGE (id);
ALTER TABLE m REPLICA IDENTITY FULL;
SELECT count(*) FROM create_id_partitions('m', '1 day', '2026-01-01Z', '2026-01-02Z');
CREATE UNIQUE INDEX "m key" ON m (id, n);
ALTER TABLE m REPLICA IDENTITY USING INDEX "m key";
CREATE TABLE m_20260102 PARTITION OF m FOR VALUES FROM (objectid_floor('2026-01-02Z')) TO (objectid_floor('2026-01-03Z')) PARTITION BY HASH (n);
CREATE TABLE m_20260102_0 PARTITION OF m_20260102 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
SELECT count(*) FROM create_id_partitions('m', '1 day', '2026-01-03Z', '2026-01-04Z');
ALTER TABLE m REPLICA IDENTITY NOTHING;
SELECT count(*) FROM create_id_partitions('m', '1 day', '2026-01-04Z', '2026-01-05Z');
SELECT relid, relreplident, indexrelid::regclass AS index FROM pg_partition_tree('m') JOIN pg_class ON oid = relid LEFT JOIN pg_index ON indrelid = relid AND indisreplident ORDER BY relid::text COLLATE "C";
-- an index that has been dropped is none
ALTER TABLE m REPLICA IDENTITY USING INDEX "m key";
DROP INDEX "m key";
SELECT count(*) FROM create_id_partitions('m', '1 day', '2026-01-05Z', '2026-01-06Z');
SELECT oid::regclass AS partition, relreplident FROM pg_class WHERE relname LIKE 'm\_20260105%' ORDER BY 1;
DROP TABLE m;

-- The longest lock_timeout there is
CREATE TABLE m (id objectid) PARTITION BY RANGE (id);
CREATE TABLE m_default PARTITION OF m DEFAULT;
SET lock_timeout = 2147483647;
SELECT count(*) FROM create_id_partitions('m', '1 day', '2026-01-01Z', '2026-01-02Z');
SELECT partition, problem FROM drop_id_partitions('m', '2026-01-02Z');
SHOW lock_timeout;
RESET lock_timeout;
DROP TABLE m;

-- Errors
CREATE TABLE m (id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE plain (id bigint);
SELECT maintain_id_partitions('plain', '1 day', '1 day');
SELECT drop_id_partitions('plain', now());
SELECT drop_id_partitions(2147483647, now());
SELECT maintain_id_partitions('m', '1 s', '1 day');
SELECT maintain_id_partitions('m', '1 mon -29 days', '1 day');
SELECT create_id_partitions('m', '1 day -1 min', '2026-01-01Z', '2026-01-02Z');
SELECT maintain_id_partitions('m', '1 day', '-1 day');
SELECT maintain_id_partitions('m', '1 min', '1 year');
SELECT maintain_id_partitions('m', '1 day', '1 day', '-1 day');
SELECT maintain_id_partitions('m', '1 day', '1 mon -29 days');
SELECT maintain_id_partitions('m', '1 day', '1 day', '1 day -1 min');
SELECT maintain_id_partitions('m', '1 day', '1 day', '1 day', 'detach concurrently');
SELECT maintain_id_partitions('m', '1 day', '300000 years');
SELECT maintain_id_partitions('m', '1 day', '1 day', '7000 years');
SELECT _lock_parent(2147483647);
SELECT maintain_id_partitions(NULL, '1 day', '1 day');
SELECT maintain_id_partitions('m', NULL, '1 day');
SELECT maintain_id_partitions('m', '1 day', NULL);
-- intervals can be infinite from 17 on
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
    EXECUTE query;
    RETURN 'none';
EXCEPTION WHEN invalid_parameter_value OR invalid_datetime_format THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(': ', sqlerrm, nullif(hint, ''));
END $$;
SELECT arguments, error
FROM (VALUES ('''m'', ''infinity'', ''1 day''', 'interval "infinity" is out of range'),
             ('''m'', ''1 day'', ''infinity''', 'time ahead and time to keep must be finite: Omit the time to keep to drop no partition.'),
             ('''m'', ''1 day'', ''1 day'', ''infinity''', 'time ahead and time to keep must be finite: Omit the time to keep to drop no partition.'),
             ('''m'', ''1 day'', ''1 day'', ''-infinity''', 'time ahead and time to keep must not be negative')) AS call (arguments, expected),
     error_of(format('SELECT maintain_id_partitions(%s)', arguments)) AS error
WHERE error <> CASE WHEN current_setting('server_version_num')::int >= 170000 THEN expected
                    ELSE format('invalid input syntax for type interval: "%s"', substring(arguments FROM '-?infinity')) END;
BEGIN READ ONLY;
SELECT maintain_id_partitions('m', '1 day', '1 day');
ROLLBACK;
SELECT count(*) FROM id_partitions('m');

\c :original
DROP DATABASE regress_objectid_upkeep;
DROP ROLE regress_upkeep_owner, regress_upkeep_other;
