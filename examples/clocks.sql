-- What a DBA sees: every clock of this database, how much of its rate is in use, and
-- when its layout ends.
SELECT table_name, sequence, layout, node, last_time, round(share::numeric, 4) AS share, last_instant::date
FROM objectid_ext_tools.clock_sequences;

-- A mistake: the sequence has 32 bits.  A monitor reads the column "problem".
CREATE SEQUENCE replies_id AS integer;
CREATE TABLE replies (id bigint PRIMARY KEY DEFAULT next_snowflake('replies_id', 1, 'twitter'), body text);
SELECT table_name, problem FROM objectid_ext_tools.clock_sequences WHERE problem IS NOT NULL;
DROP TABLE replies;
DROP SEQUENCE replies_id;
