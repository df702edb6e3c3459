#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, one after the other.
#
#   scripts/fuzz.sh [TIME]     default 20s each
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}

# Two processes at most: fuzzing takes all it gets.
targets=$(git grep -hoE --untracked '^func Fuzz[A-Za-z0-9_]*\(' -- '*_test.go' | wc -l)
echo "fuzz: $targets targets, $time each"
git grep -oE --untracked '^func Fuzz[A-Za-z0-9_]*\(' -- '*_test.go' | while IFS=: read -r file found; do
	name=${found#func }
	name=${name%(}
	echo "fuzz: $name in $(dirname "$file")"
	go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -parallel 2 "./$(dirname "$file")" </dev/null
done
