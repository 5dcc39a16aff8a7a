/*
 * settled_shard_id.pml
 *		Does a row appear at or below what settled_shard_id() has returned?
 *
 * A model for spin of settled_shard_id(), with what it uses of shard_clock.c and
 * unsettled.c.  next_shard_id.pml says how to run it.
 *
 * Claims: If a call has returned the last id of a tick, or a higher one,
 *	- no row with an id of this tick becomes visible after that; and
 *	- every call that begins after that returns this id or a higher one, too.
 *
 * The model watches one tick.  It can be any, so what holds for it holds for all
 * ticks.  Of a time, the model only knows how it compares with the watched tick:
 * before it, within it, or past its end.  The tick is settled when the time that a
 * call finds is past its end.
 *
 * What is modelled (each step names its function in C):
 *	- SESSIONS sessions.  The first call of a transaction prepares the clock and
 *	  publishes its base.  Each call reads the clock, and takes an id of the watched
 *	  tick unless the clock is past it: ids can be of any later tick than that of the
 *	  clock.  A transaction commits, rolls back or is prepared.
 *	- A transaction that is prepared, which another session commits or rolls back.
 *	- READERS clients that call settled_shard_id().
 *	- The reservation sequence: in shared memory, on disk, and on a synchronous
 *	  standby, which receives WAL at any time.
 *	- Crashes of the server at any step, and promotions of the standby.  Prepared
 *	  transactions and their locks are not lost.
 *
 * What is left out, so that the model can do more than the code:
 *	- The clocks.  shard_clock_now() returns any time that is not before base_time.
 *	- The ledger, max_clock_lead, waiting, and the order of a session.  They only
 *	  keep a session from taking an id of the watched tick.
 *	- Recovery.  In a standby and until recovery ends, readers get an error.
 *
 * What is left out, and is not shown: DROP EXTENSION, and setval() of the sequence.
 *
 * What is one step ("atomic"): what other processes cannot distinguish, as long as
 * they do not take reservation_lock.
 *
 * What is assumed: as in next_shard_id.pml and settled_snowflake.pml.  A commit is
 * visible when the standby has received its WAL, and all WAL before.
 *
 * Faults: Each -DFAULT_... removes one precaution, at the place of the precaution.
 * spin must then find that a claim does not hold.
 */

#ifndef SESSIONS
#define SESSIONS	2
#endif
#ifndef READERS
#define READERS		1
#endif

/* A time, as compared with the watched tick */
#define BEFORE		0
#define WITHIN		1			/* at its begin, or later */
#define PAST		2			/* at its end, or later */

#define MIN(a, b)	((a) < (b) -> (a) : (b))
#define MAX(a, b)	((a) > (b) -> (a) : (b))

/* The word of a session: 0, or its time; the locks of a transaction likewise */
#define WORD_OF(ts)		((ts) + 1)
#define TIME_OF(word)	((word) - 1)

/* ---- Shared memory, lost in a crash ---- */

byte base_time;					/* clock->base_time */
bit	 begun;						/* has_begun() */
byte reserved;					/* clock->reserved */
byte settled_time;				/* clock->settled */
bit	 locked;					/* clock->reservation_lock */
byte last_value;				/* of the sequence, in shared buffers */
byte word[SESSIONS];

/* ---- Disk ---- */

byte last_value_on_disk;		/* what recovery finds */
byte last_value_on_standby;		/* what a promotion finds */
byte prepared;					/* the word in the locks of a prepared transaction */
bit	 prepared_row;				/* has it a row of the watched tick? */

/* ---- The world ---- */

/* After a crash: the process whose turn it is to notice that, or 0 */
byte killed;

#define PROCESSES		(SESSIONS + READERS + 1)

inline notice_crash() {
	killed = (killed == PROCESSES -> 0 : killed + 1)
}

/* ---- What the claims are about ---- */

bit	 settled;					/* has a call returned an id past the tick? */

/* New snapshots see the rows of a transaction. */
inline become_visible(has_row) {
	assert(!has_row || !settled);
	has_row = 0
}

/* Set a variable to any time that is not before another */
inline any_time_from(variable, earliest) {
	if
	:: earliest <= BEFORE -> variable = BEFORE
	:: earliest <= WITHIN -> variable = WITHIN
	:: variable = PAST
	fi
}

/* XLogFlush(), of all records */
inline flush() {
	last_value_on_disk = last_value
}

/* A commit, or wait_until_safe() */
inline wait_until_safe() {
	flush();
	last_value_on_standby = last_value
}

