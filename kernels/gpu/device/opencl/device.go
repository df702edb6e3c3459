//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"cmp"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// dev is one device with its own context.
type dev struct {
	cl          *library
	id, context uintptr
	info        device.Info
	// lost is the fault that lost the device; every later operation returns it.
	lost atomic.Pointer[device.Error]
}

func (d *dev) Info() device.Info { return d.info }

// fault turns a status into an error, and keeps the first that loses the device.
func (d *dev) fault(op string, code int) error {
	if code == 0 {
		return nil
	}
	e := &device.Error{Op: op, Device: d.info.Name, Code: code, Err: class(code)}
	if e.Err == device.ErrLost && !d.lost.CompareAndSwap(nil, e) {
		return d.lost.Load()
	}
	return e
}

// ready returns the fault that lost the device, if there was one.
func (d *dev) ready() error {
	if e := d.lost.Load(); e != nil {
		return e
	}
	return nil
}

// refuse returns the error of an operation that leaves the device usable.
func (d *dev) refuse(op string, class error, code int, detail string) error {
	return &device.Error{Op: op, Device: d.info.Name, Code: code, Detail: detail, Err: class}
}

// free calls f, even on a lost device, whose fault an earlier operation has returned.
func (d *dev) free(op string, f uintptr, args ...uintptr) error {
	lost := d.ready() != nil
	return d.freed(op, lost, call(f, args...))
}

// freed turns the status of freeing into an error, unless the device was lost before.
func (d *dev) freed(op string, lost bool, code int) error {
	if lost {
		return nil
	}
	return d.fault(op, code)
}

// create obtains a handle from f, unless the device is lost.
//
//go:uintptrescapes
func (d *dev) create(op string, f uintptr, args ...uintptr) (uintptr, error) {
	if err := d.ready(); err != nil {
		return 0, err
	}
	handle, code := create(f, args...)
	if code == errOutOfResources { // a device without room is not lost
		return 0, d.refuse(op, device.ErrMemory, code, "")
	}
	return handle, d.fault(op, code)
}

func (d *dev) Close() error { return d.free("Close", d.cl.ReleaseContext, d.context) }

// allocate makes a buffer, over memory of the host unless that is 0.
func (d *dev) allocate(op string, flags uintptr, bytes int64, host uintptr) (uintptr, error) {
	if bytes > d.info.LargestAllocation && d.info.LargestAllocation > 0 {
		return 0, d.refuse(op, device.ErrMemory, 0, "more than the device's largest allocation")
	}
	return d.create(op, d.cl.CreateBuffer, d.context, flags, uintptr(max(bytes, 4)), host)
}

type buffer struct {
	*dev
	mem   uintptr
	bytes int64
	svm   uintptr // the shared virtual memory that it lies in, or 0
	// used is set by the first command on the buffer. Some drivers allocate no earlier.
	used atomic.Bool
}

func (d *dev) NewBuffer(bytes int64) (device.Buffer, error) {
	mem, err := d.allocate("NewBuffer", memReadWrite, bytes, 0)
	if err != nil {
		return nil, err
	}
	return &buffer{dev: d, mem: mem, bytes: bytes}, nil
}

// NewHostBuffer implements device.HostReader: on a device that shares the host's
// memory a buffer that the driver allocates there, on others fine-grained shared
// virtual memory.
func (d *dev) NewHostBuffer(bytes int64, fill func([]byte)) (device.Buffer, error) {
	switch {
	case d.info.Unified:
		return d.newUnified(bytes, fill)
	case d.info.InPlace:
		return d.newShared(bytes, fill)
	}
	return nil, d.refuse("NewHostBuffer", device.ErrMemory, 0, "the device does not read the host's memory in place")
}

// newUnified maps a buffer in the memory of host and device while it is filled.
func (d *dev) newUnified(bytes int64, fill func([]byte)) (device.Buffer, error) {
	s, err := d.mapped("NewHostBuffer", memReadOnly, mapWrite, bytes)
	if err != nil {
		return nil, err
	}
	fill(s.data)
	if code := s.unmap(); code != 0 {
		call(d.cl.ReleaseMemObject, s.mem)
		return nil, d.fault("NewHostBuffer", code)
	}
	return &buffer{dev: d, mem: s.mem, bytes: bytes}, nil
}

// newShared makes a buffer over shared virtual memory.
func (d *dev) newShared(bytes int64, fill func([]byte)) (device.Buffer, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	size, at := max(bytes, 4), uintptr(0)
	if size <= d.info.LargestAllocation {
		at, _, _ = purego.SyscallN(d.cl.SVMAlloc, d.context, memReadWrite|memFineGrain, uintptr(size), 0)
	}
	if at == 0 {
		return nil, d.refuse("NewHostBuffer", device.ErrMemory, 0, "")
	}
	fill(unsafe.Slice((*byte)(pointer(at)), size)[:bytes])
	mem, err := d.allocate("NewHostBuffer", memReadOnly|memUseHostPtr, size, at)
	if err != nil {
		call(d.cl.SVMFree, d.context, at)
		return nil, err
	}
	return &buffer{dev: d, mem: mem, bytes: bytes, svm: at}, nil
}

func (b *buffer) Size() int64 { return b.bytes }

func (b *buffer) Free() error {
	err := b.free("free a buffer", b.cl.ReleaseMemObject, b.mem)
	if b.svm != 0 {
		call(b.cl.SVMFree, b.context, b.svm)
	}
	return err
}

