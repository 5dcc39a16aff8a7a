/*-------------------------------------------------------------------------
 *
 * unsettled_locks.c
 *		Locks that publish the first id of a prepared transaction.
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

/* Keep only the locks that hold a half of an id of a sequence. */
static void
keep_halves(LockData *data, Oid relid)
{
	int			n = 0;

	for (int i = 0; i < data->nelements; i++)
	{
		const LOCKTAG *tag = &data->locks[i].locktag;

		if (tag->locktag_type == LOCKTAG_TUPLE && data->locks[i].holdMask != 0 &&
			tag->locktag_field1 == MyDatabaseId && tag->locktag_field2 == relid &&
			(tag->locktag_field4 == HIGH_HALF || tag->locktag_field4 == LOW_HALF))
			data->locks[n++] = data->locks[i];
	}
	data->nelements = n;
}

/* Find one of the halves that a transaction holds. */
static bool
find_half(const LockData *data, VirtualTransactionId holder, OffsetNumber half, uint32 *value)
{
	for (int i = 0; i < data->nelements; i++)
	{
		const LockInstanceData *lock = &data->locks[i];

		if (lock->locktag.locktag_field4 == half && is_holder(lock, holder))
		{
			*value = lock->locktag.locktag_field3;
			return true;
		}
	}
	return false;
}

/*
 * Return the limit, lowered to below all ids that are published by locks.
 *
 * The first of the three locks decides if a transaction counts.  It is taken
 * first, and its absence is final.  So two calls cannot disagree while the
 * locks of a transaction that has ended are released one by one.
 */
int64
unsettled_limit_of_locks(Oid relid, int64 limit)
{
	LOCKTAG		tag;
	int			count;
	VirtualTransactionId *holders;
	LockData   *data;

	SET_LOCKTAG_TUPLE(tag, MyDatabaseId, relid, 0, ANY_ID);
	holders = GetLockConflicts(&tag, AccessExclusiveLock, &count);
	if (count == 0)
		return limit;

	data = GetLockStatusData();
	keep_halves(data, relid);
	for (int i = 0; i < count; i++)
	{
		uint32		high;
		uint32		low;

		CHECK_FOR_INTERRUPTS();
		if (find_half(data, holders[i], HIGH_HALF, &high) &&
			find_half(data, holders[i], LOW_HALF, &low))
			limit = Min(limit, (int64) ((uint64) high << 32 | low) - 1);
	}
	return limit;
}
