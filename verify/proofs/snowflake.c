/*-------------------------------------------------------------------------
 *
 * snowflake.c
 *		Proof of packing, decoding and bounds of 64-bit ids, for any layout, any
 *		id and any time.
 *
 *-------------------------------------------------------------------------
 */
#include "any_clock.h"
#include "any_layout.h"

#include "../../src/snowflake_layout.c"
#include "../../snowflake_ext.c"

void
parts_of_packed(void)
{
	LOCAL_FCINFO(fcinfo, 4);
	snowflake_layout layout = any_layout();
	int32		node = nondet_int32();
	int32		seq = nondet_int32();
	int64		id;

	fcinfo->args[3].value = PointerGetDatum(&layout);
	the_tick = nondet_int64();
	id = DatumGetInt64(call(make_snowflake, Int64GetDatum(nondet_int64()), Int32GetDatum(node), Int32GetDatum(seq)));
	prove(id >= 0 && id <= snowflake_max_id(&layout));
	prove(DatumGetInt32(call(snowflake_node, Int64GetDatum(id), PointerGetDatum(&layout), 0)) == node);
	prove(DatumGetInt32(call(snowflake_sequence, Int64GetDatum(id), PointerGetDatum(&layout), 0)) == seq);
}

/* The time of a packed id is the beginning of the tick of the time given. */
void
time_of_packed(void)
{
	LOCAL_FCINFO(fcinfo, 4);
	snowflake_layout layout = any_layout();
	TimestampTz ts = nondet_int64();
	int64		tick = nondet_int64();
	int64		id;

	assume(tick >= 0 && tick <= layout.clock.max_tick);
	the_tick = tick;
	fcinfo->args[3].value = PointerGetDatum(&layout);
	id = DatumGetInt64(call(make_snowflake, Int64GetDatum(ts), Int32GetDatum(nondet_int32()), Int32GetDatum(nondet_int32())));
	prove((tick <= id >> layout.time_shift) == (tick_time(&layout.clock, tick) <= ts));
}

/* Any id of a layout */
static int64
any_id(const snowflake_layout *layout)
{
	int64		id = nondet_int64();

	assume(id >= 0 && id <= snowflake_max_id(layout));
	the_tick = id >> layout->time_shift;
	return id;
}

void
packed_parts(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	snowflake_layout layout = any_layout();
	int64		id = any_id(&layout);
	Datum		arg = PointerGetDatum(&layout);
	int32		node = DatumGetInt32(call(snowflake_node, Int64GetDatum(id), arg, 0));
	int32		sequence = DatumGetInt32(call(snowflake_sequence, Int64GetDatum(id), arg, 0));

	prove(DatumGetTimestampTz(call(snowflake_timestamp, Int64GetDatum(id), arg, 0)) == tick_time(&layout.clock, the_tick));
	prove(snowflake_pack(&layout, the_tick, node, sequence) == id);
}

void
floor_of_time(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	snowflake_layout layout = any_layout();
	int64		id = any_id(&layout);
	TimestampTz ts = nondet_int64();
	Datum		arg = PointerGetDatum(&layout);
	TimestampTz created = DatumGetTimestampTz(call(snowflake_timestamp, Int64GetDatum(id), arg, 0));
	int64		floor = DatumGetInt64(call(snowflake_floor, TimestampTzGetDatum(ts), arg, 0));

	/* The bound is held at the highest id. */
	prove((id >= floor) == (created >= ts) || id == snowflake_max_id(&layout));
	prove(floor >= 0 && floor <= snowflake_max_id(&layout));
}

void
ceiling_of_time(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	snowflake_layout layout = any_layout();
	int64		id = any_id(&layout);
	TimestampTz ts = nondet_int64();
	Datum		arg = PointerGetDatum(&layout);
	TimestampTz created = DatumGetTimestampTz(call(snowflake_timestamp, Int64GetDatum(id), arg, 0));
	int64		ceiling = DatumGetInt64(call(snowflake_ceiling, TimestampTzGetDatum(ts), arg, 0));

	/* The bound is held at 0. */
	prove((id <= ceiling) == (created <= ts) || id == 0);
	prove(ceiling >= 0 && ceiling <= snowflake_max_id(&layout));
}

void
bounds_of_range(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	snowflake_layout layout = any_layout();
	int64		id = any_id(&layout);
	Datum		range = PointerGetDatum(&the_range);
	int64		lower;
	int64		upper;

	in_range = nondet_bool();
	lower = DatumGetInt64(call(snowflake_lower, range, PointerGetDatum(&layout), 0));
	upper = DatumGetInt64(call(snowflake_upper, range, PointerGetDatum(&layout), 0));
	prove((id >= lower && id <= upper) == in_range);
}

void
within_range(void)
{
	LOCAL_FCINFO(fcinfo, 3);
	snowflake_layout layout = any_layout();
	int64		id = nondet_int64();
	Datum		range = PointerGetDatum(&the_range);
	int64		lower;
	int64		upper;

	assume(id < 0 || id > snowflake_max_id(&layout));
	the_tick = nondet_int64();
	in_range = nondet_bool();
	lower = DatumGetInt64(call(snowflake_lower, range, PointerGetDatum(&layout), 0));
	upper = DatumGetInt64(call(snowflake_upper, range, PointerGetDatum(&layout), 0));
	prove(id < lower || id > upper);
}
