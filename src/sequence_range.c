/*-------------------------------------------------------------------------
 *
 * sequence_range.c
 *		Values of ordinary sequences: a range of values in one call,
 *		nextval_range(), and a value of one of several sequences,
 *		nextval_any().
 *
 *-------------------------------------------------------------------------
 */
#include "server_versions.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "common/int.h"
#include "common/pg_prng.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "sequence_defaults.h"
#include "sequence_page.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

/* How many values a WAL record reserves in advance, as in core */
#define RESERVED_VALUES 32

/*
 * Return the number of values from this one, inclusive, to the end of the
 * sequence.  2^64 does not fit, so it is reported as one less.
 */
static uint64
values_from(const FormData_pg_sequence *options, int64 value)
{
	if (value < options->seqmin || value > options->seqmax)
		return 0;
	return Min(steps_between(options, value,
							 options->seqincrement > 0 ? options->seqmax : options->seqmin),
			   PG_UINT64_MAX - 1) + 1;
}

/*
 * Set *first to the first of the next count values.  If there are not enough
 * values left and the sequence cycles, that is its first value.  Returns how
 * many values are available, which can be less than count.
 */
static uint64
first_of_range(const FormData_pg_sequence *options, Form_pg_sequence_data data,
			   int64 count, int64 *first)
{
	uint64		available;

	*first = data->last_value;
	if (data->is_called && pg_add_s64_overflow(data->last_value, options->seqincrement, first))
		available = 0;
	else
		available = values_from(options, *first);

	if (available < (uint64) count && options->seqcycle)
	{
		*first = options->seqincrement > 0 ? options->seqmin : options->seqmax;
		available = values_from(options, *first);
	}
	return available;
}

/*
 * Take count consecutive values of a locked sequence.  Returns how many were
 * available; if less than count, none is taken and the sequence is unchanged.
 */
static uint64
take_range(sequence_entry *entry, const char *funcname, int64 count, int64 *first, int64 *last)
{
	const FormData_pg_sequence *options = &entry->options;
	Relation	rel = open_sequence_entry(entry, funcname);
	Buffer		buf;
	Form_pg_sequence_data data = lock_sequence_page(rel, &buf, BUFFER_LOCK_EXCLUSIVE);
	uint64		available = first_of_range(options, data, count, first);

	if (available >= (uint64) count)
	{
		uint64		ahead = Min(available - count, RESERVED_VALUES);

		*last = value_after(options, *first, count - 1);
		advance_sequence(entry, rel, buf, *last, value_after(options, *last, ahead));
	}
	UnlockReleaseBuffer(buf);
	relation_close(rel, NoLock);
	return available;
}

/* Report that a sequence has fewer values left than requested. */
static void
report_too_few_values(const char *sequence, uint64 available, int64 count)
{
	if (available == 0)
		ereport(ERROR,
				(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
				 errmsg("sequence \"%s\" has no values left", sequence)));
	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg_plural("sequence \"%s\" has only %llu value left, fewer than the %lld requested",
						   "sequence \"%s\" has only %llu values left, fewer than the %lld requested",
						   (unsigned long) Min(available, ULONG_MAX),
						   sequence,
						   (unsigned long long) available, (long long) count)));
}

/*
 * Take the next count (int8) values of a sequence (regclass) in one step.
 * Returns a row of first, last and step, all int8.  Otherwise this is like
 * count calls of nextval().  A range of a cycling sequence does not extend
 * past its end.
 *
 * Errors: those of nextval(); feature_not_supported for a call outside FROM;
 * invalid_parameter_value for a count below 1;
 * sequence_generator_limit_exceeded if the sequence does not have enough
 * values left, and then nothing is taken.
 */
PG_FUNCTION_INFO_V1(nextval_range);
Datum
nextval_range(PG_FUNCTION_ARGS)
{
	sequence_entry *entry;
	int64		count = PG_GETARG_INT64(1);
	TupleDesc	tupdesc;
	int64		first;
	int64		last;
	uint64		available;
	Datum		values[3];
	bool		nulls[3] = {false};

	/* Only the executor node for FROM passes resultinfo. */
	if (fcinfo->resultinfo == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s can be called only in the FROM clause", "nextval_range()"),
				 errdetail("In \"SELECT (nextval_range(...)).*\", it would be called once for each column."),
				 errhint("Use \"SELECT * FROM nextval_range(...)\".")));
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (count < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("count must be at least 1, not %lld", (long long) count)));

	entry = lock_sequence(PG_GETARG_OID(0));
	check_ranged_sequence(entry);
	available = take_range(entry, "nextval_range()", count, &first, &last);
	if (available < (uint64) count)
		report_too_few_values(get_rel_name(entry->relid), available, count);

	values[0] = Int64GetDatum(first);
	values[1] = Int64GetDatum(last);
	values[2] = Int64GetDatum(entry->options.seqincrement);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/*
 * Return the next value (int8) of one of several sequences (regclass[]),
 * chosen at random among those that have values left.
 *
 * Errors: those of nextval(); sequence_generator_limit_exceeded if no sequence
 * has values left; invalid_parameter_value for an array that is empty or
 * contains nulls.
 */
PG_FUNCTION_INFO_V1(nextval_any);
Datum
nextval_any(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P_COPY(0);
	Oid		   *sequences = (Oid *) ARR_DATA_PTR(array);
	int			nsequences = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	int64		value;

	if (nsequences == 0 || array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("array of sequences must not be empty or contain nulls")));

	for (; nsequences > 0; nsequences--)
	{
		int			chosen = (int) pg_prng_uint64_range(&pg_global_prng_state, 0, nsequences - 1);

		CHECK_FOR_INTERRUPTS();
		if (take_range(lock_sequence(sequences[chosen]), "nextval_any()", 1, &value, &value) > 0)
			PG_RETURN_INT64(value);

		/* This one is exhausted, so choose among the others. */
		sequences[chosen] = sequences[nsequences - 1];
	}

	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg("none of the sequences has values left")));
}
