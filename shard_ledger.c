/*-------------------------------------------------------------------------
 *
 * shard_ledger.c
 *		The slots that next_shard_id() has issued, shared by all sessions of a
 *		database.
 *
 * A slot is one number in one tick of one shard.  Sessions claim slots in
 * shared memory, and each slot can be claimed once.
 *
 * Memory: A page has one bit for each of LEDGER_PAGE_SLOTS slots of a tick.
 * There is a fixed number of pages, in sets of SET_PAGES; a hash of shard and
 * tick selects the set.  A page is recycled for another tick when its own has
 * ended.  After that, a slow session could claim slots of the old tick again.
 * The base of the clock, which never goes back, prevents that: a page is
 * recycled only if its tick ended by then, and assigned only to a tick that
 * did not.
 *
 * Claims: A session first sets the bit, then reads the version of the page.
 * If the page was recycled in the meantime, the claim is void; at worst, the
 * bit wastes a slot of another tick.  Both steps are full barriers, so either
 * the claim sees the recycling or the recycling sees the claim.
 *
 * Errors: The only state held across an error or a cancel are LWLocks, which
 * error recovery releases.  If a process is killed, the server restarts with
 * new shared memory, and with the time that shard_clock.c has reserved.
 *
 *-------------------------------------------------------------------------
 */
#include "shard_ledger.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/dsm.h"
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"

#define LEDGER_MAGIC	0x6C656431

#define LEDGER_PAGE_SLOTS	1024
#define PAGE_WORDS		(LEDGER_PAGE_SLOTS / 64)
#define SET_PAGES		8
#define SETS			2048

/* Distributes the parts of a tick over the sets */
#define PART_SPREAD		0x9E3779B1

/* The slots of one part of a tick of a shard */
typedef struct ledger_page
{
	pg_atomic_uint64 version;	/* odd while being recycled, 0 if never used */
	ledger_shard shard;
	int64		tick;
	uint32		part;
	TimestampTz tick_end;
	pg_atomic_uint64 taken[PAGE_WORDS];
} ledger_page;

typedef struct ledger_set
{
	LWLock		lock;			/* to search and to recycle pages */
	ledger_page pages[SET_PAGES];
} ledger_set;

typedef struct shard_ledger
{
	uint32		magic;
	int			tranche;		/* of all LWLocks in the ledger */

	shard_clock clock;
	ledger_set	sets[SETS];
} shard_ledger;

static shard_ledger *ledger = NULL;


/* ----------------------------------------------------------------
 *		The segment
 * ----------------------------------------------------------------
 */

/* Initialize new shared memory.  This must not throw an error. */
static void
init_ledger(void *memory)
{
	shard_ledger *new = memory;

	new->tranche = new_lwlock_tranche("next_shard_id");
	shard_clock_init(&new->clock, new->tranche);
	for (int i = 0; i < SETS; i++)
	{
		LWLockInitialize(&new->sets[i].lock, new->tranche);
		for (int j = 0; j < SET_PAGES; j++)
		{
			ledger_page *page = &new->sets[i].pages[j];

			pg_atomic_init_u64(&page->version, 0);
			for (int k = 0; k < PAGE_WORDS; k++)
				pg_atomic_init_u64(&page->taken[k], 0);
		}
	}
	new->magic = LEDGER_MAGIC;
}

#if PG_VERSION_NUM >= 190000
/* PostgreSQL 19 passes an argument to the initialization function. */
static void
init_segment(void *memory, void *arg)
{
	init_ledger(memory);
}

static void *
get_named_segment(const char *name, Size size)
{
	bool		found;

	return GetNamedDSMSegment(name, size, init_segment, &found, NULL);
}
#elif PG_VERSION_NUM >= 170000
static void *
get_named_segment(const char *name, Size size)
{
	bool		found;

	return GetNamedDSMSegment(name, size, init_ledger, &found);
}
#else
/* GetNamedDSMSegment() for servers before PostgreSQL 17 */
static void *
get_named_segment(const char *name, Size size)
{
	dsm_handle *handle;
	dsm_segment *segment;
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	handle = ShmemInitStruct(name, sizeof(dsm_handle), &found);
	if (!found)
		*handle = DSM_HANDLE_INVALID;

	if (*handle == DSM_HANDLE_INVALID)
	{
		segment = dsm_create(size, 0);
		init_ledger(dsm_segment_address(segment));
		dsm_pin_segment(segment);
		*handle = dsm_segment_handle(segment);
	}
	else
		segment = dsm_attach(*handle);
	LWLockRelease(AddinShmemInitLock);

	if (segment == NULL)
		elog(ERROR, "could not attach dynamic shared memory segment");
	dsm_pin_mapping(segment);
	return dsm_segment_address(segment);
}
#endif

/*
 * Attach to the ledger of this database, or create it.  If other sessions
 * still use a library with another memory layout, we must not create a second
 * ledger.
 */
static void
attach_ledger(void)
{
	char		name[NAMEDATALEN];
	shard_ledger *found;

	snprintf(name, sizeof(name), "objectid_ext %u", MyDatabaseId);
	found = get_named_segment(name, sizeof(shard_ledger));
	if (found->magic != LEDGER_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("shared memory of next_shard_id() was created by another version of objectid_ext"),
				 errhint("Restart the server.")));
	register_lwlock_tranche(found->tranche, "next_shard_id");
	ledger = found;
}

/*
 * Prepare for taking an id: attach to the ledger and, once per transaction,
 * prepare the clock.  funcid is the calling function.
 */
