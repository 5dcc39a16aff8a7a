----------------------------------------------------------------------
-- Conversions: what refers to a key without a foreign key
----------------------------------------------------------------------

-- It breaks at the first new id.  A guess, by names: "account_id", "account", "account_ids"
-- for account.id, and the columns with which Rails and Django refer to any table,
-- "owner_id" beside "owner_type", "object_id" beside "content_type_id".

CREATE FUNCTION objectid_ext_tools._reference_pattern(key objectid_ext_tools._key)
RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('(^|_)(%s%s)$',
                  CASE WHEN lower(key.attname) IN ('id', '_id') THEN ''
                       ELSE lower(key.attname) || '|' END,
                  regexp_replace(regexp_replace(lower(relname), 's$', ''),
                                 '[^[:alnum:]_]', '.', 'g')
                  || 's?(_?ids?)?')
    FROM pg_class
    WHERE oid = key.relation
$$;
COMMENT ON FUNCTION objectid_ext_tools._reference_pattern IS
    'internal: the names of columns and parameters that may refer to a column';

CREATE FUNCTION objectid_ext_tools._reference_types(to_type regtype) RETURNS regtype[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE to_type
           WHEN 'bigint'::regtype THEN '{smallint,smallint[],integer,integer[]}'::regtype[]
           ELSE '{text,text[],varchar,varchar[],bpchar,bpchar[]}' END
$$;
COMMENT ON FUNCTION objectid_ext_tools._reference_types IS
    'internal: the types of columns that a key does not fit any more after the conversion';

CREATE FUNCTION objectid_ext_tools._untold_columns(key objectid_ext_tools._key,
    OUT relation regclass, OUT detail text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.oid::regclass,
           format('"%s" is %s and may refer to it without a foreign key', attname,
                  format_type(atttypid, atttypmod))
    FROM objectid_ext_tools._reference_pattern(key) AS pattern,
         pg_class c JOIN pg_namespace n ON n.oid = relnamespace
         JOIN pg_attribute a ON attrelid = c.oid
    WHERE relkind IN ('r', 'p') AND NOT relispartition
      AND nspname !~ '^(pg_|information_schema$)'
      AND attnum > 0 AND NOT attisdropped
      AND atttypid = ANY (objectid_ext_tools._reference_types(key.to_type))
      AND (lower(attname) ~ pattern
           OR a.attname ~* '_id$'
              AND EXISTS (SELECT FROM pg_attribute t
                          WHERE t.attrelid = c.oid AND NOT t.attisdropped
                            AND t.attname IN (regexp_replace(a.attname, '_id$', '_type', 'i'),
                                              CASE a.attname WHEN 'object_id'
                                              THEN 'content_type_id' END)))
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._key_columns(key) AS k
                      WHERE k.relation = c.oid AND k.attnum = a.attnum)
      AND NOT EXISTS (SELECT FROM pg_constraint
                      WHERE contype = 'f' AND conrelid = c.oid AND a.attnum = ANY (conkey))
$$;
COMMENT ON FUNCTION objectid_ext_tools._untold_columns IS
    'internal: columns of tables that may have ids of a key, but do not follow it';

CREATE FUNCTION objectid_ext_tools._untold_functions(key objectid_ext_tools._key,
    OUT detail text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH triggers AS MATERIALIZED (
        SELECT string_agg(DISTINCT prosrc, ' ') AS bodies
        FROM objectid_ext_tools._key_columns(key) AS k
             JOIN pg_trigger ON tgrelid = k.relation AND NOT tgisinternal
             JOIN pg_proc t ON t.oid = tgfoid
    ), called AS MATERIALIZED (
        SELECT refobjid
        FROM objectid_ext_tools._changing_views(key)
             JOIN pg_rewrite r ON ev_class = view
             JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = r.oid
                 AND refclassid = 'pg_proc'::regclass
    )
    SELECT format('%s has a parameter that may be such an id', p.oid::regprocedure)
    FROM objectid_ext_tools._reference_pattern(key) AS pattern,
         pg_class AS t,
         pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
    WHERE t.oid = key.relation AND nspname !~ '^(pg_|information_schema$)'
      AND proargtypes::oid[] && objectid_ext_tools._reference_types(key.to_type)::oid[]
      AND NOT EXISTS (SELECT FROM pg_depend
                      WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
      AND (prosrc ~* (E'\\y' || regexp_replace(relname, '[^[:alnum:]_]', '.', 'g') || E'\\y')
           OR EXISTS (SELECT FROM unnest(proargnames) AS n WHERE lower(n) ~ pattern)
           OR p.oid IN (SELECT refobjid FROM called)
           OR (SELECT bodies FROM triggers)
              ~* (E'\\y' || regexp_replace(p.proname, '[^[:alnum:]_]', '.', 'g') || E'\\y'))
$$;
COMMENT ON FUNCTION objectid_ext_tools._untold_functions IS
    'internal: functions that may take ids of a key, but do not follow it';

CREATE FUNCTION objectid_ext_tools._untold_references(key objectid_ext_tools._key,
    OUT relation regclass, OUT detail text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM objectid_ext_tools._untold_columns(key)
    UNION ALL
    SELECT key.relation, detail
    FROM objectid_ext_tools._untold_functions(key) AS detail
    ORDER BY 1, 2
$$;
COMMENT ON FUNCTION objectid_ext_tools._untold_references IS
    'internal: columns of tables, and functions, that may have ids of a key, but do not follow it';
