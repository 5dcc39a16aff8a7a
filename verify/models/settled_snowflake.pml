/*
 * settled_snowflake.pml
 *		Does a row appear at or below what settled_snowflake() has returned?
 *
 * A model for spin of unsettled.c, and of what next_snowflake() and
 * settled_snowflake() do with it.  next_shard_id.pml says how to run it.
 *
 * Claims: If a call has returned an id or a higher one,
 *	- no row with this id becomes visible after that; and
 *	- every call that begins after that returns this id or a higher one, too.
 * While no transaction and no block has an id, a call returns last_value.  Further,
 * nobody uses an entry of the hash table that has been removed, and nothing is done at
 * the end of a transaction that can fail.
 *
 * The model watches one id, which spin chooses first.  So what holds for it holds
 * for all ids.
 *
 * What is modelled (each step names its function in C):
 *	- SESSIONS sessions that take blocks of one or two ids, and leave out ids as the
 *	  clock does.  They keep a block for later transactions or drop it, and commit,
 *	  roll back or prepare.  A row can be inserted at any time between taking its id
 *	  and the end of the transaction.
 *	- An error after an id was published and before it was taken from the sequence.
 *	  The transaction can go on, if a subtransaction has caught the error.
 *	- PREPARED prepared transactions, which others commit or roll back.
 *	- Entries, one for each session.  A session inserts it before it locks the page,
 *	  and removes it between transactions, in favour of other sequences, or when its
 *	  process ends.  If that fails, the entry remains.  A process can also end without
 *	  its callback.  Another then takes its part, and can find the entry.
 *	- Another extension, which commits the row elsewhere, from a transaction callback.
 *	- READERS clients that call settled_snowflake().  A reader looks at one entry after
 *	  the other, each under the lock of its partition, then at the holders of the tag,
 *	  and then at the ids in their locks.
 *	- Crashes of the server, or promotions, at any step.  Words are lost, prepared
 *	  transactions and their locks are not.  The clients keep their results.
 *
 * What is left out, so that the model can do more than the code:
 *	- The clock.  The model decides each time anew whether a session uses its block,
 *	  and whether a reader closes it.
 *	- WAL.  The sequence remains where it was in a crash.  clock_sequence.pml shows that
 *	  it does not go back behind what a reader has read.
 *	- Other sequences, and other databases: readers pass over their entries and locks.
 *	- One of a transaction's two locks without the other: then its word is still there,
 *	  or its rows are visible.
 *	- How the table is made, grows and allocates; it is core's.  What fails there does so
 *	  before the page is locked.
 *
 * What is one step ("atomic"): what other processes cannot distinguish, and what
 * they do under the lock of the page.
 *
 * What is assumed of the server: A transaction becomes visible to all later
 * snapshots in one step.  After that, the locks are released, and then the resource
 * release callback is called.  PREPARE TRANSACTION calls a callback before it stores
 * the locks, and the other after the prepared transaction has taken them over, which
 * is one step; they keep its virtual transaction id, for which the model has the id.
 * COMMIT PREPARED releases them after the transaction is visible.  Recovery takes them
 * again before a session can write.  A list of all locks is made in one step.  Atomic
 * operations and the lock of the page order what is done before and after them, so
 * relaxed memory is not modelled.
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
#ifndef PREPARED
#define PREPARED	1
#endif
#ifndef IDS
#define IDS			2
#endif

/* The word of a session: 0, or its lowest id, and whether a transaction has it */
#define IDLE(first)		((first) * 2)
#define IN_USE(first)	((first) * 2 + 1)
#define FIRST_OF(word)	((word) / 2)
#define IS_IDLE(word)	((word) != 0 && (word) % 2 == 0)

#define NO_LIMIT	255
#define MIN(a, b)	((a) < (b) -> (a) : (b))

/* ---- Shared memory, lost in a crash ---- */

bit	 page_locked;				/* exclusively */

bit	 present[SESSIONS];			/* is the session's entry in the table? */
bit	 alive[SESSIONS];			/* does the process that inserted it still run? */
byte word[SESSIONS];			/* ids->word */
byte reading[SESSIONS];			/* readers that hold the lock of its partition */

byte locked[SESSIONS];			/* the id in the locks of a session, or 0 */

/* ---- Disk ---- */

