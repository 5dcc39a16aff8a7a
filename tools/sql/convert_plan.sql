--
-- Conversions: what the plan tells before
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_plan_owner;
RESET client_min_messages;
CREATE ROLE regress_plan_owner;
CREATE SCHEMA plan AUTHORIZATION regress_plan_owner;
CREATE SCHEMA plan_views AUTHORIZATION regress_plan_owner;
SET ROLE regress_plan_owner;
SET search_path = plan, public, objectid_ext_tools;

CREATE FUNCTION told("table" regclass, "column" name DEFAULT 'id') RETURNS TABLE (item text, relation regclass, detail text) LANGUAGE sql AS $$
    SELECT p.* FROM conversion_plan("table", "column") AS p WHERE p.item LIKE 'refused%' OR p.item LIKE 'may%'
$$;

--
-- Columns without a foreign key
--
-- the singulars that ActiveSupport 6 makes of these plurals
CREATE TABLE forms (plural text, singular text);
INSERT INTO forms VALUES ('taxa', 'taxon'), ('repositories', 'repository'), ('statuses', 'status'), ('addresses', 'address'), ('boxes', 'box'), ('watches', 'watch'),
    ('wishes', 'wish'), ('caches', 'cache'), ('houses', 'house'), ('movies', 'movie'), ('wives', 'wife'), ('halves', 'half'), ('hives', 'hive'), ('moves', 'move'), ('shoes', 'shoe'),
    ('heroes', 'hero'), ('photos', 'photo'), ('analyses', 'analysis'), ('crises', 'crisis'), ('bases', 'base'), ('matrices', 'matrix'), ('vertices', 'vertex'), ('indices', 'index'),
    ('prices', 'price'), ('media', 'medium'), ('data', 'datum'), ('criteria', 'criterion'), ('people', 'person'), ('children', 'child'), ('men', 'man'), ('mice', 'mouse'),
    ('quizzes', 'quiz'), ('buses', 'bus'), ('aliases', 'alias'), ('octopi', 'octopus'), ('axes', 'axis'), ('oxen', 'ox'), ('news', 'news'), ('species', 'species'), ('keys', 'key'),
    ('databases', 'database'), ('branches', 'branch'), ('invoice', 'invoice'), ('release_notes', 'release_note'), ('LineItems', 'line_item'), ('id_summaries', 'id_summary');
SELECT format('CREATE TABLE %I (id serial PRIMARY KEY)', plural) FROM forms \gexec
SELECT format('CREATE TABLE refs (%s)', string_agg(format('%I int', singular || '_id'), ', ')) FROM forms \gexec
SELECT plural, singular FROM forms WHERE (SELECT array_agg(detail) FROM _untold_columns(ROW(format('plan.%I', plural), 'id', 'bigint')::_key)) IS DISTINCT FROM ARRAY[format('"%s_id" is integer and may refer to it without a foreign key', singular)];
SELECT format('DROP TABLE %I', plural) FROM forms \gexec
DROP TABLE refs, forms;

-- names before it, arrays, capitals, modules; the longest name of a table; numbers; and
-- one line for those that refer to any table
CREATE TABLE users (id serial PRIMARY KEY);
CREATE TABLE api_users (id serial PRIMARY KEY);
CREATE TABLE shop_orders (id serial PRIMARY KEY);
CREATE TABLE shop_items (id serial PRIMARY KEY);
CREATE TABLE posts (id serial PRIMARY KEY, creator_id int REFERENCES users, parent_id int REFERENCES posts);
CREATE TABLE refs (user_id int, updating_user_id smallint, "userId" int, user_ids int[], users int, "user" int, api_user_id int, superuser_id int, creator_id int, parent_id int,
                   order_id int, big_user_id bigint, subject_id int, subject_type text, item_id int, item_type text);
SELECT * FROM told('users');
SELECT * FROM told('shop_orders');
SELECT * FROM told('shop_items');
SELECT * FROM told('posts');
-- where no name ends with id
CREATE TABLE sheep (number serial PRIMARY KEY);
CREATE TABLE wool (sheep int, sheep_number int, house_number int, black_sheep int);
SELECT * FROM told('sheep', 'number');
-- where the key is called as its references are
CREATE TABLE goats (goat_no serial PRIMARY KEY);
CREATE TABLE milk (goat_no int, old_goat_no int, house_no int, no int);
SELECT * FROM told('goats', 'goat_no');
DROP TABLE users, api_users, shop_orders, shop_items, posts, refs, sheep, wool, goats, milk;

--
-- Functions
--
CREATE TABLE events (id serial PRIMARY KEY, "time" timestamptz DEFAULT clock_timestamp(), amount int);
CREATE TYPE event AS (id int, amount int);
CREATE FUNCTION get_event() RETURNS int LANGUAGE sql AS $$ INSERT INTO events DEFAULT VALUES; SELECT currval('events_id_seq')::int $$;
CREATE FUNCTION new_event() RETURNS bigint LANGUAGE sql AS $$ INSERT INTO plan.events DEFAULT VALUES; SELECT lastval() $$;
CREATE FUNCTION as_table() RETURNS TABLE (id int, "time" timestamptz) LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT e.id, e."time" FROM events e; END';
CREATE FUNCTION as_set() RETURNS SETOF int LANGUAGE sql AS 'SELECT id FROM events';
CREATE FUNCTION as_type() RETURNS SETOF event LANGUAGE plpgsql AS 'BEGIN RETURN QUERY SELECT id, amount FROM events; END';
CREATE FUNCTION as_out(OUT event_id int) LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION as_row() RETURNS events LANGUAGE sql AS 'SELECT * FROM events LIMIT 1';
CREATE FUNCTION as_array(p_event_ids int[]) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION total() RETURNS bigint LANGUAGE sql AS 'SELECT sum(amount) FROM events';
CREATE FUNCTION mentions("limit" int) RETURNS bool LANGUAGE sql AS 'SELECT count(*) > $1 FROM events';
SELECT * FROM told('events');
SET client_min_messages = warning;
DROP TABLE events CASCADE;
DROP TYPE event CASCADE;
RESET client_min_messages;

