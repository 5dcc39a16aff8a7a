/*-------------------------------------------------------------------------
 *
 * snowflake_ext.c
 *		64-bit ids that carry their time, their node and a sequence number:
 *		packing, decoding, bounds, and the node of this server.
 *
 * The layout determines the meaning of the bits (snowflake_layout.c).  Ids are
 * generated in clock_sequence.c and shard_id.c.
 *
 *-------------------------------------------------------------------------
 */
#include "settings.h"
#include "snowflake_layout.h"

/*
 * Return the id (int8) of a time (timestamptz, rounded down to its tick), a
 * node (int4) and a sequence number (int4).  A time before the epoch or past
 * the end raises datetime_field_overflow; a node or sequence number that does
 * not fit its field raises numeric_value_out_of_range.
 */
PG_FUNCTION_INFO_V1(make_snowflake);
Datum
make_snowflake(PG_FUNCTION_ARGS)
{
	int32		node = PG_GETARG_INT32(1);
	int32		seq = PG_GETARG_INT32(2);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(3);
	int64		tick = snowflake_tick_at(layout, PG_GETARG_TIMESTAMPTZ(0));

	snowflake_check_field(layout, "node", node, snowflake_max_node(layout));
	snowflake_check_field(layout, "sequence number", seq, snowflake_max_sequence(layout));
	PG_RETURN_INT64(snowflake_pack(layout, tick, node, seq));
}

/*
 * Return the id of a decoder's arguments.  An id that is negative or past the end of
 * the layout raises numeric_value_out_of_range.
 */
static int64
checked_id(FunctionCallInfo fcinfo)
{
	int64		id = PG_GETARG_INT64(0);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	snowflake_check_field(layout, "id", id, snowflake_max_id(layout));
	return id;
}

/* Return the beginning of the tick of an id, as a timestamptz. */
PG_FUNCTION_INFO_V1(snowflake_timestamp);
Datum
snowflake_timestamp(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	PG_RETURN_TIMESTAMPTZ(tick_time(&layout->clock, checked_id(fcinfo) >> layout->time_shift));
}

/* Return the node, or shard, of an id (int4); 0 if the layout has no nodes. */
PG_FUNCTION_INFO_V1(snowflake_node);
Datum
snowflake_node(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	PG_RETURN_INT32((int32) (checked_id(fcinfo) >> layout->node_shift & snowflake_max_node(layout)));
}

/* Return the sequence number of an id (int4). */
PG_FUNCTION_INFO_V1(snowflake_sequence);
Datum
snowflake_sequence(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	PG_RETURN_INT32((int32) (checked_id(fcinfo) >> layout->seq_shift & snowflake_max_sequence(layout)));
}

/*
 * Return the lowest or highest id of a tick: 0 before the first tick, the
 * highest id of the layout past the last.
 */
static int64
id_at_tick(const snowflake_layout *layout, int64 tick, bool highest)
{
	if (tick < 0)
		return 0;
	if (tick > layout->clock.max_tick)
		return snowflake_max_id(layout);
	return highest ? snowflake_last_of_tick(layout, tick) : snowflake_pack(layout, tick, 0, 0);
}

/* Return the lowest id whose time is at or after a timestamptz. */
PG_FUNCTION_INFO_V1(snowflake_floor);
Datum
snowflake_floor(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	PG_RETURN_INT64(id_at_tick(layout, tick_from(&layout->clock, PG_GETARG_TIMESTAMPTZ(0)), false));
}

/* Return the highest id whose time is at or before a timestamptz. */
PG_FUNCTION_INFO_V1(snowflake_ceiling);
Datum
snowflake_ceiling(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	PG_RETURN_INT64(id_at_tick(layout, tick_at(&layout->clock, PG_GETARG_TIMESTAMPTZ(0)), true));
}

/*
 * Return the lowest id whose time is in a tstzrange, or the highest id of the
 * layout if none is.
 */
PG_FUNCTION_INFO_V1(snowflake_lower);
Datum
snowflake_lower(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	PG_RETURN_INT64(id_at_tick(layout, ticks_in_range(fcinfo, 0, &layout->clock).first, false));
}

/* Return the highest id whose time is in a tstzrange, or 0 if none is. */
PG_FUNCTION_INFO_V1(snowflake_upper);
Datum
snowflake_upper(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);

	PG_RETURN_INT64(id_at_tick(layout, ticks_in_range(fcinfo, 0, &layout->clock).last, true));
}

/*
 * Return the setting objectid_ext.node_id (int4).  If it is not set, raise
 * object_not_in_prerequisite_state.
 */
PG_FUNCTION_INFO_V1(snowflake_node_id);
Datum
snowflake_node_id(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(objectid_ext_server_node());
}
