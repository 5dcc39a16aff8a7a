/*-------------------------------------------------------------------------
 *
 * objectid_sel.c
 *		Restriction estimator of <, <=, >= and > of objectid.
 *
 * Core's estimators fall short in two ways.  They cannot interpolate between
 * ids, so a range of a thousandth of a table needs a histogram of thousands of
 * bounds; and for each bound of each range they copy the histogram and make an
 * array of it, which takes longer than the rest of the planning.  The
 * estimator in this file searches our own histogram (objectid_stats.c) where
 * it is, and interpolates, also in the time since that was made.
 *
 * The planner recognizes two bounds of a range only by core's estimators.  With
 * any other it multiplies their selectivities, as if they were independent.  So
 * we return the selectivity of a comparison under the condition that those
 * before it in the same list are true.  The product is then the selectivity of
 * the range.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_stats.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/*
 * The fraction of the ids that is assumed to be beyond an end of the histogram at
 * least: half a bucket, at most this.
 */
#define BEYOND_END		0.01

/*
 * The most that may have been added since ANALYZE: autovacuum repeats that after a
 * tenth by default; and how much faster than before.
 */
#define MAX_ADDED		0.2
#define MAX_ADDED_RATE	4.0

/* What core assumes of an empty range, so that it counts as one row */
#define EMPTY_RANGE		1.0e-10

/*
 * Core's default for a value that is not known, rounded to a double.  Where
 * doubles are computed as long double (i386), the constant itself has more digits,
 * and no variable is equal to it.
 */
static const double unknown_selectivity = DEFAULT_INEQ_SEL;

/* The histogram of a column: ours, or core's if there is no other. */
typedef struct id_histogram
{
	int			nbounds;		/* less than two: there is none */
	const uint8 *masked;		/* ours, or NULL */
	AttStatsSlot slot;			/* core's */
} id_histogram;

/* The column or expression that is compared, and its statistics */
typedef struct id_column
{
	PlannerInfo *root;
	Node	   *node;
	VariableStatData stats;
	id_histogram histogram;
	double		added;			/* fraction of the rows that are newer than these */
} id_column;

/*
 * What is left of a column by comparisons: the selectivity of the narrowest
 * upper and lower bound, 1 if there is none
 */
typedef struct id_interval
{
	double		below;
	double		above;
} id_interval;

/* Find our histogram in the statistics, without a copy if it has its usual form. */
static bool
find_masked_histogram(HeapTuple tuple, id_histogram *histogram)
{
	for (int slot = 0; slot < STATISTIC_NUM_SLOTS; slot++)
	{
		if ((&((Form_pg_statistic) GETSTRUCT(tuple))->stakind1)[slot] == OBJECTID_HISTOGRAM_KIND)
		{
			bool		isnull;
			Datum		values = SysCacheGetAttr(STATRELATTINH, tuple,
												 Anum_pg_statistic_stavalues1 + slot, &isnull);
			bytea	   *bytes = isnull ? NULL : (bytea *) ARR_DATA_PTR(DatumGetArrayTypeP(values));

			histogram->masked = isnull ? NULL : (uint8 *) VARDATA_ANY(bytes);
			histogram->nbounds = isnull ? 0 : VARSIZE_ANY_EXHDR(bytes) / OBJECTID_LEN;
			return !isnull;
		}
	}
	return false;
}

