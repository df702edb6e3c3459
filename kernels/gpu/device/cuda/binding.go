//go:build !nogpu && (linux || windows) && (amd64 || arm64)

package cuda

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Values of cuda.h.
const (
	attrMaxGroup     = 1
	attrMultiprocs   = 16
	attrIntegrated   = 18
	attrMapsHost     = 19
	attrPCIBus       = 33
	attrPCIDevice    = 34
	attrMemoryClock  = 36 // kHz
	attrBusWidth     = 37 // bits
	attrPCIDomain    = 50
	attrMajor        = 75
	attrMinor        = 76
	schedBlocking    = 4 // waits block without use of a core
	hostPortable     = 1 // page-locked for every context
	hostDeviceMap    = 2 // mapped into the device's address space
	streamNonBlocked = 1 // not ordered with the default stream
	eventBlocking    = 1
	jitErrorLog      = 5
	jitErrorLogSize  = 6

	errOutOfMemory = 2
	errNotReady    = 600
)

// library is the loaded driver: the address of each function, whose name is that of the field
// after "cu", with the field's suffix. All exist from CUDA 11 to 13.
type library struct {
	Init, DriverGetVersion, GetErrorName                              uintptr
	DeviceGetCount, DeviceGet, DeviceGetName, DeviceGetAttribute      uintptr
	DevicePrimaryCtxRetain, CtxSetCurrent                             uintptr
	MemHostAlloc, MemFreeHost, MemsetD32Async                         uintptr
	ModuleLoadDataEx, ModuleUnload, ModuleGetFunction, LaunchKernel   uintptr
	StreamCreate, StreamQuery, StreamSynchronize                      uintptr
	EventCreate, EventRecord, EventQuery, EventSynchronize            uintptr
	EventElapsedTime                                                  uintptr
	DeviceTotalMem, DevicePrimaryCtxRelease, DevicePrimaryCtxSetFlags uintptr `suffix:"_v2"`
	MemAlloc, MemFree, MemHostGetDevicePointer                        uintptr `suffix:"_v2"`
	MemcpyHtoDAsync, MemcpyDtoHAsync, StreamDestroy, EventDestroy     uintptr `suffix:"_v2"`
}

// load fills the fields of to, a pointer to a struct of addresses, from the first of the libraries
// that loads; one named by the caller or by the variable is the only one. The names of functions
// begin with prefix.
func load(to any, prefix, named, variable string, tries []string) error {
	if named = cmp.Or(named, os.Getenv(variable)); named != "" {
		tries = []string{named}
	}
	var first error
	for _, path := range tries {
		handle, err := openLibrary(path)
		if err != nil {
			first = cmp.Or(first, err)
			continue
		}
		fields := reflect.ValueOf(to).Elem()
		for i := range fields.NumField() {
			f := fields.Type().Field(i)
			name := prefix + f.Name + f.Tag.Get("suffix")
			address, err := symbol(handle, name)
			if err != nil || address == 0 {
				return fmt.Errorf("%s lacks %s", path, name)
			}
			fields.Field(i).SetUint(uint64(address))
		}
		return nil
	}
	return first
}

// call runs a function that returns a status.
//
//go:uintptrescapes
func call(f uintptr, args ...uintptr) int {
	r, _, _ := purego.SyscallN(f, args...)
	return int(int32(r))
}

// pointer is the address of memory outside the Go heap.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// text is the C string at an address, "" at 0.
func text(at uintptr) string {
	if at == 0 {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(pointer(at), n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(at)), n))
}

// trimmed is the text of a buffer up to its first zero byte.
func trimmed(buf []byte) string {
	for i, c := range buf {
		if c == 0 {
			buf = buf[:i]
			break
		}
	}
	return string(buf)
}

// name is the driver's name of a status, such as CUDA_ERROR_ILLEGAL_ADDRESS.
func (l *library) name(code int) string {
	var at uintptr
	if call(l.GetErrorName, uintptr(code), uintptr(unsafe.Pointer(&at))) != 0 {
		return ""
	}
	return text(at)
}

// class is the error class of a status.
func class(code int) error {
	switch code {
	case errOutOfMemory:
		return device.ErrMemory
	case 100, 101: // no device, invalid device
		return device.ErrNoDevice
	case 200, 209, 218, 221, 222, 223, 300, 301, 302, 303, 500:
		// invalid image, no binary for the GPU, invalid PTX, no or too old a JIT compiler, invalid
		// source, missing symbols
		return device.ErrBuild
	case 4, 46, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 805, 806, 807, 808, 809, 999:
		// deinitialised, unavailable, uncorrectable memory and NVLink errors, faults of kernels,
		// timeout, destroyed context, MPS, unknown
		return device.ErrLost
	}
	return nil
}
