/*-------------------------------------------------------------------------
 *
 * sequence_page.c
 *		The page of a sequence and its WAL, for all functions that take values from
 *		a sequence.
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
#include "sequence_page.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "utils/rel.h"

/* Core's magic number in the special space of a sequence's page */
#define SEQUENCE_MAGIC	0x1717

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

	/* A sequence that has cycled goes back, so WAL does not cover the value. */
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
