-- A feed: what is new, in the order of ids, with nothing but the primary key.  Up to
-- the bound, every transaction that took an id has ended.
CREATE TABLE bookmarks (consumer text PRIMARY KEY, last bigint NOT NULL);
CALL settled_snowflake('messages_id', NULL) \gset
INSERT INTO bookmarks VALUES ('mail', :upto);

INSERT INTO messages (body) VALUES ('first'), ('second');

-- The consumer polls, a moment later: bound and rows in one block, so that no pooler
-- takes them from two servers.
SELECT pg_sleep(0.1);
BEGIN;
CALL settled_snowflake('messages_id', NULL) \gset
SELECT id, body FROM messages, bookmarks WHERE consumer = 'mail' AND id > last AND id <= :upto ORDER BY id;
UPDATE bookmarks SET last = :upto WHERE consumer = 'mail';
COMMIT;

-- Nothing comes twice.
BEGIN;
CALL settled_snowflake('messages_id', NULL) \gset
SELECT count(*) AS more FROM messages, bookmarks WHERE consumer = 'mail' AND id > last AND id <= :upto;
COMMIT;
