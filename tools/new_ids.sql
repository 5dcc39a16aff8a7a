----------------------------------------------------------------------
-- Existing tables: what rejects new ids
----------------------------------------------------------------------

-- New ids are much larger than those that the tables have.  They can violate a check
-- constraint, overflow in an expression, or belong to no partition.  Then no row can
-- be inserted any more, although all existing rows are fine.  So they are tried in
-- the places of the ids of some rows.

-- Whole rows cannot be made up, and an operator that is not printed would be another.

CREATE FUNCTION objectid_ext_tools._id_uses(relation regclass, attribute name, OUT used_by text, OUT expression text) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
SET datestyle = 'ISO'
SET intervalstyle = 'postgres'
SET extra_float_digits = 1
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT u.used_by, u.expression
    FROM (SELECT 'pg_constraint'::regclass, oid, conbin::text, format('check constraint "%s"', conname), pg_get_expr(conbin, conrelid)
          FROM pg_constraint c
          WHERE conrelid = $1 AND contype = 'c' AND (coninhcount = 0 OR NOT (SELECT relispartition FROM pg_class WHERE pg_class.oid = $1))
            AND conname NOT LIKE E'\\_objectid\\_ext\\_%' AND pg_get_constraintdef(c.oid) NOT LIKE '%NOT ENFORCED'
          UNION ALL
          SELECT 'pg_class'::regclass, indexrelid, concat(indexprs, indpred), format('index %s', indexrelid::regclass),
                 format('CASE WHEN %s THEN num_nulls(%s) >= 0 ELSE true END', coalesce(pg_get_expr(indpred, indrelid), 'true'), coalesce(pg_get_expr(indexprs, indrelid), '1'))
          FROM pg_index JOIN pg_class i ON i.oid = indexrelid
          WHERE indrelid = $1 AND (indexprs IS NOT NULL OR indpred IS NOT NULL) AND relname NOT LIKE E'\\_objectid\\_ext\\_%'
            AND NOT EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid)
          UNION ALL
          SELECT 'pg_statistic_ext'::regclass, oid, stxexprs::text, format('statistics object %s', stxname), format('num_nulls(%s) >= 0', pg_get_expr(stxexprs, stxrelid))
          FROM pg_statistic_ext WHERE stxrelid = $1 AND stxexprs IS NOT NULL
          UNION ALL
          -- as an assignment does, the input function of its type does not truncate
          SELECT 'pg_attrdef'::regclass, d.oid, adbin::text, format('generated column "%s"', attname),
                 format('(SELECT num_nulls(r.v) >= 0 FROM json_to_record(json_build_object(''v'', (SELECT CASE WHEN v IS NOT NULL THEN format(''%%s'', v) END FROM (SELECT CAST((%s) AS %s)) AS g (v)))) AS r (v %s))',
                        pg_get_expr(adbin, adrelid), format_type(atttypid, -1), format_type(atttypid, atttypmod))
          FROM pg_attrdef d JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
          WHERE adrelid = $1 AND attgenerated <> '' AND attinhcount = 0
         ) AS u (class, object, tree, used_by, expression)
    WHERE EXISTS (SELECT FROM pg_depend d JOIN pg_attribute a ON a.attrelid = $1 AND a.attname = $2 AND a.attnum = d.refobjsubid
                  WHERE d.classid = u.class AND d.objid = u.object AND d.refclassid = 'pg_class'::regclass AND d.refobjid = $1)
      AND u.tree NOT LIKE '% :varattno 0 %' AND NOT EXISTS (SELECT FROM objectid_ext_tools._unprinted_operators(u.tree))
    ORDER BY u.used_by;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._id_uses(regclass, name) IS 'internal: what evaluates expressions with a column when rows are written or analyzed, and an expression that is false or fails if that does';

-- The row, as an item of FROM, with the ids $1 in the places of this column and of
-- others of the conversion, unless these are null; row number $2 of those that have an
-- id: the highest, if an index finds them, or else of the first thousand.  There are
-- nulls if there is no such row.

