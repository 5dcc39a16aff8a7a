----------------------------------------------------------------------
-- Existing tables: what both conversions under a lock share
----------------------------------------------------------------------

-- The columns whose type changes together with a column: all columns that
-- reference it by foreign keys, directly or not, and the columns of partitions
-- and children that inherit one of these, because a foreign key can reference a
-- partition, too.  A constraint with a parent belongs to a partition and follows
-- its parent.

CREATE FUNCTION objectid_ext_tools._referring_columns(
    "table" regclass,
    "column" name,
    OUT relation regclass,
    OUT attribute name,
    OUT attribute_type regtype,
    OUT inherited boolean
) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
-- not all columns of the database
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH RECURSIVE pair (referred, referred_name, referring, referring_name) AS MATERIALIZED (
        SELECT c.confrelid, (SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = c.confrelid AND a.attnum = key.referred),
               c.conrelid, (SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = c.conrelid AND a.attnum = key.referring)
        FROM pg_constraint AS c, LATERAL unnest(c.conkey, c.confkey) AS key (referring, referred)
        WHERE c.contype = 'f' AND c.conparentid = 0
    ), reached (attrelid, attname, inherited) AS (
        SELECT "table"::oid, "column" COLLATE "C", false
        UNION
        SELECT next.*
        FROM reached, LATERAL (
            SELECT inhrelid, reached.attname, true
            FROM pg_inherits
            WHERE inhparent = reached.attrelid
            UNION ALL
            SELECT referring, referring_name, false
            FROM pair
            WHERE referred = reached.attrelid AND referred_name = reached.attname
        ) AS next
    )
    -- a partition can have foreign keys of its own, too
    SELECT a.attrelid::regclass, a.attname, a.atttypid::regtype, bool_or(reached.inherited)
    FROM reached JOIN pg_attribute AS a USING (attrelid, attname)
    WHERE a.attnum > 0 AND NOT a.attisdropped
    GROUP BY a.attrelid, a.attname, a.atttypid;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._referring_columns(regclass, name) IS 'internal: the column, columns that reference it by foreign keys, directly or not, and columns that inherit one of these';

-- A foreign key on a partition has a parent constraint, and is dropped with it.

CREATE FUNCTION objectid_ext_tools._foreign_keys("table" regclass, "column" name, to_type regtype) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT DISTINCT c.oid
    FROM objectid_ext_tools._referring_columns("table", "column")
         JOIN pg_attribute ON attrelid = relation AND attname = attribute
         JOIN pg_constraint c ON relation = conrelid AND attnum = ANY (conkey) OR relation = confrelid AND attnum = ANY (confkey)
    WHERE attribute_type <> to_type AND contype = 'f' AND conparentid = 0
    ORDER BY c.oid
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_keys(regclass, name, regtype) IS 'internal: foreign keys that a conversion drops and adds back';

-- Writers lock tables in either order: an INSERT of a referencing row locks the
-- referencing table first, a DELETE of a referenced row the other one.  So no
-- lock order avoids deadlocks.  Instead, after the first lock we wait for each
-- other lock for less than deadlock_timeout.  If that fails, the subtransaction
-- is rolled back, which releases all locks, and we start with the busy table.

