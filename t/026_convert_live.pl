# Conversion of tables that clients insert into, update and delete from at the same
# time: no statement of theirs fails or waits for long, and every row has the right
# value.  The conversion is killed again and again and called again, with its server,
# too; undone, it leaves the schema as it was.
#
# With PG_TEST_EXTRA=long, tables of 5,000,000 rows.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\blong\b/;
my $rows = $long ? 5_000_000 : 10_000;
my $slow = 0.05;    # statements that take less are not in the server's log

my $node = start_server('live', conf => qq{
	log_min_duration_statement = @{[ 1000 * $slow ]}
	log_lock_waits = off
	max_wal_size = 8GB
	shared_buffers = 512MB
	autovacuum_naptime = 1s
	random_page_cost = 1.1
});
my $amcheck = $node->psql('postgres', 'CREATE EXTENSION amcheck') == 0;

# A customer has visits, which go with it, and orders; an order can have a prior one.
# Clients find rows by the column n, whatever the type of the ids is.  A second copy
# of each id, as text, tells what must be in a column.
my %type = (int => 'serial', text => 'text DEFAULT gen_objectid()', char => 'char(24) DEFAULT gen_objectid()::text');
my %refers = (int => 'int', text => 'text', char => 'char(24)');

sub create_tables
{
	my ($kind, $partitioned) = @_;
	my $part = $partitioned ? 'PARTITION BY HASH (n)' : '';
	my $key = $partitioned ? 'id, n' : 'id';
	my $reference = $partitioned ? '' : "REFERENCES customer";
	$node->safe_psql('postgres', qq{
		SET client_min_messages = warning;
		DROP TABLE IF EXISTS visit, orders, customer, log;
		CREATE TABLE customer (id $type{$kind} PRIMARY KEY, n int, name text);
		CREATE TABLE orders (id $type{$kind} PRIMARY KEY, n int, copy text, customer $refers{$kind} NOT NULL REFERENCES customer,
			prior $refers{$kind} REFERENCES orders ON DELETE SET NULL);
		CREATE TABLE visit (n int, copy text, customer $refers{$kind} REFERENCES customer ON DELETE CASCADE);
		CREATE TABLE log (id text, change int);
		INSERT INTO customer (n, name) SELECT n, 'customer ' || n FROM generate_series(1, $rows) AS n;
		INSERT INTO orders (n, copy, customer) SELECT n, id, id FROM customer;
		UPDATE orders SET prior = p.id FROM orders AS p WHERE orders.n = p.n + 1 AND p.n % 3 = 0;
		INSERT INTO visit (n, copy, customer) SELECT n, id, id FROM customer WHERE n % 2 = 0;
		INSERT INTO visit (n) SELECT n FROM customer WHERE n % 10 = 1;
		INSERT INTO log SELECT id, 1 FROM customer;
		CREATE INDEX ON customer (n);
		CREATE INDEX ON orders (n);
		CREATE INDEX ON orders (customer);
		CREATE INDEX ON orders (prior) @{[ $kind eq 'int' ? 'WHERE prior IS NOT NULL' : '' ]};
		CREATE INDEX ON visit (n);
		CREATE INDEX ON visit (customer, n DESC);
		ALTER TABLE customer ALTER id SET STATISTICS 77;
		COMMENT ON COLUMN orders.customer IS 'who has ordered';
		VACUUM ANALYZE});
}

# Single statements, so that the server's log tells how long each took.  Orders are
# only of customers that are not deleted, and rows are locked in one order, so that
# no statement of these fails by itself.
my @statements = (
	'WITH new AS (INSERT INTO customer (n, name) VALUES (:n + :rows, :n) RETURNING id) INSERT INTO log SELECT id, 1 FROM new',
	'WITH gone AS (DELETE FROM customer WHERE n = :n + :rows RETURNING id) INSERT INTO log SELECT id, -1 FROM gone',
	'UPDATE customer SET name = name || :n WHERE n = :n',
	'INSERT INTO orders (n, copy, customer) SELECT :n, id, id FROM (SELECT id FROM customer WHERE n = :n LIMIT 1 FOR KEY SHARE) AS c',
	'UPDATE orders SET customer = c.id, copy = c.id FROM (SELECT id FROM customer WHERE n = :m FOR KEY SHARE) AS c WHERE n = :n',
	'DELETE FROM orders WHERE n = :n',
	'INSERT INTO visit (n, copy, customer) SELECT :n, id, id FROM (SELECT id FROM customer WHERE n = :n + :rows LIMIT 1 FOR KEY SHARE) AS c',
	'UPDATE visit SET customer = c.id, copy = c.id FROM (SELECT id FROM customer WHERE n = :m FOR KEY SHARE) AS c WHERE n = :n',
	'DELETE FROM visit WHERE n = :n');

