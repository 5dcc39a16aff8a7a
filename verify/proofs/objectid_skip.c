/*-------------------------------------------------------------------------
 *
 * objectid_skip.c
 *		Proof of the ids before and after one, for any id.
 *
 *-------------------------------------------------------------------------
 */
#include "prove.h"

#include "../../src/objectid_skip.c"

extern objectid nondet_objectid(void);

static bool
all_bytes_are(const objectid *id, uint8 byte)
{
	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		if (id->data[i] != byte)
			return false;
	}
	return true;
}

/* Is b, as a number of 96 bits, a + 1? */
static bool
follows(const objectid *a, const objectid *b)
{
	uint64		carry = objectid_suffix(a) == PG_UINT32_MAX;

	return objectid_suffix(b) == (uint32) (objectid_suffix(a) + 1) &&
		objectid_prefix(b) == objectid_prefix(a) + carry &&
		objectid_internal_cmp(a, b) < 0;
}

void
increment(void)
{
	objectid	id = nondet_objectid();
	objectid	before = id;
	bool		overflow = nondet_bool();
	Datum		next = objectid_increment(NULL, ObjectidPGetDatum(&id), &overflow);

	prove(overflow == all_bytes_are(&id, 0xFF));
	prove(overflow || follows(&id, DatumGetObjectidP(next)));
	prove(objectid_internal_cmp(&id, &before) == 0);
}

void
decrement(void)
{
	objectid	id = nondet_objectid();
	objectid	before = id;
	bool		underflow = nondet_bool();
	Datum		previous = objectid_decrement(NULL, ObjectidPGetDatum(&id), &underflow);

	prove(underflow == all_bytes_are(&id, 0x00));
	prove(underflow || follows(DatumGetObjectidP(previous), &id));
	prove(objectid_internal_cmp(&id, &before) == 0);
}
