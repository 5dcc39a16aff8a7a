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

-- pg_partition_tree() would lock the partitions.

CREATE FUNCTION objectid_ext_tools._partition_tree("table" regclass, OUT relid regclass) RETURNS SETOF regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE tree (relid) AS (
        SELECT oid FROM pg_class WHERE oid = "table" AND (relkind = 'p' OR relispartition)
        UNION ALL
        SELECT inhrelid FROM tree JOIN pg_inherits ON inhparent = tree.relid JOIN pg_class c ON c.oid = inhrelid WHERE relispartition
    )
    SELECT tree.relid::regclass FROM tree
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_tree(regclass) IS 'internal: a partitioned table or a partition, and all partitions below it; nothing for another table';

CREATE FUNCTION objectid_ext_tools._has_foreign("table" regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM objectid_ext_tools._partition_tree("table") AS tree JOIN pg_class ON oid = tree.relid WHERE relkind = 'f')
$$;
COMMENT ON FUNCTION objectid_ext_tools._has_foreign(regclass) IS 'internal: is a partition a foreign table, or has it one below it?';

-- With the OID of the table, pg_get_expr() would wait for its lock since some minor
-- releases; only columns need it, and a bound has none.

CREATE FUNCTION objectid_ext_tools._partition_bounds(parent regclass, OUT partition regclass, OUT printed text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT oid::regclass, pg_get_expr(relpartbound, 0) FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent
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
           p.lower >= first_day.ends AND (b.lower_id = objectid_ext_tools._partition_bound(key_type, p.lower, layout) OR b.lower_id IN (SELECT upper_id FROM bound)),
           p.upper >= first_day.ends AND b.upper_id = objectid_ext_tools._partition_bound(key_type, p.upper, layout),
           objectid_ext_tools._has_foreign(p.partition)
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
    -- of several in one tick, the outermost: of all types, longer ids are higher
    SELECT jsonb_build_object('begin', jsonb_object_agg(extract(epoch FROM upper), upper_id ORDER BY length(upper_id), upper_id) FILTER (WHERE isfinite(upper) AND NOT exact_upper),
                              'end', jsonb_object_agg(extract(epoch FROM lower), lower_id ORDER BY length(lower_id) DESC, lower_id DESC) FILTER (WHERE isfinite(lower) AND odd_lower))
    FROM (SELECT lower, upper, lower_id COLLATE "C", upper_id COLLATE "C", exact_upper, bool_or(NOT exact_lower) OVER (PARTITION BY lower) AS odd_lower
          FROM objectid_ext_tools._time_partitions(parent, layout)) AS p
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