byte last_value;				/* of the sequence */
byte prepared[PREPARED];		/* the id in the locks of a prepared transaction, or 0 */
bit	 prepared_row[PREPARED];	/* has it the watched row? */

/* ---- The world ---- */

/* After a crash: the process whose turn it is to notice that, or 0 */
byte killed;

#define PROCESSES		(SESSIONS + READERS + PREPARED)

inline notice_crash() {
	killed = (killed == PROCESSES -> 0 : killed + 1)
}

/* ---- What the claims are about ---- */

byte watched;					/* an id */
bit	 settled;					/* has a call returned it, or a higher one? */
bit	 busy[SESSIONS];			/* has the session a transaction, or a block? */
bit	 calm[READERS];				/* has nobody had an id since the call began? */

inline begin_transaction() {
	d_step {
		busy[me] = 1;
		for (i : 0 .. READERS - 1) { calm[i] = 0 }
		i = 0
	}
}

/* New snapshots see the rows of a transaction. */
inline become_visible(row) {
	assert(!row || !settled);
	row = 0
}

/* The first id of the block; its row can be inserted from now on. */
inline issue() {
	if
	:: next == watched -> row = 1
	:: else
	fi;
	next = (two -> next + 1 : 0);
	two = 0
}

/* unsettled_publish() */
inline publish_word() {
	assert(present[me] && alive[me]);
	if
	:: !is_published -> word[me] = IN_USE(first)
#ifndef FAULT_PUBLISHED_ONCE	/* an error can leave the sequence where it was */
	:: is_published && first < FIRST_OF(word[me]) -> word[me] = IN_USE(first)
#endif
	:: else
	fi;
	is_published = 1
}

/* unsettled_forget(): the session gives up its block, and removes the entry. */
inline forget(ended) {
	assert(!ended);				/* because it can fail: then the entry remains */
	word[me] = 0;
	next = 0;
	registered = 0;
	if
	:: true
#ifdef FAULT_REMOVED_UNLOCKED	/* while a reader looks at it */
	:: present[me] = 0
#else
	:: !reading[me] -> present[me] = 0
#endif
#ifdef FAULT_STILL_REGISTERED	/* after an error, which can come when it is removed */
	:: !reading[me] -> present[me] = 0; registered = 1
#endif
	fi
}

/* The process ends, and its transaction is rolled back. */
inline end_process() {
	next = 0; is_published = 0; row = 0;
	registered = 0;
	alive[me] = 0;
	busy[me] = 0
}

