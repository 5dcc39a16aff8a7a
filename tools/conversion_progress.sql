----------------------------------------------------------------------
-- Live conversions: how far they are
----------------------------------------------------------------------

CREATE VIEW objectid_ext_tools.conversion_progress AS
    SELECT c.key_table::pg_catalog.regclass AS conversion, c.relation,
           CASE WHEN pg_catalog.starts_with(c.data, '['::text) THEN 'validating foreign keys'
                WHEN u.relation IS NOT NULL THEN 'filling'
                ELSE 'creating indexes' END AS phase,
           (SELECT pg_catalog.max(pg_catalog."substring"(a.application_name, '[0-9]+%$'::text))
            FROM pg_catalog.pg_stat_activity AS a
            WHERE pg_catalog.starts_with(a.application_name, (
                SELECT pg_catalog.format('objectid_ext_tools: %I.%I '::text, n.nspname, t.relname)
                FROM pg_catalog.pg_class AS t
                     JOIN pg_catalog.pg_namespace AS n
                         ON n.oid OPERATOR(pg_catalog.=) t.relnamespace
                WHERE t.oid OPERATOR(pg_catalog.=) c.relation))) AS filled
    FROM objectid_ext_tools._conversions() AS c
         LEFT JOIN (
             SELECT x.relation
             FROM (SELECT DISTINCT k.key_table
                   FROM objectid_ext_tools._conversions() AS k) AS keys,
                  LATERAL objectid_ext_tools._unvalidated(keys.key_table::pg_catalog.regclass)
                      AS x) AS u ON u.relation OPERATOR(pg_catalog.=) c.relation
    WHERE c.relation IS NOT NULL;
COMMENT ON VIEW objectid_ext_tools.conversion_progress IS
    'live conversions that are not complete: the table of the key, each table that takes part, '
    'what remains to be done with it, and while it is filled, how much of it has been searched';
GRANT SELECT ON objectid_ext_tools.conversion_progress TO PUBLIC;
