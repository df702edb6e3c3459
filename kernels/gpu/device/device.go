package device

import "time"

// Info describes a device.
type Info struct {
	// Name is the user's name of the device, such as "opencl:0". Kind is the part before
	// the colon.
	Name, Kind string
	// Model is the device's name; Vendor, Platform, Version and Driver are the driver's texts.
	Model, Vendor, Platform, Version, Driver string
	// Memory and LargestAllocation are in bytes.
	Memory, LargestAllocation int64
	// ComputeUnits is the number of cores, MaxGroup the most lanes of a work-group.
	ComputeUnits, MaxGroup int
	// HostCPU reports that the device is the host's processor.
	HostCPU bool
	// Unified reports that device and host share memory.
	Unified bool
	// InPlace reports that kernels can read host memory in place: the device is a
	// HostReader.
	InPlace bool
	// Compiler reports that Build compiles any source; other devices have the kernels of searches.
	Compiler bool
	// FP64 and Int64Atomics report doubles and atomics of 64 bits.
	FP64, Int64Atomics bool
	// Bandwidth is that of device memory in bytes a second, 0 if unknown.
	Bandwidth int64
	// Bus is the device's PCI address, such as "0000:3b:00": domain, bus and device, in
	// hexadecimal; "" if unknown. Devices of two drivers with one address are one card.
	Bus string
}

// Driver lists and opens devices of one kind.
type Driver interface {
	// Kind is the part of device names before the colon, such as "opencl".
	Kind() string
	// Devices describes the devices by number. The error wraps ErrNoDriver where there is
	// no driver, or it has no device.
	Devices() ([]Info, error)
	// Open opens device i, or returns ErrNoDevice.
	Open(i int) (Device, error)
}

// Device is one compute device. Errors are *Error.
type Device interface {
	// Info describes the device.
	Info() Info
	// Build compiles source with options of an OpenCL compiler, or loads an earlier
	// compilation of both; it returns ErrBuild with the compiler's log.
	Build(source string, options []string) (Program, error)
	// Load loads a result of Program.Binary for the same device and options, or returns
	// ErrBuild.
	Load(binary []byte, options []string) (Program, error)
	// NewBuffer allocates at least bytes of device memory with undefined contents, or returns
	// ErrMemory.
	NewBuffer(bytes int64) (Buffer, error)
	// NewStaging allocates host memory for copies; its contents are undefined.
	NewStaging(bytes int64) (Staging, error)
	// NewStream makes an in-order queue.
	NewStream() (Stream, error)
	// Close frees the device, after everything made from it.
	Close() error
}

// HostReader is a Device whose kernels can read host memory in place.
type HostReader interface {
	// NewHostBuffer allocates at least bytes of host memory as a buffer that kernels read in
	// place. fill writes its contents; memory must not be used after fill returns. It cannot
	// be copied from or to.
	NewHostBuffer(bytes int64, fill func(memory []byte)) (Buffer, error)
}

// Buffer is memory of kernels: device memory, or host memory from NewHostBuffer.
type Buffer interface {
	// Size is the number of bytes requested.
	Size() int64
	// Free frees the memory.
	Free() error
}

// Staging is host memory allocated by the driver, for copies.
type Staging interface {
	// Bytes is the memory, aligned to 64 bytes. It must not be accessed where an enqueued
	// copy uses it, until that is complete.
	Bytes() []byte
	// Free frees the memory.
	Free() error
}

// Program is a set of built kernels.
type Program interface {
	// Kernel returns a new instance of a kernel, or ErrBuild.
	Kernel(name string) (Kernel, error)
	// Binary returns the argument of Device.Load; nil where Load would be no faster than Build.
	Binary() ([]byte, error)
	// Free frees the program.
	Free() error
}

// Kernel is one instance of a kernel, with arguments of its own.
type Kernel interface {
	// Name is the name in the source.
	Name() string
	// Free frees the kernel.
	Free() error
}

// Arg is one argument of a kernel: a buffer, or a scalar of Width bytes.
type Arg struct {
	Buffer Buffer
	Scalar uint64
	Width  int // 4 or 8; 0 for a buffer
}

// Buf is a buffer as an argument.
func Buf(b Buffer) Arg { return Arg{Buffer: b} }

// U32 is a uint as an argument.
func U32(x uint32) Arg { return Arg{Scalar: uint64(x), Width: 4} }

// Launch is the shape and the arguments of one run of a kernel.
type Launch struct {
	Groups, GroupSize int // one dimension
	Args              []Arg
}

// Stream is an in-order queue.
type Stream interface {
	// Launch enqueues a run of a kernel. Values of arguments are copied before it returns.
	Launch(k Kernel, l Launch) error
	// Write enqueues a copy of n bytes of src from srcAt to dst at dstAt.
	Write(dst Buffer, dstAt int64, src Staging, srcAt, n int64) error
	// Read enqueues a copy of n bytes of src from srcAt to dst at dstAt.
	Read(dst Staging, dstAt int64, src Buffer, srcAt, n int64) error
	// Fill enqueues setting n bytes of dst from at to copies of word; n and at are multiples
	// of 4.
	Fill(dst Buffer, at, n int64, word uint32) error
	// Record returns an event that completes with all work enqueued so far.
	Record() (Event, error)
	// Flush lets the device begin with the work enqueued so far, where the driver may hold it back.
	Flush() error
	// Finish waits until all work is complete.
	Finish() error
	// Free frees the queue.
	Free() error
}

// Event marks a point in a stream.
type Event interface {
	// Wait waits until the event is complete.
	Wait() error
	// Free frees the event.
	Free() error
}

// Timer is an Event whose driver reports times.
type Timer interface {
	// Since returns the time on the device from an earlier event of the same device; both are
	// complete.
	Since(earlier Event) (time.Duration, error)
}
