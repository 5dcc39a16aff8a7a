-- A database for scripts/sqlsmith, which takes the values of its queries from
-- columns: one table has extreme values of every type that our functions take,
-- the others have ids in every place that a table has for them.  All is owned by
-- a role without rights, for SQLsmith calls every function that there is.

SET client_min_messages = warning;
CREATE EXTENSION objectid_ext;
CREATE EXTENSION objectid_ext_tools;
CREATE ROLE smith LOGIN;
-- so that the statistics look the same to a superuser who runs a query again as smith
GRANT pg_read_all_stats TO smith;
GRANT CREATE ON SCHEMA public TO smith;
SET ROLE smith;

CREATE DOMAIN id_domain AS objectid CHECK (VALUE <> repeat('0', 24)::objectid);
CREATE TYPE idrange AS RANGE (subtype = objectid);
CREATE TYPE pair AS (id objectid, flake bigint);
CREATE SEQUENCE plain;
CREATE SEQUENCE clock CACHE 64;
CREATE SEQUENCE downward INCREMENT -3;
CREATE SEQUENCE small AS smallint CYCLE;
CREATE SEQUENCE wide MINVALUE -9223372036854775808 START -9223372036854775808 INCREMENT 9223372036854775807;
CREATE UNLOGGED SEQUENCE forgetful;

CREATE TABLE events (
    id objectid PRIMARY KEY DEFAULT gen_objectid(),
    flake bigint UNIQUE NOT NULL DEFAULT next_snowflake('clock', 7, 'twitter'),
    shard bigint NOT NULL DEFAULT next_shard_id(5, nextval('plain')),
    uid uuid NOT NULL DEFAULT uuidv7_floor(now()),
    parent objectid REFERENCES events CHECK (parent <> id),
    created timestamptz GENERATED ALWAYS AS (objectid_timestamp(id)) STORED,
    ids objectid[], layouts snowflake_layout[], body jsonb, note text);
CREATE INDEX ON events USING brin (id, flake);
CREATE INDEX ON events USING brin (id objectid_minmax_multi_ops);
CREATE INDEX ON events USING brin (id objectid_bloom_ops);
CREATE INDEX ON events USING hash (id);
CREATE INDEX ON events USING gist (id);
CREATE INDEX ON events USING gin (ids);
CREATE INDEX ON events (parent DESC NULLS LAST, flake);
CREATE INDEX ON events (snowflake_timestamp(flake, 'twitter')) WHERE id >= timestamptz '2026-01-01 00:00:00+00';
CREATE INDEX ON events (note) WHERE id <@ tstzrange('2026-01-01 00:00:00+00', '2026-01-01 01:00:00+00');
INSERT INTO events (id, flake, uid, ids, layouts, body, note)
SELECT id, snowflake_floor(t, 'twitter'), uuidv7_floor(t), ARRAY[id, NULL], ARRAY['twitter', 'instagram']::snowflake_layout[], jsonb_build_object('_id', id), id::text
FROM generate_series(1, 300) AS i, LATERAL (SELECT timestamptz '2026-01-01 00:00:00+00' + i * interval '17.3 s') AS a (t),
     LATERAL (SELECT gen_objectid(t)) AS b (id);
UPDATE events SET parent = (SELECT min(id) FROM events) WHERE id > (SELECT min(id) FROM events);

