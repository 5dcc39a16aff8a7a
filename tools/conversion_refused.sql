----------------------------------------------------------------------
-- Live conversions: what is in the way
----------------------------------------------------------------------

-- Views that read a converted column, and views that read these

CREATE FUNCTION objectid_ext_tools._key_views("table" regclass, "column" name, to_type regtype, OUT view regclass, OUT depth integer) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE reached (view, depth) AS (
        SELECT ev_class, 1
        FROM objectid_ext_tools._shadows("table", "column", to_type)
             JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = relation AND refobjsubid = attnum AND classid = 'pg_rewrite'::regclass
             JOIN pg_rewrite r ON r.oid = objid
        WHERE ev_class <> relation
        UNION
        SELECT ev_class, depth + 1
        FROM reached JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = view AND classid = 'pg_rewrite'::regclass
             JOIN pg_rewrite r ON r.oid = objid
        WHERE ev_class <> view
    )
    SELECT view::regclass, max(depth) FROM reached GROUP BY view
$$;
COMMENT ON FUNCTION objectid_ext_tools._key_views(regclass, name, regtype) IS 'internal: views that depend on the columns whose type changes; those of greater depth depend on others';

-- Filling a row is an UPDATE, which must not fire triggers of users.

CREATE FUNCTION objectid_ext_tools._update_triggers("table" regclass) RETURNS SETOF pg_trigger
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT * FROM pg_trigger
    WHERE tgrelid = "table" AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion' AND tgtype & 16 <> 0 AND tgattr = '' AND tgenabled <> 'D'
$$;
COMMENT ON FUNCTION objectid_ext_tools._update_triggers(regclass) IS 'internal: triggers that an UPDATE of a shadow column would fire';

-- All reasons that the catalog knows, each with what can be done

