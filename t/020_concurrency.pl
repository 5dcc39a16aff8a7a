# Many sessions take ids from one sequence at once: ids are distinct, in order
# within each session, and not further ahead of the clock than allowed.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Sequential scans must return rows in the order of insertion.
my $node = start_server('main', conf => q{
shared_buffers = 256MB
synchronize_seqscans = off
autovacuum = off
});

# Did all sessions run at the same time?
sub sessions_overlap
{
	return $node->safe_psql('postgres', q{
		SELECT max(first) < min(last)
		FROM (SELECT min(taken) AS first, max(taken) AS last FROM ids GROUP BY tableoid) AS sessions}) eq 't';
}

# Each session stores its ids in a separate table.  The clock is read after the
# id, so that the measured lead is never too large.  Sessions begin together, but on a
# busy machine one can have ended before another is scheduled; then all begin again.
sub take_ids
{
	for my $attempt (1 .. 5)
	{
		take_ids_once(@_);
		return if sessions_overlap();
	}
}

sub take_ids_once
{
	my ($sessions, $count, $call) = @_;
	my @tables = map { "ids_$_" } 1 .. $sessions;
	$node->safe_psql('postgres', join '',
		"DROP TABLE IF EXISTS ids CASCADE;\n",
		"CREATE UNLOGGED TABLE ids (ordinal int, id bigint, taken timestamptz);\n",
		map { "CREATE UNLOGGED TABLE $_ () INHERITS (ids);\n" } @tables);
	in_parallel($node, map {
		my $call_here = $call =~ s/:session/$_/gr;
		"INSERT INTO ids_$_ SELECT i, $call_here, clock_timestamp() FROM generate_series(1, $count) i";
	} 1 .. $sessions);
}

# The number of distinct ids of all sessions.
sub distinct_ids
{
	return $node->safe_psql('postgres', q{
		SET work_mem = '512MB';
		SET enable_hashagg = off;
		SELECT count(*) FROM (SELECT DISTINCT id FROM ids) AS ids});
}

# For each session: number of rows; of ids that are not above the previous one;
# of rows that are not in order of generation (the previous figure would then be
# meaningless); and an additional expression.
sub summaries
{
	my ($sessions, $more) = @_;
	return in_parallel($node, map { qq{
		SELECT count(*), count(*) FILTER (WHERE id <= previous),
			count(*) FILTER (WHERE ordinal <> previous_ordinal + 1), $more
		FROM (SELECT *, lag(id) OVER () AS previous, lag(ordinal) OVER () AS previous_ordinal
			  FROM ids_$_) AS ids}
	} 1 .. $sessions);
}

# 8 sessions, many ids each
my $each = is_long() ? 1_000_000 : 100_000;
my $max_lead = '1.01';
foreach my $cache (1, 64)
{
	$node->safe_psql('postgres', "CREATE SEQUENCE cache_$cache CACHE $cache");
	take_ids(8, $each, "next_snowflake('cache_$cache', 5, 'twitter')");
	ok(sessions_overlap(), "CACHE $cache: 8 sessions at a time");
	is(distinct_ids(), 8 * $each, "CACHE $cache: ids of 8 sessions are distinct");
	is_deeply(
		[ summaries(8, qq{min(snowflake_node(id, 'twitter')), max(snowflake_node(id, 'twitter')),
			max(snowflake_timestamp(id, 'twitter') - taken) <= interval '$max_lead s'}) ],
		[ ("$each|0|0|5|5|t") x 8 ],
		"CACHE $cache: each session's ids ascend, have the node, and lead the clock by a second at most");
}

# Bursts that exceed the field, 16,000 ids per second: the ids run ahead of the
# clock as far as allowed, and then calls wait for it.
my $small = 'time:41,node:4,seq:4;tick=1ms;epoch=2026-01-01T00:00:00Z';
foreach my $cache (1, 64)
{
	$node->safe_psql('postgres', "CREATE SEQUENCE burst_$cache CACHE $cache");
	take_ids(4, 10_000, "next_snowflake('burst_$cache', 5, '$small')");
	ok(sessions_overlap(), "burst with CACHE $cache: 4 sessions at a time");
	is(distinct_ids(), 40_000, "burst with CACHE $cache: ids are distinct");
	my ($far, $too_far) = split /\|/, $node->safe_psql('postgres', qq{
		SELECT max(lead) > interval '0.9 s', max(lead) > interval '$max_lead s'
		FROM (SELECT snowflake_timestamp(id, '$small') - taken AS lead FROM ids) AS ids});
	is($far, 't', "burst with CACHE $cache: runs ahead of the clock");
	is($too_far, 'f', "burst with CACHE $cache: not by more than a second");
}

# nextval() and next_snowflake() in turn
foreach my $cache (1, 10)
{
	$node->safe_psql('postgres', "CREATE SEQUENCE mixed_$cache CACHE $cache");
	take_ids(8, 50_000,
		"CASE WHEN i % 3 = :session % 3 THEN nextval('mixed_$cache') ELSE next_snowflake('mixed_$cache', 5, 'twitter') END");
	is(distinct_ids(), 400_000, "CACHE $cache: nextval() and next_snowflake() give no value twice");
}

# Blocks of consecutive slots for clients
$node->safe_psql('postgres', 'CREATE SEQUENCE blocks INCREMENT 50 CACHE 3');
take_ids(4, 50_000, "next_snowflake('blocks', 5, 'twitter')");
is($node->safe_psql('postgres', q{
		SELECT count(*), count(*) FILTER (WHERE id < previous + 50),
			count(*) FILTER (WHERE snowflake_sequence(id, 'twitter') + 49 > 4095),
			max(snowflake_sequence(id, 'twitter')), min(snowflake_node(id, 'twitter')), max(snowflake_node(id + 49, 'twitter'))
		FROM (SELECT id, lag(id) OVER (ORDER BY id) AS previous FROM ids) AS ids}),
	'200000|0|0|4000|5|5',
	'INCREMENT 50: blocks of 50 slots do not overlap and stay in their tick and node');

