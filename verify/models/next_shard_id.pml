/*
 * next_shard_id.pml
 *		Can next_shard_id() issue an id twice?
 *
 * A model of shard_ledger.c and shard_clock.c for spin.  spin runs the sessions
 * below in every possible order, with crashes of the server at any step, and
 * checks that no assertion fails.  scripts/model does that.  By hand:
 *
 *		spin -a next_shard_id.pml && gcc -O2 -DSAFETY -o pan pan.c && ./pan
 *
 * Claim: No slot (a tick, a shard, and the low bits of a number) is issued twice,
 * whatever the sessions do, over any number of crashes, promotions and restarts,
 * and whatever the clocks say.
 *
 * Two other claims need no search here.  The order of a session's ids concerns
 * one session; next_shard_id_order.pml has it.  No session waits for another one
 * that sleeps or has died, because no step between taking a lock and releasing it
 * has a condition.
 *
 * The model watches one slot, which all of its sessions want, again and again.
 * The slot can be any, so what holds for it holds for all slots.  This keeps the
 * model small.  Of a time, the model only knows how it compares with the watched
 * tick: before it, within it, or past its end.  Of a page, it only knows whether
 * it is the page of the watched slot, and that slot's bit.
 *
 * What is modelled (each step names its function in C):
 *	- SESSIONS sessions that want the watched slot.  Each remembers the page that
 *	  it used last.
 *	- Any number of other sessions, which want other slots.  Other slots have bits
 *	  of their own, so the others can only do this to our sessions: make and recycle
 *	  pages, advance the base of the clock, reserve time, and set our bit by a claim
 *	  that comes after its page was recycled.  Making a page and reserving require
 *	  a lock, so one process can stand for all of them.
 *	- One set of PAGES pages, with its lock.  Other sets and other databases only
 *	  add to what the other sessions do: our pages are recycled by our clock.
 *	- The reservation sequence, in shared memory and on disk.  A crash loses what
 *	  is in memory.  WAL that was written but not flushed may or may not survive.
 *	- Recovery.  Until it ends, and on a standby until its promotion, there are only
 *	  read-only transactions.
 *	- An error or a cancel at each place where the code can throw one.
 *	- With -DDROPS: DROP EXTENSION, CREATE EXTENSION, and calls in a transaction that
 *	  creates the extension and is rolled back; a dump restored into the same
 *	  database.  The ledger persists.
 *
 * What is left out, so that the model can do more than the code:
 *	- The clocks.  A session asks for the watched tick whatever the clock says, so
 *	  the clock may step or stand, and the session may have read it an hour ago.
 *	  base_time advances to any time that is not before the last one.  The half
 *	  speed of shard_clock_slowed() does not matter for the claim.
 *	- Waiting, max_clock_lead, and the order of a session.  They only keep a session
 *	  from asking for the slot.
 *	- The condition for recycling pages of other ticks.  The model decides each time
 *	  anew.
 *	- Version numbers.  They have 64 bits and do not repeat, so "the version is not
 *	  the one that I found" means "recycled since then".  The recycler sets a flag
 *	  in each session that remembers the page.
 *
 * What is one step ("atomic"): what other processes cannot distinguish.  The holder
 * of the set's lock searches for a page, tests it, and chooses one.  Of what it
 * reads, others can only change base_time, which rises, and the step itself lets it
 * rise by any amount.  The holder of reservation_lock does its work in one step; a
 * crash in the middle is the same as an error after the write, then a crash.
 *
 * What is assumed: LWLocks and atomic operations work.  If a process dies, the
 * server restarts with new shared memory; if it ends by an error, it has released
 * its LWLocks.  What was flushed survives a crash.  Nobody sets the sequence back
 * by hand just before a crash.
 *
 * Relaxed memory is not modelled.  Without a lock, sessions share only versions,
 * bits, base_time and reserved.  A claim is an atomic fetch-or, which is a full
 * barrier, and then reads the version.  The recycler changes the version, has a full
 * barrier, and then zeroes the bits.  So a claim that finds the zeroed bits also
 * finds the new version.  Sessions that recycle or make a page read base_time under
 * the set's lock, and taking a lock is a barrier, too.  reserved is raised after
 * the flush; a session that reads an older value only takes the slow path.
 *
 * Faults: Each -DFAULT_... removes one precaution, at the place of the precaution.
 * spin must then find an id that is issued twice.
 */

