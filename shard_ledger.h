/*-------------------------------------------------------------------------
 *
 * shard_ledger.h
 *		What next_shard_id() has given away, for all sessions of a database.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARD_LEDGER_H
#define SHARD_LEDGER_H

#include "shard_clock.h"

/*
 * A shard, as the bits of its ids have it: two layouts that make the same ids of
 * the same ticks are the same here.  Compared as bytes.
 */
typedef struct ledger_shard
{
	TimestampTz epoch;			/* beginning of tick 0 */
	int64		tick;			/* length of a tick, microseconds */
	int32		shard;
	uint8		time_shift;
	uint8		node_shift;
	uint8		seq_shift;
	uint8		padding;		/* zero */
} ledger_shard;

/* The page of the ledger that a session used last. */
typedef struct ledger_page_ref
{
	struct ledger_page *page;	/* NULL: none */
	uint64		version;		/* of the page, when it was found */
	int64		tick;
	uint32		part;			/* number of the slot by LEDGER_PAGE_SLOTS */
} ledger_page_ref;

typedef enum ledger_claim
{
	LEDGER_CLAIMED,				/* the slot is ours */
	LEDGER_TAKEN,				/* somebody has had it */
	LEDGER_TOO_LATE,			/* the tick may be forgotten: take a later one */
	LEDGER_FULL					/* no page is free before some tick has passed */
} ledger_claim;

extern void ledger_enter(Oid funcid);
extern TimestampTz ledger_now(void);
extern uint32 ledger_hash(const ledger_shard *shard);
extern ledger_claim ledger_claim_slot(ledger_page_ref *ref, const ledger_shard *shard, uint32 hash,
									  int64 tick, int64 slot, TimestampTz tick_end);
extern void ledger_reserve(TimestampTz tick_end);

#endif							/* SHARD_LEDGER_H */
