# The version after this one, before there is one: made as CONTRIBUTING.md says, with a function
# more in each extension, a preset more, and another struct in shared memory.  What 1.0 has
# stored is read as before, and libraries of both versions in one server do no harm.

use strict;
use warnings FATAL => 'all';

use Cwd qw(getcwd);
use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

chomp(my $pg_config = `which pg_config`);
my $dir = PostgreSQL::Test::Utils::tempdir('next');
$dir = getcwd() . "/$dir" unless $dir =~ m{^/};
my $tree = "$dir/tree";

# How a server finds what is installed below a folder
my $settings = `postgres --describe-config`;
my ($setting) = $settings =~ /^(extension_destdir|extension_control_path)\t/m
  or plan skip_all => 'this server finds extensions only in its own directory';
chomp(my ($libraries, $share) = map { `$pg_config $_` } '--pkglibdir', '--sharedir');
sub installed_in
{
	my ($root) = @_;
	my $path = $setting eq 'extension_destdir' ? "$dir/$root" : "$dir/$root$share:\$system";
	return "$setting = '$path'\ndynamic_library_path = '$dir/$root$libraries:\$libdir'\n";
}

# Change a file of the new version's tree.
sub change
{
	my ($file, $change) = @_;
	my $text = my $before = -e "$tree/$file" ? slurp_file("$tree/$file") : '';
	local $_ = $text;
	$change->();
	die "$file is not changed" if $_ eq $before;
	unlink "$tree/$file";
	append_to_file("$tree/$file", $_);
}

# Install the tree of now, as a package does: new files under the old names.
sub install
{
	my $made = `make -s -C $tree install DESTDIR=$dir/root PG_CONFIG=$pg_config 2>&1`;
	return is($?, 0, $_[0]) || BAIL_OUT($made);
}

delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
system_or_bail('sh', '-c', "mkdir $tree && tar --exclude=./tmp_check --exclude=./.git --exclude='*.o' -cf - . | tar -C $tree -xf -");
install('this version is built');
system_or_bail('cp', '-a', "$dir/root", "$dir/previous");

