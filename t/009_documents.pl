# Every SQL statement that README.md and the pages of docs/ show is run, page by
# page, in a database of its own; and the files that they name and the headings
# that they link to are there.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->start;

my $count = 0;
foreach my $page (glob('*.md'), glob('docs/*.md'))
{
	my $text = slurp_file($page);
	my @files = $text =~ m{(?<![\w./-])((?:bench|docs|examples|scripts|specs|sql|t)/\w[\w./-]*\w)}g;
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

# The reference has every operator, and every function that is there to be called
# by its name: not what an operator, an operator class, a type, a cast or an
# aggregate is made of, and not what only other functions call in their bodies.
$node->safe_psql('postgres', 'CREATE EXTENSION objectid_ext');
my @names = split /\n/, $node->safe_psql('postgres', q{
	WITH member AS (
		SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON d.refobjid = e.oid
		WHERE extname = 'objectid_ext' AND d.refclassid = 'pg_extension'::regclass AND deptype = 'e'),
	part AS (
		SELECT oprcode AS function FROM pg_operator UNION SELECT amproc FROM pg_amproc
		UNION SELECT castfunc FROM pg_cast UNION SELECT aggtransfn FROM pg_aggregate
		UNION SELECT refobjid FROM pg_depend WHERE refclassid = 'pg_proc'::regclass AND classid = 'pg_type'::regclass)
	SELECT proname FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
	WHERE p.oid NOT IN (SELECT function FROM part)
	  AND 'internal'::regtype <> ALL (prorettype || proargtypes::oid[])
	  AND (prolang = (SELECT oid FROM pg_language WHERE lanname = 'c') OR NOT EXISTS
	       (SELECT FROM member JOIN pg_proc AS caller ON classid = 'pg_proc'::regclass AND objid = caller.oid
	        WHERE coalesce(pg_get_function_sqlbody(caller.oid), caller.prosrc) ~ ('\m' || p.proname || '\(')))
	UNION
	SELECT oprname FROM member JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND objid = o.oid});
note("@names");
my $reference = slurp_file('docs/reference.md');
cmp_ok(scalar(@names), '>', 40, 'there are functions and operators');
is(join(' ', grep { $reference !~ /`\Q$_\E[`(]/ } @names), '', 'the reference has them all');

# A page's headings as they are linked to
sub anchors
{
	my ($page) = @_;
	my @headings = map { lc } slurp_file($page) =~ /^#+ (.*)$/mg;
	return map { s/[^\w -]//gr =~ tr/ /-/r } @headings;
}

my $links = 0;
my %unreached = map { $_ => 1 } glob('docs/*.md');
foreach my $page (glob('*.md docs/*.md'))
{
	my ($dir) = $page =~ m{^(.*/)?};
	foreach my $link (slurp_file($page) =~ /\]\(([^\s()]+)\)/g)
	{
		next if $link =~ /^https?:/;
		my ($file, $anchor) = split /#/, $link;
		my $target = $file eq '' ? $page : ($dir // '') . $file;
		my $found = -e $target && (!defined $anchor || grep { $_ eq $anchor } anchors($target));
		ok($found, "$page: $link") unless $found;
		delete $unreached{$target} if $page eq 'README.md';
		$links++;
	}
}
cmp_ok($links, '>', 20, 'links lead to pages and headings that there are');
is(join(' ', sort keys %unreached), '', 'README.md leads to every page');

done_testing();
