--
-- Time ranges from a sub-select, which must run only once
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';

CREATE TABLE sub_event (n int, id objectid PRIMARY KEY, flake bigint UNIQUE, uid uuid UNIQUE);
INSERT INTO sub_event
SELECT i, objectid_floor(t), snowflake_floor(t, 'twitter'), uuidv7_floor(t)
FROM generate_series(1, 2000) AS i, LATERAL (SELECT timestamptz '2026-01-01 00:00:00+00' + i * interval '1 minute') AS x (t);
VACUUM ANALYZE sub_event;

-- Each call returns the minute of another id, so two calls for the two bounds of
-- one range would give many ids, or none.
CREATE SEQUENCE sub_call;
CREATE FUNCTION another_minute() RETURNS tstzrange
LANGUAGE plpgsql STABLE AS $$
DECLARE
    t timestamptz := timestamptz '2026-01-01 00:00:00+00' + (nextval('sub_call') * 7 % 2000 + 1) * interval '1 minute';
BEGIN
    RETURN tstzrange(t, t, '[]');
END;
$$;

-- How many of 100 executions returned the one expected row, and how often the
-- sub-select ran
CREATE FUNCTION pg_temp.tries(condition text, OUT one_row bigint, OUT runs bigint)
LANGUAGE plpgsql AS $$
DECLARE
    rows bigint;
    before bigint := nextval('sub_call');
BEGIN
    one_row := 0;
    FOR i IN 1 .. 100 LOOP
        EXECUTE format('SELECT count(*) FROM sub_event WHERE %s', $1) INTO rows;
        one_row := one_row + (rows = 1)::int;
    END LOOP;
    runs := nextval('sub_call') - before - 1;
END;
$$;
CREATE TEMP TABLE condition (n serial, condition text);
INSERT INTO condition (condition) VALUES
    ('id <@ (SELECT another_minute())'),
    ('(SELECT another_minute()) @> id'),
    ('id <@ (SELECT p FROM another_minute() AS p OFFSET 0)'),
    ('objectid_within(id, (SELECT another_minute()))'),
    ('snowflake_within(flake, (SELECT another_minute()), ''twitter'')'),
    ('uuidv7_within(uid, (SELECT another_minute()))'),
    ('objectid_timestamp(id) <@ (SELECT another_minute())');
SELECT condition, t.* FROM condition, pg_temp.tries(condition) AS t ORDER BY n;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET enable_indexonlyscan = off;
SELECT condition, t.* FROM condition, pg_temp.tries(condition) AS t ORDER BY n;
RESET enable_indexscan;
RESET enable_bitmapscan;
RESET enable_indexonlyscan;

-- Index conditions; sub-selects have other names in later servers
CREATE FUNCTION pg_temp.index_cond(condition text, relation regclass DEFAULT 'sub_event') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT * FROM %s WHERE %s', relation, condition) LOOP
        IF line ~ 'Index Cond' THEN
            RETURN regexp_replace(substr(line, strpos(line, 'Index')), '\(InitPlan \w+\)\.col1|\$\d', '?', 'g');
        END IF;
    END LOOP;
    RETURN NULL;
END;
$$;
SELECT condition, pg_temp.index_cond(condition) FROM condition ORDER BY n;

-- An id from a sub-select
SELECT (SELECT id FROM sub_event WHERE n = 10) <@ tstzrange('2026-01-01 00:10:00+00', '2026-01-01 00:10:00+00', '[]') AS within;
SELECT count(*) FROM sub_event AS e
WHERE (SELECT f.id FROM sub_event AS f WHERE f.n = e.n) <@ tstzrange('2026-01-01 00:10:00+00', '2026-01-01 00:20:00+00');

-- A correlated sub-select runs for every row
SELECT count(*) FROM sub_event AS e
WHERE e.id <@ (SELECT tstzrange(objectid_timestamp(e.id), objectid_timestamp(e.id), '[]'));
-- and one that is correlated with another table, for every pair
SELECT nextval('sub_call') AS before \gset
SELECT count(*) >= 0 AS ok FROM generate_series(1, 2) AS a (n), sub_event AS e WHERE e.id <@ (SELECT another_minute() WHERE a.n > 0);
SELECT nextval('sub_call') - :before - 1 AS runs;

-- One sub-select for a single bound, and sub-selects inside the range
SELECT count(*) FROM sub_event WHERE id >= (SELECT timestamptz '2026-01-02 00:00:00+00');
SELECT count(*) FROM sub_event
WHERE id <@ tstzrange((SELECT timestamptz '2026-01-02 00:00:00+00'), (SELECT timestamptz '2026-01-02 01:00:00+00'));
SELECT pg_temp.index_cond('id <@ tstzrange((SELECT timestamptz ''2026-01-02 00:00:00+00''), (SELECT timestamptz ''2026-01-02 01:00:00+00''))');

-- Other indexes on the id
CREATE TABLE sub_brin AS SELECT * FROM sub_event ORDER BY id;
CREATE INDEX sub_brin_id ON sub_brin USING brin (id) WITH (pages_per_range = 1);
CREATE TABLE sub_gist AS SELECT * FROM sub_event;
CREATE INDEX sub_gist_id ON sub_gist USING gist (id);
SET enable_seqscan = off;
SELECT pg_temp.index_cond('id <@ (SELECT another_minute())', 'sub_brin');
SELECT count(*) FROM sub_brin WHERE id <@ (SELECT another_minute());
SELECT pg_temp.index_cond('id <@ (SELECT another_minute())', 'sub_gist');
SELECT count(*) FROM sub_gist WHERE id <@ (SELECT another_minute());
RESET enable_seqscan;

DROP FUNCTION pg_temp.index_cond, another_minute();
DROP TABLE sub_event, sub_brin, sub_gist;
DROP SEQUENCE sub_call;
