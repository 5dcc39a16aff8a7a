-- Write what is new in the outbox to a file: psql -f export.sql
--
-- The file is named after the bookmark, so if the export fails, the next one
-- writes the same file again.  If the bookmark would stay, no file is written: the
-- next export would overwrite it.  The table is locked before COPY, whose snapshot is
-- older than its own lock: after ALTER TABLE has rewritten the table, it would see no rows.
\set ON_ERROR_STOP on
INSERT INTO bookmark VALUES ('export') ON CONFLICT DO NOTHING;
BEGIN;
LOCK TABLE outbox IN ACCESS SHARE MODE;
SELECT last FROM bookmark WHERE consumer = 'export' FOR UPDATE \gset
CALL settled_snowflake('outbox_id', NULL) \gset
SELECT :upto > :last AS is_new \gset
\if :is_new
\set file outbox- :last .csv
COPY (SELECT * FROM outbox WHERE id > :last AND id <= :upto ORDER BY id) TO STDOUT (FORMAT csv) \g :file
UPDATE bookmark SET last = :upto WHERE consumer = 'export' AND last < :upto;
\endif
COMMIT;
