/*-------------------------------------------------------------------------
 *
 * objectid_stats.c
 *		ANALYZE and BRIN minmax-multi support for objectid.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "commands/vacuum.h"

/*
 * The number of histogram buckets, as a multiple of the column's statistics
 * target (core uses one times the target), and its maximum.  Planning a range
 * reads the whole histogram, so it has only as many buckets as are needed to
 * estimate a range of a thousandth of the table well.
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
 * Compute core's statistics of a column, then replace the histogram with a
 * finer one of the same sample.
 *
 * Core interpolates inside a histogram bucket only for types that it knows.
 * For any other type, a range whose bounds fall into one bucket is estimated
 * at one row, such as a day in a table of several years.  The finer the
 * histogram, the narrower the ranges that are estimated well.  The sample
 * keeps its size, because it determines the run time of ANALYZE.  So does the
 * list of most common values, because the planning of joins compares such
 * lists entry by entry.
 */
static void
objectid_compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetchfunc,
					   int samplerows, double totalrows)
{
	objectid_analyze_data *data = stats->extra_data;
	objectid   *ids;
	objectid   *bounds;
	Datum	   *values;
	int			nids = 0;
	int			nbounds;
	int			slot;

	stats->extra_data = data->std_extra_data;
	data->std_compute_stats(stats, fetchfunc, samplerows, totalrows);
	stats->extra_data = data;

	slot = find_statistics_slot(stats, STATISTIC_KIND_HISTOGRAM);
	if (slot < 0)
		return;

	ids = palloc(sizeof(objectid) * samplerows);
	for (int i = 0; i < samplerows; i++)
	{
		bool		isnull;
		Datum		value = fetchfunc(stats, i, &isnull);

		if (!isnull)
			ids[nids++] = *DatumGetObjectidP(value);
	}
	qsort(ids, nids, sizeof(objectid), objectid_qsort_cmp);
	nids = remove_common_values(stats, ids, nids);

	nbounds = Min(data->statistics_target * HISTOGRAM_FACTOR, HISTOGRAM_MAX) + 1;
	nbounds = Min(nbounds, nids);
	if (nbounds <= stats->numvalues[slot])
		return;
	Assert(nbounds > 1);		/* core's histogram has at least two */

	bounds = MemoryContextAlloc(stats->anl_context, sizeof(objectid) * nbounds);
	values = MemoryContextAlloc(stats->anl_context, sizeof(Datum) * nbounds);
	for (int i = 0; i < nbounds; i++)
	{
		bounds[i] = ids[(int64) i * (nids - 1) / (nbounds - 1)];
		values[i] = ObjectidPGetDatum(&bounds[i]);
	}
	stats->stavalues[slot] = values;
	stats->numvalues[slot] = nbounds;
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
