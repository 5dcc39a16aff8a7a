# Packages: the extension image holds both extensions and nothing else, and a server
# from PostgreSQL 18 on runs them from it, as CloudNativePG mounts it.  The RPM holds
# the same files.
#
# skopeo, if installed, reads the image; rpmbuild, from the package rpm, the spec.
# With PG_TEST_EXTRA=long the RPM is built.

use strict;
use warnings FATAL => 'all';

use Digest::SHA qw(sha256_hex);
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = PostgreSQL::Test::Utils::tempdir('packages');
chomp(my $pg_config = `which pg_config`);
my $version = decode_json(slurp_file('META.json'))->{version};
my @extensions = map { m{([^/]+)\.control$} } my @controls = glob('*.control tools/*.control');
my @files = sort 'objectid_ext_tools--1.0.sql', map { m{([^/]+)$} } glob('extension/objectid_ext--*.sql'), @controls;

sub installed { return system("$_[0] --version >/dev/null 2>&1") == 0 }

# A copy of the tree, for what is built is built in it
system_or_bail('sh', '-c', "mkdir $dir/tree && tar --exclude=./tmp_check --exclude=./.git -cf - . | tar -C $dir/tree -xf -");
my $made = `make -s -C $dir/tree image PG_CONFIG=$pg_config 2>&1`;
is($?, 0, 'make image') or diag($made);
my ($archive) = glob("$dir/tree/objectid_ext-$version-pg*.oci.tar") or BAIL_OUT("no image: $made");

# Each blob is what its name says, and the manifest leads to one layer.
mkdir "$dir/$_" foreach qw(layout root);
system_or_bail('tar', '-C', "$dir/layout", '-xf', $archive);
my %blobs = map { m{/([0-9a-f]+)$} ? ($1 => slurp_file($_)) : () } glob("$dir/layout/blobs/sha256/*");
is(join(' ', grep { sha256_hex($blobs{$_}) ne $_ } sort keys %blobs), '', 'the blobs have the digests that name them');

