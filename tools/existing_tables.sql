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
