/*-------------------------------------------------------------------------
 *
 * shard_reservation.h
 *		The sequence of the extension that holds the reservation of
 *		next_shard_id().
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARD_RESERVATION_H
#define SHARD_RESERVATION_H

#include "server_versions.h"

#include "storage/lock.h"
#include "utils/relcache.h"

/* The transaction in which the sequence was found to hold the reservation, until it is altered */
extern LocalTransactionId reservation_lxid;

extern Oid	find_reservation_sequence(void);
extern Relation open_reservation_sequence(void);
extern Relation open_reservation_to_read(void);

#endif							/* SHARD_RESERVATION_H */
