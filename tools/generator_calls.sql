----------------------------------------------------------------------
-- Defaults that call generators of 64-bit ids
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

-- The last id of a tick is what WAL reserves, and a standby, or a server after a crash,
-- sees: all bits of its node are set, and tell nothing.

CREATE FUNCTION objectid_ext_tools._id_facts(id bigint, layout snowflake_layout, OUT created timestamp with time zone, OUT node integer)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT created, CASE WHEN id OPERATOR(pg_catalog.<>) snowflake_ceiling(created, layout) THEN snowflake_node(id, layout) END
    FROM (SELECT snowflake_timestamp(id, layout)) AS time (created);
END;
COMMENT ON FUNCTION objectid_ext_tools._id_facts(bigint, snowflake_layout) IS 'internal: time and node of an id; null for the node of the last id of a tick';

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

-- Roles without USAGE on the schema of objectid_ext cannot look its functions up by name.

CREATE FUNCTION objectid_ext_tools._ids_functions(names name[], OUT function oid, OUT name name) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT p.oid, proname
    FROM pg_proc p
         JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
         JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
    WHERE extname = 'objectid_ext' AND proname = ANY (names)
$$;
COMMENT ON FUNCTION objectid_ext_tools._ids_functions(name[]) IS 'internal: functions of objectid_ext with one of these names';

-- The generators, with the names and defaults of their arguments

