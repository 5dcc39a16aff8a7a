/*-------------------------------------------------------------------------
 *
 * objectid_stats.c
 *		Statistics of objectid: ANALYZE, and the estimator of ranges.
 *
 * Core cannot interpolate between ids, so with core's histogram of 100 buckets
 * a range of a thousandth of a table is estimated as nothing or as ten times
 * as much.  But ids sort by their second, and seconds are numbers.  ANALYZE
 * adds a histogram of the seconds, twenty times as fine, and objectid_ineqsel()
 * interpolates in it.  That is an array of 8 kB for a column.  The planner does not
 * copy it, but searches it where the system cache has it.
 *
 * The planner recognizes the two bounds of a range only if core estimates
 * them, and multiplies all other selectivities, as if they were independent.
 * So we return the selectivity of a comparison under the condition that the
 * comparisons before it in the same list are true.  The product is then the
 * selectivity of the range.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* pg_statistic.h leaves 10000 to 30000 to private use. */
#define OBJECTID_HISTOGRAM_KIND		20812

/*
 * The sample has 300 rows for each bucket of core's histogram.  With 30 for each
 * of ours, one in ten ranges of a thousandth was not estimated within a factor of
 * two where ids come only in working hours.  Beyond the maximum there are as many
 * buckets as core has, because each session keeps the statistics of all partitions.
 */
#define CORE_ROWS_PER_BUCKET		300
#define SAMPLE_ROWS_PER_BUCKET		15
#define MAX_FINE_BUCKETS			2000

/*
 * Bounds are stored XOR these numbers, which leaves nothing to compress.  Otherwise TOAST
 * compresses those of a bulk load, and to unpack them for each comparison takes longer
 * than the rest of planning.
 */
#define BOUND_MASK(i)				((uint32) (i) * 0x9E3779B9)

/*
 * In a list of comparisons, each is estimated under the condition that those before it are
 * true, but not more than so many, because the time to plan the list would be quadratic.
 */
#define MAX_COMPARISONS				16

/* Core's selectivity of an empty range */
#define EMPTY_RANGE					1.0e-10

/* The column or expression that is compared, and its histogram */
typedef struct id_column
{
	PlannerInfo *root;
	Node	   *node;
	VariableStatData stats;
	Oid			opfamily;		/* the btree operator family of its type */
	int			nbuckets;		/* zero: there is no histogram */
	const uint32 *masked_bounds;	/* nbuckets + 1 seconds, in order */
	int64		now;
	double		added;			/* fraction of the rows with ids from the last bound to now */
} id_column;

/* What comparisons leave of a column: the part between two fractions of its rows */
typedef struct id_interval
{
	double		lower;
	double		upper;
	bool		has_lower;
	bool		has_upper;
	bool		unknown;		/* is the value of a bound not known? */
} id_interval;

/*
 * BRIN minmax-multi support 11: distance between two ids, as a float8.  The
 * first is not greater than the second.
 */
PG_FUNCTION_INFO_V1(objectid_minmax_multi_distance);
Datum
objectid_minmax_multi_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(objectid_distance(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1)));
}

/* Copy the seconds of the sampled ids, in order.  Returns their number. */
static int
sort_sample(VacAttrStats *stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows, uint32 *seconds)
{
	int			count = 0;

	for (int i = 0; i < samplerows; i++)
	{
		bool		isnull;
		Datum		value = fetchfunc(stats, i, &isnull);

		if (!isnull)
			seconds[count++] = objectid_second(DatumGetObjectidP(value));
	}
	qsort(seconds, count, sizeof(uint32), oid_cmp);	/* unsigned numbers of 32 bits */
	return count;
}

