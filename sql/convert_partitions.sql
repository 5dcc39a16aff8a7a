--
-- Conversions of partitioned tables under load, in steps: the result is as if the
-- columns had always had the new type; partitions that come and go meanwhile; what is
-- refused; stop, go on, and undo.
--

\set SHOW_CONTEXT never
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_parts_reader;
RESET client_min_messages;
CREATE ROLE regress_parts_reader;
CREATE SCHEMA "Live ""1""";
CREATE SCHEMA wanted;
CREATE SCHEMA parts_test;
SET search_path = parts_test, public, objectid_ext_tools;

-- Everything that a conversion can change, but the order of columns
CREATE FUNCTION facts(schema regnamespace) RETURNS TABLE (fact text) LANGUAGE plpgsql AS $$
BEGIN
    FOR fact IN
        SELECT concat_ws('|', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, nullif(attstattarget, -1), attinhcount, attislocal,
                         (SELECT string_agg(o, ',') FROM unnest(attoptions) AS o WHERE o LIKE 'n\_%'),
                         pg_get_expr(adbin, adrelid), attacl, col_description(attrelid, attnum))
        FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relnamespace = schema AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
        UNION ALL
        SELECT concat_ws('|', c.oid::regclass, relkind, relreplident, pg_get_userbyid(relowner), relacl, reloptions, obj_description(c.oid, 'pg_class'), pg_get_indexdef(indexrelid),
                         indisvalid, indisprimary, indimmediate, indisclustered, indisreplident, pg_get_expr(relpartbound, c.oid),
                         (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = indexrelid AND attname <> 'expr'),
                         (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = c.oid))
        FROM pg_class c LEFT JOIN pg_index ON indexrelid = c.oid WHERE relnamespace = schema
        UNION ALL
        -- PostgreSQL names inherited NOT NULL, and what stands for the partitions that a key refers to, which before 18 stays not validated
        SELECT concat_ws('|', conrelid::regclass, CASE WHEN contype <> 'n' OR coninhcount = 0 THEN conname END, CASE WHEN conparentid = 0 OR conrelid NOT IN (SELECT conrelid FROM pg_constraint p WHERE p.oid = c.conparentid) THEN pg_get_constraintdef(oid) END, convalidated OR conparentid <> 0, coninhcount, conislocal OR contype = 'n', conparentid <> 0, obj_description(oid, 'pg_constraint'))
        FROM pg_constraint c WHERE connamespace = schema
        UNION ALL
        SELECT concat_ws('|', tgrelid::regclass, CASE WHEN tgisinternal THEN 'foreign key' ELSE tgname END, tgenabled, tgattr)
        FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid WHERE relnamespace = schema
        UNION ALL
        SELECT concat_ws('|', proname, prosrc) FROM pg_proc WHERE pronamespace = schema
        UNION ALL
        SELECT concat_ws('|', seqrelid::regclass, seqtypid::regtype, seqstart, seqincrement, seqmax, seqmin, seqcache, seqcycle,
                         (SELECT format('%s.%I', refobjid::regclass, attname) FROM pg_depend JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
                          WHERE classid = 'pg_class'::regclass AND objid = seqrelid AND refclassid = 'pg_class'::regclass))
        FROM pg_sequence JOIN pg_class c ON c.oid = seqrelid WHERE relnamespace = schema
    LOOP
        fact := replace(fact, schema::text || '.', '');
        RETURN NEXT;
    END LOOP;
END $$;
-- Facts that are only in one of two schemas
CREATE FUNCTION differences(a regnamespace, b regnamespace) RETURNS TABLE (side text, fact text) LANGUAGE sql AS $$
    (SELECT a::text, fact FROM (SELECT fact FROM facts(a) EXCEPT ALL SELECT fact FROM facts(b)) AS x)
    UNION ALL
    (SELECT b::text, fact FROM (SELECT fact FROM facts(b) EXCEPT ALL SELECT fact FROM facts(a)) AS x)
    ORDER BY 1, 2
