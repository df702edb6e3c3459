#!/usr/bin/env bash
# Compiles the kernels of programs with values as CUDA, an operator of each form, and those of dense tiles, and assembles them:
# no register may spill. Nothing is kept: a device compiles them from source.
#
#   scripts/gpu-lint-values.sh PTXAS
set -euo pipefail
ptxas=$1
cd "$(dirname "$0")/../kernels/gpu/src"
clang=${CLANG:-clang-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sets=(-DWG=256 -DFP64 -DINT64 -DBLOCK=1024)
kernels=0

# check NAME FRAGMENT FILES… -- DEFINES…
check() {
	local name=$1 fragment=$2 files=() arch report
	shift 2
	while [[ $1 != -- ]]; do
		files+=("$1")
		shift
	done
	shift
	{
		cat compat.h bits.cl value_bits.cl "${files[@]:0:${#files[@]}-1}"
		printf '%s\n' "$fragment"
		cat "${files[-1]}"
	} >"$work/$name.cu"
	"$clang" -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_60 -Xclang -target-feature -Xclang +ptx63 \
		-O2 -ffp-contract=off -Wall -Werror -Wno-unused-function "${sets[@]}" "$@" -S "$work/$name.cu" -o "$work/$name.ptx"
	for arch in 70 80 90; do
		report=$("$ptxas" -arch="sm_$arch" -v "$work/$name.ptx" -o /dev/null 2>&1) || {
			printf '%s\n' "$report" >&2
			echo "gpu-lint: ptxas refuses $name for sm_$arch" >&2
			exit 1
		}
		if grep -qE '[1-9][0-9]* bytes spill' <<<"$report"; then
			printf '%s\n' "$report" >&2
			echo "gpu-lint: $name spills registers on sm_$arch" >&2
			exit 1
		fi
	done
	kernels=$((kernels + $(grep -c '\.entry' "$work/$name.ptx")))
}

edge() { check "edge-$1" "${3:-}" value.cl value_edge.cl -- $2; }

for type in 0 1 2 3 4 5; do
	check "set-$type" "" value.cl value_set.cl -- "-DTYPE=$type" -DLEAST
	edge "relax-$type" "-DTYPE=$type -DMAPPING=2 -DCOMBINING=1 -DSELF -DWEIGHTED"
	edge "tight-$type" "-DTYPE=$type -DMAPPING=5 -DCOMBINING=0 -DWEIGHTED"
	edge "sum-$type" "-DTYPE=$type -DMAPPING=1 -DCOMBINING=3"
	edge "one-$type" "-DTYPE=$type -DMAPPING=3 -DCOMBINING=3"
done
edge visit "-DTYPE=0 -DMAPPING=0 -DCOMBINING=0 -DONCE"
edge widen "-DTYPE=5 -DMAPPING=1 -DCOMBINING=3 -DWIDENS"
edge known "-DTYPE=2 -DMAPPING=1 -DCOMBINING=2 -DKNOWN"
edge user "-DTYPE=4 -DMAPPING=6 -DCOMBINING=4 -DVALUED -DWEIGHTED" '#define IDENTITY ((T)0)
FN T send(uint u, T from, T w) { return from * w; }
FN uint merge(T* to, T x) { *to += x; return 1; }'
arrays='#define ARRAYS GLB double* t_0
#define NAMES t_0'
check vertex "$arrays
FN void vertex(uint v, uint i, uint* t_stays, GLB double* rank) { if (rank[v] == 0) *t_stays = 0; }" value_vertex.cl --
check sums "$arrays
FN void vertex(uint v, uint i, uint* t_stays, double a, double b, double c, double d, double* t_sums, GLB double* rank) {
  rank[v] = a + b * rank[v]; t_sums[0] += c * rank[v]; t_sums[4] = d < t_sums[4] ? d : t_sums[4]; }" value_vertex.cl -- -DSUMS
check local '#define ARRAYS GLB uint* t_0
#define NAMES t_0
FN void arc(uint u, uint v, uint k, GLB uint* parent) { if (LD(&parent[u]) != LD(&parent[v])) link(parent, u, v); }
FN void rank(uint v, GLB uint* parent) { compress(parent, v); }' value_forest.cl value_local.cl --
for type in int float double; do # the tiles of package allpairs: 4 × 4 entries a lane
	check "tile-$type" "" ../../../allpairs/tile.cl -- "-DT=$type"
	check "tile-widest-$type" "" ../../../allpairs/tile.cl -- "-DT=$type" -DWIDEST
done
echo "gpu-lint: $kernels kernels of values and tiles compiled as CUDA and assembled for sm_70, sm_80 and sm_90"
