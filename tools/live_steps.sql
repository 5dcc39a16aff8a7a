----------------------------------------------------------------------
-- Existing tables under load: statements of the steps
----------------------------------------------------------------------

-- The statements of all steps that remain

CREATE FUNCTION objectid_ext_tools._live_steps(
    "table" regclass,
    "column" name,
    to_type regtype,
    max_wait interval,
    rows_per_second integer,
    node integer,
    layout snowflake_layout,
    path text
) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    call text := format('CALL objectid_ext_tools._convert_live(%%L, %L, %L, %L, ''%s ms''%%s)', replace("table"::text, '%', '%%'), replace("column", '%', '%%'), to_type, (1000 * extract(epoch FROM max_wait))::bigint);
    state text := objectid_ext_tools._live_state("table", "column");
    unfilled boolean := true;
    key text;
    definitions jsonb := '{}';
    each record;
BEGIN
    IF to_regclass(objectid_ext_tools._live_late("table", "column")) IS NULL AND EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type)) THEN
        IF to_regclass(state) IS NULL OR EXISTS (SELECT FROM objectid_ext_tools._live_unbegun("table", "column", to_type))
           OR EXISTS (SELECT FROM objectid_ext_tools._live_strays("table", "column", to_type) WHERE constraint_name IS NOT NULL) THEN
            RETURN NEXT format(call, 'begin', '');
        ELSE
            unfilled := EXISTS (SELECT FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s
                                WHERE s.pages IS NULL OR s.page < s.pages OR s.filenode <> pg_relation_filenode(s.relation));
        END IF;
        IF unfilled THEN
            RETURN NEXT format(call, 'fill', ', ' || rows_per_second);
        END IF;
        RETURN QUERY SELECT format('DROP INDEX CONCURRENTLY IF EXISTS %s', index_name) FROM objectid_ext_tools._live_strays("table", "column", to_type) JOIN pg_class ON oid = to_regclass(index_name) AND relkind = 'i'
                     WHERE constraint_name IS NULL ORDER BY 1;
        FOR each IN
            SELECT o.*, indisunique, l."columns", l."values"
            FROM objectid_ext_tools._live_objects("table", "column", to_type) o JOIN pg_index ON indexrelid = object
                 JOIN pg_class c ON c.oid = object AND relkind = 'i'
                 JOIN (SELECT c.relation, array_agg(c.attribute), array_agg(c.value) FROM objectid_ext_tools._live_columns("table", "column", to_type) c
                       GROUP BY c.relation) AS l (relation, "columns", "values") ON l.relation = o.relation
            WHERE kind = 'index' AND o.state IN ('missing', 'begun') ORDER BY o.relation::text COLLATE "C", o.object_name
        LOOP
            -- those of partitions are often the same
            key := md5(concat_ws(' ', coalesce(pg_partition_root(each.relation), each.relation), (SELECT reltablespace FROM pg_class WHERE oid = each.object),
                                 each."columns", each."values", objectid_ext_tools._live_index_key(each.object)));
            IF NOT definitions ? key THEN
                definitions := definitions || jsonb_build_object(key, objectid_ext_tools._live_definition('index', each.relation, each.object, to_type, each."columns", each."values", path));
            END IF;
            -- since the first steps, which can take days, others can have created functions
            IF EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = each.object AND refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)) THEN
                RETURN NEXT format(call, 'check', '');
            END IF;
            RETURN NEXT format('CREATE %sINDEX CONCURRENTLY %I ON %s USING %s', CASE WHEN each.indisunique THEN 'UNIQUE ' END, each.shadow, each.relation, definitions ->> key);
        END LOOP;
        RETURN NEXT format(call, 'validate', '');
        RETURN QUERY SELECT DISTINCT format('ANALYZE %s', relation) FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE NOT inherited ORDER BY 1;
        -- A transaction whose snapshot is older than the filling of the rows would
        -- see nulls.  This waits for the end of such transactions, as it does for
        -- any index.  On standbys, removing row versions that the last filling has
        -- replaced conflicts with them.
        RETURN NEXT format('REINDEX TABLE CONCURRENTLY %s', state);
        RETURN NEXT format('VACUUM %s', state);
    END IF;
    RETURN NEXT format(call, 'finish', CASE WHEN layout IS NOT NULL THEN format(', node => %s, layout => %L', coalesce(node::text, 'NULL'), layout) END);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_steps(regclass, name, regtype, interval, integer, integer, snowflake_layout, text) IS 'internal: statements of the steps of a conversion that remain';

