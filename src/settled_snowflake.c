/*-------------------------------------------------------------------------
 *
 * settled_snowflake.c
 *		settled_snowflake(): up to which id of a clock sequence a reader has
 *		missed no row.
 *
 * Ids that are not taken yet are above last_value.  Those below it are
 * committed, or lost, except those that unsettled.c finds.  The order matters:
 * last_value first.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/relation.h"
#include "access/transam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "sequence_page.h"
#include "unsettled.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"


/* ----------------------------------------------------------------
 *		The call
 * ----------------------------------------------------------------
 */

/*
 * Raise an error if the published ids are not here, or if later statements of
 * the transaction use an older snapshot.
 */
void
check_can_settle(const char *funcname)
{
	if (RecoveryInProgress())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot execute %s during recovery", funcname),
				 errdetail("Only the primary knows which transactions have ids."),
				 errhint("Call it on the primary, and read here after pg_last_wal_replay_lsn() has reached a later pg_current_wal_insert_lsn() of the primary.")));
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("cannot execute %s in a transaction whose isolation level is above READ COMMITTED",
						funcname),
				 errdetail("The snapshot of the transaction is older than the result."),
				 errhint("Call it in a READ COMMITTED transaction, and read the rows in a later statement.")));
}

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
	rel = try_relation_open(relid, AccessShareLock);
	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence with OID %u does not exist", relid)));
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence", RelationGetRelationName(rel))));
	if (pg_class_aclcheck(relid, GetUserId(), ACL_SELECT | ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s", RelationGetRelationName(rel))));
	if (RELATION_IS_OTHER_TEMP(rel))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot access temporary sequences of other sessions")));
	return rel;
}

/*
 * Wait until the state of a sequence is safe: on disk and, as for a commit, on
 * synchronous standbys.  So the sequence does not go back after a crash or a
 * promotion.  The WAL of rows that are visible is safe already, but that of
 * transactions that were rolled back may not be.
 */
void
wait_until_safe(XLogRecPtr lsn)
{
	int			mode = synchronous_commit == SYNCHRONOUS_COMMIT_REMOTE_WRITE ?
		SYNC_REP_WAIT_WRITE : SYNC_REP_WAIT_FLUSH;
	XLogRecPtr	confirmed;

	XLogFlush(lsn);
	if (!SyncRepRequested() || SyncRepStandbyNames == NULL || SyncRepStandbyNames[0] == '\0')
		return;

	HOLD_INTERRUPTS();
	SyncRepWaitForLSN(lsn, false);
	RESUME_INTERRUPTS();
	CHECK_FOR_INTERRUPTS();

	/* A cancel ends the wait with a warning, which is about commits. */
	LWLockAcquire(SyncRepLock, LW_SHARED);
	confirmed = WalSndCtl->lsn[mode];
	LWLockRelease(SyncRepLock);
	if (confirmed < lsn)
		ereport(ERROR,
				(errcode(ERRCODE_QUERY_CANCELED),
				 errmsg("synchronous standbys have not confirmed the state of the sequence")));
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
 * Return the highest id (int8) such that all rows with ids of next_snowflake()
 * from a sequence (regclass) at or below it are visible to snapshots taken
 * after the call, now and later: no transaction that is running, prepared, or
 * begins later has or will have such an id.  An open transaction lowers the
 * result; the call does not wait for it.
 *
 * Not so for ids that a transaction uses which has not taken them, those of
 * nextval(), and after setval() or RESTART to a lower value.
 *
 * Errors: insufficient_privilege without SELECT or USAGE on the sequence;
 * object_not_in_prerequisite_state on a standby; invalid_transaction_state in
 * a transaction with isolation level REPEATABLE READ or SERIALIZABLE.
 */
PG_FUNCTION_INFO_V1(settled_snowflake);
Datum
settled_snowflake(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	Relation	rel;
	int64		result;

	check_can_settle("settled_snowflake()");
	unsettled_attach();
	rel = open_sequence_to_read(relid);
	result = unsettled_limit(relid, passed_value(rel));
	relation_close(rel, AccessShareLock);
	PG_RETURN_INT64(result);
}


/* ----------------------------------------------------------------
 *		Its place in a query
 * ----------------------------------------------------------------
 */

/* Does an expression call the function, also in its sub-selects? */
static bool
calls_function(Node *node, void *funcid)
{
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) && ((FuncExpr *) node)->funcid == *(Oid *) funcid)
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, as_tree_walker(calls_function), funcid, 0);
	return expression_tree_walker(node, as_tree_walker(calls_function), funcid);
}

/*
 * Does a query read a table?  The target of UPDATE or DELETE does not count:
 * rows that the statement does not see remain for the next one.
 */
static bool
reads_table(Query *query)
{
	Index		rti = 0;
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (++rti != query->resultRelation && rte->rtekind == RTE_RELATION &&
			rte->relid >= FirstNormalObjectId)
			return true;
	}
	return false;
}

/*
 * Planner support function: refuse settled_snowflake() and settled_shard_id()
 * in a condition on a table, such as WHERE id <= settled_snowflake('s').  The
 * snapshot of the statement is older than the result, so the condition would
 * be true for rows that the statement does not see.
 */
PG_FUNCTION_INFO_V1(settled_support);
Datum
settled_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
	{
		SupportRequestSimplify *req = (SupportRequestSimplify *) request;

		for (PlannerInfo *root = req->root; root != NULL; root = root->parent_root)
		{
			Query	   *query = root->parse;

			if (reads_table(query) &&
				calls_function((Node *) query->jointree, &req->fcall->funcid))
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("%s() cannot be used in a condition on a table",
								get_func_name(req->fcall->funcid)),
						 errdetail("The snapshot of the statement is older than the result, so the statement may not see all rows up to it."),
						 errhint("Call it in a statement of its own, and read the rows in the next one.")));
		}
	}
	PG_RETURN_POINTER(NULL);
}
