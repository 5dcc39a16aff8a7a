/*-------------------------------------------------------------------------
 *
 * mask_snowflake.c
 *		A keyed permutation of the ids: what a public address shows instead of
 *		an id that tells its time and how many there are.
 *
 * A balanced Feistel network over 64 bits: in each round, one half is changed by a
 * keyed function of the other (Luby and Rackoff, "How to construct pseudorandom
 * permutations from pseudorandom functions", 1988).  Four rounds suffice for a
 * perfect function; we use eight, because the halves are only 32 bits.  The function
 * is SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012)
 * of the round and the half.
 *
 * Ids have 63 bits.  A result that has the highest bit set is permuted again until
 * one has not ("cycle walking": Black and Rogaway, "Ciphers with arbitrary finite
 * domains", 2002): on average, two permutations.
 *
 * The result must never change, because masked ids are in links and other systems.
 * It is the same on every machine, whatever its byte order.
 *
 *-------------------------------------------------------------------------
 */
#include "server_versions.h"

#define ROUNDS		8
#define KEY_LEN		16

/* The two halves of a SipHash key */
typedef struct siphash_key
{
	uint64		k0;
	uint64		k1;
} siphash_key;


/* ----------------------------------------------------------------
 *		SipHash-2-4
 * ----------------------------------------------------------------
 */

static inline uint64
rotate_left(uint64 value, int bits)
{
	return value << bits | value >> (64 - bits);
}

static inline void
sip_round(uint64 v[4])
{
	v[0] += v[1];
	v[1] = rotate_left(v[1], 13) ^ v[0];
	v[0] = rotate_left(v[0], 32);
	v[2] += v[3];
	v[3] = rotate_left(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate_left(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate_left(v[1], 17) ^ v[2];
	v[2] = rotate_left(v[2], 32);
}

static inline void
sip_compress(uint64 v[4], uint64 word)
{
	v[3] ^= word;
	sip_round(v);
	sip_round(v);
	v[0] ^= word;
}

/* The hash of a message of eight bytes, given as a little-endian number */
static uint64
siphash_word(const siphash_key *key, uint64 message)
{
	uint64		v[4];

	v[0] = key->k0 ^ UINT64CONST(0x736f6d6570736575);
	v[1] = key->k1 ^ UINT64CONST(0x646f72616e646f6d);
	v[2] = key->k0 ^ UINT64CONST(0x6c7967656e657261);
	v[3] = key->k1 ^ UINT64CONST(0x7465646279746573);

	sip_compress(v, message);
	sip_compress(v, UINT64CONST(8) << 56);	/* the length, and no bytes left */
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static uint64
read_little_endian(const uint8 *bytes)
{
	uint64		result = 0;

	for (int i = 7; i >= 0; i--)
		result = result << 8 | bytes[i];
	return result;
}


/* ----------------------------------------------------------------
 *		The permutation
 * ----------------------------------------------------------------
 */

/* What a round changes one half by, from the other */
static inline uint32
round_change(const siphash_key *key, int round, uint32 half)
{
	return (uint32) siphash_word(key, (uint64) round << 32 | half);
}

/*
 * Permute a value, or undo that.  A round is undone by the same round of the
 * swapped halves, so the inverse is the rounds in reverse between two swaps.
 */
static uint64
permute(const siphash_key *key, uint64 value, bool inverse)
{
	uint32		left;
	uint32		right;

	if (inverse)
		value = rotate_left(value, 32);
	left = (uint32) (value >> 32);
	right = (uint32) value;

	for (int i = 0; i < ROUNDS; i++)
	{
		uint32		next = left ^ round_change(key, inverse ? ROUNDS - 1 - i : i, right);

		left = right;
		right = next;
	}
	value = (uint64) left << 32 | right;
	return inverse ? rotate_left(value, 32) : value;
}

/* Permute an id until the result is in the range of ids. */
static int64
walk(int64 id, bytea *key_bytes, bool inverse)
{
	siphash_key key;
	uint64		value = (uint64) id;

	if (id < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("id %lld is out of range", (long long) id),
				 errdetail("It must be from 0 to %lld.", (long long) PG_INT64_MAX)));
	if (VARSIZE_ANY_EXHDR(key_bytes) != KEY_LEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key must have %d bytes, not %d", KEY_LEN, (int) VARSIZE_ANY_EXHDR(key_bytes))));

	key.k0 = read_little_endian((uint8 *) VARDATA_ANY(key_bytes));
	key.k1 = read_little_endian((uint8 *) VARDATA_ANY(key_bytes) + 8);
	do
		value = permute(&key, value, inverse);
	while (value > PG_INT64_MAX);
	return (int64) value;
}

/*
 * Return the masked form (int8) of an id (int8, from 0) under a key (bytea of 16
 * bytes).  A negative id raises numeric_value_out_of_range, a key of another length
 * invalid_parameter_value.
 */
PG_FUNCTION_INFO_V1(mask_snowflake);
Datum
mask_snowflake(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(walk(PG_GETARG_INT64(0), PG_GETARG_BYTEA_PP(1), false));
}

/* Return the id (int8) of a masked form; errors as those of mask_snowflake(). */
PG_FUNCTION_INFO_V1(unmask_snowflake);
Datum
unmask_snowflake(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(walk(PG_GETARG_INT64(0), PG_GETARG_BYTEA_PP(1), true));
}
