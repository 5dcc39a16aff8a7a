--
-- Catalog entries of all members of the extension: function labels, operator
-- links, complete operator classes, comments
--
\a \t on

-- All members of the extension.  Array types and row types have no comments.
CREATE TEMP VIEW catalog_member AS
SELECT e.extname, d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) AS name
  FROM pg_depend AS d JOIN pg_extension AS e ON d.refobjid = e.oid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'objectid_ext'
   AND NOT (d.classid = 'pg_type'::regclass
            AND EXISTS (SELECT FROM pg_type AS t WHERE t.oid = d.objid AND (t.typelem <> 0 OR t.typrelid <> 0)));
CREATE TEMP VIEW catalog_function AS
SELECT extname, p.*, p.oid::regprocedure AS signature,
       'internal'::regtype = ANY (p.proargtypes) OR p.prorettype = 'internal'::regtype AS internal
  FROM pg_proc AS p JOIN catalog_member AS m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid;
CREATE TEMP VIEW catalog_operator AS
SELECT o.*, o.oid::regoperator AS signature
  FROM pg_operator AS o JOIN catalog_member AS m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid;

-- The extension, and the kinds of its objects
SELECT extname, extrelocatable, extconfig::regclass[], extcondition FROM pg_extension WHERE extname = 'objectid_ext';
SELECT DISTINCT extname, classid::regclass::text COLLATE "C" AS kinds FROM catalog_member ORDER BY 1, 2;

-- Everything has a comment.
SELECT name AS without_comment FROM catalog_member
 WHERE coalesce(obj_description(objid, classid::regclass::name), '') = '' ORDER BY name COLLATE "C";

-- All objects are in the extension's schema.
SELECT signature AS elsewhere FROM catalog_function
 WHERE pronamespace <> (SELECT extnamespace FROM pg_extension AS e WHERE e.extname = 'objectid_ext');

-- All functions are in C, or have a body that was parsed when they were created.
SELECT signature AS found_by_name FROM catalog_function
 WHERE extname = 'objectid_ext' AND prokind = 'f' AND prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c') AND prosqlbody IS NULL;

--
-- Functions
--

-- Functions that are not strict
SELECT signature AS not_strict FROM catalog_function
 WHERE NOT proisstrict AND prokind <> 'a' AND NOT internal ORDER BY signature::text COLLATE "C";

-- Functions that are not parallel safe: they keep state or write
SELECT signature AS not_parallel_safe, proparallel FROM catalog_function
 WHERE proparallel <> 's' ORDER BY signature::text COLLATE "C";
-- those that begin a subtransaction or change a setting cannot be
SELECT signature AS not_parallel FROM catalog_function WHERE proparallel <> 'u' AND prosrc ~ '\n *EXCEPTION\M|set_config\(' ORDER BY 1;

-- Functions that are not immutable: they read the clock, a setting or the catalog
SELECT signature AS not_immutable, provolatile FROM catalog_function
 WHERE provolatile <> 'i' AND prokind = 'f' ORDER BY signature::text COLLATE "C";

-- Leakproof functions: comparisons, and functions used to plan comparisons
SELECT signature AS leakproof FROM catalog_function WHERE proleakproof ORDER BY signature::text COLLATE "C";
SELECT p.oid::regprocedure AS leaky_comparison
  FROM catalog_operator AS o JOIN pg_proc AS p ON p.oid = o.oprcode
 WHERE o.oprleft = o.oprright AND NOT p.proleakproof ORDER BY 1;

-- No function is SECURITY DEFINER, and functions with a body of statements do
-- not depend on the caller's search_path.  Procedures that commit cannot set one;
-- they name the schema of everything.
SELECT signature AS security_definer FROM catalog_function WHERE prosecdef;
SELECT signature AS path_of_the_caller FROM catalog_function
 WHERE prolang IN (SELECT oid FROM pg_language WHERE lanname IN ('sql', 'plpgsql')) AND prosqlbody IS NULL
   AND NOT coalesce(array_to_string(proconfig, ' '), '') LIKE '%search\_path=%';
-- Nor on its standard_conforming_strings: a string with a backslash is written
-- E'...' or $$...$$, or the function has the setting.
SELECT signature AS strings_of_the_caller FROM catalog_function
 WHERE strpos(regexp_replace(prosrc, $re$E'([^'\\]|\\.|'')*'|[$]\w*[$][^$]*[$]\w*[$]$re$, '', 'g'), chr(92)) > 0
   AND NOT coalesce(array_to_string(proconfig, ' '), '') LIKE '%standard\_conforming\_strings=on%';

-- Strict functions with arguments, and with no pseudo-types but cstring, return
-- null for nulls, or an empty set.
CREATE FUNCTION pg_temp.of_nulls(f regprocedure) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    call text;
    result boolean;
BEGIN
    SELECT format('SELECT count(*) = 0 FROM %s(%s) AS r WHERE r IS NOT NULL', p.oid::regproc,
                  (SELECT string_agg('NULL::' || format_type(t, NULL), ', ') FROM unnest(p.proargtypes) AS t))
      INTO call FROM pg_proc AS p WHERE p.oid = f;
    EXECUTE call INTO result;
    RETURN result;
END $$;
SELECT count(*) >= 20 AS functions, count(*) FILTER (WHERE pg_temp.of_nulls(signature) IS NOT TRUE) AS not_null
  FROM catalog_function
 WHERE proisstrict AND prokind = 'f' AND NOT internal AND pronargs > 0
   AND NOT EXISTS (SELECT FROM unnest(proargtypes) AS a JOIN pg_type AS t ON t.oid = a
                    WHERE t.typtype = 'p' AND a <> 'cstring'::regtype);

