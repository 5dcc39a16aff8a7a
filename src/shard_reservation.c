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
#include "catalog/pg_depend.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "sequence_page.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#define RESERVATION_SEQUENCE	"shard_id_reservation"

/* The sequence, or InvalidOid if it must be looked up */
static Oid	reservation_relid = InvalidOid;

LocalTransactionId reservation_lxid = InvalidLocalTransactionId;


/* ----------------------------------------------------------------
 *		Finding it
 * ----------------------------------------------------------------
 */

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

/* Return the sequence that is a member of the extension, or InvalidOid. */
static Oid
member_sequence(void)
{
	Oid			extension = get_extension_oid("objectid_ext", false);
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	Oid			result = InvalidOid;

	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(ExtensionRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(extension));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend member = (Form_pg_depend) GETSTRUCT(tuple);

		if (member->classid == RelationRelationId && member->deptype == DEPENDENCY_EXTENSION &&
			get_rel_relkind(member->objid) == RELKIND_SEQUENCE)
			result = member->objid;
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return result;
}

/* Find the sequence, or raise an error. */
Oid
find_reservation_sequence(void)
{
	static bool registered = false;

	if (!registered)
		CacheRegisterRelcacheCallback(invalidate_sequence, (Datum) 0);
	registered = true;
	if (!OidIsValid(reservation_relid))
		reservation_relid = member_sequence();
	if (!OidIsValid(reservation_relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence \"%s\" of extension objectid_ext does not exist", RESERVATION_SEQUENCE)));
	return reservation_relid;
}


/* ----------------------------------------------------------------
 *		Opening it
 * ----------------------------------------------------------------
 */

/* Open the sequence, to write to it. */
Relation
open_reservation_sequence(void)
{
	Relation	rel;

	/* Hold the lock until the end of the transaction.  While we wait for it, DROP can come first. */
	while ((rel = try_relation_open(lock_sequence(find_reservation_sequence())->relid, NoLock)) == NULL)
		continue;
	if (rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("\"%s\" is not a logged sequence", RESERVATION_SEQUENCE)));

	/* A rollback would remove the file, and the file before would come back. */
	if (RelationGetNewFileSubid(rel) != InvalidSubTransactionId)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot execute %s in the transaction that replaced sequence \"%s\"",
						"next_shard_id()", RESERVATION_SEQUENCE),
				 errhint("Commit the transaction first.")));
	return rel;
}

/*
 * Open the sequence to read it, with a lock that is held until the end of the
 * transaction: no other takes its place while the words of transactions are read.
 */
Relation
open_reservation_to_read(void)
{
	for (;;)
	{
		Oid			relid;
		Relation	rel;

		AcceptInvalidationMessages();
		relid = find_reservation_sequence();
		rel = try_relation_open(relid, AccessShareLock);
		if (rel != NULL && relid == find_reservation_sequence())
			return rel;
		if (rel != NULL)
			relation_close(rel, AccessShareLock);
		reservation_relid = InvalidOid;
	}
}
