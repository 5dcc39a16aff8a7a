# An id that a client saw before a crash, committed or not, is not issued again,
# nor is one below it.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# WAL that next_snowflake() does not flush must be lost in the crash, so neither
# the WAL writer nor an unrequested checkpoint may flush it.
my $node = start_server('main', conf => q{
wal_writer_delay = 10s
wal_writer_flush_after = 1GB
checkpoint_timeout = 1h
client_min_messages = error
restart_after_crash = on
});

# Crash and restart; one of the ways is to kill a backend.
sub crash
{
	my ($how, $pid) = @_;
	if ($how eq 'stop')
	{
		$node->stop('immediate');
		$node->start;
	}
	elsif ($how eq 'kill server')
	{
		kill_server($node);
		$node->start;
	}
	elsif ($how eq 'kill session')
	{
		my $offset = -s $node->logfile;
		kill 9, $pid;
		$node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset);
		wait_until_up($node);
	}
}

sub backend_pid { return $_[0]->query_safe('SELECT pg_backend_pid()'); }

# The clock has no effect on ids that are far ahead of it.
sub hour_ahead
{
	my ($seq) = @_;
	return "SELECT setval('$seq', make_snowflake(now() + interval '1 hour', 5, 0, 'twitter'))";
}

# The highest of several ids
sub take
{
	my ($seq, $count, $layout) = @_;
	return "SELECT max(next_snowflake('$seq', 5, '$layout')) FROM generate_series(1, $count)";
}

# After a crash the sequence is ahead of the clock by what was reserved.
my $no_wait = q{SET objectid_ext.max_clock_lead = '1h'};

# A tick that outlasts a restart, as a tick of a second or 10 ms can on a fast
# machine
my $long_tick = 'time:32,node:10,seq:21;tick=100s;epoch=2020-01-01T00:00:00Z';

# By another session, while the first session has a block at hand
sub by_another { return [ @_ ]; }

# The actions before a crash: statements that commit, and one that does not, whose
# id must not be issued again
my @scenarios = (
	{
		name => 'ids ahead of the clock, not committed',
		before => \&hour_ahead,
		last => sub { take($_[0], 3, 'twitter') }
	},
	{
		# The ids are within the reservation, but recovery begins at the
		# checkpoint and does not replay its record.
		name => 'ids ahead of the clock after a checkpoint',
		before => sub { hour_ahead($_[0]), take($_[0], 3, 'twitter'), 'CHECKPOINT' },
		last => sub { take($_[0], 200, 'twitter') }
	},
	{
		name => 'ids past two reservations, without a wait for the clock',
		before => sub { $no_wait },
		last => sub { take($_[0], 600_000, 'js53') },
		layout => 'js53'
	},
	{
		name => 'ids within a tick that outlasts the restart',
		last => sub { take($_[0], 1000, $long_tick) },
		layout => $long_tick
	},
	# Commands that rewrite the page of the sequence.  Its log_cnt then says that
	# WAL covers the following ids, but the WAL that they write does not.
	{
		name => 'ids after ALTER SEQUENCE ... START',
		before => sub { hour_ahead($_[0]), take($_[0], 3, 'twitter'), "ALTER SEQUENCE $_[0] START WITH 5" },
		last => sub { take($_[0], 200, 'twitter') }
	},
	{
		name => 'ids after ALTER SEQUENCE ... AS, by another session',
		before => sub { "ALTER SEQUENCE $_[0] MAXVALUE 9000000000000000000", hour_ahead($_[0]),
			  take($_[0], 3, 'twitter'), by_another("ALTER SEQUENCE $_[0] AS bigint") },
		last => sub { take($_[0], 200, 'twitter') }
	},
	{
		name => 'ids after ALTER SEQUENCE ... SET UNLOGGED and SET LOGGED',
		before => sub { hour_ahead($_[0]), take($_[0], 3, 'twitter'),
			  map { "ALTER SEQUENCE $_[0] SET $_" } qw(UNLOGGED LOGGED) },
		last => sub { take($_[0], 200, 'twitter') }
	},
	{
		name => 'ids after ALTER TABLE ... SET UNLOGGED and SET LOGGED, by another session',
		before => sub { hour_ahead($_[0]), take($_[0], 3, 'twitter'),
			  by_another("CREATE TABLE of_$_[0] (id bigint)", "ALTER SEQUENCE $_[0] OWNED BY of_$_[0].id",
				map { "ALTER TABLE of_$_[0] SET $_" } qw(UNLOGGED LOGGED)) },
		last => sub { take($_[0], 200, 'twitter') },
		after => sub { "DROP TABLE of_$_[0]" }
	},
	{
		name => 'ids after an ALTER SEQUENCE that was rolled back',
		before => sub { hour_ahead($_[0]), take($_[0], 3, 'twitter'), 'BEGIN', "ALTER SEQUENCE $_[0] START WITH 5",
			  take($_[0], 3, 'twitter'), 'ROLLBACK', take($_[0], 3, 'twitter') },
		last => sub { take($_[0], 200, 'twitter') }
	},
	{
		# Only the clock prevents repeats here, so ids must not be ahead of it.
		name => 'ids of a sequence without WAL',
		kind => 'UNLOGGED',
		last => sub { take($_[0], 100_000, 'js53') },
		layout => 'js53'
	});

