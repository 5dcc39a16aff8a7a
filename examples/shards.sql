-- Logical shards 5 and 6 are two schemas.  Either can move to a server of its
-- own: the id contains the shard, so the ids of the two never collide.
CREATE SCHEMA insta5;
CREATE SEQUENCE insta5.table_id_seq;
CREATE TABLE insta5.photos (
    id bigint PRIMARY KEY DEFAULT next_shard_id(5, nextval('insta5.table_id_seq')),
    title text NOT NULL
);

CREATE SCHEMA insta6;
CREATE SEQUENCE insta6.table_id_seq;
CREATE TABLE insta6.photos (
    id bigint PRIMARY KEY DEFAULT next_shard_id(6, nextval('insta6.table_id_seq')),
    title text NOT NULL
);

INSERT INTO insta5.photos (title) VALUES ('harbour'), ('bridge');
INSERT INTO insta6.photos (title) VALUES ('market'), ('tower');

-- 41 bits of milliseconds, 13 bits of shard, 10 of sequence.
SELECT id, title, created, node AS shard, sequence
FROM (TABLE insta5.photos UNION ALL TABLE insta6.photos) AS photos,
     snowflake_parts(id, 'instagram')
ORDER BY id;
