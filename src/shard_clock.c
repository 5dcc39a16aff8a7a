/*-------------------------------------------------------------------------
 *
 * shard_clock.c
 *		The clock of next_shard_id(), which survives a restart of the server.
 *
 * All sessions of a database share it.  It follows the wall clock, but never
 * goes back: while the wall clock is behind base_time, it advances from
 * base_time at half the speed of the monotonic clock, until the wall clock has
 * caught up.
 *
 * Shared memory is lost in a crash.  So a sequence of the extension stores, on
 * disk, a time that no id has passed, and the clock starts there.  An id is
 * returned only when the end of its tick is covered by that reservation; this
 * takes a WAL record and a flush about once per second.
 *
 *-------------------------------------------------------------------------
 */
#include "shard_clock.h"

#include <time.h>

#include "access/relation.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "utils/rel.h"

#include "sequence_page.h"
#include "settings.h"
#include "shared_memory.h"
#include "unsettled.h"

/* The highest value that is used of it: all layouts have ended by the year 10000. */
#define VALUE_MAX		INT64CONST(253402300800000000)

/* How far ahead of the ids a WAL record reserves, in microseconds */
#define RESERVED_AHEAD		USECS_PER_SEC

/* How far base_time can lag behind the clock, in microseconds */
#define SYNC_INTERVAL	1000

/* The clocks of all databases */
static dshash_table *clocks = NULL;
static dshash_parameters parameters = DSHASH_PARAMETERS(Oid, shard_clock);

shard_clock *my_shard_clock = NULL;

/* Attach to the clock of this database, or create it. */
void
shard_clock_attach(void)
{
	shard_clock *clock;
	bool		found;

	if (my_shard_clock != NULL)
		return;
	if (clocks == NULL)
		clocks = get_shared_table("objectid_ext clocks", &parameters);
	clock = dshash_find_or_insert(clocks, &MyDatabaseId, &found);
	if (!found)
	{
		LWLockInitialize(&clock->base_lock, parameters.tranche_id);
		pg_atomic_init_u64(&clock->base_time, (uint64) PG_INT64_MIN);
		clock->base_monotonic = 0;
		LWLockInitialize(&clock->reservation_lock, parameters.tranche_id);
		pg_atomic_init_u64(&clock->reserved, (uint64) PG_INT64_MIN);
		pg_atomic_init_u64(&clock->settled, (uint64) PG_INT64_MIN);
	}
	dshash_release_lock(clocks, clock);
	my_shard_clock = clock;
}


/* ----------------------------------------------------------------
 *		The clock
 * ----------------------------------------------------------------
 */

/* Return a monotonic time, the same in all processes, unlike instr_time in PostgreSQL 19. */
static int64
monotonic_now(void)
{
#ifdef WIN32
	return (int64) GetTickCount64() * 1000;
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * USECS_PER_SEC + now.tv_nsec / 1000;
#endif
}

/* Advance base_time to now; ticks that ended by then are over. */
static void
advance_base(shard_clock *clock, TimestampTz now)
{
	LWLockAcquire(&clock->base_lock, LW_EXCLUSIVE);
	if (now > shard_clock_base(clock))
	{
		pg_atomic_write_u64(&clock->base_time, (uint64) now);
		clock->base_monotonic = monotonic_now();
	}
	LWLockRelease(&clock->base_lock);
}

/*
 * Warn, once per session, if the wall clock is further behind than bursts and
 * restarts explain.
 */
static void
warn_of_slowed_clock(TimestampTz lead)
{
	static bool warned = false;

	if (lead <= objectid_ext_max_lead() + 2 * RESERVED_AHEAD)
		warned = false;
	else if (!warned)
	{
		warned = true;
		ereport(WARNING,
				(errmsg("clock is %lld seconds behind the ids of next_shard_id()",
						(long long) (lead / USECS_PER_SEC)),
				 errdetail("The time in the ids advances at half speed until the clock has caught up.")));
	}
}

/* Return the time while the wall clock is behind base_time. */
TimestampTz
shard_clock_slowed(TimestampTz wall)
{
	shard_clock *clock = my_shard_clock;
	TimestampTz now;

	LWLockAcquire(&clock->base_lock, LW_SHARED);
	now = shard_clock_base(clock) + Max(monotonic_now() - clock->base_monotonic, 0) / 2;
	LWLockRelease(&clock->base_lock);

	now = Max(now, wall);
	warn_of_slowed_clock(now - wall);
	return now;
}

/*
 * Let base_time follow the clock, so that the pages of past ticks can be
 * recycled, and so that the clock continues close to where it was when the
 * wall clock is set back.
 */
void
shard_clock_sync(void)
{
	TimestampTz now = shard_clock_now();

	if (now - shard_clock_base(my_shard_clock) >= SYNC_INTERVAL)
		advance_base(my_shard_clock, now);
}

/*
 * Has base_time of a database passed a time?  No session of another database may
 * be there to advance it, so we do, but no further than needed: the wall clock may
 * be wrong.
 */
bool
shard_clock_has_passed(Oid database, TimestampTz ts)
{
	shard_clock *clock = my_shard_clock;

	if (database != MyDatabaseId)
	{
		clock = dshash_find(clocks, &database, false);
		dshash_release_lock(clocks, clock);
		if (ts > shard_clock_base(clock) && ts <= GetCurrentTimestamp())
			advance_base(clock, ts);
	}
	return ts <= shard_clock_base(clock);
}


