/*
 * unsettled_slots.pml
 *		Does settled_snowflake() find the ids of a transaction in any slot?
 *
 * A model for spin of the slots of unsettled.c: those of processes, which later
 * processes take over, and the extra ones, which transactions take that use more
 * sequences.  settled_snowflake.pml has only one word for each session, and the
 * rest of settled_snowflake(); its claims are those of this model.
 * next_shard_id.pml says how to run it.
 *
 * The model watches one id, which spin chooses first.  So what holds for it holds
 * for all ids.
 *
 * What is modelled (each step names its function in C):
 *	- SESSIONS sessions that use two sequences, in any order.  A slot has one entry.
 *	  So a transaction that uses both sequences requires an extra slot, and one that
 *	  uses another sequence than the one before takes over its entry.
 *	- EXTRA extra slots.  If all are taken, a call fails, and the transaction can go
 *	  on, if a subtransaction has caught the error.
 *	- Blocks of one or two ids, which can outlast the transaction.  An error after an
 *	  id was published and before it was taken from the sequence.
 *	- Sessions that end, and new processes that have the same slot.
 *	- A reader, which looks at one slot after the other.
 *
 * What is left out, so that the model can do more than the code:
 *	- The clock.  The model decides each time anew whether a session uses its block,
 *	  and whether a reader closes it.
 *	- Of the second sequence, all but its entries and their words.
 *	- Which of its extra slots a transaction looks at: it takes any that is free.
 *
 * What is one step ("atomic"): what other processes cannot distinguish.  A change
 * of the key and the word of an entry has several steps, and so has a reader.
 *
 * What is left out, and is not shown: prepared transactions and crashes, which
 * settled_snowflake.pml has; slots with several entries, and several extra slots of
 * a transaction.
 *
 * What is assumed: as in settled_snowflake.pml.
 *
 * Faults: Each -DFAULT_... removes one precaution, at the place of the precaution.
 * spin must then find that a claim does not hold.
 */

#ifndef SESSIONS
#define SESSIONS	2
#endif
#ifndef EXTRA
#define EXTRA		1
#endif
#ifndef IDS
#define IDS			2
#endif

#define SLOTS			(SESSIONS + EXTRA)	/* the first are those of processes */
#define NO_SLOT			255

/* The word of an entry: 0, or its lowest id, and whether a transaction has it */
#define IDLE(first)		((first) * 2)
#define IN_USE(first)	((first) * 2 + 1)
#define FIRST_OF(word)	((word) / 2)
#define IS_IDLE(word)	((word) != 0 && (word) % 2 == 0)

/* The key of an entry, of ids->relid */
#define OURS			0
#define OTHERS			1

#define MIN(a, b)	((a) < (b) -> (a) : (b))
#define MAX(a, b)	((a) > (b) -> (a) : (b))

/* ---- Shared memory ---- */

bit	 page_locked;				/* exclusively */
byte last_value;				/* of our sequence */
byte slots_used;				/* memory->slots_used */

bit	 taken[SLOTS];				/* slot->taken */
bit	 version_odd[SLOTS];		/* slot->version */
bit	 version_changed[SLOTS];	/* since the reader read it? */
bit	 count[SLOTS];				/* slot->count */
bit	 key[SLOTS];				/* of its entry */
byte word[SLOTS];				/* of its entry */

/* ---- What the claims are about ---- */

byte watched;					/* an id */
bit	 settled;					/* has a call returned it, or a higher one? */

/* The first id of the block; its row can be inserted from now on. */
inline issue() {
	if
	:: next == watched -> row = 1
	:: else
	fi;
	next = (two -> next + 1 : 0);
	two = 0
}

inline begin_change(slot) {
	version_odd[slot] = 1;
	version_changed[slot] = 1
}

inline end_change(slot) {
	version_odd[slot] = 0
}

