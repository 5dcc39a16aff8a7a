----------------------------------------------------------------------
-- Existing tables under load: replacing the old columns
----------------------------------------------------------------------

-- The last step: the shadow columns take the places of the converted ones.  The
-- statements are made before the tables are locked, and none reads rows.  Partitions
-- inherit the columns, but can have their own defaults, privileges and so on.

CREATE FUNCTION objectid_ext_tools._live_swap_column(relation regclass, attribute name, attribute_type regtype, shadow name, to_type regtype, inherited boolean, OUT before text[], OUT afterwards text[])
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    not_null pg_constraint;
    not_null_shadow name := objectid_ext_tools._live_name('not null ' || shadow);
    not_null_name name := objectid_ext_tools._live_name('NOT NULL ' || attribute);
BEGIN
    SELECT * INTO a FROM pg_attribute WHERE attrelid = relation AND attname = attribute;
    before := ARRAY(
        SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT ', relation, shadow) ||
               format(CASE WHEN attribute_type = 'character'::regtype THEN '(%s)::text::%s'
                           WHEN attribute_type IN ('bytea'::regtype, 'jsonb'::regtype) THEN '(%s)::%s' ELSE '%s' END,
                      pg_get_expr(adbin, adrelid), to_type)
        FROM pg_attrdef WHERE adrelid = relation AND adnum = a.attnum
        UNION ALL
        SELECT format('ALTER SEQUENCE %s OWNED BY %s.%I', objid::regclass, relation, shadow)
        FROM pg_depend JOIN pg_class s ON s.oid = objid AND relkind = 'S'
        WHERE classid = 'pg_class'::regclass AND deptype IN ('a', 'i') AND refclassid = 'pg_class'::regclass AND refobjid = relation AND refobjsubid = a.attnum
        UNION ALL
        SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET STATISTICS %s', relation, shadow, a.attstattarget) WHERE a.attstattarget >= 0
        UNION ALL
        SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET (%s)', relation, shadow, option)
        FROM unnest(a.attoptions) AS option WHERE starts_with(option, 'n_distinct')
        UNION ALL
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', relation, shadow, col_description(relation, a.attnum))
        UNION ALL
        SELECT objectid_ext_tools._column_privileges(relation, attribute, shadow)
        WHERE a.attacl IS DISTINCT FROM (SELECT attacl FROM pg_attribute WHERE attrelid = relation AND attname = shadow));
    afterwards := '{}';
    IF NOT inherited THEN
        afterwards := ARRAY[format('ALTER TABLE %s DROP COLUMN %I', relation, attribute),
                            format('ALTER TABLE %s RENAME COLUMN %I TO %I', relation, shadow, attribute)];
    END IF;
    -- from 18 on, NOT NULL is a constraint, whose name it keeps
    IF a.attnotnull AND NOT EXISTS (SELECT FROM pg_inherits JOIN pg_attribute p ON p.attrelid = inhparent AND p.attname = attribute AND p.attnotnull WHERE inhrelid = relation) THEN
        SELECT * INTO not_null FROM pg_constraint WHERE conrelid = relation AND contype = 'n' AND conkey = ARRAY[a.attnum];
        IF FOUND THEN
            before := before || format('ALTER TABLE %s ADD CONSTRAINT %I NOT NULL %I%s', relation, not_null_name, shadow, CASE WHEN NOT not_null.convalidated THEN ' NOT VALID' END);
            afterwards := afterwards || format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', relation, not_null_name, not_null.conname);
        ELSE
            before := before || format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', relation, shadow);
        END IF;
    END IF;
    before := before || ARRAY(SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', relation, conname) FROM pg_constraint
                              WHERE conrelid = relation AND contype = 'c' AND coninhcount = 0
                                AND conname IN (objectid_ext_tools._live_name('= ' || shadow), not_null_shadow) ORDER BY conname);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap_column(regclass, name, regtype, name, regtype, boolean) IS 'internal: statements that give a shadow column all that the converted column has, and those that put it in its place';

-- Columns of an index keep the names that those of the table had first, and which
-- others of the table can have by now; an attached index follows its parent.