// staging is a buffer in host memory, mapped until it is freed.
type staging struct {
	*dev
	mem, queue uintptr
	data       []byte
}

func (d *dev) NewStaging(bytes int64) (device.Staging, error) {
	s, err := d.mapped("NewStaging", memReadWrite, mapReadWrite, bytes)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// mapped makes a buffer in host memory and maps it.
func (d *dev) mapped(op string, flags, access uintptr, bytes int64) (*staging, error) {
	mem, err := d.allocate(op, flags|memAllocHostPtr, bytes, 0)
	if err != nil {
		return nil, err
	}
	queue, err := d.newQueue(op)
	if err != nil {
		call(d.cl.ReleaseMemObject, mem)
		return nil, err
	}
	size := max(bytes, 4)
	at, err := d.create(op, d.cl.EnqueueMapBuffer, queue, mem, 1, access, 0, uintptr(size), 0, 0, 0)
	if err != nil {
		call(d.cl.ReleaseCommandQueue, queue)
		call(d.cl.ReleaseMemObject, mem)
		return nil, err
	}
	return &staging{dev: d, mem: mem, queue: queue, data: unsafe.Slice((*byte)(pointer(at)), size)[:bytes]}, nil
}

// pointer is the address of memory outside the Go heap.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func (s *staging) Bytes() []byte { return s.data }

func (s *staging) at(i int64) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(s.data))) + uintptr(i)
}

// unmap ends the mapping; the buffer stays. It returns the first status that is not 0.
func (s *staging) unmap() int {
	return cmp.Or(call(s.cl.EnqueueUnmapMemObject, s.queue, s.mem, s.at(0), 0, 0, 0),
		call(s.cl.Finish, s.queue), call(s.cl.ReleaseCommandQueue, s.queue))
}

func (s *staging) Free() error {
	lost := s.ready() != nil
	code := s.unmap()
	s.data = nil
	return s.freed("free staging", lost, cmp.Or(code, call(s.cl.ReleaseMemObject, s.mem)))
}

type program struct {
	*dev
	handle uintptr
}

func (d *dev) Build(source string, options []string) (device.Program, error) {
	text := append([]byte(source), 0)
	texts := [1]*byte{&text[0]}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&text[0])
	handle, err := d.create("Build", d.cl.CreateProgramWithSource, d.context, 1, uintptr(unsafe.Pointer(&texts[0])), 0)
	if err != nil {
		return nil, err
	}
	return d.build("Build", handle, options)
}

func (d *dev) Load(binary []byte, options []string) (device.Program, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if len(binary) == 0 {
		return nil, d.refuse("Load", device.ErrBuild, 0, "an empty binary")
	}
	binaries := [1]*byte{&binary[0]}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&binary[0])
	size := uintptr(len(binary))
	var loaded int32
	handle, code := create(d.cl.CreateProgramWithBinary, d.context, 1, uintptr(unsafe.Pointer(&d.id)),
		uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&binaries[0])), uintptr(unsafe.Pointer(&loaded)))
	if code != 0 || loaded != 0 {
		if code == 0 {
			call(d.cl.ReleaseProgram, handle)
		}
		return nil, d.refuse("Load", device.ErrBuild, min(code, int(loaded)), "")
	}
	return d.build("Load", handle, options)
}

// build compiles or links the program, and frees it where that fails.
func (d *dev) build(op string, handle uintptr, options []string) (device.Program, error) {
	line := append([]byte(strings.Join(options, " ")), 0)
	code := call(d.cl.BuildProgram, handle, 1, uintptr(unsafe.Pointer(&d.id)), uintptr(unsafe.Pointer(&line[0])), 0, 0)
	if code != 0 {
		log := text(d.cl.GetProgramBuildInfo, handle, d.id, programBuildLog)
		call(d.cl.ReleaseProgram, handle)
		return nil, d.refuse(op, device.ErrBuild, code, log)
	}
	return &program{d, handle}, nil
}

func (p *program) Binary() ([]byte, error) {
	var size uintptr
	if code := call(p.cl.GetProgramInfo, p.handle, programBinarySizes, unsafe.Sizeof(size),
		uintptr(unsafe.Pointer(&size)), 0); code != 0 || size == 0 {
		return nil, p.refuse("Binary", device.ErrBuild, code, "")
	}
	binary := make([]byte, size)
	binaries := [1]*byte{&binary[0]}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&binary[0])
	code := call(p.cl.GetProgramInfo, p.handle, programBinaries, unsafe.Sizeof(binaries),
		uintptr(unsafe.Pointer(&binaries[0])), 0)
	return binary, p.fault("Binary", code)
}

func (p *program) Free() error { return p.free("free a program", p.cl.ReleaseProgram, p.handle) }

type kernel struct {
	*dev
	handle uintptr
	name   string
	args   []device.Arg // that are set
}

func (p *program) Kernel(name string) (device.Kernel, error) {
	text := append([]byte(name), 0)
	handle, err := p.create("Kernel "+name, p.cl.CreateKernel, p.handle, uintptr(unsafe.Pointer(&text[0])))
	if err != nil {
		return nil, err
	}
	return &kernel{dev: p.dev, handle: handle, name: name}, nil
}

func (k *kernel) Name() string { return k.name }

func (k *kernel) Free() error { return k.free("free kernel "+k.name, k.cl.ReleaseKernel, k.handle) }
