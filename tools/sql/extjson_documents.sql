--
-- Documents in the lines of files as mongoexport, Compass and other programs write them
--
\a \t on

CREATE SCHEMA import;
SET search_path = import, public;

-- Fifty documents, with all in their strings that has a meaning outside of them
CREATE TABLE document (n int, doc jsonb);
INSERT INTO document
SELECT n, jsonb_build_object(
    '_id', jsonb_build_object('$oid', '59a47286cfa9a3a73e51e7' || lpad(to_hex(n), 2, '0')), 'n', jsonb_build_object('$numberInt', n::text),
    's', (ARRAY['plain', '},{', '"quoted" \ back\\', '[{', '}, {', ' {"a": 1} ', 'é☆', 'ends with \', '{', '}', ']', E'tab\tnew\nline'])[1 + n % 12],
    'array', CASE WHEN n % 2 = 0 THEN '[]' ELSE jsonb '[{"x": 1, "y": [{"z": {}}]}, {"x": 2}]' END, 'object', jsonb '{"a": {"b": [{"c": 5}]}}',
    'empty', '{}'::jsonb, 'nested', jsonb '[[1, 2], ["}", {"k": "]"}]]')
FROM generate_series(1, 50) AS n;

-- A file of the documents, given as one line each and as several
CREATE FUNCTION layout(name text, line text[], pretty text[]) RETURNS text LANGUAGE sql AS $$
    SELECT CASE name
        WHEN 'lines' THEN array_to_string(line, E'\n')
        WHEN 'byte order mark, CRLF' THEN U&'\FEFF' || array_to_string(line, E'\r\n') || E'\r\n'
        WHEN 'array in a line' THEN '[' || array_to_string(line, ',') || ']'
        WHEN 'array of lines' THEN '[' || array_to_string(line, E',\n') || E']\n'
        WHEN 'array, comma first' THEN E'[\n  ' || array_to_string(line, E'\n, ') || E'\n]'
        WHEN 'pretty' THEN array_to_string(pretty, E'\n') || E'\n\n'
        WHEN 'pretty array' THEN '[' || array_to_string(pretty, E',\n') || E']\n'
        WHEN 'byte order mark, CRLF, pretty array' THEN replace(U&'\FEFF[' || array_to_string(pretty, E',\n') || E']\n', E'\n', E'\r\n')
        WHEN 'indented array' THEN E'[\n' || array_to_string(ARRAY(SELECT regexp_replace(p, '^', '  ', 'ng') FROM unnest(pretty) AS p), E',\n') || E'\n]\n'
        WHEN 'brackets together' THEN '[ ' || array_to_string(pretty, ', ') || ' ]'
        WHEN 'all indented' THEN regexp_replace(array_to_string(pretty, E'\n'), '^', E' \t', 'ng') END
$$;
CREATE TABLE layout_name (n serial, name text);
INSERT INTO layout_name (name) VALUES ('lines'), ('byte order mark, CRLF'), ('array in a line'), ('array of lines'), ('array, comma first'), ('pretty'),
    ('pretty array'), ('byte order mark, CRLF, pretty array'), ('indented array'), ('brackets together'), ('all indented');

CREATE TABLE line (number bigint GENERATED ALWAYS AS IDENTITY, line text);
CREATE FUNCTION write_lines(file text) RETURNS void LANGUAGE sql AS $$
    TRUNCATE line RESTART IDENTITY;
    INSERT INTO line (line) SELECT string_to_table(file, E'\n');
$$;
CREATE FUNCTION read_back(OUT documents bigint, OUT right_documents bigint, OUT problems bigint) LANGUAGE sql AS $$
    SELECT count(d.doc), count(document.n), count(problem) FROM objectid_ext_tools.extjson_documents('line') AS d LEFT JOIN document USING (doc)
$$;
CREATE TABLE result (layout text, damage text, documents bigint, right_documents bigint, problems bigint);
DO $$
DECLARE
    l text;
BEGIN
    FOR l IN SELECT name FROM layout_name ORDER BY n LOOP
        PERFORM write_lines((SELECT layout(l, array_agg(doc::text ORDER BY n), array_agg(jsonb_pretty(doc) ORDER BY n)) FROM document));
        INSERT INTO result SELECT l, 'none', * FROM read_back();
    END LOOP;
END $$;
SELECT layout, documents, right_documents, problems FROM result;

-- Damaged as files are
CREATE FUNCTION damaged(doc text, damage text) RETURNS text LANGUAGE sql AS $$
    SELECT CASE damage
        WHEN 'null character' THEN replace(doc, '"s": "', '"s": "\u0000')
        WHEN 'half a surrogate pair' THEN replace(doc, '"s": "', '"s": "\ud83d')
        WHEN 'control character' THEN replace(doc, '"s": "', E'"s": "\x07')
        WHEN 'NaN' THEN replace(doc, '"empty": {', '"empty": NaN, "x": {')
        WHEN 'ObjectId()' THEN regexp_replace(doc, '\{\s*"\$oid": ("\w+")\s*\}', 'ObjectId(\1)')
        WHEN 'quote is missing' THEN replace(doc, '"n":', '"n:')
        WHEN 'single quotes' THEN replace(doc, '"n":', '''n'':')
        WHEN 'bracket too many' THEN doc || '}'
        WHEN 'cut off' THEN left(doc, 2 * length(doc) / 3) END
$$;
CREATE TABLE damage_name (n serial, name text);
INSERT INTO damage_name (name) VALUES ('null character'), ('half a surrogate pair'), ('control character'), ('NaN'), ('ObjectId()'), ('quote is missing'),
    ('single quotes'), ('bracket too many'), ('cut off');
-- The fifth document, the tenth, …; a document that is cut off takes the next along only where that begins in its line.
CREATE VIEW damaged_document AS
SELECT d.n, name, coalesce(damaged(doc::text, name), doc::text) AS line, coalesce(damaged(jsonb_pretty(doc), name), jsonb_pretty(doc)) AS pretty
FROM document AS d LEFT JOIN damage_name AS k ON d.n = 5 * k.n;
SELECT write_lines((SELECT string_agg(line, E'\n' ORDER BY n) FROM damaged_document));
SELECT d.number, name, d.doc IS NULL AS no_document, problem FROM objectid_ext_tools.extjson_documents('line') AS d JOIN damaged_document ON n = number WHERE name IS NOT NULL;
DO $$
DECLARE
    l text;
BEGIN
    FOR l IN SELECT name FROM layout_name WHERE name <> 'array in a line' ORDER BY n LOOP
        PERFORM write_lines((SELECT layout(l, array_agg(line ORDER BY n), array_agg(pretty ORDER BY n)) FROM damaged_document));
        INSERT INTO result SELECT l, 'all', * FROM read_back();
    END LOOP;
END $$;
SELECT layout, documents, right_documents, problems FROM result WHERE damage = 'all';
-- The documents of an array in one line are read one by one if it is JSON.
SELECT write_lines('[{"a": 1}, {"a": "\u0000"}, {"a": 3}, [], {"a": "\ud800"}]');
SELECT * FROM objectid_ext_tools.extjson_documents('line');
SELECT write_lines('[{"a": 1}, {"a": NaN}]');
SELECT * FROM objectid_ext_tools.extjson_documents('line');

-- Null characters are removed as docs/from-mongodb.md says, and nothing else.
SELECT regexp_replace(line, '(?<!\\)((\\\\)*)\\u0000', '\1', 'g') FROM (VALUES ('"\u0000a\u0000\u0000 \\u0000 \\\u0000 \\\\u0000"')) AS l (line);

-- What is no document
SELECT write_lines(E'\n \t\n[\n]\n,\n[]\n5\n"text"\nnull\n[1, {"a": 2}]\nfoo [bar {\n_id,name\n1,2\n{"a": 1}{"b": 2}\n{}\n{"a": 1}, {"b": 2}\n{"a": [');
INSERT INTO line (line) VALUES (NULL);
SELECT number, doc, split_part(problem, ': ', 1) AS problem FROM objectid_ext_tools.extjson_documents('line');
SELECT write_lines(format('{"a": %s1%s}', repeat('[', 100000), repeat(']', 100000)) || E'\n{"b": 1e200000}\n{"c": 3}');
SELECT number, doc, problem FROM objectid_ext_tools.extjson_documents('line');
TRUNCATE line;
SELECT * FROM objectid_ext_tools.extjson_documents('line');
\set VERBOSITY sqlstate
SELECT * FROM objectid_ext_tools.extjson_documents('document');
SELECT * FROM objectid_ext_tools.extjson_documents(NULL);

-- Any table or view of lines; the numbers give the order
CREATE VIEW "Lines" AS SELECT -n AS number, '{"n":' || n || '}' AS line FROM generate_series(1, 3) AS n;
SELECT * FROM objectid_ext_tools.extjson_documents('"Lines"');
-- Lines without a number come last, in any order, and none is lost.
CREATE VIEW half_numbered AS SELECT CASE n % 2 WHEN 0 THEN -n END AS number, '{"n": ' || n || ', "open": {' AS line FROM generate_series(1, 1000) AS n;
SELECT count(doc), count(problem) FROM objectid_ext_tools.extjson_documents('half_numbered');

SET client_min_messages = warning;
DROP SCHEMA import CASCADE;
