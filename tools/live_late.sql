----------------------------------------------------------------------
-- Existing tables under load: foreign keys, and constraints of partitioned tables
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
COMMENT ON FUNCTION objectid_ext_tools._live_swap_late(oid, text) IS 'internal: statements that add a foreign key, and note that it has to be validated';

-- Before PostgreSQL 18, such a key takes about half a millisecond for each pair of
-- partitions, while nobody can use the tables.

CREATE FUNCTION objectid_ext_tools._live_pair_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT "table", 'feature_not_supported', format('foreign key constraint "%s" refers from %s partitions to %s partitions', conname, referring, referred),
           'The tables would be locked for long to replace it.', 'Use PostgreSQL 18 or later, or drop it, convert the column, and create it again.'
    FROM pg_attribute
         JOIN pg_constraint ON conrelid = attrelid AND attnum = ANY (conkey) AND contype = 'f' AND conparentid = 0
         JOIN pg_class t ON t.oid = confrelid AND relkind = 'p',
         LATERAL (SELECT count(*) FROM pg_partition_tree(conrelid) WHERE isleaf) AS f (referring),
         LATERAL (SELECT count(*) FROM pg_partition_tree(confrelid) WHERE isleaf) AS p (referred)
    WHERE attrelid = "table" AND attname = "column" AND referring > 1 AND referring * referred > 1000
      AND current_setting('server_version_num')::integer < 180000;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_pair_obstacles(regclass, name) IS 'internal: foreign keys between partitioned tables that cannot be replaced in short time';

-- Keys of partitions stay in the list until the partitioned table has the key: names
-- in its definition can have changed since.

CREATE FUNCTION objectid_ext_tools._live_late_definition(late text, relation regclass, name name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(
        (SELECT regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', '')
         FROM objectid_ext_tools._live_late_keys(to_regclass(late)) AS k JOIN pg_constraint c ON conrelid = k.relation AND conname = k.name
         WHERE k.parent = $2 AND k.parent_name = $3 AND k.relation IN (SELECT relid FROM pg_partition_tree($2)) LIMIT 1),
        (SELECT objectid_ext_tools._live_referring(k.relation, k.attributes, k.referred, k.referred_attributes) || k.definition
         FROM objectid_ext_tools._live_late_keys(to_regclass(late)) AS k WHERE k.relation = $2 AND k.name = $3 AND k.definition IS NOT NULL))
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_late_definition(text, regclass, name) IS 'internal: definition of a foreign key of a partitioned table: the one that partitions have already, or the stored one';

-- A new partition has the key of the partitioned table only after that has it.

CREATE FUNCTION objectid_ext_tools._live_late_missing(relation regclass, referred regclass, definition text) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT relid
    FROM pg_partition_tree(relation) AS part
    WHERE isleaf AND relid <> relation
      AND NOT EXISTS (SELECT FROM pg_constraint c WHERE conrelid = relid AND contype = 'f' AND confrelid = referred AND conparentid = 0
                                                    AND regexp_replace(pg_get_constraintdef(c.oid), ' NOT VALID$', '') = definition)
    ORDER BY relid LIMIT 1
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_late_missing(regclass, regclass, text) IS 'internal: a partition that does not have a foreign key of the partitioned table, or NULL';

CREATE FUNCTION objectid_ext_tools._live_late_part(late text, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
    missing regclass;
BEGIN
    FOR key IN SELECT k.relation, k.name, k.referred, objectid_ext_tools._live_late_definition(late, k.relation, k.name) AS definition
               FROM objectid_ext_tools._live_late_keys(to_regclass(late)) AS k WHERE k.definition IS NOT NULL LOOP
        missing := objectid_ext_tools._live_late_missing(key.relation, key.referred, key.definition);
        IF missing IS NOT NULL THEN
            PERFORM objectid_ext_tools._live_lock_trees(ARRAY[missing, key.referred], 'SHARE ROW EXCLUSIVE', max_wait);
            PERFORM objectid_ext_tools._live_retry_unless(missing = objectid_ext_tools._live_late_missing(key.relation, key.referred, key.definition)
                                                          AND key.definition = objectid_ext_tools._live_late_definition(late, key.relation, key.name));
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
    PERFORM objectid_ext_tools._live_lock_trees(ARRAY[relation, referred], 'ACCESS EXCLUSIVE', max_wait);
    -- it would look at the rows of a partition that does not have it
    PERFORM objectid_ext_tools._live_retry_unless(
        objectid_ext_tools._live_late_missing(relation, referred, objectid_ext_tools._live_late_definition(late, relation, name)) IS NULL);
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
    detail text;
BEGIN
    -- renamed meanwhile
    EXECUTE format('UPDATE ONLY %s AS k SET name = conname FROM pg_constraint c WHERE c.oid = k.key AND conrelid = k.relation AND conname <> k.name', late);
    EXECUTE format('DELETE FROM ONLY %1$s AS k WHERE root IS NULL AND (NOT EXISTS (SELECT FROM pg_class WHERE oid = k.relation)'
                   ' OR definition IS NULL AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = k.relation AND conname = k.name)'
                   ' OR definition IS NOT NULL AND (NOT EXISTS (SELECT FROM pg_class WHERE oid = k.referred)'
                   ' OR EXISTS (SELECT FROM pg_attribute WHERE attisdropped AND (attrelid = k.relation AND attnum = ANY (k.attributes) OR attrelid = k.referred AND attnum = ANY (k.referred_attributes)))'
                   -- users have dropped that of each partition
                   ' OR (SELECT bool_and(NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = p.relation AND conname = p.name)) FROM %1$s p'
                   ' WHERE p.parent = k.relation AND p.parent_name = k.name AND p.relation IN (SELECT relid FROM pg_partition_tree(k.relation)))))', late);
    IF objectid_ext_tools._live_late_part(late, max_wait) THEN
        RETURN 0;
    END IF;
    SELECT k.* INTO key FROM objectid_ext_tools._live_late_keys(to_regclass(late)) AS k JOIN pg_constraint ON conrelid = k.relation AND conname = k.name
    WHERE k.definition IS NULL AND NOT convalidated ORDER BY k.relation, k.name LIMIT 1;
    IF key.relation IS NOT NULL THEN
        PERFORM objectid_ext_tools._live_lock_trees(ARRAY[key.relation], 'SHARE UPDATE EXCLUSIVE', max_wait);
        PERFORM objectid_ext_tools._live_retry_unless(EXISTS (SELECT FROM pg_constraint WHERE conrelid = key.relation AND conname = key.name));
        BEGIN
            EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', key.relation, key.name);
        EXCEPTION WHEN foreign_key_violation THEN
            -- rows that triggers had not checked
            GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
            RAISE EXCEPTION USING ERRCODE = 'foreign_key_violation', MESSAGE = sqlerrm, DETAIL = detail,
                HINT = 'The columns have been replaced. Correct or delete the row, and call the function that returned the steps again.';
        END;
        RETURN 0;
    END IF;
    SELECT * INTO key FROM objectid_ext_tools._live_late_keys(to_regclass(late)) AS k WHERE k.definition IS NOT NULL ORDER BY k.relation, k.name LIMIT 1;
    IF key.relation IS NOT NULL THEN
        PERFORM objectid_ext_tools._live_adopt_key(late, key.relation, key.name, key.comment, key.referred, max_wait);
        RETURN 0;
    END IF;
    EXECUTE format('DROP TABLE %s', late);
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_finish_late(text, interval) IS 'internal: adds, validates or attaches the next foreign key after the columns were replaced; returns NULL at the end';
