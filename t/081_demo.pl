# scripts/demo with its sample, with valid and invalid files, and with --keep.

use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Test::More;

# The demo builds the extension each time: do so quickly.
$ENV{COPT} = '-O0';

my $demo = abs_path(dirname(__FILE__) . '/../scripts/demo');
my $import = abs_path(dirname(__FILE__) . '/../examples/mongodb_import.sql');
my $dir = tempdir(CLEANUP => 1);

# Elsewhere the demo needs root, to install into the real directories.
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
chomp(my $bindir = `$pg_config --bindir`);
plan skip_all => 'this server has no setting for a private installation'
  unless `$bindir/postgres --describe-config` =~ /^extension_(destdir|control_path)\t/m;

# Exit status and output of a run.
sub demo
{
	my $output = qx{'$demo' 2>&1 </dev/null @_};
	return ($? >> 8, $output);
}

# A run must end with this status and print these.
sub demo_is
{
	my ($args, $status, @expected) = @_;
	my ($got, $output) = demo($args);
	is($got, $status, "status of demo $args") or diag($output);
	like($output, $_, "output of demo $args") for @expected;
	return $output;
}

# A machine that has such clusters, as Debian's command lists them
sub has_clusters
{
	my ($clusters) = @_;
	mkdir "$dir/clusters";
	file('clusters/pg_lsclusters', "#!/bin/sh\nprintf '%s' '$clusters'\n");
	chmod 0755, "$dir/clusters/pg_lsclusters" or die $!;
}
local $ENV{PATH} = "$dir/clusters:$ENV{PATH}";

sub file
{
	my ($name, $content) = @_;
	open(my $f, '>:raw', "$dir/$name") or die $!;
	print $f $content;
	close($f);
	return "'$dir/$name'";
}

my $one = '{"_id":{"$oid":"65c0a6899c41e07bd23fa910"},"a":"\\"\\\\ \\\\."}';
my $two = '{"_id":{"$oid":"ffffffff9c41e07bd23fa911"},"a":"é"}';

has_clusters('');
demo_is('', 0,
	qr/^ +25 \| +0$/m,
	qr/^ opened +\| timestamptz +\| +25 \| +0 \| *$/m,
	qr/^ 2025-03 \| +6$/m,
	qr/^ \d+ \| harbour +\|.*\| +5 \| +1$/m,
	qr/^ +100000 \|/m,
	qr/Index (Only )?Scan using events_pkey/,
	qr/^ 2012-10-17 21:13:27\+00 \| \\xbcf86cd799 \|/m,
	qr/^ replies +\| MAXVALUE 2147483647/m,
	qr/^ partitions *\n-+\n +3$/m,
	qr/^ \d{19} \| first *\n \d{19} \| second *$/m,
	qr/^ more *\n-+\n +0$/m,
	qr/^    pg_createcluster -e UTF8 \d+ main --start\n\n== What to read next\n(\S+\.md .*\n)+\z/m);

demo_is(file('empty', "\n \n"), 1, qr/empty is empty/);
demo_is("$dir/none", 1, qr/does not exist/);
demo_is($dir, 1, qr/cannot be read/);
demo_is('--nothing', 2, qr/^Usage:/m);
demo_is($_, 0, qr/^Usage:/m) foreach '--help', '-h';
demo_is('-', 1, qr/standard input is empty/);

# Without gcc, and without a way to install it: all commands but that and sudo,
# and a package manager that has installed nothing.
SKIP:
{
	skip 'root could install what is missing', 2 if $> == 0;
	mkdir "$dir/bin" or die $!;
	foreach my $command (map { glob "$_/*" } qw(/usr/local/bin /usr/bin /bin))
	{
		my ($name) = $command =~ m{([^/]*)$};
		symlink $command, "$dir/bin/$name" unless $name =~ /^(?:gcc|sudo|apt-get|dpkg-query)$/;
	}
	foreach my $command ('apt-get', 'dpkg-query')
	{
		file("bin/$command", "#!/bin/sh\n");
		chmod 0755, "$dir/bin/$command" or die $!;
	}
	local $ENV{PATH} = "$dir/bin";
	demo_is('', 1, qr/only root can install them:\s+apt-get install postgresql-\d+ postgresql-server-dev-\d+ make gcc\b/);
}

# As told: connect, then stop and remove.
my $documents = file('documents', "\xEF\xBB\xBF$one\r\n$two\n\r\n\n");
has_clusters("15 main 5432 online postgres /data /log\n");
my $kept = demo_is("--keep - <$documents", 0,
	qr/^== 1\. A MongoDB export: standard input$/m,
	qr/^ +2 \| +0$/m,
	qr/\Q{"a": "\"\\ \\."}\E/,
	qr/stays up/);
unlike($kept, qr/pg_createcluster/, 'there is a cluster');
my ($connect) = $kept =~ /^ +(.*psql .*)$/m;
my ($remove) = $kept =~ /^ +(.*pg_ctl .*)$/m;
my ($work) = $kept =~ m{-h (/\S+)};
is(qx{$connect -XAtc 'SELECT count(*) FROM orders'}, "4\n", 'connects as told');

# Other files, without a server for each
sub import_is
{
	my ($name, $content, @expected) = @_;
	my $from = file($name, $content);
	my $output = qx{$connect -Xq -c 'DROP TABLE IF EXISTS mongodb_line, mongodb_document, imported' -v ON_ERROR_STOP=1 -f '$import' 2>&1 <$from};
	like($output, $_, "import of $name") for @expected;
}
{
	local $ENV{PGCLIENTENCODING} = 'LATIN1';        # of the client, not of the file
	import_is('array', "[$one,\n$two]\n", qr/^ +2 \| +0\n.*"a": "\xE9"/ms);
}
import_is('pretty', "$one\n{\n  \"_id\": {\n    \"\$oid\": \"65c0a6899c41e07bd23fa911\"\n  }\n}\n", qr/^ +2 \| +0$/m);
import_is('damaged', "$one\n{\"a\": NaN}\n$two\n", qr/^ +2 \| +1$/m, qr/^ +2 \| .*NaN/m);
import_is('ids of several types', qq($one\n{"_id":5}\n), qr/^ _id +\| jsonb .*\| mixed: int 1, objectid 1/m);
import_is('missing', qq($one\n\n{"id":5}\n), qr/no primary key: documents without _id 1/);
import_is('twice', "$one\n$two\n$one\n", qr/no primary key: values in several documents 1/);
import_is('no JSON', "a,b\n1,2\n", qr/^ +0 \| +2$/m, qr/there are no documents in table/);
import_is('utf-16', join("\0", split(//, "\xFF\xFE$one\n")), qr/invalid byte sequence for encoding "UTF8"/);

my $stopped = qx{$remove};
is($?, 0, 'stops as told') or diag($stopped);
ok(!-e $work, 'nothing is left');

done_testing();
