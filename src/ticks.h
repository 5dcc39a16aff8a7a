/*-------------------------------------------------------------------------
 *
 * ticks.h
 *		The time in an id: a count of ticks of some length since some epoch.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TICKS_H
#define TICKS_H

#include "server_versions.h"

#include "utils/rangetypes.h"
#include "utils/timestamp.h"

/* 1970-01-01 00:00:00+00 as a TimestampTz: microseconds since 2000. */
#define UNIX_EPOCH \
	((TimestampTz) (UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY)

typedef struct tick_clock
{
	TimestampTz epoch;			/* beginning of tick 0 */
	int64		tick;			/* length of a tick, microseconds */
	int64		max_tick;		/* last tick */
} tick_clock;

/* Return the beginning of a tick. */
static inline TimestampTz
tick_time(const tick_clock *clock, int64 tick)
{
	return clock->epoch + tick * clock->tick;
}

/*
 * Return the tick of a time: -1 for a time before the epoch, max_tick + 1 for
 * one past the end.  The time can be infinite.
 */
static inline int64
tick_at(const tick_clock *clock, TimestampTz ts)
{
	if (ts < clock->epoch)
		return -1;
	if (ts >= tick_time(clock, clock->max_tick + 1))
		return clock->max_tick + 1;
	return (ts - clock->epoch) / clock->tick;
}

/* Return the first tick that begins after a time: 0 to max_tick + 1. */
static inline int64
tick_after(const tick_clock *clock, TimestampTz ts)
{
	return Min(tick_at(clock, ts), clock->max_tick) + 1;
}

/* Return the first tick that begins at or after a time: 0 to max_tick + 1. */
static inline int64
tick_from(const tick_clock *clock, TimestampTz ts)
{
	return ts == DT_NOBEGIN ? 0 : tick_after(clock, ts - 1);
}

/* Consecutive ticks; if there are none, first is max_tick + 1 and last is -1 */
typedef struct tick_range
{
	int64		first;
	int64		last;
} tick_range;

extern tick_range ticks_in_range(FunctionCallInfo fcinfo, int range_arg, const tick_clock *clock);

#endif							/* TICKS_H */
