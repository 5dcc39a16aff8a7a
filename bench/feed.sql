-- A feed: writers, and a reader that polls settled_snowflake().  bench/run
-- starts them.

CREATE SEQUENCE feed;
CREATE TABLE feed_row (id bigint PRIMARY KEY DEFAULT next_snowflake('feed', 5, 'twitter'), n int);

-- The cost of a call in this backend, net of that of "nothing"
CREATE PROCEDURE time_settled(name text, round int, calls int)
LANGUAGE plpgsql AS $$
DECLARE
    began bigint := bench_processor_time();
    middle bigint;
    upto bigint;
BEGIN
    FOR i IN 1 .. calls LOOP
        PERFORM bench_nothing(i);
    END LOOP;
    middle := bench_processor_time();
    FOR i IN 1 .. calls LOOP
        CALL settled_snowflake('feed', upto);
    END LOOP;
    INSERT INTO figure (subject, metric, name, round, value)
    VALUES ('feed', 'us of processor time a call', name, round,
            ((bench_processor_time() - middle) - (middle - began)) / 1e3 / calls);
END;
$$;
