-- Moves the oldest month on this server to the other, in one transaction:
--     psql -v month=reading_20261001 -v upto=2026-11-01Z -f archive_month.sql
BEGIN;
ALTER TABLE reading DETACH PARTITION :month;
ALTER TABLE reading DETACH PARTITION reading_old;
INSERT INTO reading_old TABLE :month;
ALTER TABLE reading ATTACH PARTITION reading_old FOR VALUES FROM (MINVALUE) TO (objectid_floor(:'upto'));
DROP TABLE :month;
COMMIT;
