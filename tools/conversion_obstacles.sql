----------------------------------------------------------------------
-- Existing tables: what prevents any conversion
----------------------------------------------------------------------

-- Views and rules, triggers, policies, functions, publications, generated columns,
-- domains

CREATE FUNCTION objectid_ext_tools._dependent_objects("table" regclass, attnum smallint) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_describe_object(classid, objid, objsubid)
    FROM pg_depend
    WHERE refclassid = 'pg_class'::regclass AND refobjid = "table"
      AND (refobjsubid = attnum
           AND (classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass,
                            'pg_publication_rel'::regclass)
                OR classid = 'pg_attrdef'::regclass AND (SELECT adrelid <> "table" OR adnum <> attnum FROM pg_attrdef d WHERE d.oid = objid)
                -- of a domain over the row type
                OR classid = 'pg_constraint'::regclass AND (SELECT contypid <> 0 FROM pg_constraint c WHERE c.oid = objid))
           -- PostgreSQL does not record which columns MERGE writes
           OR classid = 'pg_proc'::regclass AND EXISTS (SELECT FROM pg_proc p WHERE p.oid = objid AND prosqlbody::text LIKE '%{MERGEACTION %'))
      -- of the conversion itself
      AND NOT EXISTS (SELECT FROM pg_trigger t WHERE classid = 'pg_trigger'::regclass AND t.oid = objid AND tgname = '~objectid_ext_conversion')
    GROUP BY classid, objid, objsubid
    ORDER BY classid, objid
$$;
COMMENT ON FUNCTION objectid_ext_tools._dependent_objects(regclass, smallint) IS 'internal: objects that use a column and prevent a change of its type';

-- The table would have to be changed on all Citus nodes.

CREATE FUNCTION objectid_ext_tools._is_distributed("table" regclass) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    distributed boolean := false;
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' INTO distributed USING "table";
    END IF;
    RETURN distributed;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._is_distributed(regclass) IS 'internal: has Citus distributed a table?';

-- What applies to all conversions.  A column that is in the partition key has an
-- internal dependency on the table.

CREATE FUNCTION objectid_ext_tools._column_obstacles("table" regclass, "column" name, to_type regtype, inherited boolean) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    WITH a AS MATERIALIZED (
        SELECT attnum, atttypid, attgenerated, attinhcount, format('column "%s" of table %s', attname, "table") AS name,
               to_type IN ('bigint'::regtype, 'objectid_ext_tools._backfilled'::regtype) AS of_integers
        FROM pg_attribute
        WHERE attrelid = "table" AND attname = "column" AND attnum > 0 AND NOT attisdropped
    )
    SELECT "table", 'wrong_object_type', name || ' is a generated column', NULL, NULL
    FROM a WHERE attgenerated <> ''
    UNION ALL
    SELECT "table", 'wrong_object_type', name || ' is inherited', NULL,
           format('Convert the column of table %s.', (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = "table" ORDER BY inhseqno LIMIT 1))
    FROM a WHERE attinhcount > 0 AND NOT inherited
    UNION ALL
    SELECT "table", 'feature_not_supported', format('table %s is distributed by Citus', "table"), NULL,
           'Convert tables before you distribute them; undistribute_table() makes a distributed table local again.'
    FROM a WHERE objectid_ext_tools._is_distributed("table")
    UNION ALL
    SELECT "table", 'feature_not_supported', format('cannot convert column "%s" because it is part of the partition key of table %s', "column", "table"), NULL,
           'Create a table that is partitioned by the new type, for example with create_id_partitions(), and copy the rows.'
    FROM a
    WHERE atttypid <> to_type
      AND EXISTS (SELECT FROM pg_depend
                  WHERE classid = 'pg_class'::regclass AND objid = "table" AND objsubid = attnum AND deptype = 'i'
                    AND refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = 0)
    UNION ALL
    SELECT "table", 'dependent_objects_still_exist', format('%s is used by %s', name, object), NULL,
           'Drop it, convert the column, and create it again.'
    FROM a, objectid_ext_tools._dependent_objects("table", attnum) AS object
    WHERE atttypid <> to_type
    UNION ALL
    SELECT "table", 'datatype_mismatch', format('%s is of type %s', name, atttypid::regtype),
           CASE WHEN of_integers THEN 'Only integer columns can be converted to snowflakes.'
                ELSE 'Only text, varchar, char, bytea and jsonb can be converted to objectid.' END, NULL
    FROM a
    WHERE atttypid <> ALL (CASE WHEN of_integers THEN '{smallint,integer,bigint}' ELSE '{text,varchar,bpchar,bytea,jsonb}' END::regtype[]);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._column_obstacles(regclass, name, regtype, boolean) IS 'internal: what prevents that the type and default of a column are changed';

