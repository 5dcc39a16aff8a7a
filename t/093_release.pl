# A consistent release: META.json conforms to PGXN's specification 1.0.0, all
# files have the same version, and make dist archives the tree.

use strict;
use warnings FATAL => 'all';

use File::Basename;
use IO::Uncompress::Unzip;
use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;

my $meta = decode_json(slurp_file('META.json'));

# A value, or each of a list, is a string of this form.
sub strings_like
{
	my ($value, $form) = @_;
	my @values = ref $value eq 'ARRAY' ? @$value : ($value);
	return @values && !grep { !defined || ref || !/\A$form\z/ } @values;
}

my $text = qr/.*\S.*/s;
my $term = qr{[^[:cntrl:][:space:]/\\]{2,}};
my $version = qr/(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-?[a-z][a-z0-9-]*)?/i;
my $path = qr{[^/\s]\S*};
my $url = qr{[a-z]+://\S+};

# The keys of https://pgxn.org/spec/ that must be there, and those that may.
my %required = (name => $term, version => $version, abstract => $text, maintainer => $text,
	license => qr{postgresql});        # the one of its keywords that is ours
my %optional = (description => $text, generated_by => $text,
	release_status => qr/stable|testing|unstable/, tags => qr{[^[:cntrl:]/\\]{1,256}});
my %provided = (file => $path, version => $version);
my %phase = map { $_ => 1 } qw(configure build test runtime develop);
my %relation = map { $_ => 1 } qw(requires recommends suggests conflicts);

# Names of the keys of META.json that are missing or wrong.
sub wrong_keys
{
	my ($meta) = @_;
	my @wrong = grep { !strings_like($meta->{$_}, $required{$_}) } keys %required;
	push @wrong, grep { exists $meta->{$_} && !strings_like($meta->{$_}, $optional{$_}) } keys %optional;
	push @wrong, 'meta-spec' unless ($meta->{'meta-spec'}{version} // '') eq '1.0.0'
	  && strings_like($meta->{'meta-spec'}{url} // 'https://pgxn.org/', $url);
	push @wrong, 'provides' unless %{ $meta->{provides} // {} };
	while (my ($name, $extension) = each %{ $meta->{provides} // {} })
	{
		push @wrong, "provides $name" unless $name =~ /\A$term\z/;
		push @wrong, map { "provides $name $_" }
		  grep { !strings_like($extension->{$_}, $provided{$_}) } keys %provided;
		push @wrong, map { "provides $name $_" }
		  grep { $extension->{$_} && !-f $extension->{$_} } qw(file docfile);
	}
	foreach my $phase (keys %{ $meta->{prereqs} // {} })
	{
		push @wrong, "prereqs $phase"
		  unless $phase{$phase} && !grep { !$relation{$_} } keys %{ $meta->{prereqs}{$phase} };
	}
	push @wrong, grep
	{
		!$required{$_} && !$optional{$_} && !/\A(?:meta-spec|provides|prereqs|resources|no_index|x_.*)\z/i
	} keys %$meta;
	return join(', ', sort @wrong);
}

# META.json with one change, given as code.
sub changed
{
	my ($change) = @_;
	local $_ = decode_json(slurp_file('META.json'));
	$change->();
	return $_;
}

is(wrong_keys($meta), '', 'META.json is valid');

# The check itself
foreach my $key (sort(keys %required), 'meta-spec', 'provides')
{
	is(wrong_keys(changed(sub { delete $_->{$key} })), $key, "META.json without $key is not");
}
is(wrong_keys(changed(sub { $_->{version} = '1.0' })), 'version', 'nor with a version of two numbers');
is(wrong_keys(changed(sub { $_->{license} = 'my own' })), 'license', 'nor with an unknown licence');
is(wrong_keys(changed(sub { $_->{author} = 'me' })), 'author', 'nor with an unknown key');
is(wrong_keys(changed(sub { $_->{provides}{objectid_ext}{file} = 'none.sql' })),
	'provides objectid_ext file', 'nor with a file that does not exist');
is(wrong_keys(changed(sub { $_->{prereqs}{install} = {} })), 'prereqs install', 'nor with an unknown phase');

# The extension's version is the first two numbers of the release's: a release
# that changes no SQL needs no new script.
my $release = $meta->{version};
my ($default) = slurp_file('objectid_ext.control') =~ /^default_version = '(.*)'$/m;
is($release =~ s/\.\d+\z//r, $default, 'META.json and control file agree');
my @extensions = map { m{([^/]+)\.control$} } my @controls = glob('*.control tools/*.control');
is(join(' ', sort keys %{ $meta->{provides} }), "@extensions", 'META.json names the extensions');
foreach my $extension (@extensions)
{
	like(slurp_file((grep { m{\b$extension\.control$} } @controls)[0]), qr/^default_version = '\Q$default\E'$/m, "$extension is of the same version");
	is($meta->{provides}{$extension}{version}, $release, 'META.json agrees with itself');
	like($meta->{provides}{$extension}{file}, qr{^(?:extension/$extension--\Q$default\E|tools/schema)\.sql$}, 'and names the script');
}
my ($module) = slurp_file('src/server_versions.h') =~ /\.version = "(.*)"/;
is($module, $release, 'the module tells the same');
my ($newest) = slurp_file('CHANGELOG.md') =~ /^## (\S+)/m;
is($newest, $release, 'CHANGELOG.md begins with the release');
foreach (grep { -f } 'docs/packages.md', 'examples/cloudnativepg.yaml')
{
	is(join(' ', grep { $_ ne $release } slurp_file($_) =~ /objectid_ext[-:](?:\d+-)?(\d+\.\d+\.\d+)/g), '', "$_ names files of it");
}
SKIP:
{
	skip 'no debian/changelog here', 1 unless -f 'debian/changelog';
	my ($packaged) = slurp_file('debian/changelog') =~ /\A\S+ \((.*)-\S+\)/;
	is($packaged, $release, 'debian/changelog too');
}
SKIP:
{
	skip 'no rpm/ here', 2 unless -f 'rpm/objectid_ext.spec';
	my $spec = slurp_file('rpm/objectid_ext.spec');
	is(join(' ', $spec =~ /^Version: *(\S+)$/m, $spec =~ /%changelog\n\* .* - (\S+)-\d+\n/), "$release $release", 'rpm/objectid_ext.spec too');
	is(join(' ', grep { $spec !~ m{/extension/\Q$_\E\.control$}m || $spec !~ m{/extension/\Q$_\E--\*\.sql$}m } @extensions), '', 'it packages both extensions');
}
like($_ eq 'META.json' ? $meta->{maintainer} : slurp_file($_), qr/The objectid_ext developers/, "$_ names the maintainer")
  foreach grep { -f } qw(META.json debian/control.in rpm/objectid_ext.spec);

# Where the project is, in each file that tells it
my $resources = $meta->{resources};
foreach (['debian/control.in', $resources->{homepage}, @{ $resources->{repository} }{qw(web url)}], ['debian/control', $resources->{homepage}],
	['debian/watch', $resources->{homepage}], ['rpm/objectid_ext.spec', $resources->{homepage}])
{
	my ($file, @addresses) = @$_;
	SKIP:
	{
		skip "no $file here", 1 unless -f $file;
		my $text = slurp_file($file);
		is(join(' ', grep { index($text, $_) < 0 } @addresses), '', "$file has the addresses of META.json");
	}
}

# The packages contain the targets of the links in their pages, as sed has changed
# them, and no file twice.
sub dead_links
{
	my $sed = shift;
	my @shipped = map { glob } map { split ' ' } @_;
	my @dead;
	foreach my $page (grep { /\.md\z/ } map { -d ? glob("$_/*.md $_/*/*.md") : $_ } @shipped)
	{
		my ($dir) = $page =~ m{^(.*/)?};
		foreach my $link (`sed '$sed' $page` =~ /\]\(([^\s()#:]+)(?:#[^\s()]*)?\)/g)
		{
			my $target = ($dir // '') . $link;
			1 while $target =~ s{[^/]+/\.\./}{};
			push @dead, "$page: $link" unless grep { $target =~ m{^\Q$_\E(?:/|$)} || "$_/" eq $target } @shipped;
		}
	}
	return join(', ', @dead);
}
foreach (['debian/rules', qr/dh_install(?:docs|examples) --all (?:--exclude=\S+ )?(.*)/, 'examples changelog.gz copyright'], ['rpm/objectid_ext.spec', qr/^%doc (.*)$/m])
{
	my ($file, $documents, @more) = @$_;
	SKIP:
	{
		skip "no $file here", 2 unless -f $file;
		my ($sed) = slurp_file($file) =~ /sed -i '(.*?)'/;
		my @installed = slurp_file($file) =~ /$documents/g;
		is(dead_links($sed // '', @installed, @more), '', "$file installs what its pages link to");
		my ($elsewhere) = $file =~ /^debian/ ? qr/CHANGELOG|LICENSE/ : qr/LICENSE/;
		unlike("@installed", $elsewhere, "$file installs no file twice");
	}
}

# Scripts are named for the versions, and all are installed.
sub make_words { return split ' ', `make --silent -C $_[0] --eval='value:; \@echo \$($_[1])' value 2>&1` }
sub make_value { return join ' ', sort { $a cmp $b } make_words(@_) }

my @scripts = sort glob('extension/objectid_ext*');
is(make_value('.', 'DATA_built:%=extension/%'), "@scripts", 'the Makefile installs what is in extension/');
is(make_value('tools', 'parts:%=%.sql'), join(' ', sort grep { !/--/ } map { basename($_) } glob('tools/*.sql')), 'and that of the tools uses each part');

# nmake has lists of its own, and folders with backslashes.
sub nmake_value { return slurp_file('Makefile.win') =~ s/ \\\n\t/ /gr =~ /^$_[0] = (.*)$/m ? $1 : undef }
foreach (['OBJS', '.', 'OBJS:%.o=%.obj'], ['PARTS', 'tools', 'parts:%=tools/%.sql'])
{
	my ($list, @makefile) = @$_;
	is(nmake_value($list), join(' ', make_words(@makefile)) =~ tr{/}{\\}r, "$list of Makefile.win");
}
is(nmake_value('VERSION'), $default, 'version of Makefile.win');
like($_, qr{^extension/objectid_ext(--\d+\.\d+){1,2}\.sql$}, "name of $_") foreach @scripts;
like(slurp_file($_), qr{\A/\* \Q$_\E \*/\n}, "first line of $_") foreach @scripts;

# make dist, in a repository made of this tree
SKIP:
{
	skip 'git is not installed (package git)', 21 if system('git --version >/dev/null 2>&1');
	my $dir = PostgreSQL::Test::Utils::tempdir('dist');
	delete @ENV{ grep { /^GIT_/ } keys %ENV };
	local %ENV = (%ENV, GIT_CONFIG_GLOBAL => '/dev/null', GIT_CONFIG_NOSYSTEM => 1);
	my $git = "git --git-dir=$dir/git --work-tree=.";
	my $made = qx{{ git init -q --bare $dir/git && $git add --all &&
		$git -c user.name=test -c user.email=test\@localhost commit -q -m tree &&
		git clone -q $dir/git $dir/tree && make -s -C $dir/tree dist; } 2>&1};
	is($?, 0, 'make dist') or diag($made);

	my @committed = map { "objectid_ext-$release/$_" } split /\n/, `git -C $dir/tree ls-files`;
	my %packed = map { $_ => 1 } zipped("$dir/tree/objectid_ext-$release.zip");
	is(join(' ', grep { !delete $packed{$_} } @committed), '', 'has all that is committed, below one directory');
	is(join(' ', keys %packed), '', 'and nothing else');
	my $house = slurp_file('CONTRIBUTING.md');
	my %rooms = map { m{/(\.ci/run|[^/]*/?)} ? ($1 => 1) : () } @committed;
	is(join(' ', grep { $house !~ /`\Q$_\E`/ } sort keys %rooms), '', 'CONTRIBUTING.md names every room');
	my $first = slurp_file("$dir/tree/objectid_ext-$release.zip");
	system_or_bail("TZ=JST-9 make -s -C $dir/tree dist");
	ok(slurp_file("$dir/tree/objectid_ext-$release.zip") eq $first, 'the same bytes in another time zone');
	is(join(' ', grep { /\.(o|so|bc)$|regression\.|\/results\// } @committed), '', 'and nothing that was built');
	dry_run("$dir/tree");
}

# What scripts/release says of a tree, and which problems it finds, but for software
# that is not installed here
sub release_says
{
	my ($tree) = @_;
	my $said = `cd $tree && scripts/release --dry-run $tree/../out 2>&1`;
	return ($said, join ', ', grep { !/installed/ } $said =~ /^problem: (.*)$/mg);
}

# Change a file of a repository, and commit it.
sub commit_change
{
	my ($tree, $file, $change) = @_;
	local $_ = slurp_file("$tree/$file");
	$change->();
	unlink "$tree/$file";
	append_to_file("$tree/$file", $_);
	system_or_bail("cd $tree && git -c user.name=test -c user.email=test\@localhost commit -q -a --allow-empty -m change");
}

# scripts/release --dry-run, in a clone of the tree
sub dry_run
{
	my ($tree) = @_;
	my ($said, $problems) = release_says($tree);
	like($said, qr/^== \Q$_\E/m, "scripts/release: $_") foreach 'scripts/check --long', 'scripts/test-matrix', 'For PGXN', 'Debian', 'RPM';
	like($said, qr/^   objectid_ext-\Q$release\E\.zip: PGXN.*^   git push origin main v\Q$release\E$/ms, 'says what to upload where');
	ok(!-e "$tree/../out", 'a dry run makes nothing');
	like($problems, qr/the tag v\Q$release\E is missing/, 'a tree without a tag is not ready');

	commit_change($tree, 'CHANGELOG.md', sub { s/^(## \S+).*/$1 (not yet released)/m });
	commit_change($tree, 'debian/changelog', sub { s/unstable/UNRELEASED/ });
	like((release_says($tree))[1], qr/CHANGELOG\.md says "not yet released", debian\/changelog says UNRELEASED/, 'nor one before its release');
	commit_change($tree, 'CHANGELOG.md', sub { s/^(## \S+).*/$1 (2026-12-01)/m });
	commit_change($tree, 'debian/changelog', sub { s/UNRELEASED/unstable/ });
	like($problems, qr/objectid-ext\.example stands for/, 'nor is one without an address');
	my ($sed) = slurp_file('CONTRIBUTING.md') =~ /`(sed -i [^`]+)`/;
	is(system('sh', '-c', "cd $tree && " . $sed =~ s{ADDRESS}{ids.test/us}r), 0, 'the command of CONTRIBUTING.md takes an address with a path');
	commit_change($tree, 'META.json', sub { });
	is((release_says($tree))[1] =~ s/the tag[^,]*, or[^,]*, //r, 'an e-mail address in debian/ or rpm/ has a path', 'which is none of e-mail');
	commit_change($tree, $_, sub { s{\@ids\.test/us}{\@ids.test}g }) foreach map { "debian/$_" } qw(changelog control control.in);
	system_or_bail("git -C $tree tag v$release");
	is((release_says($tree))[1], '', 'a tree that is ready');

	commit_change($tree, 'rpm/objectid_ext.spec', sub { s/^(Version:\s*).*/${1}0.9.9/m });
	like((release_says($tree))[1], qr/rpm\/objectid_ext\.spec is of version 0\.9\.9/, 'a spec of another version is found');
	append_to_file("$tree/README.md", 'changed');
	like((release_says($tree))[1], qr/changes that are not committed/, 'and a change that is not committed');
}

# The names of the files in an archive
sub zipped
{
	my ($file) = @_;
	my @names;
	my $zip = IO::Uncompress::Unzip->new($file) or return ();
	do { push @names, $zip->getHeaderInfo->{Name} } while ($zip->nextStream > 0);
	return grep { !/\/\z/ } @names;
}

done_testing();
