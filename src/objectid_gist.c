/*-------------------------------------------------------------------------
 *
 * objectid_gist.c
 *		GiST support for objectid, for exclusion constraints and keys that
 *		combine an id with a range.
 *
 * An entry of an inner page covers all ids between a lowest and a highest one.
 * The key is a bytea: on a leaf page the 12 bytes of the id, on an inner page
 * 24 bytes, the lowest and the highest id.  So a leaf does not store its id
 * twice, and leaf keys sort like bytea, for which core has sort support.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "access/gist.h"
#include "access/stratnum.h"

/* The ids that an entry covers, including both ends */
typedef struct id_span
{
	objectid	lower;
	objectid	upper;
} id_span;

/*
 * Decode a key.  Keys are too short to be compressed or stored out of line,
 * but on a page they can have a short varlena header and be unaligned.
 */
static id_span
span_of_key(Datum key)
{
	struct varlena *bytes = (struct varlena *) DatumGetPointer(key);
	bool		is_leaf = VARSIZE_ANY_EXHDR(bytes) == OBJECTID_LEN;
	id_span		span;

	Assert(is_leaf || VARSIZE_ANY_EXHDR(bytes) == sizeof(id_span));

	memcpy(&span.lower, VARDATA_ANY(bytes), OBJECTID_LEN);
	memcpy(&span.upper, VARDATA_ANY(bytes) + (is_leaf ? 0 : OBJECTID_LEN), OBJECTID_LEN);
	return span;
}

static bytea *
make_key(const void *bytes, int len)
{
	bytea	   *key = palloc(VARHDRSZ + len);

	SET_VARSIZE(key, VARHDRSZ + len);
	memcpy(VARDATA(key), bytes, len);
	return key;
}

static void
extend_span(id_span *span, const id_span *other)
{
	if (objectid_internal_cmp(&other->lower, &span->lower) < 0)
		span->lower = other->lower;
	if (objectid_internal_cmp(&other->upper, &span->upper) > 0)
		span->upper = other->upper;
}

/* Return a copy of an entry with another key. */
static GISTENTRY *
replace_key(const GISTENTRY *entry, Datum key)
{
	GISTENTRY  *result = palloc(sizeof(GISTENTRY));

	gistentryinit(*result, key, entry->rel, entry->page, entry->offset, false);
	return result;
}

/* GiST support 3, compress: convert an id to the key of a leaf */
PG_FUNCTION_INFO_V1(objectid_gist_compress);
Datum
objectid_gist_compress(PG_FUNCTION_ARGS)
{
	GISTENTRY  *entry = (GISTENTRY *) PG_GETARG_POINTER(0);

	if (entry->leafkey)
		entry = replace_key(entry, PointerGetDatum(make_key(DatumGetObjectidP(entry->key), OBJECTID_LEN)));
	PG_RETURN_POINTER(entry);
}

/* GiST support 9, fetch: convert the key of a leaf back to the id */
PG_FUNCTION_INFO_V1(objectid_gist_fetch);
Datum
objectid_gist_fetch(PG_FUNCTION_ARGS)
{
	GISTENTRY  *entry = (GISTENTRY *) PG_GETARG_POINTER(0);
	objectid   *id = palloc(sizeof(objectid));

	*id = span_of_key(entry->key).lower;
	PG_RETURN_POINTER(replace_key(entry, ObjectidPGetDatum(id)));
}

/*
 * Can a span contain an id that satisfies the operator?  On a leaf, both ends
 * are the id, so the answer is exact.
 */
