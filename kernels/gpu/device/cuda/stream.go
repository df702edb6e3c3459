//go:build !nogpu && (linux || windows) && (amd64 || arm64)

package cuda

import (
	"time"
	"unsafe"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// fillBytes is the most that one fill sets: NVIDIA's OpenCL failed from 2^31 bytes on.
const fillBytes = 1 << 28

// stream is a CUDA stream. A launch copies each argument from its cell; at are the addresses of
// the cells.
type stream struct {
	*dev
	handle uintptr
	cells  []uint64
	at     []uintptr
}

func (d *dev) NewStream() (device.Stream, error) {
	s := &stream{dev: d}
	s.grow(16)
	if err := d.do("NewStream", d.cu.StreamCreate, uintptr(unsafe.Pointer(&s.handle)), streamNonBlocked); err != nil {
		return nil, err
	}
	return s, nil
}

// grow makes cells for n arguments.
func (s *stream) grow(n int) {
	s.cells, s.at = make([]uint64, n), make([]uintptr, n)
	for i := range s.cells {
		s.at[i] = uintptr(unsafe.Pointer(&s.cells[i]))
	}
}

func (s *stream) Launch(k device.Kernel, l device.Launch) error {
	kern := k.(*kernel)
	if len(l.Args) > len(s.cells) {
		s.grow(len(l.Args))
	}
	for i, a := range l.Args {
		if s.cells[i] = a.Scalar; a.Width == 0 {
			s.cells[i] = uint64(a.Buffer.(*buffer).mem)
		}
	}
	return s.do(kern.task, s.cu.LaunchKernel, kern.function, uintptr(l.Groups), 1, 1, uintptr(l.GroupSize), 1, 1, 0, s.handle,
		uintptr(unsafe.Pointer(&s.at[0])), 0)
}

func (s *stream) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	if n == 0 {
		return s.ready()
	}
	return s.do("Write", s.cu.MemcpyHtoDAsync, dst.(*buffer).mem+uintptr(dstAt), src.(*staging).memory+uintptr(srcAt), uintptr(n), s.handle)
}

func (s *stream) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	if n == 0 {
		return s.ready()
	}
	return s.do("Read", s.cu.MemcpyDtoHAsync, dst.(*staging).memory+uintptr(dstAt), src.(*buffer).mem+uintptr(srcAt), uintptr(n), s.handle)
}

func (s *stream) Fill(dst device.Buffer, at, n int64, word uint32) error {
	err := s.ready()
	for end := at + n; at < end && err == nil; at += fillBytes {
		err = s.do("Fill", s.cu.MemsetD32Async, dst.(*buffer).mem+uintptr(at), uintptr(word), uintptr(min(end-at, fillBytes)/4), s.handle)
	}
	return err
}

// Record takes an event from the device's pool.
func (s *stream) Record() (device.Event, error) {
	e := &event{dev: s.dev}
	s.mu.Lock()
	if n := len(s.events); n > 0 {
		e.handle, s.events = s.events[n-1], s.events[:n-1]
	}
	s.mu.Unlock()
	if e.handle == 0 {
		if err := s.do("Record", s.cu.EventCreate, uintptr(unsafe.Pointer(&e.handle)), eventBlocking); err != nil {
			return nil, err
		}
	}
	if err := s.do("Record", s.cu.EventRecord, e.handle, s.handle); err != nil {
		_ = e.Free()
		return nil, err
	}
	return e, nil
}

func (s *stream) Flush() error { return s.ready() } // nothing is held back

func (s *stream) Finish() error {
	return s.wait("Finish", s.cu.StreamQuery, s.cu.StreamSynchronize, s.handle)
}

func (s *stream) Free() error { return s.free("free a stream", s.cu.StreamDestroy, s.handle) }

type event struct {
	*dev
	handle uintptr
}

func (e *event) Wait() error {
	return e.wait("wait for an event", e.cu.EventQuery, e.cu.EventSynchronize, e.handle)
}

// Since implements device.Timer.
func (e *event) Since(earlier device.Event) (time.Duration, error) {
	var ms float32
	err := e.do("Since", e.cu.EventElapsedTime, uintptr(unsafe.Pointer(&ms)), earlier.(*event).handle, e.handle)
	return time.Duration(float64(ms) * 1e6), err
}

// Free returns the event to the pool.
func (e *event) Free() error {
	if e.closed.Load() {
		return e.ready()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, e.handle)
	return nil
}
