/*-------------------------------------------------------------------------
 *
 * unsettled_locks.c
 *		Locks that publish the first id of a transaction.
 *
 * The id is in the tags of the locks.  They conflict with no other lock.  Core
 * keeps those of a prepared transaction until it has ended, through a restart
 * and a promotion, and releases all locks after the end of their transaction
 * is visible.
 *
 *-------------------------------------------------------------------------
 */
#include "unsettled.h"

#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/resowner.h"

/*
 * The locks that publish an id: the block number of the first is 0, of the
 * others a half of the id.  Tuple locks of a sequence are otherwise only taken
 * on its one tuple.
 */
#define ANY_ID		((OffsetNumber) 0xFFFD)
#define HIGH_HALF	((OffsetNumber) 0xFFFE)
#define LOW_HALF	((OffsetNumber) 0xFFFF)

static void
lock_part(Oid relid, OffsetNumber part, uint32 value)
{
	LOCKTAG		tag;

	SET_LOCKTAG_TUPLE(tag, MyDatabaseId, relid, value, part);
	(void) LockAcquire(&tag, AccessShareLock, false, false);
}

/* Publish an id by locks that are held until the end of the transaction. */
void
unsettled_lock(Oid relid, int64 id)
{
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = TopTransactionResourceOwner;
	lock_part(relid, ANY_ID, 0);
	lock_part(relid, HIGH_HALF, (uint32) (id >> 32));
	lock_part(relid, LOW_HALF, (uint32) id);
	CurrentResourceOwner = owner;
}

/* Does another transaction publish an id by locks? */
bool
unsettled_has_locks(Oid relid)
{
	LOCKTAG		tag;
	int			count;

	SET_LOCKTAG_TUPLE(tag, MyDatabaseId, relid, 0, ANY_ID);
	(void) GetLockConflicts(&tag, AccessExclusiveLock, &count);
	return count > 0;
}

static bool
is_half_of(const LockInstanceData *lock, Oid relid, OffsetNumber half)
{
	const LOCKTAG *tag = &lock->locktag;

	return tag->locktag_type == LOCKTAG_TUPLE && lock->holdMask != 0 &&
		tag->locktag_field1 == MyDatabaseId && tag->locktag_field2 == relid &&
		tag->locktag_field4 == half;
}

/* Return the limit, lowered to below all ids that are published by locks. */
int64
unsettled_limit_of_locks(Oid relid, int64 limit)
{
	LockData   *data = GetLockStatusData();

	for (int i = 0; i < data->nelements; i++)
	{
		const LockInstanceData *high = &data->locks[i];

		for (int j = 0; j < data->nelements && is_half_of(high, relid, HIGH_HALF); j++)
		{
			const LockInstanceData *low = &data->locks[j];

			if (is_half_of(low, relid, LOW_HALF) && is_same_holder(high, low))
				limit = Min(limit, (int64) ((uint64) high->locktag.locktag_field3 << 32 |
											low->locktag.locktag_field3) - 1);
		}
	}
	return limit;
}
