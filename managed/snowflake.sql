-- 64-bit ids that carry their time, a node and a sequence number, for servers on which
-- no C can be installed: names, arguments, bits and errors of the extension objectid_ext
-- (docs/managed.md).  Run this file, and any later version of it, as a role that can
-- create objects in the current schema:
--
--     psql -1 -v ON_ERROR_STOP=1 -c 'SET search_path = app' -f managed/snowflake.sql
--
-- There is no next_shard_id(): its caller brings the number, and one that comes twice is
-- found only in memory that sessions share.  Use next_snowflake(seq, shard, 'instagram')
-- with a sequence for each shard; the bits are the same.
--
-- The search_path of the functions is pg_catalog, this schema, pg_temp.  Calls name
-- pg_catalog, and operators have exactly the types of one there: so a role that can create
-- objects in this schema cannot replace them.  That is what most of the casts are for.
DO $$
DECLARE
    schema oid := pg_catalog.quote_ident(current_schema()::text)::regnamespace;
    me oid := pg_catalog.quote_ident(current_user::text)::regrole;
BEGIN
    IF schema IS NULL THEN
        RAISE 'no schema has been selected to create in'
            USING ERRCODE = 'invalid_schema_name', HINT = 'Create the schema that search_path names.';
    END IF;
    IF EXISTS (SELECT FROM pg_proc WHERE pronamespace = schema AND proname::text ~ '^(make_|next_)?snowflake' AND proowner <> me
               UNION ALL SELECT FROM pg_type WHERE typnamespace = schema AND typname::text ~ '^snowflake_' AND typowner <> me) THEN
        RAISE 'schema "%" has functions or types for snowflakes that belong to another role', current_schema()
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- For this transaction: what SET LOCAL or CREATE EXTENSION has set ends with it.
    PERFORM pg_catalog.set_config('snowflake.search_path', pg_catalog.current_setting('search_path'), true), pg_catalog.set_config('snowflake.is_local', 'true', true),
            pg_catalog.set_config('search_path', pg_catalog.quote_ident(current_schema()::text) || ', pg_temp', true);
    IF NOT EXISTS (SELECT FROM pg_type WHERE typnamespace = schema AND typname = 'snowflake_layout') THEN
        -- Without a CHECK, a layout in a query is a constant; the functions check the text.
        CREATE DOMAIN snowflake_layout AS text;
        COMMENT ON DOMAIN snowflake_layout IS 'division of the bits of a 64-bit id: name of a preset, or time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z; and ;start=random';
        CREATE TYPE snowflake_fields AS (
            time_bits integer, node_bits integer, seq_bits integer, node_lowest boolean,
            tick bigint, epoch bigint, start_random boolean, time_shift integer, node_shift integer, seq_shift integer,
            max_node bigint, max_seq bigint, max_tick bigint, max_id bigint);
        COMMENT ON TYPE snowflake_fields IS 'internal: the parts of a layout, tick and epoch in microseconds (since 1970), and what follows from them';
    END IF;
END $$;
DO $$ BEGIN
    -- Where each statement is a transaction, that has ended.
    IF pg_catalog.current_setting('snowflake.is_local', true) IS DISTINCT FROM 'true' THEN
        PERFORM pg_catalog.set_config('snowflake.search_path', pg_catalog.current_setting('search_path'), false), pg_catalog.set_config('snowflake.is_local', 'false', false),
                pg_catalog.set_config('search_path', pg_catalog.quote_ident(current_schema()::text) || ', pg_temp', false);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION snowflake_version() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT '1.0'::text $$;
COMMENT ON FUNCTION snowflake_version() IS 'version of the file that made these functions';

