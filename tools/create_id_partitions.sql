----------------------------------------------------------------------
-- Partitions by the time of ids: creating them
----------------------------------------------------------------------

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
-- local tables: then new ones are divided likewise.  Ranges or lists of the key, of a date
-- or time, or of an expression of these, at any level are those of the rows of this
-- partition.  A table depends on the columns of its partition key, and of its expressions.

CREATE FUNCTION objectid_ext_tools._partition_template(parent regclass, layout snowflake_layout) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT latest.partition
    FROM (SELECT * FROM objectid_ext_tools._time_partitions(parent, layout) WHERE exact_upper ORDER BY upper DESC LIMIT 1) AS latest
         JOIN pg_partitioned_table template ON template.partrelid = latest.partition
         JOIN pg_partitioned_table p ON p.partrelid = parent
    WHERE NOT is_foreign
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._partition_tree(latest.partition) AS tree
                                  JOIN pg_partitioned_table AS divided ON divided.partrelid = tree.relid
                                  JOIN pg_attribute AS its ON its.attrelid = tree.relid
                                  JOIN pg_type ON pg_type.oid = its.atttypid
                                  JOIN pg_attribute AS mine ON mine.attrelid = parent AND mine.attnum = p.partattrs[0]
                                  JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = tree.relid AND objsubid = its.attnum
                      WHERE (its.attname = mine.attname OR typcategory = 'D') AND divided.partstrat <> 'h'
                        AND refclassid = classid AND refobjid = objid AND refobjsubid = 0 AND deptype = 'i')
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_template(regclass, snowflake_layout) IS 'internal: partition whose sub-partitions new ones get, too; null if there is none';

CREATE FUNCTION objectid_ext_tools._partition_by(template regclass) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._raise(ARRAY(
        SELECT o FROM objectid_ext_tools._overloads('pg_class', template), objectid_ext_tools._overload_obstacle(template, format('the partition key of table %s', template), used, other, owner) AS o));
    RETURN ' PARTITION BY ' || pg_get_partkeydef(template);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_by(regclass) IS 'internal: how CREATE TABLE gives a table the partition key of another, null if that has none; an error if a function of another role could get into it';

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
        SELECT c.oid::regclass AS template, pg_get_expr(relpartbound, 0) AS bound, objectid_ext_tools._partition_by(c.oid) AS key,
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
      AND EXISTS (SELECT FROM pg_class AS r WHERE r.oid IN (SELECT confrelid UNION ALL SELECT relid FROM objectid_ext_tools._partition_tree(confrelid))
                                              AND NOT objectid_ext_tools._is_own(relowner))
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_keys_to_others(regclass) IS 'internal: definitions of the foreign keys of a table to tables of other roles, as they are written in CREATE TABLE';

-- While CREATE TABLE waited for the tables of other roles, another could get the name of
-- one, or another of its columns.  From now on, they are locked.

CREATE FUNCTION objectid_ext_tools._check_foreign_keys(parent regclass, partition regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    changed name := (SELECT min(conname) FROM pg_constraint AS copy
                     WHERE conrelid = partition AND contype = 'f' AND conparentid = 0
                       AND NOT EXISTS (SELECT FROM pg_constraint AS its
                                       WHERE conrelid = parent AND contype = 'f' AND its.conname = copy.conname
                                         AND (its.confrelid, its.confkey, its.conpfeqop) = (copy.confrelid, copy.confkey, copy.conpfeqop)));
BEGIN
    IF changed IS NOT NULL THEN
        RAISE EXCEPTION 'the table to which foreign key "%" refers has been renamed or changed', changed
            USING ERRCODE = 'undefined_table', HINT = 'Run the function again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_foreign_keys(regclass, regclass) IS 'internal: raises an error if a foreign key of a new partition refers to something else than that of the parent';

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
                   partition, parent, objectid_ext_tools._foreign_keys_to_others(parent), objectid_ext_tools._partition_by(template), ' USING ' || quote_ident(p.amname), ' TABLESPACE ' || quote_ident(p.spcname));
    PERFORM objectid_ext_tools._check_foreign_keys(parent, partition::regclass);
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
        FROM pg_class p JOIN pg_roles r ON r.oid = p.relowner, objectid_ext_tools._partition_tree(partition) JOIN pg_class c ON c.oid = relid
        WHERE p.oid = parent AND c.relowner <> p.relowner
    LOOP
        EXECUTE command;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._give_to_owner(regclass, regclass) IS 'internal: makes the owner of a parent the owner of a partition';

