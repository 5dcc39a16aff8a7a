--
-- convert_to_objectid: a column of text, bytea or jsonb becomes one of 12 bytes
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_convert_owner, regress_convert_user;
RESET client_min_messages;
CREATE ROLE regress_convert_owner;
CREATE ROLE regress_convert_user;
SET timezone = 'UTC';

CREATE SCHEMA conv;
GRANT ALL ON SCHEMA conv TO regress_convert_owner;
SET search_path = conv, public, objectid_ext_tools;

-- Everything that a conversion can change: columns, constraints, indexes,
-- statistics, comments, privileges, files
CREATE FUNCTION facts() RETURNS SETOF text LANGUAGE sql AS $$
    SELECT concat_ws('|', attrelid::regclass, attname, atttypid::regtype, attnotnull, attcollation::regcollation, pg_get_expr(adbin, adrelid),
                     attacl, col_description(attrelid, attnum))
    FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'conv'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0
    UNION ALL
    SELECT concat_ws('|', oid::regclass, relkind, relfilenode, pg_get_userbyid(relowner), relacl, obj_description(oid, 'pg_class'),
                     CASE WHEN relkind IN ('i', 'I') THEN pg_get_indexdef(oid) END)
    FROM pg_class WHERE relnamespace = 'conv'::regnamespace
    UNION ALL
    SELECT concat_ws('|', oid, conrelid::regclass, conname, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint'))
    FROM pg_constraint WHERE connamespace = 'conv'::regnamespace
    UNION ALL
    SELECT concat_ws('|', oid, pg_get_statisticsobjdef(oid)) FROM pg_statistic_ext WHERE stxnamespace = 'conv'::regnamespace
$$;
-- A call that must fail and change nothing
CREATE FUNCTION refused("table" text, "column" text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before text := (SELECT string_agg(f, E'\n' ORDER BY f) FROM facts() f);
    reason text;
    details text;
    hints text;
BEGIN
    BEGIN
        PERFORM convert_to_objectid("table"::regclass, "column");
        RAISE 'not refused';
    EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS reason = MESSAGE_TEXT, details = PG_EXCEPTION_DETAIL, hints = PG_EXCEPTION_HINT;
        reason := concat_ws(E'\n', sqlstate || ' ' || reason, nullif(details, ''), nullif(hints, ''));
    END;
    IF before IS DISTINCT FROM (SELECT string_agg(f, E'\n' ORDER BY f) FROM facts() f) THEN
        reason := reason || E'\nAND SOMETHING CHANGED';
    END IF;
    RETURN reason;
END $$;
CREATE FUNCTION columns("table" regclass) RETURNS TABLE (name name, type regtype, not_null bool, "default" text, comment text) LANGUAGE sql AS $$
    SELECT attname, atttypid::regtype, attnotnull, pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = "table" AND attnum > 0 AND NOT attisdropped ORDER BY attnum
$$;
CREATE FUNCTION constraints() RETURNS TABLE (relation regclass, name name, definition text, validated bool, comment text) LANGUAGE sql AS $$
    SELECT conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated, obj_description(oid, 'pg_constraint')
    FROM pg_constraint WHERE conparentid = 0 AND contype <> 'n' AND connamespace = 'conv'::regnamespace
    ORDER BY conrelid::regclass::text COLLATE "C", conname
$$;
CREATE FUNCTION indexes() RETURNS TABLE (definition text, "primary" bool, identity bool, "clustered" bool, valid bool, comment text) LANGUAGE sql AS $$
    SELECT pg_get_indexdef(indexrelid), indisprimary, indisreplident, indisclustered, indisvalid, obj_description(indexrelid, 'pg_class')
    FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE relnamespace = 'conv'::regnamespace ORDER BY pg_get_indexdef(indexrelid) COLLATE "C"
$$;

--
-- Every type and every spelling; NULL stays NULL
--
CREATE TABLE spelled (n serial, t text, v varchar(60), vv varchar, c char(24), b bytea, j jsonb);
INSERT INTO spelled (t, v, vv, c, b, j) VALUES
    ('507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011', '507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011', '{"$oid": "507f1f77bcf86cd799439011"}'),
    ('ObjectId("507f1f77bcf86cd799439011")', 'ObjectId(''507f1f77bcf86cd799439011'')', 'ObjectId(507f1f77bcf86cd799439011)', '507F1F77BCF86CD799439011', '\x507F1F77BCF86CD799439011', '"507F1F77BCF86CD799439011"'),
    ('"507f1f77bcf86cd799439011"', '{"$oid":"507f1f77bcf86cd799439011"}', '{ "$oid" : "507F1F77BCF86CD799439011" }', NULL, NULL, NULL),
    (NULL, NULL, NULL, '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011', '"507f1f77bcf86cd799439011"');
SELECT convert_to_objectid('spelled', name) FROM columns('spelled') WHERE name <> 'n';
SELECT name, type FROM columns('spelled');
TABLE spelled;
DROP TABLE spelled;
-- padded
CREATE TABLE padded (c char(40), v varchar(40));
INSERT INTO padded VALUES ('ObjectId("507f1f77bcf86cd799439011")', '507f1f77bcf86cd799439011');
SELECT convert_to_objectid('padded', 'c'), convert_to_objectid('padded', 'v');
TABLE padded;
DROP TABLE padded;

--
-- Names that need quotes, NOT NULL, comments, privileges
--
CREATE TABLE "O'id ""T""" ("_id's ""C""" text COLLATE "C" NOT NULL CONSTRAINT "Key's ""K""" PRIMARY KEY, n int);
COMMENT ON COLUMN "O'id ""T"""."_id's ""C""" IS 'the id';
COMMENT ON CONSTRAINT "Key's ""K""" ON "O'id ""T""" IS 'the key';
GRANT SELECT ("_id's ""C""") ON "O'id ""T""" TO regress_convert_user;
CREATE TABLE "Re'f ""T""" ("re'f ""C""" varchar(24) COLLATE "C",
    CONSTRAINT "F'k ""K""" FOREIGN KEY ("re'f ""C""") REFERENCES "O'id ""T""" ON DELETE CASCADE DEFERRABLE);
COMMENT ON CONSTRAINT "F'k ""K""" ON "Re'f ""T""" IS 'it''s "one"';
INSERT INTO "O'id ""T""" VALUES ('507f1f77bcf86cd799439011', 1);
INSERT INTO "Re'f ""T""" VALUES ('507f1f77bcf86cd799439011');
SELECT convert_to_objectid('"O''id ""T"""', '_id''s "C"');
SELECT * FROM columns('"O''id ""T"""');
SELECT * FROM columns('"Re''f ""T"""');
SELECT * FROM constraints();
SELECT grantee::regrole, privilege_type FROM pg_attribute, aclexplode(attacl) WHERE attrelid = '"O''id ""T"""'::regclass AND attnum = 1;
SELECT * FROM "O'id ""T""" JOIN "Re'f ""T""" ON "_id's ""C""" = "re'f ""C""";
INSERT INTO "O'id ""T""" VALUES (NULL);
DROP TABLE "O'id ""T""", "Re'f ""T""";

--
-- Foreign keys: to the same table, in chains, of several columns, from a
-- partitioned table, NOT VALID; with different string types at each end
--
CREATE TABLE person (_id char(24) PRIMARY KEY, boss varchar REFERENCES person, name text);
CREATE TABLE account (_id text PRIMARY KEY REFERENCES person ON UPDATE CASCADE, kind int NOT NULL DEFAULT 1, UNIQUE (kind, _id));
CREATE TABLE entry (account varchar(24), kind smallint,
    CONSTRAINT "entry's key" FOREIGN KEY (account, kind) REFERENCES account (_id, kind) MATCH FULL DEFERRABLE INITIALLY DEFERRED);
CREATE TABLE unchecked (person text);
INSERT INTO unchecked VALUES ('000000000000000000000000');
ALTER TABLE unchecked ADD FOREIGN KEY (person) REFERENCES person NOT VALID;
CREATE TABLE visit (person text REFERENCES person ON DELETE SET NULL, day date) PARTITION BY RANGE (day);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE visit_2 (day date, person text);
ALTER TABLE visit ATTACH PARTITION visit_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE unrelated (person text);
COMMENT ON CONSTRAINT "entry's key" ON entry IS 'both';
INSERT INTO person SELECT lpad(to_hex(i), 24, '0'), lpad(to_hex(nullif(i / 10, 0)), 24, '0'), 'p' || i FROM generate_series(1, 1000) i;
INSERT INTO account SELECT _id FROM person LIMIT 500;
INSERT INTO entry SELECT _id, 1 FROM account;
INSERT INTO visit SELECT _id, date '2026-01-01' + (row_number() OVER () % 50)::int FROM person;
CREATE TEMP TABLE before AS SELECT * FROM constraints();
SELECT convert_to_objectid('person', '_id');
SELECT * FROM constraints();
SELECT count(*) AS changed FROM (TABLE before EXCEPT SELECT * FROM constraints()) c;
DROP TABLE before;
SELECT relation, attribute, attribute_type FROM _referring_columns('person', '_id') ORDER BY relation::text COLLATE "C", attribute;
SELECT type FROM columns('unrelated');
SELECT count(*), max(_id), count(boss) FROM person;
\set VERBOSITY terse
INSERT INTO person VALUES ('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439012');
INSERT INTO account VALUES ('507f1f77bcf86cd799439011');
INSERT INTO unchecked VALUES ('507f1f77bcf86cd799439011');
INSERT INTO visit VALUES ('507f1f77bcf86cd799439011', '2026-02-02');
INSERT INTO entry VALUES ('507f1f77bcf86cd799439011', 1);
\set VERBOSITY default
DROP TABLE person, account, entry, unchecked, visit, unrelated;

-- jsonb and bytea keys
CREATE TABLE json_key (_id jsonb PRIMARY KEY, other jsonb REFERENCES json_key);
INSERT INTO json_key VALUES ('{"$oid": "507f1f77bcf86cd799439011"}', '{"$oid": "507f1f77bcf86cd799439011"}');
CREATE TABLE bytea_key (_id bytea PRIMARY KEY);
INSERT INTO bytea_key VALUES ('\x507f1f77bcf86cd799439011');
CREATE TABLE bytea_reference (ref bytea REFERENCES bytea_key);
INSERT INTO bytea_reference TABLE bytea_key;
SELECT convert_to_objectid('json_key', '_id'), convert_to_objectid('bytea_key', '_id');
SELECT * FROM json_key, bytea_key, bytea_reference;
SELECT name, definition FROM constraints();
DROP TABLE json_key, bytea_key, bytea_reference;

--
-- Defaults give the same values as before, including those of partitions
--
CREATE TABLE defaults (n int, t text DEFAULT '507f1f77bcf86cd799439011', g text DEFAULT gen_objectid(), c char(24) DEFAULT '507f1f77bcf86cd799439012',
                       b bytea DEFAULT '\x507f1f77bcf86cd799439013', j jsonb DEFAULT '"507f1f77bcf86cd799439014"', nothing text DEFAULT NULL)
    PARTITION BY LIST (n);
CREATE TABLE defaults_1 PARTITION OF defaults FOR VALUES IN (1);
CREATE TABLE defaults_2 PARTITION OF defaults FOR VALUES IN (2);
ALTER TABLE defaults_2 ALTER t SET DEFAULT 'ObjectId("507F1F77BCF86CD799439021")', ALTER c SET DEFAULT '507f1f77bcf86cd799439022', ALTER j DROP DEFAULT;
SELECT convert_to_objectid('defaults', name) FROM columns('defaults') WHERE name <> 'n';
SELECT name, type, "default" FROM columns('defaults_1');
SELECT name, "default" FROM columns('defaults_2');
INSERT INTO defaults (n) VALUES (1), (2) RETURNING n, t, c, b, j, nothing, g > '507f1f77bcf86cd799439011' AS generated;
INSERT INTO defaults_1 (n) VALUES (1) RETURNING t, c, b, j, nothing;
INSERT INTO defaults_2 (n) VALUES (2) RETURNING t, c, b, j, nothing;
DROP TABLE defaults;

--
-- Indexes and statistics that do not depend on the type are kept
--
CREATE TABLE indexed (_id text PRIMARY KEY, u varchar(24) COLLATE "C" UNIQUE NULLS NOT DISTINCT, n int);
CREATE INDEX indexed_partial ON indexed (_id) WHERE n > 5;
CREATE INDEX indexed_many ON indexed (n DESC NULLS LAST, _id DESC) INCLUDE (u) WITH (fillfactor = 80);
CREATE INDEX indexed_included ON indexed (n) INCLUDE (_id);
CREATE INDEX indexed_hash ON indexed USING hash (_id);
CREATE INDEX indexed_brin ON indexed USING brin (_id);
CREATE INDEX indexed_other ON indexed ((n + 1)) WHERE n IS NOT NULL;
CREATE STATISTICS indexed_statistics ON _id, n FROM indexed;
COMMENT ON INDEX indexed_partial IS 'part';
COMMENT ON CONSTRAINT indexed_pkey ON indexed IS 'key';
ALTER TABLE indexed REPLICA IDENTITY USING INDEX indexed_pkey, CLUSTER ON indexed_pkey;
INSERT INTO indexed SELECT lpad(to_hex(i), 24, '0'), CASE WHEN i > 1 THEN 'F' || lpad(to_hex(i), 23, '0') END, i FROM generate_series(1, 1000) i;
SELECT convert_to_objectid('indexed', '_id'), convert_to_objectid('indexed', 'u');
SELECT * FROM indexes();
SELECT name, definition, comment FROM constraints();
SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxrelid = 'indexed'::regclass;
ANALYZE indexed;
SET enable_seqscan = off;
SELECT n FROM indexed WHERE _id = '0000000000000000000000ff';
SELECT n FROM indexed WHERE u IS NULL;
RESET enable_seqscan;
INSERT INTO indexed VALUES ('507f1f77bcf86cd799439011', NULL, 0);
INSERT INTO indexed VALUES ('0000000000000000000000FF', '507f1f77bcf86cd799439011', 0);
DROP TABLE indexed;
-- two spellings of one id
CREATE TABLE spellings (_id text PRIMARY KEY);
INSERT INTO spellings VALUES ('507f1f77bcf86cd79943901a'), ('507F1F77BCF86CD79943901A');
SELECT refused('spellings', '_id');
DROP TABLE spellings;

--
-- Partitioned tables, with keys that refer to the table and to a partition
--
CREATE TABLE part (_id text, k int, n int, PRIMARY KEY (_id, k)) PARTITION BY LIST (k);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2, 3) PARTITION BY LIST (k);
CREATE TABLE part_2_2 (n int, k int NOT NULL, _id text NOT NULL);
ALTER TABLE part_2 ATTACH PARTITION part_2_2 FOR VALUES IN (2);
CREATE TABLE to_parent (_id text, k int, FOREIGN KEY (_id, k) REFERENCES part);
CREATE TABLE to_partition (_id text, k int, FOREIGN KEY (_id, k) REFERENCES part_2_2 (_id, k));
CREATE INDEX part_2_only ON part_2 (_id);
INSERT INTO part SELECT lpad(to_hex(i), 24, '0'), i % 2 + 1, i FROM generate_series(1, 1000) i;
INSERT INTO to_parent SELECT _id, k FROM part;
INSERT INTO to_partition SELECT _id, k FROM part_2_2;
SELECT convert_to_objectid('part', '_id');
SELECT relation, attribute_type FROM _referring_columns('part', '_id') ORDER BY relation::text COLLATE "C";
SELECT definition FROM indexes();
SELECT relation, name, definition FROM constraints();
SELECT tableoid::regclass, count(*), pg_typeof(min(_id)) FROM part GROUP BY tableoid ORDER BY tableoid::regclass::text;
\set VERBOSITY sqlstate
DELETE FROM part WHERE n = 1;
INSERT INTO to_partition VALUES ('000000000000000000000002', 1);
\set VERBOSITY default
DROP TABLE to_parent, to_partition, part;
CREATE TABLE by_key (_id text PRIMARY KEY) PARTITION BY HASH (_id);
SELECT refused('by_key', '_id');
DROP TABLE by_key;
CREATE TABLE by_key (_id text, k int) PARTITION BY LIST (left(_id, 1));
SELECT refused('by_key', '_id');
DROP TABLE by_key;
CREATE TABLE by_key (_id text, k int) PARTITION BY LIST (k);
CREATE TABLE by_key_1 PARTITION OF by_key FOR VALUES IN (1) PARTITION BY LIST (_id);
SELECT refused('by_key', '_id');
SELECT refused('by_key_1', '_id');
DROP TABLE by_key;
-- inheritance of the old kind
CREATE TABLE ancestor (_id text, n int);
CREATE TABLE heir (extra int) INHERITS (ancestor);
INSERT INTO ancestor VALUES ('507f1f77bcf86cd799439011', 1);
INSERT INTO heir VALUES ('507f1f77bcf86cd799439012', 2);
SELECT refused('heir', '_id');
SELECT convert_to_objectid('ancestor', '_id');
SELECT tableoid::regclass, _id, pg_typeof(_id) FROM ancestor ORDER BY _id;
DROP TABLE ancestor, heir;

-- temporary and unlogged ones
CREATE TEMP TABLE temporary (_id text PRIMARY KEY, parent text REFERENCES temporary);
CREATE UNLOGGED TABLE unlogged (_id text PRIMARY KEY);
SELECT convert_to_objectid('temporary', '_id'), convert_to_objectid('unlogged', '_id');
SELECT type FROM columns('temporary') UNION ALL SELECT type FROM columns('unlogged');
DROP TABLE temporary, unlogged;

--
-- 100,000 rows with a foreign key
--
CREATE TABLE many (_id char(24) PRIMARY KEY, n int, parent text REFERENCES many);
INSERT INTO many SELECT '5' || lpad(to_hex(i), 23, '0'), i, '5' || lpad(to_hex(nullif(i / 2, 0)), 23, '0') FROM generate_series(1, 100000) i;
SELECT convert_to_objectid('many', '_id');
SELECT count(*), count(DISTINCT _id), count(parent), count(*) FILTER (WHERE _id::text <> '5' || lpad(to_hex(n), 23, '0')) AS changed FROM many;
SELECT count(*) FROM many c JOIN many p ON p._id = c.parent WHERE p.n = c.n / 2;
DROP TABLE many;

--
-- Values that are not valid ids: their number, and the first of them
--
CREATE TABLE wrong (n int, t text, c char(24), b bytea, j jsonb);
INSERT INTO wrong SELECT i, '507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011', '\x507f1f77bcf86cd799439011', '"507f1f77bcf86cd799439011"'
FROM generate_series(1, 1000) i;
UPDATE wrong SET t = 'no. ' || n WHERE n IN (500, 900, 1000);
UPDATE wrong SET c = '507f1f77' WHERE n = 7;
UPDATE wrong SET b = '\x507f1f77bcf86cd79943901100' WHERE n IN (8, 9);
UPDATE wrong SET j = 'null' WHERE n = 10;
SELECT name, refused('wrong', name) FROM columns('wrong');
UPDATE wrong SET j = '{"$oid": "507f1f77bcf86cd799439011", "x": 1}' WHERE n = 10;
SELECT refused('wrong', 'j');
UPDATE wrong SET t = repeat('long ', 1000) WHERE n = 500;
UPDATE wrong SET t = '507f1f77bcf86cd799439011' WHERE n > 500;
SELECT refused('wrong', 't');
UPDATE wrong SET t = ' 507f1f77bcf86cd799439011' WHERE n = 500;
SELECT refused('wrong', 't');
-- in a column that refers to it, and in a partition
CREATE TABLE right_key (_id text PRIMARY KEY);
INSERT INTO right_key VALUES ('507f1f77bcf86cd799439011');
CREATE TABLE referring (ref text, k int) PARTITION BY LIST (k);
CREATE TABLE referring_1 PARTITION OF referring FOR VALUES IN (1);
INSERT INTO referring VALUES ('x', 1), ('y', 1);
ALTER TABLE referring_1 ADD FOREIGN KEY (ref) REFERENCES right_key NOT VALID;
SELECT refused('right_key', '_id');
SELECT refused('referring', 'ref');
DROP TABLE referring;
CREATE TABLE referring (ref text);
INSERT INTO referring VALUES ('x');
ALTER TABLE referring ADD FOREIGN KEY (ref) REFERENCES right_key NOT VALID;
SELECT refused('right_key', '_id');
DROP TABLE referring, right_key, wrong;
-- rows hidden by a policy are checked, too
CREATE TABLE hidden (_id text);
INSERT INTO hidden VALUES ('x');
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY, OWNER TO regress_convert_owner;
SET ROLE regress_convert_owner;
SELECT convert_to_objectid('hidden', '_id');
RESET ROLE;
DROP TABLE hidden;

--
-- The error names the obstacle, and nothing changes.
--
CREATE TABLE busy (_id text COLLATE "C" PRIMARY KEY, n int, t text);
INSERT INTO busy SELECT lpad(to_hex(i), 24, '0'), i FROM generate_series(1, 20) i;
CREATE VIEW "Busy view" AS SELECT _id FROM busy;
SELECT refused('busy', '_id');
DROP VIEW "Busy view";
CREATE MATERIALIZED VIEW busy_materialized AS SELECT n FROM busy WHERE _id > 'a';
SELECT refused('busy', '_id');
DROP MATERIALIZED VIEW busy_materialized;
ALTER TABLE busy ADD CONSTRAINT "busy's check" CHECK (length(_id) = 24);
SELECT refused('busy', '_id');
ALTER TABLE busy DROP CONSTRAINT "busy's check";
ALTER TABLE busy ADD CONSTRAINT busy_exclude EXCLUDE USING hash (_id WITH =);
SELECT refused('busy', '_id');
ALTER TABLE busy DROP CONSTRAINT busy_exclude;
CREATE INDEX "Busy index" ON busy (lower(_id));
SELECT refused('busy', '_id');
DROP INDEX "Busy index";
CREATE INDEX busy_predicate ON busy (n) WHERE _id > '5';
SELECT refused('busy', '_id');
DROP INDEX busy_predicate;
CREATE INDEX busy_predicate ON busy (_id) WHERE _id LIKE '5%';
SELECT refused('busy', '_id');
DROP INDEX busy_predicate;
CREATE INDEX busy_both ON busy (_id, lower(_id));
SELECT refused('busy', '_id');
DROP INDEX busy_both;
CREATE INDEX busy_pattern ON busy (_id text_pattern_ops);
SELECT refused('busy', '_id');
DROP INDEX busy_pattern;
CREATE INDEX busy_bloom ON busy USING brin (n, _id text_bloom_ops);
SELECT refused('busy', '_id');
DROP INDEX busy_bloom;
CREATE INDEX busy_collation ON busy (_id COLLATE "POSIX");
SELECT refused('busy', '_id');
DROP INDEX busy_collation;
CREATE INDEX busy_spgist ON busy USING spgist (_id);
SELECT refused('busy', '_id');
DROP INDEX busy_spgist;
CREATE STATISTICS "Busy statistics" ON n, lower(_id) FROM busy;
SELECT refused('busy', '_id');
DROP STATISTICS "Busy statistics";
ALTER TABLE busy ADD short text GENERATED ALWAYS AS (left(_id, 8)) STORED;
SELECT refused('busy', '_id'), refused('busy', 'short');
ALTER TABLE busy DROP short;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER busy_trigger BEFORE UPDATE OF _id ON busy EXECUTE FUNCTION nothing();
SELECT refused('busy', '_id');
DROP TRIGGER busy_trigger ON busy;
CREATE POLICY busy_policy ON busy USING (_id > 'a');
SELECT refused('busy', '_id');
DROP POLICY busy_policy ON busy;
CREATE FUNCTION busy_function() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT max(_id) FROM busy; END;
SELECT refused('busy', '_id');
DROP FUNCTION busy_function;
SET client_min_messages = error;
CREATE PUBLICATION regress_convert_publication FOR TABLE busy (_id, n);
SELECT refused('busy', '_id');
DROP PUBLICATION regress_convert_publication;
CREATE PUBLICATION regress_convert_publication FOR TABLE busy WHERE (_id > 'a');
SELECT refused('busy', '_id');
DROP PUBLICATION regress_convert_publication;
-- a publication of the whole table is not an obstacle
CREATE PUBLICATION regress_convert_publication FOR TABLE busy;
SELECT refused('busy', '_id');
DROP PUBLICATION regress_convert_publication;
RESET client_min_messages;
-- nor are objects that depend on other columns: expressions, checks, policies
CREATE INDEX busy_beside ON busy (lower(t)) WHERE n > 1;
CREATE VIEW busy_beside_view AS SELECT n FROM busy;
ALTER TABLE busy ADD CHECK (t <> '_id');
SELECT refused('busy', '_id');
DROP VIEW busy_beside_view;
DROP INDEX busy_beside;
-- on a referring column, or on a partition of it
CREATE TABLE referring (busy text REFERENCES busy CHECK (busy > '0'));
SELECT refused('busy', '_id');
DROP TABLE referring;
CREATE TABLE referring (busy text REFERENCES busy, k int) PARTITION BY LIST (k);
CREATE TABLE referring_1 PARTITION OF referring FOR VALUES IN (1);
CREATE INDEX referring_pattern ON referring_1 (busy varchar_pattern_ops);
SELECT refused('busy', '_id');
DROP TABLE referring;
-- a column that refers to another
CREATE TABLE referring (busy text REFERENCES busy);
SELECT refused('referring', 'busy');
CREATE TABLE elsewhere (_id text PRIMARY KEY);
ALTER TABLE referring ADD CONSTRAINT "two's" FOREIGN KEY (busy) REFERENCES elsewhere;
SELECT refused('busy', '_id');
ALTER TABLE referring DROP CONSTRAINT "two's";
CREATE TABLE with_self (_id text PRIMARY KEY, parent text REFERENCES with_self);
SELECT refused('with_self', 'parent');
DROP TABLE referring, elsewhere, with_self;
-- its row type is used in another table
CREATE TABLE with_row (b busy);
SELECT refused('busy', '_id');
DROP TABLE with_row, busy;

-- objects that do not exist, or are of the wrong kind
CREATE DOMAIN hex_id AS text CHECK (VALUE ~ '^[0-9a-f]{24}$');
CREATE TABLE kinds (d hex_id, i int, u uuid, n name, js json, a text[], o objectid, g text GENERATED ALWAYS AS ('x') STORED, r text);
CREATE VIEW kinds_view AS SELECT r FROM kinds;
CREATE TABLE domain_referring (k hex_id);
ALTER TABLE kinds ADD UNIQUE (r);
DROP VIEW kinds_view;
ALTER TABLE domain_referring ADD FOREIGN KEY (k) REFERENCES kinds (r);
CREATE VIEW kinds_view AS SELECT 1 AS r;
SELECT v.*, refused(v.relation, v.col)
FROM (VALUES ('kinds', 'd'), ('kinds', 'i'), ('kinds', 'u'), ('kinds', 'n'), ('kinds', 'js'), ('kinds', 'a'), ('kinds', 'o'), ('kinds', 'g'), ('kinds', 'r'),
             ('kinds', 'nothing'), ('kinds', 'ctid'), ('kinds_view', 'r'), ('kinds_r_key', 'r')) v (relation, col);
SELECT refused(NULL, 'r'), refused('kinds', NULL);
DROP VIEW kinds_view;
DROP TABLE domain_referring, kinds;
DROP DOMAIN hex_id;

-- a rollback undoes it
CREATE TABLE undone (_id text PRIMARY KEY, parent text REFERENCES undone);
INSERT INTO undone VALUES ('507F1F77BCF86CD799439011');
SELECT string_agg(f, E'\n' ORDER BY f) AS before FROM facts() f \gset
BEGIN;
SELECT convert_to_objectid('undone', '_id');
TABLE undone;
ROLLBACK;
SELECT string_agg(f, E'\n' ORDER BY f) = :'before' AS as_it_was FROM facts() f;
TABLE undone;
DROP TABLE undone;

--
-- Privileges: the owner of all changed objects can convert
--
CREATE TABLE guarded (_id text PRIMARY KEY);
ALTER TABLE guarded OWNER TO regress_convert_owner;
CREATE TABLE foreign_to_owner (guarded text REFERENCES guarded);
GRANT USAGE ON SCHEMA conv TO regress_convert_user;
GRANT ALL ON guarded TO regress_convert_user;
\set VERBOSITY terse
GRANT ALL ON foreign_to_owner TO regress_convert_user, regress_convert_owner;
SELECT string_agg(f, E'\n' ORDER BY f) AS before FROM facts() f \gset
SET ROLE regress_convert_user;
SELECT convert_to_objectid('guarded', '_id');
SET ROLE regress_convert_owner;
SELECT convert_to_objectid('guarded', '_id');
RESET ROLE;
SELECT string_agg(f, E'\n' ORDER BY f) = :'before' AS as_it_was FROM facts() f;
\set VERBOSITY default
ALTER TABLE foreign_to_owner OWNER TO regress_convert_owner;
SET ROLE regress_convert_owner;
SELECT convert_to_objectid('guarded', '_id');
RESET ROLE;
SELECT type FROM columns('foreign_to_owner');
DROP TABLE guarded, foreign_to_owner;

--
-- With any search_path
--
CREATE SCHEMA hostile;
CREATE TABLE hostile.pg_class (oid text PRIMARY KEY, relkind text REFERENCES hostile.pg_class);
CREATE FUNCTION hostile.is_objectid(text) RETURNS bool LANGUAGE sql AS 'SELECT false';
CREATE DOMAIN hostile.objectid AS text CHECK (VALUE = 'hijacked');
CREATE FUNCTION hostile.never(oid, oid) RETURNS bool LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR hostile.= (FUNCTION = hostile.never, LEFTARG = oid, RIGHTARG = oid);
INSERT INTO hostile.pg_class VALUES ('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439011');
SET search_path = hostile, pg_catalog;
SELECT objectid_ext_tools.convert_to_objectid('hostile.pg_class', 'oid');
SHOW search_path;
SET search_path = conv, public, objectid_ext_tools;
SELECT name, type FROM columns('hostile.pg_class');
CREATE SCHEMA "The extension's ""s""";
ALTER EXTENSION objectid_ext SET SCHEMA "The extension's ""s""";
CREATE TABLE public.convert_elsewhere (_id text PRIMARY KEY DEFAULT '507f1f77bcf86cd799439011', parent char(24) DEFAULT '507f1f77bcf86cd799439011' REFERENCES public.convert_elsewhere);
INSERT INTO public.convert_elsewhere DEFAULT VALUES;
SET search_path = '';
SELECT objectid_ext_tools.convert_to_objectid('public.convert_elsewhere', '_id');
SET search_path = conv, public, objectid_ext_tools;
SELECT name, type, "default" FROM columns('public.convert_elsewhere');
DROP TABLE public.convert_elsewhere;
ALTER EXTENSION objectid_ext SET SCHEMA public;

SET client_min_messages = warning;
DROP SCHEMA conv, hostile, "The extension's ""s""" CASCADE;
DROP ROLE regress_convert_owner, regress_convert_user;
