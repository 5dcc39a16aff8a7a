-- The generators of others that bench/faults runs beside ours, where they are not the
-- server's or an extension's.  Each is written anew from its published description; the
-- node or shard, which there is a constant, is an argument.

-- "Sharding & IDs at Instagram", Instagram Engineering, 2012: 41 bits of milliseconds
-- since an epoch of their own, 13 bits of the shard, and 10 bits of the next value of
-- a sequence, modulo 1024.
CREATE SEQUENCE instagram_seq;
CREATE FUNCTION instagram_id(shard bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	number bigint := nextval('instagram_seq') % 1024;
	milliseconds bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
BEGIN
	RETURN ((milliseconds - 1314220021721) << 23) | (shard << 10) | number;
END $$;

-- "Twitter Snowflake for PostgreSQL", of which many migrations in public repositories
-- have a copy: the same with the widths of Twitter, 41, 10 and 12 bits, and modulo
-- 4096.  The epochs differ; here it is Twitter's.
CREATE SEQUENCE copied_seq;
CREATE FUNCTION copied_snowflake(node bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	number bigint := nextval('copied_seq') % 4096;
	milliseconds bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
BEGIN
	RETURN ((milliseconds - 1288834974657) << 22) | (node << 12) | number;
END $$;

-- ULID by its specification, github.com/ulid/spec, but for the optional part on ids of
-- one millisecond, which functions in PL/pgSQL leave out: 48 bits of milliseconds and
-- 80 random bits, five to a digit of Crockford's base 32.
CREATE FUNCTION ulid() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	digits CONSTANT text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
	milliseconds bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
	random bytea := gen_random_bytes(16);
	id text := '';
BEGIN
	FOR i IN REVERSE 9 .. 0 LOOP
		id := id || substr(digits, ((milliseconds >> (5 * i)) & 31)::int + 1, 1);
	END LOOP;
	FOR i IN 0 .. 15 LOOP
		id := id || substr(digits, (get_byte(random, i) & 31) + 1, 1);
	END LOOP;
	RETURN id;
END $$;

-- Ours, and the server's
CREATE SEQUENCE nextval_1_seq;
CREATE SEQUENCE nextval_64_seq CACHE 64;
CREATE SEQUENCE snowflake_1_seq;
CREATE SEQUENCE snowflake_64_seq CACHE 64;
CREATE SEQUENCE shard_seq;
CREATE SCHEMA managed;
CREATE SEQUENCE managed_seq;

-- The order of what sessions do, whatever the clock says
CREATE SEQUENCE moment;
