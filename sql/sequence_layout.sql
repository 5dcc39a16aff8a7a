--
-- A sequence has one layout: that of the defaults that take ids from it
--
\a \t on
CREATE ROLE regress_layout_owner;
CREATE ROLE regress_layout_user;
CREATE SCHEMA layouts;
GRANT ALL ON SCHEMA layouts TO regress_layout_owner, regress_layout_user;
SET search_path = layouts, public;

CREATE SEQUENCE photo_id CACHE 64;
CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_snowflake('photo_id', 5, 'js53'), name text);
INSERT INTO photo (name) VALUES ('before') RETURNING name;

GRANT USAGE ON SEQUENCE photo_id TO regress_layout_user;
-- USAGE is not enough to move the clock
SET ROLE regress_layout_user;
SELECT setval('photo_id', 9000000000000000000);
-- by a range, the first call since the GRANT
SELECT * FROM nextval_range('photo_id', 5000000000000000000);
-- or by a layout
SELECT next_snowflake('photo_id', 0, 'time:41,node:10,seq:12;tick=1ms;epoch=1960-01-01T00:00:00Z');
SELECT next_snowflake('photo_id', 'mastodon');
-- the same bits are the same layout
SELECT next_snowflake('photo_id', 1, 'time:41,node:4,seq:8;tick=1ms;epoch=2026-01-01T00:00:00Z;start=random') > 0 AS ok;
-- a table of a role that could not set the sequence does not count
CREATE TABLE mine (id bigint DEFAULT next_snowflake('photo_id', 0, 'twitter'), n bigint DEFAULT nextval('photo_id'));
INSERT INTO mine (n) VALUES (1);
RESET ROLE;
INSERT INTO photo (name) VALUES ('not stopped') RETURNING name;

-- a new default with another layout is the one that fails, also that of a partition
CREATE TABLE typo (id bigint DEFAULT next_snowflake('photo_id', 5, 'twitter')) PARTITION BY RANGE (id);
CREATE TABLE typo_1 PARTITION OF typo DEFAULT;
INSERT INTO typo DEFAULT VALUES;
ALTER TABLE typo ALTER id SET DEFAULT next_snowflake('photo_id', 5, 'js53');
INSERT INTO typo DEFAULT VALUES RETURNING 'corrected';
INSERT INTO typo_1 DEFAULT VALUES;
DROP TABLE typo;
INSERT INTO photo (name) VALUES ('not stopped') RETURNING name;

-- the layout is that of now, also if there is a block of the earlier one
BEGIN;
SELECT next_snowflake('photo_id', 5, 'js53') > 0 AS ok;
ALTER TABLE photo ALTER id SET DEFAULT next_snowflake('photo_id', 5, 'twitter');
SAVEPOINT s;
SELECT next_snowflake('photo_id', 5, 'js53');
ROLLBACK TO s;
INSERT INTO photo (name) VALUES ('twitter') RETURNING snowflake_timestamp(id, 'twitter') > now() - interval '1 min' AS now;
ALTER TABLE photo ALTER id DROP DEFAULT;
SELECT next_snowflake('photo_id', 5, 'time:41,node:10,seq:12;tick=1ms;epoch=2010-01-01T00:00:00Z') > 0 AS ok;
ROLLBACK;
-- whoever sets the sequence back may get ids again
TRUNCATE photo;
SELECT setval('photo_id', 1);
INSERT INTO photo (name) VALUES ('js53 again') RETURNING name;

-- where the call is, and how it is written
CREATE SEQUENCE a;
CREATE SEQUENCE b;
CREATE SEQUENCE c;
CREATE SEQUENCE d;
CREATE TABLE written (
    a text DEFAULT lpad(coalesce(next_snowflake(layout => 'js53', node => 5, seq => 'a'), 0)::text, 20, '0'),
    b bigint DEFAULT CASE WHEN current_date > '2000-01-01' THEN next_snowflake('b', 'mastodon') ELSE next_snowflake('c', 5, 'js53') END);
CREATE VIEW seen AS SELECT NULL::bigint AS d;
ALTER VIEW seen ALTER d SET DEFAULT next_snowflake('d', 5, 'js53');
CREATE FUNCTION outcomes(layout snowflake_layout) RETURNS TABLE (sequence text, outcome text) LANGUAGE plpgsql AS $$
BEGIN
    FOREACH sequence IN ARRAY ARRAY['a', 'b', 'c', 'd'] LOOP
        BEGIN
            PERFORM next_snowflake(sequence::regclass, 0, layout);
            outcome := 'an id';
        EXCEPTION WHEN object_not_in_prerequisite_state THEN
            GET STACKED DIAGNOSTICS outcome = PG_EXCEPTION_DETAIL;
        END;
        RETURN NEXT;
    END LOOP;
END $$;
SELECT * FROM outcomes('js53');
SELECT * FROM outcomes('mastodon');
ALTER TABLE written DROP a, DROP b;
DROP VIEW seen;
SELECT * FROM outcomes('mastodon');

