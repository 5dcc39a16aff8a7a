--
-- Text input and output: every accepted spelling
--
\a \t on

CREATE TEMP TABLE input_spelling (no int, spelling text);
INSERT INTO input_spelling VALUES
    ( 1, '507f1f77bcf86cd799439011'),
    ( 2, '507F1F77BCF86CD799439011'),
    ( 3, '507f1F77BcF86Cd799439011'),
    ( 4, 'ObjectId("507f1f77bcf86cd799439011")'),
    ( 5, 'ObjectId("507F1F77BCF86CD799439011")'),
    ( 6, 'ObjectId(''507f1f77bcf86cd799439011'')'),
    ( 7, 'ObjectId(''507F1F77BCF86CD799439011'')'),
    ( 8, 'ObjectId(507f1f77bcf86cd799439011)'),
    ( 9, 'ObjectId(507F1F77BCF86CD799439011)'),
    (10, '"507f1f77bcf86cd799439011"'),
    (11, '"507F1F77BCF86CD799439011"'),
    (12, '{"$oid":"507f1f77bcf86cd799439011"}'),
    (13, '{"$oid":"507F1F77BCF86CD799439011"}'),
    -- blanks between the tokens in the braces: each gap, all gaps, each character
    (14, '{ "$oid":"507f1f77bcf86cd799439011"}'),
    (15, '{"$oid" :"507f1f77bcf86cd799439011"}'),
    (16, '{"$oid": "507f1f77bcf86cd799439011"}'),
    (17, '{"$oid":"507f1f77bcf86cd799439011" }'),
    (18, '{ "$oid" : "507F1F77BCF86CD799439011" }'),
    (19, '{   "$oid"   :   "507f1f77bcf86cd799439011"   }'),
    (20, E'{\t"$oid"\t:\t"507f1f77bcf86cd799439011"\t}'),
    (21, E'{\n"$oid"\n:\n"507f1f77bcf86cd799439011"\n}'),
    (22, E'{\r\n  "$oid":\r\n  "507f1f77bcf86cd799439011"\r\n}');

SELECT no, spelling::objectid AS id,
       spelling::objectid = '507f1f77bcf86cd799439011' AS equal
  FROM input_spelling ORDER BY no;

-- Since PostgreSQL 16, soft errors can be queried.
CREATE FUNCTION pg_temp.is_valid(value text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    result boolean := true;
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT pg_input_is_valid($1, ''objectid'')' INTO result USING value;
    END IF;
    RETURN result;
END $$;

SELECT count(*) AS not_valid FROM input_spelling WHERE NOT pg_temp.is_valid(spelling);

-- Each digit in either case at each of the 24 positions, against bytea
SELECT count(*) AS inputs,
       count(*) FILTER (WHERE objectid_to_bytea(digits::objectid) <> decode(digits, 'hex')) AS wrong,
       count(*) FILTER (WHERE digits::objectid::text <> lower(digits)) AS wrong_output
  FROM (SELECT overlay('507f1f77bcf86cd799439011' PLACING digit FROM pos) AS digits
          FROM generate_series(1, 24) AS pos,
               unnest(string_to_array('0123456789abcdefABCDEF', NULL)) AS digit) AS s;

-- Ends of the range
SELECT '000000000000000000000000'::objectid AS lowest,
       'ffffffffffffffffffffffff'::objectid AS highest,
       'FFFFFFFFFFFFFFFFFFFFFFFF'::objectid AS highest_upper;

-- As a literal without a cast, a parameter, an array element, a field of a row
SELECT objectid '507F1F77BCF86CD799439011' = '507f1f77bcf86cd799439011' AS literal;
PREPARE input_parameter(objectid) AS SELECT $1 AS parameter;
EXECUTE input_parameter('ObjectId("507f1f77bcf86cd799439011")');
SELECT '{507F1F77BCF86CD799439011, "ObjectId(\"507f1f77bcf86cd799439012\")", NULL, "{\"$oid\":\"507f1f77bcf86cd799439013\"}"}'::objectid[] AS elements;
CREATE TYPE pg_temp.input_row AS (n int, id objectid);
SELECT '(1,507F1F77BCF86CD799439011)'::pg_temp.input_row AS field;

-- COPY, text and CSV, each way
CREATE TEMP TABLE input_copy (id objectid);
COPY input_copy FROM STDIN;
507f1f77bcf86cd799439011
507F1F77BCF86CD799439012
ObjectId("507f1f77bcf86cd799439013")
{ "$oid": "507f1f77bcf86cd799439014" }
\N
\.
COPY input_copy FROM STDIN (FORMAT csv);
507f1f77bcf86cd799439015
"507f1f77bcf86cd799439016"
"""507f1f77bcf86cd799439017"""
"{""$oid"":""507f1f77bcf86cd799439018""}"
\.
COPY input_copy TO STDOUT;
COPY (SELECT id FROM input_copy WHERE id IS NOT NULL) TO STDOUT (FORMAT csv);

-- Output is valid input for the same value.
SELECT count(*) AS ids, count(*) FILTER (WHERE id::text::objectid <> id) AS changed
  FROM (SELECT substr(decode(md5(i::text), 'hex'), 1, 12)::objectid AS id
          FROM generate_series(1, 10000) AS i) AS s;

-- JSON and row output have the digits, too.
SELECT to_json('507f1f77bcf86cd799439011'::objectid) AS json,
       json_build_object('_id', '507f1f77bcf86cd799439011'::objectid) AS object;

-- What is wrong is said where it can be.
CREATE FUNCTION pg_temp.what(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    detail text;
BEGIN
    RETURN value::objectid;
EXCEPTION WHEN invalid_text_representation THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
    RETURN detail;
END $$;
SELECT value, pg_temp.what(value) FROM unnest(ARRAY['', '507f1f77bcf86cd79943901', '507f1f77bcf86cd7994390111', '0x507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011',
    ' 507f1f77bcf86cd799439011', E'507f1f77bcf86cd799439011\n', 'ObjectID("507f1f77bcf86cd799439011")', 'objectid(507f1f77bcf86cd799439011)', '507f1f77bcf86cd79943901g',
    'o07f1f77bcf86cd799439011', 'ObjectId("507f1f77bcf86cd79943901")']) AS value;
