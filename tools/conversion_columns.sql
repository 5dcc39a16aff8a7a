----------------------------------------------------------------------
-- Conversions: the columns that belong to a key
----------------------------------------------------------------------

-- Their types change together: a key, the columns that refer to it by foreign keys,
-- directly or not, and those of partitions and children.  A foreign key can refer to
-- a partition alone, or belong to one alone; then the parent's column changes, too.

CREATE FUNCTION objectid_ext_tools._key_columns(
    "table" regclass,
    "column" name,
    OUT relation regclass,
    OUT attnum smallint,
    OUT attname name,
    OUT type regtype,
    OUT inherited boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE reached (relation, attnum, inherited) AS (
        SELECT attrelid, attnum, false
        FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0
        UNION
        SELECT next.*
        FROM reached AS r, LATERAL (
            SELECT conrelid, conkey[array_position(confkey, r.attnum)], false
            FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND confrelid = r.relation AND r.attnum = ANY (confkey)
            UNION ALL
            SELECT h.attrelid, h.attnum, true
            FROM pg_inherits JOIN pg_attribute p ON p.attrelid = inhparent
                 JOIN pg_attribute h ON h.attrelid = inhrelid AND h.attname = p.attname
            WHERE inhparent = r.relation AND p.attnum = r.attnum
            UNION ALL
            SELECT p.attrelid, p.attnum, false
            FROM pg_inherits JOIN pg_attribute h ON h.attrelid = inhrelid
                 JOIN pg_attribute p ON p.attrelid = inhparent AND p.attname = h.attname
            WHERE inhrelid = r.relation AND inhrelid <> "table" AND h.attnum = r.attnum AND h.attinhcount > 0) AS next
    )
    SELECT a.attrelid, a.attnum, a.attname, a.atttypid, bool_or(r.inherited)
    FROM reached AS r JOIN pg_attribute a ON a.attrelid = r.relation AND a.attnum = r.attnum
    GROUP BY a.attrelid, a.attnum, a.attname, a.atttypid
$$;
COMMENT ON FUNCTION objectid_ext_tools._key_columns(regclass, name) IS 'internal: a column, the columns that refer to it by foreign keys, directly or not, and those that inherit one of these';

-- A session that has executed a PL/pgSQL trigger expects the old types of NEW and OLD
-- until the function is altered.

CREATE FUNCTION objectid_ext_tools._trigger_functions("table" regclass, "column" name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT DISTINCT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, procost)
    FROM objectid_ext_tools._key_columns("table", "column") AS k JOIN pg_trigger ON tgrelid = k.relation AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion'
         JOIN pg_proc p ON p.oid = tgfoid
    WHERE proowner = quote_ident(current_user)::regrole
$$;
COMMENT ON FUNCTION objectid_ext_tools._trigger_functions(regclass, name) IS 'internal: statements that let sessions compile the trigger functions of a key''s tables again, if they belong to the caller';

-- Checks, defaults, indexes and views of another role are expressions that this role has
-- chosen: to alter its table, or to read its view, executes them as the caller.

CREATE FUNCTION objectid_ext_tools._check_owner("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other record;
BEGIN
    SELECT c.oid::regclass AS relation, pg_get_userbyid(relowner) AS owner INTO other
    FROM (SELECT "table" UNION SELECT k.relation FROM objectid_ext_tools._key_columns("table", "column") AS k) AS t (relation) JOIN pg_class c ON c.oid = t.relation
    WHERE pg_get_userbyid(relowner) <> current_user ORDER BY c.oid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'must be owner of table %', other.relation
            USING ERRCODE = 'insufficient_privilege', HINT = format('Connect as role "%s", or use SET ROLE; it must own all tables of the key.', other.owner);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_owner(regclass, name) IS 'internal: an error unless the current role owns a table and all that belong to its key';
