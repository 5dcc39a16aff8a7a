/*-------------------------------------------------------------------------
 *
 * objectid_text.c
 *		Equality of objectid and text, for clients that send typed strings.
 *
 * Many drivers declare a string parameter as varchar or text, and then
 * "id = $1" would have no operator.  An implicit cast from text would give it
 * one, but would also change what queries mean that have nothing to do with us.
 * So there are operators, and a planner support function that rewrites them
 * into what should have been written,
 *
 *		id = $1::objectid
 *
 * before the planner looks for indexes, partitions or joins.
 *
 * The operators are in no operator family.  An equality across types promises
 * that both types hash alike, and shards are chosen by that.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid_ext.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

/*
 * "id = ANY (array of text)" finds the same operators, but the planner asks for
 * no rewriting of it.  To read the whole table and parse each text for each of
 * its rows is nothing that anybody wants; without the operators it would be an
 * error, so it stays one.
 */
static void
refuse_array(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("objectid and text cannot be compared by way of an array"),
			 errdetail("Such a comparison could not use an index."),
			 errhint("Cast the text to objectid: id = ANY ($1::objectid[]).")));
}

static bool
equals_text(FunctionCallInfo fcinfo, int id_arg, int text_arg)
{
	Node	   *expr = fcinfo->flinfo->fn_expr;
	objectid	id;

	if (expr != NULL && IsA(expr, ScalarArrayOpExpr))
		refuse_array();

	parse_objectid(text_to_cstring(PG_GETARG_TEXT_PP(text_arg)), &id, NULL);
	return objectid_internal_cmp(PG_GETARG_OBJECTID_P(id_arg), &id) == 0;
}

/* Is the id that of the text?  Text that is none is the error of the cast. */
PG_FUNCTION_INFO_V1(objectid_eq_text);
Datum
objectid_eq_text(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(equals_text(fcinfo, 0, 1));
}

PG_FUNCTION_INFO_V1(objectid_ne_text);
Datum
objectid_ne_text(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!equals_text(fcinfo, 0, 1));
}

PG_FUNCTION_INFO_V1(text_eq_objectid);
Datum
text_eq_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(equals_text(fcinfo, 1, 0));
}

PG_FUNCTION_INFO_V1(text_ne_objectid);
Datum
text_ne_objectid(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!equals_text(fcinfo, 1, 0));
}


/* ----------------------------------------------------------------
 *		Planner support
 * ----------------------------------------------------------------
 */

/* An argument as an objectid: text gets the cast that is written "::objectid". */
static Expr *
cast_to_objectid(PlannerInfo *root, Node *arg, Oid objectid_type)
{
	Node	   *cast = coerce_to_target_type(NULL, copyObject(arg), exprType(arg), objectid_type, -1,
											 COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);

	/* Nobody folds constants in what a support function returns. */
	return (Expr *) eval_const_expressions(root, cast);
}

/*
 * The comparison of ids in the place of one with text.  Each argument is still
 * evaluated once, so it may be volatile.
 */
static Node *
rewrite_comparison(SupportRequestSimplify *req, bool negated)
{
	Node	   *left = linitial(req->fcall->args);
	Node	   *right = lsecond(req->fcall->args);
	Oid			type = exprType(exprType(left) == TEXTOID ? right : left);
	Oid			opno = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	Expr	   *comparison;

	if (negated)
		opno = get_negator(opno);
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
 * What both support functions answer.  Of an array the planner asks only the
 * cost, and passes no expression: there it is refused, so that a query fails
 * even while the table is still empty.
 */
static Node *
text_comparison_support(Node *request, bool negated)
{
	if (IsA(request, SupportRequestSimplify))
		return rewrite_comparison((SupportRequestSimplify *) request, negated);
	if (IsA(request, SupportRequestCost) && ((SupportRequestCost *) request)->node == NULL)
		refuse_array();
	return NULL;
}

/* Planner support of the functions behind =. */
PG_FUNCTION_INFO_V1(text_eq_support);
Datum
text_eq_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(text_comparison_support((Node *) PG_GETARG_POINTER(0), false));
}

/* Planner support of the functions behind <>. */
PG_FUNCTION_INFO_V1(text_ne_support);
Datum
text_ne_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(text_comparison_support((Node *) PG_GETARG_POINTER(0), true));
}
