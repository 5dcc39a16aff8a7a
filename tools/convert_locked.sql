----------------------------------------------------------------------
-- Conversion of a key under a lock
----------------------------------------------------------------------

-- The foreign keys of the columns that change.  Those of partitions have a parent, and
-- follow it.

CREATE FUNCTION objectid_ext_tools._changing_foreign_keys("table" regclass, "column" name, to_type regtype) RETURNS SETOF pg_constraint
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.*
    FROM pg_constraint c
    WHERE contype = 'f' AND conparentid = 0
      AND EXISTS (SELECT FROM objectid_ext_tools._key_columns("table", "column")
                  WHERE type <> to_type AND (relation = conrelid AND attnum = ANY (conkey) OR relation = confrelid AND attnum = ANY (confkey)))
$$;
COMMENT ON FUNCTION objectid_ext_tools._changing_foreign_keys(regclass, name, regtype) IS 'internal: foreign keys of which a column will change its type';

CREATE FUNCTION objectid_ext_tools._check_key("table" regclass, "column" name, VARIADIC types regtype[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    other record;
BEGIN
    IF NOT EXISTS (SELECT FROM objectid_ext_tools._key_columns("table", "column")) THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
    PERFORM objectid_ext_tools._check_owner("table", "column");
    SELECT * INTO other FROM objectid_ext_tools._key_columns("table", "column") WHERE type <> ALL (types) ORDER BY relation, attnum LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', other.attname, other.relation, other.type
            USING ERRCODE = 'datatype_mismatch', DETAIL = format('Columns of these types can be converted: %s.', array_to_string(types, ', '));
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_key(regclass, name, regtype[]) IS 'internal: an error if the column does not exist, or one that belongs to the key is of none of these types';

-- Writers lock the tables in any order, and the sequence before them or after them, so
-- there is no order without deadlocks.  We wait for the first lock as the caller wants,
-- but for less than deadlock_timeout for each other; if that fails, the subtransaction
-- gives all back, and we begin with what was busy.  Until its table is locked, a key can
-- get another partition or foreign key, so look again.

CREATE FUNCTION objectid_ext_tools._lock_key("table" regclass, "column" name, to_type regtype, sequence regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    timeout text := current_setting('lock_timeout');
    busy text := format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', "table");
    locked text[];
    next text[];
    other record;
BEGIN
    PERFORM objectid_ext_tools._check_isolation();
    <<attempt>>
    LOOP
        BEGIN
            locked := '{}';
            EXECUTE busy;
            locked := ARRAY[busy];
            SET LOCAL lock_timeout = '100ms';
            LOOP
                next := ARRAY(SELECT format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', relation)
                              FROM (SELECT relation FROM objectid_ext_tools._key_columns("table", "column")
                                    UNION
                                    SELECT unnest(ARRAY[conrelid, confrelid]) FROM objectid_ext_tools._changing_foreign_keys("table", "column", to_type)) AS tables
                              UNION
                              SELECT format('ALTER SEQUENCE %s AS bigint', sequence) WHERE sequence IS NOT NULL
                              EXCEPT
                              SELECT unnest(locked));
                EXIT attempt WHEN next = '{}';
                FOREACH busy IN ARRAY next LOOP
                    EXECUTE busy;
                END LOOP;
                locked := locked || next;
            END LOOP;
        EXCEPTION WHEN lock_not_available THEN
            IF locked = '{}' THEN
                RAISE;
            END IF;
        END;
    END LOOP;
    SELECT c.relation, c.key_table INTO other FROM objectid_ext_tools._conversions() AS c JOIN objectid_ext_tools._key_columns("table", "column") AS k ON k.relation = c.relation ORDER BY 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % is in a conversion that has begun while it is in use', other.relation::regclass
            USING ERRCODE = 'object_in_use', HINT = format('Complete that of table %s, or undo it by undo_conversion().', other.key_table::regclass);
    END IF;
    PERFORM set_config('lock_timeout', timeout, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_key(regclass, name, regtype, regclass) IS 'internal: locks all tables that a conversion changes, and a sequence (or null); an error at isolation levels above READ COMMITTED';

CREATE FUNCTION objectid_ext_tools._execute_all(VARIADIC statements text[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    statement text;
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._execute_all(text[]) IS 'internal: executes statements';

-- One ALTER TABLE for each table, which rewrites it once.  Foreign keys are dropped
-- before, and checked once, when all types are changed.

CREATE FUNCTION objectid_ext_tools._change_key_type("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- not an argument of the call, whose text is in the CONTEXT of an error
    commands text[] := ARRAY(
        WITH key AS MATERIALIZED (
            SELECT conrelid::regclass AS relation, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition, obj_description(oid, 'pg_constraint') AS comment, oid
            FROM objectid_ext_tools._changing_foreign_keys("table", "column", to_type)
        ), changes (step, oid, command) AS (
            SELECT 1, oid, format('ALTER TABLE %s DROP CONSTRAINT %s', relation, name) FROM key
            UNION ALL
            SELECT 2, relation, format('ALTER TABLE %s %s', relation, string_agg(format('ALTER COLUMN %1$I TYPE %2$s USING %1$I::%2$s', attname, to_type), ', '))
            FROM objectid_ext_tools._key_columns("table", "column") WHERE type <> to_type AND NOT inherited GROUP BY relation
            UNION ALL
            SELECT 3, oid, format('ALTER TABLE %s ADD CONSTRAINT %s %s', relation, name, definition) FROM key
            UNION ALL
            SELECT 4, oid, format('COMMENT ON CONSTRAINT %s ON %s IS %L', name, relation, comment) FROM key WHERE comment IS NOT NULL
            UNION ALL
            SELECT 5, NULL, f FROM objectid_ext_tools._trigger_functions("table", "column") AS f
        )
        SELECT command FROM changes ORDER BY step, oid);
BEGIN
    PERFORM objectid_ext_tools._execute_all(VARIADIC commands);
EXCEPTION WHEN undefined_function THEN
    RAISE EXCEPTION '%', SQLERRM USING ERRCODE = 'undefined_function',
        HINT = 'A constraint, index or statistics object calls it with a column that changes. Drop it, convert the column, and create it again.';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._change_key_type(regclass, name, regtype) IS 'internal: changes the type of a key, and of all columns that refer to it';

-- pg_get_expr() prints the sequence as a literal, with its schema.

CREATE FUNCTION objectid_ext_tools._key_sequence("table" regclass, "column" name) RETURNS regclass
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $body$
DECLARE
    sequence regclass;
    other record;
BEGIN
    SELECT coalesce(pg_get_serial_sequence("table"::text, CASE WHEN attidentity <> '' THEN attname END),
                    replace(substring(pg_get_expr(adbin, adrelid) FROM $re$^(?:nextval[(]|[^(']*next_snowflake[(])'((?:[^']|'')*)'::regclass[,)]$re$), '''''', ''''))
        INTO sequence
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = "table" AND attname = "column";
    IF sequence IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % has no sequence', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It is not an identity column, and its default is not nextval() of a sequence.',
                  HINT = 'For a bigint column, ALTER TABLE ... ALTER ... SET DEFAULT next_snowflake(...) is enough.';
    END IF;
    IF (SELECT pg_get_userbyid(relowner) <> current_user FROM pg_class WHERE oid = sequence) THEN
        RAISE EXCEPTION 'must be owner of sequence %', sequence
            USING ERRCODE = 'insufficient_privilege', HINT = 'Use a sequence of the owner of the table.';
    END IF;
    SELECT adrelid::regclass AS relation, attname INTO other
    FROM pg_depend JOIN pg_attrdef d ON d.oid = objid JOIN pg_attribute a ON a.attrelid = adrelid AND a.attnum = adnum
    WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = sequence
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._key_columns("table", "column") AS k WHERE k.relation = adrelid AND k.attnum = adnum)
    ORDER BY 1, 2 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'sequence % is also used by column "%" of table %', sequence, other.attname, other.relation
            USING ERRCODE = 'object_in_use', HINT = 'Use a different sequence for one of the columns.';
    END IF;
    RETURN sequence;
END;
$body$;
COMMENT ON FUNCTION objectid_ext_tools._key_sequence(regclass, name) IS 'internal: the sequence of an identity column, or of a default that is nextval() or next_snowflake(); an error if there is none, or if another column uses it';

-- Dropping an identity drops its sequence, so another of the same name replaces it.  A
-- default, unlike an identity, requires USAGE on the sequence of those who insert.

CREATE FUNCTION objectid_ext_tools._replace_identity("table" regclass, "column" name, sequence regclass) RETURNS regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    name text := (SELECT format('%I.%I', nspname, relname) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = sequence);
BEGIN
    PERFORM objectid_ext_tools._execute_all(VARIADIC ARRAY(
        WITH old AS (
            SELECT * FROM pg_class JOIN pg_sequence ON seqrelid = oid WHERE oid = sequence
        ), privilege AS (
            SELECT grantee, privilege_type FROM old, aclexplode(relacl) WHERE grantee <> relowner
            UNION
            SELECT grantee, 'USAGE'
            FROM (SELECT relacl FROM pg_class WHERE oid = "table" UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = "table") AS t (acl), aclexplode(acl)
            WHERE privilege_type = 'INSERT'
        ), changes (step, command) AS (
            SELECT s.* FROM old, LATERAL (VALUES
                (1, format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', "table", "column")),
                (2, format('CREATE SEQUENCE %s INCREMENT %s CACHE %s', name, seqincrement, seqcache)),
                (3, format('ALTER SEQUENCE %s OWNER TO %s', name, relowner::regrole)),
                (4, format('ALTER SEQUENCE %s OWNED BY %s.%I', name, "table", "column")),
                (5, format('COMMENT ON SEQUENCE %s IS %L', name, obj_description(oid, 'pg_class')))) AS s
            UNION ALL
            SELECT 5, format('REVOKE ALL ON SEQUENCE %s FROM %s', name, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
            FROM old JOIN pg_default_acl ON defaclrole = quote_ident(current_user)::regrole AND defaclobjtype = 'S' AND defaclnamespace IN (0, relnamespace), aclexplode(defaclacl) WHERE grantee <> relowner
            UNION ALL
            SELECT 6, format('GRANT %s ON SEQUENCE %s TO %s', privilege_type, name, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
            FROM privilege
        )
        SELECT command FROM changes ORDER BY step, command));
    RETURN name::regclass;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._replace_identity(regclass, name, regclass) IS 'internal: replaces the identity of a column by a sequence of the same name, which it returns';

-- Ids of the past stay below those to come.  A burst can be ahead of the clock.

CREATE FUNCTION objectid_ext_tools._highest_id("table" regclass, "column" name, sequence regclass, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    highest bigint;
    present bigint;
BEGIN
    EXECUTE format('SELECT greatest($1, max(%I), 0), %s.snowflake_ceiling(clock_timestamp() + interval ''1 minute'', $2) FROM %s', "column", objectid_ext_tools._ids_schema(), "table")
        INTO highest, present USING pg_sequence_last_value(sequence), layout;
    IF highest > present THEN
        RAISE EXCEPTION 'column "%" of table % has reached %, above the current ids of layout %', "column", "table", highest, layout
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN highest;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._highest_id(regclass, name, regclass, snowflake_layout) IS 'internal: the highest id of a column or its sequence; an error if it is above the snowflakes of now';

-- ALTER SEQUENCE ... RESTART is undone by a rollback, setval() is not.  The generator is
-- called once, for its errors, before the tables are rewritten.

CREATE FUNCTION objectid_ext_tools._snowflake_default("table" regclass, "column" name, node integer, layout snowflake_layout, OUT sequence regclass, OUT generator text) RETURNS record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    highest bigint;
BEGIN
    sequence := objectid_ext_tools._key_sequence("table", "column");
    highest := objectid_ext_tools._highest_id("table", "column", sequence, layout);
    IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attidentity <> '') THEN
        sequence := objectid_ext_tools._replace_identity("table", "column", sequence);
    END IF;
    generator := format('%1$s.next_snowflake(%2$L::regclass, %3$s%4$L::%1$s.snowflake_layout)', objectid_ext_tools._ids_schema(), sequence, node || ', ', layout);
    EXECUTE format('ALTER SEQUENCE %s AS bigint NO MINVALUE NO MAXVALUE NO CYCLE RESTART %s', sequence, highest + 1);
    EXECUTE 'SELECT ' || generator;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._snowflake_default(regclass, name, integer, snowflake_layout) IS 'internal: prepares the sequence of a column for snowflakes, and returns it with the default that issues them';

CREATE FUNCTION objectid_ext_tools.convert_to_snowflake("table" regclass, "column" name, node integer, layout snowflake_layout) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    new record;
BEGIN
    IF num_nulls("table", "column", layout) > 0 THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_key("table", "column", 'smallint', 'integer', 'bigint');
    PERFORM objectid_ext_tools._lock_key("table", "column", 'bigint', objectid_ext_tools._key_sequence("table", "column"));
    -- what can have changed meanwhile
    PERFORM objectid_ext_tools._check_key("table", "column", 'smallint', 'integer', 'bigint');
    new := objectid_ext_tools._snowflake_default("table", "column", node, layout);
    PERFORM objectid_ext_tools._change_key_type("table", "column", 'bigint');
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT %s', "table", "column", new.generator);
    RETURN new.sequence;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.convert_to_snowflake(regclass, name, integer, snowflake_layout) IS 'makes snowflakes the default of a serial, identity or nextval() column, for a node (null: that of the server), on the same sequence, which it returns; the column and all that refer to it become bigint; ids stay; the tables are locked; the caller is their owner; an error at isolation levels above READ COMMITTED';

CREATE FUNCTION objectid_ext_tools.convert_to_objectid("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET jit = off
AS $$
DECLARE
    to_type regtype := (objectid_ext_tools._ids_schema() || '.objectid')::regtype;
BEGIN
    PERFORM objectid_ext_tools._lock_key("table", "column", to_type, NULL);
    PERFORM objectid_ext_tools._check_key("table", "column", 'text', 'varchar', 'bpchar', 'bytea', 'jsonb', to_type);
    PERFORM objectid_ext_tools._change_key_type("table", "column", to_type);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.convert_to_objectid(regclass, name) IS 'changes a text, varchar, char, bytea or jsonb column, and all that refer to it, to objectid; an error if a value is not a valid id; the tables are locked; the caller is their owner; an error at isolation levels above READ COMMITTED';
