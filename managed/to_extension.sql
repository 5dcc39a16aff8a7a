-- Let the functions of snowflake.sql, in the current schema, call those of the extension
-- objectid_ext, which is in another schema.  What depends on them stays as it is: defaults,
-- generated columns, expression indexes, views; no row is touched, and ids continue above.
-- Run it in one transaction, as the owner of the functions and the tables:
--
--     psql -c 'CREATE SCHEMA objectid' -c 'CREATE EXTENSION objectid_ext SCHEMA objectid'
--     psql -1 -v ON_ERROR_STOP=1 -c 'SET search_path = app' -f managed/to_extension.sql
--
-- New tables can use the extension directly, and old ones after ALTER TABLE ... SET DEFAULT.

SELECT extnamespace::regnamespace AS objectid FROM pg_extension WHERE extname = 'objectid_ext' \gset

-- Both kinds of next_snowflake() must not run at the same time.  So wait for transactions
-- that insert rows with ids by default.  Nothing else may call it meanwhile.
DO $$
DECLARE
    command text;
BEGIN
    FOR command IN
        -- LOCK TABLE refuses foreign tables; SET WITHOUT OIDS does nothing but lock one.
        SELECT DISTINCT pg_catalog.format(CASE relkind WHEN 'f' THEN 'ALTER TABLE %s SET WITHOUT OIDS'
            ELSE 'LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE' END, c.oid::regclass)
        FROM pg_depend d
            LEFT JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass::oid AND d.objid = f.oid
            JOIN pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
                OR d.classid = 'pg_type'::regclass::oid AND d.objid = a.atttypid     -- a domain
            JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v', 'f')
        WHERE d.refclassid = 'pg_proc'::regclass::oid AND d.refobjid = 'next_snowflake(regclass, integer, snowflake_layout)'::regprocedure::oid
    LOOP
        EXECUTE command;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION next_snowflake(seq regclass, node integer, layout snowflake_layout) RETURNS bigint
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE RETURN :objectid.next_snowflake(seq, node, CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION make_snowflake(ts timestamptz, node integer, seq integer, layout snowflake_layout) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.make_snowflake(ts, node, seq, CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_timestamp(id bigint, layout snowflake_layout) RETURNS timestamptz
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_timestamp(id, CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_node(id bigint, layout snowflake_layout) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_node(id, CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_sequence(id bigint, layout snowflake_layout) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_sequence(id, CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_floor(ts timestamptz, layout snowflake_layout) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_floor(ts, CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_ceiling(ts timestamptz, layout snowflake_layout) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_ceiling(ts, CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_lower("range" tstzrange, layout snowflake_layout) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_lower("range", CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_upper("range" tstzrange, layout snowflake_layout) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_upper("range", CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_within(id bigint, "range" tstzrange, layout snowflake_layout) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN :objectid.snowflake_within(id, "range", CAST(layout::text AS :objectid.snowflake_layout));
CREATE OR REPLACE FUNCTION snowflake_parts(id bigint, layout snowflake_layout, OUT created timestamptz, OUT node integer, OUT sequence integer)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE BEGIN ATOMIC
    SELECT p.created, p.node, p.sequence FROM :objectid.snowflake_parts(id, CAST(layout::text AS :objectid.snowflake_layout)) p;
END;
CREATE OR REPLACE FUNCTION snowflake_layouts(
    OUT layout snowflake_layout, OUT parts text, OUT time_bits integer, OUT node_bits integer, OUT sequence_bits integer,
    OUT tick interval, OUT epoch timestamptz, OUT ids_per_second bigint, OUT last_instant timestamptz) RETURNS SETOF record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 7 BEGIN ATOMIC
    SELECT l.layout::text::snowflake_layout, l.parts, l.time_bits, l.node_bits, l.sequence_bits, l.tick, l.epoch, l.ids_per_second, l.last_instant
    FROM :objectid.snowflake_layouts() l;
END;

-- What the replaced functions have called
DROP FUNCTION snowflake_check_sequence(regclass, snowflake_fields, bigint);
DROP FUNCTION snowflake_bounds(tstzrange, snowflake_layout);
DROP FUNCTION snowflake_check(snowflake_fields, text, bigint, bigint);
DROP FUNCTION snowflake_format(snowflake_fields, boolean);
DROP FUNCTION snowflake_utc(snowflake_fields, bigint);
DROP FUNCTION snowflake_tick(snowflake_fields, timestamptz, bigint);
DROP FUNCTION snowflake_time(snowflake_fields, bigint);
DROP FUNCTION snowflake_fields(snowflake_layout);
DROP FUNCTION snowflake_parse(text);
DROP TYPE snowflake_fields;