-- PostgreSQL does not give the replica identity of a table to its partitions.  Without
-- one, updates of a published partition fail.  If its index has been dropped, the parent
-- has none.

CREATE FUNCTION objectid_ext_tools._copy_replica_identity(parent regclass, partition regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('ALTER TABLE %s REPLICA IDENTITY %s', tree.relid,
                      CASE p.relreplident WHEN 'f' THEN 'FULL' WHEN 'n' THEN 'NOTHING' WHEN 'i' THEN coalesce('USING INDEX ' || quote_ident(index.relname), 'NOTHING') END)
        FROM pg_class p
             CROSS JOIN pg_partition_tree(partition) AS tree
             LEFT JOIN pg_index AS identity ON identity.indrelid = p.oid AND identity.indisreplident
             LEFT JOIN (pg_index AS own JOIN pg_class AS index ON index.oid = own.indexrelid)
                       ON own.indrelid = tree.relid AND own.indexrelid IN (SELECT relid FROM pg_partition_tree(identity.indexrelid))
        WHERE p.oid = parent AND p.relreplident <> 'd'
    LOOP
        EXECUTE command;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._copy_replica_identity(regclass, regclass) IS 'internal: gives the replica identity of a parent to a partition';

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
    PERFORM objectid_ext_tools._limit_wait(), objectid_ext_tools._check_partition_owner(template);
    BEGIN
        PERFORM objectid_ext_tools._create_partition_table(parent, name, template);
    EXCEPTION WHEN lock_not_available THEN
        -- for its name, or for a table that it refers to
        RAISE EXCEPTION 'could not create table %: %', name, sqlerrm USING ERRCODE = 'lock_not_available';
    END;
    partition := name::regclass;
    IF key_type = 'bigint'::regtype THEN
        EXECUTE format('COMMENT ON TABLE %s IS %L', partition, objectid_ext_tools._partition_comment(begin_id, end_id, layout));
    END IF;
    IF default_partition IS NOT NULL THEN
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attgenerated = ''),
               format('%1$I OPERATOR(%2$s.>=) %3$L::%4$s AND %1$I OPERATOR(%2$s.<) %5$L::%4$s',
                      min(attname) FILTER (WHERE attnum = partattrs[0]), operators, begin_id, key_type, end_id)
            INTO columns, condition
        FROM pg_attribute JOIN pg_partitioned_table ON partrelid = attrelid
        WHERE attrelid = parent AND attnum > 0 AND NOT attisdropped;
        IF objectid_ext_tools._lock_default_rows(parent, default_partition, condition, begins, interval '1 minute') THEN
            moved := objectid_ext_tools._take_default_rows(default_partition, condition, columns);
        END IF;
    ELSE
        -- ATTACH PARTITION would wait for each as long as for the first
        PERFORM objectid_ext_tools._lock_each(objectid_ext_tools._referred_tables(parent), 'SHARE ROW EXCLUSIVE');
    END IF;
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, partition, begin_id, end_id);
    PERFORM objectid_ext_tools._copy_replica_identity(parent, partition);
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
SET objectid_ext_tools.waits_end = ''
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
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
    PERFORM objectid_ext_tools._check_isolation();
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
    PERFORM objectid_ext_tools._lock_before_foreign_rows(parent);

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
    PERFORM set_config('lock_timeout', own_timeout, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.create_id_partitions(regclass, interval, timestamp with time zone, timestamp with time zone, snowflake_layout) IS 'creates the missing partitions of a time span, and returns them; moves their rows out of the default partition; the caller is the owner of the table, or both are superusers; the parent is partitioned by range of one objectid, bigint (of the layout) or uuid (version 7) column; the layout is by default that of the default of the column; an error if it is not known, or if that, or the bounds or comments of the partitions, are of another one; comments on partitions of bigint tell layout and times; the interval is from 1 minute to 366 days; an error at isolation levels above READ COMMITTED';
