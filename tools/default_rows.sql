----------------------------------------------------------------------
-- Rows that leave a default partition for their own
----------------------------------------------------------------------

-- Commands that disable the triggers of a table and its partitions, except those of
-- constraints, and that enable them again as they are now.  No trigger can be changed
-- while checks of the table's constraints are deferred.

CREATE FUNCTION objectid_ext_tools._triggers("table" regclass, OUT disable text[], OUT enable text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH tree AS (
        SELECT relid FROM objectid_ext_tools._partition_tree("table")
    ), late AS (
        SELECT string_agg(DISTINCT format('%I.%I', nspname, conname), ', ') AS every,
               -- a name is that of all such constraints in the schema
               string_agg(DISTINCT format('%I.%I', nspname, conname), ', ')
                   FILTER (WHERE condeferred AND NOT EXISTS (SELECT FROM pg_constraint AS o WHERE o.conname = c.conname AND o.connamespace = c.connamespace AND NOT o.condeferrable)) AS deferred
        FROM pg_constraint c JOIN pg_namespace n ON n.oid = connamespace
        WHERE condeferrable AND (conrelid IN (TABLE tree) OR confrelid IN (TABLE tree))
    )
    SELECT array_remove(ARRAY['SET CONSTRAINTS ' || every || ' IMMEDIATE'] || t.disable, NULL),
           array_remove(t.enable || ARRAY['SET CONSTRAINTS ' || deferred || ' DEFERRED'], NULL)
    FROM late,
         (SELECT array_agg(format('ALTER TABLE ONLY %s DISABLE TRIGGER %I', tgrelid::regclass, tgname)),
                 array_agg(format('ALTER TABLE ONLY %s ENABLE %s TRIGGER %I', tgrelid::regclass,
                                  CASE tgenabled WHEN 'R' THEN 'REPLICA' WHEN 'A' THEN 'ALWAYS' END, tgname))
          FROM pg_trigger LEFT JOIN pg_constraint c ON c.oid = tgconstraint
          WHERE tgrelid IN (TABLE tree) AND tgenabled <> 'D' AND coalesce(contype, 't') = 't') AS t (disable, enable)
$$;
COMMENT ON FUNCTION objectid_ext_tools._triggers(regclass) IS 'internal: commands that disable the triggers of a table and its partitions, and that enable them again; deferred constraints are checked before';

-- The rows would be deleted and inserted, so foreign keys that refer to them would
-- fail, or delete the referring rows.  None can appear meanwhile: to be checked, it would
-- need a lock on the table and its default partition, which the caller has locked.  To
-- look at a table is to evaluate expressions of its indexes, with functions that its
-- owner chose.

CREATE FUNCTION objectid_ext_tools._check_not_referenced("table" regclass, condition text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    key record;
    found boolean;
BEGIN
    FOR key IN
        SELECT conname, conrelid::regclass AS referring, confrelid::regclass AS referred,
               -- children that are no partitions do not have the constraint
               CASE (SELECT relkind FROM pg_class c WHERE c.oid = conrelid) WHEN 'p' THEN '' ELSE 'ONLY ' END AS scope,
               (SELECT string_agg(format('d.%I OPERATOR(%I.%s) f.%I', r.attname, nspname, oprname, a.attname), ' AND ')
                FROM unnest(conkey, confkey, conpfeqop) AS k (referring, referred, operator)
                     JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.referring
                     JOIN pg_attribute r ON r.attrelid = confrelid AND r.attnum = k.referred
                     JOIN pg_operator o ON o.oid = k.operator JOIN pg_namespace n ON n.oid = oprnamespace) AS equal
        FROM pg_constraint
        WHERE contype = 'f' AND confrelid IN (SELECT relid FROM objectid_ext_tools._partition_tree("table"))
    LOOP
        PERFORM objectid_ext_tools._check_partition_owner(key.referring);
        PERFORM objectid_ext_tools._lock_each(ARRAY[key.referring], 'ACCESS SHARE');
        PERFORM objectid_ext_tools._check_partition_owner(key.referring);
        EXECUTE format('SELECT EXISTS (SELECT FROM %s%s AS f JOIN (SELECT * FROM %s WHERE %s) AS d ON %s)', key.scope, key.referring, key.referred, condition, key.equal)
            INTO found;
        IF found THEN
            RAISE EXCEPTION 'cannot move rows out of default partition %', "table"
                USING ERRCODE = 'foreign_key_violation',
                      DETAIL = format('Foreign key constraint "%s" of table %s refers to them.', key.conname, key.referring),
                      HINT = 'Drop the constraint, create the partition, and add the constraint again.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_not_referenced(regclass, text) IS 'internal: raises an error if a foreign key refers to rows of a table that satisfy a condition';

-- Rules would run for rows that do not change: they could delete rows of other
-- tables, or keep these.  A foreign server commits for itself: if then the commit
-- here failed, the rows would be gone.

CREATE FUNCTION objectid_ext_tools._check_movable(default_partition regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    obstacle text := (SELECT min(format('Rule "%s" on DELETE to table %s would run.', rulename, ev_class::regclass))
                      FROM pg_rewrite WHERE ev_type = '4' AND ev_enabled <> 'D' AND ev_class IN (SELECT relid FROM objectid_ext_tools._partition_tree(default_partition)));
BEGIN
    obstacle := coalesce(obstacle, (SELECT min(format('The rows of foreign table %s are on another server, which commits for itself.', relid))
                                    FROM objectid_ext_tools._partition_tree(default_partition) JOIN pg_class ON oid = relid WHERE relkind = 'f'));
    IF obstacle IS NOT NULL THEN
        RAISE EXCEPTION 'cannot move rows out of default partition %', default_partition
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = obstacle;
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_movable(regclass) IS 'internal: raises an error if a default partition contains foreign tables, or has rules on DELETE';

CREATE FUNCTION objectid_ext_tools._has_rows("table" regclass, condition text) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    found boolean;
BEGIN
    PERFORM objectid_ext_tools._check_partition_owner("table");
    EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE %s)', "table", condition) INTO found;
    RETURN found;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._has_rows(regclass, text) IS 'internal: are there rows of a table of the current role that satisfy a condition?';

-- A foreign table cannot be locked, so its parent is, before the first look: a foreign
-- server such as that of postgres_fdw shows a transaction the rows of one moment.
-- Rows that are inserted later would be in no partition that a query reads.

CREATE FUNCTION objectid_ext_tools._lock_before_foreign_rows(parent regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF objectid_ext_tools._has_foreign((SELECT nullif(partdefid, 0) FROM pg_partitioned_table WHERE partrelid = parent)) THEN
        PERFORM objectid_ext_tools._lock_each(objectid_ext_tools._referred_tables(parent), 'SHARE ROW EXCLUSIVE');
        PERFORM objectid_ext_tools._lock_each(ARRAY[parent], 'ACCESS EXCLUSIVE');
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_before_foreign_rows(regclass) IS 'internal: locks a table if its default partition contains foreign tables';

-- One that was attached while a look waited has begun such a moment before others could
-- be kept from inserting rows, so this transaction cannot go on.

CREATE FUNCTION objectid_ext_tools._check_still_local(default_partition regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF objectid_ext_tools._has_foreign(default_partition) THEN
        RAISE EXCEPTION 'a foreign table was attached to default partition % meanwhile', default_partition
            USING ERRCODE = 'serialization_failure', HINT = 'Run the function again, in another transaction.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_still_local(regclass) IS 'internal: raises an error if a default partition contains foreign tables';

-- Nobody can add rows to a default partition before the transaction ends.  If there
-- are some of the new partition, or could be at any moment, its parent is locked
-- first: a query that had read which partitions there are, and then waited for the
-- default one, would look there for rows that have left, and an insert would put its
-- row there.  Tables that it refers to are locked before, because rows are mostly
-- written in that order; ATTACH PARTITION locks them in any case.

CREATE FUNCTION objectid_ext_tools._lock_default_rows(parent regclass, default_partition regclass, condition text, begins timestamp with time zone, before interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    is_due boolean;
    is_foreign boolean := objectid_ext_tools._has_foreign(default_partition);
    found boolean;
BEGIN
    PERFORM objectid_ext_tools._check_partition_owner(default_partition);
    IF NOT is_foreign THEN
        PERFORM objectid_ext_tools._lock_tree(default_partition, 'ACCESS SHARE');
    END IF;
    is_due := is_foreign OR objectid_ext_tools._has_rows(default_partition, condition) OR begins <= clock_timestamp() + before;
    IF NOT is_foreign THEN
        PERFORM objectid_ext_tools._check_still_local(default_partition);
    END IF;
    PERFORM objectid_ext_tools._lock_each(objectid_ext_tools._referred_tables(parent), 'SHARE ROW EXCLUSIVE');
    IF is_due THEN
        PERFORM objectid_ext_tools._lock_each(ARRAY[parent], 'ACCESS EXCLUSIVE');
    END IF;
    IF NOT is_foreign THEN
        PERFORM objectid_ext_tools._lock_tree(default_partition, 'ACCESS EXCLUSIVE');
    END IF;
    found := objectid_ext_tools._has_rows(default_partition, condition);
    IF NOT is_due AND (found OR begins <= clock_timestamp()) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'lock_not_available', HINT = 'Run the function again.',
            MESSAGE = format(CASE WHEN found THEN 'rows of the new partition were added to default partition %s meanwhile'
                                  ELSE 'the time of the new partition began before default partition %s was locked' END, default_partition);
    END IF;
    RETURN found;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_default_rows(regclass, regclass, text, timestamp with time zone, interval) IS 'internal: locks a default partition, and its parent if there are rows that satisfy a condition or the new partition begins, or does so before the interval has passed; returns whether there are such rows';

-- Take the rows of a range of ids out of a default partition, into a temporary
-- table, which is null if there are none.  The caller puts them into the new partition
-- only when that is attached: otherwise logical replication would send the deletion,
-- but not the insertion.

CREATE FUNCTION objectid_ext_tools._take_default_rows(default_partition regclass, condition text, columns text) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    triggers record;
    taken bigint;
    command text;
BEGIN
    PERFORM objectid_ext_tools._check_movable(default_partition);
    PERFORM objectid_ext_tools._check_not_referenced(default_partition, condition);
    EXECUTE format('CREATE TEMPORARY TABLE objectid_ext_tools_moved ON COMMIT DROP AS SELECT %s FROM %s WHERE %s', columns, default_partition, condition);
    triggers := objectid_ext_tools._triggers(default_partition);
    FOREACH command IN ARRAY triggers.disable LOOP
        EXECUTE command;
    END LOOP;
    EXECUTE format('DELETE FROM %s WHERE %s', default_partition, condition);
    GET DIAGNOSTICS taken = ROW_COUNT;
    FOREACH command IN ARRAY triggers.enable LOOP
        EXECUTE command;
    END LOOP;
    RETURN taken;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._take_default_rows(regclass, text, text) IS 'internal: moves rows of a default partition to the temporary table objectid_ext_tools_moved; returns their number';

CREATE FUNCTION objectid_ext_tools._put_default_rows(partition regclass, columns text) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    triggers record := objectid_ext_tools._triggers(partition);
    put bigint;
    command text;
BEGIN
    FOREACH command IN ARRAY triggers.disable LOOP
        EXECUTE command;
    END LOOP;
    EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM pg_temp.objectid_ext_tools_moved', partition, columns);
    GET DIAGNOSTICS put = ROW_COUNT;
    FOREACH command IN ARRAY triggers.enable LOOP
        EXECUTE command;
    END LOOP;
    DROP TABLE pg_temp.objectid_ext_tools_moved;
    RETURN put;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._put_default_rows(regclass, text) IS 'internal: moves the rows of the temporary table objectid_ext_tools_moved to a new partition; returns their number';
