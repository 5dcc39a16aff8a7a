/*-------------------------------------------------------------------------
 *
 * clock_sequence.c
 *		Proof of choose_slots(), for any layout (or one
 *		with fields of NODE and SEQ bits), any sequence and any time.
 *
 *-------------------------------------------------------------------------
 */
#include "any_clock.h"
#include "any_layout.h"

#include "common/pg_prng.h"

/* snowflake_layout.c has this; any_clock.h says what it relies on. */
int64
snowflake_tick_at(const snowflake_layout *layout, TimestampTz ts)
{
	int64		tick = nondet_int64();

	assume(tick >= 0 && tick <= layout->clock.max_tick);
	return tick;
}

uint64
pg_prng_uint64_range(pg_prng_state *state, uint64 rmin, uint64 rmax)
{
	uint64		value = nondet_uint64();

	prove(rmin <= rmax);
	assume(value >= rmin && value <= rmax);
	return value;
}

#include "../../src/clock_sequence.c"

extern FormData_pg_sequence nondet_FormData_pg_sequence(void);
extern FormData_pg_sequence_data nondet_FormData_pg_sequence_data(void);

static snowflake_layout layout;
static FormData_pg_sequence options;
static FormData_pg_sequence_data data;
static int32 node;
static int64 now_tick;
static slot_block block;

/* Choose a block of any sequence, for any node, at any time. */
static void
choose_any(void)
{
	layout = any_layout();
#ifdef NODE
	assume(layout.node_bits == NODE && layout.seq_bits == SEQ);
	layout.node_bits = NODE;
	layout.seq_bits = SEQ;
	layout.time_shift = NODE + SEQ;
#endif
#ifdef NODE_LOWEST
	assume((layout.seq_shift > 0) == NODE_LOWEST);
	layout.node_shift = NODE_LOWEST ? 0 : layout.seq_bits;
	layout.seq_shift = NODE_LOWEST ? layout.node_bits : 0;
#endif
	node = nondet_int32();
	options = nondet_FormData_pg_sequence();
#ifdef INCREMENT
	options.seqincrement = INCREMENT;
#endif
	data = nondet_FormData_pg_sequence_data();
	assume(node >= 0 && node <= snowflake_max_node(&layout));
	assume(options.seqincrement >= 1 && options.seqincrement <= snowflake_max_sequence(&layout) + 1);
	assume(options.seqcache >= 1);
	block.file_can_be_lost = nondet_bool();
	assume(data.last_value >= options.seqmin && data.last_value <= options.seqmax);

	choose_slots(&layout, node, &options, &data, &block);
	check_limits(NULL, &layout, &options, data.last_value, &block);
}

void
above_last_value(void)
{
	choose_any();
	prove(block.first > data.last_value || (!data.is_called && block.first == data.last_value));
}

void
inside_the_tick(void)
{
	choose_any();
	prove(block.tick >= 0 && block.tick <= layout.clock.max_tick);
	prove(block.tick >= data.last_value >> layout.time_shift);
	prove(block.first >> layout.time_shift == block.tick);
	prove(block.end >> layout.time_shift == block.tick);
}

void
of_the_node(void)
{
	choose_any();
	prove((block.first >> layout.node_shift & snowflake_max_node(&layout)) == node);
	prove((block.end >> layout.node_shift & snowflake_max_node(&layout)) == node);
}

void
of_the_sequence(void)
{
	choose_any();
	prove(block.count >= 1 && (block.count <= options.seqcache || block.file_can_be_lost));
	prove(block.end >= block.first && block.end <= options.seqmax);
}
