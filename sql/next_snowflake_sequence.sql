--
-- next_snowflake: the sequence that it is called with, its privileges and its
-- transactions
--
\a \t on
SET timezone = 'UTC';
CREATE SEQUENCE clock;

-- sequences that cannot hold ids
CREATE SEQUENCE small AS integer;
SELECT next_snowflake('small', 5, 'twitter');
CREATE SEQUENCE bounded MAXVALUE 1000000000 CYCLE;
SELECT next_snowflake('bounded', 5, 'twitter');
CREATE SEQUENCE downward INCREMENT -1;
SELECT next_snowflake('downward', 5, 'twitter');
SELECT last_value, is_called FROM small;

-- a MINVALUE in the future is an error; Citus sets such values on its workers
CREATE SEQUENCE of_worker MINVALUE 281474976710657;
SELECT next_snowflake('of_worker', 1, 'js53');
SELECT next_snowflake('of_worker', 1, 'pgedge') > 281474976710657 AS no_future_in_this_layout;
ALTER SEQUENCE of_worker MINVALUE 9223372036854775806 START 9223372036854775806 RESTART;
SELECT next_snowflake('of_worker', 1, 'twitter');
ALTER SEQUENCE of_worker NO MINVALUE RESTART WITH 1;
SELECT snowflake_timestamp(next_snowflake('of_worker', 1, 'js53'), 'js53') <= clock_timestamp() AS present;
-- a MINVALUE in the current second is accepted
DO $$ BEGIN EXECUTE format('ALTER SEQUENCE of_worker MINVALUE %1$s START %1$s RESTART', snowflake_floor(clock_timestamp() + interval '0.8 s', 'twitter')); END $$;
SELECT next_snowflake('of_worker', 0, 'twitter') >= seqmin AS above FROM pg_sequence WHERE seqrelid = 'of_worker'::regclass;
-- and in the current tick: of hours, this is the second one, with half an hour left
SELECT format('time:20,seq:12;tick=3600s;epoch=%sZ', to_char((now() - interval '90 min') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')) AS hours \gset
ALTER SEQUENCE of_worker MINVALUE 4096 START 4096 RESTART;
SELECT next_snowflake('of_worker', 0, :'hours');
DROP SEQUENCE of_worker;
-- a block that would reach past MAXVALUE: single ids, up to that
SELECT replace(:'hours', 'seq:12', 'seq:4,node:4') AS hours \gset
CREATE SEQUENCE last_ids MAXVALUE 319 CACHE 8;
SELECT next_snowflake('last_ids', 2, :'hours') FROM generate_series(1, 4);
SELECT next_snowflake('last_ids', 2, :'hours');
DROP SEQUENCE last_ids;

-- WAL reserves the slots of a second, of a longer tick a part
CREATE SEQUENCE reserved;
SELECT next_snowflake('reserved', 0, 'time:40,seq:12;tick=1500ms;epoch=2026-01-01T00:00:00Z') & 4095 AS slot;
SELECT log_cnt FROM reserved;
ALTER SEQUENCE reserved RESTART;
SELECT next_snowflake('reserved', 0, 'time:40,seq:12;tick=500ms;epoch=2026-01-01T00:00:00Z') & 4095 AS slot;
SELECT log_cnt FROM reserved;
DROP SEQUENCE reserved;

-- other relations
CREATE TABLE plain (a int PRIMARY KEY);
CREATE VIEW viewed AS SELECT 1 AS a;
SELECT next_snowflake('plain', 5, 'twitter');
SELECT next_snowflake('plain_pkey', 5, 'twitter');
SELECT next_snowflake('viewed', 5, 'twitter');
SELECT next_snowflake('nothing', 5, 'twitter');
SELECT next_snowflake(0, 5, 'twitter');
-- nodes that do not fit the field
SELECT next_snowflake('clock', 1024, 'twitter');
SELECT next_snowflake('clock', -1, 'twitter');
SELECT next_snowflake('clock', 1, 'mastodon');
-- a layout without nodes does not ask for the node of this server
SELECT next_snowflake('clock', 'mastodon') > 0 AS ok;

-- the end of the layout is an error, not a negative id: this layout ends with
-- the current second
SELECT format('time:10,node:4,seq:8;tick=1s;epoch=%s',
              to_char(date_trunc('second', clock_timestamp()) - interval '1023 s', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS ending \gset
CREATE SEQUENCE ending;
SELECT pg_sleep(1.1);
\set VERBOSITY sqlstate
SELECT next_snowflake('ending', 1, :'ending');
SELECT next_shard_id(1, 1, :'ending');
\set VERBOSITY default
SELECT last_value, is_called FROM ending;
-- and so is a slot after the last one
SELECT setval('ending', 9223372036854775806);
SET client_min_messages = error;     -- the warning contains a number of seconds
SELECT next_snowflake('ending', 1023, 'twitter');
RESET client_min_messages;
SELECT next_snowflake('ending', 1023, 'twitter');
SELECT next_snowflake('ending', 8191, 'instagram');
SELECT next_snowflake('ending', 0, 'time:63;tick=1us;epoch=2026-01-01T00:00:00Z');
-- or the next one after ids of another layout
CREATE SEQUENCE switched;
SELECT setval('switched', make_snowflake('2026-07-01 00:00:00Z', 5, 0, 'twitter'));
SELECT next_snowflake('switched', 3, 'js53');
-- where such ids fit, the warning says what they may be
SELECT setval('switched', make_snowflake(clock_timestamp() + interval '400 days 0.9 s', 5, 0, 'twitter')) + 1 = next_snowflake('switched', 5, 'twitter') AS next_slot;

-- also if slots are as far apart as possible, and an increment is a tick
SELECT format('time:1,seq:31,node:31;tick=3600s;epoch=%sZ', to_char((now() - interval '1 hour') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')) AS widest \gset
CREATE SEQUENCE widest INCREMENT 2147483648;
SELECT setval('widest', 9223372036854775802);
\set VERBOSITY sqlstate
SELECT next_snowflake('widest', 1, :'widest');
\set VERBOSITY default

-- the privileges are those of nextval
CREATE ROLE regress_snowflake;
CREATE SEQUENCE guarded CACHE 64;
GRANT SELECT ON guarded TO regress_snowflake;
SET ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter');
RESET ROLE;
-- another role cannot use the block at hand
SELECT next_snowflake('guarded', 5, 'twitter') > 0 AS ok;
SET ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter');
RESET ROLE;
GRANT USAGE ON guarded TO regress_snowflake;
SET ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter') > 0 AS ok;
RESET ROLE;
-- nor can the same role after a REVOKE in the same transaction
BEGIN;
SET LOCAL ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter') > 0 AS ok;
RESET ROLE;
REVOKE USAGE ON guarded FROM regress_snowflake;
SET LOCAL ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter');
ROLLBACK;
REVOKE USAGE ON guarded FROM regress_snowflake;
GRANT UPDATE ON guarded TO regress_snowflake;
SET ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter') > 0 AS ok;
RESET ROLE;
-- the form without a node asks for no privilege on another function
BEGIN;
REVOKE EXECUTE ON FUNCTION snowflake_node_id() FROM PUBLIC;
SET LOCAL ROLE regress_snowflake;
SELECT next_snowflake('guarded', 'twitter');
ROLLBACK;
-- or after a REVOKE of the role that gave the privilege
REVOKE UPDATE ON guarded FROM regress_snowflake;
CREATE ROLE regress_snowflake_group;
GRANT USAGE ON guarded TO regress_snowflake_group;
GRANT regress_snowflake_group TO regress_snowflake;
BEGIN;
SET LOCAL ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter') > 0 AS ok;
RESET ROLE;
REVOKE regress_snowflake_group FROM regress_snowflake;
SET LOCAL ROLE regress_snowflake;
SELECT next_snowflake('guarded', 5, 'twitter');
ROLLBACK;

-- read-only transactions: an error, except for temporary sequences
CREATE TEMPORARY SEQUENCE of_session CACHE 8;
BEGIN READ ONLY;
SELECT next_snowflake('of_session', 5, 'twitter') < next_snowflake('of_session', 5, 'twitter') AS ok;
SELECT next_snowflake('clock', 5, 'twitter');
ROLLBACK;
-- also with a block at hand
BEGIN;
SELECT next_snowflake('guarded', 5, 'twitter') > 0 AS ok;
SET TRANSACTION READ ONLY;
SELECT next_snowflake('guarded', 5, 'twitter');
ROLLBACK;

-- ids of sequences without WAL do not run ahead of the clock
CREATE UNLOGGED SEQUENCE forgetful CACHE 16;
SELECT count(DISTINCT id) AS ids, snowflake_timestamp(max(id), 'twitter') <= clock_timestamp() AS no_lead
FROM (SELECT next_snowflake('forgetful', 5, 'twitter') AS id FROM generate_series(1, 50000)) s;
SELECT count(DISTINCT id) AS ids, snowflake_timestamp(max(id), 'twitter') <= clock_timestamp() AS no_lead
FROM (SELECT next_snowflake('of_session', 5, 'twitter') AS id FROM generate_series(1, 50000)) s;
-- unless the clock is set back: then they continue above the last, as others do
ALTER SEQUENCE forgetful CACHE 1;
SELECT setval('forgetful', make_snowflake(clock_timestamp() + interval '3600.9 s', 5, 0, 'twitter')) AS ahead, next_snowflake('forgetful', 5, 'twitter') AS next \gset
SELECT :next = :ahead + 1 AS next_slot;
ALTER SEQUENCE forgetful SET LOGGED;
SELECT next_snowflake('forgetful', 5, 'twitter') = :ahead + 2 AS next_slot;
SELECT setval('forgetful', 1);
SELECT count(DISTINCT next_snowflake('forgetful', 5, 'twitter')) FROM generate_series(1, 5000);

-- a block is dropped when its sequence is altered, restarted or dropped
CREATE SEQUENCE altered CACHE 1000;
SELECT next_snowflake('altered', 5, 'twitter') AS id \gset
BEGIN;
SELECT setval('altered', snowflake_floor(clock_timestamp() + interval '400 ms', 'twitter'), false) AS set_to \gset
ALTER SEQUENCE altered CACHE 1;
SELECT next_snowflake('altered', 5, 'twitter') > :set_to AS from_the_sequence;
ALTER SEQUENCE altered RESTART;
SELECT next_snowflake('altered', 5, 'twitter') > 1 AS restarted;
DROP SEQUENCE altered;
SELECT next_snowflake('altered', 5, 'twitter');
ROLLBACK;
SELECT next_snowflake('altered', 5, 'twitter') > :id AS goes_on;
SELECT 'altered'::regclass::oid AS gone \gset
DROP SEQUENCE altered;
\set VERBOSITY sqlstate
SELECT next_snowflake(:gone, 5, 'twitter');
\set VERBOSITY default

-- A rollback sets the sequence back to where it was before the command, so ids
-- that the transaction took come again (an hour ahead, where the clock does
-- nothing).
CREATE TABLE emptied (id bigserial);
SET client_min_messages = error;
SELECT setval('emptied_id_seq', make_snowflake(clock_timestamp() + interval '1 hour', 5, 0, 'twitter')) AS ahead \gset
BEGIN;
TRUNCATE emptied RESTART IDENTITY;
SELECT abs(extract(epoch FROM snowflake_timestamp(next_snowflake('emptied_id_seq', 5, 'twitter'), 'twitter') - clock_timestamp())) < 60 AS now;
ROLLBACK;
SELECT next_snowflake('emptied_id_seq', 5, 'twitter') = :ahead + 1 AS as_before;
BEGIN;
ALTER SEQUENCE emptied_id_seq START WITH 7;
SELECT next_snowflake('emptied_id_seq', 5, 'twitter') = :ahead + 2 AS above;
ROLLBACK;
SELECT next_snowflake('emptied_id_seq', 5, 'twitter') = :ahead + 2 AS again;
RESET client_min_messages;
DROP TABLE emptied;

-- Otherwise no id comes again, neither those that led the clock nor those of the tick in
-- which the file is thrown away.
CREATE TABLE replaced (id bigserial);
\set layout time:41,node:10,seq:2;tick=40ms;epoch=2026-01-01T00:00:00Z
SELECT set_config('test.layout', :'layout', false) <> '' AS layout;
DO $$
DECLARE
    layout snowflake_layout := current_setting('test.layout');
    command text;
    ids bigint[];
BEGIN
    FOREACH command IN ARRAY ARRAY['CACHE 3', 'START 7', 'AS bigint', 'INCREMENT 1', 'MINVALUE 1', 'MAXVALUE 9000000000000000000',
                                   'CYCLE', 'SET UNLOGGED', 'RESTART'] LOOP
        IF command = 'RESTART' THEN     -- with the first tick that has no ids yet
            PERFORM pg_sleep_until(snowflake_timestamp(last_value, layout) + interval '40 ms') FROM replaced_id_seq;
        ELSE                            -- with ids that lead the clock
            ids := ids || ARRAY(SELECT next_snowflake('replaced_id_seq', 1, layout) FROM generate_series(1, 10));
        END IF;
        BEGIN
            EXECUTE 'ALTER SEQUENCE replaced_id_seq ' || command;
            ids := ids || ARRAY(SELECT next_snowflake('replaced_id_seq', 1, layout) FROM generate_series(1, 6));
            RAISE division_by_zero;
        EXCEPTION WHEN division_by_zero THEN
            ids := ids || ARRAY(SELECT next_snowflake('replaced_id_seq', 1, layout) FROM generate_series(1, 2));
        END;
    END LOOP;
    RAISE NOTICE 'ids: %, distinct: %', cardinality(ids), (SELECT count(DISTINCT id) FROM unnest(ids) id);
END $$;
BEGIN;
TRUNCATE replaced RESTART IDENTITY;
SELECT array_agg(next_snowflake('replaced_id_seq', 1, :'layout')) AS ids FROM generate_series(1, 6) \gset
SAVEPOINT a;
ALTER SEQUENCE replaced_id_seq CACHE 2;
ROLLBACK TO a;
SELECT next_snowflake('replaced_id_seq', 1, :'layout') AS id \gset
ROLLBACK;
SELECT count(DISTINCT id) FROM unnest(:'ids'::bigint[] || :id || ARRAY(SELECT next_snowflake('replaced_id_seq', 1, :'layout') FROM generate_series(1, 6))) id;
-- The wait for the end of a tick can be cancelled.
BEGIN;
ALTER SEQUENCE replaced_id_seq RESTART;
SELECT format('time:31,node:1,seq:31;tick=3600s;epoch=%sZ', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')) AS this_hour \gset
SET LOCAL statement_timeout = '10ms';
SELECT next_snowflake('replaced_id_seq', 1, :'this_hour');
ROLLBACK;
DROP TABLE replaced;

-- a rollback of a subtransaction does not take ids back
BEGIN;
SELECT next_snowflake('guarded', 5, 'twitter') AS id \gset
SAVEPOINT a;
SELECT next_snowflake('guarded', 5, 'twitter') AS id2 \gset
ROLLBACK TO a;
SELECT next_snowflake('guarded', 5, 'twitter') > :id2 AS above, :id2 > :id AS above_first;
ROLLBACK;
-- first use in a transaction, in a subtransaction that is rolled back
BEGIN;
SAVEPOINT a;
SELECT next_snowflake('guarded', 5, 'twitter') AS id3 \gset
ROLLBACK TO a;
SELECT next_snowflake('guarded', 5, 'twitter') > :id3 AS above;
SELECT count(*) AS locks FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'guarded'::regclass AND mode = 'RowExclusiveLock';
COMMIT;
-- a sequence that is created and dropped
BEGIN;
SAVEPOINT a;
CREATE SEQUENCE shortlived CACHE 10;
SELECT next_snowflake('shortlived', 5, 'twitter') > 0 AS ok;
ROLLBACK TO a;
SELECT next_snowflake('shortlived', 5, 'twitter');
ROLLBACK;

SELECT next_snowflake('guarded', 5, 'twitter') AS id \gset
DISCARD ALL;
SELECT next_snowflake('guarded', 5, 'twitter') > :id AS above;


DROP TABLE plain;
DROP VIEW viewed;
DROP SEQUENCE clock, small, bounded, downward, ending, switched, widest, guarded, forgetful;
DROP ROLE regress_snowflake, regress_snowflake_group;

-- OIDs that no sequence has are not remembered.
DO $$
BEGIN
    FOR i IN 1 .. 1000 LOOP
        BEGIN
            PERFORM next_snowflake((4000000000 + i)::oid::regclass, 5, 'twitter');
        EXCEPTION WHEN undefined_table THEN
            NULL;
        END;
    END LOOP;
END $$;
SELECT sum(total_bytes) < 50000 AS little_memory FROM pg_backend_memory_contexts WHERE name = 'objectid_ext sequences';
