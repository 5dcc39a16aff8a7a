----------------------------------------------------------------------
-- Partitions by the time of ids: dropping them
----------------------------------------------------------------------

-- CONCURRENTLY cannot run in a function, so that statement is only returned.  A
-- partition that is referenced by foreign keys must be detached before it can be
-- dropped; detaching it checks that no row refers to it.

CREATE FUNCTION objectid_ext_tools._drop_statement(parent regclass, partition regclass, action text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN action = 'drop' AND NOT is_referenced THEN dropping
                WHEN action = 'drop' THEN detaching || '; ' || dropping
                WHEN action = 'detach' THEN detaching
                ELSE detaching || CASE WHEN inhdetachpending THEN '' ELSE ' CONCURRENTLY' END END
    FROM pg_inherits,
         LATERAL (SELECT format('ALTER TABLE %s DETACH PARTITION %s', parent, partition) || CASE WHEN inhdetachpending THEN ' FINALIZE' ELSE '' END,
                         format('DROP TABLE %s', partition),
                         EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = parent)) AS s (detaching, dropping, is_referenced)
    WHERE inhparent = parent AND inhrelid = partition
$$;
COMMENT ON FUNCTION objectid_ext_tools._drop_statement(regclass, regclass, text) IS 'internal: statement that drops or detaches a partition';

-- To detach a partition is to look at the tables that refer to it: other partitions of its
-- parent, too, or all of them if the parent refers to itself.

CREATE FUNCTION objectid_ext_tools._check_drop_owners(parent regclass, partition regclass) RETURNS void
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._check_partition_owner(t)
    FROM unnest(partition || ARRAY(SELECT DISTINCT conrelid::regclass FROM pg_constraint WHERE contype = 'f' AND confrelid = parent ORDER BY 1)) AS t
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_drop_owners(regclass, regclass) IS 'internal: raises an error unless a partition and the tables that refer to its parent belong to the current role, or all are superusers';

-- When a statement is executed that was only returned, the tables that refer to the
-- parent can be others.

