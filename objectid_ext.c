/*-------------------------------------------------------------------------
 *
 * objectid_ext.c
 *		The objectid type: MongoDB's 12-byte ObjectId.
 *
 * An ObjectId is, from its first byte to its last,
 *
 *		4 bytes		seconds since 1970-01-01 00:00:00 UTC, unsigned, big-endian
 *		5 bytes		identity of the process that generated the id
 *		3 bytes		counter, big-endian
 *
 * so ids in unsigned byte order are in order of creation, to the second.  The
 * format is defined by the MongoDB specification "ObjectID format"
 * (github.com/mongodb/specifications, source/bson-objectid/objectid.md).
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"


/* ----------------------------------------------------------------
 *		Text and binary I/O
 * ----------------------------------------------------------------
 */

/*
 * Text input: 24 hexadecimal digits in either case, bare or as
 * ObjectId("..."), ObjectId('...'), ObjectId(...), "...", {"$oid":"..."}.
 * Any other string raises invalid_text_representation.
 */
PG_FUNCTION_INFO_V1(objectid_in);
Datum
objectid_in(PG_FUNCTION_ARGS)
{
	objectid   *id = palloc(sizeof(objectid));

	if (!parse_objectid(PG_GETARG_CSTRING(0), id, fcinfo->context))
		PG_RETURN_NULL();
	PG_RETURN_OBJECTID_P(id);
}

/* Text output: 24 lower-case hexadecimal digits */
PG_FUNCTION_INFO_V1(objectid_out);
Datum
objectid_out(PG_FUNCTION_ARGS)
{
	static const char digits[] = "0123456789abcdef";
	objectid   *id = PG_GETARG_OBJECTID_P(0);
	char	   *result = palloc(OBJECTID_HEX_DIGITS + 1);
	char	   *dst = result;

	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		*dst++ = digits[id->data[i] >> 4];
		*dst++ = digits[id->data[i] & 0xF];
	}
	*dst = '\0';
	PG_RETURN_CSTRING(result);
}

/* Make an objectid from input bytes; raises sqlerrcode if there are not 12. */
static objectid *
objectid_from_bytes(const char *bytes, int len, int sqlerrcode)
{
	objectid   *id;

	if (len != OBJECTID_LEN)
		ereport(ERROR,
				(errcode(sqlerrcode),
				 errmsg("invalid length for type %s", "objectid"),
				 errdetail("An ObjectId has %d bytes, not %d.", OBJECTID_LEN, len)));

	id = palloc(sizeof(objectid));
	memcpy(id->data, bytes, OBJECTID_LEN);
	return id;
}

/*
 * Binary input: the 12 bytes.  Any other length raises
 * invalid_binary_representation.
 */
PG_FUNCTION_INFO_V1(objectid_recv);
Datum
objectid_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;

	PG_RETURN_OBJECTID_P(objectid_from_bytes(pq_getmsgbytes(buf, len), len,
											 ERRCODE_INVALID_BINARY_REPRESENTATION));
}

/* Binary output: the 12 bytes */
PG_FUNCTION_INFO_V1(objectid_send);
Datum
objectid_send(PG_FUNCTION_ARGS)
{
	bytea	   *result = palloc(VARHDRSZ + OBJECTID_LEN);

	SET_VARSIZE(result, VARHDRSZ + OBJECTID_LEN);
	memcpy(VARDATA(result), PG_GETARG_OBJECTID_P(0)->data, OBJECTID_LEN);
	PG_RETURN_BYTEA_P(result);
}


/* ----------------------------------------------------------------
 *		Comparison
 * ----------------------------------------------------------------
 */

static inline int
cmp_ids(FunctionCallInfo fcinfo)
{
	return objectid_internal_cmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1));
}

COMPARISON_FUNCTION(objectid_lt, cmp_ids(fcinfo) < 0)
COMPARISON_FUNCTION(objectid_le, cmp_ids(fcinfo) <= 0)
COMPARISON_FUNCTION(objectid_eq, memcmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1), OBJECTID_LEN) == 0)
COMPARISON_FUNCTION(objectid_ne, memcmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1), OBJECTID_LEN) != 0)
COMPARISON_FUNCTION(objectid_ge, cmp_ids(fcinfo) >= 0)
COMPARISON_FUNCTION(objectid_gt, cmp_ids(fcinfo) > 0)

