-- ===== A directory of node ids =====

-- The directory is a schema of its own, and no part of this extension, which can be dropped and
-- created again.  A row is a server by its system identifier and its place, because a copy has the
-- same identifier.  A number that is released is free for others once the clock is past its ids.
CREATE FUNCTION create_node_directory() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    CREATE SCHEMA node_directory;
    COMMENT ON SCHEMA node_directory IS 'node ids, for claim_node_id() of objectid_ext_tools';
    CREATE TABLE node_directory.node (
        node integer PRIMARY KEY CHECK (node >= 0),
        system_identifier bigint NOT NULL,
        host text NOT NULL,
        port integer NOT NULL,
        data_directory text NOT NULL,
        claimed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        free_after timestamptz,
        UNIQUE (system_identifier, host, port, data_directory)
    );
    COMMENT ON TABLE node_directory.node IS
        'node ids that servers have claimed; free_after is null until they are released';
END;
$$;
COMMENT ON FUNCTION create_node_directory() IS
    'creates schema node_directory, in the database that all servers ask for their node ids';

-- A server that claims or releases a node id: which one it is, its present node, and its clock.
CREATE TYPE _server AS (
    system_identifier bigint, host text, port integer, data_directory text, in_recovery boolean,
    node integer, clock timestamptz);

-- This server, for the directory.
CREATE FUNCTION _this_server(host text) RETURNS _server
LANGUAGE sql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT ROW(c.system_identifier, host, current_setting('port')::integer,
               current_setting('data_directory'), pg_is_in_recovery(), s.node,
               clock_timestamp())::_server
    FROM pg_control_system() AS c, _server_settings() AS s
$$;

-- An integer that a query returns in the directory.
CREATE FUNCTION _ask_directory(directory text, question text, OUT answer integer)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    EXECUTE format('SELECT * FROM %s.dblink($1, $2) AS t (answer integer)', _schema_of('dblink'))
        INTO STRICT answer USING directory, question;
END;
$$;

-- The functions from here to _release_node() are called in the directory.  This one locks it, and
-- completes what a server says of itself: its host is what it says, or where it connects from.
CREATE FUNCTION _enter_directory(INOUT server _server)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    IF to_regclass('node_directory.node') IS NULL THEN
        RAISE EXCEPTION 'database "%" is not a node directory', current_database()
            USING ERRCODE = 'undefined_table',
                  HINT = 'Use SELECT objectid_ext_tools.create_node_directory() in it.';
    END IF;
    LOCK TABLE node_directory.node IN SHARE ROW EXCLUSIVE MODE;
    server.host := coalesce(server.host, host(inet_client_addr()), 'local');
    server.clock := least(server.clock, clock_timestamp());
END;
$$;

-- The node that this server, or its primary, has claimed in another place; null if there is none,
-- or for a copy.  Whether one in another place is a copy, or of a copy, its administrator must say.
CREATE FUNCTION _node_elsewhere(server _server, copy boolean) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    nodes integer[] := ARRAY(
        SELECT n.node FROM node_directory.node AS n
        WHERE n.system_identifier = server.system_identifier AND free_after IS NULL);
    kept integer := CASE WHEN cardinality(nodes) = 1 THEN nodes[1]
                         WHEN NOT copy AND server.node = ANY (nodes) THEN server.node END;
