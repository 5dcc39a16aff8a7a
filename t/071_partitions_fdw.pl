# Partitions on other servers, by hash and by time, as in the examples: the queries
# sent to these servers, with and without the option "extensions", and the results.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use Document;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $here = start_server('here');
if ($here->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'") == 0)
{
	$here->stop;
	plan skip_all => 'postgres_fdw is not installed (on Red Hat and its kin postgresqlNN-contrib)';
}
my @far = map { start_server("far_$_") } 0, 1;

sub run_example
{
	my ($node, $file, %variables) = @_;
	$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres'),
			(map { ('-v', "$_=$variables{$_}") } sort keys %variables), '-f', "examples/sharding/$file.sql" ],
		"$file on " . $node->name);
}
run_example($far[$_], 'hash_partition', number => $_) foreach 0, 1;
run_example($here, 'hash_partitions', map { ("host$_" => $far[$_]->host, "port$_" => $far[$_]->port) } 0, 1);
run_example($far[0], 'time_partition');
{
	local $ENV{PGTZ} = 'America/New_York';      # of a client; the months are in UTC
	run_example($here, 'time_partitions', host => $far[0]->host, port => $far[0]->port);
}

my $plan_settings = '';

sub query_plan
{
	return $here->safe_psql('postgres', "$plan_settings EXPLAIN (VERBOSE, COSTS OFF) $_[0]");
}

# The remote conditions, one for each server, and the remote queries
sub sent
{
	return join ' | ', map { /(WHERE .*|ORDER BY .*)/ ? $1 : 'every row' } query_plan($_[0]) =~ /Remote SQL: (.*)/g;
}

