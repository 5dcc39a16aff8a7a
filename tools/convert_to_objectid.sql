----------------------------------------------------------------------
-- Existing tables: to objectid, under a lock
----------------------------------------------------------------------

-- Objects that only work with the present type.  One with the column as a key depends
-- on it once, and once more if an expression or predicate uses the column.

CREATE FUNCTION objectid_ext_tools._objectid_column_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT "table", 'dependent_objects_still_exist', format('column "%s" of table %s is used by %s', "column", "table", pg_describe_object(classid, objid, 0)), NULL,
           'Drop it, convert the column, and create it again.'
    FROM (SELECT classid, objid
          FROM pg_attribute a
               JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = attrelid AND refobjsubid = attnum
               LEFT JOIN pg_constraint c ON classid = 'pg_constraint'::regclass AND c.oid = objid
               LEFT JOIN pg_statistic_ext s ON classid = 'pg_statistic_ext'::regclass AND s.oid = objid
               LEFT JOIN pg_index i ON classid = 'pg_class'::regclass AND indexrelid = objid
          WHERE attrelid = "table" AND attname = "column"
            AND conname NOT LIKE E'\\_objectid\\_ext\\_%' IS NOT FALSE    -- those of a conversion under load
          GROUP BY attnum, classid, objid, contype, stxkeys, indkey
          HAVING contype IN ('c', 'x')
              OR count(*) > CASE WHEN attnum = ANY (coalesce(stxkeys, indkey)::int2[]) THEN 1 ELSE 0 END
                 AND (stxkeys IS NOT NULL OR indkey IS NOT NULL)
          UNION
          -- an index with another collation, with an operator class that is not
          -- the default, or of an access method that does not support objectid
          SELECT 'pg_class'::regclass, i.indexrelid
          FROM pg_attribute a JOIN pg_index i ON indrelid = attrelid,
               LATERAL unnest(i.indkey::int2[], i.indclass::oid[], i.indcollation::oid[]) k(attnum, opclass, coll)
               LEFT JOIN pg_opclass o ON o.oid = k.opclass
               LEFT JOIN pg_am m ON m.oid = o.opcmethod
          WHERE attrelid = "table" AND attname = "column" AND k.attnum = a.attnum
            AND (k.coll <> a.attcollation OR NOT o.opcdefault OR m.amname NOT IN ('btree', 'hash', 'brin'))
          UNION
          -- a check of whole rows, which changing the type does not check again
          SELECT 'pg_constraint'::regclass, c.oid FROM pg_constraint c WHERE conrelid = "table" AND conbin::text LIKE '% :varattno 0 %'
         ) AS objects (classid, objid);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._objectid_column_obstacles(regclass, name) IS 'internal: what prevents that a column is changed to objectid';

CREATE FUNCTION objectid_ext_tools._referred_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH key AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._referring_columns("table", "column")
    )
    SELECT k.relation, 'feature_not_supported',
           format('column "%s" of table %s references table %s by foreign key constraint "%s"', k.attribute, k.relation, confrelid::regclass, conname), NULL,
           format('Convert column "%s" of table %s, which also converts this column.', f.attname, confrelid::regclass)
    FROM key k
         JOIN pg_attribute a ON a.attrelid = k.relation AND a.attname = k.attribute
         JOIN pg_constraint ON conrelid = k.relation AND contype = 'f' AND conparentid = 0,
         LATERAL unnest(conkey, confkey) AS pair (referring, referred)
         JOIN pg_attribute f ON f.attnum = pair.referred
    WHERE pair.referring = a.attnum AND f.attrelid = confrelid
      AND NOT EXISTS (SELECT FROM key o WHERE o.relation = confrelid AND o.attribute = f.attname)
$$;
COMMENT ON FUNCTION objectid_ext_tools._referred_obstacles(regclass, name) IS 'internal: columns that would be converted and refer to columns that would not';

CREATE FUNCTION objectid_ext_tools._value_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    each record;
    bad record;
BEGIN
    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") WHERE NOT inherited LOOP
        -- it can have been created since the owners were checked
        PERFORM objectid_ext_tools._check_owner(objectid_ext_tools._live_tree(ARRAY[each.relation]));
        EXECUTE format('SELECT %1$I::text AS first, count(*) OVER () AS number FROM %2$s WHERE NOT %3$s.is_objectid(%1$I::%4$s) ORDER BY tableoid, ctid LIMIT 1',
                       each.attribute, each.relation, objectid_ext_tools._ids_schema(),
                       CASE WHEN each.attribute_type IN ('bytea'::regtype, 'jsonb'::regtype) THEN each.attribute_type ELSE 'text'::regtype END)
        INTO bad;
        RETURN QUERY SELECT each.relation, 'invalid_text_representation',
                            format(CASE bad.number WHEN 1 THEN '%s value in column "%s" of table %s is not a valid ObjectId'
                                                   ELSE '%s values in column "%s" of table %s are not valid ObjectIds' END,
                                   bad.number, each.attribute, each.relation),
                            format('The first is "%s".', left(bad.first, 100)), NULL
                     WHERE bad.number > 0;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._value_obstacles(regclass, name) IS 'internal: columns, of this one and those that reference it, with values that are not valid ObjectIds';
