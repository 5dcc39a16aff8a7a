----------------------------------------------------------------------
-- Existing tables under load: locks
----------------------------------------------------------------------

-- The advisory lock belongs to the session, so a second session that tries the
-- same is told about the first, also between two steps.  Any role can take such a
-- lock.  Only sessions that can act as the owner of the table count, and there are
-- many keys, so that no other role can prevent a conversion.

CREATE FUNCTION objectid_ext_tools._live_claims("table" regclass, OUT pid integer, OUT key integer) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- sessions that have begun since; the table can have been dropped
    SELECT pg_stat_clear_snapshot();
    SELECT l.pid, classid::integer
    FROM pg_locks l JOIN pg_stat_activity a USING (pid) LEFT JOIN pg_class c ON c.oid = objid
    WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::integer # hashtext('objectid_ext_tools')) BETWEEN 0 AND 65535 AND objid = "table" AND objsubid = 2 AND granted
      AND (pg_has_role(usesysid, relowner, 'MEMBER') OR l.pid = pg_backend_pid())
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_claims(regclass) IS 'internal: sessions that have locked a conversion';

CREATE FUNCTION objectid_ext_tools._live_claim("table" regclass, "column" name, take boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key integer := 0;
    holder integer;
BEGIN
    -- who has locked looks for others once more: the key of each can be another one
    LOOP
        SELECT pid INTO holder FROM objectid_ext_tools._live_claims("table") ORDER BY pid = pg_backend_pid() LIMIT 1;
        IF holder <> pg_backend_pid() THEN
            PERFORM objectid_ext_tools._live_release("table");
            RAISE EXCEPTION 'column "%" of table % is being converted by the process with PID %', "column", "table", holder
                USING ERRCODE = 'object_in_use', HINT = 'If that session has stopped, end it, then call the remaining steps in this one.';
        END IF;
        EXIT WHEN holder IS NOT NULL OR NOT take;
        IF NOT pg_try_advisory_lock(hashtext('objectid_ext_tools') # key, "table"::oid::integer) THEN
            key := 65535 * random();
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_claim(regclass, name, boolean) IS 'internal: locks a conversion for this session, or only checks; an error if another session has locked it';

CREATE FUNCTION objectid_ext_tools._live_release("table" regclass) RETURNS void
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_advisory_unlock(key, "table"::oid::integer) FROM objectid_ext_tools._live_claims("table") WHERE pid = pg_backend_pid()
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

CREATE FUNCTION objectid_ext_tools._live_limit_wait(max_wait interval) RETURNS void
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT set_config('lock_timeout', greatest(1, 100 * extract(epoch FROM least(max_wait, current_setting('deadlock_timeout')::interval)))::integer::text, true)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_limit_wait(interval) IS 'internal: limits each wait of a transaction that is not one for a table to be converted';

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
    PERFORM objectid_ext_tools._live_limit_wait(max_wait);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_lock(regclass[], text, interval) IS 'internal: locks tables of the current role, or raises lock_not_available if that takes too long; an error if a partition is being detached from one that is going to be changed';
