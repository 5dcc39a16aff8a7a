----------------------------------------------------------------------
-- Partitions by the time of ids: owners and locks
----------------------------------------------------------------------

-- The partitions of a partition have expressions, too.  A table that is not one has no
-- partition tree.

CREATE FUNCTION objectid_ext_tools._check_partition_owner("table" regclass) RETURNS void
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._check_owner("table" || ARRAY(SELECT relid FROM objectid_ext_tools._partition_tree("table")))
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_partition_owner(regclass) IS 'internal: raises an error unless a table and its partitions belong to the current role, or all are superusers';

-- Others wait for what a call has locked, and look for a deadlock once, after
-- deadlock_timeout.  No wait of the call ends later than that after its first lock: each
-- lasts half of what is left at most, and then there is none.

CREATE FUNCTION objectid_ext_tools._limit_wait() RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    deadline numeric := nullif(current_setting('objectid_ext_tools.waits_end', true), '');
    remaining integer := greatest(0, least(2147483647, (deadline - 1000 * extract(epoch FROM clock_timestamp())) / 2));
BEGIN
    IF deadline IS NOT NULL THEN
        PERFORM set_config('lock_timeout', greatest(1, least(remaining, setting::integer))::text, true) FROM pg_settings WHERE name = 'lock_timeout';
    END IF;
    RETURN deadline IS NULL OR remaining > 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._limit_wait() IS 'internal: sets lock_timeout to half of the time that is left for waits, at most; false if there is none left';

-- Names are looked up again by each command.  In PostgreSQL 15, ALTER SCHEMA ... RENAME waits
-- for this lock, which no privilege is needed for, and CREATE TABLE would wait for a rename;
-- in 17 and later, they do not.

CREATE FUNCTION objectid_ext_tools._lock_schema("table" regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    renamed name := (SELECT nspname
                     FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace,
                          LATERAL pg_get_object_address('schema', ARRAY[nspname::text], '{}') AS locked
                     WHERE c.oid = "table" AND locked.objid <> n.oid);
BEGIN
    IF renamed IS NOT NULL THEN
        RAISE EXCEPTION 'schema % has been renamed', renamed USING ERRCODE = 'invalid_schema_name', HINT = 'Run the function again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_schema(regclass) IS 'internal: locks the schema of a table, on PostgreSQL 15 against renaming; raises an error if another schema gets its name meanwhile';

-- While this waits, another table can get the name, and one of a list can be dropped.
-- LOCK TABLE asks owners for a privilege, too, unlike other commands that lock a table.

CREATE FUNCTION objectid_ext_tools._lock_each(tables regclass[], mode text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    privileges text := 'UPDATE, DELETE, TRUNCATE' || CASE WHEN current_setting('server_version_num')::integer >= 170000 THEN ', MAINTAIN' ELSE '' END;
    each regclass;
    name text;
BEGIN
    FOREACH each IN ARRAY tables LOOP
        CONTINUE WHEN NOT EXISTS (SELECT FROM pg_class WHERE oid = each);
        PERFORM objectid_ext_tools._limit_wait(), objectid_ext_tools._lock_schema(each);
        name := each;
        IF mode <> 'ACCESS SHARE' AND NOT has_table_privilege(each, privileges) THEN
            RAISE EXCEPTION 'permission denied for table %', name
                USING ERRCODE = 'insufficient_privilege', DETAIL = 'To lock a table, its owner needs the privilege UPDATE, DELETE or TRUNCATE on it, too.';
        END IF;
        EXECUTE format('LOCK TABLE ONLY %s IN %s MODE%s', name, mode, CASE WHEN objectid_ext_tools._limit_wait() THEN '' ELSE ' NOWAIT' END);
        IF to_regclass(name) IS DISTINCT FROM each THEN
            RAISE EXCEPTION 'table % has been renamed', name USING ERRCODE = 'undefined_table', HINT = 'Run the function again.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_each(regclass[], text) IS 'internal: locks those of these tables that exist, in this order; raises an error if another table gets the name of one meanwhile';

-- In the order of LOCK TABLE.  That waits for each partition as long as for the first, and
-- foreign tables cannot be locked.

CREATE FUNCTION objectid_ext_tools._lock_tree("table" regclass, mode text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    child regclass;
BEGIN
    PERFORM objectid_ext_tools._lock_each(ARRAY["table"], mode);
    FOR child IN
        SELECT inhrelid FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = "table" AND relkind <> 'f' ORDER BY inhrelid
    LOOP
        PERFORM objectid_ext_tools._lock_tree(child, mode);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_tree(regclass, text) IS 'internal: locks a table and its partitions like _lock_each(), except foreign tables';

-- What a foreign key has for the partitions of the table it refers to links that
-- table with itself.

CREATE FUNCTION objectid_ext_tools._referred_tables(parent regclass) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT DISTINCT confrelid::regclass FROM pg_constraint JOIN pg_class c ON c.oid = confrelid
                 WHERE contype = 'f' AND conrelid = parent AND confrelid NOT IN (SELECT relid FROM objectid_ext_tools._partition_tree(parent))
                   AND objectid_ext_tools._is_own(relowner) ORDER BY 1)
$$;
COMMENT ON FUNCTION objectid_ext_tools._referred_tables(regclass) IS 'internal: those other tables of the current role to which foreign keys of a table refer';

CREATE FUNCTION objectid_ext_tools._referring_tables(parent regclass) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT DISTINCT conrelid::regclass FROM pg_constraint
                 WHERE contype = 'f' AND confrelid = parent AND conrelid NOT IN (SELECT relid FROM objectid_ext_tools._partition_tree(parent)) ORDER BY 1)
$$;
COMMENT ON FUNCTION objectid_ext_tools._referring_tables(regclass) IS 'internal: other tables whose foreign keys refer to a table';

CREATE FUNCTION objectid_ext_tools._linked_parents(parent regclass) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT DISTINCT c.oid::regclass
                 FROM unnest(parent || objectid_ext_tools._referred_tables(parent) || objectid_ext_tools._referring_tables(parent)) AS linked
                      JOIN pg_class c ON c.oid = linked
                 WHERE c.oid = parent OR relkind = 'p' AND objectid_ext_tools._is_own(relowner) ORDER BY 1)
