/*-------------------------------------------------------------------------
 *
 * server_features.c
 *		Support functions of our operator classes that only newer servers
 *		accept.
 *
 * The script of the extension is the same for all servers, so it cannot declare
 * them.  They are added to the operator family instead, if the server's access
 * method has a place for them.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "access/amapi.h"
#include "catalog/pg_am.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

typedef struct server_feature
{
	Oid			access_method;
	const char *family;			/* in the schema of the extension */
	int16		number;			/* of the support function */
	bool		is_ours;		/* are type and function in that schema, too? */
	const char *type;
	const char *function;
	const char *argument;
} server_feature;

static const server_feature features[] = {
	/* skip scans, from 18 on */
	{BTREE_AM_OID, "objectid_ops", 6, true, "objectid", "objectid_skipsupport", "internal"},
	/* keys WITHOUT OVERLAPS, from 18 on: to get the strategy number of equality */
	{GIST_AM_OID, "gist_objectid_ops", 12, false, "any", "gist_translate_cmptype_common", "int4"},
};

static Oid
family_oid(const server_feature *feature, Oid schema)
{
	return GetSysCacheOid3(OPFAMILYAMNAMENSP, Anum_pg_opfamily_oid, ObjectIdGetDatum(feature->access_method),
						   CStringGetDatum(feature->family), ObjectIdGetDatum(schema));
}

static bool
family_has(const server_feature *feature, Oid schema)
{
	Oid			type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(feature->type),
									   ObjectIdGetDatum(feature->is_ours ? schema : PG_CATALOG_NAMESPACE));

	return SearchSysCacheExists4(AMPROCNUM, ObjectIdGetDatum(family_oid(feature, schema)), ObjectIdGetDatum(type),
								 ObjectIdGetDatum(type), Int16GetDatum(feature->number));
}

/* A statement that depends on no search_path */
static char *
statement_to_add(const server_feature *feature, const char *schema)
{
	const char *members = feature->is_ours ? schema : "pg_catalog";
	const char *type = quote_qualified_identifier(members, feature->type);

	return psprintf("ALTER OPERATOR FAMILY %s USING %s ADD FUNCTION %d (%s, %s) %s(pg_catalog.%s)",
					quote_qualified_identifier(schema, feature->family), get_am_name(feature->access_method),
					feature->number, type, type,
					quote_qualified_identifier(members, feature->function), feature->argument);
}

static bool
add_feature(const server_feature *feature, Oid schema)
{
	if (GetIndexAmRoutineByAmId(feature->access_method, false)->amsupport < feature->number ||
		family_has(feature, schema))
		return false;

	/* ALTER OPERATOR FAMILY takes no lock, so two sessions could add the same */
	LockDatabaseObject(OperatorFamilyRelationId, family_oid(feature, schema), 0, ShareUpdateExclusiveLock);
	if (family_has(feature, schema))
		return false;

	SPI_connect();
	if (SPI_execute(statement_to_add(feature, get_namespace_name(schema)), false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "could not alter operator family %s", feature->family);
	SPI_finish();
	return true;
}

/*
 * Add what the server accepts and the families lack.  Returns whether that was
 * anything.  The families are in the schema of this function, because all of them
 * belong to the extension.
 */
PG_FUNCTION_INFO_V1(enable_server_features);
Datum
enable_server_features(PG_FUNCTION_ARGS)
{
	Oid			schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	bool		added = false;

	for (int i = 0; i < lengthof(features); i++)
		added |= add_feature(&features[i], schema);
	PG_RETURN_BOOL(added);
}
