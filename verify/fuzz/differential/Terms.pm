package Terms;

# The terms of scripts/differential's queries: expressions for times, ranges and ids,
# and predicates on them.  A predicate is a pair of texts: ours, and the reference,
# which compares the decoded time.

use strict;
use warnings FATAL => 'all';

use Exporter qw(import);
our @EXPORT = qw(one_of chance number both scope with_scope parameter literal_time literal_range
  time_expr range_expr id_expr predicate condition);

sub one_of { return $_[ int(rand(@_)) ]; }
sub chance { return rand() < $_[0]; }
sub number { return int(rand($_[0])); }

# What the terms may use: a hash of
#	self, other	aliases of tables with our columns; other may be missing
#	parameters	list of [ type, value ] that a prepared statement takes, to be added to
#	arguments	hash from type to the name of a function's argument
#	immutable	only immutable expressions over self, as for an index
my $scope = {};
sub scope { return $scope; }

sub with_scope
{
	my ($new, $function) = @_;
	my $old = $scope;
	$scope = $new;
	my @result = $function->();
	$scope = $old;
	return wantarray ? @result : $result[0];
}

# A pair of texts from pairs: f of ours, and f of the references.
sub both
{
	my ($function, @pairs) = @_;
	return [ map { my $i = $_; $function->(map { $_->[$i] } @pairs) } 0, 1 ];
}

# A value as a parameter where there may be one, else as it is
sub parameter
{
	my ($type, $value) = @_;
	return $scope->{arguments}{$type} if $scope->{arguments} && $scope->{arguments}{$type};
	return $value if !$scope->{parameters};
	push @{ $scope->{parameters} }, [ $type, $value ];
	return '$' . @{ $scope->{parameters} };
}

my @special_times = ('-infinity', 'infinity', '1969-12-31 23:59:59.999999+00', '1970-01-01 00:00:00+00',
	'1970-01-01 00:00:00.000001+00', '2010-11-04 01:42:54.657+00', '2106-02-07 06:28:14.5+00',
	'2106-02-07 06:28:15+00', '2106-02-07 06:28:15.000001+00', '2106-02-07 06:28:16+00',
	'2150-01-01 00:00:00+00', '2080-07-10 17:30:30.209+00');
my @special_ranges = ("tstzrange 'empty'", "tstzrange '(,)'", 'NULL::tstzrange', "tstzrange '[-infinity,infinity]'",
	"tstzrange '(-infinity,infinity)'", "tstzrange '[infinity,]'", "tstzrange '[,-infinity)'",
	"tstzrange '(infinity,]'", "tstzrange '[,-infinity]'", "tstzrange '[2106-02-07 06:28:15+00,]'",
	"tstzrange '(2106-02-07 06:28:15+00,]'", "tstzrange '[,1970-01-01 00:00:00+00]'", "tstzrange '[,1970-01-01 00:00:00+00)'");
my @bounds = ('[)', '[]', '(]', '()');
my @layouts = ("'twitter'", "'instagram'", "'discord'", "'mastodon'", "'js53'");

# The tables have a row for every hundredth second.
sub literal_time
{
	return one_of(@special_times) if chance(0.2);
	my $second = chance(0.5) ? 100 * number(24) : number(2400);
	return sprintf('2026-01-01 00:%02d:%02d%s+00', $second / 60, $second % 60, one_of('', '', '', '.25', '.250001', '.000001', '.999999'));
}

sub literal_range
{
	return one_of(@special_ranges) if chance(0.1);
	my ($a, $b) = (literal_time(), literal_time());
	$b = $a if chance(0.1);
	return sprintf("tstzrange(least(timestamptz '%s', '%s'), greatest(timestamptz '%s', '%s'), '%s')", $a, $b, $a, $b, one_of(@bounds))
	  if "$a$b" !~ /^(2026\S+ \S+){2}$/;
	($a, $b) = sort ($a, $b);
	return one_of(map { sprintf("tstzrange '%s%s,%s%s'", substr($_, 0, 1), $a, $b, substr($_, 1)) } @bounds);
}

sub from_small { return '(SELECT ' . $_[0] . ' FROM small z WHERE z.k = ' . number(20) . ' ORDER BY z.id LIMIT 1)'; }

sub case_of { return "CASE WHEN $scope->{self}.n > " . number(100) . " THEN $_[0] ELSE $_[1] END"; }

