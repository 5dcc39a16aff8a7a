--
-- snowflake_layout: presets and other layouts, errors, equality
--

SET timezone = 'UTC';
SET datestyle = 'ISO';

-- presets and their properties
SELECT layout, time_bits, node_bits, sequence_bits, tick, epoch, ids_per_second, last_instant
FROM snowflake_layouts();

-- a name and its parts are the same layout; the output is the name
SELECT layout, parts, parts::snowflake_layout = layout AS same, parts::snowflake_layout AS read_back
FROM snowflake_layouts();

-- other layouts are printed in one form
SELECT input, input::snowflake_layout AS layout
FROM (VALUES
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,seq:12,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:63;tick=1us;epoch=2026-01-01T00:00:00Z'),
    ('time:40,node:24;tick=1s;epoch=0001-01-01T00:00:00Z'),
    ('time:40,node:0,seq:24;tick=1000ms;epoch=1969-12-31T23:59:59.5Z'),
    ('time:40,seq:0,node:24;tick=3600s;epoch=9999-12-31T23:59:59.999999Z'),
    ('time:1,node:31,seq:31;tick=1000us;epoch=2024-02-29T12:34:56.007Z'),
    ('time:41,node:10,seq:12;tick=1500us;epoch=2026-01-01T00:00:00.000Z'),
    ('twitter;start=random'),
    ('time:41,node:10,seq:12;tick=1000us;epoch=2023-01-01T00:00:00Z;start=random'),
    ('time:41,seq:2;tick=1ms;epoch=2023-01-01T00:00:00.5Z;start=random')
) v(input);

-- layouts differ by the order of the fields, unless a field is empty
SELECT 'time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z'::snowflake_layout
     = 'time:41,seq:12,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z' AS order_same,
       'time:41,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z'::snowflake_layout
     = 'time:41,seq:12,node:0;tick=1ms;epoch=2026-01-01T00:00:00Z' AS empty_same,
       'time:41,node:12;tick=1ms;epoch=2026-01-01T00:00:00Z'::snowflake_layout
     = 'time:41,seq:0,node:12;tick=1ms;epoch=2026-01-01T00:00:00Z' AS empty_seq_same,
       'twitter'::snowflake_layout <> 'pgedge' AS differ,
       'twitter'::snowflake_layout <> 'twitter;start=random' AS start_differs;