BEGIN
    IF server.in_recovery AND nodes = '{}' THEN
        RAISE EXCEPTION 'the primary of this standby has not claimed a node id'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Use claim_node_id() on the primary first.';
    ELSIF server.in_recovery AND kept IS NOT NULL THEN
        RETURN kept;
    ELSIF NOT server.in_recovery AND (nodes = '{}' OR copy) THEN
        RETURN NULL;
    ELSIF kept IS NULL OR copy IS NULL THEN
        RAISE EXCEPTION 'a server with the same system identifier has claimed node %',
                        array_to_string(nodes, ', ')
            USING ERRCODE = 'object_in_use',
                  DETAIL = (SELECT string_agg(format('Node %s was claimed by host %s, port %s, '
                                                     'data directory %s.', n.node, n.host, n.port,
                                                     n.data_directory), ' ' ORDER BY n.node)
                            FROM node_directory.node AS n WHERE n.node = ANY (nodes)),
                  HINT = CASE WHEN server.in_recovery
                         THEN 'Set objectid_ext.node_id as on the primary, and use copy => false.'
                         ELSE 'If that server runs, this one is a copy: use copy => true to claim '
                         'another number. If this one has taken its place, use copy => false.' END;
    END IF;
    UPDATE node_directory.node AS n
    SET host = server.host, port = server.port, data_directory = server.data_directory,
        claimed_at = clock_timestamp()
    WHERE n.node = kept;
    RETURN kept;
END;
$$;

-- Enters a server with the node that it has, or the lowest that is free.
CREATE FUNCTION _new_node(server _server, max_node integer, copy boolean) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    taken CONSTANT integer[] := ARRAY(
        SELECT n.node FROM node_directory.node AS n
        WHERE free_after IS NULL OR free_after >= server.clock);
    number integer := CASE WHEN copy THEN NULL ELSE server.node END;
BEGIN
    IF number = ANY (taken) THEN
        RAISE EXCEPTION 'node % of this server belongs to another server', number
            USING ERRCODE = 'object_in_use',
                  DETAIL = (SELECT format('It was claimed by host %s, port %s, data directory %s.',
                                          n.host, n.port, n.data_directory)
                            FROM node_directory.node AS n WHERE n.node = number),
                  HINT = 'Remove objectid_ext.node_id from the configuration of this server, '
                         'reload it, and claim again.';
    ELSIF number IS NULL THEN
        number := (SELECT min(n) FROM generate_series(0, least(max_node, cardinality(taken) + 1)) n
                   WHERE n <> ALL (taken) AND n IS DISTINCT FROM server.node);
        IF number IS NULL THEN
            RAISE EXCEPTION 'all node ids from 0 to % are claimed', max_node
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = 'Use release_node_id() on a server that needs none any more, or a '
                             'layout with more nodes.';
        END IF;
    END IF;
    INSERT INTO node_directory.node (node, system_identifier, host, port, data_directory)
    VALUES (number, server.system_identifier, server.host, server.port, server.data_directory)
    ON CONFLICT (node) DO UPDATE
    SET (system_identifier, host, port, data_directory, claimed_at, free_after)
        = (excluded.system_identifier, excluded.host, excluded.port, excluded.data_directory,
           excluded.claimed_at, NULL);
    RETURN number;
END;
$$;

-- The node of a server, which is entered if it is new.
CREATE FUNCTION _claim_node(server _server, max_node integer, copy boolean, OUT number integer)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    server := _enter_directory(server);
    UPDATE node_directory.node AS n SET free_after = NULL
    WHERE (n.system_identifier, n.host, n.port, n.data_directory)
          = (server.system_identifier, server.host, server.port, server.data_directory)
    RETURNING n.node INTO number;
    number := coalesce(number, _node_elsewhere(server, copy), _new_node(server, max_node, copy));
    IF number > max_node THEN
        RAISE EXCEPTION 'node % is out of range', number
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = format('It must be from 0 to %s.', max_node);
    END IF;
END;
$$;

-- Others may claim the node of a server after an instant.
CREATE FUNCTION _release_node(server _server, ids_until timestamptz, OUT number integer)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    server := _enter_directory(server);
    UPDATE node_directory.node AS n SET free_after = greatest(free_after, ids_until)
    WHERE (n.system_identifier, n.host, n.port, n.data_directory)
          = (server.system_identifier, server.host, server.port, server.data_directory)
    RETURNING n.node INTO number;
    IF number IS NULL THEN
        RAISE EXCEPTION 'this server has not claimed a node id'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('It is host %s, port %s, data directory %s.', server.host,
                                  server.port, server.data_directory);
    END IF;
