/*-------------------------------------------------------------------------
 *
 * ticks.c
 *		Proof of ticks.h and ticks.c, for any clock with ticks of length TICK.
 *
 *-------------------------------------------------------------------------
 */
#include "prove.h"

static RangeType any_range;

#undef PG_GETARG_RANGE_P
#define PG_GETARG_RANGE_P(n)	(&any_range)
#include "../../src/ticks.c"

static RangeBound lower;
static RangeBound upper;

TypeCacheEntry *
range_get_typcache(FunctionCallInfo fcinfo, Oid rngtypid)
{
	return NULL;
}

void
range_deserialize(TypeCacheEntry *typcache, const RangeType *range,
				  RangeBound *lower_bound, RangeBound *upper_bound, bool *empty)
{
	*lower_bound = lower;
	*upper_bound = upper;
	*empty = false;
}

/*
 * Any clock that a layout can have (layout.c), and those of objectid and of
 * UUIDs, which end in the year 10889
 */
static tick_clock
any_clock(void)
{
	tick_clock	clock = {nondet_int64(), TICK, nondet_int64()};

	assume(clock.epoch >= EARLIEST && clock.epoch <= LATEST);
	assume(clock.max_tick >= 0 && clock.max_tick <= (INT64CONST(1) << 59) / TICK);
	assume(clock.max_tick <= ((INT64CONST(1) << 59) - clock.epoch) / TICK);
	return clock;
}

/* Any tick of a clock */
static int64
any_tick(const tick_clock *clock)
{
	int64		tick = nondet_int64();

	assume(tick >= 0 && tick <= clock->max_tick);
	return tick;
}

void
tick_of_time(void)
{
	tick_clock	clock = any_clock();
	TimestampTz ts = nondet_int64();
	int64		tick = any_tick(&clock);
	int64		at = tick_at(&clock, ts);

	prove(at >= -1 && at <= clock.max_tick + 1);
	prove((tick <= at) == (tick_time(&clock, tick) <= ts));
	prove((at > clock.max_tick) == (tick_time(&clock, clock.max_tick + 1) <= ts));
}

void
ticks_ascend(void)
{
	tick_clock	clock = any_clock();
	int64		a = any_tick(&clock);
	int64		b = any_tick(&clock);

	prove((a < b) == (tick_time(&clock, a) < tick_time(&clock, b)));
	prove(tick_at(&clock, tick_time(&clock, a)) == a);
}

void
first_tick_after(void)
{
	tick_clock	clock = any_clock();
	TimestampTz ts = nondet_int64();
	int64		tick = any_tick(&clock);
	int64		after = tick_after(&clock, ts);

	prove(after >= 0 && after <= clock.max_tick + 1);
	prove((tick >= after) == (tick_time(&clock, tick) > ts));
}

void
first_tick_from(void)
{
	tick_clock	clock = any_clock();
	TimestampTz ts = nondet_int64();
	int64		tick = any_tick(&clock);
	int64		from = tick_from(&clock, ts);

	prove(from >= 0 && from <= clock.max_tick + 1);
	prove((tick >= from) == (tick_time(&clock, tick) >= ts));
}

static bool
is_in_range(TimestampTz ts)
{
	TimestampTz begin = DatumGetTimestampTz(lower.val);
	TimestampTz end = DatumGetTimestampTz(upper.val);

	return (lower.infinite || ts > begin || (ts == begin && lower.inclusive)) &&
		(upper.infinite || ts < end || (ts == end && upper.inclusive));
}

void
ticks_of_range(void)
{
	tick_clock	clock = any_clock();
	int64		tick = any_tick(&clock);
	tick_range	ticks;

	lower = (RangeBound) {Int64GetDatum(nondet_int64()), nondet_bool(), nondet_bool(), true};
	upper = (RangeBound) {Int64GetDatum(nondet_int64()), nondet_bool(), nondet_bool(), false};
	ticks = ticks_in_range(NULL, 0, &clock);

	prove((ticks.first >= 0 && ticks.first <= ticks.last && ticks.last <= clock.max_tick) ||
		  (ticks.first == clock.max_tick + 1 && ticks.last == -1));
	prove((ticks.first <= tick && tick <= ticks.last) == is_in_range(tick_time(&clock, tick)));
}
