/*-------------------------------------------------------------------------
 *
 * shard_id.c
 *		next_shard_id(): the id that "Sharding & IDs at Instagram" describes.
 *
 * An id is the present tick, a shard, and the low bits of a number that the
 * caller passes, mostly of a sequence.  Nothing keeps numbers from coming again
 * within a tick: the field is small, sequences can have CACHE, a shard can have
 * several of them.  So all sessions share a ledger of what was given away
 * (shard_ledger.c), and a number whose slot is taken moves to a later tick.
 *
 * Order is what a session sees to by itself: an id is above all ids that the
 * session took for the shard with lower numbers.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "utils/hsearch.h"

#include "shard_ledger.h"

/* No layout may lead the clock by more ticks, or the ledger would be full. */
#define LEAD_TICKS_MAX	2048

/* A tick that is not over leads a restarted server by its length. */
#define TICK_MAX		USECS_PER_SEC

/* Numbers this close count as of one sequence. */
#define STREAM_GAP		32

/* How many sequences of a shard a session tells apart. */
#define STREAMS			4

/* How long to wait for the clock before looking at it again, in microseconds. */
#define WAIT_MAX		100000

/* How long to wait for room in the ledger, in microseconds. */
#define FULL_MAX		(10 * USECS_PER_SEC)

/* Numbers that a session used for a shard: the first and last, the highest id. */
typedef struct shard_stream
{
	int64		first;
	int64		last;
	int64		id;
} shard_stream;

typedef struct shard_key
{
	snowflake_layout layout;
	int64		shard;			/* as wide as the layout, to leave no padding */
} shard_key;

/* A shard that this session has taken ids of. */
typedef struct shard_entry
{
	shard_key	key;
	ledger_shard ledger_shard;
	uint32		hash;			/* of ledger_shard */
	ledger_page_ref page;
	int64		tick;			/* of the last look at the clock */
	TimestampTz tick_begin;
	TimestampTz tick_end;
	int			nstreams;
	shard_stream streams[STREAMS];	/* both first and id ascend */
} shard_entry;


/* ----------------------------------------------------------------
 *		What this session knows of a shard
 * ----------------------------------------------------------------
 */

static void
init_entry(shard_entry *entry, const snowflake_layout *layout, int32 shard)
{
	ledger_shard *ledger_shard = &entry->ledger_shard;

	memset(ledger_shard, 0, sizeof(*ledger_shard));
	ledger_shard->epoch = layout->clock.epoch;
	ledger_shard->tick = layout->clock.tick;
	ledger_shard->shard = shard;
	ledger_shard->time_shift = layout->time_shift;
	ledger_shard->node_shift = layout->node_shift;
	ledger_shard->seq_shift = layout->seq_shift;

	entry->hash = ledger_hash(ledger_shard);
	entry->page.page = NULL;
	entry->tick_begin = entry->tick_end = PG_INT64_MIN;
	entry->nstreams = 0;
}

