/*-------------------------------------------------------------------------
 *
 * shard_id.c
 *		next_shard_id(): the id that "Sharding & IDs at Instagram" describes.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "utils/hsearch.h"

/*
 * What this backend has issued for one shard: the last tick, and which slots
 * (low bits of the sequence number) of that tick are taken.
 */
#define SHARD_SLOTS 4096

typedef struct shard_key
{
	snowflake_layout layout;
	int64		shard;			/* as wide as the layout, to leave no padding */
} shard_key;

typedef struct shard_clock
{
	shard_key	key;
	int64		tick;
	int64		last_seq;		/* sequence number of the last id, whole */
	uint64		taken[SHARD_SLOTS / 64];
} shard_clock;

static shard_clock *
lookup_shard_clock(const snowflake_layout *layout, int32 shard)
{
	static HTAB *clocks = NULL;
	static shard_clock *last = NULL;
	shard_key	key;
	bool		found;

	/* An INSERT asks for the same shard over and over. */
	if (last != NULL && last->key.shard == shard &&
		snowflake_layout_equal(&last->key.layout, layout))
		return last;

	if (clocks == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(shard_key);
		ctl.entrysize = sizeof(shard_clock);
		clocks = hash_create("objectid_ext shard clocks", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}

	key.layout = *layout;
	key.shard = shard;
	last = NULL;				/* in case the next line runs out of memory */
	last = hash_search(clocks, &key, HASH_ENTER, &found);
	if (!found)
	{
		last->tick = -1;
		last->last_seq = -1;
	}
	return last;
}

/*
 * Must the next id of this shard leave the tick of the last one?  Yes, when
 * its slot is taken.  Yes as well, when the sequence has come round its field:
 * ids of one sequence shall ascend.  A number that is lower, or higher by more
 * than a field, is of another sequence, which has its turn.
 */
static bool
shard_tick_is_over(const shard_clock *clock, const snowflake_layout *layout, int64 seq)
{
	int64		mask = snowflake_max_sequence(layout);
	int			slot = (seq & mask) % SHARD_SLOTS;

	return (clock->taken[slot / 64] >> (slot % 64) & 1) ||
		(seq > clock->last_seq && seq - clock->last_seq <= mask &&
		 (seq & mask) < (clock->last_seq & mask));
}

static void
take_shard_slot(shard_clock *clock, const snowflake_layout *layout, int64 tick, int64 seq)
{
	int			slot = (seq & snowflake_max_sequence(layout)) % SHARD_SLOTS;

	if (clock->tick != tick)
	{
		clock->tick = tick;
		memset(clock->taken, 0, sizeof(clock->taken));
	}
	clock->taken[slot / 64] |= UINT64CONST(1) << (slot % 64);
	clock->last_seq = seq;
}

/*
 * The id of this tick, a shard, and a sequence number, of which the id has the
 * low bits.  The same backend does not give an id twice: when a slot comes
 * round again within a tick it moves to the next tick, and it waits when that
 * would lead the clock by more than objectid_ext.max_clock_lead.  A shard that
 * does not fit its field, or a negative number: numeric_value_out_of_range; a
 * clock before the epoch or past the end: datetime_field_overflow.
 */
PG_FUNCTION_INFO_V1(next_shard_id);
Datum
next_shard_id(PG_FUNCTION_ARGS)
{
	int32		shard = PG_GETARG_INT32(0);
	int64		seq = PG_GETARG_INT64(1);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(2);
	shard_clock *clock;
	int64		tick;

	snowflake_check_field(layout, "shard", shard, snowflake_max_node(layout));
	snowflake_check_field(layout, "sequence number", seq, PG_INT64_MAX);

	tick = snowflake_tick_at(layout, GetCurrentTimestamp());
	clock = lookup_shard_clock(layout, shard);
	if (tick <= clock->tick)
	{
		tick = clock->tick;
		if (shard_tick_is_over(clock, layout, seq))
		{
			snowflake_check_tick(layout, ++tick);
			objectid_ext_wait_for_clock(tick_time(&layout->clock, tick),
										objectid_ext_max_lead(), layout->clock.tick);
		}
	}
	take_shard_slot(clock, layout, tick, seq);

	PG_RETURN_INT64(snowflake_pack(layout, tick, shard, seq & snowflake_max_sequence(layout)));
}
