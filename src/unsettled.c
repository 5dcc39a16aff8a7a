/*-------------------------------------------------------------------------
 *
 * unsettled.c
 *		Ids of clock sequences that can still be committed: those that running
 *		transactions have taken, and those that sessions hold in a block.
 *
 * Each session publishes them in shared memory, one word for each sequence:
 * the lowest id, and whether a transaction has it.  settled_snowflake() reads
 * the words of all sessions, without a lock.
 *
 * A transaction publishes its first id under the lock of the sequence's page,
 * before last_value passes it.  The word is cleared only after the transaction
 * has left the list of running transactions.  Therefore, if a reader first
 * reads last_value and then finds no word, all later snapshots see the end of
 * the transaction.
 *
 * Between transactions, a block can have ids left.  The next transaction must
 * mark the word again before it uses them, and settled_snowflake() can remove
 * it if the tick of the block is over: then the ids are lost.  Both do so with
 * a compare-and-exchange, so that one of them fails.
 *
 * A session has a slot.  A transaction that uses more sequences than fit into it
 * takes further slots until it ends.
 *
 * A prepared transaction has no session.  When it is prepared, it publishes its
 * first ids by locks (unsettled_locks.c).
 *
 *-------------------------------------------------------------------------
 */
#include "unsettled.h"

#include "access/twophase.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/proc.h"

#define UNSETTLED_MAGIC		0x756E7332

/* How many sequences a slot holds */
#define SLOT_SEQUENCES		32

/* How many slots there are for transactions that use more sequences */
#define EXTRA_SLOTS			256

/*
 * The word of a sequence: 0, or the lowest id with a bit for "a transaction has
 * it" below.  A block's next id is never 0, because it follows another.
 */
#define IN_TRANSACTION		UINT64CONST(1)
#define WORD_OF(first)		((uint64) (first) << 1)
#define FIRST_OF(word)		((int64) ((word) >> 1))

/* What a session has of one sequence.  Only the session writes to it. */
typedef struct unsettled_ids
{
	Oid			database;
	Oid			relid;
	pg_atomic_uint64 word;		/* readers can set it to 0 between transactions */

	/* Outside this time, ids of a block are not issued. */
	TimestampTz usable_from;
	TimestampTz usable_until;
} unsettled_ids;

/* The first MaxBackends slots are of processes, the others for anyone */
typedef struct unsettled_slot
{
	pg_atomic_uint32 taken;		/* of an extra slot */
	pg_atomic_uint32 version;	/* odd while entries change their sequence */
	pg_atomic_uint32 count;		/* entries in use */
	unsettled_ids sequences[SLOT_SEQUENCES];
} unsettled_slot;

typedef struct unsettled_memory
{
	uint32		magic;
	pg_atomic_uint32 slots_used;	/* the highest in use, plus 1 */
	unsettled_slot slots[FLEXIBLE_ARRAY_MEMBER];
} unsettled_memory;

#define TOTAL_SLOTS			(MaxBackends + EXTRA_SLOTS)

static unsettled_memory *memory = NULL;

/* The slot of this process, and further ones of the current transaction */
static unsettled_slot *my_slots[1 + EXTRA_SLOTS];
static int	nslots = 0;

/* Sequences of which the current transaction has published ids */
static slist_head published = SLIST_STATIC_INIT(published);


/* ----------------------------------------------------------------
 *		Shared memory
 * ----------------------------------------------------------------
 */

/* Initialize new shared memory.  This must not throw an error. */
static void
init_memory(void *address)
{
	unsettled_memory *new = address;

	pg_atomic_init_u32(&new->slots_used, 0);
	for (int i = 0; i < TOTAL_SLOTS; i++)
	{
		pg_atomic_init_u32(&new->slots[i].taken, 0);
		pg_atomic_init_u32(&new->slots[i].version, 0);
		pg_atomic_init_u32(&new->slots[i].count, 0);
		for (int j = 0; j < SLOT_SEQUENCES; j++)
			pg_atomic_init_u64(&new->slots[i].sequences[j].word, 0);
	}
	pg_write_barrier();
	new->magic = UNSETTLED_MAGIC;
}

/* Attach to the shared memory, or create it. */
void
unsettled_attach(void)
{
	if (memory == NULL)
		memory = get_shared_memory("objectid_ext unsettled",
								   offsetof(unsettled_memory, slots) + TOTAL_SLOTS * sizeof(unsettled_slot),
								   UNSETTLED_MAGIC, init_memory);
}

