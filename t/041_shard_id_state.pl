# What next_shard_id() keeps on disk and in shared memory, where SQL commands
# touch it: its ids are distinct whatever happens to the reservation sequence.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Ids that lead the clock by minutes stand for a clock that was set back: a
# server that lost the reservation repeats them at once.
my $node = start_server('main', conf => "objectid_ext.max_clock_lead = '1h'\nfsync = off");
my $layout = 'time:34,node:4;tick=1s;epoch=2020-01-01T00:00:00Z';
my $renew = 'DROP EXTENSION objectid_ext CASCADE; CREATE EXTENSION objectid_ext;';

sub take
{
	my ($count) = @_;
	return "SELECT next_shard_id(0, 0, '$layout') FROM generate_series(1, $count);\n";
}

sub repeated
{
	my ($first, $second) = @_;
	my %seen = map { $_ => 1 } $first =~ /^(\d+)$/mg;
	return scalar grep { $seen{$_} } $second =~ /^(\d+)$/mg;
}

# Ids that a script takes do not come again after a crash.
sub crash_after
{
	my ($what, $script) = @_;
	my $before = $node->safe_psql('postgres', $script);
	$node->stop('immediate');
	$node->start;
	is(repeated($before, $node->safe_psql('postgres', take(1000))), 0, "$what, then a crash: no id comes again");

	# The next one begins at the clock again.
	$node->safe_psql('postgres', $renew);
	$node->safe_psql('postgres', take(1));
	$node->safe_psql('postgres', "SELECT setval('shard_id_reservation', 1, false)");
	$node->restart;
}

crash_after('ids', take(100));
my $other = 'SELECT next_shard_id(1, 1);';
crash_after('DROP and CREATE EXTENSION, another id', take(100) . $renew . $other);
crash_after('DROP and CREATE EXTENSION in one transaction, another id', take(100) . "BEGIN; $renew COMMIT; $other");
crash_after('DROP and CREATE EXTENSION, rolled back', take(100) . "BEGIN; $renew ROLLBACK; $other");
crash_after('ALTER SEQUENCE, rolled back',
	take(100) . 'BEGIN; ALTER SEQUENCE shard_id_reservation RESTART; ROLLBACK;' . $other);
# The reservation is the member of that name, in the schema of the extension.
crash_after('other sequences in the extension', take(100) . q{
	CREATE SCHEMA s;
	CREATE SEQUENCE other;
	CREATE SEQUENCE s.shard_id_reservation;
	ALTER EXTENSION objectid_ext ADD SEQUENCE other;
	ALTER EXTENSION objectid_ext ADD SEQUENCE s.shard_id_reservation;} . $other);

# ALTER SEQUENCE replaces the file of the sequence, and a rollback brings the file
# before back, without the reservations since.  So does that of DROP EXTENSION with
# the sequence.
my @replacing = (
	'ALTER SEQUENCE shard_id_reservation RESTART;',
	# which leave the value as it is
	'ALTER SEQUENCE shard_id_reservation INCREMENT 1;',
	'ALTER SEQUENCE shard_id_reservation START 7;',
	'ALTER SEQUENCE shard_id_reservation AS bigint;',
	# the rollback of the second file does not bring back the one before the first
	'ALTER SEQUENCE shard_id_reservation INCREMENT 1; SAVEPOINT a; ALTER SEQUENCE shard_id_reservation INCREMENT 1; ROLLBACK TO a;',
	$renew,
	"SAVEPOINT a; $renew RELEASE a;",
	q{ALTER EXTENSION objectid_ext DROP SEQUENCE shard_id_reservation; DROP SEQUENCE shard_id_reservation;
	CREATE SEQUENCE shard_id_reservation; ALTER EXTENSION objectid_ext ADD SEQUENCE shard_id_reservation;});

sub is_refused
{
	my ($when, $script) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', "SET client_min_messages = error; $script\n$other");
	like($err, qr/cannot execute next_shard_id\(\) in the transaction that replaced sequence "shard_id_reservation"/, "$when: $script");
}
is_refused('another session has taken ids', "BEGIN; $_") foreach @replacing;
is_refused('so has this transaction', "BEGIN; $other SAVEPOINT b; $_") foreach @replacing;
foreach ('ALTER SEQUENCE shard_id_reservation INCREMENT 1;', $renew)
{
	$node->restart;
	is_refused('the first since the start', "BEGIN; $_");
}

