-- An outbox, and bookmarks of its consumers.  The transaction that takes an
-- order adds a row to the outbox.
CREATE EXTENSION IF NOT EXISTS objectid_ext;

CREATE TABLE orders (
    number   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item     text NOT NULL,
    quantity int NOT NULL
);

CREATE SEQUENCE outbox_id CACHE 64;
CREATE TABLE outbox (
    id       bigint PRIMARY KEY DEFAULT next_snowflake('outbox_id', 5, 'twitter'),
    item     text NOT NULL,
    quantity int NOT NULL
);
ALTER SEQUENCE outbox_id OWNED BY outbox.id;

CREATE TABLE bookmark (
    consumer text PRIMARY KEY,
    last     bigint NOT NULL DEFAULT 0      -- all rows up to here are delivered
);

-- what consumer.py keeps in the database
CREATE TABLE sold (
    item     text PRIMARY KEY,
    quantity bigint NOT NULL
);

-- Wake the consumers.
CREATE FUNCTION notify_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY outbox;
    RETURN NULL;
END $$;
CREATE TRIGGER notify_outbox AFTER INSERT ON outbox EXECUTE FUNCTION notify_outbox();
