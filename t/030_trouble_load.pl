# Eight clients while statements are cancelled, backends are terminated and run
# out of memory, and the disk with the WAL is full.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

plan skip_all => 'runs with --long' unless is_long();

my $seconds = 5;
my $conf = q{
shared_buffers = 64MB
client_min_messages = error
log_min_messages = warning
};
my $node = start_server('main', conf => $conf);
create_keyed_tables($node);
my $anybody = q{FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()};
my @history;

#
# Cancelled and terminated at random moments
#
my @clients = start_clients($node, on_error_stop => 0);
my $rounds = 100 * $seconds;
$node->safe_psql('postgres', qq{
	DO \$\$ DECLARE
		sent int := 0;
	BEGIN
		FOR i IN 1 .. 6000 LOOP
			PERFORM pg_stat_clear_snapshot();
			sent := sent + (SELECT count(pg_cancel_backend(pid)) $anybody AND state = 'active' AND random() < 0.5);
			EXIT WHEN i >= $rounds AND sent >= $rounds;
			PERFORM pg_sleep(0.01);
		END LOOP;
		PERFORM pg_terminate_backend(pid) $anybody AND pid % 2 = 0;
	END \$\$});
sleep 0.2;
push @history, end_clients(@clients);
my $log = slurp_file($node->logfile);
my $errors = () = $log =~ /canceling statement due to user request/g;
cmp_ok($errors, '>', 0, "$errors statements are cancelled");

#
# statement_timeout, at random moments because it is as long as a statement
#
@clients = start_clients($node, on_error_stop => 0);
$node->append_conf('postgresql.conf', 'statement_timeout = 2ms');
$node->reload;
sleep $seconds;
push @history, end_clients(@clients);
$node->append_conf('postgresql.conf', 'statement_timeout = 0');
$node->reload;
$errors = () = slurp_file($node->logfile) =~ /canceling statement due to statement timeout/g;
cmp_ok($errors, '>', 0, "$errors statements reach their timeout");
indexes_are_sound($node, 'cancelled');

#
# Out of memory: the limit of a session is its size at the start, and somewhat
# more each time, so that each time a different allocation fails.
#
my @calls = (
	q{SELECT 'cache_1', id, id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM next_snowflake('cache_1_id', 5, 'twitter') id},
	q{SELECT 'cache_64', id, id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM next_snowflake('cache_64_id', 5, 'twitter') id},
	q{SELECT 'objectid', id, id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM gen_objectid() id},
	q{SELECT 'shard', id, id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM next_shard_id(1, nextval('shard_1_id')) id},
	q{SELECT 'shard_cache_1', id, id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM next_shard_id(1005, nextval('shard_cache_1_id')) id},
	q{SELECT 'shard_cache_100', id, id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM next_shard_id(1005, nextval('shard_cache_100_id')) id},
	q{SELECT 'shard_plain', id, id, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM next_shard_id(1005, 7) id},
	q{SELECT 'range', first, last, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM nextval_range('range_id', 3)});
my ($failed, $worked, @others) = (0, 0);
my $pid_of_main = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
foreach my $more (map { $_ * 8 } 0 .. 100)
{
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe(q{LOAD 'objectid_ext'; SELECT pg_backend_pid()});
	my ($size) = slurp_file("/proc/$pid/status") =~ /^VmSize:\s+(\d+) kB/m;
	my @lines;
	foreach my $limit (($size + $more) * 1024 . ':', 'unlimited:')
	{
		system_or_bail('prlimit', "--pid=$pid", "--as=$limit");
		foreach my $call (@calls)
		{
			$session->{stderr} = '';
			my $line = $session->query($call);
			if ($session->{stderr} eq '')
			{
				push @lines, $line;
				$worked++;
				next;
			}
			$failed++;
			push @others, $session->{stderr}
			  unless $limit ne 'unlimited:' && $session->{stderr} =~ /out of memory|Cannot allocate memory/;
		}
	}
	push @history, { node => 5, shard => 1, lines => \@lines };
	$session->quit;
}
cmp_ok($failed, '>', 0, "out of memory: $failed calls fail");
cmp_ok($worked, '>', $failed, "out of memory: $worked work, all with enough of it");
is("@others", '', 'out of memory: there is no other error');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $pid_of_main, 'out of memory: the server is up');
history_is_sound(\@history, 'cancelled, terminated, out of time and of memory');
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal/, 'no process ends otherwise than by request');
$node->stop;

#
# No space for WAL: it has a file system of its own, in a name space that only
# the server is in.
#
my @unshare = ('unshare', '--user', '--map-current-user', '--keep-caps', '--mount');
SKIP:
{
	if (system("@unshare true 2>/dev/null") != 0)
	{
		diag('user name spaces ARE NOT ALLOWED here: no test of a full disk');
		skip 'no user name spaces', 1;
	}
	my $full = PostgreSQL::Test::Cluster->new('full');
	$full->init(extra => ['--wal-segsize=1']);
	$full->append_conf('postgresql.conf', "$conf\nmax_wal_size = 1GB\nrestart_after_crash = off\n");
	my $wal = $full->data_dir . '/pg_wal';
	rename $wal, "$wal.before" or die;
	mkdir $wal or die;
	my $holder = start_namespace("mount -t tmpfs -o size=256m,mode=700 wal $wal
		cp -a $wal.before/. $wal
		head -c 232m /dev/zero >$wal/ballast");
	my @inside = ('nsenter', "--target=$holder->{pid}", '--user', '--mount', '--preserve-credentials');
	my $start = sub {
		system_or_bail(@inside, 'pg_ctl', '-w', '-D', $full->data_dir, '-l', $full->logfile, 'start');
		$full->_update_pid(1);
	};

	my @sessions;
	$start->();
	$full->safe_psql('postgres', 'CREATE EXTENSION objectid_ext');
	create_keyed_tables($full);
	@clients = start_clients($full);
	wait_for_panic($full);
	push @sessions, end_clients(@clients);
	like(slurp_file($full->logfile), qr/PANIC: .*No space left on device/, 'full disk: the server stops');

	# Free space on the disk.
	system_or_bail(@inside, 'rm', "$wal/ballast");
	$start->();
	$full->safe_psql('postgres', 'CHECKPOINT');
	@clients = start_clients($full);
	sleep 0.3;
	push @sessions, end_clients(@clients);
	# The server starts again within a second: ids of next_shard_id() begin at what was
	# reserved, which adds to their lead.
	history_is_sound(\@sessions, 'full disk', shard_lead => 2.2);
	indexes_are_sound($full, 'full disk');
	$full->stop;
	$holder->{run}->kill_kill;
}

# A process that holds a name space, after it has run a script there.
sub start_namespace
{
	my ($script) = @_;
	my ($out, $err) = ('', '');
	my $run = IPC::Run::start([ @unshare, 'sh', '-ec', "$script\necho \$\$\nexec sleep 3600" ],
		'<', \undef, '>', \$out, '2>', \$err);
	$run->pump until $out =~ /^(\d+)\n/ || $err ne '';
	$err eq '' or die $err;
	return { run => $run, pid => $1 };
}

# The server stops by itself, and may have stopped already.
sub wait_for_panic
{
	my ($server) = @_;
	foreach my $attempt (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default)
	{
		if (!-e $server->data_dir . '/postmaster.pid')
		{
			$server->_update_pid(0);
			return;
		}
		sleep 0.01;
	}
	die 'the disk does not become full';
}

done_testing();
