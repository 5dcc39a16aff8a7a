/*-------------------------------------------------------------------------
 *
 * unsettled.c
 *		Ids of clock sequences that can still be committed: those that running
 *		transactions have taken, and those that sessions hold in a block.
 *
 * Each session publishes them in a hash table in shared memory, by one word for
 * each sequence: the lowest id, and whether a transaction has it.
 * settled_snowflake() reads the words of all sessions.
 *
 * A session inserts its entry before it locks the page of the sequence, because
 * that can fail.  Entries do not move, and only the session removes its own, so
 * it stores the word without the lock of the table.  Removing can fail, too, so it is
 * done when the session inserts others or exits, and not when a transaction ends.
 *
 * A transaction publishes its first id under the lock of the sequence's page,
 * before last_value passes it.  The word is taken back when the transaction has
 * released its locks: no snapshot misses its rows any more, and extensions that
 * commit on other servers from a transaction callback have done so.  Therefore, if
 * a reader first reads last_value and then finds no word, all later snapshots see
 * the end of the transaction.
 *
 * Between transactions, a block can have ids left.  The next transaction must
 * mark the word again before it uses them, and settled_snowflake() can remove
 * it if the tick of the block is over: then the ids are lost.  Both do so with
 * a compare-and-exchange, so that one of them fails.
 *
 * A prepared transaction has no session.  When it is prepared, it publishes its
 * first ids by locks, which core keeps until it has ended, through a restart and
 * a promotion, and releases after its end is visible.  Readers look for them after
 * the words, because a transaction takes its locks before its words are taken back.
 *
 * Other sessions cannot use a temporary sequence, so its ids are not published.
 *
 *-------------------------------------------------------------------------
 */
#include "unsettled.h"

#include "access/twophase.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/ipc.h"
#include "storage/off.h"
#include "storage/proc.h"
#include "utils/resowner.h"

#include "shared_memory.h"

/*
 * How many entries a session keeps for its next transactions, so that readers need
 * not look at more
 */
#define KEPT_MAX			32

/*
 * The word of a sequence: 0, or the lowest id with a bit for "a transaction has
 * it" below.  A block's next id is never 0, because it follows another.
 */
#define IN_TRANSACTION		UINT64CONST(1)
#define WORD_OF(first)		((uint64) (first) << 1)
#define FIRST_OF(word)		((int64) ((word) >> 1))

typedef struct unsettled_key
{
	Oid			database;
	Oid			relid;
	int32		pid;			/* no padding: hashed as bytes */
} unsettled_key;

/* What a session has of one sequence.  Only the session writes to it. */
typedef struct unsettled_ids
{
	unsettled_key key;
	PGPROC	   *proc;			/* of the session, while it has that pid */
	pg_atomic_uint64 word;		/* readers can set it to 0 between transactions */

	/* Outside this time, ids of a block are not issued. */
	TimestampTz usable_from;
	TimestampTz usable_until;
} unsettled_ids;

static dshash_table *table = NULL;

/*
 * The sequences for which this session has entries, and how many: first those of which
 * it has published no id, last those of the current transaction
 */
static dlist_head registered = DLIST_STATIC_INIT(registered);
static int	nentries = 0;

/* Sequences of which the current transaction has published ids */
static slist_head published = SLIST_STATIC_INIT(published);

/* Attach to the table, or create it. */
void
unsettled_attach(void)
{
	dshash_parameters parameters = DSHASH_PARAMETERS(unsettled_key, unsettled_ids);

	if (table == NULL)
		table = get_shared_table("objectid_ext unsettled", &parameters);
}


/* ----------------------------------------------------------------
 *		Prepared transactions
 * ----------------------------------------------------------------
 */

/*
 * Two locks on tuples that a sequence never has.  The first tells readers that its
 * holder has ids of the sequence; if nobody holds it, they need not look through all
 * locks.  The tag of the second contains the id: the upper half as the block, the lower
 * half as the database, and 15 bits of the real database in the offset.
 *
 * The id must be exact: a lower one would let the limit go back when a transaction
 * is prepared.
 */
#define SET_LOCKTAG_HOLDER(tag, relid) \
	SET_LOCKTAG_TUPLE(tag, MyDatabaseId, relid, InvalidBlockNumber, InvalidOffsetNumber)
#define LOCK_OFFSET()	((OffsetNumber) (0x8000 | (MyDatabaseId & 0x7FFF)))

