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
 * variant taken from other_bits.  It is the lowest of all before the first
 * millisecond, and the highest of all past the last.
 */
static pg_uuid_t
uuidv7_at(int64 tick, uint8 other_bits)
{
	pg_uuid_t	uuid;
	uint64		big_endian;

	if (tick < 0)
		tick = other_bits = 0;
	if (tick > uuidv7_clock.max_tick)
	{
		tick = uuidv7_clock.max_tick;
		other_bits = 0xFF;
	}
	big_endian = pg_hton64((uint64) tick << 16);
	memset(uuid.data, other_bits, UUID_LEN);
	memcpy(uuid.data, &big_endian, 6);
	uuid.data[6] = 0x70 | (other_bits & 0x0F);
	uuid.data[8] = 0x80 | (other_bits & 0x3F);
	return uuid;
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

/* Return the lowest version-7 UUID whose time is at or after a timestamptz. */
PG_FUNCTION_INFO_V1(uuidv7_floor);
Datum
uuidv7_floor(PG_FUNCTION_ARGS)
{
	return return_uuid(uuidv7_at(tick_from(&uuidv7_clock, PG_GETARG_TIMESTAMPTZ(0)), 0x00));
}

/* Return the highest version-7 UUID whose time is at or before a timestamptz. */
PG_FUNCTION_INFO_V1(uuidv7_ceiling);
Datum
uuidv7_ceiling(PG_FUNCTION_ARGS)
{
	return return_uuid(uuidv7_at(tick_at(&uuidv7_clock, PG_GETARG_TIMESTAMPTZ(0)), 0xFF));
}

/*
 * Return the lowest version-7 UUID whose time is in a tstzrange, or the
 * highest of all if none is.
 */
PG_FUNCTION_INFO_V1(uuidv7_lower);
Datum
uuidv7_lower(PG_FUNCTION_ARGS)
{
	return return_uuid(uuidv7_at(ticks_in_range(fcinfo, 0, &uuidv7_clock).first, 0x00));
}

/*
 * Return the highest version-7 UUID whose time is in a tstzrange, or the
 * lowest of all if none is.
 */
PG_FUNCTION_INFO_V1(uuidv7_upper);
Datum
uuidv7_upper(PG_FUNCTION_ARGS)
{
	return return_uuid(uuidv7_at(ticks_in_range(fcinfo, 0, &uuidv7_clock).last, 0xFF));
}
