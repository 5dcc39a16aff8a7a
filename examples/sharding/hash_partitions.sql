-- A table whose rows are on two other servers, by the hash of their ids:
--     psql -v host0=… -v port0=… -v host1=… -v port1=… -f hash_partitions.sql
-- What is sent to them are conditions on types of the extensions named here.
CREATE EXTENSION IF NOT EXISTS postgres_fdw;
CREATE SERVER item_0 FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'host0', port :'port0', dbname :'DBNAME', extensions 'objectid_ext', async_capable 'true', batch_size '1000');
CREATE SERVER item_1 FOREIGN DATA WRAPPER postgres_fdw
    OPTIONS (host :'host1', port :'port1', dbname :'DBNAME', extensions 'objectid_ext', async_capable 'true', batch_size '1000');
CREATE USER MAPPING FOR CURRENT_USER SERVER item_0;
CREATE USER MAPPING FOR CURRENT_USER SERVER item_1;

-- The ids are made here, because their hashes decide where the rows go.
CREATE TABLE item (
    id   objectid NOT NULL DEFAULT gen_objectid(),
    name text NOT NULL
) PARTITION BY HASH (id);
CREATE FOREIGN TABLE item_0 PARTITION OF item FOR VALUES WITH (MODULUS 2, REMAINDER 0)
    SERVER item_0 OPTIONS (table_name 'item');
CREATE FOREIGN TABLE item_1 PARTITION OF item FOR VALUES WITH (MODULUS 2, REMAINDER 1)
    SERVER item_1 OPTIONS (table_name 'item');

-- Before 17 an array type does not belong to the extension of its elements,
-- and id = ANY (…) is not sent.
SELECT 'ALTER EXTENSION objectid_ext ADD TYPE objectid[]'
WHERE current_setting('server_version_num')::int < 170000 \gexec
