-- From the function of "Sharding & IDs at Instagram" to next_snowflake(), for all tables of
-- a shard that call it, while they are in use; as the owner of the function:
--     psql -v function=insta5.next_id -v sequence=insta5.table_id_seq -v shard=5 -f from_instagram.sql
-- It can be stopped, and run again.
\set ON_ERROR_STOP on

-- The columns with the default, or of a domain with it.
SELECT coalesce(string_agg(format('SELECT max(%I) FROM %s', attname, c.oid::regclass), ' UNION ALL '), 'SELECT 0') AS highest,
       coalesce(array_agg(c.oid), '{}') AS tables
FROM pg_depend
LEFT JOIN pg_attrdef AS d ON classid = 'pg_attrdef'::regclass AND d.oid = objid
JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum OR classid = 'pg_type'::regclass AND atttypid = objid
JOIN pg_class AS c ON c.oid = attrelid AND relkind IN ('r', 'p', 'v', 'f')
WHERE refclassid = 'pg_proc'::regclass AND refobjid = (:'function' || '()')::regprocedure \gset

-- Who inserts will need USAGE on the schema of the extension, because the function is PL/pgSQL.
SELECT format('DO %L', format('BEGIN RAISE USING MESSAGE = %L; END',
              format('first, GRANT USAGE ON SCHEMA %s TO %s', extnamespace::regnamespace, string_agg(DISTINCT
                     CASE role.oid WHEN 0 THEN 'PUBLIC' ELSE role.oid::regrole::text END, ', '))))
FROM pg_extension, pg_proc AS p, LATERAL (
    SELECT proowner UNION
    SELECT relowner FROM pg_class AS c WHERE c.oid = ANY (:'tables') AND NOT prosecdef UNION
    SELECT grantee FROM pg_class AS c, pg_attribute, aclexplode(relacl || attacl)
    WHERE c.oid = ANY (:'tables') AND attrelid = c.oid AND privilege_type = 'INSERT' AND NOT prosecdef) AS role (oid)
WHERE extname = 'objectid_ext' AND p.oid = (:'function' || '()')::regprocedure
  AND NOT has_schema_privilege(role.oid, extnamespace, 'USAGE')
GROUP BY extnamespace \gexec

-- Numbers that a session has cached would look old after the switch.
SELECT format('ALTER SEQUENCE %s CACHE 1', seqrelid::regclass)
FROM pg_sequence WHERE seqrelid = :'sequence'::regclass AND seqcache > 1 \gexec

-- The function keeps its attributes: SECURITY DEFINER, and a search_path without this extension
-- or the schema of the sequence.
SELECT substring(split_part(pg_get_functiondef((:'function' || '()')::regprocedure), E'\nAS ', 1),
                 E'\n LANGUAGE [^\n]*(.*)') AS attributes,
       extnamespace::regnamespace || '.next_snowflake' AS generator,
       (pg_identify_object('pg_class'::regclass, :'sequence'::regclass, 0)).identity AS sequence
FROM pg_extension WHERE extname = 'objectid_ext' \gset

-- 1. The formula of the article until the sequence contains an id.  The time is read before
-- the number, and is a millisecond earlier, so no such id is as late as the switch.  The
-- function stays PL/pgSQL: in another language, statements that now run would fail.
SELECT format('CREATE OR REPLACE FUNCTION %s(OUT result bigint) LANGUAGE plpgsql %s AS %L', :'function', :'attributes',
              format($body$
DECLARE
    milliseconds bigint := floor(extract(epoch FROM clock_timestamp()) * 1000) - 1314220021721 - 1;
    number bigint := nextval(%1$L);
BEGIN
    IF number < 1::bigint << 40 THEN
        result := (milliseconds << 23) | (%2$s << 10) | (number %% 1024);
    ELSE
        result := %3$s(%1$L, %2$s, 'instagram');
    END IF;
END
$body$, :'sequence', :shard, :'generator')) \gexec

-- 2. Wait for the transactions that may still use the old function.
SELECT coalesce(array_agg(virtualtransaction), '{}') AS old
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'virtualxid' AND datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type IS DISTINCT FROM 'autovacuum worker' \gset
SELECT format('DO %L', format($wait$
BEGIN
    WHILE EXISTS (SELECT FROM pg_locks WHERE virtualtransaction = ANY (%L)) LOOP
        PERFORM pg_sleep(0.1);
    END LOOP;
END
$wait$, :'old')) \gexec

-- 3. The switch, above ids that are ahead of the clock.
SET row_security = off;     -- an error rather than the highest of some rows
SELECT format('SELECT setval(%L, max(id)) FROM (%s) AS highest (id) HAVING max(id) > (SELECT last_value FROM %s)',
              :'sequence', :'highest', :'sequence'::regclass) \gexec
SELECT :generator(:'sequence', :shard, 'instagram') AS first_id;

-- 4. The function needs no numbers any more.
SELECT format('CREATE OR REPLACE FUNCTION %s(OUT result bigint) LANGUAGE plpgsql %s AS %L', :'function', :'attributes',
              format($body$ BEGIN result := %s(%L, %s, 'instagram'); END $body$, :'generator', :'sequence', :shard)) \gexec