void
ledger_enter(Oid funcid)
{
	static LocalTransactionId entered = InvalidLocalTransactionId;
	static Oid	entered_by = InvalidOid;

	/* A standby must not start the clock before its promotion. */
	if (XactReadOnly)
		PreventCommandIfReadOnly("next_shard_id()");
	if (likely(entered == MyProcLxid && entered_by == funcid))
		return;

	PreventCommandIfParallelMode("next_shard_id()");
	if (ledger == NULL)
		attach_ledger();
	entered = InvalidLocalTransactionId;
	shard_clock_begin(&ledger->clock, funcid);
	entered = MyProcLxid;
	entered_by = funcid;
}

TimestampTz
ledger_now(void)
{
	return shard_clock_now(&ledger->clock);
}

/* Make sure that no id of the tick can be issued again after a crash. */
void
ledger_reserve(TimestampTz tick_end)
{
	shard_clock_reserve(&ledger->clock, tick_end);
}


/* ----------------------------------------------------------------
 *		Pages and slots
 * ----------------------------------------------------------------
 */

uint32
ledger_hash(const ledger_shard *shard)
{
	return hash_bytes((const unsigned char *) shard, sizeof(ledger_shard));
}

static bool
page_is_of(ledger_page *page, const ledger_shard *shard, int64 tick, uint32 part)
{
	return page->tick == tick && page->part == part &&
		memcmp(&page->shard, shard, sizeof(ledger_shard)) == 0 &&
		pg_atomic_read_u64(&page->version) != 0;
}

/*
 * Recycle a page for another tick.  Claims between the two changes of its
 * version are void.
 */
static void
recycle_page(ledger_page *page, const ledger_shard *shard, int64 tick, uint32 part,
			 TimestampTz tick_end)
{
	uint64		version = pg_atomic_read_u64(&page->version);

	pg_atomic_write_u64(&page->version, version + 1);
	pg_memory_barrier();
	page->shard = *shard;
	page->tick = tick;
	page->part = part;
	page->tick_end = tick_end;
	for (int i = 0; i < PAGE_WORDS; i++)
		pg_atomic_write_u64(&page->taken[i], 0);
	pg_memory_barrier();
	pg_atomic_write_u64(&page->version, version + 2);
}

/* Find a page of the set that was never used, or whose tick has ended. */
static ledger_page *
free_page(ledger_set *set)
{
	for (int i = 0; i < SET_PAGES; i++)
	{
		ledger_page *page = &set->pages[i];

		if (pg_atomic_read_u64(&page->version) == 0 || page->tick_end <= shard_clock_base(&ledger->clock))
			return page;
	}
	return NULL;
}

/*
 * Find or assign the page for a part of a tick.  If that is not possible,
 * returns NULL and sets *why_not.
 */
static ledger_page *
get_page(ledger_set *set, const ledger_shard *shard, int64 tick, uint32 part,
		 TimestampTz tick_end, ledger_claim *why_not)
{
	ledger_page *page;

	for (int i = 0; i < SET_PAGES; i++)
	{
		if (page_is_of(&set->pages[i], shard, tick, part))
			return &set->pages[i];
	}

	*why_not = LEDGER_TOO_LATE;
	if (tick_end <= shard_clock_base(&ledger->clock))
		return NULL;
	*why_not = LEDGER_FULL;
	page = free_page(set);
	if (page != NULL)
		recycle_page(page, shard, tick, part, tick_end);
	return page;
}

/*
 * Set *ref to the page for a part of a tick.  If there is none, returns false
 * and sets *why_not.
 */
static bool
find_page(ledger_page_ref *ref, const ledger_shard *shard, uint32 hash,
		  int64 tick, uint32 part, TimestampTz tick_end, ledger_claim *why_not)
{
	ledger_set *set = &ledger->sets[(hash + (uint32) tick + part * PART_SPREAD) % SETS];

	shard_clock_sync(&ledger->clock);
	LWLockAcquire(&set->lock, LW_EXCLUSIVE);
	ref->page = get_page(set, shard, tick, part, tick_end, why_not);
	if (ref->page != NULL)
		ref->version = pg_atomic_read_u64(&ref->page->version);
	LWLockRelease(&set->lock);

	ref->tick = tick;
	ref->part = part;
	return ref->page != NULL;
}

/*
 * Claim a slot, a number that fits the sequence field of the layout, in a tick
 * of a shard.  hash is ledger_hash() of the shard.  *ref caches the page
 * between calls for the same shard.
 */
ledger_claim
ledger_claim_slot(ledger_page_ref *ref, const ledger_shard *shard, uint32 hash,
				  int64 tick, int64 slot, TimestampTz tick_end)
{
	uint32		part = (uint32) (slot / LEDGER_PAGE_SLOTS);
	int			word = slot % LEDGER_PAGE_SLOTS / 64;
	uint64		bit = UINT64CONST(1) << (slot % 64);

	for (;;)
	{
		ledger_claim why_not = LEDGER_FULL;	/* keep compiler quiet */
		uint64		taken;

		if ((ref->page == NULL || ref->tick != tick || ref->part != part) &&
			!find_page(ref, shard, hash, tick, part, tick_end, &why_not))
			return why_not;

		/* The bit must be set before the version is read. */
		taken = pg_atomic_fetch_or_u64(&ref->page->taken[word], bit);
		if (likely(pg_atomic_read_u64(&ref->page->version) == ref->version))
			return taken & bit ? LEDGER_TAKEN : LEDGER_CLAIMED;
		ref->page = NULL;
	}
}
