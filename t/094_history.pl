# The checker of histories finds a planted fault of every kind, and nothing in
# a history that is sound.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use PostgreSQL::Test::Utils;
use Test::More;

my $clock = 1790000000_000000;

# Ids of a time in seconds after the clock
sub twitter
{
	my ($seconds, $sequence, $node) = @_;
	my $ms = int(($clock / 1e6 + $seconds) * 1000) - 1288834974657;
	return ($ms << 22) + (($node // 5) << 12) + $sequence;
}

sub instagram
{
	my ($seconds, $sequence, $shard) = @_;
	my $ms = int(($clock / 1e6 + $seconds) * 1000) - 1314220021721;
	return ($ms << 23) + (($shard // 6) << 10) + $sequence;
}

sub objectid
{
	my ($seconds, $identity, $counter) = @_;
	return sprintf '%08x%010x%06x', $clock / 1e6 + $seconds, $identity, $counter;
}

sub line
{
	my ($generator, $first, $last) = @_;
	return join '|', $generator, $first, $last // $first, $clock;
}

# Two sessions
sub history
{
	return map { { node => 5, shard => 5, lines => $_ } } [
		line(cache_1 => twitter(0, 1)), line(cache_1 => twitter(0, 3)),
		line(cache_64 => twitter(0, 64)), line(cache_64 => twitter(1, 0)),
		line(shard => instagram(0, 1, 5)), line(shard => instagram(0, 2, 5)),
		line(objectid => objectid(0, 1, 1)), line(objectid => objectid(0, 1, 2)),
		line(range => 1, 9), line(range => 10, 10)
	],
	[
		line(cache_1 => twitter(0, 2)), line(cache_1 => twitter(0, 4)),
		line(cache_64 => twitter(0, 128)),
		line(shard => instagram(0, 1023, 5)), line(shard => instagram(0.001, 0, 5)),
		line(objectid => objectid(0, 2, 1)), line(objectid => objectid(1, 2, 0)),
		line(range => 11, 12), line(range => 100, 200)
	];
}

# The kinds of faults in that history and these lines of a third session
my %limits;

sub faults
{
	my (@lines) = @_;
	my %kinds;
	$kinds{ (split /:/)[0] }++ foreach check_history([ history(), { node => 5, shard => 6, lines => \@lines } ], %limits);
	return join ' ', map { "$_ $kinds{$_}" } sort keys %kinds;
}

is(faults(), '', 'a history that is sound');
is(faults(line(cache_1 => twitter(0, 5)), line(range => 201, 300)), '', 'and more of it');

# No id twice, in one session or in two; ranges do not overlap
is(faults(line(cache_1 => twitter(0, 2))), 'twice 1', 'a snowflake that another session has');
is(faults(line(cache_64 => twitter(0, 64))), 'twice 1', 'the same with a cache');
is(faults(line(shard => instagram(0, 1023, 5))), 'node 1 twice 1', 'a shard id that another session has');
is(faults(line(objectid => objectid(0, 2, 1))), 'twice 1', 'an objectid that another session has');
is(faults(line(range => 12, 13)), 'twice 1', 'a range that begins within another');
is(faults(line(range => 99, 100)), 'twice 1', 'a range that ends within another');
is(faults(line(range => 150, 151)), 'twice 1', 'a range within another');
is(faults(line(range => 50, 250)), 'twice 1', 'a range around another');
is(faults((line(cache_1 => twitter(0, 9))) x 2), 'order 1 twice 1', 'an id twice in one session');

# A shard that clients share is one for all numbers, and that of the server; plain
# numbers may begin again.
my @shared = (line(shard_cache_1 => instagram(0, 1, 1005)), line(shard_cache_1 => instagram(0, 2, 1005)),
	line(shard_cache_100 => instagram(0, 100, 1005)),
	line(shard_plain => instagram(0, 9, 1005)), line(shard_plain => instagram(0, 8, 1005)));
is(faults(@shared), '', 'ids of a shared shard');
is(faults(@shared, line(shard_cache_1 => instagram(0, 100, 1005))), 'twice 1', 'an id that another sequence has');
is(faults(@shared, line(shard_cache_100 => instagram(0, 9, 1005))), 'order 1 twice 1', 'an id that a plain number has');
is(faults(@shared, line(shard_plain => instagram(0, 2, 1005))), 'twice 1', 'an id that a sequence has');
is(faults(@shared, line(shard_cache_1 => instagram(0, 0, 1005))), 'order 1', 'ids out of order');
is(faults(@shared, line(shard_plain => instagram(-0.001, 10, 1005))), 'order 1', 'ids of plain numbers out of order');
is(faults(@shared, line(shard_plain => instagram(1.2, 0, 1006))), 'lead 1 node 1', 'an id of another shard, too early');

# More ids than a hash holds, in files
my $dir = PostgreSQL::Test::Utils::tempdir;

sub write_ids
{
	my ($name, @ids) = @_;
	PostgreSQL::Test::Utils::append_to_file("$dir/$name", join '', map { "$_\n" } @ids);
	return "$dir/$name";
}
my ($one, $two) = (write_ids(one => twitter(0, 1), twitter(0, 3)), write_ids(two => twitter(0, 2), twitter(0, 4)));
my ($three, $four) = (write_ids(three => twitter(0, 9), twitter(0, 3)), write_ids(four => (twitter(0, 5)) x 2));
is(join(' ', map { ascends($_) ? 1 : 0 } $one, $three, $four), '1 0 0', 'a file whose ids ascend, and two others');
is(join(' ', repeated($dir, $one, $two)), '', 'distinct ids of two files');
is(join(' ', repeated($dir, $one, $three)), twitter(0, 3), 'an id in two files');
is(join(' ', repeated($dir, $four)), twitter(0, 5), 'an id twice in a file');

# Sequences of their own, of which some are meant to go back
my @twice = (line('cache_1.a' => twitter(0, 1)), line('cache_1.b' => twitter(0, 1)), line('range.a' => 1, 9));
is(faults(@twice), '', 'an id that another sequence has');
is(faults(@twice, line('cache_1.b' => twitter(0, 1))), 'order 1 twice 1', 'an id twice of such a sequence');
is(faults(@twice, line('range.a' => 9, 10)), 'order 1 twice 1', 'a range of such a sequence');
is(faults(line('cache_64.a' => twitter(0, 9, 4))), 'node 1', 'another node of such a sequence');
is(faults(line('cache_1.a' => twitter(1.2, 0))), 'lead 1', 'a time of such a sequence');
%limits = (goes_back => qr/\.b$/);
is(faults((@twice) x 2), 'order 2 twice 2', 'ids twice of sequences, one of which goes back');
is(faults(line('cache_1.b' => twitter(1.2, 0, 4))), 'lead 1 node 1', 'other faults of that one');
%limits = ();

# Each session's ids ascend
is(faults(line(cache_1 => twitter(0, 9)), line(cache_1 => twitter(0, 8))), 'order 1', 'snowflakes out of order');
is(faults(line(shard => instagram(0, 9)), line(shard => instagram(0, 8))), 'order 1', 'shard ids out of order');
is(faults(line(objectid => objectid(0, 3, 2)), line(objectid => objectid(0, 3, 1))), 'order 1', 'objectids out of order');
is(faults(line(range => 400, 410), line(range => 390, 399)), 'order 1', 'ranges out of order');
is(faults(line(cache_1 => twitter(0, 9)), line(cache_64 => twitter(0, 8))), '', 'two generators have no order');

# Time
is(faults(line(cache_1 => twitter(1.05, 0))), '', 'a snowflake that leads as far as it may');
is(faults(line(cache_1 => twitter(1.2, 0))), 'lead 1', 'a snowflake that leads too far');
is(faults(line(shard => instagram(1.2, 0))), 'lead 1', 'a shard id that leads too far');
is(faults(line(objectid => objectid(2, 3, 0))), 'lead 1', 'an objectid that leads too far');
is(faults(line(cache_1 => twitter(-4.9, 0))), '', 'a snowflake that lags as far as it may');
is(faults(line(cache_1 => twitter(-5.1, 0))), 'lag 1', 'a snowflake that lags too far');
is(faults(line(shard => instagram(-5.1, 0))), 'lag 1', 'a shard id that lags too far');
is(faults(line(objectid => objectid(-7, 3, 0))), 'lag 1', 'an objectid that lags too far');

# Fields
is(faults(line(cache_1 => twitter(0, 9, 4))), 'node 1', 'a snowflake of another node');
is(faults(line(cache_64 => twitter(0, 9, 0))), 'node 1', 'the same with a cache');
is(faults(line(shard => instagram(0, 9, 5))), 'node 1', 'an id of another shard');

# Errors
sub faults_of_errors
{
	return join ' ', map { /^(\w+):/ } check_history([ { node => 5, shard => 6, lines => [], errors => [@_] } ]);
}
is(faults_of_errors('duplicate key value violates unique constraint "by_cache_1_pkey"'), 'error',
	'an id that the primary key refuses');
is(faults_of_errors('prepared statement "cache_1" does not exist'), 'error', 'a client that does nothing');
is(faults_of_errors('canceling statement due to statement timeout', 'canceling statement due to user request',
		'current transaction is aborted, commands ignored until end of transaction block',
		'could not extend file "base/5/1": No space left on device'), '', 'errors that are to be expected');

# What is no line of a history
is(faults("other|1|1|$clock"), 'malformed 1', 'an unknown generator');
is(faults("other.a|1|1|$clock"), 'malformed 1', 'an unknown generator with a sequence');
is(faults('cache_1|1|1'), 'malformed 1', 'a line without a clock');
is(faults(line(cache_1 => -1)), 'malformed 1', 'a negative id');
is(faults(line(range => 9, 8)), 'malformed 1', 'a range that ends before it begins');
is(faults(line(objectid => '0123')), 'malformed 1', 'a short objectid');

done_testing();
