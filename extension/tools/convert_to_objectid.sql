----------------------------------------------------------------------
-- Existing tables: to objectid, under a lock
----------------------------------------------------------------------

-- Checks for conversion to objectid, in addition to _check_convertible(): objects
-- that only work with the present type

CREATE FUNCTION objectid_ext_tools._check_objectid_column("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    obstacle text;
BEGIN
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF a.atttypid NOT IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bytea'::regtype, 'jsonb'::regtype) THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', "column", "table", a.atttypid::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'Only text, varchar, char, bytea and jsonb can be converted to objectid.';
    END IF;

    -- An object with the column as a key depends on it once, and once more if an
    -- expression or predicate uses the column.
    SELECT pg_describe_object(classid, objid, 0) INTO obstacle
    FROM (SELECT classid, objid
          FROM pg_depend
               LEFT JOIN pg_constraint c ON classid = 'pg_constraint'::regclass AND c.oid = objid
               LEFT JOIN pg_statistic_ext s ON classid = 'pg_statistic_ext'::regclass AND s.oid = objid
               LEFT JOIN pg_index i ON classid = 'pg_class'::regclass AND indexrelid = objid
          WHERE refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = a.attnum
            AND conname NOT LIKE E'\\_objectid\\_ext\\_%' IS NOT FALSE    -- those of a conversion under load
          GROUP BY classid, objid, contype, stxkeys, indkey
          HAVING contype IN ('c', 'x')
              OR count(*) > CASE WHEN a.attnum = ANY (coalesce(stxkeys, indkey)::int2[]) THEN 1 ELSE 0 END
                 AND (stxkeys IS NOT NULL OR indkey IS NOT NULL)
          UNION ALL
          -- an index with another collation, with an operator class that is not
          -- the default, or of an access method that does not support objectid
          SELECT 'pg_class'::regclass, i.indexrelid
          FROM pg_index i, LATERAL unnest(i.indkey::int2[], i.indclass::oid[], i.indcollation::oid[]) k(attnum, opclass, coll)
               LEFT JOIN pg_opclass o ON o.oid = k.opclass
               LEFT JOIN pg_am m ON m.oid = o.opcmethod
          WHERE i.indrelid = "table" AND k.attnum = a.attnum
            AND (k.coll <> a.attcollation OR NOT o.opcdefault OR m.amname NOT IN ('btree', 'hash', 'brin'))
          UNION ALL
          -- a check of whole rows, which changing the type does not check again
          SELECT 'pg_constraint'::regclass, c.oid FROM pg_constraint c WHERE conrelid = "table" AND conbin::text LIKE '% :varattno 0 %'
         ) AS objects (classid, objid)
    ORDER BY classid, objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle
            USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Drop it, convert the column, and create it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_objectid_column(regclass, name) IS 'internal: raises an error if a column cannot be changed to objectid';

CREATE FUNCTION objectid_ext_tools._check_texts("table" regclass, "column" name, objectid_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
    each record;
BEGIN
    PERFORM objectid_ext_tools._check_convertible("table", "column", objectid_type);
    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") LOOP
        PERFORM objectid_ext_tools._check_convertible(each.relation, each.attribute, objectid_type, each.inherited);
        PERFORM objectid_ext_tools._check_objectid_column(each.relation, each.attribute);
    END LOOP;

    PERFORM objectid_ext_tools._check_triggers("table", "column", objectid_type);
    IF NOT has_type_privilege(objectid_type, 'USAGE') THEN
        RAISE EXCEPTION 'role "%" has no privilege USAGE on type %', current_user, objectid_type
            USING ERRCODE = 'insufficient_privilege', HINT = format('Use GRANT USAGE ON TYPE %s TO %I.', objectid_type, current_user);
    END IF;

    -- find a column that references one that is not converted
    SELECT r.*, conname, confrelid::regclass AS referred, k.attname INTO key
    FROM objectid_ext_tools._referring_columns("table", "column") r
         JOIN pg_attribute a ON a.attrelid = relation AND a.attname = attribute
         JOIN pg_constraint ON conrelid = relation AND contype = 'f' AND conparentid = 0,
         LATERAL unnest(conkey, confkey) pair(referring, referred)
         JOIN pg_attribute k ON k.attnum = pair.referred
    WHERE pair.referring = a.attnum AND k.attrelid = confrelid
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._referring_columns("table", "column")
                      WHERE relation = confrelid AND attribute = k.attname)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % references table % by foreign key constraint "%"', key.attribute, key.relation, key.referred, key.conname
            USING ERRCODE = 'feature_not_supported',
                  HINT = format('Convert column "%s" of table %s, which also converts this column.', key.attname, key.referred);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_texts(regclass, name, regtype) IS 'internal: raises an error if a column cannot be converted to objectid';

CREATE FUNCTION objectid_ext_tools._invalid_values("table" regclass, "column" name, OUT message text, OUT detail text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    each record;
    bad text;
    bad_rows bigint;
BEGIN
    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") WHERE NOT inherited LOOP
        EXECUTE format('SELECT %1$I::text, count(*) OVER () FROM %2$s WHERE NOT %3$s.is_objectid(%1$I::%4$s) ORDER BY tableoid, ctid LIMIT 1',
                       each.attribute, each.relation, objectid_ext_tools._ids_schema(),
                       CASE WHEN each.attribute_type IN ('bytea'::regtype, 'jsonb'::regtype) THEN each.attribute_type ELSE 'text'::regtype END)
        INTO bad, bad_rows;
        IF bad_rows > 0 THEN
            message := format(CASE bad_rows WHEN 1 THEN '%s value in column "%s" of table %s is not a valid ObjectId'
                                            ELSE '%s values in column "%s" of table %s are not valid ObjectIds' END,
                              bad_rows, each.attribute, each.relation);
            detail := format('The first is "%s".', left(bad, 100));
            RETURN;
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._invalid_values(regclass, name) IS 'internal: message about values of a column, or of those that reference it, that are not valid ObjectIds; NULL if there are none';

CREATE FUNCTION objectid_ext_tools.convert_to_objectid("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    objectid_type regtype := (objectid_ext_tools._ids_schema() || '.objectid')::regtype;
    invalid record;
BEGIN
    IF "table" IS NULL OR "column" IS NULL THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM objectid_ext_tools._lock_tables("table", "column", objectid_type);
    PERFORM objectid_ext_tools._check_no_steps("table", "column");
    PERFORM objectid_ext_tools._check_texts("table", "column", objectid_type);
    SELECT * INTO invalid FROM objectid_ext_tools._invalid_values("table", "column");
    IF invalid.message IS NOT NULL THEN
        RAISE EXCEPTION '%', invalid.message USING ERRCODE = 'invalid_text_representation', DETAIL = invalid.detail;
    END IF;
    PERFORM objectid_ext_tools._change_column_types("table", "column", objectid_type);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.convert_to_objectid(regclass, name) IS 'changes a text, varchar, char, bytea or jsonb column, and all columns that reference it by foreign keys, to objectid; an error if a value is not a valid ObjectId';
