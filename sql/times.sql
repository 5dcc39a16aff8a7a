--
-- The time in an id, and the bounds of ids for a time
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';

-- Known ids and their times.  Seconds are unsigned.  The first four ids are corner
-- cases, the others come from MongoDB's documentation and its users.
CREATE TEMP TABLE times_fact (id objectid, time timestamptz);
INSERT INTO times_fact VALUES
    ('000000000000000000000000', '1970-01-01T00:00:00Z'),
    ('7fffffff0000000000000000', '2038-01-19T03:14:07Z'),
    ('800000000000000000000000', '2038-01-19T03:14:08Z'),
    ('ffffffff0000000000000000', '2106-02-07T06:28:15Z'),
    ('507f1f770000000000000000', '2012-10-17T21:13:27Z'),
    ('507523ea0000000000000000', '2012-10-10T07:29:46Z'),
    ('47cc67090000000000000000', '2008-03-03T21:00:57Z');
SELECT id, objectid_timestamp(id), objectid_timestamp(id) = time AS same,
       id::timestamptz = time AS same_by_cast,
       (objectid_parts(id)).created = time AS same_in_parts,
       objectid_floor(time) = id AS floor,
       objectid_ceiling(time) = (left(id::text, 8) || repeat('f', 16))::objectid AS ceiling
  FROM times_fact ORDER BY id;

-- The other eight bytes have no effect.
SELECT count(*) FILTER (WHERE objectid_timestamp((left(id::text, 8) || suffix)::objectid) <> time) AS wrong
  FROM times_fact, unnest(ARRAY['0000000000000001', '7fffffffffffffff', '8000000000000000', 'ffffffffffffffff']) AS suffix;

-- The instant does not depend on TimeZone.
SET timezone = 'America/St_Johns';
SELECT count(*) FILTER (WHERE objectid_timestamp(id) <> time OR objectid_floor(time) <> id) AS wrong FROM times_fact;
SELECT objectid_timestamp('507f1f770000000000000000') AS newfoundland;
SET timezone = 'UTC';

--
-- objectid_floor and objectid_ceiling
--

-- Exact seconds, a fraction after and before
SELECT no, t, objectid_floor(t), objectid_ceiling(t)
  FROM (VALUES
    ( 1, timestamptz '2012-10-17 21:13:27+00'),
    ( 2, '2012-10-17 21:13:27.000001+00'),
    ( 3, '2012-10-17 21:13:27.5+00'),
    ( 4, '2012-10-17 21:13:27.999999+00'),
    ( 5, '2012-10-17 21:13:28+00'),
    -- the first and second instant, and before 1970
    ( 6, '1970-01-01 00:00:00+00'),
    ( 7, '1970-01-01 00:00:00.000001+00'),
    ( 8, '1970-01-01 00:00:00.999999+00'),
    ( 9, '1970-01-01 00:00:01+00'),
    (10, '1969-12-31 23:59:59.999999+00'),
    (11, '1969-12-31 23:59:59+00'),
    (12, '1900-01-01 00:00:00+00'),
    (13, '4713-01-01 00:00:00+00 BC'),
    (14, '-infinity'),
    -- where a signed number of seconds would overflow
    (15, '2038-01-19 03:14:07+00'),
    (16, '2038-01-19 03:14:07.000001+00'),
    (17, '2038-01-19 03:14:08+00'),
    -- the last second, and after 2106
    (18, '2106-02-07 06:28:14.000001+00'),
    (19, '2106-02-07 06:28:15+00'),
    (20, '2106-02-07 06:28:15.000001+00'),
    (21, '2106-02-07 06:28:16+00'),
    (22, '2107-01-01 00:00:00+00'),
    (23, '294276-12-31 23:59:59.999999+00'),
    (24, 'infinity'),
    -- the server's own epoch
    (25, '2000-01-01 00:00:00+00'),
    (26, '1999-12-31 23:59:59.999999+00')) AS v (no, t)
 ORDER BY no;

-- Time zones with a fraction of an hour
SELECT objectid_floor('2026-01-01 00:00:00+05:45') AS floor, objectid_ceiling('2026-01-01 00:00:00-03:30') AS ceiling;

-- The defining property: id >= objectid_floor(t) if and only if the time of the id
-- is at or after t, and id <= objectid_ceiling(t) if and only if it is at or
-- before.  For 2,000 random ids and the ends of their seconds, with instants near
-- each of the ids and far away.
CREATE TEMP TABLE times_id AS
SELECT n, left(md5(n::text), 24)::objectid AS id FROM generate_series(1, 2000) AS n;
INSERT INTO times_id
SELECT 10000 + n, (left(id::text, 8) || suffix)::objectid
  FROM times_id, unnest(ARRAY['0000000000000000', 'ffffffffffffffff']) AS suffix WHERE n <= 200;
