# claim_node_id(): servers that ask a directory get different numbers, and keep them.  A
# copy is told that it is one, and a number that was released is given again only when the
# clock is past its ids.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
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
my @servers = map { start_server("s$_", allows_streaming => 1) } 1 .. 3;
my $conninfo = $directory->connstr('postgres') =~ s/'/''/gr;

# What a call on a server does: its rows are statements, which psql executes.
sub call
{
	my ($server, $function, $arguments) = @_;
	return $server->psql('postgres', "SELECT objectid_ext_tools.$function('$conninfo', $arguments) \\gexec", on_error_stop => 1);
}

sub called_ok
{
	my ($server, $function, $arguments, $name) = @_;
	my ($ret, $out, $err) = call($server, $function, $arguments);
	is($ret, 0, $name) or diag($err);
	return $out;
}

sub refused
{
	my ($server, $function, $arguments, $pattern, $name) = @_;
	my ($ret, $out, $err) = call($server, $function, $arguments);
	like($err, $pattern, $name);
}

# That a session sees this node id, or none
sub node_is
{
	my ($server, $node, $name) = @_;
	my $setting = $node // -1;
	ok($server->poll_query_until('postgres', "SELECT (SELECT count(*) FROM snowflake_layouts()) > 0 AND current_setting('objectid_ext.node_id') = '$setting'"), $name);
}

sub nodes { return $directory->safe_psql('postgres', "SELECT $_[0] FROM node_directory.node") }

# A server that does not exist claims a number.
sub made_up
{
	my ($identifier, $max, $clock) = @_;
	$clock //= 'now()';
	return "SELECT objectid_ext_tools._claim_node(ROW($identifier, 'h', 5432, '/d', false, NULL, $clock), $max, NULL)";
}

#
# Before
#
refused($servers[0], 'claim_node_id', "'twitter'", qr/required extension "dblink" is not installed/, 'dblink is needed');
$_->safe_psql('postgres', 'CREATE SCHEMA "Tools"; CREATE EXTENSION dblink SCHEMA "Tools"') foreach @servers;
refused($servers[0], 'claim_node_id', "'twitter'", qr/database "postgres" is not a node directory.*HINT:  Use SELECT objectid_ext_tools.create_node_directory/s, 'no directory');
$directory->safe_psql('postgres', 'SELECT objectid_ext_tools.create_node_directory()');

#
# Fifty at once
#
my $gate = $directory->background_psql('postgres');
$gate->query_safe('BEGIN; LOCK TABLE node_directory.node');
my @clients = ((map { start_client($directory, made_up($_, 1023)) } 1 .. 47),
	(map { start_client($_, "SELECT objectid_ext_tools.claim_node_id('$conninfo', 'twitter') \\gexec") } @servers));
$directory->poll_query_until('postgres', q{SELECT count(*) = 50 FROM pg_locks WHERE relation = 'node_directory.node'::regclass AND NOT granted}) or die 'not all wait';
$gate->query_safe('COMMIT');
$gate->quit;
my @failed = grep { !$_->{run}->finish } @clients;
is(join('', map { slurp_file($_->{errors}) } @failed), '', 'fifty servers claim a number at once');
is(nodes('count(DISTINCT node), min(node), max(node)'), '50|0|49', 'and get fifty numbers');
my @claimed = map { $directory->safe_psql('postgres', 'SELECT node FROM node_directory.node WHERE system_identifier = '
		. $_->safe_psql('postgres', 'SELECT system_identifier FROM pg_control_system()')) } @servers;
node_is($servers[$_], $claimed[$_], "server $_ has its number") foreach 0 .. 2;
is(called_ok($servers[0], 'claim_node_id', "'twitter'", 'a claim again'), '', 'changes nothing');
is(called_ok($servers[0], 'claim_node_id', q{'twitter', copy => true}, 'a claim again, as a copy'), '', 'nor does that');
$servers[0]->safe_psql('postgres', 'ALTER SYSTEM RESET objectid_ext.node_id; SELECT pg_reload_conf()');
node_is($servers[0], undef, 'a server has lost its number');
called_ok($servers[0], 'claim_node_id', "'twitter'", 'and claims it again');
node_is($servers[0], $claimed[0], 'it gets the same');
is(nodes('count(*)'), '50', 'there are no more');

#
# A layout with few nodes
#
my ($ret, $out, $err) = $directory->psql('postgres', made_up(100, 15));
like($err, qr/all node ids from 0 to 15 are claimed/, 'a number that does not fit a layout is not given');
refused($servers[0], 'claim_node_id', "'mastodon'", qr/node $claimed[0] is out of range.*It must be from 0 to 0/s, 'nor one that is too high kept') if $claimed[0];

