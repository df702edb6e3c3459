package fake

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// ErrInjected is the class of failures ordered by FailAt.
var ErrInjected = errors.New("a failure on demand")

// Options say what the wrapped device states and refuses. The zero value changes nothing.
type Options struct {
	// Name replaces the device's name, and its part before the colon the kind, unless empty.
	Name string
	// Memory and LargestAllocation bound buffers, in bytes; 0 leaves the device's figure.
	Memory, LargestAllocation int64
	// Discrete hides that the device shares the host's memory.
	Discrete bool
	// Late holds the commands of a stream until somebody waits for them.
	Late bool
}

// Device counts the operations of a device, and fails one of them on demand.
type Device struct {
	under device.Device
	info  device.Info
	late  bool

	mu       sync.Mutex
	count    int
	failAt   int // the operation that fails, from 1; 0 for none
	cause    error
	lost     error
	used     int64 // bytes of buffers
	peak     int64
	live     map[string]int
	launches map[string]int
}

// Wrap returns a device that does what under does within o, counted.
func Wrap(under device.Device, o Options) *Device {
	info := under.Info()
	if o.Name != "" {
		info.Name = o.Name
		info.Kind, _, _ = strings.Cut(o.Name, ":")
	}
	info.Memory, info.LargestAllocation = cmp.Or(o.Memory, info.Memory), cmp.Or(o.LargestAllocation, info.LargestAllocation)
	if o.Discrete {
		info.HostCPU, info.Unified, info.InPlace = false, false, false
	}
	return &Device{under: under, info: info, late: o.Late, live: map[string]int{}, launches: map[string]int{}}
}

// FailAt makes the n-th operation from now on fail, n counted from 1; 0 for none. An
// error of class device.ErrLost loses the device: every later operation but freeing
// fails in the same way. A nil cause is ErrInjected.
func (d *Device) FailAt(n int, cause error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if cause == nil {
		cause = ErrInjected
	}
	d.count, d.failAt, d.cause, d.lost = 0, n, cause, nil
}

// Operations is the number of operations since Wrap or FailAt.
func (d *Device) Operations() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.count
}

// Live returns what was made and not freed, by kind.
func (d *Device) Live() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	live := maps.Clone(d.live)
	maps.DeleteFunc(live, func(_ string, n int) bool { return n == 0 })
	return live
}

// Launches returns how often each kernel was launched.
func (d *Device) Launches() map[string]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.launches)
}

// operation counts one, and returns the failure ordered for it.
func (d *Device) operation(op string, freeing bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil && !freeing {
		return d.lost
	}
	d.count++
	if d.count != d.failAt {
		return nil
	}
	err := &device.Error{Op: op, Device: d.info.Name, Err: d.cause}
	if errors.Is(d.cause, device.ErrLost) {
		d.lost = err
	}
	return err
}

// made counts a new object of a kind.
func (d *Device) made(kind string, by int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live[kind] += by
}

// free frees an object whether or not its operation is to fail.
func (d *Device) free(kind string, f func() error) error {
	injected := d.operation("free "+kind, true)
	d.made(kind, -1)
	return cmp.Or(f(), injected)
}

// Info describes the device under it, within the options.
func (d *Device) Info() device.Info { return d.info }

// Build implements device.Device.
func (d *Device) Build(source string, options []string) (device.Program, error) {
	return d.program("Build", func() (device.Program, error) { return d.under.Build(source, options) })
}

// Load implements device.Device.
func (d *Device) Load(binary []byte, options []string) (device.Program, error) {
	return d.program("Load", func() (device.Program, error) { return d.under.Load(binary, options) })
}

func (d *Device) program(op string, do func() (device.Program, error)) (device.Program, error) {
	return obtain(d, op, "program", do, func(p device.Program) device.Program { return &program{p, d} })
}

// obtain makes an object of a kind by do, counted, and wraps it.
func obtain[T any](d *Device, op, kind string, do func() (T, error), wrap func(T) T) (v T, err error) {
	if err = d.operation(op, false); err != nil {
		return v, err
	}
	if v, err = do(); err != nil {
		return v, err
	}
	d.made(kind, 1)
	return wrap(v), nil
}

// NewBuffer implements device.Device.
func (d *Device) NewBuffer(bytes int64) (device.Buffer, error) {
	return obtain(d, "NewBuffer", "buffer", func() (device.Buffer, error) {
		d.mu.Lock()
		fits := bytes <= d.info.LargestAllocation && d.used+bytes <= d.info.Memory
		d.mu.Unlock()
		if !fits {
			return nil, d.refuse("NewBuffer", fmt.Sprintf("%d bytes", bytes))
		}
		return d.under.NewBuffer(bytes)
	}, func(b device.Buffer) device.Buffer {
		d.took(bytes)
		return &buffer{b, d, bytes}
	})
}

func (d *Device) refuse(op, detail string) error {
	return &device.Error{Op: op, Device: d.info.Name, Detail: detail, Err: device.ErrMemory}
}

func (d *Device) took(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used += bytes
	d.peak = max(d.peak, d.used)
}

// Peak is the most memory in bytes that buffers had at once since Wrap or the last call.
func (d *Device) Peak() (bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	bytes, d.peak = d.peak, d.used
	return bytes
}

