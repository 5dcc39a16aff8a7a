/*-------------------------------------------------------------------------
 *
 * clock_sequence.c
 *		next_snowflake(): Snowflake ids from a clock that is kept in a sequence.
 *
 * The state is an ordinary sequence.  Its last_value is the last slot taken
 * from it: the last id or, with INCREMENT k, the last of the k slots of that
 * id.  So all slots above last_value are free, even if the increment is
 * changed.  The high bits of an id are its time, so last_value is also a
 * logical clock: the next id is the lowest id of the node that is above
 * last_value and not before the current tick.  So ids ascend even if the wall
 * clock is set back.
 *
 * Crash: A WAL record contains a last_value up to a second ahead
 * (RESERVATION), and recovery continues after it.  While ids are not ahead of
 * the clock, the record need not be flushed before they are returned, because
 * after a crash the clock is past them.  If ids are ahead, or if the tick can
 * outlast a restart, the record is flushed first.  A sequence without WAL
 * loses its state in a crash, so a burst must not take its ids ahead of the
 * clock.  If the clock is set back, its ids are ahead all the same; after a
 * crash, the sequence can then repeat ids of the time that the clock passes
 * again.
 *
 * Blocks: With CACHE n, a backend takes n ids at once and issues them without
 * access to the sequence, while their tick lasts.  A block never extends into
 * another tick or node.
 *
 * Feeds: A transaction publishes its first id before last_value passes it, so
 * that settled_snowflake() can say up to which id no row will be added.
 *
 *-------------------------------------------------------------------------
 */
#include "settings.h"
#include "snowflake_layout.h"
#include "wait.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "sequence_defaults.h"
#include "sequence_page.h"
#include "storage/lmgr.h"
#include "unsettled.h"
#include "utils/guc.h"
#include "utils/rel.h"

/* How far ahead of the ids a WAL record reserves, in microseconds */
#define RESERVATION		USECS_PER_SEC

/* A server takes at least this long to restart after a crash, in microseconds */
#define RESTART_TIME	1000

/* Citus gives workers bounds of their own, if a default depends on the sequence. */
#define CITUS_HINT		"In a default of a Citus table, write the sequence as '...'::text::regclass."

/* Consecutive slots of one tick: count ids, each with increment slots */
typedef struct slot_block
{
	bool		file_can_be_lost;	/* by a rollback; see protect_block() */
	TimestampTz now;			/* when the block was chosen */
	int64		tick;
	TimestampTz tick_begin;
	bool		new_tick;		/* is last_value before this tick? */
	int64		count;
	int64		first;			/* lowest id */
	int64		end;			/* highest slot, as an id */
	XLogRecPtr	lsn;			/* end of the WAL that covers it */
} slot_block;


/* ----------------------------------------------------------------
 *		Choosing slots
 * ----------------------------------------------------------------
 */

/*
 * Return the lowest sequence number with which an id of the node, without its
 * time, is at or above a limit.  The result can exceed the field.
 */
static int64
lowest_sequence(const snowflake_layout *layout, int32 node, int64 limit)
{
	int64		distance = limit - snowflake_pack(layout, 0, node, 0);

	/* Round up, without a sum that could overflow. */
	return distance <= 0 ? 0 : ((distance - 1) >> layout->seq_shift) + 1;
}

/*
 * Return the sequence number at which a tick begins.  With start=random, it is
 * in the lower half of the field, and room for one id remains above it.
 */
static int64
first_sequence(const snowflake_layout *layout, int64 increment)
{
	int64		slots = snowflake_max_sequence(layout) + 1;

	if (!layout->start_random)
		return 0;
	return pg_prng_uint64_range(&pg_global_prng_state, 0, Min(slots / 2, slots - increment + 1) - 1);
}

/*
 * Choose the tick of the first slots of the node that are free and not before the
 * current tick, and return their first sequence number.  A tick that ids enter because
 * the one before is full begins at 0, so that a burst gets all numbers of the layout.
 */
static int64
choose_tick(const snowflake_layout *layout, int32 node, int64 increment,
			Form_pg_sequence_data data, slot_block *block)
{
	int64		current_tick = snowflake_tick_at(layout, block->now);
	int64		last_tick = data->last_value >> layout->time_shift;
	int64		below_time = data->last_value & ((INT64CONST(1) << layout->time_shift) - 1);
	int64		seq;

	block->tick = current_tick;
	block->new_tick = last_tick < current_tick;
	if (block->new_tick)
		return first_sequence(layout, increment);

	/* The clock is in the tick of last_value, or behind it. */
	block->tick = last_tick;
	seq = lowest_sequence(layout, node, below_time + (data->is_called ? 1 : 0));
	if (seq + increment > snowflake_max_sequence(layout) + 1)
	{
		block->tick = (int64) ((uint64) last_tick + 1);	/* can overflow */
		block->new_tick = true;
		seq = 0;
	}
	return seq;
}

