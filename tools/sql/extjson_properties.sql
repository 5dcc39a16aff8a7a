--
-- Random documents: the table that is proposed takes all values, and loses none.  Faults in the
-- functions that propose it are found.
--
\a \t on

SET client_min_messages = error;
SET jit = off;
SET timezone = 'UTC';
SELECT setseed(0.41)::text = '' AS seeded;

CREATE TEMP TABLE sample (n int GENERATED ALWAYS AS IDENTITY, value jsonb);
\copy sample (value) from stdin (format csv, quote E'\x01', delimiter E'\x02')
{"$oid": "59A47286cfa9a3a73e51e72c"}
{"$oid": "59a47286cfa9a3a73e51e72d"}
{"$oid": "59a47286cfa9a3a73e51e72"}
{"$date": "2012-12-24T12:15:30.501Z"}
{"$date": {"$numberLong": "-52617600000"}}
{"$date": {"$numberLong": "9223372036854775807"}}
{"$date": {"$numberLong": "253402300800000"}}
{"$date": 1356351330501}
{"$numberInt": "5"}
{"$numberInt": "2147483647"}
{"$numberInt": "-2147483648"}
{"$numberLong": "2147483648"}
{"$numberLong": "9223372036854775807"}
{"$numberLong": "-9223372036854775808"}
{"$numberLong": "5"}
{"$numberDouble": "30.0"}
{"$numberDouble": "0.1"}
{"$numberDouble": "1.7976931348623157E+308"}
{"$numberDouble": "5e-324"}
{"$numberDouble": "1E+400"}
{"$numberDouble": "1E-400"}
{"$numberDouble": "-0.0"}
{"$numberDouble": "NaN"}
{"$numberDouble": "-Infinity"}
{"$numberDecimal": "4.50"}
{"$numberDecimal": "1E+6144"}
{"$numberDecimal": "1E-6176"}
{"$numberDecimal": "NaN"}
{"$numberDecimal": "Infinity"}
5
5.0
5.25
0.12345678901234567890
99999999999999999999
1e300
1e400
"5"
"text"
""
"\\x00"
"59a47286cfa9a3a73e51e72c"
"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
"$oid"
"now"
{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "04"}}
{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "03"}}
{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11UU=", "subType": "04"}}
{"$binary": {"base64": "//8=", "subType": "00"}}
{"$binary": "//8=", "$type": "00"}
{"$uuid": "73FFD264-44b3-4c69-90e8-e7d1dfc035d4"}
true
false
null
{"$undefined": true}
{"$undefined": false}
{"$symbol": "s"}
{"$timestamp": {"t": 1, "i": 1}}
{"$minKey": 1}
{"$ref": "c", "$id": {"$oid": "56e1fc72e0c917e9c4714161"}}
{"a": {"$numberInt": "5"}}
{}
[]
[null]
[{"$oid": "59a47286cfa9a3a73e51e72c"}]
[{"$oid": "59a47286cfa9a3a73e51e72c"}, null, {"$oid": "59A47286cfa9a3a73e51e72d"}]
[[{"$oid": "59a47286cfa9a3a73e51e72c"}]]
[{"$oid": "59a4"}]
["59a47286cfa9a3a73e51e72c"]
[{"$oid": "59a47286cfa9a3a73e51e72c"}, "59a47286cfa9a3a73e51e72d"]
[1, {"$numberInt": "2"}]
\.

CREATE FUNCTION pg_temp.any_of(choices anyarray) RETURNS anyelement LANGUAGE sql AS $$
    SELECT choices[1 + floor(random() * cardinality(choices))::int]
$$;
-- Documents with ids of one type or several, and some fields, each with values of one to four samples
CREATE FUNCTION pg_temp.random_documents() RETURNS SETOF jsonb LANGUAGE plpgsql AS $$
DECLARE
    id_types text[] := string_to_array(pg_temp.any_of('{oid,"oid int string","int double",string,"oid string","uuid string oid","int missing","oid twice"}'::text[]), ' ');
    fields jsonb := '{}';
    doc jsonb;
BEGIN
    FOR f IN 1 .. 1 + floor(random() * 8) LOOP
        fields := fields || jsonb_build_object(
            pg_temp.any_of(ARRAY['a', 'b', 'C', 'sel ect', '"q"', 'é', repeat('x', 63), repeat('x', 64), repeat('é', 32), '', 'ctid', 'oid', 'select', '$x', 'a.b', 'doc', 'd', 'r']),
            (SELECT jsonb_agg(value) FROM (SELECT value FROM sample ORDER BY random() LIMIT 1 + floor(random() * 4)) AS s));
    END LOOP;
    FOR i IN 1 .. 1 + floor(random() * 12) LOOP
        SELECT coalesce(jsonb_object_agg(key, value -> floor(random() * jsonb_array_length(value))::int), '{}') INTO doc
        FROM jsonb_each(fields) WHERE random() < 0.8;
        RETURN NEXT doc || CASE pg_temp.any_of(id_types)
            WHEN 'oid' THEN jsonb_build_object('_id', jsonb_build_object('$oid', lpad(i::text, 24, '0')))
            WHEN 'int' THEN jsonb_build_object('_id', jsonb_build_object('$numberInt', i::text))
            WHEN 'double' THEN jsonb_build_object('_id', jsonb_build_object('$numberDouble', i || '.0'))
            WHEN 'string' THEN jsonb_build_object('_id', pg_temp.any_of(ARRAY[(i - 1)::text, lpad((i - 1)::text, 24, '0'), lpad(i::text, 32, '0')::uuid::text]))
            WHEN 'uuid' THEN jsonb_build_object('_id', jsonb_build_object('$uuid', lpad((i - 1)::text, 32, '0')))
            WHEN 'twice' THEN jsonb_build_object('_id', jsonb_build_object('$oid', repeat('f', 24)))
            ELSE '{}' END;
    END LOOP;
END $$;

-- Which values of a column are not those of the documents?  Numbers must be the same, whatever the type.
CREATE FUNCTION pg_temp.differences(field text, type text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    source text := format(CASE
        WHEN type IN ('int', 'bigint', 'float8', 'numeric') THEN '(plain ->> %L)::numeric'
        WHEN type = 'objectid[]' THEN 'CASE jsonb_typeof(plain -> %L) WHEN ''array'' THEN ARRAY(SELECT jsonb_array_elements_text(plain -> %1$L))::objectid[] END'
        WHEN field = '_id' AND type = 'jsonb' THEN 'CASE jsonb_typeof(plain -> %L) WHEN ''number'' THEN plain -> %1$L ELSE doc -> %1$L END'
        WHEN type = 'jsonb' THEN 'nullif(plain -> %L, ''null'')'
        ELSE '(plain ->> %L)::' || type END, field);
    target text := format(CASE WHEN type IN ('int', 'bigint', 'float8', 'numeric') THEN '%I::text::numeric' ELSE '%I' END, field);
    result bigint;
BEGIN
    EXECUTE format('WITH source AS (SELECT %1$s FROM plain_document), target AS (SELECT %2$s FROM target)
        SELECT count(*) FROM ((TABLE source EXCEPT ALL TABLE target) UNION ALL (TABLE target EXCEPT ALL TABLE source)) AS d', source, target) INTO result;
    RETURN result;
END $$;

-- What is wrong with the table for these documents.  The error at the end rolls all back.
CREATE FUNCTION pg_temp.fault(docs jsonb[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    statement text;
    c record;
    is_key boolean;
BEGIN
    CREATE TEMP TABLE document AS SELECT unnest(docs) AS doc;
    CREATE TEMP TABLE plain_document AS SELECT doc, extjson_to_jsonb(doc) AS plain FROM document;
    FOR statement IN SELECT * FROM objectid_ext_tools.extjson_table_statements('pg_temp.document', 'pg_temp.target') LOOP
        EXECUTE statement;
    END LOOP;
    -- an _id in each document, and no two the same
    is_key := (SELECT count(*) = count(DISTINCT CASE jsonb_typeof(plain -> '_id') WHEN 'number' THEN plain -> '_id' WHEN 'null' THEN NULL ELSE doc -> '_id' END)
               FROM plain_document);
    IF is_key <> EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'pg_temp.target'::regclass AND contype = 'p') THEN
        RAISE 'primary key';
    END IF;
    FOR c IN SELECT * FROM objectid_ext_tools.extjson_columns('pg_temp.document') LOOP
        IF c.name = '_id' AND is_key = coalesce(c.problem LIKE '%no primary key%', false) THEN
            RAISE 'problem of the primary key';
        ELSIF c.present <> (SELECT count(*) FROM document WHERE doc ? c.name) OR c.nulls <> (SELECT count(*) FROM plain_document WHERE plain -> c.name = 'null') THEN
            RAISE 'numbers of %', c.name;
        ELSIF c.problem NOT LIKE 'cannot be the name%' IS NOT FALSE AND pg_temp.differences(c.name, c.type) > 0 THEN
            RAISE 'values of %', c.name;
        END IF;
    END LOOP;
    RAISE 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN nullif(sqlerrm, 'none');
END $$;

-- The environment variable FUZZ_CALLS sets the number of documents, of which a round has six and a half.
\set calls 400
\getenv calls FUZZ_CALLS
CREATE TEMP TABLE round AS SELECT array_agg(doc) AS docs FROM generate_series(1, :calls / 6.5) AS n, pg_temp.random_documents() AS doc GROUP BY n;
SELECT count(*) > 0 AS many FROM round;
SELECT f, docs FROM round, pg_temp.fault(docs) AS f WHERE f IS NOT NULL LIMIT 3;

-- A change of a function, and values of a field that find it
CREATE TEMP TABLE planted (n serial, function regproc, code text, changed text, field text, value jsonb);
INSERT INTO planted (function, code, changed, field, value) VALUES
    ('objectid_ext_tools._extjson_kinds', ' 2147483647', ' 2147483648', 'a', '[{"$numberLong": "2147483648"}]'),
    ('objectid_ext_tools._extjson_kinds', '-2147483648', '-2147483649', 'a', '[{"$numberLong": "-2147483649"}]'),
    ('objectid_ext_tools._extjson_kinds', ' 9223372036854775807', ' 9223372036854775808', 'a', '[9223372036854775808]'),
    ('objectid_ext_tools._extjson_kinds', '1.7976931348623157e308', '1e999', 'a', '[{"$numberDouble": "1E+400"}]'),
    ('objectid_ext_tools._extjson_kinds', 'BETWEEN 5e-324', 'BETWEEN 1e-999', 'a', '[{"$numberDouble": "1E-400"}]'),
    ('objectid_ext_tools._extjson_kinds', '<= 17', '<= 30', 'a', '[0.12345678901234567890]'),
    ('objectid_ext_tools._extjson_kinds', '"$date": "timestamptz"', '"$date": "uuid"', 'a', '[{"$date": 0}]'),
    ('objectid_ext_tools._extjson_kinds', '"$numberDouble": "float8"', '"$numberDouble": "int"', 'a', '[{"$numberDouble": "NaN"}]'),
    ('objectid_ext_tools._extjson_kinds', 'chr(92)', 'chr(93)', 'a', '[{"$binary": {"base64": "//8=", "subType": "00"}}]'),
    ('objectid_ext_tools._extjson_kinds', 'NOT e ? ''$oid''', 'false', 'a', '[[{"$date": 0}]]'),
    ('objectid_ext_tools._extjson_kinds', 'jsonb_typeof(e) <> ''object''', 'jsonb_typeof(e) = ''array''', 'a', '[["$oid"]]'),
    ('objectid_ext_tools._extjson_type', '{int,float8}', '{int,bigint,float8}', 'a', '[9223372036854775807, 0.5]'),
    ('objectid_ext_tools._extjson_type', '{boolean}', '{boolean,text}', 'a', '["x", true]'),
    ('objectid_ext_tools._extjson_type', '{uuid}', '{uuid,text}', 'a', '["x", {"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}]'),
    ('objectid_ext_tools._extjson_fields', 'octet_length(f.name) < 64', 'length(f.name) < 64', repeat('é', 32), '[1]'),
    ('objectid_ext_tools._extjson_fields', 'f.name <> ''''', 'true', '', '[1]'),
    ('objectid_ext_tools._extjson_fields', 'attnum < 0', 'attnum < -9', 'ctid', '[1]'),
    ('objectid_ext_tools._extjson_key', 'NOT is_mixed', 'true', '_id', '[{"$oid": "59a47286cfa9a3a73e51e72c"}, "59a47286cfa9a3a73e51e72c"]'),
    ('objectid_ext_tools._extjson_key_problem', 'n > 1', 'n > 2', '_id', '[1, 1.0]'),
    ('objectid_ext_tools._extjson_key_problem', 'IS NULL', 'IS NULL AND false', '_id', '[1, null]'),
    ('objectid_ext_tools.extjson_table_statements', 'IF key_is_mixed', 'IF false', '_id', '[5, {"$oid": "59a47286cfa9a3a73e51e72c"}]');
CREATE FUNCTION pg_temp.with_change(function regproc, code text, changed text, docs jsonb[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    whole text := pg_get_functiondef(function);
    fault text;
BEGIN
    IF strpos(whole, code) = 0 THEN
        RETURN NULL;
    END IF;
    EXECUTE replace(whole, code, changed);
    fault := pg_temp.fault(docs);
    EXECUTE whole;
    RETURN fault;
END $$;
SELECT function, code, without FROM (
    SELECT *, pg_temp.fault(docs) AS without, pg_temp.with_change(function, code, changed, docs) AS changed_fault
    FROM planted, LATERAL (SELECT ARRAY(SELECT jsonb_build_object('n', 1, field, v) FROM jsonb_array_elements(value) AS v)) AS d (docs)) AS s
WHERE without IS NOT NULL OR changed_fault IS NULL ORDER BY n;
SELECT count(*) AS planted FROM planted;
-- and random documents find one
DO $$
DECLARE
    whole text := pg_get_functiondef('objectid_ext_tools._extjson_type'::regproc);
BEGIN
    EXECUTE replace(whole, '{int,bigint,float8,numeric}', '{int,bigint,float8,numeric,text}');
    FOR round IN 1 .. 10000 LOOP
        EXIT WHEN pg_temp.fault(ARRAY(SELECT pg_temp.random_documents())) IS NOT NULL;
        ASSERT round < 10000, 'is not found';
    END LOOP;
    EXECUTE whole;
END $$;
