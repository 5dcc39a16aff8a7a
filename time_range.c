/*-------------------------------------------------------------------------
 *
 * time_range.c
 *		Predicates over the time in an id, as ranges of the ids themselves.
 *
 * "id >= now() - interval '1 day'" says something of the time in an id.  No
 * index knows that time, but ids sort by it: the planner support function here
 * rewrites such predicates into plain comparisons of ids,
 *
 *		id >= objectid_floor(now() - interval '1 day')
 *
 * before the planner looks for indexes, partitions or statistics, so that none
 * of it needs to know about time.  Constants are folded; what is stable, a
 * parameter or a column of another table stays an expression.
 *
 * The same goes for predicates over 64-bit ids and version-7 UUIDs: one table
 * below says for each function what its rewriting is.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "utils/uuid.h"


/* ----------------------------------------------------------------
 *		Ranges of ticks
 * ----------------------------------------------------------------
 */

/*
 * The ticks that begin inside the range of timestamptz in an argument; false
 * if there are none.  A timestamptz counts whole microseconds, so an open end
 * is a closed one a microsecond further in.
 */
bool
ticks_in_range(FunctionCallInfo fcinfo, int argno, const tick_clock *clock,
			   int64 *first, int64 *last)
{
	RangeType  *range = PG_GETARG_RANGE_P(argno);
	RangeBound	lower;
	RangeBound	upper;
	bool		empty;
	TimestampTz begin;
	TimestampTz end;

	range_deserialize(range_get_typcache(fcinfo, RangeTypeGetOid(range)), range,
					  &lower, &upper, &empty);
	if (empty)
		return false;

	begin = lower.infinite ? DT_NOBEGIN : DatumGetTimestampTz(lower.val);
	end = upper.infinite ? DT_NOEND : DatumGetTimestampTz(upper.val);
	if (!lower.infinite && !lower.inclusive)
	{
		if (begin == DT_NOEND)
			return false;
		begin++;
	}
	if (!upper.infinite && !upper.inclusive)
	{
		if (end == DT_NOBEGIN)
			return false;
		end--;
	}

	*first = tick_from(clock, begin);
	*last = Min(tick_at(clock, end), clock->max_tick);
	return *first <= *last;
}


/* ----------------------------------------------------------------
 *		Version-7 UUIDs
 * ----------------------------------------------------------------
 */

/*
 * The time of a version-7 UUID: 48 bits of milliseconds since 1970, big-endian
 * (RFC 9562, section 5.7).
 */
static const tick_clock uuidv7_clock = {UNIX_EPOCH, 1000, (INT64CONST(1) << 48) - 1};

/*
 * The lowest or highest version-7 UUID of a millisecond: version and variant as
 * they must be, all other bits as given.
 */
static pg_uuid_t
uuidv7_at(int64 tick, uint8 other_bits)
{
	pg_uuid_t	uuid;
	uint64		big_endian = pg_hton64((uint64) tick << 16);

	memset(uuid.data, other_bits, UUID_LEN);
	memcpy(uuid.data, &big_endian, 6);
	uuid.data[6] = 0x70 | (other_bits & 0x0F);
	uuid.data[8] = 0x80 | (other_bits & 0x3F);
	return uuid;
}

static pg_uuid_t
lowest_uuidv7(int64 tick)
{
	if (tick > uuidv7_clock.max_tick)
		return uuidv7_at(uuidv7_clock.max_tick, 0xFF);
	return uuidv7_at(tick, 0x00);
}

static pg_uuid_t
highest_uuidv7(int64 tick)
{
	if (tick < 0)
		return uuidv7_at(0, 0x00);
	return uuidv7_at(Min(tick, uuidv7_clock.max_tick), 0xFF);
}

static Datum
return_uuid(pg_uuid_t uuid)
{
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	*result = uuid;
	PG_RETURN_UUID_P(result);
}

/*
 * The time of a version-7 UUID, a timestamptz of whole milliseconds; 1970 to
 * 10889-08-02 05:31:50.655+00.  The version is not looked at.
 */
PG_FUNCTION_INFO_V1(uuidv7_timestamp);
Datum
uuidv7_timestamp(PG_FUNCTION_ARGS)
{
	uint64		big_endian;

	memcpy(&big_endian, PG_GETARG_UUID_P(0)->data, sizeof(big_endian));
	PG_RETURN_TIMESTAMPTZ(tick_time(&uuidv7_clock, pg_ntoh64(big_endian) >> 16));
}

