# Clients insert and read while partitions of a minute are created and dropped, as cron
# would do it, on a clock that runs fast: no statement fails, no row is in the default
# partition, and each is in the partition of its time.  A call that cannot get a lock
# reports that, and the next call does what is left.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use History;
use IPC::Run;
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $machine = new_machine();
plan skip_all => "$machine: NO TEST with a clock that is set" unless ref $machine;

my $node = start_server('main', env => { machine_environment($machine) }, conf => "shared_buffers = 64MB\ntimezone = 'UTC'");
my $dir = PostgreSQL::Test::Utils::tempdir('load');
$node->safe_psql('postgres', q{
	CREATE TABLE event (id objectid PRIMARY KEY DEFAULT gen_objectid()) PARTITION BY RANGE (id);
	CREATE TABLE event_default PARTITION OF event DEFAULT;
	CREATE SEQUENCE message_id CACHE 16;
	CREATE TABLE message (id bigint PRIMARY KEY DEFAULT next_snowflake('message_id', 5, 'twitter')) PARTITION BY RANGE (id);
	CREATE TABLE message_default PARTITION OF message DEFAULT;
	CREATE TABLE log (done text, problem text)});
my @maintain = map { "INSERT INTO log SELECT done, problem FROM objectid_ext_tools.maintain_id_partitions('$_', '1 minute', '15 minutes', '2 minutes');\n" } 'event', 'message';
append_to_file("$dir/maintain.sql", join '', @maintain, "SELECT pg_sleep(0.2);\n");
append_to_file("$dir/insert.sql", "INSERT INTO event DEFAULT VALUES;\nINSERT INTO message DEFAULT VALUES;\n");
append_to_file("$dir/read.sql", "SELECT count(*) FROM event;\nSELECT count(*) FROM message WHERE id > 5;\n");

sub start_load
{
	my ($seconds, $clients, @scripts) = @_;
	my $load = {};
	$load->{run} = IPC::Run::start([ 'pgbench', '-n', '-c', $clients, '-j', 1, '-T', $seconds, (map { ('-f', "$dir/$_") } @scripts), $node->connstr('postgres') ],
		'<', \undef, '>', \$load->{out}, '2>', \$load->{err});
	return $load;
}

# A minute lasts some seconds, fewer than a call and a transaction last.
my $seconds = is_long() ? 60 : 10;
set_clock($machine, 0, 30);
$node->safe_psql('postgres', join '', @maintain);
my %load = (clients => start_load($seconds, 8, 'insert.sql@50', 'read.sql@1'), maintainers => start_load($seconds, 2, 'maintain.sql'));
foreach my $name (sort keys %load)
{
	ok($load{$name}->{run}->finish, "$name end well");
	unlike($load{$name}->{err}, qr/ERROR|FATAL|aborted/, "$name: no error") or diag($load{$name}->{err});
}
set_clock($machine, 3600, 1);

my %done = map { split /\|/ } split /\n/, $node->safe_psql('postgres', 'SELECT coalesce(done, problem), count(*) FROM log GROUP BY 1');
is(join(' ', sort keys %done), 'created dropped', 'partitions were created and dropped, without a problem') or diag(explain(\%done));
cmp_ok($done{$_} // 0, '>=', 4, "$done{$_} $_") foreach 'created', 'dropped';
is($node->safe_psql('postgres', 'SELECT (SELECT count(*) FROM event_default), (SELECT count(*) FROM message_default)'), '0|0', 'no row in a default partition');
foreach ([ 'event', 'objectid_timestamp(id)' ], [ 'message', q{snowflake_timestamp(id, 'twitter')} ])
{
	my ($table, $time) = @$_;
	my ($rows, $right) = split /\|/, $node->safe_psql('postgres', qq{
		SELECT count(*), count(*) FILTER (WHERE $time >= lower AND $time < upper) FROM $table AS t JOIN objectid_ext_tools.id_partitions('$table') AS p ON p.partition = t.tableoid});
	cmp_ok($rows, '>', 100, "$rows rows of $table");
	is($right, $rows, 'each in its partition');
}

# lock_timeout is that of the caller.
my $reader = $node->background_psql('postgres');
$reader->query_safe('BEGIN; SELECT count(*) FROM message');
my $with_timeout = q{SET lock_timeout = '10ms'; SELECT coalesce(done, problem), count(*) > 0 FROM objectid_ext_tools.maintain_id_partitions('message', '1 hour', '1 hour', '5 min') GROUP BY 1 ORDER BY 1};
is($node->safe_psql('postgres', $with_timeout), 'canceling statement due to lock timeout|t', 'what is locked is a problem');
$reader->query_safe('COMMIT');
$reader->quit;
# autovacuum may be at work: it makes room after a second
is($node->safe_psql('postgres', $with_timeout =~ s/10ms/1min/r), "created|t\ndropped|t", 'and later none');

$node->stop;
done_testing();
