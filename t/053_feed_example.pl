# The feed of examples/feed: consumers that are killed all the time deliver each
# row, in order; exports, a standby and a subscriber of two nodes miss none.
#
# The consumers run where psycopg 3 is installed (python3-psycopg).

use strict;
use warnings FATAL => 'all';

use File::Spec;
use FindBin;
use IPC::Run;
use lib "$FindBin::RealBin/lib";
use Document;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $dir = File::Spec->rel2abs("$FindBin::RealBin/../examples/feed");
my $work = PostgreSQL::Test::Utils::tempdir('feed');
my $node = start_server('main', allows_streaming => 'logical', conf => q{
max_prepared_transactions = 10
wal_receiver_status_interval = 1
});

# Run an example, or what it has become, and return its output.
sub run_file
{
	my ($server, $database, $text, @variables) = @_;
	$text = slurp_file("$dir/$text.sql") if $text =~ /^\w+$/;
	my ($out, $err) = ('', '');
	my $ok = IPC::Run::run([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', (map { ('-v', $_) } @variables), '-d', $server->connstr($database), '-f', '-' ],
		init => sub { chdir $work or die "cannot change to $work: $!" }, '<', \$text, '>', \$out, '2>', \$err);
	die "psql failed: $err" unless $ok;
	return $out;
}

# Run an example that waits for an ALTER TABLE, which rewrites the table, and return
# its output.
sub run_during_rewrite
{
	my ($database, $name, @variables) = @_;
	my $altering = $node->background_psql($database);
	$altering->query_safe('BEGIN; ALTER TABLE outbox ALTER quantity TYPE bigint');
	my $out = '';
	my $run = IPC::Run::start([ 'psql', '-XAtq', (map { ('-v', $_) } @variables), '-d', $node->connstr($database), '-f', "$dir/$name.sql" ],
		init => sub { chdir $work or die "cannot change to $work: $!" }, '>', \$out);
	$node->poll_query_until($database, "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'outbox'::regclass AND NOT granted)")
	  or die "$name does not wait";
	$altering->query_safe('COMMIT');
	$altering->quit;
	$run->finish;
	return $out;
}

# Sessions that add rows until they are told to stop.  They wait before they
# commit, for a second now and then, roll back, and roll back to savepoints.
sub start_writers
{
	my ($count, $database) = @_;
	my $script = q{
		DO $$
		BEGIN
			WHILE NOT EXISTS (SELECT FROM done) LOOP
				INSERT INTO outbox (item, quantity) SELECT 'item ' || i, i FROM generate_series(1, 1 + (4 * random())::int) AS i;
				BEGIN
					INSERT INTO outbox (item, quantity) VALUES ('perhaps rolled back', 1);
					PERFORM 1 / (random() * 2)::int;
				EXCEPTION WHEN division_by_zero THEN
				END;
				PERFORM pg_sleep(random() ^ 12 * 1.5);
				IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
			END LOOP;
		END $$;
	};
	$node->safe_psql($database, 'CREATE TABLE IF NOT EXISTS done (); TRUNCATE done');
	return map { start_client($node, $script, 1, $database) } 1 .. $count;
}

sub stop_writers
{
	my ($database, @writers) = @_;
	$node->safe_psql($database, 'INSERT INTO done DEFAULT VALUES');
	foreach my $writer (@writers)
	{
		ok($writer->{run}->finish, "$database: a writer ends without an error") or diag(slurp_file($writer->{errors}));
	}
}

sub rows_of
{
	my ($server, $database) = @_;
	return split /\n/, $server->safe_psql($database, 'SELECT id FROM outbox ORDER BY id');
}

# Are these all the rows, each once, in order?
sub is_all
{
	my ($found, $database, $name) = @_;
	my @rows = rows_of($node, $database);
	my %found = map { $_ => 1 } @$found;
	is(scalar(grep { !$found{$_} } @rows), 0, "$name: no row is missed");
	ok("@$found" eq "@rows", "$name: each of " . @rows . ' rows comes once, and in order');
}

# Consumers that are killed, and one that takes the highest id for the bound

sub python
{
	my $null = File::Spec->devnull;
	foreach my $python ('python3', '/usr/bin/python3')
	{
		return $python
		  if eval { IPC::Run::run([ $python, '-c', 'import psycopg' ], '<', $null, '>', $null, '2>', $null) };
	}
	return;
}

my $python = python();
my $runs = 0;

sub start_consumer
{
	my ($program, $name, $how) = @_;
	my $output = sprintf '%s/%s.%03d', $work, $name, ++$runs;
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'feed', PGOPTIONS => '-c log_statement=all');
	return { output => $output, run => IPC::Run::start([ $python, '-B', $program, $name, $how ], '<', \undef, '>', $output, '2>>', "$work/errors") };
}