static shard_entry *
lookup_entry(const snowflake_layout *layout, int32 shard)
{
	static HTAB *entries = NULL;
	static shard_entry *last = NULL;
	shard_key	key;
	bool		found;

	/* An INSERT asks for the same shard over and over. */
	if (last != NULL && last->key.shard == shard &&
		snowflake_layout_equal(&last->key.layout, layout))
		return last;

	if (entries == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(shard_key);
		ctl.entrysize = sizeof(shard_entry);
		entries = hash_create("objectid_ext shards", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}

	key.layout = *layout;
	key.shard = shard;
	last = NULL;				/* in case the next line runs out of memory */
	last = hash_search(entries, &key, HASH_ENTER, &found);
	if (!found)
		init_entry(last, layout, shard);
	return last;
}


/* ----------------------------------------------------------------
 *		Order
 * ----------------------------------------------------------------
 */

/* How many streams begin below a number. */
static int
streams_below(const shard_entry *entry, int64 seq)
{
	int			n = entry->nstreams;

	while (n > 0 && entry->streams[n - 1].first >= seq)
		n--;
	return n;
}

/* The highest id of the session for lower numbers, or -1. */
static int64
id_below(const shard_entry *entry, int64 seq)
{
	int			n = streams_below(entry, seq);

	return n > 0 ? entry->streams[n - 1].id : -1;
}

/* Two neighbours become one stream, for which later numbers wait for both. */
static void
merge_streams(shard_entry *entry, int lower)
{
	entry->streams[lower].last = entry->streams[lower + 1].last;
	entry->streams[lower].id = entry->streams[lower + 1].id;
	entry->nstreams--;
	memmove(&entry->streams[lower + 1], &entry->streams[lower + 2],
			(entry->nstreams - lower - 1) * sizeof(shard_stream));
}

/* Make room for one more stream: merge the two that are closest. */
static void
merge_closest_streams(shard_entry *entry)
{
	int			closest = 0;

	for (int i = 1; i + 1 < entry->nstreams; i++)
	{
		if (entry->streams[i + 1].first - entry->streams[i].last <
			entry->streams[closest + 1].first - entry->streams[closest].last)
			closest = i;
	}
	merge_streams(entry, closest);
}

/* Remember the id of a number; it is above id_below(). */
static void
remember_id(shard_entry *entry, int64 seq, int64 id)
{
	int			n = streams_below(entry, seq);

	if (n == 0 || seq - entry->streams[n - 1].last > STREAM_GAP)
	{
		if (entry->nstreams == STREAMS)
		{
			merge_closest_streams(entry);
			n = streams_below(entry, seq);
		}
		memmove(&entry->streams[n + 1], &entry->streams[n],
				(entry->nstreams - n) * sizeof(shard_stream));
		entry->nstreams++;
		entry->streams[n++].first = seq;
	}
	entry->streams[n - 1].last = seq;
	entry->streams[n - 1].id = id;

	/* For numbers above both, a stream with a lower id says nothing more. */
	while (n < entry->nstreams && entry->streams[n].id <= id)
	{
		entry->nstreams--;
		memmove(&entry->streams[n], &entry->streams[n + 1],
				(entry->nstreams - n) * sizeof(shard_stream));
	}
}


/* ----------------------------------------------------------------
 *		next_shard_id
 * ----------------------------------------------------------------
 */

/* The present tick; a layout's clock is divided anew only in another tick. */
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

/* The first tick in which the id of a number keeps the order of the session. */
static int64
first_tick(const shard_entry *entry, int64 seq, int64 slot)
{
	const snowflake_layout *layout = &entry->key.layout;
	int64		below = id_below(entry, seq);
	int64		tick;

	if (below < 0)
		return 0;
	tick = below >> layout->time_shift;
	return snowflake_pack(layout, tick, (int32) entry->key.shard, slot) > below ? tick : tick + 1;
}

/* How far ids may lead the clock, in microseconds. */
static int64
allowed_lead(const snowflake_layout *layout)
{
	return Min(objectid_ext_max_lead(), LEAD_TICKS_MAX * layout->clock.tick);
}

/* Wait for a tick to pass that keeps a page; *waited sums up. */
static void
wait_for_page(const snowflake_layout *layout, int64 *waited)
{
	int64		us = Max(layout->clock.tick, 1000);

	if (*waited >= FULL_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("shared memory of next_shard_id() is full"),
				 errdetail("It holds the ticks that are not over, of all shards and layouts."),
				 errhint("Lower %s, or use next_snowflake().", "objectid_ext.max_clock_lead")));
	objectid_ext_wait(us);
	*waited += us;
}

/*
 * Claim a slot in the first tick that has it, not before a tick.  Waits while
 * that would lead the clock too far.
 */
static int64
claim_tick(shard_entry *entry, int64 tick, int64 slot)
{
	const snowflake_layout *layout = &entry->key.layout;
	TimestampTz now = ledger_now();
	int64		waited = 0;

	for (;;)
	{
		TimestampTz begin;

		tick = Max(tick, present_tick(entry, now));
		snowflake_check_tick(layout, tick);
		begin = tick_time(&layout->clock, tick);
		if (unlikely(begin - now > allowed_lead(layout)))
		{
			objectid_ext_wait(Min(begin - now - allowed_lead(layout), WAIT_MAX));
			now = ledger_now();
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
			case LEDGER_FULL:
				wait_for_page(layout, &waited);
				/* FALLTHROUGH */
			case LEDGER_TOO_LATE:
				now = ledger_now();
				break;
		}
	}
}

/* Refuse a layout whose ticks are too long to be forgotten by a restart. */
static void
check_shard_layout(const snowflake_layout *layout)
{
	if (layout->clock.tick > TICK_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tick of layout %s is too long for next_shard_id()",
						snowflake_format_layout(layout)),
				 errdetail("It can last up to a second."),
				 errhint("Use next_snowflake().")));
}

/*
 * An id of the present tick, of a shard, and of a sequence number, of which the
 * id has the low bits.  No id is given twice in a database, whatever the
 * numbers: a slot that is taken moves the id to a later tick.  Ids may lead the
 * clock by objectid_ext.max_clock_lead; then calls wait, and can be cancelled.
 *
 * A shard that does not fit its field, or a negative number:
 * numeric_value_out_of_range; a clock before the epoch or past the end:
 * datetime_field_overflow; a layout with ticks of more than a second:
 * invalid_parameter_value; a read-only transaction: read_only_sql_transaction.
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
	int64		tick;
	int64		id;

	snowflake_check_field(layout, "shard", shard, snowflake_max_node(layout));
	snowflake_check_field(layout, "sequence number", seq, PG_INT64_MAX);
	check_shard_layout(layout);

	ledger_enter(fcinfo->flinfo->fn_oid);
	entry = lookup_entry(layout, shard);
	tick = claim_tick(entry, first_tick(entry, seq, slot), slot);
	id = snowflake_pack(layout, tick, shard, slot);
	remember_id(entry, seq, id);

	/* Before the id is known to anybody, its time must be safe. */
	ledger_reserve(tick_time(&layout->clock, tick + 1));
	PG_RETURN_INT64(id);
}
