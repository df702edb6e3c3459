#!/usr/bin/env bash
# Checks the devices of this machine in under ten minutes, most telling checks first: what memory
# and commands of each device allow, each device alone at growing scales with the time of each
# kernel, ways to step, hybrid lists, long graphs, Graph500 with validation and energy, all pairs, the
# conformance kit, and graphs in host memory. Each check is appended to a file when it ends.
#
#   scripts/gpu-check.sh [PROCESSORS]      such as cpu,opencl:0 or cpu,cuda:0; by default
#                                          every GPU by each of its drivers, else a CPU device
#   scripts/gpu-check.sh --table FILE      the tables of such a file, whole or not
#
# In the environment:
#   OUT=FILE          the file, or a folder for gpu-check.json (gpu-check.json); FILE.txt beside it
#                     has the tables so far
#   SCALE=N           the only scale, instead of growing ones
#   LIMIT=SECONDS     the time for all (570)
#   SHORT=1           a part of the kit, and small long graphs
#   TOTEMGO=FILE      the command: totemgo beside the script, else built, which needs Go
#   GPU_TEST=FILE     the kit for OpenCL: gpu.test beside the script, else built
#   CUDA_TEST=FILE    the kit for CUDA: cuda.test beside the script, else built
# docs/gpu.md says how to carry them to a machine without Go.
#
# The status is 0 if all passed, 1 if something failed, 2 for a bad command line, 128 + N when
# ended by signal N.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd) root=${here%/*}
out=${OUT:-gpu-check.json} limit=${LIMIT:-570}
usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; }

fail() { # fail STATUS MESSAGE
	echo "gpu-check: $2" >&2
	exit "$1"
}

# binary NAME FILE VERB ARGUMENTS...: FILE if given, else NAME beside the script, else what go makes.
binary() {
	local name=$1 given=$2
	shift 2
	if [[ -n $given ]]; then
		printf '%s\n' "$given"
	elif [[ -x $here/$name ]]; then
		printf '%s\n' "$here/$name"
	else
		command -v go >/dev/null || return 1
		echo "gpu-check: go $*" >&2
		(cd "$root" && CGO_ENABLED=0 go "$1" -o "$work/$name" "${@:2}") >&2 && printf '%s\n' "$work/$name"
	fi
}

case ${1:-} in
-h | --help)
	usage
	exit
	;;
