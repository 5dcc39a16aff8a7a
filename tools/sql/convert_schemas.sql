--
-- Conversions: what the schemas of applications have
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_schemas_reader;
RESET client_min_messages;
CREATE ROLE regress_schemas_reader;
CREATE SCHEMA schemas;
SET search_path = schemas, public, objectid_ext_tools;

-- What runs under the locks must not wait for a compiler of expressions.
SELECT proname FROM pg_proc
WHERE pronamespace = 'objectid_ext_tools'::regnamespace AND proname IN ('_conversion_begin', '_fill_batch', '_conversion_exchange', 'undo_conversion', 'convert_to_snowflake', 'convert_to_objectid')
  AND NOT 'jit=off' = ANY (coalesce(proconfig, '{}'));

-- The node is checked before the first step.
CREATE TABLE film (id serial PRIMARY KEY, title text);
CREATE TABLE cast_of (id int, film int REFERENCES film);
INSERT INTO film (title) SELECT 'film ' || g FROM generate_series(1, 100) AS g;
SELECT * FROM snowflake_conversion_steps('film', 'id', 5000, 'twitter');
SELECT * FROM snowflake_conversion_steps('film', 'id', NULL, 'twitter');

-- A materialized view is not created again.  Columns that refer to any table; functions
-- that triggers call.
CREATE MATERIALIZED VIEW titles AS SELECT id, title FROM film;
CREATE TABLE vote (voted_id int, voted_type text, object_id int, content_type_id int, other_id int, sequence_id int);
CREATE FUNCTION count_up(tbl text, row_no int) RETURNS void LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION count_cast() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM count_up(''film'', NEW.film); RETURN NULL; END';
CREATE TRIGGER count_cast AFTER INSERT ON cast_of FOR EACH ROW EXECUTE FUNCTION count_cast();
SELECT item, relation, detail FROM conversion_plan('film', 'id') WHERE item IN ('view', 'may refer to it') OR item LIKE 'refused%';
DROP MATERIALIZED VIEW titles;
-- functions that views call
CREATE FUNCTION "show"(n int) RETURNS text LANGUAGE sql AS 'SELECT n::text';
CREATE VIEW shown AS SELECT "show"(id) FROM film;
SELECT detail FROM conversion_plan('film', 'id') WHERE detail LIKE '%show(%';
DROP VIEW shown;
DROP TRIGGER count_cast ON cast_of;

-- The progress is found whatever the search_path; a conversion under a lock does not
-- come into one that has begun.
SELECT statement FROM snowflake_conversion_steps('film', 'id', 5, 'twitter') ORDER BY step LIMIT 1 \gexec
SELECT pause FROM _fill_batch('film', 100, 1000000, '(0,0)', 10);
SELECT relation, phase, filled IS NOT NULL AS filled FROM conversion_progress ORDER BY relation;
SELECT convert_to_snowflake('film', 'id', 5, 'twitter');
CALL undo_conversion('film', 'id');

-- The progress of a table with a long name, in characters of several bytes, without a
-- notice for each batch; for members of pg_monitor
CREATE TABLE "Räksmörgåsar och andra läckerheter från Blåbärsgården i" (id serial PRIMARY KEY);
INSERT INTO "Räksmörgåsar och andra läckerheter från Blåbärsgården i" SELECT FROM generate_series(1, 100);
SELECT statement FROM snowflake_conversion_steps('"Räksmörgåsar och andra läckerheter från Blåbärsgården i"', 'id', 5, 'twitter') ORDER BY step LIMIT 1 \gexec
SELECT pause FROM _fill_batch('"Räksmörgåsar och andra läckerheter från Blåbärsgården i"', 2, 1000000, '(0,0)', 10);
SELECT octet_length(current_setting('application_name')) > 60 AS long;
SELECT filled IS NOT NULL AS filled FROM conversion_progress;
SET ROLE regress_schemas_reader;
SELECT count(*) FROM objectid_ext_tools.conversion_progress;
RESET ROLE;
GRANT pg_monitor TO regress_schemas_reader;
SET ROLE regress_schemas_reader;
SELECT phase FROM objectid_ext_tools.conversion_progress;
RESET ROLE;
REVOKE pg_monitor FROM regress_schemas_reader;
CALL undo_conversion('"Räksmörgåsar och andra läckerheter från Blåbärsgården i"', 'id');
DROP TABLE "Räksmörgåsar och andra läckerheter från Blåbärsgården i";
RESET application_name;

-- Nothing of a conversion depends on the extension, which can be made again.  Its steps
-- are transactions of their own.
BEGIN;
SELECT statement FROM snowflake_conversion_steps('film', 'id', 5, 'twitter') ORDER BY step LIMIT 1 \gexec
ROLLBACK;
SELECT statement FROM snowflake_conversion_steps('film', 'id', 5, 'twitter') ORDER BY step LIMIT 3 \gexec
BEGIN;
SELECT 'CALL _conversion_fill(''film'', NULL)' \gexec
ROLLBACK;
DROP EXTENSION objectid_ext_tools;
INSERT INTO film (title) VALUES ('without the extension');
CREATE EXTENSION objectid_ext_tools;
SELECT relation, phase FROM conversion_progress ORDER BY relation;
SELECT count(*) AS remaining FROM snowflake_conversion_steps('film', 'id', 5, 'twitter');
CALL undo_conversion('film', 'id');
SELECT count(*) AS claimed FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();

