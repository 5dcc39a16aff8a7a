--
-- The view clock_sequences: defaults that call generators, and what is wrong with
-- them.  It shows the whole database, so it has one of its own.
--
\a \t on

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_clocks;
DROP ROLE IF EXISTS regress_clock_writer, regress_clock_monitor;
RESET client_min_messages;
CREATE ROLE regress_clock_writer;
CREATE ROLE regress_clock_monitor IN ROLE pg_monitor;
CREATE DATABASE regress_objectid_clocks;
\c regress_objectid_clocks
\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE SCHEMA "Ids.*";
CREATE EXTENSION objectid_ext SCHEMA "Ids.*";
CREATE EXTENSION objectid_ext_tools;
CREATE SCHEMA app;
SET search_path = app, "Ids.*";
CREATE VIEW problem AS SELECT table_name, column_name, problem FROM objectid_ext_tools.clock_sequences WHERE problem IS NOT NULL;
SELECT count(*) FROM objectid_ext_tools.clock_sequences;

--
-- Nothing is wrong with these: how the arguments are read
--
CREATE SEQUENCE one_id CACHE 64;
CREATE TABLE one (id bigint PRIMARY KEY DEFAULT next_snowflake('one_id', 5, 'twitter'), n int);
INSERT INTO one (n) SELECT generate_series(1, 1000);
CREATE SEQUENCE "Two'd ""q"" \x.id" INCREMENT 10;
CREATE TABLE "T ""wo'.t" (n text DEFAULT 'next_snowflake(''app.x''::regclass, 6, ''twitter'')', "C c" bigint DEFAULT next_snowflake('"Two''d ""q"" \x.id"', node => 6, layout => 'js53'));
CREATE SEQUENCE three_id;
CREATE TABLE three (id text DEFAULT next_snowflake('three_id', 3, 'time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z;start=random'));
CREATE SEQUENCE four_id;
CREATE TABLE four (id bigint DEFAULT next_snowflake('app.four_id'::text::regclass, 1, 'twitter'));
CREATE SEQUENCE five_id;
CREATE TABLE five (id bigint DEFAULT next_shard_id(3, nextval('five_id')), other bigint DEFAULT next_shard_id(shard => 4, seq => nextval('app.five_id'::text::regclass), layout => 'discord'));
-- partitions and children inherit the default; a temporary table goes
CREATE SEQUENCE six_id;
CREATE TABLE six (id bigint DEFAULT next_snowflake('six_id', 9, 'sonyflake')) PARTITION BY RANGE (id);
CREATE TABLE six_1 PARTITION OF six FOR VALUES FROM (0) TO (1000) PARTITION BY RANGE (id);
CREATE TABLE six_11 PARTITION OF six_1 FOR VALUES FROM (0) TO (100);
CREATE TABLE seven () INHERITS (one);
CREATE TEMP TABLE eight (id bigint DEFAULT next_snowflake('one_id', 8, 'twitter'));
-- another function of that name, and defaults without a generator
CREATE FUNCTION app.next_snowflake(text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
CREATE TABLE nine (id bigint DEFAULT app.next_snowflake(text 'nine_id'), n serial);
SELECT table_name, column_name, generator, sequence, layout, node, problem FROM objectid_ext_tools.clock_sequences;

-- The state of a clock: the last id is that of the block that CACHE has taken
SELECT last_id - (SELECT max(id) FROM one) BETWEEN 0 AND 63 AS last_id, last_time = snowflake_timestamp(last_id, 'twitter') AS last_time,
       lead BETWEEN interval '-10 min' AND interval '1 s' AS lead, last_instant, years_left BETWEEN 30 AND 54 AS years_left
FROM objectid_ext_tools.clock_sequences WHERE table_name = 'one'::regclass;
-- there is nothing to know of the last id of a shard, or of a sequence that has none
SELECT table_name, last_id, last_time, lead, last_instant FROM objectid_ext_tools.clock_sequences WHERE table_name IN ('five'::regclass, 'four'::regclass);
-- numbers of a serial column are not ids
SELECT setval('four_id', 5000000000);
SELECT last_id, last_time, lead, problem FROM objectid_ext_tools.clock_sequences WHERE table_name = 'four'::regclass;
-- the rate: each access counts as a block of CACHE
SELECT pg_stat_force_next_flush();
SELECT ids_taken BETWEEN 1000 AND 64 * 1000 AS taken, ids_per_second BETWEEN 1000 / elapsed AND 64 * 1000 / elapsed AS rate, abs(share * 4096000 / ids_per_second - 1) < 1e-9 AS share, counted_since <= now() AS counted_since
FROM objectid_ext_tools.clock_sequences, LATERAL extract(epoch FROM clock_timestamp() - counted_since) AS elapsed WHERE table_name = 'one'::regclass;
-- the settings of the session do not matter
SELECT md5(string_agg(concat_ws('|', table_name::oid, column_name, sequence::oid, layout, node, problem), ' ')) AS before FROM objectid_ext_tools.clock_sequences \gset
SET search_path = '';
SET quote_all_identifiers = on;
SELECT md5(string_agg(concat_ws('|', table_name::oid, column_name, sequence::oid, layout, node, problem), ' ')) = :'before' AS same, count(*) FROM objectid_ext_tools.clock_sequences;
RESET quote_all_identifiers;
SET search_path = app, "Ids.*";
DROP TABLE seven, one, "T ""wo'.t", three, four, five, six, nine;
DROP FUNCTION app.next_snowflake(text);

--
-- Problems of a default
--
CREATE SEQUENCE a_id;
CREATE TABLE unset (id bigint DEFAULT next_snowflake('a_id', 'twitter'), same bigint DEFAULT next_snowflake('a_id', snowflake_node_id(), 'twitter'));
CREATE TABLE high (id bigint DEFAULT next_snowflake('a_id', 1024, 'twitter'), shard bigint DEFAULT next_shard_id(8192, nextval('five_id')));
CREATE TABLE narrow (a int DEFAULT next_snowflake('a_id', 1, 'twitter'), b double precision DEFAULT next_snowflake('a_id', 1, 'twitter'));
CREATE SEQUENCE exact_id;
CREATE TABLE exact (id double precision DEFAULT next_snowflake('exact_id', 1, 'js53'));
CREATE TABLE unknown (a bigint DEFAULT next_snowflake('app.gone_id'::text::regclass, 1, 'twitter'), b bigint DEFAULT next_snowflake('a_id'::text::regclass, 1, 'twitter'), c bigint DEFAULT next_snowflake('unset', 1, 'twitter'));
-- and those that are not read
CREATE FUNCTION current_layout() RETURNS snowflake_layout LANGUAGE sql RETURN 'twitter'::snowflake_layout;
CREATE TABLE computed (a bigint DEFAULT next_snowflake('a_id', 1, current_layout()), b bigint DEFAULT next_snowflake('a_id', 1 + 1, 'twitter'), c bigint DEFAULT next_snowflake(format('%s_id', 'a')::regclass, 1, 'twitter'),
    d bigint DEFAULT next_snowflake('a_id', 1, 'twitter') + 1, e bigint DEFAULT next_snowflake('a_id', -1, 'twitter'), f bigint DEFAULT next_shard_id(1, 5), g bigint[] DEFAULT ARRAY[next_snowflake('a_id', 1, 'twitter')]);
-- nobody can make the view fail with one that is too long, or too deep for the stack
DO $$
BEGIN
    EXECUTE format('CREATE TABLE large (id bigint DEFAULT next_snowflake(''a_id'', length(%L), ''twitter''))', repeat('x', 150000));
    EXECUTE format('CREATE TABLE odd (id bigint DEFAULT next_snowflake(%L::text::regclass, 1, ''twitter''), b bigint DEFAULT next_snowflake(%L::text::regclass, 1, ''twitter''))', 'a..b"', '99999999999999999999');
    -- the deepest that the parser takes cannot be printed
    BEGIN
        EXECUTE format('CREATE TABLE nested (id bigint DEFAULT next_snowflake(''a_id'', %s1%s, ''twitter''))', repeat('coalesce(', 4100), repeat(')', 4100));
    EXCEPTION WHEN others THEN
        CREATE TABLE nested (id bigint DEFAULT next_snowflake('a_id', 1 + 1, 'twitter'));
    END;
END
$$;
SELECT * FROM problem;
DROP TABLE unset, high, narrow, exact, unknown, computed, large, nested, odd;
-- a layout that has not begun
CREATE TABLE future (id bigint DEFAULT next_snowflake('a_id', 1, 'time:41,node:10,seq:12;tick=1ms;epoch=2090-01-01T00:00:00Z'));
SELECT problem ~ 'the layout begins at 2090-01-01 00:00:00\+00' AS begins FROM problem;
DROP TABLE future;

--
-- Problems of a sequence
--
CREATE TABLE option (id bigint DEFAULT next_snowflake('a_id', 1, 'instagram'));
CREATE FUNCTION pg_temp.altered(options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE 'ALTER SEQUENCE a_id ' || options;
    RETURN QUERY SELECT problem FROM objectid_ext_tools.clock_sequences;
    RAISE EXCEPTION 'undo';
EXCEPTION WHEN raise_exception THEN
END $$;
SELECT options, problem FROM unnest(ARRAY[
    'CYCLE', 'AS integer', 'MAXVALUE 1000000', 'MAXVALUE 9000000000000000000', 'MINVALUE 2 START 2 RESTART', 'MINVALUE 8000000000000000000 START 8000000000000000000 RESTART',
    'INCREMENT -1', 'INCREMENT 1025', 'CACHE 1024', 'CACHE 1025', 'INCREMENT 512 CACHE 3', 'SET UNLOGGED',
    'CACHE 9223372036854775807 INCREMENT 1000', 'INCREMENT -9223372036854775808']) AS options, pg_temp.altered(options) AS problem;
DROP TABLE option;
-- the numbers of a shard must only not be negative or come to an end
CREATE SEQUENCE shard_number AS smallint;
CREATE SEQUENCE negative_number MINVALUE -5;
CREATE TABLE shard (a bigint DEFAULT next_shard_id(1, nextval('shard_number')), b bigint DEFAULT next_shard_id(1, nextval('negative_number')));
SELECT setval('shard_number', 32000);
SELECT * FROM problem;
DROP TABLE shard;

--
-- Who else uses the sequence, or makes its ids
--
CREATE TABLE mixed (id bigint GENERATED BY DEFAULT AS IDENTITY, n bigint DEFAULT next_snowflake('mixed_id_seq', 1, 'twitter'));
CREATE SEQUENCE shared_id;
CREATE TABLE shared (id bigint DEFAULT next_snowflake('shared_id', 1, 'twitter'), "N n" bigint DEFAULT 1 + nextval('shared_id'), s bigint DEFAULT next_shard_id(1, nextval('shared_id')),
    a bigint DEFAULT nextval_any(ARRAY['a_id'::regclass, 'shared_id']), b bigint DEFAULT (nextval_range('shared_id', 2)).first, c bigint DEFAULT currval('shared_id'));
CREATE SEQUENCE called_id;
CREATE TABLE called (id bigint DEFAULT next_snowflake('called_id', 1, 'twitter'));
INSERT INTO called DEFAULT VALUES;
SELECT count(nextval('called_id')) FROM generate_series(1, 4096);
-- what a standby, or a server after a crash, sees is of no node: the last of a tick
CREATE SEQUENCE reserved_id;
CREATE TABLE reserved (id bigint DEFAULT next_snowflake('reserved_id', 1, 'twitter'));
SELECT count(setval('reserved_id', snowflake_ceiling(clock_timestamp(), 'twitter')));
-- one sequence can serve two nodes, not two layouts
CREATE SEQUENCE both_id;
CREATE TABLE both_1 (id bigint DEFAULT next_snowflake('both_id', 1, 'twitter'));
CREATE TABLE both_2 (id bigint DEFAULT next_snowflake('both_id', 2, 'twitter'));
INSERT INTO both_1 DEFAULT VALUES;
CREATE SEQUENCE layouts_id;
CREATE TABLE layouts (a bigint DEFAULT next_snowflake('layouts_id', 1, 'twitter'), b bigint DEFAULT next_snowflake('layouts_id', 2, 'discord'), c bigint DEFAULT next_snowflake('layouts_id', 2, 'twitter'));
SELECT * FROM problem;
-- a clock that is ahead, and one of whose layout the number is no id
CREATE SEQUENCE small_id;
CREATE TABLE small (id bigint DEFAULT next_snowflake('small_id', 1, 'js53'));
SELECT count(setval('reserved_id', snowflake_floor(clock_timestamp() + interval '1 hour', 'twitter') + 4096)), count(setval('small_id', 1::bigint << 60));
SELECT table_name, regexp_replace(problem, '3[56]\d\d seconds', '... seconds') AS problem FROM problem WHERE table_name IN ('reserved'::regclass, 'small'::regclass);
DROP TABLE small;
DROP TABLE mixed, shared, called, reserved, both_1, both_2, layouts;
-- half of the tables that shared a sequence by a function have another default
CREATE SCHEMA insta;
CREATE SEQUENCE insta."Table_id";
CREATE TABLE insta.photo (id bigint DEFAULT next_snowflake('insta."Table_id"', 5, 'instagram'));
CREATE FUNCTION insta.next_id(OUT result bigint) LANGUAGE plpgsql AS $$
BEGIN
    SELECT NEXTVAL ('insta."Table_id"') % 1024 INTO result;
END;
$$;
CREATE FUNCTION insta.parsed(a int) RETURNS bigint LANGUAGE sql RETURN a + nextval('insta."Table_id"');
SET check_function_bodies = off;
CREATE FUNCTION insta.bare() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''"Table_id"'')';
-- not these: of another schema, another sequence, a body that only mentions it, and an owner who may not use it
CREATE FUNCTION app.elsewhere() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''"Table_id"'')';
CREATE FUNCTION insta.another() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''insta.table_id_seq'') + setval(''insta."Table_id"'', 1)';
RESET check_function_bodies;
CREATE FUNCTION insta.current() RETURNS bigint LANGUAGE sql RETURN currval('insta."Table_id"');
CREATE FUNCTION insta.of_others() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''insta."Table_id"'')';
ALTER FUNCTION insta.of_others() OWNER TO regress_clock_writer;
-- nobody can make the view fail with a body that is too long, or too deep for the stack
DO $$
BEGIN
    EXECUTE format('CREATE FUNCTION insta.large() RETURNS bigint LANGUAGE sql RETURN nextval(''insta."Table_id"'') + length(%L)', repeat('x', 150000));
    BEGIN
        EXECUTE format('CREATE FUNCTION insta.nested() RETURNS bigint LANGUAGE sql RETURN %snextval(''insta."Table_id"'')%s', repeat('coalesce(', 4100), repeat(')', 4100));
    EXCEPTION WHEN others THEN
    END;
