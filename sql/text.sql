--
-- Comparisons of objectid with text, for clients that declare their strings.  The planner
-- rewrites them to comparisons of ids, in every kind of plan.
--
\a \t on

SET timezone = 'UTC';

-- Does the plan of a query have no sequential scan?
CREATE FUNCTION pg_temp.uses_index(query text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        IF line LIKE '%Seq Scan%' THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $$;

CREATE TABLE text_ids (id objectid PRIMARY KEY, n int);
INSERT INTO text_ids SELECT left(md5(i::text), 24)::objectid, i FROM generate_series(1, 10000) AS i;
ANALYZE text_ids;
CREATE TABLE text_copy AS SELECT id::text AS t, id::text::varchar AS v, id::text::char(24) AS c, id, n FROM text_ids WHERE n <= 1000;
ANALYZE text_copy;

-- The result of each comparison, and that with the cast
SELECT op, count(*) AS pairs,
       count(*) FILTER (WHERE CASE op WHEN '=' THEN a.id = b.t ELSE a.id <> b.t END IS DISTINCT FROM
                              CASE op WHEN '=' THEN a.id = b.t::objectid ELSE a.id <> b.t::objectid END) AS objectid_text,
       count(*) FILTER (WHERE CASE op WHEN '=' THEN b.t = a.id ELSE b.t <> a.id END IS DISTINCT FROM
                              CASE op WHEN '=' THEN b.t::objectid = a.id ELSE b.t::objectid <> a.id END) AS text_objectid,
       count(*) FILTER (WHERE CASE op WHEN '=' THEN a.id = b.t ELSE a.id <> b.t END) AS true
  FROM unnest('{=,<>}'::text[]) AS op, (SELECT * FROM text_copy WHERE n <= 20) AS a,
       (SELECT t FROM text_copy WHERE n <= 20 UNION ALL VALUES (NULL)) AS b
 GROUP BY op ORDER BY op;
-- the functions of the operators, which a plan calls if it cannot rewrite
SELECT count(*) AS pairs, count(*) FILTER (WHERE a.id IS DISTINCT FROM b.t) AS distinct_from, count(*) FILTER (WHERE b.t IS DISTINCT FROM a.id) AS and_back,
       count(NULLIF(a.id, b.t)) AS not_null
  FROM (SELECT * FROM text_copy WHERE n <= 20) AS a, (SELECT t FROM text_copy WHERE n <= 20) AS b;
-- The order, by the operators as they are rewritten, by their functions, and with the cast
CREATE FUNCTION pg_temp.compare(op text, l text, r text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    functions regprocedure[] := ARRAY(SELECT o.oprcode::regprocedure FROM pg_operator AS o
                                       WHERE oprname = op AND 'objectid'::regtype IN (oprleft, oprright) AND 'text'::regtype IN (oprleft, oprright)
                                       ORDER BY oprleft = 'text'::regtype);
BEGIN
    EXECUTE format('SELECT concat_ws('' '', objectid %2$L %1$s objectid %3$L, objectid %2$L %1$s text %3$L, text %2$L %1$s objectid %3$L, %4$s(objectid %2$L, %3$L), %5$s(%2$L, objectid %3$L))',
                   op, l, r, functions[1]::regproc, functions[2]::regproc) INTO result;
    RETURN result;
END $$;
SELECT op, pg_temp.compare(op, '507f1f77bcf86cd799439011', r) AS first_is_less, pg_temp.compare(op, '507f1f77bcf86cd799439011', '507F1f77bcf86cd799439011') AS same,
       pg_temp.compare(op, r, '507f1f77bcf86cd799439011') AS first_is_greater
  FROM unnest('{<,<=,=,<>,>=,>}'::text[]) AS op, (VALUES ('807f1f77bcf86cd799439011')) AS v (r);
-- the text first, beside a column
SELECT count(*) FILTER (WHERE v::text < id) = count(*) FILTER (WHERE v::objectid < id) AS lt,
       count(*) FILTER (WHERE v::text <= id) = count(*) FILTER (WHERE v::objectid <= id) AS le,
       count(*) FILTER (WHERE v::text = id) = count(*) FILTER (WHERE v::objectid = id) AS eq,
       count(*) FILTER (WHERE v::text <> id) = count(*) FILTER (WHERE v::objectid <> id) AS ne,
       count(*) FILTER (WHERE v::text >= id) = count(*) FILTER (WHERE v::objectid >= id) AS ge,
       count(*) FILTER (WHERE v::text > id) = count(*) FILTER (WHERE v::objectid > id) AS gt
  FROM text_ids, (VALUES ('c4ca4238a0b923820dcc509a')) AS c (v);
-- pages by the key, with the parameter that the driver declares
PREPARE next_page (text) AS SELECT n FROM text_ids WHERE id > $1 ORDER BY id LIMIT 3;
PREPARE previous_page (varchar) AS SELECT n FROM text_ids WHERE $1 >= id ORDER BY id DESC LIMIT 3;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE next_page('c4ca4238a0b923820dcc509a');
EXPLAIN (COSTS OFF) EXECUTE previous_page('c4ca4238a0b923820dcc509a');
EXECUTE next_page('c4ca4238a0b923820dcc509a');
EXECUTE previous_page('c4ca4238a0b923820dcc509a');
RESET plan_cache_mode;
EXECUTE next_page('c4ca4238a0b923820dcc509a');
-- A literal without a type is an objectid, as before.
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF, VERBOSE) SELECT FROM text_ids WHERE id > 'ffffffffffffffffffffff00';
RESET enable_bitmapscan;
-- every spelling of input, and invalid text
SELECT id = text '{"$oid": "507F1F77BCF86CD799439011"}' AS json, id <> text 'ObjectId("507f1f77bcf86cd799439011")' AS shell, id = NULL::text AS null
  FROM (VALUES (objectid '507f1f77bcf86cd799439011')) AS s (id);
SELECT count(*) FROM text_ids WHERE id = text '507f1f77bcf86cd79943901';
SELECT count(*) FROM text_ids WHERE id <> varchar 'abc';
SELECT count(*) FROM text_ids AS i JOIN (VALUES (text '2026-01-01')) AS s (t) ON i.id = s.t;

--
-- Parameters, as drivers declare them
--
PREPARE by_text (text) AS SELECT n FROM text_ids WHERE id = $1;
PREPARE by_varchar (varchar) AS SELECT n FROM text_ids WHERE id = $1;
PREPARE by_bpchar (bpchar) AS SELECT n FROM text_ids WHERE $1 = id;
PREPARE by_two (varchar, varchar) AS SELECT n FROM text_ids WHERE id IN ($1, $2);
PREPARE change (varchar) AS UPDATE text_ids SET n = n WHERE id = $1 RETURNING n;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE by_text('c4ca4238a0b923820dcc509a');
EXPLAIN (COSTS OFF) EXECUTE by_varchar('c4ca4238a0b923820dcc509a');
EXPLAIN (COSTS OFF) EXECUTE by_bpchar('c4ca4238a0b923820dcc509a');
EXPLAIN (COSTS OFF) EXECUTE change('c4ca4238a0b923820dcc509a');
SELECT pg_temp.uses_index('EXECUTE by_two(''c4ca4238a0b923820dcc509a'', ''c81e728d9d4c2f636f067f89'')') AS by_two;
EXECUTE by_text('c4ca4238a0b923820dcc509a');
EXECUTE by_varchar('c4ca4238a0b923820dcc509a');
EXECUTE by_bpchar('c4ca4238a0b923820dcc509a');
EXECUTE by_two('c4ca4238a0b923820dcc509a', 'c81e728d9d4c2f636f067f89');
EXECUTE change('c4ca4238a0b923820dcc509a');
EXECUTE by_text('c4ca');
SET plan_cache_mode = force_custom_plan;
EXPLAIN (COSTS OFF) EXECUTE by_varchar('c4ca4238a0b923820dcc509a');
SELECT pg_temp.uses_index('EXECUTE by_two(''c4ca4238a0b923820dcc509a'', ''c81e728d9d4c2f636f067f89'')') AS by_two;
EXECUTE by_varchar('c4ca4238a0b923820dcc509a');
EXECUTE by_text('c4ca');
RESET plan_cache_mode;
-- a volatile argument is evaluated once for each row, as with the cast
CREATE SEQUENCE text_calls;
SELECT count(*) FROM (SELECT id FROM text_ids LIMIT 10) AS s WHERE id = lpad(nextval('text_calls')::text, 24, '0');
SELECT last_value FROM text_calls;

--
-- Joins hash, and subqueries
--
EXPLAIN (COSTS OFF) SELECT count(*) FROM text_ids AS i JOIN text_copy AS c ON i.id = c.v;
SELECT count(*) AS t FROM text_ids AS i JOIN text_copy AS c ON i.id = c.t;
SELECT count(*) AS v FROM text_ids AS i JOIN text_copy AS c ON c.v = i.id;
SELECT count(*) AS c FROM text_ids AS i LEFT JOIN text_copy AS c ON i.id = c.c WHERE c.c IS NULL;
SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM text_ids AS i JOIN text_copy AS c ON i.id = c.c WHERE c.n < 10;
RESET enable_hashjoin;
EXPLAIN (COSTS OFF) SELECT count(*) FROM text_ids WHERE id IN (SELECT t FROM text_copy);
SELECT count(*) AS in_text FROM text_ids WHERE id IN (SELECT t FROM text_copy);
SELECT count(*) AS not_in_text FROM text_ids WHERE id NOT IN (SELECT v FROM text_copy);
SELECT count(*) AS in_id FROM text_copy WHERE c IN (SELECT id FROM text_ids WHERE n <= 10);
SELECT CASE id WHEN t THEN 'same' END AS "case", count(*) FROM text_copy GROUP BY 1;

-- Partitions are pruned: by the planner, and when the query runs.
CREATE TABLE text_part (id objectid) PARTITION BY HASH (id);
CREATE TABLE text_part_0 PARTITION OF text_part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE text_part_1 PARTITION OF text_part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO text_part SELECT id FROM text_ids;
SELECT tableoid::regclass FROM text_part WHERE id = objectid 'c4ca4238a0b923820dcc509a';
EXPLAIN (COSTS OFF) SELECT FROM text_part WHERE id = text 'c4ca4238a0b923820dcc509a';
PREPARE pruned (text) AS SELECT FROM text_part WHERE id = $1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE pruned('c4ca4238a0b923820dcc509a');
RESET plan_cache_mode;

--
-- Arrays are not rewritten, so they are errors, also for an empty table.
--
CREATE TABLE text_empty (id objectid);
SELECT FROM text_ids WHERE id = ANY (ARRAY['c4ca4238a0b923820dcc509a', 'c81e728d9d4c2f636f067f89']);
\set VERBOSITY terse
SELECT FROM text_empty WHERE id = ANY ('{c4ca4238a0b923820dcc509a}'::text[]);
SELECT FROM text_empty WHERE id <> ALL ('{c4ca4238a0b923820dcc509a}'::varchar[]);
SELECT FROM text_ids WHERE id < ANY ('{c4ca4238a0b923820dcc509a}'::text[]);
SELECT id = ANY ('{c4ca4238a0b923820dcc509a}'::text[]) FROM text_empty;
SELECT FROM text_copy WHERE t = ANY ('{c4ca4238a0b923820dcc509a}'::objectid[]);
PREPARE by_array (text[]) AS SELECT n FROM text_ids WHERE id = ANY ($1);
EXECUTE by_array('{c4ca4238a0b923820dcc509a}');
\set VERBOSITY default
-- VALUES without a cast become an array in PostgreSQL 18
DO $$
DECLARE
    found int;
    detail text;
BEGIN
    SELECT count(*) INTO found FROM text_ids WHERE id IN (VALUES ('c4ca4238a0b923820dcc509a'), ('c81e728d9d4c2f636f067f89'));
    RAISE NOTICE 'worked or explained: %', found = 2 AND current_setting('server_version_num')::int < 180000;
EXCEPTION WHEN undefined_function THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RAISE NOTICE 'worked or explained: %', detail ~ 'PostgreSQL 18 .*VALUES';
END $$;
SELECT count(*) AS "values" FROM text_ids WHERE id IN (VALUES (objectid 'c4ca4238a0b923820dcc509a'), ('c81e728d9d4c2f636f067f89'));
-- the hint works
PREPARE by_cast_array (text[]) AS SELECT n FROM text_ids WHERE id = ANY ($1::objectid[]);
SET plan_cache_mode = force_generic_plan;
SELECT pg_temp.uses_index('EXECUTE by_cast_array(NULL)') AS by_cast_array;
SELECT pg_temp.uses_index('SELECT n FROM text_ids WHERE id = ANY (ARRAY[''c4ca4238a0b923820dcc509a'', ''c81e728d9d4c2f636f067f89'']::objectid[])') AS constant;
EXECUTE by_cast_array('{c4ca4238a0b923820dcc509a}');
SELECT text 'c4ca4238a0b923820dcc509a'::objectid = ANY ('{c4ca4238a0b923820dcc509a}'::objectid[]);
RESET plan_cache_mode;

--
-- The operators are not members of an operator family, for merging, hashing, or
-- row comparison; cannot support a foreign key; are not leakproof
--
SELECT count(*) AS in_families FROM pg_amop JOIN pg_operator ON pg_operator.oid = amopopr
 WHERE 'objectid'::regtype IN (oprleft, oprright) AND oprleft <> oprright;
SELECT count(*), bool_or(oprcanhash OR oprcanmerge OR proleakproof) AS any
  FROM pg_operator JOIN pg_proc ON pg_proc.oid = oprcode
 WHERE 'objectid'::regtype IN (oprleft, oprright) AND 'text'::regtype IN (oprleft, oprright);
SELECT FROM text_copy WHERE (id, n) = (t, n);
-- so a page by several columns needs the cast
PREPARE next_page_of_two (int, text) AS SELECT n FROM text_ids WHERE (n, id) > ($1, $2) ORDER BY n, id LIMIT 3;
PREPARE next_page_of_two (int, text) AS SELECT n FROM text_ids WHERE (n, id) > ($1, $2::objectid) ORDER BY n, id LIMIT 3;
EXECUTE next_page_of_two(9000, 'ffffffffffffffffffffffff');
\set VERBOSITY terse
CREATE TABLE text_reference (id text REFERENCES text_ids);
\set VERBOSITY default
CREATE ROLE regress_text_reader;
CREATE TABLE text_secret (t text, owner name);
INSERT INTO text_secret VALUES ('not an id', 'somebody'), ('507f1f77bcf86cd799439011', 'regress_text_reader');
CREATE VIEW text_mine WITH (security_barrier) AS SELECT * FROM text_secret WHERE owner = current_user;
GRANT SELECT ON text_mine TO regress_text_reader;
SET ROLE regress_text_reader;
SELECT * FROM text_mine WHERE t = objectid '507f1f77bcf86cd799439011';
RESET ROLE;

SET client_min_messages = warning;
DROP TABLE text_ids, text_copy, text_part, text_empty, text_secret CASCADE;
DROP SEQUENCE text_calls;
DROP ROLE regress_text_reader;
