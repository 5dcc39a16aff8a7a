/*-------------------------------------------------------------------------
 *
 * ticks.c
 *		Conversion of ranges of time to ranges of ticks.
 *
 *-------------------------------------------------------------------------
 */
#include "ticks.h"

/*
 * Set *first and *last to the ticks that begin inside a range of timestamptz.
 * Returns false if there are none.  typcache is the type cache entry of the
 * range type.  A timestamptz counts whole microseconds, so an exclusive bound
 * is an inclusive one a microsecond further in.
 */
bool
ticks_in_range(TypeCacheEntry *typcache, const RangeType *range,
			   const tick_clock *clock, int64 *first, int64 *last)
{
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	TimestampTz begin;
	TimestampTz end;

	range_deserialize(typcache, range, &lower, &upper, &empty);
	if (empty)
		return false;

	begin = lower.infinite ? DT_NOBEGIN : DatumGetTimestampTz(lower.val);
	end = upper.infinite ? DT_NOEND : DatumGetTimestampTz(upper.val);
	if (!lower.infinite && !lower.inclusive)
	{
		if (begin == DT_NOEND)
			return false;
		begin++;
	}
	if (!upper.infinite && !upper.inclusive)
	{
		if (end == DT_NOBEGIN)
			return false;
		end--;
	}

	*first = tick_from(clock, begin);
	*last = Min(tick_at(clock, end), clock->max_tick);
	return *first <= *last;
}
