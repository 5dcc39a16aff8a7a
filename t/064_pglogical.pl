# pglogical: a clock sequence in a replication set is set to the value of the other server,
# even if its own is higher; left out of the set, both servers' ids and rows are right.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %server = map { $_ => start_server("node_$_", allows_streaming => 'logical', conf => "objectid_ext.node_id = $_\n") } 1, 2;
if ($server{1}->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pglogical'}) == 0)
{
	$_->stop foreach values %server;
	plan skip_all => 'pglogical is not installed (postgresql-NN-pglogical)';
}

# The minor releases of 2026 ask for the names of output plugins.
my $plugins = $server{1}->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'})
  ? "output_plugin_libraries = 'pglogical_output'\n" : '';
foreach my $node (1, 2)
{
	$server{$node}->append_conf('postgresql.conf', "${plugins}shared_preload_libraries = 'pglogical'\ntrack_commit_timestamp = on\n");
	$server{$node}->restart;
	my $dsn = $server{$node}->connstr('postgres') =~ s/'/''/gr;
	$server{$node}->safe_psql('postgres', qq{
		CREATE EXTENSION pglogical;
		SELECT pglogical.create_node('node_$node', '$dsn');
		CREATE SEQUENCE orders_id CACHE 64;
		CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT next_snowflake('orders_id', 'twitter'), item text);
		SELECT pglogical.replication_set_add_table('default', 'orders')});
}
foreach my $pair ([ 1, 2 ], [ 2, 1 ])
{
	my ($from, $to) = @$pair;
	my $dsn = $server{$from}->connstr('postgres') =~ s/'/''/gr;
	$server{$to}->safe_psql('postgres', qq{
		SELECT pglogical.create_subscription('from_$from', '$dsn', '{default}', synchronize_structure := false, synchronize_data := false, forward_origins := '{}')});
	$server{$to}->poll_query_until('postgres', q{SELECT status = 'replicating' FROM pglogical.show_subscription_status()}) or die 'no subscription';
}

# Without the sequences: writers on both
my @writers = map { start_client($server{$_}, q{
	SELECT 'INSERT INTO orders (item) SELECT ''x'' FROM generate_series(1, 20)' FROM generate_series(1, 100) \gexec}) } 1, 1, 2, 2;
ok($_->{run}->finish, 'a session ends without an error') or diag(slurp_file($_->{errors})) foreach @writers;
foreach my $node (1, 2)
{
	$server{$node}->poll_query_until('postgres', 'SELECT count(*) = 8000 FROM orders')
	  or die "node $node has " . $server{$node}->safe_psql('postgres', 'SELECT count(*) FROM orders');
	is($server{$node}->safe_psql('postgres', q{SELECT count(*), count(DISTINCT id), count(DISTINCT snowflake_node(id, 'twitter')) FROM orders}), '8000|8000|2',
		"node $node has the rows of both, each once");
}

# With them: the value of server 2 goes back.
my $value = q{SELECT last_value FROM orders_id};
$server{2}->safe_psql('postgres', q{SELECT setval('orders_id', make_snowflake(now() + interval '1 hour', 2, 0, 'twitter'))});
my $before = $server{2}->safe_psql('postgres', $value);
$server{1}->safe_psql('postgres', q{
	SELECT pglogical.create_replication_set('sequences');
	SELECT pglogical.replication_set_add_sequence('sequences', 'orders_id')});
$server{2}->safe_psql('postgres', q{SELECT pglogical.alter_subscription_add_replication_set('from_1', 'sequences')});
$server{1}->safe_psql('postgres', q{SELECT pglogical.synchronize_sequence('orders_id')});
ok($server{2}->poll_query_until('postgres', "SELECT last_value < $before FROM orders_id"), 'a sequence in a replication set is set back, as the page says');

$_->stop foreach values %server;
done_testing();
