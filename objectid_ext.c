/*-------------------------------------------------------------------------
 *
 * objectid_ext.c
 *		The objectid type: MongoDB's 12-byte ObjectId.  Also the module's
 *		entry point and settings.
 *
 * An ObjectId is, from its first byte to its last,
 *
 *		4 bytes		seconds since 1970-01-01 00:00:00 UTC, unsigned, big-endian
 *		5 bytes		identity of the process that made it
 *		3 bytes		counter, big-endian
 *
 * so unsigned byte order is order of creation, to the second.  The format is
 * that of the MongoDB specification "ObjectID format"
 * (github.com/mongodb/specifications, source/bson-objectid/objectid.md).
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include <limits.h>
#include <sys/time.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "common/hashfn.h"
#include "common/md5.h"
#include "funcapi.h"
#include "lib/hyperloglog.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "storage/latch.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/jsonb.h"
#include "utils/rangetypes.h"
#include "utils/sortsupport.h"
#include "utils/wait_event.h"

OBJECTID_EXT_MODULE_MAGIC;

/* Where the parts of an ObjectId begin. */
#define IDENTITY_OFFSET		4
#define IDENTITY_LEN		5
#define COUNTER_OFFSET		(IDENTITY_OFFSET + IDENTITY_LEN)
#define COUNTER_BITS		24
#define COUNTER_MASK		((1 << COUNTER_BITS) - 1)

/* The classic layout divides the identity into machine and process. */
#define MACHINE_LEN			3

/* The seconds of an ObjectId: 1970-01-01 to 2106-02-07 06:28:15. */
static const tick_clock objectid_clock = {UNIX_EPOCH, USECS_PER_SEC, PG_UINT32_MAX};

/*
 * Buckets in the histogram of a column, as a multiple of its statistics target
 * (core's own has one times the target), and at most.  Every planning of a
 * range reads them all, so there are no more than a thousandth of the table
 * needs to be estimated well.
 */
#define HISTOGRAM_FACTOR	30
#define HISTOGRAM_MAX		10000


/* ----------------------------------------------------------------
 *		Settings
 * ----------------------------------------------------------------
 */

typedef enum ObjectidIdentity
{
	OBJECTID_IDENTITY_RANDOM,
	OBJECTID_IDENTITY_HOST
} ObjectidIdentity;

static const struct config_enum_entry objectid_identity_options[] = {
	{"random", OBJECTID_IDENTITY_RANDOM, false},
	{"host", OBJECTID_IDENTITY_HOST, false},
	{NULL, 0, false}
};

static int	objectid_identity = OBJECTID_IDENTITY_RANDOM;
int			objectid_ext_node_id = -1;
int			objectid_ext_max_clock_lead = 1000;

void		_PG_init(void);

/*
 * Nothing but settings may be made here: with shared_preload_libraries this
 * runs once in the postmaster, and what it drew all backends would inherit.
 */
void
_PG_init(void)
{
	DefineCustomEnumVariable("objectid_ext.objectid_identity",
							 "How gen_objectid() fills the five bytes that tell processes apart.",
							 "\"random\" draws them anew in every backend; \"host\" is the classic "
							 "layout of host name hash and process id.",
							 &objectid_identity,
							 OBJECTID_IDENTITY_RANDOM,
							 objectid_identity_options,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	/*
	 * One server is one node.  Not for a session to set: behind a connection
	 * pooler that would leak to other clients.
	 */
	DefineCustomIntVariable("objectid_ext.node_id",
							"Number of this server in Snowflake ids; -1 while it is not set.",
							"No other server that makes ids for the same table may have the same.",
							&objectid_ext_node_id,
							-1, -1, INT_MAX,
							PGC_SIGHUP,
							0,
							NULL, NULL, NULL);

	/*
	 * Not for everybody to set: one session's burst moves the clock of a
	 * sequence for all.
	 */
	DefineCustomIntVariable("objectid_ext.max_clock_lead",
							"How far ids may run ahead of the wall clock in a burst.",
							"A call that would go further waits for one tick.",
							&objectid_ext_max_clock_lead,
							1000, 0, 3600 * 1000,
							PGC_SUSET,
							GUC_UNIT_MS,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("objectid_ext");
}

/*
 * Wait for some microseconds, by a clock that nobody sets.  Can be cancelled.
 */
void
objectid_ext_wait(int64 us)
{
	instr_time	start;
	instr_time	elapsed;
	int64		remaining = us;

	INSTR_TIME_SET_CURRENT(start);
	while (remaining > 0)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) ((remaining + 999) / 1000), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();

		INSTR_TIME_SET_CURRENT(elapsed);
		INSTR_TIME_SUBTRACT(elapsed, start);
		remaining = us - (int64) INSTR_TIME_GET_MICROSEC(elapsed);
	}
}

/*
 * Wait until a time leads the clock by no more than ids may, but no longer than
 * a tick (microseconds).
 */
void
objectid_ext_wait_for_clock(TimestampTz ts, int64 tick)
{
	int64		excess = ts - GetCurrentTimestamp() - (int64) objectid_ext_max_clock_lead * 1000;

	objectid_ext_wait(Min(excess, tick));
}


