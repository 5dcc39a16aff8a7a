/*
 * clock_sequence.pml
 *		Can next_snowflake() issue an id twice?
 *
 * A model for spin of clock_sequence.c, sequence_entry.c and sequence_page.c.
 * next_shard_id.pml says how to run it.
 *
 * Claims:
 *	1. While the server runs, no id is issued twice, whatever the clock does; but for ids
 *	   of a transaction that replaces the file of the sequence and is rolled back, as
 *	   long as the clock is past their tick.
 *	2. After a crash, an id does not come again
 *		- if it was ahead of the clock as the call had read it; or
 *		- if its transaction took it from the sequence or wrote WAL, and was committed
 *		  with synchronous_commit = on; or
 *		- as long as the clock is past its tick, as it is unless it was set back.
 *	3. Nor does an id at or below a result of settled_snowflake().
 *	4. After a promotion, no id comes at or below the last_value that the standby has
 *	   received.
 *	5. The ids of a session ascend, and none is of a tick that has ended.
 *
 * The model watches one id, which spin chooses first.  So what holds for it holds
 * for all ids.  An id is a tick and one of two slots.
 *
 * What is modelled (each step names its function in C):
 *	- SESSIONS sessions that take blocks of one or two ids.  Their transactions write
 *	  other WAL or not, with synchronous_commit on or off, and commit or roll back.  A
 *	  block can outlast its transaction.
 *	- The page of the sequence: last_value, log_cnt, its lock, whether it is dirty, and
 *	  whether its LSN is past the redo pointer.  It can be written at any time.
 *	- WAL, which can be flushed at any time.
 *	- Checkpoints.  The redo pointer moves, the page is written if it was dirty then,
 *	  and the checkpoint is complete.
 *	- Crashes at any step.  Recovery begins at the redo pointer of the last checkpoint
 *	  that is complete, and replays what was flushed.
 *	- The promotion of a standby that has received any part of the WAL.
 *	- The clock.  It runs, and it can be set forward and back at any time, also during
 *	  a crash.  A restart takes longer than a tick; with -DLONG_TICKS it does not.
 *	- ALTER SEQUENCE in a form that copies log_cnt; and in a transaction that then takes a
 *	  block, and rolls back or is ended by a crash.
 *	- settled_snowflake(), as far as the page and its WAL are concerned.
 *	- With -DOTHERS: Any number of other sessions, each of which takes a block in one
 *	  step and uses it up; nextval(), and setval() to a higher value.
 *
 * What is left out:
 *	- max_clock_lead and waiting, so that ids can lead the clock as far as they like.
 *	- Nodes, INCREMENT and MAXVALUE.  scripts/prove covers choose_slots().
 *	- Unlogged and temporary sequences.  They have no WAL.
 *	- What sets a sequence back: setval() and RESTART to a lower value.
 *	- nextval() after ALTER SEQUENCE.  In core, it relies on the copied log_cnt.
 *
 * What is one step ("atomic"): what other processes cannot distinguish, and what
 * they do under the lock of the page.  advance_sequence() has three steps,
 * because checkpoints begin without that lock.
 *
 * What is assumed of the server: What was flushed survives a crash.  Before a page
 * is written, the WAL up to its LSN is flushed.  A page is written under its lock.
 * A checkpoint writes each page that is dirty when the redo pointer has moved.  A
 * commit flushes all WAL if its transaction has an id.  ALTER SEQUENCE waits for the
 * transactions that use the sequence.
 *
 * Faults: Each -DFAULT_... removes one precaution, at the place of the precaution.
 * spin must then find that a claim does not hold.
 */

#ifndef SESSIONS
#define SESSIONS	1
#endif
#ifndef TICKS
#define TICKS		2
#endif

/* An id is a tick and one of two slots.  Id 0 is never issued. */
#define SLOTS				2
#define TICK_OF(id)			((id) / SLOTS)
#define FIRST_OF_TICK(tick)	((tick) * SLOTS)
#define LAST_OF_TICK(tick)	((tick) * SLOTS + SLOTS - 1)
#define LAST_ID				LAST_OF_TICK(TICKS - 1)