/*
 * The lowest version-7 UUID whose time is at or after a timestamptz; before
 * 1970 the lowest, past the end the highest of all.
 */
PG_FUNCTION_INFO_V1(uuidv7_floor);
Datum
uuidv7_floor(PG_FUNCTION_ARGS)
{
	return return_uuid(lowest_uuidv7(tick_from(&uuidv7_clock, PG_GETARG_TIMESTAMPTZ(0))));
}

/*
 * The highest version-7 UUID whose time is at or before a timestamptz; before
 * 1970 the lowest, past the end the highest of all.
 */
PG_FUNCTION_INFO_V1(uuidv7_ceiling);
Datum
uuidv7_ceiling(PG_FUNCTION_ARGS)
{
	return return_uuid(highest_uuidv7(tick_at(&uuidv7_clock, PG_GETARG_TIMESTAMPTZ(0))));
}

/* The lowest version-7 UUID in a tstzrange; the highest of all if there is none. */
PG_FUNCTION_INFO_V1(uuidv7_lower);
Datum
uuidv7_lower(PG_FUNCTION_ARGS)
{
	int64		first;
	int64		last;

	if (!ticks_in_range(fcinfo, 0, &uuidv7_clock, &first, &last))
		first = uuidv7_clock.max_tick + 1;
	return return_uuid(lowest_uuidv7(first));
}

/* The highest version-7 UUID in a tstzrange; the lowest of all if there is none. */
PG_FUNCTION_INFO_V1(uuidv7_upper);
Datum
uuidv7_upper(PG_FUNCTION_ARGS)
{
	int64		first;
	int64		last;

	if (!ticks_in_range(fcinfo, 0, &uuidv7_clock, &first, &last))
		last = -1;
	return return_uuid(highest_uuidv7(last));
}

/*
 * Is a UUID between the lowest and the highest version-7 UUID of a tstzrange?
 * For version 7 that is: is its time in the range?
 */
PG_FUNCTION_INFO_V1(uuidv7_within);
Datum
uuidv7_within(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);
	pg_uuid_t	lower;
	pg_uuid_t	upper;
	int64		first;
	int64		last;

	if (!ticks_in_range(fcinfo, 1, &uuidv7_clock, &first, &last))
		PG_RETURN_BOOL(false);

	lower = lowest_uuidv7(first);
	upper = highest_uuidv7(last);
	PG_RETURN_BOOL(memcmp(uuid->data, lower.data, UUID_LEN) >= 0 &&
				   memcmp(uuid->data, upper.data, UUID_LEN) <= 0);
}


/* ----------------------------------------------------------------
 *		Planner support
 * ----------------------------------------------------------------
 */

/* A comparison of the id with a function of the other arguments. */
typedef struct id_bound
{
	StrategyNumber strategy;	/* of the id type's btree */
	const char *function;		/* NULL: none */
} id_bound;

/* What a predicate becomes: one comparison, or two of them. */
typedef struct id_rewriting
{
	const char *predicate;		/* C name of the function */
	int			id_arg;			/* which argument is the id */
	id_bound	bounds[2];
} id_rewriting;

static const id_rewriting rewritings[] = {
	{"objectid_lt_timestamptz", 0, {{BTLessStrategyNumber, "objectid_floor"}}},
	{"objectid_le_timestamptz", 0, {{BTLessStrategyNumber, "objectid_after"}}},
	{"objectid_ge_timestamptz", 0, {{BTGreaterEqualStrategyNumber, "objectid_floor"}}},
	{"objectid_gt_timestamptz", 0, {{BTGreaterEqualStrategyNumber, "objectid_after"}}},
	{"timestamptz_lt_objectid", 1, {{BTGreaterEqualStrategyNumber, "objectid_after"}}},
	{"timestamptz_le_objectid", 1, {{BTGreaterEqualStrategyNumber, "objectid_floor"}}},
	{"timestamptz_ge_objectid", 1, {{BTLessStrategyNumber, "objectid_after"}}},
	{"timestamptz_gt_objectid", 1, {{BTLessStrategyNumber, "objectid_floor"}}},
	{"objectid_within", 0, {{BTGreaterEqualStrategyNumber, "objectid_lower"},
	{BTLessEqualStrategyNumber, "objectid_upper"}}},
	{"range_contains_objectid", 1, {{BTGreaterEqualStrategyNumber, "objectid_lower"},
	{BTLessEqualStrategyNumber, "objectid_upper"}}},
	{"snowflake_within", 0, {{BTGreaterEqualStrategyNumber, "snowflake_lower"},
	{BTLessEqualStrategyNumber, "snowflake_upper"}}},
	{"uuidv7_within", 0, {{BTGreaterEqualStrategyNumber, "uuidv7_lower"},
	{BTLessEqualStrategyNumber, "uuidv7_upper"}}}
};