sub kill_consumers
{
	foreach my $consumer (@_)
	{
		$consumer->{run}->signal('KILL');
		$consumer->{run}->finish;
	}
}

# The ids that each run of a consumer has written.  The last line may have been cut off.
sub printed
{
	my ($name) = @_;
	return map { [ slurp_file($_) =~ /^(\d+) .* \d+\n/mg ] } sort glob("$work/$name.[0-9]*");
}

sub start_consumers
{
	return (start_consumer("$dir/consumer.py", 'printer', 'print'), start_consumer("$dir/consumer.py", 'counter', 'count'));
}

sub wait_for_output
{
	my ($consumer) = @_;
	foreach my $attempt (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if -s $consumer->{output};
		sleep 0.01;
	}
	die 'a consumer writes nothing';
}

sub test_consumers
{
	my $naive = "$work/naive.py";
	append_to_file($naive, slurp_file("$dir/consumer.py") =~ s/CALL settled_snowflake\('outbox_id', NULL\)/SELECT coalesce(max(id), 0) FROM outbox/r);
	my @writers = start_writers(3, 'feed');
	my $loser = start_consumer($naive, 'loser', 'print');
	foreach my $attempt (1 .. 10)
	{
		my @consumers = start_consumers();
		wait_for_output($consumers[0]);
		sleep rand 0.2;
		kill_consumers(@consumers);
	}
	stop_writers('feed', @writers);
	my @consumers = start_consumers();
	$node->poll_query_until('feed', 'SELECT min(last) >= (SELECT max(id) FROM outbox) AND count(*) = 3 FROM bookmark')
	  or die 'consumers do not catch up';
	kill_consumers(@consumers, $loser);

	my @printed = printed('printer');
	my @all = map { @$_ } @printed;
	my %seen;
	my @first = grep { !$seen{$_}++ } @all;
	is(slurp_file("$work/errors"), '', 'consumers run without an error');
	ok(slurp_file($node->logfile) !~ / execute _pg/, 'consumers prepare no statements, which a pooler of transactions mixes');
	is(scalar(grep { not_above(0, @$_) } @printed), 0, 'print: each run is in order');
	is_all(\@first, 'feed', 'print, without ' . (@all - @first) . ' repeated rows');
	is($node->safe_psql('feed', 'SELECT item, quantity FROM sold ORDER BY item'),
		$node->safe_psql('feed', 'SELECT item, sum(quantity) FROM outbox GROUP BY item ORDER BY item'),
		'count: each row once');
	my ($lost) = map { scalar(@first) - @$_ } printed('loser');
	cmp_ok($lost, '>', 0, "one that takes the highest id for the bound misses rows: $lost");
}

$node->safe_psql('postgres', 'CREATE DATABASE feed');
run_file($node, 'feed', 'outbox');

# Commits of the consumer that counts take a while, so that some kills hit them.
$node->safe_psql('feed', q{
	CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(random() ^ 8 * 0.02); RETURN NULL; END';
	CREATE CONSTRAINT TRIGGER delay AFTER INSERT OR UPDATE ON sold DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION delay();});
SKIP:
{
	skip 'psycopg 3 is not installed (on Debian python3-psycopg)', 10 unless $python;
	test_consumers();
}

# Files: no row is in two of them, also if an export failed after it wrote one.

my @writers = start_writers(3, 'feed');
sub files { return sort { $a->[0] <=> $b->[0] } map { [ /outbox-(\d+)\.csv/, $_ ] } glob("$work/outbox-*.csv"); }
foreach my $attempt (1 .. 1000)
{
	sleep 0.1;
	run_file($node, 'feed', slurp_file("$dir/export.sql") =~ s/^UPDATE.*/\\endif/msr) if $attempt % 2;
	run_file($node, 'feed', 'export');
	last if 4 <= grep { -s $_->[1] } files();
}
stop_writers('feed', @writers);
run_file($node, 'feed', 'export');
my @files = files();
run_file($node, 'feed', 'export');
is_deeply([ files() ], \@files, 'an export of nothing writes no file');
cmp_ok(scalar(grep { -s $_->[1] } files()), '>', 3, 'there are files');
is_all([ map { slurp_file($_->[1]) =~ /^(\d+),/mg } files() ], 'feed', 'export');
# a sequence that begins again takes the bound back, but not the bookmark
$node->safe_psql('feed', 'ALTER SEQUENCE outbox_id RESTART');
run_file($node, 'feed', 'export');
$node->safe_psql('feed', "INSERT INTO outbox (item, quantity) VALUES ('again', 1)");
run_file($node, 'feed', 'export');
is_all([ map { slurp_file($_->[1]) =~ /^(\d+),/mg } files() ], 'feed', 'export, after RESTART');

