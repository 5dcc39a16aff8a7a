-- Where each logical shard is, on one small server that all applications know.
-- The primary key ensures that a shard is on one server only.
CREATE EXTENSION IF NOT EXISTS objectid_ext;
CREATE TABLE shard_route (
    shard  int PRIMARY KEY,
    server text NOT NULL    -- connection string
);
GRANT SELECT ON shard_route TO app;

-- The id of a row contains its shard.
CREATE FUNCTION server_of(id bigint) RETURNS text LANGUAGE sql STABLE
RETURN (SELECT server FROM shard_route WHERE shard = snowflake_node(id, 'instagram'));
