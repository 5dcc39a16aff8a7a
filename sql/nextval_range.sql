--
-- nextval_range: many values of a sequence in one step
--
-- Tests with several sessions or a crash are in t/060_nextval_range.pl.
--
\a \t on

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_range_user;
RESET client_min_messages;
CREATE ROLE regress_range_user;
CREATE SCHEMA ranges;
SET search_path = ranges, public;

-- Ranges that are not what repeated calls of nextval() return, or leave another state,
-- taken from two sequences with the same options
CREATE FUNCTION differing(options text, counts bigint[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
    by_range bigint[];
    one_by_one bigint[];
BEGIN
    EXECUTE format('CREATE SEQUENCE one %s', options);
    EXECUTE format('CREATE SEQUENCE two %s', options);
    FOREACH n IN ARRAY counts LOOP
        by_range := ARRAY(SELECT generate_series(r.first, r.last, r.step) FROM nextval_range('one', n) r);
        one_by_one := ARRAY(SELECT nextval('two') FROM generate_series(1, n));
        IF by_range <> one_by_one OR (SELECT o.last_value <> t.last_value OR o.is_called <> t.is_called FROM one o, two t) THEN
            RETURN NEXT format('%s..%s, not %s..%s', by_range[1], by_range[cardinality(by_range)], one_by_one[1], one_by_one[n]);
        END IF;
    END LOOP;
    DROP SEQUENCE one, two;
END $$;
-- the last two: a cycle exactly at the end of a range
SELECT options, differing(options, counts::bigint[]) FROM (VALUES
    ('', '{1,1,5,100,1}'),
    ('INCREMENT 7', '{3,1,50}'),
    ('INCREMENT -1', '{3,1,50}'),
    ('INCREMENT -5 MINVALUE -100 MAXVALUE 100 START 99', '{3,1,36}'),
    ('MINVALUE 10 MAXVALUE 20 START 15', '{6}'),
    ('START 15 CACHE 1', '{2,3}'),
    ('AS smallint', '{32767}'),
    ('AS smallint INCREMENT -1 MAXVALUE 32767 START 32767', '{32767,32768,1}'),
    ('MINVALUE -9223372036854775808 START -9223372036854775808', '{1,9}'),
    ('MINVALUE -9223372036854775808 START -5', '{10}'),
    ('START 9223372036854775800', '{3,5}'),
    ('INCREMENT -1 MINVALUE -9223372036854775808 START -9223372036854775800', '{3,6}'),
    ('INCREMENT -1 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807', '{3,6}'),
    ('INCREMENT 9223372036854775807 MINVALUE -9223372036854775807', '{1,1,1}'),
    ('INCREMENT 9223372036854775807 MINVALUE -9223372036854775807', '{3}'),
    ('INCREMENT 4611686018427387904 MINVALUE -9223372036854775808', '{1,3}'),
    ('INCREMENT 4611686018427387904 MINVALUE -9223372036854775808', '{4}'),
    ('INCREMENT -9223372036854775808 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807', '{1,1}'),
    ('INCREMENT -9223372036854775808 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807', '{2}'),
    ('MAXVALUE 10 CYCLE', '{5,5,5,5,1}'),
    ('INCREMENT -3 MINVALUE 1 MAXVALUE 10 CYCLE', '{4,4,1}')
) AS v (options, counts);

-- Take all values of a sequence in ranges of random size: all distinct, none
-- skipped.
CREATE SEQUENCE rounds INCREMENT 3;
CREATE TABLE taken AS SELECT i, r.* FROM generate_series(1, 1000) i, LATERAL nextval_range('rounds', 1 + (i * 7919) % 50) r;
SELECT count(*) AS ranges, sum((last - first) / step + 1) AS values, bool_and(step = 3) AS step, min(first), max(last) FROM taken;
SELECT count(*), count(DISTINCT value), max(value) = (SELECT last_value FROM rounds) AS last_value
FROM taken, generate_series(first, last, step) AS value;

-- What calls with these counts return, each with the state of the sequence after it:
-- an error leaves it unchanged.
CREATE FUNCTION ranges(seq text, VARIADIC counts bigint[]) RETURNS TABLE (count bigint, range text, last_value bigint, is_called bool) LANGUAGE plpgsql AS $$
BEGIN
    FOREACH count IN ARRAY counts LOOP
        BEGIN
            SELECT format('%s..%s step %s', r.first, r.last, r.step) INTO range FROM nextval_range(seq, count) r;
        EXCEPTION WHEN OTHERS THEN
            range := SQLSTATE || ' ' || SQLERRM;
        END;
        EXECUTE 'SELECT last_value, is_called FROM ' || seq INTO last_value, is_called;
        RETURN NEXT;
    END LOOP;
END $$;

-- The largest count
CREATE SEQUENCE whole;
SELECT * FROM ranges('whole', 9223372036854775807, 1);
ALTER SEQUENCE whole MINVALUE -9223372036854775808 RESTART -9223372036854775808;
SELECT * FROM ranges('whole', 9223372036854775807, 9223372036854775807, 3, 2, 1);
ALTER SEQUENCE whole INCREMENT -1 START 9223372036854775807 RESTART;
SELECT * FROM ranges('whole', 9223372036854775807);

-- CYCLE: a range never extends past the end; the values left there are skipped
CREATE SEQUENCE cycle MINVALUE 5 MAXVALUE 14 CYCLE;
SELECT * FROM ranges('cycle', 7, 4, 10, 3);
SELECT nextval('cycle');
ALTER SEQUENCE cycle INCREMENT -4 RESTART 14;
SELECT * FROM ranges('cycle', 2, 2, 3);

-- Errors.  First some calls of nextval(), so that log_cnt is not zero.
SELECT count(nextval('cycle')) FROM generate_series(1, 5);
CREATE TABLE before AS SELECT * FROM cycle;
SELECT * FROM ranges('cycle', 4, 0, -1, -9223372036854775808, 9223372036854775807, NULL);
SELECT count(*) AS untouched FROM (TABLE before INTERSECT TABLE cycle) s;
CREATE SEQUENCE bounded MAXVALUE 10;
SELECT * FROM ranges('bounded', 11, 8, 3, 2, 1);
SELECT nextval('bounded');
CREATE SEQUENCE tiny AS smallint;
SELECT * FROM ranges('tiny', 32768, 32767, 1);
-- an increment too large for a second value
CREATE SEQUENCE wide INCREMENT 9223372036854775807;
SELECT * FROM ranges('wide', 1, 1);
ALTER SEQUENCE wide RESTART 2;
SELECT * FROM ranges('wide', 2, 1);
-- or for the values that WAL covers in advance
CREATE SEQUENCE spread INCREMENT 576460752303423488 MINVALUE -9223372036854775808;
SELECT * FROM ranges('spread', 1, 30);
SELECT log_cnt >= 0 AS log_cnt, nextval('spread') FROM spread;
SELECT nextval('spread');

-- setval, with is_called true and false; ALTER SEQUENCE
CREATE SEQUENCE set;
SELECT setval('set', 100) \g /dev/null
SELECT * FROM ranges('set', 3);
SELECT setval('set', 100, false) \g /dev/null
SELECT * FROM ranges('set', 3);
SELECT setval('set', 9223372036854775807) \g /dev/null
SELECT * FROM ranges('set', 1);
SELECT setval('set', 9223372036854775807, false) \g /dev/null
SELECT * FROM ranges('set', 1, 1);
ALTER SEQUENCE set RESTART 7 INCREMENT 2;
SELECT * FROM ranges('set', 2);
ALTER SEQUENCE set INCREMENT -2;
SELECT * FROM ranges('set', 2);
ALTER SEQUENCE set INCREMENT 1 MAXVALUE 10;
SELECT * FROM ranges('set', 6);

-- Mixed with nextval and next_snowflake, with and without CACHE: values cached by
-- this session stay valid, and no value is repeated.
CREATE TABLE value (id bigint PRIMARY KEY);
CREATE SEQUENCE cached CACHE 20;
INSERT INTO value SELECT nextval('cached') FROM generate_series(1, 3);
INSERT INTO value SELECT generate_series(first, last) FROM nextval_range('cached', 10);
INSERT INTO value SELECT nextval('cached') FROM generate_series(1, 20);
INSERT INTO value SELECT generate_series(first, last) FROM nextval_range('cached', 30);
INSERT INTO value SELECT nextval('cached') FROM generate_series(1, 20);
SELECT string_agg(format('%s-%s', low, high), ' ' ORDER BY low) AS values
FROM (SELECT min(id) AS low, max(id) AS high FROM (SELECT id, id - row_number() OVER (ORDER BY id) AS island FROM value) v GROUP BY island) i;
-- clock ids are far above, and values continue from there
INSERT INTO value SELECT next_snowflake('cached', 5, 'twitter') FROM generate_series(1, 3);
INSERT INTO value SELECT generate_series(first, last) FROM nextval_range('cached', 10);
INSERT INTO value SELECT next_snowflake('cached', 5, 'twitter') FROM generate_series(1, 3);
INSERT INTO value SELECT nextval('cached') FROM generate_series(1, 3);
INSERT INTO value SELECT next_snowflake('cached', 5, 'twitter') FROM generate_series(1, 3);
INSERT INTO value SELECT generate_series(first, last) FROM nextval_range('cached', 10);
SELECT count(*) FROM value;
-- currval and lastval do not change
CREATE SEQUENCE own;
SELECT nextval('own');
SELECT * FROM nextval_range('own', 10);
SELECT currval('own'), lastval(), nextval('own');
-- a rollback does not return values
BEGIN;
SELECT * FROM ranges('own', 10);
SAVEPOINT s;
SELECT * FROM ranges('own', 10);
ROLLBACK TO s;
SELECT * FROM ranges('own', 1);
ROLLBACK;
SELECT * FROM ranges('own', 1);

-- one range per row
CREATE TABLE import (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text);
INSERT INTO import SELECT first + i - 1, 'n' || i FROM nextval_range(pg_get_serial_sequence('import', 'id'), 1000), generate_series(1, 1000) i;
INSERT INTO import (name) VALUES ('next') RETURNING id;

-- A call outside FROM is an error.  "(nextval_range(...)).*" would be three
-- calls, and the columns of the row would come from three ranges.
SELECT (nextval_range('own', 10)).*;
\set VERBOSITY terse
SELECT nextval_range('own', 10);
SELECT (r).first, (r).last FROM (SELECT nextval_range('own', 10) AS r OFFSET 0) s;
DO $$ DECLARE r record; BEGIN r := nextval_range('own', 10); END $$;
\set VERBOSITY default
-- in all forms of FROM there is one call per row
SELECT r, r.*, (r).first FROM nextval_range('own', 10) r;
SELECT i, r.* FROM generate_series(1, 2) i, nextval_range('own', i * 10) r;
SELECT * FROM ROWS FROM (nextval_range('own', 10), generate_series(1, 1));
SELECT (SELECT last - first FROM nextval_range('own', 10)) AS scalar;
SELECT last_value FROM own;

-- the privileges are those of nextval()
CREATE SEQUENCE guarded;
GRANT USAGE ON SCHEMA ranges TO regress_range_user;
CREATE FUNCTION with_privileges(privileges text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text := 'allowed';
BEGIN
    EXECUTE format('GRANT %s ON guarded TO regress_range_user', privileges);
    SET LOCAL ROLE regress_range_user;
    BEGIN
        PERFORM FROM nextval_range('guarded', 1);
    EXCEPTION WHEN insufficient_privilege THEN
        result := SQLERRM;
    END;
    RESET ROLE;
    REVOKE ALL ON guarded FROM regress_range_user;
    RETURN result;
END $$;
SELECT privilege, with_privileges(privilege) FROM unnest('{SELECT,USAGE,UPDATE,"SELECT, UPDATE"}'::text[]) AS privilege;

-- read-only transactions can only use temporary sequences
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
BEGIN READ ONLY;
SELECT seq, r.* FROM unnest('{temporary,guarded,unlogged}'::text[]) AS seq, ranges(seq, 5) r;
ROLLBACK;
SELECT seq, r.* FROM unnest('{temporary,unlogged}'::text[]) AS seq, ranges(seq, 5, 5) r;

-- not in parallel mode, in workers or the leader
CREATE FUNCTION mislabelled(bigint) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN first FROM nextval_range('own', $1); END $$;
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false) \g /dev/null
SELECT mislabelled(1);
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'off', false) \g /dev/null

-- other relations
SELECT * FROM nextval_range('value', 1);
SELECT * FROM nextval_range('value_pkey', 1);
SELECT * FROM nextval_range('nothing', 1);
SELECT * FROM nextval_range(0, 1);

SET client_min_messages = warning;
DROP SCHEMA ranges CASCADE;
DROP ROLE regress_range_user;
