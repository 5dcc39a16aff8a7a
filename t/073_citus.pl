# Distributed tables of Citus, as the example and docs/citus.md have them: ids that
# are made on the coordinator and on the workers, none twice, queries that go to
# one shard, a new worker, privileges, and what the page warns of.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Document;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $coordinator = start_server('coordinator');
if ($coordinator->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'") == 0)
{
	$coordinator->stop;
	plan skip_all => 'Citus is not installed (postgresql-NN-citus-* of its own repository)';
}
my @servers = $coordinator;

# The statements that only this test runs
my ($node_problems, $schema_as_shard) = map { $_->{text} } grep { ($_->{in} // '') eq 't/073_citus.pl' } blocks('docs/citus.md');

# The minor releases of 2026 ask for the names of output plugins.
my $plugins = $coordinator->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name = 'output_plugin_libraries'})
  ? "output_plugin_libraries = 'pgoutput, citus'" : '';

# Roles and sequences are each server's own.
sub start_citus
{
	my ($server) = @_;
	my $socket = $server->host;
	$server->append_conf('postgresql.conf', qq{
shared_preload_libraries = 'citus'
citus.node_conninfo = 'sslmode=prefer'
citus.local_hostname = '$socket'
wal_level = logical
$plugins
max_wal_senders = 10
timezone = 'UTC'
max_prepared_transactions = 50
max_connections = 50
});
	$server->restart;
	$server->safe_psql('postgres', 'CREATE EXTENSION citus');
	$server->safe_psql('postgres', 'SET citus.enable_ddl_propagation = off; CREATE ROLE app LOGIN');
}

# The node id is the number that Citus gives a server when it is added, its groupid.
sub set_node_id
{
	my ($server) = @_;
	my $groupid = $coordinator->safe_psql('postgres', 'SELECT groupid FROM pg_dist_node WHERE nodeport = ' . $server->port);
	$server->append_conf('postgresql.conf', "objectid_ext.node_id = $groupid");
	$server->reload;
	$server->poll_query_until('postgres', "SELECT snowflake_node_id() = $groupid") or die 'no reload';
}
start_citus($coordinator);
foreach my $n (1, 2)
{
	push @servers, start_server("worker_$n");
	start_citus($servers[$n]);
}
sub place { return "'" . $_[0]->host . "', " . $_[0]->port }
$coordinator->safe_psql('postgres', 'SELECT citus_set_coordinator_host(' . place($coordinator) . ')');
$coordinator->safe_psql('postgres', 'SELECT citus_add_node(' . place($_) . ')') foreach @servers[ 1, 2 ];
set_node_id($_) foreach @servers;
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
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM message WHERE snowflake_node(id, 'twitter') NOT IN (0, 1, 2)}), '0', 'the ids have the nodes of the servers');
note 'nodes of the ids: ' . $coordinator->safe_psql('postgres',
	q{SELECT string_agg(format('%s: %s of node %s', body, n, node), ', ')
	  FROM (SELECT CASE WHEN body ~ '^\d' THEN 'single' ELSE body END AS body, snowflake_node(id, 'twitter') AS node, count(*) AS n FROM message GROUP BY 1, 2 ORDER BY 1, 2) c});

# One id is one shard, a range of time all of them.
foreach my $case ([ 'event', '::text' ], [ 'message', '' ])
{
	my ($table, $cast) = @$case;
	my $id = $coordinator->safe_psql('postgres', "SELECT max(id$cast) FROM $table");
	is($coordinator->safe_psql('postgres', "SELECT count(*) FROM $table WHERE id = '$id'"), '1', "$table: one row by its id");
	like($coordinator->safe_psql('postgres', "EXPLAIN SELECT * FROM $table WHERE id = '$id'"), qr/Task Count: 1\n/, "$table: from one shard");
}
my $event = $coordinator->safe_psql('postgres', 'SELECT max(id::text) FROM event');
foreach my $condition ('id = $1', 'id = $1::objectid')
{
	my $prepare = "PREPARE by_id (text) AS SELECT count(*) FROM event WHERE $condition;";
	is($coordinator->safe_psql('postgres', "$prepare EXECUTE by_id('$event')"), '1', "an event by its id as text: $condition");
	like($coordinator->safe_psql('postgres', "$prepare EXPLAIN EXECUTE by_id('$event')"), qr/Task Count: 1\n/, 'from one shard');
}
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM event WHERE id >= now() - interval '1 day'}), $events, 'events of the last day');
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM message WHERE snowflake_within(id, tstzrange(now() - interval '1 day', NULL), 'twitter')}), $messages,
	'messages of the last day');

