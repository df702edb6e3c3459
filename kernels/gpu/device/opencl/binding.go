//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"os"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Values of cl.h.
const (
	deviceTypeCPU = 1 << 1
	deviceTypeAll = 0xFFFFFFFF

	platformName = 0x0902

	deviceType          = 0x1000
	deviceComputeUnits  = 0x1002
	deviceMaxGroup      = 0x1004
	deviceMaxAlloc      = 0x1010
	deviceGlobalMem     = 0x101F
	deviceLocalMem      = 0x1023
	deviceLittleEndian  = 0x1026
	deviceName          = 0x102B
	deviceVendor        = 0x102C
	driverVersion       = 0x102D
	deviceVersion       = 0x102F
	deviceUnifiedMemory = 0x1035
	deviceSVM           = 0x1053

	memReadWrite    = 1 << 0
	memReadOnly     = 1 << 2
	memUseHostPtr   = 1 << 3
	memAllocHostPtr = 1 << 4
	memFineGrain    = 1 << 10

	svmFineGrainBuffer = 1 << 1

	mapReadWrite = 1<<0 | 1<<1
	mapWrite     = 1 << 1

	programDevices     = 0x1163
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

// function is one call of the driver's library.
type function int

const (
	getPlatformIDs function = iota
	getPlatformInfo
	getDeviceIDs
	getDeviceInfo
	createContext
	releaseContext
	createCommandQueue
	releaseCommandQueue
	createBuffer
	releaseMemObject
	enqueueReadBuffer
	enqueueWriteBuffer
	enqueueFillBuffer
	enqueueMapBuffer
	enqueueUnmapMemObject
	createProgramWithSource
	createProgramWithBinary
	buildProgram
	getProgramInfo
	getProgramBuildInfo
	releaseProgram
	createKernel
	setKernelArg
	releaseKernel
	enqueueNDRangeKernel
	enqueueMarkerWithWaitList
	enqueueBarrierWithWaitList
	flush
	finish
	waitForEvents
	releaseEvent
	svmAlloc // OpenCL 2.0, as is what follows: 0 where the loader lacks it
	svmFree
	functions
)

var names = [functions]string{
	"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo",
	"clCreateContext", "clReleaseContext", "clCreateCommandQueue", "clReleaseCommandQueue",
	"clCreateBuffer", "clReleaseMemObject",
	"clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueFillBuffer",
	"clEnqueueMapBuffer", "clEnqueueUnmapMemObject",
	"clCreateProgramWithSource", "clCreateProgramWithBinary", "clBuildProgram",
	"clGetProgramInfo", "clGetProgramBuildInfo", "clReleaseProgram",
	"clCreateKernel", "clSetKernelArg", "clReleaseKernel", "clEnqueueNDRangeKernel",
	"clEnqueueMarkerWithWaitList", "clEnqueueBarrierWithWaitList",
	"clFlush", "clFinish", "clWaitForEvents", "clReleaseEvent",
	"clSVMAlloc", "clSVMFree",
}

// library is the loaded driver: the address of each function.
type library [functions]uintptr

// load opens the loader that o names.
func load(o Options) (*library, error) {
	tries := loaders()
	if o.Loader == "" {
		o.Loader = os.Getenv(LoaderVariable)
	}
	if o.Loader != "" {
		tries = []string{o.Loader}
	}
	var last string
	for _, path := range tries {
		handle, err := openLibrary(path)
		if err != nil {
			last = err.Error()
			continue
		}
		l := &library{}
		for i, name := range names {
			if l[i], err = symbol(handle, name); (err != nil || l[i] == 0) && function(i) < svmAlloc {
				return nil, noDriver(path + " lacks " + name)
			}
		}
		return l, nil
	}
	return nil, noDriver(last)
}

// call runs a function that returns a status.
//
//go:uintptrescapes
func (l *library) call(f function, args ...uintptr) int {
	r, _, _ := purego.SyscallN(l[f], args...)
	return int(int32(r))
}

// make runs a function that returns a handle; its last argument points to a status.
//
//go:uintptrescapes
func (l *library) make(f function, args ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(l[f], args...)
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

// text reads a string by one of the two info functions.
func (l *library) text(f function, object uintptr, param uintptr) string {
	var size uintptr
	if l.call(f, object, param, 0, 0, uintptr(unsafe.Pointer(&size))) != 0 || size == 0 {
		return ""
	}
	buf := make([]byte, size)
	if l.call(f, object, param, size, uintptr(unsafe.Pointer(&buf[0])), 0) != 0 {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(buf), "\x00"))
}

// number reads an integer of a device, of whatever width.
func (l *library) number(dev uintptr, param uintptr) int64 {
	var value uint64
	if l.call(getDeviceInfo, dev, param, 8, uintptr(unsafe.Pointer(&value)), 0) != 0 {
		return 0
	}
	return int64(value)
}
