--
-- settled_snowflake(): what one session sees; specs/ has several
--
CREATE FUNCTION pg_temp.error_of(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE || ': ' || SQLERRM, 'DETAIL: ' || nullif(detail, ''), 'HINT: ' || nullif(hint, ''));
END $$;

-- before the first id: below all that will come
CREATE SEQUENCE event_id;
CREATE SEQUENCE later_id START 5000;
CREATE SEQUENCE lowest_id MINVALUE -9223372036854775808 START -9223372036854775808;
SELECT settled_snowflake('event_id'), settled_snowflake('later_id'), settled_snowflake('lowest_id');

-- the statement that takes an id has not committed it
SELECT next_snowflake('event_id', 5, 'twitter') - settled_snowflake('event_id') AS distance;
-- a later one sees all
SELECT last_value = settled_snowflake('event_id') AS all_settled FROM event_id;

-- an open transaction: below its first id, whatever its savepoints do
BEGIN;
SAVEPOINT a;
SELECT next_snowflake('event_id', 5, 'twitter') AS first \gset
ROLLBACK TO a;
SELECT next_snowflake('event_id', 5, 'twitter') AS second \gset
SELECT :second > :first AS ascends, settled_snowflake('event_id') = :first - 1 AS below_first;
ROLLBACK;
SELECT settled_snowflake('event_id') >= :second AS rolled_back;

-- the slots of one id belong to it
CREATE SEQUENCE step_id INCREMENT 4;
SELECT next_snowflake('step_id', 5, 'twitter') AS id \gset
SELECT settled_snowflake('step_id') - :id AS slots, last_value = settled_snowflake('step_id') AS all_settled FROM step_id;
ALTER SEQUENCE step_id INCREMENT 1;
SELECT next_snowflake('step_id', 5, 'twitter') > settled_snowflake('step_id') AS above;
SELECT last_value = settled_snowflake('step_id') AS all_settled FROM step_id;

-- a block: what is left of it can be used while its tick lasts, so it is not settled
CREATE SEQUENCE block_id CACHE 16;
CREATE PROCEDURE pg_temp.use_block(layout snowflake_layout, INOUT used bigint, INOUT settled bigint)
LANGUAGE plpgsql AS $$
BEGIN
	used := next_snowflake('block_id', 5, layout);
	COMMIT;
	settled := settled_snowflake('block_id');
END $$;
\set minute 'time:31,node:8,seq:24;tick=60s;epoch=2020-01-01T00:00:00Z'
CALL pg_temp.use_block(:'minute', NULL, NULL) \gset
SELECT :settled - :used AS used_only, last_value - :settled AS left_in_block FROM block_id;
SELECT next_snowflake('block_id', 5, :'minute') - :used AS next_of_block;
SELECT pg_sleep(1.1);
-- after a second they are not used any more, although the tick lasts
SELECT last_value = settled_snowflake('block_id') AS all_settled FROM block_id;
SELECT last_value AS before FROM block_id \gset
SELECT next_snowflake('block_id', 5, :'minute') > :before AS above_block;

-- a block whose tick is over, on the clock of the session
CALL pg_temp.use_block('twitter', NULL, NULL) \gset
SELECT pg_sleep(0.01);
SELECT last_value = settled_snowflake('block_id') AS all_settled FROM block_id;

-- setval() forward
SELECT setval('event_id', 9000000000000000000) IS NOT NULL AS set;
SELECT settled_snowflake('event_id');

-- set back in a transaction that has taken ids: below the lowest
CREATE SEQUENCE back_id;
BEGIN;
SELECT setval('back_id', make_snowflake('2070-01-01 00:00:00+00', 0, 0, 'twitter')) > 0 AS ahead;
SET client_min_messages = error;
SELECT next_snowflake('back_id', 5, 'twitter') AS first \gset
SELECT setval('back_id', 1);
SELECT next_snowflake('back_id', 5, 'twitter') AS second \gset
RESET client_min_messages;
SELECT :second < :first AS back, settled_snowflake('back_id') = :second - 1 AS below_second;
COMMIT;
SELECT settled_snowflake('back_id') = :second AS all_settled;

-- more sequences in one transaction than a session publishes in shared memory
DO $$
BEGIN
	FOR i IN 1 .. 150 LOOP
		EXECUTE format('CREATE SEQUENCE many_%s CACHE 10', i);
	END LOOP;
