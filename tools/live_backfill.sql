----------------------------------------------------------------------
-- Existing tables under load: new ids from the times of the rows
----------------------------------------------------------------------

-- Existing rows get ids of their own past, from a column such as created_at, and
-- all columns that refer to them follow.  How a new id belongs to an old one is
-- stored in two tables beside the one that stores the progress:
--
-- - "past" has the ids of the rows that existed at first.  One statement fills it,
--   in a transaction of its own.  No statement of users writes it, so none waits for
--   that transaction.
-- - "recent" has all others.  The triggers insert them when they are needed, with
--   ids of now, from a clock sequence that replaces that of the column at the end.
--
-- If an old id is in both, "past" decides.  So an old id has one new id, whoever
-- asks, if the triggers of the shadow columns are created when all snapshots see
-- "past".  This is why its index is created concurrently: that waits for the end of
-- older snapshots.
--
-- No new id occurs twice:
--
-- - Rows are sorted by time and old id.  A row takes the first slot of its tick, or
--   the next one after that of the row before, whichever is later.  The slots of the
--   layout, counted through all ticks, never end, so a tick that is full continues in
--   the next one.
-- - The clock sequence begins with a tick when the table is locked to create the
--   first trigger.  Slots before that tick are of "past" alone.  Rows whose slot
--   would be later get their ids from the clock sequence, in their order.
--
-- What the first trigger misses only gets an id of now: for a value that is in
-- neither table, the triggers of the shadow columns insert one, also if no row has
-- it, because a foreign key can be deferred, or not valid.
--
-- A new id depends on the old id alone, not on the partition of a row, nor on other
-- columns of a key.  So partitions are converted as in any conversion, except:
--
-- - The unique index of a partitioned table does not prevent that rows of two
--   partitions have the same id.  So all ids are compared before the new ones are
--   computed.
-- - A row that moves to another partition is deleted and inserted.  If it moves between
--   the first trigger and "past", it gets an id of now.  So do rows of a partition that
--   is attached before there are shadow columns.
-- - A partition that is detached has no trigger any more, and no constraint compares
--   its shadow columns with the new ids.  If it still takes part, it is filled again.

-- Tells the functions for conversions that the values change, too

CREATE DOMAIN objectid_ext_tools._backfilled AS bigint;
COMMENT ON DOMAIN objectid_ext_tools._backfilled IS 'internal: bigint, as the type to which a conversion changes columns that get new values';

CREATE FUNCTION objectid_ext_tools._backfill_definition(created_at name, time_zone text, node integer, layout snowflake_layout) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('objectid_ext_tools: new ids from column "%s"%s, node %s, layout %s', created_at, ' in time zone ' || time_zone, coalesce(node::text, 'of the server'), layout)
    WHERE created_at IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_definition(name, text, integer, snowflake_layout) IS 'internal: comment of the table that stores new ids, which must not change during a conversion';

-- First the tables, then the trigger that inserts ids of new rows into "recent".  It
-- fires after the row was inserted, so never for a row that exists, and reads no table.

CREATE FUNCTION objectid_ext_tools._backfill_create(
    "table" regclass,
    "column" name,
    node integer,
    layout snowflake_layout,
    definition text
) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    ids_schema text := objectid_ext_tools._ids_schema();
    owner name := (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = "table");
BEGIN
    EXECUTE format('CREATE TABLE %s_recent (old_id bigint PRIMARY KEY, new_id bigint NOT NULL)', state);
    EXECUTE format('CREATE SEQUENCE %s_ids', state);
    EXECUTE format('ALTER SEQUENCE %s_ids OWNER TO %I', state, owner);
    EXECUTE format('ALTER TABLE %s_recent OWNER TO %I', state, owner);
    EXECUTE format('ALTER SEQUENCE %1$s_ids OWNED BY %1$s_recent.new_id', state);
    PERFORM objectid_ext_tools._live_revoke('pg_class', to_regclass(state || suffix)) FROM unnest(ARRAY['_recent', '_ids']) AS suffix;
    EXECUTE format('ALTER TABLE %1$s_recent ALTER COLUMN new_id SET DEFAULT %2$s.next_snowflake(%3$L::regclass, %4$s, %5$L::%2$s.snowflake_layout)',
                   state, ids_schema, state || '_ids', coalesce(node::text, ids_schema || '.snowflake_node_id()'), layout);
    EXECUTE format('COMMENT ON TABLE %s_recent IS %L', state, definition);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_create(regclass, name, integer, snowflake_layout, text) IS 'internal: creates the table and the sequence of ids that are not in the past';

