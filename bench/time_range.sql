-- A range of time by operator, by the range of ids that one would write by hand,
-- and by <@: milliseconds a query, planning included, on a table of 1,000,000
-- rows.  The contestants take turns query by query, in changing order, so that
-- a noisy machine hits all alike; printed are medians over rounds.  Run by
-- bench/time_range.

\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
SET timezone = 'UTC';

CREATE EXTENSION objectid_ext;

-- Two weeks, about one row a second
CREATE TABLE event (id objectid PRIMARY KEY, n int);
INSERT INTO event
SELECT (left(objectid_floor(timestamptz '2026-01-01 00:00:00+00' + i * interval '1.2 s')::text, 8) || left(md5(i::text), 16))::objectid, i
FROM generate_series(1, 1000000) AS i;
VACUUM (ANALYZE, FREEZE) event;

CREATE TABLE contestant (n int PRIMARY KEY, name text, condition text);
INSERT INTO contestant VALUES
    (0, 'by hand: id >= objectid_floor(t) AND id < objectid_floor(u)', 'id >= objectid_floor(%1$L) AND id < objectid_floor(%2$L)'),
    (1, 'operator: id >= t AND id < u', 'id >= %1$L::timestamptz AND id < %2$L::timestamptz'),
    (2, 'range: id <@ tstzrange(t, u)', 'id <@ tstzrange(%1$L, %2$L)'),
    (3, 'by hand, literals: id >= ''…'' AND id < ''…''', 'id >= %3$L AND id < %4$L');

CREATE TABLE measurement (width interval, round int, n int, ms float8);

-- Every query is another text, so it is parsed, planned and run each time.
CREATE PROCEDURE measure(width interval, rounds int, queries int) LANGUAGE plpgsql AS $$
DECLARE
    spent float8[];
    started timestamptz;
    lower timestamptz;
    query text;
    c int;
BEGIN
    FOR round IN 0 .. rounds LOOP
        spent := '{0,0,0,0}';
        FOR q IN 1 .. queries LOOP
            lower := timestamptz '2026-01-01 00:00:00+00' + (q * 7919 % 1000000) * interval '1 s';
            FOR i IN 0 .. 3 LOOP
                c := (i + q) % 4;
                query := 'SELECT count(n) FROM event WHERE '
                    || format((SELECT condition FROM contestant WHERE n = c), lower, lower + width, objectid_floor(lower), objectid_floor(lower + width));
                started := clock_timestamp();
                EXECUTE query;
                spent[c + 1] := spent[c + 1] + extract(epoch FROM clock_timestamp() - started) * 1000;
            END LOOP;
        END LOOP;
        -- round 0 warms up
        IF round > 0 THEN
            INSERT INTO measurement SELECT width, round, i - 1, spent[i] / queries FROM generate_series(1, 4) AS i;
        END IF;
        COMMIT;
    END LOOP;
END;
$$;
CALL measure('1 second', 15, 4000);
CALL measure('1 hour', 15, 400);
CALL measure('1 day', 15, 20);

\pset footer off
\echo 'Milliseconds a query, planning included'
SELECT width, name, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY ms)::numeric, 4) AS median,
       round(min(ms)::numeric, 4) AS lowest, round(max(ms)::numeric, 4) AS highest
FROM measurement JOIN contestant USING (n) GROUP BY width, n, name ORDER BY width, n;

\echo 'Ratio to the range of ids by hand, median over the rounds; target <= 1.05'
SELECT width, split_part(name, ':', 1) AS contestant, round((percentile_cont(0.5) WITHIN GROUP (ORDER BY m.ms / hand.ms))::numeric, 3) AS ratio
FROM measurement AS m JOIN measurement AS hand USING (width, round) JOIN contestant ON contestant.n = m.n
WHERE hand.n = 0 AND m.n > 0 GROUP BY width, m.n, name ORDER BY width, m.n;
