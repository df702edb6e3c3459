#!/usr/bin/env bash
# Builds stand-ins for NVIDIA's libcuda.so.1 and libnvrtc.so, which compile and run the kernels on
# the CPU, so that CUDA devices are there without a GPU:
#
#   scripts/cuda-standin.sh FOLDER
#   TOTEMGO_CUDA=FOLDER/libcuda.so.1 TOTEMGO_NVRTC=FOLDER/libnvrtc.so bin/totemgo devices
#   LD_LIBRARY_PATH=FOLDER bin/totemgo-cuda devices
#
#   scripts/cuda-standin.sh --kernels SOURCE LIBRARY [-DNAME=VALUE...]     one source, for the second
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
standin=$here/kernels/gpu/device/cuda/testdata

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compile() { "${CC:-cc}" -std=gnu11 -O2 -Wall -Werror -fPIC -shared -pthread -DHOST_KERNELS "$@"; }

# kernels SOURCE DEFINES...: writes kernels.inc, the preprocessed source with a caller for each
# kernel, which reads the arguments through their addresses, and whether its lanes meet at barriers.
kernels() {
	local source=$1
	shift
	"${CC:-cc}" -std=gnu11 -E -P -DHOST_KERNELS "$@" -x c "$source" -o "$work/body.c"
	{
		cat "$work/body.c"
		tr '\n' ' ' <"$work/body.c" | sed -E 's/static (inline|__attribute__\(\(unused\)\) void) /\n\1 /g' | awk '
			BEGIN { barrier = "host_barrier" }
			NR > 1 {
				open = index($0, "(")
				is_kernel = sub(/^__attribute__\(\(unused\)\) void /, "")
				open = index($0, "(")
				name = substr($0, 1, open - 1)
				sub(/^.*[ *]/, "", name)
				meets = substr($0, open) ~ "(^|[^A-Za-z_0-9])(" barrier ") *\\("
				if (meets) barrier = barrier "|" name
				if (!is_kernel) next
				n = split(substr($0, open + 1, index($0, ")") - open - 1), parameters, ",")
				printf "static void call_%s(void **a) { %s(", name, name
				for (i = 1; i <= n; i++) {
					type = parameters[i]
					sub(/[A-Za-z_0-9]+ *$/, "", type)
					printf "%s*(%s *)a[%d]", (i == 1 ? "" : ", "), type, i - 1
				}
				print "); }"
				table = table "  {\"" name "\", call_" name ", " n ", " (meets ? 1 : 0) ", run},\n"
			}
			END { printf "const struct kernel host_kernels[] = {\n%s  {0, 0, 0, 0, 0}\n};\n", table }'
	} >"$work/kernels.inc"
}

if [[ ${1:-} == --kernels ]]; then
	source=$2 library=$3
	shift 3
	kernels "$source" "$@"
	compile "$@" -I "$work" -o "$library" "$standin/kernels.c"
	exit
fi

folder=${1:?usage: scripts/cuda-standin.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cd "$here/kernels/gpu/src"
for name in $(sed -n '/^func Names/,/^}/p' src.go | grep -o '"[^"]*"' | tr -d '"'); do
	printf '#line 1 "%s"\n' "$name"
	cat "$name"
done >"$work/kernels.c"
read -ra defines <<<"$(sed -n 's/^const PTXOptions = "\(.*\)"$/\1/p' ptx.go)"
kernels "$work/kernels.c" "${defines[@]}"
compile "${defines[@]}" -I "$work" -Wl,-soname,libcuda.so.1 -o "$folder/libcuda.so.1" "$standin/standin.c" "$standin/kernels.c" -ldl
ln -sf libcuda.so.1 "$folder/libcuda.so"
compile -DSCRIPT="\"$here/scripts/cuda-standin.sh\"" -o "$folder/libnvrtc.so" "$standin/nvrtc.c"
