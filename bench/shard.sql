-- Cost of one call of next_shard_id in a session that stays below the rate of
-- the layout.  bench/run sets :runs and :calls.

CREATE SEQUENCE shard;
CREATE SEQUENCE shard64 CACHE 64;

-- The PL/pgSQL function of "Sharding & IDs at Instagram" (2012)
CREATE SEQUENCE instagram_seq;
CREATE FUNCTION instagram_next_id(OUT result bigint) AS $$
DECLARE
    our_epoch bigint := 1314220021721;
    seq_id bigint;
    now_millis bigint;
    shard_id int := 5;
BEGIN
    SELECT nextval('instagram_seq') % 1024 INTO seq_id;
    SELECT FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) INTO now_millis;
    result := (now_millis - our_epoch) << 23;
    result := result | (shard_id << 10);
    result := result | (seq_id);
END;
$$ LANGUAGE plpgsql;

-- A round takes 150,000 ids.  A shard holds them in 0.15 s, and the pauses of a round and
-- the other statements take longer, so the clock catches up.
INSERT INTO call (subject, name, call, calls) VALUES
    ('shard', 'nothing', 'bench_nothing(i)', :calls),
    ('shard', 'clock_gettime', 'bench_clock_gettime(i)', :calls),
    ('shard', 'next_shard_id(5, i)', 'next_shard_id(5, i)', :calls / 2),
    ('shard', 'next_shard_id(5, nextval)', 'next_shard_id(5, nextval(''shard''))', :calls / 2),
    ('shard', 'next_shard_id(5, nextval CACHE 64)', 'next_shard_id(5, nextval(''shard64''))', :calls / 2),
    ('shard', 'Instagram''s PL/pgSQL', 'instagram_next_id()', :calls / 10);
CALL measure_calls('shard', :runs);

INSERT INTO target (subject, metric, a, relation, bound, b) VALUES
    ('shard', 'net, ns of processor time a call', 'next_shard_id(5, i)', '<=', 2, 'clock_gettime'),
    ('shard', 'net, ns of processor time a call', 'Instagram''s PL/pgSQL', '>=', 10, 'next_shard_id(5, nextval)');
