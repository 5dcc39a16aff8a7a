----------------------------------------------------------------------
-- Live conversions: what to call
----------------------------------------------------------------------

-- The statements that remain, by what the schema shows

CREATE FUNCTION objectid_ext_tools._conversion_steps("table" regclass, "column" name, to_type regtype, max_wait interval, rows_per_second integer, node integer, layout snowflake_layout) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    call CONSTANT text := format('CALL objectid_ext_tools.%%s(%L', replace("table"::text, '%', '%%'));
    key CONSTANT text := format(', %L, %L, %L', "column", to_type, (1000 * extract(epoch FROM max_wait))::integer || ' ms');
    exchanged regprocedure;
    later jsonb;
    begun boolean;
    vacuumed boolean := false;
    each record;
BEGIN
    IF max_wait IS NULL OR max_wait NOT BETWEEN '10 ms' AND '1 hour' OR rows_per_second <= 0 THEN
        RAISE EXCEPTION 'longest wait must be from 10 ms to 1 hour, and rows per second must be greater than zero' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM objectid_ext_tools._claim("table");
    SELECT function, data::jsonb INTO exchanged, later FROM objectid_ext_tools._conversions() WHERE key_table = "table" AND data ~ '^[[]';
    IF exchanged IS NULL THEN
        later := (SELECT jsonb_agg(ARRAY[relation::oid::text, constraint_name]) FROM objectid_ext_tools._validations("table", "column", to_type));
        begun := EXISTS (SELECT FROM objectid_ext_tools._conversions() WHERE key_table = "table");
        IF begun THEN
            PERFORM objectid_ext_tools._check_unchanged("table", "column", to_type);
        ELSE
            PERFORM objectid_ext_tools._refuse("table", "column", to_type, 0);
        END IF;
        IF NOT begun AND EXISTS (SELECT FROM objectid_ext_tools._shadows("table", "column", to_type)) THEN
            RETURN NEXT format(call, '_conversion_begin') || key || ')';
        END IF;
        IF NOT begun OR EXISTS (SELECT FROM objectid_ext_tools._unvalidated("table")) THEN
            RETURN QUERY SELECT format(call, '_conversion_fill') || format(', %s)', coalesce(rows_per_second::text, 'NULL')) WHERE EXISTS (SELECT FROM objectid_ext_tools._shadows("table", "column", to_type));
            RETURN QUERY SELECT DISTINCT format('ALTER TABLE %s VALIDATE CONSTRAINT _objectid_ext', relation) FROM objectid_ext_tools._shadows("table", "column", to_type) ORDER BY 1;
        END IF;
        -- A transaction that can see rows as they were before is in conflict with VACUUM, if it
        -- runs on a standby, or CREATE INDEX waits for its end.
        FOR each IN SELECT s.*, indisvalid FROM objectid_ext_tools._shadow_indexes("table", "column", to_type) AS s LEFT JOIN pg_index ON indexrelid = to_regclass(s.shadow) WHERE indisvalid IS NOT TRUE LOOP
            IF NOT vacuumed THEN
                RETURN QUERY SELECT DISTINCT format('VACUUM (ANALYZE, INDEX_CLEANUP off) %s', relation) FROM objectid_ext_tools._shadows("table", "column", to_type) ORDER BY 1;
                vacuumed := true;
            END IF;
            IF NOT each.indisvalid THEN
                RETURN NEXT 'DROP INDEX CONCURRENTLY ' || each.shadow;
            END IF;
            RETURN NEXT each.statement;
        END LOOP;
        RETURN NEXT format(call, '_conversion_finish') || key || CASE WHEN layout IS NOT NULL THEN format(', %s, %L', coalesce(node::text, 'NULL'), layout) ELSE '' END || ')';
    END IF;
    RETURN QUERY SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', (v ->> 0)::oid::regclass, v ->> 1) FROM jsonb_array_elements(later) AS v
                 WHERE exchanged IS NULL OR EXISTS (SELECT FROM pg_constraint WHERE conrelid = (v ->> 0)::oid AND conname = v ->> 1 AND NOT convalidated);
    IF later IS NOT NULL THEN
        RETURN NEXT format(call, '_conversion_end') || ')';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._conversion_steps(regclass, name, regtype, interval, integer, integer, snowflake_layout) IS 'internal: statements of a live conversion that remain';

