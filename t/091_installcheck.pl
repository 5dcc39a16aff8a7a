# make installcheck against a server that is not of UTF-8, as a superuser of
# another name, in a folder outside of the tree, and with what a caller's
# environment may hold.

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = abs_path('.');
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';

# The tests with characters beyond ASCII, one that connects to its own server,
# and one of each suite.
my @regress = grep { slurp_file("sql/$_.sql") =~ /[^\0-\x7f]/ } map { m{sql/(.*)\.sql} } glob('sql/*.sql');
cmp_ok(scalar @regress, '>', 0, 'there are tests with characters beyond ASCII');

# Others depend on the superuser's name only if they print it: postgres, in scripts/check.
my @named = grep { slurp_file($_) =~ /(?<!['\w])postgres(?!['\w])/ } glob('{,tools/}expected/*.out');
is("@named", '', "no test prints the name of the superuser");

foreach my $encoding ('SQL_ASCII', 'LATIN1')
{
	my $node = PostgreSQL::Test::Cluster->new($encoding);
	$node->init(extra => [ '--no-locale', "--encoding=$encoding" ]);
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE installer SUPERUSER LOGIN');

	my $dir = PostgreSQL::Test::Utils::tempdir($encoding);
	delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGUSER => 'installer',
		PGCLIENTENCODING => 'LATIN1', LANG => 'C', LC_CTYPE => 'C');
	my $output = qx{make -C '$dir' -f '$tree/Makefile' VPATH='$tree' PG_CONFIG='$pg_config' installcheck REGRESS='@regress postgres_fdw' ISOLATION=clock_sequence TAP_TESTS= 2>&1};
	is($?, 0, "tests pass on a server of $encoding") or diag($output);
	foreach my $diffs (grep { -e } "$dir/regression.diffs", "$dir/output_iso/regression.diffs")
	{
		diag(slurp_file($diffs));
	}

	# The servers of the tests in t/ take their encoding from the environment.
	like(qx{make -s -C '$dir' -f '$tree/Makefile' VPATH='$tree' PG_CONFIG='$pg_config' --eval='lang:; \@echo \$\$LANG, \$\$LC_CTYPE' lang},
		qr/^C\.UTF-8,$/m, 'and the tests that make servers get UTF-8');

	is($node->safe_psql('postgres', q{
		CREATE EXTENSION objectid_ext_tools CASCADE;
		CREATE TABLE lines (number, line) AS VALUES (1, '{"_id": 1}'), (2, '{"name": "\u2028"}'), (3, '[{"name": "\u2028"}, {"_id": 3}]');
		SELECT number, doc, problem IS NOT NULL FROM objectid_ext_tools.extjson_documents('lines')}),
		qq[1|{"_id": 1}|f\n2||t\n3||t\n3|{"_id": 3}|f], 'a document with a character beyond the encoding is a problem, and others are loaded');
	$node->stop;
}

# A build outside of a tree that has been built, for whichever server, would install what is there.
my $copy = PostgreSQL::Test::Utils::tempdir('tree');
mkdir "$copy/$_" foreach 'out', 'tools';
system_or_bail('sh', '-c', "cp -r Makefile scripts extension src *.c *.control META.json $copy && cp tools/Makefile tools/*.control tools/*.sql $copy/tools && : >$copy/objectid_ext.so");
{
	delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};
	my $said = qx{make -C '$copy/out' -f '$copy/Makefile' VPATH='$copy' PG_CONFIG='$pg_config' install DESTDIR='$copy/root' 2>&1};
	like($said, qr/has been built in; run "make clean" there first$/m, 'a build outside of a tree that has been built is refused');
	ok(!-e "$copy/root", 'and nothing is installed');
}

done_testing();
