/*-------------------------------------------------------------------------
 *
 * objectid_skip.c
 *		Skip support of objectid: the ids before and after one.
 *
 * A skip scan of an index (id, kind) finds WHERE kind = 5 without a condition on
 * id.  Without skip support it searches the index twice for each id: for the next
 * id that there is, and for kind 5 of that id.  With it, the first search is for
 * kind 5 of the id that follows by one, and is the only one if the index has that
 * id: a session numbers the ids that it generates in a second.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

static objectid *
new_objectid(uint8 byte)
{
	objectid   *id = palloc(sizeof(objectid));

	memset(id->data, byte, OBJECTID_LEN);
	return id;
}

static objectid *
copy_objectid(Datum existing)
{
	objectid   *id = palloc(sizeof(objectid));

	*id = *DatumGetObjectidP(existing);
	return id;
}

static Datum
objectid_decrement(Relation rel, Datum existing, bool *underflow)
{
	objectid   *id = copy_objectid(existing);

	*underflow = false;
	for (int i = OBJECTID_LEN - 1; i >= 0; i--)
	{
		/* a byte that was zero borrows from the one before */
		if (id->data[i]-- != 0)
			return ObjectidPGetDatum(id);
	}

	/* the caller does not free the result */
	pfree(id);
	*underflow = true;
	return (Datum) 0;
}

static Datum
objectid_increment(Relation rel, Datum existing, bool *overflow)
{
	objectid   *id = copy_objectid(existing);

	*overflow = false;
	for (int i = OBJECTID_LEN - 1; i >= 0; i--)
	{
		/* a byte that becomes zero carries to the one before */
		if (++id->data[i] != 0)
			return ObjectidPGetDatum(id);
	}

	pfree(id);
	*overflow = true;
	return (Datum) 0;
}

/* btree support 6, from PostgreSQL 18 on (see server_features.c) */
PG_FUNCTION_INFO_V1(objectid_skipsupport);
Datum
objectid_skipsupport(PG_FUNCTION_ARGS)
{
	SkipSupport support = (SkipSupport) PG_GETARG_POINTER(0);

	support->low_elem = ObjectidPGetDatum(new_objectid(0x00));
	support->high_elem = ObjectidPGetDatum(new_objectid(0xFF));
	support->decrement = objectid_decrement;
	support->increment = objectid_increment;
	PG_RETURN_VOID();
}
