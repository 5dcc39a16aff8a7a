----------------------------------------------------------------------
-- Existing tables under load: what cannot get ids from the past
----------------------------------------------------------------------

-- What prevents that ids change: what uses their values, and what the mapping of old
-- ids to new ones does not reach

CREATE FUNCTION objectid_ext_tools._backfill_check_column("table" regclass, "column" name, key boolean) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    obstacle text;
BEGIN
    IF EXISTS (SELECT FROM pg_class WHERE oid = "table" AND (relkind = 'p' OR relispartition))
       OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = "table" OR inhparent = "table") THEN
        RAISE EXCEPTION 'table % is partitioned, or has parents or children', "table"
            USING ERRCODE = 'feature_not_supported', DETAIL = 'Its rows cannot get ids from the past.';
    END IF;
    PERFORM objectid_ext_tools._check_convertible("table", "column", 'objectid_ext_tools._backfilled', false);
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF a.atthasdef AND NOT key THEN
        RAISE EXCEPTION 'column "%" of table % has a default', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It can refer to an id that changes.',
                  HINT = format('Use ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT before the conversion.', "table", "column");
    END IF;
    SELECT pg_describe_object(d.classid, d.objid, 0) INTO obstacle
    FROM pg_depend d
         LEFT JOIN pg_index i ON d.classid = 'pg_class'::regclass AND i.indexrelid = d.objid
         LEFT JOIN pg_constraint c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = "table" AND d.refobjsubid = a.attnum
      AND (c.contype = 'c' AND conname NOT LIKE E'\\_objectid\\_ext\\_%' OR i.indpred IS NOT NULL OR i.indexprs IS NOT NULL)
    ORDER BY d.classid, d.objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle
            USING ERRCODE = 'dependent_objects_still_exist', DETAIL = 'Its expression can use values that change.',
                  HINT = 'Drop it, convert the column, and create it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check_column(regclass, name, boolean) IS 'internal: raises an error if the values of a column cannot change';

-- The triggers write with the rights of the owner of the tables, and find the new ids
-- by name.  The owner of the schema can put another table in their place.

