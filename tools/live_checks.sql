----------------------------------------------------------------------
-- Existing tables under load: what cannot be converted
----------------------------------------------------------------------

CREATE FUNCTION objectid_ext_tools._column_privileges("table" regclass, source name, target name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format(command, privilege_type, target, "table", CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
    FROM (SELECT 1, 'REVOKE %1$s (%2$I) ON %3$s FROM %4$s CASCADE', a.*
          FROM pg_attribute, aclexplode(attacl) a WHERE attrelid = "table" AND attname = target
          UNION ALL
          SELECT 2, 'GRANT %1$s (%2$I) ON %3$s TO %4$s' || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, a.*
          FROM pg_attribute, aclexplode(attacl) a WHERE attrelid = "table" AND attname = source) AS s (n, command)
    ORDER BY n
$$;
COMMENT ON FUNCTION objectid_ext_tools._column_privileges(regclass, name, name) IS 'internal: statements that give a column the privileges of another';

-- What stands in the way of a conversion under load, beyond what prevents any
-- conversion

CREATE FUNCTION objectid_ext_tools._live_column_obstacles("table" regclass, "column" name, inherited boolean) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    WITH a AS MATERIALIZED (
        SELECT * FROM pg_attribute WHERE attrelid = "table" AND attname = "column"
    )
    SELECT "table", 'wrong_object_type', format('table %s is a temporary or a typed table', "table"), NULL, 'Use convert_to_snowflake() or convert_to_objectid().'
    FROM pg_class WHERE oid = "table" AND (relpersistence = 't' OR reloftype <> 0)
    UNION ALL
    SELECT "table", 'feature_not_supported', format('table %s has parents or children', "table"), NULL, 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.'
    FROM pg_class
    WHERE oid = "table" AND (relkind <> 'p' AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = "table")
                             OR NOT relispartition AND EXISTS (SELECT FROM pg_inherits WHERE inhrelid = "table"))
    UNION ALL
    -- what the shadow column cannot get
    SELECT "table", 'dependent_objects_still_exist', format('column "%s" of table %s is used by %s', "column", "table", pg_describe_object(class, object, 0)), NULL,
           CASE WHEN class = 'pg_statistic_ext'::regclass THEN 'Drop it, convert the column, and create it again.'
                ELSE 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.' END
    FROM (SELECT DISTINCT d.classid, d.objid
          FROM a JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = attrelid AND d.refobjsubid = attnum
               LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
          WHERE d.classid = 'pg_statistic_ext'::regclass OR k.contype = 'x' OR k.contype IN ('p', 'u')
                AND (SELECT indisexclusion FROM pg_index WHERE indexrelid = conindid)) AS used_by (class, object)
    UNION ALL
    SELECT * FROM objectid_ext_tools._live_pair_obstacles("table", "column")
    UNION ALL
    SELECT "table", 'feature_not_supported', format('column "%s" of table %s is an identity column that references another column', "column", "table"), NULL,
           'Use convert_to_snowflake(), which locks the tables.'
    FROM a WHERE attidentity <> '' AND inherited
    UNION ALL
    SELECT "table", 'feature_not_supported', format('column "%s" of table %s has a security label', "column", "table"), NULL, 'Remove it, convert the column, and set it again.'
    FROM a WHERE EXISTS (SELECT FROM pg_seclabel WHERE classoid = 'pg_class'::regclass AND objoid = attrelid AND objsubid = attnum);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_column_obstacles(regclass, name, boolean) IS 'internal: what prevents that a column is converted while the table is in use';

CREATE FUNCTION objectid_ext_tools._live_index_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    WITH a AS MATERIALIZED (
        SELECT attnum, atttypid, coalesce((SELECT nullif(typbasetype, 0) FROM pg_type WHERE oid = to_type), to_type)::regtype AS base_type
        FROM pg_attribute WHERE attrelid = "table" AND attname = "column"
    ), i AS MATERIALIZED (
        SELECT pg_index.*, indexrelid::regclass AS name, relname, reltablespace
        FROM a JOIN pg_index ON indrelid = "table" AND attnum = ANY (indkey) JOIN pg_class c ON c.oid = indexrelid
    )
    SELECT "table", 'feature_not_supported', format('constraint "%s" of table %s is deferrable', conname, "table"), 'The unique index of the shadow column is checked at once.',
           'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables, or create the constraint again as NOT DEFERRABLE.'
    FROM i JOIN pg_constraint ON conindid = indexrelid AND conrelid = indrelid WHERE contype IN ('p', 'u') AND condeferrable
    UNION ALL
    SELECT "table", 'feature_not_supported', format('index %s cannot be created for type %s', name, base_type),
           format('Its operator class of access method %s does not accept the type.', amname), 'Drop it, convert the column, and create it again.'
    FROM i JOIN a ON true, LATERAL unnest(indkey::int2[], indclass::oid[]) AS k (num, opclass)
         JOIN pg_opclass o ON o.oid = k.opclass JOIN pg_am m ON m.oid = o.opcmethod
    WHERE k.num = attnum
      AND CASE WHEN o.opcdefault THEN NOT EXISTS (SELECT FROM pg_opclass p WHERE p.opcmethod = m.oid AND p.opcdefault AND p.opcintype = base_type)
               ELSE o.opcintype = atttypid AND atttypid <> base_type END
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege CREATE on tablespace "%s"', current_user, spcname),
           format('The conversion creates an index like %s there.', min(name::text)), format('Use GRANT CREATE ON TABLESPACE %I TO %I.', spcname, current_user)
    FROM i JOIN pg_tablespace s ON s.oid = reltablespace WHERE NOT has_tablespace_privilege(s.oid, 'CREATE') GROUP BY spcname
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('index %s is not valid', name), NULL,
           format(CASE (SELECT relkind FROM pg_class WHERE oid = "table") WHEN 'p' THEN 'Attach indexes of all partitions to it, or drop it.'
                                        ELSE 'Use REINDEX INDEX CONCURRENTLY %s, or drop the index.' END, name)
    FROM i WHERE NOT indisvalid AND relname NOT LIKE E'\\_objectid\\_ext\\_%';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_index_obstacles(regclass, name, regtype) IS 'internal: what prevents that the indexes of a column are created for a shadow column';

-- One ObjectId has several spellings, which a unique index of text tells apart, but
-- not one of objectids.  If all values are spelled alike, they need not be sorted.

CREATE FUNCTION objectid_ext_tools._spelling_obstacles("table" regclass, "column" name, objectid_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
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
    LOOP
        PERFORM objectid_ext_tools._check_owner(ARRAY[each.relation]);
        EXECUTE format('SELECT min(%1$I::text), max(%1$I::text) FROM %2$s'
                       ' WHERE EXISTS (SELECT FROM %2$s WHERE %1$I::text <> (%3$s)::text) AND (%4$s) AND %5$s GROUP BY %6$s HAVING count(*) > 1 LIMIT 1',
                       each.attribute, each.relation, each.value, each.predicate, each.no_nulls, each.keys) INTO one, other;
        RETURN QUERY SELECT each.relation, 'unique_violation',
                            format('values "%s" and "%s" in column "%s" of table %s are the same ObjectId, but index %s is unique', left(one, 100), left(other, 100), each.attribute, each.relation, each.index),
                            NULL, 'Change or delete one of the rows.'
                     WHERE one IS NOT NULL;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._spelling_obstacles(regclass, name, regtype) IS 'internal: unique indexes with values that are distinct as text and the same ObjectId';

-- What the owner may do.  An owner can revoke his own privileges.

CREATE FUNCTION objectid_ext_tools._live_privilege_obstacles("table" regclass) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT "table", 'insufficient_privilege', format('row-level security of table %s applies to role "%s"', "table", current_user), 'The conversion would not see all rows.',
           format('Use ALTER TABLE %s NO FORCE ROW LEVEL SECURITY before the conversion, or ALTER ROLE %I BYPASSRLS.', "table", current_user)
    WHERE row_security_active("table")
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege CREATE on schema "%s"', current_user, nspname),
           format('The conversion creates indexes and a function in the schema of table %s.', "table"), format('Use GRANT CREATE ON SCHEMA %I TO %I.', nspname, current_user)
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE c.oid = "table" AND NOT has_schema_privilege(n.oid, 'CREATE')
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege %s on table %s', current_user, privilege, "table"), NULL,
           format('Use GRANT %s ON TABLE %s TO %I.', privilege, "table", current_user)
    FROM unnest('{SELECT,UPDATE,TRIGGER,REFERENCES}'::text[]) AS privilege
    WHERE NOT has_table_privilege("table", privilege) AND (privilege <> 'REFERENCES' OR EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = "table"))
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege USAGE on language "plpgsql"', current_user), 'The conversion creates functions in this language.',
           format('Use GRANT USAGE ON LANGUAGE plpgsql TO %I.', current_user)
    WHERE NOT has_language_privilege('plpgsql', 'USAGE')
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege TEMPORARY on database "%s"', current_user, current_database()),
           'The conversion finds out the definitions of indexes and constraints with a temporary table.',
           format('Use GRANT TEMPORARY ON DATABASE %I TO %I.', current_database(), current_user)
    WHERE NOT has_database_privilege(current_database(), 'TEMPORARY');
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_privilege_obstacles(regclass) IS 'internal: privileges that the current role lacks for a conversion under load';

CREATE FUNCTION objectid_ext_tools._live_whole_row_obstacles(tables regclass[]) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT relation, 'feature_not_supported', format('%s uses whole rows of table %s', object, relation),
           'The conversion adds columns and drops others.', 'Drop it, convert the column, and create it again.'
    FROM objectid_ext_tools._live_whole_rows(tables)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_whole_row_obstacles(regclass[]) IS 'internal: what belongs to one of these tables and uses whole rows';

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

CREATE FUNCTION objectid_ext_tools._live_detached_obstacles(tables regclass[]) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT inhparent::regclass, 'object_in_use', format('partition %s of table %s is being detached', inhrelid::regclass, inhparent::regclass), NULL,
           format('If nobody is, use ALTER TABLE %s DETACH PARTITION %s FINALIZE.', inhparent::regclass, inhrelid::regclass)
    FROM pg_inherits WHERE inhparent = ANY (tables) AND inhdetachpending;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_detached_obstacles(regclass[]) IS 'internal: partitions of these tables whose DETACH PARTITION CONCURRENTLY has not ended';

-- BEFORE triggers fire in the order of their names; ours must be the last.

CREATE FUNCTION objectid_ext_tools._live_table_obstacles("table" regclass, state text) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT * FROM objectid_ext_tools._live_owner_obstacles("table")
    UNION ALL
    SELECT * FROM objectid_ext_tools._live_detached_obstacles(ARRAY["table"])
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('trigger "%s" of table %s is set to ENABLE ALWAYS or REPLICA', tgname, "table"),
           'It would fire when the conversion updates the rows.', format('Use ALTER TABLE %s ENABLE TRIGGER %I before the conversion.', "table", tgname)
    FROM objectid_ext_tools._live_update_triggers("table") WHERE tgenabled IN ('A', 'R')
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('trigger "%s" of table %s fires after the trigger of the conversion', tgname, "table"), NULL,
           'Rename it, so that its name sorts before "~objectid_ext_conversion".'
    FROM pg_trigger
    WHERE tgrelid = "table" AND NOT tgisinternal AND tgtype & 3 = 3 AND tgtype & 20 <> 0 AND tgname::text COLLATE "C" > '~objectid_ext_conversion'
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('table %s has triggers that fire on updates', "table"),
           'The conversion updates all rows, and can keep the triggers from firing only by the setting session_replication_role.',
           format('Ask a superuser to GRANT SET ON PARAMETER session_replication_role TO %I.', current_user)
    WHERE objectid_ext_tools._live_needs_replica_role("table") AND NOT has_parameter_privilege('session_replication_role', 'SET')
    UNION ALL
    -- copied by CREATE TABLE AS, or its check was dropped: nothing tells what it contains
    SELECT "table", 'object_not_in_prerequisite_state', format('column "%s" of table %s has no check constraint of a conversion', s.attname, "table"), NULL,
           CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion') THEN 'Use undo_conversion(), and begin again.'
                ELSE format('Use ALTER TABLE %s DROP COLUMN %I before the conversion.', "table", s.attname) END
    FROM pg_attribute s
    WHERE attrelid = "table" AND attname LIKE E'\\_objectid\\_ext\\_%' AND attinhcount = 0 AND NOT attisdropped AND objectid_ext_tools._live_beside("table", attname) IS NULL
      AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = "table" AND objectid_ext_tools._live_name(o.attname) = s.attname)
    UNION ALL
    SELECT "table", 'feature_not_supported', format('table %s has rule "%s" on updates', "table", rulename), 'The conversion updates all rows.', 'Drop it, convert the column, and create it again.'
    FROM pg_rewrite WHERE ev_class = "table" AND ev_type = '2'
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('the trigger of the conversion of table %s was disabled', "table"),
           'Rows that were written meanwhile can have wrong values in the shadow columns.', 'Use undo_conversion(), and begin again.'
    FROM pg_trigger WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion' AND tgenabled <> 'A' AND NOT EXISTS (SELECT FROM objectid_ext_tools._live_owner_obstacles("table"))
    UNION ALL
    SELECT "table", 'object_in_use', format('table %s takes part in another conversion', "table"), NULL, 'Complete the other conversion, or use undo_conversion().'
    FROM pg_trigger WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion' AND NOT EXISTS (SELECT FROM objectid_ext_tools._live_owner_obstacles("table"))
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s
                      WHERE s.relation = "table" OR s.relation IN (SELECT relid FROM pg_partition_ancestors("table")));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_table_obstacles(regclass, text) IS 'internal: triggers, rules and another conversion of a table that prevent one under load';