$$;
-- Names of what stands beside an object, shortened
CREATE FUNCTION short(statement text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(statement, '_objectid_ext_[0-9a-f]{16}', '_X', 'g')
$$;

--
-- The result is the same, whatever the tables have
--
CREATE PROCEDURE create_numbers(schema text, size text) LANGUAGE plpgsql AS $procedure$
BEGIN
    PERFORM set_config('search_path', quote_ident(schema) || ', public', true);
    EXECUTE replace($$
    -- sub-partitions, a default partition, one with other columns that was attached
    CREATE TABLE customer (gone int, id #serial, day date NOT NULL, name text, n int DEFAULT 0, PRIMARY KEY (id, day), CONSTRAINT positive CHECK (id > 0)) PARTITION BY RANGE (day);
    ALTER TABLE customer DROP gone;
    CREATE TABLE "c'1" PARTITION OF customer FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
    CREATE TABLE c2 (name text, x int, n int, day date NOT NULL, y int, id #int NOT NULL);
    ALTER TABLE c2 DROP x, DROP y, ADD CONSTRAINT positive CHECK (id > 0);
    ALTER TABLE customer ATTACH PARTITION c2 FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
    CREATE TABLE c3 PARTITION OF customer FOR VALUES FROM ('2026-03-01') TO ('2026-04-01') PARTITION BY RANGE (day);
    CREATE TABLE c3_0 PARTITION OF c3 FOR VALUES FROM ('2026-03-01') TO ('2026-03-15');
    CREATE TABLE c3_1 PARTITION OF c3 FOR VALUES FROM ('2026-03-15') TO ('2026-04-01');
    CREATE TABLE c_else PARTITION OF customer DEFAULT;
    CREATE TABLE c_empty PARTITION OF customer FOR VALUES FROM ('2027-01-01') TO ('2027-02-01') PARTITION BY HASH (day);
    -- by composite keys from partitioned tables, themselves too, and from others
    CREATE TABLE orders (id #int GENERATED BY DEFAULT AS IDENTITY (CACHE 7), customer #int DEFAULT 7, day date, prior #int, h int, note text, PRIMARY KEY (id, h),
                         FOREIGN KEY (customer, day) REFERENCES customer ON DELETE CASCADE,
                         FOREIGN KEY (prior, h) REFERENCES orders ON DELETE SET NULL (prior) DEFERRABLE INITIALLY DEFERRED) PARTITION BY HASH (h);
    CREATE TABLE o1 PARTITION OF orders FOR VALUES WITH (MODULUS 2, REMAINDER 0);
    CREATE TABLE o2 PARTITION OF orders FOR VALUES WITH (MODULUS 2, REMAINDER 1);
    CREATE TABLE visit (customer #int, day date, n int, FOREIGN KEY (customer, day) REFERENCES customer MATCH FULL ON UPDATE CASCADE);
    CREATE TABLE direct (customer #int, day date, FOREIGN KEY (customer, day) REFERENCES "c'1" (id, day));
    -- from a partitioned table to one that is not
    CREATE TABLE author (id #serial PRIMARY KEY, n int UNIQUE);
    CREATE TABLE book (author #int NOT NULL REFERENCES author, other bigint REFERENCES author (id), n int, UNIQUE (author, n) WITH (fillfactor = 80)) PARTITION BY LIST (n);
    CREATE TABLE b1 PARTITION OF book (CONSTRAINT own CHECK (author < 1000000000)) FOR VALUES IN (1);
    CREATE TABLE b2 PARTITION OF book FOR VALUES IN (2);

    CREATE INDEX "by name" ON customer (name, id DESC) WHERE id > 7;
    CREATE INDEX on_customer ON orders (customer);
    CREATE INDEX own ON c2 USING brin (id) WITH (pages_per_range = 7);
    CREATE UNIQUE INDEX on_expr ON c3_0 ((id % 1000000::bigint), name);
    ALTER INDEX c2_pkey RENAME TO "c2's key";
    ALTER TABLE c2 ALTER id SET DEFAULT nextval('customer_id_seq');
    ALTER TABLE c3_0 ALTER id SET DEFAULT nextval('customer_id_seq'), ALTER id SET STATISTICS 7;
    ALTER TABLE o1 ALTER customer SET DEFAULT 8, ALTER customer SET NOT NULL;
    ALTER TABLE o2 ALTER customer DROP DEFAULT;
    ALTER TABLE c_else CLUSTER ON c_else_pkey;
    ALTER TABLE c_else REPLICA IDENTITY USING INDEX c_else_pkey;
    ALTER TABLE ONLY customer ALTER id SET STATISTICS 77;
    ALTER TABLE c2 ALTER id SET (n_distinct = -1);
    COMMENT ON COLUMN customer.id IS 'it''s the key';
    COMMENT ON COLUMN c2.id IS 'the key of one';
    COMMENT ON CONSTRAINT customer_pkey ON customer IS 'primary key';
    COMMENT ON CONSTRAINT c3_0_pkey ON c3_0 IS 'primary key of one';
    COMMENT ON CONSTRAINT positive ON customer IS 'check';
    COMMENT ON CONSTRAINT positive ON c3_1 IS 'check of one';
    COMMENT ON CONSTRAINT orders_customer_day_fkey ON orders IS 'foreign key';
    COMMENT ON INDEX "by name" IS 'index';
    GRANT SELECT (id), INSERT (id) ON customer TO regress_parts_reader WITH GRANT OPTION;
    GRANT UPDATE (id) ON c3_1 TO PUBLIC;
    GRANT INSERT ON o1 TO regress_parts_reader;
    INSERT INTO customer (day, name, n) SELECT '2026-01-01'::date + g % 100, 'customer ' || g, g % 3 FROM generate_series(1, 500) AS g;
    INSERT INTO orders (customer, day, h) SELECT id, day, id FROM customer;
    UPDATE orders SET prior = id WHERE id % 3 = 0;
    INSERT INTO visit SELECT id, day, n FROM customer;
    INSERT INTO direct SELECT id, day FROM customer WHERE day < '2026-02-01';
    INSERT INTO author (n) SELECT generate_series(1, 100);
    INSERT INTO book SELECT id, id, 1 + n % 2 FROM author;
    $$, '#', size);
END $procedure$;
CALL create_numbers('wanted', 'big');
CALL create_numbers('Live "1"', '');
SELECT convert_to_snowflake('wanted.' || t, 'id', 5) FROM unnest('{customer,orders,author}'::text[]) AS t;

SELECT step, short(statement) FROM snowflake_conversion_steps('"Live ""1""".author', 'id', 5) ORDER BY step;
\t on
SELECT statement FROM snowflake_conversion_steps('"Live ""1""".customer', 'id', 5) ORDER BY step \gexec
SELECT statement FROM snowflake_conversion_steps('"Live ""1""".orders', 'id', 5) ORDER BY step \gexec
SELECT statement FROM snowflake_conversion_steps('"Live ""1""".author', 'id', 5) ORDER BY step \gexec
\t off
SELECT * FROM differences('wanted', '"Live ""1"""');
SELECT (SELECT string_agg(concat_ws(',', id, day, name, n), ' ' ORDER BY id) FROM wanted.customer)
     = (SELECT string_agg(concat_ws(',', id, day, name, n), ' ' ORDER BY id) FROM "Live ""1""".customer) AS same_customers,
       (SELECT string_agg(concat_ws(',', id, customer, day, prior, h), ' ' ORDER BY id) FROM wanted.orders)
     = (SELECT string_agg(concat_ws(',', id, customer, day, prior, h), ' ' ORDER BY id) FROM "Live ""1""".orders) AS same_orders,
       (SELECT string_agg(concat_ws(',', author, other, n), ' ' ORDER BY author) FROM wanted.book)
     = (SELECT string_agg(concat_ws(',', author, other, n), ' ' ORDER BY author) FROM "Live ""1""".book) AS same_books;
-- The foreign keys work.
INSERT INTO "Live ""1""".customer (day) VALUES ('2026-01-07') RETURNING id > 1000000 AS new;
INSERT INTO "Live ""1""".visit (customer, day) VALUES (99999, '2026-01-07');
INSERT INTO "Live ""1""".orders (customer, day, h) VALUES (99999, '2026-01-07', 1);
DELETE FROM "Live ""1""".author;
SELECT * FROM snowflake_conversion_steps('"Live ""1""".customer', 'id', 5);
SET client_min_messages = warning;
DROP SCHEMA wanted, "Live ""1""" CASCADE;
RESET client_min_messages;

--
-- Partitions come and go meanwhile
--
CREATE SCHEMA events;
SET search_path = events, parts_test, public, objectid_ext_tools;
CREATE TABLE event (id serial, day int, note text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE e1 PARTITION OF event FOR VALUES FROM (1) TO (2);
CREATE TABLE e2 PARTITION OF event FOR VALUES FROM (2) TO (3);
CREATE TABLE e3 PARTITION OF event FOR VALUES FROM (3) TO (4);
CREATE INDEX ON event (note, id);
CREATE TABLE detail (event int, day int, n int NOT NULL, FOREIGN KEY (event, day) REFERENCES event ON DELETE CASCADE) PARTITION BY LIST (day);
CREATE TABLE d1 PARTITION OF detail FOR VALUES IN (1);
CREATE TABLE d2 PARTITION OF detail FOR VALUES IN (2);
CREATE TABLE d3 PARTITION OF detail FOR VALUES IN (3);
INSERT INTO event (day, note) SELECT 1 + g % 3, g FROM generate_series(1, 300) AS g;
INSERT INTO detail SELECT id, day, id FROM event WHERE day <> 2;
CALL _convert_live('begin', 'event', 'id', 'bigint', '1 s');
CREATE TABLE e4 PARTITION OF event FOR VALUES FROM (4) TO (5);
CREATE TABLE d4 PARTITION OF detail FOR VALUES IN (4);
WITH new AS (INSERT INTO event (day, note) VALUES (4, 'new') RETURNING id, day) INSERT INTO detail SELECT id, day, id FROM new;
-- moved to another partition
UPDATE event SET day = 4, note = 'moved' WHERE id = 1;
DROP TABLE d2;
ALTER TABLE event DETACH PARTITION e2;
ALTER TABLE detail DETACH PARTITION d1;
-- without the shadow column, a table cannot be attached
CREATE TABLE e5 (id int NOT NULL, day int NOT NULL, note text);
DO $$ BEGIN ALTER TABLE event ATTACH PARTITION e5 FOR VALUES FROM (5) TO (6); EXCEPTION WHEN others THEN RAISE NOTICE '%', short(sqlerrm); END $$;
DROP TABLE e5;
CALL _convert_live('fill', 'event', 'id', 'bigint', '1 s');
-- d1 refers to events by itself now, e2 does not take part any more
SELECT short(r) FROM _live_remaining('event', 'id', 'bigint') AS r;
SELECT attrelid::regclass, short(attname) FROM pg_attribute WHERE attname LIKE '\_objectid\_ext\_%' AND attrelid IN ('e2'::regclass, 'd1'::regclass) AND NOT attisdropped;
INSERT INTO e2 VALUES (777, 2, 'detached');
-- its default still uses the sequence, which will give larger values
SELECT * FROM snowflake_conversion_steps('event', 'id', 5);
ALTER TABLE e2 ALTER id DROP DEFAULT;
\t on
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5) WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
SELECT short(statement) FROM snowflake_conversion_steps('event', 'id', 5) ORDER BY step;
-- before the last step, which creates the indexes that are missing, unless they are large
CREATE TABLE e6 PARTITION OF event FOR VALUES FROM (6) TO (7) PARTITION BY LIST (day);
CREATE TABLE e6_6 PARTITION OF e6 FOR VALUES IN (6);
CREATE TABLE d6 PARTITION OF detail FOR VALUES IN (6);
INSERT INTO event (day, note) VALUES (6, 'late');
CREATE TABLE e7 PARTITION OF event FOR VALUES FROM (7) TO (8);
INSERT INTO event (day, note) SELECT 7, repeat('x', 1000) FROM generate_series(1, 4500);
CALL _convert_live('finish', 'event', 'id', 'bigint', '1 s', node => 5, layout => 'twitter');
SELECT short(statement) FROM snowflake_conversion_steps('event', 'id', 5) ORDER BY step;
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5) WHERE statement LIKE 'CREATE%' \gexec

--
-- The columns are replaced without reading rows, then the foreign keys are validated
--
CREATE FUNCTION scans() RETURNS bigint LANGUAGE sql AS $$
    SELECT sum(seq_scan) FROM pg_stat_xact_user_tables WHERE schemaname = 'events' AND relname ~ '^[ed][0-9]'
$$;
CREATE PROCEDURE finish_once(INOUT scans bigint) LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
BEGIN
    LOOP
        COMMIT;
        before := scans();
        EXIT WHEN _live_finish('event', 'id', 'bigint', '1 s', 5, 'twitter') IS NULL;
        EXIT WHEN to_regclass(_live_late('event', 'id')) IS NOT NULL;
    END LOOP;
    scans := scans() - before;
END $$;
CALL finish_once(NULL);
SELECT count(*) > 0 AS not_validated FROM pg_constraint WHERE contype = 'f' AND connamespace = 'events'::regnamespace AND conparentid = 0 AND NOT convalidated;
-- A partition that is created now gets its foreign key, too.
CREATE TABLE d7 PARTITION OF detail FOR VALUES IN (7);
INSERT INTO detail (event, day, n) SELECT id, day, 1 FROM event WHERE day = 7 LIMIT 1;
INSERT INTO detail (event, day, n) VALUES (777, 6, 1);
SELECT short(statement) FROM snowflake_conversion_steps('event', 'id', 5);
CALL undo_conversion('event', 'id');
SELECT statement FROM snowflake_conversion_steps('event', 'id', 5) \gexec
SELECT fact FROM facts('events') WHERE fact ~ '^(detail|event|[de][1267])' AND fact ~ '\|(event|id)\||KEY|INDEX' ORDER BY fact COLLATE "C";
SELECT short(name) AS "left" FROM (SELECT relname FROM pg_class UNION ALL SELECT attname FROM pg_attribute WHERE NOT attisdropped UNION ALL SELECT conname FROM pg_constraint UNION ALL SELECT proname FROM pg_proc) AS s (name) WHERE name LIKE '\_objectid\_ext\_%';
SELECT count(*), count(DISTINCT id), sum(id) FILTER (WHERE id < 1000) FROM event;

--
-- Undone, the schema is as it was; also that of partitions that came or went
--
SET client_min_messages = warning;
DROP TABLE event, detail, d1, e2 CASCADE;
RESET client_min_messages;
CREATE TABLE event (_id text, day int, note text, PRIMARY KEY (_id, day)) PARTITION BY LIST (day);
CREATE TABLE e1 PARTITION OF event FOR VALUES IN (1);
CREATE TABLE e2 PARTITION OF event FOR VALUES IN (2);
CREATE INDEX ON event (note, _id);
CREATE TABLE detail (event char(24), day int, FOREIGN KEY (event, day) REFERENCES event) PARTITION BY LIST (day);
CREATE TABLE d1 PARTITION OF detail FOR VALUES IN (1);
INSERT INTO event SELECT objectid_floor('2026-01-01 00:00:00+00'::timestamptz + g * interval '1 s')::text, 1 + g % 2, g FROM generate_series(1, 100) AS g;
INSERT INTO detail SELECT _id, day FROM event WHERE day = 1;
CREATE TABLE parts_test.before AS SELECT * FROM facts('events');
\t on
SELECT statement FROM objectid_conversion_steps('event', '_id') WHERE statement NOT LIKE '%finish%' ORDER BY step \gexec
\t off
CREATE TABLE e3 PARTITION OF event FOR VALUES IN (3) PARTITION BY LIST (day);
CREATE TABLE e3_3 PARTITION OF e3 FOR VALUES IN (3);
ALTER TABLE event DETACH PARTITION e2;
CALL undo_conversion('event', '_id');
ALTER TABLE event DETACH PARTITION e3;
DROP TABLE e3;
ALTER TABLE event ATTACH PARTITION e2 FOR VALUES IN (2);
SELECT fact FROM (SELECT fact FROM facts('events') EXCEPT ALL SELECT fact FROM before) AS f;
SELECT fact FROM (SELECT fact FROM before EXCEPT ALL SELECT fact FROM facts('events')) AS f;
\t on
SELECT statement FROM objectid_conversion_steps('event', '_id') ORDER BY step \gexec
\t off
SELECT pg_typeof(_id)::text, pg_typeof(event)::text, e.day, count(*) FROM event AS e LEFT JOIN detail AS d ON d.event = _id GROUP BY 1, 2, 3 ORDER BY 3;
SELECT * FROM objectid_conversion_steps('event', '_id');

--
-- What stands in the way
--
CREATE TABLE a (id serial, day int, PRIMARY KEY (id, day)) PARTITION BY LIST (day);
CREATE TABLE a1 PARTITION OF a FOR VALUES IN (1);
UPDATE pg_inherits SET inhdetachpending = true WHERE inhrelid = 'a1'::regclass;
SELECT * FROM snowflake_conversion_steps('a', 'id', 5);
UPDATE pg_inherits SET inhdetachpending = false WHERE inhrelid = 'a1'::regclass;
SELECT * FROM snowflake_conversion_steps('a1', 'id', 5);
CREATE INDEX incomplete ON ONLY a (id);
SELECT * FROM snowflake_conversion_steps('a', 'id', 5);
DROP INDEX incomplete;
CREATE TABLE b (a int, day int) PARTITION BY LIST (day);
CREATE TABLE b1 PARTITION OF b FOR VALUES IN (1);
ALTER TABLE b1 ADD FOREIGN KEY (a, day) REFERENCES a;
SELECT * FROM snowflake_conversion_steps('a', 'id', 5);
ALTER TABLE b1 DROP CONSTRAINT b1_a_day_fkey;
ALTER TABLE b ADD FOREIGN KEY (a, day) REFERENCES a;
-- before PostgreSQL 18, a key between many partitions
DO $$ BEGIN FOR g IN 2 .. 32 LOOP EXECUTE format('CREATE TABLE a%1$s PARTITION OF a FOR VALUES IN (%1$s); CREATE TABLE b%1$s PARTITION OF b FOR VALUES IN (%1$s)', g); END LOOP; END $$;
SELECT count(*) = CASE WHEN current_setting('server_version_num')::int < 180000 THEN 1 ELSE 0 END AS refused
FROM conversion_plan('a', 'id') WHERE detail LIKE 'foreign key constraint "b_a_day_fkey" refers from 32 partitions to 32 partitions%';
DROP TABLE a, b;
CREATE TABLE a (id serial, day int, PRIMARY KEY (id, day)) PARTITION BY LIST (id);
SELECT * FROM snowflake_conversion_steps('a', 'id', 5);
DROP TABLE a;

SET client_min_messages = warning;
DROP SCHEMA parts_test, events CASCADE;
DROP ROLE regress_parts_reader;
