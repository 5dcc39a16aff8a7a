-- ===== Conversions: the columns that belong to a key, and what belongs to these =====

-- A column that is converted, and its new type.
CREATE TYPE _key AS (relation regclass, attname name, to_type regtype);

-- What prevents a conversion, and what can be done about it.
CREATE TYPE _refusal AS (relation regclass, reason text, hint text);

-- The columns whose types change together: a key, the columns that refer to it by foreign keys,
-- directly or not, and those of partitions and children.  A foreign key can refer to a partition
-- alone, or belong to one alone; then the parent's column changes, too.
CREATE FUNCTION _key_columns(key _key) RETURNS TABLE (relation regclass, attnum smallint,
    attname name, type regtype, inherited boolean)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH RECURSIVE reached (relation, attnum, inherited) AS (
        SELECT attrelid, attnum, false FROM pg_attribute
        WHERE attrelid = key.relation AND attname = key.attname AND attnum > 0
        UNION
        SELECT next.*
        FROM reached AS r, LATERAL (
            SELECT conrelid, conkey[array_position(confkey, r.attnum)], false
            FROM pg_constraint
            WHERE contype = 'f' AND conparentid = 0
              AND confrelid = r.relation AND r.attnum = ANY (confkey)
            UNION ALL
            SELECT h.attrelid, h.attnum, true
            FROM pg_inherits
                 JOIN pg_attribute p ON p.attrelid = inhparent
                 JOIN pg_attribute h ON h.attrelid = inhrelid AND h.attname = p.attname
            WHERE inhparent = r.relation AND p.attnum = r.attnum
            UNION ALL
            SELECT p.attrelid, p.attnum, false
            FROM pg_inherits
                 JOIN pg_attribute h ON h.attrelid = inhrelid
                 JOIN pg_attribute p ON p.attrelid = inhparent AND p.attname = h.attname
            WHERE inhrelid = r.relation AND inhrelid <> key.relation
              AND h.attnum = r.attnum AND h.attinhcount > 0) AS next
    )
    SELECT a.attrelid, a.attnum, a.attname, a.atttypid, bool_or(r.inherited)
    FROM reached AS r JOIN pg_attribute a ON a.attrelid = r.relation AND a.attnum = r.attnum
    GROUP BY a.attrelid, a.attnum, a.attname, a.atttypid
$$;

-- The columns of a key whose type changes, with the names of their shadow columns.
CREATE FUNCTION _changing_columns(key _key) RETURNS TABLE (relation regclass, attnum smallint,
    attname name, type regtype, shadow name, attnotnull boolean)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT k.relation, k.attnum, k.attname, k.type, ('_objectid_ext_' || k.attnum)::name,
           a.attnotnull
    FROM _key_columns(key) AS k
         JOIN pg_attribute a ON a.attrelid = k.relation AND a.attnum = k.attnum
    WHERE k.type <> key.to_type
    ORDER BY 1, 2
$$;

