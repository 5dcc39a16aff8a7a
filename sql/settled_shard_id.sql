--
-- settled_shard_id(): what one session sees
--
\a \t on
\set SHOW_CONTEXT never
CREATE SEQUENCE shard_seq;
CREATE FUNCTION pg_temp.settled(layout snowflake_layout DEFAULT 'instagram') RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	upto bigint;
BEGIN
	CALL settled_shard_id(layout, upto);
	RETURN upto;
END $$;

-- ids of one tick and the lead of a burst are not settled at once
SELECT max(next_shard_id(i % 3, i)) AS high FROM generate_series(1, 3000) i \gset
SELECT pg_sleep(1.1);
SELECT pg_temp.settled() >= :high AS all_settled;
SELECT pg_temp.settled() & ((1 << 23) - 1) = (1 << 23) - 1 AS end_of_tick;

-- an open transaction: below the tick of its first id, in all layouts and shards
BEGIN;
SAVEPOINT a;
SELECT next_shard_id(5, 1) AS first, next_shard_id(5, 1, 'twitter') AS twitter \gset
ROLLBACK TO a;
SELECT pg_sleep(0.01);
SELECT next_shard_id(6, 1) AS second \gset
SELECT :first < :second AS ascends,
	pg_temp.settled() < :first AS below_first,
	pg_temp.settled() > :first - (1000::bigint << 23) AS not_far_below,
	pg_temp.settled('twitter') < :twitter AS below_twitter;
COMMIT;
SELECT pg_sleep(0.01);
SELECT pg_temp.settled() >= :second AS all_settled;

-- it does not go back
SELECT pg_temp.settled() AS before \gset
SELECT count(*) FILTER (WHERE pg_temp.settled() < :before) FROM generate_series(1, 1000);
-- and all later ids are above
SELECT next_shard_id(7, 2) > :before AS above;

-- layouts that have not begun, are over, or in their last tick
SELECT pg_temp.settled('time:41,node:13,seq:10;tick=1ms;epoch=2090-01-01T00:00:00Z');
SELECT pg_temp.settled('time:20,node:13,seq:10;tick=1ms;epoch=2020-01-01T00:00:00Z'), (1::bigint << 43) - 1 AS highest;
SELECT pg_temp.settled(format('time:1,node:13,seq:10;tick=3600s;epoch=%s',
	to_char(now() AT TIME ZONE 'UTC' - interval '90 min', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))::snowflake_layout);

-- privileges: as for next_shard_id(); read-only transactions; isolation levels
CREATE ROLE regress_feed_reader;
SET ROLE regress_feed_reader;
BEGIN READ ONLY;
SELECT pg_temp.settled() >= :before AS read_only;
COMMIT;
RESET ROLE;
DROP ROLE regress_feed_reader;
BEGIN ISOLATION LEVEL REPEATABLE READ;
CALL settled_shard_id('instagram', NULL);
COMMIT;
CREATE TABLE event (id bigint PRIMARY KEY DEFAULT next_shard_id(5, nextval('shard_seq')));
SELECT * FROM event WHERE id <= settled_shard_id('instagram', NULL);
CALL settled_shard_id(NULL, NULL);
DROP TABLE event;
DROP SEQUENCE shard_seq;