static void
open_histogram(id_column *column, Oid opno)
{
	id_histogram *histogram = &column->histogram;
	HeapTuple	tuple = column->stats.statsTuple;

	memset(histogram, 0, sizeof(id_histogram));
	if (HeapTupleIsValid(tuple) && statistic_proc_security_check(&column->stats, get_opcode(opno)) &&
		!find_masked_histogram(tuple, histogram) &&
		get_attstatsslot(&histogram->slot, tuple, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
		histogram->nbounds = histogram->slot.nvalues;
}

static objectid
histogram_bound(const id_histogram *histogram, int i)
{
	objectid	bound;

	if (histogram->masked == NULL)
		return *DatumGetObjectidP(histogram->slot.values[i]);
	memcpy(&bound, histogram->masked + i * OBJECTID_LEN, OBJECTID_LEN);
	return mask_objectid(&bound, i);
}

/* The number of bounds that are below an id, or equal to it and it is to be included */
static int
bounds_below(const id_histogram *histogram, const objectid *id, bool or_equal)
{
	int			low = 0;
	int			high = histogram->nbounds;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		objectid	bound = histogram_bound(histogram, middle);
		int			cmp = objectid_internal_cmp(&bound, id);

		if (cmp < 0 || (cmp == 0 && or_equal))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static objectid
current_id(void)
{
	return *DatumGetObjectidP(DirectFunctionCall1(objectid_floor,
												  TimestampTzGetDatum(GetCurrentStatementStartTimestamp())));
}

/* How much a table has grown since VACUUM or ANALYZE counted its pages, as a fraction */
static double
growth_of(const id_column *column)
{
	RelOptInfo *rel = column->stats.rel;
	HeapTuple	tuple = NULL;
	double		growth = 0.0;

	if (rel && IS_SIMPLE_REL(rel) && rel->rtekind == RTE_RELATION)
		tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(planner_rt_fetch(rel->relid, column->root)->relid));
	if (HeapTupleIsValid(tuple))
	{
		double		counted = ((Form_pg_class) GETSTRUCT(tuple))->relpages;

		if (counted > 0 && rel->pages > counted)
			growth = 1.0 - counted / rel->pages;
		ReleaseSysCache(tuple);
	}
	return growth;
}

/*
 * The fraction of the rows that were added since ANALYZE, with ids of the time
 * since then.  Updates make a table grow, too, and so do rows with older ids, so
 * it is at most MAX_ADDED, and MAX_ADDED_RATE times what the latest tenth of the
 * histogram would come to in that time.
 */
static double
added_fraction(const id_column *column)
{
	const id_histogram *histogram = &column->histogram;
	int			last = histogram->nbounds - 1;
	double		growth = last > 0 ? growth_of(column) : 0.0;
	objectid	now;
	objectid	end;
	objectid	tenth;

	if (growth == 0.0)
		return 0.0;
	now = current_id();
	end = histogram_bound(histogram, last);
	tenth = histogram_bound(histogram, last - (last + 9) / 10);
	if (objectid_internal_cmp(&end, &now) >= 0)
		return 0.0;
	return Min(Min(growth, MAX_ADDED),
			   MAX_ADDED_RATE * 0.1 * objectid_distance(&end, &now) / objectid_distance(&tenth, &end));
}

/*
 * The fraction of the rows that are above an id, which is beyond the end of the
 * histogram.  Ids have the time in them: those of the added rows are taken to be
 * even between the end of the histogram and now.
 */
static double
fraction_beyond(const id_column *column, const objectid *id)
{
	objectid	end = histogram_bound(&column->histogram, column->histogram.nbounds - 1);
	objectid	now = current_id();

	if (column->added == 0.0 || objectid_internal_cmp(id, &now) >= 0)
		return 0.0;
	return column->added * objectid_distance(id, &now) / objectid_distance(&end, &now);
}

/* The fraction of the rows that are below an id, without the most common ids */
static double
fraction_below(const id_column *column, const objectid *id, bool or_equal)
{
	const id_histogram *histogram = &column->histogram;
	int			nbuckets = histogram->nbounds - 1;
	double		beyond = Min(BEYOND_END, 0.5 / nbuckets);
	int			i = bounds_below(histogram, id, or_equal);
	objectid	low;
	objectid	high;

	if (i == 0)
		return beyond;
	if (i > nbuckets)
		return 1.0 - Max(beyond, fraction_beyond(column, id));

	low = histogram_bound(histogram, i - 1);
	high = histogram_bound(histogram, i);
	return (1.0 - column->added) *
		(i - 1 + objectid_distance(&low, id) / objectid_distance(&low, &high)) / nbuckets;
}

/*
 * The selectivity of a comparison of the column with a value, by itself.  Core's
 * default stands for "not known".
 */
static double
selectivity_of(id_column *column, Oid opno, StrategyNumber strategy, bool column_is_left, Node *value)
{
	bool		below = strategy <= BTLessEqualStrategyNumber;
	bool		or_equal = strategy == BTLessEqualStrategyNumber || strategy == BTGreaterStrategyNumber;
	double		fraction = 0.5; /* as core, if there is no histogram */
	double		common_sum;
	double		common;
	FmgrInfo	proc;

	if (!IsA(value, Const) || !HeapTupleIsValid(column->stats.statsTuple))
		return unknown_selectivity;
	if (((Const *) value)->constisnull)
		return 0.0;

	fmgr_info(get_opcode(opno), &proc);
	common = mcv_selectivity(&column->stats, &proc, InvalidOid, ((Const *) value)->constvalue,
							 column_is_left, &common_sum);
	if (column->histogram.nbounds > 1)
	{
		fraction = fraction_below(column, DatumGetObjectidP(((Const *) value)->constvalue), or_equal);
		fraction = below ? fraction : 1.0 - fraction;
	}
	return common + fraction * (1.0 - common_sum - ((Form_pg_statistic) GETSTRUCT(column->stats.statsTuple))->stanullfrac);
}

/* Narrow the interval by a clause, if that is a comparison of the column. */
static void
narrow(id_interval *interval, id_column *column, Oid opno, List *args)
{
	TypeCacheEntry *typcache = lookup_type_cache(column->stats.vartype, TYPECACHE_BTREE_OPFAMILY);
	bool		column_is_left = equal(linitial(args), column->node);
	StrategyNumber strategy = get_op_opfamily_strategy(column_is_left ? opno : get_commutator(opno), typcache->btree_opf);
	double		selectivity;

	if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber ||
		!(column_is_left || equal(lsecond(args), column->node)))
		return;
	selectivity = selectivity_of(column, opno, strategy, column_is_left,
								 estimate_expression_value(column->root, column_is_left ? lsecond(args) : linitial(args)));
	if (strategy <= BTLessEqualStrategyNumber)
		interval->below = Min(interval->below, selectivity);
	else
		interval->above = Min(interval->above, selectivity);
}

/* The fraction of all rows in the interval, by the rules of core for two bounds */
static double
interval_selectivity(const id_interval *interval, const id_column *column)
{
	HeapTuple	tuple = column->stats.statsTuple;
	double		nulls = HeapTupleIsValid(tuple) ? ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac : 0.0;

	if (interval->below >= 1.0 || interval->above >= 1.0)
		return Max(interval->below * interval->above, EMPTY_RANGE);
	if (interval->below == unknown_selectivity || interval->above == unknown_selectivity)
		return DEFAULT_RANGE_INEQ_SEL;
	return Max(interval->below + interval->above - (1.0 - nulls), EMPTY_RANGE);
}

/* The expression of a clause, as the planner estimates it */
static Node *
clause_expression(Node *clause)
{
	RestrictInfo *rinfo = (RestrictInfo *) clause;

	if (!IsA(clause, RestrictInfo))
		return clause;
	return (Node *) (rinfo->orclause ? rinfo->orclause : rinfo->clause);
}

/*
 * Find the list of clauses, all of which must be true, that contains the
 * comparison with these arguments: this one, or one inside of an OR.
 */
static List *
find_conjunction(List *clauses, List *args)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		Node	   *clause = clause_expression(lfirst(lc));
		List	   *found = NIL;
		ListCell   *arm;

		if (is_opclause(clause) && ((OpExpr *) clause)->args == args)
			return clauses;
		if (!is_orclause(clause))
			continue;
		foreach(arm, ((BoolExpr *) clause)->args)
		{
			Node	   *node = clause_expression(lfirst(arm));

			found = find_conjunction(is_andclause(node) ? ((BoolExpr *) node)->args : list_make1(node), args);
			if (found != NIL)
				return found;
		}
	}
	return NIL;
}

