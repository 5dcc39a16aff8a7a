# From the functions of others to next_snowflake(), as docs/snowflake.md and
# docs/next-shard-id.md say, with other tables than there: Instagram's, Mastodon's and
# pgEdge's.  Sessions write all the time.
#
# Instagram's and Mastodon's functions can repeat ids by themselves, so what is counted are
# the ids from the first of next_snowflake() on.  pgEdge's extension is tested where it is
# installed.

use strict;
use warnings FATAL => 'all';

use FindBin;
use IPC::Run;
use lib "$FindBin::RealBin/lib";
use Document;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('main', conf => "snowflake.node = 7\ndeadlock_timeout = 10s");
$node->safe_psql('postgres', 'CREATE TABLE done ()');

#
# The functions, in our words, and how to leave them: as the page says, with other names
#

sub create_instagram
{
	my ($schema, $shard, $cache, $attributes) = @_;
	$_ //= '' foreach $cache, $attributes;
	$node->safe_psql('postgres', qq{
		CREATE SCHEMA $schema;
		CREATE SEQUENCE $schema."Id" $cache;
		CREATE FUNCTION $schema.id_of_shard(OUT result bigint) LANGUAGE plpgsql $attributes AS \$\$
		DECLARE
			number bigint := nextval('$schema."Id"') % 1024;
			milliseconds bigint := floor(extract(epoch FROM clock_timestamp()) * 1000) - 1314220021721;
		BEGIN
			result := (milliseconds << 23) | ($shard << 10) | number;
		END \$\$;
		CREATE TABLE $schema.upload (id bigint DEFAULT $schema.id_of_shard());
		CREATE TABLE $schema."Heart" ("N" text, id bigint DEFAULT $schema.id_of_shard());
		CREATE DOMAIN $schema."Key" AS bigint DEFAULT $schema.id_of_shard();
		CREATE TABLE $schema.tag (id $schema."Key", n int);
		CREATE TABLE $schema.other (id bigserial)});
	my %variables = (function => "$schema.id_of_shard", sequence => qq{$schema."Id"}, shard => $shard);
	my ($command) = slurp_file('docs/next-shard-id.md') =~ /^    (psql .* -f from_instagram\.sql)$/m or die 'the page does not call from_instagram.sql';
	my @command = map { s{^(\w+)=.*}{$1=$variables{$1}}r =~ s{^from}{examples/sharding/from}r } split / /, $command;
	return (\@command, "$schema.upload", qq{$schema."Heart"}, "$schema.tag");
}

