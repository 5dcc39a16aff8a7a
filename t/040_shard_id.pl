# next_shard_id: ids begin above all earlier ones, whatever happened to the
# server, its clock, and the sequence that holds the reservation.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The lowest and the highest of some ids of a shard.
sub take
{
	my ($node, $db, $n) = @_;
	return split /\|/, $node->safe_psql($db // 'postgres',
		'SELECT min(id), max(id) FROM generate_series(1, ' . ($n // 5000) . ') i, LATERAL next_shard_id(5, i) id');
}

my $machine = new_machine();
SKIP:
{
	skip "$machine: NO TEST with a clock that is set", 1 unless ref $machine;
	my %env = machine_environment($machine);
	my $node = start_server('main', env => \%env, conf => 'client_min_messages = error');
	my $start = sub { local %ENV = (%ENV, %env); $node->start };
	my (undef, $highest) = take($node);
	my $above = sub {
		my ($name) = @_;
		my ($lowest, $max) = take($node);
		cmp_ok($lowest, '>', $highest, "$name: ids are above all earlier ones");
		$highest = $max;
	};

	# One number again and again: each id is a tick ahead of the one before.
	$node->safe_psql('postgres', q{SELECT max(next_shard_id(5, 1)) FROM generate_series(1, 900)});
	$highest = $node->safe_psql('postgres', q{SELECT next_shard_id(5, 1)});

	set_clock($machine, -3600);
	$above->('clock set back');
	kill_server($node);
	$start->();
	$above->('killed, the clock set back before');
	set_clock($machine, -7200);
	$node->stop('immediate');
	$start->();
	$above->('stopped at once, the clock set back again');
	$node->safe_psql('postgres', 'CHECKPOINT');
	kill_server($node);
	$start->();
	$above->('killed after a checkpoint');
	$node->stop;
	$start->();
	$above->('stopped');

	# An id of a transaction that is rolled back was given away, too.
	$highest = $node->safe_psql('postgres', q{
		BEGIN;
		SELECT max(next_shard_id(5, i)) FROM generate_series(1, 5000) i;
		ROLLBACK});
	kill_server($node);
	$start->();
	$above->('killed after a rollback');

	# The sequence that holds the reservation is made anew.
	$node->safe_psql('postgres', 'DROP EXTENSION objectid_ext CASCADE; CREATE EXTENSION objectid_ext');
	$above->('DROP and CREATE EXTENSION');
	kill_server($node);
	$start->();
	$above->('killed after DROP and CREATE EXTENSION');
	$node->safe_psql('postgres', q{
		BEGIN;
		DROP EXTENSION objectid_ext CASCADE;
		CREATE EXTENSION objectid_ext;
		ROLLBACK});
	$above->('DROP and CREATE EXTENSION rolled back');
	$node->safe_psql('postgres', 'ALTER SEQUENCE shard_id_reservation RESTART');
	$above->('ALTER SEQUENCE RESTART');
	kill_server($node);
	$start->();
	$above->('killed after ALTER SEQUENCE RESTART');
	$node->safe_psql('postgres', q{SELECT setval('shard_id_reservation', 1)});
	$above->('setval() to a lower value');
	kill_server($node);
	$start->();
	$above->('killed after setval() to a lower value');

	# The time in the ids comes near the clock again, at half of its speed.
	set_clock($machine, -7200 - 1);
	my $ahead = q{SELECT extract(epoch FROM snowflake_timestamp(next_shard_id(6, 1), 'instagram') - clock_timestamp())};
	my $before = $node->safe_psql('postgres', $ahead);
	sleep 2;
	my $after = $node->safe_psql('postgres', $ahead);
	cmp_ok($after, '<', $before - 0.5, "from $before s ahead of the clock to $after in two seconds");
	set_clock($machine, 0);
	# Each restart has added up to a second to the lead.
	cmp_ok($node->safe_psql('postgres', $ahead), '<', 30, 'the clock is right again');

	# A clock that is ahead for a moment takes only the databases along that make ids
	# then, not those whose pages they recycle.
	$node->safe_psql('postgres', 'CREATE DATABASE idle');
	$node->safe_psql('idle', 'CREATE EXTENSION objectid_ext');
	$node->stop;
	$start->();
	$node->safe_psql('idle', 'SELECT max(next_shard_id(5, 1)) FROM generate_series(1, 900)');
	set_clock($machine, 86400);
	$node->safe_psql('postgres', q{
		SELECT max(next_shard_id(5, 1, 'time:53,node:10;tick=1us;epoch=2020-01-01T00:00:00Z')) FROM generate_series(1, 40000)});
	set_clock($machine, 0);
	cmp_ok($node->safe_psql('postgres', $ahead), '>', 80000, 'the clock was ahead for one database');
	cmp_ok($node->safe_psql('idle', $ahead), '<', 30, 'but not for another');
	$node->stop;
}

my $node = start_server('stock');
take($node);

# A day ahead, and a database that is restored from its dump by its owner, who
# is no superuser
$node->safe_psql('postgres', q{
	CREATE ROLE owner LOGIN CREATEDB;
	CREATE DATABASE original OWNER owner});
my @owner = ('-U', 'owner');
$node->safe_psql('original', 'CREATE EXTENSION objectid_ext; SELECT next_shard_id(5, 1)', extra_params => \@owner);
$node->safe_psql('original', q{
	SELECT setval('shard_id_reservation', (extract(epoch FROM now() + interval '1 day') * 1000000)::bigint)});
my $file = PostgreSQL::Test::Utils::tempdir . '/dump';
$node->command_ok([ 'pg_dump', @owner, '-Fc', '-f', $file, 'original' ], 'the owner dumps a database');
$node->command_ok([ 'createdb', @owner, 'restored' ], 'makes another');
$node->command_ok([ 'pg_restore', @owner, '--no-comments', '--exit-on-error', '-d', 'restored', $file ], 'and restores it there');
is($node->safe_psql('restored', q{SELECT snowflake_timestamp(next_shard_id(5, 1), 'instagram') > now() + interval '23 hours'},
		extra_params => \@owner),
	't', 'ids are above the reservation of the original');

# A role without any privilege
$node->safe_psql('postgres', 'CREATE ROLE nobody LOGIN');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT next_shard_id(5, i)) FROM generate_series(1, 10) i', extra_params => [ '-U', 'nobody' ]),
	'10', 'nobody needs a privilege');
