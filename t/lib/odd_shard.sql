-- A schema with what a move can lose: odd names, and something of everything that
-- PostgreSQL has.  The role app, the role "Owner" and the publications feed and whole must exist.
CREATE SCHEMA "Shard 6";
COMMENT ON SCHEMA "Shard 6" IS 'orders of the north';
SET search_path = "Shard 6", public;
CREATE TYPE "Status" AS ENUM ('new', 'paid', 'it''s sent');
CREATE DOMAIN price AS numeric(12,2) CHECK (VALUE >= 0);
CREATE TYPE place AS (street text, house int);
CREATE SEQUENCE "Line Number" INCREMENT -3 MAXVALUE 1000000 MINVALUE -1000000 START 7 CACHE 5;
CREATE FUNCTION net(gross numeric) RETURNS numeric LANGUAGE sql IMMUTABLE RETURN gross / 1.19;
CREATE TABLE "Order" (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    "Status" "Status" NOT NULL DEFAULT 'new',
    total price DEFAULT 0,
    net numeric GENERATED ALWAYS AS (net(total)) STORED,
    address place,
    document jsonb,
    token text NOT NULL
);
CREATE UNIQUE INDEX "Order token" ON "Order" (lower(token)) WHERE token <> '';
COMMENT ON COLUMN "Order"."Status" IS 'what is done';
CREATE TABLE line (
    order_id bigint NOT NULL REFERENCES "Order" ON DELETE CASCADE,
    number bigint NOT NULL DEFAULT nextval('"Line Number"'),
    day date NOT NULL,
    t text,
    PRIMARY KEY (order_id, number, day)
) PARTITION BY RANGE (day);
CREATE TABLE line_2025 PARTITION OF line FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE "line rest" PARTITION OF line DEFAULT PARTITION BY HASH (order_id);
CREATE TABLE "line rest 0" PARTITION OF "line rest" FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE "line rest 1" PARTITION OF "line rest" FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE log (at timestamptz DEFAULT now(), what text, CONSTRAINT log_what CHECK (what <> 'x') NOT VALID);   -- no key
CREATE TABLE archived_log (reason text) INHERITS (log);
CREATE UNLOGGED TABLE session ("Key ""1""" text PRIMARY KEY, value bytea);
CREATE TABLE ranking (id int PRIMARY KEY, pos int UNIQUE DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE by_index (a int NOT NULL, b text NOT NULL COLLATE "C", f float8, i interval, ts timestamptz, x bytea, m money);
CREATE UNIQUE INDEX by_index_key ON by_index (a, b);
ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_key;
CREATE TABLE every_column (a int, b float8, p point); ALTER TABLE every_column REPLICA IDENTITY FULL;
CREATE TABLE dropped (a int, gone int, b int PRIMARY KEY); ALTER TABLE dropped DROP gone; ALTER TABLE dropped ADD c text DEFAULT 'c';
CREATE TABLE nothing ();
CREATE TABLE "of two
lines" (name int, parts text[], CHECK (parts[1:name] IS NOT NULL));
CREATE STATISTICS pair (ndistinct) ON a, b FROM by_index;
CREATE VIEW open_order AS SELECT * FROM "Order" WHERE "Status" = 'new' WITH CHECK OPTION;
CREATE MATERIALIZED VIEW per_status AS SELECT "Status", count(*) FROM "Order" GROUP BY 1;
CREATE UNIQUE INDEX ON per_status ("Status");
CREATE MATERIALIZED VIEW sums AS SELECT sum(count) FROM per_status;
CREATE MATERIALIZED VIEW unpopulated AS SELECT 1 AS one WITH NO DATA;
CREATE FUNCTION note_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "Shard 6".log (what) VALUES (TG_OP || ' ' || NEW.token);
    RETURN NEW;
END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE ON "Order" FOR EACH ROW EXECUTE FUNCTION note_order();
CREATE RULE no_delete AS ON DELETE TO ranking DO INSTEAD NOTHING;
CREATE FUNCTION place_order(token text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    new_id bigint;
BEGIN
    INSERT INTO "Shard 6"."Order" (token, total, document, address)
    VALUES (place_order.token, random() * 1000, jsonb_build_object('token', place_order.token), ROW('Main St', 5)) RETURNING id INTO new_id;
    INSERT INTO "Shard 6".line (order_id, day, t) SELECT new_id, CASE i WHEN 1 THEN '2025-05-05' ELSE '2026-05-05' END::date, CASE i WHEN 2 THEN 'x' END
    FROM generate_series(1, 3) i;
    INSERT INTO "Shard 6".session VALUES (place_order.token, 'x');
    UPDATE "Shard 6".open_order SET "Status" = 'new', total = total + 1 WHERE id = new_id;
    DELETE FROM ONLY "Shard 6".log WHERE what LIKE 'INSERT%' AND random() < 0.5;
    RETURN new_id;
END $$;
-- Its body is parsed: it knows the table, not its name.
CREATE FUNCTION pay(token text) RETURNS SETOF bigint BEGIN ATOMIC
    UPDATE "Order" AS o SET "Status" = 'paid' WHERE o.token = pay.token RETURNING id;
END;
ALTER TABLE "Order" ENABLE ROW LEVEL SECURITY;
CREATE POLICY "own rows" ON "Order" TO app USING (true) WITH CHECK (token <> 'forbidden');
GRANT USAGE ON SCHEMA "Shard 6" TO app;
GRANT ALL ON ALL TABLES IN SCHEMA "Shard 6" TO app;
REVOKE ALL ON log FROM app; GRANT INSERT (at, what), SELECT, DELETE ON log TO app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA "Shard 6" TO app;
REVOKE ALL ON FUNCTION net FROM PUBLIC; GRANT EXECUTE ON FUNCTION net TO app;
ALTER TABLE archived_log OWNER TO "Owner";
ALTER DEFAULT PRIVILEGES IN SCHEMA "Shard 6" GRANT SELECT ON TABLES TO "Owner";
ALTER TABLE "Order" SET (fillfactor = 80); ALTER TABLE "Order" ALTER document SET STORAGE EXTERNAL;
INSERT INTO "Order" (token, document) SELECT 'old ' || i, jsonb_build_object('x', repeat(md5(i::text), 100)) FROM generate_series(1, 300) i;
INSERT INTO line (order_id, day) SELECT id, date '2025-12-01' + id::int FROM "Order";
INSERT INTO by_index SELECT i, 'B' || i, random(), random() * interval '1 day', now() - random() * interval '1 year', '\xdeadbeef', i FROM generate_series(1, 100) i;
INSERT INTO by_index VALUES (0, '', 'NaN', '-1 mon 3 days', 'infinity', '', 1), (0, E'a\tb\\', '-0', '0', '-infinity', '\x00', -1.5);
INSERT INTO every_column VALUES (1, 'Infinity', '(1,2)'), (NULL, NULL, NULL);
INSERT INTO ranking SELECT i, i FROM generate_series(1, 9) i;
INSERT INTO archived_log (what, reason) VALUES ('old', 'full');
INSERT INTO session VALUES ('k', 'v');
INSERT INTO dropped (a, b) VALUES (1, 1);
INSERT INTO nothing DEFAULT VALUES;
INSERT INTO "of two
lines" VALUES (1, '{a,b}');
REFRESH MATERIALIZED VIEW per_status; REFRESH MATERIALIZED VIEW sums;
ALTER PUBLICATION feed ADD TABLE by_index (a, b) WHERE (a > 3), ONLY ranking, ONLY archived_log;
ALTER PUBLICATION whole ADD TABLES IN SCHEMA "Shard 6";
