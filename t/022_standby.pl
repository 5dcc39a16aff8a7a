# A promoted standby continues above every id that it received.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# Ids must be ahead of the clock by more than the duration of a promotion, so that
# the clock has no effect.  With 16 ids in ten milliseconds, a moderate load does
# that, and soon is a minute ahead; there is no limit that it would have to wait for.
my $layout = 'time:41,node:4,seq:4;tick=10ms;epoch=2020-01-01T00:00:00Z';
my $primary = start_server('primary', allows_streaming => 1, conf => q{
shared_buffers = 16MB
client_min_messages = error
objectid_ext.max_clock_lead = '1h'
});
$primary->safe_psql('postgres', q{
	CREATE SEQUENCE cache_1 CACHE 1;
	CREATE SEQUENCE cache_64 CACHE 64;
	CREATE TABLE ids_1 (id bigint);
	CREATE TABLE ids_64 (id bigint);
});

sub start_standby
{
	my ($from, $name) = @_;
	$from->backup($name);
	my $standby = PostgreSQL::Test::Cluster->new($name);
	$standby->init_from_backup($from, $name, has_streaming => 1);
	$standby->start;
	$from->wait_for_catchup($standby);
	return $standby;
}

# Two sessions for each sequence that insert ids and print the highest of each
# transaction, once it is committed.
sub start_load
{
	my ($node) = @_;
	return map {
		my $cache = $_;
		start_client($node, qq{
			SELECT 'WITH new AS (INSERT INTO ids_$cache
						SELECT next_snowflake(''cache_$cache'', 5, ''$layout'') FROM generate_series(1, 200) RETURNING id)
				SELECT max(id), pg_sleep(0.005) FROM new'
			FROM generate_series(1, 5000) \\gexec\n});
	} (1, 1, 64, 64);
}

# Until the rows of both sequences are well ahead of the clock, and the clients
# saw many of them.
sub wait_for_lead
{
	my ($node, @clients) = @_;
	foreach my $client (@clients)
	{
		sleep 0.1 until -s $client->{output} > 500;
	}
	foreach my $cache (1, 64)
	{
		$node->poll_query_until('postgres', qq{
			SELECT snowflake_timestamp(max(id), '$layout') > clock_timestamp() + interval '1.5 s'
			FROM ids_$cache})
		  or die 'ids do not run ahead of the clock';
	}
}

# The primary crashes during a run, and the standby is promoted.  Returns what the
# standby knows then, for each sequence the highest id of a row and whether that
# is ahead of the clock, and what the clients saw.
sub fail_over
{
	my ($from, $to) = @_;
	my @clients = start_load($from);
	wait_for_lead($from, @clients);
	$from->stop('immediate');
	my @seen = map { [ seen_ids($_) ] } @clients;
	$to->promote;

	foreach my $cache (1, 64)
	{
		my ($next, $max, $ahead) = split /\|/, $to->safe_psql('postgres', qq{
			SELECT next_snowflake('cache_$cache', 5, '$layout'), max,
				snowflake_timestamp(max, '$layout') > clock_timestamp() + interval '0.5 s'
			FROM (SELECT max(id) FROM ids_$cache) AS ids});
		is($ahead, 't', $to->name . ", CACHE $cache: has received ids that are ahead of the clock");
		cmp_ok($next, '>', $max, $to->name . ", CACHE $cache: the next id is above all that it has received");
	}
	return { 1 => [ map { @$_ } @seen[ 0, 1 ] ], 64 => [ map { @$_ } @seen[ 2, 3 ] ] };
}

sub rows_are_distinct
{
	my ($node) = @_;
	foreach my $cache (1, 64)
	{
		my ($rows, $distinct) = split /\|/,
		  $node->safe_psql('postgres', "SELECT count(*), count(DISTINCT id) FROM ids_$cache");
		cmp_ok($rows, '>', 1000, $node->name . ", CACHE $cache: there are rows");
		is($distinct, $rows, $node->name . ", CACHE $cache: no id twice in $rows rows");
	}
}

my $standby = start_standby($primary, 'standby');

# Before its promotion
foreach my $seq ('cache_1', 'cache_64')
{
	my ($status, $output, $error) = $standby->psql('postgres',
		"\\set VERBOSITY verbose\nSELECT next_snowflake('$seq', 5, 'twitter')");
	like($error, qr/ERROR:  25006: cannot execute next_snowflake\(\) in a read-only transaction/,
		"$seq cannot be used on a standby");
}

my ($ret, $out, $err) = $standby->psql('postgres', q{SELECT first FROM nextval_range('cache_1', 1)});
like($err, qr/cannot execute nextval_range\(\) in a read-only transaction/, 'nor for a range');
($ret, $out, $err) = $standby->psql('postgres', q{SELECT next_shard_id(5, 1)});
like($err, qr/cannot execute next_shard_id\(\) in a read-only transaction/, 'nor for next_shard_id');
is($standby->safe_psql('postgres', q{SELECT count(DISTINCT gen_objectid()) FROM generate_series(1, 100) i}),
	'100', 'what has no sequence gives ids there');

# A standby that lags behind
fail_over($primary, $standby);
my @clients = start_load($standby);
wait_for_lead($standby, @clients);

# A standby that has received everything that was committed
my $synchronous = start_standby($standby, 'synchronous');
$standby->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
$standby->reload;
$standby->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
  or die 'the standby does not become synchronous';
my $seen = fail_over($standby, $synchronous);
$_->{run}->finish foreach @clients;

foreach my $cache (1, 64)
{
	my @ids = @{ $seen->{$cache} };
	cmp_ok(scalar @ids, '>', 10, "CACHE $cache: clients saw transactions commit");
	my ($max, $next) = split /\|/, $synchronous->safe_psql('postgres',
		"SELECT max(id), next_snowflake('cache_$cache', 5, '$layout') FROM ids_$cache");
	cmp_ok($max, '>=', highest(@ids), "CACHE $cache: the standby has them all");
	cmp_ok($next, '>', highest(@ids), "CACHE $cache: the next id is above all of them");
}

# After its promotion
@clients = start_load($synchronous);
sleep 0.5;
$synchronous->stop;
$_->{run}->finish foreach @clients;
$synchronous->start;
rows_are_distinct($synchronous);

$synchronous->stop;
done_testing();
