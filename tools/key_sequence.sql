-- ===== Conversions: the sequence of a key, and the default that issues snowflakes =====

-- The sequence of an identity column, or of a default that is nextval() or next_snowflake(); an
-- error if there is none, or if another column uses it.  pg_get_expr() prints the sequence as a
-- literal, with its schema.  Dumps of old servers have nextval('s'::text), where the search_path
-- of each session finds it.
CREATE FUNCTION _key_sequence(key _key, OUT sequence regclass)
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off SET standard_conforming_strings = on AS $body$
DECLARE
    literal CONSTANT text := $re$^(?:nextval[(]|[^(']*next_snowflake[(])$re$
                             || $re$[(]?'((?:[^']|'')*)'(?:::text[)])?::regclass[,)]$re$;
    other record;
BEGIN
    SELECT coalesce(to_regclass(pg_get_serial_sequence(
                        key.relation::text, CASE WHEN attidentity <> '' THEN attname END)),
                    to_regclass(name), to_regclass(quote_ident(nspname) || '.' || name))
        INTO sequence
    FROM pg_attribute
         JOIN pg_class c ON c.oid = attrelid
         JOIN pg_namespace n ON n.oid = relnamespace
         LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum,
         replace(substring(pg_get_expr(adbin, adrelid) FROM literal), '''''', '''') AS name
    WHERE attrelid = key.relation AND attname = key.attname;
    IF sequence IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % has no sequence', key.attname, key.relation
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'It is not an identity column, and its default is not nextval() of '
                           'a sequence.',
                  HINT = 'For a bigint column, ALTER TABLE ... ALTER ... SET DEFAULT '
                         'next_snowflake(...) is enough.';
    END IF;
    IF (SELECT pg_get_userbyid(relowner) <> current_user FROM pg_class WHERE oid = sequence) THEN
        RAISE EXCEPTION 'must be owner of sequence %', sequence
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Use a sequence of the owner of the table.';
    END IF;
    SELECT adrelid::regclass AS relation, attname INTO other
    FROM pg_depend
         JOIN pg_attrdef d ON d.oid = objid
         JOIN pg_attribute a ON a.attrelid = adrelid AND a.attnum = adnum
    WHERE classid = 'pg_attrdef'::regclass
      AND refclassid = 'pg_class'::regclass AND refobjid = sequence
      AND NOT EXISTS (SELECT FROM _key_columns(key) AS k
                      WHERE k.relation = adrelid AND k.attnum = adnum)
    ORDER BY 1, 2 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'sequence % is also used by column "%" of table %',
                sequence, other.attname, other.relation
            USING ERRCODE = 'object_in_use',
                  HINT = 'Use a different sequence for one of the columns.';
    END IF;
END;
$body$;

-- Statements that replace the identity of a column by a sequence of the same name.  Dropping an
-- identity drops its sequence, so another of the same name replaces it.  A default, unlike an
-- identity, requires USAGE on the sequence of those who insert, also by a view of the owner.
CREATE FUNCTION _identity_statements(key _key, sequence regclass, name text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH RECURSIVE old AS (
        SELECT * FROM pg_class JOIN pg_sequence ON seqrelid = oid WHERE oid = sequence
    ), targets (relation) AS (
        SELECT key.relation::oid
        UNION
        SELECT v.oid
        FROM targets
             JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = relation
             JOIN pg_rewrite r ON classid = 'pg_rewrite'::regclass AND r.oid = objid
             JOIN pg_class v ON v.oid = ev_class AND pg_get_userbyid(relowner) = current_user
        WHERE pg_relation_is_updatable(v.oid, false) & 8 <> 0       -- INSERT
    ), changes (step, command) AS (
        SELECT s.* FROM old, LATERAL (VALUES
            (1, format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', key.relation, key.attname)),
            (2, format('CREATE SEQUENCE %s INCREMENT %s CACHE %s', name, seqincrement, seqcache)),
            (3, format('ALTER SEQUENCE %s OWNED BY %s.%I', name, key.relation, key.attname)),
            (4, format('COMMENT ON SEQUENCE %s IS %L', name, obj_description(oid, 'pg_class')))
        ) AS s
        UNION ALL SELECT 3 + p.step, statement FROM _privileges(sequence, 'SEQUENCE ' || name) AS p
        UNION ALL
        SELECT 5, format('GRANT USAGE ON SEQUENCE %s TO %s', name, _grantee(grantee))
        FROM targets,
             LATERAL (SELECT relacl FROM pg_class WHERE oid = relation
                      UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = relation
                     ) AS t (acl), aclexplode(acl)
        WHERE privilege_type = 'INSERT'
    )
    SELECT command FROM changes ORDER BY step, command
$$;

-- The highest id of a column or its sequence; an error if it is above the snowflakes of now.  Ids
-- of the past stay below those to come.  A burst can be ahead of the clock.
CREATE FUNCTION _highest_id(key _key, sequence regclass, layout snowflake_layout,
    OUT highest bigint)
LANGUAGE plpgsql STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET row_security = off AS $$
DECLARE
    present bigint;
BEGIN
    EXECUTE format('SELECT greatest($1, max(%I), 0),'
                   '       %s.snowflake_ceiling(clock_timestamp() + interval ''1 minute'', $2)'
                   ' FROM %s', key.attname, _schema_of(), key.relation)
        INTO highest, present USING pg_sequence_last_value(sequence), layout;
    IF highest > present THEN
        RAISE EXCEPTION 'column "%" of table % has reached %, above the current ids of layout %',
                key.attname, key.relation, highest, layout
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END;
$$;

-- The node to pass; null, for that of the server, only if the layout has nodes.
CREATE FUNCTION _node(node integer, layout snowflake_layout) RETURNS integer
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT coalesce(node, CASE max_node WHEN 0 THEN 0 END) FROM _layout_facts(layout)
$$;

-- Prepares the sequence of a column for snowflakes, and returns it with the default that issues
-- them.  ALTER SEQUENCE ... RESTART is undone by a rollback, setval() is not.  The generator is
-- called once, for its errors, before the tables are rewritten.
CREATE FUNCTION _snowflake_default(key _key, node integer, layout snowflake_layout,
    OUT sequence regclass, OUT generator text) RETURNS record
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    highest bigint;
    name text;
BEGIN
    sequence := _key_sequence(key);
    highest := _highest_id(key, sequence, layout);
    IF EXISTS (SELECT FROM pg_attribute
               WHERE attrelid = key.relation AND attname = key.attname AND attidentity <> '') THEN
        name := (SELECT format('%I.%I', nspname, relname)
                 FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
                 WHERE c.oid = sequence);
        PERFORM _execute_all(VARIADIC ARRAY(SELECT _identity_statements(key, sequence, name)));
        sequence := name::regclass;
    END IF;
    node := _node(node, layout);
    generator := format('%1$s.next_snowflake(%2$L::regclass, %3$s%4$L::%1$s.snowflake_layout)',
                        _schema_of(), sequence, node || ', ', layout);
    EXECUTE format('ALTER SEQUENCE %s AS bigint NO MINVALUE NO MAXVALUE NO CYCLE RESTART %s',
                   sequence, highest + 1);
    EXECUTE 'SELECT ' || generator;
END;
$$;
