# What scripts/sanitize and scripts/valgrind share: the regression tests in a
# server that runs under a tool, and what it had to report.

# Start the server by a command in front of it, or in an environment, that
# psql and make need not have.
start_server_under() {
	postgres=$work/postgres
	printf '%s\n' '#!/bin/sh' "exec $* $bindir/postgres \"\$@\"" | run tee "$postgres" >/dev/null
	run chmod +x "$postgres"
	echo "log_line_prefix = '%m [%p] %e '" >>"$work/private.conf"
	start_server
}

# Names of tests in a directory, except those that patterns in heavy match
light_tests() {
	local name pattern
	for name in $(cd "$top/$1" && ls *."$2"); do
		for pattern in "${heavy[@]-}"; do
			[[ ${name%.*} != $pattern ]] || continue 2
		done
		echo "${name%.*}"
	done
}

# The tests of sql/ that are named, and nothing else; without names all of sql/
# and specs/ but $heavy.
run_tests() {
	local tests
	if [ $# -gt 0 ]; then
		tests=(ISOLATION= REGRESS="$*")
	else
		tests=(REGRESS="$(light_tests sql sql | xargs)" ISOLATION="$(light_tests specs spec | xargs)")
		[ -z "${heavy-}" ] || say "Left out unless they are named: ${heavy[*]}"
	fi
	run make -s -C "$work/src" PG_CONFIG="$PG_CONFIG" TAP_TESTS= installcheck \
		"${tests[@]}" && return
	cat "$work"/src/{,output_iso/}regression.diffs 2>/dev/null
	return 1
}

# Fail on an internal error, a crash, a report in a file $work/report.*, or one
# in the server's log, where all of the server's own begins with the year or a
# tab.
show_findings() {
	local found=0
	grep -E '\] XX000 |PANIC:|server process .* (exited|was terminated)' "$work/server.log" && found=1
	grep -vE $'^(2[0-9]{3}-|\t)' "$work/server.log" && found=1
	cat "$work"/report.* 2>/dev/null | grep . && found=1
	return $found
}