CREATE FUNCTION objectid_ext_tools._generators(OUT function oid, OUT name name, OUT arguments text[], OUT layout text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT f.function, f.name, array_replace(proargnames, 'shard', 'node'), CASE f.name WHEN 'next_shard_id' THEN 'instagram' END
    FROM objectid_ext_tools._ids_functions('{next_snowflake,next_shard_id}') AS f JOIN pg_proc AS p ON p.oid = f.function
$$;
COMMENT ON FUNCTION objectid_ext_tools._generators() IS 'internal: next_snowflake() and next_shard_id(), with the names of their arguments, where a shard is a node, and their default layout';

-- Any role can create a default that nothing can print or match: the stack holds a deep
-- one as it is stored, but not to print it, and text can be too long for a regular
-- expression.  A short constant such as 1e131000 is long as text.

CREATE FUNCTION objectid_ext_tools._printed_default(expression pg_node_tree, relation oid) RETURNS text
LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    printed text := '';
BEGIN
    IF length(expression::text) < 500000 THEN
        printed := pg_get_expr(expression, relation);
    END IF;
    RETURN CASE WHEN length(printed) >= 500000 THEN '' ELSE printed END;
EXCEPTION WHEN program_limit_exceeded THEN
    RETURN '';
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._printed_default(pg_node_tree, oid) IS 'internal: a default as printed; empty if that is too long, or too deep for the stack; null if its table was dropped meanwhile';

-- Columns with defaults of their own or of a domain, by the OIDs of these.  A table
-- that was dropped meanwhile has no expression.

CREATE FUNCTION objectid_ext_tools._columns_with_default(
    defaults oid[],
    domains oid[],
    OUT class regclass,
    OUT "default" oid,
    OUT relation oid,
    OUT attribute smallint,
    OUT attname name,
    OUT expression text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET standard_conforming_strings = on
AS $$
    SELECT 'pg_attrdef'::regclass, d.oid, adrelid, adnum, a.attname, objectid_ext_tools._printed_default(adbin, adrelid)
    FROM pg_attrdef d JOIN pg_attribute a ON attrelid = adrelid AND attnum = adnum
    WHERE d.oid = ANY (defaults)
    UNION ALL
    SELECT 'pg_type'::regclass, t.oid, attrelid, attnum, a.attname, objectid_ext_tools._printed_default(typdefaultbin, 0)
    FROM pg_type t
         JOIN pg_attribute a ON atttypid = t.oid AND attnum > 0 AND NOT attisdropped AND NOT atthasdef
         JOIN pg_class c ON c.oid = attrelid AND relkind IN ('r', 'p', 'f')
    WHERE t.oid = ANY (domains) AND typtype = 'd'
$$;
COMMENT ON FUNCTION objectid_ext_tools._columns_with_default(oid[], oid[]) IS 'internal: columns with some defaults, or of some domains if they have no default of their own, with the default as printed';

-- Columns whose default, or that of their domain, depends on functions or sequences

CREATE FUNCTION objectid_ext_tools._default_columns(
    class regclass,
    objects oid[],
    OUT object oid,
    OUT relation oid,
    OUT attribute smallint,
    OUT attname name,
    OUT expression text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH referring AS MATERIALIZED (
        SELECT DISTINCT refobjid, classid, objid FROM pg_depend
        WHERE refclassid = class AND refobjid = ANY (objects) AND classid IN ('pg_attrdef'::regclass, 'pg_type'::regclass)
    )
    SELECT refobjid, c.relation, c.attribute, c.attname, c.expression
    FROM objectid_ext_tools._columns_with_default(ARRAY(SELECT objid FROM referring WHERE classid = 'pg_attrdef'::regclass),
                                                  ARRAY(SELECT objid FROM referring WHERE classid = 'pg_type'::regclass)) AS c
         JOIN referring ON classid = c.class AND objid = c."default"
$$;
COMMENT ON FUNCTION objectid_ext_tools._default_columns(regclass, oid[]) IS 'internal: columns whose default, or that of their domain, depends on one of some objects, with the default as printed';

-- Nothing depends on nextval(), which is built in, and on a sequence that it finds by
-- name.  Only such defaults are printed: most tables have one that calls nextval().  One that
-- is too long is not read, as above.

CREATE FUNCTION objectid_ext_tools._finds_sequence(expression pg_node_tree) RETURNS boolean
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN length(expression::text) < 500000 THEN
               expression::text ~ format(':funcid %s [^{]*[{](?!CONST :consttype %s )', 'nextval(regclass)'::regprocedure::oid, 'regclass'::regtype::oid) ELSE false END
$$;
COMMENT ON FUNCTION objectid_ext_tools._finds_sequence(pg_node_tree) IS 'internal: does an expression call nextval() with anything but a constant of type regclass?';

-- The arguments are read from the text of a default, and not evaluated, because it
-- can call any function.  At each position, the regular expression matches string
-- literals and identifiers as a whole, so that it does not find a call inside of them.

CREATE FUNCTION objectid_ext_tools._function_pattern(function text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
    -- parentheses can be nested to a depth of three; else, the last group is the first of them
    SELECT format('(?<![.])%s(?:\(%2$s(?:,%2$s)?(?:,%2$s)?\)|(\())|''(?:[^'']|'''')*''|"(?:[^"]|"")*"|[a-z0-9_$]+',
                  regexp_replace(function, '([].*^$()+?{}|\\[])', '\\\1', 'g'),
                  format('((?:%s|%s)*)', atom, format('\((?:%s|,|%s)*\)', atom, two)))
    FROM (SELECT '''(?:[^'']|'''')*''|"(?:[^"]|"")*"|[^''"(),]') AS a (atom),
         LATERAL format('\((?:%s|,)*\)', atom) AS one,
         LATERAL format('\((?:%s|,|%s)*\)', atom, one) AS two
$$;
COMMENT ON FUNCTION objectid_ext_tools._function_pattern(text) IS 'internal: regular expression for calls of a function of up to three arguments, and for what else an expression contains';

CREATE FUNCTION objectid_ext_tools._call_pattern(generator name) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT objectid_ext_tools._function_pattern(CASE schema WHEN 'pg_catalog' THEN '' ELSE schema || '.' END || generator)
    FROM objectid_ext_tools._ids_schema() AS schema
$$;
COMMENT ON FUNCTION objectid_ext_tools._call_pattern(name) IS 'internal: regular expression for calls of a generator, and for what else an expression contains';

CREATE FUNCTION objectid_ext_tools._call_arguments(
    expression text,
    pattern text,
    names text[],
    OUT sequence text,
    OUT node text,
    OUT layout text
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT min(value) FILTER (WHERE name = 'seq'), coalesce(min(value) FILTER (WHERE name = 'node'), 'server'), coalesce(min(value) FILTER (WHERE name = 'layout'), '')
    FROM regexp_matches(expression, pattern, 'g') WITH ORDINALITY AS call (arguments, number),
         unnest(call.arguments) WITH ORDINALITY AS a (argument, n),
         LATERAL (SELECT replace(part[1], 'shard', 'node'), part[2] FROM regexp_match(argument, '^ *(?:([a-z]+) => )?(.*)$') AS part) AS p (given_name, value),
         LATERAL (SELECT coalesce(given_name, names[n])) AS v (name)
    WHERE call.arguments[1] IS NOT NULL AND argument IS NOT NULL
    GROUP BY number
$$;
COMMENT ON FUNCTION objectid_ext_tools._call_arguments(text, text, text[]) IS 'internal: the calls in an expression, with arguments as printed; node "server" and an empty layout if they are omitted';

CREATE FUNCTION objectid_ext_tools._constant_layout(printed text, layout_of_generator text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
    SELECT CASE printed WHEN '' THEN layout_of_generator
                        ELSE replace(substring(printed FROM '^''((?:[^'']|'''')*)''::.*snowflake_layout$'), '''''', '''') END
$$;
COMMENT ON FUNCTION objectid_ext_tools._constant_layout(text, text) IS 'internal: the layout of a call, given as printed, where it is empty if omitted; null if it is not a constant';

-- Partitions and children inherit a default, and are left out: there can be many.

CREATE FUNCTION objectid_ext_tools._generator_calls(
    OUT relation oid,
    OUT attribute smallint,
    OUT generator name,
    OUT sequence text,
    OUT node text,
    OUT layout text,
    OUT alone boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH generator AS MATERIALIZED (
        SELECT g.*, objectid_ext_tools._call_pattern(g.name) AS pattern FROM objectid_ext_tools._generators() AS g
    ), found AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._default_columns('pg_proc', ARRAY(SELECT function FROM generator))
    ), own AS (
        -- a table that was dropped meanwhile has no expression
        SELECT * FROM found AS child
        WHERE expression IS NOT NULL
          AND NOT EXISTS (SELECT FROM pg_inherits JOIN found AS parent ON parent.relation = inhparent
                          WHERE inhrelid = child.relation AND parent.attname = child.attname AND parent.expression = child.expression)
    ), prefix (ids) AS (
        SELECT CASE schema WHEN 'pg_catalog' THEN '' ELSE schema || '.' END FROM objectid_ext_tools._ids_schema() AS schema
    )
    SELECT own.relation, own.attribute, g.name, call.sequence, CASE WHEN call.node = ids || 'snowflake_node_id()' THEN 'server' ELSE call.node END,
           objectid_ext_tools._constant_layout(call.layout, g.layout),
           -- what remains without the call are casts, their parentheses, and an array of it
           regexp_replace(own.expression, g.pattern, '') ~ '^[(]*(ARRAY[[])?[]()]*(::[a-z0-9 (),]+[][()]*)*$'
    FROM own JOIN generator g ON g.function = own.object CROSS JOIN prefix
         LEFT JOIN LATERAL objectid_ext_tools._call_arguments(own.expression, g.pattern, g.arguments) AS call ON true
$$;
COMMENT ON FUNCTION objectid_ext_tools._generator_calls() IS 'internal: defaults that call next_snowflake() or next_shard_id(), with arguments as printed; null if they cannot be read, also for a layout that is not a constant; node is "server" for snowflake_node_id(); alone if nothing but casts, or an array of this element, is around the call';

-- The name of a sequence in an argument: a string, with nothing but casts, which do not
-- shorten it, and to_regclass() around it.  What follows the string of a constant is
-- ::regclass, without a parenthesis.

CREATE FUNCTION objectid_ext_tools._name_in_casts(argument text, OUT name text, OUT by_name boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
    SELECT shown, around !~ '^[(]*::regclass'
    FROM regexp_match(argument, '''((?:[^'']|'''')*)''') AS literal,
         LATERAL (SELECT replace(literal[1], '''''', ''''), replace(argument, format('''%s''', literal[1]), '')) AS l (shown, around),
         LATERAL (SELECT replace(replace(around, 'to_regclass(', '('), 'character varying', 'varchar')) AS c (casts)
    WHERE casts ~ '^[(]*([)]|::(text|varchar|character|cstring|oid|regclass)([(][0-9]+[)])?)*$'
      AND length(shown) <= ALL (SELECT modifier[1]::integer FROM regexp_matches(casts, '[(]([0-9]+)[)]', 'g') AS modifier)
$$;
COMMENT ON FUNCTION objectid_ext_tools._name_in_casts(text) IS 'internal: the string of which casts and to_regclass() make a relation, by_name if it is not a constant of type regclass; null for any other argument';

-- The sequence that an expression refers to: 'name'::regclass; nextval() of that; or
-- by_name, which each session resolves with its search_path.  A name that begins with
-- a digit could be an OID.

CREATE FUNCTION objectid_ext_tools._sequence_reference(expression text, OUT by_name boolean, OUT name text, OUT sequence oid, OUT any_schema text)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
    SELECT written.by_name, trim(written.name), c.oid, CASE WHEN written.by_name AND parts[1] IS NULL THEN parts[2] END
    FROM objectid_ext_tools._name_in_casts(regexp_replace(expression, '^nextval\((.*)\)$', '\1')) AS written,
         LATERAL (SELECT array_agg((CASE WHEN part LIKE '"%' THEN replace(substr(part, 2, length(part) - 2), '""', '"') ELSE lower(part COLLATE "C") END)::name ORDER BY n)
                  FROM unnest(regexp_match(written.name, '^\s*(?:("(?:[^"]|"")+"|[^".\s0-9][^".\s]*)\s*[.]\s*)?("(?:[^"]|"")+"|[^".\s0-9][^".\s]*)\s*$')) WITH ORDINALITY AS p (part, n)) AS split (parts)
         LEFT JOIN LATERAL (SELECT oid FROM pg_class
                            WHERE relname = parts[2]
                              -- a name without a schema is one in the search_path of this function
                              AND CASE WHEN parts[1] IS NOT NULL THEN relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = parts[1])
                                       ELSE NOT written.by_name AND relnamespace IN (pg_my_temp_schema(), 'pg_catalog'::regnamespace) END
                           ) AS c ON true
    WHERE parts IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._sequence_reference(text) IS 'internal: the sequence that an argument refers to, null if it is not a constant; any_schema is the name, without quotes, of one that is looked up in the search_path';

-- A call of a generator in the default of a column.  ids is the layout without its
-- option, because the ids are the same; max_node and the rest are facts of it.

CREATE TYPE objectid_ext_tools._clock AS (
    id integer,
    relation oid,
    attribute smallint,
    generator name,
    layout snowflake_layout,
    ids text,
    node integer,
    node_of_server boolean,
    node_is_null boolean,
    alone boolean,
    by_name boolean,
    sequence_name text,
    sequence oid,
    max_node integer,
    slots bigint,
    tick interval,
    second_day bigint,
    highest bigint,
    last_instant timestamp with time zone
);
COMMENT ON TYPE objectid_ext_tools._clock IS 'internal: a call of a generator in the default of a column, numbered, with its arguments and facts of its layout';

CREATE FUNCTION objectid_ext_tools._clocks() RETURNS SETOF objectid_ext_tools._clock
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH call AS MATERIALIZED (
        SELECT row_number() OVER ()::integer AS id, c.*, translate(c.node, '() ''', '') AS node_number
        FROM objectid_ext_tools._generator_calls() AS c JOIN pg_class ON oid = c.relation
        WHERE NOT pg_is_other_temp_schema(relnamespace)
    ), known AS MATERIALIZED (
        SELECT * FROM (SELECT DISTINCT layout FROM call) AS l (name), LATERAL objectid_ext_tools._layout(name) AS layout, LATERAL objectid_ext_tools._layout_facts(layout)
    )
    SELECT c.id, c.relation, c.attribute, c.generator, known.layout, replace(c.layout, ';start=random', ''),
           CASE WHEN c.node = 'server' THEN setting.node ELSE substring(c.node_number FROM '^(-?[0-9]{1,10})(?:::(?:integer|smallint))*$')::integer END,
           c.node = 'server', c.node_number ~ '^NULL(::(integer|smallint))+$', c.alone, reference.by_name, reference.name, reference.sequence,
           max_node, slots, tick, second_day, highest, last_instant
    FROM call AS c CROSS JOIN objectid_ext_tools._server_settings() AS setting
         LEFT JOIN known ON known.name = c.layout
         LEFT JOIN LATERAL objectid_ext_tools._sequence_reference(c.sequence) AS reference ON true
$$;
COMMENT ON FUNCTION objectid_ext_tools._clocks() IS 'internal: calls of generators in defaults, except those that partitions and children have inherited, with what they refer to; layout is null if it is not a constant, node if it is computed';