-- Layouts
CREATE OR REPLACE FUNCTION snowflake_parse(input text) RETURNS snowflake_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    fields_form CONSTANT text := '^time:[0-9]{1,2}(,node:[0-9]{1,2}(,seq:[0-9]{1,2})?|,seq:[0-9]{1,2}(,node:[0-9]{1,2})?)?';
    tick_form CONSTANT text := fields_form || ';tick=[0-9]{1,10}(us|ms|s)';
    epoch_form CONSTANT text := tick_form ||
        ';epoch=[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?Z';
    name text := pg_catalog.split_part(input, ';', 1);
    preset text := CASE pg_catalog.lower(name COLLATE "C")
        WHEN 'instagram' THEN 'time:41,node:13,seq:10;tick=1ms;epoch=2011-08-24T21:07:01.721Z'
        WHEN 'twitter' THEN 'time:41,node:10,seq:12;tick=1ms;epoch=2010-11-04T01:42:54.657Z'
        WHEN 'discord' THEN 'time:42,node:10,seq:12;tick=1ms;epoch=2015-01-01T00:00:00Z'
        WHEN 'sonyflake' THEN 'time:39,seq:8,node:16;tick=10ms;epoch=2014-09-01T00:00:00Z'
        WHEN 'mastodon' THEN 'time:48,seq:16;tick=1ms;epoch=1970-01-01T00:00:00Z'
        WHEN 'pgedge' THEN 'time:41,node:10,seq:12;tick=1ms;epoch=2023-01-01T00:00:00Z'
        WHEN 'js53' THEN 'time:41,node:4,seq:8;tick=1ms;epoch=2026-01-01T00:00:00Z' END;
    layout text := COALESCE(preset || pg_catalog.substr(input, pg_catalog.length(name) + 1), input);
    fields text[] := pg_catalog.string_to_array(pg_catalog.translate(pg_catalog.split_part(layout, ';', 1), ':', ','), ',');
    tick text := pg_catalog.substr(pg_catalog.split_part(layout, ';', 2), 6);
    epoch text := pg_catalog.substr(pg_catalog.split_part(layout, ';', 3), 7);
    day date; reason text; f snowflake_fields;
BEGIN
    IF layout ~ (epoch_form || '(;start=random)?$') THEN
        day := pg_catalog.make_date(GREATEST(pg_catalog.left(epoch, 4)::integer, 1), pg_catalog.substr(epoch, 6, 2)::integer, 1)
            + (pg_catalog.substr(epoch, 9, 2)::integer - 1);
    END IF;
    -- There is no such day if it comes out as another.
    IF day IS NULL OR pg_catalog.to_char(day, 'YYYY-MM-DD') <> pg_catalog.left(epoch, 10) THEN
        RAISE 'invalid input syntax for type snowflake_layout: "%"', input USING
            ERRCODE = 'invalid_text_representation',
            DETAIL = CASE
                WHEN day IS NULL AND layout ~ epoch_form THEN 'Only ";start=random" can be at the end.'
                WHEN layout !~ '^time:' THEN 'There is no preset of that name, and a layout in parts begins with "time:".'
                WHEN layout !~ (fields_form || '($|[^,0-9])') THEN 'The fields are not a list such as "time:41,node:10,seq:12".'
                WHEN layout !~ (fields_form || ';tick=') THEN 'There is no ";tick=" after the fields.'
                WHEN layout !~ tick_form THEN 'The tick is not a number with the unit us, ms or s.'
                WHEN layout !~ (tick_form || ';epoch=') THEN 'There is no ";epoch=" after the tick.'
                ELSE 'The epoch is not a date and time in UTC such as "2026-01-01T00:00:00Z".' END,
            HINT = 'Use a name listed by snowflake_layouts(), or the form "time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z".';
    END IF;
    f.time_bits := fields[2];
    f.node_bits := COALESCE(fields[pg_catalog.array_position(fields, 'node') + 1], '0');
    f.seq_bits := COALESCE(fields[pg_catalog.array_position(fields, 'seq') + 1], '0');
    f.node_lowest := COALESCE(fields[5] = 'node', false) AND f.node_bits > 0 AND f.seq_bits > 0;
    f.tick := pg_catalog.rtrim(tick, 'ums')::bigint
        * CASE pg_catalog.ltrim(tick, '0123456789') WHEN 'us' THEN 1 WHEN 'ms' THEN 1000 ELSE 1000000 END;
    f.epoch := (day - '1970-01-01'::date)::bigint * 86400000000
        + (pg_catalog.date_part('epoch', pg_catalog.substr(epoch, 12)::time) * 1000000::double precision)::bigint;
    f.start_random := pg_catalog.split_part(layout, ';', 4) <> '';
    reason := CASE
        WHEN f.time_bits < 1 THEN 'The time field must have at least one bit.'
        WHEN f.node_bits > 31 OR f.seq_bits > 31 THEN 'The node and sequence fields can have at most 31 bits each.'
        WHEN f.time_bits + f.node_bits + f.seq_bits > 64 THEN 'The fields have more than 64 bits together.'
        WHEN f.tick < 1 OR f.tick > 3600000000 THEN 'The tick must be from 1us to 3600s.'
        WHEN f.start_random AND f.seq_bits < 2 THEN 'A random start requires a sequence field of at least two bits.'
    END;
    IF reason IS NULL THEN
        f.time_shift := f.node_bits + f.seq_bits;
        f.node_shift := CASE WHEN f.node_lowest THEN 0 ELSE f.seq_bits END;
        f.seq_shift := CASE WHEN f.node_lowest THEN f.node_bits ELSE 0 END;
        f.max_node := (1::bigint << f.node_bits) - 1;
        f.max_seq := (1::bigint << f.seq_bits) - 1;
        -- The highest of the 64 bits is not used.  Times end with the year 9999.
        f.max_tick := LEAST(9223372036854775807 >> (63 - LEAST(f.time_bits, 63 - f.time_shift)), (253402300799999999 - f.epoch) / f.tick);
        f.max_id := (f.max_tick << f.time_shift) | ((1::bigint << f.time_shift) - 1);
        reason := CASE WHEN f.max_id = 0 THEN 'The layout must have more than one id before the year 10000.' END;
    END IF;
    IF reason IS NOT NULL THEN RAISE 'invalid snowflake layout "%"', input USING ERRCODE = 'invalid_parameter_value', DETAIL = reason; END IF;
    RETURN f;