CREATE FUNCTION objectid_ext_tools._lock_tables("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
    first regclass := "table";
    busy regclass;
    locked regclass[];
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table', "table" USING ERRCODE = 'wrong_object_type';
    END IF;
    LOOP
        BEGIN
            busy := NULL;
            EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', first);
            locked := ARRAY[first];
            PERFORM set_config('lock_timeout', '100ms', true);
            LOOP
                -- repeat until there are no more, as tables can be added meanwhile
                FOR busy IN
                    SELECT relation FROM objectid_ext_tools._referring_columns("table", "column") WHERE relation <> ALL (locked)
                    UNION
                    SELECT unnest(ARRAY[conrelid, confrelid])::regclass
                    FROM pg_constraint JOIN objectid_ext_tools._foreign_keys("table", "column", to_type) k ON k = oid
                    WHERE conrelid <> ALL (locked) OR confrelid <> ALL (locked)
                    ORDER BY 1
                LOOP
                    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', busy);
                    locked := locked || busy;
                END LOOP;
                EXIT WHEN NOT FOUND;
            END LOOP;
            PERFORM set_config('lock_timeout', own_timeout, true);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            IF busy IS NULL THEN
                RAISE;
            END IF;
            first := busy;
        END;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_tables(regclass, name, regtype) IS 'internal: locks all tables that a conversion changes, without deadlocks';

-- Views and rules, triggers, policies, functions, publications, generated columns

CREATE FUNCTION objectid_ext_tools._dependent_objects("table" regclass, attnum smallint) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_describe_object(classid, objid, objsubid)
    FROM pg_depend
    WHERE refclassid = 'pg_class'::regclass AND refobjid = "table"
      AND (refobjsubid = attnum
           AND (classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass,
                            'pg_publication_rel'::regclass)
                OR classid = 'pg_attrdef'::regclass AND (SELECT adnum FROM pg_attrdef d WHERE d.oid = objid) <> attnum)
           -- PostgreSQL does not record which columns MERGE writes
           OR classid = 'pg_proc'::regclass AND EXISTS (SELECT FROM pg_proc p WHERE p.oid = objid AND prosqlbody::text LIKE '%{MERGEACTION %'))
      -- of the conversion itself
      AND NOT EXISTS (SELECT FROM pg_trigger t WHERE classid = 'pg_trigger'::regclass AND t.oid = objid AND tgname = '~objectid_ext_conversion')
    GROUP BY classid, objid, objsubid
    ORDER BY classid, objid
$$;
COMMENT ON FUNCTION objectid_ext_tools._dependent_objects(regclass, smallint) IS 'internal: objects that use a column and prevent a change of its type';

-- The table would have to be changed on all Citus nodes.

CREATE FUNCTION objectid_ext_tools._is_distributed("table" regclass) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    distributed boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' INTO distributed USING "table";
    END IF;
    RETURN distributed;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._is_distributed(regclass) IS 'internal: has Citus distributed a table?';

-- What applies to all conversions.  A column that is in the partition key has an
-- internal dependency on the table.

CREATE FUNCTION objectid_ext_tools._column_obstacles("table" regclass, "column" name, to_type regtype, inherited boolean) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    WITH a AS MATERIALIZED (
        SELECT attnum, atttypid, attgenerated, attinhcount, format('column "%s" of table %s', attname, "table") AS name,
               to_type IN ('bigint'::regtype, 'objectid_ext_tools._backfilled'::regtype) AS of_integers
        FROM pg_attribute
        WHERE attrelid = "table" AND attname = "column" AND attnum > 0 AND NOT attisdropped
    )
    SELECT "table", 'wrong_object_type', name || ' is a generated column', NULL, NULL
    FROM a WHERE attgenerated <> ''
    UNION ALL
    SELECT "table", 'wrong_object_type', name || ' is inherited', NULL,
           format('Convert the column of table %s.', (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = "table" ORDER BY inhseqno LIMIT 1))
    FROM a WHERE attinhcount > 0 AND NOT inherited
    UNION ALL
    SELECT "table", 'feature_not_supported', format('table %s is distributed by Citus', "table"), NULL,
           'Convert tables before you distribute them; undistribute_table() makes a distributed table local again.'
    FROM a WHERE objectid_ext_tools._is_distributed("table")
    UNION ALL
    SELECT "table", 'feature_not_supported', format('cannot convert column "%s" because it is part of the partition key of table %s', "column", "table"), NULL,
           'Create a table that is partitioned by the new type, for example with create_id_partitions(), and copy the rows.'
    FROM a
    WHERE atttypid <> to_type
      AND EXISTS (SELECT FROM pg_depend
                  WHERE classid = 'pg_class'::regclass AND objid = "table" AND objsubid = attnum AND deptype = 'i'
                    AND refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = 0)
    UNION ALL
    SELECT "table", 'dependent_objects_still_exist', format('%s is used by %s', name, object), NULL,
           'Drop it, convert the column, and create it again.'
    FROM a, objectid_ext_tools._dependent_objects("table", attnum) AS object
    WHERE atttypid <> to_type
    UNION ALL
    SELECT "table", 'datatype_mismatch', format('%s is of type %s', name, atttypid::regtype),
           CASE WHEN of_integers THEN 'Only integer columns can be converted to snowflakes.'
                ELSE 'Only text, varchar, char, bytea and jsonb can be converted to objectid.' END, NULL
    FROM a
    WHERE atttypid <> ALL (CASE WHEN of_integers THEN '{smallint,integer,bigint}' ELSE '{text,varchar,bpchar,bytea,jsonb}' END::regtype[]);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._column_obstacles(regclass, name, regtype, boolean) IS 'internal: what prevents that the type and default of a column are changed';

