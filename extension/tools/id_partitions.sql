----------------------------------------------------------------------
-- Partitions by the time of ids
----------------------------------------------------------------------

CREATE FUNCTION objectid_ext_tools._partition_key_type(parent regclass) RETURNS regtype
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key_type regtype;
BEGIN
    SELECT atttypid INTO key_type
    FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
    WHERE partrelid = parent AND partstrat = 'r' AND partnatts = 1
      AND atttypid IN ('bigint'::regtype, 'uuid'::regtype, (objectid_ext_tools._ids_schema() || '.objectid')::regtype);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not partitioned by range of one objectid, bigint or uuid column', parent
            USING ERRCODE = 'wrong_object_type';
    END IF;
    RETURN key_type;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_key_type(regclass) IS 'internal: type of the partition key of a table: objectid, bigint or uuid; an error for any other table';

CREATE FUNCTION objectid_ext_tools._partition_bound(key_type regtype, ts timestamp with time zone, layout snowflake_layout) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'bigint'::regtype::oid THEN snowflake_floor(ts, layout)::text
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'uuid'::regtype::oid THEN uuidv7_floor(ts)::text
           ELSE objectid_floor(ts)::text
       END;
COMMENT ON FUNCTION objectid_ext_tools._partition_bound(regtype, timestamp with time zone, snowflake_layout) IS 'internal: lowest id of a type at or after an instant, as text';

