-- A table with :rows rows of the last hundred days, for the clients that bench/run
-- starts.

DROP TABLE IF EXISTS grown;
DROP SEQUENCE IF EXISTS grown_id, grown_number;
CREATE SEQUENCE grown_id;
CREATE SEQUENCE grown_number;
CREATE TABLE grown (id bigint DEFAULT next_snowflake('grown_id', 5, 'twitter'), n int);
INSERT INTO grown
SELECT make_snowflake(now() - interval '100 days' * (1 - i / :rows.0), 5, i % 4096, 'twitter'), i
FROM generate_series(1, :rows) AS i;
ALTER TABLE grown ADD PRIMARY KEY (id);
VACUUM (ANALYZE, FREEZE) grown;
CHECKPOINT;
