--
-- GiST: exclusion constraints and keys of an id and a range; index scans find
-- the same rows as a sequential scan, however the index was built
--
\a \t on

SET timezone = 'UTC';

-- 6,000 ids in random order, every third one twice, one id a hundred times, the
-- lowest and the highest id, and nulls
CREATE TABLE gist_ids (n int, id objectid);
INSERT INTO gist_ids SELECT i, left(md5((i % 4000)::text), 24)::objectid FROM generate_series(0, 5999) AS i ORDER BY md5(i::text);
INSERT INTO gist_ids SELECT 6000 + i, '507f1f77bcf86cd799439011' FROM generate_series(0, 99) AS i;
INSERT INTO gist_ids SELECT 6100 + i, NULL FROM generate_series(0, 99) AS i;
INSERT INTO gist_ids VALUES (6200, repeat('0', 24)), (6201, repeat('f', 24));

-- Conditions: each operator, with ids in the table, not in the table, and at
-- either end
CREATE TEMP TABLE gist_question AS
SELECT op, '507f1f77bcf86cd799439011'::objectid AS arg FROM unnest('{<,<=,=,<>,>=,>}'::text[]) AS op
UNION ALL SELECT op, id FROM unnest('{<,<=,=,<>,>=,>}'::text[]) AS op, (SELECT id FROM gist_ids WHERE n < 3) AS s
UNION ALL SELECT op, repeat(digit, 24)::objectid FROM unnest('{<,<=,=,<>,>=,>}'::text[]) AS op, unnest('{0,8,f}'::text[]) AS digit;

-- The rows found, as a count and a hash, and the plan
CREATE FUNCTION pg_temp.answer(condition text, OUT rows bigint, OUT hash text, OUT plan text)
LANGUAGE plpgsql AS $$
DECLARE
    explained json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) SELECT n FROM gist_ids WHERE ' || condition INTO explained;
    plan := explained -> 0 -> 'Plan' ->> 'Node Type';
    EXECUTE 'SELECT count(*), md5(string_agg(n::text, '','' ORDER BY n)) FROM gist_ids WHERE ' || condition INTO rows, hash;
END $$;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
CREATE TEMP TABLE gist_reference AS
SELECT op, arg, a.* FROM gist_question, pg_temp.answer(format('id %s %L', op, arg)) AS a;
SELECT plan, count(*) AS questions, count(DISTINCT hash) AS answers FROM gist_reference GROUP BY plan;
RESET enable_indexscan;
RESET enable_bitmapscan;

CREATE FUNCTION pg_temp.compare(OUT plan text, OUT questions bigint, OUT different bigint) RETURNS SETOF record
LANGUAGE sql BEGIN ATOMIC
    SELECT a.plan, count(*), count(*) FILTER (WHERE (a.rows, a.hash) IS DISTINCT FROM (r.rows, r.hash))
    FROM gist_reference AS r, pg_temp.answer(format('id %s %L', op, arg)) AS a GROUP BY a.plan;
END;

-- An index that is built by sorting
SET enable_seqscan = off;
SET enable_bitmapscan = off;
CREATE INDEX gist_index ON gist_ids USING gist (id);
SELECT * FROM pg_temp.compare();
SELECT (pg_temp.answer('id IS NULL')).rows AS nulls, (pg_temp.answer('id IS NOT NULL')).rows AS others;
SELECT pg_relation_size('gist_index') > 10 * current_setting('block_size')::int AS many_pages;

-- An index that grows row by row, by page splits, and from which rows are deleted
DROP INDEX gist_index;
CREATE TEMP TABLE gist_copy AS TABLE gist_ids;
TRUNCATE gist_ids;
CREATE INDEX gist_index ON gist_ids USING gist (id);
INSERT INTO gist_ids TABLE gist_copy;
SELECT * FROM pg_temp.compare();
SELECT (pg_temp.answer('id IS NULL')).rows AS nulls, (pg_temp.answer('id IS NOT NULL')).rows AS others;
SELECT pg_relation_size('gist_index') > 10 * current_setting('block_size')::int AS many_pages;
DELETE FROM gist_ids WHERE n % 2 = 0;
VACUUM gist_ids;
INSERT INTO gist_ids SELECT * FROM gist_copy WHERE n % 2 = 0;
SELECT * FROM pg_temp.compare();