#ifndef SESSIONS
#define SESSIONS	2
#endif
#ifndef PAGES
#define PAGES		2
#endif

/* A time, as compared with the watched tick */
#define BEFORE		0
#define WITHIN		1			/* at its begin, or later */
#define PAST		2			/* at its end, or later */

#define NO_PAGE		255
#define MAX(a, b)	((a) > (b) -> (a) : (b))

/* ---- Shared memory, lost in a crash ---- */

bit	 is_watched[PAGES];			/* is the page that of the watched slot? */
bit	 taken[PAGES];				/* if so, its bit of page->taken */
bit	 set_locked;				/* set->lock */
byte base_time;					/* clock->base_time */
bit	 begun;						/* has_begun() */
byte reserved;					/* clock->reserved */
byte last_value;				/* of the sequence, in shared buffers */
bit	 adopted;					/* is last_value equal to clock->reserved? */

/* ---- Disk ---- */

byte last_value_on_disk;		/* what recovery finds */

/* ---- What a session remembers, entry->page ---- */

byte ref_page[SESSIONS] = NO_PAGE;
bit	 ref_recycled[SESSIONS];	/* is page->version not ref->version any more? */

/* ---- The world ---- */

bit	 in_recovery;
byte killed;					/* who has yet to notice the crash, as bits */
byte in_transaction;			/* sessions that hold a lock on the sequence */
bit	 dropped;					/* is there no extension? */
bit	 replaced;					/* has nobody adopted the sequence since its DROP? */

/* ---- What the claim is about ---- */

bit	 issued;					/* was the watched slot issued? */
bit	 known;						/* and is that known in shared memory? */

inline issue() {
	assert(!issued);
	issued = 1;
	known = 1
}

/* lock_sequence(): nobody drops it before the transaction ends */
#if defined(DROPS) && !defined(FAULT_SEQUENCE_UNLOCKED)
#define BEGIN_TRANSACTION	in_transaction++
#define END_TRANSACTION		in_transaction--
#else
#define BEGIN_TRANSACTION	skip
#define END_TRANSACTION		skip
#endif

/* Set a variable to any time that is not before another */
inline any_time_from(variable, earliest) {
	if
	:: earliest <= BEFORE -> variable = BEFORE
	:: earliest <= WITHIN -> variable = WITHIN
	:: variable = PAST
	fi
}

/* advance_base(), to what shard_clock_now() returns */
inline advance_base() {
#ifdef FAULT_BASE_GOES_BACK		/* the clock is the wall clock alone */
	any_time_from(base_time, BEFORE)
#else
	any_time_from(base_time, base_time)
#endif
}

/* shard_clock_has_passed(): keep the page of the watched slot until its tick has ended */
#ifdef FAULT_RECYCLED_EARLY		/* whatever its tick */
#define MAY_RECYCLE(p)	true
#else
#ifdef FAULT_RECYCLED_BEGUN		/* once its tick has begun, not ended */
#define MAY_RECYCLE(p)	(!is_watched[p] || base_time >= WITHIN)
#else
#define MAY_RECYCLE(p)	(!is_watched[p] || base_time >= PAST)
#endif
#endif

/* get_page(): the page of the watched slot, or NO_PAGE */
inline look_for_page() {
	page = NO_PAGE;
	for (i : 0 .. PAGES - 1) {
		if
		:: is_watched[i] -> page = i
		:: else
		fi
	}
	i = 0
}

/* free_page(): any page that may be recycled, or NO_PAGE if the set is full */
inline look_for_free_page() {
	page = NO_PAGE;
	for (i : 0 .. PAGES - 1) {
		if
		:: MAY_RECYCLE(i) -> page = i
		:: skip
		fi
	}
	i = 0
}

