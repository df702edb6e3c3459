#!/usr/bin/env bash
# Runs the CUDA path without a GPU, against a stand-in for the driver: it proves the
# calls, not a GPU. On a machine with a GPU, TOTEMGO_CUDA=real runs it there.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/cuda-env.sh
if [[ ${TOTEMGO_CUDA:-} != real ]]; then
	scripts/cuda-standin.sh bin/standin
	export LD_LIBRARY_PATH="$PWD/bin/standin"
fi
echo "cuda-check: the driver package"
go -C cuda test -count=1 ./...
for arguments in cpu:1,cuda:0 cuda:0 cpu:1,cuda:0,cuda:0 \
	'cuda:0 --device-graph host --release-host' 'cpu:1,cuda:0 --device-graph split --device-memory 30KiB'; do
	echo "cuda-check: graph500 on $arguments"
	# shellcheck disable=SC2086 # several words
	bin/totemgo-cuda graph500 --scale 8 --processors $arguments | grep '^validation: 64 of 64 passed$'
done
if [[ ${TOTEMGO_CUDA:-} != real ]]; then
	for n in 1 2 10 50 300; do
		echo "cuda-check: the device fails at its operation $n"
		if TOTEMGO_STANDIN_FAIL=$n bin/totemgo-cuda graph500 --scale 8 --processors cpu:1,cuda:0 >bin/standin/log 2>&1; then
			echo "cuda-check: the failure goes unnoticed" >&2
			exit 1
		fi
		grep -q 'cuda:0.*the device is lost' bin/standin/log || {
			cat bin/standin/log >&2
			exit 1
		}
	done
fi
