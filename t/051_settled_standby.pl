# settled_snowflake() and settled_shard_id() beside each other: prepared transactions,
# and a synchronous standby that is promoted.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# So few ids in a tick that some thousands take seconds
my $layout = 'time:41,node:4,seq:4;tick=10ms;epoch=2020-01-01T00:00:00Z';
my $primary = start_server('primary', allows_streaming => 1, conf => q{
max_prepared_transactions = 10
client_min_messages = error
objectid_ext.max_clock_lead = '1h'
});
$primary->safe_psql('postgres', qq{
	CREATE FUNCTION settled(seq regclass) RETURNS bigint LANGUAGE plpgsql AS 'DECLARE upto bigint; BEGIN CALL settled_snowflake(seq, upto); RETURN upto; END';
	CREATE FUNCTION settled_shard() RETURNS bigint LANGUAGE plpgsql AS 'DECLARE upto bigint; BEGIN CALL settled_shard_id(''instagram'', upto); RETURN upto; END';
	CREATE SEQUENCE feed_id;
	CREATE TABLE feed (id bigint PRIMARY KEY DEFAULT next_snowflake('feed_id', 5, '$layout'), note text);
	CREATE TABLE shard (id bigint PRIMARY KEY DEFAULT next_shard_id(5, 1), note text)});
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
$primary->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
$primary->reload;
$primary->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
  or die 'the standby does not become synchronous';

# Both bounds compared with the lowest and highest ids of a note.
sub compare
{
	my ($node, $note, $expected, $name) = @_;
	is($node->safe_psql('postgres', qq{
			SELECT settled('feed_id') AS settled, settled_shard() AS settled_shard \\gset
			SELECT CASE WHEN :settled < min(feed.id) THEN 'below' WHEN :settled >= max(feed.id) THEN 'all' ELSE 'some' END,
				CASE WHEN :settled_shard < min(shard.id) THEN 'below' WHEN :settled_shard >= max(shard.id) THEN 'all' ELSE 'some' END
			FROM feed, shard WHERE feed.note = '$note' AND shard.note = '$note'}),
		"$expected|$expected", $name);
}

sub insert_both
{
	my ($note) = @_;
	return "INSERT INTO feed (note) VALUES ('$note'); INSERT INTO shard (note) VALUES ('$note');";
}

# Ids of next_shard_id() are ahead of the clock by a few ticks.
sub wait_for_clock { $_[0]->safe_psql('postgres', 'SELECT pg_sleep(0.1)') }

$primary->safe_psql('postgres', insert_both('one'));
wait_for_clock($primary);
compare($primary, 'one', 'all', 'a committed row');

# A prepared transaction
$primary->safe_psql('postgres', 'BEGIN;' . insert_both('two') . q{PREPARE TRANSACTION 'two'});
$primary->safe_psql('postgres', insert_both('three'));
my $bounds = q{SELECT settled('feed_id'), settled_shard()};
my $held = $primary->safe_psql('postgres', $bounds);
wait_for_clock($primary);
is($primary->safe_psql('postgres', $bounds), $held, 'a prepared transaction holds the bounds where they are');
compare($primary, 'three', 'below', 'a prepared transaction holds later rows back');
$primary->restart;
compare($primary, 'three', 'below', 'also after a restart');
kill_server($primary);
$primary->start;
compare($primary, 'three', 'below', 'also after a crash');
$primary->safe_psql('postgres', insert_both('four'));
compare($primary, 'four', 'below', 'also rows of sessions that take ids later');
$primary->safe_psql('postgres', q{COMMIT PREPARED 'two'});
wait_for_clock($primary);
compare($primary, $_, 'all', "after its commit, row $_") foreach qw(two three four);

# On the standby: the bound comes from the primary.
foreach my $function (q{settled('feed_id')}, 'settled_shard()')
{
	my ($ret, $out, $err) = $standby->psql('postgres', "SELECT $function");
	like($err, qr/cannot execute settled_\w+\(\) during recovery.*HINT:  Call it on the primary/s, "$function on a standby");
}
$primary->safe_psql('postgres', insert_both('five'));
my ($upto, $lsn) = split /\|/, $primary->safe_psql('postgres', q{
	CALL settled_snowflake('feed_id', NULL) \gset
	SELECT :upto, pg_current_wal_insert_lsn()});