# Those that are written on the page: psql runs them until they get their locks.
my ($mastodon, $pgedge) = map { $_->{text} } grep { ($_->{in} // '') eq 't/043_switch_generators.pl' } blocks('docs/snowflake.md');
my $files = PostgreSQL::Test::Utils::tempdir('recipes');

sub recipe
{
	my ($text, %names) = @_;
	foreach my $name (sort keys %names)
	{
		$text =~ s/\b$name\b/$names{$name}/g or die "the page does not name $name";
	}
	my $file = "$files/" . (values %names)[0];
	append_to_file($file, $text);
	return [ 'bash', '-c', "until psql -v ON_ERROR_STOP=1 \"\$@\" -f $file; do :; done", 'bash' ];
}

sub create_mastodon
{
	$node->safe_psql('postgres', q{
		CREATE FUNCTION timestamp_id(table_name text) RETURNS bigint LANGUAGE plpgsql AS $$
		DECLARE
			time_part bigint := (date_part('epoch', now()) * 1000)::bigint << 16;
			base bigint := ('x' || left(md5(table_name || 'secret' || time_part), 4))::bit(16)::bigint;
		BEGIN
			RETURN time_part | (base + nextval(table_name || '_id_seq') & 65535);
		END $$;
		CREATE SEQUENCE accounts_id_seq;
		CREATE TABLE accounts (id bigint DEFAULT timestamp_id('accounts'))});
	return (recipe($mastodon, statuses => 'accounts', statuses_id_seq => 'accounts_id_seq'), 'accounts');
}

sub create_pgedge
{
	$node->safe_psql('postgres', q{
		CREATE EXTENSION snowflake;
		CREATE SEQUENCE invoice_no;
		CREATE TABLE invoice (id bigint DEFAULT snowflake.nextval('invoice_no'))});
	return (recipe($pgedge, orders => 'invoice', orders_id_seq => 'invoice_no', 5 => 7), 'invoice');
}

sub start_switch
{
	my ($command) = @_;
	my %switch = (out => '', err => '');
	$switch{run} = IPC::Run::start([ @$command, '-XqAt', '-d', $node->connstr('postgres') ], '<', \undef, '>', \$switch{out}, '2>', \$switch{err});
	return \%switch;
}

# The last number that a switch has printed
sub end_switch
{
	my ($switch, $name) = @_;
	ok($switch->{run}->finish, "$name: the switch") or diag($switch->{err});
	return $switch->{out} =~ /(\d+)\s*\z/ ? $1 : 0;
}

#
# Six sessions that write to the tables, in either order, in one transaction or in several
#

sub start_writers
{
	my (@tables) = @_;
	$node->safe_psql('postgres', 'TRUNCATE done');
	return map {
		my $end = $_ % 3 ? ';' : '; COMMIT;';
		my $inserts = join ' ', map { "INSERT INTO $_ SELECT FROM generate_series(1, 20)$end" } $_ % 2 ? @tables : reverse @tables;
		start_client($node, "DO \$\$ BEGIN WHILE NOT EXISTS (SELECT FROM done) LOOP $inserts COMMIT; END LOOP; END \$\$")
	} 1 .. 6;
}

sub wait_for_rows
{
	my ($all) = @_;
	my $count = $node->safe_psql('postgres', "SELECT count(*) FROM ($all) a");
	$node->poll_query_until('postgres', "SELECT count(*) > $count + 2000 FROM ($all) a") or die 'no rows any more';
}

# Switch, while $waits is true of a session that waits for a transaction
sub test_switch
{
	my ($name, $layout, $waits, $command, @tables) = @_;
	my $all = join ' UNION ALL ', map { "SELECT id FROM $_" } @tables;

	my $open = $node->background_psql('postgres');
	$open->query_safe("PREPARE write AS INSERT INTO $tables[0] DEFAULT VALUES RETURNING id; EXECUTE write; BEGIN; EXECUTE write");
	my @writers = start_writers(@tables);
	wait_for_rows($all);
	my $killed = start_switch($command);
	$node->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $waits)") or die 'the switch does not wait';
	$killed->{run}->kill_kill;
	my $switch = start_switch($command);
	$node->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $waits)") or die 'the switch does not wait';
	wait_for_rows($all);
	my $old = $open->query_safe('EXECUTE write');
	$open->query_safe('COMMIT');
	my $first = end_switch($switch, $name);
	wait_for_rows($all);
	$node->safe_psql('postgres', 'INSERT INTO done DEFAULT VALUES');
	ok($_->{run}->finish, "$name: a writer ends without an error") or diag(slurp_file($_->{errors})) foreach @writers;
	cmp_ok($open->query_safe('EXECUTE write'), '>', $first, "$name: a statement that was prepared before gives new ids");
	$open->quit;

	my ($ids, $distinct, $wrong) = split /\|/, $node->safe_psql('postgres', qq{
		SELECT count(*) FILTER (WHERE id >= $first), count(DISTINCT id) FILTER (WHERE id >= $first),
			count(*) FILTER (WHERE abs(extract(epoch FROM snowflake_timestamp(id, '$layout') - now())) > 3600)
		FROM ($all) a});
	note "$name: $ids ids from $first on";
	cmp_ok($ids, '>', 2000, "$name: there are new ids");
	is($distinct, $ids, "$name: each once");
	is($wrong, 0, "$name: all ids are of the present");
	cmp_ok($old, '<', $first, "$name: above those of the transaction that was open") if $first;
}

