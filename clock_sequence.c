/*-------------------------------------------------------------------------
 *
 * clock_sequence.c
 *		The generator that cannot repeat: a clock kept in a sequence.  Also
 *		plain values of sequences, a range at a time.
 *
 * The state of next_snowflake() is an ordinary sequence whose last_value is
 * the last id that was taken from it.  An id has its time in its high bits, so
 * last_value is a logical clock as well: the next id is the lowest one of the
 * node that is at least an increment above last_value and not before the
 * current tick.  Whatever the wall clock does, ids ascend.
 *
 * The sequence is changed under the exclusive lock of its one page, as
 * nextval() does it, and the tuple means what it means there: WAL covers all
 * values up to last_value + log_cnt * increment.  So nextval(), setval(),
 * ALTER SEQUENCE, dump, restore and replication go on working, and both
 * functions may even be used in turn.
 *
 * Crash.  A WAL record carries a last_value up to a second ahead
 * (RESERVATION), and recovery goes on behind it.  The record need not reach
 * the disk before the ids reach a client as long as these are not ahead of the
 * clock: after the crash the clock is past them.  Where they are ahead, or a
 * tick may outlast a restart, the record is flushed before an id is given
 * away.  Sequences without WAL, which forget, may not run ahead at all.
 *
 * Blocks.  CACHE n takes n ids at once; this backend then issues them without
 * looking at the sequence, while their tick lasts.  A block never leaves its
 * tick nor its node.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_sequence.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "common/int.h"
#include "common/pg_prng.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

/* How far ahead of its ids a WAL record reserves, in microseconds. */
#define RESERVATION		USECS_PER_SEC

/* How many values ahead, for plain values; as many as core does. */
#define RESERVED_VALUES 32

/* No server is back from a crash sooner than this, in microseconds. */
#define RESTART_TIME	1000

/* What core puts into the special space of a sequence's page. */
#define SEQUENCE_MAGIC	0x1717

/* A sequence that this backend has taken ids from. */
typedef struct clock_sequence
{
	Oid			relid;			/* hash key */
	LocalTransactionId lxid;	/* transaction in which we hold a lock */
	bool		warned;			/* did we say that the clock is behind? */

	/* What check_sequence() found, for this user */
	bool		valid;			/* did nothing change since? */
	Oid			userid;
	bool		is_temp;		/* may be used in a read-only transaction */
	FormData_pg_sequence options;

	/* The block that was taken last, and for what */
	int32		node;
	snowflake_layout layout;
	int64		remaining;		/* ids not yet issued */
	int64		next;			/* the first of them */
	int64		step;			/* from one to the next */
	TimestampTz usable_from;	/* tick begins, or any time if on disk */
	TimestampTz usable_until;	/* tick ends */
} clock_sequence;

/* Consecutive slots of one tick: count ids, each the first of increment slots. */
typedef struct slot_block
{
	int64		tick;
	bool		new_tick;		/* is nothing of it in the sequence yet? */
	int64		count;
	int64		first;			/* lowest id */
	int64		last;			/* highest id */
	int64		end;			/* highest slot, as an id */
} slot_block;

static HTAB *clock_sequences = NULL;


/* ----------------------------------------------------------------
 *		What this backend knows of sequences
 * ----------------------------------------------------------------
 */

/* Forget blocks of one relation, or of all for InvalidOid. */
static void
invalidate_relation(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	clock_sequence *cs;

	if (OidIsValid(relid))
	{
		cs = hash_search(clock_sequences, &relid, HASH_FIND, NULL);
		if (cs != NULL)
			cs->valid = false;
		return;
	}

	hash_seq_init(&status, clock_sequences);
	while ((cs = hash_seq_search(&status)) != NULL)
		cs->valid = false;
}

/*
 * A role, a membership or the owner of a database, who is a member of
 * pg_database_owner, changed, and with it perhaps who may do what.
 */
static void
invalidate_roles(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidate_relation(arg, InvalidOid);
}

