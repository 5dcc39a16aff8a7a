# Schemas as logical shards, as in the example: a shard is moved to another server
# and back while three sessions write to it.  No row is lost, no id changes, no id
# is issued twice.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $directory = start_server('directory');
if ($directory->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'dblink'") == 0)
{
	$directory->stop;
	plan skip_all => 'dblink is not installed (on Red Hat and its kin postgresqlNN-contrib)';
}
my %server = map { $_ => start_server($_, allows_streaming => 'logical', conf => 'max_connections = 50') } 'a', 'b';
my %conninfo = map { $_ => $server{$_}->connstr('postgres') } 'a', 'b';

sub run_example
{
	my ($node, $file, %variables) = @_;
	$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'),
			(map { ('-v', "$_=$variables{$_}") } sort keys %variables), '-f', "examples/sharding/$file.sql" ],
		"$file on " . $node->name);
}

sub move_shard
{
	my ($shard, $from, $to) = @_;
	run_example($directory, 'move_shard', shard => $shard, source => $conninfo{$from}, target => $conninfo{$to},
		directory => $directory->connstr('postgres'));
	is($directory->safe_psql('postgres', "SELECT server FROM shard_route WHERE shard = $shard"), $conninfo{$to}, "the route of shard $shard leads to $to");
	is($server{$from}->safe_psql('postgres', "SELECT to_regnamespace('shard_$shard') IS NULL"), 't', 'it is not at the old place');
	is($server{$_}->safe_psql('postgres', 'SELECT (SELECT count(*) FROM pg_subscription), (SELECT count(*) FROM pg_publication), (SELECT count(*) FROM pg_replication_slots)'),
		'0|0|0', "nothing of the move is left on $_") foreach 'a', 'b';
}

# Shards 5 and 6 on server a, 7 on b.
$_->safe_psql('postgres', 'CREATE ROLE app LOGIN') foreach $directory, values %server;
# Another role that writes: its rows must not be left behind, either.
$_->safe_psql('postgres', q{
	CREATE ROLE worker LOGIN;
	ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO worker;
	ALTER DEFAULT PRIVILEGES GRANT USAGE ON SEQUENCES TO worker;
	ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT ON TABLES TO worker}) foreach values %server;