/* ----------------------------------------------------------------
 *		Text and binary I/O
 * ----------------------------------------------------------------
 */

/* The value of each hexadecimal digit plus one; 0 for what is none. */
static const uint8 hex_values[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16
};

/* The value of a digit, or -1; by table, for no branch can be predicted here. */
static inline int
hex_value(char c)
{
	return hex_values[(unsigned char) c] - 1;
}

/*
 * Read 24 hexadecimal digits.  Stops at the first character that is none, so
 * it never reads past the end of a shorter string.
 */
static bool
parse_hex_digits(const char *src, objectid *id)
{
	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		int			high = hex_value(*src++);
		int			low = high < 0 ? -1 : hex_value(*src++);

		if (low < 0)
			return false;
		id->data[i] = (uint8) (high << 4 | low);
	}
	return true;
}

static void
skip_blanks(const char **src)
{
	*src += strspn(*src, " \t\n\r");
}

/*
 * MongoDB Extended JSON, {"$oid":"..."}: the only spelling that may have blanks,
 * between its tokens.
 */
static bool
parse_extended_json(const char *src, objectid *id)
{
	if (!skip_token(&src, "{"))
		return false;
	skip_blanks(&src);
	if (!skip_token(&src, "\"$oid\""))
		return false;
	skip_blanks(&src);
	if (!skip_token(&src, ":"))
		return false;
	skip_blanks(&src);
	if (!skip_token(&src, "\"") || !parse_hex_digits(src, id))
		return false;
	src += OBJECTID_HEX_DIGITS;
	if (!skip_token(&src, "\""))
		return false;
	skip_blanks(&src);
	return strcmp(src, "}") == 0;
}

/* The spellings that are the 24 digits between two fixed strings. */
static bool
parse_wrapped(const char *str, objectid *id)
{
	static const struct
	{
		const char *open;
		const char *close;
	}			wrappers[] = {
		{"ObjectId(\"", "\")"},
		{"ObjectId('", "')"},
		{"ObjectId(", ")"},
		{"\"", "\""}
	};

	for (int i = 0; i < lengthof(wrappers); i++)
	{
		const char *src = str;

		if (skip_token(&src, wrappers[i].open) &&
			parse_hex_digits(src, id) &&
			strcmp(src + OBJECTID_HEX_DIGITS, wrappers[i].close) == 0)
			return true;
	}
	return false;
}

/* Does the string begin like an ISO 8601 date? */
static bool
looks_like_date(const char *str)
{
	for (int i = 0; i < 10; i++)
	{
		if (i == 4 || i == 7 ? str[i] != '-' : str[i] < '0' || str[i] > '9')
			return false;
	}
	return true;
}

/* 24 digits and nothing else: the spelling of output, and of JSON. */
static bool
scan_bare_objectid(const char *str, objectid *id)
{
	return parse_hex_digits(str, id) && str[OBJECTID_HEX_DIGITS] == '\0';
}

/* Read an objectid in any of its spellings; false if str is none of them. */
static bool
scan_objectid(const char *str, objectid *id)
{
	return scan_bare_objectid(str, id) ||
		parse_wrapped(str, id) ||
		parse_extended_json(str, id);
}

/* The error for a string that is none of them; soft where there is a context. */
static bool
objectid_syntax_error(const char *str, Node *escontext)
{
	size_t		digits = strspn(str, "0123456789abcdefABCDEF");

	ereturn(escontext, false,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", "objectid", str),
			 str[digits] == '\0' ?
			 errdetail("An ObjectId has %d hexadecimal digits, not %zu.",
					   OBJECTID_HEX_DIGITS, digits) : 0,
			 looks_like_date(str) ?
			 errhint("To compare with a time, cast it to timestamptz, or use objectid_floor(timestamptz).") : 0));
}

/* Write the 24 lower-case digits and a terminating zero. */
static void
format_objectid(const objectid *id, char *dst)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		*dst++ = digits[id->data[i] >> 4];
		*dst++ = digits[id->data[i] & 0xF];
	}
	*dst = '\0';
}

/*
 * Text input.  Accepted: 24 hex digits in either case, bare or as
 * ObjectId("..."), ObjectId('...'), ObjectId(...), "...", {"$oid":"..."}.  Anything
 * else: invalid_text_representation.
 */
PG_FUNCTION_INFO_V1(objectid_in);
Datum
objectid_in(PG_FUNCTION_ARGS)
{
	char	   *str = PG_GETARG_CSTRING(0);
	objectid   *id = palloc(sizeof(objectid));

	if (!scan_objectid(str, id) && !objectid_syntax_error(str, fcinfo->context))
		PG_RETURN_NULL();
	PG_RETURN_OBJECTID_P(id);
}

/* Text output: 24 lower-case hex digits. */
PG_FUNCTION_INFO_V1(objectid_out);
Datum
objectid_out(PG_FUNCTION_ARGS)
{
	char	   *result = palloc(OBJECTID_HEX_DIGITS + 1);

	format_objectid(PG_GETARG_OBJECTID_P(0), result);
	PG_RETURN_CSTRING(result);
}

