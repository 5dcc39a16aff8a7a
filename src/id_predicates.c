/*-------------------------------------------------------------------------
 *
 * id_predicates.c
 *		Planner support for predicates on the time in an id, and for comparisons
 *		of an objectid with text.
 *
 * A predicate such as "id >= now() - interval '1 day'" compares the time in an
 * id, which no index contains.  But ids sort by time, so the planner support
 * function in this file rewrites such predicates to plain comparisons of ids,
 *
 *		id >= objectid_floor(now() - interval '1 day')
 *
 * before the planner considers indexes, partitions and statistics.  Constants
 * are folded; stable expressions, parameters and columns of other tables
 * remain expressions.
 *
 * A range requires two comparisons, one for each bound, and both contain the
 * range.  A sub-select must not run twice, so a range that contains one is not
 * rewritten.  After planning, the sub-select is a parameter, and then we
 * provide the two comparisons as index conditions.
 *
 * Many drivers declare a string parameter as varchar or text.  Without operators for
 * that, "id = $1" would fail.  An implicit cast from text would make it work, but would
 * also change the meaning of unrelated queries.  So there are operators, which are
 * rewritten to "id = $1::objectid".  (Core would inline their SQL functions to the same,
 * but planning would take a third longer.)
 *
 * The table below defines the rewriting for each function, including those for
 * 64-bit ids and version-7 UUIDs.
 *
 *-------------------------------------------------------------------------
 */
#include "objectid.h"

#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

/* A comparison of the id with a function of the other arguments */
typedef struct id_bound
{
	StrategyNumber strategy;	/* of the id type's btree; InvalidStrategy for <> */
	const char *function;		/* NULL if there is no such bound */
} id_bound;

/* The rewriting of a predicate to one or two comparisons */
typedef struct id_rewriting
{
	const char *predicate;		/* name of the function */
	int			id_arg;			/* which argument is the id */
	id_bound	bounds[2];
	const char *time_of_id;		/* decoder of the time, for operators on anyrange */
} id_rewriting;

#define ID_BELOW(function)		{{BTLessStrategyNumber, function}}
#define ID_FROM(function)		{{BTGreaterEqualStrategyNumber, function}}
#define ID_BETWEEN(lower, upper) \
	{{BTGreaterEqualStrategyNumber, lower}, {BTLessEqualStrategyNumber, upper}}
#define ID_TO_TEXT(strategy)	{{strategy, "objectid_from_text"}}

static const id_rewriting rewritings[] = {
	{"objectid_lt_timestamptz", 0, ID_BELOW("objectid_floor")},
	{"objectid_le_timestamptz", 0, ID_BELOW("objectid_after")},
	{"objectid_ge_timestamptz", 0, ID_FROM("objectid_floor")},
	{"objectid_gt_timestamptz", 0, ID_FROM("objectid_after")},
	{"timestamptz_lt_objectid", 1, ID_FROM("objectid_after")},
	{"timestamptz_le_objectid", 1, ID_FROM("objectid_floor")},
	{"timestamptz_ge_objectid", 1, ID_BELOW("objectid_after")},
	{"timestamptz_gt_objectid", 1, ID_BELOW("objectid_floor")},
	{"objectid_within", 0, ID_BETWEEN("objectid_lower", "objectid_upper"), "objectid_timestamp"},
	{"range_contains_objectid", 1, ID_BETWEEN("objectid_lower", "objectid_upper"), "objectid_timestamp"},
	{"snowflake_within", 0, ID_BETWEEN("snowflake_lower", "snowflake_upper")},
	{"uuidv7_within", 0, ID_BETWEEN("uuidv7_lower", "uuidv7_upper")},
	{"objectid_lt_text", 0, ID_TO_TEXT(BTLessStrategyNumber)},
	{"objectid_le_text", 0, ID_TO_TEXT(BTLessEqualStrategyNumber)},
	{"objectid_eq_text", 0, ID_TO_TEXT(BTEqualStrategyNumber)},
	{"objectid_ne_text", 0, ID_TO_TEXT(InvalidStrategy)},
	{"objectid_ge_text", 0, ID_TO_TEXT(BTGreaterEqualStrategyNumber)},
	{"objectid_gt_text", 0, ID_TO_TEXT(BTGreaterStrategyNumber)},
	{"text_lt_objectid", 1, ID_TO_TEXT(BTGreaterStrategyNumber)},
	{"text_le_objectid", 1, ID_TO_TEXT(BTGreaterEqualStrategyNumber)},
	{"text_eq_objectid", 1, ID_TO_TEXT(BTEqualStrategyNumber)},
	{"text_ne_objectid", 1, ID_TO_TEXT(InvalidStrategy)},
	{"text_ge_objectid", 1, ID_TO_TEXT(BTLessEqualStrategyNumber)},
	{"text_gt_objectid", 1, ID_TO_TEXT(BTLessStrategyNumber)}
};

