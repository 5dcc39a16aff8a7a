package Shapes;

# The places where a predicate stands in the queries of scripts/differential.  Each
# function returns a pair of queries that select one value.

use strict;
use warnings FATAL => 'all';

use Exporter qw(import);
our @EXPORT_OK = qw(any_table any_shape as_statement $rows_of_e $rows_of_e_b);

use FindBin;
use lib $FindBin::Bin;
use Terms;

# Those that can be sampled and changed, views that can be changed, and the rest
my @tables = qw(plain btree btree skip brin brin gist hash partial partial domain part part list hashed uid heir rls);
my @views = qw(view barrier);
my @others = qw(union once matview);

sub any_table { return 'ev_' . one_of(@tables, @views, @others, scope()->{version} >= 18 ? 'virtual' : ()); }
sub changeable { return 'ev_' . one_of(@tables, @views); }

# A table as e, sometimes a sample of it that is always the same
sub from_e
{
	my $table = any_table();
	return "$table e" if $table =~ /view|barrier|union|once/ || chance(0.93);
	return "$table e TABLESAMPLE " . one_of('BERNOULLI', 'SYSTEM') . ' (60) REPEATABLE (' . number(9) . ')';
}

# The rows that were found, as one value
our $rows_of_e = "format('%s %s', count(*), sum(hashint4(e.n)))";
our $rows_of_e_b = "format('%s %s', count(*), sum(hashint4(coalesce(e.n, -1) * 8192 + coalesce(b.n, -1))))";

# Conditions on e alone, on e and b, and on other aliases
sub alone { return condition_on('e'); }
sub joined { return condition_on('e', 'b'); }
sub condition_on
{
	my ($self, $other) = @_;
	return with_scope({ %{ scope() }, self => $self, other => $other }, \&condition);
}

sub filter
{
	my $from = from_e();
	return both(sub { "SELECT $rows_of_e FROM $from WHERE $_[0]" }, alone());
}

