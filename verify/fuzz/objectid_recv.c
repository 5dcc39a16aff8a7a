/*-------------------------------------------------------------------------
 *
 * objectid_recv.c
 *		Binary input of objectid: any 12 bytes are accepted, nothing else, and
 *		the output is the same bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "../../src/objectid_parse.c"
#include "../../objectid_ext.c"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	Datum		id;
	bool		accepted = call(objectid_recv, PointerGetDatum(make_message(data, size)), &id);

	must(accepted == (size == OBJECTID_LEN));
	if (accepted)
	{
		bytea	   *sent = (bytea *) DatumGetPointer(must_call(objectid_send, id));

		must(VARSIZE_ANY_EXHDR(sent) == size && memcmp(VARDATA_ANY(sent), data, size) == 0);
	}
	else
		must(thrown == ERRCODE_INVALID_BINARY_REPRESENTATION);
	forget_memory();
	return 0;
}
