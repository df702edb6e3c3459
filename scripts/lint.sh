#!/usr/bin/env bash
# gofmt, go vet for every system and tag that is built, golangci-lint if present.
set -euo pipefail
cd "$(dirname "$0")/.."

unformatted=$(git ls-files -co --exclude-standard -z '*.go' | xargs -0r gofmt -l)
if [[ -n $unformatted ]]; then
	printf 'lint: not formatted (gofmt -w):\n%s\n' "$unformatted" >&2
	exit 1
fi
for target in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do
	echo "lint: go vet for $target"
	CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go vet ./...
done
for tags in noasm nogpu; do
	if git grep -qE "^//go:build.*\b$tags\b" -- '*.go'; then
		echo "lint: go vet -tags $tags"
		go vet -tags "$tags" ./...
	fi
done
if command -v golangci-lint >/dev/null; then
	echo "lint: golangci-lint"
	golangci-lint run ./...
fi
