# Ids when the clock is behind them, set back or set forward; and waits for the
# clock.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = start_server('main');

# A sequence that is an hour ahead issues ids at the rate of the clock: 4096 per
# millisecond to all sessions together.  The lower bound only checks that it
# issues some.
$node->safe_psql('postgres', q{
	CREATE SEQUENCE ahead CACHE 64;
	SELECT setval('ahead', make_snowflake(now() + interval '1 hour', 5, 0, 'twitter'));
	CREATE TABLE runs (ids bigint, started timestamptz, ended timestamptz)});
in_parallel($node, (q{
	INSERT INTO runs
	SELECT count(next_snowflake('ahead', 5, 'twitter')), statement_timestamp(), clock_timestamp()
	FROM generate_series(1, 1000000)}) x 4);
my ($ids, $rate) = split /\|/, $node->safe_psql('postgres', q{
	SELECT sum(ids), round(sum(ids) / extract(epoch FROM max(ended) - min(started)) / 1000)
	FROM runs});
is($ids, 4_000_000, 'a sequence an hour ahead of the clock gives ids');
cmp_ok($rate, '<=', 1.2 * 4096, "not more than a tick's worth per tick ($rate/ms)");
cmp_ok($rate, '>=', 0.1 * 4096, 'and not much less');

# Waits can be cancelled.  With four ids per minute, one session waits for the
# next id, and another for its turn.
my $minutes = 'time:40,node:1,seq:2;tick=60s;epoch=2020-01-01T00:00:00Z';
my $slow = "next_snowflake('slow', 1, '$minutes')";
my $endless = "SELECT count($slow) FROM generate_series(1, 100)";
$node->safe_psql('postgres', 'CREATE SEQUENCE slow');

sub start_waiting
{
	my ($wait_event_type) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_until(qr/start/, "\\echo start\n$endless;\n");
	$node->poll_query_until('postgres',
		"SELECT wait_event_type = '$wait_event_type' FROM pg_stat_activity WHERE pid = $pid")
	  or die 'the session does not wait';
	return ($session, $pid);
}

sub tuple_locks
{
	return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_locks WHERE locktype = 'tuple'});
}

my ($first, $first_pid) = start_waiting('Extension');
my ($second, $second_pid) = start_waiting('Lock');
# Not at any moment: a minute may begin, and both take ids before they wait again.
ok($node->poll_query_until('postgres', q{SELECT count(*) = 2 FROM pg_locks WHERE locktype = 'tuple'}),
	'a session waits for the clock, another one for its turn');

# Who waits for the clock goes on waiting when it is woken up for another reason.
$node->safe_psql('postgres', "SELECT pg_log_backend_memory_contexts($first_pid)");
$node->wait_for_log(qr/logging memory contexts of PID $first_pid/);
is($node->safe_psql('postgres', qq{SELECT pg_sleep(0.2);
	SELECT snowflake_timestamp(last_value, '$minutes') <= clock_timestamp() + interval '1 s' FROM slow}),
	"\nt", 'a session that is woken up does not take an id of the future');

my (undef, undef, $timeout) = $node->psql('postgres', "SET lock_timeout = '10ms'; SET statement_timeout = '500ms'; $endless");
like($timeout, qr/canceling statement due to statement timeout/, 'lock_timeout does not end the wait of a third');

is($node->safe_psql('postgres', qq{
		SET objectid_ext.max_clock_lead = '1h';
		SELECT count($slow) FROM generate_series(1, 40)}),
	40, 'a session that need not wait passes them by');

foreach ([ $second, $second_pid, 'waits for its turn' ], [ $first, $first_pid, 'waits for the clock' ])
{
	my ($session, $pid, $name) = @$_;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	is($session->query('SELECT 1'), '1', "who $name can be cancelled");
	like($session->{stderr}, qr/canceling statement due to user request/, 'and was');
	$session->quit;
}
is(tuple_locks(), 0, 'no lock is left');