#
# A copy, a standby, a server that is promoted
#
$servers[0]->backup('backup');
my $clone = PostgreSQL::Test::Cluster->new('clone');
$clone->init_from_backup($servers[0], 'backup');
$clone->start;
refused($clone, 'claim_node_id', "'twitter'", qr/a server with the same system identifier has claimed node $claimed[0]\n.*claimed by host local, port @{[ $servers[0]->port ]}, data directory .*use copy => true/s, 'a copy is told');
called_ok($clone, 'claim_node_id', q{'twitter', copy => true}, 'a copy');
node_is($clone, 50, 'has a number of its own');
is(called_ok($clone, 'claim_node_id', "'twitter'", 'and again'), '', 'keeps it');
is(called_ok($servers[0], 'claim_node_id', "'twitter'", 'the original'), '', 'keeps its own');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($servers[0], 'backup', has_streaming => 1);
$standby->start;
refused($standby, 'claim_node_id', $_, qr/has claimed node $claimed[0], 50\n.*HINT:  Set objectid_ext.node_id as on the primary/s, "a standby is told that there is a copy: $_")
	foreach "'twitter'", "'twitter', copy => true";
is(called_ok($standby, 'claim_node_id', q{'twitter', copy => false}, 'a standby'), '', 'has the number of its primary');
$standby->safe_psql('postgres', 'ALTER SYSTEM RESET objectid_ext.node_id; SELECT pg_reload_conf()');
node_is($standby, undef, 'a standby without a number');
refused($standby, 'claim_node_id', q{'twitter', copy => false}, qr/has claimed node $claimed[0], 50\n/, 'does not get one of several');
$standby->safe_psql('postgres', "ALTER SYSTEM SET objectid_ext.node_id = $claimed[0]; SELECT pg_reload_conf()");
node_is($standby, $claimed[0], 'until it is set');
is(nodes('count(*)'), '51', 'and no row');
$servers[0]->stop;
$standby->promote;
refused($standby, 'claim_node_id', "'twitter'", qr/use copy => false/, 'a standby that is promoted is told, too');
is(called_ok($standby, 'claim_node_id', q{'twitter', copy => false}, 'in the place of the primary'), '', 'it keeps the number');
is(nodes("port, count(*) OVER (PARTITION BY node)") =~ /^@{[ $standby->port ]}\|1$/m, 1, 'and has its row');

#
# Numbers that were written into files
#
my $by_hand = start_server('by_hand', conf => 'objectid_ext.node_id = 700');
$by_hand->safe_psql('postgres', 'CREATE EXTENSION dblink');
is(called_ok($by_hand, 'claim_node_id', "'twitter'", 'a server that has a number'), '', 'keeps it');
is(nodes('count(*) FILTER (WHERE node = 700)'), '1', 'in the directory');
my $same = start_server('same', conf => 'objectid_ext.node_id = 700');
$same->safe_psql('postgres', 'CREATE EXTENSION dblink');
refused($same, 'claim_node_id', "'twitter'", qr/node 700 of this server belongs to another server.*port @{[ $by_hand->port ]}/s, 'another with this number is told');
refused($by_hand, 'release_node_id', 'NULL', qr/objectid_ext.node_id is set in ".*postgresql.conf"/, 'a release, while the file has the number');

#
# Release: not while a statement runs that may use it, and for others when the clock is past it
#
my $releasing = $servers[1];
$releasing->safe_psql('postgres', q{
	CREATE SEQUENCE photo_id;
	CREATE TABLE photo (id bigint DEFAULT next_snowflake('photo_id', 'twitter'));
	SELECT setval('photo_id', snowflake_floor('2040-01-01Z', 'twitter'));
	INSERT INTO photo DEFAULT VALUES});
