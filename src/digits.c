/*-------------------------------------------------------------------------
 *
 * digits.c
 *		Numbers with a given number of decimal digits: random numbers, and a
 *		keyed permutation that makes the values of a sequence look random.
 *
 *-------------------------------------------------------------------------
 */
#include "server_versions.h"

#include "port/pg_bitutils.h"

#define DIGITS_MAX	18

/*
 * Steps of the permutation, two a round.  With fewer, some orders of ten
 * numbers prevail.
 */
#define STEPS		24

/*
 * Return 10 to the power of digits.  Raises invalid_parameter_value unless
 * digits is from 1 to 18.
 */
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
 * Return a random number (int8), uniform over [0, 10^digits), from the strong
 * random source.  digits (int4) is from 1 to 18; other values raise
 * invalid_parameter_value.
 */
PG_FUNCTION_INFO_V1(random_digits);
Datum
random_digits(PG_FUNCTION_ARGS)
{
	uint64		limit = numbers_of_digits(PG_GETARG_INT32(0));
	uint64		mask = PG_UINT64_MAX >> (63 - pg_leftmost_one_pos64(limit));
	uint64		value;

	/*
	 * Draw again if the value is too large, which happens less than half of
	 * the time.  The remainder of a division would favor small numbers.
	 */
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
 * The permutation.  10^n is 2^n times 5^n, so a number below 10^n is a pair of
 * a number below 2^n and one below 5^n.  Each half in turn is changed by a
 * hash of the other.  This is a Feistel network with halves of different sizes
 * (FE1 of Bellare, Ristenpart, Rogaway and Stegers, Format-Preserving
 * Encryption, 2009).
 *
 * The permutation must never change, because numbers that it produced are
 * stored.
 */
typedef struct digit_permutation
{
	int			digits;
	uint64		limit;			/* 10^digits */
	uint64		key;
} digit_permutation;

/* The finalizer of MurmurHash3 (Austin Appleby) */
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

/* Compute the change of one half from the other half. */
static inline uint64
half_change(const digit_permutation *p, int step, uint64 half)
{
	return mix_bits(half + mix_bits(p->key + step));
}

/*
 * Permute a value, or undo that: the steps in reverse, with a difference in the
 * place of the sum.
 */
static uint64
permute(const digit_permutation *p, uint64 value, bool inverse)
{
	uint64		mask = (UINT64CONST(1) << p->digits) - 1;
	uint64		fives = p->limit >> p->digits;
	uint64		low = value & mask;
	uint64		high = value >> p->digits;

	for (int i = 1; i <= STEPS; i++)
	{
		int			step = inverse ? STEPS + 1 - i : i;
		uint64		change = half_change(p, step, step % 2 == 1 ? high : low);

		if (step % 2 == 1)
			low ^= change & mask;
		else if (inverse)
			high = (high + fives - change % fives) % fives;
		else
			high = (high + change % fives) % fives;
	}
	return high << p->digits | low;
}

/* Common part of permute_digits() and unpermute_digits() */
static int64
apply_permutation(FunctionCallInfo fcinfo, bool inverse)
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
	return (int64) permute(&p, (uint64) value, inverse);
}

/*
 * Permute a value (int8) of [0, 10^digits) by a key (int8).  digits (int4) is
 * from 1 to 18.  For each key this is a bijection on [0, 10^digits).  It hides
 * the order of values, but is not encryption.  A value outside [0, 10^digits)
 * raises numeric_value_out_of_range, other digits invalid_parameter_value.
 */
PG_FUNCTION_INFO_V1(permute_digits);
Datum
permute_digits(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(apply_permutation(fcinfo, false));
}

/* Inverse of permute_digits(), with the same arguments and errors */
PG_FUNCTION_INFO_V1(unpermute_digits);
Datum
unpermute_digits(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(apply_permutation(fcinfo, true));
}