static void
lock_id(Oid relid, int64 id)
{
	LOCKTAG		tag;

	SET_LOCKTAG_HOLDER(tag, relid);
	(void) LockAcquire(&tag, AccessShareLock, false, false);
	SET_LOCKTAG_TUPLE(tag, (uint32) id, relid, (BlockNumber) (id >> 32), LOCK_OFFSET());
	(void) LockAcquire(&tag, AccessShareLock, false, false);
}

/*
 * Return the limit, lowered to below all ids that are published by locks.  The second
 * lock can be of another database, but then its holder does not hold the first of ours.
 */
static int64
limit_of_locks(Oid relid, int64 limit)
{
	LOCKTAG		holder;
	VirtualTransactionId *holders;
	int			nholders;
	LockData   *data;

	SET_LOCKTAG_HOLDER(holder, relid);
	holders = GetLockConflicts(&holder, AccessExclusiveLock, &nholders);
	if (nholders == 0)
		return limit;

	data = GetLockStatusData();
	for (int i = 0; i < data->nelements; i++)
	{
		const LOCKTAG *tag = &data->locks[i].locktag;

		if (tag->locktag_type != LOCKTAG_TUPLE || tag->locktag_field2 != relid ||
			tag->locktag_field4 != LOCK_OFFSET())
			continue;
		for (int j = 0; j < nholders; j++)
		{
			if (VirtualTransactionIdEquals(holders[j], LockInstanceVxid(&data->locks[i])))
				limit = Min(limit, (int64) ((uint64) tag->locktag_field3 << 32 | tag->locktag_field1) - 1);
		}
	}
	return limit;
}


/* ----------------------------------------------------------------
 *		Publishing
 * ----------------------------------------------------------------
 */

/*
 * Remove what others know of a sequence.  The rest of its block is given up.  If this
 * throws an error, the entry is not used any more, but can still be in the table.
 */
static void
unsettled_forget(sequence_entry *entry)
{
	unsettled_ids *ids = entry->unsettled;

	entry->remaining = 0;
	pg_atomic_write_u64(&ids->word, 0);
	entry->unsettled = NULL;
	dlist_delete(&entry->registered_link);
	nentries--;
	(void) dshash_delete_key(table, &ids->key);
}

/*
 * Remove entries until no more than max are left, but none that the transaction has
 * published: first those without a block that is usable, then those used longest ago.
 */
static void
limit_entries(int max)
{
	for (int pass = 1; nentries > max && pass <= 2; pass++)
	{
		TimestampTz now = GetCurrentTimestamp();
		dlist_mutable_iter iter;

		dlist_foreach_modify(iter, &registered)
		{
			sequence_entry *entry = dlist_container(sequence_entry, registered_link, iter.cur);

			if (nentries <= max || entry->is_published)
				break;
			if (pass == 2 || entry->remaining == 0 || now >= entry->usable_until)
				unsettled_forget(entry);
		}
	}
}

/* Transaction callback: before PREPARE, publish the ids of the transaction by locks, too. */
static void
before_prepare(XactEvent event, void *arg)
{
	slist_iter	iter;

	if (event != XACT_EVENT_PRE_PREPARE)
		return;
	slist_foreach(iter, &published)
	{
		sequence_entry *entry = slist_container(sequence_entry, published_link, iter.cur);

		lock_id(entry->relid, entry->first);
	}
}

/*
 * Resource release callback, which is called for every owner: when the top-level
 * transaction has left the list of running ones and has released its locks, take its
 * words back.  What is left of a block remains published.  The transaction may have
 * been committed, so nothing here may fail.
 */
static void
end_transaction(ResourceReleasePhase phase, bool isCommit, bool isTopLevel, void *arg)
{
	slist_iter	iter;

	if (phase != RESOURCE_RELEASE_AFTER_LOCKS || CurrentResourceOwner != TopTransactionResourceOwner)
		return;
	slist_foreach(iter, &published)
	{
		sequence_entry *entry = slist_container(sequence_entry, published_link, iter.cur);

		entry->is_published = false;
		pg_atomic_write_u64(&entry->unsettled->word, entry->remaining > 0 ? WORD_OF(entry->next) : 0);
	}
	slist_init(&published);
}

/*
 * Before the process exits, it removes its entries.  An error ends that, so it first
 * takes all words back.
 */
static void
before_exit(int code, Datum arg)
{
	dlist_iter	iter;

	slist_init(&published);
	dlist_foreach(iter, &registered)
	{
		sequence_entry *entry = dlist_container(sequence_entry, registered_link, iter.cur);

		entry->is_published = false;
		pg_atomic_write_u64(&entry->unsettled->word, 0);
	}
	limit_entries(0);
}

