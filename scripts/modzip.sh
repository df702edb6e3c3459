#!/usr/bin/env bash
# Packs the last commit as the module zip that a proxy would serve, and installs
# the command from it the way users do: go install MODULE/cmd/totemgo@VERSION.
set -euo pipefail
cd "$(dirname "$0")/.."

module=github.com/totemgo/totemgo
version=v0.0.1-modzip
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Nested modules are no part of a module's zip.
nested=()
while read -r mod; do
	nested+=(":(exclude)$(dirname "$mod")")
done < <(git ls-files '*/go.mod')

served=$work/proxy/$module/@v
mkdir -p "$served"
git archive --format=zip --prefix="$module@$version/" -o "$served/$version.zip" HEAD -- . "${nested[@]}"
git show HEAD:go.mod >"$served/$version.mod"
printf '{"Version":"%s","Time":"2000-01-01T00:00:00Z"}\n' "$version" >"$served/$version.info"
echo "$version" >"$served/list"

what=$module/cmd/totemgo
if [[ -z $(git ls-files cmd/totemgo) ]]; then
	what= # nothing to install yet: the zip is still unpacked and checked
fi
# The module comes from the folder alone, into a cache of its own; the modules it
# needs come from this machine's cache.
cache=$(go env GOMODCACHE)
export GOPROXY="file://$work/proxy,file://$cache/cache/download,$(go env GOPROXY)"
# No checksum database: this version is in none, and go.sum vouches for the rest.
export GOSUMDB=off GONOPROXY=none GOPRIVATE= GOFLAGS=-modcacherw
export GOMODCACHE=$work/cache GOBIN=$work/bin
cd "$work"
if [[ -n $what ]]; then
	go install "$what@$version"
	"$work/bin/totemgo" version
else
	go mod download "$module@$version"
fi
echo "modzip: the module installs from its zip"
