-- In each database that is a shard; the proxy counts them from 0.
--     psql -v shard=0 -f plproxy_shard.sql
CREATE SEQUENCE person_id CACHE 64;
CREATE TABLE person (
    id   bigint PRIMARY KEY DEFAULT next_snowflake('person_id', :shard, 'instagram'),
    name text NOT NULL
);
CREATE SEQUENCE photo_id CACHE 64;
CREATE TABLE photo (
    id    bigint PRIMARY KEY DEFAULT next_snowflake('photo_id', :shard, 'instagram'),
    owner bigint NOT NULL REFERENCES person,
    title text NOT NULL
);

CREATE FUNCTION add_person(name text) RETURNS bigint
BEGIN ATOMIC
    INSERT INTO person (name) VALUES (add_person.name) RETURNING id;
END;
CREATE FUNCTION add_photo(owner bigint, title text) RETURNS bigint
BEGIN ATOMIC
    INSERT INTO photo (owner, title) VALUES (add_photo.owner, add_photo.title) RETURNING id;
END;
CREATE FUNCTION get_photos(ids bigint[]) RETURNS SETOF photo STABLE
BEGIN ATOMIC
    SELECT * FROM photo WHERE id = ANY (ids);
END;
CREATE FUNCTION newest_photos(count int) RETURNS SETOF photo STABLE
BEGIN ATOMIC
    SELECT * FROM photo ORDER BY id DESC LIMIT count;
END;

-- An objectid has no shard in it; these rows are placed by its hash.
CREATE TABLE event (id objectid PRIMARY KEY, what text NOT NULL);
CREATE FUNCTION add_event(id objectid, what text) RETURNS objectid
BEGIN ATOMIC
    INSERT INTO event VALUES (add_event.id, add_event.what) RETURNING event.id;
END;
CREATE FUNCTION get_event(id objectid) RETURNS text STABLE
BEGIN ATOMIC
    SELECT what FROM event WHERE event.id = get_event.id;
END;