# Nor is one while the transaction of a session that has waited goes on.
my $open = $node->background_psql('postgres');
$open->query_safe("SET client_min_messages = error; BEGIN; SELECT count(next_snowflake('ahead', 5, 'twitter')) FROM generate_series(1, 10000)");
is(tuple_locks(), 0, 'nor during a transaction');
$open->quit;

my ($status, $output, $error) = $node->psql('postgres', "SET statement_timeout = '200ms'; $endless");
like($error, qr/canceling statement due to statement timeout/, 'statement_timeout ends a wait');

# The lock must be released at the end of a subtransaction, too.
my $third = $node->background_psql('postgres', on_error_stop => 0);
$third->query("BEGIN; SAVEPOINT s; SET LOCAL statement_timeout = '200ms'; $endless");
like($third->{stderr}, qr/statement timeout/, 'the same in a subtransaction');
is($third->query('ROLLBACK TO s; SELECT 1'), '1', 'whose transaction goes on');
is(tuple_locks(), 0, 'and has no lock left');
($first, $first_pid) = start_waiting('Extension');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($first_pid)");
$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $first_pid")
  or die 'the session does not end';
$first->{run}->finish;
is(tuple_locks(), 0, 'a session that is terminated leaves no lock');
$third->quit;
$node->stop;

# A clock that is set, by a library between the server and the system's clock.
my $machine = new_machine();
SKIP:
{
	if (!ref $machine)
	{
		diag("$machine: NO TEST with a clock that is set back");
		skip 'no clock that can be set', 1;
	}

	my $fake = start_server('fake', env => { machine_environment($machine) });
	$fake->safe_psql('postgres', 'CREATE SEQUENCE cache_1; CREATE SEQUENCE cache_64 CACHE 64; CREATE SEQUENCE seq');
	check_clock_steps($fake);
	check_forgetful($fake);
	come_back($fake);
	set_clock($machine, 85 * 366 * 86400);
	my (undef, undef, $late) = $fake->psql('postgres', 'SELECT gen_objectid()');
	like($late, qr/current time is out of range for type objectid/, 'no objectid after 2106');
	set_clock($machine, 0);
	$fake->stop;
}

