/* extension/objectid_ext_tools--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION objectid_ext_tools" to load this file. \quit

-- All objects are in a schema that this script creates, so no other user can have created objects
-- in it before, and only its owner can later.  The control file sets the schema pg_catalog only to
-- keep other schemas out of the search_path.
--
-- While this script runs, the schema of objectid_ext is in the search_path, and other users may
-- have CREATE on it.  For the same reason no function has it in its search_path.  The rules for
-- function bodies:
--
-- - A body is parsed when it is called, with the search_path that its function sets: names of core,
--   and of this extension, need no schema there.  It refers to functions of objectid_ext, which can
--   be in any schema and can be moved, by the schema that _schema_of() finds, with arguments of
--   exactly their types.  Statements that others execute name the schema of everything.
-- - A body in the SQL-standard form is bound when it is created, and moves along with
--   objectid_ext.  It names the schema of each of core's functions and operators; CASE with an
--   operand, IN, BETWEEN, IS DISTINCT FROM and NULLIF would look operators up.
-- - A string with a backslash is written E'...' or $$...$$, or the function sets
--   standard_conforming_strings: sessions can have that off.  What prints constants that are parsed
--   again sets datestyle, intervalstyle and extra_float_digits.
-- - A check returns its argument, to be assigned: to the CONTEXT of its error, PERFORM would add a
--   line more.

CREATE SCHEMA objectid_ext_tools;
COMMENT ON SCHEMA objectid_ext_tools IS
    'functions of objectid_ext_tools; names that begin with an underscore are internal';
GRANT USAGE ON SCHEMA objectid_ext_tools TO PUBLIC;
-- What this script creates is created there.
SELECT pg_catalog.set_config('search_path', pg_catalog.concat('objectid_ext_tools, ',
                             pg_catalog.current_setting('search_path')), true);

-- Schema of an extension, quoted.
CREATE FUNCTION _schema_of(extension name DEFAULT 'objectid_ext', OUT schema text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    SELECT quote_ident(nspname) INTO schema
    FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = extension;
    IF schema IS NULL THEN
        RAISE EXCEPTION 'required extension "%" is not installed', extension
            USING ERRCODE = 'undefined_object',
                  HINT = format('Use CREATE EXTENSION %I to install the extension.', extension);
    END IF;
END;
$$;

-- The table; an error unless a statement sees what has been committed before it began.  What a
-- function decides after it has waited for a lock, it must read from a newer snapshot than that
-- of the transaction.
CREATE FUNCTION _check_isolation("table" regclass) RETURNS regclass
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    level text := current_setting('transaction_isolation');
BEGIN
    IF level IN ('repeatable read', 'serializable') THEN
        RAISE EXCEPTION 'isolation level must be READ COMMITTED'
            USING ERRCODE = 'invalid_transaction_state',
                  DETAIL = format('At level %s, the function would not see what other transactions '
                                  'commit while it waits for a lock.', upper(level)),
                  HINT = 'Use BEGIN ISOLATION LEVEL READ COMMITTED, or SET '
                         'default_transaction_isolation = ''read committed''.';
    END IF;
    RETURN "table";
END;
$$;
