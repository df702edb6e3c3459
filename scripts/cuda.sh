#!/usr/bin/env bash
# Builds and vets bin/totemgo-cuda, the command that also drives NVIDIA devices through
# CUDA. cuda.h and a library to link with come from a CUDA 11 or 12 that is installed,
# named by CGO_CFLAGS and CGO_LDFLAGS, or else from scripts/cuda-headers.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ${CGO_CFLAGS:-} != *-I* && ! -e /usr/local/cuda/include/cuda.h && ! -e /opt/cuda/include/cuda.h && ! -e /usr/include/cuda.h ]]; then
	folder=$(scripts/cuda-headers.sh headers)
	export CGO_CFLAGS="${CGO_CFLAGS:--O2 -g} -I$folder/include" CGO_LDFLAGS="${CGO_LDFLAGS:--O2 -g} -L$folder/lib"
fi
export CGO_ENABLED=1
echo "cuda: go vet -tags cuda"
go vet -tags cuda ./...
echo "cuda: go build -tags cuda"
go build -tags cuda -o bin/totemgo-cuda ./cmd/totemgo
echo "cuda: bin/totemgo-cuda"
