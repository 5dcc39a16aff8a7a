-- Where the tickets are used: asks the two ticket servers in turn, and passes
-- over one that is down.  Needs two foreign servers, ticket_server_0 and
-- ticket_server_1, of dblink_fdw, and user mappings for them.

CREATE SEQUENCE turn;

CREATE FUNCTION next_ticket() RETURNS bigint LANGUAGE plpgsql AS $$
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