-- The function writes tables that users may not write, and finds rows by index,
-- also while the statistics say that "recent" is empty.  It calls a function of the
-- extension, which therefore cannot be dropped meanwhile.

CREATE FUNCTION objectid_ext_tools._backfill_create_trigger(relation regclass, firing text, body text) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM objectid_ext_tools._live_create_trigger(relation, firing, 'SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off', body);
    EXECUTE (SELECT format('ALTER FUNCTION %s DEPENDS ON EXTENSION objectid_ext_tools', tgfoid::regprocedure)
             FROM pg_trigger WHERE tgrelid = relation AND tgname = '~objectid_ext_conversion');
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_create_trigger(regclass, text, text) IS 'internal: creates or replaces the trigger of a conversion that changes values';

-- Before there are shadow columns, the trigger of the key notes new ids.

CREATE FUNCTION objectid_ext_tools._backfill_key_body("column" name, state text) RETURNS text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format(
        'BEGIN %3$sIF NEW.%1$I IS NOT NULL THEN IF TG_OP = ''INSERT'' OR NEW.%1$I IS DISTINCT FROM OLD.%1$I THEN %4$s'
        'INSERT INTO %2$s_recent (old_id) VALUES (NEW.%1$I) ON CONFLICT DO NOTHING;'
        ' END IF; END IF; RETURN NEW; END', "column", state,
        objectid_ext_tools._backfill_check_types("column", '{smallint,integer,bigint}'), objectid_ext_tools._backfill_guard(ARRAY[state || '_recent']))
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_key_body(name, text) IS 'internal: body of the trigger that gives new rows ids of now';

CREATE FUNCTION objectid_ext_tools._backfill_begin("table" regclass, "column" name, layout snowflake_layout, max_wait interval) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    first bigint;
BEGIN
    PERFORM objectid_ext_tools._live_lock_trees(ARRAY["table"], 'SHARE UPDATE EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._live_check_apart(objectid_ext_tools._live_tree(ARRAY["table"]), state);
    PERFORM objectid_ext_tools._live_lock_trees(ARRAY["table"], 'ACCESS EXCLUSIVE', max_wait);
    PERFORM objectid_ext_tools._backfill_create_trigger("table", format('AFTER INSERT OR UPDATE OF %I', "column"), objectid_ext_tools._backfill_key_body("column", state));
    EXECUTE format('SELECT greatest(1, %s.snowflake_floor($1, $2))', objectid_ext_tools._ids_schema()) INTO first USING clock_timestamp(), layout;
    EXECUTE format('ALTER SEQUENCE %s_ids START %s RESTART', state, first);
    EXECUTE format('INSERT INTO %s (relation) VALUES ($1)', state) USING "table";
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_begin(regclass, name, snowflake_layout, interval) IS 'internal: creates the trigger that gives new rows ids of now, which begin with the next tick';

-- A value that is no key of a row needs a new id, too, if its foreign key does not
-- check it.  If the triggers found that out, two sessions that update several such
-- rows could wait for each other.

CREATE FUNCTION objectid_ext_tools._backfill_fill_others("table" regclass, "column" name, state text, node integer, layout snowflake_layout) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    each record;
BEGIN
    FOR each IN
        SELECT DISTINCT l.relation, l.attribute
        FROM objectid_ext_tools._live_columns("table", "column", 'objectid_ext_tools._backfilled') l
             JOIN pg_attribute a ON a.attrelid = l.relation AND a.attname = l.attribute
             JOIN pg_constraint c ON contype = 'f' AND conrelid = l.relation AND a.attnum = ANY (conkey)
        WHERE NOT l.inherited AND (NOT convalidated OR cardinality(conkey) > 1)
    LOOP
        PERFORM objectid_ext_tools._check_owner(objectid_ext_tools._live_tree(ARRAY[each.relation]));
        EXECUTE format('INSERT INTO %1$s_past SELECT id, %2$s.next_snowflake(%3$L::regclass, $1, $2)'
                       ' FROM (SELECT DISTINCT %4$I::bigint AS id FROM %5$s WHERE %4$I IS NOT NULL) AS t'
                       ' WHERE NOT EXISTS (SELECT FROM %1$s_past AS p WHERE p.old_id = t.id) AND NOT EXISTS (SELECT FROM %1$s_recent AS r WHERE r.old_id = t.id)',
                       state, objectid_ext_tools._ids_schema(), state || '_ids', each.attribute, each.relation)
            USING node, layout;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_fill_others(regclass, name, text, integer, snowflake_layout) IS 'internal: gives values that refer to no row ids of now';

-- A tick has a time field, and so it is a division: the lowest id of a tick by the
-- number of ids in a tick.

CREATE FUNCTION objectid_ext_tools._backfill_fill("table" regclass, "column" name, node integer, layout snowflake_layout, created_at name, time_zone text) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    ids_schema text := objectid_ext_tools._ids_schema();
    facts record;
    first bigint := (SELECT seqstart FROM pg_sequence WHERE seqrelid = (state || '_ids')::regclass);
    tick_ids bigint;
BEGIN
    PERFORM set_config('work_mem', current_setting('maintenance_work_mem'), true);
    EXECUTE format('CREATE TABLE %s_past (old_id bigint NOT NULL, new_id bigint NOT NULL)', state);
    EXECUTE format('ALTER TABLE %s_past OWNER TO %I', state, (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = "table"));
    PERFORM objectid_ext_tools._live_revoke('pg_class', to_regclass(state || '_past'));
    PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._past_row_obstacles("table", "column", created_at, time_zone, layout) AS o));
    SELECT * INTO facts FROM objectid_ext_tools._layout_facts(layout);
    tick_ids := facts.slots * (facts.max_node + 1);
    EXECUTE format(
        'INSERT INTO %1$s_past'
        ' SELECT id, CASE WHEN slot < $1 / $2 * $3 THEN slot / $3 * $2 + %2$s.make_snowflake(%2$s.snowflake_timestamp(0::bigint, $5), $4, (slot %% $3)::integer, $5)'
        '                 ELSE %2$s.next_snowflake(%3$L::regclass, $4, $5) END'
        ' FROM (SELECT id, n + max(earliest - n) OVER (ORDER BY created, id ROWS UNBOUNDED PRECEDING) AS slot'
        '       FROM (SELECT id, created, %2$s.make_snowflake(created, 0, 0, $5) / $2 * $3 AS earliest, row_number() OVER (ORDER BY created, id) AS n'
        '             FROM (SELECT %4$I::bigint AS id, %5$I::timestamptz AS created FROM %6$s AS t'
        '                   WHERE %4$I IS NOT NULL AND NOT EXISTS (SELECT FROM %1$s_recent AS r WHERE r.old_id = t.%4$I)) AS t) AS t) AS t',
        state, ids_schema, state || '_ids', "column", created_at, "table")
        USING first, tick_ids, facts.slots, node, layout;
    PERFORM objectid_ext_tools._backfill_fill_others("table", "column", state, node, layout);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_fill(regclass, name, integer, snowflake_layout, name, text) IS 'internal: gives existing rows ids of their past, in the order of their times';