END $$;
COMMENT ON FUNCTION snowflake_parse(text) IS 'internal: the parts of a layout';

-- The planner evaluates what is constant once in a session.  A layout of your own is as
-- fast as a preset if you add a line for it.
CREATE OR REPLACE FUNCTION snowflake_fields(layout snowflake_layout) RETURNS snowflake_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN CASE layout::text
        WHEN 'instagram' THEN snowflake_parse('instagram'::text)
        WHEN 'twitter' THEN snowflake_parse('twitter'::text)
        WHEN 'discord' THEN snowflake_parse('discord'::text)
        WHEN 'sonyflake' THEN snowflake_parse('sonyflake'::text)
        WHEN 'mastodon' THEN snowflake_parse('mastodon'::text)
        WHEN 'pgedge' THEN snowflake_parse('pgedge'::text)
        WHEN 'js53' THEN snowflake_parse('js53'::text)
        ELSE snowflake_parse(layout::text)
    END;
END $$;
COMMENT ON FUNCTION snowflake_fields(snowflake_layout) IS 'internal: the same, faster for presets';

-- Hours and seconds, because a double is not exact for the microseconds of all years
CREATE OR REPLACE FUNCTION snowflake_time(f snowflake_fields, tick bigint) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE us bigint := f.epoch + tick * f.tick;
BEGIN
    RETURN '1970-01-01 00:00:00+00'::timestamptz + pg_catalog.make_interval(
        hours => (us / 3600000000)::integer, secs => (us % 3600000000)::double precision / 1000000::double precision);