change('META.json', sub { my $n = 3; s/("version": ")1\.0\.0/$n-- > 0 ? "${1}1.1.0" : $&/ge; s/--1\.0\.sql/--1.1.sql/ });
foreach my $file (grep { -e "$tree/$_" } qw(src/server_versions.h CHANGELOG.md debian/changelog rpm/objectid_ext.spec
	docs/packages.md examples/cloudnativepg.yaml))
{
	change($file, sub { s/1\.0\.0/1.1.0/g });
}
change($_, sub { s/'1\.0'/'1.1'/ }) foreach 'objectid_ext.control', 'tools/objectid_ext_tools.control';
change('Makefile.win', sub { s/^VERSION = 1\.0$/VERSION = 1.1/m });
change('.gitignore', sub { s/tools--1\.0/tools--1.1/ }) if -e "$tree/.gitignore";
my $zero = "CREATE FUNCTION objectid_zero() RETURNS objectid LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME';\n";
my $tools_zero = "CREATE FUNCTION objectid_ext_tools.zero() RETURNS objectid RETURN objectid_zero();\n";
change('extension/objectid_ext--1.1.sql', sub { $_ = slurp_file("$tree/extension/objectid_ext--1.0.sql") =~ s/--1\.0/--1.1/r . $zero });
change('extension/objectid_ext--1.0--1.1.sql', sub { $_ = "/* extension/objectid_ext--1.0--1.1.sql */\n$zero" });
change('tools/schema.sql', sub { $_ .= $tools_zero });
change('tools/objectid_ext_tools--1.0--1.1.sql', sub { $_ = $tools_zero });
change('objectid_ext.c', sub { $_ .= "\nPG_FUNCTION_INFO_V1(objectid_zero);\nDatum\nobjectid_zero(PG_FUNCTION_ARGS)\n{\n\tPG_RETURN_POINTER(palloc0(sizeof(objectid)));\n}\n" });
change('src/snowflake_layout.c', sub { s/(\t\{"js53", [^}]*\})/$1,\n\t{"next", "time:41,node:12,seq:10;tick=1ms;epoch=2026-01-01T00:00:00Z"}/ });
change('src/shared_memory.h', sub { s/(\tint\t+tranche;.*)/$1\n\tuint64\t\tof_next;/ });
change('src/shared_memory.c', sub { s/(#define SHARED_MEMORY_MAGIC\s+0x)\w+/${1}6F6E6578/ });

SKIP:
{
	skip 'git is not installed (package git)', 1 if system('git --version >/dev/null 2>&1');
	my $includes = join ' ', map { "-I$_" } grep { -d } @INC;
	my $checked = `cd $tree && $^X $includes t/093_release.pl 2>&1`;
	is($?, 0, 'the next version is a consistent release') or diag($checked);
}

# What 1.0 stores, and answers that it must give for ever
my $tables = q{
	CREATE TABLE event (id objectid, layout snowflake_layout, masked bigint, opaque bigint) PARTITION BY HASH (id);
	CREATE TABLE event_0 PARTITION OF event FOR VALUES WITH (MODULUS 3, REMAINDER 0);
	CREATE TABLE event_1 PARTITION OF event FOR VALUES WITH (MODULUS 3, REMAINDER 1);
	CREATE TABLE event_2 PARTITION OF event FOR VALUES WITH (MODULUS 3, REMAINDER 2);
	CREATE TABLE layout (layout snowflake_layout) PARTITION BY HASH (layout);
	CREATE TABLE layout_0 PARTITION OF layout FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE layout_1 PARTITION OF layout FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	CREATE SEQUENCE photo_id CACHE 16;
	CREATE SEQUENCE number;
	CREATE TABLE photo (id bigint PRIMARY KEY DEFAULT next_snowflake('photo_id', 5, 'twitter'),
		shard_id bigint DEFAULT next_shard_id(5, nextval('number')));
};
my $fill = q{
	INSERT INTO event SELECT left(md5(i::text), 24)::objectid, layout::snowflake_layout,
		mask_snowflake(i * 1234567890123, '\x000102030405060708090a0b0c0d0e0f'), permute_digits(i, 9, 42)
	FROM generate_series(1, 500) AS i, LATERAL (SELECT (ARRAY['instagram', 'twitter', 'discord', 'sonyflake', 'mastodon', 'pgedge', 'js53',
		'time:41,node:10,seq:12;tick=1ms;epoch=2020-01-01T00:00:00Z'])[1 + i % 8] AS layout) AS l;
	INSERT INTO layout SELECT DISTINCT layout FROM event;
};
my $answers = q{
	SELECT md5(string_agg(concat_ws(',', tableoid::regclass, id, layout, masked, opaque, objectid_hash_extended(id, 7)), ' ' ORDER BY id)) FROM event;
	SELECT string_agg(tableoid::regclass || ' ' || snowflake_layout_hash(layout), ', ' ORDER BY layout::text) FROM layout};
my $forever = '36b4464ce492c758146d85b86b254a56
layout_0 -768628097, layout_0 -994216132, layout_0 725799767, layout_0 501763316, layout_0 -1860388114, layout_1 -936147526, layout_1 -885454903, layout_0 1030389368';
my $node = start_server('main', allows_streaming => 'logical', conf => installed_in('root'));
$node->safe_psql('postgres', "CREATE EXTENSION objectid_ext_tools; $tables $fill");
is($node->safe_psql('postgres', $answers), $forever, 'hashes, partitions, masks and layouts are those of all versions');

# A subscriber that keeps 1.0, and a standby that is one version behind
my $subscriber = start_server('subscriber', conf => installed_in('previous'));
$subscriber->safe_psql('postgres', q{CREATE TABLE event (id objectid, layout snowflake_layout, masked bigint, opaque bigint)});
$node->safe_psql('postgres', q{CREATE PUBLICATION p FOR TABLE event WITH (publish_via_partition_root = true)});
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->append_conf('postgresql.conf', installed_in('previous'));
$standby->start;

# Sessions that have the old library, while the server gets the new one
my $session = $node->background_psql('postgres', on_error_stop => 0);
my $ids = q{SELECT next_snowflake('photo_id', 5, 'twitter'), next_shard_id(5, nextval('number'))};
my @before = split /\|/, $session->query_safe($ids);
install('the next version is built');
$node->safe_psql('postgres', 'ALTER EXTENSION objectid_ext UPDATE; ALTER EXTENSION objectid_ext_tools UPDATE');
is($node->safe_psql('postgres', q{SELECT objectid_zero(), objectid_ext_tools.zero(), snowflake_node(7 << 10, 'next')}),
	'000000000000000000000000|000000000000000000000000|7', 'a new session has what is new');
is($node->safe_psql('postgres', $answers), $forever, 'and reads what is stored');
foreach my $call (q{next_snowflake('photo_id', 5, 'twitter')}, q{next_shard_id(5, 1)})
{
	my ($status, $out, $err) = $node->psql('postgres', "SELECT $call");
	# the second is core's, where the size differs, from PostgreSQL 17 on
	like($err, qr/was created by another version of objectid_ext\nHINT:  Restart the server\.|requested DSM segment size does not match/,
		"it refuses $call until the server restarts");
}
my @meanwhile = split /\|/, $session->query_safe($ids);
ok($meanwhile[0] > $before[0] && $meanwhile[1] > $before[1], 'an old session goes on');
$session->query('SELECT objectid_zero()');
like($session->{stderr}, qr/could not find function "objectid_zero"/, 'without what is new');
$session->quit;
$node->restart;
my @after = split /\|/, $node->safe_psql('postgres', $ids);
ok($after[0] > $meanwhile[0] && $after[1] > $meanwhile[1], 'after the restart ids are above the earlier ones');
my $bound = $node->safe_psql('postgres', q{CALL settled_snowflake('photo_id', NULL)});
cmp_ok($bound, '>', $after[0], 'and so is the bound');

# The upgraded database is as one that began with the next version.
my $list = slurp_file("$FindBin::RealBin/lib/extension_objects.sql");
$node->safe_psql('postgres', 'CREATE DATABASE fresh');
$node->safe_psql('fresh', 'CREATE EXTENSION objectid_ext; CREATE EXTENSION objectid_ext_tools');
foreach my $extension ('objectid_ext', 'objectid_ext_tools')
{
	my ($upgraded, $fresh) = map { $node->safe_psql($_, "\\set extension $extension\n$list") } 'postgres', 'fresh';
	is($upgraded, $fresh, "$extension is upgraded to what a fresh installation has");
}

# The old version beside the new one
$node->wait_for_catchup($standby, 'replay', $node->lsn('write'));
is($standby->safe_psql('postgres', $answers), $forever, 'a standby with the old library reads what the new one wrote');
$subscriber->safe_psql('postgres', q{CREATE SUBSCRIPTION s CONNECTION '} . $node->connstr . q{ dbname=postgres' PUBLICATION p WITH (binary)});
$subscriber->wait_for_subscription_sync($node, 's');
$node->safe_psql('postgres', $fill =~ s/INSERT INTO layout.*//sr);
$node->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', 'SELECT count(*), count(DISTINCT id), count(DISTINCT layout::text) FROM event'), '1000|500|8',
	'a subscriber with the old version takes them');
$standby->promote;
my @promoted = split /\|/, $standby->safe_psql('postgres', $ids);
ok($promoted[0] > $after[0] && $promoted[1] > $after[1], 'and, promoted, goes on above the ids of the new one');
$_->stop foreach $standby, $subscriber, $node;

# pg_upgrade from an older server with this version, which both must have in their own
# directories, and then the next version
SKIP:
{
	skip 'no older server is named by the variable "oldinstall"', 3 unless $ENV{oldinstall};
	delete local $ENV{TEMP_CONFIG};
	my $older = PostgreSQL::Test::Cluster->new('older', install_path => $ENV{oldinstall});
	$older->init;
	$older->start;
	$older->safe_psql('postgres', "CREATE EXTENSION objectid_ext; $tables $fill");
	my @before = split /\|/, $older->safe_psql('postgres', $ids);
	my $checksums = $older->safe_psql('postgres', 'SHOW data_checksums');
	$older->stop;
	my $upgraded = PostgreSQL::Test::Cluster->new('upgraded');
	$upgraded->init(extra => [ $checksums eq 'off' && $upgraded->pg_version >= 18 ? '--no-data-checksums' : () ]);
	chomp(my $bindir = `$pg_config --bindir`);
	my $here = getcwd();
	chdir $dir or die;
	command_ok([ 'pg_upgrade', '--no-sync', '-d', $older->data_dir, '-D', $upgraded->data_dir, '-b', "$ENV{oldinstall}/bin",
			'-B', $bindir, '-s', $upgraded->host, '-p', $older->port, '-P', $upgraded->port ], 'pg_upgrade');
	chdir $here or die;
	$upgraded->append_conf('postgresql.conf', installed_in('root'));
	$upgraded->start;
	$upgraded->safe_psql('postgres', 'ALTER EXTENSION objectid_ext UPDATE');
	is($upgraded->safe_psql('postgres', "SELECT objectid_zero(); $answers"), "000000000000000000000000\n$forever",
		'what an older server stored with this version is read with the next');
	my @after = split /\|/, $upgraded->safe_psql('postgres', $ids);
	ok($after[0] > $before[0] && $after[1] > $before[1], 'and ids go on');
	$upgraded->stop;
}

done_testing();
