/*-------------------------------------------------------------------------
 *
 * server_versions.h
 *		The differences between server versions.  All are handled here, so that
 *		the call sites need no conditional compilation.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SERVER_VERSIONS_H
#define SERVER_VERSIONS_H

#include "postgres.h"

#include "fmgr.h"

/* PostgreSQL 16 lets an input function report bad input without throwing. */
#if PG_VERSION_NUM < 160000
#define errsave(context, ...)	ereport(ERROR, __VA_ARGS__)
#define ereturn(context, dummy_value, ...)	ereport(ERROR, __VA_ARGS__)
#endif

/* PostgreSQL 16 exports functions from a DLL, which needs it at their first declaration. */
#if PG_VERSION_NUM < 160000
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(name) \
	extern PGDLLEXPORT const Pg_finfo_record *pg_finfo_##name(void); \
	const Pg_finfo_record *pg_finfo_##name(void) \
	{ static const Pg_finfo_record info = {1}; return &info; } \
	extern PGDLLEXPORT Datum name(PG_FUNCTION_ARGS)
#endif

/* PostgreSQL 16 moved the varlena macros out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* PostgreSQL 16 can say more about a date that it cannot read. */
#if PG_VERSION_NUM >= 160000
#define decode_date_time(...)	DecodeDateTime(__VA_ARGS__, &(DateTimeErrorExtra) {0})
#else
#define decode_date_time(...)	DecodeDateTime(__VA_ARGS__)
#endif

/*
 * The subtransaction in which a relation got its first new file; PostgreSQL 16 renamed it.
 * That of the last new file is not enough: it is forgotten when that file is rolled back.
 */
#if PG_VERSION_NUM >= 160000
#define RelationGetNewFileSubid(rel)	((rel)->rd_firstRelfilelocatorSubid)
#else
#define RelationGetNewFileSubid(rel)	((rel)->rd_firstRelfilenodeSubid)
#endif

/* PostgreSQL 17 moved the parts of the virtual transaction id to a struct. */
#if PG_VERSION_NUM >= 170000
#define MyProcLxid	(MyProc->vxid.lxid)
#define LockInstanceVxid(lock)	((lock)->vxid)
#else
#define MyProcLxid	(MyProc->lxid)
#define LockInstanceVxid(lock)	((VirtualTransactionId) {(lock)->backend, (lock)->lxid})
#endif

/*
 * PostgreSQL 17 finds shared memory by name, as shared_memory.c does for servers before;
 * 19 passes an argument to the function that initializes it.
 */
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#endif
#if PG_VERSION_NUM >= 190000
#define SEGMENT_INIT_ARGS	void *memory, void *arg
#define GetNamedDSMSegment(name, size, init, found) \
	GetNamedDSMSegment(name, size, init, found, NULL)
#else
#define SEGMENT_INIT_ARGS	void *memory
#endif

/* PostgreSQL 17 has a function that copies the key of a dshash table. */
#if PG_VERSION_NUM >= 170000
#define DSHASH_PARAMETERS(key, entry) \
	{sizeof(key), sizeof(entry), dshash_memcmp, dshash_memhash, dshash_memcpy, 0}
#else
#define DSHASH_PARAMETERS(key, entry) \
	{sizeof(key), sizeof(entry), dshash_memcmp, dshash_memhash, 0}
#endif

/* PostgreSQL 19 has one struct for the state and the result of pushJsonbValue(). */
#if PG_VERSION_NUM < 190000
#include "utils/jsonb.h"
typedef struct JsonbInState
{
	JsonbValue *result;
	JsonbParseState *parseState;
} JsonbInState;
#define pushJsonbValue(state, token, value) \
	((state)->result = pushJsonbValue(&(state)->parseState, token, value))
#endif

/* PostgreSQL 18 replaced pg_attribute_noreturn(). */
#ifndef pg_noreturn
#define pg_noreturn	pg_attribute_noreturn()
#endif

/* PostgreSQL 19 keeps the names of LWLock tranches in shared memory. */
#if PG_VERSION_NUM >= 190000
#define new_lwlock_tranche(name)	LWLockNewTrancheId(name)
#define register_lwlock_tranche(tranche, name)	((void) 0)
#else
#define new_lwlock_tranche(name)	LWLockNewTrancheId()
#define register_lwlock_tranche(tranche, name)	LWLockRegisterTranche(tranche, name)
#endif

/* PostgreSQL 18 reports the name and version of loaded modules. */
#ifdef PG_MODULE_MAGIC_EXT
#define OBJECTID_EXT_MODULE_MAGIC \
	PG_MODULE_MAGIC_EXT(.name = "objectid_ext", .version = "1.0.0")
#else
#define OBJECTID_EXT_MODULE_MAGIC	PG_MODULE_MAGIC
#endif

#endif							/* SERVER_VERSIONS_H */
