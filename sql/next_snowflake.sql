--
-- next_snowflake: a clock kept in a sequence
--
-- Tests with several sessions, a crash, a standby or a clock change are in t/.
--

SET timezone = 'UTC';

CREATE SEQUENCE clock;

-- now, the node, the first slot
SELECT (p).node, (p).sequence, abs(extract(epoch FROM (p).created - clock_timestamp())) < 2 AS now
FROM (SELECT snowflake_parts(next_snowflake('clock', 5, 'twitter'), 'twitter') p) s;
CREATE SEQUENCE insta;
SELECT (p).node FROM (SELECT snowflake_parts(next_snowflake('insta', 1341, 'instagram'), 'instagram') p) s;
-- the node has no default
SELECT next_snowflake('clock', 'twitter');
SELECT snowflake_node_id();
-- and a session cannot set it
SET objectid_ext.node_id = 5;
ALTER ROLE current_user SET objectid_ext.node_id = 5;

-- 100,000 ids in one transaction, faster than the sequence field allows
CREATE SEQUENCE burst;
CREATE TABLE taken AS SELECT i, next_snowflake('burst', 5, 'twitter') AS id FROM generate_series(1, 100000) i;
SELECT count(DISTINCT id) AS ids,
       snowflake_timestamp(max(id), 'twitter') <= clock_timestamp() + interval '1 s' AS within_lead,
       bool_and(snowflake_node(id, 'twitter') = 5) AS node
FROM taken;
SELECT count(*) AS descents FROM (SELECT id <= lag(id) OVER (ORDER BY i) AS descent FROM taken) t WHERE descent;
SELECT max(id) = last_value AND is_called AS last_value FROM taken, burst GROUP BY last_value, is_called;

-- the same with blocks
ALTER SEQUENCE burst CACHE 64;
INSERT INTO taken SELECT 100000 + i, next_snowflake('burst', 5, 'twitter') FROM generate_series(1, 100000) i;
SELECT count(DISTINCT id) AS ids FROM taken;
SELECT count(*) AS descents FROM (SELECT id <= lag(id) OVER (ORDER BY i) AS descent FROM taken) t WHERE descent;

-- a block is used only while its tick lasts
SELECT next_snowflake('burst', 5, 'twitter') AS id \gset
SELECT pg_sleep(0.01);
SELECT abs(extract(epoch FROM snowflake_timestamp(next_snowflake('burst', 5, 'twitter'), 'twitter') - clock_timestamp())) < 2 AS now,
       next_snowflake('burst', 5, 'twitter') > :id AS above;

-- INCREMENT: consecutive slots, never into another tick or another node
CREATE SEQUENCE fifty INCREMENT 50 CACHE 3;
CREATE TABLE block AS SELECT i, next_snowflake('fifty', 5, 'twitter') AS id FROM generate_series(1, 10000) i;
SELECT min(id - previous) >= 50 AS apart,
       max(id & 4095) <= 4096 - 50 AS within_tick,
       bool_and(snowflake_node(id, 'twitter') = 5 AND snowflake_node(id + 49, 'twitter') = 5
                AND snowflake_timestamp(id, 'twitter') = snowflake_timestamp(id + 49, 'twitter')) AS within_node
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous FROM block) b;
-- nextval leaves its block of slots alone
ALTER SEQUENCE fifty CACHE 1;
SELECT bool_and(b - a >= 50 AND c > b) AS apart
FROM (SELECT next_snowflake('fifty', 5, 'twitter') AS a, nextval('fifty') AS b, next_snowflake('fifty', 5, 'twitter') AS c
      FROM generate_series(1, 1000)) s;
