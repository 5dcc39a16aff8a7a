/*-------------------------------------------------------------------------
 *
 * server.c
 *		Replacements for functions of the server: memory, errors, messages and
 *		dates, as far as the functions under test use them.
 *
 * palloc is malloc here, because AddressSanitizer only knows the bounds of
 * malloc's blocks: in the server, a value is in the middle of a large block.
 *
 * Functions that are neither here nor in libpgcommon are undefined; a call of
 * one would be a call to address 0.
 *
 *-------------------------------------------------------------------------
 */
#include "fuzz.h"

#include <regex.h>
#include <setjmp.h>
#include <time.h>

#include "libpq/pqformat.h"
#include "utils/datetime.h"


/* ----------------------------------------------------------------
 *		Memory
 * ----------------------------------------------------------------
 */

static void *allocated[100];
static int	n_allocated = 0;

void *
palloc(Size size)
{
	must(n_allocated < lengthof(allocated));
	return allocated[n_allocated++] = malloc(size);
}

static void **
find(void *pointer)
{
	int			i = 0;

	while (allocated[i] != pointer)
		must(++i < n_allocated);
	return &allocated[i];
}

void *
repalloc(void *pointer, Size size)
{
	return *find(pointer) = realloc(pointer, size);
}

void
pfree(void *pointer)
{
	*find(pointer) = NULL;
	free(pointer);
}

char *
pnstrdup(const char *in, Size len)
{
	char	   *out;

	len = strnlen(in, len);
	out = palloc(len + 1);
	memcpy(out, in, len);
	out[len] = '\0';
	return out;
}

char *
pstrdup(const char *in)
{
	return pnstrdup(in, strlen(in));
}

void
forget_memory(void)
{
	while (n_allocated > 0)
		free(allocated[--n_allocated]);
}


/* ----------------------------------------------------------------
 *		Errors
 * ----------------------------------------------------------------
 */

static jmp_buf catcher;
int			thrown;

bool
errstart(int elevel, const char *domain)
{
	thrown = ERRCODE_INTERNAL_ERROR;
	return elevel >= ERROR;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	longjmp(catcher, 1);
}

#if PG_VERSION_NUM >= 160000
bool
errsave_start(struct Node *context, const char *domain)
{
	return errstart(ERROR, domain);
}

void
errsave_finish(struct Node *context, const char *filename, int lineno, const char *funcname)
{
	errfinish(filename, lineno, funcname);
}
#endif

int
errcode(int sqlerrcode)
{
	thrown = sqlerrcode;
	return 0;
}

/* Format the messages, because that reads their arguments, and discard them. */
#define DEFINE_MESSAGE(function) \
int \
function(const char *fmt,...) \
{ \
	char		message[10]; \
	va_list		args; \
\
	va_start(args, fmt); \
	vsnprintf(message, sizeof(message), fmt, args); \
	va_end(args); \
	return 0; \
}

DEFINE_MESSAGE(errmsg)
DEFINE_MESSAGE(errmsg_internal)
DEFINE_MESSAGE(errdetail)
DEFINE_MESSAGE(errdetail_internal)
DEFINE_MESSAGE(errhint)

bool
call(PGFunction function, Datum argument, Datum *result)
{
	LOCAL_FCINFO(fcinfo, 1);

	if (setjmp(catcher) != 0)
		return false;
	InitFunctionCallInfoData(*fcinfo, NULL, 1, InvalidOid, NULL, NULL);
	fcinfo->args[0].value = argument;
	fcinfo->args[0].isnull = false;
	*result = function(fcinfo);
	must(!fcinfo->isnull);
	return true;
}

Datum
must_call(PGFunction function, Datum argument)
{
	Datum		result;

	must(call(function, argument, &result));
	return result;
}


/* ----------------------------------------------------------------
 *		Messages of the binary protocol
 * ----------------------------------------------------------------
 */

