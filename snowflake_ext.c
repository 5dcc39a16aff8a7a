/*-------------------------------------------------------------------------
 *
 * snowflake_ext.c
 *		64-bit ids that carry their time, their node and a sequence number:
 *		layouts of the bits, packing, decoding, bounds, and the generator
 *		that asks for nothing but a sequence, next_shard_id().
 *
 * The generator that cannot repeat, next_snowflake(), is in
 * clock_sequence.c.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "funcapi.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"


/* ----------------------------------------------------------------
 *		Layouts
 * ----------------------------------------------------------------
 */

/* What the text of a layout says, before it is checked. */
typedef struct layout_spec
{
	int64		time_bits;
	int64		node_bits;
	int64		seq_bits;
	bool		node_lowest;	/* is the node below the sequence number? */
	int64		tick;			/* microseconds */
	TimestampTz epoch;
} layout_spec;

/* Node and sequence number are int4 in SQL. */
#define FIELD_BITS_MAX	31

#define TICK_MAX		USECS_PER_HOUR

/* Layouts hold times up to the last microsecond of the year 9999. */
#define LAYOUT_TIME_MAX (INT64CONST(2921940) * USECS_PER_DAY - 1)

#define UNIX_MS(ms)		(UNIX_EPOCH + INT64CONST(ms) * 1000)

/*
 * The layouts that have names.  Sources: "Sharding & IDs at Instagram" (2012);
 * Twitter's archived snowflake (IdWorker.scala); Discord's developer
 * documentation, "Snowflakes"; sony/sonyflake; Mastodon's
 * lib/mastodon/snowflake.rb; pgEdge's snowflake extension.  js53 is ours: its
 * ids fit the 53 bits that a JavaScript number keeps.
 */
static const struct
{
	const char *name;
	layout_spec spec;
}			presets[] =
{
	{"instagram", {41, 13, 10, false, 1000, UNIX_MS(1314220021721)}},
	{"twitter", {41, 10, 12, false, 1000, UNIX_MS(1288834974657)}},
	{"discord", {42, 10, 12, false, 1000, UNIX_MS(1420070400000)}},
	{"sonyflake", {39, 16, 8, true, 10000, UNIX_MS(1409529600000)}},
	{"mastodon", {48, 0, 16, false, 1000, UNIX_MS(0)}},
	{"pgedge", {41, 10, 12, false, 1000, UNIX_MS(1672531200000)}},
	{"js53", {41, 4, 8, false, 1000, UNIX_MS(1767225600000)}}
};

/*
 * Make a layout of what its text says.  Returns NULL, or else why there can be
 * no such layout.
 */
static const char *
make_layout(const layout_spec *spec, snowflake_layout *layout)
{
	int			usable_bits;

	if (spec->time_bits < 1)
		return "There must be at least one bit of time.";
	if (spec->node_bits > FIELD_BITS_MAX || spec->seq_bits > FIELD_BITS_MAX)
		return "Node and sequence number can have at most 31 bits each.";
	if (spec->time_bits + spec->node_bits + spec->seq_bits > 64)
		return "The fields can have at most 64 bits together.";
	if (spec->tick < 1 || spec->tick > TICK_MAX)
		return "A tick can last from 1us to 3600s.";

	/* Zeroed, for layouts are compared and hashed as bytes. */
	memset(layout, 0, sizeof(snowflake_layout));
	layout->clock.epoch = spec->epoch;
	layout->clock.tick = spec->tick;
	layout->time_bits = (uint8) spec->time_bits;
	layout->node_bits = (uint8) spec->node_bits;
	layout->seq_bits = (uint8) spec->seq_bits;
	layout->time_shift = (uint8) (spec->node_bits + spec->seq_bits);
	if (spec->node_lowest)
		layout->seq_shift = layout->node_bits;
	else
		layout->node_shift = layout->seq_bits;

	/* Ids are positive: the top one of 64 bits is never used. */
	usable_bits = Min(layout->time_bits, 63 - layout->time_shift);
	layout->clock.max_tick = Min(PG_INT64_MAX >> (63 - usable_bits),
								 (LAYOUT_TIME_MAX - spec->epoch) / spec->tick);

	/* The bounds of no time at all are the highest id and the lowest. */
	if (snowflake_max_id(layout) == 0)
		return "There must be room for more than one id before the year 10000.";
	return NULL;
}

