#!/usr/bin/perl
# Queries for scripts/differential: each with a predicate on the time in an id,
# and once more with that predicate written as a comparison of the decoded time.
#
#	fuzz/differential.pl SEED [COUNT] | psql
#
# Without COUNT it does not end.

use strict;
use warnings;

my ($seed, $count) = @ARGV;
srand($seed);

sub one_of { return $_[ int(rand(@_)) ]; }
sub chance { return rand() < $_[0]; }

my @times = ('-infinity', 'infinity', '1969-12-31 23:59:59.999999+00', '1970-01-01 00:00:00+00',
	'1970-01-01 00:00:00.000001+00', '2010-11-04 01:42:54.657+00', '2106-02-07 06:28:14.5+00',
	'2106-02-07 06:28:15+00', '2106-02-07 06:28:15.000001+00', '2106-02-07 06:28:16+00',
	'2150-01-01 00:00:00+00', '2080-07-10 17:30:30.209+00');

sub literal_time
{
	return one_of(@times) if chance(0.2);
	return sprintf('2026-01-01 00:%02d:%02d%s+00', int(rand(40)), int(rand(60)), one_of('', '', '.25', '.000001', '.999999'));
}

# Parameters of the prepared statement that is being made, and their values.
my (@types, @values);

sub parameter
{
	my ($type, $value) = @_;
	push @types, $type;
	push @values, $value;
	return '$' . @types;
}

my $may_prepare;    # are we inside a prepared statement?

# An expression for a time.  $other is the alias of another table, or undef.
sub time_expr
{
	my ($self, $other, $depth) = @_;
	my $k = int(rand(14));
	my $literal = "timestamptz '" . literal_time() . "'";
	return $literal if $k < 4;
	return $may_prepare ? parameter('timestamptz', $literal) : $literal if $k < 6;
	return "(SELECT t FROM instant WHERE k = " . one_of(1 .. 14, 100 .. 160) . ")" if $k == 6;
	return "stable_time($literal)" if $k == 7;
	return "volatile_time($literal)" if $k == 8;
	return "(SELECT max(z.t) FROM small z WHERE z.grp = $self.grp)" if $k == 9;
	return "$other.t" if $k <= 11 && defined $other;
	return "objectid_timestamp($other.id)" if $k == 12 && defined $other;
	return "$self.t" if $k == 10;
	return "CASE WHEN $self.n > " . int(rand(150)) . " THEN $literal ELSE $self.t END" if $k == 11;
	return 'NULL::timestamptz' if $k == 12;
	return $literal if $depth > 2;
	return "(" . time_expr($self, $other, $depth + 1) . " + interval '" . one_of('1 minute', '-250 ms', '1 us', '1 day') . "')";
}

# An expression for a range; the second value tells whether it is a tstzrange.
sub range_expr
{
	my ($self, $other) = @_;
	my $k = int(rand(18));
	my $bounds = one_of('[)', '[]', '(]', '()');
	my ($a, $b) = sort (literal_time(), literal_time());
	my $literal = $a =~ /^2026/ && $b =~ /^2026/
		? "tstzrange '" . substr($bounds, 0, 1) . "$a,$b" . substr($bounds, 1, 1) . "'"
		: "tstzrange(least(timestamptz '$a', '$b'), greatest(timestamptz '$a', '$b'), '$bounds')";
	return $literal if $k < 4;
	return $may_prepare ? parameter('tstzrange', $literal) : $literal if $k < 6;
	return one_of("tstzrange 'empty'", "tstzrange '(,)'", 'NULL::tstzrange', "tstzrange '[-infinity,infinity]'", "tstzrange '(-infinity,infinity)'", "tstzrange '[infinity,]'", "tstzrange '[,-infinity)'") if $k == 6;
	return "(SELECT z.r FROM small z WHERE z.k = " . int(rand(42)) . " ORDER BY z.id LIMIT 1)" if $k == 7;
	return "(SELECT z.r FROM small z WHERE z.grp = $self.grp ORDER BY z.id LIMIT 1)" if $k == 8;
	return "stable_range($literal)" if $k == 9;
	return "$other.r" if $k <= 12 && defined $other;
	return "$self.r" if $k == 10;
	return "CASE WHEN $self.n > " . int(rand(150)) . " THEN $literal ELSE $self.r END" if $k == 11;
	return "$literal\::span_domain" if $k == 12;
	return "(SELECT tstzrange(min(z.t), max(z.t), '$bounds') FROM small z WHERE z.grp > " . int(rand(12)) . " AND isfinite(z.t))" if $k == 13;
	my $x = time_expr($self, $other, 0);
	return "tstzrange($x, $x + interval '" . one_of('1 minute', '0', '1 us', '10 minutes') . "', '$bounds')" if $k == 14 && $x !~ /volatile|\$/;
	return "tstzrange($x, NULL, '$bounds')" if $k <= 15;
	return "tstzrange(NULL, $x, '$bounds')" if $k == 16;
	return $other ? "coalesce($other.r, $literal)" : "coalesce($self.r, $literal)";
}