INSERT INTO times_id
SELECT 20000 + row_number() OVER (), (seconds || suffix)::objectid
  FROM unnest(ARRAY['00000000', '00000001', '7fffffff', '80000000', 'fffffffe', 'ffffffff']) AS seconds,
       unnest(ARRAY['0000000000000000', '0000000000000001', '7fffffffffffffff', '8000000000000000', 'fffffffffffffffe', 'ffffffffffffffff']) AS suffix;
CREATE TEMP VIEW times_pair AS
SELECT id, objectid_timestamp(id) + step AS t
  FROM times_id, unnest(ARRAY['-1 second', '-0.999999 seconds', '-0.5 seconds', '-0.000001 seconds', '0 seconds',
                              '0.000001 seconds', '0.5 seconds', '0.999999 seconds', '1 second', '1.000001 seconds']::interval[]) AS step
UNION ALL
SELECT id, t
  FROM times_id, unnest(ARRAY['-infinity', '4713-01-01 00:00:00+00 BC', '1969-12-31 23:59:59.5+00', '1970-01-01 00:00:00+00', '1970-01-01 00:00:00.5+00',
                              '2012-10-17 21:13:27.5+00', '2038-01-19 03:14:08+00', '2106-02-07 06:28:14.5+00', '2106-02-07 06:28:15+00',
                              '2106-02-07 06:28:15.5+00', '294276-12-31 23:59:59.999999+00', 'infinity']::timestamptz[]) AS t;
-- One exception for each: the highest id counts as after any time, the lowest as
-- before any, because bounds are limited to them.
SELECT count(*) > 50000 AS pairs,
       count(*) FILTER (WHERE (id >= objectid_floor(t)) <> (objectid_timestamp(id) >= t)
                          AND NOT (id = 'ffffffffffffffffffffffff' AND t > '2106-02-07 06:28:15+00')) AS floor,
       count(*) FILTER (WHERE (id < objectid_floor(t)) <> (objectid_timestamp(id) < t)
                          AND NOT (id = 'ffffffffffffffffffffffff' AND t > '2106-02-07 06:28:15+00')) AS before_floor,
       count(*) FILTER (WHERE (id <= objectid_ceiling(t)) <> (objectid_timestamp(id) <= t)
                          AND NOT (id = '000000000000000000000000' AND t < '1970-01-01 00:00:00+00')) AS ceiling,
       count(*) FILTER (WHERE (id > objectid_ceiling(t)) <> (objectid_timestamp(id) > t)
                          AND NOT (id = '000000000000000000000000' AND t < '1970-01-01 00:00:00+00')) AS after_ceiling
  FROM times_pair;

-- Inside the range, the time of a bound is the given time for an exact second; for
-- a fraction, the ceiling is the id before the floor.
SELECT count(*) FILTER (WHERE objectid_timestamp(objectid_floor(t)) <> t OR objectid_timestamp(objectid_ceiling(t)) <> t) AS seconds,
       count(*) FILTER (WHERE objectid_timestamp(objectid_floor(t + interval '0.000001 seconds')) <> t + interval '1 second'
                           OR objectid_timestamp(objectid_ceiling(t + interval '0.999999 seconds')) <> t) AS fractions
  FROM (SELECT objectid_timestamp(id) AS t FROM times_id WHERE id < 'ffffffff0000000000000000') AS s;

-- Bounds ascend with the time.
SELECT count(*) FILTER (WHERE objectid_floor(t) < objectid_floor(before)) AS floor,
       count(*) FILTER (WHERE objectid_ceiling(t) < objectid_ceiling(before)) AS ceiling
  FROM (SELECT t, lag(t) OVER (ORDER BY t) AS before FROM times_pair WHERE id > '000000000000000000000001') AS s;

--
-- objectid_parts, objectid_extjson
--
SELECT id, p.* FROM (VALUES ('507f1f77bcf86cd799439011'::objectid), ('000000000000000000000000'),
                            ('ffffffffffffffffffffffff'), ('7fffffff8000008000800001'),
                            ('800000007fffff7fff7fffff')) AS v (id), objectid_parts(id) AS p;
SELECT (objectid_parts('507f1f77bcf86cd799439011')).counter;
SELECT objectid_parts('507f1f77bcf86cd799439011');
-- put together again
SELECT count(*) FILTER (WHERE (lpad(to_hex(extract(epoch FROM p.created)::bigint), 8, '0') || encode(p.random, 'hex')
                               || lpad(to_hex(p.counter), 6, '0'))::objectid <> id) AS whole,
       count(*) FILTER (WHERE decode(lpad(to_hex(p.machine), 6, '0') || lpad(to_hex(p.process), 4, '0'), 'hex') <> p.random) AS classic
  FROM times_id, objectid_parts(id) AS p;
SELECT objectid_extjson('507F1F77BCF86CD799439011'), pg_typeof(objectid_extjson('507F1F77BCF86CD799439011')),
       objectid_extjson('507F1F77BCF86CD799439011')::text::objectid AS and_back;
SELECT count(*) FILTER (WHERE objectid_extjson(id) <> jsonb_build_object('$oid', id::text)) AS wrong FROM times_id;

DROP VIEW times_pair;
