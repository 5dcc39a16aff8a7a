/*-------------------------------------------------------------------------
 *
 * snowflake_fields.h
 *		What does not fit the fields of a layout.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SNOWFLAKE_FIELDS_H
#define SNOWFLAKE_FIELDS_H

#include "snowflake_layout.h"

pg_noreturn extern void snowflake_field_error(const snowflake_layout *layout, const char *what,
								  int64 value, int64 max);
extern int64 snowflake_tick_at(const snowflake_layout *layout, TimestampTz ts);
extern void snowflake_check_tick(const snowflake_layout *layout, int64 tick);

/* Raise numeric_value_out_of_range unless a value is from 0 to max. */
static inline void
snowflake_check_field(const snowflake_layout *layout, const char *what, int64 value, int64 max)
{
	if (unlikely(value < 0 || value > max))
		snowflake_field_error(layout, what, value, max);
}

#endif							/* SNOWFLAKE_FIELDS_H */
