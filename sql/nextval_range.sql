--
-- nextval_range: many values of a sequence in one step; nextval_any: a value of
-- one of many sequences
--
-- Tests with several sessions or a crash are in t/060_nextval_range.pl.
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_range_user;
RESET client_min_messages;
CREATE ROLE regress_range_user;
CREATE SCHEMA ranges;
SET search_path = ranges, public;

-- Does a range return the same values as repeated calls of nextval()?  Takes the
-- values from two sequences with the same options.
CREATE FUNCTION agrees(options text, counts bigint[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    n bigint;
    r record;
    by_range bigint[];
    one_by_one bigint[];
    result text := '';
BEGIN
    EXECUTE format('CREATE SEQUENCE one %s', options);
    EXECUTE format('CREATE SEQUENCE two %1$s', options);
    FOREACH n IN ARRAY counts LOOP
        SELECT * INTO r FROM nextval_range('one', n);
        by_range := ARRAY(SELECT generate_series(r.first, r.last, r.step));
        one_by_one := ARRAY(SELECT nextval('two') FROM generate_series(1, n));
        result := result || format('%s..%s ', r.first, r.last);
        IF by_range <> one_by_one OR (SELECT o.last_value <> t.last_value OR o.is_called <> t.is_called FROM one o, two t) THEN
            result := result || format('NOT %s ', one_by_one);
        END IF;
    END LOOP;
    DROP SEQUENCE one, two;
    RETURN result;
END $$;
SELECT agrees('', '{1,1,5,100,1}');
SELECT agrees('INCREMENT 7', '{3,1,50}');
SELECT agrees('INCREMENT -1', '{3,1,50}');
SELECT agrees('INCREMENT -5 MINVALUE -100 MAXVALUE 100 START 99', '{3,1,36}');
SELECT agrees('MINVALUE 10 MAXVALUE 20 START 15', '{6}');
SELECT agrees('START 15 CACHE 1', '{2,3}');
SELECT agrees('AS smallint', '{32767}');
SELECT agrees('AS smallint INCREMENT -1 MAXVALUE 32767 START 32767', '{32767,32768,1}');
SELECT agrees('MINVALUE -9223372036854775808 START -9223372036854775808', '{1,9}');
SELECT agrees('MINVALUE -9223372036854775808 START -5', '{10}');
SELECT agrees('START 9223372036854775800', '{3,5}');
SELECT agrees('INCREMENT -1 MINVALUE -9223372036854775808 START -9223372036854775800', '{3,6}');
SELECT agrees('INCREMENT -1 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807', '{3,6}');
SELECT agrees('INCREMENT 9223372036854775807 MINVALUE -9223372036854775807', '{1,1,1}');
SELECT agrees('INCREMENT 9223372036854775807 MINVALUE -9223372036854775807', '{3}');
SELECT agrees('INCREMENT 4611686018427387904 MINVALUE -9223372036854775808', '{1,3}');
SELECT agrees('INCREMENT 4611686018427387904 MINVALUE -9223372036854775808', '{4}');
SELECT agrees('INCREMENT -9223372036854775808 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807', '{1,1}');
SELECT agrees('INCREMENT -9223372036854775808 MINVALUE -9223372036854775808 MAXVALUE 9223372036854775807', '{2}');
-- a cycle exactly at the end of a range
SELECT agrees('MAXVALUE 10 CYCLE', '{5,5,5,5,1}');
SELECT agrees('INCREMENT -3 MINVALUE 1 MAXVALUE 10 CYCLE', '{4,4,1}');

-- Take all values of a sequence in ranges of random size: all distinct, none
-- skipped.
CREATE SEQUENCE rounds INCREMENT 3;
CREATE TABLE taken AS SELECT i, r.* FROM generate_series(1, 1000) i, LATERAL nextval_range('rounds', 1 + (i * 7919) % 50) r;
SELECT count(*) AS ranges, sum((last - first) / step + 1) AS values, bool_and(step = 3) AS step, min(first), max(last) FROM taken;
SELECT count(*), count(DISTINCT value), max(value) = (SELECT last_value FROM rounds) AS last_value
FROM taken, generate_series(first, last, step) AS value;

-- The largest count
CREATE SEQUENCE whole;
SELECT * FROM nextval_range('whole', 9223372036854775807);
SELECT * FROM nextval_range('whole', 1);
ALTER SEQUENCE whole MINVALUE -9223372036854775808 RESTART -9223372036854775808;
SELECT * FROM nextval_range('whole', 9223372036854775807);
SELECT * FROM nextval_range('whole', 9223372036854775807);
SELECT * FROM nextval_range('whole', 3);
SELECT * FROM nextval_range('whole', 2);
SELECT * FROM nextval_range('whole', 1);
ALTER SEQUENCE whole INCREMENT -1 START 9223372036854775807 RESTART;
SELECT * FROM nextval_range('whole', 9223372036854775807);
SELECT last_value, is_called FROM whole;

-- CYCLE: a range never extends past the end; the values left there are skipped
CREATE SEQUENCE cycle MINVALUE 5 MAXVALUE 14 CYCLE;
SELECT * FROM nextval_range('cycle', 7);
SELECT * FROM nextval_range('cycle', 4);
SELECT * FROM nextval_range('cycle', 10);
SELECT * FROM nextval_range('cycle', 3);
SELECT nextval('cycle');
ALTER SEQUENCE cycle INCREMENT -4 RESTART 14;
SELECT * FROM nextval_range('cycle', 2);
SELECT * FROM nextval_range('cycle', 2);
SELECT * FROM nextval_range('cycle', 3);

-- Errors, which leave the sequence unchanged.  First some calls of nextval(), so
-- that log_cnt is not zero.
SELECT count(nextval('cycle')) FROM generate_series(1, 5);
CREATE TABLE before AS SELECT * FROM cycle;
SELECT * FROM nextval_range('cycle', 4);
SELECT * FROM nextval_range('cycle', 0);
SELECT * FROM nextval_range('cycle', -1);
SELECT * FROM nextval_range('cycle', -9223372036854775808);
SELECT * FROM nextval_range('cycle', 9223372036854775807);
SELECT * FROM nextval_range('cycle', NULL);
SELECT * FROM nextval_range(NULL, 1);
\set VERBOSITY sqlstate
SELECT * FROM nextval_range('cycle', 0);
SELECT * FROM nextval_range('cycle', 4);
\set VERBOSITY default
SELECT count(*) AS untouched FROM (TABLE before INTERSECT TABLE cycle) s;
CREATE SEQUENCE bounded MAXVALUE 10;
SELECT * FROM nextval_range('bounded', 11);
SELECT * FROM bounded;
SELECT * FROM nextval_range('bounded', 8);
SELECT last_value, log_cnt, is_called FROM bounded;
SELECT * FROM nextval_range('bounded', 3);
SELECT last_value, log_cnt, is_called FROM bounded;
SELECT * FROM nextval_range('bounded', 2);
SELECT * FROM nextval_range('bounded', 1);
SELECT nextval('bounded');
SELECT last_value, log_cnt, is_called FROM bounded;
CREATE SEQUENCE tiny AS smallint;
SELECT * FROM nextval_range('tiny', 32768);
SELECT * FROM nextval_range('tiny', 32767);
SELECT * FROM nextval_range('tiny', 1);
-- an increment too large for a second value
CREATE SEQUENCE wide INCREMENT 9223372036854775807;
SELECT * FROM nextval_range('wide', 1);
SELECT * FROM nextval_range('wide', 1);
ALTER SEQUENCE wide RESTART 2;
SELECT * FROM nextval_range('wide', 2);
SELECT * FROM nextval_range('wide', 1);

-- or for the values that WAL covers in advance
CREATE SEQUENCE spread INCREMENT 576460752303423488 MINVALUE -9223372036854775808;
SELECT * FROM nextval_range('spread', 1);
SELECT log_cnt >= 0 AS log_cnt FROM spread;
SELECT * FROM nextval_range('spread', 30);
SELECT nextval('spread');
SELECT nextval('spread');

-- setval, with is_called true and false; ALTER SEQUENCE
CREATE SEQUENCE set;
SELECT setval('set', 100);
SELECT * FROM nextval_range('set', 3);
SELECT setval('set', 100, false);
SELECT * FROM nextval_range('set', 3);
SELECT setval('set', 9223372036854775807);
SELECT * FROM nextval_range('set', 1);
SELECT setval('set', 9223372036854775807, false);
SELECT * FROM nextval_range('set', 1);
SELECT * FROM nextval_range('set', 1);
ALTER SEQUENCE set RESTART 7 INCREMENT 2;
SELECT * FROM nextval_range('set', 2);
ALTER SEQUENCE set INCREMENT -2;
SELECT * FROM nextval_range('set', 2);
ALTER SEQUENCE set INCREMENT 1 MAXVALUE 10;
SELECT * FROM nextval_range('set', 6);

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
SELECT * FROM nextval_range('own', 10);
SAVEPOINT s;
SELECT * FROM nextval_range('own', 10);
ROLLBACK TO s;
SELECT * FROM nextval_range('own', 1);
ROLLBACK;
SELECT * FROM nextval_range('own', 1);

-- one range per row
CREATE TABLE import (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text);
INSERT INTO import SELECT first + i - 1, 'n' || i FROM nextval_range(pg_get_serial_sequence('import', 'id'), 1000), generate_series(1, 1000) i;
INSERT INTO import (name) VALUES ('next') RETURNING id;

-- A call outside FROM is an error.  "(nextval_range(...)).*" would be three
-- calls, and the columns of the row would come from three ranges.
SELECT (nextval_range('own', 10)).*;
SELECT nextval_range('own', 10);
SELECT (r).first, (r).last FROM (SELECT nextval_range('own', 10) AS r OFFSET 0) s;
DO $$ DECLARE r record; BEGIN r := nextval_range('own', 10); END $$;
SELECT last_value FROM own;
-- in all forms of FROM there is one call per row
SELECT r, r.*, (r).first FROM nextval_range('own', 10) r;
SELECT i, r.* FROM generate_series(1, 2) i, nextval_range('own', i * 10) r;
SELECT * FROM ROWS FROM (nextval_range('own', 10), generate_series(1, 1));
SELECT (SELECT last - first FROM nextval_range('own', 10)) AS scalar;
SELECT last_value FROM own;

-- the privileges are those of nextval()
CREATE SEQUENCE guarded;
GRANT USAGE ON SCHEMA ranges TO regress_range_user;
SET ROLE regress_range_user;
SELECT * FROM nextval_range('guarded', 1);
RESET ROLE;
GRANT SELECT ON guarded TO regress_range_user;
SET ROLE regress_range_user;
SELECT * FROM nextval_range('guarded', 1);
RESET ROLE;
GRANT USAGE ON guarded TO regress_range_user;
SET ROLE regress_range_user;
SELECT * FROM nextval_range('guarded', 1);
RESET ROLE;
REVOKE USAGE ON guarded FROM regress_range_user;
GRANT UPDATE ON guarded TO regress_range_user;
SET ROLE regress_range_user;
SELECT * FROM nextval_range('guarded', 1);
RESET ROLE;
REVOKE ALL ON guarded FROM regress_range_user;
SET ROLE regress_range_user;
SELECT * FROM nextval_range('guarded', 1);
RESET ROLE;

-- read-only transactions can only use temporary sequences
CREATE TEMP SEQUENCE temporary;
CREATE UNLOGGED SEQUENCE unlogged;
BEGIN READ ONLY;
SELECT * FROM nextval_range('temporary', 5);
SAVEPOINT s;
SELECT * FROM nextval_range('guarded', 5);
ROLLBACK TO s;
SELECT * FROM nextval_range('unlogged', 5);
ROLLBACK;
SELECT * FROM nextval_range('temporary', 5);
SELECT * FROM nextval_range('unlogged', 5);
SELECT * FROM nextval_range('unlogged', 5);

-- not in parallel mode, in workers or the leader
CREATE FUNCTION mislabelled(bigint) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN first FROM nextval_range('own', $1); END $$;
CREATE FUNCTION mislabelled_any(bigint) RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN nextval_any('{own}'); END $$;
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false) AS "on";
SELECT mislabelled(1);
SELECT mislabelled_any(1);
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'off', false) AS "off";
SELECT proname, proparallel, provolatile, proisstrict FROM pg_proc WHERE proname IN ('nextval_range', 'nextval_any') ORDER BY 1;

