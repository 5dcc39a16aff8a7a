# What scripts/demo and scripts/check share: the packages, a build of the
# tree in a folder of its own, and a throw-away server.  Nothing is installed
# into the system but distribution packages that were missing.
#
# Environment: PG_CONFIG names the server to build for (default: the newest
# that is installed); COPT goes to the compiler.

set -euo pipefail

# The caller's locale may be one that this machine has not got.
export LC_ALL=C.UTF-8
# And files that the caller's umask hides would be hidden from the server.
umask 022

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=                           # the throw-away folder
postgres=                       # what to start as the server, if not itself
as_user=()                      # how to run as an ordinary user
for_tests=1                     # empty: what only the tests use is not needed
optional=()                     # packages to install if they are to be had

# The help of a script without a usage() of its own is its head.
case ${1-} in
	-h | --help) grep -q '^usage()' "$0" || { sed -n '2,/^$/s/^# \{0,1\}//p' "$0"; exit; } ;;
esac

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "missing software, and neither root nor sudo to install it: $*"
	fi
}

# Output only of a failure.
quietly() {
	local out
	out=$("$@" 2>&1 </dev/null) || { printf '%s\n' "$out" >&2; return 1; }
}

# The newest pg_config under Debian's directories, or the one in the PATH.
find_pg_config() {
	if [ -z "${PG_CONFIG:-}" ]; then
		PG_CONFIG=$(ls -d /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -V | tail -n 1)
		PG_CONFIG=${PG_CONFIG:-$(command -v pg_config || true)}
	fi
}

# Can we build for PG_CONFIG, run its server and, if need be, its TAP tests?
is_equipped() {
	find_pg_config
	[ -n "${PG_CONFIG:-}" ] &&
		[ -x "$("$PG_CONFIG" --bindir)/initdb" ] &&
		[ -f "$("$PG_CONFIG" --includedir-server)/postgres.h" ] &&
		[ -f "$("$PG_CONFIG" --pgxs)" ] &&
		command -v make >/dev/null && command -v gcc >/dev/null &&
		{ [ -z "$for_tests" ] || perl -MIPC::Run -e 1 2>/dev/null; }
}

