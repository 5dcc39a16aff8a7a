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
-- columns are replaced: without its partitions, whose constraints are attached.  So
-- a foreign key to a partitioned table cannot exist earlier, either; it is added
-- together with that, and validated afterwards.  Before PostgreSQL 18, a foreign key
-- from a partitioned table cannot be added without looking at the rows.  So each
-- partition gets its own, which is validated, and then the partitioned table, and
-- PostgreSQL attaches those of the partitions without looking at the rows again.
--
-- Sessions can create, attach and detach partitions meanwhile.  A partition that is
-- created has no rows that are not filled.  One that is attached needs the shadow
-- columns.  One that is detached has no trigger any more, so its shadow columns are
-- dropped, unless it refers to a converted column by itself.

CREATE FUNCTION objectid_ext_tools._live_tree(relations regclass[]) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE heir (oid, level) AS (
        SELECT r::oid, 0 FROM unnest(relations) AS r
        UNION ALL
        SELECT inhrelid, level + 1 FROM heir JOIN pg_inherits ON inhparent = heir.oid
    )
    SELECT coalesce(array_agg(oid::regclass ORDER BY level, oid), '{}') FROM (SELECT oid, max(level) FROM heir GROUP BY oid) AS h (oid, level)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_tree(regclass[]) IS 'internal: tables with all their partitions and children, each after its parent';

-- A partition that was created and detached between two steps is in no list.  It has
-- a shadow column with its check, and the trigger of no conversion.

CREATE FUNCTION objectid_ext_tools._live_left(tables regclass[]) RETURNS SETOF regclass
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
BEGIN
    RETURN QUERY
    SELECT DISTINCT t.oid::regclass
    FROM (SELECT DISTINCT attname, relowner FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE c.oid = ANY (tables) AND attname LIKE '\_objectid\_ext\_%') AS s
         JOIN pg_constraint k ON k.conname = objectid_ext_tools._live_name('= ' || s.attname) AND k.contype = 'c' AND k.coninhcount = 0
         JOIN pg_class t ON t.oid = k.conrelid AND t.relowner = s.relowner AND NOT t.relispartition
         JOIN pg_attribute a ON a.attrelid = t.oid AND a.attname = s.attname
    WHERE t.oid <> ALL (tables)
      AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.oid AND tgname = '~objectid_ext_conversion');
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_left(regclass[]) IS 'internal: tables that were partitions for a time during the conversion of these';

CREATE FUNCTION objectid_ext_tools._live_remove(relation regclass, shadows name[], max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    attnums smallint[] := ARRAY(SELECT attnum FROM pg_attribute WHERE attrelid = relation AND attname = ANY (shadows));
    keys oid[] := ARRAY(SELECT oid FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND conname LIKE '\_objectid\_ext\_%'
                                                        AND (conrelid = relation AND conkey && attnums OR confrelid = relation AND confkey && attnums));
BEGIN
    PERFORM objectid_ext_tools._live_lock(objectid_ext_tools._live_tree(ARRAY(SELECT relation UNION SELECT unnest(ARRAY[conrelid, confrelid])::regclass FROM pg_constraint WHERE oid = ANY (keys))),
                                          'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._execute(
        ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint WHERE oid = ANY (keys)) ||
        ARRAY(SELECT format('ALTER TABLE %s DROP COLUMN %I', relation, s) FROM unnest(shadows) AS s));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_remove(regclass, name[], interval) IS 'internal: drops shadow columns of a table and their foreign keys';

-- Tables that do not take part any more: dropped; detached; or the foreign key by
-- which they referred to a converted column was dropped; then, columns of others.
-- Such a column is dropped after the trigger has been replaced.