# Joins: the predicate in ON, in WHERE above an outer join, and among three tables
sub join_on
{
	my $from = from_e();
	my $join = one_of('JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
	my $equal = $join eq 'FULL JOIN' || chance(0.3) ? 'e.grp = b.grp AND ' : '';
	return both(sub { "SELECT $rows_of_e_b FROM $from $join small b ON $equal($_[0])" }, joined());
}

sub join_where
{
	my $from = from_e();
	my $join = one_of('CROSS JOIN small b', map { "$_ JOIN small b ON e.grp = b.grp" } 'LEFT', 'RIGHT', 'FULL');
	return both(sub { "SELECT $rows_of_e_b FROM $from $join WHERE $_[0]" }, joined());
}

sub join_three
{
	my ($from, @joins) = (from_e(), map { one_of('JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN') } 1, 2);
	my $c = chance(0.5) ? 'small c ON c.k = b.k' : 'instant c ON c.k = b.k + 100';
	return both(sub { "SELECT $rows_of_e_b FROM $from $joins[0] (small b $joins[1] $c AND c.t < b.t) ON e.grp = b.grp AND ($_[0])" }, joined())
	  if chance(0.3);
	return both(sub { "SELECT $rows_of_e_b FROM $from $joins[0] small b ON e.grp = b.grp AND ($_[0]) $joins[1] $c AND ($_[1])" },
		joined(), condition_on('b', 'e')) if chance(0.5);
	return both(sub { "SELECT $rows_of_e_b FROM $from $joins[0] small b ON e.grp = b.grp $joins[1] $c WHERE $_[0]" }, joined());
}

# Two rows of the tables, which may be one, and then a join that can be removed
sub join_self
{
	my $t = any_table();
	my $u = chance(0.5) ? $t : any_table();
	my $rows = "format('%s %s', count(*), sum(e.n * 7 + f.n))";
	return both(sub { "SELECT $rows FROM $t e JOIN $u f USING (n) WHERE $_[0]" }, condition_on('e', 'f')) if chance(0.4);
	return both(sub { "SELECT $rows FROM $t e JOIN $u f ON e.grp = f.grp AND e.n < 60 AND f.n % 5 = 0 AND ($_[0])" }, condition_on('e', 'f'));
}

sub text_join
{
	my $from = from_e();
	my $join = one_of('JOIN', 'LEFT JOIN', 'FULL JOIN', 'RIGHT JOIN');
	my $pair = one_of([ 'e.id = b.txt', 'e.id = b.txt::objectid' ], [ 'e.txt = b.id', 'e.txt::objectid = b.id' ]);
	return both(sub { "SELECT $rows_of_e_b FROM $from $join small b ON $_[0] WHERE $_[1]" }, $pair, joined());
}

sub lateral
{
	my $from = from_e();
	return both(one_of(
			sub { "SELECT $rows_of_e_b FROM small b, LATERAL (SELECT * FROM $from WHERE $_[0] ORDER BY id, n LIMIT 7) e" },
			sub { "SELECT $rows_of_e_b FROM small b LEFT JOIN LATERAL (SELECT DISTINCT e.n, e.grp FROM $from WHERE $_[0]) e ON b.grp >= e.grp" },
			sub { "SELECT $rows_of_e_b FROM small b LEFT JOIN LATERAL (SELECT count(*)::int AS n FROM $from WHERE $_[0]) e ON e.n > b.grp" },
			sub { "SELECT $rows_of_e_b FROM small b, LATERAL (SELECT min(e.n) AS n FROM $from WHERE $_[0] GROUP BY e.grp) e" }), joined());
}

sub subselect
{
	my $from = from_e();
	return both(one_of(
			sub { "SELECT $rows_of_e FROM $from WHERE EXISTS (SELECT FROM small b WHERE $_[0])" },
			sub { "SELECT $rows_of_e FROM $from WHERE NOT EXISTS (SELECT FROM small b WHERE $_[0])" },
			sub { "SELECT $rows_of_e FROM $from WHERE (SELECT count(*) FROM small b WHERE $_[0]) > 3" },
			sub { "SELECT $rows_of_e FROM $from WHERE e.grp IN (SELECT b.grp FROM small b WHERE $_[0])" },
			sub { "SELECT $rows_of_e FROM $from WHERE e.grp NOT IN (SELECT b.grp FROM small b WHERE $_[0])" },
			sub { "SELECT $rows_of_e FROM $from WHERE cardinality(ARRAY(SELECT b.grp FROM small b WHERE $_[0])) > e.grp" },
			sub { "SELECT md5(string_agg(x, ' ' ORDER BY x)) FROM (SELECT concat(n, '/', (SELECT max(b.id) FROM small b WHERE $_[0])) AS x FROM $from) y" }), joined());
}

sub cte
{
	my $from = from_e();
	my $m = one_of('', 'MATERIALIZED', 'NOT MATERIALIZED');
	return both(sub { "WITH e AS $m (SELECT * FROM $from WHERE n > 3) SELECT $rows_of_e FROM e WHERE $_[0]" }, alone()) if chance(0.4);
	return both(sub { "WITH e AS $m (SELECT * FROM $from WHERE $_[0]) SELECT $rows_of_e FROM e JOIN e f USING (n)" }, alone()) if chance(0.3);
	return both(sub { "WITH b AS $m (SELECT * FROM small WHERE grp > 3) SELECT $rows_of_e_b FROM $from JOIN b ON $_[0]" }, joined()) if chance(0.5);
	return both(sub { "WITH RECURSIVE f (n, grp) AS (VALUES (0, 0) UNION SELECT e.n, b.grp FROM f JOIN small b ON b.grp = f.grp + 1 JOIN $from ON e.grp = b.grp WHERE $_[0]) "
			  . "SELECT $rows_of_e FROM f e" }, joined());
}

# Sub-queries into which the planner may push the predicate
sub pushed_down
{
	my $from = from_e();
	my $u = any_table();
	my @columns = qw(t r flake uid txt sp ir);
	my $first = join(', ', map { "(array_agg($_ ORDER BY n))[1] AS $_" } @columns);
	my $inner = one_of("SELECT *, row_number() OVER (PARTITION BY id ORDER BY n) AS i FROM $from",
		"SELECT DISTINCT ON (id) * FROM $from ORDER BY id, n", "SELECT DISTINCT * FROM $from",
		"SELECT id, min(n) AS n, min(grp) AS grp, $first FROM $from GROUP BY id",
		"(SELECT * FROM $from) " . one_of('UNION', 'UNION ALL', 'INTERSECT', 'EXCEPT') . " (SELECT * FROM $u WHERE grp < 6)",
		"SELECT * FROM $from LIMIT ALL OFFSET 0");
	$inner =~ s/\* FROM/n, grp, t::timestamptz, id::objectid, flake, uid, txt, r::tstzrange, sp, ir FROM/g if $inner =~ /UNION|INTERSECT|EXCEPT/;
	return both(sub { "SELECT $rows_of_e FROM ($inner) e WHERE $_[0]" }, alone());
}

sub aggregate
{
	my $from = from_e();
	my $p = alone();
	return both(one_of(
			sub { "SELECT format('%s', count(*) FILTER (WHERE $_[0])) FROM $from" },
			sub { "SELECT concat(bool_and($_[0]), bool_or($_[0]), count($_[0])) FROM $from" },
			sub { "SELECT concat(min(e.id::objectid), max(e.id::objectid), count(*)) FROM $from WHERE $_[0]" },
			sub { "SELECT concat(count(DISTINCT e.grp), percentile_disc(0.5) WITHIN GROUP (ORDER BY e.id::objectid) FILTER (WHERE $_[0])) FROM $from" },
			sub { "SELECT string_agg(n, ' ') FROM (SELECT e.n::text FROM $from ORDER BY $_[0], e.n LIMIT 20) x" },
			sub { "SELECT string_agg(n::text, ' ') FROM (SELECT n FROM $from WHERE $_[0] ORDER BY e.id DESC, n LIMIT 9) e" }), $p);
}

sub grouping
{
	my $from = from_e();
	my $p = alone();
	my $sets = one_of('GROUPING SETS ((p), (grp), ())', 'p, grp', 'CUBE (p, grp)');
	return both(sub { "SELECT format('%s', array_agg((x.*)::text ORDER BY x)) FROM (SELECT ($_[0]) AS p, grp, count(*) FROM $from GROUP BY $sets) x" }, $p)
	  if chance(0.4);
	return both(sub { "SELECT format('%s', array_agg((x.*)::text ORDER BY x)) FROM "
			  . "(SELECT e.grp, count(*) FILTER (WHERE $_[0]), bool_or($_[0]) FROM $from GROUP BY e.grp HAVING bool_or($_[0])) x" }, $p);
}

# Frames of time, and a predicate beside them
sub window
{
	my $from = from_e();
	my $x = 'string_agg(x::text, \' \' ORDER BY x)';
	return both(sub { "SELECT md5($x) FROM (SELECT n, count(*) FILTER (WHERE $_[0]) OVER (ORDER BY id, n ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM $from) x" }, alone())
	  if chance(0.4);
	my $direction = one_of('', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST');
	my $frame = one_of("'1 minute' PRECEDING AND '3 minutes' FOLLOWING", "'10 minutes' PRECEDING AND '100 seconds' PRECEDING",
		"UNBOUNDED PRECEDING AND '200.25 seconds' FOLLOWING", "'0' FOLLOWING AND '1 hour' FOLLOWING", "'30 years' PRECEDING AND UNBOUNDED FOLLOWING");
	my $exclude = one_of('', ' EXCLUDE CURRENT ROW');
	my $part = one_of('', 'PARTITION BY e.grp ');
	return both(sub { "SELECT md5($x) FROM (SELECT n, count(*) OVER w, sum(n) OVER w FROM $from WHERE $_[0] "
			  . "WINDOW w AS (${part}ORDER BY $_[1]$direction RANGE BETWEEN $frame$exclude)) x" },
		alone(), [ 'e.id', 'objectid_timestamp(e.id)' ]);
}

sub target
{
	my $from = from_e();
	return both(sub { "SELECT md5(string_agg(concat(n, x), ' ' ORDER BY n, x)) FROM (SELECT n, ($_[0]) AS x FROM $from) y" }, alone());
}

# Changes, with what they return or did
sub change
{
	my $t = changeable();
	my $where = one_of('UPDATE %s e SET grp = grp + 1 WHERE %s RETURNING e.n', 'DELETE FROM %s e WHERE %s RETURNING e.n',
		'UPDATE %s e SET txt = NULL, flake = flake # 1 WHERE %s RETURNING e.n',
		'SELECT e.n FROM %s e WHERE %s FOR UPDATE',
		'INSERT INTO ev_hash AS x SELECT * FROM %s e WHERE %s RETURNING x.n');
	return both(sub { 'WITH e AS (' . sprintf($where, $t, $_[0]) . ") SELECT $rows_of_e FROM e" }, alone());
}

sub change_joined
{
	my $t = changeable();
	my $text = one_of("UPDATE $t e SET grp = b.grp FROM small b WHERE e.grp = b.k AND (%s) RETURNING e.n", "DELETE FROM $t e USING small b WHERE %s RETURNING e.n");
	return both(sub { 'WITH e AS (' . sprintf($text, $_[0]) . ") SELECT $rows_of_e FROM e" }, joined());
}

sub returning
{
	my $t = changeable();
	my @texts = ("UPDATE $t e SET grp = 5", "DELETE FROM $t e");
	push @texts, "INSERT INTO $t AS e SELECT * FROM newcomer" unless $t eq 'ev_rls';
	my $text = one_of(@texts);
	return both(sub { "WITH e AS ($text RETURNING e.n, ($_[0]) AS x) SELECT md5(string_agg(concat(e.n, x), ' ' ORDER BY e.n, x)) FROM e" }, alone());
}

sub on_conflict
{
	my $target = one_of('(n)', 'ON CONSTRAINT ev_btree_pkey');
	return both(sub { "WITH e AS (INSERT INTO ev_btree AS e SELECT * FROM ev_skip f WHERE n < 60 ON CONFLICT $target DO UPDATE SET grp = 5 WHERE $_[0] RETURNING n) "
			  . "SELECT $rows_of_e FROM e" }, alone());
}

# Statements that select nothing: what they did to a table is selected then.
my @statements = (\&merge, \&moved);

sub merge
{
	my $t = 'ev_' . one_of(qw(plain btree skip brin gist hash partial partial domain part part list hashed uid heir));
	my $b = '(SELECT DISTINCT ON (k) * FROM small ORDER BY k, n) b';
	my $last = scope()->{version} >= 17 && chance(0.4) ? both(sub { "WHEN NOT MATCHED BY SOURCE AND $_[0] THEN UPDATE SET grp = 78" }, alone()) : [ '', '' ];
	return ($t, both(sub { "MERGE INTO $t e USING $b ON e.n = b.k * 4 AND ($_[0]) WHEN MATCHED AND $_[1] THEN UPDATE SET grp = 77 "
				  . "WHEN MATCHED AND e.n % 3 = 0 THEN DELETE WHEN NOT MATCHED THEN INSERT (n, grp) VALUES (-b.k, b.k) $_[2]" },
			joined(), joined(), $last));
}

# Rows that move to other partitions
sub moved
{
	my $t = 'ev_' . one_of(qw(part list hashed uid));
	return ($t, both(sub { "UPDATE $t e SET id = objectid_floor(timestamptz '2026-01-01 00:30:00+00'), flake = 7, uid = NULL WHERE $_[0]" }, alone()));
}

# The statements, and the query for what they did
sub as_statement
{
	my ($t, $pair) = one_of(@statements)->();
	return ($pair, "SELECT md5(string_agg(concat(n, '/', grp, '/', id), ' ' ORDER BY n, grp, id)) FROM $t");
}

my @shapes = (
	[ filter => 6, \&filter ], [ join => 5, \&join_on ], [ 'outer join, WHERE' => 2, \&join_where ], [ 'three tables' => 3, \&join_three ],
	[ 'self join' => 2, \&join_self ], [ 'join on text' => 1, \&text_join ], [ lateral => 3, \&lateral ], [ 'sub-select' => 4, \&subselect ],
	[ CTE => 2, \&cte ], [ 'pushed down' => 2, \&pushed_down ], [ aggregate => 2, \&aggregate ], [ 'GROUP BY, HAVING' => 2, \&grouping ],
	[ window => 2, \&window ], [ 'target list' => 1, \&target ], [ 'UPDATE, DELETE, INSERT' => 3, sub { one_of(\&change, \&change_joined)->() } ],
	[ RETURNING => 1, \&returning ], [ 'ON CONFLICT' => 1, \&on_conflict ]);
my @weighted = map { ($_) x $_->[1] } @shapes;

# Its kind, and a pair
sub any_shape
{
	my ($kind, undef, $function) = @{ one_of(@weighted) };
	return ($kind, $function->());
}

1;
