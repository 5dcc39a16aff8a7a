-- CALL pg_temp.wait_until('condition'), for scripts that wait for replication.
CREATE PROCEDURE pg_temp.wait_until(condition text) LANGUAGE plpgsql AS $$
DECLARE
    reached boolean;
BEGIN
    LOOP
        EXECUTE 'SELECT ' || condition INTO reached;
        EXIT WHEN reached;
        PERFORM pg_catalog.pg_sleep(0.1);
    END LOOP;
END;
$$;
