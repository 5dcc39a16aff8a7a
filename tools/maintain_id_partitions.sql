----------------------------------------------------------------------
-- Partitions by the time of ids: maintaining them
----------------------------------------------------------------------

CREATE FUNCTION objectid_ext_tools._copy_template(parent regclass, template regclass) RETURNS regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $$
DECLARE
    name text := objectid_ext_tools._partition_name(parent, '_template');
BEGIN
    PERFORM objectid_ext_tools._check_partition_owner(template);
    -- with foreign keys, it could only be dropped when others do not use their tables
    EXECUTE format('CREATE TABLE %s (LIKE %s)%s', name, parent, objectid_ext_tools._partition_by(template));
    PERFORM objectid_ext_tools._copy_subpartitions(template, name::regclass);
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

CREATE FUNCTION objectid_ext_tools._check_maintenance(parent regclass, every interval, ahead interval, keep interval, action text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
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
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_maintenance(regclass, interval, interval, interval, text) IS 'internal: raises an error unless maintain_id_partitions() can be called with these arguments';

-- An error is that of one partition.  After a deadlock, for example, the whole call is
-- to be repeated.

CREATE FUNCTION objectid_ext_tools._try_create_partition(
    parent regclass,
    begins timestamp with time zone,
    ends timestamp with time zone,
    layout snowflake_layout,
    template regclass,
    odd jsonb,
    OUT done text,
    OUT partition text,
    OUT moved bigint,
    OUT problem text
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    detail text;
BEGIN
    SELECT 'created', c.partition, c.moved INTO done, partition, moved
    FROM objectid_ext_tools._create_partition(parent, begins, ends, layout, objectid_ext_tools._partition_suffix(begins, ends), template, odd) AS c;
EXCEPTION WHEN transaction_rollback OR read_only_sql_transaction THEN
    RAISE;
WHEN others THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    problem := concat_ws(': ', SQLERRM, nullif(detail, ''));
    done := NULL;
    partition := NULL;
    moved := NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._try_create_partition(regclass, timestamp with time zone, timestamp with time zone, snowflake_layout, regclass, jsonb) IS 'internal: creates a partition, and moves its rows out of the default partition, or returns the problem';

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
SET objectid_ext_tools.waits_end = ''
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
    PERFORM objectid_ext_tools._check_maintenance(parent, every, ahead, keep, action);
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
            GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', SQLERRM, nullif(detail, ''));
            -- it stays, and those that are as late
            older_than := lower;
            RETURN NEXT;
        END;
    END LOOP;

    -- Drop first: that locks the parent, and could deadlock with a reader that
    -- waits for the default partition, if that were locked before.
    IF keep IS NOT NULL THEN
        RETURN QUERY
            SELECT CASE WHEN d.problem IS NOT NULL THEN NULL WHEN action = 'drop' THEN 'dropped' ELSE 'detached' END,
                   d.partition, d.lower, d.upper, NULL::bigint, d.problem
            FROM objectid_ext_tools._drop_partitions(parent, older_than, action, layout) AS d;
    END IF;

    -- A DETACH PARTITION CONCURRENTLY is under way, or was interrupted: inserts fail.
    RETURN QUERY
        SELECT NULL, p.partition::text, p.lower, p.upper, NULL::bigint, 'the partition takes no rows, because it is being detached'
        FROM objectid_ext_tools._time_partitions(parent, layout) AS p JOIN pg_inherits ON inhparent = parent AND inhrelid = p.partition
        WHERE inhdetachpending ORDER BY p.lower;

    -- Begin where the last partition of the past ended, unless that is to be dropped.
    odd := objectid_ext_tools._odd_bounds(parent, layout);
    PERFORM objectid_ext_tools._limit_wait();
    FOR lower, upper IN
        SELECT m.begins, m.ends FROM objectid_ext_tools._missing_partitions(parent, every, greatest(past, present - keep), present + ahead, anchor, layout) AS m
    LOOP
        -- here, because an attempt that fails gives back its locks
        PERFORM objectid_ext_tools._lock_before_foreign_rows(parent);
        SELECT t.* INTO done, partition, moved, problem FROM objectid_ext_tools._try_create_partition(parent, lower, upper, layout, template, odd) AS t;
        RETURN NEXT;
    END LOOP;
    IF copied IS NOT NULL THEN
        EXECUTE format('DROP TABLE %s', copied);
    END IF;
    PERFORM set_config('lock_timeout', own_timeout, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.maintain_id_partitions(regclass, interval, interval, interval, text, snowflake_layout) IS 'creates the partitions from now to a time ahead, with the intervals of the existing ones, and drops or detaches those that are older than a time to keep (null: none); returns what was done (created, dropped, detached; null if there was a problem), the rows moved out of the default partition, and the problem; the layout is by default that of the default of the column, and an error if it is not known or is not that of the ids; the caller is the owner of the table, or both are superusers; the interval is from 1 minute to 366 days; an error at isolation levels above READ COMMITTED';
