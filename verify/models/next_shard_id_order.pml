/*
 * next_shard_id_order.pml
 *		Do the ids that a session takes from a sequence ascend?
 *
 * A model for spin of what shard_id.c remembers of the numbers that a session has
 * used for a shard.  next_shard_id.pml says how to run it.
 *
 * Claim: An id is above all ids that the session took before for the same shard
 * with lower numbers.  So the ids of each sequence ascend, as its numbers do,
 * whatever other sequences and plain numbers the session uses in between.
 *
 * What is modelled: one session, which uses any number at any time; its streams;
 * and that it forgets them when it has used too many shards.  Other sessions and
 * the clock can only delay an id, because claim_tick() starts at the tick that it
 * is given and only goes up.  So it returns any tick from there on.
 *
 * What keeps the model small: NUMBERS numbers, whose low bits select one of FIELD
 * slots; STREAMS streams; and numbers more than GAP apart start a new stream.  spin
 * first chooses a number, and watches the order of its ids.
 *
 * Faults: Each -DFAULT_... changes a line.  spin must then find an id that is not
 * above the others.
 */

#ifndef STREAMS
#define STREAMS		2
#endif
#ifndef NUMBERS
#define NUMBERS		6
#endif
#ifndef GAP
#define GAP			1
#endif
#ifndef FIELD
#define FIELD		2
#endif
#ifndef TICKS
#define TICKS		4
#endif

#define PACK(tick, number)	((tick) * FIELD + (number) % FIELD)
#define MAX(a, b)	((a) > (b) -> (a) : (b))

/* entry->streams, with room for one more; what is not used is zero */
byte first[STREAMS + 1];
byte last[STREAMS + 1];
byte id[STREAMS + 1];
byte nstreams;

byte latest_end;				/* of all shards */
byte forgotten_end;

/* The watched number, and one more than the highest id of those below it */
byte watched;
byte limit;

byte n, i;

/* streams_below() */
inline count_streams_below(number) {
	n = nstreams;
	do
	:: n > 0 && first[n - 1] >= number -> n--
	:: else -> break
	od
}

/* remove_stream() */
inline remove_stream(which) {
	for (i : which .. STREAMS - 1) {
		first[i] = first[i + 1]; last[i] = last[i + 1]; id[i] = id[i + 1]
	}
	nstreams--;
	first[STREAMS] = 0; last[STREAMS] = 0; id[STREAMS] = 0;
	i = 0
}

/* remember_id(): memmove() the other way; nstreams++ */
inline insert_stream(which) {
	i = STREAMS;
	do
	:: i > which -> first[i] = first[i - 1]; last[i] = last[i - 1]; id[i] = id[i - 1]; i--
	:: else -> break
	od;
	nstreams++;
	i = 0
}

/* remember_id(): the lowest two become one */
inline merge_lowest_streams() {
#ifndef FAULT_MERGED_LOW		/* the lower id of the two is kept */
	id[0] = id[1];
#endif
#ifdef FAULT_MERGED_LATE		/* and here the higher first number */
	first[0] = first[1];
#endif
	last[0] = last[1];
	remove_stream(1)
}

/* remember_id(): n streams begin below the number */
inline remember_id(number, new_id) {
	if
	:: n > 0 && number - last[n - 1] <= GAP -> skip
	:: else ->
#ifdef FAULT_MERGED_FIRST		/* not last: the two can be around the number */
		if
		:: nstreams == STREAMS -> merge_lowest_streams(); count_streams_below(number)
		:: else
		fi;
#endif
		insert_stream(n);
		n++;
		first[n - 1] = number
	fi;
	last[n - 1] = number;
	id[n - 1] = new_id;
	do
#ifdef FAULT_REMOVED_HIGHER		/* all, though later numbers must be above */
	:: n < nstreams -> remove_stream(n)
#else
	:: n < nstreams && id[n] <= new_id -> remove_stream(n)
#endif
	:: else -> break
	od;
	if
	:: nstreams > STREAMS ->
#ifdef FAULT_STREAM_DROPPED		/* no merge, but the first one goes */
		remove_stream(0)
#else
		merge_lowest_streams()
#endif
	:: else
	fi
}

init
{
	byte number, tick;

	select(watched : 0 .. NUMBERS - 1);
end:
	do
	:: atomic {					/* next_shard_id() */
		select(number : 0 .. NUMBERS - 1);

		count_streams_below(number);
		tick = 0;
#ifndef FAULT_CLOCK_ALONE		/* the tick of the clock, whatever came before */
		if						/* first_tick() */
		:: n > 0 ->
			tick = id[n - 1] / FIELD;
#ifndef FAULT_SAME_TICK			/* without comparing the low bits */
			if
			:: PACK(tick, number) <= id[n - 1] -> tick++
			:: else
			fi
#endif
		:: else ->
			tick = forgotten_end
		fi;
#endif

		if						/* claim_tick() */
		:: tick < TICKS -> select(tick : tick .. TICKS - 1)
		:: else -> goto stop
		fi;

		assert(number != watched || PACK(tick, number) >= limit);
		if
		:: number < watched -> limit = MAX(limit, PACK(tick, number) + 1)
		:: else
		fi;

		remember_id(number, PACK(tick, number));
		latest_end = MAX(latest_end, tick + 1);
		number = 0; tick = 0; n = 0
	}

	:: atomic {					/* lookup_entry(): too many shards */
		nstreams > 0 ->
		for (i : 0 .. STREAMS) { first[i] = 0; last[i] = 0; id[i] = 0 }
		i = 0;
		nstreams = 0;
#ifndef FAULT_ALL_FORGOTTEN
		forgotten_end = latest_end
#endif
	}
	od;
stop:
	skip
}
