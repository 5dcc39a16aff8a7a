# What a page shows: its blocks of SQL, its files, and the output beneath them.
#
# The line that opens a block says more where needed:
#     ```sql                     run as an ordinary role, the owner of the database
#     ```sql as=superuser        as that role: superuser, or one that the page makes
#     ```sql on=tickets_a        in that database, which stands for another server
#     ```sql session=slow        in a session beside the page's own
#     ```sql quotes=FILE         the same; FILE has these commands, but for a first \set
#     ```sql from=FILE           not run: it is in FILE, … stands for what is left out
#     ```sql in=FILE             not run: that test does
#     ```json file=shop.json     a file that the SQL below reads
#     ```                        after SQL: what its last results are
#     ```text random             the same; its numbers are random
package Document;

use strict;
use warnings FATAL => 'all';

use Exporter qw(import);
use PostgreSQL::Test::Utils;
use Time::Local qw(timegm);

our @EXPORT = qw(blocks differences);

# The blocks of a page, in order: the line, the words that open it, the text, and
# for SQL what is shown beneath it.
sub blocks
{
	my ($page) = @_;
	my $text = ref $page ? $$page : slurp_file($page);
	my @blocks;
	while ($text =~ /^```(.*)\n((?:.*\n)*?)^```$/gm)
	{
		my ($words, $body, $start) = ($1, $2, $-[0]);
		my $line = 1 + (substr($text, 0, $start) =~ tr/\n//);
		my $previous = $blocks[-1];
		my $is_output = $words =~ /^(?:text\b.*)?$/;
		if ($is_output && $previous && $previous->{language} eq 'sql' && substr($text, $previous->{end}, $start - $previous->{end}) =~ /^\s*$/)
		{
			($previous->{shown}, $previous->{random}) = ($body, $words =~ /\brandom\b/);
			next;
		}
		push @blocks, { line => $line, language => $words =~ s/\s.*//r, text => $body, end => pos($text), $words =~ /(\w+)=(\S+)/g };
	}
	return @blocks;
}

# Blank lines part the results.  The header of a plan is not shown in pages, and
# where an error is neither.
sub results
{
	my ($text) = @_;
	$text =~ s/^ *QUERY PLAN *\n-+\n//mg;
	$text =~ s/^LINE \d+: .*\n *\^ *\n//mg;
	$text =~ s/^CONTEXT:  .*\n(?:(?:SQL statement|SQL function|PL\/pgSQL function) .*\n)*//mg;
	$text =~ s/^psql:\S*: (?=[A-Z]+:)/\n/mg;
	return map {
		[ map { s/-{2,}/-/g; s/\s+/ /g; s/^ | $//g; s/\b(cost|time)=[\d.]+/$1=?/g; $_ } grep { /\S/ } split /\n/ ]
	} grep { /\S/ } split /\n\s*\n/, $text;
}

# Is a time, or the time in an id, that of this test?
sub is_now
{
	return abs($_[0] - time) < 3600;
}

my $time = qr/(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.\d+)?\+00/;

# By the form of a value that may differ: would a printed one do?
my @patterns = (
	[ $time, sub { $_[0] =~ $time; is_now(timegm($6, $5, $4, $3, $2 - 1, $1)) } ],
	[ qr/[0-9a-f]{24}/, sub { is_now(hex substr($_[0], 0, 8)) } ],
	[ qr/\d{16,19}/, sub {
		my ($id) = @_;
		# instagram, twitter, pgedge, js53
		grep { is_now((($id >> $_->[0]) + $_->[1]) / 1000) }
		  [ 23, 1314220021721 ], [ 22, 1288834974657 ], [ 22, 1672531200000 ], [ 12, 1767225600000 ] } ]);
my $token = join '|', map { $_->[0] } @patterns;
my $tokens = qr/((?<!\w)(?:$token)(?!\w)|\d+|\D)/;

# Do both values have one form, and is the printed one of now?
sub may_differ
{
	my ($shown, $printed, $random, $is_size) = @_;
	return 1 if $shown eq $printed;
	foreach my $pattern (@patterns)
	{
		my ($form, $would_do) = @$pattern;
		return !!$would_do->($printed) if $shown =~ /^$form$/ && $printed =~ /^$form$/;
	}
	return 0 unless "$shown$printed" =~ /^\d+$/;
	return $random || $is_size && $printed > $shown / 1.25 && $printed < $shown * 1.25;
}

sub same_line
{
	my ($shown, $printed, @rules) = @_;
	# captures of the patterns are not tokens
	my @shown = tokens_of($shown);
	my @printed = tokens_of($printed);
	return @shown == @printed && !grep { !may_differ($shown[$_], $printed[$_], @rules) } 0 .. $#shown;
}

sub tokens_of
{
	my ($line) = @_;
	my @found;
	push @found, $1 while $line =~ /$tokens/g;
	return @found;
}

# Do the lines of one result fit, of which the line … stands for any number?
sub same_result
{
	my ($shown, $printed, @rules) = @_;
	return !@$printed unless @$shown;
	my ($first, @rest) = @$shown;
	if ($first eq '…')
	{
		return !!grep { same_result(\@rest, [ @$printed[ $_ .. $#$printed ] ], @rules) } 0 .. @$printed;
	}
	return @$printed && same_line($first, $printed->[0], @rules) && same_result(\@rest, [ @$printed[ 1 .. $#$printed ] ], @rules);
}

sub head
{
	return @_ > 20 ? (@_[ 0 .. 19 ], '[and so on]') : @_;
}

# What a page shows must be the last of what was printed, but for ids and times
# of now, sizes, which differ a little between machines, and the costs of a plan.
# Returns what does not fit, or nothing.
sub differences
{
	my ($shown, $printed, $random) = @_;
	my @shown = results($shown);
	my @printed = results($printed);
	my @wrong;
	foreach my $i (1 .. @shown)
	{
		my ($expected, $found) = ($shown[ -$i ], $i <= @printed ? $printed[ -$i ] : []);
		my $is_size = grep { /\bbytes\b/ } $expected->[0] // '';
		push @wrong, join("\n", 'shown:', head(@$expected), 'printed:', head(@$found)) unless same_result($expected, $found, $random, $is_size);
	}
	return join "\n", reverse @wrong;
}

1;
