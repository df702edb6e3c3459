# Sourced by cuda.sh and cuda-check.sh: cgo's flags for cuda.h and a library to link
# with, from an installed CUDA, from the caller, or from scripts/cuda-headers.sh.
export CGO_ENABLED=1
if [[ ${CGO_CFLAGS:-} != *-I* && ! -e /usr/local/cuda/include/cuda.h && ! -e /opt/cuda/include/cuda.h && ! -e /usr/include/cuda.h ]]; then
	cuda_folder=$(scripts/cuda-headers.sh headers)
	export CGO_CFLAGS="${CGO_CFLAGS:--O2 -g} -I$cuda_folder/include" CGO_LDFLAGS="${CGO_LDFLAGS:--O2 -g} -L$cuda_folder/lib"
fi
