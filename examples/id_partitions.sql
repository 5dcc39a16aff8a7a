-- A table in partitions of a month, by the time in its key.
CREATE TABLE readings (id objectid PRIMARY KEY DEFAULT gen_objectid(), value float8) PARTITION BY RANGE (id);
SELECT * FROM objectid_ext_tools.create_id_partitions('readings', '1 month', now() - interval '2 months', now() + interval '1 month');

INSERT INTO readings SELECT gen_objectid(now() - i * interval '2 hours'), random() FROM generate_series(0, 499) AS i;
SELECT partition, lower, upper, count(id) AS readings
FROM objectid_ext_tools.id_partitions('readings') LEFT JOIN readings ON readings.tableoid = partition
GROUP BY partition, lower, upper ORDER BY lower;

-- The oldest month goes, in no time.
SELECT partition AS oldest FROM objectid_ext_tools.id_partitions('readings') ORDER BY lower LIMIT 1 \gset
DROP TABLE :oldest;
SELECT count(*) AS partitions FROM objectid_ext_tools.id_partitions('readings');
