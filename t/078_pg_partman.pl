# pg_partman 5 with version-7 UUIDs and snowflakes: the statements of the page, on its tables
# and on others, and the maintenance, which has a search_path of its own.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Document;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('main', conf => "timezone = 'Asia/Tokyo'\n");
if ($node->safe_psql('postgres', q{SELECT count(*) FROM pg_available_extension_versions WHERE name = 'pg_partman' AND version ~ '^([6-9]|5\.[2-9])'}) == 0)
{
	$node->stop;
	plan skip_all => 'pg_partman 5.2 is not installed (postgresql-NN-partman)';
}
$node->safe_psql('postgres', 'CREATE SCHEMA partman; CREATE EXTENSION pg_partman SCHEMA partman');

# The page's tables, and two whose names need quotes, in another schema
my ($uuids, $snowflakes) = map { $_->{text} } grep { ($_->{in} // '') eq 't/078_pg_partman.pl' } blocks('docs/partitions.md');
$node->safe_psql('postgres', "$uuids\n$snowflakes");
$node->safe_psql('postgres', 'CREATE SCHEMA shop');
$uuids =~ s/\bpublic\.visit_time\b/shop.visit_time/g;
$uuids =~ s/'public\.visit'/'shop.page_view'/;
$uuids =~ s/TABLE visit\b/TABLE shop.page_view/;
$snowflakes =~ s/'public\.orders'/'shop.invoice'/g;
$snowflakes =~ s/TABLE orders\b/TABLE shop.invoice/;
$snowflakes =~ s/\borders_id\b/shop.invoice_id/g;
$node->safe_psql('postgres', "$uuids\n$snowflakes");

my $tables = q{SELECT count(*) FROM partman.show_partitions('%s')};
foreach my $table (qw(public.visit public.orders shop.page_view shop.invoice))
{
	cmp_ok($node->safe_psql('postgres', sprintf $tables, $table), '>=', 5, "$table has partitions");
}

# Rows of now and of the next days, and the maintenance that makes what they need
my $uuid = q{overlay(uuidv7_floor(now() + i * interval '1 hour')::text placing lpad(i::text, 4, '0') from 33 for 4)::uuid};
foreach my $schema ([ 'public', 'orders', 'visit' ], [ 'shop', 'invoice', 'page_view' ])
{
	my ($name, $by_number, $by_uuid) = @$schema;
	my $before = $node->safe_psql('postgres', sprintf $tables, "$name.$by_number");
	$node->safe_psql('postgres', qq{
		INSERT INTO $name.$by_number (item) VALUES ('now');
		INSERT INTO $name.$by_number SELECT make_snowflake(now() + i * interval '1 hour', 5, 0, 'twitter') FROM generate_series(1, 70) AS i;
		INSERT INTO $name.$by_uuid SELECT $uuid FROM generate_series(0, 70) AS i;
		CALL partman.run_maintenance_proc()});
	cmp_ok($node->safe_psql('postgres', sprintf $tables, "$name.$by_number"), '>', $before, "$name.$by_number: the maintenance makes partitions ahead");
	is($node->safe_psql('postgres', "SELECT count(*) FROM $name.$_ WHERE tableoid = '$name.${_}_default'::regclass"), '0', "no row of $name.$_ in the default partition")
	  foreach $by_number, $by_uuid;
	is($node->safe_psql('postgres', "SELECT count(*) FROM $name.$by_number WHERE snowflake_within(id, tstzrange(now() - interval '1 day', now() + interval '1 day'), 'twitter')"),
		25, "$name.$by_number: rows of two days");
}

# What the page says of bounds and of retention
is($node->safe_psql('postgres', q{
	SET timezone = 'UTC';
	SELECT DISTINCT snowflake_timestamp(substring(partition_tablename from '\d+$')::bigint, 'twitter')::time FROM partman.show_partitions('public.orders')}),
	'01:42:54.657', 'partitions begin at a multiple of the interval');
$node->safe_psql('postgres', q{
	UPDATE partman.part_config SET retention = (86400000::bigint << 22)::text WHERE parent_table = 'public.orders';
	CALL partman.run_maintenance_proc()});
is($node->safe_psql('postgres', q{SELECT count(*) FROM orders WHERE item = 'now'}), 0, 'retention counts from the highest id: rows of now are gone');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM orders}), '>=', 24, 'and those of the last day before it are there');
$node->safe_psql('postgres', q{
	INSERT INTO orders VALUES (make_snowflake(now() + interval '96 days', 5, 0, 'twitter'));
	CALL partman.run_maintenance_proc()});
is($node->safe_psql('postgres', q{SELECT count(*) FROM orders_default}), 1, 'a row after a long pause is in the default partition');

$node->stop;
done_testing();
