-- Moves a logical shard to another server while it is in use.  Writes get an error
-- between steps 2 and 3, and reads if they still go to the old place after step 4.
-- The target's string becomes the route, which applications read: leave its user and
-- password to PGUSER and a password file.
--     psql -v shard=5 -v source='host=…' -v target='host=…' -v directory='host=…' -f move_shard.sql
-- If it stops with an error before step 3, the shard is where it was: grant
-- what step 2 revokes, and drop the subscription, the publication and the copy.
\set ON_ERROR_STOP on
\set schema shard_ :shard
\set move move_shard_ :shard

-- A subscription would wait for itself between two databases of one server.
\connect :source
SELECT system_identifier, pg_postmaster_start_time() AS started FROM pg_control_system() \gset
\connect :target
SELECT system_identifier = :system_identifier AND pg_postmaster_start_time() = :'started' AS one_server FROM pg_control_system() \gset
\if :one_server
DO $$ BEGIN RAISE 'source and target are databases of one server' USING HINT = 'Use pg_dump --schema.'; END $$;
\endif

-- 1. Copy the shard, and follow what changes meanwhile.
\connect :source
CREATE PUBLICATION :"move" FOR TABLES IN SCHEMA :"schema";
\connect :target
\ir shard.sql
CREATE SUBSCRIPTION :"move" CONNECTION :'source' PUBLICATION :"move";
\ir wait_until.sql
SELECT pg_catalog.format('NOT EXISTS (SELECT FROM pg_subscription_rel JOIN pg_subscription s ON s.oid = srsubid
                           WHERE subname = %L AND srsubstate <> ''r'')', :'move') AS copied \gset
CALL pg_temp.wait_until(:'copied');

-- 2. Stop writes on the source.  The lock waits for transactions that write.
\connect :source
BEGIN;
SET LOCAL synchronous_commit = on;
SELECT pg_catalog.format('LOCK TABLE %s IN SHARE MODE', oid::regclass)
FROM pg_class WHERE relnamespace = :'schema'::regnamespace::oid AND relkind = 'r' \gexec
-- From all roles, the owner too: what one still wrote would be left behind.  A superuser can.
SELECT DISTINCT pg_catalog.format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA %I FROM %s CASCADE',
                                  :'schema', CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END)
FROM pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner)))
WHERE relnamespace = :'schema'::regnamespace::oid AND relkind = 'r' \gexec
COMMIT;

-- Wait until all of it has arrived.
\ir wait_until.sql
SELECT pg_catalog.format('confirmed_flush_lsn >= %L FROM pg_replication_slots WHERE slot_name = %L', pg_current_wal_lsn(), :'move') AS arrived \gset
CALL pg_temp.wait_until(:'arrived');

-- Sequences are not replicated.  Set to the last id that was taken, they go on
-- above it, also if the clock of the target is behind.
SELECT string_agg(pg_catalog.format('SELECT pg_catalog.setval(''%I.%I'', %s);', schemaname, sequencename, last_value), ' ') AS set_sequences
FROM pg_sequences WHERE schemaname = :'schema' AND last_value IS NOT NULL \gset
\connect :target
DROP SUBSCRIPTION :"move";
:set_sequences

-- 3. From now on the shard is on the target.
\connect :directory
UPDATE shard_route SET server = :'target' WHERE shard = :shard;

-- 4. A client that still uses the old place gets an error, and asks for the route.
\connect :source
DROP PUBLICATION :"move";
DROP SCHEMA :"schema" CASCADE;
