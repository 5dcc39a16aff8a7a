-- ===== Conversion of a key under a lock =====

-- The key, when all that a conversion changes is locked, and a sequence (or null); an error at
-- isolation levels above READ COMMITTED.  Writers lock the tables in any order, and the sequence
-- before them or after them, so there is no order without deadlocks.  We wait for the first lock as
-- the caller wants, but for less than deadlock_timeout for each other; if that fails, the
-- subtransaction gives all back, and we begin with what was busy.  Until its table is locked, a key
-- can get another partition or foreign key, so look again.
CREATE FUNCTION _lock_key(key _key, sequence regclass) RETURNS _key
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    timeout text := current_setting('lock_timeout');
    busy regclass := _check_isolation(key.relation);
    locked regclass[];
    next regclass[];
    other record;
BEGIN
    <<attempt>>
    LOOP
        BEGIN
            locked := '{}';
            PERFORM _lock_exclusively(busy);
            locked := ARRAY[busy];
            SET LOCAL lock_timeout = '100ms';
            LOOP
                next := ARRAY(
                    (SELECT relation FROM _key_columns(key)
                     UNION
                     SELECT unnest(ARRAY[conrelid, confrelid]) FROM _changing_foreign_keys(key)
                     UNION SELECT view FROM _changing_views(key) WHERE owned
                     UNION SELECT sequence WHERE sequence IS NOT NULL)
                    EXCEPT SELECT unnest(locked));
                EXIT attempt WHEN next = '{}';
                FOREACH busy IN ARRAY next LOOP
                    PERFORM _lock_exclusively(busy);
                END LOOP;
                locked := locked || next;
            END LOOP;
        EXCEPTION WHEN lock_not_available THEN
            IF locked = '{}' THEN
                RAISE;
            END IF;
        END;
    END LOOP;
    SELECT c.relation, c.key_table INTO other
    FROM _conversions() AS c JOIN _key_columns(key) AS k ON k.relation = c.relation
    ORDER BY 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'a conversion in steps of table % is in progress', other.relation
            USING ERRCODE = 'object_in_use',
                  HINT = format('Complete that of table %s, or undo it by undo_conversion().',
                                other.key_table::regclass);
    END IF;
    PERFORM set_config('lock_timeout', timeout, true);
    RETURN key;
END;
$$;

-- The key; an error if something prevents a conversion under a lock that ALTER TABLE does not tell.
CREATE FUNCTION _check_locked(key _key) RETURNS _key
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    refusal _refusal;
BEGIN
    SELECT * INTO refusal FROM (
        SELECT * FROM _impossible(key) UNION ALL SELECT * FROM _view_refusals(key)
        UNION ALL SELECT * FROM _try_views(key)) AS r ORDER BY relation, reason LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % cannot be converted', key.attname, key.relation
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = refusal.hint,
                  DETAIL = format('%s: %s.', refusal.relation, refusal.reason);
    END IF;
    RETURN key;
END;
$$;

-- Statements that change the type of a key, and of all columns that refer to it.  One ALTER TABLE
-- for each table, which rewrites it once.  Foreign keys are dropped before, and checked once,
-- when all types are changed.
CREATE FUNCTION _type_statements(key _key) RETURNS SETOF text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH foreign_keys AS MATERIALIZED (
        SELECT conrelid::regclass AS relation, quote_ident(conname) AS name, oid,
               pg_get_constraintdef(oid) AS definition,
               obj_description(oid, 'pg_constraint') AS comment
        FROM _changing_foreign_keys(key)
    ), statements (step, oid, statement) AS (
        SELECT 2, relation,
               format('ALTER TABLE %s %s', relation,
                      string_agg(format('ALTER COLUMN %1$I TYPE %2$s USING %1$I::%2$s',
                                        attname, key.to_type), ', '))
        FROM _key_columns(key)
        WHERE type <> key.to_type AND NOT inherited
        GROUP BY relation
        UNION ALL
        SELECT step, oid, statement FROM foreign_keys, LATERAL (VALUES
            (1, format('ALTER TABLE %s DROP CONSTRAINT %s', relation, name)),
            (3, format('ALTER TABLE %s ADD CONSTRAINT %s %s', relation, name, definition)),
            (4, format('COMMENT ON CONSTRAINT %s ON %s IS ', name, relation)
                || quote_literal(comment))) AS v (step, statement)
        UNION ALL SELECT 5, NULL, f FROM _trigger_functions(key) AS f
    ), of_all AS (
        SELECT step, row_number() OVER (ORDER BY oid) AS place, statement FROM statements
        UNION ALL
        SELECT CASE step WHEN 1 THEN 0 ELSE step END, row_number() OVER (), statement
        FROM _view_statements(key)
    )
    SELECT statement FROM of_all ORDER BY step, place
$$;

-- Changes the type of a key, and of all columns that refer to it.
CREATE FUNCTION _change_key_type(key _key) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    -- not an argument of the call, whose text is in the CONTEXT of an error
    statements text[] := ARRAY(SELECT _type_statements(key));
BEGIN
    PERFORM _execute_all(VARIADIC statements);
EXCEPTION WHEN undefined_function THEN
    RAISE EXCEPTION '%', SQLERRM
        USING ERRCODE = 'undefined_function',
              HINT = 'A constraint, index, statistics object or view calls it with a column that '
                     'changes. Drop it, convert the column, and create it again in a form that '
                     'accepts the new type, if it is still needed.';
END;
$$;

CREATE FUNCTION convert_to_snowflake("table" regclass, "column" name, node integer,
    layout snowflake_layout) RETURNS regclass
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET jit = off AS $$
DECLARE
    key _key := ("table", "column", 'bigint'::regtype);
    new record;
BEGIN
    IF num_nulls("table", "column", layout) > 0 THEN
        RAISE null_value_not_allowed USING MESSAGE = 'table, column and layout must not be null';
    END IF;
    key := _check_types(_check_owner(key), 'smallint', 'integer', 'bigint');
    key := _lock_key(key, _key_sequence(key));
    -- what can have changed meanwhile
    key := _check_types(_check_owner(key), 'smallint', 'integer', 'bigint');
    key := _check_locked(key);
    new := _snowflake_default(key, node, layout);
    PERFORM _change_key_type(key);
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', "table", "column",
                   new.generator);
    RETURN new.sequence;
END;
$$;
COMMENT ON FUNCTION convert_to_snowflake IS
    'makes snowflakes the default of a serial, identity or nextval() column, for a node (null: '
    'that of the server), on the same sequence, which it returns; the column and all that refer to '
    'it become bigint; ids stay; the tables are locked; the caller is their owner';

CREATE FUNCTION convert_to_objectid("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET jit = off AS $$
DECLARE
    to_type CONSTANT regtype := _schema_of() || '.objectid';
    key _key := ("table", "column", to_type);
BEGIN
    key := _lock_key(key, NULL);
    key := _check_types(_check_owner(key), 'text', 'varchar', 'bpchar', 'bytea', 'jsonb', to_type);
    PERFORM _change_key_type(_check_locked(key));
END;
$$;
COMMENT ON FUNCTION convert_to_objectid IS
    'changes a text, varchar, char, bytea or jsonb column, and all that refer to it, to objectid; '
    'an error if a value is not a valid id; the tables are locked; the caller is their owner';
