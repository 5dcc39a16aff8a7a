----------------------------------------------------------------------
-- Existing tables under load: running and undoing the steps
----------------------------------------------------------------------

-- The owner of the schema can drop the table that stores the progress.  Then the
-- triggers tell what takes part.

CREATE FUNCTION objectid_ext_tools._live_lost("table" regclass, "column" name) RETURNS regclass[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    known regclass[] := ARRAY(SELECT p.relation FROM objectid_ext_tools._live_stores() AS s, objectid_ext_tools._live_progress(s) AS p);
BEGIN
    RETURN ARRAY(SELECT DISTINCT relation
                 FROM objectid_ext_tools._referring_columns("table", "column") JOIN pg_trigger ON tgrelid = relation JOIN pg_proc p ON p.oid = tgfoid
                 WHERE tgname = '~objectid_ext_conversion' AND proname LIKE E'\\_objectid\\_ext\\_%' AND objectid_ext_tools._is_own(proowner) AND relation <> ALL (known));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_lost(regclass, name) IS 'internal: tables with the trigger of a conversion whose progress is not stored any more';

CREATE FUNCTION objectid_ext_tools._live_check_begun("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    hint text;
BEGIN
    IF "table" IS NULL AND "column" IS NULL THEN
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._check_owner(ARRAY["table"]);
    IF to_regclass(objectid_ext_tools._live_state("table", "column")) IS NULL AND (objectid_ext_tools._live_lost("table", "column") = '{}') IS NOT FALSE THEN
        SELECT CASE WHEN NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = r.root AND attname = r.attribute)
                    THEN 'A column of this table was dropped while it was being converted; use undo_conversion(NULL, NULL).'
                    WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = s AND attname = 'definition')
                    THEN 'Only foreign keys remain to be validated; call the function that returned the steps again.'
                    ELSE format('Column "%s" of this table is being converted.', r.attribute) END
        INTO hint FROM objectid_ext_tools._live_stores() s, objectid_ext_tools._live_root(s) r WHERE r.root = "table" LIMIT 1;
        RAISE EXCEPTION 'column "%" of table % is not being converted', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = coalesce(hint, 'The view conversion_progress shows the conversions that have begun.');
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_begun(regclass, name) IS 'internal: raises an error if there is no conversion';

