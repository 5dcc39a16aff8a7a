--
-- Installation by an ordinary user into a schema that is not on the
-- search_path, use with no search_path at all, move, and removal
--
\a \t on

\set original :DBNAME
-- left over from an interrupted run
SET client_min_messages = warning;
DROP DATABASE IF EXISTS regress_objectid_install;
DROP DATABASE IF EXISTS regress_objectid_encoding;
DROP ROLE IF EXISTS regress_objectid_owner, regress_objectid_user;
RESET client_min_messages;

CREATE ROLE regress_objectid_owner;
CREATE DATABASE regress_objectid_install;
GRANT CREATE ON DATABASE regress_objectid_install TO regress_objectid_owner;
-- a second user, who owns nothing
CREATE ROLE regress_objectid_user;

\c regress_objectid_install
-- of the role that creates the objects of a trusted extension
SELECT rolname AS installer FROM pg_roles WHERE oid = 10 \gset
ALTER DEFAULT PRIVILEGES FOR ROLE :"installer" GRANT ALL ON SEQUENCES TO PUBLIC;
SET SESSION AUTHORIZATION regress_objectid_owner;
SELECT rolname, rolsuper FROM pg_roles WHERE rolname = session_user;
CREATE SCHEMA ids;
GRANT USAGE ON SCHEMA ids TO regress_objectid_user;
SET search_path = '';