/* btree support 1: three-way comparison, an int4 of -1, 0 or 1 */
PG_FUNCTION_INFO_V1(objectid_cmp);
Datum
objectid_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(cmp_ids(fcinfo));
}

/* The lesser of two ids, for min() */
PG_FUNCTION_INFO_V1(objectid_smaller);
Datum
objectid_smaller(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(cmp_ids(fcinfo) < 0 ? 0 : 1));
}

/* The greater of two ids, for max() */
PG_FUNCTION_INFO_V1(objectid_larger);
Datum
objectid_larger(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(cmp_ids(fcinfo) > 0 ? 0 : 1));
}


/* ----------------------------------------------------------------
 *		Hashing
 * ----------------------------------------------------------------
 */

/*
 * The hash of an id.  It must never change, because it determines the partition or
 * shard in which a row is stored.  It is the same on machines of either byte order.
 *
 * The multiplication spreads the last four bytes over 64 bits, so that the ids of one
 * process all differ.  The rest is the finalizer of MurmurHash3, in which each bit changes
 * each bit of the result with a probability of one half.
 */
static inline uint64
hash_id(const objectid *id, uint64 seed)
{
	uint64		h = objectid_prefix(id) ^ objectid_suffix(id) * UINT64CONST(0x9E3779B97F4A7C15) ^ seed;

	h = (h ^ h >> 33) * UINT64CONST(0xFF51AFD7ED558CCD);
	h = (h ^ h >> 33) * UINT64CONST(0xC4CEB9FE1A85EC53);
	return h ^ h >> 33;
}

/* hash support 1 of objectid: 32-bit hash (int4), the low half of the other with seed 0 */
PG_FUNCTION_INFO_V1(objectid_hash);
Datum
objectid_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT32((uint32) hash_id(PG_GETARG_OBJECTID_P(0), 0));
}

/* hash support 2 of objectid: 64-bit hash (int8) with a seed (int8) */
PG_FUNCTION_INFO_V1(objectid_hash_extended);
Datum
objectid_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(hash_id(PG_GETARG_OBJECTID_P(0), PG_GETARG_INT64(1)));
}


/* ----------------------------------------------------------------
 *		Casts
 * ----------------------------------------------------------------
 */

/*
 * Cast from text, in any spelling that the input function accepts.  Any other
 * string raises invalid_text_representation.
 */
PG_FUNCTION_INFO_V1(objectid_from_text);
Datum
objectid_from_text(PG_FUNCTION_ARGS)
{
	objectid   *id = palloc(sizeof(objectid));

	parse_objectid(text_to_cstring(PG_GETARG_TEXT_PP(0)), id, NULL);
	PG_RETURN_OBJECTID_P(id);
}

/* Cast from character: the same.  The blanks that fill up the value do not count. */
PG_FUNCTION_INFO_V1(objectid_from_bpchar);
Datum
objectid_from_bpchar(PG_FUNCTION_ARGS)
{
	objectid   *id = palloc(sizeof(objectid));
	BpChar	   *value = PG_GETARG_BPCHAR_PP(0);
	char	   *data = VARDATA_ANY(value);

	parse_objectid(pnstrdup(data, bpchartruelen(data, VARSIZE_ANY_EXHDR(value))), id, NULL);
	PG_RETURN_OBJECTID_P(id);
}

/*
 * Cast from bytea: the 12 bytes.  Any other length raises
 * string_data_length_mismatch.
 */
PG_FUNCTION_INFO_V1(objectid_from_bytea);
Datum
objectid_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);

	PG_RETURN_OBJECTID_P(objectid_from_bytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
											 ERRCODE_STRING_DATA_LENGTH_MISMATCH));
}

/* Would the cast of this text to objectid succeed? */
PG_FUNCTION_INFO_V1(is_objectid_text);
Datum
is_objectid_text(PG_FUNCTION_ARGS)
{
	objectid	id;

	PG_RETURN_BOOL(scan_objectid(text_to_cstring(PG_GETARG_TEXT_PP(0)), &id));
}
