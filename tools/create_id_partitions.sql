-- ===== Partitions by the time of ids: creating them =====

-- The table; an error unless the current role can make partitions with these arguments.  Waits
-- for other calls for the same table.
CREATE FUNCTION _check_partition_call(parent regclass, every interval,
    first timestamptz, upto timestamptz) RETURNS regclass
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    owner name := (SELECT pg_get_userbyid(relowner) FROM pg_class
                   WHERE oid = parent AND relkind = 'p');
BEGIN
    IF num_nulls(parent, every, first, upto) > 0 THEN
        RAISE null_value_not_allowed USING MESSAGE = 'table, interval and times must not be null';
    ELSIF every < '1 minute' OR NOT isfinite(every) OR extract(second FROM every) <> 0 THEN
        RAISE EXCEPTION 'interval "%" is not a positive whole number of minutes', every
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF NOT isfinite(first) OR NOT isfinite(upto) OR upto < first THEN
        RAISE EXCEPTION 'invalid time span from % to %', first, upto
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF owner <> current_user THEN
        -- functions that the owner has chosen for the table run as the role that alters it
        RAISE EXCEPTION 'must be owner of table %', parent
            USING ERRCODE = 'insufficient_privilege', HINT = format('Connect as role "%s".', owner);
    ELSIF owner IS NOT NULL THEN
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    END IF;
    RETURN parent;
END;
$$;

