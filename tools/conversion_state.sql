-- ===== Live conversions: the schema is their only state =====

-- The tables of all live conversions of the current role.  Each has a trigger
-- "~objectid_ext_conversion".  The comment of its function tells which column is the key of the
-- conversion, and, as JSON, what the table was like when it began: if that differs, someone has
-- changed the table.  What functions of other roles say is not believed: anybody can create one
-- of such a name.
CREATE FUNCTION _conversions()
RETURNS TABLE (relation regclass, function regprocedure, key_table oid, data text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH own AS MATERIALIZED (
        SELECT oid, obj_description(oid, 'pg_proc') AS comment FROM pg_proc
        WHERE proname ~ '^_objectid_ext_[0-9]+$' AND prorettype = 'trigger'::regtype
          AND pg_get_userbyid(proowner) = current_user
    )
    SELECT c.oid, own.oid, found[1]::oid, found[3]
    FROM own,
         regexp_match(comment, '^conversion of ([0-9]+)[.][0-9]+, table ([0-9]+), (.*)$') AS found
         LEFT JOIN pg_class c ON c.oid = found[2]::oid
    WHERE found IS NOT NULL
$$;

-- What _conversions() reads.
CREATE FUNCTION _state(key _key, relation regclass, data jsonb) RETURNS text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT format('conversion of %s.%s, table %s, %s', key.relation::oid, attnum, relation::oid,
                  data)
    FROM pg_attribute WHERE attrelid = key.relation AND attname = key.attname
$$;

-- Hashes of all that a conversion relies on of a table, without its own objects, and without what
-- a step of the conversion, ANALYZE or REINDEX changes.
CREATE FUNCTION _fingerprint("table" regclass) RETURNS jsonb
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off SET standard_conforming_strings = on AS $$
    SELECT jsonb_object_agg(kind, md5(definition))
    FROM (
        SELECT 'name or owner',
               concat_ws(' ', relname, relnamespace, relowner, relkind, relpersistence,
                         relrowsecurity, relforcerowsecurity)
        FROM pg_class WHERE oid = "table"
        UNION ALL
        SELECT 'columns',
               string_agg(concat_ws(' ', attname, atttypid, atttypmod, attcollation, attnotnull,
                                    attidentity, attgenerated, pg_get_expr(adbin, adrelid)),
                          ',' ORDER BY attnum)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid = "table" AND attnum > 0 AND NOT attisdropped
          AND attname !~ '^_objectid_ext_[0-9]+$'
        UNION ALL
        SELECT 'constraints',
               string_agg(concat_ws(' ', conname, conrelid, convalidated,
                                    pg_get_constraintdef(oid)), ',' ORDER BY conrelid, conname)
        FROM pg_constraint
        WHERE "table" IN (conrelid, confrelid) AND conname <> '_objectid_ext'
        UNION ALL
        SELECT 'indexes',
               string_agg(to_jsonb(i)
                          - '{indexrelid,indcheckxmin,indexprs,indpred,indisclustered}'::text[]
                          || jsonb_build_object('name', relname, 'options', reloptions,
                                 'expressions', pg_get_expr(indexprs, indrelid),
                                 'condition', pg_get_expr(indpred, indrelid))
                          #>> '{}', ',' ORDER BY relname)
        FROM pg_index i JOIN pg_class c ON c.oid = indexrelid
        WHERE indrelid = "table" AND relname !~ '^_objectid_ext_[0-9a-f]{16}$'
        UNION ALL
        SELECT 'triggers',
               string_agg(concat_ws(' ', tgname, tgfoid, tgtype, tgenabled, tgattr),
                          ',' ORDER BY tgname)
        FROM pg_trigger
        WHERE tgrelid = "table" AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion'
        UNION ALL
        SELECT 'inheritance',
               string_agg(concat_ws(' ', inhrelid, inhparent), ',' ORDER BY inhrelid, inhparent)
        FROM pg_inherits WHERE "table" IN (inhrelid, inhparent)
    ) AS parts (kind, definition)
$$;

-- The key; an error if a table has changed since the conversion began, or if other tables refer to
-- the key now.
CREATE FUNCTION _check_unchanged(key _key) RETURNS _key
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    changed record;
BEGIN
    SELECT coalesce(s.relation, c.relation) AS relation,
           coalesce(string_agg(kind, ', ' ORDER BY kind), 'foreign keys') AS kinds
        INTO changed
    FROM (SELECT DISTINCT x.relation FROM _changing_columns(key) AS x) AS s
         FULL JOIN (SELECT * FROM _conversions() WHERE key_table = key.relation) AS c
             USING (relation)
         LEFT JOIN LATERAL (
             SELECT kind
             FROM jsonb_each(_fingerprint(s.relation)) AS now (kind, value)
                  FULL JOIN jsonb_each(c.data::jsonb) AS begun (kind, value) USING (kind)
             WHERE now.value IS DISTINCT FROM begun.value) AS difference ON s.relation = c.relation
    WHERE s.relation IS NULL OR c.relation IS NULL OR kind IS NOT NULL
    GROUP BY 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % has changed since its conversion began: %',
                changed.relation, changed.kinds
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = format('Use CALL objectid_ext_tools.undo_conversion(%L, %L), '
                                'and start again.', key.relation, key.attname);
    END IF;
    RETURN key;
END;
$$;

-- Tables of a conversion with rows that may not be filled, and their size in pages.
CREATE FUNCTION _unvalidated("table" regclass) RETURNS TABLE (relation regclass, pages bigint)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT relation, pg_relation_size(relation) / current_setting('block_size')::integer
    FROM _conversions()
         JOIN pg_constraint
             ON conrelid = relation AND conname = '_objectid_ext' AND NOT convalidated
    WHERE key_table = "table" ORDER BY 1
$$;

-- The constraints that must be validated after the columns are exchanged.  Checks and foreign
-- keys are in force at once, and validated when the locks are gone.
CREATE FUNCTION _validations(key _key) RETURNS jsonb
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT jsonb_agg(ARRAY[conrelid::text, conname] ORDER BY conrelid, conname)
    FROM _changing_constraints(key) WHERE contype IN ('f', 'c') AND convalidated
$$;
