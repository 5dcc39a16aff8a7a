/*-------------------------------------------------------------------------
 *
 * clock_sequence.c
 *		The generator that cannot repeat: a clock kept in a sequence.
 *
 * The state of next_snowflake() is an ordinary sequence whose last_value is
 * the last slot that was taken from it: the last id, or with INCREMENT k the
 * last of its k slots, so that nothing above it is anybody's, whatever the
 * increment is changed to.  An id has its time in its high bits, so last_value
 * is a logical clock as well: the next id is the lowest one of the node that is
 * above last_value and not before the current tick.  Whatever the wall clock
 * does, ids ascend.
 *
 * Crash.  A WAL record carries a last_value up to a second ahead
 * (RESERVATION), and recovery goes on behind it.  The record need not reach
 * the disk before the ids reach a client as long as these are not ahead of the
 * clock: after the crash the clock is past them.  Where they are ahead, or a
 * tick may outlast a restart, the record is flushed before an id is given
 * away.  A sequence without WAL forgets its ids, so a burst may not take them
 * ahead of the clock.  A clock that is set back leaves them ahead, and nothing
 * can be done: the sequence forgets in a crash what it gave away in the time
 * that the clock goes through again.
 *
 * Blocks.  CACHE n takes n ids at once; this backend then issues them without
 * looking at the sequence, while their tick lasts.  A block never leaves its
 * tick nor its node.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "sequence_page.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

/* How far ahead of its ids a WAL record reserves, in microseconds. */
#define RESERVATION		USECS_PER_SEC

/* No server is back from a crash sooner than this, in microseconds. */
#define RESTART_TIME	1000

/* Consecutive slots of one tick: count ids, each the first of increment slots. */
typedef struct slot_block
{
	TimestampTz now;			/* when it was chosen */
	int64		tick;
	TimestampTz tick_begin;
	bool		new_tick;		/* is nothing of it in the sequence yet? */
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
 * The lowest sequence number with which an id of the node, without its time,
 * is not below a limit; may be past its field.
 */
static int64
lowest_sequence(const snowflake_layout *layout, int32 node, int64 limit)
{
	int64		distance = limit - snowflake_pack(layout, 0, node, 0);

	/* Rounded up, with no sum that may be past the last number. */
	return distance <= 0 ? 0 : ((distance - 1) >> layout->seq_shift) + 1;
}

/*
 * The first slots of the node that are neither taken nor before the current
 * tick.
 */
static void
choose_slots(const snowflake_layout *layout, int32 node, const FormData_pg_sequence *options,
			 Form_pg_sequence_data data, slot_block *block)
{
	int64		current_tick = snowflake_tick_at(layout, block->now);
	int64		last_tick = data->last_value >> layout->time_shift;
	int64		below_time = data->last_value & ((INT64CONST(1) << layout->time_shift) - 1);
	int64		slots = snowflake_max_sequence(layout) + 1;
	int64		increment = options->seqincrement;
	int64		seq = 0;

	block->tick = current_tick;
	block->new_tick = last_tick < current_tick;
	if (!block->new_tick)
	{
		/* The clock is in the sequence's tick, or behind it. */
		block->tick = last_tick;
		seq = lowest_sequence(layout, node, below_time + (data->is_called ? 1 : 0));
		if (seq + increment > slots)
		{
			block->tick++;
			block->new_tick = true;
			seq = 0;
		}
		snowflake_check_tick(layout, block->tick);
	}
	block->tick_begin = tick_time(&layout->clock, block->tick);

	block->count = Min(options->seqcache, (slots - seq) / increment);
	block->first = snowflake_pack(layout, block->tick, node, seq);
	if (block->first + ((block->count * increment - 1) << layout->seq_shift) > options->seqmax)
		block->count = 1;		/* if even that does not fit, check_max_value() says so */
	block->end = block->first + ((block->count * increment - 1) << layout->seq_shift);
}

/*
 * How far ahead of a block WAL shall reserve: a second.  Of a tick that is
 * longer, as many slots of the node as fall to a second, so that the rest of
 * the tick can be used after a crash.
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

/* Refuse a sequence that cannot hold ids of this layout. */
static void
check_clock_sequence(Relation rel, const FormData_pg_sequence *options, const snowflake_layout *layout)
{
	if (options->seqincrement < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" is descending", RelationGetRelationName(rel)),
				 errhint("Ids ascend with time: use a sequence with a positive INCREMENT.")));
	if (options->seqincrement > snowflake_max_sequence(layout) + 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("increment %lld of sequence \"%s\" is too large for layout %s",
						(long long) options->seqincrement, RelationGetRelationName(rel),
						snowflake_format_layout(layout)),
				 errdetail("A tick has %lld sequence numbers.",
						   (long long) snowflake_max_sequence(layout) + 1)));
}

