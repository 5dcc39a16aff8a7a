/*-------------------------------------------------------------------------
 *
 * text_token.h
 *		What the parsers of text input share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TEXT_TOKEN_H
#define TEXT_TOKEN_H

#include "server_versions.h"

/* Advance *src past the token; return false if *src does not start with it. */
static inline bool
skip_token(const char **src, const char *token)
{
	size_t		len = strlen(token);

	if (strncmp(*src, token, len) != 0)
		return false;
	*src += len;
	return true;
}

#endif							/* TEXT_TOKEN_H */