CREATE FUNCTION objectid_ext_tools._backfill_check_schema("table" regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other record;
BEGIN
    SELECT nspname AS schema, r.rolname AS owner, pg_get_userbyid(t.relowner) AS table_owner INTO other
    FROM pg_class t
         JOIN pg_namespace n ON n.oid = relnamespace
         JOIN pg_roles o ON o.oid = nspowner
         JOIN pg_roles r ON r.oid = CASE o.rolname WHEN 'pg_database_owner' THEN (SELECT datdba FROM pg_database WHERE datname = current_database()) ELSE o.oid END
    WHERE t.oid = "table" AND NOT pg_has_role(r.oid, t.relowner, 'MEMBER');
    IF FOUND THEN
        RAISE EXCEPTION 'schema "%" belongs to role "%"', other.schema, other.owner
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = format('This role could replace the tables of new ids, which triggers use with the rights of role "%s".', other.table_owner),
                  HINT = format('Use ALTER SCHEMA %I OWNER TO %I, or GRANT %2$I TO %3$I if that role may do all that role "%2$s" may.', other.schema, other.table_owner, other.owner);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check_schema(regclass) IS 'internal: raises an error if the owner of the schema of a table could not act as the owner of the table anyway';

CREATE FUNCTION objectid_ext_tools._backfill_check("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    other record;
BEGIN
    PERFORM objectid_ext_tools._check_integers("table", "column");
    PERFORM objectid_ext_tools._backfill_check_schema("table");
    PERFORM objectid_ext_tools._check_triggers("table", "column", 'objectid_ext_tools._backfilled');
    IF NOT EXISTS (SELECT FROM pg_index JOIN pg_attribute a ON attrelid = indrelid AND attnum = indkey[0]
                   WHERE indrelid = "table" AND attname = "column" AND indisunique AND indisvalid AND indnkeyatts = 1 AND indpred IS NULL) THEN
        RAISE EXCEPTION 'column "%" of table % has no unique index', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Use CREATE UNIQUE INDEX CONCURRENTLY to create one on this column alone.';
    END IF;
    FOR each IN SELECT * FROM objectid_ext_tools._live_columns("table", "column", 'objectid_ext_tools._backfilled') ORDER BY relation, attribute LOOP
        IF (SELECT count(DISTINCT relowner) FROM pg_class WHERE oid IN ("table", each.relation)) > 1 THEN
            RAISE EXCEPTION 'tables % and % belong to different roles', "table", each.relation
                USING ERRCODE = 'feature_not_supported', DETAIL = 'The triggers of a table need privileges for the new ids.', HINT = 'Use ALTER TABLE ... OWNER TO.';
        END IF;
        SELECT nspname AS schema, pg_get_userbyid(relowner) AS owner INTO other
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
        WHERE c.oid = "table" AND NOT has_schema_privilege(relowner, n.oid, 'USAGE');
        IF FOUND THEN
            RAISE EXCEPTION 'role "%" has no privilege USAGE on schema "%"', other.owner, other.schema
                USING ERRCODE = 'insufficient_privilege', DETAIL = 'The triggers of its tables find the new ids there.',
                      HINT = format('Use GRANT USAGE ON SCHEMA %I TO %I.', other.schema, other.owner);
        END IF;
        PERFORM objectid_ext_tools._backfill_check_column(each.relation, each.attribute, each.relation = "table" AND each.attribute = "column");
        SELECT conname, format('"%s" of table %s', f.attname, c.confrelid::regclass) AS referred INTO other
        FROM pg_constraint c CROSS JOIN LATERAL unnest(conkey, confkey) AS pair (referring, referred)
             JOIN pg_attribute k ON k.attrelid = conrelid AND k.attnum = pair.referring
             JOIN pg_attribute f ON f.attrelid = confrelid AND f.attnum = pair.referred
        WHERE c.contype = 'f' AND c.conrelid = each.relation AND k.attname = each.attribute
          AND NOT EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", 'objectid_ext_tools._backfilled')
                          WHERE relation = c.confrelid AND attribute = f.attname)
        ORDER BY conname LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'foreign key constraint "%" of table % refers to column %', other.conname, each.relation, other.referred
                USING ERRCODE = 'feature_not_supported', DETAIL = format('Column "%s" of table %s would get other values than that column.', each.attribute, each.relation);
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check(regclass, name) IS 'internal: raises an error if something prevents that existing rows get new ids';

-- A time shortly after now is of a client whose clock is ahead.

CREATE FUNCTION objectid_ext_tools._backfill_check_times("table" regclass, "column" name, created_at name, time_zone text, layout snowflake_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    type regtype := (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = created_at AND attnum > 0);
    epoch timestamptz;
    -- of text, as a plan of this function keeps the types of a record
    bad record;
BEGIN
    IF type IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', created_at, "table" USING ERRCODE = 'undefined_column';
    END IF;
    IF type NOT IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype) THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', created_at, "table", type
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'The times of rows must be of type timestamp with time zone, timestamp without time zone or date.';
    END IF;
    EXECUTE format('SELECT %s.snowflake_timestamp(0::bigint, $1)', objectid_ext_tools._ids_schema()) INTO epoch USING layout;
    PERFORM set_config('TimeZone', coalesce(time_zone, current_setting('TimeZone')), true);
    EXECUTE format('SELECT count(*) OVER () AS number, %1$I::text AS id, %2$I::text AS created FROM ONLY %3$s'
                   ' WHERE %1$I IS NOT NULL AND ((%2$I::timestamptz >= $1 AND %2$I::timestamptz < $2) IS NOT TRUE OR NOT isfinite(%2$I)) ORDER BY %1$I LIMIT 1',
                   "column", created_at, "table")
        INTO bad USING epoch, clock_timestamp() + interval '1 minute';
    IF bad.number > 0 THEN
        RAISE EXCEPTION '% % in column "%" of table % cannot be the time of an id', bad.number, CASE bad.number WHEN 1 THEN 'value' ELSE 'values' END, created_at, "table"
            USING ERRCODE = 'invalid_datetime_format',
                  DETAIL = format('The first is %s, where "%s" is %s. Times must be from %s, the epoch of layout %s, to now.',
                                  coalesce(bad.created, 'null'), "column", bad.id, epoch, layout),
                  HINT = 'Correct these rows first.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check_times(regclass, name, name, text, snowflake_layout) IS 'internal: raises an error if a column is not the time of creation of all rows';

-- As in any conversion to timestamptz, the time zone is that of the session.  A
-- step can run in another session.

CREATE FUNCTION objectid_ext_tools._backfill_time_zone("table" regclass, created_at name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT current_setting('TimeZone') FROM pg_attribute
    WHERE attrelid = "table" AND attname = created_at AND atttypid IN ('timestamp'::regtype, 'date'::regtype)
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_time_zone(regclass, name) IS 'internal: time zone of the session, if the times in a column have none';

CREATE FUNCTION objectid_ext_tools._backfill_check_done("table" regclass, "column" name, layout snowflake_layout, created_at name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    lowest record;
BEGIN
    EXECUTE format('SELECT %1$I AS id, %1$I < %2$s.snowflake_floor(%3$I::timestamptz - $1, $2) AS old FROM %4$s ORDER BY 1 LIMIT 1', "column", objectid_ext_tools._ids_schema(), created_at, "table")
        INTO lowest USING (SELECT tick FROM objectid_ext_tools._layout_facts(layout)), layout;
    IF lowest.old THEN
        RAISE EXCEPTION 'column "%" of table % already has snowflakes', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = format('Its lowest id, %s, cannot get another value any more.', lowest.id);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check_done(regclass, name, snowflake_layout, name) IS 'internal: raises an error if a conversion without ids from the past has been completed';

CREATE FUNCTION objectid_ext_tools._backfill_check_begun("table" regclass, "column" name, definition text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    begun text := obj_description(to_regclass(state || '_recent'), 'pg_class');
BEGIN
    IF to_regclass(state || '_past') IS NOT NULL AND substring(begun FROM ', node .*') = substring(definition FROM ', node .*') THEN
        -- the times are not needed any more, and the column can have another name
        RETURN;
    END IF;
    IF to_regclass(state) IS NOT NULL AND begun IS DISTINCT FROM definition THEN
        RAISE EXCEPTION 'conversion of column "%" of table % has begun differently', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = CASE WHEN begun IS NULL THEN 'Existing ids keep their values.' ELSE format('It is "%s".', begun) END,
                  HINT = 'Call snowflake_conversion_steps() as before, or use undo_conversion() first.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check_begun(regclass, name, text) IS 'internal: raises an error if a conversion that has begun is another one';
