/*-------------------------------------------------------------------------
 *
 * snowflake_layout.c
 *		The snowflake_layout type: how the bits of a 64-bit id are divided, and what
 *		does not fit its fields.
 *
 *-------------------------------------------------------------------------
 */
#include "snowflake_layout.h"

#include "common/hashfn.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"

/* Units of the tick, the largest first */
static const struct
{
	const char *name;
	int64		us;
}			units[] = {{"s", USECS_PER_SEC}, {"ms", 1000}, {"us", 1}};

/* The option at the end of the text form */
#define START_RANDOM	";start=random"

/* Node and sequence number are int4 in SQL, and not negative. */
#define FIELD_BITS_MAX	31

#define TICK_MAX		USECS_PER_HOUR

/* Layouts are limited to times up to the last microsecond of the year 9999. */
#define LAYOUT_TIME_MAX (INT64CONST(2921940) * USECS_PER_DAY - 1)

/*
 * The preset layouts, which snowflake_layouts() lists.  Sources: "Sharding & IDs at
 * Instagram" (2012); Twitter's archived snowflake (IdWorker.scala); Discord's
 * developer documentation, "Snowflakes"; sony/sonyflake; Mastodon's
 * lib/mastodon/snowflake.rb; pgEdge's snowflake extension.  js53 is our own: its
 * ids fit into the 53 bits that a JavaScript number can represent exactly.
 */
static const struct
{
	const char *name;
	const char *parts;			/* as format_parts() writes them */
}			presets[] =
{
	{"instagram", "time:41,node:13,seq:10;tick=1ms;epoch=2011-08-24T21:07:01.721Z"},
	{"twitter", "time:41,node:10,seq:12;tick=1ms;epoch=2010-11-04T01:42:54.657Z"},
	{"discord", "time:42,node:10,seq:12;tick=1ms;epoch=2015-01-01T00:00:00Z"},
	{"sonyflake", "time:39,seq:8,node:16;tick=10ms;epoch=2014-09-01T00:00:00Z"},
	{"mastodon", "time:48,seq:16;tick=1ms;epoch=1970-01-01T00:00:00Z"},
	{"pgedge", "time:41,node:10,seq:12;tick=1ms;epoch=2023-01-01T00:00:00Z"},
	{"js53", "time:41,node:4,seq:8;tick=1ms;epoch=2026-01-01T00:00:00Z"}
};

/* Advance *src past the token; return false if *src does not start with it. */
static bool
skip_token(const char **src, const char *token)
{
	size_t		len = strlen(token);

	if (strncmp(*src, token, len) != 0)
		return false;
	*src += len;
	return true;
}

/* Parse a number of 1 to max_digits decimal digits. */
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

/* Parse the width of a field, which can be missing. */
static bool
parse_width(const char **src, const char *field, uint8 *bits)
{
	int64		number = 0;

	if (skip_token(src, field) && !parse_number(src, 2, &number))
		return false;
	*bits = (uint8) number;
	return true;
}

/*
 * Parse the fields, such as "time:41,node:10,seq:12".  The time comes first;
 * node and seq are optional and can come in either order, which matters only
 * if both have bits.
 */
static bool
parse_fields(const char **src, snowflake_layout *layout)
{
	bool		seq_first;

	if (!parse_width(src, "time:", &layout->time_bits))
		return false;
	seq_first = strncmp(*src, ",seq:", strlen(",seq:")) == 0;
	if ((seq_first && !parse_width(src, ",seq:", &layout->seq_bits)) ||
		!parse_width(src, ",node:", &layout->node_bits) ||
		(!seq_first && !parse_width(src, ",seq:", &layout->seq_bits)))
		return false;
	if (seq_first && layout->seq_bits > 0)
		layout->seq_shift = layout->node_bits;
	return **src != ',';
}

/* Parse a tick, such as "10ms", into microseconds. */
static bool
parse_tick(const char **src, int64 *tick)
{
	if (!parse_number(src, 10, tick))
		return false;
	for (int i = 0; i < lengthof(units); i++)
	{
		if (skip_token(src, units[i].name))
		{
			*tick *= units[i].us;
			return true;
		}
	}
	return false;
}

/* Format a time as in the text form. */
static char *
format_utc_time(TimestampTz ts)
{
	const char *fraction = "";
	struct pg_tm tm;
	fsec_t		fsec;

	if (timestamp2tm(ts, NULL, &tm, &fsec, NULL, NULL) != 0)
		elog(ERROR, "time of layout is out of range");
	if (fsec % 1000 != 0)
		fraction = psprintf(".%06d", (int) fsec);
	else if (fsec != 0)
		fraction = psprintf(".%03d", (int) fsec / 1000);
	return psprintf("%04d-%02d-%02dT%02d:%02d:%02d%sZ", tm.tm_year, tm.tm_mon, tm.tm_mday,
					tm.tm_hour, tm.tm_min, tm.tm_sec, fraction);
}

