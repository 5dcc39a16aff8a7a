/*-------------------------------------------------------------------------
 *
 * sequence_page.c
 *		Backend-local state of sequences, and access to their pages, for all
 *		functions that take values from a sequence.
 *
 * We change a sequence as nextval() does, under the exclusive lock of its one
 * page, and its tuple has the same meaning: WAL covers all values up to
 * last_value + log_cnt * increment.  So nextval(), setval(), ALTER SEQUENCE,
 * dump, restore and replication continue to work, and can be mixed with our
 * functions.
 *
 * Some commands break that rule: ALTER SEQUENCE ... START, ... AS, ... SET
 * LOGGED, ALTER TABLE ... SET LOGGED and CREATE DATABASE rewrite the page and
 * keep log_cnt, but their WAL only contains last_value.  All of these
 * commands, and their rollback, send an invalidation or require a new
 * backend.  So a backend trusts log_cnt only if it has itself written WAL for
 * the sequence since the last invalidation.
 *
 *-------------------------------------------------------------------------
 */
#include "server_versions.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "sequence_page.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "unsettled.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

/* Core's magic number in the special space of a sequence's page */
#define SEQUENCE_MAGIC	0x1717

/* How many sequences a session remembers; more only if a transaction uses them */
#define ENTRIES_MAX		1024

static HTAB *sequences = NULL;

/* The one that was looked up last */
static sequence_entry *last_entry = NULL;


/* ----------------------------------------------------------------
 *		Backend-local state
 * ----------------------------------------------------------------
 */

/* Relcache callback: invalidate one relation, or all for InvalidOid. */
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
 * Syscache callback: a role, a membership or the owner of a database, who is a
 * member of pg_database_owner, has changed, so privileges may have changed.
 */
static void
invalidate_roles(Datum arg, int cacheid, uint32 hashvalue)
{
	invalidate_relation(arg, InvalidOid);
}

pg_noreturn static void
report_missing_sequence(Oid relid)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("sequence with OID %u does not exist", relid)));
}

/* Forget the sequences that the current transaction has not used. */
static void
forget_unused_sequences(void)
{
	HASH_SEQ_STATUS status;
	sequence_entry *entry;

	last_entry = NULL;
	hash_seq_init(&status, sequences);
	while ((entry = hash_seq_search(&status)) != NULL)
	{
		if (entry->lxid == MyProcLxid)
			continue;
		unsettled_forget(entry);
		hash_search(sequences, &entry->relid, HASH_REMOVE, NULL);
	}
}

static void
create_sequences(void)
{
	HASHCTL		ctl;

	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(sequence_entry);
	sequences = hash_create("objectid_ext sequences", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(invalidate_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, invalidate_roles, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, invalidate_roles, (Datum) 0);
	CacheRegisterSyscacheCallback(DATABASEOID, invalidate_roles, (Datum) 0);
}

/*
 * Return what this backend knows of a sequence.  A new entry must be for a
 * relation that exists, because a role can ask for any OID.
 */
static sequence_entry *
lookup_sequence_entry(Oid relid)
{
	static long max = ENTRIES_MAX;
	sequence_entry *entry;

	if (sequences == NULL)
		create_sequences();
	entry = hash_search(sequences, &relid, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;

	AcceptInvalidationMessages();
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		report_missing_sequence(relid);
	if (hash_get_num_entries(sequences) >= max)
	{
		forget_unused_sequences();
		max = Max(ENTRIES_MAX, 2 * hash_get_num_entries(sequences));
	}
	entry = hash_search(sequences, &relid, HASH_ENTER, NULL);
	*entry = (sequence_entry) {.relid = relid};
	return entry;
}

/*
 * Lock a sequence until the end of the transaction, so that it is neither
 * altered nor dropped, and return its entry, which is kept as long.  The owner
 * of the lock is the top transaction, so we do this only once per transaction,
 * even if a subtransaction is rolled back.
 */
sequence_entry *
lock_sequence(Oid relid)
{
	ResourceOwner owner = CurrentResourceOwner;

	/* A statement usually uses the same sequence in all calls. */
	if (last_entry == NULL || last_entry->relid != relid)
		last_entry = lookup_sequence_entry(relid);
	if (last_entry->lxid == MyProcLxid)
		return last_entry;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(relid, RowExclusiveLock);
	CurrentResourceOwner = owner;
	last_entry->lxid = MyProcLxid;

	/* As relation_open() does: such a transaction cannot be prepared. */
	if (last_entry->valid && last_entry->is_temp)
		MyXactFlags |= XACT_FLAGS_ACCESSEDTEMPNAMESPACE;
	return last_entry;
}


/* ----------------------------------------------------------------
 *		The sequence and its page
 * ----------------------------------------------------------------
 */

/*
 * Open a sequence on which the user has one of these privileges.  The errors,
 * and their order, are those of nextval().
 */
Relation
open_sequence(Oid relid, LOCKMODE lockmode, AclMode privileges)
{
	Relation	rel = try_relation_open(relid, lockmode);

	if (rel == NULL)
		report_missing_sequence(relid);
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence", RelationGetRelationName(rel))));
	if (pg_class_aclcheck(relid, GetUserId(), privileges) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s", RelationGetRelationName(rel))));
	return rel;
}

/* Open a sequence for the first time since an invalidation, or as another user. */
static Relation
check_sequence_entry(sequence_entry *entry)
{
	Relation	rel;
	HeapTuple	tuple;

	/* A change of user does not affect what we know about the page. */
	if (!entry->valid)
		entry->logged = false;

	/* Do this first, so that an invalidation during the checks takes effect. */
	entry->valid = true;
	entry->userid = InvalidOid;

	rel = open_sequence(entry->relid, NoLock, ACL_USAGE | ACL_UPDATE);
	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(entry->relid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", entry->relid);
	entry->options = *(Form_pg_sequence) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);

	entry->is_temp = rel->rd_islocaltemp;
	entry->userid = GetUserId();
	return rel;
}

/*
 * Open a locked sequence to take values from it, and discard the block at
 * hand.
 */
Relation
open_sequence_entry(sequence_entry *entry, const char *funcname)
{
	Relation	rel;

	entry->remaining = 0;
	if (entry->valid && entry->userid == GetUserId())
		rel = relation_open(entry->relid, NoLock);
	else
		rel = check_sequence_entry(entry);

	/* Read-only transactions can only change temporary sequences. */
	if (!entry->is_temp)
		PreventCommandIfReadOnly(funcname);
	/* Parallel workers do not share our state. */
	PreventCommandIfParallelMode(funcname);
	return rel;
}

/* Return the tuple of a sequence's page. */
static Form_pg_sequence_data
sequence_data(Page page)
{
	HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));

	return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
}

/*
 * Pin and lock the one page of a sequence, to read or change its tuple.  If
 * the page has been lost, raise an error as nextval() does, rather than start
 * again with the first value.
 */
Form_pg_sequence_data
lock_sequence_page(Relation rel, Buffer *buf, int mode)
{
	Page		page;

	*buf = ReadBuffer(rel, 0);
	LockBuffer(*buf, mode);
	page = BufferGetPage(*buf);
	if (PageIsNew(page) || *(uint32 *) PageGetSpecialPointer(page) != SEQUENCE_MAGIC)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("page of sequence \"%s\" is damaged", RelationGetRelationName(rel))));
	return sequence_data(page);
}

