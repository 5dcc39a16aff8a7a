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

#include "storage/lockdefs.h"
#include "storage/proc.h"
#include "utils/relcache.h"

extern Relation open_reservation(LOCKMODE lockmode);
extern Relation open_reservation_to_write(void);

/* The transaction that has found the reservation in the sequence; reset if that is altered */
extern LocalTransactionId reservation_lxid;

#define reservation_is_checked()	(reservation_lxid == MyProcLxid)
#define set_reservation_checked()	(reservation_lxid = MyProcLxid)

#endif							/* SHARD_RESERVATION_H */