-- All that prevents a conversion to bigint, to objectid, or to ids from the past

CREATE FUNCTION objectid_ext_tools._conversion_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    past boolean := to_type = 'objectid_ext_tools._backfilled'::regtype;
    integers boolean := past OR to_type = 'bigint'::regtype;
    each record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind IN ('r', 'p')) THEN
        RETURN QUERY SELECT "table", 'wrong_object_type', format('%s is not a table', "table"), NULL, NULL;
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0 AND NOT attisdropped) THEN
        RETURN QUERY SELECT "table", 'undefined_column', format('column "%s" of table %s does not exist', "column", "table"), NULL, NULL;
        RETURN;
    END IF;
    -- then nothing else matters
    RETURN QUERY SELECT * FROM objectid_ext_tools._column_obstacles("table", "column", to_type, false) WHERE code IN ('datatype_mismatch', 'wrong_object_type');
    IF FOUND THEN
        RETURN;
    END IF;
    FOR each IN
        SELECT r.*, relation = "table" AND attribute = "column" AS key
        FROM objectid_ext_tools._referring_columns("table", "column") AS r
    LOOP
        CONTINUE WHEN each.attribute_type = to_type AND NOT each.key;
        RETURN QUERY SELECT * FROM objectid_ext_tools._column_obstacles(each.relation, each.attribute, to_type, each.inherited AND NOT each.key);
        IF past THEN
            RETURN QUERY SELECT * FROM objectid_ext_tools._past_column_obstacles(each.relation, each.attribute, each.key);
        ELSIF NOT integers THEN
            RETURN QUERY SELECT * FROM objectid_ext_tools._objectid_column_obstacles(each.relation, each.attribute);
        END IF;
        IF each.attribute_type <> to_type THEN
            RETURN QUERY SELECT * FROM objectid_ext_tools._index_user_obstacles(each.relation, each.attribute);
        END IF;
    END LOOP;
    IF integers THEN
        RETURN QUERY SELECT * FROM objectid_ext_tools._default_obstacles("table", "column");
        RETURN QUERY SELECT * FROM objectid_ext_tools._sequence_obstacles("table", "column");
    ELSE
        RETURN QUERY SELECT * FROM objectid_ext_tools._referred_obstacles("table", "column");
        RETURN QUERY SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege USAGE on type %s', current_user, to_type), NULL, format('Use GRANT USAGE ON TYPE %s TO %I.', to_type, current_user)
                     WHERE NOT has_type_privilege(to_type, 'USAGE');
    END IF;
    IF past THEN
        RETURN QUERY SELECT * FROM objectid_ext_tools._past_obstacles("table", "column");
        RETURN QUERY SELECT * FROM objectid_ext_tools._past_schema_obstacles("table");
    END IF;
    RETURN QUERY SELECT * FROM objectid_ext_tools._foreign_key_obstacles("table", "column", to_type);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._conversion_obstacles(regclass, name, regtype) IS 'internal: what prevents any conversion of a column, by the catalog';

