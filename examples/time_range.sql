-- Ids of a year, one every five minutes.  The only index is the primary key.
CREATE TABLE events (id objectid PRIMARY KEY);
INSERT INTO events
SELECT objectid_floor(now() - i * interval '5 minutes') FROM generate_series(0, 99999) AS i;
VACUUM ANALYZE events;

-- The last day: the id contains the time, so this is a range scan of the index.
SELECT count(*), objectid_timestamp(min(id)) AS first, objectid_timestamp(max(id)) AS last
FROM events WHERE id >= now() - interval '1 day';

EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT * FROM events WHERE id >= now() - interval '1 day';