-- The indexes of columns whose type changes, with the names of those of the shadow columns.
CREATE FUNCTION _changing_indexes(key _key) RETURNS TABLE (relation regclass, index regclass,
    schema name, name name, shadow name, uniqueness text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT DISTINCT indrelid::regclass, c.oid::regclass, nspname, relname,
           ('_objectid_ext_' || left(md5(relname), 16))::name,
           CASE WHEN indisunique THEN 'UNIQUE ' ELSE '' END
    FROM _changing_columns(key) AS s
         JOIN pg_index ON indrelid = s.relation
         JOIN pg_class c ON c.oid = indexrelid
         JOIN pg_namespace n ON n.oid = relnamespace
    WHERE s.attnum = ANY (indkey)
       OR EXISTS (SELECT FROM pg_depend
                  WHERE classid = 'pg_class'::regclass AND objid = indexrelid
                    AND refclassid = 'pg_class'::regclass
                    AND refobjid = s.relation AND refobjsubid = s.attnum)
    ORDER BY 2
$$;

-- Foreign keys of which a column will change its type.  Those of partitions have a parent, and
-- follow it.
CREATE FUNCTION _changing_foreign_keys(key _key) RETURNS SETOF pg_constraint
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT c.* FROM pg_constraint c
    WHERE contype = 'f' AND conparentid = 0
      AND EXISTS (SELECT FROM _key_columns(key)
                  WHERE type <> key.to_type
                    AND (relation = conrelid AND attnum = ANY (conkey)
                         OR relation = confrelid AND attnum = ANY (confkey)))
$$;

-- The constraints of the columns whose type changes.
CREATE FUNCTION _changing_constraints(key _key) RETURNS SETOF pg_constraint
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT * FROM _changing_foreign_keys(key)
    UNION ALL
    SELECT DISTINCT c.*
    FROM _changing_columns(key)
         JOIN pg_constraint c
             ON conrelid = relation AND contype IN ('p', 'u', 'c', 'n') AND attnum = ANY (conkey)
    WHERE conname <> '_objectid_ext'
$$;

-- What no conversion changes: a partition key, which is bound to the table by a dependency of its
-- column on it, and foreign keys of which only one side would become objectid.
CREATE FUNCTION _impossible(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT relation,
           format('column "%s" is in its partition key, whose type cannot be changed', attname),
           CASE WHEN relation = key.relation
                THEN 'Copy the rows to another table, which is partitioned by the new type.'
                ELSE format('Drop foreign key %s. The column must be able to hold new ids, so copy '
                            'the rows to another table, which is partitioned by the new type.',
                            (SELECT string_agg(format('"%s"', conname), ', ')
                             FROM _changing_foreign_keys(key)
                             WHERE conrelid = relation AND attnum = ANY (conkey))) END
    FROM _changing_columns(key)
    WHERE EXISTS (SELECT FROM pg_depend
                  WHERE classid = 'pg_class'::regclass AND objid = relation AND objsubid = attnum
                    AND refclassid = 'pg_class'::regclass AND refobjid = relation
                    AND refobjsubid = 0 AND deptype = 'i')
    UNION ALL
    SELECT conrelid, format('foreign key "%s" refers to a column that stays as it is', conname),
           'Convert that column, which this one follows, or drop the foreign key.'
    FROM _changing_foreign_keys(key), unnest(conkey, confkey) AS pair (own, other)
    WHERE key.to_type <> 'bigint'::regtype
      AND (confrelid, other) NOT IN (SELECT k.relation, k.attnum FROM _key_columns(key) AS k)
      AND (conrelid, own) IN (SELECT c.relation, c.attnum FROM _changing_columns(key) AS c)
$$;

-- Statements that let sessions compile the trigger functions of a key's tables again, if they
-- belong to the caller.  A session that has executed a PL/pgSQL trigger expects the old types of
-- NEW and OLD until the function is altered.
CREATE FUNCTION _trigger_functions(key _key) RETURNS SETOF text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT DISTINCT format('ALTER FUNCTION %s COST %s', p.oid::regprocedure, procost)
    FROM _key_columns(key) AS k
         JOIN pg_trigger
             ON tgrelid = k.relation AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion'
         JOIN pg_proc p ON p.oid = tgfoid
    WHERE proowner = quote_ident(current_user)::regrole
$$;

-- The key; an error unless the current role owns its table and all that belong to it.  Checks,
-- defaults, indexes and views of another role are expressions that this role has chosen: to
-- alter its table, or to read its view, executes them as the caller.
CREATE FUNCTION _check_owner(key _key) RETURNS _key
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    other record;
BEGIN
    SELECT c.oid::regclass AS relation, pg_get_userbyid(relowner) AS owner INTO other
    FROM (SELECT key.relation UNION SELECT k.relation FROM _key_columns(key) AS k) AS t (relation)
         JOIN pg_class c ON c.oid = t.relation
    WHERE pg_get_userbyid(relowner) <> current_user
    ORDER BY c.oid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'must be owner of table %', other.relation
            USING ERRCODE = 'insufficient_privilege',
                  HINT = format('Connect as role "%s", or use SET ROLE; it must own all tables '
                                'of the key.', other.owner);
    END IF;
    RETURN key;
END;
$$;

-- The key; an error if the column does not exist, or one that belongs to the key is of none of
-- these types.
CREATE FUNCTION _check_types(key _key, VARIADIC types regtype[]) RETURNS _key
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    other record;
BEGIN
    IF NOT EXISTS (SELECT FROM _key_columns(key)) THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', key.attname, key.relation
            USING ERRCODE = 'undefined_column';
    END IF;
    SELECT k.*, CASE typtype
                WHEN 'd' THEN format('Use ALTER TABLE %s ALTER %I TYPE %s before: it does not '
                                     'rewrite the table.', relation, attname,
                                     format_type(typbasetype, typtypmod))
                ELSE 'Change its type before, or name another column.' END AS hint INTO other
    FROM _key_columns(key) AS k JOIN pg_type t ON t.oid = type
    WHERE type <> ALL (types)
    ORDER BY relation, attnum LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is of type %',
                other.attname, other.relation, other.type
            USING ERRCODE = 'datatype_mismatch',
                  DETAIL = format('Columns of these types can be converted: %s.',
                                  array_to_string(types, ', ')),
                  HINT = other.hint;
    END IF;
    RETURN key;
END;
$$;

-- Executes statements; those that are null are none.
CREATE FUNCTION _execute_all(VARIADIC statements text[]) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET client_min_messages = warning AS $$
DECLARE
    statement text;
BEGIN
    FOREACH statement IN ARRAY array_remove(statements, NULL) LOOP
        EXECUTE statement;
    END LOOP;
END;
$$;
