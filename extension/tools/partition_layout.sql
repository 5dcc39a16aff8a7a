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
    SELECT array_agg(DISTINCT known.layout)
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

CREATE FUNCTION objectid_ext_tools._check_partition_layout(parent regclass, layout snowflake_layout) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key smallint := (SELECT partattrs[0] FROM pg_partitioned_table WHERE partrelid = parent);
    layouts text[] := objectid_ext_tools._default_layouts(parent, key);
    cause text := 'its default';
BEGIN
    IF objectid_ext_tools._partition_key_type(parent) <> 'bigint'::regtype THEN
        RETURN;
    END IF;
    IF layouts IS NULL THEN
        cause := 'the bounds of its partitions';
        layouts := (SELECT objectid_ext_tools._layouts_of_bound(max(bound::bigint)::text, layout)
                    FROM objectid_ext_tools._partition_bounds(parent), substring(printed FROM ' TO [(]''(\d+)''[)]$') AS bound);
    END IF;
    -- ids do not tell where their sequence started
    IF layouts IS NOT NULL
       AND replace(layout::text, ';start=random', '') <> ALL (SELECT replace(l, ';start=random', '') FROM unnest(layouts) AS l) THEN
        RAISE EXCEPTION 'layout "%" is not that of column %.%', layout, parent, (SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = parent AND attnum = key)
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = format('According to %s, it is %s.', cause, (SELECT string_agg(format('"%s"', l), ' or ') FROM unnest(layouts) AS l)),
                  HINT = 'Pass the layout of the ids as the argument layout.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_partition_layout(regclass, snowflake_layout) IS 'internal: raises an error if the default of the partition key, or else the bounds of the partitions, are of another layout';
