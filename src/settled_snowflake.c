/*-------------------------------------------------------------------------
 *
 * settled_snowflake.c
 *		settled_snowflake() and settled_shard_id(): up to which id a reader has
 *		missed no row.
 *
 * Ids that are not taken yet are above last_value, or after the time of the clock
 * of next_shard_id().  Those below are committed, or lost, except those that
 * unsettled.c finds.  The order matters: last_value or the clock first.
 *
 * Both are procedures.  The snapshot of a query is older than a bound that the
 * query computes, so a condition with that bound would be true for rows that the
 * query does not see; CALL cannot be part of a query, unless a function hides it.
 *
 *-------------------------------------------------------------------------
 */
#include "snowflake_layout.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "sequence_defaults.h"
#include "sequence_page.h"
#include "shard_clock.h"
#include "unsettled.h"
#include "utils/inval.h"
#include "utils/rel.h"

/*
 * Begin a call of either procedure.  Raises an error if the argument is null (a procedure cannot be
 * STRICT), on a standby, which does not know the ids of running transactions, and if
 * later statements of the transaction would use an older snapshot.  Returns the
 * descriptor of the result, because it cannot be looked up once the procedure has been
 * dropped, which can happen during the call.
 */
static TupleDesc
begin_call(FunctionCallInfo fcinfo, const char *name, const char *argument)
{
	TupleDesc	tupdesc;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", argument)));
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot execute %s during recovery", name),
				 errdetail("Only the primary knows which transactions have ids."),
				 errhint("Call it on the primary, and read here after pg_last_wal_replay_lsn() has reached a later pg_current_wal_insert_lsn() of the primary.")));
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("cannot execute %s in a transaction whose isolation level is above READ COMMITTED",
						name),
				 errdetail("The snapshot of the transaction is older than the result."),
				 errhint("Call it in a READ COMMITTED transaction, and read the rows in a later statement.")));
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	unsettled_attach();
	return BlessTupleDesc(tupdesc);
}

/* Return the row of a procedure whose only output is a bound (int8). */
static Datum
bound_row(TupleDesc tupdesc, int64 bound)
{
	Datum		value = Int64GetDatum(bound);
	bool		isnull = false;

	return HeapTupleGetDatum(heap_form_tuple(tupdesc, &value, &isnull));
}

/*
 * Wait until the state of a sequence is safe: on disk and, as for a commit, on
 * synchronous standbys.  So the sequence does not go back after a crash or a
 * promotion.  The WAL of rows that are visible is safe already, but that of
 * transactions that were rolled back may not be.
 */
static void
wait_until_safe(XLogRecPtr lsn)
{
	int			mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ?
		SYNC_REP_WAIT_WRITE : SYNC_REP_WAIT_FLUSH;
	XLogRecPtr	confirmed;
	bool		interrupted;

	XLogFlush(lsn);
	if (!SyncRepRequested() || SyncRepStandbyNames == NULL || SyncRepStandbyNames[0] == '\0')
		return;

	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, false);
	interrupted = InterruptPending;
	RESUME_INTERRUPTS();
	CHECK_FOR_INTERRUPTS();

	/*
	 * A cancel ends the wait with a warning, which is about commits.  The wait also
	 * ends when no synchronous standby is configured any more: then commits do not
	 * wait, and neither do we.  (A minor release changed the field that says so.)
	 */
	LWLockAcquire(SyncRepLock, LW_SHARED);
	confirmed = WalSndCtl->lsn[mode];
	LWLockRelease(SyncRepLock);
	if (interrupted && confirmed < lsn)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("synchronous standbys have not confirmed the state of the sequence")));
}


/* ----------------------------------------------------------------
 *		settled_snowflake
 * ----------------------------------------------------------------
 */

/*
 * Open a sequence from which the user can read.  ALTER SEQUENCE can replace its
 * file although the transaction already holds the same lock, and then taking
 * the lock does not look for invalidations.
 */