my $dir = PostgreSQL::Test::Utils::tempdir('pgbench');
my @scripts;
foreach my $statement (@statements)
{
	my $file = "$dir/" . @scripts;
	append_to_file($file, "\\set n random(1, :rows)\n\\set m random(1, :rows)\n$statement;\n");
	push @scripts, '-f', $file;
}

my $load;
my $load_errors;

sub start_load
{
	my $clients = $long ? 8 : 3;
	my $rate = $long ? 2000 : 300;
	$load_errors = '';
	$load = IPC::Run::start(
		[ 'pgbench', '-n', '-c', $clients, '-j', 2, '-R', $rate, '-T', 100000, '-D', "rows=$rows", @scripts, $node->connstr('postgres') . ' application_name=pgbench' ],
		'<', \undef, '>', \my $output, '2>', \$load_errors);
}

sub stop_load
{
	$load->signal('INT');
	$load->finish;
}

# What the clients saw, by the server's log from some place on
sub longest_statement
{
	my ($from) = @_;
	my $log = substr(slurp_file($node->logfile), $from);
	my $longest = 0;
	my @failed;
	foreach my $line (split /\n/, $log)
	{
		next unless $line =~ /\] (\S+ )?pgbench /;
		$longest = $1 if $line =~ /duration: ([0-9.]+) ms/ && $1 > $longest;
		push @failed, $line if $line =~ /(ERROR|FATAL):/ && $line !~ /terminating connection|connection to client lost|shutting down|starting up|recovery mode/;
	}
	return ($longest / 1000, @failed);
}

sub steps
{
	my ($kind, $table, $more) = @_;
	my $function = $kind eq 'int' ? "snowflake_conversion_steps('$table', 'id', 5" : "objectid_conversion_steps('$table', 'id'";
	return "SET application_name = 'conversion'; SELECT statement FROM objectid_ext_tools.$function) ORDER BY step" . ($more // '') . " \\gexec\n";
}

sub convert
{
	my $client = start_client($node, steps(@_));
	return $client;
}

sub is_finished
{
	my ($table) = @_;
	return $node->safe_psql('postgres', "SELECT atttypid IN ('bigint'::regtype, 'objectid'::regtype) FROM pg_attribute WHERE attrelid = '$table'::regclass AND attname = 'id'") eq 't';
}

my $left = "SELECT name FROM (SELECT relname FROM pg_class UNION ALL SELECT attname FROM pg_attribute WHERE NOT attisdropped
	UNION ALL SELECT conname FROM pg_constraint UNION ALL SELECT tgname FROM pg_trigger
	UNION ALL SELECT proname FROM pg_proc WHERE pronamespace <> 'objectid_ext_tools'::regnamespace) AS s (name)
	WHERE name LIKE '%objectid\\_ext\\_%' AND name NOT LIKE 'objectid\\_ext'";

sub check_rows
{
	my ($name) = @_;
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (SELECT id FROM log GROUP BY id HAVING sum(change) <> 0) AS l FULL JOIN customer AS c ON c.id::text = l.id
		WHERE c.id IS NULL OR l.id IS NULL}), 0, "$name: no customer is lost, and none is added");
	is($node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM orders WHERE customer::text IS DISTINCT FROM copy), (SELECT count(*) FROM visit WHERE customer::text IS DISTINCT FROM copy)}),
		'0|0', "$name: references have the right values");
	is($node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM orders LEFT JOIN customer AS c ON c.id = customer WHERE c.id IS NULL),
		       (SELECT count(*) FROM orders AS o LEFT JOIN orders AS p ON p.id = o.prior WHERE p.id IS NULL AND o.prior IS NOT NULL),
		       (SELECT count(*) FROM visit LEFT JOIN customer AS c ON c.id = customer WHERE c.id IS NULL AND customer IS NOT NULL),
		       (SELECT count(*) FROM pg_constraint WHERE NOT convalidated), (SELECT count(*) FROM pg_index WHERE NOT indisvalid)}),
		'0|0|0|0|0', "$name: no reference is dangling; all constraints and indexes are valid");
	SKIP:
	{
		skip 'amcheck is not installed', 1 unless $amcheck;
		is($node->safe_psql('postgres', q{
			SELECT count(bt_index_check(i.indexrelid, true)) FROM pg_index AS i JOIN pg_class AS c ON c.oid = indexrelid JOIN pg_am AS a ON a.oid = relam
			WHERE amname = 'btree' AND indrelid IN ('customer'::regclass, 'orders'::regclass, 'visit'::regclass) AND relkind = 'i'}) > 0, 1, "$name: amcheck finds nothing");
	}
}

