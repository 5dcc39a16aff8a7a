-- ===== Node ids of several servers =====

-- The setting objectid_ext.node_id and identification of a server, or why there is none.
CREATE TYPE _node_answer AS (
    server integer, node integer, system_identifier bigint, in_recovery boolean,
    started timestamptz, problem text);

-- The answer of another server; an error there is returned as problem.  dblink checks who can
-- connect to which server.
--
-- The query calls no function of objectid_ext, because on the other server, another user may
-- have made one of that name.  Only superusers can make C functions, of which fmgr_c_validator()
-- loads the library.  That removes a setting that is not configured.
CREATE FUNCTION _ask_node_id(server integer, conninfo text, OUT answer _node_answer)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    question CONSTANT text :=
        'SELECT s.setting, c.system_identifier, pg_catalog.pg_is_in_recovery(),'
        '       pg_catalog.pg_postmaster_start_time()'
        ' FROM pg_catalog.pg_proc AS p, pg_catalog.pg_control_system() AS c,'
        '      LATERAL (SELECT pg_catalog.current_setting('
        '                   CASE WHEN pg_catalog.fmgr_c_validator(p.oid) IS NOT NULL'
        '                        THEN ''objectid_ext.node_id'' END)) AS s (setting)'
        ' WHERE p.prosrc OPERATOR(pg_catalog.=) ''snowflake_node_id'''
        '   AND p.probin OPERATOR(pg_catalog.=) ''$libdir/objectid_ext''';
    detail text;
BEGIN
    answer.server := server;
    BEGIN
        EXECUTE format('SELECT * FROM %s.dblink($1, $2) AS t (node integer,'
                       ' system_identifier bigint, in_recovery boolean, started timestamptz)',
                       _schema_of('dblink'))
            INTO answer.node, answer.system_identifier, answer.in_recovery, answer.started
            USING conninfo, question;
        IF answer.started IS NULL THEN
            answer.problem := CASE WHEN conninfo IS NULL THEN 'connection string is null'
                                   ELSE 'extension "objectid_ext" is not installed' END;
        ELSIF answer.node = -1 THEN
            answer.node := NULL;
            answer.problem := 'objectid_ext.node_id is not set';
        END IF;
    EXCEPTION WHEN others THEN
        GET STACKED DIAGNOSTICS answer.problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
        answer.problem := concat_ws(': ', answer.problem, nullif(trim(E'\n' FROM detail), ''));
    END;
END;
$$;

