# The generators that people use, under the faults that ours are tested with.  Here
# only the one of Instagram beside ours, and some of the faults: the count finds what
# the former repeats, and nothing of ours.  With FIELD_TABLE, the name of a file,
# everything, or those in FIELD_GENERATORS; that file gets the tables: bench/faults.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use OtherGenerators;
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);
use Time::Local qw(timegm);

my $file = $ENV{FIELD_TABLE};

# The WAL writer leaves to a crash what nobody has waited for.
my $conf = q{
shared_buffers = 64MB
client_min_messages = error
max_wal_size = 4GB
wal_writer_delay = 10s
wal_writer_flush_after = 1GB
};
my $machine = new_machine();

# All of them, or those that are named; by default those that this test needs
my @known = known_generators();
my %is_wanted = map { $_ => 1 } split / /,
  $ENV{FIELD_GENERATORS} || join ' ', map { $_->{key} } grep { $file || $_->{ours} || $_->{key} eq 'instagram' } @known;
my @generators;

# By fault and generator, what count_faults() says; and what is given after the end
my (%counts, %ends);
my %errors;

sub progress { diag(@_) if $file; }

sub new_server
{
	my ($name, %params) = @_;
	my $node = start_server($name, conf => $conf, %params);
	@generators = grep { $is_wanted{ $_->{key} } } generators($node);
	create_generators($node, @generators);
	return $node;
}

sub record
{
	my ($fault, $generator, @sessions) = @_;
	$counts{$fault}{ $generator->{key} } = count_faults($generator, @sessions);
	push @{ $errors{ $generator->{key} } }, map { @{ $_->{errors} } } @sessions;
}

# The same for sessions that have used all generators in turn
sub record_all
{
	my ($fault, @sessions) = @_;
	record($fault, $_, @sessions) foreach @generators;
}

#
# The count finds what is planted.
#
{
	my $generator = { key => 'x', type => 'bigint' };
	my $count = sub {
		my $found = count_faults($generator, map { { statements => [ statements(0, \$_) ] } } @_);
		return join ' ', map { $found->{$_} } qw(ids seen committed session commit);
	};
	is($count->("<x 1\n5\n6\n>2\n<y 3\n5\n5\n>4\n", "<x 5\n7\n8\n>6\n"), '4 0 0 0 0', 'sound');
	is($count->("<x 1\n5\n6\n>2\n", "<x 3\n7\n6\n>4\n"), '4 1 1 1 0', 'an id twice, and below the one before it');
	is($count->("<x 1\n5\n6\n", "<x 3\n6\n7\n>4\n"), '4 1 0 0 0', 'an id twice, once uncommitted');
	is($count->("<x 1\n5\n6\n>4\n", "<x 3\n2\n4\n>5\n"), '4 0 0 0 0', 'lower ids of statements at one time');
	is($count->("<x 1\n5\n6\n>2\n", "<x 3\n2\n7\n>5\n"), '4 0 0 0 1', 'an id below one that was committed before');
	is($count->("<x 1\n5\n6\n>2\n<x 3\n9\n1"), '3 0 0 0 0', 'a line that was cut off');
}

#
# Eight sessions; one after the other, each generator alone
#
my $node = new_server('main');
is($node->safe_psql('postgres', q{
		SELECT snowflake_node(id, layout), snowflake_timestamp(id, layout) BETWEEN now() - interval '1 min' AND clock_timestamp()
		FROM (VALUES (instagram_id(5), 'instagram'::snowflake_layout), (copied_snowflake(5), 'twitter')) AS v (id, layout)}),
	"5|t\n5|t", 'the functions of others make ids of their layouts');
foreach my $generator (@generators)
{
	progress("bulk: $generator->{key}");
	my $sessions = start_sessions($node, generators => [$generator], turns => [ $file ? 20 : 3 ]);
	go_on($sessions);
	record(bulk => $generator, end_sessions($sessions));
}