/* Copy 12 bytes that came from outside; any other length is an error. */
static objectid *
objectid_from_bytes(const char *bytes, int len, int sqlerrcode)
{
	objectid   *id;

	if (len != OBJECTID_LEN)
		ereport(ERROR,
				(errcode(sqlerrcode),
				 errmsg("invalid length for type %s", "objectid"),
				 errdetail("An ObjectId has %d bytes, not %d.", OBJECTID_LEN, len)));

	id = palloc(sizeof(objectid));
	memcpy(id->data, bytes, OBJECTID_LEN);
	return id;
}

/*
 * Binary input: the 12 bytes.  Any other length:
 * invalid_binary_representation.
 */
PG_FUNCTION_INFO_V1(objectid_recv);
Datum
objectid_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;

	PG_RETURN_OBJECTID_P(objectid_from_bytes(pq_getmsgbytes(buf, len), len,
											 ERRCODE_INVALID_BINARY_REPRESENTATION));
}

/* Binary output: the 12 bytes. */
PG_FUNCTION_INFO_V1(objectid_send);
Datum
objectid_send(PG_FUNCTION_ARGS)
{
	bytea	   *result = palloc(VARHDRSZ + OBJECTID_LEN);

	SET_VARSIZE(result, VARHDRSZ + OBJECTID_LEN);
	memcpy(VARDATA(result), PG_GETARG_OBJECTID_P(0)->data, OBJECTID_LEN);
	PG_RETURN_BYTEA_P(result);
}


/* ----------------------------------------------------------------
 *		Comparison
 * ----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(objectid_lt);
Datum
objectid_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(objectid_internal_cmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1)) < 0);
}

PG_FUNCTION_INFO_V1(objectid_le);
Datum
objectid_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(objectid_internal_cmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1)) <= 0);
}

PG_FUNCTION_INFO_V1(objectid_eq);
Datum
objectid_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(memcmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1), OBJECTID_LEN) == 0);
}

PG_FUNCTION_INFO_V1(objectid_ne);
Datum
objectid_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(memcmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1), OBJECTID_LEN) != 0);
}

PG_FUNCTION_INFO_V1(objectid_ge);
Datum
objectid_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(objectid_internal_cmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1)) >= 0);
}

PG_FUNCTION_INFO_V1(objectid_gt);
Datum
objectid_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(objectid_internal_cmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1)) > 0);
}

/* Less, equal or greater as -1, 0 or 1. */
PG_FUNCTION_INFO_V1(objectid_cmp);
Datum
objectid_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(objectid_internal_cmp(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1)));
}

/* The lesser of two, for min(). */
PG_FUNCTION_INFO_V1(objectid_smaller);
Datum
objectid_smaller(PG_FUNCTION_ARGS)
{
	objectid   *a = PG_GETARG_OBJECTID_P(0);
	objectid   *b = PG_GETARG_OBJECTID_P(1);

	PG_RETURN_OBJECTID_P(objectid_internal_cmp(a, b) < 0 ? a : b);
}

/* The greater of two, for max(). */
PG_FUNCTION_INFO_V1(objectid_larger);
Datum
objectid_larger(PG_FUNCTION_ARGS)
{
	objectid   *a = PG_GETARG_OBJECTID_P(0);
	objectid   *b = PG_GETARG_OBJECTID_P(1);

	PG_RETURN_OBJECTID_P(objectid_internal_cmp(a, b) > 0 ? a : b);
}


/* ----------------------------------------------------------------
 *		Sorting
 * ----------------------------------------------------------------
 */

/*
 * The abbreviated key: 64 bits for the 96 of a value, of the same order.
 *
 * The first eight bytes would tell apart seconds and processes, but not the ids
 * that one process makes in a second, and those are many where the speed of a
 * sort matters.  Instead the key is, from its highest bit,
 *
 *		32 bits		seconds
 *		 8 bits		region of the identity, and whether it is below, equal to or
 *					above the first identity of this region that the sort met
 *		24 bits		if it is equal, the counter, which makes the key complete;
 *					else where in the region the identity is
 *
 * The regions are REGIONS equal parts of all identities.  Random identities
 * fall into different ones, so as long as there are few, nearly all keys are
 * complete.  Keys of different sorts, which met different identities, are never
 * compared.
 */
#define IDENTITY_BITS	(IDENTITY_LEN * BITS_PER_BYTE)
#define REGIONS			(256 / 3)	/* three sides each, in 8 bits */

/* Multiplied by this, all bits of a key have their share in the upper ones. */
#define KEY_SPREAD		UINT64CONST(0x9E3779B97F4A7C15)

/* In place of the first identity of a region, while it has none. */
#define NO_IDENTITY		PG_UINT64_MAX

typedef struct objectid_sortsupport_state
{
	int64		input_count;	/* non-null values seen */
	bool		estimating;		/* still counting distinct abbreviated keys? */
	hyperLogLogState abbr_card; /* the count */
	uint64		first_identity[REGIONS];
} objectid_sortsupport_state;

