--
-- The tools read what a conversion stores by its OID, and run nothing of its owner
--

CREATE SCHEMA stored_test;
SET search_path = stored_test, public, objectid_ext_tools;
CREATE FUNCTION spring(regclass) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'sprung'; RETURN true; END $$;

-- as a conversion creates it, but with columns that were added later
CREATE TABLE progress (relation regclass PRIMARY KEY, filenode oid, pages bigint, page bigint NOT NULL DEFAULT 0, "rows" bigint NOT NULL DEFAULT 0, batch integer NOT NULL DEFAULT 500);
INSERT INTO progress (relation, pages) VALUES ('progress', 7), ('pg_class', NULL);
ALTER TABLE progress ADD started timestamptz, ADD seconds float8 NOT NULL DEFAULT 0, ADD wait oid, ADD root regclass, ADD attribute name DEFAULT 'id';
INSERT INTO progress (relation, attribute) VALUES ('pg_type', 'other');
SELECT relation, pages, page, "rows", batch, started, seconds, root, attribute FROM _live_progress('progress') ORDER BY relation::text;
-- No index is used, and none of its expressions evaluated.
CREATE INDEX ON progress (spring(relation));
SET enable_seqscan = off;
SELECT count(*) FROM _live_progress('progress');
RESET enable_seqscan;
-- A statement of the same transaction sees what others before it have done.
BEGIN;
DELETE FROM progress WHERE relation = 'pg_type'::regclass;
SELECT count(*) FROM _live_progress('progress');
ROLLBACK;
SELECT count(*) FROM _live_progress('progress');

-- values that are stored apart
CREATE TABLE late (relation regclass, name name, key oid, definition text, comment text, attributes smallint[], referred regclass, referred_attributes smallint[], parent regclass, parent_name name, root regclass, attribute name);
ALTER TABLE late ALTER definition SET STORAGE EXTERNAL;
INSERT INTO late (name, definition, attributes) VALUES ('a', repeat('xyz', 10000), '{1,2}');
SELECT name, length(definition), definition = repeat('xyz', 10000) AS equal, comment, attributes FROM _live_late_keys('late');
-- They are not fetched and decompressed before they are needed, and the table stays locked.
UPDATE late SET comment = definition;
SELECT length(comment), pg_column_size(comment) < 10000 AS compressed FROM _live_late_keys('late');
BEGIN;
SELECT name FROM _live_late_keys('late');
SELECT mode FROM pg_locks WHERE relation = 'late'::regclass;
COMMIT;

-- No rows of anything else
CREATE VIEW looks_like AS SELECT * FROM progress WHERE spring(relation);
CREATE TEMP TABLE temporary (LIKE progress);
INSERT INTO temporary SELECT * FROM progress;
CREATE TABLE more (LIKE progress, another int);
INSERT INTO more SELECT *, 1 FROM progress;
CREATE TABLE dropped (LIKE more);
INSERT INTO dropped TABLE more;
ALTER TABLE dropped DROP another;
CREATE TABLE named (LIKE progress);
ALTER TABLE named RENAME page TO site;
INSERT INTO named TABLE progress;
CREATE TABLE typed (LIKE progress);
ALTER TABLE typed ALTER batch TYPE bigint;
INSERT INTO typed TABLE progress;
CREATE TABLE parted (LIKE progress) PARTITION BY LIST (relation);
CREATE TABLE secured (LIKE progress);
INSERT INTO secured TABLE progress;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
SELECT r, (SELECT count(*) FROM _live_progress(to_regclass(r))) AS rows
FROM unnest('{progress,late,looks_like,temporary,more,dropped,named,typed,parted,secured,progress_pkey,no_table}'::text[]) AS r;
SELECT count(*) FROM _live_progress(0);
SELECT count(*) FROM _live_late_keys('progress');
SELECT _live_progress('late');

-- nor of what one may not read
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_stored_reader;
RESET client_min_messages;
CREATE ROLE regress_stored_reader;
SELECT 'progress'::regclass::oid AS progress \gset
SET ROLE regress_stored_reader;
SELECT count(*) FROM objectid_ext_tools._live_progress(:progress);
RESET ROLE;
GRANT SELECT ON progress TO regress_stored_reader;
SET ROLE regress_stored_reader;
SELECT count(*) FROM objectid_ext_tools._live_progress(:progress);
RESET ROLE;
GRANT USAGE ON SCHEMA stored_test TO regress_stored_reader;
REVOKE SELECT ON progress FROM regress_stored_reader;
GRANT UPDATE ON progress TO regress_stored_reader;
SET ROLE regress_stored_reader;
SELECT count(*) FROM objectid_ext_tools._live_progress(:progress);
-- It keeps no lock of a table that the role may not read.
BEGIN;
SELECT count(*) FROM objectid_ext_tools._live_progress(:progress);
SELECT count(*) FROM pg_locks WHERE relation = :progress;
COMMIT;
RESET ROLE;
GRANT SELECT ON progress TO regress_stored_reader;
SET ROLE regress_stored_reader;
SELECT count(*) FROM objectid_ext_tools._live_progress(:progress);
RESET ROLE;

-- nor of what row-level security hides; no policy is evaluated
CREATE POLICY hides ON secured USING (spring(relation));
GRANT SELECT ON secured TO regress_stored_reader;
SELECT 'secured'::regclass::oid AS secured \gset
SET ROLE regress_stored_reader;
SELECT count(*) FROM objectid_ext_tools._live_progress(:secured);
RESET ROLE;
ALTER TABLE secured OWNER TO regress_stored_reader;
SET ROLE regress_stored_reader;
SELECT count(*) FROM objectid_ext_tools._live_progress(:secured);
ALTER TABLE secured FORCE ROW LEVEL SECURITY;
SELECT count(*) FROM objectid_ext_tools._live_progress(:secured);
RESET ROLE;

-- Only a table of one's own is written by its name.
CREATE TABLE theirs (id serial PRIMARY KEY);
ALTER TABLE theirs OWNER TO regress_stored_reader;
SELECT r, _live_found(r) FROM unnest('{stored_test.progress,stored_test.theirs,stored_test.looks_like,stored_test.no_table}'::text[]) AS r;
CREATE TABLE converted (id serial PRIMARY KEY);
SELECT _live_follow('converted', 'id', 'bigint', '1 s'), _live_fill('converted', 'id', 'bigint', '1 s', NULL);

SET client_min_messages = warning;
DROP SCHEMA stored_test CASCADE;
DROP ROLE regress_stored_reader;