/* Read 1 to max_digits decimal digits. */
static bool
parse_number(const char **src, int max_digits, int64 *value)
{
	int			digits = 0;

	*value = 0;
	for (; **src >= '0' && **src <= '9'; (*src)++)
	{
		if (++digits > max_digits)
			return false;
		*value = *value * 10 + (**src - '0');
	}
	return digits > 0;
}

/* Read "time:41,node:10,seq:12": time first, node and seq as they please. */
static bool
parse_fields(const char **src, layout_spec *spec)
{
	bool		have_node = false;
	bool		have_seq = false;

	if (!skip_token(src, "time:") || !parse_number(src, 2, &spec->time_bits))
		return false;
	while (skip_token(src, ","))
	{
		if (!have_node && skip_token(src, "node:"))
		{
			have_node = true;
			/* Which of two fields is the lower matters only if both exist. */
			if (!parse_number(src, 2, &spec->node_bits))
				return false;
			spec->node_lowest = have_seq && spec->node_bits > 0 && spec->seq_bits > 0;
		}
		else if (!have_seq && skip_token(src, "seq:"))
		{
			have_seq = true;
			if (!parse_number(src, 2, &spec->seq_bits))
				return false;
		}
		else
			return false;
	}
	return true;
}

/* Read "10ms": a number and one of the units us, ms, s. */
static bool
parse_tick(const char **src, int64 *tick)
{
	if (!parse_number(src, 10, tick))
		return false;
	if (skip_token(src, "us"))
		return true;
	if (skip_token(src, "ms"))
		*tick *= 1000;
	else if (skip_token(src, "s"))
		*tick *= USECS_PER_SEC;
	else
		return false;
	return true;
}

/*
 * Read "2026-01-01T00:00:00Z", with or without a fraction of a second.  Not
 * timestamptz's own input, whose meaning depends on settings of the session.
 */
static bool
parse_epoch(const char **src, TimestampTz *epoch)
{
	static const struct
	{
		int			digits;
		const char *end;
	}			fields[] = {{4, "-"}, {2, "-"}, {2, "T"}, {2, ":"}, {2, ":"}, {2, ""}};
	int64		number[lengthof(fields)];
	int64		fraction = 0;
	struct pg_tm tm = {0};
	struct pg_tm normal;
	fsec_t		fsec;

	for (int i = 0; i < lengthof(fields); i++)
	{
		const char *start = *src;

		if (!parse_number(src, fields[i].digits, &number[i]) ||
			*src - start != fields[i].digits ||
			!skip_token(src, fields[i].end))
			return false;
	}
	if (skip_token(src, "."))
	{
		const char *start = *src;

		if (!parse_number(src, 6, &fraction))
			return false;
		for (int i = *src - start; i < 6; i++)
			fraction *= 10;
	}
	if (!skip_token(src, "Z"))
		return false;

	tm.tm_year = (int) number[0];
	tm.tm_mon = (int) number[1];
	tm.tm_mday = (int) number[2];
	tm.tm_hour = (int) number[3];
	tm.tm_min = (int) number[4];
	tm.tm_sec = (int) number[5];

	/* A day that does not exist, such as 30 February, comes back as another. */
	return tm.tm_year >= 1 &&
		tm2timestamp(&tm, (fsec_t) fraction, NULL, epoch) == 0 &&
		timestamp2tm(*epoch, NULL, &normal, &fsec, NULL, NULL) == 0 &&
		normal.tm_year == tm.tm_year && normal.tm_mon == tm.tm_mon &&
		normal.tm_mday == tm.tm_mday && normal.tm_hour == tm.tm_hour &&
		normal.tm_min == tm.tm_min && normal.tm_sec == tm.tm_sec;
}

/* Read the text of a layout, a preset's name or its parts. */
static bool
parse_layout_spec(const char *str, layout_spec *spec)
{
	for (int i = 0; i < lengthof(presets); i++)
	{
		if (strcmp(str, presets[i].name) == 0)
		{
			*spec = presets[i].spec;
			return true;
		}
	}
	return parse_fields(&str, spec) &&
		skip_token(&str, ";tick=") && parse_tick(&str, &spec->tick) &&
		skip_token(&str, ";epoch=") && parse_epoch(&str, &spec->epoch) &&
		*str == '\0';
}

