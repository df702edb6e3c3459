//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Values of cl.h.
const (
	deviceTypeCPU = 1 << 1
	deviceTypeAll = 0xFFFFFFFF

	platformVersion = 0x0901
	platformName    = 0x0902

	deviceType          = 0x1000
	deviceComputeUnits  = 0x1002
	deviceMaxGroup      = 0x1004
	deviceMaxAlloc      = 0x1010
	deviceGlobalMem     = 0x101F
	deviceLittleEndian  = 0x1026
	deviceName          = 0x102B
	deviceVendor        = 0x102C
	driverVersion       = 0x102D
	deviceVersion       = 0x102F
	deviceExtensions    = 0x1030
	deviceUnifiedMemory = 0x1035
	deviceSVM           = 0x1053
	deviceBusNV         = 0x4008
	deviceSlotNV        = 0x4009
	deviceDomainNV      = 0x400A
	devicePCI           = 0x410F

	memReadWrite    = 1 << 0
	memReadOnly     = 1 << 2
	memUseHostPtr   = 1 << 3
	memAllocHostPtr = 1 << 4
	memFineGrain    = 1 << 10

	svmFineGrainBuffer = 1 << 1

	mapReadWrite = 1<<0 | 1<<1
	mapWrite     = 1 << 1

	programBinarySizes = 0x1165
	programBinaries    = 0x1166
	programBuildLog    = 0x1183

	errDeviceNotFound      = -1
	errDeviceNotAvailable  = -2
	errMemObjectAllocation = -4
	errOutOfResources      = -5
	errOutOfHostMemory     = -6
	errInvalidQueue        = -36
	errInvalidBufferSize   = -61
	errNoPlatform          = -1001
	errFault               = -9999 // NVIDIA's: the kernel touched memory that is not its own
)

// library is the loaded driver: the address of each function, whose name is that of the
// field after "cl". Those of OpenCL 2.0 are 0 where the loader lacks them.
type library struct {
	GetPlatformIDs, GetPlatformInfo, GetDeviceIDs, GetDeviceInfo    uintptr
	CreateContext, ReleaseContext                                   uintptr
	CreateCommandQueue, ReleaseCommandQueue, Flush, Finish          uintptr
	CreateBuffer, ReleaseMemObject                                  uintptr
	EnqueueReadBuffer, EnqueueWriteBuffer, EnqueueFillBuffer        uintptr
	EnqueueMapBuffer, EnqueueUnmapMemObject                         uintptr
	CreateProgramWithSource, CreateProgramWithBinary, BuildProgram  uintptr
	GetProgramInfo, GetProgramBuildInfo, ReleaseProgram             uintptr
	CreateKernel, SetKernelArg, ReleaseKernel, EnqueueNDRangeKernel uintptr
	EnqueueMarkerWithWaitList, WaitForEvents, ReleaseEvent          uintptr
	SVMAlloc, SVMFree                                               uintptr // OpenCL 2.0
}

// bind finds each function by name. Those of OpenCL 2.0 may be missing.
func bind(find func(name string) uintptr) (l *library, missing string) {
	l = &library{}
	fields := reflect.ValueOf(l).Elem()
	for i := range fields.NumField() {
		name := "cl" + fields.Type().Field(i).Name
		address := find(name)
		if address == 0 && !strings.HasPrefix(name, "clSVM") {
			return nil, name
		}
		fields.Field(i).SetUint(uint64(address))
	}
	return l, ""
}

// call runs a function that returns a status.
//
//go:uintptrescapes
func call(f uintptr, args ...uintptr) int {
	r, _, _ := purego.SyscallN(f, args...)
	return int(int32(r))
}

// address runs a function that returns a pointer.
//
//go:uintptrescapes
func address(f uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(f, args...)
	return r
}

// create runs a function that returns a handle and stores a status where its last
// argument, which args lack, points to. No handle without a status is a lack of memory.
//
//go:uintptrescapes
func create(f uintptr, args ...uintptr) (handle uintptr, code int) {
	var status int32
	handle = storing(f, uintptr(unsafe.Pointer(&status)), args...)
	if handle == 0 && status == 0 {
		return 0, errOutOfHostMemory
	}
	return handle, int(status)
}

//go:uintptrescapes
func storing(f, status uintptr, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(f, append(args, status)...)
	return r
}

// class is the error class of a status.
func class(code int) error {
	switch code {
	case errMemObjectAllocation, errOutOfHostMemory, errInvalidBufferSize:
		return device.ErrMemory
	case errDeviceNotFound, errNoPlatform:
		return device.ErrNoDevice
	case errDeviceNotAvailable, errOutOfResources, errInvalidQueue, errFault:
		return device.ErrLost
	}
	return nil
}

// query runs an info function about args: an object and a parameter.
//
//go:uintptrescapes
func query(f, size, value, sizeOut uintptr, args ...uintptr) int {
	return call(f, append(args, size, value, sizeOut)...)
}

// name reads a string by an info function, in printable form.
func name(f uintptr, args ...uintptr) string { return device.Printable(text(f, args...)) }

// text reads a string by an info function.
func text(f uintptr, args ...uintptr) string {
	var size uintptr
	if query(f, 0, 0, uintptr(unsafe.Pointer(&size)), args...) != 0 || size == 0 {
		return ""
	}
	buf := make([]byte, size)
	if query(f, size, uintptr(unsafe.Pointer(&buf[0])), 0, args...) != 0 {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(buf), "\x00"))
}

// number reads an integer of a device, of whatever width.
func (l *library) number(dev, param uintptr) (value int64, code int) {
	var v uint64
	code = query(l.GetDeviceInfo, 8, uintptr(unsafe.Pointer(&v)), 0, dev, param)
	if code != 0 {
		return 0, code
	}
	return int64(v), 0
}
