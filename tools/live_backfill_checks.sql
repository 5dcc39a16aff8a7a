----------------------------------------------------------------------
-- Existing tables under load: what cannot get ids from the past
----------------------------------------------------------------------

-- What prevents that ids change: what uses their values, and what the mapping of old
-- ids to new ones does not reach

CREATE FUNCTION objectid_ext_tools._past_column_obstacles("table" regclass, "column" name, key boolean) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT "table", 'feature_not_supported', format('table %s has parents or children', "table"), 'Its rows cannot get ids from the past.', NULL
    FROM pg_class
    WHERE oid = "table" AND (relkind <> 'p' AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = "table")
                             OR NOT relispartition AND EXISTS (SELECT FROM pg_inherits WHERE inhrelid = "table"))
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('column "%s" of table %s has a default', "column", "table"), 'It can refer to an id that changes.',
           format('Use ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT before the conversion.', "table", "column")
    FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND atthasdef AND NOT key
    UNION ALL
    SELECT "table", 'dependent_objects_still_exist', format('column "%s" of table %s is used by %s', "column", "table", pg_describe_object(user_class, user_object, 0)),
           'Its expression can use values that change.', 'Drop it, convert the column, and create it again.'
    FROM (SELECT DISTINCT d.classid, d.objid
          FROM pg_attribute a
               JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
               LEFT JOIN pg_index i ON d.classid = 'pg_class'::regclass AND i.indexrelid = d.objid
               LEFT JOIN pg_constraint c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
          WHERE a.attrelid = "table" AND a.attname = "column"
            AND (c.contype = 'c' AND conname NOT LIKE E'\\_objectid\\_ext\\_%' OR i.indpred IS NOT NULL OR i.indexprs IS NOT NULL)) AS uses (user_class, user_object);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._past_column_obstacles(regclass, name, boolean) IS 'internal: what prevents that the values of a column change';

-- The triggers write with the rights of the owner of the tables, and find the new ids
-- by name.  The owner of the schema can put another table in their place.

CREATE FUNCTION objectid_ext_tools._past_schema_obstacles("table" regclass) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT "table", 'insufficient_privilege', format('schema "%s" belongs to role "%s"', nspname, r.rolname),
           format('This role could replace the tables of new ids, which triggers use with the rights of role "%s".', w.rolname),
           format('Use ALTER SCHEMA %I OWNER TO %I' || CASE WHEN NOT w.rolsuper THEN ', or GRANT %2$I TO %3$I if that role may do all that role "%2$s" may' ELSE '' END || '.', nspname, w.rolname, r.rolname)
    FROM pg_class t
         JOIN pg_roles w ON w.oid = relowner
         JOIN pg_namespace n ON n.oid = relnamespace
         JOIN pg_roles o ON o.oid = nspowner
         JOIN pg_roles r ON r.oid = CASE o.rolname WHEN 'pg_database_owner' THEN (SELECT datdba FROM pg_database WHERE datname = current_database()) ELSE o.oid END
    WHERE t.oid = "table" AND NOT pg_has_role(r.oid, w.oid, 'MEMBER')
$$;
COMMENT ON FUNCTION objectid_ext_tools._past_schema_obstacles(regclass) IS 'internal: the schema of a table, if its owner could not act as the owner of the table anyway';

