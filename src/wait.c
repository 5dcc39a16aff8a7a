/*-------------------------------------------------------------------------
 *
 * wait.c
 *		Waiting for the wall clock, by all generators.
 *
 *-------------------------------------------------------------------------
 */
#include "wait.h"

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/latch.h"
#include "utils/wait_event.h"

/*
 * Wait for some microseconds, measured by the monotonic clock.  The wait can
 * be cancelled.
 */
void
objectid_ext_wait(int64 us)
{
	instr_time	start;
	instr_time	elapsed;
	int64		remaining = us;

	INSTR_TIME_SET_CURRENT(start);
	while (remaining > 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) ((remaining + 999) / 1000), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();

		INSTR_TIME_SET_CURRENT(elapsed);
		INSTR_TIME_SUBTRACT(elapsed, start);
		remaining = us - (int64) INSTR_TIME_GET_MICROSEC(elapsed);
	}
}

/*
 * Wait until ts leads the wall clock by no more than lead, but no longer than
 * a tick.  lead and tick are in microseconds.
 */
void
objectid_ext_wait_for_clock(TimestampTz ts, int64 lead, int64 tick)
{
	objectid_ext_wait(Min(ts - GetCurrentTimestamp() - lead, tick));
}