/* A session that takes ids from the sequences */
proctype session(byte me)
{
	bit	 has_own = 0;			/* nslots > 0 */
	byte extra = NO_SLOT;		/* my_slots[1] */
	byte slot = NO_SLOT;		/* that it changes */
	bit	 wanted;				/* the sequence of the call */

	/* entry->unsettled, and is it published by this transaction? */
	byte place[2] = NO_SLOT;
	bit	 is_published[2];

	byte next;					/* what remains of the block, or 0 */
	byte first;					/* of the block that it takes */
	bit	 two;					/* has the block an id more? */
	bit	 row;					/* has the transaction the watched row? */

end_idle:
	do
	:: atomic {					/* next_snowflake() */
			if
			:: wanted = OURS
			:: wanted = OTHERS
			fi;
			goto call
		}

		/* Another process has the slot. */
	:: atomic {
			has_own && !is_published[OURS] && !is_published[OTHERS] && extra == NO_SLOT ->
			has_own = 0;
			place[OURS] = NO_SLOT; place[OTHERS] = NO_SLOT;
			next = 0; two = 0
		}

		/* COMMIT, ROLLBACK */
	:: atomic {
			is_published[OURS] || is_published[OTHERS] || extra != NO_SLOT ->
#ifdef FAULT_RELEASED_EARLY		/* before others can see the rows */
			goto publish_rest
#else
			if
			:: row -> assert(!settled)	/* New snapshots see it. */
			:: true
			fi;
			row = 0;
			goto publish_rest
#endif
		}
	od;

call:
	atomic {
		if
		:: wanted == OURS && next && is_published[OURS] -> issue(); goto end_idle

			/* unsettled_resume_block() */
		:: wanted == OURS && next && !is_published[OURS] && word[place[OURS]] == IDLE(next) ->
			word[place[OURS]] = IN_USE(next);
			is_published[OURS] = 1;
			issue();
			goto end_idle
		:: else
		:: next && wanted == OURS		/* The tick of the block is over. */
		fi;
		if						/* open_sequence_entry() */
		:: wanted == OURS -> next = 0; two = 0
		:: else
		fi;

		/* unsettled_register() */
		if
		:: has_own -> goto get_entry
		:: else -> slot = me; goto take_slot
		fi
	}

	/* take_slot() */
take_slot:
	atomic { begin_change(slot) }
	atomic { count[slot] = 0; word[slot] = 0 }
	atomic {
		end_change(slot);
#ifndef FAULT_NOT_COUNTED		/* so that readers look at it */
		slots_used = MAX(slots_used, slot + 1);
#endif
		if
		:: slot == me -> has_own = 1
		:: else -> extra = slot
		fi;
		goto get_entry
	}

get_entry:
	atomic {
		if
		:: place[wanted] != NO_SLOT -> slot = NO_SLOT; goto take_slots
		:: else
		fi;
		slot = (extra == NO_SLOT -> me : extra);
		if
		:: !count[slot] -> goto assign_entry
		:: else
		fi;

		/* free_entry() */
		if
#ifdef FAULT_ENTRY_STOLEN		/* even if this transaction has ids in it */
		:: slot == me
#else
		:: slot == me && !is_published[1 - wanted]
#endif
			->
#ifndef FAULT_BLOCK_KEPT		/* although readers find the other sequence there */
			place[1 - wanted] = NO_SLOT;
			if
			:: wanted == OTHERS -> next = 0; two = 0
			:: else
			fi;
#endif
			goto assign_entry
		:: else
		fi;

		/* take_extra_slot() */
		if
		:: slot = SESSIONS; !taken[slot]
#if EXTRA > 1
		:: slot = SESSIONS + 1; !taken[slot]
#endif
		:: slot = NO_SLOT; wanted = OURS; goto end_idle	/* an error */
		fi;
#ifdef FAULT_TAKEN_IN_TWO		/* a read and a write, not an exchange */
		goto write_taken
	}
write_taken:
	atomic {
#endif
		taken[slot] = 1;
		goto take_slot
	}

assign_entry:
	atomic {
		skip;
#ifndef FAULT_VERSION_KEPT		/* while the entry changes */
		begin_change(slot)
#endif
	}
	atomic { key[slot] = wanted }
	atomic { word[slot] = 0; count[slot] = 1 }
	atomic {
		end_change(slot);
		place[wanted] = slot;
		slot = NO_SLOT
	}

take_slots:
	atomic {
		if						/* The other sequence needs nothing else. */
		:: wanted == OTHERS ->
			word[place[OTHERS]] = IN_USE(1);
			is_published[OTHERS] = 1;
			wanted = OURS;
			goto end_idle
		:: wanted == OURS && last_value == IDS -> goto end_idle
		:: wanted == OURS && last_value < IDS && !page_locked
		fi;
		page_locked = 1;
		if
		:: first = last_value + 1
		:: last_value + 2 <= IDS -> first = last_value + 2
		fi;
		if
		:: first < IDS -> two = 1
		:: true
		fi;

		/* unsettled_publish() */
		if
		:: !is_published[OURS] || first < FIRST_OF(word[place[OURS]]) ->
			word[place[OURS]] = IN_USE(first)
		:: else
		fi;
		is_published[OURS] = 1
	}

	/* advance_sequence() */
	atomic {
		if
		:: last_value = first + two; next = first; issue()
		:: two = 0				/* an error */
		fi;
		first = 0;
		page_locked = 0;
		goto end_idle
	}

	/* end_transaction() */
publish_rest:
	atomic {
		if
		:: is_published[OURS] -> word[place[OURS]] = (next -> IDLE(next) : 0)
		:: else
		fi;
		is_published[OURS] = 0
	}
	atomic {
		if
		:: is_published[OTHERS] -> word[place[OTHERS]] = 0
		:: else
		fi;
		is_published[OTHERS] = 0;
		if
		:: extra == NO_SLOT -> goto end_commit
		:: else
		fi;

		/* release_extra_slots() */
#ifdef FAULT_SLOT_KEPT			/* it is still taken to be that of the sequence */
		if
		:: place[OURS] == extra
		:: else
		fi;
#else
		if
		:: place[OURS] == extra -> place[OURS] = NO_SLOT; next = 0; two = 0
		:: else
		fi;
		if
		:: place[OTHERS] == extra -> place[OTHERS] = NO_SLOT
		:: else
		fi;
#endif
		begin_change(extra)
	}
	atomic { count[extra] = 0 }
	atomic { end_change(extra) }
	atomic {
		taken[extra] = 0;
		extra = NO_SLOT;
		goto end_commit
	}
end_commit:
	atomic {
#ifdef FAULT_RELEASED_EARLY
		if
		:: row -> assert(!settled)
		:: true
		fi;
		row = 0;
#endif
		goto end_idle
	}
}

