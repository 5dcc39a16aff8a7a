--
-- Text input: invalid values, and their error messages
--

\pset format unaligned

-- The error for a value: "SQLSTATE: message", DETAIL, HINT.  Since PostgreSQL 16,
-- the soft error must be the same, and pg_input_is_valid() false.
CREATE FUNCTION pg_temp.refusal(value text, OUT error text, OUT detail text, OUT hint text)
LANGUAGE plpgsql AS $$
DECLARE
    state text;
    message text;
    agrees boolean;
BEGIN
    BEGIN
        error := 'ACCEPTED: ' || value::objectid;
        RETURN;
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
            detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    END;
    error := state || ': ' || message;
    IF current_setting('server_version_num')::int >= 160000 THEN
        EXECUTE 'SELECT NOT pg_input_is_valid($1, ''objectid'')
                        AND i.sql_error_code = $2 AND i.message = $3
                        AND coalesce(i.detail, '''') = $4 AND coalesce(i.hint, '''') = $5
                   FROM pg_input_error_info($1, ''objectid'') AS i'
           INTO agrees USING value, state, message, detail, hint;
        IF agrees IS NOT TRUE THEN
            error := 'SOFT ERROR DIFFERS: ' || error;
        END IF;
    END IF;
END $$;

CREATE TEMP TABLE refused (no int GENERATED ALWAYS AS IDENTITY, value text);

-- Lengths
INSERT INTO refused (value) VALUES
    (''),
    ('5'),
    ('507f1f77bcf'),
    ('507f1f77bcf8'),
    ('507f1f77bcf86cd79943901'),
    ('507f1f77bcf86cd7994390112'),
    ('507f1f77bcf86cd799439011507f1f77bcf86cd799439011'),
    -- 12 characters are not 12 bytes
    ('abcdefghijkl'),
    ('abcdefabcdef'),
    -- other notations of the same digits
    ('0x507f1f77bcf86cd799439011'),
    ('\x507f1f77bcf86cd799439011'),
    ('507f1f77-bcf8-6cd7-9943-9011'),
    ('507f1f77-bcf8-6cd7-9943-901100000000'),
    ('50:7f:1f:77:bc:f8:6c:d7:99:43:90:11'),
    ('UH8fd7z4bNeZQ5AR');

-- White space before, inside, after
INSERT INTO refused (value) VALUES
    (' 507f1f77bcf86cd799439011'),
    ('507f1f77bcf8 6cd799439011'),
    ('507f1f77bcf86cd799439011 '),
    (' 507f1f77bcf86cd79943901'),
    ('507f1f77bcf86cd79943901 '),
    (E'\t507f1f77bcf86cd799439011'),
    (E'507f1f77bcf8\t6cd799439011'),
    (E'507f1f77bcf86cd799439011\t'),
    (E'\n507f1f77bcf86cd799439011'),
    (E'507f1f77bcf8\n6cd799439011'),
    (E'507f1f77bcf86cd799439011\n'),
    (E'507f1f77bcf86cd799439011\r\n'),
    ('                        ');

-- Digits that are not ASCII: full width, Arabic-Indic, a no-break space
INSERT INTO refused (value) VALUES
    ('５07f1f77bcf86cd799439011'),
    ('５０７ｆ１ｆ７７ｂｃｆ８６ｃｄ７９９４３９０１１'),
    ('٥٠٧١١٧٧٨٦٧٩٩٤٣٩٠١١٠٠٠٠٠٠'),
    ('507f1f77bcf86cd79943901١'),
    (E'\u00a0507f1f77bcf86cd799439011');

-- Escapes of a zero byte, which are plain text here
INSERT INTO refused (value) VALUES
    ('507f1f77bcf86cd799439011\000'),
    ('507f1f77bcf86cd799439011\0'),
    ('507f1f77bcf86cd799439011\u0000'),
    ('507f1f77bcf8\u00006cd799439011'),
    ('"507f1f77bcf86cd799439011\u0000"'),
    ('507f1f77bcf86cd799439011%00');

-- Wrappers that are unclosed, mixed, nested, empty, or misspelled
INSERT INTO refused (value) VALUES
    ('ObjectId("507f1f77bcf86cd799439011"'),
    ('ObjectId("507f1f77bcf86cd799439011)'),
    ('ObjectId("507f1f77bcf86cd799439011'),
    ('ObjectId(507f1f77bcf86cd799439011")'),
    ('ObjectId(''507f1f77bcf86cd799439011'),
    ('ObjectId(''507f1f77bcf86cd799439011'''),
    ('ObjectId(''507f1f77bcf86cd799439011)'),
    ('ObjectId(507f1f77bcf86cd799439011'')'),
    ('ObjectId(''507f1f77bcf86cd799439011")'),
    ('ObjectId("507f1f77bcf86cd799439011'')'),
    ('ObjectId(507f1f77bcf86cd799439011'),
    ('507f1f77bcf86cd799439011)'),
    ('507f1f77bcf86cd799439011")'),
    ('("507f1f77bcf86cd799439011")'),
    ('"507f1f77bcf86cd799439011'),
    ('507f1f77bcf86cd799439011"'),
    ('"507f1f77bcf86cd799439011'''),
    ('''507f1f77bcf86cd799439011'''),
    ('""507f1f77bcf86cd799439011""'),
    ('ObjectId'),
    ('ObjectId('),
    ('ObjectId()'),
    ('ObjectId("")'),
    ('ObjectId("507f1f77bcf86cd79943901")'),
    ('ObjectId("507f1f77bcf86cd7994390112")'),
    ('ObjectId( "507f1f77bcf86cd799439011" )'),
    ('ObjectId( "507f1f77bcf86cd799439011")'),
    ('ObjectId("507f1f77bcf86cd799439011" )'),
    ('ObjectId(" 507f1f77bcf86cd799439011")'),
    ('ObjectId( 507f1f77bcf86cd799439011 )'),
    ('ObjectId ("507f1f77bcf86cd799439011")'),
    (' ObjectId("507f1f77bcf86cd799439011")'),
    ('ObjectId("507f1f77bcf86cd799439011") '),
    ('ObjectId("507f1f77bcf86cd799439011");'),
    ('ObjectID("507f1f77bcf86cd799439011")'),
    ('objectid("507f1f77bcf86cd799439011")'),
    ('new ObjectId("507f1f77bcf86cd799439011")'),
    ('ObjectId(ObjectId("507f1f77bcf86cd799439011"))'),
    ('ObjectId("abcdefghijkl")'),
    ('""'),
    ('"'),
    ('" 507f1f77bcf86cd799439011"'),
    ('"507f1f77bcf86cd799439011 "');

-- The same for Extended JSON
INSERT INTO refused (value) VALUES
    ('{'),
    ('{}'),
    ('{"$oid"}'),
    ('{"$oid":}'),
    ('{"$oid":""}'),
    ('{"$oid":"507f1f77bcf86cd799439011"'),
    ('{"$oid":"507f1f77bcf86cd799439011}'),
    ('{"$oid":507f1f77bcf86cd799439011"}'),
    ('{"$oid":507f1f77bcf86cd799439011}'),
    ('{"$oid:"507f1f77bcf86cd799439011"}'),
    ('{$oid:"507f1f77bcf86cd799439011"}'),
    ('{"oid":"507f1f77bcf86cd799439011"}'),
    ('{"$OID":"507f1f77bcf86cd799439011"}'),
    ('{"$oid""507f1f77bcf86cd799439011"}'),
    ('{"$oid":"507f1f77bcf86cd79943901"}'),
    ('{"$oid":"507f1f77bcf86cd7994390112"}'),
    ('{"$oid":" 507f1f77bcf86cd799439011"}'),
    ('{"$oid":"507f1f77bcf86cd799439011 "}'),
    ('{" $oid":"507f1f77bcf86cd799439011"}'),
    ('{"$oid":"507f1f77bcf86cd799439011"}}'),
    ('{{"$oid":"507f1f77bcf86cd799439011"}'),
    ('{"$oid":"507f1f77bcf86cd799439011","n":1}'),
    ('{"$oid":"507f1f77bcf86cd799439011",}'),
    ('{"_id":{"$oid":"507f1f77bcf86cd799439011"}}'),
    ('{"$oid":ObjectId("507f1f77bcf86cd799439011")}'),
    ('{''$oid'':''507f1f77bcf86cd799439011''}'),
    ('["507f1f77bcf86cd799439011"]'),
    (' {"$oid":"507f1f77bcf86cd799439011"}'),
    ('{"$oid":"507f1f77bcf86cd799439011"} '),
    -- vertical tab and form feed are not blanks in JSON
    (E'{\x0b"$oid":"507f1f77bcf86cd799439011"}'),
    (E'{"$oid":\f"507f1f77bcf86cd799439011"}'),
    ('"$oid":"507f1f77bcf86cd799439011"}');

-- Times are not ids; the hint names the alternatives.
INSERT INTO refused (value) VALUES
    ('2026-01-01'),
    ('2026-01-01 12:00:00'),
    ('2026-01-01 12:00:00+00'),
    ('2026-01-01T12:00:00.000Z'),
    ('20260101'),
    ('2026-01'),
    ('01-01-2026'),
    ('now'),
    ('infinity'),
    ('ISODate("2026-01-01T00:00:00Z")'),
    ('null'),
    ('1');

-- Not hexadecimal, at every position
INSERT INTO refused (value)
SELECT overlay('507f1f77bcf86cd799439011' PLACING 'g' FROM pos) FROM generate_series(1, 24) AS pos;

-- Times in other forms, as core reads them, and those that do not exist; and what is none
INSERT INTO refused (value) VALUES
    ('yesterday'), ('today'), ('-infinity'), ('epoch'), ('Nov 1 2026'), ('2026/11/01'), ('1.11.2026 10:00'), ('13/11/2026'), ('11/13/2026'), ('2026-02-30'),
    ('1 day ago'), ('2 hours 3 min'), ('20260101T000000'), ('2026-01-01 12:00:00 UTC'), ('"2026-01-01"'),
    ('may'), ('12.5'), ('-1'), ('n/a'), ('5 7f1f77bcf86cd799439011'), ('j2451187/x'), ('2026-01-01 12:00:00 Nowhere/Nothing');

-- The message is the same for all.  Details and hints, with the numbers of the values
-- that have them; a length or a position is that of the value.
SELECT count(*) AS refused,
       count(*) FILTER (WHERE error = format('22P02: invalid input syntax for type objectid: "%s"', value)) AS as_it_should
  FROM refused, pg_temp.refusal(value);
SELECT CASE detail WHEN format('An ObjectId has 24 hexadecimal digits, not %s.', length(value)) THEN 'length'
                   WHEN format('Character %s is not a hexadecimal digit.', strpos(value, 'g')) THEN 'position'
                   ELSE detail END AS detail, hint, range_agg(int4range(no, no + 1)) AS values
  FROM refused, pg_temp.refusal(value) GROUP BY 1, 2 ORDER BY min(no);

-- Every other ASCII character at every position
SELECT count(*) AS inputs,
       count(*) FILTER (WHERE error LIKE '22P02: invalid input syntax for type objectid: "%') AS refused
  FROM generate_series(1, 24) AS pos, generate_series(1, 127) AS c,
       pg_temp.refusal(overlay('507f1f77bcf86cd799439011' PLACING chr(c) FROM pos))
 WHERE chr(c) !~ '[0-9a-fA-F]';

-- A wrong character or a missing digit inside a wrapper
SELECT count(*) AS inputs,
       count(*) FILTER (WHERE error LIKE '22P02: invalid input syntax for type objectid: "%') AS refused
  FROM generate_series(1, 24) AS pos, unnest(ARRAY['g', ' ', '"', '''', ')', '}', '']) AS c,
       unnest(ARRAY['ObjectId("%s")', 'ObjectId(''%s'')', 'ObjectId(%s)', '"%s"', '{"$oid":"%s"}']) AS wrapper,
       pg_temp.refusal(format(wrapper, overlay('507f1f77bcf86cd799439011' PLACING c FROM pos FOR 1)));

-- Every proper prefix of each spelling
SELECT count(*) AS inputs,
       count(*) FILTER (WHERE error LIKE '22P02: invalid input syntax for type objectid: "%') AS refused
  FROM unnest(ARRAY['507f1f77bcf86cd799439011',
                    'ObjectId("507f1f77bcf86cd799439011")',
                    'ObjectId(''507f1f77bcf86cd799439011'')',
                    'ObjectId(507f1f77bcf86cd799439011)',
                    '"507f1f77bcf86cd799439011"',
                    '{ "$oid" : "507f1f77bcf86cd799439011" }']) AS spelling,
       generate_series(0, length(spelling) - 1) AS len,
       pg_temp.refusal(left(spelling, len));

-- Long texts
SELECT left(error, 50) AS error, length(error) AS length, detail, hint
  FROM pg_temp.refusal(repeat('a', 10240));
SELECT left(error, 50) AS error, length(error) AS length, detail, hint
  FROM pg_temp.refusal(repeat('ObjectId("', 1024));
SELECT left(error, 50) AS error, length(error) AS length, detail, hint
  FROM pg_temp.refusal('{' || repeat(' ', 10240) || '"$oid":"507f1f77bcf86cd79943901"}');

\pset format aligned

-- As a user sees it
SELECT '507f1f77bcf86cd79943901'::objectid;
SELECT '507f1f77bcf86cd7994390112'::objectid;
SELECT 'abcdefghijkl'::objectid;
SELECT '2026-01-01'::objectid;
SELECT '507f1f77bcf86cd799439011'::objectid >= '2026-01-01 00:00:00+00';

-- The server rejects a zero byte before the input function is called.
SELECT E'507f1f77bcf86cd799439011\000'::objectid;
CREATE TEMP TABLE refused_copy (id objectid);
COPY refused_copy FROM STDIN;
507f1f77bcf86cd799439011\000
\.
COPY refused_copy FROM STDIN;
507f1f77bcf86cd799439011
 507f1f77bcf86cd799439011
\.
COPY refused_copy FROM STDIN (FORMAT csv);
507f1f77bcf86cd799439011 
\.
SELECT count(*) FROM refused_copy;
