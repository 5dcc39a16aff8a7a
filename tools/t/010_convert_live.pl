# Conversion of tables that clients insert into, update and delete from at the same
# time: no statement of theirs fails or waits for long, and every row has the right
# value.  The conversion is killed again and again and called again, with its server,
# too; undone, it leaves the schema as it was.
#
# With PG_TEST_EXTRA=long, for each kind of key, 8 clients; and one larger table.  LIVE
# chooses kind, rows of each table and kills: LIVE='int/5000000/20', which takes long.
#
# A client may wait a second for the conversion, three in the short run.  The server
# logs each wait for a lock that is longer than deadlock_timeout.  The duration of a
# statement contains the time until it gets a processor, so it is compared with that
# of a bystander, who writes a table that is not converted.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\blong\b/;
my @runs = split ' ', $ENV{LIVE} || ($long
	? join(' ', 'int/500000/2', map { "$_/20000/20" } qw(int char text))
	: 'int/10000/4');
my $rows;           # of each table
my $most = $long ? 1 : 3;
my $slow = 0.02;    # statements that take less are not in the server's log

# recovery reads what a conversion of millions of rows has written
$ENV{PGCTLTIMEOUT} = 600 if $long;

my $node = start_server('live', conf => qq{
	log_min_duration_statement = @{[ 1000 * $slow ]}
	log_lock_waits = on
	deadlock_timeout = ${most}s
	max_wal_size = 8GB
	shared_buffers = 512MB
	maintenance_work_mem = 256MB
	autovacuum_naptime = 1s
	random_page_cost = 1.1
	max_prepared_transactions = 1
});
my $amcheck = $node->psql('postgres', 'CREATE EXTENSION amcheck') == 0;

# A customer has visits, which go with it, and orders; an order can have a prior one.
# Clients find rows by the column n, whatever the type of the ids is.  A second copy
# of each id, as text, tells what must be in a column.
my %type = (int => 'serial', text => 'text DEFAULT gen_objectid()', char => 'char(24) DEFAULT gen_objectid()::text');
my %new_order = (int => q{nextval('orders_id_seq')}, text => 'gen_objectid()::text', char => 'gen_objectid()::text');
my %refers = (int => 'int', text => 'text', char => 'char(24)');

sub create_tables
{
	my ($kind) = @_;
	$node->safe_psql('postgres', qq{
		SET client_min_messages = warning;
		DROP TABLE IF EXISTS visit, orders, customer, log, bystander;
		CREATE TABLE customer (id $type{$kind}, region int NOT NULL, n int, name text);
		CREATE TABLE orders (id $type{$kind}, region int NOT NULL, n int, copy text, customer $refers{$kind} NOT NULL, prior $refers{$kind});
		CREATE TABLE visit (region int, n int, copy text, customer $refers{$kind});
		CREATE TABLE log (id text, change int); CREATE TABLE bystander (n int PRIMARY KEY, name text) WITH (fillfactor = 10);
		INSERT INTO bystander SELECT n FROM generate_series(0, 3) AS n});
	$node->safe_psql('postgres', qq{
		INSERT INTO customer (region, n, name) SELECT n % 4, n, 'customer ' || n FROM generate_series(1, $rows) AS n;
		INSERT INTO orders (id, region, n, copy, customer, prior) SELECT id, region, n, customer, customer, CASE WHEN n % 3 = 1 THEN lag(id, 4) OVER (ORDER BY n) END
			FROM (SELECT $new_order{$kind} AS id, region, n, id AS customer FROM customer OFFSET 0) AS c;
		INSERT INTO visit (region, n, copy, customer) SELECT region, n, id, id FROM customer WHERE n % 2 = 0;
		INSERT INTO visit (region, n) SELECT region, n FROM customer WHERE n % 10 = 1;
		INSERT INTO log SELECT id, 1 FROM customer;
		ALTER TABLE customer ADD PRIMARY KEY (id); ALTER TABLE orders ADD PRIMARY KEY (id);
		CREATE INDEX ON customer (n); CREATE INDEX ON orders (n); CREATE INDEX ON visit (n);
		CREATE INDEX ON orders (customer);
		CREATE INDEX ON orders (prior) @{[ $kind eq 'int' ? 'WHERE prior IS NOT NULL' : '' ]};
		CREATE INDEX ON visit (customer, n DESC);
		ALTER TABLE orders ADD FOREIGN KEY (customer) REFERENCES customer,
			ADD FOREIGN KEY (prior) REFERENCES orders ON DELETE SET NULL (prior);
		ALTER TABLE visit ADD FOREIGN KEY (customer) REFERENCES customer ON DELETE CASCADE;
		ALTER TABLE customer ALTER id SET STATISTICS 77;
		COMMENT ON COLUMN orders.customer IS 'who has ordered'});
	$node->safe_psql('postgres', 'VACUUM ANALYZE');
}