/* get_page(): the page of a tick that has ended can have been recycled before */
#ifdef FAULT_CREATED_LATE
#define TOO_LATE	false
#else
#define TOO_LATE	(base_time >= PAST)
#endif

/* Sessions that remember the page see another version. */
inline change_version(p) {
	for (i : 0 .. SESSIONS - 1) {
		if
		:: ref_page[i] == p -> ref_recycled[i] = 1
		:: else
		fi
	}
	i = 0
}

/* recycle_page(): the version becomes odd */
inline begin_to_recycle() {
	set_locked = 1;
#ifndef FAULT_VERSION_LATE		/* it changes when the bits are zero already */
	change_version(page)
#endif
}

/* recycle_page(): the page is of another part, and all bits are zero */
inline zero_page(of_watched_slot) {
	is_watched[page] = of_watched_slot;
	taken[page] = 0
}

/* recycle_page(): the version becomes even; the lock is released */
inline end_recycling() {
#ifdef FAULT_VERSION_LATE
	change_version(page);
#endif
	set_locked = 0
}

/* update_reservation(), after the write: flush, then publish */
inline publish_reservation() {
#ifndef FAULT_NO_FLUSH
	last_value_on_disk = last_value;
#endif
	reserved = last_value;
	begun = 1;
	adopted = 1;
	replaced = 0;
	known = 1
}

/* update_reservation() of a sequence that does not hold our reservation */
inline adopt_sequence() {
#ifdef FAULT_SETVAL_IGNORED		/* only a clock that has not begun is advanced */
	if
	:: !begun -> base_time = MAX(base_time, last_value)
	:: else
	fi;
#else
#ifndef FAULT_CLOCK_ALONE		/* the clock begins at the wall clock */
	base_time = MAX(base_time, last_value);
#endif
#endif
	advance_base();
#ifndef FAULT_NOTHING_CARRIED	/* a new sequence does not get the old one's time */
	last_value = MAX(last_value, reserved);
	last_value = MAX(last_value, base_time);
#endif
	any_time_from(last_value, last_value);
	adopted = 0
}

/* is_reserved(): is the end of the watched tick covered? */
#ifdef FAULT_RESERVED_BEGIN		/* its begin */
#define IS_RESERVED	(reserved >= WITHIN)
#else
#define IS_RESERVED	(reserved >= PAST)
#endif

inline forget_page() {
	ref_page[me] = NO_PAGE;
	ref_recycled[me] = 0
}

