----------------------------------------------------------------------
-- Partitions by the time of ids: which are missing
----------------------------------------------------------------------

-- The grid of the existing partitions, or else multiples of the interval from
-- Monday 2001-01-01 on: months, weeks, days and hours begin as people expect.

CREATE FUNCTION objectid_ext_tools._period(
    every interval,
    anchor timestamp with time zone,
    instant timestamp with time zone,
    OUT begins timestamp with time zone,
    OUT ends timestamp with time zone
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    origin timestamptz := coalesce(anchor, '2001-01-01 00:00:00+00');
    n integer := floor(extract(epoch FROM instant - origin) / extract(epoch FROM every));
BEGIN
    PERFORM objectid_ext_tools._check_partition_interval(every);
    -- the epoch of an interval takes months and years of a fixed length
    WHILE origin + n * every > instant LOOP
        n := n - 1;
    END LOOP;
    WHILE origin + (n + 1) * every <= instant LOOP
        n := n + 1;
    END LOOP;
    begins := origin + n * every;
    ends := origin + (n + 1) * every;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._period(interval, timestamp with time zone, timestamp with time zone) IS 'internal: the multiple of an interval, counted from an anchor or from 2001-01-01, that contains an instant';

-- Months from the 31st on end on the last day of shorter ones.  They continue with the
-- 31st, not with that: the first of the latest bounds of which all others are multiples.
-- Twelve are enough for months, quarters and years.

CREATE FUNCTION objectid_ext_tools._series_begin(bounds timestamp with time zone[], last timestamp with time zone, every interval) RETURNS timestamp with time zone
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
    WITH latest AS MATERIALIZED (
        SELECT b, row_number() OVER (ORDER BY b DESC)::integer AS n
        FROM (SELECT DISTINCT b FROM unnest(bounds) AS b WHERE b <= last) AS bound ORDER BY b DESC LIMIT 12
    )
    SELECT min(b) FROM latest AS l
    WHERE NOT EXISTS (SELECT FROM latest AS later WHERE later.n < l.n AND later.b <> l.b + (l.n - later.n) * every)
$$;
COMMENT ON FUNCTION objectid_ext_tools._series_begin(timestamp with time zone[], timestamp with time zone, interval) IS 'internal: from which of the bounds up to the last one partitions of an interval continue; null if there is none';

-- Before the first partition of an instant there can be one up to the highest number of
-- a serial column, and numbers have no time.  If the default partition cannot be read,
-- no partition can be created, and the attempt for the present says why.  Foreign tables
-- are not read before _lock_before_foreign_rows(), and their rows cannot move.

CREATE FUNCTION objectid_ext_tools._first_default_time(parent regclass, since timestamp with time zone, layout snowflake_layout) RETURNS timestamp with time zone
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    key_type regtype := objectid_ext_tools._partition_key_type(parent);
    operators text := CASE WHEN key_type IN ('bigint'::regtype, 'uuid'::regtype) THEN 'pg_catalog' ELSE objectid_ext_tools._ids_schema() END;
    epoch timestamptz := objectid_ext_tools._partition_time(key_type, objectid_ext_tools._partition_bound(key_type, '-infinity', layout), layout);
    default_partition regclass;
    key name;
    id text;
BEGIN
    SELECT nullif(partdefid, 0), attname INTO default_partition, key
    FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0] WHERE partrelid = parent;
    IF NOT objectid_ext_tools._has_foreign(default_partition) THEN
        PERFORM objectid_ext_tools._check_partition_owner(default_partition), objectid_ext_tools._lock_tree(default_partition, 'ACCESS SHARE');
        EXECUTE format('SELECT %1$I FROM %2$s WHERE %1$I OPERATOR(%3$s.>=) %4$L::%5$s ORDER BY %1$I LIMIT 1', key, default_partition, operators,
                       objectid_ext_tools._partition_bound(key_type, greatest(since, epoch + interval '1 day'), layout), key_type) INTO id;
        PERFORM objectid_ext_tools._check_still_local(default_partition);
    END IF;
    RETURN objectid_ext_tools._partition_time(key_type, id, layout);
EXCEPTION WHEN transaction_rollback THEN
    RAISE;
WHEN others THEN
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._first_default_time(regclass, timestamp with time zone, snowflake_layout) IS 'internal: time of the first row of the default partition since an instant, but after the first day of the layout; null if there is none, or it cannot be read, or contains foreign tables';

-- The time spans that are missing in a span, between the existing partitions: they
-- continue the intervals of those before.  If these have just been dropped, past is
-- where they continue.  The first span is that of a row in the default partition, or the
-- present.  A row with a wrong id can be of any age, so only spans with rows are missing
-- of what is long past.

CREATE FUNCTION objectid_ext_tools._missing_partitions(
    parent regclass,
    every interval,
    first timestamp with time zone,
    upto timestamp with time zone,
    past timestamp with time zone,
    layout snowflake_layout,
    OUT begins timestamp with time zone,
    OUT ends timestamp with time zone
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    present timestamptz := least(clock_timestamp(), upto);
    has_default boolean := EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND partdefid <> 0);
    partitions tstzmultirange;
    uppers timestamptz[];
    lowers timestamptz[];
    gap tstzrange;
    instant timestamptz;
    anchor timestamptz;
    sought timestamptz;
    missing integer := 0;
BEGIN
    -- a partition within a tick separates those before and after it
    SELECT range_agg(tstzrange(lower, upper, CASE WHEN lower = upper THEN '[]' ELSE '[)' END)), array_agg(upper) FILTER (WHERE exact_upper), array_agg(lower) FILTER (WHERE exact_lower)
        INTO partitions, uppers, lowers
    FROM objectid_ext_tools._time_partitions(parent, layout);
    FOR gap IN SELECT g FROM unnest('{(,)}'::tstzmultirange - coalesce(partitions, '{}')) AS g WHERE g && tstzrange(first, upto, '[]') ORDER BY g LOOP
        instant := greatest(first, lower(gap));
        anchor := coalesce(objectid_ext_tools._series_begin(uppers || lowers, (SELECT max(u) FROM unnest(uppers) AS u WHERE u <= instant), every), past);
        sought := CASE WHEN anchor IS NULL THEN present WHEN has_default THEN present - 100 * every ELSE '-infinity' END;
        LOOP
            IF instant < sought THEN
                instant := least(objectid_ext_tools._first_default_time(parent, instant, layout), present);
            END IF;
            EXIT WHEN instant > upto OR instant >= upper(gap);
            SELECT greatest(p.begins, lower(gap)), least(p.ends, upper(gap)) INTO begins, ends FROM objectid_ext_tools._period(every, anchor, instant) AS p;
            missing := missing + 1;
            IF missing > 10000 THEN
                RAISE EXCEPTION 'more than 10000 partitions of table % are missing', parent
                    USING ERRCODE = 'program_limit_exceeded',
                          HINT = CASE WHEN ends > present THEN 'Use a longer interval, or a shorter time ahead.'
                                      ELSE (SELECT format('Call create_id_partitions(%L, %L, %L, %L) to continue from there.', parent, every, p.begins - every, p.begins)
                                            FROM objectid_ext_tools._period(every, anchor, present) AS p) END;
            END IF;
            RETURN NEXT;
            instant := ends;
            sought := least(sought, present - 100 * every);
        END LOOP;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._missing_partitions(regclass, interval, timestamp with time zone, timestamp with time zone, timestamp with time zone, snowflake_layout) IS 'internal: time spans of the partitions that are missing; if there is a default partition, only those with rows in it before the last 100; past is null, or from where partitions that were dropped continue';