/*
 * Refuse a MINVALUE that is ahead of the clock by more than a burst may be: no
 * id of the present could ever be taken.
 */
static void
check_min_value(Relation rel, const FormData_pg_sequence *options, const snowflake_layout *layout,
				TimestampTz now)
{
	int64		tick = options->seqmin >> layout->time_shift;

	if (tick > 0 && tick > tick_at(&layout->clock, now + RESERVATION))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("MINVALUE (%lld) of sequence \"%s\" is ahead of the clock in layout %s",
						(long long) options->seqmin, RelationGetRelationName(rel),
						snowflake_format_layout(layout)),
				 errhint("Use ALTER SEQUENCE ... NO MINVALUE RESTART WITH 1.")));
}

/* Refuse a block above the sequence's MAXVALUE. */
static void
check_max_value(Relation rel, const FormData_pg_sequence *options, const slot_block *block)
{
	if (block->end > options->seqmax)
		ereport(ERROR,
				(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
				 errmsg("next_snowflake: reached maximum value of sequence \"%s\" (%lld)",
						RelationGetRelationName(rel), (long long) options->seqmax),
				 errhint("Time-ordered ids need a sequence AS bigint with NO MAXVALUE.")));
}


/* ----------------------------------------------------------------
 *		next_snowflake
 * ----------------------------------------------------------------
 */

/* How far may ids lead the clock?  Not at all where a crash forgets them. */
static int64
allowed_lead(Relation rel)
{
	return RelationNeedsWAL(rel) ? objectid_ext_max_lead() : 0;
}

/*
 * Choose a block of slots and take it from the sequence, unless it opens a tick
 * that leads the clock by more than is allowed.  A caller that has waited for
 * such a tick gets it, because the clock may be hours behind.
 */
static bool
take_slots(sequence_entry *entry, Relation rel, int32 node, const snowflake_layout *layout,
		   bool waited, slot_block *block)
{
	const FormData_pg_sequence *options = &entry->options;
	Buffer		buf;
	Form_pg_sequence_data data = lock_sequence_page(rel, &buf);
	bool		taken;

	block->now = GetCurrentTimestamp();
	check_min_value(rel, options, layout, block->now);
	choose_slots(layout, node, options, data, block);
	check_max_value(rel, options, block);
	taken = waited || !block->new_tick ||
		block->tick_begin - block->now <= allowed_lead(rel);
	if (taken)
	{
		advance_sequence(entry, rel, buf, block->end,
						 reservation_of(layout, block, options->seqmax));
		block->lsn = PageGetLSN(BufferGetPage(buf));
	}
	UnlockReleaseBuffer(buf);
	return taken;
}

/*
 * Take a block of slots as soon as it may be taken, which is after a tick at
 * the latest.  A lock of the tuple lets one backend wait for the clock at a
 * time, so that all together get one tick's worth of ids per tick.
 */
static void
take_slots_in_turn(sequence_entry *entry, Relation rel, int32 node,
				   const snowflake_layout *layout, slot_block *block)
{
	ItemPointerData tid;
	bool		waited = false;

	if (take_slots(entry, rel, node, layout, false, block))
		return;

	ItemPointerSet(&tid, 0, FirstOffsetNumber);
	LockTuple(rel, &tid, ExclusiveLock);
	while (!take_slots(entry, rel, node, layout, waited, block))
	{
		objectid_ext_wait_for_clock(block->tick_begin, allowed_lead(rel), layout->clock.tick);
		waited = true;
	}
	UnlockTuple(rel, &tid, ExclusiveLock);
}

