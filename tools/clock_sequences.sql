----------------------------------------------------------------------
-- Clock sequences
----------------------------------------------------------------------

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

-- A sequence can be dropped while this waits for its lock: no error, and no value.

CREATE FUNCTION objectid_ext_tools._clock_value(sequence regclass) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN pg_sequence_last_value(sequence);
EXCEPTION WHEN internal_error OR undefined_table THEN
    -- null if there is no such relation, as of now and not of the snapshot
    IF pg_table_is_visible(sequence) IS NOT NULL THEN
        RAISE;
    END IF;
    RETURN NULL;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._clock_value(regclass) IS 'internal: the last value of a sequence; null if it has been dropped, or not been used';

CREATE FUNCTION objectid_ext_tools._clock_state(clock objectid_ext_tools._clock, OUT readable boolean, OUT last_value bigint, OUT taken double precision)
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT p.readable,
           CASE WHEN p.readable AND NOT pg_is_other_temp_schema(relnamespace) AND NOT (relpersistence = 'u' AND pg_is_in_recovery())
               THEN objectid_ext_tools._clock_value(oid) END,
           pg_stat_get_blocks_fetched(oid)::float8 * seqcache
    FROM pg_sequence JOIN pg_class ON oid = seqrelid,
         LATERAL (SELECT has_sequence_privilege(oid, 'SELECT, USAGE')) AS p (readable)
    WHERE seqrelid = clock.sequence
$$;
COMMENT ON FUNCTION objectid_ext_tools._clock_state(objectid_ext_tools._clock) IS 'internal: the last value of a sequence, null if it cannot be read, and how many ids were taken at most';

-- Problems of a default

CREATE FUNCTION objectid_ext_tools._base_type(INOUT type oid, INOUT typmod integer)
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    WHILE (SELECT typtype = 'd' OR typcategory = 'A' FROM pg_type WHERE oid = type) LOOP
        SELECT CASE typtype WHEN 'd' THEN typbasetype ELSE typelem END, CASE typtype WHEN 'd' THEN typtypmod ELSE typmod END INTO type, typmod
        FROM pg_type WHERE oid = type;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._base_type(oid, integer) IS 'internal: the type under a domain, or of the elements of an array, with its modifier';

-- From the greatest integer on that is not exact, every other one is lost.  The
-- modifier of numeric is ((precision << 16) | scale) + 4.  An amount of money is a
-- bigint of the smallest units of lc_monetary.

CREATE FUNCTION objectid_ext_tools._exact_integers(type oid, typmod integer) RETURNS numeric
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE type
        WHEN 'smallint'::regtype THEN 32767
        WHEN 'integer'::regtype THEN 2147483647
        WHEN 'oid'::regtype THEN 4294967295
        WHEN 'real'::regtype THEN 16777216
        WHEN 'double precision'::regtype THEN 9007199254740992
        WHEN 'money'::regtype THEN div(9223372036854775807, 10::numeric ^ scale(1::money::numeric))
        WHEN 'numeric'::regtype THEN CASE WHEN typmod > 0 THEN CASE WHEN scale < 1024 THEN 10::numeric ^ greatest(((typmod - 4) >> 16) - scale, 0) - 1 ELSE 0 END END
    END
    FROM (SELECT (typmod - 4) & 2047) AS m (scale)
$$;
COMMENT ON FUNCTION objectid_ext_tools._exact_integers(oid, integer) IS 'internal: up to which number all integers are values of a numeric type; null if there is no limit to think of';

CREATE FUNCTION objectid_ext_tools._type_problem(clock objectid_ext_tools._clock) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('the ids do not fit into the type %s', format_type(base.type, base.typmod))
    FROM pg_attribute, LATERAL objectid_ext_tools._base_type(atttypid, atttypmod) AS base
    WHERE attrelid = clock.relation AND attnum = clock.attribute
      -- what an operator or a function makes of an id may be smaller
      AND clock.alone
      AND (clock.highest > objectid_ext_tools._exact_integers(base.type, base.typmod)
           OR base.type IN ('character'::regtype, 'character varying'::regtype) AND length(clock.highest::text) > base.typmod - 4 AND base.typmod > 0)
