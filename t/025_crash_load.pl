# Repeated crashes of a server with eight clients: no id is issued twice.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use List::Util qw(sum);
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

plan skip_all => 'runs with --long' unless is_long();

my $node = start_server('main', conf => q{
shared_buffers = 64MB
client_min_messages = error
restart_after_crash = on
full_page_writes = on
});
create_keyed_tables($node);

# One backend is killed, and the postmaster terminates all others.
sub kill_backend
{
	my $pid = $node->safe_psql('postgres', q{
		SELECT pid FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1});
	my $offset = -s $node->logfile;
	kill 9, $pid;
	$node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset);
	wait_until_up($node);
}

my %crash = (
	'kill -9 of a backend' => \&kill_backend,
	'kill -9 of the postmaster' => sub { kill_server($node); $node->start; },
	'immediate shutdown' => sub { $node->stop('immediate'); $node->start; },
	'kill -9 right after a checkpoint' => sub {
		$node->safe_psql('postgres', 'CHECKPOINT');
		kill_server($node);
		$node->start;
	});
my %rounds = map { $_ => 3 } keys %crash;
$rounds{'kill -9 of the postmaster'} = 10;

my @history;
foreach my $how (sort keys %crash)
{
	foreach my $round (1 .. $rounds{$how})
	{
		my @clients = start_clients($node);
		sleep 0.5;
		$crash{$how}->();
		push @history, end_clients(@clients);
	}
	note "$how: $rounds{$how} times";
}
# Each crash can add a second to the lead of next_shard_id() over the clock, and half of
# the time that has passed since is taken off.
history_is_sound(\@history, 'all crashes', lead => 3, shard_lead => 1.1 + sum(values %rounds));
indexes_are_sound($node, 'after all crashes');

$node->stop;
done_testing();
