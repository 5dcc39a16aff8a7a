# Every SQL statement that README.md and the pages of docs/ show is run, page by
# page, in a database of its own.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->start;

my $count = 0;
foreach my $page ('README.md', glob('docs/*.md'))
{
	my @blocks = slurp_file($page) =~ /^```sql\n(.*?)^```$/gms;
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
