/*-------------------------------------------------------------------------
 *
 * objectid_ext.h
 *		Types, Datum macros and settings that the files of the extension
 *		share, and all differences between server versions.
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
 * Server versions.  Each difference is bridged here, so that the call sites
 * read as if there were only one version.
 */

/* 16 lets an input function report bad input without throwing. */
#if PG_VERSION_NUM < 160000
#define errsave(context, ...)	ereport(ERROR, __VA_ARGS__)
#define ereturn(context, dummy_value, ...)	ereport(ERROR, __VA_ARGS__)
#endif

/* 16 moved the varlena macros (VARDATA_ANY, SET_VARSIZE) out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 16 renamed the number of a relation's file. */
#if PG_VERSION_NUM >= 160000
#define RelationGetRelFileNumber(rel)	((rel)->rd_locator.relNumber)
#else
#define RelationGetRelFileNumber(rel)	((rel)->rd_node.relNode)
#endif

/* 17 gathered the parts of a virtual transaction id. */
#if PG_VERSION_NUM >= 170000
#define MyProcLxid	(MyProc->vxid.lxid)
#else
#define MyProcLxid	(MyProc->lxid)
#endif

/* 19 has the names of lock tranches in shared memory. */
#if PG_VERSION_NUM >= 190000
#define new_lwlock_tranche(name)	LWLockNewTrancheId(name)
#define register_lwlock_tranche(tranche, name)	((void) 0)
#else
#define new_lwlock_tranche(name)	LWLockNewTrancheId()
#define register_lwlock_tranche(tranche, name)	LWLockRegisterTranche(tranche, name)
#endif

/* 18 shows the name and version of loaded modules. */
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

/* The setting, in microseconds as times are. */
static inline int64
objectid_ext_max_lead(void)
{
	return (int64) objectid_ext_max_clock_lead * 1000;
}

/* Advance *src over a token, or say that it is not there. */
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
 * DatumGetObjectId and ObjectIdGetDatum are core's and mean Oid; ours end
 * in P, as those of other pass-by-reference types do.
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

/* Where the parts begin, and how long they are. */
#define OBJECTID_IDENTITY_OFFSET	4
#define OBJECTID_IDENTITY_LEN		5
#define OBJECTID_COUNTER_OFFSET		(OBJECTID_IDENTITY_OFFSET + OBJECTID_IDENTITY_LEN)
#define OBJECTID_COUNTER_BITS		24
#define OBJECTID_COUNTER_MASK		((1 << OBJECTID_COUNTER_BITS) - 1)

/* The classic layout divides the identity into machine and process. */
#define OBJECTID_MACHINE_LEN		3

/* Text form (objectid_ext.c). */
extern bool parse_objectid(const char *str, objectid *id, Node *escontext);
extern bool scan_bare_objectid(const char *str, objectid *id);
extern void objectid_syntax_error(const char *str, Node *escontext);
extern void format_objectid(const objectid *id, char *dst);

/* Bytes as a number that sorts as they do. */
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

/* A big-endian number of up to seven bytes. */
static inline int64
read_big_endian(const uint8 *bytes, int len)
{
	int64		result = 0;

	for (int i = 0; i < len; i++)
		result = result << 8 | bytes[i];
	return result;
}

/* The first eight bytes, and the last four. */
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

/* The seconds of an ObjectId: 1970-01-01 to 2106-02-07 06:28:15. */
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
 * Unsigned byte order, as memcmp() over the 12 bytes would find it.  Two
 * integers are faster than the call of memcmp() that compilers make of it.
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
 * How far apart two ids are, the first not greater than the second, as the
 * difference of two 96-bit numbers.
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
 * The snowflake_layout type: how the 64 bits of an id are divided.  What
 * follows from the widths is kept beside them, for the generators are to be
 * no slower than reading the clock.  Equal layouts are equal in every byte.
 */
typedef struct snowflake_layout
{
	tick_clock	clock;			/* its last tick is the last usable one */
	uint8		time_bits;
	uint8		node_bits;
	uint8		seq_bits;
	uint8		time_shift;
	uint8		node_shift;
	uint8		seq_shift;
	uint8		padding[2];		/* zero */
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

/* The parts must fit their fields. */
static inline int64
snowflake_pack(const snowflake_layout *layout, int64 tick, int32 node, int64 seq)
{
	return tick << layout->time_shift |
		(int64) node << layout->node_shift |
		seq << layout->seq_shift;
}

/* The highest id of a tick, of any node. */
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
extern void snowflake_check_field(const snowflake_layout *layout, const char *what,
								  int64 value, int64 max);
extern void snowflake_check_node(const snowflake_layout *layout, int32 node);
extern int64 snowflake_tick_at(const snowflake_layout *layout, TimestampTz ts);
extern void snowflake_check_tick(const snowflake_layout *layout, int64 tick);

#endif							/* OBJECTID_EXT_H */
