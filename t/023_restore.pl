# Sequences that next_snowflake() uses are dumped and restored like any other.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('main');

# A sequence an hour ahead of the clock: if its state were lost, ids would continue
# an hour below.  With a block at hand, the last id is not the last value.
$node->safe_psql('postgres', q{
	CREATE SEQUENCE clock CACHE 10;
	SELECT setval('clock', make_snowflake(now() + interval '1 hour', 3, 0, 'twitter'));
	CREATE TABLE events (id bigint PRIMARY KEY DEFAULT next_snowflake('clock', 3, 'twitter'), what text);
	INSERT INTO events (what) SELECT 'event ' || i FROM generate_series(1, 1000) i;
});

# A bigserial table with rows, whose sequence becomes a clock sequence
$node->safe_psql('postgres', q{
	CREATE TABLE orders (id bigserial PRIMARY KEY, what text);
	INSERT INTO orders (what) SELECT 'serial' FROM generate_series(1, 1000);
	ALTER TABLE orders ALTER id SET DEFAULT next_snowflake('orders_id_seq', 3, 'twitter');
	INSERT INTO orders (what) SELECT 'snowflake' FROM generate_series(1, 10000);
});
my $orders = q{
	SELECT what, count(*), count(DISTINCT id), min(id) > 1000 AS above, max(id) <= 1000 AS below,
		min(snowflake_timestamp(id, 'twitter')) > now() - interval '1 hour' AS now
	FROM orders GROUP BY what ORDER BY what};
is($node->safe_psql('postgres', $orders),
	"serial|1000|1000|f|t|f\nsnowflake|10000|10000|t|f|t",
	'bigserial: the old ids stay, the new ones are above them');

my %dump = (
	plain => sub {
		my ($file, $db) = @_;
		$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $db, '-f', $file ], 'restore of plain');
	},
	custom => sub {
		my ($file, $db) = @_;
		$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $db, $file ], 'restore of custom');
	});

my $dir = PostgreSQL::Test::Utils::tempdir;
foreach my $format (sort keys %dump)
{
	my $file = "$dir/$format.dump";
	$node->command_ok([ 'pg_dump', "--format=$format", '-f', $file, 'postgres' ], "dump as $format");
	$node->safe_psql('postgres', "CREATE DATABASE $format");
	$dump{$format}->($file, $format);

	foreach my $table ('events', 'orders')
	{
		is( $node->safe_psql($format, "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM $table t"),
			$node->safe_psql('postgres', "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM $table t"),
			"$format: $table is the same");
		my ($max, $min_new, $count) = split /\|/, $node->safe_psql($format, qq{
			CREATE TEMP TABLE old AS SELECT max(id) FROM $table;
			INSERT INTO $table (what) SELECT 'new' FROM generate_series(1, 10000);
			SELECT max, min(id), count(DISTINCT id) FROM old, $table WHERE what = 'new' GROUP BY max});
		cmp_ok($min_new, '>', $max, "$format: new ids of $table are above the old ones");
		is($count, 10_000, "$format: and distinct");
	}
}

# The sequence still belongs to its table.
$node->safe_psql('plain', 'DROP TABLE orders');
is($node->safe_psql('plain', q{SELECT to_regclass('orders_id_seq') IS NULL}), 't',
	'the sequence of a bigserial column goes with its table');

$node->stop;
done_testing();
