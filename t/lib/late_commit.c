/*
 * late_commit.c
 *		A module for t/050_settled_snowflake.pl, in the place of an extension that
 *		commits on other servers when a transaction has committed here: its callback
 *		waits while there is a file "late_commit" in the data directory.
 */
#include "postgres.h"

#include <unistd.h>

#include "access/xact.h"
#include "fmgr.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

static void
commit_elsewhere(XactEvent event, void *arg)
{
	while (event == XACT_EVENT_COMMIT && access("late_commit", F_OK) == 0)
		pg_usleep(10000);
}

void
_PG_init(void)
{
	RegisterXactCallback(commit_elsewhere, NULL);
}
