-- Moves the oldest month on this server to the other, in one transaction.
SELECT partition AS month, objectid_floor(upper) AS upto
FROM objectid_ext_tools.id_partitions('reading') JOIN pg_class ON oid = partition::oid
WHERE relkind = 'r' ORDER BY lower LIMIT 1 \gset
BEGIN;
ALTER TABLE reading DETACH PARTITION :month;
ALTER TABLE reading DETACH PARTITION reading_old;
INSERT INTO reading_old TABLE :month;
ALTER TABLE reading ATTACH PARTITION reading_old FOR VALUES FROM (MINVALUE) TO (:'upto');
DROP TABLE :month;
COMMIT;
