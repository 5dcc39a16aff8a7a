/*-------------------------------------------------------------------------
 *
 * objectid_json.c
 *		Conversion of JSON to objectid: a string, or MongoDB Extended JSON,
 *		{"$oid": "..."}.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "utils/jsonb.h"

/*
 * Read the objectid that a JSON argument represents: a string, in any spelling that
 * text input takes, or {"$oid": "..."} with the digits.  Returns false for any other
 * value; *value is what should have been such a string.  A JSON null makes the result
 * of the calling function null, as in core's casts from PostgreSQL 18 on.
 */
static bool
read_jsonb(FunctionCallInfo fcinfo, JsonbValue *value, objectid *id)
{
	JsonbContainer *root = &PG_GETARG_JSONB_P(0)->root;
	bool		is_scalar = JsonbExtractScalar(root, value);
	char	   *str;

	fcinfo->isnull = is_scalar && value->type == jbvNull;
	if (!is_scalar)
	{
		value->type = jbvBinary;
		value->val.binary.data = root;
		if (JsonContainerIsObject(root) && JsonContainerSize(root) == 1)
			getKeyJsonValueFromContainer(root, "$oid", strlen("$oid"), value);
	}
	if (value->type != jbvString)
		return fcinfo->isnull;
	str = pnstrdup(value->val.string.val, value->val.string.len);
	return is_scalar ? scan_objectid(str, id) : scan_bare_objectid(str, id);
}

/*
 * Cast from jsonb.  A JSON value of another type than a string, null or an object whose
 * only key is "$oid" raises invalid_parameter_value, any other string
 * invalid_text_representation.
 */
PG_FUNCTION_INFO_V1(objectid_from_jsonb);
Datum
objectid_from_jsonb(PG_FUNCTION_ARGS)
{
	objectid   *id = palloc(sizeof(objectid));
	JsonbValue	value;

	if (read_jsonb(fcinfo, &value, id))
		PG_RETURN_OBJECTID_P(id);
	if (value.type == jbvString)
		objectid_syntax_error(pnstrdup(value.val.string.val, value.val.string.len), NULL);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("cannot cast jsonb %s to type %s", JsonbTypeName(&value), "objectid"),
			 errdetail("Expected a string of %d hexadecimal digits, or {\"$oid\": \"...\"} with such a string.",
					   OBJECTID_HEX_DIGITS)));
}

/* Would the cast of this jsonb to objectid succeed?  Null for a JSON null. */
PG_FUNCTION_INFO_V1(is_objectid_jsonb);
Datum
is_objectid_jsonb(PG_FUNCTION_ARGS)
{
	objectid	id;
	JsonbValue	value;

	PG_RETURN_BOOL(read_jsonb(fcinfo, &value, &id));
}
