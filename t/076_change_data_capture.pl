# Change data capture: what test_decoding, pgoutput, wal2json and decoderbufs print
# of objectids, with each replica identity; and subscriptions whose columns have
# another type.  docs/change-data-capture.md says what is seen here.
#
# On Debian, postgresql-NN-wal2json and postgresql-15-decoderbufs have two of the
# output plugins.  What is not installed is skipped.

use strict;
use warnings FATAL => 'all';

use FindBin;
use JSON::PP;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @id = map { '507f1f77bcf86cd79943901' . $_ } 0 .. 9;
my $settings = "max_logical_replication_workers = 10\nmax_worker_processes = 20\n";
my $publisher = start_server('publisher', allows_streaming => 'logical', conf => $settings);
my $subscriber = start_server('subscriber', allows_streaming => 'logical', conf => $settings);
my $version = $publisher->safe_psql('postgres', 'SHOW server_version_num');

sub publish { return $publisher->safe_psql('postgres', shift) }

# A superuser can name the libraries that a role with REPLICATION may use.
my $listed = 'output_plugin_libraries';
if (publish("SELECT count(*) FROM pg_settings WHERE name = '$listed'"))
{
	publish("ALTER SYSTEM SET $listed = pgoutput, test_decoding, wal2json, decoderbufs");
	$publisher->reload;
	$publisher->poll_query_until('postgres', "SELECT current_setting('$listed') ~ 'wal2json'") or die "no $listed";
}

# The tables, and a slot of each plugin that there is
publish(q{
	CREATE TABLE by_key (id objectid PRIMARY KEY, name text, related objectid[],
		as_text text GENERATED ALWAYS AS (id::text) STORED);
	CREATE TABLE by_index (name text PRIMARY KEY, id objectid NOT NULL);
	CREATE UNIQUE INDEX by_index_id ON by_index (id);
	ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_id;
	CREATE TABLE by_row (id objectid, name text);
	ALTER TABLE by_row REPLICA IDENTITY FULL;
	CREATE PUBLICATION captured FOR TABLE by_key, by_index, by_row;
});
my %has;
foreach my $plugin (qw(test_decoding pgoutput wal2json decoderbufs))
{
	my ($status, $out, $err) = $publisher->psql('postgres', "SELECT pg_create_logical_replication_slot('$plugin', '$plugin')");
	$has{$plugin} = $status == 0;
	like($err, qr/could not access file "$plugin"/, "$plugin is not installed") if $status != 0;
}
foreach my $table (qw(by_key by_index by_row))
{
	publish(qq{
		INSERT INTO $table (id, name) VALUES ('$id[1]', 'one');
		UPDATE $table SET name = 'changed';
		UPDATE $table SET id = '$id[2]';
		DELETE FROM $table;
	});
}
publish("INSERT INTO by_key (id, related) VALUES ('$id[3]', '{$id[4],NULL}')");

# The rows that a plugin prints
sub captured
{
	my ($plugin, %options) = @_;
	my $options = join '', map { ", '$_', '$options{$_}'" } sort keys %options;
	return split /\n/, publish("SELECT encode(data, 'hex') FROM pg_logical_slot_peek_binary_changes('$plugin', NULL, NULL$options)");
}

sub captured_text { return map { pack 'H*', $_ } captured(@_) }

