/*-------------------------------------------------------------------------
 *
 * sequence_page.h
 *		Backend-local state of sequences, and access to their pages.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEQUENCE_PAGE_H
#define SEQUENCE_PAGE_H

#include "snowflake_layout.h"

#include "access/xlogdefs.h"
#include "catalog/pg_sequence.h"
#include "commands/sequence.h"
#include "lib/ilist.h"
#include "storage/bufmgr.h"
#include "storage/lock.h"
#include "utils/relcache.h"

/* A sequence from which this backend has taken values */
typedef struct sequence_entry
{
	Oid			relid;			/* hash key */
	LocalTransactionId lxid;	/* transaction in which we hold a lock */
	bool		warned;			/* have we warned that the clock is behind? */

	/* Results of check_sequence_entry() for this user */
	bool		valid;			/* no invalidation since then? */
	Oid			userid;
	bool		is_temp;		/* can be used in a read-only transaction */
	bool		logged;			/* have we written WAL for the page since? */
	FormData_pg_sequence options;

	/* The block that next_snowflake() took last, with its node and layout */
	int32		node;
	snowflake_layout layout;
	int64		remaining;		/* ids not yet issued */
	int64		next;			/* the first of them */
	int64		step;			/* difference between consecutive ids */
	TimestampTz usable_from;	/* begin of tick, or -infinity if WAL is flushed */
	TimestampTz usable_until;	/* end of tick, or earlier */

	/* What others know of our ids; see unsettled.c */
	struct unsettled_ids *unsettled;	/* in shared memory, or NULL */
	dlist_node	registered_link;	/* unless that is NULL */
	bool		is_published;	/* in this transaction? */
	int64		first;			/* if so, the lowest id of it */
	slist_node	published_link;
} sequence_entry;

extern sequence_entry *lock_sequence(Oid relid);
extern Relation open_sequence(Oid relid, LOCKMODE lockmode, AclMode privileges);
extern Relation open_sequence_entry(sequence_entry *entry, const char *funcname);

extern Form_pg_sequence_data lock_sequence_page(Relation rel, Buffer *buf, int mode);
extern void advance_sequence(sequence_entry *entry, Relation rel, Buffer buf,
							 int64 last_value, int64 reserved);
extern XLogRecPtr set_sequence_value(Relation rel, int64 value);

/*
 * Return the value some increments after another, and the number of increments
 * between two values.  These use unsigned arithmetic, because the distance
 * between the ends of int8 exceeds int8.
 */
static inline int64
value_after(const FormData_pg_sequence *options, int64 value, uint64 steps)
{
	return (int64) ((uint64) value + steps * (uint64) options->seqincrement);
}

static inline uint64
steps_between(const FormData_pg_sequence *options, int64 from, int64 to)
{
	return options->seqincrement > 0 ?
		((uint64) to - (uint64) from) / (uint64) options->seqincrement :
		((uint64) from - (uint64) to) / -(uint64) options->seqincrement;
}

#endif							/* SEQUENCE_PAGE_H */
