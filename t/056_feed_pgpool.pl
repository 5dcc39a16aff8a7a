# A feed through pgpool, which sends CALL to the primary and SELECT to a standby.  Bound
# and rows in one transaction block are of one server; in autocommit, rows that the
# standby does not have yet are lost.

use strict;
use warnings FATAL => 'all';

use FindBin;
use IPC::Run;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'pgpool is not installed (pgpool2)' unless -x '/usr/sbin/pgpool';

my $primary = start_server('primary', allows_streaming => 1);
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# All reads that pgpool may send to a standby go there.
my $dir = PostgreSQL::Test::Utils::tempdir('pgpool');
my $port = PostgreSQL::Test::Cluster::get_free_port();
my ($host, $user) = ($primary->host, $primary->safe_psql('postgres', 'SELECT current_user'));
my $directories = `/usr/sbin/pgpool --version 2>&1` =~ /version (\d+\.\d+)/ && $1 < 4.4 ? 'socket_dir' : 'unix_socket_directories';
append_to_file("$dir/pgpool.conf", <<END);
backend_clustering_mode = 'streaming_replication'
backend_hostname0 = '$host'
backend_port0 = @{[ $primary->port ]}
backend_weight0 = 0
backend_hostname1 = '$host'
backend_port1 = @{[ $standby->port ]}
backend_weight1 = 1
load_balance_mode = on
sr_check_user = '$user'
sr_check_database = 'postgres'
health_check_user = '$user'
listen_addresses = ''
$directories = '$dir'
pcp_listen_addresses = ''
pcp_socket_dir = '$dir'
pcp_port = @{[ PostgreSQL::Test::Cluster::get_free_port() ]}
port = $port
pid_file_name = '$dir/pgpool.pid'
logdir = '$dir'
work_dir = '$dir'
num_init_children = 4
END
append_to_file("$dir/$_", '') foreach 'pcp.conf', 'pool_hba.conf';
my $pgpool = IPC::Run::start(
	[ '/usr/sbin/pgpool', '-n', '-f', "$dir/pgpool.conf", '-F', "$dir/pcp.conf", '-a', "$dir/pool_hba.conf" ],
	'>', "$dir/log", '2>', "$dir/log");
END { local $?; $pgpool->kill_kill if $pgpool && $pgpool->pumpable; }
my $pool = "host=$dir port=$port dbname=postgres user=$user";

# What psql prints for a script that it runs through pgpool
sub pool_psql
{
	my ($script) = @_;
	my ($out, $err) = ('', '');

	# From a file: psql can end, for want of a connection, before it has read a pipe.
	unlink "$dir/script.sql";
	append_to_file("$dir/script.sql", $script);
	IPC::Run::run([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $pool, '-f', "$dir/script.sql" ], '<', \undef, '>', \$out, '2>', \$err)
	  or return "failed: $err";
	chomp $out;
	return $out;
}
my $is_ready;
foreach my $attempt (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
{
	last if $is_ready = pool_psql('SELECT 1') eq '1';
	select undef, undef, undef, 0.1;
}
ok($is_ready, 'pgpool answers') or diag(slurp_file("$dir/log"));

$primary->safe_psql('postgres', q{
	CREATE SEQUENCE note_id CACHE 64;
	CREATE TABLE note (id bigint PRIMARY KEY DEFAULT next_snowflake('note_id', 5, 'twitter'), body text)});
$primary->wait_for_catchup($standby);

# A standby that is behind
$standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()');
$standby->poll_query_until('postgres', q{SELECT pg_get_wal_replay_pause_state() = 'paused'}) or die 'replay is not paused';
$primary->safe_psql('postgres', q{INSERT INTO note (body) VALUES ('new'); SELECT pg_sleep(0.1)});

my $poll = q{
	CALL settled_snowflake('note_id', NULL) \gset
	SELECT count(*) FROM note WHERE id <= :upto;};
is(pool_psql($poll), '0', 'in autocommit, the bound is of the primary and the rows are of the standby');
is(pool_psql("BEGIN; $poll COMMIT;"), '1', 'in one block, both are of the primary');
is(pool_psql("BEGIN; SELECT count(*) FROM pg_class WHERE relname = 'note'; $poll COMMIT;"), "1\n1", 'also after another query');

# The consumer of examples/feed
SKIP:
{
	skip 'psycopg 3 is not installed (python3-psycopg)', 1 if system('python3 -c "import psycopg" 2>/dev/null') != 0;
	my ($ret, $out, $err) = $primary->psql('postgres', slurp_file('examples/feed/outbox.sql'), on_error_stop => 1);
	is($ret, 0, 'outbox.sql') or diag($err);
	$standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');
	$primary->wait_for_catchup($standby);
	$standby->safe_psql('postgres', 'SELECT pg_wal_replay_pause()');
	$primary->safe_psql('postgres', q{INSERT INTO outbox (item, quantity) SELECT 'item', i FROM generate_series(1, 500) AS i});

	local $ENV{PGHOST} = $dir;
	local $ENV{PGPORT} = $port;
	local $ENV{PGUSER} = $user;
	local $ENV{PGDATABASE} = 'postgres';
	my $printed = '';
	my $consumer = IPC::Run::start([ 'python3', 'examples/feed/consumer.py', 'mail', 'print' ], '>', \$printed, '2>', "$dir/consumer.log",
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	eval { $consumer->pump until ($printed =~ tr/\n//) >= 500; };
	is(scalar($printed =~ tr/\n//), 500, 'the consumer reads all rows, while the standby is behind') or diag(slurp_file("$dir/consumer.log"));
	$consumer->kill_kill;
}

$standby->safe_psql('postgres', 'SELECT pg_wal_replay_resume()');
kill 'INT', slurp_file("$dir/pgpool.pid") =~ /(\d+)/;
$pgpool->finish;
$standby->stop;
$primary->stop;
done_testing();
