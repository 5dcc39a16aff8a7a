--
-- next_shard_id: the Instagram contract, and no repeated id
--
\a \t on

SET timezone = 'UTC';

-- now, the shard, the low ten bits of the sequence number
SELECT (p).node, (p).sequence, abs(extract(epoch FROM (p).created - clock_timestamp())) < 60 AS now
FROM (SELECT snowflake_parts(next_shard_id(5, 1024 * 7 + 77), 'instagram') p) s;
SELECT (p).node, (p).sequence
FROM (SELECT snowflake_parts(next_shard_id(8191, 9223372036854775807), 'instagram') p) s;
-- other layouts
SELECT (p).node, (p).sequence
FROM (SELECT snowflake_parts(next_shard_id(1023, 4095, 'twitter'), 'twitter') p) s;
SELECT (p).node, (p).sequence
FROM (SELECT snowflake_parts(next_shard_id(7, 300, 'sonyflake'), 'sonyflake') p) s;

-- out of range
SELECT next_shard_id(8192, 1);
SELECT next_shard_id(-1, 1);
SELECT next_shard_id(1, -1);
SELECT next_shard_id(1024, 1, 'twitter');
SELECT next_shard_id(1, 1, 'mastodon');
SELECT next_shard_id(1, 1, 'time:10,node:4,seq:8;tick=1ms;epoch=2025-01-01T00:00:00Z');
SELECT next_shard_id(1, 1, 'time:10,node:4,seq:8;tick=1ms;epoch=2100-01-01T00:00:00Z');

-- as a column default, in two shards
CREATE SCHEMA insta5;
CREATE SCHEMA insta6;
CREATE SEQUENCE insta5.table_id_seq;
CREATE SEQUENCE insta6.table_id_seq;
CREATE TABLE insta5.photo (id bigint PRIMARY KEY DEFAULT next_shard_id(5, nextval('insta5.table_id_seq')), n int);
CREATE TABLE insta6.photo (id bigint PRIMARY KEY DEFAULT next_shard_id(6, nextval('insta6.table_id_seq')), n int);
INSERT INTO insta5.photo (n) SELECT generate_series(1, 100000);
INSERT INTO insta6.photo (n) SELECT generate_series(1, 100000);
SELECT snowflake_node(id, 'instagram') AS shard, count(DISTINCT id)
FROM (SELECT id FROM insta5.photo UNION ALL SELECT id FROM insta6.photo) p GROUP BY 1 ORDER BY 1;
SELECT bool_and(id > previous) AS ascending
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS previous FROM insta5.photo) p;

-- far more ids than a tick holds: distinct, ascending, and with a time that leads
-- the clock by no more than allowed
CREATE SEQUENCE burst;
CREATE UNLOGGED TABLE burst_id (i int, id bigint DEFAULT next_shard_id(5, nextval('burst')));
INSERT INTO burst_id SELECT i FROM generate_series(1, 2500000) i;
SELECT count(*), count(DISTINCT id) FROM burst_id;
SELECT count(*) AS descents FROM (SELECT id <= lag(id) OVER (ORDER BY i) AS descent FROM burst_id) b WHERE descent;
SELECT snowflake_timestamp(max(id), 'instagram') <= clock_timestamp() + interval '1 s' AS within_lead FROM burst_id;

-- with no lead allowed, the clock sets the pace: 1024 ids a millisecond
SET objectid_ext.max_clock_lead = 0;
DO $$
DECLARE
    last bigint;
BEGIN
    PERFORM pg_sleep(1.1);      -- let the clock catch up
    SELECT max(next_shard_id(5, nextval('burst'))) INTO last FROM generate_series(1, 50000);
    IF snowflake_timestamp(last, 'instagram') > clock_timestamp() THEN
        RAISE 'an id of the future';
    END IF;
END;
$$;
RESET objectid_ext.max_clock_lead;

-- the same number repeatedly: one id per tick
SELECT count(DISTINCT next_shard_id(5, 1)) FROM generate_series(1, 500);
-- two sequences of one shard in turn: no repeated id, and less than a tick per pair
CREATE SEQUENCE other START 900;
SELECT count(DISTINCT id) AS ids, max(tick) - min(tick) < 5000 AS few_ticks
FROM (SELECT id, id >> 23 AS tick FROM generate_series(1, 20000) i,
      LATERAL next_shard_id(77, nextval(CASE i % 2 WHEN 0 THEN 'burst' ELSE 'other' END::regclass)) id) s;
-- shards do not wait for each other
SELECT count(DISTINCT id) AS ids FROM generate_series(0, 8191) shard, LATERAL next_shard_id(shard, 1) id;
-- a field wider than a page of the ledger
SELECT count(DISTINCT next_shard_id(0, nextval('burst'), 'mastodon')) FROM generate_series(1, 200000);
-- no sequence number at all
SELECT count(DISTINCT next_shard_id(9, 0, 'time:41,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z')) FROM generate_series(1, 300);

-- USAGE on the reservation, as GRANT ON ALL SEQUENCES gives it, does not move it
CREATE ROLE regress_shard_user;
GRANT USAGE ON SEQUENCE shard_id_reservation TO regress_shard_user;
SET ROLE regress_shard_user;
SELECT nextval('shard_id_reservation');
SELECT next_snowflake('shard_id_reservation', 0, 'mastodon');
SELECT * FROM nextval_range('shard_id_reservation', 1000000);
SELECT next_shard_id(9, 1) > 0 AS ok;
RESET ROLE;
REVOKE USAGE ON SEQUENCE shard_id_reservation FROM regress_shard_user;
DROP ROLE regress_shard_user;

-- with a field wider than a page, all numbers are of one tick; five minutes ahead, so that
-- it is not over (the last two tests take ids of the future)
SET objectid_ext.max_clock_lead = '1h';
SELECT max(next_shard_id(10, 0, 'time:40,node:8,seq:12;tick=1s;epoch=2026-01-01T00:00:00Z')) >> 20 AS tick FROM generate_series(1, 300) \gset
SELECT count(DISTINCT id) AS ids, count(*) FILTER (WHERE id >> 20 <> :tick) AS of_other_ticks
FROM generate_series(1, 4095) i, LATERAL next_shard_id(10, i, 'time:40,node:8,seq:12;tick=1s;epoch=2026-01-01T00:00:00Z') id;

-- a layout that ends before the lead that is allowed
\set VERBOSITY sqlstate
SELECT count(next_shard_id(1, 1, format('time:10,node:4,seq:8;tick=1s;epoch=%s',
	to_char(now() AT TIME ZONE 'UTC' - interval '1000 s', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))::snowflake_layout))
FROM generate_series(1, 100);
\set VERBOSITY default
RESET objectid_ext.max_clock_lead;

DROP TABLE burst_id;
DROP SEQUENCE burst, other;
SET client_min_messages = warning;
DROP SCHEMA insta5, insta6 CASCADE;
