----------------------------------------------------------------------
-- Whose tables
----------------------------------------------------------------------

-- A table runs what its owner has chosen, with the rights of the role that uses it:
-- its triggers and rules fire, its checks, partition key and the expressions of its
-- indexes are evaluated, its names are read.  So this role must be the owner itself.
-- A member of the owner is not enough, because other members can change the table.
-- Superusers run each other's code anyway.

CREATE FUNCTION objectid_ext_tools._is_own(owner oid) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM pg_roles o, pg_roles r
                   WHERE o.oid = owner AND r.rolname = current_user AND (o.oid = r.oid OR o.rolsuper AND r.rolsuper))
$$;
COMMENT ON FUNCTION objectid_ext_tools._is_own(oid) IS 'internal: is it the current role, or are both superusers?';

CREATE FUNCTION objectid_ext_tools._check_owner(tables regclass[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other record;
    first record;
BEGIN
    SELECT c.oid::regclass AS relation, pg_get_userbyid(relowner) AS owner INTO other
    FROM unnest(tables) WITH ORDINALITY AS t (oid, n) JOIN pg_class c USING (oid)
    WHERE NOT objectid_ext_tools._is_own(relowner) ORDER BY n LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT c.oid::regclass AS relation, pg_get_userbyid(relowner) AS owner INTO first
    FROM unnest(tables) WITH ORDINALITY AS t (oid, n) JOIN pg_class c USING (oid)
    WHERE pg_get_userbyid(relowner) <> other.owner ORDER BY n LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'tables % and % belong to different roles', first.relation, other.relation
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = format('They are roles "%s" and "%s". Only one owner of all tables can do this.', first.owner, other.owner),
                  HINT = 'Use ALTER TABLE ... OWNER TO.';
    END IF;
    RAISE EXCEPTION 'must be owner of table %', other.relation
        USING ERRCODE = 'insufficient_privilege',
              DETAIL = format('It belongs to role "%s", whose functions would run with the rights of the current role.', other.owner),
              HINT = 'Connect as the owner, or use SET ROLE if you trust the owner.';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_owner(regclass[]) IS 'internal: raises an error unless each of these tables belongs to the current role, or both are superusers';
