/*-------------------------------------------------------------------------
 *
 * objectid_sort.c
 *		Sort support of objectid: abbreviated keys.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "common/hashfn.h"
#include "lib/hyperloglog.h"
#include "utils/sortsupport.h"

/*
 * The abbreviated key has 64 bits and sorts like the 96 bits of the value.
 *
 * The first eight bytes of the value would distinguish seconds and processes,
 * but not the ids that one process generates in a second, and a table that is
 * large enough for the speed of a sort to matter has many of those.  Instead,
 * the key is, from its highest bit,
 *
 *		32 bits		seconds
 *		 8 bits		region of the identity, and whether the identity is below,
 *					equal to or above the first identity of this region that
 *					the sort has seen
 *		24 bits		if equal, the counter, which makes the key complete;
 *					otherwise the position of the identity in the region
 *
 * A region is one of REGIONS equal parts of the space of identities.  Random
 * identities fall into different regions, so while there are few of them,
 * nearly all keys are complete.  Keys of different sorts, which have seen
 * different identities, are never compared.
 */
#define REGIONS			(256 / 3)	/* 8 bits hold three cases for each region */

/* Multiplying by this makes the upper bits depend on all bits of a key. */
#define KEY_SPREAD		UINT64CONST(0x9E3779B97F4A7C15)

/* Marks a region that has no first identity yet */
#define NO_IDENTITY		PG_UINT64_MAX

typedef struct objectid_sortsupport_state
{
	int64		input_count;	/* non-null values seen */
	bool		estimating;		/* still counting distinct abbreviated keys? */
	hyperLogLogState abbr_card; /* cardinality estimator */
	uint64		first_identity[REGIONS];
} objectid_sortsupport_state;

static int
objectid_fast_cmp(Datum x, Datum y, SortSupport ssup)
{
	return objectid_internal_cmp(DatumGetObjectidP(x), DatumGetObjectidP(y));
}

/*
 * Compute the lower half of the key from the eight bytes of identity and
 * counter.
 */
static inline uint32
abbreviate_process_part(uint64 *first_identity, uint64 part)
{
	uint64		identity = part >> OBJECTID_COUNTER_BITS;
	uint64		position = identity * REGIONS;
	uint32		region = (uint32) (position >> OBJECTID_IDENTITY_BITS);
	uint64	   *first = &first_identity[region];

	if (unlikely(*first == NO_IDENTITY))
		*first = identity;
	if (identity == *first)
		return (3 * region + 1) << OBJECTID_COUNTER_BITS | ((uint32) part & OBJECTID_COUNTER_MASK);

	return (3 * region + (identity < *first ? 0 : 2)) << OBJECTID_COUNTER_BITS |
		((uint32) (position >> (OBJECTID_IDENTITY_BITS - OBJECTID_COUNTER_BITS)) & OBJECTID_COUNTER_MASK);
}

static Datum
objectid_abbrev_convert(Datum original, SortSupport ssup)
{
	objectid_sortsupport_state *state = ssup->ssup_extra;
	objectid   *id = DatumGetObjectidP(original);
	uint64		key = (uint64) read_uint32(id->data) << 32 |
		abbreviate_process_part(state->first_identity, read_uint64(id->data + OBJECTID_IDENTITY_OFFSET));

	/* On a 32-bit machine, a Datum only holds the seconds. */
	key >>= 64 - sizeof(Datum) * BITS_PER_BYTE;
	state->input_count++;
	if (state->estimating)
		addHyperLogLog(&state->abbr_card, murmurhash32((uint32) ((key * KEY_SPREAD) >> 32)));
	return (Datum) key;
}

/*
 * Abort abbreviation when too many values share a key: 2000, as for core's
 * uuid.  By that rule 10,000 keys are enough for 20 million values, and larger
 * sorts lose little.  So we stop estimating at 10,000 keys, because it costs
 * as much as computing the key.
 */
static bool
objectid_abbrev_abort(int memtupcount, SortSupport ssup)
{
	objectid_sortsupport_state *state = ssup->ssup_extra;
	double		distinct;

	if (memtupcount < 10000 || state->input_count < 10000 || !state->estimating)
		return false;

	distinct = estimateHyperLogLog(&state->abbr_card);
	if (distinct > 10000.0)
	{
		state->estimating = false;
		return false;
	}
	return distinct < state->input_count / 2000.0 + 0.5;
}

/* btree support 2: sort by abbreviated keys, with full comparison of ties */
PG_FUNCTION_INFO_V1(objectid_sortsupport);
Datum
objectid_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = objectid_fast_cmp;
	ssup->ssup_extra = NULL;

	if (ssup->abbreviate)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(ssup->ssup_cxt);
		objectid_sortsupport_state *state = palloc(sizeof(objectid_sortsupport_state));

		state->input_count = 0;
		state->estimating = true;
		initHyperLogLog(&state->abbr_card, 10);
		memset(state->first_identity, 0xFF, sizeof(state->first_identity));

		ssup->ssup_extra = state;
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = objectid_abbrev_convert;
		ssup->abbrev_abort = objectid_abbrev_abort;
		ssup->abbrev_full_comparator = objectid_fast_cmp;

		MemoryContextSwitchTo(oldcontext);
	}

	PG_RETURN_VOID();
}
