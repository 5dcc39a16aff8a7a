-- On the server that uses the tickets.  next_ticket() asks the two ticket servers
-- in turn, and skips one that is down.  It needs two foreign servers of
-- dblink_fdw, ticket_server_0 and ticket_server_1, on which the role app has
-- USAGE and a user mapping.

CREATE SEQUENCE turn;
GRANT USAGE ON SEQUENCE turn TO app;

CREATE FUNCTION next_ticket() RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    first int := nextval('turn') % 2;
    ticket bigint;
BEGIN
    FOREACH first IN ARRAY ARRAY[first, 1 - first] LOOP
        BEGIN
            SELECT t.ticket INTO ticket
            FROM dblink('ticket_server_' || first, 'SELECT nextval(''tickets'')') AS t (ticket bigint);
            RETURN ticket;
        EXCEPTION WHEN sqlclient_unable_to_establish_sqlconnection OR connection_failure OR admin_shutdown OR crash_shutdown THEN
            NULL;   -- it is down: ask the other
        END;
    END LOOP;
    RAISE EXCEPTION 'no ticket server answers' USING ERRCODE = 'connection_failure';
END;
$$;