-- the whole block is taken, even if the increment is changed
SET client_min_messages = error;     -- an hour ahead, so that the clock has no effect
SELECT setval('fifty', make_snowflake(clock_timestamp() + interval '1 hour', 5, 0, 'twitter')) AS ahead \gset
SELECT next_snowflake('fifty', 5, 'twitter') AS id \gset
SELECT :id > :ahead AS ahead, last_value - :id AS last_slot FROM fifty;
ALTER SEQUENCE fifty INCREMENT 1;
SELECT next_snowflake('fifty', 5, 'twitter') - :id AS first, nextval('fifty') - :id AS then_nextval;
ALTER SEQUENCE fifty INCREMENT 10;
SELECT next_snowflake('fifty', 5, 'twitter') - :id AS block;
ALTER SEQUENCE fifty INCREMENT 7;
SELECT first - :id AS range FROM nextval_range('fifty', 1);
RESET client_min_messages;
ALTER SEQUENCE fifty RESTART;
ALTER SEQUENCE fifty INCREMENT 4096;
SELECT count(DISTINCT id) AS ids, max(id & 4095) AS slot FROM (SELECT next_snowflake('fifty', 5, 'twitter') AS id FROM generate_series(1, 10)) f;
ALTER SEQUENCE fifty INCREMENT 4097;
SELECT next_snowflake('fifty', 5, 'twitter');

-- if the node is below the sequence number, slots are a node field apart
CREATE SEQUENCE sony INCREMENT 10;
CREATE TABLE sony_block AS SELECT i, next_snowflake('sony', 65535, 'sonyflake') AS id FROM generate_series(1, 100) i;
SELECT min(id - previous) >= 10 * 65536 AS apart, max(id >> 16 & 255) <= 246 AS within_tick,
       bool_and(snowflake_node(id, 'sonyflake') = 65535) AS node
FROM (SELECT id, lag(id) OVER (ORDER BY i) AS previous FROM sony_block) b;

-- start=random: at low rates, ids end in all numbers of the lower half of the
-- sequence field, and not only in 0
CREATE SEQUENCE spread;
CREATE TABLE slow (layout snowflake_layout, i int, id bigint);
CREATE PROCEDURE take_slowly(layout snowflake_layout) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. 1500 LOOP
        INSERT INTO slow VALUES (layout, i, next_snowflake('spread', 2, layout));
        PERFORM pg_sleep(0.0002);
    END LOOP;
END;
$$;
CALL take_slowly('time:48,node:3,seq:10;tick=100us;epoch=2026-01-01T00:00:00Z');
CALL take_slowly('time:48,node:3,seq:10;tick=100us;epoch=2026-01-01T00:00:00Z;start=random');
SELECT layout::text, count(DISTINCT id % 64) AS remainders, max(id & 1023) <= 511 AS lower_half,
       count(DISTINCT id) AS ids, bool_and(id >> 10 & 7 = 2) AS node
FROM slow GROUP BY 1 ORDER BY 1;
-- no remainder is three times as frequent as it should be
SELECT max(count) < 3 * 1500 / 64 AS evenly
FROM (SELECT count(*) FROM slow WHERE layout::text LIKE '%random' GROUP BY id % 64) s;
SELECT count(*) AS descents FROM (SELECT id <= lag(id) OVER (PARTITION BY layout::text ORDER BY i) AS descent FROM slow) s WHERE descent;
-- A burst gets all of the numbers: a tick after a full one begins at 0.  That is
-- all ticks but the first, and the second if the clock enters it meanwhile.
CREATE SEQUENCE spread_burst;
SELECT sum(ids) AS ids, count(*) FILTER (WHERE first > 0) <= 2 AS begin_at_0
FROM (SELECT count(DISTINCT id) AS ids, min(id & 15) AS first
      FROM (SELECT next_snowflake('spread_burst', 0, 'time:40,seq:4;tick=50ms;epoch=2026-01-01T00:00:00Z;start=random') AS id
            FROM generate_series(1, 160)) s GROUP BY id >> 4) t;
