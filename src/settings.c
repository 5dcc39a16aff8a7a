/*-------------------------------------------------------------------------
 *
 * settings.c
 *		Module entry point and settings.
 *
 *-------------------------------------------------------------------------
 */
#include "settings.h"

#include <limits.h>

#include "utils/guc.h"

OBJECTID_EXT_MODULE_MAGIC;

static const struct config_enum_entry objectid_identity_options[] = {
	{"random", OBJECTID_IDENTITY_RANDOM, false},
	{"host", OBJECTID_IDENTITY_HOST, false},
	{NULL, 0, false}
};

int			objectid_ext_identity = OBJECTID_IDENTITY_RANDOM;
int			objectid_ext_node_id = -1;
int			objectid_ext_max_clock_lead = 1000;

extern PGDLLEXPORT void _PG_init(void);

/*
 * Module load callback.  It must only define settings: with
 * shared_preload_libraries it runs once, in the postmaster, and all backends
 * would inherit the same random state.
 */
void
_PG_init(void)
{
	DefineCustomEnumVariable("objectid_ext.objectid_identity",
							 "Selects how gen_objectid() fills the five bytes that identify the process.",
							 "\"random\" uses random bytes, different in each backend; \"host\" uses the "
							 "classic layout of host name hash and process id.",
							 &objectid_ext_identity,
							 OBJECTID_IDENTITY_RANDOM,
							 objectid_identity_options,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	/*
	 * One server is one node.  A session cannot set it, because behind a
	 * connection pooler that would affect other clients.
	 */
	DefineCustomIntVariable("objectid_ext.node_id",
							"Sets the node number of this server in Snowflake ids.",
							"It must differ between all servers that generate ids for the same table.  "
							"-1 means that it is not set.",
							&objectid_ext_node_id,
							-1, -1, INT_MAX,
							PGC_SIGHUP,
							0,
							NULL, NULL, NULL);

	/*
	 * Only superusers can set this, because a burst of one session moves the
	 * clock of a sequence for all sessions.
	 */
	DefineCustomIntVariable("objectid_ext.max_clock_lead",
							"Sets how far the time in ids can run ahead of the wall clock.",
							"A call that would exceed it waits.",
							&objectid_ext_max_clock_lead,
							1000, 0, 3600 * 1000,
							PGC_SUSET,
							GUC_UNIT_MS,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("objectid_ext");
}

/*
 * Return the node of this server, or raise object_not_in_prerequisite_state.
 * There is no default, because two servers would then use the same node.
 */
int32
objectid_ext_server_node(void)
{
	if (objectid_ext_node_id < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s is not set", "objectid_ext.node_id"),
				 errhint("Set it to a different number on each server, in postgresql.conf, "
						 "or pass the node as an argument.")));
	return objectid_ext_node_id;
}
