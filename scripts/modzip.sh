#!/usr/bin/env bash
# Packs the last commit as the module zips that a proxy would serve, and uses them as
# users do: go install MODULE/cmd/totemgo@VERSION, and a module that requires the engine
# and the CUDA driver nested in it.
set -euo pipefail
cd "$(dirname "$0")/.."

module=github.com/totemgo/totemgo
version=$(go -C cuda list -m -f '{{.Version}}' "$module") # the next release's
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# serve MODULE TREE PATH...: a module of the last commit.
serve() {
	local served=$work/proxy/$1/@v tree
	tree=$(git rev-parse "$2")
	mkdir -p "$served"
	git archive --format=zip --prefix="$1@$version/" -o "$served/$version.zip" "$tree" -- "${@:3}"
	git show "$tree:go.mod" >"$served/$version.mod"
	printf '{"Version":"%s","Time":"2000-01-01T00:00:00Z"}\n' "$version" >"$served/$version.info"
	echo "$version" >"$served/list"
}
serve "$module" HEAD: . ':(exclude)cuda' # a nested module is no part of a zip
serve "$module/cuda" HEAD:cuda .

# The module comes from the folder alone, into a cache of its own; the modules it
# needs come from this machine's cache.
cache=$(go env GOMODCACHE)
export GOPROXY="file://$work/proxy,file://$cache/cache/download,$(go env GOPROXY)"
# No checksum database: this version is in none, and go.sum vouches for the rest.
export GOSUMDB=off GONOPROXY=none GOPRIVATE= GOFLAGS=-modcacherw
export GOMODCACHE=$work/cache GOBIN=$work/bin
cd "$work"
go install "$module/cmd/totemgo@$version"
"$work/bin/totemgo" version

# The driver needs cuda.h to compile; what it imports is found without.
mkdir user && cd user
printf 'module user\n\ngo 1.25.0\n\nrequire %s %s\n' "$module/cuda" "$version" >go.mod
printf 'package main\n\nimport (\n\t_ "%s"\n\t_ "%s"\n)\n\nfunc main() {}\n' "$module/cuda" "$module/engine" >main.go
go mod tidy
CGO_ENABLED=1 go list -deps . | grep -Fx "$module/cuda"
echo "modzip: the modules install from their zips"