StringInfo
make_message(const void *data, size_t size)
{
	StringInfo	buf = palloc(sizeof(StringInfoData));

	buf->data = memcpy(palloc(size), data, size);
	buf->len = buf->maxlen = (int) size;
	buf->cursor = 0;
	return buf;
}

const char *
pq_getmsgbytes(StringInfo msg, int datalen)
{
	const char *bytes = msg->data + msg->cursor;

	must(datalen >= 0 && datalen <= msg->len - msg->cursor);
	msg->cursor += datalen;
	return bytes;
}

/* The server rejects text with a zero byte, in any encoding. */
char *
pq_getmsgtext(StringInfo msg, int rawbytes, int *nbytes)
{
	const char *bytes = pq_getmsgbytes(msg, rawbytes);

	if (memchr(bytes, '\0', rawbytes) != NULL)
		ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE), errmsg("zero byte")));
	*nbytes = rawbytes;
	return pnstrdup(bytes, rawbytes);
}

/* The bytes of a result follow its four-byte length. */
void
pq_begintypsend(StringInfo buf)
{
	initStringInfo(buf);
	appendStringInfoSpaces(buf, VARHDRSZ);
}

#if PG_VERSION_NUM >= 160000
void
pq_sendbytes(StringInfo buf, const void *data, int datalen)
#else
void
pq_sendbytes(StringInfo buf, const char *data, int datalen)
#endif
{
	appendBinaryStringInfo(buf, data, datalen);
}

void
pq_sendtext(StringInfo buf, const char *str, int slen)
{
	pq_sendbytes(buf, str, slen);
}

bytea *
pq_endtypsend(StringInfo buf)
{
	SET_VARSIZE(buf->data, buf->len);
	return (bytea *) buf->data;
}


/* ----------------------------------------------------------------
 *		Dates
 * ----------------------------------------------------------------
 */

/* Accepts days such as 30 February, as the server's function does. */
int
tm2timestamp(struct pg_tm *tm, fsec_t fsec, int *tzp, Timestamp *result)
{
	struct tm	unix_tm = {
		.tm_year = tm->tm_year - 1900,
		.tm_mon = tm->tm_mon - 1,
		.tm_mday = tm->tm_mday,
		.tm_hour = tm->tm_hour,
		.tm_min = tm->tm_min,
		.tm_sec = tm->tm_sec
	};

	*result = UNIX_EPOCH + timegm(&unix_tm) * USECS_PER_SEC + fsec;
	return 0;
}

int
timestamp2tm(Timestamp dt, int *tzp, struct pg_tm *tm, fsec_t *fsec, const char **tzn,
			 pg_tz *attimezone)
{
	int64		us = dt - UNIX_EPOCH;
	time_t		seconds;
	struct tm	unix_tm;

	*fsec = (fsec_t) ((us % USECS_PER_SEC + USECS_PER_SEC) % USECS_PER_SEC);
	seconds = (us - *fsec) / USECS_PER_SEC;
	gmtime_r(&seconds, &unix_tm);
	tm->tm_year = unix_tm.tm_year + 1900;
	tm->tm_mon = unix_tm.tm_mon + 1;
	tm->tm_mday = unix_tm.tm_mday;
	tm->tm_hour = unix_tm.tm_hour;
	tm->tm_min = unix_tm.tm_min;
	tm->tm_sec = unix_tm.tm_sec;
	return 0;
}


/* Only a hint depends on whether text can be read as a time. */
int
ParseDateTime(const char *timestr, char *workbuf, size_t buflen, char **field, int *ftype,
			  int maxfields, int *numfields)
{
	return DTERR_BAD_FORMAT;
}


/* ----------------------------------------------------------------
 *		Grammars
 * ----------------------------------------------------------------
 */

/* Does the whole text match?  Each target has one expression. */
bool
matches(const char *text, const char *regex)
{
	static regex_t compiled;
	static const char *of = NULL;

	if (of == NULL)
		must(regcomp(&compiled, of = regex, REG_EXTENDED | REG_NOSUB) == 0);
	must(of == regex);
	return regexec(&compiled, text, 0, NULL, 0) == 0;
}
