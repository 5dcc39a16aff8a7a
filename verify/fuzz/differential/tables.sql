-- Tables, views and functions for the queries of scripts/differential.

SET client_min_messages = warning;
CREATE EXTENSION objectid_ext;

CREATE DOMAIN id_domain AS objectid;
CREATE DOMAIN span_domain AS tstzrange;
CREATE DOMAIN time_domain AS timestamptz;
CREATE TYPE span AS RANGE (subtype = timestamptz);
CREATE TYPE idrange AS RANGE (subtype = objectid);

-- What the comparison of an id with a time means, with the documented
-- exception: the id of all ones is later than any time.
CREATE FUNCTION ref_lt(id objectid, t timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id = repeat('f', 24)::objectid AND t IS NOT NULL THEN false ELSE objectid_timestamp(id) < t END;
CREATE FUNCTION ref_le(id objectid, t timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id = repeat('f', 24)::objectid AND t IS NOT NULL THEN false ELSE objectid_timestamp(id) <= t END;
-- From PostgreSQL 17 on, core takes column <@ '(,)' for true and column <@ 'empty' for false, where the column is NULL too.
CREATE FUNCTION ref_in(t timestamptz, r tstzrange) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN t IS NOT NULL THEN t <@ r END;
CREATE FUNCTION ref_snowflake(id bigint, r tstzrange, l snowflake_layout) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id < 0 OR id > snowflake_ceiling('infinity', l) THEN (CASE WHEN r IS NOT NULL AND l IS NOT NULL THEN false END)
            ELSE ref_in(snowflake_timestamp(id, l), r) END;

CREATE FUNCTION volatile_time(timestamptz) RETURNS timestamptz LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS 'BEGIN RETURN $1; END';
CREATE FUNCTION volatile_range(tstzrange) RETURNS tstzrange LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS 'BEGIN RETURN $1; END';
CREATE FUNCTION volatile_id(objectid) RETURNS objectid LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS 'BEGIN RETURN $1; END';
CREATE FUNCTION volatile_text(text) RETURNS text LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS 'BEGIN RETURN $1; END';
CREATE FUNCTION stable_time(timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN $1; END';
CREATE FUNCTION stable_range(tstzrange) RETURNS tstzrange LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN $1; END';
-- Another of the table moment each time
CREATE FUNCTION stable_draw() RETURNS int LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN 100 + floor(random() * 24)::int; END';
-- One of two ranges each time: the ids between them are in none, unless the bounds are
-- of two calls.
CREATE FUNCTION volatile_end() RETURNS tstzrange LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
BEGIN
    RETURN CASE WHEN random() < 0.5 THEN tstzrange '[2026-01-01 00:00:00+00,2026-01-01 00:05:00+00)' ELSE tstzrange '[2026-01-01 00:30:00+00,2026-01-01 00:40:00+00)' END;
END $$;
CREATE FUNCTION sql_within(objectid, tstzrange) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1 OPERATOR(public.<@) $2';
CREATE FUNCTION sql_ref_within(objectid, tstzrange) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT public.ref_in(public.objectid_timestamp($1), $2)';

-- Times: the ends of each kind of id, and every hundredth second of 40 minutes
CREATE TABLE instant (k int PRIMARY KEY, t timestamptz);
INSERT INTO instant
SELECT row_number() OVER (), t::timestamptz FROM unnest('{-infinity,infinity,NULL,1969-12-31 23:59:59.999999+00,
    1970-01-01 00:00:00+00,1970-01-01 00:00:00.000001+00,2010-11-04 01:42:54.657+00,2106-02-07 06:28:14.5+00,2106-02-07 06:28:15+00,
    2106-02-07 06:28:15.000001+00,2106-02-07 06:28:16+00,2150-01-01 00:00:00+00,2080-07-10 17:30:30.209+00,1000-01-01 00:00:00+00}'::text[]) AS t;
INSERT INTO instant
SELECT 100 + i, timestamptz '2026-01-01 00:00:00+00' + i * interval '100 seconds' + (i % 3) * interval '250001 microseconds'
FROM generate_series(0, 23) AS i;

-- Three ids of each time: the first, the last, and one between
CREATE TABLE template AS
SELECT row_number() OVER ()::int AS n, (k * 7 + length(o) + s % 13) % 10 AS grp, t,
       CASE WHEN t IS NOT NULL THEN (left(objectid_floor(t)::text, 8) || o)::objectid END AS id,
       CASE WHEN t IS NOT NULL THEN snowflake_floor(t, 'twitter') | s END AS flake,
       CASE WHEN t IS NOT NULL THEN (left(uuidv7_floor(t)::text, 14) || u)::uuid END AS uid
FROM instant, LATERAL (VALUES ('0000000000000000', 0, '7000-8000-000000000000'), ('ffffffffffffffff', 4194303, '7fff-bfff-ffffffffffff'),
                              ('0123456789abcdef', 4711, '7abc-9abc-123456789abc')) AS v (o, s, u);
INSERT INTO template VALUES (1001, 1, NULL, repeat('f', 24)::objectid, 9223372036854775807, 'ffffffff-ffff-7fff-bfff-ffffffffffff'),
    (1002, 2, NULL, repeat('0', 24)::objectid, 0, '00000000-0000-7000-8000-000000000000'),
    (1003, 3, NULL, 'fffffffffffffffffffffff0', -1, NULL), (1004, 4, NULL, 'fffffffffffffffffffffffe', -9223372036854775808, NULL);
ALTER TABLE template ADD txt text, ADD r tstzrange, ADD ir idrange, ADD sp span;
UPDATE template SET txt = CASE n % 3 WHEN 0 THEN id::text WHEN 1 THEN upper(id::text) ELSE format('ObjectId("%s")', id) END WHERE id IS NOT NULL;
UPDATE template SET txt = repeat('0', 24) WHERE n % 17 = 0;
UPDATE template AS e
SET r = CASE n % 11 WHEN 0 THEN 'empty' WHEN 1 THEN NULL
        ELSE tstzrange(t, t + (n % 5) * interval '60 seconds', (ARRAY['[)', '[]', '(]', '()'])[n % 4 + 1]) END
WHERE isfinite(t) OR t IS NULL;
UPDATE template SET r = '(,)' WHERE n % 23 = 0;
UPDATE template SET sp = span(lower(r), upper(r), CASE WHEN lower_inc(r) THEN '[' ELSE '(' END || CASE WHEN upper_inc(r) THEN ']' ELSE ')' END) WHERE NOT isempty(r);
UPDATE template SET ir = CASE WHEN NOT isempty(r) AND objectid_lower(r) <= objectid_upper(r) THEN idrange(objectid_lower(r), objectid_upper(r), '[]') END;

CREATE TABLE layout AS
SELECT k, l::snowflake_layout FROM unnest('{twitter,instagram,discord,mastodon,js53}'::text[]) WITH ORDINALITY AS x (l, k);

-- A range of each time, in which three ids of each kind are
CREATE TABLE moment WITH (fillfactor = 10) AS
SELECT k, tstzrange(o, o, '[]') AS r, tstzrange(s, s, '[]') AS fr, tstzrange(u, u + interval '1 microsecond') AS ur
FROM instant, LATERAL (SELECT objectid_timestamp(objectid_floor(t)), snowflake_timestamp(snowflake_floor(t, 'twitter'), 'twitter'), uuidv7_timestamp(uuidv7_floor(t))) AS x (o, s, u)
WHERE k >= 100;
CREATE TABLE ends AS SELECT * FROM template WHERE t IN ('2026-01-01 00:00:00+00', (SELECT max(t) FROM instant WHERE t < '2027-01-01'));

CREATE TABLE ev_plain AS TABLE template;
CREATE TABLE ev_btree (LIKE template, PRIMARY KEY (n));
CREATE INDEX ON ev_btree (id);
CREATE INDEX ON ev_btree (flake);
CREATE INDEX ON ev_btree (uid);
CREATE INDEX ON ev_btree (grp, id DESC NULLS LAST);
CREATE INDEX ON ev_btree (objectid_timestamp(id));
CREATE TABLE ev_skip (LIKE template);
CREATE INDEX ON ev_skip (grp, id, flake);
CREATE INDEX ON ev_skip (grp, flake);
CREATE INDEX ON ev_skip (grp, uid) INCLUDE (id);
CREATE TABLE ev_brin (LIKE template) WITH (fillfactor = 10);
CREATE INDEX ON ev_brin USING brin (id, flake, uid) WITH (pages_per_range = 1);
CREATE INDEX ON ev_brin USING brin (id objectid_minmax_multi_ops) WITH (pages_per_range = 1);
CREATE INDEX ON ev_brin USING brin (id objectid_bloom_ops) WITH (pages_per_range = 1);
CREATE TABLE ev_gist (LIKE template);
CREATE INDEX ON ev_gist USING gist (id, r);
CREATE INDEX ON ev_gist USING gist (r);
CREATE INDEX ON ev_gist USING spgist (r);
CREATE INDEX ON ev_gist USING gist (ir);
CREATE INDEX ON ev_gist USING gist (sp);
CREATE TABLE ev_hash (LIKE template);
CREATE INDEX ON ev_hash USING hash (id);
CREATE INDEX ON ev_hash USING hash (txt);
CREATE TABLE ev_partial (LIKE template);
CREATE INDEX ON ev_partial (id) WHERE id >= timestamptz '2026-01-01 00:10:00+00';
CREATE INDEX ON ev_partial (id) WHERE id <@ tstzrange('2026-01-01 00:05:00+00', '2026-01-01 00:30:00+00');
CREATE INDEX ON ev_partial (n) WHERE id < timestamptz '2026-01-01 00:10:00+00';
CREATE INDEX ON ev_partial (flake) WHERE snowflake_within(flake, '[2026-01-01 00:05:00+00,2026-01-01 00:30:00+00)', 'twitter');
CREATE INDEX ON ev_partial ((id <@ r));
CREATE INDEX ON ev_partial ((id <@ tstzrange('2026-01-01 00:05:00+00', '2026-01-01 00:30:00+00')));
CREATE TABLE ev_domain (LIKE template);
ALTER TABLE ev_domain ALTER id TYPE id_domain, ALTER r TYPE span_domain, ALTER t TYPE time_domain;
CREATE INDEX ON ev_domain (id);
CREATE INDEX ON ev_domain USING gist (r);

CREATE TABLE ev_part (LIKE template) PARTITION BY RANGE (id);
CREATE TABLE ev_part_0 PARTITION OF ev_part FOR VALUES FROM (MINVALUE) TO ('6955b9000000000000000000');
CREATE TABLE ev_part_1 PARTITION OF ev_part FOR VALUES FROM ('6955b9000000000000000000') TO ('6955bc000000000000000000') PARTITION BY RANGE (flake);
CREATE TABLE ev_part_1a PARTITION OF ev_part_1 FOR VALUES FROM (MINVALUE) TO (2006526160896000000);
CREATE TABLE ev_part_1b PARTITION OF ev_part_1 DEFAULT;
CREATE TABLE ev_part_2 PARTITION OF ev_part FOR VALUES FROM ('6955bc000000000000000000') TO ('ffffffff0000000000000000');
CREATE TABLE ev_part_d PARTITION OF ev_part DEFAULT;
CREATE INDEX ON ev_part (id);
CREATE TABLE ev_list (LIKE template) PARTITION BY LIST (id);
CREATE TABLE ev_list_1 PARTITION OF ev_list FOR VALUES IN (NULL, '000000000000000000000000', 'ffffffffffffffffffffffff');
CREATE TABLE ev_list_d PARTITION OF ev_list DEFAULT;
CREATE TABLE ev_hashed (LIKE template) PARTITION BY HASH (id);
CREATE TABLE ev_hashed_0 PARTITION OF ev_hashed FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE ev_hashed_1 PARTITION OF ev_hashed FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE ev_hashed_2 PARTITION OF ev_hashed FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE INDEX ON ev_hashed (id);
CREATE TABLE ev_uid (LIKE template) PARTITION BY RANGE (uid);
CREATE TABLE ev_uid_0 PARTITION OF ev_uid FOR VALUES FROM (MINVALUE) TO ('019b7700-0000-0000-0000-000000000000');
CREATE TABLE ev_uid_1 PARTITION OF ev_uid FOR VALUES FROM ('019b7700-0000-0000-0000-000000000000') TO ('019b7709-0000-7000-8000-000000000000');
CREATE TABLE ev_uid_d PARTITION OF ev_uid DEFAULT;
CREATE INDEX ON ev_uid (uid);
CREATE TABLE ev_heir (LIKE template);
CREATE TABLE ev_heir_1 (CHECK (id >= timestamptz '2026-01-01 00:10:00+00')) INHERITS (ev_heir);
CREATE TABLE ev_heir_2 (CHECK (id < timestamptz '2026-01-01 00:10:00+00')) INHERITS (ev_heir);
CREATE INDEX ON ev_heir_1 (id);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY '{btree,skip,brin,gist,hash,partial,domain,part,list,hashed,uid}'::text[] LOOP
        EXECUTE format('INSERT INTO ev_%s SELECT * FROM template ORDER BY t, n', name);
    END LOOP;
END $$;
INSERT INTO ev_heir_1 SELECT * FROM template WHERE objectid_timestamp(id) >= timestamptz '2026-01-01 00:10:00+00';
INSERT INTO ev_heir_2 SELECT * FROM template WHERE objectid_timestamp(id) < timestamptz '2026-01-01 00:10:00+00';
INSERT INTO ev_heir SELECT * FROM template WHERE id IS NULL;

CREATE VIEW ev_view AS SELECT * FROM ev_btree WHERE n > 5;
CREATE VIEW ev_barrier WITH (security_barrier) AS SELECT * FROM ev_btree WHERE id >= timestamptz '2026-01-01 00:03:00+00' OR n < 50;
CREATE VIEW ev_union AS SELECT * FROM ev_plain UNION ALL SELECT * FROM ev_part;
CREATE VIEW ev_once AS SELECT DISTINCT ON (id) * FROM ev_btree ORDER BY id, n;
CREATE MATERIALIZED VIEW ev_matview AS SELECT * FROM ev_plain WHERE id > timestamptz '2026-01-01 00:02:00+00' OR id IS NULL;
CREATE INDEX ON ev_matview (id);
CREATE TABLE ev_rls AS TABLE template;
CREATE INDEX ON ev_rls (id);
ALTER TABLE ev_rls ENABLE ROW LEVEL SECURITY;
ALTER TABLE ev_rls FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON ev_rls USING (id > timestamptz '2026-01-01 00:02:00+00' AND n % 7 <> 0);

-- Columns that are computed when they are read
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual \gset
\if :has_virtual
CREATE TABLE ev_virtual (LIKE template);
INSERT INTO ev_virtual SELECT * FROM template;
ALTER TABLE ev_virtual RENAME t TO stored_t;
ALTER TABLE ev_virtual RENAME r TO stored_r;
ALTER TABLE ev_virtual ADD t timestamptz GENERATED ALWAYS AS (CASE WHEN n > 0 THEN stored_t END) VIRTUAL,
    ADD r tstzrange GENERATED ALWAYS AS (CASE WHEN n > 0 THEN stored_r END) VIRTUAL;
CREATE INDEX ON ev_virtual (id);
\endif

CREATE TABLE small AS
SELECT n, (n / 4) % 20 AS k, grp, t, id, flake, uid, r, sp, ir, txt FROM template WHERE n % 7 = 0 AND (isfinite(t) OR n % 2 = 0);
CREATE INDEX ON small (id);
CREATE VIEW newcomer AS SELECT n + 5000 AS n, grp, t, id, flake, uid, txt, r, ir, sp FROM template WHERE n < 60;

SELECT count(*) = 0 AS has_role FROM pg_roles WHERE rolname = 'regress_differential' \gset
\if :has_role
CREATE ROLE regress_differential;
\endif
GRANT ALL ON ALL TABLES IN SCHEMA public TO regress_differential;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO regress_differential;
GRANT CREATE ON SCHEMA public TO regress_differential;
VACUUM ANALYZE;
