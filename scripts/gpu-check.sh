#!/usr/bin/env bash
# Checks the devices of this machine in under eight minutes and writes what it found to
# one JSON file: the conformance kit on each device, Graph500 with validation at the
# largest scale that goes in the time, also with the graph in each place that the devices
# read it in, and benchmarks.
#
#   scripts/gpu-check.sh [PROCESSORS]      such as cpu,opencl:0 or cpu,cuda:0; by default
#                                          the CPU and every GPU found, else a CPU device
#
# In the environment:
#   OUT=FILE          the JSON file (gpu-check.json)
#   SCALE=N           Graph500's scale, instead of a search for one that fits
#   LIMIT=SECONDS     the time for all (450)
#   SHORT=1           a part of the kit
#   TOTEMGO=FILE      the command, bin/totemgo or bin/totemgo-cuda
#   GPU_TEST=FILE     the tests of kernels/gpu, for OpenCL devices
#   CUDA_TEST=FILE    the tests of cuda, for CUDA devices
# Binaries that are not named are built, which needs Go; see docs/gpu.md for how to carry
# them to a machine without.
#
# The status is 0 if all passed, 1 if something failed, 2 for a bad command line.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
out=${OUT:-gpu-check.json} limit=${LIMIT:-450}
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; }
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
	usage
	exit
elif (($# > 1)) || [[ ${1:-} == -* ]]; then
	usage >&2
	exit 2
fi
mkdir -p "$(dirname "$out")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# text FILE: its printable ASCII, as the inside of a JSON string.
text() {
	LC_ALL=C tr -c '\n\40-\176' ' ' <"$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'
}
quoted() { text <(printf '%s' "$*"); }

built() { # built FILE MODULE VERB ARGUMENTS...: what go makes of them, where there is a Go
	local file=$1 module=$2 verb=$3
	shift 3
	command -v go >/dev/null || return 1
	echo "gpu-check: go $verb $*" >&2
	(cd "$root/$module" && go "$verb" -o "$file" "$@") >&2 && printf '%s\n' "$file"
}

totemgo=${TOTEMGO:-}
if [[ -z $totemgo ]]; then
	case ${1:-} in
	*cuda:*)
		"$root/scripts/cuda.sh" >&2
		totemgo=$root/bin/totemgo-cuda
		;;
	*) totemgo=$(built "$work/totemgo" . build ./cmd/totemgo) || {
		echo "gpu-check: there is no Go to build totemgo with: name it by TOTEMGO=FILE" >&2
		exit 2
	} ;;
	esac
fi
if ! "$totemgo" devices --json >"$work/devices" || ! "$totemgo" devices >"$work/list"; then
	echo "gpu-check: $totemgo devices fails" >&2
	exit 1
