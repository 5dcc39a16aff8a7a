-- ===== Live conversions: values that are in the way, and the error that tells =====

-- Values that cannot be converted to objectid, or if all can, that would not be unique any more.  A
-- value that is no ObjectId, or two spellings of one, would stop the conversion when half of the
-- rows are filled.
CREATE FUNCTION _value_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET row_security = off AS $$
DECLARE
    ids CONSTANT text := _ids_schema();
    probe record;
    number bigint;
    bad text;
    wrong boolean := false;
BEGIN
    FOR probe IN
        SELECT false AS of_index, 0::oid, relation, attname,
               format('SELECT count(*), left(min(%1$I::text), 50) FROM ONLY %2$s'
                      ' WHERE NOT %3$s.is_objectid(%1$I)', attname, relation, ids) AS query
        FROM _changing_columns(key) WHERE key.to_type <> 'bigint'::regtype
        UNION ALL
        SELECT true, indexrelid, indrelid, min(s.attname),
               format('SELECT count(*), string_agg(quote_literal(v), '', '')'
                      ' FROM (SELECT min(%I::text) FROM ONLY %s WHERE %s'
                      '       GROUP BY %s HAVING count(*) > 1 LIMIT 3) AS s (v)',
                      min(s.attname), indrelid::regclass,
                      string_agg(format('%I IS NOT NULL', a.attname), ' AND '),
                      string_agg(format(CASE WHEN s.attnum IS NULL THEN '%I'
                                             ELSE '%I::%s.objectid' END, a.attname, ids), ', '))
        FROM pg_index
             JOIN pg_attribute a ON attrelid = indrelid
                 AND a.attnum = ANY ((indkey::smallint[])[0:indnkeyatts - 1])
             LEFT JOIN _changing_columns(key) AS s
                 ON s.relation = indrelid AND s.attnum = a.attnum
        WHERE indisunique AND indexprs IS NULL AND indpred IS NULL
          AND key.to_type <> 'bigint'::regtype
        GROUP BY indexrelid, indrelid
        HAVING count(s.attnum) > 0
        ORDER BY 1, 2, 3
    LOOP
        EXIT WHEN probe.of_index AND wrong;
        EXECUTE probe.query INTO number, bad;
        CONTINUE WHEN number = 0;
        IF probe.of_index THEN
            RETURN NEXT (probe.relation,
                format('column "%s" has different spellings of one ObjectId', probe.attname),
                format('Correct or delete one of each, such as %s.', bad));
        ELSE
            wrong := true;
            RETURN NEXT (probe.relation,
                format('column "%s" has values that are not ObjectIds', probe.attname),
                format('Correct or delete them, such as "%s" (%s in all).', bad, number));
        END IF;
    END LOOP;
END;
$$;

-- The key; an error with the first reason that prevents a conversion: before it begins (0; reads
-- all values and tries the views), in its first step (1) or its last (2; views count).
CREATE FUNCTION _refuse(key _key, moment integer) RETURNS _key
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    refusal record;
BEGIN
    SELECT *, count(*) OVER () AS reasons INTO refusal
    FROM _refusals(key) WHERE NOT late OR moment = 2
    ORDER BY late LIMIT 1;
    IF NOT FOUND AND moment = 0 THEN
        SELECT *, count(*) OVER () AS reasons INTO refusal
        FROM (SELECT * FROM _value_refusals(key)
              UNION ALL SELECT * FROM _try_views(key)) AS r LIMIT 1;
    END IF;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % cannot be converted while it is in use',
                key.attname, key.relation
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = refusal.hint,
                  DETAIL = format('%s: %s.', refusal.relation, refusal.reason)
                           || CASE WHEN refusal.reasons > 1
                                   THEN format(' It is the first of %s reasons, which '
                                               'conversion_plan() shows.', refusal.reasons)
                                   ELSE '' END;
    END IF;
    RETURN key;
END;
$$;
