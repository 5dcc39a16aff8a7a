# Clients that record every id they receive, and the check of these histories
# against the guarantees of the generators.
#
# A line of a history is "generator|first|last|clock": the id, or the first and
# the last of a range, and the server's clock in microseconds, read after the
# id was made.  A file holds what one session was given, in that order.  Where
# there are more sequences for a generator, the line begins with
# "generator.sequence".
package History;

use strict;
use warnings FATAL => 'all';

use Exporter qw(import);
use ObjectidTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw(create_keyed_tables generators_but start_clients end_clients
  check_history history_is_sound repeated ascends indexes_are_sound is_long);

# Are the tests to take their time?  As for the tests of the server, that is
# what PG_TEST_EXTRA says.
sub is_long { return ($ENV{PG_TEST_EXTRA} // '') =~ /\blong\b/; }

#
# The clients
#

# A table for each generator, keyed by its ids.
my %tables = (
	cache_1 => q{id bigint PRIMARY KEY DEFAULT next_snowflake('cache_1_id', :number, 'twitter')},
	cache_64 => q{id bigint PRIMARY KEY DEFAULT next_snowflake('cache_64_id', :number, 'twitter')},
	shard => q{id bigint PRIMARY KEY},
	shard_cache_1 => q{id bigint PRIMARY KEY},
	shard_cache_100 => q{id bigint PRIMARY KEY},
	shard_plain => q{id bigint PRIMARY KEY},
	objectid => q{id objectid PRIMARY KEY DEFAULT gen_objectid()},
	range => q{id bigint PRIMARY KEY, last bigint});

# next_shard_id() with numbers of a client's own sequence; of one that all share;
# and with numbers that all use.  The last three share a shard, too: that of their
# server.
my %numbers = (
	shard => q{nextval('shard_:client_id')},
	shard_cache_1 => q{nextval('shard_cache_1_id')},
	shard_cache_100 => q{nextval('shard_cache_100_id')},
	shard_plain => 'i');

sub shard_of
{
	my ($generator, $session) = @_;
	return $generator eq 'shard' ? $session->{shard} : 1000 + $session->{node};
}

# All generators but some
sub generators_but
{
	my %but = map { $_ => 1 } @_;
	return grep { !$but{$_} } sort keys %tables;
}

sub create_keyed_tables
{
	my ($node, $number) = @_;
	$number //= 5;
	$node->safe_psql('postgres', join ";\n",
		'CREATE EXTENSION IF NOT EXISTS amcheck',
		'CREATE SEQUENCE cache_1_id',
		'CREATE SEQUENCE cache_64_id CACHE 64',
		'CREATE SEQUENCE range_id',
		'CREATE SEQUENCE shard_cache_1_id',
		'CREATE SEQUENCE shard_cache_100_id CACHE 100',
		map { "CREATE TABLE by_$_ (" . $tables{$_} =~ s/:number/$number/gr . ", client int)" } sort keys %tables);
}

# What a client is given in one statement: by a default, but for ranges, and
# for shards.  The server sends it in one piece, after the commit if there is no
# transaction block around it.
sub prepare
{
	my ($client, $generator) = @_;
	my ($number, $numbers) = ($client->{shard}, $numbers{$generator});
	my $last = $generator eq 'range' ? 'last' : 'id';
	my ($columns, $values) = ('client', "SELECT $number FROM generate_series(1, 20)");
	($columns, $values) = ('client, id', "SELECT $number, next_shard_id(" . shard_of($generator, $client) . ', '
		  . ($numbers =~ s/:client/$number/r) . ') FROM generate_series(1, 20) i')
	  if $numbers;
	($columns, $values) = ('client, id, last',
		"SELECT $number, first, last FROM generate_series(1, 5) i, nextval_range('range_id', i)")
	  if $generator eq 'range';
	return "PREPARE $generator AS INSERT INTO by_$generator ($columns) $values "
	  . "RETURNING '$generator', id, $last, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;\n";
}

# Takes turns with all generators, in transactions that commit and, if they
# may, others that do not.  Ranges come outside of them, for a value that
# nextval() has given counts only once it is committed.
sub script
{
	my ($client, $rollback, @generators) = @_;
	my @blocks = grep { $_ ne 'range' } @generators;
	my @turn = map { "EXECUTE $_" } @generators;
	push @turn, 'BEGIN', (map { "EXECUTE $_" } @blocks), $_ foreach $rollback ? ('COMMIT', 'ROLLBACK') : ();
	my $turn = join ', ', map { "'$_'" } @turn;
	return "CREATE SEQUENCE IF NOT EXISTS shard_$client->{shard}_id;\n"
	  . join('', map { prepare($client, $_) } @generators)
	  . "SELECT unnest(ARRAY[$turn]) FROM generate_series(1, 10000) \\gexec\n";
}

# Run clients until they lose their server or end_clients() is called.  Parameters:
# count of clients, shard of the first, node of the server, generators, whether
# to roll back as well, whether to stop at the first error; or a script, to be
# run in a database.
sub start_clients
{
	my ($node, %params) = @_;
	my @generators = @{ $params{generators} // [ sort keys %tables ] };
	my $first = $params{shard} // 1;
	my @clients;
	foreach my $shard ($first .. $first + ($params{count} // 8) - 1)
	{
		my $client = { node => $params{node} // 5, shard => $shard };
		my $script = $params{script} // script($client, $params{rollback} // 1, @generators);
		push @clients, { %$client, %{ start_client($node, $script, $params{on_error_stop}, $params{database}) } };
	}
	foreach my $client (@clients)
	{
		# One that has ended already lost its server to the others.
		until (-s $client->{output})
		{
			sleep 0.01;
			eval { $client->{run}->pump_nb; 1 } or last;
		}
	}
	return @clients;
}

# The histories of clients.  Those that are still at work are stopped as Ctrl-C
# does.
sub end_clients
{
	my (@clients) = @_;
	my @sessions;
	foreach my $client (@clients)
	{
		$client->{run}->signal('INT') if $client->{run}->pumpable;
		$client->{run}->finish;
		push @sessions, {
			%$client{qw(node shard)},
			lines => [ slurp_file($client->{output}) =~ /^([\w.]+\|.*)\n/mg ],
			errors => [ slurp_file($client->{errors}) =~ /^.*ERROR:  (.*)$/mg ] };
	}
	return @sessions;
}

#
# The check
#

# What a client may be told when somebody stops it, or takes away its server or
# its disk.  Any other error is a fault.  An id that comes twice is seldom in the
# lines: the primary key refuses it.
my $expected_error = qr/^(?:canceling statement due to |current transaction is aborted|.*No space left on device)/;

# How to read the time and the node in an id.  The bits are taken apart here
# and not by the extension.
my %layouts = (
	twitter => { time_shift => 22, node_shift => 12, node_mask => 0x3ff, epoch => 1288834974657 },
	instagram => { time_shift => 23, node_shift => 10, node_mask => 0x1fff, epoch => 1314220021721 });
my %layout_of = (cache_1 => 'twitter', cache_64 => 'twitter', map { $_ => 'instagram' } keys %numbers);

# One line: a key that sorts as its id does, the key of the last value, and
# where the id has them its time in seconds, the length of its tick, its node.
sub parse
{
	my ($line) = @_;
	my ($generator, $kind, $first, $last, $clock) =
	  $line =~ /^((\w+)(?:\.\w+)?)\|([0-9a-f]+)\|([0-9a-f]+)\|(\d+)$/ or return;
	my $entry = { line => $line, generator => $generator, clock => $clock / 1e6 };
	if ($kind eq 'objectid')
	{
		return unless length $first == 24;
		@$entry{qw(first last time tick)} = ($first, $last, hex(substr $first, 0, 8), 1);
	}
	else
	{
		return unless $tables{$kind} && "$first$last" =~ /^\d+$/ && $last >= $first;
		@$entry{qw(first last)} = map { sprintf '%019d', $_ } $first, $last;
		if (my $layout = $layouts{ $layout_of{$kind} // '' })
		{
			$entry->{time} = (($first >> $layout->{time_shift}) + $layout->{epoch}) / 1000;
			$entry->{tick} = 0.001;
			$entry->{node} = $first >> $layout->{node_shift} & $layout->{node_mask};
		}
	}
	return $entry;
}

# Where plain numbers begin again there is no order.
sub begins_again
{
	my ($entry, $previous) = @_;
	return $entry->{generator} eq 'shard_plain' && ($entry->{first} & 0x3ff) <= ($previous & 0x3ff);
}

# What is wrong with the histories of a number of sessions: a list of messages
# that begin with the kind of the fault.  A session is its lines, the node of its
# server, its shard and its errors; in %limits, how many seconds ids may lead the
# clock, those of next_shard_id() if it is more, and lag behind it, and a pattern of
# generators whose ids go back.
sub check_history
{
	my ($sessions, %limits) = @_;
	my ($lead, $lag) = ($limits{lead} // 1.1, $limits{lag} // 5);
	my $shard_lead = $limits{shard_lead} // $lead;
	my $goes_back = $limits{goes_back} // qr/(?!)/;
	my (@faults, %all);
	foreach my $session (@$sessions)
	{
		my %previous;
		push @faults, map { "error: $_" } grep { !/$expected_error/ } @{ $session->{errors} };
		foreach my $line (@{ $session->{lines} })
		{
			my $entry = parse($line);
			if (!$entry)
			{
				push @faults, "malformed: $line";
				next;
			}
			my $generator = $entry->{generator};
			unless ($generator =~ $goes_back)
			{
				push @{ $all{ $numbers{$generator} ? 'shard' : $generator } }, "$entry->{first} $entry->{last}";
				push @faults, "order: $line after $previous{$generator}"
				  if $entry->{first} le ($previous{$generator} // '') && !begins_again($entry, $previous{$generator});
				$previous{$generator} = $entry->{last};
			}
			push @faults, "node: $line"
			  if defined $entry->{node} && $entry->{node} != ($numbers{$generator} ? shard_of($generator, $session) : $session->{node});
			next unless defined $entry->{time};
			push @faults, "lead: $line" if $entry->{time} > $entry->{clock} + ($numbers{$generator} ? $shard_lead : $lead);
			push @faults, "lag: $line" if $entry->{time} + $entry->{tick} < $entry->{clock} - $lag;
		}
	}
	foreach my $generator (sort keys %all)
	{
		my $previous = '';
		foreach my $range (sort @{ $all{$generator} })
		{
			my ($first, $last) = split / /, $range;
			push @faults, "twice: $generator $first" if $first le $previous;
			$previous = $last if $last gt $previous;
		}
	}
	return @faults;
}

# What is worth showing of them: how many there are of each kind and generator,
# and the first of these.
sub some_of_each
{
	my (%count, %first);
	foreach (@_)
	{
		my $kind = /^(error)/ ? $1 : /^(\w+: [\w.]+)/ ? $1 : $_;
		$first{$kind} = $_ unless $count{$kind}++;
	}
	return map { "$count{$_} times $first{$_}" } sort keys %count;
}

# The test of it; says how many ids there were, for each generator.
sub history_is_sound
{
	my ($sessions, $name, %limits) = @_;
	my %ids;
	foreach my $line (map { @{ $_->{lines} } } @$sessions) { $ids{$1}++ if $line =~ /^([\w.]+)/; }
	note "$name: " . join ', ', map { "$ids{$_} of $_" } sort keys %ids;
	my $least = $limits{least} // 100;
	my @missing = grep { ($ids{$_} // 0) < $least } @{ $limits{generators} // [ sort keys %tables ] };
	is("@missing", '', "$name: every generator gave ids");
	my @faults = check_history($sessions, %limits);
	is(scalar @faults, 0, "$name: the history of " . @$sessions . ' sessions is sound')
	  or diag join "\n", some_of_each(@faults);
}

# For files of an id a line, all of the same length and more than there is memory
# for: those that come twice, at most ten; a folder to sort in.
sub repeated
{
	my ($dir, @files) = @_;
	local $ENV{LC_ALL} = 'C';
	my $sorted = join ' ', map {
		if (!ascends($_)) { system_or_bail('sort', '-S', '256M', '-T', $dir, '-o', $_, $_) }
		$_
	} @files;
	return split /\n/, `sort -T $dir -m $sorted | uniq -d | head`;
}

# Is every id above the one before it?
sub ascends
{
	my ($file) = @_;
	local $ENV{LC_ALL} = 'C';
	return system("sort -cu $file 2>/dev/null") == 0;
}

# Every btree holds all rows of its table in order.
sub indexes_are_sound
{
	my ($node, $name) = @_;
	my ($ret, $stdout, $stderr) = $node->psql('postgres', q{
		SELECT count(bt_index_parent_check(indexrelid, true))
		FROM pg_index
			JOIN pg_class c ON c.oid = indexrelid AND relkind = 'i' AND relnamespace = 'public'::regnamespace
			JOIN pg_am a ON a.oid = relam AND amname = 'btree'});
	is($stderr, '', "$name: amcheck finds nothing");
	cmp_ok($stdout, '>=', 5, "$name: in $stdout indexes");
}

1;
