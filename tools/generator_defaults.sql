-- ===== Defaults that call generators of 64-bit ids =====

-- Cast to snowflake_layout.
CREATE FUNCTION _layout(layout text) RETURNS snowflake_layout
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN layout::snowflake_layout;

-- Highest node, ids of a node in a tick, length of a tick, lowest id of the second day, highest
-- id and its time.  In the highest id, all bits of the node and of the sequence number are set.
CREATE FUNCTION _layout_facts(layout snowflake_layout, OUT max_node integer, OUT slots bigint,
    OUT tick interval, OUT second_day bigint, OUT highest bigint, OUT last_instant timestamptz)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT field.node, field.slots,
           snowflake_timestamp(field.highest, layout) OPERATOR(pg_catalog.-)
                   snowflake_timestamp(field.highest OPERATOR(pg_catalog.-)
                       ((field.node::bigint OPERATOR(pg_catalog.+) 1::bigint)
                        OPERATOR(pg_catalog.*) field.slots), layout),
           snowflake_floor(snowflake_timestamp(0::bigint, layout)
                               OPERATOR(pg_catalog.+) interval '1 day', layout),
           field.highest, snowflake_timestamp(field.highest, layout)
    FROM (SELECT id, snowflake_node(id, layout),
                 snowflake_sequence(id, layout)::bigint OPERATOR(pg_catalog.+) 1::bigint
          FROM (SELECT snowflake_ceiling(timestamptz 'infinity', layout)) AS last (id)
               ) AS field (highest, node, slots);
END;

-- Time and node of an id; null for the node of the last id of a tick.  The last id of a tick is
-- what WAL reserves, and a standby, or a server after a crash, sees: all bits of its node are
-- set, and tell nothing.
CREATE FUNCTION _id_facts(id bigint, layout snowflake_layout, OUT created timestamptz,
    OUT node integer)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT created, CASE WHEN id OPERATOR(pg_catalog.<>) snowflake_ceiling(created, layout)
                         THEN snowflake_node(id, layout) END
    FROM (SELECT snowflake_timestamp(id, layout)) AS time (created);
END;

-- The settings node_id (null if it is not set) and max_clock_lead.  A call of a function of the
-- library loads it, which defines its settings.
CREATE FUNCTION _server_settings(OUT node integer, OUT max_lead interval)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    PERFORM _layout('twitter');
    node := nullif(current_setting('objectid_ext.node_id')::integer, -1);
    max_lead := current_setting('objectid_ext.max_clock_lead')::interval;
END;
$$;

-- Defaults of a table (null: of all) that call next_snowflake() or next_shard_id(), except those
-- that partitions and children have inherited; arguments are null unless they are constants, and
-- node is "server" for that of the server.  The default is printed, and its whole text matched:
-- evaluated, it could call any function.  One of 100 kB could be too deep for the stack; with the
-- OID of the table, it would wait for its lock.  The sequence is text, because Citus needs it so.
CREATE FUNCTION _generator_defaults("table" regclass) RETURNS TABLE (relation regclass,
    attnum smallint, attname name, generator name, sequence text, node text, layout text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET quote_all_identifiers = off SET standard_conforming_strings = on AS $body$
    WITH found AS MATERIALIZED (
        SELECT DISTINCT a.attrelid, a.attnum, a.attname, proname,
               CASE WHEN length(adbin::text) < 100000 THEN pg_get_expr(adbin, 0)
                    ELSE '' END AS expression
        FROM pg_extension e
             JOIN pg_depend AS member ON member.refclassid = 'pg_extension'::regclass
                 AND member.refobjid = e.oid AND member.classid = 'pg_proc'::regclass
             JOIN pg_proc p ON p.oid = member.objid
             JOIN pg_depend AS use ON use.refclassid = 'pg_proc'::regclass
                 AND use.refobjid = p.oid AND use.classid = 'pg_attrdef'::regclass
             JOIN pg_attrdef d ON d.oid = use.objid
             JOIN pg_attribute a ON attrelid = adrelid AND a.attnum = adnum
        WHERE extname = 'objectid_ext' AND proname IN ('next_snowflake', 'next_shard_id')
          AND (adrelid = "table" OR "table" IS NULL)
    )
    SELECT f.attrelid::regclass, f.attnum, f.attname, f.proname,
           replace(call.sequence, '''''', ''''), call.node, call.layout
    FROM found AS f
         LEFT JOIN LATERAL (
             SELECT s[1], coalesce(s[2], 'server'), s[3]
             FROM regexp_match(expression,
                      $re$^[^(']*next_snowflake[(](?:seq => )?$re$
                      || $re$[(]?'([^']*(?:''[^']*)*)'(?:::text[)])?::regclass, $re$
                      || $re$(?:(?:node => )?(?:([0-9]{1,9})|[^(']*snowflake_node_id[(][)]), )?$re$
                      || $re$(?:layout => )?'([^']*)'::[^(']*snowflake_layout[)]$$re$) AS s
             WHERE proname = 'next_snowflake' AND s IS NOT NULL
             UNION ALL
             SELECT s[2], s[1], coalesce(s[3], 'instagram')
             FROM regexp_match(expression,
                      $re$^[^(']*next_shard_id[(](?:shard => )?([0-9]{1,9}), $re$
                      || $re$(?:seq => )?nextval[(]$re$
                      || $re$[(]?'([^']*(?:''[^']*)*)'(?:::text[)])?::regclass[)]$re$
                      || $re$(?:, (?:layout => )?'([^']*)'::[^(']*snowflake_layout)?[)]$$re$) AS s
             WHERE proname = 'next_shard_id' AND s IS NOT NULL
             ) AS call (sequence, node, layout) ON true
    WHERE NOT EXISTS (SELECT FROM pg_inherits JOIN found AS parent ON parent.attrelid = inhparent
                      WHERE inhrelid = f.attrelid AND parent.attname = f.attname
                        AND parent.expression = f.expression)
$body$;
