-- Reading the last day of a large table: by the time in its ids, and by a column for
-- the time with an index of its own.  The rows are of the last hundred days, in order
-- of time.  bench/run sets :rows and :runs.

INSERT INTO contestant (subject, name, statement, before)
SELECT 'day load', name,
       format('INSERT INTO %s SELECT gen_objectid(t), %s FROM generate_series(1, %s) AS i,
               LATERAL (SELECT now() - interval ''100 days'' * (1 - i / %3$s.0)) AS s (t)', relation, columns, :rows),
       format('CREATE TABLE %s (id objectid PRIMARY KEY, %s); %s; CHECKPOINT', relation, definition, index)
FROM (VALUES (1, 'the id alone', 'by_id', 'n int', 'i', 'SELECT'),
             (2, 'a column created_at', 'by_column', 'created_at timestamptz, n int', 't, i',
              'CREATE INDEX by_column_created_at ON by_column (created_at)')) AS v (i, name, relation, definition, columns, index) ORDER BY i;
CALL measure('day load', 1, 1);
VACUUM (ANALYZE, FREEZE) by_id, by_column;

INSERT INTO contestant (subject, name, statement)
VALUES ('last day', 'the id alone', 'SELECT count(n) FROM by_id WHERE id >= now() - interval ''1 day'''),
       ('last day', 'a column created_at', 'SELECT count(n) FROM by_column WHERE created_at >= now() - interval ''1 day''');
CALL measure('last day', 0, 3 * :runs);

INSERT INTO figure (subject, metric, name, round, value)
SELECT 'last day', 'rows a second of processor time, inserted', name, round, :rows * 1000.0 / processor
FROM measurement JOIN contestant USING (subject, name) WHERE subject = 'day load' ORDER BY n, round;
INSERT INTO figure (subject, metric, name, round, value)
SELECT 'last day', 'indexes, bytes a row', name, 1, pg_indexes_size(relation) * 1.0 / :rows
FROM (VALUES (1, 'the id alone', 'by_id'), (2, 'a column created_at', 'by_column')) AS v (i, name, relation) ORDER BY i;
INSERT INTO figure (subject, metric, name, round, value)
SELECT subject, 'processor time of the query, ms', name, round, processor
FROM measurement JOIN contestant USING (subject, name) WHERE subject = 'last day' ORDER BY n, round;
DROP TABLE by_id, by_column;
