/*-------------------------------------------------------------------------
 *
 * extjson.c
 *		MongoDB Extended JSON, versions 1 and 2, to plain JSON.
 *
 * A BSON value that JSON lacks is in a wrapper: an object whose key names the
 * type, such as {"$numberLong": "5"}.  It becomes the JSON value that the input
 * function of the matching SQL type reads.  A wrapper with anything else in it
 * stays as it is, with all that it contains.  So no document is an error, nothing
 * is lost, and a second call changes nothing but the scale of decimals.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include <ctype.h>
#include <math.h>

#include "catalog/pg_type_d.h"
#include "common/base64.h"
#include "common/int.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/json.h"
#include "utils/jsonb.h"

/* Decimal128 ends before 10^6145; numeric takes all numbers within these limits. */
#define MAX_NUMBER_LEN		400
#define MAX_EXPONENT		9999

/* If the value of a wrapper is right, write the plain one. */
typedef void (*unwrap_function) (const JsonbValue *value, JsonbValue *plain);

/* Return a string with a zero byte at its end; for another value, "". */
static char *
string_of(const JsonbValue *value)
{
	return value->type == jbvString ? pnstrdup(value->val.string.val, value->val.string.len) : "";
}

static void
set_string(JsonbValue *plain, char *str)
{
	plain->type = jbvString;
	plain->val.string.val = str;
	plain->val.string.len = strlen(str);
}

/* Get the value of a key in an object that has so many keys. */
static bool
get_member(const JsonbValue *object, int pairs, const char *key, JsonbValue *value)
{
	return object->type == jbvBinary && JsonContainerIsObject(object->val.binary.data) &&
		JsonContainerSize(object->val.binary.data) == pairs &&
		getKeyJsonValueFromContainer(object->val.binary.data, key, strlen(key), value) != NULL;
}

/* Is it of this form?  9 is any digit, x any hexadecimal digit, * at the end is anything. */
static bool
has_form(const char *str, const char *form)
{
	for (; *form != '\0' && *form != '*'; form++, str++)
	{
		if (*form == '9' ? !isdigit((unsigned char) *str) :
			*form == 'x' ? !isxdigit((unsigned char) *str) : *str != *form)
			return false;
	}
	return *form == '*' || *str == '\0';
}

static void
unwrap_symbol(const JsonbValue *value, JsonbValue *plain)
{
	if (value->type == jbvString)
		*plain = *value;
}

static void
unwrap_undefined(const JsonbValue *value, JsonbValue *plain)
{
	if (value->type == jbvBool && value->val.boolean)
		plain->type = jbvNull;
}

/* Remove the zeros of a double such as 30.0, which no integer type reads. */
static void
trim_number(JsonbValue *number)
{
	Datum		numeric = NumericGetDatum(number->val.numeric);

	if (DatumGetInt32(DirectFunctionCall1(numeric_scale, numeric)) > 0)
		number->val.numeric = DatumGetNumeric(DirectFunctionCall1(numeric_trim_scale, numeric));
}

/* Would numeric_in() read a finite number, without an error? */
static bool
is_decimal(const char *str)
{
	const char *p = str + (*str == '-' || *str == '+');
	int			digits = 0;
	int			points = 0;
	long		exponent = 0;

	for (; isdigit((unsigned char) *p) || *p == '.'; p++)
		*p == '.' ? points++ : digits++;
	if ((*p == 'e' || *p == 'E') && isdigit((unsigned char) p[p[1] == '-' || p[1] == '+' ? 2 : 1]))
		exponent = strtol(p + 1, (char **) &p, 10);
	return digits > 0 && points < 2 && *p == '\0' && p - str <= MAX_NUMBER_LEN &&
		exponent >= -MAX_EXPONENT && exponent <= MAX_EXPONENT;
}

/* The zeros at the end of a decimal count. */
static void
unwrap_decimal(const JsonbValue *value, JsonbValue *plain)
{
	char	   *str = string_of(value);

	if (value->type == jbvNumeric)
		*plain = *value;
	else if (strcmp(str, "NaN") == 0 || has_form(str, "Infinity") || has_form(str, "-Infinity"))
		set_string(plain, str);
	else if (is_decimal(str))
	{
		plain->type = jbvNumeric;
		plain->val.numeric = DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(str),
																 ObjectIdGetDatum(InvalidOid),
																 Int32GetDatum(-1)));
	}
}

