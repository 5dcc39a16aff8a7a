--
-- create_id_partitions() and id_partitions()
--
\a \t on

CREATE SCHEMA parts;
SET search_path = parts, public, objectid_ext_tools;
SET timezone = 'UTC';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
-- the same in any time zone
CREATE FUNCTION made(every interval, first timestamptz, upto timestamptz, OUT partition text, OUT lower timestamptz, OUT upper timestamptz) RETURNS SETOF record
LANGUAGE plpgsql AS $$
BEGIN
    CREATE TABLE made (id objectid) PARTITION BY RANGE (id);
    PERFORM create_id_partitions('made', every, first, upto);
    RETURN QUERY SELECT p.partition::text, p.lower, p.upper FROM id_partitions('made') AS p;
    DROP TABLE made;
END $$;

--
-- The three types of keys
--
CREATE SEQUENCE number_id;
CREATE TABLE event (id objectid PRIMARY KEY DEFAULT gen_objectid(), n int) PARTITION BY RANGE (id);
CREATE TABLE number (id bigint DEFAULT next_snowflake('number_id', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE shard (n int, id bigint DEFAULT next_shard_id(5, nextval('number_id'))) PARTITION BY RANGE (id);
CREATE TABLE unique_id (id uuid) PARTITION BY RANGE (id);
SELECT create_id_partitions('event', '1 month', '2026-10-01Z', '2027-01-01Z');
SELECT create_id_partitions('number', '1 month', '2026-10-01Z', '2026-12-01Z');
SELECT create_id_partitions('shard', '1 month', '2026-10-01Z', '2026-12-01Z');
SELECT create_id_partitions(parent => 'unique_id', every => '1 month', first => '2026-10-01Z', upto => '2026-12-01Z');
SELECT * FROM id_partitions('event');
SELECT partition, pg_get_expr(relpartbound, 0), obj_description(partition) FROM pg_class, id_partitions('number') WHERE oid = partition
UNION ALL SELECT partition, pg_get_expr(relpartbound, 0), obj_description(partition) FROM pg_class, id_partitions('shard') WHERE oid = partition
UNION ALL SELECT partition, pg_get_expr(relpartbound, 0), obj_description(partition) FROM pg_class, id_partitions('unique_id') WHERE oid = partition;

-- The same call again creates nothing, a wider one what is missing.
SELECT create_id_partitions('event', '1 month', '2026-10-01Z', '2027-01-01Z');
DROP TABLE event_20261101;
SELECT create_id_partitions('event', '1 month', '2026-09-01Z', '2027-01-15Z');
-- another interval overlaps
\set VERBOSITY terse
SELECT create_id_partitions('event', '1 week', '2026-12-28Z', '2027-01-04Z');
\set VERBOSITY default

-- A row is in the partition of its time, exact to the tick, and a query on that reads no other.
INSERT INTO event SELECT objectid_floor('2026-11-01Z') UNION ALL SELECT objectid_ceiling('2026-11-30 23:59:59Z');
INSERT INTO number SELECT snowflake_floor('2026-11-01Z', 'twitter') UNION ALL SELECT snowflake_ceiling('2026-10-31 23:59:59.999999Z', 'twitter');
INSERT INTO unique_id SELECT uuidv7_floor('2026-11-01Z') UNION ALL SELECT uuidv7_ceiling('2026-10-31 23:59:59.999999Z');
SELECT tableoid::regclass, id::text FROM event UNION ALL SELECT tableoid::regclass, id::text FROM number UNION ALL SELECT tableoid::regclass, id::text FROM unique_id ORDER BY 1, 2;
EXPLAIN (COSTS OFF) SELECT FROM number WHERE snowflake_within(id, '[2026-10-01Z,2026-11-01Z)', 'twitter');
DROP TABLE event;

--
-- Intervals, and times that are written as people write them
--
SELECT * FROM made('1 day', '2028-02-28Z', '2028-03-01Z');
SELECT * FROM made('1 week', '2026-11-23Z', '2026-12-01Z');
SELECT * FROM made('15 minutes', '2026-11-23 23:30Z', '2026-11-24Z');
SELECT * FROM made('1 month', '2026-01-31Z', '2026-05-01Z');
SELECT * FROM made('1 year', '2024-02-29Z', '2027-01-01Z');
SELECT * FROM made('1 day', '2026-11-23 06:00Z', '2026-11-24Z');
SELECT * FROM made('1 month', '2026-11-23 18:30:12.345Z', '2026-12-01Z');
SELECT * FROM made('1 week', '2026-11-26 18:30:12.345Z', '2026-11-27Z');
SET client_min_messages = warning;
SELECT min(lower) = date_trunc('month', now()) AS this_month, count(*) FROM made('1 month', now(), now() + interval '2 months');
RESET client_min_messages;
-- Neither bounds nor names depend on the time zone.
SET timezone = 'America/New_York';
SELECT * FROM made('1 day', '2026-03-08 00:00Z', '2026-03-10 00:00Z');
SELECT * FROM made('1 day', '2026-03-08', '2026-03-09');
SHOW timezone;
SET timezone = 'UTC';

--
-- The layout of bigint: of the default, of the comments, or given
--
ALTER TABLE number ALTER id DROP DEFAULT;
SELECT create_id_partitions('number', '1 month', '2026-12-01Z', '2027-01-01Z');
SELECT create_id_partitions('number', '1 month', '2027-01-01Z', '2027-02-01Z', 'discord');
ALTER TABLE number ALTER id SET DEFAULT next_snowflake('number_id', 1, 'discord');
SELECT * FROM id_partitions('number');
CREATE TABLE plain (id bigint) PARTITION BY RANGE (id);
SELECT * FROM id_partitions('plain');
SELECT create_id_partitions('plain', '1 day', '2026-12-01Z', '2026-12-02Z', 'time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z;start=random');
SELECT obj_description(partition) FROM id_partitions('plain');
CREATE TABLE computed (id bigint DEFAULT next_snowflake('number_id', 1 + 1, 'twitter')) PARTITION BY RANGE (id);
SELECT create_id_partitions('computed', '1 day', '2026-12-01Z', '2026-12-02Z');

--
-- What a partition gets, and its name
--
CREATE SCHEMA "Part ""s";
CREATE TABLE referred (n int PRIMARY KEY);
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TABLE "Part ""s"."Ünï 'x" (id uuid PRIMARY KEY, n int DEFAULT 5 CHECK (n > 1) REFERENCES referred, twice int GENERATED ALWAYS AS (n * 2) STORED, long text) PARTITION BY RANGE (id);
ALTER TABLE "Part ""s"."Ünï 'x" ALTER long SET STORAGE EXTERNAL;
CREATE TRIGGER nothing AFTER INSERT ON "Part ""s"."Ünï 'x" FOR EACH ROW EXECUTE FUNCTION nothing();
SELECT create_id_partitions('"Part ""s"."Ünï ''x"', '1 day', '2026-12-01Z', '2026-12-02Z');
SELECT attname, attnotnull, attgenerated, attstorage, pg_get_expr(adbin, adrelid) AS "default" FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
 WHERE attrelid = '"Part ""s"."Ünï ''x_20261201"'::regclass AND attnum > 0 ORDER BY attnum;
SELECT contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = '"Part ""s"."Ünï ''x_20261201"'::regclass AND contype <> 'n' ORDER BY contype;
SELECT count(*) AS triggers FROM pg_trigger WHERE tgrelid = '"Part ""s"."Ünï ''x_20261201"'::regclass AND NOT tgisinternal;
-- 63 bytes, by whole characters
SELECT repeat('é', 31) || 'x' AS wide \gset
CREATE TABLE :"wide" (id objectid) PARTITION BY RANGE (id);
SELECT octet_length(trim('"' FROM p::text)) AS bytes, right(p::text, 10) AS suffix FROM create_id_partitions(:'wide', '1 day', '2026-12-01Z', '2026-12-03Z') AS p;

-- another with the same beginning
SELECT repeat('é', 31) || 'y' AS wide2 \gset
CREATE TABLE :"wide2" (id objectid) PARTITION BY RANGE (id);
SELECT octet_length(trim('"' FROM p::text)) AS bytes, right(p::text, 10) AS suffix FROM create_id_partitions(:'wide2', '1 day', '2026-12-01Z', '2026-12-03Z') AS p;

--
-- Errors
--
CREATE TABLE event (id objectid) PARTITION BY RANGE (id);
CREATE TABLE event_default PARTITION OF event DEFAULT;
INSERT INTO event SELECT objectid_floor('2026-12-05Z') FROM generate_series(1, 3);
SELECT create_id_partitions('event', '1 month', '2026-12-01Z', '2027-01-01Z');
CREATE TABLE listed (id bigint) PARTITION BY LIST (id);
CREATE TABLE two (id bigint, n int) PARTITION BY RANGE (id, n);
CREATE TABLE other (id int) PARTITION BY RANGE (id);
SELECT create_id_partitions('referred', '1 month', '2026-12-01Z', '2027-01-01Z');
SELECT id_partitions('listed');
SELECT id_partitions('two');
SELECT id_partitions('other');
SELECT create_id_partitions('event', NULL, '2026-12-01Z', '2027-01-01Z');
SELECT create_id_partitions('event', '30 s', '2026-12-01Z', '2027-01-01Z');
SELECT create_id_partitions('event', '90 s', '2026-12-01Z', '2027-01-01Z');
SELECT create_id_partitions('event', '-1 day', '2026-12-01Z', '2027-01-01Z');
SELECT create_id_partitions('event', '1 day', '2026-12-02Z', '2026-12-01Z');
SELECT create_id_partitions('event', '1 day', '2026-12-02Z', 'infinity');
-- no ids have these times: before the first, and between the ticks of a layout
SELECT create_id_partitions('event', '1 month', '1969-12-01Z', '1970-01-01Z');
SELECT create_id_partitions('plain', '1 month', '2025-12-01Z', '2026-01-01Z');
CREATE TABLE seventh (id bigint) PARTITION BY RANGE (id);
SELECT create_id_partitions('seventh', '1 day', '2026-12-01Z', '2026-12-02Z', 'time:40,node:10,seq:12;tick=7ms;epoch=2026-01-01T00:00:00Z');
-- a name that is taken
CREATE TABLE number_20270101 ();
ALTER TABLE number ALTER id DROP DEFAULT;
SELECT create_id_partitions('number', '1 month', '2027-01-01Z', '2027-02-01Z');

SET client_min_messages = warning;
DROP SCHEMA parts, "Part ""s" CASCADE;
