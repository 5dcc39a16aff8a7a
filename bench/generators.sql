-- Cost of one call of each generator, in nanoseconds, net of a C function that
-- does nothing.  All contestants take their turn in every round, so that a
-- noisy machine hits all alike; printed are the median, lowest and highest
-- round.  Run by bench/generators, which sets :module.

\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;

CREATE EXTENSION objectid_ext;
CREATE FUNCTION bench_nothing(bigint) RETURNS bigint AS :'module' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_clock_gettime(bigint) RETURNS bigint AS :'module' LANGUAGE C VOLATILE STRICT;

CREATE SEQUENCE plain;
CREATE SEQUENCE plain64 CACHE 64;
CREATE SEQUENCE clock;
CREATE SEQUENCE clock64 CACHE 64;

-- The formula of "Sharding & IDs at Instagram" (2012), in PL/pgSQL as there.
CREATE SEQUENCE instagram_seq;
CREATE FUNCTION instagram_next_id(OUT result bigint) AS $$
DECLARE
    our_epoch bigint := 1314220021721;
    seq_id bigint;
    now_millis bigint;
    shard_id int := 5;
BEGIN
    SELECT nextval('instagram_seq') % 1024 INTO seq_id;
    SELECT FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) INTO now_millis;
    result := (now_millis - our_epoch) << 23;
    result := result | (shard_id << 10);
    result := result | (seq_id);
END;
$$ LANGUAGE plpgsql;

CREATE TABLE contestant (n int PRIMARY KEY, name text, call text, calls int);
INSERT INTO contestant VALUES
    (0, 'a function that does nothing', 'bench_nothing(i)', 500000),
    (1, 'clock_gettime', 'bench_clock_gettime(i)', 500000),
    (2, 'gen_objectid()', 'gen_objectid()', 500000),
    (3, 'gen_random_uuid()', 'gen_random_uuid()', 200000),
    (4, 'next_shard_id(5, i)', 'next_shard_id(5, i)', 500000),
    (5, 'next_shard_id(5, nextval)', 'next_shard_id(5, nextval(''plain64''))', 300000),
    (6, 'Instagram''s PL/pgSQL', 'instagram_next_id()', 50000),
    (7, 'nextval', 'nextval(''plain'')', 300000),
    (8, 'next_snowflake', 'next_snowflake(''clock'', 1)', 300000),
    (9, 'nextval CACHE 64', 'nextval(''plain64'')', 500000),
    (10, 'next_snowflake CACHE 64', 'next_snowflake(''clock64'', 1)', 500000);

CREATE TABLE measurement (n int, round int, ns float8);

-- Between two contestants the clock catches up with what a burst took of it.
CREATE PROCEDURE measure(rounds int) LANGUAGE plpgsql AS $$
DECLARE
    c contestant;
    started timestamptz;
BEGIN
    FOR round IN 0 .. rounds LOOP
        FOR c IN SELECT * FROM contestant ORDER BY n LOOP
            PERFORM pg_sleep(0.25);
            started := clock_timestamp();
            EXECUTE format('SELECT count(%s) FROM generate_series(1, %s::bigint) i', c.call, c.calls);
            -- round 0 warms up
            IF round > 0 THEN
                INSERT INTO measurement
                VALUES (c.n, round, extract(epoch FROM clock_timestamp() - started) * 1e9 / c.calls);
            END IF;
            COMMIT;
        END LOOP;
    END LOOP;
END;
$$;
CALL measure(7);

CREATE VIEW net AS
SELECT m.n, m.round, m.ns - nothing.ns AS ns
FROM measurement m JOIN measurement nothing ON nothing.n = 0 AND nothing.round = m.round;

CREATE VIEW figure AS
SELECT n, percentile_cont(0.5) WITHIN GROUP (ORDER BY ns) AS median, min(ns) AS lowest, max(ns) AS highest
FROM net GROUP BY n;

\pset footer off
\echo 'Nanoseconds a call, net'
SELECT name, round(median::numeric, 1) AS median, round(lowest::numeric, 1) AS lowest, round(highest::numeric, 1) AS highest
FROM figure JOIN contestant USING (n) WHERE n > 0 ORDER BY n;

\echo 'Ratios, median over the rounds'
SELECT a.name || ' / ' || b.name AS ratio,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY x.ns / y.ns))::numeric, 3) AS median,
       t.target
FROM (VALUES (2, 1, '<= 2'), (3, 2, '>= 20'), (4, 1, '<= 2'), (6, 5, '>= 10'),
             (8, 7, '<= 1.1'), (10, 9, '<= 0.5')) t(a, b, target)
JOIN contestant a ON a.n = t.a JOIN contestant b ON b.n = t.b
JOIN net x ON x.n = t.a JOIN net y ON y.n = t.b AND y.round = x.round
GROUP BY t.a, t.b, a.name, b.name, t.target ORDER BY t.a;
