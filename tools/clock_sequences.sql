-- ===== Clock sequences =====

-- A default that calls a generator, numbered, with its arguments, the last value of the sequence
-- and, from layout on, facts of the layout.
CREATE TYPE _clock AS (
    id integer, relation regclass, attnum smallint, attname name, generator name,
    sequence_name text, sequence regclass, node integer, node_of_server boolean, readable boolean,
    last_value bigint, layout snowflake_layout, max_node integer, slots bigint, tick interval,
    second_day bigint, highest bigint, last_instant timestamptz);

-- Defaults of permanent tables that call generators; last_value is null if it cannot be read.
CREATE FUNCTION _clocks() RETURNS SETOF _clock
LANGUAGE sql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH call AS MATERIALIZED (
        SELECT row_number() OVER ()::integer AS id, d.*,
               CASE WHEN sequence ~ ('^([a-z_][a-z0-9_]*|"([^"]|"")+")[.]'
                                     '([a-z_][a-z0-9_]*|"([^"]|"")+")$')
                    THEN parse_ident(sequence) END AS path
        FROM _generator_defaults(NULL) AS d JOIN pg_class ON oid = relation
        WHERE relpersistence <> 't'
    ), known AS MATERIALIZED (
        SELECT *
        FROM (SELECT DISTINCT layout FROM call) AS l (name), _layout(name) AS layout,
             _layout_facts(layout)
    )
    SELECT id, relation, attnum, attname, generator, call.sequence, s.oid,
           CASE call.node WHEN 'server' THEN setting.node ELSE call.node::integer END,
           call.node = 'server', readable,
           CASE WHEN readable AND NOT (relpersistence = 'u' AND pg_is_in_recovery())
                THEN pg_sequence_last_value(s.oid) END,
           known.layout, max_node, slots, tick, second_day, highest, last_instant
    FROM call CROSS JOIN _server_settings() AS setting
         LEFT JOIN known ON known.name = call.layout
         LEFT JOIN (pg_class s JOIN pg_namespace n ON n.oid = relnamespace)
             ON relkind = 'S' AND nspname = path[1] AND relname = path[2]
         LEFT JOIN LATERAL has_sequence_privilege(s.oid, 'SELECT, USAGE') AS readable ON true
$$;

