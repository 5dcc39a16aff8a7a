--
-- Casts that exist, and casts that must not exist
--
\a \t on

SET timezone = 'UTC';
SET datestyle = 'ISO';

--
-- text, varchar and other strings: to objectid on assignment, from it explicitly
--
SELECT '507F1F77BCF86CD799439011'::text::objectid AS from_text,
       '507F1F77BCF86CD799439011'::varchar::objectid AS from_varchar,
       'ObjectId("507f1f77bcf86cd799439011")'::varchar(60)::objectid AS from_varchar_n,
       '507F1F77BCF86CD799439011'::char(24)::objectid AS from_char,
       CAST(lower('507F1F77BCF86CD799439011') AS objectid) AS from_expression;
SELECT '507f1f77bcf86cd799439011'::objectid::text AS to_text,
       '507f1f77bcf86cd799439011'::objectid::varchar AS to_varchar,
       '507f1f77bcf86cd799439011'::objectid::char(24) AS to_char,
       '507f1f77bcf86cd799439011'::objectid::varchar(8) AS cut;

-- INSERT and UPDATE with string expressions
CREATE TABLE cast_key (id objectid PRIMARY KEY);
INSERT INTO cast_key SELECT '507f1f77bcf86cd79943901' || n FROM generate_series(1, 3) AS n;
INSERT INTO cast_key SELECT ('507F1F77BCF86CD79943901' || n)::varchar(24) FROM generate_series(4, 6) AS n;
INSERT INTO cast_key SELECT ('{"$oid": "507f1f77bcf86cd799439017"}'::json)::text;
INSERT INTO cast_key SELECT doc ->> '_id' FROM (VALUES ('{"_id": "507f1f77bcf86cd799439018"}'::jsonb), ('{"_id": {"$oid": "507f1f77bcf86cd799439019"}}')) AS v (doc);
UPDATE cast_key SET id = replace(id::text, '439011', '43901a') WHERE id = '507f1f77bcf86cd799439011';
TABLE cast_key ORDER BY id;
-- the same errors as for a literal
INSERT INTO cast_key SELECT '507f1f77bcf86cd79943901'::text;
INSERT INTO cast_key SELECT ''::varchar;
INSERT INTO cast_key VALUES ('2026-01-01 00:00:00+00'::text);
-- char(n), less the blanks that fill it up
INSERT INTO cast_key SELECT '507f1f77bcf86cd799439011'::char(30);

-- No cast is implicit: for a value of another type, there is no function, and no
-- operator but the comparisons with text.  The hints are core's, and differ between
-- versions.
\set VERBOSITY terse
SELECT '507f1f77bcf86cd799439011'::objectid = '\x507f1f77bcf86cd799439011'::bytea;
SELECT objectid_timestamp('507f1f77bcf86cd799439011'::text);
SELECT lower('507f1f77bcf86cd799439011'::objectid);
SELECT '507f1f77bcf86cd799439011'::objectid LIKE '507f%';
SELECT * FROM cast_key WHERE id IN (SELECT '"507f1f77bcf86cd799439012"'::jsonb);
\set VERBOSITY default

--
-- bytea
--
SELECT '\x507f1f77bcf86cd799439011'::bytea::objectid AS from_bytea, '507f1f77bcf86cd799439011'::objectid::bytea AS to_bytea,
       'abcdefghijkl'::bytea::objectid AS letters;
SELECT count(*) AS ids, count(*) FILTER (WHERE id::bytea <> b OR id::text <> encode(b, 'hex')) AS wrong
  FROM (SELECT b, b::objectid AS id
          FROM (SELECT substr(decode(md5(i::text), 'hex'), 1, 12) AS b FROM generate_series(1, 1000) AS i) AS s) AS s;
-- stored in a table, with and without compression
CREATE TEMP TABLE cast_bytea (b bytea);
INSERT INTO cast_bytea VALUES ('\x507f1f77bcf86cd799439011'), (NULL);
SELECT b::objectid FROM cast_bytea;
INSERT INTO cast_bytea VALUES (decode(repeat('00', 100000), 'hex'));
SELECT b::objectid FROM cast_bytea;
SELECT ''::bytea::objectid;
SELECT '\x507f1f77bcf86cd7994390'::bytea::objectid;
SELECT '\x507f1f77bcf86cd79943901100'::bytea::objectid;
SELECT '507f1f77bcf86cd799439011'::bytea::objectid;
\set VERBOSITY sqlstate
SELECT '507f1f77bcf86cd799439011'::bytea::objectid;
\set VERBOSITY default
-- explicit only
INSERT INTO cast_key VALUES ('\x507f1f77bcf86cd799439011'::bytea);
INSERT INTO cast_bytea SELECT '507f1f77bcf86cd799439011'::objectid;

