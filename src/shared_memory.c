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
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
#include "storage/lwlock.h"
#include "storage/shmem.h"

#if PG_VERSION_NUM >= 190000
/* PostgreSQL 19 passes an argument to the initialization function. */
static void
init_segment(void *memory, void *arg)
{
	shared_memory_init *init = arg;

	(*init) (memory);
}

static void *
get_named_segment(const char *name, Size size, shared_memory_init init)
{
	bool		found;

	return GetNamedDSMSegment(name, size, init_segment, &found, &init);
}
#elif PG_VERSION_NUM >= 170000
static void *
get_named_segment(const char *name, Size size, shared_memory_init init)
{
	bool		found;

	return GetNamedDSMSegment(name, size, init, &found);
}
#else
/* GetNamedDSMSegment() for servers before PostgreSQL 17 */
static void *
get_named_segment(const char *name, Size size, shared_memory_init init)
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

/*
 * Attach to a segment, or create it.  It begins with a magic number, which the
 * initialization function stores last; that function must not throw an error.
 *
 * If other sessions still use a library with another memory layout, we must not
 * create a second segment.
 */
void *
get_shared_memory(const char *name, Size size, uint32 magic, shared_memory_init init)
{
	uint32	   *found = get_named_segment(name, size, init);

	if (*found != magic)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("shared memory \"%s\" was created by another version of objectid_ext", name),
				 errhint("Restart the server.")));
	return found;
}
