/*-------------------------------------------------------------------------
 *
 * objectid_text.c
 *		Comparison of objectid with text, for clients that send typed strings.
 *
 * Many drivers declare a string parameter as varchar or text.  Without the
 * operators in this file, "id = $1" would then fail.  An implicit cast from
 * text would make it work, but would also change the meaning of unrelated
 * queries.  So we provide operators with a planner support function that
 * rewrites them to
 *
 *		id = $1::objectid
 *
 * before the planner looks for indexes, partitions or joins.
 *
 * The operators are not members of an operator family.  A cross-type equality
 * operator in a family promises that both types have the same hash values,
 * and that decides in which shard a row is looked up.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/* Compare an id with the one that a text denotes, as objectid_cmp() does. */
static int
cmp_text(FunctionCallInfo fcinfo, int id_arg, int text_arg)
{
	objectid	id;

	parse_objectid(text_to_cstring(PG_GETARG_TEXT_PP(text_arg)), &id, NULL);
	return objectid_internal_cmp(PG_GETARG_OBJECTID_P(id_arg), &id);
}

/*
 * The operators between objectid and text.  Text that is not a valid objectid raises
 * invalid_text_representation, as the cast does.
 */
COMPARISON_FUNCTION(objectid_lt_text, cmp_text(fcinfo, 0, 1) < 0)
COMPARISON_FUNCTION(objectid_le_text, cmp_text(fcinfo, 0, 1) <= 0)
COMPARISON_FUNCTION(objectid_eq_text, cmp_text(fcinfo, 0, 1) == 0)
COMPARISON_FUNCTION(objectid_ne_text, cmp_text(fcinfo, 0, 1) != 0)
COMPARISON_FUNCTION(objectid_ge_text, cmp_text(fcinfo, 0, 1) >= 0)
COMPARISON_FUNCTION(objectid_gt_text, cmp_text(fcinfo, 0, 1) > 0)

/* The same with the text first: the comparison is the other way round. */
COMPARISON_FUNCTION(text_lt_objectid, 0 < cmp_text(fcinfo, 1, 0))
COMPARISON_FUNCTION(text_le_objectid, 0 <= cmp_text(fcinfo, 1, 0))
COMPARISON_FUNCTION(text_eq_objectid, 0 == cmp_text(fcinfo, 1, 0))
COMPARISON_FUNCTION(text_ne_objectid, 0 != cmp_text(fcinfo, 1, 0))
COMPARISON_FUNCTION(text_ge_objectid, 0 >= cmp_text(fcinfo, 1, 0))
COMPARISON_FUNCTION(text_gt_objectid, 0 > cmp_text(fcinfo, 1, 0))


/* ----------------------------------------------------------------
 *		Planner support
 * ----------------------------------------------------------------
 */

/* Cast an argument to objectid, as "::objectid" does. */
static Expr *
cast_to_objectid(PlannerInfo *root, Node *arg, Oid objectid_type)
{
	Node	   *cast = coerce_to_target_type(NULL, copyObject(arg), exprType(arg), objectid_type, -1,
											 COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);

	/*
	 * The planner does not fold constants in the result of a support function.
	 */
	return (Expr *) eval_const_expressions(root, cast);
}

/* Find the operator of two objectids for a comparison with text, by the name of its function. */
static Oid
operator_for(Oid funcid, Oid type)
{
	/* The index is the strategy number of the operator; a btree has none for <>. */
	static const char *const names[][2] = {
		{"objectid_ne_text", "text_ne_objectid"},
		{"objectid_lt_text", "text_lt_objectid"},
		{"objectid_le_text", "text_le_objectid"},
		{"objectid_eq_text", "text_eq_objectid"},
		{"objectid_ge_text", "text_ge_objectid"},
		{"objectid_gt_text", "text_gt_objectid"}
	};
	const char *name = get_func_name(funcid);
	Oid			family = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	for (StrategyNumber i = 0; i < lengthof(names) && name != NULL; i++)
	{
		if (strcmp(name, names[i][0]) == 0 || strcmp(name, names[i][1]) == 0)
			return i != InvalidStrategy ? get_opfamily_member(family, type, type, i) :
				get_negator(get_opfamily_member(family, type, type, BTEqualStrategyNumber));
	}
	return InvalidOid;
}

/*
 * Build the comparison of two objectids that replaces a comparison with text.
 * Each argument is still evaluated once, so it may be volatile.
 */
static Node *
rewrite_comparison(SupportRequestSimplify *req)
{
	Node	   *left = linitial(req->fcall->args);
	Node	   *right = lsecond(req->fcall->args);
	Oid			type = exprType(exprType(left) == TEXTOID ? right : left);
	Oid			opno = operator_for(req->fcall->funcid, type);
	Expr	   *comparison;

	if (!OidIsValid(opno))
		return NULL;

	comparison = make_opclause(opno, BOOLOID, false,
							   cast_to_objectid(req->root, left, type),
							   cast_to_objectid(req->root, right, type),
							   InvalidOid, InvalidOid);
	set_opfuncid((OpExpr *) comparison);
	return (Node *) comparison;
}

/*
 * Refuse a comparison with an array by ANY or ALL.  It uses the same operators, but the
 * planner does not ask a support function to simplify it, so the query would read the
 * whole table and compare each row with each element.
 */
void
refuse_array(const char *type, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("cannot compare objectid with %s by ANY or ALL", type),
			 errdetail("Such a comparison could not use an index."),
			 errhint("%s", hint)));
}

/*
 * Planner support function of the operators.  For ANY or ALL of an array, the planner
 * asks for the cost, and passes no expression.
 */
PG_FUNCTION_INFO_V1(text_comparison_support);
Datum
text_comparison_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(rewrite_comparison((SupportRequestSimplify *) request));
	if (IsA(request, SupportRequestCost) && ((SupportRequestCost *) request)->node == NULL)
		refuse_array("text", "Cast the text to objectid: id = ANY ($1::objectid[]), or $1::objectid = ANY (ids).");
	PG_RETURN_POINTER(NULL);
}
