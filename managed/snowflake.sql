-- 64-bit ids that carry their time, node and a sequence number, for servers on which
-- no C can be installed.  The functions have the names, arguments, bits and errors of
-- the extension objectid_ext; docs/managed.md says what is different.
--
-- Run this file as a role that can create objects in the current schema, in one
-- transaction, and again to upgrade:
--
--     psql -1 -v ON_ERROR_STOP=1 -c 'SET search_path = app' -f managed/snowflake.sql
--
-- There is no next_shard_id(), because a number that the caller passes can come twice,
-- and what rules that out is memory that sessions share.  Use
-- next_snowflake(seq, shard, 'instagram') with a sequence for each shard: the bits are
-- the same.
--
-- Names: all functions but snowflake_within(), which must be inlined and so is created
-- with the name of the schema in its body, have a search_path that contains this schema
-- and pg_temp, after pg_catalog.  A role that can create objects in the schema can still
-- not come between: calls name pg_catalog, and operators have an exact match there,
-- which is why numbers are cast where one would do without.

DO $$
BEGIN
    IF current_schema() IS NULL THEN
        RAISE invalid_schema_name USING MESSAGE = 'no schema has been selected to create in';
    END IF;
    PERFORM set_config('snowflake.search_path', current_setting('search_path'), false),
            set_config('search_path', quote_ident(current_schema()) || ', pg_temp', false);
    IF to_regtype('snowflake_layout') IS NULL THEN
        -- Without a CHECK: the functions check the text, and a constant stays a constant.
        CREATE DOMAIN snowflake_layout AS text;
        CREATE TYPE snowflake_fields AS (
            time_bits integer, node_bits integer, seq_bits integer, node_lowest boolean,
            tick bigint, epoch bigint, start_random boolean,
            time_shift integer, node_shift integer, seq_shift integer,
            max_node bigint, max_seq bigint, max_tick bigint, max_id bigint);
    END IF;
END;
$$;
COMMENT ON DOMAIN snowflake_layout IS 'division of the bits of a 64-bit id: name of a preset, or time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z; and ;start=random';
COMMENT ON TYPE snowflake_fields IS 'internal: the parts of a layout; tick and epoch in microseconds, since 1970';

CREATE OR REPLACE FUNCTION snowflake_version() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT '1.0'::text $$;
COMMENT ON FUNCTION snowflake_version() IS 'version of the file that made these functions';


-- Layouts