// NewHostBuffer implements device.HostReader where the device under it does.
func (d *Device) NewHostBuffer(bytes int64, fill func([]byte)) (device.Buffer, error) {
	return obtain(d, "NewHostBuffer", "buffer", func() (device.Buffer, error) {
		under, is := d.under.(device.HostReader)
		if !is || !d.info.InPlace || bytes > d.info.LargestAllocation {
			return nil, d.refuse("NewHostBuffer", fmt.Sprintf("%d bytes; in place: %v", bytes, d.info.InPlace))
		}
		return under.NewHostBuffer(bytes, fill)
	}, func(b device.Buffer) device.Buffer { return &buffer{b, d, 0} })
}

// NewStaging implements device.Device.
func (d *Device) NewStaging(bytes int64) (device.Staging, error) {
	return obtain(d, "NewStaging", "staging", func() (device.Staging, error) { return d.under.NewStaging(bytes) },
		func(s device.Staging) device.Staging { return &staging{s, d} })
}

// NewStream implements device.Device.
func (d *Device) NewStream() (device.Stream, error) {
	return obtain(d, "NewStream", "stream", d.under.NewStream, func(s device.Stream) device.Stream { return &stream{Stream: s, d: d} })
}

// Close implements device.Device.
func (d *Device) Close() error { return d.under.Close() }

type program struct {
	device.Program
	d *Device
}

func (p *program) Kernel(name string) (device.Kernel, error) {
	return obtain(p.d, "Kernel "+name, "kernel", func() (device.Kernel, error) { return p.Program.Kernel(name) },
		func(k device.Kernel) device.Kernel { return &kernel{k, p.d} })
}

func (p *program) Binary() ([]byte, error) {
	if err := p.d.operation("Binary", false); err != nil {
		return nil, err
	}
	return p.Program.Binary()
}

func (p *program) Free() error { return p.d.free("program", p.Program.Free) }

type kernel struct {
	device.Kernel
	d *Device
}

func (k *kernel) Free() error { return k.d.free("kernel", k.Kernel.Free) }

type buffer struct {
	device.Buffer
	d    *Device
	used int64 // bytes that count against the device's memory
}

func (b *buffer) Free() error {
	b.d.took(-b.used)
	return b.d.free("buffer", b.Buffer.Free)
}

type staging struct {
	device.Staging
	d *Device
}

func (s *staging) Free() error { return s.d.free("staging", s.Staging.Free) }

type stream struct {
	device.Stream
	d *Device

	// Of Options.Late.
	queue []func() error
	done  int   // commands run, over the stream's life
	err   error // the first of a command since somebody waited
}

// enqueue counts an operation and runs its command, or holds it.
func (s *stream) enqueue(op string, command func() error) error {
	if err := s.d.operation(op, false); err != nil {
		return err
	}
	if !s.d.late {
		return command()
	}
	s.queue = append(s.queue, command)
	return nil
}

// run runs the held commands up to the n-th of the stream's life, and waits for them.
func (s *stream) run(n int) error {
	for s.done < n {
		command := s.queue[0]
		s.queue = s.queue[1:]
		s.done++
		s.err = cmp.Or(s.err, command())
	}
	err := cmp.Or(s.err, s.Stream.Finish())
	s.err = nil
	return err
}

func (s *stream) Launch(k device.Kernel, l device.Launch) error {
	args := make([]device.Arg, len(l.Args))
	for i, a := range l.Args {
		if args[i] = a; a.Buffer != nil {
			args[i].Buffer = a.Buffer.(*buffer).Buffer
		}
	}
	l.Args = args
	return s.enqueue("Launch "+k.Name(), func() error {
		s.d.mu.Lock()
		s.d.launches[k.Name()]++
		s.d.mu.Unlock()
		return s.Stream.Launch(k.(*kernel).Kernel, l)
	})
}

func (s *stream) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	return s.enqueue("Write", func() error {
		return s.Stream.Write(dst.(*buffer).Buffer, dstAt, src.(*staging).Staging, srcAt, n)
	})
}

func (s *stream) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	return s.enqueue("Read", func() error {
		return s.Stream.Read(dst.(*staging).Staging, dstAt, src.(*buffer).Buffer, srcAt, n)
	})
}

func (s *stream) Fill(dst device.Buffer, at, n int64, word uint32) error {
	return s.enqueue("Fill", func() error { return s.Stream.Fill(dst.(*buffer).Buffer, at, n, word) })
}

func (s *stream) Record() (device.Event, error) {
	record := s.Stream.Record
	if s.d.late {
		record = func() (device.Event, error) { return point{s, s.done + len(s.queue)}, nil }
	}
	return obtain(s.d, "Record", "event", record, func(e device.Event) device.Event { return &event{e, s.d} })
}

// Finish waits even where it is to fail: what comes next may free memory in use.
func (s *stream) Finish() error {
	injected := s.d.operation("Finish", false)
	return cmp.Or(s.run(s.done+len(s.queue)), injected)
}

func (s *stream) Free() error { return s.d.free("stream", s.Stream.Free) }

// point is the event of held commands: complete after the at-th of the stream's life.
type point struct {
	s  *stream
	at int
}

func (p point) Wait() error { return p.s.run(p.at) }
func (p point) Free() error { return nil }

type event struct {
	device.Event
	d *Device
}

func (e *event) Wait() error {
	if err := e.d.operation("wait for an event", false); err != nil {
		return err
	}
	return e.Event.Wait()
}

func (e *event) Free() error { return e.d.free("event", e.Event.Free) }
