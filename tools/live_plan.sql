----------------------------------------------------------------------
-- Existing tables under load: plan and progress
----------------------------------------------------------------------

-- What evaluates expressions of the owner can fail in any way.

CREATE FUNCTION objectid_ext_tools._caught(query text) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hint text;
BEGIN
    RETURN QUERY EXECUTE query;
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN QUERY SELECT NULL::regclass, sqlstate, sqlerrm, NULL, nullif(hint, '');
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._caught(text) IS 'internal: obstacles that a query returns, or its error as one';

CREATE FUNCTION objectid_ext_tools._told(o objectid_ext_tools._obstacle) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT concat_ws(E'\n', o.message, coalesce(o.hint, o.detail))
$$;
COMMENT ON FUNCTION objectid_ext_tools._told(objectid_ext_tools._obstacle) IS 'internal: how the plan of a conversion tells an obstacle';

-- What reads tables or evaluates their expressions is left to their owner, and to a
-- role that sees all rows; nothing is evaluated that could call a function of another
-- role.

CREATE FUNCTION objectid_ext_tools._obstacles("table" regclass, "column" name, to_type regtype, created_at name, layout snowflake_layout, own boolean, OUT in_use boolean, OUT o objectid_ext_tools._obstacle) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key text := format('%L, %L', "table", "column");
    filtered boolean := row_security_active("table") OR EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE row_security_active(relation));
    taken boolean;
BEGIN
    RETURN QUERY SELECT false, x FROM objectid_ext_tools._owner_obstacles("table" || objectid_ext_tools._live_tables("table", "column", to_type)) AS x;
    RETURN QUERY SELECT true, x FROM objectid_ext_tools._caught(format('SELECT (NULL::objectid_ext_tools._obstacle).* WHERE objectid_ext_tools._live_state(%1$s) || objectid_ext_tools._live_late(%1$s) IS NULL', key)) AS x;
    taken := FOUND;
    RETURN QUERY SELECT false, x FROM objectid_ext_tools._conversion_obstacles("table", "column", to_type) AS x;
    RETURN QUERY SELECT true, x FROM objectid_ext_tools._live_obstacles("table", "column", to_type, CASE WHEN NOT taken THEN objectid_ext_tools._live_state("table", "column") END) AS x;
    IF created_at IS NULL THEN
        RETURN QUERY SELECT NULL::boolean, x FROM objectid_ext_tools._locked_obstacles("table", "column", to_type) AS x;
    END IF;
    IF NOT own THEN
        RETURN;
    END IF;
    IF has_database_privilege(current_database(), 'TEMPORARY') THEN
        RETURN QUERY SELECT false, x FROM objectid_ext_tools._live_definition_obstacles("table", "column", to_type) AS x;
    END IF;
    RETURN QUERY SELECT true, x
                 FROM (SELECT DISTINCT relation FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE NOT row_security_active(relation)) AS t,
                      objectid_ext_tools._caught(format('SELECT * FROM objectid_ext_tools._live_violated_obstacles(%L)', relation)) AS x;
    IF EXISTS (SELECT FROM objectid_ext_tools._foreign_obstacles(objectid_ext_tools._live_tree(ARRAY["table"]))) THEN
        RETURN;
    ELSIF created_at IS NOT NULL THEN
        RETURN QUERY SELECT false, x FROM objectid_ext_tools._caught(format('SELECT * FROM objectid_ext_tools._past_row_obstacles(%s, %L, %L, %L)', key, created_at,
                                                                            objectid_ext_tools._backfill_time_zone("table", created_at), layout)) AS x;
    ELSIF filtered OR EXISTS (SELECT FROM objectid_ext_tools._conversion_obstacles("table", "column", to_type) WHERE code = 'datatype_mismatch') THEN
        RETURN;
    ELSIF to_type = 'bigint'::regtype THEN
        RETURN QUERY SELECT false, x FROM objectid_ext_tools._caught(format('SELECT * FROM objectid_ext_tools._next_id_obstacles(%1$s, objectid_ext_tools._highest_id(%1$s), NULL, %2$L)', key, layout)) AS x;
    ELSE
        RETURN QUERY SELECT false, x FROM objectid_ext_tools._caught(format('SELECT * FROM objectid_ext_tools._value_obstacles(%s)', key)) AS x;
        IF NOT FOUND THEN
            RETURN QUERY SELECT false, x FROM objectid_ext_tools._caught(format('SELECT * FROM objectid_ext_tools._spelling_obstacles(%s, %L)', key, to_type)) AS x;
        END IF;
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._obstacles(regclass, name, regtype, name, snowflake_layout, boolean) IS 'internal: all that stands in the way of a conversion, by the catalog alone if the tables are not those of the current role, or could call functions of others; in_use if only while the tables are in use, null if only under a lock';