# The plans that the page shows are those of this test.
my @shown = grep { ($_->{in} // '') eq 't/071_partitions_fdw.pl' } blocks('docs/sharding.md');
is(scalar @shown, 1, 'the page shows a plan');

#
# By the hash of the id
#
my $known = '507f1f77bcf86cd799439011';
$here->safe_psql('postgres', qq{
	INSERT INTO item (name) SELECT 'item ' || i FROM generate_series(1, 10000) i;
	INSERT INTO item VALUES ('$known', 'known');
});
is($here->safe_psql('postgres', q{SELECT count(*), count(DISTINCT id), count(DISTINCT tableoid) FROM item}), '10001|10001|2',
	'rows go to both');
foreach my $n (0, 1)
{
	is($far[$n]->safe_psql('postgres', 'SELECT count(*), min(id), max(id) FROM item'),
		$here->safe_psql('postgres', "SELECT count(*), min(id), max(id) FROM item WHERE tableoid = 'item_$n'::regclass"), "partition $n");
}

# Equality goes to one server.
my $by_id = "WHERE ((id OPERATOR(public.=) '$known'))";
is(sent("SELECT * FROM item WHERE id = '$known'"), $by_id, 'one id');
is(sent("SELECT * FROM item WHERE id = text '$known'"), $by_id, 'one id as text');
is(sent("DELETE FROM item WHERE id = '$known'"), $by_id, 'one id, to delete');
is(differences($shown[0]{shown}, $here->safe_psql('postgres', $shown[0]{text})), '', 'one id, as the page shows it');
my $two_ids = q{'{507f1f77bcf86cd799439011,507f1f77bcf86cd799439012}'};
is(sent("SELECT * FROM item WHERE id = ANY ($two_ids)"), join(' | ', ("WHERE ((id OPERATOR(public.=) ANY (${two_ids}::public.objectid[])))") x 2),
	'several ids, on different servers') or diag(query_plan("SELECT * FROM item WHERE id = ANY ($two_ids)"));
$plan_settings = 'SET plan_cache_mode = force_generic_plan; PREPARE one(objectid) AS SELECT name FROM item WHERE id = $1;';
like(query_plan("EXECUTE one('$known')"), qr/Subplans Removed: 1/, 'a parameter: one server is asked');
is(sent("EXECUTE one('$known')"), 'WHERE ((id OPERATOR(public.=) $1::public.objectid))', 'for one id');
$plan_settings = 'SET plan_cache_mode = force_generic_plan; PREPARE one(text) AS SELECT name FROM item WHERE id = $1;';
like(query_plan("EXECUTE one('$known')"), qr/Subplans Removed: 1/, 'a parameter of text: one server is asked');
is(sent("EXECUTE one('$known')"), 'WHERE ((id OPERATOR(public.=) $1::text::public.objectid))', 'for one id, too');
$plan_settings = '';

# The newest rows are merged from both, each in order.
is(sent('SELECT * FROM item ORDER BY id DESC LIMIT 10'), join(' | ', ('ORDER BY id DESC NULLS FIRST') x 2), 'the newest');

#
# By time
#
$here->safe_psql('postgres', q{
	INSERT INTO reading SELECT objectid_floor(timestamptz '2026-01-01Z' + i * interval '1 hour'), i FROM generate_series(0, 8000) i;
	CREATE TABLE expected AS TABLE reading;
});
is($far[0]->safe_psql('postgres', 'SELECT count(*), max(value) FROM reading_old'), '6552|6551', 'old rows are in the archive');

# The remote conditions with the option, and without it if they differ
my $old_range = q{id <@ tstzrange('2026-09-15Z', '2026-10-02Z')};
my $old_ids = q{((id OPERATOR(public.>=) '6aa88a800000000000000000')) AND ((id OPERATOR(public.<=) '6abef3ffffffffffffffffff'))};
my @conditions = (
	{ name => 'new months', condition => q{id >= timestamptz '2026-11-15Z'}, sent => '' },
	{ name => 'old and new months', condition => $old_range, sent => "WHERE $old_ids", without => 'every row' },
	{ name => 'now()', condition => q{id >= now() - interval '30 years'}, sent => 'every row' },
	{ name => 'now() in a subquery', condition => q{id >= (SELECT now() - interval '30 years')},
		sent => 'WHERE ((id OPERATOR(public.>=) public.objectid_floor($1::timestamp with time zone)))', without => 'every row' },
	{ name => 'an id of now() in a subquery', condition => q{id >= (SELECT objectid_floor(now() - interval '30 years'))},
		sent => 'WHERE ((id OPERATOR(public.>=) $1::public.objectid))', without => 'every row' });

sub check_conditions
{
	my ($key, $name) = @_;
	foreach my $case (@conditions)
	{
		is(sent("SELECT * FROM reading WHERE $case->{condition}"), $case->{$key} // $case->{sent}, "$case->{name}, $name: what is sent");
		is($here->safe_psql('postgres', "SELECT count(*), sum(value) FROM reading WHERE $case->{condition}"),
			$here->safe_psql('postgres', "SELECT count(*), sum(value) FROM expected WHERE $case->{condition}"), "$case->{name}, $name: the answer");
	}
}
check_conditions('sent', 'with the option');
$here->safe_psql('postgres', 'ANALYZE reading_20261001');
like(query_plan(q{SELECT * FROM reading WHERE id <@ tstzrange('2026-09-15Z', '2026-10-02Z')}),
	qr/Foreign Scan on public.reading_old .*WHERE \(\(id OPERATOR\(public.>=\) '6aa88a80.*Index Scan using reading_20261001_pkey .*Index Cond: /s,
	'a range reads the archive and one month');

# The executor prunes what the planner cannot: the archive is not queried for the
# last days.
like($here->safe_psql('postgres', q{
		CREATE FUNCTION midnight() RETURNS timestamptz STABLE LANGUAGE plpgsql AS 'BEGIN RETURN ''2026-11-20Z''; END';
		EXPLAIN (COSTS OFF) SELECT * FROM reading WHERE id >= midnight() - interval '1 day'}),
	qr/Subplans Removed: 2/, 'a stable instant prunes the archive');
like($here->safe_psql('postgres', q{
		EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM reading WHERE id >= (SELECT midnight() - interval '1 day')}),
	qr/Foreign Scan on reading_old.*never executed/, 'and so does one in a subquery');

# With another id, the row would be on the wrong server.
my $id = $here->safe_psql('postgres', 'SELECT min(id) FROM reading');
like(($here->psql('postgres', "UPDATE reading SET id = gen_objectid() WHERE id = '$id'"))[2], qr/ids of table reading_old cannot be changed/,
	'reading: an id is not changed');
is($here->safe_psql('postgres', "UPDATE reading SET id = '$id' WHERE id = '$id' RETURNING id"), $id, 'the rest of the row can be');

# Nor does the partition of another server take a row, whoever writes it.
my ($id_0, $id_1) = map { $here->safe_psql('postgres', "SELECT min(id) FROM item_$_") } 0, 1;
my $refused = qr/no partition of relation "item" found for row/;
like(($here->psql('postgres', "UPDATE item SET id = '$id_1' WHERE id = '$id_0'"))[2], $refused, 'item: an id of another partition');
like(($here->psql('postgres', "INSERT INTO item_1 VALUES ('$id_0', 'again')"))[2], $refused, 'a row in the wrong foreign partition');
like(($far[0]->psql('postgres', "INSERT INTO item VALUES ('$id_1', 'again')"))[2], $refused, 'a row on the wrong server');
is($here->safe_psql('postgres', "UPDATE item SET name = name WHERE id = '$id_0' AND random() < 2 RETURNING id"), $id_0, 'the rest of the row can be changed');

# A month goes to the archive.
my $ids = q{SELECT count(*), md5(string_agg(id::text, ',' ORDER BY id)) FROM reading};
my $before = $here->safe_psql('postgres', $ids);
# The other server has committed an earlier attempt, which this one rolled back.  The columns
# of a partition can have another order.
$here->safe_psql('postgres', q{
	CREATE TABLE attached (value float8 NOT NULL, id objectid PRIMARY KEY);
	INSERT INTO attached (id, value) TABLE reading_20261001;
	SELECT objectid_floor('2026-10-01Z') AS lower, objectid_floor('2026-11-01Z') AS upper \gset
	DROP TABLE reading_20261001;
	ALTER TABLE attached RENAME TO reading_20261001;
	ALTER TABLE reading ATTACH PARTITION reading_20261001 FOR VALUES FROM (:'lower') TO (:'upper');
	CREATE FOREIGN TABLE attempt (id objectid, value float8) SERVER archive OPTIONS (table_name 'reading_old');
	INSERT INTO attempt SELECT id, value FROM reading_20261001;
});
# A transaction is open when the script begins, which then waits for it.
my $writer = $here->background_psql('postgres');
$writer->query_safe(q{BEGIN; INSERT INTO reading_20261001 (id, value) VALUES (objectid_ceiling('2026-10-09Z'), 0)});
my $archive = start_client($here, "SET default_transaction_isolation = 'repeatable read';
	\\set month reading_20261001\n" . slurp_file('examples/sharding/archive_month.sql'));
$here->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock')})
  or die 'archive_month does not wait';
$writer->query_safe('COMMIT');
$writer->quit;
ok($archive->{run}->finish, 'archive_month waits for a writer') or diag(slurp_file($archive->{errors}));
is($here->safe_psql('postgres', q{DELETE FROM reading WHERE id = objectid_ceiling('2026-10-09Z') RETURNING tableoid::regclass}), 'reading_old',
	'and copies its row');
is($here->safe_psql('postgres', $ids), $before, 'the same rows after a month was archived');
like($here->safe_psql('postgres', q{SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'reading_old'}),
	qr/TO \('@{[ $here->safe_psql('postgres', q{SELECT objectid_floor('2026-11-01Z')}) ]}'\)/, 'of which one more month is in the archive');
is($far[0]->safe_psql('postgres', 'SELECT count(*) FROM reading_old'), 6552 + 31 * 24, 'with its rows');
is(sent(qq{SELECT * FROM reading WHERE $old_range}), "WHERE $old_ids", 'all of the range is there');

# Without the option
$here->safe_psql('postgres', "ALTER SERVER $_ OPTIONS (DROP extensions)") foreach 'archive', 'item_0', 'item_1';
check_conditions('without', 'without the option');
is(sent("SELECT * FROM item WHERE id = '$known'"), 'every row', 'one id, without the option: all rows of its server');
is($here->safe_psql('postgres', "SELECT name FROM item WHERE id = '$known'"), 'known', 'of which one is right');

# The array type has become a member, and goes with the extension.
$here->safe_psql('postgres', 'DROP EXTENSION objectid_ext CASCADE');
is($here->safe_psql('postgres', "SELECT to_regtype('objectid') IS NULL AND to_regtype('objectid[]') IS NULL"), 't', 'the extension can be dropped');

$_->stop foreach $here, @far;
done_testing();
