----------------------------------------------------------------------
-- Partitions by the time of ids: dropping and maintaining them
----------------------------------------------------------------------

-- CONCURRENTLY cannot run in a function, so that statement is only returned.  A
-- partition that is referenced by foreign keys must be detached before it can be
-- dropped; detaching it checks that no row refers to it.

CREATE FUNCTION objectid_ext_tools._drop_statement(parent regclass, partition regclass, action text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN action = 'drop' AND NOT is_referenced THEN dropping
                WHEN action = 'drop' THEN detaching || '; ' || dropping
                WHEN action = 'detach' THEN detaching
                ELSE detaching || CASE WHEN inhdetachpending THEN '' ELSE ' CONCURRENTLY' END END
    FROM pg_inherits,
         LATERAL (SELECT format('ALTER TABLE %s DETACH PARTITION %s', parent, partition) || CASE WHEN inhdetachpending THEN ' FINALIZE' ELSE '' END,
                         format('DROP TABLE %s', partition),
                         EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = parent)) AS s (detaching, dropping, is_referenced)
    WHERE inhparent = parent AND inhrelid = partition
$$;
COMMENT ON FUNCTION objectid_ext_tools._drop_statement(regclass, regclass, text) IS 'internal: statement that drops or detaches a partition';

-- To detach a partition is to look at the tables that refer to it.

CREATE FUNCTION objectid_ext_tools._check_drop_owners(parent regclass, partition regclass) RETURNS void
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._check_partition_owner(t) FROM unnest(partition || objectid_ext_tools._referring_tables(parent)) AS t
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_drop_owners(regclass, regclass) IS 'internal: raises an error unless a partition and the tables that refer to its parent belong to the current role, or all are superusers';

-- DETACH PARTITION removes triggers from the tables that refer to the partition, and
-- adds some to those it refers to, which DROP removes again.  Each time, it locks the
-- table weakly before: a transaction that has read it, and then writes it, would
-- deadlock.  Rows are mostly written in the order in which these are locked.  A new
-- partition locks the tables it refers to in any case, and can follow.

CREATE FUNCTION objectid_ext_tools._lock_to_drop(parent regclass, partition regclass, action text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._lock_each(objectid_ext_tools._referred_tables(parent),
                CASE WHEN action = 'drop' AND EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = parent) THEN 'ACCESS EXCLUSIVE' ELSE 'SHARE ROW EXCLUSIVE' END);
    PERFORM objectid_ext_tools._lock_each(parent || objectid_ext_tools._referring_tables(parent) || partition, 'ACCESS EXCLUSIVE');
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', partition);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_to_drop(regclass, regclass, text) IS 'internal: locks a partition that is dropped or detached, and the tables that this concerns';

CREATE FUNCTION objectid_ext_tools._drop_partition(parent regclass, partition regclass, action text) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    PERFORM objectid_ext_tools._check_drop_owners(parent, partition);
    IF action = 'detach concurrently' THEN
        RETURN objectid_ext_tools._drop_statement(parent, partition, action);
    END IF;
    PERFORM objectid_ext_tools._lock_to_drop(parent, partition, action);
    -- until now, names and owners could change
    PERFORM objectid_ext_tools._check_drop_owners(parent, partition);
    statement := objectid_ext_tools._drop_statement(parent, partition, action);
    EXECUTE statement;
    RETURN statement;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._drop_partition(regclass, regclass, text) IS 'internal: drops or detaches a partition, except concurrently; returns the statement';

