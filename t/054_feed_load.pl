# Feeds under load: twelve writers fill a table, and three readers follow it with
# settled_snowflake() and a bookmark, through rollbacks, prepared transactions,
# killed sessions, crashes, a promotion, and a clock that is set.  Each reader gets
# each committed row once, in order of id.
#
# Readers with planted faults show that the check finds rows that are missed.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use History;
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $machine = new_machine();
my %env = ref $machine ? machine_environment($machine) : ();
my $dir = PostgreSQL::Test::Utils::tempdir('feed');

# A tick of the second layout outlasts many transactions, and a session's block
# lasts as long.
my %layouts = (short => 'twitter', long => 'time:37,node:8,seq:18;tick=500ms;epoch=2020-01-01T00:00:00Z');
my @feeds = sort keys %layouts;

my $node = start_server('node_0', allows_streaming => 1, env => \%env, conf => q{
shared_buffers = 64MB
client_min_messages = error
max_connections = 50
max_prepared_transactions = 500
restart_after_crash = on
});
$node->safe_psql('postgres', 'CREATE SEQUENCE gid');
$node->safe_psql('postgres', qq{
	CREATE SEQUENCE ${_}_id;
	CREATE TABLE $_ (id bigint PRIMARY KEY DEFAULT next_snowflake('${_}_id', 5, '$layouts{$_}'), writer int)})
  foreach @feeds;

#
# Writers
#

# What a writer does in a turn: statements that psql runs one by one.  From 8 on
# they are short transactions.
$node->safe_psql('postgres', <<'END');
CREATE PROCEDURE insert_quickly(feed text, writer int)
LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 50 LOOP
		EXECUTE format('INSERT INTO %I (writer) VALUES (%s)', feed, writer);
		IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
	END LOOP;
END;
$$;

CREATE FUNCTION turn(feed text, layout text, writer int, lowest int, pause text, bulk int) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
	one text := format('INSERT INTO %I (writer) VALUES (%s)', feed, writer);
	many text := format('INSERT INTO %I (writer) SELECT %s FROM generate_series(1, %s)', feed, writer, 1 + random() * bulk);
	take text := format('SELECT set_config(''feed.id'', next_snowflake(%L, 5, %L)::text, true)', feed || '_id', layout);
	use_taken text := format('INSERT INTO %I VALUES (current_setting(''feed.id'')::bigint, %s)', feed, writer);
	finish text := CASE WHEN random() < 0.8 THEN 'COMMIT' ELSE 'ROLLBACK' END;
BEGIN
	RETURN CASE floor(lowest + random() * (17 - lowest))
		WHEN 0 THEN ARRAY['BEGIN', one, many, format('PREPARE TRANSACTION ''%s''', nextval('gid'))]
		WHEN 1 THEN ARRAY['BEGIN', 'SAVEPOINT s', one, 'ROLLBACK TO s', pause, one, finish]
		WHEN 2 THEN ARRAY['BEGIN', one, 'SAVEPOINT s', many, 'ROLLBACK TO s', many, 'RELEASE s', pause, finish]
		WHEN 3 THEN ARRAY['BEGIN', 'SAVEPOINT s', take, 'RELEASE s', many, pause, use_taken, finish]
		WHEN 4 THEN ARRAY['BEGIN', take, pause, use_taken, many, finish]
		WHEN 5 THEN ARRAY['BEGIN', pause, many, 'ROLLBACK']
		WHEN 6 THEN ARRAY['BEGIN', one, pause, pause, finish]
		WHEN 7 THEN ARRAY['BEGIN', many, pause, one, finish]
		WHEN 8 THEN ARRAY[format('CALL insert_quickly(%L, %s)', feed, writer)]
		WHEN 9 THEN ARRAY[many]
		WHEN 10 THEN ARRAY[many, many]
		ELSE ARRAY[one, one]
	END;
END;
$$;
END

# A script that runs another so many times
sub repeat
{
	my ($name, $script, @times) = @_;
	foreach my $times (@times)
	{
		my $file = "$dir/$name.$times";
		append_to_file($file, $script) unless -e $file;
		$script = "\\i $file\n" x $times;
	}
	return $script;
}