static int
objectid_fast_cmp(Datum x, Datum y, SortSupport ssup)
{
	return objectid_internal_cmp(DatumGetObjectidP(x), DatumGetObjectidP(y));
}

/* The lower half of the key, for the eight bytes of identity and counter. */
static inline uint32
abbreviate_process_part(uint64 *first_identity, uint64 part)
{
	uint64		identity = part >> COUNTER_BITS;
	uint64		position = identity * REGIONS;
	uint32		region = (uint32) (position >> IDENTITY_BITS);
	uint64	   *first = &first_identity[region];

	if (unlikely(*first == NO_IDENTITY))
		*first = identity;
	if (identity == *first)
		return (3 * region + 1) << COUNTER_BITS | ((uint32) part & COUNTER_MASK);

	return (3 * region + (identity < *first ? 0 : 2)) << COUNTER_BITS |
		((uint32) (position >> (IDENTITY_BITS - COUNTER_BITS)) & COUNTER_MASK);
}

static Datum
objectid_abbrev_convert(Datum original, SortSupport ssup)
{
	objectid_sortsupport_state *state = ssup->ssup_extra;
	objectid   *id = DatumGetObjectidP(original);
	uint64		key = (uint64) read_uint32(id->data) << 32 |
		abbreviate_process_part(state->first_identity, read_uint64(id->data + IDENTITY_OFFSET));

	state->input_count++;
	if (state->estimating)
		addHyperLogLog(&state->abbr_card, murmurhash32((uint32) ((key * KEY_SPREAD) >> 32)));

	/* On a 32-bit machine a Datum holds the seconds. */
	return (Datum) (key >> (64 - sizeof(Datum) * BITS_PER_BYTE));
}

/*
 * Give up abbreviation when too many values share a key: 2000 of them, as for
 * core's uuid.  Ten thousand keys are enough then for twenty million values,
 * and a sort of more loses little, so that the count, which costs as much as
 * the key itself, ends there.
 */
static bool
objectid_abbrev_abort(int memtupcount, SortSupport ssup)
{
	objectid_sortsupport_state *state = ssup->ssup_extra;
	double		distinct;

	if (memtupcount < 10000 || state->input_count < 10000 || !state->estimating)
		return false;

	distinct = estimateHyperLogLog(&state->abbr_card);
	if (distinct > 10000.0)
	{
		state->estimating = false;
		return false;
	}
	return distinct < state->input_count / 2000.0 + 0.5;
}

/* btree support 2: sort by abbreviated keys, full comparison on a tie. */
PG_FUNCTION_INFO_V1(objectid_sortsupport);
Datum
objectid_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = objectid_fast_cmp;
	ssup->ssup_extra = NULL;

	if (ssup->abbreviate)
	{
		MemoryContext oldcontext = MemoryContextSwitchTo(ssup->ssup_cxt);
		objectid_sortsupport_state *state = palloc(sizeof(objectid_sortsupport_state));

		state->input_count = 0;
		state->estimating = true;
		initHyperLogLog(&state->abbr_card, 10);
		memset(state->first_identity, 0xFF, sizeof(state->first_identity));

		ssup->ssup_extra = state;
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = objectid_abbrev_convert;
		ssup->abbrev_abort = objectid_abbrev_abort;
		ssup->abbrev_full_comparator = objectid_fast_cmp;

		MemoryContextSwitchTo(oldcontext);
	}

	PG_RETURN_VOID();
}


/* ----------------------------------------------------------------
 *		Hashing
 *
 * Frozen: rows of hash partitions, and of shards chosen by the hash, lie
 * where these functions put them.
 * ----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(objectid_hash);
Datum
objectid_hash(PG_FUNCTION_ARGS)
{
	return hash_any(PG_GETARG_OBJECTID_P(0)->data, OBJECTID_LEN);
}

/* 64-bit hash with a seed, an int8. */
PG_FUNCTION_INFO_V1(objectid_hash_extended);
Datum
objectid_hash_extended(PG_FUNCTION_ARGS)
{
	return hash_any_extended(PG_GETARG_OBJECTID_P(0)->data, OBJECTID_LEN, PG_GETARG_INT64(1));
}


/* ----------------------------------------------------------------
 *		The time in an id
 * ----------------------------------------------------------------
 */

static inline int64
objectid_second(const objectid *id)
{
	return objectid_prefix(id) >> 32;
}

static inline TimestampTz
objectid_time(const objectid *id)
{
	return tick_time(&objectid_clock, objectid_second(id));
}

/*
 * An objectid of a second, all other bytes the same.  Before the first second
 * all zeros, past the last one all ones.
 */
static objectid
objectid_at_second(int64 second, int other_bytes)
{
	objectid	id;
	uint32		big_endian = pg_hton32((uint32) second);

	if (second < 0)
		memset(id.data, 0x00, OBJECTID_LEN);
	else if (second > objectid_clock.max_tick)
		memset(id.data, 0xFF, OBJECTID_LEN);
	else
	{
		memset(id.data, other_bytes, OBJECTID_LEN);
		memcpy(id.data, &big_endian, sizeof(big_endian));
	}
	return id;
}