# Expressions for a time, a range and an id; those without a table first
sub immutable_time
{
	my $literal = "timestamptz '" . literal_time() . "'";
	my $self = $scope->{self};
	return one_of(($literal) x 6, "$self.t", "coalesce($self.t, $literal)", case_of($literal, "$self.t"), 'NULL::timestamptz',
		"lower(" . literal_range() . ')');
}

sub time_expr
{
	return immutable_time() if $scope->{immutable} || chance(0.3);
	my ($self, $other) = @$scope{qw(self other)};
	my $literal = "timestamptz '" . literal_time() . "'";
	my @choices = (
		sub { parameter('timestamptz', chance(0.1) ? 'NULL::timestamptz' : $literal) },
		sub { parameter('timestamptz', $literal) },
		sub { '(SELECT t FROM instant WHERE k = ' . one_of(1 .. 14, 100 .. 123) . ')' },
		sub { "stable_time($literal)" },
		sub { "volatile_time($literal)" },
		sub { "(SELECT max(z.t) FROM small z WHERE z.grp = $self.grp)" },
		sub { "($literal)::time_domain" },
		sub { '(' . time_expr() . " + interval '" . one_of('1 minute', '-250 ms', '1 us', '1 day') . "')" });
	push @choices, (sub { "$other.t" }) x 3, sub { "objectid_timestamp($other.id)" }, sub { "upper($other.r)" } if defined $other;
	return one_of(@choices)->();
}

sub immutable_range
{
	my $self = $scope->{self};
	my $literal = literal_range();
	return one_of(($literal) x 4, "$self.r", "coalesce($self.r, $literal)", case_of($literal, "$self.r"));
}

# A range from one time, which is evaluated once or twice
sub range_from_time
{
	my $x = time_expr();
	my $width = one_of('1 minute', '0', '1 us', '10 minutes');
	return "tstzrange($x, $x + interval '$width', '" . one_of(@bounds) . "')" if chance(0.5);
	return one_of("tstzrange($x, NULL, '" . one_of(@bounds) . "')", "tstzrange(NULL, $x, '" . one_of(@bounds) . "')");
}

# A sub-select and columns of the same table
sub mixed_range
{
	my $self = $scope->{self};
	my $r = from_small('z.r');
	return one_of("coalesce($r, $self.r)", "coalesce($self.r, $r)", case_of($r, "$self.r"), "($r * $self.r)",
		'tstzrange(' . from_small('z.t') . ", greatest($self.t, 'infinity'), '" . one_of(@bounds) . "')");
}

sub range_expr
{
	return immutable_range() if $scope->{immutable} || chance(0.25);
	my ($self, $other) = @$scope{qw(self other)};
	my $literal = literal_range();
	my @choices = (
		(sub { parameter('tstzrange', chance(0.2) ? one_of(@special_ranges) : $literal) }) x 2,
		sub { from_small('z.r') },
		sub { "(SELECT z.r FROM small z WHERE z.grp = $self.grp ORDER BY z.id LIMIT 1)" },
		sub { "stable_range($literal)" },
		sub { "volatile_range($literal)" },
		sub { "$literal\::span_domain" },
		sub { "(SELECT tstzrange(min(z.t), max(z.t), '" . one_of(@bounds) . "') FROM small z WHERE z.grp > " . number(12) . ' AND isfinite(z.t))' },
		sub { "($literal * " . literal_range() . ')' },
		\&mixed_range, (\&range_from_time) x 3);
	push @choices, (sub { "$other.r" }) x 3, sub { "coalesce($other.r, $literal)" } if defined $other;
	return one_of(@choices)->();
}

sub id_expr
{
	my ($self, $other) = @$scope{qw(self other)};
	return "$self.id" if $scope->{immutable} || chance(0.75);
	my @choices = (sub { "volatile_id($self.id)" }, sub { from_small('z.id') },
		sub { "coalesce($self.id, '69560000ffffffffffffffff')" },
		sub { "(SELECT max(z.id) FROM small z WHERE z.grp = $self.grp)" },
		sub { parameter('objectid', one_of("objectid '6955b9ffffffffffffffffff'", 'NULL::objectid')) });
	push @choices, sub { "$other.id" } if defined $other;
	return one_of(@choices)->();
}

