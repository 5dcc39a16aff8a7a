-- ===== Live conversions: what to call =====

-- Statements that create the indexes of the shadow columns that are not there yet.  A transaction
-- that can see rows as they were before is in conflict with VACUUM, if it runs on a standby, or
-- CREATE INDEX waits for its end.
CREATE FUNCTION _index_steps(key _key) RETURNS SETOF text
LANGUAGE sql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH missing AS MATERIALIZED (
        SELECT s.*, indisvalid
        FROM _shadow_indexes(key) WITH ORDINALITY AS s (relation, shadow, statement, n)
             LEFT JOIN pg_index ON indexrelid = to_regclass(s.shadow)
        WHERE indisvalid IS NOT TRUE
    ), steps (n, step, statement) AS (
        SELECT DISTINCT 0, 1, format('VACUUM (ANALYZE, INDEX_CLEANUP off) %s', c.relation)
        FROM _changing_columns(key) AS c WHERE EXISTS (SELECT FROM missing)
        UNION ALL
        SELECT n, 2, 'DROP INDEX CONCURRENTLY ' || shadow FROM missing WHERE NOT indisvalid
        UNION ALL SELECT n, 3, statement FROM missing
    )
    SELECT statement FROM steps ORDER BY n, step, statement
$$;

-- Statements of a live conversion that remain, up to the exchange of the columns.
CREATE FUNCTION _steps_before_exchange(key _key, max_wait interval, rows_per_second integer,
    node integer, layout snowflake_layout, OUT steps text[])
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    arguments CONSTANT text := format('(%L, %L, %L, %L', key.relation, key.attname, key.to_type,
                                      (1000 * extract(epoch FROM max_wait))::integer || ' ms');
    begun CONSTANT boolean := EXISTS (SELECT FROM _conversions() WHERE key_table = key.relation);
BEGIN
    IF begun THEN
        key := _check_unchanged(key);
    ELSE
        key := _refuse(key, 0);
        steps := ARRAY(SELECT format('CALL objectid_ext_tools._conversion_begin%s)', arguments)
                       WHERE EXISTS (SELECT FROM _changing_columns(key)));
    END IF;
    IF NOT begun OR EXISTS (SELECT FROM _unvalidated(key.relation)) THEN
        -- the statements that validate read all rows to be sure of it
        steps := steps
            || ARRAY(SELECT format('CALL objectid_ext_tools._conversion_fill(%L, %s)',
                                   key.relation, coalesce(rows_per_second::text, 'NULL'))
                     WHERE EXISTS (SELECT FROM _changing_columns(key)))
            || ARRAY(SELECT DISTINCT
                         format('ALTER TABLE %s VALIDATE CONSTRAINT _objectid_ext', relation)
                     FROM _changing_columns(key) ORDER BY 1);
    END IF;
    steps := steps || ARRAY(SELECT _index_steps(key));
    steps := steps || format('CALL objectid_ext_tools._conversion_exchange%s%s)', arguments,
        format(', %s, ', coalesce(node::text, 'NULL')) || quote_literal(layout));
END;
$$;

-- Statements of a live conversion that remain; none if neither a type nor the default changes.
CREATE FUNCTION _conversion_steps(key _key, new_default boolean, max_wait interval,
    rows_per_second integer, node integer, layout snowflake_layout, OUT steps text[])
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET jit = off AS $$
DECLARE
    exchanged boolean;
    later jsonb;
