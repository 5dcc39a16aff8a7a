/*-------------------------------------------------------------------------
 *
 * fuzz.h
 *		Declarations shared by the fuzz targets.  Each target includes a source
 *		file of the extension and is linked with server.c, which replaces the
 *		server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "objectid.h"
#include "settings.h"
#include "snowflake_layout.h"

#include "lib/stringinfo.h"

extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

/*
 * Call a function with one argument.  Returns false if it threw an error, and
 * sets thrown to the SQLSTATE.
 */
extern bool call(PGFunction function, Datum argument, Datum *result);
extern int	thrown;

/* The same, for a function that cannot fail */
extern Datum must_call(PGFunction function, Datum argument);

/* Make a message for recv functions; its bytes end with the allocated block. */
extern StringInfo make_message(const void *data, size_t size);

/* Free all memory allocated for an input. */
extern void forget_memory(void);

extern bool matches(const char *text, const char *regex);

/* Assert, also in builds without assertions */
#define must(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

#endif							/* FUZZ_H */