/* A session whose transactions take ids of the watched tick */
proctype session(byte me) provided (!killed || killed == _pid)
{
	byte now;
	bit	 row;					/* has the transaction a row of the watched tick? */

	do
	:: {
		skip;

		/* shard_clock_begin_transaction() */
end_idle:
		atomic {
			if
			:: begun && last_value == reserved -> goto read_base
			:: else
			fi
		}

		/* update_reservation() */
adopt:
		atomic {
			!locked;
			if
			:: begun && last_value == reserved -> goto read_base
			:: else
			fi;
			locked = 1;
			any_time_from(now, BEFORE);
			base_time = MAX(base_time, now);
#ifndef FAULT_CLOCK_ALONE		/* the clock begins at the wall clock */
			base_time = MAX(base_time, last_value);
#endif
			now = 0;

			last_value = MAX(last_value, MAX(reserved, base_time));
			any_time_from(last_value, last_value)
		}
		atomic { flush(); goto flushed }
flushed:
		atomic { reserved = last_value; begun = 1; locked = 0 }

		/* unsettled_publish() */
read_base:
		atomic {
skip;
#ifndef FAULT_PUBLISHED_LATE	/* when the clock has been read */
			any_time_from(base_time, base_time);	/* shard_clock_sync() */
			now = base_time
		}
		atomic {
			word[me] = WORD_OF(now);
			now = 0
#endif
		}

		/* claim_tick(): the clock is not past the watched tick. */
call:
		atomic {
			any_time_from(now, base_time);
			if
			:: now == PAST -> now = 0; goto clear
			:: else -> now = 0
			fi
		}
#ifdef FAULT_PUBLISHED_LATE
		atomic { word[me] = WORD_OF(base_time) }
#endif

		/* shard_clock_reserve(): cover the tick before the id is returned. */
		atomic {
			if
			:: reserved == PAST -> goto issued
			:: goto clear		/* an error, or a cancel */
			:: else
			fi
		}
		atomic {
			!locked;
			if
			:: reserved == PAST -> goto issued
			:: else -> locked = 1; last_value = PAST
			fi
		}
		atomic { flush(); goto extended }
extended:
		atomic { reserved = last_value; locked = 0 }

issued:
		atomic {
			row = 1;
			if
			:: goto call		/* another call in the same transaction */
			:: row = 0; goto clear		/* ROLLBACK */
			:: wait_until_safe(); goto commit
				/* PREPARE TRANSACTION, whose locks have what is in the word */
			:: !prepared ->
				wait_until_safe();
				prepared = word[me]; prepared_row = row; row = 0;
				goto clear
			fi
		}
commit:
		atomic {
#ifndef FAULT_CLEARED_EARLY		/* before others can see the rows */
			become_visible(row);
#endif
			goto clear
		}

		/* end_transaction(): the resource release callback */
clear:
		atomic {
			word[me] = 0;
#ifdef FAULT_CLEARED_EARLY
			goto cleared
		}
cleared:
		atomic {
			become_visible(row);
#endif
			goto end_idle
		}
	} unless {
		atomic {				/* the crash; another process, that knows nothing */
			killed == _pid;
			now = 0; row = 0;
			notice_crash()
		}
	}
	od
}

/* A client that calls settled_shard_id() */
proctype reader(byte me) provided (!killed || killed == _pid)
{
	byte now, limit, i;
	bit	 was_settled;			/* when the call began */

	do
	:: {
		skip;

		/* shard_clock_reached() */
end_idle:
		atomic {
			was_settled = settled;
#ifndef FAULT_STORED_UNLOCKED	/* while a session begins, it is that session's reservation */
			!locked;
#endif
			limit = last_value;
			if
			:: begun -> goto read_clock
			:: else -> goto wait
			fi
		}

read_clock:
		atomic { any_time_from(now, base_time) }
		atomic {
#ifndef FAULT_BASE_NOT_ADVANCED	/* so that sessions can begin before it */
			base_time = MAX(base_time, now);
#endif
#ifdef FAULT_RESERVATION_IGNORED	/* a time that is not on disk */
			limit = now;
#endif
			limit = MIN(limit, now);
			now = 0
		}
wait:
		atomic {
#ifndef FAULT_READ_UNFLUSHED	/* and not on the standby */
			wait_until_safe();
#endif
			goto next_word
		}

		/* unsettled_limit() */
next_word:
		atomic {
			limit = (word[i] -> MIN(limit, TIME_OF(word[i])) : limit);
			i++;
			if
			:: i < SESSIONS -> goto next_word
			:: else -> i = 0
			fi
		}
		atomic {				/* unsettled_limit_of_locks() */
			limit = (prepared -> MIN(limit, TIME_OF(prepared)) : limit)
		}

		/* raise_settled() */
		atomic {
#ifndef FAULT_NOT_RAISED		/* to what another call has returned */
			settled_time = MAX(settled_time, limit);
			limit = settled_time;
#endif
			/* The client has the result. */
			assert(!was_settled || limit == PAST);
			settled = (settled || limit == PAST);
			limit = 0; was_settled = 0
		}
	} unless {
		atomic {
			killed == _pid;
			now = 0; limit = 0; i = 0; was_settled = 0;
			notice_crash()
		}
	}
	od
}

/* Whoever ends the prepared transaction */
proctype ender() provided (!killed || killed == _pid)
{
	do
	:: {
		skip;
end_idle:
		atomic {
			prepared;
			if
			:: prepared_row = 0			/* ROLLBACK PREPARED */
			:: wait_until_safe(); become_visible(prepared_row)
			fi;
			goto release
		}
release:
		prepared = 0
	} unless {
		atomic { killed == _pid; notice_crash() }
	}
	od
}

/* A crash, kill -9, an immediate stop, or a promotion */
inline restart(value) {
	last_value = value;
	last_value_on_disk = value;
	last_value_on_standby = MIN(last_value_on_standby, value);
	base_time = BEFORE;
	begun = 0; reserved = BEFORE; settled_time = BEFORE;
	locked = 0;
	for (i : 0 .. SESSIONS - 1) { word[i] = 0 }
	i = 0;
	killed = 1
}

init
{
	byte i;

	atomic {
		for (i : 0 .. SESSIONS - 1) { run session(i) }
		for (i : 0 .. READERS - 1) { run reader(i) }
		run ender();
		i = 0
	}

end_world:
	do
	:: atomic { !killed ->
		if
			/* The standby receives WAL, and with it what precedes it. */
		:: last_value_on_standby != last_value -> wait_until_safe()
		:: restart(last_value_on_disk)
		:: restart(last_value)			/* WAL had been written out already */
		:: restart(last_value_on_standby)
		fi }
	od
}
