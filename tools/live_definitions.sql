----------------------------------------------------------------------
-- Existing tables under load: definitions of indexes and constraints
----------------------------------------------------------------------

-- How the definition of an index or constraint reads with the shadow columns: a
-- temporary table like the table gets it, and PostgreSQL changes types and names.
-- As pg_dump does, it is printed with settings that lose no digit and no time zone.

CREATE FUNCTION objectid_ext_tools._live_index_key(index regclass) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $$
BEGIN
    RETURN (SELECT CASE WHEN starts_with(definition, beginning) THEN substr(definition, length(beginning) + 1)
                ELSE substr(definition, strpos(definition, ' USING ') + 7) END
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_class t ON t.oid = indrelid JOIN pg_namespace n ON n.oid = t.relnamespace,
         format('CREATE %sINDEX %I ON %s%I.%I USING ', CASE WHEN indisunique THEN 'UNIQUE ' END, i.relname,
                CASE t.relkind WHEN 'p' THEN 'ONLY ' END, nspname, t.relname) AS beginning,
         pg_get_indexdef(indexrelid) AS definition
    WHERE indexrelid = index);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_index_key(regclass) IS 'internal: definition of an index from its access method on';

-- Sessions create indexes with their own settings.  So a definition must mean the
-- same with any standard_conforming_strings and search_path, also if somebody creates
-- a function or operator in a schema of it meanwhile: all are named with their schemas.
-- An operator has a space on either side; the = of an option of the index does not.

CREATE FUNCTION objectid_ext_tools._live_qualified(definition text, schemas jsonb) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(CASE WHEN strpos(t[1], chr(92)) > 0 THEN 'E' || replace(t[1], chr(92), repeat(chr(92), 2))
                           WHEN schemas ? t[2] THEN concat(schemas ->> t[2], '.', t[2])
                           WHEN t[3] <> '=>' THEN format('OPERATOR(%s.%s)', coalesce(schemas ->> t[3], 'pg_catalog'), t[3])
                           ELSE coalesce(t[1], t[2], t[3], t[4]) END, '' ORDER BY n)
    FROM regexp_matches(definition, $re$('(?:[^']|'')*')|(?<![\w.:"])("(?:[^"]|"")*"|\w+)(?=\()|(?<=[ (])([-+*/<>=~!@#%^&|`?]+)(?= )|("(?:[^"]|"")*"|\w+|.)$re$, 'g')
         WITH ORDINALITY AS tokens (t, n)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_qualified(text, jsonb) IS 'internal: definition of an index or constraint that means the same with any settings; schemas of functions and operators that it uses, by their names, quoted if necessary';

-- What the stored expressions of an index or constraint mean, wherever it stands

CREATE FUNCTION objectid_ext_tools._live_meaning(kind text, object oid, with_columns boolean) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- a cast that was implicit is printed
    SELECT regexp_replace(trees, format(' :(location|funcformat|relabelformat|coerceformat%s) -?[0-9]+', CASE WHEN NOT with_columns THEN '|varattno|varattnosyn|varoattno' END), '', 'g')
    FROM (SELECT concat_ws(' ', indclass, indcollation, indoption, indexprs, indpred) FROM pg_index WHERE kind = 'index' AND indexrelid = object
          UNION ALL
          SELECT conbin::text FROM pg_constraint WHERE kind = 'check' AND oid = object) AS s (trees)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_meaning(text, oid, boolean) IS 'internal: operators, functions and constants of an index or check constraint, with the numbers of columns in expressions or without, to be compared';

-- A row value that is stored in an expression, or made of a list of values, would be
-- read with other columns.  A null is read as a null.

CREATE FUNCTION objectid_ext_tools._live_row_values(tables regclass[], OUT relation oid, OUT class oid, OUT object oid) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT DISTINCT c.oid, d.classid, d.objid
    FROM pg_class c JOIN pg_type t ON t.oid = c.reltype
         JOIN pg_depend d ON d.refclassid = 'pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray)
         CROSS JOIN LATERAL (
             SELECT concat(ev_action, ev_qual) FROM pg_rewrite r WHERE d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
             UNION ALL
             SELECT concat(prosqlbody, proargdefaults) FROM pg_proc p WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid
             UNION ALL
             SELECT adbin::text FROM pg_attrdef a WHERE d.classid = 'pg_attrdef'::regclass AND a.oid = d.objid
             UNION ALL
             SELECT conbin::text FROM pg_constraint k WHERE d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
             UNION ALL
             SELECT concat(indexprs, indpred) FROM pg_index WHERE d.classid = 'pg_class'::regclass AND indexrelid = d.objid
             UNION ALL
             SELECT concat(polqual, polwithcheck) FROM pg_policy p WHERE d.classid = 'pg_policy'::regclass AND p.oid = d.objid
             UNION ALL
             SELECT tgqual::text FROM pg_trigger g WHERE d.classid = 'pg_trigger'::regclass AND g.oid = d.objid
         ) AS s (expression)
    WHERE c.oid = ANY (tables)
      AND (expression LIKE format('%% :row_typeid %s %%', t.oid) OR expression ~ format('[{]CONST :consttype (%s|%s) [^{}]*:constisnull false', t.oid, t.typarray))
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_row_values(regclass[]) IS 'internal: objects whose stored expressions contain values of the row types of tables';