CREATE FUNCTION objectid_ext_tools._refusals("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT reason text, OUT hint text, OUT late boolean) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH shadows AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._shadows("table", "column", to_type)
    ), tables AS MATERIALIZED (
        SELECT relation, relkind, relowner, relnamespace, relforcerowsecurity FROM (SELECT "table" UNION SELECT relation FROM shadows) AS s (relation) JOIN pg_class c ON c.oid = relation
    ), views AS MATERIALIZED (
        SELECT c.*, v.view FROM objectid_ext_tools._key_views("table", "column", to_type) AS v JOIN pg_class c ON c.oid = v.view
    ), indexes AS MATERIALIZED (
        SELECT i.*, name FROM objectid_ext_tools._key_indexes("table", "column", to_type) JOIN pg_index i ON indexrelid = index
    )
    SELECT reasons.*, false
    FROM (
        SELECT relation, CASE relkind WHEN 'r' THEN 'it inherits, or others inherit from it' WHEN 'p' THEN 'it is partitioned' ELSE 'it is not a table' END AS reason, CASE WHEN relkind IN ('r', 'p') THEN 'Convert it under a lock, by convert_to_snowflake() or convert_to_objectid().' ELSE 'Name the table of the column.' END AS hint
        FROM tables WHERE relkind <> 'r' OR EXISTS (SELECT FROM pg_inherits WHERE relation IN (inhrelid, inhparent))
        UNION ALL
        SELECT relation, format('it is owned by %s', relowner::regrole), 'Connect as the owner of all tables.' FROM tables WHERE relowner <> quote_ident(current_user)::regrole
        UNION ALL
        SELECT confrelid::regclass, format('it is owned by %s, and foreign key "%s" refers to it', relowner::regrole, conname), 'Drop the foreign key before, and create it again afterwards.'
        FROM objectid_ext_tools._changing_foreign_keys("table", "column", to_type) AS f JOIN pg_class c ON c.oid = confrelid
        WHERE confrelid NOT IN (SELECT relation FROM tables) AND relowner <> quote_ident(current_user)::regrole
        UNION ALL
        SELECT DISTINCT ON (relation) relation, format('%s can create objects in schema %I', CASE grantee WHEN 0 THEN 'everybody' ELSE 'role ' || grantee::regrole END, nspname), 'Revoke CREATE on the schema, or change its owner.'
        FROM tables t JOIN pg_namespace n ON n.oid = relnamespace OR quote_ident(nspname) = objectid_ext_tools._ids_schema() AND to_type <> 'bigint'::regtype AND EXISTS (SELECT FROM views), LATERAL (SELECT nspowner UNION SELECT grantee FROM aclexplode(nspacl) WHERE privilege_type = 'CREATE') AS g (grantee)
        WHERE grantee <> relowner AND NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = grantee AND (rolsuper OR rolname = 'pg_database_owner'))
        UNION ALL
        SELECT relation, 'row-level security is forced', 'Use ALTER TABLE ... NO FORCE ROW LEVEL SECURITY meanwhile.' FROM tables WHERE relforcerowsecurity
        UNION ALL
        SELECT relation, 'it is published, and has no replica identity', 'Its rows cannot be updated. Use ALTER TABLE ... REPLICA IDENTITY FULL meanwhile.' FROM tables JOIN pg_class c ON c.oid = relation
        WHERE (relreplident = 'n' OR relreplident = 'd' AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = relation AND indisprimary))
          AND EXISTS (SELECT FROM pg_publication, pg_get_publication_tables(pubname) AS p WHERE pubupdate AND p.relid = relation)
        UNION ALL
        SELECT relation, format('it has rule "%s"', rulename), 'Drop the rule, or convert the column under a lock.' FROM tables JOIN pg_rewrite ON ev_class = relation AND rulename <> '_RETURN'
        UNION ALL
        SELECT relation, 'it is in another conversion', 'Complete or undo that one first.' FROM tables
        WHERE EXISTS (SELECT FROM objectid_ext_tools._conversions() AS c WHERE c.relation = tables.relation AND key_table <> "table")
        UNION ALL
        SELECT relation, format('it has triggers on UPDATE, such as "%s"', min(tgname)),
               format('Have a superuser grant you the right to skip them: GRANT SET ON PARAMETER session_replication_role TO %s.', quote_ident(current_user)::regrole)
        FROM tables, objectid_ext_tools._update_triggers(relation) AS t
        WHERE tgenabled = 'O' AND NOT has_parameter_privilege(current_user, 'session_replication_role', 'SET') AND EXISTS (SELECT FROM shadows s WHERE s.relation = tables.relation) GROUP BY 1
        UNION ALL
        SELECT relation, format('trigger "%s" is set to ENABLE ALWAYS or REPLICA', tgname), 'It would fire when rows are filled. Use ALTER TABLE ... ENABLE TRIGGER meanwhile.'
        FROM tables, objectid_ext_tools._update_triggers(relation) WHERE tgenabled <> 'O'
        UNION ALL
        SELECT relation, format('trigger "%s" fires after the one of the conversion', tgname), 'Rename the trigger: they fire in the order of their names.'
        FROM tables JOIN pg_trigger ON tgrelid = relation WHERE NOT tgisinternal AND tgtype & 3 = 3 AND tgtype & 20 <> 0 AND tgname::text COLLATE "C" > '~objectid_ext_conversion'
        UNION ALL
        SELECT "table", format('no index has column "%s"', "column"), 'Convert it under a lock.'
        WHERE EXISTS (SELECT FROM shadows s WHERE s.relation = "table" AND s.attname = "column")
          AND NOT EXISTS (SELECT FROM shadows s JOIN indexes ON indrelid = s.relation WHERE s.relation = "table" AND s.attname = "column")
        UNION ALL
        SELECT s.relation, format('column "%s" is %s', s.attname, CASE WHEN attgenerated <> '' THEN 'generated' ELSE 'an identity column' END), 'Convert it under a lock.'
        FROM shadows s JOIN pg_attribute a ON attrelid = s.relation AND a.attnum = s.attnum
        WHERE attgenerated <> '' OR attidentity <> '' AND NOT (s.relation = "table" AND s.attname = "column")
        UNION ALL
        SELECT relation, format('column "%s" is of type %s', attname, type), 'Convert it under a lock.' FROM shadows WHERE type IN ('bytea'::regtype, 'jsonb'::regtype)
        UNION ALL
        SELECT indrelid::regclass, format('index "%s" %s', name, problem), 'Convert the column under a lock, or drop the index and create it again afterwards.'
        FROM indexes, LATERAL (VALUES (CASE WHEN indisexclusion THEN 'belongs to an exclusion constraint' WHEN NOT indimmediate THEN 'belongs to a deferrable constraint' WHEN NOT indisvalid THEN 'is not valid'
                                            WHEN (SELECT reltablespace FROM pg_class WHERE oid = indexrelid) <> 0 THEN 'is in a tablespace of its own'
                                            WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = indexrelid AND coalesce(attstattarget, -1) >= 0) THEN 'has statistics targets' END)) AS v (problem)
        WHERE problem IS NOT NULL
        UNION ALL
        SELECT s.relation, format('%s depends on column "%s"', pg_describe_object(classid, objid, objsubid), s.attname), 'Drop it first, and create it again afterwards.'
        FROM shadows s JOIN pg_depend d ON refclassid = 'pg_class'::regclass AND refobjid = s.relation AND refobjsubid = s.attnum
        WHERE deptype <> 'i' AND NOT (classid = 'pg_rewrite'::regclass AND EXISTS (SELECT FROM views JOIN pg_rewrite r ON ev_class = views.oid WHERE r.oid = objid))
          AND NOT (classid = 'pg_class'::regclass AND (objid IN (SELECT indexrelid FROM indexes) OR EXISTS (SELECT FROM pg_class c WHERE c.oid = objid AND relkind = 'S')))
          AND NOT (classid = 'pg_constraint'::regclass AND EXISTS (SELECT FROM pg_constraint c WHERE c.oid = objid AND contype IN ('p', 'u', 'f', 'c', 'n')))
          AND NOT (classid = 'pg_attrdef'::regclass AND EXISTS (SELECT FROM pg_attrdef a WHERE a.oid = objid AND adrelid = s.relation AND adnum = s.attnum))
          AND NOT (classid = 'pg_trigger'::regclass AND EXISTS (SELECT FROM pg_trigger t WHERE t.oid = objid AND tgname = '~objectid_ext_conversion'))
    ) AS reasons
    UNION ALL
    SELECT view, CASE WHEN relkind <> 'v' THEN 'it is a materialized view that reads a converted column' ELSE format('it is a view that reads a converted column, and is owned by %s', relowner::regrole) END,
           'Drop it before the last step, and create it again afterwards.', true
    FROM views WHERE relkind <> 'v' OR relowner <> quote_ident(current_user)::regrole
    UNION ALL
    SELECT view, format('%s depends on the view', pg_describe_object(classid, objid, objsubid)), 'Drop it before the last step, and create it again afterwards.', true
    FROM views JOIN pg_depend ON (refclassid = 'pg_class'::regclass AND refobjid = views.oid OR refclassid = 'pg_type'::regclass AND refobjid = views.reltype) AND deptype <> 'i'
    WHERE relkind = 'v' AND NOT (classid = 'pg_rewrite'::regclass AND EXISTS (SELECT FROM views v JOIN pg_rewrite r ON ev_class = v.oid WHERE r.oid = objid AND rulename = '_RETURN'))
    ORDER BY 1, 2
