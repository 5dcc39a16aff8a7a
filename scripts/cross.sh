# The servers of "scripts/test-matrix windows musl": built from source as that of
# scripts/assert is, but by mingw-w64 and by musl-gcc, in a system that has the packaged
# server of the same version.
#
# The one for Windows runs under wine; psql and pg_regress are those of the packaged
# server.  scripts/check sources this file after common.sh if CROSS is windows, for
# the functions below that build the extension, start the server and stop it.

. "$top/scripts/assert_server.sh"

# The options of configure; musl's headers do not include those of the kernel.
make_cross_server() {
	prefix=$dir/pgsql-$(major)-$1
	case $1 in
		windows)
			make_server --host=x86_64-w64-mingw32
			write_pg_config ;;
		musl)
			mkdir -p "$dir/kernel"
			ln -sfn /usr/include/{linux,asm-generic,x86_64-linux-gnu/asm} "$dir/kernel"
			make_server CC="$(musl_cc)" ;;
	esac
}

musl_cc() { echo "musl-gcc -idirafter $dir/kernel"; }

# pg_config.exe in words of Linux, with the folders of a prefix that has "pgsql" in it
write_pg_config() {
	cat >"$prefix/pg_config" <<-END
		#!/bin/sh
		case \$1 in
			--version) echo "PostgreSQL $(major)" ;;
			--pgxs) echo $prefix/lib/pgxs/src/makefiles/pgxs.mk ;;
			*) echo "\$1" | sed 's,^--\(pkg\)*,$prefix/,; s,dir-,/,; s,dir$,,' ;;
		esac
	END
	chmod +x "$prefix/pg_config"
}

[ "${CROSS-}" = windows ] || return 0

# As MSVC does, a library exports what is declared so, and nothing else.
build() {
	prefix=$dir/pgsql-$(major)-windows
	say "Building by mingw-w64"
	run mkdir "$work/src"
	source_files "$top" | tar -C "$top" --null -T - -cf - | run tar -C "$work/src" --no-same-owner -xf -
	set -- make -s -C "$work/src" PG_CONFIG="$prefix/pg_config" PG_LDFLAGS=-Wl,--exclude-all-symbols \
		COPT="${COPT:-} -DPGDLLEXPORT='__declspec(dllexport)'"
	run "$@" -j "$(nproc)"
	"$@" install >/dev/null
}

# A program of the server.  Its output goes to a file: a pipe would stay open.
wine() {
	local program=$prefix/bin/$1.exe
	shift
	run env WINEDEBUG=-all "PATH=$PATH:/usr/lib/wine" wine64 "$program" "$@" >>"$work/wine.log" 2>&1 </dev/null
}

start_server() {
	local port
	port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
	say "Starting a throw-away server under wine"
	wine initdb -D "$work/data" -U postgres --auth=trust --encoding=UTF8 --no-locale --no-sync &&
		printf '%s\n' "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" "port = $port" 'fsync = off' |
		run tee -a "$work/data/postgresql.conf" >/dev/null &&
		wine pg_ctl -D "$work/data" -l "$work/server.log" -w -s start ||
		{ cat "$work/wine.log" "$work/server.log" >&2; die "the server does not start"; }
	export PGHOST=127.0.0.1 PGPORT=$port PGUSER=postgres PGDATABASE=postgres
}

stop_server() {
	[ ! -f "$work/data/postmaster.pid" ] || wine pg_ctl -D "$work/data" -m immediate -s stop || true
	run env "PATH=$PATH:/usr/lib/wine" wineserver64 -k || true
}
