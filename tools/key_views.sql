----------------------------------------------------------------------
-- Conversions: the views that read a key
----------------------------------------------------------------------

-- Views that read a converted column, and views that read these

CREATE FUNCTION objectid_ext_tools._changing_views(key objectid_ext_tools._key,
    OUT view regclass, OUT depth integer) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE reached (view, depth) AS (
        SELECT ev_class, 1
        FROM objectid_ext_tools._changing_columns(key)
             JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = relation
                 AND refobjsubid = attnum AND classid = 'pg_rewrite'::regclass
             JOIN pg_rewrite r ON r.oid = objid
        WHERE ev_class <> relation
        UNION
        SELECT ev_class, depth + 1
        FROM reached
             JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = view
                 AND classid = 'pg_rewrite'::regclass
             JOIN pg_rewrite r ON r.oid = objid
        WHERE ev_class <> view
    )
    SELECT view::regclass, max(depth) FROM reached GROUP BY view
$$;
COMMENT ON FUNCTION objectid_ext_tools._changing_views IS
    'internal: views that depend on the columns whose type changes; those of greater depth depend '
    'on others';

CREATE FUNCTION objectid_ext_tools._grantee(grantee oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
$$;
COMMENT ON FUNCTION objectid_ext_tools._grantee IS
    'internal: a role of an access control list, as GRANT names it';

CREATE FUNCTION objectid_ext_tools._grants(acl aclitem[], owner oid, "columns" text, object text)
RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('GRANT %s%s ON %s TO %s%s', privilege_type, "columns", object,
                  objectid_ext_tools._grantee(grantee),
                  CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM aclexplode(acl)
    WHERE grantee <> owner
$$;
COMMENT ON FUNCTION objectid_ext_tools._grants IS
    'internal: statements that give the privileges of an access control list again';

-- What must be done to the views is computed before they are dropped.  Their text has the
-- names of core's operators without a schema; those of objectid are in that of objectid_ext.

CREATE FUNCTION objectid_ext_tools._view_statements(key objectid_ext_tools._key,
    OUT step integer, OUT statement text) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
    WITH views AS MATERIALIZED (
        SELECT c.*, view, depth, obj_description(c.oid, 'pg_class') AS comment
        FROM objectid_ext_tools._changing_views(key)
             JOIN pg_class c ON c.oid = view
    ), statements (step, depth, statement) AS (
        SELECT 1, 0, 'DROP VIEW ' || string_agg(view::text, ', ')
        FROM views HAVING count(*) > 0
        UNION ALL
        SELECT v.*
        FROM (SELECT key.to_type <> 'bigint'::regtype FROM views LIMIT 1) AS o (of_objectids),
             LATERAL (VALUES
                 (19, 0, 'SET LOCAL search_path = pg_catalog, '
                         || objectid_ext_tools._ids_schema()),
                 (23, 0, 'SET LOCAL search_path = pg_catalog, pg_temp')) AS v
        WHERE of_objectids
        UNION ALL
        SELECT 20, depth, format('CREATE VIEW %s%s AS %s', view,
                                 ' WITH (' || array_to_string(reloptions, ', ') || ')',
                                 pg_get_viewdef(view))
        FROM views
        UNION ALL
        SELECT 21, depth, format('COMMENT ON VIEW %s IS %L', view, comment)
        FROM views WHERE comment IS NOT NULL
        UNION ALL
        SELECT 21, depth, format('COMMENT ON COLUMN %s.%I IS %L', view, attname,
                                 col_description(attrelid, attnum))
        FROM views JOIN pg_attribute ON attrelid = oid
        WHERE col_description(attrelid, attnum) IS NOT NULL
        UNION ALL
        -- what ALTER DEFAULT PRIVILEGES gives a new view, the old one need not have had
        SELECT 21, depth, format('REVOKE ALL ON %s FROM %s', view,
                                 objectid_ext_tools._grantee(grantee))
        FROM views
             JOIN pg_default_acl ON defaclrole = relowner AND defaclobjtype = 'r'
                 AND defaclnamespace IN (0, relnamespace),
             aclexplode(defaclacl)
        WHERE grantee <> relowner
        UNION ALL
        SELECT 22, depth, g
        FROM views, objectid_ext_tools._grants(relacl, relowner, '', view::text) AS g
        UNION ALL
        SELECT 22, depth, g
        FROM views JOIN pg_attribute ON attrelid = oid,
             objectid_ext_tools._grants(attacl, relowner, format(' (%I)', attname), view::text) AS g
    )
    SELECT step, statement FROM statements ORDER BY step, depth
$$;
COMMENT ON FUNCTION objectid_ext_tools._view_statements IS
    'internal: statements that drop the views of a key, and that create them again with comments '
    'and privileges';