-- other relations
CREATE VIEW viewed AS SELECT 1 AS a;
SELECT * FROM nextval_range('value', 1);
SELECT * FROM nextval_range('value_pkey', 1);
SELECT * FROM nextval_range('viewed', 1);
SELECT * FROM nextval_range('nothing', 1);
SELECT * FROM nextval_range(0, 1);
SELECT nextval_any('{value}');
SELECT nextval_any('{0}');

--
-- nextval_any
--
CREATE SEQUENCE any_1;
CREATE SEQUENCE any_2 START 1000000 INCREMENT -1 MAXVALUE 1000000;
CREATE SEQUENCE any_3 MINVALUE 2000000 CACHE 10;
CREATE SEQUENCE any_4 MINVALUE 3000000 MAXVALUE 3000009;
-- roughly uniform: of 3,000, each of three gives 1,000, within ten standard
-- deviations; the fourth is exhausted and then skipped
CREATE TABLE drawn AS SELECT i, nextval_any('{any_1,any_2,any_3,any_4}') AS value FROM generate_series(1, 3010) i;
SELECT count(*), count(DISTINCT value) FROM drawn;
SELECT seq, count(*) BETWEEN 740 AND 1260 AS even, count(*) FILTER (WHERE seq = 4) AS fourth
FROM (SELECT 1 + (value > 10000)::int + (value >= 2000000)::int + (value >= 3000000)::int AS seq FROM drawn) d GROUP BY seq ORDER BY seq;
-- each sequence keeps its order
SELECT bool_and(value > previous) AS ascending FROM (SELECT value, lag(value) OVER (ORDER BY i) AS previous FROM drawn WHERE value >= 2000000 AND value < 3000000) d;
-- all but one exhausted, and then that one, too
CREATE SEQUENCE any_last MAXVALUE 3;
SELECT nextval_any('{any_4,any_4,any_last,any_4}') FROM generate_series(1, 3);
SELECT nextval_any('{any_4,any_4,any_last,any_4}');
SELECT nextval_any('{any_4}');
\set VERBOSITY sqlstate
SELECT nextval_any('{any_4}');
SELECT nextval_any('{}');
\set VERBOSITY default
SELECT last_value, is_called FROM any_last;
-- the array, here a constant in a plan, is not changed: a sequence that has
-- values again is used again
DO $$
DECLARE
    n int := 0;
