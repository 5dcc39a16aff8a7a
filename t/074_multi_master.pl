# Three writable servers, connected by logical replication as in the example: each
# gets all rows once, and ids are distinct, even while one of them is down.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @nodes = 1 .. 3;
my %server = map { $_ => start_server("node_$_", allows_streaming => 'logical', conf => qq{
objectid_ext.node_id = $_
max_logical_replication_workers = 10
max_worker_processes = 20
}) } @nodes;

# A command of the page, with other values of its variables; the machine is empty.
sub command
{
	my ($server, $file, %values) = @_;
	my ($words) = slurp_file('docs/sharding.md') =~ /^    psql (.*)-f $file\.sql$/m or die "the page does not run $file";
	return ('psql', '-XqAt', '-d', $server->connstr('postgres'), (map { ('-v', "$_=$values{$_}") } $words =~ /-v (\w+)=/g), '-f', "examples/sharding/$file.sql");
}

sub run_example
{
	my ($node, $file, %values) = @_;
	$server{$node}->command_ok([ command($server{$node}, $file, %values) ], "$file on node $node");
}
$_->safe_psql('postgres', 'DROP EXTENSION objectid_ext') foreach values %server;

# Without a node id, nothing is done by half.
my $unset = start_server('unset', conf => 'wal_level = logical');
$unset->safe_psql('postgres', 'DROP EXTENSION objectid_ext');
$unset->command_fails_like([ command($unset, 'writable_server') ], qr/objectid_ext.node_id is not set/, 'a server without a node id');
is($unset->safe_psql('postgres', q{SELECT to_regclass('orders_id') IS NULL, count(*) FROM pg_extension WHERE extname = 'objectid_ext'}), 't|0', 'is as it was');
$unset->stop;

# Each has a row before it joins.
foreach my $node (@nodes)
{
	run_example($node, 'writable_server');
	$server{$node}->safe_psql('postgres', "INSERT INTO orders (item) VALUES ('first of $node')");
}
foreach my $node (@nodes)
{
	run_example($node, 'join_server', table => 'orders', other => $_, conninfo => $server{$_}->connstr('postgres')) foreach grep { $_ != $node } @nodes;
}
$server{$_}->wait_for_subscription_sync foreach @nodes;

# Wait until each server has what the others did.
sub wait_for_all
{
	foreach my $from (@nodes)
	{
		$server{$from}->wait_for_catchup("orders_${from}_to_$_") foreach grep { $_ != $from } @nodes;
	}
}

# All have the same rows, this many, and no row was replicated twice.
sub all_are_equal
{
	my ($rows, $name) = @_;
	wait_for_all();
	foreach my $node (@nodes)
	{
		is($server{$node}->safe_psql('postgres', q{SELECT count(*), count(DISTINCT snowflake_node(id, 'twitter')) FROM orders}), "$rows|3",
			"$name: node $node has $rows rows of 3 nodes");
		unlike(slurp_file($server{$node}->logfile), qr/duplicate key value|conflict detected/, "$name: node $node has had no conflict");
	}
	my %contents = map { $server{$_}->safe_psql('postgres', 'SELECT md5(string_agg(o::text, $$,$$ ORDER BY id)) FROM orders o') => 1 } @nodes;
	is(scalar keys %contents, 1, "$name: all have the same");
}
all_are_equal(3, 'after they joined');

# Two sessions on each server insert 2000 rows, change 500 and delete 500.
sub start_writers
{
	return map {
		my $node = $_;
		map {
			my $writer = "$node.$_";
			start_client($server{$node}, qq{
				SELECT format('INSERT INTO orders (item) SELECT ''$writer %s.'' || n FROM generate_series(1, 20) n', i)
				FROM generate_series(1, 100) i \\gexec
				UPDATE orders SET item = item || ' changed' WHERE item ~ '^$writer \\d+\\.(1|5|10|15|20)\$';
				DELETE FROM orders WHERE item ~ '^$writer \\d+\\.(2|6|11|16|19)\$';
			});
		} 1, 2;
	} @_;
}

sub finish
{
	foreach my $client (@_)
	{
		ok($client->{run}->finish, 'a session ends without an error') or diag(slurp_file($client->{errors}));
	}
}
finish(start_writers(@nodes));
all_are_equal(3 + 6 * 1500, 'writes on all');
is($server{3}->safe_psql('postgres', q{SELECT count(*) FROM orders WHERE item LIKE '1.% changed'}), '1000', 'changes come over');

# A row is changed only on the server that inserted it.
my $id = $server{1}->safe_psql('postgres', "SELECT id FROM orders WHERE item = 'first of 1'");
my %elsewhere = (
	'a change' => "UPDATE orders SET item = 'changed' WHERE id = $id",
	'a deletion' => "DELETE FROM orders WHERE id = $id",
	'a new row with such an id' => "INSERT INTO orders VALUES ($id + 1, 'new')",
	'an id changed into such a one' => "UPDATE orders SET id = $id + 1 WHERE item = 'first of 2'");