-- What is wrong with the arguments of a generator, its layout or the type of the column.
CREATE FUNCTION _default_problems(clocks _clock[]) RETURNS TABLE (id integer, problem text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT c.id, p.problem
    FROM unnest(clocks) AS c
         JOIN pg_attribute a ON attrelid = relation AND a.attnum = c.attnum,
         LATERAL (SELECT atttypid::regtype, (_id_facts(0, layout)).created) AS d (type, epoch),
         LATERAL (VALUES
             (layout IS NULL,
              'this view cannot interpret the default: it is not just a call with constants'),
             (highest > CASE WHEN type IN ('smallint'::regtype, 'integer'::regtype, 'real'::regtype,
                                           'oid'::regtype) THEN 0
                             WHEN type = 'double precision'::regtype THEN 2 ^ 53 END,
              format('the ids do not fit into the type %s', type)),
             (node_of_server AND node IS NULL, 'objectid_ext.node_id is not set'),
             (node > max_node,
              format('%s %s is out of range: 0 to %s',
                     CASE generator WHEN 'next_shard_id' THEN 'shard' ELSE 'node' END,
                     node, max_node)),
             (sequence_name IS NOT NULL AND sequence IS NULL,
              format(CASE WHEN sequence_name ~ '[.]' THEN 'sequence %s does not exist'
                     ELSE 'sequence %s is looked up in the search_path of each session' END,
                     sequence_name)),
             (last_instant < clock_timestamp() + interval '1 year',
              format('the layout ends at %s', last_instant)),
             (epoch > clock_timestamp(), format('the layout begins at %s', epoch))
         ) AS p (applies, problem)
    WHERE applies
$$;

-- Options that the sequence of a clock, or of the numbers of a shard, cannot have.
CREATE FUNCTION _option_problems(clocks _clock[]) RETURNS TABLE (id integer, problem text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT c.id, p.problem
    FROM unnest(clocks) AS c
         JOIN pg_sequence ON seqrelid = sequence
         JOIN pg_class s ON s.oid = sequence
         JOIN pg_class t ON t.oid = relation,
         LATERAL (SELECT generator = 'next_snowflake',
                         _id_floor('bigint', clock_timestamp(), layout)::bigint
                 ) AS d (is_clock, present),
         LATERAL (VALUES
             (is_clock AND seqincrement < 0, 'the sequence is descending'),
             (is_clock AND seqincrement::numeric * seqcache > slots,
              format('INCREMENT %s with CACHE %s is more than the %s ids of a tick',
                     seqincrement, seqcache, slots)),
             (is_clock AND seqmin > greatest(present, 1),
              format('MINVALUE %s is ahead of the clock', seqmin)),
             (is_clock AND seqmax < highest,
              format('MAXVALUE %s%s is below the %s ids', seqmax,
                     CASE WHEN seqtypid <> 'bigint'::regtype
                          THEN format(' (AS %s)', seqtypid::regtype) END,
                     CASE WHEN seqmax < present THEN 'present' ELSE 'last' END)),
             (is_clock AND seqcycle, 'the sequence is CYCLE'),
             (s.relpersistence = 't', 'the sequence is temporary'),
             (s.relpersistence = 'u' AND is_clock AND t.relpersistence = 'p',
              'the sequence is unlogged'),
             (NOT is_clock AND seqmin < 0, 'the sequence has negative numbers'),
             (NOT is_clock AND NOT seqcycle AND last_value > seqmax * 0.9,
              format('the sequence has reached %s of %s', last_value, seqmax))
         ) AS p (applies, problem)
    WHERE applies
$$;

-- Defaults, functions and identity columns that take numbers of a clock by nextval.  A function
-- that computes the name of the sequence, such as Mastodon's timestamp_id(), is not seen; nor is
-- one that may not use the sequence, for anybody can create such a one.
CREATE FUNCTION _nextval_problems(clocks _clock[]) RETURNS TABLE (id integer, problem text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH clock AS MATERIALIZED (
        SELECT c.id, c.sequence, relname, nspname, relnamespace
        FROM unnest(clocks) AS c
             JOIN pg_class s ON s.oid = c.sequence JOIN pg_namespace n ON n.oid = relnamespace
        WHERE generator = 'next_snowflake'
    ), named AS MATERIALIZED (
        SELECT c.id, c.sequence, lower(nspname || '.' || relname) AS name, 0 AS namespace
        FROM clock AS c
        UNION ALL SELECT c.id, c.sequence, lower(relname), relnamespace FROM clock AS c
    ), call AS MATERIALIZED (
        SELECT p.oid, proowner, name,
               CASE WHEN name ~ '[.]' THEN 0 ELSE pronamespace END AS namespace
        FROM pg_proc p,
             regexp_matches(lower(prosrc), $re$nextval\s*[(]\s*'([^']+)'$re$, 'g') AS argument,
             replace(argument[1], '"', '') AS name
        WHERE p.oid >= 16384 AND prosrc ~* 'nextval'
    ), other AS (
        SELECT c.id, 1 AS kind, format('%s.%I', adrelid::regclass, attname) AS caller
        FROM clock AS c
             JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = c.sequence
                               AND classid = 'pg_attrdef'::regclass
             JOIN pg_attrdef d ON d.oid = objid
             JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE CASE WHEN attgenerated = '' AND length(adbin::text) < 100000
                   THEN pg_get_expr(adbin, 0) END LIKE '%nextval%'
        UNION
        SELECT c.id, 2, objid::regprocedure::text
        FROM clock AS c
             JOIN pg_depend ON refclassid = 'pg_class'::regclass AND refobjid = c.sequence
                               AND classid = 'pg_proc'::regclass
             JOIN pg_proc p ON p.oid = objid
        WHERE has_sequence_privilege(proowner, c.sequence, 'USAGE, UPDATE')
          AND CASE WHEN length(prosqlbody::text) < 100000 THEN pg_get_function_sqlbody(objid) END
              LIKE '%nextval%'
        UNION
        SELECT n.id, 2, call.oid::regprocedure::text
        FROM named AS n JOIN call USING (name, namespace)
        WHERE has_sequence_privilege(proowner, n.sequence, 'USAGE, UPDATE')
    )
    SELECT o.id, 'nextval is used by ' || string_agg(caller, ', ' ORDER BY kind, caller COLLATE "C")
    FROM other AS o GROUP BY o.id
    UNION ALL
    SELECT c.id, format('the sequence is that of identity column %s.%I',
                        refobjid::regclass, a.attname)
    FROM clock AS c
         JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = c.sequence
                           AND refclassid = 'pg_class'::regclass AND deptype = 'i'
         JOIN pg_attribute a ON attrelid = refobjid AND a.attnum = refobjsubid
$$;

-- Other layouts of the sequence of a clock, and who may insert but not use it.
CREATE FUNCTION _sharing_problems(clocks _clock[]) RETURNS TABLE (id integer, problem text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH clock AS MATERIALIZED (
        SELECT c.*, replace(layout::text, ';start=random', '') AS ids, relowner, relacl
        FROM unnest(clocks) AS c JOIN pg_class ON oid = relation
        WHERE sequence IS NOT NULL
    )
    SELECT mine.id, 'the sequence has other layouts in '
                    || string_agg(format('%s.%I', other.relation, other.attname), ', '
                                  ORDER BY other.id)
    FROM clock AS mine JOIN clock AS other USING (sequence, generator)
    WHERE generator = 'next_snowflake' AND mine.ids <> other.ids GROUP BY mine.id
    UNION ALL
    SELECT c.id, 'these roles may insert, but have no USAGE on the sequence: '
                 || string_agg(DISTINCT CASE grantee WHEN 0 THEN 'public'
                                                     ELSE pg_get_userbyid(grantee)::text END, ', ')
    FROM clock AS c,
         LATERAL (SELECT relowner AS grantee
                  UNION SELECT grantee FROM pg_attribute, aclexplode(relacl || attacl)
                  WHERE attrelid = relation AND privilege_type = 'INSERT') AS i
    WHERE NOT has_sequence_privilege(grantee, sequence, 'USAGE, UPDATE') GROUP BY c.id
$$;

-- What is wrong with the last value of a clock.
CREATE FUNCTION _value_problems(clocks _clock[]) RETURNS TABLE (id integer, problem text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT c.id, p.problem
    FROM (SELECT *, array_agg(node) OVER (PARTITION BY generator, sequence) AS nodes
          FROM unnest(clocks)) AS c
         LEFT JOIN LATERAL _id_facts(
             CASE WHEN generator = 'next_snowflake' AND last_value BETWEEN second_day AND highest
                  THEN last_value END, layout) AS last ON true,
         _server_settings() AS settings,
         LATERAL (SELECT last.created - clock_timestamp()) AS d (lead),
         LATERAL (VALUES
             (NOT readable, 'permission denied to read the sequence'),
             (generator = 'next_snowflake' AND last_value > highest,
              format('last value %s is not an id of the layout', last_value)),
             (last.node <> ALL (nodes),
              format('the last id is of node %s: nextval was used, or the node has changed',
                     last.node)),
             (lead > max_lead + interval '1 second' + tick,
              format('the clock is %s seconds behind the last id',
                     round(extract(epoch FROM lead))))
         ) AS p (applies, problem)
    WHERE applies
$$;

-- Sequences of distributed tables that Citus would change.  Its catalog exists only with Citus.
CREATE FUNCTION _citus_problems(clocks _clock[]) RETURNS TABLE (id integer, problem text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        RETURN QUERY EXECUTE $query$
            SELECT id, 'Citus changes the limits of a sequence that is OWNED BY a column, '
                       'or that a default depends on'
            FROM unnest($1)
            WHERE relation IN (SELECT logicalrelid FROM pg_catalog.pg_dist_partition)
              AND EXISTS (SELECT FROM pg_depend
                          WHERE classid = 'pg_class'::regclass AND objid = sequence
                                AND deptype = 'a'
                             OR classid = 'pg_attrdef'::regclass
                                AND refclassid = 'pg_class'::regclass AND refobjid = sequence)
            $query$ USING clocks;
    END IF;
END;
$$;

-- The rows of the view clock_sequences.  Counters begin with the statistics of the database: they
-- are reset on demand, which pg_stat_database shows, or discarded after a crash, which resets those
-- of the whole server, too.
CREATE FUNCTION _clock_sequences() RETURNS TABLE (table_name regclass, column_name name,
    generator name, sequence regclass, layout snowflake_layout, node integer, last_id bigint,
    last_time timestamptz, lead interval, ids_taken double precision,
    ids_per_second double precision, share double precision, counted_since timestamptz,
    last_instant timestamptz, years_left numeric, same_ids regclass[], problem text)
LANGUAGE sql SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET jit = off AS $$
    WITH found (clocks) AS MATERIALIZED (SELECT ARRAY(SELECT c FROM _clocks() AS c)),
    clock AS MATERIALIZED (
        SELECT c.*, c.generator = 'next_snowflake' AS is_clock,
               replace(c.layout::text, ';start=random', '') AS ids
        FROM found, unnest(clocks) AS c
    ), same AS MATERIALIZED (
        SELECT c.ids, c.node, array_agg(DISTINCT c.sequence) AS sequences
        FROM clock AS c WHERE is_clock AND c.sequence IS NOT NULL GROUP BY c.ids, c.node
    ), problems AS MATERIALIZED (
        SELECT id, string_agg(p.problem, '; ' ORDER BY kind, p.problem COLLATE "C") AS problem
        FROM found, LATERAL (
            SELECT 1 AS kind, * FROM _default_problems(clocks)
            UNION ALL SELECT 2, * FROM _option_problems(clocks)
            UNION ALL SELECT 3, * FROM _citus_problems(clocks)
            UNION ALL SELECT 4, * FROM _nextval_problems(clocks)
            UNION ALL SELECT 4, * FROM _sharing_problems(clocks)
            UNION ALL SELECT 5, * FROM _value_problems(clocks)) AS p
        GROUP BY id
    )
    SELECT c.relation, c.attname, c.generator, c.sequence, c.layout, c.node,
           taken.id, last.created, last.created - now, number, rate,
           rate * extract(epoch FROM tick)::float8 * greatest(seqincrement, 1) / slots, since,
           c.last_instant,
           round((extract(epoch FROM c.last_instant - now) / (365.25 * 86400)), 1),
           nullif(array_remove(sequences, c.sequence), '{}'), problems.problem
    FROM clock AS c
         LEFT JOIN pg_sequence ON seqrelid = c.sequence
         LEFT JOIN same ON is_clock AND same.ids = c.ids AND same.node = c.node
         LEFT JOIN problems ON problems.id = c.id
         CROSS JOIN LATERAL (
             SELECT CASE WHEN is_clock AND last_value BETWEEN second_day AND highest
                         THEN last_value END) AS taken (id)
         LEFT JOIN LATERAL _id_facts(taken.id, c.layout) AS last ON true, clock_timestamp() AS now,
         greatest((SELECT stats_reset FROM pg_stat_database WHERE datname = current_database()),
                  least((SELECT stats_reset FROM pg_stat_archiver),
                        (SELECT stats_reset FROM pg_stat_bgwriter),
                        (SELECT stats_reset FROM pg_stat_wal))) AS since,
         LATERAL (SELECT pg_stat_get_blocks_fetched(c.sequence)::float8 * seqcache) AS n (number),
         LATERAL (SELECT number / nullif(extract(epoch FROM now - since), 0)::float8) AS r (rate)
    ORDER BY c.relation::text COLLATE "C", c.attnum
$$;

CREATE VIEW clock_sequences AS SELECT * FROM _clock_sequences();
COMMENT ON VIEW clock_sequences IS
    'columns whose default is a call of next_snowflake() or next_shard_id(), with the sequence, '
    'its last id and rate, and what is wrong with it in column problem; null if nothing is';
GRANT SELECT ON clock_sequences TO PUBLIC;
