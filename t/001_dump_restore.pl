# Dump and restore of tables that depend on the extension, and the identities of
# backends if the library is preloaded in the postmaster.

use strict;
use warnings FATAL => 'all';

use Digest::MD5 qw(md5);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Sys::Hostname;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf',
	"shared_preload_libraries = 'objectid_ext'");
$node->start;

#
# Dump and restore
#
$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql(
	'source', q{
	CREATE SCHEMA ids;
	CREATE EXTENSION objectid_ext SCHEMA ids;
	SET search_path = public, ids;
	CREATE TABLE item (
		_id objectid PRIMARY KEY DEFAULT gen_objectid(),
		n int,
		ref objectid DEFAULT '507f1f77bcf86cd799439011' REFERENCES item
	);
	INSERT INTO item VALUES ('507f1f77bcf86cd799439011', 0, NULL);
	INSERT INTO item (n) SELECT n FROM generate_series(1, 1000) AS n;
	CREATE INDEX item_time ON item (objectid_timestamp(_id));
	CREATE INDEX item_hash ON item USING hash (ref);
	CREATE INDEX item_brin ON item USING brin (_id objectid_minmax_multi_ops);
	CREATE VIEW recent AS
		SELECT * FROM item WHERE _id >= objectid_floor(timestamptz '2026-01-01 00:00:00+00');
	CREATE TABLE document (
		doc jsonb,
		_id objectid GENERATED ALWAYS AS ((doc -> '_id')::objectid) STORED PRIMARY KEY
	);
	INSERT INTO document VALUES ('{"_id": {"$oid": "507f1f77bcf86cd799439011"}}');
	CREATE TABLE month (_id objectid PRIMARY KEY) PARTITION BY RANGE (_id);
	CREATE TABLE month_old PARTITION OF month
		FOR VALUES FROM (MINVALUE) TO (objectid_floor('2026-01-01 00:00:00+00'));
	CREATE TABLE month_new PARTITION OF month
		FOR VALUES FROM (objectid_floor('2026-01-01 00:00:00+00')) TO (MAXVALUE);
	INSERT INTO month SELECT _id FROM item;
	CREATE TABLE part (_id objectid PRIMARY KEY) PARTITION BY HASH (_id);
	CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
	CREATE TABLE part_1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	INSERT INTO part SELECT _id FROM item;
	CREATE TABLE customer (id serial PRIMARY KEY, name text);
	CREATE TABLE orders (customer int REFERENCES customer);
	INSERT INTO customer (name) VALUES ('a');
	INSERT INTO orders VALUES (1);
	ALTER TABLE customer ALTER id TYPE bigint, ALTER id SET DEFAULT next_snowflake('customer_id_seq', 5, 'twitter');
	ALTER SEQUENCE customer_id_seq AS bigint;
});

# The dump of a database, without the parts that differ between runs
sub dump_of
{
	my ($dbname) = @_;
	my $file = $PostgreSQL::Test::Utils::tmp_check . "/$dbname.sql";

	$node->command_ok([ 'pg_dump', '--no-sync', '-f', $file, '-d', $node->connstr($dbname) ],
		"dump $dbname");
	return join '', grep { !/^\\(un)?restrict / } split /^/, slurp_file($file);
}

sub restore
{
	my ($dbname, @options) = @_;
	my $archive = $PostgreSQL::Test::Utils::tmp_check . "/$dbname.dump";

	$node->safe_psql('postgres', "CREATE DATABASE $dbname");
	$node->command_ok(
		[ 'pg_dump', '--no-sync', '-Fc', @options, '-f', $archive, '-d', $node->connstr('source') ],
		"archive for $dbname");
	$node->command_ok(
		[ 'pg_restore', '--exit-on-error', '-d', $node->connstr($dbname), $archive ],
		"restore $dbname");
}

my $dump = dump_of('source');
like($dump, qr/ids\.gen_objectid\(\)/, 'default is in the dump');

restore('by_copy');
restore('by_insert', '--inserts');
my $new_year = $node->safe_psql('source', q{SELECT timestamptz '2026-01-01Z'});

