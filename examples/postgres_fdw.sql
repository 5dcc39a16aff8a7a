-- The last day of a table on another server, of which only that day is sent.
-- Here the other server is this one, and the other table in a schema "far".
CREATE SCHEMA far;
CREATE TABLE far.events (id objectid PRIMARY KEY, note text);
INSERT INTO far.events
SELECT objectid_floor(now() - (5 * i + 2) * interval '1 minute'), 'event ' || i FROM generate_series(0, 9999) AS i;
ANALYZE far.events;

-- Both servers have the extension.  Without the option "extensions" nothing of
-- its types is sent, and every row of the table comes over.
CREATE EXTENSION postgres_fdw;
SELECT split_part(current_setting('unix_socket_directories'), ',', 1) AS host, current_setting('port') AS port \gset
-- The role that initdb made: the server, which connects to itself by its socket,
-- is as a rule let in as no other.
SELECT rolname AS role FROM pg_roles WHERE oid = 10 \gset
CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'host', port :'port', dbname :'DBNAME', extensions 'objectid_ext');
CREATE USER MAPPING FOR CURRENT_USER SERVER far OPTIONS (user :'role');
CREATE FOREIGN TABLE events (id objectid NOT NULL, note text) SERVER far OPTIONS (schema_name 'far');

-- A constant is sent as the id that it becomes.
SELECT count(*) FROM events WHERE id >= timestamptz '2020-01-01 00:00:00+00';

-- now() is not: the other server's clock and TimeZone are its own.  A subquery
-- is evaluated here, once, and its result is sent.
SELECT count(*) FROM events WHERE id >= (SELECT objectid_floor(now() - interval '1 day'));
SELECT count(*) FROM events WHERE id >= (SELECT now() - interval '1 day');
