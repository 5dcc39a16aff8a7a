----------------------------------------------------------------------
-- Partitions by the time of ids: is the layout that of the table's ids?
----------------------------------------------------------------------

-- Only the default of this column is read: _generator_calls() would wait for any
-- table that is locked.

CREATE FUNCTION objectid_ext_tools._default_layouts("table" regclass, "column" smallint) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
    SELECT array_agg(DISTINCT replace(known.layout, ';start=random', ''))
    FROM pg_attrdef,
         pg_get_expr(adbin, adrelid) AS expression,
         objectid_ext_tools._generators() AS g,
         LATERAL objectid_ext_tools._call_arguments(expression, objectid_ext_tools._call_pattern(g.name), g.arguments) AS call,
         LATERAL objectid_ext_tools._constant_layout(call.layout, g.layout) AS known (layout)
    WHERE adrelid = "table" AND adnum = "column" AND known.layout IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._default_layouts(regclass, smallint) IS 'internal: layouts of the generators that the default of a column calls; null if there is none';

-- With another layout, a bound is at a fraction of a second.  Bounds that begin at
-- such a time on purpose are hardly ever at an hour of another layout.

CREATE FUNCTION objectid_ext_tools._layouts_of_bound(bound text, layout snowflake_layout) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
    SELECT array_agg(name)
    FROM unnest('{twitter,instagram,discord,sonyflake,mastodon,pgedge,js53}'::text[]) AS name,
         LATERAL objectid_ext_tools._layout(name) AS other,
         LATERAL objectid_ext_tools._partition_time('bigint', bound, other) AS t,
         objectid_ext_tools._partition_time('bigint', bound, layout) AS mine
    WHERE NOT (isfinite(mine) AND mine = date_trunc('second', mine))
      AND isfinite(t) AND t = date_trunc('hour', t) AND bound = objectid_ext_tools._partition_bound('bigint', t, other)
$$;
COMMENT ON FUNCTION objectid_ext_tools._layouts_of_bound(text, snowflake_layout) IS 'internal: layouts in which a bound is a whole hour; null if there is none, or if it is a whole second of the given layout';

CREATE FUNCTION objectid_ext_tools._either(layouts text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(format('"%s"', l), ' or ') FROM unnest(layouts) AS l
$$;
COMMENT ON FUNCTION objectid_ext_tools._either(text[]) IS 'internal: layouts, as in a sentence';

CREATE FUNCTION objectid_ext_tools._other_bound(parent regclass, layout snowflake_layout) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('The last bound of its partitions is a whole hour of %s, and no whole second of this layout.', objectid_ext_tools._either(others))
    FROM (SELECT max(bound::bigint)::text
          FROM objectid_ext_tools._partition_bounds(parent), substring(printed FROM ' TO [(]''([0-9]+)''[)]$') AS bound) AS latest (bound),
         objectid_ext_tools._layouts_of_bound(latest.bound, layout) AS others
    WHERE others IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._other_bound(regclass, snowflake_layout) IS 'internal: what the last bound of the partitions says of another layout; null if nothing';

-- What create_id_partitions() writes on a partition, and reads again.  The times show
-- whether another layout means the same, and the name whether the partition has got
-- other bounds since.  Whoever may write comments as the owner could drop it, too.

CREATE FUNCTION objectid_ext_tools._partition_comment(begin_id text, end_id text, layout snowflake_layout) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO'
AS $$
    SELECT format('snowflake ids of layout "%s", from %s to %s', replace(layout::text, ';start=random', ''),
                  objectid_ext_tools._partition_time('bigint', begin_id, layout), objectid_ext_tools._partition_time('bigint', end_id, layout))
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_comment(text, text, snowflake_layout) IS 'internal: comment on a partition of bigint';

CREATE FUNCTION objectid_ext_tools._other_comment(parent regclass, layout snowflake_layout) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH other AS MATERIALIZED (
        SELECT c.oid, c.relpartbound, description
        FROM pg_inherits JOIN pg_class p ON p.oid = inhparent JOIN pg_class c ON c.oid = inhrelid AND c.relowner = p.relowner
             JOIN pg_description ON objoid = c.oid AND classoid = 'pg_class'::regclass AND objsubid = 0
        WHERE inhparent = parent AND description ~ '^snowflake ids of layout "[^"]+", from [-+:. 0-9]+ to [-+:. 0-9]+$'
          AND split_part(description, '"', 2) <> replace(layout::text, ';start=random', '')
    )
    SELECT min(format('The comment on partition %s says: %s.', oid::regclass, description))
    FROM other, regexp_match(pg_get_expr(relpartbound, 0), '^FOR VALUES FROM [(]''(.*)''[)] TO [(]''(.*)''[)]$') AS ids
    WHERE split_part(description, '"', 3) <> split_part(objectid_ext_tools._partition_comment(ids[1], ids[2], layout), '"', 3)
$$;
COMMENT ON FUNCTION objectid_ext_tools._other_comment(regclass, snowflake_layout) IS 'internal: what a comment of _partition_comment() says of another layout; null if there is none';

-- Ids do not tell where the sequence of their layout started.  With another one, the
-- present is old, and dropped.

CREATE FUNCTION objectid_ext_tools._partition_layout(parent regclass, layout snowflake_layout) RETURNS snowflake_layout
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key smallint := (SELECT partattrs[0] FROM pg_partitioned_table WHERE partrelid = parent);
    key_name text := (SELECT format('%s.%I', parent, attname) FROM pg_attribute WHERE attrelid = parent AND attnum = key);
    own text[] := objectid_ext_tools._default_layouts(parent, key);
    detail text;
BEGIN
    IF objectid_ext_tools._partition_key_type(parent) IS DISTINCT FROM 'bigint'::regtype THEN
        RETURN objectid_ext_tools._layout('twitter');
    ELSIF layout IS NULL AND cardinality(own) = 1 THEN
        layout := objectid_ext_tools._layout(own[1]);
    ELSIF layout IS NULL THEN
        RAISE EXCEPTION 'layout of column % is not known', key_name
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = CASE WHEN own IS NULL THEN 'It has no default that tells it.' ELSE 'Its default has several.' END,
                  HINT = 'Pass the layout of the ids as the argument layout.';
    END IF;
    IF replace(layout::text, ';start=random', '') <> ALL (own) THEN
        detail := format('According to its default, it is %s.', objectid_ext_tools._either(own));
    END IF;
    detail := coalesce(detail, objectid_ext_tools._other_comment(parent, layout), objectid_ext_tools._other_bound(parent, layout));
    IF detail IS NOT NULL THEN
        RAISE EXCEPTION 'layout "%" is not that of column %', layout, key_name
            USING ERRCODE = 'invalid_parameter_value', DETAIL = detail,
                  HINT = CASE WHEN replace(layout::text, ';start=random', '') = ANY (own) THEN 'Check the default of the column.' ELSE 'Pass the layout of the ids as the argument layout.' END
                         || CASE WHEN detail LIKE 'The comment%' THEN ' If the comment is wrong, remove it with COMMENT ON TABLE.' ELSE '' END;
    END IF;
    RETURN layout;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_layout(regclass, snowflake_layout) IS 'internal: the given layout, or else that of the default of the partition key; raises an error if the default, or the comments or bounds of the partitions are of another one, or if none is known';
