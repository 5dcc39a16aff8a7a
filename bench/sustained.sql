-- The ids that concurrent clients take in some seconds, and how many are distinct.
-- They take ids by SELECT bench_keep(...): see bench_keep.c.  bench/run sets
-- :keep, and runs pgbench.

SET client_min_messages = warning;
CREATE FUNCTION bench_keep_bigint(bigint, bigint) RETURNS bigint AS :'keep' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_keep_objectid(bigint, objectid) RETURNS bigint AS :'keep' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_keep_uuid(bigint, uuid) RETURNS bigint AS :'keep' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_keep_end(bigint) RETURNS bigint AS :'keep' LANGUAGE C VOLATILE STRICT;
CREATE FUNCTION bench_count_kept(highest bytea, OUT ids bigint, OUT distinct_ids bigint, OUT counted bigint)
    AS :'keep' LANGUAGE C VOLATILE STRICT;

CREATE AGGREGATE bench_keep(bigint) (SFUNC = bench_keep_bigint, STYPE = bigint, INITCOND = '0', FINALFUNC = bench_keep_end);
CREATE AGGREGATE bench_keep(objectid) (SFUNC = bench_keep_objectid, STYPE = bigint, INITCOND = '0', FINALFUNC = bench_keep_end);
CREATE AGGREGATE bench_keep(uuid) (SFUNC = bench_keep_uuid, STYPE = bigint, INITCOND = '0', FINALFUNC = bench_keep_end);

-- The statements of the last run; times are in microseconds since 1970
CREATE UNLOGGED TABLE kept_statement (started bigint, ended bigint, ids bigint);

-- All runs.  The rate counts distinct ids until the end of the run.
CREATE TABLE kept_run (
    n serial,
    subject text,
    clients int,
    name text,
    ids bigint,
    repeated bigint,
    ahead bigint,       -- distinct ids whose time is after the end of the run
    rate float8,        -- NULL: the clients paused
    capacity float8     -- the rate of the layout, if there is a layout
);

CREATE PROCEDURE load_statements()
LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE kept_statement;
    COPY kept_statement FROM PROGRAM 'cat bench_kept/*.times';
END;
$$;

-- If the layout is '', ids have no time, and all count.
CREATE FUNCTION highest_id(type regtype, layout text, ended bigint) RETURNS bytea
LANGUAGE sql AS $$
    SELECT CASE layout WHEN '' THEN decode(repeat('ff', typlen), 'hex')
           ELSE int8send(snowflake_ceiling(to_timestamp(ended / 1e6), layout::snowflake_layout)) END
    FROM pg_type WHERE oid = type
$$;

-- Ids can lead the clock by a second.  Those that are ahead of it at the end of the
-- run do not count, so the rate cannot exceed the capacity of the layout.
CREATE PROCEDURE count_kept(what text, clients int, name text, type regtype, layout text)
LANGUAGE plpgsql AS $$
BEGIN
    CALL load_statements();
    INSERT INTO kept_run (subject, clients, name, ids, repeated, ahead, rate, capacity)
    SELECT what, clients, name, k.ids, k.ids - distinct_ids, distinct_ids - counted, counted / seconds,
           (SELECT ids_per_second FROM snowflake_layouts() AS l WHERE l.layout::text = count_kept.layout)
    FROM (SELECT max(ended) AS ended, (max(ended) - min(started)) / 1e6 AS seconds FROM kept_statement) AS s,
         bench_count_kept(highest_id(type, layout, ended)) AS k;
END;
$$;

-- Bursts that all clients start at each full second
CREATE PROCEDURE count_bursts(what text, clients int, name text, type regtype)
LANGUAGE plpgsql AS $$
BEGIN
    CALL load_statements();
    INSERT INTO kept_run (subject, clients, name, ids, repeated)
    SELECT what, clients, name, ids, ids - distinct_ids FROM bench_count_kept(highest_id(type, '', 0));
    INSERT INTO figure (subject, metric, name, round, value)
    SELECT what, 'ids a second in a burst, sessions: ' || clients, name, row_number() OVER (ORDER BY second), rate
    FROM (SELECT started / 1000000 AS second, sum(ids) * 1e6 / (max(ended) - min(started)) AS rate
          FROM kept_statement GROUP BY second HAVING count(*) = clients) AS s;
END;
$$;

-- Is the rate of a shard sustained?  Do sessions with separate shards scale like
-- sessions that share nothing?
CREATE PROCEDURE report_shard()
LANGUAGE sql AS $$
    INSERT INTO figure (subject, metric, name, round, value)
    SELECT subject, 'distinct ids a second, sessions: ' || clients, v.name, 1, v.value
    FROM kept_run, LATERAL (VALUES (name, rate), ('the layout holds', capacity)) AS v (name, value)
    WHERE subject = 'one shard' ORDER BY n;
    INSERT INTO target (subject, metric, a, relation, bound, b)
    SELECT subject, 'distinct ids a second, sessions: ' || clients, name, '>=', 0.95, 'the layout holds'
    FROM kept_run WHERE subject = 'one shard' ORDER BY n;

    INSERT INTO figure (subject, metric, name, round, value)
    SELECT 'shard', 'rate of 8 sessions / rate of one', name, round, value / one
    FROM figure JOIN (SELECT name, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS one
                      FROM figure WHERE metric = 'ids a second in a burst, sessions: 1' GROUP BY name) AS s USING (name)
    WHERE metric = 'ids a second in a burst, sessions: 8' ORDER BY n;
    INSERT INTO target (subject, metric, a, relation, bound, b)
    VALUES ('shard', 'rate of 8 sessions / rate of one', 'next_shard_id, a shard each', '>=', 0.9, 'gen_objectid()');
$$;