my $bulk = is_long() ? 600 : 100;

sub start_writer
{
	my ($feed, $number, $lowest, $pause) = @_;
	my $script = repeat("writer_$feed", <<'END', 100, 101);
SELECT unnest(turn(:'feed', :'layout', :number, :lowest, :'pause', :bulk)) FROM generate_series(1, 100) \gexec
END
	return start_client($node, <<END);
SET application_name = writer;
\\o /dev/null
\\set feed $feed
\\set layout '$layouts{$feed}'
\\set number $number
\\set lowest $lowest
\\set pause '$pause'
\\set bulk $bulk
$script
END
}

# Another session ends prepared transactions, soon or late; not one that still
# waits for the standby.
sub start_finisher
{
	return start_client($node, repeat('finisher', <<'END', 100, 101, 102), 0);
SELECT format('%s PREPARED %L', CASE WHEN random() < 0.8 THEN 'COMMIT' ELSE 'ROLLBACK' END, gid)
FROM pg_prepared_xacts WHERE random() < 0.2 \gexec
SELECT count(*) FROM generate_series(1, 20000) \g /dev/null
END
}

sub end_clients_without_error
{
	foreach my $client (@_)
	{
		$client->{run}->signal('INT') if $client->{run}->pumpable;
		$client->{run}->finish;
		my @errors = grep { !/canceling statement due to user request|terminating connection|prepared transaction .* is busy/ }
		  slurp_file($client->{errors}) =~ /^.*ERROR:  (.*)$/mg;
		is("@errors", '', 'no error of a client') if @errors;
	}
}

#
# Readers
#

# How they poll.  The log of a reader has a line "bound ID" for each bound, then
# the rows, and "upto ID" if all of them were read: its bookmark, from which it
# continues after it has lost its server.
my $read = <<'END';
\echo bound :upto
SELECT id FROM :feed WHERE id > :last AND id <= :upto ORDER BY id;
\echo upto :upto
\set last :upto
END
my $read_both = <<'END';
\echo :rows
\echo upto :upto
\set last :upto
END
my %polls = (
	settled => "CALL settled_snowflake(:'seq', NULL) \\gset\n$read",
	'settled in a function' => "SELECT * FROM poll(:'feed', :last) \\gset\n$read_both",

	# Faults: without a bound; one that is younger than the snapshot; one that
	# knows what transactions have taken, but not those that are prepared, or
	# not what sessions have left
	'no bound' => <<"END",
SELECT coalesce(max(id), :last) AS upto, coalesce(string_agg(id::text, E'\\n' ORDER BY id), '') AS rows
FROM :feed WHERE id > :last \\gset
$read_both
END
	'bound after the snapshot' => <<"END",
WITH bound AS MATERIALIZED (SELECT settled(:'seq') AS upto FROM pg_sleep(0.01))
SELECT upto, coalesce(string_agg(id::text, E'\\n' ORDER BY id), '') AS rows
FROM bound LEFT JOIN :feed ON id > :last AND id <= upto GROUP BY upto \\gset
$read_both
END
	'bound without prepared transactions' => "SELECT end_of_lockers(:'seq', false) AS upto \\gset\n$read",
	'bound without CACHE' => "SELECT end_of_lockers(:'seq', true) AS upto \\gset\n$read");

