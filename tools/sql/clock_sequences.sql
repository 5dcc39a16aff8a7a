--
-- The view clock_sequences: defaults that call generators, and what is wrong with
-- them.  It shows the whole database, so it has one of its own.
--

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_clocks;
DROP ROLE IF EXISTS regress_clock_owner, regress_clock_writer, regress_clock_monitor, "regress_Clock ""reader";
RESET client_min_messages;
CREATE ROLE regress_clock_owner;
CREATE ROLE regress_clock_writer;
CREATE ROLE regress_clock_monitor IN ROLE pg_monitor;
CREATE ROLE "regress_Clock ""reader";
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
SELECT count(*) FROM objectid_ext_tools.clock_sequences;

--
-- Nothing is wrong with these: how the arguments are read
--
CREATE SEQUENCE one_id CACHE 64;
CREATE TABLE one (id bigint PRIMARY KEY DEFAULT next_snowflake('one_id', 5, 'twitter'), n int);
INSERT INTO one (n) SELECT generate_series(1, 1000);
CREATE SEQUENCE "Two'd ""q"" \x.id" INCREMENT 10;
CREATE TABLE "T ""wo'.t" (n text DEFAULT 'next_snowflake(''app.x''::regclass, 6, ''twitter'')', "C c" bigint DEFAULT next_snowflake('"Two''d ""q"" \x.id"', layout => 'js53', node => 6));
CREATE SEQUENCE three_id;
CREATE TABLE three (id text DEFAULT 'a' || upper('"Ids.*".next_snowflake(''app.x''::regclass, ''twitter'')') || next_snowflake('three_id', (1 + 2) * (3), 'time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z')::text);
CREATE SEQUENCE four_id;
CREATE TABLE four (id bigint DEFAULT next_snowflake('app.four_id'::text::regclass, 1, 'twitter'));
CREATE SEQUENCE five_id;
CREATE TABLE five (id bigint DEFAULT next_shard_id(3, nextval('five_id')));
INSERT INTO five SELECT FROM generate_series(1, 10);
-- the default of a domain, of a column that was dropped, of a temporary table
CREATE SEQUENCE six_id;
CREATE DOMAIN six_key AS bigint DEFAULT next_snowflake('six_id', 2, 'twitter');
CREATE DOMAIN six_again AS six_key;
CREATE TABLE six (a six_key, b six_key DEFAULT 5, c six_again, d six_key, dropped bigint DEFAULT next_snowflake('six_id', 3, 'twitter'));
ALTER TABLE six DROP dropped, DROP d;
CREATE TEMP SEQUENCE seven_id;
CREATE TEMP TABLE seven (id bigint DEFAULT next_snowflake('seven_id', 8, 'twitter'));
-- partitions and children inherit the default
CREATE SEQUENCE eight_id;
CREATE TABLE eight (id bigint DEFAULT next_snowflake('eight_id', 9, 'sonyflake')) PARTITION BY RANGE (id);
CREATE TABLE eight_1 PARTITION OF eight FOR VALUES FROM (0) TO (1000) PARTITION BY RANGE (id);
CREATE TABLE eight_11 PARTITION OF eight_1 FOR VALUES FROM (0) TO (100);
CREATE TABLE nine () INHERITS (one);
-- another function of that name, and defaults without a generator
CREATE FUNCTION app.next_snowflake(text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
CREATE TABLE ten (id bigint DEFAULT app.next_snowflake(text 'ten_id'), n serial);
SELECT table_name, column_name, generator, sequence, layout, node, problem FROM objectid_ext_tools.clock_sequences;

-- The state of a clock, and when its layout ends
-- last_id is the last of the block that CACHE has taken
SELECT last_id - (SELECT max(id) FROM one) BETWEEN 0 AND 63 AS last_id, last_time = snowflake_timestamp(last_id, 'twitter') AS last_time,
       lead BETWEEN interval '-10 min' AND interval '1 s' AS lead, last_instant, years_left BETWEEN 30 AND 54 AS years_left
FROM objectid_ext_tools.clock_sequences WHERE table_name = 'one'::regclass;
-- there is nothing to know of the last id of a shard, or of a sequence that has none
SELECT table_name, last_id, last_time, lead, last_instant FROM objectid_ext_tools.clock_sequences WHERE table_name IN ('five'::regclass, 'four'::regclass);
-- numbers of a serial column are not ids
SELECT setval('four_id', 5000000000);
SELECT last_id, last_time, lead, problem FROM objectid_ext_tools.clock_sequences WHERE table_name = 'four'::regclass;
-- the rate: all accesses count as a block of CACHE
SELECT pg_stat_force_next_flush();
SELECT ids_taken BETWEEN 1000 AND 64 * 1000 AS taken, ids_per_second BETWEEN 1000 / elapsed AND 64 * 1000 / elapsed AS rate, abs(share * 4096000 / ids_per_second - 1) < 1e-9 AS share, counted_since <= now() AS counted_since
FROM objectid_ext_tools.clock_sequences, LATERAL extract(epoch FROM clock_timestamp() - counted_since) AS elapsed WHERE table_name = 'one'::regclass;

-- The settings of the session do not matter.
SELECT md5(string_agg(concat_ws('|', table_name::oid, column_name, sequence::oid, layout, node, problem), ' ')) AS before FROM objectid_ext_tools.clock_sequences \gset
SET search_path = '';
SET quote_all_identifiers = on;
SELECT md5(string_agg(concat_ws('|', table_name::oid, column_name, sequence::oid, layout, node, problem), ' ')) = :'before' AS same, count(*), count(problem)
FROM objectid_ext_tools.clock_sequences;
RESET quote_all_identifiers;
-- which PostgreSQL 19 cannot turn off
DO $$ BEGIN SET standard_conforming_strings = off; EXCEPTION WHEN OTHERS THEN END $$;
SELECT md5(string_agg(concat_ws('|', table_name::oid, column_name, sequence::oid, layout, node, problem), ' ')) = :'before' AS same
FROM objectid_ext_tools.clock_sequences;
RESET standard_conforming_strings;
SET search_path = app, "Ids.*";

-- What a monitor asks
CREATE FUNCTION pg_temp.problems() RETURNS TABLE (table_name regclass, column_name name, problem text) LANGUAGE sql AS
    'SELECT table_name, column_name, problem FROM objectid_ext_tools.clock_sequences WHERE problem IS NOT NULL';
SELECT * FROM pg_temp.problems();
DROP TABLE nine, one, "T ""wo'.t", three, four, five, six, pg_temp.seven, eight, ten;
DROP FUNCTION app.next_snowflake(text);

--
-- Problems of a default
--
CREATE SEQUENCE a_id;
CREATE TABLE unset (id bigint DEFAULT next_snowflake('a_id', 'twitter'));
CREATE TABLE unset_too (id bigint DEFAULT next_snowflake('a_id', snowflake_node_id(), layout => 'twitter'));
CREATE TABLE too_high (id bigint DEFAULT next_snowflake('a_id', 1024, 'twitter'));
CREATE TABLE negative (id bigint DEFAULT next_snowflake('a_id', -1, 'twitter'));
CREATE TABLE narrow (id int DEFAULT next_snowflake('a_id', 1, 'twitter'));
CREATE DOMAIN small_key AS smallint;
CREATE DOMAIN smaller_key AS small_key;
CREATE TABLE narrower (id smaller_key DEFAULT next_snowflake('a_id', 1, 'twitter'));
CREATE TABLE cast_node (id bigint DEFAULT next_snowflake('a_id', 5000::smallint, 'twitter'), "to" bigint DEFAULT next_snowflake('a_id', -2147483647::int, 'twitter'));
CREATE TABLE gone (id bigint DEFAULT next_snowflake('app.gone_id'::text::regclass, 1, 'twitter'));
CREATE TABLE unqualified (id bigint DEFAULT next_snowflake('a_id'::text::regclass, 1, 'twitter'));
CREATE TABLE no_sequence (id bigint DEFAULT next_snowflake('unset', 1, 'twitter'));
CREATE TABLE computed (id bigint DEFAULT next_snowflake(format('%s_id', 'a')::regclass, 1, 'twitter'));
CREATE FUNCTION current_layout() RETURNS snowflake_layout LANGUAGE sql RETURN 'twitter'::snowflake_layout;
CREATE TABLE computed_layout (id bigint DEFAULT next_snowflake('a_id', 1, current_layout()));
CREATE TABLE deep (id bigint DEFAULT next_snowflake('a_id', ((((1 + 2) * 3) + 4) * 5) + 1, 'twitter'));
-- nobody can make the view fail with one that is too long for it, as stored or as printed,
-- or that the stack is too small to print
DO $$
BEGIN
    EXECUTE format('CREATE TABLE large (id bigint DEFAULT next_snowflake(''a_id'', length(%1$L), ''twitter''), n bigint DEFAULT nextval(right(%1$L, 4)::regclass))', repeat('x', 150000));
    EXECUTE format('CREATE TABLE long (id bigint DEFAULT next_snowflake(''a_id'', cardinality(ARRAY[%s]), ''twitter''))', rtrim(repeat('''1e131000''::numeric, ', 4), ', '));
    EXECUTE format('CREATE TABLE nested (id bigint DEFAULT next_snowflake(''a_id'', %s1%s, ''twitter''))', repeat('coalesce(', 400), repeat(')', 400));
END
$$;
SELECT attname, objectid_ext_tools._finds_sequence(adbin) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE adrelid = 'large'::regclass ORDER BY attnum;
SET max_stack_depth = '100kB';
SELECT objectid_ext_tools._printed_default(adbin, adrelid) AS printed FROM pg_attrdef WHERE adrelid = 'nested'::regclass;
RESET max_stack_depth;
CREATE TABLE null_node (id bigint DEFAULT next_snowflake('a_id', NULL, 'twitter'), "to" bigint DEFAULT next_snowflake('a_id', layout => 'twitter', node => NULL::int), shard bigint DEFAULT next_shard_id(NULL, nextval('five_id')));
-- the node may be computed
CREATE FUNCTION current_node() RETURNS int LANGUAGE sql RETURN 1;
CREATE TABLE computed_node (id bigint DEFAULT next_snowflake('a_id', current_node(), 'twitter'));
SELECT * FROM pg_temp.problems();
-- a layout that has not begun
CREATE TABLE future (id bigint DEFAULT next_snowflake('a_id', 1, 'time:41,node:10,seq:12;tick=1ms;epoch=2090-01-01T00:00:00Z'));
SELECT problem ~ '; the layout begins at 2090-01-01 00:00:00\+00$' AS begins FROM pg_temp.problems() WHERE table_name = 'future'::regclass;
DROP TABLE future;
DROP TABLE unset, unset_too, too_high, negative, narrow, narrower, cast_node, gone, unqualified, no_sequence, computed, computed_layout, deep, large, long, nested, null_node, computed_node;

-- Types that cannot hold the ids, or not exactly: the highest has 19 digits, and that of
-- js53 is 2^53 - 1
CREATE SEQUENCE js53_id;
CREATE SEQUENCE number_id;
CREATE DOMAIN short_key AS numeric(18) CHECK (VALUE > 0);
CREATE DOMAIN shorter_key AS short_key;
CREATE DOMAIN short_keys AS varchar(18)[];
CREATE TABLE fits (a numeric DEFAULT next_snowflake('a_id', 1, 'twitter'), b numeric(19) DEFAULT next_snowflake('a_id', 1, 'twitter'), c numeric(22, 3) DEFAULT next_snowflake('a_id', 1, 'twitter'),
    d char(19) DEFAULT next_snowflake('a_id', 1, 'twitter'), e varchar(19) DEFAULT next_snowflake('a_id', 1, 'twitter'), f varchar DEFAULT next_snowflake('a_id', 1, 'twitter'), g text DEFAULT next_snowflake('a_id', 1, 'twitter'),
    h char(16) DEFAULT to_hex(next_snowflake('a_id', 1, 'twitter')), i double precision DEFAULT next_snowflake('js53_id', 1, 'js53'), j varchar(16) DEFAULT next_snowflake('js53_id', 1, 'js53'),
    k double precision DEFAULT next_shard_id(1, nextval('number_id'), 'js53'), l smallint DEFAULT (next_snowflake('a_id', 1, 'twitter') % 100)::smallint,
    m money DEFAULT next_snowflake('js53_id', 1, 'js53'), n bigint[] DEFAULT ARRAY[next_snowflake('a_id', 1, 'twitter')], o real[] DEFAULT ARRAY[next_snowflake('a_id', 1, 'twitter') % 1000],
    p smallint DEFAULT length(next_snowflake('a_id', 1, 'twitter')::text));
CREATE TABLE fits_not (a real DEFAULT next_snowflake('a_id', 1, 'twitter'), b double precision DEFAULT next_snowflake('a_id', 1, 'twitter'), c real DEFAULT next_snowflake('js53_id', 1, 'js53'),
    d numeric(18) DEFAULT next_snowflake('a_id', 1, 'twitter'), e numeric(21, 3) DEFAULT next_snowflake('a_id', 1, 'twitter'), f numeric(22, -1) DEFAULT next_snowflake('a_id', 1, 'twitter'),
    g char(18) DEFAULT next_snowflake('a_id', 1, 'twitter'), h varchar(18) DEFAULT (next_snowflake('a_id', 1, 'twitter'))::text, i char DEFAULT next_snowflake('a_id', 1, 'twitter'),
    j varchar(15) DEFAULT next_snowflake('js53_id', 1, 'js53'), k oid DEFAULT next_snowflake('a_id', 1, 'twitter'), l shorter_key DEFAULT next_snowflake('a_id', 1, 'twitter'),
    n double precision DEFAULT next_shard_id(1, nextval('number_id')), o money DEFAULT next_snowflake('a_id', 1, 'twitter'), p numeric(5, 0) DEFAULT next_snowflake('a_id', 1, 'twitter'),
    q real[] DEFAULT ARRAY[next_snowflake('a_id', 1, 'twitter')], r short_keys DEFAULT ARRAY[next_snowflake('a_id', 1, 'twitter')], s short_key[] DEFAULT ARRAY[next_snowflake('a_id', 1, 'twitter')]::numeric[],
    t numeric(18) DEFAULT next_snowflake('a_id', 1, 'twitter')::numeric(18));
SELECT * FROM pg_temp.problems();
DROP TABLE fits, fits_not;

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
    'INCREMENT -1', 'INCREMENT 1025', 'INCREMENT 1024', 'CACHE 1024', 'CACHE 1025', 'INCREMENT 512 CACHE 3', 'SET UNLOGGED',
    'CACHE 9223372036854775807 INCREMENT 1000', 'INCREMENT -9223372036854775808']) AS options, pg_temp.altered(options) AS problem;
ALTER TABLE option ALTER id DROP DEFAULT;
-- that of a temporary table goes with its session
CREATE TEMP SEQUENCE temporary_id;
ALTER TABLE option ALTER id SET DEFAULT next_snowflake('temporary_id', 1, 'twitter');
SELECT * FROM pg_temp.problems();
DROP TABLE option;

-- nextval() of the same sequence: as a default, as an identity, or just called
CREATE TABLE mixed (id bigint GENERATED BY DEFAULT AS IDENTITY, n bigint DEFAULT next_snowflake('mixed_id_seq', 1, 'twitter'));
CREATE TABLE serial (id serial, n bigint DEFAULT nextval('a_id'), "N n" bigint DEFAULT 1 + nextval('a_id'), s bigint DEFAULT next_snowflake('a_id', 1, 'twitter'));
CREATE SEQUENCE called_id;
CREATE TABLE called (id bigint DEFAULT next_snowflake('called_id', 1, 'twitter'));
INSERT INTO called DEFAULT VALUES;
-- or as the default of a domain, or for the numbers of a shard
CREATE SEQUENCE shared_id;
CREATE DOMAIN shared_number AS bigint DEFAULT nextval('shared_id');
CREATE TABLE shared (id bigint DEFAULT next_snowflake('shared_id', 1, 'twitter'), number shared_number, shard bigint DEFAULT next_shard_id(1, nextval('shared_id')));
-- in the same default; or by name, with or without a schema, by a partition too
CREATE SEQUENCE "Mixed";
CREATE TABLE same_default (id bigint DEFAULT CASE WHEN random() < 0.5 THEN next_snowflake('"Mixed"', 1, 'twitter') ELSE nextval('"Mixed"') END, n int) PARTITION BY RANGE (id);
CREATE TABLE same_default_1 PARTITION OF same_default DEFAULT;
CREATE SEQUENCE named_id;
CREATE DOMAIN named_number AS bigint DEFAULT nextval('app.named_id'::text);
CREATE TABLE named (id bigint DEFAULT next_snowflake('named_id', 1, 'twitter'), n bigint DEFAULT nextval('named_id'::text) + 1, d named_number,
    other bigint DEFAULT nextval('app.mixed_id_seq'::text), none bigint DEFAULT nextval('"Ids.*".named_id'::text), s text DEFAULT 'nextval(''app.named_id''::regclass)');
-- a child has a sequence of its own
CREATE TABLE heir () INHERITS (shared);
ALTER TABLE heir ALTER shard SET DEFAULT nextval('named_id');
-- what reads it is no problem
CREATE SEQUENCE read_id;
CREATE TABLE read (id bigint DEFAULT next_snowflake('read_id', 1, 'twitter'), same bigint DEFAULT currval('read_id'));
SELECT count(nextval('called_id')) FROM generate_series(1, 4096);
-- but what a standby, or a server after a crash, sees is of no node: the last of a tick
CREATE SEQUENCE reserved_id;
CREATE TABLE reserved (id bigint DEFAULT next_snowflake('reserved_id', 1, 'twitter'));
SELECT count(setval('reserved_id', snowflake_ceiling(clock_timestamp(), 'twitter')));
-- and a sequence can serve two nodes
CREATE SEQUENCE both_id;
CREATE TABLE both_1 (id bigint DEFAULT next_snowflake('both_id', 1, 'twitter'));
CREATE TABLE both_2 (id bigint DEFAULT next_snowflake('both_id', 2, 'twitter'));
INSERT INTO both_1 DEFAULT VALUES;
SELECT * FROM pg_temp.problems();
DROP TABLE mixed, serial, called, heir, shared, same_default, named, read, reserved, both_1, both_2;

-- nextval_any() takes them, too.
CREATE SEQUENCE "any'_id";
CREATE TABLE taken (id bigint DEFAULT next_snowflake('"any''_id"', 1, 'twitter'), a bigint DEFAULT nextval_any(ARRAY['called_id'::regclass, '"any''_id"']) + nextval_any(ARRAY['named_id'::regclass]),
    b bigint DEFAULT nextval_any('{called_id,"\"any''_id\""}'), c bigint DEFAULT nextval_any(ARRAY['a_id'::text::regclass])) PARTITION BY RANGE (id);
CREATE TABLE taken_1 PARTITION OF taken DEFAULT;
SELECT * FROM pg_temp.problems();
DROP TABLE taken;

-- So does nextval_range(), and arguments can be named, or null.
CREATE TABLE taken (id bigint DEFAULT next_snowflake('"any''_id"', 1, 'twitter'), a bigint DEFAULT (nextval_range('"any''_id"', 2)).first,
    b bigint DEFAULT (nextval_range(count => 1, seq => '"any''_id"')).last, c bigint DEFAULT (nextval_range(seq => 'called_id', count => 1)).step,
    d bigint DEFAULT (nextval_range('"any''_id"'::text::regclass, 1)).first, e bigint DEFAULT nextval_any(sequences => '{called_id,"\"any''_id\""}'),
    f bigint DEFAULT nextval_any(sequences => ARRAY['called_id', NULL::regclass]), g bigint DEFAULT nextval_any('{called_id,NULL}'), h bigint DEFAULT nextval_any(NULL));
SELECT * FROM pg_temp.problems();
ALTER TABLE taken ADD i bigint DEFAULT (nextval_range(('called' || '_id')::regclass, 1)).first;
SELECT * FROM pg_temp.problems();
DROP TABLE taken;

-- The name of a sequence can go through casts.  Another one is not the same.
CREATE SEQUENCE " Q'q""Q.";
CREATE TABLE converted (id bigint DEFAULT next_snowflake('" Q''q""Q."', 1, 'twitter'), a bigint DEFAULT nextval(to_regclass('app." Q''q""Q."')),
    b bigint DEFAULT nextval('" Q''q""Q."'::varchar(20)), c bigint DEFAULT nextval('app." Q''q""Q."'::text::regclass::oid), d bigint DEFAULT nextval('app." Q''q""Q."'::char(40)::text),
    e bigint DEFAULT nextval(' app . " Q''q""Q." '::text::cstring::text), f bigint DEFAULT nextval(to_regclass('" Q''q""Q."'::varchar::regclass::text)),
    g bigint DEFAULT nextval('" Q''q""Q."'::regclass::oid), h bigint DEFAULT nextval('" q''q""q."'::text), i bigint DEFAULT nextval('app.q_id'::text));
SELECT * FROM pg_temp.problems();
DROP TABLE converted;
-- What cannot be read could be that of any clock.
CREATE DOMAIN sequence_name AS text;
CREATE FUNCTION app.to_regclass(text) RETURNS regclass LANGUAGE sql RETURN NULL::regclass;
CREATE TABLE read_not (id bigint DEFAULT next_snowflake('a_id', 1, 'twitter'), a bigint DEFAULT nextval(format('%s.named_id', 'app')::regclass), b bigint DEFAULT nextval('named_id'::varchar(5)),
    c bigint DEFAULT nextval(to_regclass('app.' || 'named_id')), d bigint DEFAULT nextval('named_id'::sequence_name), e bigint DEFAULT nextval(1), f bigint DEFAULT nextval(app.to_regclass('named_id')),
    g bigint DEFAULT nextval('app.one.named_id'::text), h bigint DEFAULT nextval('app.named_id'::text::cstring::text::regclass::oid),
    i bigint DEFAULT CASE WHEN random() < 2 THEN nextval('other_id'::text) ELSE nextval((('other' || '_') || (('i') || lower('D' || '')))::regclass) END) PARTITION BY RANGE (id);
CREATE TABLE read_not_1 PARTITION OF read_not DEFAULT;
SELECT * FROM pg_temp.problems();
DROP TABLE read_not;
DROP FUNCTION app.to_regclass(text);

-- one sequence, two layouts; the clock far behind; a value that is no id
CREATE TABLE layout_1 (id bigint DEFAULT next_snowflake('a_id', 1, 'twitter'));
CREATE TABLE layout_2 (id bigint DEFAULT next_snowflake('a_id', 1, 'discord'));
-- the option start makes no other ids
CREATE SEQUENCE start_id;
CREATE TABLE layout_3 (id bigint DEFAULT next_snowflake('start_id', 1, 'twitter'), random bigint DEFAULT next_snowflake('start_id', 1, 'twitter;start=random'));
CREATE SEQUENCE ahead_id;
CREATE TABLE ahead (id bigint DEFAULT next_snowflake('ahead_id', 1, 'twitter'));
SELECT setval('ahead_id', make_snowflake(clock_timestamp() + interval '1 day 30 s', 1, 0, 'twitter')) > 0 AS set;
CREATE SEQUENCE beyond_id;
CREATE TABLE beyond (id bigint DEFAULT next_snowflake('beyond_id', 1, 'js53'));
SELECT setval('beyond_id', 9007199254740992);
SELECT table_name, regexp_replace(problem, '\m864\d\d\M', '864..') AS problem FROM pg_temp.problems();
DROP TABLE layout_1, layout_2, layout_3, ahead, beyond;

-- A layout that ends within a year: 41 bits of 100 us
SELECT format('time:41,node:5,seq:5;tick=100us;epoch=%sZ', to_char(now() - interval '2541 days', 'YYYY-MM-DD"T"HH24:MI:SS')) AS layout \gset
CREATE SEQUENCE ends_id;
CREATE TABLE ends (id bigint DEFAULT next_snowflake('ends_id', 1, :'layout'));
SELECT years_left, regexp_replace(problem, '\d.*', '...') AS problem FROM objectid_ext_tools.clock_sequences;
DROP TABLE ends;

--
-- The same ids from two sequences
--
CREATE SEQUENCE p_id;
CREATE SEQUENCE p2_id;
CREATE SEQUENCE q_id;
CREATE TABLE p (id bigint DEFAULT next_snowflake('p_id', 1, 'twitter'), n bigint) PARTITION BY RANGE (id);
-- another column
CREATE TABLE p1 PARTITION OF p (n DEFAULT next_snowflake('q_id', 1, 'twitter')) FOR VALUES FROM (0) TO (100);
CREATE TABLE p2 PARTITION OF p (id DEFAULT next_snowflake('p2_id', 1, 'twitter')) FOR VALUES FROM (100) TO (MAXVALUE);
-- two shards that should have nodes of their own, and two that have
CREATE SCHEMA shard_1;
CREATE SCHEMA shard_2;
CREATE SEQUENCE shard_1.photo_id;
CREATE SEQUENCE shard_2.photo_id;
CREATE TABLE shard_1.photo (id bigint DEFAULT next_snowflake('shard_1.photo_id', 21, 'twitter'));
CREATE TABLE shard_2.photo (id bigint DEFAULT next_snowflake('shard_2.photo_id', 21, 'twitter'));
CREATE TABLE shard_1.video (id bigint DEFAULT next_snowflake('shard_1.photo_id', 31, 'twitter'));
CREATE TABLE shard_2.video (id bigint DEFAULT next_snowflake('shard_2.photo_id', 32, 'twitter'));
-- two sequences in one default
CREATE TABLE r (id bigint DEFAULT CASE WHEN random() < 0.5 THEN next_snowflake('p_id', 41, 'twitter') ELSE next_snowflake('q_id', 41, 'twitter') END);
-- two tables whose ids are not compared: no problem, but in same_ids
CREATE TABLE q (id bigint DEFAULT next_snowflake('q_id', 1, 'twitter;start=random'), other bigint DEFAULT next_snowflake('p_id', 1, 'twitter'));
SELECT table_name, same_ids, problem FROM objectid_ext_tools.clock_sequences;
DROP TABLE p, q, r;
SET client_min_messages = warning;
DROP SCHEMA shard_1, shard_2 CASCADE;
RESET client_min_messages;

--
-- next_shard_id
--
CREATE TABLE shard_ok (id bigint DEFAULT next_shard_id(5, nextval('number_id'), layout => 'twitter'));
CREATE TABLE shard_8192 (id bigint DEFAULT next_shard_id(8192, nextval('number_id')));
CREATE TABLE shard_tick (id bigint DEFAULT next_shard_id(1, nextval('number_id'), 'time:31,node:10,seq:12;tick=2s;epoch=2026-01-01T00:00:00Z'));
CREATE SEQUENCE number_int AS integer;
CREATE TABLE shard_int (id bigint DEFAULT next_shard_id(5, nextval('number_int')));
-- numbers may repeat, but must not be negative
CREATE UNLOGGED SEQUENCE number_cycle MAXVALUE 1023 CYCLE CACHE 2000;
CREATE TABLE shard_cycle (id bigint DEFAULT next_shard_id(5, nextval('number_cycle')));
SELECT setval('number_cycle', 1023);
CREATE SEQUENCE number_down INCREMENT -1;
CREATE TABLE shard_down (id bigint DEFAULT next_shard_id(5, nextval('number_down')));
INSERT INTO shard_down DEFAULT VALUES;
CREATE TABLE shard_computed (id bigint DEFAULT next_shard_id(5, floor(random() * 1024)::bigint));
SELECT setval('number_int', 2000000000);
SELECT table_name, sequence, layout, node, problem FROM objectid_ext_tools.clock_sequences;
DROP TABLE shard_ok, shard_8192, shard_tick, shard_int, shard_cycle, shard_down, shard_computed;

--
-- Privileges
--
GRANT USAGE, CREATE ON SCHEMA app TO regress_clock_owner;
CREATE SEQUENCE granted_id;
CREATE TABLE granted (id bigint DEFAULT next_snowflake('granted_id', 1, 'twitter'), n int);
INSERT INTO granted DEFAULT VALUES;
GRANT INSERT ON granted TO regress_clock_writer;
GRANT INSERT (n) ON granted TO "regress_Clock ""reader";
GRANT SELECT ON granted TO regress_clock_monitor;
SELECT problem FROM pg_temp.problems();
ALTER TABLE granted OWNER TO regress_clock_owner;
GRANT USAGE ON SEQUENCE granted_id TO regress_clock_writer;
GRANT UPDATE ON SEQUENCE granted_id TO "regress_Clock ""reader";
SELECT problem FROM pg_temp.problems();
GRANT INSERT ON granted TO PUBLIC;
SELECT problem FROM pg_temp.problems();
GRANT USAGE ON SEQUENCE granted_id TO PUBLIC;
SELECT problem FROM pg_temp.problems();

-- A monitor can read the view; without SELECT on a sequence, it gets told.
REVOKE USAGE ON SEQUENCE granted_id FROM PUBLIC;
REVOKE INSERT ON granted FROM PUBLIC;
GRANT USAGE ON SEQUENCE granted_id TO regress_clock_owner;
SET SESSION AUTHORIZATION regress_clock_monitor;
SELECT column_name, sequence, node, last_id, problem FROM objectid_ext_tools.clock_sequences;
RESET SESSION AUTHORIZATION;
GRANT SELECT ON SEQUENCE granted_id TO regress_clock_monitor;
SET SESSION AUTHORIZATION regress_clock_monitor;
SELECT column_name, sequence, node, last_id > 0 AS last_id, problem FROM objectid_ext_tools.clock_sequences;
RESET SESSION AUTHORIZATION;
DROP TABLE granted;
-- who may insert into a partition; one with a default of its own has another sequence
CREATE TABLE granted (id bigint DEFAULT next_snowflake('granted_id', 1, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE granted_1 PARTITION OF granted FOR VALUES FROM (MINVALUE) TO (0) PARTITION BY RANGE (id);
CREATE TABLE granted_11 PARTITION OF granted_1 DEFAULT;
CREATE SEQUENCE granted_2_id;
CREATE TABLE granted_2 PARTITION OF granted (id DEFAULT next_snowflake('granted_2_id', 2, 'twitter')) DEFAULT;
GRANT INSERT ON granted_11 TO regress_clock_writer;
GRANT INSERT ON granted_2 TO regress_clock_monitor;
REVOKE ALL ON SEQUENCE granted_id FROM regress_clock_writer, regress_clock_monitor;
SELECT table_name, problem FROM pg_temp.problems();
DROP TABLE granted;

-- No default makes the view fail, or calls a function.
CREATE FUNCTION trap(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called'; END $$;
CREATE FUNCTION trap(text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called'; END $$;
CREATE TABLE trap (a bigint DEFAULT next_snowflake('a_id', trap(5), 'twitter'), b bigint DEFAULT trap(next_snowflake('a_id', 1, 'twitter')::text),
    c text DEFAULT next_snowflake('a_id', 1, 'twitter') || '"Ids.*".next_snowflake(''a_id''::regclass, 99999999999, ''x''::"Ids.*".snowflake_layout)',
    "d ""Ids.*"".next_snowflake('x'::regclass, 'twitter')" bigint DEFAULT next_snowflake('a_id', 1, 'twitter'), e bigint DEFAULT next_snowflake(NULL, NULL, NULL));
SELECT column_name, sequence, layout, node, problem FROM objectid_ext_tools.clock_sequences;
DROP TABLE trap;

-- Citus, if this is its table of distributed tables
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
RESET allow_system_table_mods;
CREATE SEQUENCE owned_id;
CREATE SEQUENCE free_id;
CREATE TABLE citus_owned (id bigint DEFAULT next_snowflake('app.owned_id'::text::regclass, 1, 'twitter'));
ALTER SEQUENCE owned_id OWNED BY citus_owned.id;
CREATE TABLE citus_depends (id bigint DEFAULT next_snowflake('free_id', 2, 'twitter'));
CREATE TABLE citus_right (id bigint DEFAULT next_snowflake('app.free_id'::text::regclass, 2, 'twitter'));
CREATE TABLE local (id bigint DEFAULT next_snowflake('free_id', 2, 'twitter'));
INSERT INTO pg_catalog.pg_dist_partition VALUES ('citus_owned'), ('citus_depends'), ('citus_right');
SELECT * FROM pg_temp.problems();

\c :original
DROP DATABASE regress_objectid_clocks;
DROP ROLE regress_clock_owner, regress_clock_writer, regress_clock_monitor, "regress_Clock ""reader";
