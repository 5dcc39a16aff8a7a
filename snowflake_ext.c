/*-------------------------------------------------------------------------
 *
 * snowflake_ext.c
 *		64-bit ids that carry their time, their shard and a sequence number.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

/*
 * The layout of "Sharding & IDs at Instagram" (2012): from the high bits to
 * the low ones 41 bits of milliseconds since the epoch, 13 bits of shard, 10
 * bits of sequence number.
 */
#define TIME_BITS		41
#define SHARD_BITS		13
#define SEQUENCE_BITS	10
#define EPOCH_MS		INT64CONST(1314220021721)	/* Unix; 2011-08-24T21:07:01.721Z */

#define SHARD_MAX		((1 << SHARD_BITS) - 1)
#define SEQUENCE_MASK	((INT64CONST(1) << SEQUENCE_BITS) - 1)

/* The top bit of the time is the sign of the id, and ids are positive. */
#define TICK_MAX		((INT64CONST(1) << (TIME_BITS - 1)) - 1)

/*
 * The id of this millisecond, a shard (0..8191) and a sequence number, of
 * which the id has the low ten bits.
 */
PG_FUNCTION_INFO_V1(next_shard_id);
Datum
next_shard_id(PG_FUNCTION_ARGS)
{
	int32		shard = PG_GETARG_INT32(0);
	int64		seq = PG_GETARG_INT64(1);
	int64		tick = (GetCurrentTimestamp() - UNIX_EPOCH) / 1000 - EPOCH_MS;

	if (shard < 0 || shard > SHARD_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("shard %d is out of range", shard),
				 errdetail("A shard is a number from 0 to %d.", SHARD_MAX)));
	if (seq < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("sequence number " INT64_FORMAT " is out of range", seq),
				 errdetail("A sequence number is from 0 to " INT64_FORMAT ".", PG_INT64_MAX)));
	if (tick < 0 || tick > TICK_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("current time is out of range for a shard id"),
				 errdetail("Shard ids have times from 2011-08-24T21:07:01.721Z to 2046-06-27T17:00:49.496Z.")));

	PG_RETURN_INT64(tick << (SHARD_BITS + SEQUENCE_BITS) |
					(int64) shard << SEQUENCE_BITS |
					(seq & SEQUENCE_MASK));
}
