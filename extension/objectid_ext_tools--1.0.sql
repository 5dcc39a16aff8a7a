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
    SELECT child.oid::regclass,
           objectid_ext_tools._partition_time(key_type, bounds[1], layout),
           objectid_ext_tools._partition_time(key_type, bounds[2], layout)
    FROM objectid_ext_tools._partition_key_type(parent) AS key_type,
         pg_inherits JOIN pg_class AS child ON child.oid = inhrelid,
         LATERAL regexp_match(pg_get_expr(relpartbound, child.oid), '^FOR VALUES FROM [(](.*)[)] TO [(](.*)[)]$') AS bounds
    WHERE inhparent = parent
    ORDER BY 2, 1
$$;
COMMENT ON FUNCTION objectid_ext_tools.id_partitions(regclass, snowflake_layout) IS 'partitions of a table that is partitioned by range of ids, with the times of their bounds; NULL for the default partition';

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
    schema_name name;
    parent_name name;
    suffix_format text;
    begins timestamptz := first;
    ends timestamptz;
    begin_id text;
    end_id text;
    partition text;
BEGIN
    IF every < '1 minute' OR every > '366 days' THEN
        RAISE EXCEPTION 'interval "%" is out of range', every
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'The interval must be from 1 minute to 366 days.';
    END IF;
    IF NOT isfinite(first) OR NOT isfinite(upto) OR upto <= first THEN
        RAISE EXCEPTION 'invalid time span from % to %', first, upto
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Both ends must be finite, and the end must be after the beginning.';
    END IF;

    SELECT nspname, relname INTO schema_name, parent_name
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = parent;

    -- names are as precise as the bounds
    ends := first + every;
    suffix_format := CASE WHEN first = date_trunc('day', first) AND ends = date_trunc('day', ends) THEN '_YYYYMMDD'
                          WHEN first = date_trunc('minute', first) AND ends = date_trunc('minute', ends) THEN '_YYYYMMDD_HH24MI'
                          ELSE '_YYYYMMDD_HH24MISS_US' END;

    -- concurrent calls wait for this one, and then find its partitions
    EXECUTE format('LOCK TABLE ONLY %I.%I IN SHARE UPDATE EXCLUSIVE MODE', schema_name, parent_name);

    -- use multiples of the interval, because repeated addition of months drifts:
    -- 31 January, 28 February, 28 March
    FOR n IN 1 .. 2147483647 LOOP
        EXIT WHEN begins >= upto;
        ends := first + n * every;
        begin_id := objectid_ext_tools._partition_bound(key_type, begins, layout);
        end_id := objectid_ext_tools._partition_bound(key_type, ends, layout);
        IF begin_id = end_id THEN
            RAISE EXCEPTION 'no id of table % has a time from % to %', parent, begins, ends
                USING ERRCODE = 'datetime_field_overflow';
        END IF;

        PERFORM FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = parent
          AND pg_get_expr(relpartbound, c.oid) = format('FOR VALUES FROM (%L) TO (%L)', begin_id, end_id);
        IF NOT FOUND THEN
            partition := to_char(begins, suffix_format);
            -- truncate the parent's name by whole characters, to 63 bytes in all
            WHILE octet_length(parent_name || partition) > 63 LOOP
                parent_name := left(parent_name, -1);
            END LOOP;
            partition := format('%I.%I', schema_name, parent_name || partition);
            EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
                           partition, parent, begin_id, end_id);
            RETURN NEXT partition::regclass;
        END IF;
        begins := ends;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.create_id_partitions(regclass, interval, timestamp with time zone, timestamp with time zone, snowflake_layout) IS 'creates the missing partitions of a time span, and returns them; the parent is partitioned by range of one objectid, bigint (of the layout) or uuid (version 7) column; the interval is from 1 minute to 366 days';

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
    -- views and rules, triggers, policies, functions, publications, generated columns
    SELECT pg_describe_object(classid, objid, objsubid) INTO obstacle
    FROM pg_depend
    WHERE refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = a.attnum
      AND (classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass,
                       'pg_publication_rel'::regclass)
           OR classid = 'pg_attrdef'::regclass AND (SELECT adnum FROM pg_attrdef d WHERE d.oid = objid) <> a.attnum)
    ORDER BY classid, objid LIMIT 1;
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
    ids_schema text := objectid_ext_tools._ids_schema();
    a pg_attribute;
    each record;
    seq regclass;
    highest bigint;
    present bigint;
    new_id bigint;
