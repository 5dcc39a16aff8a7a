----------------------------------------------------------------------
-- Existing tables under load: with whose rights
----------------------------------------------------------------------

CREATE FUNCTION objectid_ext_tools._live_check_family("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._check_owner("table" || objectid_ext_tools._live_tables("table", "column", to_type));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_family(regclass, name, regtype) IS 'internal: raises an error if one of the tables of a conversion does not belong to the current role';

-- After the columns were replaced, another role can add a foreign key that refers to the
-- new one.  What remains does not concern its table.

CREATE FUNCTION objectid_ext_tools._live_check_rights("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF objectid_ext_tools._has_snowflakes("table", "column")
       OR to_type <> 'bigint'::regtype AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND atttypid = to_type) THEN
        PERFORM objectid_ext_tools._check_owner(ARRAY["table"]);
    ELSE
        PERFORM objectid_ext_tools._live_check_family("table", "column", to_type);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_rights(regclass, name, regtype) IS 'internal: raises an error if one of the tables that a conversion still has to change does not belong to the current role';

-- The functions of the triggers belong to the owner that the table had.  Any role with
-- the privilege TRIGGER can create a trigger of that name, with a function of its own.

CREATE FUNCTION objectid_ext_tools._live_owner_obstacles("table" regclass) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT "table", 'object_not_in_prerequisite_state', format('the conversion of table %s belongs to role "%s", which is not the owner', "table", pg_get_userbyid(proowner)), NULL,
           'If it owned the table when the conversion began, make it the owner again until the conversion is completed or undone. Otherwise, drop the trigger "~objectid_ext_conversion".'
    FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid JOIN pg_class c ON c.oid = tgrelid
    WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion' AND proname LIKE E'\\_objectid\\_ext\\_%'
      AND (tgparentid = 0 AND proowner <> relowner OR NOT objectid_ext_tools._is_own(proowner))
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('trigger "%s" of table %s is not one of a conversion', tgname, "table"), NULL, 'Drop the trigger.'
    FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
    WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion' AND proname NOT LIKE E'\\_objectid\\_ext\\_%';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_owner_obstacles(regclass) IS 'internal: a former owner of a table to whom the conversion belongs, or another trigger that has the name of its trigger';

-- The triggers of new ids have the rights of the role that began, also if a table or
-- the schema is given to another role, which then chooses what they use.  So they use
-- only values of types whose operators and casts nobody else can make, and only tables
-- that are still their owner's.  The types are not looked up in the catalog: the
-- snapshot of a transaction can be older than a change.

CREATE FUNCTION objectid_ext_tools._backfill_check_types(attribute name, types text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('IF pg_typeof(NEW.%1$I) <> ALL (%2$L::regtype[]) THEN'
                  ' RAISE EXCEPTION ''column "%%" of table %% has type %%, with which the conversion cannot go on'', %1$L, TG_RELID::regclass, pg_typeof(NEW.%1$I)'
                  ' USING ERRCODE = ''object_not_in_prerequisite_state'', HINT = ''The owner of the table can use undo_conversion().'';'
                  ' END IF; ', attribute, types)
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check_types(name, text) IS 'internal: statement of a trigger that raises an error unless a column has one of these types';

CREATE FUNCTION objectid_ext_tools._is_own_store(store regclass) RETURNS boolean
LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'is_own_store';
COMMENT ON FUNCTION objectid_ext_tools._is_own_store(regclass) IS 'internal: is it a table of the current role, without triggers and rules, in a schema whose owner may act as this role?';

-- A statement finds them by name, which can be another table's by then: the owner of
-- their schema can replace them, and who finds the name of a schema free can take it.
-- So they are locked first, which runs nothing and prevents that they are replaced.  If
-- they are newer than the snapshot of the transaction, it does not see their rows.

CREATE FUNCTION objectid_ext_tools._backfill_guard(tables text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('LOCK TABLE ONLY %1$s IN ROW EXCLUSIVE MODE; '
                  'IF (SELECT count(*) FROM unnest(ARRAY[%2$s]) AS s WHERE objectid_ext_tools._is_own_store(s)) < %3$s THEN'
                  ' RAISE EXCEPTION ''tables of new ids, or their schema, belong to another role, or have triggers or rules'' USING ERRCODE = ''object_not_in_prerequisite_state'','
                  ' DETAIL = format(''The conversion of table %%s belongs to role "%%s".'', TG_RELID::regclass, current_user),'
                  ' HINT = ''Make this role the owner again, or call snowflake_conversion_steps() again if the schema was renamed.'';'
                  ' END IF;'
                  ' IF (SELECT count(*) FROM pg_class WHERE oid = ANY (ARRAY[%2$s])) < %3$s THEN'
                  ' RAISE EXCEPTION ''could not serialize access due to concurrent change of the tables of new ids'' USING ERRCODE = ''serialization_failure'','
                  ' HINT = ''Repeat the transaction, if necessary with isolation level READ COMMITTED.'';'
                  ' END IF; ',
                  array_to_string(tables, ', ONLY '), (SELECT string_agg(format('to_regclass(%L)', name), ', ') FROM unnest(tables) AS name), cardinality(tables))
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_guard(text[]) IS 'internal: statements of a trigger that lock tables of new ids, and raise an error if they are not those of its owner';

-- Default privileges give other roles rights on what a conversion creates: with a
-- trigger, or with other values, they could make the owner execute anything.

CREATE FUNCTION objectid_ext_tools._live_revoke(class regclass, object oid) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT DISTINCT format('REVOKE ALL ON %s FROM %s', o.name, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
        FROM (SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || oid::regclass, relacl, relowner
              FROM pg_class WHERE class = 'pg_class'::regclass AND oid = object
              UNION ALL
              SELECT 'FUNCTION ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner)), proowner
              FROM pg_proc WHERE class = 'pg_proc'::regclass AND oid = object
              UNION ALL
              SELECT 'SCHEMA ' || oid::regnamespace, nspacl, nspowner
              FROM pg_namespace WHERE class = 'pg_namespace'::regclass AND oid = object) AS o (name, acl, owner), aclexplode(acl)
        WHERE grantee <> owner
    LOOP
        EXECUTE statement;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_revoke(regclass, oid) IS 'internal: leaves privileges on a table, sequence, function or schema to its owner alone';

-- also on the schema of these functions, before another session can see it
SELECT objectid_ext_tools._live_revoke('pg_catalog.pg_namespace', 'objectid_ext_tools'::pg_catalog.regnamespace);
GRANT USAGE ON SCHEMA objectid_ext_tools TO PUBLIC;

-- What the tables of a conversion contain is executed, and they are written.  Roles
-- with CREATE on the schema can take their names.

CREATE FUNCTION objectid_ext_tools._live_own(name text, kind "char") RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other name;
BEGIN
    SELECT pg_get_userbyid(relowner) INTO other
    FROM pg_class
    WHERE oid = to_regclass(name) AND (relkind <> kind OR NOT objectid_ext_tools._is_own(relowner));
    IF FOUND THEN
        RAISE EXCEPTION 'relation % belongs to role "%"', name, other
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'If this role has begun the conversion, go on as this role. If it owned the table then, make it the owner again. Otherwise, drop the relation.';
    END IF;
    -- the type of its rows would have this name; PostgreSQL renames types of arrays
    IF EXISTS (SELECT FROM pg_type WHERE oid = to_regtype(name) AND typrelid = 0 AND typsubscript <> 'array_subscript_handler'::regproc) THEN
        RAISE EXCEPTION 'relation % cannot be created, because there is a type of this name', name
            USING ERRCODE = 'duplicate_object', HINT = 'Drop the type, or rename it.';
    END IF;
    -- event triggers enable it for each new table
    IF to_regclass(name) IS NOT NULL AND row_security_active(to_regclass(name)) THEN
        RAISE EXCEPTION 'row-level security of table % applies to role "%"', name, current_user
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = format('Use ALTER TABLE %s NO FORCE ROW LEVEL SECURITY.', name);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_own(text, "char") IS 'internal: raises an error if a relation exists that is of another kind, does not belong to the current role, or hides rows from it';

-- A relation that was not there when its owner was checked can be there now.  One of
-- the current role keeps its name: then it can be written by this name.

CREATE FUNCTION objectid_ext_tools._live_found(name text) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT oid::regclass FROM pg_class WHERE oid = to_regclass(name) AND relkind = 'r' AND objectid_ext_tools._is_own(relowner)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_found(text) IS 'internal: the table of that name, if it belongs to the current role';
