# What scripts/check makes of the output of tests, and of its arguments; and whether
# there is still what the planted faults change.

use strict;
use warnings FATAL => 'all';

use File::Temp qw(tempdir);
use PostgreSQL::Test::Utils qw(slurp_file);
use Test::More;

my $dir = tempdir(CLEANUP => 1);
mkdir "$dir/t" or die $!;

# The summary of files, given by name and content: its status, and its lines.
sub summary
{
	my (%files) = @_;
	foreach my $name (keys %files)
	{
		open(my $file, '>', "$dir/$name") or die $!;
		print $file $files{$name};
		close($file);
	}
	my @lines = split /\n/, join '', qx{scripts/summary @{[ map { "$dir/$_" } sort keys %files ]} 2>&1};
	return ($? >> 8, @lines);
}

sub summary_is
{
	my ($title, $files, $status, $last, @others) = @_;
	my ($got, @lines) = summary(%$files);
	is($got, $status, "$title: status");
	is($lines[-1], $last, "$title: last line") or diag(join "\n", @lines);
	foreach my $line (@others)
	{
		ok((grep { $_ eq $line } @lines), "$title: $line") or diag(join "\n", @lines);
	}
	return;
}

summary_is('all well', { 't/1.pl' => "ok 1 - a\n# said\nok 2 - b # not skipped\n1..2\n" },
	0, '2 passed, 0 failed, 0 skipped');
summary_is('some skipped', { 't/1.pl' => "ok 1 - a\nok 2 # skip no program\nok 3 # skip no program\n1..3\n" },
	0, '1 passed, 0 failed, 2 skipped', 'no program: t/1');
summary_is('software is missing',
	{ 't/1.pl' => "ok 1 # skip A is not installed (package a)\nok 2 # skip A is not installed (package a)\n1..2\n",
		't/2.pl' => "1..0 # SKIP B is not installed (on Debian b)\n" },
	0, '0 passed, 0 failed, 3 skipped', 'not installed: A (a); B (b)');
summary_is('a file skipped', { 't/1.pl' => "1..0 # SKIP no Citus\n", 't/2.pl' => "ok 1 - a\n1..1\n" },
	0, '1 passed, 0 failed, 1 skipped', 'no Citus: t/1');
summary_is('one failed', { 't/1.pl' => "not ok 1 - a\n# got: 1\nok 2 - b\n1..2\n" },
	1, '1 passed, 1 failed, 0 skipped', 't/1: not ok 1 - a', '    # got: 1');
summary_is('a nested one failed', { 't/1.pl' => "    not ok 1 - inner\n    1..1\nnot ok 1 - a\n1..1\n" },
	1, '0 passed, 1 failed, 0 skipped');
summary_is('one that is marked as to be done', { 't/1.pl' => "not ok 1 - a # todo later\n1..1\n" },
	1, '0 passed, 1 failed, 0 skipped');
summary_is('died', { 't/1.pl' => "ok 1 - a\ndied at line 2\n" },
	1, '1 passed, 1 failed, 0 skipped', 't/1 did not run to its end: No plan found in TAP output');
summary_is('died at once', { 't/1.pl' => '' }, 1, '0 passed, 1 failed, 0 skipped');
summary_is('ended early', { 't/1.pl' => "1..3\nok 1 - a\n" }, 1, '1 passed, 1 failed, 0 skipped');
summary_is('pg_regress of 15',
	{ 'sql.log' => "test order     ... ok    1 ms\ntest text    ... FAILED (test process exited with exit code 2)     1 ms\n" },
	1, '1 passed, 1 failed, 0 skipped');
summary_is('pg_regress of 16', { 'sql.log' => "# server\nok 1     - order     1 ms\nnot ok 2     - text     1 ms\n1..2\n" },
	1, '1 passed, 1 failed, 0 skipped');

# Planted faults, which only long runs plant: a file and what sed changes in it
foreach my $list ('verify/fuzz/differential/faults', 'verify/proofs/runs')
{
	open(my $lines, '<', $list) or die "$list: $!";
	while (my $line = <$lines>)
	{
		my ($file, $fault) = $line =~ /^[^#].*\t(\S+\.(?:[ch]|sql))\t(.+)$/ or next;
		ok(-f $file && system('bash', '-c', 'sed -E "$1" "$2" | cmp -s - "$2"', 'bash', $fault, $file) != 0,
			"$list changes $file: $fault");
	}
}

# What scripts/coverage and scripts/mutants know of the C
sub read_rows
{
	my ($list) = @_;
	open(my $handle, '<', $list) or die "$list: $!";
	return map { chomp; [ split /\t/ ] } grep { !/^#/ } <$handle>;
}
foreach (read_rows('verify/unreached'))
{
	my ($file, $function, $text, $reason) = @$_;
	my $code = join "\n", map { s/^\s+//r =~ s/\t+/ /gr } split /\n/, slurp_file($file);
	ok($reason && $code =~ /^\Q$function\E\(.*?^\Q$text\E$/ms, "verify/unreached: $file, $function(): $text");
}
my %tests_of = map { $_->[0] => $_->[1] } read_rows('verify/mutants/tests');
is(join(' ', sort glob '*.c src/*.c'), join(' ', sort grep { /c\z/ } keys %tests_of), 'verify/mutants/tests has each file of C');
foreach my $test (map { split / / } values %tests_of)
{
	ok(-f "sql/$test.sql" || -f "specs/$test.spec" || -f "t/$test.pl", "verify/mutants/tests: $test");
}

# Arguments
like(qx{scripts/check $_}, qr{^Usage:.*All tests take}ms, "check $_") foreach '--help', '-h';
like(qx{scripts/$_ --help}, qr{^\tscripts/$_ \[}m, "$_ --help") foreach qw(fuzz sanitize valgrind);
like(qx{scripts/check --nothing 2>&1}, qr/unknown option --nothing\nUsage:/, 'an option that there is not');
is($? >> 8, 2, 'and its status');
like(qx{scripts/check nothing 2>&1}, qr/no test "nothing"/, 'a test that there is not');

# .ci/run adds up the last lines of its parts.
system("mkdir -p $dir/tree/.ci $dir/tree/scripts && cp .ci/run $dir/tree/.ci && cp scripts/common.sh $dir/tree/scripts") == 0
  or die 'cannot copy';

sub ci_is
{
	my ($title, $last_line, $status, $last) = @_;
	open(my $script, '>', "$dir/tree/scripts/check") or die $!;
	print $script "#!/bin/sh\necho '9 passed, 9 failed, 9 skipped'\necho '$last_line'\nexit $status\n";
	close($script);
	chmod 0755, "$dir/tree/scripts/check" or die $!;
	my @lines = split /\n/, qx{$dir/tree/.ci/run 2>&1};
	is($? >> 8, $status, "$title: status of .ci/run");
	is($lines[-1], $last, "$title: last line of .ci/run");
	return;
}

SKIP:
{
	skip 'root would run the tests of other versions', 4 if $> == 0;
	ci_is('all well', '5 passed, 0 failed, 1 skipped', 0, '5 passed, 0 failed, 5 skipped');
	ci_is('no end', 'Segmentation fault', 1, '0 passed, 1 failed, 4 skipped');
}

done_testing();
