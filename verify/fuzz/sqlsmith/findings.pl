# What the server's log says of a run of SQLsmith: errors by SQLSTATE, and findings.
#
#	perl verify/fuzz/sqlsmith/findings.pl LOG	with libpq's variables set, as a superuser
#
# A finding is a crash, a syntax error below one of the tools' public functions
# (SQL that they made), or an internal error of ours.  Core has internal errors of
# its own, such as that of a function that was not meant to be called by a user.
# So of each kind, by place and message, the first five are asked three questions:
#
# - Was it raised in one of our files?
# - Is our library on the stack, if the query runs again?
# - Is it another error, or none, if it runs without our planner support?  These
#   functions leave something behind that core's code stumbles over later.
#
# It is core's if all answers are no.  The query runs again until the error comes, for
# it may depend on a sample of a table.  If it does not come again, nobody knows, and
# it is a finding.

use strict;
use warnings;

use File::Basename;

my ($log) = @ARGV;
my $top = dirname($0) . '/../../..';
my %ours = map { basename($_) => 1 } glob("$top/*.c $top/src/*.c");
die "no source files below $top\n" unless $ours{'unsettled.c'};
my (%count, %internal, @findings);

# Calls the function with each message: a line with its time and process, and those
# which belong to it.
sub each_message
{
	my ($from, $function) = @_;
	open(my $handle, '<', $log) or die "$log: $!\n";
	seek($handle, $from, 0);
	my ($process, $message) = ('', '');
	while (my $line = <$handle>)
	{
		if (my ($id, $name) = $line =~ /^2\d{3}-[^[]+ \[(\d+)\] \S{5} (\w+):  /)
		{
			my $begins = $id ne $process || $name =~ /^(ERROR|FATAL|PANIC|LOG|WARNING)$/;
			$function->($message) if $begins && $message;
			$message = '' if $begins;
			$process = $id;
		}
		$message .= $line;
	}
	$function->($message) if $message;
	return;
}

sub part
{
	my ($message, $name) = @_;
	return $message =~ /^2\d{3}-[^\n]*? $name:  (.*?)(?=^2\d{3}-|\z)/ms ? $1 : '';
}

# Raised where, and in which words: numbers and names differ.
sub kind
{
	my ($message) = @_;
	my ($text) = part($message, '(?:ERROR|FATAL|PANIC)') =~ /^\w{5}: ([^\n]*)/;
	my ($place) = part($message, 'LOCATION') =~ /^(\S+, [^:]+)/;
	$text =~ s/"[^"]*"/"..."/g;
	$text =~ s/0x[\da-f]+|\d+/N/g;
	return ($place // 'unknown place') . ": $text";
}

# The tools' function that the query called, from the last line of the context.
sub unparsed_sql_of_ours
{
	my ($message) = @_;
	my @context = part($message, 'CONTEXT') =~ /function "?(?:objectid_ext_tools\.)?(\w+)/g;
	return @context && $context[-1] !~ /^(?:all_)?_/;
}

sub count_message
{
	my ($message) = @_;
	push @findings, $message if $message =~ /TRAP:|PANIC:|server process .* (?:exited|was terminated)/;
	$message =~ /^2\d{3}-[^[]+ \[\d+\] (\S{5}) (?:ERROR|FATAL):/ or return;
	my $state = $1;
	$count{$state}++;
	if ($state =~ /^XX/)
	{
		my $kind = kind($message);
		$internal{$kind}{count}++;
		push @{ $internal{$kind}{messages} }, $message if $internal{$kind}{count} <= 5;
	}
	push @findings, $message if $state eq '42601' && unparsed_sql_of_ours($message);
	return;
}

# The messages of one query, run again after those commands.
sub repeat
{
	my ($query, $before) = @_;
	my $from = -s $log;
	open(my $psql, '|-', 'psql -qAtX >/dev/null 2>&1') or die "psql: $!\n";
	print $psql "\\set QUIET on\nBEGIN;\n$before\nSET LOCAL ROLE smith;\nSET LOCAL statement_timeout = '30 s';\n$query\n;\nROLLBACK;\n";
	close $psql;
	my @messages;
	each_message($from, sub { push @messages, $_[0] if $_[0] =~ /\] XX\d{3} /; });
	return @messages;
}

sub is_ours
{
	my ($kind, $message) = @_;
	my ($function, $file) = part($message, 'LOCATION') =~ /^(\w+), ([^:]+)/;
	return 1 if !$file || $ours{$file};
	my $query = part($message, 'STATEMENT');
	my @again = first_repeat($kind, $query, "SET LOCAL backtrace_functions = '$function';");
	return 1 if !@again || grep { /objectid_ext\.so/ } @again;
	return !first_repeat($kind, $query,
		q{UPDATE pg_proc SET prosupport = 0 WHERE prosupport IN (SELECT oid FROM pg_proc WHERE probin LIKE '%objectid_ext%');});
}

# The messages of that kind, of the first of twenty runs that has any
sub first_repeat
{
	my ($kind, @arguments) = @_;
	for (1 .. 20)
	{
		my @messages = grep { kind($_) eq $kind } repeat(@arguments);
		return @messages if @messages;
	}
	return;
}

each_message(0, \&count_message);
print "$count{$_} errors $_\n" foreach sort keys %count;
foreach my $kind (sort keys %internal)
{
	my @ours = grep { is_ours($kind, $_) } @{ $internal{$kind}{messages} };
	print "internal error, ", @ours ? 'ours' : "core's", ", $internal{$kind}{count} times: $kind\n";
	push @findings, @ours;
}
print "\n", scalar(@findings), " findings\n", @findings;
exit(@findings ? 1 : 0);
