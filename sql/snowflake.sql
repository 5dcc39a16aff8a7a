--
-- 64-bit ids: packing, decoding, bounds
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';

-- known answers: published ids, and the ends of every layout
CREATE TABLE fact (layout snowflake_layout, time timestamptz, node int, seq int, id bigint);
INSERT INTO fact VALUES
    ('time:41,node:10,seq:12;tick=1ms;epoch=2015-01-01T00:00:00Z', '2018-06-09T10:00:00.000Z', 786, 0, 454947766275219456),
    ('time:41,node:10,seq:12;tick=1ms;epoch=2015-01-01T00:00:00Z', '2018-06-09T10:00:00.000Z', 786, 3450, 454947766275222906),
    ('instagram', '2011-08-24T21:07:01.721Z', 0, 0, 0),
    ('instagram', '2011-09-09T17:00:00.000Z', 1341, 905, 11472078093219721),
    ('instagram', '2011-09-16T22:32:27.272Z', 5, 1, 16712838055728129),
    ('instagram', '2026-11-20T12:00:00.123Z', 8191, 1023, 4034551168079233023),
    ('instagram', '2046-06-27T17:00:49.496Z', 8191, 1023, 9223372036854775807),
    ('twitter', '2010-11-04T01:42:54.657Z', 0, 0, 0),
    ('twitter', '2013-12-17T06:50:00.007Z', 378, 77, 412837060439154765),
    ('twitter', '2080-07-10T17:30:30.208Z', 1023, 4095, 9223372036854775807),
    ('discord', '2016-04-30T11:18:25.796Z', 33, 7, 175928847299121159),
    ('discord', '2084-09-06T15:47:35.551Z', 1023, 4095, 9223372036854775807),
    ('sonyflake', '2020-02-29T23:59:59.990Z', 65535, 255, 291069933649919999),
    ('sonyflake', '2188-11-16T03:28:58.870Z', 65535, 255, 9223372036854775807),
    ('mastodon', '2017-09-14T01:02:03.004Z', 0, 65535, 98654678090055679),
    ('pgedge', '2024-02-29T00:00:00.001Z', 1, 0, 153652455018598400),
    ('pgedge', '2092-09-06T15:47:35.551Z', 1023, 4095, 9223372036854775807),
    ('js53', '2095-09-07T15:47:35.551Z', 15, 255, 9007199254740991),
    ('js53', '2026-11-20T00:00:00.000Z', 0, 0, 114307891200000);
SELECT count(*) AS facts,
       count(*) FILTER (WHERE make_snowflake(time, node, seq, layout) = id) AS packed,
       count(*) FILTER (WHERE snowflake_timestamp(id, layout) = time) AS times,
       count(*) FILTER (WHERE snowflake_node(id, layout) = node) AS nodes,
       count(*) FILTER (WHERE snowflake_sequence(id, layout) = seq) AS sequences,
       count(*) FILTER (WHERE snowflake_parts(id, layout) = (time, node, seq)) AS parts
FROM fact;

-- a shift that overflows 32 bits in a naive formula
SELECT make_snowflake('2011-08-24T21:07:01.721Z'::timestamptz + 1992325551 * interval '1 ms', 0, 0, 'instagram');

-- the default layout is twitter's
SELECT * FROM snowflake_parts(412837060439154765, 'twitter');
SELECT snowflake_timestamp(412837060439154765, 'twitter'), snowflake_node(412837060439154765, 'twitter'), snowflake_sequence(412837060439154765, 'twitter');

-- random ids round trip in every layout, and ascend with time
SELECT setseed(0.5);
CREATE TABLE random_id AS
SELECT layout, epoch + (last_instant - epoch) * random() AS ts,
       floor(random() * (1::bigint << node_bits))::int AS node,
       floor(random() * (1::bigint << sequence_bits))::int AS seq
FROM snowflake_layouts(), generate_series(1, 2000);
SELECT layout, count(*) AS ids,
       bool_and((p).node = r.node AND (p).sequence = r.seq) AS fields,
       bool_and((p).created <= ts AND (p).created > ts - (SELECT tick FROM snowflake_layouts() l WHERE l.layout = r.layout)) AS times,
       bool_and(id > 0) AS positive