/*
 * Will a WAL record be on disk once our transaction has committed?  A record
 * of another transaction that is still running may not be, because a commit
 * flushes WAL only if its transaction has an id and has written WAL itself.
 */
static bool
is_flushed_by_commit(XLogRecPtr lsn)
{
	return synchronous_commit == SYNCHRONOUS_COMMIT_OFF ||
		(TransactionIdIsValid(GetTopTransactionIdIfAny()) && XactLastRecEnd != InvalidXLogRecPtr) ||
		!XLogNeedsFlush(lsn);
}

/* Does WAL already cover a value, so that a crash cannot repeat it? */
static bool
is_covered(const sequence_entry *entry, Page page, int64 value)
{
	Form_pg_sequence_data data = sequence_data(page);
	int64		covered = value_after(&entry->options, data->last_value, data->log_cnt);

	/*
	 * The first change after a checkpoint must be logged in any case: replay
	 * begins at the checkpoint and would not see an earlier record.
	 */
	if (!entry->logged || !data->is_called || PageGetLSN(page) <= GetRedoRecPtr() ||
		!is_flushed_by_commit(PageGetLSN(page)))
		return false;

	/*
	 * A sequence that has cycled goes back, so WAL does not cover the value.
	 */
	return entry->options.seqincrement > 0 ?
		value > data->last_value && value <= covered :
		value < data->last_value && value >= covered;
}

/*
 * Set a locked page to the state in which the sequence has issued all values
 * up to this one, and write that to WAL.  This is the state that recovery
 * restores.  Returns the end of the record, for callers that must flush it.
 */
static XLogRecPtr
log_sequence_value(Relation rel, Buffer buf, int64 value)
{
	GenericXLogState *state;
	Form_pg_sequence_data data;

	/*
	 * If the transaction has an id, its commit flushes the record and waits
	 * for synchronous standbys.
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
 * Like log_sequence_value(), for an open sequence.  The caller holds a lock
 * that prevents it from being altered or dropped.  If the sequence is not
 * WAL-logged, it is changed too, and the result is InvalidXLogRecPtr.
 */
XLogRecPtr
set_sequence_value(Relation rel, int64 value)
{
	Buffer		buf;
	XLogRecPtr	lsn;

	(void) lock_sequence_page(rel, &buf, BUFFER_LOCK_EXCLUSIVE);
	lsn = log_sequence_value(rel, buf, value);
	UnlockReleaseBuffer(buf);
	return lsn;
}

/*
 * Set last_value, and make sure that WAL covers it.  If a record is needed, it
 * covers all values up to reserved.  No other process sees the page between
 * the record and the final state, because we hold its lock; a checkpoint waits
 * for that lock, too.  If the record cannot be written, the page is as before, and
 * the id that was published for it lowers no bound, because it is above last_value.
 */
void
advance_sequence(sequence_entry *entry, Relation rel, Buffer buf,
				 int64 last_value, int64 reserved)
{
	Page		page = BufferGetPage(buf);
	Form_pg_sequence_data data = sequence_data(page);
	int64		log_cnt = 0;

	/*
	 * Do this before reading the redo pointer, so that a checkpoint that
	 * begins after that finds the page dirty.
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
