-- Read what is new of all nodes on a subscriber, with a bookmark for each node:
--     psql -v consumer=report -v table=outbox -v layout=twitter -f merged.sql
--
-- The bounds are rows that arrive after those below them, so here one snapshot
-- must see both.  It is taken after the locks: an older one sees no rows of a table
-- that ALTER TABLE has rewritten, and bookmarks that another process is moving.
\set ON_ERROR_STOP on
CREATE TABLE IF NOT EXISTS node_bookmark (
    consumer text,
    node     int,
    last     bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (consumer, node)
);
INSERT INTO node_bookmark SELECT :'consumer', node FROM feed_bound ON CONFLICT DO NOTHING;

BEGIN ISOLATION LEVEL REPEATABLE READ;
LOCK TABLE node_bookmark IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE :table IN ACCESS SHARE MODE;
SELECT o.*
FROM node_bookmark AS b
JOIN feed_bound AS f USING (node)
JOIN :table AS o ON snowflake_node(o.id, :'layout') = node AND o.id > b.last AND o.id <= f.upto
WHERE b.consumer = :'consumer'
ORDER BY o.id;

UPDATE node_bookmark AS b SET last = f.upto
FROM feed_bound AS f
WHERE b.node = f.node AND b.consumer = :'consumer' AND b.last < f.upto;
COMMIT;
