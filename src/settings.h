/*-------------------------------------------------------------------------
 *
 * settings.h
 *		The settings of the extension (settings.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef SETTINGS_H
#define SETTINGS_H

#include "server_versions.h"

typedef enum ObjectidIdentity
{
	OBJECTID_IDENTITY_RANDOM,
	OBJECTID_IDENTITY_HOST
} ObjectidIdentity;

extern int	objectid_ext_identity;	/* an ObjectidIdentity */
extern int	objectid_ext_node_id;	/* -1 while it is not set */
extern int	objectid_ext_max_clock_lead;	/* milliseconds */

extern int32 objectid_ext_server_node(void);

/* max_clock_lead in microseconds, the unit of TimestampTz */
static inline int64
objectid_ext_max_lead(void)
{
	return (int64) objectid_ext_max_clock_lead * 1000;
}

#endif							/* SETTINGS_H */