BEGIN
    FOR i IN 1 .. 200 LOOP
        IF i = 100 THEN
            PERFORM setval('any_4', 3000000, false);
        END IF;
        IF nextval_any('{any_4,any_1}') >= 3000000 THEN
            n := n + 1;
        END IF;
    END LOOP;
    RAISE NOTICE '% of the fourth', n;
END $$;
-- invalid and unusual arrays
SELECT nextval_any('{}');
SELECT nextval_any('{any_1,NULL}');
SELECT nextval_any(ARRAY[NULL]::regclass[]);
SELECT nextval_any(NULL);
SELECT nextval_any('{{any_4,any_4},{any_last,any_1}}') > 0 AS of_two_dimensions;
SELECT nextval_any('[5:6]={any_4,any_1}') > 0 AS from_five;
-- a sequence that cycles always has values left
ALTER SEQUENCE any_last CYCLE;
SELECT nextval_any('{any_4,any_last}') FROM generate_series(1, 4);
-- a sequence without the privilege is an error when it is chosen
GRANT USAGE ON any_last TO regress_range_user;
SET ROLE regress_range_user;
SELECT nextval_any('{any_last,any_last}');
SELECT nextval_any('{any_last,any_1}') FROM generate_series(1, 200);
SELECT nextval_any('{any_1}');
RESET ROLE;
BEGIN READ ONLY;
SELECT nextval_any('{any_1}');
ROLLBACK;
SELECT nextval_any('{any_1,value}') FROM generate_series(1, 200);

-- 1,000 sequences of a thousand million values each
CREATE TABLE counters (sequences regclass[]);
DO $$
BEGIN
    FOR n IN 0 .. 999 LOOP
        EXECUTE format('CREATE SEQUENCE counter_%s MINVALUE %s MAXVALUE %s', n, n * 1000000000::bigint, (n + 1) * 1000000000::bigint - 1);
    END LOOP;
END $$;
INSERT INTO counters SELECT array_agg(format('counter_%s', n)::regclass) FROM generate_series(0, 999) n;
CREATE TABLE numbered AS SELECT nextval_any(sequences) AS id FROM counters, generate_series(1, 10000);
SELECT count(*), count(DISTINCT id), count(DISTINCT id / 1000000000) > 990 AS counters, min(id) >= 0 AND max(id) < 1000000000000 AS in_range,
       max(id % 1000000000) < 60 AS even
FROM numbered;

SET client_min_messages = warning;
DROP SCHEMA ranges CASCADE;
DROP ROLE regress_range_user;