-- Foreign keys are added back with enabled triggers, and all rows are checked.

CREATE FUNCTION objectid_ext_tools._foreign_key_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE key_or_part (oid) AS (
        SELECT objectid_ext_tools._foreign_keys("table", "column", to_type)
        UNION
        SELECT c.oid FROM key_or_part k JOIN pg_constraint c ON c.conparentid = k.oid AND c.contype = 'f'
    )
    SELECT DISTINCT tgrelid::regclass, 'object_not_in_prerequisite_state',
           format('triggers of table %s for foreign key constraint "%s" of table %s are %s', tgrelid::regclass, conname, conrelid::regclass,
                  CASE tgenabled WHEN 'D' THEN 'disabled' WHEN 'R' THEN 'set to ENABLE REPLICA' ELSE 'set to ENABLE ALWAYS' END),
           NULL, format('Use ALTER TABLE %s ENABLE TRIGGER ALL before the conversion.', tgrelid::regclass)
    FROM key_or_part JOIN pg_constraint c USING (oid) JOIN pg_trigger ON tgconstraint = c.oid
    WHERE tgenabled <> 'O'
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_key_obstacles(regclass, name, regtype) IS 'internal: foreign keys that a conversion adds back and that are not enforced';

-- An index cannot be replaced if something else than what is replaced with it needs
-- it: a foreign key to other columns of it, or what is stored with its constraint.

CREATE FUNCTION objectid_ext_tools._index_user_obstacles("table" regclass, "column" name) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT "table", 'dependent_objects_still_exist', format('index %s is used by %s', i.indexrelid::regclass, pg_describe_object(d.classid, d.objid, 0)),
           format('The index contains column "%s", but what uses it does not refer to that column.', "column"),
           'Drop it, convert the column, and create it again.'
    FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey)
         LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND k.contype IN ('p', 'u')
         JOIN pg_depend d ON d.deptype = 'n' AND (d.refclassid = 'pg_class'::regclass AND d.refobjid = i.indexrelid OR d.refclassid = 'pg_constraint'::regclass AND d.refobjid = k.oid)
         LEFT JOIN pg_constraint f ON d.classid = 'pg_constraint'::regclass AND f.oid = d.objid
    WHERE a.attrelid = "table" AND a.attname = "column" AND (f.oid IS NULL OR f.conparentid = 0 AND a.attnum <> ALL (f.confkey));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._index_user_obstacles(regclass, name) IS 'internal: what prevents that the indexes of a column are dropped';

-- PostgreSQL 18 cannot change the type of a column with such constraints.

CREATE FUNCTION objectid_ext_tools._not_null_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH not_null AS MATERIALIZED (
        SELECT relation, attribute, conname, convalidated
        FROM objectid_ext_tools._referring_columns("table", "column") JOIN pg_attribute ON attrelid = relation AND attname = attribute
             JOIN pg_constraint ON conrelid = relation AND contype = 'n' AND conkey = ARRAY[attnum]
        WHERE attribute_type <> to_type
    )
    SELECT DISTINCT ON (p.relation, p.attribute) p.relation, 'object_not_in_prerequisite_state',
           format('constraint "%s" of table %s is not valid, but constraint "%s" of table %s is', p.conname, p.relation, h.conname, h.relation), NULL,
           format('Use ALTER TABLE %s VALIDATE CONSTRAINT %I before the conversion.', p.relation, p.conname)
    FROM not_null h JOIN pg_inherits ON inhrelid = h.relation JOIN not_null p ON p.relation = inhparent AND p.attribute = h.attribute
    WHERE h.convalidated AND NOT p.convalidated ORDER BY p.relation, p.attribute, h.relation
$$;
COMMENT ON FUNCTION objectid_ext_tools._not_null_obstacles(regclass, name, regtype) IS 'internal: NOT NULL constraints of columns whose type a conversion changes that are valid only for some partitions or children';

-- PostgreSQL does not change the type of such a column, and a value that is stored
-- would lose it if it were replaced.  Row types are found in others as PostgreSQL finds
-- them.  All tables at once, because this reads all of pg_attribute.

