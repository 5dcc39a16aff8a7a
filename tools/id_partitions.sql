-- ===== Partitions by the time of ids: what there is =====

-- The functions _id_floor() and _id_time() are bound when they are created, and follow
-- objectid_ext to another schema.

-- The lowest id of a type at or after an instant, as text.
CREATE FUNCTION _id_floor(type regtype, ts timestamptz, layout snowflake_layout) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
           WHEN type::oid OPERATOR(pg_catalog.=) 'bigint'::regtype::oid
               THEN snowflake_floor(ts, layout)::text
           WHEN type::oid OPERATOR(pg_catalog.=) 'uuid'::regtype::oid THEN uuidv7_floor(ts)::text
           ELSE objectid_floor(ts)::text
       END;

-- Time of an id or bound, given as text; infinite for MINVALUE, MAXVALUE and numbers that are
-- not ids of the layout.
CREATE FUNCTION _id_time(type regtype, id text, layout snowflake_layout) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
           WHEN id OPERATOR(pg_catalog.=) 'MINVALUE' THEN timestamptz '-infinity'
           WHEN id OPERATOR(pg_catalog.=) 'MAXVALUE' THEN timestamptz 'infinity'
           WHEN type::oid OPERATOR(pg_catalog.=) 'uuid'::regtype::oid
               THEN uuidv7_timestamp(id::uuid)
           WHEN type::oid OPERATOR(pg_catalog.<>) 'bigint'::regtype::oid
               THEN objectid_timestamp(id::objectid)
           -- a number need not be an id of the layout
           WHEN id::bigint OPERATOR(pg_catalog.<) 0::bigint THEN timestamptz '-infinity'
           WHEN id::bigint OPERATOR(pg_catalog.>) snowflake_ceiling(timestamptz 'infinity', layout)
               THEN timestamptz 'infinity'
           ELSE snowflake_timestamp(id::bigint, layout)
       END;

-- A partition, with its bounds and the times of these; pending if DETACH PARTITION CONCURRENTLY
-- was interrupted: no row goes there.
CREATE TYPE _partition AS (
    partition regclass, kind "char", pending boolean, lower_id text, upper_id text,
    lower timestamptz, upper timestamptz);

-- A partitioned table: the column that is its partition key, its type (objectid, bigint or uuid)
-- and the schema of this, the layout of bigint, the default partition (or null), all partitions.
CREATE TYPE _series AS (
    parent regclass, key name, type regtype, schema regnamespace, layout snowflake_layout,
    default_partition regclass, partitions _partition[]);

-- What there is to know of a partitioned table; an error for any other table.  The layout of bigint
-- is that of the argument, of the default of the column, or of the comments that
-- _create_partition() writes.  With another layout the present would be old, and dropped.  So
-- nothing is guessed, and all that is known must agree.
--
-- Bounds are null for the default partition.  pg_get_expr() prints FOR VALUES FROM ('...') TO
-- ('...'); with the OID of the table, it would wait for its lock, and a bound has no columns, which
-- that is for.  Each OFFSET keeps the planner from reading all of pg_class, and from computing a
-- bound wherever it is used.
CREATE FUNCTION _partition_series(parent regclass, layout snowflake_layout, OUT series _series)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    known text[];
BEGIN
    SELECT partrelid, attname, atttypid, typnamespace, NULL, nullif(partdefid, 0), NULL INTO series
    FROM pg_partitioned_table
         JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
         JOIN pg_type t ON t.oid = atttypid
    WHERE partrelid = parent AND partstrat = 'r' AND partnatts = 1
      AND (atttypid IN ('bigint'::regtype, 'uuid'::regtype)
           OR typname = 'objectid'
              AND typnamespace = (SELECT extnamespace FROM pg_extension
                                  WHERE extname = 'objectid_ext'));
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not partitioned by range of one objectid, bigint or uuid '
                        'column', parent
            USING ERRCODE = 'wrong_object_type';
    END IF;
    IF series.type = 'bigint'::regtype THEN
        known := ARRAY(SELECT DISTINCT replace(source.layout, ';start=random', '')
                       FROM (SELECT layout::text
                             UNION ALL
                             SELECT d.layout FROM _generator_defaults(series.parent) AS d
                             WHERE d.attname = series.key
                             UNION ALL
                             SELECT substring(obj_description(inhrelid, 'pg_class')
                                              FROM '^ids of layout ([^ ]+) from ')
                             FROM pg_inherits WHERE inhparent = series.parent
                            ) AS source (layout)
                       WHERE source.layout IS NOT NULL
                       ORDER BY 1);
        IF known = '{}' THEN
            RAISE EXCEPTION 'layout of column %.% is not known',
                    series.parent, quote_ident(series.key)
                USING ERRCODE = 'invalid_parameter_value',
                      HINT = 'Pass the layout of its ids as the argument layout.';
        ELSIF cardinality(known) > 1 THEN
            RAISE EXCEPTION 'layout of column %.% is ambiguous: %',
                    series.parent, quote_ident(series.key), array_to_string(known, ', ')
                USING ERRCODE = 'invalid_parameter_value',
                      DETAIL = 'The argument layout, the default of the column and the comments on '
                               'its partitions must agree.';
        END IF;
        series.layout := _layout(known[1]);
    END IF;
    series.partitions := ARRAY(
        SELECT (inhrelid, relkind, inhdetachpending, lower_id, upper_id,
                _id_time(series.type, lower_id, series.layout),
                _id_time(series.type, upper_id, series.layout))::_partition
        FROM pg_inherits,
             LATERAL (SELECT relkind, string_to_array(pg_get_expr(relpartbound, 0), ' ')
                      FROM pg_class WHERE oid = inhrelid OFFSET 0) AS c (relkind, word),
             LATERAL (SELECT btrim(word[4], '()'''), btrim(word[6], '()''') OFFSET 0
                     ) AS bounds (lower_id, upper_id)
        WHERE inhparent = parent);
END;
$$;

CREATE FUNCTION id_partitions(parent regclass, layout snowflake_layout DEFAULT NULL,
    OUT partition regclass, OUT lower timestamptz, OUT upper timestamptz) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT p.partition, p.lower, p.upper
    FROM _partition_series(parent, layout) AS s, unnest(s.partitions) AS p
    WHERE NOT p.pending
    ORDER BY p.lower, p.partition
$$;
COMMENT ON FUNCTION id_partitions IS
    'partitions of a table that is partitioned by range of one objectid, bigint (of the layout) or '
    'uuid (version 7) column, with the times of their bounds, null for the default partition; the '
    'layout is by default that of the default of the column or of the comments on its partitions, '
    'and an error if it is not known';