/* A session that takes ids from the sequence */
proctype session(byte me) provided (!killed || killed == _pid)
{
	byte next;					/* what remains of the block, or 0 */
	byte first;					/* of the block that it takes */
	bit	 two;					/* has the block an id more? */
	bit	 registered;			/* has it entry->unsettled? */
	bit	 is_published;			/* by this transaction */
	bit	 row;					/* has the transaction the watched row? */
	byte i;

	do
	:: {
		skip;
end_idle:
		/* next_snowflake() */
call:
		atomic {
			if
			:: next && is_published -> issue(); goto issued

				/* unsettled_resume_block() */
			:: next && !is_published ->
				begin_transaction();
				assert(present[me] && alive[me]);
#ifndef FAULT_RESUMED_UNGUARDED	/* even if a reader has closed it */
				if
				:: word[me] != IDLE(next) -> next = 0; goto call
				:: else
				fi;
#endif
				word[me] = IN_USE(next);
				is_published = 1;
				issue();
				goto issued

				/* lookup_sequence_entry() or unsettled_register(), for other sequences */
#ifdef FAULT_FORGOTTEN_PUBLISHED	/* although the transaction has ids */
			:: registered && is_published -> forget(0); is_published = 0; goto call
#else
			:: registered && !is_published -> forget(0); busy[me] = 0; goto end_idle
#endif
				/* before_exit(), which precedes the rollback, or no callback */
			:: registered -> forget(0); end_process(); goto end_idle
			:: registered -> end_process(); goto end_idle

				/* Drop the block, unsettled_register() */
			:: !registered && !reading[me] ->
				registered = 1;
				present[me] = 1; alive[me] = 1; word[me] = 0;
				goto call

				/* take_slots() */
			:: registered && !page_locked && last_value < IDS ->
				begin_transaction();
				page_locked = 1;
				next = 0;
				if
				:: first = last_value + 1
				:: last_value + 2 <= IDS -> first = last_value + 2
				fi;
				if
				:: first < IDS -> two = 1
				:: true
				fi
			fi;

			/* unsettled_publish() */
#ifndef FAULT_PUBLISHED_LATE	/* when last_value has passed it */
			publish_word()
#endif
		}

		/* advance_sequence() */
advance:
		atomic {
			if
			:: last_value = first + two
			:: goto failed
			fi;
			page_locked = 0;
#ifdef FAULT_PUBLISHED_LATE
			goto publish
		}
publish:
		atomic {
			publish_word();
#endif
			next = first;
			first = 0;
			issue();
			goto issued;

			/* An error that a subtransaction catches */
failed:
			page_locked = 0;
			first = 0; two = 0;
issued:
			skip
		}

		atomic {
			if
			:: goto call

				/* COMMIT */
#ifdef FAULT_CLEARED_EARLY		/* before others can see the rows */
			:: row -> goto clear
#else
			:: row -> become_visible(row); goto clear
				/* ... and, after that, elsewhere */
			:: row -> goto callback
#endif
				/* ROLLBACK, or a COMMIT without the row */
			:: row = 0; goto clear

				/* PREPARE TRANSACTION calls the callback first for the locks. */
			:: is_published ->
				locked[me] = FIRST_OF(word[me]);
				goto prepare
			fi
		}

		/* The transaction callback of the other extension */
callback:
		atomic {
			skip;
#ifndef FAULT_CLEARED_BY_CALLBACK	/* which runs before that of the other extension */
			become_visible(row);
#endif
			goto clear
		}

		/* end_transaction(): the resource release callback, after the locks */
clear:
		atomic {
			if
			:: is_published && next -> word[me] = IDLE(next)
			:: is_published && !next ->
#ifdef FAULT_REMOVED_AT_END		/* rather than later */
				forget(1);
#endif
				word[me] = 0
			:: !is_published
			fi;
			is_published = 0;
			if
			:: row || locked[me]
			:: else -> busy[me] = (next != 0); goto end_idle
			fi
		}
		atomic {
#if defined(FAULT_CLEARED_EARLY) || defined(FAULT_CLEARED_BY_CALLBACK)
			become_visible(row);
#endif
			row = 0;
			locked[me] = 0;
			busy[me] = (next != 0);
			goto end_idle
		}

prepare:
		atomic {
			if
			:: row = 0			/* It fails. */
			:: !prepared[0] ->
				prepared[0] = locked[me]; locked[me] = 0;
				prepared_row[0] = row; row = 0
#if PREPARED > 1
			:: prepared[0] && !prepared[1] ->
				prepared[1] = locked[me]; locked[me] = 0;
				prepared_row[1] = row; row = 0
#endif
			fi;
			goto clear
		}
	} unless {
		atomic {				/* the crash; another process, that knows nothing */
			killed == _pid;
			next = 0; first = 0; two = 0; registered = 0; is_published = 0; row = 0; i = 0;
			notice_crash()
		}
	}
	od
}

/* A transaction of this sequence and database: its id, as a bit; bit 0 for none */
#define HOLDS(id)		(holders >> (id) & 1)

/* limit_of_locks(): who holds the tag? */
inline read_tags() {
	d_step {
		for (i : 0 .. SESSIONS - 1) { holders = holders | (1 << locked[i]) }
		for (i : 0 .. PREPARED - 1) { holders = holders | (1 << prepared[i]) }
		i = 0
	}
}

/* Further: the ids in their locks */
inline read_locks() {
	for (i : 0 .. SESSIONS - 1) {
		limit = (locked[i] && HOLDS(locked[i]) -> MIN(limit, locked[i] - 1) : limit)
	}
#ifndef FAULT_PREPARED_IGNORED
	for (i : 0 .. PREPARED - 1) {
		limit = (prepared[i] && HOLDS(prepared[i]) -> MIN(limit, prepared[i] - 1) : limit)
	}
#endif
#ifdef FAULT_OTHER_DATABASE		/* A lock looks the same, but its holder has no tag here. */
	if
	:: true
	:: limit = 0
	fi;
#endif
	holders = 0;
	i = 0
}

