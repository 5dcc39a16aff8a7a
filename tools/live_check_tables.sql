----------------------------------------------------------------------
-- Existing tables under load: what prevents single steps
----------------------------------------------------------------------

-- PostgreSQL refuses to update a table that is published so, also to the owner.
-- PostgreSQL 19 has publications of all tables except some.

CREATE FUNCTION objectid_ext_tools._live_published_obstacles("table" regclass) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    WITH relation AS MATERIALIZED (
        SELECT oid, relnamespace FROM pg_class WHERE oid = "table" OR oid IN (SELECT relid FROM pg_partition_ancestors("table"))
    )
    SELECT DISTINCT "table", 'object_not_in_prerequisite_state', format('table %s has no replica identity, and publication "%s" publishes updates', "table", pubname),
           'The conversion updates all rows.', format('Use ALTER TABLE %s REPLICA IDENTITY FULL before the conversion.', "table")
    FROM pg_class c CROSS JOIN pg_publication p
         LEFT JOIN pg_publication_rel r ON prpubid = p.oid AND prrelid IN (SELECT oid FROM relation), coalesce((to_jsonb(r)->>'prexcept')::boolean, false) AS excepted
    WHERE c.oid = "table" AND relkind = 'r' AND relpersistence = 'p' AND relreplident <> 'f'
      AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisvalid
                      AND CASE relreplident WHEN 'd' THEN indisprimary AND indimmediate WHEN 'i' THEN indisreplident END)
      AND pubupdate AND (r.oid IS NOT NULL AND NOT excepted OR puballtables AND r.oid IS NULL
                         OR EXISTS (SELECT FROM pg_publication_namespace JOIN relation ON pnnspid = relation.relnamespace WHERE pnpubid = p.oid));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_published_obstacles(regclass) IS 'internal: publications because of which a table cannot be updated';

-- An update checks all constraints, also those that were added as NOT VALID.

CREATE FUNCTION objectid_ext_tools._live_violated_obstacles("table" regclass) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    each record;
    violated boolean;
BEGIN
    FOR each IN
        SELECT conname, CASE contype WHEN 'c' THEN pg_get_expr(conbin, conrelid) ELSE format('%I IS NOT NULL', attname) END AS expression
        FROM pg_constraint c JOIN pg_class t ON t.oid = conrelid LEFT JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
        WHERE conrelid = "table" AND relkind = 'r' AND contype IN ('c', 'n') AND NOT convalidated AND conname NOT LIKE E'\\_objectid\\_ext\\_%'
          AND pg_get_constraintdef(c.oid) NOT LIKE '%NOT ENFORCED'
    LOOP
        PERFORM objectid_ext_tools._check_owner(ARRAY["table"]);
        EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE NOT (%s))', "table", each.expression) INTO violated;
        RETURN QUERY SELECT "table", 'check_violation', format('rows of table %s violate constraint "%s", which is not valid', "table", each.conname),
                            'The conversion updates all rows, and every update checks it.',
                            'Correct these rows, or drop the constraint, convert the column, and create it again.'
                     WHERE violated;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_violated_obstacles(regclass) IS 'internal: constraints that are not valid and that rows of a table violate';

-- Columns that were dropped count, too.

CREATE FUNCTION objectid_ext_tools._live_room_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT oid::regclass, 'too_many_columns', format('table %s has no room for more columns', oid::regclass),
           'A table can have at most 1600 columns, including those that were dropped.',
           'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.'
    FROM pg_class
         JOIN (SELECT relation, count(*) FROM objectid_ext_tools._live_columns("table", "column", to_type)
               WHERE NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = relation AND attname = shadow) GROUP BY relation) AS l (oid, missing) USING (oid)
    WHERE relnatts + missing > 1600
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_room_obstacles(regclass, name, regtype) IS 'internal: tables that cannot get shadow columns';

-- An error can come from the new type of the column.  Indexes of partitions are like
-- their parent.  Whole rows and operators that are not printed are named elsewhere.

CREATE FUNCTION objectid_ext_tools._live_definition_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    hint text;
BEGIN
    FOR each IN
        SELECT d.*, l."columns", l."values"
        FROM objectid_ext_tools._live_objects("table", "column", to_type) d
             JOIN (SELECT c.relation, array_agg(c.attribute), array_agg(c.value) FROM objectid_ext_tools._live_columns("table", "column", to_type) c
                   GROUP BY c.relation) AS l (relation, "columns", "values") ON l.relation = d.relation
             LEFT JOIN pg_index ON d.kind = 'index' AND indexrelid = d.object
        WHERE (d.kind = 'check' OR (indexprs IS NOT NULL OR indpred IS NOT NULL) AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = d.object))
          AND objectid_ext_tools._live_meaning(d.kind, d.object, true) NOT LIKE '% :varattno 0 %'
          AND NOT EXISTS (SELECT FROM objectid_ext_tools._unprinted_operators(objectid_ext_tools._live_meaning(d.kind, d.object, true)))
    LOOP
        BEGIN
            PERFORM objectid_ext_tools._live_definition(each.kind, each.relation, each.object, to_type, each."columns", each."values", 'pg_catalog, pg_temp');
        EXCEPTION WHEN feature_not_supported THEN
            GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
            RETURN QUERY SELECT each.relation, 'feature_not_supported', sqlerrm, NULL, hint;
        END;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_definition_obstacles(regclass, name, regtype) IS 'internal: indexes and constraints that cannot be created for shadow columns';

-- Before the first step, and when the steps that remain are listed

CREATE FUNCTION objectid_ext_tools._live_check_rows("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._raise(ARRAY(
        SELECT o FROM (SELECT DISTINCT relation FROM objectid_ext_tools._live_columns("table", "column", to_type)) AS t, objectid_ext_tools._live_violated_obstacles(relation) AS o));
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._live_definition_obstacles("table", "column", to_type) AS o));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_rows(regclass, name, regtype) IS 'internal: raises an error if rows of the tables of a conversion cannot be updated, or an index or constraint cannot be created for shadow columns';
