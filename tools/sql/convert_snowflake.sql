--
-- convert_to_snowflake: an existing integer key continues with snowflakes
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_convert_owner, regress_convert_user, "regress Convert ""reader""";
RESET client_min_messages;
CREATE ROLE regress_convert_owner;
CREATE ROLE regress_convert_user;
CREATE ROLE "regress Convert ""reader""";

CREATE SCHEMA conv;
CREATE SCHEMA "Other ""S""";
GRANT ALL ON SCHEMA conv TO regress_convert_owner;
SET search_path = conv, public, objectid_ext_tools;

-- Everything that a conversion can change: columns, constraints, indexes,
-- triggers, sequences with their state, comments, owners, privileges, files
CREATE FUNCTION facts() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    s regclass;
    state text;
BEGIN
    RETURN QUERY SELECT concat_ws('|', attrelid::regclass, attname, atttypid::regtype, attnotnull, attidentity, attgenerated,
                                  pg_get_expr(adbin, adrelid), attacl, col_description(attrelid, attnum))
        FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relnamespace IN ('conv'::regnamespace, '"Other ""S"""'::regnamespace) AND relkind IN ('r', 'p') AND attnum > 0;
    RETURN QUERY SELECT concat_ws('|', oid::regclass, relkind, relfilenode, pg_get_userbyid(relowner), relacl, obj_description(oid, 'pg_class'),
                                  CASE WHEN relkind IN ('i', 'I') THEN pg_get_indexdef(oid) END)
        FROM pg_class WHERE relnamespace IN ('conv'::regnamespace, '"Other ""S"""'::regnamespace);
    RETURN QUERY SELECT concat_ws('|', oid, conrelid::regclass, conname, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint'))
        FROM pg_constraint WHERE connamespace IN ('conv'::regnamespace, '"Other ""S"""'::regnamespace);
    RETURN QUERY SELECT concat_ws('|', seqrelid::regclass, seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle)
        FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid WHERE relnamespace IN ('conv'::regnamespace, '"Other ""S"""'::regnamespace);
    FOR s IN SELECT oid FROM pg_class WHERE relkind = 'S' AND relnamespace IN ('conv'::regnamespace, '"Other ""S"""'::regnamespace) LOOP
        EXECUTE format('SELECT concat_ws(''|'', %L, last_value, log_cnt, is_called) FROM %s', s, s) INTO state;
        RETURN NEXT state;
    END LOOP;
END $$;
-- A call that must fail and change nothing
CREATE FUNCTION refused("table" text, "column" text, node int DEFAULT 5, layout snowflake_layout DEFAULT 'twitter') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    before text := (SELECT string_agg(f, E'\n' ORDER BY f) FROM facts() f);
    reason text;
    details text;
    hints text;
BEGIN
    BEGIN
        PERFORM convert_to_snowflake("table"::regclass, "column", node, layout);
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
-- The state of a converted column and of its sequence
CREATE FUNCTION state("table" regclass, "column" name, seq regclass) RETURNS TABLE (item text, value text) LANGUAGE sql AS $$
    SELECT v.*
    FROM pg_attribute a
         LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
         JOIN pg_sequence ON seqrelid = seq JOIN pg_class c ON c.oid = seq,
    LATERAL (VALUES
        ('column', format('%s%s%s', atttypid::regtype, CASE WHEN attnotnull THEN ' NOT NULL' END, attidentity)),
        ('default', pg_get_expr(adbin, adrelid)),
        ('sequence', format('%s AS %s INCREMENT %s MINVALUE %s MAXVALUE %s START %s CACHE %s%s', seq, seqtypid::regtype, seqincrement, seqmin, seqmax,
                            seqstart, seqcache, CASE WHEN seqcycle THEN ' CYCLE' END)),
        ('owned by', (SELECT format('%s.%I', refobjid::regclass, o.attname) FROM pg_depend JOIN pg_attribute o ON o.attrelid = refobjid AND o.attnum = refobjsubid
                      WHERE classid = 'pg_class'::regclass AND objid = seq AND refclassid = 'pg_class'::regclass AND deptype = 'a')),
        ('persistence', c.relpersistence::text),
        ('owner', (SELECT relowner::regrole::text FROM pg_class WHERE oid = attrelid) || ', ' || relowner::regrole),
        ('privileges', (SELECT string_agg(concat(CASE WHEN grantee <> 0 THEN grantee::regrole END, '=', privilege_type,
                                                 CASE WHEN is_grantable THEN '*' END), ', ' ORDER BY grantee::regrole::text COLLATE "C", privilege_type)
                        FROM aclexplode(c.relacl) WHERE grantee <> c.relowner)),
        ('comment', obj_description(seq, 'pg_class'))) AS v (item, value)
    WHERE attrelid = "table" AND attname = "column" AND v.value IS NOT NULL
$$;
CREATE FUNCTION foreign_keys() RETURNS TABLE (relation regclass, name name, definition text, validated bool, comment text) LANGUAGE sql AS $$
    SELECT conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated, obj_description(oid, 'pg_constraint')
    FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'conv'::regnamespace
    ORDER BY conrelid::regclass::text COLLATE "C", conname
$$;

--
-- Each kind of column, of each size of integer: old ids keep their values, new
-- ones are snowflakes of the node, and no index or constraint is lost.
--
CREATE TABLE small (id smallserial PRIMARY KEY, n int);
CREATE TABLE medium (id serial PRIMARY KEY, n int);
CREATE TABLE large (id bigserial PRIMARY KEY, n int);
CREATE TABLE always (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int);
CREATE TABLE by_default (id smallint GENERATED BY DEFAULT AS IDENTITY UNIQUE, n int);
CREATE SEQUENCE free;
CREATE TABLE plain (id int PRIMARY KEY DEFAULT nextval('free'), n int);
CREATE SEQUENCE "Other ""S"""."free ""it's""\";
CREATE TABLE "Pla'in ""T""" ("I'd ""C""" bigint PRIMARY KEY DEFAULT nextval('"Other ""S"""."free ""it''s""\"'), n int);
CREATE TABLE "Identity T""" ("I d" int GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME "Iden'tity ""S"""), n int);
CREATE UNLOGGED TABLE unlogged (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int);
CREATE UNLOGGED TABLE unlogged_serial (id serial PRIMARY KEY, n int);
CREATE TEMP TABLE temporary (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, n int);
CREATE TEMP TABLE "Temp serial" (id serial PRIMARY KEY, n int);

