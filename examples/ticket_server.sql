-- One of two ticket servers, after Flickr's: one gives odd numbers, the other
-- even numbers, so neither needs to know about the other.
--     psql -v number=1 -f ticket_server.sql     on the first
--     psql -v number=2 -f ticket_server.sql     on the second

CREATE EXTENSION IF NOT EXISTS objectid_ext;
CREATE SEQUENCE tickets INCREMENT BY 2 START WITH :number MINVALUE :number;

-- The role that applications connect as needs no other privilege:
--     SELECT nextval('tickets');
--     SELECT * FROM nextval_range('tickets', 100);
GRANT USAGE ON SEQUENCE tickets TO app;
