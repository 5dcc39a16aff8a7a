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
#define ereturn(context, dummy_value, ...)	ereport(ERROR, __VA_ARGS__)
#endif

/* 16 moved the varlena macros (VARDATA_ANY, SET_VARSIZE) out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 17 gathered the parts of a virtual transaction id. */
#if PG_VERSION_NUM >= 170000
#define MyProcLxid	(MyProc->vxid.lxid)
#else
#define MyProcLxid	(MyProc->lxid)
#endif

/* 18 shows the name and version of loaded modules. */
#ifdef PG_MODULE_MAGIC_EXT
#define OBJECTID_EXT_MODULE_MAGIC \
	PG_MODULE_MAGIC_EXT(.name = "objectid_ext", .version = "1.0.0")
#else
#define OBJECTID_EXT_MODULE_MAGIC	PG_MODULE_MAGIC
#endif

/* 1970-01-01 00:00:00+00 as a TimestampTz: microseconds since 2000. */
#define UNIX_EPOCH \
	((TimestampTz) (UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY)

/* Settings, and the wall clock as all generators see it (objectid_ext.c). */
extern int	objectid_ext_node_id;	/* -1 while it is not set */
extern int	objectid_ext_max_clock_lead;	/* milliseconds */
extern void objectid_ext_wait(int64 us);
extern void objectid_ext_wait_for_clock(TimestampTz ts, int64 tick);

/*
 * The time in an id counts ticks, of whatever length and from whatever epoch.
 */
typedef struct tick_clock
{
	TimestampTz epoch;			/* beginning of tick 0 */
	int64		tick;			/* length of a tick, microseconds */
	int64		max_tick;		/* last tick */
} tick_clock;

/* The beginning of a tick. */
static inline TimestampTz
tick_time(const tick_clock *clock, int64 tick)
{
	return clock->epoch + tick * clock->tick;
}

/*
 * The tick that a time lies in.  -1 for one before the epoch, max_tick + 1 for
 * one past the end, infinite ones included.
 */
static inline int64
tick_at(const tick_clock *clock, TimestampTz ts)
{
	if (ts < clock->epoch)
		return -1;
	if (ts >= tick_time(clock, clock->max_tick + 1))
		return clock->max_tick + 1;
	return (ts - clock->epoch) / clock->tick;
}

/* The first tick that begins after a time; 0 to max_tick + 1. */
static inline int64
tick_after(const tick_clock *clock, TimestampTz ts)
{
	return Min(tick_at(clock, ts), clock->max_tick) + 1;
}

/* The first tick that begins at or after a time; 0 to max_tick + 1. */
static inline int64
tick_from(const tick_clock *clock, TimestampTz ts)
{
	return ts == DT_NOBEGIN ? 0 : tick_after(clock, ts - 1);
}

/* time_range.c */
extern bool ticks_in_range(FunctionCallInfo fcinfo, int argno, const tick_clock *clock,
						   int64 *first, int64 *last);

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

/* The cast from text (objectid_ext.c). */
extern PGDLLEXPORT Datum objectid_from_text(PG_FUNCTION_ARGS);

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
extern void snowflake_check_node(const snowflake_layout *layout, int32 node);
extern int64 snowflake_tick_at(const snowflake_layout *layout, TimestampTz ts);
extern void snowflake_check_tick(const snowflake_layout *layout, int64 tick);

#endif							/* OBJECTID_EXT_H */
