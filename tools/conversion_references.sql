-- ===== Conversions: columns that refer to a key without a foreign key =====

-- Columns that refer to a key without a foreign key break at the first new id.  What follows is a
-- guess by names: account_id, billing_account_id, accountId, account_ids for table "accounts", as
-- Rails, Django and Hibernate name them.

-- A name in lower case, with underscores between its words.
CREATE FUNCTION _words(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN pg_catalog.lower(pg_catalog.regexp_replace(name, '([a-z0-9])([A-Z])', E'\\1_\\2', 'g'));

-- What columns that refer to tables can be called, without "id".  All singulars that English can
-- have for a plural, because a wrong one is the name of nothing.  Names of applications and
-- modules before that of the table are not in those of columns: spree_orders, auth_user.
CREATE FUNCTION _table_names() RETURNS TABLE (relation regclass, name text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH endings (plural, singular) AS (VALUES
        ('', ''), ('s', ''), ('es', ''), ('ies', 'y'), ('ves', 'f'), ('ves', 'fe'), ('ses', 'sis'),
        ('sses', 's'), ('xes', 'xis'), ('zzes', 'z'), ('ices', 'ex'), ('ices', 'ix'), ('a', 'um'),
        ('a', 'on'), ('ae', 'a'), ('i', 'us'), ('people', 'person'), ('men', 'man'),
        ('children', 'child'), ('mice', 'mouse'), ('lice', 'louse'), ('feet', 'foot'),
        ('teeth', 'tooth'), ('geese', 'goose'), ('oxen', 'ox'), ('staves', 'staff')
    ), tables AS MATERIALIZED (
        SELECT c.oid, words, split_part(words, '_', 1) AS module
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace, _words(relname) AS words
        WHERE relkind IN ('r', 'p') AND NOT relispartition
          AND nspname !~ '^(pg_|information_schema$)'
    ), plurals AS (
        SELECT oid, words, false AS short FROM tables
        UNION ALL
        SELECT oid, substr(words, length(module) + 2), true FROM tables
        WHERE module IN (SELECT module FROM tables GROUP BY 1 HAVING count(*) > 1)
    ), names AS MATERIALIZED (
        SELECT DISTINCT oid, left(words, length(words) - length(plural)) || singular AS name, short
        FROM plurals JOIN endings ON right(words, length(plural)) = plural
    )
    SELECT oid, name FROM names
    WHERE name <> ''
      AND (NOT short OR name NOT IN (SELECT n.name FROM names AS n WHERE NOT n.short))
$$;

-- Columns that are named as if they referred to a key.  The words before "id" are those of the
-- table whose name is the longest of them: api_key_id belongs to api_keys, not to keys.  Only
-- where no column has "id" at its end are they looked for without it, for an application does
-- not do both.
CREATE FUNCTION _named_columns(key _key) RETURNS TABLE (relation regclass, attnum smallint)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH names AS MATERIALIZED (
        SELECT * FROM _table_names()
        UNION
        SELECT key.relation, name
        FROM _words(key.attname) AS words,
             LATERAL (SELECT coalesce(substring(words, '^(.*[^_])_?id$'), substring(words, '.+_.+'))
                      UNION ALL
                      SELECT n.name || '_' || words FROM _table_names() AS n
                      WHERE n.relation = key.relation AND words !~ 'id$') AS own (name)
    ), columns AS (
        SELECT attrelid, attnum, words ~ '^ids?_|ids?$' AS has_id,
               string_to_array(regexp_replace(words, '_?ids?$|^ids?_(?!.*ids?$)', ''), '_') AS parts
        FROM _reference_types(key.to_type) AS types,
             pg_attribute JOIN pg_class c ON c.oid = attrelid, _words(attname) AS words
        WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
          AND atttypid = ANY (types || key.to_type)
    ), endings AS MATERIALIZED (
        SELECT c.*, i, array_to_string(parts[i:], '_') AS ending
        FROM columns AS c, generate_subscripts(parts, 1) AS i
    ), best AS MATERIALIZED (
        SELECT DISTINCT ON (attrelid, attnum) *
        FROM endings WHERE ending IN (SELECT name FROM names)
        ORDER BY attrelid, attnum, i
    ), found AS MATERIALIZED (
        SELECT * FROM best
        WHERE ending IN (SELECT name FROM names WHERE relation = key.relation)
    )
    SELECT attrelid, attnum FROM found WHERE has_id OR NOT EXISTS (SELECT FROM found WHERE has_id)
    UNION
    -- named as a foreign key of another table is: creator_id
    SELECT a.attrelid, a.attnum
    FROM _key_columns(key) AS k JOIN pg_attribute a ON a.attname = k.attname
    WHERE k.relation <> key.relation AND k.attname NOT IN (key.attname, 'id', '_id')
      AND NOT EXISTS (SELECT
                      FROM pg_constraint JOIN pg_attribute o
                           ON o.attrelid = conrelid AND o.attnum = ANY (conkey)
                      WHERE contype = 'f' AND o.attname = k.attname
                        AND (conrelid, o.attnum) NOT IN (
                            SELECT f.relation, f.attnum FROM _key_columns(key) AS f))
$$;

-- The types of columns that a key does not fit any more after the conversion.
CREATE FUNCTION _reference_types(to_type regtype) RETURNS regtype[]
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT CASE to_type
           WHEN 'bigint'::regtype THEN '{smallint,smallint[],integer,integer[]}'::regtype[]
           ELSE '{text,text[],varchar,varchar[],bpchar,bpchar[]}' END
$$;

-- Columns of tables that may have ids of a key, but do not follow it.  With two columns, such as
-- owner_id and owner_type of Rails or object_id and content_type_id of Django, a row refers to any
-- table.
CREATE FUNCTION _untold_columns(key _key) RETURNS TABLE (relation regclass, detail text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH columns AS MATERIALIZED (
        SELECT c.oid::regclass AS relation, attnum, attname,
               format_type(atttypid, atttypmod) AS type
        FROM _reference_types(key.to_type) AS types, pg_class c
             JOIN pg_namespace n ON n.oid = relnamespace
             JOIN pg_attribute a ON attrelid = c.oid
        WHERE relkind IN ('r', 'p') AND NOT relispartition
          AND nspname !~ '^(pg_|information_schema$)'
          AND attnum > 0 AND NOT attisdropped AND atttypid = ANY (types)
          AND (attrelid, attnum) NOT IN (SELECT k.relation, k.attnum FROM _key_columns(key) AS k)
          AND NOT EXISTS (SELECT FROM pg_constraint
                          WHERE contype = 'f' AND conrelid = attrelid AND attnum = ANY (conkey))
    ), named AS MATERIALIZED (
        SELECT c.* FROM columns AS c JOIN _named_columns(key) USING (relation, attnum)
    )
    SELECT relation, format('"%s" is %s and may refer to it without a foreign key', attname, type)
    FROM named
    UNION ALL
    SELECT key.relation,
           'each of these refers to the table that another column names: '
           || string_agg(format('%s.%I', relation, attname), ', ' ORDER BY relation, attname)
    FROM columns AS c
    WHERE attname ~* '_id$'
      AND EXISTS (SELECT FROM pg_attribute a
                  WHERE attrelid = c.relation AND NOT attisdropped
                    AND a.attname IN (regexp_replace(c.attname, '_id$', '_type', 'i'),
                                      CASE c.attname WHEN 'object_id' THEN 'content_type_id' END))
      AND (relation, attnum) NOT IN (SELECT n.relation, n.attnum FROM named AS n)
    HAVING count(*) > 0
$$;
