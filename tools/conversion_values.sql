-- ===== Live conversions: values that are in the way, and the error that tells =====

-- Values that cannot be converted to objectid.  A value that is no ObjectId, or two spellings of
-- one, would stop the conversion when half of the rows are filled.
CREATE FUNCTION _wrong_values(key _key) RETURNS SETOF _refusal
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET row_security = off AS $$
DECLARE
    changing record;
    bad text;
    number bigint;
BEGIN
    FOR changing IN
        SELECT * FROM _changing_columns(key)
    LOOP
        EXECUTE format('SELECT count(*), min(%1$I::text) FROM ONLY %2$s'
                       ' WHERE NOT %3$s.is_objectid(%1$I)',
                       changing.attname, changing.relation, _ids_schema())
            INTO number, bad;
        IF number > 0 THEN
            RETURN QUERY SELECT changing.relation,
                format('column "%s" has values that are not ObjectIds', changing.attname),
                format('Correct or delete them, such as "%s" (%s in all).', left(bad, 50), number);
        END IF;
    END LOOP;
END;
$$;

-- Values that would not be unique any more as objectid; all must be valid.
CREATE FUNCTION _double_values(key _key) RETURNS SETOF _refusal
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET row_security = off AS $$
DECLARE
    ids CONSTANT text := _ids_schema();
    uniqueness record;
    bad text;
    number bigint;
BEGIN
    FOR uniqueness IN
        SELECT indrelid::regclass AS relation, min(s.attname) AS attname,
               string_agg(format('%I IS NOT NULL', a.attname), ' AND ') AS given,
               string_agg(CASE WHEN s.attnum IS NULL THEN quote_ident(a.attname)
                               ELSE format('%I::%s.objectid', a.attname, ids) END,
                          ', ') AS "columns"
        FROM pg_index
             JOIN pg_attribute a ON attrelid = indrelid
                 AND a.attnum = ANY ((indkey::smallint[])[0:indnkeyatts - 1])
             LEFT JOIN _changing_columns(key) AS s
                 ON s.relation = indrelid AND s.attnum = a.attnum
        WHERE indisunique AND indexprs IS NULL AND indpred IS NULL
        GROUP BY indexrelid, indrelid
        HAVING count(s.attnum) > 0
        ORDER BY indexrelid
    LOOP
        EXECUTE format('SELECT string_agg(quote_literal(v), '', ''), count(*)'
                       ' FROM (SELECT min(%I::text) FROM ONLY %s WHERE %s'
                       '       GROUP BY %s HAVING count(*) > 1 LIMIT 3) AS s (v)',
                       uniqueness.attname, uniqueness.relation, uniqueness.given,
                       uniqueness."columns")
            INTO bad, number;
        IF number > 0 THEN
            RETURN QUERY SELECT uniqueness.relation,
                format('column "%s" has different spellings of one ObjectId', uniqueness.attname),
                format('Correct or delete one of each, such as %s.', bad);
        END IF;
    END LOOP;
END;
$$;

-- Values that cannot be converted to objectid, or that would not be unique any more.
CREATE FUNCTION _value_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    IF key.to_type <> 'bigint'::regtype THEN
        RETURN QUERY SELECT * FROM _wrong_values(key);
        IF NOT FOUND THEN
            RETURN QUERY SELECT * FROM _double_values(key);
        END IF;
    END IF;
END;
$$;

-- An error with the first reason that prevents a conversion: before it begins (0; reads all
-- values and tries the views), in its first step (1) or its last (2; views count).
CREATE FUNCTION _refuse(key _key, moment integer) RETURNS void
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
              UNION ALL
              SELECT * FROM _try_views(key)) AS r LIMIT 1;
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
END;
$$;