/*
 * Parse an epoch, such as "2026-01-01T00:00:00Z", optionally with a fraction
 * of a second.  We do not use the input function of timestamptz, because its
 * result depends on session settings.
 */
static bool
parse_epoch(const char **src, TimestampTz *epoch)
{
	const size_t seconds_len = strlen("2026-01-01T00:00:00");
	struct pg_tm tm = {0};
	int64		fraction = 0;

	/*
	 * These accept more, such as signs and 30 February, so compare what they
	 * understood with the text.
	 */
	if (sscanf(*src, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,	/* NOLINT(cert-err34-c) */
			   &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6 ||
		tm.tm_year < 1 || tm2timestamp(&tm, 0, NULL, epoch) != 0 ||
		strncmp(*src, format_utc_time(*epoch), seconds_len) != 0)
		return false;
	*src += seconds_len;

	if (skip_token(src, "."))
	{
		const char *start = *src;

		if (!parse_number(src, 6, &fraction))
			return false;
		for (int i = *src - start; i < 6; i++)
			fraction *= 10;
	}
	*epoch += fraction;
	return skip_token(src, "Z");
}

/*
 * Parse the name of a preset, in any case, which ends at the end of the text or
 * of the word.  Returns its parts, or NULL.
 */
static const char *
parse_preset(const char **src)
{
	size_t		len = strcspn(*src, ";");

	for (int i = 0; i < lengthof(presets); i++)
	{
		if (strlen(presets[i].name) == len && pg_strncasecmp(*src, presets[i].name, len) == 0)
		{
			*src += len;
			return presets[i].parts;
		}
	}
	return NULL;
}

/*
 * Parse the fields, the tick and the epoch.  Returns NULL on success, or an error
 * detail that names the part that is wrong.
 */
static const char *
parse_parts(const char **src, snowflake_layout *layout)
{
	if (strncmp(*src, "time:", strlen("time:")) != 0)
		return "There is no preset of that name, and a layout in parts begins with \"time:\".";
	if (!parse_fields(src, layout))
		return "The fields are not a list such as \"time:41,node:10,seq:12\".";
	if (!skip_token(src, ";tick="))
		return "There is no \";tick=\" after the fields.";
	if (!parse_tick(src, &layout->clock.tick))
		return "The tick is not a number with the unit us, ms or s.";
	if (!skip_token(src, ";epoch="))
		return "There is no \";epoch=\" after the tick.";
	if (!parse_epoch(src, &layout->clock.epoch))
		return "The epoch is not a date and time in UTC such as \"2026-01-01T00:00:00Z\".";
	return NULL;
}

/*
 * Derive the rest of a layout from its parts.  Returns NULL on success, or an
 * error detail if the layout is not possible.
 */
static const char *
complete_layout(snowflake_layout *layout)
{
	int			usable_bits;

	if (layout->time_bits < 1)
		return "The time field must have at least one bit.";
	if (layout->node_bits > FIELD_BITS_MAX || layout->seq_bits > FIELD_BITS_MAX)
		return "The node and sequence fields can have at most 31 bits each.";
	if (layout->time_bits + layout->node_bits + layout->seq_bits > 64)
		return "The fields have more than 64 bits together.";
	if (layout->clock.tick < 1 || layout->clock.tick > TICK_MAX)
		return "The tick must be from 1us to 3600s.";
	if (layout->start_random && layout->seq_bits < 2)
		return "A random start requires a sequence field of at least two bits.";

	layout->time_shift = layout->node_bits + layout->seq_bits;
	layout->node_shift = layout->seq_shift > 0 ? 0 : layout->seq_bits;

	/* Ids are not negative, so the highest of the 64 bits is never used. */
	usable_bits = Min(layout->time_bits, 63 - layout->time_shift);
	layout->clock.max_tick = Min(PG_INT64_MAX >> (63 - usable_bits),
								 (LAYOUT_TIME_MAX - layout->clock.epoch) / layout->clock.tick);

	/*
	 * The bounds of an empty time range are the highest id and the lowest, so
	 * these must differ.
	 */
	if (snowflake_max_id(layout) == 0)
		return "The layout must have more than one id before the year 10000.";
	return NULL;
}

/* Parse the text form: the name of a preset or the parts, and the option. */
static bool
parse_layout(const char *str, snowflake_layout *layout, Node *escontext)
{
	const char *src = str;
	const char *preset = parse_preset(&src);
	const char *reason;

	/* Zero the padding, because layouts are compared as bytes. */
	memset(layout, 0, sizeof(snowflake_layout));
	reason = parse_parts(preset != NULL ? &preset : &src, layout);
	layout->start_random = skip_token(&src, START_RANDOM);
	if (reason == NULL && *src != '\0')
		reason = "Only \"" START_RANDOM "\" can be at the end.";
	if (reason != NULL)
		ereturn(escontext, false,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input syntax for type %s: \"%s\"", "snowflake_layout", str),
				 errdetail("%s", reason),
				 errhint("Use a name listed by snowflake_layouts(), or the form "
						 "\"time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z\".")));

	reason = complete_layout(layout);
	if (reason != NULL)
		ereturn(escontext, false,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid snowflake layout \"%s\"", str),
				 errdetail("%s", reason)));
	return true;
}