$$;
COMMENT ON FUNCTION objectid_ext_tools._refusals(regclass, name, regtype) IS 'internal: what prevents a live conversion, by the catalog, and what can be done about it';

-- A value that is no ObjectId, or two spellings of one, would stop the conversion when
-- half of the rows are filled.

CREATE FUNCTION objectid_ext_tools._value_refusals("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT reason text, OUT hint text) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    ids CONSTANT text := objectid_ext_tools._ids_schema();
    shadow record;
    uniqueness record;
    bad text;
    number bigint;
    wrong boolean := false;
BEGIN
    IF to_type = 'bigint'::regtype THEN
        RETURN;
    END IF;
    FOR shadow IN SELECT * FROM objectid_ext_tools._shadows("table", "column", to_type) LOOP
        EXECUTE format('SELECT count(*), min(%1$I::text) FROM ONLY %2$s WHERE NOT %3$s.is_objectid(%1$I)', shadow.attname, shadow.relation, ids) INTO number, bad;
        IF number > 0 THEN
            RETURN QUERY SELECT shadow.relation, format('column "%s" has values that are not ObjectIds', shadow.attname), format('Correct or delete them, such as "%s" (%s in all).', left(bad, 50), number);
            wrong := true;
        END IF;
    END LOOP;
    FOR uniqueness IN
        SELECT indrelid::regclass AS relation, min(s.attname) AS attname, string_agg(format('%I IS NOT NULL', a.attname), ' AND ') AS given,
               string_agg(CASE WHEN s.attnum IS NULL THEN quote_ident(a.attname) ELSE format('%I::%s.objectid', a.attname, ids) END, ', ') AS "columns"
        FROM pg_index JOIN pg_attribute a ON attrelid = indrelid AND a.attnum = ANY ((indkey::smallint[])[0:indnkeyatts - 1])
             LEFT JOIN objectid_ext_tools._shadows("table", "column", to_type) AS s ON s.relation = indrelid AND s.attnum = a.attnum
        WHERE indisunique AND indexprs IS NULL AND indpred IS NULL AND NOT wrong
        GROUP BY indexrelid, indrelid HAVING count(s.attnum) > 0 ORDER BY indexrelid
    LOOP
        EXECUTE format('SELECT string_agg(quote_literal(v), '', ''), count(*) FROM (SELECT min(%I::text) FROM ONLY %s WHERE %s GROUP BY %s HAVING count(*) > 1 LIMIT 3) AS s (v)',
                       uniqueness.attname, uniqueness.relation, uniqueness.given, uniqueness."columns")
            INTO bad, number;
        IF number > 0 THEN
            RETURN QUERY SELECT uniqueness.relation, format('column "%s" has different spellings of one ObjectId', uniqueness.attname), format('Correct or delete one of each, such as %s.', bad);
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._value_refusals(regclass, name, regtype) IS 'internal: values that cannot be converted to objectid, or that would not be unique any more';

CREATE FUNCTION objectid_ext_tools._refuse("table" regclass, "column" name, to_type regtype, moment integer) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    refusal record;
BEGIN
    SELECT *, count(*) OVER () AS reasons INTO refusal FROM objectid_ext_tools._refusals("table", "column", to_type) WHERE NOT late OR moment = 2 ORDER BY late LIMIT 1;
    IF NOT FOUND AND moment = 0 THEN
        SELECT *, count(*) OVER () AS reasons INTO refusal FROM objectid_ext_tools._value_refusals("table", "column", to_type) LIMIT 1;
    END IF;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % cannot be converted while it is in use', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = refusal.hint,
                  DETAIL = format('%s: %s.', refusal.relation, refusal.reason) || CASE WHEN refusal.reasons > 1 THEN format(' It is the first of %s reasons, which conversion_plan() shows.', refusal.reasons) ELSE '' END;
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._refuse(regclass, name, regtype, integer) IS 'internal: an error with the first reason that prevents a conversion: before it begins (0; reads all values), in its first step (1) or its last (2; views count)';

-- What refers to the key without a foreign key breaks at the first new id.  A guess, by
-- names: "account_id", "account", "account_ids" for account.id, and the columns with which
-- Rails and Django refer to any table, "owner_id" beside "owner_type", "object_id" beside
-- "content_type_id".

CREATE FUNCTION objectid_ext_tools._untold_references("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT detail text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH names (pattern) AS (
        SELECT format('(^|_)(%s%s)$', CASE WHEN lower("column") IN ('id', '_id') THEN '' ELSE lower("column") || '|' END,
                      regexp_replace(regexp_replace(lower(relname), 's$', ''), '[^[:alnum:]_]', '.', 'g') || 's?(_?ids?)?')
        FROM pg_class WHERE oid = "table"
    ), types (type) AS (
        SELECT unnest(CASE to_type WHEN 'bigint'::regtype THEN '{smallint,smallint[],integer,integer[]}'::regtype[] ELSE '{text,text[],varchar,varchar[],bpchar,bpchar[]}' END)
    ), users AS (
        SELECT oid FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$)'
    ), triggers AS MATERIALIZED (
        SELECT string_agg(DISTINCT prosrc, ' ') AS bodies
        FROM objectid_ext_tools._key_columns("table", "column") AS k JOIN pg_trigger ON tgrelid = k.relation AND NOT tgisinternal JOIN pg_proc t ON t.oid = tgfoid
    ), called AS MATERIALIZED (
        SELECT refobjid FROM objectid_ext_tools._key_views("table", "column", to_type) JOIN pg_rewrite r ON ev_class = view
               JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = r.oid AND refclassid = 'pg_proc'::regclass
    )
    SELECT c.oid::regclass, format('"%s" is %s and may refer to it without a foreign key', attname, format_type(atttypid, atttypmod))
    FROM names, pg_class c JOIN pg_attribute a ON attrelid = c.oid JOIN types ON type = atttypid
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace IN (SELECT oid FROM users) AND attnum > 0 AND NOT attisdropped
      AND (lower(attname) ~ pattern OR EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = c.oid AND NOT t.attisdropped AND a.attname ~* '_id$'
                                               AND t.attname IN (regexp_replace(a.attname, '_id$', '_type', 'i'), CASE a.attname WHEN 'object_id' THEN 'content_type_id' END)))
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._key_columns("table", "column") AS k WHERE k.relation = c.oid AND k.attnum = a.attnum)
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = c.oid AND a.attnum = ANY (conkey))
    UNION ALL
    SELECT "table", format('%s has a parameter that may be such an id', p.oid::regprocedure)
    FROM names, pg_proc p
    WHERE pronamespace IN (SELECT oid FROM users) AND proargtypes::oid[] && ARRAY(SELECT type::oid FROM types)
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
      AND (prosrc ~* (E'\\y' || (SELECT regexp_replace(relname, '[^[:alnum:]_]', '.', 'g') FROM pg_class WHERE oid = "table") || E'\\y')
           OR EXISTS (SELECT FROM unnest(proargnames) AS n WHERE lower(n) ~ pattern)
           OR p.oid IN (SELECT refobjid FROM called)
           OR (SELECT bodies FROM triggers) ~* (E'\\y' || regexp_replace(p.proname, '[^[:alnum:]_]', '.', 'g') || E'\\y'))
    ORDER BY 1, 2
$$;
COMMENT ON FUNCTION objectid_ext_tools._untold_references(regclass, name, regtype) IS 'internal: columns of tables, and functions, that may have ids of a key, but do not follow it';