$standby->poll_query_until('postgres', "SELECT pg_last_wal_replay_lsn() >= '$lsn'") or die 'no replay';
is($standby->safe_psql('postgres', "SELECT count(*) FROM feed WHERE id <= $upto"),
	$primary->safe_psql('postgres', "SELECT count(*) FROM feed WHERE id <= $upto"), 'rows up to it are on the standby');

# Only a cancel ends the wait: not another interrupt, also if the standby then confirms the
# state of the sequence, and no more.
my $waits = q{FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'};
$standby->stop;
my $open = $primary->background_psql('postgres');
$open->query_safe('BEGIN');
$open->query_safe("SELECT next_snowflake('feed_id', 5, '$layout')");
my $interrupted = start_client($primary, "CALL settled_snowflake('feed_id', NULL);");
$primary->poll_query_until('postgres', "SELECT count(pg_log_backend_memory_contexts(pid)) = 1 $waits") or die 'the call does not wait';
$standby->start;
ok($interrupted->{run}->finish, 'a call that waits goes on after an interrupt') or diag(slurp_file($interrupted->{errors}));
$open->quit;

# A transaction that is rolled back takes ids beyond what the standby knows.  The
# sequence is ahead of the clock, so that the clock does not help.
$primary->safe_psql('postgres', qq{
	SELECT setval('feed_id', snowflake_floor(now() + '30 min', '$layout'));
	INSERT INTO feed (note) VALUES ('six')});
$primary->safe_psql('postgres', 'BEGIN;' . insert_both('prepared') . q{PREPARE TRANSACTION 'seven'});
$standby->stop;
$primary->safe_psql('postgres', qq{
	BEGIN;
	SELECT count(next_snowflake('feed_id', 5, '$layout')) FROM generate_series(1, 5000);
	SELECT count(next_shard_id(5, 1)) FROM generate_series(1, 3000);
	ROLLBACK});
foreach my $function (q{settled('feed_id')}, 'settled_shard()')
{
	my $waiting = start_client($primary, "SELECT $function;");
	$primary->poll_query_until('postgres', "SELECT count(pg_cancel_backend(pid)) = 1 $waits") or die 'the call does not wait';
	$waiting->{run}->finish;
	like(slurp_file($waiting->{errors}), qr/ERROR:  synchronous standbys have not confirmed the state of the sequence/, "$function waits for the standby");
	is($primary->safe_psql('postgres', "SET synchronous_commit = local; SELECT $function > 0"), 't', 'unless that is not asked for');
}
# Commits do not wait any more once there are no synchronous standbys, nor does a call.
my $waiting = start_client($primary, "CALL settled_snowflake('feed_id', NULL);");
$primary->poll_query_until('postgres', "SELECT count(*) = 1 $waits") or die 'the call does not wait';
$primary->append_conf('postgresql.conf', "synchronous_standby_names = ''");
$primary->reload;
ok($waiting->{run}->finish, 'a call that waits goes on when synchronous_standby_names is emptied') or diag(slurp_file($waiting->{errors}));
kill_server($primary);
$standby->append_conf('postgresql.conf', "synchronous_standby_names = ''");
$standby->start;
$standby->promote;

# The prepared transaction is there, too.
$standby->safe_psql('postgres', insert_both('eight'));
compare($standby, 'eight', 'below', 'the prepared transaction holds rows back after the promotion');
$standby->safe_psql('postgres', q{COMMIT PREPARED 'seven'});
$standby->safe_psql('postgres', q{SELECT pg_sleep(1.1)});
is($standby->safe_psql('postgres', q{SELECT count(*) = 0 FROM feed WHERE note = 'prepared' AND id >
		(SELECT max(id) FROM feed WHERE note = 'eight')}), 't', 'and has lower ids');
is($standby->safe_psql('postgres', q{
		CALL settled_snowflake('feed_id', NULL) \gset
		SELECT count(*) FROM feed WHERE id > :upto}), '0', 'all is settled in the end');
$standby->stop;
done_testing();
