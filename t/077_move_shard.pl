# examples/sharding/move_shard: three schemas go from one server to another and back
# while clients write to them; the program and the servers are killed before each step.
# No row is lost or twice, no id is issued twice, and no definition is missing.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use IPC::Run;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\blong\b/;
my $directory = start_server('directory', conf => 'wal_level = replica');
if ($directory->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'dblink'") == 0)
{
	$directory->stop;
	plan skip_all => 'dblink is not installed (on Red Hat and its kin postgresqlNN-contrib)';
}
my %server = map { $_ => start_server($_, allows_streaming => 'logical', conf => "max_connections = 50\nwal_retrieve_retry_interval = 100ms\ndeadlock_timeout = 10s") } 'a', 'b';
my %conninfo = map { $_ => $server{$_}->connstr('postgres') } 'a', 'b';
my $program = 'examples/sharding/move_shard';

sub on { my ($place, $sql) = @_; return $server{$place}->safe_psql('postgres', $sql); }


# ---- Three shards ---------------------------------------------------------------

my %shard = (
	5 => {
		schema => 'shard_5', file => 'examples/sharding/shard.sql',
		write => 'INSERT INTO shard_5.photo (title) VALUES (%L) RETURNING id',
		rows => 'SELECT id, title AS token FROM shard_5.photo',
		take => q{SELECT next_snowflake('shard_5.photo_id', 5, 'instagram')},
		others => 'SELECT count(*) FROM shard_5.photo WHERE id IS NULL',
	},
	6 => {
		schema => 'Shard 6', file => 't/lib/odd_shard.sql',
		write => 'SELECT "Shard 6".place_order(%L)',
		rows => q{SELECT id, token FROM "Shard 6"."Order" AS o WHERE token !~ '^old'
			AND (SELECT count(*) FROM "Shard 6".line WHERE order_id = o.id) = 3},
		take => q{SELECT nextval('"Shard 6"."Order_id_seq"')},
		others => q{SELECT (SELECT md5(string_agg(o::text, ',' ORDER BY id)) FROM "Shard 6"."Order" AS o WHERE token LIKE 'old%'),
			(SELECT string_agg(i::text, ',' ORDER BY i) FROM "Shard 6".by_index AS i), (SELECT count(*) FROM "Shard 6".nothing),(SELECT string_agg(t::text, ',') FROM U&"Shard 6".U&"of two\000alines" AS t),
			(SELECT string_agg(l::text, ',') FROM "Shard 6".archived_log AS l), (SELECT string_agg(r::text, ',' ORDER BY id) FROM "Shard 6".ranking AS r),
			(SELECT last_value FROM "Shard 6"."Line Number") IS NULL},
	},
	7 => {
		schema => 'insta7', file => 't/lib/forum_shard.sql',
		write => 'SELECT insta7.post(%L)',
		rows => q{SELECT id, raw AS token FROM insta7.posts JOIN insta7.post_search_data ON id = post_id},
		take => q{SELECT next_shard_id(7, nextval('insta7.table_id_seq'))},
		others => q{SELECT (SELECT string_agg(username, ',' ORDER BY username) FROM insta7.users), (SELECT array_agg(version ORDER BY version) FROM insta7.schema_migrations),
			(SELECT sum(posts_count) FROM insta7.topics) - (SELECT count(*) FROM insta7.posts),
			(SELECT sum(posts_count) FROM insta7.user_stats) - (SELECT count(*) FROM insta7.posts)},
	});

$_->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE ROLE "Owner"; CREATE PUBLICATION feed; CREATE PUBLICATION whole WITH (publish = \'insert\')') foreach $directory, values %server;
$directory->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $directory->connstr('postgres'), '-f', 'examples/sharding/routes.sql' ], 'a table of routes');

# The definitions without what tells the server or the time, in any schema
sub definitions
{
	my ($place, $schema) = @_;
	my $dump;
	IPC::Run::run([ 'pg_dump', '--schema-only', "--schema=\"$schema\"", '-d', $conninfo{$place} ], '>', \$dump) or die 'pg_dump failed';
	return $dump =~ s/^\\(?:un)?restrict .*\n//mgr;
}

