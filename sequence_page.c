/*-------------------------------------------------------------------------
 *
 * sequence_page.c
 *		What all functions that take values from a sequence share: what this
 *		backend knows of the sequence, and its page.
 *
 * A sequence is changed under the exclusive lock of its one page, as nextval()
 * does it, and the tuple means what it means there: WAL covers all values up
 * to last_value + log_cnt * increment.  So nextval(), setval(), ALTER
 * SEQUENCE, dump, restore and replication go on working, and all functions may
 * be used in turn.
 *
 * Some commands break that rule: ALTER SEQUENCE ... START, ... AS, ... SET
 * LOGGED, ALTER TABLE ... SET LOGGED and CREATE DATABASE write the page anew
 * and keep log_cnt, but their WAL has last_value alone.  All of them, and a
 * rollback of them, send an invalidation or need a new backend.  So a backend
 * believes log_cnt only after it has written WAL for the sequence itself since
 * its last invalidation.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "sequence_page.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

/* What core puts into the special space of a sequence's page. */
#define SEQUENCE_MAGIC	0x1717

static HTAB *sequences = NULL;


/* ----------------------------------------------------------------
 *		What this backend knows of sequences
 * ----------------------------------------------------------------
 */

/* Forget blocks of one relation, or of all for InvalidOid. */
static void
invalidate_relation(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	sequence_entry *entry;

	if (OidIsValid(relid))
	{
		entry = hash_search(sequences, &relid, HASH_FIND, NULL);
		if (entry != NULL)
			entry->valid = false;
		return;
	}

	hash_seq_init(&status, sequences);
	while ((entry = hash_seq_search(&status)) != NULL)
		entry->valid = false;
}

/*
 * A role, a membership or the owner of a database, who is a member of
 * pg_database_owner, changed, and with it perhaps who may do what.
 */
static void
invalidate_roles(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidate_relation(arg, InvalidOid);
}

sequence_entry *
lookup_sequence_entry(Oid relid)
{
	static sequence_entry *last = NULL;
	bool		found;

	/* A statement asks for the same sequence over and over. */
	if (last != NULL && last->relid == relid)
		return last;

	if (sequences == NULL)
	{
		HASHCTL		ctl;

		ctl.keysize = sizeof(Oid);
		ctl.entrysize = sizeof(sequence_entry);
		sequences = hash_create("objectid_ext sequences", 16, &ctl,
									  HASH_ELEM | HASH_BLOBS);
		CacheRegisterRelcacheCallback(invalidate_relation, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHOID, invalidate_roles, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, invalidate_roles, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, invalidate_roles, (Datum) 0);
	}

	last = hash_search(sequences, &relid, HASH_ENTER, &found);
	if (!found)
	{
		last->lxid = InvalidLocalTransactionId;
		last->warned = false;
		last->valid = false;
		last->is_temp = false;
		last->remaining = 0;
	}
	return last;
}

/*
 * Hold a lock on the sequence until the end of the transaction, so that it is
 * neither altered nor dropped meanwhile.  The transaction owns it, not a
 * subtransaction, so that once is enough.
 */
void
lock_sequence_entry(sequence_entry *entry)
{
	ResourceOwner owner = CurrentResourceOwner;

	if (entry->lxid == MyProcLxid)
		return;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(entry->relid, RowExclusiveLock);
	CurrentResourceOwner = owner;
	entry->lxid = MyProcLxid;

	/* As opening it would: such a transaction cannot be prepared. */
	if (entry->valid && entry->is_temp)
		MyXactFlags |= XACT_FLAGS_ACCESSEDTEMPNAMESPACE;
}


/* ----------------------------------------------------------------
 *		The sequence and its page
 * ----------------------------------------------------------------
 */

/*
 * Check that the sequence is one, and ours to take values from, and read its
 * options.  The errors, and their order, are those of nextval().
 */
static void
check_sequence(sequence_entry *entry, Relation rel)
{
	HeapTuple	tuple;

	/* Another user is no reason to doubt the page. */
	if (!entry->valid)
		entry->logged = false;

	/* Before all else, so that a change during what follows is not overlooked. */
	entry->valid = true;
	entry->userid = InvalidOid;

	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence", RelationGetRelationName(rel))));
	if (pg_class_aclcheck(entry->relid, GetUserId(), ACL_USAGE | ACL_UPDATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s", RelationGetRelationName(rel))));

	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(entry->relid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", entry->relid);
	entry->options = *(Form_pg_sequence) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);

	entry->is_temp = rel->rd_islocaltemp;
	entry->userid = GetUserId();
}

/* Open a locked sequence to take values from it; what was cached is dropped. */
Relation
open_sequence_entry(sequence_entry *entry, const char *funcname)
{
	Relation	rel = try_relation_open(entry->relid, NoLock);

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence with OID %u does not exist", entry->relid)));

	entry->remaining = 0;
	if (!entry->valid || entry->userid != GetUserId())
		check_sequence(entry, rel);

	/* Read-only transactions may only change temporary sequences. */
	if (!entry->is_temp)
		PreventCommandIfReadOnly(funcname);
	/* The workers would have to share what this backend knows. */
	PreventCommandIfParallelMode(funcname);
	return rel;
}

/* The tuple of a sequence's page. */
static Form_pg_sequence_data
sequence_data(Page page)
{
	HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));

	return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
}

