package cuda

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
	"github.com/totemgo/totemgo/kernels/gpu/src"
	"gorgonia.org/cu"
)

// dev is one device with a context of its own.
type dev struct {
	ctx     *cu.Ctx
	context cu.CUContext
	info    device.Info
	// lost is the first fault; every later operation returns it.
	lost   atomic.Pointer[device.Error]
	closed atomic.Bool
}

func (d *dev) Info() device.Info { return d.info }

// fault turns the driver's error into one of package device, and remembers the first
// that loses the device.
func (d *dev) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	e := &device.Error{Op: op, Device: d.info.Name, Code: code(err), Detail: err.Error(), Err: class(err)}
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

// do runs f on the context's thread, unless the device is lost.
func (d *dev) do(op string, f func() error) error {
	if err := d.ready(); err != nil {
		return err
	}
	return d.fault(op, d.ctx.Do(f))
}

// obtain returns v once f, run by do, has made it.
func obtain[T any](d *dev, op string, v T, f func() error) (T, error) {
	if err := d.do(op, f); err != nil {
		var none T
		return none, err
	}
	return v, nil
}

// release runs f on the context's thread, lost or not.
func (d *dev) release(op string, f func() error) error {
	if d.closed.Load() {
		return d.ready()
	}
	return d.fault(op, d.ctx.Do(f))
}

// here runs f, which may block, on the caller's thread with the context current.
func (d *dev) here(op string, f func() error) error {
	if err := d.ready(); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cu.PushCurrentCtx(d.context); err != nil {
		return d.fault(op, err)
	}
	err := f()
	if _, popped := cu.PopCurrentCtx(); err == nil {
		err = popped
	}
	return d.fault(op, err)
}

func (d *dev) Close() error {
	if d.closed.Swap(true) {
		return nil
	}
	// The thread goes back to other goroutines: without a context.
	_ = d.ctx.Do(func() error { return cu.SetCurrentContext(cu.CUContext{}) })
	err := d.ctx.Close()
	if d.lost.Load() != nil {
		return nil // the fault was reported where it showed
	}
	return d.fault("Close", err)
}

// Build loads the PTX that was built from package src before: it compiles no other source.
func (d *dev) Build(source string, options []string) (device.Program, error) {
	ptx := src.PTX(options)
	if text, err := src.Text(); err != nil || source != text || ptx == nil {
		return nil, &device.Error{Op: "Build", Device: d.info.Name, Err: device.ErrBuild,
			Detail: "there is PTX of the kernels with " + src.PTXOptions + " alone"}
	}
	return d.Load(ptx, options)
}

// Load takes PTX or a binary of NVIDIA's. The options are those it was built with.
func (d *dev) Load(binary []byte, _ []string) (device.Program, error) {
	if len(binary) == 0 {
		return nil, &device.Error{Op: "Load", Device: d.info.Name, Err: device.ErrBuild, Detail: "an empty binary"}
	}
	if err := d.ready(); err != nil {
		return nil, err
	}
	p := &program{dev: d}
	log := newText(8192)
	defer freeText(log)
	err := d.ctx.Do(func() (err error) {
		p.module, err = cu.LoadDataEx(string(binary), &cu.JITErrorLogBuffer{Buffer: log})
		return err
	})
	if err != nil {
		err = d.fault("Load", err)
		var e *device.Error
		if text := strings.TrimSpace(strings.TrimRight(string(log), "\x00")); text != "" && errors.As(err, &e) && e.Op == "Load" {
			e.Detail += ": " + text
		}
		return nil, err
	}
	return p, nil
}

type buffer struct {
	*dev
	mem   cu.DevicePtr
	bytes int64
	host  unsafe.Pointer // the host's memory that it lies in, or nil
}

func (d *dev) NewBuffer(bytes int64) (device.Buffer, error) {
	b := &buffer{dev: d, bytes: bytes}
	return obtain[device.Buffer](d, "NewBuffer", b, func() (err error) {
		b.mem, err = cu.MemAlloc(max(bytes, 4))
		return err
	})
}

// NewHostBuffer implements device.HostReader: page-locked memory that is mapped into
// the device's address space.
func (d *dev) NewHostBuffer(bytes int64, fill func([]byte)) (device.Buffer, error) {
	if !d.info.InPlace {
		return nil, &device.Error{Op: "NewHostBuffer", Device: d.info.Name, Err: device.ErrMemory,
			Detail: "the device does not map the host's memory"}
	}
	b := &buffer{dev: d, bytes: bytes}
	size := max(bytes, 64)
	err := d.do("NewHostBuffer", func() (err error) {
		b.host, b.mem, err = mapped(size)
		return err
	})
	if err != nil {
		return nil, err
	}
	fill(unsafe.Slice((*byte)(b.host), size)[:bytes])
	return b, nil
}

func (b *buffer) Size() int64 { return b.bytes }

func (b *buffer) Free() error {
	if b.host != nil {
		return b.release("free a buffer", func() error { return unpin(b.host) })
	}
	return b.release("free a buffer", func() error { return cu.MemFree(b.mem) })
}

// staging is page-locked host memory.
type staging struct {
	*dev
	memory unsafe.Pointer
	bytes  int64
}

func (d *dev) NewStaging(bytes int64) (device.Staging, error) {
	s := &staging{dev: d, bytes: bytes}
	return obtain[device.Staging](d, "NewStaging", s, func() (err error) {
		s.memory, err = pinned(max(bytes, 64))
		return err
	})
}

func (s *staging) Bytes() []byte { return unsafe.Slice((*byte)(s.memory), s.bytes) }

func (s *staging) at(i int64) unsafe.Pointer { return unsafe.Add(s.memory, i) }

func (s *staging) Free() error {
	return s.release("free staging", func() error { return unpin(s.memory) })
}

type program struct {
	*dev
	module cu.Module
}

// Binary returns nil: the driver keeps what it makes of PTX.
func (p *program) Binary() ([]byte, error) { return nil, nil }

func (p *program) Free() error { return p.release("free a program", p.module.Unload) }

type kernel struct {
	*dev
	function cu.Function
	name     string
}

func (p *program) Kernel(name string) (device.Kernel, error) {
	k := &kernel{dev: p.dev, name: name}
	return obtain[device.Kernel](p.dev, "Kernel "+name, k, func() (err error) {
		k.function, err = p.module.Function(name)
		return err
	})
}

func (k *kernel) Name() string { return k.name }

// Free does nothing: a function goes with its module.
func (k *kernel) Free() error { return nil }
