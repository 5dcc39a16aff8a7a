# PL/Proxy as in the example: four shards in databases of two servers, calls routed
# by the shard in an id and by the hash of an objectid.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $proxy = start_server('proxy');
if ($proxy->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'plproxy'") == 0)
{
	$proxy->stop;
	plan skip_all => 'PL/Proxy is not installed (on Debian postgresql-NN-plproxy)';
}
my @servers = map { start_server("server_$_") } 0, 1;

sub run_example
{
	my ($node, $database, $file, %variables) = @_;
	$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database),
			(map { ('-v', "$_=$variables{$_}") } sort keys %variables), '-f', "examples/sharding/$file.sql" ],
		"$file in $database on " . $node->name);
}

# Shards 0 and 1 on the first server, 2 and 3 on the second
my @place = map { { server => $servers[ $_ / 2 ], database => "shard_$_" } } 0 .. 3;

sub on_shard
{
	my ($shard, $sql) = @_;
	return $place[$shard]{server}->safe_psql($place[$shard]{database}, $sql);
}
foreach my $shard (0 .. 3)
{
	my ($server, $database) = @{ $place[$shard] }{ 'server', 'database' };
	$server->safe_psql('postgres', "CREATE DATABASE $database");
	$server->safe_psql($database, 'CREATE EXTENSION objectid_ext');
	run_example($server, $database, 'plproxy_shard', shard => $shard);
}
run_example($proxy, 'postgres', 'plproxy', map { ("p$_" => $place[$_]{server}->connstr($place[$_]{database})) } 0 .. 3);

# 200 persons with 3 photos each
$proxy->safe_psql('postgres', q{
	CREATE TABLE person AS SELECT add_person('person ' || i) AS id FROM generate_series(1, 200) i;
	CREATE TABLE known_photo AS SELECT add_photo(id, 'photo ' || n) AS id, person.id AS owner, 'photo ' || n AS title
	FROM person, generate_series(1, 3) n;
});
is($proxy->safe_psql('postgres', q{SELECT count(DISTINCT id), count(DISTINCT snowflake_node(id, 'instagram')) FROM person}), '200|4',
	'new persons go to all shards');
is($proxy->safe_psql('postgres', q{
		SELECT count(DISTINCT id), count(*) FILTER (WHERE snowflake_node(id, 'instagram') <> snowflake_node(owner, 'instagram')) FROM known_photo}),
	'600|0', 'and their photos to the same');
foreach my $shard (0 .. 3)
{
	my $digest = q{count(*) > 0, md5(string_agg(id || title, ',' ORDER BY id))};
	is(on_shard($shard, "SELECT $digest FROM photo"),
		$proxy->safe_psql('postgres', "SELECT $digest FROM known_photo WHERE snowflake_node(id, 'instagram') = $shard"),
		"shard $shard has what its ids say");
}

# Photos of several shards
my $all = q{SELECT * FROM get_photos(ARRAY(SELECT id FROM known_photo))};
is($proxy->safe_psql('postgres', "SELECT count(*), count(k.id) FROM ($all) p LEFT JOIN known_photo k USING (id, owner, title)"), '600|600',
	'photos of all shards by their ids');
is($proxy->safe_psql('postgres', 'SELECT array_agg(id ORDER BY id DESC) = ARRAY(SELECT id FROM known_photo ORDER BY id DESC LIMIT 10)
		FROM (SELECT * FROM newest_photos(10) ORDER BY id DESC LIMIT 10) p'), 't', 'the newest of all shards');

# The other shards are available while one is down.
$servers[1]->stop;
is($proxy->safe_psql('postgres', q{SELECT count(*) > 0 FROM get_photos(ARRAY(SELECT id FROM known_photo WHERE snowflake_node(id, 'instagram') < 2))}),
	't', 'one server is down: the shards of the other are there');
my ($ret, $out, $err) = $proxy->psql('postgres', "SELECT count(*) FROM get_photos(ARRAY(SELECT id FROM known_photo WHERE snowflake_node(id, 'instagram') >= 2))");
like($err, qr/PL\/Proxy/, 'and its own an error');
$servers[1]->start;

# By the hash of an objectid
$proxy->safe_psql('postgres', q{
	CREATE TABLE known_event AS
	SELECT add_event(id, 'event ' || i) AS id, 'event ' || i AS what FROM (SELECT gen_objectid() AS id, i FROM generate_series(1, 200) i OFFSET 0) e});
is($proxy->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE get_event(id) = what) FROM known_event'), '200|200|200',
	'events by their ids');
foreach my $shard (0 .. 3)
{
	is(on_shard($shard, "SELECT count(*), count(*) FILTER (WHERE objectid_hash(id) & 3 = $shard) FROM event"),
		$proxy->safe_psql('postgres', "SELECT count(*), count(*) FROM known_event WHERE objectid_hash(id) & 3 = $shard"), "shard $shard has those of its hash");
}

$_->stop foreach $proxy, @servers;
done_testing();
