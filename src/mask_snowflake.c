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
 * is HMAC-SHA-256 (RFC 2104) of the round and the half.
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

#include "common/hmac.h"
#include "common/sha2.h"
#include "port/pg_bswap.h"

#define ROUNDS		8
#define KEY_LEN		16

/*
 * Return the change that a round makes to one half: the first 32 bits of the HMAC of
 * its number and the other half.  All have 32 bits and are big-endian.
 */
static uint32
round_change(pg_hmac_ctx *hmac, bytea *key, int round, uint32 half)
{
	uint64		message = pg_hton64((uint64) round << 32 | half);
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	uint32		change;

	if (pg_hmac_init(hmac, (uint8 *) VARDATA_ANY(key), KEY_LEN) < 0 ||
		pg_hmac_update(hmac, (uint8 *) &message, sizeof(message)) < 0 ||
		pg_hmac_final(hmac, digest, sizeof(digest)) < 0)
		elog(ERROR, "could not compute HMAC: %s", pg_hmac_error(hmac));
	memcpy(&change, digest, sizeof(change));
	return pg_ntoh32(change);
}

/*
 * Permute a value, or undo that.  A round is undone by the same round of the
 * swapped halves, so the inverse is the rounds in reverse between two swaps.
 */
static uint64
permute(pg_hmac_ctx *hmac, bytea *key, uint64 value, bool inverse)
{
	uint32		left = (uint32) (inverse ? value : value >> 32);
	uint32		right = (uint32) (inverse ? value >> 32 : value);

	for (int i = 0; i < ROUNDS; i++)
	{
		uint32		next = left ^ round_change(hmac, key, inverse ? ROUNDS - 1 - i : i, right);

		left = right;
		right = next;
	}
	return inverse ? (uint64) right << 32 | left : (uint64) left << 32 | right;
}

/* Permute an id until the result is in the range of ids. */
static int64
walk(int64 id, bytea *key, bool inverse)
{
	uint64		value = (uint64) id;
	pg_hmac_ctx *hmac;

	if (id < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("id %lld is out of range", (long long) id),
				 errdetail("It must be from 0 to %lld.", (long long) PG_INT64_MAX)));
	if (VARSIZE_ANY_EXHDR(key) != KEY_LEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("key must have %d bytes, not %d", KEY_LEN, (int) VARSIZE_ANY_EXHDR(key))));

	hmac = pg_hmac_create(PG_SHA256);
	if (hmac == NULL)
		elog(ERROR, "could not create HMAC context");
	do
		value = permute(hmac, key, value, inverse);
	while (value > PG_INT64_MAX);
	pg_hmac_free(hmac);
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