END
$$;
SELECT * FROM problem;
DROP FUNCTION insta.bare(), insta.parsed(int);
CREATE OR REPLACE FUNCTION insta.next_id(OUT result bigint) LANGUAGE sql RETURN next_snowflake('insta."Table_id"', 5, 'instagram');
SELECT * FROM problem;
DROP TABLE insta.photo;
SET client_min_messages = warning;
DROP SCHEMA insta CASCADE;
RESET client_min_messages;
DROP FUNCTION app.elsewhere();

-- tables of the same name in two schemas, with the same node: shards, or other tables that may have the same ids
CREATE SCHEMA shard_1;
CREATE SCHEMA shard_2;
CREATE SEQUENCE shard_1.message_id;
CREATE SEQUENCE shard_2.message_id;
CREATE TABLE shard_1.message (id bigint DEFAULT next_snowflake('shard_1.message_id', 7, 'twitter'));
CREATE TABLE shard_2.message (id bigint DEFAULT next_snowflake('shard_2.message_id', 7, 'twitter;start=random'));
SELECT table_name, same_ids, problem FROM objectid_ext_tools.clock_sequences;
ALTER TABLE shard_2.message ALTER id SET DEFAULT next_snowflake('shard_2.message_id', 8, 'twitter');
SELECT table_name, same_ids, problem FROM objectid_ext_tools.clock_sequences;

-- privileges: of those who insert, and of the monitor
GRANT INSERT ON shard_1.message TO PUBLIC;
GRANT INSERT (id) ON shard_1.message TO regress_clock_writer;
SELECT * FROM problem;
GRANT USAGE ON SEQUENCE shard_1.message_id TO PUBLIC;
SELECT * FROM problem;
REVOKE USAGE ON SEQUENCE shard_1.message_id FROM PUBLIC;
REVOKE INSERT ON shard_1.message FROM PUBLIC, regress_clock_writer;
SET ROLE regress_clock_monitor;
SELECT table_name, last_id, problem FROM objectid_ext_tools.clock_sequences;
RESET ROLE;

-- distributed tables of Citus
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition AS SELECT 'shard_1.message'::regclass AS logicalrelid;
RESET allow_system_table_mods;
SELECT * FROM problem;
ALTER TABLE shard_1.message ALTER id SET DEFAULT next_snowflake('shard_1.message_id'::text::regclass, 7, 'twitter');
SELECT * FROM problem;
ALTER SEQUENCE shard_1.message_id OWNED BY shard_1.message.id;
SELECT * FROM problem;

\c :original
DROP DATABASE regress_objectid_clocks;
DROP ROLE regress_clock_writer, regress_clock_monitor;
