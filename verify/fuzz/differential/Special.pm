package Special;

# Predicates in what is defined before a query of scripts/differential: constraints,
# indexes, columns, policies, views, functions, cursors; and sub-selects that give
# another value each time, which must run once.  Each function returns its kind, a
# pair of queries, and a pair of lists of statements to run before.

use strict;
use warnings FATAL => 'all';

use Exporter qw(import);
our @EXPORT_OK = qw(any_special);

use FindBin;
use lib $FindBin::Bin;
use Terms;
use Shapes qw(any_shape any_table $rows_of_e);

sub alone
{
	return with_scope({ %{ scope() }, self => 'e' }, \&condition);
}

# An immutable condition on a table whose columns have no alias before them
sub immutable_condition
{
	my $pair = with_scope({ %{ scope() }, self => 'template', immutable => 1 }, \&condition);
	return both(sub { $_[0] =~ s/\btemplate\.//gr }, $pair);
}

# A query of the table with the conditions that were defined, or with others
sub query_with
{
	my ($table, $defined) = @_;
	my $word = one_of('AND', 'AND', 'OR', 'AND NOT');
	my $c = chance(0.6) ? both(sub { "($_[0]) $word ($_[1])" }, $defined, alone()) : alone();
	return both(sub { "SELECT $rows_of_e FROM $table e WHERE $_[0]" }, $c);
}

# A constraint that the rows satisfy may exclude the table.
sub constraint
{
	my $p = immutable_condition();
	my $before = both(sub { [ "CREATE TABLE checked AS SELECT * FROM template WHERE ($p->[1]) IS NOT FALSE", "ALTER TABLE checked ADD CHECK ($_[0])",
				'SET LOCAL constraint_exclusion = on' ] }, $p);
	return ('CHECK', query_with('checked', $p), $before);
}

# Which rows does a constraint refuse, and a view with CHECK OPTION?
sub refused
{
	my $p = immutable_condition();
	my $kind = one_of('CHECK', 'WITH CHECK OPTION');
	my $n = number(100);
	my $make = $kind eq 'CHECK'
	  ? sub { [ 'CREATE TABLE refusing (LIKE template)', "ALTER TABLE refusing ADD CHECK ($_[0])" ] }
	  : sub { [ 'CREATE TABLE accepting (LIKE template)', "CREATE VIEW refusing AS SELECT * FROM accepting WHERE $_[0] WITH CHECK OPTION" ] };
	return ($kind, both(sub { "WITH e AS (INSERT INTO refusing SELECT * FROM template WHERE n BETWEEN $n AND $n + 1 RETURNING n) SELECT $rows_of_e FROM e" }, $p, $p),
		both($make, $p));
}

sub partial_index
{
	my $p = immutable_condition();
	my $index = one_of('ev_plain (id)', 'ev_plain (n)', 'ev_plain (flake)', 'ev_plain USING gist (r)', 'ev_plain USING brin (id)', 'ev_btree (uid)');
	my $table = $index =~ /btree/ ? 'ev_btree' : 'ev_plain';
	return ('partial index', query_with($table, $p), both(sub { [ "CREATE INDEX ON $index WHERE $_[0]", 'SET LOCAL enable_seqscan = off' ] }, $p));
}

sub expression_index
{
	my $p = immutable_condition();
	my $columns = one_of('((%s))', '((%s), id)', '(id, (%s))', '(n) INCLUDE (id) WHERE (%s) IS NULL');
	return ('expression index', query_with('ev_plain', $p),
		both(sub { [ 'CREATE INDEX ON ev_plain ' . sprintf($columns, $_[0]), 'ANALYZE ev_plain', 'SET LOCAL enable_seqscan = off' ] }, $p));
}

sub statistics
{
	my $p = immutable_condition();
	return ('CREATE STATISTICS', query_with('ev_plain', $p),
		both(sub { [ "CREATE STATISTICS s ON ($_[0]), grp FROM ev_plain", 'ANALYZE ev_plain' ] }, $p));
}

sub generated_column
{
	my $p = immutable_condition();
	my $before = both(sub { [ 'CREATE TABLE computed (LIKE template)', "ALTER TABLE computed ADD g boolean GENERATED ALWAYS AS ($_[0]) STORED",
				'INSERT INTO computed SELECT * FROM template' ] }, $p);
	return ('generated column', both(sub { "SELECT format('%s', array_agg((x.*)::text ORDER BY x)) FROM "
				  . "(SELECT e.g, count(*), sum(e.n) FROM computed e WHERE $_[0] GROUP BY e.g) x" }, alone()), $before);
}

sub policy
{
	my $p = alone();
	my $word = one_of('PERMISSIVE', 'RESTRICTIVE');
	my $before = both(sub { [ "CREATE POLICY q ON ev_rls AS $word USING (" . $_[0] =~ s/\be\./ev_rls./gr . ')' ] }, $p);
	return ('policy', query_with('ev_rls', $p), $before);
}

sub view
{
	my $table = any_table();
	my $option = one_of('', ' WITH (security_barrier)', ' WITH (security_invoker)');
	my $p = alone();
	return ('view', query_with('v', $p), both(sub { [ "CREATE VIEW v$option AS SELECT * FROM $table e WHERE $_[0]" ] }, $p));
}

# A function runs the query with its arguments, and plans it for any after some calls.
sub function
{
	my $scope = { %{ scope() }, arguments => { timestamptz => 'p_t', tstzrange => 'p_r', objectid => 'p_id', text => 'p_txt' } };
	my $pair;
	do { (undef, $pair) = with_scope($scope, \&any_shape) } while "@$pair" =~ /UPDATE|DELETE|INSERT/;
	my ($language, $body) = @{ one_of([ 'plpgsql', 'BEGIN RETURN (%s); END' ], [ 'sql', '%s' ]) };
	my $volatility = one_of('STABLE', 'VOLATILE');
	my $before = both(sub { [ "CREATE FUNCTION f(p_t timestamptz, p_r tstzrange, p_id objectid, p_txt text) RETURNS text LANGUAGE $language $volatility AS " . '$f$' . sprintf($body, $_[0]) . '$f$' ] }, $pair);
	my $call = "SELECT md5(string_agg(x, ' ' ORDER BY n)) FROM (SELECT n, f(t, r, id, txt) AS x FROM small ORDER BY hashint4(n) LIMIT " . (1 + number(8)) . ') y';
	return ("function, $language", [ $call, $call ], $before);
}

sub cursor
{
	my $t = any_table();
	my $order = one_of('n, id', 'id, n', 'id DESC, n');
	my $declare = 'DECLARE c ' . one_of('SCROLL', 'INSENSITIVE SCROLL') . ' CURSOR FOR SELECT n FROM ';
	my $move = 'MOVE ' . one_of('ALL', 'ABSOLUTE 5', 'FORWARD 20', 'LAST') . ' IN c';
	my $fetch = 'FETCH ' . one_of('PRIOR', 'BACKWARD 3', 'FIRST', 'LAST', 'ABSOLUTE -2', 'RELATIVE 0', 'ABSOLUTE 3') . ' FROM c';
	return ('cursor', [ $fetch, $fetch ], both(sub { [ $declare . "$t e WHERE $_[0] ORDER BY $order", $move ] }, alone()));
}

# A sub-select that gives another range each time, in which there are three ids of
# each kind: twice that, and there are many or none.
sub drawn_range
{
	my ($column) = @_;
	my $sample = one_of('BERNOULLI', 'SYSTEM') . ' (' . one_of(20, 50) . ')';
	my $constant = "(SELECT m.$column FROM moment m WHERE m.k = 111)";
	return one_of("coalesce((SELECT m.$column FROM moment m TABLESAMPLE $sample LIMIT 1), $constant)",
		"(SELECT coalesce((array_agg(m.$column))[1 + stable_draw() % 2], (array_agg(m.$column))[1], $constant) FROM moment m TABLESAMPLE $sample)",
		"(SELECT m.$column FROM moment m WHERE m.k = (SELECT stable_draw()))",
		"(SELECT m.$column FROM moment m OFFSET stable_draw() - 100 LIMIT 1)",
		"(WITH m AS (SELECT * FROM moment TABLESAMPLE $sample LIMIT 1) SELECT coalesce(min(m.$column\::text)::tstzrange, $constant) FROM m)");
}

# Ids between the ends that are drawn
my $between = 'e.n IN (70, 71, 72)';
my @between = (
	"((SELECT m.id FROM ends m TABLESAMPLE BERNOULLI (60) LIMIT 1) <@ tstzrange('2026-01-01 00:05:00+00', '2026-01-01 00:20:00+00')) IS NOT TRUE",
	map { "NOT $_" } 'e.id <@ volatile_end()', 'volatile_end() @> e.id', q{snowflake_within(e.flake, volatile_end(), 'twitter')}, 'uuidv7_within(e.uid, volatile_end())',
	"((CASE WHEN e.n > 71 THEN volatile_end() ELSE tstzrange '[,2026-01-01 00:01:00+00)' END) @> e.id)");

sub drawn_predicate
{
	return [ "$between AND " . one_of(@between), $between ] if chance(0.3);
	my ($o, $s, $u) = map { drawn_range($_) } qw(r fr ur);
	return one_of([ "e.id <@ $o", "objectid_timestamp(e.id) <@ $o" ], [ "$o @> e.id", "$o @> objectid_timestamp(e.id)" ],
		[ "objectid_within(e.id, $o)", "objectid_timestamp(e.id) <@ $o" ],
		[ "snowflake_within(e.flake, $s, 'twitter')", "ref_snowflake(e.flake, $s, 'twitter')" ],
		[ "uuidv7_within(e.uid, $u)", "uuidv7_timestamp(e.uid) <@ $u" ]);
}

sub drawn
{
	my $table = 'ev_' . one_of(qw(plain btree skip brin gist hash partial domain part list hashed uid heir union));
	return ('drawn once', both(one_of(
				sub { "SELECT count(*) FROM $table e WHERE $_[0]" },
				sub { "SELECT count(*) FROM $table e WHERE ($_[0]) IS NOT TRUE" },
				sub { "SELECT count(*) FROM $table e WHERE e.n > 0 AND ($_[0])" },
				sub { "SELECT count(*) FROM $table e WHERE CASE WHEN e.n > 0 THEN $_[0] END" },
				sub { "SELECT count(*) FILTER (WHERE $_[0]) FROM $table e" },
				sub { "SELECT count(*) FROM (SELECT $_[0] AS x FROM $table e) y WHERE x" },
				sub { "WITH e AS MATERIALIZED (SELECT * FROM $table e WHERE $_[0]) SELECT count(*) FROM e" },
				sub { "WITH e AS (UPDATE $table e SET grp = 3 WHERE $_[0] RETURNING n) SELECT count(*) FROM e" =~ s/UPDATE ev_union/UPDATE ev_plain/r },
				sub { "SELECT count(*) FROM $table e JOIN instant i ON i.k = e.n % 20 + 100 AND ($_[0])" },
				sub { "SELECT count(*) FROM instant i LEFT JOIN $table e ON ($_[0]) WHERE i.k = 100" }), drawn_predicate()));
}

my @specials = ((\&constraint) x 2, \&refused, (\&partial_index) x 3, (\&expression_index) x 2, \&statistics, (\&generated_column) x 2,
	\&policy, \&view, (\&function) x 3, (\&cursor) x 3, (\&drawn) x 4);

sub any_special { return one_of(@specials)->(); }

1;
