--
-- Window frames by time: RANGE BETWEEN an interval PRECEDING AND ...
--

SET timezone = 'UTC';
SET datestyle = 'ISO';

-- 300 ids a few hours apart, some in the same second, around the end of a month
-- without a change of daylight saving time, and nulls
CREATE TEMP TABLE window_ids AS
SELECT n, (left(objectid_floor(timestamptz '2026-01-20 00:00:00+00' + n / 3 * interval '2 hours 11 minutes')::text, 8)
           || left(md5(n::text), 16))::objectid AS id
  FROM generate_series(1, 300) AS n;
INSERT INTO window_ids VALUES (301, NULL), (302, NULL);

-- Each frame, compared with an explicit count of its rows
SELECT count(*) AS rows,
       count(*) FILTER (WHERE by_day <> (SELECT count(*) FROM window_ids AS w
           WHERE objectid_timestamp(w.id) BETWEEN objectid_timestamp(s.id) - interval '1 day' AND objectid_timestamp(s.id))) AS preceding,
       count(*) FILTER (WHERE around <> (SELECT count(*) FROM window_ids AS w
           WHERE objectid_timestamp(w.id) BETWEEN objectid_timestamp(s.id) - interval '6 hours' AND objectid_timestamp(s.id) + interval '1 day')) AS around,
       count(*) FILTER (WHERE after <> (SELECT count(*) FROM window_ids AS w
           WHERE objectid_timestamp(w.id) BETWEEN objectid_timestamp(s.id) + interval '1 hour' AND objectid_timestamp(s.id) + interval '5 hours')) AS following,
       count(*) FILTER (WHERE gone <> (SELECT count(*) FROM window_ids AS w
           WHERE objectid_timestamp(w.id) BETWEEN objectid_timestamp(s.id) - interval '3 days' AND objectid_timestamp(s.id) - interval '2 days')) AS gone,
       count(*) FILTER (WHERE since <> (SELECT count(*) FROM window_ids AS w
           WHERE objectid_timestamp(w.id) <= objectid_timestamp(s.id) + interval '1 week')) AS unbounded
  FROM (SELECT id,
               count(*) OVER (ORDER BY id RANGE BETWEEN '1 day' PRECEDING AND '0' FOLLOWING) AS by_day,
               count(*) OVER (ORDER BY id RANGE BETWEEN '6 hours' PRECEDING AND '1 day' FOLLOWING) AS around,
               count(*) OVER (ORDER BY id RANGE BETWEEN '1 hour' FOLLOWING AND '5 hours' FOLLOWING) AS after,
               count(*) OVER (ORDER BY id RANGE BETWEEN '3 days' PRECEDING AND '2 days' PRECEDING) AS gone,
               count(*) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND '1 week' FOLLOWING) AS since
          FROM window_ids WHERE id IS NOT NULL) AS s;

-- With DESC, an interval PRECEDING is later.
SELECT count(*) FILTER (WHERE later <> (SELECT count(*) FROM window_ids AS w
           WHERE objectid_timestamp(w.id) BETWEEN objectid_timestamp(s.id) AND objectid_timestamp(s.id) + interval '1 day')) AS descending
  FROM (SELECT id, count(*) OVER (ORDER BY id DESC RANGE BETWEEN '1 day' PRECEDING AND '0' FOLLOWING) AS later
          FROM window_ids WHERE id IS NOT NULL) AS s;

-- A frame to CURRENT ROW ends with its peers, which are equal ids; a greater id of
-- the same second is not in the frame.
SELECT n, id, count(*) OVER (ORDER BY id RANGE BETWEEN '1 second' PRECEDING AND CURRENT ROW) AS to_current,
       count(*) OVER (ORDER BY id RANGE BETWEEN CURRENT ROW AND '1 second' FOLLOWING) AS from_current,
       count(*) OVER (ORDER BY id RANGE BETWEEN '0' PRECEDING AND '0' FOLLOWING) AS same_second
  FROM (VALUES (1, '507f1f770000000000000001'::objectid), (2, '507f1f770000000000000002'), (3, '507f1f770000000000000002'),
               (4, '507f1f78ffffffffffffffff'), (5, '507f1f790000000000000000')) AS v (n, id) ORDER BY n;

-- Nulls have a separate frame.
SELECT n, count(*) OVER (ORDER BY id RANGE BETWEEN '1 day' PRECEDING AND '1 day' FOLLOWING) AS frame
  FROM window_ids WHERE id IS NULL ORDER BY n;

-- The ends of the type: unsigned seconds, and frames that extend beyond
SELECT id, count(*) OVER (ORDER BY id RANGE BETWEEN '1 second' PRECEDING AND '1 second' FOLLOWING) AS second,
       count(*) OVER (ORDER BY id RANGE BETWEEN '1000 years' PRECEDING AND '1000 years' FOLLOWING) AS millennia,
       count(*) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS everything
  FROM (VALUES ('000000000000000000000000'::objectid), ('00000001ffffffffffffffff'), ('7fffffffffffffffffffffff'),
               ('800000000000000000000000'), ('fffffffe0000000000000000'), ('ffffffffffffffffffffffff')) AS v (id) ORDER BY id;

-- Intervals of months and days follow the calendar.
SELECT objectid_timestamp(id), array_agg(extract(day FROM objectid_timestamp(id))) OVER (ORDER BY id RANGE BETWEEN '1 month' PRECEDING AND '0' FOLLOWING) AS days
  FROM (VALUES (objectid_floor('2026-01-28 00:00:00+00')), (objectid_floor('2026-02-27 00:00:00+00')),
               (objectid_floor('2026-02-28 00:00:00+00')), (objectid_floor('2026-03-28 00:00:00+00')),
               (objectid_floor('2026-03-30 00:00:00+00'))) AS v (id) ORDER BY id;

-- The function: val, base, offset, sub (minus?), less (at most?)
SELECT objectid_in_range('507f1f77ffffffffffffffff', '507f1f780000000000000000', '1 second', true, true) AS before_less,
       objectid_in_range('507f1f77ffffffffffffffff', '507f1f780000000000000000', '1 second', true, false) AS before_more,
       objectid_in_range('507f1f76ffffffffffffffff', '507f1f780000000000000000', '1 second', true, true) AS earlier_less,
       objectid_in_range('507f1f76ffffffffffffffff', '507f1f780000000000000000', '1 second', true, false) AS earlier_more,
       objectid_in_range('507f1f79ffffffffffffffff', '507f1f780000000000000000', '1 second', false, true) AS after_less,
       objectid_in_range('507f1f7a0000000000000000', '507f1f780000000000000000', '1 second', false, true) AS later_less,
       objectid_in_range('507f1f7a0000000000000000', '507f1f780000000000000000', '1 second', false, false) AS later_more \gx

-- Negative intervals and other types are errors.
SELECT count(*) OVER (ORDER BY id RANGE BETWEEN '-1 day' PRECEDING AND CURRENT ROW) FROM window_ids;
SELECT count(*) OVER (ORDER BY id RANGE BETWEEN CURRENT ROW AND '-1 second' FOLLOWING) FROM window_ids;
SELECT count(*) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM window_ids;
SELECT objectid_in_range('507f1f77ffffffffffffffff', '507f1f780000000000000000', '-1 second', true, true);
