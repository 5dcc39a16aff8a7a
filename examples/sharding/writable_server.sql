-- One of several servers that all take writes, and all have all rows.  Each
-- has its own objectid_ext.node_id, and wal_level = logical.
\set ON_ERROR_STOP on
BEGIN;
CREATE EXTENSION IF NOT EXISTS objectid_ext;
SELECT snowflake_node_id() AS node \gset

CREATE SEQUENCE orders_id CACHE 64;
CREATE TABLE orders (
    id   bigint PRIMARY KEY DEFAULT next_snowflake('orders_id', 'twitter'),
    item text NOT NULL
);

\set table orders
\ir writable_table.sql
COMMIT;
