----------------------------------------------------------------------
-- Existing tables: from integers to snowflakes, under a lock
----------------------------------------------------------------------

-- Whoever inserts through a view uses the default with his own rights.  That the view
-- or rule inserts, and not only reads, is not looked at, but its owner must be allowed
-- to insert: anyone can create a view, and grant INSERT on it.

CREATE FUNCTION objectid_ext_tools._insert_targets("table" regclass) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE target (oid) AS (
        SELECT "table"::oid
        UNION
        SELECT relid FROM pg_partition_tree("table")
        UNION
        SELECT ev_class
        FROM target JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = target.oid AND classid = 'pg_rewrite'::regclass
             JOIN pg_rewrite r ON r.oid = objid JOIN pg_class c ON c.oid = ev_class
        WHERE (ev_type = '3' OR relkind = 'v') AND (has_table_privilege(relowner, target.oid, 'INSERT') OR has_any_column_privilege(relowner, target.oid, 'INSERT'))
    )
    SELECT oid FROM target
$$;
COMMENT ON FUNCTION objectid_ext_tools._insert_targets(regclass) IS 'internal: relations into which an INSERT can insert rows of a table: the table, its partitions, views and tables with rules';

-- Dropping an identity drops its sequence.  So create one with the same name,
-- options, owner, comment and privileges, and grant USAGE to all roles that can
-- insert.

CREATE FUNCTION objectid_ext_tools._replace_identity("table" regclass, "column" name, seq regclass) RETURNS regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    old pg_class;
    options pg_sequence;
    full_name text;
    comment text := obj_description(seq, 'pg_class');
    each record;
    grantee text;
BEGIN
    SELECT * INTO old FROM pg_class WHERE oid = seq;
    SELECT * INTO options FROM pg_sequence WHERE seqrelid = seq;
    full_name := format('%I.%I', (SELECT nspname FROM pg_namespace n WHERE n.oid = old.relnamespace), old.relname);

    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', "table", "column");
    EXECUTE format('CREATE %s SEQUENCE %s AS bigint INCREMENT %s MINVALUE %s START %s CACHE %s',
                   CASE old.relpersistence WHEN 'u' THEN 'UNLOGGED' WHEN 't' THEN 'TEMPORARY' END,
                   full_name, options.seqincrement, options.seqmin, options.seqstart, options.seqcache);
    EXECUTE format('ALTER SEQUENCE %s OWNER TO %I', full_name, pg_get_userbyid(old.relowner));
    EXECUTE format('ALTER SEQUENCE %s OWNED BY %s.%I', full_name, "table", "column");
    EXECUTE format('COMMENT ON SEQUENCE %s IS %L', full_name, comment);

    -- first revoke privileges that came from ALTER DEFAULT PRIVILEGES
    FOR each IN
        SELECT 'REVOKE ALL ON SEQUENCE %s FROM %s' AS statement, a.*
        FROM pg_class, aclexplode(relacl) a WHERE oid = full_name::regclass
        UNION ALL
        SELECT 'GRANT ' || privilege_type || ' ON SEQUENCE %s TO %s' || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, a.*
        FROM aclexplode(coalesce(old.relacl, acldefault('s', old.relowner))) a
        UNION ALL
        -- an identity requires no privilege on the sequence, a default does
        SELECT 'GRANT USAGE ON SEQUENCE %s TO %s', a.*
        FROM (SELECT oid, relacl FROM pg_class UNION ALL SELECT attrelid, attacl FROM pg_attribute) t (relation, acl), aclexplode(acl) a
        WHERE relation IN (SELECT objectid_ext_tools._insert_targets("table")) AND privilege_type = 'INSERT'
    LOOP
        grantee := CASE each.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(each.grantee)) END;
        EXECUTE format(each.statement, full_name, grantee);
    END LOOP;
    RETURN full_name::regclass;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._replace_identity(regclass, name, regclass) IS 'internal: replaces the identity of a column by an ordinary sequence that the column owns; returns the sequence';

-- The sequence of an identity column, or of a default that is nextval().  The
-- settings determine how pg_get_expr() prints names and literals.

