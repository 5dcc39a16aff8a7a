/*-------------------------------------------------------------------------
 *
 * run_as_owner.c
 *		Execute a statement with the rights of the owner of a table.
 *
 * What evaluates the expressions of a table, its CHECK constraints for example,
 * runs functions that its owner chose.  If a superuser maintains the table, they
 * must not run with his rights.  SET ROLE would not do: they could reset it.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* The caller could act as this role anyway. */
static Oid
owner_for_caller(Oid relation)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation with OID %u does not exist", relation)));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);

	if (!has_privs_of_role(GetUserId(), owner))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relation));
	return owner;
}

static uint64
execute(const char *statement)
{
	uint64		rows;

	SPI_connect();
	if (SPI_execute(statement, false, 0) < 0)
		elog(ERROR, "could not execute \"%s\"", statement);
	rows = SPI_processed;
	SPI_finish();
	return rows;
}

/*
 * The same precautions as for ANALYZE and index expressions: no change of role, no
 * trigger left for the end of the transaction, and settings are as before.  After
 * an error the server restores all of it.
 */
PG_FUNCTION_INFO_V1(execute_as_owner);
Datum
execute_as_owner(PG_FUNCTION_ARGS)
{
	Oid			owner = owner_for_caller(PG_GETARG_OID(0));
	Oid			caller;
	int			context;
	int			settings;
	uint64		rows;

	GetUserIdAndSecContext(&caller, &context);
	SetUserIdAndSecContext(owner, context | SECURITY_RESTRICTED_OPERATION);
	settings = NewGUCNestLevel();
	rows = execute(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	AtEOXact_GUC(false, settings);
	SetUserIdAndSecContext(caller, context);
	PG_RETURN_INT64((int64) rows);
}
