# Ticket servers like Flickr's: one issues odd numbers, the other even ones.
# Clients that use them in turn get no number twice, even while one of them is
# down and after its return.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $app = start_server('app');
if ($app->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'dblink'") == 0)
{
	$app->stop;
	plan skip_all => 'dblink is not installed (on Red Hat and its kin postgresqlNN-contrib)';
}

# Two servers, set up by the example.  Only commits flush WAL.
my @servers = map { start_server("tickets_$_", conf => "wal_writer_delay = 10s\nwal_writer_flush_after = 1GB") } 0 .. 1;
$_->safe_psql('postgres', q{CREATE ROLE app LOGIN PASSWORD 'secret'}) foreach $app, @servers;
$app->safe_psql('postgres', q{
	CREATE EXTENSION dblink;
	CREATE TABLE item (ticket bigint PRIMARY KEY);
	CREATE TABLE done ();
	GRANT SELECT, INSERT ON item, done TO app;
});

# dblink allows roles that are not superusers to connect only with a password.
foreach my $server (@servers)
{
	unlink $server->data_dir . '/pg_hba.conf';
	$server->append_conf('pg_hba.conf', "local all app scram-sha-256\nlocal all all trust\n");
	$server->reload;
}
foreach my $n (0, 1)
{
	my $number = $n + 1;
	my ($ret, $out, $err) = $servers[$n]->psql('postgres', slurp_file('examples/ticket_server.sql'),
		on_error_stop => 1, extra_params => [ '-v', "number=$number" ]);
	is($ret, 0, "server $n is set up") or diag($err);
	my $last = $number + 200;
	is($servers[$n]->safe_psql('postgres', q{SET SESSION AUTHORIZATION app; SELECT nextval('tickets'); SELECT * FROM nextval_range('tickets', 100)}),
		"$number\n" . ($number + 2) . "|$last|2", "server $n gives tickets");
	my ($host, $port) = ($servers[$n]->host, $servers[$n]->port);
	$app->safe_psql('postgres', qq{
		CREATE SERVER ticket_server_$n FOREIGN DATA WRAPPER dblink_fdw OPTIONS (host '$host', port '$port', dbname 'postgres');
		GRANT USAGE ON FOREIGN SERVER ticket_server_$n TO app;
		CREATE USER MAPPING FOR app SERVER ticket_server_$n OPTIONS (user 'app', password 'secret');
	});
}
$app->safe_psql('postgres', slurp_file('examples/ticket_client.sql'));
my ($status, $output, $errors) = $app->psql('postgres', slurp_file('examples/ticket_server.sql') . ';SELECT nextval(\'tickets\')', extra_params => [ '-v', 'number=3' ]);
is_deeply([ $output, $errors =~ /(number must be 1 or 2)/ ], [ '', 'number must be 1 or 2' ], 'a third server is refused');

# Three sessions that run until they are told to stop.  The primary key rejects
# duplicate tickets.
my @clients = map { start_client($app, q{
	SET SESSION AUTHORIZATION app;
	DO $$
	BEGIN
		WHILE NOT EXISTS (SELECT FROM done) LOOP
			INSERT INTO item VALUES (next_ticket());
			COMMIT;
		END LOOP;
	END $$;}) } 1 .. 3;

# Wait for this many more tickets, then return how many are odd and even.
sub tickets
{
	my ($more) = @_;
	my $count = $app->safe_psql('postgres', 'SELECT count(*) FROM item');
	$app->poll_query_until('postgres', "SELECT count(*) >= $count + $more FROM item")
	  or die 'no tickets any more';
	return split /\|/, $app->safe_psql('postgres', 'SELECT count(*) FILTER (WHERE ticket % 2 = 1), count(*) FILTER (WHERE ticket % 2 = 0) FROM item');
}

my @before = tickets(100);
cmp_ok($before[0], '>', 20, 'tickets of the odd server');
cmp_ok($before[1], '>', 20, 'tickets of the even server');

# Each server is stopped and started, in several ways, while the sessions run.
foreach my $case ([ 0, 'fast' ], [ 1, 'immediate' ], [ 0, 'kill' ], [ 1, 'smart' ])
{
	my ($n, $how) = @$case;
	if ($how eq 'kill') { kill_server($servers[$n]); }
	else { $servers[$n]->stop($how); }
	my @down = tickets(0);
	my @later = tickets(60);
	# each session may have had one in hand
	cmp_ok($later[$n], '<=', $down[$n] + 3, "$how: none of a server that is down");
	cmp_ok($later[ 1 - $n ], '>=', $down[ 1 - $n ] + 57, "$how: the other one goes on");

	$servers[$n]->start;
	my @up = tickets(60);
	cmp_ok($up[$n], '>', $later[$n], "$how: it takes part again");
}

# Only if both are down, there is an error.
$app->safe_psql('postgres', 'INSERT INTO done DEFAULT VALUES');
foreach my $client (@clients)
{
	ok($client->{run}->finish, 'a session ends without an error') or diag(slurp_file($client->{errors}));
}
is($app->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT ticket) FROM item'), '0', 'no ticket twice');
note $app->safe_psql('postgres', 'SELECT count(*), max(ticket) FROM item') . ' tickets, the highest';
foreach my $n (0, 1)
{
	my $next = $servers[$n]->safe_psql('postgres', q{SELECT nextval('tickets')});
	is($app->safe_psql('postgres', "SELECT count(*) FROM item WHERE ticket >= $next AND (ticket - $next) % 2 = 0"), '0',
		"the next ticket of server $n is past all that it gave");
	$servers[$n]->stop;
}
my ($ret, $out, $err) = $app->psql('postgres', 'SET SESSION AUTHORIZATION app; SET search_path = pg_catalog; SELECT public.next_ticket()');
like($err, qr/no ticket server answers/, 'with both down, an error says so');

$app->stop;
done_testing();