CREATE TABLE by_id (LIKE events INCLUDING DEFAULTS) PARTITION BY RANGE (id);
CREATE TABLE by_id_0 PARTITION OF by_id FOR VALUES FROM (MINVALUE) TO ('6955b9000000000000000000');
CREATE TABLE by_id_1 PARTITION OF by_id FOR VALUES FROM ('6955b9000000000000000000') TO ('6955c7100000000000000000') PARTITION BY RANGE (flake);
CREATE TABLE by_id_1a PARTITION OF by_id_1 FOR VALUES FROM (MINVALUE) TO (2006529914800000000);
CREATE TABLE by_id_1b PARTITION OF by_id_1 DEFAULT;
CREATE TABLE by_id_d PARTITION OF by_id DEFAULT;
CREATE INDEX ON by_id (id);
CREATE TABLE by_hash (LIKE events INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY HASH (id);
CREATE TABLE by_hash_0 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE by_flake (LIKE events INCLUDING DEFAULTS, PRIMARY KEY (flake)) PARTITION BY RANGE (flake);
CREATE TABLE by_uid (LIKE events INCLUDING DEFAULTS) PARTITION BY RANGE (uid);
CREATE TABLE by_uid_d PARTITION OF by_uid DEFAULT;
SELECT count(*) AS partitions FROM objectid_ext_tools.create_id_partitions('by_flake', '1 hour', '2026-01-01 00:00+00', '2026-01-01 03:00+00');
INSERT INTO by_id SELECT * FROM events;
INSERT INTO by_hash SELECT * FROM events;
INSERT INTO by_flake SELECT * FROM events;
INSERT INTO by_uid SELECT * FROM events;
CREATE TABLE guarded AS SELECT id::id_domain, flake, parent::text AS _id FROM events;
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY recent ON guarded USING (id > timestamptz '2026-01-01 00:30:00+00');
-- for the conversions
CREATE TABLE customers (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, _id text UNIQUE);
CREATE TABLE orders (id bigserial PRIMARY KEY, customer int REFERENCES customers, customer_id text REFERENCES customers (_id));
INSERT INTO customers (_id) SELECT id::text FROM events LIMIT 20;
INSERT INTO orders (customer, customer_id) SELECT id, _id FROM customers;

-- Values: each row has others, and every run the same
CREATE FUNCTION pick(k int, choices anyarray) RETURNS anyelement LANGUAGE sql IMMUTABLE AS
'SELECT choices[1 + (hashint8extended(k, cardinality(choices)) & 65535) % cardinality(choices)]';
CREATE TABLE sample (k int, i int, n bigint, s smallint, t timestamptz, r tstzrange, id objectid, uid uuid, layout snowflake_layout,
    seq regclass, seqs regclass[], len interval, txt text, txts text[], b bytea, j jsonb, col name, cols name[], typ regtype, ok boolean);
INSERT INTO sample SELECT k,
    pick(k, '{-2147483648,-1,0,1,7,18,19,31,1023,1024,8191,2147483647,NULL}'::int[]),
    pick(k, '{-9223372036854775808,-1,0,1,999999999999999999,4034551168079233023,9223372036854775807,NULL}'::bigint[]),
    pick(k, '{-32768,0,1,2,32767}'::smallint[]),
    pick(k, '{-infinity,infinity,4713-11-24 00:00:00+00 BC,294276-12-31 23:59:59.999999+00,1970-01-01 00:00:00+00,1969-12-31 23:59:59.999999+00,
              2106-02-07 06:28:15+00,2106-02-07 06:28:15.000001+00,2026-01-01 00:30:00.5+00,NULL}'::timestamptz[]),
    pick(k, ARRAY['empty', '(,)', '[-infinity,infinity]', '[infinity,)', '(,-infinity)', '[2026-01-01,2026-01-01]',
                  '[2026-01-01 00:10+00,2026-01-01 00:40+00)', '[1969-01-01,2200-01-01)', NULL]::tstzrange[]),
    pick(k, '{000000000000000000000000,ffffffffffffffffffffffff,7fffffffffffffffffffffff,6955b9000000000000000000,NULL}'::objectid[]),
    pick(k, '{00000000-0000-0000-0000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff,017f22e2-79b0-7cc3-98c4-dc0c0c07398f}'::uuid[]),
    pick(k, (SELECT array_agg(layout ORDER BY layout::text) FROM snowflake_layouts())
            || ARRAY['time:64;tick=1us;epoch=0001-01-01T00:00:00Z', 'time:33,seq:31;tick=1us;epoch=2026-01-01T00:00:00Z']::snowflake_layout[]),
    pick(k, '{plain,clock,downward,small,wide,forgetful,events,events_pkey,guarded,by_id,by_flake,by_hash,customers,orders,0,4294967295}'::regclass[]),
    pick(k, ARRAY['{}', '{plain,small}', '{wide}', '{NULL,plain}', '{events}', '{4294967295}'])::regclass[],
    pick(k, ARRAY['0', '-1 day', '1 us', '1 hour', '30 days', '1 mon -29 days', '178000000 years']::interval[]),
    pick(k, ARRAY['', 'x', '507f1f77bcf86cd799439011', '{"$oid":"507f1f77bcf86cd799439011"}', 'ObjectId(', 'twitter', 'MINVALUE', NULL]),
    pick(k, ARRAY['{}', '{NULL}', '{x,host=/nonexistent}', '{507f1f77bcf86cd799439011}'])::text[],
    pick(k, ARRAY['', '\x00', '\x507f1f77bcf86cd799439011']::bytea[]),
    pick(k, ARRAY['null', '[]', '{"$oid":null}', '{"$oid":"507f1f77bcf86cd799439011"}', '"507f1f77bcf86cd799439011"']::jsonb[]),
    pick(k, '{id,_id,parent,flake,customer_id,ctid,""}'::name[]),
    pick(k, ARRAY['{}', '{NULL}', '{id}', '{_id,flake}'])::name[],
    pick(k, '{bigint,uuid,objectid,text,0}'::regtype[]),
    k % 2 = 0
FROM generate_series(1, 200) AS k;
CREATE TABLE places AS
SELECT k, CASE WHEN id > repeat('0', 24)::objectid THEN id END::id_domain AS id, idrange(id, NULL) AS r, multirange(idrange(NULL, id)) AS m,
       row(id, n)::pair AS p, ARRAY[id] AS ids, ARRAY[layout] AS layouts FROM sample;

-- SQLsmith calls no function that returns a set, so views do.
CREATE VIEW layouts AS SELECT * FROM snowflake_layouts();
CREATE VIEW decoded AS SELECT k, x.* FROM sample, LATERAL snowflake_parts(n, layout) AS x WHERE n BETWEEN 0 AND snowflake_ceiling('infinity', layout);
CREATE VIEW partitions AS SELECT k, x.* FROM sample, LATERAL objectid_ext_tools.id_partitions(seq) AS x WHERE seq::text IN ('by_id', 'by_flake');
CREATE VIEW barrier WITH (security_barrier) AS SELECT * FROM by_id WHERE id >= timestamptz '2026-01-01 00:10:00+00' OR note < '7';
CREATE VIEW grouped AS SELECT date_trunc('hour', created) AS hour, min(id), max(id), count(DISTINCT flake), array_agg(id ORDER BY id DESC) AS ids
FROM by_hash GROUP BY 1 HAVING max(id) > timestamptz '2026-01-01 00:00:00+00';
CREATE VIEW framed AS SELECT id, count(*) OVER (ORDER BY id RANGE BETWEEN '1 minute' PRECEDING AND CURRENT ROW) AS n FROM events;
CREATE MATERIALIZED VIEW combined AS SELECT id, flake, created FROM events UNION ALL SELECT id, flake, created FROM by_uid;
CREATE INDEX ON combined (id);
-- For all others, functions that return it as text
DO $$
DECLARE
    statement text;
BEGIN
    FOR statement IN
        SELECT format('CREATE FUNCTION %I(%s) RETURNS text LANGUAGE sql AS %L', 'all_' || proname, types,
                      format('SELECT string_agg(x::text, chr(10)) FROM %s(%s) AS x', p.oid::regproc, args))
        FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
             JOIN pg_extension AS e ON e.oid = d.refobjid,
             LATERAL (SELECT string_agg(type::regtype::text, ', ' ORDER BY i), string_agg('$' || i, ', ' ORDER BY i)
                      FROM unnest(proargtypes) WITH ORDINALITY AS t (type, i)) AS a (types, args)
        WHERE extname LIKE 'objectid%' AND proretset
    LOOP
        EXECUTE statement;
    END LOOP;
END $$;
RESET ROLE;
ANALYZE;
