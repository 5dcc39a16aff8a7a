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

typedef void (*shared_memory_init) (void *memory);

extern void *get_shared_memory(const char *name, Size size, uint32 magic,
							   shared_memory_init init);

#endif							/* SHARED_MEMORY_H */
