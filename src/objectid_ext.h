/*-------------------------------------------------------------------------
 *
 * objectid_ext.h
 *		Types, Datum macros and settings shared by all files of the
 *		extension, and the differences between server versions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OBJECTID_EXT_H
#define OBJECTID_EXT_H

#include "postgres.h"

#include "fmgr.h"
#include "port/pg_bswap.h"
#include "utils/timestamp.h"

/*
 * Server versions.  All differences are handled here, so that the call sites
 * need no conditional compilation.
 */

/* PostgreSQL 16 lets an input function report bad input without throwing. */
#if PG_VERSION_NUM < 160000
#define errsave(context, ...)	ereport(ERROR, __VA_ARGS__)
#define ereturn(context, dummy_value, ...)	ereport(ERROR, __VA_ARGS__)
#endif

/* PostgreSQL 16 moved the varlena macros out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* PostgreSQL 16 renamed the subtransaction in which a relation got a new file. */
#if PG_VERSION_NUM >= 160000
#define RelationGetNewFileSubid(rel)	((rel)->rd_newRelfilelocatorSubid)
#else
#define RelationGetNewFileSubid(rel)	((rel)->rd_newRelfilenodeSubid)
#endif

/* PostgreSQL 16 has one function for the privileges of all catalogs. */
#if PG_VERSION_NUM < 160000
#define namespace_aclcheck(namespace, role, mode)	pg_namespace_aclcheck(namespace, role, mode)
#else
#define namespace_aclcheck(namespace, role, mode) \
	object_aclcheck(NamespaceRelationId, namespace, role, mode)
#endif

/* PostgreSQL 17 moved the parts of the virtual transaction id to a struct. */
#if PG_VERSION_NUM >= 170000
#define MyProcLxid	(MyProc->vxid.lxid)
#else
#define MyProcLxid	(MyProc->lxid)
#endif

/* PostgreSQL 17 has a function that copies the key of a dshash table. */
#if PG_VERSION_NUM >= 170000
#define DSHASH_PARAMETERS(key, entry) \
	{sizeof(key), sizeof(entry), dshash_memcmp, dshash_memhash, dshash_memcpy, 0}
#else
#define DSHASH_PARAMETERS(key, entry) \
	{sizeof(key), sizeof(entry), dshash_memcmp, dshash_memhash, 0}
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

#include "ticks.h"

/* Settings, and waiting for the wall clock (settings.c). */
typedef enum ObjectidIdentity
{
	OBJECTID_IDENTITY_RANDOM,
	OBJECTID_IDENTITY_HOST
} ObjectidIdentity;

extern int	objectid_ext_identity;	/* an ObjectidIdentity */
extern int	objectid_ext_node_id;	/* -1 while it is not set */
extern int	objectid_ext_max_clock_lead;	/* milliseconds */
extern void objectid_ext_wait(int64 us);
extern void objectid_ext_wait_for_clock(TimestampTz ts, int64 lead, int64 tick);

/* Shared memory that is found by its name (shared_memory.c). */
typedef void (*shared_memory_init) (void *memory);

extern void *get_shared_memory(const char *name, Size size, uint32 magic,
							   shared_memory_init init);

/* max_clock_lead in microseconds, the unit of TimestampTz */
static inline int64
objectid_ext_max_lead(void)
{
	return (int64) objectid_ext_max_clock_lead * 1000;
}

/* Advance *src past the token; return false if *src does not start with it. */
static inline bool
skip_token(const char **src, const char *token)
{
	size_t		len = strlen(token);

	if (strncmp(*src, token, len) != 0)
		return false;
	*src += len;
	return true;
}

/*
 * The objectid type: 12 bytes, compared as unsigned bytes.
 *
 * Core's DatumGetObjectId and ObjectIdGetDatum are for Oid.  The macros here
 * end in P, like those of other pass-by-reference types.
 */
#define OBJECTID_LEN			12
#define OBJECTID_HEX_DIGITS		(2 * OBJECTID_LEN)

typedef struct objectid
{
	uint8		data[OBJECTID_LEN];
} objectid;

#define DatumGetObjectidP(X)	((objectid *) DatumGetPointer(X))
#define ObjectidPGetDatum(X)	PointerGetDatum(X)
#define PG_GETARG_OBJECTID_P(n) DatumGetObjectidP(PG_GETARG_DATUM(n))
#define PG_RETURN_OBJECTID_P(x) return ObjectidPGetDatum(x)

/* Offsets and lengths of the parts */
#define OBJECTID_IDENTITY_OFFSET	4
#define OBJECTID_IDENTITY_LEN		5
#define OBJECTID_COUNTER_OFFSET		(OBJECTID_IDENTITY_OFFSET + OBJECTID_IDENTITY_LEN)
#define OBJECTID_COUNTER_BITS		24
#define OBJECTID_COUNTER_MASK		((1 << OBJECTID_COUNTER_BITS) - 1)

/* The classic layout divides the identity into machine and process id. */
#define OBJECTID_MACHINE_LEN		3

/* Text form (objectid_ext.c). */
extern bool parse_objectid(const char *str, objectid *id, Node *escontext);
extern bool scan_bare_objectid(const char *str, objectid *id);
extern void objectid_syntax_error(const char *str, Node *escontext);
extern void format_objectid(const objectid *id, char *dst);

/* objectid_time.c */
extern Datum objectid_floor(PG_FUNCTION_ARGS);

