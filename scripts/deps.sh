#!/usr/bin/env bash
# Installs what tests need on Debian and Ubuntu, only what is missing, and changes
# nothing else of the machine.
#
#   scripts/deps.sh [NAME...]      names: cc clang make oclgrind pocl
#
# TOTEMGO_REQUIRE uses the same names: a test that lacks one of those fails.
set -euo pipefail

# have NAME: is it there and does it work?
have() {
	case $1 in
	cc) # the compiler that cgo calls
		printf '#include <stdlib.h>\nint main(void){return EXIT_SUCCESS;}\n' |
			"$(go env CC 2>/dev/null || echo gcc)" -x c -o /dev/null - 2>/dev/null ;;
	clang) command -v clang-15 >/dev/null ;; # the version that scripts/ptx.sh names
	make | oclgrind) command -v "$1" >/dev/null ;;
	pocl) compgen -G '/etc/OpenCL/vendors/pocl*.icd' >/dev/null && compgen -G '/usr/lib/*/libOpenCL.so.1' >/dev/null ;;
	*)
		echo "deps: unknown name: $1 (known: cc clang make oclgrind pocl)" >&2
		exit 2
		;;
	esac
}

# packages NAME: the Debian packages that bring it.
packages() {
	case $1 in
	cc) echo gcc libc6-dev ;;
	clang) echo clang-15 ;;
	pocl) echo pocl-opencl-icd ocl-icd-libopencl1 ;;
	*) echo "$1" ;;
	esac
}

missing=() install=()
for name in "$@"; do
	if ! have "$name"; then
		missing+=("$name")
		read -ra list <<<"$(packages "$name")"
		install+=("${list[@]}")
	fi
done
if ((${#missing[@]} == 0)); then
	exit 0
fi

echo "deps: missing: ${missing[*]}; installing ${install[*]}" >&2
if ! command -v apt-get >/dev/null; then
	echo "deps: there is no apt-get: install them by hand, or run 'make test DEPS=' without them" >&2
	exit 1
fi
as_root=()
if ((EUID != 0)); then
	if ! command -v sudo >/dev/null; then
		echo "deps: run as root, or 'make test DEPS=' to do without" >&2
		exit 1
	fi
	as_root=(sudo)
fi

archives=$(mktemp -d)
trap 'rm -rf "$archives" 2>/dev/null || "${as_root[@]}" rm -rf "$archives"' EXIT
mkdir "$archives/partial"
chmod 755 "$archives"
options=(-q -o DPkg::Lock::Timeout=120 -o Dir::Cache::archives="$archives")
"${as_root[@]}" apt-get "${options[@]}" update >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
	apt-get "${options[@]}" install -y --no-install-recommends "${install[@]}" >&2

for name in "${missing[@]}"; do
	if ! have "$name"; then
		echo "deps: $name is still missing after the installation" >&2
		exit 1
	fi
done