-- errors, with the reason
CREATE FUNCTION layout_error(input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    soft boolean;
BEGIN
    PERFORM input::snowflake_layout;
    RETURN 'accepted';
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT pg_input_is_valid($1, ''snowflake_layout'')' INTO soft USING input;
        IF soft THEN
            RETURN 'soft and hard errors differ';
        END IF;
    END IF;
    RETURN concat_ws(' ', sqlstate, CASE sqlstate WHEN '22P02' THEN 'syntax' END, nullif(detail, ''));
END;
$$;

SELECT input, layout_error(input)
FROM (VALUES
    (''), ('Twitter'), ('twitter '), (' twitter'), ('tweeter'),
    ('time:41'),
    ('time:41,node:10,seq:12'),
    ('time:41,node:10,seq:12;tick=1ms'),
    ('time:41,node:10,seq:12;epoch=2026-01-01T00:00:00Z;tick=1ms'),
    ('node:10,time:41,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,node:12;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,shard:10;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41, node:10;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:x;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,seq:x,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:-1,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:041,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1m;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=12345678901us;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01 00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00+00'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00.Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00.1234567Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-02-29T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-13-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-00-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T24:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:60:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:60Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=0000-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=10000-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z '),
    ('twitter;'), ('twitter;start=random '), ('twitter;start=0'), ('twitter;start=random;start=random'), (';start=random'), ('tweeter;start=random'),
    ('time:41,node:10,seq:12;tick=1ms;start=random;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:1;tick=1ms;epoch=2026-01-01T00:00:00Z;start=random'),
    ('time:41,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z;start=random'),
    ('time:0,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:13,seq:11;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:65;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:30,node:32;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:30,seq:32;tick=1ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=0ms;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=3601s;epoch=2026-01-01T00:00:00Z'),
    ('time:41,node:10,seq:12;tick=9999999999s;epoch=2026-01-01T00:00:00Z'),
    ('time:63;tick=1us;epoch=9999-12-31T23:59:59.999999Z')
) v(input);
SELECT 'tweeter'::snowflake_layout;
SELECT 'time:41,node:13,seq:11;tick=1ms;epoch=2026-01-01T00:00:00Z'::snowflake_layout;

-- the times of a layout end with the year 9999
SELECT snowflake_timestamp(snowflake_ceiling('infinity', l), l)
FROM (VALUES ('time:63;tick=1s;epoch=2026-01-01T00:00:00Z'::snowflake_layout)) v(l);

-- layouts have no order, so grouping uses hashing
SET enable_sort = off;
SELECT count(*), count(DISTINCT l::text)
FROM (SELECT l FROM (VALUES ('twitter'::snowflake_layout), ('twitter'), ('pgedge'),
      ('time:41,node:10,seq:12;tick=1ms;epoch=2023-01-01T00:00:00Z')) v(l) GROUP BY l) g;
RESET enable_sort;
SELECT snowflake_layout_hash('twitter') = snowflake_layout_hash(parts::snowflake_layout) AS same_hash,
       snowflake_layout_hash_extended('twitter', 1) = snowflake_layout_hash_extended(parts::snowflake_layout, 1) AS same_extended,
       snowflake_layout_hash_extended('twitter', 1) <> snowflake_layout_hash_extended('twitter', 2) AS seeded
FROM snowflake_layouts() WHERE layout = 'twitter';

-- The binary form is that of the parts, whatever has a name, so a preset of a later
-- version does not change it; nor the hashes, which are the same on machines of either
-- byte order.
CREATE TEMP VIEW layout_known AS
SELECT layout, parts FROM snowflake_layouts() UNION ALL
SELECT parts::snowflake_layout, parts FROM (VALUES ('time:31,seq:15,node:16;tick=3600s;epoch=0001-01-01T00:00:00.000001Z'),
       ('time:41,node:10,seq:12;tick=1ms;epoch=2010-11-04T01:42:54.657Z;start=random')) v(parts);
SELECT count(*), bool_and(snowflake_layout_send(layout) = parts::bytea) AS binary_is_parts FROM layout_known;
SELECT layout, snowflake_layout_hash(layout) AS hash, snowflake_layout_hash_extended(layout, 0) AS extended,
       snowflake_layout_hash_extended(layout, 8816678312871386365) AS seeded
FROM layout_known;

-- binary and text copies, in a table
CREATE TABLE layout_copy (l snowflake_layout);
INSERT INTO layout_copy SELECT layout FROM snowflake_layouts()
UNION ALL SELECT 'time:40,seq:3,node:20;tick=20ms;epoch=2026-01-01T00:00:00.123456Z'
UNION ALL SELECT 'mastodon;start=random';
\getenv abs_builddir PG_ABS_BUILDDIR
\set file :abs_builddir '/results/layout.bin'
-- \copy does not expand variables, but a variable can hold the whole command.
\set copy_layouts '\\copy layout_copied FROM ' :'file' ' (FORMAT binary)'
COPY layout_copy TO STDOUT (FORMAT binary) \g :file
CREATE TABLE layout_copied (LIKE layout_copy);
:copy_layouts
SELECT count(*) FROM layout_copy JOIN layout_copied USING (l);
-- binary input is checked like text
CREATE TABLE layout_text (t text);
INSERT INTO layout_text VALUES ('time:99;tick=1ms;epoch=2026-01-01T00:00:00Z');
COPY layout_text TO STDOUT (FORMAT binary) \g :file
\set VERBOSITY terse
:copy_layouts
\set VERBOSITY default

DROP TABLE layout_copy, layout_copied, layout_text;
DROP FUNCTION layout_error;
