--
-- Tables for documents of MongoDB: extjson_columns(), extjson_table_statements(), objectid_references()
--
\a \t on

CREATE SCHEMA import;
SET search_path = import, public, objectid_ext_tools;
SET timezone = 'UTC';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
\set VERBOSITY terse

--
-- The type for each mixture of values
--
CREATE TABLE document (doc jsonb);
\copy document from stdin (format csv, quote E'\x01', delimiter E'\x02')
{"field": "int", "values": [5, {"$numberInt": "-2147483648"}, {"$numberDouble": "30.0"}, {"$numberLong": "2147483647"}, null]}
{"field": "bigint", "values": [5, {"$numberLong": "-9223372036854775808"}, {"$numberDouble": "9007199254740992.0"}]}
{"field": "bigint below int", "values": [-2147483649]}
{"field": "float8", "values": [5, 0.1, {"$numberDouble": "1E-5"}, {"$numberDouble": "NaN"}, {"$numberDouble": "-Infinity"}]}
{"field": "float8 only", "values": [1e300]}
{"field": "float8 of 17 digits", "values": [0.10000000000000001]}
{"field": "numeric, for a double does not take it", "values": [0.5, 9223372036854775807]}
{"field": "numeric, for it has 18 digits", "values": [0.100000000000000001]}
{"field": "numeric, for it is a decimal", "values": [{"$numberDecimal": "5"}, 7, {"$numberDecimal": "NaN"}]}
{"field": "numeric beyond bigint", "values": [9223372036854775808]}
{"field": "boolean", "values": [true, false, null]}
{"field": "text", "values": ["x", {"$symbol": "y"}, ""]}
{"field": "timestamptz", "values": [{"$date": "2012-12-24T12:15:30.501Z"}, {"$date": {"$numberLong": "-62135596800001"}}]}
{"field": "objectid", "values": [{"$oid": "59A47286cfa9a3a73e51e72c"}, null]}
{"field": "uuid", "values": [{"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}, {"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "04"}}]}
{"field": "bytea", "values": [{"$binary": {"base64": "//8=", "subType": "00"}}, {"$binary": "c//SZESzTGmQ6OfR38A11A==", "$type": "03"}]}
{"field": "objectid[]", "values": [[], [{"$oid": "59a47286cfa9a3a73e51e72c"}, null], null]}
{"field": "jsonb: arrays", "values": [[1, 2], [], ["x"]]}
{"field": "jsonb: empty arrays", "values": [[], [null]]}
{"field": "jsonb: arrays in arrays", "values": [[[{"$oid": "59a47286cfa9a3a73e51e72c"}]]]}
{"field": "jsonb: objects", "values": [{"a": {"$numberInt": "5"}}, {}]}
{"field": "jsonb: always null", "values": [null, {"$undefined": true}]}
{"field": "mixed: int and text", "values": [7, "7", 8]}
{"field": "mixed: text", "values": ["x", {"$oid": "59a47286cfa9a3a73e51e72c"}, {"$date": 0}, {"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}]}
{"field": "mixed: arrays and text", "values": [[], "x"]}
{"field": "stays: DBRef", "values": [{"$ref": "c", "$id": {"$oid": "56e1fc72e0c917e9c4714161"}}]}
{"field": "stays: out of range", "values": [{"$date": {"$numberLong": "9223372036854775807"}}, {"$date": 0}]}
{"field": "stays: timestamp", "values": [{"$timestamp": {"t": 1, "i": 1}}]}
\.
CREATE TABLE field_document AS
SELECT n, jsonb_object_agg(doc ->> 'field', doc -> 'values' -> n) AS doc
FROM generate_series(0, 4) AS n, document WHERE n < jsonb_array_length(doc -> 'values') GROUP BY n;
SELECT name, type, present, nulls, problem FROM extjson_columns('field_document') ORDER BY name COLLATE "C";

--
-- Keys
--
CREATE FUNCTION statements_for(VARIADIC ids text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    DROP TABLE IF EXISTS item, item_document;
    CREATE TABLE item_document AS SELECT ('{' || coalesce('"_id": ' || i || ', ', '') || '"n": ' || n || '}')::jsonb AS doc FROM unnest(ids) WITH ORDINALITY AS t (i, n);
    RETURN QUERY SELECT * FROM extjson_table_statements('item_document', 'import.item');
END $$;
-- What stays apart in MongoDB stays apart.
SELECT * FROM statements_for('7', '"7"', '{"$numberDouble": "8.0"}', '{"$oid": "59a47286cfa9a3a73e51e72c"}', '"59a47286cfa9a3a73e51e72c"',
    '{"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}', '"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"', 'true', '{"country": "pt", "n": {"$numberInt": "5"}}', '{"$date": 0}');
SELECT * FROM statements_for('7', '"7"', '{"$numberDouble": "8.0"}', '{"$oid": "59a47286cfa9a3a73e51e72c"}', '"59a47286cfa9a3a73e51e72c"',
    '{"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}', '"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"', 'true', '{"country": "pt", "n": {"$numberInt": "5"}}', '{"$date": 0}') \gexec
SELECT * FROM item ORDER BY n;
SELECT name, type, problem FROM extjson_columns('item_document');
-- A number is the same in every type.
SELECT split_part(s, E'\n', 2) FROM statements_for('7', '"7"', '{"$numberLong": "7"}') AS s LIMIT 1;
SELECT name, type, problem FROM extjson_columns('item_document');
-- One is missing, null or there twice
SELECT split_part(s, E'\n', 2) FROM statements_for('{"$oid": "59a47286cfa9a3a73e51e72c"}', NULL, 'null') AS s LIMIT 1;
SELECT name, type, present, nulls, problem FROM extjson_columns('item_document');
SELECT split_part(s, E'\n', 2) FROM statements_for('{"$oid": "59a47286cfa9a3a73e51e72c"}', '{"$oid": "59A47286CFA9A3A73E51E72C"}', '{"$oid": "59a47286cfa9a3a73e51e72d"}') AS s LIMIT 1;
SELECT name, type, present, nulls, problem FROM extjson_columns('item_document');
-- All are documents, which are read
SELECT split_part(s, E'\n', 2) FROM statements_for('{"a": {"$numberInt": "1"}}', '{"a": {"$numberInt": "2"}}') AS s LIMIT 1;
SELECT * FROM statements_for('{"a": {"$numberInt": "1"}}', '{"a": {"$numberInt": "2"}}') \gexec
SELECT * FROM item ORDER BY n;
-- No document has one.
SELECT * FROM statements_for(NULL, NULL);

--
-- Names
--
CREATE SCHEMA "Bad ""schema""";
CREATE TABLE "Bad ""schema"""."select" ("Doc %I" jsonb);
INSERT INTO "Bad ""schema"""."select"
SELECT jsonb_object_agg(name, n) || jsonb_build_object('_id', jsonb_build_object('$oid', lpad(n::text, 24, '0')))
FROM unnest(ARRAY['user', 'User', 'createdAt', 'a b', 'a"b', 'a''b', 'a\b', 'a%b', 'a.b', '$a', '1', 'é', 'doc', 'd', 'r', ');DROP TABLE x;--', '',
                  repeat('x', 63), repeat('x', 64), repeat('é', 31), repeat('é', 32), 'oid', 'ctid', 'tableoid', 'xmin', 'xmax', 'cmin', 'cmax']) AS name, generate_series(1, 2) AS n
GROUP BY n;
SELECT name, type, problem FROM extjson_columns('"Bad ""schema"""."select"', 'Doc %I') WHERE problem <> '' ORDER BY name COLLATE "C";
SELECT * FROM extjson_table_statements('"Bad ""schema"""."select"', '"Bad ""schema""".point', 'Doc %I');
SELECT * FROM extjson_table_statements('"Bad ""schema"""."select"', '"Bad ""schema""".point', 'Doc %I') \gexec
SELECT count(*), sum("createdAt"), sum("a""b"), sum(");DROP TABLE x;--") FROM "Bad ""schema""".point;
-- A type has the name of the table; other spellings of it are as in SQL.
CREATE TABLE one AS SELECT jsonb '{"_id": 1, "x": 2}' AS doc;
SELECT * FROM extjson_table_statements('one', 'Point') \gexec
SELECT * FROM import.point;
SELECT split_part(s, E'\n', 1) FROM unnest('{Shop,"\"Shop\"",public.user}'::text[]) AS t, extjson_table_statements('one', t) AS s;
SELECT extjson_table_statements('one', 'x y');
SELECT extjson_table_statements('one', '');

-- The table of the documents has other columns, with any names.
CREATE TABLE other (key text, kind int, value jsonb, plain text, d int, r jsonb, n text, number text, field jsonb, doc jsonb);
INSERT INTO other (doc) VALUES ('{"_id": 7, "key": 1}'), ('{"_id": "7", "kind": 2}');
SELECT * FROM extjson_table_statements('other', 'from_other') \gexec
SELECT * FROM from_other ORDER BY 1;

-- Nothing to make a table of, or too much
CREATE TABLE none (doc jsonb);
SELECT extjson_table_statements('none', 'x');
INSERT INTO none VALUES (NULL), ('{}');
SELECT extjson_table_statements('none', 'x');
SELECT * FROM extjson_columns('none');
\set VERBOSITY sqlstate
SELECT extjson_columns('none', 'nothing');
\set VERBOSITY terse
CREATE TABLE wide AS SELECT jsonb_object_agg('c' || n, n) || '{"ctid": 1}' AS doc FROM generate_series(1, 1601) AS n;
SELECT extjson_table_statements('wide', 'x');
UPDATE wide SET doc = doc - 'c1601';
SELECT length(extjson_table_statements('wide', 'x')) > 10000 AS fits;
CREATE TABLE scalar AS SELECT unnest('{"{\"_id\": 1}",NULL,5}'::jsonb[]) AS "Doc";
\set VERBOSITY default
SELECT extjson_columns('scalar', 'Doc');
SELECT extjson_table_statements('scalar', 'x', 'Doc');
\set VERBOSITY terse
SELECT extjson_columns(NULL), extjson_table_statements('one', NULL);

-- Names in the path of a caller change nothing, nor does another's path change the statements.
CREATE SCHEMA evil;
CREATE FUNCTION evil.extjson_to_jsonb(jsonb) RETURNS jsonb LANGUAGE sql AS 'SELECT jsonb ''"evil"''';
CREATE FUNCTION evil.jsonb_each(jsonb, OUT key text, OUT value jsonb) RETURNS SETOF record LANGUAGE sql AS 'SELECT ''evil'', $1';
CREATE FUNCTION evil.jsonb_to_record(jsonb) RETURNS record LANGUAGE sql AS 'SELECT 1';
CREATE TABLE evil.document AS SELECT jsonb '{"_id": "evil"}' AS doc;
CREATE TEMP TABLE document AS SELECT jsonb '{"_id": 3}' AS doc;
SET search_path = evil, pg_catalog, public, pg_temp;
SELECT * FROM objectid_ext_tools.extjson_table_statements('pg_temp.document', 'import.from_temp') \gexec
SELECT * FROM import.from_temp;
DROP TABLE pg_temp.document;
SET search_path = evil, pg_catalog, public;
SELECT * FROM objectid_ext_tools.extjson_columns('import.one');
SELECT * FROM objectid_ext_tools.extjson_table_statements('import.one', 'import.safe') \gexec
SELECT * FROM import.safe;
SET search_path = import, public, objectid_ext_tools;

--
-- Sub-documents, references
--
CREATE TABLE shop_document AS SELECT d::jsonb AS doc FROM unnest(ARRAY[
    '{"_id": {"$oid": "65c0a6899c41e07bd23fa910"}, "parent": null, "reviews": [{"stars": 5, "by": {"$oid": "66f0000000000000000000b1"}}, {"stars": 3}], "tags": [{"$oid": "66f0000000000000000000b1"}]}',
    '{"_id": {"$oid": "65c0a6899c41e07bd23fa911"}, "parent": {"$oid": "65c0a6899c41e07bd23fa910"}, "reviews": [], "tags": [null, {"$oid": "66f0000000000000000000ff"}]}',
    '{"_id": {"$oid": "65c0a6899c41e07bd23fa912"}, "reviews": null}', '{"_id": {"$oid": "65c0a6899c41e07bd23fa913"}, "parent": {"$oid": "65c0a6899c41e07bd23fa911"}}']) AS d;
CREATE VIEW review_document AS
SELECT review || jsonb_build_object('shop', shop, 'number', n) AS doc
FROM (SELECT doc->'_id' AS shop, doc FROM shop_document OFFSET 0) AS d,
     jsonb_path_query(doc, '$.reviews[*] ? (@ != null)') WITH ORDINALITY AS r (review, n);
-- A document of 1 MB is read once, not once for each of its 1,000 elements.
BEGIN;
ALTER TABLE shop_document ALTER doc SET STORAGE EXTERNAL;
INSERT INTO shop_document
SELECT jsonb_build_object('reviews', jsonb_agg(jsonb_build_object('text', repeat('x', 1000)))) FROM generate_series(1, 1000);
CREATE FUNCTION plan_of(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    plan jsonb;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
    RETURN plan->0->'Plan';
END;
$$;
SELECT (p->>'Shared Hit Blocks')::int + (p->>'Shared Read Blocks')::int BETWEEN 100 AND 10000 AS is_read_once
FROM plan_of('SELECT sum(length(doc::text)) FROM review_document') AS p;
ROLLBACK;
CREATE TABLE person (_id objectid PRIMARY KEY);
INSERT INTO person VALUES ('66f0000000000000000000b1');
SELECT * FROM extjson_table_statements('shop_document', 'shop') UNION ALL SELECT * FROM extjson_table_statements('review_document', 'review') \gexec
SELECT * FROM shop ORDER BY _id;
SELECT * FROM review ORDER BY shop, number;
SELECT * FROM objectid_references('import');
SELECT statement FROM objectid_references('import') WHERE statement IS NOT NULL \gexec
SELECT * FROM objectid_references('import');
-- Sub-documents and DBRefs that are missing, null or of another type; an _id and other names of both
CREATE TABLE house_document AS SELECT d::jsonb AS doc FROM unnest(ARRAY[
    '{"_id": 1, "street": "a", "address": {"_id": 7, "street": "b", "city": "X"}, "owner": {"$ref": "person", "$id": {"$oid": "66f0000000000000000000b1"}}}',
    '{"_id": 2, "owner": {"$oid": "66f0000000000000000000b1"}}', '{"_id": 3, "address": null, "owner": null}']) AS d;
CREATE VIEW house_view AS
SELECT coalesce(nullif(doc->'address', 'null'), '{}') || doc || jsonb_build_object('owner', coalesce(doc#>'{owner,$id}', doc->'owner')) AS doc
FROM house_document;
SELECT * FROM extjson_table_statements('house_view', 'house') \gexec
SELECT * FROM house ORDER BY _id;
INSERT INTO house_document VALUES ('{"_id": 4, "address": "Main street"}');
SELECT extjson_columns('house_view');

-- A key of several types that is made plain, as references to it are
CREATE TABLE parent_document AS SELECT jsonb_build_object('_id', id::jsonb, 'up', lag(id::jsonb) OVER (ORDER BY n), 'child', jsonb '[{"n": 1}]') AS doc
FROM unnest(ARRAY['{"$oid": "59a47286cfa9a3a73e51e72c"}', '"a"', '{"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}', '{"$date": 0}']) WITH ORDINALITY AS t (id, n);
CREATE VIEW child_document AS
SELECT child || jsonb_build_object('parent', doc -> '_id') AS doc FROM parent_document, jsonb_path_query(doc, '$.child[*] ? (@ != null)') AS child;
SELECT s.* FROM unnest('{parent,child}'::text[]) AS t, extjson_table_statements((t || '_document')::regclass, t) AS s \gexec
ALTER TABLE parent ALTER _id TYPE text USING extjson_to_jsonb(_id)#>>'{}';
ALTER TABLE parent ADD FOREIGN KEY (up) REFERENCES parent;
ALTER TABLE child ADD FOREIGN KEY (parent) REFERENCES parent;
SELECT up, _id, n FROM parent JOIN child ON parent = _id ORDER BY _id;
DROP TABLE house, child, parent;

-- partitions, keys of several columns, other schemas, rows that the role may not see
CREATE TABLE visit (shop objectid, n int, PRIMARY KEY (shop, n)) PARTITION BY LIST (n);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES IN (1);
INSERT INTO visit SELECT _id, 1 FROM shop;
SELECT * FROM objectid_references('import') WHERE relation::text LIKE 'visit%';
SELECT * FROM objectid_references('evil');
SELECT * FROM objectid_references(NULL);
CREATE ROLE regress_extjson_reader;
GRANT USAGE ON SCHEMA import TO regress_extjson_reader;
GRANT SELECT ON shop, review, visit, visit_1 TO regress_extjson_reader;
SET ROLE regress_extjson_reader;
SELECT * FROM objectid_references('import');
RESET ROLE;
GRANT SELECT ON ALL TABLES IN SCHEMA import TO regress_extjson_reader;
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
SET ROLE regress_extjson_reader;
SELECT * FROM objectid_references('import');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA import, evil, "Bad ""schema""" CASCADE;
DROP ROLE regress_extjson_reader;
