/*-------------------------------------------------------------------------
 *
 * shard_clock.h
 *		The clock of next_shard_id(), which survives a restart of the server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARD_CLOCK_H
#define SHARD_CLOCK_H

#include "ticks.h"

#include "port/atomics.h"
#include "storage/lwlock.h"

/* In shared memory, one for each database */
typedef struct shard_clock
{
	/* The clock advances from here while the wall clock is behind it. */
	LWLock		base_lock;		/* to change both, or to read both */
	pg_atomic_uint64 base_time; /* a TimestampTz; never goes back */
	int64		base_monotonic; /* microseconds */

	/*
	 * The reservation on disk.  The end of an id's tick must not be past it.
	 */
	LWLock		reservation_lock;
	pg_atomic_uint64 reserved;	/* a TimestampTz */
	pg_atomic_uint64 reserved_lsn;	/* end of its WAL record */

	/* What settled_shard_id() has returned: no id will come before it. */
	pg_atomic_uint64 settled;	/* a TimestampTz; never goes back */
} shard_clock;

extern void shard_clock_init(shard_clock *clock, int tranche);
extern Oid	shard_clock_begin(shard_clock *clock);
extern TimestampTz shard_clock_slowed(shard_clock *clock, TimestampTz wall);
extern void shard_clock_sync(shard_clock *clock);
extern TimestampTz shard_clock_settled(shard_clock *clock);
extern void shard_clock_extend(shard_clock *clock, TimestampTz tick_end);

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
shard_clock_now(shard_clock *clock)
{
	TimestampTz wall = GetCurrentTimestamp();

	return likely(wall >= shard_clock_base(clock)) ? wall : shard_clock_slowed(clock, wall);
}

/* Is the end of a tick covered by what is on disk? */
static inline bool
shard_clock_is_reserved(shard_clock *clock, TimestampTz tick_end)
{
	return tick_end <= (TimestampTz) pg_atomic_read_u64(&clock->reserved);
}

#endif							/* SHARD_CLOCK_H */