/* A call of a predicate */
typedef struct predicate_call
{
	const id_rewriting *rewriting;
	Oid			namespace;		/* schema of the extension */
	Node	   *id;
	List	   *others;			/* the time, range or text, and the layout */
} predicate_call;

/*
 * Set *call to a call of a predicate.  Returns false if an argument is
 * volatile, because it would be evaluated a different number of times.  (Core inlines
 * the comparisons with text, which evaluate it once.)
 */
static bool
find_rewriting(predicate_call *call, Oid funcid, List *args)
{
	char	   *name = get_func_name(funcid);
	int			i = 0;

	if (name == NULL)
		elog(ERROR, "cache lookup failed for function %u", funcid);
	while (i < lengthof(rewritings) && strcmp(rewritings[i].predicate, name) != 0)
		i++;
	if (i == lengthof(rewritings) || contain_volatile_functions((Node *) args))
		return false;

	call->rewriting = &rewritings[i];
	call->namespace = get_func_namespace(funcid);
	call->id = list_nth(args, rewritings[i].id_arg);
	call->others = list_delete_nth_cell(list_copy(args), rewritings[i].id_arg);
	return true;
}

/*
 * Make a call of a function of the extension, found by its name and arguments.
 * Returns NULL if there is no such function with this result type.  We do not
 * use the parser, which would check that the current user has USAGE on the
 * schema; when we plan a view of another user, that need not be so.
 */
static Node *
make_call(PlannerInfo *root, const char *name, List *args, Oid result_type, Oid namespace)
{
	Oid			types[FUNC_MAX_ARGS];
	int			nargs = 0;
	Oid			funcid;
	ListCell   *lc;

	foreach(lc, args)
		types[nargs++] = exprType(lfirst(lc));

	funcid = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
							 CStringGetDatum(name),
							 PointerGetDatum(buildoidvector(types, nargs)),
							 ObjectIdGetDatum(namespace));
	if (!OidIsValid(funcid) || get_func_rettype(funcid) != result_type)
		return NULL;

	/* The planner does not fold constants in what we return.  EXPLAIN shows a cast as one. */
	return eval_const_expressions(root, (Node *)
								  makeFuncExpr(funcid, result_type, copyObject(args),
											   InvalidOid, InvalidOid,
											   types[0] == TEXTOID ? COERCE_EXPLICIT_CAST : COERCE_EXPLICIT_CALL));
}

static Oid
find_operator(Oid type, StrategyNumber strategy)
{
	Oid			opfamily = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;

	return strategy != InvalidStrategy ? get_opfamily_member(opfamily, type, type, strategy) :
		get_negator(get_opfamily_member(opfamily, type, type, BTEqualStrategyNumber));
}

static Node *
make_operator(Oid opno, Node *left, Node *right)
{
	Expr	   *result = make_opclause(opno, BOOLOID, false, (Expr *) left, (Expr *) right,
									   InvalidOid, InvalidOid);

	set_opfuncid((OpExpr *) result);
	return (Node *) result;
}

/*
 * Make the comparisons for a predicate, or return NIL if that is not possible.
 *
 * Other users can create functions with our names in the same schema, for
 * types that ours do not accept, such as ranges other than tstzrange.  We must
 * not call those, so we check the type of the time or text.
 */
static List *
make_comparisons(PlannerInfo *root, const predicate_call *call)
{
	Oid			type = exprType(call->id);
	Oid			other_type = exprType(linitial(call->others));
	const id_bound *bounds = call->rewriting->bounds;
	List	   *comparisons = NIL;

	if (other_type != TIMESTAMPTZOID && other_type != TSTZRANGEOID && other_type != TEXTOID)
		return NIL;
	for (int i = 0; i < lengthof(call->rewriting->bounds) && bounds[i].function != NULL; i++)
	{
		Oid			opno = find_operator(type, bounds[i].strategy);
		Node	   *value = make_call(root, bounds[i].function, call->others, type, call->namespace);

		if (!OidIsValid(opno) || value == NULL)
			return NIL;
		/* NOT IN a sub-select of ids is hashed only if the text stays on the left. */
		comparisons = lappend(comparisons, other_type == TEXTOID && call->rewriting->id_arg == 1 ?
							  make_operator(get_commutator(opno), value, copyObject(call->id)) :
							  make_operator(opno, copyObject(call->id), value));
	}
	return comparisons;
}

/*
 * Replace objectid <@ anyrange or its commutator with core's operator, if an
 * index on ranges can then be used: for a range of objectid, which a user can
 * create, and for a column of time ranges that is searched by an id that is
 * not a column.  Returns NULL otherwise.
 */