/* Count a slot among those that readers look at. */
static void
extend_slots_used(uint32 n)
{
	uint32		used = pg_atomic_read_u32(&memory->slots_used);

	while (used < n && !pg_atomic_compare_exchange_u32(&memory->slots_used, &used, n))
		;
}

/*
 * The entries of a slot change their sequence between these two.  No error and
 * no cancel must come between them.
 */
static void
begin_change(unsettled_slot *slot)
{
	pg_atomic_fetch_or_u32(&slot->version, 1);
}

static void
end_change(unsettled_slot *slot)
{
	pg_atomic_fetch_add_u32(&slot->version, 1);
}

/* Take over a slot from an earlier process or transaction. */
static void
take_slot(int n)
{
	unsettled_slot *slot = &memory->slots[n];

	begin_change(slot);
	pg_atomic_write_u32(&slot->count, 0);
	for (int i = 0; i < SLOT_SEQUENCES; i++)
		pg_atomic_write_u64(&slot->sequences[i].word, 0);
	end_change(slot);
	extend_slots_used(n + 1);
	my_slots[nslots++] = slot;
}

static void
take_own_slot(void)
{
	int			n = MyProc - ProcGlobal->allProcs;

	if (n < 0 || n >= MaxBackends)
		elog(ERROR, "process has no slot");
	take_slot(n);
}

/* Take a further slot until the end of the transaction. */
static void
take_extra_slot(void)
{
	for (int n = MaxBackends; n < TOTAL_SLOTS; n++)
	{
		if (pg_atomic_exchange_u32(&memory->slots[n].taken, 1) == 0)
		{
			take_slot(n);
			return;
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("too many sequences are used by next_snowflake() at the same time"),
			 errhint("Use fewer sequences in a transaction.")));
}

/*
 * Give back all slots but the first.  Sequences that have entries in them get
 * others in the next transaction, and lose their blocks.
 */
static void
release_extra_slots(void)
{
	while (nslots > 1)
	{
		unsettled_slot *slot = my_slots[--nslots];

		for (uint32 i = 0; i < pg_atomic_read_u32(&slot->count); i++)
		{
			sequence_entry *entry = lookup_sequence_entry(slot->sequences[i].relid);

			entry->remaining = 0;
			entry->unsettled = NULL;
		}
		begin_change(slot);
		pg_atomic_write_u32(&slot->count, 0);
		end_change(slot);
		pg_atomic_write_u32(&slot->taken, 0);
	}
}

/*
 * Return an entry of the first slot whose sequence this transaction has not
 * used, after the session has given up its block.  Returns NULL if there is
 * none.
 */
static unsettled_ids *
free_entry(void)
{
	static int	hand = 0;

	for (int i = 0; i < SLOT_SEQUENCES; i++)
	{
		unsettled_ids *ids = &my_slots[0]->sequences[hand];
		sequence_entry *entry = lookup_sequence_entry(ids->relid);

		hand = (hand + 1) % SLOT_SEQUENCES;
		if (!entry->is_published)
		{
			entry->remaining = 0;
			entry->unsettled = NULL;
			return ids;
		}
	}
	return NULL;
}

/* Assign an entry of a slot to a sequence. */
static unsettled_ids *
assign_entry(unsettled_slot *slot, unsettled_ids *ids, Oid relid)
{
	begin_change(slot);
	ids->database = MyDatabaseId;
	ids->relid = relid;
	pg_atomic_write_u64(&ids->word, 0);
	if (ids == &slot->sequences[pg_atomic_read_u32(&slot->count)])
		pg_atomic_fetch_add_u32(&slot->count, 1);
	end_change(slot);
	return ids;
}

/* Return an entry for a sequence. */
static unsettled_ids *
get_entry(Oid relid)
{
	unsettled_slot *slot = my_slots[nslots - 1];
	unsettled_ids *ids;

	if (pg_atomic_read_u32(&slot->count) == SLOT_SEQUENCES)
	{
		ids = nslots == 1 ? free_entry() : NULL;
		if (ids != NULL)
			return assign_entry(slot, ids, relid);
		take_extra_slot();
		slot = my_slots[nslots - 1];
	}
	return assign_entry(slot, &slot->sequences[pg_atomic_read_u32(&slot->count)], relid);
}


/* ----------------------------------------------------------------
 *		Publishing
 * ----------------------------------------------------------------
 */

