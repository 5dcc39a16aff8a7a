# Rows are moved out of a default partition as docs/partitions.md says, in a table that
# the page does not know: the columns of the default partition have another order, and a
# subscriber follows.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../../t/lib";
use Document;
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($block) = grep { $_ && /^LOCK TABLE/m } map { $_->{text} } blocks("$FindBin::RealBin/../../docs/partitions.md");
my ($move) = $block =~ /^(BEGIN;\n.*^COMMIT;\n)/ms or die 'the page moves no rows';

my $tables = q{
	CREATE TABLE visit (id objectid PRIMARY KEY, page text, referrer text) PARTITION BY RANGE (id);
	CREATE TABLE visit_default (id objectid PRIMARY KEY, referrer text, page text);
	ALTER TABLE visit ATTACH PARTITION visit_default DEFAULT};
my ($publisher, $subscriber) = map { start_server($_, allows_streaming => 'logical', conf => "timezone = 'UTC'") } 'publisher', 'subscriber';
$_->safe_psql('postgres', $tables) foreach $publisher, $subscriber;
$publisher->safe_psql('postgres', 'CREATE PUBLICATION visits FOR TABLE visit WITH (publish_via_partition_root = true)');
$subscriber->safe_psql('postgres', sprintf(q{CREATE SUBSCRIPTION visits CONNECTION '%s' PUBLICATION visits}, $publisher->connstr('postgres') =~ s/'/''/gr));
$subscriber->wait_for_subscription_sync($publisher, 'visits');

$publisher->safe_psql('postgres', q{
	INSERT INTO visit SELECT objectid_floor(t), 'page', 'referrer' FROM unnest('{2026-10-31T23:59:59Z,2026-11-01Z,2026-11-30T23:59:59Z,2026-12-01Z}'::timestamptz[]) AS t});
my $rows = 'SELECT objectid_timestamp(id), page, referrer FROM visit ORDER BY id';
my $before = $publisher->safe_psql('postgres', $rows);
$publisher->safe_psql('postgres', $move);
is($publisher->safe_psql('postgres', 'SELECT tableoid::regclass::text, count(*) FROM visit GROUP BY 1 ORDER BY 1'), "visit_20261101|2\nvisit_default|2",
	'the rows of the month are in its partition');
is($publisher->safe_psql('postgres', $rows), $before, 'with their columns');
$publisher->wait_for_catchup('visits');
is($subscriber->safe_psql('postgres', $rows), $before, 'and on the subscriber');

$_->stop foreach $subscriber, $publisher;
done_testing();