my ($ret, $out, $err) = $node->psql('postgres', q{SELECT setval('shard_id_reservation', 1)}, extra_params => [ '-U', 'nobody' ]);
like($err, qr/permission denied for sequence shard_id_reservation/, 'but for the sequence itself');

# Other schemas
$node->safe_psql('postgres', 'CREATE SCHEMA elsewhere; ALTER EXTENSION objectid_ext SET SCHEMA elsewhere');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT elsewhere.next_shard_id(5, i)) FROM generate_series(1, 10) i'),
	'10', 'the extension can be moved');
$node->safe_psql('postgres', 'ALTER EXTENSION objectid_ext SET SCHEMA public');

# Two layouts that make the same bits
is($node->safe_psql('postgres', q{
		SELECT count(id), count(DISTINCT id)
		FROM generate_series(1, 2000) i, LATERAL unnest(ARRAY[
			next_shard_id(7, i, 'twitter'),
			next_shard_id(7, i, 'time:40,node:10,seq:12;tick=1ms;epoch=2010-11-04T01:42:54.657Z')]) id}),
	'4000|4000', 'layouts of the same bits share a shard');

# Where nothing may be written
($ret, $out, $err) = $node->psql('postgres', 'BEGIN READ ONLY; SELECT next_shard_id(5, 1)');
like($err, qr/cannot execute next_shard_id\(\) in a read-only transaction/, 'read-only transaction');

# The sequence is found by its name, in the schema of the extension, as a member of it.
my $unknown = qr/sequence "shard_id_reservation" of extension objectid_ext does not exist/;
(undef, undef, $err) = $node->psql('postgres', 'ALTER SEQUENCE shard_id_reservation RENAME TO x; SELECT next_shard_id(5, 1)');
like($err, $unknown, 'there is none of the name');
(undef, undef, $err) = $node->psql('postgres', 'CREATE SEQUENCE shard_id_reservation; SELECT next_shard_id(5, 1)');
like($err, $unknown, 'another sequence of the name is not used');
$node->safe_psql('postgres', 'DROP SEQUENCE shard_id_reservation; ALTER SEQUENCE x RENAME TO shard_id_reservation; SELECT next_shard_id(5, 1)');
(undef, undef, $err) = $node->psql('postgres', 'ALTER EXTENSION objectid_ext DROP SEQUENCE shard_id_reservation; SELECT next_shard_id(5, 1)');
like($err, $unknown, 'not a member any more');
$node->safe_psql('postgres', 'ALTER EXTENSION objectid_ext ADD SEQUENCE shard_id_reservation');

# A role that takes ids can hold the bound of feeds back; REVOKE prevents it.
$node->safe_psql('postgres', 'REVOKE EXECUTE ON FUNCTION next_shard_id(int, bigint, snowflake_layout) FROM PUBLIC');
($ret, $out, $err) = $node->psql('postgres', 'SELECT next_shard_id(5, 1)', extra_params => [ '-U', 'nobody' ]);
like($err, qr/permission denied for function next_shard_id/, 'REVOKE on the function');
$node->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION next_shard_id(int, bigint, snowflake_layout) TO PUBLIC');

# More of a tick than there is room for, five minutes ahead of the clock: a number 300
# times, then higher ones, each of which is on a page of its own.  What has been given
# away is kept.  A call that waits for room fails after ten seconds.
($ret, $out, $err) = $node->psql('postgres', q{
	SET objectid_ext.max_clock_lead = '1h';
	SELECT count(next_shard_id(1, i, 'time:31,node:1,seq:31;tick=1s;epoch=2026-01-01T00:00:00Z'))
	FROM (SELECT 1 FROM generate_series(1, 300) UNION ALL SELECT 1024 * i FROM generate_series(1, 20000) i) s (i)});
like($err, qr/ERROR:  shared memory of next_shard_id\(\) is full/, 'shared memory is full');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT next_shard_id(6, i)) FROM generate_series(1, 3000) i'),
	'3000', 'other shards get their ids');

# A call that waits can be cancelled.
($ret, $out, $err) = $node->psql('postgres', q{
	SET statement_timeout = '200ms';
	SELECT count(next_shard_id(8, 1)) FROM generate_series(1, 5000)});
like($err, qr/canceling statement due to statement timeout/, 'a call that waits can be cancelled');

$node->stop;
done_testing();
