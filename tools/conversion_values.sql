-- ===== Live conversions: values that are in the way, and the error that tells =====

-- Rows that cannot be updated, and values that cannot become objectid or, if all can, would not be
-- unique any more.  They would stop the conversion when half of the rows are filled.
CREATE FUNCTION _value_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET row_security = off AS $$
DECLARE
    ids CONSTANT text := _schema_of();
    probe record;
    number bigint;
    bad text;
    wrong boolean := false;
BEGIN
    FOR probe IN
        SELECT 0 AS kind, oid, conrelid::regclass AS relation,
               format('SELECT count(*), NULL FROM ONLY %s WHERE %s', conrelid::regclass, coalesce(
                      'NOT (' || pg_get_expr(conbin, conrelid) || ')',
                      (SELECT quote_ident(attname) || ' IS NULL' FROM pg_attribute
                       WHERE attrelid = conrelid AND attnum = conkey[1]))) AS query,
               format('rows violate constraint "%s", which is NOT VALID', conname) AS reason,
               'Correct or delete them (%2$s in all), or convert the column under a lock.' AS hint
        FROM pg_constraint
        WHERE conrelid IN (SELECT c.relation FROM _changing_columns(key) AS c)
          AND contype IN ('c', 'n') AND pg_get_constraintdef(oid) ~ ' NOT VALID$'
          AND conname <> '_objectid_ext'
        UNION ALL
        SELECT 1, attnum, relation,
               format('SELECT count(*), left(min(%1$I::text), 50) FROM ONLY %2$s'
                      ' WHERE NOT %3$s.is_objectid(%1$I)', attname, relation, ids),
               format('column "%s" has values that are not ObjectIds', attname),
               'Correct or delete them, such as "%s" (%s in all).'
        FROM _changing_columns(key) WHERE key.to_type <> 'bigint'::regtype
        UNION ALL
        SELECT 2, indexrelid, indrelid,
               format('SELECT count(*), string_agg(quote_literal(v), '', '')'
                      ' FROM (SELECT min(%I::text) FROM ONLY %s WHERE %s'
                      '       GROUP BY %s HAVING count(*) > 1 LIMIT 3) AS s (v)',
                      min(s.attname), indrelid::regclass,
                      string_agg(format('%I IS NOT NULL', a.attname), ' AND '),
                      string_agg(format(CASE WHEN s.attnum IS NULL THEN '%I'
                                             ELSE '%I::%s.objectid' END, a.attname, ids), ', ')),
               format('column "%s" has different spellings of one ObjectId', min(s.attname)),
               'Correct or delete one of each, such as %s.'
        FROM pg_index
             JOIN pg_attribute a ON attrelid = indrelid
                 AND a.attnum = ANY ((indkey::smallint[])[0:indnkeyatts - 1])
             LEFT JOIN _changing_columns(key) AS s
                 ON s.relation = indrelid AND s.attnum = a.attnum
        WHERE indisunique AND indexprs IS NULL AND indpred IS NULL
          AND key.to_type <> 'bigint'::regtype
        GROUP BY indexrelid, indrelid
        HAVING count(s.attnum) > 0
        ORDER BY 1, 3, 2
    LOOP
        EXIT WHEN probe.kind = 2 AND wrong;
        EXECUTE probe.query INTO number, bad;
        CONTINUE WHEN number = 0;
        wrong := wrong OR probe.kind = 1;
        RETURN NEXT (probe.relation, probe.reason, format(probe.hint, bad, number));
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
