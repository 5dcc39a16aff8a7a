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
 * returned only when the end of its tick is covered by that reservation
 * (shard_clock_reserve()); this takes a WAL record and a flush about once per
 * second.
 *
 *-------------------------------------------------------------------------
 */
#include "shard_clock.h"

#include <time.h>

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "utils/rel.h"

#include "sequence_page.h"
#include "settings.h"
#include "shard_reservation.h"
#include "unsettled.h"

/* The highest value that is used of it: all layouts have ended by the year 10000. */
#define VALUE_MAX		INT64CONST(253402300800000000)

/* How far ahead of the ids a WAL record reserves, in microseconds */
#define RESERVED_AHEAD		USECS_PER_SEC

/* How far base_time can lag behind the clock, in microseconds */
#define SYNC_INTERVAL	1000

/* Initialize the clock in new shared memory.  This must not throw an error. */
void
shard_clock_init(shard_clock *clock, int tranche)
{
	LWLockInitialize(&clock->base_lock, tranche);
	pg_atomic_init_u64(&clock->base_time, (uint64) PG_INT64_MIN);
	clock->base_monotonic = 0;
	LWLockInitialize(&clock->reservation_lock, tranche);
	pg_atomic_init_u64(&clock->reserved, (uint64) PG_INT64_MIN);
	pg_atomic_init_u64(&clock->reserved_lsn, InvalidXLogRecPtr);
	pg_atomic_init_u64(&clock->settled, (uint64) PG_INT64_MIN);
}


/* ----------------------------------------------------------------
 *		The clock
 * ----------------------------------------------------------------
 */

static int64
monotonic_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64) now.tv_sec * USECS_PER_SEC + now.tv_nsec / 1000;
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
shard_clock_slowed(shard_clock *clock, TimestampTz wall)
{
	TimestampTz now;

	LWLockAcquire(&clock->base_lock, LW_SHARED);
	now = shard_clock_base(clock) + Max(monotonic_now() - clock->base_monotonic, 0) / 2;
	LWLockRelease(&clock->base_lock);

	now = Max(now, wall);
	if (now - shard_clock_base(clock) >= SYNC_INTERVAL)
		advance_base(clock, now);
	warn_of_slowed_clock(now - wall);
	return now;
}

/*
 * Let base_time follow the clock, so that the pages of past ticks can be
 * recycled, and so that the clock continues close to where it was when the
 * wall clock is set back.
 */
void
shard_clock_sync(shard_clock *clock)
{
	TimestampTz now = shard_clock_now(clock);

	if (now - shard_clock_base(clock) >= SYNC_INTERVAL)
		advance_base(clock, now);
}


/* ----------------------------------------------------------------
 *		The reservation
 * ----------------------------------------------------------------
 */

/* Convert between a time and the sequence's value, microseconds since 1970. */
static int64
value_of_time(TimestampTz ts)
{
	return Max(Min(ts, VALUE_MAX + UNIX_EPOCH) - UNIX_EPOCH, 1);
}

static TimestampTz
time_of_value(int64 value)
{
	return Min(value, VALUE_MAX) + UNIX_EPOCH;
}

/*
 * Return the time that is stored in the sequence, or the lowest of all.  *lsn,
 * unless lsn is NULL, is set to the end of its WAL record.
 */
static TimestampTz
read_reservation(Relation rel, XLogRecPtr *lsn)
{
	Buffer		buf;
	Form_pg_sequence_data data = lock_sequence_page(rel, &buf, BUFFER_LOCK_SHARE);
	TimestampTz result = data->is_called ? time_of_value(data->last_value) : PG_INT64_MIN;

	if (lsn != NULL)
		*lsn = BufferGetLSNAtomic(buf);
	UnlockReleaseBuffer(buf);
	return result;
}

static inline TimestampTz
reserved_time(shard_clock *clock)
{
	return (TimestampTz) pg_atomic_read_u64(&clock->reserved);
}

/*
 * Has a session used the clock since the start of the server?  A sequence can
 * hold the lowest time, too, if it was never called.
 */
static inline bool
has_begun(shard_clock *clock)
{
	return reserved_time(clock) != PG_INT64_MIN;
}

/*
 * Write a time past tick_end to WAL and flush it, before any session can rely
 * on it.  The caller holds reservation_lock.
 */
static void
write_reservation(shard_clock *clock, Relation rel, TimestampTz tick_end)
{
	TimestampTz reserved = Max(reserved_time(clock), read_reservation(rel, NULL));
	XLogRecPtr	lsn;

	reserved = time_of_value(value_of_time(Max(reserved, tick_end + RESERVED_AHEAD)));
	lsn = set_sequence_value(rel, value_of_time(reserved));
	XLogFlush(lsn);
	pg_atomic_write_u64(&clock->reserved_lsn, lsn);
	pg_write_barrier();
	pg_atomic_write_u64(&clock->reserved, (uint64) reserved);
}