/* A client that calls settled_snowflake() */
proctype reader(byte me) provided (!killed || killed == _pid)
{
	byte limit, seen, holders;
	byte i;
	bit	 was_settled;			/* when the call began */

	do
	:: {
		skip;
end_idle:
		atomic {
			was_settled = settled;
			d_step {
				calm[me] = 1;
				for (i : 0 .. SESSIONS - 1) { calm[me] = calm[me] && !busy[i] }
				for (i : 0 .. PREPARED - 1) { calm[me] = calm[me] && !prepared[i] }
				i = 0
			}
			limit = NO_LIMIT;
#ifdef FAULT_TAGS_FIRST			/* before the words */
			read_tags();
			goto page
		}
page:
		atomic {
#endif
#ifndef FAULT_PAGE_LATE			/* after the words */
			!page_locked;		/* passed_value() */
			limit = MIN(limit, last_value);
#endif
			goto next_entry
		}

		/* dshash_seq_next() */
next_entry:
		atomic {
			if
			:: i == SESSIONS -> i = 0; goto locks
			:: i < SESSIONS && !present[i] -> i++; goto next_entry
			:: i < SESSIONS && present[i] -> reading[i]++
			fi
		}

		/* limit_of_entry() */
read_word:
		atomic {
			assert(present[i]);
#ifdef FAULT_GONE_BELIEVED		/* what a process has left behind */
			seen = word[i];
#else
			seen = (alive[i] -> word[i] : 0);
#endif
			if
			:: seen -> limit = MIN(limit, FIRST_OF(seen) - 1)
			:: !seen
			:: IS_IDLE(seen) ->	/* The time of the block is over. */
#ifndef FAULT_CACHE_IGNORED		/* so its ids are taken to be lost */
				goto close
#endif
			fi;
			goto end_entry
		}
close:
		atomic {
			assert(present[i]);
			if
#ifdef FAULT_CLOSED_UNGUARDED	/* whether a transaction has it by now, or not */
			:: word[i] = 0
#else
			:: word[i] == seen -> word[i] = 0
			:: else -> seen = 0; goto read_word
#endif
			fi;
			goto end_entry
		}
end_entry:
		atomic {
			seen = 0;
			reading[i]--;
			i++;
			goto next_entry
		}
locks:
#ifndef FAULT_TAGS_FIRST
		atomic { read_tags() }
#endif
		atomic {
#ifdef FAULT_PAGE_LATE
			!page_locked;
			limit = MIN(limit, last_value);
#endif
			read_locks();
			assert(!calm[me] || limit == last_value);
			calm[me] = 0;

			/* The client has the result. */
			assert(!was_settled || limit >= watched);
			settled = (settled || limit >= watched);
			limit = 0; was_settled = 0
		}
	} unless {
		atomic {
			killed == _pid;
			limit = 0; seen = 0; holders = 0; i = 0; was_settled = 0; calm[me] = 0;
			notice_crash()
		}
	}
	od
}

/* Whoever ends a prepared transaction */
proctype ender(byte me) provided (!killed || killed == _pid)
{
	do
	:: {
		skip;
end_idle:
		atomic {
			prepared[me];
			if
			:: prepared_row[me] = 0		/* ROLLBACK PREPARED */
			:: prepared_row[me] -> become_visible(prepared_row[me])
			fi;
			goto release
		}
release:
		prepared[me] = 0
	} unless {
		atomic { killed == _pid; notice_crash() }
	}
	od
}

/* A crash, kill -9, an immediate stop, a promotion */
inline crash() {
	page_locked = 0;
	for (i : 0 .. SESSIONS - 1) {
		present[i] = 0; alive[i] = 0; word[i] = 0; reading[i] = 0; locked[i] = 0; busy[i] = 0
	}
	i = 0;
	killed = 1
}

init
{
	byte i;

	atomic {
		watched = IDS;
		do
		:: break
		:: watched > 1 -> watched--
		od;
		for (i : 0 .. SESSIONS - 1) { run session(i) }
		for (i : 0 .. READERS - 1) { run reader(i) }
		for (i : 0 .. PREPARED - 1) { run ender(i) }
		i = 0
	}

end_world:
	do
	:: atomic { !killed -> crash() }
	od
}
