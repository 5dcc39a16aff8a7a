# Eight clients insert over a month's end, and while a clock that runs fast fills
# partitions of a minute, which two sessions create and drop: no error, no row in the
# default partition, every row in its own.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t";
use History;
use IPC::Run;
use Machine;
use ObjectidTest;
use POSIX qw(mktime);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $machine = new_machine();
plan skip_all => "$machine: NO TEST with a clock that is set" unless ref $machine;

my $node = start_server('main', env => { machine_environment($machine) }, conf => q{
shared_buffers = 64MB
timezone = 'UTC'
});
my $dir = PostgreSQL::Test::Utils::tempdir('load');
append_to_file("$dir/insert.sql", 'INSERT INTO event DEFAULT VALUES; INSERT INTO message DEFAULT VALUES;');
append_to_file("$dir/read.sql", q{
	BEGIN;
	SELECT count(*) FROM event WHERE id >= timestamptz '2100-01-01Z';
	SELECT count(*) FROM event;
	END;});

sub create_tables
{
	$node->safe_psql('postgres', q{
		DROP TABLE IF EXISTS event, message;
		CREATE TABLE event (id objectid PRIMARY KEY DEFAULT gen_objectid()) PARTITION BY RANGE (id);
		CREATE TABLE event_default PARTITION OF event DEFAULT;
		CREATE SEQUENCE IF NOT EXISTS message_id CACHE 16;
		CREATE TABLE message (id bigint PRIMARY KEY DEFAULT next_snowflake('message_id', 5, 'twitter')) PARTITION BY RANGE (id);
		CREATE TABLE message_default PARTITION OF message DEFAULT});
}

# What a call reports when it cannot lock a table, or cannot wait for it any more: on a
# slow machine, the time for its waits can end while it searches a default partition.
my $not_locked = qr/canceling statement due to lock timeout|could not obtain lock on relation "[\w.]+"/;

# A pgbench for some seconds
sub start_load
{
	my ($seconds, $clients, @scripts) = @_;
	my $load = {};
	$load->{run} = IPC::Run::start(
		[ 'pgbench', '-n', '-c', $clients, '-j', 1, '-T', $seconds, (map { ('-f', "$dir/$_") } @scripts), $node->connstr('postgres') ],
		'<', \undef, '>', \$load->{out}, '2>', \$load->{err});
	return $load;
}

sub end_load
{
	my ($load, $name) = @_;
	ok($load->{run}->finish, "$name end well");
	unlike($load->{err}, qr/ERROR|FATAL|aborted/, "$name: no error") or diag($load->{err});
}