-- the default of a domain
CREATE SEQUENCE e;
CREATE DOMAIN key AS bigint DEFAULT next_snowflake('e', 5, 'js53');
CREATE TABLE of_domain (id key);
INSERT INTO of_domain DEFAULT VALUES RETURNING 'ok';
SELECT next_snowflake('e', 5, 'twitter');
ALTER DOMAIN key SET DEFAULT next_snowflake('e', 5, 'twitter');
SELECT next_snowflake('e', 5, 'js53');
INSERT INTO of_domain DEFAULT VALUES RETURNING 'ok';
DROP TABLE of_domain;
DROP DOMAIN key;

-- what does not name the sequence with a constant layout leaves it to the callers
CREATE SEQUENCE f;
CREATE FUNCTION some_layout() RETURNS snowflake_layout STABLE LANGUAGE sql AS $$ SELECT 'js53'::snowflake_layout $$;
CREATE FUNCTION new_id() RETURNS bigint LANGUAGE sql AS $$ SELECT next_snowflake('f', 5, 'js53') $$;
CREATE FUNCTION named(seq regclass, layout snowflake_layout) RETURNS text LANGUAGE sql AS $$ SELECT seq || ' ' || layout $$;
CREATE TABLE unknown (
    a bigint DEFAULT next_snowflake('f', 5, some_layout()),
    b bigint DEFAULT next_snowflake('f'::text::regclass, 5, 'js53'),
    c bigint DEFAULT new_id(),
    d text DEFAULT named('f', 'js53'));
INSERT INTO unknown DEFAULT VALUES RETURNING d;
SELECT next_snowflake('f', 5, 'twitter') > 0 AS ok;

-- UPDATE makes the difference
CREATE SEQUENCE g;
GRANT USAGE ON SEQUENCE g TO regress_layout_owner;
SET ROLE regress_layout_owner;
CREATE TABLE theirs (id bigint DEFAULT next_snowflake('g', 5, 'js53'));
RESET ROLE;
BEGIN;
SELECT next_snowflake('g', 5, 'twitter') > 0 AS ok;
ROLLBACK;
GRANT UPDATE ON SEQUENCE g TO regress_layout_owner;
SELECT next_snowflake('g', 5, 'twitter');
ALTER TABLE theirs OWNER TO regress_layout_user;
SELECT next_snowflake('g', 5, 'twitter') > 0 AS ok;
ALTER TABLE theirs OWNER TO regress_layout_owner;
SELECT next_snowflake('g', 5, 'twitter');
REVOKE UPDATE ON SEQUENCE g FROM regress_layout_owner;
SELECT next_snowflake('g', 5, 'twitter') > 0 AS ok;

-- how to let a role take ids without any right on the sequence
CREATE SEQUENCE h;
CREATE FUNCTION new_h() RETURNS bigint SECURITY DEFINER RETURN next_snowflake('h', 5, 'twitter');
REVOKE EXECUTE ON FUNCTION new_h() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION new_h() TO regress_layout_user;
SET ROLE regress_layout_user;
SELECT next_snowflake('h', 5, 'time:41,node:10,seq:12;tick=1ms;epoch=1960-01-01T00:00:00Z');
SELECT new_h() < new_h() AS ok;
RESET ROLE;

-- the default that counts is another one as soon as its owner can set the sequence
CREATE SEQUENCE i;
CREATE TABLE i_1 (id bigint DEFAULT next_snowflake('i', 5, 'js53'));
ALTER TABLE i_1 OWNER TO regress_layout_user;
CREATE TABLE i_2 (id bigint DEFAULT next_snowflake('i', 5, 'twitter'));
INSERT INTO i_2 DEFAULT VALUES RETURNING id > 0 AS ok;
GRANT UPDATE ON SEQUENCE i TO regress_layout_user;
INSERT INTO i_2 DEFAULT VALUES;
REVOKE UPDATE ON SEQUENCE i FROM regress_layout_user;
INSERT INTO i_2 DEFAULT VALUES RETURNING id > 0 AS ok;

-- settled_snowflake() knows nothing of the values of nextval()
CREATE TABLE counted (id bigserial, i bigint GENERATED ALWAYS AS IDENTITY);
CREATE TABLE shard (id bigint DEFAULT next_shard_id(5, nextval('a')));
CALL settled_snowflake('counted_id_seq', NULL);
CALL settled_snowflake('counted_i_seq', NULL);
CALL settled_snowflake('a', NULL);
-- but for those of a role that could not set the sequence
DO $$
DECLARE
    upto bigint;
BEGIN
    CALL settled_snowflake('photo_id', upto);
    RAISE NOTICE '%', upto > 0;
    ALTER TABLE counted ALTER id SET DEFAULT next_snowflake('counted_id_seq', 1, 'twitter');
    CALL settled_snowflake('counted_id_seq', upto);
    RAISE NOTICE '%', upto;
END $$;
ALTER TABLE photo ADD n bigint DEFAULT nextval('photo_id');
CALL settled_snowflake('photo_id', NULL);

-- The first call of a session for a range looks at the defaults, too, and a later one again.
\c -
SET search_path = layouts, public;
SELECT * FROM nextval_range('photo_id', 1);
ALTER TABLE photo ALTER id DROP DEFAULT;
SELECT count(*) AS ranges FROM nextval_range('photo_id', 1);

SET client_min_messages = warning;
DROP SCHEMA layouts CASCADE;
DROP ROLE regress_layout_owner, regress_layout_user;
