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
SET timezone = 'UTC';
SELECT format('CREATE TABLE reading_%s PARTITION OF reading (PRIMARY KEY (id)) FOR VALUES FROM (%L) TO (%L)',
              to_char(month, 'YYYYMMDD'), objectid_floor(month), objectid_floor(month + interval '1 month'))
FROM generate_series(timestamptz '2026-10-01Z', '2026-12-01Z', '1 month') AS month \gexec

-- A table with foreign partitions can have no primary key; each partition has its own.
