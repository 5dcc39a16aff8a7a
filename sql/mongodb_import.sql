--
-- Output of mongoexport, and ways to load it
--
\a \t on

\set SHOW_CONTEXT never
SET timezone = 'UTC';
SET datestyle = 'ISO';
CREATE SCHEMA import;
SET search_path = import, public;

--
-- JSON, one document per line: the whole document, and its _id as a primary key
-- of 12 bytes
--
CREATE TABLE documents (
    doc jsonb NOT NULL,
    _id objectid GENERATED ALWAYS AS ((doc->'_id')::objectid) STORED PRIMARY KEY
);
\copy documents (doc) from stdin (format csv, quote E'\x01', delimiter E'\x02') where doc is not null
{"_id":{"$oid":"65c0a6899c41e07bd23fa910"},"name":"The \"Paper\" Lantern, \\ & Sons","n":1}
{"_id":{"$oid":"65C0A6B29C41E07BD23FA911"},"name":"Two","opened":{"$date":"1987-05-02T00:00:00Z"}}

{"_id":"66eb02635be2037fa8e01c77","name":"its _id is a string","n":{"$numberInt":"1000"}}
\.
SELECT _id, doc FROM documents ORDER BY _id;
-- duplicates and other values are rejected
\set VERBOSITY terse
INSERT INTO documents (doc) SELECT doc FROM documents LIMIT 1;
INSERT INTO documents (doc) VALUES ('{"name": "no _id"}');
INSERT INTO documents (doc) VALUES ('{"_id": 7}');
INSERT INTO documents (doc) VALUES ('{"_id": "shop-7"}');
INSERT INTO documents (doc) VALUES ('{"_id": {"$oid": "65c0a689"}}');
\set VERBOSITY default
TRUNCATE documents;

-- the sample file
\getenv abs_srcdir PG_ABS_SRCDIR
\set quotes 'csv, quote E''\\x01'', delimiter E''\\x02'''
\set file :abs_srcdir '/examples/bookshops.json'
\set copy '\\copy import.documents (doc) from ' :'file' ' (format ' :quotes ') where doc is not null'
:copy
SELECT count(*), count(DISTINCT _id), min(_id), max(_id), min(_id)::timestamptz AS first, max(_id)::timestamptz AS last FROM documents;
SELECT count(*) AS different FROM documents WHERE _id::text <> doc #>> '{_id,$oid}' OR objectid_extjson(_id) <> doc -> '_id';
-- by time, through the primary key
SELECT to_char(objectid_timestamp(_id), 'YYYY-MM') AS month, count(*) FROM documents GROUP BY month ORDER BY month;
SELECT count(*) FROM documents WHERE _id < objectid_floor('2025-01-01 00:00:00+00');
-- fields of the documents as columns
CREATE TABLE shop AS
SELECT _id, r.* FROM documents, jsonb_to_record(extjson_to_jsonb(doc)) AS r (name text, country text, opened timestamptz, shelves int);
ALTER TABLE shop ADD PRIMARY KEY (_id);
SELECT country, count(*), min(opened) FROM shop GROUP BY country ORDER BY country COLLATE "C" LIMIT 3;

--
-- Conversion of an existing text column
--
CREATE TABLE text_shop (_id text PRIMARY KEY, name text);
CREATE TABLE text_sale (shop char(24) REFERENCES text_shop, amount numeric);
INSERT INTO text_shop SELECT doc #>> '{_id,$oid}', doc ->> 'name' FROM documents;
INSERT INTO text_sale SELECT _id, row_number() OVER (ORDER BY _id) FROM text_shop;
ALTER TABLE text_sale DROP CONSTRAINT text_sale_shop_fkey, ALTER shop TYPE objectid USING shop::text::objectid;
ALTER TABLE text_shop ALTER _id TYPE objectid USING _id::objectid;
ALTER TABLE text_sale ADD FOREIGN KEY (shop) REFERENCES text_shop;
SELECT count(*), sum(amount), count(*) FILTER (WHERE t.name IS DISTINCT FROM s.name) AS different, pg_typeof(min(shop))
FROM text_sale JOIN text_shop t ON t._id = shop FULL JOIN shop s USING (_id);
-- and jsonb
CREATE TABLE json_shop (_id jsonb PRIMARY KEY, name text);
INSERT INTO json_shop SELECT doc -> '_id', doc ->> 'name' FROM documents;
ALTER TABLE json_shop ALTER _id TYPE objectid USING _id::objectid;
SELECT count(*) FROM json_shop JOIN shop USING (_id, name);

