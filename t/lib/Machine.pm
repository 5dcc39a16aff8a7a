# A simulated machine for a server: a test can set its clock and cut its power.
# The library machine.c, which is built here, implements it.
package Machine;

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use Exporter qw(import);
use File::Basename qw(dirname);
use ObjectidTest;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes;

our @EXPORT = qw(new_machine machine_environment switch_on set_clock cut_power);

my $source = dirname(abs_path(__FILE__)) . '/machine.c';

# Returns a machine, or a text with the reason why it is not possible.
sub new_machine
{
	my $dir = PostgreSQL::Test::Utils::tempdir('machine');
	my $machine = { dir => $dir, clock => "$dir/clock", disk => "$dir/disk" };
	my $cc = $ENV{CC} // 'cc';
	return "no C compiler ($cc)" if system("$cc --version >$dir/log 2>&1") != 0;

	# It names no C library: a server may have another one than the shell that starts it.
	foreach my $command ("-shared -fPIC -nodefaultlibs -o $dir/machine.so $source -ldl -lgcc", "-DPROGRAM -o $dir/machine $source")
	{
		system("$cc -O2 -Wall $command >$dir/log 2>&1") == 0
		  or die "cannot build machine.c: " . slurp_file("$dir/log");
	}
	mkdir "$dir/disk";

	# Files must know when they were made.
	return "no time of birth in this file system, $dir"
	  if system("$dir/machine save $dir/disk $dir/log >$dir/log 2>&1") != 0;
	set_clock($machine, 0);
	return $machine;
}

# The environment variables of a server that runs on it
sub machine_environment
{
	my ($machine) = @_;
	return (
		LD_PRELOAD => join(' ', $ENV{LD_PRELOAD} // (), "$machine->{dir}/machine.so"),
		MACHINE_CLOCK => $machine->{clock},
		MACHINE_DISK => $machine->{disk});
}

sub switch_on
{
	my ($machine, $node) = @_;
	local %ENV = (%ENV, machine_environment($machine));
	system_or_bail("$machine->{dir}/machine", 'save', $machine->{disk}, $node->data_dir) unless $machine->{saved}++;
	my $offset = -s $node->logfile;
	return if $node->start(fail_ok => 1);

	# Core's own: of a SET UNLOGGED that was rolled back the init fork is gone and
	# the main fork is there, and where the record of its end is lost, recovery
	# makes the first and trips over the second.  The next one does not.
	slurp_file($node->logfile, $offset) =~ /FATAL:  could not create file "base\/.*": File exists/
	  or BAIL_OUT('the server does not start');
	$node->start;
}

# Seconds to add to the real time, and the rate at which the clock then runs.
# The setting that is not in force is the one that is written.
sub set_clock
{
	my ($machine, $seconds, $rate) = @_;
	my $now = int(Time::HiRes::time() * 1e6);
	my $next = $machine->{settings}++ % 2;
	$machine->{setting}[$next] = pack 'qqd', $now, $now + $seconds * 1_000_000, $rate // 1;
	$machine->{setting}[ 1 - $next ] //= $machine->{setting}[$next];
	open my $file, '+>>', $machine->{clock} or die "$machine->{clock}: $!";
	close $file;
	open $file, '+<', $machine->{clock} or die "$machine->{clock}: $!";
	foreach ([ 8, join '', @{ $machine->{setting} } ], [ 0, pack 'LL', $next, 0 ])
	{
		sysseek $file, $_->[0], 0;
		syswrite $file, $_->[1];
	}
	close $file;
}

# Unsynchronized data is lost, except for this percentage of the blocks.
sub cut_power
{
	my ($machine, $node, $percent) = @_;
	kill_server($node);
	system_or_bail("$machine->{dir}/machine", 'cut', $machine->{disk}, $node->data_dir, $percent // 0);
}

1;