static clock_sequence *
lookup_clock_sequence(Oid relid)
{
	static clock_sequence *last = NULL;
	bool		found;

	/* A statement asks for the same sequence over and over. */
	if (last != NULL && last->relid == relid)
		return last;

	if (clock_sequences == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(Oid);
		ctl.entrysize = sizeof(clock_sequence);
		clock_sequences = hash_create("objectid_ext clock sequences", 16, &ctl,
									  HASH_ELEM | HASH_BLOBS);
		CacheRegisterRelcacheCallback(invalidate_relation, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHOID, invalidate_roles, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, invalidate_roles, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, invalidate_roles, (Datum) 0);
	}

	last = hash_search(clock_sequences, &relid, HASH_ENTER, &found);
	if (!found)
	{
		last->lxid = InvalidLocalTransactionId;
		last->warned = false;
		last->valid = false;
		last->is_temp = false;
		last->remaining = 0;
	}
	return last;
}

/*
 * Hold a lock on the sequence until the end of the transaction, so that it is
 * neither altered nor dropped meanwhile.  The transaction owns it, not a
 * subtransaction, so that once is enough.
 */
static void
lock_sequence(clock_sequence *cs)
{
	ResourceOwner owner = CurrentResourceOwner;

	if (cs->lxid == MyProcLxid)
		return;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(cs->relid, RowExclusiveLock);
	CurrentResourceOwner = owner;
	cs->lxid = MyProcLxid;

	/* As opening it would: such a transaction cannot be prepared. */
	if (cs->valid && cs->is_temp)
		MyXactFlags |= XACT_FLAGS_ACCESSEDTEMPNAMESPACE;
}

/*
 * May the next id come from the block at hand?  Not for another user, whose
 * permission nobody checked; and where the answer is no because of the
 * transaction, take_block() says so.
 */
static inline bool
block_is_usable(const clock_sequence *cs, int32 node, const snowflake_layout *layout)
{
	TimestampTz now;

	if (!cs->valid || cs->remaining == 0 ||
		cs->userid != GetUserId() ||
		cs->node != node || !snowflake_layout_equal(&cs->layout, layout) ||
		(XactReadOnly && !cs->is_temp) || IsInParallelMode())
		return false;

	now = GetCurrentTimestamp();
	return now < cs->usable_until && now >= cs->usable_from;
}


/* ----------------------------------------------------------------
 *		The sequence and its page
 * ----------------------------------------------------------------
 */

/*
 * Check that the sequence is one, and ours to take values from, and read its
 * options.  The errors, and their order, are those of nextval().
 */
static void
check_sequence(clock_sequence *cs, Relation rel)
{
	HeapTuple	tuple;

	/* First of all, so that a change during what follows is not overlooked. */
	cs->valid = true;
	cs->userid = InvalidOid;

	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence", RelationGetRelationName(rel))));
	if (pg_class_aclcheck(cs->relid, GetUserId(), ACL_USAGE | ACL_UPDATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s", RelationGetRelationName(rel))));

	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(cs->relid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", cs->relid);
	cs->options = *(Form_pg_sequence) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);

	cs->is_temp = rel->rd_islocaltemp;
	cs->userid = GetUserId();
}

/* Open a locked sequence to take values from it; what was cached is dropped. */
static Relation
open_sequence(clock_sequence *cs, const char *funcname)
{
	Relation	rel = try_relation_open(cs->relid, NoLock);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence with OID %u does not exist", cs->relid)));

	cs->remaining = 0;
	if (!cs->valid || cs->userid != GetUserId())
		check_sequence(cs, rel);

	/* Read-only transactions may only change temporary sequences. */
	if (!cs->is_temp)
		PreventCommandIfReadOnly(funcname);
	/* The workers would have to share what this backend knows. */
	PreventCommandIfParallelMode(funcname);
	return rel;
}

/* The tuple of a sequence's page. */
static Form_pg_sequence_data
sequence_data(Page page)
{
	HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));

	return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
}

/*
 * Pin and lock the one page of a sequence, to read or change its tuple.  A
 * page that a disk has lost is an error, as for nextval(), and not a sequence
 * that begins anew.
 */
static Form_pg_sequence_data
lock_sequence_page(Relation rel, Buffer *buf)
{
	Page		page;

	*buf = ReadBuffer(rel, 0);
	LockBuffer(*buf, BUFFER_LOCK_EXCLUSIVE);
	page = BufferGetPage(*buf);
	if (PageIsNew(page) || *(uint32 *) PageGetSpecialPointer(page) != SEQUENCE_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("page of sequence \"%s\" is damaged", RelationGetRelationName(rel))));
	return sequence_data(page);
}

