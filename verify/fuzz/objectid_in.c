/*-------------------------------------------------------------------------
 *
 * objectid_in.c
 *		Text input of objectid: exactly the documented spellings are accepted,
 *		and accepted values are unchanged by output and input.
 *
 *-------------------------------------------------------------------------
 */
#include "../../src/objectid_parse.c"
#include "../../objectid_ext.c"

#include "fuzz.h"

#define HEX		"[0-9A-Fa-f]{24}"
#define BLANKS	"[ \t\n\r]*"

static const char spellings[] =
"^(" HEX
"|ObjectId\\(\"" HEX "\"\\)"
"|ObjectId\\('" HEX "'\\)"
"|ObjectId\\(" HEX "\\)"
"|\"" HEX "\""
"|\\{" BLANKS "\"\\$oid\"" BLANKS ":" BLANKS "\"" HEX "\"" BLANKS "\\}"
")$";

/* The text contains the digits, in either case, and they read back. */
static void
check_value(const char *text, const objectid *id)
{
	char	   *hex = DatumGetCString(must_call(objectid_out, ObjectidPGetDatum(id)));

	must(strlen(hex) == OBJECTID_HEX_DIGITS);
	must(strcasestr(text, hex) != NULL);
	must(memcmp(DatumGetObjectidP(must_call(objectid_in, CStringGetDatum(hex))),
				id, sizeof(objectid)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	char	   *text = pnstrdup((const char *) data, size);
	Datum		id;
	bool		accepted = call(objectid_in, CStringGetDatum(text), &id);

	must(accepted == matches(text, spellings));
	if (accepted)
		check_value(text, DatumGetObjectidP(id));
	else
		must(thrown == ERRCODE_INVALID_TEXT_REPRESENTATION);
	forget_memory();
	return 0;
}
