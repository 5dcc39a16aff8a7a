-- Comparison of two queries, for scripts/differential.

CREATE UNLOGGED TABLE counts (
    kind text PRIMARY KEY,
    queries bigint NOT NULL DEFAULT 0,
    comparisons bigint NOT NULL DEFAULT 0,
    errors bigint NOT NULL DEFAULT 0,
    empty bigint NOT NULL DEFAULT 0,
    slow bigint NOT NULL DEFAULT 0,
    findings bigint NOT NULL DEFAULT 0
);
CREATE UNLOGGED TABLE plans (node text PRIMARY KEY, plans bigint NOT NULL DEFAULT 1);

-- The answer of a query in one value, or its error.  What it changed is undone.
CREATE FUNCTION answer(query text, before text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    statement text;
BEGIN
    BEGIN
        FOREACH statement IN ARRAY before LOOP
            EXECUTE statement;
        END LOOP;
        EXECUTE query INTO result;
        RAISE EXCEPTION USING ERRCODE = 'DIFF0', MESSAGE = coalesce(result, 'null');
    EXCEPTION WHEN SQLSTATE 'DIFF0' THEN
        RETURN SQLERRM;
    -- a busy machine, and joins without an index
    WHEN query_canceled THEN
        RETURN 'too slow';
    WHEN others THEN
        RETURN format('error %s', SQLSTATE) || CASE WHEN SQLSTATE LIKE 'XX%' THEN ' ' || SQLERRM ELSE '' END;
    END;
END $$;

-- The kinds of nodes in a plan, and what they get from an index
CREATE PROCEDURE note_plan(query text, before text[]) LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO plans
    SELECT DISTINCT coalesce(m[1], CASE WHEN m[2] IS NOT NULL THEN 'parallel' ELSE m[3] END)
    FROM regexp_matches(answer('EXPLAIN (COSTS OFF, FORMAT JSON) ' || query, before), '"Node Type": "([^"]+)|("Parallel Aware": true)|"(Index Cond|Recheck Cond|Subplans Removed)": [^0]', 'g') AS m
    ON CONFLICT (node) DO UPDATE SET plans = plans.plans + 1;
END $$;

-- The reference once, and our query with each of the settings
CREATE PROCEDURE compare(number bigint, kind text, queries text[], before text[], reference_before text[], VARIADIC settings text[]) LANGUAGE plpgsql AS $$
DECLARE
    ours text;
    setting text;
    reference text := answer(queries[2], reference_before);
    different boolean;
    found bigint := 0;
    slow boolean := reference = 'too slow';
BEGIN
    FOREACH setting IN ARRAY settings LOOP
        ours := answer(queries[1], setting || before);
        different := ours <> reference AND 'too slow' NOT IN (ours, reference) OR ours LIKE 'error XX%';
        slow := slow OR ours = 'too slow';
        found := found + different::int;
        IF different AND current_setting('differential.stop', true) = 'on' THEN
            RAISE EXCEPTION 'FINDING % (%)', number, kind;
        ELSIF different THEN
            RAISE WARNING E'FINDING % (%): % instead of %\n-- ours\n%;\n%;\n%;\n-- reference\n%;\n%;', number, kind, left(ours, 200), left(reference, 200),
                setting, array_to_string(before, E';\n'), queries[1], array_to_string(reference_before, E';\n'), queries[2];
        END IF;
    END LOOP;
    INSERT INTO counts VALUES (kind, 1, cardinality(settings), (reference LIKE 'error%')::int, (reference ~ '^(0|null)')::int, slow::int, found)
    ON CONFLICT ON CONSTRAINT counts_pkey DO UPDATE
    SET queries = counts.queries + 1, comparisons = counts.comparisons + excluded.comparisons, errors = counts.errors + excluded.errors,
        empty = counts.empty + excluded.empty, slow = counts.slow + excluded.slow, findings = counts.findings + excluded.findings;
    IF number % 20 = 0 AND queries[1] !~ '^FETCH' THEN
        CALL note_plan(queries[1], settings[1] || before);
    END IF;
END $$;
