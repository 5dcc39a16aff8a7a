-- On the primary or publisher: write the bound into a table, for standbys and
-- subscribers.  Run it often: psql -v node=5 -f bound.sql
\set ON_ERROR_STOP on
SELECT settled_snowflake('outbox_id') AS upto \gset
UPDATE feed_bound SET upto = :upto WHERE node = :node AND upto < :upto;