FROM (SELECT *, snowflake_parts(id, layout) AS p FROM random_id, LATERAL make_snowflake(ts, node, seq, layout) id) r
GROUP BY layout ORDER BY layout::text;
SELECT count(*) AS descents
FROM (SELECT id < lag(id) OVER w AND date_trunc('second', ts) > date_trunc('second', lag(ts) OVER w) AS descent
      FROM random_id, LATERAL make_snowflake(ts, node, seq, layout) id
      WINDOW w AS (PARTITION BY layout::text ORDER BY ts)) d
WHERE descent;

-- bounds: an id is at or above the floor of an instant if and only if its time is
SELECT count(*) AS wrong
FROM (SELECT id, t, layout FROM random_id, LATERAL make_snowflake(ts, node, seq, layout) id,
      LATERAL (VALUES (snowflake_timestamp(id, layout)),
                      (snowflake_timestamp(id, layout) - interval '1 us'),
                      (snowflake_timestamp(id, layout) + interval '1 us'),
                      (ts), (ts + interval '1 ms'), (ts - interval '10 ms')) i(t)) x
WHERE t BETWEEN '2026-01-01' AND '2046-01-01'
  AND ((id >= snowflake_floor(t, layout)) <> (snowflake_timestamp(id, layout) >= t)
    OR (id <= snowflake_ceiling(t, layout)) <> (snowflake_timestamp(id, layout) <= t));

-- bounds outside the layout are its ends
SELECT layout,
       snowflake_floor('-infinity', layout) AS floor_low, snowflake_floor(epoch, layout) AS floor_epoch,
       snowflake_ceiling('-infinity', layout) AS ceiling_low,
       snowflake_floor('infinity', layout) = snowflake_ceiling('infinity', layout) AS same_high,
       snowflake_ceiling('infinity', layout) AS high,
       snowflake_timestamp(snowflake_floor(last_instant, layout), layout) = last_instant AS last_tick,
       snowflake_floor(last_instant + interval '1 us', layout) = snowflake_ceiling('infinity', layout) AS past_last
FROM snowflake_layouts();
SELECT snowflake_floor('2010-11-04T01:42:54.657Z', 'twitter'), snowflake_floor('2010-11-04T01:42:54.656999Z', 'twitter'),
       snowflake_floor('2010-11-04T01:42:54.657001Z', 'twitter'),
       snowflake_ceiling('2010-11-04T01:42:54.657Z', 'twitter'), snowflake_ceiling('2010-11-04T01:42:54.656999Z', 'twitter'),
       snowflake_ceiling('2010-11-04T01:42:54.658Z', 'twitter'), snowflake_ceiling('2010-11-04T01:42:54.657999Z', 'twitter');
SELECT snowflake_floor('4713-01-01 BC', 'twitter'), snowflake_floor('294276-12-31', 'twitter'), snowflake_ceiling('294276-12-31', 'twitter');

-- values that do not fit their fields are errors that name the range
SELECT make_snowflake('2026-01-01Z', 1024, 0, 'twitter');
SELECT make_snowflake('2026-01-01Z', -1, 0, 'twitter');
SELECT make_snowflake('2026-01-01Z', 0, 4096, 'twitter');
SELECT make_snowflake('2026-01-01Z', 0, -1, 'twitter');
SELECT make_snowflake('2026-01-01Z', 1, 0, 'mastodon');
SELECT make_snowflake('2026-01-01Z', 16, 0, 'time:41,node:4,seq:8;tick=1ms;epoch=2025-01-01T00:00:00Z');
SELECT make_snowflake('2010-11-04T01:42:54.656999Z', 0, 0, 'twitter');
SELECT make_snowflake('2080-07-10T17:30:30.209Z', 0, 0, 'twitter');
SELECT make_snowflake('2080-07-10T17:30:30.208999Z', 0, 0, 'twitter') > 0 AS last_tick;
SELECT make_snowflake('infinity', 0, 0, 'twitter');
SELECT make_snowflake('-infinity', 0, 0, 'twitter');
SELECT snowflake_timestamp(-1, 'twitter');
SELECT snowflake_node(-1, 'twitter');
SELECT snowflake_sequence((-9223372036854775808)::bigint, 'twitter');
SELECT snowflake_parts(-1, 'twitter');
-- past the end of a layout narrower than 63 bits
SELECT snowflake_timestamp(9007199254740991, 'js53');
SELECT snowflake_timestamp(9007199254740992, 'js53');
DO $$ BEGIN PERFORM make_snowflake('2026-01-01Z', 1024, 0, 'twitter'); EXCEPTION WHEN numeric_value_out_of_range THEN RAISE NOTICE '%', sqlstate; END $$;
DO $$ BEGIN PERFORM make_snowflake('infinity', 0, 0, 'twitter'); EXCEPTION WHEN datetime_field_overflow THEN RAISE NOTICE '%', sqlstate; END $$;
DO $$ BEGIN PERFORM snowflake_parts(-1, 'twitter'); EXCEPTION WHEN numeric_value_out_of_range THEN RAISE NOTICE '%', sqlstate; END $$;