#
# kill -9 of the server, with ids that sessions have seen and not committed
#
my @history;
foreach my $round (1 .. ($file ? 6 : 2))
{
	progress("crash: round $round");
	my $sessions = start_sessions($node, generators => \@generators, turns => [3], rows => 100, open => 10, phase => $round);
	go_on($sessions, 1);
	kill_server($node);
	push @history, end_sessions($sessions);
	$node->start;
}
record_all(crash => @history);
$node->stop;

#
# The clock is set back to a time at which there were ids.
#
my $offset;

sub move_clock
{
	my ($seconds) = @_;
	set_clock($machine, $offset += $seconds);
}

sub clock_server
{
	$offset = 0;
	move_clock(0);
	return new_server(shift, env => { machine_environment($machine) });
}

sub second_back
{
	my $server = clock_server('second');
	foreach my $generator (@generators)
	{
		progress("clock back by a second: $generator->{key}");
		my $sessions = start_sessions($server, generators => [$generator], turns => [ ($file ? 12 : 5) x 2 ]);
		go_on($sessions, 0);
		# That of Instagram shows it only if the clock is behind its last id then, however
		# long this was held up.
		move_clock($file || $generator->{ours} ? -1 : -60);
		go_on($sessions);
		record(second => $generator, end_sessions($sessions));
	}
	$server->stop;
}

# The hour passes by setting the clock forward.
sub hour_back
{
	my $server = clock_server('hour');
	foreach my $generator (@generators)
	{
		progress("clock back by an hour: $generator->{key}");
		my $sessions = start_sessions($server, generators => [$generator], turns => [ 12, 1, 12 ]);
		my $begin = time;
		go_on($sessions, 0);
		move_clock(3600);
		go_on($sessions, 0);
		move_clock(-3600 - (time - $begin));
		go_on($sessions);
		record(hour => $generator, end_sessions($sessions));
	}
	$server->stop;
}

sub restart
{
	my ($fault, $how) = @_;
	my $server = clock_server($fault);
	progress("clock back by an hour, after stop --mode=$how");
	my $sessions = start_sessions($server, generators => \@generators, turns => [ 5, 1 ], open => 10);
	my $begin = time;
	go_on($sessions, 0);
	move_clock(3600);
	go_on($sessions, 1);
	$server->stop($how);
	my @history = end_sessions($sessions);
	move_clock(-3600 - (time - $begin));
	{ local %ENV = (%ENV, machine_environment($machine)); $server->start; }
	$sessions = start_sessions($server, generators => \@generators, turns => [5], phase => 1);
	go_on($sessions);
	record_all($fault => @history, end_sessions($sessions));
	$server->stop;
}

#
# A standby is promoted that had lost its connection before the primary was lost.
#
sub promotion
{
	progress('promotion');
	my $primary = new_server('primary', allows_streaming => 1);
	$primary->backup('base');
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	$standby->init_from_backup($primary, 'base', has_streaming => 1);
	$standby->start;
	my $sessions = start_sessions($primary, generators => \@generators, turns => [ 3, 3 ], open => 10);
	go_on($sessions, 0);
	$primary->wait_for_catchup($standby);
	$standby->append_conf('postgresql.conf', q{primary_conninfo = ''});
	$standby->reload;
	$primary->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_replication') or die 'the standby stays connected';
	go_on($sessions, 1);
	kill_server($primary);
	my @history = end_sessions($sessions);
	$standby->promote;
	$sessions = start_sessions($standby, generators => \@generators, turns => [5], phase => 1);
	go_on($sessions);
	record_all(promotion => @history, end_sessions($sessions));
	$standby->stop;
}