CREATE FUNCTION objectid_ext_tools._backfill_step(
    "table" regclass,
    "column" name,
    max_wait interval,
    node integer,
    layout snowflake_layout,
    created_at name,
    time_zone text
) RETURNS float8
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET client_min_messages = warning
SET default_table_access_method = heap
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    own_node integer := node;
BEGIN
    PERFORM objectid_ext_tools._live_check_family("table", "column", 'objectid_ext_tools._backfilled');
    IF to_regclass(state || '_past') IS NOT NULL THEN
        RETURN NULL;
    END IF;
    IF objectid_ext_tools._live_found(state) IS NULL THEN
        -- this checks, too
        PERFORM objectid_ext_tools._live_begin("table", "column", 'objectid_ext_tools._backfilled', max_wait);
        PERFORM objectid_ext_tools._backfill_create("table", "column", node, layout,
                                                    objectid_ext_tools._backfill_definition(created_at, time_zone, node, layout));
        RETURN 0;
    END IF;
    IF NOT EXISTS (SELECT FROM objectid_ext_tools._live_progress(to_regclass(state)) AS s WHERE s.relation = "table") THEN
        PERFORM objectid_ext_tools._backfill_begin("table", "column", layout, max_wait);
        RETURN 0;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
                   WHERE tgrelid = "table" AND tgname = '~objectid_ext_conversion' AND prosrc = objectid_ext_tools._backfill_key_body("column", state)) THEN
        -- renamed meanwhile
        PERFORM objectid_ext_tools._live_lock_trees(ARRAY["table"], 'ACCESS EXCLUSIVE', max_wait);
        PERFORM objectid_ext_tools._backfill_create_trigger("table", format('AFTER INSERT OR UPDATE OF %I', "column"), objectid_ext_tools._backfill_key_body("column", state));
        RETURN 0;
    END IF;
    IF node IS NULL THEN
        EXECUTE format('SELECT %s.snowflake_node_id()', objectid_ext_tools._ids_schema()) INTO own_node;
    END IF;
    PERFORM objectid_ext_tools._live_limit_wait(max_wait);
    PERFORM objectid_ext_tools._backfill_fill("table", "column", own_node, layout, created_at, time_zone);
    RETURN NULL;
