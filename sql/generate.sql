--
-- gen_objectid: time, identity and counter of the ids of a backend
--
\a \t on

-- Loading the library rejects unknown settings and invalid values.
SET objectid_ext.objectid_identity = 'mac';
SET objectid_ext.nonsense = 1;
SELECT gen_objectid() IS NOT NULL AS generated;
SHOW objectid_ext.objectid_identity;
SET objectid_ext.objectid_identity = 'mac';
SET objectid_ext.objectid_identity = '';
SET objectid_ext.nonsense = 1;
SHOW objectid_ext.nonsense;
SELECT name, setting, vartype, context, boot_val, enumvals FROM pg_settings WHERE name LIKE 'objectid\_ext.%identity';

-- 200,000 ids in one backend: all distinct, each greater than the one before,
-- with one identity, and with a counter that increases by one or restarts at 0
CREATE TABLE generate_ids (n int PRIMARY KEY, id objectid);
INSERT INTO generate_ids SELECT n, gen_objectid() FROM generate_series(1, 200000) AS n;
CREATE TEMP VIEW generate_step AS
SELECT id, before, p.random = b.random AS same_identity, (p.counter - b.counter + 16777216) % 16777216 AS step
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM generate_ids) AS s,
       objectid_parts(id) AS p, objectid_parts(before) AS b
 WHERE before IS NOT NULL;
SELECT count(*) AS ids, count(*) = count(DISTINCT id) AS distinct FROM generate_ids;
SELECT count(*) AS pairs, count(*) FILTER (WHERE id <= before) AS not_ascending,
       count(*) FILTER (WHERE NOT same_identity) AS other_identity, count(*) FILTER (WHERE step <> 1) AS other_step
  FROM generate_step;

-- Their time is the current second; a wrapped counter can put it one ahead.
SELECT count(*) AS ids, count(*) FILTER (WHERE abs(extract(epoch FROM clock_timestamp() - objectid_timestamp(id))) > 5) AS elsewhere
  FROM (SELECT gen_objectid() AS id FROM generate_series(1, 1000)) AS s;

-- A default gives every row a new id.
CREATE TABLE generate_default (id objectid PRIMARY KEY DEFAULT gen_objectid(), n int);
INSERT INTO generate_default (n) SELECT n FROM generate_series(1, 1000) AS n;
INSERT INTO generate_default (n) VALUES (1001), (1002);
INSERT INTO generate_default DEFAULT VALUES;
ALTER TABLE generate_default ADD COLUMN other objectid DEFAULT gen_objectid();
SELECT count(*) AS rows, count(DISTINCT id) AS ids, count(DISTINCT other) AS others, count(*) FILTER (WHERE other <= id) AS not_later
  FROM generate_default;
-- in a query that calls it twice per row, and in a correlated subquery
SELECT count(*) FILTER (WHERE a = b) AS equal FROM (SELECT gen_objectid() AS a, gen_objectid() AS b FROM generate_series(1, 1000)) AS s;
SELECT count(DISTINCT id) FROM generate_series(1, 1000) AS n, LATERAL (SELECT gen_objectid() AS id WHERE n > 0) AS s;

-- Ids of a given time have its second, and are distinct, also from ids of now.
SELECT t, objectid_timestamp(gen_objectid(t)) = date_trunc('second', t) AS same
  FROM unnest('{1970-01-01 00:00:00+00,1970-01-01 00:00:00.999999+00,2012-10-17 20:46:22.5+00,2106-02-07 06:28:15.999999+00}'::timestamptz[]) AS t;
SELECT gen_objectid(timestamptz '1969-12-31 23:59:59.999999+00');
SELECT gen_objectid(timestamptz '2106-02-07 06:28:16+00');
SELECT gen_objectid(timestamptz '-infinity');
SELECT gen_objectid(timestamptz 'infinity');
SELECT gen_objectid(NULL::timestamptz) IS NULL AS null;
SELECT count(DISTINCT id) AS distinct, count(DISTINCT p.random) AS identities, count(*) FILTER (WHERE id <= before) AS not_ascending
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before
          FROM (SELECT n, gen_objectid(timestamptz '2012-10-17 20:46:22+00') AS id FROM generate_series(1, 10000) AS n) AS g) AS s,
       objectid_parts(id) AS p;
SELECT count(DISTINCT id) AS distinct FROM (SELECT gen_objectid(clock_timestamp()) FROM generate_series(1, 1000)
                                             UNION ALL SELECT gen_objectid() FROM generate_series(1, 1000)) AS s (id);
-- When the counter wraps, another identity is drawn.
SELECT gen_objectid(timestamptz '2012-10-17 20:46:22+00') AS last_id \gset
SELECT count(gen_objectid(timestamptz '2012-10-17 20:46:22+00')) AS calls FROM generate_series(1, 4096) AS a, generate_series(1, 4096) AS b;
SELECT p.random <> l.random AS other_identity, p.counter = l.counter + 1 AS next_counter
  FROM objectid_parts(gen_objectid(timestamptz '2012-10-17 20:46:22+00')) AS p, objectid_parts(:'last_id') AS l;
