-- ===== Documents of MongoDB from the lines of a file =====

-- Brackets that a text opens, less those that it closes, outside of strings.
CREATE FUNCTION _extjson_depth(part text) RETURNS int
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
    SELECT length(translate(bare, ']}', '')) - length(translate(bare, '[{', ''))
    FROM regexp_replace(part, $re$"(\\.|[^"\\])*"$re$, '', 'g') AS bare
$$;

-- The documents in some lines: one, several with commas between them, or an array.  Type json
-- takes what jsonb does not, such as \u0000, so one document does not spoil an array, and an
-- array can be larger than a jsonb.  A character beyond the server's encoding is an error of
-- class data_exception, but on PostgreSQL 15 and SQL_ASCII it is feature_not_supported.
CREATE FUNCTION _extjson_elements(lines text[], depth int) RETURNS TABLE (doc jsonb, problem text)
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    whole text;
    element record;
    detail text;
BEGIN
    whole := array_to_string(lines, E'\n');
    IF octet_length(whole) > 100000000 AND whole NOT LIKE '[%' THEN
        RAISE program_limit_exceeded USING MESSAGE = 'document is longer than 100 MB';
    ELSIF depth < 0 THEN                    -- the end of an array that began before
        whole := regexp_replace(whole, '[]][[:space:]]*$', '');
    END IF;
    IF depth <= 0 AND whole LIKE '{%' THEN
        whole := concat('[', rtrim(whole, E', \t\r'), ']');
    ELSIF whole NOT LIKE '[%' THEN
        PERFORM whole::json;
        RAISE data_exception USING MESSAGE = 'not a document';
    END IF;
    FOR element IN SELECT value::text AS text, n
                   FROM json_array_elements(whole::json) WITH ORDINALITY AS e (value, n) LOOP
        BEGIN
            IF element.text NOT LIKE '{%' THEN
                RAISE data_exception USING MESSAGE = 'not a document';
            ELSIF octet_length(element.text) > 100000000 THEN
                RAISE program_limit_exceeded USING MESSAGE = 'document is longer than 100 MB';
            END IF;
            doc := element.text::jsonb;
            problem := NULL;
        EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
            GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
            doc := NULL;
            problem := concat_ws(': ', 'element ' || nullif(element.n, 1), problem,
                                 nullif(detail, ''));
        END;
        RETURN NEXT;
    END LOOP;
EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
    GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
    doc := NULL;
    problem := concat_ws(': ', problem, nullif(detail, ''));
    RETURN NEXT;
END;
$$;

-- A line that looks like a whole document is tried as one.  Other documents end where their
-- brackets do.  One that does not must not take the following ones along: where a line begins
-- with "{" no farther to the right than it did, or is "}, {", there is another.  A line of our own
-- at the end, also after lines without a number, completes the last.
CREATE FUNCTION extjson_documents(lines regclass, OUT number bigint, OUT doc jsonb,
    OUT problem text) RETURNS SETOF record
LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, objectid_ext_tools, pg_temp AS $$
DECLARE
    longest CONSTANT int := 100000000;      -- core's btrim() takes nine times as much memory
    blanks CONSTANT text := E' \t\r' || CASE getdatabaseencoding() WHEN 'UTF8'
        THEN convert_from(decode('efbbbf', 'hex'), 'UTF8') ELSE '' END;     -- byte order mark
    line record;
    parts text[];
    size bigint;
    depth int := 0;
    margin int;
    begins boolean;
BEGIN
    FOR line IN EXECUTE format($q$
        SELECT number::bigint, part, strpos(line, left(part, 1)) AS margin, false AS is_end
        FROM (SELECT number, line, CASE WHEN line LIKE '{%%}' OR octet_length(line) > $2 THEN line
                                        ELSE btrim(line, $1) END AS part FROM %s) AS l
        WHERE part <> '' UNION ALL SELECT NULL, '{', 0, true ORDER BY is_end, number
    $q$, lines) USING blanks, longest LOOP
        begins := line.margin <= margin AND left(line.part, 64) ~ '^([[, ]*[{]|[]}]+ *, *[{]$)';
        IF begins AND depth > 0 AND line.part ~ '^[]}]' THEN
            parts := parts || rtrim(line.part, E'{, \t');
            depth := depth + _extjson_depth(rtrim(line.part, '{'));
            line.part := '{';
        END IF;
        IF parts IS NOT NULL AND (begins OR depth <= 0 OR size > longest) THEN
            RETURN QUERY SELECT number, * FROM _extjson_elements(parts, depth);
            parts := NULL;
        END IF;
        IF parts IS NULL THEN
            number := line.number;
            margin := line.margin;
            size := 0;
            depth := 0;
            line.part := CASE
                WHEN line.part LIKE '{%}' OR octet_length(line.part) > longest THEN line.part
                ELSE regexp_replace(btrim(line.part, E' \t,'), '^[[] *(.*[^]])$', E'\\1') END;
            CONTINUE WHEN line.part IN ('', '[', ']');
            BEGIN
                IF line.part LIKE '{%}' AND octet_length(line.part) <= longest THEN
                    doc := line.part::jsonb;
                    problem := NULL;
                    RETURN NEXT;
                    CONTINUE;
                END IF;
            EXCEPTION WHEN data_exception OR program_limit_exceeded OR feature_not_supported THEN
            END;
        END IF;
        parts := parts || line.part;
        size := size + octet_length(line.part);
        IF size <= longest AND (depth > 0 OR line.part LIKE '{%') THEN
            depth := depth + _extjson_depth(line.part);
        END IF;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION extjson_documents(regclass)
    IS 'the documents in the lines of a file of MongoDB, and why a document cannot be read';
