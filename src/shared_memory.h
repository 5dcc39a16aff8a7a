/*-------------------------------------------------------------------------
 *
 * shared_memory.h
 *		Shared memory that all sessions find by its name (shared_memory.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARED_MEMORY_H
#define SHARED_MEMORY_H

#include "server_versions.h"

#include "lib/dshash.h"

/* What a segment begins with */
typedef struct shared_header
{
	uint32		magic;
	int			tranche;		/* of all LWLocks in it */
} shared_header;

/* Initializes what follows the header.  This must not throw an error. */
typedef void (*shared_memory_init) (SEGMENT_INIT_ARGS);

extern void init_shared_header(shared_header *header);
extern void *get_shared_memory(const char *name, Size size, shared_memory_init init);
extern dshash_table *get_shared_table(const char *name, dshash_parameters *parameters);

#endif							/* SHARED_MEMORY_H */
