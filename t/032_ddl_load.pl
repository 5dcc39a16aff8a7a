# Four clients take ids while all DDL on sequences runs on theirs, committed or
# not, until the power fails and the server starts with a clock that was set back.
# No id is issued twice, except from sequences that are meant to go back.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use List::Util qw(shuffle);
use Machine;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $machine = new_machine();
plan skip_all => "$machine: NO TEST of what is done to sequences" unless ref $machine;

# The commands on the sequence s of the table t, in turn, in a transaction.  The
# last value is read when no other session can change it.
my $above = q{ALTER SEQUENCE s START WITH 2; SELECT last_value + :step AS above FROM s \gset} . "\n";
my %ddl = (
	start => [ 'ALTER SEQUENCE s START WITH 7;', 'ALTER SEQUENCE s START WITH 1;' ],
	as => ['ALTER SEQUENCE s AS bigint;'],
	increment => [ 'ALTER SEQUENCE s INCREMENT 100;', 'ALTER SEQUENCE s INCREMENT 1;' ],
	cache => [ 'ALTER SEQUENCE s CACHE 100;', 'ALTER SEQUENCE s CACHE 1;' ],
	minvalue => [ 'ALTER SEQUENCE s MINVALUE -5;', 'ALTER SEQUENCE s NO MINVALUE;' ],
	maxvalue => [ 'ALTER SEQUENCE s MAXVALUE 9223372036854775806;', 'ALTER SEQUENCE s NO MAXVALUE;' ],
	cycle => [ 'ALTER SEQUENCE s CYCLE;', 'ALTER SEQUENCE s NO CYCLE;' ],
	owned_by => [ 'ALTER SEQUENCE s OWNED BY NONE;', 'ALTER SEQUENCE s OWNED BY t.id;' ],
	owner => [ 'ALTER TABLE t OWNER TO somebody;', 'ALTER TABLE t OWNER TO CURRENT_USER;' ],
	grants => [ 'GRANT USAGE ON SEQUENCE s TO somebody;', 'REVOKE ALL ON SEQUENCE s FROM somebody;' ],
	rename => ['ALTER SEQUENCE s RENAME TO s_2; ALTER SEQUENCE s_2 RENAME TO s;'],
	schema => ['ALTER TABLE t SET SCHEMA elsewhere; ALTER TABLE elsewhere.t SET SCHEMA public;'],
	logged => ['ALTER SEQUENCE s SET UNLOGGED; ALTER SEQUENCE s SET LOGGED;'],
	table_logged => ['ALTER TABLE t SET UNLOGGED; ALTER TABLE t SET LOGGED;'],
	truncate => ['TRUNCATE t CONTINUE IDENTITY;'],
	above => ["$above SELECT setval('s', :above) AS above \\gset"],
	restart_above => ["$above ALTER SEQUENCE s RESTART WITH :above;"],
	# Nothing goes back only if these are rolled back.
	restart => [ 'ALTER SEQUENCE s RESTART;', 'ALTER SEQUENCE s RESTART WITH 5;' ],
	truncate_restart => ['TRUNCATE t RESTART IDENTITY;'],
	unlogged => ['ALTER SEQUENCE s SET UNLOGGED;'],
	# These are committed.
	back => [ 'ALTER SEQUENCE s RESTART;', 'TRUNCATE t RESTART IDENTITY;', q{SELECT setval('s', 1) AS above \gset} ]);
my %always_ends = (
	(map { $_ => 'ROLLBACK;' } 'restart', 'truncate_restart', 'unlogged'),
	back => 'COMMIT;');
my @ends = ('COMMIT;', 'COMMIT;', 'ROLLBACK;', 'ROLLBACK TO a; COMMIT;');
my $goes_back = qr/\.back$/;

# Each has a sequence for each of these.
my %options = (cache_1 => '', cache_64 => 'CACHE 64', range => '');
my @subjects = map { my $what = $_; map { "$_.$what" } sort keys %options } sort keys %ddl;

sub named
{
	my ($sql, $subject) = @_;
	my ($table, $sequence) = ($subject =~ tr/./_/r, ($subject =~ tr/./_/r) . '_id');
	return $sql =~ s/\bt\b/$table/gr =~ s/\bs(?=\b|_2)/$sequence/gr;
}