CREATE FUNCTION objectid_ext_tools.conversion_plan(
    "table" regclass,
    "column" name,
    created_at name DEFAULT NULL,
    layout snowflake_layout DEFAULT 'twitter',
    OUT item text,
    OUT relation regclass,
    OUT detail text,
    OUT rows bigint,
    OUT size text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    present regtype := (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0);
    to_type regtype := 'bigint';
    tables regclass[];
    own boolean;
    extra bigint;
BEGIN
    IF "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    IF present IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind IN ('r', 'p')) THEN
        RETURN QUERY SELECT 'obstacle', "table", format('%s is not a table', "table"), NULL::bigint, NULL::text;
        RETURN;
    END IF;
    IF created_at IS NOT NULL THEN
        to_type := 'objectid_ext_tools._backfilled';
    ELSIF present NOT IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN
        to_type := (objectid_ext_tools._ids_schema() || '.objectid')::regtype;
    END IF;
    tables := "table" || objectid_ext_tools._live_tables("table", "column", to_type);
    own := NOT EXISTS (SELECT FROM objectid_ext_tools._owner_obstacles(tables)) AND NOT EXISTS (SELECT FROM objectid_ext_tools._overload_obstacles(tables));
    IF present = (objectid_ext_tools._ids_schema() || '.objectid')::regtype OR objectid_ext_tools._has_snowflakes("table", "column") THEN
        RETURN QUERY SELECT 'obstacle', "table", objectid_ext_tools._told(o), NULL::bigint, NULL::text
                     FROM objectid_ext_tools._caught(CASE WHEN own THEN format('SELECT * FROM objectid_ext_tools._past_done_obstacles(%L, %L, %L, %L)', "table", "column", layout, created_at) END) AS o;
        RETURN QUERY SELECT 'way', "table", CASE WHEN to_regclass(objectid_ext_tools._live_late("table", "column")) IS NULL THEN 'There is nothing to do.'
                                                 ELSE 'Only foreign keys remain to be validated.' END, NULL::bigint, NULL::text;
        RETURN;
    END IF;
    RETURN QUERY SELECT 'note', "table", format('Times in column "%s" are read in time zone %s.', created_at, z), NULL::bigint, NULL::text
                 FROM objectid_ext_tools._backfill_time_zone("table", created_at) AS z WHERE z <> '';
    RETURN QUERY SELECT CASE WHEN count(f.in_use) = 0 THEN 'obstacle under a lock' WHEN bool_and(f.in_use) THEN 'obstacle while in use' ELSE 'obstacle' END, coalesce(min((f.o).relation::oid)::regclass, "table"), objectid_ext_tools._told(f.o), NULL::bigint, NULL::text
                 FROM objectid_ext_tools._obstacles("table", "column", to_type, created_at, layout, own) AS f
                 GROUP BY objectid_ext_tools._told(f.o) ORDER BY bool_and(f.in_use), objectid_ext_tools._told(f.o) COLLATE "C";
    IF NOT EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type)) THEN
        RETURN QUERY SELECT 'way', "table", CASE WHEN to_type = 'bigint'::regtype THEN 'Only the default and the sequence change.' ELSE 'There is nothing to do.' END, NULL::bigint, NULL::text;
        RETURN;
    END IF;
    RETURN QUERY SELECT 'way', "table", CASE WHEN created_at IS NULL THEN 'All rows are rewritten under a lock, or shadow columns are filled while the tables are in use.'
                                             ELSE 'Shadow columns are filled with new ids while the tables are in use.' END, NULL::bigint, NULL::text;
    RETURN QUERY SELECT 'column', l.relation, CASE to_type WHEN 'objectid_ext_tools._backfilled'::regtype THEN format('"%s": new ids of type bigint', l.attribute)
                                                           ELSE format('"%s": %s becomes %s', l.attribute, l.attribute_type, to_type) END,
                        CASE WHEN relkind <> 'p' THEN greatest(reltuples, 0)::bigint END, pg_size_pretty(pg_table_size(l.relation))
                 FROM objectid_ext_tools._live_columns("table", "column", to_type) l JOIN pg_class c ON c.oid = l.relation ORDER BY l.relation::text COLLATE "C", l.attribute;
    RETURN QUERY SELECT o.kind, o.relation, format('"%s"', o.object_name), NULL::bigint, CASE o.kind WHEN 'index' THEN pg_size_pretty(pg_relation_size(o.object)) END
                 FROM objectid_ext_tools._live_objects("table", "column", to_type) o ORDER BY o.kind DESC, o.relation::text COLLATE "C", o.object_name;
    RETURN QUERY SELECT 'note', l.relation, 'The table is published; subscribers need the shadow columns, too.', NULL::bigint, NULL::text
                 FROM (SELECT DISTINCT c.relation FROM objectid_ext_tools._live_columns("table", "column", to_type) c) l
                 WHERE EXISTS (SELECT FROM pg_publication p, pg_get_publication_tables(p.pubname) t WHERE t.relid = l.relation);
    -- each row gets another version, with another entry in each index
    SELECT sum(pg_table_size(t.relation) + pg_indexes_size(t.relation)) +
           (SELECT coalesce(sum(pg_relation_size(o.object)), 0) FROM objectid_ext_tools._live_objects("table", "column", to_type) o WHERE o.kind = 'index') +
           -- the table of new ids, with its index
           CASE WHEN created_at IS NULL THEN 0 ELSE (SELECT sum(64 * greatest(reltuples, 0)::bigint) FROM pg_class WHERE oid = ANY (objectid_ext_tools._live_tree(ARRAY["table"])) AND relkind <> 'p') END
    INTO extra FROM (SELECT DISTINCT c.relation FROM objectid_ext_tools._live_columns("table", "column", to_type) c) t;
    RETURN QUERY SELECT 'space', "table", 'Additional space that can be needed meanwhile', NULL::bigint, pg_size_pretty(extra);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.conversion_plan(regclass, name, name, snowflake_layout) IS 'what a conversion of a column to snowflakes or objectids would do, with new ids of the times in column created_at if it is not null: everything that prevents it, columns with estimated rows and size, indexes, constraints, additional space; changes nothing';

