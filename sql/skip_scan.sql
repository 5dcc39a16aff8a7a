--
-- Skip scans, new in PostgreSQL 18: an index (id, kind) serves WHERE kind = 200, one
-- id after the other.  Skip support gives the ids before and after one.
--

-- Ids that follow each other by one with a carry of 0 to 11 bytes, the lowest and
-- the highest with gaps beside them, others at random, and nulls
CREATE TABLE skip_ids AS
SELECT id, kind
  FROM (SELECT lpad(tail, 24, 'c')::objectid
          FROM generate_series(0, 11) AS n,
               LATERAL (VALUES ('00' || repeat('ff', n - 1) || 'fe'), ('00' || repeat('ff', n)),
                               ('01' || repeat('00', n)), ('01' || repeat('00', n - 1) || '01')) AS t (tail)
        UNION SELECT (repeat(first, 23) || last)::objectid
          FROM (VALUES ('0', '0'), ('0', '1'), ('0', '3'), ('f', 'c'), ('f', 'e'), ('f', 'f')) AS e (first, last)
        UNION SELECT left(md5(i::text), 24)::objectid FROM generate_series(1, 20) AS i
        UNION SELECT NULL) AS i (id),
       generate_series(1, 400) AS kind;
SELECT count(DISTINCT id) AS ids FROM skip_ids;

-- The same queries by the table, and by indexes in every order
CREATE TABLE skip_query AS
SELECT format('SELECT * FROM skip_ids WHERE kind = 200%s ORDER BY %s', condition, sorting) AS query, NULL::text AS result
  FROM unnest(ARRAY['', ' AND id IS NULL', ' AND id IS NOT NULL', ' AND id <> ''cccccccccccccccccccc0100''',
                    ' AND id > ''000000000000000000000001''', ' AND id >= ''fffffffffffffffffffffffe''',
                    ' AND id > ''cccccccccccc00ffffffffff''', ' AND id < ''cccccccccccc010000000000''',
                    ' AND id > ''cccccccccccccccccccc00fe'' AND id < ''cccccccccccccccccccc0101''',
                    ' AND id BETWEEN ''cccccccccccccccccc00fffe'' AND ''cccccccccccccccccc010001''',
                    ' AND id < ''000000000000000000000000''', ' AND id > ''ffffffffffffffffffffffff''']) AS condition,
       unnest(ARRAY['id', 'id DESC', 'id NULLS FIRST', 'id DESC NULLS LAST']) AS sorting;
CREATE FUNCTION pg_temp.result(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('SELECT string_agg(q::text, '' '') FROM (%s) AS q', query) INTO result;
    RETURN coalesce(result, '');
END $$;
UPDATE skip_query SET result = pg_temp.result(query);
SELECT count(*) AS queries, min(length(result)) AS shortest, count(DISTINCT result) AS results FROM skip_query;

SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET statement_timeout = '60s';          -- for an id after which comes a lower one
CREATE INDEX skip_index ON skip_ids (id, kind);
VACUUM ANALYZE skip_ids;
SELECT query AS wrong FROM skip_query WHERE result <> pg_temp.result(query);
DROP INDEX skip_index;
CREATE INDEX skip_index ON skip_ids (id DESC NULLS LAST, kind DESC);
SELECT query AS wrong FROM skip_query WHERE result <> pg_temp.result(query);
DROP INDEX skip_index;
CREATE INDEX skip_index ON skip_ids (id NULLS FIRST, kind);
SELECT query AS wrong FROM skip_query WHERE result <> pg_temp.result(query);
DROP INDEX skip_index;
CREATE INDEX skip_index ON skip_ids (id DESC, kind);
SELECT query AS wrong FROM skip_query WHERE result <> pg_temp.result(query);
DROP INDEX skip_index;

-- Searches of the index for ids that follow each other by one: one for each, as for
-- uuid, and two without skip support.  Earlier servers do not count searches, and
-- have no such support function (42P17).
CREATE TABLE skip_series AS
SELECT lpad(to_hex(n), 24, '0')::objectid AS id, lpad(to_hex(n), 32, '0')::uuid AS u, kind
  FROM generate_series(4294967246, 4294967345) AS n, generate_series(1, 1000) AS kind;
CREATE INDEX ON skip_series (id, kind);
CREATE INDEX ON skip_series (u, kind);
VACUUM ANALYZE skip_series;
CREATE FUNCTION pg_temp.searches(field text) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE format('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT JSON)'
                   ' SELECT %I FROM skip_series WHERE kind = 500', field) INTO plan;
    RETURN plan->0->'Plan'->>'Index Searches';
END $$;
CREATE FUNCTION pg_temp.remove_support() RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    ALTER OPERATOR FAMILY objectid_ops USING btree DROP FUNCTION 6 (objectid, objectid);
    RETURN true;
EXCEPTION WHEN invalid_object_definition THEN
    RETURN false;
END $$;
SELECT current_setting('server_version_num')::int >= 180000 AS can_skip \gset
CREATE TABLE skip_searches AS SELECT field, pg_temp.searches(field) FROM unnest(ARRAY['id', 'u']) AS field;
SELECT pg_temp.remove_support() = :'can_skip' AS expected;
INSERT INTO skip_searches VALUES ('id, no support', pg_temp.searches('id'));
-- as after pg_upgrade from an earlier server
SELECT enable_server_features() = :'can_skip' AS expected;
SELECT enable_server_features() AS anything_to_do;
INSERT INTO skip_searches VALUES ('id, added', pg_temp.searches('id'));
SELECT count(searches) = CASE WHEN :'can_skip' THEN 4 ELSE 0 END AS counted FROM skip_searches;
SELECT * FROM skip_searches  -- and a few to begin with
 WHERE searches - CASE field WHEN 'id, no support' THEN 200 ELSE 100 END NOT BETWEEN 0 AND 5;
SELECT amvalidate(c.oid) FROM pg_opclass AS c JOIN pg_am AS a ON a.oid = c.opcmethod
 WHERE opcname = 'objectid_ops' AND amname = 'btree';

RESET enable_seqscan;
RESET enable_bitmapscan;
RESET statement_timeout;
SET client_min_messages = warning;
DROP TABLE skip_ids, skip_query, skip_series, skip_searches;
