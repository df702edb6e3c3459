package fake

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// Options describe a fake device. The zero value is a device of 1 GiB.
type Options struct {
	// Name is its name, with its kind before a colon; "" means "opencl:0".
	Name string
	// Memory and LargestAllocation are in bytes; 0 means 1 GiB, and all of Memory.
	Memory, LargestAllocation int64
	// Unified makes it a device that shares the host's memory, and reads it in place.
	Unified bool
	// Kernels are the kernels of every program by name; nil means Twins().
	Kernels map[string]Kernel
}

// Kernel is a kernel as a Go function: it does the work of all lanes.
type Kernel func(c Call)

// Call is one launch of a kernel.
type Call struct{ l device.Launch }

// Groups and GroupSize are the shape of the launch.
func (c Call) Groups() int { return c.l.Groups }

// GroupSize is the number of lanes of a group.
func (c Call) GroupSize() int { return c.l.GroupSize }

// Words is the buffer of argument i.
func (c Call) Words(i int) []uint32 { return c.l.Args[i].Buffer.(*memBuffer).words }

// Bytes is the buffer of argument i as bytes.
func (c Call) Bytes(i int) []byte {
	words := c.Words(i)
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 4*len(words))
}

// U32 is the scalar of argument i.
func (c Call) U32(i int) uint32 { return uint32(c.l.Args[i].Scalar) }

// New returns a device in Go.
func New(o Options) *Device {
	if o.Name == "" {
		o.Name = "opencl:0"
	}
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	if o.LargestAllocation == 0 {
		o.LargestAllocation = o.Memory
	}
	if o.Kernels == nil {
		o.Kernels = Twins()
	}
	return Wrap(&memory{o: o})
}

// memory is a device whose memory is slices. One lock serves all its streams.
type memory struct {
	o    Options
	mu   sync.Mutex
	used int64
}

func (m *memory) Info() device.Info {
	kind, _, _ := strings.Cut(m.o.Name, ":")
	return device.Info{Name: m.o.Name, Kind: kind, Model: "fake", Vendor: "totemgo", Platform: "fake",
		Version: "1", Driver: "1", Memory: m.o.Memory, LargestAllocation: m.o.LargestAllocation, LocalMemory: 1 << 15,
		ComputeUnits: 2, MaxGroup: 256, Unified: m.o.Unified, InPlace: m.o.Unified}
}

func (m *memory) fail(op, detail string, class error) error {
	return &device.Error{Op: op, Device: m.o.Name, Detail: detail, Err: class}
}

// fakeBinary is the binary of every program.
const fakeBinary = "fake"

func (m *memory) Build(string, []string) (device.Program, error) { return memProgram{m}, nil }

func (m *memory) Load(binary []byte, _ []string) (device.Program, error) {
	if string(binary) != fakeBinary {
		return nil, m.fail("Load", "not a fake binary", device.ErrBuild)
	}
	return memProgram{m}, nil
}

func (m *memory) NewBuffer(bytes int64) (device.Buffer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes > m.o.LargestAllocation || m.used+bytes > m.o.Memory {
		return nil, m.fail("NewBuffer", fmt.Sprintf("%d bytes", bytes), device.ErrMemory)
	}
	m.used += bytes
	words := make([]uint32, (max(bytes, 4)+3)/4)
	for i := range words {
		words[i] = 0xDEADBEEF // undefined
	}
	return &memBuffer{m: m, words: words, bytes: bytes}, nil
}

// NewHostBuffer implements device.HostReader where the memory is unified: it takes
// none of the device's own.
func (m *memory) NewHostBuffer(bytes int64, fill func([]byte)) (device.Buffer, error) {
	if !m.o.Unified {
		return nil, m.fail("NewHostBuffer", "the memory is not unified", device.ErrMemory)
	}
	if bytes > m.o.LargestAllocation {
		return nil, m.fail("NewHostBuffer", fmt.Sprintf("%d bytes", bytes), device.ErrMemory)
	}
	b := &memBuffer{m: m, words: make([]uint32, (max(bytes, 4)+3)/4), bytes: bytes, host: true}
	fill(b.data()[:bytes])
	return b, nil
}

func (m *memory) NewStaging(bytes int64) (device.Staging, error) {
	words := make([]uint64, (max(bytes, 8)+7)/8)
	return memStaging(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), bytes)), nil
}