static bool
parse_layout(const char *str, snowflake_layout *layout, Node *escontext)
{
	layout_spec spec = {0};
	const char *reason;

	if (!parse_layout_spec(str, &spec))
		ereturn(escontext, false,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", "snowflake_layout", str),
				 errhint("Use a name that snowflake_layouts() lists, or the form "
						 "\"time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z\".")));

	reason = make_layout(&spec, layout);
	if (reason != NULL)
		ereturn(escontext, false,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("impossible snowflake layout \"%s\"", str),
				 errdetail("%s", reason)));
	return true;
}

/* The parts of a layout as text that reads back as the same layout. */
static char *
format_layout_parts(const snowflake_layout *layout)
{
	StringInfoData buf;
	struct pg_tm tm;
	fsec_t		fsec;

	initStringInfo(&buf);
	appendStringInfo(&buf, "time:%d", layout->time_bits);
	if (layout->node_bits > 0 && layout->node_shift >= layout->seq_shift)
		appendStringInfo(&buf, ",node:%d", layout->node_bits);
	if (layout->seq_bits > 0)
		appendStringInfo(&buf, ",seq:%d", layout->seq_bits);
	if (layout->node_bits > 0 && layout->node_shift < layout->seq_shift)
		appendStringInfo(&buf, ",node:%d", layout->node_bits);

	if (layout->clock.tick % USECS_PER_SEC == 0)
		appendStringInfo(&buf, ";tick=%llds", (long long) (layout->clock.tick / USECS_PER_SEC));
	else if (layout->clock.tick % 1000 == 0)
		appendStringInfo(&buf, ";tick=%lldms", (long long) (layout->clock.tick / 1000));
	else
		appendStringInfo(&buf, ";tick=%lldus", (long long) layout->clock.tick);

	if (timestamp2tm(layout->clock.epoch, NULL, &tm, &fsec, NULL, NULL) != 0)
		elog(ERROR, "epoch of layout is out of range");
	appendStringInfo(&buf, ";epoch=%04d-%02d-%02dT%02d:%02d:%02d",
					 tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (fsec % 1000 != 0)
		appendStringInfo(&buf, ".%06d", (int) fsec);
	else if (fsec != 0)
		appendStringInfo(&buf, ".%03d", (int) fsec / 1000);
	appendStringInfoChar(&buf, 'Z');
	return buf.data;
}

/* The preset's name where the layout is one, else its parts. */
char *
snowflake_format_layout(const snowflake_layout *layout)
{
	for (int i = 0; i < lengthof(presets); i++)
	{
		snowflake_layout preset;

		if (make_layout(&presets[i].spec, &preset) == NULL &&
			snowflake_layout_equal(layout, &preset))
			return pstrdup(presets[i].name);
	}
	return format_layout_parts(layout);
}

/*
 * Text input: a preset's name, or for example
 * time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z.  Bits from the
 * high to the low, a field that is missing has none; ticks in us, ms or s;
 * the epoch in UTC.  Another text: invalid_text_representation; a layout that
 * cannot be: invalid_parameter_value.
 */
PG_FUNCTION_INFO_V1(snowflake_layout_in);
Datum
snowflake_layout_in(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = palloc(sizeof(snowflake_layout));

	if (!parse_layout(PG_GETARG_CSTRING(0), layout, fcinfo->context))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(layout);
}

/* Text output: the preset's name where the layout is one, else its parts. */
PG_FUNCTION_INFO_V1(snowflake_layout_out);
Datum
snowflake_layout_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(snowflake_format_layout(PG_GETARG_LAYOUT_P(0)));
}

/* Binary input: the text, so that nothing unchecked gets in. */
PG_FUNCTION_INFO_V1(snowflake_layout_recv);
Datum
snowflake_layout_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	snowflake_layout *layout = palloc(sizeof(snowflake_layout));
	int			nbytes;

	parse_layout(pq_getmsgtext(buf, buf->len - buf->cursor, &nbytes), layout, NULL);
	PG_RETURN_POINTER(layout);
}

