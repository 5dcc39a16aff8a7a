-- ===== Live conversions: one session at a time, and locks that nobody waits for =====

-- The session that converts a column of a table.
CREATE FUNCTION _claimed_by("table" regclass) RETURNS integer
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT pid FROM pg_locks
    WHERE locktype = 'advisory' AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND classid = hashtext('objectid_ext_tools.conversion')::bit(32)::bigint::oid
      AND objid = "table" AND objsubid = 2
$$;

-- Takes the conversions of a table for this session; an error if another session has them.
-- Someone who asks for a column that another session converts is told at once.  The lock is that
-- of the session, and stays between the steps.
CREATE FUNCTION _claim("table" regclass) RETURNS regclass
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    "table" := _check_isolation("table");
    IF _claimed_by("table") = pg_backend_pid()
       OR pg_try_advisory_lock(hashtext('objectid_ext_tools.conversion'),
                               "table"::oid::integer) THEN
        RETURN "table";
    END IF;
    RAISE EXCEPTION 'another session is converting a column of table %', "table"
        USING ERRCODE = 'object_in_use',
              DETAIL = format('It is process %s.', _claimed_by("table")),
              HINT = 'A session that has asked for the steps keeps the conversion until that is '
                     'complete. Go on there, or disconnect it. A connection pooler must be in '
                     'session mode.';
END;
$$;

-- Gives back what _claim() has taken.
CREATE FUNCTION _release("table" regclass) RETURNS void
LANGUAGE sql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT pg_advisory_unlock(hashtext('objectid_ext_tools.conversion'), "table"::oid::integer)
$$;

-- Tells the oldest transaction that has a lock on a table.
CREATE FUNCTION _user_of("table" regclass) RETURNS text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT coalesce(
        (SELECT CASE WHEN l.pid IS NULL
                     THEN 'A prepared transaction uses it: see pg_prepared_xacts.'
                     ELSE concat('Process ', l.pid, ' uses it: ', left(query, 60)) END
         FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
         WHERE locktype = 'relation'
           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
           AND relation = "table" AND granted AND l.pid IS DISTINCT FROM pg_backend_pid()
         ORDER BY xact_start LIMIT 1),
        'No process uses it now.')
$$;

-- Locks tables against autovacuum, waiting as long as it takes.  Autovacuum, which can take
-- hours, makes room for those only who wait for longer than deadlock_timeout.  So wait at first
-- for a lock that keeps it away, and that no reader or writer waits behind.
CREATE FUNCTION _keep_autovacuum_away(tables regclass[]) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    next regclass;
BEGIN
    FOR next IN
        SELECT oid FROM pg_class WHERE oid = ANY (tables) AND relkind = 'r' ORDER BY oid
    LOOP
        PERFORM set_config('lock_timeout', (2 * setting::bigint + 1000)::text, true)
        FROM pg_settings WHERE name = 'deadlock_timeout';
        <<wait>>
        LOOP
            BEGIN
                EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', next);
                EXIT wait;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                RAISE NOTICE 'table % is busy', next USING DETAIL = _user_of(next);
            END;
        END LOOP;
    END LOOP;
END;
$$;

-- Locks a table, or a view or sequence of the caller.  LOCK TABLE of a view would lock all that
-- it reads, and it cannot lock a sequence.  For them, a change that changes nothing, because the
-- owner is already that.
CREATE FUNCTION _lock_exclusively(relation regclass) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    class pg_class;
BEGIN
    SELECT * INTO class FROM pg_class WHERE oid = relation;
    IF class.relkind IN ('r', 'p', 'f') THEN
        EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', relation);
    ELSIF pg_get_userbyid(class.relowner) <> current_user THEN
        RAISE EXCEPTION 'must be owner of %', relation USING ERRCODE = 'insufficient_privilege';
    ELSE
        EXECUTE format('ALTER TABLE %s OWNER TO CURRENT_USER', relation);
    END IF;
END;
$$;

-- Locks tables; sessions that wait for them meanwhile wait no longer than max_wait.  Transactions
-- lock tables in any order.  If we held a table that a writer needs next, while we wait for one
-- that it holds, both would wait; so we give all up, and begin the next attempt with the table
-- that was busy.  Whoever waits behind us for a lock waits no longer than an attempt.
CREATE FUNCTION _lock_in_turn(tables regclass[], max_wait interval) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    most CONSTANT integer := 1000 * extract(epoch FROM max_wait);
    attempts integer := 0;
    began timestamptz;
    remaining integer;
    next regclass;
BEGIN
    PERFORM _keep_autovacuum_away(tables);
    LOOP
        began := clock_timestamp();
        BEGIN
            FOREACH next IN ARRAY tables LOOP
                remaining := most - 1000 * extract(epoch FROM clock_timestamp() - began);
                IF next <> tables[1] THEN
                    remaining := least(remaining, 100);
                END IF;
                PERFORM set_config('lock_timeout', greatest(remaining, 1)::text, true);
                PERFORM _lock_exclusively(next);
            END LOOP;
            PERFORM set_config('lock_timeout', '0', true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            tables := next || array_remove(tables, next);
        END;
        attempts := attempts + 1;
        IF attempts % 10 = 0 THEN
            RAISE NOTICE 'table % has been busy in % attempts', next, attempts
                USING DETAIL = _user_of(next);
        END IF;
        PERFORM pg_sleep(0.05 + random() * least(most, 1000) / 1000);
    END LOOP;
END;
$$;