major() { "$PG_CONFIG" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/'; }

# Ctrl-C waits for the end: dpkg stopped halfway must be mended by hand.  In a
# session of its own, for apt-get lets dpkg hear it again.
apt_install() {
	( trap '' INT
	quietly as_root setsid -w env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -q --no-install-recommends "$@" )
}

# A program, and the packages to install if it is missing.
need() {
	local program=$1
	shift
	command -v "$program" >/dev/null && return
	command -v apt-get >/dev/null || die "please install $program"
	say "Installing $*"
	# One at a time: apt-get does not wait for another.
	{ flock 9; quietly as_root apt-get update -q; apt_install "$@"; } 9<"$top"
}

# The major version that PG_CONFIG is of, or else that the system packages; none
# where apt-get has not been told yet.
packaged_version() {
	if [ -n "${PG_CONFIG:-}" ]; then
		major
	else
		apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p'
	fi
}

# What is not installed of the packages for that version.
missing_packages() {
	local package packages=(postgresql postgresql-server-dev-all)
	[ -z "$1" ] || packages=("postgresql-$1" "postgresql-server-dev-$1")
	for package in "${packages[@]}" make gcc libc6-dev ${for_tests:+libipc-run-perl faketime}; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
	done
}

may_install() { [ "$(id -u)" -eq 0 ] || { command -v sudo >/dev/null && sudo -v; }; }

# Debian's server package makes and starts a cluster of its own on port 5432
# when it is first installed.  Here nobody asked for one.
install_packages() {
	local version package conf=/etc/postgresql-common/createcluster.d/objectid_ext.conf
	command -v apt-get >/dev/null ||
		die "please install PostgreSQL 15 or later with its development files, make, gcc and, for tests, Perl's IPC::Run"
	may_install || die "some packages are missing, and only root can install them:" $'\n   ' \
		apt-get install $(missing_packages "$(packaged_version)")
	say "Installing what is missing: this may take some minutes"
	quietly as_root apt-get update -q
	version=$(packaged_version)
	[ "${version:-0}" -ge 15 ] || die "PostgreSQL 15 or later is needed; here is ${version:-none}"
	if [ ! -x "/usr/lib/postgresql/$version/bin/postgres" ]; then
		trap "as_root rm -f $conf" EXIT
		as_root mkdir -p "${conf%/*}"
		printf '# %s removes this file\ncreate_main_cluster = false\n' "$0" | as_root tee "$conf" >/dev/null
	fi
	apt_install $(missing_packages "$version")
	for package in "${optional[@]}"; do
		apt_install "${package/VERSION/$version}" 2>/dev/null || true
	done
	as_root rm -f "$conf"
	PG_CONFIG=/usr/lib/postgresql/$version/bin/pg_config
}

# A user who wants that cluster later does not get it by installing the package again.
tell_of_cluster() {
	command -v pg_lsclusters >/dev/null && [ -z "$(pg_lsclusters -h)" ] || return 0
	say "A server of your own"
	echo 'PostgreSQL is installed here, but has no cluster.  To create and start one, as root:'
	echo '   ' pg_createcluster -e UTF8 "$(major)" main --start
}

remove_work() {
	[ -n "$work" ] || return 0
	trap '' INT TERM HUP            # a second Ctrl-C must not leave half of it
	stop_server
	wait                            # tests in the background, which end without it
	rm -rf "$work"
	work=
}

# Packages, an ordinary user, and a folder that this user may write to.
prepare() {
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	is_equipped || install_packages
	is_equipped || die "the installed packages are not enough to build for ${PG_CONFIG:-any server}"
	[ "$(major)" -ge 15 ] || die "PostgreSQL 15 or later is needed; $PG_CONFIG is of $(major)"
	# The caller's PGSERVICE, PGHOSTADDR or PGOPTIONS must not lead anything
	# to a server of his.  libpq's variables have no underscore.
	unset $(compgen -e PG | grep -v _)
	bindir=$("$PG_CONFIG" --bindir)
	trap remove_work EXIT
	# A path of its own: a socket's is at most 107 bytes long.
	# And a private one, because the server trusts all users who can reach its socket.
	work=$(mktemp -d /tmp/objectid_ext.XXXXXX)
	if [ "$(id -u)" -eq 0 ]; then
		as_user=(runuser -u postgres --)
		chown postgres "$work"
	fi
	cd "$work"
	export PG_CONFIG
}

run() { "${as_user[@]}" env HOME="$work" "$@"; }

# The files of a tree but those that a build or a run of the tests makes, which
# may be at it now.
source_files() {
	local version
	version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" "$1/tools/objectid_ext_tools.control")
	( cd "$1" && find . -type d \( -name .git -o -name results -o -name 'output_iso' -o -name 'tmp_check*' \) -prune -o \
		-type f ! -path './objectid_ext--*.sql' ! -path "./tools/objectid_ext_tools--$version.sql" ! -name '*.o' ! -name '*.so' ! -name '*.bc' ! -name 'regression.*' -print0 )
}

# Build a copy of the tree and install it below $work, where the server finds
# it by its settings; only a server that has no such setting needs the real
# directories.  The settings go to $work/private.conf.
build() {
	local pkglibdir sharedir
	say "Building for $("$PG_CONFIG" --version)"
	run mkdir "$work/src"
	source_files "$top" | tar -C "$top" --null -T - -cf - | run tar -C "$work/src" --no-same-owner -xf -
	run make -s -j "$(nproc)" -C "$work/src" PG_CONFIG="$PG_CONFIG" COPT="${COPT:-}"
	run make -s -C "$work/src" PG_CONFIG="$PG_CONFIG" COPT="${COPT:-}" \
		install DESTDIR="$work/dest" >/dev/null

	pkglibdir=$work/dest$("$PG_CONFIG" --pkglibdir)
	sharedir=$work/dest$("$PG_CONFIG" --sharedir)
	: >"$work/private.conf"
	if has_setting extension_destdir; then
		echo "extension_destdir = '$work/dest'" >>"$work/private.conf"
	elif has_setting extension_control_path; then
		echo "extension_control_path = '$sharedir:\$system'" >>"$work/private.conf"
	else
		as_root make -s -C "$work/src" PG_CONFIG="$PG_CONFIG" install >/dev/null
		return
	fi
	echo "dynamic_library_path = '$pkglibdir:\$libdir'" >>"$work/private.conf"
}

has_setting() {
	[[ $'\n'$(run "$bindir/postgres" --describe-config) == *$'\n'"$1"$'\t'* ]]
}

# A server in $work/data, on a socket in $work only.
start_server() {
	say "Starting a throw-away server"
	run "$bindir/initdb" -D "$work/data" -U postgres --auth=trust --encoding=UTF8 \
		--no-locale --no-sync >/dev/null
	{
		cat "$work/private.conf"
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$work'"
		echo "fsync = off"
	} | run tee -a "$work/data/postgresql.conf" >/dev/null
	run "$bindir/pg_ctl" -p "${postgres:-$bindir/postgres}" -D "$work/data" -l "$work/server.log" -w -s start ||
		{ cat "$work/server.log" >&2; die "the server does not start"; }
	export PGHOST=$work PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

stop_server() {
	[ ! -f "$work/data/postmaster.pid" ] ||
		run "$bindir/pg_ctl" -D "$work/data" -m immediate -s stop || true
}
