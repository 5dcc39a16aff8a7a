# What README.md and the pages of docs/ say is so.  Their SQL is run, page by page,
# as the role that the page speaks of, and prints what the page shows.  The files
# that they name and the headings that they link to are there.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Document;
use File::Copy qw(copy);
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A page may ask for a password where it speaks of another server, for dblink
# asks the roles of applications for one.
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nlog_statement = none");
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf', "local tickets_a,tickets_b,shop_a app,monitor scram-sha-256\nlocal all all trust\n");
$node->start;
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
$node->safe_psql('postgres', 'CREATE ROLE reader LOGIN');

# Databases and roles that a page has made are gone before the next.
sub forget_page
{
	$node->safe_psql('postgres', q{
		SELECT format('DROP DATABASE %I', datname) FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1') \gexec
		SELECT format('DROP ROLE %I', rolname) FROM pg_roles WHERE rolname !~ '^pg_' AND rolname NOT IN (current_user, 'reader') \gexec});
}

# A session of psql in a directory
sub start_session
{
	my ($dir) = @_;
	my %session = (in => "\\pset footer off\n", out => '', err => '', at => '');
	$session{run} = IPC::Run::start([ 'psql', '-Xq', '-d', $node->connstr('page'), '-f', '-' ],
		init => sub { chdir $dir or die "cannot change to $dir: $!" },
		'<', \$session{in}, '>', \$session{out}, '2>', \$session{err},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%session;
}

# What a block says to psql, in its database and as its role; the servers it names are
# here, and a busy machine may take longer than two seconds to connect to them
sub commands_of
{
	my ($session, $block) = @_;
	my ($database, $role) = ($block->{on} // 'page', $block->{as} // 'reader');
	$role = $superuser if $role eq 'superuser';
	my $connect = $session->{at} eq "$database $role" ? '' : "\\connect $database $role\n";
	$session->{at} = "$database $role";
	my ($host, $port) = ($node->host, $node->port);
	return $connect . $block->{text} =~ s/host '(\w+)-(\w)', dbname '\w+'/host '$host', port '$port', dbname '$1_$2'/gr
	  =~ s/connect_timeout '\K2(?=')/60/r;
}

# Run a block.  A line on each channel says that it is done.
my $mark = '-- block';

sub run_block
{
	my ($session, $block) = @_;
	$session->{in} .= commands_of($session, $block) . "\n\\echo $mark\n\\warn $mark\n";
	eval {
		$session->{run}->pump until $session->{out} =~ /^$mark\n/m && $session->{err} =~ /^$mark\n/m;
	};
	my %printed = map { $_ => $session->{$_} =~ s/^$mark\n//mr } qw(out err);
	$printed{err} .= 'this was not reached' if $@;
	$session->{$_} = '' foreach qw(out err);
	return { %$block, %printed };
}

# Run the blocks of a page in a directory with its files and the examples.
sub run_page
{
	my ($page, @blocks) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir('page');
	copy($_, $dir) or die "cannot copy $_: $!" foreach glob('examples/*.sql');
	append_to_file("$dir/$_->{file}", $_->{text}) foreach grep { $_->{file} } @blocks;
	@blocks = grep { $_->{language} eq 'sql' && !$_->{in} && !$_->{from} } @blocks;

	my %databases = (page => 1, map { ($_->{on} // 'page') => 1, map { tr/-/_/r => 1 } $_->{text} =~ /host '(\w+-\w)'/g } @blocks);
	foreach my $database (sort keys %databases)
	{
		$node->safe_psql('postgres', "CREATE DATABASE $database OWNER reader");
	}
	local $ENV{PGPASSWORD} = 'secret';
	my %session;
	my @run = map { run_block($session{ $_->{session} // '' } //= start_session($dir), $_) } @blocks;
	$_->{run}->finish foreach values %session;
	forget_page();
	return @run;
}

# What is wrong with what a block has printed
sub faults_of
{
	my ($block) = @_;
	my $shown = $block->{shown} // '';
	my @faults;
	push @faults, "error or warning:\n$block->{err}" unless $block->{err} eq '' || $shown =~ /^(ERROR|WARNING|NOTICE):/m;
	push @faults, 'more than a screen: ' . $block->{out} =~ tr/\n// . ' lines' if $block->{out} =~ tr/\n// > 60;
	push @faults, differences($shown, "$block->{out}\n$block->{err}", $block->{random});
	return map { "line $block->{line}: $_\n" } grep { $_ ne '' } @faults;
}

# What a block quotes of a file, and is not there
sub invented
{
	my ($block) = @_;
	my $source = $block->{from} // $block->{quotes} // return;
	my $file = slurp_file($source);
	my $text = $block->{text} =~ s/^\\set \w+ \w+\n//r =~ s/\n\n(?=CREATE|SELECT)/\n…\n/gr;
	return grep { /\S/ && index($file, $_) < 0 } split /^…\n/m, $text;
}

# The files and functions that a page names, and the source does not have
sub missing_in_source
{
	my ($text) = @_;
	my $source = join('', map { slurp_file($_) } glob('*.c src/*.c extension/*.sql'));
	return ((grep { !-e "src/$_" } $text =~ /`(\w+\.c)`/g), grep { $source !~ /\b$_\(/ } $text =~ /`(\w+)\(\)`/g);
}

my $count = 0;
my $compared = 0;
foreach my $page (glob('*.md'), glob('docs/*.md'))
{
	my $text = slurp_file($page);
	my @files = $text =~ m{(?<![\w./-])((?:bench|docs|examples|scripts|specs|sql|t)/\w[\w./-]*\w)}g;
	is(join(' ', grep { !-e } @files), '', "$page names files that exist");

	is(join(' ', missing_in_source($text)), '', "$page names files and functions of the source") if $page =~ /how-it-works/;

	ok(0, "$page: UTF-8 by clients of any encoding: $_") foreach grep { !/encoding 'UTF8'/ } $text =~ /copy .*\(format csv.*/gi;

	my @blocks = blocks($page);
	is(join('', map { invented($_) } @blocks), '', "$page quotes what its examples say");
	next unless grep { $_->{language} eq 'sql' } @blocks;
	my @run = run_page($page, @blocks);
	is(join('', map { faults_of($_) } @run), '', "$page runs, and prints what it shows");
	$compared += grep { $_->{shown} } @run;
	$count++;
}
ok($count >= 3, 'there are pages');
cmp_ok($compared, '>', 15, 'and output in them');

# A page that is wrong is found out.
my $example = <<'END';
```sql
CREATE EXTENSION objectid_ext;
SELECT 1 AS n, now() AS now, gen_objectid() AS id;
SELECT objectid_timestamp('507f1f77bcf86cd799439011') AS made;
```
```
          made
------------------------
 2012-10-17 21:13:27+00
```
```sql
SELECT 1 AS n, now() AS now, gen_objectid() AS id;
```
```
 n |              now              |            id
---+-------------------------------+--------------------------
 1 | 2026-11-20 10:00:00.123456+00 | 6b00b340038daccc967762df
```
```sql as=superuser
CREATE ROLE guest LOGIN;
```
```sql as=guest
SELECT current_user;
```
```
 current_user
--------------
 guest
```
```sql
SELECT pg_ls_dir('.');
```
```
ERROR:  permission denied for function pg_ls_dir
```
```sql
EXPLAIN (COSTS OFF) SELECT 1;
```
```
 Result
```
END
my %planted = (
	'nothing' => sub { },
	'a time that does not change' => sub { s/2012-10-17/2012-10-18/ },
	'a number' => sub { s/^ 1 \|/ 2 |/m },
	'an id' => sub { s/6b00b340038daccc967762df/6b00b340038daccc967762d/ },
	'a heading' => sub { s/ made$/ created/m },
	'a row too many' => sub { s/ guest$/ guest\n guest/m },
	'a row less' => sub { s/^ guest\n//m },
	'a plan' => sub { s/ Result/ Seq Scan/ },
	'the role' => sub { s/as=guest/as=superuser/ },
	'an error that does not come' => sub { s/pg_ls_dir\('.'\)/1/ },
	'an error that is not shown' => sub { s/^ERROR.*\n//m },
	'thousands of rows' => sub { s/SELECT 1;/SELECT generate_series(1, 1000);/; s/EXPLAIN .*\)// });
foreach my $what (sort keys %planted)
{
	my $page = $example;
	$planted{$what}->() foreach $page;
	my @faults = map { faults_of($_) } run_page('example', blocks(\$page));
	if ($what eq 'nothing') { is("@faults", '', 'a page that is right'); }
	else { isnt("@faults", '', "a page that is wrong is found: $what"); }
}

# The reference has every operator, and every function that is there to be called
# by its name, in a section of its extension: not what an operator, an operator
# class, a type, a cast or an aggregate is made of, and not the internal ones of
# objectid_ext_tools.
$node->safe_psql('postgres', 'CREATE EXTENSION IF NOT EXISTS objectid_ext; CREATE EXTENSION objectid_ext_tools');
my ($ids, $tools) = slurp_file('docs/reference.md') =~ /^(.*?)^## Tools$(.*?)(?=^## )/ms;
my %section = (objectid_ext => $ids, objectid_ext_tools => $tools);
foreach my $extension (sort keys %section)
{
	my @names = split /\n/, $node->safe_psql('postgres', qq{
		WITH member AS (
			SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON d.refobjid = e.oid
			WHERE extname = '$extension' AND d.refclassid = 'pg_extension'::regclass AND deptype = 'e'),
		part AS (
			SELECT oprcode AS function FROM pg_operator UNION SELECT amproc FROM pg_amproc
			UNION SELECT castfunc FROM pg_cast UNION SELECT aggtransfn FROM pg_aggregate
			UNION SELECT refobjid FROM pg_depend WHERE refclassid = 'pg_proc'::regclass AND classid = 'pg_type'::regclass)
		SELECT proname FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND objid = p.oid
		WHERE p.oid NOT IN (SELECT function FROM part)
		  AND 'internal'::regtype <> ALL (prorettype || proargtypes::oid[])
		  AND NOT starts_with(proname, '_')
		UNION
		SELECT oprname FROM member JOIN pg_operator AS o ON classid = 'pg_operator'::regclass AND objid = o.oid});
	note("$extension: @names");
	cmp_ok(scalar(@names), '>', 3, "$extension has functions");
	is(join(' ', grep { $section{$extension} !~ /`\Q$_\E[`(]/ } @names), '', "the reference has them all in sections of $extension");
	is(join(' ', grep { /^\w/ && $section{ $extension eq 'objectid_ext' ? 'objectid_ext_tools' : 'objectid_ext' } =~ /^\| `\Q$_\E\(/m } @names), '',
		'and in no other');
}

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
		delete $unreached{$target} if $page =~ /README\.md$/;
		$links++;
	}
}
cmp_ok($links, '>', 20, 'links lead to pages and headings that there are');
is(join(' ', sort keys %unreached), '', 'README.md or docs/README.md leads to every page');

done_testing();