-- Opens a dblink connection of that name to this database; false if it cannot be opened.
--
-- dblink connects to one server after the other, and from PostgreSQL 16 on it does not keep to
-- connect_timeout.  So other sessions of this database ask the servers, side by side; one that
-- takes too long is given up.  Before PostgreSQL 16, it ends by its connect_timeout.  A superuser
-- can connect to this server as a rule, for the server runs as the operating system's user who may.
CREATE FUNCTION _connect_helper(name text, via text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    EXECUTE format('SELECT %s.dblink_connect($1, $2)', _schema_of('dblink'))
        USING name, coalesce(via, (
            SELECT string_agg(format('%s=''%s''', key, regexp_replace(
                                  value, $re$(['\\])$re$, $re$\\\1$re$, 'g')), ' ')
            FROM (VALUES ('dbname', current_database()::text), ('user', current_user::text),
                         ('port', current_setting('port')),
                         ('host', split_part(current_setting('unix_socket_directories'), ',', 1))
                 ) AS parameter (key, value)
            WHERE value <> ''));
    RETURN true;
EXCEPTION WHEN others THEN
    IF via IS NOT NULL AND name ~ ' 1$' THEN
        RAISE;
    END IF;
    RETURN false;
END;
$$;

-- Cancels what these dblink connections do, and closes them.
CREATE FUNCTION _close_helpers(names text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
BEGIN
    EXECUTE format('SELECT %1$s.dblink_cancel_query(c), %1$s.dblink_disconnect(c)'
                   ' FROM unnest(%1$s.dblink_get_connections()) AS c WHERE c = ANY ($1)',
                   _schema_of('dblink')) USING names;
END;
$$;

-- What a helper has been told; server is null if the helper has failed.  The second call finds
-- no other result, and makes the connection free again.
CREATE FUNCTION _helper_answer(name text, OUT answer _node_answer)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET client_min_messages = warning AS $$
DECLARE
    query text := format('SELECT * FROM %s.dblink_get_result($1, false) AS t (server integer,'
                         ' node integer, system_identifier bigint, in_recovery boolean,'
                         ' started timestamptz, problem text)', _schema_of('dblink'));
BEGIN
    EXECUTE query INTO answer USING name;
    IF answer.server IS NOT NULL THEN
        EXECUTE query USING name;
    END IF;
END;
$$;

-- Asks servers by connections of these names, or one after the other if none can be opened.
CREATE FUNCTION _ask_side_by_side(conninfo text[], max_wait interval, via text, names text[])
RETURNS SETOF _node_answer
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    schema text := _schema_of('dblink');
    is_open boolean[] := ARRAY(SELECT _connect_helper(name, via) FROM unnest(names) AS name);
    asks integer[] := array_fill(NULL::integer, ARRAY[cardinality(names)]);
    since timestamptz[];
    next integer := 1;
    busy integer;
    answer _node_answer;
BEGIN
    WHILE true = ANY (is_open) AND (next <= cardinality(conninfo) OR 0 < ANY (asks)) LOOP
        FOR i IN 1 .. cardinality(names) LOOP
            IF asks[i] IS NOT NULL THEN
                EXECUTE format('SELECT %s.dblink_is_busy($1)', schema) INTO busy USING names[i];
                CONTINUE WHEN busy = 1 AND clock_timestamp() < since[i] + max_wait;
                answer := CASE busy WHEN 0 THEN _helper_answer(names[i]) END;
                IF answer.server IS NULL THEN
                    answer.server := asks[i];
                    answer.problem := CASE busy WHEN 0 THEN 'the session that asked it has ended'
                                                ELSE format('no answer within %s', max_wait) END;
                    PERFORM _close_helpers(names[i:i]);
                    is_open[i] := _connect_helper(names[i], via);
                END IF;
                RETURN NEXT answer;
                asks[i] := NULL;
            END IF;
            IF is_open[i] AND next <= cardinality(conninfo) THEN
                EXECUTE format('SELECT %s.dblink_send_query($1, $2)', schema)
                    USING names[i], format('SELECT * FROM objectid_ext_tools._ask_node_id(%s, %L)',
                                           next, conninfo[next]);
                asks[i] := next;
                since[i] := clock_timestamp();
                next := next + 1;
            END IF;
        END LOOP;
        PERFORM pg_sleep(0.005);
    END LOOP;
    RETURN QUERY SELECT a.* FROM generate_series(next, cardinality(conninfo)) AS n,
                                 _ask_node_id(n, conninfo[n]) AS a;
END;
$$;

-- Asks servers, at most 16 at once, and leaves no connection behind.
CREATE FUNCTION _ask_node_ids(conninfo text[], max_wait interval, via text)
RETURNS SETOF _node_answer
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    names text[] := ARRAY(SELECT 'objectid_ext_tools ' || n
                          FROM generate_series(1, least(cardinality(conninfo), 16)) AS n);
BEGIN
    conninfo := ARRAY(
        SELECT CASE WHEN each ~ '=' AND each !~ '^postgres(ql)?://'
                    THEN format('connect_timeout=%s %s',
                                2 + extract(epoch FROM max_wait)::integer, each)
                    ELSE each END
        FROM unnest(conninfo) WITH ORDINALITY AS c (each, n) ORDER BY n);
    RETURN QUERY SELECT * FROM _ask_side_by_side(conninfo, max_wait, via, names);
    PERFORM _close_helpers(names);
EXCEPTION WHEN query_canceled OR others THEN
    PERFORM _close_helpers(names);
    RAISE;
END;
$$;

-- A copy of a server has the same system identifier, so the start time tells them apart.
-- A standby correctly has the same node as its primary.
CREATE FUNCTION check_node_ids(conninfo text[], max_wait interval DEFAULT '10 s',
    via text DEFAULT NULL, OUT server integer, OUT node integer, OUT system_identifier bigint,
    OUT in_recovery boolean, OUT problem text) RETURNS SETOF record
LANGUAGE sql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH answer AS MATERIALIZED (SELECT * FROM _ask_node_ids(conninfo, max_wait, via))
    SELECT a.server, a.node, a.system_identifier, a.in_recovery,
           coalesce(a.problem, (
               SELECT 'same node as server ' || string_agg(b.server::text, ', ' ORDER BY b.server)
               FROM answer AS b
               WHERE b.node = a.node
                 AND (b.system_identifier, b.started) <> (a.system_identifier, a.started)
                 AND (b.system_identifier <> a.system_identifier
                      OR NOT a.in_recovery AND NOT b.in_recovery)))
    FROM answer AS a
    ORDER BY a.server
$$;
COMMENT ON FUNCTION check_node_ids(text[], interval, text) IS
    'queries objectid_ext.node_id of servers, given by connection strings or names of foreign '
    'servers; problem names servers with the same node or is the error of the query, and is '
    'null if there is none; requires dblink';