/* A session whose calls of next_shard_id() lead to the watched slot. */
proctype session(byte me)
{
	byte page, i;
	bit	 was_taken;

	do
	:: {
		skip;

		/*
		 * shard_clock_begin_transaction(): make sure that the sequence
		 * holds the reservation.  After a start of the server, begin above it.
		 */
end_idle:
		atomic {
#ifndef FAULT_STARTED_ON_STANDBY	/* PreventCommandIfReadOnly(): before the promotion, too */
			!in_recovery;
#endif
			!dropped;
			BEGIN_TRANSACTION;
			if
#ifdef FAULT_LOOKED_ONCE		/* once since the start of the server */
			:: begun -> skip
#else
			:: begun && adopted -> skip
#endif
			:: else ->
				adopt_sequence();
				if
				:: publish_reservation()
				:: END_TRANSACTION; goto end_idle		/* an error */
				fi
			fi
		}

		/* find_page(), unless the session remembers the page. */
claim:
		atomic {
			if
			:: ref_page[me] != NO_PAGE -> goto set_bit
			:: else
			fi;
#ifdef DROPS
			/* The clock is read after update_reservation() has advanced it. */
			if
			:: base_time >= PAST -> END_TRANSACTION; goto end_idle
			:: else
			fi;
#endif
#ifndef FAULT_SET_UNLOCKED
			!set_locked;
#endif
			look_for_page();
			if
			:: page != NO_PAGE ->
				ref_page[me] = page; page = 0;
				goto set_bit
			:: else
			fi;
			if
			:: TOO_LATE -> page = 0; END_TRANSACTION; goto end_idle
			:: else
			fi;
			advance_base();		/* shard_clock_sync() */
			look_for_free_page();
			if
			:: page == NO_PAGE -> page = 0; END_TRANSACTION; goto end_idle
			:: else
			fi;
			begin_to_recycle()
		}
		atomic { zero_page(1); goto zeroed }
zeroed:
		atomic {
			end_recycling();
			ref_page[me] = page; ref_recycled[me] = 0; page = 0
		}

		/* ledger_claim_slot(): set the bit, then read the version. */
set_bit:
#ifdef FAULT_VERSION_FIRST		/* the other way round */
		atomic {
			if
			:: ref_recycled[me] -> forget_page(); goto claim
			:: else
			fi
		}
#endif
		atomic {
			was_taken = taken[ref_page[me]];
#ifdef FAULT_CLAIM_IN_TWO		/* a read and a write, not a fetch-or */
			goto write_bit
		}
write_bit:
		atomic {
#endif
			if					/* in another page, the bit is another slot's */
			:: is_watched[ref_page[me]] -> taken[ref_page[me]] = 1
			:: else
			fi
		}
		atomic {
			if
#if !defined(FAULT_VERSION_UNREAD) && !defined(FAULT_VERSION_FIRST)
			:: ref_recycled[me] -> was_taken = 0; forget_page(); goto claim
#endif
			:: else
			fi;
			if
			:: was_taken ->		/* claim_tick(): a later tick, another slot */
				was_taken = 0; END_TRANSACTION; goto end_idle
			:: else
			fi
		}

		/* shard_clock_reserve(): cover the tick before the id is returned. */
#ifdef FAULT_RESERVED_LATE		/* after */
		atomic { issue() }
#endif
		atomic {
			if
			:: IS_RESERVED -> goto leave
			:: END_TRANSACTION; goto end_idle		/* an error, or a cancel */
			:: !IS_RESERVED
			fi;
			if
			:: !adopted -> base_time = MAX(base_time, last_value)
			:: else
			fi;
#ifdef FAULT_PAGE_BELIEVED		/* what the sequence holds is taken to be on disk */
			if
			:: last_value >= PAST -> reserved = last_value; goto leave
			:: else
			fi;
#endif
#ifdef FAULT_RESERVES_BEGIN		/* up to the begin of the tick, not its end */
			last_value = MAX(last_value, WITHIN);
#else
			last_value = PAST;	/* to its end, or later */
#endif
			adopted = 0;
			if
			:: END_TRANSACTION; goto end_idle		/* an error */
			:: publish_reservation()
#ifdef FAULT_FILE_REPLACED		/* open_reservation_to_write(): a rollback removes it */
			:: in_transaction == 1 -> last_value = last_value_on_disk; reserved = PAST
#endif
			fi;
leave:
#ifndef FAULT_RESERVED_LATE
			issue();
#endif
			if
			:: goto claim		/* another call in the same transaction */
			:: END_TRANSACTION; goto end_idle
			fi
		}
	} unless {
		atomic {				/* the crash; another process, that knows nothing */
			killed & (1 << me);
			killed = killed & ~(1 << me);
			forget_page();
			page = 0; i = 0; was_taken = 0
		}
	}
	od
}

