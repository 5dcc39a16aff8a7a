-- On the coordinator of a Citus cluster.  Every server of it, this one too, has
-- an objectid_ext.node_id of its own: its groupid in pg_dist_node.
CREATE EXTENSION IF NOT EXISTS objectid_ext;

-- Ids that no server has to be asked for need no set-up.
CREATE TABLE event (
    id   objectid PRIMARY KEY DEFAULT gen_objectid(),
    what text NOT NULL
);
SELECT create_distributed_table('event', 'id');

-- Each server has its own sequence.  The default finds it by its name when it runs.
-- Otherwise Citus would treat it as one that all servers share, and give each
-- worker a range of its values that is too low for these ids.  For the same reason
-- no column must own it.
SELECT * FROM run_command_on_all_nodes('CREATE SEQUENCE public.message_id CACHE 64');
CREATE TABLE message (
    id   bigint PRIMARY KEY DEFAULT next_snowflake('public.message_id'::text::regclass, 'twitter'),
    body text NOT NULL
);
SELECT create_distributed_table('message', 'id');