CREATE FUNCTION objectid_ext_tools._id_row(relation regclass, attribute name, others name[]) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('(SELECT coalesce(r.tableoid, %s) AS tableoid, r.tableoid IS NOT NULL AS _objectid_ext_found, r.%I::bigint AS _objectid_ext_own, %s FROM (SELECT) AS one LEFT JOIN (%s) AS r ON true) AS %I',
                  c.oid, attribute,
                  (SELECT string_agg(format(CASE WHEN attname = attribute THEN '$1[1] AS %1$I'
                                                 WHEN attname = ANY (others) THEN 'CASE WHEN r.%1$I IS NOT NULL THEN coalesce($1[2], r.%1$I::bigint) END AS %1$I' ELSE 'r.%1$I' END, attname), ', ' ORDER BY attnum)
                   FROM pg_attribute WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped),
                  CASE WHEN row_security_active(relation) OR NOT has_table_privilege(relation, 'SELECT')
                            OR 'f' IN (SELECT (SELECT relkind FROM pg_class f WHERE f.oid = relid) FROM pg_partition_tree(relation))
                       THEN format('SELECT NULL::oid AS tableoid, (NULL::%s).* WHERE $2 = 0', relation)
                       ELSE format(CASE WHEN is_indexed THEN 'SELECT t.tableoid, t.* FROM %1$s AS t WHERE %2$I IS NOT NULL ORDER BY %2$I DESC LIMIT 1 OFFSET $2'
                                        ELSE 'SELECT t.* FROM (SELECT tableoid, * FROM %1$s LIMIT 1000) AS t WHERE %2$I IS NOT NULL LIMIT 1 OFFSET $2' END, relation, attribute) END,
                  c.relname)
    FROM pg_class c,
         LATERAL (SELECT EXISTS (SELECT FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_am ON pg_am.oid = relam JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
                                 WHERE indrelid = c.oid AND attname = attribute AND amname = 'btree' AND indpred IS NULL AND indisvalid)) AS i (is_indexed)
    WHERE c.oid = relation
$$;
COMMENT ON FUNCTION objectid_ext_tools._id_row(regclass, name, name[]) IS 'internal: a row of a table with other ids, to be queried';

-- What fails because of types or privileges is told elsewhere.  The error at the end
-- undoes what functions in the expression wrote.

CREATE FUNCTION objectid_ext_tools._try_ids(id_row text, expression text, ids bigint[], place integer, OUT has_row boolean, OUT own bigint, OUT accepted boolean, OUT code text, OUT message text)
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET standard_conforming_strings = on
SET intervalstyle = 'postgres'
AS $$
BEGIN
    EXECUTE format('SELECT _objectid_ext_found, _objectid_ext_own, (%s) IS NOT FALSE FROM %s', expression, id_row) INTO has_row, own, accepted USING ids, place;
    RAISE 'tried';
EXCEPTION
    WHEN syntax_error_or_access_rule_violation THEN
        accepted := true;
    WHEN lock_not_available OR deadlock_detected OR insufficient_resources OR serialization_failure OR read_only_sql_transaction THEN
        RAISE;
    WHEN others OR assert_failure THEN
        IF accepted IS NULL THEN
            accepted := false;
            code := sqlstate;
            message := sqlerrm;
        END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._try_ids(text, text, bigint[], integer) IS 'internal: is an expression true or null with other ids in a row, or in nulls if it has no such row, and if it fails, with which error?';

-- A row can refer to an older row, to itself, or to a newer one.