sub publications { return on($_[0], 'SELECT pubname, tablename, attnames, rowfilter FROM pg_publication_tables ORDER BY 1, 2'); }

foreach my $number (sort keys %shard)
{
	my $shard = $shard{$number};
	$shard->{place} = 'a';
	$server{a}->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-v', "shard=$number", '-d', $conninfo{a}, '-f', $shard->{file} ], $shard->{file});
	$directory->safe_psql('postgres', "INSERT INTO shard_route VALUES ($number, \$\$$conninfo{a}\$\$)");
	$shard->{definitions} = definitions('a', $shard->{schema});
	$shard->{others_before} = on('a', $shard->{others});
}
my ($ret, $out, $err) = $server{a}->psql('postgres', q{INSERT INTO shard_5.photo VALUES (make_snowflake(now(), 6, 1, 'instagram'), 'of shard 6')});
like($err, qr/violates check constraint/, 'a row of another shard is refused');
my $published = publications('a');


# ---- The program ----------------------------------------------------------------
#
# It stops before a step, a command that asks a server for something, and waits.  The
# step is known by its number or by how it begins.

my $dir = PostgreSQL::Test::Utils::tempdir('steps');
append_to_file("$dir/trap.sh", <<'END');
if [ "${0##*/}" = move_shard ]; then
	set -o functrace
	steps=0
	before_command() {
		[ "$BASHPID" = $$ ] || return 0
		case ${FUNCNAME[1]-} in ask | wait_until | open_session | set_shard_clock) return 0 ;; esac
		case $BASH_COMMAND in *'ask '* | *wait_until* | set_shard_clock | *'(definitions'* | *contents* | *'"${psql'*) ;; *) return 0 ;; esac
		steps=$((steps + 1))
		printf '%s\n' "${BASH_COMMAND%%$'\n'*}" >>"$STEPS/all"
		case $steps:$BASH_COMMAND in "$STOP_AT":* | *:"$STOP_AT"*) ;; *) return 0 ;; esac
		echo "$$ $BASH_COMMAND" >"$STEPS/new"
		mv "$STEPS/new" "$STEPS/reached"
		while [ -e "$STEPS/reached" ] && [ ! -e "$STEPS/go" ]; do sleep 0.01; done
	}
	trap before_command DEBUG
fi
END

sub options
{
	my ($number, $from, $to) = @_;
	return ("--schema=$shard{$number}{schema}", "--source=$conninfo{$from}", "--target=$conninfo{$to}",
		'--directory=' . $directory->connstr('postgres'), "--shard=$number");
}

my $moves = 0;

sub start_move
{
	my ($stop_at, @options) = @_;
	my %move = (out => '', err => '', dir => "$dir/" . ++$moves);
	mkdir $move{dir};
	local %ENV = (%ENV, BASH_ENV => "$dir/trap.sh", STEPS => $move{dir}, STOP_AT => $stop_at);
	$move{run} = IPC::Run::start([ $program, @options ], '<', \undef, '>', \$move{out}, '2>', \$move{err});
	return \%move;
}

# Returns the process and the command that it is about to run.
sub wait_for_step
{
	my ($move) = @_;
	sleep 0.01 while !-e "$move->{dir}/reached" && $move->{run}->pump_nb;
	-e "$move->{dir}/reached" or die "the step was not reached: $move->{err}";
	return slurp_file("$move->{dir}/reached") =~ /(\d+) (.*)/;
}

sub go_on { append_to_file("$_[0]{dir}/go", ''); }

# Returns its status.
sub end_move
{
	my ($move) = @_;
	$move->{run}->finish;
	return $move->{run}->full_result(0);
}

sub steps_of { return split /\n/, slurp_file("$_[0]{dir}/all"); }

sub elsewhere { return $shard{ $_[0] }{place} eq 'a' ? 'b' : 'a'; }