static void
unwrap_number(const JsonbValue *value, JsonbValue *plain)
{
	char	   *str = string_of(value);

	unwrap_decimal(value, plain);
	/* Others have no zeros at the end, and trimming takes time. */
	if (plain->type == jbvNumeric &&
		(value->type != jbvString || strpbrk(str, "Ee") != NULL || str[strlen(str) - 1] == '0'))
		trim_number(plain);
}

static void
unwrap_oid(const JsonbValue *value, JsonbValue *plain)
{
	char	   *str = string_of(value);
	objectid	id;

	if (scan_bare_objectid(str, &id))
		set_string(plain, asc_tolower(str, strlen(str)));
}

static void
unwrap_uuid(const JsonbValue *value, JsonbValue *plain)
{
	char	   *str = string_of(value);

	str = asc_tolower(str, strlen(str));
	if (has_form(str, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"))
		str = psprintf("%.8s-%.4s-%.4s-%.4s-%.12s", str, str + 8, str + 12, str + 16, str + 20);
	if (has_form(str, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"))
		set_string(plain, str);
}

/* Return the text form of bytea, or NULL.  Core's decoder takes more "=" than there can be. */
static char *
base64_to_bytea(const char *base64)
{
	int			len = strlen(base64);
	int			pad = len - strcspn(base64, "=");
	uint8	   *bytes = palloc(pg_b64_dec_len(len) + 1);
	char	   *str;

	if (pad > 2 || strspn(base64 + len - pad, "=") != pad)
		return NULL;
	len = pg_b64_decode(base64, len, (void *) bytes, pg_b64_dec_len(len));
	if (len < 0)
		return NULL;
	str = palloc(2 * (Size) len + sizeof("\\x"));
	memcpy(str, "\\x", 2);
	str[2 + hex_encode((char *) bytes, len, str + 2)] = '\0';
	return str;
}

/*
 * Subtype 4 is a UUID.  Subtype 3 is one too, in an order of its bytes that the
 * driver chose and nothing tells; so it becomes bytes, like all others.
 */
static void
unwrap_members(const JsonbValue *object, const char *data_key, const char *type_key, JsonbValue *plain)
{
	JsonbValue	data;
	JsonbValue	subtype;
	char	   *str;
	char	   *type;

	if (!get_member(object, 2, data_key, &data) || data.type != jbvString ||
		!get_member(object, 2, type_key, &subtype))
		return;
	str = base64_to_bytea(string_of(&data));
	type = string_of(&subtype);
	if (str == NULL || !(has_form(type, "x") || has_form(type, "xx")))
		return;
	set_string(plain, str);
	set_string(&data, str + strlen("\\x"));
	if (strtol(type, NULL, 16) == 4)
		unwrap_uuid(&data, plain);
}

static void
unwrap_binary(const JsonbValue *value, JsonbValue *plain)
{
	unwrap_members(value, "base64", "subType", plain);
}

/* In version 1 the subtype is beside the data, and the value is the wrapper itself. */
static void
unwrap_binary_pair(const JsonbValue *value, JsonbValue *plain)
{
	unwrap_members(value, "$binary", "$type", plain);
}

/* Read a time such as 2012-12-24T12:15:30.501Z. */
static bool
scan_time(char *str, TimestampTz *ts)
{
	char	   *rest = has_form(str, "9999-99-99T99:99:99*") ? strchr(str, 'T') + strlen("T99:99:99") : NULL;
	struct pg_tm tm = {0};
	fsec_t		fsec = 0;
	int			zone = 0;

	if (rest == NULL)
		return false;
	/* NOLINTNEXTLINE(cert-err34-c) */
	(void) sscanf(str, "%4d-%2d-%2dT%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
				  &tm.tm_hour, &tm.tm_min, &tm.tm_sec);
	if (*rest == '.')
	{
		fsec = (fsec_t) rint(strtod(rest, NULL) * USECS_PER_SEC);
		rest += 1 + strspn(rest + 1, "0123456789");
	}
	if (!has_form(rest, "Z") && (DecodeTimezone(rest, &zone) != 0 ||
								 !(has_form(rest + 1, "9999") || has_form(rest + 1, "99:99"))))
		return false;

	/* A year that is said to be Julian can be 0, which is 1 BC. */
	return ValidateDate(DTK_DATE_M, true, false, false, &tm) == 0 &&
		tm.tm_hour < HOURS_PER_DAY && tm.tm_min < MINS_PER_HOUR && tm.tm_sec < SECS_PER_MINUTE &&
		tm2timestamp(&tm, fsec, &zone, ts) == 0;
}

/* Read milliseconds since 1970. */
static bool
scan_milliseconds(const JsonbValue *number, TimestampTz *ts)
{
	char	   *str = DatumGetCString(DirectFunctionCall1(numeric_out,
														  NumericGetDatum(number->val.numeric)));
	char	   *end;
	int64		msec;

	errno = 0;
	msec = strtoi64(str, &end, 10);
	return errno == 0 && *end == '\0' && !pg_add_s64_overflow(msec, UNIX_EPOCH / 1000, ts) &&
		!pg_mul_s64_overflow(*ts, 1000, ts) && IS_VALID_TIMESTAMP(*ts);
}

/* A date is a string, or a number, which can have a wrapper of its own. */
static void
unwrap_date(const JsonbValue *value, JsonbValue *plain)
{
	JsonbValue	number = *value;
	JsonbValue	member;
	TimestampTz ts;
	int			utc = 0;

	if (get_member(value, 1, "$numberLong", &member))
		unwrap_number(&member, &number);
	if (number.type == jbvNumeric ? scan_milliseconds(&number, &ts) : scan_time(string_of(value), &ts))
		set_string(plain, JsonEncodeDateTime(palloc(MAXDATELEN + 1), TimestampTzGetDatum(ts),
											 TIMESTAMPTZOID, &utc));
}

static const struct
{
	const char *key;
	unwrap_function unwrap;
}			wrappers[] =
{
	{"$numberInt", unwrap_number},
	{"$numberDouble", unwrap_number},
	{"$oid", unwrap_oid},
	{"$date", unwrap_date},
	{"$numberLong", unwrap_number},
	{"$numberDecimal", unwrap_decimal},
	{"$binary", unwrap_binary},
	{"$uuid", unwrap_uuid},
	{"$symbol", unwrap_symbol},
	{"$undefined", unwrap_undefined}
};

/*
 * Return the function that unwraps a wrapper, and the value in it, or NULL for any
 * other value.  The first byte of the first key tells nearly all others, without a
 * search: keys are stored after an array of entries, two for each pair.
 */
static unwrap_function
find_wrapper(const JsonbValue *object, JsonbValue *value)
{
	JsonbContainer *container = object->val.binary.data;

	if (object->type != jbvBinary || !JsonContainerIsObject(container) ||
		JsonContainerSize(container) == 0 || JBE_OFFLENFLD(container->children[0]) == 0 ||
		*(char *) &container->children[2 * JsonContainerSize(container)] != '$')
		return NULL;
	for (int i = 0; i < lengthof(wrappers); i++)
	{
		if (get_member(object, 1, wrappers[i].key, value))
			return wrappers[i].unwrap;
	}
	if (!get_member(object, 2, "$binary", value) || !get_member(object, 2, "$type", value))
		return NULL;
	*value = *object;
	return unwrap_binary_pair;
}

/* Make a value plain; returns false if what is in it must be made plain as well. */
static bool
make_plain(JsonbValue *value)
{
	JsonbValue	wrapped;
	unwrap_function unwrap = find_wrapper(value, &wrapped);

	if (unwrap != NULL)
		unwrap(&wrapped, value);
	else if (value->type == jbvNumeric)
		trim_number(value);
	return unwrap != NULL || value->type != jbvBinary;
}

/* Add an array or object, with plain values. */
static void
push_container(JsonbInState *state, JsonbContainer *container)
{
	JsonbIterator *it = JsonbIteratorInit(container);
	JsonbIteratorToken token;
	JsonbValue	value;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		bool		is_value = token == WJB_VALUE || token == WJB_ELEM;

		if (is_value && !make_plain(&value))
			push_container(state, value.val.binary.data);
		else
			pushJsonbValue(state, token, is_value || token == WJB_KEY ? &value : NULL);
	}
}

/* Replace the types of MongoDB Extended JSON by plain JSON. */
PG_FUNCTION_INFO_V1(extjson_to_jsonb);
Datum
extjson_to_jsonb(PG_FUNCTION_ARGS)
{
	Jsonb	   *doc = PG_GETARG_JSONB_P(0);
	JsonbInState state = {0};
	JsonbValue	value;

	if (!JsonbExtractScalar(&doc->root, &value))
		JsonbToJsonbValue(doc, &value);
	if (make_plain(&value))
		PG_RETURN_JSONB_P(JsonbValueToJsonb(&value));
	push_container(&state, &doc->root);
	PG_RETURN_JSONB_P(JsonbValueToJsonb(state.result));
}
