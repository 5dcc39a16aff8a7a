-- Cost of one call of each generator, net of a C function that does nothing.
-- bench/run sets :runs and :calls.

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

CREATE TABLE call (n serial, name text, call text, calls int);
INSERT INTO call (name, call, calls) VALUES
    ('nothing', 'bench_nothing(i)', :calls),
    ('clock_gettime', 'bench_clock_gettime(i)', :calls),
    ('gen_objectid()', 'gen_objectid()', :calls),
    ('gen_random_uuid()', 'gen_random_uuid()', :calls / 3),
    ('uuid-ossp uuid_generate_v4()', 'uuid_generate_v4()', :calls / 5),
    ('uuid-ossp uuid_generate_v1()', 'uuid_generate_v1()', :calls / 50);
INSERT INTO call (name, call, calls)
SELECT 'core uuidv7()', 'uuidv7()', :calls / 3 WHERE to_regprocedure('pg_catalog.uuidv7()') IS NOT NULL
UNION ALL
SELECT 'pg_uuidv7 uuid_generate_v7()', 'uuid_generate_v7()', :calls / 3 WHERE to_regprocedure('uuid_generate_v7()') IS NOT NULL;
INSERT INTO call (name, call, calls) VALUES
    ('next_shard_id(5, i)', 'next_shard_id(5, i)', :calls),
    ('next_shard_id(5, nextval)', 'next_shard_id(5, nextval(''plain''))', :calls / 2),
    ('next_shard_id(5, nextval CACHE 64)', 'next_shard_id(5, nextval(''plain64''))', :calls / 2),
    ('Instagram''s PL/pgSQL', 'instagram_next_id()', :calls / 10),
    ('nextval', 'nextval(''plain'')', :calls / 2),
    ('next_snowflake', 'next_snowflake(''clock'', 1)', :calls / 2),
    ('nextval CACHE 64', 'nextval(''plain64'')', :calls),
    ('next_snowflake CACHE 64', 'next_snowflake(''clock64'', 1)', :calls);

INSERT INTO contestant (subject, name, statement)
SELECT 'calls', name, format('SELECT count(%s) FROM generate_series(1, %s::bigint) AS i', call, calls) FROM call ORDER BY n;

-- Processor time does not count a wait for the clock: bulk and clients show it.
-- In the pause the clock catches up with what a burst took of it.
CALL measure('calls', 0, :runs, 0.25);

INSERT INTO figure (subject, metric, name, round, value)
SELECT m.subject, 'net, ns of processor time a call', m.name, round,
       1e6 * (m.processor / call.calls - nothing.processor / nothing_call.calls)
FROM measurement AS m JOIN call ON call.name = m.name
JOIN measurement AS nothing USING (subject, round) JOIN call AS nothing_call ON nothing_call.name = nothing.name
WHERE m.subject = 'calls' AND nothing.name = 'nothing' AND m.name <> 'nothing'
ORDER BY call.n, round;

INSERT INTO target (subject, metric, a, relation, bound, b)
SELECT 'calls', 'net, ns of processor time a call', a, relation, bound, b
FROM (VALUES (1, 'gen_objectid()', '<=', 2, 'clock_gettime'),
             (2, 'gen_random_uuid()', '>=', 20, 'gen_objectid()'),
             (3, 'core uuidv7()', '>=', 20, 'gen_objectid()'),
             (4, 'next_shard_id(5, i)', '<=', 2, 'clock_gettime'),
             (5, 'Instagram''s PL/pgSQL', '>=', 10, 'next_shard_id(5, nextval)'),
             (6, 'next_snowflake', '<=', 1.1, 'nextval'),
             (7, 'next_snowflake CACHE 64', '<=', 0.5, 'nextval CACHE 64')) AS t (n, a, relation, bound, b)
WHERE a IN (SELECT name FROM call) ORDER BY n;
