----------------------------------------------------------------------
-- Existing tables: what both conversions under a lock share
----------------------------------------------------------------------

-- The columns whose type changes together with a column: all columns that
-- reference it by foreign keys, directly or not, and the columns of partitions
-- and children that inherit one of these, because a foreign key can reference a
-- partition, too.  A constraint with a parent belongs to a partition and follows
-- its parent.  This is called often, so it is in PL/pgSQL, which keeps its plan.

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
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT DISTINCT c.oid
    FROM objectid_ext_tools._referring_columns("table", "column")
         JOIN pg_attribute ON attrelid = relation AND attname = attribute
         JOIN pg_constraint c ON relation = conrelid AND attnum = ANY (conkey) OR relation = confrelid AND attnum = ANY (confkey)
    WHERE attribute_type <> to_type AND contype = 'f' AND conparentid = 0
    ORDER BY c.oid;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_keys(regclass, name, regtype) IS 'internal: foreign keys that a conversion drops and adds back';

-- Writers lock tables in either order: an INSERT of a referencing row locks the
-- referencing table first, a DELETE of a referenced row the other one.  So no
-- lock order avoids deadlocks.  Instead, after the first lock we wait for each
-- other lock for less than deadlock_timeout.  If that fails, the subtransaction
-- is rolled back, which releases all locks, and we start with what was busy: a
-- table, or the function of a trigger, which a transaction can have changed that
-- writes the tables later.

CREATE FUNCTION objectid_ext_tools._lock_tables("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
    first regclass := "table";
    first_function oid;
    busy regclass;
    busy_function oid;
    locked regclass[];
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table', "table" USING ERRCODE = 'wrong_object_type';
    END IF;
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._foreign_obstacles(objectid_ext_tools._live_tree(ARRAY["table"])) AS o));
    LOOP
        BEGIN
            busy := NULL;
            busy_function := NULL;
            locked := '{}';
            IF first_function IS NULL THEN
                EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', first);
                locked := ARRAY[first];
            ELSE
                PERFORM objectid_ext_tools._compile_again(first_function);
            END IF;
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
            busy := NULL;
            FOR busy_function IN
                SELECT objectid_ext_tools._trigger_functions(array_agg(relation)) FROM objectid_ext_tools._referring_columns("table", "column") WHERE attribute_type <> to_type
            LOOP
                PERFORM objectid_ext_tools._compile_again(busy_function);
            END LOOP;
            PERFORM set_config('lock_timeout', own_timeout, true);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            IF busy IS NULL AND busy_function IS NULL THEN
                RAISE;
            END IF;
            first := busy;
            first_function := busy_function;
        END;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_tables(regclass, name, regtype) IS 'internal: locks all tables that a conversion changes, and the functions of their triggers, without deadlocks; these functions will be compiled again';

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

-- A session keeps the types with which it has compiled a trigger function: NEW.id
-- would raise errors in each that has fired it before.  It compiles a function again
-- if that has changed in a transaction that was committed.

CREATE FUNCTION objectid_ext_tools._trigger_functions(tables regclass[]) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT p.oid
    FROM pg_proc p JOIN pg_language l ON l.oid = prolang
    WHERE lanname = 'plpgsql' AND objectid_ext_tools._is_own(proowner)
      AND p.oid IN (SELECT tgfoid FROM pg_trigger WHERE tgrelid = ANY (tables) AND NOT tgisinternal)
    ORDER BY p.oid
$$;
COMMENT ON FUNCTION objectid_ext_tools._trigger_functions(regclass[]) IS 'internal: functions of triggers of these tables that sessions compile, as far as the current role owns them';

CREATE FUNCTION objectid_ext_tools._compile_again(function oid) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET extra_float_digits = 1
AS $$
BEGIN
    FOR attempt IN 1 .. 10 LOOP
        BEGIN
            EXECUTE (SELECT format('ALTER FUNCTION %s COST %s', oid::regprocedure, procost) FROM pg_proc WHERE oid = function);
            EXIT;
        EXCEPTION WHEN internal_error OR undefined_function OR null_value_not_allowed THEN
            -- another session has changed it at the same moment, or dropped it
            EXIT WHEN NOT EXISTS (SELECT FROM pg_proc WHERE oid = function);
        END;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._compile_again(oid) IS 'internal: lets all sessions compile a function again; waits for a transaction that has changed it';

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
    statement text;
    tables regclass[] := objectid_ext_tools._live_tables("table", "column", to_type);
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

    FOREACH statement IN ARRAY drops || types || adds LOOP
        PERFORM objectid_ext_tools._check_overloads(tables);
        EXECUTE statement;
    END LOOP;
    PERFORM objectid_ext_tools._check_overloads(tables);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._change_column_types(regclass, name, regtype) IS 'internal: changes the type of a column and of all columns that reference it';