CREATE FUNCTION objectid_ext_tools._past_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH key AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._live_columns("table", "column", 'objectid_ext_tools._backfilled')
    )
    SELECT "table", 'object_not_in_prerequisite_state', format('column "%s" of table %s has no unique index', "column", "table"), NULL,
           CASE relkind WHEN 'p' THEN 'Create one on this column and the partition key.' ELSE 'Use CREATE UNIQUE INDEX CONCURRENTLY to create one on this column alone.' END
    FROM pg_class
    WHERE oid = "table"
      AND NOT EXISTS (SELECT FROM pg_index JOIN pg_attribute a ON attrelid = indrelid AND attnum = ANY ((indkey::int2[])[0:indnkeyatts - 1])
                      WHERE indrelid = "table" AND attname = "column" AND indisunique AND indisvalid AND (indnkeyatts = 1 OR relkind = 'p') AND indpred IS NULL)
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege USAGE on schema "%s"', pg_get_userbyid(relowner), nspname),
           'The triggers of its tables find the new ids there.', format('Use GRANT USAGE ON SCHEMA %I TO %I.', nspname, pg_get_userbyid(relowner))
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE c.oid = "table" AND NOT has_schema_privilege(relowner, n.oid, 'USAGE')
    UNION ALL
    SELECT k.relation, 'feature_not_supported', format('tables %s and %s belong to different roles', "table", k.relation),
           'The triggers of a table need privileges for the new ids.', 'Use ALTER TABLE ... OWNER TO.'
    FROM (SELECT DISTINCT relation FROM key) AS k JOIN pg_class c ON c.oid = k.relation
    WHERE relowner <> (SELECT relowner FROM pg_class WHERE oid = "table")
    UNION ALL
    SELECT k.relation, 'feature_not_supported', format('foreign key constraint "%s" of table %s refers to column "%s" of table %s', conname, k.relation, f.attname, confrelid::regclass),
           format('Column "%s" of table %s would get other values than that column.', k.attribute, k.relation), NULL
    FROM key k
         JOIN pg_attribute a ON a.attrelid = k.relation AND a.attname = k.attribute
         JOIN pg_constraint ON contype = 'f' AND conrelid = k.relation
         CROSS JOIN LATERAL unnest(conkey, confkey) AS pair (referring, referred)
         JOIN pg_attribute f ON f.attrelid = confrelid AND f.attnum = pair.referred
    WHERE pair.referring = a.attnum AND NOT EXISTS (SELECT FROM key o WHERE o.relation = confrelid AND o.attribute = f.attname)
$$;
COMMENT ON FUNCTION objectid_ext_tools._past_obstacles(regclass, name) IS 'internal: what prevents that existing rows get new ids';

-- A unique index of a partitioned table contains the partition key, too.

CREATE FUNCTION objectid_ext_tools._past_repeated_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    bad record;
BEGIN
    EXECUTE format('SELECT count(*) AS number, min(id)::text AS id FROM (SELECT %1$I FROM %2$s WHERE %1$I IS NOT NULL GROUP BY %1$I HAVING count(*) > 1) AS t (id)', "column", "table")
        INTO bad;
    RETURN QUERY SELECT "table", 'unique_violation', format('several rows of table %s have the value %s in column "%s"', "table", bad.id, "column"),
                        format('%s %s in several rows. All rows of an id would get the same new id.', bad.number, CASE bad.number WHEN 1 THEN 'value is' ELSE 'values are' END),
                        'Change the ids of these rows first.'
                 WHERE bad.number > 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._past_repeated_obstacles(regclass, name) IS 'internal: ids that rows of several partitions have';

-- A time shortly after now is of a client whose clock is ahead.

CREATE FUNCTION objectid_ext_tools._past_row_obstacles("table" regclass, "column" name, created_at name, time_zone text, layout snowflake_layout) RETURNS SETOF objectid_ext_tools._obstacle
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
        RETURN QUERY SELECT "table", 'undefined_column', format('column "%s" of table %s does not exist', created_at, "table"), NULL, NULL;
        RETURN;
    END IF;
    IF type NOT IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype) THEN
        RETURN QUERY SELECT "table", 'datatype_mismatch', format('column "%s" of table %s is of type %s', created_at, "table", type),
                            'The times of rows must be of type timestamp with time zone, timestamp without time zone or date.', NULL;
        RETURN;
    END IF;
    EXECUTE format('SELECT %s.snowflake_timestamp(0::bigint, $1)', objectid_ext_tools._ids_schema()) INTO epoch USING layout;
    PERFORM set_config('TimeZone', coalesce(time_zone, current_setting('TimeZone')), true);
    EXECUTE format('SELECT count(*) OVER () AS number, %1$I::text AS id, %2$I::text AS created FROM %3$s'
                   ' WHERE %1$I IS NOT NULL AND ((%2$I::timestamptz >= $1 AND %2$I::timestamptz < $2) IS NOT TRUE OR NOT isfinite(%2$I)) ORDER BY %1$I LIMIT 1',
                   "column", created_at, "table")
        INTO bad USING epoch, clock_timestamp() + interval '1 minute';
    RETURN QUERY SELECT "table", 'invalid_datetime_format',
                        format('%s %s in column "%s" of table %s cannot be the time of an id', bad.number, CASE bad.number WHEN 1 THEN 'value' ELSE 'values' END, created_at, "table"),
                        format('The first is %s, where "%s" is %s. Times must be from %s, the epoch of layout %s, to now.',
                               coalesce(bad.created, 'null'), "column", bad.id, epoch, layout),
                        'Correct these rows first.'
                 WHERE bad.number > 0;
    IF EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind = 'p') THEN
        RETURN QUERY SELECT * FROM objectid_ext_tools._past_repeated_obstacles("table", "column");
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._past_row_obstacles(regclass, name, name, text, snowflake_layout) IS 'internal: what prevents that all rows get distinct ids of the times in a column';

