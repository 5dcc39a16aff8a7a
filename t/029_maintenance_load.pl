# Eight clients insert while their tables and indexes are rebuilt.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'runs with --long' unless is_long();

my $node = start_server('main', conf => q{
shared_buffers = 64MB
client_min_messages = error
});
create_keyed_tables($node);

my @clients = start_clients($node, rollback => 0);
foreach my $round (1 .. 6)
{
	foreach my $table (map { "by_$_" } generators_but())
	{
		$node->safe_psql('postgres', $_)
		  foreach "VACUUM FULL $table",
		  "REINDEX TABLE CONCURRENTLY $table",
		  "CLUSTER $table USING ${table}_pkey",
		  "VACUUM ANALYZE $table";
	}
}
my @history = end_clients(@clients);
history_is_sound(\@history, 'tables rebuilt');
indexes_are_sound($node, 'tables rebuilt');

# All ids that clients received are in the tables.  The last statement of each
# client may have completed without a reply.
my %seen;
foreach my $line (map { @{ $_->{lines} } } @history) { $seen{$1}++ if $line =~ /^(\w+)/; }
foreach my $generator (sort keys %seen)
{
	my $rows = $node->safe_psql('postgres', "SELECT count(*) FROM by_$generator");
	ok($rows >= $seen{$generator} && $rows <= $seen{$generator} + 8 * 20,
		"tables rebuilt: $rows rows by $generator, $seen{$generator} seen");
}

$node->stop;
done_testing();
