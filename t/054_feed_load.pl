# Feeds under load: twelve writers fill a table, and three readers follow it with
# settled_snowflake() and a bookmark, through rollbacks, prepared transactions,
# killed sessions, crashes, a promotion, and a clock that is set.  Each reader gets
# each committed row once, in order of id.
#
# Readers with planted faults show that the check finds rows that are missed.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Feed;
use History;
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $machine = new_machine();
my %env = ref $machine ? machine_environment($machine) : ();
my $dir = PostgreSQL::Test::Utils::tempdir('feed');

my $node = start_server('node_0', allows_streaming => 1, env => \%env, conf => q{
shared_buffers = 64MB
client_min_messages = error
max_connections = 50
max_prepared_transactions = 500
restart_after_crash = on
});
create_feeds($node);
my %readers = map {
	my $feed = $_;
	$feed => [ new_reader($feed, 'settled', read_only => 1), map { new_reader($feed, $_) } 'settled', 'settled in a function' ]
} @feeds;

# The check finds each kind of fault.
append_to_file("$dir/rows", join '', map { "$_\n" } 1 .. 9);
append_to_file("$dir/log", <<'END');
bound 3
1
3
upto 3
bound 2
4
upto 5
bound 6
6
END
append_to_file("$dir/log2", <<'END');
bound 12
6
8
7
7
12
upto 12
END
is_deeply(
	check_reader({ first => 0, logs => [ "$dir/log", "$dir/log2" ] }, "$dir/rows"),
	{ rows => 8, polls => 3, missed => 4, 'out of order' => 2, 'not committed' => 1, 'bound went back' => 1 },
	'the check of a reader finds rows missed (2, 5, 7, 9), out of order (7, 7), not committed (12), and a bound that goes back');

#
# Phases
#