--
-- The type
--
SELECT typname, typlen, typbyval, typalign, typstorage, typcategory, typispreferred, typdelim, typcollation,
       typinput, typoutput, typreceive, typsend, typanalyze, typarray::regtype
  FROM pg_type WHERE oid = 'objectid'::regtype \gx

--
-- Operators
--
SELECT signature, oprcode, oprcom::regoperator AS commutator, oprnegate::regoperator AS negator,
       oprrest, oprjoin, oprcanhash AS hashes, oprcanmerge AS merges
  FROM catalog_operator WHERE oprleft = 'objectid'::regtype AND oprright = 'objectid'::regtype
 ORDER BY oprname COLLATE "C";

-- Commutators and negators point back, with the right types.  Every operator
-- has a commutator; a comparison operator has a negator and estimators, too.
SELECT o.signature AS commutator_wrong FROM catalog_operator AS o LEFT JOIN pg_operator AS c ON c.oid = o.oprcom
 WHERE c.oprcom IS DISTINCT FROM o.oid OR c.oprleft <> o.oprright OR c.oprright <> o.oprleft OR c.oprresult <> o.oprresult;
SELECT o.signature AS negator_wrong FROM catalog_operator AS o LEFT JOIN pg_operator AS n ON n.oid = o.oprnegate
 WHERE o.oprname IN ('<', '<=', '=', '<>', '>=', '>')
   AND (n.oprnegate IS DISTINCT FROM o.oid OR n.oid = o.oid OR n.oprleft <> o.oprleft OR n.oprright <> o.oprright);
SELECT signature AS without_estimator FROM catalog_operator
 WHERE oprname IN ('<', '<=', '=', '<>', '>=', '>') AND (oprrest = 0 OR oprjoin = 0);

-- No operator family has a cross-type equality operator: shards would be pruned
-- by the wrong hash.
SELECT signature AS equality_between_types FROM catalog_operator AS o
 WHERE oprname = '=' AND oprleft <> oprright
   AND (oprcanhash OR oprcanmerge OR EXISTS (SELECT FROM pg_amop WHERE amopopr = o.oid));

-- HASHES and MERGES require operator classes, and vice versa.
SELECT signature AS hashes_without_hash FROM catalog_operator AS o
 WHERE oprcanhash
   AND NOT EXISTS (SELECT FROM pg_amop AS a JOIN pg_am ON pg_am.oid = a.amopmethod
                    WHERE amname = 'hash' AND amopopr = o.oid AND amopstrategy = 1);
SELECT signature AS merges_without_btree FROM catalog_operator AS o
 WHERE oprcanmerge
   AND NOT EXISTS (SELECT FROM pg_amop AS a JOIN pg_am ON pg_am.oid = a.amopmethod
                    WHERE amname = 'btree' AND amopopr = o.oid AND amopstrategy = 3);
SELECT o.signature AS not_marked
  FROM pg_amop AS a JOIN pg_am ON pg_am.oid = a.amopmethod JOIN catalog_operator AS o ON o.oid = a.amopopr
 WHERE amname = 'hash' AND NOT oprcanhash OR amname = 'btree' AND amopstrategy = 3 AND NOT oprcanmerge;

-- The functions of the operators have the same types, and are immutable.
SELECT signature AS function_differs FROM catalog_operator AS o JOIN pg_proc AS p ON p.oid = o.oprcode
 WHERE p.proargtypes[0] <> o.oprleft OR p.proargtypes[1] <> o.oprright OR p.prorettype <> o.oprresult OR p.provolatile <> 'i';

--
-- Operator classes
--
SELECT amname, opcname, opcintype::regtype AS type, opcdefault, amvalidate(c.oid)
  FROM pg_opclass AS c JOIN pg_am ON pg_am.oid = c.opcmethod
  JOIN catalog_member AS m ON m.classid = 'pg_opclass'::regclass AND m.objid = c.oid
 ORDER BY amname, opcname COLLATE "C";
SELECT amname, opfname, amprocnum AS support, amproclefttype::regtype AS left_type, amprocrighttype::regtype AS right_type, amproc
  FROM pg_amproc AS p JOIN pg_opfamily AS f ON f.oid = p.amprocfamily JOIN pg_am ON pg_am.oid = f.opfmethod
  JOIN catalog_member AS m ON m.classid = 'pg_opfamily'::regclass AND m.objid = f.oid
 WHERE amproclefttype = 'objectid'::regtype AND amname IN ('btree', 'hash')
 ORDER BY amname, opfname COLLATE "C", amprocnum;

--
-- Aggregates
--
SELECT aggfnoid::regprocedure AS aggregate, aggtransfn, aggcombinefn, aggsortop::regoperator AS sort_operator
  FROM pg_aggregate JOIN catalog_function AS f ON f.oid = aggfnoid::oid ORDER BY aggfnoid::regprocedure::text COLLATE "C";

--
-- Casts: e is explicit, a is assignment; i (implicit) must not occur
--
SELECT castsource::regtype AS source, casttarget::regtype AS target, castcontext AS context,
       CASE castmethod WHEN 'f' THEN castfunc::regprocedure::text ELSE castmethod::text END AS method
  FROM pg_cast AS c JOIN catalog_member AS m ON m.classid = 'pg_cast'::regclass AND m.objid = c.oid
 ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";

DROP VIEW catalog_operator, catalog_function, catalog_member;
