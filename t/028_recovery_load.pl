# A base backup restored to a point in time, and a server upgraded by pg_upgrade:
# ids continue, and no id that a client got before is issued again.

use strict;
use warnings FATAL => 'all';

use Cwd qw(getcwd);
use FindBin;
use lib "$FindBin::RealBin/lib";
use History;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $seconds = is_long() ? 5 : 0.5;
my $conf = q{
shared_buffers = 64MB
client_min_messages = error
};

#
# Restored to a point in time
#
my $node = start_server('main', has_archiving => 1, allows_streaming => 1, conf => $conf);
create_keyed_tables($node);
$node->backup('base');

# Ranges taken after the restore point are issued again.  Other ids are not,
# because the clock has advanced.
my @generators = generators_but('range');
my @clients = start_clients($node, generators => \@generators);
sleep $seconds;
$node->safe_psql('postgres', q{SELECT pg_create_restore_point('midway')});
sleep $seconds;
my @history = end_clients(@clients);
$node->safe_psql('postgres', 'SELECT pg_switch_wal()');
$node->stop;

my $restored = PostgreSQL::Test::Cluster->new('restored');
$restored->init_from_backup($node, 'base', has_restoring => 1, standby => 0);
$restored->append_conf('postgresql.conf', q{
recovery_target_name = 'midway'
recovery_target_action = promote
});
$restored->start;
$restored->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'recovery does not end';
my $rows = $restored->safe_psql('postgres', 'SELECT count(*) FROM by_cache_1');
my $seen = grep { /^cache_1/ } map { @{ $_->{lines} } } @history;
ok($rows > 0 && $rows < $seen, "restored to a point in time: $rows rows, of $seen ids that clients were given");
# On a fast machine, the restore can be over before the clock has passed the ids that
# were ahead of it.
sleep 2;
push @history, end_clients(start_clients_for($restored, $seconds));
history_is_sound(\@history, 'restored to a point in time', generators => \@generators);
indexes_are_sound($restored, 'restored to a point in time');
$restored->stop;

sub start_clients_for
{
	my ($server, $time) = @_;
	my @started = start_clients($server);
	sleep $time;
	return @started;
}

#
# pg_upgrade.  As for the server's own test, the variable oldinstall names the
# older server: /usr/lib/postgresql/15, say.  Both must have the extension in
# their own directories.
#
SKIP:
{
	if (!$ENV{oldinstall})
	{
		diag('no older server is named by the variable "oldinstall": pg_upgrade IS NOT TESTED');
		skip 'no older server is named by the variable "oldinstall"', 1;
	}

	my $old = PostgreSQL::Test::Cluster->new('old', install_path => $ENV{oldinstall});
	{
		# The settings of a throw-away installation are not the old server's.
		local $ENV{TEMP_CONFIG};
		delete $ENV{TEMP_CONFIG};
		$old->init;
	}
	$old->append_conf('postgresql.conf', $conf);
	$old->start;
	$old->safe_psql('postgres', 'CREATE EXTENSION objectid_ext');
	create_keyed_tables($old);

	# Rows placed by the hash functions
	$old->safe_psql('postgres', q{
		CREATE TABLE part (id objectid PRIMARY KEY) PARTITION BY HASH (id);
		CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 0);
		CREATE TABLE part_1 PARTITION OF part FOR VALUES WITH (MODULUS 2, REMAINDER 1);
		INSERT INTO part SELECT gen_objectid() FROM generate_series(1, 1000);
		CREATE INDEX by_hash ON by_objectid USING hash (id)});
	my @sessions = end_clients(start_clients_for($old, $seconds));
	my $version = $old->safe_psql('postgres', 'SHOW server_version');
	my ($old_version) = $version =~ /^(\d+)/;
	$old->stop;

	my $new = PostgreSQL::Test::Cluster->new('new');
	my ($new_version) = `pg_config --version` =~ /(\d+)/;
	# a default of newer servers, which must be as in the old one
	$new->init(extra => [ $new_version >= 18 && $old_version < 18 ? '--no-data-checksums' : () ]);
	$new->append_conf('postgresql.conf', $conf);

	# It leaves scripts in its current directory.
	my $here = getcwd();
	chdir PostgreSQL::Test::Utils::tempdir or die;
	command_ok([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir,
			'-b', "$ENV{oldinstall}/bin", '-B', $new->config_data('--bindir'),
			'-s', $new->host, '-p', $old->port, '-P', $new->port ],
		"pg_upgrade from $version");
	chdir $here or die;
	$new->start;
	is($new->safe_psql('postgres', q{
			SET enable_seqscan = off;
			SELECT count(*) FROM part WHERE id = (SELECT p.id FROM part p WHERE p.id = part.id)}),
		1000, "upgraded from $version: rows are found by the hash of their partition");
	is($new->safe_psql('postgres', q{
			SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
			ALTER TABLE by_objectid DROP CONSTRAINT by_objectid_pkey;
			SELECT count(*) = (SELECT count(*) FROM by_objectid)
			FROM (SELECT id FROM by_objectid OFFSET 0) a JOIN by_objectid b USING (id);
			ALTER TABLE by_objectid ADD PRIMARY KEY (id)}),
		't', "upgraded from $version: rows are found by their hash index");
	push @sessions, end_clients(start_clients_for($new, $seconds));
	history_is_sound(\@sessions, "upgraded from $version");
	indexes_are_sound($new, "upgraded from $version");
	$new->stop;
}

done_testing();
