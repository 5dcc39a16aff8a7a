# Conversion of a table in use, and transactions on a standby: one whose snapshot is
# older than the filling of the rows does not see nulls afterwards; it ends.
#
# The removal of any row version that is newer than its snapshot ends it, also in a
# catalog.  That happens to every transaction here, sooner or later.  What ensures it
# is that no version remains that the filling has replaced in the table of progress.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = start_server('primary', allows_streaming => 1);
my $pageinspect = $primary->psql('postgres', 'CREATE EXTENSION pageinspect') == 0;
$primary->safe_psql('postgres', q{
	CREATE TABLE other ();
	CREATE TABLE document (d jsonb);
	CREATE TABLE account (id serial PRIMARY KEY, created_at timestamptz);
	INSERT INTO document SELECT to_jsonb(gen_objectid()::text) FROM generate_series(1, 100);
	INSERT INTO account (created_at) SELECT '2026-01-01 00:00:00+00' FROM generate_series(1, 100)});
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = 0');
$standby->start;

sub convert
{
	my $client = start_client($primary, "SELECT statement FROM objectid_ext_tools.$_[0] ORDER BY step \\gexec\n");
	$client->{run}->finish or diag(slurp_file($client->{errors}));
}

foreach my $test (
	[ 'document', 'd', "objectid_conversion_steps('document', 'd')", 'objectid' ],
	[ 'account', 'id', "snowflake_conversion_steps('account', 'id', 5, 'twitter', created_at => 'created_at')", 'bigint' ])
{
	my ($table, $column, $function, $type) = @$test;
	my $old = $standby->background_psql('postgres', on_error_stop => 0);
	$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM other');
	convert("$function WHERE statement !~ 'finish'");
	SKIP:
	{
		skip 'pageinspect is not installed (on Red Hat and its kin postgresqlNN-contrib)', 1 unless $pageinspect;
		is($primary->safe_psql('postgres', q{
			SELECT count(*) FROM pg_class, heap_page_items(get_raw_page(oid::regclass::text, 0))
			WHERE relname ~ '^_objectid_ext_.{16}$' AND relkind = 'r' AND lp_len > 0 AND t_xmax::text <> '0'}),
			0, "$table: no replaced row version of the progress is left");
	}
	convert($function);
	$primary->wait_for_catchup($standby);
	my $nulls = eval { $old->query("SELECT count(*) FROM $table WHERE $column IS NULL") };
	unlike($nulls // '', qr/\d/, "$table: a transaction on the standby with an old snapshot ends");
	eval { $old->quit };
	is($standby->safe_psql('postgres', "SELECT count($column), min(pg_typeof($column)::text) FROM $table"), "100|$type", "$table: another one sees all values");
}

# What looks like the progress of a conversion, but is not on the standby
$primary->safe_psql('postgres', q{
	CREATE UNLOGGED TABLE _objectid_ext_x (relation regclass, filenode oid, pages bigint, page bigint, "rows" bigint, batch integer,
		started timestamptz, seconds float8, wait oid, root regclass, attribute name);
	COMMENT ON TABLE _objectid_ext_x IS 'objectid_ext_tools: conversion of x';
	INSERT INTO _objectid_ext_x (relation, root, attribute) VALUES (0, 0, 'dropped')});
is($primary->safe_psql('postgres', 'SELECT count(*) FROM objectid_ext_tools.conversion_progress'), 1, 'an unlogged table shows progress');
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', 'SELECT count(*) FROM objectid_ext_tools._live_progress((SELECT oid FROM pg_class WHERE relname = $$_objectid_ext_x$$))'), 0, 'it has no rows on a standby');
is($standby->safe_psql('postgres', 'SELECT count(*) FROM objectid_ext_tools.conversion_progress'), 0, 'and the view does not fail there');

$standby->stop;
$primary->stop;
done_testing();