--
-- CSV: an _id has the form ObjectId(...), which is valid input
--
CREATE TABLE csv_shop (_id objectid PRIMARY KEY, name text, shelves int);
\copy csv_shop from stdin (format csv, header match)
_id,name,shelves
ObjectId(65c0a6899c41e07bd23fa910),The Paper Lantern,112
ObjectId(65c0a6b29c41e07bd23fa911),"Livraria ""da Mar"", Lisboa",64
\.
SELECT * FROM csv_shop ORDER BY _id;
\set VERBOSITY terse
\copy csv_shop from stdin (format csv, header match)
name,_id,shelves
\.
\copy csv_shop from stdin (format csv)
ObjectId(65c0a6899c41e07bd23fa912,unclosed,1
\.
\copy csv_shop from stdin (format csv)
shop-7,a string,1
\.
\set VERBOSITY default
SELECT count(*) FROM csv_shop;
-- output: text, and JSON for mongoimport
\copy (SELECT * FROM csv_shop ORDER BY _id) to stdout (format csv)
SELECT jsonb_build_object('_id', objectid_extjson(_id), 'name', name) FROM csv_shop ORDER BY _id;

--
-- References to other collections: ObjectIds, arrays of them, DBRefs
--
CREATE TABLE raw (doc jsonb);
\copy raw from stdin (format csv, quote E'\x01', delimiter E'\x02')
{"_id":{"$oid":"66f0000000000000000000a1"},"shop":{"$oid":"65c0a6899c41e07bd23fa910"},"tags":[{"$oid":"66f0000000000000000000b1"},{"$oid":"66f0000000000000000000b2"}],"owner":{"$ref":"person","$id":{"$oid":"66f0000000000000000000c1"}}}
{"_id":{"$oid":"66f0000000000000000000a2"},"shop":null,"tags":[],"owner":{"$ref":"company","$id":{"$oid":"66f0000000000000000000c2"}}}
{"_id":{"$oid":"66f0000000000000000000a3"}}
\.
CREATE TABLE event (
    _id objectid PRIMARY KEY,
    shop objectid REFERENCES csv_shop,
    tags objectid[],
    owner_collection text,
    owner objectid
);
INSERT INTO event
SELECT (doc -> '_id')::objectid,
       (nullif(doc -> 'shop', 'null'))::objectid,
       (SELECT array_agg(tag::objectid ORDER BY n) FROM jsonb_array_elements(doc -> 'tags') WITH ORDINALITY AS t (tag, n)),
       doc #>> '{owner,$ref}',
       (doc #> '{owner,$id}')::objectid
FROM raw;
SELECT * FROM event ORDER BY _id;
INSERT INTO event (_id, shop) VALUES ('66f0000000000000000000a4', '66f0000000000000000000ff');

--
-- And back: values of all types, as mongoimport reads them
--
CREATE TABLE item (_id objectid, name text, n int, big bigint, f float8, price numeric, at timestamptz, key uuid, logo bytea, tags objectid[]);
INSERT INTO item VALUES
    ('ffffffffffffffffffffffff', E'a"b\\c\n', -2147483648, -9223372036854775808, '5e-324', 'NaN', '10000-01-01 00:00:00.001Z', '00000000-0000-0000-0000-000000000000', '', '{000000000000000000000000}'),
    ('000000000000000000000000', '', 0, 9223372036854775807, '1.7976931348623157e308', 'Infinity', '0044-03-15 12:00:00Z BC', 'ffffffff-ffff-ffff-ffff-ffffffffffff', decode(repeat('ab', 200), 'hex'), '{507f1f77bcf86cd799439011,ffffffffffffffffffffffff}'),
    ('000000000000000000000001', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    ('000000000000000000000002', 'x', 1, 1, '-Infinity', '-1.234567890123456789012345678901234E-300', '1969-12-31 23:59:59.999Z', NULL, '\xff', '{}');
CREATE TABLE back AS
SELECT jsonb_strip_nulls(jsonb_build_object(
           '_id', objectid_extjson(_id), 'name', name, 'n', n,
           'big', ('{"$numberLong":"' || big || '"}')::jsonb,
           'f', ('{"$numberDouble":"' || f || '"}')::jsonb,
           'price', ('{"$numberDecimal":"' || price || '"}')::jsonb,
           'at', ('{"$date":{"$numberLong":"' || trunc(extract(epoch FROM at) * 1000) || '"}}')::jsonb,
           'key', ('{"$binary":{"base64":"' || encode(uuid_send(key), 'base64') || '","subType":"04"}}')::jsonb,
           'logo', ('{"$binary":{"base64":"' || translate(encode(logo, 'base64'), E'\n', '') || '","subType":"00"}}')::jsonb,
           'tags', (SELECT coalesce(jsonb_agg(objectid_extjson(tag)), '[]') FROM unnest(tags) AS tag HAVING tags IS NOT NULL))) AS document
FROM item;
SELECT count(*), count(*) FILTER (WHERE to_jsonb(r) = to_jsonb(i)) AS same
FROM back, jsonb_populate_record(NULL::item, extjson_to_jsonb(document)) AS r JOIN item AS i USING (_id);
SELECT document - '{name,n,big,f,price,key,logo}'::text[] FROM back ORDER BY document #>> '{_id,$oid}';

SET client_min_messages = warning;
DROP SCHEMA import CASCADE;