sub move
{
	my $move = start_move(0, @_);
	my $status = end_move($move);
	return ($status, $move->{out}, $move->{err});
}

my $leftovers = q{SELECT (SELECT count(*) FROM pg_subscription), (SELECT count(*) FROM pg_publication WHERE pubname LIKE 'move%'), (SELECT count(*) FROM pg_replication_slots),
	(SELECT count(*) FROM pg_replication_origin), (SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'move%')};

sub is_at
{
	my ($number, $from, $to, $name) = @_;
	my $schema = $shard{$number}{schema};
	my $there = join ' ', $directory->safe_psql('postgres', "SELECT server FROM shard_route WHERE shard = $number"),
	  map { on($_, "SELECT to_regnamespace('\"$schema\"') IS NOT NULL"), on($_, $leftovers) } $to, $from;
	is($there, "$conninfo{$to} t 0|0|0|0|0 f 0|0|0|0|0", "$name: the shard is on $to only, and nothing is left of the move");
	$shard{$number}{place} = $to;
}


# ---- Clients --------------------------------------------------------------------
#
# A client asks for the route, writes, and notes the id that it gets.  What it has noted
# can be read from then on.  Then it takes an id without a row.

$directory->safe_psql('postgres', q{
	CREATE EXTENSION dblink;
	CREATE TABLE ledger (shard int, token text, id bigint);
	CREATE TABLE taken (shard int, id bigint);
	CREATE TABLE missed (shard int, token text);
	CREATE TABLE refused (code text, message text);
	CREATE TABLE done ();
	CREATE FUNCTION ask(number int, query text) RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		RETURN (SELECT r.result FROM dblink((SELECT server || ' user=app' FROM shard_route WHERE shard = number), query) AS r (result bigint));
	EXCEPTION WHEN OTHERS THEN
		INSERT INTO refused VALUES (SQLSTATE, SQLERRM);
		RETURN NULL;
	END $$;
});

sub client
{
	my ($number) = @_;
	my $shard = $shard{$number};
	return qq{
	DO \$\$
	DECLARE
		new_token text;
		new_id bigint;
		old_token text;
	BEGIN
		WHILE NOT EXISTS (SELECT FROM done) LOOP
			new_token := gen_random_uuid();
			INSERT INTO ledger VALUES ($number, new_token);
			COMMIT;
			new_id := ask($number, format(\$_\$$shard->{write}\$_\$, new_token));
			UPDATE ledger SET id = new_id WHERE token = new_token;
			INSERT INTO taken SELECT $number, id FROM ask($number, \$_\$$shard->{take}\$_\$) AS id WHERE id IS NOT NULL;
			COMMIT;
			IF old_token IS NOT NULL AND ask($number, format(\$_\$SELECT count(*) FROM ($shard->{rows}) AS r WHERE token = %L\$_\$, old_token)) <> 1 THEN
				INSERT INTO missed VALUES ($number, old_token);
			END IF;
			COMMIT;
			IF new_id IS NOT NULL THEN
				old_token := new_token;
			END IF;
			PERFORM pg_sleep(0.01);
		END LOOP;
	END \$\$;};
}

my @clients = map { start_client($directory, client($_)) } sort keys %shard;

sub wait_for_rows
{
	my ($number) = @_;
	my $sql = "FROM ledger WHERE shard = $number AND id IS NOT NULL";
	my $count = $directory->safe_psql('postgres', "SELECT count(*) $sql");
	$directory->poll_query_until('postgres', "SELECT count(*) >= $count + 3 $sql") or die 'no rows any more';
}


# ---- Moves ----------------------------------------------------------------------

my $page_shows = join '', slurp_file('docs/sharding.md') =~ /^    move_shard .*\n.* --dry-run\n\n((?: {4}.*\n)+)\nWithout .*\n\n((?: {4}.*\n)+)/m;

