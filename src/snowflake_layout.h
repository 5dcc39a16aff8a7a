/*-------------------------------------------------------------------------
 *
 * snowflake_layout.h
 *		The snowflake_layout type: how the 64 bits of an id are divided.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SNOWFLAKE_LAYOUT_H
#define SNOWFLAKE_LAYOUT_H

#include "server_versions.h"

#include "ticks.h"

/*
 * The shifts are derived from the widths, and stored because the generators
 * use them in every call.  Equal layouts are equal in every byte.
 */
typedef struct snowflake_layout
{
	tick_clock	clock;			/* max_tick is the last usable tick */
	uint8		time_bits;
	uint8		node_bits;
	uint8		seq_bits;
	uint8		time_shift;
	uint8		node_shift;
	uint8		seq_shift;
	bool		start_random;	/* does a tick begin at a random number? */
	uint8		padding;		/* zero */
} snowflake_layout;

#define PG_GETARG_LAYOUT_P(n)	((snowflake_layout *) PG_GETARG_POINTER(n))

static inline bool
snowflake_layout_equal(const snowflake_layout *a, const snowflake_layout *b)
{
	return memcmp(a, b, sizeof(snowflake_layout)) == 0;
}

static inline int64
snowflake_max_node(const snowflake_layout *layout)
{
	return (INT64CONST(1) << layout->node_bits) - 1;
}

static inline int64
snowflake_max_sequence(const snowflake_layout *layout)
{
	return (INT64CONST(1) << layout->seq_bits) - 1;
}

/*
 * Pack the parts of an id.  The caller has checked that they fit their fields.
 */
static inline int64
snowflake_pack(const snowflake_layout *layout, int64 tick, int32 node, int64 seq)
{
	return tick << layout->time_shift |
		(int64) node << layout->node_shift |
		seq << layout->seq_shift;
}

/* The highest id of any node in a tick */
static inline int64
snowflake_last_of_tick(const snowflake_layout *layout, int64 tick)
{
	return tick << layout->time_shift | ((INT64CONST(1) << layout->time_shift) - 1);
}

static inline int64
snowflake_max_id(const snowflake_layout *layout)
{
	return snowflake_last_of_tick(layout, layout->clock.max_tick);
}

extern char *snowflake_format_layout(const snowflake_layout *layout);
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

#endif							/* SNOWFLAKE_LAYOUT_H */