$$;
COMMENT ON FUNCTION objectid_ext_tools._linked_parents(regclass) IS 'internal: a table, and those partitioned ones of the current role that foreign keys link with it';

CREATE FUNCTION objectid_ext_tools._short_wait() RETURNS integer
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT greatest(1, setting::integer / 2) FROM pg_settings WHERE name = 'deadlock_timeout'
$$;
COMMENT ON FUNCTION objectid_ext_tools._short_wait() IS 'internal: half of deadlock_timeout, in milliseconds';

-- Two calls for linked tables would lock these in either order, so a call begins with
-- this lock on all of them, in the order of their OIDs: the second waits for the first,
-- and then finds what it has done.  From now on, foreign keys, partitions, owners and
-- names cannot change.  This lock conflicts with no statement that reads or writes
-- rows, so a wait for it blocks none of them, and lasts longer than lock_timeout.  It
-- conflicts with ANALYZE and ALTER TABLE, so an attempt ends, and gives back its locks,
-- before a transaction that has one of these tables and waits for another fails.

CREATE FUNCTION objectid_ext_tools._try_lock_calls(parent regclass, patience integer) RETURNS regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
    linked regclass[];
    busy regclass;
BEGIN
    -- twice, because foreign keys can be added before the parent is locked
    FOR pass IN 1 .. 2 LOOP
        linked := objectid_ext_tools._linked_parents(parent);
        IF parent <> ALL (linked) THEN
            RAISE EXCEPTION 'table with OID % does not exist', parent::oid USING ERRCODE = 'undefined_table';
        END IF;
        PERFORM set_config('lock_timeout', greatest(1, patience / cardinality(linked))::text, true);
        FOREACH busy IN ARRAY linked LOOP
            PERFORM objectid_ext_tools._lock_each(ARRAY[busy], 'SHARE UPDATE EXCLUSIVE');
        END LOOP;
    END LOOP;
    PERFORM set_config('lock_timeout', own_timeout, true);
    RETURN NULL;
EXCEPTION WHEN lock_not_available THEN
    RETURN busy;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._try_lock_calls(regclass, integer) IS 'internal: locks a table and those linked with it, all or none, within so many milliseconds; returns the table that could not be locked';

CREATE FUNCTION objectid_ext_tools._lock_calls(parent regclass, patience integer) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    began timestamptz := clock_timestamp();
    attempt integer := least(objectid_ext_tools._short_wait(), nullif(patience, 0));
    busy regclass;
BEGIN
    LOOP
        busy := objectid_ext_tools._try_lock_calls(parent, attempt);
        EXIT WHEN busy IS NULL;
        IF patience > 0 AND clock_timestamp() >= began + patience * interval '1 ms' THEN
            RAISE EXCEPTION 'could not lock table %', busy
                USING ERRCODE = 'lock_not_available',
                      DETAIL = (SELECT format('Processes that hold locks on it: %s.', coalesce(string_agg(DISTINCT coalesce(pid::text, 'a prepared transaction'), ', '), 'none any more'))
                                FROM pg_locks
                                WHERE locktype = 'relation' AND relation = busy AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                                  AND granted AND mode NOT IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')),
                      HINT = 'Another call of the function can be at work, or a command such as ANALYZE or ALTER TABLE.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_calls(regclass, integer) IS 'internal: waits for other calls for a table and those linked with it, and locks them against changes of partitions; an error that names the processes that hold locks, after so many milliseconds, if not 0';

-- Then the waits of a call: other statements wait for what it has locked.  It gives up
-- before they find that this is a deadlock, and fail.  A transaction that has written
-- can hold such locks of an earlier call, as one that has locked tables, so it does not wait
-- for other calls any longer.

CREATE FUNCTION objectid_ext_tools._lock_parent(parent regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_timeout integer := (SELECT setting FROM pg_settings WHERE name = 'lock_timeout');
    short integer := coalesce(nullif(own_timeout, 0), objectid_ext_tools._short_wait());
    is_late boolean := pg_current_xact_id_if_assigned() IS NOT NULL
                       OR EXISTS (SELECT FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation' AND mode NOT IN ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock'));
BEGIN
    PERFORM objectid_ext_tools._lock_calls(parent, CASE WHEN is_late THEN short WHEN own_timeout > 0 THEN greatest(own_timeout, 60000) ELSE 0 END);
    PERFORM objectid_ext_tools._check_owner(ARRAY(SELECT relid FROM pg_partition_ancestors(parent)));
    PERFORM set_config('lock_timeout', short::text, true),
            set_config('objectid_ext_tools.waits_end', (1000 * extract(epoch FROM clock_timestamp()) + greatest(1.8 * objectid_ext_tools._short_wait(), 2.0 * own_timeout))::text, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_parent(regclass) IS 'internal: waits for other calls, and locks a partitioned table against changes of its partitions; raises an error unless it and its ancestors belong to the current role, or all are superusers; limits the waits that follow, which the caller resets';
