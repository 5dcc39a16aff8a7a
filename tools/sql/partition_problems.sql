--
-- What maintain_id_partitions() cannot do: it says so in the column problem, leaves the
-- rows where they are, and does the rest
--

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_problems;
DROP ROLE IF EXISTS regress_problems_owner, regress_problems_other;
CREATE ROLE regress_problems_owner;
CREATE ROLE regress_problems_other;
CREATE DATABASE regress_objectid_problems;
\c regress_objectid_problems
\set SHOW_CONTEXT never
SET client_min_messages = error;        -- wal_level may be too low to publish anything
SET timezone = 'UTC';
SET datestyle = 'ISO';
SET intervalstyle = 'postgres';
CREATE EXTENSION objectid_ext;
CREATE EXTENSION objectid_ext_tools;
SET search_path = public, objectid_ext_tools;
CREATE SEQUENCE ids;
GRANT ALL ON SCHEMA public TO regress_problems_owner;
CREATE FUNCTION month(n int) RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT date_trunc('month', now()) + n * interval '1 month' $$;
-- the partition of last month is to be dropped, those of this month, of which a row is
-- in the default partition, and of the next are to be created
CREATE FUNCTION maintained(parent regclass, OUT done text, OUT month text, OUT moved bigint, OUT problem text) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT m.done, CASE m.lower WHEN month(-1) THEN 'last' WHEN month(0) THEN 'this' WHEN month(1) THEN 'next' END, m.moved,
           regexp_replace(regexp_replace(m.problem, '\d{8,}', '...', 'g'), 'fkey[_\d]*', 'fkey')
    FROM objectid_ext_tools.maintain_id_partitions(parent, '1 month', month(1) - now(), now() - month(0)) AS m $$;
\set rows 'SELECT (SELECT count(*) FROM m_default) AS in_default, (SELECT count(*) FROM m) AS rows, (SELECT count(*) FROM pg_class WHERE relname IN (''objectid_ext_tools_moved'', ''m_template'')) AS remains;'
\set begin 'BEGIN; SET ROLE regress_problems_owner; CREATE TABLE m (id bigint DEFAULT next_snowflake(''ids'', 1, ''twitter'') NOT NULL, n int) PARTITION BY RANGE (id); CREATE TABLE m_default PARTITION OF m DEFAULT; INSERT INTO m SELECT snowflake_floor(month(0), ''twitter''), 2;'
\set old 'CREATE TABLE m_old PARTITION OF m FOR VALUES FROM (snowflake_floor(month(-1), ''twitter'')) TO (snowflake_floor(month(0), ''twitter''))'
\set maintain 'SELECT * FROM maintained(''m''); RESET ROLE;' :rows 'ROLLBACK;'
\set QUIET on

-- nothing prevents it
:begin :old; :maintain

--
-- Rows cannot be seen
--
:begin :old;
ALTER TABLE m_default ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
:maintain
:begin :old;
REVOKE SELECT ON m_default FROM regress_problems_owner;
:maintain
-- those of a table that refers to them
:begin :old;
ALTER TABLE m ADD PRIMARY KEY (id);
CREATE TABLE referring (id bigint REFERENCES m);
ALTER TABLE referring ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
:maintain
:begin :old;
ALTER TABLE m ADD PRIMARY KEY (id);
CREATE TABLE referring (id bigint REFERENCES m);
REVOKE SELECT ON referring FROM regress_problems_owner;
:maintain

--
-- Rows cannot move
--
REVOKE TEMPORARY ON DATABASE regress_objectid_problems FROM PUBLIC;
:begin :old; :maintain
GRANT TEMPORARY ON DATABASE regress_objectid_problems TO PUBLIC;
:begin :old;
CREATE TEMPORARY TABLE objectid_ext_tools_moved (id bigint, n int);
SELECT * FROM maintained('m');
SELECT (SELECT count(*) FROM m_default) AS in_default, (SELECT count(*) FROM pg_temp.objectid_ext_tools_moved) AS taken;
ROLLBACK;
:begin :old;
ALTER TABLE m_default REPLICA IDENTITY NOTHING;
RESET ROLE;
CREATE PUBLICATION changes FOR TABLE m;
SET ROLE regress_problems_owner;
:maintain
:begin :old;
REVOKE DELETE ON m_default FROM regress_problems_owner;
:maintain
:begin :old;
CREATE RULE keep AS ON DELETE TO m_default DO INSTEAD NOTHING;
:maintain
-- a trigger cannot be disabled while a cursor is open
:begin :old;
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER nothing AFTER DELETE ON m_default FOR EACH ROW EXECUTE FUNCTION nothing();
DECLARE c CURSOR FOR SELECT * FROM m_default;
MOVE c;
:maintain
-- a row that constraints forbid by now
:begin :old;
ALTER TABLE m ADD CHECK (n > 2) NOT VALID;
:maintain
:begin :old;
CREATE TABLE referred (n int PRIMARY KEY);
INSERT INTO referred VALUES (2);
ALTER TABLE m ADD FOREIGN KEY (n) REFERENCES referred;
RESET ROLE;
SET LOCAL session_replication_role = replica;
DELETE FROM referred;
SET LOCAL session_replication_role = origin;
SET ROLE regress_problems_owner;
:maintain
-- a row for which there is no sub-partition
:begin :old PARTITION BY LIST (n);
CREATE TABLE m_old_1 PARTITION OF m_old FOR VALUES IN (1);
:maintain

