-- One of two ticket servers, after Flickr's: the one gives odd numbers, the
-- other even ones, so neither needs to know of the other.
--     psql -v number=1 -f ticket_server.sql     on the one
--     psql -v number=2 -f ticket_server.sql     on the other

CREATE SEQUENCE tickets INCREMENT BY 2 START WITH :number MINVALUE :number;

-- Who asks needs no more than this.
CREATE ROLE ticket_clients;
GRANT USAGE ON SEQUENCE tickets TO ticket_clients;

-- One ticket, and a hundred of them at once.
SELECT nextval('tickets');
SELECT * FROM nextval_range('tickets', 100);
