# What scripts/test-matrix and scripts/prove share: minimal systems of other releases
# of Debian, below $MATRIX_DIR (default /var/tmp/objectid_ext-matrix).  They are made
# the first time and kept for the next.  Needs root.

dir=${MATRIX_DIR:-/var/tmp/objectid_ext-matrix}
root=                           # the system at hand

unmount() {
	[ -z "$root" ] || umount -q "$root/dev/shm" "$root/dev" "$root/proc" || true
}

# One process at a time looks, and installs it.
have_debootstrap() {
	mkdir -p "$dir"
	flock "$dir" sh -c 'command -v debootstrap || { apt-get update -q && apt-get install -q -y debootstrap; }' >/dev/null
}

# Can this machine run programs of that architecture, if need be by emulation?
can_run() {
	[ -n "$1" ] && ! arch-test "$1" >/dev/null 2>&1 || return 0
	apt-get install -q -y --no-install-recommends arch-test qemu-user-static binfmt-support >/dev/null &&
		{ mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc; } &&
		update-binfmts --enable &&
		arch-test "$1" >/dev/null
}

# A minimal Debian in $root, with /proc and /dev, in which no service starts.
make_root() {
	local suite=$1 arch=$2
	can_run "$arch" || return 1
	if [ ! -e "$root/complete" ]; then
		rm -rf "$root"
		# experimental is an addition to sid
		debootstrap --variant=minbase ${arch:+--arch="$arch"} "${suite/experimental/sid}" "$root" \
			>>"$root.log" || return 1
		printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
		chmod +x "$root/usr/sbin/policy-rc.d"
		echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99matrix"
		if [ "$suite" = experimental ]; then
			sed 's/ sid / experimental /' "$root/etc/apt/sources.list" \
				>"$root/etc/apt/sources.list.d/experimental.list"
		fi
		touch "$root/complete"
	fi
	mount -t proc proc "$root/proc" &&
		mount --bind /dev "$root/dev" &&
		mount --bind /dev/shm "$root/dev/shm"
}

install_in_root() {
	chroot "$root" apt-get update -q >/dev/null || return 1
	chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
		"$@" >>"$dir/${root##*/}.log" 2>&1
}

# A copy of the tree in a folder of $root
copy_tree() {
	rm -rf "${root:?}/$1"
	mkdir "$root/$1"
	tar -C "$top" --exclude=.git -cf - . | tar -C "$root/$1" --no-same-owner -xf -
}