CREATE TABLE results (kind text, seq text, same_ids bool, above bool, node bool, type regtype);
DO $$
DECLARE
    kind text;
    col name;
    seq regclass;
    before text;
    after text;
    old_max bigint;
BEGIN
    FOREACH kind IN ARRAY '{small,medium,large,always,by_default,plain,"\"Pla''in \"\"T\"\"\"","\"Identity T\"\"\"",unlogged,unlogged_serial,temporary,"\"Temp serial\""}'::text[] LOOP
        SELECT attname INTO col FROM pg_attribute WHERE attrelid = kind::regclass AND attnum = 1;
        EXECUTE format('INSERT INTO %s (n) SELECT generate_series(1, 100)', kind);
        EXECUTE format('SELECT string_agg(t::text, '' '' ORDER BY n), max(%I) FROM %s t', col, kind) INTO before, old_max;
        seq := convert_to_snowflake(kind::regclass, col, 5, 'twitter');
        EXECUTE format('SELECT string_agg(t::text, '' '' ORDER BY n) FROM %s t', kind) INTO after;
        EXECUTE format('INSERT INTO %s (n) SELECT generate_series(101, 200)', kind);
        EXECUTE format('INSERT INTO results
                        SELECT $1, $2, $3, min(%1$I) > $4, bool_and(snowflake_node(%1$I, ''twitter'') = 5), pg_typeof(min(%1$I)) FROM %2$s WHERE n > 100',
                       col, kind) USING kind, seq::text, before = after, old_max;
    END LOOP;
END $$;
SELECT kind, regexp_replace(seq, 'pg_temp_\d+\.', '') AS seq, same_ids, above, node, type FROM results;
-- the schema of temporary objects depends on the session
SELECT kind, item, regexp_replace(value, 'pg_temp_\d+\.', '', 'g') AS value
FROM results, state(kind::regclass, (SELECT attname FROM pg_attribute WHERE attrelid = kind::regclass AND attnum = 1), seq::regclass) s
WHERE item <> 'owner';
SELECT indexrelid::regclass, indisprimary, indisunique, indisvalid FROM pg_index JOIN pg_class c ON c.oid = indrelid
WHERE relnamespace = 'conv'::regnamespace ORDER BY indexrelid::regclass::text COLLATE "C";
-- an explicit id is accepted, as with any default
INSERT INTO always (id, n) VALUES (-7, 0) RETURNING id;
-- a second conversion is an error
SELECT refused('medium', 'id');
DROP TABLE small, medium, large, always, by_default, plain, "Pla'in ""T""", "Identity T""", unlogged, unlogged_serial, temporary, "Temp serial", results;
DROP SEQUENCE free, "Other ""S"""."free ""it's""\";

--
-- The sequence of an identity column: its options, owner, comment and
-- privileges, whatever ALTER DEFAULT PRIVILEGES would give to a new one.
--
SET ROLE regress_convert_owner;
CREATE TABLE conv.owned (
    id int GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME conv.owned_seq START -20 MINVALUE -30 MAXVALUE 1000 INCREMENT 2 CACHE 16 CYCLE) PRIMARY KEY,
    n int
);
INSERT INTO owned (n) SELECT generate_series(1, 3);
COMMENT ON SEQUENCE owned_seq IS 'It''s "mine"';
COMMENT ON COLUMN owned.id IS 'the key';
GRANT USAGE ON SEQUENCE owned_seq TO regress_convert_user WITH GRANT OPTION;
GRANT SELECT, UPDATE ON SEQUENCE owned_seq TO "regress Convert ""reader""";
GRANT SELECT ON SEQUENCE owned_seq TO PUBLIC;
GRANT SELECT (id) ON owned TO regress_convert_user;
ALTER DEFAULT PRIVILEGES IN SCHEMA conv GRANT ALL ON SEQUENCES TO regress_convert_user;
ALTER DEFAULT PRIVILEGES IN SCHEMA conv GRANT USAGE ON SEQUENCES TO PUBLIC;
CREATE TABLE conv.unaltered (id int GENERATED BY DEFAULT AS IDENTITY, n int);
REVOKE ALL ON SEQUENCE unaltered_id_seq FROM PUBLIC, regress_convert_user;
SELECT id, n FROM owned ORDER BY n;
RESET ROLE;
ALTER DEFAULT PRIVILEGES IN SCHEMA conv GRANT UPDATE ON SEQUENCES TO "regress Convert ""reader""";
-- not as the superuser
SELECT refused('owned', 'id');
SET ROLE regress_convert_owner;
SELECT convert_to_snowflake('owned', 'id', 5, 'instagram');
SELECT convert_to_snowflake('unaltered', 'id', 5, 'twitter');
RESET ROLE;
SELECT * FROM state('owned', 'id', 'owned_seq');
SELECT * FROM state('unaltered', 'id', 'unaltered_id_seq');
SELECT col_description('owned'::regclass, 1), attacl FROM pg_attribute WHERE attrelid = 'owned'::regclass AND attnum = 1;
SET ROLE regress_convert_owner;
INSERT INTO owned (n) VALUES (4);
SELECT count(*), min(id), snowflake_node(max(id), 'instagram') FROM owned;
RESET ROLE;
DROP TABLE owned, unaltered;
ALTER DEFAULT PRIVILEGES IN SCHEMA conv REVOKE UPDATE ON SEQUENCES FROM "regress Convert ""reader""";
ALTER DEFAULT PRIVILEGES FOR ROLE regress_convert_owner IN SCHEMA conv REVOKE ALL ON SEQUENCES FROM regress_convert_user, PUBLIC;