CREATE FUNCTION objectid_ext_tools._live_follow("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    parts regclass[];
    shadows text[];
    known regclass[];
    stray record;
BEGIN
    SELECT coalesce(array_agg(DISTINCT relation), '{}'), coalesce(array_agg(concat(relation::oid, shadow)), '{}') INTO parts, shadows FROM objectid_ext_tools._live_columns("table", "column", to_type);
    EXECUTE format('DELETE FROM ONLY %s WHERE relation::oid <> 0 AND NOT EXISTS (SELECT FROM pg_class WHERE oid = relation)', state);
    EXECUTE format('INSERT INTO %s (relation, filenode, pages) SELECT p, coalesce(pg_relation_filenode(p), 0), 0 FROM unnest($1) AS p'
                   ' WHERE NOT EXISTS (SELECT FROM ONLY %s WHERE relation = p) AND p IN (SELECT inhrelid FROM pg_inherits)', state, state) USING parts;
    EXECUTE format('SELECT array_agg(relation) FROM ONLY %s WHERE relation::oid <> 0', state) INTO known;
    SELECT oid::regclass AS relation, oid <> ALL (parts) AS whole,
           ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attname LIKE '\_objectid\_ext\_%' AND attinhcount = 0 AND NOT attisdropped
                                                    AND concat(attrelid, attname) <> ALL (shadows)) AS columns
    INTO stray
    FROM pg_class c
    WHERE oid = ANY (known) AND oid <> ALL (parts)
       OR oid IN (SELECT objectid_ext_tools._live_left(parts))
       OR oid = ANY (parts) AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname LIKE '\_objectid\_ext\_%' AND attinhcount = 0 AND NOT attisdropped
                                                                   AND concat(attrelid, attname) <> ALL (shadows))
                            AND NOT EXISTS (SELECT FROM objectid_ext_tools._live_unbegun("table", "column", to_type) WHERE relation = c.oid)
    ORDER BY 2 DESC, 1 LIMIT 1;
    IF stray.relation IS NULL THEN
        RETURN false;
    END IF;
    PERFORM objectid_ext_tools._live_remove(stray.relation, stray.columns, max_wait);
    IF stray.whole THEN
        PERFORM objectid_ext_tools._execute(ARRAY(
            SELECT format('DROP TRIGGER %I ON %s', tgname, stray.relation) || format('; DROP FUNCTION %s', tgfoid::regprocedure)
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
        FROM objectid_ext_tools._live_strays("table", "column", to_type) s JOIN pg_class c ON c.oid = to_regclass(s.index_name) AND c.relkind = 'I' AND s.constraint_name IS NULL
    ) AS a (action, relation, object, shadow, index, parent)
    WHERE a.action IS NOT NULL ORDER BY array_position(ARRAY['drop', 'rename', 'create', 'attach'], a.action), a.relation, a.object
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_part_work(regclass, name, regtype) IS 'internal: indexes that are created, renamed, attached or dropped for partitions';

CREATE FUNCTION objectid_ext_tools._live_part_index("table" regclass, "column" name, to_type regtype, action text, relation regclass, object oid, shadow name, index oid, parent oid, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    statement text;
BEGIN
    statement := CASE action
                     WHEN 'drop' THEN format('DROP INDEX %s', index::regclass)
                     WHEN 'rename' THEN format('ALTER INDEX %s RENAME TO %I', index::regclass, shadow)
                     WHEN 'attach' THEN format('ALTER INDEX %s ATTACH PARTITION %s', parent::regclass, index::regclass)
                     WHEN 'create' THEN (SELECT format('CREATE %sINDEX %I ON ONLY %s USING ', CASE WHEN indisunique THEN 'UNIQUE ' END, shadow, relation)
                                         FROM pg_index WHERE indexrelid = object) ||
                         (SELECT objectid_ext_tools._live_definition('index', $5, $6, to_type, array_agg(l.attribute), array_agg(l.value), 'pg_catalog, pg_temp')
                          FROM objectid_ext_tools._live_columns("table", "column", to_type) l WHERE l.relation = $5)
                 END;
    PERFORM objectid_ext_tools._live_lock(CASE action WHEN 'drop' THEN objectid_ext_tools._live_tree(ARRAY[relation]) ELSE ARRAY[relation] END,
                                          CASE action WHEN 'drop' THEN 'ACCESS EXCLUSIVE' WHEN 'create' THEN 'SHARE' ELSE 'SHARE UPDATE EXCLUSIVE' END, max_wait);
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

----------------------------------------------------------------------
-- Existing tables under load: constraints of partitioned tables
----------------------------------------------------------------------

-- pg_get_constraintdef() omits the storage parameters and the tablespace, which are
-- before DEFERRABLE, and which new partitions inherit.

CREATE FUNCTION objectid_ext_tools._live_part_constraint(object oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT concat(left(definition, length(definition) - length(deferral)), ' WITH (' || array_to_string(reloptions, ', ') || ')',
                  ' USING INDEX TABLESPACE ' || quote_ident(spcname), deferral)
    FROM pg_constraint k JOIN pg_class i ON i.oid = conindid LEFT JOIN pg_tablespace s ON s.oid = reltablespace,
         pg_get_constraintdef(k.oid) AS definition,
         concat(CASE WHEN condeferrable THEN ' DEFERRABLE' END, CASE WHEN condeferred THEN ' INITIALLY DEFERRED' END) AS deferral
    WHERE k.oid = object
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_part_constraint(oid) IS 'internal: complete definition of a primary key or unique constraint';

CREATE FUNCTION objectid_ext_tools._live_late("table" regclass, "column" name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._live_store("table", "column", true)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_late(regclass, name) IS 'internal: name of the table that stores the foreign keys that are not validated yet after the columns were replaced';

-- Tables and columns can be renamed before a foreign key is added.

CREATE FUNCTION objectid_ext_tools._live_referring(relation regclass, attributes smallint[], referred regclass, referred_attributes smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('FOREIGN KEY (%s) REFERENCES %s(%s)',
                  (SELECT string_agg(quote_ident(attname), ', ' ORDER BY n) FROM unnest(attributes) WITH ORDINALITY AS k (num, n) JOIN pg_attribute ON attrelid = relation AND attnum = num),
                  referred,
                  (SELECT string_agg(quote_ident(attname), ', ' ORDER BY n) FROM unnest(referred_attributes) WITH ORDINALITY AS k (num, n) JOIN pg_attribute ON attrelid = referred AND attnum = num))
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_referring(regclass, smallint[], regclass, smallint[]) IS 'internal: the beginning of the definition of a foreign key';

CREATE FUNCTION objectid_ext_tools._live_late_attributes(relation regclass, attributes smallint[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('ARRAY[%s]', string_agg(format('(SELECT attnum FROM pg_attribute WHERE attrelid = %L::regclass AND attname = %L)', relation, attname), ', ' ORDER BY n))
    FROM unnest(attributes) WITH ORDINALITY AS k (num, n) JOIN pg_attribute ON attrelid = relation AND attnum = num
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_late_attributes(regclass, smallint[]) IS 'internal: an expression for the columns that have the names of these after the columns were replaced';

-- The columns have their names again when these statements are executed, so the
-- definition is that of the old foreign key.

CREATE FUNCTION objectid_ext_tools._live_swap_late(object oid, late text) RETURNS text[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key pg_constraint;
    definition text := pg_get_constraintdef(object);
    each_part boolean;
    statements text[];
BEGIN
    SELECT * INTO key FROM pg_constraint WHERE oid = object;
    -- a key of each partition to each other partition takes long to add
    SELECT f.relkind = 'p' AND key.convalidated AND (t.relkind = 'r' OR current_setting('server_version_num')::integer < 180000)
    INTO each_part FROM pg_class f, pg_class t WHERE f.oid = key.conrelid AND t.oid = key.confrelid;
    IF NOT each_part THEN
        statements := ARRAY[
            format('ALTER TABLE %s ADD CONSTRAINT %I %s', key.conrelid::regclass, key.conname, definition) ||
                CASE WHEN definition LIKE '%NOT VALID' OR definition LIKE '%NOT ENFORCED' THEN '' ELSE ' NOT VALID' END,
            format('COMMENT ON CONSTRAINT %I ON %s IS %L', key.conname, key.conrelid::regclass, obj_description(object, 'pg_constraint'))];
        IF key.convalidated THEN
            statements := statements || format('INSERT INTO %s (relation, name, key) SELECT conrelid, conname, oid FROM pg_constraint WHERE conrelid = %L::regclass AND conname = %L',
                                               late, key.conrelid::regclass, key.conname);
        END IF;
        RETURN statements;
    END IF;
    RETURN ARRAY(
        WITH RECURSIVE part (oid) AS (
            SELECT object
            UNION ALL
            SELECT c.oid FROM part JOIN pg_constraint c ON c.conparentid = part.oid AND c.conrelid IN (SELECT relid FROM pg_partition_tree(key.conrelid))
        )
        SELECT unnest(ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', c.conrelid::regclass, c.conname, definition),
                            format('COMMENT ON CONSTRAINT %I ON %s IS %L', c.conname, c.conrelid::regclass, obj_description(c.oid, 'pg_constraint')),
                            format('INSERT INTO %s (relation, name, key, parent, parent_name) SELECT conrelid, conname, oid, %L, %L FROM pg_constraint WHERE conrelid = %L::regclass AND conname = %L',
                                   late, key.conrelid::regclass, key.conname, c.conrelid::regclass, c.conname)])
        FROM part JOIN pg_constraint c USING (oid) JOIN pg_class t ON t.oid = c.conrelid
        -- the key of a table that refers to itself has parts of either side
        WHERE t.relkind = 'r' AND c.confrelid = key.confrelid) ||
        format('INSERT INTO %s (relation, name, definition, comment, attributes, referred, referred_attributes) VALUES (%L, %L, %L, %L, %s, %L, %s)',
               late, key.conrelid::regclass, key.conname,
               substr(definition, 1 + length(objectid_ext_tools._live_referring(key.conrelid, key.conkey, key.confrelid, key.confkey))), obj_description(object, 'pg_constraint'),
               objectid_ext_tools._live_late_attributes(key.conrelid, key.conkey), key.confrelid::regclass, objectid_ext_tools._live_late_attributes(key.confrelid, key.confkey));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap_late(oid, text) IS 'internal: statements that add a foreign key from or to a partitioned table, and note that it has to be validated';

-- Before PostgreSQL 18, such a key takes about half a millisecond for each pair of
-- partitions, while nobody can use the tables.

CREATE FUNCTION objectid_ext_tools._live_check_pairs("table" regclass, attnum smallint) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
BEGIN
    SELECT conname, referring, referred INTO key
    FROM pg_constraint JOIN pg_class t ON t.oid = confrelid AND relkind = 'p',
         LATERAL (SELECT count(*) FROM pg_partition_tree(conrelid) WHERE isleaf) AS f (referring),
         LATERAL (SELECT count(*) FROM pg_partition_tree(confrelid) WHERE isleaf) AS p (referred)
    WHERE contype = 'f' AND conparentid = 0 AND conrelid = "table" AND attnum = ANY (conkey) AND referring > 1 AND referring * referred > 1000
      AND current_setting('server_version_num')::integer < 180000
    ORDER BY conname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'foreign key constraint "%" refers from % partitions to % partitions', key.conname, key.referring, key.referred
            USING ERRCODE = 'feature_not_supported', DETAIL = 'The tables would be locked for long to replace it.',
                  HINT = 'Use PostgreSQL 18 or later, or drop it, convert the column, and create it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_pairs(regclass, smallint) IS 'internal: raises an error if a foreign key between partitioned tables cannot be replaced in short time';

-- Keys of partitions stay in the list until the partitioned table has the key: names
-- in its definition can have changed since.

CREATE FUNCTION objectid_ext_tools._live_late_definition(late text, relation regclass, name name) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    definition text;
BEGIN
    EXECUTE format('SELECT regexp_replace(pg_get_constraintdef(c.oid), '' NOT VALID$'', '''') FROM ONLY %s AS k JOIN pg_constraint c ON conrelid = k.relation AND conname = k.name'
                   ' WHERE parent = $1 AND parent_name = $2 LIMIT 1', late) INTO definition USING relation, name;
    IF definition IS NULL THEN
        EXECUTE format('SELECT objectid_ext_tools._live_referring(k.relation, attributes, referred, referred_attributes) || definition FROM ONLY %s AS k'
                       ' WHERE k.relation = $1 AND k.name = $2 AND definition IS NOT NULL', late) INTO definition USING relation, name;
    END IF;
    RETURN definition;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_late_definition(text, regclass, name) IS 'internal: definition of a foreign key of a partitioned table: the one that partitions have already, or the stored one';

-- A new partition has the key of the partitioned table only after that has it.

CREATE FUNCTION objectid_ext_tools._live_late_part(late text, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
    missing regclass;
BEGIN
    FOR key IN EXECUTE format('SELECT relation, name, referred, objectid_ext_tools._live_late_definition(%1$L, relation, name) AS definition'
                              ' FROM ONLY %1$s AS k WHERE definition IS NOT NULL', late) LOOP
        SELECT relid INTO missing
        FROM pg_partition_tree(key.relation)
        WHERE isleaf AND relid <> key.relation
          AND NOT EXISTS (SELECT FROM pg_constraint c WHERE conrelid = relid AND contype = 'f' AND confrelid = key.referred AND conparentid = 0
                                                        AND regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', '') = key.definition)
        ORDER BY relid LIMIT 1;
        IF FOUND THEN
            PERFORM objectid_ext_tools._live_lock(objectid_ext_tools._live_tree(ARRAY[missing, key.referred]), 'SHARE ROW EXCLUSIVE', max_wait);
            EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s NOT VALID', missing, key.name, key.definition);
            EXECUTE format('INSERT INTO %s (relation, name, key, parent, parent_name) SELECT conrelid, conname, oid, $3, $2 FROM pg_constraint WHERE conrelid = $1 AND conname = $2', late)
                USING missing, key.name, key.relation;
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_late_part(text, interval) IS 'internal: adds a foreign key to a new partition; false if all partitions have theirs';

CREATE FUNCTION objectid_ext_tools._live_adopt_key(late text, relation regclass, name name, comment text, referred regclass, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    -- PostgreSQL drops triggers of the partitions' keys, and so needs this lock
    PERFORM objectid_ext_tools._live_lock(objectid_ext_tools._live_tree(ARRAY[relation, referred]), 'ACCESS EXCLUSIVE', max_wait);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', relation, name, objectid_ext_tools._live_late_definition(late, relation, name));
    EXECUTE format('COMMENT ON CONSTRAINT %I ON %s IS %L', name, relation, comment);
    EXECUTE format('DELETE FROM ONLY %s AS k WHERE k.relation = $1 AND k.name = $2 AND definition IS NOT NULL OR parent = $1 AND parent_name = $2', late) USING relation, name;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_adopt_key(text, regclass, name, text, regclass, interval) IS 'internal: adds a foreign key to a partitioned table whose partitions have it';

CREATE FUNCTION objectid_ext_tools._live_finish_late(late text, max_wait interval) RETURNS float8
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET client_min_messages = warning
AS $$
DECLARE
    key record;
BEGIN
    -- renamed meanwhile
    EXECUTE format('UPDATE ONLY %s AS k SET name = conname FROM pg_constraint c WHERE c.oid = k.key AND conrelid = k.relation AND conname <> k.name', late);
    EXECUTE format('DELETE FROM ONLY %s AS k WHERE root IS NULL AND (NOT EXISTS (SELECT FROM pg_class WHERE oid = k.relation)'
                   ' OR definition IS NULL AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = k.relation AND conname = k.name)'
                   ' OR definition IS NOT NULL AND NOT EXISTS (SELECT FROM pg_class WHERE oid = k.referred))', late);
    IF objectid_ext_tools._live_late_part(late, max_wait) THEN
        RETURN 0;
    END IF;
    EXECUTE format('SELECT k.* FROM ONLY %s AS k JOIN pg_constraint ON conrelid = k.relation AND conname = k.name'
                   ' WHERE definition IS NULL AND NOT convalidated ORDER BY k.relation, k.name LIMIT 1', late) INTO key;
    IF key.relation IS NOT NULL THEN
        PERFORM objectid_ext_tools._live_lock(objectid_ext_tools._live_tree(ARRAY[key.relation]), 'SHARE UPDATE EXCLUSIVE', max_wait);
        EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', key.relation, key.name);
        RETURN 0;
    END IF;
    EXECUTE format('SELECT * FROM ONLY %s AS k WHERE definition IS NOT NULL ORDER BY k.relation, k.name LIMIT 1', late) INTO key;
    IF key.relation IS NOT NULL THEN
        PERFORM objectid_ext_tools._live_adopt_key(late, key.relation, key.name, key.comment, key.referred, max_wait);
        RETURN 0;
    END IF;
    EXECUTE format('DROP TABLE %s', late);
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_finish_late(text, interval) IS 'internal: adds, validates or attaches the next foreign key from or to a partitioned table after the columns were replaced; returns NULL at the end';