static Relation
open_sequence_to_read(Oid relid)
{
	Relation	rel;

	AcceptInvalidationMessages();
	rel = open_sequence(relid, AccessShareLock, ACL_SELECT | ACL_USAGE);
	if (RelationUsesLocalBuffers(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot execute settled_snowflake() for a temporary sequence")));
	return rel;
}

/*
 * Return the highest value that the sequence has issued, or passed, when that
 * is safe.
 */
static int64
passed_value(Relation rel)
{
	Buffer		buf;
	Form_pg_sequence_data data = lock_sequence_page(rel, &buf, BUFFER_LOCK_SHARE);
	int64		result = data->last_value;
	XLogRecPtr	lsn = BufferGetLSNAtomic(buf);

	if (!data->is_called && result > PG_INT64_MIN)
		result--;
	UnlockReleaseBuffer(buf);
	if (RelationNeedsWAL(rel))
		wait_until_safe(lsn);
	return result;
}

/*
 * Procedure.  Sets upto (int8) to the highest id such that all rows with ids of
 * next_snowflake() from a sequence (regclass) at or below it are visible to
 * snapshots taken after the call, now and later: no transaction that is running,
 * prepared, or begins later has or will have such an id.  An open transaction
 * lowers it; the call does not wait for it.
 *
 * This does not hold for ids that a transaction has not taken itself, for those of
 * nextval(), and after setval() or RESTART to a lower value.
 *
 * Errors: null_value_not_allowed; insufficient_privilege without SELECT or USAGE
 * on the sequence; feature_not_supported for a temporary sequence;
 * object_not_in_prerequisite_state on a standby; invalid_transaction_state in
 * a transaction with isolation level REPEATABLE READ or SERIALIZABLE.
 */
PG_FUNCTION_INFO_V1(settled_snowflake);
Datum
settled_snowflake(PG_FUNCTION_ARGS)
{
	TupleDesc	tupdesc = begin_call(fcinfo, "settled_snowflake()", "sequence");
	Relation	rel = open_sequence_to_read(PG_GETARG_OID(0));
	int64		result;

	check_settled_sequence(RelationGetRelid(rel));

	/* In this order: ids that are taken meanwhile are above the value. */
	result = passed_value(rel);
	result = unsettled_limit(RelationGetRelid(rel), result);
	relation_close(rel, AccessShareLock);
	PG_RETURN_DATUM(bound_row(tupdesc, result));
}


/* ----------------------------------------------------------------
 *		settled_shard_id
 * ----------------------------------------------------------------
 */

/* Raise the time that was returned, and return the highest. */
static TimestampTz
raise_settled(TimestampTz ts)
{
	uint64		settled = pg_atomic_read_u64(&my_shard_clock->settled);

	while ((TimestampTz) settled < ts)
	{
		if (pg_atomic_compare_exchange_u64(&my_shard_clock->settled, &settled, (uint64) ts))
			return ts;
	}
	return (TimestampTz) settled;
}

/*
 * Return a time such that all rows with ids of earlier ticks are visible to
 * snapshots taken after the call.
 */
static TimestampTz
settled_time(void)
{
	Relation	rel = open_reservation(AccessShareLock);
	XLogRecPtr	lsn;
	int64		limit = shard_clock_value(shard_clock_reached(rel, &lsn));

	wait_until_safe(lsn);

	/* The published time is that of the first tick that is not settled. */
	limit = unsettled_limit(RelationGetRelid(rel), limit - 1) + 1;
	relation_close(rel, NoLock);
	return raise_settled(shard_clock_time(limit));
}

/*
 * Procedure.  Sets upto (int8) to the highest id of a layout such that all rows
 * with ids of next_shard_id() at or below it, of all shards, are visible to
 * snapshots taken after the call, now and later.  It is the last id of a tick; -1
 * if no tick of the layout is settled.  An open transaction lowers it; the call
 * does not wait for it.
 *
 * Errors: those of settled_snowflake(), but for privileges.
 */
PG_FUNCTION_INFO_V1(settled_shard_id);
Datum
settled_shard_id(PG_FUNCTION_ARGS)
{
	TupleDesc	tupdesc = begin_call(fcinfo, "settled_shard_id()", "layout");
	snowflake_layout *layout = PG_GETARG_LAYOUT_P(0);
	int64		tick;
	int64		result = -1;

	shard_clock_attach();
	tick = tick_at(&layout->clock, settled_time());
	if (tick > layout->clock.max_tick)
		result = snowflake_max_id(layout);
	else if (tick > 0)
		result = (tick << layout->time_shift) - 1;
	PG_RETURN_DATUM(bound_row(tupdesc, result));
}
