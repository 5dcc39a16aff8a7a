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

-- A definition that is printed and read again finds the function or operator that fits
-- best, and the type has changed meanwhile.  A name is printed with its schema.  So no
-- other role may have one of the same name there; f(x) is also a cast to a type f.
-- Superusers, and the owner of what is used already, are trusted anyway.

CREATE FUNCTION objectid_ext_tools._overloads(class regclass, object oid, OUT used text, OUT other text, OUT owner name) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT pg_describe_object(u.class, u.oid, 0), pg_describe_object(o.class, o.oid, 0), rolname
    FROM pg_depend d
         CROSS JOIN LATERAL (
             SELECT 'pg_proc'::regclass, oid, proname, pronamespace, proowner FROM pg_proc WHERE d.refclassid = 'pg_proc'::regclass AND oid = d.refobjid
             UNION ALL
             SELECT 'pg_operator'::regclass, oid, oprname, oprnamespace, oprowner FROM pg_operator WHERE d.refclassid = 'pg_operator'::regclass AND oid = d.refobjid
         ) AS u (class, oid, name, namespace, owner)
         CROSS JOIN LATERAL (
             SELECT u.class, oid, proowner FROM pg_proc WHERE u.class = 'pg_proc'::regclass AND proname = u.name AND pronamespace = u.namespace
             UNION ALL
             SELECT 'pg_type'::regclass, oid, typowner FROM pg_type WHERE u.class = 'pg_proc'::regclass AND typname = u.name AND typnamespace = u.namespace
             UNION ALL
             SELECT u.class, oid, oprowner FROM pg_operator WHERE u.class = 'pg_operator'::regclass AND oprname = u.name AND oprnamespace = u.namespace
         ) AS o (class, oid, owner)
         JOIN pg_roles r ON r.oid = o.owner
    WHERE d.classid = $1 AND d.objid = $2 AND o.owner <> u.owner AND NOT rolsuper AND rolname <> current_user;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._overloads(regclass, oid) IS 'internal: functions, operators and types of other roles that a stored definition could use when it is read again, instead of which one';

CREATE FUNCTION objectid_ext_tools._overload_obstacle(relation regclass, definition text, used text, other text, owner name) RETURNS objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
RETURN ROW(relation, 'insufficient_privilege', format('%s of role "%s" could be used instead of %s in %s', other, owner, used, definition),
           'The definition is read again, which finds what fits best. It would run with the rights of those who use the table.',
           'Drop it, and let only roles that you trust create functions, operators and types in this schema.')::objectid_ext_tools._obstacle;
COMMENT ON FUNCTION objectid_ext_tools._overload_obstacle(regclass, text, text, text, name) IS 'internal: tells of what _overloads() has found';