my $busy = $releasing->background_psql('postgres');
$busy->query_until(qr/started/, "\\echo started\nSELECT pg_advisory_lock(1), pg_sleep(600);\n");
$releasing->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')}) or die 'no statement runs';
called_ok($releasing, 'release_node_id', 'NULL', 'a release');
node_is($releasing, undef, 'first, the number is not set any more');
is(nodes('count(*) FILTER (WHERE free_after IS NOT NULL)'), '0', 'but not released');
refused($releasing, 'release_node_id', 'NULL', qr/the statement of process \d+ can still use the node id/, 'nor while a statement runs from before');
$releasing->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 180000) FROM pg_stat_activity WHERE wait_event = 'PgSleep'});
eval { $busy->quit };
is(called_ok($releasing, 'release_node_id', 'NULL', 'then'), '', 'it is released');
is(nodes("free_after >= '2040-01-01Z' AND free_after < '2040-01-02Z'") =~ tr/t//, 1, 'until its ids are in the past');
called_ok($releasing, 'release_node_id', "'2041-01-01Z'", 'ids of another database are later');
is(nodes("free_after = '2041-01-01Z'") =~ tr/t//, 1, 'that counts');
refused($releasing, 'release_node_id', "NULL, host => 'elsewhere'", qr/this server has not claimed a node id.*It is host elsewhere, /s, 'by another name, it has none to release');

is($directory->safe_psql('postgres', made_up(200, 1023)), 51, 'others do not get the number');
$directory->safe_psql('postgres', "UPDATE node_directory.node SET free_after = now() - interval '1 hour' WHERE free_after IS NOT NULL");
is($directory->safe_psql('postgres', made_up(201, 1023, q{now() - interval '2 hours'})), 52, 'nor does a server whose clock is behind it');
is($directory->safe_psql('postgres', made_up(202, 1023)), $claimed[1], 'they get it when the clock is past it');
called_ok($releasing, 'claim_node_id', "'twitter'", 'a claim after a release');
node_is($releasing, 53, 'if it was given away, another number');

#
# A role without all rights
#
$directory->safe_psql('postgres', q{
	CREATE ROLE shop LOGIN PASSWORD 'secret';
	GRANT USAGE ON SCHEMA node_directory TO shop;
	GRANT SELECT, INSERT, UPDATE ON node_directory.node TO shop});
unlink $directory->data_dir . '/pg_hba.conf';
$directory->append_conf('pg_hba.conf', "local all shop scram-sha-256\nlocal all all trust\n");
$directory->reload;
my $limited = start_server('limited');
$limited->safe_psql('postgres', sprintf q{
	CREATE EXTENSION dblink;
	CREATE ROLE dba LOGIN IN ROLE pg_monitor;
	CREATE SERVER directory FOREIGN DATA WRAPPER dblink_fdw OPTIONS (host '%s', port '%s', dbname 'postgres');
	GRANT USAGE ON FOREIGN SERVER directory TO dba;
	CREATE USER MAPPING FOR dba SERVER directory OPTIONS (user 'shop', password 'secret');
	GRANT ALTER SYSTEM ON PARAMETER objectid_ext.node_id TO dba;
	GRANT EXECUTE ON FUNCTION pg_reload_conf TO dba}, $directory->host, $directory->port);
($ret, $out, $err) = $limited->psql('postgres', "SELECT objectid_ext_tools.claim_node_id('directory', 'twitter', host => 'limited') \\gexec",
	extra_params => [ '-U', 'dba' ], on_error_stop => 1);
is($err, '', 'a role that may set the number, and no more');
node_is($limited, 54, 'claims it');
is(nodes("string_agg(host, ' ') FILTER (WHERE node = 54)"), 'limited', 'by a name of its own');

# Its sequences can be ahead of the clock, and it cannot see that.
$limited->safe_psql('postgres', q{
	CREATE SEQUENCE photo_id;
	CREATE TABLE photo (id bigint DEFAULT next_snowflake('photo_id', 'twitter'));
	INSERT INTO photo DEFAULT VALUES});
sub release_as_dba
{
	my ($until) = @_;
	my ($ret, $out, $err) = $limited->psql('postgres', "SELECT objectid_ext_tools.release_node_id('directory', $until, host => 'limited') \\gexec",
		extra_params => [ '-U', 'dba' ], on_error_stop => 1);
	return $err;
}
is(release_as_dba('NULL'), '', 'it resets the number');
node_is($limited, undef, 'so that there is none');
like(release_as_dba('NULL'), qr/last id of a clock sequence is not known/, 'but it does not know the last ids');
is(nodes('count(*) FILTER (WHERE node = 54 AND free_after IS NULL)'), '1', 'and releases nothing');
is(release_as_dba("'2042-01-01Z'"), '', 'unless it is told');
is(nodes("count(*) FILTER (WHERE node = 54 AND free_after = '2042-01-01Z')"), '1', 'until then');
$limited->safe_psql('postgres', 'GRANT SELECT ON SEQUENCE photo_id TO dba');
is(release_as_dba('NULL'), '', 'or may read the sequence');
called_ok($limited, 'claim_node_id', "'twitter', host => 'limited'", 'it claims a number again');
node_is($limited, 54, 'the same');

# A copy, whose file has the number of the original
called_ok($same, 'claim_node_id', q{'twitter', copy => true}, 'a copy with a number in its file');
node_is($same, 55, 'has the one that it claimed');
called_ok($same, 'release_node_id', 'NULL', 'released');
node_is($same, undef, 'it does not have that of the original again');
is(called_ok($same, 'release_node_id', 'NULL', 'and then'), '', 'in the directory');

# No file changes what the command line sets.
command_ok([ 'pg_ctl', '-D', $same->data_dir, '-l', $same->logfile, '-o', '--cluster-name=same -c objectid_ext.node_id=701', '-w', 'restart' ], 'a number on the command line');
refused($same, 'claim_node_id', q{'twitter', copy => true}, qr/objectid_ext.node_id is set on the command line of the server.*Set it to 55 there/s, 'a claim of another');
refused($same, 'release_node_id', 'NULL', qr/objectid_ext.node_id is set in "command line"/, 'a release');

# The directory stays without the tools.
$directory->safe_psql('postgres', 'DROP EXTENSION objectid_ext_tools; CREATE EXTENSION objectid_ext_tools');
is(called_ok($limited, 'claim_node_id', "'twitter', host => 'limited'", 'after the tools were dropped and created'), '', 'the directory is as it was');

$_->stop foreach $directory, @servers[ 1, 2 ], $clone, $standby, $by_hand, $same, $limited;
done_testing();
