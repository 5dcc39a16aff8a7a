/*-------------------------------------------------------------------------
 *
 * snowflake_layout_recv.c
 *		Binary input and output of snowflake_layout: the same as text input and
 *		output.
 *
 *-------------------------------------------------------------------------
 */
#include "../../src/snowflake_layout.c"

#include "fuzz.h"

static void
check_value(const char *text, Datum layout)
{
	char	   *printed = DatumGetCString(must_call(snowflake_layout_out, layout));
	bytea	   *sent = (bytea *) DatumGetPointer(must_call(snowflake_layout_send, layout));
	Datum		read = must_call(snowflake_layout_in, CStringGetDatum(text));

	must(snowflake_layout_equal((snowflake_layout *) DatumGetPointer(layout),
								(snowflake_layout *) DatumGetPointer(read)));
	must(VARSIZE_ANY_EXHDR(sent) == strlen(printed));
	must(memcmp(VARDATA_ANY(sent), printed, strlen(printed)) == 0);
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
