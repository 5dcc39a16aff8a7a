-- On each server that holds a hash partition.  The primary key is here, for a
-- table with foreign partitions can have none.
CREATE TABLE item (
    id   objectid PRIMARY KEY,
    name text NOT NULL
);