# A grant on a sequence stays where it was made.
$coordinator->safe_psql('postgres', 'GRANT SELECT, INSERT ON message TO app; GRANT SELECT ON event TO app; GRANT USAGE ON SEQUENCE message_id TO app');
my $insert_as_app = q{SET SESSION AUTHORIZATION app; INSERT INTO message (body) VALUES ('app')};
my ($ret, $out, $err) = $servers[1]->psql('postgres', $insert_as_app);
like($err, qr/permission denied for sequence message_id/, 'GRANT on a sequence does not reach the workers');
my $everywhere = q{SELECT bool_and(success) FROM run_command_on_all_nodes('%s')};
my $grant = sprintf $everywhere, 'GRANT USAGE ON SEQUENCE public.message_id TO app';
is($coordinator->safe_psql('postgres', $grant), 't', 'granted on all servers');
is(scalar($servers[1]->psql('postgres', $insert_as_app)), 0, 'the role can insert on a worker');

# A new worker makes ids of its own node, and gets shards.
push @servers, start_server('worker_3');
start_citus($servers[3]);
$coordinator->safe_psql('postgres', 'SELECT citus_add_node(' . place($servers[3]) . ')');
set_node_id($servers[3]);
is($coordinator->safe_psql('postgres', sprintf($everywhere, 'CREATE SEQUENCE IF NOT EXISTS public.message_id CACHE 64')), 't', 'a sequence for the new worker');
is($coordinator->safe_psql('postgres', $grant), 't', 'and its privileges');
$coordinator->safe_psql('postgres', 'SELECT citus_rebalance_start(); SELECT citus_rebalance_wait()');
cmp_ok($coordinator->safe_psql('postgres', q{SELECT count(*) FROM pg_dist_placement WHERE groupid = (SELECT max(groupid) FROM pg_dist_node)}), '>', 0,
	'the new worker has shards');
$servers[3]->safe_psql('postgres', $insert_as_app . '; ' . q{INSERT INTO message (body) SELECT 'new worker' FROM event});
is($coordinator->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT id) FROM message'), '0', 'still no id twice');
cmp_ok($coordinator->safe_psql('postgres', q{SELECT count(*) FROM message WHERE snowflake_node(id, 'twitter') = 3}), '>', 0, 'there are ids of the new worker');

# The node ids of all servers
sub has_node_problems
{
	my ($setting, $reached, $expected, $name) = @_;
	$servers[3]->append_conf('postgresql.conf', "objectid_ext.node_id = $setting");
	$servers[3]->reload;
	$servers[3]->poll_query_until('postgres', "SELECT current_setting('objectid_ext.node_id') = '$reached'") or die 'no reload';
	my $problems = $coordinator->safe_psql('postgres', $node_problems);
	is(scalar(() = $problems =~ /^\d+\|/mg), $expected, $name) or diag($problems);
}
my $own = $coordinator->safe_psql('postgres', 'SELECT groupid FROM pg_dist_node WHERE nodeport = ' . $servers[3]->port);
has_node_problems($own, $own, 0, 'no node id twice');
is($coordinator->safe_psql('postgres', q{
		SELECT count(*), bool_and(result = groupid::text)
		FROM run_command_on_all_nodes('SELECT snowflake_node_id()') JOIN pg_dist_node USING (nodeid)}), '4|t', 'groupid is a node id');
has_node_problems(2, 2, 2, 'a node id twice is found');
has_node_problems(-1, -1, 1, 'and a server that has none');
has_node_problems($own, $own, 0, 'and that all is well again');

