-- What the tests of conversions under load compare
-- Everything that a conversion can change, but the order of columns
CREATE FUNCTION facts(schema regnamespace) RETURNS TABLE (fact text) LANGUAGE plpgsql AS $$
BEGIN
    FOR fact IN
        SELECT concat_ws('|', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, nullif(attstattarget, -1), attinhcount, attislocal,
                         (SELECT string_agg(o, ',') FROM unnest(attoptions) AS o WHERE o LIKE 'n\_%'),
                         pg_get_expr(adbin, adrelid), attacl, col_description(attrelid, attnum))
        FROM pg_attribute JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relnamespace = schema AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
        UNION ALL
        SELECT concat_ws('|', c.oid::regclass, relkind, relpersistence, relreplident, pg_get_userbyid(relowner), relacl, reloptions, obj_description(c.oid, 'pg_class'), pg_get_indexdef(indexrelid),
                         indisvalid, indisprimary, indimmediate, indisclustered, indisreplident, pg_get_expr(relpartbound, c.oid),
                         (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = indexrelid AND attname <> 'expr'),
                         (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = c.oid))
        FROM pg_class c LEFT JOIN pg_index ON indexrelid = c.oid WHERE relnamespace = schema
        UNION ALL
        -- PostgreSQL names inherited NOT NULL, and what stands for the partitions that a key refers to, which before 18 stays not validated
        SELECT concat_ws('|', conrelid::regclass, CASE WHEN contype <> 'n' OR coninhcount = 0 THEN conname END, CASE WHEN conparentid = 0 OR conrelid NOT IN (SELECT conrelid FROM pg_constraint p WHERE p.oid = c.conparentid) THEN pg_get_constraintdef(oid) END, convalidated OR conparentid <> 0, coninhcount, conislocal OR contype = 'n', conparentid <> 0, obj_description(oid, 'pg_constraint'))
        FROM pg_constraint c WHERE connamespace = schema
        UNION ALL
        SELECT concat_ws('|', tgrelid::regclass, CASE WHEN tgisinternal THEN 'foreign key' ELSE tgname END, tgenabled, tgattr, tgdeferrable, tginitdeferred)
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
