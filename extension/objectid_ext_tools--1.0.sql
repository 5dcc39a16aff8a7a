/* extension/objectid_ext_tools--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION objectid_ext_tools" to load this file. \quit

-- All objects are in a schema that this script creates, so no other user can
-- have created objects in it before, and only superusers can later.  The control
-- file sets the schema pg_catalog only to keep other schemas out of the
-- search_path.
--
-- While this script runs, the schema of objectid_ext is in the search_path, and
-- other users may have CREATE on it.  For the same reason no function has it in
-- its search_path.  The rules for function bodies:
--
-- - A body is parsed when it is called, with the search_path that its function
--   sets: only core's names need no schema there.  It refers to functions of
--   this extension by their schema, and to those of objectid_ext, which can be
--   in any schema and can be moved, by the schema that _ids_schema() finds,
--   with arguments of exactly their types.
-- - A body in the SQL-standard form is bound when it is created, and moves along
--   with objectid_ext.  It names the schema of each of core's functions and
--   operators; CASE with an operand, IN, BETWEEN, IS DISTINCT FROM and NULLIF
--   would look operators up.

CREATE SCHEMA objectid_ext_tools;
COMMENT ON SCHEMA objectid_ext_tools IS 'functions of objectid_ext_tools; names that begin with an underscore are internal';
GRANT USAGE ON SCHEMA objectid_ext_tools TO PUBLIC;

CREATE FUNCTION objectid_ext_tools._ids_schema() RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'objectid_ext'
$$;
COMMENT ON FUNCTION objectid_ext_tools._ids_schema() IS 'internal: schema of objectid_ext, quoted';

----------------------------------------------------------------------
-- Node ids of several servers
----------------------------------------------------------------------

-- These use dblink, which checks who can connect to which server.  An error on
-- one server becomes part of the result, so that it does not hide the others.
--
-- The query must not call a function of objectid_ext: on the other server, another
-- user may have created one of that name.  Only superusers can create C functions,
-- and fmgr_c_validator() loads the library without calling a function of it.  The
-- library removes a setting that is not from the configuration.

CREATE FUNCTION objectid_ext_tools._ask_node_id(
    conninfo text,
    OUT node integer,
    OUT system_identifier bigint,
    OUT in_recovery boolean,
    OUT started timestamp with time zone,
    OUT problem text
)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    dblink_schema name := (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'dblink');
    question CONSTANT text :=
        'SELECT pg_catalog.current_setting(CASE WHEN pg_catalog.fmgr_c_validator(p.oid) IS NOT NULL THEN ''objectid_ext.node_id'' END),'
        '       c.system_identifier, pg_catalog.pg_is_in_recovery(), pg_catalog.pg_postmaster_start_time()'
        ' FROM pg_catalog.pg_proc AS p, pg_catalog.pg_control_system() AS c'
        ' WHERE p.prosrc OPERATOR(pg_catalog.=) ''snowflake_node_id'' AND p.probin OPERATOR(pg_catalog.=) ''$libdir/objectid_ext''';
    detail text;
BEGIN
    IF dblink_schema IS NULL THEN
        RAISE EXCEPTION 'required extension "dblink" is not installed'
            USING ERRCODE = 'undefined_object', HINT = 'Use CREATE EXTENSION dblink to install the extension.';
    END IF;
    BEGIN
        EXECUTE format('SELECT * FROM %I.dblink($1, $2) AS t (node integer, system_identifier bigint, in_recovery boolean, started timestamptz)',
                       dblink_schema)
            INTO node, system_identifier, in_recovery, started
            USING conninfo, question;
        IF started IS NULL THEN
            problem := 'extension "objectid_ext" is not installed';
        ELSIF node = -1 THEN
            node := NULL;
            problem := 'objectid_ext.node_id is not set';
        END IF;
    EXCEPTION WHEN others THEN
        GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
        problem := concat_ws(': ', problem, nullif(trim(E'\n' FROM detail), ''));
    END;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._ask_node_id(text) IS 'internal: objectid_ext.node_id and identification of another server; an error there is returned as problem';

-- Servers are identified by their system identifier and their start time,
-- because a copy of a server has the same identifier, and a server can be in
-- the list twice.  A standby correctly has the same node as its primary.

CREATE FUNCTION objectid_ext_tools.check_node_ids(
    conninfo text[],
    OUT server integer,
    OUT node integer,
    OUT system_identifier bigint,
    OUT in_recovery boolean,
    OUT problem text
) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH answer AS MATERIALIZED (
        SELECT n::integer AS server, a.*
        FROM unnest(conninfo) WITH ORDINALITY AS c (each, n), objectid_ext_tools._ask_node_id(each) AS a
    )
    SELECT a.server, a.node, a.system_identifier, a.in_recovery,
           CASE WHEN a.problem IS NOT NULL THEN a.problem
                WHEN a.started IS NULL THEN 'connection string is null'
                ELSE (SELECT 'same node as server ' || string_agg(b.server::text, ', ' ORDER BY b.server)
                      FROM answer AS b
                      WHERE b.node = a.node
                        AND (b.system_identifier, b.started) <> (a.system_identifier, a.started)
                        AND (b.system_identifier <> a.system_identifier OR NOT a.in_recovery AND NOT b.in_recovery))
           END
    FROM answer AS a
    ORDER BY a.server
$$;
COMMENT ON FUNCTION objectid_ext_tools.check_node_ids(text[]) IS 'queries objectid_ext.node_id of servers, given by connection strings or names of foreign servers; problem names servers with the same node or is the error of the query, and is null if there is none; requires dblink';

----------------------------------------------------------------------
-- Partitions by time
----------------------------------------------------------------------

CREATE FUNCTION objectid_ext_tools._partition_key_type(parent regclass) RETURNS regtype
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key_type regtype;
BEGIN
    SELECT atttypid INTO key_type
    FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
    WHERE partrelid = parent AND partstrat = 'r' AND partnatts = 1
      AND atttypid IN ('bigint'::regtype, 'uuid'::regtype, (objectid_ext_tools._ids_schema() || '.objectid')::regtype);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not partitioned by range of one objectid, bigint or uuid column', parent
            USING ERRCODE = 'wrong_object_type';
    END IF;
    RETURN key_type;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_key_type(regclass) IS 'internal: type of the partition key of a table: objectid, bigint or uuid; an error for any other table';

CREATE FUNCTION objectid_ext_tools._partition_bound(key_type regtype, ts timestamp with time zone, layout snowflake_layout) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'bigint'::regtype::oid THEN snowflake_floor(ts, layout)::text
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'uuid'::regtype::oid THEN uuidv7_floor(ts)::text
           ELSE objectid_floor(ts)::text
       END;
COMMENT ON FUNCTION objectid_ext_tools._partition_bound(regtype, timestamp with time zone, snowflake_layout) IS 'internal: lowest id of a type at or after an instant, as text';

CREATE FUNCTION objectid_ext_tools._partition_time(key_type regtype, bound text, layout snowflake_layout) RETURNS timestamp with time zone
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
           WHEN bound OPERATOR(pg_catalog.=) 'MINVALUE' THEN timestamptz '-infinity'
           WHEN bound OPERATOR(pg_catalog.=) 'MAXVALUE' THEN timestamptz 'infinity'
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'bigint'::regtype::oid THEN
               -- a bound is not necessarily an id of the layout
               CASE
                   WHEN trim(bound, '''')::bigint OPERATOR(pg_catalog.<) 0::bigint THEN timestamptz '-infinity'
                   WHEN trim(bound, '''')::bigint OPERATOR(pg_catalog.>) snowflake_ceiling(timestamptz 'infinity', layout) THEN timestamptz 'infinity'
                   ELSE snowflake_timestamp(trim(bound, '''')::bigint, layout)
               END
           WHEN key_type::oid OPERATOR(pg_catalog.=) 'uuid'::regtype::oid THEN uuidv7_timestamp(trim(bound, '''')::uuid)
           ELSE objectid_timestamp(trim(bound, '''')::objectid)
       END;
COMMENT ON FUNCTION objectid_ext_tools._partition_time(regtype, text, snowflake_layout) IS 'internal: time of a partition bound, given as printed by the catalog';

-- Since some minor releases, pg_get_expr() locks the table.  The planner must not
-- call it for partitions of other tables, as it could in a condition or a join:
-- two sessions that change partitions of two tables would deadlock.

CREATE FUNCTION objectid_ext_tools._partition_bounds(parent regclass, OUT partition regclass, OUT printed text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH child AS MATERIALIZED (
        SELECT oid, relpartbound FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = parent
    )
    SELECT oid::regclass, pg_get_expr(relpartbound, oid) FROM child
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_bounds(regclass) IS 'internal: partitions of a table, and their bounds as printed';

CREATE FUNCTION objectid_ext_tools.id_partitions(
    parent regclass,
    layout snowflake_layout DEFAULT 'twitter',
    OUT partition regclass,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT child.partition,
           objectid_ext_tools._partition_time(key_type, bounds[1], layout),
           objectid_ext_tools._partition_time(key_type, bounds[2], layout)
    FROM objectid_ext_tools._partition_key_type(parent) AS key_type,
         objectid_ext_tools._partition_bounds(parent) AS child,
         LATERAL regexp_match(child.printed, '^FOR VALUES FROM [(](.*)[)] TO [(](.*)[)]$') AS bounds
    ORDER BY 2, 1
$$;
COMMENT ON FUNCTION objectid_ext_tools.id_partitions(regclass, snowflake_layout) IS 'partitions of a table that is partitioned by range of ids, with the times of their bounds; NULL for the default partition';

-- A bound is exact if it is the lowest id of an instant, as create_id_partitions()
-- makes them.  A partition with other bounds contains ids of any time, or numbers
-- that have none, such as those of a serial column: in the first day of a layout.

CREATE FUNCTION objectid_ext_tools._time_partitions(
    parent regclass,
    layout snowflake_layout,
    OUT partition regclass,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT exact_lower boolean,
    OUT exact_upper boolean,
    OUT is_foreign boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT p.partition, p.lower, p.upper,
           p.lower > first_day.ends AND trim(bounds[1], '''') = objectid_ext_tools._partition_bound(key_type, p.lower, layout),
           p.upper > first_day.ends AND trim(bounds[2], '''') = objectid_ext_tools._partition_bound(key_type, p.upper, layout),
           EXISTS (SELECT FROM pg_partition_tree(p.partition) JOIN pg_class leaf ON leaf.oid = relid WHERE leaf.relkind = 'f')
    FROM objectid_ext_tools._partition_key_type(parent) AS key_type,
         LATERAL (SELECT objectid_ext_tools._partition_time(key_type, objectid_ext_tools._partition_bound(key_type, '-infinity', layout), layout) + interval '1 day') AS first_day (ends),
         objectid_ext_tools.id_partitions(parent, layout) AS p
         JOIN objectid_ext_tools._partition_bounds(parent) AS child USING (partition),
         LATERAL regexp_match(child.printed, '^FOR VALUES FROM [(](.*)[)] TO [(](.*)[)]$') AS bounds
    WHERE bounds IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._time_partitions(regclass, snowflake_layout) IS 'internal: partitions except the default partition; are their bounds those of instants, and do they contain foreign tables?';

CREATE FUNCTION objectid_ext_tools._check_partition_interval(every interval) RETURNS void
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF every < '1 minute' OR every > '366 days' THEN
        RAISE EXCEPTION 'interval "%" is out of range', every
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The interval must be from 1 minute to 366 days.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_partition_interval(interval) IS 'internal: raises an error unless the interval is from 1 minute to 366 days';

-- Names are as precise as the bounds of a series of partitions.

CREATE FUNCTION objectid_ext_tools._partition_suffix(begins timestamp with time zone, ends timestamp with time zone) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN begins = date_trunc('day', begins) AND ends = date_trunc('day', ends) THEN '_YYYYMMDD'
                WHEN begins = date_trunc('minute', begins) AND ends = date_trunc('minute', ends) THEN '_YYYYMMDD_HH24MI'
                ELSE '_YYYYMMDD_HH24MISS_US' END
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_suffix(timestamp with time zone, timestamp with time zone) IS 'internal: format of the names of partitions with these bounds';

-- A name of 63 bytes at most, in the parent's schema: the parent's name, truncated
-- by whole characters, a suffix, and a number if that is taken.

CREATE FUNCTION objectid_ext_tools._partition_name(parent regclass, suffix text) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    schema_oid oid := (SELECT relnamespace FROM pg_class WHERE oid = parent);
    parent_name text;
    ending text := suffix;
BEGIN
    FOR n IN 2 .. 2147483647 LOOP
        parent_name := (SELECT relname FROM pg_class WHERE oid = parent);
        WHILE octet_length(parent_name || ending) > 63 AND parent_name <> '' LOOP
            parent_name := left(parent_name, -1);
        END LOOP;
        EXIT WHEN NOT EXISTS (SELECT FROM pg_class WHERE relname = parent_name || ending AND relnamespace = schema_oid)
              AND NOT EXISTS (SELECT FROM pg_type WHERE typname = parent_name || ending AND typnamespace = schema_oid);
        ending := suffix || '_' || n;
    END LOOP;
    RETURN format('%I.%I', (SELECT nspname FROM pg_namespace WHERE oid = schema_oid), parent_name || ending);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_name(regclass, text) IS 'internal: a free name for a partition, qualified and quoted';

-- Commands that enable the triggers of a table and its partitions as they are
-- now, except those of foreign keys.

CREATE FUNCTION objectid_ext_tools._triggers("table" regclass, OUT disable text[], OUT enable text[])
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(array_agg(format('ALTER TABLE ONLY %s DISABLE TRIGGER %I', tgrelid::regclass, tgname)), '{}'),
           coalesce(array_agg(format('ALTER TABLE ONLY %s ENABLE %s TRIGGER %I', tgrelid::regclass,
                                     CASE tgenabled WHEN 'R' THEN 'REPLICA' WHEN 'A' THEN 'ALWAYS' END, tgname)), '{}')
    FROM pg_trigger t LEFT JOIN pg_constraint c ON c.oid = tgconstraint
    WHERE tgrelid IN (SELECT relid FROM pg_partition_tree("table")) AND tgenabled <> 'D' AND coalesce(contype, 't') = 't'
$$;
COMMENT ON FUNCTION objectid_ext_tools._triggers(regclass) IS 'internal: commands that disable the triggers of a table and its partitions, and that enable them again';

-- The rows would be deleted and inserted, so foreign keys that refer to them would
-- fail, or delete the referring rows.

CREATE FUNCTION objectid_ext_tools._check_not_referenced("table" regclass, condition text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    key record;
    found boolean;
BEGIN
    FOR key IN
        SELECT conname, conrelid::regclass AS referring, confrelid::regclass AS referred,
               (SELECT string_agg(format('d.%I OPERATOR(%I.%s) f.%I', r.attname, nspname, oprname, a.attname), ' AND ')
                FROM unnest(conkey, confkey, conpfeqop) AS k (referring, referred, operator)
                     JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.referring
                     JOIN pg_attribute r ON r.attrelid = confrelid AND r.attnum = k.referred
                     JOIN pg_operator o ON o.oid = k.operator JOIN pg_namespace n ON n.oid = oprnamespace) AS equal
        FROM pg_constraint
        WHERE contype = 'f' AND confrelid IN (SELECT relid FROM pg_partition_tree("table"))
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %s AS f JOIN (SELECT * FROM %s WHERE %s) AS d ON %s)', key.referring, key.referred, condition, key.equal)
            INTO found;
        IF found THEN
            RAISE EXCEPTION 'cannot move rows out of default partition %', "table"
                USING ERRCODE = 'foreign_key_violation',
                      DETAIL = format('Foreign key constraint "%s" of table %s refers to them.', key.conname, key.referring),
                      HINT = 'Drop the constraint, create the partition, and add the constraint again.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_not_referenced(regclass, text) IS 'internal: raises an error if a foreign key refers to rows of a table that satisfy a condition';

-- Take the rows of a range of ids out of a default partition, into a temporary
-- table, which is null if there are none.  Nobody can add one of them before the
-- transaction ends.  The caller puts them into the new partition only when that is
-- attached: otherwise logical replication would send the deletion, but not the
-- insertion.

CREATE FUNCTION objectid_ext_tools._take_default_rows(parent regclass, default_partition regclass, condition text, columns text) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    is_foreign boolean := EXISTS (SELECT FROM pg_partition_tree(default_partition) JOIN pg_class c ON c.oid = relid WHERE relkind = 'f');
    triggers record;
    found boolean;
    taken bigint;
    command text;
BEGIN
    -- a foreign table cannot be locked
    EXECUTE format('LOCK TABLE %s %s IN ACCESS EXCLUSIVE MODE', CASE WHEN is_foreign THEN 'ONLY' ELSE '' END,
                   CASE WHEN is_foreign THEN parent ELSE default_partition END);
    EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE %s)', default_partition, condition) INTO found;
    IF NOT found THEN
        RETURN 0;
    END IF;
    PERFORM objectid_ext_tools._check_not_referenced(default_partition, condition);
    EXECUTE format('CREATE TEMPORARY TABLE objectid_ext_tools_moved ON COMMIT DROP AS SELECT %s FROM %s WHERE %s', columns, default_partition, condition);
    triggers := objectid_ext_tools._triggers(default_partition);
    FOREACH command IN ARRAY triggers.disable LOOP
        EXECUTE command;
    END LOOP;
    EXECUTE format('DELETE FROM %s WHERE %s', default_partition, condition);
    GET DIAGNOSTICS taken = ROW_COUNT;
    FOREACH command IN ARRAY triggers.enable LOOP
        EXECUTE command;
    END LOOP;
    RETURN taken;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._take_default_rows(regclass, regclass, text, text) IS 'internal: moves rows of a default partition to the temporary table objectid_ext_tools_moved; returns their number';

CREATE FUNCTION objectid_ext_tools._put_default_rows(partition regclass, columns text) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    triggers record := objectid_ext_tools._triggers(partition);
    put bigint;
    command text;
BEGIN
    FOREACH command IN ARRAY triggers.disable LOOP
        EXECUTE command;
    END LOOP;
    EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM pg_temp.objectid_ext_tools_moved', partition, columns);
    GET DIAGNOSTICS put = ROW_COUNT;
    FOREACH command IN ARRAY triggers.enable LOOP
        EXECUTE command;
    END LOOP;
    DROP TABLE pg_temp.objectid_ext_tools_moved;
    RETURN put;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._put_default_rows(regclass, text) IS 'internal: moves the rows of the temporary table objectid_ext_tools_moved to a new partition; returns their number';

-- The latest partition, if it is itself partitioned, by another column and into
-- local tables: then new ones are divided likewise.

CREATE FUNCTION objectid_ext_tools._partition_template(parent regclass, layout snowflake_layout) RETURNS regclass
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT latest.partition
    FROM (SELECT * FROM objectid_ext_tools._time_partitions(parent, layout) WHERE exact_upper ORDER BY upper DESC LIMIT 1) AS latest
         JOIN pg_partitioned_table template ON template.partrelid = latest.partition
         JOIN pg_partitioned_table p ON p.partrelid = parent
    WHERE NOT is_foreign
      AND NOT EXISTS (SELECT FROM pg_attribute mine JOIN pg_attribute its ON its.attname = mine.attname
                      WHERE mine.attrelid = parent AND mine.attnum = p.partattrs[0] AND its.attrelid = latest.partition
                        AND template.partstrat = 'r' AND its.attnum = ANY (template.partattrs::int2[]))
$$;
COMMENT ON FUNCTION objectid_ext_tools._partition_template(regclass, snowflake_layout) IS 'internal: partition whose sub-partitions new ones get, too; null if there is none';

CREATE FUNCTION objectid_ext_tools._copy_subpartitions(template regclass, partition regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    child record;
    name text;
BEGIN
    FOR child IN
        SELECT c.oid::regclass AS template, pg_get_expr(relpartbound, c.oid) AS bound, ' PARTITION BY ' || pg_get_partkeydef(c.oid) AS key,
               row_number() OVER (ORDER BY relname) AS number
        FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = template
    LOOP
        name := objectid_ext_tools._partition_name(partition, '_' || child.number);
        EXECUTE format('CREATE TABLE %s PARTITION OF %s %s%s', name, partition, child.bound, child.key);
        PERFORM objectid_ext_tools._copy_subpartitions(child.template, name::regclass);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._copy_subpartitions(regclass, regclass) IS 'internal: creates the same sub-partitions in a new partition';

-- ATTACH PARTITION does not block queries on the parent; CREATE TABLE ... PARTITION
-- OF does.  The table gets what the latter would give it.

CREATE FUNCTION objectid_ext_tools._create_partition_table(parent regclass, partition text, template regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    p record;
BEGIN
    SELECT amname, spcname INTO p
    FROM pg_class c LEFT JOIN pg_am m ON m.oid = relam LEFT JOIN pg_tablespace t ON t.oid = reltablespace WHERE c.oid = parent;
    EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING COMPRESSION INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)%s%s%s',
                   partition, parent, ' PARTITION BY ' || pg_get_partkeydef(template), ' USING ' || quote_ident(p.amname), ' TABLESPACE ' || quote_ident(p.spcname));
    IF template IS NOT NULL THEN
        PERFORM objectid_ext_tools._copy_subpartitions(template, partition::regclass);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._create_partition_table(regclass, text, regclass) IS 'internal: creates a table that can become a partition, with the access method and tablespace of the parent, and the sub-partitions of a template';

-- If another role than its owner maintains the parent, a superuser for example, the
-- owner must still be able to alter it with all partitions.

CREATE FUNCTION objectid_ext_tools._give_to_owner(parent regclass, partition regclass) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    command text;
BEGIN
    FOR command IN
        SELECT format('ALTER TABLE %s OWNER TO %I', relid, rolname)
        FROM pg_class p JOIN pg_roles r ON r.oid = p.relowner, pg_partition_tree(partition) JOIN pg_class c ON c.oid = relid
        WHERE p.oid = parent AND c.relowner <> p.relowner
    LOOP
        EXECUTE command;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._give_to_owner(regclass, regclass) IS 'internal: makes the owner of a parent the owner of a partition';

CREATE FUNCTION objectid_ext_tools._create_partition(
    parent regclass,
    begins timestamp with time zone,
    ends timestamp with time zone,
    layout snowflake_layout,
    suffix text,
    template regclass,
    OUT partition regclass,
    OUT moved bigint
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    key_type regtype := objectid_ext_tools._partition_key_type(parent);
    begin_id text := objectid_ext_tools._partition_bound(key_type, begins, layout);
    end_id text := objectid_ext_tools._partition_bound(key_type, ends, layout);
    default_partition regclass := (SELECT nullif(partdefid, 0) FROM pg_partitioned_table WHERE partrelid = parent);
    operators text := CASE WHEN key_type IN ('bigint'::regtype, 'uuid'::regtype) THEN 'pg_catalog' ELSE objectid_ext_tools._ids_schema() END;
    name text := objectid_ext_tools._partition_name(parent, to_char(begins, suffix));
    columns text;
    condition text;
BEGIN
    IF begin_id = end_id THEN
        RAISE EXCEPTION 'no id of table % has a time from % to %', parent, begins, ends USING ERRCODE = 'datetime_field_overflow';
    END IF;
    moved := 0;
    PERFORM objectid_ext_tools._create_partition_table(parent, name, template);
    partition := name::regclass;
    IF default_partition IS NOT NULL THEN
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attgenerated = ''),
               format('%1$I OPERATOR(%2$s.>=) %3$L::%4$s AND %1$I OPERATOR(%2$s.<) %5$L::%4$s',
                      min(attname) FILTER (WHERE attnum = partattrs[0]), operators, begin_id, key_type, end_id)
            INTO columns, condition
        FROM pg_attribute JOIN pg_partitioned_table ON partrelid = attrelid
        WHERE attrelid = parent AND attnum > 0 AND NOT attisdropped;
        moved := objectid_ext_tools._take_default_rows(parent, default_partition, condition, columns);
    END IF;
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, partition, begin_id, end_id);
    IF moved > 0 AND objectid_ext_tools._put_default_rows(partition, columns) <> moved THEN
        RAISE EXCEPTION 'not all rows of default partition % were moved', default_partition USING ERRCODE = 'triggered_action_exception';
    END IF;
    PERFORM objectid_ext_tools._give_to_owner(parent, partition);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._create_partition(regclass, timestamp with time zone, timestamp with time zone, snowflake_layout, text, regclass) IS 'internal: creates a partition, and moves its rows out of the default partition; the caller holds SHARE UPDATE EXCLUSIVE on the parent';

-- timezone is UTC, so that bounds and names do not depend on the session.

CREATE FUNCTION objectid_ext_tools.create_id_partitions(
    parent regclass,
    every interval,
    first timestamp with time zone,
    upto timestamp with time zone,
    layout snowflake_layout DEFAULT 'twitter'
) RETURNS SETOF regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    key_type regtype := objectid_ext_tools._partition_key_type(parent);
    suffix text := objectid_ext_tools._partition_suffix(first, first + every);
    template regclass;
    existing text[];
    created record;
    begins timestamptz := first;
    ends timestamptz;
BEGIN
    PERFORM objectid_ext_tools._check_partition_interval(every);
    IF NOT isfinite(first) OR NOT isfinite(upto) OR upto <= first THEN
        RAISE EXCEPTION 'invalid time span from % to %', first, upto
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Both ends must be finite, and the end must be after the beginning.';
    END IF;

    -- concurrent calls wait for this one, and then find its partitions
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    template := objectid_ext_tools._partition_template(parent, layout);
    existing := ARRAY(SELECT printed FROM objectid_ext_tools._partition_bounds(parent));

    -- use multiples of the interval, because repeated addition of months drifts:
    -- 31 January, 28 February, 28 March
    FOR n IN 1 .. 2147483647 LOOP
        EXIT WHEN begins >= upto;
        ends := first + n * every;
        IF format('FOR VALUES FROM (%L) TO (%L)', objectid_ext_tools._partition_bound(key_type, begins, layout),
                  objectid_ext_tools._partition_bound(key_type, ends, layout)) <> ALL (existing) THEN
            created := objectid_ext_tools._create_partition(parent, begins, ends, layout, suffix, template);
            RETURN NEXT created.partition;
        END IF;
        begins := ends;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.create_id_partitions(regclass, interval, timestamp with time zone, timestamp with time zone, snowflake_layout) IS 'creates the missing partitions of a time span, and returns them; moves their rows out of the default partition; the parent is partitioned by range of one objectid, bigint (of the layout) or uuid (version 7) column; the interval is from 1 minute to 366 days';

-- CONCURRENTLY cannot run in a function, so that statement is only returned.  A
-- partition that is referenced by foreign keys must be detached before it can be
-- dropped; detaching it checks that no row refers to it.

CREATE FUNCTION objectid_ext_tools._drop_statement(parent regclass, partition regclass, action text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN action = 'drop' AND NOT is_referenced THEN dropping
                WHEN action = 'drop' THEN detaching || '; ' || dropping
                WHEN action = 'detach' THEN detaching
                ELSE detaching || CASE WHEN inhdetachpending THEN '' ELSE ' CONCURRENTLY' END END
    FROM pg_inherits,
         LATERAL (SELECT format('ALTER TABLE %s DETACH PARTITION %s', parent, partition) || CASE WHEN inhdetachpending THEN ' FINALIZE' ELSE '' END,
                         format('DROP TABLE %s', partition),
                         EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = parent)) AS s (detaching, dropping, is_referenced)
    WHERE inhparent = parent AND inhrelid = partition
$$;
COMMENT ON FUNCTION objectid_ext_tools._drop_statement(regclass, regclass, text) IS 'internal: statement that drops or detaches a partition';

CREATE FUNCTION objectid_ext_tools.drop_id_partitions(
    parent regclass,
    older_than timestamp with time zone,
    action text DEFAULT 'drop',
    layout snowflake_layout DEFAULT 'twitter',
    OUT partition text,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT statement text,
    OUT problem text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    old record;
    detail text;
BEGIN
    IF action NOT IN ('drop', 'detach', 'detach concurrently') THEN
        RAISE EXCEPTION 'invalid action "%"', action
            USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid actions are "drop", "detach" and "detach concurrently".';
    END IF;
    IF NOT isfinite(older_than) THEN
        RAISE EXCEPTION 'time must be finite' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF action = 'detach concurrently' AND EXISTS (SELECT FROM pg_partitioned_table WHERE partrelid = parent AND partdefid <> 0) THEN
        RAISE EXCEPTION 'cannot detach partitions of table % concurrently, because it has a default partition', parent
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF action <> 'detach concurrently' THEN
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    END IF;
    FOR old IN
        SELECT p.* FROM objectid_ext_tools._time_partitions(parent, layout) AS p
        WHERE p.upper <= older_than AND exact_lower AND exact_upper AND NOT is_foreign ORDER BY p.lower
    LOOP
        partition := old.partition;
        lower := old.lower;
        upper := old.upper;
        statement := objectid_ext_tools._drop_statement(parent, old.partition, action);
        problem := NULL;
        IF action <> 'detach concurrently' THEN
            BEGIN
                EXECUTE statement;
            EXCEPTION WHEN foreign_key_violation OR dependent_objects_still_exist OR lock_not_available THEN
                GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
                problem := concat_ws(': ', problem, nullif(detail, ''));
            END;
        END IF;
        RETURN NEXT;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.drop_id_partitions(regclass, timestamp with time zone, text, snowflake_layout) IS 'drops or detaches partitions whose ids are all older than a time, and returns them; problem is the error if a partition is still referenced or locked, which then stays; action is drop, detach, or detach concurrently, which only returns the statements; partitions without a lower or upper time, and foreign ones, stay';

-- The grid of the existing partitions, or else multiples of the interval from
-- Monday 2001-01-01 on: months, weeks, days and hours begin as people expect.

CREATE FUNCTION objectid_ext_tools._period(
    every interval,
    anchor timestamp with time zone,
    instant timestamp with time zone,
    OUT begins timestamp with time zone,
    OUT ends timestamp with time zone
)
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    origin timestamptz := coalesce(anchor, '2001-01-01 00:00:00+00');
    n integer := floor(extract(epoch FROM instant - origin) / extract(epoch FROM every));
BEGIN
    PERFORM objectid_ext_tools._check_partition_interval(every);
    -- the epoch of an interval takes months and years of a fixed length
    WHILE origin + n * every > instant LOOP
        n := n - 1;
    END LOOP;
    WHILE origin + (n + 1) * every <= instant LOOP
        n := n + 1;
    END LOOP;
    begins := origin + n * every;
    ends := origin + (n + 1) * every;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._period(interval, timestamp with time zone, timestamp with time zone) IS 'internal: the multiple of an interval, counted from an anchor or from 2001-01-01, that contains an instant';

-- The time spans that are missing in a span, between the existing partitions: they
-- continue the intervals of those before.  If these have just been dropped, past is
-- where they ended.

CREATE FUNCTION objectid_ext_tools._missing_partitions(
    parent regclass,
    every interval,
    first timestamp with time zone,
    upto timestamp with time zone,
    past timestamp with time zone,
    layout snowflake_layout,
    OUT begins timestamp with time zone,
    OUT ends timestamp with time zone
) RETURNS SETOF record
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    partitions tstzmultirange;
    bounds timestamptz[];
    gap tstzrange;
    instant timestamptz;
    anchor timestamptz;
    missing integer := 0;
BEGIN
    SELECT range_agg(tstzrange(lower, upper)), array_agg(upper) FILTER (WHERE exact_upper) INTO partitions, bounds
    FROM objectid_ext_tools._time_partitions(parent, layout);
    FOR gap IN SELECT g FROM unnest('{(,)}'::tstzmultirange - coalesce(partitions, '{}')) AS g WHERE g && tstzrange(first, upto, '[]') ORDER BY g LOOP
        instant := greatest(first, lower(gap));
        anchor := coalesce((SELECT max(b) FROM unnest(bounds) AS b WHERE b <= instant), past);
        WHILE instant <= upto AND (upper_inf(gap) OR instant < upper(gap)) LOOP
            SELECT greatest(p.begins, lower(gap)), least(p.ends, upper(gap)) INTO begins, ends FROM objectid_ext_tools._period(every, anchor, instant) AS p;
            missing := missing + 1;
            IF missing > 10000 THEN
                RAISE EXCEPTION 'more than 10000 partitions of table % are missing', parent USING ERRCODE = 'program_limit_exceeded';
            END IF;
            RETURN NEXT;
            instant := ends;
        END LOOP;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._missing_partitions(regclass, interval, timestamp with time zone, timestamp with time zone, timestamp with time zone, snowflake_layout) IS 'internal: time spans of the partitions that are missing; past is null, or the end of partitions that were dropped';

CREATE FUNCTION objectid_ext_tools.maintain_id_partitions(
    parent regclass,
    every interval,
    ahead interval,
    keep interval DEFAULT NULL,
    action text DEFAULT 'drop',
    layout snowflake_layout DEFAULT 'twitter',
    OUT done text,
    OUT partition text,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone,
    OUT moved bigint,
    OUT problem text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    present timestamptz;
    past timestamptz;
    template regclass;
    detail text;
BEGIN
    IF parent IS NULL OR every IS NULL OR ahead IS NULL OR action IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'parent, interval, time ahead, action and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._partition_key_type(parent);
    PERFORM objectid_ext_tools._check_partition_interval(every);
    IF ahead < '0' OR keep < '0' THEN
        RAISE EXCEPTION 'time ahead and time to keep must not be negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF action NOT IN ('drop', 'detach') THEN
        RAISE EXCEPTION 'invalid action "%"', action USING ERRCODE = 'invalid_parameter_value', HINT = 'Valid actions are "drop" and "detach".';
    END IF;

    -- concurrent calls wait for this one, and then find what it has done
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    present := clock_timestamp();
    past := (SELECT max(p.upper) FROM objectid_ext_tools._time_partitions(parent, layout) AS p WHERE p.upper <= present AND exact_upper);

    -- Drop first: that locks the parent, and could deadlock with a reader that
    -- waits for the default partition, if that were locked before.
    IF keep IS NOT NULL THEN
        FOR partition, lower, upper, problem IN
            SELECT d.partition, d.lower, d.upper, d.problem FROM objectid_ext_tools.drop_id_partitions(parent, present - keep, action, layout) AS d
        LOOP
            done := CASE WHEN problem IS NOT NULL THEN NULL WHEN action = 'drop' THEN 'dropped' ELSE 'detached' END;
            RETURN NEXT;
        END LOOP;
    END IF;

    -- Begin where the last partition of the past ended, unless that is to be dropped.
    template := objectid_ext_tools._partition_template(parent, layout);
    FOR lower, upper IN
        SELECT m.begins, m.ends
        FROM objectid_ext_tools._missing_partitions(parent, every, CASE WHEN past IS NULL THEN present ELSE greatest(past, present - keep) END,
                                                    present + ahead, past, layout) AS m
    LOOP
        problem := NULL;
        BEGIN
            SELECT 'created', c.partition, c.moved INTO done, partition, moved
            FROM objectid_ext_tools._create_partition(parent, lower, upper, layout, objectid_ext_tools._partition_suffix(lower, upper), template) AS c;
        EXCEPTION WHEN foreign_key_violation OR lock_not_available THEN
            done := NULL;
            partition := NULL;
            moved := NULL;
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', problem, nullif(detail, ''));
        END;
        RETURN NEXT;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.maintain_id_partitions(regclass, interval, interval, interval, text, snowflake_layout) IS 'creates the partitions from now to a time ahead, with the intervals of the existing ones, and drops or detaches those that are older than a time to keep (null: none); returns what was done (created, dropped, detached; null if there was a problem), the rows moved out of the default partition, and the problem; the interval is from 1 minute to 366 days';

----------------------------------------------------------------------
-- Clock sequences
----------------------------------------------------------------------

CREATE FUNCTION objectid_ext_tools._layout(layout text) RETURNS snowflake_layout
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN layout::snowflake_layout;
COMMENT ON FUNCTION objectid_ext_tools._layout(text) IS 'internal: cast to snowflake_layout';

-- In the highest id, all bits of the node and of the sequence number are set.  A
-- last_value in the first day of the layout is a number that the sequence had
-- before it became a clock.

CREATE FUNCTION objectid_ext_tools._layout_facts(
    layout snowflake_layout,
    OUT max_node integer,
    OUT slots bigint,
    OUT tick interval,
    OUT second_day bigint,
    OUT highest bigint,
    OUT last_instant timestamp with time zone
)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT field.node,
           field.slots,
           snowflake_timestamp(field.highest, layout) OPERATOR(pg_catalog.-)
               snowflake_timestamp(field.highest OPERATOR(pg_catalog.-) ((field.node::bigint OPERATOR(pg_catalog.+) 1::bigint) OPERATOR(pg_catalog.*) field.slots), layout),
           snowflake_floor(snowflake_timestamp(0::bigint, layout) OPERATOR(pg_catalog.+) interval '1 day', layout),
           field.highest,
           snowflake_timestamp(field.highest, layout)
    FROM (SELECT id, snowflake_node(id, layout), snowflake_sequence(id, layout)::bigint OPERATOR(pg_catalog.+) 1::bigint
          FROM (SELECT snowflake_ceiling(timestamptz 'infinity', layout)) AS last (id)) AS field (highest, node, slots);
END;
COMMENT ON FUNCTION objectid_ext_tools._layout_facts(snowflake_layout) IS 'internal: highest node, ids of a node in a tick, length of a tick, lowest id of the second day, highest id and its time';

CREATE FUNCTION objectid_ext_tools._id_facts(id bigint, layout snowflake_layout, OUT created timestamp with time zone, OUT node integer)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT snowflake_timestamp(id, layout), snowflake_node(id, layout);
END;
COMMENT ON FUNCTION objectid_ext_tools._id_facts(bigint, snowflake_layout) IS 'internal: time and node of an id';

-- Calling a function of the library loads it.  That defines its settings, and
-- removes what a session has set under their names before.

CREATE FUNCTION objectid_ext_tools._server_settings(OUT node integer, OUT max_lead interval)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._layout('twitter');
    node := nullif(current_setting('objectid_ext.node_id')::integer, -1);
    max_lead := current_setting('objectid_ext.max_clock_lead')::interval;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._server_settings() IS 'internal: the settings node_id (null if it is not set) and max_clock_lead';

-- The table of Citus may not exist, so the query on it is dynamic.

CREATE FUNCTION objectid_ext_tools._citus_tables() RETURNS SETOF oid
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        RETURN QUERY EXECUTE 'SELECT logicalrelid::oid FROM pg_catalog.pg_dist_partition';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._citus_tables() IS 'internal: distributed tables of Citus, if it is installed';

-- The calls are found by the dependencies of defaults.  Their arguments are read
-- from the text, and not evaluated, because a default can call any function.
--
-- At each position, the regular expression matches string literals and
-- identifiers as a whole, so that it does not find a call inside of them.

CREATE FUNCTION objectid_ext_tools._generator_calls(
    OUT relation oid,
    OUT attribute smallint,
    OUT expression text,
    OUT generator name,
    OUT sequence text,
    OUT node text,
    OUT layout text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
    WITH generator (oid, name, arguments, layout) AS (
        SELECT p.oid, proname,
               CASE proname WHEN 'next_snowflake' THEN '{seq,node,layout}' ELSE '{node,seq,layout}' END::text[],
               CASE proname WHEN 'next_snowflake' THEN 'twitter' ELSE 'instagram' END
        FROM pg_proc p
             JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
             JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
        WHERE extname = 'objectid_ext' AND proname IN ('next_snowflake', 'next_shard_id')
    ), column_default (attrelid, attnum, expression, generator) AS (
        SELECT adrelid, adnum, pg_get_expr(adbin, adrelid), g.oid
        FROM generator g
             JOIN pg_depend d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = g.oid AND d.classid = 'pg_attrdef'::regclass
             JOIN pg_attrdef a ON a.oid = d.objid
        UNION
        SELECT attrelid, attnum, pg_get_expr(typdefaultbin, 0), g.oid
        FROM generator g
             JOIN pg_depend d ON d.refclassid = 'pg_proc'::regclass AND d.refobjid = g.oid AND d.classid = 'pg_type'::regclass
             JOIN pg_type t ON t.oid = d.objid AND typtype = 'd'
             JOIN pg_attribute a ON atttypid = t.oid AND attnum > 0 AND NOT attisdropped AND NOT atthasdef
             JOIN pg_class c ON c.oid = attrelid AND relkind IN ('r', 'p', 'f')
    ), prefix (ids, pattern) AS (
        SELECT ids, regexp_replace(ids, '([].*^$()+?{}|\\[])', '\\\1', 'g')
        FROM (SELECT CASE schema WHEN 'pg_catalog' THEN '' ELSE schema || '.' END FROM objectid_ext_tools._ids_schema() AS schema) AS s (ids)
    ), argument (pattern) AS (
        -- parentheses can be nested to a depth of three
        SELECT format('((?:%s|%s)*)', atom, format('\((?:%s|,|%s)*\)', atom, two))
        FROM (SELECT '''(?:[^'']|'''')*''|"(?:[^"]|"")*"|[^''"(),]') AS a (atom),
             LATERAL format('\((?:%s|,)*\)', atom) AS one,
             LATERAL format('\((?:%s|,|%s)*\)', atom, one) AS two
    ), call (attrelid, attnum, expression, generator, number, arguments) AS (
        SELECT attrelid, attnum, d.expression, g.oid, number, m.arguments
        FROM column_default d JOIN generator g ON g.oid = d.generator CROSS JOIN argument a CROSS JOIN prefix
             LEFT JOIN LATERAL regexp_matches(d.expression,
                 format('(?<![.])%s%s\(%3$s(?:,%3$s)?(?:,%3$s)?\)|''(?:[^'']|'''')*''|"(?:[^"]|"")*"|[a-z0-9_$]+', prefix.pattern, g.name, a.pattern),
                 'g') WITH ORDINALITY AS m (arguments, number) ON m.arguments[1] IS NOT NULL
    ), value (attrelid, attnum, expression, generator, number, name, value) AS (
        SELECT attrelid, attnum, expression, generator, number,
               coalesce(replace(part[1], 'shard', 'node'), (SELECT g.arguments[n] FROM generator g WHERE g.oid = generator)), part[2]
        FROM call LEFT JOIN LATERAL unnest(call.arguments) WITH ORDINALITY AS a (argument, n) ON argument IS NOT NULL
             LEFT JOIN LATERAL regexp_match(argument, '^ *(?:([a-z]+) => )?(.*)$') AS part ON true
    ), named (attrelid, attnum, expression, generator, readable, sequence, node, layout) AS (
        SELECT attrelid, attnum, expression, generator, number IS NOT NULL,
               min(value) FILTER (WHERE name = 'seq'), min(value) FILTER (WHERE name = 'node'), min(value) FILTER (WHERE name = 'layout')
        FROM value
        GROUP BY attrelid, attnum, expression, generator, number
    )
    SELECT attrelid, attnum, expression, g.name, n.sequence,
           CASE WHEN readable THEN coalesce(nullif(n.node, prefix.ids || 'snowflake_node_id()'), 'server') END,
           CASE WHEN n.layout IS NOT NULL THEN
                    replace((regexp_match(n.layout, '^''((?:[^'']|'''')*)''::' || prefix.pattern || 'snowflake_layout$'))[1], '''''', '''')
                WHEN readable THEN g.layout
           END
    FROM named n JOIN generator g ON g.oid = n.generator CROSS JOIN prefix
$$;
COMMENT ON FUNCTION objectid_ext_tools._generator_calls() IS 'internal: defaults that call next_snowflake() or next_shard_id(), with arguments as printed; null if they cannot be read, also for a layout that is not a constant; node is "server" for snowflake_node_id()';

-- The sequence that an expression refers to: 'name'::regclass; nextval() of that; or
-- by_name, a cast from text, which each session resolves with its search_path.

CREATE FUNCTION objectid_ext_tools._sequence_reference(expression text, OUT by_name boolean, OUT name text, OUT sequence oid)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT literal IS NULL, shown, c.oid
    FROM regexp_replace(expression, '^nextval\((.*)\)$', '\1') AS argument,
         LATERAL (SELECT (regexp_match(argument, '^''((?:[^'']|'''')*)''::regclass$'))[1]) AS constant (literal),
         LATERAL (SELECT (regexp_match(argument, '^\(+''((?:[^'']|'''')*)''(?:::(?:text|character varying|name)\)+)+::regclass\)*$'))[1]) AS string (text),
         LATERAL (SELECT replace(coalesce(literal, text), '''''', '''')) AS reference (shown),
         LATERAL (SELECT array_agg(CASE WHEN part LIKE '"%' THEN replace(substr(part, 2, length(part) - 2), '""', '"') ELSE lower(part) END ORDER BY n)
                  FROM unnest(regexp_match(shown, '^(?:("(?:[^"]|"")+"|[^".]+)[.])?("(?:[^"]|"")+"|[^".]+)$')) WITH ORDINALITY AS p (part, n)) AS split (parts)
         LEFT JOIN LATERAL (SELECT oid FROM pg_class
                            WHERE relname = parts[2]
                              -- a name without a schema is one in the search_path of this function
                              AND CASE WHEN parts[1] IS NOT NULL THEN relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = parts[1])
                                       ELSE literal IS NOT NULL AND relnamespace IN (pg_my_temp_schema(), 'pg_catalog'::regnamespace) END
                           ) AS c ON true
    WHERE shown IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._sequence_reference(text) IS 'internal: the sequence that an argument refers to; null if it is not a constant';

-- Counters begin with the statistics of the database: they are reset on demand,
-- which pg_stat_database shows, or discarded after a crash, which resets those of
-- the whole server, too.

CREATE FUNCTION objectid_ext_tools._statistics_begin() RETURNS timestamp with time zone
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT greatest((SELECT stats_reset FROM pg_stat_database WHERE datname = current_database()),
                    least((SELECT stats_reset FROM pg_stat_archiver), (SELECT stats_reset FROM pg_stat_bgwriter), (SELECT stats_reset FROM pg_stat_wal)))
$$;
COMMENT ON FUNCTION objectid_ext_tools._statistics_begin() IS 'internal: when the cumulative statistics of tables and sequences began';

-- Roles that may insert into a table, but not take values from a sequence

CREATE FUNCTION objectid_ext_tools._roles_without_usage("table" oid, sequence oid) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT string_agg(role, ', ' ORDER BY role)
    FROM (SELECT relowner FROM pg_class WHERE oid = "table"
          UNION
          SELECT grantee FROM pg_class, aclexplode(relacl) WHERE oid = "table" AND privilege_type = 'INSERT'
          UNION
          SELECT grantee FROM pg_attribute, aclexplode(attacl) WHERE attrelid = "table" AND NOT attisdropped AND privilege_type = 'INSERT'
         ) AS inserter (oid)
         LEFT JOIN pg_roles r USING (oid),
         LATERAL (SELECT CASE oid WHEN 0 THEN 'public' ELSE rolname END::text) AS name (role)
    WHERE NOT has_sequence_privilege(role, sequence, 'USAGE, UPDATE')
$$;
COMMENT ON FUNCTION objectid_ext_tools._roles_without_usage(oid, oid) IS 'internal: roles with the privilege INSERT on a table, but neither USAGE nor UPDATE on a sequence; null if there is none';

CREATE FUNCTION objectid_ext_tools._clock_sequences(
    OUT table_name regclass,
    OUT column_name name,
    OUT generator name,
    OUT sequence regclass,
    OUT layout snowflake_layout,
    OUT node integer,
    OUT last_id bigint,
    OUT last_time timestamp with time zone,
    OUT lead interval,
    OUT ids_per_second double precision,
    OUT share double precision,
    OUT counted_since timestamp with time zone,
    OUT last_instant timestamp with time zone,
    OUT years_left numeric,
    OUT same_ids regclass[],
    OUT problem text
) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE call AS MATERIALIZED (
        SELECT c.relation, c.attribute, attname, c.expression, c.generator, c.node AS node_text, objectid_ext_tools._layout(c.layout) AS layout, c.layout AS layout_text,
               relname, relpersistence, relnamespace, coalesce(nullif(typbasetype, 0), atttypid)::regtype AS type,
               reference.by_name, reference.name AS sequence_name, reference.sequence,
               CASE WHEN c.node = 'server' THEN setting.node ELSE (regexp_match(c.node, '^\(?''?(-?\d{1,9})''?\)?(?:::(?:integer|smallint))?$'))[1]::integer END AS node,
               setting.max_lead
        FROM objectid_ext_tools._generator_calls() c
             CROSS JOIN objectid_ext_tools._server_settings() AS setting
             JOIN pg_class t ON t.oid = c.relation AND NOT pg_is_other_temp_schema(relnamespace)
             JOIN pg_attribute a ON attrelid = c.relation AND attnum = c.attribute
             JOIN pg_type y ON y.oid = atttypid
             LEFT JOIN objectid_ext_tools._sequence_reference(c.sequence) AS reference ON true
    ), ancestor (relation, oid) AS (
        SELECT DISTINCT relation, relation FROM call
        UNION
        SELECT relation, inhparent FROM ancestor JOIN pg_inherits ON inhrelid = ancestor.oid
    ), own AS (
        -- without what a partition or child has inherited
        SELECT * FROM call
        WHERE NOT EXISTS (SELECT FROM ancestor JOIN call AS parent ON parent.relation = ancestor.oid
                          WHERE ancestor.relation = call.relation AND ancestor.oid <> call.relation
                            AND parent.attname = call.attname AND parent.expression = call.expression)
    ), clock AS MATERIALIZED (
        SELECT own.*, seqrelid, seqincrement, seqmin, seqmax, seqcache, seqcycle, seqtypid,
               s.relkind AS sequence_kind, s.relpersistence AS sequence_persistence,
               max_node, slots, tick, second_day, highest, facts.last_instant,
               has_sequence_privilege(seqrelid, 'SELECT, USAGE') AS readable,
               CASE WHEN has_sequence_privilege(seqrelid, 'SELECT, USAGE') AND NOT pg_is_other_temp_schema(s.relnamespace)
                         AND NOT (s.relpersistence = 'u' AND pg_is_in_recovery()) THEN pg_sequence_last_value(seqrelid) END AS last_value,
               pg_stat_get_blocks_fetched(seqrelid)::float8 * seqcache AS taken,
               objectid_ext_tools._statistics_begin() AS since, clock_timestamp() AS now,
               distributed IS NOT NULL AS is_distributed
        FROM own LEFT JOIN pg_class s ON s.oid = own.sequence LEFT JOIN pg_sequence ON seqrelid = own.sequence
             LEFT JOIN objectid_ext_tools._layout_facts(own.layout) AS facts ON true
             LEFT JOIN objectid_ext_tools._citus_tables() AS distributed ON distributed = own.relation
    ), state AS (
        SELECT clock.*, created, id.node AS last_node, created - now AS lead,
               taken / nullif(extract(epoch FROM now - since), 0)::float8 AS rate,
               slots::float8 / greatest(seqincrement, 1) / extract(epoch FROM tick)::float8 AS capacity,
               objectid_ext_tools._partition_bound('bigint', now, layout)::bigint AS present,
               ARRAY(SELECT DISTINCT other.sequence::regclass FROM own AS other
                     WHERE other.generator = 'next_snowflake' AND clock.generator = 'next_snowflake' AND other.sequence <> clock.sequence
                       AND other.node = clock.node AND other.layout_text = clock.layout_text ORDER BY 1) AS same
        FROM clock
             LEFT JOIN objectid_ext_tools._id_facts(CASE WHEN generator = 'next_snowflake' AND last_value BETWEEN second_day AND highest THEN last_value END, layout) AS id ON true
    )
    SELECT relation::regclass, attname, generator, sequence::regclass, layout, node,
           CASE WHEN created IS NOT NULL THEN last_value END, created, lead,
           rate, rate / capacity, since, last_instant, round((extract(epoch FROM last_instant - now) / (365.25 * 86400)), 1), nullif(same, '{}'),
           nullif(concat_ws('; ',
               -- the default
               CASE WHEN sequence_name IS NULL OR layout IS NULL THEN 'the default is not checked, because its arguments are not constants' END,
               CASE WHEN type IN ('smallint'::regtype, 'integer'::regtype) THEN format('the column is of type %s', type) END,
               CASE WHEN node_text = 'server' AND node IS NULL THEN 'objectid_ext.node_id is not set' END,
               CASE WHEN node < 0 OR node > max_node THEN
                   format('%s %s is out of range: 0 to %s', CASE generator WHEN 'next_snowflake' THEN 'node' ELSE 'shard' END, node, max_node) END,
               CASE WHEN generator = 'next_shard_id' AND tick > '1 second' THEN 'a tick of the layout is longer than a second' END,
               CASE WHEN sequence IS NULL AND by_name AND sequence_name !~ '^("(?:[^"]|"")+"|[^"]+)[.]' THEN
                        format('sequence %s is looked up in the search_path of each session', sequence_name)
                    WHEN sequence IS NULL AND sequence_name IS NOT NULL THEN format('sequence %s does not exist', sequence_name)
                    WHEN sequence_kind <> 'S' THEN format('%s is not a sequence', sequence_name) END,
               -- the sequence's options
               CASE WHEN seqincrement < 0 THEN 'the sequence is descending'
                    WHEN generator = 'next_snowflake' AND seqincrement > slots THEN format('INCREMENT %s is more than the %s ids of a tick', seqincrement, slots)
                    WHEN generator = 'next_snowflake' AND seqcache::numeric * seqincrement > slots THEN
                        format('CACHE %s is more than the %s ids of a tick', seqcache, slots / seqincrement) END,
               CASE WHEN generator = 'next_snowflake' AND seqmin > greatest(present, 1) THEN format('MINVALUE %s is ahead of the clock', seqmin) END,
               CASE WHEN generator = 'next_snowflake' AND seqmax < present THEN
                        format('MAXVALUE %s%s is below the present ids', seqmax, CASE WHEN seqtypid <> 'bigint'::regtype THEN format(' (AS %s)', seqtypid::regtype) END)
                    WHEN generator = 'next_snowflake' AND seqmax < highest THEN format('MAXVALUE %s is below the last ids of the layout', seqmax)
                    WHEN generator = 'next_shard_id' AND NOT seqcycle AND last_value > seqmax * 0.9 THEN
                        format('the sequence has reached %s of %s', last_value, seqmax) END,
               CASE WHEN seqcycle THEN 'the sequence is CYCLE' END,
               CASE WHEN sequence_persistence = 't' AND relpersistence <> 't' THEN 'the sequence is temporary'
                    WHEN sequence_persistence = 'u' AND relpersistence = 'p' THEN 'the sequence is unlogged' END,
               CASE WHEN is_distributed AND EXISTS (SELECT FROM pg_depend
                                                    WHERE classid = 'pg_class'::regclass AND objid = sequence AND deptype = 'a' AND refclassid = 'pg_class'::regclass) THEN
                        'Citus changes the limits of a sequence that is OWNED BY a column'
                    WHEN is_distributed AND NOT by_name THEN 'Citus changes the limits of a sequence that a default depends on' END,
               -- what else uses it
               'these roles may insert, but have no USAGE on the sequence: ' || objectid_ext_tools._roles_without_usage(relation, seqrelid),
               'nextval is used by ' || (SELECT string_agg(format('%s.%I', attrelid::regclass, a.attname), ', ' ORDER BY attrelid, attnum)
                                         FROM pg_attribute a
                                              JOIN (SELECT adrelid, adnum FROM pg_depend d JOIN pg_attrdef f ON f.oid = d.objid
                                                    WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = sequence
                                                      AND NOT EXISTS (SELECT FROM call WHERE call.relation = adrelid AND call.attribute = adnum)
                                                    UNION
                                                    SELECT refobjid, refobjsubid FROM pg_depend
                                                    WHERE classid = 'pg_class'::regclass AND objid = sequence AND deptype = 'i' AND refclassid = 'pg_class'::regclass
                                                   ) AS usage ON attrelid = adrelid AND attnum = adnum
                                         WHERE generator = 'next_snowflake'),
               'the sequence has other layouts in ' || (SELECT string_agg(DISTINCT format('%s.%I', other.relation::regclass, other.attname), ', ') FROM own AS other
                                                        WHERE other.generator = 'next_snowflake' AND state.generator = 'next_snowflake'
                                                          AND other.sequence = state.sequence AND other.layout_text <> state.layout_text),
               'the same ids can come from ' || (SELECT string_agg(DISTINCT format('%s in %s', other.sequence::regclass, other.relation::regclass), ', ')
                                                 FROM own AS other
                                                 WHERE other.sequence = ANY (same) AND other.node = state.node AND other.layout_text = state.layout_text
                                                   AND (EXISTS (SELECT FROM ancestor AS mine JOIN ancestor AS theirs USING (oid)
                                                                WHERE mine.relation = state.relation AND theirs.relation = other.relation)
                                                        OR other.relname = state.relname AND other.relnamespace <> state.relnamespace
                                                           AND state.node_text <> 'server' AND other.node_text <> 'server')),
               -- its last value
               CASE WHEN NOT readable THEN 'permission denied to read the sequence' END,
               CASE WHEN generator = 'next_snowflake' AND last_value > highest THEN format('last value %s is not an id of the layout', last_value) END,
               CASE WHEN NOT EXISTS (SELECT FROM own AS other WHERE other.sequence = state.sequence AND coalesce(other.node, last_node) = last_node) AND last_node >= 0 THEN
                   format('the last id is of node %s: nextval was used, or the node has changed', last_node) END,
               CASE WHEN lead > max_lead + interval '1 second' + tick THEN format('the clock is %s seconds behind the last id', round(extract(epoch FROM lead))) END,
               CASE WHEN last_instant - now < interval '1 year' THEN format('the layout ends at %s', last_instant) END), '')
    FROM state
    ORDER BY relation::regclass::text COLLATE "C", attribute
$$;
COMMENT ON FUNCTION objectid_ext_tools._clock_sequences() IS 'internal: the rows of the view clock_sequences';

CREATE VIEW objectid_ext_tools.clock_sequences AS
SELECT table_name, column_name, generator, sequence, layout, node, last_id, last_time, lead, ids_per_second, share, counted_since,
       last_instant, years_left, same_ids, problem
FROM objectid_ext_tools._clock_sequences();
COMMENT ON VIEW objectid_ext_tools.clock_sequences IS 'columns whose default calls next_snowflake() or next_shard_id(), with the sequence, its last id and rate, and what is wrong with it in column problem, which is null if nothing is';
GRANT SELECT ON objectid_ext_tools.clock_sequences TO PUBLIC;

----------------------------------------------------------------------
-- Existing tables
----------------------------------------------------------------------

-- The columns whose type changes together with a column: all columns that
-- reference it by foreign keys, directly or not, and the columns of partitions
-- and children that inherit one of these, because a foreign key can reference a
-- partition, too.  A constraint with a parent belongs to a partition and follows
-- its parent.

CREATE FUNCTION objectid_ext_tools._referring_columns(
    "table" regclass,
    "column" name,
    OUT relation regclass,
    OUT attribute name,
    OUT attribute_type regtype,
    OUT inherited boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE reached (attrelid, attname, inherited) AS (
        SELECT "table"::oid, "column" COLLATE "C", false
        UNION
        SELECT next.*
        FROM reached, LATERAL (
            SELECT inhrelid, reached.attname, true
            FROM pg_inherits
            WHERE inhparent = reached.attrelid
            UNION ALL
            SELECT f.attrelid, f.attname, false
            FROM pg_attribute AS k
                 JOIN pg_constraint AS c ON c.confrelid = k.attrelid AND c.contype = 'f' AND c.conparentid = 0,
                 LATERAL unnest(c.conkey, c.confkey) AS pair(referring, referred)
                 JOIN pg_attribute AS f ON f.attnum = pair.referring
            WHERE k.attrelid = reached.attrelid AND k.attname = reached.attname
              AND pair.referred = k.attnum AND f.attrelid = c.conrelid
        ) AS next
    )
    SELECT a.attrelid::regclass, a.attname, a.atttypid::regtype, reached.inherited
    FROM reached JOIN pg_attribute AS a USING (attrelid, attname)
    WHERE a.attnum > 0 AND NOT a.attisdropped
$$;
COMMENT ON FUNCTION objectid_ext_tools._referring_columns(regclass, name) IS 'internal: the column, columns that reference it by foreign keys, directly or not, and columns that inherit one of these';

-- A foreign key on a partition has a parent constraint, and is dropped with it.

CREATE FUNCTION objectid_ext_tools._foreign_keys("table" regclass, "column" name, to_type regtype) RETURNS SETOF oid
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT DISTINCT c.oid
    FROM objectid_ext_tools._referring_columns("table", "column")
         JOIN pg_attribute ON attrelid = relation AND attname = attribute
         JOIN pg_constraint c ON relation = conrelid AND attnum = ANY (conkey) OR relation = confrelid AND attnum = ANY (confkey)
    WHERE attribute_type <> to_type AND contype = 'f' AND conparentid = 0
    ORDER BY c.oid
$$;
COMMENT ON FUNCTION objectid_ext_tools._foreign_keys(regclass, name, regtype) IS 'internal: foreign keys that a conversion drops and adds back';

-- Writers lock tables in either order: an INSERT of a referencing row locks the
-- referencing table first, a DELETE of a referenced row the other one.  So no
-- lock order avoids deadlocks.  Instead, after the first lock we wait for each
-- other lock for less than deadlock_timeout.  If that fails, the subtransaction
-- is rolled back, which releases all locks, and we start with the busy table.

CREATE FUNCTION objectid_ext_tools._lock_tables("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_timeout text := current_setting('lock_timeout');
    first regclass := "table";
    busy regclass;
    locked regclass[];
BEGIN
    LOOP
        BEGIN
            busy := NULL;
            EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', first);
            locked := ARRAY[first];
            PERFORM set_config('lock_timeout', '100ms', true);
            LOOP
                -- repeat until there are no more, as tables can be added meanwhile
                FOR busy IN
                    SELECT relation FROM objectid_ext_tools._referring_columns("table", "column") WHERE relation <> ALL (locked)
                    UNION
                    SELECT unnest(ARRAY[conrelid, confrelid])::regclass
                    FROM pg_constraint JOIN objectid_ext_tools._foreign_keys("table", "column", to_type) k ON k = oid
                    WHERE conrelid <> ALL (locked) OR confrelid <> ALL (locked)
                    ORDER BY 1
                LOOP
                    EXECUTE format('LOCK TABLE ONLY %s IN ACCESS EXCLUSIVE MODE', busy);
                    locked := locked || busy;
                END LOOP;
                EXIT WHEN NOT FOUND;
            END LOOP;
            PERFORM set_config('lock_timeout', own_timeout, true);
            RETURN;
        EXCEPTION WHEN lock_not_available THEN
            IF busy IS NULL THEN
                RAISE;
            END IF;
            first := busy;
        END;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._lock_tables(regclass, name, regtype) IS 'internal: locks all tables that a conversion changes, without deadlocks';

-- Views and rules, triggers, policies, functions, publications, generated columns

CREATE FUNCTION objectid_ext_tools._dependent_objects("table" regclass, attnum smallint) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_describe_object(classid, objid, objsubid)
    FROM pg_depend
    WHERE refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = attnum
      AND (classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass,
                       'pg_publication_rel'::regclass)
           OR classid = 'pg_attrdef'::regclass AND (SELECT adnum FROM pg_attrdef d WHERE d.oid = objid) <> attnum)
    ORDER BY classid, objid
$$;
COMMENT ON FUNCTION objectid_ext_tools._dependent_objects(regclass, smallint) IS 'internal: objects that use a column and prevent a change of its type';

-- Checks that apply to both conversions

CREATE FUNCTION objectid_ext_tools._check_convertible("table" regclass, "column" name, to_type regtype, inherited boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    distributed boolean;
    obstacle text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table', "table" USING ERRCODE = 'wrong_object_type';
    END IF;
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0 AND NOT attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
    IF a.attgenerated <> '' THEN
        RAISE EXCEPTION 'column "%" of table % is a generated column', "column", "table" USING ERRCODE = 'wrong_object_type';
    END IF;
    IF a.attinhcount > 0 AND NOT inherited THEN
        RAISE EXCEPTION 'column "%" of table % is inherited', "column", "table"
            USING ERRCODE = 'wrong_object_type',
                  HINT = format('Convert the column of table %s.',
                                (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = "table" ORDER BY inhseqno LIMIT 1));
    END IF;

    -- the table would have to be changed on all Citus nodes
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        EXECUTE 'SELECT true FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1' INTO distributed USING "table";
        IF distributed THEN
            RAISE EXCEPTION 'table % is distributed by Citus', "table"
                USING ERRCODE = 'feature_not_supported',
                      HINT = 'Convert tables before you distribute them; undistribute_table() makes a distributed table local again.';
        END IF;
    END IF;

    IF a.atttypid = to_type THEN
        RETURN;
    END IF;
    -- a column that is in the partition key has an internal dependency on the table
    IF EXISTS (SELECT FROM pg_depend
               WHERE classid = 'pg_class'::regclass AND objid = "table" AND objsubid = a.attnum AND deptype = 'i'
                 AND refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = 0) THEN
        RAISE EXCEPTION 'cannot convert column "%" because it is part of the partition key of table %', "column", "table" USING ERRCODE = 'feature_not_supported';
    END IF;
    SELECT * INTO obstacle FROM objectid_ext_tools._dependent_objects("table", a.attnum) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle
            USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Drop it, convert the column, and create it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_convertible(regclass, name, regtype, boolean) IS 'internal: raises an error if the type and default of a column cannot be changed';

-- Foreign keys are added back with enabled triggers, and all rows are checked.

CREATE FUNCTION objectid_ext_tools._check_triggers("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
BEGIN
    WITH RECURSIVE key_or_part (oid) AS (
        SELECT objectid_ext_tools._foreign_keys("table", "column", to_type)
        UNION
        SELECT c.oid FROM key_or_part k JOIN pg_constraint c ON c.conparentid = k.oid AND c.contype = 'f'
    )
    SELECT conname, conrelid::regclass AS referring, tgrelid::regclass AS relation,
           CASE tgenabled WHEN 'D' THEN 'disabled' WHEN 'R' THEN 'set to ENABLE REPLICA' ELSE 'set to ENABLE ALWAYS' END AS state
    INTO key
    FROM key_or_part JOIN pg_constraint c USING (oid) JOIN pg_trigger ON tgconstraint = c.oid
    WHERE tgenabled <> 'O' ORDER BY c.oid, tgrelid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'triggers of table % for foreign key constraint "%" of table % are %', key.relation, key.conname, key.referring, key.state
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = format('Use ALTER TABLE %s ENABLE TRIGGER ALL before the conversion.', key.relation);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_triggers(regclass, name, regtype) IS 'internal: raises an error if a foreign key that a conversion adds back is not enforced';

-- Change the type of a column and of the columns that reference it.  The caller
-- has checked that this is possible.  The foreign keys are dropped meanwhile,
-- because their column types differ until all are changed, and so that each is
-- checked only once.

CREATE FUNCTION objectid_ext_tools._change_column_types("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
    each record;
    source text;
    default_value text;
    drops text[] := '{}';
    types text[] := '{}';
    adds text[] := '{}';
    statement text;
BEGIN
    FOR key IN
        SELECT conrelid::regclass AS relation, conname, pg_get_constraintdef(oid) AS definition,
               obj_description(oid, 'pg_constraint') AS comment
        FROM pg_constraint JOIN objectid_ext_tools._foreign_keys("table", "column", to_type) k ON k = oid
        ORDER BY oid
    LOOP
        drops := drops || format('ALTER TABLE %s DROP CONSTRAINT %I', key.relation, key.conname);
        adds := adds || format('ALTER TABLE %s ADD CONSTRAINT %I %s', key.relation, key.conname, key.definition);
        adds := adds || format('COMMENT ON CONSTRAINT %I ON %s IS %L', key.conname, key.relation, key.comment);
    END LOOP;

    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") WHERE attribute_type <> to_type LOOP
        source := CASE each.attribute_type WHEN 'character'::regtype THEN '(%s)::text::%s' ELSE '(%s)::%s' END;
        -- ALTER TYPE does not convert a default if the cast is explicit; and
        -- partitions can have their own defaults
        IF each.attribute_type IN ('character'::regtype, 'bytea'::regtype, 'jsonb'::regtype) THEN
            SELECT pg_get_expr(adbin, adrelid) INTO default_value
            FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
            WHERE adrelid = each.relation AND attname = each.attribute;
            IF FOUND THEN
                drops := drops || format('ALTER TABLE ONLY %s ALTER COLUMN %I DROP DEFAULT', each.relation, each.attribute);
                adds := adds || format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s',
                                       each.relation, each.attribute, format(source, default_value, to_type));
            END IF;
        END IF;
        IF NOT each.inherited THEN
            types := types || format('ALTER TABLE %s ALTER COLUMN %I TYPE %s USING %s',
                                     each.relation, each.attribute, to_type, format(source, quote_ident(each.attribute), to_type));
        END IF;
    END LOOP;

    FOREACH statement IN ARRAY drops || types || adds LOOP
        EXECUTE statement;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._change_column_types(regclass, name, regtype) IS 'internal: changes the type of a column and of all columns that reference it';

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
        WHERE (relation = "table" OR relation IN (SELECT relid FROM pg_partition_tree("table"))) AND privilege_type = 'INSERT'
    LOOP
        grantee := CASE each.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(each.grantee)) END;
        EXECUTE format(each.statement, full_name, grantee);
    END LOOP;
    RETURN full_name::regclass;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._replace_identity(regclass, name, regclass) IS 'internal: replaces the identity of a column by an ordinary sequence that the column owns; returns the sequence';

-- The new default replaces the old one, also in all partitions and children.  It
-- must not accept values that were rejected before, nor replace a default that
-- differs from the parent's.

CREATE FUNCTION objectid_ext_tools._check_default("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    child regclass;
BEGIN
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF a.attidentity = 'a' THEN
        RAISE EXCEPTION 'column "%" of table % is GENERATED ALWAYS', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'The conversion replaces the identity with a default, which does not reject explicit values.',
                  HINT = format('Use ALTER TABLE %s ALTER COLUMN %I SET GENERATED BY DEFAULT before the conversion.', "table", "column");
    END IF;
    WITH RECURSIVE heir (oid) AS (
        SELECT inhrelid FROM pg_inherits WHERE inhparent = "table"
        UNION
        SELECT inhrelid FROM heir JOIN pg_inherits ON inhparent = oid
    )
    SELECT d.adrelid::regclass INTO child
    FROM heir JOIN pg_attribute c ON c.attrelid = oid AND c.attname = "column"
         JOIN pg_attrdef d ON d.adrelid = c.attrelid AND d.adnum = c.attnum
    WHERE pg_get_expr(d.adbin, d.adrelid) IS DISTINCT FROM
          (SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = "table" AND adnum = a.attnum)
    ORDER BY 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % has its own default', "column", child
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('The new default of table %s replaces it.', "table"),
                  HINT = format('Use ALTER TABLE %s ALTER COLUMN %I DROP DEFAULT before the conversion.', child, "column");
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_default(regclass, name) IS 'internal: raises an error if a default cannot replace the identity or default of the column';

-- The sequence of an identity column, or of a default that is nextval().  The
-- settings determine how pg_get_expr() prints names and literals.

CREATE FUNCTION objectid_ext_tools._sequence_of("table" regclass, "column" name) RETURNS regclass
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
DECLARE
    key smallint := (SELECT attnum FROM pg_attribute WHERE attrelid = "table" AND attname = "column");
    seq regclass;
    other text;
BEGIN
    SELECT s.oid INTO seq
    FROM pg_class s JOIN pg_depend ON objid = s.oid AND classid = 'pg_class'::regclass AND deptype = 'i'
    WHERE s.relkind = 'S' AND refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = key;
    IF NOT FOUND THEN
        SELECT s.oid INTO seq
        FROM pg_attrdef d
             JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = d.oid AND refclassid = 'pg_class'::regclass
             JOIN pg_class s ON s.oid = refobjid AND s.relkind = 'S'
        WHERE d.adrelid = "table" AND d.adnum = key
          AND pg_get_expr(adbin, adrelid) = format('nextval(''%s''::regclass)', replace(s.oid::regclass::text, '''', ''''''));
    END IF;
    IF seq IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % has no sequence', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'It is not an identity column, and its default is not nextval() of a sequence.';
    END IF;
    IF (SELECT seqincrement < 0 FROM pg_sequence WHERE seqrelid = seq) THEN
        RAISE EXCEPTION 'sequence % is descending', seq USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    SELECT format('"%s" of table %s', attname, adrelid::regclass) INTO other
    FROM pg_depend
         JOIN pg_attrdef d ON d.oid = objid
         JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
    WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = seq
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._referring_columns("table", "column") WHERE relation = adrelid AND attribute = attname)
    ORDER BY d.oid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'sequence % is also used by column %', seq, other
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Use a different sequence for one of the columns.';
    END IF;
    RETURN seq;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._sequence_of(regclass, name) IS 'internal: the sequence of a column; an error if there is none, or if another column uses it';

-- Existing ids can all satisfy a check constraint that no new id does.  Those of
-- children are not checked: new rows are not necessarily inserted there.

CREATE FUNCTION objectid_ext_tools._check_new_id("table" regclass, "column" name, id bigint) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    check_constraint record;
    satisfied boolean;
BEGIN
    FOR check_constraint IN
        SELECT conname, pg_get_expr(conbin, conrelid) AS expression
        FROM pg_constraint c JOIN pg_attribute ON attrelid = conrelid AND conkey = ARRAY[attnum]
        WHERE conrelid = "table" AND attname = "column" AND contype = 'c' AND pg_get_constraintdef(c.oid) NOT LIKE '%NOT ENFORCED'
        ORDER BY conname
    LOOP
        EXECUTE format('SELECT %s FROM (SELECT $1) AS new (%I)', check_constraint.expression, "column") INTO satisfied USING id;
        IF NOT satisfied THEN
            RAISE EXCEPTION 'new ids of column "%" of table % violate check constraint "%"', "column", "table", check_constraint.conname
                USING ERRCODE = 'check_violation', HINT = 'Drop the constraint, or replace it by one that large numbers satisfy.';
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_new_id(regclass, name, bigint) IS 'internal: raises an error if a new id violates a check constraint of the column';

CREATE FUNCTION objectid_ext_tools._check_integers("table" regclass, "column" name) RETURNS regclass
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    each record;
    seq regclass;
BEGIN
    PERFORM objectid_ext_tools._check_convertible("table", "column", 'bigint');
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF a.atttypid NOT IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', "column", "table", a.atttypid::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'Only integer columns can be converted to snowflakes.';
    END IF;
    PERFORM objectid_ext_tools._check_default("table", "column");
    seq := objectid_ext_tools._sequence_of("table", "column");

    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") WHERE attribute_type <> 'bigint'::regtype LOOP
        IF each.attribute_type NOT IN ('smallint'::regtype, 'integer'::regtype) THEN
            RAISE EXCEPTION 'column "%" of table % is of type %', each.attribute, each.relation, each.attribute_type
                USING ERRCODE = 'datatype_mismatch', DETAIL = 'Only integer columns can be converted to snowflakes.';
        END IF;
        PERFORM objectid_ext_tools._check_convertible(each.relation, each.attribute, 'bigint', each.inherited);
    END LOOP;
    PERFORM objectid_ext_tools._check_triggers("table", "column", 'bigint');
    RETURN seq;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_integers(regclass, name) IS 'internal: raises an error if a column cannot be converted to snowflakes; returns its sequence';

CREATE FUNCTION objectid_ext_tools._check_next_id("table" regclass, "column" name, seq regclass, node integer, layout snowflake_layout) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    ids_schema text := objectid_ext_tools._ids_schema();
    highest bigint;
    present bigint;
BEGIN
    EXECUTE format('SELECT greatest((SELECT last_value FROM %s), max(%I)) FROM %s', seq, "column", "table") INTO highest;
    EXECUTE format('SELECT %s.snowflake_ceiling($1, $2)', ids_schema) INTO present USING clock_timestamp(), layout;
    IF highest > present THEN
        RAISE EXCEPTION 'column "%" of table % has reached %, above the current ids of layout %', "column", "table", highest, layout
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('SELECT %s.make_snowflake($1, $2, 0, $3)', ids_schema) INTO present USING clock_timestamp(), coalesce(node, 0), layout;
    PERFORM objectid_ext_tools._check_new_id("table", "column", present);
    RETURN highest;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_next_id(regclass, name, regclass, integer, snowflake_layout) IS 'internal: raises an error if a column cannot continue with snowflakes; returns the highest id, including those not from the sequence';

CREATE FUNCTION objectid_ext_tools._prepare_sequence(
    "table" regclass,
    "column" name,
    INOUT seq regclass,
    node integer,
    layout snowflake_layout,
    OUT new_id bigint
)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    highest bigint;
BEGIN
    highest := objectid_ext_tools._check_next_id("table", "column", seq, node, layout);
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
COMMENT ON FUNCTION objectid_ext_tools._prepare_sequence(regclass, name, regclass, integer, snowflake_layout) IS 'internal: lets the sequence of a column continue with snowflakes; returns it, and the first new id';

CREATE FUNCTION objectid_ext_tools._set_snowflake_default("table" regclass, "column" name, seq regclass, new_id bigint, node integer, layout snowflake_layout) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    ids_schema text := objectid_ext_tools._ids_schema();
BEGIN
    PERFORM objectid_ext_tools._check_new_id("table", "column", new_id);
    EXECUTE format('ALTER TABLE %1$s ALTER COLUMN %2$I SET DEFAULT %3$s.next_snowflake(%4$L::regclass, %5$s, %6$L::%3$s.snowflake_layout)',
                   "table", "column", ids_schema, seq, coalesce(node::text, ids_schema || '.snowflake_node_id()'), layout);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._set_snowflake_default(regclass, name, regclass, bigint, integer, snowflake_layout) IS 'internal: makes snowflakes the default of a column';

CREATE FUNCTION objectid_ext_tools.convert_to_snowflake(
    "table" regclass,
    "column" name,
    node integer DEFAULT NULL,
    layout snowflake_layout DEFAULT 'twitter'
) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    seq regclass;
    new_id bigint;
BEGIN
    IF "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM objectid_ext_tools._lock_tables("table", "column", 'bigint');
    seq := objectid_ext_tools._check_integers("table", "column");
    SELECT s.seq, s.new_id INTO seq, new_id FROM objectid_ext_tools._prepare_sequence("table", "column", seq, node, layout) AS s;
    PERFORM objectid_ext_tools._change_column_types("table", "column", 'bigint');
    PERFORM objectid_ext_tools._set_snowflake_default("table", "column", seq, new_id, node, layout);
    RETURN seq;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.convert_to_snowflake(regclass, name, integer, snowflake_layout) IS 'makes snowflakes the default of a serial, identity or nextval column, for a node (default objectid_ext.node_id); changes it and all columns that reference it to bigint; existing ids keep their values; returns the sequence';

-- Checks for conversion to objectid, in addition to _check_convertible(): objects
-- that only work with the present type

CREATE FUNCTION objectid_ext_tools._check_objectid_column("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    obstacle text;
BEGIN
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF a.atttypid NOT IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bytea'::regtype, 'jsonb'::regtype) THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', "column", "table", a.atttypid::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'Only text, varchar, char, bytea and jsonb can be converted to objectid.';
    END IF;

    -- An object with the column as a key depends on it once, and once more if an
    -- expression or predicate uses the column.
    SELECT pg_describe_object(classid, objid, 0) INTO obstacle
    FROM (SELECT classid, objid
          FROM pg_depend
               LEFT JOIN pg_constraint c ON classid = 'pg_constraint'::regclass AND c.oid = objid
               LEFT JOIN pg_statistic_ext s ON classid = 'pg_statistic_ext'::regclass AND s.oid = objid
               LEFT JOIN pg_index i ON classid = 'pg_class'::regclass AND indexrelid = objid
          WHERE refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = a.attnum
            AND conname NOT LIKE '\_objectid\_ext\_%' IS NOT FALSE    -- those of a conversion under load
          GROUP BY classid, objid, contype, stxkeys, indkey
          HAVING contype IN ('c', 'x')
              OR count(*) > CASE WHEN a.attnum = ANY (coalesce(stxkeys, indkey)::int2[]) THEN 1 ELSE 0 END
                 AND (stxkeys IS NOT NULL OR indkey IS NOT NULL)
          UNION ALL
          -- an index with another collation, with an operator class that is not
          -- the default, or of an access method that does not support objectid
          SELECT 'pg_class'::regclass, i.indexrelid
          FROM pg_index i, LATERAL unnest(i.indkey::int2[], i.indclass::oid[], i.indcollation::oid[]) k(attnum, opclass, coll)
               LEFT JOIN pg_opclass o ON o.oid = k.opclass
               LEFT JOIN pg_am m ON m.oid = o.opcmethod
          WHERE i.indrelid = "table" AND k.attnum = a.attnum
            AND (k.coll <> a.attcollation OR NOT o.opcdefault OR m.amname NOT IN ('btree', 'hash', 'brin'))
         ) AS objects (classid, objid)
    ORDER BY classid, objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle
            USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Drop it, convert the column, and create it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_objectid_column(regclass, name) IS 'internal: raises an error if a column cannot be changed to objectid';

CREATE FUNCTION objectid_ext_tools._check_texts("table" regclass, "column" name, objectid_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key record;
    each record;
BEGIN
    PERFORM objectid_ext_tools._check_convertible("table", "column", objectid_type);
    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") LOOP
        PERFORM objectid_ext_tools._check_convertible(each.relation, each.attribute, objectid_type, each.inherited);
        PERFORM objectid_ext_tools._check_objectid_column(each.relation, each.attribute);
    END LOOP;

    PERFORM objectid_ext_tools._check_triggers("table", "column", objectid_type);

    -- find a column that references one that is not converted
    SELECT r.*, conname, confrelid::regclass AS referred, k.attname INTO key
    FROM objectid_ext_tools._referring_columns("table", "column") r
         JOIN pg_attribute a ON a.attrelid = relation AND a.attname = attribute
         JOIN pg_constraint ON conrelid = relation AND contype = 'f' AND conparentid = 0,
         LATERAL unnest(conkey, confkey) pair(referring, referred)
         JOIN pg_attribute k ON k.attnum = pair.referred
    WHERE pair.referring = a.attnum AND k.attrelid = confrelid
      AND NOT EXISTS (SELECT FROM objectid_ext_tools._referring_columns("table", "column")
                      WHERE relation = confrelid AND attribute = k.attname)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % references table % by foreign key constraint "%"', key.attribute, key.relation, key.referred, key.conname
            USING ERRCODE = 'feature_not_supported',
                  HINT = format('Convert column "%s" of table %s, which also converts this column.', key.attname, key.referred);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_texts(regclass, name, regtype) IS 'internal: raises an error if a column cannot be converted to objectid';

CREATE FUNCTION objectid_ext_tools._invalid_values("table" regclass, "column" name, OUT message text, OUT detail text)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    each record;
    bad text;
    bad_rows bigint;
BEGIN
    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") WHERE NOT inherited LOOP
        EXECUTE format('SELECT %1$I::text, count(*) OVER () FROM %2$s WHERE NOT %3$s.is_objectid(%1$I::%4$s) ORDER BY tableoid, ctid LIMIT 1',
                       each.attribute, each.relation, objectid_ext_tools._ids_schema(),
                       CASE WHEN each.attribute_type IN ('bytea'::regtype, 'jsonb'::regtype) THEN each.attribute_type ELSE 'text'::regtype END)
        INTO bad, bad_rows;
        IF bad_rows > 0 THEN
            message := format(CASE bad_rows WHEN 1 THEN '%s value in column "%s" of table %s is not a valid ObjectId'
                                            ELSE '%s values in column "%s" of table %s are not valid ObjectIds' END,
                              bad_rows, each.attribute, each.relation);
            detail := format('The first is "%s".', left(bad, 100));
            RETURN;
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._invalid_values(regclass, name) IS 'internal: message about values of a column, or of those that reference it, that are not valid ObjectIds; NULL if there are none';

CREATE FUNCTION objectid_ext_tools.convert_to_objectid("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    objectid_type regtype := (objectid_ext_tools._ids_schema() || '.objectid')::regtype;
    invalid record;
BEGIN
    IF "table" IS NULL OR "column" IS NULL THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM objectid_ext_tools._lock_tables("table", "column", objectid_type);
    PERFORM objectid_ext_tools._check_texts("table", "column", objectid_type);
    SELECT * INTO invalid FROM objectid_ext_tools._invalid_values("table", "column");
    IF invalid.message IS NOT NULL THEN
        RAISE EXCEPTION '%', invalid.message USING ERRCODE = 'invalid_text_representation', DETAIL = invalid.detail;
    END IF;
    PERFORM objectid_ext_tools._change_column_types("table", "column", objectid_type);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.convert_to_objectid(regclass, name) IS 'changes a text, varchar, char, bytea or jsonb column, and all columns that reference it by foreign keys, to objectid; an error if a value is not a valid ObjectId';

----------------------------------------------------------------------
-- Existing tables under load
----------------------------------------------------------------------

-- Each column whose type changes gets a shadow column beside it, which a trigger
-- keeps equal.  Existing rows are filled in small transactions.  Indexes and
-- constraints of the shadow columns are created while other sessions write.
-- Finally, one short transaction replaces the old columns with the shadow columns.
--
-- What has been done is read from the catalog.  Only the progress of filling is
-- stored, in a table in the schema of the converted one.  Nothing depends on this
-- extension during the conversion; the trigger does not call its functions.
--
-- Statements of users must not fail and must not wait for long:
--
-- - A transaction waits for each lock for less than deadlock_timeout, and for all of
--   them for less than max_wait.  After that, it is rolled back and retried later.
-- - Filling skips rows that are locked, so it never waits while it holds others.
-- - Filling does not fire the triggers of users.

CREATE FUNCTION objectid_ext_tools._live_name(object text) RETURNS name
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT '_objectid_ext_' || left(md5(object), 16)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_name(text) IS 'internal: name of what stands beside an object during a conversion; from its definition, because OIDs do not survive dump and restore';

CREATE FUNCTION objectid_ext_tools._live_state("table" regclass, "column" name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('%I.%I', nspname, objectid_ext_tools._live_name(relname || '.' || "column"))
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
    WHERE c.oid = "table"
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_state(regclass, name) IS 'internal: name of the table that stores the progress of a conversion';

CREATE FUNCTION objectid_ext_tools._live_columns(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT relation regclass,
    OUT attribute name,
    OUT attribute_type regtype,
    OUT inherited boolean,
    OUT shadow name,
    OUT value text,
    OUT begun boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT r.relation, r.attribute, r.attribute_type, bool_or(r.inherited), objectid_ext_tools._live_name(r.attribute),
           format(CASE r.attribute_type WHEN 'character'::regtype THEN '(%I)::text::%s' ELSE '(%I)::%s' END, r.attribute, to_type),
           EXISTS (SELECT FROM pg_attribute WHERE attrelid = r.relation AND attname = objectid_ext_tools._live_name(r.attribute))
    FROM objectid_ext_tools._referring_columns("table", "column") r
    WHERE r.attribute_type <> to_type
    GROUP BY r.relation, r.attribute, r.attribute_type
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_columns(regclass, name, regtype) IS 'internal: columns whose type a conversion changes, with the names of their shadow columns, which exist if begun';

-- What an index or constraint would be called is computed from its definition,
-- so that the one beside it is not used after the definition has changed.

CREATE FUNCTION objectid_ext_tools._live_objects(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT kind text,
    OUT relation regclass,
    OUT object oid,
    OUT object_name name,
    OUT shadow name,
    OUT state text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
    WITH key AS MATERIALIZED (
        SELECT a.attrelid, a.attnum
        FROM objectid_ext_tools._live_columns("table", "column", to_type) l
             JOIN pg_attribute a ON a.attrelid = l.relation AND a.attname = l.attribute
    ), old (kind, relation, object, object_name, shadow, namespace, validated) AS (
        SELECT 'index', indrelid, indexrelid, relname, objectid_ext_tools._live_name(pg_get_indexdef(indexrelid)), relnamespace, true
        FROM pg_index JOIN pg_class c ON c.oid = indexrelid
        WHERE EXISTS (SELECT FROM key WHERE attrelid = indrelid
                      AND (attnum = ANY (indkey)
                           OR EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = indexrelid
                                      AND refclassid = 'pg_class'::regclass AND refobjid = indrelid AND refobjsubid = attnum)))
        UNION ALL
        SELECT CASE contype WHEN 'f' THEN 'foreign key' ELSE 'check' END, conrelid, oid, conname,
               objectid_ext_tools._live_name(conname || ' ' || pg_get_constraintdef(oid)), 0, convalidated
        FROM pg_constraint
        WHERE contype = 'c' AND coninhcount = 0 AND EXISTS (SELECT FROM key WHERE attrelid = conrelid AND attnum = ANY (conkey))
           OR oid IN (SELECT objectid_ext_tools._foreign_keys("table", "column", to_type))
    )
    SELECT o.kind, o.relation, o.object, o.object_name, o.shadow,
           CASE WHEN i.indisvalid OR c.convalidated OR NOT o.validated AND c.oid IS NOT NULL THEN 'done'
                WHEN n.oid IS NOT NULL OR c.oid IS NOT NULL THEN 'begun'
                ELSE 'missing' END
    FROM old o
         LEFT JOIN pg_class n ON n.relname = o.shadow AND n.relnamespace = o.namespace
         LEFT JOIN pg_index i ON i.indexrelid = n.oid AND i.indrelid = o.relation
         LEFT JOIN pg_constraint c ON c.conrelid = o.relation AND c.conname = o.shadow AND o.kind <> 'index'
    WHERE o.object_name NOT LIKE '\_objectid\_ext\_%'
    ORDER BY o.kind DESC, o.relation::text COLLATE "C", o.object_name
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_objects(regclass, name, regtype) IS 'internal: indexes and constraints of columns whose type a conversion changes, with the names of those of the shadow columns, and how far these are';

-- Objects of the shadow columns that belong to none: of an index that was dropped
-- or changed, or of an interrupted CREATE INDEX CONCURRENTLY

CREATE FUNCTION objectid_ext_tools._live_strays(
    "table" regclass,
    "column" name,
    to_type regtype,
    OUT relation regclass,
    OUT index_name text,
    OUT constraint_name name
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH wanted AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._live_objects("table", "column", to_type)
    ), converted AS MATERIALIZED (
        SELECT l.relation AS oid, array_agg(objectid_ext_tools._live_name('= ' || l.attribute)) AS own
        FROM objectid_ext_tools._live_columns("table", "column", to_type) l GROUP BY 1
    )
    SELECT indrelid::regclass, format('%I.%I', nspname, relname), NULL::name
    FROM converted JOIN pg_index ON indrelid = converted.oid JOIN pg_class c ON c.oid = indexrelid JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relname LIKE '\_objectid\_ext\_%'
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.kind = 'index' AND w.relation = indrelid AND w.shadow = relname AND w.state = 'done')
    UNION ALL
    SELECT conrelid::regclass, NULL, conname
    FROM converted JOIN pg_constraint c ON conrelid = converted.oid
    WHERE conname LIKE '\_objectid\_ext\_%' AND contype IN ('c', 'f') AND coninhcount = 0 AND conparentid = 0 AND conname <> ALL (own)
      AND NOT EXISTS (SELECT FROM wanted w WHERE w.relation = conrelid AND w.shadow = conname)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_strays(regclass, name, regtype) IS 'internal: indexes and constraints of shadow columns that are not valid, or that the converted columns do not have';

-- How the definition of an index or constraint reads with the shadow columns: a
-- temporary table like the table gets it, and PostgreSQL changes types and names.

CREATE FUNCTION objectid_ext_tools._live_index_key(index regclass) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
    SELECT CASE WHEN starts_with(definition, beginning) THEN substr(definition, length(beginning) + 1)
                ELSE substr(definition, strpos(definition, ' USING ') + 7) END
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_class t ON t.oid = indrelid JOIN pg_namespace n ON n.oid = t.relnamespace,
         format('CREATE %sINDEX %I ON %s%I.%I USING ', CASE WHEN indisunique THEN 'UNIQUE ' END, i.relname,
                CASE t.relkind WHEN 'p' THEN 'ONLY ' END, nspname, t.relname) AS beginning,
         pg_get_indexdef(indexrelid) AS definition
    WHERE indexrelid = index
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_index_key(regclass) IS 'internal: definition of an index from its access method on';

CREATE FUNCTION objectid_ext_tools._live_definition("table" regclass, "column" name, to_type regtype, kind text, relation regclass, object oid) RETURNS text
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
DECLARE
    each record;
    definition text;
    predicate text;
BEGIN
    BEGIN
        EXECUTE format('CREATE TEMPORARY TABLE _objectid_ext_model (LIKE %s)', relation);
        IF kind = 'index' THEN
            EXECUTE 'CREATE INDEX _objectid_ext_part ON pg_temp._objectid_ext_model USING ' || objectid_ext_tools._live_index_key(object);
        ELSE
            EXECUTE 'ALTER TABLE pg_temp._objectid_ext_model ADD CONSTRAINT _objectid_ext_part ' || pg_get_constraintdef(object);
        END IF;
        FOR each IN SELECT * FROM objectid_ext_tools._live_columns("table", "column", to_type) l WHERE l.relation = $5 LOOP
            EXECUTE format('ALTER TABLE pg_temp._objectid_ext_model DROP COLUMN IF EXISTS %I, ALTER COLUMN %I TYPE %s USING %s',
                           each.shadow, each.attribute, to_type, each.value);
            EXECUTE format('ALTER TABLE pg_temp._objectid_ext_model RENAME COLUMN %I TO %I', each.attribute, each.shadow);
        END LOOP;
        IF kind = 'index' THEN
            SELECT objectid_ext_tools._live_index_key(indexrelid), ' WHERE ' || pg_get_expr(indpred, indrelid)
            INTO definition, predicate FROM pg_index WHERE indexrelid = 'pg_temp._objectid_ext_part'::regclass;
        ELSE
            SELECT pg_get_constraintdef(oid) INTO definition
            FROM pg_constraint WHERE conrelid = 'pg_temp._objectid_ext_model'::regclass AND conname = '_objectid_ext_part';
        END IF;
        RAISE EXCEPTION USING ERRCODE = 'OBJID', MESSAGE = 'the temporary table is not needed any more';
    EXCEPTION WHEN SQLSTATE 'OBJID' THEN
        NULL;
    END;
    -- pg_get_indexdef() omits the tablespace, which is before the predicate
    RETURN concat(left(definition, length(definition) - coalesce(length(predicate), 0)),
                  (SELECT format(' TABLESPACE %I', spcname) FROM pg_class JOIN pg_tablespace s ON s.oid = reltablespace
                   WHERE kind = 'index' AND pg_class.oid = object),
                  predicate);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_definition(regclass, name, regtype, text, regclass, oid) IS 'internal: definition of an index or check constraint, with shadow columns in the place of the converted ones';

CREATE FUNCTION objectid_ext_tools._live_foreign_key("table" regclass, "column" name, to_type regtype, object oid) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
AS $$
DECLARE
    key pg_constraint;
    definition text := pg_get_constraintdef(object);
    old text[];
    new text[];
BEGIN
    SELECT * INTO key FROM pg_constraint WHERE oid = object;
    SELECT array_agg(names), array_agg(shadows) INTO old, new
    FROM (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY n), string_agg(quote_ident(coalesce(l.shadow, a.attname)), ', ' ORDER BY n)
          FROM (VALUES (1, key.conrelid, key.conkey), (2, key.confrelid, key.confkey), (3, key.conrelid, key.confdelsetcols)) AS s (side, relid, attnums)
               CROSS JOIN LATERAL unnest(attnums) WITH ORDINALITY AS k (attnum, n)
               JOIN pg_attribute a ON a.attrelid = relid AND a.attnum = k.attnum
               LEFT JOIN objectid_ext_tools._live_columns("table", "column", to_type) l ON l.relation = relid AND l.attribute = a.attname
          GROUP BY side ORDER BY side) AS lists (names, shadows);
    old[1] := format('FOREIGN KEY (%s) REFERENCES %s(%s)', old[1], key.confrelid::regclass, old[2]);
    IF NOT starts_with(definition, old[1]) THEN
        RAISE EXCEPTION 'cannot convert foreign key constraint "%" of table %', key.conname, key.conrelid::regclass
            USING ERRCODE = 'feature_not_supported', DETAIL = format('Its definition is: %s', definition);
    END IF;
    definition := substr(definition, length(old[1]) + 1);
    IF key.confdelsetcols IS NOT NULL THEN
        definition := replace(definition, format('(%s)', old[3]), format('(%s)', new[3]));
    END IF;
    RETURN format('FOREIGN KEY (%s) REFERENCES %s(%s)%s', new[1], key.confrelid::regclass, new[2], definition);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_foreign_key(regclass, name, regtype, oid) IS 'internal: definition of a foreign key, with shadow columns in the place of the converted ones';

-- The advisory lock belongs to the session, so a second session that tries the
-- same is told about the first, also between two steps.

CREATE FUNCTION objectid_ext_tools._live_claim("table" regclass, "column" name, take boolean) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    holder integer;
BEGIN
    LOOP
        SELECT pid INTO holder
        FROM pg_locks
        WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid = hashtext('objectid_ext_tools')::oid AND objid = "table" AND objsubid = 2 AND granted;
        IF holder <> pg_backend_pid() THEN
            RAISE EXCEPTION 'column "%" of table % is being converted by the process with PID %', "column", "table", holder
                USING ERRCODE = 'object_in_use', HINT = 'If that session has stopped, end it, then call the remaining steps in this one.';
        END IF;
        EXIT WHEN holder IS NOT NULL OR NOT take;
        EXIT WHEN pg_try_advisory_lock(hashtext('objectid_ext_tools'), "table"::oid::integer);
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_claim(regclass, name, boolean) IS 'internal: locks a conversion for this session, or only checks; an error if another session has locked it';

CREATE FUNCTION objectid_ext_tools._live_release("table" regclass) RETURNS void
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_advisory_unlock(hashtext('objectid_ext_tools'), "table"::oid::integer)
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_release(regclass) IS 'internal: unlocks a conversion';

-- Those who queue behind us wait as long as we wait and hold the locks.  All our
-- waits together last less than deadlock_timeout, so that a deadlock ends by our
-- timeout, before anyone's statement fails.

CREATE FUNCTION objectid_ext_tools._live_lock(relations regclass[], mode text, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    most interval := least(max_wait, current_setting('deadlock_timeout')::interval);
    ends timestamptz := clock_timestamp() + 0.5 * most;
    remains float8;
    relation regclass;
BEGIN
    FOREACH relation IN ARRAY relations LOOP
        remains := 1000 * extract(epoch FROM ends - clock_timestamp());
        IF remains < 1 THEN
            RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = 'locks are not available in time';
        END IF;
        PERFORM set_config('lock_timeout', remains::integer::text, true);
        EXECUTE format('LOCK TABLE ONLY %s IN %s MODE', relation, mode);
    END LOOP;
    -- for what else the statements lock, such as a sequence
    PERFORM set_config('lock_timeout', greatest(1, 100 * extract(epoch FROM most))::integer::text, true);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_lock(regclass[], text, interval) IS 'internal: locks tables, or raises lock_not_available if that takes too long';

CREATE FUNCTION objectid_ext_tools._column_privileges("table" regclass, source name, target name) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format(command, privilege_type, target, "table", CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END)
    FROM (SELECT 1, 'REVOKE %1$s (%2$I) ON %3$s FROM %4$s', a.*
          FROM pg_attribute, aclexplode(attacl) a WHERE attrelid = "table" AND attname = target
          UNION ALL
          SELECT 2, 'GRANT %1$s (%2$I) ON %3$s TO %4$s' || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, a.*
          FROM pg_attribute, aclexplode(attacl) a WHERE attrelid = "table" AND attname = source) AS s (n, command)
    ORDER BY n
$$;
COMMENT ON FUNCTION objectid_ext_tools._column_privileges(regclass, name, name) IS 'internal: statements that give a column the privileges of another';

-- What stands in the way of a conversion under load, beyond what the conversions
-- under a lock refuse

CREATE FUNCTION objectid_ext_tools._live_check_column("table" regclass, "column" name, inherited boolean) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    c pg_class;
    a pg_attribute;
    obstacle record;
BEGIN
    SELECT * INTO c FROM pg_class WHERE oid = "table";
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF NOT pg_has_role(c.relowner, 'USAGE') THEN
        RAISE EXCEPTION 'must be owner of table %', "table" USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF c.relpersistence = 't' OR c.reloftype <> 0 THEN
        RAISE EXCEPTION 'table % is a temporary or a typed table', "table"
            USING ERRCODE = 'wrong_object_type', HINT = 'Use convert_to_snowflake() or convert_to_objectid().';
    END IF;
    IF c.relkind = 'p' OR c.relispartition OR EXISTS (SELECT FROM pg_inherits WHERE inhrelid = "table" OR inhparent = "table") THEN
        RAISE EXCEPTION 'table % is partitioned, or has parents or children', "table"
            USING ERRCODE = 'feature_not_supported', HINT = 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.';
    END IF;

    -- what the shadow column cannot get
    SELECT CASE WHEN d.classid = 'pg_statistic_ext'::regclass THEN 'Drop it, convert the column, and create it again.'
                ELSE 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.' END AS hint,
           pg_describe_object(d.classid, d.objid, 0) AS name
    INTO obstacle
    FROM pg_depend d
         LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = "table" AND d.refobjsubid = a.attnum
      AND (d.classid = 'pg_statistic_ext'::regclass OR k.contype = 'x' OR k.contype IN ('p', 'u')
           AND (SELECT indisexclusion FROM pg_index WHERE indexrelid = conindid))
    ORDER BY d.classid, d.objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle.name
            USING ERRCODE = 'dependent_objects_still_exist', HINT = obstacle.hint;
    END IF;
    SELECT conname, conrelid::regclass AS referring INTO obstacle
    FROM pg_constraint
    WHERE contype = 'f' AND (confupdtype = 'd' OR confdeltype = 'd')
      AND (conrelid = "table" AND a.attnum = ANY (conkey) OR confrelid = "table" AND a.attnum = ANY (confkey))
    ORDER BY conname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'foreign key constraint "%" of table % has the action SET DEFAULT', obstacle.conname, obstacle.referring
            USING ERRCODE = 'feature_not_supported', HINT = 'Use convert_to_snowflake() or convert_to_objectid(), which lock the tables.';
    END IF;
    SELECT indexrelid::regclass AS name INTO obstacle
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid
    WHERE indrelid = "table" AND a.attnum = ANY (indkey) AND NOT indisvalid AND relname NOT LIKE '\_objectid\_ext\_%' ORDER BY indexrelid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'index % is not valid', obstacle.name
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = format('Use REINDEX INDEX CONCURRENTLY %s, or drop the index.', obstacle.name);
    END IF;
    IF a.attidentity <> '' AND inherited IS NOT DISTINCT FROM true THEN
        RAISE EXCEPTION 'column "%" of table % is an identity column that references another column', "column", "table"
            USING ERRCODE = 'feature_not_supported', HINT = 'Use convert_to_snowflake(), which locks the tables.';
    END IF;
    IF EXISTS (SELECT FROM pg_seclabel WHERE classoid = 'pg_class'::regclass AND objoid = "table" AND objsubid = a.attnum) THEN
        RAISE EXCEPTION 'column "%" of table % has a security label', "column", "table"
            USING ERRCODE = 'feature_not_supported', HINT = 'Remove it, convert the column, and set it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_column(regclass, name, boolean) IS 'internal: raises an error if a column cannot be converted while the table is in use';

-- Filling updates all rows.  Triggers on updates of any column must not fire, and
-- the only means is session_replication_role.

CREATE FUNCTION objectid_ext_tools._live_needs_replica_role("table" regclass) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT EXISTS (SELECT FROM pg_trigger
                   WHERE tgrelid = "table" AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion'
                     AND tgtype & 16 <> 0 AND tgattr = '' AND tgenabled = 'O')
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_needs_replica_role(regclass) IS 'internal: would an update of a column that users do not know fire their triggers?';

CREATE FUNCTION objectid_ext_tools._live_check_table("table" regclass, state text) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    obstacle record;
    known boolean;
BEGIN
    SELECT tgname INTO obstacle
    FROM pg_trigger
    WHERE tgrelid = "table" AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion' AND tgtype & 16 <> 0 AND tgattr = '' AND tgenabled IN ('A', 'R')
    ORDER BY tgname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'trigger "%" of table % is set to ENABLE ALWAYS or REPLICA', obstacle.tgname, "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'It would fire when the conversion updates the rows.',
                  HINT = format('Use ALTER TABLE %s ENABLE TRIGGER %I before the conversion.', "table", obstacle.tgname);
    END IF;
    -- BEFORE triggers fire in the order of their names; ours must be the last
    SELECT tgname INTO obstacle
    FROM pg_trigger
    WHERE tgrelid = "table" AND NOT tgisinternal AND tgtype & 3 = 3 AND tgtype & 20 <> 0 AND tgname::text COLLATE "C" > '~objectid_ext_conversion'
    ORDER BY tgname LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'trigger "%" of table % fires after the trigger of the conversion', obstacle.tgname, "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Rename it, so that its name sorts before "~objectid_ext_conversion".';
    END IF;
    IF objectid_ext_tools._live_needs_replica_role("table") AND NOT has_parameter_privilege('session_replication_role', 'SET') THEN
        RAISE EXCEPTION 'table % has triggers that fire on updates', "table"
            USING ERRCODE = 'insufficient_privilege', DETAIL = 'The conversion updates all rows, and can keep the triggers from firing only by the setting session_replication_role.',
                  HINT = format('Ask a superuser to GRANT SET ON PARAMETER session_replication_role TO %I.', current_user);
    END IF;
    SELECT rulename INTO obstacle FROM pg_rewrite WHERE ev_class = "table" AND ev_type = '2' ORDER BY rulename LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'table % has rule "%" on updates', "table", obstacle.rulename
            USING ERRCODE = 'feature_not_supported', DETAIL = 'The conversion updates all rows.', HINT = 'Drop it, convert the column, and create it again.';
    END IF;
    IF EXISTS (SELECT FROM pg_trigger WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion') THEN
        IF to_regclass(state) IS NOT NULL THEN
            EXECUTE format('SELECT true FROM ONLY %s WHERE relation = $1', state) INTO known USING "table";
        END IF;
        IF known IS NULL THEN
            RAISE EXCEPTION 'table % takes part in another conversion', "table"
                USING ERRCODE = 'object_in_use', HINT = 'Complete the other conversion, or use undo_conversion().';
        END IF;
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_table(regclass, text) IS 'internal: raises an error if triggers, rules or another conversion of a table stand in the way';

-- The first step: shadow columns, and the trigger, one table at a time.  Adding a
-- column without a default and a check that is not validated rewrites nothing.

CREATE FUNCTION objectid_ext_tools._live_begin_table(state text, relation regclass, to_type regtype, "columns" name[], "values" text[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    shadow name;
    own_schema name;
    owner name;
    name_of_function text;
    grants text;
    additions text[] := '{}';
    body text := '';
BEGIN
    SELECT nspname, pg_get_userbyid(relowner), format('%I.%I', nspname, objectid_ext_tools._live_name(relname))
    INTO own_schema, owner, name_of_function
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = relation;
    FOR n IN 1 .. cardinality("columns") LOOP
        shadow := objectid_ext_tools._live_name("columns"[n]);
        -- the first form proves to ALTER COLUMN SET NOT NULL that there is no null;
        -- IS DISTINCT FROM would look the operator up
        additions := additions || format('ADD COLUMN %I %s', shadow, to_type) ||
            format(CASE WHEN (SELECT attnotnull FROM pg_attribute WHERE attrelid = relation AND attname = "columns"[n])
                        THEN 'ADD CONSTRAINT %1$I CHECK (%2$I IS NOT NULL AND %2$I OPERATOR(%3$s.=) %4$s) NOT VALID'
                        ELSE 'ADD CONSTRAINT %1$I CHECK ((%2$I IS NULL) = (%5$I IS NULL) AND (%2$I OPERATOR(%3$s.=) %4$s) IS NOT FALSE) NOT VALID' END,
                   objectid_ext_tools._live_name('= ' || "columns"[n]), shadow,
                   (SELECT typnamespace::regnamespace FROM pg_type WHERE oid = to_type), "values"[n], "columns"[n]);
        body := body || format('NEW.%I := %s; ', shadow, replace("values"[n], format('(%I)', "columns"[n]), format('(NEW.%I)', "columns"[n])));
    END LOOP;
    EXECUTE format('ALTER TABLE %s %s', relation, array_to_string(additions, ', '));
    FOR grants IN
        SELECT g FROM unnest("columns") AS c, objectid_ext_tools._column_privileges(relation, c, objectid_ext_tools._live_name(c)) AS g
    LOOP
        EXECUTE grants;
    END LOOP;
    -- the types in the body are those of the schema that they have now, or keywords
    EXECUTE format('CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS %L', name_of_function,
                   format('BEGIN %sRETURN NEW; END', replace(body, '::text', '::pg_catalog.text')));
    EXECUTE format('ALTER FUNCTION %s() OWNER TO %I', name_of_function, owner);
    EXECUTE format('COMMENT ON FUNCTION %s() IS %L', name_of_function, 'keeps columns equal during a conversion by objectid_ext_tools');
    EXECUTE format('CREATE TRIGGER "~objectid_ext_conversion" BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION %s()', relation, name_of_function);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER "~objectid_ext_conversion"', relation);
    EXECUTE format('INSERT INTO %s (relation) VALUES ($1) ON CONFLICT DO NOTHING', state) USING relation;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_begin_table(text, regclass, regtype, name[], text[]) IS 'internal: adds shadow columns and the trigger that keeps them to a table';

CREATE FUNCTION objectid_ext_tools._live_begin("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS float8
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    next record;
BEGIN
    PERFORM objectid_ext_tools._live_check("table", "column", to_type);
    IF to_regclass(state) IS NULL THEN
        EXECUTE format('CREATE TABLE %s (relation regclass PRIMARY KEY, filenode oid, pages bigint, page bigint NOT NULL DEFAULT 0,'
                       ' "rows" bigint NOT NULL DEFAULT 0, batch integer NOT NULL DEFAULT 8, started timestamptz, seconds float8 NOT NULL DEFAULT 0)', state);
        EXECUTE format('ALTER TABLE %s OWNER TO %I', state, (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = "table"));
        EXECUTE format('COMMENT ON TABLE %s IS %L', state, format('objectid_ext_tools: conversion of column "%s" of table %s', "column", "table"));
        EXECUTE format('GRANT SELECT ON %s TO pg_monitor', state);
        RETURN 0;
    END IF;
    SELECT relation, array_agg(attribute ORDER BY attribute) AS "columns", array_agg(value ORDER BY attribute) AS "values"
    INTO next
    FROM objectid_ext_tools._live_columns("table", "column", to_type)
    WHERE NOT inherited AND NOT begun GROUP BY relation ORDER BY relation LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    PERFORM objectid_ext_tools._live_lock(ARRAY[next.relation], 'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._live_begin_table(state, next.relation, to_type, next."columns", next."values");
    RETURN 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_begin(regclass, name, regtype, interval) IS 'internal: adds shadow columns to the next table; returns the seconds to wait before it is called again, and NULL at the end';

-- The second step: fill some pages.  Rows that are inserted later, or updated, get
-- their values from the trigger, so the pages that a table had at first suffice,
-- unless it was rewritten since.

CREATE FUNCTION objectid_ext_tools._live_fill_pages(relation regclass, first bigint, upto bigint, assignments text, unfilled text, OUT filled bigint, OUT skipped boolean)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET enable_seqscan = off
AS $$
DECLARE
    tids tid[];
BEGIN
    EXECUTE format('SELECT array_agg(tid) FROM (SELECT ctid FROM ONLY %s WHERE ctid >= $1 AND ctid < $2 AND (%s) FOR NO KEY UPDATE SKIP LOCKED) AS t (tid)', relation, unfilled)
        INTO tids USING format('(%s,0)', first)::tid, format('(%s,0)', upto)::tid;
    IF objectid_ext_tools._live_needs_replica_role(relation) THEN
        PERFORM set_config('session_replication_role', 'replica', true);
    END IF;
    EXECUTE format('UPDATE ONLY %s SET %s WHERE ctid = ANY ($1)', relation, assignments) USING tids;
    GET DIAGNOSTICS filled = ROW_COUNT;
    EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE ctid >= $1 AND ctid < $2 AND (%s))', relation, unfilled)
        INTO skipped USING format('(%s,0)', first)::tid, format('(%s,0)', upto)::tid;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_fill_pages(regclass, bigint, bigint, text, text) IS 'internal: fills the shadow columns of the rows in some pages that nobody has locked';

CREATE FUNCTION objectid_ext_tools._live_fill("table" regclass, "column" name, to_type regtype, max_wait interval, rows_per_second integer) RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    began timestamptz := clock_timestamp();
    locked timestamptz;
    share float8;
    took float8;
    s record;
    parts record;
    result record;
BEGIN
    EXECUTE format('SELECT * FROM ONLY %s WHERE pages IS NULL OR page < pages OR filenode <> pg_relation_filenode(relation) ORDER BY relation LIMIT 1', state) INTO s;
    IF s.relation IS NULL THEN
        RETURN NULL;
    END IF;
    IF s.filenode IS DISTINCT FROM pg_relation_filenode(s.relation) THEN
        EXECUTE format('UPDATE ONLY %s SET page = 0, "rows" = 0, seconds = 0, started = clock_timestamp(), filenode = pg_relation_filenode(relation),'
                       ' pages = pg_relation_size(relation) / current_setting(''block_size'')::bigint WHERE relation = $1', state) USING s.relation;
        RETURN 0;
    END IF;
    SELECT string_agg(format('%I = %s', shadow, value), ', ') AS assignments,
           string_agg(format('%I IS NULL AND %I IS NOT NULL', shadow, attribute), ' OR ') AS unfilled
    INTO parts
    FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE relation = s.relation;
    locked := clock_timestamp();
    SELECT * INTO result FROM objectid_ext_tools._live_fill_pages(s.relation, s.page, least(s.page + s.batch, s.pages), parts.assignments, parts.unfilled);
    share := extract(epoch FROM clock_timestamp() - locked) / extract(epoch FROM max_wait);
    took := extract(epoch FROM clock_timestamp() - began);
    EXECUTE format('UPDATE ONLY %s SET page = $2, "rows" = "rows" + $3, seconds = seconds + $4, batch = $5 WHERE relation = $1', state)
        USING s.relation, CASE WHEN result.skipped THEN s.page ELSE least(s.page + s.batch, s.pages) END, result.filled,
              greatest(took, result.filled / rows_per_second::float8),
              -- users can wait for the rows of a batch
              CASE WHEN share < 0.05 THEN least(s.batch * 2, 1024) WHEN share > 0.12 THEN greatest(s.batch / 2, 1) ELSE s.batch END;
    RETURN greatest(CASE WHEN result.skipped THEN 0.05 ELSE 0 END, result.filled / rows_per_second::float8 - took);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_fill(regclass, name, regtype, interval, integer) IS 'internal: fills some pages; returns the seconds to wait before it is called again, and NULL at the end';

-- The third step, after the indexes: constraints.  Each is first added without
-- looking at the rows, and then validated, which does not prevent writes.

CREATE FUNCTION objectid_ext_tools._live_validate("table" regclass, "column" name, to_type regtype, max_wait interval) RETURNS float8
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET client_min_messages = warning
AS $$
DECLARE
    next record;
    definition text;
BEGIN
    SELECT relation, constraint_name INTO next FROM objectid_ext_tools._live_strays("table", "column", to_type) WHERE constraint_name IS NOT NULL LIMIT 1;
    IF FOUND THEN
        PERFORM objectid_ext_tools._live_lock(ARRAY[next.relation], 'ACCESS EXCLUSIVE', max_wait);
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', next.relation, next.constraint_name);
        RETURN 0;
    END IF;
    SELECT * INTO next FROM (
        SELECT conrelid::regclass AS relation, conname AS shadow, 'begun' AS state, 'check' AS kind, 0::oid AS object
        FROM objectid_ext_tools._live_columns("table", "column", to_type)
             JOIN pg_constraint ON conrelid = relation AND conname = objectid_ext_tools._live_name('= ' || attribute)
        WHERE NOT convalidated AND coninhcount = 0
        UNION ALL
        SELECT relation, shadow, state, kind, object FROM objectid_ext_tools._live_objects("table", "column", to_type)
        WHERE kind <> 'index' AND state <> 'done') AS c
    ORDER BY kind, object LIMIT 1;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF next.state = 'begun' THEN
        PERFORM objectid_ext_tools._live_lock(ARRAY[next.relation], 'SHARE UPDATE EXCLUSIVE', max_wait);
        EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', next.relation, next.shadow);
        RETURN 0;
    END IF;
    IF next.kind = 'foreign key' THEN
        definition := objectid_ext_tools._live_foreign_key("table", "column", to_type, next.object);
        PERFORM objectid_ext_tools._live_lock(ARRAY(SELECT conrelid FROM pg_constraint WHERE oid = next.object
                                                    UNION SELECT confrelid FROM pg_constraint WHERE oid = next.object)::regclass[],
                                              'SHARE ROW EXCLUSIVE', max_wait);
    ELSE
        definition := objectid_ext_tools._live_definition("table", "column", to_type, 'check', next.relation, next.object);
        PERFORM objectid_ext_tools._live_lock(ARRAY[next.relation], 'ACCESS EXCLUSIVE', max_wait);
    END IF;
    EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', next.relation, next.shadow, definition) ||
            CASE WHEN definition LIKE '%NOT VALID' OR definition LIKE '%NOT ENFORCED' THEN '' ELSE ' NOT VALID' END;
    RETURN 0;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_validate(regclass, name, regtype, interval) IS 'internal: adds or validates the next constraint of shadow columns; returns the seconds to wait before it is called again, and NULL at the end';

-- The last step: the shadow columns take the places of the converted ones.  The
-- statements are made before the tables are locked, and none reads rows.

CREATE FUNCTION objectid_ext_tools._live_swap_column(relation regclass, attribute name, attribute_type regtype, shadow name, to_type regtype, OUT before text[], OUT afterwards text[])
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    not_null name;
    not_null_shadow name := objectid_ext_tools._live_name('not null ' || attribute);
BEGIN
    SELECT * INTO a FROM pg_attribute WHERE attrelid = relation AND attname = attribute;
    before := ARRAY(
        SELECT format('ALTER TABLE %s ALTER COLUMN %I SET DEFAULT ', relation, shadow) ||
               format(CASE WHEN attribute_type = 'character'::regtype THEN '(%s)::text::%s'
                           WHEN attribute_type IN ('bytea'::regtype, 'jsonb'::regtype) THEN '(%s)::%s' ELSE '%s' END,
                      pg_get_expr(adbin, adrelid), to_type)
        FROM pg_attrdef WHERE adrelid = relation AND adnum = a.attnum
        UNION ALL
        SELECT format('ALTER SEQUENCE %s OWNED BY %s.%I', objid::regclass, relation, shadow)
        FROM pg_depend JOIN pg_class s ON s.oid = objid AND relkind = 'S'
        WHERE classid = 'pg_class'::regclass AND deptype IN ('a', 'i') AND refclassid = 'pg_class'::regclass AND refobjid = relation AND refobjsubid = a.attnum
        UNION ALL
        SELECT format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS %s', relation, shadow, a.attstattarget) WHERE a.attstattarget >= 0
        UNION ALL
        SELECT format('ALTER TABLE %s ALTER COLUMN %I SET (%s)', relation, shadow, option)
        FROM unnest(a.attoptions) AS option WHERE starts_with(option, 'n_distinct')
        UNION ALL
        SELECT format('COMMENT ON COLUMN %s.%I IS %L', relation, shadow, col_description(relation, a.attnum))
        UNION ALL
        SELECT objectid_ext_tools._column_privileges(relation, attribute, shadow)
        WHERE a.attacl IS DISTINCT FROM (SELECT attacl FROM pg_attribute WHERE attrelid = relation AND attname = shadow));
    afterwards := ARRAY[format('ALTER TABLE %s DROP COLUMN %I', relation, attribute),
                        format('ALTER TABLE %s RENAME COLUMN %I TO %I', relation, shadow, attribute)];
    -- from 18 on, NOT NULL is a constraint, whose name it keeps
    IF a.attnotnull THEN
        SELECT conname INTO not_null FROM pg_constraint WHERE conrelid = relation AND contype = 'n' AND conkey = ARRAY[a.attnum];
        IF FOUND THEN
            before := before || format('ALTER TABLE %s ADD CONSTRAINT %I NOT NULL %I', relation, not_null_shadow, shadow);
            afterwards := afterwards || format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', relation, not_null_shadow, not_null);
        ELSE
            before := before || format('ALTER TABLE %s ALTER COLUMN %I SET NOT NULL', relation, shadow);
        END IF;
    END IF;
    before := before || format('ALTER TABLE %s DROP CONSTRAINT %I', relation, objectid_ext_tools._live_name('= ' || attribute));
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap_column(regclass, name, regtype, name, regtype) IS 'internal: statements that give a shadow column all that the converted column has, and those that put it in its place';

CREATE FUNCTION objectid_ext_tools._live_swap_index(index regclass, shadow text, OUT first text, OUT afterwards text[])
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    i pg_index;
    k pg_constraint;
    own_name name;
    full_name text;
BEGIN
    SELECT * INTO i FROM pg_index WHERE indexrelid = index;
    SELECT relname, format('%I.%I', nspname, relname) INTO own_name, full_name FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = index;
    SELECT * INTO k FROM pg_constraint WHERE conindid = index AND conrelid = i.indrelid AND contype IN ('p', 'u');
    IF FOUND THEN
        first := format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname);
        afterwards := ARRAY[format('ALTER TABLE %s ADD CONSTRAINT %I %s USING INDEX %I%s%s', k.conrelid::regclass, k.conname,
                                   CASE k.contype WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END, shadow,
                                   CASE WHEN k.condeferrable THEN ' DEFERRABLE' END, CASE WHEN k.condeferred THEN ' INITIALLY DEFERRED' END),
                            format('COMMENT ON CONSTRAINT %I ON %s IS %L', k.conname, k.conrelid::regclass, obj_description(k.oid, 'pg_constraint'))];
    ELSE
        first := format('DROP INDEX %s', full_name);
        afterwards := ARRAY[format('ALTER INDEX %I.%I RENAME TO %I', (SELECT nspname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = index), shadow, own_name)];
    END IF;
    afterwards := afterwards || format('COMMENT ON INDEX %s IS %L', full_name, obj_description(index, 'pg_class')) ||
        ARRAY(SELECT format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s', full_name, attnum, attstattarget) FROM pg_attribute WHERE attrelid = index AND attstattarget >= 0) ||
        -- columns of an index keep the names that those of the table had first
        ARRAY(SELECT format('ALTER TABLE %s RENAME COLUMN %I TO %I', full_name, n.attname, o.attname)
              FROM pg_attribute o JOIN pg_attribute n USING (attnum) JOIN pg_class c ON c.oid = n.attrelid
              WHERE o.attrelid = index AND c.relname = shadow AND n.attname LIKE '\_objectid\_ext\_%'
                AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = index));
    IF i.indisclustered THEN
        afterwards := afterwards || format('ALTER TABLE %s CLUSTER ON %I', i.indrelid::regclass, own_name);
    END IF;
    IF i.indisreplident THEN
        afterwards := afterwards || format('ALTER TABLE %s REPLICA IDENTITY USING INDEX %I', i.indrelid::regclass, own_name);
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap_index(regclass, text) IS 'internal: statements that drop an index, and that put the one of the shadow columns in its place';

CREATE FUNCTION objectid_ext_tools._live_swap("table" regclass, "column" name, to_type regtype) RETURNS text[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    part record;
    constraints text[] := '{}';
    indexes text[] := '{}';
    befores text[] := '{}';
    columns text[] := '{}';
    afterwards text[] := '{}';
BEGIN
    FOR each IN SELECT * FROM objectid_ext_tools._live_objects("table", "column", to_type) LOOP
        IF each.kind = 'index' THEN
            SELECT * INTO part FROM objectid_ext_tools._live_swap_index(each.object, each.shadow);
            indexes := indexes || part.first;
            afterwards := afterwards || part.afterwards;
        ELSE
            constraints := constraints || format('ALTER TABLE %s DROP CONSTRAINT %I', each.relation, each.object_name);
            afterwards := afterwards || format('ALTER TABLE %s RENAME CONSTRAINT %I TO %I', each.relation, each.shadow, each.object_name) ||
                format('COMMENT ON CONSTRAINT %I ON %s IS %L', each.object_name, each.relation, obj_description(each.object, 'pg_constraint'));
        END IF;
    END LOOP;
    FOR each IN SELECT * FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE NOT inherited ORDER BY relation, attribute LOOP
        SELECT * INTO part FROM objectid_ext_tools._live_swap_column(each.relation, each.attribute, each.attribute_type, each.shadow, to_type);
        befores := befores || part.before;
        columns := columns || part.afterwards;
    END LOOP;
    -- foreign keys are dropped before the indexes that they need
    RETURN befores || objectid_ext_tools._live_drop_triggers(objectid_ext_tools._live_state("table", "column")) || constraints || indexes || columns || afterwards;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_swap(regclass, name, regtype) IS 'internal: statements that put shadow columns in the places of the converted ones';

CREATE FUNCTION objectid_ext_tools._live_drop_triggers(state text) RETURNS text[]
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
    statements text[] := '{}';
BEGIN
    FOR each IN EXECUTE format('SELECT relation, tgfoid::regprocedure::text AS function FROM ONLY %s JOIN pg_trigger ON tgrelid = relation'
                               ' WHERE tgname = ''~objectid_ext_conversion'' AND tgparentid = 0', state) LOOP
        statements := statements || format('DROP TRIGGER "~objectid_ext_conversion" ON %s', each.relation) || format('DROP FUNCTION %s', each.function);
    END LOOP;
    RETURN statements || format('DROP TABLE %s', state);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_drop_triggers(text) IS 'internal: statements that drop the triggers of a conversion and what stores its progress';

CREATE FUNCTION objectid_ext_tools._execute(statements text[]) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    statement text;
BEGIN
    FOREACH statement IN ARRAY statements LOOP
        EXECUTE statement;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._execute(text[]) IS 'internal: executes statements';

-- Checks take longer than the tables may be locked.  So they precede the locks,
-- and then this tells whether the catalog still says the same of the tables.

CREATE FUNCTION objectid_ext_tools._live_catalog_state(tables regclass[]) RETURNS text
LANGUAGE sql VOLATILE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT md5(string_agg(concat_ws(' ', tableoid, ctid, xmin), ',' ORDER BY tableoid, ctid))
    FROM (SELECT tableoid, ctid, xmin FROM pg_class WHERE oid = ANY (tables)
          UNION ALL SELECT c.tableoid, c.ctid, c.xmin FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_index WHERE indrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_attribute WHERE attrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_attrdef WHERE adrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_constraint WHERE conrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_constraint WHERE confrelid = ANY (tables) AND conrelid <> ALL (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_trigger WHERE tgrelid = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_rewrite WHERE ev_class = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_inherits WHERE inhrelid = ANY (tables) OR inhparent = ANY (tables)
          UNION ALL SELECT tableoid, ctid, xmin FROM pg_depend WHERE refclassid = 'pg_class'::regclass AND refobjid = ANY (tables)) AS c
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_catalog_state(regclass[]) IS 'internal: a value that changes if the definition of one of the tables, or what depends on it, changes';

CREATE FUNCTION objectid_ext_tools._live_check("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    each record;
BEGIN
    IF to_type = 'bigint'::regtype THEN
        PERFORM objectid_ext_tools._check_integers("table", "column");
        -- so that the highest id is found at once
        IF NOT EXISTS (SELECT FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_am m ON m.oid = relam AND amname = 'btree'
                            JOIN pg_attribute a ON a.attrelid = indrelid AND a.attnum = indkey[0]
                       WHERE indrelid = "table" AND a.attname = "column" AND indpred IS NULL AND indisvalid) THEN
            RAISE EXCEPTION 'column "%" of table % is not the first column of an index', "column", "table"
                USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Use CREATE INDEX CONCURRENTLY to create one, or use convert_to_snowflake(), which locks the tables.';
        END IF;
    ELSE
        PERFORM objectid_ext_tools._check_texts("table", "column", to_type);
    END IF;
    FOR each IN SELECT * FROM objectid_ext_tools._live_columns("table", "column", to_type) ORDER BY relation, attribute LOOP
        PERFORM objectid_ext_tools._live_check_column(each.relation, each.attribute, each.relation <> "table" OR each.attribute <> "column");
        PERFORM objectid_ext_tools._live_check_table(each.relation, objectid_ext_tools._live_state("table", "column"));
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check(regclass, name, regtype) IS 'internal: raises an error if something stands in the way of a conversion under load';

CREATE FUNCTION objectid_ext_tools._live_tables("table" regclass, "column" name, to_type regtype) RETURNS regclass[]
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE heir (oid) AS (
        SELECT "table"::oid
        UNION
        SELECT inhrelid FROM heir JOIN pg_inherits ON inhparent = oid
    )
    SELECT array_agg(oid::regclass ORDER BY oid)
    FROM (SELECT oid FROM heir
          UNION SELECT relation FROM objectid_ext_tools._live_columns("table", "column", to_type)
          UNION SELECT unnest(ARRAY[conrelid, confrelid]) FROM pg_constraint JOIN objectid_ext_tools._foreign_keys("table", "column", to_type) k ON k = oid) AS t
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_tables(regclass, name, regtype) IS 'internal: tables that the end of a conversion changes';

CREATE FUNCTION objectid_ext_tools._live_finish("table" regclass, "column" name, to_type regtype, max_wait interval, node integer, layout snowflake_layout) RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
SET client_min_messages = warning
AS $$
DECLARE
    tables regclass[] := objectid_ext_tools._live_tables("table", "column", to_type);
    checked text := objectid_ext_tools._live_catalog_state(tables);
    statements text[] := '{}';
    seq regclass;
    new_id bigint;
BEGIN
    PERFORM objectid_ext_tools._live_check("table", "column", to_type);
    IF EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type)) THEN
        PERFORM objectid_ext_tools._live_check_complete("table", "column", to_type);
        statements := objectid_ext_tools._live_swap("table", "column", to_type);
    END IF;
    IF layout IS NOT NULL THEN
        seq := objectid_ext_tools._sequence_of("table", "column");
    END IF;

    PERFORM objectid_ext_tools._live_lock(tables, 'ACCESS EXCLUSIVE', max_wait);
    IF objectid_ext_tools._live_catalog_state(tables) <> checked THEN
        RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE = 'tables have changed';
    END IF;
    IF layout IS NOT NULL THEN
        SELECT s.seq, s.new_id INTO seq, new_id FROM objectid_ext_tools._prepare_sequence("table", "column", seq, node, layout) AS s;
    END IF;
    PERFORM objectid_ext_tools._execute(statements);
    IF layout IS NOT NULL THEN
        PERFORM objectid_ext_tools._set_snowflake_default("table", "column", seq, new_id, node, layout);
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_finish(regclass, name, regtype, interval, integer, snowflake_layout) IS 'internal: completes a conversion; returns NULL';

CREATE FUNCTION objectid_ext_tools._live_check_complete("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    remaining text;
BEGIN
    SELECT * INTO remaining FROM objectid_ext_tools._live_remaining("table", "column", to_type) LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'conversion of column "%" of table % is not complete', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = remaining,
                  HINT = 'Call the function that returned this step again, for the steps that remain.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_complete(regclass, name, regtype) IS 'internal: raises an error if a step before the last one is missing';

-- What the last step requires

CREATE FUNCTION objectid_ext_tools._live_remaining("table" regclass, "column" name, to_type regtype) RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
BEGIN
    IF to_regclass(state) IS NULL THEN
        RETURN NEXT 'It has not begun.';
        RETURN;
    END IF;
    RETURN QUERY SELECT format('Column "%s" of table %s has no shadow column.', attribute, relation)
                 FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE NOT begun ORDER BY relation::text COLLATE "C", attribute;
    RETURN QUERY EXECUTE format('SELECT format(''Table %%s is not filled.'', relation) FROM ONLY %s WHERE pages IS NULL OR page < pages ORDER BY relation::text COLLATE "C"', state);
    RETURN QUERY SELECT format('Constraint "%s" of table %s is not validated.', conname, relation)
                 FROM objectid_ext_tools._live_columns("table", "column", to_type)
                      JOIN pg_constraint ON conrelid = relation AND conname = objectid_ext_tools._live_name('= ' || attribute)
                 WHERE NOT convalidated ORDER BY relation::text COLLATE "C", conname;
    RETURN QUERY SELECT format('The %s "%s" of table %s does not exist for the shadow columns.', kind, object_name, relation)
                 FROM objectid_ext_tools._live_objects("table", "column", to_type) o WHERE o.state <> 'done' ORDER BY kind DESC, relation::text COLLATE "C", object_name;
    RETURN QUERY SELECT format('The %s of table %s is not needed.', coalesce('index ' || index_name, format('constraint "%s"', constraint_name)), relation)
                 FROM objectid_ext_tools._live_strays("table", "column", to_type);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_remaining(regclass, name, regtype) IS 'internal: what is missing before the last step of a conversion';

CREATE FUNCTION objectid_ext_tools._live_check_begun("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF to_regclass(objectid_ext_tools._live_state("table", "column")) IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % is not being converted', "column", "table" USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_check_begun(regclass, name) IS 'internal: raises an error if there is no conversion';

CREATE FUNCTION objectid_ext_tools._live_undo("table" regclass, "column" name, max_wait interval) RETURNS float8
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET client_min_messages = warning
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    tables regclass[];
    statements text[];
BEGIN
    EXECUTE format('SELECT array_agg(relation) FROM ONLY %s JOIN pg_class ON oid = relation', state) INTO tables;
    statements := ARRAY(
        SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname)
        FROM pg_constraint
        WHERE contype IN ('f', 'c') AND conparentid = 0 AND coninhcount = 0 AND conname LIKE '\_objectid\_ext\_%' AND (conrelid = ANY (tables) OR confrelid = ANY (tables))
        UNION ALL
        SELECT format('ALTER TABLE %s DROP COLUMN %I', attrelid::regclass, attname)
        FROM pg_attribute
        WHERE attrelid = ANY (tables) AND attname LIKE '\_objectid\_ext\_%' AND attinhcount = 0 AND NOT attisdropped) ||
        objectid_ext_tools._live_drop_triggers(state);
    PERFORM objectid_ext_tools._live_lock(ARRAY(SELECT unnest(tables) UNION SELECT unnest(ARRAY[conrelid, confrelid])::regclass FROM pg_constraint
                                                WHERE contype = 'f' AND conname LIKE '\_objectid\_ext\_%' AND (conrelid = ANY (tables) OR confrelid = ANY (tables))),
                                          'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._execute(statements);
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_undo(regclass, name, interval) IS 'internal: removes all that a conversion has added; returns NULL';

CREATE FUNCTION objectid_ext_tools._live_step(
    phase text,
    "table" regclass,
    "column" name,
    to_type regtype,
    max_wait interval,
    rows_per_second integer,
    node integer,
    layout snowflake_layout
) RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN CASE phase
               WHEN 'begin' THEN objectid_ext_tools._live_begin("table", "column", to_type, max_wait)
               WHEN 'fill' THEN objectid_ext_tools._live_fill("table", "column", to_type, max_wait, rows_per_second)
               WHEN 'validate' THEN objectid_ext_tools._live_validate("table", "column", to_type, max_wait)
               WHEN 'finish' THEN objectid_ext_tools._live_finish("table", "column", to_type, max_wait, node, layout)
               WHEN 'undo' THEN objectid_ext_tools._live_undo("table", "column", max_wait)
           END;
EXCEPTION
    WHEN lock_not_available OR deadlock_detected THEN
        -- let those who wait for us work
        RETURN extract(epoch FROM max_wait) * (0.5 + random());
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._live_step(text, regclass, name, regtype, interval, integer, integer, snowflake_layout) IS 'internal: one transaction of a phase of a conversion; returns the seconds to wait before the next, and NULL at the end';

-- A procedure that commits cannot set a search_path, so the bodies of these name
-- the schema of everything, with arguments of exactly the right types.

CREATE PROCEDURE objectid_ext_tools._convert_live(
    phase text,
    "table" regclass,
    "column" name,
    to_type regtype,
    max_wait interval,
    rows_per_second integer DEFAULT NULL,
    node integer DEFAULT NULL,
    layout snowflake_layout DEFAULT NULL
)
LANGUAGE plpgsql
AS $$
DECLARE
    pause pg_catalog.float8;
BEGIN
    PERFORM objectid_ext_tools._live_claim("table", "column", true);
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        pause := objectid_ext_tools._live_step(phase, "table", "column", to_type, max_wait, rows_per_second, node, layout);
        EXIT WHEN pause IS NULL;
        COMMIT;
        PERFORM pg_catalog.pg_sleep(pause);
    END LOOP;
    IF phase OPERATOR(pg_catalog.=) 'finish' THEN
        COMMIT;
        PERFORM objectid_ext_tools._live_release("table");
    END IF;
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools._convert_live(text, regclass, name, regtype, interval, integer, integer, snowflake_layout) IS 'internal: a phase of a conversion, in many transactions';

CREATE PROCEDURE objectid_ext_tools.undo_conversion("table" regclass, "column" name, max_wait interval DEFAULT '1 s')
LANGUAGE plpgsql
AS $$
DECLARE
    pause pg_catalog.float8;
BEGIN
    PERFORM objectid_ext_tools._live_check_begun("table", "column");
    PERFORM objectid_ext_tools._live_claim("table", "column", true);
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        pause := objectid_ext_tools._live_step('undo', "table", "column", NULL::pg_catalog.regtype, max_wait, NULL::integer, NULL::integer, NULL);
        EXIT WHEN pause IS NULL;
        COMMIT;
        PERFORM pg_catalog.pg_sleep(pause);
    END LOOP;
    COMMIT;
    PERFORM objectid_ext_tools._live_release("table");
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools.undo_conversion(regclass, name, interval) IS 'removes all that an incomplete conversion by snowflake_conversion_steps() or objectid_conversion_steps() has added; other statements wait at most max_wait for its locks';

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
    call text := format('CALL objectid_ext_tools._convert_live(%%L, %L, %L, %L, ''%s ms''%%s)', "table", "column", to_type, (1000 * extract(epoch FROM max_wait))::bigint);
    state text := objectid_ext_tools._live_state("table", "column");
    unfilled boolean := true;
    each record;
BEGIN
    IF EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type)) THEN
        IF to_regclass(state) IS NULL OR EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type) l WHERE NOT l.begun) THEN
            RETURN NEXT format(call, 'begin', '');
        ELSE
            EXECUTE format('SELECT EXISTS (SELECT FROM ONLY %s WHERE pages IS NULL OR page < pages OR filenode <> pg_relation_filenode(relation))', state) INTO unfilled;
        END IF;
        IF unfilled THEN
            RETURN NEXT format(call, 'fill', ', ' || rows_per_second);
        END IF;
        RETURN QUERY SELECT format('DROP INDEX CONCURRENTLY %s', index_name) FROM objectid_ext_tools._live_strays("table", "column", to_type) WHERE index_name IS NOT NULL ORDER BY 1;
        FOR each IN
            SELECT o.*, indisunique, indexprs IS NOT NULL OR indpred IS NOT NULL AS has_expressions
            FROM objectid_ext_tools._live_objects("table", "column", to_type) o JOIN pg_index ON indexrelid = object
            WHERE kind = 'index' AND o.state <> 'done' ORDER BY o.relation::text COLLATE "C", o.object_name
        LOOP
            -- operators are printed as they are found with this path
            IF each.has_expressions THEN
                RETURN NEXT 'SET search_path = pg_catalog, pg_temp';
            END IF;
            RETURN NEXT format('CREATE %sINDEX CONCURRENTLY %I ON %s USING %s', CASE WHEN each.indisunique THEN 'UNIQUE ' END, each.shadow, each.relation,
                               objectid_ext_tools._live_definition("table", "column", to_type, 'index', each.relation, each.object));
            IF each.has_expressions THEN
                RETURN NEXT 'SET search_path = ' || CASE path WHEN '' THEN '''''' ELSE path END;
            END IF;
        END LOOP;
        RETURN NEXT format(call, 'validate', '');
        RETURN QUERY SELECT DISTINCT format('ANALYZE %s', relation) FROM objectid_ext_tools._live_columns("table", "column", to_type) WHERE NOT inherited ORDER BY 1;
        -- A transaction whose snapshot is older than the filling of the rows would
        -- see nulls.  This waits for the end of such transactions, as it does for
        -- any index.
        RETURN NEXT format('REINDEX INDEX CONCURRENTLY %s_pkey', state);
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
    path text,
    OUT step integer,
    OUT statement text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
BEGIN
    IF "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM objectid_ext_tools._check_pace("table", max_wait, rows_per_second);
    IF objectid_ext_tools._has_snowflakes("table", "column") THEN
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._live_claim("table", "column", false);
    PERFORM objectid_ext_tools._live_check("table", "column", 'bigint');
    PERFORM objectid_ext_tools._check_next_id("table", "column", objectid_ext_tools._sequence_of("table", "column"), node, layout);
    RETURN QUERY SELECT n::integer, s FROM objectid_ext_tools._live_steps("table", "column", 'bigint', max_wait, rows_per_second, node, layout, path) WITH ORDINALITY AS t (s, n);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._snowflake_steps(regclass, name, integer, snowflake_layout, interval, integer, text) IS 'internal: snowflake_conversion_steps() for a session with that search_path';

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
    IF (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = "column") = objectid_type THEN
        RETURN;
    END IF;
    PERFORM objectid_ext_tools._live_claim("table", "column", false);
    PERFORM objectid_ext_tools._live_check("table", "column", objectid_type);
    IF to_regclass(objectid_ext_tools._live_state("table", "column")) IS NULL THEN
        SELECT * INTO invalid FROM objectid_ext_tools._invalid_values("table", "column");
        IF invalid.message IS NOT NULL THEN
            RAISE EXCEPTION '%', invalid.message USING ERRCODE = 'invalid_text_representation', DETAIL = invalid.detail;
        END IF;
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
    OUT step integer,
    OUT statement text
) RETURNS SETOF record
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
    SELECT s.step, s.statement FROM objectid_ext_tools._snowflake_steps("table", "column", node, layout, max_wait, rows_per_second, pg_catalog.current_setting('search_path'::text)) AS s;
END;
COMMENT ON FUNCTION objectid_ext_tools.snowflake_conversion_steps(regclass, name, integer, snowflake_layout, interval, integer) IS 'statements that do what convert_to_snowflake() does, or what remains of it, while the tables are in use, for \gexec of psql; other statements wait at most max_wait for their locks; at most rows_per_second rows are updated; an error if something prevents it';

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

CREATE FUNCTION objectid_ext_tools._check_pace("table" regclass, max_wait interval, rows_per_second integer) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    IF max_wait IS NULL OR max_wait < '10 ms' OR max_wait > '1 hour' THEN
        RAISE EXCEPTION 'interval "%" is out of range', max_wait
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The longest wait must be from 10 ms to 1 hour.';
    END IF;
    IF rows_per_second <= 0 THEN
        RAISE EXCEPTION 'rows per second must be greater than zero' USING ERRCODE = 'invalid_parameter_value';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._check_pace(regclass, interval, integer) IS 'internal: raises an error if parameters of a conversion under load are out of range';

-- The plan runs each check by itself, so that one obstacle does not hide others.

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

CREATE FUNCTION objectid_ext_tools._obstacles("table" regclass, "column" name, to_type regtype, OUT in_use boolean, OUT relation regclass, OUT obstacle text) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH key AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._live_columns("table", "column", to_type)
    ), checks (in_use, relation, statement) AS (
        SELECT false, "table",
               format(CASE to_type WHEN 'bigint'::regtype THEN 'SELECT objectid_ext_tools._check_integers(%L, %L)'
                                   ELSE 'SELECT objectid_ext_tools._check_texts(%L, %L, %L)' END, "table", "column", to_type)
        UNION ALL
        SELECT false, k.relation, format('SELECT objectid_ext_tools._check_convertible(%L, %L, %L, %L)', k.relation, k.attribute, to_type, k.inherited) FROM key k
        UNION ALL
        SELECT false, k.relation, format('SELECT objectid_ext_tools._check_objectid_column(%L, %L)', k.relation, k.attribute) FROM key k WHERE to_type <> 'bigint'::regtype
        UNION ALL
        SELECT true, "table", format('SELECT objectid_ext_tools._live_check(%L, %L, %L)', "table", "column", to_type)
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_column(%L, %L, %L)', k.relation, k.attribute, k.relation <> "table" OR k.attribute <> "column") FROM key k
        UNION ALL
        SELECT true, k.relation, format('SELECT objectid_ext_tools._live_check_table(%L, %L)', k.relation, objectid_ext_tools._live_state("table", "column")) FROM key k
    ), found (in_use, relation, obstacle) AS (
        SELECT c.in_use, c.relation, objectid_ext_tools._obstacle(c.statement) FROM checks c
        UNION ALL
        SELECT false, k.relation, format('column "%s" of table %s is used by %s', k.attribute, k.relation, d) || E'\nDrop it, convert the column, and create it again.'
        FROM key k JOIN pg_attribute a ON a.attrelid = k.relation AND a.attname = k.attribute,
             objectid_ext_tools._dependent_objects(k.relation, a.attnum) AS d
        UNION ALL
        SELECT false, "table", concat_ws(E'\n', v.message, v.detail) FROM objectid_ext_tools._invalid_values("table", "column") v
        WHERE to_type <> 'bigint'::regtype
          AND NOT EXISTS (SELECT FROM key k WHERE k.attribute_type NOT IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bytea'::regtype, 'jsonb'::regtype))
    )
    SELECT bool_and(f.in_use), min(f.relation::oid)::regclass, f.obstacle FROM found f WHERE f.obstacle <> '' GROUP BY f.obstacle ORDER BY 1, f.obstacle COLLATE "C"
$$;
COMMENT ON FUNCTION objectid_ext_tools._obstacles(regclass, name, regtype) IS 'internal: all that stands in the way of a conversion; in_use if only while the tables are in use';

CREATE FUNCTION objectid_ext_tools.conversion_plan(
    "table" regclass,
    "column" name,
    OUT item text,
    OUT relation regclass,
    OUT detail text,
    OUT rows bigint,
    OUT size text
) RETURNS SETOF record
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    present regtype := (SELECT atttypid FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0);
    to_type regtype := 'bigint';
    extra bigint;
BEGIN
    IF present IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
    IF present NOT IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN
        to_type := (objectid_ext_tools._ids_schema() || '.objectid')::regtype;
    END IF;
    RETURN QUERY SELECT CASE WHEN o.in_use THEN 'obstacle while in use' ELSE 'obstacle' END, o.relation, o.obstacle, NULL::bigint, NULL::text
                 FROM objectid_ext_tools._obstacles("table", "column", to_type) o;
    IF NOT EXISTS (SELECT FROM objectid_ext_tools._live_columns("table", "column", to_type)) THEN
        RETURN QUERY SELECT 'way', "table", CASE WHEN to_type = 'bigint'::regtype THEN 'Only the default and the sequence change.' ELSE 'There is nothing to do.' END, NULL::bigint, NULL::text;
        RETURN;
    END IF;
    RETURN QUERY SELECT 'way', "table", 'All rows are rewritten under a lock, or shadow columns are filled while the tables are in use.', NULL::bigint, NULL::text;
    RETURN QUERY SELECT 'column', l.relation, format('"%s": %s becomes %s', l.attribute, l.attribute_type, to_type), greatest(reltuples, 0)::bigint, pg_size_pretty(pg_table_size(l.relation))
                 FROM objectid_ext_tools._live_columns("table", "column", to_type) l JOIN pg_class c ON c.oid = l.relation ORDER BY l.relation::text COLLATE "C", l.attribute;
    RETURN QUERY SELECT o.kind, o.relation, format('"%s"', o.object_name), NULL::bigint, CASE o.kind WHEN 'index' THEN pg_size_pretty(pg_relation_size(o.object)) END
                 FROM objectid_ext_tools._live_objects("table", "column", to_type) o ORDER BY o.kind DESC, o.relation::text COLLATE "C", o.object_name;
    RETURN QUERY SELECT 'note', l.relation, 'The table is published; subscribers need the shadow columns, too.', NULL::bigint, NULL::text
                 FROM (SELECT DISTINCT c.relation FROM objectid_ext_tools._live_columns("table", "column", to_type) c) l
                 WHERE EXISTS (SELECT FROM pg_publication p, pg_get_publication_tables(p.pubname) t WHERE t.relid = l.relation);
    -- each row gets another version, with another entry in each index
    SELECT sum(pg_table_size(t.relation) + pg_indexes_size(t.relation)) +
           (SELECT coalesce(sum(pg_relation_size(o.object)), 0) FROM objectid_ext_tools._live_objects("table", "column", to_type) o WHERE o.kind = 'index')
    INTO extra FROM (SELECT DISTINCT c.relation FROM objectid_ext_tools._live_columns("table", "column", to_type) c) t;
    RETURN QUERY SELECT 'space', "table", 'Additional space that can be needed meanwhile', NULL::bigint, pg_size_pretty(extra);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.conversion_plan(regclass, name) IS 'what a conversion of a column to snowflakes or objectids would do: everything that prevents it, columns with estimated rows and size, indexes, constraints, additional space; changes nothing';

-- Others could have created a table of such a name: it is read only if the caller
-- may, and if reading it calls nothing of its owner.

CREATE FUNCTION objectid_ext_tools.conversion_progress(
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
    state regclass;
BEGIN
    FOR state, conversion IN
        SELECT c.oid, substr(obj_description(c.oid, 'pg_class'), length('objectid_ext_tools: conversion of ') + 1)
        FROM pg_class c
        WHERE relname LIKE '\_objectid\_ext\_%' AND relkind = 'r' AND NOT relrowsecurity
          AND obj_description(c.oid, 'pg_class') LIKE 'objectid\_ext\_tools: conversion of %'
          AND has_schema_privilege(relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
          AND (SELECT array_agg(atttypid ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)
              = '{regclass,oid,int8,int8,int8,int4,timestamptz,float8}'::regtype[]::oid[]
        ORDER BY relname
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT $1, s.relation, s."rows", round(100.0 * s.page / nullif(s.pages, 0), 1), (s."rows" / nullif(s.seconds, 0))::bigint,'
            '       date_trunc(''second'', make_interval(secs => s.seconds * (s.pages - s.page) / nullif(s.page, 0)))'
            ' FROM ONLY %s AS s ORDER BY s.relation::text', state) USING conversion;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.conversion_progress() IS 'progress of the conversions under load: rows updated in each table, percent of its pages, rows per second, remaining time; indexes that are being created are in pg_stat_progress_create_index';
