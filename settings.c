/*-------------------------------------------------------------------------
 *
 * settings.c
 *		The module's entry point and its settings; waiting for the clock.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include <limits.h>

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

OBJECTID_EXT_MODULE_MAGIC;

static const struct config_enum_entry objectid_identity_options[] = {
	{"random", OBJECTID_IDENTITY_RANDOM, false},
	{"host", OBJECTID_IDENTITY_HOST, false},
	{NULL, 0, false}
};

int			objectid_ext_identity = OBJECTID_IDENTITY_RANDOM;
int			objectid_ext_node_id = -1;
int			objectid_ext_max_clock_lead = 1000;

void		_PG_init(void);

/*
 * Nothing but settings may be made here: with shared_preload_libraries this
 * runs once in the postmaster, and what it drew all backends would inherit.
 */
void
_PG_init(void)
{
	DefineCustomEnumVariable("objectid_ext.objectid_identity",
							 "How gen_objectid() fills the five bytes that tell processes apart.",
							 "\"random\" draws them anew in every backend; \"host\" is the classic "
							 "layout of host name hash and process id.",
							 &objectid_ext_identity,
							 OBJECTID_IDENTITY_RANDOM,
							 objectid_identity_options,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	/*
	 * One server is one node.  Not for a session to set: behind a connection
	 * pooler that would leak to other clients.
	 */
	DefineCustomIntVariable("objectid_ext.node_id",
							"Number of this server in Snowflake ids; -1 while it is not set.",
							"No other server that makes ids for the same table may have the same.",
							&objectid_ext_node_id,
							-1, -1, INT_MAX,
							PGC_SIGHUP,
							0,
							NULL, NULL, NULL);

	/*
	 * Not for everybody to set: one session's burst moves the clock of a
	 * sequence for all.
	 */
	DefineCustomIntVariable("objectid_ext.max_clock_lead",
							"How far ids may run ahead of the wall clock in a burst.",
							"A call that would go further waits for one tick.",
							&objectid_ext_max_clock_lead,
							1000, 0, 3600 * 1000,
							PGC_SUSET,
							GUC_UNIT_MS,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("objectid_ext");
}

/*
 * Wait for some microseconds, by a clock that nobody sets.  Can be cancelled.
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
 * Wait until a time leads the clock by no more than this, but no longer than a
 * tick (both in microseconds).
 */
void
objectid_ext_wait_for_clock(TimestampTz ts, int64 lead, int64 tick)
{
	objectid_ext_wait(Min(ts - GetCurrentTimestamp() - lead, tick));
}