my $key = "id[objectid]:'$id[1]'";
my $new_key = "id[objectid]:'$id[2]'";
SKIP:
{
	skip 'test_decoding is not installed (it is in contrib of PostgreSQL)', 1 unless $has{test_decoding};
	is(join("\n", grep { /^table/ } captured_text('test_decoding')),
		<<"END" =~ s/\n\z//r, 'test_decoding');
table public.by_key: INSERT: $key name[text]:'one' related[objectid[]]:null as_text[text]:'$id[1]'
table public.by_key: UPDATE: $key name[text]:'changed' related[objectid[]]:null as_text[text]:'$id[1]'
table public.by_key: UPDATE: old-key: $key new-tuple: $new_key name[text]:'changed' related[objectid[]]:null as_text[text]:'$id[2]'
table public.by_key: DELETE: $new_key
table public.by_index: INSERT: name[text]:'one' $key
table public.by_index: UPDATE: name[text]:'changed' $key
table public.by_index: UPDATE: old-key: $key new-tuple: name[text]:'changed' $new_key
table public.by_index: DELETE: $new_key
table public.by_row: INSERT: $key name[text]:'one'
table public.by_row: UPDATE: old-key: $key name[text]:'one' new-tuple: $key name[text]:'changed'
table public.by_row: UPDATE: old-key: $key name[text]:'changed' new-tuple: $new_key name[text]:'changed'
table public.by_row: DELETE: $new_key name[text]:'changed'
table public.by_key: INSERT: id[objectid]:'$id[3]' name[text]:null related[objectid[]]:'{$id[4],NULL}' as_text[text]:'$id[3]'
END
}

# What pgoutput sends, by the section "Logical Replication Message Formats" of
# PostgreSQL's documentation.  A value in binary is shown as b:hexadecimal.
sub tuple
{
	my ($message) = @_;
	my @values;
	foreach (1 .. unpack 'n', substr $$message, 0, 2, '')
	{
		my $kind = substr $$message, 0, 1, '';
		my $value = $kind =~ /[tb]/ ? substr $$message, 0, unpack('N', substr $$message, 0, 4, ''), '' : '';
		push @values, $kind eq 't' ? $value : $kind eq 'b' ? 'b:' . unpack('H*', $value) : $kind;
	}
	return "(@values)";
}

my %name;

sub decoded
{
	my ($message) = @_;
	my ($kind, $relation) = unpack 'aN', $message;
	if ($kind =~ /[RY]/)
	{
		(undef, undef, my $schema, $name{$relation}) = unpack 'aNZ*Z*', $message;
		return $kind eq 'Y' ? "type $schema.$name{$relation}" : ();
	}
	return () unless $kind =~ /[IUD]/;
	my $text = "$name{$relation} $kind";
	substr $message, 0, 5, '';
	$text .= " $1" . tuple(\$message) while $message =~ s/\A([KON])//;
	return $text;
}

sub pgoutput
{
	my @messages = map { decoded(pack 'H*', $_) } captured('pgoutput', proto_version => 1, publication_names => 'captured', @_);
	my %seen;
	return join "\n", grep { !/^type/ || !$seen{$_}++ } @messages;
}

# Until 17 it leaves out generated columns.
is(pgoutput(), <<"END" =~ s/\n\z//r, 'pgoutput');
type public.objectid
type public._objectid
by_key I N($id[1] one n)
by_key U N($id[1] changed n)
by_key U K($id[1] n n) N($id[2] changed n)
by_key D K($id[2] n n)
by_index I N(one $id[1])
by_index U N(changed $id[1])
by_index U K(n $id[1]) N(changed $id[2])
by_index D K(n $id[2])
by_row I N($id[1] one)
by_row U O($id[1] one) N($id[1] changed)
by_row U O($id[1] changed) N($id[2] changed)
by_row D O($id[2] changed)
by_key I N($id[3] n {$id[4],NULL})
END
my $packed = pgoutput(binary => 'true');
like($packed, qr/^by_key I N\(b:$id[1] b:6f6e65 n\)$/m, 'pgoutput sends the 12 bytes in binary');
like($packed, qr/^by_key U K\(b:$id[1] n n\) N\(b:$id[2] b:\w+ n\)$/m, 'and the old key');
like($packed, qr/^by_key I N\(b:$id[3] n b:.*$id[4].*\)$/m, 'and arrays of them');

# wal2json
SKIP:
{
	skip 'wal2json is not installed (on Debian postgresql-NN-wal2json)', 3 unless $has{wal2json};
	my @changes = grep { $_->{table} } map { decode_json($_) } captured_text('wal2json', 'format-version' => 2);
	is(scalar(@changes), 13, 'wal2json prints all changes');
	is_deeply([ map { $_->{identity} } @changes[ 2, 3 ] ],
		[ map { [ { name => 'id', type => 'objectid', value => $_ } ] } @id[ 1, 2 ] ], 'wal2json has the old key');
	is_deeply($changes[2], decode_json(<<"END"), 'wal2json has the digits, with the name of the type');
{"action": "U", "schema": "public", "table": "by_key",
 "columns": [
    {"name": "id", "type": "objectid", "value": "$id[2]"},
    {"name": "name", "type": "text", "value": "changed"},
    {"name": "related", "type": "objectid[]", "value": null},
    {"name": "as_text", "type": "text", "value": "$id[2]"}],
 "identity": [{"name": "id", "type": "objectid", "value": "$id[1]"}]}
END
}

SKIP:
{
	skip 'decoderbufs is not installed (on Debian postgresql-NN-decoderbufs)', 1 unless $has{decoderbufs};
	my $all = join '', captured_text('decoderbufs');
	is(scalar(() = $all =~ /\x18(?:$id[1]|$id[2])/g), 19, 'decoderbufs has the digits');
}

# From 18 on, a publication can contain generated columns: the key as text for
# whom the type is unknown.
if ($version >= 180000)
{
	publish(qq{
		ALTER PUBLICATION captured SET (publish_generated_columns = stored);
		ALTER TABLE by_key ADD key text NOT NULL GENERATED ALWAYS AS (id::text) STORED UNIQUE;
		ALTER TABLE by_key REPLICA IDENTITY USING INDEX by_key_key_key;
		INSERT INTO by_key (id) VALUES ('$id[5]');
		DELETE FROM by_key WHERE id = '$id[5]';
	});
	like(pgoutput(), qr/^by_key I N\($id[5] n n $id[5] $id[5]\)\nby_key D K\(n n n n $id[5]\)$/m,
		'pgoutput publishes the key as generated text, of deleted rows too');
}

my ($ret, $out, $err) = $publisher->psql('postgres', "CREATE PUBLICATION filtered FOR TABLE by_key WHERE (id > '$id[1]')");
like($err, qr/User-defined operators are not allowed/, 'a publication cannot filter rows by objectid');

# Subscriptions.  Both servers have the type, with different oids, as arrays in
# binary tell.
$subscriber->safe_psql('postgres', q{
	CREATE TYPE one_more AS (a int);
	DROP EXTENSION objectid_ext CASCADE;
	CREATE EXTENSION objectid_ext;
});
isnt(publish(q{SELECT 'objectid'::regtype::oid}), $subscriber->safe_psql('postgres', q{SELECT 'objectid'::regtype::oid}),
	'the servers have different oids of the type');

# A table of each server, by the types of id there
my %tables = (
	plain => { plain_text => 'text', plain_char => 'char(24)', plain_objectid => 'objectid', plain_bytea => 'bytea', from_text => 'objectid',
		full_text => 'text', full_char => 'char(24)', full_objectid => 'objectid', full_bytea => 'bytea', full_from_text => 'objectid' },
	packed => { packed_objectid => 'objectid', packed_bytea => 'bytea', full_packed_objectid => 'objectid', full_packed_bytea => 'bytea' },
	wrong => { wrong_text => 'text' },
	reverse => { reverse_from_text => 'objectid' });
my $connection = $publisher->connstr('postgres') =~ s/'/''/gr;
foreach my $name (sort keys %tables)
{
	my @tables = sort keys %{ $tables{$name} };
	foreach my $table (@tables)
	{
		my $type = $table =~ /from_text/ ? 'text' : 'objectid';
		publish("CREATE TABLE $table (id $type, name text, related $type\[]);
			INSERT INTO $table VALUES ('$id[1]', 'one', '{$id[7],NULL}')");
		publish($table =~ /^full/
			? "ALTER TABLE $table REPLICA IDENTITY FULL; INSERT INTO $table VALUES (NULL, 'none', '{}'), (NULL, 'gone', NULL)"
			: "ALTER TABLE $table ADD PRIMARY KEY (id)");
		$type = $tables{$name}{$table};
		$subscriber->safe_psql('postgres', "CREATE TABLE $table (id $type, name text, related $type\[]); CREATE INDEX ON $table (id)");
		$subscriber->safe_psql('postgres', "ALTER TABLE $table ADD PRIMARY KEY (id)") unless $table =~ /^full/;
	}
	publish("CREATE PUBLICATION $name FOR TABLE " . join ', ', @tables);
}

sub subscribe
{
	my ($name, $options) = @_;
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION $name CONNECTION '$connection' PUBLICATION $name WITH ($options)");
	$subscriber->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_subscription_rel WHERE srsubstate NOT IN ('r', 's')})
	  or die "$name is not copied";
}
subscribe('plain', 'binary = false');
subscribe('packed', 'binary = true');

# The page's repair of ids that came as text, where the extension is not
my ($repair) = slurp_file('docs/change-data-capture.md') =~ /^    (UPDATE copied .*)$/m;
is($subscriber->safe_psql('template1', qq{CREATE TABLE copied (id bytea); INSERT INTO copied VALUES ('$id[1]'), (decode('$id[2]', 'hex'));
	$repair SELECT string_agg(encode(id, 'hex'), ',' ORDER BY id) FROM copied}), "$id[1],$id[2]", 'the repair of a column without the extension');

my $lengths = q{SELECT string_agg(length(id)::text, ',') FROM };
foreach my $table ('packed_bytea', 'full_packed_bytea')
{
	is($subscriber->safe_psql('postgres', "$lengths $table"), $version < 160000 ? '24' : '12',
		"binary = true: the first copy of $table is in binary from 16 on");

	# On 15 the page starts without this copy.
	next if $version >= 160000;
	$subscriber->safe_psql('postgres', qq{UPDATE $table SET id = decode(convert_from(id, 'UTF8'), 'hex'),
		related = CASE WHEN related IS NOT NULL THEN ARRAY(SELECT decode(convert_from(r, 'UTF8'), 'hex') FROM unnest(related) AS r) END});
}
foreach my $table (map { keys %{ $tables{$_} } } qw(plain packed))
{
	publish(qq{
		INSERT INTO $table (id, name) VALUES ('$id[2]', 'two'), ('$id[3]', 'three');
		UPDATE $table SET name = 'changed' WHERE id = '$id[1]';
		UPDATE $table SET id = '$id[4]' WHERE id = '$id[2]';
		DELETE FROM $table WHERE id = '$id[3]';
		UPDATE $table SET name = 'null' WHERE name = 'none';
		DELETE FROM $table WHERE name = 'gone';
	});
}
$publisher->wait_for_catchup($_) foreach qw(plain packed);

my $rows = "$id[1]|changed|$id[7],NULL\n$id[4]|two|";
my %as_text = (
	packed_bytea => "encode(%s, 'hex')",
	full_packed_bytea => "encode(%s, 'hex')",
	# not the 12 bytes
	plain_bytea => "convert_from(%s, 'UTF8')",
	full_bytea => "convert_from(%s, 'UTF8')");
foreach my $table (map { sort keys %{ $tables{$_} } } qw(plain packed))
{
	my $text = $as_text{$table} // '%s::text';
	is($subscriber->safe_psql('postgres', sprintf(qq{SELECT $text, name,
			(SELECT string_agg(coalesce($text, 'NULL'), ',') FROM unnest(related) AS r) FROM $table ORDER BY name = 'null', name}, 'id', 'r')),
		$table =~ /^full/ ? "$rows\n|null|" : $rows, "$table follows the inserts, updates and deletes");
}
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM packed_objectid o JOIN packed_bytea b ON o.id = b.id::objectid'), 2,
	'the bytes are those of the ids');

