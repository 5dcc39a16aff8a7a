----------------------------------------------------------------------
-- Existing tables under load: names, state and triggers
----------------------------------------------------------------------

-- Each column whose type changes gets a shadow column beside it, which a trigger
-- keeps equal.  Existing rows are filled in small transactions.  Indexes and
-- constraints of the shadow columns are created while other sessions write.
-- Finally, one short transaction replaces the old columns with the shadow columns.
--
-- What has been done is read from the catalog.  Only the progress of filling is
-- stored, in a table in the schema of the converted one.  Nothing depends on this
-- extension during the conversion; the trigger does not call its functions.
--
-- Statements of users must not fail and must not wait for long:
--
-- - A transaction waits for each lock for less than deadlock_timeout, and for all of
--   them for less than max_wait.  After that, it is rolled back and retried later.
-- - Filling skips rows that are locked, so it never waits while it holds others.
-- - Filling does not fire the triggers of users.

CREATE FUNCTION objectid_ext_tools._live_name(object text) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT '_objectid_ext_' || left(md5(object), 16)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_name(text) IS 'internal: name of what stands beside an object during a conversion; from its definition, because OIDs do not survive dump and restore';

-- Tables and columns can be renamed meanwhile.  So a row of these tables tells whose
-- conversion it is, and they are found by that if they do not have the expected name.

CREATE FUNCTION objectid_ext_tools._live_stores() RETURNS SETOF regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.oid::regclass
    FROM pg_class c
    WHERE relname LIKE E'\\_objectid\\_ext\\_%' AND relkind = 'r' AND objectid_ext_tools._is_own(relowner) AND NOT row_security_active(c.oid)
      AND has_schema_privilege(relnamespace, 'USAGE')
      AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'root' AND atttypid = 'regclass'::regtype)
    ORDER BY c.oid
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_stores() IS 'internal: tables of this role that store the progress of a conversion or what remains to be validated';

-- A query would look their names up again, and find whatever has taken them: a view
-- of another role, for example.  These read what has the OID, and run nothing.

CREATE FUNCTION objectid_ext_tools._live_progress(
    store regclass,
    OUT relation regclass,
    OUT filenode oid,
    OUT pages bigint,
    OUT page bigint,
    OUT "rows" bigint,
    OUT batch integer,
    OUT started timestamptz,
    OUT seconds float8,
    OUT wait oid,
    OUT root regclass,
    OUT attribute name
) RETURNS SETOF record
LANGUAGE c STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'stored_rows';
COMMENT ON FUNCTION objectid_ext_tools._live_progress(regclass) IS 'internal: the progress of a conversion, from the table that stores it; no rows if that is another table, or one that the current role may not read';

CREATE FUNCTION objectid_ext_tools._live_late_keys(
    store regclass,
    OUT relation regclass,
    OUT name name,
    OUT key oid,
    OUT definition text,
    OUT comment text,
    OUT attributes smallint[],
    OUT referred regclass,
    OUT referred_attributes smallint[],
    OUT parent regclass,
    OUT parent_name name,
    OUT root regclass,
    OUT attribute name
) RETURNS SETOF record
LANGUAGE c STABLE STRICT PARALLEL RESTRICTED
AS 'MODULE_PATHNAME', 'stored_rows';
COMMENT ON FUNCTION objectid_ext_tools._live_late_keys(regclass) IS 'internal: foreign keys that are not validated yet after the columns were replaced, from the table that stores them; no rows if that is another table, or one that the current role may not read';

-- The check of a shadow column uses the column beside it, whatever its name is now.

CREATE FUNCTION objectid_ext_tools._live_beside(relation regclass, shadow name) RETURNS name
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN (
        SELECT o.attname
        FROM pg_attribute s JOIN pg_constraint ON conrelid = s.attrelid AND contype = 'c' AND conname = objectid_ext_tools._live_name('= ' || s.attname)
             JOIN pg_attribute o ON o.attrelid = s.attrelid AND o.attnum = ANY (conkey) AND o.attnum <> s.attnum
        WHERE s.attrelid = relation AND s.attname = shadow
    );
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_beside(regclass, name) IS 'internal: name of the column beside a shadow column';

