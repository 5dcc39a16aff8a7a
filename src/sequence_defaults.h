/*-------------------------------------------------------------------------
 *
 * sequence_defaults.h
 *		What the defaults of columns say of a sequence.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEQUENCE_DEFAULTS_H
#define SEQUENCE_DEFAULTS_H

#include "sequence_entry.h"

extern void check_sequence_layout(sequence_entry *entry, const snowflake_layout *layout);
extern void check_settled_sequence(Oid relid);
extern void check_ranged_sequence(sequence_entry *entry);

#endif							/* SEQUENCE_DEFAULTS_H */
