/* extension/objectid_ext--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION objectid_ext" to load this file. \quit

----------------------------------------------------------------------
-- Type and I/O
----------------------------------------------------------------------

CREATE TYPE objectid;

CREATE FUNCTION objectid_in(cstring) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_in(cstring) IS 'I/O: 24 hexadecimal digits, bare or as ObjectId("..."), "...", {"$oid":"..."}';

CREATE FUNCTION objectid_out(objectid) RETURNS cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_out(objectid) IS 'I/O: 24 lower-case hexadecimal digits';

CREATE FUNCTION objectid_recv(internal) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_recv(internal) IS 'I/O: the 12 bytes';

CREATE FUNCTION objectid_send(objectid) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_send(objectid) IS 'I/O: the 12 bytes';

CREATE FUNCTION objectid_typanalyze(internal) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_typanalyze(internal) IS 'ANALYZE: core''s statistics with a finer histogram, for narrow ranges of time';

CREATE TYPE objectid (
    INPUT = objectid_in,
    OUTPUT = objectid_out,
    RECEIVE = objectid_recv,
    SEND = objectid_send,
    ANALYZE = objectid_typanalyze,
    INTERNALLENGTH = 12,
    ALIGNMENT = char,
    STORAGE = plain,
    CATEGORY = 'U'
);
COMMENT ON TYPE objectid IS 'MongoDB ObjectId: 12 bytes of seconds since 1970, process identity and counter, in order of creation';

----------------------------------------------------------------------
-- Comparison
----------------------------------------------------------------------

CREATE FUNCTION objectid_lt(objectid, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_lt(objectid, objectid) IS 'implementation of < operator';

CREATE FUNCTION objectid_le(objectid, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_le(objectid, objectid) IS 'implementation of <= operator';

CREATE FUNCTION objectid_eq(objectid, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_eq(objectid, objectid) IS 'implementation of = operator';

CREATE FUNCTION objectid_ne(objectid, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_ne(objectid, objectid) IS 'implementation of <> operator';

CREATE FUNCTION objectid_ge(objectid, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_ge(objectid, objectid) IS 'implementation of >= operator';

CREATE FUNCTION objectid_gt(objectid, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gt(objectid, objectid) IS 'implementation of > operator';

CREATE FUNCTION objectid_cmp(objectid, objectid) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_cmp(objectid, objectid) IS 'less, equal or greater as -1, 0 or 1, by unsigned byte order';

CREATE OPERATOR < (
    FUNCTION = objectid_lt, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (objectid, objectid) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = objectid_le, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (objectid, objectid) IS 'less than or equal';

CREATE OPERATOR = (
    FUNCTION = objectid_eq, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (objectid, objectid) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = objectid_ne, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (objectid, objectid) IS 'not equal';

CREATE OPERATOR >= (
    FUNCTION = objectid_ge, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (objectid, objectid) IS 'greater than or equal';

CREATE OPERATOR > (
    FUNCTION = objectid_gt, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (objectid, objectid) IS 'greater than';

----------------------------------------------------------------------
-- btree
----------------------------------------------------------------------

CREATE FUNCTION objectid_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_sortsupport(internal) IS 'sort support: abbreviated keys of the first eight bytes';

-- STABLE, for a day in an interval is as long as the time zone has it.
CREATE FUNCTION objectid_in_range(objectid, objectid, interval, boolean, boolean) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_in_range(objectid, objectid, interval, boolean, boolean) IS 'window RANGE support: compares the times in the ids, interval before or after';

CREATE OPERATOR CLASS objectid_ops
DEFAULT FOR TYPE objectid USING btree AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 objectid_cmp(objectid, objectid),
    FUNCTION 2 objectid_sortsupport(internal),
    FUNCTION 3 (objectid, interval) objectid_in_range(objectid, objectid, interval, boolean, boolean),
    -- equal objectids are equal in every byte, so deduplication is safe
    FUNCTION 4 (objectid, objectid) btequalimage(oid);
COMMENT ON OPERATOR CLASS objectid_ops USING btree IS 'unsigned byte order, which is order of creation';
COMMENT ON OPERATOR FAMILY objectid_ops USING btree IS 'unsigned byte order, which is order of creation';

----------------------------------------------------------------------
-- hash
----------------------------------------------------------------------

-- These two functions place rows in hash partitions and shards: they never
-- change.

CREATE FUNCTION objectid_hash(objectid) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_hash(objectid) IS 'hash of 32 bits; will not change';

CREATE FUNCTION objectid_hash_extended(objectid, bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_hash_extended(objectid, bigint) IS 'hash of 64 bits with a seed; will not change';

CREATE OPERATOR CLASS objectid_ops
DEFAULT FOR TYPE objectid USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 objectid_hash(objectid),
    FUNCTION 2 objectid_hash_extended(objectid, bigint);
COMMENT ON OPERATOR CLASS objectid_ops USING hash IS 'hash of the 12 bytes; will not change';
COMMENT ON OPERATOR FAMILY objectid_ops USING hash IS 'hash of the 12 bytes; will not change';

----------------------------------------------------------------------
-- BRIN
----------------------------------------------------------------------

CREATE OPERATOR CLASS objectid_minmax_ops
DEFAULT FOR TYPE objectid USING brin AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS objectid_minmax_ops USING brin IS 'lowest and highest id of each block range';
COMMENT ON OPERATOR FAMILY objectid_minmax_ops USING brin IS 'lowest and highest id of each block range';

CREATE FUNCTION objectid_minmax_multi_distance(internal, internal) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_minmax_multi_distance(internal, internal) IS 'BRIN minmax-multi support: the difference of two ids as 96-bit numbers';

CREATE OPERATOR CLASS objectid_minmax_multi_ops
FOR TYPE objectid USING brin AS
    OPERATOR 1 <,
    OPERATOR 2 <=,
    OPERATOR 3 =,
    OPERATOR 4 >=,
    OPERATOR 5 >,
    FUNCTION 1 brin_minmax_multi_opcinfo(internal),
    FUNCTION 2 brin_minmax_multi_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_multi_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_minmax_multi_union(internal, internal, internal),
    FUNCTION 5 brin_minmax_multi_options(internal),
    FUNCTION 11 objectid_minmax_multi_distance(internal, internal);
COMMENT ON OPERATOR CLASS objectid_minmax_multi_ops USING brin IS 'several intervals of ids of each block range';
COMMENT ON OPERATOR FAMILY objectid_minmax_multi_ops USING brin IS 'several intervals of ids of each block range';

CREATE OPERATOR CLASS objectid_bloom_ops
FOR TYPE objectid USING brin AS
    OPERATOR 1 =,
    FUNCTION 1 brin_bloom_opcinfo(internal),
    FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_bloom_union(internal, internal, internal),
    FUNCTION 5 brin_bloom_options(internal),
    FUNCTION 11 objectid_hash(objectid);
COMMENT ON OPERATOR CLASS objectid_bloom_ops USING brin IS 'a Bloom filter of the ids of each block range';
COMMENT ON OPERATOR FAMILY objectid_bloom_ops USING brin IS 'a Bloom filter of the ids of each block range';

----------------------------------------------------------------------
-- GiST
----------------------------------------------------------------------

CREATE FUNCTION objectid_gist_consistent(internal, objectid, smallint, oid, internal) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_consistent(internal, objectid, smallint, oid, internal) IS 'GiST support: can what an entry covers satisfy the operator?';

CREATE FUNCTION objectid_gist_union(internal, internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_union(internal, internal) IS 'GiST support: the lowest and the highest id of several entries';

CREATE FUNCTION objectid_gist_compress(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_compress(internal) IS 'GiST support: from an id to the key of a leaf';

CREATE FUNCTION objectid_gist_penalty(internal, internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_penalty(internal, internal, internal) IS 'GiST support: by how much an entry would grow to cover another';

CREATE FUNCTION objectid_gist_picksplit(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_picksplit(internal, internal) IS 'GiST support: divides a page into the lower and the upper half';

CREATE FUNCTION objectid_gist_same(bytea, bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_same(bytea, bytea, internal) IS 'GiST support: are two keys the same?';

CREATE FUNCTION objectid_gist_fetch(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_fetch(internal) IS 'GiST support: from the key of a leaf back to the id';

-- The numbers of the operators are those that core's own classes use, so that
-- core's function can tell what they mean (see below).
CREATE OPERATOR CLASS gist_objectid_ops
DEFAULT FOR TYPE objectid USING gist AS
    OPERATOR 18 =,
    OPERATOR 19 <>,
    OPERATOR 20 <,
    OPERATOR 21 <=,
    OPERATOR 22 >,
    OPERATOR 23 >=,
    FUNCTION 1 objectid_gist_consistent(internal, objectid, smallint, oid, internal),
    FUNCTION 2 objectid_gist_union(internal, internal),
    FUNCTION 3 objectid_gist_compress(internal),
    FUNCTION 5 objectid_gist_penalty(internal, internal, internal),
    FUNCTION 6 objectid_gist_picksplit(internal, internal),
    FUNCTION 7 objectid_gist_same(bytea, bytea, internal),
    FUNCTION 9 objectid_gist_fetch(internal),
    -- an index is built of the keys of its leaves, which are bytea
    FUNCTION 11 bytea_sortsupport(internal),
    STORAGE bytea;
COMMENT ON OPERATOR CLASS gist_objectid_ops USING gist IS 'lowest and highest id of each page, for exclusion constraints together with a range';
COMMENT ON OPERATOR FAMILY gist_objectid_ops USING gist IS 'lowest and highest id of each page, for exclusion constraints together with a range';

-- Keys WITHOUT OVERLAPS, which came with PostgreSQL 18, need a support function
-- that earlier servers refuse.  So it is added where the server has it: here,
-- and by hand after pg_upgrade from an earlier server.
CREATE FUNCTION enable_temporal_keys() RETURNS boolean
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    family oid;
    family_name text;
BEGIN
    SELECT f.oid, format('%I.%I', nspname, opfname) INTO STRICT family, family_name
    FROM pg_extension e JOIN pg_opfamily f ON opfnamespace = extnamespace JOIN pg_namespace n ON n.oid = opfnamespace
    WHERE extname = 'objectid_ext' AND opfname = 'gist_objectid_ops';

    IF to_regprocedure('gist_translate_cmptype_common(integer)') IS NULL
       OR EXISTS (SELECT FROM pg_amproc WHERE amprocfamily = family AND amprocnum = 12) THEN
        RETURN false;
    END IF;
    EXECUTE format('ALTER OPERATOR FAMILY %s USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(integer)', family_name);
    RETURN true;
END;
$$;
COMMENT ON FUNCTION enable_temporal_keys() IS 'lets objectid be part of keys WITHOUT OVERLAPS on PostgreSQL 18 or later; needed once after pg_upgrade from an earlier server, by a superuser; false if there is nothing to do';

SELECT enable_temporal_keys();

----------------------------------------------------------------------
-- Aggregates
----------------------------------------------------------------------

CREATE FUNCTION objectid_smaller(objectid, objectid) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_smaller(objectid, objectid) IS 'the lesser of two';

CREATE FUNCTION objectid_larger(objectid, objectid) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_larger(objectid, objectid) IS 'the greater of two';

CREATE AGGREGATE min(objectid) (
    SFUNC = objectid_smaller, STYPE = objectid,
    COMBINEFUNC = objectid_smaller, SORTOP = <, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(objectid) IS 'minimum value of all objectid input values';

CREATE AGGREGATE max(objectid) (
    SFUNC = objectid_larger, STYPE = objectid,
    COMBINEFUNC = objectid_larger, SORTOP = >, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(objectid) IS 'maximum value of all objectid input values';

----------------------------------------------------------------------
-- The time in an id
----------------------------------------------------------------------

CREATE FUNCTION objectid_timestamp(objectid) RETURNS timestamp with time zone
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_timestamp(objectid) IS 'time of creation, in whole seconds, 1970-01-01 00:00:00+00 to 2106-02-07 06:28:15+00';

CREATE FUNCTION objectid_floor(timestamp with time zone) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_floor(timestamp with time zone) IS 'lowest id whose time is at or after this; all zeros before 1970, all ones after 2106';

CREATE FUNCTION objectid_after(timestamp with time zone) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_after(timestamp with time zone) IS 'lowest id whose time is after this; all zeros before 1970, all ones after 2106';

CREATE FUNCTION objectid_ceiling(timestamp with time zone) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_ceiling(timestamp with time zone) IS 'highest id whose time is at or before this; all zeros before 1970, all ones after 2106';

CREATE FUNCTION objectid_parts(
    objectid,
    OUT created timestamp with time zone,
    OUT random bytea,
    OUT machine integer,
    OUT process integer,
    OUT counter integer
)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_parts(objectid) IS 'time of creation, five bytes of identity (also read the classic way: 24 bits machine, 16 bits process), 24-bit counter';

CREATE FUNCTION objectid_extjson(objectid) RETURNS jsonb
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_extjson(objectid) IS 'MongoDB Extended JSON: {"$oid": "..."}';

----------------------------------------------------------------------
-- Casts
----------------------------------------------------------------------

CREATE FUNCTION objectid_from_text(text) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_text(text) IS 'objectid of any spelling that text input takes';

CREATE FUNCTION objectid_from_bytea(bytea) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_bytea(bytea) IS 'objectid of 12 bytes; an error for any other length';

CREATE FUNCTION objectid_to_bytea(objectid) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_to_bytea(objectid) IS 'the 12 bytes';

CREATE FUNCTION objectid_from_jsonb(jsonb) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_jsonb(jsonb) IS 'objectid of a JSON string of 24 hexadecimal digits or of {"$oid": "..."}';

CREATE FUNCTION is_objectid(text) RETURNS boolean
AS 'MODULE_PATHNAME', 'is_objectid_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_objectid(text) IS 'would the cast to objectid succeed?';

CREATE FUNCTION is_objectid(bytea) RETURNS boolean
AS 'MODULE_PATHNAME', 'is_objectid_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_objectid(bytea) IS 'would the cast to objectid succeed?';

CREATE FUNCTION is_objectid(jsonb) RETURNS boolean
AS 'MODULE_PATHNAME', 'is_objectid_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_objectid(jsonb) IS 'would the cast to objectid succeed?';

-- INSERT of a string expression works without a cast, as it does for uuid
-- written as a literal.  Nothing is implicit: an implicit cast from text
-- would change the meaning of comparisons that have nothing to do with us.
-- With a function, for postgres_fdw ships no conversion by input and output.
CREATE CAST (text AS objectid) WITH FUNCTION objectid_from_text(text) AS ASSIGNMENT;
COMMENT ON CAST (text AS objectid) IS 'any spelling that text input takes';
CREATE CAST (varchar AS objectid) WITH FUNCTION objectid_from_text(text) AS ASSIGNMENT;
COMMENT ON CAST (varchar AS objectid) IS 'any spelling that text input takes';

CREATE CAST (bytea AS objectid) WITH FUNCTION objectid_from_bytea(bytea);
COMMENT ON CAST (bytea AS objectid) IS '12 bytes; an error for any other length';
CREATE CAST (objectid AS bytea) WITH FUNCTION objectid_to_bytea(objectid);
COMMENT ON CAST (objectid AS bytea) IS 'the 12 bytes';

CREATE CAST (jsonb AS objectid) WITH FUNCTION objectid_from_jsonb(jsonb);
COMMENT ON CAST (jsonb AS objectid) IS 'a JSON string of 24 hexadecimal digits or {"$oid": "..."}';

-- Explicit, for an id is not a time: the cast forgets two thirds of it.
CREATE CAST (objectid AS timestamp with time zone) WITH FUNCTION objectid_timestamp(objectid);
COMMENT ON CAST (objectid AS timestamp with time zone) IS 'time of creation';

----------------------------------------------------------------------
-- Equality with text
----------------------------------------------------------------------

-- For clients that declare their strings as text or varchar.  The planner
-- rewrites these comparisons into id = text::objectid, so an index, partitions
-- and joins know nothing of text; for the same reason the operators are in no
-- operator family, which would promise equal hashes.  None of the functions is
-- leakproof: the error for text that is no objectid shows it.

CREATE FUNCTION text_eq_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text_eq_support(internal) IS 'planner support: objectid = text becomes objectid = text::objectid';

CREATE FUNCTION text_ne_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION text_ne_support(internal) IS 'planner support: objectid <> text becomes objectid <> text::objectid';

CREATE FUNCTION objectid_eq_text(objectid, text) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT text_eq_support;
COMMENT ON FUNCTION objectid_eq_text(objectid, text) IS 'implementation of = operator';

CREATE FUNCTION text_eq_objectid(text, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT text_eq_support;
COMMENT ON FUNCTION text_eq_objectid(text, objectid) IS 'implementation of = operator';

CREATE FUNCTION objectid_ne_text(objectid, text) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT text_ne_support;
COMMENT ON FUNCTION objectid_ne_text(objectid, text) IS 'implementation of <> operator';

CREATE FUNCTION text_ne_objectid(text, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT text_ne_support;
COMMENT ON FUNCTION text_ne_objectid(text, objectid) IS 'implementation of <> operator';

CREATE OPERATOR = (
    FUNCTION = objectid_eq_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (objectid, text) IS 'equal to the id that the text is';

CREATE OPERATOR = (
    FUNCTION = text_eq_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (text, objectid) IS 'equal to the id that the text is';

CREATE OPERATOR <> (
    FUNCTION = objectid_ne_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (objectid, text) IS 'not equal to the id that the text is';

CREATE OPERATOR <> (
    FUNCTION = text_ne_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (text, objectid) IS 'not equal to the id that the text is';

----------------------------------------------------------------------
-- Generation
----------------------------------------------------------------------

CREATE FUNCTION gen_objectid() RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gen_objectid() IS 'next id of this backend, greater than the one before';

----------------------------------------------------------------------
-- 64-bit ids
----------------------------------------------------------------------

-- How the bits are divided is a value of a type of its own, so that one set
-- of functions serves all schemes.

CREATE TYPE snowflake_layout;

CREATE FUNCTION snowflake_layout_in(cstring) RETURNS snowflake_layout
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_in(cstring) IS 'I/O: name of a preset, or time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z';

CREATE FUNCTION snowflake_layout_out(snowflake_layout) RETURNS cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_out(snowflake_layout) IS 'I/O: name of the preset, where it is one, else the parts';

CREATE FUNCTION snowflake_layout_recv(internal) RETURNS snowflake_layout
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_recv(internal) IS 'I/O: the text';

CREATE FUNCTION snowflake_layout_send(snowflake_layout) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_send(snowflake_layout) IS 'I/O: the text';

CREATE TYPE snowflake_layout (
    INPUT = snowflake_layout_in,
    OUTPUT = snowflake_layout_out,
    RECEIVE = snowflake_layout_recv,
    SEND = snowflake_layout_send,
    INTERNALLENGTH = 32,
    ALIGNMENT = double,
    STORAGE = plain,
    CATEGORY = 'U'
);
COMMENT ON TYPE snowflake_layout IS 'how the bits of a 64-bit id are divided: widths of time, node and sequence number, tick, epoch';

-- Layouts can be compared for equality and grouped, but have no order.

CREATE FUNCTION snowflake_layout_eq(snowflake_layout, snowflake_layout) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_eq(snowflake_layout, snowflake_layout) IS 'implementation of = operator';

CREATE FUNCTION snowflake_layout_ne(snowflake_layout, snowflake_layout) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_ne(snowflake_layout, snowflake_layout) IS 'implementation of <> operator';

CREATE FUNCTION snowflake_layout_hash(snowflake_layout) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_hash(snowflake_layout) IS 'hash of 32 bits';

CREATE FUNCTION snowflake_layout_hash_extended(snowflake_layout, bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_hash_extended(snowflake_layout, bigint) IS 'hash of 64 bits with a seed';

CREATE OPERATOR = (
    FUNCTION = snowflake_layout_eq, LEFTARG = snowflake_layout, RIGHTARG = snowflake_layout,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR = (snowflake_layout, snowflake_layout) IS 'equal';

CREATE OPERATOR <> (
    FUNCTION = snowflake_layout_ne, LEFTARG = snowflake_layout, RIGHTARG = snowflake_layout,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (snowflake_layout, snowflake_layout) IS 'not equal';

CREATE OPERATOR CLASS snowflake_layout_ops
DEFAULT FOR TYPE snowflake_layout USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 snowflake_layout_hash(snowflake_layout),
    FUNCTION 2 snowflake_layout_hash_extended(snowflake_layout, bigint);
COMMENT ON OPERATOR CLASS snowflake_layout_ops USING hash IS 'equality of layouts';
COMMENT ON OPERATOR FAMILY snowflake_layout_ops USING hash IS 'equality of layouts';

CREATE FUNCTION snowflake_layouts(
    OUT layout snowflake_layout,
    OUT parts text,
    OUT time_bits integer,
    OUT node_bits integer,
    OUT sequence_bits integer,
    OUT tick interval,
    OUT epoch timestamp with time zone,
    OUT ids_per_second bigint,
    OUT last_instant timestamp with time zone
) RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 7;
COMMENT ON FUNCTION snowflake_layouts() IS 'the layouts that have names; ids_per_second is of one node, last_instant the beginning of the last tick';

-- Packing, decoding, bounds

CREATE FUNCTION make_snowflake(ts timestamp with time zone, node integer, seq integer, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION make_snowflake(timestamp with time zone, integer, integer, snowflake_layout) IS 'id of a time (rounded down to its tick), a node and a sequence number; an error for what does not fit its field';

CREATE FUNCTION snowflake_timestamp(id bigint, layout snowflake_layout DEFAULT 'twitter') RETURNS timestamp with time zone
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_timestamp(bigint, snowflake_layout) IS 'beginning of the tick in which the id was made; an error for an id that is negative or past the layout''s end';

CREATE FUNCTION snowflake_node(id bigint, layout snowflake_layout DEFAULT 'twitter') RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_node(bigint, snowflake_layout) IS 'node, or shard, of the id; an error for an id that is negative or past the layout''s end';

CREATE FUNCTION snowflake_sequence(id bigint, layout snowflake_layout DEFAULT 'twitter') RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_sequence(bigint, snowflake_layout) IS 'sequence number of the id; an error for an id that is negative or past the layout''s end';

CREATE FUNCTION snowflake_parts(
    id bigint,
    layout snowflake_layout DEFAULT 'twitter',
    OUT created timestamp with time zone,
    OUT node integer,
    OUT sequence integer
)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_parts(bigint, snowflake_layout) IS 'time, node and sequence number of the id';

CREATE FUNCTION snowflake_floor(ts timestamp with time zone, layout snowflake_layout DEFAULT 'twitter') RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_floor(timestamp with time zone, snowflake_layout) IS 'lowest id whose time is at or after this; 0 before the epoch, the highest id past the end';

CREATE FUNCTION snowflake_ceiling(ts timestamp with time zone, layout snowflake_layout DEFAULT 'twitter') RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_ceiling(timestamp with time zone, snowflake_layout) IS 'highest id whose time is at or before this; 0 before the epoch, the highest id past the end';

CREATE FUNCTION snowflake_lower("range" tstzrange, layout snowflake_layout DEFAULT 'twitter') RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_lower(tstzrange, snowflake_layout) IS 'lowest id whose time is in the range; the highest of all if there is none';

CREATE FUNCTION snowflake_upper("range" tstzrange, layout snowflake_layout DEFAULT 'twitter') RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_upper(tstzrange, snowflake_layout) IS 'highest id whose time is in the range; 0 if there is none';

-- Generators.  next_shard_id keeps in the backend which slots it has given
-- away, so parallel workers must not call it; next_snowflake changes a
-- sequence, which is for the leader of no parallel query at all.

CREATE FUNCTION next_shard_id(shard integer, seq bigint, layout snowflake_layout DEFAULT 'instagram') RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION next_shard_id(integer, bigint, snowflake_layout) IS 'id of this tick, a shard and the low bits of a sequence number; no id twice in one backend, next_snowflake() for several';

CREATE FUNCTION snowflake_node_id() RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_node_id() IS 'node of this server, the setting objectid_ext.node_id; an error while it is not set';

CREATE FUNCTION next_snowflake(seq regclass, node integer DEFAULT snowflake_node_id(), layout snowflake_layout DEFAULT 'twitter') RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION next_snowflake(regclass, integer, snowflake_layout) IS 'next id of a clock kept in a sequence: above all that were ever taken from it, whatever the wall clock does';

----------------------------------------------------------------------
-- Node ids of several servers
----------------------------------------------------------------------

-- Over dblink, one of PostgreSQL's own modules: it knows who may connect to
-- what.  What goes wrong with one server becomes a part of the answer, for it
-- must not hide the others.

CREATE FUNCTION ask_node_id(
    conninfo text,
    OUT node integer,
    OUT system_identifier bigint,
    OUT in_recovery boolean,
    OUT started timestamp with time zone,
    OUT problem text
)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    own_schema name := (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'objectid_ext');
    dblink_schema name := (SELECT nspname FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'dblink');
    detail text;
BEGIN
    IF dblink_schema IS NULL THEN
        RAISE EXCEPTION 'required extension "dblink" is not installed'
            USING ERRCODE = 'undefined_object', HINT = 'It is one of PostgreSQL''s own modules: use CREATE EXTENSION dblink.';
    END IF;
    BEGIN
        EXECUTE format('SELECT * FROM %I.dblink($1, $2) AS t (node integer, system_identifier bigint, in_recovery boolean, started timestamptz)',
                       dblink_schema)
            INTO node, system_identifier, in_recovery, started
            USING conninfo,
                  format('SELECT %I.snowflake_node_id(), system_identifier, pg_catalog.pg_is_in_recovery(), pg_catalog.pg_postmaster_start_time()'
                         ' FROM pg_catalog.pg_control_system()', own_schema);
    EXCEPTION WHEN others THEN
        GET STACKED DIAGNOSTICS problem = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
        problem := concat_ws(': ', problem, nullif(trim(E'\n' FROM detail), ''));
    END;
END;
$$;
COMMENT ON FUNCTION ask_node_id(text) IS 'objectid_ext.node_id of another server, and what tells servers apart; an error there is returned as a problem; for check_node_ids()';

-- Servers are told apart by their identifier and the time at which they were
-- started: a copy of a server has the same identifier, and a server may be in
-- the list twice.  A standby has the node of its primary, as it should.

CREATE FUNCTION check_node_ids(
    conninfo text[],
    OUT server integer,
    OUT node integer,
    OUT system_identifier bigint,
    OUT in_recovery boolean,
    OUT problem text
) RETURNS SETOF record
LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
BEGIN ATOMIC
    WITH answer AS MATERIALIZED (
        SELECT n::integer AS server, a.*
        FROM unnest(conninfo) WITH ORDINALITY AS c (each, n), ask_node_id(each) AS a
    )
    SELECT a.server, a.node, a.system_identifier, a.in_recovery,
           CASE WHEN a.started IS NULL THEN coalesce(a.problem, 'connection string is null')
                ELSE (SELECT 'same node as server ' || string_agg(b.server::text, ', ' ORDER BY b.server)
                      FROM answer AS b
                      WHERE b.node = a.node
                        AND (b.system_identifier, b.started) <> (a.system_identifier, a.started)
                        AND (b.system_identifier <> a.system_identifier OR NOT a.in_recovery AND NOT b.in_recovery))
           END
    FROM answer AS a
    ORDER BY a.server;
END;
COMMENT ON FUNCTION check_node_ids(text[]) IS 'asks servers, by connection strings or names of foreign servers, for objectid_ext.node_id; problem says which have the same, or cannot be asked, and is null where all is well; needs dblink';

----------------------------------------------------------------------
-- Time ranges
----------------------------------------------------------------------

-- The planner rewrites each predicate of this section into comparisons of the
-- ids themselves, which indexes and partitions understand.

CREATE FUNCTION time_range_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION time_range_support(internal) IS 'planner support: predicates over the time in an id become ranges of ids';

-- There is no = between objectid and timestamptz, and these operators are in
-- no operator family: an equality across types makes Citus prune the wrong
-- shard.

CREATE FUNCTION objectid_lt_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION objectid_lt_timestamptz(objectid, timestamp with time zone) IS 'implementation of < operator';

CREATE FUNCTION objectid_le_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION objectid_le_timestamptz(objectid, timestamp with time zone) IS 'implementation of <= operator';

CREATE FUNCTION objectid_ge_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION objectid_ge_timestamptz(objectid, timestamp with time zone) IS 'implementation of >= operator';

CREATE FUNCTION objectid_gt_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION objectid_gt_timestamptz(objectid, timestamp with time zone) IS 'implementation of > operator';

CREATE FUNCTION timestamptz_lt_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION timestamptz_lt_objectid(timestamp with time zone, objectid) IS 'implementation of < operator';

CREATE FUNCTION timestamptz_le_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION timestamptz_le_objectid(timestamp with time zone, objectid) IS 'implementation of <= operator';

CREATE FUNCTION timestamptz_ge_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION timestamptz_ge_objectid(timestamp with time zone, objectid) IS 'implementation of >= operator';

CREATE FUNCTION timestamptz_gt_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION timestamptz_gt_objectid(timestamp with time zone, objectid) IS 'implementation of > operator';

CREATE OPERATOR < (
    FUNCTION = objectid_lt_timestamptz, LEFTARG = objectid, RIGHTARG = timestamp with time zone,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (objectid, timestamp with time zone) IS 'created before';

CREATE OPERATOR <= (
    FUNCTION = objectid_le_timestamptz, LEFTARG = objectid, RIGHTARG = timestamp with time zone,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (objectid, timestamp with time zone) IS 'created at or before';

CREATE OPERATOR >= (
    FUNCTION = objectid_ge_timestamptz, LEFTARG = objectid, RIGHTARG = timestamp with time zone,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (objectid, timestamp with time zone) IS 'created at or after';

CREATE OPERATOR > (
    FUNCTION = objectid_gt_timestamptz, LEFTARG = objectid, RIGHTARG = timestamp with time zone,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (objectid, timestamp with time zone) IS 'created after';

CREATE OPERATOR < (
    FUNCTION = timestamptz_lt_objectid, LEFTARG = timestamp with time zone, RIGHTARG = objectid,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (timestamp with time zone, objectid) IS 'before it was created';

CREATE OPERATOR <= (
    FUNCTION = timestamptz_le_objectid, LEFTARG = timestamp with time zone, RIGHTARG = objectid,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (timestamp with time zone, objectid) IS 'at or before it was created';

CREATE OPERATOR >= (
    FUNCTION = timestamptz_ge_objectid, LEFTARG = timestamp with time zone, RIGHTARG = objectid,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (timestamp with time zone, objectid) IS 'at or after it was created';

CREATE OPERATOR > (
    FUNCTION = timestamptz_gt_objectid, LEFTARG = timestamp with time zone, RIGHTARG = objectid,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (timestamp with time zone, objectid) IS 'after it was created';

CREATE FUNCTION objectid_lower(tstzrange) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_lower(tstzrange) IS 'lowest id whose time is in the range; all ones if there is none';

CREATE FUNCTION objectid_upper(tstzrange) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_upper(tstzrange) IS 'highest id whose time is in the range; all zeros if there is none';

-- Declared for any range, although only tstzrange is of use: as a closer match
-- for an untyped literal than core's own, an operator on tstzrange would
-- change what tstzrange @> '[...)' means.

CREATE FUNCTION objectid_within(objectid, anyrange) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION objectid_within(objectid, anyrange) IS 'implementation of <@ operator';

CREATE FUNCTION range_contains_objectid(anyrange, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION range_contains_objectid(anyrange, objectid) IS 'implementation of @> operator';

CREATE OPERATOR <@ (
    FUNCTION = objectid_within, LEFTARG = objectid, RIGHTARG = anyrange,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@ (objectid, anyrange) IS 'created within';

CREATE OPERATOR @> (
    FUNCTION = range_contains_objectid, LEFTARG = anyrange, RIGHTARG = objectid,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @> (anyrange, objectid) IS 'contains the time of creation';

CREATE FUNCTION snowflake_within(id bigint, "range" tstzrange, layout snowflake_layout DEFAULT 'twitter') RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION snowflake_within(bigint, tstzrange, snowflake_layout) IS 'is the time of the id in the range? uses an index on the id';

----------------------------------------------------------------------
-- Version-7 UUIDs
----------------------------------------------------------------------

CREATE FUNCTION uuidv7_timestamp(uuid) RETURNS timestamp with time zone
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_timestamp(uuid) IS 'time in a version-7 UUID, in whole milliseconds; the version is not looked at';

CREATE FUNCTION uuidv7_floor(timestamp with time zone) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_floor(timestamp with time zone) IS 'lowest version-7 UUID whose time is at or after this; held to the lowest and the highest of all';

CREATE FUNCTION uuidv7_ceiling(timestamp with time zone) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_ceiling(timestamp with time zone) IS 'highest version-7 UUID whose time is at or before this; held to the lowest and the highest of all';

CREATE FUNCTION uuidv7_lower(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_lower(tstzrange) IS 'lowest version-7 UUID whose time is in the range; the highest of all if there is none';

CREATE FUNCTION uuidv7_upper(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_upper(tstzrange) IS 'highest version-7 UUID whose time is in the range; the lowest of all if there is none';

CREATE FUNCTION uuidv7_within(id uuid, "range" tstzrange) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT time_range_support;
COMMENT ON FUNCTION uuidv7_within(uuid, tstzrange) IS 'is the time of a version-7 UUID in the range? uses an index on the id';

----------------------------------------------------------------------
-- Partitions by time
----------------------------------------------------------------------

-- The extension can be in any schema and can be moved.  SQL bodies are bound
-- to their objects when they are made, so what needs no procedure is in SQL.
-- What does finds the schema when it runs, and calls what is there by its full
-- name and with arguments of just its types: others may have functions in that
-- schema, but none that is a closer match.
--
-- The same goes for the operators of SQL bodies, for which the schema is on the
-- path when they are made: core has none of regtype or regclass, somebody in
-- the schema may have one.  So these are compared as oid.

CREATE FUNCTION time_partition_type(parent regclass, objectid_type regtype) RETURNS regtype
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    key_type regtype;
BEGIN
    SELECT atttypid INTO key_type
    FROM pg_partitioned_table JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0]
    WHERE partrelid = parent AND partstrat = 'r' AND partnatts = 1
      AND atttypid IN ('bigint'::regtype, 'uuid'::regtype, objectid_type);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'table % is not partitioned by range of one objectid, bigint or uuid column', parent
            USING ERRCODE = 'wrong_object_type';
    END IF;
    RETURN key_type;
END;
$$;
COMMENT ON FUNCTION time_partition_type(regclass, regtype) IS 'type of the column by whose range a table is partitioned: objectid, bigint or uuid; an error for any other table';

CREATE FUNCTION time_partition_bound(key_type regtype, ts timestamp with time zone, layout snowflake_layout) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE key_type::oid
           WHEN 'bigint'::regtype::oid THEN snowflake_floor(ts, layout)::text
           WHEN 'uuid'::regtype::oid THEN uuidv7_floor(ts)::text
           ELSE objectid_floor(ts)::text
       END;
COMMENT ON FUNCTION time_partition_bound(regtype, timestamp with time zone, snowflake_layout) IS 'lowest id of a type at or after an instant, as text';

CREATE FUNCTION time_partition_time(key_type regtype, bound text, layout snowflake_layout) RETURNS timestamp with time zone
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
           WHEN bound = 'MINVALUE' THEN timestamptz '-infinity'
           WHEN bound = 'MAXVALUE' THEN timestamptz 'infinity'
           WHEN key_type::oid = 'bigint'::regtype::oid THEN
               -- a bound need not be an id of the layout
               CASE
                   WHEN trim(bound, '''')::bigint < 0 THEN timestamptz '-infinity'
                   WHEN trim(bound, '''')::bigint > snowflake_ceiling(timestamptz 'infinity', layout) THEN timestamptz 'infinity'
                   ELSE snowflake_timestamp(trim(bound, '''')::bigint, layout)
               END
           WHEN key_type::oid = 'uuid'::regtype::oid THEN uuidv7_timestamp(trim(bound, '''')::uuid)
           ELSE objectid_timestamp(trim(bound, '''')::objectid)
       END;
COMMENT ON FUNCTION time_partition_time(regtype, text, snowflake_layout) IS 'time of a partition''s bound, as the catalog prints it';

CREATE FUNCTION time_partitions(
    parent regclass,
    layout snowflake_layout DEFAULT 'twitter',
    OUT partition regclass,
    OUT lower timestamp with time zone,
    OUT upper timestamp with time zone
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT child.oid::regclass,
           time_partition_time(key_type, bounds[1], layout),
           time_partition_time(key_type, bounds[2], layout)
    FROM time_partition_type(parent, 'objectid'::regtype) AS key_type,
         pg_inherits JOIN pg_class AS child ON child.oid = inhrelid,
         LATERAL regexp_match(pg_get_expr(relpartbound, child.oid), '^FOR VALUES FROM \((.*)\) TO \((.*)\)$') AS bounds
    WHERE inhparent = parent::oid
    ORDER BY 2, 1;
END;
COMMENT ON FUNCTION time_partitions(regclass, snowflake_layout) IS 'partitions of a table that is partitioned by range of ids, with the times of their bounds, which are NULL for the default partition';

-- In UTC, so that bounds and names do not depend on the session.

CREATE FUNCTION create_time_partitions(
    parent regclass,
    every interval,
    first timestamp with time zone,
    upto timestamp with time zone,
    layout snowflake_layout DEFAULT 'twitter'
) RETURNS SETOF regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
AS $$
DECLARE
    extension_schema text := (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
                              WHERE extname = 'objectid_ext');
    key_type regtype;
    schema_name name;
    parent_name name;
    suffix_format text;
    begins timestamptz := first;
    ends timestamptz;
    begin_id text;
    end_id text;
    partition text;
BEGIN
    EXECUTE format('SELECT %s.time_partition_type($1, $2)', extension_schema) INTO key_type
        USING parent, (extension_schema || '.objectid')::regtype;
    IF every < '1 minute' OR every > '366 days' THEN
        RAISE EXCEPTION 'interval "%" is out of range', every
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'A partition spans from a minute to a year.';
    END IF;
    IF NOT isfinite(first) OR NOT isfinite(upto) OR upto <= first THEN
        RAISE EXCEPTION 'span from % to % is invalid', first, upto
            USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Both ends must be finite, and the end after the beginning.';
    END IF;

    SELECT nspname, relname INTO schema_name, parent_name
    FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = parent;

    -- as precise as the bounds are
    ends := first + every;
    suffix_format := CASE WHEN first = date_trunc('day', first) AND ends = date_trunc('day', ends) THEN '_YYYYMMDD'
                          WHEN first = date_trunc('minute', first) AND ends = date_trunc('minute', ends) THEN '_YYYYMMDD_HH24MI'
                          ELSE '_YYYYMMDD_HH24MISS_US' END;

    -- who makes partitions at the same time waits, and then finds ours
    EXECUTE format('LOCK TABLE ONLY %I.%I IN SHARE UPDATE EXCLUSIVE MODE', schema_name, parent_name);

    -- multiples of the interval, for sums of months would drift: 31 January,
    -- 28 February, 28 March
    FOR n IN 1 .. 2147483647 LOOP
        EXIT WHEN begins >= upto;
        ends := first + n * every;
        EXECUTE format('SELECT %1$s.time_partition_bound($1, $2, $4), %1$s.time_partition_bound($1, $3, $4)', extension_schema)
            INTO begin_id, end_id USING key_type, begins, ends, layout;
        IF begin_id = end_id THEN
            RAISE EXCEPTION 'no id of table % has a time from % to %', parent, begins, ends
                USING ERRCODE = 'datetime_field_overflow';
        END IF;

        PERFORM FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
        WHERE inhparent = parent
          AND pg_get_expr(relpartbound, c.oid) = format('FOR VALUES FROM (%L) TO (%L)', begin_id, end_id);
        IF NOT FOUND THEN
            partition := to_char(begins, suffix_format);
            -- a name has 63 bytes; whole characters of the parent's give way
            WHILE octet_length(parent_name || partition) > 63 LOOP
                parent_name := left(parent_name, -1);
            END LOOP;
            partition := format('%I.%I', schema_name, parent_name || partition);
            EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
                           partition, parent, begin_id, end_id);
            RETURN NEXT partition::regclass;
        END IF;
        begins := ends;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION create_time_partitions(regclass, interval, timestamp with time zone, timestamp with time zone, snowflake_layout) IS 'makes those partitions of a span of time that are missing, and returns them; the parent is partitioned by range of one objectid, bigint (of the layout) or uuid (version 7) column';

----------------------------------------------------------------------
-- Neighbours: ranges of a sequence, many sequences, digits
----------------------------------------------------------------------

CREATE FUNCTION nextval_range(seq regclass, count bigint, OUT first bigint, OUT last bigint, OUT step bigint)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION nextval_range(regclass, bigint) IS 'takes the next count values of a sequence in one step; generate_series(first, last, step) lists them';

CREATE FUNCTION nextval_any(sequences regclass[]) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION nextval_any(regclass[]) IS 'next value of one of the sequences, chosen at random among those with values left';

CREATE FUNCTION random_digits(digits integer) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION random_digits(integer) IS 'random number, uniform over [0, 10^digits), 1 to 18 digits, from the strong random source';

-- These two never change: numbers that were given out depend on them.

CREATE FUNCTION permute_digits(value bigint, digits integer, key bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION permute_digits(bigint, integer, bigint) IS 'keyed permutation of [0, 10^digits), 1 to 18 digits; hides order, is no encryption; will not change';

CREATE FUNCTION unpermute_digits(value bigint, digits integer, key bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION unpermute_digits(bigint, integer, bigint) IS 'inverse of permute_digits(); will not change';

----------------------------------------------------------------------
-- Neighbours: existing tables
----------------------------------------------------------------------

-- What changes its type together with a column: all columns that refer to it
-- by foreign keys, and those that refer to these; and of each the ones that
-- inherit it, for one may refer to a partition, too.  A constraint that has a
-- parent is of a partition and follows that of the parent.

CREATE FUNCTION referring_columns(
    "table" regclass,
    "column" name,
    OUT relation regclass,
    OUT attribute name,
    OUT attribute_type regtype,
    OUT inherited boolean
) RETURNS SETOF record
LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH RECURSIVE reached (attrelid, attname, inherited) AS (
        SELECT "table"::oid, "column", false
        UNION
        SELECT next.*
        FROM reached, LATERAL (
            SELECT inhrelid, reached.attname, true
            FROM pg_inherits
            WHERE inhparent = reached.attrelid
            UNION ALL
            SELECT f.attrelid, f.attname, false
            FROM pg_attribute AS k
                 JOIN pg_constraint AS c ON c.confrelid = k.attrelid AND c.contype = 'f' AND c.conparentid = 0::oid,
                 LATERAL unnest(c.conkey, c.confkey) AS pair(referring, referred)
                 JOIN pg_attribute AS f ON f.attnum = pair.referring
            WHERE k.attrelid = reached.attrelid AND k.attname = reached.attname
              AND pair.referred = k.attnum AND f.attrelid = c.conrelid
        ) AS next
    )
    SELECT a.attrelid::regclass, a.attname, a.atttypid::regtype, reached.inherited
    FROM reached JOIN pg_attribute AS a USING (attrelid, attname)
    WHERE a.attnum > 0 AND NOT a.attisdropped;
END;
COMMENT ON FUNCTION referring_columns(regclass, name) IS 'the column, those that refer to it by foreign keys, directly or not, and those that inherit one of these';

-- What neither conversion can do.  Names what is in the way.

CREATE FUNCTION check_convertible("table" regclass, "column" name, to_type regtype, inherited boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    obstacle text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table" AND relkind IN ('r', 'p')) THEN
        RAISE EXCEPTION '% is not a table', "table" USING ERRCODE = 'wrong_object_type';
    END IF;
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column" AND attnum > 0 AND NOT attisdropped;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
    IF a.attgenerated <> '' THEN
        RAISE EXCEPTION 'column "%" of table % is a generated column', "column", "table" USING ERRCODE = 'wrong_object_type';
    END IF;
    IF a.attinhcount > 0 AND NOT inherited THEN
        RAISE EXCEPTION 'column "%" of table % is inherited', "column", "table"
            USING ERRCODE = 'wrong_object_type',
                  HINT = format('Convert the column of %s.',
                                (SELECT inhparent::regclass FROM pg_inherits WHERE inhrelid = "table" ORDER BY inhseqno LIMIT 1));
    END IF;

    IF a.atttypid = to_type THEN
        RETURN;
    END IF;
    -- an expression names its columns by number
    IF EXISTS (SELECT FROM pg_partitioned_table
               WHERE partrelid = "table"
                 AND (a.attnum = ANY (partattrs::int2[]) OR partexprs::text ~ format(':varattno %s ', a.attnum))) THEN
        RAISE EXCEPTION 'column "%" is in the partition key of table %', "column", "table" USING ERRCODE = 'feature_not_supported';
    END IF;
    -- views and rules, triggers, policies, functions, publications, generated columns
    SELECT pg_describe_object(classid, objid, objsubid) INTO obstacle
    FROM pg_depend
    WHERE refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = a.attnum
      AND (classid IN ('pg_rewrite'::regclass, 'pg_trigger'::regclass, 'pg_policy'::regclass, 'pg_proc'::regclass,
                       'pg_publication_rel'::regclass)
           OR classid = 'pg_attrdef'::regclass AND (SELECT adnum FROM pg_attrdef d WHERE d.oid = objid) <> a.attnum)
    ORDER BY classid, objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle
            USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Drop it, convert the column, and make it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION check_convertible(regclass, name, regtype, boolean) IS 'an error that says what is in the way of changing a column''s type and default';

-- Change the type of a column and of those that refer to it, for the functions
-- below, which have checked that it can be done.  The foreign keys go while it
-- is: their ends differ meanwhile, and so each is checked only once.

CREATE FUNCTION change_column_types("table" regclass, "column" name, to_type regtype) RETURNS void
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    extension_schema text := (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
                              WHERE extname = 'objectid_ext');
    referring text := format('%s.referring_columns($1, $2)', extension_schema);
    key record;
    each record;
    source text;
    default_value text;
    drops text[] := '{}';
    types text[] := '{}';
    adds text[] := '{}';
    statement text;
BEGIN
    FOR key IN EXECUTE format($query$
        SELECT conrelid::regclass AS relation, conname, pg_get_constraintdef(oid) AS definition,
               obj_description(oid, 'pg_constraint') AS comment
        FROM pg_constraint
        WHERE contype = 'f' AND conparentid = 0
          AND EXISTS (SELECT
                      FROM %s r JOIN pg_attribute ON attrelid = relation AND attname = attribute
                      WHERE attribute_type <> $3
                        AND (relation = conrelid AND attnum = ANY (conkey) OR relation = confrelid AND attnum = ANY (confkey)))
        ORDER BY oid
        $query$, referring) USING "table", "column", to_type
    LOOP
        drops := drops || format('ALTER TABLE %s DROP CONSTRAINT %I', key.relation, key.conname);
        adds := adds || format('ALTER TABLE %s ADD CONSTRAINT %I %s', key.relation, key.conname, key.definition);
        adds := adds || format('COMMENT ON CONSTRAINT %I ON %s IS %L', key.conname, key.relation, key.comment);
    END LOOP;

    FOR each IN EXECUTE format('SELECT * FROM %s WHERE attribute_type <> $3', referring) USING "table", "column", to_type LOOP
        source := CASE each.attribute_type WHEN 'character'::regtype THEN '(%s)::text::%s' ELSE '(%s)::%s' END;
        -- a default does not follow by itself where the cast is explicit; and a
        -- partition may have one of its own
        IF each.attribute_type IN ('character'::regtype, 'bytea'::regtype, 'jsonb'::regtype) THEN
            SELECT pg_get_expr(adbin, adrelid) INTO default_value
            FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
            WHERE adrelid = each.relation AND attname = each.attribute;
            IF FOUND THEN
                drops := drops || format('ALTER TABLE ONLY %s ALTER COLUMN %I DROP DEFAULT', each.relation, each.attribute);
                adds := adds || format('ALTER TABLE ONLY %s ALTER COLUMN %I SET DEFAULT %s',
                                       each.relation, each.attribute, format(source, default_value, to_type));
            END IF;
        END IF;
        IF NOT each.inherited THEN
            types := types || format('ALTER TABLE %s ALTER COLUMN %I TYPE %s USING %s',
                                     each.relation, each.attribute, to_type, format(source, quote_ident(each.attribute), to_type));
        END IF;
    END LOOP;

    FOREACH statement IN ARRAY drops || types || adds LOOP
        EXECUTE statement;
    END LOOP;
END;
$$;
COMMENT ON FUNCTION change_column_types(regclass, name, regtype) IS 'changes the type of a column and of all columns that refer to it; for convert_to_snowflake() and convert_to_objectid()';

-- A sequence like that of an identity column, which goes with the identity:
-- under the same name, with the same options, owner, comment and privileges,
-- and usable by all who may insert.

CREATE FUNCTION replace_identity("table" regclass, "column" name, seq regclass) RETURNS regclass
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    old pg_class;
    options pg_sequence;
    full_name text;
    comment text := obj_description(seq, 'pg_class');
    each record;
    grantee text;
BEGIN
    SELECT * INTO old FROM pg_class WHERE oid = seq;
    SELECT * INTO options FROM pg_sequence WHERE seqrelid = seq;
    full_name := format('%I.%I', (SELECT nspname FROM pg_namespace n WHERE n.oid = old.relnamespace), old.relname);

    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', "table", "column");
    EXECUTE format('CREATE %s SEQUENCE %s AS bigint INCREMENT %s MINVALUE %s START %s CACHE %s',
                   CASE old.relpersistence WHEN 'u' THEN 'UNLOGGED' WHEN 't' THEN 'TEMPORARY' END,
                   full_name, options.seqincrement, options.seqmin, options.seqstart, options.seqcache);
    EXECUTE format('ALTER SEQUENCE %s OWNER TO %I', full_name, pg_get_userbyid(old.relowner));
    EXECUTE format('ALTER SEQUENCE %s OWNED BY %s.%I', full_name, "table", "column");
    EXECUTE format('COMMENT ON SEQUENCE %s IS %L', full_name, comment);

    -- first those away that came from ALTER DEFAULT PRIVILEGES
    FOR each IN
        SELECT 'REVOKE ALL ON SEQUENCE %s FROM %s' AS statement, a.*
        FROM pg_class, aclexplode(relacl) a WHERE oid = full_name::regclass
        UNION ALL
        SELECT 'GRANT ' || privilege_type || ' ON SEQUENCE %s TO %s' || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, a.*
        FROM aclexplode(coalesce(old.relacl, acldefault('s', old.relowner))) a
        UNION ALL
        -- for an identity no privilege on the sequence was needed, for a default it is
        SELECT 'GRANT USAGE ON SEQUENCE %s TO %s', a.*
        FROM (SELECT oid, relacl FROM pg_class UNION ALL SELECT attrelid, attacl FROM pg_attribute) t (relation, acl), aclexplode(acl) a
        WHERE (relation = "table" OR relation IN (SELECT relid FROM pg_partition_tree("table"))) AND privilege_type = 'INSERT'
    LOOP
        grantee := CASE each.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(each.grantee)) END;
        EXECUTE format(each.statement, full_name, grantee);
    END LOOP;
    RETURN full_name::regclass;
END;
$$;
COMMENT ON FUNCTION replace_identity(regclass, name, regclass) IS 'makes the sequence of an identity column one of its own, which the column owns';

CREATE FUNCTION convert_to_snowflake(
    "table" regclass,
    "column" name,
    node integer DEFAULT NULL,
    layout snowflake_layout DEFAULT 'twitter'
) RETURNS regclass
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    extension_schema text := (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
                              WHERE extname = 'objectid_ext');
    referring text := format('%s.referring_columns($1, $2)', extension_schema);
    a pg_attribute;
    each record;
    seq regclass;
    other text;
    highest bigint;
    present bigint;
BEGIN
    IF "table" IS NULL OR "column" IS NULL OR layout IS NULL THEN
        RAISE EXCEPTION 'table, column and layout must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', "table");
    EXECUTE format('SELECT %s.check_convertible($1, $2, $3, false)', extension_schema)
        USING "table", "column", 'bigint'::regtype;
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF a.atttypid NOT IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', "column", "table", a.atttypid::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'Only integer columns can be converted to snowflakes.';
    END IF;

    -- the sequence: of an identity column, or of a default that is its nextval
    SELECT s.oid INTO seq
    FROM pg_class s JOIN pg_depend ON objid = s.oid AND classid = 'pg_class'::regclass AND deptype = 'i'
    WHERE s.relkind = 'S' AND refclassid = 'pg_class'::regclass AND refobjid = "table" AND refobjsubid = a.attnum;
    IF NOT FOUND THEN
        SELECT s.oid INTO seq
        FROM pg_attrdef d
             JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = d.oid AND refclassid = 'pg_class'::regclass
             JOIN pg_class s ON s.oid = refobjid AND s.relkind = 'S'
        WHERE d.adrelid = "table" AND d.adnum = a.attnum
          AND pg_get_expr(adbin, adrelid) = format('nextval(''%s''::regclass)', replace(s.oid::regclass::text, '''', ''''''));
    END IF;
    IF seq IS NULL THEN
        RAISE EXCEPTION 'column "%" of table % has no sequence', "column", "table"
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'It is no identity column, and its default is not the nextval of a sequence.';
    END IF;
    IF (SELECT seqincrement < 0 FROM pg_sequence WHERE seqrelid = seq) THEN
        RAISE EXCEPTION 'sequence % is descending', seq USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format($query$
        SELECT format('%%I of table %%s', attname, adrelid::regclass)
        FROM pg_depend
             JOIN pg_attrdef d ON d.oid = objid
             JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
        WHERE classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass AND refobjid = $3
          AND NOT EXISTS (SELECT FROM %s WHERE relation = adrelid AND attribute = attname)
        ORDER BY d.oid LIMIT 1
        $query$, referring) INTO other USING "table", "column", seq;
    IF other IS NOT NULL THEN
        RAISE EXCEPTION 'sequence % also serves column %', seq, other
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Give one of them a sequence of its own.';
    END IF;

    FOR each IN EXECUTE format('SELECT * FROM %s WHERE attribute_type <> $3', referring) USING "table", "column", 'bigint'::regtype LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', each.relation);
        EXECUTE format('SELECT %s.check_convertible($1, $2, $3, $4)', extension_schema)
            USING each.relation, each.attribute, 'bigint'::regtype, each.inherited;
    END LOOP;

    -- above all ids there are, also those that did not come from the sequence
    EXECUTE format('SELECT greatest((SELECT last_value FROM %s), max(%I)) FROM %s', seq, "column", "table") INTO highest;
    EXECUTE format('SELECT %s.snowflake_ceiling($1, $2)', extension_schema) INTO present USING clock_timestamp(), layout;
    IF highest > present THEN
        RAISE EXCEPTION 'column "%" of table % is at %, above the present ids of layout %', "column", "table", highest, layout
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF a.attidentity <> '' THEN
        EXECUTE format('SELECT %s.replace_identity($1, $2, $3)', extension_schema) INTO seq USING "table", "column", seq;
    ELSE
        EXECUTE format('ALTER SEQUENCE %s AS bigint NO MAXVALUE NO CYCLE', seq);
    END IF;
    PERFORM setval(seq, highest);
    -- an error if it cannot have ids of this node and layout
    EXECUTE format('SELECT %s.next_snowflake($1, $2, $3)', extension_schema) USING seq, coalesce(node, 0), layout;

    EXECUTE format('SELECT %s.change_column_types($1, $2, $3)', extension_schema) USING "table", "column", 'bigint'::regtype;
    EXECUTE format('ALTER TABLE %1$s ALTER COLUMN %2$I SET DEFAULT %3$s.next_snowflake(%4$L::regclass, %5$s, %6$L::%3$s.snowflake_layout)',
                   "table", "column", extension_schema, seq, coalesce(node::text, extension_schema || '.snowflake_node_id()'), layout);
    RETURN seq;
END;
$$;
COMMENT ON FUNCTION convert_to_snowflake(regclass, name, integer, snowflake_layout) IS 'gives a serial, identity or nextval column snowflakes from now on, of this node or else of objectid_ext.node_id; it becomes bigint with all columns that refer to it, and old ids keep their values; returns the sequence';

-- What changing a column to objectid cannot do, beyond check_convertible():
-- what only fits the type it has.

CREATE FUNCTION check_objectid_column("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    a pg_attribute;
    in_expression text;
    obstacle text;
BEGIN
    SELECT * INTO a FROM pg_attribute WHERE attrelid = "table" AND attname = "column";
    IF a.atttypid NOT IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'bytea'::regtype, 'jsonb'::regtype) THEN
        RAISE EXCEPTION 'column "%" of table % is of type %', "column", "table", a.atttypid::regtype
            USING ERRCODE = 'datatype_mismatch', DETAIL = 'Only text, varchar, char, bytea and jsonb can be converted to objectid.';
    END IF;

    -- an expression names its columns by number
    in_expression := format(':varattno %s ', a.attnum);
    SELECT pg_describe_object(classid, objid, 0) INTO obstacle
    FROM (SELECT 'pg_constraint'::regclass, oid
          FROM pg_constraint
          WHERE conrelid = "table" AND contype IN ('c', 'x') AND a.attnum = ANY (conkey)
          UNION ALL
          SELECT 'pg_statistic_ext'::regclass, oid
          FROM pg_statistic_ext
          WHERE stxrelid = "table" AND stxexprs::text ~ in_expression
          UNION ALL
          -- an index with an expression of the column, another collation, or
          -- an operator class that is not the default or that objectid lacks
          SELECT 'pg_class'::regclass, i.indexrelid
          FROM pg_index i, LATERAL unnest(i.indkey::int2[], i.indclass::oid[], i.indcollation::oid[]) k(attnum, opclass, coll)
               LEFT JOIN pg_opclass o ON o.oid = k.opclass
               LEFT JOIN pg_am m ON m.oid = o.opcmethod
          WHERE i.indrelid = "table"
            AND (concat(i.indexprs, i.indpred) ~ in_expression
                 OR k.attnum = a.attnum
                    AND (k.coll <> a.attcollation OR NOT o.opcdefault
                         OR m.amname NOT IN ('btree', 'hash', 'brin')))
         ) AS objects (classid, objid)
    ORDER BY classid, objid LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'column "%" of table % is used by %', "column", "table", obstacle
            USING ERRCODE = 'dependent_objects_still_exist', HINT = 'Drop it, convert the column, and make it again.';
    END IF;
END;
$$;
COMMENT ON FUNCTION check_objectid_column(regclass, name) IS 'an error that says what is in the way of making a column an objectid';

CREATE FUNCTION convert_to_objectid("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $$
DECLARE
    extension_schema text := (SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
                              WHERE extname = 'objectid_ext');
    referring text := format('%s.referring_columns($1, $2)', extension_schema);
    objectid_type regtype := (extension_schema || '.objectid')::regtype;
    key record;
    each record;
    bad text;
    bad_rows bigint;
BEGIN
    IF "table" IS NULL OR "column" IS NULL THEN
        RAISE EXCEPTION 'table and column must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_class WHERE oid = "table") THEN
        RAISE EXCEPTION 'table with OID % does not exist', "table"::oid USING ERRCODE = 'undefined_table';
    END IF;
    EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', "table");
    EXECUTE format('SELECT %s.check_convertible($1, $2, $3, false)', extension_schema)
        USING "table", "column", objectid_type;
    FOR each IN EXECUTE format('SELECT * FROM %s', referring) USING "table", "column" LOOP
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', each.relation);
        EXECUTE format('SELECT %1$s.check_convertible($1, $2, $3, $4), %1$s.check_objectid_column($1, $2)', extension_schema)
            USING each.relation, each.attribute, objectid_type, each.inherited;
    END LOOP;

    -- one of the columns refers to another that is none of them
    EXECUTE format($query$
        SELECT r.*, conname, confrelid::regclass AS referred, k.attname
        FROM %1$s r
             JOIN pg_attribute a ON a.attrelid = relation AND a.attname = attribute
             JOIN pg_constraint ON conrelid = relation AND contype = 'f' AND conparentid = 0,
             LATERAL unnest(conkey, confkey) pair(referring, referred)
             JOIN pg_attribute k ON k.attnum = pair.referred
        WHERE pair.referring = a.attnum AND k.attrelid = confrelid
          AND NOT EXISTS (SELECT FROM %1$s WHERE relation = confrelid AND attribute = k.attname)
        LIMIT 1
        $query$, referring) INTO key USING "table", "column";
    IF key.relation IS NOT NULL THEN
        RAISE EXCEPTION 'column "%" of table % refers to table % by constraint "%"', key.attribute, key.relation, key.referred, key.conname
            USING ERRCODE = 'feature_not_supported',
                  HINT = format('Convert column %I of %s, and this one follows.', key.attname, key.referred);
    END IF;

    FOR each IN EXECUTE format('SELECT * FROM %s WHERE NOT inherited', referring) USING "table", "column" LOOP
        EXECUTE format('SELECT %1$I::text, count(*) OVER () FROM %2$s WHERE NOT %3$s.is_objectid(%1$I::%4$s) ORDER BY tableoid, ctid LIMIT 1',
                       each.attribute, each.relation, extension_schema,
                       CASE WHEN each.attribute_type IN ('bytea'::regtype, 'jsonb'::regtype) THEN each.attribute_type ELSE 'text'::regtype END)
        INTO bad, bad_rows;
        IF bad_rows > 0 THEN
            RAISE EXCEPTION 'column "%" of table % has rows that are no ObjectId: %', each.attribute, each.relation, bad_rows
                USING ERRCODE = 'invalid_text_representation', DETAIL = format('The first is "%s".', left(bad, 100));
        END IF;
    END LOOP;
    EXECUTE format('SELECT %s.change_column_types($1, $2, $3)', extension_schema) USING "table", "column", objectid_type;
END;
$$;
COMMENT ON FUNCTION convert_to_objectid(regclass, name) IS 'makes a text, varchar, char, bytea or jsonb column an objectid, with all columns that refer to it by foreign keys; an error if any value is no ObjectId';