END;
$$;

-- ALTER SYSTEM runs neither in a function nor in a transaction block.
CREATE FUNCTION claim_node_id(directory text, layout snowflake_layout, copy boolean DEFAULT NULL,
    host text DEFAULT NULL) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET datestyle = 'ISO' AS $$
DECLARE
    server _server := _this_server(host);
    max_node integer := (SELECT l.max_node FROM _layout_facts(layout) AS l);
    number integer := _ask_directory(directory, format(
        'SELECT objectid_ext_tools._claim_node(%L, %s, %L)', server, max_node, copy));
BEGIN
    IF number IS DISTINCT FROM server.node THEN
        IF EXISTS (SELECT FROM pg_settings
                   WHERE name = 'objectid_ext.node_id' AND source = 'command line') THEN
            RAISE EXCEPTION 'objectid_ext.node_id is set on the command line of the server'
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = format('Set it to %s there, and restart the server.', number);
        END IF;
        RETURN NEXT format('ALTER SYSTEM SET objectid_ext.node_id = %s', number);
        RETURN NEXT 'SELECT pg_catalog.pg_reload_conf()';
    END IF;
END;
$$;
COMMENT ON FUNCTION claim_node_id(text, snowflake_layout, boolean, text) IS
    'claims a node id for this server in a directory, once, and returns the statements that set '
    'it; requires dblink';

-- RESET would bring back the number of another file.  A session reads the new configuration before
-- its next statement, and one that runs keeps the old.  Ids here can be ahead of the clock.
CREATE FUNCTION release_node_id(directory text, ids_until timestamptz DEFAULT NULL,
    host text DEFAULT NULL) RETURNS SETOF text
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET datestyle = 'ISO' AS $$
DECLARE
    server _server := _this_server(host);
    file text := (SELECT coalesce(sourcefile, source) FROM pg_settings
                  WHERE name = 'objectid_ext.node_id');
    running integer;
BEGIN
    IF server.node IS NOT NULL THEN
        IF file !~ '/postgresql[.]auto[.]conf$' THEN
            RAISE EXCEPTION 'objectid_ext.node_id is set in "%"', file
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      HINT = 'Remove it there, reload or restart the server, and try again.';
        END IF;
        RETURN NEXT 'ALTER SYSTEM SET objectid_ext.node_id = -1';
        RETURN NEXT 'SELECT pg_catalog.pg_reload_conf()';
        RETURN;
    END IF;
    PERFORM pg_sleep_until(pg_conf_load_time() + interval '1 s');
    SELECT pid INTO running FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND state = 'active'
      AND query_start < pg_conf_load_time() + interval '1 s';
    IF FOUND THEN
        RAISE EXCEPTION 'the statement of process % can still use the node id', running
            USING ERRCODE = 'object_in_use',
                  HINT = 'Wait until it ends, and try again.';
    END IF;
    IF ids_until IS NULL AND EXISTS (
            SELECT FROM clock_sequences WHERE generator = 'next_snowflake'
            AND has_sequence_privilege(sequence, 'SELECT, USAGE') IS NOT TRUE) THEN
        RAISE EXCEPTION 'last id of a clock sequence is not known'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'Correct what clock_sequences reports, or pass its time as ids_until.';
    END IF;
    PERFORM _ask_directory(directory, format(
        'SELECT objectid_ext_tools._release_node(%L, %L)', server,
        (SELECT greatest(clock_timestamp(), ids_until, max(last_time))
         FROM clock_sequences)));
END;
$$;
COMMENT ON FUNCTION release_node_id(text, timestamptz, text) IS
    'returns the statements that unset the node id of this server; then, releases it in the '
    'directory, for claims once the clock is past its ids; requires dblink';
