/*-------------------------------------------------------------------------
 *
 * sequence_entry.h
 *		What a session knows of a sequence.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEQUENCE_ENTRY_H
#define SEQUENCE_ENTRY_H

#include "snowflake_layout.h"

#include "catalog/pg_sequence.h"
#include "lib/ilist.h"
#include "nodes/parsenodes.h"
#include "storage/lock.h"
#include "utils/relcache.h"

/* The oldest default that passes a sequence to a function; see sequence_defaults.c */
typedef struct sequence_default
{
	Oid			relid;
	PGFunction	function;
	uint64		known_at;		/* catalog_changes when all this was true */
	Oid			classid;		/* pg_attrdef or pg_type */
	Oid			objid;			/* InvalidOid if there is none */
	snowflake_layout layout;	/* that it passes as well */
} sequence_default;

/* A sequence of which this backend knows something */
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

	sequence_default layout_default;	/* next_snowflake() */
	sequence_default nextval_default;

	/* The block that next_snowflake() took last, with its node and layout */
	int32		node;
	snowflake_layout layout;
	int64		remaining;		/* ids not yet issued */
	int64		next;			/* the first of them */
	int64		step;			/* difference between consecutive ids */
	TimestampTz usable_from;	/* begin of tick; -infinity if no crash can repeat the ids */
	TimestampTz usable_until;	/* end of tick, or earlier */

	/* What others know of our ids; see unsettled.c */
	struct unsettled_ids *unsettled;	/* in shared memory, or NULL */
	dlist_node	registered_link;	/* unless that is NULL */
	bool		is_published;	/* in this transaction? */
	int64		first;			/* if so, the lowest id of it */
	slist_node	published_link;
} sequence_entry;

/* Counts what can change the defaults of columns and who may use sequences */
extern uint64 catalog_changes;

extern sequence_entry *find_sequence_entry(Oid relid);
extern sequence_entry *lock_sequence(Oid relid);
extern Relation open_sequence(Oid relid, LOCKMODE lockmode, AclMode privileges);
extern Relation open_sequence_entry(sequence_entry *entry, const char *funcname);

#endif							/* SEQUENCE_ENTRY_H */
