# Functions shared by the TAP tests
package ObjectidTest;

use strict;
use warnings FATAL => 'all';

use Exporter qw(import);
use IPC::Run;
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(sleep);

our @EXPORT = qw(start_server in_parallel start_client
  kill_server wait_until_up seen_ids highest not_above);

# A running server with both extensions, and settings in $params{conf}; it alone
# sees the variables of $params{env}; the other parameters are those of init().
sub start_server
{
	my ($name, %params) = @_;
	my $conf = delete $params{conf} // '';
	my $env = delete $params{env} // {};
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(%params);

	# Do not log millions of statements.
	$node->append_conf('postgresql.conf', "log_statement = none\n$conf");
	{
		local %ENV = (%ENV, %$env);
		$node->start;
	}
	$node->safe_psql('postgres', 'CREATE EXTENSION objectid_ext');
	# The tests of the tools are in a folder of their own.
	$node->safe_psql('postgres', 'CREATE EXTENSION objectid_ext_tools') if $FindBin::RealBin =~ m{/tools/t\z};
	return $node;
}

# Start psql with a script; unless told otherwise it ends at the first error.
# The script is a file, for what IPC::Run has to feed it feeds only to the
# client that is waited for; and so is the output.
my $dir;
my $clients = 0;

sub start_client
{
	my ($node, $script, $on_error_stop, $database) = @_;
	$dir //= PostgreSQL::Test::Utils::tempdir('clients');
	my $file = "$dir/" . ++$clients;
	my $stop = 'ON_ERROR_STOP=' . ($on_error_stop // 1);
	my $client = { output => "$file.out", errors => "$file.err" };
	append_to_file("$file.sql", $script);
	$client->{run} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', $stop, '-d', $node->connstr($database // 'postgres'), '-f', "$file.sql" ],
		'<', \undef, '>', $client->{output}, '2>', $client->{errors});
	return $client;
}

# Run each script in a separate session.  A lock prevents them from starting until
# all are connected.  Dies if one of them fails; returns the output of each.
sub in_parallel
{
	my ($node, @scripts) = @_;
	my $count = @scripts;
	my $gate = $node->background_psql('postgres');
	$gate->query_safe('SELECT pg_advisory_lock(1)');
	my @clients =
	  map { start_client($node, "DO 'BEGIN PERFORM pg_advisory_lock_shared(1); END';\n$_") } @scripts;
	$node->poll_query_until('postgres',
		"SELECT count(*) = $count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
	  or die 'sessions did not start';
	$gate->quit;

	my @output;
	foreach my $client (@clients)
	{
		$client->{run}->finish or die 'psql failed: ' . slurp_file($client->{errors});
		push @output, slurp_file($client->{output});
	}
	chomp @output;
	return @output;
}

# Kill the postmaster and all its children, as a power failure would, and wait
# until none is left that would prevent a new one from starting.
sub kill_server
{
	my ($node) = @_;
	# That of this query, too: if it is still about to end, it may wait for a lock of another.
	my @pids = split /\n/, $node->safe_psql('postgres', 'SELECT pid FROM pg_stat_activity');
	push @pids, split /\n.*/s, slurp_file($node->data_dir . '/postmaster.pid');
	# The postmaster is the last: a session that sees it gone no longer waits for a standby,
	# and others could still read what is then lost.
	kill 9, @pids;
	$node->kill9;
	foreach my $attempt (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default)
	{
		# And those that were started after the query, which are in the directory, too.
		my @late = map { m{^/proc/(\d+)} } grep { (readlink // '') eq $node->data_dir } glob '/proc/[0-9]*/cwd';
		return unless kill(9, @late) + kill(0, @pids);
		sleep 0.01;
	}
	die 'killed processes do not go away';
}

# Wait for a server that comes back by itself.  Not by poll_query_until(), which
# dies when psql gives up before it has been told what to ask.
sub wait_until_up
{
	my ($node) = @_;
	foreach my $attempt (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if system('pg_isready', '-q', '-h', $node->host, '-p', $node->port) == 0;
		sleep 0.01;
	}
	die 'the server does not come back';
}

# The ids that a client saw before it lost its server.  The last line of its
# output may have been cut off.
sub seen_ids
{
	my ($client) = @_;
	$client->{run}->finish;
	my $text = slurp_file($client->{output});
	return $text =~ /^(\d+)\|?\n/mg;
}

sub highest
{
	my $max = 0;
	foreach my $id (@_) { $max = $id if $id > $max; }
	return $max;
}

# The number of values in a list that are not above the one before; the first is
# compared with a limit.
sub not_above
{
	my ($limit, @ids) = @_;
	my $bad = 0;
	foreach my $id (@ids)
	{
		$bad++ if $id <= $limit;
		$limit = $id;
	}
	return $bad;
}

1;
