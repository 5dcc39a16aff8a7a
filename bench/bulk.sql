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
