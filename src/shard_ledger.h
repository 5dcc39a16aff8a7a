/*-------------------------------------------------------------------------
 *
 * shard_ledger.h
 *		The slots that next_shard_id() has issued, shared by all sessions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARD_LEDGER_H
#define SHARD_LEDGER_H

#include "shard_clock.h"

/*
 * A shard, identified by what determines the bits of its ids: layouts that
 * produce the same ids in the same ticks are equal here.  Compared as bytes.
 */
typedef struct ledger_shard
{
	TimestampTz epoch;			/* beginning of tick 0 */
	int64		tick;			/* length of a tick, microseconds */
	Oid			database;
	int32		shard;
	uint8		time_shift;
	uint8		node_shift;
	uint8		seq_shift;
	uint8		padding[5];		/* zero */
} ledger_shard;

/* The page of the ledger that a session used last */
typedef struct ledger_page_ref
{
	struct ledger_page *page;	/* or NULL */
	uint64		version;		/* of the page, when it was found */
	int64		tick;
	uint32		part;			/* slot / LEDGER_PAGE_SLOTS */
} ledger_page_ref;

typedef enum ledger_claim
{
	LEDGER_CLAIMED,				/* the slot is ours */
	LEDGER_TAKEN,				/* the slot was claimed before */
	LEDGER_TOO_LATE,			/* the tick is over: use a later one */
	LEDGER_FULL					/* no page is free until some tick ends */
} ledger_claim;

extern uint32 ledger_hash(const ledger_shard *shard);
extern ledger_claim ledger_claim_slot(ledger_page_ref *ref, const ledger_shard *shard, uint32 hash,
									  int64 tick, int64 slot, TimestampTz tick_end);

#endif							/* SHARD_LEDGER_H */
