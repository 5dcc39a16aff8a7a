-- ===== Live conversions, last step: the exchange of the columns =====

-- The statements of all kinds are executed in the order of their steps.

-- Statements that put the shadow columns in the place of the columns.
CREATE FUNCTION _exchange_columns(key _key) RETURNS TABLE (step integer, statement text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off AS $$
    WITH changing AS MATERIALIZED (
        SELECT s.relation, s.attname, s.shadow, s.attnotnull, attacl, attoptions,
               nullif(attstattarget, -1) AS target, pg_get_expr(adbin, adrelid) AS "default",
               col_description(a.attrelid, a.attnum) AS comment,
               (SELECT conname FROM pg_constraint
                WHERE conrelid = s.relation AND contype = 'n' AND conkey[1] = s.attnum) AS not_null
        FROM _changing_columns(key) AS s
             JOIN pg_attribute a ON a.attrelid = s.relation AND a.attnum = s.attnum
             LEFT JOIN pg_attrdef ON adrelid = a.attrelid AND adnum = a.attnum
    )
    SELECT 5, format('DROP TRIGGER "~objectid_ext_conversion" ON %s', relation)
    FROM changing GROUP BY relation
    UNION ALL
    SELECT 7, format('ALTER TABLE %s DROP CONSTRAINT _objectid_ext, %s', relation,
                     string_agg(format('DROP COLUMN %I', attname), ', '))
    FROM changing GROUP BY relation
    UNION ALL
    SELECT s.step, format('ALTER TABLE %s ', relation) || command
    FROM changing, LATERAL (VALUES
        (2, CASE WHEN NOT attnotnull THEN NULL
                 WHEN not_null IS NULL THEN format('ALTER COLUMN %I SET NOT NULL', shadow)
                 ELSE format('ADD CONSTRAINT %1$I NOT NULL %1$I', shadow) END),
        (8, format('RENAME COLUMN %I TO %I', shadow, attname)),
        (9, format('RENAME CONSTRAINT %I TO ', shadow) || quote_ident(not_null)),
        (14, format('ALTER COLUMN %I SET DEFAULT ', attname) || "default"),
        (14, format('ALTER COLUMN %I SET STATISTICS ', attname) || target),
        (14, format('ALTER COLUMN %I SET (', attname) || array_to_string(attoptions, ', ') || ')')
    ) AS s (step, command)
    UNION ALL
    SELECT 14, format('COMMENT ON COLUMN %s.%I IS ', relation, attname) || quote_literal(comment)
    FROM changing
    UNION ALL
    SELECT 14, g
    FROM changing, _grants(attacl, format(' (%I)', attname), relation::text) AS g
$$;

-- Statements that put the indexes of the shadow columns in the place of the indexes.
CREATE FUNCTION _exchange_indexes(key _key) RETURNS TABLE (step integer, statement text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH indexes AS MATERIALIZED (
        SELECT k.*, indisreplident, indisclustered, contype,
               obj_description(k.index, 'pg_class') AS comment
        FROM _changing_indexes(key) AS k
             JOIN pg_index ON indexrelid = k.index
             LEFT JOIN pg_constraint ON conindid = k.index AND contype IN ('p', 'u')
    )
    SELECT s.* FROM indexes, LATERAL (VALUES
        (10, CASE WHEN contype IS NULL
                  THEN format('ALTER INDEX %I.%I RENAME TO %I', schema, shadow, name)
                  ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I', relation, name,
                              CASE contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, shadow)
             END),
        (11, format(CASE WHEN indisreplident
                         THEN 'ALTER TABLE %s REPLICA IDENTITY USING INDEX %I' END,
                    relation, name)),
        (11, format(CASE WHEN indisclustered THEN 'ALTER TABLE %s CLUSTER ON %I' END,
                    relation, name)),
        (12, format('COMMENT ON INDEX %I.%I IS ', schema, name) || quote_literal(comment))) AS s
    UNION ALL
    SELECT 12, format('ALTER TABLE %I.%I RENAME COLUMN %I TO %I', schema, name, a.attname,
                      c.attname)
    FROM indexes AS i
         JOIN pg_attribute a ON a.attrelid = to_regclass(format('%I.%I', schema, i.shadow))
         JOIN _changing_columns(key) AS c ON c.relation = i.relation AND c.shadow = a.attname
$$;

-- Statements that move constraints and the ownership of sequences to the new columns.
CREATE FUNCTION _exchange_constraints(key _key) RETURNS TABLE (step integer, statement text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT s.*
    FROM _changing_constraints(key) AS c, obj_description(oid, 'pg_constraint') AS comment,
         LATERAL (VALUES
             (CASE contype WHEN 'f' THEN 3 ELSE 4 END,
              format(CASE WHEN contype <> 'n' THEN 'ALTER TABLE %s DROP CONSTRAINT %I' END,
                     conrelid::regclass, conname)),
             (15, CASE WHEN contype IN ('f', 'c')
                       THEN format('ALTER TABLE %s ADD CONSTRAINT %I %s%s', conrelid::regclass,
                                   conname, pg_get_constraintdef(oid),
                                   CASE WHEN convalidated THEN ' NOT VALID' END) END),
             (16, format('COMMENT ON CONSTRAINT %I ON %s IS ', conname, conrelid::regclass)
                  || quote_literal(comment))) AS s
    UNION ALL
    SELECT s.*
    FROM _changing_columns(key) AS c
         JOIN pg_depend ON classid = 'pg_class'::regclass AND refclassid = 'pg_class'::regclass
             AND refobjid = c.relation AND refobjsubid = c.attnum AND deptype = 'a'
         JOIN pg_class ON oid = objid AND relkind = 'S',
         LATERAL (VALUES
             (6, format('ALTER SEQUENCE %s OWNED BY NONE', objid::regclass)),
             (13, format('ALTER SEQUENCE %s OWNED BY %s.%I', objid::regclass, relation, attname))
         ) AS s
$$;

-- Statements that put the shadow columns in the place of the columns, with all that is theirs.
CREATE FUNCTION _exchange_statements(key _key) RETURNS SETOF text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off AS $$
    WITH statements AS (
        SELECT * FROM _view_statements(key)
        UNION ALL SELECT * FROM _exchange_columns(key)
        UNION ALL SELECT * FROM _exchange_indexes(key)
        UNION ALL SELECT * FROM _exchange_constraints(key)
        UNION ALL SELECT 17, f FROM _trigger_functions(key) AS f
    )
    SELECT statement
    FROM (SELECT *, row_number() OVER () AS place FROM statements) AS s ORDER BY step, place
$$;

-- The last step of a conversion, which exchanges the columns.
CREATE PROCEDURE _conversion_exchange("table" regclass, "column" name, to_type regtype,
    max_wait interval, node integer DEFAULT NULL, layout snowflake_layout DEFAULT NULL)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET jit = off SET quote_all_identifiers = off AS $$
DECLARE
    key _key := ("table", "column", to_type);
    tables CONSTANT regclass[] := ARRAY(
        SELECT relation FROM _conversions() WHERE key_table = "table" ORDER BY relation);
    functions CONSTANT regprocedure[] := ARRAY(
        SELECT function FROM _conversions() WHERE key_table = "table" ORDER BY relation);
    later CONSTANT jsonb := _validations(key);
    state CONSTANT text := _state(key, tables[1], later);
    missing text;
    statements text[];
    generator text;
BEGIN
    "table" := _claim("table");
    PERFORM _lock_in_turn(ARRAY(
        SELECT view FROM _changing_views(key) WHERE owned
        UNION SELECT oid FROM _changing_tables(key)
        UNION SELECT unnest(ARRAY[conrelid, confrelid]) FROM _changing_foreign_keys(key)
        UNION SELECT _key_sequence(key) WHERE layout IS NOT NULL), max_wait);
    key := _refuse(_check_unchanged(key), 2);
    SELECT * INTO missing
    FROM (SELECT format('table %s is not filled', relation) FROM _unvalidated("table")
          UNION ALL
          SELECT format('index "%s" has no valid counterpart', name)
          FROM _changing_indexes(key)
          WHERE NOT EXISTS (SELECT FROM pg_index
                            WHERE indexrelid = to_regclass(format('%I.%I', schema, shadow))
                              AND indisvalid)) AS s
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the steps before the last are not complete: %', missing
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Ask for the steps that remain, and execute all of them.';
    END IF;
    IF layout IS NOT NULL THEN
        generator := (_snowflake_default(key, node, layout)).generator;
    END IF;
    statements := ARRAY(SELECT _exchange_statements(key))
        || ('ALTER TABLE ' || "table" || format(' ALTER COLUMN %I SET DEFAULT ', "column")
            || generator)
        || ARRAY(SELECT format('DROP FUNCTION %s', f) FROM unnest(functions) AS f
                 WHERE f <> functions[1] OR later IS NULL)
        || (format('COMMENT ON FUNCTION %s IS ', functions[1]) || quote_literal(state));
    PERFORM _execute_all(VARIADIC statements);
    IF later IS NULL THEN
        PERFORM _release("table");
    END IF;
END;
$$;

-- Removes what a conversion has left to know which constraints must be validated.
CREATE PROCEDURE _conversion_end("table" regclass)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET jit = off AS $$
DECLARE
    each record;
BEGIN
    "table" := _claim("table");
    FOR each IN SELECT * FROM _conversions() WHERE key_table = "table" LOOP
        IF each.data !~ '^[[]' OR EXISTS (
            SELECT FROM jsonb_array_elements(each.data::jsonb) AS v
                 JOIN pg_constraint ON conrelid = (v ->> 0)::oid AND conname = v ->> 1
            WHERE NOT convalidated) THEN
            RAISE EXCEPTION 'the steps before the last are not complete'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = 'Ask for the steps that remain, and execute all of them.';
        END IF;
        EXECUTE format('DROP FUNCTION %s', each.function);
    END LOOP;
    PERFORM _release("table");
END;
$$;
