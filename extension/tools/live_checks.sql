----------------------------------------------------------------------
-- Existing tables under load: what cannot be converted
----------------------------------------------------------------------

CREATE FUNCTION objectid_ext_tools._column_privileges("table" regclass, source name, target name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format(command, privilege_type, target, "table", CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
    FROM (SELECT 1, 'REVOKE %1$s (%2$I) ON %3$s FROM %4$s', a.*
          FROM pg_attribute, aclexplode(attacl) a WHERE attrelid = "table" AND attname = target
          UNION ALL
          SELECT 2, 'GRANT %1$s (%2$I) ON %3$s TO %4$s' || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, a.*
          FROM pg_attribute, aclexplode(attacl) a WHERE attrelid = "table" AND attname = source) AS s (n, command)
    ORDER BY n
$$;
COMMENT ON FUNCTION objectid_ext_tools._column_privileges(regclass, name, name) IS 'internal: statements that give a column the privileges of another';

-- What stands in the way of a conversion under load, beyond what the conversions
-- under a lock refuse

CREATE FUNCTION objectid_ext_tools._live_check_column("table" regclass, "column" name, inherited boolean) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    c pg_class;
    a pg_attribute;
    obstacle record;
BEGIN
    SELECT * INTO c FROM pg_class WHERE oid = "table";
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    PERFORM objectid_ext_tools._live_check_owner("table");
    IF c.relpersistence = 't' OR c.reloftype <> 0 THEN
        RAISE EXCEPTION 'table % is a temporary or a typed table', "table"
            USING ERRCODE = 'wrong_object_type', HINT = 'Use convert_to_snowflake() or convert_to_objectid().';
    END IF;
    IF c.relkind <> 'p' AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = "table")
       OR NOT c.relispartition AND EXISTS (SELECT FROM pg_inherits WHERE inhrelid = "table") THEN
        RAISE EXCEPTION 'table % has parents or children', "table"
            USING ERRCODE = 'feature_not_supported', HINT = 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.';
    END IF;

    -- what the shadow column cannot get
    SELECT CASE WHEN d.classid = 'pg_statistic_ext'::regclass THEN 'Drop it, convert the column, and create it again.'
                ELSE 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.' END AS hint,
           pg_describe_object(d.classid, d.objid, 0) AS name
    INTO obstacle
    FROM pg_depend d
         LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = "table" AND d.refobjsubid = a.attnum
      AND (d.classid = 'pg_statistic_ext'::regclass OR k.contype = 'x' OR k.contype IN ('p', 'u')
           AND (SELECT indisexclusion FROM pg_index WHERE indexrelid = conindid))
    ORDER BY d.classid, d.objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle.name
            USING ERRCODE = 'dependent_objects_still_exist', HINT = obstacle.hint;
    END IF;
    SELECT conname, conrelid::regclass AS referring INTO obstacle
    FROM pg_constraint
    WHERE contype = 'f' AND (confupdtype = 'd' OR confdeltype = 'd')
      AND (conrelid = "table" AND a.attnum = ANY (conkey) OR confrelid = "table" AND a.attnum = ANY (confkey))
    ORDER BY conname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'foreign key constraint "%" of table % has the action SET DEFAULT', obstacle.conname, obstacle.referring
            USING ERRCODE = 'feature_not_supported', HINT = 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.';
    END IF;
    PERFORM objectid_ext_tools._live_check_pairs("table", a.attnum);
    IF a.attidentity <> '' AND inherited IS NOT DISTINCT FROM true THEN
        RAISE EXCEPTION 'column "%" of table % is an identity column that references another column', "column", "table"
            USING ERRCODE = 'feature_not_supported', HINT = 'Use convert_to_snowflake(), which locks the tables.';
    END IF;
    IF EXISTS (SELECT FROM pg_seclabel WHERE classoid = 'pg_class'::regclass AND objoid = "table" AND objsubid = a.attnum) THEN
        RAISE EXCEPTION 'column "%" of table % has a security label', "column", "table"
            USING ERRCODE = 'feature_not_supported', HINT = 'Remove it, convert the column, and set it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_column(regclass, name, boolean) IS 'internal: raises an error if a column cannot be converted while the table is in use';

CREATE FUNCTION objectid_ext_tools._live_check_indexes("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    base_type regtype := coalesce((SELECT nullif(typbasetype, 0) FROM pg_type WHERE oid = to_type), to_type);
    obstacle record;
BEGIN
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    SELECT conname INTO obstacle
    FROM pg_constraint
    WHERE conrelid = "table" AND contype IN ('p', 'u') AND condeferrable AND a.attnum = ANY (conkey)
    ORDER BY conname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'constraint "%" of table % is deferrable', obstacle.conname, "table"
            USING ERRCODE = 'feature_not_supported', DETAIL = 'The unique index of the shadow column is checked at once.',
                  HINT = 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables, or create the constraint again as NOT DEFERRABLE.';
    END IF;
    SELECT i.indexrelid::regclass AS name, amname AS method INTO obstacle
    FROM pg_index i, LATERAL unnest(i.indkey::int2[], i.indclass::oid[]) AS k (attnum, opclass)
         JOIN pg_opclass o ON o.oid = k.opclass JOIN pg_am m ON m.oid = o.opcmethod
    WHERE i.indrelid = "table" AND k.attnum = a.attnum
      AND CASE WHEN o.opcdefault THEN NOT EXISTS (SELECT FROM pg_opclass p WHERE p.opcmethod = m.oid AND p.opcdefault AND p.opcintype = base_type)
               ELSE o.opcintype = a.atttypid AND a.atttypid <> base_type END
    ORDER BY i.indexrelid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'index % cannot be created for type %', obstacle.name, base_type
            USING ERRCODE = 'feature_not_supported', DETAIL = format('Its operator class of access method %s does not accept the type.', obstacle.method),
                  HINT = 'Drop it, convert the column, and create it again.';
    END IF;
    SELECT indexrelid::regclass AS name, spcname AS tablespace INTO obstacle
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_tablespace s ON s.oid = i.reltablespace
    WHERE indrelid = "table" AND a.attnum = ANY (indkey) AND NOT has_tablespace_privilege(s.oid, 'CREATE')
    ORDER BY indexrelid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'role "%" has no privilege CREATE on tablespace "%"', current_user, obstacle.tablespace
            USING ERRCODE = 'insufficient_privilege', DETAIL = format('The conversion creates an index like %s there.', obstacle.name),
                  HINT = format('Use GRANT CREATE ON TABLESPACE %I TO %I.', obstacle.tablespace, current_user);
    END IF;
    SELECT indexrelid::regclass AS name INTO obstacle
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid
    WHERE indrelid = "table" AND a.attnum = ANY (indkey) AND NOT indisvalid AND relname NOT LIKE E'\\_objectid\\_ext\\_%' ORDER BY indexrelid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'index % is not valid', obstacle.name
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = format(CASE (SELECT relkind FROM pg_class WHERE oid = "table") WHEN 'p' THEN 'Attach indexes of all partitions to it, or drop it.'
                                               ELSE 'Use REINDEX INDEX CONCURRENTLY %s, or drop the index.' END, obstacle.name);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_indexes(regclass, name, regtype) IS 'internal: raises an error if an index of a column cannot be created for a shadow column';

-- One ObjectId has several spellings, which a unique index of text tells apart, but
-- not one of objectids.  If all values are spelled alike, they need not be sorted.

CREATE FUNCTION objectid_ext_tools._check_spellings("table" regclass, "column" name, objectid_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    each record;
    one text;
    other text;
BEGIN
    FOR each IN
        SELECT l.relation, l.attribute, l.value, indexrelid::regclass AS index, coalesce(pg_get_expr(indpred, indrelid), 'true') AS predicate, k.*
        FROM objectid_ext_tools._live_columns("table", "column", objectid_type) l
             JOIN pg_attribute a ON a.attrelid = l.relation AND a.attname = l.attribute
             JOIN pg_index i ON indrelid = l.relation AND a.attnum = ANY (indkey),
             LATERAL (SELECT string_agg(CASE indkey[n - 1] WHEN a.attnum THEN l.value ELSE pg_get_indexdef(indexrelid, n, false) END, ', ') AS keys,
                             string_agg(format('(%s) IS NOT NULL', pg_get_indexdef(indexrelid, n, false)), ' AND ')
                                 FILTER (WHERE indkey[n - 1] = a.attnum OR NOT indnullsnotdistinct) AS no_nulls,
                             bool_or(indkey[n - 1] = a.attnum) AS is_key
                      FROM generate_series(1, indnkeyatts::integer) AS n) AS k
        WHERE indisunique AND indisvalid AND k.is_key AND l.attribute_type <> 'bytea'::regtype
          AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid)
        ORDER BY l.relation, l.attribute, indexrelid
    LOOP
        PERFORM objectid_ext_tools._check_owner(ARRAY[each.relation]);
        EXECUTE format('SELECT min(%1$I::text), max(%1$I::text) FROM %2$s'
                       ' WHERE EXISTS (SELECT FROM %2$s WHERE %1$I::text <> (%3$s)::text) AND (%4$s) AND %5$s GROUP BY %6$s HAVING count(*) > 1 LIMIT 1',
                       each.attribute, each.relation, each.value, each.predicate, each.no_nulls, each.keys) INTO one, other;
        IF one IS NOT NULL THEN
            RAISE EXCEPTION 'values "%" and "%" in column "%" of table % are the same ObjectId, but index % is unique', left(one, 100), left(other, 100), each.attribute, each.relation, each.index
                USING ERRCODE = 'unique_violation', HINT = 'Change or delete one of the rows.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_spellings(regclass, name, regtype) IS 'internal: raises an error if values that are distinct as text are the same ObjectId';

-- What the owner may do

CREATE FUNCTION objectid_ext_tools._live_check_privileges("table" regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema name;
    missing text;
BEGIN
    IF row_security_active("table") THEN
        RAISE EXCEPTION 'row-level security of table % applies to role "%"', "table", current_user
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'The conversion would not see all rows.',
                  HINT = format('Use ALTER TABLE %s NO FORCE ROW LEVEL SECURITY before the conversion, or ALTER ROLE %I BYPASSRLS.', "table", current_user);
    END IF;
    SELECT nspname INTO schema
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE c.oid = "table" AND NOT has_schema_privilege(n.oid, 'CREATE');
    IF FOUND THEN
        RAISE EXCEPTION 'role "%" has no privilege CREATE on schema "%"', current_user, schema
            USING ERRCODE = 'insufficient_privilege', DETAIL = format('The conversion creates indexes and a function in the schema of table %s.', "table"),
                  HINT = format('Use GRANT CREATE ON SCHEMA %I TO %I.', schema, current_user);
    END IF;
    -- an owner can revoke his own
    SELECT privilege INTO missing
    FROM unnest(ARRAY['SELECT', 'UPDATE', 'TRIGGER', CASE WHEN EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = "table") THEN 'REFERENCES' ELSE 'UPDATE' END]) AS privilege
    WHERE NOT has_table_privilege("table", privilege) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'role "%" has no privilege % on table %', current_user, missing, "table"
            USING ERRCODE = 'insufficient_privilege', HINT = format('Use GRANT %s ON TABLE %s TO %I.', missing, "table", current_user);
    END IF;
    IF NOT has_language_privilege('plpgsql', 'USAGE') THEN
        RAISE EXCEPTION 'role "%" has no privilege USAGE on language "plpgsql"', current_user
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'The conversion creates functions in this language.',
                  HINT = format('Use GRANT USAGE ON LANGUAGE plpgsql TO %I.', current_user);
    END IF;
    IF NOT has_database_privilege(current_database(), 'TEMPORARY') THEN
        RAISE EXCEPTION 'role "%" has no privilege TEMPORARY on database "%"', current_user, current_database()
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'The conversion finds out the definitions of indexes and constraints with a temporary table.',
                  HINT = format('Use GRANT TEMPORARY ON DATABASE %I TO %I.', current_database(), current_user);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_privileges(regclass) IS 'internal: raises an error if the current role lacks a privilege that a conversion under load needs';

-- A value of the row type would lose its column.  All tables at once, because this
-- reads all of pg_attribute.

CREATE FUNCTION objectid_ext_tools._live_check_row_types(tables regclass[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    obstacle record;
BEGIN
    WITH RECURSIVE used (relation, type) AS (
        SELECT oid, reltype FROM pg_class WHERE oid = ANY (tables)
        UNION
        SELECT used.relation, whole.type
        FROM used JOIN (
            SELECT typbasetype, oid FROM pg_type WHERE typbasetype <> 0
            UNION ALL SELECT typelem, oid FROM pg_type WHERE typelem <> 0 AND typlen = -1
            UNION ALL SELECT rngsubtype, rngtypid FROM pg_range
            UNION ALL SELECT rngtypid, rngmultitypid FROM pg_range
            UNION ALL SELECT atttypid, reltype FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relkind = 'c' AND NOT attisdropped
        ) AS whole (part, type) ON part = used.type
    )
    SELECT attname AS attribute, attrelid::regclass AS stored_in, used.relation::regclass AS relation INTO obstacle
    FROM used JOIN pg_attribute ON atttypid = used.type JOIN pg_class c ON c.oid = attrelid
    WHERE relkind IN ('r', 'p', 'm') AND NOT attisdropped
    ORDER BY used.relation, attrelid, attnum LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % uses the row type of table %', obstacle.attribute, obstacle.stored_in, obstacle.relation
            USING ERRCODE = 'feature_not_supported', DETAIL = 'Its values would lose the converted column.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_row_types(regclass[]) IS 'internal: raises an error if a table stores values of the row type of one of these tables';

CREATE FUNCTION objectid_ext_tools._live_check_whole_rows(tables regclass[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    obstacle record;
BEGIN
    SELECT * INTO obstacle FROM objectid_ext_tools._live_whole_rows(tables) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '% uses whole rows of table %', obstacle.object, obstacle.relation
            USING ERRCODE = 'feature_not_supported', DETAIL = 'The conversion adds columns and drops others.',
                  HINT = 'Drop it, convert the column, and create it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_whole_rows(regclass[]) IS 'internal: raises an error if something that belongs to one of these tables uses whole rows';

-- Filling updates all rows.  Triggers on these updates must not fire, and the only
-- means is session_replication_role.  A trigger on some columns fires if the shadow
-- columns are among them, or a column that can be generated from these.

CREATE FUNCTION objectid_ext_tools._live_update_triggers("table" regclass, OUT tgname name, OUT tgenabled "char") RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT t.tgname, t.tgenabled
    FROM pg_trigger t
    WHERE tgrelid = "table" AND NOT tgisinternal AND t.tgname <> '~objectid_ext_conversion' AND tgtype & 16 <> 0
      AND (tgattr = '' OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attnum = ANY (tgattr)
                                                             AND (attname LIKE E'\\_objectid\\_ext\\_%' OR attgenerated <> '')))
    ORDER BY t.tgname
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_update_triggers(regclass) IS 'internal: triggers of users that can fire when shadow columns are updated';

CREATE FUNCTION objectid_ext_tools._live_needs_replica_role("table" regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM objectid_ext_tools._live_update_triggers("table") WHERE tgenabled = 'O')
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_needs_replica_role(regclass) IS 'internal: would an update of a column that users do not know fire their triggers?';

-- ALTER TABLE does not change such a partition together with its parent: a column
-- that is dropped would stay in the partition, as an inherited one, for ever.

CREATE FUNCTION objectid_ext_tools._live_check_detached(tables regclass[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    part record;
BEGIN
    SELECT inhparent::regclass AS parent, inhrelid::regclass AS name INTO part
    FROM pg_inherits WHERE inhparent = ANY (tables) AND inhdetachpending ORDER BY inhrelid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'partition % of table % is being detached', part.name, part.parent
            USING ERRCODE = 'object_in_use', HINT = format('If nobody is, use ALTER TABLE %s DETACH PARTITION %s FINALIZE.', part.parent, part.name);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_detached(regclass[]) IS 'internal: raises an error if DETACH PARTITION CONCURRENTLY of a partition of these tables has not ended';

CREATE FUNCTION objectid_ext_tools._live_check_table("table" regclass, state text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    obstacle record;
BEGIN
    PERFORM objectid_ext_tools._live_check_detached(ARRAY["table"]);
    SELECT tgname INTO obstacle FROM objectid_ext_tools._live_update_triggers("table") WHERE tgenabled IN ('A', 'R') LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'trigger "%" of table % is set to ENABLE ALWAYS or REPLICA', obstacle.tgname, "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It would fire when the conversion updates the rows.',
                  HINT = format('Use ALTER TABLE %s ENABLE TRIGGER %I before the conversion.', "table", obstacle.tgname);
    END IF;
    -- BEFORE triggers fire in the order of their names; ours must be the last
    SELECT tgname INTO obstacle
    FROM pg_trigger
    WHERE tgrelid = "table" AND NOT tgisinternal AND tgtype & 3 = 3 AND tgtype & 20 <> 0 AND tgname::text COLLATE "C" > '~objectid_ext_conversion'
    ORDER BY tgname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'trigger "%" of table % fires after the trigger of the conversion', obstacle.tgname, "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Rename it, so that its name sorts before "~objectid_ext_conversion".';
    END IF;
    IF objectid_ext_tools._live_needs_replica_role("table") AND NOT has_parameter_privilege('session_replication_role', 'SET') THEN
        RAISE EXCEPTION 'table % has triggers that fire on updates', "table"
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'The conversion updates all rows, and can keep the triggers from firing only by the setting session_replication_role.',
                  HINT = format('Ask a superuser to GRANT SET ON PARAMETER session_replication_role TO %I.', current_user);
    END IF;
    -- copied by CREATE TABLE AS, or its check was dropped: nothing tells what it contains
    SELECT s.attname INTO obstacle
    FROM pg_attribute s
    WHERE attrelid = "table" AND attname LIKE E'\\_objectid\\_ext\\_%' AND attinhcount = 0 AND NOT attisdropped AND objectid_ext_tools._live_beside("table", attname) IS NULL
      AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = "table" AND objectid_ext_tools._live_name(o.attname) = s.attname)
    ORDER BY attnum LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % has no check constraint of a conversion', obstacle.attname, "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion') THEN 'Use undo_conversion(), and begin again.'
                              ELSE format('Use ALTER TABLE %s DROP COLUMN %I before the conversion.', "table", obstacle.attname) END;
    END IF;
    SELECT rulename INTO obstacle FROM pg_rewrite WHERE ev_class = "table" AND ev_type = '2' ORDER BY rulename LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % has rule "%" on updates', "table", obstacle.rulename
            USING ERRCODE = 'feature_not_supported', DETAIL = 'The conversion updates all rows.', HINT = 'Drop it, convert the column, and create it again.';
    END IF;
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion' AND tgenabled <> 'A') THEN
        RAISE EXCEPTION 'the trigger of the conversion of table % was disabled', "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'Rows that were written meanwhile can have wrong values in the shadow columns.',
                  HINT = 'Use undo_conversion(), and begin again.';
    END IF;
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion') THEN
        IF NOT EXISTS (SELECT FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s
                       WHERE s.relation = "table" OR s.relation IN (SELECT relid FROM pg_partition_ancestors("table"))) THEN
            RAISE EXCEPTION 'table % takes part in another conversion', "table"
                USING ERRCODE = 'object_in_use', HINT = 'Complete the other conversion, or use undo_conversion().';
        END IF;
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_table(regclass, text) IS 'internal: raises an error if triggers, rules or another conversion of a table stand in the way';