-- The multiple of an interval, counted from an origin (null: from 2001-01-01), that contains an
-- instant.  Repeated addition of months would drift from 31 January to 28 February and 28 March.
-- 2001-01-01 is a Monday, so that weeks, too, begin as expected.
CREATE FUNCTION _period(every interval, origin timestamptz, instant timestamptz,
    OUT lower timestamptz, OUT upper timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET timezone = 'UTC' AS $$
DECLARE
    n integer;
BEGIN
    origin := coalesce(origin, '2001-01-01 00:00:00+00');
    -- which takes months and years of a fixed length
    n := floor(extract(epoch FROM instant - origin) / extract(epoch FROM every));
    WHILE origin + n * every > instant LOOP
        n := n - 1;
    END LOOP;
    WHILE origin + (n + 1) * every <= instant LOOP
        n := n + 1;
    END LOOP;
    lower := origin + n * every;
    upper := origin + (n + 1) * every;
END;
$$;

-- Name of a new partition, qualified and quoted.  A cast to type name keeps the characters that
-- fit in.
CREATE FUNCTION _partition_name(parent regclass, lower timestamptz, upper timestamptz) RETURNS text
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET timezone = 'UTC' AS $$
DECLARE
    days boolean := lower = date_trunc('day', lower) AND upper = date_trunc('day', upper);
    suffix text := to_char(lower, CASE WHEN days THEN '_YYYYMMDD' ELSE '_YYYYMMDD_HH24MI' END);
    schema name;
    name text;
BEGIN
    SELECT nspname, relname INTO schema, name
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = parent;
    IF octet_length(name || suffix) > 63 THEN
        -- another parent can begin with the same bytes
        suffix := '_' || left(md5(name), 8) || suffix;
        name := substr((repeat('_', length(suffix)) || name)::name, length(suffix) + 1);
    END IF;
    RETURN format('%I.%I', schema, name || suffix);
END;
$$;

-- How many rows of the default partition have ids from a lower (null: from the lowest on) to an
-- upper bound, and the time of the first; null if there are none.  It raises an error where a
-- policy of a partition of another role would hide rows.
CREATE FUNCTION _default_rows(series _series, lower_id text, upper_id text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET row_security = off SET timezone = 'UTC' AS $$
DECLARE
    first text;
    number bigint;
BEGIN
    IF series.default_partition IS NOT NULL THEN
        EXECUTE format('SELECT %1$I, count(*) OVER () FROM %2$s'
                       ' WHERE (%1$I OPERATOR(%3$s.>=) %4$L::%5$s OR %4$L IS NULL)'
                       '   AND %1$I OPERATOR(%3$s.<) %6$L'
                       ' ORDER BY %1$I LIMIT 1',
                       series.key, series.default_partition, series.schema, lower_id, series.type,
                       upper_id)
            INTO first, number;
    END IF;
    RETURN CASE WHEN number > 0
                THEN format('%s in %s, the first of %s', number, series.default_partition,
                            _id_time(series.type, first, series.layout)) END;
END;
$$;

-- Creates a partition; an error if the default partition has rows for it.  One that begins or ends
-- within a tick has neighbours with the same bound.  ATTACH PARTITION does not block queries on the
-- parent, as CREATE TABLE ... PARTITION OF does.  The table gets what that would give it.
CREATE FUNCTION _create_partition(series _series, lower timestamptz,
    upper timestamptz) RETURNS regclass
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
#variable_conflict use_variable
DECLARE
    name CONSTANT text := _partition_name(series.parent, lower, upper);
    lower_id text;
    upper_id text;
    pending regclass;
    rows text;
BEGIN
    SELECT coalesce(max(p.upper_id) FILTER (WHERE p.upper = lower),
                    _id_floor(series.type, lower, series.layout)),
           coalesce(min(p.lower_id) FILTER (WHERE p.lower = upper),
                    _id_floor(series.type, upper, series.layout)),
           max(p.partition::oid) FILTER (WHERE p.pending AND p.lower < upper AND p.upper > lower)
        INTO lower_id, upper_id, pending
    FROM unnest(series.partitions) AS p;
    rows := _default_rows(series, lower_id, upper_id);
    IF pending IS NOT NULL THEN
        RAISE EXCEPTION 'detaching partition % was interrupted', pending
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('ALTER TABLE %s DETACH PARTITION %s FINALIZE completes it.',
                                  series.parent, pending);
    ELSIF _id_time(series.type, lower_id, series.layout) <> lower
          OR _id_time(series.type, upper_id, series.layout) <> upper THEN
        RAISE EXCEPTION 'no id of table % has the time % or %', series.parent, lower, upper
            USING ERRCODE = 'datetime_field_overflow',
                  DETAIL = 'A partition begins and ends with the first id of an instant.';
    ELSIF rows IS NOT NULL THEN
        RAISE EXCEPTION 'rows from % to % are in the default partition: %', lower, upper, rows
            USING ERRCODE = 'check_violation',
                  HINT = 'Move them to a temporary table, create the partition, and insert them.';
    END IF;
    EXECUTE (SELECT format('CREATE TABLE %s (LIKE %s INCLUDING COMPRESSION INCLUDING CONSTRAINTS'
                           ' INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)',
                           name, series.parent)
                    || coalesce(' USING ' || quote_ident(amname), '')
                    || coalesce(' TABLESPACE ' || quote_ident(spcname), '')
             FROM pg_class c
                  LEFT JOIN pg_am m ON m.oid = relam
                  LEFT JOIN pg_tablespace t ON t.oid = reltablespace
             WHERE c.oid = series.parent);
    IF series.layout IS NOT NULL THEN
        EXECUTE format('COMMENT ON TABLE %s IS %L', name,
                       format('ids of layout %s from %s to %s', series.layout, lower, upper));
    END IF;
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
                   series.parent, name, lower_id, upper_id);
    RETURN name;
END;
$$;

-- Bounds and names are in UTC, whatever the time zone of the session.  now() is what
-- people type; a time of whole minutes has been chosen, or is midnight in another zone, so a
-- notice shows it.  To read the list of partitions again for each new one would take longer than
-- to create it.
CREATE FUNCTION create_id_partitions(parent regclass, every interval, first timestamptz,
    upto timestamptz, layout snowflake_layout DEFAULT NULL) RETURNS SETOF regclass
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET timezone = 'UTC' AS $$
DECLARE
    unit CONSTANT text := CASE WHEN every < '1 day' THEN 'minute'
                               WHEN every < '1 month' THEN 'day' ELSE 'month' END;
    series _series;
    begins timestamptz;
    ends timestamptz;
BEGIN
    parent := _check_partition_call(parent, every, first, upto);
    series := _partition_series(parent, layout);
    IF first <> date_trunc(unit, first) THEN
        IF first <> date_trunc('minute', first) THEN
            first := (_period(every, NULL, first)).lower;
        END IF;
        RAISE NOTICE 'the first partition begins at %', first;
    END IF;
    FOR n IN 0 .. 100000 LOOP
        begins := first + n * every;
        ends := first + (n + 1) * every;
        EXIT WHEN begins >= upto;
        CONTINUE WHEN EXISTS (SELECT FROM unnest(series.partitions) AS p
                              WHERE (p.lower, p.upper) = (begins, ends) AND NOT p.pending);
        RETURN NEXT _create_partition(series, begins, ends);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION create_id_partitions IS
    'creates the missing partitions of a time span, and returns them; the caller is the owner of '
    'the table; for its form and the layout, see id_partitions(); the interval is a number of '
    'minutes, days or months; if the first time is not a whole minute, the partitions begin with '
    'the month, week, day or hour that contains it; an error if the default partition has rows for '
    'a new one';
