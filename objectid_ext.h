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

#include "datatype/timestamp.h"
#include "fmgr.h"

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

/* 18 shows the name and version of loaded modules. */
#ifdef PG_MODULE_MAGIC_EXT
#define OBJECTID_EXT_MODULE_MAGIC \
	PG_MODULE_MAGIC_EXT(.name = "objectid_ext", .version = "1.0")
#else
#define OBJECTID_EXT_MODULE_MAGIC	PG_MODULE_MAGIC
#endif

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

/* 1970-01-01 00:00:00+00 as a TimestampTz: microseconds since 2000. */
#define UNIX_EPOCH \
	((TimestampTz) (UNIX_EPOCH_JDATE - POSTGRES_EPOCH_JDATE) * USECS_PER_DAY)

#endif							/* OBJECTID_EXT_H */