CREATE FUNCTION objectid_ext_tools._live_root(store regclass, OUT root regclass, OUT attribute name)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT s.root, coalesce(-- after the columns were replaced; another one can have the name, and be converted
                            (SELECT CASE WHEN attisdropped THEN '' ELSE a.attname END FROM pg_attribute a WHERE attrelid = s.root AND attnum = s.num),
                            objectid_ext_tools._live_beside(s.root, objectid_ext_tools._live_name(s.attribute)),
                            -- before it has a shadow column, its trigger is one of this column
                            (SELECT a.attname FROM pg_trigger JOIN pg_attribute a ON attrelid = tgrelid AND attnum = tgattr[0]
                             WHERE s.num IS NULL AND tgrelid = s.root AND tgname = '~objectid_ext_conversion' AND NOT attisdropped),
                            s.attribute)
    FROM (SELECT p.root, p.attribute, NULL::smallint AS num FROM objectid_ext_tools._live_progress(store) p
          -- in a copy by pg_dump, columns have other numbers, and tables other OIDs
          UNION ALL SELECT k.root, k.attribute, CASE k.key WHEN k.root THEN k.attributes[1] ELSE 0 END FROM objectid_ext_tools._live_late_keys(store) k) AS s
    WHERE s.root IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_root(regclass) IS 'internal: table and column of a conversion, with its name of now, by a table that stores its progress; no name if the column was dropped after the columns were replaced';

CREATE FUNCTION objectid_ext_tools._live_store("table" regclass, "column" name, late boolean) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    expected text := (SELECT format('%I.%I', nspname, objectid_ext_tools._live_name(relname || '.' || "column" || CASE WHEN late THEN ' late' ELSE '' END))
                      FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = "table");
    each regclass := to_regclass(expected);
    r record;
BEGIN
    PERFORM objectid_ext_tools._live_own(expected, 'r');
    SELECT * INTO r FROM objectid_ext_tools._live_root(each);
    IF r.root = "table" AND r.attribute = "column" THEN
        RETURN expected;
    END IF;
    FOR each IN
        SELECT s FROM objectid_ext_tools._live_stores() AS s WHERE late = EXISTS (SELECT FROM pg_attribute WHERE attrelid = s AND attname = 'definition')
    LOOP
        SELECT * INTO r FROM objectid_ext_tools._live_root(each);
        IF r.root = "table" AND r.attribute = "column" THEN
            RETURN each;
        END IF;
    END LOOP;
    IF to_regclass(expected) IS NOT NULL THEN
        SELECT * INTO r FROM objectid_ext_tools._live_root(to_regclass(expected));
        IF r.root = "table" AND r.attribute <> '' THEN
            RAISE EXCEPTION 'column "%" of table % was renamed to "%"', "column", "table", r.attribute
                USING ERRCODE = 'undefined_column', DETAIL = 'Its conversion has begun.', HINT = 'Call the function with the new name.';
        END IF;
        RAISE EXCEPTION 'relation % belongs to another conversion', expected
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'Its table was renamed or dropped.',
                  HINT = 'Complete that conversion, or undo it by undo_conversion(); undo_conversion(NULL, NULL) does so for tables that were dropped.';
    END IF;
    RETURN expected;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_store(regclass, name, boolean) IS 'internal: name of a table that stores the progress of a conversion, or what remains to be validated late, whether it exists or not';

CREATE FUNCTION objectid_ext_tools._live_state("table" regclass, "column" name) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_store("table", "column", false);
BEGIN
    PERFORM objectid_ext_tools._live_own(state || suffix, kind) FROM (VALUES ('_past', 'r'::"char"), ('_recent', 'r'), ('_ids', 'S')) AS own (suffix, kind);
    RETURN state;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_state(regclass, name) IS 'internal: name of the table that stores the progress of a conversion; an error if another role has made it';

CREATE FUNCTION objectid_ext_tools._live_value(attribute name, attribute_type regtype, to_type regtype) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format(CASE attribute_type WHEN 'character'::regtype THEN '(%I)::pg_catalog.text::%s' ELSE '(%I)::%s' END, attribute, to_type)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_value(name, regtype, regtype) IS 'internal: value of a shadow column, by the column beside it';