/* Binary output: the text. */
PG_FUNCTION_INFO_V1(snowflake_layout_send);
Datum
snowflake_layout_send(PG_FUNCTION_ARGS)
{
	char	   *str = snowflake_format_layout(PG_GETARG_LAYOUT_P(0));
	StringInfoData buf;

	pq_begintypsend(&buf);
	pq_sendtext(&buf, str, strlen(str));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

PG_FUNCTION_INFO_V1(snowflake_layout_eq);
Datum
snowflake_layout_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(snowflake_layout_equal(PG_GETARG_LAYOUT_P(0), PG_GETARG_LAYOUT_P(1)));
}

PG_FUNCTION_INFO_V1(snowflake_layout_ne);
Datum
snowflake_layout_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!snowflake_layout_equal(PG_GETARG_LAYOUT_P(0), PG_GETARG_LAYOUT_P(1)));
}

PG_FUNCTION_INFO_V1(snowflake_layout_hash);
Datum
snowflake_layout_hash(PG_FUNCTION_ARGS)
{
	return hash_any((unsigned char *) PG_GETARG_LAYOUT_P(0), sizeof(snowflake_layout));
}

/* 64-bit hash with a seed, an int8. */
PG_FUNCTION_INFO_V1(snowflake_layout_hash_extended);
Datum
snowflake_layout_hash_extended(PG_FUNCTION_ARGS)
{
	return hash_any_extended((unsigned char *) PG_GETARG_LAYOUT_P(0), sizeof(snowflake_layout),
							 PG_GETARG_INT64(1));
}

/*
 * The presets as rows: layout; bits of time, node and sequence number; tick,
 * an interval; epoch; ids a second on one node; last instant, the beginning
 * of the last tick.
 */
PG_FUNCTION_INFO_V1(snowflake_layouts);
Datum
snowflake_layouts(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < lengthof(presets); i++)
	{
		snowflake_layout layout;
		Interval	tick = {0};
		Datum		values[9];
		bool		nulls[9] = {false};

		if (make_layout(&presets[i].spec, &layout) != NULL)
			elog(ERROR, "layout \"%s\" is impossible", presets[i].name);
		tick.time = layout.clock.tick;

		values[0] = PointerGetDatum(&layout);
		values[1] = CStringGetTextDatum(format_layout_parts(&layout));
		values[2] = Int32GetDatum(layout.time_bits);
		values[3] = Int32GetDatum(layout.node_bits);
		values[4] = Int32GetDatum(layout.seq_bits);
		values[5] = IntervalPGetDatum(&tick);
		values[6] = TimestampTzGetDatum(layout.clock.epoch);
		values[7] = Int64GetDatum((snowflake_max_sequence(&layout) + 1) * (USECS_PER_SEC / layout.clock.tick));
		values[8] = TimestampTzGetDatum(tick_time(&layout.clock, layout.clock.max_tick));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}


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
static void
check_field(const snowflake_layout *layout, const char *what, int64 value, int64 max)
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
	check_field(layout, "node", node, snowflake_max_node(layout));
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

/* The tick that a time lies in; an error for one before the epoch or past the
 * end. */
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
	if (id < 0 || id >> layout->time_shift > layout->clock.max_tick)
		check_field(layout, "id", id, snowflake_max_id(layout));
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
	check_field(layout, "sequence number", seq, snowflake_max_sequence(layout));
	PG_RETURN_INT64(snowflake_pack(layout, tick, node, seq));
}

/* The beginning of the id's tick.  The decoders refuse an id that is negative
 * or past the layout's end: numeric_value_out_of_range. */
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
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);
	int64		first;
	int64		last;

	if (!ticks_in_range(fcinfo, 0, &layout->clock, &first, &last))
		PG_RETURN_INT64(snowflake_max_id(layout));
	PG_RETURN_INT64(snowflake_pack(layout, first, 0, 0));
}

/* The highest id whose time is in a tstzrange; 0 if there is none. */
PG_FUNCTION_INFO_V1(snowflake_upper);
Datum
snowflake_upper(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(1);
	int64		first;
	int64		last;

	if (!ticks_in_range(fcinfo, 0, &layout->clock, &first, &last))
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
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(2);
	int64		tick = PG_GETARG_INT64(0) >> layout->time_shift;
	int64		first;
	int64		last;

	PG_RETURN_BOOL(ticks_in_range(fcinfo, 1, &layout->clock, &first, &last) &&
				   tick >= first && tick <= last);
}


