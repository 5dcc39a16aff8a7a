----------------------------------------------------------------------
-- Existing tables under load: shadow columns and their values
----------------------------------------------------------------------

-- The first step: shadow columns, and the trigger, one table at a time.  Adding a
-- column without a default and a check that is not validated rewrites nothing.

CREATE FUNCTION objectid_ext_tools._live_condition(relation regclass, attribute name, to_type regtype, value text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- if the column is NOT NULL, this proves it to ALTER COLUMN SET NOT NULL;
    -- IS DISTINCT FROM would look the operator up
    SELECT format(CASE WHEN to_type = 'objectid_ext_tools._backfilled'::regtype
                       THEN CASE WHEN attnotnull THEN '%1$I IS NOT NULL AND %4$I IS NOT NULL' ELSE '(%1$I IS NULL) = (%4$I IS NULL)' END
                       ELSE CASE WHEN attnotnull THEN '%1$I IS NOT NULL AND %1$I OPERATOR(%2$s.=) %3$s'
                                 ELSE '(%1$I IS NULL) = (%4$I IS NULL) AND (%1$I OPERATOR(%2$s.=) %3$s) IS NOT FALSE' END END,
                  objectid_ext_tools._live_name(attribute), (SELECT typnamespace::regnamespace FROM pg_type WHERE oid = to_type), value, attribute)
    FROM pg_attribute WHERE attrelid = relation AND attname = attribute
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_condition(regclass, name, regtype, text) IS 'internal: what the check of a shadow column says';

-- NOT NULL can be set or dropped meanwhile.  A partition can have it where its parent
-- does not.

CREATE FUNCTION objectid_ext_tools._live_not_null(root regclass, attribute name, to_type regtype, value text) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH part AS (
        SELECT attrelid::regclass AS relation, conname,
               attnotnull AND attrelid <> root
               AND NOT EXISTS (SELECT FROM pg_inherits JOIN pg_attribute p ON p.attrelid = inhparent AND p.attname = attribute AND p.attnotnull WHERE inhrelid = a.attrelid) AS own
        FROM pg_attribute a LEFT JOIN pg_constraint ON conrelid = attrelid AND coninhcount = 0
                                                       AND conname = objectid_ext_tools._live_name('not null ' || objectid_ext_tools._live_name(attribute))
        WHERE attrelid = ANY (objectid_ext_tools._live_tree(ARRAY[root])) AND attname = attribute
          AND EXISTS (SELECT FROM pg_attribute s WHERE s.attrelid = a.attrelid AND s.attname = objectid_ext_tools._live_name(attribute))
    )
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %2$I CHECK (%s) NOT VALID', root, conname, objectid_ext_tools._live_condition(root, attribute, to_type, value))
    FROM pg_constraint c JOIN pg_attribute ON attrelid = conrelid AND attname = attribute
    WHERE conrelid = root AND conname = objectid_ext_tools._live_name('= ' || objectid_ext_tools._live_name(attribute))
      AND attnotnull <> (strpos(pg_get_constraintdef(c.oid), objectid_ext_tools._live_name(attribute) || ' IS NOT NULL') > 0)
    UNION ALL
    SELECT format(CASE WHEN own THEN 'ALTER TABLE %s ADD CONSTRAINT %I CHECK (%I IS NOT NULL) NOT VALID' ELSE 'ALTER TABLE %s DROP CONSTRAINT %I' END,
                  relation, objectid_ext_tools._live_name('not null ' || objectid_ext_tools._live_name(attribute)), objectid_ext_tools._live_name(attribute))
    FROM part WHERE own <> (conname IS NOT NULL);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_not_null(regclass, name, regtype, text) IS 'internal: statements that make the checks of a shadow column prove that there is no null, if the column beside it is NOT NULL';

CREATE FUNCTION objectid_ext_tools._live_begin_table(state text, relation regclass, to_type regtype, "columns" name[], "values" text[], body text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    past boolean := to_type = 'objectid_ext_tools._backfilled'::regtype;
    shadow name;
    grants text;
    additions text[] := '{}';
BEGIN
    IF past THEN
        PERFORM objectid_ext_tools._backfill_check_complete(state, relation);
    END IF;
    FOR n IN 1 .. cardinality("columns") LOOP
        shadow := objectid_ext_tools._live_name("columns"[n]);
        CONTINUE WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = shadow);
        additions := additions || format('ADD COLUMN %I %s', shadow, CASE WHEN past THEN 'bigint'::regtype ELSE to_type END) ||
            format('ADD CONSTRAINT %I CHECK (%s) NOT VALID', objectid_ext_tools._live_name('= ' || shadow),
                   objectid_ext_tools._live_condition(relation, "columns"[n], to_type, "values"[n]));
    END LOOP;
    IF additions <> '{}' THEN
        EXECUTE format('ALTER TABLE %s %s', relation, array_to_string(additions, ', '));
    END IF;
    FOR grants IN
        SELECT g FROM unnest("columns") AS c, unnest(objectid_ext_tools._live_tree(ARRAY[relation])) AS t, objectid_ext_tools._column_privileges(t, c, objectid_ext_tools._live_name(c)) AS g
    LOOP
        EXECUTE grants;
    END LOOP;
    IF past THEN
        PERFORM objectid_ext_tools._backfill_create_trigger(relation, 'BEFORE INSERT OR UPDATE', body);
    ELSE
        PERFORM objectid_ext_tools._live_create_trigger(relation, 'BEFORE INSERT OR UPDATE', '', body);
    END IF;
    -- partitioned tables have no rows of their own
    EXECUTE format('INSERT INTO %s (relation, filenode, pages) SELECT oid, CASE relkind WHEN ''p'' THEN 0 END, CASE relkind WHEN ''p'' THEN 0 END'
                   ' FROM pg_class WHERE oid = ANY ($1) ON CONFLICT (relation) DO UPDATE SET filenode = excluded.filenode, pages = excluded.pages WHERE $2', state)
        USING objectid_ext_tools._live_tree(ARRAY[relation]), additions <> '{}';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_begin_table(text, regclass, regtype, name[], text[], text) IS 'internal: adds shadow columns and the trigger that keeps them to a table';

-- Tables whose shadow columns or trigger are missing, or whose trigger or checks are
-- others than they should be: a column was renamed, or does not take part any more,
-- or NOT NULL was set or dropped

CREATE FUNCTION objectid_ext_tools._live_unbegun(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT relation regclass,
    OUT "columns" name[],
    OUT "values" text[],
    OUT body text,
    OUT missing name[]
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH state (name) AS MATERIALIZED (
        SELECT objectid_ext_tools._live_state("table", "column") WHERE to_type = 'objectid_ext_tools._backfilled'::regtype
    ), wanted AS (
        SELECT l.relation, array_agg(l.attribute ORDER BY l.attribute), array_agg(l.value ORDER BY l.attribute),
               -- a session keeps the types with which it has compiled the function
               concat('BEGIN ', string_agg(coalesce((SELECT objectid_ext_tools._backfill_assignment(name, l.attribute, l.shadow) FROM state), l.assignment), '' ORDER BY l.attribute),
                      'RETURN NEW; END -- ', string_agg(l.attribute_type::text, ', ' ORDER BY l.attribute)),
               array_remove(array_agg(CASE WHEN a.attname IS NULL THEN l.attribute END ORDER BY l.attribute), NULL),
               bool_or(objectid_ext_tools._live_beside(l.relation, l.shadow) <> l.attribute
                       OR EXISTS (SELECT FROM objectid_ext_tools._live_not_null(l.relation, l.attribute, to_type, l.value)))
        FROM objectid_ext_tools._live_columns("table", "column", to_type) l LEFT JOIN pg_attribute a ON a.attrelid = l.relation AND a.attname = l.shadow
        WHERE NOT l.inherited GROUP BY l.relation
    )
    SELECT w.relation, w."columns", w."values", w.body, w.missing FROM wanted AS w (relation, "columns", "values", body, missing, changed)
    WHERE w.missing <> '{}' OR w.changed
       OR NOT EXISTS (SELECT FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid WHERE tgrelid = w.relation AND tgname = '~objectid_ext_conversion' AND prosrc = w.body)
    ORDER BY w.relation;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_unbegun(regclass, name, regtype) IS 'internal: tables that the first step has to change, with the converted columns, the values and the trigger of the shadow columns, and which do not have one';

-- Shadow columns are called like the columns beside them, also after these were
-- renamed; first otherwise, as two columns can have exchanged their names.

CREATE FUNCTION objectid_ext_tools._live_renames(relation regclass) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH renamed (old, new) AS MATERIALIZED (
        SELECT attname, objectid_ext_tools._live_name(o)
        FROM pg_attribute, objectid_ext_tools._live_beside(attrelid, attname) AS o
        WHERE attrelid = relation AND attname LIKE E'\\_objectid\\_ext\\_%' AND attinhcount = 0 AND NOT attisdropped AND attname <> objectid_ext_tools._live_name(o)
    ), steps (n, old, new) AS (
        SELECT 1, old, objectid_ext_tools._live_name(old) FROM renamed
        UNION ALL
        SELECT 2, objectid_ext_tools._live_name(old), new FROM renamed
    )
    SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', relation, old, new) ||
           format('; ALTER TABLE %s RENAME CONSTRAINT %I TO %I', relation, objectid_ext_tools._live_name('= ' || old), objectid_ext_tools._live_name('= ' || new))
    FROM steps ORDER BY n
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_renames(regclass) IS 'internal: statements that rename shadow columns after the columns beside them';

CREATE FUNCTION objectid_ext_tools._live_drop_stray("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    stray record;
BEGIN
    SELECT * INTO stray FROM objectid_ext_tools._live_strays("table", "column", to_type) WHERE constraint_name IS NOT NULL LIMIT 1;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM objectid_ext_tools._live_lock_trees(ARRAY[stray.relation], 'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._live_retry_unless(EXISTS (SELECT FROM objectid_ext_tools._live_strays("table", "column", to_type) s
                                                          WHERE s.relation = stray.relation AND s.constraint_name = stray.constraint_name));
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', stray.relation, stray.constraint_name);
    RETURN true;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_drop_stray(regclass, name, regtype, interval) IS 'internal: drops a constraint of shadow columns that the converted columns do not have; false if there is none';

-- A table can take part in one conversion only: it has one trigger, and whoever
-- undoes a conversion drops all shadow columns of its tables.  To be called when the
-- tables are locked, so that no other conversion can begin with them.

CREATE FUNCTION objectid_ext_tools._live_check_apart(tables regclass[], state text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    busy regclass;
BEGIN
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM unnest(tables) AS relation, objectid_ext_tools._live_owner_obstacles(relation) AS o));
    WITH noted AS MATERIALIZED (
        SELECT p.relation, store = to_regclass(state) AS own FROM objectid_ext_tools._live_stores() AS store, objectid_ext_tools._live_progress(store) AS p
    )
    SELECT relation INTO busy
    FROM (SELECT relation FROM noted WHERE NOT own
          UNION
          SELECT tgrelid FROM pg_trigger
          WHERE tgrelid = ANY (tables) AND tgname = '~objectid_ext_conversion' AND tgparentid = 0 AND tgrelid NOT IN (SELECT relation FROM noted WHERE own)) AS others
    WHERE relation = ANY (tables) ORDER BY relation LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % takes part in another conversion', busy
            USING ERRCODE = 'object_in_use', HINT = 'Complete the other conversion, or use undo_conversion().';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_apart(regclass[], text) IS 'internal: raises an error if one of these tables takes part in another conversion';

CREATE FUNCTION objectid_ext_tools._live_begin("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS float8
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
SET default_table_access_method = heap
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    next record;
    again record;
BEGIN
    PERFORM objectid_ext_tools._live_check("table", "column", to_type);
    IF objectid_ext_tools._live_found(state) IS NULL THEN
        -- another session can have created something of this name, and not committed yet
        PERFORM objectid_ext_tools._live_limit_wait(max_wait);
        EXECUTE format('CREATE TABLE %s (relation regclass PRIMARY KEY, filenode oid, pages bigint, page bigint NOT NULL DEFAULT 0,'
                       ' "rows" bigint NOT NULL DEFAULT 0, batch integer NOT NULL DEFAULT 500, started timestamptz, seconds float8 NOT NULL DEFAULT 0, wait oid, root regclass, attribute name)', state);
        EXECUTE format('INSERT INTO %s (relation, filenode, pages, root, attribute) VALUES (0, 0, 0, $1, $2)', state) USING "table", "column";
        EXECUTE format('COMMENT ON TABLE %s IS %L', state, format('objectid_ext_tools: conversion of column "%s" of table %s', "column", "table"));
        PERFORM objectid_ext_tools._live_revoke('pg_class', to_regclass(state));
        EXECUTE format('GRANT SELECT ON %s TO pg_monitor', state);
        RETURN 0;
    END IF;
    IF objectid_ext_tools._live_follow("table", "column", to_type, max_wait) THEN
        RETURN 0;
    END IF;
    SELECT * INTO next FROM objectid_ext_tools._live_unbegun("table", "column", to_type) LIMIT 1;
    IF NOT FOUND THEN
        RETURN CASE WHEN objectid_ext_tools._live_drop_stray("table", "column", to_type, max_wait) THEN 0 END;
    END IF;
    PERFORM objectid_ext_tools._live_lock_trees(ARRAY[next.relation], 'SHARE UPDATE EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._live_check_apart(objectid_ext_tools._live_tree(ARRAY[next.relation]), state);
    SELECT * INTO again FROM objectid_ext_tools._live_unbegun("table", "column", to_type) u WHERE u.relation = next.relation;
    PERFORM objectid_ext_tools._live_retry_unless(again = next);
    PERFORM objectid_ext_tools._live_lock_trees(ARRAY[next.relation], 'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._execute(ARRAY(SELECT objectid_ext_tools._live_renames(next.relation)));
    PERFORM objectid_ext_tools._live_begin_table(state, next.relation, to_type, next."columns", next."values", next.body);
    PERFORM objectid_ext_tools._execute(ARRAY(SELECT objectid_ext_tools._live_not_null(next.relation, k.attribute, to_type, k.value)
                                              FROM unnest(next."columns", next."values") AS k (attribute, value)));
    EXECUTE format('UPDATE ONLY %s SET attribute = $2 WHERE root = $1 AND attribute <> $2', state) USING "table", "column";
    RETURN 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_begin(regclass, name, regtype, interval) IS 'internal: adds shadow columns to the next table; returns the seconds to wait before it is called again, and NULL at the end';

-- The later steps find a column that was renamed, too.  They cannot go on if a table
-- takes part that has to be filled first.

CREATE FUNCTION objectid_ext_tools._live_renew("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    next record;
BEGIN
    SELECT u.relation, u.missing INTO next FROM objectid_ext_tools._live_unbegun("table", "column", to_type) u LIMIT 1;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF EXISTS (SELECT unnest(next.missing)
               EXCEPT SELECT objectid_ext_tools._live_beside(attrelid, attname) FROM pg_attribute WHERE attrelid = next.relation AND attname LIKE E'\\_objectid\\_ext\\_%') THEN
        PERFORM objectid_ext_tools._live_check_complete("table", "column", to_type);
    END IF;
    PERFORM objectid_ext_tools._live_begin("table", "column", to_type, max_wait);
    RETURN true;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_renew(regclass, name, regtype, interval) IS 'internal: repeats the first step for the next table that has changed since; false if there is none; an error if a table has no shadow column';

-- The second step: fill some rows, page after page.  Rows that are inserted later, or
-- updated, get their values from the trigger, so the pages that a table had at first
-- suffice, unless it was rewritten since.  The number of rows is limited, and not only
-- that of pages: after pages that have none to fill can be full ones.

CREATE FUNCTION objectid_ext_tools._live_fill_rows(relation regclass, first bigint, upto bigint, most integer, assignments text, unfilled text, OUT filled bigint, OUT next_page bigint)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET enable_seqscan = off
AS $$
DECLARE
    in_pages text := format('FROM ONLY %s WHERE ctid >= $1 AND ctid < $2 AND (%s)', relation, unfilled);
    from_tid tid := format('(%s,0)', first);
    to_tid tid := format('(%s,0)', upto);
    tids tid[];
BEGIN
    LOOP
        BEGIN
            EXECUTE format('SELECT array_agg(tid) FROM (SELECT ctid %s LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) AS t (tid)', in_pages)
                INTO tids USING from_tid, to_tid, most;
            EXIT;
        EXCEPTION WHEN serialization_failure THEN
            -- one has moved to another partition since the snapshot was taken
            most := greatest(most / 2, 1);
        END;
    END LOOP;
    IF objectid_ext_tools._live_needs_replica_role(relation) THEN
        PERFORM set_config('session_replication_role', 'replica', true);
    END IF;
    EXECUTE format('UPDATE ONLY %s SET %s WHERE ctid = ANY ($1)', relation, assignments) USING tids;
    GET DIAGNOSTICS filled = ROW_COUNT;
    -- those above the limit, or locked by others
    EXECUTE format('SELECT coalesce((min(ctid)::text::point)[0]::bigint, $3) %s', in_pages)
        INTO next_page USING from_tid, to_tid, upto;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_fill_rows(regclass, bigint, bigint, integer, text, text) IS 'internal: fills the shadow columns of some rows that nobody has locked; returns their number, and the page at which to continue';

-- By the catalog of this table alone, which is faster

CREATE FUNCTION objectid_ext_tools._live_fill_parts(relation regclass, to_type regtype, OUT assignments text, OUT unfilled text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(format('%I = %s', s.attname, objectid_ext_tools._live_value(o.attname, o.atttypid, to_type)), ', ' ORDER BY s.attnum),
           string_agg(format('%I IS NULL AND %I IS NOT NULL', s.attname, o.attname), ' OR ' ORDER BY s.attnum)
    FROM pg_constraint c JOIN pg_attribute s ON s.attrelid = c.conrelid AND c.conname = objectid_ext_tools._live_name('= ' || s.attname) AND s.attname LIKE E'\\_objectid\\_ext\\_%'
         JOIN pg_attribute o ON o.attrelid = c.conrelid AND o.attnum = ANY (c.conkey) AND o.attnum <> s.attnum
    WHERE c.conrelid = relation AND c.contype = 'c'
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_fill_parts(regclass, regtype) IS 'internal: how rows of a table are filled, and which are not; NULL if it has no shadow columns';

CREATE FUNCTION objectid_ext_tools._live_fill("table" regclass, "column" name, to_type regtype, max_wait interval, rows_per_second integer) RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    began timestamptz := clock_timestamp();
    locked timestamptz;
    share float8;
    took float8;
    next record;
    detached boolean;
    parts record;
    result record;
BEGIN
    -- they reject rows until their shadow columns are dropped
    detached := EXISTS (SELECT FROM objectid_ext_tools._live_progress(objectid_ext_tools._live_found(state)) AS s
                        WHERE s.relation::oid <> 0 AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = s.relation AND tgname = '~objectid_ext_conversion'));
    SELECT * INTO next FROM objectid_ext_tools._live_progress(objectid_ext_tools._live_found(state)) AS s
    WHERE s.pages IS NULL OR s.page < s.pages OR s.filenode <> pg_relation_filenode(s.relation) ORDER BY s.relation LIMIT 1;
    IF (detached OR next.relation IS NULL) AND objectid_ext_tools._live_follow("table", "column", to_type, max_wait) THEN
        RETURN 0;
    END IF;
    IF next.relation IS NULL THEN
        RETURN NULL;
    END IF;
    IF next.filenode IS DISTINCT FROM pg_relation_filenode(next.relation) THEN
        EXECUTE format('UPDATE ONLY %s SET page = 0, "rows" = 0, seconds = 0, started = clock_timestamp(), filenode = pg_relation_filenode(relation),'
                       ' pages = pg_relation_size(relation) / current_setting(''block_size'')::bigint WHERE relation = $1', state) USING next.relation;
        RETURN 0;
    END IF;
    SELECT * INTO parts FROM objectid_ext_tools._live_fill_parts(next.relation, to_type);
    IF parts.assignments IS NULL THEN
        -- it does not take part any more, or should not be in this state
        IF NOT objectid_ext_tools._live_follow("table", "column", to_type, max_wait) AND EXISTS (SELECT FROM pg_class WHERE oid = next.relation) THEN
            PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._live_table_obstacles(next.relation, state) AS o));
            RAISE EXCEPTION 'table % has no shadow columns', next.relation
                USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call the function that returned this step again, for the steps that remain.';
        END IF;
        RETURN 0;
    END IF;
    IF EXISTS (SELECT FROM objectid_ext_tools._live_renames(coalesce(pg_partition_root(next.relation), next.relation))) THEN
        PERFORM objectid_ext_tools._live_renew("table", "column", to_type, max_wait);
        RETURN 0;
    END IF;
    -- nobody can add a trigger, or change the owner, before the rows are updated
    PERFORM objectid_ext_tools._live_lock(ARRAY[next.relation], 'ROW EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._live_retry_unless(parts = objectid_ext_tools._live_fill_parts(next.relation, to_type));
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._live_table_obstacles(next.relation, state) AS o));
    IF to_type = 'objectid_ext_tools._backfilled'::regtype THEN
        -- the trigger can insert an id that another session has inserted
        PERFORM objectid_ext_tools._live_limit_wait(max_wait);
    END IF;
    locked := clock_timestamp();
    SELECT * INTO result FROM objectid_ext_tools._live_fill_rows(next.relation, next.page, least(next.page + 256, next.pages), next.batch, parts.assignments, parts.unfilled);
    share := extract(epoch FROM clock_timestamp() - locked) / extract(epoch FROM max_wait);
    took := extract(epoch FROM clock_timestamp() - began);
    -- tells later whether the index has been created again, which waits for snapshots
    EXECUTE format('UPDATE ONLY %1$s SET page = $2, "rows" = "rows" + $3, seconds = seconds + $4, batch = $5, wait = (SELECT indexrelid FROM pg_index WHERE indrelid = %1$L::regclass AND indisprimary) WHERE relation = $1', state)
        USING next.relation, result.next_page, result.filled, greatest(took, result.filled / rows_per_second::float8),
              -- users can wait for the rows of a batch
              CASE WHEN share > 0.12 THEN greatest(next.batch / 2, 10) WHEN share < 0.05 AND result.filled = next.batch THEN next.batch * 2 ELSE next.batch END;
    -- what remains before the limit is locked
    RETURN greatest(CASE WHEN result.filled < next.batch AND result.next_page < least(next.page + 256, next.pages) THEN 0.05 ELSE 0 END, result.filled / rows_per_second::float8 - took);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_fill(regclass, name, regtype, interval, integer) IS 'internal: fills some rows; returns the seconds to wait before it is called again, and NULL at the end';
