# Moving from the functions for servers without C to the extension: no row is touched, what
# depends on the functions stays, and ids continue above.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $file = "$FindBin::RealBin/../snowflake.sql";
my $node = start_server('main');
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN');
$node->safe_psql('postgres', q{CREATE DATABASE moved OWNER app; ALTER DATABASE moved SET search_path = app;});
sub moved { return $node->safe_psql('moved', "SET SESSION AUTHORIZATION app;\n$_[0]"); }
sub move { return $node->psql('moved', "SET SESSION AUTHORIZATION app;\nSET lock_timeout = '$_[0]';\nBEGIN;\n" . slurp_file("$FindBin::RealBin/../to_extension.sql") . 'COMMIT;', on_error_stop => 1); }
moved('CREATE SCHEMA app; CREATE SCHEMA objectid; CREATE EXTENSION objectid_ext SCHEMA objectid;' . slurp_file($file) . q{
CREATE TABLE item (id bigint PRIMARY KEY, n integer,
	created timestamptz GENERATED ALWAYS AS (snowflake_timestamp(id, 'twitter')) STORED,
	CHECK (snowflake_node(id, 'twitter') = 5));
CREATE SEQUENCE item_id_seq OWNED BY item.id;
ALTER TABLE item ALTER id SET DEFAULT next_snowflake('item_id_seq', 5, 'twitter');
CREATE INDEX item_created ON item (snowflake_timestamp(id, 'twitter'));
CREATE VIEW recent AS SELECT * FROM item WHERE snowflake_within(id, tstzrange(now() - interval '1 hour', NULL), 'twitter');
INSERT INTO item (n) SELECT generate_series(1, 2000);});

# Another role that can create objects in the schema
$node->safe_psql('moved', q{CREATE ROLE other; GRANT CREATE, USAGE ON SCHEMA app TO other; SET ROLE other;
CREATE FUNCTION app.format(text, regclass) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
CREATE FUNCTION app.equal(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
CREATE OPERATOR app.= (FUNCTION = app.equal, LEFTARG = oid, RIGHTARG = regclass);});

# Other places of the default: a foreign table, a domain
$node->safe_psql('moved', q{CREATE FOREIGN DATA WRAPPER dummy; CREATE SERVER dummy FOREIGN DATA WRAPPER dummy; GRANT USAGE ON FOREIGN SERVER dummy TO app;});
moved(q{CREATE FOREIGN TABLE elsewhere (id bigint DEFAULT next_snowflake('item_id_seq', 5, 'twitter')) SERVER dummy;
CREATE DOMAIN item_key AS bigint DEFAULT next_snowflake('item_id_seq', 5, 'twitter');
CREATE TABLE by_domain (id item_key, n integer);});

# The file and the indexes, and what is defined
my $state = q{SET timezone = 'UTC';
	SELECT string_agg(pg_relation_filenode(oid)::text, ',' ORDER BY relname) FROM pg_class WHERE relname ~ '^item' AND relkind IN ('r', 'i');
	SELECT string_agg(pg_get_expr(adbin, adrelid), ',' ORDER BY adnum) FROM pg_attrdef; SELECT pg_get_indexdef('item_created'::regclass);
	SELECT md5(string_agg(i::text, ',' ORDER BY id)) FROM item i WHERE n <= 2000; SELECT snowflake_version();};
my $before = moved($state);
my $writer = $node->background_psql('moved');
$writer->query_safe(q{SET SESSION AUTHORIZATION app;});
foreach my $change ('INSERT INTO item (n) VALUES (2001)', 'INSERT INTO by_domain (n) VALUES (1)', q{COMMENT ON FOREIGN TABLE elsewhere IS 'locked'})
{
	$writer->query_safe("BEGIN; $change;");
	isnt(move('300ms'), 0, "the move waits for the transaction of $change");
	$writer->query_safe('COMMIT');
}
$writer->quit;
is(move('0'), 0, 'the move');
is(moved($state), $before, 'rows, files, defaults, generated column and index are as before');
moved('INSERT INTO item (n) SELECT generate_series(2002, 4000); ANALYZE item');
is(moved(q{SELECT count(*), count(*) FILTER (WHERE step <= 0), (SELECT count(*) FROM recent) FROM (SELECT id - lag(id) OVER (ORDER BY n) AS step FROM item) s}),
	'4000|0|4000', 'ids continue above');
like(moved(q{EXPLAIN (VERBOSE, COSTS OFF) INSERT INTO item (n) VALUES (1)}), qr/objectid\.next_snowflake\(/, 'the default is of the extension');
like(moved(q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT FROM item WHERE snowflake_timestamp(id, 'twitter') = now()}), qr/item_created.*Index Cond/s,
	'the expression index is used');
like(moved(q{SET enable_seqscan = off; EXPLAIN (COSTS OFF) SELECT FROM recent}), qr/item_pkey.*Index Cond: .*objectid.snowflake_lower/s, 'and the primary key by the view');
is(moved(q{SELECT (SELECT count(*) FROM snowflake_layouts()), snowflake_parts(make_snowflake('2026-01-01Z', 1, 2, 'js53'), 'js53') = ROW(timestamptz '2026-01-01Z', 1, 2),
	snowflake_sequence(2, 'twitter'), snowflake_floor('-infinity', 'js53'), snowflake_ceiling('-infinity', 'js53'), snowflake_lower('empty', 'js53'), snowflake_upper('empty', 'js53')}),
	'7|t|2|0|0|9007199254740991|0', 'all functions');

# A dump of the table goes to a database that has the extension alone.
$node->safe_psql('postgres', q{CREATE DATABASE restored; ALTER DATABASE restored SET search_path = app;});
$node->safe_psql('restored', 'CREATE SCHEMA app; CREATE EXTENSION objectid_ext SCHEMA app');
my $dump = PostgreSQL::Test::Utils::tempdir('dump') . '/item.sql';
$node->command_ok([ 'pg_dump', '-O', '-t', 'app.item', '-t', 'app.recent', '-f', $dump, $node->connstr('moved') ], 'a dump of the table');
$node->command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-f', $dump, $node->connstr('restored') ], 'is restored without the functions');
is($node->safe_psql('restored', q{INSERT INTO item (n) VALUES (5000); SELECT max(id) = max(id) FILTER (WHERE n = 5000), count(*) FROM item}), 't|4001', 'with the defaults');

done_testing();
