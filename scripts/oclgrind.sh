#!/usr/bin/env bash
# Runs every device kernel under Oclgrind: no data race, no access out of bounds, no
# misuse of the driver; planted faults show that the check can fail.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/deps.sh oclgrind pocl
TOTEMGO_REQUIRE=oclgrind,pocl go test -count=1 -run '^(TestKernelsAreClean|TestCheckerFindsFaults)$' ./kernels/gpu