/*
 * The value some increments after another, and the increments that lie between
 * two.  Unsigned, for from one end of int8 to the other is more than int8
 * holds.
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

/* Does WAL already cover a value, so that a crash cannot bring it back? */
static bool
is_covered(Page page, const FormData_pg_sequence *options, int64 value)
{
	Form_pg_sequence_data data = sequence_data(page);
	int64		covered = value_after(options, data->last_value, data->log_cnt);

	/*
	 * The first change after a checkpoint must be logged in any case: replay
	 * begins at the checkpoint and would not see an earlier record.
	 */
	if (!data->is_called || PageGetLSN(page) <= GetRedoRecPtr())
		return false;

	/* A sequence that begins anew goes back: that is covered by nothing. */
	return options->seqincrement > 0 ?
		value > data->last_value && value <= covered :
		value < data->last_value && value >= covered;
}

/*
 * Write WAL for the state in which the sequence has issued everything up to
 * reserved.
 */
static void
log_reservation(Relation rel, Buffer buf, int64 reserved)
{
	GenericXLogState *state;
	Form_pg_sequence_data data;

	/*
	 * With a transaction id the commit flushes the record and waits for
	 * synchronous standbys.
	 */
	GetTopTransactionId();

	state = GenericXLogStart(rel);
	data = sequence_data(GenericXLogRegisterBuffer(state, buf, GENERIC_XLOG_FULL_IMAGE));
	data->last_value = reserved;
	data->is_called = true;
	data->log_cnt = 0;
	GenericXLogFinish(state);
}

/*
 * Set last_value, of which WAL must cover everything up to reserved.  Nobody
 * sees the page between the record and the final state, for we have it
 * locked; a checkpoint waits for that lock, too.
 */
static void
advance_sequence(Relation rel, Buffer buf, const FormData_pg_sequence *options,
				 int64 last_value, int64 reserved)
{
	Page		page = BufferGetPage(buf);
	Form_pg_sequence_data data = sequence_data(page);
	int64		log_cnt = 0;

	/*
	 * Before the look at the redo pointer: a checkpoint that begins after it
	 * then finds the page dirty.
	 */
	MarkBufferDirty(buf);

	if (RelationNeedsWAL(rel))
	{
		if (is_covered(page, options, last_value))
			reserved = value_after(options, data->last_value, data->log_cnt);
		else
			log_reservation(rel, buf, reserved);
		log_cnt = steps_between(options, last_value, reserved);
	}

	data->last_value = last_value;
	data->is_called = true;
	data->log_cnt = log_cnt;
}


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

/* The first slots of the node that are neither taken nor before this tick. */
static void
choose_slots(const snowflake_layout *layout, int32 node, const FormData_pg_sequence *options,
			 Form_pg_sequence_data data, int64 current_tick, slot_block *block)
{
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
		seq = lowest_sequence(layout, node,
							  below_time + (data->is_called ? increment << layout->seq_shift : 0));
		if (seq + increment > slots)
		{
			block->tick++;
			block->new_tick = true;
			seq = 0;
		}
		snowflake_check_tick(layout, block->tick);
	}

	block->count = Min(options->seqcache, (slots - seq) / increment);
	block->first = snowflake_pack(layout, block->tick, node, seq);
	if (block->first + ((block->count * increment - 1) << layout->seq_shift) > options->seqmax)
		block->count = 1;		/* if even that does not fit, check_max_value() says so */
	block->last = block->first + (((block->count - 1) * increment) << layout->seq_shift);
	block->end = block->last + ((increment - 1) << layout->seq_shift);
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

/*
 * Change the sequence to take a block of slots from it.  *now is set to the
 * time at which it was chosen, *lsn to what must be on disk before an id of
 * the block that is ahead of the clock may be given away.
 *
 * Where a new tick would lead the clock by more than is allowed, wait until it
 * does not, but no longer than a tick.  A lock of the tuple lets one backend
 * wait at a time, so that all together get one tick's worth of ids per tick.
 */
