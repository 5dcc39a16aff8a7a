# Settings of the server, and transactions that are prepared.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('main', conf => q{
objectid_ext.node_id = 1023
max_prepared_transactions = 5
});

# The node of the server comes from its configuration.
is($node->safe_psql('postgres', 'SELECT snowflake_node_id()'), '1023', 'node of postgresql.conf');
$node->safe_psql('postgres', 'CREATE SEQUENCE clock');
is($node->safe_psql('postgres', "SELECT snowflake_node(next_snowflake('clock', 'twitter'), 'twitter')"),
	'1023', 'and of the ids');

# ALTER SYSTEM accepts the setting only if the library is loaded.
$node->safe_psql('postgres', q{
	LOAD 'objectid_ext';
	ALTER SYSTEM SET objectid_ext.node_id = 7;
});
$node->reload;
ok($node->poll_query_until('postgres', 'SELECT snowflake_node_id() = 7'), 'node of ALTER SYSTEM');

# A node that does not fit the layout is an error at the call, not a wrong id.
my ($ret, $stdout, $stderr) = $node->psql('postgres', "SELECT next_snowflake('clock', layout => 'time:41,node:2,seq:12;tick=1ms;epoch=2020-01-01T00:00:00Z')");
like($stderr, qr/node 7 is out of range for layout time:41,node:2/, 'node out of range');
($ret, $stdout, $stderr) = $node->psql('postgres', "CREATE SEQUENCE without_nodes; SELECT snowflake_node(next_snowflake('without_nodes', 'mastodon'), 'mastodon')");
is($stdout, '0', 'a layout without nodes asks for none');

# A session cannot set it, whether or not the library was loaded before.
foreach my $load ('', "LOAD 'objectid_ext';")
{
	($ret, $stdout, $stderr) = $node->psql('postgres',
		"$load SET objectid_ext.node_id = 9; SELECT snowflake_node_id()");
	unlike($stdout, qr/9/, 'a session cannot set the node');
	like($stderr, qr/cannot be changed now/, 'and is told so');
}

# An ordinary user cannot let ids run further ahead.
$node->safe_psql('postgres', 'CREATE ROLE ordinary LOGIN');
($ret, $stdout, $stderr) = $node->psql('postgres', q{
	LOAD 'objectid_ext';
	SET SESSION AUTHORIZATION ordinary;
	SET objectid_ext.max_clock_lead = '1h';
});
like($stderr, qr/permission denied to set parameter/, 'max_clock_lead is for superusers');

# A prepared transaction keeps its lock and its ids.
my $ids = $node->safe_psql('postgres', q{
	ALTER SEQUENCE clock CACHE 64;
	BEGIN;
	SELECT next_snowflake('clock', 'twitter');
	PREPARE TRANSACTION 'p';
	SELECT next_snowflake('clock', 'twitter');
	SELECT mode FROM pg_locks WHERE relation = 'clock'::regclass AND locktype = 'relation' AND pid IS NULL;
	ROLLBACK PREPARED 'p';
	SELECT next_snowflake('clock', 'twitter');
});
my ($first, $second, $mode, $third) = split /\n/, $ids;
ok($first < $second && $second < $third, 'ids ascend over a prepared transaction');
is($mode, 'RowExclusiveLock', 'which holds the lock of its sequence');

# A transaction that used a temporary sequence cannot be prepared, even if the id
# came from a block at hand.
($ret, $stdout, $stderr) = $node->psql('postgres', q{
	CREATE TEMPORARY SEQUENCE temporary_clock CACHE 10;
	SELECT next_snowflake('temporary_clock', 1, 'time:20,node:4,seq:20;tick=3600s;epoch=2026-01-01T00:00:00Z');
	BEGIN;
	SELECT next_snowflake('temporary_clock', 1, 'time:20,node:4,seq:20;tick=3600s;epoch=2026-01-01T00:00:00Z');
	PREPARE TRANSACTION 't';
});
like($stderr, qr/cannot PREPARE a transaction that has operated on temporary objects/,
	'a transaction with ids of a temporary sequence cannot be prepared');

# After a crash the rest of a long tick can be used at once.
$node->safe_psql('postgres', q{CREATE SEQUENCE slow});
my $slow = q{SELECT next_snowflake('slow', 1, 'time:20,node:4,seq:20;tick=3600s;epoch=2026-01-01T00:00:00Z')};
my $before = $node->safe_psql('postgres', $slow);
$node->stop('immediate');
$node->start;
my $after = $node->safe_psql('postgres', "SET statement_timeout = '60s'; $slow");
ok($after > $before, 'after a crash, ids of a long tick go on without a wait');

done_testing();