# Rows that are ahead of the clock, in the last table; and no rows
sub test_ahead
{
	my ($name, $layout, $command, @tables) = @_;
	my $ahead = $node->safe_psql('postgres', "INSERT INTO $tables[-1] (id) VALUES (make_snowflake(now() + interval '1 hour', 0, 9, '$layout')) RETURNING id");
	end_switch(start_switch($command), "$name, ids ahead of the clock");
	foreach my $table (@tables)
	{
		cmp_ok($node->safe_psql('postgres', "INSERT INTO $table DEFAULT VALUES RETURNING id"), '>', $ahead, "$name: ids of $table are above the highest");
	}
}

my $sleeps = q{wait_event = 'PgSleep'};
my ($command, @tables) = create_instagram('"Insta 9"', 9);
test_switch('Instagram', 'instagram', $sleeps, $command, @tables);
is($node->safe_psql('postgres', q{SELECT count(*) FROM generate_series(1, 3000), LATERAL (SELECT "Insta 9".id_of_shard()) AS s (id) WHERE snowflake_node(id, 'instagram') = 9}),
	3000, 'Instagram: ids are of the shard');
end_switch(start_switch($command), 'Instagram, once more');
my ($invoked, @invoked_tables) = create_instagram('insta8191', 8191, 'CACHE 2');
test_ahead('Instagram', 'instagram', $invoked, @invoked_tables);
($command, @tables) = create_instagram('empty', 0, '', 'SECURITY DEFINER SET search_path = pg_catalog');
{
	local $ENV{PGOPTIONS} = '-c search_path=empty';
	s/^sequence=empty\./sequence=/ foreach @$command;
	end_switch(start_switch($command), 'Instagram, tables without rows, and a sequence without its schema');
}
$node->safe_psql('postgres', "CREATE ROLE app; GRANT USAGE ON SCHEMA empty TO app; GRANT SELECT, INSERT ON $tables[0] TO app");
is($node->safe_psql('postgres', "SET ROLE app; INSERT INTO $tables[0] DEFAULT VALUES RETURNING snowflake_timestamp(id, 'instagram') BETWEEN now() - interval '1 min' AND now() + interval '1 min'"),
	't', 'Instagram: the function keeps its attributes, and its ids are of the present');

# A role that may see no row
$node->safe_psql('postgres', qq{
	CREATE ROLE owner LOGIN;
	ALTER FUNCTION empty.id_of_shard OWNER TO owner;
	ALTER SEQUENCE empty."Id" OWNER TO owner;
	GRANT ALL ON SCHEMA empty TO owner;
	GRANT SELECT ON ALL TABLES IN SCHEMA empty TO owner;
	ALTER TABLE empty.tag ENABLE ROW LEVEL SECURITY});
{
	local @ENV{qw(PGUSER PGOPTIONS)} = ('owner', '-c search_path=empty');
	my $switch = start_switch($command);
	ok(!$switch->{run}->finish, 'Instagram: a switch that may not see all rows fails');
	like($switch->{err}, qr/row-level security policy for table "tag"/, 'it says why');
}

# The body names the schema of the extension.
$node->safe_psql('postgres', 'REVOKE USAGE ON SCHEMA public FROM PUBLIC; GRANT INSERT (n) ON insta8191.tag TO app');
foreach ([ $invoked, 'app' ], [ $command, 'owner' ])
{
	local $ENV{PGOPTIONS} = '-c search_path=empty';
	my $switch = start_switch($_->[0]);
	ok(!$switch->{run}->finish, "Instagram: a switch after which $_->[1] could not call the function fails");
	like($switch->{err}, qr/ERROR:  first, GRANT USAGE ON SCHEMA public TO $_->[1]\n/, 'it says why');
}
$node->safe_psql('postgres', 'GRANT USAGE ON SCHEMA public TO PUBLIC');

my $locks = q{wait_event_type = 'Lock' AND query LIKE 'ALTER TABLE%'};
($command, @tables) = create_mastodon();
test_switch('Mastodon', 'mastodon', $locks, $command, @tables);
$node->safe_psql('postgres', q{ALTER TABLE accounts ALTER id SET DEFAULT timestamp_id('accounts')});
test_ahead('Mastodon', 'mastodon', $command, @tables);

SKIP:
{
	skip 'snowflake is not installed (pgEdge)', 11 unless $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'snowflake'");
	test_switch('pgEdge', 'pgedge', $locks, create_pgedge());
}

$node->stop;
done_testing();
