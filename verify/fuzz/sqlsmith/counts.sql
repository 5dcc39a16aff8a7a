-- Counts of scripts/sqlsmith: each query is a transaction that is rolled back, and
-- so is the one that has read the catalogs before.
SELECT greatest(xact_rollback - 1, 0), 'queries' FROM pg_stat_database WHERE datname = current_database();
SELECT count(*) FILTER (WHERE calls > 0) || ' of ' || count(*), 'functions of ours called,', sum(calls), 'times'
FROM pg_depend JOIN pg_extension AS e ON e.oid = refobjid AND extname LIKE 'objectid%'
     JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid AND prokind = 'f'
          AND NOT proargtypes::regtype[] && '{internal,cstring}' AND prorettype NOT IN ('internal'::regtype, 'trigger'::regtype)
     LEFT JOIN pg_stat_user_functions AS s ON s.funcid = p.oid
WHERE deptype = 'e';