--
-- Views are tried before anything is filled, whatever their schema
--
CREATE TABLE labelled (id serial PRIMARY KEY, name text);
CREATE TABLE label_of (labelled int REFERENCES labelled);
CREATE FUNCTION label(int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'L' || $1 $$;
CREATE FUNCTION label(labelled) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'L' || $1.id $$;
CREATE VIEW good AS SELECT l.id, l.name, count(labelled) FROM labelled AS l LEFT JOIN label_of ON labelled = l.id GROUP BY l.id;
CREATE VIEW of_row AS SELECT label(labelled) FROM labelled;
CREATE VIEW plan_views.good AS SELECT id + 1 AS next FROM good WHERE id IN (SELECT labelled FROM label_of);
SELECT * FROM told('labelled') WHERE item LIKE 'refused%';
CREATE VIEW plan_views.labels AS SELECT label(id) FROM labelled;
CREATE VIEW plan_views.few AS SELECT array_agg(id) && '{1,2}'::int[] AS few FROM good;
SELECT * FROM told('labelled') WHERE item LIKE 'refused%';
SELECT * FROM snowflake_conversion_steps('labelled', 'id', 5, 'twitter');
SELECT convert_to_snowflake('labelled', 'id', 5, 'twitter');
SELECT c.relname FROM pg_class c WHERE relnamespace = pg_my_temp_schema();
DROP VIEW plan_views.few;
-- it need not be dropped
CREATE FUNCTION label(bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'L' || $1 $$;
SELECT * FROM told('labelled') WHERE item LIKE 'refused%';
RESET ROLE;
REVOKE CREATE ON SCHEMA plan_views FROM regress_plan_owner;
SET ROLE regress_plan_owner;
SELECT * FROM told('labelled') WHERE item LIKE 'refused%';
RESET ROLE;
GRANT CREATE ON SCHEMA plan_views TO regress_plan_owner;
SET ROLE regress_plan_owner;

--
-- Under a lock, views are dropped and made again, too
--
COMMENT ON VIEW good IS 'good';
GRANT SELECT ON plan_views.good TO PUBLIC;
CREATE TABLE before AS SELECT viewname, definition, c.relacl, obj_description(c.oid) FROM pg_views JOIN pg_class c ON c.oid = (quote_ident(schemaname) || '.' || viewname)::regclass WHERE schemaname IN ('plan', 'plan_views');
INSERT INTO labelled (name) VALUES ('a');
SELECT convert_to_snowflake('labelled', 'id', 5, 'twitter');
SELECT viewname, definition, c.relacl, obj_description(c.oid) FROM pg_views JOIN pg_class c ON c.oid = (quote_ident(schemaname) || '.' || viewname)::regclass WHERE schemaname IN ('plan', 'plan_views') EXCEPT TABLE before;
SELECT pg_typeof(id), label FROM good, plan_views.labels;
CREATE MATERIALIZED VIEW counted AS SELECT labelled FROM label_of;
CREATE TABLE part_of (label int REFERENCES labelled);
CREATE MATERIALIZED VIEW parts AS SELECT label FROM part_of;
SELECT convert_to_snowflake('labelled', 'id', 5, 'twitter');
SET client_min_messages = warning;
DROP TABLE before, labelled, label_of, part_of CASCADE;
RESET client_min_messages;

-- What neither way can convert
CREATE TABLE divided (id serial PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE whole (id serial PRIMARY KEY);
CREATE TABLE divided_by (whole int CONSTRAINT of_whole REFERENCES whole) PARTITION BY LIST ((whole % 2));
CREATE TABLE helper (whole int REFERENCES whole, day date) PARTITION BY LIST (day);
SELECT * FROM told('divided');
SELECT convert_to_snowflake('divided', 'id', 5, 'twitter');
SELECT * FROM told('whole');
SELECT convert_to_snowflake('whole', 'id', 5, 'twitter');
ALTER TABLE divided_by DROP CONSTRAINT of_whole;
SELECT * FROM told('whole') WHERE item LIKE 'refused%';
SELECT convert_to_snowflake('whole', 'id', 5, 'twitter');
DROP TABLE divided, divided_by, helper, whole;

--
-- Defaults of old dumps, layouts without a node, domains, checks
--
CREATE SEQUENCE old_seq;
CREATE SEQUENCE older_seq;
CREATE TABLE old (id int PRIMARY KEY DEFAULT nextval('old_seq'::text));
CREATE TABLE older (id int PRIMARY KEY DEFAULT nextval('plan.older_seq'::text));
SELECT * FROM told('old');
SELECT convert_to_snowflake('old', 'id', NULL, 'mastodon');
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = 'old'::regclass;
SELECT count(*) FROM snowflake_conversion_steps('older', 'id', NULL, 'mastodon');
CREATE DOMAIN hex AS char(24);
CREATE TABLE document (_id hex PRIMARY KEY);
SELECT convert_to_objectid('document', '_id');
SELECT * FROM objectid_conversion_steps('document', '_id');
ALTER TABLE document ALTER _id TYPE char(24), ADD CHECK (_id ~ '^[0-9a-f]{24}$');
SELECT * FROM conversion_plan('document', '_id') WHERE item <> 'space';
ALTER TABLE document DROP CONSTRAINT document__id_check;
SELECT convert_to_objectid('document', '_id');

RESET ROLE;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA plan, plan_views CASCADE;
DROP ROLE regress_plan_owner;