/* Say once that the clock is far behind: more than bursts and crashes make it. */
static void
warn_of_late_clock(sequence_entry *entry, Relation rel, int64 lead)
{
	if (lead <= 0)
		entry->warned = false;
	else if (lead > objectid_ext_max_lead() + RESERVATION + entry->layout.clock.tick &&
			 !entry->warned)
	{
		entry->warned = true;
		ereport(WARNING,
				(errmsg("clock is %lld seconds behind the last id of sequence \"%s\"",
						(long long) (lead / USECS_PER_SEC), RelationGetRelationName(rel)),
				 errdetail("Until it has caught up, ids go on in order, one tick's worth per tick.")));
	}
}

/*
 * Flush a block whose ids may not be given away before it is on disk, as they
 * are ahead of the clock, or their tick may outlast a restart.  Any other is of
 * use while the clock is in its tick.
 */
static void
flush_block(sequence_entry *entry, Relation rel, const snowflake_layout *layout, const slot_block *block)
{
	entry->usable_from = block->tick_begin;
	entry->usable_until = block->tick_begin + layout->clock.tick;
	if (RelationNeedsWAL(rel) &&
		(block->now < block->tick_begin || layout->clock.tick > RESTART_TIME))
	{
		XLogFlush(block->lsn);
		entry->usable_from = DT_NOBEGIN;
	}
}

/* Fill entry with a new block. */
static void
take_block(sequence_entry *entry, int32 node, const snowflake_layout *layout)
{
	Relation	rel = open_sequence_entry(entry, "next_snowflake()");
	slot_block	block;

	snowflake_check_node(layout, node);
	check_clock_sequence(rel, &entry->options, layout);
	take_slots_in_turn(entry, rel, node, layout, &block);
	flush_block(entry, rel, layout, &block);

	entry->node = node;
	entry->layout = *layout;
	entry->next = block.first;
	entry->step = entry->options.seqincrement << layout->seq_shift;
	entry->remaining = block.count;

	warn_of_late_clock(entry, rel, block.tick_begin - block.now);
	relation_close(rel, NoLock);
}

/*
 * May the next id come from the block at hand?  Not for another user, whose
 * permission nobody checked; and where the answer is no because of the
 * transaction, take_block() says so.
 */
static inline bool
block_is_usable(const sequence_entry *entry, int32 node, const snowflake_layout *layout)
{
	TimestampTz now;

	if (!entry->valid || entry->remaining == 0 ||
		entry->userid != GetUserId() ||
		entry->node != node || !snowflake_layout_equal(&entry->layout, layout) ||
		(XactReadOnly && !entry->is_temp) || IsInParallelMode())
		return false;

	now = GetCurrentTimestamp();
	return now < entry->usable_until && now >= entry->usable_from;
}

/*
 * The next id from a clock sequence (a regclass), of a node and a layout:
 * above every id that was ever taken from the sequence.  With INCREMENT k the
 * caller owns k consecutive slots, of which this is the first.  It may lead
 * the clock by objectid_ext.max_clock_lead; then calls wait, and can be
 * cancelled.  Errors: those of nextval(); a node that does not fit its field,
 * numeric_value_out_of_range; a sequence that descends, or whose increment is
 * larger than a tick, object_not_in_prerequisite_state; a clock before the
 * epoch or past the end, datetime_field_overflow.
 */
PG_FUNCTION_INFO_V1(next_snowflake);
Datum
next_snowflake(PG_FUNCTION_ARGS)
{
	sequence_entry *entry = lookup_sequence_entry(PG_GETARG_OID(0));
	int32		node = PG_GETARG_INT32(1);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(2);
	int64		id;

	lock_sequence_entry(entry);
	if (!block_is_usable(entry, node, layout))
		take_block(entry, node, layout);

	id = entry->next;
	if (--entry->remaining > 0)	/* behind the last id there may be no number */
		entry->next += entry->step;
	PG_RETURN_INT64(id);
}