# Citus sends COMMIT PREPARED to the workers from a callback at the end of the
# transaction.  A reader on the server that takes the ids must not pass their rows
# before that.
$coordinator->safe_psql('postgres', q{
	CREATE TABLE seen (id bigint);
	CREATE TABLE done ();
	CREATE PROCEDURE write_rows(seconds float8) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 s';
	BEGIN
		WHILE clock_timestamp() < until LOOP
			INSERT INTO message (body) SELECT 'feed' FROM generate_series(1, 8);
			COMMIT;
		END LOOP;
	END $$;
	CREATE PROCEDURE read_rows() LANGUAGE plpgsql AS $$
	DECLARE
		is_last bool := false;
		last bigint := 0;
		upto bigint;
	BEGIN
		WHILE NOT is_last LOOP
			is_last := EXISTS (SELECT FROM done);
			CALL settled_snowflake('message_id', upto);
			INSERT INTO seen SELECT id FROM message WHERE body = 'feed' AND id > last AND id <= upto;
			last := upto;
			COMMIT;
		END LOOP;
	END $$});
my $reader = start_client($coordinator, 'CALL read_rows()');
my @writers = map { start_client($coordinator, 'CALL write_rows(5)') } 1 .. 4;
ok($_->{run}->finish, 'writer ends') or diag(slurp_file($_->{errors})) foreach @writers;
$coordinator->safe_psql('postgres', 'INSERT INTO done DEFAULT VALUES');
ok($reader->{run}->finish, 'reader ends') or diag(slurp_file($reader->{errors}));
my $rows = $coordinator->safe_psql('postgres', q{SELECT count(*) FROM message WHERE body = 'feed'});
cmp_ok($rows, '>', 100, "$rows rows of transactions over several servers");
is($coordinator->safe_psql('postgres', q{SELECT count(*) - count(DISTINCT id) FROM seen}), '0', 'none is read twice');
is($coordinator->safe_psql('postgres', q{SELECT count(DISTINCT id) FROM seen}), $rows, 'and none is missed');

# Citus gives the workers ranges of a sequence that belongs to a column, into which
# no id fits.
$coordinator->safe_psql('postgres', q{
	CREATE SEQUENCE owned_id;
	CREATE TABLE owned (id bigint PRIMARY KEY DEFAULT next_snowflake('public.owned_id'::text::regclass, 'twitter'), note text);
	ALTER SEQUENCE owned_id OWNED BY owned.id;
	SELECT create_distributed_table('owned', 'id')});
cmp_ok($servers[1]->safe_psql('postgres', q{SELECT min_value FROM pg_sequences WHERE sequencename = 'owned_id'}), '>', 1,
	'OWNED BY: a worker has a MINVALUE of its own');
($ret, $out, $err) = $servers[1]->psql('postgres', q{INSERT INTO owned (note) VALUES ('worker')});
isnt($ret, 0, 'and makes no ids') or diag($err);

# A generator in ADD COLUMN of a reference table runs on each server.
my $copies = q{
	SELECT count(DISTINCT result) FROM run_command_on_placements('kind', $$SELECT md5(string_agg(%s::text, ',' ORDER BY id)) FROM %%s$$)};
$coordinator->safe_psql('postgres', q{
	CREATE TABLE kind (id int PRIMARY KEY);
	INSERT INTO kind VALUES (1), (2), (3);
	SELECT create_reference_table('kind')});
($ret, $out, $err) = $coordinator->psql('postgres', 'ALTER TABLE kind ADD COLUMN wrong objectid DEFAULT gen_objectid()');
SKIP:
{
	skip 'this version of Citus refuses it', 1 if $ret != 0;
	isnt($coordinator->safe_psql('postgres', sprintf($copies, 'wrong')), '1', 'the copies of a reference table differ');
}
$coordinator->safe_psql('postgres', q{
	SELECT undistribute_table('kind');
	ALTER TABLE kind ADD COLUMN right_way objectid DEFAULT gen_objectid();
	SELECT create_reference_table('kind')});