--table) (($# == 2)) || { usage >&2; exit 2; } ;;
-*)
	usage >&2
	exit 2
	;;
*) (($# <= 1)) || { usage >&2; exit 2; } ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
totemgo=$(binary totemgo "${TOTEMGO:-}" build ./cmd/totemgo) || fail 2 "there is no Go to build totemgo with: name it by TOTEMGO=FILE"
if [[ ${1:-} == --table ]]; then
	"$totemgo" bench check "$2"
	exit
fi
if [[ -d $out || $out == */ ]]; then
	out=${out%/}/gpu-check.json
fi
mkdir -p "$(dirname "$out")"

# text FILE: its printable ASCII, as the inside of a JSON string.
text() {
	LC_ALL=C tr -c '\n\40-\176' ' ' <"$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'
}
quoted() { text <(printf '%s' "$*"); }
line() { tr -d '\n' <"$1"; } # a document, whose strings have no newline

if ! "$totemgo" devices --json >"$work/devices" || ! "$totemgo" devices >"$work/list"; then
	fail 1 "$totemgo devices fails"
fi
processors=${1:-$(awk '
	/^(opencl|cuda):/ { list[++n] = $1 }
	/host.s CPU/ { host[$1] = 1 }
	END {
		for (i = 1; i <= n; i++) {
			if (!host[list[i]]) gpus = gpus "," list[i]
			else if (cpu == "") cpu = list[i]
		}
		if (gpus != "") print "cpu" gpus
		else if (cpu != "") print "cpu:1," cpu
	}' "$work/list")}
if [[ -z $processors ]]; then
	cat "$work/list" >&2
	fail 1 "no device is found"
fi
mapfile -t devices < <(tr , '\n' <<<"$processors" | grep -E '^(opencl|cuda):?[0-9]*$' | sort -u)
((${#devices[@]})) || fail 2 "$processors has no device"
cpu=$(tr , '\n' <<<"$processors" | grep -E '^cpu(:[0-9]+)?$' | paste -sd, -) || true
cpu=${cpu:-cpu}

printf '{"schema": "totemgo.gpu-check/2", "processors": "%s", "limit_s": %d, "devices": %s}\n' \
	"$(quoted "$processors")" "$limit" "$(line "$work/devices")" >"$out"
failed=0 skipped=0 entries=0 child= until=$limit

tables() { "$totemgo" bench check "$out" >"$out.txt" 2>"$work/tables" || sed 's/^/gpu-check: /' "$work/tables" >&2; }

# entry NAME FIELDS: appends a check.
entry() {
	printf '{"name": "%s", %s}\n' "$(quoted "$1")" "$2" >>"$out"
	entries=$((entries + 1))
	tables
}

ended() { # ended SIGNAL: the tables of what was checked so far
	trap - INT TERM HUP
	[[ -z $child ]] || kill "$child" 2>/dev/null || true
	echo "gpu-check: ended by signal $1 after $entries checks; see $out"
	tables
	cat "$out.txt"
	exit $((128 + $1))
}
trap 'ended 2' INT
trap 'ended 15' TERM
trap 'ended 1' HUP

milliseconds() { # since some time
	local now=${EPOCHREALTIME//[^0-9]/}
	printf '%d' $((now / 1000))
}

skip() { # skip NAME WHY
	echo "gpu-check: $1: skipped: $2"
	skipped=$((skipped + 1))
	entry "$1" "\"skipped\": \"$(quoted "$2")\""
}

# part PERCENT: the checks from here on end when that part of the time is gone.
part() { until=$((limit * $1 / 100)); }

# check NAME SECONDS COMMAND...: runs it and appends what it found. It sets passed, and took, in
# milliseconds. What is ended because the time of its part is gone, or where slow is set, has not failed.
check() {
	local name=$1 most=$2 left=$((until - SECONDS)) status=0 begun time out_of_time=${slow:-}
	shift 2
	passed=0 took=0
	if ((most > left)); then
		most=$left out_of_time=1
	fi
	if ((most < 5)); then
		skip "$name" "no time is left for it"
		return
	fi
	begun=$(milliseconds)
	timeout -k 5 "$most" "$@" >"$work/stdout" 2>"$work/stderr" &
	child=$!
	wait "$child" || status=$?
	child=
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
	elif ((status == 124 || status == 137)) && [[ -n $out_of_time ]]; then
		skip "$name" "ended after $most s"
		return
	elif [[ $name != kit* ]] && grep -qE 'not enough (device )?memory|cannot read the graph in place' "$work/stderr"; then
		# A graph that does not fit is no failure of a device, nor one that it cannot read.
		skip "$name" "$(cat "$work/stderr")"
		return
	else
		((status != 124 && status != 137)) || echo "ended after $most s" >>"$work/stderr"
		failed=$((failed + 1))
		tail -n 20 "$work/stderr" >"$work/last"
		fields+=", \"passed\": false, \"message\": \"$(text "$work/last")\""
		echo "gpu-check: $name: failed with status $status after $time s"
		sed 's/^/    /' "$work/last"
	fi
	if ((status <= 1)) && [[ $(head -c 1 "$work/stdout") == "{" ]]; then
		fields+=", \"result\": $(line "$work/stdout")"
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

bench() { # bench SECONDS GRAPH PROCESSORS FLAG...; slow is set where one that takes longer has not failed
	local most=$1 graph=$2 on=$3
	shift 3
	check "$graph $on${*:+ $*}" "$most" "$totemgo" bench bfs --graph "$graph" --processors "$on" --roots "${roots:-8}" "$@" --json
}

number() { # number KEY FILE: the first number of that key in a document
	awk -v key="\"$1\":" '$1 == key { sub(/,$/, "", $2); print $2; exit }' "$2"
}

# fits SECONDS DEVICE: the next larger graph, of four times the size, is predicted to fit the time
# and the memory of the host and the device, by the last one.
fits() {
	local seconds=$1 host peak part memory
	host=$(awk '/^MemAvailable/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)
	peak=$(number peak_rss_bytes "$work/stdout") part=$(awk '/"bytes":/ { gsub(/[^0-9]/, ""); print; exit }' "$work/stdout")
	memory=$(awk -v name="\"$2\"," '$1 == "\"name\":" { this = $2 == name } this && $1 == "\"memory_bytes\":" { gsub(/[^0-9]/, ""); print; exit }' "$work/devices")
	((took * 45 / 10000 < seconds)) &&
		((${peak:-0} * 42 / 10 < host)) && ((${part:-0} * 42 / 10 < ${memory:-0} * 8 / 10))
}

# Memory and commands.
part 12
for d in "${devices[@]}"; do
	check "device $d" 40 "$totemgo" bench device "$d" --json
done

# Each device alone, as far as it goes in its part of the time; with the time of each kernel.
# compared is the largest scale, of at most 22, that takes little enough to run it a dozen times, validated that
# for Graph500, of at most 24, in its part of the time.
declare -A largest compared
validated=
part 40
rest=${#devices[@]}
for d in "${devices[@]}"; do
	end=$((SECONDS + (until - SECONDS) / rest)) rest=$((rest - 1)) slow=
	for s in ${SCALE:-16 18 20 22 24 26 28}; do
		if [[ -n $slow ]] && ! fits $((end - SECONDS)) "$d"; then
			break
		fi
		bench 150 "kron:$s" "$d" --profile
		if ((!passed)); then
			break
		fi
		largest[$d]=$s slow=1 # a larger one may be ended
		if ((s <= 22 && took < limit * 1000 / 50)) || [[ -z ${compared[$d]:-} ]]; then
			compared[$d]=$s
		fi
		if [[ $d == "${devices[0]}" ]] && { ((s <= 24 && took * 2 * (${#devices[@]} + 1) < limit * 130)) || [[ -z $validated ]]; }; then
			validated=$s
		fi
	done
	largest[$d]=${largest[$d]:-${SCALE:-16}} compared[$d]=${compared[$d]:-${SCALE:-16}}
done

atmost() { # atmost SCALE: it, or the largest scale of the first device
	local reached=${largest[${devices[0]}]}
	echo $((reached < $1 ? reached : $1))
}
has() { "$totemgo" bench bfs --help | grep -q -- " --$1 "; }

# Ways to step.
part 53
for d in "${devices[@]}"; do
	graph=kron:${compared[$d]}
	for rule in totem beamer top-down; do
		bench 60 "$graph" "$d" --director "$rule"
	done
done

# Hybrid lists, beside the CPU alone; and what auto takes.
lists=("$processors")
if ((${#devices[@]} > 1)); then
	lists=()
	for d in "${devices[@]}"; do
		lists+=("$cpu,$d")
	done
elif [[ $processors == "${devices[0]}" ]]; then
	lists=("$cpu,$processors")
fi
part 65
graph=kron:${compared[${devices[0]}]}
bench 60 "$graph" "$cpu"
for list in "${lists[@]}"; do
	bench 60 "$graph" "$list"
done
bench 60 "$graph" auto
for list in "${lists[@]}"; do
	if [[ $list == "$cpu,"* && $cpu != *,* ]]; then
		bench 60 "$graph" "$list" --share 0.1,0.9
	fi
done

# Graphs of many levels.
part 73
long=(grid:2000x2000 chain:300000)
if [[ -n ${SHORT:-} ]]; then
	long=(grid:100x100 chain:1000)
fi
roots=2
for graph in "${long[@]}"; do
	for on in "${devices[@]}" "${lists[0]}"; do
		bench 30 "$graph" "$on"
	done
done
slow=

# Graph500, validated, with the energy that NVML measures where there is one.
power=()
if "$totemgo" power meters --json 2>/dev/null | grep -q '"kind": "nvml"'; then
	power=(--power nvml --duration 10s)
fi
graph500() { # graph500 SCALE PROCESSORS FLAG...
	local scale=$1 on=$2
	shift 2
	check "graph500 scale=$scale $on${*:+ $*}" 120 "$totemgo" graph500 --scale "$scale" --processors "$on" "$@" --json
}
part 86
scale=${validated:-$(atmost 24)}
for on in "${devices[@]}" "${lists[0]}"; do
	graph500 "$scale" "$on" --roots 8 "${power[@]}"
done

# All pairs by dense tiles, of each type: the operations a second, and in registers alone.
part 90
for d in "${devices[@]}"; do
	n=8192 slow=1
	if [[ -n ${SHORT:-} ]]; then
		n=130
	elif grep -q "^$d .*host.s CPU" "$work/list"; then
		n=1024
	fi
	check "apsp $d" 40 "$totemgo" bench apsp --n "$n" --rounds 1 --processors "$d" --json
done
slow=

kit() { # kit DEVICE SECONDS FLAG...
	local device=$1 most=$2 kind=${1%%:*} number test name
	number=${device#"$kind"}
	shift 2
	name="kit $device${*:+ $*}"
	if [[ $kind == cuda ]]; then
		test=$(binary cuda.test "${CUDA_TEST:-}" test -c ./kernels/gpu/device/cuda) || true
		set -- -test.run . "$@"
	else
		test=$(binary gpu.test "${GPU_TEST:-}" test -c ./kernels/gpu) || true
		set -- -test.run '^Test(OpenCL|SmallGroups|HybridSearch)$' "$@"
	fi
	if [[ -z $test ]]; then
		failed=$((failed + 1))
		entry "$name" '"passed": false, "message": "there is no Go to build the tests with: name them by GPU_TEST=FILE or CUDA_TEST=FILE"'
		return
	fi
	check "$name" "$most" env TOTEMGO_TEST_DEVICE="${number#:}" TOTEMGO_REQUIRE=opencl TOTEMGO_TEST_CUDA=system "$test" -test.v "$@"
}
part 96
for d in "${devices[@]}"; do
	kit "$d" $((limit / 4)) -test.short
done

# The graph in each memory. The arrays of a search take less than 32 bytes a vertex, the adjacency more: it is split.
part 100
scale=$(atmost 20)
for graph in host "split --device-memory $(((1 << scale) / 32 + 1))KiB"; do
	# shellcheck disable=SC2086 # several words
	graph500 "$scale" "${lists[0]}" --roots 8 --device-graph $graph
done

# The whole kit, in the time that is left.
for d in "${devices[@]}"; do
	if [[ -z ${SHORT:-} ]]; then
		kit "$d" $((limit - SECONDS))
	fi
done

printf '{"end": true, "passed": %s, "time_s": %d}\n' "$( ((failed)) && echo false || echo true)" "$SECONDS" >>"$out"
tables
cat "$out.txt"
echo "gpu-check: $entries checks, $failed failed, $skipped skipped; see $out and $out.txt"
((failed == 0))