# An unlogged sequence would lose the reservation in a crash.
my (undef, undef, $unlogged) = $node->psql('postgres', "ALTER SEQUENCE shard_id_reservation SET UNLOGGED; $other");
like($unlogged, qr/"shard_id_reservation" is not a logged sequence/, 'no id while the sequence is unlogged');
$node->safe_psql('postgres', "ALTER SEQUENCE shard_id_reservation SET LOGGED; $other");

# Where there was none before, the transaction that creates the extension takes ids.
sub create_and_take
{
	my ($database, $end) = @_;
	return $node->safe_psql($database, 'BEGIN; CREATE EXTENSION objectid_ext;' . take(100) . $end);
}
my $ids = $node->safe_psql('postgres', take(100));
$node->safe_psql('postgres', 'SET client_min_messages = error; DROP EXTENSION objectid_ext CASCADE');
foreach my $end ('ROLLBACK', 'ROLLBACK', 'COMMIT')
{
	my $more = create_and_take('postgres', $end);
	is(repeated($ids, $more), 0, "after DROP EXTENSION, CREATE EXTENSION and ids, $end: no id comes again");
	$ids .= "\n$more";
}
$ids = '';
foreach (1 .. 2)
{
	$node->safe_psql('postgres', 'CREATE DATABASE again OID = 3000000000');
	my $more = create_and_take('again', 'COMMIT');
	is(repeated($ids, $more), 0, 'a database with the OID of one that was dropped: no id comes again') if $ids;
	$ids = $more;
	$node->safe_psql('postgres', 'DROP DATABASE again');
}

# A session that waits for DROP EXTENSION goes on with what comes after it.
sub wait_for_commit
{
	my ($script) = @_;
	my $dropping = $node->background_psql('postgres');
	$dropping->query_safe("SET client_min_messages = error; BEGIN; $script");
	my $waiting = start_client($node, $other);
	$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted') or die 'the session does not wait';
	$dropping->query_safe('COMMIT');
	$dropping->quit;
	$waiting->{run}->finish;
	return slurp_file($waiting->{output}) . slurp_file($waiting->{errors});
}
like(wait_for_commit($renew), qr/^\d+\n$/, 'an id from the extension that is created when another is dropped');
like(wait_for_commit('ALTER SEQUENCE shard_id_reservation INCREMENT 1;'), qr/^\d+\n$/, 'an id after ALTER SEQUENCE');
like(wait_for_commit('DROP EXTENSION objectid_ext CASCADE'), qr/ERROR:  extension "objectid_ext" does not exist/, 'no id after DROP EXTENSION');
$node->safe_psql('postgres', 'CREATE EXTENSION objectid_ext');

