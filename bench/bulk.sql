-- INSERT ... SELECT into a table without an index.  bench/run sets :rows,
-- :runs and :uuidv7.

CREATE SEQUENCE bulk_bigserial CACHE 64;
CREATE SEQUENCE bulk_snowflake CACHE 64;

INSERT INTO contestant (subject, name, statement, before)
SELECT 'bulk', name, format('INSERT INTO bulk SELECT %s FROM generate_series(1, %s)', call, :rows),
       format('DROP TABLE IF EXISTS bulk; CREATE UNLOGGED TABLE bulk (id %s)', type)
FROM (VALUES (1, 'bigserial', 'bigint', 'nextval(''bulk_bigserial'')'),
             (2, 'snowflake', 'bigint', 'next_snowflake(''bulk_snowflake'', 1, ''twitter'')'),
             (3, 'objectid', 'objectid', 'gen_objectid()'),
             (4, 'uuidv7', 'uuid', :'uuidv7'),
             (5, 'uuidv4', 'uuid', 'gen_random_uuid()')) AS t (n, name, type, call) ORDER BY n;
CALL measure('bulk', 0, :runs);
CALL report_times('bulk');

-- WAL of a load into a logged table.  COPY writes many rows in one record unless a
-- default is volatile, other than nextval(); INSERT never does.
SELECT current_setting('data_directory') || '/bulk' AS file, current_setting('data_directory') || '/bulk.ids' AS ids \gset
COPY (SELECT generate_series(1, :rows)) TO :'file';
COPY (SELECT gen_objectid(), generate_series(1, :rows)) TO :'ids';
INSERT INTO contestant (subject, name, statement, before)
SELECT 'load', name, format(statement, :'file', :rows),
       format('DROP TABLE IF EXISTS loaded; CREATE TABLE loaded (id %s DEFAULT %s, n int)', type, default_value)
FROM (VALUES (1, 'COPY, nextval', 'bigint', 'nextval(''bulk_bigserial'')', 'COPY loaded (n) FROM %L'),
             (2, 'COPY, gen_objectid()', 'objectid', 'gen_objectid()', 'COPY loaded (n) FROM %L'),
             (3, 'COPY, ids in the file', 'objectid', 'gen_objectid()', 'COPY loaded (id, n) FROM ''%1$s.ids'''),
             (4, 'INSERT, nextval', 'bigint', 'nextval(''bulk_bigserial'')', 'INSERT INTO loaded (n) SELECT generate_series(1, %2$s)'),
             (5, 'INSERT, gen_objectid()', 'objectid', 'gen_objectid()', 'INSERT INTO loaded (n) SELECT generate_series(1, %2$s)')
     ) AS t (i, name, type, default_value, statement) ORDER BY i;
CALL measure('load', 1, :runs);
INSERT INTO figure (subject, metric, name, round, value)
SELECT subject, 'WAL, bytes a row', name, round, wal / :rows FROM measurement JOIN contestant USING (subject, name)
WHERE subject = 'load' ORDER BY n, round;