/* The transaction has ended: publish what is left of its block. */
static void
publish_rest(sequence_entry *entry)
{
	pg_atomic_write_u64(&entry->unsettled->word,
						entry->remaining > 0 ? WORD_OF(entry->next) : 0);
	entry->is_published = false;
}

/*
 * Transaction callback.  Core calls it for a commit or an abort after the
 * transaction has left the list of running ones, and before it releases locks;
 * for PREPARE, first before it stores the locks, then after the prepared
 * transaction holds them.
 */
static void
end_transaction(XactEvent event, void *arg)
{
	slist_iter	iter;

	if (event == XACT_EVENT_PRE_COMMIT || event == XACT_EVENT_PARALLEL_PRE_COMMIT)
		return;

	slist_foreach(iter, &published)
	{
		sequence_entry *entry = slist_container(sequence_entry, published_link, iter.cur);

		if (event == XACT_EVENT_PRE_PREPARE)
			unsettled_lock(entry->relid, entry->first);
		else
			publish_rest(entry);
	}
	if (event != XACT_EVENT_PRE_PREPARE)
	{
		slist_init(&published);
		release_extra_slots();
	}
}

/* Prepare to publish ids of a sequence.  This can throw an error. */
void
unsettled_register(sequence_entry *entry)
{
	static bool registered = false;

	unsettled_attach();
	if (!registered)
		RegisterXactCallback(end_transaction, NULL);
	registered = true;
	if (nslots == 0)
		take_own_slot();
	if (entry->unsettled == NULL)
		entry->unsettled = get_entry(entry->relid);
}

static void
add_to_published(sequence_entry *entry)
{
	entry->is_published = true;
	slist_push_head(&published, &entry->published_link);
}

/*
 * Publish the first id that the transaction takes from a sequence.  The caller
 * holds the lock of the sequence's page, and has not changed it yet.  Later
 * ids of the transaction are higher, unless the sequence was set back.
 */
void
unsettled_publish(sequence_entry *entry, int64 first)
{
	if (entry->is_published && entry->first <= first)
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
 * Can ids of a block still be issued?  If the clock was set back, not for the
 * time until it has caught up: that would hold readers back.
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
 * transaction.
 */
static int64
limit_of_entry(unsettled_ids *ids, int64 limit)
{
	uint64		word = pg_atomic_read_u64(&ids->word);

	while (word != 0 && !(word & IN_TRANSACTION) && !block_is_current(ids))
	{
		if (pg_atomic_compare_exchange_u64(&ids->word, &word, 0))
			word = 0;
	}
	return word == 0 ? limit : Min(limit, FIRST_OF(word) - 1);
}

static int64
limit_of_slot(unsettled_slot *slot, Oid relid, int64 limit)
{
	uint32		count = pg_atomic_read_u32(&slot->count);

	for (uint32 i = 0; i < count; i++)
	{
		unsettled_ids *ids = &slot->sequences[i];

		if (ids->database == MyDatabaseId && ids->relid == relid)
			limit = limit_of_entry(ids, limit);
	}
	return limit;
}

/* Like limit_of_slot(), when no entry changes its sequence meanwhile. */
static int64
limit_of_process(unsettled_slot *slot, Oid relid, int64 limit)
{
	for (;;)
	{
		uint32		version = pg_atomic_read_u32(&slot->version);
		int64		result;

		pg_read_barrier();
		result = limit_of_slot(slot, relid, limit);
		pg_read_barrier();
		if (version % 2 == 0 && version == pg_atomic_read_u32(&slot->version))
			return result;
		CHECK_FOR_INTERRUPTS();
		pg_usleep(1);
	}
}

/*
 * Return the limit, or the highest id below it such that no transaction that
 * is running, and no block, has an id of the sequence at or below.  The caller
 * has read the limit from the sequence's page.
 */
int64
unsettled_limit(Oid relid, int64 limit)
{
	uint32		used;

	pg_memory_barrier();
	used = pg_atomic_read_u32(&memory->slots_used);
	for (uint32 i = 0; i < used; i++)
		limit = limit_of_process(&memory->slots[i], relid, limit);

	/*
	 * Do this last, because a transaction that is prepared takes its locks
	 * before its word is cleared.
	 */
	pg_memory_barrier();
	return max_prepared_xacts > 0 ? unsettled_limit_of_locks(relid, limit) : limit;
}