BEGIN
    IF "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM objectid_ext_tools._lock_tables("table", "column", 'bigint');
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

    -- start above all existing ids, including those not from the sequence
    EXECUTE format('SELECT greatest((SELECT last_value FROM %s), max(%I)) FROM %s', seq, "column", "table") INTO highest;
    EXECUTE format('SELECT %s.snowflake_ceiling($1, $2)', ids_schema) INTO present USING clock_timestamp(), layout;
    IF highest > present THEN
        RAISE EXCEPTION 'column "%" of table % has reached %, above the current ids of layout %', "column", "table", highest, layout
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF a.attidentity <> '' THEN
        seq := objectid_ext_tools._replace_identity("table", "column", seq);
    ELSE
        EXECUTE format('ALTER SEQUENCE %s AS bigint NO MAXVALUE NO CYCLE', seq);
    END IF;
    PERFORM setval(seq, highest);
    -- raise an error if it cannot generate ids of this node and layout
    EXECUTE format('SELECT %s.next_snowflake($1, $2, $3)', ids_schema) INTO new_id USING seq, coalesce(node, 0), layout;

    PERFORM objectid_ext_tools._change_column_types("table", "column", 'bigint');
    PERFORM objectid_ext_tools._check_new_id("table", "column", new_id);
    EXECUTE format('ALTER TABLE %1$s ALTER COLUMN %2$I SET DEFAULT %3$s.next_snowflake(%4$L::regclass, %5$s, %6$L::%3$s.snowflake_layout)',
                   "table", "column", ids_schema, seq, coalesce(node::text, ids_schema || '.snowflake_node_id()'), layout);
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

CREATE FUNCTION objectid_ext_tools.convert_to_objectid("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    ids_schema text := objectid_ext_tools._ids_schema();
    objectid_type regtype := (ids_schema || '.objectid')::regtype;
    key record;
    each record;
    bad text;
    bad_rows bigint;
BEGIN
    IF "table" IS NULL OR "column" IS NULL THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    PERFORM objectid_ext_tools._lock_tables("table", "column", objectid_type);
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

    FOR each IN SELECT * FROM objectid_ext_tools._referring_columns("table", "column") WHERE NOT inherited LOOP
        EXECUTE format('SELECT %1$I::text, count(*) OVER () FROM %2$s WHERE NOT %3$s.is_objectid(%1$I::%4$s) ORDER BY tableoid, ctid LIMIT 1',
                       each.attribute, each.relation, ids_schema,
                       CASE WHEN each.attribute_type IN ('bytea'::regtype, 'jsonb'::regtype) THEN each.attribute_type ELSE 'text'::regtype END)
        INTO bad, bad_rows;
        IF bad_rows > 0 THEN
            RAISE EXCEPTION '%', format(CASE bad_rows WHEN 1 THEN '%s value in column "%s" of table %s is not a valid ObjectId'
                                                      ELSE '%s values in column "%s" of table %s are not valid ObjectIds' END,
                                        bad_rows, each.attribute, each.relation)
                USING ERRCODE = 'invalid_text_representation', DETAIL = format('The first is "%s".', left(bad, 100));
        END IF;
    END LOOP;
    PERFORM objectid_ext_tools._change_column_types("table", "column", objectid_type);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools.convert_to_objectid(regclass, name) IS 'changes a text, varchar, char, bytea or jsonb column, and all columns that reference it by foreign keys, to objectid; an error if a value is not a valid ObjectId';
