----------------------------------------------------------------------
-- Existing tables under load: plan, statements and progress
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
    IF EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type)) THEN
        IF to_regclass(state) IS NULL OR EXISTS (SELECT FROM objectid_ext_tools._live_unbegun("table", "column", to_type))
           OR EXISTS (SELECT FROM objectid_ext_tools._live_strays("table", "column", to_type) WHERE constraint_name IS NOT NULL) THEN
            RETURN NEXT format(call, 'begin', '');
        ELSE
            EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE pages IS NULL OR page < pages OR filenode <> pg_relation_filenode(relation))', state) INTO unfilled;
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
    PERFORM objectid_ext_tools._live_check_family("table", "column", CASE WHEN created_at IS NULL THEN 'bigint' ELSE 'objectid_ext_tools._backfilled' END::regtype);
    IF objectid_ext_tools._has_snowflakes("table", "column") AND to_regclass(objectid_ext_tools._live_late("table", "column")) IS NULL THEN
        PERFORM objectid_ext_tools._backfill_check_done("table", "column", layout, created_at);
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
    PERFORM objectid_ext_tools._check_next_id("table", "column", objectid_ext_tools._sequence_of("table", "column"), node, layout);
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
    invalid record;
BEGIN
    IF "table" IS NULL OR "column" IS NULL THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_pace("table", max_wait, rows_per_second);
    PERFORM objectid_ext_tools._live_check_family("table", "column", objectid_type);
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
        SELECT * INTO invalid FROM objectid_ext_tools._invalid_values("table", "column");
        IF invalid.message IS NOT NULL THEN
            RAISE EXCEPTION '%', invalid.message USING ERRCODE = 'invalid_text_representation', DETAIL = invalid.detail;
        END IF;
        PERFORM objectid_ext_tools._check_spellings("table", "column", objectid_type);
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
    node integer DEFAULT NULL,
    layout snowflake_layout DEFAULT 'twitter',
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
COMMENT ON FUNCTION objectid_ext_tools.snowflake_conversion_steps(regclass, name, integer, snowflake_layout, interval, integer, name) IS 'statements that do what convert_to_snowflake() does, or what remains of it, while the tables are in use, for \gexec of psql; other statements wait at most max_wait for their locks; at most rows_per_second rows are updated; existing rows get new ids of the times in column created_at, if it is not null, and what refers to them follows; an error if something prevents it';

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
COMMENT ON FUNCTION objectid_ext_tools.objectid_conversion_steps(regclass, name, interval, integer) IS 'statements that do what convert_to_objectid() does, or what remains of it, while the tables are in use, for \gexec of psql; other statements wait at most max_wait for their locks; at most rows_per_second rows are updated; an error if something prevents it';

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

-- The plan runs each check by itself, so that one obstacle does not hide others.
-- Those that read tables or evaluate their expressions are left to their owner.

CREATE FUNCTION objectid_ext_tools._obstacle(statement text) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    hint text;
BEGIN
    EXECUTE statement;
    RETURN NULL;
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(E'\n', sqlerrm, nullif(hint, ''));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._obstacle(text) IS 'internal: error message and hint of a check, or NULL';

