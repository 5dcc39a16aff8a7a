----------------------------------------------------------------------
-- What stands in the way
----------------------------------------------------------------------

-- Functions that look for obstacles return all of them.  conversion_plan() shows
-- them; what changes something raises the first as an error.  Both sort them.

CREATE TYPE objectid_ext_tools._obstacle AS (
    relation regclass,
    code text,
    message text,
    detail text,
    hint text
);
COMMENT ON TYPE objectid_ext_tools._obstacle IS 'internal: what would be an error: its table, the name of its condition, message, detail and hint';

CREATE FUNCTION objectid_ext_tools._raise(obstacles objectid_ext_tools._obstacle[]) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    o objectid_ext_tools._obstacle;
BEGIN
    SELECT * INTO o FROM unnest(obstacles) ORDER BY message COLLATE "C" LIMIT 1;
    -- an option of RAISE cannot be null
    CASE
        WHEN NOT FOUND THEN RETURN;
        WHEN o.detail IS NULL AND o.hint IS NULL THEN RAISE EXCEPTION USING ERRCODE = o.code, MESSAGE = o.message;
        WHEN o.detail IS NULL THEN RAISE EXCEPTION USING ERRCODE = o.code, MESSAGE = o.message, HINT = o.hint;
        WHEN o.hint IS NULL THEN RAISE EXCEPTION USING ERRCODE = o.code, MESSAGE = o.message, DETAIL = o.detail;
        ELSE RAISE EXCEPTION USING ERRCODE = o.code, MESSAGE = o.message, DETAIL = o.detail, HINT = o.hint;
    END CASE;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._raise(objectid_ext_tools._obstacle[]) IS 'internal: raises the first of these obstacles as an error, if there are any';
