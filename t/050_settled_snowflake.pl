# settled_snowflake() and what outlasts a session: prepared transactions, also of another
# database, crashes, and the promotion of a standby.  Further, sessions that end,
# transactions that use many sequences, and those that commit on other servers as well.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $machine = new_machine();
my %env = ref $machine ? machine_environment($machine) : ();

my $node = start_server('primary', allows_streaming => 1, env => \%env, conf => q{
max_prepared_transactions = 10
max_locks_per_transaction = 256
client_min_messages = error
});
$node->safe_psql('postgres', q{
	CREATE FUNCTION settled(seq regclass) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE upto bigint; BEGIN CALL settled_snowflake(seq, upto); RETURN upto; END';
	CREATE SEQUENCE feed_id;
	CREATE TABLE feed (n int, id bigint PRIMARY KEY DEFAULT next_snowflake('feed_id', 5, 'twitter'))});

sub start_node { local %ENV = (%ENV, %env); $node->start; }
sub settled { return $node->safe_psql('postgres', q{CALL settled_snowflake('feed_id', NULL)}); }
sub insert { return $node->safe_psql('postgres', "INSERT INTO feed VALUES ($_[0]) RETURNING id"); }

# What a reader gets from its bookmark on; the bound never goes back.
my $last = 0;

sub poll
{
	my $upto = settled();
	fail("the bound goes back from $last to $upto") if $upto < $last;
	my $rows = $node->safe_psql('postgres', "SELECT n FROM feed WHERE id > $last AND id <= $upto ORDER BY id");
	$last = $upto;
	return $rows =~ s/\n/ /gr;
}

#
# Prepared transactions
#
$node->safe_psql('postgres', q{BEGIN; INSERT INTO feed VALUES (1); PREPARE TRANSACTION 'one'});
insert(2);
is(poll(), '', 'a prepared transaction holds the bound back');
$node->restart;
insert(3);
is(poll(), '', '... after a restart');
kill_server($node);
start_node();
is(poll(), '', '... and a crash');
$node->safe_psql('postgres', q{BEGIN; INSERT INTO feed VALUES (4); PREPARE TRANSACTION 'two'});
$node->safe_psql('postgres', q{COMMIT PREPARED 'one'});
insert(5);
is(poll(), '1 2 3', 'committed by another session: read up to the next that is prepared');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'two'});
is(poll(), '5', 'rolled back: read to the end');

# A savepoint that is rolled back has taken the first id.
$node->safe_psql('postgres', q{BEGIN; SAVEPOINT s; INSERT INTO feed VALUES (0); ROLLBACK TO s;
	INSERT INTO feed VALUES (6); PREPARE TRANSACTION 'three'});
my $before = settled();
insert(7);
is(settled(), $before, 'the first id of a prepared transaction counts, also where it was rolled back to a savepoint');
$node->safe_psql('postgres', q{COMMIT PREPARED 'three'});
is(poll(), '6 7', 'and then both rows are read');

# Another database, whose sequence has the same OID, and whose own OID has the same lower
# 15 bits, of which the tag of a lock has no more.
my $other_oid = $node->safe_psql('template1', "SELECT oid::int + 32768 FROM pg_database WHERE datname = 'postgres'");
$node->safe_psql('template1', "CREATE DATABASE other TEMPLATE postgres OID = $other_oid");
$node->safe_psql('other', q{BEGIN; INSERT INTO feed VALUES (1); PREPARE TRANSACTION 'of other'});
insert(8);
is(poll(), '8', 'a prepared transaction of another database does not hold the bound back');
$node->safe_psql('postgres', q{BEGIN; INSERT INTO feed VALUES (9); PREPARE TRANSACTION 'of both'});
my $here = insert(10);
is(poll(), '', '... but that of this database, which is later');
$node->restart;
is(poll(), '', '... after a restart, too');
my $there = $node->safe_psql('other', q{CALL settled_snowflake('feed_id', NULL)});
cmp_ok($there, '<', $last, 'the other database has its own bound');
$node->safe_psql('postgres', q{COMMIT PREPARED 'of both'});
is(poll(), '9 10', 'and then all rows are read');
$node->safe_psql('other', q{COMMIT PREPARED 'of other'});
is($node->safe_psql('other', q{CALL settled_snowflake('feed_id', upto => NULL)}), $there + 1, '... there as well');
$node->safe_psql('postgres', 'DROP DATABASE other');

