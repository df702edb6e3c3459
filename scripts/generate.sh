#!/usr/bin/env bash
# Rebuilds the generated files and fails if a committed one changes: what is
# committed has to be what the generators make.
set -euo pipefail
cd "$(dirname "$0")/.."

state() { git status --porcelain && git diff HEAD | git hash-object --stdin; }
before=$(state)

# Generators that need modules of their own have a folder with its own go.mod.
git ls-files '*/go.mod' | while read -r mod; do
	echo "generate: $(dirname "$mod")"
	(cd "$(dirname "$mod")" && go generate ./... </dev/null)
done
go generate ./...

if [[ $(state) != "$before" ]]; then
	echo "generate: the generated files were not up to date:" >&2
	git status --short >&2
	exit 1
fi
