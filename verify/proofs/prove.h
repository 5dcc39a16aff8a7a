/*-------------------------------------------------------------------------
 *
 * prove.h
 *		Declarations shared by the proofs.  Each proof includes source files of
 *		the extension as they are, and cbmc looks for inputs with which a
 *		prove() is false.  Functions nondet_... return any value.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PROVE_H
#define PROVE_H

#include "objectid.h"
#include "settings.h"
#include "snowflake_layout.h"

#define assume(condition)	__CPROVER_assume(condition)
#define prove(condition)	__CPROVER_assert(condition, #condition)

extern bool nondet_bool(void);
extern int32 nondet_int32(void);
extern int64 nondet_int64(void);
extern uint64 nondet_uint64(void);

/* An epoch of a layout is in the years 1 to 9999. */
#define EARLIEST		INT64CONST(-63082281600000000)
#define LATEST			(INT64CONST(2921940) * USECS_PER_DAY - 1)

/* ereport(ERROR) does not return. */
bool
errstart(int elevel, const char *domain)
{
	assume(elevel < ERROR);
	return false;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

void *
palloc(Size size)
{
	return malloc(size);
}

void
pfree(void *pointer)
{
	free(pointer);
}

/* Call an SQL function. */
#define call(function, a, b, c) \
( \
	fcinfo->args[0].value = (a), \
	fcinfo->args[1].value = (b), \
	fcinfo->args[2].value = (c), \
	function(fcinfo) \
)

#endif							/* PROVE_H */
