----------------------------------------------------------------------
-- Existing tables under load: what prevents single steps
----------------------------------------------------------------------

-- An index cannot be replaced if something else than what is replaced with it needs
-- it: a foreign key to other columns of it, or what is stored with its constraint.

CREATE FUNCTION objectid_ext_tools._live_check_index_users("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    obstacle record;
BEGIN
    SELECT i.indexrelid::regclass AS index, pg_describe_object(d.classid, d.objid, 0) AS name INTO obstacle
    FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey)
         LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u')
         JOIN pg_depend d ON d.deptype = 'n' AND (d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indexrelid OR d.refclassid = 'pg_constraint'::regclass AND d.refobjid = k.oid)
         LEFT JOIN pg_constraint f ON d.classid = 'pg_constraint'::regclass AND f.oid = d.objid
    WHERE a.attrelid = "table" AND a.attname = "column" AND (f.oid IS NULL OR f.conparentid = 0 AND a.attnum <> ALL (f.confkey))
    ORDER BY i.indexrelid, d.classid, d.objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'index % is used by %', obstacle.index, obstacle.name
            USING ERRCODE = 'dependent_objects_still_exist', DETAIL = format('The index contains column "%s", but what uses it does not refer to that column.', "column"),
                  HINT = 'Drop it, convert the column, and create it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_index_users(regclass, name) IS 'internal: raises an error if an index of a column cannot be dropped';

-- PostgreSQL refuses to update a table that is published so, also to the owner.

CREATE FUNCTION objectid_ext_tools._live_check_published("table" regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    tables oid[] := ARRAY(SELECT "table"::oid UNION SELECT relid FROM pg_partition_ancestors("table"));
    publication name;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class c WHERE oid = "table" AND relkind = 'r' AND relpersistence = 'p' AND relreplident <> 'f'
                   AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisvalid
                                   AND CASE relreplident WHEN 'd' THEN indisprimary AND indimmediate WHEN 'i' THEN indisreplident END)) THEN
        RETURN;
    END IF;
    -- PostgreSQL 19 has publications of all tables except some
    SELECT pubname INTO publication
    FROM pg_publication p LEFT JOIN pg_publication_rel r ON prpubid = p.oid AND prrelid = ANY (tables), coalesce((to_jsonb(r)->>'prexcept')::boolean, false) AS excepted
    WHERE pubupdate AND (r.oid IS NOT NULL AND NOT excepted OR puballtables AND r.oid IS NULL
                         OR EXISTS (SELECT FROM pg_publication_namespace JOIN pg_class ON relnamespace = pnnspid WHERE pnpubid = p.oid AND pg_class.oid = ANY (tables)))
    ORDER BY pubname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % has no replica identity, and publication "%" publishes updates', "table", publication
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'The conversion updates all rows.',
                  HINT = format('Use ALTER TABLE %s REPLICA IDENTITY FULL before the conversion.', "table");
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_published(regclass) IS 'internal: raises an error if a table cannot be updated because of how it is published';

-- An update checks all constraints, also those that were added as NOT VALID.

CREATE FUNCTION objectid_ext_tools._live_check_not_valid("table" regclass) RETURNS void
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
        ORDER BY conname
    LOOP
        PERFORM objectid_ext_tools._check_owner(ARRAY["table"]);
        EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE NOT (%s))', "table", each.expression) INTO violated;
        IF violated THEN
            RAISE EXCEPTION 'rows of table % violate constraint "%", which is not valid', "table", each.conname
                USING ERRCODE = 'check_violation', DETAIL = 'The conversion updates all rows, and every update checks it.',
                      HINT = 'Correct these rows, or drop the constraint, convert the column, and create it again.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_not_valid(regclass) IS 'internal: raises an error if rows of a table violate a constraint that is not valid';

-- Columns that were dropped count, too.

CREATE FUNCTION objectid_ext_tools._live_check_room(relation regclass, "table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    missing bigint := (SELECT count(*) FROM objectid_ext_tools._live_columns("table", "column", to_type) l
                       WHERE l.relation = $1 AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = l.relation AND attname = l.shadow));
BEGIN
    IF missing + (SELECT relnatts FROM pg_class WHERE oid = relation) > 1600 THEN
        RAISE EXCEPTION 'table % has no room for more columns', relation
            USING ERRCODE = 'too_many_columns', DETAIL = 'A table can have at most 1600 columns, including those that were dropped.',
                  HINT = 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_room(regclass, regclass, name, regtype) IS 'internal: raises an error if a table cannot get shadow columns';

-- Statements that make the definitions of indexes and constraints.  An error can
-- come from the new type of the column.  Indexes of partitions are like their parent.

CREATE FUNCTION objectid_ext_tools._live_trials("table" regclass, "column" name, to_type regtype, OUT relation regclass, OUT statement text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT o.relation, format('SELECT objectid_ext_tools._live_definition(%L, %L, %s, %L, %L, %L, ''pg_catalog, pg_temp'')', o.kind, o.relation, o.object, to_type, l."columns", l."values")
    FROM objectid_ext_tools._live_objects("table", "column", to_type) o
         JOIN (SELECT c.relation, array_agg(c.attribute), array_agg(c.value) FROM objectid_ext_tools._live_columns("table", "column", to_type) c
               GROUP BY c.relation) AS l (relation, "columns", "values") ON l.relation = o.relation
         LEFT JOIN pg_index ON o.kind = 'index' AND indexrelid = o.object
    WHERE (o.kind = 'check' OR (indexprs IS NOT NULL OR indpred IS NOT NULL) AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = o.object))
      AND objectid_ext_tools._live_meaning(o.kind, o.object, true) NOT LIKE '% :varattno 0 %'
    ORDER BY o.kind, o.relation::text COLLATE "C", o.object_name
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_trials(regclass, name, regtype) IS 'internal: statements that raise an error if an index or check constraint cannot be created for shadow columns';

-- Before the first step, and when the steps that remain are listed

CREATE FUNCTION objectid_ext_tools._live_check_rows("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._live_check_not_valid(relation)
    FROM (SELECT DISTINCT relation FROM objectid_ext_tools._live_columns("table", "column", to_type) ORDER BY relation) AS t;
    PERFORM objectid_ext_tools._execute(ARRAY(SELECT statement FROM objectid_ext_tools._live_trials("table", "column", to_type)));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_rows(regclass, name, regtype) IS 'internal: raises an error if rows of the tables of a conversion cannot be updated, or an index or constraint cannot be created for shadow columns';

