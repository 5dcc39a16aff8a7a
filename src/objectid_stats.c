/*-------------------------------------------------------------------------
 *
 * objectid_stats.c
 *		ANALYZE and BRIN minmax-multi support for objectid.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_stats.h"

#include "catalog/pg_type.h"
#include "commands/vacuum.h"

/*
 * The number of buckets of our histogram, as a multiple of the column's
 * statistics target, and its maximum.  The sample has 300 rows times the
 * target, so there are ten of them to a bucket.
 */
#define HISTOGRAM_FACTOR	30
#define HISTOGRAM_MAX		10000

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

/* Passed from objectid_typanalyze() to objectid_compute_stats() */
typedef struct objectid_analyze_data
{
	AnalyzeAttrComputeStatsFunc std_compute_stats;
	void	   *std_extra_data;
	int			statistics_target;
} objectid_analyze_data;

static int
objectid_qsort_cmp(const void *a, const void *b)
{
	return objectid_internal_cmp(a, b);
}

/* Return the slot that holds a kind of statistics, or -1. */
static int
find_statistics_slot(VacAttrStats *stats, int kind)
{
	for (int slot = 0; slot < STATISTIC_NUM_SLOTS; slot++)
	{
		if (stats->stakind[slot] == kind)
			return slot;
	}
	return -1;
}

/*
 * Remove the most common values from a sorted array, because they are not part
 * of the histogram.  Returns the new length.
 */
static int
remove_common_values(VacAttrStats *stats, objectid *ids, int nids)
{
	int			slot = find_statistics_slot(stats, STATISTIC_KIND_MCV);
	int			ncommon = slot < 0 ? 0 : stats->numvalues[slot];
	objectid   *common = palloc(sizeof(objectid) * Max(ncommon, 1));
	int			next = 0;
	int			kept = 0;

	for (int i = 0; i < ncommon; i++)
		common[i] = *DatumGetObjectidP(stats->stavalues[slot][i]);
	qsort(common, ncommon, sizeof(objectid), objectid_qsort_cmp);

	for (int i = 0; i < nids; i++)
	{
		while (next < ncommon && objectid_internal_cmp(&common[next], &ids[i]) < 0)
			next++;
		if (next < ncommon && objectid_internal_cmp(&common[next], &ids[i]) == 0)
			continue;
		ids[kept++] = ids[i];
	}

	pfree(common);
	return kept;
}

/*
 * Copy the ids of the sample that are not common values, in order.  Returns
 * their number.
 */
static int
sort_sample(VacAttrStats *stats, AnalyzeAttrFetchFunc fetchfunc, int samplerows, objectid *ids)
{
	int			nids = 0;

	for (int i = 0; i < samplerows; i++)
	{
		bool		isnull;
		Datum		value = fetchfunc(stats, i, &isnull);

		if (!isnull)
			ids[nids++] = *DatumGetObjectidP(value);
	}
	qsort(ids, nids, sizeof(objectid), objectid_qsort_cmp);
	return remove_common_values(stats, ids, nids);
}

/* Make a histogram of equal buckets from ids in order, masked. */
static bytea *
make_histogram(MemoryContext context, const objectid *ids, int nids, int nbounds)
{
	bytea	   *result = MemoryContextAlloc(context, VARHDRSZ + sizeof(objectid) * nbounds);
	objectid   *bounds = (objectid *) VARDATA(result);

	SET_VARSIZE(result, VARHDRSZ + sizeof(objectid) * nbounds);
	for (int i = 0; i < nbounds; i++)
		bounds[i] = mask_objectid(&ids[(int64) i * (nids - 1) / (nbounds - 1)], i);
	return result;
}

static void
store_histogram(VacAttrStats *stats, int slot, bytea *histogram)
{
	stats->stakind[slot] = OBJECTID_HISTOGRAM_KIND;
	stats->stavalues[slot] = MemoryContextAlloc(stats->anl_context, sizeof(Datum));
	stats->stavalues[slot][0] = PointerGetDatum(histogram);
	stats->numvalues[slot] = 1;
	stats->statypid[slot] = BYTEAOID;
	stats->statyplen[slot] = -1;
	stats->statypbyval[slot] = false;
	stats->statypalign[slot] = TYPALIGN_INT;
}

/*
 * Compute core's statistics of a column, and add a finer histogram of the same
 * sample, for the estimator of objectid_sel.c.
 *
 * That estimator interpolates, but ids are not evenly spread: there are bursts,
 * nights and weekends.  The finer the histogram, the narrower the ranges that
 * are estimated well.  The sample keeps its size, because it determines the
 * run time of ANALYZE.  Core's histogram stays as it is, because the planning
 * of merge joins reads all of it.
 */
static void
objectid_compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetchfunc,
					   int samplerows, double totalrows)
{
	objectid_analyze_data *data = stats->extra_data;
	objectid   *ids;
	int			nids;
	int			nbounds;
	int			slot = 0;

	stats->extra_data = data->std_extra_data;
	data->std_compute_stats(stats, fetchfunc, samplerows, totalrows);
	stats->extra_data = data;

	if (find_statistics_slot(stats, STATISTIC_KIND_HISTOGRAM) < 0)
		return;
	while (slot < STATISTIC_NUM_SLOTS && stats->stakind[slot] != 0)
		slot++;
	if (slot == STATISTIC_NUM_SLOTS)
		return;

	ids = palloc(sizeof(objectid) * samplerows);
	nids = sort_sample(stats, fetchfunc, samplerows, ids);
	nbounds = Min(data->statistics_target * HISTOGRAM_FACTOR, HISTOGRAM_MAX) + 1;
	nbounds = Min(nbounds, nids);
	Assert(nbounds > 1);		/* core's histogram has at least two */
	store_histogram(stats, slot, make_histogram(stats->anl_context, ids, nids, nbounds));
}

/* Type analyze function of objectid; see objectid_compute_stats(). */
PG_FUNCTION_INFO_V1(objectid_typanalyze);
Datum
objectid_typanalyze(PG_FUNCTION_ARGS)
{
	VacAttrStats *stats = (VacAttrStats *) PG_GETARG_POINTER(0);
	objectid_analyze_data *data;

	if (!std_typanalyze(stats))
		PG_RETURN_BOOL(false);

	data = palloc(sizeof(objectid_analyze_data));
	data->std_compute_stats = stats->compute_stats;
	data->std_extra_data = stats->extra_data;
	/*
	 * Server versions keep the target in different places, but all set
	 * minrows to 300 times the target.
	 */
	data->statistics_target = stats->minrows / 300;

	stats->compute_stats = objectid_compute_stats;
	stats->extra_data = data;
	PG_RETURN_BOOL(true);
}
