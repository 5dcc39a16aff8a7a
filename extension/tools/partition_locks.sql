----------------------------------------------------------------------
-- Partitions by the time of ids: owners and locks
----------------------------------------------------------------------

-- The partitions of a partition have expressions, too.  A table that is not one has no
-- partition tree.

CREATE FUNCTION objectid_ext_tools._check_partition_owner("table" regclass) RETURNS void
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._check_owner("table" || ARRAY(SELECT relid FROM pg_partition_tree("table")))
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_partition_owner(regclass) IS 'internal: raises an error unless a table and its partitions belong to the current role, or all are superusers';

-- A concurrent call waits for this one, and then finds what it has done.  So does one for
-- another table of the database: if a foreign key links two tables, each call would lock
-- its own table first, and then wait for the other.  The owner cannot change any more.

CREATE FUNCTION objectid_ext_tools._lock_parent(parent regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('objectid_ext_tools'), 'pg_partitioned_table'::regclass::oid::integer);
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    PERFORM objectid_ext_tools._check_owner(ARRAY(SELECT relid FROM pg_partition_ancestors(parent)));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_parent(regclass) IS 'internal: waits for other calls in the database, and locks a partitioned table against changes of its partitions; raises an error unless it and its ancestors belong to the current role, or all are superusers';

CREATE FUNCTION objectid_ext_tools._lock_each(tables regclass[], mode text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each regclass;
BEGIN
    FOREACH each IN ARRAY tables LOOP
        EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', each, mode);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_each(regclass[], text) IS 'internal: locks tables in this order';

CREATE FUNCTION objectid_ext_tools._referred_tables(parent regclass) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ARRAY(SELECT DISTINCT confrelid::regclass FROM pg_constraint JOIN pg_class c ON c.oid = confrelid
                 WHERE contype = 'f' AND conrelid = parent AND confrelid <> parent AND objectid_ext_tools._is_own(relowner) ORDER BY 1)
$$;
COMMENT ON FUNCTION objectid_ext_tools._referred_tables(regclass) IS 'internal: those tables of the current role to which foreign keys of a table refer';

-- DETACH PARTITION removes triggers from the tables that refer to the partition, and
-- adds some to those it refers to, which DROP removes again.  Each time, it locks the
-- table weakly before: a transaction that has read it, and then writes it, would
-- deadlock.  Rows are mostly written in the order in which these are locked.

CREATE FUNCTION objectid_ext_tools._lock_to_detach(parent regclass, referrers regclass[], and_drop boolean) RETURNS void
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._lock_each(CASE WHEN and_drop THEN objectid_ext_tools._referred_tables(parent) ELSE '{}' END || parent || referrers, 'ACCESS EXCLUSIVE')
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_to_detach(regclass, regclass[], boolean) IS 'internal: locks a table, those that refer to it, and those it refers to if a partition is dropped as well, against all use';