-- A good index finds one id, or a narrow range, in a few pages, even after
-- insertion in the worst order, that of the ids.
CREATE FUNCTION pg_temp.pages_read(condition text) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
    explained json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) SELECT id FROM gist_ids WHERE ' || condition INTO explained;
    RETURN (explained -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::int + (explained -> 0 -> 'Plan' ->> 'Shared Read Blocks')::int;
END $$;
VACUUM ANALYZE gist_ids;
SELECT pg_temp.pages_read('id = ''' || repeat('f', 24) || '''') < 10 AS one_id,
       pg_temp.pages_read('id >= ''800000000000000000000000'' AND id < ''808000000000000000000000''') < 20 AS narrow;
TRUNCATE gist_ids;
INSERT INTO gist_ids SELECT n, id FROM gist_copy ORDER BY id;
VACUUM ANALYZE gist_ids;
SELECT * FROM pg_temp.compare();
SELECT pg_temp.pages_read('id = ''' || repeat('f', 24) || '''') < 10 AS one_id,
       pg_temp.pages_read('id >= ''800000000000000000000000'' AND id < ''808000000000000000000000''') < 20 AS narrow;

-- Index-only scans return the ids.
EXPLAIN (COSTS OFF) SELECT id FROM gist_ids WHERE id < '100000000000000000000000';
SELECT md5(string_agg(id::text, ',' ORDER BY id)) =
       (SELECT md5(string_agg(id::text, ',' ORDER BY id)) FROM gist_copy WHERE id < '100000000000000000000000') AS same
  FROM gist_ids WHERE id < '100000000000000000000000';

-- An array, a parameter, a join
RESET enable_bitmapscan;
EXPLAIN (COSTS OFF) SELECT n FROM gist_ids WHERE id = ANY ('{507f1f77bcf86cd799439011,ffffffffffffffffffffffff}');
SELECT count(*) FROM gist_ids WHERE id = ANY ('{507f1f77bcf86cd799439011,ffffffffffffffffffffffff}');
RESET enable_seqscan;
ANALYZE gist_copy;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM gist_copy AS c JOIN gist_ids AS i USING (id) WHERE c.n < 50;
SELECT count(*), (SELECT count(*) FROM gist_copy AS c JOIN gist_copy AS i USING (id) WHERE c.n < 50) AS expected
  FROM gist_copy AS c JOIN gist_ids AS i USING (id) WHERE c.n < 50;
RESET enable_hashjoin;
RESET enable_mergejoin;
SET enable_seqscan = off;

-- Time ranges become ranges of ids here, too.
EXPLAIN (COSTS OFF) SELECT n FROM gist_ids WHERE id >= timestamptz '2012-10-17 21:13:27+00' AND id < timestamptz '2012-10-17 21:13:28+00';
SELECT count(*) FROM gist_ids WHERE id >= timestamptz '2012-10-17 21:13:27+00' AND id < timestamptz '2012-10-17 21:13:28+00';
RESET enable_seqscan;

--
-- Exclusion constraints: no overlapping bookings of a room
--
CREATE TABLE gist_booking (room objectid, during tstzrange, EXCLUDE USING gist (room WITH =, during WITH &&));
INSERT INTO gist_booking VALUES ('507f1f77bcf86cd799439011', '[2026-01-01,2026-01-03)'), ('507f1f77bcf86cd799439012', '[2026-01-01,2026-01-03)');
INSERT INTO gist_booking VALUES ('507f1f77bcf86cd799439011', '[2026-01-02,2026-01-04)');
INSERT INTO gist_booking VALUES ('507f1f77bcf86cd799439011', '[2026-01-03,2026-01-04)'), (NULL, '[2026-01-01,2026-01-03)'), (NULL, '[2026-01-01,2026-01-03)');
INSERT INTO gist_booking VALUES ('507f1f77bcf86cd799439011', '[2026-01-02,2026-01-04)') ON CONFLICT DO NOTHING;
SELECT * FROM gist_booking ORDER BY room, during;

-- Many bookings of a few rooms, so that pages are split by the second column.
-- No booking overlaps.
INSERT INTO gist_booking
SELECT left(md5((i % 7)::text), 24)::objectid, tstzrange(day, day + '1 day')
  FROM (SELECT i, timestamptz '2027-01-01 00:00:00+00' + i / 7 * interval '1 day' AS day FROM generate_series(0, 6999) AS i) AS s;
INSERT INTO gist_booking
SELECT room, tstzrange(lower(during) + '1 hour', lower(during) + '2 hours') FROM gist_booking WHERE lower(during) >= '2027-01-01' ON CONFLICT DO NOTHING;
SELECT count(*), count(DISTINCT room) FROM gist_booking WHERE lower(during) >= '2027-01-01';
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM gist_booking WHERE room = left(md5('3'), 24)::objectid AND during @> timestamptz '2028-01-01 12:00:00+00';
SELECT count(*) FROM gist_booking WHERE room = left(md5('3'), 24)::objectid AND during @> timestamptz '2028-01-01 12:00:00+00';
RESET enable_seqscan;

-- Ids that are inserted in their order fill the pages, as in a btree; inserted in
-- another order, they do not crowd the lower pages.
CREATE TABLE gist_ascending (id objectid);
CREATE INDEX gist_ascending_gist ON gist_ascending USING gist (id);
CREATE INDEX gist_ascending_btree ON gist_ascending (id);
INSERT INTO gist_ascending SELECT gen_objectid() FROM generate_series(1, 50000);
SELECT pg_relation_size('gist_ascending_gist') <= 1.2 * pg_relation_size('gist_ascending_btree') AS full_pages;
TRUNCATE gist_ascending;
INSERT INTO gist_ascending SELECT left(md5(i::text), 24)::objectid FROM generate_series(1, 50000) AS i;
SELECT pg_relation_size('gist_ascending_gist') <= 1.2 * pg_relation_size('gist_ascending_btree') AS random_order;
-- So does a build that sorts them, which splits the entries of several pages at once.
REINDEX TABLE gist_ascending;
SELECT pg_relation_size('gist_ascending_gist') <= 1.2 * pg_relation_size('gist_ascending_btree') AS sorted;
DROP TABLE gist_ascending;

-- Only one tenant for a machine at a time: <> excludes the others.
CREATE TABLE gist_tenancy (machine int4range, tenant objectid, EXCLUDE USING gist (machine WITH &&, tenant WITH <>));
INSERT INTO gist_tenancy VALUES ('[1,2)', '507f1f77bcf86cd799439011'), ('[1,2)', '507f1f77bcf86cd799439011'), ('[2,3)', '507f1f77bcf86cd799439012');
INSERT INTO gist_tenancy VALUES ('[1,2)', '507f1f77bcf86cd799439012');

--
-- Keys WITHOUT OVERLAPS, new in PostgreSQL 18.  Earlier servers report a syntax
-- error (42601), then a missing table (42P01) and no support function 12 (42P17).
--
CREATE FUNCTION pg_temp.outcome(statement text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'done';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
CREATE TEMP TABLE gist_temporal (no int, statement text, since_18 text, before_18 text);
INSERT INTO gist_temporal VALUES
    (1, 'CREATE TABLE gist_price (product objectid, valid daterange, PRIMARY KEY (product, valid WITHOUT OVERLAPS))', 'done', '42601'),
    (2, 'INSERT INTO gist_price VALUES (repeat(''1'', 24), ''[2026-01-01,2026-07-01)''), (repeat(''1'', 24), ''[2026-07-01,2027-01-01)'')', 'done', '42P01'),
    (3, 'INSERT INTO gist_price VALUES (repeat(''1'', 24), ''[2026-06-30,2026-07-01)'')', '23P01', '42P01'),
    (4, 'INSERT INTO gist_price VALUES (repeat(''2'', 24), ''[2026-06-30,2026-07-01)'')', 'done', '42P01'),
    (5, 'CREATE TABLE gist_offer (product objectid, valid daterange, FOREIGN KEY (product, PERIOD valid) REFERENCES gist_price (product, PERIOD valid))', 'done', '42601'),
    (6, 'INSERT INTO gist_offer VALUES (repeat(''1'', 24), ''[2026-02-01,2026-12-01)'')', 'done', '42P01'),
    (7, 'INSERT INTO gist_offer VALUES (repeat(''1'', 24), ''[2026-02-01,2027-12-01)'')', '23503', '42P01'),
    (8, 'DROP TABLE gist_offer, gist_price', 'done', '42P01'),
    -- the extension as after pg_upgrade from an earlier server
    (9, 'ALTER OPERATOR FAMILY gist_objectid_ops USING gist DROP FUNCTION 12 ("any", "any")', 'done', '42P17'),
    (10, 'CREATE TABLE gist_price (product objectid, valid daterange, PRIMARY KEY (product, valid WITHOUT OVERLAPS))', '42704', '42601'),
    (11, 'ALTER OPERATOR FAMILY gist_objectid_ops USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(integer)', 'done', '42P17'),
    (12, 'CREATE TABLE gist_price (product objectid, valid daterange, PRIMARY KEY (product, valid WITHOUT OVERLAPS))', 'done', '42601');
SELECT no, outcome AS unexpected
  FROM (SELECT *, pg_temp.outcome(statement) AS outcome FROM (SELECT * FROM gist_temporal ORDER BY no) AS s) AS s
 WHERE outcome <> CASE WHEN current_setting('server_version_num')::int >= 180000 THEN since_18 ELSE before_18 END;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'gist_objectid_ops';

SET client_min_messages = warning;
DROP TABLE IF EXISTS gist_price;
DROP TABLE gist_ids, gist_booking, gist_tenancy;
