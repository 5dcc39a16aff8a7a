--
-- mask_snowflake(): a keyed permutation of [0, 2^63)
--
\a \t on

-- Known answers, which must never change.  Another program computed them, with the
-- hmac module of Python.
SELECT key, id, mask_snowflake(id, key::bytea) = masked AS as_known, unmask_snowflake(masked, key::bytea) = id AS back
FROM (VALUES
    ('\x000102030405060708090a0b0c0d0e0f', 0, 6169766735346819366),
    ('\x000102030405060708090a0b0c0d0e0f', 1, 1644986079403926210),
    ('\x000102030405060708090a0b0c0d0e0f', 2, 2045257225535525450),
    ('\x000102030405060708090a0b0c0d0e0f', 412837060439154765, 4075607683786564753),
    ('\x000102030405060708090a0b0c0d0e0f', 9223372036854775807, 3599260134730470794),
    ('\x00000000000000000000000000000000', 0, 1358687616603068745),
    ('\x00000000000000000000000000000000', 1, 2553140490999560930),
    ('\x00000000000000000000000000000000', 2, 8419560599412138942),
    ('\x00000000000000000000000000000000', 412837060439154765, 1936219273478149734),
    ('\x00000000000000000000000000000000', 9223372036854775807, 710195228698402111),
    ('\xf0e1d2c3b4a5968778695a4b3c2d1e0f', 0, 1314688354882637528),
    ('\xf0e1d2c3b4a5968778695a4b3c2d1e0f', 1, 3069922699758535633),
    ('\xf0e1d2c3b4a5968778695a4b3c2d1e0f', 2, 8842826451144635435),
    ('\xf0e1d2c3b4a5968778695a4b3c2d1e0f', 412837060439154765, 1710913990151991965),
    ('\xf0e1d2c3b4a5968778695a4b3c2d1e0f', 9223372036854775807, 5286558742364034269)) AS known (key, id, masked);

-- The inverse, and that nothing comes twice, for neighbours and for all sizes of ids
\set key '\\x6b05f2e1c39a4d7788f01023bcde4a55'
CREATE TABLE masked AS
SELECT id, mask_snowflake(id, :'key') AS masked FROM (SELECT generate_series(0, 99999) UNION SELECT (1::bigint << i) + j FROM generate_series(0, 62) i, generate_series(-3, 3) j WHERE i < 62 OR j < 0) AS s (id) WHERE id >= 0;
SELECT count(*) = count(DISTINCT masked) AS distinct, bool_and(unmask_snowflake(masked, :'key') = id) AS back, min(masked) >= 0 AS not_negative FROM masked;
SELECT mask_snowflake(unmask_snowflake(9223372036854775807, :'key'), :'key') AS highest;

-- A change of one bit of the id, or of the key, changes half of the 63 bits.
CREATE FUNCTION pg_temp.bits(a bigint, b bigint) RETURNS int LANGUAGE sql AS $$ SELECT bit_count((a # b)::bit(64))::int $$;
SELECT round(avg(pg_temp.bits(mask_snowflake(id, :'key'), mask_snowflake(id # (1::bigint << i), :'key'))), 1) BETWEEN 31 AND 32 AS of_id,
       round(avg(pg_temp.bits(mask_snowflake(id, :'key'), mask_snowflake(id, set_bit(:'key'::bytea, i * 2, 1 - get_bit(:'key'::bytea, i * 2))))), 1) BETWEEN 31 AND 32 AS of_key
FROM generate_series(1, 200) id, generate_series(0, 62) i;
-- neighbours are not near each other
SELECT abs(corr(id, masked)) < 0.02 AS no_order FROM masked WHERE id < 100000;

-- A condition on the masked form uses the index of the id.
ALTER TABLE masked ADD PRIMARY KEY (id);
ANALYZE masked;
SELECT mask_snowflake(4711, :'key') AS shown \gset
EXPLAIN (COSTS OFF) SELECT FROM masked WHERE id = unmask_snowflake(:shown, :'key');
SELECT id FROM masked WHERE id = unmask_snowflake(:shown, :'key');
PREPARE by_mask (bigint, bytea) AS SELECT id FROM masked WHERE id = unmask_snowflake($1, $2);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE by_mask(:shown, :'key');
EXECUTE by_mask(:shown, :'key');
RESET plan_cache_mode;

-- errors
SELECT mask_snowflake(-1, :'key');
SELECT unmask_snowflake(-1, :'key');
SELECT mask_snowflake(1, '\x00');
SELECT unmask_snowflake(1, ''::bytea);
SELECT mask_snowflake(NULL, :'key') IS NULL AND mask_snowflake(1, NULL) IS NULL AS strict;
DROP TABLE masked;