CREATE FUNCTION objectid_ext_tools._has_snowflakes("table" regclass, "column" name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM pg_attribute JOIN pg_attrdef d ON adrelid = attrelid AND adnum = attnum
                       JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = d.oid AND refclassid = 'pg_proc'::regclass
                       JOIN pg_proc p ON p.oid = refobjid
                   WHERE attrelid = "table" AND attname = "column" AND atttypid = 'bigint'::regtype AND proname = 'next_snowflake'
                     AND pronamespace::regnamespace::text = objectid_ext_tools._ids_schema())
$$;
COMMENT ON FUNCTION objectid_ext_tools._has_snowflakes(regclass, name) IS 'internal: has a conversion been completed?';

CREATE FUNCTION objectid_ext_tools._snowflake_steps(
    "table" regclass,
    "column" name,
    node integer,
    layout snowflake_layout,
    max_wait interval,
    rows_per_second integer,
    created_at name,
    path text,
    OUT step integer,
    OUT statement text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET row_security = off
AS $$
DECLARE
    time_zone text := objectid_ext_tools._backfill_time_zone("table", created_at);
BEGIN
    IF "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_pace("table", max_wait, rows_per_second);
    PERFORM objectid_ext_tools._live_check_rights("table", "column", CASE WHEN created_at IS NULL THEN 'bigint' ELSE 'objectid_ext_tools._backfilled' END::regtype);
    IF objectid_ext_tools._has_snowflakes("table", "column") AND to_regclass(objectid_ext_tools._live_late("table", "column")) IS NULL THEN
        PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._past_done_obstacles("table", "column", layout, created_at) AS o));
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._live_claim("table", "column", false);
    IF objectid_ext_tools._has_snowflakes("table", "column") THEN
        RETURN QUERY SELECT 1, s FROM objectid_ext_tools._live_steps("table", "column", 'bigint', max_wait, rows_per_second, NULL, NULL, path) AS s;
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._backfill_check_begun("table", "column", objectid_ext_tools._backfill_definition(created_at, time_zone, node, layout));
    IF created_at IS NOT NULL THEN
        PERFORM objectid_ext_tools._live_check("table", "column", 'objectid_ext_tools._backfilled');
        PERFORM objectid_ext_tools._live_check_rows("table", "column", 'objectid_ext_tools._backfilled');
        RETURN QUERY SELECT n::integer, s FROM objectid_ext_tools._backfill_steps("table", "column", node, layout, max_wait, rows_per_second, created_at, time_zone, path) WITH ORDINALITY AS t (s, n);
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._live_check("table", "column", 'bigint');
    PERFORM objectid_ext_tools._live_check_rows("table", "column", 'bigint');
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._next_id_obstacles("table", "column", objectid_ext_tools._highest_id("table", "column"), node, layout) AS o));
    RETURN QUERY SELECT n::integer, s FROM objectid_ext_tools._live_steps("table", "column", 'bigint', max_wait, rows_per_second, node, layout, path) WITH ORDINALITY AS t (s, n);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._snowflake_steps(regclass, name, integer, snowflake_layout, interval, integer, name, text) IS 'internal: snowflake_conversion_steps() for a session with that search_path';

