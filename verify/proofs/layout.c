/*-------------------------------------------------------------------------
 *
 * layout.c
 *		Proof of complete_layout(), for any parts that the parser can make.
 *
 *-------------------------------------------------------------------------
 */
#include "any_layout.h"

#include "../../src/snowflake_layout.c"

/* Any parts; all numbers have at most ten digits and a unit. */
static snowflake_layout
any_parts(void)
{
	snowflake_layout parts = nondet_snowflake_layout();

	assume(parts.time_bits <= 99 && parts.node_bits <= 99 && parts.seq_bits <= 99);
	assume(parts.seq_shift == 0 || (parts.seq_bits > 0 && parts.seq_shift == parts.node_bits));
	assume(parts.clock.tick >= 0 && parts.clock.tick <= INT64CONST(9999999999) * USECS_PER_SEC);
	assume(parts.clock.epoch >= EARLIEST && parts.clock.epoch <= LATEST);
	return parts;
}

/* A layout that complete_layout() accepts */
static snowflake_layout
made_layout(void)
{
	snowflake_layout layout = any_parts();

	assume(complete_layout(&layout) == NULL);
	return layout;
}

void
fields_are_inside(void)
{
	snowflake_layout layout = made_layout();

	prove(is_layout(&layout));
}

void
ticks_are_inside(void)
{
	snowflake_layout layout = made_layout();

	prove(ticks_fit(&layout));
	prove(snowflake_max_id(&layout) > 0);
}

/* The same quotient as in complete_layout(), which the solver need not compute */
void
end_is_before_10000(void)
{
	snowflake_layout layout = any_parts();

	assume(complete_layout(&layout) == NULL);
	prove(layout.clock.tick >= 1 && layout.clock.tick <= TICK_MAX);
	prove(layout.clock.max_tick <= (LATEST - layout.clock.epoch) / layout.clock.tick);
}
