# A standby takes over for one of two writable servers.  From PostgreSQL 17 on, it has the
# slot of the other, which continues; before, the other copies the rows of that node again,
# with the statements of the page.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Document;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $conf = "wal_level = logical\nwal_receiver_status_interval = 1\n";
my $one = start_server('one', allows_streaming => 'logical', conf => "${conf}objectid_ext.node_id = 1");
my $two = start_server('two', allows_streaming => 'logical', conf => "${conf}objectid_ext.node_id = 2");
my $has_failover_slots = $one->safe_psql('postgres', 'SHOW server_version_num') >= 170000;

sub run_example
{
	my ($server, $file, @variables) = @_;
	$server->command_ok([ 'psql', '-XqAt', '-d', $server->connstr('postgres'), (map { ('-v', $_) } @variables), '-f', "examples/sharding/$file.sql" ],
		"$file on " . $server->name);
}
$one->safe_psql('postgres', 'DROP EXTENSION objectid_ext');     # the example creates it
run_example($_, 'writable_server') foreach $one, $two;
run_example($two, 'join_server', 'table=orders', 'other=1', 'conninfo=' . $one->connstr('postgres'));
$two->wait_for_subscription_sync;

# A standby of node 1, on which no row of the other server waits, and the settings of the page
$one->append_conf('postgresql.conf', "synchronized_standby_slots = 'standby_of_one'\n") if $has_failover_slots;
$one->safe_psql('postgres', q{SELECT pg_create_physical_replication_slot('standby_of_one', true)});
$one->reload;
$one->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($one, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', "primary_slot_name = 'standby_of_one'\nhot_standby_feedback = on\n");
if ($has_failover_slots)
{
	my $conninfo = $one->connstr('postgres') =~ s/'/''/gr;
	$standby->append_conf('postgresql.conf', "sync_replication_slots = on\nprimary_conninfo = '$conninfo'\n");
	$two->safe_psql('postgres', 'ALTER SUBSCRIPTION orders_1_to_2 DISABLE; ALTER SUBSCRIPTION orders_1_to_2 SET (failover = true); ALTER SUBSCRIPTION orders_1_to_2 ENABLE');
}
$standby->start;
if ($has_failover_slots)
{
	$standby->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_replication_slots WHERE slot_name = 'orders_1_to_2' AND synced AND NOT temporary})
	  or die 'the slot is not on the standby';
}

# Rows that the standby has, and the other server has not.
$one->safe_psql('postgres', q{INSERT INTO orders (item) SELECT 'before' FROM generate_series(1, 100)});
$one->wait_for_catchup('orders_1_to_2');
$two->safe_psql('postgres', 'ALTER SUBSCRIPTION orders_1_to_2 DISABLE');
$one->poll_query_until('postgres', q{SELECT NOT active FROM pg_replication_slots WHERE slot_name = 'orders_1_to_2'}) or die 'the slot is in use';
$one->safe_psql('postgres', q{INSERT INTO orders (item) SELECT 'late' FROM generate_series(1, 1000)});
$one->wait_for_catchup($standby);
kill_server($one);
$standby->promote;
$standby->safe_psql('postgres', q{INSERT INTO orders (item) SELECT 'after' FROM generate_series(1, 100)});

my $conninfo = $standby->connstr('postgres') =~ s/'/''/gr;
if ($has_failover_slots)
{
	# The slot of a standby that it does not have would hold the others back for ever.
	$standby->append_conf('postgresql.conf', "synchronized_standby_slots = ''\n");
	$standby->reload;
	$two->safe_psql('postgres', "ALTER SUBSCRIPTION orders_1_to_2 CONNECTION '$conninfo'; ALTER SUBSCRIPTION orders_1_to_2 ENABLE");
}
else
{
	my ($statements) = map { $_->{text} } grep { ($_->{in} // '') eq 't/065_writer_failover.pl' } blocks('docs/sharding.md');
	$two->safe_psql('postgres', $statements =~ s/'host=b2 [^']*'/'$conninfo'/r);
}
$two->wait_for_subscription_sync($standby, 'orders_1_to_2');
$standby->wait_for_catchup('orders_1_to_2');
my $rows = q{SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE item = 'late') FROM orders};
is($two->safe_psql('postgres', $rows), '1200|1200|1000', 'the other server has all rows of the node, each once');
is($standby->safe_psql('postgres', $rows), '1200|1200|1000', 'as the promoted one');
like(($two->psql('postgres', q{DELETE FROM orders WHERE item = 'late'}))[2], qr/is of another server/, 'its trigger is enabled');

$standby->safe_psql('postgres', q{INSERT INTO orders (item) VALUES ('later')});
$standby->wait_for_catchup('orders_1_to_2');
is($two->safe_psql('postgres', 'SELECT count(*) FROM orders'), '1201', 'and replication goes on');

$two->stop;
$standby->stop;
done_testing();
