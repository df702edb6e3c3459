package device

// Info describes a device.
type Info struct {
	// Name is how a user names it: "opencl:0". Kind is the part before the colon.
	Name, Kind string
	// Model is the device's own name; Vendor, Platform, Version and Driver are as the
	// driver states them.
	Model, Vendor, Platform, Version, Driver string
	// Memory and LargestAllocation are in bytes, LocalMemory in bytes a group.
	Memory, LargestAllocation, LocalMemory int64
	// ComputeUnits is the number of the device's cores, MaxGroup the largest group.
	ComputeUnits, MaxGroup int
	// HostCPU tells that the device is the host's own processor.
	HostCPU bool
	// Unified tells that the device shares the host's memory.
	Unified bool
	// InPlace tells that kernels can read the host's memory where it lies: the device
	// is a HostReader.
	InPlace bool
	// Bandwidth is that of the device's memory in bytes a second, 0 where the driver
	// does not tell.
	Bandwidth int64
}

// Driver is one kind of devices.
type Driver interface {
	// Kind is what the names of its devices have before the colon: "opencl".
	Kind() string
	// Devices describes the devices in the order of their numbers. The error wraps
	// ErrNoDriver where there is none, or it has no device.
	Devices() ([]Info, error)
	// Open opens device i.
	Open(i int) (Device, error)
}

// Device is one compute device.
type Device interface {
	Info() Info
	// Build compiles source with the options of an OpenCL compiler, or loads what was
	// compiled from both before.
	Build(source string, options []string) (Program, error)
	// Load takes what Program.Binary returned for the same device and options.
	Load(binary []byte, options []string) (Program, error)
	// NewBuffer allocates at least bytes of device memory; its contents are undefined.
	NewBuffer(bytes int64) (Buffer, error)
	// NewStaging allocates host memory that copies can run from and to.
	NewStaging(bytes int64) (Staging, error)
	NewStream() (Stream, error)
	// Close frees the device. Everything made from it must have been freed.
	Close() error
}

// HostReader is a Device whose kernels can read the host's memory in place.
type HostReader interface {
	// NewHostBuffer allocates at least bytes of host memory as a buffer that kernels
	// read in place. Its contents are what fill leaves in memory, which is undefined
	// before and must not be touched afterwards. No copies run from or to it.
	NewHostBuffer(bytes int64, fill func(memory []byte)) (Buffer, error)
}

// Buffer is memory that kernels use: on the device, but for NewHostBuffer.
type Buffer interface {
	// Size is the number of bytes asked for.
	Size() int64
	Free() error
}

// Staging is host memory that the driver allocated.
type Staging interface {
	// Bytes is the memory itself, aligned to 64 bytes. Its contents must not be
	// touched while a copy that uses them is under way.
	Bytes() []byte
	Free() error
}

// Program is a set of built kernels.
type Program interface {
	// Kernel returns a new instance of a kernel, with arguments of its own.
	Kernel(name string) (Kernel, error)
	// Binary returns what Device.Load takes; nil where that saves nothing over Build.
	Binary() ([]byte, error)
	Free() error
}

// Kernel is one instance of a kernel.
type Kernel interface {
	Name() string
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

// Stream is a queue of work that runs in order.
type Stream interface {
	Launch(k Kernel, l Launch) error
	// Write copies n bytes of src from srcAt on to dst at dstAt.
	Write(dst Buffer, dstAt int64, src Staging, srcAt, n int64) error
	// Read copies n bytes of src from srcAt on to dst at dstAt.
	Read(dst Staging, dstAt int64, src Buffer, srcAt, n int64) error
	// Fill sets the 32-bit words of n bytes of dst from at on; both are multiples of 4.
	Fill(dst Buffer, at, n int64, word uint32) error
	// Record returns an event that is complete when all work so far is.
	Record() (Event, error)
	// Wait makes all later work of this stream wait for an event of any stream.
	Wait(e Event) error
	// Finish returns when all work is complete.
	Finish() error
	Free() error
}

// Event marks a point in a stream.
type Event interface {
	// Wait returns when the event is complete.
	Wait() error
	Free() error
}
