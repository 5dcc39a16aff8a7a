-- ===== Conversions: what there is to know before =====

-- What a conversion would change, and the space that it needs.
CREATE FUNCTION _planned_objects(key _key) RETURNS TABLE (item text, relation regclass, detail text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    (SELECT 'column', c.relation,
            format('"%s": %s becomes %s', c.attname, format_type(atttypid, atttypmod), key.to_type)
     FROM _changing_columns(key) AS c
          JOIN pg_attribute a ON attrelid = c.relation AND a.attnum = c.attnum
     ORDER BY c.relation, c.attnum)
    UNION ALL
    SELECT 'index', relation, format('"%s"', name) FROM _changing_indexes(key)
    UNION ALL
    (SELECT CASE contype WHEN 'f' THEN 'foreign key' ELSE 'check' END, conrelid::regclass,
            format('"%s"', conname)
     FROM _changing_constraints(key) WHERE contype IN ('f', 'c')
     ORDER BY contype DESC, 2, conname)
    UNION ALL
    (SELECT 'view', view, 'It is dropped by the last step, and created again.'
     FROM _changing_views(key) WHERE owned ORDER BY depth, view)
    UNION ALL
    SELECT 'space', r.relation,
           format('%s more while it is in use, %s under a lock',
                  pg_size_pretty(pg_table_size(r.relation) + i.size),
                  pg_size_pretty(pg_total_relation_size(r.relation)))
    FROM (SELECT DISTINCT relation FROM _changing_columns(key)) AS r,
         LATERAL (SELECT coalesce(sum(pg_relation_size(index)), 0)::bigint
                  FROM _changing_indexes(key) AS k WHERE k.relation = r.relation) AS i (size)
$$;

CREATE FUNCTION conversion_plan("table" regclass, "column" name, OUT item text,
    OUT relation regclass, OUT detail text) RETURNS SETOF record
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET jit = off AS $$
#variable_conflict use_column
DECLARE
    snowflake CONSTANT boolean := (
        SELECT atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
        FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0);
    to_type CONSTANT regtype := CASE WHEN snowflake THEN 'bigint'
                                     ELSE _schema_of() || '.objectid' END;
    from_types CONSTANT regtype[] := CASE WHEN snowflake THEN '{smallint,integer}'
                                          ELSE '{text,varchar,bpchar,bytea,jsonb}' END;
    key _key := ("table", "column", to_type);
    message text;
    hint text;
BEGIN
    IF num_nulls("table", "column") > 0 THEN
        RAISE null_value_not_allowed USING MESSAGE = 'table and column must not be null';
    END IF;
    key := _check_types(key, VARIADIC from_types || to_type);
    RETURN QUERY SELECT * FROM _planned_objects(key);
    RETURN QUERY
        SELECT 'may refer to it', r.* FROM (
            SELECT * FROM _untold_columns(key)
            UNION ALL SELECT "table", f FROM _untold_functions(key) AS f) AS r ORDER BY 2, 3;
    RETURN QUERY
        SELECT CASE WHEN late THEN 'refused in the last step'
                    WHEN EXISTS (SELECT FROM _impossible(key)) THEN 'refused'
                    ELSE 'refused while in use' END, relation, reason || '. ' || hint
        FROM _refusals(key);
    BEGIN
        PERFORM _check_owner(key);
        RETURN QUERY SELECT 'refused', relation, reason || '. ' || hint FROM _value_refusals(key);
        IF snowflake THEN
            PERFORM _key_sequence(key);
        END IF;
        PERFORM _shadow_indexes(key);
        RETURN QUERY SELECT 'refused', relation, reason || '. ' || hint FROM _try_views(key);
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
        RETURN QUERY SELECT 'refused', "table", concat_ws('. ', message, nullif(hint, ''));
    END;
END;
$$;
COMMENT ON FUNCTION conversion_plan IS
    'what a conversion of a column to snowflakes or ObjectIds would change, the space that it '
    'needs, what may refer to it without a foreign key, and all that prevents it';
