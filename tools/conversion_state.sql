----------------------------------------------------------------------
-- Live conversions: the schema is their only state
----------------------------------------------------------------------

-- Each table that takes part has a trigger "~objectid_ext_conversion".  The comment of
-- its function tells which column is the key of the conversion, and, as JSON, what the
-- table was like when it began: if that differs, someone has changed the table.  What
-- functions of other roles say is not believed: anybody can create one of such a name.

CREATE FUNCTION objectid_ext_tools._conversions(OUT relation regclass, OUT function regprocedure, OUT key_table oid, OUT key_number smallint, OUT data text) RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH own AS MATERIALIZED (
        SELECT oid, obj_description(oid, 'pg_proc') AS comment FROM pg_proc
        WHERE proname ~ '^_objectid_ext_[0-9]+$' AND prorettype = 'trigger'::regtype AND pg_get_userbyid(proowner) = current_user
    )
    SELECT c.oid, own.oid, found[1]::oid, found[2]::smallint, found[4]
    FROM own, regexp_match(comment, '^conversion of ([0-9]+)[.]([0-9]+), table ([0-9]+), (.*)$') AS found LEFT JOIN pg_class c ON c.oid = found[3]::oid
    WHERE found IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._conversions() IS 'internal: the tables of all live conversions of the current role, with the trigger function of each, the key of its conversion (table and number of the column), and what the function''s comment says of the table';

CREATE FUNCTION objectid_ext_tools._beside(name name) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ('_objectid_ext_' || left(md5(name), 16))::name
$$;
COMMENT ON FUNCTION objectid_ext_tools._beside(name) IS 'internal: the name of the index that a conversion makes beside another';

-- Without what a step of the conversion, ANALYZE or REINDEX changes

CREATE FUNCTION objectid_ext_tools._fingerprint("table" regclass) RETURNS jsonb
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
    SELECT jsonb_object_agg(kind, md5(definition))
    FROM (SELECT 'name or owner', concat_ws(' ', relname, relnamespace, relowner, relkind, relpersistence, relrowsecurity, relforcerowsecurity)
          FROM pg_class WHERE oid = "table"
          UNION ALL
          SELECT 'columns', string_agg(concat_ws(' ', attname, atttypid, atttypmod, attcollation, attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid)), ',' ORDER BY attnum)
          FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          WHERE attrelid = "table" AND attnum > 0 AND NOT attisdropped AND attname !~ '^_objectid_ext_[0-9]+$'
          UNION ALL
          SELECT 'constraints', string_agg(concat_ws(' ', conname, conrelid, convalidated, pg_get_constraintdef(oid)), ',' ORDER BY conrelid, conname)
          FROM pg_constraint WHERE "table" IN (conrelid, confrelid) AND conname <> '_objectid_ext'
          UNION ALL
          SELECT 'indexes', string_agg(to_jsonb(i) - '{indexrelid,indcheckxmin,indexprs,indpred,indisclustered}'::text[] || jsonb_build_object('name', relname, 'options', reloptions,
                     'expressions', pg_get_expr(indexprs, indrelid), 'condition', pg_get_expr(indpred, indrelid)) #>> '{}', ',' ORDER BY relname)
          FROM pg_index i JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = "table" AND relname !~ '^_objectid_ext_[0-9a-f]{16}$'
          UNION ALL
          SELECT 'triggers', string_agg(concat_ws(' ', tgname, tgfoid, tgtype, tgenabled, tgattr), ',' ORDER BY tgname)
          FROM pg_trigger WHERE tgrelid = "table" AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion'
          UNION ALL
          SELECT 'inheritance', string_agg(concat_ws(' ', inhrelid, inhparent), ',' ORDER BY inhrelid, inhparent)
          FROM pg_inherits WHERE "table" IN (inhrelid, inhparent)) AS parts (kind, definition)
$$;
COMMENT ON FUNCTION objectid_ext_tools._fingerprint(regclass) IS 'internal: hashes of all that a conversion relies on of a table, without its own objects';