#define MIN(a, b)	((a) < (b) -> (a) : (b))
#define MAX(a, b)	((a) > (b) -> (a) : (b))

/* ---- Shared memory, lost in a crash ---- */

/* The page */
byte last_value;
byte covered;					/* last_value + log_cnt */
bit	 locked;					/* its content lock, exclusively */
bit	 dirty;
bit	 lsn_past_redo;				/* is its LSN behind the redo pointer? */

/* The latest WAL record of the page */
byte record;					/* last_value in it */
bit	 record_flushed;
bit	 record_replayed;			/* is it behind the redo pointer of the last checkpoint? */

/* The checkpoint that is running */
byte checkpoint;
#define NO_CHECKPOINT	0
#define REDO_SET		1		/* the redo pointer has moved */
#define TO_WRITE		2		/* the page was dirty after that */
#define WRITTEN			3

byte in_transaction;			/* sessions that hold a lock on the sequence */

/* What sessions remember, entry */
bit	 logged[SESSIONS + 1];		/* the last one is that of others */
byte next[SESSIONS];			/* what remains of the block, or 0 */
bit	 two[SESSIONS];				/* has the block an id more? */

/* ---- Disk ---- */

byte page_on_disk;				/* last_value */
byte record_on_disk;			/* what replay ends with, or 0 if nothing is replayed */

/* ---- The world ---- */

byte clock;						/* a tick */

/* After a crash: the process whose turn it is to notice that, or 0 */
byte killed;

inline notice_crash() {
	killed = (killed == SESSIONS -> 0 : killed + 1)
}

/* ---- What the claims are about ---- */

byte watched;					/* an id */
bit	 issued;					/* was it? */
bit	 is_safe;					/* must it never come again, whatever the clock says? */
bit	 is_lost;					/* it is not, and the server has crashed since */
bit	 file_is_lost;				/* or the file from which it was taken is gone */
bit	 settled;					/* has a call returned it, or a higher one? */

/* XLogFlush(), of all records */
inline flush() {
	if
	:: record_replayed && !record_flushed -> record_on_disk = record
	:: else
	fi;
	record_flushed = 1
}

/* Whose last_value is in record */
inline insert_record() {
	record_flushed = 0;
	record_replayed = 1;
	lsn_past_redo = 1
}

/* Write the page, with the WAL that it requires. */
inline write_page() {
	flush();
	page_on_disk = last_value;
	dirty = 0
}

/* The next id of the block */
inline issue(origin) {
	if
	:: next[me] == watched ->
		assert(!issued);
		assert(!settled);
		assert(!passed);
		issued = 1;
		is_safe = is_ahead;
		has_watched = origin
	:: next[me] > watched && me == 0 -> passed = 1
	:: else
	fi;
	next[me] = (two[me] -> next[me] + 1 : 0);
	block_flushed = block_flushed && two[me];
	two[me] = 0;
	is_ahead = 0
}

/* block_is_usable(): is the clock in its tick? */
#ifdef FAULT_BLOCK_USED_EARLY	/* before it, although WAL is not flushed */
#define AFTER_BEGIN	true
#else
#define AFTER_BEGIN	(block_flushed || clock >= TICK_OF(next[me]))
#endif
#ifdef FAULT_BLOCK_KEPT			/* after it */
#define BEFORE_END	true
#else
#define BEFORE_END	(clock <= TICK_OF(next[me]))
#endif

/* choose_slots() */
#ifdef FAULT_CLOCK_ALONE		/* even if the clock is behind */
#define NEXT_ID	MAX(FIRST_OF_TICK(clock), 1)
#else
#define NEXT_ID	MAX(FIRST_OF_TICK(clock), last_value + 1)
#endif

/* A transaction */
#define READS		0			/* no id, so a commit does not flush WAL */
#define WRITES		1			/* inserted a row, or wrote WAL for the sequence */
#define ASYNC		2			/* with synchronous_commit = off */

