-- What the client programs beside this file work with.
CREATE EXTENSION IF NOT EXISTS objectid_ext;

CREATE TABLE item (
    id      objectid PRIMARY KEY DEFAULT gen_objectid(),
    name    text NOT NULL,
    related objectid[]
);

-- 64-bit ids: one above 2^53, one of the layout that stays below it, and new ones of
-- the server
CREATE SEQUENCE photo_id;
CREATE TABLE photo (
    id     bigint PRIMARY KEY DEFAULT next_snowflake('photo_id', 5, 'twitter'),
    layout text NOT NULL
);
INSERT INTO photo VALUES
    (make_snowflake('2026-06-01 00:00:00+00', 5, 1, 'instagram'), 'instagram'),
    (make_snowflake('2026-06-01 00:00:00+00', 5, 1, 'js53'), 'js53');

-- A feed: a clock sequence, and one id that is committed
CREATE SEQUENCE feed_id;
SELECT next_snowflake('feed_id', 5, 'twitter');