CREATE FUNCTION objectid_ext_tools._live_undo_tables(state text, lost regclass[]) RETURNS regclass[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tables regclass[] := ARRAY(SELECT s.relation FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s JOIN pg_class ON oid = s.relation) || lost;
BEGIN
    RETURN objectid_ext_tools._live_tree(tables || ARRAY(SELECT objectid_ext_tools._live_left(objectid_ext_tools._live_tree(tables))));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_undo_tables(text, regclass[]) IS 'internal: tables to which a conversion has added something';

CREATE FUNCTION objectid_ext_tools._live_undo(state text, lost regclass[], max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    tables regclass[] := objectid_ext_tools._live_undo_tables(state, lost);
    statements text[];
BEGIN
    PERFORM objectid_ext_tools._check_owner(tables);
    -- another session can undo the same if the converted table was dropped
    PERFORM objectid_ext_tools._live_lock(array_remove(ARRAY[to_regclass(state)], NULL) ||
                                          ARRAY(SELECT oid::regclass FROM pg_class WHERE oid = ANY (tables) AND relkind <> 'f' ORDER BY oid),
                                          'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._live_retry_unless(objectid_ext_tools._live_undo_tables(state, lost) = tables);
    statements := ARRAY(
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
        FROM pg_constraint
        WHERE contype = 'c' AND coninhcount = 0 AND conname LIKE E'\\_objectid\\_ext\\_%' AND conrelid = ANY (tables)
        UNION ALL
        SELECT format('ALTER TABLE %s DROP COLUMN %I', attrelid::regclass, attname)
        FROM pg_attribute
        WHERE attrelid = ANY (tables) AND attname LIKE E'\\_objectid\\_ext\\_%' AND attinhcount = 0 AND NOT attisdropped) ||
        objectid_ext_tools._live_drop_triggers(state, lost);
    PERFORM objectid_ext_tools._execute(statements);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_undo(text, regclass[], interval) IS 'internal: removes all that a conversion has added';

-- What a conversion has left whose table or column was dropped

CREATE FUNCTION objectid_ext_tools._live_undo_dropped(max_wait interval) RETURNS float8
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    store regclass;
BEGIN
    SELECT s INTO store FROM objectid_ext_tools._live_stores() s, objectid_ext_tools._live_root(s) r
    WHERE r.root IS NOT NULL AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = r.root AND attname = r.attribute)
    LIMIT 1;
    IF store IS NULL THEN
        PERFORM objectid_ext_tools._execute(ARRAY(SELECT objectid_ext_tools._live_unused()));
        RETURN NULL;
    END IF;
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = store AND attname = 'definition') THEN
        -- foreign keys between other tables
        PERFORM objectid_ext_tools._live_lock(ARRAY[store], 'SHARE UPDATE EXCLUSIVE', max_wait);
        RETURN coalesce(objectid_ext_tools._live_finish_late(store::text, max_wait), 0);
    END IF;
    PERFORM objectid_ext_tools._live_undo(store::text, '{}', max_wait);
    RETURN 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_undo_dropped(interval) IS 'internal: removes what a conversion of a dropped table or column has added; returns the seconds to wait before it is called again, and NULL at the end';

CREATE FUNCTION objectid_ext_tools._live_step(
    phase text,
    "table" regclass,
    "column" name,
    to_type regtype,
    max_wait interval,
    rows_per_second integer,
    node integer,
    layout snowflake_layout
) RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
BEGIN
    IF phase = 'undo' THEN
        PERFORM objectid_ext_tools._live_undo(objectid_ext_tools._live_state("table", "column"), objectid_ext_tools._live_lost("table", "column"), max_wait);
        RETURN NULL;
    END IF;
    IF phase <> 'fill' THEN
        -- fill checks the table that it changes
        PERFORM objectid_ext_tools._live_check_rights("table", "column", to_type);
    END IF;
    IF phase = 'check' THEN
        PERFORM objectid_ext_tools._live_check("table", "column", to_type);
        RETURN NULL;
    END IF;
    RETURN CASE phase
               WHEN 'begin' THEN objectid_ext_tools._live_begin("table", "column", to_type, max_wait)
               WHEN 'fill' THEN objectid_ext_tools._live_fill("table", "column", to_type, max_wait, rows_per_second)
               WHEN 'validate' THEN objectid_ext_tools._live_validate("table", "column", to_type, max_wait)
               WHEN 'finish' THEN objectid_ext_tools._live_finish("table", "column", to_type, max_wait, node, layout)
               WHEN 'undo dropped' THEN objectid_ext_tools._live_undo_dropped(max_wait)
           END;
EXCEPTION
    WHEN lock_not_available OR deadlock_detected THEN
        -- let those who wait for us work
        RETURN extract(epoch FROM max_wait) * (0.5 + random());
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_step(text, regclass, name, regtype, interval, integer, integer, snowflake_layout) IS 'internal: one transaction of a phase of a conversion; returns the seconds to wait before the next, and NULL at the end';

-- A procedure that commits cannot set a search_path, so the bodies of these name
-- the schema of everything, with arguments of exactly the right types.

CREATE PROCEDURE objectid_ext_tools._convert_live(
    phase text,
    "table" regclass,
    "column" name,
    to_type regtype,
    max_wait interval,
    rows_per_second integer DEFAULT NULL,
    node integer DEFAULT NULL,
    layout snowflake_layout DEFAULT NULL
)
LANGUAGE plpgsql
AS $$
DECLARE
    pause pg_catalog.float8;
BEGIN
    PERFORM objectid_ext_tools._live_check_rights("table", "column", to_type);
    IF phase OPERATOR(pg_catalog.=) ANY (ARRAY['fill', 'check', 'validate']::pg_catalog.text[]) THEN
        PERFORM objectid_ext_tools._live_check_begun("table", "column");
    END IF;
    PERFORM objectid_ext_tools._live_claim("table", "column", true);
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        pause := objectid_ext_tools._live_step(phase, "table", "column", to_type, max_wait, rows_per_second, node, layout);
        EXIT WHEN pause IS NULL;
        COMMIT;
        PERFORM pg_catalog.pg_sleep(pause);
    END LOOP;
    IF phase OPERATOR(pg_catalog.=) 'finish' THEN
        COMMIT;
        PERFORM objectid_ext_tools._live_release("table");
    END IF;
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools._convert_live(text, regclass, name, regtype, interval, integer, integer, snowflake_layout) IS 'internal: a phase of a conversion, in many transactions';

CREATE PROCEDURE objectid_ext_tools.undo_conversion("table" regclass, "column" name, max_wait interval DEFAULT '1 s')
LANGUAGE plpgsql
AS $$
DECLARE
    pause pg_catalog.float8;
BEGIN
    PERFORM objectid_ext_tools._check_wait(max_wait);
    PERFORM objectid_ext_tools._live_check_begun("table", "column");
    PERFORM objectid_ext_tools._live_claim("table", "column", true);
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        pause := objectid_ext_tools._live_step(CASE WHEN "table" IS NULL THEN 'undo dropped' ELSE 'undo' END, "table", "column", NULL::pg_catalog.regtype, max_wait, NULL::integer, NULL::integer, NULL);
        EXIT WHEN pause IS NULL;
        COMMIT;
        PERFORM pg_catalog.pg_sleep(pause);
    END LOOP;
    COMMIT;
    PERFORM objectid_ext_tools._live_release("table");
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools.undo_conversion(regclass, name, interval) IS 'removes all that an incomplete conversion by snowflake_conversion_steps() or objectid_conversion_steps() has added, or, with NULL, conversions of tables and columns that were dropped; other statements wait at most max_wait for its locks';