-- The layout is random, whatever the setting says.
SET objectid_ext.objectid_identity = host;
SELECT a.machine <> b.machine AS random FROM objectid_parts(gen_objectid(now())) AS a, objectid_parts(gen_objectid()) AS b;
RESET objectid_ext.objectid_identity;

-- The counter wraps: advance to just before its end, then check the ids around
-- it.
SELECT (objectid_parts(gen_objectid())).counter AS counter \gset
SELECT (2 * 16777216 - :counter - 1001) % 16777216 AS skip, id AS last_id FROM (SELECT gen_objectid() AS id) AS s \gset
SELECT count(gen_objectid()) = :skip AS skipped
  FROM (SELECT FROM generate_series(0, :skip / 4096) AS a, generate_series(1, 4096) AS b LIMIT :skip) AS s;
TRUNCATE generate_ids;
INSERT INTO generate_ids SELECT n, gen_objectid() FROM generate_series(1, 2000) AS n;
SELECT min(id) > :'last_id' AS after, count(*) = count(DISTINCT id) AS distinct,
       min((objectid_parts(id)).counter) AS lowest, max((objectid_parts(id)).counter) AS highest
  FROM generate_ids;
SELECT count(*) AS pairs, count(*) FILTER (WHERE id <= before) AS not_ascending,
       count(*) FILTER (WHERE NOT same_identity) AS other_identity, count(*) FILTER (WHERE step <> 1) AS other_step,
       count(*) FILTER (WHERE (objectid_parts(id)).counter = 0) AS wraps
  FROM generate_step;
-- After 2^24 calls, the counter has the same value and the id is greater.
SELECT gen_objectid() AS last_id \gset
SELECT count(gen_objectid()) AS calls FROM generate_series(1, 4096) AS a, generate_series(1, 4096) AS b;
SELECT id > :'last_id' AS after, (p.counter - l.counter + 16777216) % 16777216 AS step,
       objectid_timestamp(id) > objectid_timestamp(:'last_id') AS later
  FROM (SELECT gen_objectid() AS id) AS s, objectid_parts(id) AS p, objectid_parts(:'last_id') AS l;

-- Another backend has another identity, and another start of the counter.
SELECT (objectid_parts(gen_objectid())).random AS random, pg_backend_pid() AS pid \gset
\c -
SELECT p.random AS random2, p.counter FROM objectid_parts(gen_objectid()) AS p \gset
SELECT :'random2' <> :'random' AS other_identity, :counter NOT IN (0, 1) AS random_start, pg_backend_pid() <> :pid AS other_backend;
SELECT (objectid_parts(gen_objectid())).random = :'random2' AS same_identity;
\c -
SELECT p.random NOT IN (:'random', :'random2') AS other_identity, p.counter NOT IN (0, 1, :counter) AS random_start
  FROM objectid_parts(gen_objectid()) AS p;

-- The classic layout: the process id is in the last two of the five bytes; its
-- bits above 16 are in the last of the three machine bytes.
SET objectid_ext.objectid_identity = host;
SELECT process = pg_backend_pid() & 65535 AS process, machine # (pg_backend_pid() >> 16) AS machine
  FROM objectid_parts(gen_objectid()) \gset
SELECT :'process' AS process;
TRUNCATE generate_ids;
INSERT INTO generate_ids SELECT n, gen_objectid() FROM generate_series(1, 1000) AS n;
-- Ids ascend even if the setting changes.
SET objectid_ext.objectid_identity = random;
INSERT INTO generate_ids SELECT n, gen_objectid() FROM generate_series(1001, 2000) AS n;
SELECT count(DISTINCT p.machine) = 1 AND bool_and(p.machine # (pg_backend_pid() >> 16) <> :machine OR p.process <> pg_backend_pid() & 65535) AS random
  FROM generate_ids, objectid_parts(id) AS p WHERE n > 1000;
SET objectid_ext.objectid_identity = host;
INSERT INTO generate_ids SELECT n, gen_objectid() FROM generate_series(2001, 3000) AS n;
SELECT count(*) AS ids, count(*) = count(DISTINCT id) AS distinct, count(DISTINCT (objectid_parts(id)).random) AS identities,
       count(*) FILTER (WHERE id <= before) AS not_ascending
  FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM generate_ids) AS s;
-- Each change starts another second, and waits for it, so a session cannot get
-- further and further ahead of the clock.
SET objectid_ext.objectid_identity = random;
SELECT gen_objectid() \gset
SET objectid_ext.objectid_identity = host;
SELECT gen_objectid() \gset
SET objectid_ext.objectid_identity = random;
SELECT objectid_timestamp(gen_objectid()) < clock_timestamp() + interval '3 s' AS held;
-- Another process on the same host has the same machine bytes.
\c -
SET objectid_ext.objectid_identity = 'HOST';
SELECT process = pg_backend_pid() & 65535 AS process, machine # (pg_backend_pid() >> 16) = :machine AS machine
  FROM objectid_parts(gen_objectid());
RESET objectid_ext.objectid_identity;
SHOW objectid_ext.objectid_identity;

DROP TABLE generate_ids, generate_default;