END $$;
BEGIN;
CREATE TEMP TABLE many AS
	SELECT i, next_snowflake(('many_' || i)::regclass, 5, 'twitter') AS id FROM generate_series(1, 150) i;
SAVEPOINT a;
SELECT count(*) FROM many WHERE next_snowflake(('many_' || i)::regclass, 5, 'twitter') > id;
ROLLBACK TO a;
SELECT count(*) FILTER (WHERE settled_snowflake(('many_' || i)::regclass) = id - 1) FROM many;
COMMIT;
SELECT pg_sleep(0.01);
SELECT count(*) FILTER (WHERE settled_snowflake(('many_' || i)::regclass) = last_value)
	FROM many JOIN pg_sequences ON sequencename = 'many_' || i;
SELECT count(*) FROM many WHERE next_snowflake(('many_' || i)::regclass, 5, 'twitter') > id;

-- a temporary sequence
CREATE TEMP SEQUENCE temporary_id;
SELECT next_snowflake('temporary_id', 5, 'twitter') > settled_snowflake('temporary_id') AS above;
SELECT last_value = settled_snowflake('temporary_id') AS all_settled FROM temporary_id;

-- read-only transactions; later statements of READ COMMITTED only
BEGIN READ ONLY;
SELECT settled_snowflake('step_id') > 0 AS read_only;
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pg_temp.error_of('SELECT settled_snowflake(''step_id'')');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT pg_temp.error_of('SELECT settled_snowflake(''step_id'')');
COMMIT;

-- in a statement of its own: a condition on a table would be true for rows that
-- the statement does not see
CREATE TABLE event (id bigint PRIMARY KEY);
CREATE TABLE bookmark (upto bigint);
INSERT INTO bookmark VALUES (0);
SELECT * FROM event WHERE id > 0 AND id <= settled_snowflake('step_id');
SELECT * FROM event WHERE id <= (SELECT settled_snowflake('step_id'));
SELECT * FROM event JOIN bookmark ON id <= settled_snowflake('step_id');
SELECT * FROM event WHERE EXISTS (SELECT 1 FROM bookmark WHERE upto < settled_snowflake('step_id'));
UPDATE bookmark SET upto = id FROM event WHERE id <= settled_snowflake('step_id');
PREPARE read AS SELECT * FROM event WHERE id <= settled_snowflake('step_id');
EXECUTE read;
-- elsewhere there is no harm
SELECT upto < settled_snowflake('step_id') AS new FROM bookmark;
UPDATE bookmark SET upto = settled_snowflake('step_id') WHERE upto = 0;
INSERT INTO bookmark SELECT settled_snowflake('step_id') WHERE settled_snowflake('step_id') > 0;
INSERT INTO bookmark SELECT 0 WHERE settled_snowflake('step_id') > 0;
UPDATE bookmark SET upto = settled_snowflake('step_id') WHERE upto < settled_snowflake('step_id');
DELETE FROM event WHERE id <= settled_snowflake('step_id');
SELECT count(*) FROM pg_class WHERE oid = 'step_id'::regclass AND settled_snowflake(oid) > 0;
SELECT count(*) FROM bookmark WHERE upto > 0;
SELECT 1 AS above WHERE settled_snowflake('step_id') > 0;
DROP TABLE event, bookmark;

-- privileges: SELECT or USAGE
CREATE ROLE regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('SELECT settled_snowflake(''step_id'')');
RESET ROLE;
GRANT UPDATE ON SEQUENCE step_id TO regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('SELECT settled_snowflake(''step_id'')');
RESET ROLE;
GRANT SELECT ON SEQUENCE step_id TO regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('SELECT settled_snowflake(''step_id'')');
RESET ROLE;
REVOKE ALL ON SEQUENCE step_id FROM regress_feed_reader;
GRANT USAGE ON SEQUENCE step_id TO regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('SELECT settled_snowflake(''step_id'')');
RESET ROLE;

-- not a sequence
SELECT pg_temp.error_of('SELECT settled_snowflake(''pg_class'')');
SELECT pg_temp.error_of('SELECT settled_snowflake(0)');
SELECT settled_snowflake(NULL);

DROP SEQUENCE event_id, later_id, lowest_id, step_id, block_id, back_id;
DO $$
BEGIN
	FOR i IN 1 .. 150 LOOP
		EXECUTE format('DROP SEQUENCE many_%s', i);
	END LOOP;
END $$;
DROP ROLE regress_feed_reader;
