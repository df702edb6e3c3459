#!/usr/bin/env bash
# Compares the benchmarks of the working tree with those of another commit, in
# interleaved rounds, by benchstat.
#
#   BENCH=regexp BENCHTIME=1s PKG=./... ROUNDS=6 scripts/bench-compare.sh REF
set -euo pipefail
cd "$(dirname "$0")/.."
ref=${1:-}
if [[ -z $ref ]]; then
	echo "bench-compare: which commit? make bench-compare REF=main" >&2
	exit 2
fi
benchstat=golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
read -ra packages <<<"${PKG:-./...}"

work=$(mktemp -d)
cleanup() {
	git worktree remove --force "$work/old" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
git worktree add --quiet --detach "$work/old" "$ref"

run() { # run FOLDER OUTPUT
	(cd "$1" && go test -run '^$' -bench "${BENCH:-.}" -benchtime "${BENCHTIME:-1s}" "${packages[@]}") | tee -a "$2" | grep -E '^Benchmark|FAIL' || true
}
for ((round = 1; round <= ${ROUNDS:-6}; round++)); do
	echo "bench-compare: round $round"
	run "$work/old" "$work/old.txt"
	run . "$work/new.txt"
done
go run "$benchstat" "$ref=$work/old.txt" "here=$work/new.txt"