/*
 * Choose slots for as many ids as CACHE says, or for all that the tick has if the next
 * block will have to wait for another tick.  check_limits() checks if there are any, and
 * if one id fits.
 */
static void
choose_slots(const snowflake_layout *layout, int32 node, const FormData_pg_sequence *options,
			 Form_pg_sequence_data data, slot_block *block)
{
	int64		slots = snowflake_max_sequence(layout) + 1;
	int64		increment = options->seqincrement;
	int64		seq = choose_tick(layout, node, increment, data, block);

	block->count = 0;
	if (block->tick < 0 || block->tick > layout->clock.max_tick)
		return;
	block->tick_begin = tick_time(&layout->clock, block->tick);
	block->count = block->file_can_be_lost ? slots : options->seqcache;
	block->count = Min(block->count, (slots - seq) / increment);
	block->first = snowflake_pack(layout, block->tick, node, seq);
	if (block->first + ((block->count * increment - 1) << layout->seq_shift) > options->seqmax)
		block->count = 1;
	block->end = block->first + ((block->count * increment - 1) << layout->seq_shift);
}

/*
 * Return the last_value that WAL reserves for a block: a second ahead.  In a
 * longer tick, reserve only the slots of the node for one second, so that the
 * rest of the tick can be used after a crash.
 */
static int64
reservation_of(const snowflake_layout *layout, const slot_block *block, int64 max)
{
	int64		ticks = RESERVATION / layout->clock.tick;
	int64		slots = snowflake_max_sequence(layout) + 1;
	int64		seq = block->end >> layout->seq_shift & (slots - 1);

	if (ticks > 0)
		return Min(max, snowflake_last_of_tick(layout, Min(block->tick + ticks, layout->clock.max_tick)));

	slots = Min(slots * RESERVATION / layout->clock.tick, slots - 1 - seq);
	return Min(max, block->end + (slots << layout->seq_shift));
}

/*
 * Reject a sequence that cannot hold ids of this layout, or whose MINVALUE is
 * further ahead of the clock than a burst can be.
 */
static void
check_clock_sequence(Relation rel, const FormData_pg_sequence *options, const snowflake_layout *layout)
{
	int64		min_tick = options->seqmin >> layout->time_shift;

	if (options->seqincrement < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" is descending", RelationGetRelationName(rel)),
				 errhint("Use a sequence with a positive INCREMENT.")));
	if (options->seqincrement > snowflake_max_sequence(layout) + 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("increment %lld of sequence \"%s\" is too large for layout %s",
						(long long) options->seqincrement, RelationGetRelationName(rel),
						snowflake_format_layout(layout)),
				 errdetail("A tick has %lld sequence numbers.",
						   (long long) snowflake_max_sequence(layout) + 1)));
	if (min_tick > 0 && min_tick > tick_at(&layout->clock, GetCurrentTimestamp() + RESERVATION))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("MINVALUE (%lld) of sequence \"%s\" is ahead of the clock in layout %s",
						(long long) options->seqmin, RelationGetRelationName(rel),
						snowflake_format_layout(layout)),
				 errhint("Use ALTER SEQUENCE ... NO MINVALUE RESTART WITH 1.  " CITUS_HINT)));
}

/*
 * Reject a block past the end of the layout, which the sequence has reached before the
 * clock, or above the sequence's MAXVALUE.
 */
static void
check_limits(Relation rel, const snowflake_layout *layout, const FormData_pg_sequence *options,
			 int64 last_value, const slot_block *block)
{
	if (block->count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("sequence \"%s\" has no id left in layout %s",
						RelationGetRelationName(rel), snowflake_format_layout(layout)),
				 errdetail("The last value of the sequence is %lld, and the last id of the layout is %lld.",
						   (long long) last_value, (long long) snowflake_max_id(layout)),
				 errhint("Use the layout of earlier ids, or another sequence.")));
	if (block->end > options->seqmax)
		ereport(ERROR,
				(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
				 errmsg("next_snowflake: reached maximum value of sequence \"%s\" (%lld)",
						RelationGetRelationName(rel), (long long) options->seqmax),
				 errhint("Use a sequence AS bigint with NO MAXVALUE.  " CITUS_HINT)));
}