EXCEPTION
    WHEN lock_not_available OR deadlock_detected THEN
        RETURN extract(epoch FROM max_wait) * (0.5 + random());
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_step(regclass, name, interval, integer, snowflake_layout, name, text) IS 'internal: one transaction of the phase that computes new ids; returns the seconds to wait before the next, and NULL at the end';

CREATE PROCEDURE objectid_ext_tools._backfill_ids(
    "table" regclass,
    "column" name,
    max_wait interval,
    node integer,
    layout snowflake_layout,
    created_at name,
    time_zone text
)
LANGUAGE plpgsql
AS $$
DECLARE
    pause pg_catalog.float8;
BEGIN
    PERFORM objectid_ext_tools._live_check_family("table", "column", 'objectid_ext_tools._backfilled'::pg_catalog.regtype);
    PERFORM objectid_ext_tools._live_claim("table", "column", true);
    LOOP
        COMMIT;
        SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
        pause := objectid_ext_tools._backfill_step("table", "column", max_wait, node, layout, created_at, time_zone);
        EXIT WHEN pause IS NULL;
        COMMIT;
        PERFORM pg_catalog.pg_sleep(pause);
    END LOOP;
END;
$$;
COMMENT ON PROCEDURE objectid_ext_tools._backfill_ids(regclass, name, interval, integer, snowflake_layout, name, text) IS 'internal: computes the new ids of existing rows';

-- The shadow columns.  An old id that has no new one gets one of now.

CREATE FUNCTION objectid_ext_tools._backfill_assignment(state text, attribute name, shadow name) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('%4$s%5$sIF TG_OP = ''UPDATE'' AND NEW.%2$I = OLD.%2$I AND OLD.%3$I IS NOT NULL THEN NEW.%3$I := OLD.%3$I;'
                  ' ELSIF NEW.%2$I IS NULL THEN NEW.%3$I := NULL;'
                  ' ELSE %6$s'
                  'NEW.%3$I := (SELECT p.new_id FROM %1$s_past AS p WHERE p.old_id = NEW.%2$I);'
                  ' IF NEW.%3$I IS NULL THEN NEW.%3$I := (SELECT r.new_id FROM %1$s_recent AS r WHERE r.old_id = NEW.%2$I); END IF;'
                  ' IF NEW.%3$I IS NULL THEN'
                  ' INSERT INTO %1$s_recent (old_id) VALUES (NEW.%2$I) ON CONFLICT DO NOTHING;'
                  ' NEW.%3$I := (SELECT r.new_id FROM %1$s_recent AS r WHERE r.old_id = NEW.%2$I);'
                  ' END IF; END IF; ', state, attribute, shadow,
                  objectid_ext_tools._backfill_check_types(attribute, '{smallint,integer,bigint}'), objectid_ext_tools._backfill_check_types(shadow, '{bigint}'),
                  objectid_ext_tools._backfill_guard(ARRAY[state || '_past', state || '_recent']))
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_assignment(text, name, name) IS 'internal: statements of a trigger that set a shadow column to the new id';

-- The index of "past", whatever its name is: another role can have taken a name

CREATE FUNCTION objectid_ext_tools._backfill_index(state text, OUT index regclass, OUT usable boolean)
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT indexrelid, indisvalid FROM pg_index WHERE indrelid = to_regclass(state || '_past') AND indisunique ORDER BY indisvalid DESC LIMIT 1
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_index(text) IS 'internal: index of the table of new ids of the past, and whether it is valid';

CREATE FUNCTION objectid_ext_tools._backfill_check_complete(state text, relation regclass) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF (SELECT i.usable IS NOT TRUE FROM objectid_ext_tools._backfill_index(state) AS i) THEN
        RAISE EXCEPTION 'new ids for table % are not complete', relation
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call snowflake_conversion_steps() again, for the steps that remain.';
    END IF;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_check_complete(text, regclass) IS 'internal: raises an error if a session can have a snapshot that does not see the new ids of the past';

-- No constraint compares a shadow column with the new ids.  A trigger of a user that
-- fired after ours could have changed a value, even if it has another name now or was
-- dropped.  So the last step compares all rows before it locks the tables, at least
-- once in each call, and again if triggers have changed since.  The comment tells that
-- it has.

CREATE FUNCTION objectid_ext_tools._backfill_verify("table" regclass, "column" name, tables regclass[]) RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    mark text := (SELECT format('compared %s %s %s', pg_backend_pid(), statement_timestamp(),
                                md5(string_agg(concat_ws(' ', ctid, xmin), ',' ORDER BY ctid)))
                  FROM pg_trigger WHERE tgrelid = ANY (tables) AND NOT tgisinternal);
    each record;
    wrong text;