-- A view is not open to more roles than before, nor to its owner.
ALTER DEFAULT PRIVILEGES IN SCHEMA schemas GRANT SELECT ON TABLES TO regress_schemas_reader;
CREATE VIEW closed AS SELECT id FROM film;
REVOKE SELECT ON closed FROM regress_schemas_reader;
CREATE VIEW open AS SELECT id FROM film;
CREATE VIEW read_only AS SELECT id FROM film;
REVOKE ALL ON read_only FROM CURRENT_USER, regress_schemas_reader;
GRANT SELECT ON read_only TO CURRENT_USER;
GRANT SELECT (id) ON film TO CURRENT_USER;
SELECT statement FROM snowflake_conversion_steps('film', 'id', 5, 'twitter') ORDER BY step \gexec
SELECT v, has_table_privilege('regress_schemas_reader', v, 'SELECT') FROM unnest('{closed,open}'::text[]) AS v;
SELECT privilege_type FROM pg_class, aclexplode(relacl) WHERE oid = 'read_only'::regclass;
SELECT privilege_type FROM pg_attribute, aclexplode(attacl) WHERE attrelid = 'film'::regclass AND attname = 'id';

-- Nor is the sequence that takes the place of an identity.
ALTER DEFAULT PRIVILEGES IN SCHEMA schemas GRANT ALL ON SEQUENCES TO regress_schemas_reader;
CREATE TABLE numbered (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
REVOKE ALL ON SEQUENCE numbered_id_seq FROM regress_schemas_reader;
SELECT convert_to_snowflake('numbered', 'id', 5, 'twitter');
SELECT has_sequence_privilege('regress_schemas_reader', 'numbered_id_seq', 'USAGE, SELECT, UPDATE');

-- A view that compares ObjectIds uses operators of the schema of objectid_ext, but no
-- functions of that schema instead of core's.
CREATE TABLE author (_id char(24) PRIMARY KEY, name text);
CREATE TABLE book (author text REFERENCES author, title text);
INSERT INTO author VALUES ('507f1f77bcf86cd799439011', 'Ada');
INSERT INTO book VALUES ('507f1f77bcf86cd799439011', 'Notes');
CREATE FUNCTION public.concat(text, text) RETURNS text LANGUAGE sql AS 'SELECT ''another''';
CREATE VIEW written AS SELECT name, title, pg_catalog.concat(name, title) FROM author JOIN book ON author = _id WHERE author <> '507f1f77bcf86cd799439012';
CREATE INDEX ON book (author text_pattern_ops);
SELECT item, relation, detail FROM conversion_plan('author', '_id') WHERE item LIKE 'refused%';
DROP INDEX book_author_idx;

-- What can be created, but not planned, is as good as lost.
CREATE VIEW listed AS SELECT title FROM book WHERE author IN ('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439012');
CREATE VIEW later AS SELECT title FROM book WHERE author > '5';
CREATE VIEW "% of" AS SELECT count(*) FROM later;
SELECT item, relation, detail FROM conversion_plan('author', '_id') WHERE item LIKE 'refused%' ORDER BY relation::text;
DROP VIEW listed;
SELECT count(*) FROM objectid_conversion_steps('author', '_id');
SELECT convert_to_objectid('author', '_id');
DROP VIEW later, "% of";

GRANT CREATE ON SCHEMA public TO regress_schemas_reader;
SELECT item, relation, detail FROM conversion_plan('author', '_id') WHERE item LIKE 'refused%';
REVOKE CREATE ON SCHEMA public FROM regress_schemas_reader;

-- The first step reads no row, for all wait behind its locks.
CREATE TEMPORARY TABLE before AS SELECT sum(seq_tup_read) AS rows FROM pg_stat_xact_all_tables WHERE relid IN ('author'::regclass, 'book'::regclass) \;
CALL _conversion_begin('author', '_id', 'objectid', '1 s') \;
SELECT sum(seq_tup_read) - (SELECT rows FROM before) AS rows FROM pg_stat_xact_all_tables WHERE relid IN ('author'::regclass, 'book'::regclass);
CALL undo_conversion('author', '_id');
SELECT statement FROM objectid_conversion_steps('author', '_id') ORDER BY step \gexec
SELECT * FROM written;
DROP FUNCTION public.concat(text, text);
SELECT item, relation, detail FROM conversion_plan('written', 'name') WHERE item LIKE 'refused%';

-- Partitions that refer to a key one by one
CREATE TABLE rental (id serial PRIMARY KEY);
CREATE TABLE payment (rental int NOT NULL, month int NOT NULL) PARTITION BY LIST (month);
CREATE TABLE payment_1 PARTITION OF payment FOR VALUES IN (1);
CREATE TABLE payment_2 PARTITION OF payment FOR VALUES IN (2);
ALTER TABLE payment_1 ADD FOREIGN KEY (rental) REFERENCES rental;
INSERT INTO rental DEFAULT VALUES;
INSERT INTO payment VALUES (1, 1), (1, 2);
SELECT convert_to_snowflake('rental', 'id', 5, 'twitter');
SELECT attrelid::regclass, atttypid::regtype FROM pg_attribute WHERE attrelid IN ('payment'::regclass, 'payment_1'::regclass, 'payment_2'::regclass) AND attname = 'rental' ORDER BY 1;
SELECT sum(rental) FROM payment;

-- Types that can be converted
CREATE DOMAIN room AS int;
CREATE TABLE guest (id int PRIMARY KEY, host room REFERENCES guest);
SELECT * FROM conversion_plan('guest', 'id');

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA schemas CASCADE;
DROP ROLE regress_schemas_reader;