/* Store a histogram of equal buckets in a slot of the statistics, as integer[]. */
static void
store_histogram(VacAttrStats *stats, int slot, const uint32 *seconds, int count)
{
	int			nbuckets = Max(Min(stats->minrows / SAMPLE_ROWS_PER_BUCKET, MAX_FINE_BUCKETS),
							   stats->minrows / CORE_ROWS_PER_BUCKET);
	int			nbounds = Min(nbuckets + 1, count);
	Datum	   *bounds = MemoryContextAlloc(stats->anl_context, sizeof(Datum) * nbounds);

	Assert(nbounds >= 2);
	for (int i = 0; i < nbounds; i++)
		bounds[i] = Int32GetDatum((int32) (seconds[(int64) i * (count - 1) / (nbounds - 1)] ^ BOUND_MASK(i)));

	stats->stakind[slot] = OBJECTID_HISTOGRAM_KIND;
	stats->stavalues[slot] = bounds;
	stats->numvalues[slot] = nbounds;
	stats->statypid[slot] = INT4OID;
	stats->statyplen[slot] = sizeof(int32);
	stats->statypbyval[slot] = true;
	stats->statypalign[slot] = TYPALIGN_INT;
}

/* Compute core's statistics of a column, and our histogram of the same sample. */
static void
objectid_compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetchfunc,
					   int samplerows, double totalrows)
{
	uint32	   *seconds = palloc(sizeof(uint32) * Max(samplerows, 1));
	int			count = sort_sample(stats, fetchfunc, samplerows, seconds);
	int			slot = 0;

	std_typanalyze(stats);		/* for core's function, and the data that it expects */
	stats->compute_stats(stats, fetchfunc, samplerows, totalrows);

	while (slot < STATISTIC_NUM_SLOTS && stats->stakind[slot] != 0)
		slot++;
	if (slot < STATISTIC_NUM_SLOTS && count >= 2)
		store_histogram(stats, slot, seconds, count);
}

/* Type analyze function of objectid */
PG_FUNCTION_INFO_V1(objectid_typanalyze);
Datum
objectid_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	bool		analyzed = std_typanalyze(stats);

	stats->compute_stats = objectid_compute_stats;
	PG_RETURN_BOOL(analyzed);
}

/* Find our histogram in the statistics of a column. */
static void
open_histogram(id_column *column, Oid opno)
{
	HeapTuple	tuple = column->stats.statsTuple;

	if (!HeapTupleIsValid(tuple) || !statistic_proc_security_check(&column->stats, get_opcode(opno)))
		return;
	for (int slot = 0; slot < STATISTIC_NUM_SLOTS; slot++)
	{
		if ((&((Form_pg_statistic) GETSTRUCT(tuple))->stakind1)[slot] == OBJECTID_HISTOGRAM_KIND)
		{
			bool		isnull;
			Datum		values = SysCacheGetAttr(STATRELATTINH, tuple, Anum_pg_statistic_stavalues1 + slot, &isnull);
			ArrayType  *array = DatumGetArrayTypeP(values);

			column->nbuckets = ARR_DIMS(array)[0] - 1;
			column->masked_bounds = (const uint32 *) ARR_DATA_PTR(array);
		}
	}
}

static inline int64
get_bound(const id_column *column, int i)
{
	return column->masked_bounds[i] ^ BOUND_MASK(i);
}

/*
 * Estimate the fraction of the rows that were added since ANALYZE.  The table has
 * grown since its pages were counted, but updates and rows with older ids make it grow,
 * too.  So the fraction is at most what the time since then adds at the rate of the
 * last tenth of the histogram.
 */
static void
estimate_added(id_column *column)
{
	RelOptInfo *rel = column->stats.rel;
	int64		end = get_bound(column, column->nbuckets);
	int64		tenth = get_bound(column, column->nbuckets - (column->nbuckets + 9) / 10);
	HeapTuple	tuple;
	double		counted;

	column->now = tick_at(&objectid_clock, GetCurrentStatementStartTimestamp());
	if (column->now <= end || rel == NULL || !IS_SIMPLE_REL(rel) || rel->rtekind != RTE_RELATION)
		return;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(planner_rt_fetch(rel->relid, column->root)->relid));
	if (!HeapTupleIsValid(tuple))
		return;
	counted = ((Form_pg_class) GETSTRUCT(tuple))->relpages;
	ReleaseSysCache(tuple);
	if (counted > 0 && rel->pages > counted)
		column->added = Min(1.0 - counted / rel->pages,
							0.1 * (column->now - end) / Max(end - tenth, 1));
}

