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
#include "storage/proc.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "shared_memory.h"

#define LEDGER_MAGIC	0x6C656432

#define LEDGER_PAGE_SLOTS	1024
#define PAGE_WORDS		(LEDGER_PAGE_SLOTS / 64)
#define SET_PAGES		8
#define SETS			2048

/* How many databases can use the ledger */
#define DATABASES		1024

/* Distributes the parts of a tick over the sets */
#define PART_SPREAD		0x9E3779B1

/* The slots of one part of a tick of a shard */
typedef struct ledger_page
{
	pg_atomic_uint64 version;	/* odd while being recycled, 0 if never used */
	ledger_shard shard;
	int64		tick;
	uint32		part;
	int			database;		/* index of its clock */
	TimestampTz tick_end;
	pg_atomic_uint64 taken[PAGE_WORDS];
} ledger_page;

typedef struct ledger_set
{
	LWLock		lock;			/* to search and to recycle pages */
	ledger_page pages[SET_PAGES];
} ledger_set;

/* A database that uses the ledger */
typedef struct ledger_database
{
	Oid			oid;			/* InvalidOid if the entry is free */
	shard_clock clock;
} ledger_database;

typedef struct shard_ledger
{
	uint32		magic;
	int			tranche;		/* of all LWLocks in the ledger */

	LWLock		databases_lock; /* to search and change their OIDs */
	ledger_database databases[DATABASES];
	ledger_set	sets[SETS];
} shard_ledger;

static shard_ledger *ledger = NULL;

/* The entry of this database, and its clock */
static int	my_database = -1;
shard_clock *ledger_clock = NULL;

/* What the current transaction was prepared for; see ledger_enter() */
LocalTransactionId ledger_entered_lxid = InvalidLocalTransactionId;
static Oid	entered_relid = InvalidOid;


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
	LWLockInitialize(&new->databases_lock, new->tranche);
	for (int i = 0; i < DATABASES; i++)
	{
		new->databases[i].oid = InvalidOid;
		shard_clock_init(&new->databases[i].clock, new->tranche);
	}
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

/* Attach to the ledger of the server, or create it. */
static shard_ledger *
attach_segment(void)
{
	shard_ledger *found = get_shared_memory("objectid_ext", sizeof(shard_ledger),
											LEDGER_MAGIC, init_ledger);

	register_lwlock_tranche(found->tranche, "next_shard_id");
	return found;
}

/*
 * Return the entry of a database, or else one that has this OID instead, with
 * a clock that has not begun; -1 if there is none.
 */
static int
find_database(Oid instead)
{
	int			found = -1;

	LWLockAcquire(&ledger->databases_lock, LW_EXCLUSIVE);
	for (int i = 0; i < DATABASES; i++)
	{
		if (ledger->databases[i].oid == MyDatabaseId)
		{
			found = i;
			break;
		}
		if (found < 0 && ledger->databases[i].oid == instead)
			found = i;
	}
	if (found >= 0 && ledger->databases[found].oid != MyDatabaseId)
	{
		shard_clock_init(&ledger->databases[found].clock, ledger->tranche);
		ledger->databases[found].oid = MyDatabaseId;
	}
	LWLockRelease(&ledger->databases_lock);
	return found;
}

/*
 * Take the entry of a database that was dropped; -1 if there is none.  A database
 * that has an entry was created before we read its OID, so our caches know of it
 * once we have accepted invalidations.
 */
static int
find_dropped_database(void)
{
	Oid			oids[DATABASES];
	int			found = -1;

	LWLockAcquire(&ledger->databases_lock, LW_SHARED);
	for (int i = 0; i < DATABASES; i++)
		oids[i] = ledger->databases[i].oid;
	LWLockRelease(&ledger->databases_lock);

	AcceptInvalidationMessages();
	for (int i = 0; i < DATABASES && found < 0; i++)
	{
		if (!SearchSysCacheExists1(DATABASEOID, ObjectIdGetDatum(oids[i])))
			found = find_database(oids[i]);
	}
	return found;
}

/* Return the entry of this database. */
static int
get_database(void)
{
	int			found = find_database(InvalidOid);

	if (found < 0)
		found = find_dropped_database();
	if (found < 0)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("too many databases use next_shard_id()"),
				 errdetail("A server can have %d of them.", DATABASES)));
	return found;
}

/* Look at the sequence again when it changes. */
static void
invalidate_entered(Datum arg, Oid relid)
{
	if (relid == entered_relid || !OidIsValid(relid))
		ledger_entered_lxid = InvalidLocalTransactionId;
}

/* Attach to the ledger, and find the clock of this database. */
void
ledger_attach(void)
{
	if (ledger == NULL)
	{
		shard_ledger *found = attach_segment();

		CacheRegisterRelcacheCallback(invalidate_entered, (Datum) 0);
		ledger = found;
	}
	if (ledger_clock == NULL)
	{
		my_database = get_database();
		ledger_clock = &ledger->databases[my_database].clock;
	}
}

/* The part of ledger_enter() that is needed once per transaction */
void
ledger_prepare(void)
{
	/* A standby must not start the clock before its promotion. */
	PreventCommandIfReadOnly("next_shard_id()");
	PreventCommandIfParallelMode("next_shard_id()");
	ledger_attach();
	ledger_entered_lxid = InvalidLocalTransactionId;
	entered_relid = shard_clock_begin(ledger_clock);
	ledger_entered_lxid = MyProcLxid;
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
	page->database = my_database;
	page->tick_end = tick_end;
	for (int i = 0; i < PAGE_WORDS; i++)
		pg_atomic_write_u64(&page->taken[i], 0);
	pg_memory_barrier();
	pg_atomic_write_u64(&page->version, version + 2);
}

/* Has the tick of a page ended, by the clock of its database? */
static bool
page_is_over(const ledger_page *page)
{
	ledger_database *database = &ledger->databases[page->database];

	return database->oid != page->shard.database ||
		page->tick_end <= shard_clock_base(&database->clock);
}

/* Find a page of the set that was never used, or whose tick has ended. */
static ledger_page *
free_page(ledger_set *set)
{
	for (int i = 0; i < SET_PAGES; i++)
	{
		ledger_page *page = &set->pages[i];

		if (pg_atomic_read_u64(&page->version) == 0 || page_is_over(page))
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
	if (tick_end <= shard_clock_base(ledger_clock))
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

	shard_clock_sync(ledger_clock);
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
