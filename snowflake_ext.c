/*-------------------------------------------------------------------------
 *
 * snowflake_ext.c
 *		64-bit ids that carry their time, their node and a sequence number:
 *		packing, decoding, bounds, and the node of this server.
 *
 * Which bits are what is the layout's business (snowflake_layout.c); the ids
 * are made in clock_sequence.c and shard_id.c.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/htup_details.h"
#include "funcapi.h"


/* ----------------------------------------------------------------
 *		Ranges of the fields
 * ----------------------------------------------------------------
 */

/* A time as in a layout's text; for messages, so it must fit no year past 9999. */
static const char *
iso_time(TimestampTz ts)
{
	struct pg_tm tm;
	fsec_t		fsec;

	if (timestamp2tm(ts, NULL, &tm, &fsec, NULL, NULL) != 0)
		elog(ERROR, "timestamp of layout is out of range");
	return psprintf("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
					tm.tm_year, tm.tm_mon, tm.tm_mday,
					tm.tm_hour, tm.tm_min, tm.tm_sec, (int) fsec / 1000);
}

/* An error unless a field of an id holds this value; what names the field. */
void
snowflake_check_field(const snowflake_layout *layout, const char *what, int64 value, int64 max)
{
	if (value < 0 || value > max)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s %lld is out of range for layout %s",
						what, (long long) value, snowflake_format_layout(layout)),
				 errdetail("It must be from 0 to %lld.", (long long) max)));
}

/* An error unless the node fits its field. */
void
snowflake_check_node(const snowflake_layout *layout, int32 node)
{
	snowflake_check_field(layout, "node", node, snowflake_max_node(layout));
}

/* An error unless the tick fits the usable part of its field. */
void
snowflake_check_tick(const snowflake_layout *layout, int64 tick)
{
	if (tick < 0 || tick > layout->clock.max_tick)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("time is out of range for layout %s", snowflake_format_layout(layout)),
				 errdetail("It must be from %s to %s.",
						   iso_time(layout->clock.epoch),
						   iso_time(tick_time(&layout->clock, layout->clock.max_tick)))));
}

/*
 * The tick that a time lies in; an error for one before the epoch or past the
 * end.
 */
int64
snowflake_tick_at(const snowflake_layout *layout, TimestampTz ts)
{
	int64		tick = tick_at(&layout->clock, ts);

	snowflake_check_tick(layout, tick);
	return tick;
}

/* An error unless the id is one of this layout. */
static void
check_id(const snowflake_layout *layout, int64 id)
{
	snowflake_check_field(layout, "id", id, snowflake_max_id(layout));
}


/* ----------------------------------------------------------------
 *		Packing, decoding, bounds
 * ----------------------------------------------------------------
 */

/*
 * The id of a time (rounded down to its tick), a node and a sequence number.
 * A time before the epoch or past the end: datetime_field_overflow; a node or
 * number that does not fit its field: numeric_value_out_of_range.
 */
PG_FUNCTION_INFO_V1(make_snowflake);
Datum
make_snowflake(PG_FUNCTION_ARGS)
{
	int32		node = PG_GETARG_INT32(1);
	int32		seq = PG_GETARG_INT32(2);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(3);
	int64		tick = snowflake_tick_at(layout, PG_GETARG_TIMESTAMPTZ(0));

	snowflake_check_node(layout, node);
	snowflake_check_field(layout, "sequence number", seq, snowflake_max_sequence(layout));
	PG_RETURN_INT64(snowflake_pack(layout, tick, node, seq));
}

/*
 * The beginning of the id's tick.  The decoders refuse an id that is negative
 * or past the layout's end: numeric_value_out_of_range.
 */
PG_FUNCTION_INFO_V1(snowflake_timestamp);
Datum
snowflake_timestamp(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	check_id(layout, id);
	PG_RETURN_TIMESTAMPTZ(tick_time(&layout->clock, id >> layout->time_shift));
}

static int32
id_node(const snowflake_layout *layout, int64 id)
{
	return (int32) (id >> layout->node_shift & snowflake_max_node(layout));
}

static int32
id_sequence(const snowflake_layout *layout, int64 id)
{
	return (int32) (id >> layout->seq_shift & snowflake_max_sequence(layout));
}