# So does a statement that began before that, in a session that has only read.
my $gate = $node->background_psql('postgres');
$gate->query_safe('SELECT pg_advisory_lock(1)');
my $reading = start_client($node, "CALL settled_shard_id('instagram', NULL); SELECT pg_advisory_lock(1) IS NULL, next_shard_id(1, 1) > 0;");
$node->poll_query_until('postgres', 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted') or die 'the session does not wait';
$node->safe_psql('postgres', "SET client_min_messages = error; $renew");
$gate->query_safe('SELECT pg_advisory_unlock(1)');
$gate->quit;
$reading->{run}->finish;
like(slurp_file($reading->{output}) . slurp_file($reading->{errors}), qr/^f\|t$/m, 'an id in a statement that began before DROP and CREATE EXTENSION');

# Ids in the transaction that creates the extension, as migrations do; and later
$node->safe_psql('postgres', 'CREATE DATABASE migrated');
# (where the server has assertions, also with an invalidation of everything at each chance).
is($node->safe_psql('migrated', q{
	BEGIN; CREATE EXTENSION objectid_ext; SELECT next_shard_id(1, 1) > 0; COMMIT;
	DO $$ BEGIN PERFORM set_config(name, least(max_val::int, 1)::text, false) FROM pg_settings WHERE name = 'debug_discard_caches'; END $$;
	SELECT next_shard_id(1, 1) > 0;}), "t\nt",
	'CREATE EXTENSION and an id in one transaction');

# From PostgreSQL 19 on, sessions can measure time by different clocks.
if ($node->pg_version->major >= 19)
{
	my $times = q{
		SELECT extract(epoch FROM clock_timestamp()),
			extract(epoch FROM snowflake_timestamp(next_shard_id(1, 1), 'instagram')), extract(epoch FROM clock_timestamp());
		SELECT FROM pg_sleep(1);};
	my $measured = $node->safe_psql('postgres', qq{
		SET client_min_messages = error;
		DO \$\$ BEGIN PERFORM setval('shard_id_reservation', (extract(epoch FROM now() + interval '1 hour') * 1000000)::bigint); END \$\$;
		SET timing_clock_source = system; $times
		SET timing_clock_source = auto; $times
		SET timing_clock_source = system; $times});
	my @line = map { [ split /\|/ ] } grep { /\|/ } split /\n/, $measured;
	my @wrong = grep {
		my $ids = $line[ $_ + 1 ][1] - $line[$_][1];
		$ids < 0.4 || $ids > $line[ $_ + 1 ][2] - $line[$_][0]
	} 0, 1;
	is("@wrong", '', 'the clock goes on at half speed in either') or diag($measured);
}

# The latest time that can be set: layouts have ended by then.
my ($failed, $output, $error) = $node->psql('postgres', q{
	SELECT setval('shard_id_reservation', 9223372036854775807) > 0;
	SELECT next_shard_id(1, 1)});
like($error, qr/time is out of range for layout instagram/, 'setval() to the highest value does not overflow');
# and back: restart, and setval() before the first call
$node->restart;
is($node->safe_psql('postgres', q{
	SELECT setval('shard_id_reservation', (extract(epoch FROM now()) * 1000000)::bigint) > 0;
	SELECT snowflake_timestamp(next_shard_id(1, 1), 'instagram') < now() + interval '1 min'}), "t\nt", 'back from the future');

crash_after('setval() to a lower value', take(100) . "SELECT setval('shard_id_reservation', 1, false);" .
	"SELECT next_shard_id(1, 1);");

# A sequence that holds no time when the server starts: the clock begins all the
# same, and the pages of past ticks are recycled.
$node->safe_psql('postgres', 'ALTER SEQUENCE shard_id_reservation RESTART');
$node->restart;
my $short_ticks = 'time:53,node:10;tick=1us;epoch=2020-01-01T00:00:00Z';
is( $node->safe_psql('postgres', "SELECT count(DISTINCT next_shard_id(1, 1, '$short_ticks')) FROM generate_series(1, 40000)"),
	40000, 'ALTER SEQUENCE RESTART, then a restart: memory does not fill up');

# Databases whose sessions are gone do not keep the pages of ticks that have ended.
my $long_ticks = 'time:40,node:10;tick=1ms;epoch=2020-01-01T00:00:00Z';
foreach (map { "idle$_" } 1 .. 10)
{
	$node->safe_psql('postgres', "CREATE DATABASE $_");
	$node->safe_psql($_, "CREATE EXTENSION objectid_ext; SELECT count(next_shard_id(1, 1, '$long_ticks')) FROM generate_series(1, 2000)");
}
$node->safe_psql('postgres', 'DROP DATABASE idle1');
is( $node->safe_psql('postgres', "SELECT pg_sleep(3); SELECT count(DISTINCT next_shard_id(1, 1, '$short_ticks')) FROM generate_series(1, 40000)"),
	"\n40000", 'ten other databases: memory does not fill up');

# A dump whose ids are ahead of the clock here, restored into a database that has
# made ids since the server started.
$node->safe_psql('postgres', "CREATE TABLE photo AS " . take(100));
my $dump = PostgreSQL::Test::Utils::tempdir . '/dump';
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, 'postgres' ], 'dump');
$node->safe_psql('postgres', "CREATE DATABASE used");
$node->safe_psql('used', "CREATE EXTENSION objectid_ext;" . take(1));
$node->command_ok([ 'pg_restore', '-e', '--clean', '--if-exists', '-d', 'used', $dump ], 'restore');
is( repeated($node->safe_psql('used', 'TABLE photo'), $node->safe_psql('used', take(1000))),
	0, 'restore into a database in use: no id comes again');

