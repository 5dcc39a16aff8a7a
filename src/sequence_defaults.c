/*-------------------------------------------------------------------------
 *
 * sequence_defaults.c
 *		What defaults say of a sequence: the layout of its ids, and whether nextval()
 *		takes values from it.
 *
 * pg_depend has the defaults of columns, views and domains that name a sequence.
 * Everybody can create one, so only those count whose owner has UPDATE on the sequence
 * and can set it anyway.  If two have different layouts, the one with the lower OID
 * counts, so that a mistake in a new default does not stop the inserts into a table that
 * has been there.  (A restore can change their order; OIDs start again at four billion.)
 *
 *-------------------------------------------------------------------------
 */
#include "sequence_defaults.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

extern PGDLLEXPORT Datum next_snowflake(PG_FUNCTION_ARGS);

/*
 * Tree walker: does an expression pass the sequence to the function?  A layout must be a
 * constant, and is stored.
 */
static bool
has_call(Node *node, void *context)
{
	sequence_default *search = context;
	const snowflake_layout *layout = NULL;
	bool		names_sequence = false;
	FmgrInfo	finfo;
	ListCell   *lc;

	if (node == NULL)
		return false;
	foreach(lc, IsA(node, FuncExpr) ? ((FuncExpr *) node)->args : NIL)
	{
		Expr	   *arg = lfirst(lc);
		Const	   *value = (Const *) (IsA(arg, NamedArgExpr) ? ((NamedArgExpr *) arg)->arg : arg);

		if (IsA(value, Const) && value->consttype == REGCLASSOID)
			names_sequence = DatumGetObjectId(value->constvalue) == search->relid;
		else if (IsA(value, Const) && value->constlen == sizeof(snowflake_layout))
			layout = (const snowflake_layout *) DatumGetPointer(value->constvalue);
	}
	if (names_sequence && (layout != NULL || search->function != next_snowflake))
	{
		fmgr_info(((FuncExpr *) node)->funcid, &finfo);
		if (finfo.fn_addr == search->function)
		{
			if (layout != NULL)
				search->layout = *layout;
			return true;
		}
	}
	return expression_tree_walker(node, has_call, context);
}

