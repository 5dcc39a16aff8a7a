-- Moves the oldest month on this server to the other:
--     psql -v month=reading_20261001 -f archive_month.sql
-- If a server or the connection is lost at the end, the other may have committed alone, and
-- rows are on both: run it again.
\set ON_ERROR_STOP on
BEGIN;
-- Before any snapshot: rows of transactions for which this waits must be copied, too.
LOCK TABLE ONLY reading, ONLY :month;
ALTER TABLE reading DETACH PARTITION reading_old;
SELECT bound[1] AS lower, bound[2] AS upper
FROM pg_class, regexp_match(pg_get_expr(relpartbound, oid), '(\w{24}).*(\w{24})') AS bound
WHERE oid = :'month'::regclass \gset
DELETE FROM reading_old WHERE id >= :'lower';
INSERT INTO reading_old SELECT * FROM reading WHERE id >= :'lower' AND id < :'upper';
DROP TABLE :month;
ALTER TABLE reading ATTACH PARTITION reading_old FOR VALUES FROM (MINVALUE) TO (:'upper');
COMMIT;
