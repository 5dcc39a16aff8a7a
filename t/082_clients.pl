# Drivers and object-relational mappers: the programs of examples/clients insert
# and find objectids, arrays of them and 64-bit ids, and all see the same; five
# drivers read the bound of a feed.  Those with "bson" in their names do so with the
# type that MongoDB's driver has for an ObjectId in the same language.
#
# Each runs where its software is installed; which did not is skipped.
# This test installs nothing.  On Debian this has all but those of JavaScript, for
# which npm makes a folder (Debian 12 and 13 have golang-github-jackc-pgx-v4-dev):
#
#	apt-get install python3-psycopg2 python3-psycopg python3-sqlalchemy \
#		python3-django python3-alembic python3-bson libpostgresql-jdbc-java default-jdk-headless \
#		libmongodb-java ruby-pg ruby-activerecord ruby-bson php-cli php-pgsql php-doctrine-orm \
#		php-illuminate-database golang-go golang-github-jackc-pgx-v5-dev \
#		golang-github-lib-pq-dev golang-mongodb-mongo-driver-dev golang-gorm-driver-postgres-dev nodejs npm
#	npm install --prefix DIR pg drizzle-orm kysely typeorm sequelize bson prisma @prisma/client @prisma/adapter-pg
#	NODE_PATH=DIR/node_modules scripts/check 082_clients

use strict;
use warnings FATAL => 'all';

use File::Copy qw(copy);
use File::Spec;
use FindBin;
use IPC::Run;
use lib "$FindBin::RealBin/lib";
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
	my ($program, @libraries) = @_;
	return succeeds('ruby', (map { ('-r', $_) } @libraries), '-e', '') && [ 'ruby', "$dir/$program" ];
}

sub php_program
{
	my ($program, $driver, @files) = @_;
	return succeeds('php', '-r', "exit(extension_loaded('$driver') ? 0 : 1);")
	  && !(grep { !succeeds('php', '-r', "require '$_';") } @files) && [ 'php', "$dir/$program" ];
}