-- INCREMENT and CACHE: a block never reaches into another tick or node, also if
-- it is larger than half of the field
CREATE TABLE spread_block (increment int, i int, id bigint);
CREATE PROCEDURE take_blocks(increment int, cache int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER SEQUENCE spread INCREMENT %s CACHE %s', increment, cache);
    PERFORM pg_sleep(0.1);      -- until the clock is past the ids
    INSERT INTO spread_block
    SELECT increment, i, next_snowflake('spread', 2, 'time:48,node:3,seq:10;tick=100us;epoch=2026-01-01T00:00:00Z;start=random') FROM generate_series(1, 500) i;
END;
$$;
CALL take_blocks(1, 64);
CALL take_blocks(7, 20);
CALL take_blocks(50, 1);
CALL take_blocks(600, 2);
CALL take_blocks(1024, 1);
SELECT increment, count(*), min(id - previous) >= increment AS apart, max(id & 1023) + increment <= 1024 AS within_tick,
       bool_and(id >> 10 & 7 = 2) AS node
FROM (SELECT increment, id, lag(id) OVER (PARTITION BY increment ORDER BY i) AS previous FROM spread_block) s
GROUP BY increment ORDER BY increment;
SELECT max(id & 1023) > 0 AS begin_anywhere FROM spread_block WHERE increment = 600;
-- next_shard_id() takes the numbers of its caller: the option has no effect, and
-- both layouts share a shard
SELECT count(DISTINCT id) AS ids, bool_and(snowflake_sequence(id, 'twitter') = i) AS number
FROM generate_series(1, 100) i,
     LATERAL (VALUES (next_shard_id(71, i, 'twitter')), (next_shard_id(71, i, 'twitter;start=random'))) v(id);
SELECT make_snowflake('2026-01-01 00:00:00+00', 5, 7, 'twitter') = make_snowflake('2026-01-01 00:00:00+00', 5, 7, 'twitter;start=random') AS same_bits,
       snowflake_floor('2026-01-01 00:00:00+00', 'twitter;start=random') & 4095 AS floor;
DROP TABLE slow, spread_block;
DROP SEQUENCE spread, spread_burst;
DROP PROCEDURE take_slowly, take_blocks;

-- several nodes can share a sequence: ids still ascend
SELECT count(*) AS descents
FROM (SELECT id <= lag(id) OVER (ORDER BY i) AS descent
      FROM generate_series(1, 100) i, LATERAL next_snowflake('clock', 1023 - i % 3, 'twitter') id) s
WHERE descent;

-- the last slot of a tick is followed by the next tick, in every layout
CREATE TABLE full_tick AS
SELECT layout, n.node, ahead, set_to, setval('clock', set_to, true), next_snowflake('clock', n.node, layout) AS id
FROM snowflake_layouts(), LATERAL (VALUES (0), ((1 << node_bits) - 1)) n(node), LATERAL (VALUES (0), (1)) a(ahead),
LATERAL (SELECT snowflake_ceiling(clock_timestamp() + tick + ahead * interval '500 ms', layout)) s(set_to);
SELECT layout, count(*), bool_and(id > set_to) AS above, bool_and(snowflake_node(id, layout) = node) AS node,
       bool_and(snowflake_sequence(id, layout) = 0) AS first_slot
FROM full_tick GROUP BY layout ORDER BY layout::text;
-- and a slot that was set with is_called = false is the next one
SELECT setval('clock', make_snowflake(clock_timestamp() + interval '300 ms', 7, 9, 'twitter'), false) AS set_to \gset
SELECT next_snowflake('clock', 7, 'twitter') = :set_to AS itself, next_snowflake('clock', 7, 'twitter') = :set_to + 1 AS then_next;

-- nextval and next_snowflake in turn
SELECT count(*) AS descents
FROM (SELECT id <= lag(id) OVER (ORDER BY i) AS descent
      FROM generate_series(1, 100) i,
      LATERAL (SELECT CASE i % 2 WHEN 0 THEN nextval('clock') ELSE next_snowflake('clock', 3, 'twitter') END) s(id)) t
WHERE descent;

-- nextval knows nothing of fields: it counts on into the next node
CREATE SEQUENCE mixed;
SELECT next_snowflake('mixed', 5, 'twitter') AS id \gset
SELECT snowflake_node(id, 'twitter') AS node, count(*) > 0 AS some, count(*) = count(DISTINCT id) AS distinct
FROM (SELECT nextval('mixed') AS id FROM generate_series(1, 5000)) s GROUP BY node ORDER BY node;
DROP SEQUENCE mixed;
-- two sequences with one node give the same ids
CREATE SEQUENCE twin_1;
CREATE SEQUENCE twin_2;
SELECT count(DISTINCT id) < 2000 AS repeated
FROM generate_series(1, 1000), LATERAL (VALUES (next_snowflake('twin_1', 5, 'twitter')), (next_snowflake('twin_2', 5, 'twitter'))) v(id);
DROP SEQUENCE twin_1, twin_2;

-- a serial column changes over: old values are smaller than any id
CREATE TABLE item (id bigserial PRIMARY KEY, n int);
INSERT INTO item (n) SELECT generate_series(1, 1000);
ALTER TABLE item ALTER id SET DEFAULT next_snowflake('item_id_seq', 5, 'twitter');
INSERT INTO item (n) SELECT generate_series(1001, 2000);
SELECT count(*), min(id) FILTER (WHERE n > 1000) > max(id) FILTER (WHERE n <= 1000) AS above FROM item;
DROP TABLE item;

-- an hour ahead: ids continue above, with one warning, the ids of one tick per tick
ALTER SEQUENCE burst CACHE 1;
SELECT setval('burst', make_snowflake(clock_timestamp() + interval '3600.5 s', 5, 0, 'twitter')) AS ahead \gset
SELECT next_snowflake('burst', 5, 'twitter') = :ahead + 1 AS next_slot;
DO $$
DECLARE
    started timestamptz := clock_timestamp();
    first bigint;
    last bigint;
BEGIN
    SELECT min(id), max(id) INTO first, last
    FROM (SELECT next_snowflake('burst', 5, 'twitter') AS id FROM generate_series(1, 4096 * 20)) s;
    IF (last >> 22) - (first >> 22) NOT BETWEEN 19 AND 22 THEN
        RAISE 'used % ticks', (last >> 22) - (first >> 22);
    END IF;
    IF clock_timestamp() - started < interval '18 ms' THEN
        RAISE '% for 20 ticks', clock_timestamp() - started;
    END IF;
END;
$$;
-- until the sequence is set back
SELECT setval('burst', 1);
SELECT abs(extract(epoch FROM snowflake_timestamp(next_snowflake('burst', 5, 'twitter'), 'twitter') - clock_timestamp())) < 2 AS now;

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
DROP SEQUENCE of_worker;

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
SELECT setval('forgetful', make_snowflake(clock_timestamp() + interval '3600.5 s', 5, 0, 'twitter')) AS ahead \gset
SELECT next_snowflake('forgetful', 5, 'twitter') = :ahead + 1 AS next_slot;
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
SELECT abs(extract(epoch FROM snowflake_timestamp(next_snowflake('emptied_id_seq', 5, 'twitter'), 'twitter') - clock_timestamp())) < 2 AS now;
ROLLBACK;
SELECT next_snowflake('emptied_id_seq', 5, 'twitter') = :ahead + 1 AS as_before;
BEGIN;
ALTER SEQUENCE emptied_id_seq START WITH 7;
SELECT next_snowflake('emptied_id_seq', 5, 'twitter') = :ahead + 2 AS above;
ROLLBACK;
SELECT next_snowflake('emptied_id_seq', 5, 'twitter') = :ahead + 2 AS again;
RESET client_min_messages;
DROP TABLE emptied;

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

-- parallel workers cannot call it either
SELECT proparallel FROM pg_proc WHERE proname = 'next_snowflake';

DROP TABLE taken, block, sony_block, full_tick, plain;
DROP VIEW viewed;
DROP SEQUENCE clock, insta, burst, fifty, sony, small, bounded, downward, ending, widest, guarded, forgetful;
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
