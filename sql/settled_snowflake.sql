--
-- settled_snowflake(): what one session sees; specs/ has several
--
\a \t on
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

-- The bound, for more than one in a statement.  In a query on a table it would be
-- wrong, which is why settled_snowflake() is a procedure.
CREATE FUNCTION pg_temp.settled(seq regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	upto bigint;
BEGIN
	CALL settled_snowflake(seq, upto);
	RETURN upto;
END $$;

-- before the first id: below all that will come
CREATE SEQUENCE event_id;
CREATE SEQUENCE later_id START 5000;
CREATE SEQUENCE lowest_id MINVALUE -9223372036854775808 START -9223372036854775808;
SELECT pg_temp.settled('event_id'), pg_temp.settled('later_id'), pg_temp.settled('lowest_id');

-- the statement that takes an id has not committed it
SELECT next_snowflake('event_id', 5, 'twitter') - pg_temp.settled('event_id') AS distance;
-- a later one sees all
SELECT last_value = pg_temp.settled('event_id') AS all_settled FROM event_id;

-- an open transaction: below its first id, whatever its savepoints do
BEGIN;
SAVEPOINT a;
SELECT next_snowflake('event_id', 5, 'twitter') AS first \gset
ROLLBACK TO a;
SELECT next_snowflake('event_id', 5, 'twitter') AS second \gset
SELECT :second > :first AS ascends, pg_temp.settled('event_id') = :first - 1 AS below_first;
ROLLBACK;
SELECT pg_temp.settled('event_id') >= :second AS rolled_back;

-- the slots of one id belong to it
CREATE SEQUENCE step_id INCREMENT 4;
SELECT next_snowflake('step_id', 5, 'twitter') AS id \gset
SELECT pg_temp.settled('step_id') - :id AS slots, last_value = pg_temp.settled('step_id') AS all_settled FROM step_id;
ALTER SEQUENCE step_id INCREMENT 1;
SELECT next_snowflake('step_id', 5, 'twitter') > pg_temp.settled('step_id') AS above;
SELECT last_value = pg_temp.settled('step_id') AS all_settled FROM step_id;

-- a block: what is left of it can be used while its tick lasts, so it is not settled
CREATE SEQUENCE block_id CACHE 16;
CREATE PROCEDURE pg_temp.use_block(layout snowflake_layout, INOUT used bigint DEFAULT NULL, INOUT settled bigint DEFAULT NULL, INOUT next bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
	used := next_snowflake('block_id', 5, layout);
	COMMIT;
	CALL settled_snowflake('block_id', settled);
	next := next_snowflake('block_id', 5, layout);
END $$;
-- in the middle of a tick; autovacuum, which changes a relation, can end a block before
CREATE PROCEDURE pg_temp.use_undisturbed(layout snowflake_layout, INOUT used bigint DEFAULT NULL, INOUT settled bigint DEFAULT NULL, INOUT next bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
	FOR try IN 1 .. 60 LOOP
		CALL pg_temp.use_block(layout, used, settled, next);
		EXIT WHEN next = used + 1;
		PERFORM pg_sleep(1.1);		-- to begin with a new block
	END LOOP;
END $$;
SELECT 'time:31,node:8,seq:24;tick=3600s;epoch=' || to_char(now() AT TIME ZONE 'UTC' - interval '90 min', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS hour \gset
CALL pg_temp.use_undisturbed(:'hour') \gset
SELECT :settled - :used AS used_only, last_value - :settled AS left_in_block, :next - :used AS next_of_block FROM block_id;
SELECT pg_sleep(1.1);
-- after a second they are not used any more, although the tick lasts
SELECT last_value = pg_temp.settled('block_id') AS all_settled FROM block_id;
SELECT last_value AS before FROM block_id \gset
SELECT next_snowflake('block_id', 5, :'hour') > :before AS above_block;

-- a block whose tick is over, on the clock of the session
CALL pg_temp.use_block('twitter') \gset
SELECT pg_sleep(0.01);
SELECT last_value = pg_temp.settled('block_id') AS all_settled FROM block_id;

-- setval() forward
SELECT setval('event_id', 9000000000000000000) IS NOT NULL AS set;
SELECT pg_temp.settled('event_id');

-- set back in a transaction that has taken ids: below the lowest
CREATE SEQUENCE back_id;
BEGIN;
SELECT setval('back_id', make_snowflake('2070-01-01 00:00:00+00', 0, 0, 'twitter')) > 0 AS ahead;
SET client_min_messages = error;
SELECT next_snowflake('back_id', 5, 'twitter') AS first \gset
SELECT setval('back_id', 1);
SELECT next_snowflake('back_id', 5, 'twitter') AS second \gset
RESET client_min_messages;
SELECT :second < :first AS back, pg_temp.settled('back_id') = :second - 1 AS below_second;
COMMIT;
SELECT pg_temp.settled('back_id') = :second AS all_settled;

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
SELECT count(*) FILTER (WHERE pg_temp.settled(('many_' || i)::regclass) = id - 1) FROM many;
COMMIT;
SELECT pg_sleep(0.01);
SELECT count(*) FILTER (WHERE pg_temp.settled(('many_' || i)::regclass) = last_value)
	FROM many JOIN pg_sequences ON sequencename = 'many_' || i;
SELECT count(*) FROM many WHERE next_snowflake(('many_' || i)::regclass, 5, 'twitter') > id;

-- a sequence that the transaction drops after it has taken ids from it
CREATE SEQUENCE dropped_id;
CREATE SEQUENCE new_id;
CREATE SEQUENCE other_new_id;
SELECT 'dropped_id'::regclass::oid AS dropped_oid \gset
BEGIN;
SELECT next_snowflake('dropped_id', 5, 'twitter') > 0 AS ok;
DROP SEQUENCE dropped_id;
SELECT pg_temp.error_of(format('SELECT next_snowflake(%s, 5, ''twitter'')', :dropped_oid)) ~ '^42P01: sequence with OID \d+ does not exist$' AS dropped;
SELECT next_snowflake('new_id', 5, 'twitter') AS first, next_snowflake('other_new_id', 5, 'twitter') AS second \gset
SELECT pg_temp.settled('new_id') = :first - 1 AND pg_temp.settled('other_new_id') = :second - 1 AS below_both;
COMMIT;
SELECT pg_temp.settled('new_id') = :first AND pg_temp.settled('other_new_id') = :second AS all_settled;
DROP SEQUENCE new_id, other_new_id;

-- a temporary sequence
CREATE TEMP SEQUENCE temporary_id;
SELECT next_snowflake('temporary_id', 5, 'twitter') > 0 AS ok;
CALL settled_snowflake('temporary_id', NULL);
-- ... of which a transaction can use any number without shared memory
DO $$
BEGIN
	FOR i IN 1 .. 1500 LOOP
		EXECUTE format('CREATE TEMP SEQUENCE passing_%s', i);
		PERFORM next_snowflake(format('passing_%s', i)::regclass, 5, 'twitter');
		EXECUTE format('DROP SEQUENCE passing_%s', i);
	END LOOP;
END $$;

-- read-only transactions; later statements of READ COMMITTED only
BEGIN READ ONLY;
SELECT pg_temp.settled('step_id') > 0 AS read_only;
COMMIT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT pg_temp.error_of('CALL settled_snowflake(''step_id'', NULL)');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT pg_temp.error_of('CALL settled_snowflake(''step_id'', NULL)');
COMMIT;

-- Not in a query: its snapshot would be older than the bound.
CREATE TABLE event (id bigint PRIMARY KEY);
SELECT * FROM event WHERE id <= settled_snowflake('step_id', NULL);
WITH bound AS (CALL settled_snowflake('step_id', NULL)) SELECT * FROM event;
CREATE FUNCTION pg_temp.stable_bound() RETURNS bigint STABLE LANGUAGE plpgsql AS $$
DECLARE
	upto bigint;
BEGIN
	CALL settled_snowflake('step_id', upto);
	RETURN upto;
END $$;
\set SHOW_CONTEXT never
SELECT pg_temp.stable_bound();
-- but in a statement of its own, by name too, and what goes in does not matter
CALL settled_snowflake('step_id', 17) \gset
SELECT :upto = last_value AS all_settled FROM step_id;
CALL settled_snowflake(upto => NULL, seq => 'step_id') \gset
SELECT :upto = last_value AS all_settled FROM step_id;
DROP TABLE event;

-- privileges: SELECT or USAGE
CREATE ROLE regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('CALL settled_snowflake(''step_id'', NULL)');
RESET ROLE;
GRANT UPDATE ON SEQUENCE step_id TO regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('CALL settled_snowflake(''step_id'', NULL)');
RESET ROLE;
GRANT SELECT ON SEQUENCE step_id TO regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('CALL settled_snowflake(''step_id'', NULL)');
RESET ROLE;
REVOKE ALL ON SEQUENCE step_id FROM regress_feed_reader;
GRANT USAGE ON SEQUENCE step_id TO regress_feed_reader;
SET ROLE regress_feed_reader;
SELECT pg_temp.error_of('CALL settled_snowflake(''step_id'', NULL)');
RESET ROLE;

-- not a sequence
SELECT pg_temp.error_of('CALL settled_snowflake(''pg_class'', NULL)');
SELECT pg_temp.error_of('CALL settled_snowflake(0, NULL)');
CALL settled_snowflake(NULL, NULL);

DROP SEQUENCE event_id, later_id, lowest_id, step_id, block_id, back_id;
DO $$
BEGIN
	FOR i IN 1 .. 150 LOOP
		EXECUTE format('DROP SEQUENCE many_%s', i);
	END LOOP;
END $$;
DROP ROLE regress_feed_reader;