CREATE FUNCTION objectid_ext_tools._sequence_of("table" regclass, "column" name) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
    SELECT coalesce(
        (SELECT s.oid
         FROM pg_class s JOIN pg_depend ON objid = s.oid AND classid = 'pg_class'::regclass AND deptype = 'i'
         WHERE s.relkind = 'S' AND refclassid = 'pg_class'::regclass AND refobjid = attrelid AND refobjsubid = attnum),
        (SELECT s.oid
         FROM pg_attrdef d
              JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = d.oid AND refclassid = 'pg_class'::regclass
              JOIN pg_class s ON s.oid = refobjid AND s.relkind = 'S'
         WHERE d.adrelid = attrelid AND d.adnum = attnum
           AND pg_get_expr(adbin, adrelid) = format('nextval(''%s''::regclass)', replace(s.oid::regclass::text, '''', ''''''))))::regclass
    FROM pg_attribute
    WHERE attrelid = "table" AND attname = "column"
$$;
COMMENT ON FUNCTION objectid_ext_tools._sequence_of(regclass, name) IS 'internal: the sequence of a column, or NULL';

-- The new default replaces the old one, also in all partitions and children.  It
-- must not accept values that were rejected before, nor replace a default that
-- differs from the parent's.

CREATE FUNCTION objectid_ext_tools._default_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE heir (oid) AS (
        SELECT inhrelid FROM pg_inherits WHERE inhparent = "table"
        UNION
        SELECT inhrelid FROM heir JOIN pg_inherits ON inhparent = oid
    )
    SELECT "table", 'object_not_in_prerequisite_state', format('column "%s" of table %s is GENERATED ALWAYS', "column", "table"),
           'The conversion replaces the identity with a default, which does not reject explicit values.',
           format('Use ALTER TABLE %s ALTER COLUMN %I SET GENERATED BY DEFAULT before the conversion.', "table", "column")
    FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attidentity = 'a'
    UNION ALL
    SELECT heir.oid::regclass, 'object_not_in_prerequisite_state', format('column "%s" of table %s has its own default', "column", heir.oid::regclass),
           format('The new default of table %s replaces it.', "table"),
           format('Use ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT before the conversion.', heir.oid::regclass, "column")
    FROM heir JOIN pg_attribute c ON c.attrelid = heir.oid AND c.attname = "column"
         JOIN pg_attrdef d ON d.adrelid = c.attrelid AND d.adnum = c.attnum
    WHERE pg_get_expr(d.adbin, d.adrelid) IS DISTINCT FROM
          (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
           WHERE adrelid = "table" AND attname = "column")
$$;
COMMENT ON FUNCTION objectid_ext_tools._default_obstacles(regclass, name) IS 'internal: identities and defaults of a column that another default cannot replace';

CREATE FUNCTION objectid_ext_tools._sequence_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH seq (oid) AS MATERIALIZED (
        SELECT objectid_ext_tools._sequence_of("table", "column")
    )
    SELECT "table", 'object_not_in_prerequisite_state', format('column "%s" of table %s has no sequence', "column", "table"),
           'It is not an identity column, and its default is not nextval() of a sequence.', NULL
    FROM seq WHERE oid IS NULL
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('sequence %s is descending', oid), NULL, NULL
    FROM seq JOIN pg_sequence ON seqrelid = oid WHERE seqincrement < 0
    UNION ALL
    SELECT "table", 'object_not_in_prerequisite_state', format('sequence %s is also used by column "%s" of table %s', seq.oid, attname, adrelid::regclass), NULL,
           'Use a different sequence for one of the columns.'
    FROM seq JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = seq.oid
         JOIN pg_attrdef d ON d.oid = objid
         JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
    WHERE NOT EXISTS (SELECT FROM objectid_ext_tools._referring_columns("table", "column") r WHERE r.relation = adrelid AND r.attribute = attname)
       OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attidentity <> '')
    UNION ALL
    SELECT "table", 'dependent_objects_still_exist', format('sequence %s is used by %s', seq.oid, object),
           'The conversion replaces the identity of the column, and drops its sequence.', 'Drop it, convert the column, and create it again.'
    FROM seq JOIN pg_attribute ON attrelid = "table" AND attname = "column" AND attidentity <> '',
         LATERAL (SELECT DISTINCT pg_describe_object(classid, objid, objsubid) FROM pg_depend
                  WHERE refclassid = 'pg_class'::regclass AND refobjid = seq.oid AND classid <> 'pg_attrdef'::regclass) AS d (object)
    UNION ALL
    SELECT "table", 'insufficient_privilege', format('must be owner of sequence %s', s.relname), format('It belongs to role "%s".', pg_get_userbyid(s.relowner)), NULL
    FROM seq JOIN pg_class s USING (oid), pg_class t
    WHERE t.oid = "table" AND NOT pg_has_role(s.relowner, 'USAGE') AND pg_has_role(t.relowner, 'USAGE')
$$;
COMMENT ON FUNCTION objectid_ext_tools._sequence_obstacles(regclass, name) IS 'internal: what prevents that the sequence of a column continues with snowflakes';

-- By OID: if it were read by name, its owner could put a view in its place while we
-- wait for a lock.  PostgreSQL keeps the lock until the end of the transaction.

CREATE FUNCTION objectid_ext_tools._last_value(seq regclass) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT has_sequence_privilege(seq, 'SELECT, USAGE') THEN
        RAISE EXCEPTION 'permission denied for sequence %', (SELECT relname FROM pg_class WHERE oid = seq) USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN (SELECT coalesce(pg_sequence_last_value(seqrelid), seqstart) FROM pg_sequence WHERE seqrelid = seq);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._last_value(regclass) IS 'internal: last value of a sequence, or the first if it has not been used; locks the sequence';

CREATE FUNCTION objectid_ext_tools._highest_id("table" regclass, "column" name) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    highest bigint;
BEGIN
    EXECUTE format('SELECT greatest($1, max(%I)) FROM %s', "column", "table")
        INTO highest USING objectid_ext_tools._last_value(objectid_ext_tools._sequence_of("table", "column"));
    RETURN highest;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._highest_id(regclass, name) IS 'internal: the highest id of a column or its sequence, including those not from the sequence';

CREATE FUNCTION objectid_ext_tools._highest_obstacles("table" regclass, "column" name, highest bigint, layout snowflake_layout) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present bigint;
BEGIN
    EXECUTE format('SELECT %s.snowflake_ceiling($1, $2)', objectid_ext_tools._ids_schema()) INTO present USING clock_timestamp(), layout;
    RETURN QUERY SELECT "table", 'object_not_in_prerequisite_state',
                        format('column "%s" of table %s has reached %s, above the current ids of layout %s', "column", "table", highest, layout), NULL, NULL
                 WHERE highest > present;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._highest_obstacles(regclass, name, bigint, snowflake_layout) IS 'internal: an id that is above the new ones';

CREATE FUNCTION objectid_ext_tools._next_id_obstacles("table" regclass, "column" name, highest bigint, node integer, layout snowflake_layout) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT * FROM objectid_ext_tools._highest_obstacles("table", "column", highest, layout)
    UNION ALL
    SELECT * FROM objectid_ext_tools._new_id_obstacles("table", "column", node, layout)
$$;
COMMENT ON FUNCTION objectid_ext_tools._next_id_obstacles(regclass, name, bigint, integer, snowflake_layout) IS 'internal: what prevents that a column with a highest id continues with snowflakes';

CREATE FUNCTION objectid_ext_tools._prepare_sequence(
    "table" regclass,
    "column" name,
    INOUT seq regclass,
    highest bigint,
    node integer,
    layout snowflake_layout
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    new_id bigint;
BEGIN
    IF (SELECT attidentity <> '' FROM pg_attribute WHERE attrelid = "table" AND attname = "column") THEN
        seq := objectid_ext_tools._replace_identity("table", "column", seq);
    ELSE
        EXECUTE format('ALTER SEQUENCE %s AS bigint NO MAXVALUE NO CYCLE', seq);
    END IF;
    PERFORM setval(seq, highest);
    -- raise an error if it cannot generate ids of this node and layout
    EXECUTE format('SELECT %s.next_snowflake($1, $2, $3)', objectid_ext_tools._ids_schema()) INTO new_id USING seq, coalesce(node, 0), layout;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._prepare_sequence(regclass, name, regclass, bigint, integer, snowflake_layout) IS 'internal: lets the sequence of a column continue with snowflakes above an id; returns it';

CREATE FUNCTION objectid_ext_tools._set_snowflake_default("table" regclass, "column" name, seq regclass, node integer, layout snowflake_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids_schema text := objectid_ext_tools._ids_schema();
BEGIN
    EXECUTE format('ALTER TABLE %1$s ALTER COLUMN %2$I SET DEFAULT %3$s.next_snowflake(%4$L::regclass, %5$s, %6$L::%3$s.snowflake_layout)',
                   "table", "column", ids_schema, seq, coalesce(node::text, ids_schema || '.snowflake_node_id()'), layout);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._set_snowflake_default(regclass, name, regclass, integer, snowflake_layout) IS 'internal: makes snowflakes the default of a column';

CREATE FUNCTION objectid_ext_tools.convert_to_snowflake(
    "table" regclass,
    "column" name,
    node integer,
    layout snowflake_layout
) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    seq regclass;
    highest bigint;
BEGIN
    PERFORM objectid_ext_tools._check_isolation();
    IF "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM objectid_ext_tools._lock_tables("table", "column", 'bigint');
    PERFORM objectid_ext_tools._live_check_family("table", "column", 'bigint');
    PERFORM objectid_ext_tools._check_no_steps("table", "column");
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._conversion_obstacles("table", "column", 'bigint') AS o));
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._locked_obstacles("table", "column", 'bigint') AS o));
    seq := objectid_ext_tools._sequence_of("table", "column");
    highest := objectid_ext_tools._highest_id("table", "column");
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._next_id_obstacles("table", "column", highest, node, layout) AS o));
    seq := objectid_ext_tools._prepare_sequence("table", "column", seq, highest, node, layout);
    PERFORM objectid_ext_tools._change_column_types("table", "column", 'bigint');
    PERFORM objectid_ext_tools._set_snowflake_default("table", "column", seq, node, layout);
    RETURN seq;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.convert_to_snowflake(regclass, name, integer, snowflake_layout) IS 'makes snowflakes the default of a serial, identity or nextval column, for a node (default objectid_ext.node_id); changes it and all columns that reference it to bigint; existing ids keep their values; returns the sequence; the caller is the owner of the tables, or all are superusers; an error at isolation levels above READ COMMITTED';