CREATE FUNCTION objectid_ext_tools._shadows("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT attnum smallint, OUT attname name, OUT type regtype, OUT shadow name, OUT attnotnull boolean) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT k.relation, k.attnum, k.attname, k.type, ('_objectid_ext_' || k.attnum)::name, a.attnotnull
    FROM objectid_ext_tools._key_columns("table", "column") AS k JOIN pg_attribute a ON a.attrelid = k.relation AND a.attnum = k.attnum
    WHERE k.type <> to_type
    ORDER BY 1, 2
$$;
COMMENT ON FUNCTION objectid_ext_tools._shadows(regclass, name, regtype) IS 'internal: the columns whose type changes, with the names of their shadow columns';

CREATE FUNCTION objectid_ext_tools._key_indexes("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT index regclass, OUT schema name, OUT name name, OUT shadow name, OUT uniqueness text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT DISTINCT indrelid::regclass, c.oid::regclass, nspname, relname, objectid_ext_tools._beside(relname), CASE WHEN indisunique THEN 'UNIQUE ' ELSE '' END
    FROM objectid_ext_tools._shadows("table", "column", to_type) AS s JOIN pg_index ON indrelid = s.relation JOIN pg_class c ON c.oid = indexrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE s.attnum = ANY (indkey) OR EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid
                                             AND refclassid = 'pg_class'::regclass AND refobjid = s.relation AND refobjsubid = s.attnum)
    ORDER BY 2
$$;
COMMENT ON FUNCTION objectid_ext_tools._key_indexes(regclass, name, regtype) IS 'internal: the indexes of columns whose type changes, with the names of those of the shadow columns';

-- Someone who asks for a column that another session converts is told at once.  The
-- lock is that of the session, and stays between the steps.

CREATE FUNCTION objectid_ext_tools._claim("table" regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    class CONSTANT integer := hashtext('objectid_ext_tools.conversion');
BEGIN
    PERFORM objectid_ext_tools._check_isolation();
    IF EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid = class::bit(32)::bigint::oid AND objid = "table" AND objsubid = 2 AND granted)
       OR pg_try_advisory_lock(class, "table"::oid::integer) THEN
        RETURN;
    END IF;
    RAISE EXCEPTION 'another session is converting a column of table %', "table"
        USING ERRCODE = 'object_in_use',
              DETAIL = (SELECT format('It is process %s.', pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = class::bit(32)::bigint::oid AND objid = "table" AND objsubid = 2 LIMIT 1),
              HINT = 'A session that has asked for the steps keeps the conversion until it ends. Go on there, or disconnect it.';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._claim(regclass) IS 'internal: takes the conversions of a table for this session; an error if another session has them';

CREATE FUNCTION objectid_ext_tools._user_of("table" regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce((SELECT CASE WHEN l.pid IS NULL THEN 'A prepared transaction uses it: see pg_prepared_xacts.' ELSE concat('Process ', l.pid, ' uses it: ', left(query, 60)) END
                     FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid)
                     WHERE locktype = 'relation' AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                       AND relation = "table" AND granted AND l.pid IS DISTINCT FROM pg_backend_pid() ORDER BY xact_start LIMIT 1),
                    'No process uses it now.')
$$;
COMMENT ON FUNCTION objectid_ext_tools._user_of(regclass) IS 'internal: tells the oldest transaction that has a lock on a table';

-- Transactions lock tables in any order.  If we held a table that a writer needs next,
-- while we wait for one that it holds, both would wait; so we give all up, and begin
-- the next attempt with the table that was busy.  Whoever waits behind us for a lock
-- waits no longer than an attempt.  Autovacuum, which can take hours, makes room for
-- those only who wait for longer than deadlock_timeout: so wait at first for a lock that
-- keeps it away, and that no reader or writer waits behind.

CREATE FUNCTION objectid_ext_tools._lock_in_turn(tables regclass[], max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    most CONSTANT integer := 1000 * extract(epoch FROM max_wait);
    attempts integer := 0;
    began timestamptz;
    remaining integer;
    next regclass;
BEGIN
    FOR next IN SELECT oid FROM pg_class WHERE oid = ANY (tables) AND relkind = 'r' ORDER BY oid LOOP
        PERFORM set_config('lock_timeout', (2 * setting::bigint + 1000)::text, true) FROM pg_settings WHERE name = 'deadlock_timeout';
        <<wait>>
        LOOP
            BEGIN
                EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', next);
                EXIT wait;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                RAISE NOTICE 'table % is busy', next USING DETAIL = objectid_ext_tools._user_of(next);
            END;
        END LOOP;
    END LOOP;
    LOOP
        began := clock_timestamp();
        BEGIN
            FOREACH next IN ARRAY tables LOOP
                remaining := most - 1000 * extract(epoch FROM clock_timestamp() - began);
                IF next <> tables[1] THEN
                    remaining := least(remaining, 100);
                END IF;
                PERFORM set_config('lock_timeout', greatest(remaining, 1)::text, true);
                IF EXISTS (SELECT FROM pg_class WHERE oid = next AND relkind <> 'r' AND pg_get_userbyid(relowner) <> current_user) THEN
                    RAISE EXCEPTION 'must be owner of %', next USING ERRCODE = 'insufficient_privilege';
                END IF;
                -- LOCK TABLE of a view would lock all that it reads, and it cannot lock a sequence;
                -- this changes nothing, because the owner is already that
                EXECUTE format(CASE (SELECT relkind FROM pg_class WHERE oid = next) WHEN 'r' THEN 'LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE' ELSE 'ALTER TABLE %s OWNER TO CURRENT_USER' END, next);
            END LOOP;
            PERFORM set_config('lock_timeout', '0', true);
            RETURN;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            tables := next || array_remove(tables, next);
        END;
        attempts := attempts + 1;
        IF attempts % 10 = 0 THEN
            RAISE NOTICE 'table % has been busy in % attempts', next, attempts USING DETAIL = objectid_ext_tools._user_of(next);
        END IF;
        PERFORM pg_sleep(0.05 + random() * least(most, 1000) / 1000);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_in_turn(regclass[], interval) IS 'internal: locks tables; sessions that wait for them meanwhile wait no longer than max_wait';

CREATE FUNCTION objectid_ext_tools._check_unchanged("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    changed record;
BEGIN
    SELECT coalesce(s.relation, c.relation) AS relation, coalesce(string_agg(key, ', ' ORDER BY key), 'foreign keys') AS kinds INTO changed
    FROM (SELECT DISTINCT x.relation FROM objectid_ext_tools._shadows("table", "column", to_type) AS x) AS s
         FULL JOIN (SELECT * FROM objectid_ext_tools._conversions() WHERE key_table = "table") AS c USING (relation)
         LEFT JOIN LATERAL (SELECT key FROM jsonb_each(objectid_ext_tools._fingerprint(s.relation)) AS now FULL JOIN jsonb_each(c.data::jsonb) AS begun USING (key)
                            WHERE now.value IS DISTINCT FROM begun.value) AS difference ON s.relation = c.relation
    WHERE s.relation IS NULL OR c.relation IS NULL OR key IS NOT NULL
    GROUP BY 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % has changed since its conversion began: %', changed.relation, changed.kinds
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = format('Use CALL objectid_ext_tools.undo_conversion(%L, %L), and start again.', "table", "column");
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_unchanged(regclass, name, regtype) IS 'internal: raises an error if a table has changed since the conversion began, or if other tables refer to the key now';