# binary = true and text: bytes that are not text stop the subscription, and others
# become a text that nobody wrote.
publish('TRUNCATE wrong_text');
$subscriber->safe_psql('postgres', 'TRUNCATE wrong_text');
subscribe('wrong', 'binary = true');
publish("INSERT INTO wrong_text VALUES ('414243444546474849414243')");
$publisher->wait_for_catchup('wrong');
is($subscriber->safe_psql('postgres', 'SELECT id FROM wrong_text'), 'ABCDEFGHIABC', 'binary = true and text: the bytes are taken for text');
my $offset = -s $subscriber->logfile;
publish("INSERT INTO wrong_text VALUES ('$id[1]')");
foreach (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
{
	last if slurp_file($subscriber->logfile, $offset) =~ /invalid byte sequence/;
	Time::HiRes::sleep(0.1);
}
like(slurp_file($subscriber->logfile, $offset), qr/ERROR:  invalid byte sequence for encoding "UTF8"/, 'or are an error');

# binary = true, from text to objectid: 24 bytes are not an id.
publish("TRUNCATE reverse_from_text");
subscribe('reverse', 'binary = true');
$offset = -s $subscriber->logfile;
publish("INSERT INTO reverse_from_text VALUES ('$id[1]')");
$subscriber->wait_for_log(qr/ERROR: .*invalid length for type objectid/, $offset);
ok(1, 'binary = true, from text to objectid: an error');

$_->stop('fast') foreach $subscriber, $publisher;
done_testing();
