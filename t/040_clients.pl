# Drivers and object-relational mappers: the programs of examples/clients insert
# and find objectids, arrays of them and 64-bit ids, and all see the same.
#
# Each runs where its software is installed; which did not is skipped.
# This test installs nothing.  On Debian this has all but node-postgres and
# Drizzle, for which npm makes a folder:
#
#	apt-get install python3-psycopg2 python3-psycopg python3-sqlalchemy \
#		python3-django libpostgresql-jdbc-java default-jdk-headless ruby-pg \
#		ruby-activerecord golang-go golang-github-jackc-pgx-v4-dev nodejs npm
#	npm install --prefix DIR pg drizzle-orm
#	NODE_PATH=DIR/node_modules scripts/check 040_clients

use strict;
use warnings FATAL => 'all';

use File::Spec;
use FindBin;
use IPC::Run;
use lib $FindBin::RealBin;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $dir = 'examples/clients';
my $build = PostgreSQL::Test::Utils::tempdir('build');

# Does a command run, and succeed?
sub succeeds
{
	my @command = @_;
	my $null = File::Spec->devnull;
	return eval { IPC::Run::run(\@command, '<', $null, '>', $null, '2>', $null) };
}

# The interpreter may be another one than that of the distribution's packages.
sub python_with
{
	my @modules = @_;
	foreach my $python ('python3', '/usr/bin/python3')
	{
		return $python if succeeds($python, '-c', 'import ' . join(', ', @modules));
	}
	return;
}

# How to run each program, or nothing where that cannot be.
sub python_program
{
	my ($program, @modules) = @_;
	my $python = python_with(@modules);
	return $python && [ $python, '-B', "$dir/$program" ];
}

sub node_program
{
	my ($program, @modules) = @_;
	return succeeds('node', '-e', join(';', map { "require('$_')" } @modules)) && [ 'node', "$dir/$program" ];
}

sub ruby_program
{
	my ($program, $library) = @_;
	return succeeds('ruby', '-r', $library, '-e', '') && [ 'ruby', "$dir/$program" ];
}

sub c_program
{
	my ($includedir, $libdir) = map { chomp(my $path = `pg_config --$_`); $path } qw(includedir libdir);
	return succeeds($ENV{CC} // 'cc', '-o', "$build/libpq", "$dir/libpq.c", "-I$includedir", "-L$libdir", '-lpq')
	  && ["$build/libpq"];
}

sub java_program
{
	my $path = join ':', glob('/usr/share/java/postgresql.jar /usr/share/java/{scram,stringprep,saslprep}*.jar');
	$path .= ":$ENV{CLASSPATH}" if $ENV{CLASSPATH};
	return succeeds('javac', '-cp', $path, '-d', $build, "$dir/Jdbc.java")
	  && succeeds('javap', '-cp', $path, 'org.postgresql.Driver')
	  && [ 'java', '-cp', "$build:$path", 'Jdbc' ];
}

sub go_program
{
	local %ENV = (%ENV, GO111MODULE => 'off', GOPATH => $ENV{GOPATH} // '/usr/share/gocode', GOCACHE => "$build/go");
	return succeeds('go', 'build', '-o', "$build/pgx", "$dir/pgx.go") && ["$build/pgx"];
}

my %clients = (
	'libpq' => c_program(),
	'psycopg 2' => python_program('psycopg2_client.py', 'psycopg2'),
	'psycopg 3' => python_program('psycopg_client.py', 'psycopg'),
	'SQLAlchemy' => python_program('sqlalchemy_client.py', 'sqlalchemy', 'psycopg2'),
	'Django' => python_program('django_client.py', 'django', 'psycopg2'),
	'node-postgres' => node_program('node_postgres.js', 'pg'),
	'Drizzle' => node_program('drizzle.js', 'drizzle-orm', 'pg'),
	'JDBC' => java_program(),
	'ruby-pg' => ruby_program('ruby_pg.rb', 'pg'),
	'Active Record' => ruby_program('active_record.rb', 'active_record'),
	'pgx' => go_program());

# What each program says, and what some say besides
my %common = (
	'given' => '507f1f77bcf86cd799439011',
	'generated' => '24',
	'equal' => 'given',
	'any' => 'given other',
	'in' => 'given other',
	'after' => 'other',
	'array' => '507f1f77bcf86cd799439011 507f1f77bcf86cd799439012',
	'json' => '507f1f77bcf86cd799439011',
	'bigint' => '3909527353407050753 53438054401281',
	'invalid' => '22P02');
my %special = (
	'libpq' => { 'typed' => 'given', 'binary' => '12 same' },
	'psycopg 3' => { 'copy' => 'copied' },
	'node-postgres' => { 'exact numbers' => 'false true', 'exact text' => 'true true' },
	'JDBC' => { 'array of text' => '42883' });

# JDBC has no Unix sockets.  Who comes by the network needs a password that
# nobody else knows.
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'");
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf', "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
$node->start;
my $user = $node->safe_psql('postgres', 'SELECT current_user');
my $password = $node->safe_psql('postgres', 'SELECT gen_random_uuid()');
$node->safe_psql('postgres', "ALTER ROLE \"$user\" PASSWORD '$password'");

my $count = 0;
foreach my $client (sort grep { $clients{$_} } keys %clients)
{
	my $database = 'client_' . ++$count;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, slurp_file("$dir/schema.sql"));

	local %ENV = (%ENV, PGHOST => $client eq 'JDBC' ? '127.0.0.1' : $node->host, PGPORT => $node->port,
		PGUSER => $user, PGPASSWORD => $password, PGDATABASE => $database);
	my ($out, $err) = ('', '');
	IPC::Run::run($clients{$client}, '<', \undef, '>', \$out, '2>', \$err);
	is($?, 0, "$client runs") or diag($err);
	is_deeply({ parse($out) }, { %common, %{ $special{$client} // {} } }, "$client finds what it put") or diag($out);
}

# A line is a label, of one word or more, and what was found.
sub parse
{
	my ($output) = @_;
	my $labels = join '|', sort { length $b <=> length $a } keys %common, map { keys %$_ } values %special;
	return $output =~ /^($labels) (.*)$/mg;
}

# What the page on clients quotes is in these programs.
my $programs = join '', map { slurp_file($_) } glob("$dir/*");
my @quoted = slurp_file('docs/clients.md') =~ /^```(?:python|js|java|ruby|go|c)\n(.*?)^```$/gms;
my @invented = grep { index($programs, $_) < 0 } @quoted;
ok(@quoted > 6, 'the page on clients quotes programs');
is("@invented", '', 'all that it quotes is run');

foreach my $client (sort grep { !$clients{$_} } keys %clients)
{
	SKIP: { skip "$client is not installed", 2; }
}
ok($count > 0, 'there are clients');

done_testing();
