#!/usr/bin/env bash
# Runs both CUDA drivers, that of the default binary and that of the module cuda, without a GPU,
# against a stand-in for NVIDIA's libraries: it proves the calls, not a GPU. REAL=1 runs them on
# this machine's GPU.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/cuda-env.sh
if [[ -z ${REAL:-} ]]; then
	scripts/cuda-standin.sh bin/standin
	export LD_LIBRARY_PATH="$PWD/bin/standin" TOTEMGO_CUDA="$PWD/bin/standin/libcuda.so.1" TOTEMGO_NVRTC="$PWD/bin/standin/libnvrtc.so"
	export TOTEMGO_TEST_CUDA=standin
else
	export TOTEMGO_TEST_CUDA=system
fi
echo "cuda-check: the driver of the default binary"
CGO_ENABLED=0 TOTEMGO_REQUIRE=cc go test -count=1 ./kernels/gpu/device/cuda/...
CGO_ENABLED=0 go build -o bin/totemgo-nocgo ./cmd/totemgo
echo "cuda-check: the driver of module cuda"
go -C cuda test -count=1 ./...
for binary in bin/totemgo-nocgo bin/totemgo-cuda; do
	for arguments in cpu:1,cuda:0 cuda:0 cpu:1,cuda:0,cuda:0 \
		'cuda:0 --device-graph host --release-host' 'cpu:1,cuda:0 --device-graph split --device-memory 30KiB'; do
		echo "cuda-check: $binary: graph500 on $arguments"
		# shellcheck disable=SC2086 # several words
		"$binary" graph500 --scale 8 --processors $arguments | grep '^validation: 64 of 64 passed$'
	done
	[[ -z ${REAL:-} ]] || continue
	for n in 1 2 10 50 300; do
		echo "cuda-check: $binary: the device fails at its operation $n"
		if TOTEMGO_STANDIN_FAIL=$n "$binary" graph500 --scale 8 --processors cpu:1,cuda:0 >bin/standin/log 2>&1; then
			echo "cuda-check: the failure goes unnoticed" >&2
			exit 1
		fi
		grep -q 'cuda:0.*the device is lost' bin/standin/log || {
			cat bin/standin/log >&2
			exit 1
		}
	done
done