#
# A copy of a server runs beside it, with the same node id and with one of its own.
#
sub copies
{
	my $original = new_server('original', allows_streaming => 1);
	$original->backup('base');
	my $copy = PostgreSQL::Test::Cluster->new('copy');
	$copy->init_from_backup($original, 'base');
	$copy->start;
	foreach my $id (5, 6)
	{
		foreach my $generator (grep { $id == 5 || $_->{call} =~ /NODE/ } @generators)
		{
			progress("copy with node id $id: $generator->{key}");
			my @both = map { start_sessions(@$_, generators => [$generator], count => 4, turns => [12]) }
			  [$original], [ $copy, node => $id ];
			go_on($_) foreach @both;
			record(($id == 5 ? 'copy' : 'own') => $generator, map { end_sessions($_) } @both);
		}
	}
	$_->stop foreach $original, $copy;
}

#
# The field of time ends
#
sub ends
{
	my $server = clock_server('ends');
	foreach my $generator (grep { $_->{end} } @generators)
	{
		my ($year, $month, $day) = split /-/, $generator->{end};
		set_clock($machine, timegm(0, 0, 0, $day, $month - 1, $year) - time);
		my ($ret, $out, $err) = $server->psql('postgres', 'SELECT ' . call($generator, 5));
		$ends{ $generator->{key} } = $ret == 0 ? $out : $err =~ s/^.*?(ERROR:  [^\n]*).*/$1/sr;
	}
	$server->stop;
}

if (ref $machine)
{
	second_back();
	if ($file)
	{
		hour_back();
		restart(restart => 'fast');
		restart(recovery => 'immediate');
		ends();
	}
}
else
{
	diag("$machine: NO TEST with a clock that is set");
}
if ($file)
{
	promotion();
	copies();
}

#
# What must hold: ours repeat nothing, and go on above their last; but for two servers
# with one node id, and ids ahead of a clock that a crash took back, which nobody
# committed.
#
foreach my $generator (grep { $_->{ours} } @generators)
{
	foreach my $fault (grep { $_ ne 'copy' } sort keys %counts)
	{
		my $count = $counts{$fault}{ $generator->{key} } or next;
		my $name = "$generator->{key}, $fault";
		cmp_ok($count->{ids}, '>', 100, "$name: $count->{ids} ids");
		is($count->{committed}, 0, "$name: none is repeated");
		is($count->{seen}, 0, "$name: not even one that was not committed") if $fault ne 'recovery';
		is($count->{session}, 0, "$name: each session's ascend");
	}
	is(join('', @{ $errors{ $generator->{key} } }), '', "$generator->{key}: no error");
}
cmp_ok($counts{second}{instagram}{commit}, '>', 0, 'the count finds that ids of the function of Instagram go back with the clock')
  if ref $machine && $is_wanted{instagram};

#
# The tables
#

# What else is worth knowing: what this server has not got, and what sessions were told
sub notes
{
	my %here = map { $_->{key} => 1 } @generators;
	my @notes = map { "Not on this server: $_->{name}." } grep { $is_wanted{ $_->{key} } && !$here{ $_->{key} } } @known;
	foreach my $generator (@generators)
	{
		my %count;
		$count{$_}++ foreach @{ $errors{ $generator->{key} } };
		push @notes, map { "$generator->{name}: $count{$_} times \"$_\"" } sort keys %count;
	}
	return map { "$_\n" } @notes;
}

if ($file)
{
	append_to_file($file, join "\n", "Repeated ids\n", repeated(\%counts, @generators), "Ids out of order\n", out_of_order(\%counts, @generators),
		"After the end of the field of time\n", after_the_end(\%ends, @generators), notes());
}

# The page has the tables that this makes.
my $page = slurp_file('figures/faults.md');
foreach my $table (repeated(\%counts, @known), out_of_order(\%counts, @known), after_the_end(\%ends, @known))
{
	my ($head, $line, @rows) = split /\n/, $table;
	my ($shown) = $page =~ /^(\Q$head\E\n(?:\|.*\n)*)/m;
	my @missing = grep { index($shown // '', "\n$_") < 0 } map { /^(\| .*? \|)/ } @rows;
	is("@missing", '', "figures/faults.md has every row of the table: $head");
}

done_testing();