fi
processors=${1:-$(awk '
	/^(opencl|cuda):/ { name = $1; kind = name; sub(/:.*/, "", kind); list[++n] = name; of[n] = kind }
	/host.s CPU/ { host[name] = 1 }
	END {
		for (i = 1; i <= n; i++) {
			if (host[list[i]]) { if (cpu == "") cpu = list[i] }
			else if (want == "" || want == of[i]) { want = of[i]; gpus = gpus "," list[i] } # a card is listed by both kinds
		}
		if (gpus != "") print "cpu" gpus
		else if (cpu != "") print "cpu:1," cpu
	}' "$work/list")}
if [[ -z $processors ]]; then
	cat "$work/list" >&2
	echo "gpu-check: no device is found" >&2
	exit 1
fi
mapfile -t devices < <(tr , '\n' <<<"$processors" | grep -E '^(opencl|cuda):?[0-9]*$' | sort -u)
cpu=$(tr , '\n' <<<"$processors" | grep -E '^cpu(:[0-9]+)?$' | paste -sd, -)
cpu=${cpu:-cpu}

entries=0 failed=0 skipped=0
# entry NAME FIELDS: adds one to the list of checks.
entry() {
	if ((entries)); then
		printf ',\n' >>"$work/checks"
	fi
	printf '    {"name": "%s", %s}' "$(quoted "$1")" "$2" >>"$work/checks"
	entries=$((entries + 1))
}

milliseconds() { # since some time
	local now=${EPOCHREALTIME//[^0-9]/}
	printf '%d' $((now / 1000))
}

# check NAME SECONDS COMMAND...: runs it and adds it to the list. It sets passed and
# took, in milliseconds. What is ended because all the time is gone has not failed, nor
# what is ended while the scale is growing.
check() {
	local name=$1 most=$2 left=$((limit - SECONDS)) status=0 begun time may_end_early=${growing:-}
	shift 2
	passed=0 took=0
	if ((most > left)); then
		most=$left may_end_early=1
	fi
	if ((most < 5)); then
		echo "gpu-check: $name: no time is left"
		skipped=$((skipped + 1))
		entry "$name" '"skipped": "no time is left"'
		return
	fi
	begun=$(milliseconds)
	timeout -k 5 "$most" "$@" >"$work/stdout" 2>"$work/stderr" || status=$?
	took=$(($(milliseconds) - begun))
	time=$(printf '%d.%03d' $((took / 1000)) $((took % 1000)))
	if [[ $name == kit* ]]; then
		summary
	fi
	local fields="\"command\": \"$(quoted "$*")\", \"time_s\": $time"
	if ((status == 0)); then
		passed=1
		fields+=', "passed": true'
		echo "gpu-check: $name: passed in $time s"
	else
		if ((status == 124 || status == 137)); then
			echo "ended after $most s" >>"$work/stderr"
			if [[ -n $may_end_early ]]; then
				echo "gpu-check: $name: ended after $most s"
				skipped=$((skipped + 1))
				entry "$name" "$fields, \"skipped\": \"ended after $most s\""
				return
			fi
		fi
		# A graph that does not fit is no failure of a device, nor one that it cannot read.
		if [[ $name != kit* ]] && grep -qE 'not enough (device )?memory|cannot read the graph in place' "$work/stderr"; then
			echo "gpu-check: $name: not on this machine"
			skipped=$((skipped + 1))
			entry "$name" "$fields, \"skipped\": \"$(text "$work/stderr")\""
			return
		fi
		failed=$((failed + 1))
		tail -n 20 "$work/stderr" >"$work/last"
		fields+=", \"passed\": false, \"message\": \"$(text "$work/last")\""
		echo "gpu-check: $name: failed with status $status after $time s"
		sed 's/^/    /' "$work/last"
	fi
	if ((status <= 1)) && [[ $(head -c 1 "$work/stdout") == "{" ]]; then
		fields+=", \"result\": $(cat "$work/stdout")"
	fi
	entry "$name" "$fields"
}

# summary makes a count of the kit's tests out of their names; a kit without tests has failed.
summary() {
	local ok bad none
	ok=$(grep -c -- '--- PASS' "$work/stdout") || true
	bad=$(grep -c -- '--- FAIL' "$work/stdout") || true
	none=$(grep -c -- '--- SKIP' "$work/stdout") || true
	if ((status == 0 && ok == 0)); then
		status=3
		echo "no test was run" >>"$work/stderr"
	fi
	if ((status)); then
		grep -vE '^ *(=== |--- (PASS|SKIP))' "$work/stdout" | tail -n 20 >>"$work/stderr" || true
	fi
	printf '{"passed": %d, "failed": %d, "skipped": %d}' "$ok" "$bad" "$none" >"$work/stdout"
}

kit() { # kit DEVICE
	local kind=${1%%:*} binary run
	if [[ $kind == cuda ]]; then
		binary=${CUDA_TEST:-} run='.'
		if [[ -z $binary ]]; then
			binary=$(cd "$root" && . scripts/cuda-env.sh >&2 && built "$work/cuda.test" cuda test -c .) || true
		fi
	else
		binary=${GPU_TEST:-} run='^Test(OpenCL|OpenCLStrategies|HybridSearch)$'
		if [[ -z $binary ]]; then
			binary=$(built "$work/gpu.test" . test -c ./kernels/gpu) || true
		fi
	fi
	if [[ -z $binary ]]; then
		failed=$((failed + 1))
		echo "gpu-check: kit device=$1: there is no Go to build the tests with: name them by GPU_TEST=FILE or CUDA_TEST=FILE"
		entry "kit device=$1" '"passed": false, "message": "no test binary"'
		return
	fi
	local number=${1#"$kind"}
	number=${number#:}
	check "kit device=$1" $((limit / 2 / ${#devices[@]})) env TOTEMGO_TEST_DEVICE="${number:-0}" TOTEMGO_REQUIRE=opencl \
		"$binary" -test.v -test.run "$run" ${SHORT:+-test.short}
}

graph500() { # graph500 PROCESSORS FLAG...
	local on=$1
	shift
	check "graph500 scale=$scale processors=$on${*:+ $*}" 150 "$totemgo" graph500 --scale "$scale" --processors "$on" "$@" --json
}

bench() { # bench PROCESSORS FLAG...
	local on=$1
	shift
	check "bench scale=$scale processors=$on${*:+ $*}" 60 "$totemgo" bench bfs --graph "kron:$scale" --processors "$on" "$@" --json
}

for d in "${devices[@]}"; do
	kit "$d"
done

# Graph500, two scales up as long as the next is likely to end within a minute.
scale=${SCALE:-16} before=$failed
graph500 "$processors"
if ((!passed && failed == before)); then
	failed=$((failed + 1)) # without this one nothing is checked
fi
while [[ -z ${SCALE:-} ]] && ((passed && scale < 24 && took < 12000)); do
	scale=$((scale + 2)) growing=1
	graph500 "$processors"
	if ((!passed)); then
		scale=$((scale - 2))
		break
	fi
done
growing=
others=()
for p in "$cpu" "${devices[@]}"; do
	if [[ $p != "$processors" ]]; then
		others+=("$p")
	fi
done
for p in "${others[@]}"; do
	graph500 "$p"
done
# The arrays of a search take less than 32 bytes a vertex, the adjacency more: it is split.
for graph in device host "split --device-memory $(((1 << scale) / 32 + 1))KiB"; do
	# shellcheck disable=SC2086 # several words
	graph500 "$processors" --roots 8 --device-graph $graph
done
for p in "$processors" "${others[@]}"; do
	bench "$p"
done
for s in thread warp group edge; do
	bench "$processors" --gpu-strategy "$s"
done
for d in totem top-down; do
	bench "$processors" --director "$d"
done

{
	printf '{\n  "schema": "totemgo.gpu-check/1",\n  "processors": "%s",\n  "scale": %d,\n' "$(quoted "$processors")" "$scale"
	printf '  "passed": %s,\n  "failed": %d,\n  "skipped": %d,\n  "time_s": %d,\n' "$( ((failed)) && echo false || echo true)" "$failed" "$skipped" "$SECONDS"
	printf '  "devices": %s,\n  "checks": [\n' "$(cat "$work/devices")"
	cat "$work/checks"
	printf '\n  ]\n}\n'
} >"$out.part"
mv "$out.part" "$out"
echo "gpu-check: $entries checks, $failed failed, $skipped skipped; see $out"
((failed == 0))
