package fake

import (
	"sync"

	"github.com/totemgo/totemgo/kernels/gpu/device"
)

// late is a device whose streams enqueue nothing before somebody waits, so that a caller
// who reads a result or reuses staging too early finds the old contents.
type late struct {
	device.Device
	mu sync.Mutex // of the queues of all streams
}

func (d *late) NewHostBuffer(bytes int64, fill func([]byte)) (device.Buffer, error) {
	return newHostBuffer(d.Device, bytes, fill)
}

func (d *late) NewStream() (device.Stream, error) {
	s, err := d.Device.NewStream()
	if err != nil {
		return nil, err
	}
	return &lateStream{Stream: s, mu: &d.mu}, nil
}

type lateStream struct {
	device.Stream
	mu    *sync.Mutex
	queue []func() error
	done  int   // commands run, over the stream's life
	err   error // the first of a command since somebody waited
}

func (s *lateStream) add(f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, f)
	return nil
}

// run runs the commands up to the n-th of the stream's life, and waits for them. mu is held.
func (s *lateStream) run(n int) error {
	for s.done < n {
		f := s.queue[0]
		s.queue = s.queue[1:]
		s.done++
		if err := f(); s.err == nil {
			s.err = err
		}
	}
	err := s.err
	s.err = nil
	if ferr := s.Stream.Finish(); err == nil {
		err = ferr
	}
	return err
}

func (s *lateStream) Launch(k device.Kernel, l device.Launch) error {
	return s.add(func() error { return s.Stream.Launch(k, l) })
}

func (s *lateStream) Write(dst device.Buffer, dstAt int64, src device.Staging, srcAt, n int64) error {
	return s.add(func() error { return s.Stream.Write(dst, dstAt, src, srcAt, n) })
}

func (s *lateStream) Read(dst device.Staging, dstAt int64, src device.Buffer, srcAt, n int64) error {
	return s.add(func() error { return s.Stream.Read(dst, dstAt, src, srcAt, n) })
}

func (s *lateStream) Fill(dst device.Buffer, at, n int64, word uint32) error {
	return s.add(func() error { return s.Stream.Fill(dst, at, n, word) })
}

func (s *lateStream) Record() (device.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return lateEvent{s, s.done + len(s.queue)}, nil
}

func (s *lateStream) Wait(e device.Event) error {
	on := e.(lateEvent)
	return s.add(func() error { return on.s.run(on.at) })
}

func (s *lateStream) Finish() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run(s.done + len(s.queue))
}

type lateEvent struct {
	s  *lateStream
	at int
}

func (e lateEvent) Wait() error {
	e.s.mu.Lock()
	defer e.s.mu.Unlock()
	return e.s.run(e.at)
}

func (e lateEvent) Free() error { return nil }
