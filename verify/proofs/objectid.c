/*-------------------------------------------------------------------------
 *
 * objectid.c
 *		Proof of comparison and bounds of objectid, for any ids and any time.
 *
 *-------------------------------------------------------------------------
 */
#include "any_clock.h"
#include "prove.h"

#include "../../src/objectid_time.c"

extern objectid nondet_objectid(void);

static bool
all_bytes_are(const objectid *id, uint8 byte)
{
	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		if (id->data[i] != byte)
			return false;
	}
	return true;
}

/* The order by definition */
static int
compare_bytes(const objectid *a, const objectid *b)
{
	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		if (a->data[i] != b->data[i])
			return a->data[i] < b->data[i] ? -1 : 1;
	}
	return 0;
}

void
comparison(void)
{
	objectid	a = nondet_objectid();
	objectid	b = nondet_objectid();
	objectid	c = nondet_objectid();
	int			ab = objectid_internal_cmp(&a, &b);
	int			bc = objectid_internal_cmp(&b, &c);

	prove(ab == compare_bytes(&a, &b));
	prove(ab == -objectid_internal_cmp(&b, &a));
	prove(!(ab <= 0 && bc <= 0) || objectid_internal_cmp(&a, &c) <= 0);
}

/* Any id but all zeros and all ones, at which bounds are held */
static objectid
any_id(void)
{
	objectid	id = nondet_objectid();

	assume(!all_bytes_are(&id, 0x00) && !all_bytes_are(&id, 0xFF));
	the_tick = objectid_second(&id);
	return id;
}

/* How an id compares with a bound that a function returns */
#define compare(id, function, argument) \
	objectid_internal_cmp(id, DatumGetObjectidP(call(function, argument, 0, 0)))

#define BOUND(function, id_op_bound, time_op_ts) \
void \
function(void) \
{ \
	LOCAL_FCINFO(fcinfo, 3); \
	objectid	id = any_id(); \
	TimestampTz ts = nondet_int64(); \
\
	prove((compare(&id, objectid_##function, TimestampTzGetDatum(ts)) id_op_bound 0) == \
		  (objectid_time(&id) time_op_ts ts)); \
}

BOUND(floor, >=, >=)
BOUND(after, >=, >)
BOUND(ceiling, <=, <=)

/* What a bound returns is one of all zeros, all ones, or meets it itself. */
void
bounds_are_held(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	TimestampTz ts = nondet_int64();
	objectid	floor;
	objectid	ceiling;

	the_tick = nondet_int64();
	floor = *DatumGetObjectidP(call(objectid_floor, TimestampTzGetDatum(ts), 0, 0));
	assume(the_tick == objectid_second(&floor));
	prove(all_bytes_are(&floor, 0xFF) || objectid_time(&floor) >= ts);

	the_tick = nondet_int64();
	ceiling = *DatumGetObjectidP(call(objectid_ceiling, TimestampTzGetDatum(ts), 0, 0));
	assume(the_tick == objectid_second(&ceiling));
	prove(all_bytes_are(&ceiling, 0x00) || objectid_time(&ceiling) <= ts);
}

#define OPERATORS(id_op_time, op, time_op_id) \
void \
id_op_time(void) \
{ \
	LOCAL_FCINFO(fcinfo, 3); \
	objectid	id = nondet_objectid(); \
	TimestampTz ts = nondet_int64(); \
	Datum		i = ObjectidPGetDatum(&id); \
	Datum		t = TimestampTzGetDatum(ts); \
\
	assume(!all_bytes_are(&id, 0xFF)); \
	the_tick = objectid_second(&id); \
	prove(DatumGetBool(call(objectid_##id_op_time, i, t, 0)) == (objectid_time(&id) op ts)); \
	prove(DatumGetBool(call(timestamptz_##time_op_id, t, i, 0)) == (objectid_time(&id) op ts)); \
}

OPERATORS(lt_timestamptz, <, gt_objectid)
OPERATORS(le_timestamptz, <=, ge_objectid)
OPERATORS(ge_timestamptz, >=, le_objectid)
OPERATORS(gt_timestamptz, >, lt_objectid)

void
bounds_of_range(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	objectid	id = any_id();
	Datum		range = PointerGetDatum(&the_range);

	in_range = nondet_bool();
	prove((compare(&id, objectid_lower, range) >= 0 && compare(&id, objectid_upper, range) <= 0) == in_range);
}