foreach my $scenario (@scenarios)
{
	my $kind = $scenario->{kind} // '';
	my $layout = $scenario->{layout} // 'twitter';
	foreach my $how ('stop', 'kill server', 'kill session')
	{
		my %last;
		my $session = $node->background_psql('postgres');
		foreach my $cache (1, 64)
		{
			my $seq = "cache_$cache";
			$session->query_safe("DROP SEQUENCE IF EXISTS $seq; CREATE $kind SEQUENCE $seq CACHE $cache");
			next unless $scenario->{before};
			foreach my $statement ($scenario->{before}->($seq))
			{
				if (ref $statement) { $node->safe_psql('postgres', join ';', @$statement); }
				else { $session->query_safe($statement); }
			}
		}
		$session->query_safe('BEGIN');
		$last{$_} = $session->query_safe($scenario->{last}->("cache_$_")) foreach (1, 64);
		crash($how, backend_pid($session));
		$session->quit;
		foreach my $cache (1, 64)
		{
			my $next = $node->safe_psql('postgres', "$no_wait; SELECT next_snowflake('cache_$cache', 5, '$layout')");
			cmp_ok($next, '>', $last{$cache}, "$scenario->{name}; CACHE $cache, $how");
			$node->safe_psql('postgres', $scenario->{after}->("cache_$cache")) if $scenario->{after};
		}
	}
}

# Crashes in the middle of a run.  Two sessions for each sequence take ids one
# by one, of which one never commits, and a third takes as many as run ahead
# of the clock by a second, and does not commit either.
my %highest = (1 => 0, 64 => 0);
my %seen = (1 => 0, 64 => 0);
my %wrong = (1 => 0, 64 => 0);
$node->safe_psql('postgres', "DROP SEQUENCE cache_$_; CREATE SEQUENCE cache_$_ CACHE $_") foreach (1, 64);

sub one_by_one
{
	my ($seq) = @_;
	return qq{SELECT 'SELECT next_snowflake(''$seq'', 5, ''js53'')' FROM generate_series(1, 20000) \\gexec\n};
}

foreach my $round (1 .. 6)
{
	my $how = ('stop', 'kill server', 'kill session')[ $round % 3 ];
	my $full_page_writes = $round <= 3 ? 'on' : 'off';
	$node->append_conf('postgresql.conf', "full_page_writes = $full_page_writes");
	$node->reload;

	my (%clients, %bursts);
	foreach my $cache (1, 64)
	{
		$clients{$cache} = [
			start_client($node, one_by_one("cache_$cache")),
			start_client($node, 'BEGIN; ' . one_by_one("cache_$cache")) ];
		$bursts{$cache} = $node->background_psql('postgres');
	}
	sleep 0.3;
	$node->safe_psql('postgres', 'CHECKPOINT') if $round % 2;
	my $pid = backend_pid($bursts{1});
	my %last;
	foreach my $cache (1, 64)
	{
		$bursts{$cache}->query_safe('BEGIN');
		$last{$cache} = $bursts{$cache}->query_safe(take("cache_$cache", 250_000, 'js53'));
	}
	crash($how, $pid);

	foreach my $cache (1, 64)
	{
		$bursts{$cache}->quit;
		my @ids = map { seen_ids($_) } @{ $clients{$cache} };
		my ($new, $ahead) = split /\|/, $node->safe_psql('postgres',
			"SELECT id, snowflake_timestamp($last{$cache}, 'js53') > clock_timestamp() FROM next_snowflake('cache_$cache', 5, 'js53') AS id");
		note "round $round, CACHE $cache: " . @ids . ' ids seen one by one; the clock is '
		  . ($ahead eq 't' ? 'still behind' : 'past') . ' the last id';
		$seen{$cache} += @ids;
		$highest{$cache} = highest($highest{$cache}, $last{$cache}, @ids);
		$wrong{$cache}++ if $new <= $highest{$cache};
		$highest{$cache} = $new;
	}
}
foreach my $cache (1, 64)
{
	cmp_ok($seen{$cache}, '>', 10, "CACHE $cache: clients saw ids before the crashes");
	is($wrong{$cache}, 0, "CACHE $cache: after each of 6 crashes the next id is above all of them");
}

#
# The first id after a crash is as far ahead of the clock as was reserved, also
# where the setting allows no lead, but no further.
#
$node->safe_psql('postgres', 'CREATE SEQUENCE reserved');
my $no_lead = q{SET objectid_ext.max_clock_lead = 0};
my $before = $node->safe_psql('postgres', "$no_lead; SELECT next_snowflake('reserved', 5, 'twitter')");
crash('kill server');
my ($after, $lead) = split /\|/, $node->safe_psql('postgres',
	"$no_lead; SELECT id, extract(epoch FROM snowflake_timestamp(id, 'twitter') - clock_timestamp()) FROM next_snowflake('reserved', 5, 'twitter') AS id");
cmp_ok($after, '>', $before, 'max_clock_lead = 0: the first id after a crash is above the last');
cmp_ok($lead, '<=', 1.01, "and leads the clock by a second at most, here by $lead s");

#
# A lost page is an error; the sequence does not start again below issued ids.
#
$node->safe_psql('postgres', 'CREATE SEQUENCE lost');
my $file = $node->data_dir . '/' . $node->safe_psql('postgres', "SELECT pg_relation_filepath('lost')");
$node->stop;
open(my $page, '>', $file) or die "$file: $!";
print $page "\0" x 8192;
close($page);
$node->start;
foreach my $call (q{next_snowflake('lost', 5, 'twitter')}, q{first FROM nextval_range('lost', 10)}, q{nextval_any('{lost}')})
{
	my ($status, undef, $message) = $node->psql('postgres', "SELECT $call");
	like($message, qr/page of sequence "lost" is damaged/, "page lost: $call");
}

$node->stop;
done_testing();