# Clients that insert, some of whom read, and two sessions that maintain both tables,
# in each of these manners
sub run_load
{
	my ($name, $seconds, @manners) = @_;
	$node->safe_psql('postgres', 'DROP TABLE IF EXISTS log; CREATE TABLE log (done text, problem text)');
	foreach my $arguments (@manners)
	{
		append_to_file("$dir/$name.sql", join '',
			map { "INSERT INTO log SELECT done, problem FROM objectid_ext_tools.maintain_id_partitions('$_', $arguments);\n" } 'event', 'message');
	}
	my @loads = (start_load($seconds, 2, "$name.sql"), start_load($seconds, 8, 'insert.sql@100', 'read.sql@1'));
	end_load($loads[1], "$name: clients");
	end_load($loads[0], "$name: maintainers");
	my %done = map { split /\|/ } split /\n/, $node->safe_psql('postgres', q{SELECT coalesce(done, problem), count(*) FROM log GROUP BY 1});
	note("$name: ", join ', ', map { "$done{$_} $_" } sort keys %done);
	my ($late, $other) = (0, 0);
	/^$not_locked$/ ? ($late += $done{$_}) : /^(created|dropped)$/ ? 0 : $other++ foreach keys %done;
	is($other, 0, "$name: no problem but locks that were not free in time");
	cmp_ok($late, '<=', (($done{created} // 0) + ($done{dropped} // 0)) / 4, "$name: and few of these");
	return %done;
}

sub rows_are_in_place
{
	my ($name) = @_;
	is($node->safe_psql('postgres', 'SELECT (SELECT count(*) FROM event_default), (SELECT count(*) FROM message_default)'), '0|0',
		"$name: no row in a default partition");
	foreach my $table ('event', 'message')
	{
		my $time = $table eq 'event' ? 'objectid_timestamp(id)' : q{snowflake_timestamp(id, 'twitter')};
		my ($rows, $distinct, $right) = split /\|/, $node->safe_psql('postgres', qq{
			SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE $time >= lower AND $time < upper)
			FROM $table AS t JOIN objectid_ext_tools.id_partitions('$table') AS p ON p.partition = t.tableoid});
		cmp_ok($rows, '>', 100, "$name: $rows rows of $table");
		is("$distinct|$right", "$rows|$rows", "$name: each in its partition");
	}
}

#
# A month's end
#
my (undef, undef, undef, undef, $month, $year) = gmtime;
local $ENV{TZ} = 'UTC';
my $end = mktime(0, 0, 0, 1, $month + 1, $year);
create_tables();
my $seconds = is_long() ? 30 : 6;
set_clock($machine, $end - time - 600);
my $maintain = q{SELECT count(*) FROM objectid_ext_tools.maintain_id_partitions('%s', %s)};
is($node->safe_psql('postgres', sprintf $maintain, $_, q{'1 month', '1 hour'}), '2', "$_: this month and the next") foreach 'event', 'message';
set_clock($machine, $end - time - $seconds / 2);
my %done = run_load('month', $seconds, q{'1 month', '1 hour'});
is(join(' ', %done), '', 'month: nothing else to do');
rows_are_in_place('month');
is($node->safe_psql('postgres', q{SELECT count(DISTINCT tableoid) FROM message}), '2', 'month: rows on both sides');

#
# Partitions of a minute, while a minute lasts some seconds
#
create_tables();
my $rate = is_long() ? 20 : 30;
$seconds = is_long() ? 60 : 8;
my $start = Time::HiRes::time();
set_clock($machine, $end - $start, $rate);
$node->safe_psql('postgres', sprintf $maintain, $_, q{'1 minute', '4 minutes'}) foreach 'event', 'message';
# The call measures its waits by this clock.
$ENV{PGOPTIONS} = "-c deadlock_timeout=${rate}s";
%done = run_load('minutes', $seconds, q{'1 minute', '4 minutes'}, q{'1 minute', '4 minutes', '1 minute'});
delete $ENV{PGOPTIONS};
cmp_ok($done{created} // 0, '>=', 4, 'minutes: partitions were created');
cmp_ok($done{dropped} // 0, '>=', 2, 'minutes: partitions were dropped');
rows_are_in_place('minutes');

#
# What is locked is reported, and done later.
#
set_clock($machine, $end - time + 3600, 1);
my $reader = $node->background_psql('postgres');
$reader->query_safe(q{BEGIN; SELECT count(*) FROM message});
my $with_timeout = q{SET lock_timeout = '10ms'; SELECT coalesce(done, problem), count(*) FROM objectid_ext_tools.maintain_id_partitions('message', '1 hour', '1 hour', '5 min') GROUP BY 1};
my $problems = $node->safe_psql('postgres', $with_timeout);
like($problems, qr/^canceling statement due to lock timeout\|\d+$/m, 'lock_timeout: a problem');
like($problems, qr/^($not_locked\|\d+\n?)+$/, 'lock_timeout: nothing was done');
$reader->query_safe('COMMIT');
$reader->quit;
like($node->safe_psql('postgres', $with_timeout), qr/^created\|\d+\ndropped\|\d+$/, 'and later none');

$node->stop;
done_testing();