foreach my $what (sort keys %elsewhere)
{
	my ($ret, $out, $err) = $server{2}->psql('postgres', $elsewhere{$what});
	like($err, qr/row \d+ of table orders is of another server\n.*HINT:  Change it on node [12]\./s, "refused on node 2: $what");
}
$server{1}->safe_psql('postgres', "UPDATE orders SET item = 'sold out' WHERE id = $id");
wait_for_all();
is($server{2}->safe_psql('postgres', "SELECT item FROM orders WHERE id = $id"), 'sold out', 'changed on node 1');

# While one is down, the others continue; it catches up after its return.
my @writers = start_writers(1, 3);
$server{2}->stop('immediate');
finish(@writers);
$server{2}->start;
finish(start_writers(2));
all_are_equal(3 + 12 * 1500, 'after one was down');

# TRUNCATE would delete the rows of all, on one server.
like(($server{3}->psql('postgres', 'TRUNCATE orders'))[2], qr/TRUNCATE of table orders would delete rows of other servers, here only\n.*HINT:/s, 'TRUNCATE is refused');
is($server{3}->safe_psql('postgres', 'SELECT count(*) FROM orders'), 3 + 12 * 1500, 'and deletes nothing');

# Another table than the page's, in the same way, and with partitions
my $line = 'shop."Invoice line"';
foreach my $node (@nodes)
{
	$server{$node}->safe_psql('postgres', qq{
		CREATE SCHEMA shop;
		CREATE SEQUENCE shop.line_no;
		CREATE TABLE $line (price numeric, id bigint PRIMARY KEY DEFAULT next_snowflake('shop.line_no', 'twitter'), "for" text) PARTITION BY RANGE (id);
		CREATE TABLE shop.lines PARTITION OF $line DEFAULT;
		INSERT INTO $line VALUES ($node)});
	run_example($node, 'writable_table', table => $line);
}
foreach my $node (@nodes)
{
	run_example($node, 'join_server', table => $line, other => $_, conninfo => $server{$_}->connstr('postgres')) foreach grep { $_ != $node } @nodes;
}
$server{$_}->wait_for_subscription_sync foreach @nodes;
# with a search_path that does not contain the extension
$server{$_}->safe_psql('postgres', "SET search_path = shop; INSERT INTO $line VALUES (10 * $_); UPDATE $line SET \"for\" = 'node $_' WHERE price = $_") foreach @nodes;
foreach my $from (@nodes)
{
	$server{$from}->wait_for_catchup("invoice_line_${from}_to_$_") foreach grep { $_ != $from } @nodes;
}
is($server{$_}->safe_psql('postgres', qq{SELECT string_agg(concat_ws(' ', price, "for"), ', ' ORDER BY price) FROM $line}),
	'1 node 1, 2 node 2, 3 node 3, 10, 20, 30', "another table: node $_ has all rows and changes") foreach @nodes;

# From 16 on a server can send on what was written there and not what came in,
# so any may change any row.
SKIP:
{
	skip 'needs PostgreSQL 16: origin = none', 2 if $server{1}->safe_psql('postgres', 'SHOW server_version_num') < 160000;

	$server{$_}->safe_psql('postgres', q{
		CREATE TABLE note (id bigint PRIMARY KEY DEFAULT next_snowflake('orders_id', 'twitter'), body text);
		CREATE PUBLICATION notes FOR TABLE note;
	}) foreach @nodes;
	foreach my $node (@nodes)
	{
		$server{$node}->safe_psql('postgres', sprintf(q{CREATE SUBSCRIPTION notes_%s_to_%s CONNECTION '%s' PUBLICATION notes WITH (origin = none)},
				$_, $node, $server{$_}->connstr('postgres') =~ s/'/''/gr)) foreach grep { $_ != $node } @nodes;
	}
	$server{$_}->wait_for_subscription_sync foreach @nodes;
	foreach my $node (@nodes)
	{
		$server{$node}->safe_psql('postgres', "INSERT INTO note (body) VALUES ('$node'); UPDATE note SET body = body || ', $node'");
		foreach my $other (grep { $_ != $node } @nodes)
		{
			$server{$node}->wait_for_catchup("notes_${node}_to_$other");
		}
	}
	is($server{$_}->safe_psql('postgres', "SELECT string_agg(body, '; ' ORDER BY id) FROM note"), '1, 1, 2, 3; 2, 2, 3; 3, 3',
		"origin = none: node $_ has all rows and changes") foreach 1, 2;
}

$server{$_}->stop foreach @nodes;
done_testing();
