--
-- extjson_to_jsonb: Extended JSON of both versions, and what is not
--
\a \t on

SET timezone = 'America/New_York';
SET datestyle = 'German, DMY';
SET bytea_output = escape;

-- Each wrapper, and how else it could be written; without a second value it stays.
CREATE TEMP TABLE vector (n int GENERATED ALWAYS AS IDENTITY, extjson jsonb, plain jsonb);
\copy vector (extjson, plain) from stdin (delimiter E'\t', null '=')
{"$oid": "59A47286CFA9A3A73E51E72C"}	"59a47286cfa9a3a73e51e72c"
{"$oid": "59A47286CFA9A3A73E51E72"}	=
{"$oid": "59A47286CFA9A3A73E51E72CC"}	=
{"$oid": "59a47286cfa9a3a73e51e72g"}	=
{"$oid": 123456789012345678901234}	=
{"$oid": null}	=
{"$oid": {"$oid": "59a47286cfa9a3a73e51e72c"}}	=
{"$oid": "59a47286cfa9a3a73e51e72c", "x": 1}	=
{"$date": "2012-12-24T12:15:30.501Z"}	"2012-12-24T12:15:30.501+00:00"
{"$date": "2012-12-24T12:15:30Z"}	"2012-12-24T12:15:30+00:00"
{"$date": "2012-12-24T12:15:30.5Z"}	"2012-12-24T12:15:30.5+00:00"
{"$date": "2012-12-24T12:15:30.1234567Z"}	"2012-12-24T12:15:30.123457+00:00"
{"$date": "2012-12-24T12:15:30.501+0100"}	"2012-12-24T11:15:30.501+00:00"
{"$date": "2012-12-24T12:15:30.501-05:30"}	"2012-12-24T17:45:30.501+00:00"
{"$date": "2012-12-24T12:15:30.501+01"}	=
{"$date": "2012-12-24T12:15:30.501+25:00"}	=
{"$date": "2012-12-24T12:15:30.501"}	=
{"$date": "2012-12-24T12:15:30.501z"}	=
{"$date": "2012-12-24T24:00:00Z"}	=
{"$date": "2012-12-24T23:60:00Z"}	=
{"$date": "2012-12-24T23:59:60Z"}	=
{"$date": "2012-02-29T00:00:00Z"}	"2012-02-29T00:00:00+00:00"
{"$date": "2012-02-30T12:15:30Z"}	=
{"$date": "1900-02-29T12:15:30Z"}	=
{"$date": "2012-13-01T12:15:30Z"}	=
{"$date": "2012-00-01T12:15:30Z"}	=
{"$date": "2012-02-28"}	=
{"$date": "now"}	=
{"$date": ""}	=
{"$date": "0000-02-29T00:00:00Z"}	"0001-02-29T00:00:00+00:00 BC"
{"$date": "0000-01-01T00:00:00+15:59"}	"0002-12-31T08:01:00+00:00 BC"
{"$date": "9999-12-31T23:59:59.999Z"}	"9999-12-31T23:59:59.999+00:00"
{"$date": {"$numberLong": "1356351330501"}}	"2012-12-24T12:15:30.501+00:00"
{"$date": {"$numberLong": "253402300799999"}}	"9999-12-31T23:59:59.999+00:00"
{"$date": {"$numberLong": "253402300800000"}}	"10000-01-01T00:00:00+00:00"
{"$date": {"$numberLong": "-1"}}	"1969-12-31T23:59:59.999+00:00"
{"$date": {"$numberLong": "-52617600000"}}	"1968-05-02T00:00:00+00:00"
{"$date": {"$numberLong": "-62135596800001"}}	"0001-12-31T23:59:59.999+00:00 BC"
{"$date": {"$numberLong": "-210866803200000"}}	"4714-11-24T00:00:00+00:00 BC"
{"$date": {"$numberLong": "-210866803200001"}}	=
{"$date": {"$numberLong": "9224318015999999"}}	"294276-12-31T23:59:59.999+00:00"
{"$date": {"$numberLong": "9224318016000000"}}	=
{"$date": {"$numberLong": "9223372036854775807"}}	=
{"$date": {"$numberLong": "-9223372036854775808"}}	=
{"$date": {"$numberLong": "99999999999999999999"}}	=
{"$date": {"$numberLong": -5}}	"1969-12-31T23:59:59.995+00:00"
{"$date": {"$numberLong": "1.5"}}	=
{"$date": {"$numberLong": "x"}}	=
{"$date": {"$numberLong": "NaN"}}	=
{"$date": {"$numberLong": "5", "x": 1}}	{"$date": {"x": 1, "$numberLong": "5"}}
{"$date": {"$numberInt": "5"}}	=
{"$date": 1356351330501}	"2012-12-24T12:15:30.501+00:00"
{"$date": 1.5}	=
{"$date": "1356351330501"}	=
{"$date": true}	=
{"$date": []}	=
{"$numberInt": "5"}	5
{"$numberInt": 5}	5
{"$numberInt": "-0"}	0
{"$numberInt": "+7"}	7
{"$numberInt": ""}	=
{"$numberInt": "-"}	=
{"$numberInt": " 7"}	=
{"$numberInt": "7 "}	=
{"$numberInt": "0x10"}	=
{"$numberInt": "1-2"}	=
{"$numberInt": true}	=
{"$numberInt": {"$numberInt": "1"}}	=
{"$numberLong": "9223372036854775807"}	9223372036854775807
{"$numberDouble": "30.0"}	30
{"$numberDouble": 30.50}	30.5
{"$numberDouble": "-0.0"}	0
{"$numberDouble": "1.2345678921232E+18"}	1234567892123200000
{"$numberDouble": "1e-3"}	0.001
{"$numberDouble": "1.0E-5"}	0.00001
{"$numberDouble": "10.50"}	10.5
{"$numberDouble": "NaN"}	"NaN"
{"$numberDouble": "Infinity"}	"Infinity"
{"$numberDouble": "-Infinity"}	"-Infinity"
{"$numberDouble": "inf"}	=
{"$numberDouble": "nan"}	=
{"$numberDouble": "1e"}	=
{"$numberDouble": "1e+"}	=
{"$numberDouble": "1e 5"}	=
{"$numberDouble": "1e5.0"}	=
{"$numberDouble": "1.2.3"}	=
{"$numberDouble": "--1"}	=
{"$numberDouble": "e5"}	=
{"$numberDecimal": "4.50"}	4.50
{"$numberDecimal": 4.50}	4.50
{"$numberDecimal": "1E+3"}	1000
{"$numberDecimal": "0E-8"}	0.00000000
{"$numberDecimal": ".5"}	0.5
{"$numberDecimal": "1.e2"}	100
{"$numberDecimal": "."}	=
{"$numberDecimal": "1E10000"}	=
{"$numberDecimal": "1E-99999999999999999999"}	=
{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "04"}}	"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "4"}}	"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
{"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "03"}}	"\\\\x73ffd26444b34c6990e8e7d1dfc035d4"
{"$binary": {"base64": "//8=", "subType": "04"}}	"\\\\xffff"
{"$binary": {"base64": "//8=", "subType": "fF"}}	"\\\\xffff"
{"$binary": {"base64": "", "subType": "00"}}	"\\\\x"
{"$binary": {"base64": "/*8=", "subType": "00"}}	=
{"$binary": {"base64": "//8", "subType": "00"}}	=
{"$binary": {"base64": "//8=====", "subType": "00"}}	=
{"$binary": {"base64": "/=8=", "subType": "00"}}	=
{"$binary": {"base64": "//=8", "subType": "00"}}	=
{"$binary": {"base64": "====", "subType": "00"}}	=
{"$binary": {"base64": "//8=\\n", "subType": "00"}}	=
{"$binary": {"base64": "//8=", "subType": ""}}	=
{"$binary": {"base64": "//8=", "subType": "000"}}	=
{"$binary": {"base64": "//8=", "subType": "0g"}}	=
{"$binary": {"base64": "//8=", "subType": 0}}	=
{"$binary": {"base64": 5, "subType": "00"}}	=
{"$binary": {"base64": "//8=", "subType": "00", "x": 1}}	=
{"$binary": {"base64": "//8="}}	=
{"$binary": "//8="}	=
{"$binary": []}	=
{"$binary": "c//SZESzTGmQ6OfR38A11A==", "$type": "04"}	"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
{"$binary": "//8=", "$type": "0"}	"\\\\xffff"
{"$binary": "//8=", "$type": 0}	=
{"$binary": {"$symbol": "//8="}, "$type": "00"}	=
{"$binary": {"$binary": "//8=", "$type": "00"}}	=
{"$type": "string"}	=
{"$type": "a", "values": {"$numberInt": "1"}}	{"$type": "a", "values": 1}
{"$uuid": "73FFD264-44b3-4c69-90e8-e7d1dfc035d4"}	"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
{"$uuid": "73ffd26444b34c6990e8e7d1dfc035d4"}	"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
{"$uuid": "73ff-d26444b-34c6-990e8e-7d1dfc035d4"}	=
{"$uuid": "73ffd264-44b3-4c69-90e8-e7d1dfc035d"}	=
{"$symbol": "s"}	"s"
{"$symbol": ""}	""
{"$symbol": 5}	=
{"$undefined": true}	null
{"$undefined": false}	=
{"$timestamp": {"t": 4294967295, "i": 1}}	=
{"$regularExpression": {"pattern": "a", "options": "i"}}	=
{"$regex": "a", "$options": "i"}	=
{"$minKey": 1}	=
{"$maxKey": 1}	=
{"$code": "f()", "$scope": {"a": {"$numberInt": "1"}}}	{"$code": "f()", "$scope": {"a": 1}}
{"$dbPointer": {"$ref": "b", "$id": {"$oid": "56e1fc72e0c917e9c4714161"}}}	{"$dbPointer": {"$ref": "b", "$id": "56e1fc72e0c917e9c4714161"}}
{"$ref": "c", "$id": {"$oid": "56e1fc72e0c917e9c4714161"}, "$db": "d"}	{"$ref": "c", "$id": "56e1fc72e0c917e9c4714161", "$db": "d"}
{"$unknown": {"$numberInt": "1"}}	{"$unknown": 1}
{"$": 1}	=
{"": 1}	=
{}	=
[]	=
null	=
true	=
"59a47286cfa9a3a73e51e72c"	=
5	=
30.0	30
4.50	4.5
[30.0, {"a": [1.50, {"$numberInt": "1"}], "b": {"c": {}, "d": []}}]	[30, {"a": [1.5, 1], "b": {"c": {}, "d": []}}]
{"a": [{"$oid": "56e1fc72e0c917e9c4714161"}, [{"$numberLong": "2"}], {"b": {"$date": 0}}]}	{"a": ["56e1fc72e0c917e9c4714161", [2], {"b": "1970-01-01T00:00:00+00:00"}]}
\.
-- Compared as text, which shows the scale of numbers too
SELECT extjson, extjson_to_jsonb(extjson) AS got, plain FROM vector
WHERE extjson_to_jsonb(extjson)::text <> coalesce(plain, extjson)::text ORDER BY n;
SELECT count(*), count(plain) AS change FROM vector;

-- Anywhere in a document, with any neighbours
SELECT extjson FROM vector
WHERE extjson_to_jsonb(jsonb_build_array(1, extjson, jsonb_build_object('a', '{}', 'x', extjson, 'z', extjson)))::text
      <> (SELECT jsonb_build_array(1, p, jsonb_build_object('a', '{}', 'x', p, 'z', p))::text FROM coalesce(plain, extjson) AS p);
SELECT extjson_to_jsonb(jsonb_object_agg(n, extjson)) = jsonb_object_agg(n, coalesce(plain, extjson)) AS together FROM vector;

-- A second call gives the same, but for the scale of decimals.
SELECT extjson FROM vector WHERE extjson_to_jsonb(extjson_to_jsonb(extjson)) <> extjson_to_jsonb(extjson);
SELECT extjson_to_jsonb(extjson_to_jsonb('{"$numberDecimal": "4.50"}'));
-- Longer than any of MongoDB's numbers
SELECT length(v::text), jsonb_typeof(extjson_to_jsonb(v)) FROM (SELECT jsonb_build_object('$numberDecimal', repeat('1', n)) FROM (VALUES (400), (401)) AS n (n)) AS s (v);

-- The input functions of the types read them.
CREATE TEMP TABLE typed (o objectid, i int, b bigint, d float8, e float8, f float8, n numeric, m numeric,
                         u uuid, y bytea, t timestamptz, z timestamptz, a objectid[]);
INSERT INTO typed
SELECT r.* FROM jsonb_populate_record(NULL::typed, extjson_to_jsonb('{
    "o": {"$oid": "59A47286cfa9a3a73e51e72c"}, "i": {"$numberDouble": "30.0"}, "b": {"$numberLong": "-9223372036854775808"},
    "d": {"$numberDouble": "1.7976931348623157E+308"}, "e": {"$numberDouble": "5E-324"}, "f": {"$numberDouble": "-Infinity"},
    "n": {"$numberDecimal": "9.999999999999999999999999999999999E+6144"}, "m": {"$numberDecimal": "NaN"},
    "u": {"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "04"}}, "y": {"$binary": {"base64": "3q0=", "subType": "00"}},
    "t": {"$date": {"$numberLong": "-210866803200000"}}, "z": {"$date": {"$numberLong": "9224318015999999"}},
    "a": [{"$oid": "59a47286cfa9a3a73e51e72c"}, null]}')) AS r;
SET bytea_output = hex;
SET timezone = 'UTC';
SET datestyle = 'ISO';
SELECT o, i, b, d, e, f, length(n::text), m, u, y, t, z, a FROM typed;
-- Milliseconds are exact where doubles are not.
SELECT count(*) AS wrong FROM (SELECT 253370764800000 + 1234567::bigint * i AS ms FROM generate_series(0, 1999) AS i) AS s
WHERE (extract(epoch FROM (extjson_to_jsonb(format('{"d": {"$date": {"$numberLong": "%s"}}}', ms)::jsonb) ->> 'd')::timestamptz) * 1000)::bigint <> ms;

-- In a generated column and an index
CREATE TEMP TABLE document (doc jsonb, plain jsonb GENERATED ALWAYS AS (extjson_to_jsonb(doc)) STORED);
CREATE INDEX document_n ON document (((extjson_to_jsonb(doc) ->> 'n')::int));
INSERT INTO document SELECT jsonb_build_object('n', jsonb_build_object('$numberDouble', i || '.0')) FROM generate_series(1, 300) AS i;
SET enable_seqscan = off;
EXPLAIN (COSTS off) SELECT plain FROM document WHERE (extjson_to_jsonb(doc) ->> 'n')::int = 30;
SELECT plain FROM document WHERE (extjson_to_jsonb(doc) ->> 'n')::int = 30;
RESET enable_seqscan;
SELECT extjson_to_jsonb(NULL);

-- Compressed and out of line; a depth that the parser reaches, and one beyond that of the stack
CREATE TEMP TABLE large (doc jsonb);
INSERT INTO large SELECT jsonb_build_object('a', jsonb_agg(jsonb_build_object('$numberInt', i::text)), 's', repeat('s', 5000))
FROM generate_series(1, 20000) AS i;
SELECT jsonb_array_length(extjson_to_jsonb(doc) -> 'a'), extjson_to_jsonb(doc) #>> '{a,19999}' AS last, length(doc ->> 's') FROM large;
SELECT length(extjson_to_jsonb((repeat('{"a":', 1000) || '{"$numberInt": "1"}' || repeat('}', 1000))::jsonb)::text) AS deep;
CREATE TEMP TABLE deep AS SELECT (repeat('[', 5000) || repeat(']', 5000))::jsonb AS doc;
SET max_stack_depth = '100kB';
\set VERBOSITY terse
SELECT extjson_to_jsonb(doc) FROM deep;