static Node *
rewrite_for_range_index(PlannerInfo *root, const predicate_call *call)
{
	Node	   *element = call->id;
	Node	   *range = linitial(call->others);
	Oid			element_type = get_range_subtype(exprType(range));

	if (call->rewriting->time_of_id == NULL)
		return NULL;
	if (element_type == TIMESTAMPTZOID && contain_var_clause(range) && !contain_var_clause(element))
		element = make_call(root, call->rewriting->time_of_id, list_make1(element),
							TIMESTAMPTZOID, call->namespace);
	else if (element_type != exprType(element))
		return NULL;

	if (element == NULL)
		return NULL;
	return call->rewriting->id_arg == 0 ?
		make_operator(OID_RANGE_ELEM_CONTAINED_OP, element, range) :
		make_operator(OID_RANGE_CONTAINS_ELEM_OP, range, element);
}

/*
 * Has an expression more than *budget nodes?  Both comparisons of a range contain the
 * arguments: a few hundred characters of ranges inside of each other would exhaust memory.
 */
static bool
exceeds_budget(Node *node, void *budget)
{
	return node != NULL && (--*(int *) budget < 0 || expression_tree_walker(node, exceeds_budget, budget));
}

/*
 * Rewrite a call.  Returns NULL to leave it unchanged, for example if a
 * sub-select would be evaluated twice.
 */
static Node *
rewrite_predicate(SupportRequestSimplify *req)
{
	predicate_call call;
	Node	   *result;
	List	   *comparisons;
	int			budget = 200;	/* many more than a range has */

	if (!find_rewriting(&call, req->fcall->funcid, req->fcall->args))
		return NULL;

	result = rewrite_for_range_index(req->root, &call);
	if (result != NULL)
		return result;
	if (call.rewriting->bounds[1].function != NULL &&
		(contain_subplans((Node *) req->fcall->args) || exceeds_budget((Node *) req->fcall->args, &budget)))
		return NULL;

	comparisons = make_comparisons(req->root, &call);
	return comparisons == NIL ? NULL : (Node *) make_ands_explicit(comparisons);
}

/*
 * Make the index conditions on the id for a predicate that was not rewritten.
 * Returns NIL if the values to compare with are not known before the index
 * scan.
 */
static List *
make_index_conditions(SupportRequestIndexCondition *req)
{
	List	   *args = is_opclause(req->node) ? ((OpExpr *) req->node)->args : ((FuncExpr *) req->node)->args;
	predicate_call call;
	List	   *comparisons;
	ListCell   *lc;

	if (!find_rewriting(&call, req->funcid, args) ||
		req->indexarg != call.rewriting->id_arg ||
		contain_subplans((Node *) args) ||
		bms_is_member(req->index->rel->relid, pull_varnos(req->root, (Node *) call.others)))
		return NIL;

	comparisons = make_comparisons(req->root, &call);
	foreach(lc, comparisons)
	{
		if (!op_in_opfamily(((OpExpr *) lfirst(lc))->opno, req->opfamily))
			return NIL;
	}
	req->lossy = false;
	return comparisons;
}

/*
 * Refuse a comparison with an array of texts or times by ANY or ALL, to which PostgreSQL 18
 * converts IN (VALUES ...) as well.  The planner does not ask a support function to simplify
 * it, so the query would read the whole table and compare each row with each element.  For
 * ranges, there is no alternative that we could name.
 */
static void
refuse_array(Oid funcid)
{
	Oid		   *types;
	int			nargs;
	Oid			type;

	get_func_signature(funcid, &types, &nargs);
	type = types[0] == TEXTOID || types[0] == TIMESTAMPTZOID ? types[0] : types[1];
	if (type == TEXTOID || type == TIMESTAMPTZOID)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("cannot compare objectid with %s by ANY or ALL", format_type_be(type)),
				 errdetail("Such a comparison could not use an index.  From PostgreSQL 18 on, IN (VALUES ...) is one, too."),
				 type == TEXTOID ?
				 errhint("Cast the text to objectid: id = ANY ($1::objectid[]), or $1::objectid = ANY (ids).") :
				 errhint("Compare with the least or the greatest, such as id >= (SELECT min(t) FROM unnest(times) AS t).")));
}

/*
 * Planner support function of all predicates in the table above.  It rewrites
 * the predicate, or provides index conditions for one that was not rewritten.
 * The selectivity of the latter is core's default for a range with unknown
 * bounds.  For ANY or ALL of an array, the planner asks for the cost, and passes no
 * expression.
 */
PG_FUNCTION_INFO_V1(id_predicate_support);
Datum
id_predicate_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(rewrite_predicate((SupportRequestSimplify *) request));
	if (IsA(request, SupportRequestIndexCondition))
		PG_RETURN_POINTER(make_index_conditions((SupportRequestIndexCondition *) request));
	if (IsA(request, SupportRequestSelectivity))
	{
		((SupportRequestSelectivity *) request)->selectivity = DEFAULT_RANGE_INEQ_SEL;
		PG_RETURN_POINTER(request);
	}
	if (IsA(request, SupportRequestCost) && ((SupportRequestCost *) request)->node == NULL)
		refuse_array(((SupportRequestCost *) request)->funcid);
	PG_RETURN_POINTER(NULL);
}
