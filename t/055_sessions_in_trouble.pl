# Sessions in trouble, and settled_snowflake(): those that cannot map more shared memory
# at the end of a transaction, or when they exit; that are terminated; or killed.  None of
# them takes the server with it, or holds the bound back when it is gone.  Before that, a
# session with very many locks, which readers need not look through.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'prlimit is not installed (util-linux)' if system('prlimit --version >/dev/null 2>&1') != 0;

my $node = start_server('primary', conf => q{
max_prepared_transactions = 10
max_locks_per_transaction = 400
restart_after_crash = on
client_min_messages = error
});
$node->safe_psql('postgres', q{
	CREATE SEQUENCE feed_id;
	CREATE TABLE feed (n int, id bigint PRIMARY KEY DEFAULT next_snowflake('feed_id', 5, 'twitter'));
	DO $$ BEGIN FOR i IN 1 .. 1000 LOOP EXECUTE format('CREATE SEQUENCE many_%s', i); END LOOP; END $$;
	CREATE FUNCTION settled(seq regclass) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE upto bigint; BEGIN CALL settled_snowflake(seq, upto); RETURN upto; END';});
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');

sub is_held
{
	my ($expected, $name) = @_;
	is($node->safe_psql('postgres', q{SELECT settled('feed_id') < last_value FROM feed_id}), $expected ? 't' : 'f', $name);
}

# A session with its process, and an open transaction that holds the bound back, and that
# of a sequence whose entry is removed first
sub start_session
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	$session->query_safe(q{BEGIN; SELECT next_snowflake('many_1', 5, 'twitter'); INSERT INTO feed VALUES (1)});
	return { psql => $session, pid => $pid };
}

# From now on the process has no room for another segment, which has a megabyte; or
# has it again.
sub limit_memory
{
	my ($pid) = @_;
	my ($size) = slurp_file("/proc/$pid/status") =~ /^VmSize:\s+(\d+) kB/m;
	system_or_bail('prlimit', "--pid=$pid", '--as=' . ($size + 512) * 1024 . ':');
}
sub unlimit_memory { system_or_bail('prlimit', "--pid=$_[0]", '--as=unlimited:'); }

sub is_gone
{
	my ($pid) = @_;
	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid") or die 'a process does not end';
}

#
# A session with 30,000 locks: the processor time of 2,000 bounds is less than that of
# listing them fifty times, by a factor of fifty.
#
my $locks = $node->background_psql('postgres');
$locks->query_safe('SELECT count(pg_advisory_lock(i)) FROM generate_series(1, 30000) i');
my ($bounds, $lists) = split /\|/, $node->safe_psql('postgres', q{
	SET client_min_messages = error;
	CREATE PROCEDURE pg_temp.measure(INOUT bounds int, INOUT lists int) LANGUAGE plpgsql AS $$
	DECLARE
		upto bigint;
		stat text := $_$SELECT split_part(s, ' ', 14)::int + split_part(s, ' ', 15)::int FROM pg_read_file('/proc/self/stat') s$_$;
		since int;
	BEGIN
		EXECUTE stat INTO since;
		FOR i IN 1 .. 2000 LOOP
			CALL settled_snowflake('feed_id', upto);
		END LOOP;
		EXECUTE stat INTO bounds;
		FOR i IN 1 .. 50 LOOP
			PERFORM count(*) FROM pg_locks;
		END LOOP;
		EXECUTE stat INTO lists;
		lists := lists - bounds;
		bounds := bounds - since;
	END $$;
	CALL pg_temp.measure(NULL, NULL);});
cmp_ok($bounds, '<', $lists, "a reader does not look through the locks of others ($bounds ticks, and $lists for lists of locks)");
$locks->quit;

#
# No room to map a segment
#
my %session = map { $_ => start_session() } qw(commits rolls_back goes_on fails exits terminated);

# More sequences than a session keeps for its next transactions
my $take = q{SELECT count(next_snowflake(('many_' || i)::regclass, 5, 'twitter')) FROM generate_series(1, 40) i};
my $held = q{SELECT count(*) FILTER (WHERE settled('many_' || i) < pg_sequence_last_value(('many_' || i)::regclass)) FROM generate_series(1, 40) i};
$session{$_}{psql}->query_safe($take) foreach qw(goes_on fails);

# So many entries of others that the table has segments which these have not mapped
my @others = map { $node->background_psql('postgres') } 1 .. 20;
$_->query_safe(q{BEGIN; SELECT count(next_snowflake(('many_' || i)::regclass, 5, 'twitter')) FROM generate_series(1, 1000) i}) foreach @others;
limit_memory($_->{pid}) foreach values %session;

$session{$_}{psql}->query_safe('COMMIT') foreach qw(commits goes_on fails);
$session{rolls_back}{psql}->query_safe('ROLLBACK');
$session{exits}{psql}->quit;
$node->safe_psql('postgres', "SELECT pg_terminate_backend($session{terminated}{pid})");
is_gone($session{$_}{pid}) foreach qw(exits terminated);
is_held(0, 'no session whose transaction has ended holds the bound back, though none can map a segment');
is($node->safe_psql('postgres', 'SELECT count(*) FROM feed'), 3, 'three of six transactions are committed');

# Before it takes ids again, a session removes entries, which fails.
my $fails = $session{fails}{psql};
$fails->query($take);
like($fails->{stderr}, qr/could not map shared memory segment/, 'a session that cannot map a segment gets an error');
unlimit_memory($session{$_}{pid}) foreach qw(goes_on fails);
$session{goes_on}{psql}->query_safe("BEGIN; $take");
$_->quit foreach @others;
is($node->safe_psql('postgres', $held), 40, 'one that can map it again goes on');
$session{goes_on}{psql}->query_safe('COMMIT');
is($node->safe_psql('postgres', $held), 0, '... and its ids are settled when it commits');
# From PostgreSQL 17 on, a session does not try again to map a segment.
$fails->{stderr} = '';
$fails->query("BEGIN; $take");
if ($fails->{stderr} !~ /attach the same segment more than once/)
{
	is($node->safe_psql('postgres', $held), 40, '... also after an error');
	$fails->query_safe('COMMIT');
	is($node->safe_psql('postgres', $held), 0, '... and its ids are settled');
}

# The first call of a session maps a small segment, then fails, and is tried again.
my $first = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $first->query_safe("LOAD 'objectid_ext'; SELECT pg_backend_pid()");
my $bound = q{CALL settled_snowflake('feed_id', NULL)};
$first->query('CALL settled_snowflake(NULL, NULL)');	# which fills caches
limit_memory($pid);
$first->{stderr} = '';
$first->query($bound);
like($first->{stderr}, qr/could not map shared memory segment/, 'nor can one that has none of ours yet');
unlimit_memory($pid);
$first->{stderr} = '';
like($first->query($bound) . $first->{stderr},
	$node->pg_version < 17 ? qr/\A\d+\z/ : qr/\A\d+\z|attach the same segment more than once/, '... until it can map it');

$_->quit foreach $first, map { $session{$_}{psql} } qw(commits rolls_back goes_on fails);
is($node->safe_psql('postgres', $held), 0, 'no session that has ended holds bounds back');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'the server has gone on all the time');
unlike(slurp_file($node->logfile), qr/PANIC/, '... without a panic');
eval { $session{terminated}{psql}->quit };

#
# kill -9 of a session
#
my $killed = start_session();
is_held(1, 'an open transaction holds the bound back');
my $offset = -s $node->logfile;
kill 9, $killed->{pid};
$node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset);
wait_until_up($node);
is_held(0, '... until its process is killed');
eval { $killed->{psql}->quit };
$node->stop;
done_testing();