/* ----------------------------------------------------------------
 *		next_shard_id
 * ----------------------------------------------------------------
 */

/*
 * What this backend has issued for one shard: the last tick, and which slots
 * (low bits of the sequence number) of that tick are taken.
 */
#define SHARD_SLOTS 4096

typedef struct shard_key
{
	snowflake_layout layout;
	int64		shard;			/* as wide as the layout, to leave no padding */
} shard_key;

typedef struct shard_clock
{
	shard_key	key;
	int64		tick;
	int64		last_seq;		/* sequence number of the last id, whole */
	uint64		taken[SHARD_SLOTS / 64];
} shard_clock;

static shard_clock *
lookup_shard_clock(const snowflake_layout *layout, int32 shard)
{
	static HTAB *clocks = NULL;
	static shard_clock *last = NULL;
	shard_key	key;
	bool		found;

	/* An INSERT asks for the same shard over and over. */
	if (last != NULL && last->key.shard == shard &&
		snowflake_layout_equal(&last->key.layout, layout))
		return last;

	if (clocks == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(shard_key);
		ctl.entrysize = sizeof(shard_clock);
		clocks = hash_create("objectid_ext shard clocks", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	}

	key.layout = *layout;
	key.shard = shard;
	last = NULL;				/* in case the next line runs out of memory */
	last = hash_search(clocks, &key, HASH_ENTER, &found);
	if (!found)
	{
		last->tick = -1;
		last->last_seq = -1;
	}
	return last;
}

/*
 * Must the next id of this shard leave the tick of the last one?  Yes, when
 * its slot is taken.  Yes as well, when the sequence has come round its field:
 * ids of one sequence shall ascend.  A number that is lower, or higher by more
 * than a field, is of another sequence, which has its turn.
 */
static bool
shard_tick_is_over(const shard_clock *clock, const snowflake_layout *layout, int64 seq)
{
	int64		mask = snowflake_max_sequence(layout);
	int			slot = (seq & mask) % SHARD_SLOTS;

	return (clock->taken[slot / 64] >> (slot % 64) & 1) ||
		(seq > clock->last_seq && seq - clock->last_seq <= mask &&
		 (seq & mask) < (clock->last_seq & mask));
}

static void
take_shard_slot(shard_clock *clock, const snowflake_layout *layout, int64 tick, int64 seq)
{
	int			slot = (seq & snowflake_max_sequence(layout)) % SHARD_SLOTS;

	if (clock->tick != tick)
	{
		clock->tick = tick;
		memset(clock->taken, 0, sizeof(clock->taken));
	}
	clock->taken[slot / 64] |= UINT64CONST(1) << (slot % 64);
	clock->last_seq = seq;
}

/*
 * The id of this tick, a shard, and a sequence number, of which the id has the
 * low bits.  The same backend does not give an id twice: when a slot comes
 * round again within a tick it moves to the next tick, and it waits when that
 * would lead the clock by more than objectid_ext.max_clock_lead.  A shard that
 * does not fit its field, or a negative number: numeric_value_out_of_range; a
 * clock before the epoch or past the end: datetime_field_overflow.
 */
PG_FUNCTION_INFO_V1(next_shard_id);
Datum
next_shard_id(PG_FUNCTION_ARGS)
{
	int32		shard = PG_GETARG_INT32(0);
	int64		seq = PG_GETARG_INT64(1);
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(2);
	shard_clock *clock;
	int64		tick;

	check_field(layout, "shard", shard, snowflake_max_node(layout));
	check_field(layout, "sequence number", seq, PG_INT64_MAX);

	tick = snowflake_tick_at(layout, GetCurrentTimestamp());
	clock = lookup_shard_clock(layout, shard);
	if (tick <= clock->tick)
	{
		tick = clock->tick;
		if (shard_tick_is_over(clock, layout, seq))
		{
			snowflake_check_tick(layout, ++tick);
			objectid_ext_wait_for_clock(tick_time(&layout->clock, tick), layout->clock.tick);
		}
	}
	take_shard_slot(clock, layout, tick, seq);

	PG_RETURN_INT64(snowflake_pack(layout, tick, shard, seq & snowflake_max_sequence(layout)));
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
