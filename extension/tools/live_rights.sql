----------------------------------------------------------------------
-- Existing tables under load: with whose rights
----------------------------------------------------------------------

-- A conversion runs much that the owner of a table has chosen, with the rights of
-- the role that converts: its triggers fire, its checks and the expressions of its
-- indexes are evaluated, its names are read.  So this role must be the owner itself.
-- A member of the owner is not enough, because other members can change the table.
-- Superusers run each other's code anyway.

CREATE FUNCTION objectid_ext_tools._live_is_own(owner oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT r.rolname = current_user OR r.rolsuper AND (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) FROM pg_roles r WHERE r.oid = owner
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_is_own(oid) IS 'internal: is it the current role, or are both superusers?';

CREATE FUNCTION objectid_ext_tools._live_check_role(tables regclass[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other record;
    first record;
BEGIN
    SELECT c.oid::regclass AS relation, pg_get_userbyid(relowner) AS owner INTO other
    FROM pg_class c
    WHERE c.oid = ANY (tables) AND pg_get_userbyid(relowner) <> current_user AND objectid_ext_tools._live_is_own(relowner) IS NOT TRUE
    ORDER BY array_position(tables, c.oid::regclass) LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT c.oid::regclass AS relation, pg_get_userbyid(relowner) AS owner INTO first
    FROM pg_class c
    WHERE c.oid = ANY (tables) AND pg_get_userbyid(relowner) <> other.owner
    ORDER BY array_position(tables, c.oid::regclass) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'tables % and % belong to different roles', first.relation, other.relation
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = format('They are roles "%s" and "%s". Only one owner of all tables can convert them while they are in use.', first.owner, other.owner),
                  HINT = 'Use ALTER TABLE ... OWNER TO, or convert_to_snowflake() or convert_to_objectid(), which lock the tables.';
    END IF;
    RAISE EXCEPTION 'must be owner of table %', other.relation
        USING ERRCODE = 'insufficient_privilege',
              DETAIL = format('It belongs to role "%s", whose triggers and expressions the conversion would run with the rights of role "%s".', other.owner, current_user),
              HINT = 'Connect as the owner, or use SET ROLE if you trust the owner.';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_role(regclass[]) IS 'internal: raises an error if one of these tables does not belong to the current role, or both to superusers';

CREATE FUNCTION objectid_ext_tools._live_check_family("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._live_check_role(ARRAY["table"] || objectid_ext_tools._live_tables("table", "column", to_type));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_family(regclass, name, regtype) IS 'internal: raises an error if one of the tables of a conversion does not belong to the current role';

-- The functions of the triggers belong to the owner that the table had.

CREATE FUNCTION objectid_ext_tools._live_check_owner("table" regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    former name;
BEGIN
    SELECT pg_get_userbyid(proowner) INTO former
    FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid JOIN pg_class c ON c.oid = tgrelid
    WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion'
      AND (tgparentid = 0 AND proowner <> relowner OR objectid_ext_tools._live_is_own(proowner) IS NOT TRUE);
    IF FOUND THEN
        RAISE EXCEPTION 'the conversion of table % belongs to role "%", which is not the owner', "table", former
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'If it owned the table when the conversion began, make it the owner again until the conversion is completed or undone.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_owner(regclass) IS 'internal: raises an error if the owner of a table has changed since the conversion began';

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
    WHERE oid = to_regclass(name) AND (relkind <> kind OR objectid_ext_tools._live_is_own(relowner) IS NOT TRUE);
    IF FOUND THEN
        RAISE EXCEPTION 'relation % belongs to role "%"', name, other
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'If this role has begun the conversion, go on as this role. If it owned the table then, make it the owner again. Otherwise, drop the relation.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_own(text, "char") IS 'internal: raises an error if a relation exists that is of another kind or does not belong to the current role';