/*
 * Pin and lock the one page of a sequence, to read or change its tuple.  A
 * page that a disk has lost is an error, as for nextval(), and not a sequence
 * that begins anew.
 */
Form_pg_sequence_data
lock_sequence_page(Relation rel, Buffer *buf)
{
	Page		page;

	*buf = ReadBuffer(rel, 0);
	LockBuffer(*buf, BUFFER_LOCK_EXCLUSIVE);
	page = BufferGetPage(*buf);
	if (PageIsNew(page) || *(uint32 *) PageGetSpecialPointer(page) != SEQUENCE_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("page of sequence \"%s\" is damaged", RelationGetRelationName(rel))));
	return sequence_data(page);
}

/*
 * Is a WAL record on disk once our transaction has committed?  That of another
 * transaction, which has not ended, need not be, because a commit flushes
 * nothing unless it has an id and a record of its own.
 */
static bool
is_flushed_by_commit(XLogRecPtr lsn)
{
	return synchronous_commit == SYNCHRONOUS_COMMIT_OFF ||
		(TransactionIdIsValid(GetTopTransactionIdIfAny()) && XactLastRecEnd != InvalidXLogRecPtr) ||
		!XLogNeedsFlush(lsn);
}

/* Does WAL already cover a value, so that a crash cannot bring it back? */
static bool
is_covered(const sequence_entry *entry, Page page, int64 value)
{
	Form_pg_sequence_data data = sequence_data(page);
	int64		covered = value_after(&entry->options, data->last_value, data->log_cnt);

	/*
	 * The first change after a checkpoint must be logged in any case: replay
	 * begins at the checkpoint and would not see an earlier record.
	 */
	if (!entry->logged || !data->is_called || PageGetLSN(page) <= GetRedoRecPtr())
		return false;
	if (!is_flushed_by_commit(PageGetLSN(page)))
		return false;

	/* A sequence that begins anew goes back: that is covered by nothing. */
	return entry->options.seqincrement > 0 ?
		value > data->last_value && value <= covered :
		value < data->last_value && value >= covered;
}

/*
 * Set a locked page, by a WAL record, to the state in which the sequence has
 * issued everything up to a value.  The page is then as recovery would leave
 * it.  Returns the end of the record, for those who must flush it.
 */
static XLogRecPtr
log_sequence_value(Relation rel, Buffer buf, int64 value)
{
	GenericXLogState *state;
	Form_pg_sequence_data data;

	/*
	 * With a transaction id the commit flushes the record and waits for
	 * synchronous standbys.
	 */
	GetTopTransactionId();

	state = GenericXLogStart(rel);
	data = sequence_data(GenericXLogRegisterBuffer(state, buf, GENERIC_XLOG_FULL_IMAGE));
	data->last_value = value;
	data->is_called = true;
	data->log_cnt = 0;
	return GenericXLogFinish(state);
}

/*
 * The same for the sequence of an open relation, on which the caller holds a
 * lock that keeps it from being altered or dropped.  A relation without WAL is
 * changed as well; there is no record, and InvalidXLogRecPtr.
 */
XLogRecPtr
set_sequence_value(Relation rel, int64 value)
{
	Buffer		buf;
	XLogRecPtr	lsn;

	(void) lock_sequence_page(rel, &buf);
	lsn = log_sequence_value(rel, buf, value);
	UnlockReleaseBuffer(buf);
	return lsn;
}

/*
 * Set last_value, of which WAL must cover everything up to reserved.  Nobody
 * sees the page between the record and the final state, for we have it
 * locked; a checkpoint waits for that lock, too.
 */
void
advance_sequence(sequence_entry *entry, Relation rel, Buffer buf,
				 int64 last_value, int64 reserved)
{
	Page		page = BufferGetPage(buf);
	Form_pg_sequence_data data = sequence_data(page);
	int64		log_cnt = 0;

	/*
	 * Before the look at the redo pointer: a checkpoint that begins after it
	 * then finds the page dirty.
	 */
	MarkBufferDirty(buf);

	if (RelationNeedsWAL(rel))
	{
		if (is_covered(entry, page, last_value))
			reserved = value_after(&entry->options, data->last_value, data->log_cnt);
		else
		{
			(void) log_sequence_value(rel, buf, reserved);
			entry->logged = true;
		}
		log_cnt = steps_between(&entry->options, last_value, reserved);
	}

	data->last_value = last_value;
	data->is_called = true;
	data->log_cnt = log_cnt;
}
