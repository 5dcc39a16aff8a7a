
----------------------------------------------------------------------
-- PostgreSQL 18 or later
----------------------------------------------------------------------

-- Keys WITHOUT OVERLAPS ask for the strategy number of equality.
ALTER OPERATOR FAMILY gist_objectid_ops USING gist ADD
    FUNCTION 12 (pg_catalog."any", pg_catalog."any") pg_catalog.gist_translate_cmptype_common(integer);
