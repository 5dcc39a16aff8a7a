# settled_shard_id(): readers follow writers of three shards, and miss no row.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = is_long() ? 120 : 3;
my $node = start_server('main', conf => "client_min_messages = error\nmax_prepared_transactions = 20\n");
$node->safe_psql('postgres', q{
	CREATE SEQUENCE cache_1;
	CREATE SEQUENCE cache_64 CACHE 64;
	CREATE TABLE feed (id bigint PRIMARY KEY);
	CREATE TABLE seen (reader text, n serial, id bigint);
	CREATE TABLE done ();

	-- Pauses, rollbacks and savepoints that are rolled back, in one of three shards
	CREATE PROCEDURE write(seconds float8, seq regclass) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 s';
	BEGIN
		WHILE clock_timestamp() < until LOOP
			BEGIN
				INSERT INTO feed VALUES (next_shard_id((random() * 2)::int, nextval(seq)));
				IF random() < 0.2 THEN
					RAISE 'roll back the savepoint';
				END IF;
			EXCEPTION WHEN raise_exception THEN NULL;
			END;
			INSERT INTO feed
				SELECT next_shard_id((random() * 2)::int, nextval(seq)) FROM generate_series(1, (random() * 10)::int);
			IF random() < 0.3 THEN
				PERFORM pg_sleep(random() * 0.02);
			END IF;
			IF random() < 0.2 THEN
				ROLLBACK;
			ELSE
				COMMIT;
			END IF;
		END LOOP;
	END $$;

	-- Until there is nothing to come
	CREATE PROCEDURE read(seconds float8, reader text) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 s';
		last bigint := -1;
		upto bigint;
	BEGIN
		WHILE (NOT EXISTS (SELECT FROM done) OR (SELECT max(id) > last FROM feed)) AND clock_timestamp() < until LOOP
			IF reader = 'no bound' THEN
				upto := (SELECT coalesce(max(id), last) FROM feed);
			ELSE
				CALL settled_shard_id('instagram', upto);
			END IF;
			IF upto < last THEN
				RAISE 'the bound goes back from % to %', last, upto;
			END IF;
			INSERT INTO seen SELECT read.reader, nextval('seen_n_seq'), id FROM feed WHERE id > last AND id <= upto ORDER BY id;
			last := upto;
			COMMIT;
		END LOOP;
	END $$});

# Prepared transactions, each committed by the next statement
my $prepare = join "\n", map { "BEGIN; INSERT INTO feed VALUES (next_shard_id(1, nextval('cache_1')));
	PREPARE TRANSACTION 'p$_'; SELECT pg_sleep(0.01); COMMIT PREPARED 'p$_';" } 1 .. 20 * $seconds;
my $limit = 2 * $seconds + $PostgreSQL::Test::Utils::timeout_default;
my @readers = map { start_client($node, "CALL read($limit, '$_')") } 'one', 'two', 'no bound';
my @writers = (
	(map { start_client($node, "CALL write($seconds, '$_')") } qw(cache_1 cache_1 cache_1 cache_64 cache_64 cache_64)),
	start_client($node, $prepare));
ok($_->{run}->finish, 'writer ends') or diag(slurp_file($_->{errors})) foreach @writers;
$node->safe_psql('postgres', 'INSERT INTO done DEFAULT VALUES');
ok($_->{run}->finish, 'reader ends') or diag(slurp_file($_->{errors})) foreach @readers;

my $rows = $node->safe_psql('postgres', 'SELECT count(*) FROM feed');
foreach my $reader ('one', 'two')
{
	is($node->safe_psql('postgres', qq{
			SELECT count(*) FILTER (WHERE seen.id IS NULL), count(*) - count(DISTINCT feed.id)
			FROM feed LEFT JOIN seen ON seen.id = feed.id AND reader = '$reader'}),
		'0|0', "reader $reader: of $rows rows, missed and read twice");
	is($node->safe_psql('postgres', qq{
			SELECT count(*) FROM (SELECT id < lag(id) OVER (ORDER BY n) AS descends FROM seen WHERE reader = '$reader') AS s
			WHERE descends}), '0', "reader $reader: rows out of order");
}
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM feed WHERE id NOT IN (SELECT id FROM seen WHERE reader = 'no bound')}),
	'>', 0, 'a reader without a bound misses rows');

# The first ids after a start of the server.  While the first session waits for the
# disk, the sequence has its reservation already, but the session has published
# nothing.
$node->append_conf('postgresql.conf', "fsync = on\ncommit_delay = 100000\ncommit_siblings = 0\n");
my $insert = q{INSERT INTO feed VALUES (next_shard_id(1, nextval('cache_1')))};
$node->safe_psql('postgres', qq{
	CREATE PROCEDURE read_rows(reader text, rows int) LANGUAGE plpgsql AS \$\$
	DECLARE
		until timestamptz := clock_timestamp() + interval '$PostgreSQL::Test::Utils::timeout_default s';
		last bigint := -1;
		upto bigint;
	BEGIN
		WHILE (SELECT count(*) < rows OR max(id) > last FROM feed) AND clock_timestamp() < until LOOP
			CALL settled_shard_id('instagram', upto);
			INSERT INTO seen SELECT read_rows.reader, nextval('seen_n_seq'), id FROM feed WHERE id > last AND id <= upto;
			last := upto;
			COMMIT;
		END LOOP;
	END \$\$});
foreach my $attempt (1 .. 3)
{
	$node->safe_psql('postgres', "TRUNCATE feed, seen; $insert");
	$node->restart;
	my @readers = map { start_client($node, "CALL read_rows('$_', 3)") } 1 .. 5;
	$node->poll_query_until('postgres', 'SELECT count(*) = 5 FROM seen') or die 'readers do not read';
	$node->safe_psql('postgres', $insert) foreach 1 .. 2;
	ok($_->{run}->finish, 'reader ends') or diag(slurp_file($_->{errors})) foreach @readers;
	is($node->safe_psql('postgres', 'SELECT count(*) FROM seen'), 15, 'five readers read three rows, of which two are the first after a start');
}

# A reader waits while the extension, and with it the sequence of the clock, is made
# again: others then publish what they take beside the new sequence.
my $session = $node->background_psql('postgres');
$session->query_safe('BEGIN; DROP EXTENSION objectid_ext; CREATE EXTENSION objectid_ext');
my $reader = start_client($node, q{CALL settled_shard_id('instagram', NULL)});
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted}) or die 'the reader does not wait';
$session->query_safe('COMMIT');
ok($reader->{run}->finish, 'reader ends') or diag(slurp_file($reader->{errors}));
cmp_ok(slurp_file($reader->{output}), '>', 0, 'a reader that waited for DROP and CREATE EXTENSION reads the new sequence');
$session->quit;

$node->stop;
done_testing();
