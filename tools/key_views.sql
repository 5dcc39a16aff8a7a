-- ===== Conversions: the views that read a key =====

-- Views that read a converted column, and views that read these, of greater depth.  Those that are
-- owned are ordinary views of the current role, which a conversion makes again.
CREATE FUNCTION _changing_views(key _key)
RETURNS TABLE (view regclass, depth integer, owned boolean)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH RECURSIVE reached (relation, attnum, depth) AS (
        SELECT relation::oid, attnum, 0 FROM _changing_columns(key)
        UNION
        SELECT ev_class, NULL, depth + 1
        FROM reached
             JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = relation
                 AND refobjsubid = coalesce(attnum, refobjsubid)
                 AND classid = 'pg_rewrite'::regclass
             JOIN pg_rewrite r ON r.oid = objid
        WHERE ev_class <> relation
    )
    SELECT relation::regclass, max(depth),
           relkind = 'v' AND pg_get_userbyid(relowner) = current_user
    FROM reached JOIN pg_class c ON c.oid = relation
    WHERE depth > 0 GROUP BY relation, relkind, relowner
$$;

-- Views that prevent a conversion, or the last step of a live one: others than those that are made
-- again must not be there when these are dropped.
CREATE FUNCTION _view_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH views AS MATERIALIZED (
        SELECT c.*, view, owned, typarray
        FROM _changing_views(key) JOIN pg_class c ON c.oid = view JOIN pg_type t ON t.oid = reltype
    ), reasons AS (
        SELECT view,
               CASE WHEN relkind <> 'v'
                    THEN 'it is a materialized view that reads a converted column'
                    ELSE format('it is a view that reads a converted column, and is owned by %s',
                                relowner::regrole) END
        FROM views WHERE NOT owned
        UNION ALL
        SELECT view, 'it has a security label'
        FROM views JOIN pg_seclabel ON classoid = 'pg_class'::regclass AND objoid = view
        UNION ALL
        SELECT view, format('%s depends on the view', pg_describe_object(classid, objid, objsubid))
        FROM views
             JOIN pg_depend
                 ON (refclassid = 'pg_class'::regclass AND refobjid = views.oid
                     OR refclassid = 'pg_type'::regclass AND refobjid IN (reltype, typarray))
                    AND deptype <> 'i'
        WHERE relkind = 'v'
          AND NOT (classid = 'pg_rewrite'::regclass
                   AND EXISTS (SELECT FROM views v JOIN pg_rewrite r ON ev_class = v.oid
                               WHERE r.oid = objid AND rulename = '_RETURN'))
    )
    SELECT *, 'Drop it before, and create it again afterwards.' FROM reasons
$$;

