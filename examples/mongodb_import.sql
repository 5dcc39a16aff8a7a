-- Import of a MongoDB export, one document a line:
--     mongoexport --collection=NAME --out=FILE
--     psql -f mongodb_import.sql < FILE

-- The whole document, and its _id as a primary key of 12 bytes.
CREATE TABLE documents (
    doc jsonb NOT NULL,
    _id objectid GENERATED ALWAYS AS ((doc->'_id')::objectid) STORED PRIMARY KEY
);

-- CSV whose quote and delimiter are bytes that JSON never holds, so that each
-- line is one value with its quotes and backslashes.  Blank lines are null.
\copy documents (doc) from pstdin (format csv, quote E'\x01', delimiter E'\x02') where doc is not null

-- The ids contain the time of creation.
SELECT count(*) AS documents, min(_id)::timestamptz AS first, max(_id)::timestamptz AS last
FROM documents;

-- The last twelve months that have documents.
SELECT to_char(objectid_timestamp(_id), 'YYYY-MM') AS month, count(*) AS documents
FROM documents GROUP BY month ORDER BY month DESC LIMIT 12;

-- The three newest, without a sort: the primary key is in order of creation.
SELECT _id, left((doc - '_id')::text, 64) AS document
FROM documents ORDER BY _id DESC LIMIT 3;