/* Format the parts of a layout, without the option. */
static char *
format_parts(const snowflake_layout *layout)
{
	int64		tick = layout->clock.tick;
	int			unit = 0;
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "time:%d", layout->time_bits);
	if (layout->node_bits > 0 && layout->seq_shift == 0)
		appendStringInfo(&buf, ",node:%d", layout->node_bits);
	if (layout->seq_bits > 0)
		appendStringInfo(&buf, ",seq:%d", layout->seq_bits);
	if (layout->seq_shift > 0)
		appendStringInfo(&buf, ",node:%d", layout->node_bits);

	while (tick % units[unit].us != 0)
		unit++;
	appendStringInfo(&buf, ";tick=%lld%s;epoch=%s", (long long) (tick / units[unit].us),
					 units[unit].name, format_utc_time(layout->clock.epoch));
	return buf.data;
}

/*
 * Format a layout as the name of its preset if it is one, else as its parts,
 * with the option if it has that.
 */
char *
snowflake_format_layout(const snowflake_layout *layout)
{
	const char *text = format_parts(layout);

	for (int i = 0; i < lengthof(presets); i++)
	{
		if (strcmp(presets[i].parts, text) == 0)
			text = presets[i].name;
	}
	return psprintf("%s%s", text, layout->start_random ? START_RANDOM : "");
}

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

/*
 * Text input: the name of a preset, or for example
 * time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z.  Field widths
 * are in bits, from the highest field to the lowest; a field that is missing
 * has no bits.  The unit of the tick is us, ms or s; the epoch is in UTC.  At
 * the end of either, ";start=random" lets next_snowflake() begin each tick at a
 * random number in the lower half of the sequence field.  Any other text raises
 * invalid_text_representation, a layout that is not possible
 * invalid_parameter_value.
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

/* Text output: the name of the preset if the layout is one, else its parts */
PG_FUNCTION_INFO_V1(snowflake_layout_out);
Datum
snowflake_layout_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(snowflake_format_layout(PG_GETARG_LAYOUT_P(0)));
}

/* Binary input: the text form, so that the same checks apply */
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

/* Binary output: always the parts, so that a new preset changes nothing */
PG_FUNCTION_INFO_V1(snowflake_layout_send);
Datum
snowflake_layout_send(PG_FUNCTION_ARGS)
{
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(0);
	char	   *str = psprintf("%s%s", format_parts(layout), layout->start_random ? START_RANDOM : "");
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

/* Hash the parts.  This must never change.  Core's hash of whole words is the same in either byte order. */
static uint64
hash_layout(const snowflake_layout *layout, uint64 seed)
{
	uint32		words[] = {
		(uint32) layout->clock.epoch, (uint32) (layout->clock.epoch >> 32), (uint32) layout->clock.tick,
		layout->time_bits | layout->node_bits << 8 | layout->seq_bits << 16 |
		(layout->seq_shift > 0) << 24 | layout->start_random << 25
	};

	return hash_bytes_extended((unsigned char *) words, sizeof(words), seed);
}

/* hash support 1 of snowflake_layout: 32-bit hash (int4), the low half of the other with seed 0 */
PG_FUNCTION_INFO_V1(snowflake_layout_hash);
Datum
snowflake_layout_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT32((uint32) hash_layout(PG_GETARG_LAYOUT_P(0), 0));
}

/* hash support 2 of snowflake_layout: 64-bit hash (int8) with a seed (int8) */
PG_FUNCTION_INFO_V1(snowflake_layout_hash_extended);
Datum
snowflake_layout_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(hash_layout(PG_GETARG_LAYOUT_P(0), PG_GETARG_INT64(1)));
}