# Single statements, so that the server's log tells how long each took.  Orders are
# only of customers that are not deleted, and rows are locked in one order, so that
# no statement of these fails by itself.
my @statements = (
	'WITH new AS (INSERT INTO customer (region, n, name) VALUES (:region, :new, :n) RETURNING id) INSERT INTO log SELECT id, 1 FROM new',
	'WITH gone AS (DELETE FROM customer WHERE n = :new RETURNING id) INSERT INTO log SELECT id, -1 FROM gone',
	'UPDATE customer SET name = left(name, 20) || :n WHERE n = :n',
	'INSERT INTO orders (region, n, copy, customer) SELECT region, :n, id, id FROM (SELECT region, id FROM customer WHERE n = :n LIMIT 1 FOR KEY SHARE) AS c',
	'UPDATE orders SET customer = c.id, copy = c.id FROM (SELECT id FROM customer WHERE n = :m FOR KEY SHARE) AS c WHERE n = :n',
	'DELETE FROM orders WHERE n = :n',
	'INSERT INTO visit (region, n, copy, customer) SELECT region, :n, id, id FROM (SELECT region, id FROM customer WHERE n = :new LIMIT 1 FOR KEY SHARE) AS c',
	'UPDATE visit SET customer = c.id, copy = c.id FROM (SELECT id FROM customer WHERE n = :m FOR KEY SHARE) AS c WHERE n = :n',
	'DELETE FROM visit WHERE n = :n');

my $dir = PostgreSQL::Test::Utils::tempdir('pgbench');

sub script
{
	my ($name, $text) = @_;
	# m is of the same region as n
	append_to_file("$dir/$name", "\\set n random(1, :rows)\n\\set region :n % 4\n\\set m 4 * random(1, :rows / 4 - 1) + :region\n\\set new :n + :rows\n$text\n");
	return ('-f', "$dir/$name");
}

my @writers = map { script("writer $_", "$statements[$_];") } 0 .. $#statements;
# A prepared statement that returns a column fails when its type has changed.
my @readers = script('reader', "SELECT id AS id FROM customer WHERE n = :n \\gset\nUPDATE customer SET name = left(name, 20) || :n WHERE id = :id;");
my @bystanders = script('bystander', 'UPDATE bystander SET name = :m WHERE n = :region;');

my %load;

sub start_pgbench
{
	my ($name, @options) = @_;
	my $errors = "$dir/$name.err";
	my $run = IPC::Run::start([ 'pgbench', '-n', '-T', 100000, '-D', "rows=$rows", @options, $node->connstr('postgres') . " application_name=$name" ],
		'<', \undef, '>', '/dev/null', '2>', $errors);
	$load{$name} = { run => $run, errors => $errors };
}

sub start_readers { start_pgbench('readers', '-M', 'prepared', '-c', 2, '-R', 50, @readers); }

sub start_load
{
	start_pgbench('writers', '-M', 'prepared', '-c', $long ? 8 : 3, '-j', 2, '-R', $long ? 1000 : 300, @writers);
	start_pgbench('bystander', '-c', 1, '-R', 50, @bystanders);
	start_readers();
}