$$;
COMMENT ON FUNCTION objectid_ext_tools._type_problem(objectid_ext_tools._clock) IS 'internal: is the type of a column too small for the ids of its default, or not exact? null if not';

CREATE FUNCTION objectid_ext_tools._default_problems(clock objectid_ext_tools._clock) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT nullif(concat_ws('; ',
        CASE WHEN clock.sequence_name IS NULL OR clock.layout IS NULL THEN 'the default is not checked, because its arguments are not constants' END,
        objectid_ext_tools._type_problem(clock),
        CASE WHEN clock.node_of_server AND clock.node IS NULL THEN 'objectid_ext.node_id is not set' END,
        CASE WHEN clock.node_is_null THEN format('the %s is null, so the ids are, too', CASE clock.generator WHEN 'next_snowflake' THEN 'node' ELSE 'shard' END) END,
        CASE WHEN clock.node < 0 OR clock.node > clock.max_node THEN
            format('%s %s is out of range: 0 to %s', CASE clock.generator WHEN 'next_snowflake' THEN 'node' ELSE 'shard' END, clock.node, clock.max_node) END,
        CASE WHEN clock.generator = 'next_shard_id' AND clock.tick > '1 second' THEN 'a tick of the layout is longer than a second' END,
        CASE WHEN clock.sequence IS NULL AND clock.by_name AND clock.sequence_name !~ '^("(?:[^"]|"")+"|[^"]+)[.]' THEN
                 format('sequence %s is looked up in the search_path of each session', clock.sequence_name)
             WHEN clock.sequence IS NULL AND clock.sequence_name IS NOT NULL THEN format('sequence %s does not exist', clock.sequence_name)
             WHEN NOT EXISTS (SELECT FROM pg_sequence WHERE seqrelid = coalesce(clock.sequence, seqrelid)) THEN format('%s is not a sequence', clock.sequence_name) END), '')
$$;
COMMENT ON FUNCTION objectid_ext_tools._default_problems(objectid_ext_tools._clock) IS 'internal: what is wrong with the arguments of a generator, or the type of the column; null if nothing is';

-- Problems of a sequence: a clock, or the numbers of a shard, which only must not be
-- negative or come to an end