-- Does the plan of a query have this node?
CREATE FUNCTION pg_temp.plan_has(query text, node text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
        IF pg_catalog.strpos(line, node) > 0 THEN
            RETURN true;
        END IF;
    END LOOP;
    RETURN false;
END $$;

-- The number of catalog entries, before and after
CREATE FUNCTION pg_temp.objects() RETURNS bigint
LANGUAGE sql AS $$
    SELECT (SELECT count(*) FROM pg_catalog.pg_type) + (SELECT count(*) FROM pg_catalog.pg_proc)
         + (SELECT count(*) FROM pg_catalog.pg_operator) + (SELECT count(*) FROM pg_catalog.pg_opclass)
         + (SELECT count(*) FROM pg_catalog.pg_opfamily) + (SELECT count(*) FROM pg_catalog.pg_amop)
         + (SELECT count(*) FROM pg_catalog.pg_amproc) + (SELECT count(*) FROM pg_catalog.pg_cast)
         + (SELECT count(*) FROM pg_catalog.pg_aggregate) + (SELECT count(*) FROM pg_catalog.pg_class WHERE relnamespace <> pg_catalog.pg_my_temp_schema())
         + (SELECT count(*) FROM pg_catalog.pg_description) + (SELECT count(*) FROM pg_catalog.pg_depend)
         + (SELECT count(*) FROM pg_catalog.pg_init_privs)
$$;
SELECT pg_temp.objects() AS before \gset

CREATE EXTENSION objectid_ext SCHEMA ids;
SELECT n.nspname, pg_catalog.pg_get_userbyid(e.extowner) AS owner, pg_temp.objects() > :before AS more
  FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'objectid_ext';

-- The time that next_shard_id() has reserved is not for others to set.
SELECT pg_catalog.has_sequence_privilege('regress_objectid_user', 'ids.shard_id_reservation', 'SELECT') AS readable,
       pg_catalog.has_sequence_privilege('regress_objectid_user', 'ids.shard_id_reservation', 'UPDATE') AS writable;

-- Everything works with qualified names: types, defaults, keys, operators,
-- indexes of all access methods, casts, aggregates, functions.
CREATE TABLE ids.install_key (id ids.objectid PRIMARY KEY DEFAULT ids.gen_objectid(), n int);
INSERT INTO ids.install_key (n) SELECT n FROM pg_catalog.generate_series(1, 100) AS n;
INSERT INTO ids.install_key VALUES ('507f1f77bcf86cd799439011', 0), ('ObjectId("FFFFFFFFFFFFFFFFFFFFFFFF")', 101);
INSERT INTO ids.install_key SELECT '507f1f77bcf86cd799439012'::text, -1;
SELECT n FROM ids.install_key WHERE id OPERATOR(ids.=) '507f1f77bcf86cd799439011';
SELECT pg_catalog.count(*) FROM ids.install_key
 WHERE id OPERATOR(ids.>=) ids.objectid_floor('2020-01-01 00:00:00+00') AND id OPERATOR(ids.<) 'ffffffffffffffffffffffff'
   AND id OPERATOR(ids.<>) '507f1f77bcf86cd799439012' AND id OPERATOR(ids.>) '507f1f77bcf86cd799439011' AND id OPERATOR(ids.<=) 'ffffffffffffffffffffffff';
SELECT ids.min(id), ids.max(id) FROM ids.install_key;
SELECT n FROM ids.install_key ORDER BY id DESC LIMIT 1;
SELECT n FROM ids.install_key ORDER BY id USING OPERATOR(ids.>) LIMIT 1;
SELECT pg_catalog.count(*) FROM (SELECT DISTINCT id FROM ids.install_key) AS s;
SELECT pg_catalog.count(*) FROM ids.install_key AS a JOIN ids.install_key AS b ON a.id OPERATOR(ids.=) b.id;
SELECT id::pg_catalog.bytea, id::pg_catalog.timestamptz AT TIME ZONE 'UTC' = '2012-10-17 21:13:27' AS time, ids.objectid_extjson(id)::ids.objectid, (ids.objectid_parts(id)).counter
  FROM ids.install_key WHERE n = 0;
CREATE INDEX install_key_hash ON ids.install_key USING hash (id);
CREATE INDEX install_key_minmax ON ids.install_key USING brin (id);
CREATE INDEX install_key_multi ON ids.install_key USING brin (id ids.objectid_minmax_multi_ops);
CREATE INDEX install_key_bloom ON ids.install_key USING brin (id ids.objectid_bloom_ops);
SELECT n, pg_catalog.count(*) OVER (ORDER BY id RANGE BETWEEN '1 day' PRECEDING AND '1 day' FOLLOWING) AS frame
  FROM ids.install_key WHERE n IN (-1, 0) ORDER BY n;
ANALYZE ids.install_key;

-- An operator with a qualified name uses the index.
DROP INDEX ids.install_key_hash, ids.install_key_minmax, ids.install_key_multi, ids.install_key_bloom;
SET enable_seqscan = off;
SELECT pg_temp.plan_has('SELECT n FROM ids.install_key WHERE id OPERATOR(ids.<) ''507f1f77bcf86cd799439012''', 'install_key_pkey') AS range,
       pg_temp.plan_has('SELECT ids.min(id) FROM ids.install_key', 'install_key_pkey') AS min;
RESET enable_seqscan;

-- Another user only needs USAGE on the schema.
GRANT SELECT, INSERT ON ids.install_key TO regress_objectid_user;
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_objectid_user;
INSERT INTO ids.install_key (n) VALUES (102) RETURNING id OPERATOR(ids.>) '507f1f77bcf86cd799439011' AS inserted;
SET objectid_ext.objectid_identity = host;
INSERT INTO ids.install_key (n) VALUES (103) RETURNING (ids.objectid_parts(id)).process = pg_catalog.pg_backend_pid() & 65535 AS host;
RESET objectid_ext.objectid_identity;
DROP EXTENSION objectid_ext;
RESET SESSION AUTHORIZATION;

-- The extension is moved, and dependent objects continue to work.  (Members of
-- a trusted extension belong to the superuser, who must move it.)
CREATE SCHEMA moved;
ALTER EXTENSION objectid_ext SET SCHEMA moved;
GRANT USAGE ON SCHEMA moved TO regress_objectid_owner;
SET SESSION AUTHORIZATION regress_objectid_owner;
SELECT pg_catalog.count(*) AS left_behind FROM pg_catalog.pg_proc WHERE pronamespace = 'ids'::pg_catalog.regnamespace;
INSERT INTO ids.install_key (n) VALUES (104);
SELECT n FROM ids.install_key WHERE id OPERATOR(moved.=) '507f1f77bcf86cd799439011';
SELECT n FROM ids.install_key ORDER BY id LIMIT 2;
SELECT pg_catalog.max(n) FROM ids.install_key WHERE id OPERATOR(moved.<) moved.objectid_floor('infinity');
SET search_path = moved;
SELECT 'ObjectId("507f1f77bcf86cd799439011")'::objectid < gen_objectid() AS later;
SET search_path = '';

-- It cannot be dropped while a table needs it; afterwards it leaves nothing.
DROP EXTENSION objectid_ext;
DROP TABLE ids.install_key;
DROP EXTENSION objectid_ext;
SELECT pg_temp.objects() - :before AS left_over;
SELECT pg_catalog.count(*) FROM pg_catalog.pg_type WHERE typname LIKE '%objectid%';

-- It can be installed again.
CREATE EXTENSION objectid_ext SCHEMA ids;
SELECT ids.gen_objectid() OPERATOR(ids.>) '507f1f77bcf86cd799439011' AS works;
DROP EXTENSION objectid_ext;

-- Without CREATE on the database, a role cannot create the extension.
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_objectid_user;
CREATE EXTENSION objectid_ext SCHEMA ids;
RESET SESSION AUTHORIZATION;

-- In a database with another encoding than UTF-8, and without PL/pgSQL; the script
-- is plain ASCII
CREATE DATABASE regress_objectid_encoding ENCODING 'EUC_JP' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c regress_objectid_encoding
DROP EXTENSION plpgsql;
CREATE EXTENSION objectid_ext;
SELECT gen_objectid() > '507f1f77bcf86cd799439011' AS works;

\c :original
DROP DATABASE regress_objectid_install;
DROP DATABASE regress_objectid_encoding;
DROP ROLE regress_objectid_owner, regress_objectid_user;