CREATE FUNCTION objectid_ext_tools._objectid_steps(
    "table" regclass,
    "column" name,
    max_wait interval,
    rows_per_second integer,
    path text,
    OUT step integer,
    OUT statement text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET row_security = off
AS $$
DECLARE
    objectid_type regtype := (objectid_ext_tools._ids_schema() || '.objectid')::regtype;
BEGIN
    IF "table" IS NULL OR "column" IS NULL THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_pace("table", max_wait, rows_per_second);
    PERFORM objectid_ext_tools._live_check_rights("table", "column", objectid_type);
    IF (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = "column") = objectid_type
       AND to_regclass(objectid_ext_tools._live_late("table", "column")) IS NULL THEN
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._live_claim("table", "column", false);
    IF to_regclass(objectid_ext_tools._live_late("table", "column")) IS NOT NULL THEN
        RETURN QUERY SELECT 1, s FROM objectid_ext_tools._live_steps("table", "column", objectid_type, max_wait, rows_per_second, NULL, NULL, path) AS s;
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._live_check("table", "column", objectid_type);
    PERFORM objectid_ext_tools._live_check_rows("table", "column", objectid_type);
    IF to_regclass(objectid_ext_tools._live_state("table", "column")) IS NULL THEN
        PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._value_obstacles("table", "column") AS o));
        PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._spelling_obstacles("table", "column", objectid_type) AS o));
    END IF;
    RETURN QUERY SELECT n::integer, s FROM objectid_ext_tools._live_steps("table", "column", objectid_type, max_wait, rows_per_second, NULL, NULL, path) WITH ORDINALITY AS t (s, n);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._objectid_steps(regclass, name, interval, integer, text) IS 'internal: objectid_conversion_steps() for a session with that search_path';

-- These are bound when they are created, and can so tell the search_path of the
-- session.

CREATE FUNCTION objectid_ext_tools.snowflake_conversion_steps(
    "table" regclass,
    "column" name,
    node integer,
    layout snowflake_layout,
    max_wait interval DEFAULT '1 s',
    rows_per_second integer DEFAULT NULL,
    created_at name DEFAULT NULL,
    OUT step integer,
    OUT statement text
) RETURNS SETOF record
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT s.step, s.statement FROM objectid_ext_tools._snowflake_steps("table", "column", node, layout, max_wait, rows_per_second, created_at, pg_catalog.current_setting('search_path'::text)) AS s;
END;
COMMENT ON FUNCTION objectid_ext_tools.snowflake_conversion_steps(regclass, name, integer, snowflake_layout, interval, integer, name) IS E'statements that do what convert_to_snowflake() does, or what remains of it, while the tables are in use, for \\gexec of psql; other statements wait at most max_wait for their locks; at most rows_per_second rows are updated; existing rows get new ids of the times in column created_at, if it is not null, and what refers to them follows; an error if something prevents it';

CREATE FUNCTION objectid_ext_tools.objectid_conversion_steps(
    "table" regclass,
    "column" name,
    max_wait interval DEFAULT '1 s',
    rows_per_second integer DEFAULT NULL,
    OUT step integer,
    OUT statement text
) RETURNS SETOF record
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT s.step, s.statement FROM objectid_ext_tools._objectid_steps("table", "column", max_wait, rows_per_second, pg_catalog.current_setting('search_path'::text)) AS s;
END;
COMMENT ON FUNCTION objectid_ext_tools.objectid_conversion_steps(regclass, name, interval, integer) IS E'statements that do what convert_to_objectid() does, or what remains of it, while the tables are in use, for \\gexec of psql; other statements wait at most max_wait for their locks; at most rows_per_second rows are updated; an error if something prevents it';

CREATE FUNCTION objectid_ext_tools._check_wait(max_wait interval) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF max_wait IS NULL OR max_wait < '10 ms' OR max_wait > '1 hour' THEN
        RAISE EXCEPTION 'interval "%" is out of range', max_wait
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The longest wait must be from 10 ms to 1 hour.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_wait(interval) IS 'internal: raises an error if a longest wait is out of range';

CREATE FUNCTION objectid_ext_tools._check_pace("table" regclass, max_wait interval, rows_per_second integer) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM objectid_ext_tools._check_wait(max_wait);
    IF rows_per_second <= 0 THEN
        RAISE EXCEPTION 'rows per second must be greater than zero' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_pace(regclass, interval, integer) IS 'internal: raises an error if parameters of a conversion under load are out of range';
