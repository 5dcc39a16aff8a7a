-- The rows of a time range: by operator, by a hand-written range of ids, by a
-- separate column, and without an index.  Every query has a different text, so it
-- is parsed, planned and executed each time.  bench/run sets :rows and :runs.

-- Two weeks, for any number of rows
CREATE TABLE event AS
SELECT (left(objectid_floor(created)::text, 8) || left(md5(i::text), 16))::objectid AS id,
       bench_uuidv7_at((extract(epoch FROM created) * 1000000)::bigint) AS uuid,
       make_snowflake(created, 1, i % 4096, 'twitter') AS snowflake,
       created, i AS n
FROM generate_series(1, :rows) AS i, LATERAL (SELECT timestamptz '2026-01-01 00:00:00+00' + i * (interval '14 days' / :rows)) AS t (created);
ALTER TABLE event ADD PRIMARY KEY (id);
CREATE INDEX ON event (uuid);
CREATE INDEX ON event (snowflake);
CREATE INDEX ON event (created);
VACUUM (ANALYZE, FREEZE) event;

CREATE TABLE form (n int, name text, condition text);
INSERT INTO form VALUES
    (0, 'by hand: id >= objectid_floor(t) AND id < objectid_floor(u)', 'id >= objectid_floor(%1$L) AND id < objectid_floor(%2$L)'),
    (1, 'operator: id >= t AND id < u', 'id >= %1$L::timestamptz AND id < %2$L::timestamptz'),
    (2, 'range: id <@ tstzrange(t, u)', 'id <@ tstzrange(%1$L, %2$L)'),
    (3, 'literals: id >= ''...'' AND id < ''...''', 'id >= %3$L AND id < %4$L'),
    (4, 'snowflake_within(id, tstzrange(t, u), ''twitter'')', 'snowflake_within(snowflake, tstzrange(%1$L, %2$L), ''twitter'')'),
    (5, 'uuidv7_within(id, tstzrange(t, u))', 'uuidv7_within(uuid, tstzrange(%1$L, %2$L))'),
    (6, 'index on created: created >= t AND created < u', 'created >= %1$L::timestamptz AND created < %2$L::timestamptz'),
    (7, 'no index: created + ''0'' >= t AND created + ''0'' < u', 'created + ''0'' >= %1$L::timestamptz AND created + ''0'' < %2$L::timestamptz');

CREATE FUNCTION run_queries(condition text, width interval, queries int) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    lower timestamptz;
BEGIN
    FOR q IN 1 .. queries LOOP
        lower := timestamptz '2026-01-01 00:00:00+00' + (q * 7919 % 1000000) * interval '1 s';
        EXECUTE 'SELECT count(n) FROM event WHERE '
            || format(condition, lower, lower + width, objectid_floor(lower), objectid_floor(lower + width));
    END LOOP;
END;
$$;

CREATE TABLE width (width text, queries int);
INSERT INTO width VALUES ('1 second', 1000), ('1 hour', 200), ('1 day', 10);

INSERT INTO contestant (subject, name, statement)
SELECT 'range of ' || width, name, format('SELECT run_queries(%L, %L, %s)', condition, width, CASE n WHEN 7 THEN 3 ELSE queries END)
FROM width, form ORDER BY width::interval, n;

CALL measure('range of 1 second', 0, 2 * :runs);
CALL measure('range of 1 hour', 0, 2 * :runs);
CALL measure('range of 1 day', 0, 2 * :runs);

INSERT INTO figure (subject, metric, name, round, value)
SELECT m.subject, 'processor time, ms a query', name, round, processor / CASE form.n WHEN 7 THEN 3 ELSE queries END
FROM measurement AS m JOIN form USING (name) JOIN width ON m.subject = 'range of ' || width
ORDER BY width::interval, form.n, round;

INSERT INTO target (subject, metric, a, relation, bound, b)
SELECT 'range of ' || width, 'processor time, ms a query', form.name, '<=', 1.05, hand.name
FROM width, form, form AS hand WHERE hand.n = 0 AND form.n IN (1, 2) ORDER BY width::interval, form.n;
