/*-------------------------------------------------------------------------
 *
 * any_layout.h
 *		Any layout: one with the properties that layout.c proves of all that
 *		complete_layout() accepts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ANY_LAYOUT_H
#define ANY_LAYOUT_H

#include "prove.h"

extern snowflake_layout nondet_snowflake_layout(void);

static bool
is_layout(const snowflake_layout *layout)
{
	return layout->time_bits >= 1 && layout->node_bits <= 31 && layout->seq_bits <= 31 &&
		layout->time_bits + layout->time_shift <= 64 &&
		layout->time_shift == layout->node_bits + layout->seq_bits &&
		((layout->node_shift == layout->seq_bits && layout->seq_shift == 0) ||
		 (layout->node_shift == 0 && layout->seq_shift == layout->node_bits)) &&
		(!layout->start_random || layout->seq_bits >= 2) &&
		layout->clock.max_tick >= 0 &&
		layout->clock.max_tick <= LATEST - EARLIEST &&
		layout->clock.max_tick <= PG_INT64_MAX >> layout->time_shift;
}

/* Does every tick of the layout fit its field? */
static bool
ticks_fit(const snowflake_layout *layout)
{
	return layout->time_bits >= 63 || layout->clock.max_tick >> layout->time_bits == 0;
}

static snowflake_layout
any_layout(void)
{
	snowflake_layout layout = nondet_snowflake_layout();

	assume(is_layout(&layout) && ticks_fit(&layout) && snowflake_max_id(&layout) > 0);
	return layout;
}

#endif							/* ANY_LAYOUT_H */
