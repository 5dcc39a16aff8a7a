/*-------------------------------------------------------------------------
 *
 * snowflake_fields.c
 *		What does not fit the fields of a layout.
 *
 *-------------------------------------------------------------------------
 */
#include "snowflake_fields.h"

/* Raise numeric_value_out_of_range.  "what" names the field in the message. */
void
snowflake_field_error(const snowflake_layout *layout, const char *what, int64 value, int64 max)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("%s %lld is out of range for layout %s",
					what, (long long) value, snowflake_format_layout(layout)),
			 errdetail("It must be from 0 to %lld.", (long long) max)));
}

/* Raise datetime_field_overflow unless the tick is one that the layout has. */
void
snowflake_check_tick(const snowflake_layout *layout, int64 tick)
{
	if (tick < 0 || tick > layout->clock.max_tick)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("time is out of range for layout %s", snowflake_format_layout(layout)),
				 errdetail("It must be from %s to %s.",
						   format_utc_time(layout->clock.epoch),
						   format_utc_time(tick_time(&layout->clock, layout->clock.max_tick)))));
}

/*
 * Return the tick of a time.  A time before the epoch or past the end of the
 * layout raises datetime_field_overflow.
 */
int64
snowflake_tick_at(const snowflake_layout *layout, TimestampTz ts)
{
	int64		tick = tick_at(&layout->clock, ts);

	snowflake_check_tick(layout, tick);
	return tick;
}