CREATE FUNCTION objectid_ext_tools._row_type_obstacles(tables regclass[]) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH RECURSIVE used (relation, type) AS (
        SELECT oid, reltype FROM pg_class WHERE oid = ANY (tables)
        UNION
        SELECT used.relation, whole.type
        FROM used JOIN (
            SELECT typbasetype, oid FROM pg_type WHERE typbasetype <> 0
            UNION ALL SELECT typelem, oid FROM pg_type WHERE typelem <> 0 AND typlen = -1
            UNION ALL SELECT rngsubtype, rngtypid FROM pg_range
            UNION ALL SELECT rngtypid, rngmultitypid FROM pg_range
            UNION ALL SELECT atttypid, reltype FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE relkind IN ('c', 'v', 'f') AND NOT attisdropped
        ) AS whole (part, type) ON part = used.type
    )
    SELECT used.relation::regclass, 'feature_not_supported',
           format('column "%s" of %s %s uses the row type of table %s', attname, CASE WHEN relkind IN ('i', 'I') THEN 'index' WHEN relkind = 'm' THEN 'materialized view' ELSE 'table' END,
                  attrelid::regclass, used.relation::regclass),
           'Its values contain a column whose type changes.',
           CASE WHEN relkind IN ('r', 'p') THEN format('Drop it, or use ALTER TABLE %s ALTER COLUMN %I TYPE jsonb USING to_jsonb(%2$I) before the conversion.', attrelid::regclass, attname)
                ELSE 'Drop it, convert the column, and create it again.' END
    FROM used JOIN pg_attribute ON atttypid = used.type JOIN pg_class c ON c.oid = attrelid
    WHERE relkind IN ('r', 'p', 'm', 'i', 'I') AND NOT attisdropped AND attinhcount = 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._row_type_obstacles(regclass[]) IS 'internal: columns that store values of the row type of one of these tables';

-- Definitions are printed and read again.  These forms do not print the operator, so
-- one that is not in pg_catalog would not be found again, but perhaps another one.  A
-- comparison of rows prints the first of its operators, whose schema then counts for all.

CREATE FUNCTION objectid_ext_tools._unprinted_operators(expression text) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT oid
    FROM (SELECT m[1], 'pg_catalog'::regnamespace::oid
          FROM regexp_matches(expression, '[{](?:DISTINCTEXPR|NULLIFEXPR) :opno ([0-9]+)', 'g') AS m
          UNION ALL
          -- CASE with an operand
          SELECT m[1], 'pg_catalog'::regnamespace
          FROM regexp_matches(expression, '[{]CASEWHEN :expr (?:[{][A-Z]+ [^{}]*)*[{]OPEXPR :opno ([0-9]+) [^{}]*(?:[{][A-Z]+ [^{}]*)*[{]CASETESTEXPR ', 'g') AS m
          UNION ALL
          SELECT unnest(string_to_array(m[1], ' ')), (SELECT oprnamespace FROM pg_operator WHERE oid = split_part(m[1], ' ', 1)::oid)
          FROM regexp_matches(expression, '[{]ROWCOMPAREEXPR [^{}()]*:opnos [(]o ([0-9 ]+)[)]', 'g') AS m
         ) AS used (operator, schema)
         JOIN pg_operator ON oid = operator::oid AND oprnamespace <> schema
$$;
COMMENT ON FUNCTION objectid_ext_tools._unprinted_operators(text) IS 'internal: operators in a stored expression that the same expression would not have after it was printed and read again with the search_path pg_catalog';

CREATE FUNCTION objectid_ext_tools._operator_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    WITH stored (relation, name, expression) AS MATERIALIZED (
        SELECT o.relation, CASE o.kind WHEN 'index' THEN format('index %s', o.object::regclass) ELSE format('check constraint "%s" of table %s', o.object_name, o.relation) END,
               objectid_ext_tools._live_meaning(o.kind, o.object, true)
        FROM objectid_ext_tools._live_objects("table", "column", to_type) o
        WHERE NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = o.object)
        UNION ALL
        SELECT l.relation, format('default of column "%s" of table %s', l.attribute, l.relation), adbin::text
        FROM objectid_ext_tools._live_columns("table", "column", to_type) l
             JOIN pg_attribute a ON a.attrelid = l.relation AND a.attname = l.attribute
             JOIN pg_attrdef ON adrelid = a.attrelid AND adnum = a.attnum
    )
    SELECT DISTINCT s.relation, 'feature_not_supported',
           format('%s uses operator %s in IS DISTINCT FROM, NULLIF, CASE or a comparison of rows', s.name, operator::regoperator),
           'The conversion reads its definition again, in which this operator is not named, so that it would use another one.',
           'Drop it, convert the column, and create it again.'
    FROM stored s, objectid_ext_tools._unprinted_operators(s.expression) AS operator;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._operator_obstacles(regclass, name, regtype) IS 'internal: indexes, check constraints and defaults of columns whose type a conversion changes that would have another meaning afterwards';