-- What is wrong with the parts of a layout: a detail of the error
CREATE OR REPLACE FUNCTION snowflake_syntax_error(layout text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    fields CONSTANT text := '^time:[0-9]{1,2}(,node:[0-9]{1,2}(,seq:[0-9]{1,2})?|,seq:[0-9]{1,2}(,node:[0-9]{1,2})?)?';
    tick CONSTANT text := fields || ';tick=[0-9]{1,10}(us|ms|s)';
BEGIN
    RETURN CASE
        WHEN layout !~ '^time:' THEN 'There is no preset of that name, and a layout in parts begins with "time:".'
        WHEN layout !~ (fields || '($|[^,0-9])') THEN 'The fields are not a list such as "time:41,node:10,seq:12".'
        WHEN layout !~ (fields || ';tick=') THEN 'There is no ";tick=" after the fields.'
        WHEN layout !~ tick THEN 'The tick is not a number with the unit us, ms or s.'
        WHEN layout !~ (tick || ';epoch=') THEN 'There is no ";epoch=" after the tick.'
        ELSE 'The epoch is not a date and time in UTC such as "2026-01-01T00:00:00Z".'
    END;
END;
$$;

-- Year, month, day, hour, minute, second and fraction as microseconds since 1970, or
-- NULL if there is no such time
CREATE OR REPLACE FUNCTION snowflake_epoch(m text[]) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    year integer := m[1]; month integer := m[2]; day integer := m[3];
    hour integer := m[4]; minute integer := m[5]; second integer := m[6];
    days_since_1970 bigint;
BEGIN
    IF year >= 1 AND month BETWEEN 1 AND 12 AND day >= 1 AND hour < 24 AND minute < 60 AND second < 60 THEN
        days_since_1970 := pg_catalog.make_date(year, month, 1) - '1970-01-01'::date + day - 1;
        IF pg_catalog.date_part('month', '1970-01-01'::date + days_since_1970::integer) = month::double precision THEN
            RETURN (((days_since_1970 * 24 + hour) * 60 + minute) * 60 + second) * 1000000
                + pg_catalog.rpad(COALESCE(m[7], ''), 6, '0')::bigint;
        END IF;
    END IF;
    RETURN NULL;
END;
$$;

-- The parts of a layout, and what follows from them.  Invalid text raises
-- invalid_text_representation, an impossible layout invalid_parameter_value.
CREATE OR REPLACE FUNCTION snowflake_fields(layout snowflake_layout) RETURNS snowflake_fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    input text := layout;
    name text := pg_catalog.lower(pg_catalog.split_part(input, ';', 1));
    rest text := pg_catalog.substr(input, pg_catalog.length(name) + 1);
    reason text;
    m text[];
    f snowflake_fields;
    -- The last microsecond of the year 9999
    max_time CONSTANT bigint := 253402300799999999;
    max_bigint CONSTANT bigint := 9223372036854775807;
BEGIN
    f := CASE name
        WHEN 'instagram' THEN ROW(41, 13, 10, false, 1000, 1314220021721000)
        WHEN 'twitter' THEN ROW(41, 10, 12, false, 1000, 1288834974657000)
        WHEN 'discord' THEN ROW(42, 10, 12, false, 1000, 1420070400000000)
        WHEN 'sonyflake' THEN ROW(39, 16, 8, true, 10000, 1409529600000000)
        WHEN 'mastodon' THEN ROW(48, 0, 16, false, 1000, 0)
        WHEN 'pgedge' THEN ROW(41, 10, 12, false, 1000, 1672531200000000)
        WHEN 'js53' THEN ROW(41, 4, 8, false, 1000, 1767225600000000)
    END;
    IF f IS NULL THEN
        m := pg_catalog.regexp_match(input, '^time:([0-9]{1,2})(?:,node:([0-9]{1,2})(?:,seq:([0-9]{1,2}))?|,seq:([0-9]{1,2})(?:,node:([0-9]{1,2}))?)?'
            ';tick=([0-9]{1,10})(us|ms|s);epoch=([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?Z(.*)$');
        f.epoch := snowflake_epoch(m[8:14]);
        IF f.epoch IS NULL THEN
            reason := snowflake_syntax_error(input);
        ELSE
            f.time_bits := m[1];
            f.node_bits := COALESCE(m[2], m[5], '0');
            f.seq_bits := COALESCE(m[3], m[4], '0');
            f.node_lowest := m[5] IS NOT NULL AND f.node_bits > 0 AND f.seq_bits > 0;
            f.tick := m[6]::bigint * CASE m[7] WHEN 'us' THEN 1 WHEN 'ms' THEN 1000 ELSE 1000000 END;
            rest := m[15];
        END IF;
    END IF;
    IF reason IS NULL AND rest NOT IN ('', ';start=random') THEN
        reason := 'Only ";start=random" can be at the end.';
    END IF;
    IF reason IS NOT NULL THEN
        RAISE invalid_text_representation USING
            MESSAGE = pg_catalog.format('invalid input syntax for type snowflake_layout: "%s"', input), DETAIL = reason,
            HINT = 'Use a name listed by snowflake_layouts(), or the form "time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z".';
    END IF;

    f.start_random := rest = ';start=random';
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
        -- Ids are not negative, so the highest of the 64 bits is never used.
        f.max_tick := LEAST(max_bigint >> (63 - LEAST(f.time_bits, 63 - f.time_shift)), (max_time - f.epoch) / f.tick);
        f.max_id := (f.max_tick << f.time_shift) | ((1::bigint << f.time_shift) - 1);
        IF f.max_id = 0 THEN
            reason := 'The layout must have more than one id before the year 10000.';
        END IF;
    END IF;
    IF reason IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = pg_catalog.format('invalid snowflake layout "%s"', input), DETAIL = reason;
    END IF;
    RETURN f;
END;
$$;

-- The beginning of a tick, as in the text of a layout
CREATE OR REPLACE FUNCTION snowflake_utc(f snowflake_fields, tick bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    utc text := pg_catalog.to_char(snowflake_time(f, tick) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US');
BEGIN
    RETURN pg_catalog.regexp_replace(utc, '(\.000)?(000)?$', 'Z');
END;
$$;

-- A layout as messages show it: the name of the preset, if it is one, or the parts
CREATE OR REPLACE FUNCTION snowflake_format(f snowflake_fields, named boolean) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    node text := CASE WHEN f.node_bits > 0 THEN pg_catalog.format(',node:%s', f.node_bits) ELSE '' END;
    seq text := CASE WHEN f.seq_bits > 0 THEN pg_catalog.format(',seq:%s', f.seq_bits) ELSE '' END;
    option text := CASE WHEN f.start_random THEN ';start=random' ELSE '' END;
    name text;
BEGIN
    IF named THEN
        FOREACH name IN ARRAY ARRAY['instagram', 'twitter', 'discord', 'sonyflake', 'mastodon', 'pgedge', 'js53'] LOOP
            IF snowflake_fields((name || option)::snowflake_layout)::text = f::text THEN
                RETURN name || option;
            END IF;
        END LOOP;
    END IF;
    RETURN pg_catalog.format('time:%s%s%s;tick=%s;epoch=%s%s', f.time_bits,
        CASE WHEN f.node_lowest THEN seq ELSE node END, CASE WHEN f.node_lowest THEN node ELSE seq END,
        CASE WHEN f.tick % 1000000::bigint = 0 THEN pg_catalog.format('%ss', f.tick / 1000000)
            WHEN f.tick % 1000::bigint = 0 THEN pg_catalog.format('%sms', f.tick / 1000)
            ELSE pg_catalog.format('%sus', f.tick) END,
        snowflake_utc(f, 0), option);
END;
$$;

CREATE OR REPLACE FUNCTION snowflake_layouts(
    OUT layout snowflake_layout, OUT parts text, OUT time_bits integer, OUT node_bits integer,
    OUT sequence_bits integer, OUT tick interval, OUT epoch timestamp with time zone,
    OUT ids_per_second bigint, OUT last_instant timestamp with time zone) RETURNS SETOF record
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 7 SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields;
BEGIN
    FOREACH layout IN ARRAY ARRAY['instagram', 'twitter', 'discord', 'sonyflake', 'mastodon', 'pgedge', 'js53'] LOOP
        f := snowflake_fields(layout);
        parts := snowflake_format(f, false);
        time_bits := f.time_bits;
        node_bits := f.node_bits;
        sequence_bits := f.seq_bits;
        tick := f.tick * '1 microsecond'::interval;
        epoch := snowflake_time(f, 0);
        ids_per_second := (f.max_seq + 1) * 1000000 / f.tick;
        last_instant := snowflake_time(f, f.max_tick);
        RETURN NEXT;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION snowflake_layouts() IS 'preset layouts; widths are in bits, ids_per_second is for one node, last_instant is the beginning of the last tick';


-- Ticks

-- The beginning of a tick
CREATE OR REPLACE FUNCTION snowflake_time(f snowflake_fields, tick bigint) RETURNS timestamp with time zone
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    us bigint := f.epoch + tick * f.tick;
BEGIN
    -- In hours and seconds, because a double cannot represent the microseconds of all times.
    RETURN '1970-01-01 00:00:00+00'::timestamptz + pg_catalog.make_interval(
        hours => (us / 3600000000)::integer, secs => (us % 3600000000)::double precision / 1000000::double precision);
END;
$$;

-- The tick of a time (and some microseconds): -1 before the epoch, max_tick + 1 past the end
CREATE OR REPLACE FUNCTION snowflake_tick(f snowflake_fields, ts timestamp with time zone, more bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    us bigint;
BEGIN
    -- Beyond what any layout has, and what a bigint can count
    IF ts < '0001-01-01 00:00:00+00'::timestamptz THEN
        RETURN -1;
    ELSIF ts >= '10001-01-01 00:00:00+00'::timestamptz THEN
        RETURN f.max_tick + 1;
    END IF;
    us := pg_catalog.date_part('epoch', pg_catalog.date_trunc('second', ts))::bigint * 1000000
        + pg_catalog.date_part('microseconds', ts)::bigint % 1000000::bigint + more - f.epoch;
    RETURN CASE WHEN us < 0 THEN -1 ELSE LEAST(us / f.tick, f.max_tick + 1) END;
END;
$$;

-- The ticks that begin in a range of time: first is above last if there are none.
CREATE OR REPLACE FUNCTION snowflake_ticks(f snowflake_fields, "range" tstzrange, OUT first bigint, OUT last bigint)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    IF pg_catalog.isempty("range") THEN
        first := 1;
        last := 0;
        RETURN;
    END IF;
    first := CASE WHEN pg_catalog.lower_inf("range") THEN 0
        ELSE LEAST(snowflake_tick(f, pg_catalog.lower("range"), CASE WHEN pg_catalog.lower_inc("range") THEN -1 ELSE 0 END), f.max_tick) + 1 END;
    last := CASE WHEN pg_catalog.upper_inf("range") THEN f.max_tick
        ELSE LEAST(snowflake_tick(f, pg_catalog.upper("range"), CASE WHEN pg_catalog.upper_inc("range") THEN 0 ELSE -1 END), f.max_tick) END;
END;
$$;


-- Errors

CREATE OR REPLACE FUNCTION snowflake_field_error(f snowflake_fields, what text, value bigint, max bigint) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RAISE numeric_value_out_of_range USING
        MESSAGE = pg_catalog.format('%s %s is out of range for layout %s', what, value, snowflake_format(f, true)),
        DETAIL = pg_catalog.format('It must be from 0 to %s.', max);
END;
$$;

CREATE OR REPLACE FUNCTION snowflake_time_error(f snowflake_fields) RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RAISE datetime_field_overflow USING
        MESSAGE = pg_catalog.format('time is out of range for layout %s', snowflake_format(f, true)),
        DETAIL = pg_catalog.format('It must be from %s to %s.', snowflake_utc(f, 0), snowflake_utc(f, f.max_tick));
END;
$$;


-- Packing, decoding, bounds

CREATE OR REPLACE FUNCTION make_snowflake(ts timestamp with time zone, node integer, seq integer, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
    tick bigint := snowflake_tick(f, ts, 0);
BEGIN
    IF tick < 0 OR tick > f.max_tick THEN
        PERFORM snowflake_time_error(f);
    END IF;
    IF node < 0 OR node > f.max_node THEN
        PERFORM snowflake_field_error(f, 'node', node, f.max_node);
    END IF;
    IF seq < 0 OR seq > f.max_seq THEN
        PERFORM snowflake_field_error(f, 'sequence number', seq, f.max_seq);
    END IF;
    RETURN (tick << f.time_shift) | (node::bigint << f.node_shift) | (seq::bigint << f.seq_shift);
END;
$$;
COMMENT ON FUNCTION make_snowflake(timestamp with time zone, integer, integer, snowflake_layout) IS 'id of a time (rounded down to its tick), a node and a sequence number; an error if one of them does not fit its field';

CREATE OR REPLACE FUNCTION snowflake_parts(id bigint, layout snowflake_layout, OUT created timestamp with time zone, OUT node integer, OUT sequence integer)
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
BEGIN
    IF id < 0 OR id > f.max_id THEN
        PERFORM snowflake_field_error(f, 'id', id, f.max_id);
    END IF;
    created := snowflake_time(f, id >> f.time_shift);
    node := (id >> f.node_shift) & f.max_node;
    sequence := (id >> f.seq_shift) & f.max_seq;
END;
$$;
COMMENT ON FUNCTION snowflake_parts(bigint, snowflake_layout) IS 'time, node and sequence number of the id; an error for an id that is negative or past the layout''s end';

CREATE OR REPLACE FUNCTION snowflake_timestamp(id bigint, layout snowflake_layout) RETURNS timestamp with time zone
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (snowflake_parts(id, layout)).created;
END;
$$;
COMMENT ON FUNCTION snowflake_timestamp(bigint, snowflake_layout) IS 'beginning of the tick of the id; an error for an id that is negative or past the layout''s end';

CREATE OR REPLACE FUNCTION snowflake_node(id bigint, layout snowflake_layout) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (snowflake_parts(id, layout)).node;
END;
$$;
COMMENT ON FUNCTION snowflake_node(bigint, snowflake_layout) IS 'node, or shard, of the id, 0 if the layout has no nodes; an error for an id that is negative or past the layout''s end';

CREATE OR REPLACE FUNCTION snowflake_sequence(id bigint, layout snowflake_layout) RETURNS integer
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN (snowflake_parts(id, layout)).sequence;
END;
$$;
COMMENT ON FUNCTION snowflake_sequence(bigint, snowflake_layout) IS 'sequence number of the id; an error for an id that is negative or past the layout''s end';

CREATE OR REPLACE FUNCTION snowflake_lower("range" tstzrange, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
    ticks record := snowflake_ticks(f, "range");
BEGIN
    RETURN CASE WHEN ticks.first > ticks.last THEN f.max_id ELSE ticks.first << f.time_shift END;
END;
$$;
COMMENT ON FUNCTION snowflake_lower(tstzrange, snowflake_layout) IS 'lowest id whose time is in the range; the highest of all if there is none';

CREATE OR REPLACE FUNCTION snowflake_upper("range" tstzrange, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
    ticks record := snowflake_ticks(f, "range");
BEGIN
    RETURN CASE WHEN ticks.first > ticks.last THEN 0 ELSE (ticks.last << f.time_shift) | ((1::bigint << f.time_shift) - 1) END;
END;
$$;
COMMENT ON FUNCTION snowflake_upper(tstzrange, snowflake_layout) IS 'highest id whose time is in the range; 0 if there is none';

CREATE OR REPLACE FUNCTION snowflake_floor(ts timestamp with time zone, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN snowflake_lower(pg_catalog.tstzrange(ts, NULL), layout);
END;
$$;
COMMENT ON FUNCTION snowflake_floor(timestamp with time zone, snowflake_layout) IS 'lowest id whose time is at or after this; 0 before the epoch, the highest id past the end';

CREATE OR REPLACE FUNCTION snowflake_ceiling(ts timestamp with time zone, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN snowflake_upper(pg_catalog.tstzrange(NULL, ts, '[]'), layout);
END;
$$;
COMMENT ON FUNCTION snowflake_ceiling(timestamp with time zone, snowflake_layout) IS 'highest id whose time is at or before this; 0 before the epoch, the highest id past the end';


-- next_snowflake

CREATE OR REPLACE FUNCTION snowflake_sequence_name(seq regclass) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
    SELECT relname FROM pg_catalog.pg_class WHERE oid = seq::oid
$$;

-- Refuse a sequence that cannot hold ids of this layout.
CREATE OR REPLACE FUNCTION snowflake_check_sequence(seq regclass, increment bigint, minimum bigint, f snowflake_fields) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path FROM CURRENT AS $$
DECLARE
    name name := snowflake_sequence_name(seq);
BEGIN
    IF increment < 0 THEN
        RAISE 'sequence "%" is descending', name USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Use a sequence with a positive INCREMENT.';
    ELSIF increment > f.max_seq + 1 THEN
        RAISE 'increment % of sequence "%" is too large for layout %', increment, name, snowflake_format(f, true)
            USING ERRCODE = 'object_not_in_prerequisite_state',
            DETAIL = pg_catalog.format('A tick has %s sequence numbers.', f.max_seq + 1);
    ELSIF minimum >> f.time_shift > GREATEST(snowflake_tick(f, pg_catalog.clock_timestamp(), 1000000), 0) THEN
        RAISE 'MINVALUE (%) of sequence "%" is ahead of the clock in layout %', minimum, name, snowflake_format(f, true)
            USING ERRCODE = 'object_not_in_prerequisite_state',
            HINT = 'Use ALTER SEQUENCE ... NO MINVALUE RESTART WITH 1.';
    END IF;
END;
$$;

-- The state is the sequence: last_value is the last slot taken and, as the high bits of
-- an id are its time, a clock that is never set back.  An advisory lock lets one session
-- at a time read and change it.  The lock is taken in a subtransaction, which an error
-- that is caught here rolls back: that releases the lock before the end of the
-- transaction, and keeps what setval() did.
--
-- Ids do not lead the clock, unless that is set back.  So if a crash loses the last
-- value, because no commit has written it to disk, the clock is above it.
CREATE OR REPLACE FUNCTION next_snowflake(seq regclass, node integer, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path FROM CURRENT AS $$
DECLARE
    f snowflake_fields := snowflake_fields(layout);
    -- This locks the definition of the sequence, too, before the advisory lock.
    last bigint := pg_catalog.pg_sequence_last_value(seq);
    options record := pg_catalog.pg_sequence_parameters(seq);
    slots bigint := f.max_seq + 1;
    unused boolean;
    waited boolean := false;
    tick bigint;
    number bigint;
    id bigint;
    final bigint;
BEGIN
    -- From PostgreSQL 17 on, last_value is NULL for a role without the privilege.
    IF last IS NULL AND NOT pg_catalog.has_sequence_privilege(seq, 'USAGE, SELECT') THEN
        RAISE 'permission denied for sequence %', snowflake_sequence_name(seq) USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF node < 0 OR node > f.max_node THEN
        PERFORM snowflake_field_error(f, 'node', node, f.max_node);
    END IF;
    IF options.increment < 0 OR options.increment > slots OR options.minimum_value > 1 THEN
        PERFORM snowflake_check_sequence(seq, options.increment, options.minimum_value, f);
    END IF;

    BEGIN
        PERFORM pg_catalog.pg_advisory_xact_lock(8317708118691676160 | seq::oid::bigint);
        LOOP
            last := pg_catalog.pg_sequence_last_value(seq);
            unused := last IS NULL;     -- the sequence is new or was reset
            IF unused THEN
                last := pg_catalog.nextval(seq) - 1;
            END IF;

            -- The first free slot of the node that is not before the current tick
            tick := snowflake_tick(f, pg_catalog.clock_timestamp(), 0);
            IF tick >= 0 AND tick > last >> f.time_shift THEN
                number := 0;
                IF f.start_random THEN
                    number := pg_catalog.floor(pg_catalog.random() * LEAST(slots / 2, slots - options.increment + 1)::double precision);
                END IF;
            ELSIF tick >= 0 THEN
                tick := last >> f.time_shift;
                number := GREATEST(((last & ((1::bigint << f.time_shift) - 1)) - (node::bigint << f.node_shift)) >> f.seq_shift, -1) + 1;
                IF number + options.increment > slots THEN
                    tick := tick + 1;
                    number := 0;
                    IF NOT waited AND tick <= f.max_tick THEN
                        PERFORM pg_catalog.pg_sleep(LEAST(f.tick::double precision / 1000000::double precision,
                            pg_catalog.date_part('epoch', snowflake_time(f, tick) - pg_catalog.clock_timestamp())));
                        waited := true;
                        CONTINUE;
                    END IF;
                END IF;
            END IF;
            IF tick < 0 OR tick > f.max_tick THEN
                PERFORM snowflake_time_error(f);
            END IF;

            -- With INCREMENT k, an id has k slots, of which it is the first.
            id := (tick << f.time_shift) | (node::bigint << f.node_shift) | (number << f.seq_shift);
            final := id + ((options.increment - 1) << f.seq_shift);
            IF final > options.maximum_value THEN
                RAISE 'next_snowflake: reached maximum value of sequence "%" (%)', snowflake_sequence_name(seq), options.maximum_value
                    USING ERRCODE = 'sequence_generator_limit_exceeded', HINT = 'Use a sequence AS bigint with NO MAXVALUE.';
            END IF;

            -- nextval() does not wait for our lock.  So take a slot that it could return
            -- by nextval(), too, if it does not take more with it.
            IF final = last + options.increment AND options.cache_size = 1 AND NOT unused THEN
                EXIT WHEN pg_catalog.nextval(seq) = final;
            ELSE
                PERFORM pg_catalog.setval(seq, final);
                EXIT;
            END IF;
        END LOOP;
        RAISE SQLSTATE 'SNOWF';
    EXCEPTION WHEN SQLSTATE 'SNOWF' THEN
        RETURN id;
    END;
END;
$$;
COMMENT ON FUNCTION next_snowflake(regclass, integer, snowflake_layout) IS 'next id of a node from a clock kept in a sequence; greater than all ids taken from the sequence before, even if the wall clock is set back; requires USAGE and UPDATE on the sequence; waits rather than lead the clock';


-- Ranges of time

-- Not STRICT, because it would not be inlined then
DO $do$
BEGIN
    EXECUTE format($create$
CREATE OR REPLACE FUNCTION snowflake_within(id bigint, "range" tstzrange, layout snowflake_layout) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT id OPERATOR(pg_catalog.>=) %1$I.snowflake_lower("range", layout) AND id OPERATOR(pg_catalog.<=) %1$I.snowflake_upper("range", layout)
$$;
$create$, current_schema());
    COMMENT ON FUNCTION snowflake_within(bigint, tstzrange, snowflake_layout) IS 'is the time of the id in the range? can use an index on the id; false for an id that is negative or past the layout''s end';
    PERFORM set_config('search_path', current_setting('snowflake.search_path'), false);
END;
$do$;