sub check_clock_steps
{
	my ($server) = @_;
	my @sessions = map { { psql => $server->background_psql('postgres') } } 1 .. 2;
	my %all = (cache_1 => [], cache_64 => []);
	my @generators = (
		[ 'cache_1', q{next_snowflake('cache_1', 5, 'twitter')} ],
		[ 'cache_64', q{next_snowflake('cache_64', 5, 'twitter')} ],
		[ 'shard', q{next_shard_id(5, nextval('seq'))} ],
		# Of an objectid the time and the counter, without the identity
		[ 'objectid', q{(SELECT ('x' || left(id, 8) || right(id, 6))::bit(56)::bigint
						 FROM (SELECT gen_objectid()::text AS id WHERE i > 0 OFFSET 0) AS ids)} ]);

	# Seconds to set the clock by, and how many warnings a session has given
	# for each sequence after that: one each time that it finds the clock far
	# behind; a step that a burst could as well have made is none of that.
	foreach ([ 0, 0 ], [ -1, 0 ], [ -3600, 1 ], [ -86400, 1 ], [ 0, 1 ], [ 3600, 1 ], [ 0, 2 ], [ 3600, 2 ])
	{
		my ($seconds, $warnings) = @$_;
		my $step = "clock at ${seconds} s";
		set_clock($machine, $seconds);

		foreach (@generators)
		{
			my ($name, $call) = @$_;
			my $wrong = 0;
			foreach my $session (@sessions, @sessions)
			{
				my @ids = split / /, $session->{psql}->query(
					"SELECT string_agg(($call)::text, ' ') FROM generate_series(1, 300) i");
				$wrong += @ids != 300;
				$wrong += not_above($session->{$name} // 0, @ids);
				$session->{$name} = $ids[-1];
				push @{ $all{$name} }, @ids;
			}
			is($wrong, 0, "$step: ids of $name ascend in each session");
		}
		my @counts = map {
			my $count = () = $_->{psql}->{stderr} =~ /WARNING:  clock is \d+ seconds behind the last id/g;
			$count
		} @sessions;

		# There are two sequences.
		is("@counts", join(' ', (2 * $warnings) x 2), "$step: number of warnings in each session");
	}

	is(not_above(0, @{ $all{cache_1} }), 0, 'CACHE 1: the ids of two sessions in turn ascend');
	foreach my $name ('cache_1', 'cache_64')
	{
		my %distinct = map { $_ => 1 } @{ $all{$name} };
		is(scalar keys %distinct, scalar @{ $all{$name} }, "$name: all ids are distinct");
	}
	$_->{psql}->quit foreach @sessions;
}

# An unlogged sequence goes on above its last id when the clock is set back, as
# any other does.  In a crash it forgets that, and the clock gives out the same
# time once more: nothing can be promised then, and the documents say so.
sub check_forgetful
{
	my ($server) = @_;
	my $call = q{SELECT next_snowflake('forgetful', 5, 'twitter')};
	$server->safe_psql('postgres', 'CREATE UNLOGGED SEQUENCE forgetful');
	set_clock($machine, 0);
	my $first = $server->safe_psql('postgres', $call);
	set_clock($machine, -3600);
	my ($second, $ahead) = split /\|/, $server->safe_psql('postgres',
		q{SELECT id, snowflake_timestamp(id, 'twitter') > clock_timestamp() + interval '59 min' FROM next_snowflake('forgetful', 5, 'twitter') AS id});
	cmp_ok($second, '>', $first, 'unlogged: ids go on above the last when the clock is set back');
	is($ahead, 't', 'and are ahead of the clock');

	$server->stop('immediate');
	{
		local %ENV = (%ENV, machine_environment($machine));
		$server->start;
	}
	cmp_ok($server->safe_psql('postgres', $call), '<', $first, 'after a crash they begin at the clock again');
}

# The clock was in 2036 for a moment.  Ids stay there, until an administrator brings
# them back as docs/safety.md says.
sub come_back
{
	my ($server) = @_;
	my @calls = (
		[ 'next_snowflake()', q{snowflake_timestamp(next_snowflake('visitor', 5, 'twitter'), 'twitter')} ],
		[ 'next_shard_id()', q{snowflake_timestamp(next_shard_id(5, 1), 'instagram')} ]);
	my $in_future = q{SELECT %s > now() + interval '9 years'};
	set_clock($machine, 0);
	my $session = $server->background_psql('postgres');
	$session->query_safe('SET client_min_messages = error; CREATE SEQUENCE visitor CACHE 64');
	set_clock($machine, 10 * 365 * 86400);
	is($session->query_safe("SELECT $_->[1] > '2036-01-01Z'"), 't', "$_->[0]: the time of a clock in 2036") foreach @calls;
	set_clock($machine, 0);
	is($session->query_safe(sprintf $in_future, $_->[1]), 't', "$_->[0]: and ids stay there") foreach @calls;

	$server->safe_psql('postgres', q{SELECT format('ALTER SEQUENCE visitor RESTART WITH %s', snowflake_floor(now(), 'twitter')) \gexec});
	is($session->query_safe(sprintf $in_future, $calls[0][1]), 'f', 'next_snowflake: back by ALTER SEQUENCE, in a session that held a block too');
	$session->quit;

	$server->stop;
	{
		local %ENV = (%ENV, machine_environment($machine));
		$server->start;
	}
	$server->safe_psql('postgres', q{SELECT setval('shard_id_reservation', (extract(epoch FROM now()) * 1000000)::bigint)});
	is($server->safe_psql('postgres', sprintf $in_future, $calls[1][1]), 'f', 'next_shard_id: back by a restart and setval()');
}

done_testing();
