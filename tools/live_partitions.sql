----------------------------------------------------------------------
-- Existing tables under load: partitions
----------------------------------------------------------------------

-- Columns, the trigger and check constraints are added to the partitioned table,
-- and partitions that are created later inherit them.  Rows are filled and indexes
-- are created for each partition by itself.
--
-- An index of a partitioned table is created without its partitions, and then
-- theirs are attached.  PostgreSQL cannot make a constraint of such an index, so a
-- primary key or unique constraint of a partitioned table is added only when the
-- columns are replaced: without its partitions, whose constraints are attached.
-- Before PostgreSQL 18, a foreign key from a partitioned table cannot be added
-- without looking at the rows.  So each
-- partition gets its own, which is validated, and then the partitioned table, and
-- PostgreSQL attaches those of the partitions without looking at the rows again.
--
-- Sessions can create, attach and detach partitions meanwhile.  A partition that is
-- created has no rows that are not filled.  One that is attached needs the shadow
-- columns.  One that is detached has no trigger any more, so its shadow columns are
-- dropped, unless it refers to a converted column by itself.

CREATE FUNCTION objectid_ext_tools._live_tree(relations regclass[]) RETURNS regclass[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN (
        WITH RECURSIVE heir (oid, level) AS (
            SELECT r::oid, 0 FROM unnest(relations) AS r
            UNION ALL
            SELECT inhrelid, level + 1 FROM heir JOIN pg_inherits ON inhparent = heir.oid
        )
        SELECT coalesce(array_agg(oid::regclass ORDER BY level, oid), '{}') FROM (SELECT oid, max(level) FROM heir GROUP BY oid) AS h (oid, level)
    );
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_tree(regclass[]) IS 'internal: tables with all their partitions and children, each after its parent';

CREATE FUNCTION objectid_ext_tools._live_lock_trees(relations regclass[], mode text, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tables regclass[] := objectid_ext_tools._live_tree(relations);
BEGIN
    PERFORM objectid_ext_tools._live_lock(tables, mode, max_wait);
    PERFORM objectid_ext_tools._live_retry_unless(objectid_ext_tools._live_tree(relations) = tables);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_lock_trees(regclass[], text, interval) IS 'internal: locks tables with all their partitions, or raises lock_not_available';

-- A partition that was created and detached between two steps is in no list.  It has
-- a shadow column with its check, and the trigger of no conversion.  So has what was
-- created with LIKE; nobody can alter temporary tables of other sessions.

CREATE FUNCTION objectid_ext_tools._live_left(tables regclass[]) RETURNS SETOF regclass
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
    RETURN QUERY
    SELECT DISTINCT t.oid::regclass
    FROM (SELECT DISTINCT attname, relowner FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE c.oid = ANY (tables) AND relkind = 'p' AND attname LIKE E'\\_objectid\\_ext\\_%') AS s
         JOIN pg_constraint k ON k.conname = objectid_ext_tools._live_name('= ' || s.attname) AND k.contype = 'c' AND k.coninhcount = 0
         JOIN pg_class t ON t.oid = k.conrelid AND t.relowner = s.relowner AND NOT t.relispartition AND t.relpersistence <> 't'
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = s.attname
    WHERE t.oid <> ALL (tables)
      AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.oid AND tgname = '~objectid_ext_conversion');
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_left(regclass[]) IS 'internal: tables that were partitions for a time during the conversion of these';

-- Tables that do not take part any more: dropped; detached; or the foreign key by
-- which they referred to a converted column was dropped; then, columns of others.
-- Such a column is dropped after the trigger has been replaced.

CREATE FUNCTION objectid_ext_tools._live_outside(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT relation regclass,
    OUT whole boolean,
    OUT "columns" name[]
)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    parts regclass[];
    shadows text[];
    known regclass[] := ARRAY(SELECT s.relation FROM objectid_ext_tools._live_progress(to_regclass(objectid_ext_tools._live_state("table", "column"))) AS s WHERE s.relation::oid <> 0);
BEGIN
    SELECT coalesce(array_agg(DISTINCT l.relation), '{}'), coalesce(array_agg(concat(l.relation::oid, l.shadow)), '{}') INTO parts, shadows
    FROM objectid_ext_tools._live_columns("table", "column", to_type) l
    -- a partition that is detached, but refers by itself: its check does not compare new ids with old ones
    WHERE to_type <> 'objectid_ext_tools._backfilled'::regtype OR l.inherited OR EXISTS (SELECT FROM pg_trigger WHERE tgrelid = l.relation AND tgname = '~objectid_ext_conversion');
    SELECT c.oid, c.oid <> ALL (parts), s.names
    INTO relation, whole, "columns"
    FROM pg_class c,
         LATERAL (SELECT coalesce(array_agg(attname ORDER BY attnum), '{}')
                  FROM pg_attribute WHERE attrelid = c.oid AND attname LIKE E'\\_objectid\\_ext\\_%' AND attinhcount = 0 AND NOT attisdropped
                                      AND concat(attrelid, attname) <> ALL (shadows)) AS s (names)
    WHERE c.oid = ANY (known) AND c.oid <> ALL (parts)
       OR c.oid IN (SELECT objectid_ext_tools._live_left(parts))
       OR c.oid = ANY (parts) AND s.names <> '{}' AND NOT EXISTS (SELECT FROM objectid_ext_tools._live_unbegun("table", "column", to_type) u WHERE u.relation = c.oid)
    ORDER BY 2 DESC, 1 LIMIT 1;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_outside(regclass, name, regtype) IS 'internal: the first table that does not take part in a conversion any more, or that has shadow columns of columns that do not, with these';

CREATE FUNCTION objectid_ext_tools._live_follow("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    stray record;
BEGIN
    IF objectid_ext_tools._live_found(state) IS NULL THEN
        RETURN false;
    END IF;
    EXECUTE format('DELETE FROM ONLY %s WHERE relation::oid <> 0 AND NOT EXISTS (SELECT FROM pg_class WHERE oid = relation)', state);
    -- new partitions of tables that have begun
    EXECUTE format('INSERT INTO %1$s (relation, filenode, pages) SELECT DISTINCT l.relation, coalesce(pg_relation_filenode(l.relation), 0), 0'
                   ' FROM objectid_ext_tools._live_columns($1, $2, $3) l'
                   ' WHERE l.inherited AND NOT EXISTS (SELECT FROM ONLY %1$s s WHERE s.relation = l.relation)'
                   '   AND EXISTS (SELECT FROM ONLY %1$s s JOIN pg_partition_ancestors(l.relation) ON relid = s.relation)', state) USING "table", "column", to_type;
    stray := objectid_ext_tools._live_outside("table", "column", to_type);
    IF stray.relation IS NULL THEN
        RETURN false;
    END IF;
    PERFORM objectid_ext_tools._live_lock_trees(ARRAY[stray.relation], 'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._live_retry_unless(objectid_ext_tools._live_outside("table", "column", to_type) = stray);
    PERFORM objectid_ext_tools._execute(ARRAY(SELECT format('ALTER TABLE %s DROP COLUMN %I', stray.relation, c) FROM unnest(stray."columns") AS c));
    IF stray.whole THEN
        PERFORM objectid_ext_tools._execute(ARRAY(
            SELECT format('DROP TRIGGER %I ON %s', tgname, stray.relation) || format('; SELECT objectid_ext_tools._live_drop_function(%s)', tgfoid)
            FROM pg_trigger WHERE tgrelid = stray.relation AND tgname = '~objectid_ext_conversion' AND tgparentid = 0));
        EXECUTE format('DELETE FROM ONLY %s WHERE relation = $1', state) USING stray.relation;
    END IF;
    RETURN true;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_follow(regclass, name, regtype, interval) IS 'internal: removes what a conversion has added from a table or column that does not take part any more, and notes new partitions; true if it has removed something';

-- What can be done with the indexes of partitions and partitioned tables.  If the
-- index of a partitioned table exists, an index that PostgreSQL creates with a new
-- partition is attached, but has another name.

CREATE FUNCTION objectid_ext_tools._live_part_work(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT action text,
    OUT relation regclass,
    OUT object oid,
    OUT shadow name,
    OUT index oid,
    OUT parent oid
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH old AS MATERIALIZED (
        SELECT o.*, i.relnamespace, s.oid AS present
        FROM objectid_ext_tools._live_objects("table", "column", to_type) o
             JOIN pg_class i ON i.oid = o.object
             LEFT JOIN pg_class s ON s.relname = o.shadow AND s.relnamespace = i.relnamespace
        WHERE o.kind = 'index'
    ), part AS (
        SELECT o.*, t.relkind, t.relispartition, p.present AS parent,
               (SELECT x.indexrelid FROM pg_inherits JOIN pg_index x ON x.indexrelid = inhrelid WHERE inhparent = p.present AND x.indrelid = o.relation) AS attached
        FROM old o JOIN pg_class t ON t.oid = o.relation
             LEFT JOIN pg_inherits h ON h.inhrelid = o.object
             LEFT JOIN old p ON p.object = h.inhparent AND p.state <> 'late'
        WHERE o.state <> 'late' AND (t.relkind = 'p' OR t.relispartition)
    )
    SELECT * FROM (
        SELECT CASE WHEN p.attached <> p.present THEN 'drop'
                    WHEN p.attached IS NOT NULL AND p.present IS NULL THEN 'rename'
                    -- what is created while nobody can write should not take long
                    WHEN p.present IS NULL AND (p.relkind = 'p' OR pg_relation_size(p.relation) <= 4194304) THEN 'create'
                    WHEN p.attached IS NULL AND p.parent IS NOT NULL AND (p.relkind = 'p' OR p.state = 'done') THEN 'attach' END,
               p.relation, p.object, p.shadow, coalesce(p.present, p.attached), p.parent
        FROM part p
        UNION ALL
        SELECT 'drop', s.relation, NULL, c.relname, c.oid, NULL
        FROM objectid_ext_tools._live_strays("table", "column", to_type) s JOIN pg_class c ON c.oid = to_regclass(s.index_name) AND c.relkind = 'I'
    ) AS a (action, relation, object, shadow, index, parent)
    WHERE a.action IS NOT NULL ORDER BY array_position(ARRAY['drop', 'rename', 'create', 'attach'], a.action), a.relation, a.object
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_part_work(regclass, name, regtype) IS 'internal: indexes that are created, renamed, attached or dropped for partitions';

CREATE FUNCTION objectid_ext_tools._live_part_index("table" regclass, "column" name, to_type regtype, action text, relation regclass, object oid, shadow name, index oid, parent oid, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
SET default_tablespace = ''
AS $$
DECLARE
    statement text;
BEGIN
    PERFORM objectid_ext_tools._live_lock(CASE action WHEN 'drop' THEN objectid_ext_tools._live_tree(ARRAY[relation]) ELSE ARRAY[relation] END,
                                          CASE action WHEN 'drop' THEN 'ACCESS EXCLUSIVE' WHEN 'create' THEN 'SHARE' ELSE 'SHARE UPDATE EXCLUSIVE' END, max_wait);
    -- dropped, or detached
    PERFORM objectid_ext_tools._live_retry_unless((SELECT count(*) FROM pg_class WHERE oid IN (object, index, parent)) = num_nonnulls(object, index, parent));
    PERFORM objectid_ext_tools._live_retry_unless(action <> 'attach' OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = relation
                                                                                 AND inhparent = (SELECT indrelid FROM pg_index WHERE indexrelid = parent)));
    statement := CASE action
                     WHEN 'drop' THEN format('DROP INDEX %s', index::regclass)
                     WHEN 'rename' THEN format('ALTER INDEX %s RENAME TO %I', index::regclass, shadow)
                     WHEN 'attach' THEN format('ALTER INDEX %s ATTACH PARTITION %s', parent::regclass, index::regclass)
                     WHEN 'create' THEN (SELECT format('CREATE %sINDEX %I ON ONLY %s USING ', CASE WHEN indisunique THEN 'UNIQUE ' END, shadow, relation)
                                         FROM pg_index WHERE indexrelid = object) ||
                         (SELECT objectid_ext_tools._live_definition('index', $5, $6, to_type, array_agg(l.attribute), array_agg(l.value), 'pg_catalog, pg_temp')
                          FROM objectid_ext_tools._live_columns("table", "column", to_type) l WHERE l.relation = $5)
                 END;
    EXECUTE statement;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_part_index(regclass, name, regtype, text, regclass, oid, name, oid, oid, interval) IS 'internal: creates, renames, attaches or drops an index of a partition';

-- To find out what can be done takes longer than to do it, so as much is done in a
-- transaction as others can wait for.

CREATE FUNCTION objectid_ext_tools._live_part_indexes("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    action text;
    ends timestamptz;
BEGIN
    IF NOT EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE inherited) THEN
        RETURN false;
    END IF;
    FOR each IN SELECT * FROM objectid_ext_tools._live_part_work("table", "column", to_type) LOOP
        ends := coalesce(ends, clock_timestamp() + 0.05 * max_wait);
        action := coalesce(action, each.action);
        EXIT WHEN each.action <> action OR clock_timestamp() > ends;
        PERFORM objectid_ext_tools._live_part_index("table", "column", to_type, each.action, each.relation, each.object, each.shadow, each.index, each.parent, max_wait);
        EXIT WHEN each.action IN ('create', 'drop');
    END LOOP;
    RETURN ends IS NOT NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_part_indexes(regclass, name, regtype, interval) IS 'internal: creates, renames, attaches or drops some indexes of partitions; false if there are none';

-- Before the columns are replaced, a partition that is new since the indexes were
-- created gets its own.

CREATE FUNCTION objectid_ext_tools._live_finish_parts("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF to_regclass(objectid_ext_tools._live_state("table", "column")) IS NULL
       OR EXISTS (SELECT FROM objectid_ext_tools._live_unbegun("table", "column", to_type)) THEN
        RETURN false;
    END IF;
    RETURN objectid_ext_tools._live_follow("table", "column", to_type, max_wait)
           OR objectid_ext_tools._live_part_indexes("table", "column", to_type, max_wait);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_finish_parts(regclass, name, regtype, interval) IS 'internal: creates what is missing for new partitions; false if there is nothing';