/*
 * Make sure that no id of a tick that ends at tick_end can be issued again
 * after a crash.
 */
void
shard_clock_extend(shard_clock *clock, TimestampTz tick_end)
{
	Relation	rel = relation_open(find_reservation_sequence(), NoLock);

	GetTopTransactionId();		/* must not be assigned under an LWLock */
	LWLockAcquire(&clock->reservation_lock, LW_EXCLUSIVE);
	if (!shard_clock_is_reserved(clock, tick_end))
		write_reservation(clock, rel, tick_end);
	LWLockRelease(&clock->reservation_lock);
	relation_close(rel, NoLock);
}

/*
 * Adopt a sequence that does not hold our reservation.  After a start of the
 * server, a restore or setval(), its time can be later than ours: then the clock
 * continues there.  A new sequence, or one that was set back, gets ours.
 */
static void
adopt_reservation(shard_clock *clock, Relation rel)
{
	TimestampTz stored;

	GetTopTransactionId();		/* see shard_clock_extend() */
	LWLockAcquire(&clock->reservation_lock, LW_EXCLUSIVE);
	stored = read_reservation(rel, NULL);
	if (!has_begun(clock) || stored != reserved_time(clock))
	{
		advance_base(clock, Max(stored, GetCurrentTimestamp()));
		write_reservation(clock, rel, shard_clock_base(clock));
	}
	LWLockRelease(&clock->reservation_lock);
}

/*
 * Publish that the transaction can claim slots from base_time on, before it
 * reads the clock.  So a reader that has advanced base_time, and does not find
 * what we publish, knows that our slots are not earlier.
 */
static void
publish_base(shard_clock *clock, sequence_entry *entry)
{
	unsettled_register(entry);
	shard_clock_sync(clock);
	unsettled_publish(entry, value_of_time(shard_clock_base(clock)));
	pg_memory_barrier();
}

/*
 * Prepare the clock for a transaction: make sure that the sequence holds the
 * reservation.  Returns its OID.
 */
Oid
shard_clock_begin(shard_clock *clock)
{
	Relation	rel = open_reservation_sequence();
	Oid			relid = RelationGetRelid(rel);

	if (!has_begun(clock) || read_reservation(rel, NULL) != reserved_time(clock))
		adopt_reservation(clock, rel);
	relation_close(rel, NoLock);
	publish_base(clock, lookup_sequence_entry(relid));
	return relid;
}


/* ----------------------------------------------------------------
 *		What is settled
 * ----------------------------------------------------------------
 */

/*
 * If no session has used the clock, set *stored to the time at which it will
 * begin.  This must be read under the lock: a session that begins writes its
 * reservation first, and then has ids of earlier times.
 */
static bool
get_stored_time(shard_clock *clock, Relation rel, TimestampTz *stored)
{
	XLogRecPtr	lsn;
	bool		begun;

	LWLockAcquire(&clock->reservation_lock, LW_SHARED);
	begun = has_begun(clock);
	if (!begun)
		*stored = read_reservation(rel, &lsn);
	LWLockRelease(&clock->reservation_lock);

	if (!begun)
		wait_until_safe(lsn);
	return !begun;
}

/*
 * Return a time such that no session that has not published a time will claim
 * a slot of an earlier tick, and that is reserved.
 */
static TimestampTz
settled_by_clock(shard_clock *clock, Relation rel)
{
	TimestampTz now;
	TimestampTz reserved;

	if (!has_begun(clock) && get_stored_time(clock, rel, &now))
		return now;

	now = shard_clock_now(clock);
	advance_base(clock, now);
	reserved = reserved_time(clock);
	pg_read_barrier();
	wait_until_safe(pg_atomic_read_u64(&clock->reserved_lsn));
	return Min(now, reserved);
}

/* Raise the time that was returned, and return the highest. */
static TimestampTz
raise_settled(shard_clock *clock, TimestampTz ts)
{
	uint64		settled = pg_atomic_read_u64(&clock->settled);

	while ((TimestampTz) settled < ts)
	{
		if (pg_atomic_compare_exchange_u64(&clock->settled, &settled, (uint64) ts))
			return ts;
	}
	return (TimestampTz) settled;
}

/*
 * Return a time such that all rows with ids of earlier ticks are visible to
 * snapshots taken after the call.
 */
TimestampTz
shard_clock_settled(shard_clock *clock)
{
	Relation	rel = open_reservation_to_read();
	int64		limit = value_of_time(settled_by_clock(clock, rel));

	/* The published time is that of the first tick that is not settled. */
	limit = unsettled_limit(RelationGetRelid(rel), limit - 1) + 1;
	relation_close(rel, NoLock);
	return raise_settled(clock, time_of_value(limit));
}
