/*-------------------------------------------------------------------------
 *
 * shard_reservation.h
 *		The sequence that holds the reservation of next_shard_id().
 *
 *-------------------------------------------------------------------------
 */
#ifndef SHARD_RESERVATION_H
#define SHARD_RESERVATION_H

#include "server_versions.h"

#include "storage/proc.h"
#include "utils/relcache.h"

/*
 * The sequence that holds the reservation (shard_reservation.c), and the transaction in
 * which it was found to hold it, until it is altered
 */
extern LocalTransactionId reservation_lxid;
extern Oid	find_reservation_sequence(void);
extern Relation open_reservation_sequence(void);
extern Relation open_reservation_to_read(void);

#endif							/* SHARD_RESERVATION_H */
