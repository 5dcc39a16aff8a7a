-- One logical shard: a schema, on any server.
--     psql -v shard=5 -f shard.sql
-- Applications connect as the role app, which owns nothing.
\set schema shard_ :shard
\set photo_id :schema .photo_id

CREATE SCHEMA :"schema";
CREATE SEQUENCE :"schema".photo_id CACHE 64;
CREATE TABLE :"schema".photo (
    id    bigint PRIMARY KEY DEFAULT next_snowflake(:'photo_id', :shard, 'instagram')
          CHECK (snowflake_node(id, 'instagram') = :shard),
    title text NOT NULL
);
GRANT USAGE ON SCHEMA :"schema" TO app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA :"schema" TO app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :"schema" TO app;
