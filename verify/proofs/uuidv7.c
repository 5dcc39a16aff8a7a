/*-------------------------------------------------------------------------
 *
 * uuidv7.c
 *		Proof of the bounds of version-7 UUIDs, for any UUID and any time.
 *
 *-------------------------------------------------------------------------
 */
#include "any_clock.h"
#include "prove.h"

#include "../../src/uuidv7.c"

extern pg_uuid_t nondet_pg_uuid_t(void);

static bool
is_version_7(const pg_uuid_t *uuid)
{
	return (uuid->data[6] & 0xF0) == 0x70 && (uuid->data[8] & 0xC0) == 0x80;
}

/* Any version-7 UUID but the lowest and the highest, at which bounds are held */
static pg_uuid_t
any_uuid(void)
{
	pg_uuid_t	uuid = nondet_pg_uuid_t();
	pg_uuid_t	lowest = uuidv7_at(0, 0x00);
	pg_uuid_t	highest = uuidv7_at(uuidv7_clock.max_tick, 0xFF);

	assume(is_version_7(&uuid));
	assume(memcmp(uuid.data, lowest.data, UUID_LEN) != 0 && memcmp(uuid.data, highest.data, UUID_LEN) != 0);
	the_tick = read_uint64(uuid.data) >> 16;
	return uuid;
}

#define compare(uuid, function, argument) \
	memcmp((uuid)->data, DatumGetUUIDP(call(function, argument, 0, 0))->data, UUID_LEN)

void
bounds_of_time(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	pg_uuid_t	uuid = any_uuid();
	TimestampTz ts = nondet_int64();
	Datum		arg = TimestampTzGetDatum(ts);
	TimestampTz created = DatumGetTimestampTz(call(uuidv7_timestamp, UUIDPGetDatum(&uuid), 0, 0));

	prove((compare(&uuid, uuidv7_floor, arg) >= 0) == (created >= ts));
	prove((compare(&uuid, uuidv7_ceiling, arg) <= 0) == (created <= ts));
}

void
bounds_are_version_7(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	Datum		ts = TimestampTzGetDatum(nondet_int64());

	the_tick = nondet_int64();
	prove(is_version_7(DatumGetUUIDP(call(uuidv7_floor, ts, 0, 0))));
	prove(is_version_7(DatumGetUUIDP(call(uuidv7_ceiling, ts, 0, 0))));
}

void
bounds_of_range(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	pg_uuid_t	uuid = any_uuid();
	Datum		range = PointerGetDatum(&the_range);

	in_range = nondet_bool();
	prove((compare(&uuid, uuidv7_lower, range) >= 0 && compare(&uuid, uuidv7_upper, range) <= 0) == in_range);
}
