----------------------------------------------------------------------
-- Existing tables under load: locks
----------------------------------------------------------------------

-- The advisory lock belongs to the session, so a second session that tries the
-- same is told about the first, also between two steps.

CREATE FUNCTION objectid_ext_tools._live_claim("table" regclass, "column" name, take boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    locked boolean;
    holder integer;
BEGIN
    LOOP
        SELECT granted, pid INTO locked, holder
        FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid = hashtext('objectid_ext_tools')::oid AND objid = "table" AND objsubid = 2 AND granted;
        IF holder <> pg_backend_pid() THEN
            RAISE EXCEPTION 'column "%" of table % is being converted by the process with PID %', "column", "table", holder
                USING ERRCODE = 'object_in_use', HINT = 'If that session has stopped, end it, then call the remaining steps in this one.';
        END IF;
        IF locked AND holder IS NULL THEN
            RAISE EXCEPTION 'the conversion of column "%" of table % is locked by a prepared transaction', "column", "table"
                USING ERRCODE = 'object_in_use', HINT = 'View pg_prepared_xacts lists them; use COMMIT PREPARED or ROLLBACK PREPARED.';
        END IF;
        EXIT WHEN locked OR NOT take;
        EXIT WHEN pg_try_advisory_lock(hashtext('objectid_ext_tools'), "table"::oid::integer);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_claim(regclass, name, boolean) IS 'internal: locks a conversion for this session, or only checks; an error if another session has locked it';

CREATE FUNCTION objectid_ext_tools._live_release("table" regclass) RETURNS void
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_advisory_unlock(hashtext('objectid_ext_tools'), "table"::oid::integer)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_release(regclass) IS 'internal: unlocks a conversion';

-- What a transaction adds or drops is computed before it locks the tables, because
-- that can take long, and once more when nobody can change them.  SHARE UPDATE EXCLUSIVE
-- suffices for that, and nobody waits for it who reads or writes rows.

CREATE FUNCTION objectid_ext_tools._live_retry_unless(unchanged boolean) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF unchanged IS NOT TRUE THEN
        RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = 'tables have changed';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_retry_unless(boolean) IS 'internal: raises lock_not_available, so that the transaction is repeated, unless what was computed before a lock is still true';

-- Those who queue behind us wait as long as we wait and hold the locks.  All our
-- waits together last less than deadlock_timeout, so that a deadlock ends by our
-- timeout, before anyone's statement fails.

CREATE FUNCTION objectid_ext_tools._live_lock(relations regclass[], mode text, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    most interval := least(max_wait, current_setting('deadlock_timeout')::interval);
    ends timestamptz := clock_timestamp() + 0.5 * most;
    remains float8;
    relation regclass;
    relation_name text;
BEGIN
    BEGIN
        FOREACH relation IN ARRAY relations LOOP
            remains := 1000 * extract(epoch FROM ends - clock_timestamp());
            IF remains < 1 THEN
                RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = 'locks are not available in time';
            END IF;
            PERFORM set_config('lock_timeout', remains::integer::text, true);
            relation_name := relation;
            EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', relation_name, mode);
            -- while we waited, another table can have got the name
            PERFORM objectid_ext_tools._live_retry_unless(relation::text = relation_name);
        END LOOP;
    EXCEPTION WHEN undefined_table OR syntax_error OR wrong_object_type THEN
        PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._foreign_obstacles(relations) AS o));
        -- it was dropped
        PERFORM objectid_ext_tools._live_retry_unless(false);
    END;
    -- from now on, the owners cannot change
    PERFORM objectid_ext_tools._check_owner(relations);
    IF mode = 'ACCESS EXCLUSIVE' THEN
        PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._live_detached_obstacles(relations) AS o));
    END IF;
    -- for what else the statements lock, such as a sequence
    PERFORM set_config('lock_timeout', greatest(1, 100 * extract(epoch FROM most))::integer::text, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_lock(regclass[], text, interval) IS 'internal: locks tables of the current role, or raises lock_not_available if that takes too long; an error if a partition is being detached from one that is going to be changed';
