-- The table and the settings of the tests of plans

-- Two years of ids, one per hour
CREATE TABLE plan_event (id objectid PRIMARY KEY, n int);
INSERT INTO plan_event
SELECT (left(objectid_floor(timestamptz '2025-01-01 00:00:00+00' + i * interval '1 hour')::text, 8) || left(md5(i::text), 16))::objectid, i
FROM generate_series(0, 17519) AS i;
-- While a transaction from before is running, such as one of autovacuum, or its snapshot is
-- in use, pages are not marked as visible to all, and index-only scans cost more.
DO $$
DECLARE
    now xid := pg_snapshot_xmax(pg_current_snapshot())::xid;	-- without an id of its own, whose commit is asynchronous
BEGIN
    FOR try IN 1 .. 6000 LOOP
        PERFORM pg_stat_clear_snapshot();
        EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity
                              WHERE pid <> pg_backend_pid() AND greatest(age(backend_xid), age(backend_xmin)) > age(now));
        PERFORM pg_sleep(0.01);
    END LOOP;
END $$;
VACUUM ANALYZE plan_event;
-- The test checks index conditions, not costs, because the cost for now() depends
-- on the day of the test.
SET enable_bitmapscan = off;
SET enable_seqscan = off;

-- Some lines of a plan, because the others differ between server versions
CREATE FUNCTION pg_temp.plan_lines(query text, pattern text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
    line text;
BEGIN
    FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
        IF line ~ pattern THEN
            -- 17 calls it (InitPlan 1).col1, 19 (InitPlan expr_1).col1; and they know that a key is not null
            line := regexp_replace(trim(line), '\(InitPlan \w+\)\.col1', '$0');
            RETURN NEXT regexp_replace(line, '\(\(id IS NOT NULL\) AND (.*)\)$', '\1');
        END IF;
    END LOOP;
END $$;