-- A whole row gets other columns.  What an index has computed of it would be wrong
-- from the first step on.  A trigger that only compares OLD with NEW stays right.  In
-- statistics objects, generated columns and partition keys, there are no whole rows.

CREATE FUNCTION objectid_ext_tools._live_whole_rows(tables regclass[], OUT relation regclass, OUT object text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH used (relation, class, object) AS (
        SELECT c.oid, s.class, s.object
        FROM pg_class c, LATERAL (
            SELECT 'pg_class'::regclass, indexrelid, concat_ws(' ', indexprs, indpred) FROM pg_index WHERE indrelid = c.oid
            UNION ALL
            SELECT 'pg_constraint'::regclass, k.oid, conbin::text FROM pg_constraint k WHERE conrelid = c.oid
            UNION ALL
            SELECT 'pg_policy'::regclass, p.oid, concat_ws(' ', polqual, polwithcheck) FROM pg_policy p WHERE polrelid = c.oid
            UNION ALL
            SELECT 'pg_trigger'::regclass, t.oid, regexp_replace(tgqual::text,
                       '[{](DISTINCTEXPR|OPEXPR) [^{}]*:args [(][{]VAR :varno [12] :varattno 0 [^{}]*[}] [{]VAR :varno [12] :varattno 0 [^{}]*[}][)]', '', 'g')
            FROM pg_trigger t WHERE tgrelid = c.oid AND tgparentid = 0
        ) AS s (class, object, expression)
        WHERE c.oid = ANY (tables) AND expression LIKE format('%% :varattno 0 :vartype %s %%', reltype)
        UNION
        SELECT * FROM objectid_ext_tools._live_row_values(tables)
    )
    SELECT u.relation::regclass, pg_describe_object(u.class, u.object, 0) FROM used u ORDER BY u.relation, u.class, u.object
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_whole_rows(regclass[]) IS 'internal: indexes, check constraints, policies and triggers of tables that use whole rows, and what contains values of their row types';

-- If two have one name, the definition is refused when it is tried.

CREATE FUNCTION objectid_ext_tools._live_schemas(meaning text) RETURNS jsonb
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(jsonb_object_agg(name, quote_ident(nspname)), '{}')
    FROM (SELECT quote_ident(proname), pronamespace FROM regexp_matches(meaning, ' :funcid ([0-9]+)', 'g') AS f JOIN pg_proc p ON p.oid = f[1]::oid
          UNION ALL
          SELECT oprname, oprnamespace FROM regexp_matches(meaning, ' :opno ([0-9]+)', 'g') AS o JOIN pg_operator p ON p.oid = o[1]::oid
         ) AS used (name, namespace) JOIN pg_namespace n ON n.oid = namespace
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_schemas(text) IS 'internal: schemas of the functions and operators in the meaning of an index or constraint, by their names';

-- The definition of an index is printed as the session needs it to find types,
-- collations and operator classes, and is tried like that.  While its path is set,
-- nothing here looks up a name without a schema.

CREATE FUNCTION objectid_ext_tools._live_printed(kind text, object oid, path text, OUT definition text, OUT predicate text)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $$
BEGIN
    IF kind <> 'index' THEN
        definition := pg_get_constraintdef(object);
        RETURN;
    END IF;
    PERFORM set_config('search_path', path, true);
    definition := pg_catalog.pg_get_indexdef(object);
    predicate := (SELECT pg_catalog.pg_get_expr(indpred, indrelid) FROM pg_catalog.pg_index WHERE indexrelid OPERATOR(pg_catalog.=) object);
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
    definition := substr(definition, strpos(definition, ' USING ') + 7);
    predicate := ' WHERE ' || predicate;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_printed(text, oid, text) IS 'internal: definition of the index of a temporary table from its access method on, for a session with that search_path, and the predicate at its end; or of a constraint';

CREATE FUNCTION objectid_ext_tools._live_model(kind text, relation regclass, object oid, to_type regtype, "columns" name[], "values" text[]) RETURNS oid
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
SET quote_all_identifiers = off
SET standard_conforming_strings = on
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
SET default_table_access_method = heap
AS $$
DECLARE
    shadow name;
    part oid;
BEGIN
    EXECUTE format('CREATE TEMPORARY TABLE _objectid_ext_model (LIKE %s)', relation);
    -- that has locked the table; what follows evaluates its expressions
    PERFORM objectid_ext_tools._check_owner(ARRAY[relation]);
    IF kind = 'index' THEN
        EXECUTE 'CREATE INDEX _objectid_ext_part ON pg_temp._objectid_ext_model USING ' || objectid_ext_tools._live_index_key(object);
        part := 'pg_temp._objectid_ext_part'::regclass;
    ELSE
        EXECUTE 'ALTER TABLE pg_temp._objectid_ext_model ADD CONSTRAINT _objectid_ext_part ' || pg_get_constraintdef(object);
        part := (SELECT oid FROM pg_constraint WHERE conrelid = 'pg_temp._objectid_ext_model'::regclass AND conname = '_objectid_ext_part');
    END IF;
    IF objectid_ext_tools._live_meaning(kind, object, false) <> objectid_ext_tools._live_meaning(kind, part, false) THEN
        RAISE EXCEPTION 'its definition has another meaning with another search_path' USING ERRCODE = 'ambiguous_function';
    END IF;
    FOR n IN 1 .. cardinality("columns") LOOP
        shadow := objectid_ext_tools._live_name("columns"[n]);
        EXECUTE format('ALTER TABLE pg_temp._objectid_ext_model DROP COLUMN IF EXISTS %I, ALTER COLUMN %I TYPE %s USING %s',
                       shadow, "columns"[n], to_type, "values"[n]);
        EXECUTE format('ALTER TABLE pg_temp._objectid_ext_model RENAME COLUMN %I TO %I', "columns"[n], shadow);
    END LOOP;
    -- an index has got another OID
    RETURN (SELECT indexrelid FROM pg_index WHERE kind = 'index' AND indrelid = 'pg_temp._objectid_ext_model'::regclass
            UNION ALL SELECT oid FROM pg_constraint WHERE kind <> 'index' AND conrelid = 'pg_temp._objectid_ext_model'::regclass AND conname = '_objectid_ext_part');
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_model(text, regclass, oid, regtype, name[], text[]) IS 'internal: creates a temporary table with shadow columns and one index or check constraint; returns the OID of the latter';

CREATE FUNCTION objectid_ext_tools._live_definition(kind text, relation regclass, object oid, to_type regtype, "columns" name[], "values" text[], path text) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    part oid;
    meaning text;
    printed record;
    tablespace text := (SELECT format(' TABLESPACE %I', spcname)
                        FROM pg_class JOIN pg_database ON datname = current_database()
                             JOIN pg_tablespace s ON s.oid = coalesce(nullif(reltablespace, 0), CASE WHEN current_setting('default_tablespace') <> '' THEN dattablespace END)
                        WHERE kind = 'index' AND pg_class.oid = object);
    definition text;
    again text;
    name text := CASE kind WHEN 'index' THEN format('index %s', object::regclass)
                           ELSE (SELECT format('check constraint "%s" of table %s', conname, relation) FROM pg_constraint WHERE oid = object) END;
BEGIN
    BEGIN
        part := objectid_ext_tools._live_model(kind, relation, object, to_type, "columns", "values");
        meaning := objectid_ext_tools._live_meaning(kind, part, true);
        printed := objectid_ext_tools._live_printed(kind, part, path);
        definition := objectid_ext_tools._live_qualified(printed.definition, objectid_ext_tools._live_schemas(meaning));
        IF kind = 'index' THEN
            again := 'CREATE INDEX _objectid_ext_again ON pg_temp._objectid_ext_model USING ' || definition;
            PERFORM set_config('search_path', path, true);
            EXECUTE again;
            PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
            IF objectid_ext_tools._live_meaning(kind, 'pg_temp._objectid_ext_again'::regclass, true) <> meaning THEN
                RAISE EXCEPTION 'its definition has another meaning with another search_path' USING ERRCODE = 'ambiguous_function';
            END IF;
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'OBJID', MESSAGE = 'the temporary table is not needed any more';
    EXCEPTION
        WHEN SQLSTATE 'OBJID' THEN
            NULL;
        WHEN lock_not_available OR deadlock_detected OR insufficient_resources OR serialization_failure OR read_only_sql_transaction THEN
            RAISE;
        WHEN others THEN
            RAISE EXCEPTION '% cannot be created for type %: %', name, to_type, sqlerrm
                USING ERRCODE = 'feature_not_supported', HINT = 'Drop it, convert the column, and create it again.';
    END;
    -- pg_get_indexdef() omits the tablespace, which is before the predicate
    RETURN concat(left(definition, length(definition) - length(predicate)), tablespace, predicate)
    FROM coalesce(objectid_ext_tools._live_qualified(printed.predicate, objectid_ext_tools._live_schemas(meaning)), '') AS predicate;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_definition(text, regclass, oid, regtype, name[], text[], text) IS 'internal: definition of an index or check constraint, with shadow columns in the place of the converted ones, for a session with that search_path';
