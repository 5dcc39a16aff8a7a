-- A table that all of several servers write, with ids of the layout twitter in column "id":
--     psql -v table=orders -f writable_table.sql
\set ON_ERROR_STOP on

-- A row is changed on the server that made it, so no two servers change the same row.
-- Rows that come from the other servers fire no trigger.  What the function calls does not
-- depend on the search_path of who writes.
SELECT extnamespace::regnamespace AS extension_schema FROM pg_extension WHERE extname = 'objectid_ext' \gset
CREATE OR REPLACE FUNCTION refuse_rows_of_others() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, :extension_schema AS $$
BEGIN
    IF snowflake_node(OLD.id, 'twitter') <> snowflake_node_id() OR snowflake_node(NEW.id, 'twitter') <> snowflake_node_id() THEN
        RAISE EXCEPTION 'row % of table % is of another server', coalesce(OLD.id, NEW.id), TG_TABLE_NAME
            USING HINT = format('Change it on node %s.', snowflake_node(coalesce(OLD.id, NEW.id), 'twitter'));
    END IF;
    RETURN coalesce(NEW, OLD);
END;
$$;
-- TRUNCATE would delete the rows of all servers, on this server only.
CREATE OR REPLACE FUNCTION refuse_truncate() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'TRUNCATE of table % would delete rows of other servers, here only', TG_TABLE_NAME
        USING HINT = 'Delete the rows of each server there.';
END;
$$;
CREATE OR REPLACE TRIGGER refuse_truncate BEFORE TRUNCATE ON :table
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();
CREATE OR REPLACE TRIGGER refuse_rows_of_others BEFORE INSERT OR UPDATE OR DELETE ON :table
    FOR EACH ROW EXECUTE FUNCTION refuse_rows_of_others();

-- Publish the rows that were made here, and none that came in, which would circulate
-- for ever.  A publication's filter cannot call a function of an extension, so
-- this computes snowflake_node(id, 'twitter') itself.
-- It keeps the node of now: after a change of objectid_ext.node_id, new rows reach no
-- other server until ALTER PUBLICATION … SET TABLE has a filter for both nodes.
SELECT snowflake_node_id() AS node, sequence_bits, (1 << node_bits) - 1 AS max_node,
       'own_' || relname AS publication
FROM snowflake_layouts(), pg_class WHERE layout = 'twitter' AND oid = :'table'::regclass \gset
CREATE PUBLICATION :"publication"
    FOR TABLE :table WHERE ((id >> :sequence_bits) & :max_node = :node)
    WITH (publish = 'insert, update, delete', publish_via_partition_root = true);