/* ----------------------------------------------------------------
 *		next_snowflake
 * ----------------------------------------------------------------
 */

/*
 * Return how far ids may lead the clock, in microseconds.  It is 0 if the
 * sequence can lose its state.
 */
static int64
allowed_lead(Relation rel, const slot_block *block)
{
	return RelationNeedsWAL(rel) && !block->file_can_be_lost ? objectid_ext_max_lead() : 0;
}

/*
 * Choose a block of slots and take it from the sequence.  Returns false if that would
 * begin a tick that leads the clock by more than lead, in microseconds.
 */
static bool
take_slots(sequence_entry *entry, Relation rel, int64 lead, slot_block *block)
{
	const FormData_pg_sequence *options = &entry->options;
	const snowflake_layout *layout = &entry->layout;
	Buffer		buf;
	Form_pg_sequence_data data = lock_sequence_page(rel, &buf, BUFFER_LOCK_EXCLUSIVE);
	bool		taken;

	block->now = GetCurrentTimestamp();
	choose_slots(layout, entry->node, options, data, block);
	check_limits(rel, layout, options, data->last_value, block);
	taken = !block->new_tick || block->tick_begin - block->now <= lead;
	if (taken)
	{
		unsettled_publish(entry, block->first);	/* before last_value passes it */
		advance_sequence(entry, rel, buf, block->end,
						 reservation_of(layout, block, options->seqmax));
		block->lsn = PageGetLSN(BufferGetPage(buf));
	}
	UnlockReleaseBuffer(buf);
	return taken;
}

/*
 * Take a block of slots, waiting for the clock if necessary, but no longer
 * than one tick.  With a tuple lock, only one backend at a time waits for the
 * clock, so that all backends together get the ids of one tick per tick.
 */
