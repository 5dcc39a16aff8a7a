# Each older version of the extensions, upgraded, equals a fresh installation,
# object by object.

use strict;
use warnings FATAL => 'all';

use Cwd qw(getcwd);
use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('main');
my $list = slurp_file("$FindBin::RealBin/lib/extension_objects.sql");

# The objects of the extension in a database, after some statements that are
# rolled back
my @extensions = qw(objectid_ext);
sub objects { return objects_of($node, @_); }
sub objects_of
{
	my ($node, $database, $change) = @_;
	my $lists = join '', map { "\\set extension $_\n$list\n" } @extensions;
	my $output = $node->safe_psql($database, 'BEGIN;' . ($change // '') . ";\n${lists}ROLLBACK;");
	return { map { $_ => 1 } split /\n/, $output };
}

# The lines that are in only one of two lists
sub difference
{
	my ($one, $other) = @_;
	return join("\n", sort((grep { !$other->{$_} } keys %$one), (grep { !$one->{$_} } keys %$other)));
}

my $fresh = objects('postgres');
cmp_ok(scalar(keys %$fresh), '>', 1000, 'objects have properties');
is(scalar(grep { /^table/ } keys %$fresh), 0,
	'no relation but views and composite types, of whose columns extension_objects.sql lists no more than the type');

# The same with other OIDs
$node->safe_psql('postgres', 'CREATE DATABASE second');
$node->safe_psql('second', 'CREATE EXTENSION objectid_ext');
is(difference($fresh, objects('second')), '', 'two fresh installations are the same');

# All versions.  pg_available_extension_versions does not show those of a private
# installation.
my @versions = split /\n/, $node->safe_psql('postgres', q{
	SELECT source FROM pg_extension_update_paths('objectid_ext'), pg_extension
	WHERE extname = 'objectid_ext' AND target = extversion ORDER BY source});
note('versions to upgrade: ' . (join(', ', @versions) || 'none as yet'));
foreach my $version (@versions)
{
	my $database = "from_$version";
	$node->safe_psql('postgres', qq{CREATE DATABASE "$database"});
	my ($ret, $stdout, $stderr) = $node->psql($database,
		join(';', (map { "CREATE EXTENSION $_ VERSION '$version'" } @extensions), (map { "ALTER EXTENSION $_ UPDATE" } @extensions)), on_error_stop => 1);
	is($ret, 0, "$version upgrades") or diag($stderr);
	is(difference($fresh, objects($database)), '', "$version upgraded is as a fresh installation");
}

# pg_upgrade makes each object of an extension anew, by a statement of its own.  A
# newer server then gets what only it accepts.
sub upgrade
{
	my ($old, $install_path, $name) = @_;
	$old->safe_psql('second', q{
		CREATE TABLE item (id serial PRIMARY KEY);
		ALTER TABLE item ALTER id TYPE bigint, ALTER id SET DEFAULT next_snowflake('item_id_seq', 5, 'twitter');
		ALTER SEQUENCE item_id_seq AS bigint;
		CREATE TABLE event (id objectid DEFAULT gen_objectid()) PARTITION BY RANGE (id);
		CREATE TABLE event_20260101 PARTITION OF event FOR VALUES FROM (objectid_floor('2026-01-01Z')) TO (objectid_floor('2026-01-02Z'))});
	my $checksums = $old->safe_psql('postgres', 'SHOW data_checksums');
	$old->stop;
	my $new = PostgreSQL::Test::Cluster->new('upgraded_' . $old->name);
	my $newer_bindir = $new->config_data('--bindir');
	$new->init(extra => [ $checksums eq 'off' && $node->pg_version >= 18 ? '--no-data-checksums' : () ]);
	my $here = getcwd();
	chdir PostgreSQL::Test::Utils::tempdir or die;
	command_ok([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', $install_path // $newer_bindir,
			'-B', $newer_bindir, '-s', $new->host, '-p', $old->port, '-P', $new->port ],
		"$name: pg_upgrade");
	chdir $here or die;
	$new->start;
	# what docs/objectid.md says of a newer server
	if ($new->pg_version >= 18 && $old->pg_version < 18)
	{
		$new->safe_psql('second', q{ALTER OPERATOR FAMILY gist_objectid_ops USING gist ADD FUNCTION 12 ("any", "any") gist_translate_cmptype_common(integer)});
	}
	is(difference($fresh, objects_of($new, 'second')), '', "$name: after pg_upgrade it is as a fresh installation");
	is( $new->safe_psql('second', q{
			INSERT INTO item DEFAULT VALUES RETURNING snowflake_node(id, 'twitter');
			INSERT INTO event VALUES (objectid_floor('2026-01-01 12:00Z')) RETURNING tableoid::regclass}),
		"5\nevent_20260101",
		"$name: and works");
	$new->stop;
}

# From this version to itself, which needs no other server.
# It looks for the library in the server's own directory only.
SKIP:
{
	my $own = $node->config_data('--pkglibdir') . '/objectid_ext.so';
	skip 'the extension is not installed in the directories of the server', 3
	  unless -e $own || $node->safe_psql('postgres', q{SELECT count(*) FROM pg_settings WHERE name = 'extension_destdir'});
	upgrade($node, undef, 'the same server');
	$node->start;
}

# From an older server, which the variable oldinstall names: /usr/lib/postgresql/15,
# say.  Both must have the extension in their own directories.
SKIP:
{
	skip 'no older server is named by the variable "oldinstall"', 1 unless $ENV{oldinstall};
	my $old = PostgreSQL::Test::Cluster->new('old', install_path => $ENV{oldinstall});
	{
		# The settings of a throw-away installation are not the old server's.
		local $ENV{TEMP_CONFIG};
		delete $ENV{TEMP_CONFIG};
		$old->init;
	}
	$old->start;
	$old->safe_psql('postgres', 'CREATE DATABASE second');
	$old->safe_psql('second', 'CREATE EXTENSION objectid_ext');
	upgrade($old, "$ENV{oldinstall}/bin", 'from PostgreSQL ' . $old->pg_version->major);
}

# CREATE OR REPLACE of a function with its definition changed
sub redefined
{
	my ($function, $from, $to) = @_;
	return "SELECT replace(pg_get_functiondef('$function'::regprocedure), '$from', '$to') \\gexec\n";
}
# One change of each kind, and the difference that must be found
my $layout_function = 'snowflake_timestamp(bigint, snowflake_layout)';
my @changes = (
	[ 'a comment', 'COMMENT ON FUNCTION gen_objectid() IS NULL', qr/gen_objectid\(\)\|comment/ ],
	[ 'volatility', 'ALTER FUNCTION gen_objectid() STABLE', qr/gen_objectid\(\)\|provolatile/ ],
	[ 'parallel label', 'ALTER FUNCTION gen_objectid() PARALLEL UNSAFE', qr/gen_objectid\(\)\|proparallel/ ],
	[ 'a setting of a function', 'ALTER FUNCTION gen_objectid() SET work_mem = 64', qr/gen_objectid\(\)\|proconfig/ ],
	[ 'a privilege', 'REVOKE EXECUTE ON FUNCTION gen_objectid() FROM PUBLIC', qr/gen_objectid\(\)\|proacl/ ],
	[ 'an owner', 'CREATE ROLE someone; ALTER FUNCTION gen_objectid() OWNER TO someone', qr/gen_objectid\(\)\|proowner/ ],
	[ 'the name of an argument', "UPDATE pg_proc SET proargnames[1] = 'x' WHERE oid = '$layout_function'::regprocedure",
		qr/snowflake_timestamp.*\|proargnames/ ],
	[ 'a default', redefined('next_shard_id(integer, bigint, snowflake_layout)', q{''instagram''}, q{''twitter''}),
		qr/next_shard_id.*\|proargdefaults/ ],
	[ 'a C symbol', redefined('gen_objectid()', '$function$gen_objectid', '$function$objectid_cmp'),
		qr/gen_objectid\(\)\|prosrc/ ],
	[ 'a support function', q{UPDATE pg_proc SET prosupport = 0 WHERE proname = 'snowflake_within'},
		qr/snowflake_within.*\|prosupport/ ],
	[ 'an estimator', 'ALTER OPERATOR < (objectid, objectid) SET (RESTRICT = eqsel)', qr/operator .*<\(.*\|oprrest/ ],
	[ 'a commutator', q{UPDATE pg_operator SET oprcom = 0 WHERE oid = '<(objectid,objectid)'::regoperator},
		qr/operator .*<\(.*\|oprcom/ ],
	[ 'an operator of a family', q{DELETE FROM pg_amop WHERE amopopr = '<(objectid,objectid)'::regoperator},
		qr/operator 1 \(.*objectid_ops USING btree\|amopopr/ ],
	[ 'a function of a family', q{DELETE FROM pg_amproc WHERE amproc = 'objectid_sortsupport'::regproc},
		qr/function 2 \(.*objectid_ops USING btree\|amproc/ ],
	[ 'a default operator class', q{UPDATE pg_opclass SET opcdefault = false WHERE opcname = 'objectid_ops'},
		qr/operator class .*objectid_ops USING hash\|opcdefault/ ],
	[ 'a cast', q{UPDATE pg_cast SET castcontext = 'i' WHERE castsource = 'text'::regtype AND casttarget = 'objectid'::regtype},
		qr/cast \(.*\|castcontext/ ],
	[ 'an aggregate', q{UPDATE pg_aggregate SET aggsortop = 0 WHERE aggfnoid = 'min(objectid)'::regprocedure},
		qr/aggregate .*min\(.*\|aggsortop/ ],
	[ 'a type', 'ALTER TYPE objectid SET (ANALYZE = NONE)', qr/type .*objectid\|typanalyze/ ],
	[ 'an array type', q{UPDATE pg_type SET typdelim = ';' WHERE typname = '_objectid'}, qr/type .*objectid\[\]\|typdelim/ ],
	[ 'one object less', 'ALTER EXTENSION objectid_ext DROP FUNCTION gen_objectid()', qr/gen_objectid\(\)\|proname/ ],
	[ 'one object more', 'CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN 1; ALTER EXTENSION objectid_ext ADD FUNCTION f()',
		qr/f\(\)\|prosqlbody/ ],
	[ 'the version', q{UPDATE pg_extension SET extversion = '0.9'}, qr/extension objectid_ext\|extversion/ ]);
foreach my $change (@changes)
{
	my ($what, $statement, $seen) = @$change;
	like(difference($fresh, objects('postgres', $statement)), $seen, "a difference is seen: $what");
}

done_testing();