# Writers whose transactions are all prepared, and readers that count up to the bound what
# they see then: it is what there is at the end.
$node->safe_psql('postgres', q{
	CREATE SEQUENCE counted_id CACHE 4;
	CREATE TABLE counted (id bigint PRIMARY KEY);
	CREATE TABLE reading (upto bigint, n bigint);
	CREATE PROCEDURE read_counted(readings int) LANGUAGE plpgsql AS $$
	DECLARE
		upto bigint;
	BEGIN
		FOR i IN 1 .. readings LOOP
			CALL settled_snowflake('counted_id', upto);
			INSERT INTO reading SELECT upto, count(*) FROM counted WHERE id <= upto;
			COMMIT;
		END LOOP;
	END $$});
my $counted = q{INSERT INTO counted SELECT next_snowflake('counted_id', 1, 'twitter') FROM generate_series(1, 3)};
in_parallel($node,
	(map { my $w = $_; join "\n", map { "BEGIN; $counted; PREPARE TRANSACTION 'w$w'; COMMIT PREPARED 'w$w';" } 1 .. 100 } 1 .. 6),
	('CALL read_counted(200);') x 2);
is($node->safe_psql('postgres', q{
		SELECT count(*) FILTER (WHERE n <> (SELECT count(*) FROM counted WHERE id <= upto)), count(*) FROM reading}),
	'0|400', 'no reader misses rows of transactions that are prepared meanwhile');

#
# Many sequences in a transaction, beside one that is idle and has ids of 8,224
# temporary ones
#
my $idle = $node->background_psql('postgres');
$idle->query_safe(q{
	DO $$ BEGIN FOR i IN 1 .. 8224 LOOP EXECUTE format('CREATE TEMP SEQUENCE temporary_%s', i); COMMIT; END LOOP; END $$;
	BEGIN; SELECT count(next_snowflake(('temporary_' || i)::regclass, 5, 'twitter')) FROM generate_series(1, 8224) AS i});
$node->safe_psql('postgres', join ';', map { "CREATE SEQUENCE many_$_ CACHE 10" } 1 .. 150);
my $take = join ';', map { "SELECT next_snowflake('many_$_', 5, 'twitter')" } 1 .. 150;
my $held = q{SELECT count(*) FILTER (WHERE settled(oid) < pg_sequence_last_value(oid)), count(*) FROM pg_class WHERE relname LIKE 'many%'};
my $session = $node->background_psql('postgres');
$session->query_safe("BEGIN; $take");
is($node->safe_psql('postgres', $held), '150|150', 'a transaction holds the bounds of 150 sequences back');
$session->query_safe("PREPARE TRANSACTION 'many'");
$idle->quit;
is($node->safe_psql('postgres', $held), '150|150', '... when it is prepared');
$session->quit;
kill_server($node);
start_node();
is($node->safe_psql('postgres', $held), '150|150', '... and after a crash');
$node->safe_psql('postgres', q{ROLLBACK PREPARED 'many'});
is($node->safe_psql('postgres', $held), '0|150', 'and none afterwards');

# Sessions that take many at once, some with PREPARE, while readers look: the bound
# does not go back.
$node->safe_psql('postgres', q{
	CREATE PROCEDURE take_many(seconds float8) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 s';
	BEGIN
		WHILE clock_timestamp() < until LOOP
			PERFORM next_snowflake(('many_' || i)::regclass, 5, 'twitter') FROM generate_series(1, 60) i;
			COMMIT;
		END LOOP;
	END $$;
	CREATE PROCEDURE watch(seconds float8, INOUT back int) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 s';
		last bigint := 0;
		upto bigint;
	BEGIN
		back := 0;
		WHILE clock_timestamp() < until LOOP
			CALL settled_snowflake('many_60', upto);
			back := back + (upto < last)::int;
			last := upto;
			COMMIT;
		END LOOP;
	END $$});
my $prepare = join "\n", map {
	my $sequences = join ';', map { "SELECT next_snowflake('many_$_', 5, 'twitter')" } 58 .. 60;
	"BEGIN; $sequences; PREPARE TRANSACTION 'p$_'; COMMIT PREPARED 'p$_';" } 1 .. 200;
my @clients = (
	(map { start_client($node, 'CALL take_many(3);') } 1 .. 3),
	start_client($node, "$prepare\n"),
	(map { start_client($node, 'CALL watch(3, NULL);') } 1 .. 2));
$_->{run}->finish foreach @clients;
is(slurp_file($_->{output}), "0\n", 'the bound does not go back while others take many sequences') foreach @clients[ 4, 5 ];