CREATE FUNCTION objectid_ext_tools.drop_id_partitions(
    parent regclass,
    older_than timestamp with time zone,
    action text DEFAULT 'drop',
    layout snowflake_layout DEFAULT NULL,
    OUT partition text,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT statement text,
    OUT problem text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET jit = off
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
    old record;
    detail text;
BEGIN
    PERFORM objectid_ext_tools._check_isolation();
    IF parent IS NULL OR older_than IS NULL OR action IS NULL THEN
        RAISE EXCEPTION 'parent, time and action must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._partition_key_type(parent);
    IF action NOT IN ('drop', 'detach', 'detach concurrently') THEN
        RAISE EXCEPTION 'invalid action "%"', action
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid actions are "drop", "detach" and "detach concurrently".';
    END IF;
    IF NOT isfinite(older_than) THEN
        RAISE EXCEPTION 'time must be finite' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF action = 'detach concurrently' AND EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND partdefid <> 0) THEN
        RAISE EXCEPTION 'cannot detach partitions of table % concurrently, because it has a default partition', parent
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF action = 'detach concurrently' THEN
        PERFORM objectid_ext_tools._check_owner(ARRAY(SELECT relid FROM pg_partition_ancestors(parent)));
    ELSE
        PERFORM objectid_ext_tools._lock_parent(parent);
    END IF;
    layout := objectid_ext_tools._partition_layout(parent, layout);
    FOR old IN
        SELECT p.* FROM objectid_ext_tools._time_partitions(parent, layout) AS p
             JOIN pg_inherits ON inhparent = parent AND inhrelid = p.partition
        WHERE p.upper <= older_than AND exact_lower AND exact_upper AND NOT is_foreign
        -- no other can be detached concurrently before an interrupted one
        ORDER BY NOT inhdetachpending, p.lower
    LOOP
        partition := old.partition;
        lower := old.lower;
        upper := old.upper;
        statement := objectid_ext_tools._drop_statement(parent, old.partition, action);
        problem := NULL;
        BEGIN
            statement := objectid_ext_tools._drop_partition(parent, old.partition, action);
        EXCEPTION WHEN transaction_rollback OR read_only_sql_transaction THEN
            -- a deadlock, for example: the whole call is to be repeated
            RAISE;
        WHEN others THEN
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', problem, nullif(detail, ''));
            IF action = 'detach concurrently' THEN
                statement := NULL;
            END IF;
        END;
        RETURN NEXT;
    END LOOP;
    PERFORM set_config('lock_timeout', own_timeout, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.drop_id_partitions(regclass, timestamp with time zone, text, snowflake_layout) IS 'drops or detaches partitions whose ids are all older than a time, and returns them; problem is the error if a partition stays because it is still referenced or locked, belongs to another role, or cannot be dropped for another reason; the layout is by default that of the default of the column, and an error if it is not known or is not that of the ids; the caller is the owner of the table, or both are superusers; action is drop, detach, or detach concurrently, which only returns the statements; partitions without a lower or upper time, and foreign ones, stay; an error at isolation levels above READ COMMITTED';

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
-- no partition can be created, and the attempt for the present says why.

CREATE FUNCTION objectid_ext_tools._first_default_time(parent regclass, since timestamp with time zone, layout snowflake_layout) RETURNS timestamp with time zone
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
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
    IF default_partition IS NOT NULL THEN
        PERFORM objectid_ext_tools._check_partition_owner(default_partition);
        EXECUTE format('SELECT %1$I FROM %2$s WHERE %1$I OPERATOR(%3$s.>=) %4$L::%5$s ORDER BY %1$I LIMIT 1', key, default_partition, operators,
                       objectid_ext_tools._partition_bound(key_type, greatest(since, epoch + interval '1 day'), layout), key_type) INTO id;
    END IF;
    RETURN objectid_ext_tools._partition_time(key_type, id, layout);
EXCEPTION WHEN transaction_rollback THEN
    RAISE;
WHEN others THEN
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._first_default_time(regclass, timestamp with time zone, snowflake_layout) IS 'internal: time of the first row of the default partition since an instant, but after the first day of the layout; null if there is none, or it cannot be read';

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
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
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

CREATE FUNCTION objectid_ext_tools._copy_template(parent regclass, template regclass) RETURNS regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name text := objectid_ext_tools._partition_name(parent, '_template');
BEGIN
    PERFORM objectid_ext_tools._check_partition_owner(template);
    PERFORM objectid_ext_tools._create_partition_table(parent, name, template);
    RETURN name;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._copy_template(regclass, regclass) IS 'internal: creates an empty copy of a partition with its sub-partitions, for new ones when that has been dropped';

CREATE FUNCTION objectid_ext_tools._check_span(name text, span interval) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._check_interval_parts(span);
    PERFORM clock_timestamp() + span, clock_timestamp() - span;
EXCEPTION WHEN datetime_field_overflow THEN
    RAISE EXCEPTION '% "%" is out of range', name, span USING ERRCODE = 'datetime_field_overflow';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_span(text, interval) IS 'internal: raises an error unless the instants that an interval is before and after the present are timestamps, and no part of it is negative';

CREATE FUNCTION objectid_ext_tools.maintain_id_partitions(
    parent regclass,
    every interval,
    ahead interval,
    keep interval DEFAULT NULL,
    action text DEFAULT 'drop',
    layout snowflake_layout DEFAULT NULL,
    OUT done text,
    OUT partition text,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT moved bigint,
    OUT problem text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET jit = off
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
    present timestamptz;
    past timestamptz;
    anchor timestamptz;
    older_than timestamptz;
    template regclass;
    copied regclass;
    odd jsonb;
    detail text;
BEGIN
    PERFORM objectid_ext_tools._check_isolation();
    IF parent IS NULL OR every IS NULL OR ahead IS NULL OR action IS NULL THEN
        RAISE EXCEPTION 'parent, interval, time ahead and action must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._partition_key_type(parent);
    PERFORM objectid_ext_tools._check_partition_interval(every);
    IF ahead < '0' OR keep < '0' THEN
        RAISE EXCEPTION 'time ahead and time to keep must not be negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT isfinite(ahead) OR NOT isfinite(keep) THEN
        RAISE EXCEPTION 'time ahead and time to keep must be finite'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Omit the time to keep to drop no partition.';
    END IF;
    PERFORM objectid_ext_tools._check_span('time ahead', ahead), objectid_ext_tools._check_span('time to keep', keep);
    IF action NOT IN ('drop', 'detach') THEN
        RAISE EXCEPTION 'invalid action "%"', action USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid actions are "drop" and "detach".';
    END IF;

    -- concurrent calls wait for this one, and then find what it has done
    PERFORM objectid_ext_tools._lock_parent(parent);
    layout := objectid_ext_tools._partition_layout(parent, layout);
    present := clock_timestamp();
    SELECT coalesce(max(p.upper), present),
           objectid_ext_tools._series_begin(array_agg(p.upper) FILTER (WHERE exact_upper) || array_agg(p.lower) FILTER (WHERE exact_lower), max(p.upper) FILTER (WHERE exact_upper), every)
        INTO past, anchor
    FROM objectid_ext_tools._time_partitions(parent, layout) AS p WHERE p.upper <= present;

    template := objectid_ext_tools._partition_template(parent, layout);
    older_than := present - keep;
    FOR partition, lower, upper IN
        SELECT p.partition, p.lower, p.upper FROM objectid_ext_tools.id_partitions(parent, layout) AS p
        WHERE p.partition = template AND p.upper <= older_than AND action = 'drop'
    LOOP
        BEGIN
            copied := objectid_ext_tools._copy_template(parent, template);
            template := copied;
        EXCEPTION WHEN transaction_rollback OR read_only_sql_transaction THEN
            RAISE;
        WHEN others THEN
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', problem, nullif(detail, ''));
            -- it stays, and those that are as late
            older_than := lower;
            RETURN NEXT;
        END;
    END LOOP;

    -- Drop first: that locks the parent, and could deadlock with a reader that
    -- waits for the default partition, if that were locked before.
    IF keep IS NOT NULL THEN
        FOR partition, lower, upper, problem IN
            SELECT d.partition, d.lower, d.upper, d.problem FROM objectid_ext_tools.drop_id_partitions(parent, older_than, action, layout) AS d
        LOOP
            done := CASE WHEN problem IS NOT NULL THEN NULL WHEN action = 'drop' THEN 'dropped' ELSE 'detached' END;
            RETURN NEXT;
        END LOOP;
    END IF;

    -- A DETACH PARTITION CONCURRENTLY is under way, or was interrupted: inserts fail.
    done := NULL;
    FOR partition, lower, upper IN
        SELECT p.partition, p.lower, p.upper FROM objectid_ext_tools._time_partitions(parent, layout) AS p JOIN pg_inherits ON inhparent = parent AND inhrelid = p.partition
        WHERE inhdetachpending ORDER BY p.lower
    LOOP
        problem := 'the partition takes no rows, because it is being detached';
        RETURN NEXT;
    END LOOP;

    -- Begin where the last partition of the past ended, unless that is to be dropped.
    odd := objectid_ext_tools._odd_bounds(parent, layout);
    FOR lower, upper IN
        SELECT m.begins, m.ends
        FROM objectid_ext_tools._missing_partitions(parent, every, greatest(past, present - keep), present + ahead, anchor, layout) AS m
    LOOP
        problem := NULL;
        BEGIN
            SELECT 'created', c.partition, c.moved INTO done, partition, moved
            FROM objectid_ext_tools._create_partition(parent, lower, upper, layout, objectid_ext_tools._partition_suffix(lower, upper), template, odd) AS c;
        EXCEPTION WHEN transaction_rollback OR read_only_sql_transaction THEN
            RAISE;
        WHEN others THEN
            done := NULL;
            partition := NULL;
            moved := NULL;
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', problem, nullif(detail, ''));
        END;
        RETURN NEXT;
    END LOOP;
    IF copied IS NOT NULL THEN
        EXECUTE format('DROP TABLE %s', copied);
    END IF;
    PERFORM set_config('lock_timeout', own_timeout, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.maintain_id_partitions(regclass, interval, interval, interval, text, snowflake_layout) IS 'creates the partitions from now to a time ahead, with the intervals of the existing ones, and drops or detaches those that are older than a time to keep (null: none); returns what was done (created, dropped, detached; null if there was a problem), the rows moved out of the default partition, and the problem; the layout is by default that of the default of the column, and an error if it is not known or is not that of the ids; the caller is the owner of the table, or both are superusers; the interval is from 1 minute to 366 days; an error at isolation levels above READ COMMITTED';