/* Narrow the interval by the comparisons before the one with these arguments. */
static void
narrow_by_earlier(id_interval *interval, id_column *column, List *clauses, List *args)
{
	ListCell   *lc;

	foreach(lc, clauses)
	{
		OpExpr	   *clause = (OpExpr *) clause_expression(lfirst(lc));

		if (!is_opclause(clause) || list_length(clause->args) != 2)
			continue;
		if (clause->args == args)
			break;
		narrow(interval, column, clause->opno, clause->args);
	}
}

/*
 * The selectivity of a comparison, under the condition that the comparisons
 * before it are true.
 *
 * A comparison with a value that is not known, and that is not in a list of the
 * relation, is one of the two index conditions of a range (time_range.c): both
 * together have the selectivity of such a range.
 */
static double
conditional_selectivity(id_column *column, Oid opno, List *args)
{
	RelOptInfo *rel = column->stats.rel;
	List	   *clauses = rel ? find_conjunction(rel->baserestrictinfo, args) : NIL;
	id_interval interval = {1.0, 1.0};
	double		before;

	if (rel && clauses == NIL)
		clauses = find_conjunction(rel->joininfo, args);
	narrow_by_earlier(&interval, column, clauses, args);
	before = interval_selectivity(&interval, column);
	narrow(&interval, column, opno, args);
	if (clauses == NIL && Min(interval.below, interval.above) == unknown_selectivity)
		return sqrt(DEFAULT_RANGE_INEQ_SEL);
	return interval_selectivity(&interval, column) / before;
}

/* Restriction estimator of the four operators */
PG_FUNCTION_INFO_V1(objectid_ineqsel);
Datum
objectid_ineqsel(PG_FUNCTION_ARGS)
{
	Oid			opno = PG_GETARG_OID(1);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	id_column	column = {.root = (PlannerInfo *) PG_GETARG_POINTER(0)};
	Node	   *other;
	bool		column_is_left;
	double		selectivity;

	if (!get_restriction_variable(column.root, args, PG_GETARG_INT32(3), &column.stats, &other, &column_is_left))
		PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);
	column.node = column_is_left ? linitial(args) : lsecond(args);
	open_histogram(&column, opno);
	column.added = added_fraction(&column);
	selectivity = conditional_selectivity(&column, opno, args);
	free_attstatsslot(&column.histogram.slot);
	ReleaseVariableStats(column.stats);

	CLAMP_PROBABILITY(selectivity);
	PG_RETURN_FLOAT8(selectivity);
}
