-- Work on a column of ids: objectid compared with uuid, row for row, and with the
-- types that store ids without objectid.  bench/run sets :rows and calls measure()
-- for sort, index, aggregate, join, lookup and copy.

-- Ids of 8 processes that together generated 50,000 per second, in random order.
-- The version-7 UUIDs have the same times.
CREATE TABLE row_source AS
SELECT i, floor(i / 50000.0)::int AS second, left(md5((i % 8)::text), 10) AS identity,
       (hashint4(i % 8) & x'7fffff'::int) + i / 8 AS counter
FROM generate_series(1, :rows) AS i ORDER BY random();

CREATE TABLE key_objectid AS
SELECT (to_hex(1767225600 + second) || identity || lpad(to_hex(counter & x'ffffff'::int), 6, '0'))::objectid AS id FROM row_source;
CREATE TABLE key_uuidv7 AS SELECT bench_uuidv7_at(1767225600000000 + i * 20) AS id FROM row_source;
CREATE TABLE key_uuidv4 AS SELECT gen_random_uuid() AS id FROM row_source;
CREATE TABLE key_bytea AS SELECT id::bytea AS id FROM key_objectid;
CREATE TABLE key_text AS SELECT id::text AS id FROM key_objectid;

-- Some of the ids, for look-ups; and an index on all
CREATE PROCEDURE prepare_lookup()
LANGUAGE plpgsql AS $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['objectid', 'uuidv7', 'uuidv4', 'bytea', 'text'] LOOP
        EXECUTE format('CREATE TABLE some_%1$s AS SELECT id FROM key_%1$s ORDER BY random() LIMIT %2$s', t,
                       (SELECT count(*) / 10 FROM row_source));
        EXECUTE format('CREATE INDEX look_%1$s ON key_%1$s (id)', t);
    END LOOP;
END;
$$;

-- With OFFSET, all rows are produced and none is sent.
CREATE TABLE key_work (n serial, subject text, setting text, statement text, before text, after text);
INSERT INTO key_work (subject, setting, statement, before, after) VALUES
    ('sort', NULL, 'SELECT id FROM key_%1$s ORDER BY id OFFSET 1000000000', NULL, NULL),
    ('index', NULL, 'CREATE INDEX index_%1$s ON key_%1$s (id)', NULL, 'DROP INDEX index_%1$s'),
    ('aggregate', 'SET enable_sort = off', 'SELECT id, count(*) FROM key_%1$s GROUP BY id OFFSET 1000000000', NULL, NULL),
    ('join', 'SET enable_mergejoin = off', 'SELECT count(*) FROM key_%1$s AS a JOIN key_%1$s AS b USING (id)', NULL, NULL),
    ('lookup', 'SET enable_hashjoin = off; SET enable_mergejoin = off', 'SELECT count(*) FROM some_%1$s JOIN key_%1$s USING (id)', NULL, NULL),
    ('copy text out', NULL, 'COPY key_%1$s TO ''%2$s/%1$s.text''', NULL, NULL),
    ('copy text in', NULL, 'COPY copied FROM ''%2$s/%1$s.text''',
     'CREATE UNLOGGED TABLE copied (LIKE key_%1$s)', 'DROP TABLE copied'),
    ('copy binary out', NULL, 'COPY key_%1$s TO ''%2$s/%1$s.binary'' (FORMAT binary)', NULL, NULL),
    ('copy binary in', NULL, 'COPY copied FROM ''%2$s/%1$s.binary'' (FORMAT binary)',
     'CREATE UNLOGGED TABLE copied (LIKE key_%1$s)', 'DROP TABLE copied');

INSERT INTO contestant (subject, name, statement, before, after)
SELECT subject, type, format(statement, type, dir), format(before, type), format(after, type)
FROM key_work, (VALUES (1, 'objectid'), (2, 'uuidv4'), (3, 'uuidv7'), (4, 'bytea'), (5, 'text')) AS t (i, type),
     current_setting('data_directory') AS dir
ORDER BY n, i;

CREATE PROCEDURE measure_keys(what text, rounds int)
LANGUAGE plpgsql AS $$
DECLARE
    work key_work;
BEGIN
    FOR work IN SELECT * FROM key_work WHERE split_part(subject, ' ', 1) = what ORDER BY n LOOP
        IF what = 'lookup' THEN
            CALL prepare_lookup();
        END IF;
        EXECUTE coalesce(work.setting, 'SELECT');
        COMMIT;
        CALL measure(work.subject, 0, rounds);
        CALL report_times(work.subject);
        RESET enable_sort;
        RESET enable_hashjoin;
        RESET enable_mergejoin;
        INSERT INTO target (subject, metric, a, relation, bound, b)
        SELECT work.subject, 'processor time, ms', 'objectid', '<=', 1, b
        FROM unnest(ARRAY['uuidv4', 'uuidv7']) AS b
        WHERE what <> 'lookup';
    END LOOP;
END;
$$;
VACUUM ANALYZE;
