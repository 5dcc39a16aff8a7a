-- On the server that holds the old rows of a table.
CREATE TABLE reading_old (
    id    objectid PRIMARY KEY,
    value float8 NOT NULL
);

-- An UPDATE of a foreign partition does not check its bounds: with another id, the row would
-- stay here, where no query finds it.
CREATE OR REPLACE FUNCTION keep_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ids of table % cannot be changed', TG_TABLE_NAME
        USING HINT = 'Delete the row, and insert it with the other id.';
END;
$$;
CREATE TRIGGER keep_id BEFORE UPDATE ON reading_old FOR EACH ROW WHEN (OLD.id <> NEW.id) EXECUTE FUNCTION keep_id();
