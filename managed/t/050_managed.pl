# The functions for servers without C, held against the extension: the same results and
# errors for the same input in two databases.  They belong to an ordinary role.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $file = "$FindBin::RealBin/../snowflake.sql";
my $node = start_server('main', conf => "max_prepared_transactions = 10\n");
$node->safe_psql('postgres', q{
CREATE ROLE app LOGIN;
CREATE DATABASE managed;
ALTER DATABASE managed SET search_path = app;
});
$node->safe_psql('managed', 'CREATE SCHEMA app AUTHORIZATION app');

# A statement in one of the databases
sub extension { return $node->safe_psql('postgres', $_[0]); }
sub managed { return $node->safe_psql('managed', "SET SESSION AUTHORIZATION app;\n$_[0]"); }
sub install { return $node->psql('managed', "SET SESSION AUTHORIZATION app;\n" . slurp_file($file), on_error_stop => 1); }

is(install(), 0, 'an ordinary role installs the file');
is(install(), 0, 'and again, as an upgrade does');
is(managed('SHOW search_path'), 'app', 'which leaves search_path alone');

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

done_testing();
