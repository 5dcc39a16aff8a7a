/*-------------------------------------------------------------------------
 *
 * unsettled.h
 *		Ids of clock sequences that can still be committed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef UNSETTLED_H
#define UNSETTLED_H

#include "sequence_entry.h"

extern void unsettled_attach(void);
extern void unsettled_register(sequence_entry *entry);
extern void unsettled_publish(sequence_entry *entry, int64 first);
extern void unsettled_set_block(sequence_entry *entry, TimestampTz begin, TimestampTz end);
extern bool unsettled_resume_block(sequence_entry *entry);
extern int64 unsettled_limit(Oid relid, int64 limit);

#endif							/* UNSETTLED_H */
