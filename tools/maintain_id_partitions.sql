-- ===== Partitions by the time of ids: maintaining them =====

-- Drops a partition, given as its series has it; an error unless it is an ordinary table
-- with bounds of whole minutes.  Bounds that are the first id of a whole minute were made for
-- this layout.  With others, a partition has numbers that are not ids, such as those of a serial
-- column, or ids of another layout.
CREATE FUNCTION _drop_partition(series _series, old _partition) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET timezone = 'UTC' AS $$
BEGIN
    IF old.kind <> 'r' THEN
        RAISE EXCEPTION '% is partitioned or a foreign table', old.partition
            USING ERRCODE = 'wrong_object_type';
    ELSIF (date_trunc('minute', old.lower), date_trunc('minute', old.upper),
           _id_floor(series.type, old.lower, series.layout),
           _id_floor(series.type, old.upper, series.layout))
          <> (old.lower, old.upper, old.lower_id, old.upper_id) THEN
        RAISE EXCEPTION 'bounds of % are not at whole minutes', old.partition
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    -- DROP TABLE alone fails if a foreign key refers to the parent
    EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', series.parent, old.partition)
            || CASE WHEN old.pending THEN ' FINALIZE' ELSE '' END;
    EXECUTE format('DROP TABLE %s', old.partition);
END;
$$;

-- Drops partitions whose ids are all older than a time, at most 100, or returns the problem of
-- each, how many remain, and rows in the default partition that are older.  Each that is dropped
-- is locked until the end of the transaction, and the memory for locks is that of all sessions.
CREATE FUNCTION _drop_partitions(series _series, older_than timestamptz) RETURNS TABLE (done text,
    partition text, lower timestamptz, upper timestamptz, problem text)
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    expired CONSTANT _partition[] := ARRAY(
        SELECT p FROM unnest(series.partitions) AS p WHERE p.upper <= older_than ORDER BY p.upper);
    old _partition;
    dropped integer := 0;
    tried integer := 0;
    detail text;
BEGIN
    FOREACH old IN ARRAY expired LOOP
        EXIT WHEN dropped = 100;
        tried := tried + 1;
        SELECT NULL, old.partition, old.lower, old.upper, NULL
            INTO done, partition, lower, upper, problem;
        BEGIN
            PERFORM _drop_partition(series, old);
            done := 'dropped';
            dropped := dropped + 1;
        EXCEPTION WHEN others THEN
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', problem, nullif(detail, ''));
        END;
        RETURN NEXT;
    END LOOP;
    RETURN QUERY
        SELECT NULL, NULL, NULL::timestamptz, older_than, p.problem FROM (VALUES
            (nullif(cardinality(expired) - tried, 0)
             || ' more partitions are older than the time to keep: call it again'),
            ('rows older than the time to keep are in the default partition: '
             || _default_rows(series, NULL, _id_floor(series.type, older_than, series.layout)))
        ) AS p (problem)
        WHERE p.problem IS NOT NULL;
END;
$$;

-- Time spans up to an instant that no partition contains, in intervals; none that are older than
-- another instant.  From the end of the last partition of the past, or else of the present, on:
-- the intervals continue those of the partition before, or begin with an hour, day, Monday or
-- month.  Other bounds than those of whole minutes are not of this series.
CREATE FUNCTION _missing_partitions(series _series, every interval, older_than timestamptz,
    upto timestamptz) RETURNS TABLE (lower timestamptz, upper timestamptz)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    present CONSTANT timestamptz := least(clock_timestamp(), upto);
    covered tstzmultirange;
    gap tstzrange;
    instant timestamptz;
    number integer := 0;
BEGIN
    SELECT coalesce(range_agg(tstzrange(p.lower, p.upper)), '{}'),
           greatest(coalesce(max(p.upper) FILTER (WHERE p.upper <= present
                                                  AND p.upper = date_trunc('minute', p.upper)),
                             present), older_than)
        INTO covered, instant
    FROM unnest(series.partitions) AS p WHERE NOT p.pending AND p.lower IS NOT NULL;
    FOR gap IN SELECT unnest('{(,)}' - covered) LOOP
        instant := greatest(instant, lower(gap));
        WHILE instant <@ gap AND instant <= upto LOOP
            number := number + 1;
            IF number > 1000 THEN
                RAISE EXCEPTION 'more than 1000 partitions of table % are missing', series.parent
                    USING ERRCODE = 'program_limit_exceeded',
                          HINT = 'Use a longer interval, or create_id_partitions() for one that '
                                 'contains the present.';
            END IF;
            SELECT greatest(p.lower, lower(gap)), least(p.upper, upper(gap)) INTO lower, upper
            FROM _period(every, CASE WHEN isfinite(lower(gap))
                                          AND lower(gap) = date_trunc('minute', lower(gap))
                                     THEN lower(gap) END, instant) AS p;
            RETURN NEXT;
            instant := upper;
        END LOOP;
    END LOOP;
END;
$$;

-- First what is dropped: that locks the parent, as a query does before it locks the
-- default partition.
CREATE FUNCTION maintain_id_partitions(parent regclass, every interval, ahead interval,
    keep interval DEFAULT NULL, layout snowflake_layout DEFAULT NULL, OUT done text,
    OUT partition text, OUT lower timestamptz, OUT upper timestamptz,
    OUT problem text) RETURNS SETOF record
LANGUAGE plpgsql SET search_path = pg_catalog, objectid_ext_tools, pg_temp
SET timezone = 'UTC' AS $$
DECLARE
    present CONSTANT timestamptz := clock_timestamp();
    older_than CONSTANT timestamptz := present - keep;
    series _series;
    detail text;
BEGIN
    IF ahead < '0' OR keep < '0' THEN
        RAISE EXCEPTION 'time ahead and time to keep must not be negative'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    parent := _check_partition_call(parent, every, coalesce(older_than, present), present + ahead);
    series := _partition_series(parent, layout);
    RETURN QUERY SELECT * FROM _drop_partitions(series, older_than);
    series.partitions := ARRAY(
        SELECT p FROM unnest(series.partitions) AS p
        WHERE EXISTS (SELECT FROM pg_inherits WHERE inhrelid = p.partition::oid));
    FOR done, partition, lower, upper, problem IN
        SELECT NULL, NULL, missing.*, NULL
        FROM _missing_partitions(series, every, older_than, present + ahead) AS missing
    LOOP
        BEGIN
            partition := _create_partition(series, lower, upper);
            done := 'created';
        EXCEPTION WHEN others THEN
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            problem := concat_ws(': ', problem, nullif(detail, ''));
        END;
        RETURN NEXT;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION maintain_id_partitions IS
    'drops partitions that are older than a time to keep (null: none), at most 100, and creates '
    'those from now to a time ahead, with the intervals of the existing ones; returns what was '
    'done (created or dropped; null if there was a problem) and problems: how many more are to be '
    'dropped, and rows in the default partition that are older than the time to keep, or of a new '
    'partition, among them; the caller is the owner; for the layout, see id_partitions()';