/* The node, or shard, of an id; 0 in a layout without nodes. */
PG_FUNCTION_INFO_V1(snowflake_node);
Datum
snowflake_node(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	check_id(layout, id);
	PG_RETURN_INT32(id_node(layout, id));
}

/* The sequence number of an id. */
PG_FUNCTION_INFO_V1(snowflake_sequence);
Datum
snowflake_sequence(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	check_id(layout, id);
	PG_RETURN_INT32(id_sequence(layout, id));
}

/* The three parts of an id, as a row: created timestamptz, node, sequence. */
PG_FUNCTION_INFO_V1(snowflake_parts);
Datum
snowflake_parts(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);
	TupleDesc	tupdesc;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	check_id(layout, id);
	values[0] = TimestampTzGetDatum(tick_time(&layout->clock, id >> layout->time_shift));
	values[1] = Int32GetDatum(id_node(layout, id));
	values[2] = Int32GetDatum(id_sequence(layout, id));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/*
 * The lowest id whose time is at or after a timestamptz; a fraction of a tick
 * counts as the next tick.  Before the epoch 0, past the end the highest id.
 */
PG_FUNCTION_INFO_V1(snowflake_floor);
Datum
snowflake_floor(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);
	int64		tick = tick_from(&layout->clock, PG_GETARG_TIMESTAMPTZ(0));

	if (tick > layout->clock.max_tick)
		PG_RETURN_INT64(snowflake_max_id(layout));
	PG_RETURN_INT64(snowflake_pack(layout, tick, 0, 0));
}

/*
 * The highest id whose time is at or before a timestamptz.  Before the epoch
 * 0, past the end the highest id.
 */
PG_FUNCTION_INFO_V1(snowflake_ceiling);
Datum
snowflake_ceiling(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);
	int64		tick = tick_at(&layout->clock, PG_GETARG_TIMESTAMPTZ(0));

	if (tick < 0)
		PG_RETURN_INT64(0);
	PG_RETURN_INT64(snowflake_last_of_tick(layout, Min(tick, layout->clock.max_tick)));
}

/*
 * The lowest id whose time is in a tstzrange; the highest id of all if there
 * is none.
 */
PG_FUNCTION_INFO_V1(snowflake_lower);
Datum
snowflake_lower(PG_FUNCTION_ARGS)
{
	RangeType  *range = PG_GETARG_RANGE_P(0);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);
	int64		first;
	int64		last;

	if (!ticks_in_range(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
						&layout->clock, &first, &last))
		PG_RETURN_INT64(snowflake_max_id(layout));
	PG_RETURN_INT64(snowflake_pack(layout, first, 0, 0));
}

/* The highest id whose time is in a tstzrange; 0 if there is none. */
PG_FUNCTION_INFO_V1(snowflake_upper);
Datum
snowflake_upper(PG_FUNCTION_ARGS)
{
	RangeType  *range = PG_GETARG_RANGE_P(0);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);
	int64		first;
	int64		last;

	if (!ticks_in_range(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
						&layout->clock, &first, &last))
		PG_RETURN_INT64(0);
	PG_RETURN_INT64(snowflake_last_of_tick(layout, last));
}

/*
 * Is the time of an id in a tstzrange?  An id that is not of the layout is in
 * none.
 */
PG_FUNCTION_INFO_V1(snowflake_within);
Datum
snowflake_within(PG_FUNCTION_ARGS)
{
	RangeType  *range = PG_GETARG_RANGE_P(1);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(2);
	int64		tick = PG_GETARG_INT64(0) >> layout->time_shift;
	int64		first;
	int64		last;

	PG_RETURN_BOOL(ticks_in_range(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
								  &layout->clock, &first, &last) &&
				   tick >= first && tick <= last);
}


/* ----------------------------------------------------------------
 *		The node of this server
 * ----------------------------------------------------------------
 */

/*
 * The setting objectid_ext.node_id; while it is not set,
 * object_not_in_prerequisite_state.  There is no default, for two servers
 * would have the same.
 */
PG_FUNCTION_INFO_V1(snowflake_node_id);
Datum
snowflake_node_id(PG_FUNCTION_ARGS)
{
	if (objectid_ext_node_id < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s is not set", "objectid_ext.node_id"),
				 errhint("Give every server a number of its own in postgresql.conf or by "
						 "ALTER SYSTEM, or pass the node to the function.")));
	PG_RETURN_INT32(objectid_ext_node_id);
}