--
-- Foreign keys: from several tables, to the same table, in chains, of several
-- columns, from a partitioned table, NOT VALID and DEFERRABLE
--
CREATE TABLE person (id serial PRIMARY KEY, boss int REFERENCES person, name text);
CREATE TABLE account (id int PRIMARY KEY REFERENCES person ON DELETE CASCADE, kind int NOT NULL DEFAULT 1, UNIQUE (id, kind));
CREATE TABLE entry (account int, kind smallint, n int,
    CONSTRAINT "entry's key" FOREIGN KEY (kind, account) REFERENCES account (kind, id) MATCH FULL ON UPDATE CASCADE);
CREATE TABLE "Log ""1""" ("who's" smallint REFERENCES person DEFERRABLE INITIALLY DEFERRED, n int);
CREATE TABLE unchecked (person int, n int);
INSERT INTO unchecked VALUES (-1, 1);
ALTER TABLE unchecked ADD FOREIGN KEY (person) REFERENCES person NOT VALID;
CREATE TABLE visit (person int REFERENCES person ON DELETE SET NULL, day date) PARTITION BY RANGE (day);
CREATE TABLE visit_1 PARTITION OF visit FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE visit_2 (day date, person int, note text);
ALTER TABLE visit_2 DROP COLUMN note;
ALTER TABLE visit ATTACH PARTITION visit_2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE already (person bigint REFERENCES person);
CREATE VIEW already_view AS SELECT person FROM already;
COMMENT ON CONSTRAINT "entry's key" ON entry IS 'both';
INSERT INTO person (boss, name) SELECT nullif(i / 10, 0), 'p' || i FROM generate_series(1, 1000) i;
INSERT INTO account SELECT generate_series(1, 500);
INSERT INTO entry SELECT i % 500 + 1, 1, i FROM generate_series(1, 1000) i;
INSERT INTO "Log ""1""" SELECT i % 1000 + 1, i FROM generate_series(1, 100) i;
INSERT INTO visit SELECT i % 1000 + 1, date '2026-01-01' + i % 50 FROM generate_series(1, 1000) i;
SELECT * FROM _referring_columns('person', 'id') ORDER BY relation::text COLLATE "C", attribute;
CREATE TEMP TABLE keys_before AS SELECT * FROM foreign_keys();
SELECT convert_to_snowflake('person', 'id', 5, 'twitter');
SELECT * FROM foreign_keys();
SELECT count(*) AS changed FROM (TABLE keys_before EXCEPT SELECT * FROM foreign_keys()) k;
SELECT relation, attribute, attribute_type FROM _referring_columns('person', 'id') ORDER BY relation::text COLLATE "C", attribute;
SELECT count(*), sum(id) FROM person;
-- they are enforced, and new ids cascade through all of them
INSERT INTO person (boss, name) VALUES (1, 'new') RETURNING id AS new \gset
INSERT INTO account VALUES (:new, 2);
INSERT INTO entry VALUES (:new, 2, 1);
INSERT INTO "Log ""1""" VALUES (1, 0);
INSERT INTO visit VALUES (:new, '2026-01-05'), (:new, '2026-02-05');
\set VERBOSITY terse
INSERT INTO person (boss) VALUES (5000);
INSERT INTO account VALUES (5001);
INSERT INTO entry VALUES (5000, 1);
INSERT INTO unchecked VALUES (5000);
INSERT INTO visit VALUES (5000, '2026-02-06');
DELETE FROM person WHERE name = 'p1';
BEGIN;
INSERT INTO "Log ""1""" VALUES (:new + 1, 1);
COMMIT;
\set VERBOSITY default
DELETE FROM entry WHERE account > 500;
DELETE FROM person WHERE name = 'new';
SELECT (SELECT count(*) FROM account WHERE id > 1000) AS accounts, (SELECT count(*) FROM visit WHERE person IS NULL) AS visits;
SET client_min_messages = warning;
DROP TABLE person, account, entry, "Log ""1""", unchecked, visit, already CASCADE;
RESET client_min_messages;

