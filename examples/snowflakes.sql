-- The sequence contains a clock.  No id is returned twice, whatever the wall clock
-- does and however many sessions ask.  CACHE lets a session take 64 at a time.
CREATE SEQUENCE messages_id CACHE 64;
CREATE TABLE messages (
    id bigint PRIMARY KEY DEFAULT next_snowflake('messages_id', 1, 'twitter'),
    body text NOT NULL
);
INSERT INTO messages (body) SELECT 'message ' || i FROM generate_series(1, 100000) AS i;

-- Node 1, and 12 bits of sequence, which start again every millisecond.
SELECT id, created, node, sequence FROM messages, snowflake_parts(id, 'twitter') ORDER BY id DESC LIMIT 3;

SELECT count(DISTINCT id) AS ids, max(snowflake_timestamp(id, 'twitter')) - min(snowflake_timestamp(id, 'twitter')) AS within
FROM messages;

-- Another table of a shard from above, with the same bits, by a clock sequence.
CREATE SEQUENCE insta5.comments_id;
CREATE TABLE insta5.comments (
    id bigint PRIMARY KEY DEFAULT next_snowflake('insta5.comments_id', 5, 'instagram'),
    body text NOT NULL
);
INSERT INTO insta5.comments (body) VALUES ('A lighthouse!')
RETURNING id, snowflake_node(id, 'instagram') AS shard;
