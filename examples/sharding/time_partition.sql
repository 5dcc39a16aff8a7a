-- On the server that holds the old rows of a table.
CREATE TABLE reading_old (
    id    objectid PRIMARY KEY,
    value float8 NOT NULL
);
