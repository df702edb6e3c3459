#!/usr/bin/env bash
# Builds the device kernels into kernels/gpu/src/kernels.ptx, which the CUDA build
# embeds. clang alone does it, without an SDK; one version of it, so that a rebuild
# gives the same bytes.
#
#   scripts/ptx.sh            writes the file
#   scripts/ptx.sh --check    fails if the file is not what a build gives
set -euo pipefail
cd "$(dirname "$0")/../kernels/gpu/src"

clang=${CLANG:-clang-15}
if ! command -v "$clang" >/dev/null; then
	echo "ptx: there is no $clang: make deps DEPS=clang" >&2
	exit 1
fi
options=$(sed -n 's/^const PTXOptions = "\(.*\)"$/\1/p' ptx.go)
names=$(sed -n '/^func Names/,/^}/p' src.go | grep -o '"[^"]*"' | tr -d '"')
if [[ -z $options || -z $names ]]; then
	echo "ptx: ptx.go and src.go do not name the options and the files as expected" >&2
	exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in $names; do # as Text in src.go
	printf '#line 1 "%s"\n' "$name"
	cat "$name"
done >"$work/kernels.cu"

# No fused multiply-add and no flush of denormals: every processor computes the same.
read -ra defines <<<"$options"
(cd "$work" && "$clang" -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_60 \
	-Xclang -target-feature -Xclang +ptx63 -O2 -ffp-contract=off -Wall -Werror \
	"${defines[@]}" -S kernels.cu -o body.ptx)
{
	echo "// The device kernels for sm_60 and later, built by scripts/ptx.sh."
	echo "// options: $options"
	echo "// source: $(sha256sum <"$work/kernels.cu" | cut -d ' ' -f 1)"
	cat "$work/body.ptx"
} >"$work/kernels.ptx"

if [[ ${1:-} == --check ]]; then
	if ! cmp -s "$work/kernels.ptx" kernels.ptx; then
		diff "$work/kernels.ptx" kernels.ptx | head -n 20 >&2 || true
		echo "ptx: kernels/gpu/src/kernels.ptx is not what the sources give: run scripts/ptx.sh" >&2
		exit 1
	fi
	echo "ptx: the committed file is what $clang gives"
else
	cp "$work/kernels.ptx" kernels.ptx
	chmod 644 kernels.ptx
fi
