/*-------------------------------------------------------------------------
 *
 * digits.c
 *		Numbers of a given count of decimal digits: random ones, and a keyed
 *		permutation that makes the values of a sequence look random.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "port/pg_bitutils.h"

#define DIGITS_MAX	18

/* Rounds of the permutation's Feistel network. */
#define ROUNDS		10

/* 10 to the power of a count of digits; an error if there can be no such count. */
static uint64
numbers_of_digits(int32 digits)
{
	uint64		result = 1;

	if (digits < 1 || digits > DIGITS_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of digits must be from 1 to %d, not %d", DIGITS_MAX, digits)));
	while (digits-- > 0)
		result *= 10;
	return result;
}

/*
 * A random number of at most so many digits (int4, 1 to 18), uniform over
 * [0, 10^digits), from the strong random source.  Another count of digits:
 * invalid_parameter_value.
 */
PG_FUNCTION_INFO_V1(random_digits);
Datum
random_digits(PG_FUNCTION_ARGS)
{
	uint64		limit = numbers_of_digits(PG_GETARG_INT32(0));
	uint64		mask = PG_UINT64_MAX >> (63 - pg_leftmost_one_pos64(limit));
	uint64		value;

	/* A remainder would prefer small numbers; at most half are thrown away. */
	do
	{
		if (!pg_strong_random(&value, sizeof(value)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not generate random values")));
		value &= mask;
	} while (value >= limit);
	PG_RETURN_INT64((int64) value);
}

/*
 * The permutation.  A Feistel network permutes the numbers of 2n bits, where n
 * is the least with 2^2n >= 10^digits; what it takes out of [0, 10^digits) is
 * permuted again until it is back inside ("cycle walking": Black and Rogaway,
 * Ciphers with Arbitrary Finite Domains, 2002).  Fewer than four turns are
 * needed on average.
 *
 * Numbers that were given out depend on it: it never changes.
 */
typedef struct digit_permutation
{
	uint64		limit;			/* 10^digits */
	int			half_bits;		/* n */
	uint64		half_mask;
	uint64		round_keys[ROUNDS];
} digit_permutation;

/* The finalizer of MurmurHash3 (Austin Appleby): every bit depends on all. */
static inline uint64
mix_bits(uint64 x)
{
	x ^= x >> 33;
	x *= UINT64CONST(0xFF51AFD7ED558CCD);
	x ^= x >> 33;
	x *= UINT64CONST(0xC4CEB9FE1A85EC53);
	x ^= x >> 33;
	return x;
}

static void
init_permutation(digit_permutation *p, int32 digits, int64 key)
{
	p->limit = numbers_of_digits(digits);
	p->half_bits = (pg_leftmost_one_pos64(p->limit - 1) + 2) / 2;
	p->half_mask = (UINT64CONST(1) << p->half_bits) - 1;
	for (int round = 0; round < ROUNDS; round++)
		p->round_keys[round] = mix_bits(mix_bits((uint64) key) + round + 1);
}

/* What one half is changed by, as a function of the other. */
static inline uint64
round_value(const digit_permutation *p, int round, uint64 half)
{
	return mix_bits(half + p->round_keys[round]) & p->half_mask;
}

static uint64
permute_bits(const digit_permutation *p, uint64 value)
{
	uint64		left = value >> p->half_bits;
	uint64		right = value & p->half_mask;

	for (int round = 0; round < ROUNDS; round++)
	{
		uint64		next = left ^ round_value(p, round, right);

		left = right;
		right = next;
	}
	return left << p->half_bits | right;
}

static uint64
unpermute_bits(const digit_permutation *p, uint64 value)
{
	uint64		left = value >> p->half_bits;
	uint64		right = value & p->half_mask;

	for (int round = ROUNDS - 1; round >= 0; round--)
	{
		uint64		previous = right ^ round_value(p, round, left);

		right = left;
		left = previous;
	}
	return left << p->half_bits | right;
}

/* Permute, in one direction or the other, until back among the numbers. */
static int64
walk_permutation(FunctionCallInfo fcinfo, uint64 (*step) (const digit_permutation *, uint64))
{
	int64		value = PG_GETARG_INT64(0);
	digit_permutation p;
	uint64		result;

	init_permutation(&p, PG_GETARG_INT32(1), PG_GETARG_INT64(2));
	if (value < 0 || (uint64) value >= p.limit)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value %lld is out of range for %d digits", (long long) value, PG_GETARG_INT32(1)),
				 errdetail("It must be from 0 to %lld.", (long long) p.limit - 1)));

	result = (uint64) value;
	do
		result = step(&p, result);
	while (result >= p.limit);
	return (int64) result;
}

/*
 * A number (int8) of at most so many digits (int4, 1 to 18), permuted by a key
 * (int8): for each key a bijection on [0, 10^digits).  It hides order from
 * people; it is no encryption.  A number of more digits:
 * numeric_value_out_of_range; another count of digits:
 * invalid_parameter_value.
 */
PG_FUNCTION_INFO_V1(permute_digits);
Datum
permute_digits(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(walk_permutation(fcinfo, permute_bits));
}

/* The inverse of permute_digits(). */
PG_FUNCTION_INFO_V1(unpermute_digits);
Datum
unpermute_digits(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(walk_permutation(fcinfo, unpermute_bits));
}
