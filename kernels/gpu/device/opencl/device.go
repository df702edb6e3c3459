//go:build !nogpu && (linux || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// dev is one device with its own context.
type dev struct {
	*library
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

func (d *dev) Close() error {
	return d.fault("Close", d.call(releaseContext, d.context))
}

func (d *dev) allocate(op string, flags uintptr, bytes int64) (uintptr, error) {
	if err := d.ready(); err != nil {
		return 0, err
	}
	if bytes > d.info.LargestAllocation && d.info.LargestAllocation > 0 {
		return 0, &device.Error{Op: op, Device: d.info.Name, Err: device.ErrMemory,
			Detail: "more than the device's largest allocation"}
	}
	var status int32
	mem := d.make(createBuffer, d.context, flags, uintptr(max(bytes, 4)), 0, uintptr(unsafe.Pointer(&status)))
	// A device without room is not lost.
	if status == errOutOfResources {
		return 0, &device.Error{Op: op, Device: d.info.Name, Code: int(status), Err: device.ErrMemory}
	}
	return mem, d.fault(op, int(status))
}

type buffer struct {
	*dev
	mem   uintptr
	bytes int64
	svm   uintptr // the shared virtual memory that it lies in, or 0
}

func (d *dev) NewBuffer(bytes int64) (device.Buffer, error) {
	mem, err := d.allocate("NewBuffer", memReadWrite, bytes)
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
	return nil, &device.Error{Op: "NewHostBuffer", Device: d.info.Name, Err: device.ErrMemory,
		Detail: "the device does not read the host's memory in place"}
}

// newUnified maps a buffer in the memory of host and device while it is filled.
func (d *dev) newUnified(bytes int64, fill func([]byte)) (_ device.Buffer, err error) {
	mem, err := d.allocate("NewHostBuffer", memReadOnly|memAllocHostPtr, bytes)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			d.call(releaseMemObject, mem)
		}
	}()
	queue, err := d.newQueue("NewHostBuffer")
	if err != nil {
		return nil, err
	}
	defer d.call(releaseCommandQueue, queue)
	size := max(bytes, 4)
	var status int32
	at := d.make(enqueueMapBuffer, queue, mem, 1, mapWrite, 0, uintptr(size), 0, 0, 0, uintptr(unsafe.Pointer(&status)))
	if status != 0 || at == 0 {
		return nil, d.fault("NewHostBuffer", int(status))
	}
	fill(unsafe.Slice((*byte)(pointer(at)), size)[:bytes])
	code := d.call(enqueueUnmapMemObject, queue, mem, at, 0, 0, 0)
	if done := d.call(finish, queue); code == 0 {
		code = done
	}
	if code != 0 {
		return nil, d.fault("NewHostBuffer", code)
	}
	return &buffer{dev: d, mem: mem, bytes: bytes}, nil
}

// newShared makes a buffer over shared virtual memory.
func (d *dev) newShared(bytes int64, fill func([]byte)) (device.Buffer, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	size := max(bytes, 4)
	at := uintptr(0)
	if size <= d.info.LargestAllocation {
		at = d.make(svmAlloc, d.context, memReadWrite|memFineGrain, uintptr(size), 0)
	}
	if at == 0 {
		return nil, &device.Error{Op: "NewHostBuffer", Device: d.info.Name, Err: device.ErrMemory}
	}
	fill(unsafe.Slice((*byte)(pointer(at)), size)[:bytes])
	var status int32
	mem := d.make(createBuffer, d.context, memReadOnly|memUseHostPtr, uintptr(size), at, uintptr(unsafe.Pointer(&status)))
	if status != 0 {
		d.make(svmFree, d.context, at)
		return nil, d.fault("NewHostBuffer", int(status))
	}
	return &buffer{dev: d, mem: mem, bytes: bytes, svm: at}, nil
}

func (b *buffer) Size() int64 { return b.bytes }

func (b *buffer) Free() error {
	code := b.call(releaseMemObject, b.mem)
	if b.svm != 0 {
		b.make(svmFree, b.context, b.svm)
	}
	return b.fault("free a buffer", code)
}

// staging is a buffer in host memory, mapped until it is freed.
type staging struct {
	*dev
	mem, queue uintptr
	data       []byte
}

func (d *dev) NewStaging(bytes int64) (device.Staging, error) {
	s := &staging{dev: d}
	var err error
	if s.mem, err = d.allocate("NewStaging", memReadWrite|memAllocHostPtr, bytes); err != nil {
		return nil, err
	}
	if s.queue, err = d.newQueue("NewStaging"); err != nil {
		d.call(releaseMemObject, s.mem)
		return nil, err
	}
	var status int32
	at := d.make(enqueueMapBuffer, s.queue, s.mem, 1, mapReadWrite, 0, uintptr(max(bytes, 4)), 0, 0, 0,
		uintptr(unsafe.Pointer(&status)))
	if status != 0 || at == 0 {
		d.call(releaseCommandQueue, s.queue)
		d.call(releaseMemObject, s.mem)
		return nil, d.fault("NewStaging", int(status))
	}
	s.data = unsafe.Slice((*byte)(pointer(at)), bytes)
	return s, nil
}