--
-- No partition can be created
--
:begin :old;
RESET ROLE;
ALTER TABLE m_default OWNER TO regress_problems_other;
SET ROLE regress_problems_owner;
:maintain
:begin :old;
RESET ROLE;
REVOKE ALL ON SCHEMA public FROM regress_problems_owner;
GRANT USAGE ON SCHEMA public TO regress_problems_owner;
SET ROLE regress_problems_owner;
:maintain
-- also if the first of them depends on the rows, because numbers have no time
:begin
CREATE TABLE m_serial PARTITION OF m FOR VALUES FROM (MINVALUE) TO (1000);
RESET ROLE;
ALTER TABLE m_default OWNER TO regress_problems_other;
SET ROLE regress_problems_owner;
:maintain
:begin
CREATE TABLE m_serial PARTITION OF m FOR VALUES FROM (MINVALUE) TO (1000);
ALTER TABLE m_default ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
:maintain
-- the sub-partitions of the partition to be dropped cannot be copied, so it stays
:begin :old PARTITION BY LIST (n);
RESET ROLE;
REVOKE ALL ON SCHEMA public FROM regress_problems_owner;
GRANT USAGE ON SCHEMA public TO regress_problems_owner;
SET ROLE regress_problems_owner;
:maintain
-- they belong to another role, whose functions do not run as this one
:begin
CREATE FUNCTION spy(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'run as %', CASE WHEN current_user LIKE 'regress\_%' THEN current_user ELSE 'its creator' END; RETURN n; END $$;
RESET ROLE;
SET LOCAL client_min_messages = warning;
CREATE TABLE m_old (id bigint NOT NULL, n int) PARTITION BY LIST ((n + spy(1)));
ALTER TABLE m ATTACH PARTITION m_old FOR VALUES FROM (snowflake_floor(month(-1), 'twitter')) TO (snowflake_floor(month(0), 'twitter'));
ALTER TABLE m_old OWNER TO regress_problems_other;
SET ROLE regress_problems_owner;
:maintain

--
-- A partition cannot be dropped
--
:begin :old;
RESET ROLE;
ALTER TABLE m_old OWNER TO regress_problems_other;
SET ROLE regress_problems_owner;
:maintain
:begin :old;
DECLARE c CURSOR FOR SELECT * FROM m_old;
MOVE c;
:maintain
:begin :old;
CREATE VIEW old AS SELECT * FROM m_old;
:maintain
:begin :old;
ALTER TABLE m ADD PRIMARY KEY (id);
CREATE TABLE referring (id bigint REFERENCES m);
INSERT INTO m SELECT snowflake_floor(month(-1), 'twitter');
INSERT INTO referring SELECT min(id) FROM m;
:maintain
-- A partition of another role refers to the table, by its own foreign key or because
-- the table refers to itself: to look whether it refers to the rows would run functions of
-- that role.
\set theirs 'CREATE FUNCTION spy(n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING ''run as %'', CASE WHEN current_user LIKE ''regress\_%'' THEN current_user ELSE ''its creator'' END; RETURN n; END $$; CREATE TABLE m_theirs PARTITION OF m FOR VALUES FROM (snowflake_floor(month(5), ''twitter'')) TO (snowflake_floor(month(6), ''twitter'')); ALTER TABLE m_theirs ADD CHECK (n > spy(1)); RESET ROLE; ALTER TABLE m_theirs OWNER TO regress_problems_other; GRANT SELECT ON m_theirs TO regress_problems_owner; SET LOCAL client_min_messages = warning; SET ROLE regress_problems_owner;'
:begin :old;
ALTER TABLE m ADD PRIMARY KEY (id);
:theirs
RESET ROLE;
ALTER TABLE m_theirs ADD FOREIGN KEY (n) REFERENCES m;
SET ROLE regress_problems_owner;
:maintain
:begin :old;
ALTER TABLE m ADD PRIMARY KEY (id);
UPDATE m SET n = NULL;
ALTER TABLE m ADD FOREIGN KEY (n) REFERENCES m;
:theirs
:maintain

-- Two: one does not hide the other.
:begin :old;
ALTER TABLE m ADD CHECK (n > 2) NOT VALID;
CREATE VIEW old AS SELECT * FROM m_old;
:maintain

-- Statements that are only returned, if others could create tables that refer to the
-- parent before they are executed
RESET ROLE;
ROLLBACK;
\set QUIET off
CREATE TABLE d (id objectid, n int) PARTITION BY RANGE (id);
SELECT count(*) FROM create_id_partitions('d', '1 month', '2025-01-01Z', '2025-03-01Z');
SELECT statement, problem FROM drop_id_partitions('d', '2025-02-01Z', 'detach concurrently');
GRANT REFERENCES (n) ON d TO regress_problems_other;
SELECT statement, problem FROM drop_id_partitions('d', '2025-02-01Z', 'detach concurrently');
REVOKE REFERENCES (n) ON d FROM regress_problems_other;
GRANT ALL ON d TO PUBLIC;
SELECT statement, problem FROM drop_id_partitions('d', '2025-02-01Z', 'detach concurrently');
SELECT statement, problem FROM drop_id_partitions('d', '2025-02-01Z', 'detach');
\set QUIET on
\c :original
\set QUIET off
DROP DATABASE regress_objectid_problems;
DROP ROLE regress_problems_owner, regress_problems_other;
