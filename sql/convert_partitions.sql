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
        -- which partitions a key refers to is PostgreSQL's affair; before 18, they stay not validated
        SELECT concat_ws('|', conrelid::regclass, conname, CASE WHEN conparentid = 0 OR conrelid NOT IN (SELECT conrelid FROM pg_constraint p WHERE p.oid = c.conparentid) THEN pg_get_constraintdef(oid) END, convalidated OR conparentid <> 0, coninhcount, conislocal, conparentid <> 0, obj_description(oid, 'pg_constraint'))
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
DROP SCHEMA parts_test, wanted, "Live ""1""" CASCADE;
DROP ROLE regress_parts_reader;