/* All sessions that want other slots */
proctype others()
{
	byte page, i;
	bit	 watched;				/* is the new page that of the watched slot, too? */

	do
	:: {
		skip;
end_idle:
		atomic {
			begun && !replaced && !in_recovery;
			if
				/* They make a page: of another tick, or ours for another slot. */
			:: !set_locked ->
				look_for_page();
				if
				:: page == NO_PAGE && !TOO_LATE -> watched = 1
				:: skip
				fi;
				advance_base();
				look_for_free_page();
				if
				:: page == NO_PAGE -> page = 0; watched = 0; goto end_idle
				:: else
				fi;
				BEGIN_TRANSACTION;
				begin_to_recycle()

				/* They claim a slot of the tick that a page had before. */
			:: look_for_page();
				if
				:: page != NO_PAGE -> taken[page] = 1
				:: else
				fi;
				page = 0;
				goto end_idle

				/* They reserve time, for another tick. */
			:: any_time_from(last_value, last_value);
				adopted = 0;
				if
				:: publish_reservation()
				:: skip			/* an error */
#ifdef FAULT_PUBLISHED_EARLY	/* before the flush */
				:: reserved = last_value
#endif
				fi;
				goto end_idle
#ifdef FAULT_RESERVATION_UNLOCKED	/* what another session wrote is overwritten */
			:: last_value = BEFORE; last_value_on_disk = BEFORE; goto end_idle
#endif
			fi
		}
		atomic { zero_page(watched); goto zeroed }
zeroed:
		atomic {
			end_recycling();
			page = 0; watched = 0;
			END_TRANSACTION
		}
	} unless {
		atomic {
			killed & (1 << SESSIONS);
			killed = killed & ~(1 << SESSIONS);
			page = 0; i = 0; watched = 0
		}
	}
	od
}

/* A crash, kill -9, an immediate stop, a promotion.  The clocks may be set. */
inline crash() {
	if
	:: last_value_on_disk = last_value	/* WAL had been written out already */
	:: skip
	fi;
	if							/* nobody adopted the new sequence, if there is one */
	:: replaced && (dropped || last_value_on_disk < PAST) -> issued = 0
	:: else
	fi;
	known = 0;
	for (i : 0 .. PAGES - 1) { is_watched[i] = 0; taken[i] = 0 }
	i = 0;
	set_locked = 0;
	base_time = BEFORE;
	begun = 0; reserved = BEFORE;
	last_value = BEFORE; adopted = 0;	/* as an old checkpoint left it */
	in_transaction = 0;
	in_recovery = 1;
	killed = (1 << (SESSIONS + 1)) - 1
}

init
{
	byte page, i;

	atomic {
		for (i : 0 .. SESSIONS - 1) { run session(i) }
		i = 0;
		run others()
	}

end_world:
	do
	:: atomic { !in_recovery -> crash() }
	:: atomic { in_recovery && !killed -> last_value = last_value_on_disk; in_recovery = 0 }
#ifdef DROPS
	/* DROP EXTENSION.  The time in a sequence that nobody adopted is lost with it. */
	:: atomic { !dropped && !in_recovery && in_transaction == 0 ->
			if
			:: !known -> issued = 0
			:: else
			fi;
			adopted = 0;
			dropped = 1;
			replaced = 1 }
	/* CREATE EXTENSION, and perhaps the setval() of a dump */
	:: atomic { dropped && !in_recovery ->
			any_time_from(last_value, BEFORE);
			last_value_on_disk = last_value;
			if
			:: last_value == PAST && !issued -> issued = 1; known = 0
			:: else
			fi;
			dropped = 0 }
	/*
	 * A transaction that creates the extension, takes ids, and is rolled back.  If it
	 * has dropped the extension before, the sequence is back as it was.
	 */
#ifdef FAULT_SEQUENCE_REPLACED	/* open_reservation_to_write(): such calls are allowed */
	:: atomic { !in_recovery && in_transaction == 0 && !set_locked ->
#else
	:: atomic { dropped && !in_recovery && !set_locked ->
#endif
			advance_base();
			reserved = MAX(reserved, base_time);
			any_time_from(reserved, reserved);
			begun = 1;
			page = NO_PAGE;
			if
			:: base_time < PAST -> look_for_page()
			:: else
			fi;
			if
			:: base_time < PAST && page == NO_PAGE ->
				look_for_free_page();
				if
				:: page != NO_PAGE -> change_version(page); zero_page(1)
				:: else
				fi
			:: else
			fi;
			if
			:: page != NO_PAGE && !taken[page] && reserved >= PAST -> taken[page] = 1; issue()
			:: else
			fi;
			page = 0 }
#endif
	od
}
