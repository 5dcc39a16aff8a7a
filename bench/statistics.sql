-- Cost of ANALYZE, of planning a range, and of a look-up by primary key, in tables
-- with a hundredth, a tenth and all of :rows.  bench/run sets :rows and :runs.

CREATE TABLE size (rows int);
INSERT INTO size VALUES (:rows / 100), (:rows / 10), (:rows);

CREATE PROCEDURE create_sizes()
LANGUAGE plpgsql AS $$
DECLARE
    s int;
    t record;
BEGIN
    FOR s IN SELECT rows FROM size LOOP
        FOR t IN SELECT * FROM (VALUES
                ('objectid', '(to_hex(1767225600 + i / 50) || left(md5((i % 8)::text), 10) || lpad(to_hex(i & 16777215), 6, ''0''))::objectid'),
                ('uuidv7', 'bench_uuidv7_at(1767225600000000 + i * 20000::bigint)'),
                ('bigint', 'make_snowflake(timestamptz ''2026-01-01 00:00:00+00'' + i * interval ''20 ms'', 1, i % 4096, ''twitter'')')) AS v (name, id) LOOP
            EXECUTE format('CREATE TABLE %s_%s AS SELECT %s AS id, i AS n FROM generate_series(1, %2$s) AS i', t.name, s, t.id);
            EXECUTE format('ALTER TABLE %s_%s ADD PRIMARY KEY (id)', t.name, s);
            COMMIT;
        END LOOP;
    END LOOP;
END;
$$;
CALL create_sizes();
VACUUM (ANALYZE, FREEZE);

-- Plan this many queries, each with a different text.
CREATE FUNCTION plan_queries(relation text, condition text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    lower timestamptz;
BEGIN
    FOR q IN 1 .. 500 LOOP
        lower := timestamptz '2026-01-01 00:00:00+00' + q * interval '1 s';
        EXECUTE 'EXPLAIN SELECT count(n) FROM ' || relation || ' WHERE '
            || format(condition, lower, lower + interval '1 minute');
    END LOOP;
END;
$$;

CREATE TABLE statistics_work (n serial, subject text, statement text, type text, condition text, unit float8);
INSERT INTO statistics_work (subject, statement, type, condition, unit) VALUES
    ('ANALYZE', 'ANALYZE %1$s_%2$s', 'objectid', NULL, 1),
    ('ANALYZE', 'ANALYZE %1$s_%2$s', 'uuidv7', NULL, 1),
    ('ANALYZE', 'ANALYZE %1$s_%2$s', 'bigint', NULL, 1),
    ('planning', 'SELECT plan_queries(''%1$s_%2$s'', %3$L)', 'objectid', 'id >= %1$L::timestamptz AND id < %2$L::timestamptz', 500),
    ('planning', 'SELECT plan_queries(''%1$s_%2$s'', %3$L)', 'uuidv7', 'uuidv7_within(id, tstzrange(%1$L, %2$L))', 500),
    ('planning', 'SELECT plan_queries(''%1$s_%2$s'', %3$L)', 'bigint', 'snowflake_within(id, tstzrange(%1$L, %2$L), ''twitter'')', 500);

INSERT INTO contestant (subject, name, statement)
SELECT subject, type || ', ' || rows || ' rows', format(statement, type, rows, condition) FROM statistics_work, size ORDER BY n, rows;
CALL measure('ANALYZE', 0, :runs);
CALL measure('planning', 0, :runs);

INSERT INTO figure (subject, metric, name, round, value)
SELECT 'statistics', subject || ', processor time, ms', name, round, processor / unit
FROM measurement JOIN statistics_work USING (subject), size
WHERE name = type || ', ' || rows || ' rows' ORDER BY n, rows, round;