/* The lowest id at or after, and the lowest one after a time. */
static inline objectid
floor_of_time(TimestampTz ts)
{
	return objectid_at_second(tick_from(&objectid_clock, ts), 0x00);
}

static inline objectid
after_time(TimestampTz ts)
{
	return objectid_at_second(tick_after(&objectid_clock, ts), 0x00);
}

static objectid *
copy_objectid(objectid id)
{
	objectid   *result = palloc(sizeof(objectid));

	*result = id;
	return result;
}

/*
 * The time of creation: a timestamptz of whole seconds, 1970-01-01
 * 00:00:00+00 to 2106-02-07 06:28:15+00.
 */
PG_FUNCTION_INFO_V1(objectid_timestamp);
Datum
objectid_timestamp(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMPTZ(objectid_time(PG_GETARG_OBJECTID_P(0)));
}

/*
 * The lowest id whose time is at or after a timestamptz; a fraction of a
 * second counts as the next second.  Before 1970 all zeros, after 2106 all
 * ones, so that infinite and far ends work.
 */
PG_FUNCTION_INFO_V1(objectid_floor);
Datum
objectid_floor(PG_FUNCTION_ARGS)
{
	PG_RETURN_OBJECTID_P(copy_objectid(floor_of_time(PG_GETARG_TIMESTAMPTZ(0))));
}

/* The lowest id whose time is after a timestamptz; past 2106 all ones. */
PG_FUNCTION_INFO_V1(objectid_after);
Datum
objectid_after(PG_FUNCTION_ARGS)
{
	PG_RETURN_OBJECTID_P(copy_objectid(after_time(PG_GETARG_TIMESTAMPTZ(0))));
}

/*
 * The highest id whose time is at or before a timestamptz.  Before 1970 all
 * zeros, after 2106 all ones.
 */
PG_FUNCTION_INFO_V1(objectid_ceiling);
Datum
objectid_ceiling(PG_FUNCTION_ARGS)
{
	int64		second = tick_at(&objectid_clock, PG_GETARG_TIMESTAMPTZ(0));

	PG_RETURN_OBJECTID_P(copy_objectid(objectid_at_second(second, 0xFF)));
}

/*
 * The lowest id whose time is in a tstzrange; all ones if there is none.
 */
PG_FUNCTION_INFO_V1(objectid_lower);
Datum
objectid_lower(PG_FUNCTION_ARGS)
{
	int64		first;
	int64		last;

	if (!ticks_in_range(fcinfo, 0, &objectid_clock, &first, &last))
		first = objectid_clock.max_tick + 1;
	PG_RETURN_OBJECTID_P(copy_objectid(objectid_at_second(first, 0x00)));
}

/* The highest id whose time is in a tstzrange; all zeros if there is none. */
PG_FUNCTION_INFO_V1(objectid_upper);
Datum
objectid_upper(PG_FUNCTION_ARGS)
{
	int64		first;
	int64		last;

	if (!ticks_in_range(fcinfo, 0, &objectid_clock, &first, &last))
		last = -1;
	PG_RETURN_OBJECTID_P(copy_objectid(objectid_at_second(last, 0xFF)));
}

/*
 * Window frames RANGE BETWEEN interval PRECEDING AND interval FOLLOWING: the
 * time of the id is at most, or at least, that of the base plus or minus the
 * interval.  Core's function for timestamptz decides, and refuses a negative
 * interval.
 */
PG_FUNCTION_INFO_V1(objectid_in_range);
Datum
objectid_in_range(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall5(in_range_timestamptz_interval,
							   TimestampTzGetDatum(objectid_time(PG_GETARG_OBJECTID_P(0))),
							   TimestampTzGetDatum(objectid_time(PG_GETARG_OBJECTID_P(1))),
							   PG_GETARG_DATUM(2),
							   PG_GETARG_DATUM(3),
							   PG_GETARG_DATUM(4));
}


/*
 * Comparison of an id with a timestamptz, in the terms to which the planner
 * rewrites it (time_range.c), so that all plans have one answer.  It is the
 * comparison of objectid_timestamp(id), but that no id is above all ones: this
 * one counts as later than any time from its own second on.
 */
static int
cmp_floor(FunctionCallInfo fcinfo, int id_arg, int time_arg)
{
	objectid	bound = floor_of_time(PG_GETARG_TIMESTAMPTZ(time_arg));

	return objectid_internal_cmp(PG_GETARG_OBJECTID_P(id_arg), &bound);
}

static int
cmp_after(FunctionCallInfo fcinfo, int id_arg, int time_arg)
{
	objectid	bound = after_time(PG_GETARG_TIMESTAMPTZ(time_arg));

	return objectid_internal_cmp(PG_GETARG_OBJECTID_P(id_arg), &bound);
}

PG_FUNCTION_INFO_V1(objectid_lt_timestamptz);
Datum
objectid_lt_timestamptz(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_floor(fcinfo, 0, 1) < 0);
}

PG_FUNCTION_INFO_V1(objectid_le_timestamptz);
Datum
objectid_le_timestamptz(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_after(fcinfo, 0, 1) < 0);
}