# A server process goes on for a moment with what its client had sent.
sub stop_load
{
	foreach my $client (values %load)
	{
		$client->{run}->signal('TERM');
		$client->{run}->finish;
	}
	my $names = join ', ', map { "'$_'" } keys %load;
	$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name IN ($names)");
}

# All but the readers are still there, without an error.
sub check_load
{
	my ($name) = @_;
	foreach my $client ('writers', 'bystander')
	{
		my $errors = slurp_file($load{$client}{errors});
		ok($load{$client}{run}->pumpable && $errors eq '', "$name: $client: no error") or diag($errors);
	}
}

# The readers may have met the error that tells them to prepare statements again.
sub check_readers
{
	my ($name) = @_;
	my @errors = grep { /ERROR/ && !/cached plan must not change result type/ } split /\n/, slurp_file($load{readers}{errors});
	is("@errors", '', "$name: readers: no error but that the type has changed");
	$load{readers}{run}->signal('TERM');
	$load{readers}{run}->finish;
	start_readers();
}

# What the server's log tells, from some place on
sub check_waits
{
	my ($name, $from) = @_;
	my %longest = (writers => 0, readers => 0, bystander => 0);
	my (@failed, @long_waits);
	foreach my $line (split /\n/, substr(slurp_file($node->logfile), $from))
	{
		my ($client) = $line =~ /\] (?:\S+ )?(writers|readers|bystander) / or next;
		$longest{$client} = $1 / 1000 if $line =~ /duration: ([0-9.]+) ms/ && $1 / 1000 > $longest{$client};
		push @long_waits, $line if $line =~ /still waiting for/;
		push @failed, $line if $line =~ /(ERROR|FATAL):/
		  && $line !~ /terminating connection|connection to client lost|shutting down|starting up|recovery mode|not yet accepting/
		  && !($client eq 'readers' && $line =~ /cached plan must not change result type/);
	}
	is(join("\n", @failed), '', "$name: no statement has failed");
	is(join("\n", @long_waits), '', "$name: none has waited for a lock for more than $most s");
	my ($slowest) = sort { $b <=> $a } @longest{'writers', 'readers'};
	cmp_ok($slowest, '<=', $most + $longest{bystander}, "$name: none has taken $most s longer than a bystander's");
	diag(sprintf '%s: longest statement %.3f s, of a bystander %.3f s (below %s s, they are not logged)', $name, $slowest, $longest{bystander}, $slow);
}

sub steps
{
	my ($kind, $table) = @_;
	my $function = $kind eq 'int' ? "snowflake_conversion_steps('$table', 'id', 5, 'twitter'" : "objectid_conversion_steps('$table', 'id'";
	return "SET application_name = 'conversion'; SELECT statement FROM objectid_ext_tools.$function) ORDER BY step \\gexec\n";
}

sub convert { return start_client($node, steps(@_)); }

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
		       (SELECT count(*) FROM orders AS o JOIN orders AS p ON p.id = o.prior WHERE p.n <> o.n - 4),
		       (SELECT count(*) FROM visit LEFT JOIN customer AS c ON c.id = customer WHERE c.id IS NULL AND customer IS NOT NULL),
		       (SELECT count(*) FROM pg_constraint WHERE NOT convalidated), (SELECT count(*) FROM pg_index WHERE NOT indisvalid)}),
		'0|0|0|0|0|0', "$name: references lead to the right rows; all constraints and indexes are valid");
	SKIP:
	{
		skip 'amcheck is not installed (on Red Hat and its kin postgresqlNN-contrib)', 1 unless $amcheck;
		is($node->safe_psql('postgres', q{
			SELECT count(bt_index_check(i.indexrelid, true)) = count(*) FROM pg_index AS i JOIN pg_class AS c ON c.oid = indexrelid JOIN pg_am AS a ON a.oid = relam
			WHERE amname = 'btree' AND indrelid::regclass::text ~ '^(customer|orders|visit)' AND relkind = 'i'}), 't', "$name: amcheck finds nothing");
	}
}