-- All definitions of a table: its indexes, constraints and defaults are read again, and
-- the others are evaluated with new ids.  What the conversion itself has added is not.

CREATE FUNCTION objectid_ext_tools._overload_obstacles(tables regclass[]) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT DISTINCT o.*
    FROM (SELECT indrelid, 'pg_class'::regclass, indexrelid, relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = ANY (tables)
          UNION ALL
          SELECT conrelid, 'pg_constraint', oid, conname FROM pg_constraint WHERE conrelid = ANY (tables) AND contype = 'c'
          UNION ALL
          SELECT adrelid, 'pg_attrdef', oid, '' FROM pg_attrdef WHERE adrelid = ANY (tables)
          UNION ALL
          SELECT stxrelid, 'pg_statistic_ext', oid, '' FROM pg_statistic_ext WHERE stxrelid = ANY (tables)
          UNION ALL
          SELECT partrelid, 'pg_class', partrelid, '' FROM pg_partitioned_table WHERE partrelid = ANY (tables)
         ) AS d (relation, class, object, name)
         CROSS JOIN LATERAL objectid_ext_tools._overloads(class, object) AS s
         CROSS JOIN LATERAL objectid_ext_tools._overload_obstacle(relation, pg_describe_object(class, object, 0), used, other, owner) AS o
    WHERE name NOT LIKE E'\\_objectid\\_ext\\_%'
$$;
COMMENT ON FUNCTION objectid_ext_tools._overload_obstacles(regclass[]) IS 'internal: what other roles have that definitions of tables could use after a conversion';

-- Whoever may create functions can do so while a conversion waits for a lock, or rewrites
-- a table.  So this is asked again before each definition is read, and at the end.

CREATE FUNCTION objectid_ext_tools._check_overloads(tables regclass[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._overload_obstacles(tables) AS o));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_overloads(regclass[]) IS 'internal: raises an error if other roles have what definitions of tables could use after a conversion';

-- In steps, NOT NULL of a partition gets the name of the parent's.

CREATE FUNCTION objectid_ext_tools._locked_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT r.relation, 'feature_not_supported', format('constraint "%s" of table %s is called "%s" in table %s', h.conname, r.relation, p.conname, p.conrelid::regclass),
           'From PostgreSQL 18 on, the type of a column cannot be changed if its NOT NULL constraint is inherited as well as its own, with different names.',
           'Use snowflake_conversion_steps() or objectid_conversion_steps(), or drop the constraint of the parent, rename the other one, and add it again.'
    FROM objectid_ext_tools._referring_columns("table", "column") r
         JOIN pg_attribute a ON a.attrelid = r.relation AND a.attname = r.attribute
         JOIN pg_constraint h ON h.conrelid = r.relation AND h.contype = 'n' AND h.conkey = ARRAY[a.attnum] AND h.conislocal
         JOIN pg_inherits ON inhrelid = r.relation
         JOIN pg_attribute i ON i.attrelid = inhparent AND i.attname = r.attribute
         JOIN pg_constraint p ON p.conrelid = inhparent AND p.contype = 'n' AND p.conkey = ARRAY[i.attnum]
    WHERE r.attribute_type <> to_type AND p.conname <> h.conname
$$;
COMMENT ON FUNCTION objectid_ext_tools._locked_obstacles(regclass, name, regtype) IS 'internal: what prevents a conversion under a lock beside what prevents any, by the catalog';

-- A foreign table cannot be locked, and its rows cannot be converted.

