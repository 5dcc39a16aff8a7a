/*-------------------------------------------------------------------------
 *
 * shard_id.c
 *		next_shard_id(): ids as in "Sharding & IDs at Instagram".
 *
 * An id consists of the current tick, a shard, and the low bits of a number
 * that the caller passes, usually from a sequence.  The same bits can occur
 * again within a tick: the field is small, sequences can have CACHE, and a
 * shard can use several sequences.  So all sessions share a ledger of the
 * slots that were taken (shard_ledger.c), and an id whose slot is taken moves
 * to a later tick.
 *
 *-------------------------------------------------------------------------
 */
#include "settings.h"
#include "snowflake_layout.h"
#include "wait.h"

#include "miscadmin.h"
#include "utils/hsearch.h"

#include "shard_ledger.h"

/* Ids can lead the clock by this many ticks; more would fill the ledger. */
#define LEAD_TICKS_MAX	2048

/* The longest tick: after a restart, ids begin after the tick that was in use. */
#define SHARD_TICK_MAX		USECS_PER_SEC

/* Numbers this close to each other are taken to be of one sequence. */
#define STREAM_GAP		32

/* How many shards a session remembers */
#define ENTRIES_MAX		4096

/* How many sequences of a shard a session distinguishes */
#define STREAMS			4

/* How long to wait before reading the clock again, in microseconds */
#define WAIT_MAX		100000

/* How long to wait for room in the ledger, in microseconds */
#define FULL_MAX		(10 * USECS_PER_SEC)

/* Numbers of one sequence that a session used for a shard: first, last, and highest id */
typedef struct shard_stream
{
	int64		first;
	int64		last;
	int64		id;
} shard_stream;

typedef struct shard_key
{
	snowflake_layout layout;
	int64		shard;			/* 64 bits, so that the key has no padding */
} shard_key;

/* A shard for which this session has taken ids */
typedef struct shard_entry
{
	shard_key	key;
	ledger_shard ledger_shard;
	uint32		hash;			/* of ledger_shard */
	ledger_page_ref page;
	int64		tick;			/* when the clock was last read */
	TimestampTz tick_begin;
	TimestampTz tick_end;
	int			nstreams;
	shard_stream streams[STREAMS + 1];	/* both first and id ascend */
} shard_entry;


/* ----------------------------------------------------------------
 *		Session state of a shard
 * ----------------------------------------------------------------
 */

static HTAB *entries = NULL;

/* The end of the latest tick of all ids, and what that was when shards were forgotten last */
static TimestampTz latest_end = PG_INT64_MIN;
static TimestampTz forgotten_end = PG_INT64_MIN;

static void
init_entry(shard_entry *entry, const snowflake_layout *layout, int32 shard)
{
	entry->ledger_shard = (ledger_shard) {
		.epoch = layout->clock.epoch,
		.tick = layout->clock.tick,
		.database = MyDatabaseId,
		.shard = shard,
		.time_shift = layout->time_shift,
		.node_shift = layout->node_shift,
		.seq_shift = layout->seq_shift
	};
	entry->hash = ledger_hash(&entry->ledger_shard);
	entry->page.page = NULL;
	entry->tick_begin = entry->tick_end = PG_INT64_MIN;
	entry->nstreams = 0;
}

