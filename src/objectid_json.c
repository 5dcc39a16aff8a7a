/*-------------------------------------------------------------------------
 *
 * objectid_json.c
 *		Conversion between objectid and JSON: a string of hexadecimal digits,
 *		or MongoDB Extended JSON, {"$oid": "..."}.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "utils/jsonb.h"

/*
 * Return the string in a JSON value that can represent an objectid: a JSON
 * string, or the string in {"$oid": "..."}.  Returns NULL for any other value,
 * and sets *type to the name of its type.
 */
static char *
jsonb_objectid_string(Jsonb *jsonb, const char **type)
{
	JsonbContainer *root = &jsonb->root;
	JsonbValue	value;

	if (!JsonbExtractScalar(root, &value))
	{
		value.type = jbvBinary;
		value.val.binary.data = root;
		if (JsonContainerIsObject(root) && JsonContainerSize(root) == 1)
			getKeyJsonValueFromContainer(root, "$oid", strlen("$oid"), &value);
	}
	*type = JsonbTypeName(&value);
	return value.type == jbvString ? pnstrdup(value.val.string.val, value.val.string.len) : NULL;
}

/*
 * Cast from jsonb: a string of 24 hexadecimal digits, or an object whose only
 * key is "$oid" with such a string.  Any other type of JSON value raises
 * invalid_parameter_value, any other string invalid_text_representation.
 */
PG_FUNCTION_INFO_V1(objectid_from_jsonb);
Datum
objectid_from_jsonb(PG_FUNCTION_ARGS)
{
	objectid   *id = palloc(sizeof(objectid));
	const char *type;
	char	   *str = jsonb_objectid_string(PG_GETARG_JSONB_P(0), &type);

	if (str == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot cast jsonb %s to type %s", type, "objectid"),
				 errdetail("Expected a string of %d hexadecimal digits, or {\"$oid\": \"...\"} with such a string.",
						   OBJECTID_HEX_DIGITS)));
	if (!scan_bare_objectid(str, id))
		objectid_syntax_error(str, NULL);
	PG_RETURN_OBJECTID_P(id);
}

/* Would the cast of this jsonb to objectid succeed? */
PG_FUNCTION_INFO_V1(is_objectid_jsonb);
Datum
is_objectid_jsonb(PG_FUNCTION_ARGS)
{
	objectid	id;
	const char *type;
	char	   *str = jsonb_objectid_string(PG_GETARG_JSONB_P(0), &type);

	PG_RETURN_BOOL(str != NULL && scan_bare_objectid(str, &id));
}