/* Prepare to publish ids of a sequence.  This can throw an error. */
void
unsettled_register(sequence_entry *entry)
{
	static bool has_callbacks = false;
	unsettled_key key;
	bool		found;

	if (entry->is_temp)
		return;
	limit_entries(entry->unsettled == NULL ? KEPT_MAX - 1 : KEPT_MAX);
	if (entry->unsettled != NULL)
		return;
	unsettled_attach();
	if (!has_callbacks)
	{
		before_shmem_exit(before_exit, (Datum) 0);
		RegisterXactCallback(before_prepare, NULL);
		RegisterResourceReleaseCallback(end_transaction, NULL);
		has_callbacks = true;
	}

	key.database = MyDatabaseId;
	key.relid = entry->relid;
	key.pid = MyProcPid;
	entry->unsettled = dshash_find_or_insert(table, &key, &found);
	entry->unsettled->proc = MyProc;
	pg_atomic_init_u64(&entry->unsettled->word, 0);
	dshash_release_lock(table, entry->unsettled);
	dlist_push_head(&registered, &entry->registered_link);
	nentries++;
}

static void
add_to_published(sequence_entry *entry)
{
	entry->is_published = true;
	slist_push_head(&published, &entry->published_link);
	dlist_move_tail(&registered, &entry->registered_link);
}

/*
 * Publish the first id that the transaction takes from a sequence, before the caller
 * changes the page that it has locked; or a time, before next_shard_id() reads the clock.
 * Later ids of the transaction are higher, unless the sequence was set back.
 */
void
unsettled_publish(sequence_entry *entry, int64 first)
{
	if (entry->unsettled == NULL || (entry->is_published && entry->first <= first))
		return;

	pg_atomic_write_u64(&entry->unsettled->word, WORD_OF(first) | IN_TRANSACTION);
	entry->first = first;
	if (!entry->is_published)
		add_to_published(entry);
}

/* Tell readers when they can remove the rest of the block. */
void
unsettled_set_block(sequence_entry *entry, TimestampTz begin, TimestampTz end)
{
	if (entry->unsettled == NULL)
		return;
	entry->unsettled->usable_from = begin;
	entry->unsettled->usable_until = end;
}

/*
 * Can this transaction issue ids of a block that an earlier one has taken?  If
 * so, they are published.
 */
bool
unsettled_resume_block(sequence_entry *entry)
{
	uint64		expected = WORD_OF(entry->next);

	if (entry->is_temp)
		return true;
	if (!pg_atomic_compare_exchange_u64(&entry->unsettled->word, &expected,
										expected | IN_TRANSACTION))
		return false;
	entry->first = entry->next;
	add_to_published(entry);
	return true;
}


/* ----------------------------------------------------------------
 *		Reading
 * ----------------------------------------------------------------
 */

/*
 * Can ids of a block still be issued?  If the clock was set back, they are given up:
 * until it has caught up, they would hold readers back.
 */
static bool
block_is_current(const unsettled_ids *ids)
{
	TimestampTz now = GetCurrentTimestamp();

	return now < ids->usable_until && now >= ids->usable_from;
}

/*
 * Return the limit, lowered to below the ids that a session has of a sequence.
 * A block whose time is over is taken away from a session that is not in a
 * transaction.  A process that is gone has no ids, whatever it has left behind.
 */
static int64
limit_of_entry(unsettled_ids *ids, int64 limit)
{
	uint64		word = pg_atomic_read_u64(&ids->word);

	if (ids->proc->pid != ids->key.pid)
		return limit;
	while (word != 0 && !(word & IN_TRANSACTION) && !block_is_current(ids))
	{
		if (pg_atomic_compare_exchange_u64(&ids->word, &word, 0))
			word = 0;
	}
	return word == 0 ? limit : Min(limit, FIRST_OF(word) - 1);
}

/*
 * Return the limit, or the highest id below it such that no transaction that
 * is running, and no block, has an id of the sequence at or below.  The caller
 * has read the limit from the sequence's page.
 */
int64
unsettled_limit(Oid relid, int64 limit)
{
	dshash_seq_status status;
	unsettled_ids *ids;

	pg_memory_barrier();
	dshash_seq_init(&status, table, false);
	while ((ids = dshash_seq_next(&status)) != NULL)
	{
		if (ids->key.database == MyDatabaseId && ids->key.relid == relid)
			limit = limit_of_entry(ids, limit);
	}
	dshash_seq_term(&status);
	return max_prepared_xacts > 0 ? limit_of_locks(relid, limit) : limit;
}