# A role that made the extension and has gone leaves nothing behind that a dump
# would trip over: pg_upgrade stops at the first error.
$node->safe_psql('postgres', 'CREATE ROLE alice LOGIN; CREATE DATABASE hers OWNER alice');
$node->safe_psql('hers', 'SET ROLE alice; CREATE EXTENSION objectid_ext');
$node->safe_psql('hers', 'REASSIGN OWNED BY alice TO CURRENT_USER; DROP OWNED BY alice; DROP ROLE alice');
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, 'hers' ], 'dump without the role that made the extension');
$node->safe_psql('postgres', 'CREATE DATABASE not_hers');
$node->command_ok([ 'pg_restore', '-e', '-d', 'not_hers', $dump ], 'and restore');

# A dropped database gives back its memory.
SKIP:
{
	skip 'segments are not listed before 15', 1 if $node->pg_version < 15;
	my $segments = $node->pg_version->major >= 19
	  ? q{SELECT count(*) FROM pg_dsm_registry_allocations WHERE name LIKE 'objectid_ext%'}
	  : q{SELECT count(*) FROM pg_shmem_allocations WHERE name LIKE 'objectid_ext%'};
	skip 'segments are not listed in 17 and 18', 1 if $node->pg_version >= 17 && $node->pg_version->major < 19;
	my $before = $node->safe_psql('postgres', $segments);
	foreach my $i (1 .. 5)
	{
		$node->safe_psql('postgres', 'CREATE DATABASE passing');
		$node->safe_psql('passing', 'CREATE EXTENSION objectid_ext;' . take(1));
		$node->safe_psql('postgres', 'DROP DATABASE passing');
	}
	cmp_ok($node->safe_psql('postgres', $segments), '<=', $before + 1, 'dropped databases keep no memory');
}

# The server is a quarter of an hour ahead: each session that may not be is told so once.
$node->safe_psql('postgres', take(1000));
$node->restart;
my (undef, undef, $told) = $node->psql('postgres', "$other $other SET objectid_ext.max_clock_lead = '1s'; $other $other");
my ($behind, @more) = $told =~ /WARNING:  clock is (\d+) seconds behind the ids of next_shard_id\(\)/g;
cmp_ok($behind // 0, '>', 500, 'a warning of a clock that is behind');
cmp_ok($behind // 0, '<', 1100, 'how far it is behind');
is("@more", '', 'one warning, and none while ids may be ahead');

$node->stop;

# Shared memory that a parallel query has used before is not empty.
my $used = start_server('used', conf => "min_dynamic_shared_memory = 16MB\nfsync = off");
$used->safe_psql('postgres', q{
	CREATE TABLE wide AS SELECT i, repeat(md5(i::text), 5) AS t FROM generate_series(1, 100000) i;
	ANALYZE wide;
	SET parallel_setup_cost = 0;
	SET parallel_tuple_cost = 0;
	SET min_parallel_table_scan_size = 0;
	SET enable_mergejoin = off;
	SET work_mem = '64MB';
	SELECT count(*) FROM wide a JOIN wide b USING (i) WHERE a.t <> b.t || '.'});
is($used->safe_psql('postgres', 'SELECT count(DISTINCT next_shard_id(i % 8192, i)) FROM generate_series(1, 40000) i'),
	'40000', 'memory that was in use before');
# Calls that fail publish nothing.
$used->safe_psql('postgres', q{
	DO $$
	DECLARE
		upto bigint;
	BEGIN
		FOR i IN 1 .. 30 LOOP
			EXECUTE format('CREATE SEQUENCE ended_%s', i);
			PERFORM setval(('ended_' || i)::regclass, 9223372036854775806);
			BEGIN
				PERFORM next_snowflake(('ended_' || i)::regclass, 5, 'twitter');
			EXCEPTION WHEN datetime_field_overflow THEN
			END;
			CALL settled_snowflake(('ended_' || i)::regclass, upto);
			ASSERT upto = 9223372036854775806, 'sequence ' || i || ' is settled up to ' || upto;
		END LOOP;
	END $$});
$used->stop;
done_testing();
