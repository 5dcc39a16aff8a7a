# The functions for servers without C, held against the extension: the same results and
# errors for the same input in two databases.  They belong to an ordinary role.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $file = "$FindBin::RealBin/../snowflake.sql";
my $node = start_server('main', conf => "max_prepared_transactions = 10\n");
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE DATABASE managed; ALTER DATABASE managed SET search_path = app;');
$node->safe_psql('managed', 'CREATE SCHEMA app AUTHORIZATION app');

# A statement in one of the databases
sub extension { return $node->safe_psql('postgres', $_[0]); }
sub managed { return $node->safe_psql('managed', "SET SESSION AUTHORIZATION app;\n$_[0]"); }
sub install { return $node->psql('managed', "SET SESSION AUTHORIZATION app;\n" . slurp_file($file), on_error_stop => 1); }

is(install(), 0, 'an ordinary role installs the file');
is(install(), 0, 'and again, as an upgrade does');
is(managed('SHOW search_path'), 'app', 'which leaves search_path alone');

# In a transaction it leaves what SET LOCAL, or CREATE EXTENSION, has set to that; in a
# session of one transaction for each statement, what SET has set.
my $source = slurp_file($file);
my $elsewhere = q{SET SESSION AUTHORIZATION app; SET search_path = one;};
$node->safe_psql('managed', 'CREATE SCHEMA one AUTHORIZATION app; CREATE SCHEMA "a $$ b" AUTHORIZATION app');
is($node->safe_psql('managed', qq{$elsewhere BEGIN; SET LOCAL search_path = "a \$\$ b";\n$source;\nCOMMIT; SHOW search_path;
	SELECT "a \$\$ b".snowflake_within(5, '(,)', 'twitter')}), "one\nt", 'SET LOCAL, and a name with $$');
is($node->safe_psql('managed', "SET SESSION AUTHORIZATION app; SET search_path = one, pg_temp;\n$source;\n$source;\nSHOW search_path;"),
	'one, pg_temp', 'without a transaction, twice');

# The result of a statement, or its error
my $try = <<'SQL';
SET timezone = 'UTC';
CREATE FUNCTION pg_temp.try(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
    detail text;
    hint text;
BEGIN
    EXECUTE statement INTO result;
    RETURN result;
EXCEPTION WHEN others THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' | ', sqlstate, sqlerrm, nullif(detail, ''), nullif(hint, ''));
END;
$$;
SQL

