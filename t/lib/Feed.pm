# A table that writers fill and readers follow with settled_snowflake() and a bookmark,
# and a check of what each reader has read.
package Feed;

use strict;
use warnings FATAL => 'all';

use Exporter qw(import);
use History;
use ObjectidTest;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(create_feeds @feeds start_writer start_finisher end_clients_without_error
  new_reader bookmark start_reader check_reader);

my $dir;

# A tick of the second layout outlasts many transactions, and a session's block
# lasts as long.
my %layouts = (short => 'twitter', long => 'time:37,node:8,seq:18;tick=500ms;epoch=2020-01-01T00:00:00Z');
our @feeds = sort keys %layouts;

# The feeds, and what their writers and readers call
sub create_feeds
{
	my ($node) = @_;
	$node->safe_psql('postgres', 'CREATE SEQUENCE gid');
	$node->safe_psql('postgres', qq{
		CREATE SEQUENCE ${_}_id;
		CREATE TABLE $_ (id bigint PRIMARY KEY DEFAULT next_snowflake('${_}_id', 5, '$layouts{$_}'), writer int)})
	  foreach @feeds;

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

	# A statement of a function has a snapshot of its own, if the function is volatile.
	# The last one waits until the transactions that may have taken ids up to last_value
	# have ended.
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
}

#
# Writers
#

# A script that runs another so many times
sub repeat
{
	my ($name, $script, @times) = @_;

	# Not while this file is loaded: Utils does not know yet where, and takes the tree.
	$dir //= PostgreSQL::Test::Utils::tempdir('feed');
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
	my ($node, $feed, $number, $lowest, $pause) = @_;
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
	my ($node) = @_;
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

sub new_reader
{
	my ($feed, $poll, %params) = @_;
	return { feed => $feed, poll => $poll, first => 0, logs => [], %params };
}

sub bookmark
{
	my ($reader) = @_;
	foreach my $log (reverse @{ $reader->{logs} })
	{
		return $1 if `tac $log 2>/dev/null | grep -a -m 1 '^upto'` =~ /^upto (\d+)\n/;
	}
	return $reader->{first};
}

# It polls in read-only transactions if it is "read_only".
sub start_reader
{
	my ($node, $reader, @times) = @_;
	@times = (100, 101, 102) unless @times;
	my $script = repeat($reader->{poll} =~ s/ /_/gr, $polls{ $reader->{poll} }, @times);
	my $read_only = $reader->{read_only} ? 'on' : 'off';
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

1;
