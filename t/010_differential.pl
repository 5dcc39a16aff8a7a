# Queries made at random, each compared with the same over the decoded time: the
# first that scripts/differential would make of a seed.

use strict;
use warnings FATAL => 'all';

use FindBin;
use IPC::Run;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($seed, $queries) = (1, 1000);
my $dir = "$FindBin::RealBin/../verify/fuzz/differential";
my $node = start_server('main');
$node->safe_psql('postgres', 'CREATE DATABASE differential');
$node->safe_psql('differential', slurp_file("$dir/tables.sql") . slurp_file("$dir/compare.sql"));

my $output = '';
IPC::Run::run([ $^X, "$dir/generate.pl", $node->pg_version->major, $seed, 1, $queries ],
	'|', [ 'psql', '-qX', '-d', $node->connstr('differential') ], '>&', \$output) or die 'the queries were not run';
is($output, '', 'answers as those over the decoded time');

my ($done, $errors, $empty) = split /\|/, $node->safe_psql('differential', 'SELECT sum(queries), sum(errors), sum(empty) FROM counts');
is($done, $queries, 'all queries were compared');
cmp_ok($errors, '<', $queries / 20, 'few are errors in both');
cmp_ok($empty, '<', $queries / 4, 'most find something');
is($node->safe_psql('differential', q{SELECT count(*) FROM plans WHERE node IN ('Index Cond', 'Recheck Cond', 'Append', 'ModifyTable')}),
	4, 'plans with indexes, with partitions, and that change rows');

done_testing();
