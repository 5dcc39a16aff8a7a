--
-- What conversion_plan() names, and conversions in steps refuse at once; definitions
-- of indexes and constraints that mean the same with any settings
--

\set SHOW_CONTEXT never
CREATE SCHEMA plan_test;
CREATE SCHEMA other;
SET search_path = plan_test, public, objectid_ext_tools;
CREATE VIEW indexes AS
SELECT indrelid::regclass AS relation, indexrelid::regclass AS index, pg_get_indexdef(indexrelid) AS definition FROM pg_index;
CREATE FUNCTION obstacles("table" regclass, "column" name DEFAULT 'id', created_at name DEFAULT NULL) RETURNS TABLE (item text, relation regclass, detail text)
LANGUAGE sql AS $$ SELECT item, relation, detail FROM objectid_ext_tools.conversion_plan("table", "column", created_at) WHERE item LIKE 'obstacle%' $$;

--
-- The session executes CREATE INDEX with its own settings
--
CREATE TABLE part (id serial PRIMARY KEY, t text, "'a\(" text[], d date, CHECK (t <> E'\\\\' OR id > 0));
CREATE INDEX ON part (id) WHERE t <> E'a\\\\b';
CREATE INDEX ON part ((id + 1), left(t, 3), (t || 'x' || id::text)) WITH (fillfactor = 80)
    WHERE "'a\(" @> ARRAY['it''s \'] AND id IN (1, 2) AND t LIKE '%\%' AND (id, t) < (7, 'x') AND extract(year FROM d) > - 2000 AND NULLIF(t, 'x') IS DISTINCT FROM 'y';
INSERT INTO part (t) VALUES ('a'), ('b');
CREATE TABLE before AS SELECT index::text, definition FROM indexes WHERE relation = 'part'::regclass;
CREATE TABLE before_checks AS SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = 'part'::regclass AND contype = 'c';
-- a better match than the operator of pg_catalog
CREATE FUNCTION other.contains(text[], text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION other.left(text, integer) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT $1';
SELECT substring(statement FROM ' USING .*') AS definition FROM snowflake_conversion_steps('part', 'id', 1, 'twitter') WHERE statement LIKE 'CREATE INDEX%' ORDER BY step;
SELECT statement FROM snowflake_conversion_steps('part', 'id', 1, 'twitter') WHERE statement LIKE '%search_path%';
CREATE OPERATOR other.@> (FUNCTION = other.contains, LEFTARG = text[], RIGHTARG = text[]);
SET search_path = other, plan_test, public, objectid_ext_tools, pg_catalog;
DO 'BEGIN PERFORM set_config(name, ''off'', false) FROM pg_settings WHERE name = ''escape_string_warning''; END';  -- until 18
-- PostgreSQL 19 does not have it any more
SELECT set_config('standard_conforming_strings', CASE WHEN current_setting('server_version_num')::int < 190000 THEN 'off' ELSE 'on' END, false) <> '' AS set;
\t on
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('part', 'id', 1, 'twitter') ORDER BY step \gexec
\t off
SET standard_conforming_strings = on;
DO 'BEGIN PERFORM set_config(name, reset_val, false) FROM pg_settings WHERE name = ''escape_string_warning''; END';
SHOW search_path;
SET search_path = plan_test, public, objectid_ext_tools;
SELECT index, definition FROM indexes WHERE relation = 'part'::regclass EXCEPT SELECT index::regclass, definition FROM before;
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'part'::regclass AND contype = 'c' EXCEPT SELECT * FROM before_checks;
-- An index that cannot be created leaves the session as it was, with any path.
CREATE TABLE fails (id serial PRIMARY KEY, n int DEFAULT 0);
CREATE UNIQUE INDEX ON fails ((n / n)) WHERE id > 0;
INSERT INTO fails (n) VALUES (1);
SET search_path = '';
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('plan_test.fails', 'id', 1, 'twitter') WHERE statement LIKE 'CALL%begin%' OR statement LIKE 'CALL%fill%' ORDER BY step \gexec
BEGIN;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('plan_test.fails', 'id', 1, 'twitter') WHERE statement LIKE 'CREATE%' ORDER BY step LIMIT 1 \gexec
ROLLBACK;
SHOW search_path;
SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('plan_test.fails', 'id', 1, 'twitter') ORDER BY step \gexec
SHOW search_path;
SET search_path = plan_test, public, objectid_ext_tools;
SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'fails'::regclass AND attname = 'id';
-- Types and operator classes are printed without a schema for a session that finds them.
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE OPERATOR CLASS id_ops FOR TYPE int8 USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btint8cmp(int8, int8);
CREATE TABLE moods (id serial PRIMARY KEY, m mood, n bigint);
CREATE INDEX ON moods (id, n id_ops) WHERE m <> 'sad';
CREATE TABLE moods_before AS SELECT index::text, definition FROM indexes WHERE relation = 'moods'::regclass;
SELECT substring(statement FROM ' USING .*') AS definition FROM snowflake_conversion_steps('moods', 'id', 1, 'twitter') WHERE statement LIKE 'CREATE INDEX%' ORDER BY step;
\t on
SELECT statement FROM snowflake_conversion_steps('moods', 'id', 1, 'twitter') ORDER BY step \gexec
\t off
SELECT index, definition FROM indexes WHERE relation = 'moods'::regclass EXCEPT SELECT index::regclass, definition FROM moods_before;
SELECT atttypid::regtype FROM pg_attribute WHERE attrelid = 'moods'::regclass AND attname = 'id';
-- These forms look an operator up, which a definition cannot name: either way would
-- use another one.
CREATE TYPE other.pair AS (a int, b int);
CREATE FUNCTION other.same(other.pair, other.pair) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a = ($2).a';
CREATE FUNCTION other.less(other.pair, other.pair) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a < ($2).a';
CREATE FUNCTION other.compare(other.pair, other.pair) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT ($1).a - ($2).a';
CREATE OPERATOR other.= (FUNCTION = other.same, LEFTARG = other.pair, RIGHTARG = other.pair);
CREATE OPERATOR other.< (FUNCTION = other.less, LEFTARG = other.pair, RIGHTARG = other.pair);
CREATE OPERATOR FAMILY other.pair_ops USING btree;
CREATE OPERATOR CLASS other.pair_ops FOR TYPE other.pair USING btree FAMILY other.pair_ops AS OPERATOR 1 other.<, OPERATOR 3 other.=, FUNCTION 1 other.compare(other.pair, other.pair);
SET search_path = other, plan_test, public, objectid_ext_tools, pg_catalog;
CREATE TABLE plan_test.hidden (id serial PRIMARY KEY, p pair, CONSTRAINT c CHECK (NULLIF(p, '(1,2)') IS NOT NULL OR id > 0));
CREATE TABLE plan_test.refers_hidden (id int DEFAULT CASE WHEN '(1,2)'::pair IS DISTINCT FROM '(1,3)' THEN 1 END REFERENCES hidden);
CREATE UNIQUE INDEX i1 ON hidden (id) WHERE p IS DISTINCT FROM '(1,2)';
CREATE INDEX i2 ON hidden (id) WHERE CASE p WHEN '(1,2)' THEN true END;
CREATE INDEX i3 ON hidden (id) WHERE (id, p) < (3, '(1,2)'::pair);
-- others are printed
CREATE INDEX i4 ON hidden (id) WHERE p IN ('(1,2)', '(1,3)') AND p = '(1,2)' AND CASE WHEN p = '(1,2)' THEN true END AND p = ANY (ARRAY['(1,2)'::pair])
    AND (p, '(1,2)'::pair) < (p, p) AND id IS DISTINCT FROM 1 AND CASE id WHEN 2 THEN true END AND (id, id) < (1, 2);
SET search_path = plan_test, public, objectid_ext_tools;
SELECT item, relation, split_part(detail, E'\n', 1) AS detail FROM obstacles('hidden');
SELECT statement FROM snowflake_conversion_steps('hidden', 'id', 1, 'twitter');
SELECT convert_to_snowflake('hidden', 'id', 1, 'twitter');
ALTER TABLE hidden DROP CONSTRAINT c;
ALTER TABLE refers_hidden ALTER COLUMN id DROP DEFAULT;
DROP INDEX i1, i2, i3;
SELECT * FROM obstacles('hidden');
CREATE TABLE hidden_before AS SELECT index::text, definition FROM indexes WHERE relation = 'hidden'::regclass;
SELECT convert_to_snowflake('hidden', 'id', 1, 'twitter');
SELECT index, definition FROM indexes WHERE relation = 'hidden'::regclass EXCEPT SELECT index::regclass, definition FROM hidden_before;

--
-- Values of the row type, which PostgreSQL does not change, either: in other types too
--
CREATE TABLE whole_row (id serial PRIMARY KEY);
CREATE VIEW row_view AS SELECT r, 1 AS n FROM whole_row AS r;
CREATE DOMAIN row_domain AS whole_row;
CREATE TYPE row_type AS (old row_domain[]);
CREATE FUNCTION make_row(int) RETURNS whole_row LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN ROW($1); END';
CREATE TABLE row_values (v row_view, t row_type[], n int) PARTITION BY LIST (n);
CREATE TABLE row_values_1 PARTITION OF row_values FOR VALUES IN (1);
INSERT INTO row_values VALUES (ROW(ROW(1), 1), ARRAY[ROW(ARRAY[ROW(2)::row_domain])::row_type], 1);
CREATE MATERIALIZED VIEW row_copy AS SELECT v FROM row_values;
CREATE TABLE row_index (n int);
CREATE INDEX ON row_index (make_row(n));
SELECT * FROM obstacles('whole_row');
SELECT statement FROM snowflake_conversion_steps('whole_row', 'id', 1, 'twitter');
SELECT convert_to_snowflake('whole_row', 'id', 1, 'twitter');
DROP TABLE row_index;
DROP MATERIALIZED VIEW row_copy;
\t on
SELECT substring(detail FROM 'use (.*) before') FROM obstacles('whole_row') \gexec
\t off
SELECT * FROM row_values;
SELECT * FROM obstacles('whole_row');
-- nothing changes its type
CREATE TABLE whole_bigint (id bigserial PRIMARY KEY);
CREATE TABLE bigint_values (v whole_bigint);
SELECT * FROM obstacles('whole_bigint');

--
-- Rows that violate a constraint that is not valid cannot be updated
--
CREATE TABLE old (id serial PRIMARY KEY, n int);
INSERT INTO old (n) VALUES (-1);
ALTER TABLE old ADD CONSTRAINT positive CHECK (n > 0) NOT VALID, ADD CONSTRAINT small CHECK (n < 10) NOT VALID;
SELECT * FROM obstacles('old');
SELECT statement FROM snowflake_conversion_steps('old', 'id', 1, 'twitter');
SELECT count(*) FROM pg_class WHERE relname LIKE '\_objectid\_ext\_%' AND relnamespace = 'plan_test'::regnamespace AND relkind = 'r' AND relname <> _live_name('fails.id');
UPDATE old SET n = 1;
SELECT * FROM obstacles('old');

--
-- Nor can tables that are published without a replica identity
--
SET client_min_messages = error;
CREATE TABLE published (id serial, n int);
CREATE INDEX ON published (id);
SELECT * FROM obstacles('published');
CREATE PUBLICATION regress_plan FOR TABLE published;
\set VERBOSITY sqlstate
UPDATE published SET n = n;
\set VERBOSITY default
SELECT * FROM obstacles('published');
SELECT statement FROM snowflake_conversion_steps('published', 'id', 1, 'twitter');
DROP PUBLICATION regress_plan;
CREATE PUBLICATION regress_plan FOR TABLES IN SCHEMA plan_test WITH (publish = 'update, delete');
SELECT * FROM obstacles('published');
SELECT * FROM obstacles('old');
ALTER TABLE old REPLICA IDENTITY NOTHING;
SELECT * FROM obstacles('old');
ALTER TABLE published REPLICA IDENTITY FULL;
SELECT * FROM obstacles('published');
DROP PUBLICATION regress_plan;
RESET client_min_messages;

--
-- An index that something else needs, too
--
CREATE TABLE coded (id serial PRIMARY KEY, code text, name text, UNIQUE (code) INCLUDE (id));
CREATE TABLE by_code (code text REFERENCES coded (code), id int REFERENCES coded);
SELECT * FROM obstacles('coded');
SELECT statement FROM snowflake_conversion_steps('coded', 'id', 1, 'twitter');
ALTER TABLE by_code DROP CONSTRAINT by_code_code_fkey;
SELECT * FROM obstacles('coded');
CREATE FUNCTION add_code(text) RETURNS void BEGIN ATOMIC INSERT INTO coded (code) VALUES ($1) ON CONFLICT ON CONSTRAINT coded_code_id_key DO NOTHING; END;
SELECT * FROM obstacles('coded');

--
-- Expressions that the new type does not have, or that use whole rows
--
CREATE TABLE typed (id serial PRIMARY KEY, ch text, CHECK (chr(64 + id) <> ch));
CREATE INDEX ON typed (chr(65 + id));
SELECT * FROM obstacles('typed');
SELECT statement FROM snowflake_conversion_steps('typed', 'id', 1, 'twitter');
CREATE TABLE whole (id serial PRIMARY KEY, ch text, CHECK (whole IS NOT NULL AND id > 0));
CREATE INDEX ON whole (id) WHERE whole IS NOT NULL;
SELECT * FROM obstacles('whole');
SELECT statement FROM snowflake_conversion_steps('whole', 'id', 1, 'twitter');
SELECT convert_to_snowflake('whole', 'id', 1, 'twitter');
-- also those that do not use the column by itself
CREATE TABLE rows (id serial PRIMARY KEY, name text, n int);
CREATE TABLE row_parts (id int REFERENCES rows, n int) PARTITION BY RANGE (n);
CREATE TABLE row_part PARTITION OF row_parts FOR VALUES FROM (1) TO (10);
INSERT INTO rows (name) VALUES ('a'), ('b');
CREATE FUNCTION as_text(record) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN row_to_json($1)::text; END $$;
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE UNIQUE INDEX by_row ON rows (as_text(rows));
CREATE INDEX of_rows ON rows (name) WHERE as_text(rows) <> '';
ALTER TABLE rows ADD CONSTRAINT row_check CHECK (as_text(rows) <> ''), ADD CONSTRAINT row_excluded EXCLUDE ((as_text(rows)) WITH =);
\set VERBOSITY sqlstate
ALTER TABLE rows ADD COLUMN long boolean GENERATED ALWAYS AS (as_text(rows) <> '') STORED;
CREATE STATISTICS row_statistics ON (as_text(rows)), name FROM rows;
\set VERBOSITY default
CREATE POLICY row_policy ON rows USING (as_text(rows) <> '');
CREATE POLICY row_policy ON row_part USING (EXISTS (SELECT as_text(r) FROM rows r));
CREATE POLICY part_policy ON row_part WITH CHECK (as_text(row_part) <> '');
CREATE TRIGGER row_trigger AFTER INSERT ON rows FOR EACH ROW WHEN (NEW IS NOT NULL) EXECUTE FUNCTION note();
CREATE TRIGGER part_trigger AFTER INSERT ON row_parts FOR EACH ROW WHEN (as_text(NEW) <> '') EXECUTE FUNCTION note();
CREATE TRIGGER row_changed AFTER UPDATE ON rows FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION note();
CREATE TRIGGER row_different AFTER UPDATE ON rows FOR EACH ROW WHEN (OLD.n IS NULL OR NEW *<> OLD) EXECUTE FUNCTION note();
CREATE TRIGGER row_differs AFTER UPDATE ON rows FOR EACH ROW WHEN (OLD *<> NEW AND OLD IS NOT NULL) EXECUTE FUNCTION note();
CREATE TRIGGER row_changed AFTER UPDATE ON row_parts FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION note();
SELECT relation, object FROM _live_whole_rows(ARRAY['rows', 'row_parts', 'row_part']::regclass[]);
SELECT relation, split_part(detail, E'\n', 1) AS detail FROM obstacles('rows');
SELECT statement FROM snowflake_conversion_steps('rows', 'id', 1, 'twitter');
CREATE TABLE row_texts (id text PRIMARY KEY, CHECK (as_text(row_texts) <> ''));
SELECT * FROM obstacles('row_texts');
SELECT convert_to_objectid('row_texts', 'id');
-- and what contains values of their types
CREATE TABLE composed (id serial PRIMARY KEY, name text);
CREATE VIEW composed_row AS SELECT ROW(1, 'a')::composed AS r;
CREATE VIEW composed_constant AS SELECT '(1,a)'::composed AS r;
CREATE VIEW composed_array AS SELECT '{"(1,a)"}'::composed[] AS r;
CREATE VIEW composed_whole AS SELECT c, row_to_json(c) AS j FROM composed c;
CREATE VIEW composed_null AS SELECT name FROM json_populate_record(NULL::composed, '{"id": 1, "name": "a"}');
CREATE FUNCTION composed() RETURNS composed LANGUAGE sql RETURN ROW(1, 'a')::composed;
CREATE FUNCTION composed_default(composed DEFAULT ROW(1, 'a')) RETURNS text LANGUAGE sql AS 'SELECT ($1).name';
CREATE FUNCTION composed_text() RETURNS SETOF composed LANGUAGE sql AS 'TABLE composed';
CREATE TABLE composed_json (j jsonb DEFAULT to_jsonb(ROW(1, 'a')::composed), CHECK (j <> to_jsonb(ROW(2, 'b')::composed)));
SELECT object FROM _live_whole_rows(ARRAY['composed'::regclass]);
SELECT statement FROM snowflake_conversion_steps('composed', 'id', 1, 'twitter');
-- What MERGE writes is not known.
CREATE TABLE merged (id serial PRIMARY KEY, name text UNIQUE);
CREATE TABLE from_merged (id int REFERENCES merged, name text, n int);
CREATE FUNCTION merge_names(text, int) RETURNS void LANGUAGE sql BEGIN ATOMIC
    MERGE INTO from_merged AS f USING (SELECT $1 AS name, $2 AS id) AS s ON f.name = s.name WHEN MATCHED THEN UPDATE SET id = s.id WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
END;
CREATE FUNCTION count_names() RETURNS bigint LANGUAGE sql RETURN (SELECT count(name) FROM from_merged);
SELECT * FROM obstacles('merged');
SELECT statement FROM snowflake_conversion_steps('merged', 'id', 1, 'twitter');
-- Under a lock, an index is built again.
SELECT convert_to_snowflake('rows', 'id', 1, 'twitter');
SET enable_seqscan = off;
SELECT id FROM rows WHERE as_text(rows) = (SELECT as_text(rows) FROM rows WHERE id = 1);
RESET enable_seqscan;

--
-- Ids, sequences, privileges, columns
--
CREATE TABLE small (id serial PRIMARY KEY, CHECK (id < 1000));
SELECT * FROM obstacles('small');
CREATE TABLE high (id bigserial PRIMARY KEY);
INSERT INTO high VALUES (9000000000000000000);
SELECT * FROM obstacles('high');
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_plan_owner, regress_plan_member;
RESET client_min_messages;
CREATE ROLE regress_plan_owner;
CREATE ROLE regress_plan_member;
GRANT CREATE, USAGE ON SCHEMA plan_test TO regress_plan_owner;
GRANT USAGE ON SCHEMA objectid_ext_tools TO regress_plan_owner;
CREATE SEQUENCE theirs;
ALTER SEQUENCE theirs OWNER TO regress_plan_member;
GRANT ALL ON SEQUENCE theirs TO regress_plan_owner;
SET ROLE regress_plan_owner;
CREATE TABLE uses_theirs (id int PRIMARY KEY DEFAULT nextval('theirs'));
SELECT * FROM obstacles('uses_theirs');
CREATE TABLE owned (id serial PRIMARY KEY);
CREATE TABLE refers (id int REFERENCES owned);
REVOKE UPDATE ON owned FROM regress_plan_owner;
REVOKE TRIGGER ON refers FROM regress_plan_owner;
SELECT * FROM obstacles('owned');
SELECT statement FROM snowflake_conversion_steps('owned', 'id', 1, 'twitter');
GRANT UPDATE ON owned TO regress_plan_owner;
REVOKE REFERENCES ON owned FROM regress_plan_owner;
SELECT * FROM obstacles('owned');
GRANT REFERENCES ON owned TO regress_plan_owner;
GRANT TRIGGER ON refers TO regress_plan_owner;
-- languages and types are free for all, until that is revoked
CREATE TABLE owned_text (id text PRIMARY KEY);
RESET ROLE;
REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC;
REVOKE USAGE ON TYPE objectid FROM PUBLIC;
SET ROLE regress_plan_owner;
SELECT * FROM obstacles('owned');
SELECT statement FROM snowflake_conversion_steps('owned', 'id', 1, 'twitter');
SELECT * FROM obstacles('owned_text');
SELECT convert_to_objectid('owned_text', 'id');
RESET ROLE;
GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC;
GRANT USAGE ON TYPE objectid TO PUBLIC;
SET ROLE regress_plan_owner;
-- superusers use each other's tables, but a member of one does not
CREATE TABLE plain (id serial PRIMARY KEY);
SELECT * FROM obstacles('plain');
RESET ROLE;
SELECT * FROM obstacles('plain');
ALTER ROLE regress_plan_owner SUPERUSER;
SELECT * FROM obstacles('plain');
SELECT count(*) > 0 AS steps FROM snowflake_conversion_steps('plain', 'id', 1, 'twitter');
GRANT regress_plan_owner TO regress_plan_member;
GRANT USAGE ON SCHEMA plan_test, objectid_ext_tools TO regress_plan_member;
SET ROLE regress_plan_member;
SELECT * FROM obstacles('plain');
SELECT * FROM snowflake_conversion_steps('plain', 'id', 1, 'twitter');
RESET ROLE;
ALTER ROLE regress_plan_owner NOSUPERUSER;
REVOKE USAGE ON SCHEMA objectid_ext_tools FROM regress_plan_owner, regress_plan_member;
DO $$ BEGIN
    EXECUTE (SELECT format('CREATE TABLE wide (id serial PRIMARY KEY, referrer int REFERENCES wide, %s)', string_agg('c' || g || ' bool', ', ')) FROM generate_series(1, 1597) AS g);
END $$;
SELECT * FROM obstacles('wide');
SELECT statement FROM snowflake_conversion_steps('wide', 'id', 1, 'twitter');
SELECT convert_to_snowflake('wide', 'id', 1, 'twitter');

--
-- All obstacles of a kind, in one order; the steps raise the first
--
CREATE FUNCTION named("table" regclass, "column" name DEFAULT 'id', created_at name DEFAULT NULL) RETURNS TABLE (in_use boolean, obstacle text)
LANGUAGE sql AS $$ SELECT item <> 'obstacle', split_part(detail, E'\n', 1) FROM obstacles("table", "column", created_at) $$;
CREATE FUNCTION first_is_raised("table" regclass, "column" name DEFAULT 'id', created_at name DEFAULT NULL, kind text DEFAULT '') RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT atttypid = 'text'::regtype FROM pg_attribute WHERE attrelid = "table" AND attname = "column") THEN
        PERFORM objectid_ext_tools.objectid_conversion_steps("table", "column");
    ELSE
        PERFORM objectid_ext_tools.snowflake_conversion_steps("table", "column", 1, 'twitter', created_at => created_at);
    END IF;
    RETURN false;
EXCEPTION WHEN others THEN
    RETURN sqlerrm = (SELECT obstacle FROM plan_test.named("table", "column", created_at) WHERE starts_with(obstacle, kind) LIMIT 1);
END $$;
CREATE TABLE two (id int PRIMARY KEY DEFERRABLE DEFAULT nextval('theirs'), n int, UNIQUE (id, n) DEFERRABLE, UNIQUE (n) INCLUDE (id) DEFERRABLE, EXCLUDE USING hash (id WITH =), EXCLUDE (id WITH =, n WITH =));
ALTER SEQUENCE theirs OWNER TO CURRENT_USER;
INSERT INTO two (n) VALUES (-1), (-2);
ALTER TABLE two ADD CONSTRAINT b CHECK (n > 0) NOT VALID, ADD CONSTRAINT a CHECK (n > -1) NOT VALID;
CREATE STATISTICS b ON id, n FROM two;
CREATE STATISTICS a (mcv) ON id, n FROM two;
CREATE INDEX b1 ON two USING brin (id int4_minmax_multi_ops);
CREATE INDEX a1 ON two USING brin (id int4_bloom_ops);
\set VERBOSITY sqlstate
CREATE UNIQUE INDEX CONCURRENTLY b2 ON two ((n < 0), (id > 0)) INCLUDE (id);
CREATE UNIQUE INDEX CONCURRENTLY a2 ON two ((n < 0)) INCLUDE (id);
\set VERBOSITY default
CREATE VIEW b3 AS SELECT id FROM two;
CREATE VIEW a3 AS SELECT id FROM two;
CREATE POLICY b ON two USING (id > 0);
CREATE POLICY a ON two USING (id > 0);
CREATE FUNCTION touched() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER b BEFORE UPDATE ON two FOR EACH ROW EXECUTE FUNCTION touched();
CREATE TRIGGER a BEFORE UPDATE ON two FOR EACH ROW EXECUTE FUNCTION touched();
CREATE TRIGGER "~~b" BEFORE INSERT ON two FOR EACH ROW EXECUTE FUNCTION touched();
CREATE TRIGGER "~~a" BEFORE INSERT ON two FOR EACH ROW EXECUTE FUNCTION touched();
ALTER TABLE two ENABLE ALWAYS TRIGGER b, ENABLE REPLICA TRIGGER a;
CREATE RULE b AS ON UPDATE TO two WHERE false DO NOTHING;
CREATE RULE a AS ON UPDATE TO two WHERE false DO NOTHING;
CREATE TABLE uses_rows (b two, a two);
SET client_min_messages = error;
CREATE PUBLICATION regress_plan_b FOR TABLE two;
CREATE PUBLICATION regress_plan_a FOR TABLE two;
RESET client_min_messages;
SELECT * FROM named('two');
SELECT first_is_raised('two');
BEGIN;
CREATE TEMPORARY TABLE named_before AS SELECT * FROM named('two') WITH ORDINALITY AS n;
SET LOCAL enable_hashagg = off;
SET LOCAL enable_indexscan = off;
SET LOCAL enable_bitmapscan = off;
SELECT count(*) AS moved FROM (SELECT * FROM named('two') WITH ORDINALITY AS n EXCEPT SELECT * FROM named_before) AS n;
ROLLBACK;
DROP PUBLICATION regress_plan_a, regress_plan_b;
DROP TABLE uses_rows;
DROP TABLE two CASCADE;
-- foreign keys, defaults, checks that new ids violate, privileges, owners
CREATE TABLE keyed (id int PRIMARY KEY DEFAULT nextval('theirs'), n int UNIQUE, CONSTRAINT b CHECK (id < 10000), CONSTRAINT a CHECK (id < 1000), UNIQUE (n) INCLUDE (id));
CREATE TABLE to_keyed (id int CONSTRAINT b REFERENCES keyed ON DELETE SET DEFAULT CONSTRAINT a REFERENCES keyed ON UPDATE SET DEFAULT);
CREATE FUNCTION add_b(int) RETURNS void BEGIN ATOMIC INSERT INTO keyed (n) VALUES ($1) ON CONFLICT ON CONSTRAINT keyed_n_id_key DO NOTHING; END;
CREATE FUNCTION add_a(int) RETURNS void BEGIN ATOMIC INSERT INTO keyed (n) VALUES ($1) ON CONFLICT ON CONSTRAINT keyed_n_id_key DO NOTHING; END;
SELECT * FROM named('keyed');
SELECT first_is_raised('keyed');
DROP FUNCTION add_a(int), add_b(int);
ALTER TABLE to_keyed DISABLE TRIGGER ALL;
CREATE TABLE uses_sequence (b int DEFAULT nextval('theirs'), a int DEFAULT nextval('theirs'));
SELECT * FROM named('keyed') WHERE NOT in_use;
SELECT first_is_raised('keyed', kind => 'sequence');
ALTER TABLE to_keyed ENABLE TRIGGER ALL;
DROP TABLE uses_sequence;
ALTER TABLE keyed OWNER TO regress_plan_owner;
ALTER TABLE to_keyed OWNER TO regress_plan_owner;
SELECT * FROM named('keyed') WHERE in_use;
SELECT first_is_raised('keyed', kind => 'must');
ALTER TABLE to_keyed OWNER TO regress_plan_member;
SELECT * FROM obstacles('keyed') WHERE detail LIKE 'must%';
DROP TABLE keyed, to_keyed;
CREATE TABLE parts (id int DEFAULT nextval('theirs'), n int) PARTITION BY LIST (n);
CREATE TABLE part_b PARTITION OF parts (id DEFAULT 2) FOR VALUES IN (2);
CREATE TABLE part_a PARTITION OF parts (id DEFAULT 1) FOR VALUES IN (1);
SELECT * FROM named('parts');
SELECT first_is_raised('parts');
DROP TABLE parts;
-- values
CREATE TABLE spelled (id text PRIMARY KEY, n int UNIQUE);
CREATE TABLE to_spelled (b text REFERENCES spelled, a text REFERENCES spelled);
CREATE UNIQUE INDEX ON to_spelled (b);
CREATE UNIQUE INDEX ON to_spelled (a);
INSERT INTO spelled VALUES ('x'), ('y');
INSERT INTO to_spelled VALUES ('x', 'y');
SELECT * FROM obstacles('spelled');
SELECT first_is_raised('spelled');
DELETE FROM to_spelled;
UPDATE spelled SET id = CASE id WHEN 'x' THEN repeat('a', 24) ELSE repeat('A', 24) END;
INSERT INTO to_spelled VALUES (repeat('a', 24), repeat('a', 24)), (repeat('A', 24), repeat('A', 24));
SELECT * FROM named('spelled');
SELECT first_is_raised('spelled');
SELECT * FROM named('to_spelled', 'a');
ALTER TABLE to_spelled ADD FOREIGN KEY (a) REFERENCES to_spelled (b);
SELECT * FROM named('to_spelled', 'a');
SELECT first_is_raised('to_spelled', 'a');
-- ids of the past
CREATE TABLE past (id int PRIMARY KEY DEFAULT nextval('theirs'), created date, CONSTRAINT b CHECK (id > 0), CONSTRAINT a CHECK (id > -1));
CREATE TABLE to_past (b int DEFAULT 1 REFERENCES past, a int DEFAULT 1 REFERENCES past);
CREATE INDEX ON to_past ((b + 1)) WHERE b > 0;
CREATE INDEX ON to_past ((a + 1)) WHERE a > 0;
SELECT * FROM named('past', 'id', 'created');
SELECT first_is_raised('past', 'id', 'created');

--
-- What rejects new ids: checks, expressions and partitions, whatever else they use
--
CREATE FUNCTION new_id_obstacles("table" regclass, layout snowflake_layout DEFAULT 'twitter') RETURNS TABLE (relation regclass, obstacle text)
LANGUAGE sql AS $$ SELECT relation, regexp_replace(split_part(detail, E'\n', 1), '\d{10,}', 'N') FROM conversion_plan("table", 'id', layout => layout) WHERE item LIKE 'obstacle%' $$;
CREATE TABLE ids (id bigserial PRIMARY KEY, parent bigint CONSTRAINT low_parent CHECK (parent < 1000000) REFERENCES ids, n int,
                  code text GENERATED ALWAYS AS ('C' || (id * 100)::text) STORED, short varchar(12) GENERATED ALWAYS AS ('C' || id) STORED, CONSTRAINT larger CHECK (id * 100 > n));
CREATE UNIQUE INDEX ids_sum ON ids ((id * 100 + n));
CREATE INDEX ids_int ON ids (n) WHERE id::int > 0;
CREATE STATISTICS ids_statistics ON (id::int), n FROM ids;
CREATE TABLE to_ids (a bigint REFERENCES ids CHECK (a < 1000000), short int GENERATED ALWAYS AS (a) STORED);
SELECT * FROM new_id_obstacles('ids');
CREATE TABLE without_rows AS SELECT * FROM new_id_obstacles('ids');
INSERT INTO ids (n) SELECT generate_series(1, 20);
INSERT INTO to_ids VALUES (1);
SELECT * FROM new_id_obstacles('ids') EXCEPT SELECT * FROM without_rows;
SELECT count(*) = (SELECT count(*) FROM without_rows) AS same FROM new_id_obstacles('ids');
\set VERBOSITY sqlstate
SELECT statement FROM snowflake_conversion_steps('ids', 'id', 1, 'twitter');
SELECT convert_to_snowflake('ids', 'id', 1, 'twitter');
\set VERBOSITY default
-- of another type, too
CREATE TABLE small_ids (id serial PRIMARY KEY);
CREATE TABLE to_small_ids (a int REFERENCES small_ids CHECK (a < 1000000));
SELECT * FROM new_id_obstacles('small_ids');
SELECT statement FROM snowflake_conversion_steps('small_ids', 'id', 1, 'twitter');
SELECT convert_to_snowflake('small_ids', 'id', 1, 'twitter');
-- ids of today that would be accepted
SELECT format('CREATE TABLE later (id bigserial PRIMARY KEY, CHECK (id * %s > 0))', 9223372036854775807 / snowflake_floor(now() + interval '5 years', 'js53')) AS later \gset
:later;
SELECT detail FROM _new_id_obstacles('later', 'id', 1, 'js53');
-- a partition of each level
CREATE TABLE ranged (id bigserial PRIMARY KEY, n int) PARTITION BY RANGE (id);
CREATE TABLE ranged_1 PARTITION OF ranged FOR VALUES FROM (1) TO (1000000);
CREATE TABLE to_ranged (a bigint REFERENCES ranged) PARTITION BY RANGE (a);
CREATE TABLE to_ranged_1 PARTITION OF to_ranged FOR VALUES FROM (1) TO (1000000);
SELECT * FROM obstacles('ranged');
SELECT statement FROM snowflake_conversion_steps('ranged', 'id', 1, 'twitter');
SELECT convert_to_snowflake('ranged', 'id', 1, 'twitter');
SELECT count(*) > 0 AS partitions FROM create_id_partitions('ranged', '1 month', date_trunc('minute', now()), now() + interval '1 month', 'twitter');
CREATE TABLE to_ranged_else PARTITION OF to_ranged DEFAULT;
SELECT * FROM obstacles('ranged');
SELECT convert_to_snowflake('ranged', 'id', 1, 'twitter');
INSERT INTO ranged (n) VALUES (1);
INSERT INTO to_ranged SELECT id FROM ranged;
CREATE TABLE levels (id bigserial, region text, PRIMARY KEY (id, region)) PARTITION BY LIST (region);
CREATE TABLE eu PARTITION OF levels FOR VALUES IN ('eu') PARTITION BY RANGE (id);
CREATE TABLE eu_1 PARTITION OF eu (CHECK (id < 1000000)) FOR VALUES FROM (1) TO (1000000);
CREATE TABLE us PARTITION OF levels (CHECK (id < 1000000)) FOR VALUES IN ('us');
INSERT INTO levels (region) VALUES ('eu'), ('us');
SELECT * FROM new_id_obstacles('levels');
-- accepted
CREATE TABLE usual (id bigserial PRIMARY KEY, name text, parent bigint REFERENCES usual, created timestamptz DEFAULT now(), label text GENERATED ALWAYS AS (name || id) STORED,
                    CHECK (id > 0), CHECK (parent <> id), CHECK (parent < id), CHECK (name <> 'old' OR id < 1000));
CREATE INDEX ON usual (lower(name), id);
CREATE INDEX ON usual (id) WHERE created > '2020-01-01';
CREATE INDEX ON usual ((id % 16), (id + 1), md5(id::text));
CREATE TABLE tenant_rows (tenant bigint REFERENCES usual, to_usual bigint REFERENCES usual, CHECK (tenant < to_usual)) PARTITION BY LIST (tenant);
CREATE TABLE tenant_1 PARTITION OF tenant_rows FOR VALUES IN (1);
CREATE TABLE hashed (id bigserial PRIMARY KEY) PARTITION BY HASH (id);
CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE FUNCTION must_not_be_null(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF $1 IS NULL THEN RAISE 'null'; END IF; RETURN true; END $$;
CREATE TABLE asserted (id bigserial PRIMARY KEY, n int, CHECK (must_not_be_null(n) AND id > 0));
-- checks that only the application's values satisfy, whatever the ids are
CREATE TABLE approved (id bigserial PRIMARY KEY, code text CHECK (code = 'C' || id), bucket int CHECK (bucket = id % 1000), half bigint GENERATED ALWAYS AS (id * 0.5) STORED,
                       by bigint REFERENCES approved, at date, kind text, "from" bigint REFERENCES approved, "to" bigint REFERENCES approved,
                       CHECK ((by IS NULL) = (at IS NULL)), CHECK (kind <> 'guest' OR by IS NULL), CHECK (id <> 0 AND kind IS NOT NULL), CHECK (id < "from" AND "from" < "to"));
CREATE FUNCTION accepted() RETURNS SETOF text LANGUAGE sql AS $$ SELECT format('%s: %s', relation, obstacle) FROM unnest('{usual,hashed,asserted,approved}'::regclass[]) AS t, new_id_obstacles(t) $$;
SELECT accepted();
INSERT INTO usual (name, parent) VALUES ('old', NULL), ('a', 1);
INSERT INTO tenant_rows VALUES (1, 2);
INSERT INTO hashed SELECT FROM generate_series(1, 10);
INSERT INTO asserted (n) VALUES (1);
INSERT INTO approved (id, code, bucket, kind) SELECT i, 'C' || i, i, 'guest' FROM generate_series(1, 12) AS i;
INSERT INTO approved (id, code, bucket, by, at, kind, "from", "to") SELECT i, 'C' || i, i, 3, now(), 'user', CASE WHEN i < 23 THEN i + 1 END, CASE WHEN i < 23 THEN i + 2 END FROM generate_series(13, 24) AS i;
SELECT accepted();
-- a limit that is no multiple of ten, and one among rows without a value
CREATE TABLE limited (id bigserial PRIMARY KEY CHECK (id BETWEEN 1000 AND 2000000), by bigint REFERENCES limited CHECK (by < 5000));
INSERT INTO limited SELECT i FROM generate_series(3000, 3020) AS i;
INSERT INTO limited VALUES (4000, 3001);
SELECT * FROM new_id_obstacles('limited');
-- one of a null and an id; a parity; a partition without rows; a row at the limit, and no index that finds it
CREATE TABLE either (id bigserial PRIMARY KEY, a bigint REFERENCES either, b bigint REFERENCES either, CHECK ((a IS NULL) <> (b IS NULL) AND coalesce(a, b) < 1000));
INSERT INTO either VALUES (1, 1, NULL), (2, NULL, 1);
CREATE TABLE odd (id bigserial PRIMARY KEY CHECK (id % 2 = 1));
INSERT INTO odd SELECT generate_series(1, 19, 2);
CREATE TABLE months (id bigserial, at date, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE months_1 PARTITION OF months FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
CREATE TABLE months_2 PARTITION OF months (CHECK (id < 1000000)) FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
CREATE TABLE months_3 PARTITION OF months FOR VALUES FROM ('2026-03-01') TO ('2026-04-01') PARTITION BY RANGE (id);
CREATE TABLE months_3_1 PARTITION OF months_3 FOR VALUES FROM (0) TO (1000000);
INSERT INTO months (at) SELECT '2026-01-05' FROM generate_series(1, 20);
CREATE TABLE at_limit (id bigserial CHECK (id <= 1000), n int);
INSERT INTO at_limit VALUES (1000);
SELECT o.* FROM unnest('{either,odd,months,at_limit}'::regclass[]) AS t, new_id_obstacles(t) AS o;
-- what an expression writes is undone
CREATE TABLE tries (n bigint);
CREATE FUNCTION counts(n bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO plan_test.tries VALUES (n); RETURN true; END $$;
CREATE TABLE counted (id bigserial PRIMARY KEY CHECK (counts(id)));
SELECT * FROM new_id_obstacles('counted');
TABLE tries;

--
-- What uses the sequence of an identity column, and a domain over the row type
--
CREATE TABLE identified (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, referrer int REFERENCES identified DEFAULT currval('identified_id_seq'));
CREATE VIEW last_identified AS SELECT last_value FROM identified_id_seq;
CREATE FUNCTION next_identified() RETURNS bigint LANGUAGE sql RETURN nextval('identified_id_seq'::regclass);
SELECT * FROM obstacles('identified');
SELECT statement FROM snowflake_conversion_steps('identified', 'id', 1, 'twitter');
SELECT convert_to_snowflake('identified', 'id', 1, 'twitter');
-- an ordinary sequence stays
CREATE TABLE numbered (id serial PRIMARY KEY);
CREATE VIEW last_numbered AS SELECT last_value FROM numbered_id_seq;
SELECT convert_to_snowflake('numbered', 'id', 1, 'twitter');
CREATE TABLE domain_of (id serial PRIMARY KEY);
CREATE DOMAIN of_row AS domain_of CONSTRAINT positive CHECK ((VALUE).id > 0);
SELECT * FROM obstacles('domain_of');
SELECT convert_to_snowflake('domain_of', 'id', 1, 'twitter');

-- nobody should become a superuser because of a hint
CREATE SCHEMA theirs AUTHORIZATION regress_plan_owner;
CREATE TABLE theirs.kept (id serial PRIMARY KEY, created date);
SELECT regexp_replace(detail, 'OWNER TO .*', 'OWNER TO ...') AS detail FROM obstacles('theirs.kept', 'id', 'created');

--
-- Times of different types in one session
--
CREATE TABLE by_day (id serial PRIMARY KEY, d date);
CREATE TABLE by_time (id serial PRIMARY KEY, d timestamptz);
INSERT INTO by_day (d) VALUES ('infinity');
INSERT INTO by_time (d) VALUES (NULL);
SELECT split_part(detail, E'\n', 1) AS detail FROM obstacles('by_day', 'id', 'd');
SELECT split_part(detail, E'\n', 1) AS detail FROM obstacles('by_time', 'id', 'd');

--
-- What is not a table
--
CREATE MATERIALIZED VIEW stored AS SELECT 1 AS id;
SELECT * FROM conversion_plan('stored', 'id');
SELECT * FROM conversion_plan('by_day_pkey', 'id');
SELECT convert_to_objectid('stored', 'id');
SELECT convert_to_snowflake('by_day_pkey', 'id', node => NULL, layout => 'twitter');
SELECT * FROM conversion_plan(0::regclass, 'id');

--
-- An index keeps its dependency on an extension
--
CREATE TABLE depends (id serial PRIMARY KEY);
CREATE INDEX by_id ON depends (id DESC);
ALTER INDEX by_id DEPENDS ON EXTENSION objectid_ext;
\t on
SELECT statement FROM snowflake_conversion_steps('depends', 'id', 1, 'twitter') ORDER BY step \gexec
\t off
SELECT atttypid::regtype, (SELECT count(*) FROM pg_depend WHERE objid = 'by_id'::regclass AND deptype = 'x') AS dependencies
FROM pg_attribute WHERE attrelid = 'depends'::regclass AND attname = 'id';

-- What fails for another reason than the definition is not called an obstacle.
CREATE TABLE tried (id serial PRIMARY KEY CHECK (id > 0));
BEGIN READ ONLY;
SELECT item FROM conversion_plan('tried', 'id');
ROLLBACK;

SET client_min_messages = warning;
DROP SCHEMA plan_test, other, theirs CASCADE;
DROP ROLE regress_plan_owner, regress_plan_member;
