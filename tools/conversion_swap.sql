----------------------------------------------------------------------
-- Live conversions: indexes, and the exchange of the columns
----------------------------------------------------------------------

-- On an empty copy of the table, ALTER COLUMN ... TYPE tells what becomes of the
-- indexes, and raises core's errors if an index, a check or a default does not fit the
-- new type.  What pg_get_indexdef() returns begins with names, whose length is known.

CREATE FUNCTION objectid_ext_tools._shadow_indexes("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT shadow text, OUT statement text) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET client_min_messages = warning
AS $$
DECLARE
    each record;
    i record;
BEGIN
    FOR each IN
        WITH keys AS MATERIALIZED (SELECT * FROM objectid_ext_tools._key_indexes("table", "column", to_type))
        SELECT s.relation, (SELECT CASE relkind WHEN 'p' THEN 'ONLY ' END FROM pg_class c WHERE c.oid = s.relation) AS scope,
               string_agg(format('DROP COLUMN IF EXISTS %I CASCADE', s.shadow), ', ') AS shadows,
               string_agg(format('ALTER COLUMN %1$I TYPE %2$s USING %1$I::%2$s', attname, to_type), ', ') AS types,
               array_agg(format('ALTER TABLE pg_temp._objectid_ext RENAME COLUMN %I TO %I', attname, s.shadow)) AS names,
               (SELECT array_agg(k ORDER BY k.index) FROM keys AS k WHERE k.relation = s.relation) AS keys
        FROM objectid_ext_tools._shadows("table", "column", to_type) AS s GROUP BY s.relation ORDER BY s.relation
    LOOP
        PERFORM objectid_ext_tools._execute_all(
            format('CREATE TEMPORARY TABLE _objectid_ext (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)', each.relation),
            'ALTER TABLE pg_temp._objectid_ext ' || each.shadows);
        FOR i IN SELECT * FROM unnest(each.keys) AS k (relation regclass, index regclass, schema name, name name, shadow name, uniqueness text) LOOP
            EXECUTE format('CREATE %sINDEX %I ON pg_temp._objectid_ext USING %s', i.uniqueness, i.shadow,
                           substr(pg_get_indexdef(i.index), length(format('CREATE %sINDEX %I ON %s%s USING ', i.uniqueness, i.name, each.scope, each.relation)) + 1));
        END LOOP;
        EXECUTE 'ALTER TABLE pg_temp._objectid_ext ' || each.types;
        PERFORM objectid_ext_tools._execute_all(VARIADIC each.names);
        FOR i IN SELECT *, pg_get_indexdef(('pg_temp.' || quote_ident(k.shadow))::regclass) AS definition FROM unnest(each.keys) AS k (relation regclass, index regclass, schema name, name name, shadow name, uniqueness text) LOOP
            relation := each.relation;
            shadow := format('%I.%I', i.schema, i.shadow);
            statement := format('CREATE %sINDEX CONCURRENTLY %I ON %s%s', i.uniqueness, i.shadow, each.relation, substr(i.definition, position(' USING ' IN i.definition)));
            RETURN NEXT;
        END LOOP;
        DROP TABLE pg_temp._objectid_ext;
    END LOOP;
EXCEPTION WHEN undefined_function OR datatype_mismatch THEN
    RAISE EXCEPTION '%', SQLERRM USING ERRCODE = SQLSTATE,
        HINT = format('A check, index or default of table %s uses it with a column that changes. Drop it, convert the column, and create it again.', each.relation);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._shadow_indexes(regclass, name, regtype) IS 'internal: statements that create the indexes of the shadow columns; an error if a definition does not fit the new type';

CREATE FUNCTION objectid_ext_tools._grants(acl aclitem[], owner oid, "columns" text, object text) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('GRANT %s%s ON %s TO %s%s', privilege_type, "columns", object, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, CASE WHEN is_grantable THEN ' WITH GRANT OPTION' END)
    FROM aclexplode(acl) WHERE grantee <> owner
$$;
COMMENT ON FUNCTION objectid_ext_tools._grants(aclitem[], oid, text, text) IS 'internal: statements that give the privileges of an access control list again';

-- What must be done to the views is computed before they are dropped.  Their text has the
-- names of core's operators without a schema; those of objectid are in that of objectid_ext.

CREATE FUNCTION objectid_ext_tools._view_statements("table" regclass, "column" name, to_type regtype, OUT step integer, OUT statement text) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
    WITH views AS MATERIALIZED (
        SELECT c.*, view, depth FROM objectid_ext_tools._key_views("table", "column", to_type) JOIN pg_class c ON c.oid = view
    ), statements (step, depth, statement) AS (
        SELECT 1, 0, 'DROP VIEW ' || string_agg(view::text, ', ') FROM views HAVING count(*) > 0
        UNION ALL
        SELECT 19, 0, 'SET LOCAL search_path = pg_catalog, ' || objectid_ext_tools._ids_schema() FROM views WHERE to_type <> 'bigint'::regtype HAVING count(*) > 0
        UNION ALL
        SELECT 23, 0, 'SET LOCAL search_path = pg_catalog, pg_temp' FROM views WHERE to_type <> 'bigint'::regtype HAVING count(*) > 0
        UNION ALL
        SELECT 20, depth, format('CREATE VIEW %s%s AS %s', view, ' WITH (' || array_to_string(reloptions, ', ') || ')', pg_get_viewdef(view)) FROM views
        UNION ALL
        SELECT 21, depth, format('COMMENT ON VIEW %s IS %L', view, obj_description(oid, 'pg_class')) FROM views WHERE obj_description(oid, 'pg_class') IS NOT NULL
        UNION ALL
        SELECT 21, depth, format('COMMENT ON COLUMN %s.%I IS %L', view, attname, col_description(attrelid, attnum)) FROM views JOIN pg_attribute ON attrelid = oid WHERE col_description(attrelid, attnum) IS NOT NULL
        UNION ALL
        -- what ALTER DEFAULT PRIVILEGES gives a new view, the old one need not have had
        SELECT 21, depth, format('REVOKE ALL ON %s FROM %s', view, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
        FROM views JOIN pg_default_acl ON defaclrole = relowner AND defaclobjtype = 'r' AND defaclnamespace IN (0, relnamespace), aclexplode(defaclacl) WHERE grantee <> relowner
        UNION ALL
        SELECT 22, depth, g FROM views, objectid_ext_tools._grants(relacl, relowner, '', view::text) AS g
        UNION ALL
        SELECT 22, depth, g FROM views JOIN pg_attribute ON attrelid = oid, objectid_ext_tools._grants(attacl, relowner, format(' (%I)', attname), view::text) AS g
    )
    SELECT step, statement FROM statements ORDER BY step, depth
$$;
COMMENT ON FUNCTION objectid_ext_tools._view_statements(regclass, name, regtype) IS 'internal: statements that drop the views of a key, and that create them again with comments and privileges';

-- Checks and foreign keys are in force at once, and validated when the locks are gone.

CREATE FUNCTION objectid_ext_tools._key_constraints("table" regclass, "column" name, to_type regtype) RETURNS SETOF pg_constraint
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT * FROM objectid_ext_tools._changing_foreign_keys("table", "column", to_type)
    UNION ALL
    SELECT DISTINCT c.* FROM objectid_ext_tools._shadows("table", "column", to_type) JOIN pg_constraint c ON conrelid = relation AND contype IN ('p', 'u', 'c') AND attnum = ANY (conkey)
    WHERE conname <> '_objectid_ext'
$$;
COMMENT ON FUNCTION objectid_ext_tools._key_constraints(regclass, name, regtype) IS 'internal: the constraints of the columns whose type changes';

CREATE FUNCTION objectid_ext_tools._validations("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT constraint_name name) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT conrelid, conname FROM objectid_ext_tools._key_constraints("table", "column", to_type) WHERE contype IN ('f', 'c') AND convalidated ORDER BY 1, 2
$$;
COMMENT ON FUNCTION objectid_ext_tools._validations(regclass, name, regtype) IS 'internal: the constraints that must be validated after the columns are exchanged';

CREATE FUNCTION objectid_ext_tools._exchange_statements("table" regclass, "column" name, to_type regtype) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
    WITH shadows AS MATERIALIZED (
        SELECT s.relation, s.attname, s.shadow, s.attnotnull, a.attnum, attacl, attoptions, coalesce(attstattarget, -1) AS target, relowner,
               pg_get_expr(adbin, adrelid) AS "default", col_description(a.attrelid, a.attnum) AS comment,
               (SELECT conname FROM pg_constraint WHERE conrelid = s.relation AND contype = 'n' AND conkey[1] = s.attnum) AS not_null
        FROM objectid_ext_tools._shadows("table", "column", to_type) AS s JOIN pg_class c ON c.oid = s.relation
             JOIN pg_attribute a ON a.attrelid = s.relation AND a.attnum = s.attnum LEFT JOIN pg_attrdef ON adrelid = a.attrelid AND adnum = a.attnum
    ), indexes AS MATERIALIZED (
        SELECT k.*, indisreplident, indisclustered, obj_description(k.index, 'pg_class') AS comment, pg_constraint.oid AS "constraint", contype
        FROM objectid_ext_tools._key_indexes("table", "column", to_type) AS k JOIN pg_index ON indexrelid = k.index LEFT JOIN pg_constraint ON conindid = k.index AND contype IN ('p', 'u')
    ), constraints AS MATERIALIZED (
        SELECT *, obj_description(oid, 'pg_constraint') AS comment FROM objectid_ext_tools._key_constraints("table", "column", to_type)
    ), sequences AS MATERIALIZED (
        SELECT s.relation, s.attname, objid::regclass AS sequence
        FROM shadows s JOIN pg_depend ON classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = s.relation AND refobjsubid = s.attnum AND deptype = 'a'
             JOIN pg_class c ON c.oid = objid AND relkind = 'S'
    ), statements (step, statement) AS (
        SELECT v.step, v.statement FROM objectid_ext_tools._view_statements("table", "column", to_type) AS v
        UNION ALL
        SELECT 2, format(CASE WHEN not_null IS NULL THEN 'ALTER TABLE %s ALTER COLUMN %I SET NOT NULL' ELSE 'ALTER TABLE %s ADD CONSTRAINT %2$I NOT NULL %2$I' END, relation, shadow) FROM shadows WHERE attnotnull
        UNION ALL
        SELECT CASE contype WHEN 'f' THEN 3 ELSE 4 END, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM constraints
        UNION ALL
        SELECT s.* FROM (SELECT relation, string_agg(format('DROP COLUMN %I', attname), ', ') AS drops FROM shadows GROUP BY relation) AS t, LATERAL (VALUES
            (5, format('DROP TRIGGER "~objectid_ext_conversion" ON %s', relation)),
            (7, format('ALTER TABLE %s DROP CONSTRAINT _objectid_ext, %s', relation, drops))) AS s
        UNION ALL
        SELECT s.* FROM sequences, LATERAL (VALUES (6, format('ALTER SEQUENCE %s OWNED BY NONE', sequence)), (13, format('ALTER SEQUENCE %s OWNED BY %s.%I', sequence, relation, attname))) AS s
        UNION ALL
        SELECT s.* FROM shadows, LATERAL (VALUES
            (8, format('ALTER TABLE %s RENAME COLUMN %I TO %I', relation, shadow, attname)),
            (9, CASE WHEN not_null IS NOT NULL THEN format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', relation, shadow, not_null) END),
            (14, CASE WHEN "default" IS NOT NULL THEN format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', relation, attname, "default") END),
            (14, CASE WHEN target >= 0 THEN format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', relation, attname, target) END),
            (14, CASE WHEN attoptions IS NOT NULL THEN format('ALTER TABLE %s ALTER COLUMN %I SET (%s)', relation, attname, array_to_string(attoptions, ', ')) END),
            (14, CASE WHEN comment IS NOT NULL THEN format('COMMENT ON COLUMN %s.%I IS %L', relation, attname, comment) END)) AS s
        UNION ALL
        SELECT 14, g FROM shadows, objectid_ext_tools._grants(attacl, relowner, format(' (%I)', attname), relation::text) AS g
        UNION ALL
        SELECT s.* FROM indexes, LATERAL (VALUES
            (10, CASE WHEN "constraint" IS NULL THEN format('ALTER INDEX %I.%I RENAME TO %I', schema, shadow, name)
                      ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', relation, name, CASE contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, shadow) END),
            (11, CASE WHEN indisreplident THEN format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', relation, name) END),
            (11, CASE WHEN indisclustered THEN format('ALTER TABLE %s CLUSTER ON %I', relation, name) END),
            (12, CASE WHEN comment IS NOT NULL THEN format('COMMENT ON INDEX %I.%I IS %L', schema, name, comment) END)) AS s
        UNION ALL
        SELECT 12, format('ALTER TABLE %I.%I RENAME COLUMN %I TO %I', schema, name, i.attname, s.attname)
        FROM indexes JOIN pg_attribute i ON i.attrelid = to_regclass(format('%I.%I', schema, shadow)) JOIN shadows s ON s.relation = indexes.relation AND s.shadow = i.attname
        UNION ALL
        SELECT s.* FROM constraints, LATERAL (VALUES
            (15, CASE WHEN contype IN ('f', 'c') THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', conrelid::regclass, conname, pg_get_constraintdef(oid), CASE WHEN convalidated THEN ' NOT VALID' END) END),
            (16, CASE WHEN comment IS NOT NULL THEN format('COMMENT ON CONSTRAINT %I ON %s IS %L', conname, conrelid::regclass, comment) END)) AS s
        UNION ALL
        SELECT 17, f FROM objectid_ext_tools._trigger_functions("table", "column") AS f
    )
    SELECT statement FROM (SELECT *, row_number() OVER () AS place FROM statements) AS s WHERE statement IS NOT NULL ORDER BY step, place
$$;
COMMENT ON FUNCTION objectid_ext_tools._exchange_statements(regclass, name, regtype) IS 'internal: statements that put the shadow columns in the place of the columns, with all that belongs to them';

CREATE PROCEDURE objectid_ext_tools._conversion_finish("table" regclass, "column" name, to_type regtype, max_wait interval, node integer DEFAULT NULL, layout snowflake_layout DEFAULT NULL)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET jit = off
SET quote_all_identifiers = off
AS $$
DECLARE
    functions CONSTANT regprocedure[] := ARRAY(SELECT function FROM objectid_ext_tools._conversions() WHERE key_table = "table" ORDER BY relation);
    first CONSTANT oid := (SELECT min(relation::oid) FROM objectid_ext_tools._conversions() WHERE key_table = "table");
    later CONSTANT jsonb := (SELECT jsonb_agg(ARRAY[relation::oid::text, constraint_name]) FROM objectid_ext_tools._validations("table", "column", to_type));
    statements text[];
    missing text;
    generator text;
BEGIN
    PERFORM objectid_ext_tools._claim("table");
    PERFORM objectid_ext_tools._lock_in_turn(ARRAY(
        SELECT view FROM objectid_ext_tools._key_views("table", "column", to_type) JOIN pg_class c ON c.oid = view WHERE pg_get_userbyid(relowner) = current_user
        UNION SELECT "table"
        UNION SELECT relation FROM objectid_ext_tools._shadows("table", "column", to_type)
        UNION SELECT unnest(ARRAY[conrelid, confrelid]) FROM objectid_ext_tools._changing_foreign_keys("table", "column", to_type)
        UNION SELECT objectid_ext_tools._key_sequence("table", "column") WHERE layout IS NOT NULL), max_wait);
    PERFORM objectid_ext_tools._check_unchanged("table", "column", to_type);
    PERFORM objectid_ext_tools._refuse("table", "column", to_type, 2);
    SELECT format('table %s is not filled', relation) INTO missing FROM objectid_ext_tools._unvalidated("table");
    SELECT coalesce(missing, format('index "%s" has no valid counterpart', name)) INTO missing FROM objectid_ext_tools._key_indexes("table", "column", to_type)
        WHERE NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(format('%I.%I', schema, shadow)) AND indisvalid) OR missing IS NOT NULL LIMIT 1;
    IF missing IS NOT NULL THEN
        RAISE EXCEPTION 'the steps before the last are not complete: %', missing
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Ask for the steps that remain, and execute all of them.';
    END IF;

    IF layout IS NOT NULL THEN
        generator := (objectid_ext_tools._snowflake_default("table", "column", node, layout)).generator;
    END IF;
    statements := ARRAY(SELECT objectid_ext_tools._exchange_statements("table", "column", to_type))
        || ('ALTER TABLE ' || "table" || format(' ALTER COLUMN %I SET DEFAULT ', "column") || generator)
        || ARRAY(SELECT format('DROP FUNCTION %s', f) FROM unnest(functions) AS f WHERE f <> functions[1] OR later IS NULL);
    IF later IS NOT NULL THEN
        statements := statements || format('COMMENT ON FUNCTION %s IS %L', functions[1], format('conversion of %s.%s, table %s, %s', "table"::oid,
                          (SELECT attnum FROM pg_attribute WHERE attrelid = "table" AND attname = "column"), first, later));
    END IF;
    PERFORM objectid_ext_tools._execute_all(VARIADIC array_remove(statements, NULL));
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools._conversion_finish(regclass, name, regtype, interval, integer, snowflake_layout) IS 'internal: the last step of a conversion, which exchanges the columns';

CREATE PROCEDURE objectid_ext_tools._conversion_end("table" regclass)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    each record;
BEGIN
    FOR each IN SELECT * FROM objectid_ext_tools._conversions() WHERE key_table = "table" LOOP
        IF EXISTS (SELECT FROM jsonb_array_elements(CASE WHEN each.data ~ '^[[]' THEN each.data::jsonb END) AS v JOIN pg_constraint ON conrelid = (v ->> 0)::oid AND conname = v ->> 1 AND NOT convalidated)
           OR each.data !~ '^[[]' THEN
            RAISE EXCEPTION 'the steps before the last are not complete' USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Ask for the steps that remain, and execute all of them.';
        END IF;
        EXECUTE format('DROP FUNCTION %s', each.function);
    END LOOP;
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools._conversion_end(regclass) IS 'internal: removes what a conversion has left to know which constraints must be validated';

-- A table can have another name by now, or be gone; so this goes by what the functions'
-- comments say.

CREATE PROCEDURE objectid_ext_tools.undo_conversion("table" regclass, "column" name, max_wait interval DEFAULT '1 s')
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    begun oid := (SELECT key_table FROM objectid_ext_tools._conversions() WHERE relation = "table" OR key_table = "table" LIMIT 1);
    each record;
BEGIN
    IF num_nulls("table", "column", max_wait) > 0 THEN
        RAISE EXCEPTION 'table, column and longest wait must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF begun IS NULL THEN
        RAISE EXCEPTION 'no column of table % is being converted', "table" USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    PERFORM objectid_ext_tools._claim(begun);
    IF EXISTS (SELECT FROM objectid_ext_tools._conversions() WHERE key_table = begun AND data ~ '^[[]') THEN
        RAISE EXCEPTION 'the columns of table % have been exchanged already', "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Ask for the steps that remain, and execute them.';
    END IF;
    PERFORM objectid_ext_tools._lock_in_turn(ARRAY(SELECT relation FROM objectid_ext_tools._conversions() JOIN pg_class c ON c.oid = relation WHERE key_table = begun ORDER BY 1), max_wait);
    FOR each IN
        SELECT function, c.oid::regclass AS relation, (SELECT string_agg(format(', DROP COLUMN %I', attname), '') FROM pg_attribute WHERE attrelid = relation AND attname ~ '^_objectid_ext_[0-9]+$' AND NOT attisdropped) AS drops
        FROM objectid_ext_tools._conversions() LEFT JOIN pg_class c ON c.oid = relation WHERE key_table = begun
    LOOP
        PERFORM objectid_ext_tools._execute_all(VARIADIC array_remove(ARRAY[
            format('DROP TRIGGER IF EXISTS "~objectid_ext_conversion" ON ') || each.relation,
            'ALTER TABLE ' || each.relation || ' DROP CONSTRAINT IF EXISTS _objectid_ext' || coalesce(each.drops, ''),
            format('DROP FUNCTION %s', each.function)], NULL));
    END LOOP;
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools.undo_conversion(regclass, name, interval) IS 'removes all that a live conversion has added, before its last step; other sessions wait for at most max_wait; an error if there is none';
