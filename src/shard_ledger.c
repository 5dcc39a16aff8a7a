/*-------------------------------------------------------------------------
 *
 * shard_ledger.c
 *		The slots that next_shard_id() has issued, shared by all sessions.
 *
 * A slot is one number in one tick of one shard.  Sessions claim slots in
 * shared memory, and each slot can be claimed once.
 *
 * Memory: A page has one bit for each of LEDGER_PAGE_SLOTS slots of a tick.
 * There is a fixed number of pages, in sets of SET_PAGES; a hash of shard and
 * tick selects the set.  A page is recycled for another tick when its own has
 * ended.  After that, a slow session could claim slots of the old tick again.
 * The base of the clock, which never goes back, prevents that: a page is
 * recycled only if its tick ended by the base, and assigned only to a tick that
 * ends after it.
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

#include "common/hashfn.h"

#include "shared_memory.h"

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
	shared_header header;
	ledger_set	sets[SETS];
} shard_ledger;

static shard_ledger *ledger = NULL;

static void
init_ledger(SEGMENT_INIT_ARGS)
{
	shard_ledger *new = memory;

	init_shared_header(&new->header);
	for (int i = 0; i < SETS; i++)
	{
		LWLockInitialize(&new->sets[i].lock, new->header.tranche);
		for (int j = 0; j < SET_PAGES; j++)
		{
			ledger_page *page = &new->sets[i].pages[j];

			pg_atomic_init_u64(&page->version, 0);
			for (int k = 0; k < PAGE_WORDS; k++)
				pg_atomic_init_u64(&page->taken[k], 0);
		}
	}
}

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

		if (pg_atomic_read_u64(&page->version) == 0 ||
			shard_clock_has_passed(page->shard.database, page->tick_end))
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
	if (tick_end <= shard_clock_base(my_shard_clock))
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
	ledger_set *set;

	if (ledger == NULL)
		ledger = get_shared_memory("objectid_ext", sizeof(shard_ledger), init_ledger);
	shard_clock_sync();
	set = &ledger->sets[(hash + (uint32) tick + part * PART_SPREAD) % SETS];
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
