# Transactions lock the tables in one order or the other, which need not be that in
# which the tables were created.  A conversion, and undoing one, ends within seconds all
# the same, and no transaction fails.  With PG_TEST_EXTRA=long, 16 writers too.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\blong\b/;
my $node = start_server('locks', conf => "max_connections = 40\nmax_prepared_transactions = 1\nautovacuum_naptime = 1s");
my $dir = PostgreSQL::Test::Utils::tempdir('pgbench');

my %create = (parent => 'CREATE TABLE parent (id serial, n int);', child => 'CREATE TABLE child (parent int, n int);');
my %script = (
	parent => "INSERT INTO parent (n) VALUES (:n) RETURNING id \\gset\nINSERT INTO child VALUES (:id, :n);",
	child => "INSERT INTO child VALUES (:n % 10 + 1, :n);\nINSERT INTO parent (n) VALUES (:n);");

sub run_steps
{
	my ($name, $number) = @_;
	my $client = start_client($node, "SELECT statement FROM objectid_ext_tools.snowflake_conversion_steps('parent', 'id', 5, 'twitter') ORDER BY step LIMIT $number \\gexec\n");
	ok($client->{run}->finish, $name) or diag(slurp_file($client->{errors}));
}

sub test_writers
{
	my ($created, $written, $writers) = @_;
	my $name = "created $created first, $writers writers of $written first";
	my $other = $created eq 'parent' ? 'child' : 'parent';
	$node->safe_psql('postgres', "SET client_min_messages = warning; DROP TABLE IF EXISTS parent, child; $create{$created} $create{$other}
		INSERT INTO parent (n) SELECT generate_series(1, 10); ALTER TABLE parent ADD PRIMARY KEY (id);
		ALTER TABLE child ADD FOREIGN KEY (parent) REFERENCES parent; CREATE INDEX ON child (parent)");
	my $script = "$dir/$written first";
	append_to_file($script, "\\set n random(1, 1000)\nBEGIN;\n$script{$written}\nCOMMIT;\n") unless -e $script;
	my $errors = '';
	my $load = IPC::Run::start([ 'pgbench', '-n', '-T', 1000, '-c', $writers, '-j', 2, '-f', $script, $node->connstr('postgres') . q{ application_name=writers options='-c deadlock_timeout=60s'} ],
		'<', \undef, '>', '/dev/null', '2>', \$errors);
	$node->poll_query_until('postgres', 'SELECT count(*) > 100 FROM child');

	my $began = time;
	run_steps("$name: begun", 3);
	$node->safe_psql('postgres', "CALL objectid_ext_tools.undo_conversion('parent', 'id')");
	my $undone = time - $began;
	$began = time;
	run_steps("$name: converted", 100);
	my $took = time - $began;
	ok($load->pumpable && $errors eq '', "$name: no transaction failed") or diag($errors);
	cmp_ok($undone + $took, '<', 60, sprintf '%s: begun and undone in %.1f s, converted in %.1f s', $name, $undone, $took);
	$load->signal('TERM');
	$load->finish;
	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'writers'");
	is($node->safe_psql('postgres', 'SELECT min(pg_typeof(id)::text), count(*) FILTER (WHERE id IS NULL), (SELECT count(*) FROM child LEFT JOIN parent ON id = parent WHERE id IS NULL) FROM parent'),
		'bigint|0|0', "$name: all rows are there");
}

foreach my $created ('parent', 'child')
{
	foreach my $written ('parent', 'child')
	{
		test_writers($created, $written, $_) foreach $long ? (4, 16) : 4;
	}
}

# A transaction with an old snapshot never sees a column that is not filled: the
# conversion waits for it.  A second session that converts the same is told.
{
	$node->safe_psql('postgres', q(CREATE TABLE other (); CREATE TABLE document (d text PRIMARY KEY); INSERT INTO document SELECT gen_objectid() FROM generate_series(1, 100)));
	my $old = $node->background_psql('postgres');
	$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM other');
	my $convert = "SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('document', 'd') ORDER BY step \\gexec\n";
	my $client = start_client($node, "SET application_name = 'conversion'; $convert");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'conversion' AND query LIKE 'CREATE%INDEX%' AND wait_event_type = 'Lock'
		OR (SELECT atttypid <> 'text'::regtype FROM pg_attribute WHERE attrelid = 'document'::regclass AND attname = 'd')");
	is($old->query_safe('SELECT count(*) FROM document WHERE d IS NULL'), 0, 'an old snapshot sees no nulls');
	my $second = start_client($node, $convert);
	$second->{run}->finish;
	like(slurp_file($second->{errors}), qr/another session is converting a column of table public.document\nDETAIL:  It is process \d+\.\nHINT:  A session that has asked for the steps/, 'a second session is told of the first');
	$old->query_safe('COMMIT');
	$old->quit;
	$client->{run}->finish or diag(slurp_file($client->{errors}));
	is($node->safe_psql('postgres', "SELECT count(d), min(pg_typeof(d)::text) FROM document"), '100|objectid', 'then it is converted');
}

# Autovacuum of a table, which would take an hour, makes room: clients wait for less
# than deadlock_timeout, after which it does.
{
	$node->safe_psql('postgres', q{
		CREATE TABLE large (id serial PRIMARY KEY, n int) WITH (autovacuum_vacuum_threshold = 0, autovacuum_vacuum_scale_factor = 0,
			autovacuum_vacuum_insert_threshold = -1, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
		INSERT INTO large (n) SELECT generate_series(1, 300000);
		CALL objectid_ext_tools._conversion_begin('large', 'id', 'bigint', '1 s');
		UPDATE large SET n = n + 1 WHERE id % 10 = 0});
	ok($node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_progress_vacuum WHERE relid = 'large'::regclass"), 'autovacuum is at work');
	my $began = time;
	$node->safe_psql('postgres', "SET statement_timeout = '60 s'; CALL objectid_ext_tools.undo_conversion('large', 'id')");
	cmp_ok(time - $began, '<', 30, 'undo_conversion() ends in spite of autovacuum');
	$node->safe_psql('postgres', 'DROP TABLE large');
}

# Whoever holds a step back is told: a session that has locked the table against other
# commands, or a row, one that has written, and a prepared transaction.
{
	my $told = sub {
		my ($client, $notice, $name) = @_;
		foreach (1 .. 600)
		{
			last if slurp_file($client->{errors}) =~ $notice;
			sleep 0.1;
		}
		like(slurp_file($client->{errors}), $notice, $name);
	};
	$node->safe_psql('postgres', 'CREATE TABLE held (id serial PRIMARY KEY); INSERT INTO held SELECT FROM generate_series(1, 10)');
	my $holder = $node->background_psql('postgres');
	$holder->query_safe('BEGIN; LOCK TABLE held IN SHARE UPDATE EXCLUSIVE MODE');
	my $begin = start_client($node, "CALL objectid_ext_tools._conversion_begin('held', 'id', 'bigint', '1 s');\n");
	$told->($begin, qr/table public.held is busy\nDETAIL:  Process \d+ uses it: LOCK TABLE held/, 'another command: the session is told');
	$holder->query_safe('COMMIT');
	$begin->{run}->finish or diag(slurp_file($begin->{errors}));
	$holder->query_safe('BEGIN; SELECT FROM held WHERE id = 5 FOR UPDATE');
	my $fill = start_client($node, "CALL objectid_ext_tools._conversion_fill('held', NULL);\n");
	$told->($fill, qr/rows of table held have been locked in 10 attempts\nDETAIL:  Process \d+ uses it: SELECT FROM held/, 'a locked row: the session is told');
	$holder->query_safe("COMMIT");
	$fill->{run}->finish or diag(slurp_file($fill->{errors}));
	$holder->query_safe('BEGIN; INSERT INTO held DEFAULT VALUES');
	my $undo = start_client($node, "CALL objectid_ext_tools.undo_conversion('held', 'id', '50 ms');\n");
	$told->($undo, qr/table public.held has been busy in \d+ attempts\nDETAIL:  Process \d+ uses it: INSERT INTO held/, 'undo: the session is told');
	$holder->query_safe("PREPARE TRANSACTION 'held'");
	$told->($undo, qr/DETAIL:  A prepared transaction uses it/, 'undo: a prepared transaction is told');
	$holder->query_safe("COMMIT PREPARED 'held'");
	$holder->quit;
	ok($undo->{run}->finish, 'then it is undone') or diag(slurp_file($undo->{errors}));
}

$node->stop;
done_testing();
