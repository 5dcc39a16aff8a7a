/*-------------------------------------------------------------------------
 *
 * bench_calls.c
 *		What the benchmarks compare with: a call that does nothing, and one
 *		that reads the clock once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"

PG_MODULE_MAGIC;

/* The cost of calling a C function; net figures are less this. */
PG_FUNCTION_INFO_V1(bench_nothing);
Datum
bench_nothing(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(1);
}

/* One clock_gettime(), in nanoseconds. */
PG_FUNCTION_INFO_V1(bench_clock_gettime);
Datum
bench_clock_gettime(PG_FUNCTION_ARGS)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	PG_RETURN_INT64((int64) ts.tv_sec * 1000000000 + ts.tv_nsec);
}
