----------------------------------------------------------------------
-- Whose tables
----------------------------------------------------------------------

-- A table runs what its owner has chosen, with the rights of the role that uses it:
-- its triggers and rules fire, its checks, partition key and the expressions of its
-- indexes are evaluated, its names are read.  So this role must be the owner itself.
-- A member of the owner is not enough, because other members can change the table.
-- Superusers run each other's code anyway.

CREATE FUNCTION objectid_ext_tools._is_own(owner oid) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN (
        SELECT EXISTS (SELECT FROM pg_roles o, pg_roles r
                       WHERE o.oid = owner AND r.rolname = current_user AND (o.oid = r.oid OR o.rolsuper AND r.rolsuper))
    );
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._is_own(oid) IS 'internal: is it the current role, or are both superusers?';

CREATE FUNCTION objectid_ext_tools._owner_obstacles(tables regclass[]) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH owner AS MATERIALIZED (
        SELECT DISTINCT relowner AS oid FROM pg_class WHERE oid = ANY (tables)
    )
    SELECT c.oid::regclass, 'insufficient_privilege', format('must be owner of table %s', c.oid::regclass),
           format('It belongs to role "%s", whose functions would run with the rights of the current role.', pg_get_userbyid(other.oid)),
           CASE (SELECT count(*) FROM owner) WHEN 1 THEN 'Connect as the owner, or use SET ROLE if you trust the owner.'
                                             ELSE 'One role must own all of the tables. Use ALTER TABLE ... OWNER TO.' END
    FROM (SELECT oid FROM owner WHERE NOT objectid_ext_tools._is_own(oid)) AS other
         JOIN pg_class c ON relowner = other.oid
    WHERE c.oid = ANY (tables);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._owner_obstacles(regclass[]) IS 'internal: those of these tables that do not belong to the current role, unless both are superusers';

CREATE FUNCTION objectid_ext_tools._check_owner(tables regclass[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._owner_obstacles(tables) AS o));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_owner(regclass[]) IS 'internal: raises an error unless each of these tables belongs to the current role, or both are superusers';
