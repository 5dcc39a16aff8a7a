-- One of two ticket servers, after Flickr's: one gives odd numbers, the other
-- even numbers, so neither needs to know about the other.
--     psql -v number=1 -f ticket_server.sql     on the first
--     psql -v number=2 -f ticket_server.sql     on the second

CREATE EXTENSION IF NOT EXISTS objectid_ext;
-- More servers need a larger INCREMENT on all of them: a third one would repeat the
-- numbers of the first.
SELECT :number NOT IN (1, 2) AS refused \gset
\if :refused
DO 'BEGIN RAISE ''number must be 1 or 2, unless INCREMENT BY is larger on all servers''; END';
\quit
\endif
CREATE SEQUENCE tickets INCREMENT BY 2 START WITH :number MINVALUE :number;

-- The role that applications connect as needs no other privilege:
--     SELECT nextval('tickets');
--     SELECT * FROM nextval_range('tickets', 100);
GRANT USAGE ON SEQUENCE tickets TO app;
