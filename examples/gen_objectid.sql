CREATE TABLE orders (
    id objectid PRIMARY KEY DEFAULT gen_objectid(),
    customer text NOT NULL
);

INSERT INTO orders (customer) VALUES ('Ada'), ('Grace'), ('Edsger')
RETURNING id, customer, objectid_timestamp(id) AS created;

-- An id that the application made, spelled as in MongoDB's shell.
INSERT INTO orders VALUES ('ObjectId("507f1f77bcf86cd799439011")', 'Barbara')
RETURNING id, customer, objectid_timestamp(id) AS created;
