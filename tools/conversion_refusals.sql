-- ===== Live conversions: what is in the way =====

-- Each function tells all reasons of a kind that the catalog knows, with what can be done.

-- The table of a key, and those with columns whose type changes.
CREATE FUNCTION _changing_tables(key _key) RETURNS SETOF pg_class
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT * FROM pg_class
    WHERE oid = key.relation
       OR oid IN (SELECT relation FROM _changing_columns(key))
$$;

-- The kinds of tables that a live conversion refuses.
CREATE FUNCTION _table_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT t.oid, r.reason, r.hint FROM _changing_tables(key) AS t, LATERAL (VALUES
        (relkind <> 'r' OR EXISTS (SELECT FROM pg_inherits WHERE t.oid IN (inhrelid, inhparent)),
         CASE relkind WHEN 'r' THEN 'it inherits, or others inherit from it'
                      WHEN 'p' THEN 'it is partitioned'
                      ELSE 'it is not a table' END,
         CASE WHEN relkind NOT IN ('r', 'p') THEN 'Name the table of the column.'
              WHEN relispartition AND t.oid = key.relation
                  THEN 'Name the table that it is a partition of.'
              ELSE 'Convert it under a lock, by convert_to_snowflake() or convert_to_objectid().'
              END),
        (relforcerowsecurity, 'row-level security is forced',
         'Use ALTER TABLE ... NO FORCE ROW LEVEL SECURITY meanwhile.'),
        ((relreplident = 'n'
          OR relreplident = 'd'
             AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = t.oid AND indisprimary))
         AND EXISTS (SELECT FROM pg_publication, pg_get_publication_tables(pubname) AS p
                     WHERE pubupdate AND p.relid = t.oid),
         'it is published, and has no replica identity',
         'Its rows cannot be updated. Use ALTER TABLE ... REPLICA IDENTITY FULL meanwhile.'),
        (EXISTS (SELECT FROM _conversions() AS c
                 WHERE c.relation = t.oid AND key_table <> key.relation),
         'it is in another conversion', 'Complete or undo that one first.'),
        (NOT EXISTS (SELECT FROM _conversions() AS c WHERE c.relation = t.oid)
         AND EXISTS (SELECT FROM pg_trigger
                     WHERE tgrelid = t.oid AND tgname = '~objectid_ext_conversion'
                     UNION ALL SELECT FROM pg_constraint
                     WHERE conrelid = t.oid AND conname = '_objectid_ext'
                     UNION ALL SELECT FROM pg_attribute
                     WHERE attrelid = t.oid AND attname ~ '^_objectid_ext_[0-9]+$'),
         'it has a trigger, check or column that is named as those of a conversion',
         'If another role began one, become the owner of its trigger functions, and undo it. '
         'Otherwise, drop or rename them.')
    ) AS r (applies, reason, hint)
    WHERE applies
    UNION ALL
    SELECT ev_class, format('it has rule "%s"', rulename),
           'Drop the rule, and create it again afterwards.'
    FROM _changing_tables(key) AS t
         JOIN pg_rewrite ON ev_class = t.oid AND rulename <> '_RETURN'
    UNION ALL   -- the last step has no time to check it, and cannot add it as NOT VALID
    SELECT conrelid, format('it is partitioned, and has foreign key "%s"', conname),
           'Drop the foreign key before, and create it again afterwards.'
    FROM _changing_foreign_keys(key) JOIN pg_class c ON c.oid = conrelid AND relkind = 'p'
    WHERE current_setting('server_version_num')::integer < 180000
      AND conrelid NOT IN (SELECT relation FROM _changing_columns(key))
$$;