CREATE FUNCTION objectid_ext_tools._obstacles("table" regclass, "column" name, to_type regtype, own boolean, OUT in_use boolean, OUT relation regclass, OUT obstacle text) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH key AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._live_columns("table", "column", to_type)
    ), checks (in_use, relation, statement) AS (
        SELECT false, NULL::regclass,
               format(CASE to_type WHEN 'bigint'::regtype THEN 'SELECT objectid_ext_tools._check_integers(%L, %L)'
                                   WHEN 'objectid_ext_tools._backfilled'::regtype THEN 'SELECT objectid_ext_tools._backfill_check(%L, %L)'
                                   ELSE 'SELECT objectid_ext_tools._check_texts(%L, %L, %L)' END, "table", "column", to_type)
        UNION ALL
        SELECT false, k.relation, format('SELECT objectid_ext_tools._check_convertible(%L, %L, %L, %L)', k.relation, k.attribute, to_type, k.inherited) FROM key k
        UNION ALL
        SELECT false, k.relation, format('SELECT objectid_ext_tools._check_objectid_column(%L, %L)', k.relation, k.attribute) FROM key k WHERE to_type NOT IN ('bigint'::regtype, 'objectid_ext_tools._backfilled'::regtype)
        UNION ALL
        SELECT false, k.relation, format('SELECT objectid_ext_tools._backfill_check_column(%L, %L, %L)', k.relation, k.attribute, k.relation = "table" AND k.attribute = "column")
        FROM key k WHERE to_type = 'objectid_ext_tools._backfilled'::regtype
        UNION ALL
        SELECT true, NULL, format('SELECT objectid_ext_tools._live_check(%L, %L, %L)', "table", "column", to_type)
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_column(%L, %L, %L)', k.relation, k.attribute, NOT k.inherited AND (k.relation <> "table" OR k.attribute <> "column")) FROM key k
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_indexes(%L, %L, %L)', k.relation, k.attribute, to_type) FROM key k
        UNION ALL
        SELECT false, k.relation, format('SELECT objectid_ext_tools._live_check_index_users(%L, %L)', k.relation, k.attribute) FROM key k
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_published(%L)', k.relation) FROM key k
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_not_valid(%L)', k.relation)
        FROM key k JOIN pg_class c ON c.oid = k.relation
        WHERE own AND NOT row_security_active(k.relation)
        UNION ALL
        SELECT t.whole_row, t.relation, t.statement FROM objectid_ext_tools._live_trials("table", "column", to_type) t WHERE own
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_room(%L, %L, %L, %L)', k.relation, "table", "column", to_type) FROM key k
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_privileges(%L)', k.relation) FROM key k
        UNION ALL
        SELECT true, NULL, format('SELECT objectid_ext_tools._live_check_row_types(%L)', array_agg(k.relation)) FROM key k
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_table(%L, objectid_ext_tools._live_state(%L, %L))', k.relation, "table", "column") FROM key k
    ), found (in_use, relation, obstacle) AS (
        SELECT c.in_use, c.relation, objectid_ext_tools._obstacle(c.statement) FROM checks c
        UNION ALL
        SELECT false, k.relation, format('column "%s" of table %s is used by %s', k.attribute, k.relation, d) || E'\nDrop it, convert the column, and create it again.'
        FROM key k JOIN pg_attribute a ON a.attrelid = k.relation AND a.attname = k.attribute,
             objectid_ext_tools._dependent_objects(k.relation, a.attnum) AS d
        UNION ALL
        SELECT false, "table", CASE WHEN own THEN
               coalesce(nullif((SELECT concat_ws(E'\n', v.message, v.detail) FROM objectid_ext_tools._invalid_values("table", "column") v), ''),
                        objectid_ext_tools._obstacle(format('SELECT objectid_ext_tools._check_spellings(%L, %L, %L)', "table", "column", to_type))) END
        WHERE to_type NOT IN ('bigint'::regtype, 'objectid_ext_tools._backfilled'::regtype)
          AND NOT EXISTS (SELECT FROM key k WHERE row_security_active(k.relation) OR k.attribute_type NOT IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bytea'::regtype, 'jsonb'::regtype))
    )
    SELECT bool_and(f.in_use), coalesce(min(f.relation::oid)::regclass, "table"), f.obstacle FROM found f WHERE f.obstacle <> '' GROUP BY f.obstacle ORDER BY 1, f.obstacle COLLATE "C"
$$;
COMMENT ON FUNCTION objectid_ext_tools._obstacles(regclass, name, regtype, boolean) IS 'internal: all that stands in the way of a conversion, by the catalog alone if the tables are not those of the current role; in_use if only while the tables are in use';

-- What prevents that the ids are read is an obstacle by itself.

CREATE FUNCTION objectid_ext_tools._plan_next_id("table" regclass, "column" name, layout snowflake_layout) RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._obstacle(format('SELECT objectid_ext_tools._check_next_id(%1$L, %2$L, objectid_ext_tools._sequence_of(%1$L, %2$L), NULL, %3$L)', "table", "column", layout))
    FROM pg_class
    WHERE oid = "table" AND NOT row_security_active(oid)
      AND objectid_ext_tools._obstacle(format('SELECT objectid_ext_tools._check_integers(%L, %L)', "table", "column")) IS NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._plan_next_id(regclass, name, snowflake_layout) IS 'internal: error message if a column cannot continue with snowflakes, or NULL';

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
    own := objectid_ext_tools._obstacle(format('SELECT objectid_ext_tools._live_check_family(%L, %L, %L)', "table", "column", to_type)) IS NULL;
    IF present = (objectid_ext_tools._ids_schema() || '.objectid')::regtype OR objectid_ext_tools._has_snowflakes("table", "column") THEN
        RETURN QUERY SELECT 'obstacle', "table", o, NULL::bigint, NULL::text
                     FROM objectid_ext_tools._obstacle(CASE WHEN own THEN format('SELECT objectid_ext_tools._backfill_check_done(%L, %L, %L, %L)', "table", "column", layout, created_at) END) AS o
                     WHERE created_at IS NOT NULL AND o <> '';
        RETURN QUERY SELECT 'way', "table", CASE WHEN to_regclass(objectid_ext_tools._live_late("table", "column")) IS NULL THEN 'There is nothing to do.'
                                                 ELSE 'Only foreign keys remain to be validated.' END, NULL::bigint, NULL::text;
        RETURN;
    END IF;
    IF created_at IS NOT NULL THEN
        RETURN QUERY SELECT 'obstacle', "table", o, NULL::bigint, NULL::text
                     FROM objectid_ext_tools._obstacle(CASE WHEN own THEN format('SELECT objectid_ext_tools._backfill_check_times(%L, %L, %L, %L, %L)', "table", "column", created_at,
                                                              objectid_ext_tools._backfill_time_zone("table", created_at), layout) END) AS o WHERE o <> '';
        RETURN QUERY SELECT 'note', "table", format('Times in column "%s" are read in time zone %s.', created_at, z), NULL::bigint, NULL::text
                     FROM objectid_ext_tools._backfill_time_zone("table", created_at) AS z WHERE z <> '';
    END IF;
    RETURN QUERY SELECT CASE WHEN o.in_use THEN 'obstacle while in use' ELSE 'obstacle' END, o.relation, o.obstacle, NULL::bigint, NULL::text
                 FROM objectid_ext_tools._obstacles("table", "column", to_type, own) o;
    IF own AND to_type = 'bigint'::regtype THEN
        RETURN QUERY SELECT 'obstacle', "table", o, NULL::bigint, NULL::text FROM objectid_ext_tools._plan_next_id("table", "column", layout) AS o WHERE o <> '';
    END IF;
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
           CASE WHEN created_at IS NULL THEN 0 ELSE (SELECT 64 * greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = "table") END
    INTO extra FROM (SELECT DISTINCT c.relation FROM objectid_ext_tools._live_columns("table", "column", to_type) c) t;
    RETURN QUERY SELECT 'space', "table", 'Additional space that can be needed meanwhile', NULL::bigint, pg_size_pretty(extra);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.conversion_plan(regclass, name, name, snowflake_layout) IS 'what a conversion of a column to snowflakes or objectids would do, with new ids of the times in column created_at if it is not null: everything that prevents it, columns with estimated rows and size, indexes, constraints, additional space; changes nothing';

-- Others could have created a table of such a name: it is read only if the caller
-- may, and if reading it calls nothing of its owner.  What it says is believed only
-- of tables of the same owner that have the trigger of a conversion, unless he is a
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
SET row_security = off
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
    RETURN QUERY EXECUTE format(
        'SELECT $1, c.oid::regclass, s."rows", round(100.0 * s.page / nullif(s.pages, 0), 1), (s."rows" / nullif(s.seconds, 0))::bigint,'
        '       date_trunc(''second'', make_interval(secs => s.seconds * (s.pages - s.page) / nullif(s.page, 0)))'
        ' FROM ONLY %s AS s LEFT JOIN pg_class c ON c.oid = s.relation'
        ' WHERE s.filenode IS DISTINCT FROM 0 AND (c.relowner = $2 OR $3)'
        '       AND EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgname = ''~objectid_ext_conversion'')'
        '    OR s.root IS NOT NULL AND NOT EXISTS (SELECT FROM pg_class WHERE oid = s.root) ORDER BY s.relation::text', state) USING conversion, keeper, trusted;
EXCEPTION WHEN others THEN
    -- it contains anything, or was dropped
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
        WHERE relname LIKE '\_objectid\_ext\_%' AND relkind = 'r' AND NOT relrowsecurity
          AND obj_description(c.oid, 'pg_class') LIKE 'objectid\_ext\_tools: conversion of %'
          AND has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
          AND (SELECT string_agg(concat_ws(' ', attname, atttypid::regtype), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)
              = 'relation regclass, filenode oid, pages bigint, page bigint, rows bigint, batch integer, started timestamp with time zone,'
                ' seconds double precision, wait oid, root regclass, attribute name'
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
