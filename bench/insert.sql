-- INSERT of many rows into a table whose primary key has a default.
-- bench/run sets :rows, :runs and :uuidv7.

CREATE SEQUENCE snowflake_key CACHE 64;
CREATE SEQUENCE bigserial_key CACHE 64;
CREATE TABLE insert_key (n serial, name text, type text, default_value text);
INSERT INTO insert_key (name, type, default_value) VALUES
    ('bigserial', 'bigint', 'nextval(''bigserial_key'')'),
    ('snowflake', 'bigint', 'next_snowflake(''snowflake_key'', 1, ''twitter'')'),
    ('objectid', 'objectid', 'gen_objectid()'),
    ('uuidv7', 'uuid', :'uuidv7'),
    ('uuidv4', 'uuid', 'gen_random_uuid()');

INSERT INTO contestant (subject, name, statement, before)
SELECT 'insert', name, format('INSERT INTO row_of_%s (n) SELECT generate_series(1, %s)', name, :rows),
       format('DROP TABLE IF EXISTS row_of_%s; CREATE TABLE row_of_%1$s (id %s PRIMARY KEY DEFAULT %s, n int); CHECKPOINT', name, type, default_value)
FROM insert_key ORDER BY n;

CALL measure('insert', 1, :runs);

INSERT INTO figure (subject, metric, name, round, value)
SELECT subject, metric, name, round, value
FROM measurement JOIN contestant USING (subject, name),
     LATERAL (VALUES (1, 'rows a second of processor time', :rows * 1000.0 / processor),
                     (2, 'rows a second', :rows * 1000.0 / elapsed),
                     (3, 'WAL, bytes a row', wal / :rows)) AS m (i, metric, value)
WHERE subject = 'insert' ORDER BY i, n, round;

INSERT INTO figure (subject, metric, name, round, value)
SELECT 'insert', metric, name, 1, value
FROM insert_key,
     LATERAL (VALUES (1, 'index, bytes a row', pg_relation_size('row_of_' || name || '_pkey') * 1.0 / :rows),
                     (2, 'table, bytes a row', pg_relation_size('row_of_' || name) * 1.0 / :rows)) AS m (i, metric, value)
ORDER BY i, n;

INSERT INTO target (subject, metric, a, relation, bound, b) VALUES
    ('insert', 'rows a second of processor time', 'objectid', '>=', 0.95, 'bigserial'),
    ('insert', 'rows a second of processor time', 'snowflake', '>=', 0.95, 'bigserial'),
    ('insert', 'WAL, bytes a row', 'objectid', '<=', 1, 'uuidv4'),
    ('insert', 'WAL, bytes a row', 'objectid', '<=', 1, 'uuidv7'),
    ('insert', 'index, bytes a row', 'objectid', '<=', 1, 'uuidv4'),
    ('insert', 'index, bytes a row', 'objectid', '<=', 1, 'uuidv7');