-- A conversion in steps must not find its columns converted, and its trigger depends
-- on their type.

CREATE FUNCTION objectid_ext_tools._check_no_steps("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    busy regclass;
BEGIN
    SELECT tgrelid INTO busy
    FROM pg_trigger JOIN objectid_ext_tools._referring_columns("table", "column") ON relation = tgrelid
    WHERE tgname = '~objectid_ext_conversion' ORDER BY tgrelid LIMIT 1;
    IF busy IS NULL THEN
        -- it has begun, but no table has its trigger yet
        SELECT p.root INTO busy
        FROM objectid_ext_tools._live_stores() s, objectid_ext_tools._live_progress(s) p JOIN objectid_ext_tools._referring_columns("table", "column") r ON r.relation = p.root
        ORDER BY p.root LIMIT 1;
    END IF;
    IF FOUND THEN
        RAISE EXCEPTION 'table % is being converted in steps', busy
            USING ERRCODE = 'object_in_use', HINT = 'Call the function that returned the steps again, for those that remain, or use undo_conversion().';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_no_steps(regclass, name) IS 'internal: raises an error if a conversion in steps has begun';

-- Foreign keys are added back with enabled triggers, and all rows are checked.

CREATE FUNCTION objectid_ext_tools._foreign_key_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE key_or_part (oid) AS (
        SELECT objectid_ext_tools._foreign_keys("table", "column", to_type)
        UNION
        SELECT c.oid FROM key_or_part k JOIN pg_constraint c ON c.conparentid = k.oid AND c.contype = 'f'
    )
    SELECT DISTINCT tgrelid::regclass, 'object_not_in_prerequisite_state',
           format('triggers of table %s for foreign key constraint "%s" of table %s are %s', tgrelid::regclass, conname, conrelid::regclass,
                  CASE tgenabled WHEN 'D' THEN 'disabled' WHEN 'R' THEN 'set to ENABLE REPLICA' ELSE 'set to ENABLE ALWAYS' END),
           NULL, format('Use ALTER TABLE %s ENABLE TRIGGER ALL before the conversion.', tgrelid::regclass)
    FROM key_or_part JOIN pg_constraint c USING (oid) JOIN pg_trigger ON tgconstraint = c.oid
    WHERE tgenabled <> 'O'
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_key_obstacles(regclass, name, regtype) IS 'internal: foreign keys that a conversion adds back and that are not enforced';

-- An index cannot be replaced if something else than what is replaced with it needs
-- it: a foreign key to other columns of it, or what is stored with its constraint.

CREATE FUNCTION objectid_ext_tools._index_user_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT "table", 'dependent_objects_still_exist', format('index %s is used by %s', i.indexrelid::regclass, pg_describe_object(d.classid, d.objid, 0)),
           format('The index contains column "%s", but what uses it does not refer to that column.', "column"),
           'Drop it, convert the column, and create it again.'
    FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey)
         LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u')
         JOIN pg_depend d ON d.deptype = 'n' AND (d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indexrelid OR d.refclassid = 'pg_constraint'::regclass AND d.refobjid = k.oid)
         LEFT JOIN pg_constraint f ON d.classid = 'pg_constraint'::regclass AND f.oid = d.objid
    WHERE a.attrelid = "table" AND a.attname = "column" AND (f.oid IS NULL OR f.conparentid = 0 AND a.attnum <> ALL (f.confkey));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._index_user_obstacles(regclass, name) IS 'internal: what prevents that the indexes of a column are dropped';

-- A session keeps the types with which it has compiled a trigger function: NEW.id
-- would raise errors in each that has fired it before.  It compiles a function again
-- if that has changed.

