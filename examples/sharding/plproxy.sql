-- Where the applications connect to.  Each function calls the one of the same
-- name in the shard, or shards, that RUN ON says.
--     psql -v p0='host=… dbname=…' -v p1=… -v p2=… -v p3=… -f plproxy.sql
CREATE EXTENSION plproxy;
CREATE SERVER photos FOREIGN DATA WRAPPER plproxy OPTIONS (p0 :'p0', p1 :'p1', p2 :'p2', p3 :'p3');
CREATE USER MAPPING FOR CURRENT_USER SERVER photos;
CREATE TYPE photo AS (id bigint, owner bigint, title text);

-- A new person may be on any shard; the id contains it.
CREATE FUNCTION add_person(name text) RETURNS bigint LANGUAGE plproxy AS $$
    CLUSTER 'photos';
    RUN ON ANY;
$$;

-- The rows of a person go to the same shard.
CREATE FUNCTION add_photo(owner bigint, title text) RETURNS bigint LANGUAGE plproxy AS $$
    CLUSTER 'photos';
    RUN ON snowflake_node(owner, 'instagram');
$$;

-- Each shard is asked for its own ids.
CREATE FUNCTION get_photos(ids bigint[]) RETURNS SETOF photo LANGUAGE plproxy AS $$
    CLUSTER 'photos';
    SPLIT ids;
    RUN ON snowflake_node(ids, 'instagram');
$$;

-- All shards are asked; a sort by id is a sort by time:
--     SELECT * FROM newest_photos(10) ORDER BY id DESC LIMIT 10;
CREATE FUNCTION newest_photos(count int) RETURNS SETOF photo LANGUAGE plproxy AS $$
    CLUSTER 'photos';
    RUN ON ALL;
$$;

-- By the hash of an objectid, which never changes.
CREATE FUNCTION add_event(id objectid, what text) RETURNS objectid LANGUAGE plproxy AS $$
    CLUSTER 'photos';
    RUN ON objectid_hash(id);
$$;
CREATE FUNCTION get_event(id objectid) RETURNS text LANGUAGE plproxy AS $$
    CLUSTER 'photos';
    RUN ON objectid_hash(id);
$$;
