/*-------------------------------------------------------------------------
 *
 * sequence_entry.c
 *		What a session knows of a sequence, for all functions that take values
 *		from one: locking and opening it, and what its definition allows.
 *
 *-------------------------------------------------------------------------
 */
#include "sequence_entry.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

uint64		catalog_changes = 1;

static HTAB *sequences = NULL;

/* The one that was looked up last */
static sequence_entry *last_entry = NULL;

/*
 * Relcache callback: invalidate one relation, or all for InvalidOid.  It can be the table
 * of a default.
 */
static void
invalidate_relation(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS status;
	sequence_entry *entry;

	catalog_changes++;
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
 * Syscache callback: a domain has changed, and perhaps its default; or a role, a
 * membership or the owner of a database, who is a member of pg_database_owner, and
 * perhaps privileges.
 */
static void
invalidate_others(Datum arg, int cacheid, uint32 hashvalue)
{
	if (cacheid == TYPEOID)
		catalog_changes++;
	else
		invalidate_relation(arg, InvalidOid);
}

pg_noreturn static void
report_missing_sequence(Oid relid)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("sequence with OID %u does not exist", relid)));
}

static void
create_sequences(void)
{
	HASHCTL		ctl;

	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(sequence_entry);
	sequences = hash_create("objectid_ext sequences", 16, &ctl, HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(invalidate_relation, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, invalidate_others, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, invalidate_others, (Datum) 0);
	CacheRegisterSyscacheCallback(DATABASEOID, invalidate_others, (Datum) 0);
	CacheRegisterSyscacheCallback(TYPEOID, invalidate_others, (Datum) 0);
}

/*
 * Return what this backend knows of a sequence, until it exits, as it does of those of
 * nextval().  A new entry must be for a relation that exists, because a role can ask
 * for any OID.
 */
sequence_entry *
find_sequence_entry(Oid relid)
{
	sequence_entry *entry;

	if (sequences == NULL)
		create_sequences();
	entry = hash_search(sequences, &relid, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;

	AcceptInvalidationMessages();
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(relid)))
		report_missing_sequence(relid);
	entry = hash_search(sequences, &relid, HASH_ENTER, NULL);
	*entry = (sequence_entry) {.relid = relid};
	return entry;
}

/*
 * Lock a sequence until the end of the transaction, so that it is neither
 * altered nor dropped, and return its entry.  The owner of the lock is the top
 * transaction, so we do this only once per transaction, even if a subtransaction
 * is rolled back.
 */
sequence_entry *
lock_sequence(Oid relid)
{
	ResourceOwner owner = CurrentResourceOwner;

	/* A statement usually uses the same sequence in all calls. */
	if (last_entry == NULL || last_entry->relid != relid)
		last_entry = find_sequence_entry(relid);
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
	Oid			extension = getExtensionOfObject(RelationRelationId, entry->relid);
	AclMode		privileges = ACL_USAGE | ACL_UPDATE;
	Relation	rel;
	HeapTuple	tuple;

	/* A change of user does not affect what we know about the page and the defaults. */
	if (!entry->valid)
	{
		entry->logged = false;
		entry->layout_default = (sequence_default) {0};	/* an older one may count now */
	}

	/* Do this first, so that an invalidation during the checks takes effect. */
	entry->valid = true;
	entry->userid = InvalidOid;

	/* GRANT USAGE ON ALL SEQUENCES must not be enough to move the clock of next_shard_id(). */
	if (OidIsValid(extension) && extension == get_extension_oid("objectid_ext", true))
		privileges = ACL_UPDATE;
	rel = open_sequence(entry->relid, NoLock, privileges);
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
