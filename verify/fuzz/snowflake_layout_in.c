/*-------------------------------------------------------------------------
 *
 * snowflake_layout_in.c
 *		Text input of snowflake_layout: exactly the names and the documented
 *		form are accepted, the fields agree with the text, and accepted values
 *		are unchanged by output and input.
 *
 *-------------------------------------------------------------------------
 */
#include "../../src/snowflake_layout.c"

#include "fuzz.h"

#define NAMES	"(instagram|twitter|discord|sonyflake|mastodon|pgedge|js53)"
#define NODE	"(,node:[0-9]{1,2})?"
#define SEQ		"(,seq:[0-9]{1,2})?"
#define DATE	"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
#define TIME	"([01][0-9]|2[0-3])(:[0-5][0-9]){2}(\\.[0-9]{1,6})?"

static const char syntax[] =
"^((" NAMES "|time:[0-9]{1,2}(" NODE SEQ "|" SEQ NODE ")"
";tick=[0-9]{1,10}(us|ms|s);epoch=" DATE "T" TIME "Z)(;start=random)?)$";

/* Return the number after a word, or 0 if the word is not there. */
static int64
number_after(const char *text, const char *word)
{
	const char *found = strstr(text, word);

	return found == NULL ? 0 : strtoll(found + strlen(word), NULL, 10);
}

static int64
tick_of(const char *text)
{
	const char *unit = strstr(text, "tick=") + strlen("tick=");

	unit += strspn(unit, "0123456789");
	return number_after(text, "tick=") * (*unit == 's' ? 1000000 : *unit == 'm' ? 1000 : 1);
}

/* Does the day exist?  The syntax excludes most days that do not. */
static bool
day_exists(const char *text)
{
	int			year;
	int			month;
	int			day;
	bool		leap;

	must(sscanf(strstr(text, "epoch="), "epoch=%4d-%2d-%2d", &year, &month, &day) == 3);
	leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	if (month == 2)
		return year > 0 && day <= (leap ? 29 : 28);
	return year > 0 && day <= (month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31);
}

/* Are there two ids before the year 10000?  No tick is longer than an hour. */
static bool
has_room(const char *text)
{
	const char *last_hour = strstr(text, "epoch=9999-12-31T23:");
	int			minutes;
	double		seconds;

	if (last_hour == NULL || number_after(text, ",node:") + number_after(text, ",seq:") > 0)
		return true;
	must(sscanf(last_hour, "epoch=9999-12-31T23:%2d:%lf", &minutes, &seconds) == 2);
	return tick_of(text) + (int64) ((minutes * 60 + seconds) * 1e6 + 0.5) < USECS_PER_HOUR;
}

static bool
is_possible(const char *text)
{
	int64		time = number_after(text, "time:");
	int64		node = number_after(text, ",node:");
	int64		seq = number_after(text, ",seq:");

	if (strstr(text, ";start=random") != NULL && seq < 2)
		return false;
	return time >= 1 && node <= 31 && seq <= 31 && time + node + seq <= 64 &&
		tick_of(text) >= 1 && tick_of(text) <= USECS_PER_HOUR && has_room(text);
}

/* Return 0 if the text must be accepted, else the SQLSTATE. */
static int
expected_error(const char *text)
{
	if (!matches(text, syntax) || (strchr(text, ':') && !day_exists(text)))
		return ERRCODE_INVALID_TEXT_REPRESENTATION;
	return strchr(text, ':') && !is_possible(text) ? ERRCODE_INVALID_PARAMETER_VALUE : 0;
}

/* Check that all fields agree with the text. */
static void
check_fields(const char *text, const snowflake_layout *layout)
{
	const char *node = strstr(text, ",node:");
	const char *seq = strstr(text, ",seq:");

	must(layout->time_bits == number_after(text, "time:"));
	must(layout->node_bits == number_after(text, ",node:"));
	must(layout->seq_bits == number_after(text, ",seq:"));
	must(layout->clock.tick == tick_of(text));
	must(layout->start_random == (strstr(text, ";start=random") != NULL));
	must(layout->time_shift == layout->node_bits + layout->seq_bits);
	if (layout->node_bits > 0 && layout->seq_bits > 0)
	{
		must(layout->node_shift == (node < seq ? layout->seq_bits : 0));
		must(layout->seq_shift == (node < seq ? 0 : layout->node_bits));
	}
}

/* Check that ids are positive, and the times at both ends. */
static void
check_ends(const snowflake_layout *layout)
{
	const tick_clock *clock = &layout->clock;

	must(clock->max_tick >= 0);
	must(snowflake_max_id(layout) >= 0);
	must(snowflake_max_id(layout) >> layout->time_shift == clock->max_tick);
	must(tick_at(clock, clock->epoch) == 0);
	must(tick_at(clock, clock->epoch - 1) == -1);
	must(tick_at(clock, tick_time(clock, clock->max_tick)) == clock->max_tick);
	must(tick_at(clock, tick_time(clock, clock->max_tick + 1)) == clock->max_tick + 1);
}

/* Check that the output reads back, with the same name or epoch as the input. */
static void
check_output(const char *text, snowflake_layout *layout)
{
	char	   *printed = DatumGetCString(must_call(snowflake_layout_out, PointerGetDatum(layout)));
	const char *epoch = strstr(printed, "epoch=");

	must(snowflake_layout_equal((snowflake_layout *)
								DatumGetPointer(must_call(snowflake_layout_in, CStringGetDatum(printed))),
								layout));
	if (epoch != NULL)
		must(strncmp(strstr(text, "epoch="), epoch, strlen("epoch=2026-01-01T00:00:00")) == 0);
	else if (strchr(text, ':') == NULL)
		must(strcmp(text, printed) == 0);
}

/* The name of a preset can be in any case, and is printed in lower case. */
static void
lower_name(char *text)
{
	if (strchr(text, ':') != NULL)
		return;
	for (char *c = text; *c != '\0' && *c != ';'; c++)
	{
		if (*c >= 'A' && *c <= 'Z')
			*c += 'a' - 'A';
	}
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	char	   *text = pnstrdup((const char *) data, size);
	Datum		layout;
	bool		accepted = call(snowflake_layout_in, CStringGetDatum(text), &layout);

	lower_name(text);
	must((accepted ? 0 : thrown) == expected_error(text));
	if (accepted)
	{
		if (strchr(text, ':') != NULL)
			check_fields(text, (snowflake_layout *) DatumGetPointer(layout));
		check_ends((snowflake_layout *) DatumGetPointer(layout));
		check_output(text, (snowflake_layout *) DatumGetPointer(layout));
	}
	forget_memory();
	return 0;
}
