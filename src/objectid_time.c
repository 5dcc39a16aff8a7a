/*-------------------------------------------------------------------------
 *
 * objectid_time.c
 *		The time in an objectid: bounds, comparisons with times, window frames.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/rangetypes.h"

/*
 * Make an objectid of a second, with all other bytes set to other_bytes.  The
 * result is all zeros before the first second, and all ones past the last, so
 * that infinite and far ends of a range work.
 */
static objectid
objectid_at_second(int64 second, int other_bytes)
{
	objectid	id;
	uint32		big_endian = pg_hton32((uint32) second);

	if (second < 0)
		memset(id.data, 0x00, OBJECTID_LEN);
	else if (second > objectid_clock.max_tick)
		memset(id.data, 0xFF, OBJECTID_LEN);
	else
	{
		memset(id.data, other_bytes, OBJECTID_LEN);
		memcpy(id.data, &big_endian, sizeof(big_endian));
	}
	return id;
}

static Datum
return_bound(int64 second, int other_bytes)
{
	objectid   *result = palloc(sizeof(objectid));

	*result = objectid_at_second(second, other_bytes);
	PG_RETURN_OBJECTID_P(result);
}

/*
 * Return the time of creation: a timestamptz of whole seconds, from 1970-01-01
 * 00:00:00+00 to 2106-02-07 06:28:15+00.
 */
PG_FUNCTION_INFO_V1(objectid_timestamp);
Datum
objectid_timestamp(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMPTZ(objectid_time(PG_GETARG_OBJECTID_P(0)));
}

/* Return the lowest id whose time is at or after a timestamptz. */
PG_FUNCTION_INFO_V1(objectid_floor);
Datum
objectid_floor(PG_FUNCTION_ARGS)
{
	return return_bound(tick_from(&objectid_clock, PG_GETARG_TIMESTAMPTZ(0)), 0x00);
}

/* Return the lowest id whose time is after a timestamptz. */
PG_FUNCTION_INFO_V1(objectid_after);
Datum
objectid_after(PG_FUNCTION_ARGS)
{
	return return_bound(tick_after(&objectid_clock, PG_GETARG_TIMESTAMPTZ(0)), 0x00);
}

/* Return the highest id whose time is at or before a timestamptz. */
PG_FUNCTION_INFO_V1(objectid_ceiling);
Datum
objectid_ceiling(PG_FUNCTION_ARGS)
{
	return return_bound(tick_at(&objectid_clock, PG_GETARG_TIMESTAMPTZ(0)), 0xFF);
}

/* Return the lowest id whose time is in a tstzrange, or all ones if none is. */
PG_FUNCTION_INFO_V1(objectid_lower);
Datum
objectid_lower(PG_FUNCTION_ARGS)
{
	return return_bound(ticks_in_range(fcinfo, 0, &objectid_clock).first, 0x00);
}

/* Return the highest id whose time is in a tstzrange, or all zeros if none is. */
PG_FUNCTION_INFO_V1(objectid_upper);
Datum
objectid_upper(PG_FUNCTION_ARGS)
{
	return return_bound(ticks_in_range(fcinfo, 0, &objectid_clock).last, 0xFF);
}

/*
 * btree support 3, for window frames RANGE BETWEEN interval PRECEDING AND
 * interval FOLLOWING: is the time of the id at most, or at least, that of the
 * base id plus or minus the interval?  Core's function for timestamptz does
 * the work; a negative interval raises invalid_preceding_or_following_size.
 */
PG_FUNCTION_INFO_V1(objectid_in_range);
Datum
objectid_in_range(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall5(in_range_timestamptz_interval,
							   TimestampTzGetDatum(objectid_time(PG_GETARG_OBJECTID_P(0))),
							   TimestampTzGetDatum(objectid_time(PG_GETARG_OBJECTID_P(1))),
							   PG_GETARG_DATUM(2), PG_GETARG_DATUM(3), PG_GETARG_DATUM(4));
}

/*
 * Comparison of an id with a timestamptz.  It compares ids in the same way as
 * the expressions to which the planner rewrites it (id_predicates.c), so that all
 * plans give the same answer.  That is the comparison of
 * objectid_timestamp(id) with one exception: because no id is above all ones,
 * that id counts as later than any time from its own second on.
 */
static int
cmp_floor(FunctionCallInfo fcinfo, int id_arg, int time_arg)
{
	objectid	bound = objectid_at_second(tick_from(&objectid_clock, PG_GETARG_TIMESTAMPTZ(time_arg)), 0x00);

	return objectid_internal_cmp(PG_GETARG_OBJECTID_P(id_arg), &bound);
}

static int
cmp_after(FunctionCallInfo fcinfo, int id_arg, int time_arg)
{
	objectid	bound = objectid_at_second(tick_after(&objectid_clock, PG_GETARG_TIMESTAMPTZ(time_arg)), 0x00);

	return objectid_internal_cmp(PG_GETARG_OBJECTID_P(id_arg), &bound);
}

COMPARISON_FUNCTION(objectid_lt_timestamptz, cmp_floor(fcinfo, 0, 1) < 0)
COMPARISON_FUNCTION(objectid_le_timestamptz, cmp_after(fcinfo, 0, 1) < 0)
COMPARISON_FUNCTION(objectid_ge_timestamptz, cmp_floor(fcinfo, 0, 1) >= 0)
COMPARISON_FUNCTION(objectid_gt_timestamptz, cmp_after(fcinfo, 0, 1) >= 0)
COMPARISON_FUNCTION(timestamptz_lt_objectid, cmp_after(fcinfo, 1, 0) >= 0)
COMPARISON_FUNCTION(timestamptz_le_objectid, cmp_floor(fcinfo, 1, 0) >= 0)
COMPARISON_FUNCTION(timestamptz_ge_objectid, cmp_after(fcinfo, 1, 0) < 0)
COMPARISON_FUNCTION(timestamptz_gt_objectid, cmp_floor(fcinfo, 1, 0) < 0)

/*
 * Is an id within a range: its time in one of timestamptz, itself in one of
 * objectid?  The operators are declared for any range.  If they were declared
 * for tstzrange, they would be a closer match than core's for an untyped
 * literal, and tstzrange @> '[...)' would no longer be read as ranges.
 */
static bool
is_within(FunctionCallInfo fcinfo, int id_arg, int range_arg)
{
	RangeType  *range = PG_GETARG_RANGE_P(range_arg);
	TypeCacheEntry *typcache = range_get_typcache(fcinfo, RangeTypeGetOid(range));
	Oid			element_type = typcache->rngelemtype->type_id;
	Datum		element = PG_GETARG_DATUM(id_arg);

	if (element_type == TIMESTAMPTZOID)
		element = TimestampTzGetDatum(objectid_time(PG_GETARG_OBJECTID_P(id_arg)));
	else if (element_type != get_fn_expr_argtype(fcinfo->flinfo, id_arg))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("cannot compare objectid with range type %s",
						format_type_be(typcache->type_id)),
				 errhint("Use a range of type tstzrange.")));
	return range_contains_elem_internal(typcache, range, element);
}

/*
 * Return whether the time of an id is in a range of timestamptz, or an id in a
 * range of objectid.  Raises undefined_function for any other range.
 */
PG_FUNCTION_INFO_V1(objectid_within);
Datum
objectid_within(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_within(fcinfo, 0, 1));
}

/* The commutator of objectid_within() */
PG_FUNCTION_INFO_V1(range_contains_objectid);
Datum
range_contains_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(is_within(fcinfo, 1, 0));
}