# Writers and readers at work on a feed, and what happens meanwhile.  Unless that
# was the end of the server, the writers are stopped.
sub phase
{
	my ($name, $feed, %params) = @_;
	my @turns = ($params{lowest} // 0, $params{pause} // 'SELECT pg_sleep(random() * 0.02)');
	if ($params{cache})
	{
		end_prepared();
		$node->safe_psql('postgres', "ALTER SEQUENCE ${feed}_id CACHE $params{cache}");
	}
	my @faulty = map { new_reader($feed, $_, first => bookmark($readers{$feed}[0])) } @{ $params{faulty} // [] };
	my @writers = map { start_writer($node, $feed, $_, @turns) } 1 .. 12;
	my @others = (start_finisher($node));
	my @reading = map { start_reader($node, $_) } @{ $readers{$feed} }, @faulty;
	my $deadline = time + $PostgreSQL::Test::Utils::timeout_default;
	foreach my $reader (@reading)
	{
		sleep 0.01 until -s $reader->{output} || !$reader->{run}->pumpable || time > $deadline;
	}
	$params{meanwhile}->(sub { push @writers, start_writer($node, $feed, 12 + @writers, @turns) });
	end_clients_without_error(@writers, @reading, @others);
	is((grep { !-s $_->{output} } @reading), 0, "$name, $feed ticks: all readers read");
	return @faulty;
}

# Another session commits what is prepared.
sub end_prepared
{
	return map { $node->safe_psql('postgres', "COMMIT PREPARED '$_'"); $_ }
	  split /\n/, $node->safe_psql('postgres', 'SELECT gid FROM pg_prepared_xacts');
}

my $seconds = is_long() ? 15 : 1;

sub work { sleep $seconds; }

sub kill_writers
{
	my ($start_writer) = @_;
	my $until = time + $seconds;
	while (time < $until)
	{
		my $killed = $node->safe_psql('postgres', q{SELECT count(pg_terminate_backend(pid)) FROM
			(SELECT pid FROM pg_stat_activity WHERE application_name = 'writer' ORDER BY random() LIMIT 3) AS s});
		$start_writer->() foreach 1 .. $killed;
		sleep 0.1;
	}
}

sub start_node { local %ENV = (%ENV, %env); $node->start; }

my $kept = 0;

sub crash
{
	my ($stop) = @_;
	work();
	$stop->();
	start_node();
	$kept += $node->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts');
}

# A synchronous standby
my $standbys = 0;

sub start_standby
{
	my $standby = PostgreSQL::Test::Cluster->new('node_' . ++$standbys);
	$node->backup("base_$standbys");
	$standby->init_from_backup($node, "base_$standbys", has_streaming => 1);
	{
		local %ENV = (%ENV, %env);
		$standby->start;
	}
	$node->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
	$node->reload;
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
	  or die 'the standby does not become synchronous';
	return $standby;
}

# It takes the place of the server, which is lost.
sub lose_server_to
{
	my ($standby) = @_;
	work();
	kill_server($node);
	$node = $standby;
	$node->promote;
	$kept += $node->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts');
}

# Nobody must sleep until a time that a clock set back does not reach.
sub clock_phase
{
	my ($name, $feed, $lowest, @steps) = @_;
	phase($name, $feed, cache => 64, lowest => $lowest, pause => 'SELECT count(*) FROM generate_series(1, (random() * 50000)::int)',
		meanwhile => sub {
			foreach my $step (@steps, 0)
			{
				set_clock($machine, $step);
				sleep $seconds / 3;
			}
		});
}

sub crash_and_set_clock_back
{
	crash(sub { $node->stop('immediate'); set_clock($machine, -60); });
	set_clock($machine, 0);
}

sub committed_rows
{
	return $node->safe_psql('postgres', 'SELECT ' . join '+', map { "(SELECT count(*) FROM $_)" } @_);
}

# A file of the committed rows
sub copy_rows
{
	my ($feed) = @_;
	$node->safe_psql('postgres', "COPY (SELECT id FROM $feed ORDER BY id) TO '$dir/committed_$feed'");
	return "$dir/committed_$feed";
}

my @faulty;
my $wanted = is_long() ? 10_000_000 : 34_000;
my $round = 0;
do
{
	my ($one, $other) = $round++ % 2 ? reverse @feeds : @feeds;
	push @faulty, phase('CACHE 1', 'short', cache => 1, meanwhile => \&work,
		faulty => [ $round > 1 ? () : ('no bound', 'bound after the snapshot', 'bound without prepared transactions') ]);
	# On a slow machine the reader with this fault may poll too seldom.
	foreach my $attempt (1 .. 5)
	{
		my @reader = phase('CACHE 64, short transactions', 'long', cache => 64, lowest => 8, meanwhile => \&work,
			faulty => [ $round > 1 ? () : 'bound without CACHE' ]);
		next if $attempt < 5 && @reader && !check_reader($reader[0], copy_rows('long'))->{missed};
		push @faulty, @reader;
		last;
	}
	phase('CACHE 64, killed sessions', $one, cache => 64, meanwhile => \&kill_writers);
	phase('kill -9', $other, meanwhile => sub { crash(sub { kill_server($node) }) });
	phase('immediate shutdown', $one, meanwhile => sub { crash(sub { $node->stop('immediate') }) })
	  if is_long() || !ref $machine;
	my $standby = start_standby();
	phase('promotion', $other, meanwhile => sub { lose_server_to($standby) });
	if (ref $machine)
	{
		phase('crash and clock set back', $one, meanwhile => \&crash_and_set_clock_back);
		clock_phase('clock set', $other, 0, -1, 2, -3600, 1) if is_long();
	}
} while (committed_rows(@feeds) < $wanted || !$kept && $round < 5);

# At the end, because the ids stay a day ahead of the clock
SKIP:
{
	skip "$machine: NO TEST with a clock that is set", 1 unless ref $machine;
	clock_phase('clock set', $_, 8, -1, 2, -3600, 86400) foreach is_long() ? @feeds : 'short';
}
cmp_ok($kept, '>', 0, "$kept prepared transactions outlived their server");

#
# The result
#

my ($rows, %committed) = (0);
end_prepared();
foreach my $feed (@feeds)
{
	$node->poll_query_until('postgres', "SELECT settled('${feed}_id') >= max(id) FROM $feed")
	  or fail("$feed: once all transactions have ended, the bound reaches the last row");
	$_->{run}->finish foreach map { start_reader($node, $_, 1) } @{ $readers{$feed} };
	$committed{$feed} = copy_rows($feed);
	foreach my $reader (@{ $readers{$feed} })
	{
		my $found = check_reader($reader, $committed{$feed});
		is($found->{rows}, committed_rows($feed), "$feed ticks: $found->{rows} rows read in $found->{polls} polls");
		is($found->{$_}, 0, "$feed ticks: $_ 0") foreach 'missed', 'out of order', 'not committed', 'bound went back';
		$rows += $found->{rows};
	}
}
foreach my $reader (@faulty)
{
	my $found = check_reader($reader, $committed{ $reader->{feed} });
	cmp_ok($found->{missed}, '>', 0, "$reader->{poll}: $found->{missed} rows missed beside $found->{rows} read");
}
cmp_ok($rows, '>=', 3 * $wanted, "$rows rows checked");

$node->stop;
done_testing();
