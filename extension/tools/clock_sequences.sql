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
