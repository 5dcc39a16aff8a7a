/*-------------------------------------------------------------------------
 *
 * snowflake_layout_recv.c
 *		Binary input and output of snowflake_layout: the input is that of text, the
 *		output its parts, whatever has a name.
 *
 *-------------------------------------------------------------------------
 */
#include "../../src/snowflake_layout.c"

#include "fuzz.h"

static void
must_be(Datum layout, char *text)
{
	Datum		read = must_call(snowflake_layout_in, CStringGetDatum(text));

	must(snowflake_layout_equal((snowflake_layout *) DatumGetPointer(layout),
								(snowflake_layout *) DatumGetPointer(read)));
}

static void
check_value(char *text, Datum layout)
{
	bytea	   *sent = (bytea *) DatumGetPointer(must_call(snowflake_layout_send, layout));
	char	   *parts = pnstrdup(VARDATA_ANY(sent), VARSIZE_ANY_EXHDR(sent));

	must_be(layout, text);
	must_be(layout, DatumGetCString(must_call(snowflake_layout_out, layout)));
	must_be(layout, parts);
	must(strncmp(parts, "time:", 5) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	char	   *text = pnstrdup((const char *) data, size);
	Datum		layout;

	if (call(snowflake_layout_recv, PointerGetDatum(make_message(data, size)), &layout))
		check_value(text, layout);
	else if (memchr(data, '\0', size) != NULL)
		must(thrown == ERRCODE_CHARACTER_NOT_IN_REPERTOIRE);
	else
	{
		int			code = thrown;

		must(!call(snowflake_layout_in, CStringGetDatum(text), &layout) && thrown == code);
	}
	forget_memory();
	return 0;
}
