# Eight clients while their server is lost and a standby is promoted, and on two
# servers whose rows are merged by logical replication: no id is issued twice.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

plan skip_all => 'runs with --long' unless is_long();

my $seconds = 5;
my $conf = q{
shared_buffers = 64MB
client_min_messages = error
};

#
# A standby is promoted
#
foreach my $kind ('asynchronous', 'synchronous')
{
	my $primary = start_server("primary_$kind", allows_streaming => 1, conf => $conf);
	create_keyed_tables($primary);
	$primary->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new("standby_$kind");
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	$standby->start;
	if ($kind eq 'synchronous')
	{
		$primary->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
		$primary->reload;
		$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
		  or die 'the standby does not become synchronous';
	}

	# A plain sequence, and ranges, repeat values that only the lost server
	# knew.  The others do not, because the clock has advanced.
	my @generators = generators_but($kind eq 'synchronous' ? () : 'range');
	my @clients = start_clients($primary, generators => \@generators);
	sleep $seconds;
	$primary->stop('immediate');
	my @history = end_clients(@clients);
	$standby->promote;
	$standby->append_conf('postgresql.conf', "synchronous_standby_names = ''");
	$standby->reload;
	@clients = start_clients($standby, generators => \@generators);
	sleep $seconds;
	push @history, end_clients(@clients);

	# Ids of next_shard_id() begin at what was reserved, which adds to their lead.
	history_is_sound(\@history, "$kind standby", generators => \@generators, shard_lead => 2.2);
	indexes_are_sound($standby, "$kind standby");
	$standby->stop;
}

#
# Two servers, merged on a third
#
my @generators = generators_but('range');
my $merged = start_server('merged', allows_streaming => 'logical', conf => $conf);
create_keyed_tables($merged);
my %servers = map { $_ => start_server("server_$_", allows_streaming => 'logical', conf => $conf) } (5, 6);
my %binary = (5 => 'false', 6 => 'true');
foreach my $number (sort keys %servers)
{
	my $server = $servers{$number};
	create_keyed_tables($server, $number);
	$server->safe_psql('postgres', 'CREATE PUBLICATION ids FOR ALL TABLES');
	# There are rows to copy, and rows to stream.
	$server->safe_psql('postgres', "INSERT INTO by_$_ (client) SELECT generate_series(1, 1000)")
	  foreach 'cache_1', 'cache_64', 'objectid';
	$merged->safe_psql('postgres', "CREATE SUBSCRIPTION from_$number CONNECTION '"
		  . $server->connstr . " dbname=postgres' PUBLICATION ids WITH (binary = $binary{$number})");
}
my %clients = map { $_ => [ start_clients($servers{$_}, count => 4, shard => 10 * $_, node => $_, generators => \@generators) ] }
  keys %servers;
sleep $seconds;
my @history = map { end_clients(@{ $clients{$_} }) } (5, 6);
history_is_sound(\@history, 'two servers', generators => \@generators);

foreach my $number (5, 6)
{
	$merged->wait_for_subscription_sync($servers{$number}, "from_$number")
	  if $merged->can('wait_for_subscription_sync');
	$servers{$number}->wait_for_catchup("from_$number");
}
foreach my $generator (@generators)
{
	my $rows = "SELECT id, client FROM by_$generator ORDER BY id";
	my @here = sort split /\n/, $merged->safe_psql('postgres', $rows);
	my @there = sort map { split /\n/, $servers{$_}->safe_psql('postgres', $rows) } (5, 6);
	is(scalar @here, scalar @there, 'two servers: their ' . @there . " rows by $generator are on the third");
	is("@here" eq "@there", 1, "two servers: and the same there, by $generator");
}
indexes_are_sound($merged, 'two servers');
$_->stop foreach $merged, values %servers;

done_testing();