-- Roles that own, or can create, what a live conversion relies on.  Whoever can create objects in
-- a schema can make better matches for the functions and operators in the text of a view, or
-- take the names of indexes and trigger functions.
CREATE FUNCTION _role_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH tables AS MATERIALIZED (
        SELECT oid::regclass AS relation, relowner, relnamespace FROM _changing_tables(key)
    )
    SELECT relation, format('it is owned by %s', relowner::regrole),
           'Connect as the owner of all tables.'
    FROM tables WHERE relowner <> quote_ident(current_user)::regrole
    UNION ALL
    SELECT confrelid::regclass,
           format('it is owned by %s, and foreign key "%s" refers to it', relowner::regrole,
                  conname),
           'Drop the foreign key before, and create it again afterwards.'
    FROM _changing_foreign_keys(key) AS f JOIN pg_class c ON c.oid = confrelid
    WHERE confrelid NOT IN (SELECT relation FROM tables)
      AND relowner <> quote_ident(current_user)::regrole
    UNION ALL
    SELECT relation, format('you cannot create objects in its schema %I', nspname),
           format('Have the owner of the schema GRANT CREATE ON SCHEMA %I TO %s.', nspname,
                  quote_ident(current_user)::regrole)
    FROM (SELECT oid FROM _changing_tables(key)
          UNION
          SELECT view FROM _changing_views(key)) AS r (relation)
         JOIN pg_class c ON c.oid = relation
         JOIN pg_namespace n ON n.oid = relnamespace
    WHERE pg_get_userbyid(relowner) = current_user AND NOT has_schema_privilege(n.oid, 'CREATE')
    UNION ALL
    SELECT DISTINCT ON (relation) relation,
           format('%s can create objects in schema %I',
                  CASE grantee WHEN 0 THEN 'everybody' ELSE 'role ' || grantee::regrole END,
                  nspname),
           'Revoke CREATE on the schema, or change its owner.'
    FROM tables
         JOIN pg_namespace n ON n.oid = relnamespace
             OR quote_ident(nspname) = _schema_of() AND key.to_type <> 'bigint'::regtype
                AND EXISTS (SELECT FROM _changing_views(key)),
         LATERAL (SELECT nspowner UNION SELECT grantee FROM aclexplode(nspacl)
                  WHERE privilege_type = 'CREATE') AS g (grantee)
    WHERE grantee <> relowner
      AND NOT EXISTS (SELECT FROM pg_roles r
                      WHERE r.oid = grantee AND (rolsuper OR rolname = 'pg_database_owner'))
$$;

-- Triggers that an UPDATE of a shadow column would fire: filling a row must not fire any of users.
CREATE FUNCTION _update_triggers("table" regclass) RETURNS SETOF pg_trigger
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT * FROM pg_trigger
    WHERE tgrelid = "table" AND NOT tgisinternal AND tgname <> '~objectid_ext_conversion'
      AND tgtype & 16 <> 0 AND tgattr = '' AND tgenabled <> 'D'
$$;

-- Triggers that prevent a live conversion.
CREATE FUNCTION _trigger_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT relation, format('it has triggers on UPDATE, such as "%s"', min(tgname)),
           format('Have a superuser grant you the right to skip them: '
                  'GRANT SET ON PARAMETER session_replication_role TO %s.',
                  quote_ident(current_user)::regrole)
    FROM (SELECT DISTINCT relation FROM _changing_columns(key)) AS c, _update_triggers(relation)
    WHERE tgenabled = 'O'
      AND NOT has_parameter_privilege(current_user, 'session_replication_role', 'SET')
    GROUP BY 1
    UNION ALL
    SELECT tgrelid, format('trigger "%s" is set to ENABLE ALWAYS or REPLICA', tgname),
           'It would fire when rows are filled. Use ALTER TABLE ... ENABLE TRIGGER meanwhile.'
    FROM _changing_tables(key) AS t, _update_triggers(t.oid)
    WHERE tgenabled <> 'O'
    UNION ALL
    SELECT tgrelid, format('trigger "%s" fires after the one of the conversion', tgname),
           'Rename the trigger: they fire in the order of their names.'
    FROM _changing_tables(key) AS t JOIN pg_trigger ON tgrelid = t.oid
    WHERE NOT tgisinternal AND tgtype & 3 = 3 AND tgtype & 20 <> 0
      AND tgname::text COLLATE "C" > '~objectid_ext_conversion'
$$;

-- Columns that a live conversion refuses.
CREATE FUNCTION _column_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT c.relation, format(reason, c.attname, type), 'Convert it under a lock.'
    FROM _changing_columns(key) AS c
         JOIN pg_attribute a ON attrelid = c.relation AND a.attnum = c.attnum,
         LATERAL (SELECT c.relation = key.relation AND c.attname = key.attname) AS k (is_key),
         LATERAL (VALUES
             (is_key AND NOT EXISTS (SELECT FROM _changing_indexes(key) AS i
                                     WHERE i.relation = c.relation), 'no index has column "%s"'),
             (attgenerated <> '', 'column "%s" is generated'),
             (attidentity <> '' AND NOT is_key, 'column "%s" is an identity column'),
             (type IN ('bytea'::regtype, 'jsonb'::regtype), 'column "%s" is of type %s'),
             (EXISTS (SELECT FROM pg_seclabel WHERE (classoid, objoid, objsubid)
                                                    = ('pg_class'::regclass, attrelid, a.attnum)),
              'column "%s" has a security label')
         ) AS r (applies, reason)
    WHERE applies
