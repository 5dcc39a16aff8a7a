--
-- random_digits, permute_digits and its inverse
--
\a \t on

-- Pearson's chi-squared statistic of items whose kinds should be equally
-- frequent, for the given number of kinds
CREATE FUNCTION pg_temp.chi_square(counts bigint[], kinds int) RETURNS float8 LANGUAGE sql AS $$
    SELECT sum((c - expected) ^ 2 / expected) + (kinds - count(*)) * min(expected)
    FROM unnest(counts) AS c, LATERAL (SELECT (SELECT sum(n) FROM unnest(counts) n)::float8 / kinds AS expected) e
$$;
SELECT pg_temp.chi_square('{10,10,10}', 3) AS even, pg_temp.chi_square('{30}', 3) AS one, round(pg_temp.chi_square('{8,12,10}', 3)::numeric, 6) AS uneven;

-- The places of a number with this many digits
CREATE TEMP TABLE places AS SELECT digits, place, (10 ^ place)::bigint AS power FROM generate_series(1, 18) AS digits, generate_series(0, digits - 1) AS place;

--
-- The permutation must never change.
--
SELECT value, digits, key, permute_digits(value, digits, key)
FROM (VALUES (0::bigint, 1, 0::bigint), (1, 1, 0), (9, 1, 0), (7, 1, -1), (0, 2, 1), (42, 3, 42), (1, 6, 12345), (2, 6, 12345), (999999, 6, 12345),
             (0, 9, 0), (1, 9, 0), (1, 9, -9223372036854775808), (1, 9, 9223372036854775807), (123456789012, 12, -987654321),
             (0, 18, 0), (1, 18, 0), (999999999999999999, 18, 0), (999999999999999999, 18, -1), (123456789012345678, 18, 9223372036854775807)) AS v (value, digits, key);

-- It is a permutation of [0, 10^n) for any key, and the inverse undoes it.
SELECT digits, key, count(DISTINCT p) = 10 ^ digits AS bijection, min(p) = 0 AND max(p) = 10 ^ digits - 1 AS onto,
       bool_and(unpermute_digits(p, digits, key) = i) AS inverse
FROM generate_series(1, 5) AS digits,
     (VALUES (0::bigint), (1), (-1), (20261120), (-9223372036854775808)) AS k (key),
     LATERAL (SELECT i, permute_digits(i, digits, key) AS p FROM generate_series(0, (10 ^ digits)::bigint - 1) AS i OFFSET 0) AS s
WHERE digits < 5 OR key IN (20261120, -1)
GROUP BY digits, key ORDER BY digits, key;

-- Round trip of values of 7 to 18 digits; 100,000 of 18, each with another key
SELECT count(*), count(*) FILTER (WHERE unpermute_digits(p, 18, key) <> value) AS changed, count(*) FILTER (WHERE p NOT BETWEEN 0 AND 999999999999999999) AS outside,
       count(*) FILTER (WHERE p = value) AS in_place
FROM (SELECT value, key, permute_digits(value, 18, key) AS p
      FROM (SELECT random_digits(18) AS value, random_digits(18) - 500000000000000000 AS key FROM generate_series(1, 100000) OFFSET 0) AS s OFFSET 0) AS t;
SELECT digits, count(*) FILTER (WHERE unpermute_digits(permute_digits(value, digits, i), digits, i) <> value) AS changed
FROM (SELECT digits, i, random_digits(digits) AS value FROM generate_series(7, 17) AS digits, generate_series(1, 1000) AS i OFFSET 0) AS s
GROUP BY digits HAVING count(*) FILTER (WHERE unpermute_digits(permute_digits(value, digits, i), digits, i) <> value) > 0;

-- Values of a sequence become numbers that do not repeat and look random.
CREATE SEQUENCE ticket;
SELECT permute_digits(nextval('ticket'), 6, 42) AS number FROM generate_series(1, 10);

-- 1,000 consecutive keys give 1,000 different series.
SELECT count(DISTINCT series) FROM (SELECT array_agg(permute_digits(i, 9, key)) AS series FROM generate_series(-500, 499) AS key, generate_series(0, 4) AS i GROUP BY key) AS s;
-- and so do different numbers of digits
SELECT count(DISTINCT permute_digits(5, digits, 1)) FROM generate_series(4, 18) AS digits;

-- In the numbers of consecutive values, all digits are equally frequent at each
-- place, and so are those of their differences.  A random permutation would
-- exceed 50 at 9 degrees of freedom once in ten million; the result here is
-- always the same.
WITH permuted AS (
    SELECT digits, i, permute_digits(i, digits, digits - 7) AS p FROM generate_series(6, 9) AS digits, generate_series(0, 19999) AS i
), places AS (
    SELECT digits, place, p / power % 10 AS digit, count(*) AS n FROM permuted JOIN pg_temp.places USING (digits) GROUP BY 1, 2, 3
), steps AS (
    SELECT digits, (p - previous + 10 * power) % (10 * power) / power AS digit, count(*) AS n
    FROM (SELECT digits, p, lag(p) OVER (PARTITION BY digits ORDER BY i) AS previous FROM permuted) AS s JOIN pg_temp.places USING (digits)
    WHERE place = digits - 1 AND previous IS NOT NULL GROUP BY 1, 2
)
SELECT 'places' AS what, count(*) AS tests, max(chi) < 50 AS even FROM (SELECT pg_temp.chi_square(array_agg(n), 10) AS chi FROM places GROUP BY digits, place) AS c
UNION ALL
SELECT 'steps', count(*), max(chi) < 50 FROM (SELECT pg_temp.chi_square(array_agg(n), 10) AS chi FROM steps GROUP BY digits) AS c;

