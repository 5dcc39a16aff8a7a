-- ===== Live conversions, third step: the indexes of the shadow columns =====

-- For each table of a key, statements that make a temporary copy and convert that.  On an empty
-- copy of the table, ALTER COLUMN ... TYPE tells what becomes of the indexes, and raises core's
-- errors if an index, a check or a default does not fit the new type.  What pg_get_indexdef()
-- returns begins with names, whose length is known.
CREATE FUNCTION _copy_statements(key _key) RETURNS TABLE (relation regclass, statements text[])
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off AS $$
    SELECT relation, ARRAY[
               format('CREATE TEMPORARY TABLE _objectid_ext'
                      ' (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED)',
                      relation),
               'ALTER TABLE pg_temp._objectid_ext '
               || string_agg(format('DROP COLUMN IF EXISTS %I CASCADE', shadow), ', ')]
           || ARRAY(SELECT format('CREATE %sINDEX %I ON pg_temp._objectid_ext USING %s',
                                  i.uniqueness, i.shadow,
                                  substr(pg_get_indexdef(i.index),
                                         length(format('CREATE %sINDEX %I ON %s%s USING ',
                                                       i.uniqueness, i.name, scope, c.relation))
                                         + 1))
                    FROM _changing_indexes(key) AS i,
                         LATERAL (SELECT concat(CASE relkind WHEN 'p' THEN 'ONLY ' END,
                                                CASE relpersistence WHEN 't' THEN 'pg_temp.' END)
                                  FROM pg_class WHERE oid = i.relation) AS k (scope)
                    WHERE i.relation = c.relation
                    ORDER BY i.index)
           || ('ALTER TABLE pg_temp._objectid_ext '
               || string_agg(format('ALTER COLUMN %1$I TYPE %2$s USING %1$I::%2$s',
                                    attname, key.to_type), ', '))
           || array_agg(format('ALTER TABLE pg_temp._objectid_ext RENAME COLUMN %I TO %I',
                               attname, shadow))
    FROM _changing_columns(key) AS c GROUP BY relation
    ORDER BY relation
$$;

-- Statements that create the indexes of the shadow columns; an error if a definition does not
-- fit the new type.
CREATE FUNCTION _shadow_indexes(key _key) RETURNS TABLE (relation regclass, shadow text,
    statement text)
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off SET client_min_messages = warning AS $$
DECLARE
    copy record;
BEGIN
    FOR copy IN SELECT * FROM _copy_statements(key) LOOP
        PERFORM _execute_all(VARIADIC copy.statements);
        RETURN QUERY
            SELECT copy.relation, format('%I.%I', i.schema, i.shadow),
                   format('CREATE %sINDEX CONCURRENTLY %I ON %s%s', i.uniqueness, i.shadow,
                          copy.relation, substr(definition, position(' USING ' IN definition)))
            FROM _changing_indexes(key) AS i,
                 pg_get_indexdef(('pg_temp.' || quote_ident(i.shadow))::regclass) AS definition
            WHERE i.relation = copy.relation
            ORDER BY i.index;
        DROP TABLE pg_temp._objectid_ext;
    END LOOP;
EXCEPTION WHEN undefined_function OR datatype_mismatch THEN
    RAISE EXCEPTION '%', SQLERRM
        USING ERRCODE = SQLSTATE,
              HINT = format('A check, index or default of table %s uses it with a column that '
                            'changes. Drop it, convert the column, and create it again in a form '
                            'that accepts the new type, if it is still needed.', copy.relation);
END;
$$;