sub schema
{
	my ($out) = run_command([ 'pg_dump', '-s', '-d', $node->connstr('postgres') ]);
	$out =~ s/^\\(un)?restrict .*//mg;
	return $out;
}

# Kill the session that converts after a random time, and wait until it is gone.
sub interrupt
{
	my ($client, $seconds) = @_;
	sleep(rand($seconds));
	$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'conversion'");
	$client->{run}->finish;
}

# Convert customers and their references, and orders and theirs.
sub test_conversion
{
	my ($kind, $kills, $crashes) = @_;
	my $name = "$kind of $rows rows";
	create_tables($kind);
	my $before = schema();
	my $from = -s $node->logfile;
	my $began = time;
	my $seconds = $long ? 60 : 1;
	start_load();

	# killed at any time and called again
	foreach my $n (1 .. $kills)
	{
		interrupt(convert($kind, 'customer'), $seconds);
		last if is_finished('customer');
		if ($n % 4 == 0)
		{
			my ($ret, $out, $err) = $node->psql('postgres', "CALL objectid_ext_tools.undo_conversion('customer', 'id')");
			if ($err !~ /is not being converted/)
			{
				is($ret, 0, "$name: undone") or diag($err);
				is(schema(), $before, "$name: the schema is as it was");
			}
		}
	}
	foreach (1 .. $crashes)
	{
		my $client = convert($kind, 'customer');
		sleep(rand($seconds));
		$node->stop('immediate');
		$load->finish;
		$client->{run}->finish;
		$node->start;
		start_load();
	}

	foreach my $table ('customer', 'orders')
	{
		my $client = convert($kind, $table);
		$client->{run}->finish or diag(slurp_file($client->{errors}));
		ok(is_finished($table), "$name: $table is converted");
	}
	sleep(0.5);
	is($load->pumpable ? '' : $load_errors, '', "$name: clients go on");
	stop_load();
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM log'), '>', $rows + 10, "$name: clients have written");
	my ($longest, @failed) = longest_statement($from);
	is(join("\n", @failed), '', "$name: no statement has failed");
	# a busy machine delays what has nothing to wait for
	cmp_ok($longest, '<', $long ? 1 : 3, "$name: no statement has waited for long");
	diag(sprintf '%s: %.0f s, longest statement %s', $name, time - $began, $longest ? sprintf('%.3f s', $longest) : "below $slow s");
	is($node->safe_psql('postgres', $left), '', "$name: nothing is left");
	check_rows($name);
}

test_conversion('int', $long ? 20 : 4, 1);
test_conversion('char', $long ? 8 : 0, 0);
test_conversion('text', $long ? 8 : 0, 0);

# A transaction with an old snapshot never sees a column that is not filled: the
# conversion waits for it.  A second session that converts the same is told.
{
	$node->safe_psql('postgres', q(CREATE TABLE document (d jsonb); INSERT INTO document SELECT to_jsonb(gen_objectid()::text) FROM generate_series(1, 100)));
	my $old = $node->background_psql('postgres');
	$old->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM log');
	my $convert = "SELECT statement FROM objectid_ext_tools.objectid_conversion_steps('document', 'd') ORDER BY step \\gexec\n";
	my $client = start_client($node, "SET application_name = 'conversion'; $convert");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'conversion' AND query LIKE 'REINDEX%' AND wait_event_type = 'Lock'
		OR (SELECT atttypid <> 'jsonb'::regtype FROM pg_attribute WHERE attrelid = 'document'::regclass AND attname = 'd')");
	is($old->query_safe('SELECT count(*) FROM document WHERE d IS NULL'), 0, 'an old snapshot sees no nulls');
	my $second = start_client($node, $convert);
	$second->{run}->finish;
	like(slurp_file($second->{errors}), qr/column "d" of table public.document is being converted by the process with PID \d+/, 'a second session is told of the first');
	$old->query_safe('COMMIT');
	$old->quit;
	$client->{run}->finish or diag(slurp_file($client->{errors}));
	is($node->safe_psql('postgres', "SELECT count(d), min(pg_typeof(d)::text) FROM document"), '100|objectid', 'then it is converted');
}

$node->stop;
done_testing();
