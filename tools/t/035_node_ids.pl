# check_node_ids() finds servers with the same node id before their ids collide:
# after a configuration error, a clone, a restored backup, a failover whose old
# primary is still running.  A clone has no node id if that is stored outside of
# the data directory.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t";
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

# dblink can be in any schema.
$asker->safe_psql('postgres', 'CREATE SCHEMA "Tools"; CREATE EXTENSION dblink SCHEMA "Tools"');

# Columns of the answer about some servers: nodes of the test, or strings.
sub answers
{
	my ($columns, @servers) = @_;
	my $list = join ', ', map { defined $_ ? "'" . (ref $_ ? $_->connstr('postgres') : $_) =~ s/'/''/gr . "'" : 'NULL' } @servers;
	return $asker->safe_psql('postgres', "SELECT $columns FROM objectid_ext_tools.check_node_ids(ARRAY[$list]::text[])");
}

sub answers_are
{
	my ($servers, $expected, $name) = @_;
	is(answers('server, node, in_recovery, problem', @$servers), $expected, $name);
}

my $a = start_server('a', allows_streaming => 1, has_archiving => 1, conf => 'objectid_ext.node_id = 1');
my $b = start_server('b', allows_streaming => 1, conf => 'objectid_ext.node_id = 2');
my $c = start_server('c', allows_streaming => 1);
answers_are([ $a, $b ], "1|1|f|\n2|2|f|", 'nodes that differ');
answers_are([], '', 'no server');

# A server without a node id is a problem, too.
answers_are([ $a, $c ], "1|1|f|\n2||f|objectid_ext.node_id is not set", 'a node that is not set');

# The view of the clocks shows the node of the server, and what is wrong with it.
sub clock_of
{
	my ($node) = @_;
	return $node->safe_psql('postgres', q{SELECT node, last_id > 0, problem FROM objectid_ext_tools.clock_sequences});
}
foreach my $node ($a, $c)
{
	$node->safe_psql('postgres', q{
		CREATE SEQUENCE item_id;
		CREATE TABLE item (id bigint DEFAULT next_snowflake('item_id', 'twitter'), name text);
		CREATE TABLE part (id bigint DEFAULT next_snowflake('item_id', snowflake_node_id(), 'twitter'))});
}
is(clock_of($a), "1||\n1||", 'clocks of a server with a node');
is(clock_of($c), "||objectid_ext.node_id is not set\n||objectid_ext.node_id is not set", 'and of one without');
my ($exported) = slurp_file('examples/monitoring/postgres_exporter.yaml') =~ /query: \|\n((?: {4,}.*\n)+)/;
my @exported = map { (split /\|/)[ 1, -1 ] } sort split /\n/, $c->safe_psql('postgres', $exported);
is("@exported", 'public.item 1 public.part 1', 'the query of postgres_exporter');

# Other users set traps for what the examples call.  A monitor calls none of them.
$c->safe_psql('postgres', q{
	CREATE SCHEMA trap;
	CREATE FUNCTION trap.spring(text, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'trap'; END $$;
	CREATE FUNCTION trap.spring(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'trap'; END $$;
	CREATE AGGREGATE trap.count(text) (SFUNC = trap.spring, STYPE = text, INITCOND = '');
	CREATE OPERATOR trap.= (FUNCTION = trap.spring, LEFTARG = oid, RIGHTARG = regclass)});
sub trapped { return ($c->psql('postgres', "SET search_path = trap, public; BEGIN; LOCK TABLE item IN ROW EXCLUSIVE MODE; $_[0]"))[2] =~ /ERROR:  trap/ ? 1 : 0 }
my $holders = slurp_file('examples/feed/holders.sql') =~ s/:'sequence'/'item_id'/r;
is(join(' ', map { trapped($_) } "SELECT count('')", q{SELECT oid = 'item_id'::regclass FROM pg_class}, $exported, $holders), '1 1 0 0',
	'monitors spring no traps');
is(join(' ', "$exported$holders" =~ /(?<![.\w])(?:max|min|sum|avg|count|\w+_agg|format)\(/g), '', 'their aggregates are qualified');
$c->safe_psql('postgres', 'DROP SCHEMA trap CASCADE');

$a->safe_psql('postgres', 'INSERT INTO item DEFAULT VALUES');
is(clock_of($a), "1|t|\n1|t|", 'a clock that has given an id');

# Prometheus refuses all metrics if two have the same labels.
my $temporary = $c->background_psql('postgres');
$temporary->query_safe(q{CREATE TEMPORARY TABLE item (id bigint DEFAULT next_snowflake('item_id', 1, 'twitter'))});
$c->safe_psql('postgres', q{
	CREATE SCHEMA "Other";
	CREATE TABLE "Other".item (id bigint DEFAULT next_snowflake('item_id', 1, 'twitter'));
	CREATE TABLE "Other.item" (id bigint DEFAULT next_snowflake('item_id', 1, 'twitter'));
	CREATE SEQUENCE "Other".item_id;
	CREATE TABLE twice (ids bigint[] DEFAULT ARRAY[next_snowflake('item_id', 1, 'twitter'), next_snowflake('item_id', 2, 'twitter'),
		next_snowflake('"Other".item_id', 3, 'twitter'), next_shard_id(1, floor(random() * 1000)::bigint), next_shard_id(1, 2)])});
my @labels = map { [ sort map { join '|', (split /\|/)[ 0 .. 4 ] } split /\n/, $c->safe_psql('postgres', "SET search_path = $_; $exported") ] }
  'public', '"Other"';
is_deeply($labels[0], [ sort map { "postgres|$_" }
	'"Other".item|id|next_snowflake|public.item_id',
	'public."Other.item"|id|next_snowflake|public.item_id',
	'public.item|id|next_snowflake|public.item_id',
	'public.part|id|next_snowflake|public.item_id',
	'public.twice|ids|next_shard_id|',
	'public.twice|ids|next_snowflake|"Other".item_id',
	'public.twice|ids|next_snowflake|public.item_id' ], 'postgres_exporter gets no labels twice');
is_deeply($labels[1], $labels[0], 'which do not depend on the search_path');
$temporary->quit;

# A configuration error
$c->append_conf('postgresql.conf', 'objectid_ext.node_id = 1');
$c->reload;
$c->poll_query_until('postgres', 'SELECT snowflake_node_id() = 1') or die 'no reload';
answers_are([ $a, $b, $c, $b, $c ], "1|1|f|same node as server 3, 5\n2|2|f|\n3|1|f|same node as server 1\n4|2|f|\n5|1|f|same node as server 1",
	'the same node twice; a server may be in the list twice');

# A server that cannot be queried is reported, and does not hide the others.
$b->safe_psql('postgres', 'CREATE DATABASE without_extension');
my @lines = split /\n(?=\d)/,
  answers('server, node, problem', $a, $b->connstr('without_extension'), 'host=/nonexistent', 'no conninfo', undef, $c);
is(scalar @lines, 6, 'a row for each server');
is($lines[0], '1|1|same node as server 6', 'the first');
is($lines[1], '2||extension "objectid_ext" is not installed', 'a database without the extension');
like($lines[2], qr{^3\|\|could not establish connection: .*/nonexistent}s, 'a server that does not answer');
like($lines[3], qr/^4\|\|.*(missing "=" after|could not establish connection)/s, 'what is no connection string');
is($lines[4], '5||connection string is null', 'a null');
is($lines[5], '6|1|same node as server 1', 'the last');

# Another user of a server can create functions and operators with names that the
# query uses.  It calls none of them, whatever the search_path of the database is:
# where objectid_ext is in another schema, and where it is missing.
foreach my $schema ('ext', undef)
{
	$b->safe_psql('postgres', q{DROP DATABASE IF EXISTS trapped});
	$b->safe_psql('postgres', q{CREATE DATABASE trapped});
	$b->safe_psql('trapped', "CREATE SCHEMA $schema; CREATE EXTENSION objectid_ext SCHEMA $schema") if $schema;
	$b->safe_psql('trapped', q{
		CREATE SEQUENCE sprung;
		CREATE FUNCTION snowflake_node_id() RETURNS int LANGUAGE sql AS 'SELECT nextval(''sprung'')::int';
		CREATE FUNCTION current_setting(text, bool) RETURNS text LANGUAGE sql AS 'SELECT nextval(''sprung'')::text';
		CREATE FUNCTION current_setting(text) RETURNS text LANGUAGE sql AS 'SELECT nextval(''sprung'')::text';
		CREATE FUNCTION fmgr_c_validator(oid) RETURNS text LANGUAGE sql AS 'SELECT nextval(''sprung'')::text';
		CREATE FUNCTION pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT nextval(''sprung'') = 0';
		CREATE FUNCTION pg_postmaster_start_time() RETURNS timestamptz LANGUAGE sql AS 'SELECT to_timestamp(nextval(''sprung''))';
		CREATE FUNCTION equal(text, text) RETURNS bool LANGUAGE sql AS 'SELECT nextval(''sprung'') > 0';
		CREATE OPERATOR = (FUNCTION = equal, LEFTARG = text, RIGHTARG = text);
		CREATE TABLE pg_proc AS SELECT oid, prosrc, probin FROM pg_catalog.pg_proc LIMIT 1;
		ALTER DATABASE trapped SET search_path = public, pg_catalog;
	});
	is(answers('node, problem', $b->connstr('trapped')), $schema ? '2|' : '|extension "objectid_ext" is not installed',
		'a database with traps, ' . ($schema ? 'and the extension in another schema' : 'and without the extension'));
	is($b->safe_psql('trapped', 'SELECT is_called FROM sprung'), 'f', 'no trap is sprung');
}

# Names of foreign servers, whose passwords are in user mappings; and the caller
# can only connect to servers that dblink permits.
foreach my $node ($a, $c)
{
	my ($name, $host, $port) = ($node->name, $node->host, $node->port);
	$asker->safe_psql('postgres', qq{
		CREATE SERVER $name FOREIGN DATA WRAPPER dblink_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
		CREATE USER MAPPING FOR CURRENT_USER SERVER $name;
	});
}
answers_are([ 'a', 'c' ], "1|1|f|same node as server 2\n2|1|f|same node as server 1", 'names of foreign servers');
$asker->safe_psql('postgres', 'CREATE ROLE ordinary LOGIN; GRANT USAGE ON SCHEMA "Tools" TO ordinary');
like($asker->safe_psql('postgres', "SET ROLE ordinary; SELECT problem FROM objectid_ext_tools.check_node_ids('{port=1}')"),
	qr/password/, 'a user without a password is refused by dblink');

# The check uses the value that the generators use, not that of a session.
is(answers('node, problem', $c->connstr('postgres') . q{ options='-c objectid_ext.node_id=7'}),
	'|objectid_ext.node_id is not set', 'a session cannot pretend another node');

# A standby correctly has the node of its primary.  For a standby of another server
# that is an error.
$a->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($a, 'backup', has_streaming => 1);
$standby->start;
answers_are([ $a, $standby, $b ], "1|1|f|\n2|1|t|\n3|2|f|", 'a standby');
answers_are([ $c, $standby ], "1|1|f|same node as server 2\n2|1|t|same node as server 1", 'the standby of another server');

# A clone: started from a base backup, with the configuration of the server
my $clone = PostgreSQL::Test::Cluster->new('clone');
$clone->init_from_backup($a, 'backup');
$clone->start;
answers_are([ $a, $clone, $standby ], "1|1|f|same node as server 2\n2|1|f|same node as server 1\n3|1|t|", 'a clone');
is(answers('count(DISTINCT system_identifier)', $a, $clone), '1', 'which has the same identifier');
$clone->safe_psql('postgres', "LOAD 'objectid_ext'; ALTER SYSTEM SET objectid_ext.node_id = 3");
$clone->reload;
$clone->poll_query_until('postgres', 'SELECT snowflake_node_id() = 3') or die 'no reload';
answers_are([ $a, $clone ], "1|1|f|\n2|3|f|", 'a clone with a node of its own');
is(clock_of($clone), join("\n", ('3|t|the last id is of node 1: nextval was used, or the node has changed') x 2), 'the last id is of the other node');
$clone->safe_psql('postgres', 'INSERT INTO item DEFAULT VALUES');
is(clock_of($clone), "3|t|\n3|t|", 'until the next id');

# A backup that is restored from the archive, to its end, beside the server
$a->safe_psql('postgres', 'CREATE TABLE after_backup (); SELECT pg_switch_wal()');
$a->poll_query_until('postgres', 'SELECT last_archived_wal IS NOT NULL FROM pg_stat_archiver') or die 'nothing is archived';
my $restored = PostgreSQL::Test::Cluster->new('restored');
$restored->init_from_backup($a, 'backup', has_restoring => 1, standby => 0);
$restored->append_conf('postgresql.conf', "recovery_target_action = 'promote'");
$restored->start;
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'recovery does not end';
answers_are([ $restored, $b, $a ], "1|1|f|same node as server 3\n2|2|f|\n3|1|f|same node as server 1", 'a restored backup');
$restored->stop;

# A standby is promoted while the old primary is still running.
$standby->promote;
answers_are([ $a, $standby ], "1|1|f|same node as server 2\n2|1|f|same node as server 1", 'a failover with two primaries');
$a->stop;
like(answers('server, node, problem', $a, $standby), qr/^1\|\|could not establish connection.*\n2\|1\|$/s, 'and with one');

# If the node id is stored outside of the data directory, backups do not have it: a
# clone generates no ids until its node is set.
my $d = start_server('d', allows_streaming => 1, conf => "include_if_exists = '../node_id.conf'");
append_to_file($d->basedir . '/node_id.conf', "objectid_ext.node_id = 4\n");
$d->reload;
$d->poll_query_until('postgres', "SELECT current_setting('objectid_ext.node_id', true) = '4'") or die 'no reload';
$d->safe_psql('postgres', 'CREATE SEQUENCE clock');
is($d->safe_psql('postgres', "SELECT snowflake_node(next_snowflake('clock', 'twitter'), 'twitter')"), '4', 'a node id beside the data directory');
$d->backup('backup');
my $clone_of_d = PostgreSQL::Test::Cluster->new('clone_of_d');
$clone_of_d->init_from_backup($d, 'backup');
$clone_of_d->start;
answers_are([ $d, $clone_of_d ], "1|4|f|\n2||f|objectid_ext.node_id is not set", 'is not in a clone');
($ret, $out, $err) = $clone_of_d->psql('postgres', "SELECT next_snowflake('clock', 'twitter')");
like($err, qr/objectid_ext.node_id is not set/, 'which makes no ids');

$_->stop foreach $asker, $b, $c, $d, $standby, $clone, $clone_of_d;
done_testing();
