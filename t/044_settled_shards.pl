# settled_shard_id(): readers follow writers of three shards, and miss no row.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use History;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = is_long() ? 120 : 5;
my $node = start_server('main', conf => "client_min_messages = error\nmax_prepared_transactions = 20\n");
$node->safe_psql('postgres', q{
	CREATE SEQUENCE cache_1;
	CREATE SEQUENCE cache_64 CACHE 64;
	CREATE TABLE feed (id bigint PRIMARY KEY);
	CREATE TABLE seen (reader text, n serial, id bigint);

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

	CREATE PROCEDURE read(seconds float8, reader text) LANGUAGE plpgsql AS $$
	DECLARE
		until timestamptz := clock_timestamp() + seconds * interval '1 s';
		last bigint := -1;
		upto bigint;
	BEGIN
		WHILE clock_timestamp() < until LOOP
			IF reader = 'no bound' THEN
				upto := (SELECT max(id) FROM feed);
			ELSE
				upto := settled_shard_id();
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
my @clients = (
	(map { start_client($node, "CALL write($seconds, '$_')") } qw(cache_1 cache_1 cache_1 cache_64 cache_64 cache_64)),
	start_client($node, $prepare),
	(map { start_client($node, 'CALL read(' . (2 * $seconds + 2) . ", '$_')") } 'one', 'two', 'no bound'));
ok($_->{run}->finish, 'client ends') or diag(slurp_file($_->{errors})) foreach @clients;

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

$node->stop;
done_testing();