is($coordinator->safe_psql('postgres', sprintf($copies, 'right_way')), '1', 'and do not, if the column is added before');

# The time zone of the session is not that of the workers.
my $zone = q{SET timezone = 'Asia/Tokyo'; SELECT DISTINCT to_char(objectid_timestamp(id), 'OF') FROM event};
is($coordinator->safe_psql('postgres', $zone), '+00', 'the time zone is not sent');
$coordinator->safe_psql('postgres', q{
	CREATE TABLE by_hour (id objectid PRIMARY KEY);
	SELECT create_distributed_table('by_hour', 'id');
	SET timezone = 'Asia/Tokyo';
	INSERT INTO by_hour SELECT gen_objectid(current_date + i * interval '1 hour') FROM generate_series(-24, 23) AS i});
my $today = q{SET timezone = 'Asia/Tokyo'; SELECT count(*) FROM by_hour WHERE id >= %s};
isnt($coordinator->safe_psql('postgres', sprintf $today, 'current_date'), '24', 'current_date is the day of the workers');
is($coordinator->safe_psql('postgres', sprintf $today, '(SELECT current_date::timestamptz)'), '24', 'a sub-select is that of the session');

# A schema that is a shard, moved while clients insert, by the coordinator and by a worker
$coordinator->safe_psql('postgres', $schema_as_shard);
$coordinator->safe_psql('postgres', q{
	SET citus.enable_schema_based_sharding = on;
	CREATE SCHEMA "Tenant 6";
	CREATE TABLE "Tenant 6".bill (id bigint PRIMARY KEY DEFAULT next_snowflake('public.photo_id'::text::regclass, 'twitter'), title text NOT NULL)});
foreach my $table ('tenant_5.photo', '"Tenant 6".bill')
{
	my $schema = $table =~ s/\.\w+$//r;
	my $insert = qq{SELECT format('INSERT INTO $table (title) VALUES (%L)', i) FROM generate_series(1, 300) i \\gexec};
	my @clients = map { start_client($_, $insert) } @servers[ 0, 1 ];
	my $placement = qq{SELECT nodename, nodeport FROM citus_shards JOIN pg_dist_node USING (nodename, nodeport) WHERE table_name = '$table'::regclass};
	my ($other) = grep { $coordinator->safe_psql('postgres', $placement) !~ /\|@{[ $_->port ]}$/ } @servers[ 1, 2 ];
	$coordinator->safe_psql('postgres', "SELECT citus_schema_move('$schema', " . place($other) . ')');
	ok($_->{run}->finish, 'a client sees no error while the schema moves') or diag(slurp_file($_->{errors})) foreach @clients;
	like($coordinator->safe_psql('postgres', $placement), qr/\|@{[ $other->port ]}$/, "$table has moved");
	$coordinator->safe_psql('postgres', "INSERT INTO $table (title) SELECT 'after' FROM generate_series(1, 100)");
	is($coordinator->safe_psql('postgres', "SELECT count(*), count(DISTINCT id) FROM $table"), '700|700', "$table: no row is lost, no id comes twice");
}
my ($refused, undef, $why) = $coordinator->psql('postgres', q{
	SET citus.enable_schema_based_sharding = on;
	CREATE SCHEMA tenant_7;
	CREATE SEQUENCE tenant_7.photo_id;
	CREATE TABLE tenant_7.photo (id bigint PRIMARY KEY DEFAULT next_snowflake('tenant_7.photo_id', 7, 'twitter'), title text)});
note "a sequence in such a schema: $why";

# An outbox on the coordinator, filled beside a distributed table in one transaction
$coordinator->safe_psql('postgres', slurp_file('examples/feed/outbox.sql'));
my $both = start_client($coordinator, q{
	SELECT format('BEGIN; INSERT INTO message (body) VALUES (%1$L); INSERT INTO outbox (item, quantity) VALUES (%1$L, 1); COMMIT', 'outbox ' || i)
	FROM generate_series(1, 300) i \gexec
	CREATE TABLE outbox_is_complete ()});
