/*-------------------------------------------------------------------------
 *
 * shard_reservation.c
 *		The sequence of the extension that holds the reservation of
 *		next_shard_id(): how it is found, and when its file may be used.
 *
 *-------------------------------------------------------------------------
 */
#include "shard_reservation.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "sequence_entry.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#define EXTENSION		"objectid_ext"
#define RESERVATION_SEQUENCE	"shard_id_reservation"

/* The sequence, or InvalidOid if it must be looked up */
static Oid	reservation_relid = InvalidOid;

LocalTransactionId reservation_lxid = InvalidLocalTransactionId;

/* Relcache callback: the sequence, or any, was altered or dropped. */
static void
invalidate_sequence(Datum arg, Oid relid)
{
	if (relid == reservation_relid || !OidIsValid(relid))
	{
		reservation_relid = InvalidOid;
		reservation_lxid = InvalidLocalTransactionId;
	}
}

/* Return the schema of the extension, as a snapshot sees it, or InvalidOid. */
static Oid
extension_schema(Snapshot snapshot)
{
	Relation	extensions = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			result = InvalidOid;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum(EXTENSION));
	scan = systable_beginscan(extensions, ExtensionNameIndexId, true, snapshot, 1, &key);
	if (HeapTupleIsValid(tuple = systable_getnext(scan)))
		result = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	systable_endscan(scan);
	table_close(extensions, AccessShareLock);
	return result;
}

/* Was there an extension before this transaction?  It may have dropped it. */
static bool
extension_existed(void)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	bool		result;

	snapshot->curcid = FirstCommandId;	/* before all that we have done */
	result = OidIsValid(extension_schema(snapshot));
	UnregisterSnapshot(snapshot);
	return result;
}

/* Find the sequence, or raise an error. */
static Oid
find_reservation_sequence(void)
{
	static bool registered = false;
	Oid			extension;
	Oid			relid;

	if (!registered)
		CacheRegisterRelcacheCallback(invalidate_sequence, (Datum) 0);
	registered = true;

	/* Others can have committed DROP and CREATE EXTENSION since the statement began. */
	AcceptInvalidationMessages();
	if (OidIsValid(reservation_relid))
		return reservation_relid;

	extension = get_extension_oid(EXTENSION, false);
	relid = get_relname_relid(RESERVATION_SEQUENCE, extension_schema(NULL));
	if (!OidIsValid(relid) || getExtensionOfObject(RelationRelationId, relid) != extension)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence \"%s\" of extension %s does not exist",
						RESERVATION_SEQUENCE, EXTENSION)));
	return reservation_relid = relid;
}

/*
 * Open the sequence, with a lock that is held until the end of the transaction: no
 * other takes its place as long.  While we wait for the lock, DROP EXTENSION can come
 * first.
 */
Relation
open_reservation(LOCKMODE lockmode)
{
	Relation	rel;

	while ((rel = try_relation_open(find_reservation_sequence(), lockmode)) == NULL)
		reservation_relid = InvalidOid;
	return rel;
}

/* Open the sequence, to write to it. */
Relation
open_reservation_to_write(void)
{
	Relation	rel = open_reservation(RowExclusiveLock);

	(void) lock_sequence(RelationGetRelid(rel));
	if (rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"%s\" is not a logged sequence", RESERVATION_SEQUENCE)));

	/*
	 * A rollback would remove the file with our reservation, and the file, or the
	 * sequence, from before would come back.
	 */
	if (RelationGetNewFileSubid(rel) != InvalidSubTransactionId ||
		(rel->rd_createSubid != InvalidSubTransactionId && extension_existed()))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot execute %s in the transaction that replaced sequence \"%s\"",
						"next_shard_id()", RESERVATION_SEQUENCE),
				 errhint("Commit the transaction first.")));
	return rel;
}