sub id_expr
{
	my ($self, $other) = @_;
	my $k = int(rand(16));
	return "$self.id" if $k < 12;
	return "volatile_id($self.id)" if $k == 12;
	return "(SELECT z.id FROM small z WHERE z.k = " . int(rand(42)) . " ORDER BY z.id LIMIT 1)" if $k == 13;
	return defined $other ? "$other.id" : "coalesce($self.id, '69560000ffffffffffffffff')" if $k == 14;
	return $may_prepare ? parameter('objectid', "'69560000ffffffffffffffff'") : "objectid '6955b9ffffffffffffffffff'";
}

my @layouts = ("'twitter'", "'instagram'", "'discord'", "'mastodon'", "'js53'");

# A predicate and what it means.
sub predicate
{
	my ($self, $other) = @_;
	my $k = int(rand(12));
	if ($k < 4)
	{
		my ($id, $t) = (id_expr($self, $other), time_expr($self, $other, 0));
		return one_of(
			[ "$id < $t", "ref_lt($id, $t)" ], [ "$id <= $t", "ref_le($id, $t)" ],
			[ "$id >= $t", "NOT ref_lt($id, $t)" ], [ "$id > $t", "NOT ref_le($id, $t)" ],
			[ "$t > $id", "ref_lt($id, $t)" ], [ "$t >= $id", "ref_le($id, $t)" ],
			[ "$t <= $id", "NOT ref_lt($id, $t)" ], [ "$t < $id", "NOT ref_le($id, $t)" ],
			[ "$id BETWEEN $t AND timestamptz '2026-01-01 00:20:00+00'", "NOT ref_lt($id, $t) AND ref_le($id, timestamptz '2026-01-01 00:20:00+00')" ]);
	}
	if ($k == 4)
	{
		my $t = chance(0.5) ? $self . one_of('.txt', '.txt::varchar')
			: $may_prepare ? parameter('text', "'6955b9000123456789abcdef'") : one_of("'6955b9000123456789ABCDEF'::text", "(SELECT z.txt FROM small z WHERE z.k = 7 ORDER BY z.id LIMIT 1)");
		$t = "$other.txt" if defined $other && $t !~ /\$/ && chance(0.6);
		my $id = id_expr($self, $other);
		return one_of([ "$id = $t", "$id = ($t)::objectid" ], [ "$t = $id", "($t)::objectid = $id" ],
			[ "$id <> $t", "$id <> ($t)::objectid" ], [ "$t <> $id", "($t)::objectid <> $id" ]);
	}
	if ($k == 5)
	{
		my $q = "FROM small z WHERE z.grp = " . (chance(0.5) ? "$self.grp" : int(rand(10)));
		my $id = id_expr($self, $other);
		my $any = one_of('ANY', 'ALL');
		return one_of(
			[ "$id <@ $any (SELECT z.r $q)", "objectid_timestamp($id) <@ $any (SELECT z.r $q)" ],
			[ "$id IN (SELECT z.txt $q)", "$id IN (SELECT z.txt::objectid $q)" ],
			[ "$id NOT IN (SELECT z.txt $q)", "$id NOT IN (SELECT z.txt::objectid $q)" ],
			[ "$self.txt IN (SELECT z.id $q)", "$self.txt::objectid IN (SELECT z.id $q)" ],
			[ "$self.txt NOT IN (SELECT z.id $q)", "$self.txt::objectid NOT IN (SELECT z.id $q)" ],
			[ "EXISTS (SELECT $q AND z.id <@ $self.r)", "EXISTS (SELECT $q AND objectid_timestamp(z.id) <@ $self.r)" ],
			[ "EXISTS (SELECT $q AND $id <@ z.r)", "EXISTS (SELECT $q AND objectid_timestamp($id) <@ z.r)" ],
			[ "NOT EXISTS (SELECT $q AND $id > z.t)", "NOT EXISTS (SELECT $q AND NOT ref_le($id, z.t))" ],
			[ "EXISTS (SELECT $q AND snowflake_within(z.flake, $self.r))", "EXISTS (SELECT $q AND ref_snowflake(z.flake, $self.r, 'twitter'))" ]);
	}
	if ($k == 6)
	{
		my $id = id_expr($self, $other);
		my $s = chance(0.5) || !defined $other ? $self : $other;
		return one_of([ "$s.ir\::idrange @> $id", "$s.ir OPERATOR(pg_catalog.@>) $id\::objectid" ],
			[ "$id <@ $s.ir", "$id\::objectid OPERATOR(pg_catalog.<@) $s.ir" ]) if $s eq $self;
		return one_of([ "$s.sp @> $id", "$s.sp @> objectid_timestamp($id)" ], [ "$id <@ $s.sp", "objectid_timestamp($id) <@ $s.sp" ]);
	}
	if ($k == 7)
	{
		my ($r, $l) = (range_expr($self, $other), one_of(@layouts));
		my $f = defined $other && chance(0.2) ? "$other.flake" : "$self.flake";
		return [ "snowflake_within($f, $r)", "ref_snowflake($f, $r, 'twitter')" ] if chance(0.6);
		return [ "snowflake_within($f, $r, $l)", "ref_snowflake($f, $r, $l)" ];
	}
	if ($k == 8)
	{
		my $r = range_expr($self, $other);
		my $u = defined $other && chance(0.2) ? "$other.uid" : "$self.uid";
		return [ "uuidv7_within($u, $r)", "uuidv7_timestamp($u) <@ $r" ];
	}
	my ($id, $r) = (id_expr($self, $other), range_expr($self, $other));
	return one_of([ "$id <@ $r", "objectid_timestamp($id) <@ $r" ], [ "$r @> $id", "$r @> objectid_timestamp($id)" ],
		[ "objectid_within($id, $r)", "objectid_timestamp($id) <@ $r" ], [ "range_contains_objectid($r, $id)", "$r @> objectid_timestamp($id)" ],
		[ "sql_within($id, $r)", "sql_ref_within($id, $r)" ]);
}

