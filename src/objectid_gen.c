/*-------------------------------------------------------------------------
 *
 * objectid_gen.c
 *		Generation of objectids: gen_objectid(), of now and of a given time.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"
#include "settings.h"
#include "wait.h"

#include <sys/time.h>
#include <unistd.h>

#include "common/md5.h"
#include "miscadmin.h"

/* State of a generator of this backend */
typedef struct objectid_generator
{
	int			pid;			/* process that drew the identity, or 0 */
	int			kind;			/* objectid_identity when it was drawn */
	uint32		seconds;		/* of the last id */
	uint32		counter;		/* of the last id, 24 bits */
	uint64		identity;		/* 40 bits */
} objectid_generator;

static objectid_generator generator;

/* Of ids of a given time: without kind and seconds, and with all of the counter */
static objectid_generator generator_at;

/* Draw a number of so many bits, up to 64. */
static uint64
random_bits(int bits)
{
	uint64		value;

	if (!pg_strong_random(&value, sizeof(value)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values")));
	return value >> (64 - bits);
}

/*
 * Return the classic identity: the first three bytes of MD5(host name), then
 * the low 16 bits of the process id.  A process id can have 22 bits.  The upper
 * ones are XORed into the last machine byte; without them, processes whose ids
 * differ by 65536 would share an identity.
 */
static uint64
host_identity(void)
{
	char		hostname[256];
	uint8		digest[MD5_DIGEST_LENGTH];
	const char *errstr = NULL;
	uint64		machine;

	if (gethostname(hostname, sizeof(hostname)) != 0)
		ereport(ERROR,
				(errcode_for_socket_access(),
				 errmsg("could not get host name: %m")));
	hostname[sizeof(hostname) - 1] = '\0';
	if (!pg_md5_binary(hostname, strlen(hostname), digest, &errstr))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute %s hash: %s", "MD5", errstr)));

	machine = digest[0] << 16 | digest[1] << 8 | digest[2];
	return (machine ^ (uint8) (MyProcPid >> 16)) << 16 | (uint16) MyProcPid;
}

/*
 * Return the second for the next id: that of the clock, or that of the last id
 * if the clock was set back.  When the counter wraps or the identity changes,
 * the id needs a later second than the last one, and we may have to wait for
 * the clock.
 */
static uint32
next_second(bool new_round)
{
	struct timeval now;
	int64		second;

	/* Not GetCurrentTimestamp(), to avoid conversion to its epoch and back */
	gettimeofday(&now, NULL);
	second = Max(now.tv_sec, generator.seconds);

	if (unlikely(new_round) && second == generator.seconds)
	{
		second++;
		objectid_ext_wait_for_clock(tick_time(&objectid_clock, second),
									objectid_ext_max_lead(), USECS_PER_SEC);
	}
	if (now.tv_sec < 0 || second > PG_UINT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("current time is out of range for type %s", "objectid")));
	return (uint32) second;
}

/*
 * Draw an identity and the start of the counter.  We remember the process id,
 * because a forked child must not continue with the state of its parent.
 */
static void
draw_identity(void)
{
	objectid_generator drawn = {.pid = MyProcPid, .kind = objectid_ext_identity};

	drawn.identity = drawn.kind == OBJECTID_IDENTITY_HOST ?
		host_identity() : random_bits(OBJECTID_IDENTITY_BITS);
	drawn.counter = (uint32) random_bits(OBJECTID_COUNTER_BITS);

	/*
	 * If the setting was changed, continue in another second, because the new
	 * identity may be lower than the old one.
	 */
	if (generator.pid == MyProcPid)
		drawn.seconds = next_second(true);
	generator = drawn;			/* after all that can fail */
}

static objectid *
make_objectid(uint32 seconds, uint64 identity, uint32 counter)
{
	objectid   *id = palloc(sizeof(objectid));
	uint32		first_bytes = pg_hton32(seconds);
	uint64		last_bytes = pg_hton64(identity << OBJECTID_COUNTER_BITS | counter);

	memcpy(id->data, &first_bytes, sizeof(first_bytes));
	memcpy(id->data + OBJECTID_IDENTITY_OFFSET, &last_bytes, sizeof(last_bytes));
	return id;
}

/*
 * Return the next id of this backend.  It is greater than the one before, even
 * if the clock was set back or the counter wraps; it may then lead the clock
 * by objectid_ext.max_clock_lead, beyond which calls wait.  A clock outside
 * 1970 to 2106 raises datetime_field_overflow.
 */
PG_FUNCTION_INFO_V1(gen_objectid);
Datum
gen_objectid(PG_FUNCTION_ARGS)
{
	uint32		counter;

	if (unlikely(generator.pid != MyProcPid || generator.kind != objectid_ext_identity))
		draw_identity();

	counter = (generator.counter + 1) & OBJECTID_COUNTER_MASK;
	generator.seconds = next_second(counter == 0);
	generator.counter = counter;
	PG_RETURN_OBJECTID_P(make_objectid(generator.seconds, generator.identity, counter));
}

/*
 * Return a new id of a given time.  Any call, of this process or of another,
 * may have made ids of that second, so these have an identity of their own: a
 * random one, which the classic layout cannot provide, and another one each
 * time the counter wraps.  The counter starts at 0, so that ids of one second
 * ascend in the order of the calls for as long as possible.
 */
PG_FUNCTION_INFO_V1(gen_objectid_at);
Datum
gen_objectid_at(PG_FUNCTION_ARGS)
{
	int64		second = tick_at(&objectid_clock, PG_GETARG_TIMESTAMPTZ(0));
	uint32		counter = (generator_at.counter + 1) & OBJECTID_COUNTER_MASK;

	if (second < 0 || second > objectid_clock.max_tick)
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("timestamp is out of range for type %s", "objectid"),
				 errdetail("The time must be from 1970-01-01 00:00:00+00 to before 2106-02-07 06:28:16+00.")));

	if (generator_at.pid != MyProcPid)
		counter = 0;
	if (unlikely(counter == 0))
		generator_at.identity = random_bits(OBJECTID_IDENTITY_BITS);	/* or an error: nothing has changed */
	generator_at.counter = counter;
	generator_at.pid = MyProcPid;
	PG_RETURN_OBJECTID_P(make_objectid((uint32) second, generator_at.identity, counter));
}
