-- One of several servers that all take writes, and all have all rows.  Each
-- has its own objectid_ext.node_id, and wal_level = logical.
\set ON_ERROR_STOP on
CREATE EXTENSION IF NOT EXISTS objectid_ext;

CREATE SEQUENCE orders_id CACHE 64;
CREATE TABLE orders (
    id   bigint PRIMARY KEY DEFAULT next_snowflake('orders_id', 'twitter'),
    item text NOT NULL
);

-- A row is changed on the server that made it, so no two servers change the same row.
-- Rows that come from the other servers fire no trigger.
CREATE FUNCTION refuse_rows_of_others() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF snowflake_node(OLD.id, 'twitter') <> snowflake_node_id() OR snowflake_node(NEW.id, 'twitter') <> snowflake_node_id() THEN
        RAISE EXCEPTION 'order % is of another server', coalesce(OLD.id, NEW.id)
            USING HINT = format('Change it on node %s.', snowflake_node(coalesce(OLD.id, NEW.id), 'twitter'));
    END IF;
    RETURN coalesce(NEW, OLD);
END;
$$;
CREATE TRIGGER refuse_rows_of_others BEFORE INSERT OR UPDATE OR DELETE ON orders
    FOR EACH ROW EXECUTE FUNCTION refuse_rows_of_others();

-- Publish the rows that were made here, and none that came in, which would circulate
-- for ever.  A publication's filter cannot call a function of an extension, so
-- this computes snowflake_node(id, 'twitter') itself.
-- It keeps the node of now: after a change of objectid_ext.node_id, new rows reach no
-- other server until ALTER PUBLICATION own_orders SET TABLE has a filter for both nodes.
SELECT snowflake_node_id() AS node, sequence_bits, (1 << node_bits) - 1 AS max_node
FROM snowflake_layouts() WHERE layout = 'twitter' \gset
CREATE PUBLICATION own_orders
    FOR TABLE orders WHERE ((id >> :sequence_bits) & :max_node = :node)
    WITH (publish = 'insert, update, delete');
