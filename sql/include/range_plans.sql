-- What the tests of predicates on the time in an id compare, in every kind of plan

-- A volatile function prevents the rewriting.  It is generic, for instants and
-- ranges.
CREATE FUNCTION pg_temp.as_it_is(anyelement) RETURNS anyelement
LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN $1; END $$;

-- Corner cases: both ends of the type, the sign bit of the seconds, the first and
-- the last id of a second
CREATE TABLE range_id (n int GENERATED ALWAYS AS IDENTITY, id objectid);
INSERT INTO range_id (id)
SELECT (second || suffix)::objectid
FROM unnest('{00000000,00000001,6955b8ff,6955b900,6955b901,7fffffff,80000000,fffffffe,ffffffff}'::text[]) AS second,
     unnest('{0000000000000000,0000000000000001,7fffffffffffffff,fffffffffffffffe,ffffffffffffffff}'::text[]) AS suffix;
INSERT INTO range_id (id) VALUES (NULL);

-- The rows for a condition with $1 in it: as a constant, as the parameter of a
-- generic plan, and as an argument that must not be rewritten
CREATE FUNCTION pg_temp.query_with(condition text, plan text, t anyelement) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('enable_seqscan', (plan LIKE '%seqscan')::text, true),
            set_config('enable_indexscan', (plan LIKE '%index')::text, true),
            set_config('enable_indexonlyscan', (plan LIKE '%index')::text, true),
            set_config('enable_bitmapscan', (plan LIKE '%bitmap')::text, true);
    IF plan LIKE 'generic%' THEN
        RETURN format('EXECUTE %I(%L)', 'range ' || plan || ': ' || condition, t);
    END IF;
    RETURN 'SELECT ARRAY(SELECT n FROM range_id WHERE '
        || replace(condition, '$1', format(CASE plan WHEN 'volatile, seqscan' THEN 'pg_temp.as_it_is(%L::%s)' ELSE '%L::%s' END, t, pg_typeof(t)))
        || ' ORDER BY n)';
END $$;
CREATE FUNCTION pg_temp.rows_with(condition text, plan text, t anyelement) RETURNS int[]
LANGUAGE plpgsql AS $$
DECLARE
    result int[];
BEGIN
    EXECUTE pg_temp.query_with(condition, plan, t) INTO result;
    RETURN result;
END $$;
-- The plan, to check that it is of the intended kind
CREATE FUNCTION pg_temp.scan_with(condition text, plan text, t anyelement) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    result json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) ' || pg_temp.query_with(condition, plan, t) INTO result;
    RETURN (SELECT string_agg(DISTINCT m[1], ', ') FROM regexp_matches(result::text, '"Node Type": "([^"]*Scan)"', 'g') AS m)
        || CASE WHEN result::text ~ 'Filter' THEN ', filter' ELSE '' END
        || CASE WHEN result::text ~ 'objectid_(floor|after|lower|upper)' THEN ', expression' ELSE '' END;
END $$;
CREATE TABLE range_plan (plan text);
INSERT INTO range_plan VALUES
    ('constant, index'), ('constant, bitmap'), ('constant, seqscan'), ('generic, index'), ('generic, bitmap'), ('generic, seqscan'), ('volatile, seqscan');

-- Prepare what query_with() executes
CREATE PROCEDURE pg_temp.prepare_conditions(type regtype)
LANGUAGE plpgsql AS $$
DECLARE
    command text;
BEGIN
    FOR command IN SELECT format('PREPARE %I(%s) AS SELECT ARRAY(SELECT n FROM range_id WHERE %s ORDER BY n)', 'range ' || plan || ': ' || condition, type, condition)
                   FROM range_plan, range_condition WHERE plan LIKE 'generic%' LOOP
        EXECUTE command;
    END LOOP;
END $$;
CREATE TABLE range_condition (condition text, reference text);
