//go:build !nogpu && (linux || windows) && (amd64 || arm64)

package cuda

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/src"
)

// dev is one device with its primary context.
type dev struct {
	cu          *library
	id, context uintptr
	info        device.Info
	arch        int
	compiler    func() (*compiler, error)
	// lost is the fault that lost the device; every later operation returns it.
	lost   atomic.Pointer[device.Error]
	closed atomic.Bool

	mu     sync.Mutex
	events []uintptr // not in use
}

func (d *dev) Info() device.Info { return d.info }

// fault turns a status into an error, and keeps the first that loses the device.
func (d *dev) fault(op string, code int) error {
	if code == 0 {
		return nil
	}
	e := &device.Error{Op: op, Device: d.info.Name, Code: code, Detail: d.cu.name(code), Err: class(code)}
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
	if d.closed.Load() {
		return &device.Error{Op: "use", Device: d.info.Name, Err: device.ErrLost, Detail: "the device is closed"}
	}
	return nil
}

// refuse returns the error of an operation that leaves the device usable.
func (d *dev) refuse(op string, class error, code int, detail string) error {
	return &device.Error{Op: op, Device: d.info.Name, Code: code, Detail: detail, Err: class}
}

// call calls f with the context current.
//
//go:uintptrescapes
func (d *dev) call(f uintptr, args ...uintptr) int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if code := call(d.cu.CtxSetCurrent, d.context); code != 0 {
		return code
	}
	return call(f, args...)
}

// do calls f with the context current, unless the device is lost.
//
//go:uintptrescapes
func (d *dev) do(op string, f uintptr, args ...uintptr) error {
	if err := d.ready(); err != nil {
		return err
	}
	return d.fault(op, d.call(f, args...))
}

// free calls f, even on a lost device, but not on a closed one.
func (d *dev) free(op string, f uintptr, args ...uintptr) error {
	if d.closed.Load() {
		return d.ready()
	}
	return d.fault(op, d.call(f, args...))
}

// spin is the time that a wait polls before it blocks: twice what waking a thread costs.
const spin = 50 * time.Microsecond

// wait returns when a stream or an event is complete.
func (d *dev) wait(op string, query, synchronize, handle uintptr) error {
	if err := d.ready(); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	code := call(d.cu.CtxSetCurrent, d.context)
	if code == 0 {
		began := time.Now()
		for code = call(query, handle); code == errNotReady; code = call(query, handle) {
			if time.Since(began) >= spin {
				code = call(synchronize, handle)
				break
			}
		}
	}
	return d.fault(op, code)
}

func (d *dev) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	code := 0
	for _, e := range d.events {
		code = max(code, d.call(d.cu.EventDestroy, e))
	}
	if released := call(d.cu.DevicePrimaryCtxRelease, d.id); code == 0 {
		code = released
	}
	if d.lost.Load() != nil {
		return nil // the fault was reported where it showed
	}
	return d.fault("Close", code)
}

type buffer struct {
	*dev
	mem   uintptr
	bytes int64
	host  uintptr // the page-locked host memory that it lies in, or 0
}

func (d *dev) NewBuffer(bytes int64) (device.Buffer, error) {
	b := &buffer{dev: d, bytes: bytes}
	if err := d.do("NewBuffer", d.cu.MemAlloc, uintptr(unsafe.Pointer(&b.mem)), uintptr(max(bytes, 4))); err != nil {
		return nil, err
	}
	return b, nil
}

// NewHostBuffer implements device.HostReader: page-locked memory that is mapped into the device's
// address space.
func (d *dev) NewHostBuffer(bytes int64, fill func([]byte)) (device.Buffer, error) {
	if !d.info.InPlace {
		return nil, d.refuse("NewHostBuffer", device.ErrMemory, 0, "the device does not map host memory")
	}
	s, err := d.pinned("NewHostBuffer", bytes, hostPortable|hostDeviceMap)
	if err != nil {
		return nil, err
	}
	b := &buffer{dev: d, bytes: bytes, host: s.memory}
	if err := d.do("NewHostBuffer", d.cu.MemHostGetDevicePointer, uintptr(unsafe.Pointer(&b.mem)), s.memory, 0); err != nil {
		return nil, errors.Join(err, s.Free())
	}
	fill(s.Bytes())
	return b, nil
}

