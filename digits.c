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

/* Rounds of the permutation.  Fewer would favour some orders of ten numbers. */
#define ROUNDS		12

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
 * The permutation.  10^n is 2^n times 5^n, so a number is a pair of one below
 * 2^n and one below 5^n.  Each in turn is changed by what a hash makes of the
 * other: a Feistel network whose halves are of different sizes (FE1 of Bellare,
 * Ristenpart, Rogaway and Stegers, Format-Preserving Encryption, 2009).
 *
 * Numbers that were given out depend on it: it never changes.
 */
typedef struct digit_permutation
{
	int			digits;
	uint64		limit;			/* 10^digits */
	uint64		key;
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

/* What one half is changed by in a step, two a round, as a function of the other. */
static inline uint64
half_change(const digit_permutation *p, int step, uint64 half)
{
	return mix_bits(half + mix_bits(p->key + step));
}

static uint64
permute(const digit_permutation *p, uint64 value)
{
	uint64		mask = (UINT64CONST(1) << p->digits) - 1;
	uint64		fives = p->limit >> p->digits;
	uint64		low = value & mask;
	uint64		high = value >> p->digits;

	for (int step = 1; step < 2 * ROUNDS; step += 2)
	{
		low ^= half_change(p, step, high) & mask;
		high = (high + half_change(p, step + 1, low) % fives) % fives;
	}
	return high << p->digits | low;
}

static uint64
unpermute(const digit_permutation *p, uint64 value)
{
	uint64		mask = (UINT64CONST(1) << p->digits) - 1;
	uint64		fives = p->limit >> p->digits;
	uint64		low = value & mask;
	uint64		high = value >> p->digits;

	for (int step = 2 * ROUNDS - 1; step > 0; step -= 2)
	{
		high = (high + fives - half_change(p, step + 1, low) % fives) % fives;
		low ^= half_change(p, step, high) & mask;
	}
	return high << p->digits | low;
}

/* Check the arguments and hand them to one of the two. */
static int64
apply_permutation(FunctionCallInfo fcinfo, uint64 (*direction) (const digit_permutation *, uint64))
{
	int64		value = PG_GETARG_INT64(0);
	digit_permutation p;

	p.digits = PG_GETARG_INT32(1);
	p.limit = numbers_of_digits(p.digits);
	p.key = mix_bits((uint64) PG_GETARG_INT64(2));
	if (value < 0 || (uint64) value >= p.limit)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value %lld is out of range", (long long) value),
				 errdetail("It must be from 0 to %lld.", (long long) p.limit - 1)));
	return (int64) direction(&p, (uint64) value);
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
	PG_RETURN_INT64(apply_permutation(fcinfo, permute));
}

/* The inverse of permute_digits(). */
PG_FUNCTION_INFO_V1(unpermute_digits);
Datum
unpermute_digits(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(apply_permutation(fcinfo, unpermute));
}
