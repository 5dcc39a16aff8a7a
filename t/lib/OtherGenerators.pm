# The generators of ids that people use, with clients that record what they are given,
# and a count of what is wrong with that: bench/faults.
#
# Clients take the next value of the sequence "moment" before each statement and after
# its commit, so that the order of what sessions do does not depend on a clock:
#
#     <instagram 17        a statement begins
#     3742098523...        the ids that it gave
#     >18                  it is committed
package OtherGenerators;

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use List::Util qw(sum0);
use ObjectidTest;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(generators known_generators call create_generators start_sessions go_on end_sessions
  statements count_faults repeated out_of_order after_the_end);

my $tree = dirname(abs_path(__FILE__)) . '/../..';

# Each as its own documentation says to use it.  A node or shard is NODE; "end" is an
# instant after the last that the id has room for, "since" a version of the server.
my @all = (
	{ key => 'instagram', name => 'Instagram, PL/pgSQL', type => 'bigint', call => 'instagram_id(NODE)', end => '2046-06-28' },
	{ key => 'copied', name => '"Twitter Snowflake", PL/pgSQL', type => 'bigint', call => 'copied_snowflake(NODE)', end => '2080-07-11' },
	{ key => 'nextval_1', name => '`nextval`, `CACHE 1`', type => 'bigint', call => q{nextval('nextval_1_seq')} },
	{ key => 'nextval_64', name => '`nextval`, `CACHE 64`', type => 'bigint', call => q{nextval('nextval_64_seq')} },
	{ key => 'random_uuid', name => '`gen_random_uuid`', type => 'uuid', call => 'gen_random_uuid()' },
	{ key => 'uuid_v1', name => '`uuid_generate_v1`', type => 'uuid', call => 'uuid_generate_v1()', extension => 'uuid-ossp' },
	{ key => 'uuidv7', name => '`uuidv7`', type => 'uuid', call => 'uuidv7()', since => 18 },
	{ key => 'pg_uuidv7', name => '`uuid_generate_v7`, pg_uuidv7', type => 'uuid', call => 'uuid_generate_v7()', extension => 'pg_uuidv7' },
	{ key => 'ulid', name => 'ULID, PL/pgSQL', type => 'text', call => 'ulid()', extension => 'pgcrypto' },
	{ key => 'snowflake_1', name => '`next_snowflake`, `CACHE 1`', ours => 1, type => 'bigint',
		call => q{next_snowflake('snowflake_1_seq', NODE, 'twitter')}, end => '2080-07-11' },
	{ key => 'snowflake_64', name => '`next_snowflake`, `CACHE 64`', ours => 1, type => 'bigint',
		call => q{next_snowflake('snowflake_64_seq', NODE, 'twitter')}, end => '2080-07-11' },
	{ key => 'managed', name => '`next_snowflake` of `managed/`', ours => 1, type => 'bigint',
		call => q{managed.next_snowflake('managed_seq', NODE, 'twitter')}, end => '2080-07-11' },
	{ key => 'shard', name => '`next_shard_id`', ours => 1, type => 'bigint',
		call => q{next_shard_id(NODE, nextval('shard_seq'))}, end => '2046-06-28' },
	{ key => 'objectid', name => '`gen_objectid`', ours => 1, type => 'objectid', call => 'gen_objectid()', end => '2106-02-08' });

sub known_generators { return @all; }

