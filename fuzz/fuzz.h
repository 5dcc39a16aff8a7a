/*-------------------------------------------------------------------------
 *
 * fuzz.h
 *		What the fuzz targets share.  Each target includes a source file of
 *		the extension whole and is linked with server.c, which stands in for
 *		the server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "../objectid_ext.h"

#include "lib/stringinfo.h"

extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

/*
 * Call a function of one argument.  False if it threw; its SQLSTATE is then in
 * thrown.
 */
extern bool call(PGFunction function, Datum argument, Datum *result);
extern int	thrown;

/* The same, of what cannot fail. */
extern Datum must_call(PGFunction function, Datum argument);

/* A message as recv functions get it; its bytes end where the memory does. */
extern StringInfo make_message(const void *data, size_t size);

/* Free all that was allocated for an input. */
extern void forget_memory(void);

extern bool matches(const char *text, const char *regex);

/* What must hold, in builds without assertions too. */
#define must(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

#endif							/* FUZZ_H */
