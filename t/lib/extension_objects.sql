-- The objects of an extension: object, property, value.  Each catalog row that
-- belongs to one of its objects is printed column by column, with names instead of
-- OIDs, so that two databases can be compared:
--
--     psql -XAtq [-v extension=NAME] -f t/lib/extension_objects.sql DATABASE
--
-- Dependencies of operator family members are omitted, because an upgrade can only
-- add a member to the family, not to the class.

\if :{?extension}
\else
\set extension objectid_ext
\endif

-- With this search_path, names are printed with their schema.
SET search_path = pg_catalog;

-- The extension, its members, and what exists only as a part of them: array
-- types, the entries of operator families
CREATE TEMP VIEW extension_object AS
WITH RECURSIVE object AS (
    SELECT 'pg_extension'::regclass::oid AS classid, oid AS objid FROM pg_extension WHERE extname = :'extension'
    UNION
    SELECT d.classid, d.objid FROM object AS o JOIN pg_depend AS d ON d.refclassid = o.classid AND d.refobjid = o.objid
     WHERE d.deptype IN ('e', 'i', 'a')
)
SELECT o.*, i.type || ' ' || i.identity AS name FROM object AS o, pg_identify_object(o.classid, o.objid, 0) AS i;

-- The catalogs with their rows, and the column that identifies the object
CREATE TEMP VIEW extension_catalog AS
SELECT DISTINCT classid, classid::regclass AS catalog, 'oid' AS key FROM pg_temp.extension_object
UNION ALL VALUES ('pg_proc'::regclass, 'pg_aggregate'::regclass, 'aggfnoid'), ('pg_class'::regclass, 'pg_sequence'::regclass, 'seqrelid');

-- The columns, and for each an expression for its value as text
CREATE TEMP VIEW extension_property AS
SELECT c.catalog, a.attname AS property,
       CASE WHEN a.attname = 'prosqlbody' THEN 'pg_get_function_sqlbody(r.oid)'
            WHEN a.attname = 'ev_action' THEN 'pg_get_ruledef(r.oid)'
            WHEN a.atttypid = 'pg_node_tree'::regtype THEN format('pg_get_expr(r.%I, 0)', a.attname)
            WHEN f.is_array THEN format('(SELECT string_agg(pg_describe_object(%s, o, 0), '', '' ORDER BY n)'
                                        ' FROM unnest(r.%I::oid[]) WITH ORDINALITY AS u (o, n))', f.pktable::oid, a.attname)
            WHEN f.pktable IS NOT NULL THEN format('pg_describe_object(%s, r.%I::oid, 0)', f.pktable::oid, a.attname)
            ELSE format('r.%I::text', a.attname)
       END AS value
  FROM pg_temp.extension_catalog AS c JOIN pg_attribute AS a ON a.attrelid = c.catalog AND a.attnum > 0
  LEFT JOIN pg_get_catalog_foreign_keys() AS f ON f.fktable = c.catalog AND f.fkcols = ARRAY[a.attname::text]
 WHERE a.attname NOT IN ('oid', 'relfilenode');

-- One query for all catalogs.  Values are printed as JSON, each on one line.
SELECT string_agg(
           format('SELECT o.name AS object, p.property, to_json(p.value) AS value'
                  ' FROM pg_temp.extension_object AS o JOIN %s AS r ON o.classid = %s AND o.objid = r.%I::oid,'
                  ' LATERAL (VALUES %s) AS p (property, value)',
                  catalog, classid, key, (SELECT string_agg(format('(%L, %s)', property, value), ', ')
                                            FROM pg_temp.extension_property AS p WHERE p.catalog = c.catalog)),
           E'\nUNION ALL\n')
       AS catalogs FROM pg_temp.extension_catalog AS c
\gset
WITH property AS (
    :catalogs
    UNION ALL SELECT name, 'comment', to_json(obj_description(objid, classid::regclass::name)) FROM pg_temp.extension_object
    UNION ALL SELECT name, 'columns', to_json((
        SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), quote_literal(col_description(attrelid, attnum))), ', ' ORDER BY attnum)
          FROM pg_attribute WHERE attrelid = objid AND attnum > 0))
      FROM pg_temp.extension_object WHERE classid = 'pg_class'::regclass
    UNION ALL SELECT name, 'initprivs', to_json(initprivs::text)
      FROM pg_temp.extension_object AS o JOIN pg_init_privs AS i ON i.classoid = o.classid AND i.objoid = o.objid
)
SELECT * FROM property WHERE value IS NOT NULL ORDER BY object COLLATE "C", property COLLATE "C";

DROP VIEW pg_temp.extension_property, pg_temp.extension_catalog, pg_temp.extension_object;
RESET search_path;