sub schema
{
	my ($out) = run_command([ 'pg_dump', '-s', '-d', $node->connstr('postgres') ]);
	$out =~ s/^\\(un)?restrict .*//mg;
	return $out;
}

# What the conversion was doing when it was killed
my %killed_in;

sub note_kill
{
	my ($query) = @_;
	my $step = $query =~ /_conversion_(\w+)\(/ ? $1 : $query =~ /(CREATE (?:UNIQUE )?INDEX|VACUUM|VALIDATE|DROP INDEX)/ ? $1 : 'before a step';
	$killed_in{$step}++;
}

sub kill_session
{
	my ($client) = @_;
	note_kill($node->safe_psql('postgres', "SELECT query FROM (SELECT query, pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name ~ '^(conversion\$|objectid_ext_tools:)') AS k"));
	$client->{run}->finish;
}

sub crash
{
	my ($client, $hard) = @_;
	note_kill($node->safe_psql('postgres', "SELECT query FROM pg_stat_activity WHERE application_name ~ '^(conversion\$|objectid_ext_tools:)'"));
	$hard ? kill_server($node) : $node->stop('immediate');
	$_->{run}->finish foreach $client, values %load;	# all are disconnected
	$node->start;
	start_load();
}

sub undo
{
	my ($name, $before) = @_;
	my ($ret, $out, $err) = $node->psql('postgres', "CALL objectid_ext_tools.undo_conversion('customer', 'id')");
	return if $err =~ /no column of table .* is being converted/;
	return ok(is_finished('customer'), "$name: not undone after the last step") if $err =~ /columns of table .* have been exchanged already/;
	is($ret, 0, "$name: undone") or diag($err);
	is(schema(), $before, "$name: the schema is as it was");
}

# Convert a table in one go; returns the seconds that it took.
sub convert_all
{
	my ($name, $kind, $table) = @_;
	my $began = time;
	my $client = convert($kind, $table);
	$client->{run}->finish or diag(slurp_file($client->{errors}));
	ok(is_finished($table), "$name: $table is converted");
	my $took = time - $began;
	sleep(0.5);
	check_readers($name);
	return $took;
}

# The conversion of customers is killed again and again, and undone after each
# fourth; in between it gets ever further.
sub kill_and_resume
{
	my ($name, $kind, $kills, $reach) = @_;
	my $before = schema();
	for (my $n = 1; $n <= $kills; $n++)
	{
		my $client = convert($kind, 'customer');
		sleep(0.2 + rand($reach));
		if (is_finished('customer'))
		{
			# too late: once more, with other tables
			$client->{run}->finish;
			stop_load();
			create_tables($kind);
			$before = schema();
			start_load();
			redo;
		}
		$n % 5 == 2 ? crash($client, $n % 2) : kill_session($client);
		undo($name, $before) if $n % 4 == 0;
	}
}

# Convert orders and their references, and customers and theirs.
sub test_conversion
{
	my ($kind, $kills) = @_;
	my $name = "$kind/$rows";
	create_tables($kind);
	my $from = -s $node->logfile;
	%killed_in = ();
	start_load();
	my $orders = convert_all($name, $kind, 'orders');
	kill_and_resume($name, $kind, $kills, 0.7 * $orders);
	my $customers = convert_all($name, $kind, 'customer');
	check_load($name);
	stop_load();
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM log'), '>', $rows + 10, "$name: clients have written");
	check_waits($name, $from);
	diag(sprintf '%s: orders took %.0f s; customers were killed in %s, and then took %.0f s',
		$name, $orders, join(', ', map { "$_ $killed_in{$_}" } sort keys %killed_in) || 'nothing', $customers);
	is($node->safe_psql('postgres', $left), '', "$name: nothing is left");
	check_rows($name);
}

foreach my $run (@runs)
{
	my ($kind, $kills);
	($kind, $rows, $kills) = $run =~ m{^(int|char|text)/(\d+)/(\d+)$} or die "no such run: $run";
	test_conversion($kind, $kills);
}

$node->stop;
done_testing();
