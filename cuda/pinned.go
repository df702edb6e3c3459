package cuda

// #cgo LDFLAGS: -lcuda
// #cgo linux LDFLAGS: -L/usr/local/cuda/lib64/stubs -L/opt/cuda/lib64/stubs
// #cgo linux CFLAGS: -I/usr/local/cuda/include -I/opt/cuda/include
// #include <stdlib.h>
// #include <cuda.h>
//
// static int pinned_new(void **p, size_t bytes) { return cuMemHostAlloc(p, bytes, CU_MEMHOSTALLOC_PORTABLE); }
// static int mapped_new(void **p, CUdeviceptr *d, size_t bytes) {
//   int code = cuMemHostAlloc(p, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
//   if (code == 0 && (code = cuMemHostGetDevicePointer(d, *p, 0)) != 0) cuMemFreeHost(*p);
//   return code;
// }
// static int pinned_free(void *p) { return cuMemFreeHost(p); }
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// pinned allocates page-locked host memory, which the module cannot. It runs where the
// context is current, as unpin does.
func pinned(bytes int64) (unsafe.Pointer, error) {
	var p unsafe.Pointer
	if code := C.pinned_new(&p, C.size_t(bytes)); code != 0 {
		return nil, status(code)
	}
	return p, nil
}

// mapped allocates page-locked host memory that kernels read in place, at the second
// address.
func mapped(bytes int64) (unsafe.Pointer, cu.DevicePtr, error) {
	var p unsafe.Pointer
	var at C.CUdeviceptr
	if code := C.mapped_new(&p, &at, C.size_t(bytes)); code != 0 {
		return nil, 0, status(code)
	}
	return p, cu.DevicePtr(at), nil
}

// unpin frees what pinned or mapped allocated.
func unpin(p unsafe.Pointer) error {
	if code := C.pinned_free(p); code != 0 {
		return status(code)
	}
	return nil
}

// newText returns n zero bytes of C memory: the driver is given their address in an
// array, where it may not be one of the Go heap.
func newText(n int) []byte { return unsafe.Slice((*byte)(C.calloc(C.size_t(n), 1)), n) }

func freeText(text []byte) { C.free(unsafe.Pointer(unsafe.SliceData(text))) }