# Ids compared with a time
sub time_predicate
{
	my ($id, $t) = (id_expr(), time_expr());
	my $end = "timestamptz '2026-01-01 00:20:00+00'";
	return one_of(
		[ "$id < $t", "ref_lt($id, $t)" ], [ "$id <= $t", "ref_le($id, $t)" ],
		[ "$id >= $t", "NOT ref_lt($id, $t)" ], [ "$id > $t", "NOT ref_le($id, $t)" ],
		[ "$t > $id", "ref_lt($id, $t)" ], [ "$t >= $id", "ref_le($id, $t)" ],
		[ "$t <= $id", "NOT ref_lt($id, $t)" ], [ "$t < $id", "NOT ref_le($id, $t)" ],
		[ "$id BETWEEN $t AND $end", "NOT ref_lt($id, $t) AND ref_le($id, $end)" ],
		[ "$id NOT BETWEEN $t AND $end", "ref_lt($id, $t) OR NOT ref_le($id, $end)" ]);
}

sub range_predicate
{
	my ($id, $r) = (id_expr(), range_expr());
	my @pairs = ([ "$id <@ $r", "ref_in(objectid_timestamp($id), $r)" ], [ "$r @> $id", "ref_in(objectid_timestamp($id), $r)" ],
		[ "objectid_within($id, $r)", "ref_in(objectid_timestamp($id), $r)" ],
		[ "range_contains_objectid($r, $id)", "ref_in(objectid_timestamp($id), $r)" ],
		[ "sql_within($id, $r)", "sql_ref_within($id, $r)" ]);
	push @pairs, [ "$id <@ ANY (ARRAY[$r, '[2026-01-01 00:10:00+00,2026-01-01 00:15:00+00]'])",
		"(ref_in(objectid_timestamp($id), $r) OR ref_in(objectid_timestamp($id), '[2026-01-01 00:10:00+00,2026-01-01 00:15:00+00]'))" ]
	  unless $r =~ /volatile/ || $id =~ /volatile/;
	return one_of(@pairs);
}

sub layout_expr
{
	my $l = one_of(@layouts);
	return $l if $scope->{immutable} || chance(0.6);
	return one_of(parameter('snowflake_layout', one_of("snowflake_layout $l", 'NULL::snowflake_layout')),
		'(SELECT l FROM layout WHERE k = ' . number(7) . ')', "CASE WHEN $scope->{self}.n < 50 THEN snowflake_layout $l END");
}

sub snowflake_predicate
{
	my ($r, $l) = (range_expr(), layout_expr());
	my $f = (defined $scope->{other} && chance(0.2) ? $scope->{other} : $scope->{self}) . '.flake';
	return [ "snowflake_within($f, $r, 'twitter')", "ref_snowflake($f, $r, 'twitter')" ] if chance(0.6);
	return [ "snowflake_within($f, $r, $l)", "ref_snowflake($f, $r, $l)" ];
}

sub uuid_predicate
{
	my $r = range_expr();
	my $u = (defined $scope->{other} && chance(0.2) ? $scope->{other} : $scope->{self}) . '.uid';
	return [ "uuidv7_within($u, $r)", "ref_in(uuidv7_timestamp($u), $r)" ];
}

sub text_expr
{
	my ($self, $other) = @$scope{qw(self other)};
	my @choices = ("$self.txt", "$self.txt::varchar", "'6955b9000123456789ABCDEF'::text", "coalesce($self.txt, repeat('0', 24))");
	return one_of(@choices) if $scope->{immutable};
	push @choices, from_small('z.txt'), "volatile_text($self.txt)";
	push @choices, ("$other.txt") x 5 if defined $other;
	return chance(0.2) ? parameter('text', one_of("'6955b9000123456789abcdef'", 'NULL::text')) : one_of(@choices);
}

sub text_predicate
{
	my ($id, $t) = (id_expr(), text_expr());
	return one_of([ "$id = $t", "$id = ($t)::objectid" ], [ "$t = $id", "($t)::objectid = $id" ],
		[ "$id <> $t", "$id <> ($t)::objectid" ], [ "$t <> $id", "($t)::objectid <> $id" ],
		[ "$id IS NOT DISTINCT FROM $t", "$id IS NOT DISTINCT FROM ($t)::objectid" ]);
}