/* The number of bounds that are below a second */
static int
bounds_below(const id_column *column, int64 second)
{
	int			low = 0;
	int			high = column->nbuckets + 1;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (get_bound(column, middle) < second)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The fraction of the rows that are before a second.  As in core, a hundredth of a
 * bucket may be beyond either end.
 */
static double
fraction_before(const id_column *column, int64 second)
{
	int			last = column->nbuckets;
	int			i = bounds_below(column, second);
	double		cutoff = 0.01 / last;
	double		fraction = i == 0 ? 0.0 : 1.0;

	if (i > 0 && i <= last)
		fraction = (1.0 - column->added) / last *
			(i - 1 + (double) (second - get_bound(column, i - 1)) / (get_bound(column, i) - get_bound(column, i - 1)));
	else if (i > last && second < column->now)
		fraction = 1.0 - column->added * (column->now - second) / (column->now - get_bound(column, last));
	return Max(cutoff, Min(fraction, 1.0 - cutoff));
}

/*
 * The fraction of the rows that are below an id, or equal to it.  If nearly all ids differ, those
 * of a second are taken to be spread evenly; if not, to be one id, such as that of a foreign key.
 */
static double
fraction_below(const id_column *column, const objectid *id, bool or_equal)
{
	Form_pg_statistic stats = (Form_pg_statistic) GETSTRUCT(column->stats.statsTuple);
	bool		unique = stats->stadistinct < -0.9 * (1.0 - stats->stanullfrac);
	double		part = unique ? (double) (uint32) objectid_prefix(id) / PG_UINT32_MAX : or_equal;
	int64		second = objectid_second(id);

	return (1.0 - part) * fraction_before(column, second) + part * fraction_before(column, second + 1);
}

/* Narrow the interval by a condition, and return true, if that compares the column with a value. */
static bool
narrow_interval(id_interval *interval, const id_column *column, Oid opno, List *args)
{
	bool		column_is_left = equal(linitial(args), column->node);
	Node	   *value = column_is_left ? lsecond(args) : linitial(args);
	StrategyNumber strategy = get_op_opfamily_strategy(column_is_left ? opno : get_commutator(opno), column->opfamily);
	bool		is_upper = strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber;
	/* For "<=" and ">", rows that are equal to the value are below the bound. */
	bool		or_equal = strategy == BTLessEqualStrategyNumber || strategy == BTGreaterStrategyNumber;
	double		fraction;

	if (strategy == InvalidStrategy || strategy == BTEqualStrategyNumber ||
		!(column_is_left || equal(lsecond(args), column->node)))
		return false;
	interval->has_upper |= is_upper;
	interval->has_lower |= !is_upper;

	value = estimate_expression_value(column->root, value);
	interval->unknown |= column->nbuckets == 0 || !IsA(value, Const) || ((Const *) value)->constisnull;
	if (interval->unknown)
		return true;
	fraction = fraction_below(column, DatumGetObjectidP(((Const *) value)->constvalue), or_equal);
	if (is_upper)
		interval->upper = Min(interval->upper, fraction);
	else
		interval->lower = Max(interval->lower, fraction);
	return true;
}

/* The fraction of all rows in the interval; of those not null, core's default if a bound is not known */
static double
interval_selectivity(const id_interval *interval, const id_column *column)
{
	HeapTuple	tuple = column->stats.statsTuple;
	double		nulls = HeapTupleIsValid(tuple) ? ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac : 0.0;
	double		part = !interval->unknown ? Max(interval->upper - interval->lower, EMPTY_RANGE) :
		interval->has_lower && interval->has_upper ? DEFAULT_RANGE_INEQ_SEL : DEFAULT_INEQ_SEL;

	return interval->has_lower || interval->has_upper ? part * Max(1.0 - nulls, EMPTY_RANGE) : 1.0;
}

/* The expression of a condition; of an OR, the copy whose parts the planner estimates */
static Node *
condition_expression(Node *condition)
{
	RestrictInfo *rinfo = (RestrictInfo *) condition;

	if (!IsA(condition, RestrictInfo))
		return condition;
	return (Node *) (rinfo->orclause ? rinfo->orclause : rinfo->clause);
}

/*
 * Find a comparison among conditions and inside their ORs, ANDs and IS TRUE by the address
 * of its list of arguments, because an estimator does not get the comparison itself.  If it is one
 * of conditions that must all be true, set *conjunction to these.  The planner estimates the
 * ranges of an OR in order.  So that thousands of them do not take quadratic time, the search
 * in an OR begins where the last one ended.
 */
static bool
find_comparison(List *conditions, BoolExprType connected_by, List *args, List **conjunction)
{
	static int	last_found = 0;
	int			length = list_length(conditions);

	for (int i = 0; i < length; i++)
	{
		int			at = connected_by == OR_EXPR ? (last_found + i) % length : i;
		Node	   *condition = condition_expression(list_nth(conditions, at));
		BoolExpr   *inner = IsA(condition, BooleanTest) ?
			(BoolExpr *) ((BooleanTest *) condition)->arg : (BoolExpr *) condition;

		if (is_opclause(condition) && ((OpExpr *) condition)->args == args)
			*conjunction = connected_by == AND_EXPR ? conditions : NIL;
		else if (!IsA(inner, BoolExpr) || !find_comparison(inner->args, inner->boolop, args, conjunction))
			continue;
		if (connected_by == OR_EXPR)
			last_found = at;
		return true;
	}
	return false;
}

/*
 * The selectivity of a comparison, if those before it in the same list are true.  Two
 * comparisons with the bounds of an unknown range that are in no list are the index
 * conditions of id_predicates.c, which together have core's default.
 */
static double
conditional_selectivity(const id_column *column, Oid opno, List *args)
{
	RelOptInfo *rel = column->stats.rel;
	FuncExpr   *bound = lsecond(args);
	List	   *conjunction = NIL;
	id_interval interval = {.upper = 1.0};
	int			ncomparisons = 0;
	double		before;
	ListCell   *lc;

	if (rel && !find_comparison(rel->baserestrictinfo, AND_EXPR, args, &conjunction) &&
		!find_comparison(rel->joininfo, AND_EXPR, args, &conjunction))
		foreach(lc, rel->indexlist)
			find_comparison(((IndexOptInfo *) lfirst(lc))->indpred, AND_EXPR, args, &conjunction);
	foreach(lc, conjunction)
	{
		OpExpr	   *earlier = (OpExpr *) condition_expression(lfirst(lc));

		if (!is_opclause(earlier) || list_length(earlier->args) != 2)
			continue;
		if (earlier->args == args || ncomparisons == MAX_COMPARISONS)
			break;
		ncomparisons += narrow_interval(&interval, column, earlier->opno, earlier->args);
	}
	before = interval_selectivity(&interval, column);
	narrow_interval(&interval, column, opno, args);
	if (conjunction == NIL && interval.unknown && IsA(bound, FuncExpr) &&
		bound->args != NIL && exprType(linitial(bound->args)) == TSTZRANGEOID)
		return sqrt(DEFAULT_RANGE_INEQ_SEL);
	return interval_selectivity(&interval, column) / before;
}

/* Restriction estimator of <, <=, >= and > */
PG_FUNCTION_INFO_V1(objectid_ineqsel);
Datum
objectid_ineqsel(PG_FUNCTION_ARGS)
{
	id_column	column = {.root = (PlannerInfo *) PG_GETARG_POINTER(0)};
	Oid			opno = PG_GETARG_OID(1);
	List	   *args = (List *) PG_GETARG_POINTER(2);
	Node	   *other;
	bool		column_is_left;
	double		selectivity;

	if (!get_restriction_variable(column.root, args, PG_GETARG_INT32(3), &column.stats, &other, &column_is_left))
		PG_RETURN_FLOAT8(DEFAULT_INEQ_SEL);
	column.node = column_is_left ? linitial(args) : lsecond(args);
	column.opfamily = lookup_type_cache(column.stats.vartype, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
	open_histogram(&column, opno);
	if (column.nbuckets > 0)
		estimate_added(&column);
	selectivity = conditional_selectivity(&column, opno, args);
	ReleaseVariableStats(column.stats);

	CLAMP_PROBABILITY(selectivity);
	PG_RETURN_FLOAT8(selectivity);
}