-- Statements that make empty, converted copies of the tables of a key, and begin those that make
-- its views (null for a table) on these.  pg_get_viewdef() prints what the search_path finds
-- without a schema, and temporary tables are found first: its text, executed again, reads the
-- copies.  Of two relations of one name, the path finds one.  A function of whole rows is one of
-- the table, not of the copy.
CREATE FUNCTION _view_copies(key _key) RETURNS TABLE (view oid, schema text, statement text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH tables AS MATERIALIZED (
        SELECT relation,
               string_agg(format('ALTER %I TYPE %s USING NULL', attname, key.to_type), ', ')
               || coalesce(', ADD ' || (SELECT pg_get_constraintdef(oid) FROM pg_constraint
                                        WHERE conrelid = relation AND contype = 'p'), '') AS changes
        FROM _changing_columns(key) GROUP BY relation
    ), relations AS (
        SELECT 0 AS depth, relation, changes FROM tables
        UNION ALL
        SELECT depth, v.view, NULL FROM _changing_views(key) AS v
        WHERE NOT EXISTS (SELECT
                          FROM pg_rewrite r
                               JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = r.oid
                                   AND refclassid = 'pg_proc'::regclass
                               JOIN pg_proc p ON p.oid = refobjid
                               JOIN pg_class c ON c.reltype = ANY (proargtypes)
                          WHERE ev_class = v.view AND c.oid IN (SELECT relation FROM tables))
    ), visible AS (
        SELECT DISTINCT ON (relname) *
        FROM relations
             JOIN pg_class c ON c.oid = relation
             JOIN pg_namespace n ON n.oid = relnamespace
        WHERE relkind IN ('r', 'p') OR relkind = 'v' AND pg_get_userbyid(relowner) = current_user
        ORDER BY relname, nspname
    )
    SELECT CASE relkind WHEN 'v' THEN relation::oid END, quote_ident(nspname),
           CASE relkind WHEN 'v' THEN format('CREATE TEMPORARY VIEW %I AS ', relname)
           ELSE format('CREATE TEMPORARY TABLE %1$I (LIKE %2$s); ALTER TABLE pg_temp.%1$I %3$s',
                       relname, relation, changes) END
    FROM visible ORDER BY depth, relation
$$;

-- Views of a key that do not accept the new type, when created or, with ids instead of text, when
-- planned.  Where the path of the views is set, names of core have their schema: others may create
-- functions in those of the path; then no view is planned, for that could call them.  In the end
-- all is rolled back.
CREATE FUNCTION _try_views(key _key) RETURNS SETOF _refusal
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off SET client_min_messages = warning AS $$
DECLARE
    views oid[];
    path text;
    statements text[];
    refusals _refusal[];
    plan text := CASE WHEN key.to_type <> 'bigint'::regtype
                           AND NOT EXISTS (SELECT FROM _role_refusals(key))
                      THEN ' EXPLAIN TABLE ' END;
BEGIN
    SELECT array_agg(c.view), array_agg(statement),
           concat_ws(', ', 'pg_catalog', string_agg(DISTINCT schema, ', '), _schema_of())
        INTO views, statements, path
    FROM _view_copies(key) AS c;
    IF coalesce(array_remove(views, NULL), '{}') = '{}' THEN
        RETURN;
    END IF;
    BEGIN
        PERFORM pg_catalog.set_config('search_path'::text, path, true);
        statements := ARRAY(
            SELECT pg_catalog.concat(s.statement, pg_catalog.pg_get_viewdef(s.view),
                                     plan OPERATOR(pg_catalog.||) s.view::regclass::text)
            FROM ROWS FROM (pg_catalog.unnest(views), pg_catalog.unnest(statements))
                 WITH ORDINALITY AS s (view, statement, n) ORDER BY s.n);
        PERFORM pg_catalog.set_config('search_path'::text,
                                      'pg_temp, '::text OPERATOR(pg_catalog.||) path, true);
        FOR i IN 1 .. pg_catalog.cardinality(views) LOOP
            BEGIN
                EXECUTE statements[i];
            EXCEPTION WHEN OTHERS THEN
                refusals := refusals OPERATOR(pg_catalog.||)
                            (views[i], SQLERRM, NULL)::objectid_ext_tools._refusal;
            END;
        END LOOP;
        RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state';
    EXCEPTION WHEN object_not_in_prerequisite_state THEN
        NULL;
    END;
    RETURN QUERY
        SELECT coalesce(relation, key.relation), 'after the conversion, it would fail: ' || reason,
               'Change it so that it accepts the new type, too, for example by a cast, or drop it '
               'before, and create it again afterwards.'
        FROM unnest(refusals);
END;
$$;

-- A role of an access control list, as GRANT names it.
CREATE FUNCTION _grantee(grantee oid) RETURNS text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
$$;

-- Statements that give the privileges of an access control list of the owner again.
CREATE FUNCTION _grants(acl aclitem[], "columns" text, object text) RETURNS SETOF text
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT format('GRANT %s%s ON %s TO %s%s', privilege_type, "columns", object, _grantee(grantee),
                  CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM aclexplode(acl)
$$;

-- Statements that give a new object the privileges of a view or sequence of the current role.  It
-- need not have had what ALTER DEFAULT PRIVILEGES gives the new one, nor the view what owners get.
CREATE FUNCTION _privileges(relation oid, object text) RETURNS TABLE (step integer, statement text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT 1, format('REVOKE ALL ON %s FROM %s', object, _grantee(grantee))
    FROM pg_class c, LATERAL (
        SELECT relowner WHERE relkind = 'v' AND relacl IS NOT NULL
        UNION ALL SELECT grantee FROM pg_default_acl, aclexplode(defaclacl)
        WHERE defaclrole = relowner AND defaclobjtype = translate(relkind::text, 'vS', 'rS')
          AND defaclnamespace IN (0, relnamespace) AND grantee <> relowner) AS g (grantee)
    WHERE oid = relation
    UNION ALL SELECT 2, _grants(relacl, '', object) FROM pg_class WHERE oid = relation
$$;

-- The text of a view for a search_path; what is not the first of its name there has its schema.
CREATE FUNCTION _view_text(view oid, path text) RETURNS text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT set_config('search_path', path, true);
    SELECT pg_get_viewdef(view)
$$;

-- Statements that drop the views of a key, and create them again with comments and privileges; all
-- is computed before.  The operators of objectid are found in the schema of objectid_ext.
CREATE FUNCTION _view_statements(key _key) RETURNS TABLE (step integer, statement text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off AS $$
    WITH views AS MATERIALIZED (
        SELECT c.*, view, depth, 'pg_catalog, objectid_ext_tools, ' || CASE key.to_type
               WHEN 'bigint'::regtype THEN 'pg_temp' ELSE _schema_of() END AS path
        FROM _changing_views(key) JOIN pg_class c ON c.oid = view
    ), statements (step, depth, statement) AS (
        SELECT 1, 0, 'DROP VIEW ' || string_agg(view::text, ', ') FROM views
        UNION ALL SELECT DISTINCT 19, 0, 'SET LOCAL search_path = ' || path FROM views
        UNION ALL SELECT 23, 0, 'SET LOCAL search_path = pg_catalog, objectid_ext_tools, pg_temp'
        UNION ALL SELECT s.step, depth, s.statement
        FROM views, LATERAL (
            SELECT 20, format('CREATE VIEW %s%s AS %s', view,
                              ' WITH (' || array_to_string(reloptions, ', ') || ')',
                              _view_text(view, path))
            UNION ALL
            SELECT 21, format('COMMENT ON VIEW %s IS ', view)
                       || quote_literal(obj_description(oid, 'pg_class'))
            UNION ALL
            SELECT 21, format('COMMENT ON COLUMN %s.%I IS ', view, attname)
                       || quote_literal(col_description(attrelid, attnum))
            FROM pg_attribute WHERE attrelid = view
            UNION ALL SELECT 20 + p.step, p.statement FROM _privileges(view, view::text) AS p
            UNION ALL
            SELECT 22, _grants(attacl, format(' (%I)', attname), view::text)
            FROM pg_attribute WHERE attrelid = view
        ) AS s (step, statement)
    )
    SELECT step, statement FROM statements ORDER BY step, depth, row_number() OVER ()
$$;
