/* extension/objectid_ext--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION objectid_ext" to load this file. \quit

----------------------------------------------------------------------
-- Type and I/O
----------------------------------------------------------------------

CREATE TYPE objectid;

CREATE FUNCTION objectid_in(cstring) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_in(cstring) IS 'I/O: 24 hexadecimal digits, bare or as ObjectId("..."), ObjectId(''...''), ObjectId(...), "...", {"$oid":"..."}';

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
COMMENT ON FUNCTION objectid_typanalyze(internal) IS 'type analyze function: core''s statistics and a finer histogram, for narrow time ranges';

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
COMMENT ON TYPE objectid IS 'MongoDB ObjectId: 12 bytes of seconds since 1970, process identity and counter; sorts by time of creation';

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
COMMENT ON FUNCTION objectid_cmp(objectid, objectid) IS 'less-equal-greater, in unsigned byte order';

-- Core's estimators cannot interpolate between ids.
CREATE FUNCTION objectid_ineqsel(internal, oid, internal, integer) RETURNS double precision
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_ineqsel(internal, oid, internal, integer) IS 'restriction selectivity of <, <=, >= and >; interpolates in the histogram of objectid_typanalyze';

CREATE OPERATOR < (
    FUNCTION = objectid_lt, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = objectid_ineqsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (objectid, objectid) IS 'less than';

CREATE OPERATOR <= (
    FUNCTION = objectid_le, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = objectid_ineqsel, JOIN = scalarlejoinsel
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
    RESTRICT = objectid_ineqsel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (objectid, objectid) IS 'greater than or equal';

CREATE OPERATOR > (
    FUNCTION = objectid_gt, LEFTARG = objectid, RIGHTARG = objectid,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = objectid_ineqsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (objectid, objectid) IS 'greater than';

----------------------------------------------------------------------
-- btree
----------------------------------------------------------------------

CREATE FUNCTION objectid_sortsupport(internal) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_sortsupport(internal) IS 'sort support, with abbreviated keys';

-- STABLE, because the length of a day in an interval depends on TimeZone.
CREATE FUNCTION objectid_in_range(objectid, objectid, interval, boolean, boolean) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_in_range(objectid, objectid, interval, boolean, boolean) IS 'window RANGE support: compares the times in the ids; an error for a negative interval';

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
COMMENT ON OPERATOR CLASS objectid_ops USING btree IS 'unsigned byte order, which is the order of creation';
COMMENT ON OPERATOR FAMILY objectid_ops USING btree IS 'unsigned byte order, which is the order of creation';

----------------------------------------------------------------------
-- hash
----------------------------------------------------------------------

-- These two functions must never change, because they determine the hash
-- partition or shard in which a row is stored.

CREATE FUNCTION objectid_hash(objectid) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_hash(objectid) IS '32-bit hash; will not change between versions';

CREATE FUNCTION objectid_hash_extended(objectid, bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_hash_extended(objectid, bigint) IS '64-bit hash with a seed; will not change between versions';

CREATE OPERATOR CLASS objectid_ops
DEFAULT FOR TYPE objectid USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 objectid_hash(objectid),
    FUNCTION 2 objectid_hash_extended(objectid, bigint);
COMMENT ON OPERATOR CLASS objectid_ops USING hash IS 'hash of the 12 bytes; will not change between versions';
COMMENT ON OPERATOR FAMILY objectid_ops USING hash IS 'hash of the 12 bytes; will not change between versions';

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
COMMENT ON FUNCTION objectid_minmax_multi_distance(internal, internal) IS 'BRIN minmax-multi support: difference of two ids as 96-bit numbers';

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
COMMENT ON OPERATOR CLASS objectid_minmax_multi_ops USING brin IS 'several intervals of ids for each block range';
COMMENT ON OPERATOR FAMILY objectid_minmax_multi_ops USING brin IS 'several intervals of ids for each block range';

CREATE OPERATOR CLASS objectid_bloom_ops
FOR TYPE objectid USING brin AS
    OPERATOR 1 =,
    FUNCTION 1 brin_bloom_opcinfo(internal),
    FUNCTION 2 brin_bloom_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_bloom_consistent(internal, internal, internal, integer),
    FUNCTION 4 brin_bloom_union(internal, internal, internal),
    FUNCTION 5 brin_bloom_options(internal),
    FUNCTION 11 objectid_hash(objectid);
COMMENT ON OPERATOR CLASS objectid_bloom_ops USING brin IS 'Bloom filter of the ids of each block range';
COMMENT ON OPERATOR FAMILY objectid_bloom_ops USING brin IS 'Bloom filter of the ids of each block range';

----------------------------------------------------------------------
-- GiST
----------------------------------------------------------------------

CREATE FUNCTION objectid_gist_consistent(internal, objectid, smallint, oid, internal) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_consistent(internal, objectid, smallint, oid, internal) IS 'GiST support: can an entry contain a match?';

CREATE FUNCTION objectid_gist_union(internal, internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_union(internal, internal) IS 'GiST support: lowest and highest id of several entries';

CREATE FUNCTION objectid_gist_compress(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_compress(internal) IS 'GiST support: convert an id to the key of a leaf';

CREATE FUNCTION objectid_gist_penalty(internal, internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_penalty(internal, internal, internal) IS 'GiST support: by how much an entry grows to cover another';

CREATE FUNCTION objectid_gist_picksplit(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_picksplit(internal, internal) IS 'GiST support: divide a page into a lower and an upper part';

CREATE FUNCTION objectid_gist_same(bytea, bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_same(bytea, bytea, internal) IS 'GiST support: are two keys equal?';

CREATE FUNCTION objectid_gist_fetch(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_gist_fetch(internal) IS 'GiST support: convert the key of a leaf back to the id';

-- The strategy numbers are those of core's own classes, so that core's support
-- function can translate them (see below).
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
    -- an index build sorts the keys of the leaves, which are bytea
    FUNCTION 11 bytea_sortsupport(internal),
    STORAGE bytea;
COMMENT ON OPERATOR CLASS gist_objectid_ops USING gist IS 'lowest and highest id of each page, for exclusion constraints that include a range';
COMMENT ON OPERATOR FAMILY gist_objectid_ops USING gist IS 'lowest and highest id of each page, for exclusion constraints that include a range';

----------------------------------------------------------------------
-- Aggregates
----------------------------------------------------------------------

CREATE FUNCTION objectid_smaller(objectid, objectid) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_smaller(objectid, objectid) IS 'smaller of two';

CREATE FUNCTION objectid_larger(objectid, objectid) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_larger(objectid, objectid) IS 'larger of two';

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
COMMENT ON FUNCTION objectid_timestamp(objectid) IS 'time of creation, in whole seconds, from 1970-01-01 00:00:00+00 to 2106-02-07 06:28:15+00';

CREATE FUNCTION objectid_floor(timestamp with time zone) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_floor(timestamp with time zone) IS 'lowest id whose time is at or after this; all zeros before 1970, all ones after 2106';

CREATE FUNCTION objectid_after(timestamp with time zone) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_after(timestamp with time zone) IS 'lowest id whose time is after this; all zeros before 1970, all ones after 2106';

CREATE FUNCTION objectid_ceiling(timestamp with time zone) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION objectid_ceiling(timestamp with time zone) IS 'highest id whose time is at or before this; all zeros before 1970, all ones after 2106';

----------------------------------------------------------------------
-- Casts
----------------------------------------------------------------------

CREATE FUNCTION objectid_from_text(text) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_text(text) IS 'convert text, in any spelling that the input function accepts, to objectid';

CREATE FUNCTION objectid_from_bpchar(character) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_bpchar(character) IS 'convert from character, less the blanks that fill up the value';

CREATE FUNCTION objectid_from_bytea(bytea) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_bytea(bytea) IS 'convert 12 bytes to objectid; an error for any other length';

CREATE FUNCTION objectid_to_bytea(objectid) RETURNS bytea
AS 'MODULE_PATHNAME', 'objectid_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_to_bytea(objectid) IS 'convert objectid to its 12 bytes';

CREATE FUNCTION objectid_parts(
    id objectid,
    OUT created timestamp with time zone,
    OUT random bytea,
    OUT machine integer,
    OUT process integer,
    OUT counter integer
)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT objectid_timestamp(id), substr(bytes, 5, 5),
           get_byte(bytes, 4) * 65536 + get_byte(bytes, 5) * 256 + get_byte(bytes, 6),
           get_byte(bytes, 7) * 256 + get_byte(bytes, 8),
           get_byte(bytes, 9) * 65536 + get_byte(bytes, 10) * 256 + get_byte(bytes, 11)
    FROM objectid_to_bytea(id) AS bytes;
END;
COMMENT ON FUNCTION objectid_parts(objectid) IS 'time of creation in whole seconds, five bytes of process identity (also in the classic layout: 24-bit machine, 16-bit process), 24-bit counter';

CREATE FUNCTION objectid_extjson(objectid) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN ('{"$oid": "' || $1::text || '"}')::jsonb;
COMMENT ON FUNCTION objectid_extjson(objectid) IS 'id as MongoDB Extended JSON: {"$oid": "..."}';

CREATE FUNCTION objectid_from_jsonb(jsonb) RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION objectid_from_jsonb(jsonb) IS 'convert a JSON string in any spelling of an id, or {"$oid": "..."}, to objectid; JSON null to null';

CREATE FUNCTION objectid_from_json(json) RETURNS objectid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN objectid_from_jsonb($1::jsonb);
COMMENT ON FUNCTION objectid_from_json(json) IS 'convert a JSON string in any spelling of an id, or {"$oid": "..."}, to objectid; JSON null to null';

CREATE FUNCTION is_objectid(text) RETURNS boolean
AS 'MODULE_PATHNAME', 'is_objectid_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_objectid(text) IS 'would the cast to objectid succeed?';

CREATE FUNCTION is_objectid(bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN octet_length($1) = 12;
COMMENT ON FUNCTION is_objectid(bytea) IS 'would the cast to objectid succeed?';

CREATE FUNCTION is_objectid(jsonb) RETURNS boolean
AS 'MODULE_PATHNAME', 'is_objectid_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION is_objectid(jsonb) IS 'would the cast to objectid succeed?  Null for JSON null';

-- Assignment casts, so that INSERT of a string expression works without a cast.
-- No cast is implicit: an implicit cast from text would change the meaning of
-- unrelated comparisons.  The casts have functions rather than I/O conversion,
-- because postgres_fdw does not ship the latter.
CREATE CAST (text AS objectid) WITH FUNCTION objectid_from_text(text) AS ASSIGNMENT;
COMMENT ON CAST (text AS objectid) IS 'any spelling that the input function accepts';
CREATE CAST (varchar AS objectid) WITH FUNCTION objectid_from_text(text) AS ASSIGNMENT;
COMMENT ON CAST (varchar AS objectid) IS 'any spelling that the input function accepts';
CREATE CAST (character AS objectid) WITH FUNCTION objectid_from_bpchar(character) AS ASSIGNMENT;
COMMENT ON CAST (character AS objectid) IS 'any spelling that the input function accepts, less the blanks that fill up the value';

CREATE CAST (bytea AS objectid) WITH FUNCTION objectid_from_bytea(bytea);
COMMENT ON CAST (bytea AS objectid) IS '12 bytes; an error for any other length';
CREATE CAST (objectid AS bytea) WITH FUNCTION objectid_to_bytea(objectid);
COMMENT ON CAST (objectid AS bytea) IS 'the 12 bytes';

CREATE CAST (jsonb AS objectid) WITH FUNCTION objectid_from_jsonb(jsonb);
COMMENT ON CAST (jsonb AS objectid) IS 'a JSON string in any spelling of an id, or {"$oid": "..."}; null for JSON null';
CREATE CAST (json AS objectid) WITH FUNCTION objectid_from_json(json);
COMMENT ON CAST (json AS objectid) IS 'a JSON string in any spelling of an id, or {"$oid": "..."}; null for JSON null';
-- to_jsonb() does not use this cast: it makes a string of the digits.
CREATE CAST (objectid AS jsonb) WITH FUNCTION objectid_extjson(objectid);
COMMENT ON CAST (objectid AS jsonb) IS '{"$oid": "..."}';

CREATE FUNCTION extjson_to_jsonb(jsonb) RETURNS jsonb
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION extjson_to_jsonb(jsonb) IS 'MongoDB Extended JSON as plain JSON, whose values the input functions of the matching SQL types read';

-- Explicit, because the cast loses two thirds of the id.
CREATE CAST (objectid AS timestamp with time zone) WITH FUNCTION objectid_timestamp(objectid);
COMMENT ON CAST (objectid AS timestamp with time zone) IS 'time of creation';

----------------------------------------------------------------------
-- Comparison with text
----------------------------------------------------------------------

-- For clients that declare their string parameters as text or varchar.  The
-- planner rewrites these comparisons to id = text::objectid, so indexes,
-- partitions and joins only see objectid.  The operators are not members of an
-- operator family, because that would promise equal hashes.  The functions are
-- not leakproof, because the error for invalid text contains the text.

CREATE FUNCTION id_predicate_support(internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION id_predicate_support(internal) IS 'planner support: predicates on the time in an id become ranges of ids, comparisons of an objectid with text those with the cast';

CREATE FUNCTION objectid_lt_text(objectid, text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1 < $2::objectid;
COMMENT ON FUNCTION objectid_lt_text(objectid, text) IS 'implementation of < operator';

CREATE FUNCTION objectid_le_text(objectid, text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1 <= $2::objectid;
COMMENT ON FUNCTION objectid_le_text(objectid, text) IS 'implementation of <= operator';

CREATE FUNCTION objectid_eq_text(objectid, text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1 = $2::objectid;
COMMENT ON FUNCTION objectid_eq_text(objectid, text) IS 'implementation of = operator';

CREATE FUNCTION objectid_ne_text(objectid, text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1 <> $2::objectid;
COMMENT ON FUNCTION objectid_ne_text(objectid, text) IS 'implementation of <> operator';

CREATE FUNCTION objectid_ge_text(objectid, text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1 >= $2::objectid;
COMMENT ON FUNCTION objectid_ge_text(objectid, text) IS 'implementation of >= operator';

CREATE FUNCTION objectid_gt_text(objectid, text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1 > $2::objectid;
COMMENT ON FUNCTION objectid_gt_text(objectid, text) IS 'implementation of > operator';

CREATE FUNCTION text_lt_objectid(text, objectid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1::objectid < $2;
COMMENT ON FUNCTION text_lt_objectid(text, objectid) IS 'implementation of < operator';

CREATE FUNCTION text_le_objectid(text, objectid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1::objectid <= $2;
COMMENT ON FUNCTION text_le_objectid(text, objectid) IS 'implementation of <= operator';

CREATE FUNCTION text_eq_objectid(text, objectid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1::objectid = $2;
COMMENT ON FUNCTION text_eq_objectid(text, objectid) IS 'implementation of = operator';

CREATE FUNCTION text_ne_objectid(text, objectid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1::objectid <> $2;
COMMENT ON FUNCTION text_ne_objectid(text, objectid) IS 'implementation of <> operator';

CREATE FUNCTION text_ge_objectid(text, objectid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1::objectid >= $2;
COMMENT ON FUNCTION text_ge_objectid(text, objectid) IS 'implementation of >= operator';

CREATE FUNCTION text_gt_objectid(text, objectid) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support RETURN $1::objectid > $2;
COMMENT ON FUNCTION text_gt_objectid(text, objectid) IS 'implementation of > operator';

CREATE OPERATOR < (
    FUNCTION = objectid_lt_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (objectid, text) IS 'less than the text cast to objectid';

CREATE OPERATOR <= (
    FUNCTION = objectid_le_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (objectid, text) IS 'less than or equal to the text cast to objectid';

CREATE OPERATOR = (
    FUNCTION = objectid_eq_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (objectid, text) IS 'equal to the text cast to objectid';

CREATE OPERATOR <> (
    FUNCTION = objectid_ne_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (objectid, text) IS 'not equal to the text cast to objectid';

CREATE OPERATOR >= (
    FUNCTION = objectid_ge_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (objectid, text) IS 'greater than or equal to the text cast to objectid';

CREATE OPERATOR > (
    FUNCTION = objectid_gt_text, LEFTARG = objectid, RIGHTARG = text,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (objectid, text) IS 'greater than the text cast to objectid';

CREATE OPERATOR < (
    FUNCTION = text_lt_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (text, objectid) IS 'text cast to objectid is less than';

CREATE OPERATOR <= (
    FUNCTION = text_le_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (text, objectid) IS 'text cast to objectid is less than or equal to';

CREATE OPERATOR = (
    FUNCTION = text_eq_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (text, objectid) IS 'text cast to objectid is equal';

CREATE OPERATOR <> (
    FUNCTION = text_ne_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (text, objectid) IS 'text cast to objectid is not equal';

CREATE OPERATOR >= (
    FUNCTION = text_ge_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (text, objectid) IS 'text cast to objectid is greater than or equal to';

CREATE OPERATOR > (
    FUNCTION = text_gt_objectid, LEFTARG = text, RIGHTARG = objectid,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (text, objectid) IS 'text cast to objectid is greater than';

----------------------------------------------------------------------
-- Generation
----------------------------------------------------------------------

CREATE FUNCTION gen_objectid() RETURNS objectid
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gen_objectid() IS 'next id of this backend, greater than all its ids before';

CREATE FUNCTION gen_objectid(timestamp with time zone) RETURNS objectid
AS 'MODULE_PATHNAME', 'gen_objectid_at' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gen_objectid(timestamp with time zone) IS 'new id with the second of a timestamp, distinct from all others; its five bytes are random; the time must be from 1970 to 2106';

----------------------------------------------------------------------
-- 64-bit ids
----------------------------------------------------------------------

-- The division of the bits is a value of a separate type, so that one set of
-- functions supports all schemes.

CREATE TYPE snowflake_layout;

CREATE FUNCTION snowflake_layout_in(cstring) RETURNS snowflake_layout
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_in(cstring) IS 'I/O: name of a preset, or time:41,node:10,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z; and ;start=random';

CREATE FUNCTION snowflake_layout_out(snowflake_layout) RETURNS cstring
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_out(snowflake_layout) IS 'I/O: name of the preset if it is one, else the parts';

-- STABLE, as textrecv() is: the client's encoding has a part in it.
CREATE FUNCTION snowflake_layout_recv(internal) RETURNS snowflake_layout
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_recv(internal) IS 'I/O: the text form';

CREATE FUNCTION snowflake_layout_send(snowflake_layout) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_send(snowflake_layout) IS 'I/O: the text form, in parts even if it is a preset';

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
COMMENT ON TYPE snowflake_layout IS 'division of the bits of a 64-bit id: widths of time, node and sequence number, tick, epoch; where the numbers of a tick begin';

-- Layouts have equality and hashing, but no order.

CREATE FUNCTION snowflake_layout_eq(snowflake_layout, snowflake_layout) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_eq(snowflake_layout, snowflake_layout) IS 'implementation of = operator';

CREATE FUNCTION snowflake_layout_ne(snowflake_layout, snowflake_layout) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE RETURN NOT snowflake_layout_eq($1, $2);
COMMENT ON FUNCTION snowflake_layout_ne(snowflake_layout, snowflake_layout) IS 'implementation of <> operator';

CREATE FUNCTION snowflake_layout_hash(snowflake_layout) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_hash(snowflake_layout) IS '32-bit hash of the parts; will not change between versions';

CREATE FUNCTION snowflake_layout_hash_extended(snowflake_layout, bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_layout_hash_extended(snowflake_layout, bigint) IS '64-bit hash of the parts, with a seed; will not change between versions';

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

-- Packing, decoding, bounds

CREATE FUNCTION make_snowflake(ts timestamp with time zone, node integer, seq integer, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION make_snowflake(timestamp with time zone, integer, integer, snowflake_layout) IS 'id of a time (rounded down to its tick), a node and a sequence number; an error if one of them does not fit its field';

CREATE FUNCTION snowflake_timestamp(id bigint, layout snowflake_layout) RETURNS timestamp with time zone
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_timestamp(bigint, snowflake_layout) IS 'beginning of the tick of the id; an error for an id that is negative or past the layout''s end';

CREATE FUNCTION snowflake_node(id bigint, layout snowflake_layout) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_node(bigint, snowflake_layout) IS 'node, or shard, of the id, 0 if the layout has no nodes; an error for an id that is negative or past the layout''s end';

CREATE FUNCTION snowflake_sequence(id bigint, layout snowflake_layout) RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_sequence(bigint, snowflake_layout) IS 'sequence number of the id; an error for an id that is negative or past the layout''s end';

CREATE FUNCTION snowflake_parts(
    id bigint,
    layout snowflake_layout,
    OUT created timestamp with time zone,
    OUT node integer,
    OUT sequence integer
)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT snowflake_timestamp(id, layout), snowflake_node(id, layout), snowflake_sequence(id, layout);
END;
COMMENT ON FUNCTION snowflake_parts(bigint, snowflake_layout) IS 'time, node and sequence number of the id; an error for an id that is negative or past the layout''s end';

CREATE FUNCTION snowflake_floor(ts timestamp with time zone, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_floor(timestamp with time zone, snowflake_layout) IS 'lowest id whose time is at or after this; 0 before the epoch, the highest id past the end';

CREATE FUNCTION snowflake_ceiling(ts timestamp with time zone, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_ceiling(timestamp with time zone, snowflake_layout) IS 'highest id whose time is at or before this; 0 before the epoch, the highest id past the end';

CREATE FUNCTION snowflake_lower("range" tstzrange, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_lower(tstzrange, snowflake_layout) IS 'lowest id whose time is in the range; the highest of all if there is none';

CREATE FUNCTION snowflake_upper("range" tstzrange, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_upper(tstzrange, snowflake_layout) IS 'highest id whose time is in the range; 0 if there is none';

-- STABLE, because later versions can have more presets.
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
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 7
BEGIN ATOMIC
    SELECT preset, parts,
           substring(parts FROM 'time:([0-9]+)')::integer,
           coalesce(substring(parts FROM 'node:([0-9]+)')::integer, 0),
           coalesce(substring(parts FROM 'seq:([0-9]+)')::integer, 0),
           tick, snowflake_timestamp(0, preset),
           ((snowflake_sequence(highest, preset) + 1)::numeric / extract(epoch FROM tick))::bigint,
           snowflake_timestamp(highest, preset)
    FROM pg_catalog.unnest('{instagram,twitter,discord,sonyflake,mastodon,pgedge,js53}'::snowflake_layout[]) AS preset,
         LATERAL (SELECT encode(snowflake_layout_send(preset), 'escape') AS parts, snowflake_ceiling('infinity', preset) AS highest) AS p,
         LATERAL (SELECT substring(parts FROM 'tick=([^;]+)')::interval AS tick) AS t;
END;
COMMENT ON FUNCTION snowflake_layouts() IS 'preset layouts; widths are in bits, ids_per_second is for one node, last_instant is the beginning of the last tick';

-- Generators.  Both change a sequence, so parallel queries must not call them.

-- Upper limit for the time in ids of next_shard_id(), in microseconds since 1970.
-- Ids start there after a crash.  Dumps include it, so it is readable by all
-- roles, and the owner of the database can set it in a restore.  With this increment,
-- nextval(), for which GRANT USAGE ON ALL SEQUENCES is enough, is an error.
CREATE SEQUENCE shard_id_reservation INCREMENT 9223372036854775807;
COMMENT ON SEQUENCE shard_id_reservation IS 'upper limit for the time in ids of next_shard_id(), in microseconds since 1970; internal to the function; a role that can set it can move all later ids into the future';
REVOKE ALL ON SEQUENCE shard_id_reservation FROM PUBLIC;
GRANT SELECT ON SEQUENCE shard_id_reservation TO PUBLIC;
GRANT UPDATE ON SEQUENCE shard_id_reservation TO pg_database_owner;
-- The ids of an extension that was dropped are below this, unless they led the clock.
SELECT pg_catalog.setval('shard_id_reservation', pg_catalog.int8(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.*) 1000000::double precision));
SELECT pg_catalog.pg_extension_config_dump('shard_id_reservation', '');

CREATE FUNCTION next_shard_id(shard integer, seq bigint, layout snowflake_layout DEFAULT 'instagram') RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION next_shard_id(integer, bigint, snowflake_layout) IS 'id of the current tick, a shard and the low bits of a sequence number; never repeats an id of a layout in a database, even if numbers repeat; waits rather than lead the clock by more than objectid_ext.max_clock_lead';

CREATE FUNCTION snowflake_node_id() RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION snowflake_node_id() IS 'node of this server, the setting objectid_ext.node_id; an error if it is not set';

CREATE FUNCTION next_snowflake(seq regclass, node integer, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION next_snowflake(regclass, integer, snowflake_layout) IS 'next id of a node from a clock kept in a sequence; greater than all ids taken from the sequence before, even if the wall clock is set back; waits rather than lead the clock by more than objectid_ext.max_clock_lead';

CREATE FUNCTION next_snowflake(seq regclass, layout snowflake_layout) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION next_snowflake(regclass, snowflake_layout) IS 'the same for the node of this server, snowflake_node_id(); an error if it is not set';

-- Bounds of feeds.  They are procedures, because CALL cannot be part of a query,
-- whose snapshot would be older than the bound.

CREATE PROCEDURE settled_snowflake(seq regclass, INOUT upto bigint)
AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON PROCEDURE settled_snowflake(regclass, bigint) IS 'sets upto to a bound: later statements see every row whose id from this sequence is at or below it, and no such row appears later; an open transaction that has taken ids lowers it; an error on a standby, and above READ COMMITTED';

CREATE PROCEDURE settled_shard_id(layout snowflake_layout, INOUT upto bigint)
AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON PROCEDURE settled_shard_id(snowflake_layout, bigint) IS 'sets upto to a bound: later statements see every row whose id of next_shard_id() in this layout, of any shard, is at or below it, and no such row appears later; an open transaction that has taken ids lowers it; -1 if there is none; an error on a standby, and above READ COMMITTED';

----------------------------------------------------------------------
-- Time ranges
----------------------------------------------------------------------

-- The planner rewrites each predicate of this section to comparisons of ids,
-- which can use indexes and prune partitions.

-- There is no = between objectid and timestamptz, because with a cross-type
-- equality operator Citus prunes the wrong shard.  These operators are not
-- members of an operator family either.

CREATE FUNCTION objectid_lt_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION objectid_lt_timestamptz(objectid, timestamp with time zone) IS 'implementation of < operator';

CREATE FUNCTION objectid_le_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION objectid_le_timestamptz(objectid, timestamp with time zone) IS 'implementation of <= operator';

CREATE FUNCTION objectid_ge_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION objectid_ge_timestamptz(objectid, timestamp with time zone) IS 'implementation of >= operator';

CREATE FUNCTION objectid_gt_timestamptz(objectid, timestamp with time zone) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION objectid_gt_timestamptz(objectid, timestamp with time zone) IS 'implementation of > operator';

CREATE FUNCTION timestamptz_lt_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION timestamptz_lt_objectid(timestamp with time zone, objectid) IS 'implementation of < operator';

CREATE FUNCTION timestamptz_le_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION timestamptz_le_objectid(timestamp with time zone, objectid) IS 'implementation of <= operator';

CREATE FUNCTION timestamptz_ge_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION timestamptz_ge_objectid(timestamp with time zone, objectid) IS 'implementation of >= operator';

CREATE FUNCTION timestamptz_gt_objectid(timestamp with time zone, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE SUPPORT id_predicate_support;
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

-- Declared for anyrange, although only tstzrange is useful.  An operator on
-- tstzrange would be a closer match for an untyped literal than core's, and
-- would change the meaning of tstzrange @> '[...)'.

CREATE FUNCTION objectid_within(objectid, anyrange) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION objectid_within(objectid, anyrange) IS 'implementation of <@ operator';

CREATE FUNCTION range_contains_objectid(anyrange, objectid) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support;
COMMENT ON FUNCTION range_contains_objectid(anyrange, objectid) IS 'implementation of @> operator';

CREATE OPERATOR <@ (
    FUNCTION = objectid_within, LEFTARG = objectid, RIGHTARG = anyrange,
    COMMUTATOR = @>, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR <@ (objectid, anyrange) IS 'created in the range';

CREATE OPERATOR @> (
    FUNCTION = range_contains_objectid, LEFTARG = anyrange, RIGHTARG = objectid,
    COMMUTATOR = <@, RESTRICT = contsel, JOIN = contjoinsel
);
COMMENT ON OPERATOR @> (anyrange, objectid) IS 'contains the time of creation';

CREATE FUNCTION snowflake_within(id bigint, "range" tstzrange, layout snowflake_layout) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support
RETURN id >= snowflake_lower("range", layout) AND id <= snowflake_upper("range", layout);
COMMENT ON FUNCTION snowflake_within(bigint, tstzrange, snowflake_layout) IS 'is the time of the id in the range? can use an index on the id; false for an id that is negative or past the layout''s end';

----------------------------------------------------------------------
-- Version-7 UUIDs
----------------------------------------------------------------------

CREATE FUNCTION uuidv7_timestamp(uuid) RETURNS timestamp with time zone
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_timestamp(uuid) IS 'time in a version-7 UUID, in whole milliseconds; the version is not checked';

CREATE FUNCTION uuidv7_floor(timestamp with time zone) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_floor(timestamp with time zone) IS 'lowest version-7 UUID whose time is at or after this; the lowest of all before 1970, the highest past the end';

CREATE FUNCTION uuidv7_ceiling(timestamp with time zone) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_ceiling(timestamp with time zone) IS 'highest version-7 UUID whose time is at or before this; the lowest of all before 1970, the highest past the end';

CREATE FUNCTION uuidv7_lower(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_lower(tstzrange) IS 'lowest version-7 UUID whose time is in the range; the highest of all if there is none';

CREATE FUNCTION uuidv7_upper(tstzrange) RETURNS uuid
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION uuidv7_upper(tstzrange) IS 'highest version-7 UUID whose time is in the range; the lowest of all if there is none';

CREATE FUNCTION uuidv7_within(id uuid, "range" tstzrange) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SUPPORT id_predicate_support
RETURN id >= uuidv7_lower("range") AND id <= uuidv7_upper("range");
COMMENT ON FUNCTION uuidv7_within(uuid, tstzrange) IS 'is the time of a version-7 UUID in the range? can use an index on the id';

----------------------------------------------------------------------
-- Neighbours: ranges of a sequence, many sequences, digits, masks
----------------------------------------------------------------------

CREATE FUNCTION nextval_range(seq regclass, count bigint, OUT first bigint, OUT last bigint, OUT step bigint)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION nextval_range(regclass, bigint) IS 'take the next count values of a sequence in one step, in FROM only: SELECT * FROM nextval_range(...); generate_series(first, last, step) lists them; an error if fewer are left';

CREATE FUNCTION nextval_any(sequences regclass[]) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION nextval_any(regclass[]) IS 'next value of one of the sequences, chosen at random among those that have values left; an error if none has';

CREATE FUNCTION random_digits(digits integer) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION random_digits(integer) IS 'random number, uniform over [0, 10^digits), from the strong random source; digits is from 1 to 18';

-- These two must never change, because numbers that they produced are stored.

CREATE FUNCTION permute_digits(value bigint, digits integer, key bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION permute_digits(bigint, integer, bigint) IS 'keyed permutation of [0, 10^digits), digits from 1 to 18; hides the order, but is not encryption; will not change between versions';

CREATE FUNCTION unpermute_digits(value bigint, digits integer, key bigint) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION unpermute_digits(bigint, integer, bigint) IS 'inverse of permute_digits(); will not change between versions';

-- Nor may these.

CREATE FUNCTION mask_snowflake(id bigint, key bytea) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION mask_snowflake(bigint, bytea) IS 'keyed permutation of [0, 2^63) that hides the time and order of ids; the key has 16 bytes; an error for a negative id; will not change between versions';

CREATE FUNCTION unmask_snowflake(masked bigint, key bytea) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION unmask_snowflake(bigint, bytea) IS 'inverse of mask_snowflake(); will not change between versions';
