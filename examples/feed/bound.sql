-- On the primary or publisher: write the bound into a table, for standbys and
-- subscribers.  Run it often:
--     psql -v node=5 -v sequence=outbox_id -f bound.sql
\set ON_ERROR_STOP on
CALL settled_snowflake(:'sequence', NULL) \gset
INSERT INTO feed_bound VALUES (:node, :upto)
ON CONFLICT (node) DO UPDATE SET upto = excluded.upto WHERE feed_bound.upto < excluded.upto;
