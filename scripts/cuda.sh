#!/usr/bin/env bash
# Vets the module in cuda/ and builds bin/totemgo-cuda, the command that also drives NVIDIA
# devices through CUDA. cuda.h and a library to link with come from a CUDA 11 or 12 that is installed,
# named by CGO_CFLAGS and CGO_LDFLAGS, or else from scripts/cuda-headers.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

. scripts/cuda-env.sh
echo "cuda: go vet"
go -C cuda vet ./...
echo "cuda: go build"
go -C cuda build -o ../bin/totemgo-cuda ./cmd/totemgo-cuda
echo "cuda: bin/totemgo-cuda"