CREATE FUNCTION objectid_ext_tools._foreign_obstacles(tables regclass[]) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN QUERY
    SELECT inhparent::regclass, 'wrong_object_type', format('partition %s of table %s is a foreign table', c.oid::regclass, inhparent::regclass), NULL,
           CASE WHEN relispartition THEN format('Use ALTER TABLE %s DETACH PARTITION %s.', inhparent::regclass, c.oid::regclass)
                ELSE format('Use ALTER FOREIGN TABLE %s NO INHERIT %s.', c.oid::regclass, inhparent::regclass) END
    FROM pg_class c JOIN pg_inherits ON inhrelid = c.oid
    WHERE c.oid = ANY (tables) AND relkind = 'f';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_obstacles(regclass[]) IS 'internal: those of these tables that are foreign partitions or children';

-- All that prevents a conversion to bigint, to objectid, or to ids from the past

CREATE FUNCTION objectid_ext_tools._conversion_obstacles("table" regclass, "column" name, to_type regtype) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    past boolean := to_type = 'objectid_ext_tools._backfilled'::regtype;
    integers boolean := past OR to_type = 'bigint'::regtype;
    key_tables regclass[] := objectid_ext_tools._live_tree(ARRAY["table"]);
    tables regclass[] := objectid_ext_tools._live_tables("table", "column", to_type);
    each record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind IN ('r', 'p')) THEN
        RETURN QUERY SELECT "table", 'wrong_object_type', format('%s is not a table', "table"), NULL, NULL;
        RETURN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0 AND NOT attisdropped) THEN
        RETURN QUERY SELECT "table", 'undefined_column', format('column "%s" of table %s does not exist', "column", "table"), NULL, NULL;
        RETURN;
    END IF;
    -- then nothing else matters
    RETURN QUERY SELECT * FROM objectid_ext_tools._column_obstacles("table", "column", to_type, false) WHERE code IN ('datatype_mismatch', 'wrong_object_type');
    IF FOUND THEN
        RETURN;
    END IF;
    FOR each IN
        SELECT r.*, relation = "table" AND attribute = "column" AS key
        FROM objectid_ext_tools._referring_columns("table", "column") AS r
    LOOP
        CONTINUE WHEN each.attribute_type = to_type AND NOT each.key;
        RETURN QUERY SELECT * FROM objectid_ext_tools._column_obstacles(each.relation, each.attribute, to_type, each.inherited AND NOT each.key);
        IF past THEN
            RETURN QUERY SELECT * FROM objectid_ext_tools._past_column_obstacles(each.relation, each.attribute, each.attribute = "column" AND each.relation = ANY (key_tables));
        ELSIF NOT integers THEN
            RETURN QUERY SELECT * FROM objectid_ext_tools._objectid_column_obstacles(each.relation, each.attribute);
        END IF;
        IF each.attribute_type <> to_type THEN
            RETURN QUERY SELECT * FROM objectid_ext_tools._index_user_obstacles(each.relation, each.attribute);
        END IF;
    END LOOP;
    RETURN QUERY SELECT * FROM objectid_ext_tools._foreign_obstacles(tables);
    RETURN QUERY SELECT * FROM objectid_ext_tools._overload_obstacles(tables);
    IF integers THEN
        RETURN QUERY SELECT * FROM objectid_ext_tools._default_obstacles("table", "column");
        RETURN QUERY SELECT * FROM objectid_ext_tools._sequence_obstacles("table", "column");
    ELSE
        RETURN QUERY SELECT * FROM objectid_ext_tools._referred_obstacles("table", "column");
        RETURN QUERY SELECT "table", 'insufficient_privilege', format('role "%s" has no privilege USAGE on type %s', current_user, to_type), NULL, format('Use GRANT USAGE ON TYPE %s TO %I.', to_type, current_user)
                     WHERE NOT has_type_privilege(to_type, 'USAGE');
    END IF;
    IF past THEN
        RETURN QUERY SELECT * FROM objectid_ext_tools._past_obstacles("table", "column");
        RETURN QUERY SELECT * FROM objectid_ext_tools._past_schema_obstacles("table");
    END IF;
    RETURN QUERY SELECT * FROM objectid_ext_tools._foreign_key_obstacles("table", "column", to_type);
    RETURN QUERY SELECT * FROM objectid_ext_tools._not_null_obstacles("table", "column", to_type);
    RETURN QUERY SELECT * FROM objectid_ext_tools._operator_obstacles("table", "column", to_type);
    RETURN QUERY SELECT * FROM objectid_ext_tools._row_type_obstacles(ARRAY(SELECT l.relation FROM objectid_ext_tools._live_columns("table", "column", to_type) l));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._conversion_obstacles(regclass, name, regtype) IS 'internal: what prevents any conversion of a column, by the catalog';
