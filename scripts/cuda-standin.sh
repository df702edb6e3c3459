#!/usr/bin/env bash
# Builds a stand-in for NVIDIA's libcuda.so.1, which runs the kernels on the CPU, so
# that totemgo-cuda runs where there is no GPU:
#
#   scripts/cuda-standin.sh FOLDER
#   LD_LIBRARY_PATH=FOLDER bin/totemgo-cuda devices
set -euo pipefail
folder=${1:?usage: scripts/cuda-standin.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/../kernels/gpu"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
	for name in $(sed -n '/^func Names/,/^}/p' src/src.go | grep -o '"[^"]*"' | tr -d '"'); do
		printf '#line 1 "%s"\n' "$name"
		cat "src/$name"
	done
	# A caller for each kernel, which reads the arguments through their addresses, and
	# whether its lanes meet at barriers.
	cat src/*.cl | tr '\n' ' ' | awk -v RS='KERNEL ' 'NR > 1 {
		open = index($0, "(")
		name = substr($0, 1, open - 1)
		n = split(substr($0, open + 1, index($0, ")") - open - 1), parameters, ",")
		printf "static void call_%s(void **a) { %s(", name, name
		for (i = 1; i <= n; i++) {
			type = parameters[i]
			sub(/[A-Za-z_0-9]+ *$/, "", type)
			printf "%s*(%s *)a[%d]", (i == 1 ? "" : ", "), type, i - 1
		}
		print "); }"
		table = table "  {\"" name "\", call_" name ", " (/BARRIER\(|scan\(/ ? 1 : 0) "},\n"
	}
	END { printf "static const struct kernel host_kernels[] = {\n%s  {0, 0, 0}\n};\n", table }'
} >"$work/kernels.inc"

read -ra defines <<<"$(sed -n 's/^const PTXOptions = "\(.*\)"$/\1/p' src/ptx.go)"
"${CC:-cc}" -std=gnu11 -O2 -Wall -Werror -fPIC -shared -pthread -DHOST_KERNELS "${defines[@]}" -I "$work" \
	-Wl,-soname,libcuda.so.1 -o "$folder/libcuda.so.1" ../../cuda/testdata/standin.c
ln -sf libcuda.so.1 "$folder/libcuda.so"
