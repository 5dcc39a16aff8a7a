-- ===== Tables for documents of MongoDB =====

-- How often a field has values of each kind: the narrowest type of a column that takes them, or
-- else what they are.  A double that is whole is an integer, for JavaScript makes no difference.
-- A number without a wrapper is a double if it has no more digits than one can have.  Compiling
-- takes longer than reading some thousand documents.
CREATE FUNCTION _extjson_kinds(documents regclass, doc name) RETURNS TABLE (name text, kind text,
    number bigint, legacy bigint)
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET jit = off AS $$
DECLARE
    other jsonb;
BEGIN
    EXECUTE format('SELECT %I FROM %s WHERE jsonb_typeof(%1$I) <> ''object'' LIMIT 1',
                   doc, documents) INTO other;
    IF other IS NOT NULL THEN
        RAISE EXCEPTION 'value in table % is not a document: %', documents, left(other::text, 64)
            USING ERRCODE = 'invalid_parameter_value', HINT =
                  format('A view can omit it: WHERE jsonb_typeof(%I) = ''object''.', doc);
    END IF;
    RETURN QUERY EXECUTE format($query$
        SELECT key, CASE jsonb_typeof(plain)
            WHEN 'number' THEN CASE
                WHEN value ? '$numberDecimal' THEN 'numeric'
                WHEN plain::numeric %% 1 = 0 AND plain::numeric BETWEEN -2147483648 AND 2147483647
                    THEN 'int'
                WHEN plain::numeric %% 1 = 0 AND
                     plain::numeric BETWEEN -9223372036854775808 AND 9223372036854775807
                    THEN 'bigint'
                WHEN abs(plain::numeric) BETWEEN 5e-324 AND 1.7976931348623157e308 AND
                     (value ? '$numberDouble' OR
                      length(btrim(translate(plain::numeric::text, '-.', ''), '0')) <= 17)
                    THEN 'float8'
                ELSE 'numeric' END
            WHEN 'string' THEN CASE
                WHEN jsonb_typeof(value) = 'string' THEN 'text'
                WHEN value ? '$binary' AND starts_with(plain #>> '{}', chr(92)) THEN 'bytea'
                ELSE (SELECT coalesce(min($1 ->> w), 'text') FROM jsonb_object_keys(value) AS w) END
            WHEN 'array' THEN CASE
                WHEN EXISTS (SELECT FROM jsonb_array_elements(value) AS e
                             WHERE jsonb_typeof(e) <> 'null' AND
                             (jsonb_typeof(e) <> 'object' OR NOT e ? '$oid' OR
                              jsonb_typeof(%1$s.extjson_to_jsonb(e)) <> 'string')) THEN 'array'
                WHEN plain @? '$[*] ? (@ != null)' THEN 'objectid[]'
                ELSE 'empty array' END
            WHEN 'object' THEN
                (SELECT coalesce(max(w) FILTER (WHERE starts_with(w, '$')), 'object')
                 FROM jsonb_object_keys(plain) AS w)
            ELSE jsonb_typeof(plain) END AS kind,
            count(*),
            count(*) FILTER (WHERE value ? '$binary' AND
                coalesce(value #>> '{$binary,subType}', value ->> '$type') IN ('3', '03'))
        FROM (SELECT %3$I FROM %2$s) AS d (doc),
             ROWS FROM (jsonb_each(d.doc), jsonb_each(%1$s.extjson_to_jsonb(d.doc)))
                 AS field (key, value, same_key, plain)
        GROUP BY 1, 2
    $query$, _schema_of(), documents, doc) USING jsonb '{"$oid": "objectid", "$uuid": "uuid",
        "$binary": "uuid", "$date": "timestamptz", "$numberDecimal": "numeric",
        "$numberInt": "float8", "$numberLong": "float8", "$numberDouble": "float8"}';
END;
$$;

-- The narrowest type that takes all values of a field.  A key must keep apart what differs, so
-- _id is no text if it has other values as well.
CREATE FUNCTION _extjson_type(name text, kinds text[]) RETURNS text
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT type
    FROM (VALUES (1, 'int', '{int}'::text[]),
                 (2, 'bigint', '{int,bigint}'),
                 (3, 'float8', '{int,float8}'),
                 (4, 'numeric', '{int,bigint,float8,numeric}'),
                 (5, 'boolean', '{boolean}'),
                 (6, 'text', '{text}'),
                 (7, 'timestamptz', '{timestamptz}'),
                 (8, 'uuid', '{uuid}'),
                 (9, 'bytea', '{bytea}'),
                 (10, 'objectid', '{objectid}'),
                 (11, 'jsonb', '{empty array}'),
                 (12, 'objectid[]', '{empty array,objectid[]}'),
                 (13, CASE name WHEN '_id' THEN 'jsonb' ELSE 'text' END,
                      '{text,timestamptz,uuid,bytea,objectid}'),
                 (14, 'jsonb', kinds)) AS t (n, type, takes)
    WHERE kinds <@ takes AND (kinds <> '{}' OR n = 14)
    ORDER BY n LIMIT 1
$$;

-- Fields of documents, and the column for each.
CREATE FUNCTION _extjson_fields(documents regclass, doc name) RETURNS TABLE (name text, type text,
    present bigint, nulls bigint, is_column boolean, is_mixed boolean, problem text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH field AS (
        SELECT k.name, sum(number)::bigint AS present, sum(legacy) AS legacy,
               coalesce(sum(number) FILTER (WHERE kind = 'null'), 0)::bigint AS nulls,
               coalesce(array_agg(kind) FILTER (WHERE kind <> 'null'), '{}') AS kinds,
               string_agg(kind || ' ' || number, ', ' ORDER BY number DESC, kind)
                   FILTER (WHERE kind <> 'null') AS counts,
               string_agg(kind || ' ' || number, ', ' ORDER BY number DESC, kind)
                   FILTER (WHERE starts_with(kind, '$')) AS objects
        FROM _extjson_kinds(documents, doc) AS k GROUP BY k.name
    )
    SELECT f.name, t.type, f.present, f.nulls, is_column, is_mixed,
           concat_ws('; ', CASE WHEN NOT is_column THEN 'cannot be the name of a column' END,
                           CASE WHEN kinds = '{}' THEN 'always null' END,
                           CASE WHEN is_mixed THEN 'mixed: ' || counts END,
                           'stays an object: ' || objects,
                           CASE WHEN legacy > 0 THEN format('UUIDs of subtype 3, in an order of'
                               ' bytes that depends on the driver: %s', legacy) END)
    FROM field AS f, _extjson_type(f.name, kinds) AS t (type),
         LATERAL (SELECT f.name <> '' AND octet_length(f.name) < 64 AND f.name NOT IN
                             (SELECT attname FROM pg_attribute
                              WHERE attrelid = 'pg_class'::regclass AND attnum < 0),
                         t.type IN ('text', 'jsonb') AND cardinality(kinds) > 1
                         AND NOT kinds <@ '{array,empty array}') AS c (is_column, is_mixed)
    ORDER BY f.name <> '_id', f.present DESC, f.name COLLATE "C"
$$;

-- Expression for the _id of a document in table d.  A key of several types keeps MongoDB's
-- wrappers, which distinguish 7, "7", an ObjectId and a string of its digits.  Numbers are equal
-- by their values, as in MongoDB.
CREATE FUNCTION _extjson_key(doc name, is_mixed boolean) RETURNS text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT CASE WHEN NOT is_mixed THEN plain
           ELSE format(E'CASE pg_catalog.jsonb_typeof(%s)\n         WHEN ''number'' THEN %1$s'
                       '\n         ELSE %s END', plain, value) END
    FROM format('pg_catalog.jsonb_extract_path(d.%I, ''_id'')', doc) AS value,
         format('%s.extjson_to_jsonb(%s)', _schema_of(), value) AS plain
$$;

-- Why the _id of documents is no primary key, or an empty string.
CREATE FUNCTION _extjson_key_problem(documents regclass, doc name, is_mixed boolean,
    OUT problem text)
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    EXECUTE format($q$
        SELECT concat_ws('; ', 'no primary key: documents without _id ' ||
                                   sum(n) FILTER (WHERE nullif(key, 'null') IS NULL),
                               'no primary key: values in several documents ' ||
                                   nullif(count(nullif(key, 'null')) FILTER (WHERE n > 1), 0))
        FROM (SELECT %s AS key, count(*) AS n FROM %s AS d WHERE d.%I IS NOT NULL GROUP BY 1) AS k
    $q$, _extjson_key(doc, is_mixed), documents, doc) INTO problem;
END;
$$;

CREATE FUNCTION extjson_columns(documents regclass, doc name DEFAULT 'doc', OUT name text,
    OUT type text, OUT present bigint, OUT nulls bigint, OUT problem text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, objectid_ext_tools, pg_temp
AS $$
    SELECT f.name, f.type, f.present, f.nulls,
           nullif(concat_ws('; ', nullif(f.problem, ''), CASE f.name WHEN '_id' THEN nullif(
               _extjson_key_problem(documents, doc, is_mixed), '') END), '')
    FROM _extjson_fields(documents, doc) AS f
$$;
COMMENT ON FUNCTION extjson_columns(regclass, name)
    IS 'the fields of documents of MongoDB: the type of a column that takes all values, how many'
       ' documents have the field, how many of these have null, and what to know about it';

CREATE FUNCTION extjson_table_statements(documents regclass, target text, doc name DEFAULT 'doc')
RETURNS SETOF text
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    ids CONSTANT text := _schema_of();
    table_name CONSTANT text := (SELECT string_agg(quote_ident(part), '.' ORDER BY n)
                                 FROM unnest(parse_ident(target)) WITH ORDINALITY AS p (part, n));
    -- with a schema, because the caller's path may find another one
    source CONSTANT text := (pg_identify_object('pg_class'::regclass, documents, 0)).identity;
    plain text := format('%s.extjson_to_jsonb(d.%I)', ids, doc);
    columns text[];
    names text;
    key_is_mixed boolean;
BEGIN
    SELECT array_agg(format('%I %s', f.name, replace(f.type, 'objectid', ids || '.objectid'))),
           string_agg(quote_ident(f.name), ', '), bool_or(is_mixed) FILTER (WHERE f.name = '_id')
    INTO columns, names, key_is_mixed
    FROM _extjson_fields(documents, doc) AS f WHERE is_column;
    IF columns IS NULL THEN
        RAISE EXCEPTION 'there are no documents in table %', documents
            USING ERRCODE = 'no_data_found',
                  HINT = 'Column "problem" of extjson_documents() says why a line is none.';
    ELSIF cardinality(columns) > 1600 THEN
        RAISE EXCEPTION 'documents in table % have % fields', documents, cardinality(columns)
            USING ERRCODE = 'too_many_columns', DETAIL = 'A table has at most 1600 columns.',
                  HINT = 'If names of fields are data, keep the documents in a jsonb column.';
    END IF;
    IF key_is_mixed THEN
        plain := format(E'pg_catalog.jsonb_set_lax(%s, ''{_id}'',\n         %s)', plain,
                        _extjson_key(doc, true));
    END IF;
    RETURN NEXT format(E'CREATE TABLE %s (\n    %s\n);', table_name, array_to_string(
        columns[1] || CASE _extjson_key_problem(documents, doc, key_is_mixed)
                          WHEN '' THEN ' PRIMARY KEY' ELSE '' END || columns[2:], E',\n    '));
    RETURN NEXT format(E'INSERT INTO %s (%s)\nSELECT r.* FROM %s AS d,\n     pg_catalog.jsonb_to_'
                       'record(%s) AS r (\n    %s\n)\nWHERE d.%I IS NOT NULL;', table_name, names,
                       source, plain, array_to_string(columns, E',\n    '), doc);
END;
$$;
COMMENT ON FUNCTION extjson_table_statements(regclass, text, name)
    IS E'statements for \\gexec that create a table with the columns of extjson_columns(), and fill'
       ' it from the documents';
