--
-- next_snowflake: a clock kept in a sequence
--
-- Tests with several sessions, a crash, a standby or a clock change are in t/.
--
\a \t on

SET timezone = 'UTC';

CREATE SEQUENCE clock;

-- now, the node, the first slot
SELECT (p).node, (p).sequence, abs(extract(epoch FROM (p).created - clock_timestamp())) < 60 AS now
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

-- as far ahead of the clock as is allowed
CREATE SEQUENCE ahead;
SET objectid_ext.max_clock_lead = '1h';
SELECT snowflake_timestamp(max(next_snowflake('ahead', 0, 'time:40,seq:1;tick=100s;epoch=2026-01-01T00:00:00Z')),
                           'time:40,seq:1;tick=100s;epoch=2026-01-01T00:00:00Z') > clock_timestamp() + interval '20 min' AS ahead
FROM generate_series(1, 40);
RESET objectid_ext.max_clock_lead;
DROP SEQUENCE ahead;

-- the same with blocks
ALTER SEQUENCE burst CACHE 64;
INSERT INTO taken SELECT 100000 + i, next_snowflake('burst', 5, 'twitter') FROM generate_series(1, 100000) i;
SELECT count(DISTINCT id) AS ids FROM taken;
SELECT count(*) AS descents FROM (SELECT id <= lag(id) OVER (ORDER BY i) AS descent FROM taken) t WHERE descent;

-- a block is used only while its tick lasts
SELECT next_snowflake('burst', 5, 'twitter') AS id \gset
SELECT pg_sleep(0.01);
SELECT abs(extract(epoch FROM snowflake_timestamp(next_snowflake('burst', 5, 'twitter'), 'twitter') - clock_timestamp())) < 60 AS now,
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
-- a slot that was set with is_called = false is the next one
SELECT setval('insta', make_snowflake(clock_timestamp() + interval '1 hour', 7, 9, 'twitter'), false) AS set_to \gset
SELECT next_snowflake('insta', 7, 'twitter') = :set_to AS itself, next_snowflake('insta', 7, 'twitter') = :set_to + 1 AS then_next;
RESET client_min_messages;
ALTER SEQUENCE fifty RESTART;
ALTER SEQUENCE fifty INCREMENT 4096;
SELECT count(DISTINCT id) AS ids, max(id & 4095) AS slot FROM (SELECT next_snowflake('fifty', 5, 'twitter') AS id FROM generate_series(1, 10)) f;
ALTER SEQUENCE fifty INCREMENT 4097;
SELECT next_snowflake('fifty', 5, 'twitter');

-- if the node is below the sequence number, slots are a node field apart
CREATE SEQUENCE sony INCREMENT 10 CACHE 5;
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
SELECT layout::text, count(DISTINCT id % 64) AS remainders, max(id & 1023) BETWEEN 400 AND 511 AS lower_half,
       count(DISTINCT id) AS ids, bool_and(id >> 10 & 7 = 2) AS node
FROM slow GROUP BY 1 ORDER BY 1;
-- no remainder is three times as frequent as it should be
SELECT max(count) < 3 * 1500 / 64 AS evenly
FROM (SELECT count(*) FROM slow WHERE layout::text LIKE '%random' GROUP BY id % 64) s;
SELECT count(*) AS descents FROM (SELECT id <= lag(id) OVER (PARTITION BY layout::text ORDER BY i) AS descent FROM slow) s WHERE descent;
-- A burst gets all of the numbers: a tick after a full one begins at 0.
CREATE SEQUENCE spread_burst;
SET client_min_messages = error;     -- an hour ahead, so that the clock has no effect
SELECT setval('spread_burst', snowflake_ceiling(clock_timestamp() + interval '1 hour', 'time:40,seq:4;tick=50ms;epoch=2026-01-01T00:00:00Z')) AS ahead \gset
SELECT sum(ids) AS ids, count(*) FILTER (WHERE first > 0) AS begin_elsewhere
FROM (SELECT count(DISTINCT id) AS ids, min(id & 15) AS first
      FROM (SELECT next_snowflake('spread_burst', 0, 'time:40,seq:4;tick=50ms;epoch=2026-01-01T00:00:00Z;start=random') AS id
            FROM generate_series(1, 160)) s GROUP BY id >> 4) t;
RESET client_min_messages;
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
-- and begins anywhere that it fits
ALTER SEQUENCE spread INCREMENT 600 CACHE 2;
SELECT count(DISTINCT id & 1023) > 10 AS begin_anywhere, max(id & 1023) + 600 <= 1024 AS within_tick
FROM (SELECT next_snowflake('spread', 2, 'time:48,node:3,seq:10;tick=100us;epoch=2026-01-01T00:00:00Z;start=random') AS id, pg_sleep(0.002)
      FROM generate_series(1, 100)) s;
ALTER SEQUENCE spread INCREMENT 1024 CACHE 1;
SELECT max(id & 1023) AS only_at_0
FROM (SELECT next_snowflake('spread', 2, 'time:48,node:3,seq:10;tick=100us;epoch=2026-01-01T00:00:00Z;start=random') AS id, pg_sleep(0.002)
      FROM generate_series(1, 50)) s;
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
CREATE TABLE twins AS SELECT next_snowflake('twin_1', 5, 'twitter') AS a, next_snowflake('twin_2', 5, 'twitter') AS b FROM generate_series(1, 1000);
SELECT count(DISTINCT a) AS of_1, count(DISTINCT b) AS of_2,
       count(*) FILTER (WHERE b IN (SELECT a FROM twins)) > 0 AS in_both
FROM twins;
DROP TABLE twins;
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
SELECT setval('burst', make_snowflake(clock_timestamp() + interval '3600.9 s', 5, 0, 'twitter')) + 1 = next_snowflake('burst', 5, 'twitter') AS next_slot;
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
SELECT abs(extract(epoch FROM snowflake_timestamp(next_snowflake('burst', 5, 'twitter'), 'twitter') - clock_timestamp())) < 60 AS now;

DROP TABLE taken, block, sony_block, full_tick;
DROP SEQUENCE clock, insta, burst, fifty, sony;