PG_FUNCTION_INFO_V1(objectid_ge_timestamptz);
Datum
objectid_ge_timestamptz(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_floor(fcinfo, 0, 1) >= 0);
}

PG_FUNCTION_INFO_V1(objectid_gt_timestamptz);
Datum
objectid_gt_timestamptz(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_after(fcinfo, 0, 1) >= 0);
}

PG_FUNCTION_INFO_V1(timestamptz_lt_objectid);
Datum
timestamptz_lt_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_after(fcinfo, 1, 0) >= 0);
}

PG_FUNCTION_INFO_V1(timestamptz_le_objectid);
Datum
timestamptz_le_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_floor(fcinfo, 1, 0) >= 0);
}

PG_FUNCTION_INFO_V1(timestamptz_ge_objectid);
Datum
timestamptz_ge_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_after(fcinfo, 1, 0) < 0);
}

PG_FUNCTION_INFO_V1(timestamptz_gt_objectid);
Datum
timestamptz_gt_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(cmp_floor(fcinfo, 1, 0) < 0);
}

/*
 * The element type of a range argument, for the operators that take any range.
 * They must: with tstzrange itself in their declaration they would be a closer
 * match than core's for an untyped literal, and tstzrange @> '[...)' would no
 * longer be read as ranges.
 */
static Oid
range_element_type(FunctionCallInfo fcinfo, int argno)
{
	Oid			range_type = RangeTypeGetOid(PG_GETARG_RANGE_P(argno));

	return range_get_typcache(fcinfo, range_type)->rngelemtype->type_id;
}

static bool
is_within(FunctionCallInfo fcinfo, int id_arg, int range_arg)
{
	int64		second = objectid_second(PG_GETARG_OBJECTID_P(id_arg));
	int64		first;
	int64		last;

	return ticks_in_range(fcinfo, range_arg, &objectid_clock, &first, &last) &&
		second >= first && second <= last;
}

static void
wrong_range_type(FunctionCallInfo fcinfo, int range_arg)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("objectid cannot be compared with a range of type %s",
					format_type_be(RangeTypeGetOid(PG_GETARG_RANGE_P(range_arg)))),
			 errhint("Ranges of time are of type tstzrange.")));
}

/*
 * Is the time of an id in a range of timestamptz?  A range of objectid, which
 * a user may have made, is core's business.
 */
PG_FUNCTION_INFO_V1(objectid_within);
Datum
objectid_within(PG_FUNCTION_ARGS)
{
	Oid			element_type = range_element_type(fcinfo, 1);

	if (element_type == TIMESTAMPTZOID)
		PG_RETURN_BOOL(is_within(fcinfo, 0, 1));
	if (element_type != get_fn_expr_argtype(fcinfo->flinfo, 0))
		wrong_range_type(fcinfo, 1);
	return elem_contained_by_range(fcinfo);
}

/* The same from the side of the range. */
PG_FUNCTION_INFO_V1(range_contains_objectid);
Datum
range_contains_objectid(PG_FUNCTION_ARGS)
{
	Oid			element_type = range_element_type(fcinfo, 0);

	if (element_type == TIMESTAMPTZOID)
		PG_RETURN_BOOL(is_within(fcinfo, 1, 0));
	if (element_type != get_fn_expr_argtype(fcinfo->flinfo, 1))
		wrong_range_type(fcinfo, 0);
	return range_contains_elem(fcinfo);
}


/* ----------------------------------------------------------------
 *		BRIN and statistics
 * ----------------------------------------------------------------
 */

/*
 * BRIN minmax-multi support 11: how far apart two ids are, the first not
 * greater than the second.
 */
PG_FUNCTION_INFO_V1(objectid_minmax_multi_distance);
Datum
objectid_minmax_multi_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(objectid_distance(PG_GETARG_OBJECTID_P(0), PG_GETARG_OBJECTID_P(1)));
}

/* What objectid_typanalyze() found, for objectid_compute_stats(). */
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

/* The slot of a kind of statistics, or -1. */
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
 * Remove the most common values, which have statistics of their own, from a
 * sorted array; returns what is left of its length.
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
 * Statistics of a column: core's, with a finer histogram of the same sample.
 *
 * Core interpolates inside a histogram bucket only for types that it knows.
 * For others two bounds that fall into one bucket enclose nothing, and a range
 * of a day in a table of years is estimated at one row.  The finer the
 * histogram, the narrower the range that is estimated well; the sample, which
 * is what ANALYZE takes its time for, stays as it is, and so does the list of
 * most common values, whose length joins pay for.
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
	Assert(nbounds > 1);		/* core's has two at least */

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

/* The type's ANALYZE function: see objectid_compute_stats(). */
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
	/* The target's own field moved between versions; this is what it asks for. */
	data->statistics_target = stats->minrows / 300;

	stats->compute_stats = objectid_compute_stats;
	stats->extra_data = data;
	PG_RETURN_BOOL(true);
}


/* ----------------------------------------------------------------
 *		Parts and casts
 * ----------------------------------------------------------------
 */

