--
-- Partitions by time: create_id_partitions and id_partitions
--

SET timezone = 'UTC';
SET datestyle = 'ISO';
SET search_path = public, objectid_ext_tools;
-- the context of an error is not shown
\set SHOW_CONTEXT never
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_parts;
DROP ROLE IF EXISTS regress_part_user;
RESET client_min_messages;

--
-- The three types of keys
--
CREATE SEQUENCE ids;
CREATE TABLE part_oid (id objectid, n int) PARTITION BY RANGE (id);
CREATE TABLE part_big (id bigint DEFAULT next_snowflake('ids', 1, 'twitter'), n int) PARTITION BY RANGE (id);
CREATE TABLE part_insta (n int, id bigint) PARTITION BY RANGE (id);
CREATE TABLE part_uuid (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
SELECT * FROM id_partitions('part_oid');

SELECT create_id_partitions('part_oid', '1 day', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00');
SELECT create_id_partitions('part_big', '1 day', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00');
SELECT create_id_partitions('part_insta', '1 day', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00', 'instagram');
SELECT create_id_partitions(parent => 'part_uuid', every => '1 day', first => '2026-01-01 00:00:00+00', upto => '2026-01-04 00:00:00+00');
SELECT * FROM id_partitions('part_oid');
SELECT * FROM id_partitions('part_big');
SELECT * FROM id_partitions('part_insta', 'instagram');
SELECT * FROM id_partitions('part_uuid');
SELECT c.oid::regclass AS partition, pg_get_expr(relpartbound, c.oid) AS bounds
FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid
WHERE inhparent IN ('part_oid'::regclass, 'part_big'::regclass, 'part_insta'::regclass, 'part_uuid'::regclass) ORDER BY c.oid::regclass::text COLLATE "C";

-- The same call again creates nothing; a wider one creates the missing
-- partitions before, between and after.
SELECT create_id_partitions('part_oid', '1 day', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00');
SELECT create_id_partitions('part_insta', '1 day', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00', 'instagram');
SELECT create_id_partitions('part_oid', '1 day', '2025-12-31 00:00:00+00', '2026-01-05 00:00:00+00');
DROP TABLE part_big_20260102;
SELECT create_id_partitions('part_big', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 12:00:00+00');
SELECT create_id_partitions('part_uuid', '1 day', '2026-01-03 00:00:00+00', '2026-01-05 00:00:00+00');
-- the last one can end after upto, which is inside it or its end
SELECT create_id_partitions('part_uuid', '1 day', '2026-01-05 00:00:00+00', '2026-01-05 00:00:00.000001+00');

-- A row is stored by the time in its id, exact to the tick.
INSERT INTO part_oid SELECT id FROM unnest(ARRAY[objectid_ceiling('2026-01-01 23:59:59+00'), objectid_floor('2026-01-02 00:00:00+00'), objectid_ceiling('2026-01-02 23:59:59.999999+00'), objectid_floor('2026-01-02 23:59:59.000001+00')]) AS id;
INSERT INTO part_big SELECT id FROM unnest(ARRAY[snowflake_ceiling('2026-01-01 23:59:59.999999+00', 'twitter'), snowflake_floor('2026-01-02 00:00:00+00', 'twitter'), snowflake_ceiling('2026-01-02 23:59:59.999999+00', 'twitter'), snowflake_floor('2026-01-02 23:59:59.999001+00', 'twitter')]) AS id;
INSERT INTO part_insta (id) SELECT id FROM unnest(ARRAY[snowflake_ceiling('2026-01-01 23:59:59.999999+00', 'instagram'), snowflake_floor('2026-01-02 00:00:00+00', 'instagram')]) AS id;
INSERT INTO part_uuid SELECT id FROM unnest(ARRAY[uuidv7_ceiling('2026-01-01 23:59:59.999999+00'), uuidv7_floor('2026-01-02 00:00:00+00')]) AS id;
SELECT tableoid::regclass AS partition, id::text, objectid_timestamp(id) AS time FROM part_oid
UNION ALL SELECT tableoid::regclass, id::text, snowflake_timestamp(id, 'twitter') FROM part_big
UNION ALL SELECT tableoid::regclass, id::text, snowflake_timestamp(id, 'instagram') FROM part_insta
UNION ALL SELECT tableoid::regclass, id::text, uuidv7_timestamp(id) FROM part_uuid ORDER BY 1, 2;
INSERT INTO part_oid SELECT objectid_ceiling('2025-12-30 23:59:59+00');
INSERT INTO part_oid SELECT objectid_floor('2026-01-05 00:00:00+00');
-- For any second, a row is in the partition that id_partitions shows.
INSERT INTO part_oid SELECT (left(objectid_floor(timestamptz '2025-12-31 00:00:00+00' + i * interval '431 s')::text, 8) || left(md5(i::text), 16))::objectid FROM generate_series(0, 1000) AS i;
SELECT count(*) AS rows, count(*) FILTER (WHERE objectid_timestamp(id) >= lower AND objectid_timestamp(id) < upper) AS right_place
FROM part_oid JOIN id_partitions('part_oid') ON partition = part_oid.tableoid;
-- and a condition on the time reads only that partition
CREATE FUNCTION pg_temp.scanned(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
    RETURN (SELECT string_agg(DISTINCT m[1], ' ') FROM regexp_matches(plan::text, '"Relation Name": "([^"]*)"', 'g') AS m);
END $$;
SELECT pg_temp.scanned('SELECT FROM part_oid WHERE id >= timestamptz ''2026-01-04 00:00:00+00''') AS objectid,
       pg_temp.scanned('SELECT FROM part_big WHERE snowflake_within(id, ''[2026-01-02 00:00:00+00,2026-01-03 00:00:00+00)'', ''twitter'')') AS twitter,
       pg_temp.scanned('SELECT FROM part_insta WHERE snowflake_within(id, ''[2026-01-02 00:00:00+00,2026-01-03 00:00:00+00)'', ''instagram'')') AS instagram,
       pg_temp.scanned('SELECT FROM part_uuid WHERE uuidv7_within(id, ''[2026-01-02 00:00:00+00,2026-01-03 00:00:00+00)'')') AS uuid;
DROP TABLE part_oid, part_big, part_insta, part_uuid;

--
-- Intervals
--
CREATE TABLE part (id objectid) PARTITION BY RANGE (id);
-- Create partitions, show them, and drop them.
CREATE FUNCTION pg_temp.made(every interval, first timestamptz, upto timestamptz, OUT partition text, OUT lower timestamptz, OUT upper timestamptz) RETURNS SETOF record
LANGUAGE plpgsql AS $$
DECLARE
    name regclass;
BEGIN
    PERFORM create_id_partitions('part', every, first, upto);
    FOR partition, lower, upper IN SELECT * FROM id_partitions('part') LOOP
        RETURN NEXT;
        EXECUTE format('DROP TABLE %s', partition);
    END LOOP;
END $$;
SELECT * FROM pg_temp.made('1 minute', '2026-01-01 00:00:00+00', '2026-01-01 00:03:00+00');
SELECT * FROM pg_temp.made('15 minutes', '2026-01-01 23:30:00+00', '2026-01-02 00:15:00+00');
SELECT * FROM pg_temp.made('1 hour', '2026-01-01 22:00:00+00', '2026-01-02 01:00:00+00');
SELECT * FROM pg_temp.made('1 day', '2028-02-28 00:00:00+00', '2028-03-02 00:00:00+00');
SELECT * FROM pg_temp.made('24 hours', '2028-02-28 00:00:00+00', '2028-03-01 00:00:00+00');
SELECT * FROM pg_temp.made('1 week', '2026-01-05 00:00:00+00', '2026-01-26 00:00:00+00');
-- sums of months do not drift
SELECT * FROM pg_temp.made('1 month', '2026-01-31 00:00:00+00', '2026-06-01 00:00:00+00');
SELECT * FROM pg_temp.made('3 months', '2025-11-30 00:00:00+00', '2026-11-30 00:00:00+00');
SELECT * FROM pg_temp.made('1 year', '2024-02-29 00:00:00+00', '2029-01-01 00:00:00+00');
SELECT * FROM pg_temp.made('366 days', '2024-01-01 00:00:00+00', '2025-01-01 00:00:00+00');
-- names are as precise as the bounds; a fraction of a second is rounded up
SELECT * FROM pg_temp.made('1 day', '2026-01-01 06:00:00+00', '2026-01-02 06:00:00+00');
SELECT * FROM pg_temp.made('36 hours', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00');
SELECT * FROM pg_temp.made('1 minute', '2026-01-01 00:00:30.25+00', '2026-01-01 00:01:31+00');
SELECT * FROM pg_temp.made('90.5 s', '2026-01-01 00:00:00+00', '2026-01-01 00:03:00+00');
-- the ends of the possible range
SELECT * FROM pg_temp.made('1 month', '1969-12-15 00:00:00+00', '1970-02-01 00:00:00+00');
SELECT * FROM pg_temp.made('1 year', '2106-01-01 00:00:00+00', '2106-12-31 00:00:00+00');

-- TimeZone of the session has no effect, even when daylight saving changes.
CREATE TABLE part_zone (zone text, partition text, lower timestamptz, upper timestamptz);
DO $$
DECLARE
    zone text;
BEGIN
    FOREACH zone IN ARRAY '{UTC,America/New_York,Asia/Kathmandu,Pacific/Apia,Australia/Lord_Howe}'::text[] LOOP
        PERFORM set_config('timezone', zone, true);
        INSERT INTO part_zone SELECT zone || ' day', m.* FROM pg_temp.made('1 day', '2026-03-07 00:00:00+00', '2026-03-11 00:00:00+00') AS m;
        INSERT INTO part_zone SELECT zone || ' hour', m.* FROM pg_temp.made('1 hour', '2026-11-01 04:00:00+00', '2026-11-01 08:00:00+00') AS m;
        INSERT INTO part_zone SELECT zone || ' month', m.* FROM pg_temp.made('1 month', '2026-01-31 00:00:00+00', '2026-12-01 00:00:00+00') AS m;
    END LOOP;
END $$;
SELECT split_part(zone, ' ', 2) AS every, count(DISTINCT (partition, lower, upper)) AS partitions, count(*) / 5 AS in_each_zone, count(DISTINCT split_part(zone, ' ', 1)) AS zones FROM part_zone GROUP BY every ORDER BY every;
DROP TABLE part_zone;
-- The caller can give a time zone offset.
SET timezone = 'America/New_York';
SELECT * FROM pg_temp.made('1 day', '2026-03-08', '2026-03-09');
SHOW timezone;
SET timezone = 'UTC';
DROP TABLE part;

--
-- Names
--
CREATE SCHEMA "Part ""quoted"" schema";
CREATE TABLE "Part ""quoted"" schema"."Ünïcode 'parent' %I" (id objectid) PARTITION BY RANGE (id);
SELECT create_id_partitions('"Part ""quoted"" schema"."Ünïcode ''parent'' %I"', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00');
SELECT create_id_partitions('"Part ""quoted"" schema"."Ünïcode ''parent'' %I"', '1 day', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00');
SELECT * FROM id_partitions('"Part ""quoted"" schema"."Ünïcode ''parent'' %I"');
-- a keyword; a name that looks like a schema and a table
CREATE TABLE "select" (id uuid) PARTITION BY RANGE (id);
CREATE TABLE "a.b" (id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
SELECT create_id_partitions('"select"', '1 hour', '2026-01-01 00:00:00+00', '2026-01-01 01:00:00+00');
SELECT create_id_partitions('"a.b"', '1 hour', '2026-01-01 00:00:00+00', '2026-01-01 01:00:00+00');
-- 63 bytes: the parent's name is truncated, by whole characters
SELECT repeat('p', 63) AS long, repeat('é', 31) || 'x' AS wide \gset
CREATE TABLE :"long" (id objectid) PARTITION BY RANGE (id);
CREATE TABLE :"wide" (id objectid) PARTITION BY RANGE (id);
SELECT partition, octet_length(partition::text) AS bytes FROM create_id_partitions(:'long', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00') AS partition;
SELECT partition, octet_length(trim('"' FROM partition::text)) AS bytes FROM create_id_partitions(:'wide', '1 minute', '2026-01-01 00:00:00+00', '2026-01-01 00:02:00+00') AS partition;
SELECT create_id_partitions(:'long', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00');
SELECT create_id_partitions(:'wide', '1 minute', '2026-01-01 00:00:00+00', '2026-01-01 00:02:00+00');
-- a name that is taken, by a partition of a parent with a similar name
SELECT repeat('p', 62) || 'q' AS other \gset
CREATE TABLE :"other" (id objectid) PARTITION BY RANGE (id);
SELECT create_id_partitions(:'other', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00');
SELECT count(*) AS left_behind FROM id_partitions(:'other');
DROP TABLE :"long", :"wide", :"other", "select", "a.b";
DROP SCHEMA "Part ""quoted"" schema" CASCADE;
-- a partition with another name is found by its bounds
CREATE TABLE part (id objectid) PARTITION BY RANGE (id);
CREATE TABLE part_new_year PARTITION OF part FOR VALUES FROM (objectid_floor('2026-01-01 00:00:00+00')) TO (objectid_floor('2026-01-02 00:00:00+00'));
SELECT create_id_partitions('part', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00');
DROP TABLE part;

--
-- Partitions are in the parent's schema, for any search_path, and only functions
-- and operators of core and the extension are called.
--
CREATE SCHEMA part_schema;
CREATE TABLE part_schema.part (id objectid) PARTITION BY RANGE (id);
SELECT create_id_partitions('part_schema.part', '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00');
SET search_path = '';
SELECT objectid_ext_tools.create_id_partitions('part_schema.part', '1 day', '2026-01-01 00:00:00+00', '2026-01-03 00:00:00+00');
SELECT * FROM objectid_ext_tools.id_partitions('part_schema.part');
SHOW search_path;
SET search_path = public, objectid_ext_tools;
CREATE SCHEMA part_hostile;
CREATE FUNCTION part_hostile.evil() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a function that has no business here was called'; END $$;
CREATE FUNCTION part_hostile.to_char(timestamptz, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.format(text, VARIADIC text[]) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.format(text, name, name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.format(text, text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.format(text, name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.date_trunc(text, timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.isfinite(timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.octet_length(text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.set_config(text, text, boolean) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile._partition_key_type(regclass) RETURNS regtype LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile._partition_bound(regtype, timestamptz, snowflake_layout) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.objectid_floor(timestamptz) RETURNS objectid LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.objectid_timestamp(objectid) RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.pg_get_expr(pg_node_tree, oid) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.regexp_match(text, text) RETURNS text[] LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.compare(timestamptz, timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.multiply(int, interval) RETURNS interval LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE FUNCTION part_hostile.equal(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM part_hostile.evil(); END $$;
CREATE OPERATOR part_hostile.>= (FUNCTION = part_hostile.compare, LEFTARG = timestamptz, RIGHTARG = timestamptz);
CREATE OPERATOR part_hostile.<= (FUNCTION = part_hostile.compare, LEFTARG = timestamptz, RIGHTARG = timestamptz);
CREATE OPERATOR part_hostile.= (FUNCTION = part_hostile.compare, LEFTARG = timestamptz, RIGHTARG = timestamptz);
CREATE OPERATOR part_hostile.= (FUNCTION = part_hostile.equal, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR part_hostile.* (FUNCTION = part_hostile.multiply, LEFTARG = int, RIGHTARG = interval);
CREATE TABLE part_hostile.pg_class (oid oid);
CREATE TABLE part_hostile.pg_inherits (inhrelid oid);
CREATE TABLE part_hostile.pg_partitioned_table (partrelid oid);
CREATE DOMAIN part_hostile.regclass AS oid;
CREATE TABLE part_hostile.part ();
CREATE TEMP TABLE pg_class ();
CREATE TEMP TABLE pg_attribute ();
SET search_path = part_hostile, pg_temp, public, pg_catalog;
SELECT objectid_ext_tools.create_id_partitions('part_schema.part'::pg_catalog.regclass, '1 day', '2026-01-01 00:00:00+00', '2026-01-04 00:00:00+00');
SELECT partition FROM objectid_ext_tools.id_partitions('part_schema.part'::pg_catalog.regclass);
SHOW search_path;
SET search_path = public, objectid_ext_tools;
DROP TABLE pg_temp.pg_class, pg_temp.pg_attribute;
SET client_min_messages = warning;
DROP SCHEMA part_hostile, part_schema CASCADE;
RESET client_min_messages;
-- partitions of a temporary parent are temporary
CREATE TEMP TABLE part (id objectid) PARTITION BY RANGE (id);
SELECT create_id_partitions('part', '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00') \gset
SELECT relpersistence, relnamespace = pg_my_temp_schema() AS mine FROM pg_class WHERE relname = 'part_20260101';
DROP TABLE part;

--
-- Existing partitions: a default partition, unbounded ends, partitions of
-- partitions
--
CREATE TABLE part (id objectid) PARTITION BY RANGE (id);
CREATE TABLE part_default PARTITION OF part DEFAULT;
CREATE TABLE part_before PARTITION OF part FOR VALUES FROM (MINVALUE) TO (objectid_floor('2025-01-01 00:00:00+00'));
CREATE TABLE part_after PARTITION OF part FOR VALUES FROM (objectid_floor('2030-01-01 00:00:00+00')) TO (MAXVALUE);
CREATE TABLE part_sub PARTITION OF part FOR VALUES FROM (objectid_floor('2025-01-01 00:00:00+00')) TO (objectid_floor('2025-02-01 00:00:00+00')) PARTITION BY RANGE (id);
SELECT create_id_partitions('part_sub', '2 weeks', '2025-01-01 00:00:00+00', '2025-01-29 00:00:00+00');
SELECT create_id_partitions('part', '1 month', '2025-01-01 00:00:00+00', '2025-04-01 00:00:00+00');
SELECT * FROM id_partitions('part');
SELECT * FROM id_partitions('part_sub');
-- rows of the default partition conflict, or do not
INSERT INTO part VALUES (objectid_floor('2025-06-15 00:00:00+00'));
SELECT create_id_partitions('part', '1 month', '2025-04-01 00:00:00+00', '2025-06-01 00:00:00+00');
SELECT create_id_partitions('part', '1 month', '2025-06-01 00:00:00+00', '2025-08-01 00:00:00+00');
SELECT count(*) FROM id_partitions('part');

-- Conflicts: another partition overlaps, in part or in whole
SELECT create_id_partitions('part', '1 day', '2025-03-31 00:00:00+00', '2025-04-02 00:00:00+00');
SELECT create_id_partitions('part', '1 month', '2024-12-01 00:00:00+00', '2025-02-01 00:00:00+00');
SELECT create_id_partitions('part', '1 year', '2029-06-01 00:00:00+00', '2030-06-01 00:00:00+00');
-- partitions created before the error are rolled back
SELECT create_id_partitions('part', '20 days', '2029-11-01 00:00:00+00', '2030-02-01 00:00:00+00');
SELECT count(*) FROM id_partitions('part');
DROP TABLE part;

-- Bigints that are not ids of any layout, and bounds inside a tick
CREATE TABLE part (id bigint DEFAULT next_snowflake('ids', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE part_serial PARTITION OF part FOR VALUES FROM (0) TO (1000);
CREATE TABLE part_rest PARTITION OF part FOR VALUES FROM (1000) TO (1288834974657);
SELECT * FROM id_partitions('part');
DROP TABLE part;

--
-- Errors, which leave nothing behind
--
CREATE TABLE part (id objectid, n int) PARTITION BY RANGE (id);
CREATE TABLE part_bigint (id bigint) PARTITION BY RANGE (id);
SELECT create_id_partitions('part', '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00');
CREATE TABLE part_plain (id objectid);
CREATE TABLE part_hash (id objectid) PARTITION BY HASH (id);
CREATE TABLE part_list (id objectid) PARTITION BY LIST (id);
CREATE TABLE part_int4 (id int) PARTITION BY RANGE (id);
CREATE DOMAIN part_domain AS objectid;
CREATE TABLE part_domain_key (id part_domain) PARTITION BY RANGE (id);
CREATE TABLE part_time (id timestamptz) PARTITION BY RANGE (id);
CREATE TABLE part_two (id objectid, n int) PARTITION BY RANGE (id, n);
CREATE TABLE part_expression (id objectid) PARTITION BY RANGE ((objectid_timestamp(id)));
CREATE TABLE part_same (id objectid) PARTITION BY RANGE ((coalesce(id, '000000000000000000000000')));
CREATE VIEW part_view AS SELECT gen_objectid() AS id;
CREATE FUNCTION pg_temp.refusal(parent text, every interval, first timestamptz, upto timestamptz, layout snowflake_layout DEFAULT 'twitter', OUT state text, OUT message text, OUT detail text)
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM create_id_partitions(parent, every, first, upto, layout);
EXCEPTION WHEN OTHERS THEN
    state := SQLSTATE;
    message := SQLERRM;
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
END $$;
SELECT parent, r.* FROM unnest('{part_plain,part_hash,part_list,part_int4,part_domain_key,part_time,part_two,part_expression,part_same,part_view,part_20260101,pg_class}'::text[]) AS parent,
       pg_temp.refusal(parent, '1 day', '2026-01-01 00:00:00+00', '2026-01-02 00:00:00+00') AS r;
SELECT every, r.* FROM unnest('{0 s,59.999999 s,-1 day,-1 month,1 mon -30 days,366 days 1 us,13 months,10 years}'::interval[]) AS every, pg_temp.refusal('part', every, '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00') AS r;
SELECT first, upto, r.*
FROM (VALUES ('2026-02-02 00:00:00+00'::timestamptz, '2026-02-01 00:00:00+00'::timestamptz), ('2026-02-02 00:00:00+00', '2026-02-02 00:00:00+00'), ('-infinity', '2026-02-02 00:00:00+00'),
             ('2026-02-02 00:00:00+00', 'infinity'), ('infinity', 'infinity'), ('1969-12-30 00:00:00+00', '1970-01-02 00:00:00+00'), ('2106-02-01 00:00:00+00', '2106-03-01 00:00:00+00'), ('2200-01-01 00:00:00+00', '2200-01-02 00:00:00+00'), ('4713-01-01 00:00:00+00 BC', '2026-01-01 00:00:00+00')) AS v (first, upto),
     pg_temp.refusal('part', '1 day', first, upto) AS r;
SELECT layout, first, r.message FROM (VALUES ('twitter'::snowflake_layout, '2010-11-03 00:00:00+00'::timestamptz), ('js53', '2025-12-30 00:00:00+00'), ('js53', '2095-09-07 00:00:00+00'), ('instagram', '2046-06-27 00:00:00+00')) AS v (layout, first),
     pg_temp.refusal('part_bigint', '1 day', first, first + interval '2 days', layout) AS r;
SELECT count(*) FROM id_partitions('part');
SELECT count(*) FROM id_partitions('part_bigint', 'twitter');
SELECT create_id_partitions('part', '1 day', '2026-02-02 00:00:00+00', '2026-02-01 00:00:00+00');
SELECT id_partitions('part_hash');
SELECT create_id_partitions('part_that_is_not', '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
SELECT create_id_partitions(0::regclass, '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
-- NULL
SELECT create_id_partitions(NULL, '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
SELECT create_id_partitions('part', NULL, '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
SELECT create_id_partitions('part', '1 day', NULL, '2026-02-02 00:00:00+00');
SELECT create_id_partitions('part', '1 day', '2026-02-01 00:00:00+00', NULL);
SELECT create_id_partitions('part_bigint', '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00', NULL);
SELECT * FROM id_partitions(NULL);
SELECT count(*) FROM id_partitions('part');
-- in a read-only transaction
BEGIN READ ONLY;
SELECT create_id_partitions('part', '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
ROLLBACK;
-- a rollback removes everything
BEGIN;
SELECT count(*) FROM create_id_partitions('part', '1 day', '2026-02-01 00:00:00+00', '2026-03-01 00:00:00+00');
ROLLBACK;
SELECT count(*) FROM id_partitions('part');

-- A role without the privilege
CREATE ROLE regress_part_user;
CREATE SCHEMA part_schema;
CREATE TABLE part_schema.part (id objectid) PARTITION BY RANGE (id);
GRANT USAGE ON SCHEMA part_schema TO regress_part_user;
-- the owner is who runs this test
\set VERBOSITY terse
SET ROLE regress_part_user;
SELECT create_id_partitions('part_schema.part', '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
RESET ROLE;
GRANT ALL ON part_schema.part TO regress_part_user;
GRANT CREATE ON SCHEMA part_schema TO regress_part_user;
SET ROLE regress_part_user;
SELECT create_id_partitions('part_schema.part', '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
SELECT count(*) FROM id_partitions('part_schema.part');
RESET ROLE;
REVOKE CREATE ON SCHEMA part_schema FROM regress_part_user;
ALTER TABLE part_schema.part OWNER TO regress_part_user;
SET ROLE regress_part_user;
SELECT create_id_partitions('part_schema.part', '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
RESET ROLE;
\set VERBOSITY default
-- the owner has it
GRANT CREATE ON SCHEMA part_schema TO regress_part_user;
SET ROLE regress_part_user;
SELECT create_id_partitions('part_schema.part', '1 day', '2026-02-01 00:00:00+00', '2026-02-02 00:00:00+00');
RESET ROLE;
SELECT tableowner FROM pg_tables WHERE tablename = 'part_20260201';
DROP VIEW part_view;
DROP TABLE part, part_bigint, part_plain, part_hash, part_list, part_int4, part_domain_key, part_time, part_two, part_expression, part_same, part_schema.part;
DROP DOMAIN part_domain;
DROP SCHEMA part_schema;
DROP ROLE regress_part_user;

--
-- objectid_ext in a separate schema, and then moved to another
--
\set original :DBNAME
CREATE DATABASE regress_objectid_parts;
\c regress_objectid_parts
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE SCHEMA "Ids";
CREATE EXTENSION objectid_ext SCHEMA "Ids";
CREATE EXTENSION objectid_ext_tools;
CREATE SCHEMA app;
CREATE TABLE app.event (id "Ids".objectid) PARTITION BY RANGE (id);
SELECT objectid_ext_tools.create_id_partitions('app.event', '1 month', '2026-01-01 00:00:00+00', '2026-03-01 00:00:00+00');
SET search_path = '';
SELECT objectid_ext_tools.create_id_partitions('app.event', '1 month', '2026-01-01 00:00:00+00', '2026-04-01 00:00:00+00');
SELECT * FROM objectid_ext_tools.id_partitions('app.event');
DO $$
BEGIN
	SET standard_conforming_strings = off;
EXCEPTION
	WHEN feature_not_supported THEN NULL;	-- from 19 on literals are always standard
END $$;
SELECT count(*), count(upper) FROM objectid_ext_tools.id_partitions('app.event');
RESET standard_conforming_strings;
CREATE SCHEMA moved;
ALTER EXTENSION objectid_ext SET SCHEMA moved;
SELECT objectid_ext_tools.create_id_partitions('app.event', '1 month', '2026-01-01 00:00:00+00', '2026-05-01 00:00:00+00');
SELECT * FROM objectid_ext_tools.id_partitions('app.event');
-- functions of other users in the extension's schema are not called, although
-- they match better than core's
CREATE FUNCTION moved.format(text, name, name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no business here'; END $$;
CREATE FUNCTION moved.format(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no business here'; END $$;
CREATE FUNCTION moved.to_char(timestamptz, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no business here'; END $$;
CREATE FUNCTION moved._partition_key_type(regclass) RETURNS regtype LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no business here'; END $$;
SELECT objectid_ext_tools.create_id_partitions('app.event', '1 month', '2026-01-01 00:00:00+00', '2026-06-01 00:00:00+00');
SELECT count(*) FROM objectid_ext_tools.id_partitions('app.event');
-- a bound that is not an id of the layout has no time, and does not hide the rest
CREATE TABLE app.number (id bigint) PARTITION BY RANGE (id);
CREATE TABLE app.negative PARTITION OF app.number FOR VALUES FROM (-100) TO (0);
CREATE TABLE app.large PARTITION OF app.number FOR VALUES FROM (9007199254740991) TO (9007199254740993);
SELECT * FROM objectid_ext_tools.id_partitions('app.number', 'js53');
-- a table in the extension's schema, too
CREATE TABLE moved.event (id uuid) PARTITION BY RANGE (id);
SELECT objectid_ext_tools.create_id_partitions('moved.event', '1 month', '2026-01-01 00:00:00+00', '2026-02-01 00:00:00+00');
\c :original
DROP DATABASE regress_objectid_parts;