/* is_flushed_by_commit() */
#ifdef FAULT_COMMIT_UNFLUSHED	/* it does not flush what others wrote */
#define FLUSHED_BY_COMMIT	true
#else
#define FLUSHED_BY_COMMIT	(transaction != READS || record_flushed)
#endif

/* is_covered() */
#ifdef FAULT_REDO_IGNORED		/* by a record that will not be replayed, too */
#define LSN_PAST_REDO	true
#else
#define LSN_PAST_REDO	lsn_past_redo
#endif
#define IS_COVERED	(logged[me] && LSN_PAST_REDO && FLUSHED_BY_COMMIT && end <= covered)

/* reservation_of(): to the end of the next tick */
#ifdef FAULT_RESERVES_FIRST		/* the first id of the block, not the last */
#define RESERVATION	first
#else
#define RESERVATION	MIN(LAST_OF_TICK(TICK_OF(end) + 1), LAST_ID)
#endif

/* protect_block() */
#ifdef FAULT_AHEAD_UNFLUSHED
#define IS_AHEAD	false
#else
#define IS_AHEAD	is_ahead
#endif
#if defined(LONG_TICKS) && !defined(FAULT_LONG_UNFLUSHED)
#define OUTLASTS_RESTART	true
#else
#define OUTLASTS_RESTART	false
#endif

/* A session that takes ids from the sequence */
proctype session(byte me) provided (!killed || killed == _pid)
{
	byte first, end;			/* the block that it takes */
	bit	 is_ahead;				/* of the clock, as the call read it? */
	bit	 is_covered;
	bit	 block_flushed;			/* usable_from = -infinity */
	byte transaction;
	byte has_watched;			/* was the watched id issued to this transaction? */
#define FROM_NEW_BLOCK	1
#define FROM_OLD_BLOCK	2
	bit	 passed;				/* was a higher id issued to this session? */

	do
	:: {
		skip;
end_idle:
		atomic {
			in_transaction++;
			if
			:: transaction = READS
			:: transaction = WRITES
			:: transaction = ASYNC
			fi;
			goto call
		}

call:
		atomic {
			if
			:: next[me] && AFTER_BEGIN && BEFORE_END ->
				assert(TICK_OF(next[me]) >= clock);
				is_ahead = TICK_OF(next[me]) > clock;
				issue(FROM_OLD_BLOCK);
				goto after_call

				/* open_sequence_entry(): drop the block */
#ifdef FAULT_UNLOCKED
			:: NEXT_ID <= LAST_ID ->
#else
			:: !locked && NEXT_ID <= LAST_ID ->
				locked = 1;
#endif
				next[me] = 0; two[me] = 0; block_flushed = 0;

				/* choose_slots() */
				first = NEXT_ID;
				end = first;
				if
				:: end < LAST_OF_TICK(TICK_OF(first)) -> end++
				:: true
				fi;
				is_ahead = TICK_OF(first) > clock;

				/* advance_sequence() */
#ifndef FAULT_REDO_READ_EARLY	/* before the page is dirty */
				dirty = 1
#endif

			:: NEXT_ID > LAST_ID -> goto after_call
			fi
		}

		atomic {
			is_covered = IS_COVERED;
#ifdef FAULT_REDO_READ_EARLY
			goto mark_dirty
		}
mark_dirty:
		atomic {
			dirty = 1;
#endif
			if
			:: is_covered
			:: else ->
				record = RESERVATION;
				insert_record();
				covered = record;
				logged[me] = 1;
#ifndef FAULT_NO_XID			/* so the commit does not flush */
				transaction = (transaction == READS -> WRITES : transaction)
#endif
			fi;
			is_covered = 0
		}
		atomic {
			last_value = end;
			covered = MAX(covered, end);
			locked = 0;
			next[me] = first;
			two[me] = end > first;
			first = 0; end = 0
		}

		/* protect_block() */
		atomic {
			block_flushed = IS_AHEAD || OUTLASTS_RESTART;
			if
			:: block_flushed -> flush()
			:: else
			fi;
			issue(FROM_NEW_BLOCK);
			goto after_call
		}

after_call:
		atomic {
			if
			:: goto call
			:: skip				/* ROLLBACK */
			:: transaction != ASYNC ->		/* COMMIT */
				if
				:: transaction == WRITES -> flush(); is_safe = is_safe || has_watched
				:: else -> is_safe = is_safe || has_watched == FROM_NEW_BLOCK
				fi
			fi;
			has_watched = 0; transaction = READS;
			in_transaction--;
			goto end_idle
		}
	} unless {
		atomic {				/* the crash; another process, that knows nothing */
			killed == _pid;
			first = 0; end = 0; is_ahead = 0; is_covered = 0; block_flushed = 0;
			transaction = READS; has_watched = 0; passed = 0;
			notice_crash()
		}
	}
	od
}