CREATE FUNCTION objectid_ext_tools._live_columns(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT relation regclass,
    OUT attribute name,
    OUT attribute_type regtype,
    OUT inherited boolean,
    OUT shadow name,
    OUT value text,
    OUT assignment text
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT r.relation, r.attribute, r.attribute_type, r.inherited, objectid_ext_tools._live_name(r.attribute),
           objectid_ext_tools._live_value(r.attribute, r.attribute_type, to_type),
           -- an assignment converts text without the name of the type, so roles that
           -- write the table need no privilege on its schema
           format('NEW.%I := ' || CASE WHEN r.attribute_type IN ('character'::regtype, 'jsonb'::regtype) THEN '(NEW.%I)::pg_catalog.text; '
                                       WHEN r.attribute_type = 'bytea'::regtype THEN 'pg_catalog.encode(NEW.%I, ''hex''); ' ELSE 'NEW.%I; ' END,
                  objectid_ext_tools._live_name(r.attribute), r.attribute)
    FROM objectid_ext_tools._referring_columns("table", "column") r
    WHERE r.attribute_type <> to_type;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_columns(regclass, name, regtype) IS 'internal: columns whose type a conversion changes, with the names of their shadow columns, the values of these, and how a trigger assigns them';

-- What an index or constraint would be called is computed from its definition,
-- so that the one beside it is not used after the definition has changed.  What is
-- late is made when the columns are replaced: constraints of partitioned tables that
-- need an index, and foreign keys.  Of two foreign keys beside each other, the actions
-- and checks of either could come first, as their OIDs are.

CREATE FUNCTION objectid_ext_tools._live_objects(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT kind text,
    OUT relation regclass,
    OUT object oid,
    OUT object_name name,
    OUT shadow name,
    OUT state text
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
SET timezone = 'UTC'
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH key AS MATERIALIZED (
        SELECT a.attrelid, a.attnum
        FROM objectid_ext_tools._live_columns("table", "column", to_type) l
             JOIN pg_attribute a ON a.attrelid = l.relation AND a.attname = l.attribute
    ), old (kind, relation, object, object_name, shadow, namespace, validated, late) AS (
        SELECT 'index', indrelid, indexrelid, relname, objectid_ext_tools._live_name(pg_get_indexdef(indexrelid)), relnamespace, true,
               relkind = 'I' AND EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)
        FROM pg_index JOIN pg_class c ON c.oid = indexrelid
        WHERE EXISTS (SELECT FROM key WHERE attrelid = indrelid
                      AND (attnum = ANY (indkey)
                           OR EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid
                                      AND refclassid = 'pg_class'::regclass AND refobjid = indrelid AND refobjsubid = attnum)))
        UNION ALL
        SELECT CASE contype WHEN 'f' THEN 'foreign key' ELSE 'check' END, conrelid, oid, conname,
               objectid_ext_tools._live_name(conname || ' ' || pg_get_constraintdef(oid)), 0, convalidated, contype = 'f'
        FROM pg_constraint
        WHERE contype = 'c' AND coninhcount = 0 AND EXISTS (SELECT FROM key WHERE attrelid = conrelid AND attnum = ANY (conkey))
           OR oid IN (SELECT objectid_ext_tools._foreign_keys("table", "column", to_type))
    )
    SELECT o.kind, o.relation::regclass, o.object, o.object_name, o.shadow,
           CASE WHEN o.late THEN 'late'
                WHEN i.indisvalid OR c.convalidated OR NOT o.validated AND c.oid IS NOT NULL THEN 'done'
                WHEN n.oid IS NOT NULL OR c.oid IS NOT NULL THEN 'begun'
                ELSE 'missing' END
    FROM old o
         LEFT JOIN pg_class n ON n.relname = o.shadow AND n.relnamespace = o.namespace
         LEFT JOIN pg_index i ON i.indexrelid = n.oid AND i.indrelid = o.relation
         LEFT JOIN pg_constraint c ON c.conrelid = o.relation AND c.conname = o.shadow AND o.kind <> 'index'
    WHERE o.object_name NOT LIKE E'\\_objectid\\_ext\\_%'
    ORDER BY o.kind DESC, o.relation::text COLLATE "C", o.object_name;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_objects(regclass, name, regtype) IS 'internal: indexes and constraints of columns whose type a conversion changes, with the names of those of the shadow columns, and how far these are';

