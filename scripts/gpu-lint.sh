#!/usr/bin/env bash
# Checks of the device kernels that need no GPU: the committed PTX is what the sources
# give, and NVIDIA's assembler takes it for every generation that it has to run on.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/ptx.sh --check

ptxas=$(scripts/cuda-headers.sh ptxas)/bin/ptxas
for arch in 60 70 80 90; do
	# Spilled registers are no error, but a kernel of ours should not need them.
	report=$("$ptxas" -arch="sm_$arch" -v kernels/gpu/src/kernels.ptx -o /dev/null 2>&1) || {
		printf '%s\n' "$report" >&2
		echo "gpu-lint: ptxas refuses the PTX for sm_$arch" >&2
		exit 1
	}
	spills=$(grep -cE '[1-9][0-9]* bytes spill' <<<"$report" || true)
	if ((spills)); then
		printf '%s\n' "$report" >&2
		echo "gpu-lint: $spills kernels spill registers on sm_$arch" >&2
		exit 1
	fi
	echo "gpu-lint: sm_$arch: $(grep -c 'Used [0-9]* registers' <<<"$report") kernels assembled"
done

scripts/gpu-lint-values.sh "$ptxas"

# A check of its own under a race checker, where there is one.
if [[ -x scripts/oclgrind.sh ]]; then
	scripts/oclgrind.sh
fi
