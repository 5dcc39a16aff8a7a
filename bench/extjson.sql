-- Documents of MongoDB: to plain JSON, beside their text form; and from the lines of a
-- file.  bench/run sets :rows and :runs.

CREATE EXTENSION IF NOT EXISTS objectid_ext_tools;

-- A few large values, and many small ones
CREATE UNLOGGED TABLE theater AS
SELECT format('{"_id":{"$oid":"%s"},"theaterId":{"$numberInt":"%s"},"location":{"address":{"street1":"%1$s W Market","city":"Bloomington",'
              '"state":"MN","zipcode":"55425"},"geo":{"type":"Point","coordinates":[{"$numberDouble":"-%s.24565"},{"$numberDouble":"44.85466"}]}}}',
              gen_objectid(), i, i % 180)::jsonb AS doc
FROM generate_series(1, :rows) AS i;
CREATE UNLOGGED TABLE customer AS
SELECT format('{"_id":{"$oid":"%s"},"username":"user%2$s","name":"Name %2$s","address":"%2$s Street","birthdate":{"$date":{"$numberLong":"%s"}},'
              '"email":"user%2$s@example.com","active":true,"accounts":[{"$numberInt":"%2$s"},{"$numberInt":"%2$s"},{"$numberInt":"%2$s"}],'
              '"tiers":{"0df078f33aa74a2e9696e0520c1a828a":{"tier":"Bronze","active":true,"benefits":["sports tickets"]}}}',
              gen_objectid(), i, i * 86400000::bigint)::jsonb AS doc
FROM generate_series(1, :rows) AS i;
CREATE UNLOGGED TABLE document_line AS
SELECT row_number() OVER () AS number, doc::text AS line FROM (SELECT doc FROM theater UNION ALL SELECT doc FROM customer) AS d;
VACUUM ANALYZE theater, customer, document_line;

INSERT INTO contestant (subject, name, statement)
SELECT 'extjson', format('%s, %s', tab, call), format('SELECT count(%s) FROM %I', call, tab)
FROM unnest('{theater,customer}'::text[]) WITH ORDINALITY AS t (tab, i), unnest('{doc::text,extjson_to_jsonb(doc)}'::text[]) WITH ORDINALITY AS c (call, j) ORDER BY i, j;
CALL measure('extjson', 0, :runs);
CALL report_times('extjson');
INSERT INTO target (subject, metric, a, relation, bound, b)
SELECT 'extjson', 'processor time, ms', tab || ', extjson_to_jsonb(doc)', '<=', 1.3, tab || ', doc::text' FROM unnest('{theater,customer}'::text[]) AS tab;

INSERT INTO contestant (subject, name, statement) VALUES
    ('extjson_documents', 'extjson_documents', 'SELECT count(doc) FROM objectid_ext_tools.extjson_documents(''document_line'')');
CALL measure('extjson_documents', 0, :runs);
INSERT INTO figure (subject, metric, name, round, value)
SELECT 'extjson_documents', 'documents a second of processor time', v.name, round, value
FROM measurement, LATERAL (VALUES ('extjson_documents', 2000.0 * :rows / processor), ('limit', 40000)) AS v (name, value)
WHERE subject = 'extjson_documents' ORDER BY v.name, round;
INSERT INTO target (subject, metric, a, relation, bound, b) VALUES
    ('extjson_documents', 'documents a second of processor time', 'extjson_documents', '>=', 1, 'limit');
