/*-------------------------------------------------------------------------
 *
 * hash.c
 *		Hash functions of the types.
 *
 * They must never change, because they determine the partition or shard in
 * which a row is stored.  For the same reason they give the same result for
 * either byte order: we pass numbers, not bytes, to core's functions.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"
#include "snowflake_layout.h"

#include "common/hashfn.h"

#define OBJECTID_WORDS	(OBJECTID_LEN / sizeof(uint32))
#define LAYOUT_WORDS	8

/* The bytes of an id, read as little-endian numbers */
static void
objectid_words(const objectid *id, uint32 *words)
{
	for (int i = 0; i < OBJECTID_WORDS; i++)
		words[i] = pg_bswap32(read_uint32(id->data + i * sizeof(uint32)));
}

/* On a little-endian machine, these are the bytes of the layout. */
static void
layout_words(const snowflake_layout *layout, uint32 *words)
{
	StaticAssertStmt(LAYOUT_WORDS * sizeof(uint32) == sizeof(snowflake_layout),
					 "every byte of a layout must be hashed");

	words[0] = (uint32) layout->clock.epoch;
	words[1] = (uint32) (layout->clock.epoch >> 32);
	words[2] = (uint32) layout->clock.tick;
	words[3] = (uint32) (layout->clock.tick >> 32);
	words[4] = (uint32) layout->clock.max_tick;
	words[5] = (uint32) (layout->clock.max_tick >> 32);
	words[6] = layout->time_bits | layout->node_bits << 8 |
		layout->seq_bits << 16 | (uint32) layout->time_shift << 24;
	words[7] = layout->node_shift | layout->seq_shift << 8 | (uint32) layout->start_random << 16;
}

/* hash support 1 of objectid: 32-bit hash (int4) */
PG_FUNCTION_INFO_V1(objectid_hash);
Datum
objectid_hash(PG_FUNCTION_ARGS)
{
	uint32		words[OBJECTID_WORDS];

	objectid_words(PG_GETARG_OBJECTID_P(0), words);
	return hash_any((unsigned char *) words, sizeof(words));
}

/* hash support 2 of objectid: 64-bit hash (int8) with a seed (int8) */
PG_FUNCTION_INFO_V1(objectid_hash_extended);
Datum
objectid_hash_extended(PG_FUNCTION_ARGS)
{
	uint32		words[OBJECTID_WORDS];

	objectid_words(PG_GETARG_OBJECTID_P(0), words);
	return hash_any_extended((unsigned char *) words, sizeof(words), PG_GETARG_INT64(1));
}

/* hash support 1 of snowflake_layout: 32-bit hash (int4) */
PG_FUNCTION_INFO_V1(snowflake_layout_hash);
Datum
snowflake_layout_hash(PG_FUNCTION_ARGS)
{
	uint32		words[LAYOUT_WORDS];

	layout_words(PG_GETARG_LAYOUT_P(0), words);
	return hash_any((unsigned char *) words, sizeof(words));
}

/* hash support 2 of snowflake_layout: 64-bit hash (int8) with a seed (int8) */
PG_FUNCTION_INFO_V1(snowflake_layout_hash_extended);
Datum
snowflake_layout_hash_extended(PG_FUNCTION_ARGS)
{
	uint32		words[LAYOUT_WORDS];

	layout_words(PG_GETARG_LAYOUT_P(0), words);
	return hash_any_extended((unsigned char *) words, sizeof(words), PG_GETARG_INT64(1));
}