/* A big-endian number of up to seven bytes. */
static int64
read_big_endian(const uint8 *bytes, int len)
{
	int64		result = 0;

	for (int i = 0; i < len; i++)
		result = result << 8 | bytes[i];
	return result;
}

/*
 * The parts of an id, as a row: created timestamptz; random bytea, the five
 * bytes of process identity; the same five read in the classic way, machine
 * (24 bits) and process (16 bits); counter (24 bits).
 */
PG_FUNCTION_INFO_V1(objectid_parts);
Datum
objectid_parts(PG_FUNCTION_ARGS)
{
	objectid   *id = PG_GETARG_OBJECTID_P(0);
	const uint8 *identity = id->data + IDENTITY_OFFSET;
	bytea	   *random = palloc(VARHDRSZ + IDENTITY_LEN);
	TupleDesc	tupdesc;
	Datum		values[5];
	bool		nulls[5] = {false};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	SET_VARSIZE(random, VARHDRSZ + IDENTITY_LEN);
	memcpy(VARDATA(random), identity, IDENTITY_LEN);

	values[0] = TimestampTzGetDatum(objectid_time(id));
	values[1] = PointerGetDatum(random);
	values[2] = Int32GetDatum((int32) read_big_endian(identity, MACHINE_LEN));
	values[3] = Int32GetDatum((int32) read_big_endian(identity + MACHINE_LEN, IDENTITY_LEN - MACHINE_LEN));
	values[4] = Int32GetDatum((int32) read_big_endian(id->data + COUNTER_OFFSET, OBJECTID_LEN - COUNTER_OFFSET));

	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/* MongoDB Extended JSON, as jsonb: {"$oid": "..."}. */
PG_FUNCTION_INFO_V1(objectid_extjson);
Datum
objectid_extjson(PG_FUNCTION_ARGS)
{
	char		hex[OBJECTID_HEX_DIGITS + 1];

	format_objectid(PG_GETARG_OBJECTID_P(0), hex);
	return DirectFunctionCall1(jsonb_in,
							   CStringGetDatum(psprintf("{\"$oid\": \"%s\"}", hex)));
}

/*
 * Cast: any spelling that text input takes; anything else:
 * invalid_text_representation.
 */
PG_FUNCTION_INFO_V1(objectid_from_text);
Datum
objectid_from_text(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall1(objectid_in, CStringGetDatum(text_to_cstring(PG_GETARG_TEXT_PP(0))));
}

/* Cast: the 12 bytes; any other length is string_data_length_mismatch. */
PG_FUNCTION_INFO_V1(objectid_from_bytea);
Datum
objectid_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);

	PG_RETURN_OBJECTID_P(objectid_from_bytes(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
											 ERRCODE_STRING_DATA_LENGTH_MISMATCH));
}

/* Cast: the 12 bytes. */
PG_FUNCTION_INFO_V1(objectid_to_bytea);
Datum
objectid_to_bytea(PG_FUNCTION_ARGS)
{
	return DirectFunctionCall1(objectid_send, PG_GETARG_DATUM(0));
}

/*
 * The string of a JSON value that stands for an objectid: a JSON string, or
 * what {"$oid": "..."} holds.  NULL for anything else, which *type then names.
 */
static char *
jsonb_objectid_string(Jsonb *jsonb, const char **type)
{
	JsonbContainer *root = &jsonb->root;
	JsonbValue	value;

	if (!JsonbExtractScalar(root, &value))
	{
		value.type = jbvBinary;
		value.val.binary.data = root;
		if (JsonContainerIsObject(root) && JsonContainerSize(root) == 1)
			getKeyJsonValueFromContainer(root, "$oid", strlen("$oid"), &value);
	}
	*type = JsonbTypeName(&value);
	return value.type == jbvString ? pnstrdup(value.val.string.val, value.val.string.len) : NULL;
}

/*
 * Cast: a JSON string of 24 hex digits, or an object whose only key is "$oid"
 * with such a string.  Another kind of JSON value: invalid_parameter_value;
 * another string: invalid_text_representation.
 */
PG_FUNCTION_INFO_V1(objectid_from_jsonb);
Datum
objectid_from_jsonb(PG_FUNCTION_ARGS)
{
	objectid   *id = palloc(sizeof(objectid));
	const char *type;
	char	   *str = jsonb_objectid_string(PG_GETARG_JSONB_P(0), &type);

	if (str == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot cast jsonb %s to type %s", type, "objectid"),
				 errdetail("Expected a string of %d hexadecimal digits, or {\"$oid\": \"...\"} with such a string.",
						   OBJECTID_HEX_DIGITS)));
	if (!scan_bare_objectid(str, id))
		objectid_syntax_error(str, NULL);
	PG_RETURN_OBJECTID_P(id);
}

/* Would the cast from this text to objectid succeed? */
PG_FUNCTION_INFO_V1(is_objectid_text);
Datum
is_objectid_text(PG_FUNCTION_ARGS)
{
	objectid	id;

	PG_RETURN_BOOL(scan_objectid(text_to_cstring(PG_GETARG_TEXT_PP(0)), &id));
}