CREATE FUNCTION objectid_ext_tools._check_types("table" regclass, "column" name, from_types regtype[], to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0) THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
    SELECT * INTO other FROM objectid_ext_tools._shadows("table", "column", to_type) WHERE type <> ALL (from_types) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', other.attname, other.relation, other.type
            USING ERRCODE = 'datatype_mismatch', DETAIL = format('Columns of these types can be converted: %s.', array_to_string(from_types || to_type, ', '));
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_types(regclass, name, regtype[], regtype) IS 'internal: an error if the column does not exist, or one that changes is of another type';

CREATE FUNCTION objectid_ext_tools._has_snowflakes("table" regclass, "column" name) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM pg_attribute JOIN pg_attrdef d ON adrelid = attrelid AND adnum = attnum
                       JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = d.oid AND refclassid = 'pg_proc'::regclass JOIN pg_proc p ON p.oid = refobjid
                   WHERE attrelid = "table" AND attname = "column" AND proname = 'next_snowflake' AND pronamespace::regnamespace::text = objectid_ext_tools._ids_schema())
$$;
COMMENT ON FUNCTION objectid_ext_tools._has_snowflakes(regclass, name) IS 'internal: is the default of a column next_snowflake()?';

CREATE FUNCTION objectid_ext_tools.snowflake_conversion_steps(
    "table" regclass, "column" name, node integer, layout snowflake_layout,
    max_wait interval DEFAULT '1 s', rows_per_second integer DEFAULT NULL,
    OUT step integer, OUT statement text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF num_nulls("table", "column", layout) > 0 THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_owner("table", "column");
    PERFORM objectid_ext_tools._check_types("table", "column", '{smallint,integer}', 'bigint');
    IF NOT objectid_ext_tools._has_snowflakes("table", "column") THEN
        -- for its errors, which would come with the last step otherwise
        EXECUTE format('SELECT %1$s.make_snowflake(clock_timestamp(), coalesce($1, %1$s.snowflake_node_id()), 0, $2)', objectid_ext_tools._ids_schema()) USING node, layout;
        PERFORM objectid_ext_tools._highest_id("table", "column", objectid_ext_tools._key_sequence("table", "column"), layout);
    ELSIF NOT EXISTS (SELECT FROM objectid_ext_tools._conversions() WHERE key_table = "table") AND NOT EXISTS (SELECT FROM objectid_ext_tools._shadows("table", "column", 'bigint')) THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT n::integer, s FROM objectid_ext_tools._conversion_steps("table", "column", 'bigint', max_wait, rows_per_second, node, layout) WITH ORDINALITY AS t (s, n);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.snowflake_conversion_steps(regclass, name, integer, snowflake_layout, interval, integer) IS E'statements that do what convert_to_snowflake() does, or what remains of it, while the tables are in use, for \\gexec of psql; other sessions wait for at most max_wait until the locks of a step are granted; at most rows_per_second rows of a table are filled; the caller is the owner of the tables; an error if something prevents it';

CREATE FUNCTION objectid_ext_tools.objectid_conversion_steps(
    "table" regclass, "column" name,
    max_wait interval DEFAULT '1 s', rows_per_second integer DEFAULT NULL,
    OUT step integer, OUT statement text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    to_type CONSTANT regtype := objectid_ext_tools._ids_schema() || '.objectid';
BEGIN
    IF num_nulls("table", "column") > 0 THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_owner("table", "column");
    PERFORM objectid_ext_tools._check_types("table", "column", '{text,varchar,bpchar}', to_type);
    IF NOT EXISTS (SELECT FROM objectid_ext_tools._conversions() WHERE key_table = "table")
       AND NOT EXISTS (SELECT FROM objectid_ext_tools._shadows("table", "column", to_type)) THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT n::integer, s FROM objectid_ext_tools._conversion_steps("table", "column", to_type, max_wait, rows_per_second, NULL, NULL) WITH ORDINALITY AS t (s, n);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.objectid_conversion_steps(regclass, name, interval, integer) IS E'statements that do what convert_to_objectid() does for text, varchar and char, or what remains of it, while the tables are in use, for \\gexec of psql; other sessions wait for at most max_wait until the locks of a step are granted; at most rows_per_second rows of a table are filled; the caller is the owner of the tables; an error if something prevents it';

CREATE FUNCTION objectid_ext_tools.conversion_plan("table" regclass, "column" name, OUT item text, OUT relation regclass, OUT detail text) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    snowflake CONSTANT boolean := (SELECT atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0);
    to_type CONSTANT regtype := CASE WHEN snowflake THEN 'bigint' ELSE objectid_ext_tools._ids_schema() || '.objectid' END;
    message text;
    hint text;
BEGIN
    IF num_nulls("table", "column") > 0 THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_types("table", "column", CASE WHEN snowflake THEN '{smallint,integer,bigint}'::regtype[] ELSE '{text,varchar,bpchar,bytea,jsonb}' END, to_type);
    RETURN QUERY SELECT 'column', s.relation, format('"%s": %s becomes %s', attname, type, to_type) FROM objectid_ext_tools._shadows("table", "column", to_type) AS s;
    RETURN QUERY SELECT 'index', i.relation, format('"%s"', name) FROM objectid_ext_tools._key_indexes("table", "column", to_type) AS i;
    RETURN QUERY SELECT CASE contype WHEN 'f' THEN 'foreign key' ELSE 'check' END, conrelid::regclass, format('"%s"', conname) FROM objectid_ext_tools._key_constraints("table", "column", to_type) WHERE contype IN ('f', 'c') ORDER BY contype DESC, 2, conname;
    RETURN QUERY SELECT 'view', view, 'It is dropped by the last step, and created again' || CASE WHEN snowflake THEN '.' ELSE ', which fails if it uses what the new type does not have, such as LIKE.' END FROM objectid_ext_tools._key_views("table", "column", to_type) JOIN pg_class c ON c.oid = view
                 WHERE relkind = 'v' AND relowner = quote_ident(current_user)::regrole ORDER BY depth, view;
    RETURN QUERY SELECT 'space', r.relation, format('%s more while it is in use, %s under a lock', pg_size_pretty(pg_table_size(r.relation) + i.size), pg_size_pretty(pg_total_relation_size(r.relation)))
                 FROM (SELECT DISTINCT s.relation FROM objectid_ext_tools._shadows("table", "column", to_type) AS s) AS r,
                      LATERAL (SELECT coalesce(sum(pg_relation_size(index)), 0)::bigint FROM objectid_ext_tools._key_indexes("table", "column", to_type) AS k WHERE k.relation = r.relation) AS i (size);
    RETURN QUERY SELECT 'may refer to it', u.relation, u.detail FROM objectid_ext_tools._untold_references("table", "column", to_type) AS u;
    RETURN QUERY SELECT CASE WHEN late THEN 'refused in the last step' ELSE 'refused while in use' END, r.relation, r.reason || '. ' || r.hint FROM objectid_ext_tools._refusals("table", "column", to_type) AS r;
    BEGIN
        PERFORM objectid_ext_tools._check_owner("table", "column");
        RETURN QUERY SELECT 'refused', r.relation, r.reason || '. ' || r.hint FROM objectid_ext_tools._value_refusals("table", "column", to_type) AS r;
        IF snowflake THEN
            PERFORM objectid_ext_tools._key_sequence("table", "column");
        END IF;
        PERFORM objectid_ext_tools._shadow_indexes("table", "column", to_type);
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
        RETURN QUERY SELECT 'refused', "table", concat_ws('. ', message, nullif(hint, ''));
    END;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.conversion_plan(regclass, name) IS 'what a conversion of a column to snowflakes or ObjectIds would change, the space that it needs, what may refer to the column without a foreign key, and all that prevents the conversion; changes nothing, but uses temporary tables';

CREATE VIEW objectid_ext_tools.conversion_progress AS
    SELECT c.key_table::pg_catalog.regclass AS conversion, c.relation,
           CASE WHEN pg_catalog.starts_with(c.data, '['::text) THEN 'validating foreign keys' WHEN u.relation IS NOT NULL THEN 'filling' ELSE 'creating indexes' END AS phase,
           (SELECT pg_catalog.max(pg_catalog."substring"(a.application_name, '[0-9]+%$'::text)) FROM pg_catalog.pg_stat_activity AS a
            WHERE pg_catalog.starts_with(a.application_name, (SELECT pg_catalog.format('objectid_ext_tools: %I.%I '::text, n.nspname, t.relname)
                   FROM pg_catalog.pg_class AS t JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.relnamespace WHERE t.oid OPERATOR(pg_catalog.=) c.relation))) AS filled
    FROM objectid_ext_tools._conversions() AS c
         LEFT JOIN (SELECT x.relation FROM (SELECT DISTINCT k.key_table FROM objectid_ext_tools._conversions() AS k) AS keys,
                    LATERAL objectid_ext_tools._unvalidated(keys.key_table::pg_catalog.regclass) AS x) AS u ON u.relation OPERATOR(pg_catalog.=) c.relation
    WHERE c.relation IS NOT NULL;
COMMENT ON VIEW objectid_ext_tools.conversion_progress IS 'live conversions that are not complete: the table of the key, each table that takes part, what remains to be done with it, and while it is filled, how much of it has been searched';
GRANT SELECT ON objectid_ext_tools.conversion_progress TO PUBLIC;
