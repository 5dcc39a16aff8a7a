/*-------------------------------------------------------------------------
 *
 * layout.c
 *		Proof of make_layout(), for any specification that the parser can make.
 *
 *-------------------------------------------------------------------------
 */
#include "any_layout.h"

#include "../../src/snowflake_layout.c"

extern layout_spec nondet_layout_spec(void);

/* Any specification; all numbers have at most ten digits and a unit. */
static layout_spec
any_spec(void)
{
	layout_spec spec = nondet_layout_spec();

	assume(spec.time_bits >= 0 && spec.time_bits <= 99);
	assume(spec.node_bits >= 0 && spec.node_bits <= 99);
	assume(spec.seq_bits >= 0 && spec.seq_bits <= 99);
	assume(spec.tick >= 0 && spec.tick <= INT64CONST(9999999999) * USECS_PER_SEC);
	assume(spec.epoch >= EARLIEST && spec.epoch <= LATEST);
	return spec;
}

/* A layout that make_layout() makes */
static snowflake_layout
made_layout(void)
{
	layout_spec spec = any_spec();
	snowflake_layout layout;

	assume(make_layout(&spec, &layout) == NULL);
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

/* The same quotient as in make_layout(), which the solver need not compute */
void
end_is_before_10000(void)
{
	layout_spec spec = any_spec();
	snowflake_layout layout;

	assume(make_layout(&spec, &layout) == NULL);
	prove(layout.clock.epoch == spec.epoch);
	prove(layout.clock.tick == spec.tick && spec.tick >= 1 && spec.tick <= TICK_MAX);
	prove(layout.clock.max_tick <= (LATEST - spec.epoch) / spec.tick);
}
