-- On each of several writable servers, once for each of the others:
--     psql -v other=NODE -v conninfo='host=… dbname=…' -f join_server.sql

-- Its name is also that of the slot on the other server.
SELECT pg_catalog.format('orders_%s_to_%s', :other, snowflake_node_id()) AS subscription \gset
CREATE SUBSCRIPTION :"subscription" CONNECTION :'conninfo' PUBLICATION own_orders;
