/*-------------------------------------------------------------------------
 *
 * bench_keep.c
 *		Keeps the ids that concurrent clients take in files, and counts them
 *		afterwards.  A benchmark that does not check its ids may count repeats.
 *
 * The aggregate bench_keep(id) replaces count(id): it copies the id to a
 * buffer, which costs a few nanoseconds.  The files are in a subdirectory of
 * the data directory, two for each backend: the ids, and a line for each
 * statement.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "storage/fd.h"
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

PG_MODULE_MAGIC;

#define KEEP_DIR "bench_kept"

/* An id of any type, as bytes in its sort order */
typedef struct
{
	uint8		byte[16];
} Id;

static char buffer[65536];
static size_t used = 0;
static int	ids_file = -1;
static int	times_file = -1;
static int64 started;			/* of the present statement */

/* Microseconds since 1970. */
static int64
read_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void
append(int *file, const char *suffix, const void *data, size_t size)
{
	if (*file < 0)
		*file = open(psprintf(KEEP_DIR "/%d.%s", MyProcPid, suffix),
					 O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
	if (*file < 0 || write(*file, data, size) != (ssize_t) size)
		ereport(ERROR,
				errcode_for_file_access(),
				errmsg("could not write to directory \"%s\": %m", KEEP_DIR));
}

static inline int64
keep(int64 count, const void *id, size_t width)
{
	if (count == 0)
		started = read_clock();
	if (used + width > sizeof(buffer))
	{
		append(&ids_file, "ids", buffer, used);
		used = 0;
	}
	memcpy(buffer + used, id, width);
	used += width;
	return count + 1;
}

PG_FUNCTION_INFO_V1(bench_keep_bigint);
Datum
bench_keep_bigint(PG_FUNCTION_ARGS)
{
	/* Big-endian, so that all kinds of ids sort by their bytes. */
	uint64		id = pg_hton64((uint64) PG_GETARG_INT64(1));

	PG_RETURN_INT64(keep(PG_GETARG_INT64(0), &id, sizeof(id)));
}

PG_FUNCTION_INFO_V1(bench_keep_objectid);
Datum
bench_keep_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(keep(PG_GETARG_INT64(0), PG_GETARG_POINTER(1), 12));
}

PG_FUNCTION_INFO_V1(bench_keep_uuid);
Datum
bench_keep_uuid(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(keep(PG_GETARG_INT64(0), PG_GETARG_POINTER(1), 16));
}

/* At the end of a statement, write its start, its end and its number of ids. */
PG_FUNCTION_INFO_V1(bench_keep_end);
Datum
bench_keep_end(PG_FUNCTION_ARGS)
{
	char	   *line = psprintf(INT64_FORMAT "\t" INT64_FORMAT "\t" INT64_FORMAT "\n",
								started, read_clock(), PG_GETARG_INT64(0));

	append(&ids_file, "ids", buffer, used);
	used = 0;
	append(&times_file, "times", line, strlen(line));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Append a file of ids to those already read. */
static Id *
read_ids(const char *name, size_t width, Id *ids, size_t *n)
{
	char	   *path = psprintf(KEEP_DIR "/%s", name);
	FILE	   *file = AllocateFile(path, PG_BINARY_R);
	struct stat st;
	size_t		more;

	if (file == NULL || fstat(fileno(file), &st) != 0)
		ereport(ERROR,
				errcode_for_file_access(),
				errmsg("could not open file \"%s\": %m", path));
	more = st.st_size / width + 1;
	ids = realloc(ids, (*n + more) * sizeof(Id));
	if (ids == NULL)
		elog(ERROR, "too many ids to count them in memory");
	memset(&ids[*n], 0, more * sizeof(Id));
	while (fread(ids[*n].byte, width, 1, file) == 1)
		++*n;
	FreeFile(file);
	return ids;
}

static Id *
read_all_ids(size_t width, size_t *n)
{
	Id		   *ids = NULL;
	DIR		   *dir = AllocateDir(KEEP_DIR);
	struct dirent *entry;

	*n = 0;
	while ((entry = ReadDir(dir, KEEP_DIR)) != NULL)
	{
		const char *suffix = strrchr(entry->d_name, '.');

		if (suffix && strcmp(suffix, ".ids") == 0)
			ids = read_ids(entry->d_name, width, ids, n);
	}
	FreeDir(dir);
	return ids;
}

static inline bool
is_less(const Id *a, const Id *b)
{
	return memcmp(a, b, sizeof(Id)) < 0;
}

static bool
is_sorted(const Id *ids, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (is_less(&ids[i], &ids[i - 1]))
			return false;
	return true;
}

static void
insertion_sort(Id *ids, size_t n)
{
	for (size_t i = 1; i < n; i++)
	{
		Id			id = ids[i];
		size_t		j = i;

		for (; j > 0 && is_less(&id, &ids[j - 1]); j--)
			ids[j] = ids[j - 1];
		ids[j] = id;
	}
}

/* Move each id to the bucket of its byte; bucket b starts at first[b]. */
static void
distribute(Id *ids, size_t n, int byte, size_t *first)
{
	size_t		next[256];

	for (size_t i = 0; i < n; i++)
		first[ids[i].byte[byte] + 1]++;
	for (int b = 0; b < 256; b++)
	{
		first[b + 1] += first[b];
		next[b] = first[b];
	}
	for (int b = 0; b < 256; b++)
		while (next[b] < first[b + 1])
		{
			Id			id = ids[next[b]];

			while (id.byte[byte] != b)
			{
				Id		   *home = &ids[next[id.byte[byte]]++];
				Id			other = *home;

				*home = id;
				id = other;
			}
			ids[next[b]++] = id;
		}
}

/* Radix sort in place, because there can be 100 million ids. */
static void
sort_ids(Id *ids, size_t n, int byte)
{
	size_t		first[257] = {0};

	CHECK_FOR_INTERRUPTS();
	if (n < 48)
	{
		insertion_sort(ids, n);
		return;
	}
	if (is_sorted(ids, n))
		return;
	distribute(ids, n, byte, first);
	for (int b = 0; b < 256; b++)
		sort_ids(ids + first[b], first[b + 1] - first[b], byte + 1);
}

/*
 * Return the number of ids kept, of distinct ids, and of distinct ids that are
 * not above the highest one that counts.
 */
PG_FUNCTION_INFO_V1(bench_count_kept);
Datum
bench_count_kept(PG_FUNCTION_ARGS)
{
	bytea	   *argument = PG_GETARG_BYTEA_PP(0);
	size_t		width = VARSIZE_ANY_EXHDR(argument);
	Id			highest = {{0}};
	size_t		n;
	Id		   *ids;
	int64		distinct = 0;
	int64		counted = 0;
	TupleDesc	result;
	Datum		values[3];
	bool		nulls[3] = {false};

	if (get_call_result_type(fcinfo, NULL, &result) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	memcpy(highest.byte, VARDATA_ANY(argument), Min(width, sizeof(Id)));
	ids = read_all_ids(width, &n);
	sort_ids(ids, n, 0);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || is_less(&ids[i - 1], &ids[i]))
		{
			distinct++;
			counted += !is_less(&highest, &ids[i]);
		}
	free(ids);

	values[0] = Int64GetDatum(n);
	values[1] = Int64GetDatum(distinct);
	values[2] = Int64GetDatum(counted);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(result, values, nulls)));
}