/* Read big-endian bytes as a number that sorts like them. */
static inline uint64
read_uint64(const uint8 *bytes)
{
	uint64		value;

	memcpy(&value, bytes, sizeof(value));
	return pg_ntoh64(value);
}

static inline uint32
read_uint32(const uint8 *bytes)
{
	uint32		value;

	memcpy(&value, bytes, sizeof(value));
	return pg_ntoh32(value);
}

/* Read a big-endian number of up to seven bytes. */
static inline int64
read_big_endian(const uint8 *bytes, int len)
{
	int64		result = 0;

	for (int i = 0; i < len; i++)
		result = result << 8 | bytes[i];
	return result;
}

/* The first eight bytes and the last four, as numbers */
static inline uint64
objectid_prefix(const objectid *id)
{
	return read_uint64(id->data);
}

static inline uint32
objectid_suffix(const objectid *id)
{
	return read_uint32(id->data + sizeof(uint64));
}

/*
 * The seconds of an ObjectId: 1970-01-01 00:00:00 to 2106-02-07 06:28:15 UTC
 */
static const tick_clock objectid_clock = {UNIX_EPOCH, USECS_PER_SEC, PG_UINT32_MAX};

static inline int64
objectid_second(const objectid *id)
{
	return objectid_prefix(id) >> 32;
}

static inline TimestampTz
objectid_time(const objectid *id)
{
	return tick_time(&objectid_clock, objectid_second(id));
}

/*
 * Three-way comparison in unsigned byte order, with the result of memcmp()
 * over the 12 bytes.  Comparing two integers is faster than the call of
 * memcmp() that compilers generate for this length.
 */
static inline int
objectid_internal_cmp(const objectid *a, const objectid *b)
{
	uint64		a_prefix = objectid_prefix(a);
	uint64		b_prefix = objectid_prefix(b);
	uint32		a_suffix;
	uint32		b_suffix;

	if (a_prefix != b_prefix)
		return a_prefix < b_prefix ? -1 : 1;

	a_suffix = objectid_suffix(a);
	b_suffix = objectid_suffix(b);
	return (a_suffix > b_suffix) - (a_suffix < b_suffix);
}

/*
 * Distance between two ids: their difference as 96-bit numbers.  The first
 * must not be greater than the second.
 */
static inline double
objectid_distance(const objectid *a, const objectid *b)
{
	double		distance;

	Assert(objectid_internal_cmp(a, b) <= 0);

	distance = (double) (objectid_prefix(b) - objectid_prefix(a)) * 4294967296.0;
	distance += (double) objectid_suffix(b) - (double) objectid_suffix(a);
	return distance;
}

/*
 * The snowflake_layout type: how the 64 bits of an id are divided.  The shifts
 * are derived from the widths, and stored because the generators use them in
 * every call.  Equal layouts are equal in every byte.
 */
typedef struct snowflake_layout
{
	tick_clock	clock;			/* max_tick is the last usable tick */
	uint8		time_bits;
	uint8		node_bits;
	uint8		seq_bits;
	uint8		time_shift;
	uint8		node_shift;
	uint8		seq_shift;
	bool		start_random;	/* does a tick begin at a random number? */
	uint8		padding;		/* zero */
} snowflake_layout;

#define PG_GETARG_LAYOUT_P(n)	((snowflake_layout *) PG_GETARG_POINTER(n))

static inline bool
snowflake_layout_equal(const snowflake_layout *a, const snowflake_layout *b)
{
	return memcmp(a, b, sizeof(snowflake_layout)) == 0;
}

static inline int64
snowflake_max_node(const snowflake_layout *layout)
{
	return (INT64CONST(1) << layout->node_bits) - 1;
}

static inline int64
snowflake_max_sequence(const snowflake_layout *layout)
{
	return (INT64CONST(1) << layout->seq_bits) - 1;
}

/*
 * Pack the parts of an id.  The caller has checked that they fit their fields.
 */
static inline int64
snowflake_pack(const snowflake_layout *layout, int64 tick, int32 node, int64 seq)
{
	return tick << layout->time_shift |
		(int64) node << layout->node_shift |
		seq << layout->seq_shift;
}

/* The highest id of any node in a tick */
static inline int64
snowflake_last_of_tick(const snowflake_layout *layout, int64 tick)
{
	return tick << layout->time_shift | ((INT64CONST(1) << layout->time_shift) - 1);
}

static inline int64
snowflake_max_id(const snowflake_layout *layout)
{
	return snowflake_last_of_tick(layout, layout->clock.max_tick);
}

extern char *snowflake_format_layout(const snowflake_layout *layout);
pg_noreturn extern void snowflake_field_error(const snowflake_layout *layout, const char *what,
								  int64 value, int64 max);
extern void snowflake_check_node(const snowflake_layout *layout, int32 node);
extern int32 server_node(void);
extern int64 snowflake_tick_at(const snowflake_layout *layout, TimestampTz ts);
extern void snowflake_check_tick(const snowflake_layout *layout, int64 tick);

/* Raise numeric_value_out_of_range unless a value is from 0 to max. */
static inline void
snowflake_check_field(const snowflake_layout *layout, const char *what, int64 value, int64 max)
{
	if (unlikely(value < 0 || value > max))
		snowflake_field_error(layout, what, value, max);
}

#endif							/* OBJECTID_EXT_H */
