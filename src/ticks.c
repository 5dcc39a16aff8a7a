/*-------------------------------------------------------------------------
 *
 * ticks.c
 *		Conversion of ranges of time to ranges of ticks.
 *
 *-------------------------------------------------------------------------
 */
#include "ticks.h"

/* Return the ticks that begin inside a range of timestamptz, an argument. */
tick_range
ticks_in_range(FunctionCallInfo fcinfo, int range_arg, const tick_clock *clock)
{
	const tick_range none = {clock->max_tick + 1, -1};
	tick_range	ticks = {0, clock->max_tick};
	RangeType  *range = PG_GETARG_RANGE_P(range_arg);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;

	range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
					  &lower, &upper, &empty);
	if (empty)
		return none;
	if (!lower.infinite)
		ticks.first = lower.inclusive ?
			tick_from(clock, DatumGetTimestampTz(lower.val)) :
			tick_after(clock, DatumGetTimestampTz(lower.val));
	if (!upper.infinite)
		ticks.last = (upper.inclusive ?
					  tick_after(clock, DatumGetTimestampTz(upper.val)) :
					  tick_from(clock, DatumGetTimestampTz(upper.val))) - 1;
	return ticks.first <= ticks.last ? ticks : none;
}
