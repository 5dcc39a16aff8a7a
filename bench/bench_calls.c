/*-------------------------------------------------------------------------
 *
 * bench_calls.c
 *		Functions for the benchmarks: a call that does nothing, one that reads
 *		the clock, version-7 UUIDs for servers without them, and the processor
 *		time of a backend.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"
#include "port/pg_bswap.h"
#include "utils/uuid.h"

PG_MODULE_MAGIC;

static int64
read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64) ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* The cost of calling a C function, which net figures do not include */
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
	PG_RETURN_INT64(read_clock(CLOCK_REALTIME));
}

/* The processor time that this backend has taken, in nanoseconds. */
PG_FUNCTION_INFO_V1(bench_processor_time);
Datum
bench_processor_time(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(read_clock(CLOCK_PROCESS_CPUTIME_ID));
}

/*
 * A version-7 UUID of a time, in nanoseconds since 1970, and 62 random bits:
 * 48 bits milliseconds, version, 12 bits fraction of the millisecond, variant.
 */
static Datum
make_uuidv7(int64 ns)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	uint64		ms = ns / 1000000;
	uint64		fraction = (ns % 1000000) * 4096 / 1000000;
	uint64		high = pg_hton64(ms << 16 | 0x7000 | fraction);

	if (!pg_strong_random(uuid->data + 8, 8))
		elog(ERROR, "could not generate random values");
	memcpy(uuid->data, &high, 8);
	uuid->data[8] = (uuid->data[8] & 0x3F) | 0x80;
	return UUIDPGetDatum(uuid);
}

/* Like uuidv7() of PostgreSQL 18, except that ids may not ascend */
PG_FUNCTION_INFO_V1(bench_uuidv7);
Datum
bench_uuidv7(PG_FUNCTION_ARGS)
{
	return make_uuidv7(read_clock(CLOCK_REALTIME));
}

/* The same for a given time, in microseconds since 1970 */
PG_FUNCTION_INFO_V1(bench_uuidv7_at);
Datum
bench_uuidv7_at(PG_FUNCTION_ARGS)
{
	return make_uuidv7(PG_GETARG_INT64(0) * 1000);
}
