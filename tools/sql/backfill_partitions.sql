--
-- Ids from the past in partitioned tables: that of the key, and those that refer to
-- it; rows that move and partitions that come and go meanwhile; what is refused.
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_past_parts;
RESET client_min_messages;
CREATE ROLE regress_past_parts;
CREATE SCHEMA "Past ""2""";
CREATE SCHEMA wanted;
CREATE SCHEMA past_parts;
SET search_path = past_parts, public, objectid_ext_tools;
SET timezone = 'UTC';
SET datestyle = 'ISO';

\set ECHO none
\getenv source PG_ABS_SRCDIR
\i :source/sql/include/conversion_facts.sql
\set ECHO all

--
-- The result is the same as of a conversion that keeps the ids, but for the values.  A
-- row refers to the one with the number n - 1, and "copy" has the number of the
-- customer to which "customer" refers.
--
CREATE PROCEDURE create_tables(schema text, size text) LANGUAGE plpgsql AS $procedure$
BEGIN
    PERFORM set_config('search_path', quote_ident(schema) || ', public', true);
    EXECUTE replace($$
    -- a plain key; partitions of partitions, and with other columns
    CREATE TABLE customer (id #serial PRIMARY KEY, n int, created timestamptz);
    CREATE TABLE orders (customer #int NOT NULL REFERENCES customer ON DELETE CASCADE, region int, n int, copy int,
                         prior #int REFERENCES customer (id) ON UPDATE CASCADE DEFERRABLE) PARTITION BY LIST (region);
    CREATE TABLE "o'1" PARTITION OF orders FOR VALUES IN (1);
    CREATE TABLE o2 (copy int, gone text, n int, region int, prior #int, customer #int NOT NULL);
    ALTER TABLE o2 DROP gone;
    ALTER TABLE orders ATTACH PARTITION o2 FOR VALUES IN (2);
    CREATE TABLE o3 PARTITION OF orders DEFAULT PARTITION BY HASH (n);
    CREATE TABLE o3_0 PARTITION OF o3 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
    CREATE INDEX "by customer" ON orders (customer, n DESC);
    ALTER TABLE o3_0 ALTER customer SET STATISTICS 7;
    GRANT SELECT (customer), UPDATE (prior) ON o2 TO regress_past_parts;
    COMMENT ON COLUMN orders.customer IS 'who';
    COMMENT ON CONSTRAINT orders_customer_fkey ON orders IS 'foreign key';
    INSERT INTO customer (n, created) SELECT g, '2026-01-01 00:00:00+00'::timestamptz + g * 7 % 300 * interval '1 min' FROM generate_series(1, 300) AS g;
    INSERT INTO orders (customer, region, n, copy, prior) SELECT id, n % 5, n, n, nullif(id - 1, 0) FROM customer;

    -- a partitioned key; foreign keys of several columns, also to a partition
    CREATE TABLE event (id #serial, day date, n int, prior #int, PRIMARY KEY (id, day), FOREIGN KEY (prior, day) REFERENCES event) PARTITION BY RANGE (day);
    CREATE TABLE e1 PARTITION OF event FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
    CREATE TABLE e2 (day date NOT NULL, n int, id #int NOT NULL, prior #int);
    ALTER TABLE event ATTACH PARTITION e2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
    ALTER TABLE e2 ALTER id SET DEFAULT nextval('event_id_seq');
    CREATE TABLE detail (n int, event #int, day date, FOREIGN KEY (event, day) REFERENCES event ON UPDATE CASCADE ON DELETE CASCADE) PARTITION BY LIST (n);
    CREATE TABLE d1 PARTITION OF detail DEFAULT;
    CREATE TABLE direct (event #int, day date, FOREIGN KEY (event, day) REFERENCES e2 (id, day));
    INSERT INTO event (day, n) SELECT '2026-01-01'::date + g * 7 % 50, g FROM generate_series(1, 300) AS g;
    UPDATE event SET prior = id WHERE n % 2 = 0;
    INSERT INTO detail SELECT n, id, day FROM event;
    INSERT INTO direct SELECT id, day FROM e2;
    $$, '#', size);
END $procedure$;
CALL create_tables('wanted', 'big');
CALL create_tables('Past "2"', '');
SELECT convert_to_snowflake('wanted.customer', 'id', 5, 'twitter');
SELECT convert_to_snowflake('wanted.event', 'id', 5, 'twitter');
SET search_path = "Past ""2""", past_parts, public, objectid_ext_tools;
-- refer to no row
INSERT INTO detail VALUES (-5, 5, NULL), (-7, 777, NULL);
CREATE TABLE before AS SELECT * FROM event;

SELECT item, relation, detail FROM conversion_plan('event', 'id', 'day') WHERE item IN ('obstacle', 'obstacle while in use', 'column');
\t on
SELECT statement FROM snowflake_conversion_steps('customer', 'id', 5, 'twitter', created_at => 'created') ORDER BY step \gexec
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5, 'twitter', created_at => 'day') ORDER BY step \gexec
\t off
SELECT count(*) FILTER (WHERE c.n = o.copy) AS customers, count(*) FILTER (WHERE p.n = o.copy - 1) AS priors,
       count(*) FILTER (WHERE snowflake_timestamp(c.id, 'twitter') = c.created) AS same_time
FROM orders AS o LEFT JOIN customer AS c ON c.id = o.customer LEFT JOIN customer AS p ON p.id = o.prior;
SELECT count(*) FILTER (WHERE e.place = b.place) AS same_place, count(*) FILTER (WHERE snowflake_timestamp(e.id, 'twitter')::date = b.day) AS same_day,
       count(*) FILTER (WHERE e.prior = e.id) AS priors
FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM event) AS e JOIN (SELECT *, row_number() OVER (ORDER BY day, id) AS place FROM before) AS b USING (n);
SELECT (SELECT count(*) FROM detail JOIN event USING (n, day) WHERE event = id) AS details, (SELECT count(*) FROM direct JOIN e2 ON event = id AND direct.day = e2.day) AS direct;
SELECT d.n, e.n AS event, now() - snowflake_timestamp(d.event, 'twitter') < '1 hour' AS now FROM detail AS d LEFT JOIN event AS e ON e.id = d.event WHERE d.day IS NULL ORDER BY 1;
DROP TABLE before;
SELECT * FROM differences('wanted', '"Past ""2"""');
INSERT INTO event (day) VALUES ('2026-02-07') RETURNING id > (SELECT max(id) FROM event) AS above;
SELECT * FROM snowflake_conversion_steps('event', 'id', 5, 'twitter', created_at => 'day');
SET client_min_messages = warning;
DROP TABLE customer, orders, event, detail, direct;
DROP SCHEMA wanted CASCADE;
RESET client_min_messages;

--
-- Meanwhile.  All foreign keys lead to a row of the same number.
--
CREATE TABLE event (id serial, day int, n int, created timestamptz DEFAULT now(), PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE TABLE e1 PARTITION OF event FOR VALUES IN (1);
CREATE TABLE e2 PARTITION OF event FOR VALUES IN (2);
CREATE TABLE e3 PARTITION OF event FOR VALUES IN (3);
CREATE TABLE detail (event int, day int, n int NOT NULL, part int,
                     FOREIGN KEY (event, day) REFERENCES event ON UPDATE CASCADE ON DELETE CASCADE DEFERRABLE) PARTITION BY LIST (part);
CREATE TABLE d1 PARTITION OF detail FOR VALUES IN (1);
CREATE TABLE d2 (part int, n int NOT NULL, day int, event int);
ALTER TABLE detail ATTACH PARTITION d2 FOR VALUES IN (2);
CREATE TABLE d3 PARTITION OF detail FOR VALUES IN (3);
INSERT INTO event (day, n, created) SELECT 1 + g % 3, g, '2026-01-01 00:00:00+00'::timestamptz + g * interval '1 min' FROM generate_series(1, 300) AS g;
INSERT INTO detail SELECT id, day, n, 1 + n % 3 FROM event;
GRANT SELECT, INSERT, UPDATE, DELETE ON event, detail TO regress_past_parts;
GRANT USAGE ON SEQUENCE event_id_seq TO regress_past_parts;
GRANT USAGE ON SCHEMA "Past ""2""", past_parts TO regress_past_parts;
-- What users do with the rows from $1 on, which is divisible by 3; rows move to other
-- partitions.
CREATE PROCEDURE past_parts.write(number int) LANGUAGE plpgsql AS $$
DECLARE
    event_id bigint := nextval('event_id_seq');
BEGIN
    INSERT INTO event (day, n) VALUES (1, 1000 + number);
    INSERT INTO detail SELECT id, day, n, 1 FROM event WHERE n = 1000 + number;
    UPDATE event SET day = 3 WHERE n = number;
    UPDATE detail SET part = 1 WHERE n = number + 1;
    UPDATE detail SET part = 1, (event, day, n) = (SELECT id, day, n FROM event WHERE n = 291) WHERE n = number + 7;
    UPDATE event SET id = id + 10000, day = 3 WHERE n = number + 3;
    DELETE FROM event WHERE n = number + 4;
    INSERT INTO detail SELECT id, NULL, -n, 2 FROM event WHERE n = number;
    SET CONSTRAINTS ALL DEFERRED;
    INSERT INTO detail VALUES (event_id, 3, 2000 + number, 2);
    INSERT INTO event VALUES (event_id, 3, 2000 + number);
    SET CONSTRAINTS ALL IMMEDIATE;
    INSERT INTO event VALUES (event_id, 3, 0) ON CONFLICT (id, day) DO UPDATE SET created = now();
END $$;
-- The steps up to one that is like this
CREATE FUNCTION past_parts.steps_until(name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
    next text;
BEGIN
    FOR next IN SELECT statement FROM snowflake_conversion_steps('event', 'id', 5, 'twitter', created_at => 'created') ORDER BY step LOOP
        RETURN NEXT next;
        EXIT WHEN next LIKE name;
    END LOOP;
END $$;
CREATE PROCEDURE past_parts.write_as_user(number int) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL ROLE regress_past_parts;
    CALL write(number);
    RESET ROLE;
END $$;
GRANT ALL ON PROCEDURE past_parts.write TO regress_past_parts;

\t on
\set QUIET on
-- the trigger for new rows, before the ids of others are computed
SELECT _live_claim('event', 'id', true);
SELECT _backfill_step('event', 'id', '1 s', 5, 'twitter', 'created', NULL);
SELECT _backfill_step('event', 'id', '1 s', 5, 'twitter', 'created', NULL);
CALL write_as_user(9);
CREATE TABLE e4 PARTITION OF event FOR VALUES IN (4);
SELECT statement FROM steps_until('%_backfill_ids(%') AS statement \gexec
CALL write_as_user(18);
-- The shadow columns are missing yet, so a table can be attached.
CREATE TABLE e5 (LIKE event INCLUDING ALL);
INSERT INTO e5 VALUES (5005, 5, 5005, '2026-01-01 00:00:00+00');
ALTER TABLE event ATTACH PARTITION e5 FOR VALUES IN (5);
SELECT statement FROM steps_until('%INDEX%') AS statement \gexec
CALL write_as_user(27);
-- one of both tables has its shadow column
SELECT _live_begin('event', 'id', 'objectid_ext_tools._backfilled', '1 s');
CALL write_as_user(36);
SELECT statement FROM steps_until('%''begin''%') AS statement \gexec
CALL write_as_user(45);
CREATE TABLE e6 PARTITION OF event FOR VALUES IN (6) PARTITION BY LIST (day);
CREATE TABLE e6_6 PARTITION OF e6 DEFAULT;
CREATE TABLE d4 PARTITION OF detail DEFAULT;
WITH new AS (INSERT INTO event (day, n) VALUES (6, 6006) RETURNING *) INSERT INTO detail SELECT id, day, n, 4 FROM new;
-- e2 does not take part any more.  d3 refers by itself: what is written there before
-- it has its trigger again would have a wrong new id.
SELECT statement FROM steps_until('%''fill''%') AS statement \gexec
DELETE FROM event WHERE day = 2;
ALTER TABLE event DETACH PARTITION e2;
ALTER TABLE e2 ALTER id DROP DEFAULT;
CREATE TABLE e2_again PARTITION OF event FOR VALUES IN (2);
ALTER TABLE detail DETACH PARTITION d3;
UPDATE d3 SET (event, day, n) = (SELECT id, day, n FROM event WHERE n = 294) WHERE n = 200;
CALL write_as_user(54);
SELECT statement FROM steps_until('%''validate''%') AS statement \gexec
SELECT attrelid::regclass, short(attname) FROM pg_attribute WHERE attname LIKE '\_objectid\_ext\_%' AND attrelid IN ('e2'::regclass, 'd3'::regclass) AND NOT attisdropped;
CALL write_as_user(63);
SELECT short(statement) FROM steps_until('%''finish''%') AS statement;
SELECT statement FROM steps_until('%VACUUM%') AS statement \gexec
CALL write_as_user(72);
-- The last step compares partitions, too.
BEGIN;
ALTER TABLE d1 DISABLE TRIGGER ALL;
UPDATE d1 SET event = 3 WHERE n = 291;
SELECT _backfill_verify('event', 'id', '{event,detail}');
ROLLBACK;
-- the columns are replaced, and the foreign keys remain to be validated
CREATE PROCEDURE past_parts.finish_once() LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        COMMIT;
        EXIT WHEN _live_finish('event', 'id', 'objectid_ext_tools._backfilled', '1 s', 5, 'twitter') IS NULL;
        EXIT WHEN to_regclass(_live_late('event', 'id')) IS NOT NULL;
    END LOOP;
END $$;
CALL finish_once();
CALL undo_conversion('event', 'id');
SELECT short(statement) FROM snowflake_conversion_steps('event', 'id', 5, 'twitter', created_at => 'created');
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5, 'twitter', created_at => 'created') ORDER BY step \gexec
\t off
\set QUIET off
SELECT count(*) FILTER (WHERE abs(d.n) <> e.n OR e.id IS NULL) AS wrong, count(*) > 100 AS all FROM detail AS d LEFT JOIN event AS e ON e.id = d.event AND e.day = coalesce(d.day, e.day);
SELECT count(*) AS detached, count(*) FILTER (WHERE d.n = e.n) AS "right" FROM d3 AS d LEFT JOIN event AS e ON e.id = d.event;
SELECT count(*) = count(DISTINCT id) AS distinct, count(*) FILTER (WHERE snowflake_timestamp(id, 'twitter') = '2026-01-01 00:00:00+00'::timestamptz + n * interval '1 min') AS past,
       (SELECT count(*) FROM event WHERE n BETWEEN 100 AND 300 AND snowflake_timestamp(id, 'twitter') <> created) AS lost, string_agg(n::text, ' ' ORDER BY n) FILTER (WHERE n IN (9, 12, 18, 21, 5005) AND now() - snowflake_timestamp(id, 'twitter') < '1 hour') AS now
FROM event;
SELECT count(*) AS not_valid FROM pg_constraint WHERE NOT convalidated AND conparentid = 0 AND connamespace = '"Past ""2"""'::regnamespace;
SELECT short(name) AS "left" FROM (SELECT relname FROM pg_class UNION ALL SELECT attname FROM pg_attribute WHERE NOT attisdropped UNION ALL SELECT conname FROM pg_constraint UNION ALL SELECT proname FROM pg_proc) AS s (name) WHERE name LIKE '\_objectid\_ext\_%';

SET client_min_messages = warning;
DROP TABLE event, detail, d3, e2;
RESET client_min_messages;

--
-- What stands in the way
--
CREATE TABLE a (id serial, day int, created timestamptz, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE TABLE a1 PARTITION OF a FOR VALUES IN (1);
CREATE TABLE a2 PARTITION OF a DEFAULT;
CREATE TABLE b (a int, day int, FOREIGN KEY (a, day) REFERENCES a) PARTITION BY LIST (day);
CREATE TABLE b1 PARTITION OF b DEFAULT;
INSERT INTO a (day, created) SELECT g % 3, '2026-01-01 00:00:00+00' FROM generate_series(1, 9) AS g;
CREATE PROCEDURE past_parts.try(table_name text DEFAULT 'a') LANGUAGE plpgsql AS $$
BEGIN
    PERFORM snowflake_conversion_steps(table_name, 'id', 5, 'twitter', created_at => 'created');
    RAISE NOTICE 'convertible';
END $$;
CALL try();
CALL try('a1');
-- an id in several partitions
UPDATE a SET id = id + 1 WHERE day = 1;
CALL try();
SELECT relation, detail FROM conversion_plan('a', 'id', 'created') WHERE item LIKE 'obstacle%';
UPDATE a SET id = id - 1 WHERE day = 1;
-- a time in a partition
UPDATE a2 SET created = NULL WHERE id = 6;
CALL try();
UPDATE a2 SET created = a1.created FROM a1 WHERE a2.id = 6;
-- values of one partition
ALTER TABLE b1 ALTER a SET DEFAULT 1;
CALL try();
ALTER TABLE b1 ALTER a DROP DEFAULT;
ALTER TABLE a1 ADD CHECK (id > 0);
CALL try();
ALTER TABLE a1 DROP CONSTRAINT a1_id_check;
ALTER TABLE a1 OWNER TO regress_past_parts;
CALL try();
ALTER TABLE a1 OWNER TO CURRENT_USER;
-- the partition key
CREATE TABLE c (a int, day int, FOREIGN KEY (a, day) REFERENCES a) PARTITION BY HASH (a);
CALL try();
DROP TABLE c;

-- Undone, with a partition that was created meanwhile
-- The number of these facts depends on the server.
\set QUIET on
CREATE TABLE past_parts.before AS SELECT * FROM facts('"Past ""2"""');
\set QUIET off
INSERT INTO b VALUES (777, NULL);
CALL _backfill_ids('a', 'id', '1 s', 5, 'twitter', 'created', NULL);
-- The triggers need not give a new id to what refers to no row.
SELECT _live_state('a', 'id') || '_past' AS past \gset
SELECT count(*) FROM :past WHERE old_id = 777;
CALL undo_conversion('a', 'id');
SELECT fact FROM (SELECT fact FROM facts('"Past ""2"""') EXCEPT ALL SELECT fact FROM before) AS f;
\t on
SELECT statement FROM snowflake_conversion_steps('a', 'id', 5, 'twitter', created_at => 'created') WHERE step <= 4 ORDER BY step \gexec
\t off
CREATE TABLE b2 PARTITION OF b FOR VALUES IN (2);
INSERT INTO b SELECT id, day FROM a;
CALL undo_conversion('a', 'id');
DROP TABLE b2;
SELECT fact FROM (SELECT fact FROM facts('"Past ""2"""') EXCEPT ALL SELECT fact FROM before) AS f;
SELECT fact FROM (SELECT fact FROM before EXCEPT ALL SELECT fact FROM facts('"Past ""2"""')) AS f;
DROP TABLE a, b;
CREATE TABLE a (id serial, day int, created timestamptz, UNIQUE (day) INCLUDE (id)) PARTITION BY LIST (day);
CALL try();
DROP TABLE a;
CREATE TABLE a (id serial PRIMARY KEY, created timestamptz) PARTITION BY HASH (id);
CALL try();

SET client_min_messages = warning;
DROP SCHEMA past_parts, "Past ""2""" CASCADE;
DROP ROLE regress_past_parts;
