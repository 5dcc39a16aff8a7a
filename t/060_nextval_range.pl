# nextval_range: no value is issued twice in concurrent sessions, and no committed
# value again after a crash.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# WAL that a commit does not flush must be lost in the crash, so neither the WAL
# writer nor an unrequested checkpoint may flush it.
my $node = start_server('main', conf => q{
wal_writer_delay = 10s
wal_writer_flush_after = 1GB
checkpoint_timeout = 1h
client_min_messages = error
});

#
# 8 sessions mix nextval, ranges of random sizes and nextval_any.
#
my %sequences = (
	cache_1 => 'CACHE 1',
	cache_20 => 'CACHE 20',
	downward => 'CACHE 20 INCREMENT -3 MINVALUE -100000000 MAXVALUE 100 START 100');
foreach my $seq (keys %sequences)
{
	$node->safe_psql('postgres', qq{
		CREATE SEQUENCE $seq $sequences{$seq};
		CREATE TABLE taken_$seq (how text, first bigint, last bigint, step bigint);
	});
}

sub mix
{
	my ($seq) = @_;
	return qq{
		DO \$\$
		BEGIN
			FOR i IN 1 .. 1500 LOOP
				CASE i % 3
				WHEN 0 THEN
					INSERT INTO taken_$seq SELECT 'range', * FROM nextval_range('$seq', 1 + (random() * 100)::int);
				WHEN 1 THEN
					INSERT INTO taken_$seq SELECT 'nextval', v, v, 1
					FROM (SELECT nextval('$seq') AS v FROM generate_series(1, 1 + (random() * 30)::int) OFFSET 0) s;
				ELSE
					INSERT INTO taken_$seq SELECT 'any', v, v, 1 FROM nextval_any('{$seq}') v;
				END CASE;
				IF i % 100 = 0 THEN
					COMMIT;
				END IF;
			END LOOP;
		END \$\$;
	};
}
in_parallel($node, (join '', map { mix($_) } sort keys %sequences) x 8);
foreach my $seq (sort keys %sequences)
{
	is($node->safe_psql('postgres', qq{
			SELECT count(*) - count(DISTINCT value), count(*) > 200000, count(DISTINCT how)
			FROM taken_$seq, generate_series(first, last, step) value
		}), '0|t|3', "$seq: no value twice");
	is($node->safe_psql('postgres', qq{
			SELECT count(*) FROM taken_$seq, $seq
			WHERE CASE WHEN '$seq' = 'downward' THEN last < last_value ELSE last > last_value END
		}), '0', "$seq: none past last_value");
	note $node->safe_psql('postgres', qq{
		SELECT how, count(*), sum((last - first) / step + 1) AS values FROM taken_$seq GROUP BY how ORDER BY how
	});
}

#
# A crash: the next value is past every committed one.  Each case is a list of
# statements before the crash, each in a transaction; there is a checkpoint
# between its parts, and none after the last.
#
my @cases = (
	{ name => 'the first range of all', before => [ ['r 5'] ] },
	{ name => 'a range that lies within what WAL covers', before => [ [ 'r 1', 'r 5' ] ] },
	{ name => 'a range that reaches past it', before => [ [ 'r 1', 'r 40' ] ] },
	{ name => 'the same downwards', options => 'INCREMENT -3', before => [ [ 'r 1', 'r 40' ] ] },
	{ name => 'a large range', before => [ ['r 1000000'] ] },
	{ name => 'within what WAL covered, but for a checkpoint', before => [ ['r 1'], ['r 5'] ] },
	{ name => 'a checkpoint at the end', before => [ ['r 7'], [] ] },
	{ name => 'ranges and nextval in turn', before => [ [ 'r 3', 'n', 'r 3', 'n', 'r 50', 'n' ] ] },
	{ name => 'the same around checkpoints', before => [ [ 'n', 'r 3' ], ['n'], ['r 3'] ] },
	{ name => 'nextval_any', before => [ ['a'], ['a'] ] },
	{ name => 'after setval', before => [ [ 'r 100', 's 5000', 'r 3' ] ] },
	{ name => 'after setval of a value not called', before => [ [ 'r 100', 'u 5000', 'r 3' ] ] },
	{ name => 'beyond a turn', options => 'MAXVALUE 100 CYCLE', before => [ [ 'r 90', 'r 20' ] ] },
	# commands that rewrite the page and keep log_cnt
	{ name => 'after ALTER SEQUENCE ... START', before => [ [ 'r 1', 'x ALTER SEQUENCE %s START WITH 5', 'r 5' ] ] },
	{
		name => 'after ALTER SEQUENCE ... AS',
		options => 'MAXVALUE 1000',
		before => [ [ 'r 1', 'x ALTER SEQUENCE %s AS integer', 'a' ] ]
	},
	{
		name => 'after SET UNLOGGED and SET LOGGED',
		before => [ [ 'r 1', 'x ALTER SEQUENCE %s SET UNLOGGED', 'x ALTER SEQUENCE %s SET LOGGED', 'r 5' ] ]
	},
	{
		name => 'after ALTER SEQUENCE by another session',
		before => [ [ 'r 1', 'o ALTER SEQUENCE %s START WITH 5', 'r 5' ] ]
	},
	{
		name => 'by another session after ALTER SEQUENCE by this one',
		before => [ [ 'r 1', 'x ALTER SEQUENCE %s START WITH 5', 'o SELECT last FROM nextval_range(\'%s\', 5)' ] ]
	},
	# comes last, so that no other commit can flush it
	{ name => 'a range that nobody else flushes', before => [ ['r 5'] ] });

