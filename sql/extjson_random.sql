--
-- extjson_to_jsonb with random values, compared with what regular expressions and the input
-- functions of core's types make of them
--
\a \t on

-- as the sessions that make documents, and those that compile slowly
SET client_min_messages = error;
SET jit = off;
SET timezone = 'UTC';
SELECT setseed(0.41) IS NULL AS seeded;

CREATE FUNCTION pg_temp.plain_date(value jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    str text := value #>> '{}';
    ms numeric;
BEGIN
    IF jsonb_typeof(value) = 'object' AND value - '$numberLong' = '{}' THEN
        ms := pg_temp.plain_number(value -> '$numberLong', '$numberLong') #>> '{}';
    ELSIF jsonb_typeof(value) = 'number' AND scale(str::numeric) = 0 THEN
        ms := str::numeric;
    END IF;
    IF ms % 1 = 0 THEN
        -- days and the rest of them, for intervals are multiplied as doubles
        RETURN to_jsonb(timestamptz '1970-01-01' + div(ms, 86400000)::int * interval '1 day' + (ms % 86400000)::int * interval '1 ms');
    ELSIF jsonb_typeof(value) = 'string'
          AND str ~ '^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d*)?(Z|[+-]\d\d:?\d\d)$' THEN
        RETURN to_jsonb(CASE WHEN str ~ '^0000' THEN '0001' || substr(str, 5) || ' BC' ELSE str END::timestamptz);
    END IF;
    RETURN NULL;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$;

CREATE FUNCTION pg_temp.plain_number(value jsonb, wrapper text) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE
        WHEN jsonb_typeof(value) = 'string' AND str IN ('NaN', 'Infinity', '-Infinity') THEN value
        WHEN jsonb_typeof(value) = 'number'
             OR jsonb_typeof(value) = 'string' AND length(str) <= 400 AND str ~ '^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?0*\d{1,4})?$'
        THEN CASE WHEN wrapper = '$numberDecimal' THEN to_jsonb(str::numeric) ELSE to_jsonb(trim_scale(str::numeric)) END END
    FROM (SELECT value #>> '{}') AS s (str)
$$;

CREATE FUNCTION pg_temp.plain_binary(value jsonb, subtype jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE WHEN jsonb_typeof(value) = 'string' AND jsonb_typeof(subtype) = 'string' AND subtype #>> '{}' ~* '^[0-9a-f]{1,2}$'
                     AND value #>> '{}' ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
                THEN CASE WHEN lpad(subtype #>> '{}', 2, '0') = '04' AND length(decode(value #>> '{}', 'base64')) = 16
                          THEN to_jsonb(encode(decode(value #>> '{}', 'base64'), 'hex')::uuid)
                          ELSE to_jsonb(chr(92) || 'x' || encode(decode(value #>> '{}', 'base64'), 'hex')) END END
$$;

-- What is in a wrapper, or null if it stays
CREATE FUNCTION pg_temp.unwrapped(wrapper text, value jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT CASE
        WHEN wrapper = '$oid' AND jsonb_typeof(value) = 'string' AND str ~* '^[0-9a-f]{24}$' THEN to_jsonb(lower(str))
        WHEN wrapper = '$uuid' AND jsonb_typeof(value) = 'string'
             AND str ~* '^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$' THEN to_jsonb(str::uuid)
        WHEN wrapper = '$symbol' AND jsonb_typeof(value) = 'string' THEN value
        WHEN wrapper = '$undefined' AND value = 'true' THEN 'null'
        WHEN wrapper = '$date' THEN pg_temp.plain_date(value)
        WHEN wrapper ~ '^\$number(Int|Long|Double|Decimal)$' THEN pg_temp.plain_number(value, wrapper)
        WHEN wrapper = '$binary' AND jsonb_typeof(value) = 'object' AND value - '{base64,subType}'::text[] = '{}'
            THEN pg_temp.plain_binary(value -> 'base64', value -> 'subType') END
    FROM (SELECT value #>> '{}') AS s (str)
$$;

CREATE FUNCTION pg_temp.plain(value jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    keys text[];
BEGIN
    CASE jsonb_typeof(value)
        WHEN 'number' THEN
            RETURN to_jsonb(trim_scale(value::numeric));
        WHEN 'array' THEN
            RETURN coalesce((SELECT jsonb_agg(pg_temp.plain(e) ORDER BY n) FROM jsonb_array_elements(value) WITH ORDINALITY AS a (e, n)), '[]');
        WHEN 'object' THEN
            keys := ARRAY(SELECT k FROM jsonb_object_keys(value) AS k ORDER BY k);
            IF keys = '{$binary,$type}' THEN
                RETURN coalesce(pg_temp.plain_binary(value -> '$binary', value -> '$type'), value);
            ELSIF keys <@ '{$oid,$uuid,$symbol,$undefined,$date,$numberInt,$numberLong,$numberDouble,$numberDecimal,$binary}' AND cardinality(keys) = 1 THEN
                RETURN coalesce(pg_temp.unwrapped(keys[1], value -> keys[1]), value);
            END IF;
            RETURN coalesce((SELECT jsonb_object_agg(k, pg_temp.plain(v)) FROM jsonb_each(value) AS o (k, v)), '{}');
        ELSE
            RETURN value;
    END CASE;
END $$;

-- Values are right, or wrong by a character or two.
CREATE FUNCTION pg_temp.any_of(VARIADIC choices text[]) RETURNS text LANGUAGE sql AS $$
    SELECT choices[1 + floor(random() * cardinality(choices))::int]
$$;
CREATE FUNCTION pg_temp.random_string() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    str text := pg_temp.any_of('59A47286cfa9a3a73e51e72c', '2012-12-24T12:15:30.501Z', '0000-02-29T23:59:59.9-15:59', '1900-02-28T00:00:00Z',
        '2000-02-29T00:00:00.1234567+05:30', '9999-12-31T23:59:59.999+0000', '5', '-0', '+7', '4.50', '1E+3', '1e-9999', 'NaN', 'Infinity', '-Infinity',
        '-52617600000', '9223372036854775807', '-9223372036854775808', '9223372036854775808', '253402300800000', '-210866803200000',
        '-210866803200001', '9224318015999999', 'c//SZESzTGmQ6OfR38A11A==', '//8=', '', '04', '4', '03', '00', '0', '80',
        '73FFD264-44b3-4c69-90e8-e7d1dfc035d4', '73ffd26444b34c6990e8e7d1dfc035d4', 'é☆', '.', '1.', repeat('1', 400), repeat('9', 24));
    at int;
BEGIN
    FOR change IN 1 .. greatest(floor(random() * 5 - 2)::int, 0) LOOP
        at := 1 + floor(random() * (length(str) + 1));
        str := overlay(str PLACING pg_temp.any_of('0', '9', 'a', 'F', 'Z', '+', '-', '.', ':', 'e', 'E', 'x', '=', 'T', ' ', '\', '"', '/', '')
                       FROM at FOR pg_temp.any_of('0', '1')::int);
    END LOOP;
    RETURN str;
END $$;
CREATE FUNCTION pg_temp.random_key() RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.any_of('$oid', '$uuid', '$symbol', '$undefined', '$date', '$numberInt', '$numberLong', '$numberDouble', '$numberDecimal', '$binary',
        '$oid', '$uuid', '$date', '$numberInt', '$numberDecimal', '$type', 'base64', 'subType', '$ref', '$id', 'a', '', '$', '$numberint', '$timestamp', repeat('b', 40))
$$;
CREATE FUNCTION pg_temp.random_value(depth int) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    r float8 := random();
BEGIN
    RETURN CASE
        WHEN r < 0.35 THEN to_jsonb(pg_temp.random_string())
        WHEN r < 0.45 OR depth = 0 THEN pg_temp.any_of('0', '5', '-7', '30.0', '4.50', '1356351330501', '9223372036854775808', 'true', 'false', 'null', '{}', '[]')::jsonb
        WHEN r < 0.55 THEN jsonb_build_array(pg_temp.random_value(depth - 1), pg_temp.random_value(depth - 1))
        WHEN r < 0.60 THEN jsonb_build_object('$date', jsonb_build_object('$numberLong', pg_temp.random_string()))
        WHEN r < 0.65 THEN jsonb_build_object('$binary', jsonb_build_object('base64', pg_temp.random_string(), 'subType', pg_temp.any_of('04', '03', '0', 'zz')))
        WHEN r < 0.70 THEN jsonb_build_object('$binary', pg_temp.random_string(), '$type', pg_temp.any_of('04', '3', 'zz'))
        WHEN r < 0.90 THEN jsonb_build_object(pg_temp.random_key(), pg_temp.random_value(depth - 1))
        ELSE jsonb_build_object(pg_temp.random_key(), pg_temp.random_value(depth - 1), pg_temp.random_key(), pg_temp.random_value(depth - 1)) END;
END $$;

-- The environment variable FUZZ_CALLS sets the number of values.
\set calls 5000
\getenv calls FUZZ_CALLS
CREATE TEMP TABLE value AS SELECT pg_temp.random_value(4) AS extjson FROM generate_series(1, :calls);
SELECT count(*) >= :calls AS many, count(*) FILTER (WHERE extjson <> extjson_to_jsonb(extjson)) BETWEEN 0.05 * count(*) AND 0.95 * count(*) AS some_change
FROM value;
SELECT extjson, extjson_to_jsonb(extjson) AS got, pg_temp.plain(extjson) AS expected FROM value
WHERE extjson_to_jsonb(extjson)::text IS DISTINCT FROM pg_temp.plain(extjson)::text LIMIT 10;
SELECT extjson FROM value WHERE extjson_to_jsonb(extjson_to_jsonb(extjson)) <> extjson_to_jsonb(extjson) LIMIT 10;