--
-- Partitioned tables: partitions get the default, and keys that refer to one
-- of them follow
--
CREATE TABLE part (id int GENERATED BY DEFAULT AS IDENTITY, k int, n int, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE part_1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part_2 PARTITION OF part FOR VALUES IN (2, 3) PARTITION BY LIST (k);
CREATE TABLE part_2_2 (n int, k int NOT NULL, id int NOT NULL);
ALTER TABLE part_2 ATTACH PARTITION part_2_2 FOR VALUES IN (2);
CREATE TABLE to_parent (id int, k int, FOREIGN KEY (id, k) REFERENCES part);
CREATE TABLE to_partition (id int, k int, FOREIGN KEY (id, k) REFERENCES part_2_2 (id, k));
INSERT INTO part (k, n) SELECT i % 2 + 1, i FROM generate_series(1, 1000) i;
INSERT INTO to_parent SELECT id, k FROM part;
INSERT INTO to_partition SELECT id, k FROM part_2_2;
SELECT convert_to_snowflake('part', 'id', 5, 'twitter');
INSERT INTO part (k, n) SELECT i % 2 + 1, i FROM generate_series(1001, 2000) i;
INSERT INTO to_parent SELECT id, k FROM part WHERE n > 1000;
INSERT INTO to_partition SELECT id, k FROM part_2_2 WHERE n > 1000;
INSERT INTO part_2_2 (k, n) VALUES (2, 2001) RETURNING snowflake_node(id, 'twitter') AS node;
SELECT tableoid::regclass, count(*), count(DISTINCT id), min(id) FILTER (WHERE n > 1000) > max(id) FILTER (WHERE n <= 1000) AS above,
       pg_typeof(min(id))
FROM part GROUP BY tableoid ORDER BY tableoid::regclass::text;
SELECT attrelid::regclass, atttypid::regtype, pg_get_expr(adbin, adrelid) FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attname = 'id' AND attrelid IN (SELECT relid FROM pg_partition_tree('part') UNION ALL VALUES ('to_parent'::regclass), ('to_partition'))
ORDER BY attrelid::regclass::text;
SELECT refused('part', 'n');
SELECT refused('part_1', 'id');
SELECT refused('part', 'k');
DROP TABLE to_parent, to_partition, part;
-- the key of the partitions, if it is a bigint
CREATE SEQUENCE range_seq;
CREATE TABLE by_range (id bigint DEFAULT nextval('range_seq') PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE by_range_old PARTITION OF by_range FOR VALUES FROM (MINVALUE) TO (1000000);
CREATE TABLE by_range_new PARTITION OF by_range FOR VALUES FROM (1000000) TO (MAXVALUE);
INSERT INTO by_range (n) SELECT generate_series(1, 10);
SELECT convert_to_snowflake('by_range', 'id', 5, 'twitter');
INSERT INTO by_range (n) SELECT generate_series(11, 30);
SELECT tableoid::regclass, count(*) FROM by_range GROUP BY 1 ORDER BY tableoid::regclass::text;
DROP TABLE by_range;
CREATE TABLE by_range (id int DEFAULT nextval('range_seq') PRIMARY KEY, n int) PARTITION BY RANGE (id);
SELECT refused('by_range', 'id');
DROP TABLE by_range;
CREATE TABLE by_range (id int DEFAULT nextval('range_seq'), n int) PARTITION BY RANGE ((id / 10));
SELECT refused('by_range', 'id');
DROP TABLE by_range;
DROP SEQUENCE range_seq;
-- inheritance of the old kind
CREATE TABLE ancestor (id serial PRIMARY KEY, n int);
CREATE TABLE heir (extra int) INHERITS (ancestor);
INSERT INTO ancestor (n) VALUES (1);
INSERT INTO heir (n) VALUES (2);
SELECT refused('heir', 'id');
SELECT convert_to_snowflake('ancestor', 'id', 5, 'twitter');
INSERT INTO heir (n) VALUES (3);
SELECT tableoid::regclass, n, id > 1000 AS new, pg_typeof(id) FROM ancestor ORDER BY n;
DROP TABLE ancestor, heir;

--
-- 100,000 rows with a foreign key
--
CREATE TABLE many (id serial PRIMARY KEY, n int, parent int REFERENCES many);
INSERT INTO many (n, parent) SELECT i, nullif(i / 2, 0) FROM generate_series(1, 100000) i;
SELECT convert_to_snowflake('many', 'id', 5, 'js53');
INSERT INTO many (n, parent) SELECT 100000 + i, i FROM generate_series(1, 10000) i;
SELECT count(*), count(DISTINCT id), sum(id) FILTER (WHERE n <= 100000) AS old, min(id) FILTER (WHERE n > 100000) > 100000 AS above FROM many;
DROP TABLE many;

--
-- New ids are above all existing ones, including those inserted explicitly
--
CREATE TABLE by_hand (id bigserial PRIMARY KEY);
SELECT make_snowflake(now() - interval '1 second', 1, 1, 'twitter') AS by_hand \gset
INSERT INTO by_hand VALUES (:by_hand);
SELECT convert_to_snowflake('by_hand', 'id', 5, 'twitter');
SELECT last_value > :by_hand AS above, last_value > snowflake_floor(now() - interval '1 minute', 'twitter') AS now FROM by_hand_id_seq;
DROP TABLE by_hand;
CREATE TABLE by_hand (id bigserial PRIMARY KEY);
INSERT INTO by_hand VALUES (9000000000000000000);
SELECT refused('by_hand', 'id');
TRUNCATE by_hand;
SELECT setval('by_hand_id_seq', 9000000000000000000);
SELECT refused('by_hand', 'id');
-- ids of another layout that are lower than those of today in this one: fine;
-- higher: not
SELECT setval('by_hand_id_seq', 1);
INSERT INTO by_hand SELECT make_snowflake(now(), 1, 1, 'instagram');
SELECT regexp_replace(refused('by_hand', 'id', 5, 'js53'), 'reached \d+,', 'reached ...,');
TRUNCATE by_hand;
INSERT INTO by_hand SELECT make_snowflake(now(), 1, 1, 'js53');
SELECT convert_to_snowflake('by_hand', 'id', 5, 'twitter');
INSERT INTO by_hand DEFAULT VALUES;
SELECT count(*), snowflake_node(max(id), 'twitter') FROM by_hand;
DROP TABLE by_hand;
-- one of the present tick, of a higher node
CREATE TABLE by_hand (id bigserial PRIMARY KEY);
INSERT INTO by_hand SELECT make_snowflake(clock_timestamp(), 15, 255, 'time:31,node:4,seq:8;tick=1s;epoch=2026-01-01T00:00:00Z');
SELECT convert_to_snowflake('by_hand', 'id', 5, 'time:31,node:4,seq:8;tick=1s;epoch=2026-01-01T00:00:00Z');
INSERT INTO by_hand DEFAULT VALUES;
SELECT max(id) >> 8 & 15 AS node FROM by_hand;
DROP TABLE by_hand;
-- a sequence with an end
CREATE SEQUENCE ending MAXVALUE 1000000 CYCLE;
CREATE TABLE ending_table (id bigint DEFAULT nextval('ending'));
SELECT convert_to_snowflake('ending_table', 'id', 5, 'twitter');
SELECT value FROM state('ending_table', 'id', 'ending') WHERE item = 'sequence';
INSERT INTO ending_table DEFAULT VALUES RETURNING snowflake_node(id, 'twitter');
DROP TABLE ending_table;
DROP SEQUENCE ending;
-- an empty table whose sequence was never used
CREATE TABLE empty (id serial PRIMARY KEY);
SELECT convert_to_snowflake('empty', 'id', 5, 'twitter');
INSERT INTO empty DEFAULT VALUES RETURNING snowflake_node(id, 'twitter');
DROP TABLE empty;
-- rows hidden by a policy count, too
SET ROLE regress_convert_owner;
CREATE TABLE conv.hidden (id bigserial PRIMARY KEY);
INSERT INTO hidden VALUES (9000000000000000000);
ALTER TABLE hidden ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT convert_to_snowflake('hidden', 'id', 5, 'twitter');
RESET ROLE;
ALTER TABLE hidden OWNER TO CURRENT_USER;
SELECT refused('hidden', 'id');
DROP TABLE hidden;

--
-- The node: of the argument, or of the server when a row is inserted
--
CREATE TABLE of_server (id serial PRIMARY KEY);
SELECT convert_to_snowflake('of_server', 'id', node => NULL, layout => 'twitter');
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'of_server'::regclass;
INSERT INTO of_server DEFAULT VALUES;
DROP TABLE of_server;
CREATE TABLE own_layout (id serial PRIMARY KEY);
SELECT refused('own_layout', 'id', 1024);
SELECT refused('own_layout', 'id', -1);
SELECT refused('own_layout', 'id', 1, 'mastodon');
SELECT convert_to_snowflake('own_layout', 'id', 1, 'time:41,node:1,seq:21;tick=1ms;epoch=2026-01-01T00:00:00Z');
SELECT * FROM state('own_layout', 'id', 'own_layout_id_seq') WHERE item = 'default';
INSERT INTO own_layout DEFAULT VALUES
RETURNING abs(extract(epoch FROM clock_timestamp() - snowflake_timestamp(id, 'time:41,node:1,seq:21;tick=1ms;epoch=2026-01-01T00:00:00Z'))) < 5 AS now;
DROP TABLE own_layout;

--
-- Other objects that depend on a column.  With a bigint column, they are kept.
--
CREATE TABLE busy (id bigserial PRIMARY KEY CHECK (id > 0), n int, twice bigint GENERATED ALWAYS AS (id * 2) STORED);
CREATE INDEX busy_expression ON busy ((id % 10)) WHERE id > 5;
CREATE VIEW busy_view AS SELECT id FROM busy;
CREATE MATERIALIZED VIEW busy_materialized AS SELECT id FROM busy;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER busy_trigger BEFORE UPDATE OF id ON busy FOR EACH ROW WHEN (new.id > 0) EXECUTE FUNCTION nothing();
CREATE POLICY busy_policy ON busy USING (id > 0);
CREATE STATISTICS busy_statistics ON id, n FROM busy;
INSERT INTO busy (n) SELECT generate_series(1, 20);
SELECT convert_to_snowflake('busy', 'id', 5, 'twitter');
INSERT INTO busy (n) SELECT generate_series(21, 40);
SELECT count(*), bool_and(twice = id * 2) AS twice FROM busy JOIN busy_view USING (id);
SET client_min_messages = warning;
DROP TABLE busy CASCADE;
RESET client_min_messages;

-- With an int column, objects that follow the type are kept: checks, indexes,
-- statistics, ...
CREATE TABLE busy (id serial PRIMARY KEY CHECK (id > 0), n int);
CREATE UNIQUE INDEX busy_expression ON busy ((id % 1000), n DESC) WHERE id > 5;
CREATE INDEX busy_included ON busy USING hash (id) WITH (fillfactor = 50);
CREATE STATISTICS busy_statistics ON id, n FROM busy;
COMMENT ON INDEX busy_expression IS 'modulo';
COMMENT ON CONSTRAINT busy_pkey ON busy IS 'key';
ALTER TABLE busy REPLICA IDENTITY USING INDEX busy_pkey, CLUSTER ON busy_pkey;
INSERT INTO busy (n) SELECT generate_series(1, 20);
SELECT convert_to_snowflake('busy', 'id', 5, 'twitter');
SELECT pg_get_indexdef(indexrelid), indisreplident, indisclustered, obj_description(indexrelid, 'pg_class') FROM pg_index WHERE indrelid = 'busy'::regclass ORDER BY pg_get_indexdef(indexrelid) COLLATE "C";
SELECT conname, pg_get_constraintdef(oid), obj_description(oid, 'pg_constraint') FROM pg_constraint WHERE conrelid = 'busy'::regclass AND contype <> 'n' ORDER BY 1;
SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxrelid = 'busy'::regclass;
DROP TABLE busy;

-- ... and for others the error names the object, and nothing changes.
CREATE TABLE busy (id serial PRIMARY KEY, n int);
INSERT INTO busy (n) SELECT generate_series(1, 20);
CREATE VIEW "Busy view" AS SELECT id FROM busy;
SELECT refused('busy', 'id');
DROP VIEW "Busy view";
CREATE MATERIALIZED VIEW busy_materialized AS SELECT max(id) FROM busy;
SELECT refused('busy', 'id');
DROP MATERIALIZED VIEW busy_materialized;
CREATE RULE busy_rule AS ON UPDATE TO busy WHERE old.id = 7 DO INSTEAD NOTHING;
SELECT refused('busy', 'id');
DROP RULE busy_rule ON busy;
CREATE TRIGGER busy_trigger BEFORE UPDATE ON busy FOR EACH ROW WHEN (new.id > 0) EXECUTE FUNCTION nothing();
SELECT refused('busy', 'id');
DROP TRIGGER busy_trigger ON busy;
CREATE POLICY busy_policy ON busy USING (id > 0);
SELECT refused('busy', 'id');
DROP POLICY busy_policy ON busy;
ALTER TABLE busy ADD twice bigint GENERATED ALWAYS AS (id * 2) STORED;
SELECT refused('busy', 'id');
ALTER TABLE busy DROP twice;
CREATE FUNCTION busy_function() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT sum(id) FROM busy; END;
SELECT refused('busy', 'id');
DROP FUNCTION busy_function;
SET client_min_messages = error;
CREATE PUBLICATION regress_convert_publication FOR TABLE busy (id, n);
RESET client_min_messages;
SELECT refused('busy', 'id');
DROP PUBLICATION regress_convert_publication;
CREATE TABLE with_row (b busy);
SELECT refused('busy', 'id');
DROP TABLE with_row;
-- on a referring column, and on one of a partition
CREATE TABLE referring (busy int REFERENCES busy);
CREATE VIEW referring_view AS SELECT busy FROM referring;
SELECT refused('busy', 'id');
DROP VIEW referring_view;
DROP TABLE referring;
CREATE TABLE referring (busy int REFERENCES busy, k int) PARTITION BY LIST (k);
CREATE TABLE referring_1 PARTITION OF referring FOR VALUES IN (1);
CREATE VIEW partition_view AS SELECT busy FROM referring_1;
SELECT refused('busy', 'id');
DROP VIEW partition_view;
DROP TABLE referring;
CREATE TABLE referring (busy int REFERENCES busy) PARTITION BY LIST (busy);
SELECT refused('busy', 'id');
DROP TABLE referring;
CREATE TABLE referring (n int, busy int GENERATED ALWAYS AS (n) STORED REFERENCES busy);
SELECT refused('busy', 'id');
DROP TABLE referring;
CREATE TABLE referring (busy int, k int) PARTITION BY LIST (k);
CREATE TABLE referring_1 PARTITION OF referring FOR VALUES IN (1);
ALTER TABLE referring_1 ADD FOREIGN KEY (busy) REFERENCES busy;
SELECT refused('busy', 'id');
DROP TABLE referring, busy;

--
-- Columns without a sequence, or with a shared one
--
CREATE SEQUENCE shared;
CREATE SEQUENCE shared_2;
CREATE TABLE one (id int DEFAULT nextval('shared'), other int);
CREATE TABLE two (id int DEFAULT nextval('shared'));
SELECT refused('one', 'id');
DROP TABLE two;
ALTER TABLE one ALTER other SET DEFAULT nextval('shared');
SELECT refused('one', 'id');
ALTER TABLE one ALTER other SET DEFAULT 7;
SELECT refused('one', 'other');
ALTER TABLE one ALTER other SET DEFAULT nextval('shared_2') + 1;
SELECT refused('one', 'other');
ALTER TABLE one ALTER other SET DEFAULT nextval('shared_2') + nextval('shared_2');
SELECT refused('one', 'other');
ALTER TABLE one ALTER other SET DEFAULT currval('shared_2');
SELECT refused('one', 'other');
ALTER TABLE one ALTER other DROP DEFAULT;
SELECT refused('one', 'other');
ALTER SEQUENCE shared INCREMENT -1 MINVALUE -100 START -1 RESTART;
SELECT refused('one', 'id');
ALTER SEQUENCE shared INCREMENT 4097 NO MINVALUE START 1 RESTART;
SELECT refused('one', 'id');
-- an identity column that owns a sequence besides its own
CREATE TABLE two (id int GENERATED BY DEFAULT AS IDENTITY);
ALTER SEQUENCE shared_2 OWNED BY two.id;
SELECT convert_to_snowflake('two', 'id', 5, 'twitter');
DROP TABLE two;

-- objects that do not exist, or are of the wrong kind
CREATE VIEW one_view AS SELECT * FROM one;
CREATE INDEX one_index ON one (id);
CREATE TABLE kinds (t text, u uuid, f numeric, g int GENERATED ALWAYS AS (1) STORED, gone serial);
CREATE DOMAIN natural_number AS int;
CREATE SEQUENCE domain_seq;
CREATE TABLE with_domain (id natural_number DEFAULT nextval('domain_seq'));
ALTER TABLE kinds DROP gone;
SELECT v.*, refused(v.relation, v.col)
FROM (VALUES ('one_view', 'id'), ('one_index', 'id'), ('shared', 'last_value'), ('one', 'nothing'), ('one', 'ctid'), ('one', 'tableoid'),
             ('kinds', 't'), ('kinds', 'u'), ('kinds', 'f'), ('kinds', 'g'), ('kinds', '........pg.dropped.5........'), ('with_domain', 'id'),
             ('pg_class', 'oid'), (NULL, 'id'), ('one', NULL)) v (relation, col);
SELECT refused('one', 'id', 5, NULL);
DROP VIEW one_view;
DROP TABLE one, kinds, with_domain;
DROP DOMAIN natural_number;
DROP SEQUENCE domain_seq, shared;

-- a cursor on the table, and constraints that wait for the end
CREATE TABLE used (id serial PRIMARY KEY, self int REFERENCES used DEFERRABLE INITIALLY DEFERRED);
BEGIN;
INSERT INTO used (self) VALUES (1);
SELECT refused('used', 'id');
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM used;
SELECT refused('used', 'id');
ROLLBACK;
-- a rollback undoes it
SELECT string_agg(f, E'\n' ORDER BY f) AS before FROM facts() f \gset
BEGIN;
SELECT convert_to_snowflake('used', 'id', 5, 'twitter');
INSERT INTO used DEFAULT VALUES;
ROLLBACK;
SELECT string_agg(f, E'\n' ORDER BY f) = :'before' AS as_it_was FROM facts() f;
INSERT INTO used DEFAULT VALUES RETURNING id < 10 AS serial;
DROP TABLE used;

--
-- Privileges: the owner of all changed objects can convert
--
SET ROLE regress_convert_owner;
CREATE TABLE conv.guarded (id serial PRIMARY KEY, n int);
CREATE TABLE conv.guarded_identity (id int GENERATED BY DEFAULT AS IDENTITY, n int);
GRANT ALL ON guarded, guarded_identity TO regress_convert_user;
RESET ROLE;
GRANT USAGE ON SCHEMA conv TO regress_convert_user, "regress Convert ""reader""";
GRANT USAGE ON SCHEMA "Other ""S""" TO PUBLIC;
CREATE FUNCTION warns(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'a check of another role runs as %', current_user; RETURN true; END $$;
CREATE TABLE foreign_to_owner (guarded int REFERENCES guarded CHECK (warns(guarded)));
GRANT ALL ON foreign_to_owner TO regress_convert_owner;
SELECT string_agg(f, E'\n' ORDER BY f) AS before FROM facts() f \gset
SET ROLE "regress Convert ""reader""";
SELECT convert_to_snowflake('guarded', 'id', 5, 'twitter');
SET ROLE regress_convert_user;
SELECT convert_to_snowflake('guarded', 'id', 5, 'twitter');
SELECT convert_to_snowflake('guarded_identity', 'id', 5, 'twitter');
SET ROLE regress_convert_owner;
\set VERBOSITY terse
SELECT convert_to_snowflake('guarded', 'id', 5, 'twitter');
\set VERBOSITY default
RESET ROLE;
SELECT string_agg(f, E'\n' ORDER BY f) = :'before' AS as_it_was FROM facts() f;
DROP TABLE foreign_to_owner;
DROP FUNCTION warns(int);
-- the owner needs no more than that; but a sequence of somebody else is not his
SET ROLE regress_convert_owner;
SELECT convert_to_snowflake('guarded', 'id', 5, 'twitter'), convert_to_snowflake('guarded_identity', 'id', 5, 'twitter');
INSERT INTO guarded DEFAULT VALUES;
SELECT count(*) FROM guarded;
RESET ROLE;
CREATE SEQUENCE of_user;
ALTER SEQUENCE of_user OWNER TO regress_convert_user;
GRANT ALL ON SEQUENCE of_user TO regress_convert_owner;
SET ROLE regress_convert_owner;
CREATE TABLE conv.borrowed (id int DEFAULT nextval('of_user'));
SELECT convert_to_snowflake('borrowed', 'id', 5, 'twitter');
RESET ROLE;
DROP TABLE guarded, guarded_identity, borrowed;

-- Roles that could insert before still can.  An identity column requires no
-- privilege on its sequence, a default does.
CREATE TABLE inserted (id int GENERATED BY DEFAULT AS IDENTITY, n int);
GRANT INSERT ON inserted TO regress_convert_user;
GRANT INSERT (n) ON inserted TO "regress Convert ""reader""";
CREATE TABLE inserted_part (id int GENERATED BY DEFAULT AS IDENTITY, n int) PARTITION BY LIST (n);
CREATE TABLE inserted_part_1 PARTITION OF inserted_part FOR VALUES IN (1);
GRANT INSERT ON inserted_part_1 TO PUBLIC;
CREATE TABLE inserted_serial (id serial, n int);
GRANT INSERT ON inserted_serial TO regress_convert_user;
SELECT convert_to_snowflake('inserted', 'id', 5, 'twitter'), convert_to_snowflake('inserted_part', 'id', 5, 'twitter'), convert_to_snowflake('inserted_serial', 'id', 5, 'twitter');
SELECT value FROM state('inserted', 'id', 'inserted_id_seq') WHERE item = 'privileges';
SELECT value FROM state('inserted_part', 'id', 'inserted_part_id_seq') WHERE item = 'privileges';
SELECT value FROM state('inserted_serial', 'id', 'inserted_serial_id_seq') WHERE item = 'privileges';
SET ROLE regress_convert_user;
INSERT INTO inserted (n) VALUES (1);
INSERT INTO inserted_part_1 (n) VALUES (1);
SET ROLE "regress Convert ""reader""";
INSERT INTO inserted (n) VALUES (2);
RESET ROLE;
SELECT count(DISTINCT id) FROM inserted;
DROP TABLE inserted, inserted_part, inserted_serial;
-- also through views and rules
CREATE TABLE viewed (id int GENERATED BY DEFAULT AS IDENTITY, n int);
CREATE VIEW in_view AS SELECT n FROM viewed;
CREATE VIEW in_views AS SELECT n FROM in_view;
CREATE TABLE entry (n int);
CREATE RULE entered AS ON INSERT TO entry DO ALSO INSERT INTO viewed (n) VALUES (NEW.n);
GRANT INSERT ON in_views TO regress_convert_user;
GRANT INSERT ON entry TO "regress Convert ""reader""";
SELECT convert_to_snowflake('viewed', 'id', 5, 'twitter');
SELECT value FROM state('viewed', 'id', 'viewed_id_seq') WHERE item = 'privileges';
SET ROLE regress_convert_user;
INSERT INTO in_views VALUES (1);
SET ROLE "regress Convert ""reader""";
INSERT INTO entry VALUES (2);
RESET ROLE;
SELECT n, id > 1000000 AS snowflake FROM viewed;
DROP VIEW in_views, in_view;
DROP TABLE entry, viewed;

--
-- Whatever the session's settings are: how names and literals are printed
--
CREATE TABLE quoted (id serial PRIMARY KEY);
CREATE SEQUENCE "Back\slash";
CREATE TABLE "Mixed Case" (id int PRIMARY KEY DEFAULT nextval('"Back\slash"'), n int);
SET quote_all_identifiers = on;
SELECT convert_to_snowflake('quoted', 'id', 5, 'twitter');
RESET quote_all_identifiers;
DO $$
BEGIN
	SET escape_string_warning = off;
	SET standard_conforming_strings = off;
EXCEPTION
	WHEN undefined_object THEN NULL;	-- from 19 on literals are always standard
END $$;
SELECT convert_to_snowflake('"Mixed Case"', 'id', 5, 'twitter');
RESET standard_conforming_strings;
SELECT * FROM state('quoted', 'id', 'quoted_id_seq') WHERE item IN ('column', 'default');
SELECT * FROM state('"Mixed Case"', 'id', '"Back\slash"') WHERE item IN ('column', 'default');
-- names in messages are quoted once
SELECT refused('"Mixed Case"', 'n');
DROP TABLE quoted, "Mixed Case";
DROP SEQUENCE "Back\slash";

--
-- Check constraints of the column that no new id satisfies
--
CREATE TABLE checked (id serial PRIMARY KEY CONSTRAINT "Small id" CHECK (id < 1000) NO INHERIT, "N n" int);
INSERT INTO checked DEFAULT VALUES;
SELECT refused('checked', 'id');
ALTER TABLE checked DROP CONSTRAINT "Small id", ADD CHECK (id > 0), ADD CHECK (id < 1000 OR "N n" IS NULL), ADD CHECK (id < 10 OR NULL);
-- a child has rows of its own
CREATE TABLE checked_child (CHECK (id < 1000)) INHERITS (checked);
SELECT convert_to_snowflake('checked', 'id', 5, 'twitter');
INSERT INTO checked DEFAULT VALUES;
SELECT count(*), count(*) FILTER (WHERE id > 1000) AS new FROM checked;
DROP TABLE checked CASCADE;

--
-- Whatever the search_path is: tables that have the names of catalogs,
-- functions and operators that look like ours, the extension off it
--
CREATE SCHEMA hostile;
CREATE TABLE hostile.pg_class (id serial PRIMARY KEY, oid oid, relkind "char");
CREATE TABLE hostile.pg_attribute (id int GENERATED BY DEFAULT AS IDENTITY, pg_class int REFERENCES hostile.pg_class);
CREATE FUNCTION hostile.setval(regclass, bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
CREATE FUNCTION hostile.next_snowflake(regclass, int, public.snowflake_layout) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
CREATE FUNCTION hostile.never(oid, oid) RETURNS bool LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR hostile.= (FUNCTION = hostile.never, LEFTARG = oid, RIGHTARG = oid);
-- and functions in the extension's schema that match an unqualified call better
CREATE FUNCTION public.next_snowflake(regclass, int, text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
CREATE FUNCTION public.next_snowflake(seq regclass, layout text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
SET search_path = hostile, pg_catalog;
SELECT objectid_ext_tools.convert_to_snowflake('hostile.pg_class', 'id', 5, 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('hostile.pg_attribute', 'id', node => NULL, layout => 'twitter');
INSERT INTO hostile.pg_class DEFAULT VALUES;
SHOW search_path;
SET search_path = conv, public, objectid_ext_tools;
SELECT attrelid::regclass, atttypid::regtype, pg_get_expr(adbin, adrelid) FROM pg_attribute JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attrelid IN ('hostile.pg_class'::regclass, 'hostile.pg_attribute'::regclass) ORDER BY 1;
DROP FUNCTION public.next_snowflake(regclass, int, text), public.next_snowflake(regclass, text);
CREATE SCHEMA "The extension's ""s""";
ALTER EXTENSION objectid_ext SET SCHEMA "The extension's ""s""";
CREATE TABLE public.convert_elsewhere (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, self int REFERENCES public.convert_elsewhere);
CREATE TABLE "The extension's ""s""".beside (id int GENERATED BY DEFAULT AS IDENTITY);
SET search_path = '';
SELECT objectid_ext_tools.convert_to_snowflake('public.convert_elsewhere', 'id', 5, 'twitter');
SELECT objectid_ext_tools.convert_to_snowflake('"The extension''s ""s""".beside', 'id', 5, 'twitter');
INSERT INTO public.convert_elsewhere DEFAULT VALUES RETURNING id OPERATOR(pg_catalog.>) 1000000 AS new;
INSERT INTO "The extension's ""s""".beside DEFAULT VALUES RETURNING id OPERATOR(pg_catalog.>) 1000000 AS new;
SET search_path = conv, public, objectid_ext_tools;
DROP TABLE public.convert_elsewhere, "The extension's ""s""".beside;
ALTER EXTENSION objectid_ext SET SCHEMA public;

SET client_min_messages = warning;
DROP SCHEMA conv, hostile, "Other ""S""", "The extension's ""s""" CASCADE;
DROP ROLE regress_convert_owner, regress_convert_user, "regress Convert ""reader""";
