/*-------------------------------------------------------------------------
 *
 * any_clock.h
 *		Functions of ticks.h and ticks.c for proofs of their callers: any that
 *		have the properties that ticks.c proves.  So a proof is for all layouts,
 *		and contains no division.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ANY_CLOCK_H
#define ANY_CLOCK_H

#include "postgres.h"

#define tick_time		real_tick_time
#define tick_at			real_tick_at
#define tick_after		real_tick_after
#define tick_from		real_tick_from
#include "ticks.h"
#undef tick_time
#undef tick_at
#undef tick_after
#undef tick_from

/* The tick that a proof is about, a range, and whether the tick begins in it */
static int64 the_tick;
static RangeType the_range;
static bool in_range;

extern int64 nondet_int64(void);
extern _Bool nondet_bool(void);
extern TimestampTz __CPROVER_uninterpreted_tick_time(TimestampTz epoch, int64 length, int64 tick);

static inline TimestampTz
tick_time(const tick_clock *clock, int64 tick)
{
	return __CPROVER_uninterpreted_tick_time(clock->epoch, clock->tick, tick);
}

static inline int64
tick_at(const tick_clock *clock, TimestampTz ts)
{
	int64		tick = nondet_int64();

	__CPROVER_assume(tick >= -1 && tick <= clock->max_tick + 1);
	__CPROVER_assume((the_tick <= tick) == (tick_time(clock, the_tick) <= ts));
	return tick;
}

static inline int64
tick_after(const tick_clock *clock, TimestampTz ts)
{
	int64		tick = nondet_int64();

	__CPROVER_assume(tick >= 0 && tick <= clock->max_tick + 1);
	__CPROVER_assume((the_tick >= tick) == (tick_time(clock, the_tick) > ts));
	return tick;
}

static inline int64
tick_from(const tick_clock *clock, TimestampTz ts)
{
	int64		tick = nondet_int64();

	__CPROVER_assume(tick >= 0 && tick <= clock->max_tick + 1);
	__CPROVER_assume((the_tick >= tick) == (tick_time(clock, the_tick) >= ts));
	return tick;
}

/* The same in each call, because a proof has one range */
tick_range
ticks_in_range(FunctionCallInfo fcinfo, int range_arg, const tick_clock *clock)
{
	static bool called = false;
	static tick_range ticks;

	if (!called)
	{
		called = true;
		ticks.first = nondet_int64();
		ticks.last = nondet_int64();
		__CPROVER_assume((ticks.first >= 0 && ticks.first <= ticks.last && ticks.last <= clock->max_tick) ||
						 (ticks.first == clock->max_tick + 1 && ticks.last == -1));
		__CPROVER_assume((ticks.first <= the_tick && the_tick <= ticks.last) == in_range);
	}
	return ticks;
}

#endif							/* ANY_CLOCK_H */
