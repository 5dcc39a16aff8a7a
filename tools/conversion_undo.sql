-- ===== Live conversions: back to what was =====

-- A table can have another name by now, or be gone; so this goes by what the functions' comments
-- say.
CREATE PROCEDURE undo_conversion("table" regclass, "column" name, max_wait interval DEFAULT '1 s')
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp SET jit = off AS $$
DECLARE
    begun oid := (SELECT key_table FROM _conversions()
                  WHERE relation = "table" OR key_table = "table" LIMIT 1);
BEGIN
    IF num_nulls("table", "column", max_wait) > 0 THEN
        RAISE null_value_not_allowed USING MESSAGE = 'table, column and max_wait must not be null';
    ELSIF begun IS NULL THEN
        RAISE EXCEPTION 'no column of table % is being converted', "table"
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    begun := _claim(begun);
    IF EXISTS (SELECT FROM _conversions() WHERE key_table = begun AND data ~ '^[[]') THEN
        RAISE EXCEPTION 'the columns of table % have been exchanged already', "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Ask for the steps that remain, and execute them.';
    END IF;
    PERFORM _lock_in_turn(ARRAY(
        SELECT relation FROM _conversions()
        WHERE key_table = begun AND relation IS NOT NULL ORDER BY 1), max_wait);
    PERFORM _execute_all(VARIADIC ARRAY(
        SELECT statement
        FROM _conversions(),
             LATERAL (SELECT coalesce(string_agg(format(', DROP COLUMN %I', s), ''), '')
                      FROM _shadow_names(relation) AS s) AS c (drops),
             LATERAL (VALUES
                 (1, 'DROP TRIGGER IF EXISTS "~objectid_ext_conversion" ON ' || relation),
                 (2, 'ALTER TABLE ' || relation || ' DROP CONSTRAINT IF EXISTS _objectid_ext'
                     || drops),
                 (3, format('DROP FUNCTION %s', function))) AS s (step, statement)
        WHERE key_table = begun
        ORDER BY relation, step));
    PERFORM _release(begun);
END;
$$;
COMMENT ON PROCEDURE undo_conversion IS
    'removes all that a live conversion has added, before its last step; other sessions wait for '
    'at most max_wait; an error if there is none';
