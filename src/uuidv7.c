/*-------------------------------------------------------------------------
 *
 * uuidv7.c
 *		The time in version-7 UUIDs: decoding, bounds, ranges.
 *
 *-------------------------------------------------------------------------
 */
#include "ticks.h"

#include "port/pg_bswap.h"

#include "utils/uuid.h"

/*
 * The time of a version-7 UUID: 48 bits of milliseconds since 1970, big-endian
 * (RFC 9562, section 5.7).
 */
static const tick_clock uuidv7_clock = {UNIX_EPOCH, 1000, (INT64CONST(1) << 48) - 1};

/*
 * Make a version-7 UUID of a millisecond, with all bits other than version and
 * variant taken from other_bits.
 */
static pg_uuid_t
uuidv7_at(int64 tick, uint8 other_bits)
{
	pg_uuid_t	uuid;
	uint64		big_endian = pg_hton64((uint64) tick << 16);

	memset(uuid.data, other_bits, UUID_LEN);
	memcpy(uuid.data, &big_endian, 6);
	uuid.data[6] = 0x70 | (other_bits & 0x0F);
	uuid.data[8] = 0x80 | (other_bits & 0x3F);
	return uuid;
}

static pg_uuid_t
lowest_uuidv7(int64 tick)
{
	if (tick > uuidv7_clock.max_tick)
		return uuidv7_at(uuidv7_clock.max_tick, 0xFF);
	return uuidv7_at(tick, 0x00);
}

static pg_uuid_t
highest_uuidv7(int64 tick)
{
	if (tick < 0)
		return uuidv7_at(0, 0x00);
	return uuidv7_at(Min(tick, uuidv7_clock.max_tick), 0xFF);
}

static Datum
return_uuid(pg_uuid_t uuid)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	*result = uuid;
	PG_RETURN_UUID_P(result);
}

/*
 * Return the time of a version-7 UUID: a timestamptz of whole milliseconds,
 * from 1970 to 10889-08-02 05:31:50.655+00.  The version is not checked.
 */
PG_FUNCTION_INFO_V1(uuidv7_timestamp);
Datum
uuidv7_timestamp(PG_FUNCTION_ARGS)
{
	uint64		big_endian;

	memcpy(&big_endian, PG_GETARG_UUID_P(0)->data, sizeof(big_endian));
	PG_RETURN_TIMESTAMPTZ(tick_time(&uuidv7_clock, pg_ntoh64(big_endian) >> 16));
}

/*
 * Return the lowest version-7 UUID whose time is at or after a timestamptz:
 * the lowest of all before 1970, the highest of all past the end.
 */
PG_FUNCTION_INFO_V1(uuidv7_floor);
Datum
uuidv7_floor(PG_FUNCTION_ARGS)
{
	return return_uuid(lowest_uuidv7(tick_from(&uuidv7_clock, PG_GETARG_TIMESTAMPTZ(0))));
}

/*
 * Return the highest version-7 UUID whose time is at or before a timestamptz:
 * the lowest of all before 1970, the highest of all past the end.
 */
PG_FUNCTION_INFO_V1(uuidv7_ceiling);
Datum
uuidv7_ceiling(PG_FUNCTION_ARGS)
{
	return return_uuid(highest_uuidv7(tick_at(&uuidv7_clock, PG_GETARG_TIMESTAMPTZ(0))));
}

/*
 * Return the lowest version-7 UUID whose time is in a tstzrange, or the
 * highest of all if none is.
 */
PG_FUNCTION_INFO_V1(uuidv7_lower);
Datum
uuidv7_lower(PG_FUNCTION_ARGS)
{
	RangeType  *range = PG_GETARG_RANGE_P(0);
	int64		first;
	int64		last;

	if (!ticks_in_range(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
						&uuidv7_clock, &first, &last))
		first = uuidv7_clock.max_tick + 1;
	return return_uuid(lowest_uuidv7(first));
}

/*
 * Return the highest version-7 UUID whose time is in a tstzrange, or the
 * lowest of all if none is.
 */
PG_FUNCTION_INFO_V1(uuidv7_upper);
Datum
uuidv7_upper(PG_FUNCTION_ARGS)
{
	RangeType  *range = PG_GETARG_RANGE_P(0);
	int64		first;
	int64		last;

	if (!ticks_in_range(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
						&uuidv7_clock, &first, &last))
		last = -1;
	return return_uuid(highest_uuidv7(last));
}

/*
 * Is the time of a version-7 UUID in a tstzrange?  For any UUID, the result is
 * whether it lies between the lowest and the highest version-7 UUID of the
 * range.
 */
PG_FUNCTION_INFO_V1(uuidv7_within);
Datum
uuidv7_within(PG_FUNCTION_ARGS)
{
	RangeType  *range = PG_GETARG_RANGE_P(1);
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);
	pg_uuid_t	lower;
	pg_uuid_t	upper;
	int64		first;
	int64		last;

	if (!ticks_in_range(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
						&uuidv7_clock, &first, &last))
		PG_RETURN_BOOL(false);

	lower = lowest_uuidv7(first);
	upper = highest_uuidv7(last);
	PG_RETURN_BOOL(memcmp(uuid->data, lower.data, UUID_LEN) >= 0 &&
				   memcmp(uuid->data, upper.data, UUID_LEN) <= 0);
}