# Nothing goes wrong.
sub move_well
{
	my ($number) = @_;
	my ($from, $to) = ($shard{$number}{place}, elsewhere($number));
	my $move = start_move(0, options($number, $from, $to));
	is(end_move($move) . " $move->{err}", '0 ', "$shard{$number}{schema} is moved to $to");
	is_at($number, $from, $to, $shard{$number}{schema});
	return $move;
}

# There, and in the long form back
my (%steps, @commands);
foreach my $to ('b', $long ? 'a' : ())
{
	foreach my $number (sort keys %shard)
	{
		wait_for_rows($number);
		my $move = move_well($number);
		is($move->{out} =~ s/^/    /mgr =~ s/\d+ kB/472 kB/r, $page_shows, 'it prints what the page shows') if $number == 5;
		@commands = steps_of($move);
		$steps{@commands} = 1;
		wait_for_rows($number);
		is(definitions($to, $shard{$number}{schema}), $shard{$number}{definitions}, 'the definitions are the same');
		is(on($to, $shard{$number}{others}), $shard{$number}{others_before}, 'and the rows');
	}
	is(publications($to), $published, 'and publications publish the same');
}
is(keys %steps, 1, 'all take the same steps');
my ($copying) = grep { $commands[ $_ - 1 ] eq 'ask T' } 1 .. @commands;
my ($asking) = grep { $commands[ $_ - 1 ] =~ /\$is_followed/ } 1 .. @commands;

# Something goes wrong before a step, and then the move goes on or is undone.
sub interrupt
{
	my ($step, $number, $what, $then) = @_;
	my ($from, $to) = ($shard{$number}{place}, elsewhere($number));
	my $name = "$shard{$number}{schema}, step $step, $what killed, $then";
	my $victim = $what eq 'source' ? $server{$from} : $server{$to};
	my $move = start_move($step, options($number, $from, $to));
	my ($pid, $command) = wait_for_step($move);
	if ($what eq 'program') { kill 9, $pid; }
	else { kill_server($victim); }
	go_on($move);
	my $status = end_move($move) == 0 ? 0 : 1;
	$victim->start unless $what eq 'program';
	note "$name: $command; $status";

	my ($stdout, $stderr) = ('', '');
	if ($status != 0 && $then eq 'undone')
	{
		($status, $stdout, $stderr) = move(options($number, $from, $to), '--abort');
		is_at($number, $to, $from, $name) if $status == 0;
		return if $status == 0;
		like($stderr, qr/run it again without --abort/, "$name: it is too late");
	}
	($status, $stdout, $stderr) = move(options($number, $from, $to)) if $status != 0;
	if ($stderr =~ /without a slot/)	# rarely; see below
	{
		note $stderr;
		is((move(options($number, $from, $to), '--abort'))[0], 0, "$name: it is undone");
		($status, $stdout, $stderr) = move(options($number, $from, $to));
	}
	is("$status $stderr", '0 ', "$name: it is done");
	is_at($number, $from, $to, $name);
}

# In the short form some of them, with each victim and each shard, and where the source
# is lost while the target waits for the rows of a table, or before it says which tables can be followed
my $round = 0;
foreach my $step (1 .. @commands)
{
	foreach my $what ('program', 'source', 'target')
	{
		$round++;
		next unless $long || $round % 29 == 1 || $what eq 'source' && ($step == $copying || $step == $asking);
		interrupt($step, (sort keys %shard)[ $step % 3 ], $what, $round % 2 ? 'repeated' : 'undone');
	}
}

$directory->safe_psql('postgres', 'INSERT INTO done DEFAULT VALUES');
foreach my $client (@clients)
{
	ok($client->{run}->finish, 'a session ends without another error') or diag(slurp_file($client->{errors}));
}


# ---- What there is in the end ---------------------------------------------------

is($directory->safe_psql('postgres', 'TABLE missed'), '', 'what was written could be read at once');
note $directory->safe_psql('postgres', 'SELECT code, count(*), min(message) FROM refused GROUP BY 1');
is($directory->safe_psql('postgres', q{SELECT code, message FROM refused
	WHERE code NOT IN ('42P01', '42883', '3F000', '2200H', '22008') AND code NOT LIKE '08%' AND code NOT LIKE '57P%'
	  AND message !~ 'could not open relation with OID|cache lookup failed'}),
	'', 'clients saw no errors but that the shard or the server is not there');