/*
 * Which rewriting is for this function, and in which schema are the functions
 * of the extension?  Found by the C name, for the extension may be in any
 * schema.
 */
static const id_rewriting *
find_rewriting(Oid funcid, Oid *namespace)
{
	const id_rewriting *found = NULL;
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	Datum		prosrc;
	char	   *name;
	bool		isnull;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", funcid);
	*namespace = ((Form_pg_proc) GETSTRUCT(tuple))->pronamespace;
	prosrc = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);
	name = isnull ? NULL : TextDatumGetCString(prosrc);
	ReleaseSysCache(tuple);

	for (int i = 0; name != NULL && i < lengthof(rewritings) && found == NULL; i++)
	{
		if (strcmp(rewritings[i].predicate, name) == 0)
			found = &rewritings[i];
	}
	return found;
}

/*
 * A function of the extension by its name and arguments.  Not by way of the
 * parser, which would ask whether the current user may use the schema; a view
 * of somebody else's may be what is planned.
 *
 * Others may have functions of these names in the same schema, for types that
 * ours are not for, such as another range than tstzrange, and with any result.
 * None of theirs may be called for ours.
 */
static Oid
find_function(const char *name, List *args, Oid result_type, Oid namespace)
{
	Oid			types[FUNC_MAX_ARGS];
	int			nargs = 0;
	Oid			funcid;
	ListCell   *lc;

	foreach(lc, args)
		types[nargs++] = exprType(lfirst(lc));
	if (types[0] != TIMESTAMPTZOID && types[0] != TSTZRANGEOID)
		return InvalidOid;

	funcid = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
							 CStringGetDatum(name),
							 PointerGetDatum(buildoidvector(types, nargs)),
							 ObjectIdGetDatum(namespace));
	if (OidIsValid(funcid) && get_func_rettype(funcid) != result_type)
		return InvalidOid;
	return funcid;
}

/* The comparison of an id with one bound, or NULL if that cannot be made. */
static Node *
make_comparison(PlannerInfo *root, const id_bound *bound, Node *id, List *args, Oid namespace)
{
	Oid			type = exprType(id);
	TypeCacheEntry *typcache = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	Oid			opno = get_opfamily_member(typcache->btree_opf, type, type, bound->strategy);
	Oid			funcid = find_function(bound->function, args, type, namespace);
	Node	   *value;
	Expr	   *comparison;

	if (!OidIsValid(opno) || !OidIsValid(funcid))
		return NULL;

	/* Nobody folds constants in what a support function returns. */
	value = eval_const_expressions(root, (Node *)
								   makeFuncExpr(funcid, type, copyObject(args),
												InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
	comparison = make_opclause(opno, BOOLOID, false, (Expr *) copyObject(id), (Expr *) value,
							   InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) comparison);
	return (Node *) comparison;
}

/*
 * Rewrite a call, or return NULL to leave it as it is: where an argument is
 * volatile, for it would be evaluated at other times or twice.
 */
static Node *
rewrite_predicate(SupportRequestSimplify *req)
{
	Oid			namespace;
	const id_rewriting *rewriting = find_rewriting(req->fcall->funcid, &namespace);
	List	   *comparisons = NIL;
	List	   *args;
	Node	   *id;

	if (rewriting == NULL || contain_volatile_functions((Node *) req->fcall->args))
		return NULL;

	id = list_nth(req->fcall->args, rewriting->id_arg);
	args = list_delete_nth_cell(list_copy(req->fcall->args), rewriting->id_arg);

	for (int i = 0; i < lengthof(rewriting->bounds) && rewriting->bounds[i].function != NULL; i++)
	{
		Node	   *comparison = make_comparison(req->root, &rewriting->bounds[i], id, args, namespace);

		if (comparison == NULL)
			return NULL;
		comparisons = lappend(comparisons, comparison);
	}
	return (Node *) make_ands_explicit(comparisons);
}

/*
 * Planner support of every predicate in the table above; SupportRequestSimplify
 * is all that it answers.
 */
PG_FUNCTION_INFO_V1(time_range_support);
Datum
time_range_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);
	Node	   *result = NULL;

	if (IsA(request, SupportRequestSimplify))
		result = rewrite_predicate((SupportRequestSimplify *) request);
	PG_RETURN_POINTER(result);
}