CREATE FUNCTION objectid_ext_tools._clock_problems(clock objectid_ext_tools._clock, present bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT nullif(concat_ws('; ',
        CASE WHEN seqincrement < 0 THEN 'the sequence is descending'
             WHEN seqincrement > clock.slots THEN format('INCREMENT %s is more than the %s ids of a tick', seqincrement, clock.slots)
             WHEN seqcache::numeric * seqincrement > clock.slots THEN format('CACHE %s is more than the %s ids of a tick', seqcache, clock.slots / seqincrement) END,
        CASE WHEN seqmin > greatest(present, 1) THEN format('MINVALUE %s is ahead of the clock', seqmin) END,
        CASE WHEN seqmax < present THEN
                 format('MAXVALUE %s%s is below the present ids', seqmax, CASE WHEN seqtypid <> 'bigint'::regtype THEN format(' (AS %s)', seqtypid::regtype) END)
             WHEN seqmax < clock.highest THEN format('MAXVALUE %s is below the last ids of the layout', seqmax) END,
        CASE WHEN seqcycle THEN 'the sequence is CYCLE' END,
        CASE WHEN s.relpersistence = 'u' AND t.relpersistence = 'p' THEN 'the sequence is unlogged' END), '')
    FROM pg_sequence JOIN pg_class s ON s.oid = seqrelid, pg_class t
    WHERE seqrelid = clock.sequence AND t.oid = clock.relation AND clock.generator = 'next_snowflake'
$$;
COMMENT ON FUNCTION objectid_ext_tools._clock_problems(objectid_ext_tools._clock, bigint) IS 'internal: options of a sequence that a clock cannot have; null if there is none; present is the lowest id of the present';

CREATE FUNCTION objectid_ext_tools._sequence_problems(clock objectid_ext_tools._clock, last_value bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT nullif(concat_ws('; ',
        CASE WHEN clock.generator = 'next_shard_id' AND seqmin < 0 THEN 'the sequence has negative numbers' END,
        CASE WHEN clock.generator = 'next_shard_id' AND NOT seqcycle AND last_value > seqmax * 0.9 THEN
            format('the sequence has reached %s of %s', last_value, seqmax) END,
        CASE WHEN s.relpersistence = 't' AND t.relpersistence <> 't' THEN 'the sequence is temporary' END), '')
    FROM pg_sequence JOIN pg_class s ON s.oid = seqrelid, pg_class t
    WHERE seqrelid = clock.sequence AND t.oid = clock.relation
$$;
COMMENT ON FUNCTION objectid_ext_tools._sequence_problems(objectid_ext_tools._clock, bigint) IS 'internal: what is wrong with the sequence of a clock or shard, besides the options of a clock; null if nothing is';

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

CREATE FUNCTION objectid_ext_tools._citus_problem(clock objectid_ext_tools._clock) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = clock.sequence AND deptype = 'a' AND refclassid = 'pg_class'::regclass)
                THEN 'Citus changes the limits of a sequence that is OWNED BY a column'
                WHEN NOT clock.by_name THEN 'Citus changes the limits of a sequence that a default depends on' END
$$;
COMMENT ON FUNCTION objectid_ext_tools._citus_problem(objectid_ext_tools._clock) IS 'internal: what is wrong with the sequence of a distributed table; null if nothing is';

-- Roles that may insert into a table, or into a partition or child that inherits the
-- default, but not take values from the sequence

CREATE FUNCTION objectid_ext_tools._usage_problems(clocks objectid_ext_tools._clock[], OUT id integer, OUT problem text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE clock AS MATERIALIZED (
        SELECT c.id, c.relation, seqrelid FROM unnest(clocks) AS c JOIN pg_sequence ON seqrelid = c.sequence
    ), relation (id, oid) AS (
        SELECT c.id, c.relation FROM clock AS c
        UNION
        SELECT r.id, inhrelid FROM relation r JOIN pg_inherits ON inhparent = r.oid WHERE inhrelid NOT IN (SELECT c.relation FROM clock AS c)
    ), granted (relation, role) AS MATERIALIZED (
        SELECT t.oid, relowner FROM pg_class t
        UNION
        SELECT t.oid, grantee FROM pg_class t, aclexplode(relacl) WHERE privilege_type = 'INSERT'
        UNION
        SELECT attrelid, grantee FROM pg_attribute, aclexplode(attacl) WHERE attacl IS NOT NULL AND NOT attisdropped AND privilege_type = 'INSERT'
    ), inserter AS (
        SELECT DISTINCT r.id, g.role, CASE g.role WHEN 0 THEN 'public' ELSE rolname END::text AS name
        FROM relation r JOIN granted g ON g.relation = r.oid LEFT JOIN pg_roles ON pg_roles.oid = g.role
    )
    SELECT c.id, 'these roles may insert, but have no USAGE on the sequence: ' || string_agg(name, ', ' ORDER BY name)
    FROM clock AS c JOIN inserter USING (id)
    -- by OID, for a role that is dropped meanwhile
    WHERE NOT CASE role WHEN 0 THEN has_sequence_privilege('public', seqrelid, 'USAGE, UPDATE') ELSE has_sequence_privilege(role, seqrelid, 'USAGE, UPDATE') END
    GROUP BY c.id
$$;
COMMENT ON FUNCTION objectid_ext_tools._usage_problems(objectid_ext_tools._clock[]) IS 'internal: clocks of tables with roles that have the privilege INSERT, but neither USAGE nor UPDATE on the sequence';

-- What else uses the sequence of a clock

CREATE FUNCTION objectid_ext_tools._nextval_defaults(sequences oid[], OUT relation oid, OUT attribute smallint, OUT attname name, OUT checked boolean, OUT sequence oid, OUT any_schema text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH used AS MATERIALIZED (
        SELECT c.relation, c.attribute, c.attname, c.expression FROM objectid_ext_tools._default_columns('pg_class', sequences) AS c
        UNION
        SELECT c.relation, c.attribute, c.attname, c.expression
        FROM objectid_ext_tools._columns_with_default(ARRAY(SELECT oid FROM pg_attrdef WHERE objectid_ext_tools._finds_sequence(adbin)),
                                                      ARRAY(SELECT oid FROM pg_type WHERE objectid_ext_tools._finds_sequence(typdefaultbin))) AS c
    )
    SELECT u.relation, u.attribute, u.attname, reference.name IS NOT NULL, reference.sequence, reference.any_schema
    FROM objectid_ext_tools._function_pattern('nextval') AS pattern, used AS u,
         LATERAL regexp_matches(u.expression, pattern, 'g') AS call
         LEFT JOIN LATERAL objectid_ext_tools._sequence_reference(call[1]) AS reference ON true
    WHERE u.expression LIKE '%nextval(%' AND coalesce(call[1], call[4]) IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._nextval_defaults(oid[]) IS 'internal: calls of nextval() in defaults that depend on one of some sequences, or find any by name; checked if the name can be read';

-- The functions of the extension: nextval_any() of an array of constants or a constant
-- array, in which nulls are ignored, and nextval_range()

CREATE FUNCTION objectid_ext_tools._nextval_any_defaults(OUT relation oid, OUT attribute smallint, OUT attname name, OUT checked boolean, OUT sequence oid, OUT any_schema text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
    SELECT c.relation, c.attribute, c.attname, used.checked, used.sequence, NULL
    FROM format('(nextval_any[(](?:sequences => )?(?:ARRAY[[](?:%1$s(?:, )?)*[]]|%1$s[[][]])[)])', '(?:''(?:[^'']|'''')*''|NULL)::regclass') AS pattern,
         objectid_ext_tools._default_columns('pg_proc', ARRAY(SELECT function FROM objectid_ext_tools._ids_functions('{nextval_any}'))) AS c,
         LATERAL (SELECT reference.name IS NOT NULL AS checked, reference.sequence
                  FROM regexp_matches(c.expression, pattern, 'g') AS call,
                       regexp_matches(call[1], '''((?:[^'']|'''')*)''::regclass([[])?', 'g') AS literal,
                       LATERAL replace(literal[1], '''''', '''') AS shown,
                       unnest(array_remove(CASE WHEN literal[2] IS NULL THEN ARRAY[shown] ELSE shown::text[] END, NULL)) AS name
                       LEFT JOIN LATERAL objectid_ext_tools._sequence_reference(format('''%s''::regclass', replace(name, '''', ''''''))) AS reference ON true
                  UNION ALL
                  SELECT false, NULL WHERE regexp_replace(c.expression, pattern, '', 'g') LIKE '%nextval_any(%') AS used
$$;
COMMENT ON FUNCTION objectid_ext_tools._nextval_any_defaults() IS 'internal: sequences in calls of nextval_any() in defaults; checked if they can be read';

CREATE FUNCTION objectid_ext_tools._nextval_range_defaults(OUT relation oid, OUT attribute smallint, OUT attname name, OUT checked boolean, OUT sequence oid, OUT any_schema text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT c.relation, c.attribute, c.attname, reference.name IS NOT NULL, reference.sequence, reference.any_schema
    FROM objectid_ext_tools._default_columns('pg_proc', ARRAY(SELECT function FROM objectid_ext_tools._ids_functions('{nextval_range}'))) AS c
         LEFT JOIN LATERAL objectid_ext_tools._call_arguments(c.expression, objectid_ext_tools._call_pattern('nextval_range'), '{seq,count}') AS call ON true
         LEFT JOIN LATERAL objectid_ext_tools._sequence_reference(call.sequence) AS reference ON true
$$;
COMMENT ON FUNCTION objectid_ext_tools._nextval_range_defaults() IS 'internal: sequences in calls of nextval_range() in defaults; checked if they can be read';

CREATE FUNCTION objectid_ext_tools._nextval_problems(clocks objectid_ext_tools._clock[], OUT sequence oid, OUT problem text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH clock AS MATERIALIZED (
        SELECT DISTINCT c.sequence, relname FROM unnest(clocks) AS c JOIN pg_class ON oid = c.sequence WHERE c.generator = 'next_snowflake'
    ), called AS MATERIALIZED (
        SELECT * FROM objectid_ext_tools._nextval_defaults(ARRAY(SELECT c.sequence FROM clock AS c))
        UNION ALL
        SELECT * FROM objectid_ext_tools._nextval_any_defaults()
        UNION ALL
        SELECT * FROM objectid_ext_tools._nextval_range_defaults()
    ), own AS (
        SELECT * FROM called AS child
        WHERE NOT EXISTS (SELECT FROM pg_inherits JOIN called AS parent ON parent.relation = inhparent
                          WHERE inhrelid = child.relation AND parent.attname = child.attname
                            AND (parent.checked, parent.sequence, parent.any_schema) IS NOT DISTINCT FROM (child.checked, child.sequence, child.any_schema))
    ), usage (sequence, problem, relation, attribute) AS (
        SELECT c.sequence, 'nextval is used by %s', own.relation, own.attribute FROM own JOIN clock AS c USING (sequence)
        UNION
        SELECT c.sequence, 'nextval is used by %s', own.relation, own.attribute FROM own JOIN clock AS c ON relname = any_schema
        UNION
        SELECT c.sequence, 'nextval is not checked in %s, because its argument cannot be read', own.relation, own.attribute FROM own, clock AS c WHERE NOT checked
        UNION
        SELECT c.sequence, 'nextval is used by %s', refobjid, refobjsubid
        FROM clock AS c JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = c.sequence AND deptype = 'i' AND refclassid = 'pg_class'::regclass
    )
    SELECT u.sequence, format(u.problem, string_agg(format('%s.%I', attrelid::regclass, attname), ', ' ORDER BY attrelid, attnum))
    FROM usage AS u JOIN pg_attribute ON attrelid = u.relation AND attnum = u.attribute
    GROUP BY u.sequence, u.problem
$$;
COMMENT ON FUNCTION objectid_ext_tools._nextval_problems(objectid_ext_tools._clock[]) IS 'internal: sequences of clocks from which a default, an identity column or a shard takes values with nextval(), or may take them, which cannot be read';

CREATE FUNCTION objectid_ext_tools._layout_problems(clocks objectid_ext_tools._clock[], OUT id integer, OUT problem text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH clock AS (
        SELECT c.*, attname, min(c.ids) OVER s <> max(c.ids) OVER s AS differ
        FROM unnest(clocks) AS c JOIN pg_attribute ON attrelid = c.relation AND attnum = c.attribute
        WHERE c.generator = 'next_snowflake'
        WINDOW s AS (PARTITION BY c.sequence)
    )
    SELECT mine.id, 'the sequence has other layouts in ' || string_agg(DISTINCT format('%s.%I', other.relation::regclass, other.attname), ', ')
    FROM clock AS mine JOIN clock AS other USING (sequence)
    WHERE mine.differ AND other.differ AND mine.ids <> other.ids
    GROUP BY mine.id
$$;
COMMENT ON FUNCTION objectid_ext_tools._layout_problems(objectid_ext_tools._clock[]) IS 'internal: clocks whose sequence is used with several layouts';

-- The same ids from two sequences matter in one column, also if a table shares it with
-- its parent, and in tables of the same name whose nodes tell the schema: logical shards.

CREATE FUNCTION objectid_ext_tools._same_ids_problems(clocks objectid_ext_tools._clock[], OUT id integer, OUT problem text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH RECURSIVE clock AS MATERIALIZED (
        SELECT c.*, relname, attname
        FROM unnest(clocks) AS c JOIN pg_class t ON t.oid = c.relation JOIN pg_attribute ON attrelid = t.oid AND attnum = c.attribute
        WHERE c.generator = 'next_snowflake' AND c.sequence IS NOT NULL AND c.node IS NOT NULL
    ), ancestor (relation, oid) AS (
        SELECT DISTINCT relation, relation FROM clock
        UNION
        SELECT relation, inhparent FROM ancestor JOIN pg_inherits ON inhrelid = ancestor.oid
    ), related AS MATERIALIZED (
        -- most tables have no others, which spares a large join
        SELECT * FROM (SELECT relation, oid, count(*) OVER (PARTITION BY oid) FROM ancestor) AS a WHERE count > 1
    ), namesake AS MATERIALIZED (
        SELECT * FROM (SELECT DISTINCT relation, relname, count(*) OVER (PARTITION BY relname) FROM clock WHERE NOT node_of_server) AS c WHERE count > 1
    ), pair (one, two) AS (
        SELECT relation, relation FROM clock
        UNION
        SELECT a.relation, b.relation FROM related a JOIN related b USING (oid) WHERE a.relation <> b.relation
        UNION
        SELECT a.relation, b.relation FROM namesake a JOIN namesake b USING (relname) WHERE a.relation <> b.relation
    )
    SELECT mine.id, 'the same ids can come from ' || string_agg(DISTINCT format('%s in %s', other.sequence::regclass, other.relation::regclass), ', ')
    FROM pair JOIN clock AS mine ON mine.relation = one JOIN clock AS other ON other.relation = two
    WHERE mine.attname = other.attname AND mine.sequence <> other.sequence AND mine.node = other.node AND mine.ids = other.ids
    GROUP BY mine.id
$$;
COMMENT ON FUNCTION objectid_ext_tools._same_ids_problems(objectid_ext_tools._clock[]) IS 'internal: clocks whose ids another clock makes for the same column of a parent, or of a table of the same name in another schema';

-- Problems of the last value: it can be of any node that the sequence serves

CREATE FUNCTION objectid_ext_tools._value_problems(
    clock objectid_ext_tools._clock,
    readable boolean,
    last_value bigint,
    last_node integer,
    nodes integer[],
    lead interval,
    max_lead interval
) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT nullif(concat_ws('; ',
        CASE WHEN NOT readable THEN 'permission denied to read the sequence' END,
        CASE WHEN clock.generator = 'next_snowflake' AND last_value > clock.highest THEN format('last value %s is not an id of the layout', last_value) END,
        CASE WHEN last_node >= 0 AND last_node <> ALL (nodes) THEN format('the last id is of node %s: nextval was used, or the node has changed', last_node) END,
        CASE WHEN lead > max_lead + interval '1 second' + clock.tick THEN format('the clock is %s seconds behind the last id', round(extract(epoch FROM lead))) END,
        CASE WHEN epoch > clock_timestamp() THEN format('the layout begins at %s', epoch) END,
        CASE WHEN clock.last_instant - clock_timestamp() < interval '1 year' THEN format('the layout ends at %s', clock.last_instant) END), '')
    FROM (SELECT (objectid_ext_tools._id_facts(0, clock.layout)).created) AS layout (epoch)
$$;
COMMENT ON FUNCTION objectid_ext_tools._value_problems(objectid_ext_tools._clock, boolean, bigint, integer, integer[], interval, interval) IS 'internal: what is wrong with the last value of a sequence, and with the beginning and the end of the layout; null if nothing is; nodes are those that the sequence serves, with a null if one is computed';

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
    OUT ids_taken double precision,
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
SET jit = off
AS $$
    WITH found (clocks) AS MATERIALIZED (
        SELECT ARRAY(SELECT c FROM objectid_ext_tools._clocks() AS c)
    ), clock AS MATERIALIZED (
        SELECT c AS self, c.*, state.*, clock_timestamp() AS now, c.generator = 'next_snowflake' AS is_clock
        FROM found, unnest(clocks) AS c, LATERAL objectid_ext_tools._clock_state(c) AS state
    ), state AS MATERIALIZED (
        SELECT clock.*, created, last.node AS last_node, created - now AS lead, present,
               slots::float8 / coalesce((SELECT greatest(seqincrement, 1) FROM pg_sequence WHERE seqrelid = sequence), 1) / extract(epoch FROM tick)::float8 AS capacity
        FROM clock
             LEFT JOIN LATERAL objectid_ext_tools._id_facts(CASE WHEN is_clock AND last_value BETWEEN second_day AND highest THEN last_value END, layout) AS last ON true
             CROSS JOIN LATERAL (SELECT objectid_ext_tools._partition_bound('bigint', now, layout)::bigint) AS p (present)
    ), served AS MATERIALIZED (
        SELECT sequence, array_agg(DISTINCT node) AS nodes FROM clock WHERE is_clock GROUP BY sequence
    ), same AS MATERIALIZED (
        SELECT ids, node, array_agg(DISTINCT sequence::regclass) AS sequences FROM clock WHERE is_clock AND sequence IS NOT NULL AND node IS NOT NULL GROUP BY ids, node
    ), problem (id, number, problem) AS (
        SELECT id, 1, objectid_ext_tools._default_problems(self) FROM clock
        UNION ALL SELECT id, 2, objectid_ext_tools._clock_problems(self, present) FROM state
        UNION ALL SELECT id, 3, objectid_ext_tools._sequence_problems(self, last_value) FROM clock
        UNION ALL SELECT id, 4, objectid_ext_tools._citus_problem(self) FROM clock WHERE relation IN (SELECT objectid_ext_tools._citus_tables())
        UNION ALL SELECT p.id, 5, p.problem FROM found, objectid_ext_tools._usage_problems(clocks) AS p
        UNION ALL SELECT id, 6, p.problem FROM found, objectid_ext_tools._nextval_problems(clocks) AS p JOIN clock USING (sequence) WHERE is_clock
        UNION ALL SELECT p.id, 7, p.problem FROM found, objectid_ext_tools._layout_problems(clocks) AS p
        UNION ALL SELECT p.id, 8, p.problem FROM found, objectid_ext_tools._same_ids_problems(clocks) AS p
        UNION ALL SELECT id, 9, objectid_ext_tools._value_problems(self, readable, last_value, last_node, nodes, lead, max_lead)
                  FROM objectid_ext_tools._server_settings(), state LEFT JOIN served USING (sequence)
    ), problems AS MATERIALIZED (
        SELECT id, string_agg(problem, '; ' ORDER BY number, problem COLLATE "C") AS problem FROM problem GROUP BY id
    )
    SELECT relation::regclass, attname, generator, sequence::regclass, layout, node,
           CASE WHEN created IS NOT NULL THEN last_value END, created, lead,
           taken, rate, rate / capacity, since, last_instant, round((extract(epoch FROM last_instant - now) / (365.25 * 86400)), 1),
           nullif(CASE WHEN is_clock THEN array_remove(sequences, sequence::regclass) END, '{}'), problem
    FROM state
         JOIN pg_attribute ON attrelid = relation AND attnum = attribute
         LEFT JOIN same USING (ids, node)
         LEFT JOIN problems USING (id),
         objectid_ext_tools._statistics_begin() AS since,
         LATERAL (SELECT taken / nullif(extract(epoch FROM now - since), 0)::float8) AS r (rate)
    -- not if it has been dropped while this waited
    WHERE pg_table_is_visible(relation) IS NOT NULL
    ORDER BY relation::regclass::text COLLATE "C", attribute
$$;
COMMENT ON FUNCTION objectid_ext_tools._clock_sequences() IS 'internal: the rows of the view clock_sequences';

CREATE VIEW objectid_ext_tools.clock_sequences AS
SELECT table_name, column_name, generator, sequence, layout, node, last_id, last_time, lead, ids_taken, ids_per_second, share, counted_since,
       last_instant, years_left, same_ids, problem
FROM objectid_ext_tools._clock_sequences();
COMMENT ON VIEW objectid_ext_tools.clock_sequences IS 'columns whose default calls next_snowflake() or next_shard_id(), with the sequence, its last id and rate, and what is wrong with it in column problem, which is null if nothing is';
GRANT SELECT ON objectid_ext_tools.clock_sequences TO PUBLIC;
