-- ===== Conversions: functions that have ids of a key in variables of the old type =====

-- A regular expression that finds a name in the text of a function.
CREATE FUNCTION _word_pattern(name text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT '[[:<:]]' || regexp_replace(name, '[^[:alnum:]_]', '.', 'g') || '[[:>:]]'
$$;

-- The parameters and results of a function that new ids do not fit in, those of composite types
-- and of RETURNS TABLE among them; the row type of a table follows its columns.
CREATE FUNCTION _narrow_values(function oid, to_type regtype) RETURNS TABLE (is_result boolean,
    name text)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH types AS (SELECT type FROM unnest(_reference_types(to_type)) AS type), declared AS (
        SELECT mode, type, coalesce(proargnames[n], '') AS name
        FROM pg_proc,
             unnest(coalesce(proallargtypes, proargtypes::oid[]), proargmodes::text[])
                 WITH ORDINALITY AS a (type, mode, n)
        WHERE oid = function
        UNION ALL SELECT 'o', prorettype, '' FROM pg_proc WHERE oid = function
    )
    SELECT coalesce(mode, 'i') IN ('o', 'b', 't'), name
    FROM declared WHERE type IN (SELECT t.type FROM types AS t)
    UNION ALL
    SELECT true, attname
    FROM declared AS d
         JOIN pg_class c ON reltype = d.type AND relkind = 'c'
         JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0
    WHERE atttypid IN (SELECT t.type FROM types AS t) AND mode = 'o'
$$;

-- Functions that may take or return ids of a key, but do not follow it.  Those that its views and
-- triggers call are given its columns.  After the conversion, currval() is not defined, and
-- nextval() gives what next_snowflake() counts with.
CREATE FUNCTION _untold_functions(key _key, OUT detail text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH names AS MATERIALIZED (
        SELECT _word_pattern(relname) AS of_table, _word_pattern(key.attname) AS of_column,
               ARRAY(SELECT name FROM _table_names() AS n
                     WHERE n.relation = key.relation) AS singulars,
               _word_pattern((
                   SELECT s.relname
                   FROM pg_depend JOIN pg_class s ON s.oid = objid AND s.relkind = 'S'
                   WHERE refclassid = 'pg_class'::regclass AND refobjid = key.relation
                     AND deptype IN ('a', 'i') LIMIT 1)) AS of_sequence
        FROM pg_class WHERE oid = key.relation
    ), functions AS MATERIALIZED (
        SELECT p.oid, proname, prosrc ~* of_table AS of_table, prosrc ~* of_column AS of_column,
               names.singulars, prosrc ~* of_sequence
                   OR prosrc ~* '[[:<:]]lastval[[:>:]]' AND prosrc ~* of_table AS of_sequence
        FROM names, pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
        WHERE nspname !~ '^(pg_|information_schema$)'
          AND NOT EXISTS (SELECT FROM pg_depend
                          WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
    ), called (oid) AS (
        SELECT refobjid
        FROM _changing_views(key)
             JOIN pg_rewrite r ON ev_class = view
             JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = r.oid
                 AND refclassid = 'pg_proc'::regclass
        UNION ALL
        SELECT f.oid
        FROM functions AS f,
             (SELECT string_agg(DISTINCT prosrc, ' ')
              FROM _key_columns(key) AS k
                   JOIN pg_trigger ON tgrelid = k.relation AND NOT tgisinternal
                   JOIN pg_proc t ON t.oid = tgfoid) AS t (bodies)
        WHERE bodies ~* _word_pattern(f.proname)
    )
    SELECT format('%s uses the sequence of the column', oid::regprocedure)
    FROM functions WHERE of_sequence
    UNION ALL
    SELECT format('%s has a %s that may be such an id', f.oid::regprocedure,
                  CASE WHEN bool_or(NOT is_result) THEN 'parameter' ELSE 'result' END)
    FROM functions AS f, _narrow_values(f.oid, key.to_type) AS v, _words(v.name) AS words
    WHERE of_table AND (of_column OR v.name = '' OR words = _words(key.attname))
       OR regexp_replace(words, '^_?(p|v|in|out|new|old)?_|_?ids?_?$', '', 'g') = ANY (singulars)
       OR NOT is_result AND f.oid IN (SELECT called.oid FROM called)
    GROUP BY f.oid
$$;