CREATE FUNCTION objectid_ext_tools._other_ids(id bigint, has_others boolean) RETURNS bigint[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN has_others THEN ARRAY[id - 1, id, id + 1] ELSE '{}'::bigint[] END;
COMMENT ON FUNCTION objectid_ext_tools._other_ids(bigint, boolean) IS 'internal: ids to try beside an id in other columns of its row, if there are any';

-- A check can compare the id with other columns of the row, as code = 'C' || id does, or
-- require them: then it rejects any other id, and new rows have other values there.  Ids
-- that are accepted are near that of the row, which can be at the limit, and far from it.

CREATE FUNCTION objectid_ext_tools._accepts_low_ids(id_row text, expression text, own bigint, has_others boolean, place integer) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT bool_and(EXISTS (SELECT FROM unnest(ARRAY[-2, -1, 1, 2]) AS step, LATERAL (SELECT greatest(middle + step, 1)) AS low (id)
                                        LEFT JOIN LATERAL unnest(objectid_ext_tools._other_ids(id, has_others)) AS other ON true,
                                        LATERAL objectid_ext_tools._try_ids(id_row, expression, ARRAY[id, other], place) AS t
                            WHERE id <> _accepts_low_ids.own AND t.accepted))
    FROM unnest(ARRAY[least(own, 9223372036854775800), own / 2]) AS middle
$$;
COMMENT ON FUNCTION objectid_ext_tools._accepts_low_ids(text, text, bigint, boolean, integer) IS 'internal: is an expression true or null with ids next to that of a row, and with half of it?';

-- It is enough that one row accepts the id.

CREATE FUNCTION objectid_ext_tools._rejection(id_row text, expression text, id bigint, has_others boolean, for_any boolean, OUT rejected boolean, OUT code text, OUT message text)
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    row record;
    tried record;
    other bigint;
BEGIN
    rejected := false;
    FOR place IN 0 .. 9 LOOP
        SELECT * INTO row FROM objectid_ext_tools._try_ids(id_row, 'true', ARRAY[id, NULL], place);
        EXIT WHEN place > 0 AND row.has_row IS NOT TRUE;
        FOREACH other IN ARRAY NULL::bigint || objectid_ext_tools._other_ids(id, has_others) LOOP
            SELECT * INTO tried FROM objectid_ext_tools._try_ids(id_row, expression, ARRAY[id, other], place);
            IF tried.accepted THEN
                rejected := false;
                RETURN;
            END IF;
        END LOOP;
        IF NOT rejected AND (for_any OR objectid_ext_tools._accepts_low_ids(id_row, expression, coalesce(row.own, 1), has_others, place)) THEN
            rejected := true;
            code := tried.code;
            message := tried.message;
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._rejection(text, text, bigint, boolean, boolean) IS 'internal: is an expression false, or does it fail, with an id in any of some rows, but not with lower ids (or for any reason), and with which error?';

CREATE FUNCTION objectid_ext_tools._id_use_obstacles(relation regclass, attribute name, id_row text, has_others boolean, ids bigint[]) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    r record;
BEGIN
    FOR each IN
        SELECT u.used_by, format('CASE WHEN NOT _objectid_ext_found OR (%s) THEN %s ELSE true END', coalesce(pg_get_partition_constraintdef(relation), 'true'), u.expression) AS expression
        FROM objectid_ext_tools._id_uses(relation, attribute) AS u
    LOOP
        FOR n IN 1 .. cardinality(ids) LOOP
            SELECT * INTO r FROM objectid_ext_tools._rejection(id_row, each.expression, ids[n], has_others, false);
            CONTINUE WHEN NOT r.rejected;
            RETURN QUERY SELECT relation, coalesce(r.code, 'check_violation'),
                                format(CASE WHEN r.message IS NULL THEN 'new ids of column "%s" of table %s violate %s' ELSE 'new ids of column "%s" of table %s fail in %s: %s' END,
                                       attribute, relation, each.used_by, r.message),
                                CASE n WHEN 2 THEN 'The first new id is accepted, but not the next number.' WHEN 3 THEN 'Ids of today are accepted, but not those of ten years from now.' END,
                                CASE WHEN r.message IS NULL THEN 'Drop the constraint, or replace it by one that large numbers satisfy.' ELSE 'Drop it, or replace its expression by one that accepts large numbers.' END;
            EXIT;
        END LOOP;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._id_use_obstacles(regclass, name, text, boolean, bigint[]) IS 'internal: what uses a column and rejects one of these ids';

-- Only ranges: a list gets a partition for each new value.  Without a row, nothing is
-- known of the other columns of the partition key.

CREATE FUNCTION objectid_ext_tools._id_partition_obstacles(relation regclass, attribute name, id_row text, has_others boolean, id bigint) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    here text := coalesce(pg_get_partition_constraintdef(relation), 'true');
    each record;
BEGIN
    FOR each IN
        SELECT partnatts, string_agg('(' || coalesce(pg_get_partition_constraintdef(inhrelid), 'true') || ')', ' OR ') AS partitions
        FROM pg_partitioned_table JOIN pg_inherits ON inhparent = partrelid
        WHERE partrelid = relation AND partstrat = 'r'
          AND EXISTS (SELECT FROM pg_depend JOIN pg_attribute a ON attrelid = objid AND attnum = objsubid
                      WHERE attname = attribute AND atttypid = 'bigint'::regtype AND classid = 'pg_class'::regclass AND objid = relation AND deptype = 'i'
                        AND refclassid = 'pg_class'::regclass AND refobjid = relation AND refobjsubid = 0)
        GROUP BY partnatts
    LOOP
        RETURN QUERY
        SELECT relation, coalesce(r.code, 'check_violation'), format('new ids of column "%s" of table %s belong to no partition', attribute, relation), r.message,
               'Use create_id_partitions() with the layout to create partitions for them, or create a default partition.'
        FROM objectid_ext_tools._rejection(id_row, format('_objectid_ext_found AND (%s) IS NOT TRUE OR NOT _objectid_ext_found AND %s > 1 OR (%s) IS TRUE', here, each.partnatts, each.partitions), id, has_others, true) AS r
        WHERE r.rejected;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._id_partition_obstacles(regclass, name, text, boolean, bigint) IS 'internal: is there no partition for this id?';

-- The first new id, the next number, and one of ten years later, for which a partition can be created
-- in time.  It is not the last bigint, as a newer one is tried beside it.  Children by
-- INHERITS do not necessarily get new rows.  Functions of another role must not run: a
-- table of another role that refers to the key can have been created since others were
-- refused, or has a column that is bigint already, and is not changed.  A query of a
-- table reads its partitions and children, too.

CREATE FUNCTION objectid_ext_tools._new_id_obstacles("table" regclass, "column" name, node integer, layout snowflake_layout) RETURNS SETOF objectid_ext_tools._obstacle
LANGUAGE plpgsql STABLE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids bigint[];
    each record;
BEGIN
    EXECUTE format('SELECT ARRAY[%1$s.make_snowflake($3, $1, 0, $2), %1$s.make_snowflake($3, $1, 0, $2) + 1, %1$s.snowflake_ceiling($3 + interval ''10 years'', $2) - 1]', objectid_ext_tools._ids_schema())
        INTO ids USING coalesce(node, 0), layout, clock_timestamp();
    FOR each IN
        WITH r AS MATERIALIZED (
            SELECT * FROM objectid_ext_tools._referring_columns("table", "column")
        )
        SELECT r.relation, r.attribute, relkind, others, objectid_ext_tools._id_row(r.relation, r.attribute, others) AS id_row
        FROM r JOIN pg_class c ON c.oid = r.relation,
             LATERAL (SELECT ARRAY(SELECT o.attribute FROM r o WHERE o.relation = r.relation AND o.attribute <> r.attribute)) AS o (others)
        WHERE (NOT r.inherited OR relispartition)
          AND NOT EXISTS (SELECT FROM unnest(objectid_ext_tools._live_tree(ARRAY[r.relation])) AS part JOIN pg_class p ON p.oid = part WHERE NOT objectid_ext_tools._is_own(p.relowner))
    LOOP
        RETURN QUERY SELECT * FROM objectid_ext_tools._id_use_obstacles(each.relation, each.attribute, each.id_row, each.others <> '{}', ids);
        IF each.relkind = 'p' THEN
            RETURN QUERY SELECT * FROM objectid_ext_tools._id_partition_obstacles(each.relation, each.attribute, each.id_row, each.others <> '{}', ids[1]);
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._new_id_obstacles(regclass, name, integer, snowflake_layout) IS 'internal: what rejects new ids in a column, or in those that reference it';