-- NULL gives NULL
SELECT make_snowflake(NULL, 0, 0, 'twitter') IS NULL AND make_snowflake(now(), NULL, 0, 'twitter') IS NULL
   AND make_snowflake(now(), 0, NULL, 'twitter') IS NULL AND make_snowflake(now(), 0, 0, NULL) IS NULL
   AND snowflake_timestamp(NULL, 'twitter') IS NULL AND snowflake_node(NULL, 'twitter') IS NULL AND snowflake_sequence(NULL, 'twitter') IS NULL
   AND snowflake_parts(NULL, 'twitter') IS NULL AND snowflake_floor(NULL, 'twitter') IS NULL AND snowflake_ceiling(NULL, 'twitter') IS NULL
   AND snowflake_timestamp(0, NULL) IS NULL AND next_shard_id(NULL, 1) IS NULL AND next_shard_id(1, NULL) IS NULL AS all_null;

-- the decoders are immutable: in expression indexes and generated columns
CREATE TABLE decoded (
    id bigint PRIMARY KEY,
    created timestamptz GENERATED ALWAYS AS (snowflake_timestamp(id, 'twitter')) STORED,
    node int GENERATED ALWAYS AS (snowflake_node(id, 'twitter')) STORED,
    seq int GENERATED ALWAYS AS (snowflake_sequence(id, 'twitter')) STORED,
    parts text GENERATED ALWAYS AS ((snowflake_parts(id, 'twitter')).node || '/' || (snowflake_parts(id, 'twitter')).sequence) STORED,
    low bigint GENERATED ALWAYS AS (snowflake_floor('2026-01-01Z'::timestamptz, 'twitter')) STORED,
    high bigint GENERATED ALWAYS AS (snowflake_ceiling('2026-01-01Z'::timestamptz, 'twitter')) STORED
);
CREATE INDEX decoded_created ON decoded (snowflake_timestamp(id, 'twitter'));
CREATE INDEX decoded_node ON decoded (snowflake_node(id, 'twitter'));
CREATE INDEX decoded_sequence ON decoded (snowflake_sequence(id, 'twitter'));
CREATE INDEX decoded_parts ON decoded (((snowflake_parts(id, 'twitter')).node));
CREATE INDEX decoded_range ON decoded ((id >= snowflake_floor('2026-01-01Z'::timestamptz, 'twitter')), (id <= snowflake_ceiling('2026-01-01Z'::timestamptz, 'twitter')));
INSERT INTO decoded SELECT make_snowflake('2026-01-01Z'::timestamptz + i * interval '1 min', i % 7, i, 'twitter') FROM generate_series(0, 999) i;
ANALYZE decoded;
SELECT * FROM decoded WHERE snowflake_node(id, 'twitter') = 3 AND seq = 3;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM decoded WHERE snowflake_node(id, 'twitter') = 3;
EXPLAIN (COSTS OFF) SELECT FROM decoded WHERE snowflake_timestamp(id, 'twitter') = '2026-01-01Z';
EXPLAIN (COSTS OFF) SELECT FROM decoded WHERE snowflake_sequence(id, 'twitter') = 77;
EXPLAIN (COSTS OFF) SELECT FROM decoded WHERE (snowflake_parts(id, 'twitter')).node = 3;
SELECT count(*) FROM decoded WHERE (snowflake_parts(id, 'twitter')).node = 3;
SELECT count(*) FROM decoded WHERE id BETWEEN snowflake_floor('2026-01-01 01:00Z', 'twitter') AND snowflake_ceiling('2026-01-01 01:59Z', 'twitter');
RESET enable_seqscan;

DROP TABLE fact, random_id, decoded;