END $$;
COMMENT ON FUNCTION snowflake_time(snowflake_fields, bigint) IS 'internal: beginning of a tick';
CREATE OR REPLACE FUNCTION snowflake_tick(f snowflake_fields, ts timestamptz, more bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE us bigint;
BEGIN
    -- No layout has these times, and a bigint cannot count all of them.
    IF ts < '0001-01-01 00:00:00+00'::timestamptz OR ts >= '10001-01-01 00:00:00+00'::timestamptz THEN
        RETURN CASE WHEN ts < '0001-01-01 00:00:00+00'::timestamptz THEN -1 ELSE f.max_tick + 1 END;
    END IF;
    us := pg_catalog.date_part('epoch', pg_catalog.date_trunc('second', ts))::bigint * 1000000
        + pg_catalog.date_part('microseconds', ts)::bigint % 1000000::bigint + more - f.epoch;
    RETURN CASE WHEN us < 0 THEN -1 ELSE LEAST(us / f.tick, f.max_tick + 1) END;
END $$;
COMMENT ON FUNCTION snowflake_tick(snowflake_fields, timestamptz, bigint) IS 'internal: tick of a time and some microseconds; -1 before the epoch, max_tick + 1 past the end';
CREATE OR REPLACE FUNCTION snowflake_utc(f snowflake_fields, tick bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN pg_catalog.regexp_replace(
    pg_catalog.to_char(pg_catalog.timezone('UTC', snowflake_time(f, tick)), 'YYYY-MM-DD"T"HH24:MI:SS.US'), '([.]000)?(000)?$', 'Z'); END $$;
COMMENT ON FUNCTION snowflake_utc(snowflake_fields, bigint) IS 'internal: beginning of a tick, as in the text of a layout';
CREATE OR REPLACE FUNCTION snowflake_format(f snowflake_fields, named boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    node text := CASE WHEN f.node_bits > 0 THEN pg_catalog.format(',node:%s', f.node_bits) ELSE '' END;
    seq text := CASE WHEN f.seq_bits > 0 THEN pg_catalog.format(',seq:%s', f.seq_bits) ELSE '' END;
    option text := CASE WHEN f.start_random THEN ';start=random' ELSE '' END;
    preset text := CASE WHEN named THEN (SELECT l.layout FROM snowflake_layouts() l WHERE snowflake_parse(l.layout::text || option)::text = f::text) END;
BEGIN
    RETURN COALESCE(preset, pg_catalog.format('time:%s%s;tick=%s;epoch=%s', f.time_bits,
        CASE WHEN f.node_lowest THEN seq || node ELSE node || seq END,
        CASE WHEN f.tick % 1000000::bigint = 0 THEN pg_catalog.format('%ss', f.tick / 1000000)
             WHEN f.tick % 1000::bigint = 0 THEN pg_catalog.format('%sms', f.tick / 1000)
             ELSE pg_catalog.format('%sus', f.tick) END,
        snowflake_utc(f, 0::bigint))) || option;
END $$;
COMMENT ON FUNCTION snowflake_format(snowflake_fields, boolean) IS 'internal: text of a layout, the name of the preset if it is one';

CREATE OR REPLACE FUNCTION snowflake_layouts(
    OUT layout snowflake_layout, OUT parts text, OUT time_bits integer, OUT node_bits integer, OUT sequence_bits integer,
    OUT tick interval, OUT epoch timestamptz, OUT ids_per_second bigint, OUT last_instant timestamptz) RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 7 SET search_path FROM CURRENT AS $$
    SELECT name, snowflake_format(f, false), f.time_bits, f.node_bits, f.seq_bits,
           pg_catalog.make_interval(secs => f.tick::double precision / 1000000::double precision), snowflake_time(f, 0::bigint),
           (f.max_seq + 1) * 1000000 / f.tick, snowflake_time(f, f.max_tick)
    FROM pg_catalog.unnest(ARRAY['instagram', 'twitter', 'discord', 'sonyflake', 'mastodon', 'pgedge', 'js53']) name,
         LATERAL snowflake_parse(name) f
$$;
COMMENT ON FUNCTION snowflake_layouts() IS 'preset layouts; widths are in bits, ids_per_second is for one node, last_instant is the beginning of the last tick';

CREATE OR REPLACE FUNCTION snowflake_check(f snowflake_fields, what text, value bigint, max bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    IF (value < 0 OR value > max) AND what = 'time' THEN
        RAISE 'time is out of range for layout %', snowflake_format(f, true) USING ERRCODE = 'datetime_field_overflow',
            DETAIL = pg_catalog.format('It must be from %s to %s.', snowflake_utc(f, 0::bigint), snowflake_utc(f, max));
    ELSIF value < 0 OR value > max THEN
        RAISE '% % is out of range for layout %', what, value, snowflake_format(f, true) USING ERRCODE = 'numeric_value_out_of_range',
            DETAIL = pg_catalog.format('It must be from 0 to %s.', max);
    END IF;
END $$;
COMMENT ON FUNCTION snowflake_check(snowflake_fields, text, bigint, bigint) IS 'internal: an error unless the value (of a time, its tick) is from 0 to max';

-- Packing, decoding, bounds
CREATE OR REPLACE FUNCTION make_snowflake(ts timestamptz, node integer, seq integer, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
    tick bigint := snowflake_tick(f, ts, 0::bigint);
BEGIN
    PERFORM snowflake_check(f, 'time'::text, tick, f.max_tick), snowflake_check(f, 'node'::text, node::bigint, f.max_node),
        snowflake_check(f, 'sequence number'::text, seq::bigint, f.max_seq);
    RETURN (tick << f.time_shift) | (node::bigint << f.node_shift) | (seq::bigint << f.seq_shift);
END $$;
COMMENT ON FUNCTION make_snowflake(timestamptz, integer, integer, snowflake_layout) IS 'id of a time (rounded down to its tick), a node and a sequence number; an error if one of them does not fit its field';

CREATE OR REPLACE FUNCTION snowflake_parts(id bigint, layout snowflake_layout, OUT created timestamptz, OUT node integer, OUT sequence integer)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE f snowflake_fields := snowflake_fields(layout);
BEGIN
    PERFORM snowflake_check(f, 'id'::text, id, f.max_id);
    created := snowflake_time(f, id >> f.time_shift);
    node := (id >> f.node_shift) & f.max_node;
    sequence := (id >> f.seq_shift) & f.max_seq;
END $$;
COMMENT ON FUNCTION snowflake_parts(bigint, snowflake_layout) IS 'time, node and sequence number of the id; an error for an id that is negative or past the layout''s end';

CREATE OR REPLACE FUNCTION snowflake_timestamp(id bigint, layout snowflake_layout) RETURNS timestamptz
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN (snowflake_parts(id, layout)).created; END $$;
COMMENT ON FUNCTION snowflake_timestamp(bigint, snowflake_layout) IS 'beginning of the tick of the id; an error for an id that is negative or past the layout''s end';
CREATE OR REPLACE FUNCTION snowflake_node(id bigint, layout snowflake_layout) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN (snowflake_parts(id, layout)).node; END $$;
COMMENT ON FUNCTION snowflake_node(bigint, snowflake_layout) IS 'node, or shard, of the id, 0 if the layout has no nodes; an error for an id that is negative or past the layout''s end';
CREATE OR REPLACE FUNCTION snowflake_sequence(id bigint, layout snowflake_layout) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN (snowflake_parts(id, layout)).sequence; END $$;
COMMENT ON FUNCTION snowflake_sequence(bigint, snowflake_layout) IS 'sequence number of the id; an error for an id that is negative or past the layout''s end';

-- Times are whole microseconds: an exclusive bound is an inclusive one, one further in.
CREATE OR REPLACE FUNCTION snowflake_bounds(r tstzrange, layout snowflake_layout, OUT lowest bigint, OUT highest bigint)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
    first bigint := CASE WHEN pg_catalog.lower_inf(r) THEN 0
        ELSE snowflake_tick(f, pg_catalog.lower(r), CASE WHEN pg_catalog.lower_inc(r) THEN -1 ELSE 0::bigint END) + 1 END;
    last bigint := CASE WHEN pg_catalog.upper_inf(r) THEN f.max_tick
        ELSE LEAST(f.max_tick, snowflake_tick(f, pg_catalog.upper(r), CASE WHEN pg_catalog.upper_inc(r) THEN 0 ELSE -1::bigint END)) END;
    is_empty boolean := pg_catalog.isempty(r) OR first > last;
BEGIN
    lowest := CASE WHEN is_empty THEN f.max_id ELSE first << f.time_shift END;
    highest := CASE WHEN is_empty THEN 0 ELSE (last << f.time_shift) | ((1::bigint << f.time_shift) - 1) END;
END $$;
COMMENT ON FUNCTION snowflake_bounds(tstzrange, snowflake_layout) IS 'internal: snowflake_lower() and snowflake_upper()';

CREATE OR REPLACE FUNCTION snowflake_lower("range" tstzrange, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN (snowflake_bounds("range", layout)).lowest; END $$;
COMMENT ON FUNCTION snowflake_lower(tstzrange, snowflake_layout) IS 'lowest id whose time is in the range; the highest of all if there is none';
CREATE OR REPLACE FUNCTION snowflake_upper("range" tstzrange, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN (snowflake_bounds("range", layout)).highest; END $$;
COMMENT ON FUNCTION snowflake_upper(tstzrange, snowflake_layout) IS 'highest id whose time is in the range; 0 if there is none';
CREATE OR REPLACE FUNCTION snowflake_floor(ts timestamptz, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN snowflake_lower(pg_catalog.tstzrange(ts, NULL), layout); END $$;
COMMENT ON FUNCTION snowflake_floor(timestamptz, snowflake_layout) IS 'lowest id whose time is at or after this; 0 before the epoch, the highest id past the end';
CREATE OR REPLACE FUNCTION snowflake_ceiling(ts timestamptz, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$ BEGIN RETURN snowflake_upper(pg_catalog.tstzrange(NULL, ts, '[]'), layout); END $$;
COMMENT ON FUNCTION snowflake_ceiling(timestamptz, snowflake_layout) IS 'highest id whose time is at or before this; 0 before the epoch, the highest id past the end';

-- next_snowflake
CREATE OR REPLACE FUNCTION snowflake_check_sequence(seq regclass, f snowflake_fields, final bigint) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
DECLARE
    options record := pg_catalog.pg_sequence_parameters(seq);
    name name := (SELECT relname FROM pg_catalog.pg_class WHERE oid = seq::oid);
BEGIN
    IF NOT pg_catalog.has_sequence_privilege(seq, 'USAGE, SELECT') THEN
        RAISE 'permission denied for sequence %', name USING ERRCODE = 'insufficient_privilege';
    ELSIF options.increment < 0 THEN
        RAISE 'sequence "%" is descending', name USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Use a sequence with a positive INCREMENT.';
    ELSIF options.increment > f.max_seq + 1 THEN
        RAISE 'increment % of sequence "%" is too large for layout %', options.increment, name, snowflake_format(f, true) USING
            ERRCODE = 'object_not_in_prerequisite_state', DETAIL = pg_catalog.format('A tick has %s sequence numbers.', f.max_seq + 1);
    ELSIF options.minimum_value >> f.time_shift > GREATEST(snowflake_tick(f, pg_catalog.clock_timestamp(), 1000000::bigint), 0) THEN
        RAISE 'MINVALUE (%) of sequence "%" is ahead of the clock in layout %', options.minimum_value, name, snowflake_format(f, true) USING
            ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Use ALTER SEQUENCE ... NO MINVALUE RESTART WITH 1.  In a default of a Citus table, write the sequence as ''...''::text::regclass.';
    ELSIF final IS NULL THEN
        RAISE 'sequence "%" has no id left in layout %', name, snowflake_format(f, true) USING ERRCODE = 'datetime_field_overflow',
            DETAIL = pg_catalog.format('The last value of the sequence is %s, and the last id of the layout is %s.', pg_catalog.pg_sequence_last_value(seq), f.max_id),
            HINT = 'Use the layout of earlier ids, or another sequence.';
    ELSIF final > options.maximum_value THEN
        RAISE 'next_snowflake: reached maximum value of sequence "%" (%)', name, options.maximum_value USING
            ERRCODE = 'sequence_generator_limit_exceeded', HINT = 'Use a sequence AS bigint with NO MAXVALUE.  In a default of a Citus table, write the sequence as ''...''::text::regclass.';
    END IF;
END $$;
COMMENT ON FUNCTION snowflake_check_sequence(regclass, snowflake_fields, bigint) IS 'internal: an error unless the sequence can hold ids of the layout, and the value, which is null if the layout has none left';

-- The state is the sequence.  Its last_value is the last slot taken and, as the high bits
-- of an id are its time, a clock that is never set back.  An advisory lock lets one
-- session at a time read and set it.  The lock is taken in a subtransaction, which ends
-- with an error that is caught here: its rollback releases the lock before the end of the
-- transaction, and keeps what setval() did.
--
-- Ids do not lead the clock, unless the clock is set back.  So if a crash loses the last
-- value, because no commit has flushed it, the clock is above it.
CREATE OR REPLACE FUNCTION next_snowflake(seq regclass, node integer, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
    slots bigint := f.max_seq + 1;
    -- This also locks the definition of the sequence, which must not wait for the
    -- advisory lock.  From PostgreSQL 17 on, it is NULL without the privilege.
    last bigint := pg_catalog.pg_sequence_last_value(seq);
    options record := pg_catalog.pg_sequence_parameters(seq);
    unused boolean; waited boolean := false;
    since bigint;   -- the epoch, in microseconds
    tick bigint; number bigint; id bigint; final bigint;
BEGIN
    IF node < 0 OR node > f.max_node THEN PERFORM snowflake_check(f, 'node'::text, node::bigint, f.max_node); END IF;
    IF last IS NULL OR options.minimum_value > 1 OR options.increment < 0 OR options.increment > slots THEN PERFORM snowflake_check_sequence(seq, f, 0::bigint); END IF;

    BEGIN
        -- A session that queued for the lock would get it while it sleeps, and the others
        -- would wait for it to wake up, at each id: so try again ("snow").
        WHILE NOT pg_catalog.pg_try_advisory_xact_lock(8317708086450520064 | seq::oid::bigint) LOOP
            PERFORM pg_catalog.pg_sleep(0.001::double precision);
        END LOOP;
        LOOP
            last := pg_catalog.pg_sequence_last_value(seq);
            unused := last IS NULL;     -- new or reset, so that a value is taken first
            IF unused THEN last := pg_catalog.nextval(seq) - 1; END IF;

            -- The first free slot of the node that is not before the current tick
            since := (pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000000::double precision)::bigint - f.epoch;
            tick := CASE WHEN since < 0 THEN -1 ELSE since / f.tick END;
            IF tick > last >> f.time_shift OR tick < 0 THEN
                number := 0;
                IF f.start_random THEN number := pg_catalog.floor(pg_catalog.random() * LEAST(slots / 2, slots - options.increment + 1)::double precision); END IF;
            ELSE
                tick := last >> f.time_shift;
                number := GREATEST(-1, ((last & ((1::bigint << f.time_shift) - 1)) - (node::bigint << f.node_shift)) >> f.seq_shift) + 1;
                IF number + options.increment > slots THEN
                    tick := tick + 1;
                    number := 0;
                    IF NOT waited AND tick <= f.max_tick THEN
                        PERFORM pg_catalog.pg_sleep(LEAST(f.tick, tick * f.tick - since)::double precision / 1000000::double precision);
                        waited := true;
                        CONTINUE;
                    END IF;
                END IF;
            END IF;
            IF tick < 0 OR tick > f.max_tick THEN       -- of the clock, or of last
                PERFORM snowflake_check(f, 'time'::text, CASE WHEN since < 0 THEN -1 ELSE since / f.tick END, f.max_tick),
                    snowflake_check_sequence(seq, f, NULL::bigint);
            END IF;

            -- With INCREMENT k an id has k slots, and is the first of them.
            id := (tick << f.time_shift) | (node::bigint << f.node_shift) | (number << f.seq_shift);
            final := id + ((options.increment - 1) << f.seq_shift);
            IF final > options.maximum_value THEN PERFORM snowflake_check_sequence(seq, f, final); END IF;

            -- A nextval() of another session, which knows no lock, could return the next
            -- value meanwhile.  So take that by nextval(), unless CACHE makes it take more.
            IF final = last + options.increment AND options.cache_size = 1 AND NOT unused THEN
                EXIT WHEN pg_catalog.nextval(seq) = final;
            ELSE
                PERFORM pg_catalog.setval(seq, final);
                EXIT;
            END IF;
        END LOOP;
        RAISE SQLSTATE 'SNOWF';
    EXCEPTION WHEN SQLSTATE 'SNOWF' THEN
        IF tick * f.tick - since > 1000000 + f.tick AND pg_catalog.current_setting('snowflake.warned_' || seq::oid::text, true) IS DISTINCT FROM 'true' THEN
            PERFORM pg_catalog.set_config('snowflake.warned_' || seq::oid::text, 'true', false);     -- once in a session
            RAISE WARNING 'clock is % seconds behind the last id of sequence "%"', (tick * f.tick - since) / 1000000, (SELECT relname FROM pg_catalog.pg_class WHERE oid = seq::oid)
                USING DETAIL = 'Ids continue in order, at the rate of one tick''s ids per tick, until the clock has caught up.',
                HINT = 'The clock was set back, or the earlier ids of the sequence have another layout.';
        END IF;
        RETURN id;
    END;
END $$;
COMMENT ON FUNCTION next_snowflake(regclass, integer, snowflake_layout) IS 'next id of a node from a clock kept in a sequence; greater than all ids taken from the sequence before, even if the wall clock is set back; waits rather than lead the clock; requires USAGE (or SELECT) and UPDATE on the sequence';

-- Ranges of time.  The body is inlined, if the function is not STRICT and has no
-- search_path, so it names the schema.
DO $do$
BEGIN
    EXECUTE pg_catalog.format($$
CREATE OR REPLACE FUNCTION snowflake_within(id bigint, "range" tstzrange, layout snowflake_layout) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L$$, pg_catalog.format(
    'SELECT id OPERATOR(pg_catalog.>=) %1$I.snowflake_lower("range", layout) AND id OPERATOR(pg_catalog.<=) %1$I.snowflake_upper("range", layout)', current_schema()));
    COMMENT ON FUNCTION snowflake_within(bigint, tstzrange, snowflake_layout) IS 'is the time of the id in the range? can use an index on the id; false for an id that is negative or past the layout''s end';
    PERFORM pg_catalog.set_config('search_path', pg_catalog.current_setting('snowflake.search_path'), pg_catalog.current_setting('snowflake.is_local')::boolean);
END $do$;
