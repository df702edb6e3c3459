#!/usr/bin/env bash
# Fetches what the CUDA build and its checks need from Debian's own archive, by
# package name, into the user's cache folder. Nothing is installed, and apt's
# configuration stays as it is. What is there already is not fetched again.
#
#   scripts/cuda-headers.sh [NAME...]      names: headers ptxas nvrtc; none means headers
#
# headers  cuda.h, and a libcuda.so to link with (not to run)
# ptxas    NVIDIA's assembler, which checks PTX without a GPU
# nvrtc    NVIDIA's compiler as a library, lib/libnvrtc.so.11.2, which runs without a GPU
#
# Prints the folder. In it: include/, lib/, bin/.
set -euo pipefail

cache=${XDG_CACHE_HOME:-$HOME/.cache}/totemgo/cuda
mkdir -p "$cache/include" "$cache/lib" "$cache/bin"

missing=()
for name in "${@:-headers}"; do
	case $name in
	headers)
		[[ -s $cache/include/cuda.h ]] || missing+=(nvidia-cuda-dev)
		[[ -e $cache/lib/libcuda.so ]] || missing+=(libcuda1)
		;;
	ptxas) [[ -x $cache/bin/ptxas ]] || missing+=(nvidia-cuda-toolkit) ;;
	nvrtc) [[ -e $cache/lib/libnvrtc.so.11.2 ]] || missing+=(libnvrtc-builtins11.8 libnvrtc11.2) ;;
	*)
		echo "cuda-headers: unknown name: $name (known: headers ptxas nvrtc)" >&2
		exit 2
		;;
	esac
done
if ((${#missing[@]} == 0)); then
	echo "$cache"
	exit 0
fi
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
	echo "cuda-headers: there is no apt-get: point CGO_CFLAGS and CGO_LDFLAGS at a CUDA 11 or 12 toolkit and run make cuda" >&2
	exit 1
fi

# The machine's own entry for Debian: its mirror, and the keyring that signs it.
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
entry() {
	shopt -s nullglob
	local files=(/etc/apt/sources.list.d/*.sources)
	((${#files[@]})) && awk -v codename="$codename" '
		function flush(  n, i, suites) {
			n = split(field["suites"], suites, " ")
			for (i = 1; i <= n; i++)
				if (suites[i] == codename && field["components"] ~ /(^| )main( |$)/ && field["enabled"] != "no") {
					split(field["uris"], uris, " ")
					print uris[1], field["signed-by"]
				}
			delete field
		}
		/^[ \t]*$/ { flush(); next }
		/^#/ { next }
		/^[A-Za-z-]+:/ {
			key = tolower(substr($0, 1, index($0, ":") - 1))
			value = substr($0, index($0, ":") + 1)
			sub(/^[ \t]+/, "", value)
			field[key] = value
		}
		END { flush() }' "${files[@]}"
	files=(/etc/apt/sources.list /etc/apt/sources.list.d/*.list)
	sed -nE "s/^deb +(\[([^]]*)\] +)?([^ ]+) +$codename +(.* )?main( .*)?\$/\3 \2/p" "${files[@]}" 2>/dev/null |
		sed -E 's/^([^ ]+) .*signed-by=([^ ]+).*$/\1 \2/; t; s/ .*$//'
}
read -r mirror keyring <<<"$(entry | head -n 1)" || true
if [[ -z ${mirror:-} ]]; then
	echo "cuda-headers: apt has no entry for Debian $codename: this script works on Debian; elsewhere install CUDA 11 or 12" >&2
	exit 1
fi

work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/root"
echo "deb ${keyring:+[signed-by=$keyring] }$mirror $codename contrib non-free" >"$work/sources.list"
apt=(apt-get -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$work/lists"
	-o Dir::Cache::archives="$work/archives" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
	-o Debug::NoLocking=true -o APT::Sandbox::User= -o APT::Get::List-Cleanup=0)

echo "cuda-headers: fetching ${missing[*]} from $mirror" >&2
"${apt[@]}" update >&2
for package in "${missing[@]}"; do
	(cd "$work" && "${apt[@]}" download "$package" >&2)
	deb=("$work/$package"_*.deb)
	case $package in
	nvidia-cuda-dev) # cuda.h stands early in an archive of 5 GB: stop there
		mkdir "$work/root/$package"
		(dpkg-deb --fsys-tarfile "${deb[0]}" 2>/dev/null || true) |
			tar -x -C "$work/root/$package" --occurrence=1 ./usr/include/cuda.h
		mv "$work/root/$package/usr/include/cuda.h" "$cache/include/"
		;;
	libcuda1)
		dpkg-deb -x "${deb[0]}" "$work/root/$package"
		library=$(find "$work/root/$package" -type f -name 'libcuda.so.*' | head -n 1)
		mv "$library" "$cache/lib/libcuda.so.1"
		ln -sf libcuda.so.1 "$cache/lib/libcuda.so"
		;;
	libnvrtc*)
		dpkg-deb -x "${deb[0]}" "$work/root/$package"
		find "$work/root/$package" -name 'libnvrtc*.so.*' -exec mv -t "$cache/lib" {} +
		;;
	nvidia-cuda-toolkit)
		dpkg-deb -x "${deb[0]}" "$work/root/$package"
		ptxas=$(find "$work/root/$package" -type f -name ptxas | head -n 1)
		mv "$ptxas" "$cache/bin/ptxas"
		;;
	esac
	rm -f "${deb[@]}"
done
echo "$cache"
