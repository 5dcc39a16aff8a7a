/*-------------------------------------------------------------------------
 *
 * wait.h
 *		Waiting for the wall clock (wait.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef WAIT_H
#define WAIT_H

#include "server_versions.h"

#include "utils/timestamp.h"

extern void objectid_ext_wait(int64 us);
extern void objectid_ext_wait_for_clock(TimestampTz ts, int64 lead, int64 tick);

#endif							/* WAIT_H */