static void
take_slots(Relation rel, const FormData_pg_sequence *options,
		   int32 node, const snowflake_layout *layout,
		   slot_block *block, TimestampTz *now, XLogRecPtr *lsn)
{
	int64		allowed_lead = RelationNeedsWAL(rel) ? (int64) objectid_ext_max_clock_lead * 1000 : 0;
	int64		excess;
	ItemPointerData tid;
	bool		queued = false;
	bool		waited = false;
	Buffer		buf;

	ItemPointerSet(&tid, 0, FirstOffsetNumber);
	for (;;)
	{
		Form_pg_sequence_data data = lock_sequence_page(rel, &buf);

		*now = GetCurrentTimestamp();
		choose_slots(layout, node, options, data, snowflake_tick_at(layout, *now), block);
		check_max_value(rel, options, block);
		excess = tick_time(&layout->clock, block->tick) - *now - allowed_lead;
		if (waited || !block->new_tick || excess <= 0)
			break;

		UnlockReleaseBuffer(buf);
		if (!queued)
			LockTuple(rel, &tid, ExclusiveLock);
		else
			objectid_ext_wait(Min(excess, layout->clock.tick));
		waited = queued;
		queued = true;
	}

	advance_sequence(rel, buf, options, block->last,
					 reservation_of(layout, block, options->seqmax));
	*lsn = PageGetLSN(BufferGetPage(buf));
	UnlockReleaseBuffer(buf);
	if (queued)
		UnlockTuple(rel, &tid, ExclusiveLock);
}

/* Say once that the clock is far behind: more than bursts and crashes make it. */
static void
warn_of_late_clock(clock_sequence *cs, Relation rel, int64 lead)
{
	if (lead <= 0)
		cs->warned = false;
	else if (lead > (int64) objectid_ext_max_clock_lead * 1000 + RESERVATION + cs->layout.clock.tick &&
			 !cs->warned)
	{
		cs->warned = true;
		ereport(WARNING,
				(errmsg("clock is %lld seconds behind the last id of sequence \"%s\"",
						(long long) (lead / USECS_PER_SEC), RelationGetRelationName(rel)),
				 errdetail("Until it has caught up, ids go on in order, one tick's worth per tick.")));
	}
}

/* Fill cs with a new block. */
static void
take_block(clock_sequence *cs, int32 node, const snowflake_layout *layout)
{
	Relation	rel = open_sequence(cs, "next_snowflake()");
	slot_block	block;
	TimestampTz now;
	TimestampTz tick_begin;
	XLogRecPtr	lsn;

	snowflake_check_node(layout, node);
	check_clock_sequence(rel, &cs->options, layout);
	take_slots(rel, &cs->options, node, layout, &block, &now, &lsn);

	tick_begin = tick_time(&layout->clock, block.tick);
	cs->usable_from = tick_begin;
	cs->usable_until = tick_begin + layout->clock.tick;
	if (RelationNeedsWAL(rel) && (now < tick_begin || layout->clock.tick > RESTART_TIME))
	{
		XLogFlush(lsn);
		cs->usable_from = DT_NOBEGIN;
	}

	cs->node = node;
	cs->layout = *layout;
	cs->next = block.first;
	cs->step = cs->options.seqincrement << layout->seq_shift;
	cs->remaining = block.count;

	warn_of_late_clock(cs, rel, tick_begin - now);
	relation_close(rel, NoLock);
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
	clock_sequence *cs = lookup_clock_sequence(PG_GETARG_OID(0));
	int32		node = PG_GETARG_INT32(1);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(2);
	int64		id;

	lock_sequence(cs);
	if (!block_is_usable(cs, node, layout))
		take_block(cs, node, layout);

	id = cs->next;
	if (--cs->remaining > 0)	/* behind the last id there may be no number */
		cs->next += cs->step;
	PG_RETURN_INT64(id);
}


/* ----------------------------------------------------------------
 *		nextval_range and nextval_any
 * ----------------------------------------------------------------
 */

/*
 * How many values are there from one to the sequence's end, itself included?
 * 2^64 are one more than fits, and count as one less.
 */
static uint64
values_from(const FormData_pg_sequence *options, int64 value)
{
	if (value < options->seqmin || value > options->seqmax)
		return 0;
	return Min(steps_between(options, value,
							 options->seqincrement > 0 ? options->seqmax : options->seqmin),
			   PG_UINT64_MAX - 1) + 1;
}