sub c_program
{
	my ($includedir, $libdir) = map { chomp(my $path = `pg_config --$_`); $path } qw(includedir libdir);
	return succeeds($ENV{CC} // 'cc', '-o', "$build/libpq", "$dir/libpq.c", "-I$includedir", "-L$libdir", '-lpq')
	  && ["$build/libpq"];
}

# Java's compiler is not worth its time here.
$ENV{JAVA_TOOL_OPTIONS} //= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

# The driver, and jars of these names
sub java_program
{
	my ($main, $jars, @sources) = @_;
	my @jars = map { "/usr/share/java/$_.jar" } 'postgresql', @$jars;
	my $path = join ':', @jars, glob('/usr/share/java/{scram,stringprep,saslprep}*.jar'), $ENV{CLASSPATH} // ();
	return ($ENV{CLASSPATH} || !grep { !-e } @jars)
	  && succeeds('javac', '-nowarn', '-cp', $path, '-d', $build, map { "$dir/$_.java" } @sources, $main)
	  && [ 'java', '-cp', "$build:$path", $main ];
}

# With pgx 5, or else with pgx 4, which has other names for its packages
sub go_program
{
	my ($name, @sources) = @_;
	local %ENV = (%ENV, GO111MODULE => 'off', GOPATH => $ENV{GOPATH} // '/usr/share/gocode', GOCACHE => "$build/go");
	foreach my $version (5, 4)
	{
		my $copies = "$build/$name-pgx$version";
		mkdir $copies;
		foreach my $source (@sources, $name)
		{
			my $program = slurp_file("$dir/$source.go");
			$program =~ s/pgx\/v5\/pgconn/pgconn/, $program =~ s/pgx\/v5/pgx\/v4/ if $version == 4;
			append_to_file("$copies/$source.go", $program);
		}
		next unless succeeds('go', 'build', '-o', "$build/$name", map { "$copies/$_.go" } @sources, $name);
		note("$name is built with pgx $version");
		return ["$build/$name"];
	}
	return 0;
}

# Prisma generates its client.  For that it needs nothing but what npm installs; but
# it would download a program for migrations if it were not told that it has one.
sub prisma_program
{
	my $program = node_program('prisma.js', '@prisma/adapter-pg', 'pg') or return 0;
	my ($modules) = grep { -d "$_/prisma" } split /:/, $ENV{NODE_PATH} // '';
	return 0 unless $modules && symlink(File::Spec->rel2abs($modules), "$build/node_modules");
	copy("$dir/schema.prisma", $build) or die "cannot copy: $!";
	local %ENV = (%ENV, CHECKPOINT_DISABLE => 1, PRISMA_SCHEMA_ENGINE_BINARY => $^X);
	return succeeds('node', "$modules/prisma/build/index.js", 'generate', "--schema=$build/schema.prisma") && $program;
}

my %clients = (
	'libpq' => c_program(),
	'psycopg 2' => python_program('psycopg2_client.py', 'psycopg2'),
	'psycopg 3' => python_program('psycopg_client.py', 'psycopg'),
	'Alembic' => python_program('alembic_client.py', 'alembic', 'psycopg2'),
	'SQLAlchemy' => python_program('sqlalchemy_client.py', 'sqlalchemy', 'psycopg2'),
	'Django' => python_program('django_client.py', 'django', 'psycopg2'),
	'node-postgres' => node_program('node_postgres.js', 'pg'),
	'Kysely' => node_program('kysely.js', 'kysely', 'pg'),
	'TypeORM' => node_program('typeorm.js', 'typeorm', 'pg'),
	'Sequelize' => node_program('sequelize.js', 'sequelize', 'pg'),
	'Drizzle' => node_program('drizzle.js', 'drizzle-orm', 'pg'),
	'Prisma' => prisma_program(),
	'JDBC' => java_program('Jdbc', []),
	'ruby-pg' => ruby_program('ruby_pg.rb', 'pg'),
	'PDO' => php_program('pdo.php', 'pdo_pgsql'),
	'Doctrine' => php_program('doctrine.php', 'pdo_pgsql', 'Doctrine/ORM/autoload.php'),
	'Eloquent' => php_program('eloquent.php', 'pdo_pgsql', 'Illuminate/Database/autoload.php'),
	'Active Record' => ruby_program('active_record.rb', 'active_record'),
	'pgx' => go_program('pgx'),
	'GORM' => go_program('gorm'),
	'psycopg 3 with bson' => python_program('bson_psycopg_client.py', 'psycopg', 'bson'),
	'SQLAlchemy with bson' => python_program('bson_sqlalchemy_client.py', 'sqlalchemy', 'psycopg2', 'bson'),
	'SQLAlchemy with psycopg 3 and bson' => python_program('bson_sqlalchemy_client.py', 'sqlalchemy.dialects.postgresql.psycopg', 'psycopg', 'bson'),
	'node-postgres with bson' => node_program('bson_node_postgres_client.js', 'pg', 'bson'),
	'JDBC with bson' => java_program('BsonJdbc', ['bson'], 'PgObjectId'),
	'Active Record with bson' => ruby_program('bson_active_record_client.rb', 'active_record', 'bson'),
	'pgx with bson' => go_program('bson_pgx_client', 'bson_pgx'),
	'database/sql with bson' => go_program('bson_database_sql_client', 'bson_pgx'));

# What each program says, and what some say besides
my %common = (
	'given' => '507f1f77bcf86cd799439011',
	'generated' => '24',
	'equal' => 'given',
	'in' => 'given other',
	'after' => 'other',
	'typed' => 'given',
	'within' => 'given other',
	'bulk' => '1000',
	'bigint' => '3909527353407050753 53438054401281',
	'made' => 'same',
	'invalid' => '22P02');
my %arrays = (
	'any' => 'given other',
	'array' => '507f1f77bcf86cd799439011 507f1f77bcf86cd799439012',
	'json' => '507f1f77bcf86cd799439011');
my %without_arrays = (
	'GORM' => {},
	'Kysely' => {},
	'Sequelize' => {},
	'TypeORM' => { 'migration' => '0' },
	'PDO' => {},
	'Doctrine' => { 'migration' => 'ObjectIdType' },
	'Eloquent' => { 'json' => '507f1f77bcf86cd799439011', 'string' => '"3909527353407050753"' });
my %special = (
	'libpq' => { 'binary' => '12 same' },
	'psycopg 2' => { 'feed' => '0 0' },
	'psycopg 3' => { 'copy' => 'copied', 'feed' => '0 0' },
	'node-postgres' => { 'exact numbers' => 'false true', 'exact text' => 'true true', 'feed' => '0 0' },
	'Django' => { 'form' => 'true', 'form reference' => 'None 507f1f77bcf86cd799439011 item', 'reference' => 'None 507f1f77bcf86cd799439011' },
	'SQLAlchemy' => { 'in empty' => '0', 'no extension' => 'on' },
	'JDBC' => { 'array of text' => '42883', 'feed' => '0 0' },
	'Active Record' => { 'schema.rb' => 'photo', 'string' => '"3909527353407050753"' },
	'pgx' => { 'feed' => '0 0', 'string' => '"id":"3909527353407050753"' });

# What those with the type of MongoDB's driver say
my %native = (
	'given' => '507f1f77bcf86cd799439011',
	'generated' => 'true',
	'equal' => 'given',
	'any' => 'given other',
	'in' => 'given other',
	'after' => 'other',
	'text' => 'same',
	'binary' => 'same',
	'text any' => 'given other',
	'binary any' => 'given other',
	'in empty' => '0',
	'null' => 'true',
	'binary null' => 'true',
	'no id' => 'true',
	'arrays' => 'same',
	'async' => 'same',
	'nested' => 'same',
	'contains' => 'given nested',
	'element' => '507f1f77bcf86cd799439011',
	'array' => '507f1f77bcf86cd799439011 507f1f77bcf86cd799439012',
	'invalid' => 'not found',
	'copy' => '507f1f77bcf86cd799439013');
my @sqlalchemy = ('text', 'in', 'in empty', 'generated', 'arrays', 'nested', 'contains', 'element');
my %labels = (
	'psycopg 3 with bson' => [ 'text', 'text any', 'binary', 'binary any', 'copy', 'generated', 'async' ],
	'SQLAlchemy with bson' => \@sqlalchemy,
	'SQLAlchemy with psycopg 3 and bson' => \@sqlalchemy,
	'node-postgres with bson' => [ 'text', 'binary', 'any', 'generated', 'nested' ],
	'JDBC with bson' => [ 'text', 'binary', 'any', 'generated', 'null', 'binary null' ],
	'Active Record with bson' => [ 'text', 'in', 'after', 'generated', 'invalid' ],
	'pgx with bson' => [ 'text', 'in', 'generated', 'null' ]);

# The same with each driver of database/sql
my %by_driver = map { my $driver = $_; map { ("$driver $_" => $native{$_}) } 'text', 'any', 'null', 'no id', 'array' } 'postgres', 'pgx';

sub expected
{
	my ($client) = @_;
	return \%by_driver if $client =~ /^database/;
	return { map { $_ => $native{$_} } 'given', @{ $labels{$client} } } if $labels{$client};
	return { 'migration' => '0' } if $client eq 'Alembic';
	return { %common, %{ $without_arrays{$client} } } if $without_arrays{$client};
	return { %common, %arrays, %{ $special{$client} // {} } };
}

# JDBC has no Unix sockets.
sub is_java { return $_[0] =~ /^JDBC/ }

# Who comes by the network needs a password that nobody else knows.
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "listen_addresses = '127.0.0.1'");
unlink $node->data_dir . '/pg_hba.conf';
$node->append_conf('pg_hba.conf', "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
# OIDs that are no int
$node->command_ok([ 'pg_resetwal', '-o', '4000000000', $node->data_dir ], 'a server of some age');
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

	local %ENV = (%ENV, PGHOST => is_java($client) ? '127.0.0.1' : $node->host, PGPORT => $node->port,
		PGUSER => $user, PGPASSWORD => $password, PGDATABASE => $database,
		DRIVER => $client =~ /psycopg 3/ ? 'psycopg' : 'psycopg2', PRISMA_CLIENT => "$build/prisma_client");
	my ($out, $err) = ('', '');
	IPC::Run::run($clients{$client}, '<', \undef, '>', \$out, '2>', \$err);
	is($?, 0, "$client runs") or diag($err);
	is_deeply({ parse($out) }, expected($client), "$client finds what it put") or diag($out);
}

# A line is a label, of one word or more, and what was found.
sub parse
{
	my ($output) = @_;
	my $labels = join '|', sort { length $b <=> length $a } keys %common, keys %arrays, keys %native, keys %by_driver, map { keys %$_ } values %special, values %without_arrays;
	$labels =~ s/\./\\./g;
	return map { s/^True$/true/r } $output =~ /^($labels) (.*)$/mg;
}

# What the page on clients quotes is in these programs.
my $programs = join '', map { slurp_file($_) } glob("$dir/*");
my @quoted = slurp_file('docs/clients.md') =~ /^```(?:python|js|java|ruby|php|go|c|prisma)\n(.*?)^```$/gms;
my @invented = grep { index($programs, $_) < 0 } @quoted;
ok(@quoted > 6, 'the page on clients quotes programs');
is("@invented", '', 'all that it quotes is run');

foreach my $client (sort grep { !$clients{$_} } keys %clients)
{
	SKIP: { skip "$client is not installed (the head of t/082_clients.pl names its packages)", 2; }
}
ok($count > 0, 'there are clients');

done_testing();