$coordinator->safe_psql('postgres', q{CREATE TABLE delivered (item text)});
my $is_last = 0;
my $last = 0;
foreach my $poll (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
{
	last if $is_last;
	$is_last = $coordinator->safe_psql('postgres', q{SELECT to_regclass('outbox_is_complete') IS NOT NULL}) eq 't';
	my $upto = $coordinator->safe_psql('postgres', q{CALL settled_snowflake('outbox_id', NULL)});
	$coordinator->safe_psql('postgres', "INSERT INTO delivered SELECT item FROM outbox WHERE id > $last AND id <= $upto");
	$last = $upto;
}
ok($both->{run}->finish, 'a client of both ends') or diag(slurp_file($both->{errors}));
is($coordinator->safe_psql('postgres', q{SELECT string_agg(item, ',' ORDER BY item) FROM delivered}),
	$coordinator->safe_psql('postgres', q{SELECT string_agg(body, ',' ORDER BY body) FROM message WHERE body LIKE 'outbox %'}),
	'each row of the outbox is delivered once, with its row of the distributed table');

# What the page says of MERGE, and of a foreign key to a reference table
my ($merged, undef, $message) = $coordinator->psql('postgres', q{
	MERGE INTO message USING (SELECT 'merged' AS body) AS s ON false
	WHEN NOT MATCHED THEN INSERT (id, body) VALUES (next_snowflake('public.message_id'::text::regclass, 'twitter'), s.body)});
isnt($merged, 0, 'MERGE with a generator is refused') or diag($message);
$coordinator->safe_psql('postgres', q{
	CREATE TABLE country (code text PRIMARY KEY);
	SELECT create_reference_table('country');
	CREATE TABLE visit (id bigint PRIMARY KEY, code text REFERENCES country)});
is($coordinator->safe_psql('postgres', q{SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'visit'::regclass}), '1', 'a foreign key to a reference table makes a table one of Citus');

# The default of a serial column becomes a clock sequence, then the table is distributed.
$coordinator->safe_psql('postgres', q{
	CREATE TABLE early (id bigserial PRIMARY KEY, note text);
	INSERT INTO early (note) SELECT 'old' FROM generate_series(1, 100);
	ALTER SEQUENCE early_id_seq OWNED BY NONE;
	ALTER TABLE early ALTER id SET DEFAULT next_snowflake('public.early_id_seq'::text::regclass, 'twitter')});
is($coordinator->safe_psql('postgres', sprintf($everywhere, 'CREATE SEQUENCE IF NOT EXISTS public.early_id_seq CACHE 64')), 't', 'sequences for an existing table');
$coordinator->safe_psql('postgres', q{SELECT create_distributed_table('early', 'id')});
$_->safe_psql('postgres', q{INSERT INTO early (note) SELECT 'new' FROM generate_series(1, 100)}) foreach @servers;
is($coordinator->safe_psql('postgres', q{SELECT count(*), count(DISTINCT id), count(DISTINCT snowflake_node(id, 'twitter')) FILTER (WHERE note = 'new') FROM early}),
	'500|500|4', 'all servers make its ids');

# A default partition: what Citus does with it
$coordinator->safe_psql('postgres', q{
	CREATE TABLE reading (id objectid DEFAULT gen_objectid(), value int) PARTITION BY RANGE (id);
	SELECT create_distributed_table('reading', 'id');
	CREATE TABLE reading_rest PARTITION OF reading DEFAULT;
	INSERT INTO reading (value) SELECT generate_series(1, 10)});
($ret, $out, $err) = $coordinator->psql('postgres', q{
	CREATE TABLE reading_new PARTITION OF reading FOR VALUES FROM (objectid_floor(date_trunc('year', now()))) TO (objectid_floor(date_trunc('year', now()) + interval '1 year'))});
note "a partition beside a default partition that has rows of it: $err";
isnt($ret, 0, 'a partition is refused while the default partition has rows of its time');
is($coordinator->safe_psql('postgres', 'SELECT count(*) FROM reading'), '10', 'and no row is lost');

$_->stop foreach reverse @servers;
done_testing();