CREATE FUNCTION objectid_ext_tools._compile_again(tables regclass[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET extra_float_digits = 1
AS $$
DECLARE
    function regprocedure;
BEGIN
    FOR function IN
        SELECT p.oid
        FROM pg_proc p JOIN pg_language l ON l.oid = prolang
        WHERE lanname = 'plpgsql' AND objectid_ext_tools._is_own(proowner)
          AND p.oid IN (SELECT tgfoid FROM pg_trigger WHERE tgrelid = ANY (tables) AND NOT tgisinternal)
        ORDER BY p.oid
    LOOP
        FOR attempt IN 1 .. 10 LOOP
            BEGIN
                EXECUTE (SELECT format('ALTER FUNCTION %s COST %s', function, procost) FROM pg_proc WHERE oid = function);
                EXIT;
            EXCEPTION WHEN internal_error OR undefined_function OR null_value_not_allowed THEN
                -- another session has changed it at the same moment, or dropped it
                EXIT WHEN NOT EXISTS (SELECT FROM pg_proc WHERE oid = function);
            END;
        END LOOP;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._compile_again(regclass[]) IS 'internal: lets all sessions compile the functions of triggers of these tables again, as far as the current role owns them';

-- Change the type of a column and of the columns that reference it.  The caller
-- has checked that this is possible.  The foreign keys are dropped meanwhile,
-- because their column types differ until all are changed, and so that each is
-- checked only once.

CREATE FUNCTION objectid_ext_tools._change_column_types("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
    each record;
    source text;
    default_value text;
    drops text[] := '{}';
    types text[] := '{}';
    adds text[] := '{}';
    changed regclass[];
    statement text;
BEGIN
    FOR key IN
        SELECT conrelid::regclass AS relation, conname, pg_get_constraintdef(oid) AS definition,
               obj_description(oid, 'pg_constraint') AS comment
        FROM pg_constraint JOIN objectid_ext_tools._foreign_keys("table", "column", to_type) k ON k = oid
        ORDER BY oid
    LOOP
        drops := drops || format('ALTER TABLE %s DROP CONSTRAINT %I', key.relation, key.conname);
        adds := adds || format('ALTER TABLE %s ADD CONSTRAINT %I %s', key.relation, key.conname, key.definition);
        adds := adds || format('COMMENT ON CONSTRAINT %I ON %s IS %L', key.conname, key.relation, key.comment);
    END LOOP;

    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") WHERE attribute_type <> to_type LOOP
        source := CASE each.attribute_type WHEN 'character'::regtype THEN '(%s)::text::%s' ELSE '(%s)::%s' END;
        -- ALTER TYPE does not convert a default if the cast is explicit; and
        -- partitions can have their own defaults
        IF each.attribute_type IN ('character'::regtype, 'bytea'::regtype, 'jsonb'::regtype) THEN
            SELECT pg_get_expr(adbin, adrelid) INTO default_value
            FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
            WHERE adrelid = each.relation AND attname = each.attribute;
            IF FOUND THEN
                drops := drops || format('ALTER TABLE ONLY %s ALTER COLUMN %I DROP DEFAULT', each.relation, each.attribute);
                adds := adds || format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s',
                                       each.relation, each.attribute, format(source, default_value, to_type));
            END IF;
        END IF;
        IF NOT each.inherited THEN
            types := types || format('ALTER TABLE %s ALTER COLUMN %I TYPE %s USING %s',
                                     each.relation, each.attribute, to_type, format(source, quote_ident(each.attribute), to_type));
        END IF;
    END LOOP;

    changed := ARRAY(SELECT r.relation FROM objectid_ext_tools._referring_columns("table", "column") r WHERE r.attribute_type <> to_type);
    FOREACH statement IN ARRAY drops || types || adds LOOP
        EXECUTE statement;
    END LOOP;
    PERFORM objectid_ext_tools._compile_again(changed);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._change_column_types(regclass, name, regtype) IS 'internal: changes the type of a column and of all columns that reference it';
