-- Cost of one call of each generator, net of the cost of an empty C function.
-- bench/run sets :runs and :calls.

CREATE SEQUENCE plain;
CREATE SEQUENCE plain64 CACHE 64;
CREATE SEQUENCE clock;
CREATE SEQUENCE clock64 CACHE 64;
CREATE SEQUENCE random;
CREATE SEQUENCE random64 CACHE 64;

-- The edition for servers without C
CREATE SCHEMA managed;
SET search_path = managed;
\ir ../managed/snowflake.sql
RESET search_path;
CREATE SEQUENCE managed.clock;

INSERT INTO call (subject, name, call, calls) VALUES
    ('calls', 'nothing', 'bench_nothing(i)', :calls),
    ('calls', 'clock_gettime', 'bench_clock_gettime(i)', :calls),
    ('calls', 'gen_objectid()', 'gen_objectid()', :calls),
    ('calls', 'gen_random_uuid()', 'gen_random_uuid()', :calls / 3),
    ('calls', 'uuid-ossp uuid_generate_v4()', 'uuid_generate_v4()', :calls / 5),
    ('calls', 'uuid-ossp uuid_generate_v1()', 'uuid_generate_v1()', :calls / 50);
INSERT INTO call (subject, name, call, calls)
SELECT 'calls', 'core uuidv7()', 'uuidv7()', :calls / 3 WHERE to_regprocedure('pg_catalog.uuidv7()') IS NOT NULL
UNION ALL
SELECT 'calls', 'pg_uuidv7 uuid_generate_v7()', 'uuid_generate_v7()', :calls / 3 WHERE to_regprocedure('uuid_generate_v7()') IS NOT NULL;
INSERT INTO call (subject, name, call, calls) VALUES
    ('calls', 'nextval', 'nextval(''plain'')', :calls / 2),
    ('calls', 'next_snowflake', 'next_snowflake(''clock'', 1, ''twitter'')', :calls / 2),
    ('calls', 'next_snowflake, start=random', 'next_snowflake(''random'', 1, ''twitter;start=random'')', :calls / 2),
    ('calls', 'nextval CACHE 64', 'nextval(''plain64'')', :calls),
    ('calls', 'next_snowflake CACHE 64', 'next_snowflake(''clock64'', 1, ''twitter'')', :calls),
    ('calls', 'next_snowflake CACHE 64, start=random', 'next_snowflake(''random64'', 1, ''twitter;start=random'')', :calls),
    ('calls', 'next_snowflake of managed/', 'managed.next_snowflake(''managed.clock'', 1, ''twitter'')', :calls / 50);
CALL measure_calls('calls', :runs);
INSERT INTO figure (subject, metric, name, round, value)
SELECT 'calls', 'net, ns of processor time a call', '10 us', round, 10000 FROM generate_series(1, :runs) AS round;

INSERT INTO target (subject, metric, a, relation, bound, b)
SELECT 'calls', 'net, ns of processor time a call', a, relation, bound, b
FROM (VALUES (1, 'gen_objectid()', '<=', 2, 'clock_gettime'),
             (2, 'gen_random_uuid()', '>=', 20, 'gen_objectid()'),
             (3, 'core uuidv7()', '>=', 20, 'gen_objectid()'),
             (4, 'next_snowflake', '<=', 1.1, 'nextval'),
             (5, 'next_snowflake CACHE 64', '<=', 0.5, 'nextval CACHE 64'),
             (6, 'next_snowflake, start=random', '<=', 1.05, 'next_snowflake'),
             (7, 'next_snowflake CACHE 64, start=random', '<=', 1.05, 'next_snowflake CACHE 64'),
             (8, 'next_snowflake of managed/', '<=', 1, '10 us')) AS t (n, a, relation, bound, b)
WHERE a IN (SELECT name FROM call) ORDER BY n;