for my $dbname ('by_copy', 'by_insert')
{
	my $contents = q{SELECT count(*), count(DISTINCT _id::text), md5(string_agg(_id::text || n, ',' ORDER BY n)) FROM item};

	is(dump_of($dbname), $dump, "$dbname: dump of the restored database is the same");
	is($node->safe_psql($dbname, $contents),
		$node->safe_psql('source', $contents),
		"$dbname: rows are the same");
	# Within a second, ids are ordered by the identities of the backends.
	is( $node->safe_psql(
			$dbname,
			q{INSERT INTO item (n) SELECT n FROM generate_series(1001, 1010) AS n;
			  SELECT count(*), count(DISTINCT _id::text),
			         max(ids.objectid_timestamp(_id)) FILTER (WHERE n <= 1000) - interval '1 second'
			         <= min(ids.objectid_timestamp(_id)) FILTER (WHERE n > 1000)
			    FROM item}),
		'1011|1011|t',
		"$dbname: default goes on");
	like(
		$node->safe_psql(
			$dbname,
			q{SET enable_seqscan = off; SET enable_bitmapscan = off;
			  EXPLAIN (COSTS OFF) SELECT n FROM item WHERE _id OPERATOR(ids.=) '507f1f77bcf86cd799439011'}),
		qr/Index Scan using item_pkey/,
		"$dbname: primary key serves a query");
	is($node->safe_psql($dbname, q{INSERT INTO customer (name) VALUES ('b') RETURNING ids.snowflake_node(id, 'twitter')}),
		'5', "$dbname: a clock sequence goes on");
	my ($ret, $stdout, $stderr) =
	  $node->psql($dbname, q{INSERT INTO item VALUES ('507f1f77bcf86cd799439011')});
	like($stderr, qr/duplicate key value violates unique constraint "item_pkey"/,
		"$dbname: primary key refuses an id that is there");
}

#
# Identities.  The library is preloaded, and backends must not inherit an
# identity from the postmaster.
#
is( $node->safe_psql('source', q{SELECT count(*) FROM pg_settings WHERE name = 'objectid_ext.objectid_identity'}),
	1,
	'library is preloaded');

$node->safe_psql('source',
	'CREATE TABLE made (id ids.objectid DEFAULT ids.gen_objectid(), pid int DEFAULT pg_backend_pid())');
my $script = $PostgreSQL::Test::Utils::tmp_check . '/insert.sql';
append_to_file($script, "INSERT INTO made DEFAULT VALUES;\n");
$node->command_ok(
	[ 'pgbench', '-n', '-c', 8, '-j', 2, '-t', 200, '-f', $script, $node->connstr('source') ],
	'eight backends at once');
$node->command_ok(
	[ 'pgbench', '-n', '-C', '-c', 2, '-j', 2, '-t', 20, '-f', $script, $node->connstr('source') ],
	'forty backends one after another');
is( $node->safe_psql(
		'source',
		q{SELECT count(*), count(DISTINCT id::text), count(DISTINCT pid), count(DISTINCT (ids.objectid_parts(id)).random) FROM made}),
	'1640|1640|48|48',
	'no id twice, and as many identities as backends');
is( $node->safe_psql(
		'source',
		q{SELECT count(*) FROM (SELECT pid FROM made GROUP BY pid HAVING count(DISTINCT (ids.objectid_parts(id)).random) > 1) AS s}),
	0,
	'one identity for each backend');
cmp_ok(
	$node->safe_psql(
		'source',
		q{SELECT count(DISTINCT (ids.objectid_parts(id)).counter) FROM (SELECT DISTINCT ON (pid) id FROM made ORDER BY pid, id::text COLLATE "C") AS s}),
	'>', 40,
	'each backend starts its counter elsewhere');

#
# The classic layout: first three bytes of MD5(host name), process id
#
$node->append_conf('postgresql.conf', "objectid_ext.objectid_identity = 'host'");
$node->reload;
$node->poll_query_until('source', q{SELECT current_setting('objectid_ext.objectid_identity') = 'host'})
  or die 'setting has not arrived';
for my $backend (1, 2)
{
	my ($identity, $pid) = split /\|/,
	  $node->safe_psql('source',
		q{SELECT encode((ids.objectid_parts(ids.gen_objectid())).random, 'hex'), pg_backend_pid()});
	my @machine = unpack 'C3', md5(hostname());

	# The upper bits of a long process id go into the last machine byte.
	$machine[2] ^= $pid >> 16 & 0xff;
	is($identity, unpack('H*', pack('C3n', @machine, $pid & 0xffff)),
		"backend $backend: identity is of host name and process id");
}

$node->stop;

done_testing();
