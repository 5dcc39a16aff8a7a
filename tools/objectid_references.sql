-- ===== References between tables whose keys are ObjectIds =====

-- MongoDB knows no references, but each document has an ObjectId of its own.  So a column refers
-- to the tables where its values are found.  Policies that hide rows cause an error.
CREATE FUNCTION objectid_references(schema regnamespace, OUT relation regclass,
    OUT column_name name, OUT refers_to regclass, OUT number bigint, OUT statement text)
RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET row_security = off AS $$
DECLARE
    ids CONSTANT text := _schema_of();
    type CONSTANT regtype := ids || '.objectid';
    keys CONSTANT text := (
        SELECT string_agg(format('SELECT %L::regclass, %I FROM %1$s', c.oid::regclass, attname),
                          ' UNION ALL ')
        FROM pg_class c JOIN pg_constraint ON conrelid = c.oid AND contype = 'p'
             JOIN pg_attribute ON attrelid = c.oid AND ARRAY[attnum] = conkey AND atttypid = type
        WHERE relnamespace = schema AND NOT relispartition);
    ids_of_column text;
    is_all boolean;
BEGIN
    FOR relation, column_name, ids_of_column IN
        SELECT c.oid, attname,
               format(CASE atttypid WHEN type THEN '%I' ELSE 'unnest(%I)' END, attname)
        FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0
        WHERE relnamespace = schema AND relkind IN ('r', 'p') AND NOT relispartition
          AND atttypid IN (SELECT unnest(ARRAY[t.oid, typarray]) FROM pg_type t WHERE t.oid = type)
          AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = c.oid
                          AND contype IN ('p', 'f') AND conkey = ARRAY[attnum])
        ORDER BY c.oid::regclass::text COLLATE "C", attnum
    LOOP
        FOR refers_to, number, is_all IN EXECUTE format($q$
            SELECT k.relation, count(*), count(*) = sum(count(*)) OVER ()
            FROM (SELECT %s FROM %s) AS v (id) LEFT JOIN (%s) AS k (relation, id)
                 ON k.id OPERATOR(%s.=) v.id
            WHERE v.id IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, k.relation::text COLLATE "C"
        $q$, ids_of_column, relation, coalesce(keys, 'SELECT NULL::regclass, NULL::' || type), ids)
        LOOP
            statement := NULL;
            IF is_all AND refers_to IS NOT NULL AND NOT starts_with(ids_of_column, 'unnest(') THEN
                statement := format('ALTER TABLE %s ADD FOREIGN KEY (%I) REFERENCES %s',
                                    relation, column_name, refers_to);
            END IF;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_references(regnamespace)
    IS 'the tables of a schema where the values of its objectid columns are keys, how many, and the'
       ' foreign key if all are; without a table, the number of values that are found in none';