CREATE FUNCTION objectid_ext_tools._partition_time(key_type regtype, bound text, layout snowflake_layout) RETURNS timestamp with time zone
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
           WHEN bound OPERATOR(pg_catalog.=) 'MINVALUE' THEN timestamptz '-infinity'
           WHEN bound OPERATOR(pg_catalog.=) 'MAXVALUE' THEN timestamptz 'infinity'
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'bigint'::regtype::oid THEN
               -- a bound is not necessarily an id of the layout
               CASE
                   WHEN trim(bound, '''')::bigint OPERATOR(pg_catalog.<) 0::bigint THEN timestamptz '-infinity'
                   WHEN trim(bound, '''')::bigint OPERATOR(pg_catalog.>) snowflake_ceiling(timestamptz 'infinity', layout) THEN timestamptz 'infinity'
                   ELSE snowflake_timestamp(trim(bound, '''')::bigint, layout)
               END
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'uuid'::regtype::oid THEN uuidv7_timestamp(trim(bound, '''')::uuid)
           ELSE objectid_timestamp(trim(bound, '''')::objectid)
       END;
COMMENT ON FUNCTION objectid_ext_tools._partition_time(regtype, text, snowflake_layout) IS 'internal: time of a partition bound, given as printed by the catalog';

-- Since some minor releases, pg_get_expr() locks the table.  The planner must not
-- call it for partitions of other tables, as it could in a condition or a join:
-- two sessions that change partitions of two tables would deadlock.

CREATE FUNCTION objectid_ext_tools._partition_bounds(parent regclass, OUT partition regclass, OUT printed text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH child AS MATERIALIZED (
        SELECT oid, relpartbound FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent
    )
    SELECT oid::regclass, pg_get_expr(relpartbound, oid) FROM child
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_bounds(regclass) IS 'internal: partitions of a table, and their bounds as printed';

CREATE FUNCTION objectid_ext_tools.id_partitions(
    parent regclass,
    layout snowflake_layout DEFAULT NULL,
    OUT partition regclass,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone
) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT child.partition,
           objectid_ext_tools._partition_time(key_type, bounds[1], known),
           objectid_ext_tools._partition_time(key_type, bounds[2], known)
    FROM objectid_ext_tools._partition_key_type(parent) AS key_type,
         objectid_ext_tools._partition_layout(parent, layout) AS known,
         objectid_ext_tools._partition_bounds(parent) AS child,
         LATERAL regexp_match(child.printed, '^FOR VALUES FROM [(](.*)[)] TO [(](.*)[)]$') AS bounds
    ORDER BY 2, 1
$$;
COMMENT ON FUNCTION objectid_ext_tools.id_partitions(regclass, snowflake_layout) IS 'partitions of a table that is partitioned by range of ids, with the times of their bounds; null for the default partition; the layout is by default that of the default of the column';

-- A bound is exact if it is the lowest id of an instant, as create_id_partitions()
-- makes them.  A partition with other bounds contains ids of any time, or numbers
-- that have none, such as those of a serial column: in the first day of a layout.
-- A lower bound is as good if the partition continues one with such an upper bound.

CREATE FUNCTION objectid_ext_tools._time_partitions(
    parent regclass,
    layout snowflake_layout,
    OUT partition regclass,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT lower_id text,
    OUT upper_id text,
    OUT exact_lower boolean,
    OUT exact_upper boolean,
    OUT is_foreign boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH bound AS MATERIALIZED (
        SELECT partition, trim(ids[1], '''') AS lower_id, trim(ids[2], '''') AS upper_id
        FROM objectid_ext_tools._partition_bounds(parent), regexp_match(printed, '^FOR VALUES FROM [(](.*)[)] TO [(](.*)[)]$') AS ids
        WHERE ids IS NOT NULL
    )
    SELECT p.partition, p.lower, p.upper, b.lower_id, b.upper_id,
           p.lower > first_day.ends AND (b.lower_id = objectid_ext_tools._partition_bound(key_type, p.lower, layout) OR b.lower_id IN (SELECT upper_id FROM bound)),
           p.upper > first_day.ends AND b.upper_id = objectid_ext_tools._partition_bound(key_type, p.upper, layout),
           EXISTS (SELECT FROM pg_partition_tree(p.partition) JOIN pg_class leaf ON leaf.oid = relid WHERE leaf.relkind = 'f')
    FROM objectid_ext_tools._partition_key_type(parent) AS key_type,
         LATERAL (SELECT objectid_ext_tools._partition_time(key_type, objectid_ext_tools._partition_bound(key_type, '-infinity', layout), layout) + interval '1 day') AS first_day (ends),
         objectid_ext_tools.id_partitions(parent, layout) AS p
         JOIN bound AS b USING (partition)
$$;
COMMENT ON FUNCTION objectid_ext_tools._time_partitions(regclass, snowflake_layout) IS 'internal: partitions except the default partition, with their bounds; are these those of instants, and do they contain foreign tables?';

-- Next to a partition whose bound is not the lowest id of an instant, such as the
-- highest of the ids and one, a new one begins or ends with that.

CREATE FUNCTION objectid_ext_tools._odd_bounds(parent regclass, layout snowflake_layout) RETURNS jsonb
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT jsonb_build_object('begin', jsonb_object_agg(extract(epoch FROM upper), upper_id) FILTER (WHERE isfinite(upper) AND NOT exact_upper),
                              'end', jsonb_object_agg(extract(epoch FROM lower), lower_id) FILTER (WHERE isfinite(lower) AND NOT exact_lower))
    FROM objectid_ext_tools._time_partitions(parent, layout)
$$;
COMMENT ON FUNCTION objectid_ext_tools._odd_bounds(regclass, snowflake_layout) IS 'internal: bounds of partitions that are not those of instants, by their times in seconds since 1970: where a new partition can begin, and where it can end';

CREATE FUNCTION objectid_ext_tools._new_bounds(
    key_type regtype,
    begins timestamp with time zone,
    ends timestamp with time zone,
    layout snowflake_layout,
    odd jsonb,
    OUT begin_id text,
    OUT end_id text
)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(odd -> 'begin' ->> extract(epoch FROM begins)::text, objectid_ext_tools._partition_bound(key_type, begins, layout)),
           coalesce(odd -> 'end' ->> extract(epoch FROM ends)::text, objectid_ext_tools._partition_bound(key_type, ends, layout))
$$;
COMMENT ON FUNCTION objectid_ext_tools._new_bounds(regtype, timestamp with time zone, timestamp with time zone, snowflake_layout, jsonb) IS 'internal: bounds of a new partition for a span of time; odd is what _odd_bounds() returns';

CREATE FUNCTION objectid_ext_tools._check_interval_parts(value interval) RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- 1 mon -29 days added to 1 February is 31 January
    IF least(extract(year FROM value), extract(month FROM value), extract(day FROM value),
             extract(hour FROM value), extract(minute FROM value), extract(second FROM value)) < 0 THEN
        RAISE EXCEPTION 'interval "%" has a negative part', value USING ERRCODE = 'invalid_parameter_value';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_interval_parts(interval) IS 'internal: raises an error if a part of an interval is negative';

CREATE FUNCTION objectid_ext_tools._check_partition_interval(every interval) RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF every < '1 minute' OR every > '366 days' THEN
        RAISE EXCEPTION 'interval "%" is out of range', every
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The interval must be from 1 minute to 366 days.';
    END IF;
    PERFORM objectid_ext_tools._check_interval_parts(every);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_partition_interval(interval) IS 'internal: raises an error unless the interval is from 1 minute to 366 days, and no part of it is negative';

-- Names are as precise as the bounds of a series of partitions.

CREATE FUNCTION objectid_ext_tools._partition_suffix(begins timestamp with time zone, ends timestamp with time zone) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN begins = date_trunc('day', begins) AND ends = date_trunc('day', ends) THEN '_YYYYMMDD'
                WHEN begins = date_trunc('minute', begins) AND ends = date_trunc('minute', ends) THEN '_YYYYMMDD_HH24MI'
                ELSE '_YYYYMMDD_HH24MISS_US' END
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_suffix(timestamp with time zone, timestamp with time zone) IS 'internal: format of the names of partitions with these bounds';

-- The partitions of a partition have expressions, too.  A table that is not one has no
-- partition tree.

CREATE FUNCTION objectid_ext_tools._check_partition_owner("table" regclass) RETURNS void
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._check_owner("table" || ARRAY(SELECT relid FROM pg_partition_tree("table")))
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_partition_owner(regclass) IS 'internal: raises an error unless a table and its partitions belong to the current role, or all are superusers';

-- A concurrent call waits for this one, and then finds what it has done.  So does one for
-- another table of the database: if a foreign key links two tables, each call would lock
-- its own table first, and then wait for the other.  The owner cannot change any more.

CREATE FUNCTION objectid_ext_tools._lock_parent(parent regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('objectid_ext_tools'), 'pg_partitioned_table'::regclass::oid::integer);
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    PERFORM objectid_ext_tools._check_owner(ARRAY(SELECT relid FROM pg_partition_ancestors(parent)));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_parent(regclass) IS 'internal: waits for other calls in the database, and locks a partitioned table against changes of its partitions; raises an error unless it and its ancestors belong to the current role, or all are superusers';

CREATE FUNCTION objectid_ext_tools._lock_each(tables regclass[], mode text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each regclass;
BEGIN
    FOREACH each IN ARRAY tables LOOP
        EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', each, mode);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_each(regclass[], text) IS 'internal: locks tables in this order';

CREATE FUNCTION objectid_ext_tools._referred_tables(parent regclass) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT DISTINCT confrelid::regclass FROM pg_constraint JOIN pg_class c ON c.oid = confrelid
                 WHERE contype = 'f' AND conrelid = parent AND confrelid <> parent AND objectid_ext_tools._is_own(relowner) ORDER BY 1)
$$;
COMMENT ON FUNCTION objectid_ext_tools._referred_tables(regclass) IS 'internal: those tables of the current role to which foreign keys of a table refer';

-- A name of 63 bytes at most, in the parent's schema: the parent's name, truncated
-- by whole characters, a suffix, and a number if that is taken.

CREATE FUNCTION objectid_ext_tools._partition_name(parent regclass, suffix text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema_oid oid := (SELECT relnamespace FROM pg_class WHERE oid = parent);
    parent_name text;
    ending text := suffix;
BEGIN
    FOR n IN 2 .. 2147483647 LOOP
        parent_name := (SELECT relname FROM pg_class WHERE oid = parent);
        WHILE octet_length(parent_name || ending) > 63 AND parent_name <> '' LOOP
            parent_name := left(parent_name, -1);
        END LOOP;
        EXIT WHEN NOT EXISTS (SELECT FROM pg_class WHERE relname = parent_name || ending AND relnamespace = schema_oid)
              AND NOT EXISTS (SELECT FROM pg_type WHERE typname = parent_name || ending AND typnamespace = schema_oid);
        ending := suffix || '_' || n;
    END LOOP;
    RETURN format('%I.%I', (SELECT nspname FROM pg_namespace WHERE oid = schema_oid), parent_name || ending);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_name(regclass, text) IS 'internal: a free name for a partition, qualified and quoted';

-- The latest partition, if it is itself partitioned, by another column and into
-- local tables: then new ones are divided likewise.

CREATE FUNCTION objectid_ext_tools._partition_template(parent regclass, layout snowflake_layout) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT latest.partition
    FROM (SELECT * FROM objectid_ext_tools._time_partitions(parent, layout) WHERE exact_upper ORDER BY upper DESC LIMIT 1) AS latest
         JOIN pg_partitioned_table template ON template.partrelid = latest.partition
         JOIN pg_partitioned_table p ON p.partrelid = parent
    WHERE NOT is_foreign
      AND NOT EXISTS (SELECT FROM pg_attribute mine JOIN pg_attribute its ON its.attname = mine.attname
                      WHERE mine.attrelid = parent AND mine.attnum = p.partattrs[0] AND its.attrelid = latest.partition
                        AND template.partstrat = 'r' AND its.attnum = ANY (template.partattrs::int2[]))
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_template(regclass, snowflake_layout) IS 'internal: partition whose sub-partitions new ones get, too; null if there is none';

CREATE FUNCTION objectid_ext_tools._copy_subpartitions(template regclass, partition regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $$
DECLARE
    child record;
    name text;
BEGIN
    FOR child IN
        SELECT c.oid::regclass AS template, pg_get_expr(relpartbound, c.oid) AS bound, ' PARTITION BY ' || pg_get_partkeydef(c.oid) AS key,
               row_number() OVER (ORDER BY relname) AS number
        FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = template
    LOOP
        name := objectid_ext_tools._partition_name(partition, '_' || child.number);
        EXECUTE format('CREATE TABLE %s PARTITION OF %s %s%s', name, partition, child.bound, child.key);
        PERFORM objectid_ext_tools._copy_subpartitions(child.template, name::regclass);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._copy_subpartitions(regclass, regclass) IS 'internal: creates the same sub-partitions in a new partition';

-- To add foreign keys to a partition, ATTACH PARTITION looks at the tables they refer to,
-- and evaluates expressions of their indexes, with functions that their owners chose.
-- It does not if the partition has these foreign keys already, but then it locks the
-- tables against reading, so only those to tables of other roles are created before.
-- What a foreign key has for each partition of the table it refers to is no definition
-- of its own.

CREATE FUNCTION objectid_ext_tools._foreign_keys_to_others("table" regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(format(', CONSTRAINT %I %s', conname, pg_get_constraintdef(c.oid)), '' ORDER BY conname)
    FROM pg_constraint c
    WHERE conrelid = "table" AND contype = 'f'
      AND NOT EXISTS (SELECT FROM pg_constraint AS whole WHERE whole.oid = c.conparentid AND whole.conrelid = c.conrelid)
      AND EXISTS (SELECT FROM pg_class AS r WHERE r.oid IN (SELECT confrelid UNION ALL SELECT relid FROM pg_partition_tree(confrelid))
                                              AND NOT objectid_ext_tools._is_own(relowner))
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_keys_to_others(regclass) IS 'internal: definitions of the foreign keys of a table to tables of other roles, as they are written in CREATE TABLE';

-- ATTACH PARTITION does not block queries on the parent; CREATE TABLE ... PARTITION
-- OF does.  The table gets what the latter would give it.

CREATE FUNCTION objectid_ext_tools._create_partition_table(parent regclass, partition text, template regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $$
DECLARE
    p record;
BEGIN
    SELECT amname, spcname INTO p
    FROM pg_class c LEFT JOIN pg_am m ON m.oid = relam LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE c.oid = parent;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING COMPRESSION INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE%s)%s%s%s',
                   partition, parent, objectid_ext_tools._foreign_keys_to_others(parent), ' PARTITION BY ' || pg_get_partkeydef(template), ' USING ' || quote_ident(p.amname), ' TABLESPACE ' || quote_ident(p.spcname));
    IF template IS NOT NULL THEN
        PERFORM objectid_ext_tools._copy_subpartitions(template, partition::regclass);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._create_partition_table(regclass, text, regclass) IS 'internal: creates a table that can become a partition, with the access method and tablespace of the parent, and the sub-partitions of a template';

-- If the owner of the parent is a superuser, another superuser can maintain it.  The
-- owner remains the owner of all.

CREATE FUNCTION objectid_ext_tools._give_to_owner(parent regclass, partition regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('ALTER TABLE %s OWNER TO %I', relid, rolname)
        FROM pg_class p JOIN pg_roles r ON r.oid = p.relowner, pg_partition_tree(partition) JOIN pg_class c ON c.oid = relid
        WHERE p.oid = parent AND c.relowner <> p.relowner
    LOOP
        EXECUTE command;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._give_to_owner(regclass, regclass) IS 'internal: makes the owner of a parent the owner of a partition';

CREATE FUNCTION objectid_ext_tools._create_partition(
    parent regclass,
    begins timestamp with time zone,
    ends timestamp with time zone,
    layout snowflake_layout,
    suffix text,
    template regclass,
    odd jsonb,
    OUT partition regclass,
    OUT moved bigint
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    key_type regtype := objectid_ext_tools._partition_key_type(parent);
    begin_id text;
    end_id text;
    default_partition regclass := (SELECT nullif(partdefid, 0) FROM pg_partitioned_table WHERE partrelid = parent);
    operators text := CASE WHEN key_type IN ('bigint'::regtype, 'uuid'::regtype) THEN 'pg_catalog' ELSE objectid_ext_tools._ids_schema() END;
    name text := objectid_ext_tools._partition_name(parent, to_char(begins, suffix));
    columns text;
    condition text;
BEGIN
    SELECT n.begin_id, n.end_id INTO begin_id, end_id FROM objectid_ext_tools._new_bounds(key_type, begins, ends, layout, odd) AS n;
    IF begin_id = end_id THEN
        RAISE EXCEPTION 'no id of table % has a time from % to %', parent, begins, ends USING ERRCODE = 'datetime_field_overflow';
    END IF;
    moved := 0;
    PERFORM objectid_ext_tools._check_partition_owner(template);
    PERFORM objectid_ext_tools._create_partition_table(parent, name, template);
    partition := name::regclass;
    IF default_partition IS NOT NULL THEN
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attgenerated = ''),
               format('%1$I OPERATOR(%2$s.>=) %3$L::%4$s AND %1$I OPERATOR(%2$s.<) %5$L::%4$s',
                      min(attname) FILTER (WHERE attnum = partattrs[0]), operators, begin_id, key_type, end_id)
            INTO columns, condition
        FROM pg_attribute JOIN pg_partitioned_table ON partrelid = attrelid
        WHERE attrelid = parent AND attnum > 0 AND NOT attisdropped;
        IF objectid_ext_tools._lock_default_rows(parent, default_partition, condition, begins <= clock_timestamp()) THEN
            moved := objectid_ext_tools._take_default_rows(default_partition, condition, columns);
        END IF;
    END IF;
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, partition, begin_id, end_id);
    PERFORM objectid_ext_tools._give_to_owner(parent, partition);
    IF moved > 0 AND objectid_ext_tools._put_default_rows(partition, columns) <> moved THEN
        RAISE EXCEPTION 'not all rows of default partition % were moved', default_partition USING ERRCODE = 'triggered_action_exception';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._create_partition(regclass, timestamp with time zone, timestamp with time zone, snowflake_layout, text, regclass, jsonb) IS 'internal: creates a partition, and moves its rows out of the default partition; the caller holds SHARE UPDATE EXCLUSIVE on the parent';

-- timezone is UTC, so that bounds and names do not depend on the session.

CREATE FUNCTION objectid_ext_tools.create_id_partitions(
    parent regclass,
    every interval,
    first timestamp with time zone,
    upto timestamp with time zone,
    layout snowflake_layout DEFAULT NULL
) RETURNS SETOF regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET jit = off
AS $$
DECLARE
    key_type regtype := objectid_ext_tools._partition_key_type(parent);
    suffix text := objectid_ext_tools._partition_suffix(first, first + every);
    template regclass;
    existing text[];
    odd jsonb;
    bounds record;
    created record;
    begins timestamptz := first;
    ends timestamptz;
BEGIN
    IF parent IS NULL OR every IS NULL OR first IS NULL OR upto IS NULL THEN
        RAISE EXCEPTION 'parent, interval, first and last time must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_partition_interval(every);
    IF NOT isfinite(first) OR NOT isfinite(upto) OR upto <= first THEN
        RAISE EXCEPTION 'invalid time span from % to %', first, upto
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Both ends must be finite, and the end must be after the beginning.';
    END IF;

    PERFORM objectid_ext_tools._lock_parent(parent);
    layout := objectid_ext_tools._partition_layout(parent, layout);
    template := objectid_ext_tools._partition_template(parent, layout);
    existing := ARRAY(SELECT printed FROM objectid_ext_tools._partition_bounds(parent));
    odd := objectid_ext_tools._odd_bounds(parent, layout);

    -- use multiples of the interval, because repeated addition of months drifts:
    -- 31 January, 28 February, 28 March
    FOR n IN 1 .. 2147483647 LOOP
        EXIT WHEN begins >= upto;
        ends := first + n * every;
        bounds := objectid_ext_tools._new_bounds(key_type, begins, ends, layout, odd);
        IF format('FOR VALUES FROM (%L) TO (%L)', bounds.begin_id, bounds.end_id) <> ALL (existing) THEN
            created := objectid_ext_tools._create_partition(parent, begins, ends, layout, suffix, template, odd);
            RETURN NEXT created.partition;
        END IF;
        begins := ends;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.create_id_partitions(regclass, interval, timestamp with time zone, timestamp with time zone, snowflake_layout) IS 'creates the missing partitions of a time span, and returns them; moves their rows out of the default partition; the caller is the owner of the table, or both are superusers; the parent is partitioned by range of one objectid, bigint (of the layout) or uuid (version 7) column; the layout is by default that of the default of the column; an error if it is not known, or if that or the bounds of the partitions are of another one; the interval is from 1 minute to 366 days';