#
# ALTER SEQUENCE replaces the file of a sequence that the reader has locked.
#
my $reader = $node->background_psql('postgres');
$reader->query_safe('BEGIN; SELECT last_value FROM feed_id; ' . q{CALL settled_snowflake('feed_id', NULL)});
$node->safe_psql('postgres', 'ALTER SEQUENCE feed_id INCREMENT 2; CHECKPOINT');
my $id = insert(7);
cmp_ok($reader->query(q{CALL settled_snowflake('feed_id', NULL)}) || 0, '>=', $id, 'after ALTER SEQUENCE a transaction reads the new file');
$reader->quit;
$node->safe_psql('postgres', 'ALTER SEQUENCE feed_id INCREMENT 1');
is(poll(), '7', 'and no row is missed');

#
# A session that ends
#
$session = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $session->query_safe('SELECT pg_backend_pid()');
$session->query_safe('BEGIN; INSERT INTO feed VALUES (0)');
insert(8);
is(poll(), '', 'an open transaction holds the bound back');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid, 180000)");
is(poll(), '8', '... until its session is terminated');
eval { $session->quit };

# What is left of a block can be used while its tick lasts, here an hour, but for a
# second at most.
my $layout = 'time:20,node:4,seq:20;tick=3600s;epoch=2026-01-01T00:00:00Z';
$node->safe_psql('postgres', "CREATE SEQUENCE block_id CACHE 100; SELECT next_snowflake('block_id', 1, '$layout')");
ok($node->poll_query_until('postgres', q{SELECT settled('block_id') = last_value FROM block_id}),
	'a block of a session that has ended does not hold the bound back for long');

#
# A crash
#
$session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('BEGIN; INSERT INTO feed VALUES (0)');
insert(9);
is(poll(), '', 'an open transaction holds the bound back');
kill_server($node);
eval { $session->quit };
start_node();
is(poll(), '9', '... until the server crashes; the bookmark is still valid');

SKIP:
{
	skip "$machine: NO TEST with a clock that is set", 1 unless ref $machine;

	# Nobody else flushes the WAL of this id.
	$node->safe_psql('postgres', q{CREATE SEQUENCE rolled_back_id});
	my $settled = $node->safe_psql('postgres',
		q{BEGIN; SELECT next_snowflake('rolled_back_id', 5, 'twitter') > 0; ROLLBACK; CALL settled_snowflake('rolled_back_id', NULL)}) =~ s/t\n//r;
	kill_server($node);
	set_clock($machine, -60);
	start_node();
	cmp_ok($node->safe_psql('postgres', q{SELECT next_snowflake('rolled_back_id', 5, 'twitter')}),
		'>', $settled, 'after a crash with the clock set back, ids are above the bound');
	$node->stop;
	set_clock($machine, 0);
	start_node();
}

#
# A commit elsewhere: the row is visible here, but another extension has not committed
# those of the transaction on other servers yet.
#
SKIP:
{
	my $dir = PostgreSQL::Test::Utils::tempdir('module');
	my $cc = $ENV{CC} // 'cc';
	chomp(my $include = `\${PG_CONFIG:-pg_config} --includedir-server`);
	skip 'cannot build a module of the server', 2
	  if system("$cc -shared -fPIC -I$include -o $dir/late_commit.so $FindBin::RealBin/lib/late_commit.c 2>$dir/log") != 0;

	# Callbacks run newest first, so the module is loaded first.
	append_to_file($node->data_dir . '/late_commit', '');
	my $late = start_client($node, "BEGIN; LOAD '$dir/late_commit.so'; INSERT INTO feed VALUES (13); COMMIT;");
	$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM feed WHERE n = 13') or die 'no row';
	is(poll(), '', 'a transaction that has not committed elsewhere holds the bound back');
	unlink $node->data_dir . '/late_commit';
	$late->{run}->finish or die slurp_file($late->{errors});
	is(poll(), '13', '... until it has');
}

#
# A promotion
#
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->safe_psql('postgres', q{BEGIN; INSERT INTO feed VALUES (10); PREPARE TRANSACTION 'four'});
insert(11);
is(poll(), '', 'a transaction that is prepared on the primary');
$node->wait_for_catchup($standby);
my ($failed, $stdout, $stderr) = $standby->psql('postgres', q{CALL settled_snowflake('feed_id', NULL)});
like($stderr, qr/cannot execute settled_snowflake\(\) during recovery/, 'an error on the standby');
kill_server($node);
$node = $standby;
$node->promote;
insert(12);
is(poll(), '', '... holds the bound back on the promoted standby');
$node->safe_psql('postgres', q{COMMIT PREPARED 'four'});
is(poll(), '10 11 12', '... until it is committed there');

$node->stop;
done_testing();