$node->safe_psql('feed', "INSERT INTO outbox (item, quantity) VALUES ('rewritten', 1)");
run_during_rewrite('feed', 'export');
is_all([ map { slurp_file($_->[1]) =~ /^(\d+),/mg } files() ], 'feed', 'export, while ALTER TABLE rewrites the table');

# Whose transaction holds the bound back?  Also after a restart.

my $slow = $node->background_psql('feed');
$slow->query_safe("BEGIN; INSERT INTO outbox (item, quantity) VALUES ('slow', 1);");
$node->safe_psql('feed', "BEGIN; SELECT next_snowflake('outbox_id', 5, 'twitter'); PREPARE TRANSACTION 'two phases'");
my $pid = $slow->query_safe('SELECT pg_backend_pid()');
my $user = $node->safe_psql('feed', 'SELECT current_user');
my $holders = run_file($node, 'feed', 'holders', 'sequence=outbox_id');
like($holders, qr/^\Q$pid||$user|idle in transaction\E\|\d\d:\d\d:\d\d$/m, 'a session holds the bound back');
like($holders, qr/^\|two phases\|\|\|\d\d:\d\d:\d\d$/m, 'a prepared transaction does');
is($holders =~ tr/\n//, 2, 'and no other');
$slow->query_safe('COMMIT');
$slow->query_safe("BEGIN; SELECT next_shard_id(5, 1, 'twitter')");
like(run_file($node, 'feed', 'holders', 'sequence=shard_id_reservation'), qr/^\Q$pid||$user|\E/m, 'and that of settled_shard_id()');
$slow->query_safe('COMMIT');
$slow->quit;
$node->restart;
like(run_file($node, 'feed', 'holders', 'sequence=outbox_id'), qr/^\|two phases\|\|\|\d\d:\d\d:\d\d\n$/, 'the prepared transaction, after a restart');
$node->safe_psql('feed', "ROLLBACK PREPARED 'two phases'");
is(run_file($node, 'feed', 'holders', 'sequence=outbox_id'), '', 'then none');

# A standby: the bound comes in a table, or waits for a position in WAL.

run_file($node, 'feed', 'feed_bound');
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;

# what the page shows of it
my ($wait) = grep { ($_->{in} // '') eq 't/053_feed_example.pl' } blocks('docs/feeds.md');
my (undef, undef, $error) = $standby->psql('feed', "CALL settled_snowflake('outbox_id', NULL)");
like($error, qr/^HINT:  Call it on the primary, .*pg_last_wal_replay_lsn\(\) has reached/m, 'an error on a standby says what to do');

# Read on the standby what is new, and move the bookmark in $$last.
sub read_standby
{
	my ($bound, $last) = @_;
	my ($upto, @ids) = split /\n/, $standby->safe_psql('feed', qq{
		BEGIN ISOLATION LEVEL REPEATABLE READ;
		SELECT $bound AS upto \\gset
		SELECT :upto;
		SELECT id FROM outbox WHERE id > $$last AND id <= :upto ORDER BY id;
		COMMIT;});
	$$last = $upto;
	return @ids;
}

sub read_by_table
{
	run_file($node, 'feed', 'bound', 'node=5', 'sequence=outbox_id');
	return read_standby('(SELECT upto FROM feed_bound)', @_);
}

sub read_by_position
{
	my ($upto, $lsn) = split /\n/, $node->safe_psql('feed', "CALL settled_snowflake('outbox_id', NULL); SELECT pg_current_wal_insert_lsn();");
	$standby->poll_query_until('feed', $wait->{text} =~ s/:'position'/'$lsn'/r) or die 'the standby does not follow';
	return read_standby($upto, @_);
}

@writers = start_writers(3, 'feed');
my ($last_by_table, $last_by_position, @by_table, @by_position) = (0, 0);
foreach my $attempt (1 .. 8)
{
	push @by_table, read_by_table(\$last_by_table);
	push @by_position, read_by_position(\$last_by_position);
}
stop_writers('feed', @writers);
push @by_position, read_by_position(\$last_by_position);
run_file($node, 'feed', 'bound', 'node=5', 'sequence=outbox_id');
$node->wait_for_catchup($standby);
push @by_table, read_by_table(\$last_by_table);
is_all(\@by_table, 'feed', 'standby, bound in a table');
is_all(\@by_position, 'feed', 'standby, position in WAL');
$standby->stop;

# A subscriber with the rows of two nodes, of which one is idle at first.  All are
# databases of one server, for which slots must be made beforehand.

my @nodes = (5, 6);
foreach my $database ('merged', map { "node_$_" } @nodes)
{
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	run_file($node, $database, $_) foreach 'outbox', 'feed_bound';
}
foreach my $n (@nodes)
{
	$node->safe_psql("node_$n", qq{
		ALTER TABLE outbox ALTER id SET DEFAULT next_snowflake('outbox_id', $n, 'twitter');
		CREATE PUBLICATION feed FOR TABLE outbox, feed_bound;});
	$node->safe_psql("node_$n", "SELECT pg_create_logical_replication_slot('node_$n', 'pgoutput')");
	my $conninfo = $node->connstr("node_$n") =~ s/'/''/gr;
	$node->safe_psql('merged', qq{
		CREATE SUBSCRIPTION node_$n CONNECTION '$conninfo' PUBLICATION feed WITH (create_slot = false, slot_name = node_$n, copy_data = false);});
}

my @merged;
my $unordered = 0;

sub read_merged
{
	run_file($node, "node_$_", 'bound', "node=$_", 'sequence=outbox_id') foreach @nodes;
	my @ids = run_file($node, 'merged', 'merged', 'consumer=report', 'table=outbox', 'layout=twitter') =~ /^(\d+)\|/mg;
	$unordered += not_above(0, @ids);
	push @merged, @ids;
}

my %writers = (5 => [ start_writers(2, 'node_5') ]);
foreach my $attempt (1 .. 2000)
{
	read_merged();
	last if @merged > 20;
}
cmp_ok(scalar @merged, '>', 0, 'an idle node does not hold the others back');
$writers{6} = [ start_writers(2, 'node_6') ];
read_merged() foreach 1 .. 5;
stop_writers("node_$_", @{ $writers{$_} }) foreach @nodes;
run_file($node, "node_$_", 'bound', "node=$_", 'sequence=outbox_id') foreach @nodes;
$node->wait_for_catchup("node_$_") foreach @nodes;
push @merged, run_during_rewrite('merged', 'merged', 'consumer=report', 'table=outbox', 'layout=twitter') =~ /^(\d+)\|/mg;
read_merged();
is($unordered, 0, 'subscriber: each read is in order');
foreach my $n (@nodes)
{
	my @of_node = grep { ($_ >> 12 & 1023) == $n } @merged;
	is_all(\@of_node, "node_$n", "subscriber, node $n");
}
$node->safe_psql('merged', "DROP SUBSCRIPTION node_$_") foreach @nodes;

# As the page says, in an empty database, for a table that it does not know
my %values = (node => 7, sequence => 'number', consumer => 'one', table => '"Event"', layout => 'instagram');

sub run_as_page
{
	my ($example) = @_;
	my ($command) = slurp_file('docs/feeds.md') =~ /^    psql (.*) -f $example\.sql$/m or die "the page does not run $example";
	return run_file($node, 'other', $example, map { "$_=" . $values{$_} } $command =~ /-v (\w+)=/g);
}
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', q{
	CREATE EXTENSION objectid_ext;
	CREATE SEQUENCE number;
	CREATE TABLE "Event" (body text, id bigint DEFAULT next_snowflake('number', 7, 'instagram'));
	INSERT INTO "Event" VALUES ('a'), ('b')});
run_file($node, 'other', 'feed_bound');
run_as_page('bound');
is($node->safe_psql('other', 'SELECT node, upto >= (SELECT max(id) FROM "Event") FROM feed_bound'), '7|t', 'the first run writes the bound of a node');
like(run_as_page('merged'), qr/^a\|\d+\nb\|\d+$/, 'what is read up to it');
$node->safe_psql('other', q{INSERT INTO "Event" VALUES ('c')});
is(run_as_page('merged'), '', 'nothing more before it is written again');
run_as_page('bound');
like(run_as_page('merged'), qr/^c\|\d+$/, 'then the rest');

# Two processes of one consumer
$node->safe_psql('other', q{INSERT INTO "Event" VALUES ('d')});
run_as_page('bound');
my $text = slurp_file("$dir/merged.sql");
my $variables = qq{\\set consumer one\n\\set table '"Event"'\n\\set layout instagram\n};
my ($read, $move) = $text =~ /^(BEGIN.*)^(UPDATE.*)/ms;
my $first = $node->background_psql('other');
like($first->query_safe($variables . $read), qr/^d\|\d+$/, 'the first reads a row');
my $second = start_client($node, $variables . $text, 1, 'other');
$node->poll_query_until('other', q{SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
	WHERE NOT granted AND datname = 'other' AND backend_type = 'client backend')}) or die 'the second does not wait';
$first->query_safe($move);
$first->quit;
ok($second->{run}->finish, 'the second waits');
is(slurp_file($second->{output}), '', 'and does not read it again');
$node->safe_psql('other', 'UPDATE feed_bound SET upto = 9223372036854775807');
run_as_page('bound');
is($node->safe_psql('other', 'SELECT upto FROM feed_bound'), '9223372036854775807', 'a bound does not go back');

$node->stop;
done_testing();
