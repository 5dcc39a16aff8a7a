----------------------------------------------------------------------
-- Node ids of several servers
----------------------------------------------------------------------

-- dblink checks who can connect to which server.  An error becomes part of the result.
--
-- The query calls no function of objectid_ext, because on the other server, another user
-- may have made one of that name.  Only superusers can make C functions, of which
-- fmgr_c_validator() loads the library.  That removes a setting that is not configured.

CREATE FUNCTION objectid_ext_tools._ask_node_id(
    conninfo text,
    OUT node integer,
    OUT system_identifier bigint,
    OUT in_recovery boolean,
    OUT started timestamp with time zone,
    OUT problem text
)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    dblink_schema name := (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'dblink');
    question CONSTANT text :=
        'SELECT pg_catalog.current_setting(CASE WHEN pg_catalog.fmgr_c_validator(p.oid) IS NOT NULL THEN ''objectid_ext.node_id'' END),'
        '       c.system_identifier, pg_catalog.pg_is_in_recovery(), pg_catalog.pg_postmaster_start_time()'
        ' FROM pg_catalog.pg_proc AS p, pg_catalog.pg_control_system() AS c'
        ' WHERE p.prosrc OPERATOR(pg_catalog.=) ''snowflake_node_id'' AND p.probin OPERATOR(pg_catalog.=) ''$libdir/objectid_ext''';
    detail text;
BEGIN
    IF dblink_schema IS NULL THEN
        RAISE EXCEPTION 'required extension "dblink" is not installed'
            USING ERRCODE = 'undefined_object', HINT = 'Use CREATE EXTENSION dblink to install the extension.';
    END IF;
    BEGIN
        EXECUTE format('SELECT * FROM %I.dblink($1, $2) AS t (node integer, system_identifier bigint, in_recovery boolean, started timestamptz)',
                       dblink_schema)
            INTO node, system_identifier, in_recovery, started
            USING conninfo, question;
        IF started IS NULL THEN
            problem := 'extension "objectid_ext" is not installed';
        ELSIF node = -1 THEN
            node := NULL;
            problem := 'objectid_ext.node_id is not set';
        END IF;
    EXCEPTION WHEN others THEN
        GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
        problem := concat_ws(': ', problem, nullif(trim(E'\n' FROM detail), ''));
    END;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._ask_node_id(text) IS 'internal: objectid_ext.node_id and identification of another server; an error there is returned as problem';

-- A copy of a server has the same system identifier, so the start time tells them apart.
-- A standby correctly has the same node as its primary.

CREATE FUNCTION objectid_ext_tools.check_node_ids(
    conninfo text[],
    OUT server integer,
    OUT node integer,
    OUT system_identifier bigint,
    OUT in_recovery boolean,
    OUT problem text
) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
    WITH answer AS MATERIALIZED (
        SELECT n::integer AS server, a.*
        FROM unnest(conninfo) WITH ORDINALITY AS c (each, n), objectid_ext_tools._ask_node_id(each) AS a
    )
    SELECT a.server, a.node, a.system_identifier, a.in_recovery,
           CASE WHEN a.problem IS NOT NULL THEN a.problem
                WHEN a.started IS NULL THEN 'connection string is null'
                ELSE (SELECT 'same node as server ' || string_agg(b.server::text, ', ' ORDER BY b.server)
                      FROM answer AS b
                      WHERE b.node = a.node
                        AND (b.system_identifier, b.started) <> (a.system_identifier, a.started)
                        AND (b.system_identifier <> a.system_identifier OR NOT a.in_recovery AND NOT b.in_recovery))
           END
    FROM answer AS a
    ORDER BY a.server
$$;
COMMENT ON FUNCTION objectid_ext_tools.check_node_ids(text[]) IS 'queries objectid_ext.node_id of servers, given by connection strings or names of foreign servers; problem names servers with the same node or is the error of the query, and is null if there is none; requires dblink';