-- Others could have created a table of such a name.  What it says is believed only of
-- tables of the same owner that have the trigger of a conversion, unless he is a
-- superuser, and does not disturb other conversions.

CREATE FUNCTION objectid_ext_tools._progress_of(
    state regclass,
    OUT conversion text,
    OUT relation regclass,
    OUT rows bigint,
    OUT percent numeric,
    OUT rows_per_second bigint,
    OUT remaining interval
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    keeper oid := (SELECT relowner FROM pg_class WHERE oid = state);
    trusted boolean := (SELECT rolsuper OR rolname = current_user FROM pg_roles WHERE oid = keeper);
BEGIN
    SELECT CASE WHEN c.oid IS NULL THEN format('column "%s" of a table that was dropped', r.attribute)
                ELSE format('column "%s" of table %s', r.attribute, r.root) END INTO conversion
    FROM objectid_ext_tools._live_root(state) r LEFT JOIN pg_class c ON c.oid = r.root
    WHERE CASE WHEN c.oid IS NULL THEN trusted ELSE trusted OR c.relowner = keeper END;
    IF conversion IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT conversion, c.oid::regclass, s."rows", round(100.0 * s.page / nullif(s.pages, 0), 1), (s."rows" / nullif(s.seconds, 0))::bigint,
           date_trunc('second', make_interval(secs => s.seconds * (s.pages - s.page) / nullif(s.page, 0)))
    FROM objectid_ext_tools._live_progress(state) AS s LEFT JOIN pg_class c ON c.oid = s.relation
    WHERE s.filenode IS DISTINCT FROM 0 AND (c.relowner = keeper OR trusted)
          AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgname = '~objectid_ext_conversion')
       OR s.root IS NOT NULL AND NOT EXISTS (SELECT FROM pg_class WHERE oid = s.root) ORDER BY s.relation::text;
EXCEPTION WHEN numeric_value_out_of_range OR datetime_field_overflow THEN
    -- it contains anything
    NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._progress_of(regclass) IS 'internal: the rows of the view conversion_progress for one conversion; none if what is stored cannot be believed';

CREATE FUNCTION objectid_ext_tools._conversion_progress(
    OUT conversion text,
    OUT relation regclass,
    OUT rows bigint,
    OUT percent numeric,
    OUT rows_per_second bigint,
    OUT remaining interval
) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
    WITH state (oid) AS MATERIALIZED (
        SELECT c.oid::regclass
        FROM pg_class c
        WHERE relname LIKE E'\\_objectid\\_ext\\_%' AND relkind = 'r' AND obj_description(c.oid, 'pg_class') LIKE E'objectid\\_ext\\_tools: conversion of %'
          -- so not one of foreign keys, whose texts could be large
          AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'filenode')
          -- any role can make such a table, and lock it
          AND NOT EXISTS (SELECT FROM pg_locks l WHERE l.relation = c.oid AND mode = 'AccessExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
        ORDER BY relname
    )
    SELECT p.* FROM state, objectid_ext_tools._progress_of(state.oid) AS p
$$;
COMMENT ON FUNCTION objectid_ext_tools._conversion_progress() IS 'internal: the rows of the view conversion_progress';

CREATE VIEW objectid_ext_tools.conversion_progress AS
SELECT conversion, relation, rows, percent, rows_per_second, remaining
FROM objectid_ext_tools._conversion_progress();
COMMENT ON VIEW objectid_ext_tools.conversion_progress IS 'progress of the conversions under load: rows updated in each table, percent of its pages, rows per second, remaining time; indexes that are being created are in pg_stat_progress_create_index';
GRANT SELECT ON objectid_ext_tools.conversion_progress TO PUBLIC;
