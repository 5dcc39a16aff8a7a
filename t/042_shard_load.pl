# Millions of ids of one shard, for numbers of sequences with and without a cache
# and for plain ones, while backends are cancelled and killed, the power is cut and
# the clock is set back: none comes twice.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use List::Util;
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $machine = new_machine();
plan skip_all => "$machine: NO TEST of millions of ids" unless ref $machine;

my $node = start_server('main', extra => ['--wal-segsize=1'], conf => q{
shared_buffers = 64MB
client_min_messages = error
max_wal_size = 32MB
});
$node->stop;
$node->append_conf('postgresql.conf', "fsync = on\nrestart_after_crash = on");
switch_on($machine, $node);
$node->safe_psql('postgres', 'CREATE SEQUENCE cache_1; CREATE SEQUENCE cache_100 CACHE 100');

# Clients print their ids as they come.  Those of plain numbers are not in order.
my %numbers = (cache_1 => q{nextval('cache_1')}, cache_100 => q{nextval('cache_100')}, plain => 'i');
my @clients = map { ($_) x 3 } sort keys %numbers;

sub copy_of
{
	return "COPY (SELECT next_shard_id(5, $numbers{$_[0]}) FROM generate_series(1, 5000) i) TO STDOUT;\n";
}

sub start_all
{
	return map { { %{ start_client($node, copy_of($_) x 10000, 0) }, numbers => $_ } } @clients;
}

# The files of clients that have ended, without lines that were cut off
my $dir = PostgreSQL::Test::Utils::tempdir;
my ($count, @files) = (0);

sub end_all
{
	foreach my $client (@_)
	{
		$client->{run}->signal('INT') if $client->{run}->pumpable;
		$client->{run}->finish;
		my $file = "$dir/" . @files;
		$count += `grep -xE '[0-9]{19}' $client->{output} | tee $file | wc -l`;
		push @files, $file;
		unlink $client->{output};
		my @errors = grep { !/canceling statement|terminating connection|current transaction/ }
		  slurp_file($client->{errors}) =~ /^.*ERROR:  (.*)$/mg;
		is("@errors", '', 'no error') if @errors;
		fail("ids of a session ascend, with numbers of $client->{numbers}") unless $client->{numbers} eq 'plain' || ascends($file);
	}
}

my $anybody = q{FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()};
my $offset = 0;
my @troubles = (
	sub {
		$node->safe_psql('postgres', "SELECT pg_cancel_backend(pid) $anybody"), sleep 0.1 foreach 1 .. 3;
	},
	sub {
		my $offset = -s $node->logfile;
		kill 9, $node->safe_psql('postgres', "SELECT pid $anybody LIMIT 1");
		$node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset);
		wait_until_up($node);
	},
	sub {
		cut_power($machine, $node, 50);
		switch_on($machine, $node);
	},
	sub {
		cut_power($machine, $node);
		set_clock($machine, $offset -= 60);
		switch_on($machine, $node);
	},
	sub { set_clock($machine, $offset -= 60); });

# An id of this layout has 19 digits, and a line 20 bytes.
my $wanted = is_long() ? 100_000_000 : 1_000_000;
my $rounds = is_long() ? 25 : 5;
foreach my $round (1 .. $rounds)
{
	my @running = start_all();
	my $deadline = time + 10 * $PostgreSQL::Test::Utils::timeout_default;
	until ($count + List::Util::sum(map { (-s $_->{output}) / 20 } @running) >= $wanted * $round / $rounds)
	{
		time < $deadline or die 'ids are too slow';
		sleep 0.05;
	}
	$troubles[ $round % @troubles ]->();
	end_all(@running);
}
cmp_ok($count, '>=', 0.95 * $wanted, "$count ids of one shard");
is(join(' ', repeated($dir, @files)), '', 'none of them twice');
my ($parts) = split /\n/, $node->safe_psql('postgres', "SELECT DISTINCT snowflake_node(id, 'instagram') FROM (VALUES "
	  . join(', ', map { "($_)" } map { split /\n/, `head -n 2 $_` } @files) . ') AS v (id)');
is($parts, 5, 'and all of it');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal (?!9)/, 'no process ends by itself');

$node->stop;
done_testing();