# Two nodes on one sequence, the node above the sequence number and below it
foreach my $layout ('twitter', 'sonyflake')
{
	$node->safe_psql('postgres', "CREATE SEQUENCE nodes_$layout CACHE 20");
	take_ids(2, 20_000, "next_snowflake('nodes_$layout', :session, '$layout')");
	is(distinct_ids(), 40_000, "$layout: two nodes on one sequence do not meet");
	is_deeply([ summaries(2, "min(snowflake_node(id, '$layout')), max(snowflake_node(id, '$layout'))") ],
		[ '20000|0|0|1|1', '20000|0|0|2|2' ],
		"$layout: the ids of each node ascend");
}

# A block is only used in its tick.
$node->safe_psql('postgres', 'CREATE SEQUENCE block CACHE 1000');
is($node->safe_psql('postgres', q{
		DO 'BEGIN PERFORM next_snowflake(''block'', 5, ''twitter''); END';
		DO 'BEGIN PERFORM pg_sleep(0.02); END';
		SELECT snowflake_timestamp(next_snowflake('block', 5, 'twitter'), 'twitter') > statement_timestamp() - interval '1 ms'}),
	't', 'a block is dropped when its tick has ended');

# A block is dropped when another session changes the sequence.  The tick is
# longer than the test.
my $hours = 'time:20,node:4,seq:20;tick=3600s;epoch=2020-01-01T00:00:00Z';
my $block = $node->safe_psql('postgres', q{SELECT 'block'::regclass::oid});
$node->safe_psql('postgres', 'CREATE ROLE joe; GRANT USAGE ON SEQUENCE block TO joe; ALTER SEQUENCE block RESTART');
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('SET ROLE joe');
my $id = $session->query_safe("SELECT next_snowflake($block, 5, '$hours')");
$node->safe_psql('postgres', 'ALTER SEQUENCE block RESTART WITH ' . ($id + 5000));
cmp_ok($session->query("SELECT next_snowflake($block, 5, '$hours')"), '>=', $id + 5000,
	'a block is dropped when another session restarts the sequence');
$node->safe_psql('postgres', 'REVOKE USAGE ON SEQUENCE block FROM joe');
$session->query("SELECT next_snowflake($block, 5, '$hours')");
like($session->{stderr}, qr/permission denied for sequence block/, 'or revokes a permission');
$node->safe_psql('postgres', 'GRANT USAGE ON SEQUENCE block TO joe');
$session->query("SELECT next_snowflake($block, 5, '$hours')");
$session->{stderr} = '';
$node->safe_psql('postgres', 'DROP SEQUENCE block');
$session->query("SELECT next_snowflake($block, 5, '$hours')");
like($session->{stderr}, qr/ERROR:.* OID $block\b/, 'or drops it');
$session->quit;

# next_shard_id(): all sessions share a ledger, so no id comes twice, whatever
# the numbers are.  Sessions, CACHE of the sequence, rows of a statement,
# statements, and the numbers.
foreach (
	[ 8, 1, 2000, is_long() ? 25 : 8, q{nextval('shard_seq')} ],
	[ 16, 1024, 5, 500, q{nextval('shard_seq')} ],
	[ 32, 100, 5, 250, q{nextval('shard_seq')} ],
	[ 8, 1, 2000, is_long() ? 25 : 8, 'i' ],
	[ 8, 1, 100, 1, '7' ])
{
	my ($sessions, $cache, $rows, $statements, $number) = @$_;
	my $name = "$sessions sessions, CACHE $cache, $rows rows of $number";
	$node->safe_psql('postgres', qq{
		DROP TABLE IF EXISTS shard_ids;
		DROP SEQUENCE IF EXISTS shard_seq;
		CREATE SEQUENCE shard_seq CACHE $cache;
		CREATE UNLOGGED TABLE shard_ids (n serial, session int, number bigint, id bigint)});
	in_parallel($node, map {
		"INSERT INTO shard_ids (session, number, id) SELECT $_, number, next_shard_id(5, number)
		 FROM (SELECT $number AS number FROM generate_series(1, $rows) i OFFSET 0) x;\n" x $statements
	} 1 .. $sessions);
	my $all = $sessions * $rows * $statements;
	is($node->safe_psql('postgres', q{
			SELECT count(*), count(DISTINCT id), min(snowflake_node(id, 'instagram')), max(snowflake_node(id, 'instagram'))
			FROM shard_ids}),
		"$all|$all|5|5", "$name: all ids are distinct");
	is($node->safe_psql('postgres', q{
			SELECT count(*) FILTER (WHERE id & 1023 <> number & 1023), count(*) FILTER (WHERE descends)
			FROM (SELECT id, number, number > lag(number) OVER s AND id < lag(id) OVER s AS descends
				  FROM shard_ids WINDOW s AS (PARTITION BY session ORDER BY n)) i}),
		'0|0', "$name: they have the low bits of the number, and ascend with it in each session");
}
cmp_ok($node->safe_psql('postgres', q{
		SELECT max(extract(epoch FROM snowflake_timestamp(id, 'instagram') - clock_timestamp())) FROM shard_ids}),
	'<=', 1, 'all together lead the clock by no more than they may');

$node->stop;
done_testing();
