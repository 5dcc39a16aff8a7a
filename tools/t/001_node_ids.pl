# check_node_ids() finds servers with the same node id before their ids collide: after a
# mistake in a configuration, a clone, a restored backup, a failover whose old primary is
# still running.  The view of the clocks tells the node of the server.

use strict;
use warnings FATAL => 'all';

use FindBin;
use IO::Socket::INET;
use lib "$FindBin::RealBin/../../t/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The server that runs the check has no node id.
my $asker = start_server('asker');
if ($asker->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'dblink'") == 0)
{
	$asker->stop;
	plan skip_all => 'dblink is not installed (on Red Hat and its kin postgresqlNN-contrib)';
}
my ($ret, $out, $err) = $asker->psql('postgres', "SELECT * FROM objectid_ext_tools.check_node_ids('{host=nowhere}')");
like($err, qr/ERROR:  required extension "dblink" is not installed\n.*HINT:.*CREATE EXTENSION dblink/s, 'dblink is needed');
$asker->safe_psql('postgres', 'CREATE SCHEMA "Tools"; CREATE EXTENSION dblink SCHEMA "Tools"');

# What the check says of some servers: nodes of the test, or strings; the first can be a
# reference to how long it waits for them
sub answers
{
	my ($columns, @servers) = @_;
	my $max_wait = ref $servers[0] eq 'SCALAR' ? ${ shift @servers } : '1 min';
	my $list = join ', ', map { defined $_ ? "'" . (ref $_ ? $_->connstr('postgres') : $_) =~ s/'/''/gr . "'" : 'NULL' } @servers;
	return $asker->safe_psql('postgres', "SELECT $columns FROM objectid_ext_tools.check_node_ids(ARRAY[$list]::text[], '$max_wait')");
}

sub answers_are
{
	my ($servers, $expected, $name) = @_;
	is(answers('server, node, in_recovery, problem', @$servers), $expected, $name);
}

my $a = start_server('a', allows_streaming => 1, conf => 'objectid_ext.node_id = 1');
my $b = start_server('b', conf => 'objectid_ext.node_id = 2');
my $c = start_server('c');
answers_are([], '', 'no server');
answers_are([ $a, $b, $c ], "1|1|f|\n2|2|f|\n3||f|objectid_ext.node_id is not set", 'nodes that differ, and one that is not set');

# The view of the clocks, and what a monitor exports of it
sub clock_of { return $_[0]->safe_psql('postgres', 'SELECT node, last_id > 0, problem FROM objectid_ext_tools.clock_sequences') }
$_->safe_psql('postgres', q{CREATE SEQUENCE item_id; CREATE TABLE item (id bigint DEFAULT next_snowflake('item_id', 'twitter'), name text)}) foreach $a, $c;
is(clock_of($a), '1||', 'a clock of a server with a node');
is(clock_of($c), '||objectid_ext.node_id is not set', 'and of one without');
my ($exported) = slurp_file("$FindBin::RealBin/../../examples/monitoring/postgres_exporter.yaml") =~ /query: \|\n((?: {4,}.*\n)+)/;
is((split /\|/, $c->safe_psql('postgres', $exported))[ 1, -1 ], '1', 'the query of postgres_exporter counts the problem');
$a->safe_psql('postgres', 'INSERT INTO item DEFAULT VALUES');
is(clock_of($a), '1|t|', 'a clock that has given an id');
$a->safe_psql('postgres', q{
	CREATE SCHEMA tenant;
	CREATE SEQUENCE tenant.item_id;
	CREATE TABLE tenant.item (id bigint DEFAULT next_snowflake('tenant.item_id', 'twitter'))});
is(clock_of($a), "1|t|\n1||", 'two schemas with the same tables, of which the node of the server is no shard');
$a->safe_psql('postgres', 'DROP SCHEMA tenant CASCADE');
is($b->safe_psql('postgres', q{
	CREATE TABLE kept (id serial);
	DO $$ BEGIN PERFORM objectid_ext_tools.convert_to_snowflake('kept', 'id', NULL, 'twitter'); END $$;
	INSERT INTO kept DEFAULT VALUES RETURNING snowflake_node(id, 'twitter')}), '2', 'a converted table, with ids of the node of the server');
is(clock_of($b), '2|t|', 'whose clock is in the view');
$b->safe_psql('postgres', 'DROP TABLE kept');

# A mistake in a configuration; the value is that of the generators, not of a session.
$c->append_conf('postgresql.conf', 'objectid_ext.node_id = 1');
$c->reload;
$c->poll_query_until('postgres', 'SELECT snowflake_node_id() = 1') or die 'no reload';
answers_are([ $a, $b, $c, $b ], "1|1|f|same node as server 3\n2|2|f|\n3|1|f|same node as server 1\n4|2|f|", 'the same node; a server may be in the list twice');
is(answers('node, problem', $b->connstr('postgres') . q{ options='-c objectid_ext.node_id=7'}), '|objectid_ext.node_id is not set', 'a session cannot pretend another node');

# A server that cannot be asked is reported, and does not hide the others.
$b->safe_psql('postgres', 'CREATE DATABASE without_extension');
my @lines = split /\n(?=\d)/, answers('server, node, problem', $a, $b->connstr('without_extension'), 'host=/nonexistent', undef, $c);
is(join(' ', @lines[ 0, 1, 3, 4 ]), '1|1|same node as server 5 2||extension "objectid_ext" is not installed 4||connection string is null 5|1|same node as server 1', 'all others');
like($lines[2], qr{^3\|\|could not establish connection: .*/nonexistent}s, 'a server that does not answer');

# Servers that accept connections and never answer: they are waited for side by side.
my $silent = IO::Socket::INET->new(Listen => 100, LocalAddr => '127.0.0.1') or die "cannot listen: $!";
my $never = 'host=127.0.0.1 port=' . $silent->sockport;
my ($wait, $began, $problems);
foreach (2, 20, 60)		# longer, if a busy machine does not answer in time
{
	($wait, $began) = ($_, time);
	$problems = answers('count(*) FILTER (WHERE problem IS NULL), count(*) FILTER (WHERE problem LIKE $$no answer within 00:%$$)', \"$wait s", $a, ($never) x 40, $b);
	last if $problems eq '2|40';
}
is($problems, '2|40', 'servers that do not answer, and two that do');
cmp_ok(time - $began, '<', 40 * $wait, 'they are waited for side by side');
is($asker->safe_psql('postgres', qq{
	SET statement_timeout = '1s';
	DO \$\$ BEGIN PERFORM objectid_ext_tools.check_node_ids('{$never}'); EXCEPTION WHEN query_canceled THEN RAISE WARNING 'cancelled'; END \$\$;
	RESET statement_timeout;
	SELECT "Tools".dblink_get_connections()}), '', 'a call that is cancelled leaves no connection open');

# What asks them, where the role cannot connect to this database by itself
my ($list, $via) = map { "'" . ($_->connstr('postgres') =~ s/'/''/gr) . "'" } $a, $asker;
is($asker->safe_psql('postgres', "SELECT node FROM objectid_ext_tools.check_node_ids(ARRAY[$list], via => $via)"), '1', 'a connection to this database that is given');
(undef, undef, $err) = $asker->psql('postgres', "SELECT node FROM objectid_ext_tools.check_node_ids(ARRAY[$list], via => 'host=/nonexistent')");
like($err, qr/could not establish connection/, 'and one that cannot be opened');

# Another user of a server makes functions and operators with names that the query uses.
$b->safe_psql('postgres', q{CREATE DATABASE trapped});
$b->safe_psql('trapped', q{
	CREATE SCHEMA ext;
	CREATE EXTENSION objectid_ext SCHEMA ext;
	CREATE SEQUENCE sprung;
	CREATE FUNCTION snowflake_node_id() RETURNS int LANGUAGE sql AS 'SELECT nextval(''sprung'')::int';
	CREATE FUNCTION current_setting(text) RETURNS text LANGUAGE sql AS 'SELECT nextval(''sprung'')::text';
	CREATE FUNCTION equal(text, text) RETURNS bool LANGUAGE sql AS 'SELECT nextval(''sprung'') > 0';
	CREATE OPERATOR = (FUNCTION = equal, LEFTARG = text, RIGHTARG = text);
	ALTER DATABASE trapped SET search_path = public, pg_catalog});
is(answers('node, problem', $b->connstr('trapped')), '2|', 'a database with traps');
is($b->safe_psql('trapped', 'SELECT is_called FROM sprung'), 'f', 'of which none is sprung');

# Names of foreign servers, and a role that dblink does not let connect
$asker->safe_psql('postgres', sprintf q{
	CREATE SERVER shop FOREIGN DATA WRAPPER dblink_fdw OPTIONS (host '%s', port '%s', dbname 'postgres');
	CREATE USER MAPPING FOR CURRENT_USER SERVER shop;
	CREATE ROLE ordinary LOGIN;
	GRANT USAGE ON SCHEMA "Tools" TO ordinary}, $a->host, $a->port);
answers_are([ 'shop' ], '1|1|f|', 'the name of a foreign server');
like($asker->safe_psql('postgres', "SET ROLE ordinary; SELECT problem FROM objectid_ext_tools.check_node_ids('{port=1}')"), qr/password/, 'a role without a password');

# A standby has the node of its primary.  For one of another server, that is an error.
$a->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($a, 'backup', has_streaming => 1);
$standby->start;
answers_are([ $a, $standby, $c ], "1|1|f|same node as server 3\n2|1|t|same node as server 3\n3|1|f|same node as server 1, 2", 'a standby');

# A clone, or a restored backup: with the configuration of the server, and the same system identifier
my $clone = PostgreSQL::Test::Cluster->new('clone');
$clone->init_from_backup($a, 'backup');
$clone->start;
answers_are([ $a, $clone, $standby ], "1|1|f|same node as server 2\n2|1|f|same node as server 1\n3|1|t|", 'a clone');
is(answers('count(DISTINCT system_identifier)', $a, $clone), '1', 'which has the same identifier');
$clone->safe_psql('postgres', "LOAD 'objectid_ext'; ALTER SYSTEM SET objectid_ext.node_id = 3");
$clone->reload;
$clone->poll_query_until('postgres', 'SELECT snowflake_node_id() = 3') or die 'no reload';
answers_are([ $a, $clone ], "1|1|f|\n2|3|f|", 'a clone with a node of its own');
is(clock_of($clone), '3|t|the last id is of node 1: nextval was used, or the node has changed', 'the last id is of the other node');
$clone->safe_psql('postgres', 'INSERT INTO item DEFAULT VALUES');
is(clock_of($clone), '3|t|', 'until the next id');

# A standby is promoted while the old primary is still running.
$standby->promote;
answers_are([ $a, $standby ], "1|1|f|same node as server 2\n2|1|f|same node as server 1", 'a failover with two primaries');
$a->stop;
like(answers('server, node, problem', $a, $standby), qr/^1\|\|could not establish connection.*\n2\|1\|$/s, 'and with one');

# A node id beside the data directory is not in a backup.
my $d = start_server('d', allows_streaming => 1, conf => "include_if_exists = '../node_id.conf'");
append_to_file($d->basedir . '/node_id.conf', "objectid_ext.node_id = 4\n");
$d->reload;
$d->poll_query_until('postgres', "SELECT current_setting('objectid_ext.node_id', true) = '4'") or die 'no reload';
$d->backup('backup');
my $clone_of_d = PostgreSQL::Test::Cluster->new('clone_of_d');
$clone_of_d->init_from_backup($d, 'backup');
$clone_of_d->start;
answers_are([ $d, $clone_of_d ], "1|4|f|\n2||f|objectid_ext.node_id is not set", 'a node id that is not in a clone');

$_->stop foreach $asker, $b, $c, $d, $standby, $clone, $clone_of_d;
done_testing();
