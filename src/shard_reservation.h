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

#include "utils/relcache.h"

extern Oid	find_reservation_sequence(void);
extern Relation open_reservation_sequence(void);
extern Relation open_reservation_to_read(void);

#endif							/* SHARD_RESERVATION_H */