--
-- timestamptz: from objectid explicitly, never to it
--
SELECT '507f1f77bcf86cd799439011'::objectid::timestamptz AS to_timestamptz,
       CAST('ffffffffffffffffffffffff'::objectid AS timestamp with time zone) AS highest;
CREATE TEMP TABLE cast_time (t timestamptz, ts timestamp, d date);
INSERT INTO cast_time (t) VALUES ('507f1f77bcf86cd799439011'::objectid);
INSERT INTO cast_time (ts) VALUES ('507f1f77bcf86cd799439011'::objectid);
SELECT '507f1f77bcf86cd799439011'::objectid::timestamp;
SELECT '507f1f77bcf86cd799439011'::objectid::date;
SELECT '2026-01-01 00:00:00+00'::timestamptz::objectid;
SELECT '2026-01-01'::date::objectid;
INSERT INTO cast_key VALUES (timestamptz '2026-01-01 00:00:00+00');

--
-- jsonb and json: to objectid explicitly; from it explicitly to jsonb
--
SELECT '"507F1F77BCF86CD799439011"'::jsonb::objectid AS string, '{"$oid": "507f1f77bcf86cd799439011"}'::jsonb::objectid AS object,
       to_jsonb('507f1f77bcf86cd799439011'::objectid)::objectid AS to_jsonb, objectid_extjson('507f1f77bcf86cd799439011')::objectid AS extended;
