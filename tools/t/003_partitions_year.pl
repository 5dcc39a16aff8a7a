# A year of partitions as cron makes them, on a clock that is set from day to day: each
# morning the present day and the next three have partitions, and none is older than 30
# days; on every seventh day, two calls run at the same time; for a week, none.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use History;
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $machine = new_machine();
plan skip_all => "$machine: NO TEST with a clock that is set" unless ref $machine;

# From noon on: midnight does not come between two statements.
my $noon = 43200 - time % 86400;
set_clock($machine, $noon);
my $node = start_server('main', env => { machine_environment($machine) }, conf => "timezone = 'UTC'");
$node->safe_psql('postgres', q{
	CREATE TABLE event (id objectid PRIMARY KEY DEFAULT gen_objectid()) PARTITION BY RANGE (id);
	CREATE TABLE log (done text, problem text, lower timestamptz)});
my $maintain = "INSERT INTO log SELECT done, problem, lower FROM objectid_ext_tools.maintain_id_partitions('event', '1 day', '3 days', '30 days')";
my $check = q{
	INSERT INTO event DEFAULT VALUES;
	SELECT concat_ws(' ', count(*) FILTER (WHERE lower <= now() AND upper > now()), min(lower) > now() - interval '31 days', max(upper) > now() + interval '3 days', count(*) = count(DISTINCT lower))
	FROM objectid_ext_tools.id_partitions('event')};

my $one = $node->background_psql('postgres');
my $days = is_long() ? 365 : 60;
my @wrong;
foreach my $day (0 .. $days)
{
	next if $day > 20 && $day <= 27;
	set_clock($machine, $noon + $day * 86400);
	if ($day % 7 == 6)
	{
		$one->query_safe("BEGIN; $maintain");
		my $second = start_client($node, "$maintain;\n");
		$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND relation = 'event'::regclass") or die 'the second does not wait';
		$one->query_safe('COMMIT');
		$second->{run}->finish or push @wrong, "day $day: " . slurp_file($second->{errors});
	}
	else
	{
		$one->query_safe($maintain);
	}
	my $found = $one->query_safe($check);
	push @wrong, "day $day: $found" if $found ne '1 t t t';
}
is("@wrong", '', "partitions of $days days");
is($node->safe_psql('postgres', 'SELECT count(*) FROM log WHERE problem IS NOT NULL'), '0', 'no problem');
is($node->safe_psql('postgres', "SELECT count(*) FROM log WHERE done = 'created' GROUP BY lower HAVING count(*) > 1"), '', 'none is created twice');
cmp_ok($node->safe_psql('postgres', "SELECT count(*) FROM log WHERE done = 'dropped'"), '>=', $days - 31, 'old ones are dropped');
$one->quit;
$node->stop;
done_testing();