CREATE FUNCTION objectid_ext_tools._live_swap_index_columns(index regclass, shadow text, full_name text, follows boolean) RETURNS text[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH renamed AS MATERIALIZED (
        SELECT n.attname AS old, o.attname AS new, objectid_ext_tools._live_name('column ' || attnum) AS between, attnum
        FROM pg_attribute o JOIN pg_attribute n USING (attnum) JOIN pg_class c ON c.oid = n.attrelid
        WHERE o.attrelid = index AND c.relname = shadow AND n.attname <> o.attname AND NOT follows
          AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = index)
    ), steps (turn, attnum, old, new) AS (
        SELECT 1, r.attnum, r.old, r.between FROM renamed r WHERE r.old IN (SELECT new FROM renamed)
        UNION ALL
        SELECT 2, r.attnum, CASE WHEN r.old IN (SELECT new FROM renamed) THEN r.between ELSE r.old END, r.new FROM renamed r
    )
    SELECT ARRAY(SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', full_name, old, new) FROM steps ORDER BY turn, attnum)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap_index_columns(regclass, text, text, boolean) IS 'internal: statements that give the columns of an index the names of those of the index that it replaces';

CREATE FUNCTION objectid_ext_tools._live_swap_index(index regclass, shadow text, OUT first text, OUT afterwards text[])
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    i pg_index;
    k pg_constraint;
    own_name name;
    full_name text;
    partitioned boolean;
    attached boolean := EXISTS (SELECT FROM pg_inherits WHERE inhrelid = index);
BEGIN
    SELECT * INTO i FROM pg_index WHERE indexrelid = index;
    SELECT relname, format('%I.%I', nspname, relname), relkind = 'I' INTO own_name, full_name, partitioned FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = index;
    SELECT * INTO k FROM pg_constraint WHERE conindid = index AND conrelid = i.indrelid AND contype IN ('p', 'u');
    IF FOUND THEN
        first := format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname);
        afterwards := ARRAY[CASE WHEN partitioned THEN
                                format('ALTER TABLE ONLY %s ADD CONSTRAINT %I %s', k.conrelid::regclass, k.conname, objectid_ext_tools._live_part_constraint(k.oid))
                            ELSE format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I%s%s', k.conrelid::regclass, k.conname,
                                   CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, shadow,
                                   CASE WHEN k.condeferrable THEN ' DEFERRABLE' END, CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' END) END,
                            format('COMMENT ON CONSTRAINT %I ON %s IS %L', k.conname, k.conrelid::regclass, obj_description(k.oid, 'pg_constraint'))] ||
            ARRAY(SELECT format('ALTER INDEX %s ATTACH PARTITION %s', full_name, inhrelid::regclass) FROM pg_inherits WHERE inhparent = index ORDER BY inhrelid);
    ELSE
        first := format('DROP INDEX %s', full_name);
        afterwards := ARRAY[format('ALTER INDEX %I.%I RENAME TO %I', (SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = index), shadow, own_name)];
    END IF;
    IF attached THEN
        -- dropped with the one of the parent
        first := NULL;
    END IF;
    afterwards := afterwards || format('COMMENT ON INDEX %s IS %L', full_name, obj_description(index, 'pg_class')) ||
        ARRAY(SELECT format('ALTER INDEX %s DEPENDS ON EXTENSION %I', full_name, extname)
              FROM pg_depend JOIN pg_extension e ON e.oid = refobjid
              WHERE classid = 'pg_class'::regclass AND objid = index AND refclassid = 'pg_extension'::regclass AND deptype = 'x' ORDER BY extname) ||
        ARRAY(SELECT format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', full_name, attnum, attstattarget) FROM pg_attribute WHERE attrelid = index AND attstattarget >= 0) ||
        objectid_ext_tools._live_swap_index_columns(index, shadow, full_name, attached AND k.oid IS NULL);
    IF i.indisclustered THEN
        afterwards := afterwards || format('ALTER TABLE %s CLUSTER ON %I', i.indrelid::regclass, own_name);
    END IF;
    IF i.indisreplident THEN
        afterwards := afterwards || format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', i.indrelid::regclass, own_name);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap_index(regclass, text) IS 'internal: statements that drop an index, and that put the one of the shadow columns in its place';

CREATE FUNCTION objectid_ext_tools._live_swap("table" regclass, "column" name, to_type regtype) RETURNS text[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    part record;
    constraints text[] := '{}';
    indexes text[] := '{}';
    befores text[] := '{}';
    columns text[] := '{}';
    afterwards text[] := '{}';
    lates text[] := '{}';
    late text := objectid_ext_tools._live_late("table", "column");
BEGIN
    -- indexes of partitions are there before they are attached; foreign keys act in the
    -- order of their OIDs
    FOR each IN SELECT * FROM objectid_ext_tools._live_objects("table", "column", to_type) o
                ORDER BY o.kind = 'index' DESC, CASE WHEN o.kind = 'index' THEN (SELECT count(*) FROM pg_partition_ancestors(o.relation)) END DESC, o.object
    LOOP
        IF each.kind = 'index' THEN
            SELECT * INTO part FROM objectid_ext_tools._live_swap_index(each.object, each.shadow);
            indexes := indexes || part.first;
            afterwards := afterwards || part.afterwards;
        ELSIF each.state = 'late' THEN
            constraints := constraints || format('ALTER TABLE %s DROP CONSTRAINT %I', each.relation, each.object_name);
            lates := lates || objectid_ext_tools._live_swap_late(each.object, late);
        ELSE
            constraints := constraints || format('ALTER TABLE %s DROP CONSTRAINT %I', each.relation, each.object_name);
            afterwards := afterwards || format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', each.relation, each.shadow, each.object_name) ||
                format('COMMENT ON CONSTRAINT %I ON %s IS %L', each.object_name, each.relation, obj_description(each.object, 'pg_constraint')) ||
                ARRAY(SELECT format('COMMENT ON CONSTRAINT %I ON %s IS %L', conname, conrelid::regclass, obj_description(oid, 'pg_constraint'))
                      FROM pg_constraint
                      WHERE conrelid = ANY (objectid_ext_tools._live_tree(ARRAY[each.relation])) AND conname = each.object_name AND coninhcount > 0);
        END IF;
    END LOOP;
    FOR each IN SELECT * FROM objectid_ext_tools._live_columns("table", "column", to_type) ORDER BY inherited, relation, attribute LOOP
        SELECT * INTO part FROM objectid_ext_tools._live_swap_column(each.relation, each.attribute, each.attribute_type, each.shadow, to_type, each.inherited);
        befores := befores || part.before;
        columns := columns || part.afterwards;
    END LOOP;
    IF lates <> '{}' THEN
        lates := ARRAY[format('CREATE TABLE %s (relation regclass, name name, key oid, definition text, comment text, attributes smallint[], referred regclass, referred_attributes smallint[], parent regclass, parent_name name, root regclass, attribute name)', late),
                       -- it can be published, too
                       format('ALTER TABLE %s REPLICA IDENTITY FULL', late),
                       format('SELECT objectid_ext_tools._live_revoke(''pg_class'', %L::regclass)', late),
                       format('INSERT INTO %1$s (key, attributes, root, attribute) VALUES (%2$L::regclass, %3$s, %2$L, %4$L)', late, "table",
                              objectid_ext_tools._live_late_attributes("table", ARRAY(SELECT attnum FROM pg_attribute WHERE attrelid = "table" AND attname = "column")), "column")] || lates;
    END IF;
    -- foreign keys are dropped before the indexes that they need
    RETURN befores || objectid_ext_tools._live_drop_triggers(objectid_ext_tools._live_state("table", "column")) || constraints || indexes || columns || afterwards || lates;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap(regclass, name, regtype) IS 'internal: statements that put shadow columns in the places of the converted ones';

-- A function on which something depends, or that an event trigger keeps, stays, and
-- the conversion goes on.

CREATE FUNCTION objectid_ext_tools._live_drop_function(function oid) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_proc WHERE oid = function AND proname LIKE E'\\_objectid\\_ext\\_%') THEN
        EXECUTE format('DROP FUNCTION %s', function::regprocedure);
    END IF;
EXCEPTION
    WHEN lock_not_available OR deadlock_detected THEN
        RAISE;
    WHEN others THEN
        -- GRANT does not lock a function, but changes it
        PERFORM objectid_ext_tools._live_retry_unless(sqlerrm NOT LIKE 'tuple concurrently %');
        RAISE WARNING 'function % is not used any more, but could not be dropped: %', function::regprocedure, sqlerrm;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_drop_function(oid) IS 'internal: drops the function of a trigger, or raises a warning';

-- A table that is dropped takes its trigger with it, but not the function.

CREATE FUNCTION objectid_ext_tools._live_unused() RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('SELECT objectid_ext_tools._live_drop_function(%s)', p.oid)
    FROM pg_proc p
    WHERE proname LIKE E'\\_objectid\\_ext\\_%' AND prorettype = 'trigger'::regtype
      AND obj_description(p.oid, 'pg_proc') = 'keeps columns during a conversion by objectid_ext_tools'
      AND objectid_ext_tools._is_own(proowner)
      AND NOT EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_proc'::regclass AND refobjid = p.oid OR classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_unused() IS 'internal: statements that drop functions of the current role for triggers of tables that were dropped';

CREATE FUNCTION objectid_ext_tools._live_drop_triggers(state text, tables regclass[] DEFAULT '{}') RETURNS text[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    statements text[] := '{}';
BEGIN
    tables := tables || ARRAY(SELECT s.relation FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s);
    FOR each IN
        SELECT tgrelid::regclass AS relation, tgfoid AS function
        FROM pg_trigger WHERE tgrelid = ANY (tables) AND tgname = '~objectid_ext_conversion' AND tgparentid = 0
    LOOP
        statements := statements || format('DROP TRIGGER "~objectid_ext_conversion" ON %s', each.relation) || format('SELECT objectid_ext_tools._live_drop_function(%s)', each.function);
    END LOOP;
    RETURN statements || CASE WHEN to_regclass(state) IS NOT NULL THEN format('DROP TABLE %s', state) END || ARRAY(SELECT objectid_ext_tools._backfill_drop(state)) || ARRAY(SELECT objectid_ext_tools._live_unused());
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_drop_triggers(text, regclass[]) IS 'internal: statements that drop the triggers of a conversion, also those of more tables, and what stores its progress';

CREATE FUNCTION objectid_ext_tools._execute(statements text[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    FOREACH statement IN ARRAY array_remove(statements, NULL) LOOP
        EXECUTE statement;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._execute(text[]) IS 'internal: executes statements';

-- Checks take longer than the tables may be locked.  So they precede the locks,
-- and then this tells whether the catalog still says the same of the tables.

CREATE FUNCTION objectid_ext_tools._live_catalog_state(tables regclass[]) RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT md5(string_agg(concat_ws(' ', tableoid, ctid, xmin), ',' ORDER BY tableoid, ctid))
    FROM (SELECT tableoid, ctid, xmin FROM pg_class WHERE oid = ANY (tables)
          UNION ALL SELECT c.tableoid, c.ctid, c.xmin FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_index WHERE indrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_attribute WHERE attrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_attrdef WHERE adrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_constraint WHERE conrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_constraint WHERE confrelid = ANY (tables) AND conrelid <> ALL (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_trigger WHERE tgrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_rewrite WHERE ev_class = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_inherits WHERE inhrelid = ANY (tables) OR inhparent = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_depend WHERE refclassid = 'pg_class'::regclass AND refobjid = ANY (tables)) AS c
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_catalog_state(regclass[]) IS 'internal: a value that changes if the definition of one of the tables, or what depends on it, changes';

CREATE FUNCTION objectid_ext_tools._live_obstacles("table" regclass, "column" name, to_type regtype, state text) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
BEGIN
    -- so that the highest id is found at once
    RETURN QUERY SELECT "table", 'object_not_in_prerequisite_state', format('column "%s" of table %s is not the first column of an index', "column", "table"), NULL,
                        'Use CREATE INDEX CONCURRENTLY to create one, or use convert_to_snowflake(), which locks the tables.'
                 WHERE to_type = 'bigint'::regtype
                   AND NOT EXISTS (SELECT FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_am m ON m.oid = relam AND amname = 'btree'
                                        JOIN pg_attribute a ON a.attrelid = indrelid AND a.attnum = indkey[0]
                                   WHERE indrelid = "table" AND a.attname = "column" AND indpred IS NULL AND indisvalid);
    FOR each IN SELECT * FROM objectid_ext_tools._live_columns("table", "column", to_type) LOOP
        RETURN QUERY SELECT * FROM objectid_ext_tools._live_column_obstacles(each.relation, each.attribute, NOT each.inherited AND (each.relation <> "table" OR each.attribute <> "column"));
        RETURN QUERY SELECT * FROM objectid_ext_tools._live_index_obstacles(each.relation, each.attribute, to_type);
        RETURN QUERY SELECT * FROM objectid_ext_tools._live_published_obstacles(each.relation);
        RETURN QUERY SELECT * FROM objectid_ext_tools._live_privilege_obstacles(each.relation);
        RETURN QUERY SELECT * FROM objectid_ext_tools._live_table_obstacles(each.relation, state);
    END LOOP;
    RETURN QUERY SELECT * FROM objectid_ext_tools._live_room_obstacles("table", "column", to_type);
    RETURN QUERY SELECT * FROM objectid_ext_tools._live_whole_row_obstacles(ARRAY(SELECT relation FROM objectid_ext_tools._live_columns("table", "column", to_type)));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_obstacles(regclass, name, regtype, text) IS 'internal: what prevents a conversion under load beside what prevents any, by the catalog';

CREATE FUNCTION objectid_ext_tools._live_check("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text;
BEGIN
    PERFORM objectid_ext_tools._live_check_family("table", "column", to_type);
    state := objectid_ext_tools._live_state("table", "column");
    -- an error if the list that the last step makes would be one of another table
    PERFORM objectid_ext_tools._live_late("table", "column");
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._conversion_obstacles("table", "column", to_type) AS o));
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._live_obstacles("table", "column", to_type, state) AS o));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check(regclass, name, regtype) IS 'internal: raises an error if something stands in the way of a conversion under load';

CREATE FUNCTION objectid_ext_tools._live_tables("table" regclass, "column" name, to_type regtype) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._live_tree(array_agg(oid::regclass))
    FROM (SELECT "table"::oid
          UNION SELECT relation FROM objectid_ext_tools._live_columns("table", "column", to_type)
          UNION SELECT unnest(ARRAY[conrelid, confrelid]) FROM pg_constraint JOIN objectid_ext_tools._foreign_keys("table", "column", to_type) k ON k = oid) AS t (oid)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_tables(regclass, name, regtype) IS 'internal: tables that the end of a conversion changes';

CREATE FUNCTION objectid_ext_tools._live_finish("table" regclass, "column" name, to_type regtype, max_wait interval, node integer, layout snowflake_layout) RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET client_min_messages = warning
SET default_tablespace = ''
SET default_table_access_method = heap
AS $$
DECLARE
    tables regclass[] := objectid_ext_tools._live_tables("table", "column", to_type);
    checked text := objectid_ext_tools._live_catalog_state(tables);
    statements text[] := '{}';
    changed regclass[];
    seq regclass;
    highest bigint;
    late text := objectid_ext_tools._live_late("table", "column");
BEGIN
    IF objectid_ext_tools._live_found(late) IS NOT NULL THEN
        RETURN objectid_ext_tools._live_finish_late(late, max_wait);
    END IF;
    PERFORM objectid_ext_tools._live_check("table", "column", to_type);
    IF layout IS NOT NULL AND to_type = 'bigint'::regtype THEN
        PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._new_id_obstacles("table", "column", node, layout) AS o));
    END IF;
    IF objectid_ext_tools._live_finish_parts("table", "column", to_type, max_wait) THEN
        RETURN 0;
    END IF;
    changed := ARRAY(SELECT relation FROM objectid_ext_tools._live_columns("table", "column", to_type));
    IF changed <> '{}' THEN
        PERFORM objectid_ext_tools._live_check_complete("table", "column", to_type);
        IF to_type = 'objectid_ext_tools._backfilled'::regtype AND objectid_ext_tools._backfill_verify("table", "column", tables) THEN
            RETURN 0;
        END IF;
        statements := objectid_ext_tools._live_swap("table", "column", to_type);
    ELSIF to_regclass(objectid_ext_tools._live_state("table", "column")) IS NOT NULL THEN
        -- the foreign keys by which columns took part were dropped
        statements := objectid_ext_tools._live_drop_triggers(objectid_ext_tools._live_state("table", "column"));
    END IF;
    IF layout IS NOT NULL THEN
        seq := objectid_ext_tools._sequence_of("table", "column");
    END IF;

    PERFORM objectid_ext_tools._live_lock(tables, 'ACCESS EXCLUSIVE', max_wait);
    IF objectid_ext_tools._live_catalog_state(tables) <> checked THEN
        RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = 'tables have changed';
    END IF;
    IF layout IS NOT NULL THEN
        IF to_type = 'objectid_ext_tools._backfilled'::regtype THEN
            highest := objectid_ext_tools._backfill_highest("table", "column");
        ELSE
            highest := objectid_ext_tools._highest_id("table", "column");
            PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._highest_obstacles("table", "column", highest, layout) AS o));
        END IF;
        seq := objectid_ext_tools._prepare_sequence("table", "column", seq, highest, node, layout);
    END IF;
    PERFORM objectid_ext_tools._check_overloads(tables);
    PERFORM objectid_ext_tools._execute(statements);
    PERFORM objectid_ext_tools._check_overloads(tables);
    PERFORM objectid_ext_tools._compile_again(f) FROM objectid_ext_tools._trigger_functions(changed) AS f;
    IF layout IS NOT NULL THEN
        PERFORM objectid_ext_tools._set_snowflake_default("table", "column", seq, node, layout);
    END IF;
    RETURN CASE WHEN objectid_ext_tools._live_found(late) IS NOT NULL THEN 0 END;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_finish(regclass, name, regtype, interval, integer, snowflake_layout) IS 'internal: completes a conversion; returns the seconds to wait before it is called again, and NULL at the end';

