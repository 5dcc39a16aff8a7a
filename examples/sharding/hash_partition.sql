-- On each server that holds a hash partition, with the number of the partition:
--     psql -v number=0 -f hash_partition.sql
-- The primary key is here, for a table with foreign partitions can have none.
--
-- A foreign partition does not check its bounds.  So this table has only the partition that
-- belongs here: other rows, which no query would find, are refused.
CREATE TABLE item (
    id   objectid PRIMARY KEY,
    name text NOT NULL
) PARTITION BY HASH (id);
CREATE TABLE item_rows PARTITION OF item FOR VALUES WITH (MODULUS 2, REMAINDER :number);