sub blob { return $blobs{ $_[0]{digest} =~ s/^sha256://r } }
my $index = decode_json(slurp_file("$dir/layout/index.json"));
my $manifest = decode_json(blob($index->{manifests}[0]));
my $config = decode_json(blob($manifest->{config}));
is(join(' ', map { $_->{digest} } @{ $manifest->{layers} }), "@{ $config->{rootfs}{diff_ids} }", 'the image has one layer');
like($index->{manifests}[0]{annotations}{'org.opencontainers.image.ref.name'}, qr/^objectid_ext:\d+-\Q$version\E-\w+$/, 'and a name');
is(join('|', @{ $config->{config}{Labels} }{ map { "org.opencontainers.image.$_" } qw(authors title version) }),
	"The objectid_ext developers|objectid_ext|$version", 'and labels');
append_to_file("$dir/layer.tar", blob($manifest->{layers}[0]));
is(join(' ', sort grep { !/\/$/ } split /\n/, `tar -tf $dir/layer.tar`),
	join(' ', sort './lib/objectid_ext.so', './licenses/objectid_ext/LICENSE', map { "./share/extension/$_" } @files),
	'in it are both extensions');
SKIP:
{
	skip 'skopeo is not installed (package skopeo)', 1 unless installed('skopeo');
	my $inspected = `HOME=$dir skopeo inspect oci-archive:$archive 2>&1`;
	like($inspected, qr/"Layers": \[\s*"\Q$manifest->{layers}[0]{digest}\E"/, 'skopeo reads it');
}
system_or_bail('sh', '-c', "cp -R $dir/tree $dir/another && umask 077 && make -s -C $dir/another clean image PG_CONFIG=$pg_config");
my ($again) = glob("$dir/another/*.oci.tar");
ok(slurp_file($archive) eq slurp_file($again), 'in another folder, with another umask, the same image is made');

# The server finds them by the settings that CloudNativePG makes.
SKIP:
{
	my $node = PostgreSQL::Test::Cluster->new('image');
	skip 'needs PostgreSQL 18: extension_control_path', 3 if $node->pg_version < 18;
	system_or_bail('tar', '-C', "$dir/root", '-xf', "$dir/layer.tar");
	my $root = "$dir/root" =~ m{^/} ? "$dir/root" : `pwd` =~ s/\n//r . "/$dir/root";
	$node->init;
	$node->append_conf('postgresql.conf', qq{
		extension_control_path = '\$system:$root/share'
		dynamic_library_path = '\$libdir:$root/lib'});
	$node->start;
	my ($status, $out, $err) = $node->psql('postgres', qq{
		CREATE EXTENSION objectid_ext;
		CREATE EXTENSION objectid_ext_tools;
		SELECT objectid_timestamp('507f1f77bcf86cd799439011') AT TIME ZONE 'UTC', snowflake_node(7 << 12, 'twitter')});
	is($out, '2012-10-17 21:13:27|7', 'a server runs the extensions from the image') or diag($err);
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe(q{SELECT pg_backend_pid() FROM gen_objectid()});
	my $maps = -r "/proc/$pid/maps" ? slurp_file("/proc/$pid/maps") : '';
	my $elsewhere = -e `$pg_config --pkglibdir` =~ s/\n//r . '/objectid_ext.so';
	$session->quit;
	SKIP:
	{
		skip 'another copy is installed', 1 if $elsewhere;
		like($maps, qr{\Q$root\E/lib/objectid_ext\.so}, 'with the library of the image');
	}
	is($node->safe_psql('postgres', q{SELECT string_agg(extname || ' ' || extversion, ', ' ORDER BY extname) FROM pg_extension WHERE extname ~ '^objectid'}),
		join(', ', map { $_ . ' ' . $version =~ s/\.\d+$//r } @extensions), 'both are of the version');
	$node->stop;
}

# The RPM, with this server's pg_config
my @define = map { ('--define', $_) } "_topdir $dir/rpm", 'pgmajorversion 99', "pg_config $pg_config";
SKIP:
{
	skip 'rpmbuild is not installed (on Debian rpm)', 1 unless installed('rpmspec');
	my $file = 'rpm/objectid_ext.spec';
	my $parsed = '';
	IPC::Run::run([ 'rpmspec', '-q', @define, '--qf', '%{name} %{version}', $file ], '>', \$parsed);
	is($parsed, "objectid_ext_99 $version", 'rpmspec reads the spec');
}
SKIP:
{
	skip 'runs with --long', 2 unless ($ENV{PG_TEST_EXTRA} // '') =~ /\blong\b/;
	skip 'rpmbuild, unzip or git is not installed (on Debian rpm, unzip, git)', 2 if grep { system("which $_ >/dev/null 2>&1") != 0 } qw(rpmbuild unzip git);
	system_or_bail('sh', '-c', "mkdir -p $dir/rpm/SOURCES && make -s -C $dir/tree clean && cd $dir/tree && git init -q . && git add --all && " .
		"git archive --format=zip --prefix=objectid_ext-$version/ -o ../rpm/SOURCES/objectid_ext-$version.zip \$(git write-tree)");
	my $built = `rpmbuild -bb --nodeps --define '_topdir $dir/rpm' --define 'pgmajorversion 99' --define 'pg_config $pg_config' rpm/objectid_ext.spec 2>&1`;
	my ($rpm) = glob("$dir/rpm/RPMS/*/*.rpm");
	ok($rpm, 'rpmbuild') or diag($built);
	my @packaged = map { m{/(?:extension|lib)/([^/]+\.(?:so|sql|control))$} ? $1 : () } split /\n/, `rpm -qpl $rpm`;
	is(join(' ', sort @packaged), join(' ', sort 'objectid_ext.so', @files), 'it has both extensions');
}

done_testing();