/*
 * The first of count values that follow what the sequence has issued, or, where
 * it has not so many left but cycles, of those at its beginning.  Returns how
 * many there are: fewer than count, if it has not got them.
 */
static uint64
first_of_range(const FormData_pg_sequence *options, Form_pg_sequence_data data,
			   int64 count, int64 *first)
{
	uint64		available;

	*first = data->last_value;
	if (data->is_called && pg_add_s64_overflow(data->last_value, options->seqincrement, first))
		available = 0;
	else
		available = values_from(options, *first);

	if (available < (uint64) count && options->seqcycle)
	{
		*first = options->seqincrement > 0 ? options->seqmin : options->seqmax;
		available = values_from(options, *first);
	}
	return available;
}

/*
 * Take count consecutive values.  Returns how many there were to take; if
 * fewer than count, none is taken and the sequence is as it was.
 */
static uint64
take_range(Relation rel, const FormData_pg_sequence *options, int64 count,
		   int64 *first, int64 *last)
{
	Buffer		buf;
	Form_pg_sequence_data data = lock_sequence_page(rel, &buf);
	uint64		available = first_of_range(options, data, count, first);

	if (available >= (uint64) count)
	{
		uint64		ahead = Min(available - count, RESERVED_VALUES);

		*last = value_after(options, *first, count - 1);
		advance_sequence(rel, buf, options, *last, value_after(options, *last, ahead));
	}
	UnlockReleaseBuffer(buf);
	return available;
}

/*
 * The next count values of a sequence (a regclass), in one step, as a row:
 * first, last and step, all int8.  In all else like as many calls of
 * nextval(), and with its errors; a count below 1, invalid_parameter_value; more
 * than the sequence has left, sequence_generator_limit_exceeded, and nothing is
 * taken.  A sequence that cycles gives no range that goes over its end.
 */
PG_FUNCTION_INFO_V1(nextval_range);
Datum
nextval_range(PG_FUNCTION_ARGS)
{
	clock_sequence *cs = lookup_clock_sequence(PG_GETARG_OID(0));
	int64		count = PG_GETARG_INT64(1);
	TupleDesc	tupdesc;
	Relation	rel;
	int64		first;
	int64		last;
	uint64		available;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (count < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("count must be at least 1, not %lld", (long long) count)));

	lock_sequence(cs);
	rel = open_sequence(cs, "nextval_range()");
	available = take_range(rel, &cs->options, count, &first, &last);
	if (available < (uint64) count)
		ereport(ERROR,
				(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
				 errmsg("nextval_range: sequence \"%s\" has no %lld consecutive values left",
						RelationGetRelationName(rel), (long long) count),
				 errdetail("It has %llu.", (unsigned long long) available)));
	relation_close(rel, NoLock);

	values[0] = Int64GetDatum(first);
	values[1] = Int64GetDatum(last);
	values[2] = Int64GetDatum(cs->options.seqincrement);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/* The next value of a sequence; false if it has none left. */
static bool
take_value(Oid relid, int64 *value)
{
	clock_sequence *cs = lookup_clock_sequence(relid);
	Relation	rel;
	bool		taken;

	lock_sequence(cs);
	rel = open_sequence(cs, "nextval_any()");
	taken = take_range(rel, &cs->options, 1, value, value) > 0;
	relation_close(rel, NoLock);
	return taken;
}

/*
 * The next value of one of several sequences (regclass[]), chosen at random
 * among those that have values left.  All used up:
 * sequence_generator_limit_exceeded; an array that is empty or has NULLs,
 * invalid_parameter_value.
 */
PG_FUNCTION_INFO_V1(nextval_any);
Datum
nextval_any(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P_COPY(0);
	Oid		   *sequences = (Oid *) ARR_DATA_PTR(array);
	int			nsequences = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	int64		value;

	if (nsequences == 0 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("array of sequences must not be empty or contain nulls")));

	for (; nsequences > 0; nsequences--)
	{
		int			chosen = (int) pg_prng_uint64_range(&pg_global_prng_state, 0, nsequences - 1);

		if (take_value(sequences[chosen], &value))
			PG_RETURN_INT64(value);

		/* Used up: choose among the rest. */
		sequences[chosen] = sequences[nsequences - 1];
	}

	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg("nextval_any: all sequences have reached their ends")));
}
