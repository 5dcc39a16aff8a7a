-- A feed: what is new, in the order of ids, with nothing but the primary key.  Up to
-- the bound, every transaction that took an id has ended.
CREATE TABLE bookmarks (consumer text PRIMARY KEY, last bigint NOT NULL);
INSERT INTO bookmarks VALUES ('mail', settled_snowflake('messages_id'));

INSERT INTO messages (body) VALUES ('first'), ('second');

-- The consumer polls, a moment later.
SELECT pg_sleep(0.1);
SELECT settled_snowflake('messages_id') AS upto \gset
SELECT id, body FROM messages, bookmarks WHERE id > last AND id <= :upto ORDER BY id;
UPDATE bookmarks SET last = :upto WHERE consumer = 'mail';

-- Nothing comes twice.
SELECT settled_snowflake('messages_id') AS upto \gset
SELECT count(*) AS more FROM messages, bookmarks WHERE id > last AND id <= :upto;