foreach my $number (sort keys %shard)
{
	my $shard = $shard{$number};
	my (%id, %seen);
	my @rows = map { [ split /\|/ ] } split /\n/, on($shard->{place}, $shard->{rows});
	my @problems;
	foreach my $row (grep { $_->[1] =~ /^\w{8}-/ } @rows)
	{
		push @problems, "token $row->[1] twice" if $id{ $row->[1] };
		push @problems, "id $row->[0] twice" if $seen{ $row->[0] }++;
		$id{ $row->[1] } = $row->[0];
	}
	foreach my $id (split /\n/, $directory->safe_psql('postgres', "SELECT id FROM taken WHERE shard = $number"))
	{
		push @problems, "id $id twice" if $seen{$id}++;
	}
	my %unknown = %id;
	my ($sure, $unsure) = (0, 0);
	foreach my $line (split /\n/, $directory->safe_psql('postgres', "SELECT token, id FROM ledger WHERE shard = $number"))
	{
		my ($token, $id) = split /\|/, $line;
		push @problems, "token $token has id " . ($id{$token} // 'none') . " instead of $id" if $id && ($id{$token} // '') ne $id;
		$id ? $sure++ : $unsure++;
		delete $unknown{$token};
	}
	push @problems, "token $_ of nobody" foreach keys %unknown;
	is(join("\n", @problems), '', "$shard->{schema}: each row once, each id once ($sure rows, $unsure refused)");
	is(definitions($shard->{place}, $shard->{schema}), $shard->{definitions}, 'the same definitions');
	is(on($shard->{place}, $shard->{others}), $shard->{others_before}, 'the same rows as at first');
}


# ---- Without clients ------------------------------------------------------------

# Run a move up to a step, do something, and let it go on.
sub stopped_move
{
	my ($number, $step, $do) = @_;
	my ($from, $to) = ($shard{$number}{place}, elsewhere($number));
	my $move = start_move($step, options($number, $from, $to));
	wait_for_step($move);
	$do->($from, $to);
	go_on($move);
	my $status = end_move($move);
	$shard{$number}{place} = $to if $status == 0;
	return ($status, $move->{err});
}

# Ids go on above those from the old place, even if they are ahead of the clock.
my $next_id = q{INSERT INTO shard_5.photo (title) VALUES ('ahead') RETURNING id};
on($shard{5}{place}, q{SELECT setval('shard_5.photo_id', make_snowflake(now() + interval '1 hour', 5, 0, 'instagram'))});
my $last_id = on($shard{5}{place}, $next_id);
move_well(5);
cmp_ok(on($shard{5}{place}, $next_id), '>', $last_id, 'the next id is above the last from the old place');

# What it would do
my ($status, $stdout, $stderr) = move(options(6, $shard{6}{place}, elsewhere(6)), '--dry-run');
is("$status $stderr", '0 ', 'a dry run');
like($stdout, qr/^"Shard 6"."Order", \d+ kB: copied, then followed\n(?:.*\n)*"Shard 6".session, \d+ kB: copied while writes wait, unlogged\n(?:.*\n)*"Shard 6".per_status: refreshed\n/,
	'it says what it would do');
is(on($_, $leftovers), '0|0|0|0|0', "and leaves nothing on $_") foreach 'a', 'b';

# Those who wait for the locks: by name, through a view and a parsed function that know
# the table already, and for a sequence.  Readers do not wait.
my @waiting;
($status, $stderr) = stopped_move(6, 'answer=$(ask S ', sub {
	my ($from, $to) = @_;
	@waiting = map { start_client($server{$from}, $_) } (
		q{INSERT INTO "Shard 6"."Order" (token) VALUES ('late')},
		q{INSERT INTO "Shard 6".open_order (token) VALUES ('late')},
		q{SELECT * FROM "Shard 6".pay('old 1')},
		q{SELECT nextval('"Shard 6"."Order_id_seq"')});
	$server{$from}->poll_query_until('postgres', q{SELECT count(*) = 4 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}) or die 'clients do not wait';
	is(on($from, q{SELECT count(*) > 300 FROM "Shard 6"."Order"}), 't', 'readers do not wait');
});
is("$status $stderr", '0 ', 'the shard is moved while clients wait');
my @errors = map { $_->{run}->finish; slurp_file($_->{errors}) =~ s/^.*ERROR: +//sr =~ s/\n.*//sr } @waiting;
is(join("\n", @errors), join("\n", 'relation "Shard 6.Order" does not exist', ('the schema was moved to another database') x 2,
		'nextval: reached maximum value of sequence "Order_id_seq" (9223372036854775807)'), 'and then get errors');
is(on($shard{6}{place}, q{SELECT count(*) FROM "Shard 6"."Order" WHERE token = 'late' OR "Status" = 'paid'}), '0', 'and have changed nothing');

# What is not equal stops it, and the source goes on.
sub is_stopped
{
	my ($message, $status, $stderr) = @_;
	isnt($status, 0, 'it stops');
	like($stderr, $message, 'and says why');
	on($shard{6}{place}, q{SELECT "Shard 6".place_order(gen_random_uuid()::text)});
}
is_stopped(qr/^< "Shard 6"\.every_column\|2\|.*^> "Shard 6"\.every_column\|1\|.*rows, sequences or publications of source \(<\) and target \(>\) differ/ms,
	stopped_move(6, 'compare_contents', sub { on($_[1], q{DELETE FROM "Shard 6".every_column WHERE a = 1}) }));

# Nor is it held up by a target that hangs, here over the rows of that attempt, when the program is gone.
my ($from, $to) = ($shard{6}{place}, elsewhere(6));
my $hang = $server{$to}->background_psql('postgres');
$hang->query_safe('BEGIN; SELECT FROM "Shard 6".every_column FOR UPDATE');
my $move = start_move(0, options(6, $from, $to));
my $sessions = q{FROM pg_stat_activity WHERE application_name = 'move_shard'};
$server{$to}->poll_query_until('postgres', "SELECT count(*) = 1 $sessions AND wait_event_type = 'Lock'") or die 'it does not wait';
is(on($from, "SELECT count(*) > 0 $sessions AND state = 'idle in transaction'"), 't', 'the source is locked');
$move->{run}->signal('KILL');
ok($server{$from}->poll_query_until('postgres', "SELECT count(*) = 0 $sessions"), 'it goes on');
$hang->quit;
end_move($move);
$server{$to}->poll_query_until('postgres', "SELECT count(*) = 0 $sessions") or die 'a session is left';

is_stopped(qr/the definitions have changed meanwhile/,
	stopped_move(6, 'answer=$(ask S ', sub { on($_[0], q{CREATE FUNCTION "Shard 6".added() RETURNS int RETURN 1}) }));
is_stopped(qr/^< CREATE FUNCTION "Shard 6"\.added\(\).*the definitions of source \(<\) and target \(>\) differ/ms,
	(move(options(6, $from, $to)))[ 0, 2 ]);
on($from, 'DROP FUNCTION "Shard 6".added');
($status, $stdout, $stderr) = move(options(6, $from, $to), '--abort');
is("$status $stderr", '0 ', 'it is undone');
is_at(6, $to, $from, 'undone');

# A crash of either server after the copy of a table can leave what is made here.
is_stopped(qr/without a slot for the copy of a table\n.*Run it again with --abort/, stopped_move(6, 'wait_until T "$ready"', sub {
	my $place = $_[1];
	$server{$place}->poll_query_until('postgres', q{SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel}) or die 'it is not copied';
	on($place, q{INSERT INTO pg_replication_origin SELECT 1000, format('pg_%s_%s', srsubid, srrelid) FROM pg_subscription_rel WHERE srrelid = '"Shard 6"."Order"'::regclass;
		UPDATE pg_subscription_rel SET srsubstate = 'f' WHERE srrelid = '"Shard 6"."Order"'::regclass});
}));
is((move(options(6, $from, $to), '--abort'))[0], 0, 'it is undone');
is_at(6, $to, $from, 'undone');

# Between two databases of one server; the directory's has wal_level = replica.  A
# client's settings are not those of the database, and all that is there is published.
foreach my $node ($directory, $server{ $shard{6}{place} })
{
	my ($schema, $database) = $node == $directory ? ('insta7', 'one') : ('Shard 6', 'postgres');
	my $from = $node->connstr($database);
	foreach my $new ($node == $directory ? 'one' : (), 'other')
	{
		$node->safe_psql('postgres', "CREATE DATABASE $new TEMPLATE template0 LOCALE 'C'" . ($node == $directory && " ENCODING 'UTF8'"));
		$node->safe_psql($new, q{CREATE EXTENSION objectid_ext; CREATE PUBLICATION feed; CREATE PUBLICATION whole WITH (publish = 'insert')});
	}
	if ($node == $directory)
	{
		$node->command_ok([ 'psql', '-Xq', '-d', $from, '-f', 't/lib/forum_shard.sql' ], 'a schema');
		$node->safe_psql('one', q{CREATE TABLE insta7.U&"gr\00f6\00dfe" AS SELECT U&'\00e9' AS letter; ALTER ROLE CURRENT_USER IN DATABASE one SET client_encoding = 'LATIN1'});
	}
	$node->safe_psql('other', 'CREATE PUBLICATION all_tables FOR ALL TABLES');
	my $ahead = q{SELECT setval('shard_id_reservation', (extract(epoch FROM now() + interval '1 minute') * 1000000)::bigint)};
	my $last = $schema eq 'insta7' && $node->safe_psql('one', "$ahead \\g /dev/null\nSELECT insta7.post('ahead')");
	($status, $stdout, $stderr) = move("--schema=$schema", "--source=$from", '--target=' . $node->connstr('other'));
	is("$status $stderr", '0 ', "$schema is moved within one server");
	like($stdout, $node == $directory ? qr/posts, \d+ \w+: copied while writes wait, wal_level is not logical/ : qr/The target copies the tables and follows/, 'as it can be');
	is($node->safe_psql($database, $leftovers), '0|0|0|0|0', 'and nothing is left');
	cmp_ok($node->safe_psql('other', "SELECT insta7.post('later')"), '>', $last, 'the next id is above the last from the old place') if $last;
	is($node->safe_psql('other', "SELECT to_regnamespace('\"$schema\"') IS NOT NULL"), 't', 'it is there');
}


# ---- What it refuses ------------------------------------------------------------

on('a', q{
	CREATE ROLE here;
	CREATE PUBLICATION here;
	CREATE PUBLICATION everything FOR ALL TABLES;
	CREATE SCHEMA elsewhere;
	CREATE TABLE elsewhere.country (code text PRIMARY KEY);
	CREATE SEQUENCE elsewhere.numbers;
	CREATE TABLE elsewhere.parent (i int);
	CREATE SCHEMA blocked;
	CREATE EXTENSION dblink SCHEMA blocked;
	CREATE TABLE blocked.photo (id bigint PRIMARY KEY DEFAULT nextval('elsewhere.numbers'), country text CONSTRAINT made_in REFERENCES elsewhere.country, data oid);
	CREATE TABLE blocked.child () INHERITS (elsewhere.parent);
	CREATE FUNCTION blocked.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER always BEFORE INSERT ON blocked.photo FOR EACH ROW EXECUTE FUNCTION blocked.f();
	ALTER TABLE blocked.photo ENABLE ALWAYS TRIGGER always;
	CREATE VIEW elsewhere.photos AS TABLE blocked.photo;
	ALTER TABLE blocked.child OWNER TO here;
	ALTER PUBLICATION here ADD TABLE blocked.photo;
	SELECT lo_create(0);
	SELECT pg_create_physical_replication_slot('used_' || i) FROM generate_series(1, 9) AS i});
on('b', q{CREATE PUBLICATION everything; CREATE SCHEMA blocked; CREATE TABLE blocked.photo (id bigint PRIMARY KEY); CREATE PUBLICATION there FOR TABLE blocked.photo});
on('a', "CREATE SUBSCRIPTION writes CONNECTION \$\$$conninfo{b}\$\$ PUBLICATION there WITH (create_slot = false, enabled = false, slot_name = s, copy_data = false)");
my @where = ('--schema=blocked', "--source=$conninfo{a}", "--target=$conninfo{b}");
my @directory = ('--directory=' . $directory->connstr('postgres'), '--shard=99');
($status, $stdout, $stderr) = move(@where, @directory);
is($stderr, q{a default of table blocked.photo uses sequence elsewhere.numbers
column data of table blocked.photo can refer to large objects
extension dblink has objects in the schema
foreign key made_in of table blocked.photo refers to another schema
foreign-data wrapper dblink_fdw depends on the schema
rule _RETURN on view elsewhere.photos depends on the schema
subscription writes writes to table blocked.photo
table blocked.child is a child of table elsewhere.parent
trigger always of table blocked.photo fires for copied rows, too
role here is not on the target
publication here is not on the target
publication everything of all tables is not on the target
the source has fewer than two free replication slots
the directory has no route of shard 99
the target has a schema "blocked"
move_shard: stopped.  Nothing has been changed.
}, 'what is in the way');
isnt($status, 0, 'and nothing is done');
on('a', q{DROP PUBLICATION everything; SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_type = 'physical'});
is(on('a', $leftovers), '1|0|0|1|0', 'nothing at all');

# What is found by trying
on('b', 'DROP PUBLICATION everything, there; DROP SCHEMA blocked CASCADE');
on('a', q{CREATE SCHEMA needy; CREATE TABLE needy.t (id int PRIMARY KEY, parent elsewhere.country)});
($status, $stdout, $stderr) = move('--schema=needy', "--source=$conninfo{a}", "--target=$conninfo{b}");
like($stderr, qr/schema "elsewhere" does not exist.*Nothing has been changed/s, 'a type of another schema is not on the target');
is(join(' ', map { on($_, $leftovers) } 'a', 'b'), '1|0|0|1|0 0|0|0|0|0', 'and nothing is done');
on('a', "ALTER SUBSCRIPTION writes SET (slot_name = NONE); DROP SUBSCRIPTION writes");

$directory->command_fails_like([ $program, @where, '--source=host=/nowhere' ], qr/cannot connect to source and target as a superuser/, 'a server that is not there');
$directory->command_fails_like([ $program, @where, "--target=$conninfo{a}" ], qr/source and target are one database/, 'one database');
$directory->command_fails_like([ $program, @where, "--target=$conninfo{b} password=secret", @directory ], qr/the route would contain a password/, 'a password');
$directory->command_fails_like([ $program, @where, $directory[0] ], qr/--directory and --shard go together/, 'a directory without a shard');
$directory->command_fails_like([ $program, @where, "--target=$conninfo{b} options='-c work_mem=4MB'" ], qr/a CONNINFO has options/, 'options of its sessions');
$directory->command_fails_like([ $program, @where, '--dry-run', '--abort' ], qr/--dry-run and --abort exclude each other/, 'two actions');
$directory->command_fails_like([ $program, @where, '--move' ], qr/unknown option --move/, 'an unknown option');
$directory->command_fails_like([ $program, '--schema=nowhere', @where[ 1, 2 ] ], qr/the source has no schema "nowhere"/, 'no such schema');
$directory->command_fails_like([ $program, '--schema=nowhere', @where[ 1, 2 ], '--abort' ], qr/the source has no schema "nowhere"/, 'nor to undo');
$directory->command_like([ $program, '--help' ], qr/^Usage: move_shard /, 'help');

$_->stop foreach $directory, values %server;
done_testing();
