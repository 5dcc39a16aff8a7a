-- On the primary or publisher: write the bound into a table, for standbys and
-- subscribers.  Run it often: psql -v node=5 -f bound.sql
\set ON_ERROR_STOP on
CALL settled_snowflake('outbox_id', NULL) \gset
UPDATE feed_bound SET upto = :upto WHERE node = :node AND upto < :upto;