sub create_sequences
{
	my ($node, $database, @names) = @_;
	$node->safe_psql($database, join ";\n", map {
		my ($kind) = /^(\w+)/;
		named("CREATE SEQUENCE s $options{$kind}; CREATE TABLE t (id bigint, last bigint, client int);
			ALTER SEQUENCE s OWNED BY t.id", $_)
	} @names);
}

# A statement that takes ids, and its result.  An id owns as many numbers as the
# increment at that time, which is not necessarily the one in the snapshot.
sub take
{
	my ($subject, $client) = @_;
	my ($kind) = $subject =~ /^(\w+)/;
	my $values = $kind eq 'range'
	  ? "SELECT first, last, $client FROM generate_series(1, 2) i, nextval_range('s', i)"
	  : "SELECT id, id + increment_of('s') - 1, $client FROM generate_series(1, 5) i, next_snowflake('s', 5 + 0 * i, 'twitter') id";
	return named("INSERT INTO t $values RETURNING '$subject', id, last, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
		$subject);
}

# Statements in random order
sub taking_script
{
	my ($client, @names) = @_;
	return join '', (map { "PREPARE \"$_\" AS " . take($_, $client) . ";\n" } @names),
	  (map { map { "EXECUTE \"$_\";\n" } shuffle @names } 1 .. 200);
}

# Transactions that do something to a sequence.  Some take ids then, which count
# once they are committed.
sub doing_script
{
	my ($client) = @_;
	my $script = '';
	my %turn;
	foreach my $subject (map { shuffle @subjects } 1 .. 200)
	{
		my ($kind, $what) = split /\./, $subject;
		my $end = $always_ends{$what} // $ends[ rand @ends ];
		my $sql = $ddl{$what}[ $turn{$subject} // 0 ];
		my $takes = $end eq 'COMMIT;' && rand() < 0.3;
		$turn{$subject} = (($turn{$subject} // 0) + 1) % @{ $ddl{$what} } if $end eq 'COMMIT;';
		$script .= '\set step ' . ($kind eq 'range' ? 1000 : 10_000_000) . "\n"
		  . named("BEGIN; SAVEPOINT a; $sql\n", $subject)
		  . ($takes ? take($subject, $client) . ";\nCOMMIT;\n\\echo committed\n" : "$end\n");
		$script .= "CHECKPOINT;\n" if rand() < 0.002;
	}
	return $script;
}

my $node = start_server('main', extra => ['--wal-segsize=1'], conf => q{
shared_buffers = 64MB
client_min_messages = error
max_wal_size = 64MB
});
$node->stop;
$node->append_conf('postgresql.conf', "fsync = on\nwal_level = replica");
switch_on($machine, $node);
$node->safe_psql('postgres', q{
	CREATE ROLE somebody;
	CREATE SCHEMA elsewhere AUTHORIZATION somebody;
	GRANT CREATE ON SCHEMA public TO somebody;
	CREATE FUNCTION increment_of(regclass) RETURNS bigint LANGUAGE sql VOLATILE
	AS 'SELECT increment FROM pg_sequence_parameters($1)'});
create_sequences($node, 'postgres', @subjects);

# A database to copy
my @copied = map { "$_.copy" } sort keys %options;
$node->safe_psql('postgres', 'CREATE DATABASE original TEMPLATE postgres');
create_sequences($node, 'original', @copied);

# Clients of a copy, whose ids are apart from those of others
sub clients_of_copy
{
	my ($number) = @_;
	return () if $number < 1;
	return map { { %$_, copy => $number } } start_clients($node, count => 2, database => "copy_$number",
		script => taking_script(0, @copied));
}

sub copy_database
{
	my ($number) = @_;
	my $strategy = $number % 2 ? 'wal_log' : 'file_copy';
	$node->safe_psql('original', join ";\n", map { take($_, 0) } @copied);
	$node->safe_psql('postgres', "CREATE DATABASE copy_$number TEMPLATE original STRATEGY $strategy");
}

my @history;

sub collect
{
	foreach my $client (@_)
	{
		my ($session) = end_clients($client);
		if ($client->{does})
		{
			# The last ids may not have been committed.
			my $output = slurp_file($client->{output});
			$session->{lines} = [ ($output =~ /\A(.*)^committed$/ms ? $1 : '') =~ /^([\w.]+\|.*)\n/mg ];
		}
		s/\.copy\|/.copy_$client->{copy}|/ foreach $client->{copy} ? @{ $session->{lines} } : ();
		push @history, $session;
	}
}

my $rounds = is_long() ? 30 : 4;
foreach my $round (1 .. $rounds + 1)
{
	copy_database($round);
	my @clients = (
		start_clients($node, count => 4, script => taking_script(0, @subjects)),
		(map { { %$_, does => 1 } } start_clients($node, count => 1, script => doing_script(1))),
		clients_of_copy($round - 1), clients_of_copy($round));
	sleep(0.5 + rand 1);
	cut_power($machine, $node, (0, 50, 90)[ $round % 3 ]);
	collect(@clients);
	set_clock($machine, -3600 * $round);
	switch_on($machine, $node);
}
history_is_sound(\@history, 'sequences altered',
	generators => [@subjects], lead => 2 * 86400 + 3600 * $rounds, goes_back => $goes_back, least => 5);
unlike(slurp_file($node->logfile), qr/PANIC|was terminated by signal (?!9)/, 'no process ends by itself');

$node->stop;
done_testing();