/* A client that calls settled_snowflake() */
proctype reader()
{
	byte limit, limit_before, seen, used, i;
	bit	 was_settled;			/* when the call began */

end_idle:
	do
	:: atomic {
			was_settled = settled;
#ifdef FAULT_SLOTS_COUNTED_FIRST	/* before last_value is read */
			used = slots_used;
			goto page
		}
page:
		atomic {
#endif
			!page_locked;		/* passed_value() */
			limit = last_value
		}

		/* unsettled_limit() */
		atomic {
#ifndef FAULT_SLOTS_COUNTED_FIRST
			used = slots_used;
#endif
			i = 0;
			goto next_slot
		}

		/* limit_of_process() */
next_slot:
		atomic {
			if
			:: i == used -> goto result
			:: i < used && !version_odd[i]
			fi;
			version_changed[i] = 0;
			limit_before = limit
		}

		/* limit_of_slot() */
		atomic {
			if
			:: !count[i] || key[i] == OTHERS -> goto end_slot
			:: else
			fi
		}

		/* limit_of_entry() */
read_word:
		atomic {
			seen = word[i];
			if
			:: seen -> limit = MIN(limit, FIRST_OF(seen) - 1); goto end_slot
			:: !seen -> goto end_slot
			:: IS_IDLE(seen)	/* The time of the block is over. */
			fi
		}
		atomic {
			if
			:: word[i] == seen -> word[i] = 0; goto end_slot
			:: else -> seen = 0; goto read_word
			fi
		}
end_slot:
		atomic {
			seen = 0;
#ifndef FAULT_VERSION_UNREAD	/* although the entry was of another sequence meanwhile */
			if
			:: version_changed[i] -> limit = limit_before; goto next_slot
			:: else
			fi;
#endif
			version_changed[i] = 0;
			limit_before = 0;
			i++;
			goto next_slot
		}
result:
		atomic {				/* The client has the result. */
			assert(!was_settled || limit >= watched);
			settled = (settled || limit >= watched);
			limit = 0; used = 0; i = 0; was_settled = 0; limit_before = 0
		}
	od
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
		i = 0;
		run reader()
	}
}
