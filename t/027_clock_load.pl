# Eight clients while the clock is set back and forth and runs fast and slow, and a
# server that starts with a different clock: no id is issued twice.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

plan skip_all => 'runs with --long' unless is_long();
my $machine = new_machine();
plan skip_all => "$machine: NO TEST with a clock that is set" unless ref $machine;

my $day = 86400;
my $seconds = 2;
my %env = machine_environment($machine);
my $node = start_server('main', env => \%env, conf => q{
shared_buffers = 64MB
client_min_messages = error
});
create_keyed_tables($node);

sub start { local %ENV = (%ENV, %env); $node->start; }

# The clock is set while the clients run.
my @clients = start_clients($node);
foreach (
	[ 0, 1 ], [ -1, 1 ], [ -3600, 1 ], [ -$day, 1 ], [ $day, 1 ], [ 0, 1 ],
	# It is smeared, as for a leap second, only faster.
	[ 0, 1.1 ], [ 0, 0.9 ], [ 0, 1 ])
{
	set_clock($machine, @$_);
	sleep $seconds;
}
my @history = end_clients(@clients);
indexes_are_sound($node, 'clock set while clients work');

# The clock is set while the server is down.  A crash together with a clock set
# back keeps what was committed.
foreach my $how ('fast', 'immediate')
{
	foreach my $step (-1, -3600, -$day, $day, 0)
	{
		@clients = start_clients($node, rollback => $how eq 'fast');
		sleep $seconds;
		$node->stop($how);
		push @history, end_clients(@clients);
		set_clock($machine, $step, 1);
		start();
	}
}
# Each crash adds a second to the lead of next_shard_id(), if the next comes soon.
history_is_sound(\@history, 'clock set', lead => 2 * $day, shard_lead => 2 * $day + 6, lag => 2 * $day);
indexes_are_sound($node, 'clock set between shutdown and start');

$node->stop;
done_testing();
