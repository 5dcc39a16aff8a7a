-- ===== Live conversions, second step: filling the shadow columns =====

-- The shadow columns of a table.
CREATE FUNCTION _shadow_names("table" regclass) RETURNS SETOF name
LANGUAGE sql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT attname FROM pg_attribute
    WHERE attrelid = "table" AND attname ~ '^_objectid_ext_[0-9]+$' AND NOT attisdropped
    ORDER BY attnum
$$;

-- Fills the shadow columns of some rows behind a place, which becomes that of the last; the
-- begin of the table if rows were locked; or null if none is left; pause is in seconds.  The rows
-- that existed at the beginning are in the first pages of the table.  A row that is locked is
-- skipped, and found by the next search; if its transaction updates it, the trigger fills it.  A
-- batch takes as long as a client can wait for its rows.  The application_name tells the place:
-- more bytes than type name takes would give a notice for each batch.
CREATE FUNCTION _fill_batch("table" regclass, pages bigint, rows_per_second integer,
    INOUT place tid, INOUT most integer, OUT pause float8) RETURNS record
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET jit = off SET row_security = off AS $$
DECLARE
    began CONSTANT timestamptz := clock_timestamp();
    unfilled CONSTANT text := (
        SELECT string_agg(format('%I IS NULL AND %I IS NOT NULL', s, attname), ' OR ')
        FROM _shadow_names("table") AS s
             JOIN pg_attribute
                 ON attrelid = "table" AND attnum = substring(s FROM '[0-9]+$')::smallint);
    bound CONSTANT tid := format('(%s,0)', pages);
    rows tid[];
    filled integer;
    took float8;
BEGIN
    EXECUTE format('SELECT array_agg(ctid)'
                   ' FROM (SELECT ctid FROM ONLY %s WHERE ctid > $1 AND ctid < $2 AND (%s)'
                   '       LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED) AS s', "table", unfilled)
        INTO rows USING place, bound, most;
    filled := coalesce(cardinality(rows), 0);
    pause := 0;
    IF filled > 0 THEN
        PERFORM set_config('synchronous_commit', 'off', true);
        IF EXISTS (SELECT FROM _update_triggers("table")) THEN
            PERFORM set_config('session_replication_role', 'replica', true);
        END IF;
        -- the trigger sets them
        EXECUTE format('UPDATE ONLY %s SET %I = NULL WHERE ctid = ANY ($1)', "table",
                       (SELECT s FROM _shadow_names("table") AS s LIMIT 1))
            USING rows;
        place := (SELECT max(t) FROM unnest(rows) AS t);
        PERFORM set_config('application_name',
            format('objectid_ext_tools: table %s, %s%%: %s', "table"::oid,
                   100 * ((place::text::point)[0])::bigint / greatest(pages, 1), "table")::name,
            false);
        took := greatest(extract(epoch FROM clock_timestamp() - began), 0);
        pause := greatest(filled::float8 / rows_per_second - took, 0);
    END IF;
    IF filled < most THEN
        EXECUTE format('SELECT ''(0,0)''::tid FROM ONLY %s WHERE ctid < $1 AND (%s) LIMIT 1',
                       "table", unfilled)
            INTO place USING bound;
        pause := greatest(pause, 0.2);
    ELSE
        most := CASE WHEN took > 0.05 THEN greatest(most / 2, 10)
                     WHEN took < 0.025 THEN least(most * 2, 10000)
                     ELSE most END;
    END IF;
END;
$$;

-- Fills the shadow columns of all rows of a conversion.  A procedure that commits cannot set its
-- search_path, so it names all schemas, and leaves computing to functions.
CREATE PROCEDURE _conversion_fill("table" regclass, rows_per_second integer)
LANGUAGE plpgsql AS $$
DECLARE
    application pg_catalog.text := pg_catalog.current_setting('application_name'::pg_catalog.text);
    tables pg_catalog.regclass[];
    sizes bigint[];
    place pg_catalog.tid;
    most integer;
    pause double precision;
    waits integer;
BEGIN
    IF pg_catalog.transaction_timestamp() OPERATOR(pg_catalog.<>)
       pg_catalog.statement_timestamp() THEN
        RAISE EXCEPTION 'a step of a conversion cannot run inside a transaction block'
            USING ERRCODE = 'active_sql_transaction', HINT = E'Use \\gexec without BEGIN.';
    END IF;
    PERFORM objectid_ext_tools._claim("table");
    SELECT pg_catalog.array_agg(u.relation), pg_catalog.array_agg(u.pages) INTO tables, sizes
    FROM objectid_ext_tools._unvalidated("table") AS u;
    FOR i IN 1 .. coalesce(pg_catalog.cardinality(tables), 0) LOOP
        place := '(0,0)';
        most := 500;
        waits := 0;
        LOOP
            SELECT b.place, b.most, b.pause INTO place, most, pause
            FROM objectid_ext_tools._fill_batch(tables[i], sizes[i], rows_per_second, place, most)
                 AS b;
            COMMIT;
            EXIT WHEN place IS NULL;
            IF place OPERATOR(pg_catalog.=) '(0,0)'::pg_catalog.tid THEN
                waits := waits OPERATOR(pg_catalog.+) 1;
                IF waits OPERATOR(pg_catalog.%) 10 OPERATOR(pg_catalog.=) 0 THEN
                    RAISE NOTICE 'rows of table % have been locked in % attempts', tables[i], waits
                        USING DETAIL = objectid_ext_tools._user_of(tables[i]);
                END IF;
                pause := pause OPERATOR(pg_catalog.+)
                         least(waits, 20)::double precision OPERATOR(pg_catalog./) 10;
            END IF;
            PERFORM pg_catalog.pg_sleep(pause);
        END LOOP;
    END LOOP;
    PERFORM pg_catalog.set_config('application_name'::pg_catalog.text, application, false);
END;
$$;