func (m *memory) NewStream() (device.Stream, error) { return &memStream{m: m}, nil }

func (m *memory) Close() error { return nil }

type memBuffer struct {
	m     *memory
	words []uint32
	bytes int64
	host  bool // it is the host's memory
}

func (b *memBuffer) Size() int64 { return b.bytes }

func (b *memBuffer) Free() error {
	b.m.mu.Lock()
	defer b.m.mu.Unlock()
	if !b.host {
		b.m.used -= b.bytes
	}
	b.words, b.bytes = nil, 0
	return nil
}

type memStaging []byte

func (s memStaging) Bytes() []byte { return s }

func (s memStaging) Free() error {
	for i := range s {
		s[i] = 0xEE
	}
	return nil
}

type memProgram struct{ m *memory }

func (p memProgram) Kernel(name string) (device.Kernel, error) {
	run, is := p.m.o.Kernels[name]
	if !is {
		return nil, p.m.fail("Kernel "+name, "no such kernel", device.ErrBuild)
	}
	return memKernel{name, run}, nil
}

func (p memProgram) Binary() ([]byte, error) { return []byte(fakeBinary), nil }

func (p memProgram) Free() error { return nil }

type memKernel struct {
	name string
	run  Kernel
}

func (k memKernel) Name() string { return k.name }

func (k memKernel) Free() error { return nil }

// memStream holds its work until somebody waits.
type memStream struct {
	m     *memory
	queue []func()
	done  int // work done, over the stream's life
}

func (s *memStream) add(f func()) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.queue = append(s.queue, f)
	return nil
}

// run does the work up to the n-th of the stream's life. The lock is held.
func (s *memStream) run(n int) {
	for s.done < n {
		f := s.queue[0]
		s.queue = s.queue[1:]
		s.done++
		f()
	}
}

func (s *memStream) Launch(k device.Kernel, l device.Launch) error {
	return s.add(func() { k.(memKernel).run(Call{l}) })
}

// outside refuses a copy that leaves its buffer, and one of the host's memory.
func (s *memStream) outside(op string, b *memBuffer, at, n int64) error {
	if b.host {
		return s.m.fail(op, "the buffer lies in the host's memory", nil)
	}
	if at < 0 || n < 0 || at+n > b.bytes {
		return s.m.fail(op, fmt.Sprintf("bytes %d … %d of a buffer of %d", at, at+n, b.bytes), nil)
	}
	return nil
}

func (b *memBuffer) data() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&b.words[0])), 4*len(b.words))
}

func (s *memStream) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	b, from := dst.(*memBuffer), src.(memStaging)
	if err := s.outside("Write", b, dstAt, n); err != nil {
		return err
	}
	return s.add(func() { copy(b.data()[dstAt:dstAt+n], from[srcAt:srcAt+n]) })
}

func (s *memStream) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	b, to := src.(*memBuffer), dst.(memStaging)
	if err := s.outside("Read", b, srcAt, n); err != nil {
		return err
	}
	return s.add(func() { copy(to[dstAt:dstAt+n], b.data()[srcAt:srcAt+n]) })
}

func (s *memStream) Fill(dst device.Buffer, at, n int64, word uint32) error {
	b := dst.(*memBuffer)
	if err := s.outside("Fill", b, at, n); err != nil {
		return err
	}
	if at%4 != 0 || n%4 != 0 {
		return s.m.fail("Fill", "not whole words", nil)
	}
	return s.add(func() {
		for i := at / 4; i < (at+n)/4; i++ {
			b.words[i] = word
		}
	})
}

func (s *memStream) Record() (device.Event, error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	return memEvent{s, s.done + len(s.queue)}, nil
}

func (s *memStream) Wait(e device.Event) error {
	on := e.(memEvent)
	return s.add(func() { on.s.run(on.at) })
}

func (s *memStream) Finish() error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.run(s.done + len(s.queue))
	return nil
}

func (s *memStream) Free() error { return nil }

type memEvent struct {
	s  *memStream
	at int
}

func (e memEvent) Wait() error {
	e.s.m.mu.Lock()
	defer e.s.m.mu.Unlock()
	e.s.run(e.at)
	return nil
}

func (e memEvent) Free() error { return nil }