CREATE FUNCTION objectid_ext_tools._live_check_complete("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    remaining text;
BEGIN
    SELECT * INTO remaining FROM objectid_ext_tools._live_remaining("table", "column", to_type) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'conversion of column "%" of table % is not complete', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = remaining,
                  HINT = 'Call the function that returned this step again, for the steps that remain.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_complete(regclass, name, regtype) IS 'internal: raises an error if a step before the last one is missing';

-- What the last step requires

CREATE FUNCTION objectid_ext_tools._live_remaining("table" regclass, "column" name, to_type regtype) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
BEGIN
    IF to_regclass(state) IS NULL THEN
        RETURN NEXT 'It has not begun.';
        RETURN;
    END IF;
    RETURN QUERY SELECT format('Column "%s" of table %s has no shadow column.', attribute, relation)
                 FROM objectid_ext_tools._live_unbegun("table", "column", to_type), unnest(missing) AS attribute ORDER BY relation::text COLLATE "C", attribute;
    RETURN QUERY SELECT format('The trigger or a check of table %s is missing, or not up to date.', relation)
                 FROM objectid_ext_tools._live_unbegun("table", "column", to_type) WHERE missing = '{}' ORDER BY relation::text COLLATE "C";
    RETURN QUERY SELECT format('Table %s is not filled.', s.relation) FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s
                 WHERE s.pages IS NULL OR s.page < s.pages ORDER BY s.relation::text COLLATE "C";
    RETURN QUERY SELECT format('Constraint "%s" of table %s is not validated.', conname, relation)
                 FROM objectid_ext_tools._live_columns("table", "column", to_type)
                      JOIN pg_constraint ON conrelid = relation AND conname IN (objectid_ext_tools._live_name('= ' || shadow), objectid_ext_tools._live_name('not null ' || shadow))
                 WHERE NOT convalidated ORDER BY relation::text COLLATE "C", conname;
    RETURN QUERY SELECT format('The %s "%s" of table %s does not exist for the shadow columns.', kind, object_name, relation)
                 FROM objectid_ext_tools._live_objects("table", "column", to_type) o WHERE o.state IN ('missing', 'begun') ORDER BY kind DESC, relation::text COLLATE "C", object_name;
    RETURN QUERY SELECT format('The %s of table %s is not needed.', coalesce('index ' || index_name, format('constraint "%s"', constraint_name)), relation)
                 FROM objectid_ext_tools._live_strays("table", "column", to_type);
    RETURN QUERY SELECT 'Transactions can run that began before rows were filled.'
                 WHERE EXISTS (SELECT FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s JOIN pg_index ON indexrelid = s.wait
                               WHERE indrelid = to_regclass(state) AND indisprimary);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_remaining(regclass, name, regtype) IS 'internal: what is missing before the last step of a conversion';