run_example($directory, 'routes');
foreach my $place ([ 5, 'a' ], [ 6, 'a' ], [ 7, 'b' ])
{
	my ($shard, $name) = @$place;
	run_example($server{$name}, 'shard', shard => $shard);
	$server{$name}->safe_psql('postgres', "INSERT INTO shard_$shard.photo (title) SELECT 'old ' || i FROM generate_series(1, 5000) i");
	$directory->safe_psql('postgres', sprintf(q{INSERT INTO shard_route VALUES (%d, '%s')}, $shard, $conninfo{$name} =~ s/'/''/gr));
}
my ($ret, $out, $err) = $server{a}->psql('postgres', q{INSERT INTO shard_5.photo SELECT id + (1::bigint << 10), 'of shard 6' FROM shard_5.photo LIMIT 1});
like($err, qr/violates check constraint/, 'a row of another shard is refused');
my $digest = q{SELECT count(*), md5(string_agg(id || title, ',' ORDER BY id)) FROM %s.photo WHERE title LIKE 'old %%'};
my $old_5 = $server{a}->safe_psql('postgres', sprintf($digest, 'shard_5'));
my $old_6 = $server{a}->safe_psql('postgres', sprintf($digest, 'shard_6'));
my $id = $server{a}->safe_psql('postgres', 'SELECT max(id) FROM shard_5.photo');

# An application: it looks up the route, writes, and if that fails, looks it up
# again.  One of the three writes faster than replication can follow.
$directory->safe_psql('postgres', q{
	CREATE EXTENSION dblink;
	CREATE TABLE seen (id bigint);
	CREATE TABLE refused ();
	CREATE TABLE done ();
});
my $writer = q{
	DO $$
	BEGIN
		WHILE NOT EXISTS (SELECT FROM done) LOOP
			BEGIN
				INSERT INTO seen SELECT id
				FROM dblink((SELECT server || ' user=%s' FROM shard_route WHERE shard = 5),
							'INSERT INTO shard_5.photo (title) SELECT ''new'' FROM generate_series(1, %d) RETURNING id') AS t (id bigint);
			EXCEPTION WHEN insufficient_privilege OR undefined_table OR invalid_schema_name THEN
				INSERT INTO refused DEFAULT VALUES;
			END;
			COMMIT;
		END LOOP;
	END $$;};
my @clients = map { start_client($directory, sprintf($writer, @$_)) } [ 'app', 1 ], [ 'worker', 1 ], [ 'app', 500 ];

sub wait_for_rows
{
	my $count = $directory->safe_psql('postgres', 'SELECT count(*) FROM seen');
	$directory->poll_query_until('postgres', "SELECT count(*) >= $count + 100 FROM seen") or die 'no rows any more';
}
wait_for_rows();
move_shard(5, 'a', 'b');
wait_for_rows();
is($directory->safe_psql('postgres', "SELECT server_of($id)"), $conninfo{b}, 'an id leads to its new place');
is($server{b}->safe_psql('postgres', sprintf($digest, 'shard_5')), $old_5, 'the old rows have kept their ids');
move_shard(5, 'b', 'a');
wait_for_rows();
$directory->safe_psql('postgres', 'INSERT INTO done DEFAULT VALUES');
foreach my $client (@clients)
{
	ok($client->{run}->finish, 'a session ends without another error') or diag(slurp_file($client->{errors}));
}
note $directory->safe_psql('postgres', 'SELECT (SELECT count(*) FROM seen), (SELECT count(*) FROM refused)') . ' rows written, and refused';

is($server{a}->safe_psql('postgres', sprintf($digest, 'shard_5')), $old_5, 'and there and back again');
is($server{a}->safe_psql('postgres', q{SELECT count(*), md5(string_agg(id::text, ',' ORDER BY id)) FROM shard_5.photo WHERE title = 'new'}),
	$directory->safe_psql('postgres', q{SELECT count(DISTINCT id), md5(string_agg(id::text, ',' ORDER BY id)) FROM seen}),
	'what was written is there, each id once');
is($server{a}->safe_psql('postgres', sprintf($digest, 'shard_6')), $old_6, 'another shard is as it was');

# Between two databases of one server a subscription would wait for itself.
$server{a}->safe_psql('postgres', 'CREATE DATABASE other');
$server{a}->command_fails_like([ 'psql', '-XqAt', '-d', $conninfo{a}, '-v', 'shard=5', '-v', "source=$conninfo{a}", '-v', 'target=' . $server{a}->connstr('other'),
		'-v', 'directory=' . $directory->connstr('postgres'), '-f', 'examples/sharding/move_shard.sql' ],
	qr/source and target are databases of one server/, 'a move within one server is refused');
is($server{a}->safe_psql('postgres', 'SELECT count(*) FROM pg_publication'), '0', 'and leaves nothing behind');

# The state of the sequence is moved, too, even if it is ahead of the clock.
$server{a}->safe_psql('postgres', q{SELECT setval('shard_6.photo_id', make_snowflake(now() + interval '1 hour', 6, 0, 'instagram'))});
my $ahead = $server{a}->safe_psql('postgres', q{INSERT INTO shard_6.photo (title) VALUES ('ahead') RETURNING id});
move_shard(6, 'a', 'b');
cmp_ok($server{b}->safe_psql('postgres', q{INSERT INTO shard_6.photo (title) VALUES ('new') RETURNING id}), '>', $ahead,
	'the ids go on above those from the old place');

$_->stop foreach $directory, values %server;
done_testing();