SELECT (doc -> '_id')::objectid AS id, (doc #> '{ref,0}')::objectid AS ref
  FROM (VALUES ('{"_id": {"$oid": "507f1f77bcf86cd799439011"}, "ref": ["507f1f77bcf86cd799439012"]}'::jsonb),
               ('{"_id": "507f1f77bcf86cd799439013", "ref": [{"$oid": "507f1f77bcf86cd799439014"}]}'),
               ('{}')) AS v (doc);
-- strings that text input takes: as mongosh prints them, and as Debezium does
SELECT doc ->> '_id' AS string, (doc -> '_id')::objectid AS id, (doc -> '_id')::json::objectid AS from_json, is_objectid(doc -> '_id')
  FROM (VALUES ('{"_id": "ObjectId(\"507f1f77bcf86cd799439011\")"}'::jsonb),
               ('{"_id": "ObjectId(''507F1F77BCF86CD799439011'')"}'),
               ('{"_id": "{\"$oid\": \"507f1f77bcf86cd799439011\"}"}'), ('{"_id": "{ \"$oid\" : \"507f1f77bcf86cd799439011\" }"}'),
               ('{"_id": "\"507f1f77bcf86cd799439011\""}')) AS v (doc);
-- JSON null is null, as it is for ->>
SELECT doc, doc::objectid IS NULL AS jsonb, doc::json::objectid IS NULL AS json, is_objectid(doc) IS NULL AS is_objectid
  FROM (VALUES ('null'::jsonb), (NULL)) AS v (doc);
-- any other type of value, and any other string; those with another error
CREATE FUNCTION pg_temp.refusal(doc jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    RETURN 'accepted: ' || doc::objectid;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
SELECT doc, pg_temp.refusal(doc)
  FROM (VALUES ('5'::jsonb, 'number'), ('507177867994390110000000', 'number'), ('true', 'boolean'),
               ('[]', 'array'), ('["507f1f77bcf86cd799439011"]', 'array'), ('{}', 'object'),
               ('{"oid": "507f1f77bcf86cd799439011"}', 'object'), ('{"$OID": "507f1f77bcf86cd799439011"}', 'object'),
               ('{"_id": {"$oid": "507f1f77bcf86cd799439011"}}', 'object'), ('{"$oid": "507f1f77bcf86cd799439011", "n": 1}', 'object'),
               ('{"$oid": null}', 'null'), ('{"$oid": 5}', 'number'), ('{"$oid": false}', 'boolean'),
               ('{"$oid": ["507f1f77bcf86cd799439011"]}', 'array'), ('{"$oid": {"$oid": "507f1f77bcf86cd799439011"}}', 'object')) AS v (doc, type)
 WHERE pg_temp.refusal(doc) <> format('22023: cannot cast jsonb %s to type objectid', type);
SELECT doc, pg_temp.refusal(doc)
  FROM unnest(ARRAY['', '507f1f77bcf86cd79943901', '507f1f77bcf86cd7994390112', '507f1f77bcf86cd79943901g', ' 507f1f77bcf86cd799439011',
                    'ObjectID("507f1f77bcf86cd799439011")', '{"$oid":507f1f77bcf86cd799439011}', '507f1f77bcf86cd799439011 ',
                    '[{"$oid":"507f1f77bcf86cd799439011"}]', 'null']) AS string,
       LATERAL (VALUES (to_jsonb(string)), (jsonb_build_object('$oid', string))) AS v (doc)
 WHERE pg_temp.refusal(doc) <> format('22P02: invalid input syntax for type objectid: "%s"', string) OR is_objectid(doc);
-- inside of $oid, the digits only
SELECT pg_temp.refusal(doc), is_objectid(doc)
  FROM unnest(ARRAY['ObjectId("507f1f77bcf86cd799439011")', '{"$oid":"507f1f77bcf86cd799439011"}', '"507f1f77bcf86cd799439011"']) AS string,
       LATERAL jsonb_build_object('$oid', string) AS doc;
-- explicit only
INSERT INTO cast_key VALUES ('"507f1f77bcf86cd799439011"'::jsonb);
INSERT INTO cast_key VALUES ('"507f1f77bcf86cd799439011"'::json);
SELECT '{"$oid": "507f1f77bcf86cd799439011"}'::json::text::objectid AS by_text, '"507f1f77bcf86cd799439011"'::json::jsonb::objectid AS by_jsonb;

-- A key that the server extracts from the document
CREATE TABLE cast_document (
    doc jsonb NOT NULL,
    _id objectid GENERATED ALWAYS AS ((doc -> '_id')::objectid) STORED PRIMARY KEY
);
INSERT INTO cast_document (doc) VALUES
    ('{"_id": {"$oid": "507f1f77bcf86cd799439011"}, "name": "a"}'),
    ('{"_id": "507f1f77bcf86cd799439012", "name": "b"}');
INSERT INTO cast_document (doc) VALUES ('{"_id": "507F1F77BCF86CD799439011", "name": "c"}');
INSERT INTO cast_document (doc) VALUES ('{"name": "d"}');
INSERT INTO cast_document (doc) VALUES ('{"_id": 5, "name": "e"}');
SELECT _id, doc ->> 'name' AS name, objectid_timestamp(_id) FROM cast_document ORDER BY _id;

-- Other types have no cast at all.
SELECT '507f1f77-bcf8-6cd7-9943-901100000000'::uuid::objectid;
SELECT '507f1f77bcf86cd799439011'::objectid::uuid;
SELECT 5::objectid;
SELECT 5::bigint::objectid;
SELECT '507f1f77bcf86cd799439011'::objectid::bigint;

DROP TABLE cast_key, cast_document;

--
-- char(24), the column that people come from; json; and to jsonb
--
CREATE TABLE cast_from (c24 char(24), c30 char(30), t text, v varchar, j json, b jsonb);
INSERT INTO cast_from SELECT h, h, h, h, json_build_object('$oid', h), jsonb_build_object('$oid', h) FROM (VALUES ('507f1f77bcf86cd799439011')) AS x (h);
CREATE TABLE cast_to (c24 objectid, c30 objectid, t objectid, v objectid);
INSERT INTO cast_to SELECT c24, c30, t, v FROM cast_from;
TABLE cast_to;
SELECT j::objectid = b::objectid AS json, '"507f1f77bcf86cd799439011"'::json::objectid, c24::objectid::jsonb, (b::objectid)::jsonb = b AS back FROM cast_from;
SELECT '1'::json::objectid;
SELECT to_jsonb(c24::objectid), to_json(c24::objectid) FROM cast_from;
ALTER TABLE cast_from ALTER c24 TYPE objectid, ALTER t TYPE objectid, ALTER v TYPE objectid,
    ALTER c30 TYPE objectid USING c30::objectid, ALTER j TYPE objectid USING j::objectid;
SELECT c24, t, v, c30, j FROM cast_from;
INSERT INTO cast_to (c24) VALUES (char(24) 'x');
DROP TABLE cast_from, cast_to;