sub condition
{
	my ($self, $other, $depth) = @_;
	my $p = predicate($self, $other);
	my $k = $depth > 2 ? 0 : int(rand(16));
	my $both = sub { my $f = shift; return [ $f->($p->[0]), $f->($p->[1]) ]; };
	return $p if $k < 8;
	if ($k < 11)
	{
		my $q = condition($self, $other, $depth + 1);
		my $word = one_of('AND', 'OR');
		return [ "($p->[0]) $word ($q->[0])", "($p->[1]) $word ($q->[1])" ];
	}
	my $n = int(rand(200));
	return $both->(sub { "NOT ($_[0])" }) if $k == 11;
	return $both->(sub { "($_[0]) IS NULL" }) if $k == 12 && chance(0.5);
	return $both->(sub { "($_[0]) IS TRUE" }) if $k == 12;
	return $both->(sub { "($_[0]) IS NOT TRUE" }) if $k == 13;
	return $both->(sub { "CASE WHEN $self.n < $n THEN $_[0] ELSE $self.grp < 4 END" }) if $k == 14;
	return $both->(sub { "coalesce($_[0], $self.n < $n)" });
}

my @tables = qw(plain btree brin gist hash partial domain part hashed uid heir view barrier union rls);

sub table { return 'ev_' . one_of(@tables); }