// pointer is the address of memory outside the Go heap.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

func (s *staging) Bytes() []byte { return s.data }

func (s *staging) at(i int64) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(s.data))) + uintptr(i)
}

func (s *staging) Free() error {
	code := s.call(enqueueUnmapMemObject, s.queue, s.mem, s.at(0), 0, 0, 0)
	s.data = nil
	for _, c := range []int{s.call(finish, s.queue), s.call(releaseCommandQueue, s.queue), s.call(releaseMemObject, s.mem)} {
		if code == 0 {
			code = c
		}
	}
	return s.fault("free staging", code)
}

type program struct {
	*dev
	handle uintptr
}

func (d *dev) Build(source string, options []string) (device.Program, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	text := append([]byte(source), 0)
	texts := [1]*byte{&text[0]}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&text[0])
	var status int32
	handle := d.make(createProgramWithSource, d.context, 1, uintptr(unsafe.Pointer(&texts[0])), 0,
		uintptr(unsafe.Pointer(&status)))
	if status != 0 {
		return nil, d.fault("Build", int(status))
	}
	return d.build("Build", handle, options)
}

func (d *dev) Load(binary []byte, options []string) (device.Program, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if len(binary) == 0 {
		return nil, &device.Error{Op: "Load", Device: d.info.Name, Err: device.ErrBuild, Detail: "an empty binary"}
	}
	binaries := [1]*byte{&binary[0]}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&binary[0])
	size := uintptr(len(binary))
	var status, loaded int32
	handle := d.make(createProgramWithBinary, d.context, 1, uintptr(unsafe.Pointer(&d.id)),
		uintptr(unsafe.Pointer(&size)), uintptr(unsafe.Pointer(&binaries[0])),
		uintptr(unsafe.Pointer(&loaded)), uintptr(unsafe.Pointer(&status)))
	if status != 0 || loaded != 0 {
		if handle != 0 && status == 0 {
			d.call(releaseProgram, handle)
		}
		return nil, &device.Error{Op: "Load", Device: d.info.Name, Code: int(min(status, loaded)), Err: device.ErrBuild}
	}
	return d.build("Load", handle, options)
}

// build compiles or links the program, and frees it where that fails.
func (d *dev) build(op string, handle uintptr, options []string) (device.Program, error) {
	line := append([]byte(strings.Join(options, " ")), 0)
	code := d.call(buildProgram, handle, 1, uintptr(unsafe.Pointer(&d.id)), uintptr(unsafe.Pointer(&line[0])), 0, 0)
	if code == 0 {
		return &program{d, handle}, nil
	}
	var size uintptr
	d.call(getProgramBuildInfo, handle, d.id, programBuildLog, 0, 0, uintptr(unsafe.Pointer(&size)))
	log := make([]byte, size+1)
	d.call(getProgramBuildInfo, handle, d.id, programBuildLog, size, uintptr(unsafe.Pointer(&log[0])), 0)
	d.call(releaseProgram, handle)
	return nil, &device.Error{Op: op, Device: d.info.Name, Code: code, Err: device.ErrBuild,
		Detail: strings.TrimSpace(strings.TrimRight(string(log), "\x00"))}
}

func (p *program) Binary() ([]byte, error) {
	var size uintptr
	if code := p.call(getProgramInfo, p.handle, programBinarySizes, unsafe.Sizeof(size),
		uintptr(unsafe.Pointer(&size)), 0); code != 0 || size == 0 {
		return nil, &device.Error{Op: "Binary", Device: p.info.Name, Code: code, Err: device.ErrBuild}
	}
	binary := make([]byte, size)
	binaries := [1]*byte{&binary[0]}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&binary[0])
	code := p.call(getProgramInfo, p.handle, programBinaries, unsafe.Sizeof(binaries),
		uintptr(unsafe.Pointer(&binaries[0])), 0)
	return binary, p.fault("Binary", code)
}

func (p *program) Free() error { return p.fault("free a program", p.call(releaseProgram, p.handle)) }

type kernel struct {
	*dev
	handle uintptr
	name   string
}

func (p *program) Kernel(name string) (device.Kernel, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	text := append([]byte(name), 0)
	var status int32
	handle := p.make(createKernel, p.handle, uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&status)))
	if status != 0 {
		return nil, p.fault("Kernel "+name, int(status))
	}
	return &kernel{p.dev, handle, name}, nil
}

func (k *kernel) Name() string { return k.name }

func (k *kernel) Free() error { return k.fault("free kernel "+k.name, k.call(releaseKernel, k.handle)) }
