-- On each of several writable servers, once for each of the others:
--     psql -v table=orders -v other=NODE -v conninfo='host=… dbname=…' -f join_server.sql
\set ON_ERROR_STOP on

-- Its name is also that of the slot on the other server.
SELECT 'own_' || relname AS publication,
       format('%s_%s_to_%s', left(regexp_replace(lower(relname), '[^a-z0-9]', '_', 'g'), 40), :other, snowflake_node_id()) AS subscription
FROM pg_class WHERE oid = :'table'::regclass \gset
CREATE SUBSCRIPTION :"subscription" CONNECTION :'conninfo' PUBLICATION :"publication";