# A query as two texts, ours and the reference.
sub query
{
	my $k = int(rand(26));
	my $t = table();
	my $agg = "format('%s %s', count(*), md5(string_agg(e.n::text, ' ' ORDER BY e.n)))";
	my $agg2 = "format('%s %s', count(*), md5(string_agg(concat(e.n, '/', b.k, '/', b.t), ' ' ORDER BY e.n, b.k, b.t, b.id)))";
	my $both = sub { my ($p, $f) = @_; return ($f->($p->[0]), $f->($p->[1])); };
	if ($k < 6)
	{
		return $both->(condition('e', undef, 0), sub { "SELECT $agg FROM $t e WHERE $_[0]" });
	}
	if ($k < 11)
	{
		my $join = one_of('JOIN', 'JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN');
		my $eq = $join eq 'FULL JOIN' || chance(0.3) ? 'e.grp = b.grp AND ' : '';
		return $both->(condition('e', 'b', 0), sub { "SELECT $agg2 FROM $t e $join small b ON $eq($_[0])" });
	}
	return $both->(condition('e', 'b', 0), sub { "SELECT $agg2 FROM small b, LATERAL (SELECT * FROM $t e WHERE $_[0] ORDER BY id, n LIMIT 7) e" }) if $k == 11;
	return $both->(condition('e', 'b', 0), sub { "SELECT $agg2 FROM small b LEFT JOIN LATERAL (SELECT DISTINCT e.n, e.grp FROM $t e WHERE $_[0]) e ON b.grp >= e.grp" }) if $k == 12;
	return $both->(condition('e', 'b', 0), sub { "SELECT $agg FROM $t e WHERE EXISTS (SELECT FROM small b WHERE $_[0])" }) if $k == 13;
	return $both->(condition('e', 'b', 0), sub { "SELECT $agg FROM $t e WHERE NOT EXISTS (SELECT FROM small b WHERE $_[0])" }) if $k == 14;
	if ($k == 15)
	{
		my $m = one_of('MATERIALIZED', 'NOT MATERIALIZED');
		return $both->(condition('e', undef, 0), sub { "WITH e AS $m (SELECT * FROM $t e WHERE n > 3) SELECT $agg FROM e WHERE $_[0]" });
	}
	if ($k == 16)
	{
		my $p = condition('e', undef, 0);
		return $both->($p, sub { "SELECT format('%s', array_agg((x.*)::text ORDER BY x)) FROM (SELECT grp, count(*) FILTER (WHERE $_[0]), bool_or($_[0]) FROM $t e GROUP BY grp HAVING bool_or($_[0])) x" }) unless "@$p" =~ /volatile/;
		return $both->($p, sub { "SELECT format('%s', count(*) FILTER (WHERE $_[0])) FROM $t e" });
	}
	return $both->(condition('e', undef, 0), sub { "SELECT md5(string_agg(x::text, ' ' ORDER BY x)) FROM (SELECT n, count(*) FILTER (WHERE $_[0]) OVER (ORDER BY id, n ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) FROM $t e) x" }) if $k == 17;
	if ($k == 18)
	{
		$t = one_of(qw(ev_plain ev_btree ev_partial ev_part ev_hashed ev_uid ev_heir ev_domain ev_gist ev_barrier));
		return $both->(condition('e', undef, 0), sub { "WITH e AS (UPDATE $t e SET grp = grp + 1 WHERE $_[0] RETURNING n) SELECT $agg FROM e" }) if chance(0.5);
		return $both->(condition('e', 'b', 0), sub { "WITH e AS (DELETE FROM $t e USING small b WHERE $_[0] RETURNING e.n) SELECT $agg FROM e" });
	}
	return $both->(condition('e', undef, 0), sub { "SELECT md5(string_agg(concat(n, x), ' ' ORDER BY n)) FROM (SELECT n, ($_[0]) AS x FROM $t e) y" }) if $k == 19;
	return $both->(condition('e', undef, 0), sub { "SELECT concat(min(id::objectid), max(id::objectid), count(*)) FROM $t e WHERE $_[0]" }) if $k == 20;
	return $both->(condition('e', undef, 0), sub { "SELECT string_agg(n::text, ' ') FROM (SELECT n FROM $t e WHERE $_[0] ORDER BY id DESC, n LIMIT 9) e" }) if $k == 21;
	return $both->(condition('e', 'b', 0), sub { "SELECT $agg FROM $t e WHERE (SELECT count(*) FROM small b WHERE $_[0]) > 3" }) if $k == 22;
	if ($k == 23)
	{
		my $sets = one_of('GROUPING SETS ((p), (grp), ())', 'p, grp', 'CUBE (p, grp)');
		my $p = condition('e', undef, 0);
		return $both->($p, sub { "SELECT format('%s', array_agg((x.*)::text ORDER BY x)) FROM (SELECT ($_[0]) AS p, grp, count(*) FROM $t e GROUP BY $sets) x" });
	}
	my $u = table();
	return $both->(condition('e', 'f', 0), sub { "SELECT format('%s %s', count(*), sum(e.n * 7 + f.n)) FROM $t e JOIN $u f ON e.grp = f.grp AND e.n < 60 AND f.n % 5 = 0 AND ($_[0])" });
}