# Ranges in a column with an index: of objectid, or another range type of timestamptz
sub range_index_predicate
{
	my ($self, $other) = @$scope{qw(self other)};
	my $id = id_expr();
	return one_of([ "$self.ir\::idrange @> $id", "$self.ir OPERATOR(pg_catalog.@>) $id\::objectid" ],
		[ "$id <@ $self.ir", "$id\::objectid OPERATOR(pg_catalog.<@) $self.ir" ]) if chance(0.5);
	my $s = defined $other && chance(0.5) ? $other : $self;
	return one_of([ "$s.sp @> $id", "$s.sp @> objectid_timestamp($id)" ], [ "$id <@ $s.sp", "objectid_timestamp($id) <@ $s.sp" ],
		[ "$s.r @> $id", "$s.r @> objectid_timestamp($id)" ]);
}

sub sublink_predicate
{
	my $self = $scope->{self};
	my $q = 'FROM small z WHERE z.grp = ' . (chance(0.5) ? "$self.grp" : number(10));
	my $id = id_expr();
	my $any = one_of('ANY', 'ALL');
	return one_of(
		[ "$id <@ $any (SELECT z.r $q)", "objectid_timestamp($id) <@ $any (SELECT z.r $q)" ],
		[ "$id < ANY (SELECT z.t $q)", "EXISTS (SELECT $q AND ref_lt($id, z.t)) OR CASE WHEN EXISTS (SELECT $q AND ref_lt($id, z.t) IS NULL) THEN NULL ELSE false END" ],
		[ "$id IN (SELECT z.txt $q)", "$id IN (SELECT z.txt::objectid $q)" ],
		[ "$id NOT IN (SELECT z.txt $q)", "$id NOT IN (SELECT z.txt::objectid $q)" ],
		[ "$self.txt IN (SELECT z.id $q)", "$self.txt::objectid IN (SELECT z.id $q)" ],
		[ "$self.txt NOT IN (SELECT z.id $q)", "$self.txt::objectid NOT IN (SELECT z.id $q)" ],
		[ "EXISTS (SELECT $q AND z.id <@ $self.r)", "EXISTS (SELECT $q AND objectid_timestamp(z.id) <@ $self.r)" ],
		[ "EXISTS (SELECT $q AND $id <@ z.r)", "EXISTS (SELECT $q AND objectid_timestamp($id) <@ z.r)" ],
		[ "NOT EXISTS (SELECT $q AND $id > z.t)", "NOT EXISTS (SELECT $q AND NOT ref_le($id, z.t))" ],
		[ "(SELECT count(*) $q AND z.id < $self.t) > 2", "(SELECT count(*) $q AND ref_lt(z.id, $self.t)) > 2" ],
		[ "(SELECT bool_or($id <@ z.r) $q)", "(SELECT bool_or(objectid_timestamp($id) <@ z.r) $q)" ],
		[ "EXISTS (SELECT $q AND uuidv7_within(z.uid, $self.r))", "EXISTS (SELECT $q AND uuidv7_timestamp(z.uid) <@ $self.r)" ],
		[ "EXISTS (SELECT $q AND snowflake_within(z.flake, $self.r, 'twitter'))", "EXISTS (SELECT $q AND ref_snowflake(z.flake, $self.r, 'twitter'))" ]);
}

sub predicate
{
	my @makers = ((\&time_predicate) x 4, (\&range_predicate) x 4, \&snowflake_predicate, \&uuid_predicate, \&text_predicate);
	push @makers, \&range_index_predicate, \&sublink_predicate unless $scope->{immutable};
	return one_of(@makers)->();
}

# A predicate somewhere in an expression
sub condition
{
	my ($depth) = (@_, 0);
	my $p = predicate();
	return $p if $depth > 2 || chance(0.5);
	my $self = $scope->{self};
	my $n = number(100);
	my @one = (sub { "NOT ($_[0])" }, sub { "($_[0]) IS NULL" }, sub { "($_[0]) IS TRUE" }, sub { "($_[0]) IS NOT TRUE" },
		sub { "($_[0]) IS DISTINCT FROM ($self.n < $n)" }, sub { "($_[0]) = ($self.grp < 5)" },
		sub { "CASE WHEN $self.n < $n THEN $_[0] ELSE $self.grp < 4 END" },
		sub { "CASE WHEN $_[0] THEN $self.n < $n ELSE $self.grp < 4 END" },
		sub { "coalesce($_[0], $self.n < $n)" }, sub { "nullif($_[0], $self.n < $n)" },
		sub { "($_[0]) IN (true, $self.n < $n)" });
	return both(one_of(@one), $p) if chance(0.5);
	my $word = one_of('AND', 'AND', 'OR');
	return both(sub { "($_[0]) $word ($_[1])" }, $p, condition($depth + 1));
}

1;