# A statement of a function has a snapshot of its own, if the function is volatile.
$node->safe_psql('postgres', <<'END');
CREATE FUNCTION settled(seq regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	upto bigint;
BEGIN
	CALL settled_snowflake(seq, upto);
	RETURN upto;
END;
$$;
CREATE FUNCTION poll(feed text, last bigint, OUT upto bigint, OUT rows text)
LANGUAGE plpgsql AS $$
BEGIN
	upto := settled((feed || '_id')::regclass);
	EXECUTE format('SELECT coalesce(string_agg(id::text, E''\n'' ORDER BY id), '''') FROM %I WHERE id > $1 AND id <= $2', feed)
	INTO rows USING last, upto;
END;
$$;
END

# Waits until the transactions that may have taken ids up to last_value have ended.
$node->safe_psql('postgres', <<'END');
CREATE FUNCTION end_of_lockers(seq regclass, with_prepared bool) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
	upto bigint;
	lockers text[];
BEGIN
	EXECUTE 'SELECT last_value FROM ' || seq INTO upto;
	SELECT array_agg(virtualtransaction) INTO lockers FROM pg_locks
	WHERE relation = seq AND mode = 'RowExclusiveLock' AND (with_prepared OR pid IS NOT NULL);
	WHILE EXISTS (SELECT FROM pg_locks
		WHERE relation = seq AND mode = 'RowExclusiveLock' AND (with_prepared OR pid IS NOT NULL)
			AND virtualtransaction = ANY (lockers))
	LOOP
		PERFORM pg_sleep(0.001);
	END LOOP;
	RETURN upto;
END;
$$;
END

sub new_reader
{
	my ($feed, $poll, $last) = @_;
	return { feed => $feed, poll => $poll, first => $last // 0, logs => [] };
}

my %readers = map { my $feed = $_; $feed => [ map { new_reader($feed, $_) } 'settled', 'settled', 'settled in a function' ] } @feeds;

sub bookmark
{
	my ($reader) = @_;
	foreach my $log (reverse @{ $reader->{logs} })
	{
		return $1 if `tac $log 2>/dev/null | grep -a -m 1 '^upto'` =~ /^upto (\d+)\n/;
	}
	return $reader->{first};
}

# One of the readers does so in read-only transactions.
sub start_reader
{
	my ($reader, @times) = @_;
	@times = (100, 101, 102) unless @times;
	my $script = repeat($reader->{poll} =~ s/ /_/gr, $polls{ $reader->{poll} }, @times);
	my $read_only = $reader == $readers{ $reader->{feed} }[0] ? 'on' : 'off';
	my $last = bookmark($reader);
	my $client = start_client($node, <<END);
SET default_transaction_read_only = $read_only;
\\set feed $reader->{feed}
\\set seq $reader->{feed}_id
\\set last $last
$script
END
	push @{ $reader->{logs} }, $client->{output};
	return { %$client, reader => $reader };
}

#
# The check
#

# Compare what a reader read with a file of the committed rows, in order, from
# where it began up to its bookmark.  Rows that it read without a bookmark after
# them do not count.
sub check_reader
{
	my ($reader, $committed) = @_;
	my %found = (rows => 0, polls => 0, missed => 0, 'out of order' => 0, 'not committed' => 0, 'bound went back' => 0);
	my $upto = bookmark($reader);
	my ($bound, $previous) = (0, $reader->{first});
	open my $rows, '<', $committed or die "$committed: $!";
	my $expected = next_row($rows, $reader->{first});
	foreach my $log (@{ $reader->{logs} })
	{
		open my $file, '<', $log or die "$log: $!";
		my @chunk;
		while (my $line = <$file>)
		{
			if ($line =~ /^\d/)
			{
				push @chunk, $line + 0;
				next;
			}
			my ($what, $id) = $line =~ /^(\w+) (\d+)$/ or next;
			$found{'bound went back'}++ if $id < $bound;
			$bound = $id;
			next if $what eq 'bound';
			foreach my $row (@chunk)
			{
				$found{rows}++;
				while ($expected < $row) { $found{missed}++; $expected = next_row($rows, 0); }
				if ($expected == $row) { $expected = next_row($rows, 0); }
				else { $found{ $row <= $previous ? 'out of order' : 'not committed' }++; }
				$previous = $row if $row > $previous;
			}
			@chunk = ();
			$found{polls}++;
		}
	}
	while ($expected <= $upto) { $found{missed}++; $expected = next_row($rows, 0); }
	return \%found;
}

# The next row above a limit; at the end, one above all others
sub next_row
{
	my ($file, $limit) = @_;
	while (my $line = <$file>) { return $line + 0 if $line > $limit; }
	return 9223372036854775807;
}

# The check finds each kind of fault.
append_to_file("$dir/rows", join '', map { "$_\n" } 1 .. 9);
append_to_file("$dir/log", <<'END');
bound 3
1
3
upto 3
bound 2
4
upto 5
bound 6
6
END
append_to_file("$dir/log2", <<'END');
bound 12
6
8
7
7
12
upto 12
END
is_deeply(
	check_reader({ first => 0, logs => [ "$dir/log", "$dir/log2" ] }, "$dir/rows"),
	{ rows => 8, polls => 3, missed => 4, 'out of order' => 2, 'not committed' => 1, 'bound went back' => 1 },
	'the check of a reader finds rows missed (2, 5, 7, 9), out of order (7, 7), not committed (12), and a bound that goes back');

#
# Phases
#

# Writers and readers at work on a feed, and what happens meanwhile.  Unless that
# was the end of the server, the writers are stopped.
sub phase
{
	my ($name, $feed, %params) = @_;
	my @turns = ($params{lowest} // 0, $params{pause} // 'SELECT pg_sleep(random() * 0.02)');
	if ($params{cache})
	{
		end_prepared();
		$node->safe_psql('postgres', "ALTER SEQUENCE ${feed}_id CACHE $params{cache}");
	}
	my @faulty = map { new_reader($feed, $_, bookmark($readers{$feed}[0])) } @{ $params{faulty} // [] };
	my @writers = map { start_writer($feed, $_, @turns) } 1 .. 12;
	my @others = (start_finisher());
	my @reading = map { start_reader($_) } @{ $readers{$feed} }, @faulty;
	$params{meanwhile}->(sub { push @writers, start_writer($feed, 12 + @writers, @turns) });
	end_clients_without_error(@writers, @reading, @others);
	is((grep { !-s $_->{output} } @reading), 0, "$name, $feed ticks: all readers read");
	return @faulty;
}

# Another session commits what is prepared.
sub end_prepared
{
	return map { $node->safe_psql('postgres', "COMMIT PREPARED '$_'"); $_ }
	  split /\n/, $node->safe_psql('postgres', 'SELECT gid FROM pg_prepared_xacts');
}

my $seconds = is_long() ? 15 : 1;

sub work { sleep $seconds; }

sub kill_writers
{
	my ($start_writer) = @_;
	my $until = time + $seconds;
	while (time < $until)
	{
		my $killed = $node->safe_psql('postgres', q{SELECT count(pg_terminate_backend(pid)) FROM
			(SELECT pid FROM pg_stat_activity WHERE application_name = 'writer' ORDER BY random() LIMIT 3) AS s});
		$start_writer->() foreach 1 .. $killed;
		sleep 0.1;
	}
}

sub start_node { local %ENV = (%ENV, %env); $node->start; }

my $kept = 0;

sub crash
{
	my ($stop) = @_;
	work();
	$stop->();
	start_node();
	$kept += $node->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts');
}

# A synchronous standby
my $standbys = 0;

sub start_standby
{
	my $standby = PostgreSQL::Test::Cluster->new('node_' . ++$standbys);
	$node->backup("base_$standbys");
	$standby->init_from_backup($node, "base_$standbys", has_streaming => 1);
	{
		local %ENV = (%ENV, %env);
		$standby->start;
	}
	$node->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
	$node->reload;
	$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'})
	  or die 'the standby does not become synchronous';
	return $standby;
}

# It takes the place of the server, which is lost.
sub lose_server_to
{
	my ($standby) = @_;
	work();
	kill_server($node);
	$node = $standby;
	$node->promote;
	$kept += $node->safe_psql('postgres', 'SELECT count(*) FROM pg_prepared_xacts');
}

# Nobody must sleep until a time that a clock set back does not reach.
sub clock_phase
{
	my ($name, $feed, $lowest, @steps) = @_;
	phase($name, $feed, cache => 64, lowest => $lowest, pause => 'SELECT count(*) FROM generate_series(1, (random() * 50000)::int)',
		meanwhile => sub {
			foreach my $step (@steps, 0)
			{
				set_clock($machine, $step);
				sleep $seconds / 3;
			}
		});
}

sub crash_and_set_clock_back
{
	crash(sub { $node->stop('immediate'); set_clock($machine, -60); });
	set_clock($machine, 0);
}

sub committed_rows
{
	return $node->safe_psql('postgres', 'SELECT ' . join '+', map { "(SELECT count(*) FROM $_)" } @_);
}

# A file of the committed rows
sub copy_rows
{
	my ($feed) = @_;
	$node->safe_psql('postgres', "COPY (SELECT id FROM $feed ORDER BY id) TO '$dir/committed_$feed'");
	return "$dir/committed_$feed";
}

my @faulty;
my $wanted = is_long() ? 10_000_000 : 0;
my $round = 0;
do
{
	my ($one, $other) = $round++ % 2 ? reverse @feeds : @feeds;
	push @faulty, phase('CACHE 1', 'short', cache => 1, meanwhile => \&work,
		faulty => [ $round > 1 ? () : ('no bound', 'bound after the snapshot', 'bound without prepared transactions') ]);
	# On a slow machine the reader with this fault may poll too seldom.
	foreach my $attempt (1 .. 5)
	{
		my @reader = phase('CACHE 64, short transactions', 'long', cache => 64, lowest => 8, meanwhile => \&work,
			faulty => [ $round > 1 ? () : 'bound without CACHE' ]);
		next if $attempt < 5 && @reader && !check_reader($reader[0], copy_rows('long'))->{missed};
		push @faulty, @reader;
		last;
	}
	phase('CACHE 64, killed sessions', $one, cache => 64, meanwhile => \&kill_writers);
	phase('kill -9', $other, meanwhile => sub { crash(sub { kill_server($node) }) });
	phase('immediate shutdown', $one, meanwhile => sub { crash(sub { $node->stop('immediate') }) })
	  if is_long() || !ref $machine;
	my $standby = start_standby();
	phase('promotion', $other, meanwhile => sub { lose_server_to($standby) });
	if (ref $machine)
	{
		phase('crash and clock set back', $one, meanwhile => \&crash_and_set_clock_back);
		clock_phase('clock set', $other, 0, -1, 2, -3600, 1) if is_long();
	}
} while (committed_rows(@feeds) < $wanted);

# At the end, because the ids stay a day ahead of the clock
SKIP:
{
	skip "$machine: NO TEST with a clock that is set", 1 unless ref $machine;
	clock_phase('clock set', $_, 8, -1, 2, -3600, 86400) foreach is_long() ? @feeds : 'short';
}
cmp_ok($kept, '>', 0, "$kept prepared transactions outlived their server");

#
# The result
#

my ($rows, %committed) = (0);
end_prepared();
foreach my $feed (@feeds)
{
	$node->poll_query_until('postgres', "SELECT settled('${feed}_id') >= max(id) FROM $feed")
	  or fail("$feed: once all transactions have ended, the bound reaches the last row");
	$_->{run}->finish foreach map { start_reader($_, 1) } @{ $readers{$feed} };
	$committed{$feed} = copy_rows($feed);
	foreach my $reader (@{ $readers{$feed} })
	{
		my $found = check_reader($reader, $committed{$feed});
		is($found->{rows}, committed_rows($feed), "$feed ticks: $found->{rows} rows read in $found->{polls} polls");
		is($found->{$_}, 0, "$feed ticks: $_ 0") foreach 'missed', 'out of order', 'not committed', 'bound went back';
		$rows += $found->{rows};
	}
}
foreach my $reader (@faulty)
{
	my $found = check_reader($reader, $committed{ $reader->{feed} });
	cmp_ok($found->{missed}, '>', 0, "$reader->{poll}: $found->{missed} rows missed beside $found->{rows} read");
}
cmp_ok($rows, '>=', 3 * $wanted || 100_000, "$rows rows checked");

$node->stop;
done_testing();