-- With one digit, too, no order of the ten numbers prevails: over 20,000 keys
-- each number is mapped to each place equally often (81 degrees of freedom), as
-- many permutations are odd as even, and there are as many different ones as in
-- 20,000 random draws from 10! (19,945 and 7).
WITH orders AS MATERIALIZED (
    SELECT key, array_agg(permute_digits(i, 1, key) ORDER BY i) AS o FROM generate_series(1, 20000) AS key, generate_series(0, 9) AS i GROUP BY key
), cells AS (
    SELECT i, o[i] AS image, count(*) AS n FROM orders, generate_series(1, 10) AS i GROUP BY 1, 2
), parities AS (
    SELECT count(*) FILTER (WHERE inversions % 2 = 1) AS odd
    FROM (SELECT count(*) FILTER (WHERE o[a] > o[b]) AS inversions
          FROM orders, generate_series(1, 9) AS a, generate_series(a + 1, 10) AS b WHERE key <= 2000 GROUP BY key) AS s
)
SELECT (SELECT pg_temp.chi_square(array_agg(n), 100) < 150 FROM cells) AS places,
       (SELECT odd BETWEEN 888 AND 1112 FROM parities) AS parity,
       (SELECT count(DISTINCT o) BETWEEN 19910 AND 19980 FROM orders) AS orders;

--
-- random_digits: uniform over [0, 10^n)
--
SELECT digits, count(*), min(r) >= 0 AS not_negative, max(r) < 10 ^ digits AS below, max(r) >= 10 ^ digits * 0.9 AS all_the_way
FROM generate_series(1, 18) AS digits, LATERAL (SELECT random_digits(digits) AS r FROM generate_series(1, 1000)) AS s GROUP BY digits ORDER BY digits;
-- By chance, 80 at 9 degrees of freedom is exceeded once in 10^13, and 300 at 99
-- once in 10^21.
WITH numbers AS MATERIALIZED (
    SELECT digits, random_digits(digits) AS r FROM generate_series(1, 18) AS digits, generate_series(1, 10000) AS i
), places AS (
    SELECT digits, place, r / power % 10 AS digit, count(*) AS n FROM numbers JOIN pg_temp.places USING (digits) GROUP BY 1, 2, 3
)
SELECT count(*) AS tests, max(chi) < 80 AS uniform FROM (SELECT pg_temp.chi_square(array_agg(n), 10) AS chi FROM places GROUP BY digits, place) AS c;
SELECT count(*) AS kinds, pg_temp.chi_square(array_agg(n), 100) < 300 AS uniform FROM (SELECT count(*) AS n FROM generate_series(1, 100000) AS i GROUP BY random_digits(2)) AS c;
-- each call gives a new number; 100,000 numbers of 18 digits do not collide
SELECT count(DISTINCT random_digits(18)) FROM generate_series(1, 100000);

--
-- Bounds and errors
--
SELECT permute_digits(9, 1, 5) BETWEEN 0 AND 9 AS one, permute_digits(999999999999999999, 18, 5) BETWEEN 0 AND 999999999999999999 AS eighteen;
SELECT random_digits(0);
SELECT random_digits(19);
SELECT random_digits(-2147483648);
SELECT random_digits(NULL), permute_digits(NULL, 1, 1), permute_digits(1, NULL, 1), permute_digits(1, 1, NULL), unpermute_digits(NULL, 1, 1);
SELECT permute_digits(0, 0, 1);
SELECT permute_digits(0, 19, 1);
SELECT unpermute_digits(0, 19, 1);
SELECT permute_digits(10, 1, 1);
SELECT permute_digits(-1, 1, 1);
SELECT unpermute_digits(1000000, 6, 1);
SELECT permute_digits(1000000000000000000, 18, 1);
SELECT permute_digits(-9223372036854775808, 18, 1), unpermute_digits(9223372036854775807, 18, 1);
\set VERBOSITY sqlstate
SELECT random_digits(0);
SELECT permute_digits(10, 1, 1);
SELECT unpermute_digits(1, 0, 1);
\set VERBOSITY default
-- immutable: in an index or a generated column
CREATE TABLE invoice (n bigint GENERATED ALWAYS AS IDENTITY, number bigint GENERATED ALWAYS AS (permute_digits(n, 9, 20261120)) STORED UNIQUE);
INSERT INTO invoice SELECT FROM generate_series(1, 1000);
SELECT count(*), count(DISTINCT number), bool_and(unpermute_digits(number, 9, 20261120) = n) AS inverse FROM invoice;
SELECT proname, provolatile, proparallel, proisstrict FROM pg_proc WHERE proname LIKE '%\_digits' ORDER BY 1;

DROP TABLE invoice, places;
DROP SEQUENCE ticket;
