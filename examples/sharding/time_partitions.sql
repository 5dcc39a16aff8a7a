-- A table whose new months are here, and whose old ones on another server:
--     psql -v host=… -v port=… -f time_partitions.sql
CREATE EXTENSION IF NOT EXISTS postgres_fdw;
CREATE SERVER archive FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'host', port :'port', dbname :'DBNAME', extensions 'objectid_ext');
CREATE USER MAPPING FOR CURRENT_USER SERVER archive;

CREATE TABLE reading (
    id    objectid NOT NULL DEFAULT gen_objectid(),
    value float8 NOT NULL
) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE reading_old PARTITION OF reading
    FOR VALUES FROM (MINVALUE) TO (objectid_floor('2026-10-01Z')) SERVER archive;
SELECT objectid_ext_tools.create_id_partitions('reading', '1 month', '2026-10-01Z', '2027-01-01Z');

-- The primary key is that of each partition, as a table with foreign partitions
-- can have none.
SELECT pg_catalog.format('ALTER TABLE %s ADD PRIMARY KEY (id)', partition)
FROM objectid_ext_tools.id_partitions('reading') JOIN pg_class ON oid = partition::oid WHERE relkind = 'r' \gexec
