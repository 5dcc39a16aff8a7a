/*-------------------------------------------------------------------------
 *
 * sequence_page.h
 *		The page of a sequence and its WAL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef SEQUENCE_PAGE_H
#define SEQUENCE_PAGE_H

#include "sequence_entry.h"

#include "access/xlogdefs.h"
#include "commands/sequence.h"
#include "storage/bufmgr.h"

extern Form_pg_sequence_data lock_sequence_page(Relation rel, Buffer *buf, int mode);
extern void advance_sequence(sequence_entry *entry, Relation rel, Buffer buf,
							 int64 last_value, int64 reserved);
extern XLogRecPtr set_sequence_value(Relation rel, int64 value);

/*
 * Return the value some increments after another, and the number of increments
 * between two values.  These use unsigned arithmetic, because the distance
 * between the ends of int8 exceeds int8.
 */
static inline int64
value_after(const FormData_pg_sequence *options, int64 value, uint64 steps)
{
	return (int64) ((uint64) value + steps * (uint64) options->seqincrement);
}

static inline uint64
steps_between(const FormData_pg_sequence *options, int64 from, int64 to)
{
	return options->seqincrement > 0 ?
		((uint64) to - (uint64) from) / (uint64) options->seqincrement :
		((uint64) from - (uint64) to) / -(uint64) options->seqincrement;
}

#endif							/* SEQUENCE_PAGE_H */
