#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, one after the other.
#
#   scripts/fuzz.sh [TIME]     default 20s each
#
# A target fails when it finds an input that fails, and only then. Go's fuzzer
# before 1.27 may also end with "context deadline exceeded" and no input, when
# its time runs out while a worker is busy (golang/go#75804): such a run is
# taken again, at most twice.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# deadline says whether the log holds nothing worse than the race at the end.
deadline() {
	grep -qx ' *context deadline exceeded' "$log" &&
		! grep -qE 'Failing input written|panic:|DATA RACE|_test\.go:|hung or terminated' "$log"
}

# fuzz runs one target. Two processes at most: fuzzing takes all it gets. Making
# interesting inputs smaller is bounded by number, for it may else eat the time.
fuzz() {
	local name=$1 package=$2 try
	for try in 1 2 3; do
		if go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 10x \
			-parallel 2 "$package" </dev/null 2>&1 | tee "$log"; then
			return 0
		fi
		deadline || return 1
		echo "fuzz: $name ran out of time while a worker was busy; no failing input (try $try)"
	done
	return 1
}

targets=$(git grep -hoE --untracked '^func Fuzz[A-Za-z0-9_]*\(' -- '*_test.go' | wc -l)
echo "fuzz: $targets targets, $time each"
git grep -oE --untracked '^func Fuzz[A-Za-z0-9_]*\(' -- '*_test.go' | while IFS=: read -r file found; do
	name=${found#func }
	name=${name%(}
	echo "fuzz: $name in $(dirname "$file")"
	fuzz "$name" "./$(dirname "$file")"
done