/* The end of recovery: a checkpoint.  Sessions know nothing of earlier ones. */
inline restart(value) {
	last_value = value;
	covered = value;
	locked = 0; dirty = 0; lsn_past_redo = 0;
	record = value; record_flushed = 1; record_replayed = 0;
	page_on_disk = value; record_on_disk = 0;
	checkpoint = NO_CHECKPOINT;
	in_transaction = 0;
	for (i : 0 .. SESSIONS - 1) { logged[i] = 0; next[i] = 0; two[i] = 0 }
	logged[SESSIONS] = 0;
	i = 0;
	killed = 1
}

/* ALTER SEQUENCE: another file with the same tuple, and WAL of last_value */
inline alter_sequence() {
	record = last_value;
	insert_record();
	flush();
	dirty = 1;
#ifndef FAULT_LOG_CNT_BELIEVED	/* although WAL only has last_value */
	for (i : 0 .. SESSIONS) { logged[i] = 0 }
#endif
	for (i : 0 .. SESSIONS - 1) { next[i] = 0; two[i] = 0 }
	i = 0
}

/* Can a session issue the watched id without taking another block? */
#define IN_BLOCK(session) \
	(next[session] == watched || next[session] + two[session] == watched)
#if SESSIONS > 1
#define IN_A_BLOCK	(IN_BLOCK(0) || IN_BLOCK(1))
#else
#define IN_A_BLOCK	IN_BLOCK(0)
#endif

#ifdef LONG_TICKS
#define CLOCK_IS_BACK	(clock + !file_is_lost <= TICK_OF(watched))
#else
#define CLOCK_IS_BACK	(clock <= TICK_OF(watched))
#endif

/* Claim 2 does not hold for it any more. */
inline forget_lost() {
	if
	:: is_lost && CLOCK_IS_BACK -> issued = 0; is_lost = 0; file_is_lost = 0
	:: else
	fi
}

/*
 * A transaction that replaces the file, takes a block, and does not commit: the file that
 * comes back, and what others know of it, does not have the block.  Only the clock can
 * prevent that its ids come again, so they are issued when their tick is over.
 */
inline take_from_lost_file() {
	first = NEXT_ID;
	if
	:: first <= watched && TICK_OF(watched) == TICK_OF(first) ->
		assert(!issued);
		assert(!settled);
		issued = 1;
		is_lost = 1;
		file_is_lost = 1
	:: else
	fi;

	/* protect_block() */
#if defined(FAULT_REPLACED_UNWAITED)
	/* in their tick */
#elif defined(FAULT_REPLACED_AHEAD)		/* before it, if it has not begun */
	clock = (TICK_OF(first) == clock -> clock + 1 : clock);
#else
	clock = TICK_OF(first) + 1;
#endif
	first = 0
}

/*
 * Any other session: a transaction with one call, that uses all of the block, and
 * that commits or not.
 */