my @switches = map { "SET LOCAL enable_$_ = off" }
	qw(seqscan seqscan indexscan indexonlyscan bitmapscan nestloop hashjoin mergejoin material sort hashagg memoize partition_pruning);
push @switches, 'SET LOCAL constraint_exclusion = on', 'SET LOCAL enable_partitionwise_join = on', 'SET LOCAL from_collapse_limit = 1',
	'SET LOCAL join_collapse_limit = 1', 'SET LOCAL random_page_cost = 0.1';
my @parallel = map { "SET LOCAL $_" } 'parallel_setup_cost = 0', 'parallel_tuple_cost = 0', 'min_parallel_table_scan_size = 0',
	'min_parallel_index_scan_size = 0', 'max_parallel_workers_per_gather = 2';

sub quoted
{
	my $text = shift;
	$text =~ s/'/''/g;
	return "'$text'";
}

sub array_of { return 'ARRAY[' . join(', ', map { quoted($_) } @_) . ']::text[]'; }

sub prepared
{
	my ($ours, $reference) = @_;
	my $types = @types ? '(' . join(', ', @types) . ')' : '';
	my $mode = one_of('force_generic_plan', 'force_custom_plan', 'auto');
	my $execute = 'EXECUTE q' . (@values ? '(' . join(', ', @values) . ')' : '');
	return ($execute, "SET LOCAL plan_cache_mode = $mode", "PREPARE q $types AS $ours", "PREPARE q $types AS $reference");
}

# A MERGE, and a query that shows what it did.
sub merge
{
	my $t = one_of(qw(ev_plain ev_btree ev_partial ev_part ev_hashed ev_uid ev_heir ev_domain ev_gist ev_brin));
	my ($on, $when) = (condition('e', 'b', 0), condition('e', 'b', 0));
	my $text = sub { my $i = shift; return "MERGE INTO $t e USING (SELECT DISTINCT ON (k) * FROM small ORDER BY k, n) b ON e.n = b.k AND ($on->[$i]) " .
		"WHEN MATCHED AND $when->[$i] THEN UPDATE SET grp = 77 WHEN MATCHED AND e.n % 3 = 0 THEN DELETE WHEN NOT MATCHED THEN INSERT (n, grp) VALUES (-b.k, b.k)"; };
	my $show = "SELECT md5(string_agg(concat(n, '/', grp), ' ' ORDER BY n, grp)) FROM $t";
	return ($show, $show, $text->(0), $text->(1));
}

print "\\set VERBOSITY terse\n\\set SHOW_CONTEXT never\nSET statement_timeout = '20s';\nSET jit = off;\nSET timezone = 'UTC';\n";
for (my $i = 0; !defined $count || $i < $count; $i++)
{
	$may_prepare = chance(0.35);
	(@types, @values) = ();
	my ($ours, $reference, @merge) = !$may_prepare && chance(0.04) ? merge() : query();
	my @settings = grep { chance(0.15) } @switches;
	push @settings, @parallel if chance(0.06);
	push @settings, 'SET LOCAL ROLE regress_differential' if $ours =~ /ev_rls/;
	my @role = $ours =~ /ev_rls/ ? ('SET LOCAL ROLE regress_differential') : ();
	if ($may_prepare)
	{
		my ($execute, $mode, $ours_prepared, $reference_prepared) = prepared($ours, $reference);
		my $d = 'DEALLOCATE ALL';
		printf "CALL compare(%s, %s, %s, %s, %s);\n", quoted($execute), quoted($execute), array_of(@settings),
			array_of($d, $mode, $ours_prepared), array_of($d, @role, $reference_prepared);
	}
	elsif (@merge)
	{
		printf "CALL compare(%s, %s, %s, %s, %s);\n", quoted($ours), quoted($ours), array_of(@settings), array_of($merge[0]), array_of($merge[1]);
	}
	elsif (chance(0.1) && $ours !~ /UPDATE|DELETE/)
	{
		my $declare = 'DECLARE c ' . one_of('', 'SCROLL ', 'INSENSITIVE ') . 'CURSOR FOR ';
		printf "CALL compare('FETCH c', 'FETCH c', %s, %s, %s);\n", array_of(@settings), array_of($declare . $ours), array_of(@role, $declare . $reference);
	}
	else
	{
		printf "CALL compare(%s, %s, %s, '{}', %s);\n", quoted($ours), quoted($reference), array_of(@settings), array_of(@role);
	}
}
