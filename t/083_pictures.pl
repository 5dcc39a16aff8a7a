# The pictures of docs/ are those that scripts/draw_pictures draws with this build: the
# layouts and the objectid come from its functions.  A page shows each.

use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION objectid_ext');

my $drawn = PostgreSQL::Test::Utils::tempdir('pictures');
$node->command_ok([ 'perl', 'scripts/draw_pictures', $drawn ], 'the pictures are drawn');

my $pages = join('', map { slurp_file($_) } glob('docs/*.md'));
my %picture = map { s{.*/}{}r => 1 } glob("docs/pictures/*.svg $drawn/*.svg");
cmp_ok(scalar(keys %picture), '>', 3, 'there are pictures');

my $has_xml = $node->psql('postgres', q{SELECT '<a/>'::xml}) == 0;
foreach my $name (sort keys %picture)
{
	my ($kept, $new) = map { -e "$_/$name" ? slurp_file("$_/$name") : '' } 'docs/pictures', $drawn;
	is($kept, $new, "$name: scripts/pictures has drawn it");
	like($kept, qr/^\@media \(prefers-color-scheme: dark\)/m, "$name has the colors of both schemes");
	like($pages, qr/!\[\w[^\]]+\]\(pictures\/\Q$name\E\)/, "a page shows $name and says what it is");
  SKIP:
	{
		skip 'this server has no libxml', 1 unless $has_xml;
		is($node->safe_psql('postgres', "SELECT xml_is_well_formed_document(\$svg\$$kept\$svg\$)"), 't', "$name is well-formed");
	}
}

done_testing();