$$;

-- Indexes that a live conversion cannot make again.
CREATE FUNCTION _index_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT indrelid::regclass, format('index "%s" %s', name, problem),
           'Convert the column under a lock, or drop the index and create it again afterwards.'
    FROM _changing_indexes(key)
         JOIN pg_index ON indexrelid = index,
         LATERAL (VALUES (CASE
             WHEN indisexclusion THEN 'belongs to an exclusion constraint'
             WHEN NOT indimmediate THEN 'belongs to a deferrable constraint'
             WHEN NOT indisvalid THEN 'is not valid'
             WHEN (SELECT reltablespace FROM pg_class WHERE oid = index) <> 0
                 THEN 'is in a tablespace of its own'
             WHEN EXISTS (SELECT FROM pg_attribute
                          WHERE attrelid = index AND coalesce(attstattarget, -1) >= 0)
                 THEN 'has statistics targets'
             END)) AS v (problem)
    WHERE problem IS NOT NULL
$$;

-- Objects that depend on a column whose type changes, and are neither made again by a conversion
-- nor dropped with a view; or on its row type, whose stored values would lose the column.
CREATE FUNCTION _dependent_refusals(key _key) RETURNS SETOF _refusal
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH known (classid, objid) AS MATERIALIZED (
        SELECT 'pg_rewrite'::regclass, r.oid
        FROM _changing_views(key) JOIN pg_rewrite r ON ev_class = view
        UNION ALL SELECT 'pg_class'::regclass, index FROM _changing_indexes(key)
    )
    SELECT s.relation,
           format('%s depends on column "%s"', pg_describe_object(classid, objid, objsubid),
                  s.attname),
           'Drop it first, and create it again afterwards.'
    FROM _changing_columns(key) AS s
         JOIN pg_depend d ON refclassid = 'pg_class'::regclass AND refobjid = s.relation
             AND refobjsubid = s.attnum
    WHERE deptype <> 'i'
      AND (classid, objid) NOT IN (SELECT k.classid, k.objid FROM known AS k)
      AND NOT CASE classid
              WHEN 'pg_class'::regclass THEN
                  EXISTS (SELECT FROM pg_class WHERE oid = objid AND relkind = 'S')
              WHEN 'pg_constraint'::regclass THEN
                  EXISTS (SELECT FROM pg_constraint
                          WHERE oid = objid AND contype IN ('p', 'u', 'f', 'c', 'n'))
              WHEN 'pg_attrdef'::regclass THEN
                  EXISTS (SELECT FROM pg_attrdef
                          WHERE oid = objid AND adrelid = s.relation AND adnum = s.attnum)
              ELSE false END
    UNION
    SELECT s.relation, format('%s has its row type', pg_describe_object(classid, objid, objsubid)),
           'Change that first, for example to jsonb.'
    FROM _changing_columns(key) AS s
         JOIN pg_type r ON typrelid = s.relation
         JOIN pg_depend ON refclassid = 'pg_type'::regclass AND refobjid IN (r.oid, typarray)
    WHERE deptype = 'n' AND classid IN ('pg_class'::regclass, 'pg_type'::regclass)
      AND objid NOT IN (SELECT oid FROM pg_class WHERE relkind = 'v')
$$;

-- What prevents a live conversion, by the catalog, and what can be done about it; what is late
-- prevents its last step only.  Where neither way can convert the key, nothing else matters.
CREATE FUNCTION _refusals(key _key) RETURNS TABLE (relation regclass, reason text, hint text,
    late boolean)
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    WITH impossible AS MATERIALIZED (SELECT * FROM _impossible(key)), reasons AS (
        SELECT *, false FROM _table_refusals(key)
        UNION ALL SELECT *, false FROM _role_refusals(key)
        UNION ALL SELECT *, false FROM _trigger_refusals(key)
        UNION ALL SELECT *, false FROM _column_refusals(key)
        UNION ALL SELECT *, false FROM _index_refusals(key)
        UNION ALL SELECT *, false FROM _dependent_refusals(key)
        UNION ALL SELECT *, true FROM _view_refusals(key)
    )
    SELECT *, false FROM impossible
    UNION ALL SELECT * FROM reasons WHERE NOT EXISTS (SELECT FROM impossible)
    ORDER BY 1, 2
$$;
