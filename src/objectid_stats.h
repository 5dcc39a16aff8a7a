/*-------------------------------------------------------------------------
 *
 * objectid_stats.h
 *		The histogram that ANALYZE keeps of objectid columns.
 *
 * A slot of pg_statistic with a kind of its own has one value, a bytea: the
 * bounds, in order, 12 bytes each.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OBJECTID_STATS_H
#define OBJECTID_STATS_H

#include "objectid_ext.h"

/* pg_statistic.h leaves 10000 to 30000 to private use. */
#define OBJECTID_HISTOGRAM_KIND		20812

/*
 * Mask the bound at a position of the histogram, or unmask it.
 *
 * Masked bounds look random, so TOAST does not compress them.  The planner
 * would have to decompress them for each comparison, because the system cache
 * keeps compressed values as they are.
 */
static inline objectid
mask_objectid(const objectid *bound, int position)
{
	uint64		mask = (uint64) (position + 1) * UINT64CONST(0x9E3779B97F4A7C15);
	objectid	result;

	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		mask = (mask ^ mask >> 29) * UINT64CONST(0xBF58476D1CE4E5B9);
		result.data[i] = bound->data[i] ^ (uint8) (mask >> 56);
	}
	return result;
}

#endif							/* OBJECTID_STATS_H */
