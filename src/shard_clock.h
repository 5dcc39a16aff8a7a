/*-------------------------------------------------------------------------
 *
 * shard_clock.h
 *		The clock of next_shard_id(), which survives a restart of the server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARD_CLOCK_H
#define SHARD_CLOCK_H

#include "server_versions.h"
#include "shard_reservation.h"
#include "ticks.h"

#include "access/xact.h"
#include "access/xlogdefs.h"
#include "port/atomics.h"
#include "storage/lwlock.h"
#include "utils/relcache.h"

/* In shared memory, one for each database.  Entries are never removed. */
typedef struct shard_clock
{
	Oid			database;		/* hash key */

	/* The clock advances from here while the wall clock is behind it. */
	LWLock		base_lock;		/* to change both, or to read both */
	pg_atomic_uint64 base_time; /* a TimestampTz; never goes back */
	int64		base_monotonic; /* microseconds */

	/* The reservation on disk.  The end of an id's tick must not be past it. */
	LWLock		reservation_lock;
	pg_atomic_uint64 reserved;	/* a TimestampTz */

	/* What settled_shard_id() has returned: no id will come before it. */
	pg_atomic_uint64 settled;	/* a TimestampTz; never goes back */
} shard_clock;

/* The clock of this database, or NULL */
extern shard_clock *my_shard_clock;

extern void shard_clock_attach(void);
extern void shard_clock_begin_transaction(void);
extern TimestampTz shard_clock_slowed(TimestampTz wall);
extern void shard_clock_sync(void);
extern bool shard_clock_has_passed(Oid database, TimestampTz ts);
extern void shard_clock_reserve(TimestampTz tick_end);
extern TimestampTz shard_clock_reached(Relation rel, XLogRecPtr *lsn);
extern int64 shard_clock_value(TimestampTz ts);
extern TimestampTz shard_clock_time(int64 value);

/* Prepare the clock for taking an id in this transaction. */
static inline void
shard_clock_begin(void)
{
	if (unlikely(XactReadOnly || !reservation_is_checked()))
		shard_clock_begin_transaction();
}

/* Slots of ticks that ended by base_time must not be claimed any more. */
static inline TimestampTz
shard_clock_base(shard_clock *clock)
{
	return (TimestampTz) pg_atomic_read_u64(&clock->base_time);
}

/*
 * Return the current time.  It is that of the wall clock, but never goes back.
 */
static inline TimestampTz
shard_clock_now(void)
{
	TimestampTz wall = GetCurrentTimestamp();

	return likely(wall >= shard_clock_base(my_shard_clock)) ? wall : shard_clock_slowed(wall);
}

/* Is the end of a tick covered by what is on disk? */
static inline bool
shard_clock_is_reserved(TimestampTz tick_end)
{
	return tick_end <= (TimestampTz) pg_atomic_read_u64(&my_shard_clock->reserved);
}

#endif							/* SHARD_CLOCK_H */
