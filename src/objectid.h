/*-------------------------------------------------------------------------
 *
 * objectid.h
 *		The objectid type: 12 bytes, compared as unsigned bytes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OBJECTID_H
#define OBJECTID_H

#include "server_versions.h"

#include "port/pg_bswap.h"

#include "ticks.h"

/*
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

/* The identity of the process begins at this byte; it and the counter have so many bits. */
#define OBJECTID_IDENTITY_OFFSET	4
#define OBJECTID_IDENTITY_BITS		40
#define OBJECTID_COUNTER_BITS		24
#define OBJECTID_COUNTER_MASK		((1 << OBJECTID_COUNTER_BITS) - 1)

/* Define a comparison that SQL calls, with fcinfo as in any such function. */
#define COMPARISON_FUNCTION(name, condition) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	PG_RETURN_BOOL(condition); \
}

/* objectid_parse.c */
extern bool parse_objectid(const char *str, objectid *id, Node *escontext);
extern bool scan_bare_objectid(const char *str, objectid *id);
extern bool scan_objectid(const char *str, objectid *id);
extern void objectid_syntax_error(const char *str, Node *escontext);

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

/* The seconds of an ObjectId: 1970-01-01 00:00:00 to 2106-02-07 06:28:15 UTC */
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
	Assert(objectid_internal_cmp(a, b) <= 0);

	return (double) (objectid_prefix(b) - objectid_prefix(a)) * 4294967296.0 +
		((double) objectid_suffix(b) - (double) objectid_suffix(a));
}

#endif							/* OBJECTID_H */
