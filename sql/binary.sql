--
-- Binary input and output: the 12 bytes
--
\a \t on

\getenv abs_builddir PG_ABS_BUILDDIR
\set file :abs_builddir '/results/objectid_binary.data'
-- \copy does not expand variables, but a variable can hold the whole command.
\set copy_ids '\\copy binary_in FROM ' :'file' ' (FORMAT binary)'
\set copy_arrays '\\copy binary_array_in FROM ' :'file' ' (FORMAT binary)'

SELECT objectid_send('507F1F77BCF86CD799439011') AS send,
       objectid_send('000000000000000000000000') AS lowest,
       objectid_send('ffffffffffffffffffffffff') AS highest;

-- 10,000 random ids, the corners, a null
CREATE TABLE binary_out (id objectid);
INSERT INTO binary_out
SELECT substr(decode(md5(i::text), 'hex'), 1, 12)::objectid FROM generate_series(1, 10000) AS i;
INSERT INTO binary_out
SELECT set_byte(decode(repeat(base, 12), 'hex'), pos, value)::objectid
  FROM unnest(ARRAY['00', 'ff']) AS base, generate_series(0, 11) AS pos,
       unnest(ARRAY[0, 127, 128, 255]) AS value;
INSERT INTO binary_out VALUES (NULL);

SELECT count(*) FILTER (WHERE objectid_send(id) <> decode(id::text, 'hex')) AS differ FROM binary_out;

CREATE TABLE binary_in (id objectid);
COPY binary_out TO STDOUT (FORMAT binary) \g :file
:copy_ids

SELECT count(*) AS rows, count(id) AS ids FROM binary_in;
SELECT count(*) AS lost FROM (TABLE binary_out EXCEPT ALL TABLE binary_in) AS s;
SELECT count(*) AS added FROM (TABLE binary_in EXCEPT ALL TABLE binary_out) AS s;

-- bytea has the same binary form, so 12 bytes are an id ...
TRUNCATE binary_in;
COPY (SELECT '\x507f1f77bcf86cd799439011'::bytea) TO STDOUT (FORMAT binary) \g :file
:copy_ids
TABLE binary_in;

-- ... and any other number of bytes is an error.
COPY (SELECT '\x507f1f77bcf86cd7994390'::bytea) TO STDOUT (FORMAT binary) \g :file
:copy_ids
COPY (SELECT '\x507f1f77bcf86cd79943901100'::bytea) TO STDOUT (FORMAT binary) \g :file
:copy_ids
COPY (SELECT ''::bytea) TO STDOUT (FORMAT binary) \g :file
:copy_ids
-- the text form, and a uuid
COPY (SELECT '507f1f77bcf86cd799439011'::bytea) TO STDOUT (FORMAT binary) \g :file
:copy_ids
COPY (SELECT '507f1f77-bcf8-6cd7-9943-901100000000'::uuid) TO STDOUT (FORMAT binary) \g :file
:copy_ids
\set VERBOSITY sqlstate
:copy_ids
\set VERBOSITY default
TABLE binary_in;

-- Elements of an array, a field of a row
CREATE TABLE binary_array_out (ids objectid[]);
CREATE TABLE binary_array_in (ids objectid[]);
INSERT INTO binary_array_out VALUES
    ('{507f1f77bcf86cd799439011,NULL,507f1f77bcf86cd799439012}'), ('{}'), (NULL),
    ('{{000000000000000000000000,ffffffffffffffffffffffff},{80000000000000000000007f,7fffffffffffffffffffff80}}');
COPY binary_array_out TO STDOUT (FORMAT binary) \g :file
:copy_arrays
TABLE binary_array_in;
SELECT right(encode(record_send(ROW('507f1f77bcf86cd799439011'::objectid)), 'hex'), 32) AS field;

DROP TABLE binary_out, binary_in, binary_array_out, binary_array_in;