func (b *buffer) Size() int64 { return b.bytes }

func (b *buffer) Free() error {
	if b.host != 0 {
		return b.free("free a buffer", b.cu.MemFreeHost, b.host)
	}
	return b.free("free a buffer", b.cu.MemFree, b.mem)
}

// staging is page-locked host memory.
type staging struct {
	*dev
	memory uintptr
	bytes  int64
}

func (d *dev) NewStaging(bytes int64) (device.Staging, error) {
	s, err := d.pinned("NewStaging", bytes, hostPortable)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// pinned allocates page-locked host memory.
func (d *dev) pinned(op string, bytes int64, flags uintptr) (*staging, error) {
	s := &staging{dev: d, bytes: bytes}
	return s, d.do(op, d.cu.MemHostAlloc, uintptr(unsafe.Pointer(&s.memory)), uintptr(max(bytes, 64)), flags)
}

func (s *staging) Bytes() []byte { return unsafe.Slice((*byte)(pointer(s.memory)), s.bytes) }

func (s *staging) Free() error { return s.free("free staging", s.cu.MemFreeHost, s.memory) }

// program is a loaded module.
type program struct {
	*dev
	module uintptr
	image  []byte // what NVRTC made, nil for the embedded PTX
}

// Build loads the PTX of package src where that was built from source and options, and compiles
// other sources by NVRTC.
func (d *dev) Build(source string, options []string) (device.Program, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if known, err := src.Text(); err == nil && source == known {
		if ptx := src.PTX(options); ptx != nil {
			return d.module("Build", ptx, nil)
		}
	}
	c, err := d.compiler()
	if err != nil {
		return nil, d.refuse("Build", device.ErrBuild, 0, err.Error())
	}
	image, code, log := c.compile(source, options, d.arch)
	if image == nil {
		return nil, d.refuse("Build", device.ErrBuild, code, log)
	}
	return d.module("Build", image, image)
}

// Load takes PTX or a binary of NVIDIA's. The options are those it was built with.
func (d *dev) Load(binary []byte, _ []string) (device.Program, error) {
	return d.module("Load", binary, binary)
}

// module loads an image; binary is what Binary returns.
func (d *dev) module(op string, image, binary []byte) (device.Program, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if len(image) == 0 {
		return nil, d.refuse(op, device.ErrBuild, 0, "an empty binary")
	}
	p := &program{dev: d, image: binary}
	ended := append(append(make([]byte, 0, len(image)+1), image...), 0)
	log := make([]byte, 8192)
	var pin runtime.Pinner // the driver gets the address of log inside an array
	defer pin.Unpin()
	pin.Pin(&log[0])
	names := [2]int32{jitErrorLog, jitErrorLogSize}
	values := [2]uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	code := d.call(d.cu.ModuleLoadDataEx, uintptr(unsafe.Pointer(&p.module)), uintptr(unsafe.Pointer(&ended[0])),
		uintptr(len(names)), uintptr(unsafe.Pointer(&names[0])), uintptr(unsafe.Pointer(&values[0])))
	if class(code) == device.ErrBuild {
		return nil, d.refuse(op, device.ErrBuild, code, strings.TrimSpace(d.cu.name(code)+" "+trimmed(log)))
	}
	if err := d.fault(op, code); err != nil {
		return nil, err
	}
	return p, nil
}

// Binary returns what NVRTC made, and nil for the embedded PTX: the driver caches its translation.
func (p *program) Binary() ([]byte, error) { return p.image, nil }

func (p *program) Free() error { return p.free("free a program", p.cu.ModuleUnload, p.module) }

type kernel struct {
	*dev
	function   uintptr
	name, task string
}

func (p *program) Kernel(name string) (device.Kernel, error) {
	k := &kernel{dev: p.dev, name: name, task: "Launch " + name}
	ended := append([]byte(name), 0)
	if err := p.do("Kernel "+name, p.cu.ModuleGetFunction, uintptr(unsafe.Pointer(&k.function)), p.module,
		uintptr(unsafe.Pointer(&ended[0]))); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *kernel) Name() string { return k.name }

// Free does nothing: the module owns the function.
func (k *kernel) Free() error { return nil }
