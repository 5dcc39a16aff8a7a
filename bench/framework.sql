-- Tables and procedures for all subjects of bench/run.  A subject is a set of
-- contestants: statements that do the same work in different ways.  Each round
-- runs all of them, so that noise of the machine affects all alike.  The results
-- are medians over rounds; ratios are computed within a round.
--
-- bench/run sets :module.

SET client_min_messages = warning;
CREATE EXTENSION objectid_ext;
CREATE EXTENSION IF NOT EXISTS "uuid-ossp";

CREATE FUNCTION bench_nothing(bigint) RETURNS bigint AS :'module' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_clock_gettime(bigint) RETURNS bigint AS :'module' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_processor_time() RETURNS bigint AS :'module' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_uuidv7() RETURNS uuid AS :'module' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_uuidv7_at(microseconds bigint) RETURNS uuid AS :'module' LANGUAGE C VOLATILE STRICT;

-- One side of a comparison.
CREATE TABLE contestant (
    n serial,
    subject text,
    name text,
    statement text,     -- the measured statement
    before text,        -- run before it in each round
    after text          -- run after it
);

-- Its cost in a round
CREATE TABLE measurement (
    subject text,
    name text,
    round int,
    elapsed float8,     -- milliseconds
    processor float8,   -- milliseconds of this backend
    wal float8          -- bytes
);

-- The reported figures: one value per round
CREATE TABLE figure (
    n serial,
    subject text,
    metric text,
    name text,
    round int,
    value float8
);

-- A target: the ratio of two figures is at most, or at least, this value.
CREATE TABLE target (
    n serial PRIMARY KEY,
    subject text,
    metric text,
    a text,
    b text,
    relation text CHECK (relation IN ('<=', '>=')),
    bound numeric
);

-- Round 0 warms up.  Even rounds run in the reverse order.
CREATE PROCEDURE measure(what text, first_round int, last_round int, pause float8 DEFAULT 0)
LANGUAGE plpgsql AS $$
DECLARE
    c contestant;
    lsn pg_lsn;
    processor bigint;
    started timestamptz;
BEGIN
    FOR r IN first_round .. last_round LOOP
        FOR c IN SELECT * FROM contestant WHERE subject = what ORDER BY n * (-1) ^ r LOOP
            IF c.before IS NOT NULL THEN
                EXECUTE c.before;
                COMMIT;
            END IF;
            PERFORM pg_sleep(pause);
            lsn := pg_current_wal_insert_lsn();
            processor := bench_processor_time();
            started := clock_timestamp();
            EXECUTE c.statement;
            IF r > 0 THEN
                INSERT INTO measurement
                VALUES (c.subject, c.name, r,
                        extract(epoch FROM clock_timestamp() - started) * 1e3,
                        (bench_processor_time() - processor) / 1e6,
                        pg_wal_lsn_diff(pg_current_wal_insert_lsn(), lsn));
            END IF;
            COMMIT;
            IF c.after IS NOT NULL THEN
                EXECUTE c.after;
                COMMIT;
            END IF;
        END LOOP;
    END LOOP;
END;
$$;

-- Both times of a subject, as figures.
CREATE PROCEDURE report_times(what text)
LANGUAGE sql AS $$
    INSERT INTO figure (subject, metric, name, round, value)
    SELECT subject, metric, name, round, value
    FROM measurement JOIN contestant USING (subject, name),
         LATERAL (VALUES (1, 'processor time, ms', processor), (2, 'elapsed, ms', elapsed)) AS m (i, metric, value)
    WHERE subject = what ORDER BY i, n, round
$$;

-- Generators whose calls are compared one by one; one of them is "nothing".
CREATE TABLE call (n serial, subject text, name text, call text, calls int);

-- The cost of a call, net of that of "nothing".  Processor time does not include
-- waits for the clock.  During the pause, the clock catches up with a burst.  A longer one
-- would let a shared machine become faster or slower within a round.
CREATE PROCEDURE measure_calls(what text, rounds int)
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO contestant (subject, name, statement)
    SELECT what, name, format('SELECT count(%s) FROM generate_series(1, %s::bigint) AS i', call, calls)
    FROM call WHERE subject = what ORDER BY n;
    CALL measure(what, 0, rounds, 0.02);

    INSERT INTO figure (subject, metric, name, round, value)
    SELECT what, 'net, ns of processor time a call', name, round, 1e6 * (cost - nothing)
    FROM (SELECT n, name, round, processor / calls AS cost,
                 max(processor / calls) FILTER (WHERE name = 'nothing') OVER (PARTITION BY round) AS nothing
          FROM measurement JOIN call USING (subject, name) WHERE subject = what) AS m
    WHERE name <> 'nothing' ORDER BY n, round;
END;
$$;

CREATE VIEW ratio AS
SELECT t.n, t.subject, t.metric, t.a, t.b, t.relation, t.bound,
       percentile_cont(0.25) WITHIN GROUP (ORDER BY x.value / y.value)::numeric AS lower,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY x.value / y.value)::numeric AS median,
       percentile_cont(0.75) WITHIN GROUP (ORDER BY x.value / y.value)::numeric AS upper
FROM target AS t
JOIN figure AS x ON (x.subject, x.metric, x.name) = (t.subject, t.metric, t.a)
JOIN figure AS y ON (y.subject, y.metric, y.name, y.round) = (t.subject, t.metric, t.b, x.round)
GROUP BY t.n;