-- Objects of the shadow columns that belong to none: of an index that was dropped,
-- renamed or changed, or of an interrupted CREATE INDEX CONCURRENTLY.

CREATE FUNCTION objectid_ext_tools._live_strays(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT relation regclass,
    OUT index_name text,
    OUT constraint_name name
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH wanted AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._live_objects("table", "column", to_type)
    ), converted AS MATERIALIZED (
        SELECT l.relation AS oid, array_agg(objectid_ext_tools._live_name(prefix || l.shadow)) AS own
        FROM objectid_ext_tools._live_columns("table", "column", to_type) l, unnest(ARRAY['= ', 'not null ']) AS prefix GROUP BY 1
    ), index (relation, oid, name) AS MATERIALIZED (
        SELECT indrelid::regclass, indexrelid, format('%I.%I', nspname, relname)
        FROM converted JOIN pg_index ON indrelid = converted.oid JOIN pg_class c ON c.oid = indexrelid JOIN pg_namespace n ON n.oid = relnamespace
        WHERE relname LIKE E'\\_objectid\\_ext\\_%'
          AND NOT EXISTS (SELECT FROM wanted w WHERE w.kind = 'index' AND w.relation = indrelid AND w.shadow = relname AND (w.state = 'done' OR relkind = 'I'))
          AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid)
    )
    SELECT relation, name, NULL::name FROM index
    UNION ALL
    SELECT conrelid::regclass, NULL, conname
    FROM converted JOIN pg_constraint c ON conrelid = converted.oid
    WHERE conname LIKE E'\\_objectid\\_ext\\_%' AND contype = 'c' AND coninhcount = 0 AND conname <> ALL (own)
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.relation = conrelid AND w.shadow = conname)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_strays(regclass, name, regtype) IS 'internal: indexes and constraints of shadow columns that are not valid, or that the converted columns do not have';

-- Whoever has made a function of this name before must not keep rights on ours.

CREATE FUNCTION objectid_ext_tools._live_create_trigger(relation regclass, firing text, options text, body text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    owner name;
    function text;
BEGIN
    -- the table can have been renamed since
    SELECT pg_get_userbyid(relowner), format('%I.%I', coalesce(m.nspname, n.nspname), coalesce(proname, objectid_ext_tools._live_name(relname))) INTO owner, function
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
         LEFT JOIN pg_trigger ON tgrelid = c.oid AND tgname = '~objectid_ext_conversion'
         LEFT JOIN pg_proc p ON p.oid = tgfoid LEFT JOIN pg_namespace m ON m.oid = pronamespace
    WHERE c.oid = relation;
    IF EXISTS (SELECT FROM pg_proc WHERE oid = to_regprocedure(function || '()') AND pg_get_userbyid(proowner) <> owner) THEN
        RAISE EXCEPTION 'function %() belongs to another role than the table', function
            USING ERRCODE = 'duplicate_function', HINT = 'Drop the function.';
    END IF;
    IF EXISTS (SELECT FROM pg_trigger WHERE tgfoid = to_regprocedure(function || '()') AND tgrelid <> ALL (objectid_ext_tools._live_tree(ARRAY[relation]))) THEN
        RAISE EXCEPTION 'function %() belongs to the conversion of another table', function
            USING ERRCODE = 'duplicate_function', HINT = 'Complete that conversion first, or undo it.';
    END IF;
    EXECUTE format('CREATE OR REPLACE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql %s AS %L', function, options, body);
    EXECUTE format('ALTER FUNCTION %s() OWNER TO %I', function, owner);
    PERFORM objectid_ext_tools._live_revoke('pg_proc', to_regprocedure(function || '()'));
    EXECUTE format('COMMENT ON FUNCTION %s() IS %L', function, 'keeps columns during a conversion by objectid_ext_tools');
    EXECUTE format('CREATE OR REPLACE TRIGGER "~objectid_ext_conversion" %s ON %s FOR EACH ROW EXECUTE FUNCTION %s()', firing, relation, function);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER "~objectid_ext_conversion"', relation);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_create_trigger(regclass, text, text, text) IS 'internal: creates or replaces the trigger of a conversion and its function; an error if there is a function of another owner or table';