/* Does a default count, and does it pass the sequence to the function? */
static bool
default_has_call(Oid classid, Oid objid, Snapshot snapshot, sequence_default *search)
{
	bool		is_domain = classid == TypeRelationId;
	Relation	catalog = table_open(classid, AccessShareLock);
	ScanKeyData key;			/* the OID is the first column of both catalogs */
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		result = false;

	ScanKeyInit(&key, Anum_pg_attrdef_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(objid));
	scan = systable_beginscan(catalog, is_domain ? TypeOidIndexId : AttrDefaultOidIndexId,
							  true, snapshot, 1, &key);
	if (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Oid			owner = is_domain ? ((Form_pg_type) GETSTRUCT(tuple))->typowner :
			GetSysCacheOid1(RELOID, Anum_pg_class_relowner,
							ObjectIdGetDatum(((Form_pg_attrdef) GETSTRUCT(tuple))->adrelid));
		bool		isnull;
		Datum		bin = heap_getattr(tuple,
									   is_domain ? Anum_pg_type_typdefaultbin : Anum_pg_attrdef_adbin,
									   RelationGetDescr(catalog), &isnull);

		/* A table that was dropped since the snapshot has no owner: it counts. */
		result = !isnull && (!OidIsValid(owner) ||
							 pg_class_aclcheck(search->relid, owner, ACL_UPDATE) == ACLCHECK_OK) &&
			has_call(stringToNode(TextDatumGetCString(bin)), search);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return result;
}

/*
 * Find the oldest default that passes the sequence to the function.  With a snapshot for
 * each scan, we could see neither the old nor the new one while a default is replaced.
 */
static void
find_default(Oid relid, PGFunction function, sequence_default *found)
{
	uint64		changes = catalog_changes;	/* there can be more while we look */
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	Snapshot	snapshot = RegisterSnapshot(GetCatalogSnapshot(AttrDefaultRelationId));
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	*found = (sequence_default) {relid, function};
	ScanKeyInit(&keys[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, snapshot, 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);

		if ((form->classid == AttrDefaultRelationId || form->classid == TypeRelationId) &&
			(!OidIsValid(found->objid) || form->objid < found->objid) &&
			default_has_call(form->classid, form->objid, snapshot, found))
		{
			found->classid = form->classid;
			found->objid = form->objid;
		}
	}
	systable_endscan(scan);
	UnregisterSnapshot(snapshot);
	table_close(depend, AccessShareLock);
	found->known_at = changes;
}

/* Describe the default, or the table of an identity column. */
static const char *
describe_default(const sequence_default *known)
{
	const char *result = getObjectDescription(&(ObjectAddress) {known->classid, known->objid}, true);

	return result != NULL ? result : "a default that was just removed";
}

/* Where a tick begins does not matter. */
static bool
allows_layout(const sequence_default *known, const snowflake_layout *layout)
{
	return !OidIsValid(known->objid) ||
		memcmp(&known->layout, layout, offsetof(snowflake_layout, start_random)) == 0;
}

/*
 * Raise object_not_in_prerequisite_state if a default has another layout.
 *
 * Catalogs change all the time, also by temporary tables of other sessions.  So look
 * first if the default that we know is still there, and for others only if it is not.
 */
void
check_sequence_layout(sequence_entry *entry, const snowflake_layout *layout)
{
	sequence_default *known = &entry->layout_default;
	uint64		changes = catalog_changes;

	if (known->known_at == changes && allows_layout(known, layout))
		return;
	if (OidIsValid(known->objid) && default_has_call(known->classid, known->objid, NULL, known) &&
		allows_layout(known, layout))
		known->known_at = changes;
	else
		find_default(entry->relid, next_snowflake, known);
	if (!allows_layout(known, layout))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot use layout %s for sequence \"%s\"",
						snowflake_format_layout(layout), get_rel_name(entry->relid)),
				 errdetail("Layout %s is used by %s.", snowflake_format_layout(&known->layout),
						   describe_default(known)),
				 errhint("Use a sequence for each layout.")));
}

/*
 * Raise object_not_in_prerequisite_state if a column takes values of nextval(): they are
 * not published, so its rows can be missed.
 */
void
check_settled_sequence(Oid relid)
{
	sequence_default *known = &find_sequence_entry(relid)->nextval_default;
	FmgrInfo	nextval;
	int32		column;

	if (known->known_at == catalog_changes && !OidIsValid(known->objid))
		return;
	fmgr_info(F_NEXTVAL, &nextval); /* on Windows, &nextval_oid is not its address */
	find_default(relid, nextval.fn_addr, known);
	if (!OidIsValid(known->objid) &&
		sequenceIsOwned(relid, DEPENDENCY_INTERNAL, &known->objid, &column))
		known->classid = RelationRelationId;	/* of an identity column */
	if (OidIsValid(known->objid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot execute settled_snowflake() for sequence \"%s\"", get_rel_name(relid)),
				 errdetail("Values of nextval() are used by %s.", describe_default(known)),
				 errhint("Use next_snowflake() in each default that uses the sequence, "
						 "or settled_shard_id() for ids of next_shard_id().")));
}

/*
 * Raise object_not_in_prerequisite_state if a default takes ids from the sequence: a role
 * with USAGE could move its clock to any time by one long range.
 */
void
check_ranged_sequence(sequence_entry *entry)
{
	sequence_default *known = &entry->layout_default;

	if (known->known_at != catalog_changes)
		find_default(entry->relid, next_snowflake, known);
	if (OidIsValid(known->objid))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot execute nextval_range() for sequence \"%s\"", get_rel_name(entry->relid)),
				 errdetail("Ids of next_snowflake() are used by %s.", describe_default(known))));
}
