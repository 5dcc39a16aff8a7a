/*-------------------------------------------------------------------------
 *
 * shared_memory.c
 *		Dynamic shared memory that all sessions of the server find by name,
 *		without preloading.
 *
 * A segment exists from its first use until the server stops.  A crash destroys
 * it together with all other shared memory.
 *
 *-------------------------------------------------------------------------
 */
#include "shared_memory.h"

#include "storage/dsm.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

/* To be changed together with any struct that is in shared memory */
#define SHARED_MEMORY_MAGIC	0x6F696435

/* How the LWLocks in it are called in pg_stat_activity */
#define TRANCHE_NAME	"objectid_ext"

#if PG_VERSION_NUM < 170000
/* GetNamedDSMSegment() for servers before PostgreSQL 17 */
static void *
GetNamedDSMSegment(const char *name, Size size, shared_memory_init init, bool *found)
{
	dsm_handle *handle;
	dsm_segment *segment;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	handle = ShmemInitStruct(name, sizeof(dsm_handle), found);
	if (!*found)
		*handle = DSM_HANDLE_INVALID;

	if (*handle == DSM_HANDLE_INVALID)
	{
		segment = dsm_create(size, 0);
		init(dsm_segment_address(segment));
		dsm_pin_segment(segment);
		*handle = dsm_segment_handle(segment);
	}
	else
	{
		/* An earlier attempt may have failed after this. */
		segment = dsm_find_mapping(*handle);
		if (segment == NULL)
			segment = dsm_attach(*handle);
	}
	LWLockRelease(AddinShmemInitLock);

	if (segment == NULL)
		elog(ERROR, "could not attach dynamic shared memory segment");
	dsm_pin_mapping(segment);
	return dsm_segment_address(segment);
}
#endif

/* Initialize the header of a new segment.  This must not throw an error. */
void
init_shared_header(shared_header *header)
{
	header->magic = SHARED_MEMORY_MAGIC;
	header->tranche = new_lwlock_tranche(TRANCHE_NAME);
}

/*
 * Attach to a segment, or create it.  If other sessions still use a library with
 * another memory layout, we must not create a second segment.
 */
void *
get_shared_memory(const char *name, Size size, shared_memory_init init)
{
	bool		found;
	shared_header *header = GetNamedDSMSegment(name, size, init, &found);

	if (header->magic != SHARED_MEMORY_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("shared memory \"%s\" was created by another version of objectid_ext", name),
				 errhint("Restart the server.")));
	register_lwlock_tranche(header->tranche, TRANCHE_NAME);
	return header;
}

/* How a session finds a table */
typedef struct table_segment
{
	shared_header header;
	LWLock		lock;			/* to create the table */
	dsa_handle	area;			/* DSM_HANDLE_INVALID if there is no table */
	dshash_table_handle table;
} table_segment;

static void
init_table_segment(SEGMENT_INIT_ARGS)
{
	table_segment *segment = memory;

	init_shared_header(&segment->header);
	LWLockInitialize(&segment->lock, segment->header.tranche);
	segment->area = DSM_HANDLE_INVALID;
}

/*
 * Attach to a hash table, or create it.  Sets the tranche of the parameters.  If
 * this fails, the memory of a new table is released.
 */
dshash_table *
get_shared_table(const char *name, dshash_parameters *parameters)
{
	table_segment *segment = get_shared_memory(name, sizeof(table_segment), init_table_segment);
	MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);
	dsa_area   *area;
	dshash_table *table;

	parameters->tranche_id = segment->header.tranche;
	LWLockAcquire(&segment->lock, LW_EXCLUSIVE);
	if (segment->area == DSM_HANDLE_INVALID)
	{
		area = dsa_create(segment->header.tranche);
		table = dshash_create(area, parameters, NULL);
		dsa_pin(area);
		segment->table = dshash_get_hash_table_handle(table);
		segment->area = dsa_get_handle(area);
	}
	else
	{
		area = dsa_attach(segment->area);
		table = dshash_attach(area, parameters, segment->table, NULL);
	}
	dsa_pin_mapping(area);
	LWLockRelease(&segment->lock);
	MemoryContextSwitchTo(context);
	return table;
}
