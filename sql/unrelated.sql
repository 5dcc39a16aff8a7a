--
-- Queries without the extension's types: installing the extension does not change
-- their meaning or their errors
--

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_without;
DROP DATABASE IF EXISTS regress_objectid_with;
RESET client_min_messages;

CREATE DATABASE regress_objectid_without;
\c regress_objectid_without
SELECT count(*) AS extensions FROM pg_extension WHERE extname = 'objectid_ext';

CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN instant AS timestamptz;
CREATE DOMAIN span AS tstzrange;
CREATE DOMAIN code AS varchar(30) CHECK (value <> '');
CREATE TABLE sample (t text, v varchar, c char(24), b bytea, i bigint, u uuid, j jsonb, ts timestamp, tz timestamptz, d date, r tstzrange, mr tstzmultirange, m mood, a timestamptz[], n1 name, q "char", k code);
INSERT INTO sample VALUES ('abc', '507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011', 1, '017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '"507f1f77bcf86cd799439011"',
                           '2026-06-01', '2026-06-01 00:00:00+00', '2026-06-01', '[2026-01-01 00:00:00+00,2027-01-01 00:00:00+00)', '{[2026-01-01 00:00:00+00,2027-01-01 00:00:00+00)}', 'sad', '{2026-06-01 00:00:00+00}', 'n', 'x', 'abc');

