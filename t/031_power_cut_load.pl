# The power fails under eight clients, again and again, and what the kernel had
# not yet written is lost; with the clock right, and set back before it is back:
# no id comes twice.

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
plan skip_all => "$machine: NO TEST OF POWER CUTS" unless ref $machine;

my $node = start_server('main', extra => ['--wal-segsize=1'], conf => q{
shared_buffers = 64MB
client_min_messages = error
full_page_writes = on
max_wal_size = 32MB
});
$node->stop;
$node->append_conf('postgresql.conf', "fsync = on\nwal_writer_delay = 10s\nwal_writer_flush_after = 1GB");
switch_on($machine, $node);
create_keyed_tables($node);

#
# A power cut does what it should: it loses what need not be on the disk, and
# nothing else.
#
my $file = $node->data_dir . '/unsynchronized';
$node->safe_psql('postgres', $_) foreach 'CREATE TABLE kept (n int)', 'INSERT INTO kept VALUES (1)',
  "COPY kept TO '$file'";
my $size = -s $file;
cut_power($machine, $node);
is("$size " . -s $file, '2 0', 'a power cut loses what was not synchronized');
switch_on($machine, $node);
is($node->safe_psql('postgres', 'SELECT * FROM kept'), 1, 'and not what was');

#
# No id comes again; while the clock is set back as well, none that was
# committed.
#
my $rounds = 20;
my $offset = 0;
my @history;
foreach my $step (0, -3600)
{
	foreach my $round (1 .. $rounds)
	{
		my @clients = start_clients($node, rollback => $step == 0);
		sleep(0.3 + rand 0.5);
		$node->safe_psql('postgres', 'CHECKPOINT') if $round % 3 == 0;
		cut_power($machine, $node, (0, 50, 90)[ $round % 3 ]);
		push @history, end_clients(@clients);
		set_clock($machine, $offset += $step);
		switch_on($machine, $node);
	}
}
my @clients = start_clients($node);
sleep 0.3;
push @history, end_clients(@clients);
history_is_sound(\@history, 'power cuts', lead => 2 * 86400);
indexes_are_sound($node, 'power cuts');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal (?!9)/, 'no process ends by itself');

$node->stop;
done_testing();