-- A value that refers to no row would get an id that tells nothing of the old one.  A
-- period refers to several rows, and is not compared.

CREATE FUNCTION objectid_ext_tools._past_check_referring("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    each record;
    wrong text;
BEGIN
    FOR each IN
        SELECT conname, conrelid::regclass AS relation, confrelid::regclass AS referred, string_agg(format('t.%I', a.attname), ', ') AS "columns",
               string_agg(format('r.%I OPERATOR(%I.%s) t.%I', f.attname, nspname, oprname, a.attname), ' AND ') AS condition
        FROM objectid_ext_tools._foreign_keys("table", "column", 'objectid_ext_tools._backfilled') k JOIN pg_constraint c ON c.oid = k
             CROSS JOIN LATERAL unnest(conkey, confkey, conpfeqop) AS pair (referring, referred, operator)
             JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = pair.referring
             JOIN pg_attribute f ON f.attrelid = confrelid AND f.attnum = pair.referred
             JOIN pg_operator o ON o.oid = pair.operator JOIN pg_namespace n ON n.oid = oprnamespace
        WHERE to_jsonb(c) ->> 'conperiod' IS DISTINCT FROM 'true'
        GROUP BY c.oid, conname, conrelid, confrelid ORDER BY c.oid
    LOOP
        EXECUTE format('SELECT concat_ws('', '', %1$s) FROM %2$s AS t WHERE num_nulls(%1$s) = 0 AND NOT EXISTS (SELECT FROM %3$s AS r WHERE %4$s) LIMIT 1',
                       each."columns", each.relation, each.referred, each.condition) INTO wrong;
        IF wrong IS NOT NULL THEN
            RAISE EXCEPTION 'table % has a row that refers to no row of table %', each.relation, each.referred
                USING ERRCODE = 'foreign_key_violation', DETAIL = format('Its foreign key constraint "%s" has the value (%s), which would be lost.', each.conname, wrong),
                      HINT = 'Correct or delete such rows, and call the function that returned this step again.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._past_check_referring(regclass, name) IS 'internal: raises an error if a row refers by a foreign key to a row that does not exist';

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

CREATE FUNCTION objectid_ext_tools._past_done_obstacles("table" regclass, "column" name, layout snowflake_layout, created_at name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    lowest record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attname = created_at) THEN
        RETURN QUERY SELECT "table", 'undefined_column', format('column "%s" of table %s does not exist', created_at, "table"),
                            format('Column "%s" already has snowflakes. If the other one was renamed or dropped during the conversion, nothing remains to be done.', "column"), NULL;
        RETURN;
    END IF;
    EXECUTE format('SELECT %1$I AS id, %1$I < %2$s.snowflake_floor(%3$I::timestamptz - $1, $2) AS old FROM %4$s ORDER BY 1 LIMIT 1', "column", objectid_ext_tools._ids_schema(), created_at, "table")
        INTO lowest USING (SELECT tick FROM objectid_ext_tools._layout_facts(layout)), layout;
    RETURN QUERY SELECT "table", 'object_not_in_prerequisite_state', format('column "%s" of table %s already has snowflakes', "column", "table"),
                        format('Its lowest id, %s, cannot get another value any more.', lowest.id), NULL
                 WHERE lowest.old;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._past_done_obstacles(regclass, name, snowflake_layout, name) IS 'internal: an id that shows that a conversion without ids from the past has been completed';

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
