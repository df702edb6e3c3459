#!/usr/bin/env bash
# Rebuilds the generated files and fails if a committed one changes: what is
# committed has to be what the generators make.
set -euo pipefail
cd "$(dirname "$0")/.."

# Generators that need modules of their own have a folder with its own go.mod.
git ls-files '*/go.mod' | while read -r mod; do
	echo "generate: $(dirname "$mod")"
	(cd "$(dirname "$mod")" && go generate ./... </dev/null)
done
go generate ./...

changed=$(git status --porcelain)
if [[ -n $changed ]]; then
	printf 'generate: the work tree is not clean:\n%s\n' "$changed" >&2
	exit 1
fi
