# Every SQL statement that README.md and the pages of docs/ show is run, page by
# page, in a database of its own; and what they link to or name is there.

use strict;
use warnings FATAL => 'all';

use File::Basename qw(dirname);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

my $count = 0;
foreach my $page (glob('*.md'), glob('docs/*.md'))
{
	my $text = slurp_file($page);
	my @files = map { dirname($page) . "/$_" } $text =~ /\]\(([^):#\s]+)/g;
	push @files, $text =~ m{(?<![\w./-])((?:bench|docs|examples|extension|scripts|specs|sql|t)/\w[\w./-]*\w)}g;
	is(join(' ', grep { !-e } @files), '', "$page names files that exist");

	my @blocks = $text =~ /^```sql\n(.*?)^```$/gms;
	next unless @blocks;

	my $sql = join('', @blocks);
	my $database = 'page' . ++$count;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$sql = "CREATE EXTENSION objectid_ext;\n$sql" unless $sql =~ /CREATE EXTENSION objectid_ext/;

	my ($ret, $stdout, $stderr) = $node->psql($database, $sql, on_error_stop => 1);
	is($ret, 0, "$page runs") or diag($stderr);
	is($stderr, '', "$page runs without a warning");
}
ok($count >= 3, 'there are pages');

done_testing();