inline others_take_block() {
	first = NEXT_ID;
	end = first;
	if
	:: end < LAST_OF_TICK(TICK_OF(first)) -> end++
	:: true
	fi;
	if
	:: transaction = READS
	:: transaction = WRITES
	:: transaction = ASYNC
	fi;
	dirty = 1;
	if
	:: IS_COVERED
	:: true ->
		record = RESERVATION;
		insert_record();
		covered = record;
		logged[me] = 1;
#ifndef FAULT_NO_XID
		transaction = (transaction == READS -> WRITES : transaction)
#endif
	fi;
	last_value = end;
	covered = MAX(covered, end);
	is_ahead = TICK_OF(first) > clock;
	if
	:: IS_AHEAD || OUTLASTS_RESTART -> flush()
	:: else
	fi;
	if
	:: transaction == WRITES -> flush()
	:: true -> transaction = ASYNC		/* ROLLBACK */
	:: transaction != WRITES
	fi;
	if
	:: first <= watched && watched <= end ->
		assert(!issued);
		assert(!settled);
		issued = 1;
		is_safe = is_ahead || transaction != ASYNC
	:: else
	fi;
	first = 0; end = 0; is_ahead = 0; transaction = READS
}

init
{
	byte i, value;
	byte me = SESSIONS, first, end, transaction;
	bit	 is_ahead;

	atomic {
		watched = LAST_ID;
		do
		:: break
		:: watched > 1 -> watched--
		od;
		for (i : 0 .. SESSIONS - 1) { run session(i) }
		i = 0
	}

end_world:
	do
	:: atomic { !killed ->
		if
			/* The clock runs, or steps. */
		:: clock < TICKS -> clock++
		:: clock > 0 -> clock--; forget_lost()

			/* The WAL writer, or another commit */
		:: !record_flushed -> flush()

			/* The background writer, or the checkpointer */
		:: dirty && !locked -> write_page()
		:: checkpoint == NO_CHECKPOINT -> checkpoint = REDO_SET; lsn_past_redo = 0
		:: checkpoint == REDO_SET -> checkpoint = (dirty -> TO_WRITE : WRITTEN)
		:: checkpoint == TO_WRITE && !dirty -> checkpoint = WRITTEN
		:: checkpoint == WRITTEN ->
			flush();
			record_replayed = lsn_past_redo;
			record_on_disk = (lsn_past_redo -> record : 0);
			checkpoint = NO_CHECKPOINT

#ifdef OTHERS
		:: !locked && NEXT_ID <= LAST_ID -> others_take_block()

			/* nextval(), if it does not rely on a log_cnt that was copied */
		:: !locked && last_value < LAST_ID ->
			if
			:: last_value < covered && lsn_past_redo && logged[me]
			:: else ->
				record = MIN(last_value + 2, LAST_ID);
				insert_record();
				covered = record
			fi;
			last_value++;
			dirty = 1

			/* setval() */
		:: !locked && last_value < LAST_ID ->
			last_value++;
			covered = last_value;
			record = last_value;
			insert_record();
			dirty = 1
#endif

			/* ALTER SEQUENCE */
		:: !in_transaction -> alter_sequence()
		:: !in_transaction && NEXT_ID <= LAST_ID -> take_from_lost_file()
#ifdef FAULT_ROLLBACK_BELIEVED	/* WAL for the other file is taken to be for this one */
		:: !in_transaction -> logged[0] = 1
#endif

			/* settled_snowflake() */
		:: !locked && last_value >= watched && !IN_A_BLOCK ->
#ifndef FAULT_READ_UNFLUSHED
			flush();
#endif
			settled = 1

			/* A crash, kill -9, an immediate stop */
		:: value = (record_on_disk -> record_on_disk : page_on_disk);
			restart(value);
			value = 0;
			select(clock : 0 .. TICKS);
			is_lost = issued && !is_safe;
			forget_lost()

			/* The promotion of a standby that has received some of the WAL */
		:: select(value : 0 .. record);
			restart(value);
			issued = issued && value >= watched;
			settled = settled && value >= watched;
			is_safe = is_safe && issued;
			is_lost = 0;
			file_is_lost = 0;
			value = 0
		fi }
	od
}