CREATE TABLE expression (n int GENERATED ALWAYS AS IDENTITY, sql text);
INSERT INTO expression (sql) VALUES
    -- comparisons with a time
    ('t < tz'), ('tz >= t'), ('v < tz'), ('c <= tz'), ('b >= tz'), ('i >= tz'), ('tz > i'), ('u < tz'), ('j > tz'), ('m < tz'), ('d < tz'), ('ts < tz'), ('tz < ts'), ('tz >= d'),
    ('''abc'' < tz'), ('tz < ''abc'''), ('''2026-01-01 00:00:00+00'' < tz'), ('tz >= ''2026-01-01 00:00:00+00'''), ('''507f1f77bcf86cd799439011'' < tz'), ('NULL < tz'), ('tz <= NULL'),
    ('''a'' < ''b'''), ('NULL < NULL'), ('tz = ''2026-06-01 00:00:00+00'''), ('t = tz'), ('i = tz'), ('''abc'' < now()'), ('tz < now() + ''1 day'''), ('tz::instant < ''2026-07-01 00:00:00+00'''), ('t < tz::instant'),
    ('tz BETWEEN ''2026-01-01 00:00:00+00'' AND ''2027-01-01 00:00:00+00'''), ('t BETWEEN tz AND tz'), ('''2026-06-01 00:00:00+00'' BETWEEN tz AND tz'),
    ('tz = ANY (a)'), ('tz >= ANY (a)'), ('''2026-06-01 00:00:00+00'' = ANY (a)'), ('t >= ANY (a)'), ('u < ALL (a)'), ('tz >= ANY (''{2026-06-01 00:00:00+00}'')'), ('tz IN (''2026-06-01 00:00:00+00'', NULL)'), ('(tz, 1) >= (''2026-06-01 00:00:00+00'', 1)'), ('(t, 1) >= (tz, 1)'),
    ('greatest(tz, ''2026-07-01 00:00:00+00'')'), ('least(t, tz)'),
    -- equality of all string types with each other, and with other types
    ('t = v'), ('v = t'), ('v = v'), ('c = t'), ('t = c'), ('c = v'), ('v = c'), ('c = c'), ('v = ''abc'''), ('''abc'' = v'), ('v <> ''abc'''), ('c = ''507f1f77bcf86cd799439011'''), ('''507f1f77bcf86cd799439011'' = c'), ('v = ''507f1f77bcf86cd799439011'''), ('''507f1f77bcf86cd799439011'' <> t'), ('v = NULL'), ('NULL <> t'), ('''a'' = ''a'''), ('''a'' <> ''b'''), ('NULL = ''a'''),
    ('t = i'), ('v = i'), ('i <> t'), ('u = t'), ('u = v'), ('c = u'), ('b = t'), ('t = b'), ('j = t'), ('t <> j'), ('m = t'), ('v <> m'), ('d = t'), ('ts = v'), ('r = t'), ('t = r'), ('a = t'), ('mr <> v'), ('m = ''sad'''), ('''sad'' = m'), ('u = ''017f22e2-79b0-7cc3-98c4-dc0c0c07398f'''), ('b = ''abc'''), ('json ''1'' = ''1'''), ('json ''1'' = t'), ('point ''1,1'' = ''1,1'''), ('bit ''1'' = t'),
    ('n1 = t'), ('v = n1'), ('n1 = ''n'''), ('n1 <> v'), ('q = t'), ('q = ''x'''), ('t = q'), ('k = t'), ('k = v'), ('v = k'), ('k = ''abc'''), ('''abc'' = k'), ('k = k'), ('k <> c'),
    ('v = ANY (''{abc}'')'), ('v = ANY (ARRAY[''abc'', ''507f1f77bcf86cd799439011''])'), ('v = ANY (ARRAY[t, v])'), ('c = ANY (ARRAY[t])'), ('t <> ALL (''{abc}'')'), ('''abc'' = ANY (ARRAY[t])'), ('''abc'' = ANY (ARRAY[v])'), ('''a'' = ANY (''{a}'')'), ('v IN (''abc'', ''def'')'), ('v IN (t, c)'), ('t IN (v, NULL)'), ('v NOT IN (''abc'')'), ('u = ANY (ARRAY[''017f22e2-79b0-7cc3-98c4-dc0c0c07398f''])'), ('m = ANY (ARRAY[''sad''])'), ('i IN (t, v)'), ('u IN (t)'),
    ('v IS DISTINCT FROM ''abc'''), ('nullif(v, ''507f1f77bcf86cd799439011'')'), ('nullif(t, v)'), ('CASE v WHEN ''abc'' THEN 1 WHEN t THEN 2 ELSE 3 END'), ('(v, i) = (''abc'', 1)'), ('(v, i) = (t, 1)'), ('ROW(v) = ROW(t)'), ('v IN (SELECT ''507f1f77bcf86cd799439011'')'), ('v IN (SELECT t)'), ('t NOT IN (SELECT v)'), ('''abc'' IN (SELECT v)'), ('u IN (SELECT t)'), ('v = (SELECT ''abc'')'),
    -- order of all string types, and of these with others
    ('t < v'), ('v <= t'), ('c > t'), ('t >= c'), ('c < v'), ('v > v'), ('c <= c'), ('v < ''abc'''), ('''abc'' >= v'), ('c <= ''507f1f77bcf86cd799439011'''), ('''507f1f77bcf86cd799439011'' > c'), ('t < ''507f1f77bcf86cd799439011'''), ('t < NULL'), ('NULL >= v'), ('''507f1f77bcf86cd799439011'' < ''607f1f77bcf86cd799439011'''),
    ('t < i'), ('i > v'), ('u <= t'), ('t > u'), ('b < t'), ('j >= v'), ('m < t'), ('d > v'), ('ts <= t'), ('r < t'), ('a > v'), ('b < ''abc'''), ('u > ''017f22e2-79b0-7cc3-98c4-dc0c0c07398f'''), ('m >= ''sad'''), ('n1 <= v'), ('n1 < ''n'''), ('q > t'), ('k < v'), ('k >= ''abc'''), ('''abc'' <= k'),
    ('t BETWEEN ''a'' AND v'), ('''b'' BETWEEN ''a'' AND ''c'''), ('v > ALL (''{abc}'')'), ('v <= ANY (ARRAY[t, v])'), ('c < ANY (ARRAY[t])'), ('(v, i) > (''abc'', 1)'), ('(v, i) > (t, 1)'), ('ROW(t) < ROW(v)'), ('t > (SELECT ''abc'')'), ('v > ANY (SELECT ''abc'')'), ('greatest(t, v)'), ('least(c, ''abc'')'),
    -- ranges with an element
    ('tz <@ r'), ('r @> tz'), ('ts <@ r'), ('d <@ r'), ('u <@ r'), ('r @> u'), ('t <@ r'), ('r @> t'), ('i <@ r'), ('b <@ r'), ('j <@ r'), ('m <@ r'), ('v <@ r'),
    ('r @> ''2026-01-01 00:00:00+00'''), ('r @> ''[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'''), ('''2026-02-01 00:00:00+00'' <@ r'), ('''[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'' <@ r'),
    ('NULL <@ r'), ('r @> NULL'), ('''abc'' <@ r'), ('r @> ''507f1f77bcf86cd799439011'''), ('''507f1f77bcf86cd799439011'' <@ r'), ('r @> now()'), ('now() <@ r'), ('r @> ''now'''), ('tz <@ r::span'), ('r::span @> ''[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'''), ('tz::instant <@ r'),
    -- with a range, and with several
    ('r <@ r'), ('r @> r'), ('r && ''[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'''), ('r << r'), ('r = r'), ('r < ''empty'''), ('r <@ mr'), ('mr @> r'), ('mr @> tz'), ('tz <@ mr'), ('mr @> ''2026-02-01 00:00:00+00'''), ('''{[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)}'' <@ mr'), ('''[2026-02-01 00:00:00+00,2026-03-01 00:00:00+00)'' <@ mr'), ('mr && r'), ('t <@ mr'), ('u <@ mr'), ('NULL <@ mr'),
    -- of other types
    ('int4range(1, 9) @> 5'), ('int4range(1, 9) @> ''5'''), ('int4range(1, 9) @> ''[2,3]'''), ('5 <@ int4range(1, 9)'), ('i <@ int8range(1, 9)'), ('i <@ int4range(1, 9)'), ('int8range(1, 9) @> 5'), ('''[2,3]'' <@ int4range(1, 9)'), ('numrange(1, 9) @> 5'),
    ('daterange(''2026-01-01'', ''2027-01-01'') @> d'), ('daterange(''2026-01-01'', ''2027-01-01'') @> tz'), ('daterange(''2026-01-01'', ''2027-01-01'') && ''[2026-02-01,2026-03-01)'''), ('daterange(''2026-01-01'', ''2027-01-01'') @> ''2026-02-01'''), ('tsrange(''2026-01-01'', ''2027-01-01'') @> ts'), ('tsrange(''2026-01-01'', ''2027-01-01'') @> tz'),
    ('''a'' <@ ''b'''), ('''{1}'' @> ''{1}'''), ('ARRAY[1, 2] @> ''{1}'''), ('a @> ARRAY[tz]'), ('a <@ ''{}'''), ('a @> tz'), ('j @> ''"507f1f77bcf86cd799439011"'''), ('''{}'' <@ j'), ('point ''1,1'' <@ box ''0,0,2,2'''), ('''1,1'' <@ box ''0,0,2,2'''),
    -- functions with core's names, and casts
    ('min(tz)'), ('max(tz)'), ('min(t)'), ('max(i)'), ('min(u)'), ('min(b)'), ('t::timestamptz'), ('v::bytea'), ('tz::text > t'), ('j::text'), ('c || tz'), ('lower(r)'), ('upper(r)'), ('lower(t)');
-- parameters whose type the parser infers
CREATE TABLE parameter (n int GENERATED ALWAYS AS IDENTITY, sql text);
INSERT INTO parameter (sql) VALUES
    ('$1 = v'), ('v <> $1'), ('$1 = t'), ('$1 = c'), ('$1 = $2'), ('$1 <> ''abc'''), ('v = ANY ($1)'), ('$1 = ANY ($2)'), ('v IN ($1, $2)'), ('$1 IN (''a'', t)'), ('u IN ($1, $2)'), ('$1 = k'), ('nullif($1, v)'), ('$1 IS DISTINCT FROM v'), ('CASE $1 WHEN v THEN 1 END'),
    ('$1 < v'), ('v >= $1'), ('$1 <= t'), ('c > $1'), ('k <= $1'), ('$1 > ''abc'''), ('v > ANY ($1)'), ('v BETWEEN $1 AND $2'), ('(v, i) > ($1, $2)'), ('m < $1'),
    ('$1 <@ r'), ('r @> $1'), ('$1 < tz'), ('tz >= $1'), ('$1 <@ mr'), ('$1 BETWEEN tz AND tz'), ('$1 = ANY (a)'), ('tz >= ANY ($1)'), ('$1 && r'), ('$1 < $2'), ('$1 <@ $2'), ('u < $1'), ('$1 = u'), ('i >= $1'), ('int4range(1, 9) @> $1'), ('j @> $1');

CREATE FUNCTION answer(sql text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result text;
    detail text;
    hint text;
BEGIN
    EXECUTE format('SELECT concat_ws('' '', pg_typeof(x), x) FROM (SELECT %s AS x FROM sample) AS s', sql) INTO result;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', sqlstate, sqlerrm, detail, hint);
END $$;
CREATE FUNCTION parameter_answer(sql text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    detail text;
    hint text;
BEGIN
    EXECUTE format('PREPARE sample AS SELECT %s FROM sample', sql);
    detail := (SELECT parameter_types::text FROM pg_prepared_statements WHERE name = 'sample');
    DEALLOCATE sample;
    RETURN detail;
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', sqlstate, sqlerrm, detail, hint);
END $$;
-- view definitions, which show the casts that the parser added
CREATE FUNCTION view_answer(sql text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE format('CREATE VIEW shown AS SELECT %s AS x FROM sample', sql);
    result := pg_get_viewdef('shown');
    DROP VIEW shown;
    RETURN result;
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
CREATE VIEW answers AS
SELECT 'result' AS kind, n, sql, answer(sql) FROM expression
UNION ALL SELECT 'parameters', n, sql, parameter_answer(sql) FROM parameter
UNION ALL SELECT 'view', n, sql, view_answer(sql) FROM expression;

\c :original
CREATE DATABASE regress_objectid_with TEMPLATE regress_objectid_without;
\c regress_objectid_without
SET timezone = 'UTC';
SELECT count(*) FILTER (WHERE answer ~ '^[0-9A-Z]{5} ') > 30 AS many_errors, count(*) FILTER (WHERE answer LIKE 'boolean %') > 50 AS many_answers FROM answers WHERE kind = 'result';
SELECT json_agg(answers) AS without FROM answers \gset
\c regress_objectid_with
SET timezone = 'UTC';
CREATE EXTENSION objectid_ext;
SELECT kind, count(*) AS expressions, count(*) FILTER (WHERE answers.answer IS DISTINCT FROM before.answer) AS differences
FROM answers JOIN json_populate_recordset(NULL::answers, :'without') AS before USING (kind, n) GROUP BY kind ORDER BY kind;
SELECT kind, sql, before.answer AS without, answers.answer AS "with"
FROM answers JOIN json_populate_recordset(NULL::answers, :'without') AS before USING (kind, n, sql)
WHERE answers.answer IS DISTINCT FROM before.answer ORDER BY kind, n;

\c :original
DROP DATABASE regress_objectid_without;
DROP DATABASE regress_objectid_with;
