-- Import of a MongoDB export, as mongoexport or Compass writes it:
--     psql -f mongodb_import.sql < FILE
-- A second run would add to the tables of the first: drop them before.
\set ON_ERROR_STOP on

-- The lines of the file, with bytes for quotes and delimiters that JSON never has; in UTF-8,
-- whatever the encoding of the client
CREATE TABLE mongodb_line (number bigint GENERATED ALWAYS AS IDENTITY, line text);
\copy mongodb_line (line) from pstdin (format csv, encoding 'UTF8', quote E'\x01', delimiter E'\x02')

-- Its documents, and what is none
CREATE TABLE mongodb_document AS
SELECT * FROM objectid_ext_tools.extjson_documents('mongodb_line');
SELECT count(doc) AS documents, count(problem) AS problems FROM mongodb_document;
SELECT number AS line, problem FROM mongodb_document WHERE problem IS NOT NULL LIMIT 10;

-- The columns for their fields, and a table with them
SELECT * FROM objectid_ext_tools.extjson_columns('mongodb_document');
SELECT * FROM objectid_ext_tools.extjson_table_statements('mongodb_document', 'imported') \gexec

-- An ObjectId contains the time of its creation: the last twelve months that have documents
SELECT to_char((doc->'_id')::objectid::timestamptz, 'YYYY-MM') AS month, count(*) AS documents
FROM mongodb_document WHERE is_objectid(doc->'_id')
GROUP BY month ORDER BY month DESC LIMIT 12;

-- The three newest
SELECT (doc->'_id')::objectid AS _id, left((extjson_to_jsonb(doc) - '_id')::text, 64) AS document
FROM mongodb_document WHERE is_objectid(doc->'_id')
ORDER BY 1 DESC LIMIT 3;
