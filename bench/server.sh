# What bench/run and bench/repeats share: a throw-away server with the functions that
# measure, and clients.

. "$(dirname "${BASH_SOURCE[0]}")/../scripts/common.sh"

psql() { run "$bindir/psql" -X -q -v ON_ERROR_STOP=1 "$@"; }

# Concurrent clients run a script for some seconds.
run_clients() {		# clients, seconds, script
	printf '%s\n' "$3" | run tee "$work/script.sql" >/dev/null
	run "$bindir/pgbench" -n -M prepared -c "$1" -j 2 -T "$2" -f "$work/script.sql" >"$work/pgbench.log" 2>&1 ||
		{ cat "$work/pgbench.log" >&2; die "pgbench failed"; }
}

# How often the script ran, a second
frequency() { sed -n 's/^tps = \([0-9.]*\) .*/\1/p' "$work/pgbench.log" | head -n 1; }

# Ids that clients then keep by bench_keep()
forget_ids() {
	run rm -rf "$work/data/bench_kept"
	run mkdir "$work/data/bench_kept"
}

machine() {
	echo "$(nproc) processors $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
		"$(awk '/^MemTotal/ { printf "%.0f", $2 / 1048576 }' /proc/meminfo) GB of memory"
}

# The commit that is measured, where this is a repository
commit() {
	local commit changes
	commit=$(git -C "$top" rev-parse --short HEAD 2>/dev/null) || return 0
	changes=$(git -C "$top" status --porcelain -- . ":!figures")
	echo ", of commit $commit${changes:+ with changes}"
}

# All data in memory, one process, no background work.
start_bench_server() {
	run make -s -C "$work/src/bench" PG_CONFIG="$PG_CONFIG" with_llvm=no
	cat >"$work/settings" <<-END
		shared_buffers = 2GB
		work_mem = 1GB
		maintenance_work_mem = 1GB
		max_wal_size = 8GB
		checkpoint_timeout = 30min
		autovacuum = off
		max_connections = 250
		jit = off
		max_parallel_workers_per_gather = 0
		max_parallel_maintenance_workers = 0
	END
	cat "$work/settings" >>"$work/private.conf"
	# A backend that gives memory back and gets it anew (glibc) measures the kernel.
	export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000
	start_server
	export PGOPTIONS='-c client_min_messages=warning'
	psql -v module="$work/src/bench/bench_calls" -f "$work/src/bench/framework.sql"
	psql -v keep="$work/src/bench/bench_keep" -f "$work/src/bench/sustained.sql"
}
