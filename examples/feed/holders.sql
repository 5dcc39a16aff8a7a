-- The transactions that have taken ids from a sequence, or are about to.  For
-- next_shard_id, the sequence is shard_id_reservation:
-- psql -v sequence=outbox_id -f holders.sql
SELECT l.pid, p.gid AS prepared, a.usename, a.state,
       date_trunc('second', clock_timestamp() - coalesce(a.xact_start, p.prepared)) AS open_for
FROM pg_locks AS l
LEFT JOIN pg_stat_activity AS a USING (pid)
LEFT JOIN pg_locks AS x ON l.pid IS NULL AND x.locktype = 'transactionid' AND x.virtualtransaction = l.virtualtransaction
LEFT JOIN pg_prepared_xacts AS p ON p.transaction = x.transactionid
WHERE l.relation = :'sequence'::regclass::oid AND l.mode = 'RowExclusiveLock'
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
ORDER BY open_for DESC;
