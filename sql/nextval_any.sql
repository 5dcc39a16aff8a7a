--
-- nextval_any: a value of one of many sequences
--
\a \t on

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_any_user;
RESET client_min_messages;
CREATE ROLE regress_any_user;
CREATE SCHEMA any_sequence;
SET search_path = any_sequence, public;
GRANT USAGE ON SCHEMA any_sequence TO regress_any_user;
CREATE TABLE value (id bigint);

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
-- which can take long, but be cancelled
CREATE TABLE exhausted AS SELECT array_fill('any_4'::regclass, '{2000000}') AS sequences;
BEGIN; SET LOCAL statement_timeout = '50ms';
SELECT nextval_any(sequences) FROM exhausted;
ROLLBACK;
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
GRANT USAGE ON any_last TO regress_any_user;
SET ROLE regress_any_user;
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

-- other relations
SELECT nextval_any('{value}');
SELECT nextval_any('{0}');

-- not in parallel mode
CREATE FUNCTION mislabelled() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN nextval_any('{any_1}'); END $$;
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'on', false) \g /dev/null
SELECT mislabelled();
SELECT set_config(CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'debug_parallel_query' ELSE 'force_parallel_mode' END, 'off', false) \g /dev/null

SET client_min_messages = warning;
DROP SCHEMA any_sequence CASCADE;
DROP ROLE regress_any_user;
