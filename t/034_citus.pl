# Distributed tables of Citus, as the example has them: ids that are made on the
# coordinator and on the workers, none twice, and queries that go to one shard.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $coordinator = start_server('coordinator');
if ($coordinator->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'") == 0)
{
	$coordinator->stop;
	plan skip_all => 'Citus is not installed';
}
my @servers = ($coordinator, map { start_server("worker_$_") } 1, 2);
foreach my $n (0 .. $#servers)
{
	$servers[$n]->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=prefer'
max_prepared_transactions = 50
max_connections = 50
objectid_ext.node_id = $n
});
	$servers[$n]->restart;
	$servers[$n]->safe_psql('postgres', 'CREATE EXTENSION citus');
}
sub place { return "'" . $_[0]->host . "', " . $_[0]->port }
$coordinator->safe_psql('postgres', 'SELECT citus_set_coordinator_host(' . place($coordinator) . ')');
$coordinator->safe_psql('postgres', 'SELECT citus_add_node(' . place($_) . ')') foreach @servers[ 1, 2 ];
$coordinator->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $coordinator->connstr('postgres'), '-f', 'examples/sharding/citus.sql' ],
	'the example');

# One row at a time, many in one statement, and from one distributed table into
# another, which the workers do among themselves; by clients of all servers.
foreach my $server (@servers)
{
	$server->safe_psql('postgres', q{
		SELECT format('INSERT INTO message (body) VALUES (%L)', i) FROM generate_series(1, 100) i \gexec
		SELECT format('INSERT INTO event (what) VALUES (%L)', i) FROM generate_series(1, 100) i \gexec
		INSERT INTO message (body) SELECT 'one statement' FROM generate_series(1, 1000);
		INSERT INTO event (what) SELECT 'one statement' FROM generate_series(1, 1000);
		INSERT INTO message (body) SELECT 'by the workers' FROM event;
		INSERT INTO event (what) SELECT 'by the workers' FROM message WHERE body <> 'by the workers';
	});
}
my $messages = $coordinator->safe_psql('postgres', 'SELECT count(*) FROM message');
my $events = $coordinator->safe_psql('postgres', 'SELECT count(*) FROM event');
cmp_ok($messages, '>', 3300, 'there are messages');
cmp_ok($events, '>', 3300, 'and events');
is($coordinator->safe_psql('postgres', 'SELECT count(DISTINCT id) FROM message'), $messages, 'no id of a message twice');
is($coordinator->safe_psql('postgres', 'SELECT count(DISTINCT id) FROM event'), $events, 'no id of an event twice');
is($coordinator->safe_psql('postgres', 'SELECT count(*) FROM message WHERE snowflake_node(id) NOT IN (0, 1, 2)'), '0', 'the ids have the nodes of the servers');
note 'nodes of the ids: ' . $coordinator->safe_psql('postgres',
	q{SELECT string_agg(format('%s: %s of node %s', body, n, node), ', ')
	  FROM (SELECT CASE WHEN body ~ '^\d' THEN 'single' ELSE body END AS body, snowflake_node(id) AS node, count(*) AS n FROM message GROUP BY 1, 2 ORDER BY 1, 2) c});

# One id is one shard, a range of time all of them.
foreach my $case ([ 'event', '::text' ], [ 'message', '' ])
{
	my ($table, $cast) = @$case;
	my $id = $coordinator->safe_psql('postgres', "SELECT max(id$cast) FROM $table");
	is($coordinator->safe_psql('postgres', "SELECT count(*) FROM $table WHERE id = '$id'"), '1', "$table: one row by its id");
	like($coordinator->safe_psql('postgres', "EXPLAIN SELECT * FROM $table WHERE id = '$id'"), qr/Task Count: 1\n/, "$table: from one shard");
}
my $event = $coordinator->safe_psql('postgres', 'SELECT max(id::text) FROM event');
is($coordinator->safe_psql('postgres', "SELECT count(*) FROM event WHERE id = text '$event'"), '1', 'an event by its id as text');
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM event WHERE id >= now() - interval '1 day'}), $events, 'events of the last day');
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM message WHERE snowflake_within(id, tstzrange(now() - interval '1 day', NULL))}), $messages,
	'messages of the last day');

$_->stop foreach reverse @servers;
done_testing();
