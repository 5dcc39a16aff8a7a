# PostgreSQL 19 replicates the values of sequences, when it is told to.  To a server
# that takes over, that works for clock sequences.  Two servers that both make ids
# must not subscribe to each other's: the value is set even if it is lower.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/lib";
use ObjectidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old = start_server('old', allows_streaming => 'logical');
if ($old->safe_psql('postgres', 'SHOW server_version_num') < 190000)
{
	$old->stop;
	plan skip_all => 'needs PostgreSQL 19: replication of sequences';
}
my $new = start_server('new', allows_streaming => 'logical');
my $table = q{
	CREATE SEQUENCE clock CACHE 64;
	CREATE TABLE item (id bigint PRIMARY KEY DEFAULT next_snowflake('clock', 1, 'twitter'), name text);
};
$_->safe_psql('postgres', $table) foreach $old, $new;

# The commands of the page, in both directions
sub subscribe
{
	my ($publisher, $subscriber) = @_;
	my $connection = $publisher->connstr('postgres') =~ s/'/''/gr;
	$publisher->safe_psql('postgres', 'CREATE PUBLICATION clocks FOR ALL SEQUENCES');
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION clocks CONNECTION '$connection' PUBLICATION clocks");
	$subscriber->wait_for_subscription_sync;
}

sub last_value { return $_[0]->safe_psql('postgres', 'SELECT last_value FROM clock') }

# Wait until a server has the value that another had, and will not set it again.
sub refresh
{
	my ($publisher, $subscriber) = @_;
	my $value = last_value($publisher);
	$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION clocks REFRESH SEQUENCES');
	$subscriber->poll_query_until('postgres', "SELECT last_value = $value AND NOT EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r') FROM clock")
	  or die 'the sequence does not arrive: ' . last_value($subscriber) . " instead of $value";
	return $value;
}
subscribe($old, $new);

# Ids that are ahead of the clock by an hour, as after a clock that was set back.
$old->safe_psql('postgres', q{SELECT setval('clock', make_snowflake(now() + interval '1 hour', 1, 0, 'twitter'))});
my $highest = $old->safe_psql('postgres', q{
	INSERT INTO item (name) SELECT 'old' FROM generate_series(1, 10000);
	SELECT max(id) FROM item});
cmp_ok(refresh($old, $new), '>=', $highest, 'the value comes over');
my @ids = split /\n/, $new->safe_psql('postgres', q{INSERT INTO item (name) SELECT 'new' FROM generate_series(1, 1000) RETURNING id});
is(not_above($highest, @ids), 0, 'ids of the subscriber go on above');

# Also after it crashed
kill_server($new);
$new->start;
@ids = (@ids, split /\n/, $new->safe_psql('postgres', q{INSERT INTO item (name) SELECT 'after a crash' FROM generate_series(1, 1000) RETURNING id}));
is(not_above($highest, @ids), 0, 'and after a crash');

# It has made ids meanwhile, and is told the lower value again: the same ids come
# again, which its primary key refuses.
my $made = last_value($new);
cmp_ok(refresh($old, $new), '<', $made, 'a lower value is set, too');
my ($ret, $out, $err) = $new->psql('postgres', q{INSERT INTO item (name) SELECT 'again' FROM generate_series(1, 1000)});
like($err, qr/duplicate key value/, 'ids come again where both servers make some');

$_->stop foreach $new, $old;
done_testing();
