# Conversion of a table in use, and transactions on a standby: one whose snapshot is
# older than the filling of the rows does not see nulls afterwards; it ends.  The removal
# of the old versions, by the VACUUM before the indexes, ensures it.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = start_server('primary', allows_streaming => 1, conf => 'autovacuum = off');
my $pageinspect = $primary->psql('postgres', 'CREATE EXTENSION pageinspect') == 0;
$primary->safe_psql('postgres', q{
	CREATE TABLE other ();
	CREATE TABLE document (d text PRIMARY KEY);
	CREATE TABLE account (id serial PRIMARY KEY);
	INSERT INTO document SELECT gen_objectid() FROM generate_series(1, 20);
	INSERT INTO account SELECT FROM generate_series(1, 20)});
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = 0');
$standby->start;

foreach my $test (
	[ 'document', 'd', "objectid_conversion_steps('document', 'd')", 'objectid' ],
	[ 'account', 'id', "snowflake_conversion_steps('account', 'id', 5, 'twitter')", 'bigint' ])
{
	my ($table, $column, $function, $type) = @$test;
	my $old = $standby->background_psql('postgres', on_error_stop => 0);
	$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM other');
	my $client = start_client($primary, "SELECT statement FROM objectid_ext_tools.$function ORDER BY step \\gexec\n");
	ok($client->{run}->finish, "$table: converted") or diag(slurp_file($client->{errors}));
	# xmax of others is that of a lock, by HEAP_XMAX_LOCK_ONLY
	SKIP:
	{
		skip 'pageinspect is not installed (on Red Hat and its kin postgresqlNN-contrib)', 1 unless $pageinspect;
		is($primary->safe_psql('postgres', "SELECT count(*) FROM heap_page_items(get_raw_page('$table', 0)) WHERE lp_len > 0 AND t_xmax::text <> '0' AND t_infomask & 128 = 0"),
			0, "$table: no version of a row is left that the filling has replaced");
	}
	$primary->wait_for_catchup($standby);
	my $nulls = eval { $old->query("SELECT count(*) FROM $table WHERE $column IS NULL") };
	unlike($nulls // '', qr/\d/, "$table: a transaction on the standby with an old snapshot ends");
	eval { $old->quit };
	is($standby->safe_psql('postgres', "SELECT count($column), min(pg_typeof($column)::text) FROM $table"), "20|$type", "$table: another one sees all values");
}

# The progress is that of the schema, which the standby has.
my $client = start_client($primary, "CREATE TABLE half (id serial PRIMARY KEY);\n"
	. "SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('half', 'id', 5, 'twitter') ORDER BY step LIMIT 1 \\gexec\n");
ok($client->{run}->finish, 'begun');
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', 'SELECT * FROM objectid_ext_tools.conversion_progress'), 'half|half|filling|', 'a standby shows the progress');

$standby->stop;
$primary->stop;
done_testing();