static bool
span_matches(const id_span *span, StrategyNumber strategy, const objectid *id)
{
	int			lower = objectid_internal_cmp(&span->lower, id);
	int			upper = objectid_internal_cmp(&span->upper, id);

	switch (strategy)
	{
		case RTLessStrategyNumber:
			return lower < 0;
		case RTLessEqualStrategyNumber:
			return lower <= 0;
		case RTEqualStrategyNumber:
			return lower <= 0 && upper >= 0;
		case RTGreaterEqualStrategyNumber:
			return upper >= 0;
		case RTGreaterStrategyNumber:
			return upper > 0;
		case RTNotEqualStrategyNumber:
			return lower != 0 || upper != 0;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	return false;				/* keep compiler quiet */
}

/* GiST support 1, consistent: can the entry contain a match?  Never lossy. */
PG_FUNCTION_INFO_V1(objectid_gist_consistent);
Datum
objectid_gist_consistent(PG_FUNCTION_ARGS)
{
	GISTENTRY  *entry = (GISTENTRY *) PG_GETARG_POINTER(0);
	StrategyNumber strategy = (StrategyNumber) PG_GETARG_UINT16(2);
	bool	   *recheck = (bool *) PG_GETARG_POINTER(4);
	id_span		span = span_of_key(entry->key);

	*recheck = false;
	PG_RETURN_BOOL(span_matches(&span, strategy, PG_GETARG_OBJECTID_P(1)));
}

/* GiST support 2, union: the smallest span that covers all entries */
PG_FUNCTION_INFO_V1(objectid_gist_union);
Datum
objectid_gist_union(PG_FUNCTION_ARGS)
{
	GistEntryVector *entries = (GistEntryVector *) PG_GETARG_POINTER(0);
	id_span		all = span_of_key(entries->vector[0].key);

	for (int i = 1; i < entries->n; i++)
	{
		id_span		span = span_of_key(entries->vector[i].key);

		extend_span(&all, &span);
	}
	PG_RETURN_BYTEA_P(make_key(&all, sizeof(all)));
}

/* GiST support 5, penalty: by how much the span grows to cover a new entry */
PG_FUNCTION_INFO_V1(objectid_gist_penalty);
Datum
objectid_gist_penalty(PG_FUNCTION_ARGS)
{
	id_span		span = span_of_key(((GISTENTRY *) PG_GETARG_POINTER(0))->key);
	id_span		added = span_of_key(((GISTENTRY *) PG_GETARG_POINTER(1))->key);
	float	   *penalty = (float *) PG_GETARG_POINTER(2);
	id_span		grown = span;

	extend_span(&grown, &added);
	*penalty = (float) (objectid_distance(&grown.lower, &span.lower) +
						objectid_distance(&span.upper, &grown.upper));
	PG_RETURN_POINTER(penalty);
}

/* An entry of a page that is being split */
typedef struct split_entry
{
	id_span		span;
	OffsetNumber offset;
} split_entry;

static int
split_entry_cmp(const void *a, const void *b)
{
	const id_span *x = &((const split_entry *) a)->span;
	const id_span *y = &((const split_entry *) b)->span;
	int			cmp = objectid_internal_cmp(&x->lower, &y->lower);

	return cmp != 0 ? cmp : objectid_internal_cmp(&x->upper, &y->upper);
}

/*
 * Make one of the two pages of a split.  Returns its offsets, in an array with room for
 * those of both, and sets *noffsets to their number and *key to the key of the page.
 */
static OffsetNumber *
fill_page(const split_entry *entries, int count, int room, int *noffsets, Datum *key)
{
	OffsetNumber *offsets = palloc(sizeof(OffsetNumber) * room);
	id_span		all = entries[0].span;

	for (int i = 0; i < count; i++)
	{
		offsets[i] = entries[i].offset;
		extend_span(&all, &entries[i].span);
	}
	*noffsets = count;
	*key = PointerGetDatum(make_key(&all, sizeof(all)));
	return offsets;
}

/*
 * The number of entries that stay on the lower page of a split, of at least two
 * in order.  As in nbtree, a page that is split by its highest entry, which GiST
 * appends, keeps nine tenths, because ids ascend and nothing will be added to it.
 * A build that sorts splits the entries of several pages at once.
 */
static int
lower_entries(const split_entry *entries, int count, Page page)
{
	bool		ascending = entries[count - 1].offset == count && count <= PageGetMaxOffsetNumber(page) + 1;

	return Max(ascending ? count * 9 / 10 : count / 2, 1);
}

/*
 * GiST support 6, picksplit: divide the entries of a page, at least two, into
 * a lower and an upper part.  If ids on both sides of the division are equal,
 * core decides by the other columns of the index, and can move entries.
 */
PG_FUNCTION_INFO_V1(objectid_gist_picksplit);
Datum
objectid_gist_picksplit(PG_FUNCTION_ARGS)
{
	GistEntryVector *vector = (GistEntryVector *) PG_GETARG_POINTER(0);
	GIST_SPLITVEC *split = (GIST_SPLITVEC *) PG_GETARG_POINTER(1);
	int			count = vector->n - FirstOffsetNumber;
	int			nlower;
	split_entry *entries = palloc(sizeof(split_entry) * count);

	for (int i = 0; i < count; i++)
	{
		entries[i].offset = FirstOffsetNumber + i;
		entries[i].span = span_of_key(vector->vector[FirstOffsetNumber + i].key);
	}
	qsort(entries, count, sizeof(split_entry), split_entry_cmp);

	nlower = lower_entries(entries, count, vector->vector[FirstOffsetNumber].page);
	split->spl_left = fill_page(entries, nlower, count, &split->spl_nleft, &split->spl_ldatum);
	split->spl_right = fill_page(entries + nlower, count - nlower, count, &split->spl_nright, &split->spl_rdatum);
	PG_RETURN_POINTER(split);
}

/* GiST support 7, same: are two keys equal? */
PG_FUNCTION_INFO_V1(objectid_gist_same);
Datum
objectid_gist_same(PG_FUNCTION_ARGS)
{
	id_span		a = span_of_key(PG_GETARG_DATUM(0));
	id_span		b = span_of_key(PG_GETARG_DATUM(1));
	bool	   *same = (bool *) PG_GETARG_POINTER(2);

	*same = memcmp(&a, &b, sizeof(id_span)) == 0;
	PG_RETURN_POINTER(same);
}