/* Would the cast from this jsonb to objectid succeed? */
PG_FUNCTION_INFO_V1(is_objectid_jsonb);
Datum
is_objectid_jsonb(PG_FUNCTION_ARGS)
{
	objectid	id;
	const char *type;
	char	   *str = jsonb_objectid_string(PG_GETARG_JSONB_P(0), &type);

	PG_RETURN_BOOL(str != NULL && scan_bare_objectid(str, &id));
}

/* Would the cast from this bytea to objectid succeed? */
PG_FUNCTION_INFO_V1(is_objectid_bytea);
Datum
is_objectid_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(VARSIZE_ANY_EXHDR(PG_GETARG_BYTEA_PP(0)) == OBJECTID_LEN);
}


/* ----------------------------------------------------------------
 *		Generation
 * ----------------------------------------------------------------
 */

/* What this backend's ids are made of. */
static struct
{
	int			pid;			/* process that drew the identity; 0: none */
	int			kind;			/* setting under which it was drawn */
	uint32		seconds;		/* of the last id */
	uint32		counter;		/* of the last id, 24 bits */
	uint64		identity;		/* 40 bits */
}			generator;

static void
strong_random(void *buf, size_t len)
{
	if (!pg_strong_random(buf, len))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
}

/*
 * The classic identity: the first three bytes of MD5(host name), then the low
 * 16 bits of the process id, big-endian.  Process ids may have 22 bits; the
 * upper ones go into the machine bytes, or processes 65536 apart would share
 * an identity.
 */
static void
host_identity(uint8 *identity)
{
	char		hostname[256];
	uint8		digest[MD5_DIGEST_LENGTH];
	const char *errstr = NULL;

	if (gethostname(hostname, sizeof(hostname)) != 0)
		ereport(ERROR,
				(errcode_for_socket_access(),
				 errmsg("could not get host name: %m")));
	hostname[sizeof(hostname) - 1] = '\0';
	if (!pg_md5_binary(hostname, strlen(hostname), digest, &errstr))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute %s hash: %s", "MD5", errstr)));

	memcpy(identity, digest, MACHINE_LEN);
	identity[MACHINE_LEN - 1] ^= (uint8) (MyProcPid >> 16);
	identity[MACHINE_LEN] = (uint8) (MyProcPid >> 8);
	identity[MACHINE_LEN + 1] = (uint8) MyProcPid;
}

/*
 * The second of the next id: the clock's, or that of the last id where the
 * clock was set back.  A new round of the counter, or a new identity, needs a
 * new second, which may have to wait for the clock.
 */
static uint32
next_second(bool new_round)
{
	struct timeval now;
	int64		second;

	/* GetCurrentTimestamp() without its conversion, there and back. */
	gettimeofday(&now, NULL);
	second = Max(now.tv_sec, generator.seconds);

	if (unlikely(new_round) && second == generator.seconds)
	{
		second++;
		objectid_ext_wait_for_clock(tick_time(&objectid_clock, second), USECS_PER_SEC);
	}
	if (now.tv_sec < 0 || second > PG_UINT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("current time is out of range for type %s", "objectid")));
	return (uint32) second;
}

/*
 * Draw an identity and a place for the counter to start at.  Keyed on the
 * process id, for a forked child must not go on with its parent's.
 */
static void
draw_identity(void)
{
	uint8		identity[IDENTITY_LEN];
	uint32		counter;
	uint32		seconds = 0;

	if (objectid_identity == OBJECTID_IDENTITY_HOST)
		host_identity(identity);
	else
		strong_random(identity, sizeof(identity));
	strong_random(&counter, sizeof(counter));

	/*
	 * A backend whose setting was changed goes on in another second, since
	 * its new identity may be lower than the old one.
	 */
	if (generator.pid == MyProcPid)
		seconds = next_second(true);

	generator.seconds = seconds;
	generator.counter = counter & COUNTER_MASK;
	generator.identity = read_big_endian(identity, IDENTITY_LEN);
	generator.kind = objectid_identity;
	generator.pid = MyProcPid;
}

/*
 * The next id of this backend, greater than the one before, also when the
 * clock was set back or the counter wraps.
 */
PG_FUNCTION_INFO_V1(gen_objectid);
Datum
gen_objectid(PG_FUNCTION_ARGS)
{
	objectid   *id = palloc(sizeof(objectid));
	uint32		counter;
	uint32		first_bytes;
	uint64		last_bytes;

	if (unlikely(generator.pid != MyProcPid || generator.kind != objectid_identity))
		draw_identity();

	counter = (generator.counter + 1) & COUNTER_MASK;
	generator.seconds = next_second(counter == 0);
	generator.counter = counter;

	first_bytes = pg_hton32(generator.seconds);
	last_bytes = pg_hton64(generator.identity << COUNTER_BITS | generator.counter);
	memcpy(id->data, &first_bytes, sizeof(first_bytes));
	memcpy(id->data + IDENTITY_OFFSET, &last_bytes, sizeof(last_bytes));
	PG_RETURN_OBJECTID_P(id);
}