BEGIN
    IF obj_description((state || '_past')::regclass, 'pg_class') = mark THEN
        RETURN false;
    END IF;
    FOR each IN SELECT * FROM objectid_ext_tools._live_columns("table", "column", 'objectid_ext_tools._backfilled') WHERE NOT inherited ORDER BY relation, attribute LOOP
        -- another role can have created one that refers to the key since
        PERFORM objectid_ext_tools._check_owner(objectid_ext_tools._live_tree(ARRAY[each.relation]));
        EXECUTE format('SELECT t.%1$I FROM %2$s AS t LEFT JOIN %3$s_past AS p ON p.old_id = t.%1$I LEFT JOIN %3$s_recent AS r ON r.old_id = t.%1$I'
                       ' WHERE t.%4$I IS DISTINCT FROM coalesce(p.new_id, r.new_id) LIMIT 1', each.attribute, each.relation, state, each.shadow) INTO wrong;
        IF wrong IS NOT NULL THEN
            RAISE EXCEPTION 'value % in column "%" of table % does not have its new id', wrong, each.attribute, each.relation
                USING ERRCODE = 'data_corrupted', HINT = 'Use undo_conversion().';
        END IF;
    END LOOP;
    PERFORM objectid_ext_tools._past_check_referring("table", "column");
    EXECUTE format('COMMENT ON TABLE %s_past IS %L', state, mark);
    RETURN true;
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_verify(regclass, name, regclass[]) IS 'internal: compares the shadow columns with the new ids, unless that has been done; raises an error if one differs; true if it has compared them';

CREATE FUNCTION objectid_ext_tools._backfill_highest("table" regclass, "column" name) RETURNS bigint
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN objectid_ext_tools._last_value((objectid_ext_tools._live_state("table", "column") || '_ids')::regclass);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_highest(regclass, name) IS 'internal: highest new id of a conversion';

CREATE FUNCTION objectid_ext_tools._backfill_drop(state text) RETURNS SETOF text
LANGUAGE sql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT format('DROP TABLE %s', name) FROM unnest(ARRAY[state || '_past', state || '_recent']) AS name WHERE to_regclass(name) IS NOT NULL
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_drop(text) IS 'internal: statements that drop the tables of new ids';

-- The statements: those of any conversion, and before them those that compute the
-- new ids.

CREATE FUNCTION objectid_ext_tools._backfill_steps(
    "table" regclass,
    "column" name,
    node integer,
    layout snowflake_layout,
    max_wait interval,
    rows_per_second integer,
    created_at name,
    time_zone text,
    path text
) RETURNS SETOF text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    state text := objectid_ext_tools._live_state("table", "column");
    name_of_index text;
    usable boolean;
BEGIN
    -- raise an error if there can be no id of this node and layout
    EXECUTE format('SELECT %1$s.make_snowflake($1, coalesce($2, %1$s.snowflake_node_id()), 0, $3)', objectid_ext_tools._ids_schema())
        USING clock_timestamp(), node, layout;
    IF to_regclass(state || '_past') IS NULL THEN
        PERFORM objectid_ext_tools._raise(ARRAY(SELECT o FROM objectid_ext_tools._past_row_obstacles("table", "column", created_at, time_zone, layout) AS o));
        RETURN NEXT format('CALL objectid_ext_tools._backfill_ids(%L, %L, ''%s ms'', node => %s, layout => %L, created_at => %L, time_zone => %L)',
                           "table", "column", (1000 * extract(epoch FROM max_wait))::bigint, coalesce(node::text, 'NULL'), layout, created_at, time_zone);
    END IF;
    SELECT i.index, i.usable INTO name_of_index, usable FROM objectid_ext_tools._backfill_index(state) AS i;
    IF NOT usable THEN
        RETURN NEXT format('DROP INDEX CONCURRENTLY %s', name_of_index);
    END IF;
    IF usable IS NOT TRUE THEN
        RETURN NEXT format('CREATE UNIQUE INDEX CONCURRENTLY ON %s_past (old_id)', state);
    END IF;
    RETURN QUERY SELECT objectid_ext_tools._live_steps("table", "column", 'objectid_ext_tools._backfilled', max_wait, rows_per_second, node, layout, path);
END;
$$;
COMMENT ON FUNCTION objectid_ext_tools._backfill_steps(regclass, name, integer, snowflake_layout, interval, integer, name, text, text) IS 'internal: statements of the steps that remain of a conversion with ids from the past';
