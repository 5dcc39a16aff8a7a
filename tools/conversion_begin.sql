-- ===== Live conversions, first step: shadow columns =====

-- Statements that add shadow columns to the tables of a key.  The trigger assigns, because a cast
-- would need USAGE on the schema of the type.  It fires in replication, too.  The check holds for
-- all rows that are written from now on; when it is validated, all rows are filled.
CREATE FUNCTION _begin_statements(key _key) RETURNS SETOF text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET standard_conforming_strings = on AS $body$
    WITH tables AS MATERIALIZED (
        SELECT relation, format('%I.%I', nspname, '_objectid_ext_' || c.oid) AS function,
               _state(key, relation, _fingerprint(relation)) AS state,
               string_agg(format('ADD COLUMN %I %s', shadow, key.to_type), ', ') AS additions,
               string_agg(format('NEW.%I := NEW.%I;', shadow, attname), ' ') AS assignments,
               string_agg(format('(%1$I IS NULL) = (%2$I IS NULL) AND %1$I '
                                 || CASE WHEN key.to_type = 'bigint'::regtype THEN '= %2$I'
                                         ELSE 'OPERATOR(%4$s.=) %2$I::%3$s' END
                                 || CASE WHEN attnotnull THEN ' AND %1$I IS NOT NULL'
                                         ELSE '' END, shadow, attname, key.to_type, _schema_of()),
                          ' AND ') AS condition
        FROM _changing_columns(key)
             JOIN pg_class c ON c.oid = relation
             JOIN pg_namespace n ON n.oid = relnamespace
        GROUP BY relation, nspname, c.oid
    )
    SELECT statement FROM tables, LATERAL (VALUES
        (1, format('CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS %L', function,
                   'BEGIN ' || assignments || ' RETURN NEW; END')),
        (2, format('COMMENT ON FUNCTION %s() IS %L', function, state)),
        (3, format('ALTER TABLE %s %s, ADD CONSTRAINT _objectid_ext CHECK (%s) NOT VALID',
                   relation, additions, condition)),
        (4, format('CREATE TRIGGER "~objectid_ext_conversion" BEFORE INSERT OR UPDATE ON %s'
                   ' FOR EACH ROW EXECUTE FUNCTION %s()', relation, function)),
        (5, format('ALTER TABLE %s ENABLE ALWAYS TRIGGER "~objectid_ext_conversion"', relation))
    ) AS s (step, statement)
    ORDER BY relation, step
$body$;

-- Adds shadow columns to the tables of a key, each with a trigger that keeps it equal.  To
-- compile the queries of the catalog would take longer than clients can wait for a lock.
CREATE PROCEDURE _conversion_begin("table" regclass, "column" name, to_type regtype,
    max_wait interval)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET jit = off AS $$
DECLARE
    key _key := ("table", "column", to_type);
BEGIN
    -- it could be executed in one, but the steps after it could not
    IF transaction_timestamp() <> statement_timestamp() THEN
        RAISE EXCEPTION 'a step of a conversion cannot run inside a transaction block'
            USING ERRCODE = 'active_sql_transaction', HINT = E'Use \\gexec without BEGIN.';
    END IF;
    "table" := _claim("table");
    PERFORM _lock_in_turn(ARRAY(
        SELECT DISTINCT relation FROM _changing_columns(key) ORDER BY 1), max_wait);
    key := _refuse(key, 1);
    -- of tables that were dropped while they were converted
    PERFORM _execute_all(VARIADIC ARRAY(
        SELECT format('DROP FUNCTION %s', function) FROM _conversions() WHERE relation IS NULL));
    PERFORM _execute_all(VARIADIC ARRAY(SELECT _begin_statements(key)));
END;
$$;
