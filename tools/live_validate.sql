----------------------------------------------------------------------
-- Existing tables under load: constraints of shadow columns
----------------------------------------------------------------------

-- The third step, after the indexes: constraints.  Each is first added without
-- looking at the rows, and then validated, which does not prevent writes.

CREATE FUNCTION objectid_ext_tools._live_unvalidated("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT constraint_name name) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH wanted AS MATERIALIZED (
        SELECT objectid_ext_tools._live_tree(ARRAY[o.relation]) AS tables, o.shadow
        FROM objectid_ext_tools._live_objects("table", "column", to_type) o WHERE o.kind <> 'index' AND o.state = 'begun'
        UNION ALL
        SELECT ARRAY[l.relation], objectid_ext_tools._live_name(prefix || l.shadow)
        FROM objectid_ext_tools._live_columns("table", "column", to_type) l, unnest(ARRAY['= ', 'not null ']) AS prefix
    )
    SELECT conrelid::regclass, conname
    FROM wanted JOIN pg_constraint ON conrelid = ANY (tables) AND conname = shadow JOIN pg_class t ON t.oid = conrelid
    WHERE NOT convalidated
    -- partitions before the partitioned tables, for which nothing remains to be done then
    ORDER BY relkind = 'p', (SELECT count(*) FROM pg_partition_ancestors(conrelid)) DESC, conrelid, conname
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_unvalidated(regclass, name, regtype) IS 'internal: constraints of shadow columns that have to be validated';

-- These locks prevent no writes, so some constraints are validated in a transaction.

CREATE FUNCTION objectid_ext_tools._live_validate_some("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    ends timestamptz := clock_timestamp() + '1 s';
    done boolean := false;
BEGIN
    FOR each IN SELECT * FROM objectid_ext_tools._live_unvalidated("table", "column", to_type) LOOP
        BEGIN
            PERFORM objectid_ext_tools._live_lock(ARRAY[each.relation], 'SHARE UPDATE EXCLUSIVE', max_wait);
            PERFORM objectid_ext_tools._live_retry_unless(EXISTS (SELECT FROM pg_constraint WHERE conrelid = each.relation AND conname = each.constraint_name));
            EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', each.relation, each.constraint_name);
        EXCEPTION WHEN lock_not_available THEN
            IF NOT done THEN
                RAISE;
            END IF;
            EXIT;
        END;
        done := true;
        EXIT WHEN clock_timestamp() > ends;
    END LOOP;
    RETURN done;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_validate_some(regclass, name, regtype, interval) IS 'internal: validates some constraints of shadow columns; false if there are none';

CREATE FUNCTION objectid_ext_tools._live_validate("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS float8
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET client_min_messages = warning
AS $$
DECLARE
    next record;
    again record;
    definition text;
    tables regclass[];
BEGIN
    IF objectid_ext_tools._live_follow("table", "column", to_type, max_wait) OR objectid_ext_tools._live_renew("table", "column", to_type, max_wait)
       OR objectid_ext_tools._live_drop_stray("table", "column", to_type, max_wait) OR objectid_ext_tools._live_part_indexes("table", "column", to_type, max_wait) THEN
        RETURN 0;
    END IF;
    IF objectid_ext_tools._live_validate_some("table", "column", to_type, max_wait) THEN
        RETURN 0;
    END IF;
    SELECT * INTO next FROM objectid_ext_tools._live_objects("table", "column", to_type) WHERE kind = 'check' AND state = 'missing' ORDER BY object LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    tables := objectid_ext_tools._live_tree(ARRAY[next.relation]);
    PERFORM objectid_ext_tools._live_lock(tables, 'SHARE UPDATE EXCLUSIVE', max_wait);
    SELECT * INTO again FROM objectid_ext_tools._live_objects("table", "column", to_type) o WHERE o.kind = next.kind AND o.object = next.object;
    PERFORM objectid_ext_tools._live_retry_unless(again = next);
    PERFORM objectid_ext_tools._live_retry_unless(tables = objectid_ext_tools._live_tree(ARRAY[next.relation]));
    SELECT objectid_ext_tools._live_definition('check', next.relation, next.object, to_type, array_agg(l.attribute), array_agg(l.value), 'pg_catalog, pg_temp') INTO definition
    FROM objectid_ext_tools._live_columns("table", "column", to_type) l WHERE l.relation = next.relation;
    PERFORM objectid_ext_tools._live_lock(tables, 'ACCESS EXCLUSIVE', max_wait);
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', next.relation, next.shadow, definition) ||
            CASE WHEN definition LIKE '%NOT VALID' OR definition LIKE '%NOT ENFORCED' THEN '' ELSE ' NOT VALID' END;
    RETURN 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_validate(regclass, name, regtype, interval) IS 'internal: adds or validates the next constraint of shadow columns; returns the seconds to wait before it is called again, and NULL at the end';