static shard_entry *
lookup_entry(const snowflake_layout *layout, int32 shard)
{
	static shard_entry *last = NULL;
	shard_key	key;
	bool		found;

	/* Fast path: an INSERT uses the same shard for all rows. */
	if (last != NULL && last->key.shard == shard &&
		snowflake_layout_equal(&last->key.layout, layout))
		return last;

	last = NULL;				/* in case of an error */
	if (entries == NULL || hash_get_num_entries(entries) >= ENTRIES_MAX)
	{
		HASHCTL		ctl;

		/* Forget all shards.  New ids of them must not be before this time. */
		forgotten_end = latest_end;
		if (entries != NULL)
			hash_destroy(entries);
		entries = NULL;
		ctl.keysize = sizeof(shard_key);
		ctl.entrysize = sizeof(shard_entry);
		entries = hash_create("objectid_ext shards", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}

	key.layout = *layout;
	key.shard = shard;
	last = hash_search(entries, &key, HASH_ENTER, &found);
	if (!found)
		init_entry(last, layout, shard);
	return last;
}


/* ----------------------------------------------------------------
 *		Order
 * ----------------------------------------------------------------
 */

/* Return how many streams begin below a number. */
static int
streams_below(const shard_entry *entry, int64 seq)
{
	int			n = entry->nstreams;

	while (n > 0 && entry->streams[n - 1].first >= seq)
		n--;
	return n;
}

static void
remove_stream(shard_entry *entry, int i)
{
	shard_stream *stream = &entry->streams[i];

	entry->nstreams--;
	memmove(stream, stream + 1, (entry->nstreams - i) * sizeof(shard_stream));
}

/*
 * Remember the id of a number.  nbelow streams begin below the number, and the id is
 * above theirs.
 */
static void
remember_id(shard_entry *entry, int nbelow, int64 seq, int64 id)
{
	shard_stream *streams = entry->streams;
	int			own = nbelow - 1;	/* the stream of the number */

	/* It is the one below, if that is close, or a new one. */
	if (own < 0 || seq - streams[own].last > STREAM_GAP)
	{
		own++;
		memmove(&streams[own + 1], &streams[own], (entry->nstreams - own) * sizeof(shard_stream));
		entry->nstreams++;
		streams[own].first = seq;
	}
	streams[own].last = seq;
	streams[own].id = id;

	/* All higher numbers get ids above this one, so streams above with lower ids are redundant. */
	while (own + 1 < entry->nstreams && streams[own + 1].id <= id)
		remove_stream(entry, own + 1);

	/* If there are too many, the lowest two become one, with the higher id of both. */
	if (entry->nstreams > STREAMS)
	{
		streams[1].first = streams[0].first;
		remove_stream(entry, 0);
	}
}


/* ----------------------------------------------------------------
 *		next_shard_id
 * ----------------------------------------------------------------
 */

/* Return the current tick.  The division is only needed in a new tick. */
static int64
present_tick(shard_entry *entry, TimestampTz now)
{
	const snowflake_layout *layout = &entry->key.layout;

	if (now < entry->tick_begin || now >= entry->tick_end)
	{
		entry->tick_end = PG_INT64_MIN;
		entry->tick = snowflake_tick_at(layout, now);
		entry->tick_begin = tick_time(&layout->clock, entry->tick);
		entry->tick_end = entry->tick_begin + layout->clock.tick;
	}
	return entry->tick;
}

/*
 * Return the first tick in which the id of a number, of which nbelow streams begin
 * below, is above theirs.
 */
static int64
first_tick(const shard_entry *entry, int nbelow, int64 slot)
{
	const snowflake_layout *layout = &entry->key.layout;
	int64		below;
	int64		tick;

	if (nbelow == 0)
		return forgotten_end == PG_INT64_MIN ? 0 : tick_from(&layout->clock, forgotten_end);
	below = entry->streams[nbelow - 1].id;
	tick = below >> layout->time_shift;
	return snowflake_pack(layout, tick, (int32) entry->key.shard, slot) > below ? tick : tick + 1;
}

/*
 * Wait for a tick to end, so that its page can be recycled.  *waited is the
 * total so far, in microseconds; past FULL_MAX we give up.
 */
static void
wait_for_page(const snowflake_layout *layout, int64 *waited)
{
	int64		us = Max(layout->clock.tick, 1000);

	if (*waited >= FULL_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("shared memory of next_shard_id() is full"),
				 errdetail("It holds the current and future ticks of all shards and layouts."),
				 errhint("Decrease %s, or use next_snowflake().", "objectid_ext.max_clock_lead")));
	objectid_ext_wait(us);
	*waited += us;
}

/*
 * Claim a slot in the first tick, from a given one on, in which it is free.
 * Returns the tick.  Waits while that tick would lead the clock too far.
 */