# The same for a query of statements
sub same
{
	my ($name, $query, $setup) = @_;
	my $sql = $try . ($setup // '') . "SELECT translate(statement, E'\n\t', '  '), translate(pg_temp.try(statement), E'\n', '~') FROM ($query) s(statement);";
	my ($extension, $managed) = (extension($sql), managed($sql));
	my @expected = split /\n/, $extension;
	my @got = split /\n/, $managed;
	my @different = grep { $expected[$_] ne ($got[$_] // '') } 0 .. $#expected;
	cmp_ok(scalar @expected, '>', 0, "$name: statements");
	is(scalar @got, scalar @expected, "$name: as many results");
	is(@different + 0, 0, "$name: " . @expected . ' results');
	diag("extension: $expected[$_]\nmanaged:   $got[$_]") foreach grep { defined } @different[0 .. 4];
	return;
}

same('presets', q{SELECT 'SELECT (l.layout, parts, time_bits, node_bits, sequence_bits, tick, epoch, ids_per_second, last_instant)::text
	FROM snowflake_layouts() l OFFSET ' || i || ' LIMIT 1' FROM generate_series(0, 7) i});

# Text of layouts: each is decoded, which shows its parts, or is an error
same('layouts', q{
SELECT format('SELECT (snowflake_parts(4611686018427387904 >> %s, %L), snowflake_floor(''infinity'', %2$L), snowflake_ceiling(''2026-05-05Z'', %2$L))::text', shift, layout)
FROM generate_series(0, 40, 8) shift, (SELECT parts FROM snowflake_layouts() UNION ALL SELECT unnest(ARRAY[
	'', 'Twitter', 'TWITTER;start=random', 'twitter ', ' twitter', 'tweeter', 'twitter;', 'twitter;start=random ', 'twitter;start=0',
	'twitter;start=random;start=random', ';start=random', 'tweeter;start=random', 'time:', 'time:x', 'time:41', 'time:411', 'time:41,',
	'time:41,node:10,seq:12', 'time:41,node:10,seq:12;tick=1ms', 'time:41;tick', 'time:41;tick=', 'time:41;tick=ms', 'time:41;tick=1', 'time:41;tick=1m',
	'time:41;tick=1ms;epoc', 'time:41,node:10,seq:12,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:41,node:10,node:12;tick=1ms;epoch=2026-01-01T00:00:00Z',
	'time:41,shard:10;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:41, node:10;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:-1;tick=1ms;epoch=2026-01-01T00:00:00Z',
	'time:041,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:41;tick=12345678901us;epoch=2026-01-01T00:00:00Z',
	'node:10,time:41,seq:12;tick=1ms;epoch=2026-01-01T00:00:00Z', E'time:41;tick=1ms;epoch=2026-01-01T00:00:00Z\n', E'twitter\n',
	'time:41;tick=1ms;epoch=2026-01-01', 'time:41;tick=1ms;epoch=2026-01-01 00:00:00Z', 'time:41;tick=1ms;epoch=2026-01-01T00:00:00',
	'time:41;tick=1ms;epoch=2026-01-01T00:00:00+00', 'time:41;tick=1ms;epoch=2026-01-01T00:00:00.Z', 'time:41;tick=1ms;epoch=2026-01-01T00:00:00.1234567Z',
	'time:41;tick=1ms;epoch=2026-02-29T00:00:00Z', 'time:41;tick=1ms;epoch=2024-02-29T00:00:00Z', 'time:41;tick=1ms;epoch=1900-02-29T00:00:00Z',
	'time:41;tick=1ms;epoch=2026-04-31T00:00:00Z', 'time:41;tick=1ms;epoch=2026-13-01T00:00:00Z', 'time:41;tick=1ms;epoch=2026-00-01T00:00:00Z',
	'time:41;tick=1ms;epoch=2026-01-00T00:00:00Z', 'time:41;tick=1ms;epoch=2026-12-32T00:00:00Z', 'time:41;tick=1ms;epoch=2026-12-31T00:00:00Z',
	'time:41;tick=1ms;epoch=2026-01-01T24:00:00Z', 'time:41;tick=1ms;epoch=2026-01-01T00:60:00Z', 'time:41;tick=1ms;epoch=2026-01-01T00:00:60Z',
	'time:41;tick=1ms;epoch=0000-01-01T00:00:00Z', 'time:41;tick=1ms;epoch=10000-01-01T00:00:00Z', 'time:41;tick=1ms;epoch=2026-01-01T00:00:00Z ',
	'time:41;tick=1ms;start=random;epoch=2026-01-01T00:00:00Z', 'time:41,seq:1;tick=1ms;epoch=2026-01-01T00:00:00Z;start=random',
	'time:41,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z;start=random', 'time:0,node:10;tick=1ms;epoch=2026-01-01T00:00:00Z',
	'time:41,node:13,seq:11;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:65;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:64;tick=1ms;epoch=2026-01-01T00:00:00Z',
	'time:30,node:32;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:30,seq:32;tick=1ms;epoch=2026-01-01T00:00:00Z', 'time:41;tick=0ms;epoch=2026-01-01T00:00:00Z',
	'time:41;tick=3600s;epoch=2026-01-01T00:00:00Z', 'time:41;tick=3601s;epoch=2026-01-01T00:00:00Z', 'time:41;tick=9999999999s;epoch=2026-01-01T00:00:00Z',
	'time:63;tick=1us;epoch=9999-12-31T23:59:59.999999Z', 'time:63;tick=1us;epoch=9999-12-31T23:59:59.999998Z', 'time:1,node:31,seq:31;tick=1000us;epoch=2024-02-29T12:34:56.007Z',
	'time:40,node:24;tick=1s;epoch=0001-01-01T00:00:00Z', 'time:40,node:0,seq:24;tick=1000ms;epoch=1969-12-31T23:59:59.5Z', 'time:40,seq:0,node:24;tick=1500us;epoch=2026-01-01T00:00:00.000Z'])) l(layout)});

# Random layouts, times in them, at their ends and far outside, fields that fit and that
# do not
my $random = q{
SELECT setseed(0.7);
CREATE FUNCTION pg_temp.some(VARIADIC choices text[]) RETURNS text LANGUAGE sql AS 'SELECT choices[1 + floor(random() * cardinality(choices))]';
CREATE FUNCTION pg_temp.upto(max float) RETURNS bigint LANGUAGE sql AS 'SELECT floor(random() * (max + 1))::bigint';
CREATE TEMP TABLE input AS
SELECT i, CASE WHEN i % 3 = 0 THEN pg_temp.some('instagram', 'twitter', 'discord', 'sonyflake', 'mastodon', 'pgedge', 'js53') ELSE
	'time:' || 30 + pg_temp.upto(20) || replace(pg_temp.some('', ',node:N', ',seq:S', ',node:N,seq:S', ',seq:S,node:N'), 'N', pg_temp.upto(9)::text)
	|| ';tick=' || pg_temp.some('1us', '7us', '1ms', '1500us', '10ms', '1s', '60s', '3600s')
	|| ';epoch=' || to_char('1800-01-01'::timestamp + random() * 300 * interval '1 year', 'YYYY-MM-DD"T"HH24:MI:SS' || pg_temp.some('', '.MS', '.US') || '"Z"') END AS layout
FROM generate_series(1, 3000) i;
UPDATE input SET layout = replace(layout, 'S', pg_temp.upto(12)::text);
UPDATE input SET layout = layout || ';start=random' WHERE i % 7 = 0;
ALTER TABLE input ADD ts text, ADD node bigint, ADD seq bigint, ADD id bigint;
UPDATE input SET ts = pg_temp.some('infinity', '-infinity', '4713-01-01 BC', '294276-12-31', '9999-12-31 23:59:59.999999Z', '10000-01-01Z',
	('1990-01-01'::timestamptz + random() * 100 * interval '1 year')::text, ('1990-01-01'::timestamptz + random() * 100 * interval '1 year')::text,
	('1800-01-01'::timestamptz + random() * 8000 * interval '1 year')::text, ('2026-01-01'::timestamptz + pg_temp.upto(1000) * interval '1 ms')::text),
	node = pg_temp.some('0', '1', '-1', pg_temp.upto(20)::text, pg_temp.upto(3000)::text)::bigint,
	seq = pg_temp.some('0', '1', '-1', pg_temp.upto(20)::text, pg_temp.upto(5000)::text)::bigint,
	id = pg_temp.some('0', '-1', '9223372036854775807', '-9223372036854775808', (2 ^ (random() * 62))::bigint::text, (2 ^ (40 + random() * 22))::bigint::text)::bigint;
};
same('random input', q{
SELECT format(call, layout, ts, node, seq, id, bounds) FROM input, unnest(ARRAY[
	'SELECT make_snowflake(%2$L, %3$s, %4$s, %1$L)',
	'SELECT snowflake_parts(%5$L, %1$L)::text',
	'SELECT snowflake_timestamp(%5$L, %1$L)',
	'SELECT snowflake_node(%5$L, %1$L)',
	'SELECT snowflake_sequence(%5$L, %1$L)',
	'SELECT snowflake_floor(%2$L, %1$L)',
	'SELECT snowflake_ceiling(%2$L, %1$L)',
	'SELECT ROW(snowflake_lower(r, %1$L), snowflake_upper(r, %1$L), snowflake_within(%5$L, r, %1$L), snowflake_within(snowflake_lower(r, %1$L), r, %1$L))::text
	FROM (VALUES (tstzrange(LEAST(%2$L, timestamptz ''2020-01-01''), GREATEST(%2$L, timestamptz ''2020-01-01''), %6$L))) v(r)',
	'SELECT ROW(snowflake_lower(r, %1$L), snowflake_upper(r, %1$L))::text FROM (VALUES (tstzrange(%2$L, %2$L, %6$L)), (tstzrange(NULL, %2$L, %6$L)), (tstzrange(%2$L, NULL, %6$L))) v(r) OFFSET abs(%4$s) %% 3 LIMIT 1'
	]) call, LATERAL (SELECT (ARRAY['[]', '[)', '(]', '()'])[1 + i % 4]) b(bounds)}, $random);

# Published ids, and the ends of the presets: sql/snowflake.sql has them as facts.
my ($facts) = slurp_file("$FindBin::RealBin/../../sql/snowflake.sql") =~ /^INSERT INTO fact VALUES\n(.*?);$/ms;
like(managed(qq{
CREATE TEMP TABLE fact (layout snowflake_layout, time timestamptz, node int, seq int, id bigint);
INSERT INTO fact VALUES $facts;
SELECT count(*), bool_and(make_snowflake(time, node, seq, layout) = id AND snowflake_parts(id, layout) = (time, node, seq)) FROM fact;}),
	qr/^(\d\d)\|t$/, 'published ids');
is(managed(q{SELECT make_snowflake(NULL, 0, 0, 'twitter') IS NULL AND make_snowflake(now(), 0, 0, NULL) IS NULL AND snowflake_parts(0, NULL) IS NULL
	AND snowflake_floor(NULL, 'twitter') IS NULL AND snowflake_within(NULL, '(,)', 'twitter') IS NULL AND snowflake_within(0, NULL, 'twitter') IS NULL
	AND snowflake_within(0, '(,)', NULL) IS NULL AND next_snowflake(NULL, 0, 'twitter') IS NULL}), 't', 'NULL gives NULL');

#
# next_snowflake
#

# The errors are those of the extension.
my $sequences = q{
CREATE SEQUENCE IF NOT EXISTS down INCREMENT -1;
CREATE SEQUENCE IF NOT EXISTS large INCREMENT 4097;
CREATE SEQUENCE IF NOT EXISTS late MINVALUE 9000000000000000000;
CREATE SEQUENCE IF NOT EXISTS "Short" AS integer;
CREATE SEQUENCE IF NOT EXISTS ended;
CREATE SEQUENCE IF NOT EXISTS one;
CREATE TABLE IF NOT EXISTS no_sequence ();
SELECT count(setval('ended', 9223372036854775807));
};
same('errors of next_snowflake', q{SELECT format('SELECT next_snowflake(%s, %L)', arguments, layout)
FROM unnest(ARRAY[$$'down', 5$$, $$'large', 5$$, $$'late', 5$$, $$'"Short"', 5$$, $$'ended', 5$$, $$'no_sequence', 5$$, $$'missing', 5$$,
	$$'one', -1$$, $$'one', 70000$$, $$'down', -1$$]) arguments, unnest(ARRAY['twitter', 'instagram', 'tweeter',
	'time:41,node:10,seq:12;tick=1ms;epoch=2999-01-01T00:00:00Z', 'time:10,node:10,seq:12;tick=1ms;epoch=2000-01-01T00:00:00Z']) layout
	WHERE arguments !~ 'no_sequence' /* core has other words there */ OR current_setting('server_version_num')::int / 10000 NOT IN (17, 18)}, $sequences);

is(managed(q{
CREATE SEQUENCE clock;
CREATE TABLE taken AS SELECT i, next_snowflake('clock', 5, 'twitter') AS id FROM generate_series(1, 20000) i;
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE step <= 0), bool_and(snowflake_node(id, 'twitter') = 5),
	snowflake_timestamp(min(id), 'twitter') > now() - interval '1 min', snowflake_timestamp(max(id), 'twitter') <= clock_timestamp(),
	max(id) = (SELECT last_value FROM clock)
FROM (SELECT id, id - lag(id) OVER (ORDER BY i) AS step FROM taken) s;}),
	'20000|20000|0|t|t|t|t', 'ids ascend, are those of the node and do not lead the clock');

# With INCREMENT k an id has k slots, in one tick and of one node, whatever CACHE says.
foreach ([ 'twitter', 50, 1, 1 ], [ 'twitter', 50, 10, 1 ], [ 'sonyflake', 10, 1, 65536 ], [ 'twitter;start=random', 3000, 1, 1 ], [ 'js53', 256, 1, 1 ])
{
	my ($layout, $increment, $cache, $slot) = @$_;
	is(managed(qq{
		CREATE SEQUENCE block INCREMENT $increment CACHE $cache;
		SELECT count(*), count(*) FILTER (WHERE step < $increment * ${slot}::bigint), bool_and(a.node = 3 AND b.node = 3 AND a.created = b.created), bool_and(set_to = last_id)
		FROM (SELECT id, id - lag(id) OVER () AS step, id + ($increment - 1) * ${slot}::bigint AS last_id, pg_sequence_last_value('block') AS set_to
			FROM (SELECT next_snowflake('block', 3, '$layout') AS id FROM generate_series(1, 100)) i) s,
			snowflake_parts(id, '$layout') a, snowflake_parts(last_id, '$layout') b;
		DROP SEQUENCE block;}) =~ s/\|[tf]$//r, '100|0|t', "INCREMENT $increment CACHE $cache, $layout");
}

# After a full tick the next one, if the clock is there; a value that was set and not
# called is the first; and a value that nextval() took is not given.
is(managed(q{SELECT count(*), bool_and(id > set_to), bool_and(snowflake_node(id, layout) = node), bool_and(snowflake_sequence(id, layout) = 0)
	FROM (SELECT layout, node, set_to, setval('clock', set_to), next_snowflake('clock', node, layout) AS id
		FROM snowflake_layouts(), LATERAL (VALUES (0), ((1 << node_bits) - 1)) n(node),
		LATERAL (SELECT snowflake_ceiling(clock_timestamp() + tick + interval '100 ms', layout)) s(set_to)) f}), '14|t|t|t', 'a full tick');
is(managed(q{
	SELECT setval('clock', make_snowflake(clock_timestamp() + interval '1 hour', 7, 9, 'twitter'), false) AS set_to \gset
	SELECT next_snowflake('clock', 7, 'twitter') - :set_to, next_snowflake('clock', 7, 'twitter') - :set_to;
	SELECT nextval('clock') - :set_to, next_snowflake('clock', 7, 'twitter') - :set_to;}), "0|1\n2|3", 'in turn with setval() and nextval()');
is(managed(q{
	SELECT setval('clock', make_snowflake(clock_timestamp() + interval '1 hour', 5, 0, 'js53')) AS ahead \gset
	SELECT next_snowflake('clock', 5, 'js53') - :ahead;
	SELECT (max(id) >> 12) - (min(id) >> 12) BETWEEN 4 AND 6 FROM (SELECT next_snowflake('clock', 5, 'js53') AS id FROM generate_series(1, 5 * 256)) s;
	SELECT count(setval('clock', 1));}), "1\nt\n1", 'an hour ahead of the clock: ids of one tick after the other');

# If the clock is behind, a warning says so.
my ($ret, $out, $err) = $node->psql('managed', q{
	SELECT setval('clock', make_snowflake(clock_timestamp() + interval '9600 hours', 5, 0, 'twitter'));
	SELECT next_snowflake('clock', 5, 'twitter') FROM generate_series(1, 3);
	SELECT setval('clock', 1), next_snowflake('clock', 5, 'twitter');});
like($err, qr/^\S* WARNING:  clock is 34559\d{3} seconds behind the last id of sequence "clock"\nDETAIL: .*\nHINT:  .*another layout\.$/,
	'a warning, once in a session, that ids lead the clock by more than a year');

# The lock does not outlive the call: other sessions do not wait for the transaction,
# which can be prepared; what is rolled back, or cancelled, does not come again.
my $session = $node->background_psql('managed', on_error_stop => 0);
$session->query_safe('SET SESSION AUTHORIZATION app');
my @ids = $session->query_safe(q{BEGIN; SELECT next_snowflake('clock', 5, 'twitter'); SAVEPOINT s; SELECT next_snowflake('clock', 5, 'twitter');
	ROLLBACK TO s; SELECT next_snowflake('clock', 5, 'twitter');}) =~ /(\d+)/g;
push @ids, managed(q{SET statement_timeout = '60s'; SELECT next_snowflake('clock', 5, 'twitter')});
is($node->safe_psql('managed', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'}), 0, 'no lock is left in a transaction');
push @ids, $session->query_safe(q{SELECT next_snowflake('clock', 5, 'twitter'); PREPARE TRANSACTION 'p'});
push @ids, managed(q{SELECT next_snowflake('clock', 5, 'twitter'); COMMIT PREPARED 'p'; SELECT next_snowflake('clock', 5, 'twitter');}) =~ /(\d+)/g;
is(not_above(0, @ids), 0, @ids . ' ids of savepoints, two sessions and a prepared transaction ascend');
my $slow = q{'clock', 1, 'time:40,node:1,seq:2;tick=60s;epoch=2020-01-01T00:00:00Z'};
($ret, $out, $err) = $node->psql('managed', qq{SELECT setval('clock', 1); SET statement_timeout = '300ms'; SELECT count(next_snowflake($slow)) FROM generate_series(1, 100);});
like($err, qr/canceling statement due to statement timeout/, 'a wait for the clock can be cancelled');
is($node->safe_psql('managed', q{SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'}), 0, 'which leaves no lock');

# A pooler hands a session from client to client, and resets it.
is(managed(join("\n", "SELECT setval('clock', 1);", (qq{SELECT next_snowflake('clock', 5, 'twitter'); DISCARD ALL; SET search_path = app;}) x 3))
	=~ s/\d{15,}/id/gr, "1\nid\nid\nid", 'DISCARD ALL between ids');

# USAGE and UPDATE of the sequence are required, and the schema's USAGE.
$node->safe_psql('managed', q{CREATE ROLE reader; GRANT reader TO app; GRANT USAGE ON SCHEMA app TO reader});
foreach ([ '', 'permission denied' ], [ 'USAGE', 'permission denied' ], [ 'UPDATE', 'permission denied' ], [ 'SELECT', 'permission denied' ],
	[ 'SELECT, UPDATE', '' ], [ 'USAGE, UPDATE', '' ])
{
	my ($privileges, $error) = @$_;
	managed('REVOKE ALL ON SEQUENCE clock FROM reader;' . ($privileges && "GRANT $privileges ON SEQUENCE clock TO reader"));
	($ret, $out, $err) = $node->psql('managed', q{SET ROLE reader; SELECT next_snowflake('clock', 5, 'twitter')});
	like($err, $error ? qr/ERROR:  $error for sequence clock/ : qr/^$/, 'privileges: ' . ($privileges || 'none'));
}
($ret, $out, $err) = $node->psql('managed', q{\set VERBOSITY sqlstate
	BEGIN READ ONLY; SELECT next_snowflake('clock', 5, 'twitter')});
like($err, qr/25006/, 'not in a read-only transaction');

# No session queues for the lock: it would get it while it sleeps, and all would wait.
my $holder = $node->background_psql('managed');
$holder->query_safe(q{SET search_path = app; SELECT pg_advisory_lock(8317708086450520064 | 'clock'::regclass::oid::bigint)});
my $waiting = start_client($node, q{SET SESSION AUTHORIZATION app; SELECT next_snowflake('clock', 5, 'twitter')}, 1, 'managed');
$node->poll_query_until('managed', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%next_snowflake%' AND pid <> pg_backend_pid() AND wait_event IS NOT NULL AND state = 'active'});
is($node->safe_psql('managed', 'SELECT count(*) FROM pg_locks WHERE NOT granted'), 0, 'no session queues for the lock');
$holder->quit;
is(scalar(seen_ids($waiting)), 1, 'and gets an id when it is free');

#
# snowflake_within uses the index.
#
managed(q{
	CREATE TABLE event (id bigint PRIMARY KEY);
	INSERT INTO event SELECT make_snowflake('2026-01-01Z'::timestamptz + i * interval '1 hour', 1, 0, 'twitter') FROM generate_series(1, 20000) i;
	ANALYZE event;});
foreach (
	[ 'constants', q{}, q{SELECT count(*) FROM event WHERE snowflake_within(id, '[2026-02-01Z,2026-02-02Z)', 'twitter')}, 24 ],
	[ 'parameters', q{SET plan_cache_mode = force_generic_plan; PREPARE day (timestamptz, text) AS
		SELECT count(*) FROM event WHERE snowflake_within(id, tstzrange($1, $1 + interval '1 day'), $2);}, q{EXECUTE day ('2026-02-01Z', 'twitter')}, 24 ],
	[ 'now()', q{}, q{SELECT count(*) >= 0 FROM event WHERE snowflake_within(id, tstzrange(now() - interval '1 day', NULL), 'twitter')}, 't' ])
{
	my ($name, $before, $query, $result) = @$_;
	like(managed("$before EXPLAIN (COSTS OFF) $query"), qr/Index Cond: \(\(id >= .*\) AND \(id <= .*\)\)/, "$name: an index condition");
	is(managed("$before $query"), $result, "$name: the result");
}

#
# A role that can create objects in the schema cannot put its own in the place of what
# the functions call.
#
is($node->psql('managed', "SET ROLE reader;\n" . slurp_file($file), on_error_stop => 1), 3, 'who cannot create objects in the schema cannot install');
($ret, $out, $err) = $node->psql('managed', "SET search_path = missing;\n" . slurp_file($file), on_error_stop => 1);
like($err, qr/no schema has been selected to create in\nHINT:  Create the schema that search_path names/, 'nor is another schema taken in place of one that does not exist');
$node->safe_psql('managed', 'CREATE ROLE other; GRANT CREATE, USAGE ON SCHEMA app TO other');
($ret, $out, $err) = $node->psql('managed', "SET ROLE other;\n" . slurp_file($file), on_error_stop => 1);
like($err, qr/schema "app" has functions or types for snowflakes that belong to another role/, 'nor can who would replace those of another');

# All calls are of pg_catalog or of the file.  Operators, and functions of the file, are
# not found in pg_catalog alone: there is one in the schema for each choice of types that
# is similar to that of the file or of pg_catalog; and none is called.
my $bodies = managed(q{SELECT prosrc FROM pg_proc WHERE pronamespace = 'app'::regnamespace AND proname LIKE '%snowflake%'}) =~ s/'[^']*'|--.*//gr;
my %called = map { $_ => 1 } $bodies =~ /(?<![.\w])(\w+) ?\(/g;
is(join(' ', sort grep { !/snowflake/ } keys %called), join(' ', qw(COALESCE ELSE GREATEST IF LEAST OPERATOR RETURN THEN)),
	'no call of a function but those of pg_catalog and the file');
is($node->safe_psql('managed', q{
SET ROLE other;
SET search_path = app;
CREATE FUNCTION captured() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
DO $$
DECLARE
	types CONSTANT text[] := '{smallint,integer,bigint,numeric,"double precision",text,name,snowflake_layout,timestamptz,date,interval,boolean,oid}';
	operator text;
	a text;
	b text;
	f record;
	i integer;
	arguments text[];
BEGIN
	FOREACH a IN ARRAY types LOOP
		FOREACH b IN ARRAY types LOOP
			EXECUTE format('CREATE FUNCTION captured_operator(a %s, b %s) RETURNS bigint LANGUAGE sql AS ''SELECT app.captured()''', a, b);
			EXECUTE format('CREATE FUNCTION captured_comparison(a %s, b %s) RETURNS boolean LANGUAGE sql AS ''SELECT app.captured() > 0''', a, b);
			FOREACH operator IN ARRAY ARRAY['+', '-', '*', '/', '%', '&', '|', '<<', '>>', '||', '<', '<=', '>', '>=', '=', '<>', '~', '!~'] LOOP
				EXECUTE format('CREATE OPERATOR %s (FUNCTION = %s, LEFTARG = %s, RIGHTARG = %s)', operator,
					CASE WHEN operator ~ '[<>=~]' AND operator NOT IN ('<<', '>>') THEN 'captured_comparison' ELSE 'captured_operator' END, a, b);
			END LOOP;
		END LOOP;
	END LOOP;
	FOR f IN SELECT proname, proargtypes::oid[] AS types, pronargs FROM pg_proc
		WHERE pronamespace = 'app'::regnamespace AND proname LIKE '%snowflake%' AND pronargs > 0 LOOP
		-- One argument of another type, or all that are bigint
		FOR i IN 0 .. f.pronargs LOOP
			FOREACH a IN ARRAY types || ARRAY['regclass', 'record', 'anyelement', 'varchar'] LOOP
				SELECT array_agg(CASE WHEN ordinality = i OR i = 0 AND t = 'bigint'::regtype THEN a ELSE format_type(t, NULL) END ORDER BY ordinality) INTO arguments
				FROM unnest(f.types) WITH ORDINALITY u(t);
				BEGIN
					EXECUTE format('CREATE FUNCTION %s(%s) RETURNS bigint LANGUAGE plpgsql AS ''BEGIN RETURN app.captured(); END''', f.proname, array_to_string(arguments, ','));
				EXCEPTION WHEN duplicate_function THEN NULL;
				END;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
SELECT count(*) > 2500 FROM pg_operator WHERE oprnamespace = 'app'::regnamespace;
SELECT count(*) > 500 FROM pg_proc WHERE pronamespace = 'app'::regnamespace AND proname LIKE '%snowflake%'}), "t\nt", 'the traps are set');

# Nor can it have its own called by the role that installs the file.
$node->safe_psql('managed', q{CREATE SCHEMA shared AUTHORIZATION app; GRANT CREATE, USAGE ON SCHEMA shared TO other; SET ROLE other;
SET search_path = shared;
CREATE FUNCTION quote_ident(name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
CREATE FUNCTION format(text, name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
CREATE FUNCTION matches(name, name) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'captured'; END $$;
CREATE OPERATOR ~ (FUNCTION = matches, LEFTARG = name, RIGHTARG = name);});
is($node->psql('managed', "SET SESSION AUTHORIZATION app; SET search_path = shared;\n$source", on_error_stop => 1), 0, 'the installation calls nothing of others');

same('beside what others have put there', q{SELECT format(call, layout) FROM unnest(ARRAY[
	$$SELECT make_snowflake('2027-01-01Z'::timestamptz, 1, 2, %L::snowflake_layout)$$,
	$$SELECT make_snowflake('2010-01-01Z'::timestamptz, 1, 2, %L::snowflake_layout)$$,
	$$SELECT make_snowflake('2027-01-01Z'::timestamptz, -1, 2, %L::snowflake_layout)$$,
	$$SELECT snowflake_parts(123456789012345678::bigint, %L::snowflake_layout)::text$$,
	$$SELECT snowflake_floor('2027-01-01Z'::timestamptz, %L::snowflake_layout)$$,
	$$SELECT snowflake_within(123456789012345678::bigint, tstzrange('2020-01-01Z', '2027-01-01Z'), %L::snowflake_layout)$$,
	$$SELECT next_snowflake('one'::regclass, 5, %L::snowflake_layout) IS NOT NULL AND setval('one', 1) = 1$$,
	$$SELECT next_snowflake('down'::regclass, 5, %L::snowflake_layout)$$,
	$$SELECT next_snowflake('late'::regclass, 5, %L::snowflake_layout)$$,
	$$SELECT next_snowflake('ended'::regclass, 5, %L::snowflake_layout)$$]) call,
	unnest(ARRAY['twitter', 'sonyflake;start=random', 'js53', 'time:41,node:9,seq:12;tick=1500us;epoch=2026-01-01T00:00:00Z', 'time:41', 'time:0;tick=1s;epoch=2026-01-01T00:00:00Z']) layout});

done_testing();
