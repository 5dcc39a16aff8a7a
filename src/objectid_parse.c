/*-------------------------------------------------------------------------
 *
 * objectid_parse.c
 *		The spellings of an objectid in text and JSON.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "utils/datetime.h"

/* The value of each hexadecimal digit plus one; 0 for all other characters */
static const uint8 hex_values[256] = {
	['0'] = 1, ['1'] = 2, ['2'] = 3, ['3'] = 4, ['4'] = 5, ['5'] = 6, ['6'] = 7, ['7'] = 8, ['8'] = 9, ['9'] = 10,
	['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16
};

/*
 * Return the value of a hexadecimal digit, or -1 for another character.  This
 * uses a table because branches on random digits cannot be predicted.
 */
static inline int
hex_value(char c)
{
	return hex_values[(unsigned char) c] - 1;
}

/*
 * Read 24 hexadecimal digits.  Stops at the first other character, so it never
 * reads past the end of a shorter string.
 */
static bool
parse_hex_digits(const char *src, objectid *id)
{
	for (int i = 0; i < OBJECTID_LEN; i++)
	{
		int			high = hex_value(*src++);
		int			low = high < 0 ? -1 : hex_value(*src++);

		if (low < 0)
			return false;
		id->data[i] = (uint8) (high << 4 | low);
	}
	return true;
}

/*
 * Does all of the string have a spelling?  In that, "#" stands for the 24
 * digits, which are read into *id, and a blank for any number of blanks.
 */
static bool
has_spelling(const char *str, const char *spelling, objectid *id)
{
	for (; *spelling != '\0'; spelling++)
	{
		if (*spelling == ' ')
			str += strspn(str, " \t\n\r");
		else if (*spelling == '#')
		{
			if (!parse_hex_digits(str, id))
				return false;
			str += OBJECTID_HEX_DIGITS;
		}
		else if (*str++ != *spelling)
			return false;
	}
	return *str == '\0';
}

/*
 * Does core read the string as a time or an interval, or as a date that does not exist?
 * That depends on settings, so only a hint may depend on it.  The name of a time zone does
 * not count, because PostgreSQL 15 raises an error if it does not know it.
 */
static bool
looks_like_time(const char *str)
{
	char		buffer[MAXDATELEN + MAXDATEFIELDS];
	char	   *fields[MAXDATEFIELDS];
	int			types[MAXDATEFIELDS];
	int			nfields;
	int			kind;
	int			zone;
	fsec_t		fsec;
	struct pg_tm tm;
	struct pg_itm_in interval;

	if (ParseDateTime(str, buffer, sizeof(buffer), fields, types, MAXDATEFIELDS, &nfields) != 0)
		return false;
	for (int i = 1; i < nfields; i++)
	{
		if (types[i] == DTK_DATE && !isdigit((unsigned char) fields[i][0]))
			return false;
	}
	return decode_date_time(fields, types, nfields, &kind, &tm, &fsec, &zone) != DTERR_BAD_FORMAT ||
		(nfields > 1 && DecodeInterval(fields, types, nfields, INTERVAL_FULL_RANGE, &kind, &interval) == 0);
}

/* Parse 24 digits and nothing else: the spelling used in output and in JSON. */
bool
scan_bare_objectid(const char *str, objectid *id)
{
	return parse_hex_digits(str, id) && str[OBJECTID_HEX_DIGITS] == '\0';
}

/*
 * Parse an objectid in any of its spellings into *id.  Returns false if the
 * string is not valid.
 */
bool
scan_objectid(const char *str, objectid *id)
{
	static const char *const spellings[] = {
		"ObjectId(\"#\")",
		"ObjectId('#')",
		"ObjectId(#)",
		"\"#\"",
		"{ \"$oid\" : \"#\" }"		/* MongoDB Extended JSON */
	};

	if (scan_bare_objectid(str, id))
		return true;
	for (int i = 0; i < lengthof(spellings); i++)
	{
		if (has_spelling(str, spellings[i], id))
			return true;
	}
	return false;
}

/* Return a detail of what is wrong with invalid input, or NULL if there is none. */
static const char *
syntax_detail(const char *str)
{
	size_t		len = strlen(str);
	size_t		digits = strspn(str, "0123456789abcdefABCDEF");

	if (digits == len)
		return psprintf("An ObjectId has %d hexadecimal digits, not %zu.", OBJECTID_HEX_DIGITS, len);
	if (isspace((unsigned char) str[0]) || isspace((unsigned char) str[len - 1]))
		return "There must be no blanks around it.";
	if (pg_strncasecmp(str, "0x", 2) == 0)
		return "The digits have no prefix \"0x\".";
	if (strncmp(str, "\\x", 2) == 0)
		return "This is the text form of bytea, which has a cast of its own.";
	if (pg_strncasecmp(str, "objectid(", 9) == 0 && strncmp(str, "ObjectId(", 9) != 0)
		return "The function is spelled \"ObjectId\".";
	if (len == OBJECTID_HEX_DIGITS && strpbrk(str, "(\"{ ") == NULL && !looks_like_time(str))
		return psprintf("Character %zu is not a hexadecimal digit.", digits + 1);
	return NULL;
}

/*
 * Report invalid input (invalid_text_representation), as a soft error if
 * escontext allows it.
 */
void
objectid_syntax_error(const char *str, Node *escontext)
{
	const char *detail = syntax_detail(str);

	errsave(escontext,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type %s: \"%s\"", "objectid", str),
			 detail != NULL ? errdetail_internal("%s", detail) : 0,
			 looks_like_time(str) ?
			 errhint("To compare with a time, cast it to timestamptz, or use objectid_floor(timestamptz).") : 0));
}

/*
 * Parse an objectid in any of its spellings into *id.  Invalid input is an
 * error; if escontext makes that a soft error, the result is false.
 */
bool
parse_objectid(const char *str, objectid *id, Node *escontext)
{
	if (scan_objectid(str, id))
		return true;
	objectid_syntax_error(str, escontext);
	return false;
}
