--
-- next_shard_id: a session's ids of one sequence ascend, however many sequences
-- share the shard; memory of a session that asks for many shards
--
\a \t on

-- far apart, so that the fifth has to share what is remembered; the first is
-- ahead of the clock, in ticks long enough for a slow machine
CREATE FUNCTION slow_id(seq bigint) RETURNS bigint
LANGUAGE sql AS $$ SELECT next_shard_id(51, seq, 'time:40,node:10,seq:10;tick=100ms;epoch=2026-01-01T00:00:00Z') $$;
CREATE SEQUENCE ascending INCREMENT 31 START 1000;
CREATE TABLE ascending_id (i serial, id bigint);
SELECT slow_id(1) > 0 AS ok;
INSERT INTO ascending_id (id) SELECT slow_id(nextval('ascending')) FROM generate_series(1, 300);
SELECT slow_id(1000000000000) > 0 AS ok, slow_id(2000000000000) > 0 AS ok;
SELECT slow_id(500) > 0 AS ok;
INSERT INTO ascending_id (id) SELECT slow_id(nextval('ascending')) FROM generate_series(1, 20);
SELECT count(*) AS descents FROM (SELECT id <= lag(id) OVER (ORDER BY i) AS descent FROM ascending_id) a WHERE descent;

-- any numbers: an id is above those of lower numbers
SELECT setseed(0.5);
CREATE TABLE any_id AS
SELECT i, seq, next_shard_id(52, seq) AS id
FROM (SELECT i, (random() * 3000)::bigint AS seq FROM generate_series(1, 4000) i OFFSET 0) s;
SELECT count(*) AS wrong FROM any_id a, any_id b WHERE a.i < b.i AND a.seq < b.seq AND a.id > b.id;

-- many shards
SELECT count(next_shard_id(i, 1, 'time:41,node:22;tick=1ms;epoch=2026-01-01T00:00:00Z')) FROM generate_series(1, 200000) i;
SELECT sum(total_bytes) < 16 * 1024 * 1024 AS bounded FROM pg_backend_memory_contexts WHERE name LIKE 'objectid_ext%';

DROP TABLE ascending_id, any_id;
DROP SEQUENCE ascending;
DROP FUNCTION slow_id(bigint);
