--
-- The blocks of CACHE that a session keeps for its next transactions
--
\a \t on
SET synchronous_commit = off;		-- a disk that is slow must not end a block

-- A layout of which the present is in the middle of a tick of an hour
SELECT set_config('blocks.hours', 'time:31,node:8,seq:24;tick=3600s;epoch=' ||
	to_char(now() AT TIME ZONE 'UTC' - interval '90 min', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), false) <> '' AS set;

CREATE SEQUENCE main_id CACHE 64;
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		EXECUTE format('CREATE SEQUENCE long_%s CACHE 10', i);
		EXECUTE format('CREATE SEQUENCE short_%s CACHE 10', i);
		EXECUTE format('CREATE SEQUENCE failing_%s MAXVALUE 1000', i);
	END LOOP;
END $$;

-- An id from a sequence, in a transaction of its own: is it from the block at hand?
CREATE PROCEDURE pg_temp.take(seq regclass, layout snowflake_layout, INOUT from_block bool DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	before bigint := pg_sequence_last_value(seq);
BEGIN
	PERFORM next_snowflake(seq, 5, layout);
	from_block := before IS NOT DISTINCT FROM pg_sequence_last_value(seq);
	COMMIT;
END $$;

-- A change of any relation, such as autovacuum makes, ends all blocks.  So all that follows is
-- tried again until nothing comes between.

-- 50 transactions with an id of the main sequence.  A block is used for a second at most,
-- so on a slow machine they need more than one.
CREATE PROCEDURE pg_temp.take_50(INOUT from_blocks bool DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz;
	from_block bool;
	blocks int;
BEGIN
	FOR try IN 1 .. 60 LOOP
		began := clock_timestamp();
		blocks := 0;
		FOR i IN 1 .. 50 LOOP
			CALL pg_temp.take('main_id', current_setting('blocks.hours')::snowflake_layout, from_block);
			blocks := blocks + (NOT from_block)::int;
		END LOOP;
		from_blocks := blocks <= 2 + extract(epoch FROM clock_timestamp() - began);
		EXIT WHEN from_blocks;
		PERFORM pg_sleep(1);
	END LOOP;
END $$;
CALL pg_temp.take_50();
-- after failed calls, each of another sequence
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		BEGIN
			PERFORM next_snowflake(('failing_' || i)::regclass, 5, 'twitter');
			RAISE 'no error';
		EXCEPTION WHEN sequence_generator_limit_exceeded THEN
		END;
	END LOOP;
END $$;
CALL pg_temp.take_50();
-- after ids of 100 sequences in one transaction
DO $$
BEGIN
	PERFORM next_snowflake(('long_' || i)::regclass, 5, current_setting('blocks.hours')::snowflake_layout)
		FROM generate_series(1, 100) i;
END $$;
CALL pg_temp.take_50();

-- Of 100 sequences, the blocks of those that were used last are kept.
CREATE PROCEDURE pg_temp.take_last(INOUT from_blocks int DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	from_block bool;
BEGIN
	FOR try IN 1 .. 60 LOOP
		PERFORM pg_sleep(1.1);
		from_blocks := 0;
		FOR i IN 1 .. 120 LOOP
			CALL pg_temp.take(('long_' || least(i, 201 - i))::regclass, current_setting('blocks.hours')::snowflake_layout, from_block);
			from_blocks := from_blocks + from_block::int;
		END LOOP;
		EXIT WHEN from_blocks >= 20;
	END LOOP;
END $$;
CALL pg_temp.take_last();

-- Blocks that are over, here of ticks of a millisecond, do not count.
CREATE PROCEDURE pg_temp.take_others(INOUT from_block bool DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
	FOR try IN 1 .. 60 LOOP
		PERFORM pg_sleep(1.1);
		CALL pg_temp.take('main_id', current_setting('blocks.hours')::snowflake_layout, from_block);
		FOR i IN 1 .. 100 LOOP
			CALL pg_temp.take(('short_' || i)::regclass, 'twitter', from_block);
			PERFORM pg_sleep(0.002) WHERE i % 25 = 0;
		END LOOP;
		CALL pg_temp.take('main_id', current_setting('blocks.hours')::snowflake_layout, from_block);
		EXIT WHEN from_block;
	END LOOP;
END $$;
CALL pg_temp.take_others();

DROP SEQUENCE main_id;
DO $$
BEGIN
	FOR i IN 1 .. 100 LOOP
		EXECUTE format('DROP SEQUENCE long_%1$s, short_%1$s, failing_%1$s', i);
	END LOOP;
END $$;