static int64
claim_tick(shard_entry *entry, int64 tick, int64 slot)
{
	const snowflake_layout *layout = &entry->key.layout;
	TimestampTz now = shard_clock_now();
	int64		waited = 0;

	for (;;)
	{
		TimestampTz begin;
		int64		excess;			/* how much too far it would lead the clock */

		tick = Max(tick, present_tick(entry, now));
		if (unlikely(tick > layout->clock.max_tick))
			snowflake_check_tick(layout, tick);
		begin = tick_time(&layout->clock, tick);
		excess = begin <= now ? 0 :
			begin - now - Min(objectid_ext_max_lead(), LEAD_TICKS_MAX * layout->clock.tick);
		if (unlikely(excess > 0))
		{
			objectid_ext_wait(Min(excess, WAIT_MAX));
			now = shard_clock_now();
			continue;
		}

		switch (ledger_claim_slot(&entry->page, &entry->ledger_shard, entry->hash,
								  tick, slot, begin + layout->clock.tick))
		{
			case LEDGER_CLAIMED:
				return tick;
			case LEDGER_TAKEN:
				tick++;
				break;
			case LEDGER_TOO_LATE:
				now = shard_clock_now();
				break;
			case LEDGER_FULL:
				wait_for_page(layout, &waited);
				now = shard_clock_now();
				break;
		}
	}
}

/* Reject a layout whose ticks are too long, because a restart waits for one. */
static void
check_shard_layout(const snowflake_layout *layout)
{
	if (layout->clock.tick > SHARD_TICK_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tick of layout %s is too long for next_shard_id()",
						snowflake_format_layout(layout)),
				 errdetail("The tick can be at most one second."),
				 errhint("Use next_snowflake().")));
}

/*
 * Return an id (int8) of the current tick, a shard (int4) and the low bits of
 * a sequence number (int8).  An error in one of the five steps wastes the slot at most.
 *
 * - Begin: in each transaction, make sure that the sequence holds the reservation,
 *	 and that no rollback takes it away.  Publish the time: settled_shard_id() stays
 *	 before it until the transaction has ended.
 * - Order: find the first tick in which the id is above those that the session took
 *	 for the shard with lower numbers.
 * - Claim: take the slot in that tick or the present one, or in a later one if it is
 *	 taken.  Nobody gets it again while the server runs.  Ids can lead the clock by
 *	 objectid_ext.max_clock_lead; beyond that, calls wait, and can be cancelled.
 * - Remember the id, so that those of higher numbers will be above it.
 * - Reserve: make sure that the end of the tick is reserved on disk before the id is
 *	 returned, so that nobody gets the slot after a crash.
 *
 * Errors: numeric_value_out_of_range for a shard that does not fit its field
 * or a negative number; datetime_field_overflow for a clock before the epoch
 * or past the end of the layout; invalid_parameter_value for a layout with
 * ticks longer than a second; read_only_sql_transaction in a read-only
 * transaction; configuration_limit_exceeded if shared memory stays full.
 */
PG_FUNCTION_INFO_V1(next_shard_id);
Datum
next_shard_id(PG_FUNCTION_ARGS)
{
	int32		shard = PG_GETARG_INT32(0);
	int64		seq = PG_GETARG_INT64(1);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(2);
	int64		slot = seq & snowflake_max_sequence(layout);
	shard_entry *entry;
	int			nbelow;
	int64		tick;
	int64		id;
	TimestampTz tick_end;

	snowflake_check_field(layout, "shard", shard, snowflake_max_node(layout));
	snowflake_check_field(layout, "sequence number", seq, PG_INT64_MAX);
	check_shard_layout(layout);

	shard_clock_begin();

	entry = lookup_entry(layout, shard);
	nbelow = streams_below(entry, seq);
	tick = first_tick(entry, nbelow, slot);

	tick = claim_tick(entry, tick, slot);
	id = snowflake_pack(layout, tick, shard, slot);
	tick_end = tick_time(&layout->clock, tick + 1);

	remember_id(entry, nbelow, seq, id);
	latest_end = Max(latest_end, tick_end);

	if (unlikely(!shard_clock_is_reserved(tick_end)))
		shard_clock_reserve(tick_end);
	PG_RETURN_INT64(id);
}
