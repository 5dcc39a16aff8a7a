-- ===== Live conversions: how far they are =====

-- The rows of the view conversion_progress.  Members of pg_monitor see those of all roles.
-- Anybody can write such a comment on a function of his own, so it counts only for tables of the
-- same owner, and its numbers are compared as text, for they need not be any.
CREATE FUNCTION _conversion_progress() RETURNS TABLE (conversion regclass, relation regclass,
    phase text, filled text)
LANGUAGE sql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT k.oid, c.oid,
           CASE WHEN found[3] = '[' THEN 'validating foreign keys'
                WHEN EXISTS (SELECT FROM pg_constraint
                             WHERE conrelid = c.oid AND conname = '_objectid_ext'
                               AND NOT convalidated) THEN 'filling'
                ELSE 'creating indexes' END,
           (SELECT max(substring(application_name
                                 FROM format('^objectid_ext_tools: table %s, ([0-9]+%%)', c.oid)))
            FROM pg_stat_activity)
    FROM pg_proc p,
         regexp_match(obj_description(p.oid, 'pg_proc'),
                      '^conversion of ([0-9]+)[.][0-9]+, table ([0-9]+), (.)') AS found
         JOIN pg_class k ON k.oid::text = found[1]
         JOIN pg_class c ON c.oid::text = found[2]
    WHERE proname ~ '^_objectid_ext_[0-9]+$' AND prorettype = 'trigger'::regtype
      AND proowner = k.relowner AND proowner = c.relowner
      AND (pg_get_userbyid(proowner) = current_user OR pg_has_role('pg_monitor', 'MEMBER'))
$$;

CREATE VIEW conversion_progress AS SELECT * FROM _conversion_progress();
COMMENT ON VIEW conversion_progress IS
    'live conversions that are not complete, those of other roles only for members of pg_monitor: '
    'the table of the key, each table, what remains to be done, and how much of it was searched';
GRANT SELECT ON conversion_progress TO PUBLIC;