static void
take_slots_in_turn(sequence_entry *entry, Relation rel, slot_block *block)
{
	int64		lead = allowed_lead(rel, block);
	ItemPointerData tid;
	int			nestlevel;

	if (take_slots(entry, rel, lead, block))
		return;

	/* Who has the lock waits for the clock, which lock_timeout does not limit. */
	nestlevel = NewGUCNestLevel();
	(void) set_config_option("lock_timeout", "0", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	ItemPointerSet(&tid, 0, FirstOffsetNumber);
	LockTuple(rel, &tid, ExclusiveLock);
	AtEOXact_GUC(false, nestlevel);
	if (!take_slots(entry, rel, lead, block))
	{
		objectid_ext_wait_for_clock(block->tick_begin, lead, entry->layout.clock.tick);
		/* In any case now, because the clock may be hours behind. */
		(void) take_slots(entry, rel, PG_INT64_MAX, block);
	}
	UnlockTuple(rel, &tid, ExclusiveLock);
}

/* Is the clock further behind than bursts and crashes explain? */
static bool
clock_is_late(int64 lead, int64 tick)
{
	return lead > objectid_ext_max_lead() + RESERVATION + tick;
}

/* If so, warn, once per sequence. */
static void
warn_of_late_clock(sequence_entry *entry, Relation rel, int64 lead)
{
	if (lead <= 0)
		entry->warned = false;
	else if (clock_is_late(lead, entry->layout.clock.tick) && !entry->warned)
	{
		entry->warned = true;
		ereport(WARNING,
				(errmsg("clock is %lld seconds behind the last id of sequence \"%s\"",
						(long long) (lead / USECS_PER_SEC), RelationGetRelationName(rel)),
				 errdetail("Ids continue in order, at the rate of one tick's ids per tick, until the clock has caught up."),
				 lead > 365 * USECS_PER_DAY ?
				 errhint("The earlier ids of the sequence may have another layout.") : 0));
	}
}

/*
 * Make sure that the ids of a block cannot come again, and set when they can be issued.
 *
 * ALTER SEQUENCE and TRUNCATE give a sequence a new file.  A rollback, or a crash, brings
 * the earlier one back, which knows nothing of the block.  Only the clock then prevents
 * that the ids come again, so wait until it is past their tick; nobody else can take ids.
 * If the clock was set back, or is set back, there is no protection.
 *
 * If the ids are ahead of the clock, or their tick can outlast a restart, flush the WAL.
 * Otherwise they can be issued while the clock is in their tick, but for a second at most:
 * ids of an idle session hold readers of settled_snowflake() back.
 */
static void
protect_block(sequence_entry *entry, Relation rel, slot_block *block)
{
	int64		tick = entry->layout.clock.tick;
	TimestampTz end = block->tick_begin + tick;

	entry->usable_from = DT_NOBEGIN;
	if (block->file_can_be_lost)
	{
		while (block->now < end && !clock_is_late(block->tick_begin - block->now, tick))
		{
			objectid_ext_wait(end - block->now);
			block->now = GetCurrentTimestamp();
		}
		end = DT_NOEND;
	}
	else if (RelationNeedsWAL(rel) && (block->now < block->tick_begin || tick > RESTART_TIME))
		XLogFlush(block->lsn);
	else
		entry->usable_from = block->tick_begin;
	entry->usable_until = Min(end, Max(block->tick_begin, block->now) + RESERVATION);
	unsettled_set_block(entry, block->tick_begin - RESERVATION, entry->usable_until);
}

/* Take a new block and store it in entry. */
static void
take_block(sequence_entry *entry, int32 node, const snowflake_layout *layout)
{
	Relation	rel = open_sequence_entry(entry, "next_snowflake()");
	slot_block	block = {.file_can_be_lost = RelationGetNewFileSubid(rel) != InvalidSubTransactionId};

	snowflake_check_field(layout, "node", node, snowflake_max_node(layout));
	check_sequence_layout(entry, layout);
	check_clock_sequence(rel, &entry->options, layout);
	entry->node = node;
	entry->layout = *layout;
	unsettled_register(entry);
	take_slots_in_turn(entry, rel, &block);
	protect_block(entry, rel, &block);
	entry->next = block.first;
	entry->step = entry->options.seqincrement << layout->seq_shift;
	entry->remaining = block.count;

	warn_of_late_clock(entry, rel, block.tick_begin - block.now);
	relation_close(rel, NoLock);
}

/*
 * Can the next id come from the block at hand?  Not for another user, whose
 * privileges have not been checked.  For transactions that must not take ids,
 * the result is false and take_block() raises the error.
 */
static inline bool
block_is_usable(const sequence_entry *entry, int32 node, const snowflake_layout *layout)
{
	TimestampTz now;

	if (!entry->valid || entry->remaining == 0 ||
		entry->layout_default.known_at != catalog_changes || entry->userid != GetUserId() ||
		entry->node != node || !snowflake_layout_equal(&entry->layout, layout) ||
		(XactReadOnly && !entry->is_temp) || IsInParallelMode())
		return false;

	now = GetCurrentTimestamp();
	return now < entry->usable_until && now >= entry->usable_from;
}

/* Return the next id of a node. */
static int64
next_id(Oid relid, int32 node, const snowflake_layout *layout)
{
	sequence_entry *entry = lock_sequence(relid);
	int64		id;

	/* The first id of a transaction must be published, or the block is lost. */
	if (!block_is_usable(entry, node, layout) ||
		!(entry->is_published || unsettled_resume_block(entry)))
		take_block(entry, node, layout);

	id = entry->next;
	if (--entry->remaining > 0)	/* after the last id, this could overflow */
		entry->next += entry->step;
	return id;
}

/*
 * Return the next id (int8) from a sequence (regclass), for a node (int4) and a
 * layout, or for a layout and the node of this server.  It is above every id that
 * was taken from the sequence.  With INCREMENT k the caller owns k consecutive
 * slots, of which this is the first.
 * The id can lead the clock by objectid_ext.max_clock_lead; beyond that, calls
 * wait, and can be cancelled.
 *
 * Errors: those of nextval(); numeric_value_out_of_range for a node that does
 * not fit its field; object_not_in_prerequisite_state for a sequence that is
 * descending, whose increment exceeds the slots of a tick, or whose MINVALUE
 * is ahead of the clock; datetime_field_overflow for a clock before the epoch
 * or past the end of the layout.
 */
PG_FUNCTION_INFO_V1(next_snowflake);
Datum
next_snowflake(PG_FUNCTION_ARGS)
{
	const snowflake_layout *layout = PG_GETARG_LAYOUT_P(PG_NARGS() - 1);

	if (PG_NARGS() == 3)
		PG_RETURN_INT64(next_id(PG_GETARG_OID(0), PG_GETARG_INT32(1), layout));
	PG_RETURN_INT64(next_id(PG_GETARG_OID(0),
							layout->node_bits > 0 ? objectid_ext_server_node() : 0, layout));
}