/* ----------------------------------------------------------------
 *		The reservation
 * ----------------------------------------------------------------
 */

/* Convert between a time and the sequence's value, microseconds since 1970. */
int64
shard_clock_value(TimestampTz ts)
{
	return Max(Min(ts, VALUE_MAX + UNIX_EPOCH) - UNIX_EPOCH, 1);
}

TimestampTz
shard_clock_time(int64 value)
{
	return Min(value, VALUE_MAX) + UNIX_EPOCH;
}

/*
 * Return the time that is stored in the sequence, or the lowest of all.  Unless lsn
 * is NULL, *lsn is set to the end of its WAL record, or of a later one.
 */
static TimestampTz
read_reservation(Relation rel, XLogRecPtr *lsn)
{
	Buffer		buf;
	Form_pg_sequence_data data = lock_sequence_page(rel, &buf, BUFFER_LOCK_SHARE);
	TimestampTz result = data->is_called ? shard_clock_time(data->last_value) : PG_INT64_MIN;

	if (lsn != NULL)
		*lsn = BufferGetLSNAtomic(buf);
	UnlockReleaseBuffer(buf);
	return result;
}

/*
 * Has a session used the clock since the start of the server?  A sequence can
 * hold the lowest time, too, if it was never called.
 */
static inline bool
has_begun(void)
{
	return pg_atomic_read_u64(&my_shard_clock->reserved) != (uint64) PG_INT64_MIN;
}

/* Is what the sequence holds our reservation? */
static inline bool
is_ours(TimestampTz stored)
{
	return has_begun() && (uint64) stored == pg_atomic_read_u64(&my_shard_clock->reserved);
}

/*
 * Make sure that the sequence holds our reservation, and that it covers tick_end.
 *
 * If it holds another time, we adopt it.  After a start of the server, a restore or
 * setval(), it can hold a later one: then the clock continues there.  A new sequence,
 * or one that was set back, gets our time.  If it holds ours, we extend that, unless
 * another session has done so while we waited for the lock.
 */
static void
update_reservation(Relation rel, TimestampTz tick_end)
{
	shard_clock *clock = my_shard_clock;
	TimestampTz stored;
	bool		adopt;

	GetTopTransactionId();		/* must not be assigned under an LWLock */
	LWLockAcquire(&clock->reservation_lock, LW_EXCLUSIVE);
	stored = read_reservation(rel, NULL);
	adopt = !is_ours(stored);
	if (adopt)
		advance_base(clock, Max(stored, GetCurrentTimestamp()));
	if (adopt || !shard_clock_is_reserved(tick_end))
	{
		TimestampTz reserved = (TimestampTz) pg_atomic_read_u64(&clock->reserved);
		TimestampTz ahead = Max(tick_end, shard_clock_base(clock)) + RESERVED_AHEAD;
		int64		value = shard_clock_value(Max(Max(reserved, stored), ahead));

		/* Before any session relies on it */
		XLogFlush(set_sequence_value(rel, value));
		pg_atomic_write_u64(&clock->reserved, (uint64) shard_clock_time(value));
	}
	LWLockRelease(&clock->reservation_lock);
}

/*
 * Make sure that no id of a tick that ends at tick_end can be issued again
 * after a crash.
 */
void
shard_clock_reserve(TimestampTz tick_end)
{
	Relation	rel = open_reservation(RowExclusiveLock);

	update_reservation(rel, tick_end);
	relation_close(rel, NoLock);
}

/*
 * Prepare the clock for a transaction: make sure that the sequence holds the
 * reservation, and publish that the transaction can claim slots from base_time
 * on, before it reads the clock.  So a reader that has advanced base_time, and
 * does not find what we publish, knows that our slots are not earlier.
 */
void
shard_clock_begin_transaction(void)
{
	Relation	rel;
	sequence_entry *entry;

	/* A standby must not start the clock before its promotion. */
	PreventCommandIfReadOnly("next_shard_id()");
	PreventCommandIfParallelMode("next_shard_id()");
	shard_clock_attach();

	rel = open_reservation_to_write();
	if (!is_ours(read_reservation(rel, NULL)))
		update_reservation(rel, PG_INT64_MIN);
	entry = lock_sequence(RelationGetRelid(rel));
	relation_close(rel, NoLock);

	unsettled_register(entry);
	shard_clock_sync();
	unsettled_publish(entry, shard_clock_value(shard_clock_base(my_shard_clock)));
	pg_memory_barrier();
	set_reservation_checked();
}

/*
 * Return a time: slots of ticks before it are claimed only by sessions that have
 * published an earlier time, now and after a crash.  Until a session has used the
 * clock, it is the time at which the clock will begin.  *lsn is set to the end of the
 * WAL that must be safe for that.
 */
TimestampTz
shard_clock_reached(Relation rel, XLogRecPtr *lsn)
{
	shard_clock *clock = my_shard_clock;
	TimestampTz stored;
	TimestampTz now;
	bool		begun;

	/* A session that begins has ids of earlier times once it has stored its own. */
	LWLockAcquire(&clock->reservation_lock, LW_SHARED);
	stored = read_reservation(rel, lsn);
	begun = has_begun();
	LWLockRelease(&clock->reservation_lock);
	if (!begun)
		return stored;

	now = shard_clock_now();
	advance_base(clock, now);
	return Min(now, stored);
}