BEGIN
    IF max_wait IS NULL OR max_wait NOT BETWEEN '10 ms' AND '1 hour' OR rows_per_second <= 0 THEN
        RAISE EXCEPTION 'max_wait must be between 10 ms and 1 hour, and rows_per_second must be '
                        'greater than zero'
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF NOT new_default AND NOT EXISTS (SELECT FROM _changing_columns(key))
          AND NOT EXISTS (SELECT FROM _conversions() WHERE key_table = key.relation) THEN
        RETURN;
    END IF;
    key.relation := _claim(key.relation);
    SELECT data::jsonb INTO later
    FROM _conversions() WHERE key_table = key.relation AND data ~ '^[[]';
    exchanged := FOUND;
    IF NOT exchanged THEN
        later := _validations(key);
        steps := _steps_before_exchange(key, max_wait, rows_per_second, node, layout);
    END IF;
    steps := steps
        || ARRAY(SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I', (v ->> 0)::oid::regclass,
                               v ->> 1)
                 FROM jsonb_array_elements(later) AS v
                 WHERE NOT exchanged
                    OR EXISTS (SELECT FROM pg_constraint
                               WHERE conrelid = (v ->> 0)::oid AND conname = v ->> 1
                                 AND NOT convalidated))
        || ARRAY(SELECT format('CALL objectid_ext_tools._conversion_end(%L)', key.relation)
                 WHERE later IS NOT NULL);
END;
$$;

CREATE FUNCTION snowflake_conversion_steps("table" regclass, "column" name, node integer,
    layout snowflake_layout, max_wait interval DEFAULT '1 s', rows_per_second integer DEFAULT NULL,
    OUT step integer, OUT statement text) RETURNS SETOF record
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    key _key := ("table", "column", 'bigint'::regtype);
    new_default CONSTANT boolean := NOT EXISTS (
        SELECT FROM _generator_defaults("table")
        WHERE attname = "column" AND generator = 'next_snowflake');
    highest bigint;
    steps text[];
BEGIN
    IF num_nulls("table", "column", layout) > 0 THEN
        RAISE null_value_not_allowed USING MESSAGE = 'table, column and layout must not be null';
    END IF;
    key := _check_types(_check_owner(key), 'smallint', 'integer', 'bigint');
    IF new_default THEN
        -- for its errors, which would come with the last step otherwise
        EXECUTE format('SELECT %1$s.make_snowflake(clock_timestamp(), coalesce($1,'
                       ' %1$s.snowflake_node_id()), (seqincrement - 1)::integer, $2)'
                       ' FROM pg_sequence WHERE seqrelid = $3', _schema_of())
            USING _node(node, layout), layout, _key_sequence(key);
        highest := _highest_id(key, _key_sequence(key), layout);
    END IF;
    steps := _conversion_steps(key, new_default, max_wait, rows_per_second, node, layout);
    RETURN QUERY SELECT n::integer, s FROM unnest(steps) WITH ORDINALITY AS t (s, n);
END;
$$;
COMMENT ON FUNCTION snowflake_conversion_steps IS
    E'statements for \\gexec of psql that do what convert_to_snowflake() does, or what remains of '
    'it, while the tables are in use; other sessions wait for at most max_wait for the locks of a '
    'step; at most rows_per_second rows of a table are filled; the caller is the owner';

CREATE FUNCTION objectid_conversion_steps("table" regclass, "column" name,
    max_wait interval DEFAULT '1 s', rows_per_second integer DEFAULT NULL, OUT step integer,
    OUT statement text) RETURNS SETOF record
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    to_type CONSTANT regtype := _schema_of() || '.objectid';
    key _key := ("table", "column", to_type);
    steps text[];
BEGIN
    IF num_nulls("table", "column") > 0 THEN
        RAISE null_value_not_allowed USING MESSAGE = 'table and column must not be null';
    END IF;
    key := _check_types(_check_owner(key), 'text', 'varchar', 'bpchar', to_type);
    steps := _conversion_steps(key, false, max_wait, rows_per_second, NULL, NULL);
    RETURN QUERY SELECT n::integer, s FROM unnest(steps) WITH ORDINALITY AS t (s, n);
END;
$$;
COMMENT ON FUNCTION objectid_conversion_steps IS
    'statements that do what convert_to_objectid() does for text, varchar and char, or what '
    'remains of it, as snowflake_conversion_steps() does for convert_to_snowflake()';
