# What scripts/assert and scripts/valgrind share: a server with --enable-cassert
# and with the marks that tell valgrind about palloc.  And what scripts/cross.sh shares
# with them: servers of the major version that PG_CONFIG has, and the latest release
# of it whose source can be had.
#
# From the upstream tarball in Debian's source package, without its patches:
# they make the server look for its files in the system's folders.  Below
# $ASSERT_DIR (default /var/tmp/objectid_ext-assert), and kept for the next run.

dir=${ASSERT_DIR:-/var/tmp/objectid_ext-assert}
prefix=

# The tarball to $dir: by the system's package sources, but in a list, and with
# an index, of our own.
fetch_tarball() {
	local source=postgresql-$(major) file version
	mkdir -p "$dir/apt/parts" "$dir/apt/lists/partial"
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		[ ! -f "$file" ] ||
			sed 's/^Types: .*/Types: deb-src/; s/^deb /deb-src /' "$file" >"$dir/apt/parts/${file##*/}"
	done
	set -- -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$dir/apt/parts" \
		-o Dir::State::Lists="$dir/apt/lists"
	# Some of them have no source packages.
	apt-get "$@" update >/dev/null 2>&1 || true
	cd "$dir"
	for version in $(apt-cache "$@" showsrc "$source" 2>/dev/null | sed -n 's/^Version: //p' | sort -rV); do
		if apt-get "$@" source --download-only "$source=$version" >/dev/null 2>&1; then
			ls "$PWD/${source}_${version%-*}".orig.tar.*
			return
		fi
		echo "The source of $version cannot be had." >&2
	done
	die "there is no source package of $source"
}

# A server in $prefix from that source, with more options for configure
make_server() {
	local tarball
	mkdir -p "$dir"
	# One run at a time, for the extension is installed into that server.
	exec {lock}>"$dir/lock"
	flock "$lock"
	[ ! -f "$prefix/complete" ] || return 0

	say "Building the server ${prefix##*/}: this takes some minutes"
	need bison bison                # 17 and later have no generated files
	need flex flex
	tarball=$(fetch_tarball)
	echo "From ${tarball##*/}"
	rm -rf "$dir/src" "$prefix"
	mkdir "$dir/src"
	cd "$dir/src"
	tar --strip-components=1 -xf "$tarball"
	quietly ./configure --prefix="$prefix" --without-readline --without-zlib --without-icu CFLAGS=-O1 "$@"
	quietly make -s -j "$(nproc)" install
	quietly make -s -j "$(nproc)" -C contrib install
	cp src/tools/valgrind.supp "$prefix"
	cd "$top"
	rm -rf "$dir/src"
	touch "$prefix/complete"
}

make_assert_server() {
	is_equipped || install_packages
	prefix=$dir/$(major)
	need valgrind valgrind          # for its header files
	make_server --enable-cassert --enable-debug --enable-tap-tests CPPFLAGS=-DUSE_VALGRIND
}