my %statements = (
	r => sub { "SELECT last FROM nextval_range('$_[0]', $_[1])" },
	n => sub { "SELECT nextval('$_[0]')" },
	a => sub { "SELECT nextval_any('{$_[0]}')" },
	s => sub { "SELECT setval('$_[0]', $_[1])" },
	u => sub { "SELECT setval('$_[0]', $_[1], false) - 1" },
	x => sub { sprintf $_[1], $_[0] },
	o => sub { sprintf $_[1], $_[0] });

foreach my $how ('immediate', 'kill')
{
	my $session = $node->background_psql('postgres');
	my @last;
	my @options = map { $_->{options} // '' } @cases;
	$session->query_safe("DROP SEQUENCE IF EXISTS crash_$_; CREATE SEQUENCE crash_$_ $options[$_]") foreach 0 .. $#cases;
	# side by side, for a checkpoint is one for all
	foreach my $parts_left (reverse 0 .. 2)
	{
		foreach my $i (0 .. $#cases)
		{
			my @parts = @{ $cases[$i]{before} };
			next if $parts_left > $#parts;
			foreach my $statement (@{ $parts[ $#parts - $parts_left ] })
			{
				my ($what, $argument) = split / /, $statement, 2;
				my $sql = $statements{$what}->("crash_$i", $argument);
				$last[$i] = $what eq 'o' ? $node->safe_psql('postgres', $sql) : $session->query_safe($sql);
			}
		}
		$session->query_safe('CHECKPOINT') if $parts_left;
	}
	if ($how eq 'kill') { kill_server($node); }
	else { $node->stop('immediate'); }
	$session->quit;
	$node->start;
	foreach my $i (0 .. $#cases)
	{
		my $next = $node->safe_psql('postgres', "SELECT first FROM nextval_range('crash_$i', 1)");
		cmp_ok($next, $options[$i] =~ /INCREMENT -/ ? '<' : '>', $last[$i], "$how: $cases[$i]{name}");
	}
}

#
# A database created from a template: its sequences are copies, and WAL only has
# their last values.
#
$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql('original', q{
	CREATE EXTENSION objectid_ext;
	CREATE SEQUENCE seq;
	SELECT nextval_range FROM nextval_range('seq', 1)});
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE original');
my $last = $node->safe_psql('copy', q{SELECT last FROM nextval_range('seq', 5)});
kill_server($node);
$node->start;
cmp_ok($node->safe_psql('copy', q{SELECT first FROM nextval_range('seq', 1)}), '>', $last,
	'kill: a database made of a template');

#
# A range that is covered by WAL of another session's transaction that is still
# running, and not flushed.  The commit of a transaction that has an id, but has written
# nothing, does not flush it either.
#
foreach my $id ('no id', 'an id')
{
	$node->safe_psql('postgres', 'DROP SEQUENCE IF EXISTS shared; CREATE SEQUENCE shared');
	my $client = $node->background_psql('postgres');
	$client->query_safe(q{SELECT last FROM nextval_range('shared', 1)});
	my $open = $node->background_psql('postgres');
	$open->query_safe('BEGIN');
	$open->query_safe(q{SELECT last FROM nextval_range('shared', 40)});
	$client->query_safe('BEGIN');
	$client->query_safe('SELECT pg_current_xact_id()') if $id eq 'an id';
	$last = $client->query_safe(q{SELECT last FROM nextval_range('shared', 5)});
	$client->query_safe('COMMIT');
	kill_server($node);
	$_->quit foreach $open, $client;
	$node->start;
	cmp_ok($node->safe_psql('postgres', q{SELECT first FROM nextval_range('shared', 1)}), '>', $last,
		"kill: a range that the WAL of an open transaction covers, of one with $id");
}

# What the own commit will flush covers later ranges of the transaction.
is($node->safe_psql('postgres', q{
	BEGIN;
	SELECT first FROM nextval_range('shared', 1);
	SELECT log_cnt FROM shared;
	SELECT first FROM nextval_range('shared', 1);
	SELECT log_cnt FROM shared;
	COMMIT}) =~ s/^\d+\n(\d+)\n\d+\n/$1 /r, '32 31', 'a transaction writes WAL once');

$node->stop;
done_testing();