# Those that this server has
sub generators
{
	my ($node) = @_;
	my ($version) = $node->safe_psql('postgres', 'SHOW server_version_num') =~ /^(\d+)\d{4}$/;
	my %available = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', 'SELECT name FROM pg_available_extensions');
	return grep { $version >= ($_->{since} // 0) && (!$_->{extension} || $available{ $_->{extension} }) } @all;
}

sub create_generators
{
	my ($node, @generators) = @_;
	$node->safe_psql('postgres', join ";\n", slurp_file("$tree/bench/faults.sql") =~ s/;\s*\z//r,
		'SET search_path = managed', slurp_file("$tree/managed/snowflake.sql") =~ s/;\s*\z//r, 'RESET search_path',
		(map { qq{CREATE EXTENSION IF NOT EXISTS "$_"} } grep { $_ } map { $_->{extension} } @generators),
		map { "CREATE TABLE by_$_->{key} (id $_->{type})" } @generators);
}

#
# The clients
#

sub call
{
	my ($generator, $node_id) = @_;
	return $generator->{call} =~ s/NODE/$node_id/r;
}

# Parts, each with a gate before it, of so many turns: in each turn a statement inserts
# rows with one generator after the other.  At the end, if "open" says how many, rows
# that are not committed.
sub script
{
	my (%params) = @_;
	my @generators = @{ $params{generators} };
	my $rows = $params{rows} // 1000;
	my $script = join '', map {
		"PREPARE $_->{key} (int) AS INSERT INTO by_$_->{key} SELECT " . call($_, $params{node} // 5)
		  . " FROM generate_series(1, \$1) RETURNING id;\n"
	} @generators;
	my $turn = join '', map {
		"SELECT '<$_->{key} ' || nextval('moment');\nEXECUTE $_->{key} ($rows);\nSELECT '>' || nextval('moment');\n"
	} @generators;
	my @parts = @{ $params{turns} };
	$script .= "DO 'BEGIN PERFORM pg_advisory_lock_shared($_); END';\n" . $turn x $parts[ $_ - 1 ] foreach 1 .. @parts;
	return $script unless $params{open};
	return $script . "BEGIN;\n" . ($turn =~ s/^.*'>'.*\n//mgr =~ s/\($rows\)/($params{open})/gr) . "SELECT pg_sleep(600);\n";
}

# Eight sessions, which wait at their first gate.  Parameters: generators; turns, a list;
# rows; open; node id; count; phase, which is higher than that of sessions before.
sub start_sessions
{
	my ($node, %params) = @_;
	my $gates = @{ $params{turns} };
	my $group = { node => $node, count => $params{count} // 8, passed => 0, keys => $node->background_psql('postgres') };
	$group->{keys}->query_safe("SELECT count(pg_advisory_lock(i)) FROM generate_series(1, $gates) i");
	$group->{sessions} =
	  [ map { { phase => $params{phase} // 0, %{ start_client($node, script(%params), 0) } } } 1 .. $group->{count} ];
	wait_until($group, q{wait_event_type = 'Lock'});
	return $group;
}

# Until all sessions of a group are in a state
sub wait_until
{
	my ($group, $state) = @_;
	$group->{node}->poll_query_until('postgres', "SELECT count(*) = $group->{count} FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND $state AND (query LIKE 'DO %' OR query LIKE '%pg_sleep(600)%')")
	  or die 'sessions do not get there';
}

# Let them go on, up to the next gate or, at "open", until their transactions are; wait
# for them unless they end.
sub go_on
{
	my ($group, $open) = @_;
	$group->{keys}->query_safe('SELECT pg_advisory_unlock(' . ++$group->{passed} . ')');
	wait_until($group, $open ? q{wait_event = 'PgSleep'} : q{wait_event_type = 'Lock'}) if defined $open;
}

# Wait for them to come to their end.  What each was given, as statements(), and its
# errors, but for those of a server that is stopped.
sub end_sessions
{
	my ($group) = @_;
	foreach my $session (@{ $group->{sessions} })
	{
		$session->{run}->finish;
		$session->{statements} = [ statements($session->{phase}, $session->{output}) ];
		$session->{errors} = [ grep { !/^terminating connection/ } slurp_file($session->{errors}) =~ /(?:ERROR|FATAL):  (.*)$/mg ];
		unlink $session->{output};
	}
	eval { $group->{keys}->quit };
	return @{ $group->{sessions} };
}

#
# What is wrong with it
#

# The statements in the output of a client: the generator, the moments of its beginning
# and its commit, and its ids.  The last line may have been cut off.
sub statements
{
	my ($phase, $file) = @_;
	my @statements;
	open my $lines, '<', $file or die "$file: $!";
	while (my $line = <$lines>)
	{
		last unless chomp $line;
		if ($line =~ /^<(\w+) (\d+)$/) { push @statements, { generator => $1, begin => $phase * 1e12 + $2, ids => [] }; }
		elsif ($line =~ /^>(\d+)$/) { $statements[-1]{commit} = $phase * 1e12 + $1; }
		else { push @{ $statements[-1]{ids} }, $line; }
	}
	return @statements;
}

# What one generator gave to sessions: how many ids; those that any session had been
# given before, and those of which both were committed; those below the one before it
# in their session; those below one that was committed when their statement began.
sub count_faults
{
	my ($generator, @sessions) = @_;
	my %count = (ids => 0, seen => 0, committed => 0, session => 0, commit => 0);
	my $is_below = $generator->{type} eq 'bigint' ? sub { $_[0] < $_[1] } : sub { $_[0] lt $_[1] };
	my (%seen, %committed, @all);
	foreach my $session (@sessions)
	{
		my $previous;
		foreach my $statement (grep { $_->{generator} eq $generator->{key} } @{ $session->{statements} })
		{
			push @all, $statement;
			foreach my $id (@{ $statement->{ids} })
			{
				$count{ids}++;
				$count{seen}++ if $seen{$id}++;
				$count{committed}++ if $statement->{commit} && $committed{$id}++;
				$count{session}++ if defined $previous && $is_below->($id, $previous);
				$previous = $id;
				$statement->{highest} = $id
				  if !defined $statement->{highest} || $is_below->($statement->{highest}, $id);
			}
		}
	}
	my @ended = sort { $a->{commit} <=> $b->{commit} } grep { $_->{commit} && @{ $_->{ids} } } @all;
	my $highest;
	foreach my $statement (sort { $a->{begin} <=> $b->{begin} } @all)
	{
		while (@ended && $ended[0]{commit} < $statement->{begin})
		{
			my $id = (shift @ended)->{highest};
			$highest = $id if !defined $highest || $is_below->($highest, $id);
		}
		$count{commit} += grep { $is_below->($_, $highest) } @{ $statement->{ids} } if defined $highest;
	}
	return \%count;
}

#
# The tables
#

# The columns of the tables
my @faults = (
	[ bulk => 'bulk' ], [ crash => 'crash' ], [ second => 'clock back 1 s' ], [ hour => 'clock back 1 h' ],
	[ restart => 'restart, clock back 1 h' ], [ recovery => 'crash, clock back 1 h' ],
	[ promotion => 'standby promoted' ], [ copy => 'copied server' ], [ own => 'copy with its own node' ]);

# A count, to three digits
sub brief
{
	my ($number) = @_;
	foreach my $unit ([ 1e6, 'M' ], [ 1e3, 'k' ])
	{
		next if $number < $unit->[0];
		my $size = $number / $unit->[0];
		return sprintf($size < 10 ? '%.2f%s' : $size < 100 ? '%.1f%s' : '%.0f%s', $size, $unit->[1]);
	}
	return $number;
}

# In Markdown
sub table
{
	my ($head, @rows) = @_;
	return join '', map { '| ' . join(' | ', @$_) . " |\n" } $head, [ map { /^(?:generator|answer)$/ ? '---' : '--:' } @$head ], @rows;
}

sub cell
{
	my ($count) = @_;
	return '–' unless $count;
	my $uncommitted = $count->{seen} - $count->{committed};
	return brief($count->{committed}) . ($uncommitted ? ' (+' . brief($uncommitted) . ')' : '');
}

sub order_cell
{
	my ($count) = @_;
	return $count ? brief($count->{session}) . ' / ' . brief($count->{commit}) : '–';
}

sub count_of_ids
{
	my ($counts, $generator) = @_;
	return sum0(map { $_->{ids} } grep { $_ } map { $_->{ $generator->{key} } } values %$counts);
}

sub repeated
{
	my ($counts, @generators) = @_;
	return table([ 'generator', 'ids', map { $_->[1] } @faults ], map {
		my $key = $_->{key};
		[ $_->{name}, brief(count_of_ids($counts, $_)), map { cell($counts->{ $_->[0] }{$key}) } @faults ]
	} @generators);
}

sub out_of_order
{
	my ($counts, @generators) = @_;
	my @columns = grep { $_->[0] !~ /^(?:copy|own)$/ } @faults;
	return table([ 'generator', map { $_->[1] } @columns ], map {
		my $key = $_->{key};
		[ $_->{name}, map { order_cell($counts->{ $_->[0] }{$key}) } @columns ]
	} @generators);
}

sub after_the_end
{
	my ($ends, @generators) = @_;
	return table([ 'generator', 'clock', 'answer' ],
		map { [ $_->{name}, $_->{end}, $ends->{ $_->{key} } // '–' ] } grep { $_->{end} } @generators);
}

1;