CREATE FUNCTION objectid_ext_tools._check_references_granted(parent regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    granted record;
BEGIN
    SELECT relid, CASE WHEN grantee = 0 THEN 'all roles have' ELSE format('role "%s" has', rolname) END AS who INTO granted
    FROM pg_partition_ancestors(parent) JOIN pg_class c ON c.oid = relid,
         LATERAL (SELECT relacl UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = relid AND NOT attisdropped) AS acls (acl),
         aclexplode(acl) AS a LEFT JOIN pg_roles r ON r.oid = grantee
    WHERE privilege_type = 'REFERENCES' AND grantee <> relowner AND rolsuper IS NOT TRUE
    ORDER BY relid, rolname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '% the privilege REFERENCES on table %', granted.who, granted.relid
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'Functions of a table that is created to refer to it could run with the rights of whoever executes the statement.',
                  HINT = 'Use REVOKE REFERENCES, or the action "detach".';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_references_granted(regclass) IS 'internal: raises an error if another role than the owner, not a superuser, can create tables that refer to a table or what this is a partition of';

-- DETACH PARTITION removes triggers from the tables that refer to the partition, and
-- adds some to those it refers to, which DROP removes again.  Each time, it locks the
-- table weakly before: a transaction that has read it, and then writes it, would
-- deadlock.  Rows are mostly written in the order in which these are locked.  A new
-- partition locks the tables it refers to in any case, and can follow.

CREATE FUNCTION objectid_ext_tools._lock_to_drop(parent regclass, partition regclass, action text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._lock_each(objectid_ext_tools._referred_tables(parent),
                CASE WHEN action = 'drop' AND EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = parent) THEN 'ACCESS EXCLUSIVE' ELSE 'SHARE ROW EXCLUSIVE' END);
    PERFORM objectid_ext_tools._lock_each(parent || objectid_ext_tools._referring_tables(parent), 'ACCESS EXCLUSIVE');
    PERFORM objectid_ext_tools._lock_tree(partition, 'ACCESS EXCLUSIVE');
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_to_drop(regclass, regclass, text) IS 'internal: locks a partition that is dropped or detached, and the tables that this concerns';

CREATE FUNCTION objectid_ext_tools._drop_partition(parent regclass, partition regclass, action text) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    PERFORM objectid_ext_tools._limit_wait(), objectid_ext_tools._check_drop_owners(parent, partition);
    IF action = 'detach concurrently' THEN
        PERFORM objectid_ext_tools._check_references_granted(parent);
        RETURN objectid_ext_tools._drop_statement(parent, partition, action);
    END IF;
    PERFORM objectid_ext_tools._lock_to_drop(parent, partition, action);
    -- until now, names, owners and sub-partitions could change
    PERFORM objectid_ext_tools._check_drop_owners(parent, partition);
    IF objectid_ext_tools._has_foreign(partition) THEN
        RAISE EXCEPTION 'partition % contains a foreign table', partition USING ERRCODE = 'wrong_object_type';
    END IF;
    statement := objectid_ext_tools._drop_statement(parent, partition, action);
    EXECUTE statement;
    RETURN statement;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._drop_partition(regclass, regclass, text) IS 'internal: drops or detaches a partition, except concurrently; returns the statement';

CREATE FUNCTION objectid_ext_tools._drop_partitions(
    parent regclass,
    older_than timestamp with time zone,
    action text,
    layout snowflake_layout,
    OUT partition text,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT statement text,
    OUT problem text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    old record;
    detail text;
BEGIN
    FOR old IN
        SELECT p.* FROM objectid_ext_tools._time_partitions(parent, layout) AS p
             JOIN pg_inherits ON inhparent = parent AND inhrelid = p.partition
        WHERE p.upper <= older_than AND exact_lower AND exact_upper AND NOT is_foreign
        -- no other can be detached concurrently before an interrupted one
        ORDER BY NOT inhdetachpending, p.lower
    LOOP
        partition := old.partition;
        lower := old.lower;
        upper := old.upper;
        statement := objectid_ext_tools._drop_statement(parent, old.partition, action);
        problem := NULL;
        BEGIN
            statement := objectid_ext_tools._drop_partition(parent, old.partition, action);
        EXCEPTION WHEN transaction_rollback OR read_only_sql_transaction THEN
            -- a deadlock, for example: the whole call is to be repeated
            RAISE;
        WHEN others THEN
            GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', SQLERRM, nullif(detail, ''));
            IF action = 'detach concurrently' THEN
                statement := NULL;
            END IF;
        END;
        RETURN NEXT;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._drop_partitions(regclass, timestamp with time zone, text, snowflake_layout) IS 'internal: drops or detaches partitions whose ids are all older than a time, or returns the problem of each; the caller holds SHARE UPDATE EXCLUSIVE on the parent, except to detach concurrently';

CREATE FUNCTION objectid_ext_tools.drop_id_partitions(
    parent regclass,
    older_than timestamp with time zone,
    action text DEFAULT 'drop',
    layout snowflake_layout DEFAULT NULL,
    OUT partition text,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT statement text,
    OUT problem text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET jit = off
SET objectid_ext_tools.waits_end = ''
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
BEGIN
    PERFORM objectid_ext_tools._check_isolation();
    IF parent IS NULL OR older_than IS NULL OR action IS NULL THEN
        RAISE EXCEPTION 'parent, time and action must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._partition_key_type(parent);
    IF action NOT IN ('drop', 'detach', 'detach concurrently') THEN
        RAISE EXCEPTION 'invalid action "%"', action
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid actions are "drop", "detach" and "detach concurrently".';
    END IF;
    IF NOT isfinite(older_than) THEN
        RAISE EXCEPTION 'time must be finite' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF action = 'detach concurrently' AND EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND partdefid <> 0) THEN
        RAISE EXCEPTION 'cannot detach partitions of table % concurrently, because it has a default partition', parent
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF action = 'detach concurrently' THEN
        PERFORM objectid_ext_tools._check_owner(ARRAY(SELECT relid FROM pg_partition_ancestors(parent)));
    ELSE
        PERFORM objectid_ext_tools._lock_parent(parent);
    END IF;
    layout := objectid_ext_tools._partition_layout(parent, layout);
    RETURN QUERY SELECT * FROM objectid_ext_tools._drop_partitions(parent, older_than, action, layout);
    PERFORM set_config('lock_timeout', own_timeout, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.drop_id_partitions(regclass, timestamp with time zone, text, snowflake_layout) IS 'drops or detaches partitions whose ids are all older than a time, and returns them; problem is the error if a partition stays because it is still referenced or locked, belongs to another role, or cannot be dropped for another reason; the layout is by default that of the default of the column, and an error if it is not known or is not that of the ids; the caller is the owner of the table, or both are superusers; action is drop, detach, or detach concurrently, which only returns the statements; partitions without a lower or upper time, and foreign ones, stay; an error at isolation levels above READ COMMITTED';
