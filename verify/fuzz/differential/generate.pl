#!/usr/bin/perl
# Queries for scripts/differential: each with a predicate on the time in an id,
# and once more with that predicate written as a comparison of the decoded time.
#
#	fuzz/differential/generate.pl VERSION SEED FIRST LAST [STEP] | psql
#
# VERSION is the server's major version.  A query depends on SEED and its number
# alone; those of number FIRST, FIRST + STEP and so on to LAST are printed.

use strict;
use warnings FATAL => 'all';

use Digest::MD5 qw(md5);
use FindBin;
use lib $FindBin::Bin;
use Terms;
use Shapes qw(any_shape as_statement);
use Special qw(any_special);

my ($version, $seed, $first, $last, $step) = (@ARGV, 1);

my @scans = map { join(';', map { "SET LOCAL enable_$_ = off" } @$_) } [], ['seqscan'], [ 'seqscan', 'bitmapscan' ],
  [ 'seqscan', 'indexscan', 'indexonlyscan' ], [ 'indexscan', 'indexonlyscan', 'bitmapscan' ], [ 'seqscan', 'indexonlyscan', 'sort' ];
my @joins = map { join(';', map { "SET LOCAL enable_$_ = off" } @$_) } [], [ 'nestloop', 'hashjoin' ], [ 'mergejoin', 'hashjoin' ],
  [ 'nestloop', 'mergejoin' ], ['memoize'], ['material'];
my @others = ((map { "SET LOCAL enable_$_ = off" } qw(sort hashagg incremental_sort partition_pruning tidscan gathermerge parallel_append)),
	(map { "SET LOCAL $_" } 'constraint_exclusion = on', 'constraint_exclusion = off', 'enable_partitionwise_join = on', 'enable_partitionwise_aggregate = on',
		'from_collapse_limit = 1', 'join_collapse_limit = 1', 'random_page_cost = 0.1', 'cpu_operator_cost = 1', 'work_mem = 64', 'geqo_threshold = 2',
		'default_statistics_target = 1', "cursor_tuple_fraction = 0.01"));
push @others, 'SET LOCAL enable_presorted_aggregate = off' if $version >= 16;
push @others, 'SET LOCAL enable_group_by_reordering = off' if $version >= 17;
push @others, map { "SET LOCAL enable_$_ = off" } qw(self_join_elimination distinct_reordering) if $version >= 18;
my @parallel = map { "SET LOCAL $_" } 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0',
  'min_parallel_index_scan_size = 0', 'max_parallel_workers_per_gather = 2', 'parallel_leader_participation = off';

# The settings of one plan
sub settings
{
	my @settings = ('SET LOCAL jit = off', one_of(@scans), one_of(@joins), map { one_of(@others) } 1 .. number(3));
	push @settings, @parallel if chance(0.03);
	return join(';', grep { $_ ne '' } @settings);
}

sub quoted { return "'" . $_[0] =~ s/'/''/gr . "'"; }
sub array_of { return 'ARRAY[' . join(', ', map { quoted($_) } @_) . ']::text[]'; }

# A prepared statement in place of each query, which may run some times before
sub prepared
{
	my ($parameters, $query, $before, $changes) = @_;
	my $types = @$parameters ? '(' . join(', ', map { $_->[0] } @$parameters) . ')' : '';
	my $execute = 'EXECUTE q' . (@$parameters ? '(' . join(', ', map { $_->[1] } @$parameters) . ')' : '');
	my @again = ($execute) x ($changes || chance(0.9) ? 0 : 6);
	my $mode = 'SET LOCAL plan_cache_mode = ' . one_of('force_generic_plan', 'force_generic_plan', 'force_custom_plan', 'auto');
	my $prepare = both(sub { [ 'DEALLOCATE ALL', @{ $_[0] }, $mode, "PREPARE q $types AS $_[1]", @again ] }, $before, $query);
	return ([ $execute, $execute ], $prepare);
}

# Its kind, the pair of queries, and the pair of lists of statements before them
sub plain_query
{
	return any_special() if chance(0.25);
	return any_shape() if chance(0.95);
	my ($statements, $show) = as_statement();
	return ('MERGE, moved rows', [ $show, $show ], both(sub { [ $_[0] ] }, $statements));
}

sub prepared_query
{
	my @parameters;
	my ($kind, $query, $before) = chance(0.9)
	  ? with_scope({ version => $version, parameters => \@parameters }, \&any_shape)
	  : with_scope({ version => $version }, \&any_special);
	return ($kind, $query, $before) if "@$query" =~ /^FETCH/;
	return ("$kind", prepared(\@parameters, $query, $before // [ [], [] ], "@$query" =~ /UPDATE|DELETE|INSERT/));
}

# As a user whom the policies concern, after what only an owner may do
sub restricted
{
	my @before = @_;
	my @definitions;
	push @definitions, shift @before while @before && $before[0] =~ /^(DEALLOCATE|CREATE|ALTER|ANALYZE|INSERT)/;
	return [ @definitions, 'SET LOCAL ROLE regress_differential', @before ];
}

sub compare
{
	my ($number) = @_;
	my ($kind, $query, $before) = chance(0.35) ? prepared_query() : with_scope({ version => $version }, \&plain_query);
	$before //= [ [], [] ];
	$before = both(sub { restricted(@{ $_[0] }) }, $before) if "@$query @{ $before->[0] }" =~ /\bev_rls\b/;
	printf "CALL compare(%d, %s, %s, %s, %s, %s);\n", $number, quoted($kind), array_of(@$query), array_of(@{ $before->[0] }), array_of(@{ $before->[1] }),
	  join(', ', map { quoted(settings()) } 1, 2);
}

print "\\set VERBOSITY terse\n\\set SHOW_CONTEXT never\nSET client_min_messages = warning;\nSET statement_timeout = '20s';\nSET timezone = 'UTC';\nSET jit = off;\nSET synchronous_commit = off;\n";
for (my $i = $first; $i <= $last; $i += $step)
{
	srand(unpack('L', md5("$seed/$i")));
	compare($i);
}
