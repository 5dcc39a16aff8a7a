/*-------------------------------------------------------------------------
 *
 * stored_rows.c
 *		Tables of a conversion, used without running anything of another role.
 *
 * A query finds a table by its name.  The owner of a schema, and for his own
 * tables any role, can put another relation in its place between two looks,
 * such as a view, whose functions then run with the rights of the reader.  This
 * reads what has the OID, and nothing is planned, so that no rule, policy or
 * expression of an index is evaluated.  Triggers that write with the rights of
 * their owner ask first whose table it is, and what it would run.
 *
 *-------------------------------------------------------------------------
 */
#include "server_versions.h"

#include "access/relation.h"
#include "access/tableam.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "catalog/pg_namespace.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

/* A temporary table is perhaps of another session; a standby has no unlogged ones. */
static bool
has_storage(Relation rel)
{
	return rel->rd_rel->relkind == RELKIND_RELATION &&
		(rel->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT ||
		 (rel->rd_rel->relpersistence == RELPERSISTENCE_UNLOGGED && !RecoveryInProgress()));
}

/* May the current role read all of it, as by a query? */
static bool
is_readable(Relation rel)
{
	return check_enable_rls(RelationGetRelid(rel), InvalidOid, true) != RLS_ENABLED &&
		namespace_aclcheck(RelationGetNamespace(rel), GetUserId(), ACL_USAGE) == ACLCHECK_OK &&
		pg_class_aclcheck(RelationGetRelid(rel), GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

/* A column that was dropped has no type, so it is not like any. */
static bool
has_columns(Relation rel, TupleDesc expected)
{
	TupleDesc	actual = RelationGetDescr(rel);

	if (actual->natts != expected->natts)
		return false;
	for (int i = 0; i < actual->natts; i++)
		if (TupleDescAttr(actual, i)->atttypid != TupleDescAttr(expected, i)->atttypid ||
			strcmp(NameStr(TupleDescAttr(actual, i)->attname), NameStr(TupleDescAttr(expected, i)->attname)) != 0)
			return false;
	return true;
}

static void
read_rows(Relation rel, ReturnSetInfo *rsinfo)
{
	TableScanDesc scan = table_beginscan_strat(rel, GetActiveSnapshot(), 0, NULL, true, true);
	TupleTableSlot *slot = table_slot_create(rel, NULL);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		/* also the values of columns that were added after the tuple */
		slot_getallattrs(slot);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, slot->tts_values, slot->tts_isnull);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
}

/*
 * The rows of a table that has exactly the expected columns and that the current
 * role may read; no rows of any other relation, or if there is none any more.
 */
PG_FUNCTION_INFO_V1(stored_rows);
Datum
stored_rows(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	rel;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	rel = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
	if (rel == NULL)
		return (Datum) 0;
	if (has_storage(rel) && is_readable(rel) && has_columns(rel, rsinfo->setDesc))
	{
		read_rows(rel, rsinfo);
		/* as after a query: values can still be in its TOAST table */
		relation_close(rel, NoLock);
	}
	else
		relation_close(rel, AccessShareLock);
	return (Datum) 0;
}

/* The role that can rename the schema: for pg_database_owner, which has no members, that of the database */
static Oid
schema_owner(Oid schema)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		return InvalidOid;
	owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	if (owner == ROLE_PG_DATABASE_OWNER)
	{
		tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
		if (!HeapTupleIsValid(tuple))
			return InvalidOid;
		owner = ((Form_pg_database) GETSTRUCT(tuple))->datdba;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* Triggers of the server, such as those of foreign keys, run nothing of a role. */
static bool
has_user_triggers(Relation rel)
{
	for (int i = 0; rel->trigdesc && i < rel->trigdesc->numtriggers; i++)
		if (!rel->trigdesc->triggers[i].tgisinternal)
			return true;
	return false;
}

/*
 * Is it a table of the current role on which statements run nothing of another,
 * and in a schema that only a role can rename that may act as this one?  Unlike
 * a query in a REPEATABLE READ transaction, the caches know what has changed
 * since its snapshot.  The caller has locked the table.
 */
PG_FUNCTION_INFO_V1(is_own_store);
Datum
is_own_store(PG_FUNCTION_ARGS)
{
	Relation	rel = try_relation_open(PG_GETARG_OID(0), AccessShareLock);
	Oid			owner;
	bool		result;

	if (rel == NULL)
		PG_RETURN_BOOL(false);
	owner = schema_owner(RelationGetNamespace(rel));
	result = rel->rd_rel->relkind == RELKIND_RELATION && rel->rd_rel->relowner == GetUserId() &&
		rel->rd_rules == NULL && !has_user_triggers(rel) &&
		OidIsValid(owner) && is_member_of_role(owner, rel->rd_rel->relowner);
	relation_close(rel, AccessShareLock);
	PG_RETURN_BOOL(result);
}
